"""The wheel holds all that an installed benchlib needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built offline."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    [built] = folder.glob("benchlib-*.whl")
    return built


@pytest.mark.heavy
def test_a_wheel_reports_without_a_checkout(wheel: Path, tmp_path: Path) -> None:
    """Installed into an environment of its own: a page of a study, and a notebook to begin with."""
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(pip, capture_output=True, text=True, check=True)
    # The packages that it needs are those of these tests; its own come before them.
    [own] = environment.glob("lib/python*/site-packages")
    (own / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    shutil.copytree(ROOT / "data" / "lplex", tmp_path / "lplex")

    def run(*command: str) -> str:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env=plain).stdout

    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    assert run(str(python), "-c", "import benchlib; print(benchlib.__file__)").startswith(str(own))
    benchlib = str(environment / "bin" / "benchlib")
    run(benchlib, "report", "lplex", "-o", "reports")
    run(benchlib, "new", "compare", "lplex", "-o", "mine.ipynb")
    assert "lplex" in (tmp_path / "reports" / "lplex" / "executive_summary.html").read_text(encoding="utf-8")
    assert (tmp_path / "mine.ipynb").exists()


@pytest.mark.heavy
def test_notebooks_and_templates_travel_in_the_wheel(wheel: Path) -> None:
    """Every module, template and notebook."""
    held = {one for one in zipfile.ZipFile(wheel).namelist() if one.startswith("benchlib/")}
    package = [path for path in (ROOT / "benchlib").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    shipped = ROOT / "notebooks"
    notebooks = [f"benchlib/notebooks/{path.relative_to(shipped)}" for path in shipped.rglob("*.ipynb")]
    assert notebooks
    assert held == {path.relative_to(ROOT).as_posix() for path in package} | set(notebooks)
