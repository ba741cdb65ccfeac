"""A study: a folder of raw results, what it is, and what is asked of it.

::

    study.toml ── lines ── section ── definition ─┐
    raw files ── benchlib.formats.load ───────────┴─ checking ── opening ── Study

`open_study` is the way in; a `Study` holds the results and the plans, and computes nothing.
"""

from __future__ import annotations

from benchlib.study.capacity import CapacityPlan
from benchlib.study.capacity_nodes import NodePlan
from benchlib.study.capacity_words import Growth, Limit, Target
from benchlib.study.claims import About, ClaimPlan, ClaimRule
from benchlib.study.opened import Study
from benchlib.study.opening import PROJECT_ROOT, open_study
from benchlib.study.plans import (
    BreakdownPlan,
    ChoicePlan,
    ComparisonPlan,
    ControlPlan,
    CurvePlan,
    Descriptions,
    EffectsPlan,
    Exclusion,
    Fact,
    LatencyPlan,
    Lead,
    ScalingPlan,
    TargetPlan,
    read_control,
)

__all__ = [
    "PROJECT_ROOT",
    "About",
    "BreakdownPlan",
    "CapacityPlan",
    "ChoicePlan",
    "ClaimPlan",
    "ClaimRule",
    "ComparisonPlan",
    "ControlPlan",
    "CurvePlan",
    "Descriptions",
    "EffectsPlan",
    "Exclusion",
    "Fact",
    "Growth",
    "LatencyPlan",
    "Lead",
    "Limit",
    "NodePlan",
    "ScalingPlan",
    "Study",
    "Target",
    "TargetPlan",
    "open_study",
    "read_control",
]
