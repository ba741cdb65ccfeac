"""benchlib: raw benchmark results in, decisions out.

::

    import benchlib as bl

    bl.read("results/")                              # what is there: values, axes, files, problems
    bl.fit_scaling([1, 2, 4, 8], [100, 190, 340, 540], unit="req/s")   # the law, its peak, a chart
    bl.compare("old.txt", "new.txt").worst(5)        # what got worse, and how sure that is
    bl.fit_effects("results/", "time").formula       # what each factor costs
    bl.plan_capacity("results/", "50000/s")          # how many nodes
    bl.open_history("kept/").trend()                 # what changed over recorded runs, and at which commit

Each takes a folder, a file, a pattern, a DataFrame, a dict of columns, or numbers typed in a cell, and gives an object
that shows itself, plots, tabulates (``.table``) and holds the whole answer (``.answer``).

Importing benchlib is cheap: each public name is imported when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchlib.errors import BenchlibError
    from benchlib.workbench import examples, laws
    from benchlib.workbench.comparison import compare
    from benchlib.workbench.data import read, table
    from benchlib.workbench.effects import fit_effects
    from benchlib.workbench.history import open_history
    from benchlib.workbench.new import new
    from benchlib.workbench.options import options
    from benchlib.workbench.plan import plan_capacity
    from benchlib.workbench.report import report
    from benchlib.workbench.scaling import fit_scaling
    from benchlib.workbench.summary import summary, verdict
    from benchlib.workbench.trend import trend

__version__ = "0.1.0"

_HOMES = {
    "BenchlibError": "benchlib.errors",
    "compare": "benchlib.workbench.comparison",
    "fit_effects": "benchlib.workbench.effects",
    "fit_scaling": "benchlib.workbench.scaling",
    "new": "benchlib.workbench.new",
    "open_history": "benchlib.workbench.history",
    "options": "benchlib.workbench.options",
    "plan_capacity": "benchlib.workbench.plan",
    "read": "benchlib.workbench.data",
    "report": "benchlib.workbench.report",
    "summary": "benchlib.workbench.summary",
    "table": "benchlib.workbench.data",
    "trend": "benchlib.workbench.trend",
    "verdict": "benchlib.workbench.summary",
}
_MODULES = {"examples": "benchlib.workbench.examples", "laws": "benchlib.workbench.laws"}

__all__ = [
    "BenchlibError",
    "compare",
    "examples",
    "fit_effects",
    "fit_scaling",
    "laws",
    "new",
    "open_history",
    "options",
    "plan_capacity",
    "read",
    "report",
    "summary",
    "table",
    "trend",
    "verdict",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    raise AttributeError(f"module 'benchlib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if "IPython" in sys.modules:
    # In a notebook, answers shown on the last line of a cell should look like answers.
    from benchlib.display import register

    register()
