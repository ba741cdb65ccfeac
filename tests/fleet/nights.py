"""A folder with a fleet, and the command run in it night by night."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.run.small_notebook import write_small_notebook

ROOT = Path(__file__).parents[2]

#: Three lines are fine, four miss a target, five and more are an error of the notebook.
_JUDGE = """\
assert rows < 5, f"{rows} lines are too many"
display({"application/vnd.benchlib.answers+json": {**answers, "gate": "missed" if rows == 4 else ""}}, raw=True)"""


class Nights:
    """A study of three lines named ``a``, a notebook that judges it by their number, and ``reports.toml``."""

    def __init__(self, folder: Path, fleet: str) -> None:
        self.folder = folder
        self.write("a", 3)
        write_small_notebook(folder / "small.ipynb", _JUDGE)
        (folder / "reports.toml").write_text(fleet)

    def write(self, study: str, lines: int) -> Path:
        """Write a study of some lines."""
        path = self.folder / "data" / study
        path.mkdir(parents=True, exist_ok=True)
        (path / "run.txt").write_text("".join(f"BenchmarkX-{n + 1} 10 {n + 5} ns/op\n" for n in range(lines)))
        return path

    def start(self, *arguments: str, what: str = "run") -> subprocess.Popen[str]:
        """Begin a night."""
        command = [sys.executable, "-m", "benchlib", "fleet", what, "reports.toml", *arguments]
        environment = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**environment, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, what: str = "run") -> tuple[int, str, str]:
        """Wait for a night to end; return its exit code and what it printed."""
        night = self.start(*arguments, what=what)
        out, err = night.communicate(timeout=120)
        return night.returncode, out, err
