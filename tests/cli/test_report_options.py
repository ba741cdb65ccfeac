"""What surrounds a report: gates, notices, logs, files of parameters, what would be built."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.run.small_notebook import write_small_notebook

GO = "BenchmarkX-8 \t 10\t 5 ns/op\n"
#: A document, from which Markdown is written.
SAID = """
from benchlib.document.blocks import Confidence, Document
from benchlib.render.notebook import show_document
show_document(Document(title="x", about=(), status="Answered", answer=("1 line.",), decision=("Use it.",), figure=None,
    confidence=Confidence(level="high", reason=("said",)), facts=(), doubts=(), sections=(), answers={}))"""
ROOT = Path(__file__).parents[2]


def write_gate(path: Path, gate: str, status: str = "Target missed") -> None:
    """Write the small notebook so that its page has another status, and trips a gate."""
    write_small_notebook(path)
    said = f'\\"{status}\\", \\"gate\\": \\"{gate}\\"'
    path.write_text(path.read_text().replace('\\"Answered\\"', said))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "run.txt").write_text(GO)
        (tmp_path / "data" / name / "study.toml").write_text(f'title = "Study {name}"\n')
    write_small_notebook(tmp_path / "small.ipynb")
    return tmp_path


def report(*options: str) -> int:
    return main(["report", "-o", "out", "--notebook", "small.ipynb", *options])


@pytest.mark.parametrize(
    ("says", "gate", "code"),
    [("missed", "missed", 3), ("missed", "warn", 3), ("warn", "missed", 0), ("warn", "warn", 3), ("", "warn", 0)],
)  # fmt: skip
def test_a_gate_trips(here: Path, capsys: pytest.CaptureFixture[str], says: str, gate: str, code: int) -> None:
    """Exit 3 after everything was written, on an unchanged report too; the list of reports is there."""
    write_gate(here / "small.ipynb", says, "Cannot tell")
    for _ in range(2):
        assert report("data/one", "--fail-on", gate, "--quiet") == code
        out, err = capsys.readouterr()
        assert out == ""
        told = f"benchlib: --fail-on {gate}: out/one/small.html: Cannot tell: 1 lines\n"
        assert err == (told if code else "")
    assert (here / "out/index.html").exists()


def test_a_failure_is_told_by_its_code_before_a_gate(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One study trips the gate, the other is broken: the exit code is the failure's, both are named."""
    write_gate(here / "small.ipynb", "missed")
    (here / "data/two/study.toml").write_text("x = 1\n")
    assert report("--all", "--fail-on", "missed", "--quiet") == 2
    err = capsys.readouterr().err
    assert "benchlib: --fail-on missed: out/one/small.html: Target missed" in err
    assert "benchlib: data/two: data/two/study.toml:1: unknown key 'x'" in err


def test_whoever_asked_is_notified(here: Path) -> None:
    """Once for each report that failed or tripped the gate, with the facts as environment variables."""
    command = "env | grep ^BENCHLIB_ | sort >> told; echo >> told"
    write_gate(here / "small.ipynb", "missed")
    (here / "data/two/study.toml").write_text("x = 1\n")
    assert report("--all", "--fail-on", "missed", "--quiet", "--notify", command) == 2
    told = {
        facts["BENCHLIB_EVENT"]: facts
        for block in (here / "told").read_text().strip().split("\n\n")
        for facts in [dict(line.split("=", 1) for line in block.splitlines())]
    }
    assert told["gate"] == {
        "BENCHLIB_EVENT": "gate", "BENCHLIB_STUDY": "data/one", "BENCHLIB_EXIT_CODE": "3",
        "BENCHLIB_PAGE": "out/one/small.html", "BENCHLIB_STATUS": "Target missed", "BENCHLIB_VERDICT": "1 lines",
        "BENCHLIB_GATE": "missed",
    } | {name: told["gate"][name] for name in told["gate"] if name in os.environ}  # fmt: skip
    assert told["failure"]["BENCHLIB_EXIT_CODE"] == "2"
    assert told["failure"]["BENCHLIB_ERROR"].startswith("data/two/study.toml:1: unknown key 'x'")


def test_a_notice_is_no_way_to_run_anything_else(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A study's name and an error are data in the environment; the shell never sees them as words."""
    name = "\"; touch owned; $(touch owned) `touch owned` '\n"
    (here / name).mkdir()
    (here / name / "run.txt").write_text("nothing\n")
    assert report(name, "--notify", 'printf %s "$BENCHLIB_STUDY" > told') == 2
    assert "touch owned" in (here / "told").read_text()
    assert not (here / "owned").exists()
    assert capsys.readouterr().err.count("\n") == 1


def test_a_notice_that_fails_changes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is told, and the exit code is the report's; a good report notifies nobody."""
    assert report("data/none", "--notify", "exit 7") == 2
    assert "benchlib: --notify: ended with 7\n" in capsys.readouterr().err
    assert report("data/one", "--notify", "touch told", "--quiet") == 0
    assert not (here / "told").exists()


def test_a_log_has_a_line_a_stage_and_quiet_has_none(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """stderr is no terminal here: plain lines without a bar; --quiet prints errors only."""
    assert report("data/one") == 0
    err = capfd.readouterr().err
    assert [re.sub(r"\d+\.\d\d", "0", one) for one in err.splitlines()] == [
        f"data/one: {one} 0 s" for one in ("open", "execute", "export", "check", "publish")
    ]
    assert report("data/one", "--quiet", "--force") == 0
    assert capfd.readouterr() == ("", "")


def test_what_would_be_built_is_told_and_not_built(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--dry-run names each page with the reason, and writes nothing; a mistake has its exit code."""
    before = sorted(here.rglob("*"))
    assert report("--all", "--dry-run") == 0
    assert capsys.readouterr().out.splitlines() == [
        "out/one/small.html: would be built: never built",
        "out/two/small.html: would be built: never built",
    ]
    assert sorted(here.rglob("*")) == before
    assert report("--all", "--quiet") == 0
    (here / "data/two/run.txt").write_text(GO * 2)
    assert report("--all", "--dry-run", "--where", "") == 0
    assert capsys.readouterr().out.splitlines() == [
        "out/one/small.html: unchanged",
        "out/two/small.html: would be built: data",
    ]
    assert report("--all", "--dry-run", "-p", "nothing=1") == 2
    assert capsys.readouterr().err.count("has no parameter 'nothing'") == 2


def test_a_file_gives_parameters_and_the_command_line_wins(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """YAML, as papermill reads it; what it says is checked like what is typed."""
    (here / "own.yaml").write_text("where: benchmark=Nothing\nreader: go-bench\n")
    assert report("data/one", "-f", "own.yaml", "--quiet") == 2
    assert "benchmark=Nothing" in capsys.readouterr().err
    assert report("data/one", "-f", "own.yaml", "--where", "benchmark=X", "--quiet") == 0
    assert "go-bench" in (here / "out/one/small.ipynb").read_text()
    for text, said in (
        ("wheer: x", "`small.ipynb` has no parameter 'wheer'; did you mean 'where'?"),
        ("where: 3", "parameter 'where' is '3'; accepted: text"),
        ("- where", "-f own.yaml: holds no parameters; write a line NAME: VALUE for each"),
        ("a: [", "-f own.yaml:2: not YAML ("),
        ("where: a\nwhere: b", "-f own.yaml:2: 'where' is given twice; give it once"),
        ("where: 2026-13-45", "-f own.yaml: not YAML (month must be in 1..12); write NAME: VALUE"),
        ("study: x", "-f own.yaml: 'study' is named on the command line; leave it out"),
    ):
        (here / "own.yaml").write_text(f"{text}\n")
        assert report("data/one", "-f", "own.yaml") == 2
        assert said in capsys.readouterr().err


def test_formats_are_written_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the notebook on disk where they are asked for later; asked for again, they stay; none outlives its page."""
    write_small_notebook(here / "small.ipynb", SAID)
    assert report("data/one") == 0
    assert report("data/one", "--to", "html,md") == 0
    assert capsys.readouterr().out.splitlines()[2:4] == [
        "out/one/small.html (unchanged): Answered: 1 lines",
        "out/one/small.md",
    ]
    written = here / "out/one/small.md"
    before = written.stat().st_mtime_ns
    assert report("data/one", "--to", "md") == 0
    assert written.stat().st_mtime_ns == before
    written.write_text("mine")
    assert report("data/one", "--to", "md") == 0
    assert written.read_text() != "mine"
    (here / "data/one/run.txt").write_text(GO * 2)
    assert report("data/one", "--quiet") == 0
    assert not written.exists()


@pytest.mark.parametrize("studies", [("data/one",), ("--all",)])
def test_a_page_is_good_without_a_format_that_cannot_be_drawn(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, studies: tuple[str, ...]
) -> None:
    """A browser that does not start: exit 7 and a line; page, Markdown and list are there, and nothing FAILED."""
    write_small_notebook(here / "small.ipynb", SAID)
    monkeypatch.setenv("BENCHLIB_CHROMIUM", "/bin/true")
    notice = 'echo "$BENCHLIB_EVENT $BENCHLIB_EXIT_CODE $BENCHLIB_STATUS" >> told'
    assert report(*studies, "--to", "html,pdf,md", "--notify", notice) == 7
    out, err = capfd.readouterr()
    assert "out/one/small.html: Answered: 1 lines\nout/one/small.md\n" in out
    assert "benchlib: out/one/small.html: is published, without pdf: small.html: Chromium" in err
    assert (here / "told").read_text().splitlines()[0] == "failure 7 Answered"
    assert not (here / "out/one/small.failed.html").exists()
    assert "FAILED" not in (here / "out/index.html").read_text()
    assert report(*studies, "--to", "html,md", "--quiet") == 0
