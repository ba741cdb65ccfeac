"""How many files of benchlib three common tasks enter, and how many names its modules export.

Run: ``python benchmarks/files_entered.py``. A file counts when a function of it runs for the task, once everything is
imported.
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from benchlib.answers.scaling import fit_scaling
from benchlib.cli import main
from benchlib.formats.load import load
from benchlib.study import open_study

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "benchlib"
GO_FILE = ROOT / "data/onix-adapter/run1.txt"


def compare_one_benchmark() -> None:
    """Compare one benchmark of the lplex study and print Markdown."""
    with contextlib.redirect_stdout(io.StringIO()):
        main(["compare", str(ROOT / "data/lplex"), "--format", "markdown", "--where", "benchmark=HexEncodeData"])


STUDY = open_study(ROOT / "data/onix-adapter-published")
TASKS: dict[str, Callable[[], object]] = {
    "load one Go file": lambda: load(GO_FILE),
    "fit_scaling": lambda: fit_scaling(STUDY),
    "compare one benchmark to Markdown": compare_one_benchmark,
}


def files_entered(task: Callable[[], object]) -> set[Path]:
    """Return the files of benchlib whose functions run during a task."""
    entered: set[str] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            entered.add(frame.f_code.co_filename)

    task()  # imports what it needs
    sys.setprofile(note)
    try:
        task()
    finally:
        sys.setprofile(None)
    return {Path(name) for name in entered if name.startswith(str(PACKAGE))}


def exported_names() -> int:
    """Return how many names the modules list in ``__all__``."""
    count = 0
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                count += len(ast.literal_eval(node.value))
    return count


if __name__ == "__main__":
    for name, task in TASKS.items():
        print(f"{name}: {len(files_entered(task))} files")
    modules = list(PACKAGE.rglob("*.py"))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules)
    print(f"{exported_names()} names exported, {lines:,} lines in {len(modules)} files")
