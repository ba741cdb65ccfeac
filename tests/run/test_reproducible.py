"""The same inputs, parameters and versions give the same bytes, wherever and whenever a report is built."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "data/lplex"


def built(folder: Path, *, study: str = "lplex", **environment: str) -> dict[str, str]:
    """Build a report in an interpreter of its own, and return the hash of each file of it."""
    folder.mkdir(parents=True)
    (folder / "home").mkdir()
    shutil.copytree(STUDY, folder / study)
    inherited = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    subprocess.run(
        [sys.executable, "-m", "benchlib", "report", study, "-o", "out", "--quiet"],
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(ROOT), "HOME": str(folder / "home"), **environment},
        check=True,
    )
    files = [one for one in (folder / "out/lplex").iterdir() if one.suffix in (".html", ".ipynb")]
    files.append(folder / "out/lplex/answers.json")
    assert len(files) == 3
    # The notebook repeats how the study was named, so that it can be run again.
    [notebook] = (one for one in files if one.suffix == ".ipynb")
    notebook.write_text(
        notebook.read_text(encoding="utf-8").replace(f'study = \\"{study}\\"', "study"), encoding="utf-8"
    )
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


@pytest.mark.heavy
def test_place_user_and_time_change_no_byte(tmp_path: Path) -> None:
    """Another folder, path, home, hash seed, time zone and language: the same page, notebook and answers."""
    first = built(tmp_path / "a", PYTHONHASHSEED="1", TZ="UTC")
    other = {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    assert built(tmp_path / "b/c d", study="further/down/lplex", **other) == first


@pytest.mark.heavy
def test_the_epoch_changes_the_day_and_nothing_else(tmp_path: Path) -> None:
    """The day of SOURCE_DATE_EPOCH stands in the footer; the second of it does not matter."""
    morning, next_evening = (
        built(tmp_path / name, SOURCE_DATE_EPOCH=str(epoch)) for name, epoch in (("a", 1763640000), ("b", 1763740000))
    )
    assert {name for name in morning if morning[name] != next_evening[name]} == {"executive_summary.html"}
    pages = [(tmp_path / name / "out/lplex/executive_summary.html").read_text() for name in ("a", "b")]
    assert pages[0].replace("2025-11-20", "2025-11-21") == pages[1]
