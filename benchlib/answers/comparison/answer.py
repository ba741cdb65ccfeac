"""What a comparison says: rows with verdicts, what the machine did meanwhile, and what all rows did together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchlib.answers.evidence import Evidence
from benchlib.caveats import Caveat
from benchlib.metrics import Better
from benchlib.statistics.compare import SampleComparison, Verdict
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.stability import ControlNull

__all__ = [
    "ComparisonAnswer",
    "ComparisonRow",
    "ControlAnswer",
    "Geomean",
    "LostAdvantage",
    "Order",
    "Reason",
    "SideFacts",
]

#: How the sides were recorded: in turn, one after the other, or in an order that nothing tells.
Order = Literal["interleaved", "sequential", "unknown"]

#: Why a row has no verdict that its own numbers would give, or none at all; empty where they decide.
Reason = Literal[
    "",
    "too few values",
    "smaller than matters",
    "not shown to exceed",
    "one of many",
    "within what controls did",
    "controls moved",
    "no control speaks for it",
    "all rows moved alike",
    "moved while recorded",
    "fixed cost",
    "no interval",
    "no direction",
    "control",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One metric of one cell, candidate against baseline.

    Attributes
    ----------
    key : mapping
        What both sides share.
    metric, unit : str
    better : {"higher", "lower"} or None
        Which way the metric improves; a row of which that is not known is neither better nor worse.
    baseline, candidate : str
        The two levels compared.
    comparison : SampleComparison
        Medians, ratio and difference with their intervals, p value. The interval of the ratio of a row that
        Benjamini-Hochberg picks out is at the false-coverage-adjusted level that decides; its estimate says which.
    adjusted_pvalue : float
        Benjamini-Hochberg over all rows of the comparison that could differ; NaN for the others.
    beyond_pvalue : float
        The same of the candidate scaled back by the smallest effect: whether the row differs by more.
    verdict : {"better", "worse", "same", "cannot tell"}
        After controls and guards.
    own_verdict : {"better", "worse", "same", "cannot tell"}
        What the row says where the machine is taken to have stood still.
    reason : str
        Why `verdict` is not `own_verdict`, or why it is "cannot tell".
    against_controls : Estimate or None
        The ratio over the mean ratio of the controls that speak for this row, with the interval that their
        spread leaves; None where none does.
    detectable : float
        The smallest relative change that this many values would show in 4 runs of 5; infinite where they
        can show none.
    steady_detectable : float
        What `detectable` would be had the values not moved steadily while they were recorded; NaN where they are
        not seen to.
    more : int or None
        How many more values a side would decide the row, at the spread seen; None where it is decided, or
        where more of the same would not help.
    noticeable : bool
        Whether the difference may be told as one: its interval leaves 1 out or, where too few
        repeats give no interval, each ratio of `ratio_by_run` exceeds 5 % in its direction; where there are none,
        it exceeds what runs of the same code differ by in this study (5 % where nothing was repeated).
    amortised : bool
        Whether both sides spend the same in total, so that the difference comes from the number
        of operations alone.
    control : bool
        Whether the change cannot affect this row.
    ratio_by_run : mapping of str to float
        Candidate over baseline within each run that holds both; empty when runs are compared.
    run_evidence : mapping of str to Evidence
        The rows of each of these runs alone.
    baseline_values, candidate_values : tuple of float
        In the order of recording, in `unit`.
    baseline_positions, candidate_positions : tuple of int
        Where each value stands in the order of its recording; comparable between rows of one side.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    better: Better
    baseline: str
    candidate: str
    comparison: SampleComparison
    adjusted_pvalue: float
    beyond_pvalue: float
    verdict: Verdict
    own_verdict: Verdict
    reason: Reason
    against_controls: Estimate | None
    detectable: float
    steady_detectable: float
    more: int | None
    noticeable: bool
    amortised: bool
    control: bool
    ratio_by_run: Mapping[str, float]
    run_evidence: Mapping[str, Evidence]
    baseline_values: tuple[float, ...]
    candidate_values: tuple[float, ...]
    baseline_positions: tuple[int, ...]
    candidate_positions: tuple[int, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlAnswer:
    """What one control of the question did in one metric, and for which rows it speaks.

    Attributes
    ----------
    condition : str
        The rows that the change cannot affect, as written.
    speaks_for : str
        The rows it was named for, as written; empty for those it was recorded in turn with.
    metric, baseline, candidate : str
    null : ControlNull
        Centre and spread of the log ratios of its rows.
    rows, moved : int
        How many rows it has, and how many of them differ by themselves (Benjamini-Hochberg over them).
    judged : int
        How many other rows it speaks for.
    evidence : Evidence
        Of its own rows in this metric, and of no other.
    """

    condition: str
    speaks_for: str
    metric: str
    baseline: str
    candidate: str
    null: ControlNull
    rows: int
    moved: int
    judged: int
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Geomean:
    """The geometric mean of one metric over the rows of a pair, controls among them.

    Attributes
    ----------
    metric, unit, baseline, candidate : str
    baseline_mean, candidate_mean : float
        Of the medians, in `unit`; NaN where a median is not above 0.
    ratio : float
        Geometric mean of the ratios of the rows.
    rows : int
        That both sides have.
    """

    metric: str
    unit: str
    baseline: str
    candidate: str
    baseline_mean: float
    candidate_mean: float
    ratio: float
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LostAdvantage:
    """An advantage at the first level of an axis, and how much of it is gone at another one.

    Attributes
    ----------
    axis : str
    first, elsewhere : int
        The rows of the comparison at the first level and at the other.
    share : float
        Of the advantage at the first level, on logarithms: 1 where none is left, more where it is a loss, below 0
        where it is larger there.
    """

    axis: str
    first: int
    elsewhere: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFacts:
    """One side of a comparison: where it came from and on which machine.

    Attributes
    ----------
    name : str
    files : tuple of str
    values : int
    machine : mapping of str to str
        What its results state of machine and toolchain: cpu, goos, goarch, gomaxprocs, kernel, go version.
    """

    name: str
    files: tuple[str, ...]
    values: int
    machine: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonAnswer:
    """One comparison, all its rows.

    Attributes
    ----------
    name, question, column : str
    sides : tuple of SideFacts
        The baselines first.
    rows : sequence of ComparisonRow
        By pair, then metric, then key. Made when they are asked for: 20,000 are normal.
    missing : tuple of str
        Cells that only one side has.
    uncompared : tuple of str
        All of them in a few words: ``19 benchmarks only in old``.
    geomeans : tuple of Geomean
        One a pair and metric with more than one row.
    lost : tuple of LostAdvantage
        What becomes of an advantage at other levels of an axis; empty where the rows are many.
    order : {"interleaved", "sequential", "unknown"}
    controls : tuple of ControlAnswer
    significance_level, confidence_level, min_effect : float
    caveats : tuple of Caveat
        Most serious first.
    """

    name: str
    question: str
    column: str
    sides: tuple[SideFacts, ...]
    rows: Sequence[ComparisonRow]
    missing: tuple[str, ...]
    uncompared: tuple[str, ...]
    geomeans: tuple[Geomean, ...]
    lost: tuple[LostAdvantage, ...]
    order: Order
    controls: tuple[ControlAnswer, ...]
    significance_level: float
    confidence_level: float
    min_effect: float
    caveats: tuple[Caveat, ...]
