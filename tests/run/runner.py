"""Runs notebooks, one after another, in a process of its own: ``python runner.py OUTPUT OPTIONS NOTEBOOK...``.

pytest has imported what starts threads, and a process of several threads is never forked.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """What came of a run: the name and text of the error, if any, and the notebook that was kept."""

    error: str
    message: str
    exit_code: int
    notebook: Any
    stderr: str

    def texts(self, cell_id: str) -> list[str]:
        """Return what a cell printed."""
        [cell] = [one for one in self.notebook.cells if one.id == cell_id]
        return [one.text for one in cell.outputs if one.output_type == "stream"]


def run(notebook: Path, output: Path, **options: Any) -> Ran:
    """Run a notebook in a process of its own."""
    return run_all([notebook], output, **options)[0]


def run_all(notebooks: Sequence[Path], output: Path, **options: Any) -> list[Ran]:
    """Run notebooks, one after another, in one process; the outputs of all but the last are left."""
    parameters = options.pop("parameters", {})
    given = json.dumps({"parameters": parameters, "options": options})
    command = [sys.executable, __file__, str(output), given, *map(str, notebooks)]
    # PYTEST_CURRENT_TEST would tell ipykernel to leave its file descriptors alone.
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment(), timeout=150)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout.splitlines()[-1])
    return [
        Ran(**one, notebook=saved and nbformat.reads(saved, as_version=4), stderr=ended.stderr) for one, saved in told
    ]


def write(path: Path, cells: dict[str, str], tags: dict[str, list[str]] | None = None, **metadata: Any) -> Path:
    """Write a notebook whose cells have the given ids; underscores become hyphens."""
    code = [
        new_code_cell(source, id=name.replace("_", "-"), metadata={"tags": (tags or {}).get(name, [])})
        for name, source in cells.items()
    ]
    nbformat.write(new_notebook(cells=code, metadata=metadata), path)
    return path


def gone(pid: int) -> bool:
    """Wait a little until a process is gone, or dead and waited for by nobody."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def environment() -> dict[str, str]:
    """Return the environment of a process that is no test."""
    import os

    kept = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def _main(output: str, given: str, *notebooks: str) -> None:
    from benchlib.imports import single_threaded

    with single_threaded():
        import pandas  # noqa: F401

    from benchlib.errors import BenchlibError
    from benchlib.run.execute import execute_notebook
    from benchlib.run.worker import can_fork

    assert can_fork()
    # What this process was told of warnings is not the cells' business.
    warnings.simplefilter("error", UserWarning)
    asked, told = json.loads(given), []
    for notebook in notebooks:
        ended = {"error": "", "message": "", "exit_code": 0}
        Path(output).unlink(missing_ok=True)
        try:
            execute_notebook(notebook, output, asked["parameters"], **asked["options"])
        except BenchlibError as error:
            ended = {"error": type(error).__name__, "message": str(error), "exit_code": error.exit_code}
        told.append((ended, Path(output).read_text(encoding="utf-8") if Path(output).exists() else ""))
    print(json.dumps(told))


if __name__ == "__main__":
    _main(*sys.argv[1:])
