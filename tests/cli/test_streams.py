"""Streams that cannot be written, and names that would write more than they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchlib.cli import main
from tests.run.small_notebook import write_small_notebook

GO = "BenchmarkX-8 \t 10\t 5 ns/op\n"
ROOT = Path(__file__).parents[2]
REPORT = "report study -o out --notebook small.ipynb"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study").mkdir()
    (tmp_path / "study/run.txt").write_text(GO)
    write_small_notebook(tmp_path / "small.ipynb")
    return tmp_path


def run(command: str, redirected: str, *, before: str = "true", unbuffered: str = "") -> tuple[int, str, str]:
    """Run benchlib in a shell, and return its exit code, output and errors."""
    # An empty entry would be the working directory: where that is gone, Python itself does not start.
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    ended = subprocess.run(
        ["/bin/sh", "-c", f'{before}; exec "{sys.executable}" -m benchlib {command} {redirected}'],
        env={**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": unbuffered},
        capture_output=True,
        text=True,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&- <&-"])
def test_progress_that_cannot_be_written_stops_no_report(here: Path, redirected: str) -> None:
    """It is dropped, and what a child writes to stderr does not land in a file of the report."""
    write_small_notebook(here / "small.ipynb", "import os; os.system('echo stray >&2')")
    code, out, _ = run(REPORT, redirected)
    assert (code, out) == (0, "out/study/small.html: Answered: 1 lines\nout/index.html: all reports\n")
    assert all(one.read_bytes() == b"" for one in (here / "out").rglob(".*.lock"))


def test_an_error_that_cannot_be_told_keeps_its_code(here: Path) -> None:
    """Exit 2 is not taken for a cell that failed."""
    assert run("report none -o out", "2>/dev/full")[0] == 2


def test_output_that_cannot_be_written_is_named(here: Path) -> None:
    """Exit 2 and one line that says of what there was no room."""
    for command, unbuffered in ((REPORT, ""), (REPORT, "1"), ("report study --dry-run", "")):
        code, _, err = run(command, ">/dev/full", unbuffered=unbuffered)
        assert code == 2
        assert "standard output: cannot be written (No space left on device); check where it goes" in err
    code, _, err = run("inspect study", ">/dev/full")
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("benchlib: standard output: No space left on device")


def test_a_working_directory_that_is_gone_is_named(here: Path) -> None:
    """Not "No such file or directory" of nobody knows what."""
    code, _, err = run(REPORT, "", before="mkdir gone; cd gone; rmdir ../gone")
    assert code == 2
    assert err.startswith("benchlib: the working directory: No such file or directory;")


def test_a_report_is_one_line_whatever_its_study_is_called(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Line ends and codes of a terminal are written out: built, unchanged, and what would be built."""
    name = "a\n\x1b[31mred"
    (here / "study").rename(here / name)
    for told in ("out/a\\n\\x1b[31mred/small.html", "out/a\\n\\x1b[31mred/small.html (unchanged)"):
        assert main(["report", name, "-o", "out", "--notebook", "small.ipynb"]) == 0
        assert capsys.readouterr().out.splitlines() == [f"{told}: Answered: 1 lines", "out/index.html: all reports"]
    assert main(["report", name, "-o", "out", "--notebook", "small.ipynb", "--dry-run"]) == 0
    assert capsys.readouterr().out == "out/a\\n\\x1b[31mred/small.html: unchanged\n"
    write_small_notebook(here / "small.ipynb", "1 / 0")
    assert main(["report", name, "-o", "out", "--notebook", "small.ipynb", "--quiet"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.isprintable()


def test_one_mistake_is_told_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A study that its own error names."""
    (here / "empty").mkdir()
    assert main(["report", "study", "empty", "-o", "other", "--notebook", "small.ipynb", "--quiet"]) == 2
    assert capsys.readouterr().err.startswith("benchlib: empty: holds no file to read;")
