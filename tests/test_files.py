"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchlib.errors import InputError
from benchlib.files import replacing, scratch, sweep_scratch, write_text


def test_a_finished_file_takes_the_place(tmp_path: Path) -> None:
    """New or old, and nothing else stays in the folder."""
    path = tmp_path / "page.html"
    write_text(path, "first")
    write_text(path, "sécond\n")
    assert path.read_bytes() == "sécond\n".encode()
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def fail(path: Path, error: BaseException) -> None:
    """Write half a file and raise."""
    with replacing(path) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise error


@pytest.mark.parametrize("error", [ValueError(), KeyboardInterrupt(), SystemExit()])
def test_an_error_leaves_the_old_file(tmp_path: Path, error: BaseException) -> None:
    """Whatever stops the writing, the reader finds what was there before."""
    path = tmp_path / "answers.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(type(error)):
        fail(path, error)
    assert path.read_text(encoding="utf-8") == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["answers.json"]


def test_an_error_leaves_no_file_where_there_was_none(tmp_path: Path) -> None:
    """Nothing half-written, nothing empty."""
    with pytest.raises(ValueError, match="stop"):
        fail(tmp_path / "new.csv", ValueError("stop"))
    assert list(tmp_path.iterdir()) == []


def test_the_old_file_stands_until_the_new_one_is_done(tmp_path: Path) -> None:
    """A reader in between sees the old one; the temporary file is beside it, hidden, same kind."""
    path = tmp_path / "page.html"
    path.write_text("old", encoding="utf-8")
    with replacing(path) as temporary:
        temporary.write_text("new", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "old"
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(".")
        assert temporary.suffix == ".html"
    assert path.read_text(encoding="utf-8") == "new"


def test_what_a_killed_run_left_is_removed_and_what_another_holds_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside what is written and among temporary folders; names that people give stay, and so do links."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in (".benchlib-0a_b1c2d.html", ".benchlib-0a_b1c2e", "benchlib-0a_b1c2d", ".benchlib-reports"):
        (tmp_path / name).write_text("mine")
    (tmp_path / ".benchlib-folder00").mkdir()
    (tmp_path / ".benchlib-folder00/inside").write_text("left")
    (tmp_path / ".benchlib-link0000").symlink_to(tmp_path / "benchlib-0a_b1c2d")
    with scratch():  # which removes folders, and a file that is written those that are files
        pass
    with replacing(tmp_path / "held.csv") as held, scratch() as folder:
        held.write_text("half")
        write_text(tmp_path / "page.html", "x")
        names = {path.name for path in tmp_path.iterdir()} - {held.name, folder.name}
        assert (held.exists(), folder.exists()) == (True, True)
    assert names == {"page.html", "benchlib-0a_b1c2d", ".benchlib-reports", ".benchlib-link0000"}
    assert {path.name for path in tmp_path.iterdir()} == names | {"held.csv"}


def test_runs_at_once_remove_nothing_of_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that was just made and is not yet held is no folder that a killed run left."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def work() -> None:
        for _ in range(200):
            with scratch() as folder:
                (folder / "page.html").write_text("x")
            sweep_scratch()

    with ThreadPoolExecutor(8) as pool:
        for run in [pool.submit(work) for _ in range(8)]:
            run.result()
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_on_the_disk_before_its_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut between the two would leave an empty page where a good one was."""
    page, synced = tmp_path / "page.html", []
    page.write_text("old")

    def sync(descriptor: int) -> None:
        synced.append((os.fstat(descriptor).st_size, page.read_text()))

    monkeypatch.setattr("os.fsync", sync)
    write_text(page, "newer")
    assert synced == [(5, "old")]


def test_a_published_file_follows_the_umask(tmp_path: Path) -> None:
    """Not private as a temporary file is; and the umask is as it was."""
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "page.html", "x")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o640


def test_a_place_that_cannot_be_written_is_an_error_in_one_line(tmp_path: Path) -> None:
    """The path, the system's reason, and what to do."""
    path = tmp_path / "missing" / "page.html"
    with pytest.raises(InputError) as caught:
        write_text(path, "x")
    assert str(caught.value) == f"{path}: cannot be written (No such file or directory); choose another place"
