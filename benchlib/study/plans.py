"""What a study asks of its results, as frozen answers of ``study.toml``.

Every plan holds words, not data: conditions as they were written, names of columns and metrics.
An empty tuple or text means "not stated"; who asks the question chooses what that means. What is asked of
capacity and of claims stands beside the way it is read, in `benchlib.study.capacity` and `benchlib.study.claims`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "BreakdownPlan",
    "ChoicePlan",
    "ComparisonPlan",
    "ControlPlan",
    "CurvePlan",
    "Descriptions",
    "EffectsPlan",
    "Exclusion",
    "Fact",
    "LatencyPlan",
    "Lead",
    "ScalingPlan",
    "TargetPlan",
    "read_control",
]

#: One environment fact.
Fact = str | int | float | bool

#: A question that an executive summary can lead with.
Lead = Literal["scaling", "comparison", "effects", "latency"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePlan:
    """One scaling curve: the rows of a condition, seen through one metric."""

    name: str
    where: str
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Rows kept out of every scaling curve, and the reason to tell."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPlan:
    """How throughput is to be read against concurrency.

    Attributes
    ----------
    concurrency : str
        The axis that is N; empty where none is stated and the results do not show exactly one.
    by : tuple of str
        Columns whose levels make separate curves; empty for every axis that varies while the
        concurrency stands still.
    weights : {"auto", "relative", "replicates", "none"}
        How the laws are fitted; ``auto`` where the study does not say.
    weak : bool
        Whether the work grows with the concurrency.
    same_work : bool
        Whether the curves measure one sweep in different ways, so that they ought to agree.
    today : float or None
        The concurrency at which the service runs now.
    curves : tuple of CurvePlan
        Empty for one curve per level of `by`.
    exclusions : tuple of Exclusion
    """

    concurrency: str
    by: tuple[str, ...]
    weights: Literal["auto", "relative", "replicates", "none"]
    weak: bool
    same_work: bool
    today: float | None
    curves: tuple[CurvePlan, ...]
    exclusions: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsPlan:
    """Which factors are to explain which metrics, in which rows.

    Attributes
    ----------
    factors, metrics, by : tuple of str
    where : str
    baselines : mapping of str to level
        What the other levels of a factor are held against.
    """

    factors: tuple[str, ...]
    metrics: tuple[str, ...]
    by: tuple[str, ...]
    where: str
    baselines: Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownPlan:
    """A benchmark whose work contains that of others.

    Attributes
    ----------
    name : str
    whole : str
        The benchmark that contains the parts.
    parts : tuple of str
        Benchmarks of the parts.
    estimated : mapping of str to float
        Shares of the whole, 0 to 1, that the author estimated for parts without a benchmark.
    profile : str
        A profile of the whole (``go tool pprof -top``), relative to the study; empty without one.
    profiled : mapping of str to float
        The share of each package in that profile, largest first; empty until the study is opened.
    where : str
        The rows that take part.
    metrics : tuple of str
    by : tuple of str
        Columns whose levels make separate wholes.
    """

    name: str
    whole: str
    parts: tuple[str, ...]
    estimated: Mapping[str, float]
    profile: str
    profiled: Mapping[str, float]
    where: str
    metrics: tuple[str, ...]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicePlan:
    """A setting to choose: the levels of one column, ranked by several metrics.

    Attributes
    ----------
    name : str
    factor : str
        The column whose levels are the settings.
    where : str
    metrics : tuple of str
        Empty for those that the answer knows to judge a service by.
    by : tuple of str
        Columns whose levels are separate contexts: workload, number of workers.
    """

    name: str
    factor: str
    where: str
    metrics: tuple[str, ...]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlan:
    """Rows that a change cannot have touched.

    Attributes
    ----------
    where : str
        Their condition.
    speaks_for : str
        The condition of the rows they were named for; empty for the rows they were recorded in turn with.
    """

    where: str
    speaks_for: str


def read_control(text: str) -> ControlPlan:
    """Split a control such as ``"pkg=*/filter for pkg=*/pgn"``.

    Examples
    --------
    >>> read_control("pkg=*/filter for pkg=*/pgn")
    ControlPlan(where='pkg=*/filter', speaks_for='pkg=*/pgn')
    """
    where, _, named = f" {text} ".partition(" for ")
    return ControlPlan(where=where.strip(), speaks_for=named.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan:
    """Levels of one column set against each other.

    Attributes
    ----------
    name, question : str
    column : str
        The column whose levels are compared: ``run``, ``benchmark``, an axis.
    baselines : tuple of str
        At least one level; several make as many comparisons.
    candidates : tuple of str
        Empty for every level that is not a baseline.
    where : str
        The rows that take part.
    metrics : tuple of str
        Empty for every metric that both sides have.
    by : tuple of str
        Columns that make separate rows of the answer.
    ignore : tuple of str
        Columns that make no rows of their own.
    controls : tuple of ControlPlan
    sequential : bool or None
        Whether one side was recorded after the other; None where not recorded.
    runs_differ : bool
        Whether runs are no repeats of each other, so that a cell says so where it pools them.
    """

    name: str
    question: str
    column: str
    baselines: tuple[str, ...]
    candidates: tuple[str, ...]
    where: str
    metrics: tuple[str, ...]
    by: tuple[str, ...]
    ignore: tuple[str, ...]
    controls: tuple[ControlPlan, ...]
    sequential: bool | None
    runs_differ: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPlan:
    """A bound or range that a metric is to keep.

    Attributes
    ----------
    name, where, metric : str
    low, high : float or None
        The bounds in base units; None where that side is open.
    unit : str
        The base unit of the metric that was bounded.
    text : str
        The bound as it was written: ``"at most 8 ns"``.
    """

    name: str
    where: str
    metric: str
    low: float | None
    high: float | None
    unit: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyPlan:
    """Where the percentiles stand, and the rows whose time or mean latency goes with them."""

    where: str
    mean: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptions:
    """What benchmarks and axis levels stand for, in words."""

    benchmarks: Mapping[str, str]
    levels: Mapping[str, Mapping[str, str]]
