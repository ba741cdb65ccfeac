"""The wheel holds all that an installed benchlib needs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.heavy
def test_notebooks_and_templates_travel_in_the_wheel(tmp_path: Path) -> None:
    """A wheel built offline holds every module, template and notebook: no checkout is needed to report."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    [wheel] = tmp_path.glob("benchlib-*.whl")
    held = {one for one in zipfile.ZipFile(wheel).namelist() if one.startswith("benchlib/")}
    package = [path for path in (ROOT / "benchlib").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    shipped = ROOT / "notebooks"
    notebooks = [f"benchlib/notebooks/{path.relative_to(shipped)}" for path in shipped.rglob("*.ipynb")]
    assert notebooks
    assert held == {path.relative_to(ROOT).as_posix() for path in package} | set(notebooks)
