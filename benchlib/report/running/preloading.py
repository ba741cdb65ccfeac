"""What a process that will fork imports and does once, so that no child need do it again."""

from __future__ import annotations

import gc
import importlib
import tempfile
from pathlib import Path

from benchlib.report.running.children import can_fork
from benchlib.report.running.imports import single_threaded, without_iri_grammars

__all__ = ["preload"]

#: What running cells, the shipped notebooks and the page import sooner or later.
_LIBRARIES = (
    "IPython.core.application",
    "IPython.core.completerlib",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "bdb",  # IPython imports it when a cell first runs
    "benchlib.answers.executive",
    "benchlib.display",
    "benchlib.report.running.build",
    "benchlib.report.running.execution",
    "benchlib.report.sections",
    "benchlib.report.wording.record",
    "benchlib.study",
    "ipykernel.ipkernel",
    "ipykernel.zmqshell",
    "nbconvert",
    "papermill.execute",
    "scipy.optimize",
    "scipy.special",
)

#: A sweep that has all that a page can show of one: repeats, a fit, a comparison.
_LEVELS = {1: 100, 2: 55, 4: 32, 8: 22, 16: 19}
_DEFINITION = """\
[configuration]
paths = ["run{run:int}.txt"]
parallel = ["X"]
[[compare]]
question = "Did it change?"
column = "run"
baseline = 1
"""


def preload() -> bool:
    """Import all that a report needs, make one, and return whether this process may be forked.

    A child then finds every library imported, every class of a figure built, the templates compiled,
    the code hashed and plotly.js compressed. What exists by then is kept from the collector of cycles:
    a collection in a child would touch, and so copy, every page of memory that it shares with its parent.
    """
    with single_threaded(), without_iri_grammars():
        for name in _LIBRARIES:
            importlib.import_module(name)
    if not can_fork():
        return False
    with tempfile.TemporaryDirectory(prefix="benchlib-rehearsal-") as folder:
        _rehearse(Path(folder))
    gc.collect()
    gc.freeze()
    return can_fork()


def _rehearse(folder: Path) -> None:
    """Do in this process what a child's cells do, and then build a report."""
    from benchlib.answers.executive import executive_summary
    from benchlib.report import sections
    from benchlib.report.running.build import build_report
    from benchlib.study import open_study

    study = folder / "rehearsal"
    study.mkdir()
    for run in (1, 2):
        rows = [f"BenchmarkX-{level} 10 {time + run + n} ns/op" for level, time in _LEVELS.items() for n in range(3)]
        (study / f"run{run}.txt").write_text("\n".join([*rows, ""]), encoding="utf-8")
    (study / "study.toml").write_text(_DEFINITION, encoding="utf-8")
    summary = executive_summary(open_study(study))
    for name in sections.__all__:
        for block in getattr(sections, name)(summary).blocks:
            if hasattr(block, "to_json"):
                block.to_json()
    build_report(study, folder / "reports")
