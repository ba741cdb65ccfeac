"""A study that is kept is the same object only as long as it would be the same study."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import BenchlibError
from benchlib.study import open_study

LINE = "BenchmarkX-8 \t 10\t 5 ns/op\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of one file."""
    (tmp_path / "run.txt").write_text(LINE)
    return tmp_path


def test_what_is_kept_is_returned(folder: Path) -> None:
    """By any way of naming the folder; without `keep`, nothing is."""
    assert open_study(folder) is not open_study(folder)
    first = open_study(folder, keep=True)
    assert open_study(folder) is first
    assert open_study(str(folder / ".." / folder.name)) is first


@pytest.mark.parametrize("change", ["a value", "a further file", "a definition", "a name", "a file that is gone"])
def test_a_change_of_the_files_opens_them_again(folder: Path, change: str) -> None:
    """Whatever changed, and however small; what is there now is read."""
    (folder / "other.txt").write_text(LINE)
    first = open_study(folder, keep=True)
    if change == "a value":
        (folder / "run.txt").write_text(LINE.replace("5", "6"))
    elif change == "a further file":
        (folder / "more.txt").write_text(LINE)
    elif change == "a definition":
        (folder / "study.toml").write_text('title = "T"\n')
    elif change == "a name":
        (folder / "run.txt").rename(folder / "ran.txt")
    else:
        (folder / "other.txt").unlink()
    assert open_study(folder) is not first


def test_other_questions_open_it_again(folder: Path) -> None:
    """Another condition, another reader, or strictness where there were problems."""
    (folder / "broken.txt").write_text("BenchmarkY-8 \t 10\t five ns/op\n")
    first = open_study(folder, keep=True)
    assert first.results.problems
    assert open_study(folder, where="metric=time") is not first
    assert open_study(folder, format="go-bench") is not first
    with pytest.raises(BenchlibError, match="broken"):
        open_study(folder, strict=True)
