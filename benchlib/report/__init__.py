"""Telling: an executive summary as sections of a page, and a notebook as an offline page.

::

    ExecutiveSummary -> headline, scaling, ... (sections) -> notebook -> execution -> export -> page
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchlib.report.sections import (
        bottleneck,
        caveats,
        claims,
        comparison,
        effects,
        environment,
        headline,
        key_results,
        latency,
        method,
        provenance,
        quality,
        recommendation,
        scaling,
        tables,
        tested,
    )
    from benchlib.report.wording.record import record

__all__ = [
    "bottleneck",
    "caveats",
    "claims",
    "comparison",
    "effects",
    "environment",
    "headline",
    "key_results",
    "latency",
    "method",
    "provenance",
    "quality",
    "recommendation",
    "record",
    "scaling",
    "tables",
    "tested",
]


def __getattr__(name: str) -> Any:
    # Sections draw with plotly; running a notebook from the command line needs none of it.
    if name == "record":
        return importlib.import_module("benchlib.report.wording.record").record
    if name in __all__:
        return getattr(importlib.import_module("benchlib.report.sections"), name)
    raise AttributeError(f"module 'benchlib.report' has no attribute {name!r}")
