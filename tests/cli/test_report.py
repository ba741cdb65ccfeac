"""``benchlib report``: from a study to a page, with a real kernel."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest

from benchlib.cli import main
from tests.run.small_notebook import write_small_notebook

GO = "".join(
    f"Benchmark{name}-{cores} \t 10\t {time + run} ns/op\n"
    for name, time in (("Encode", 500), ("Decode", 900))
    for cores in (1, 2, 4)
    for run in range(3)
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with one study and a notebook that runs in a second."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study").mkdir()
    (tmp_path / "study/run.txt").write_text(GO)
    write_small_notebook(tmp_path / "small.ipynb")
    return tmp_path


def test_one_study_becomes_page_notebook_and_answers(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The executive summary, narrowed as asked, through a real kernel; the index leads to it."""
    command = ["report", "study", "-o", "out", "--where", "benchmark=Encode", "-p", "confidence_level=0.9"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert out.startswith("out/study/executive_summary.html: ")
    assert "out/index.html: all reports" in out
    answers = json.loads((here / "out/study/answers.json").read_text())
    assert answers["answers"]["study"]["where"] == "benchmark=Encode"
    executed = nbformat.read(here / "out/study/executive_summary.ipynb", as_version=4)
    nbformat.validate(executed)
    [injected] = [one for one in executed.cells if "injected-parameters" in one.metadata.get("tags", [])]
    assert set(re.findall(r"^(\w+) = ", injected.source, re.MULTILINE)) == {
        "study", "where", "confidence_level",
    }  # fmt: skip
    cells = answers["answers"]["samples"]["rows"]
    assert len(cells) == 3
    assert "Decode" not in json.dumps(answers)
    assert "Decode" not in (here / "out/study/executive_summary.html").read_text()
    assert 'href="study/executive_summary.html"' in (here / "out/index.html").read_text()


def test_a_reader_is_named_where_content_leaves_it_open(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--reader`` opens the study with it, and is a parameter of the notebook, which opens it once more."""
    data = Path(__file__).parents[1] / "data"
    both = (data / "wrk/flaky_c64.txt").read_text() + (data / "hey/index_c4.txt").read_text()
    (here / "study/run.txt").write_text(both)
    command = ["report", "study", "-o", "out", "--notebook", "small.ipynb"]
    assert main(command) == 2
    assert "run.txt: looks like wrk and hey; name one with --reader" in capsys.readouterr().err
    assert main([*command, "--reader", "hey"]) == 0
    executed = nbformat.read(here / "out/study/small.ipynb", as_version=4)
    [injected] = [one for one in executed.cells if "injected-parameters" in one.metadata.get("tags", [])]
    assert 'reader = "hey"' in injected.source
    shipped = nbformat.read(Path(__file__).parents[2] / "notebooks/reports/executive_summary.ipynb", as_version=4)
    [opened] = [one.source for one in shipped.cells if "bl.read" in one.source]
    assert "bl.read(study, where=where, reader=reader)" in opened


def test_one_bad_study_does_not_hide_the_others(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--all builds what it can, names what it cannot, exits 2, and lists the good ones."""
    for name in ("one", "two", "broken"):
        (here / "data" / name).mkdir(parents=True)
        (here / "data" / name / "run.txt").write_text(GO)
        (here / "data" / name / "study.toml").write_text(f'title = "Study {name}"\n')
    (here / "data/broken/study.toml").write_text('titel = "Study broken"\n')
    (here / "data/no-study").mkdir()
    assert main(["report", "--all", "-o", "out", "--notebook", "small.ipynb"]) == 2
    out, err = capsys.readouterr()
    # In the order in which they were done, the index last.
    assert [*sorted(one.split(":")[0] for one in out.splitlines()[:-1]), out.splitlines()[-1].split(":")[0]] == [
        "out/one/small.html", "out/two/small.html", "out/index.html",
    ]  # fmt: skip
    [line] = [one for one in err.splitlines() if one.startswith("benchlib: ")]
    assert "data/broken/study.toml:1: unknown key 'titel'" in line
    assert "Traceback" not in err
    index = (here / "out/index.html").read_text()
    links = [one for one in re.findall(r'href="([^"#]+)"', index) if not one.startswith("data:")]
    assert links == ["one/small.html", "two/small.html"]
    assert not (here / "out/broken").exists()


def test_the_command_is_there_as_a_module() -> None:
    """``python -m benchlib --version`` says which one it is."""
    import subprocess
    import sys

    import benchlib

    command = [sys.executable, "-m", "benchlib", "--version"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert shown.stdout == f"benchlib {benchlib.__version__}\n"
