"""What a study is once it is opened: its words and facts, its results, and all that is asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchlib.results import Results
from benchlib.study.capacity import CapacityPlan
from benchlib.study.claims import ClaimPlan
from benchlib.study.plans import (
    BreakdownPlan,
    ChoicePlan,
    ComparisonPlan,
    Descriptions,
    EffectsPlan,
    Fact,
    LatencyPlan,
    Lead,
    ScalingPlan,
    TargetPlan,
)

__all__ = ["Study"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """A folder of results, what it is, and what is asked of it.

    Attributes
    ----------
    path : pathlib.Path
        The folder (or the single file) that was opened.
    name : str
        Its last part.
    title, question, tested, origin : str
        In the words of ``study.toml``; the title falls back to the name.
    titled : bool
        Whether ``study.toml`` gave the title.
    lead : tuple of str
        The questions that the executive summary leads with; empty where ``study.toml`` names none.
    notes, commands : tuple of str
    environment : mapping
        Recorded facts, the known ones first and in a fixed order; what is absent was not recorded.
    where : str
        The condition that narrowed `results`; empty where they are the whole.
    whole : Results
        All that was read, before it was narrowed.
    results : Results
    parallel : tuple of str
        Globs of benchmarks whose time per operation is wall time over the operations of
        parallel work, so that its inverse is a throughput.
    scaling : ScalingPlan
    effects : EffectsPlan
    breakdowns : tuple of BreakdownPlan
    choices : tuple of ChoicePlan
    comparisons : tuple of ComparisonPlan
    targets : tuple of TargetPlan
    claims : tuple of ClaimPlan
    latency : LatencyPlan
    capacity : CapacityPlan
    descriptions : Descriptions
    definition_sha256 : str
        Hash of ``study.toml``; empty where there is none.
    """

    path: Path
    name: str
    title: str
    titled: bool
    question: str
    tested: str
    origin: str
    lead: tuple[Lead, ...]
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    environment: Mapping[str, Fact]
    where: str
    whole: Results
    results: Results
    parallel: tuple[str, ...]
    scaling: ScalingPlan
    effects: EffectsPlan
    breakdowns: tuple[BreakdownPlan, ...]
    choices: tuple[ChoicePlan, ...]
    comparisons: tuple[ComparisonPlan, ...]
    targets: tuple[TargetPlan, ...]
    claims: tuple[ClaimPlan, ...]
    latency: LatencyPlan
    capacity: CapacityPlan
    descriptions: Descriptions
    definition_sha256: str
