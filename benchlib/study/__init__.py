"""A study: a folder of raw results, what it is, and what is asked of it.

::

    study.toml ── toml_lines ── model (StudyFile) ─┐
    raw files ─── benchlib.formats.load ───────────┴─ open ── Study

`open_study` is the way in; a `Study` holds the results and the plans, and computes nothing.
"""

from __future__ import annotations

from benchlib.study.model import (
    About,
    BreakdownPlan,
    ClaimPlan,
    ClaimRule,
    ComparisonPlan,
    ControlPlan,
    CurvePlan,
    Exclusion,
    Study,
    TargetPlan,
    read_control,
)
from benchlib.study.open import open_study
from benchlib.study.quantities import Growth, Limit, NodePlan, Target

__all__ = [
    "About",
    "BreakdownPlan",
    "ClaimPlan",
    "ClaimRule",
    "ComparisonPlan",
    "ControlPlan",
    "CurvePlan",
    "Exclusion",
    "Growth",
    "Limit",
    "NodePlan",
    "Study",
    "Target",
    "TargetPlan",
    "open_study",
    "read_control",
]
