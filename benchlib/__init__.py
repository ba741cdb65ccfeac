"""benchlib: raw benchmark results in, decisions out.

One line of flow, and the room of each step::

    raw files -> Results                     formats, results, metrics, units
              -> Study                       study (study.toml: what the folder is, what is asked)
              -> arrays -> estimates         statistics, scaling, effects (numpy in, frozen out)
              -> answers                     answers (unit, interval, n, caveats, evidence)
              -> documents, pages, slides    document, figures, tell, render, run, display, cli

Five lines do what a report does::

    import benchlib
    study = benchlib.open_study("data/onix-adapter-published")
    answer = benchlib.fit_scaling(study)
    answer.curves[0].points[-1].efficiency
    benchlib.executive_summary(study).caveats

Importing benchlib is cheap: each public name is imported when it is first used.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchlib.answers.bottleneck import bottleneck_answer
    from benchlib.answers.capacity import plan_capacity
    from benchlib.answers.comparison import compare, compare_study
    from benchlib.answers.effects import analyse_effects
    from benchlib.answers.executive import executive_summary
    from benchlib.answers.latency import latency_answer
    from benchlib.answers.quality import assess_quality
    from benchlib.answers.samples import summarise_samples
    from benchlib.answers.scaling import fit_scaling
    from benchlib.answers.serialise import to_dict, to_frame
    from benchlib.answers.targets import check_targets
    from benchlib.errors import BenchlibError
    from benchlib.formats.load import load
    from benchlib.study import open_study

__version__ = "0.1.0"

_HOMES = {
    "BenchlibError": "benchlib.errors",
    "assess_quality": "benchlib.answers.quality",
    "bottleneck_answer": "benchlib.answers.bottleneck",
    "check_targets": "benchlib.answers.targets",
    "compare": "benchlib.answers.comparison",
    "compare_study": "benchlib.answers.comparison",
    "analyse_effects": "benchlib.answers.effects",
    "executive_summary": "benchlib.answers.executive",
    "fit_scaling": "benchlib.answers.scaling",
    "latency_answer": "benchlib.answers.latency",
    "load": "benchlib.formats.load",
    "open_study": "benchlib.study",
    "plan_capacity": "benchlib.answers.capacity",
    "summarise_samples": "benchlib.answers.samples",
    "to_dict": "benchlib.answers.serialise",
    "to_frame": "benchlib.answers.serialise",
}

__all__ = [
    "BenchlibError",
    "analyse_effects",
    "assess_quality",
    "bottleneck_answer",
    "check_targets",
    "compare",
    "compare_study",
    "executive_summary",
    "fit_scaling",
    "latency_answer",
    "load",
    "open_study",
    "plan_capacity",
    "summarise_samples",
    "to_dict",
    "to_frame",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'benchlib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if "IPython" in sys.modules:
    # In a notebook, answers shown on the last line of a cell should look like answers.
    from benchlib.display import register

    register()
