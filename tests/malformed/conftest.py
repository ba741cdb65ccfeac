"""A place to put bad input in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.malformed.places import GO, Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    """The working directory, with one sound study ``sound/``; nothing is written beside it."""
    folder, elsewhere = tmp_path / "here", tmp_path / "temporary"
    folder.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    made = Place(folder, capsys)
    made.file("sound/run.txt", GO)
    return made
