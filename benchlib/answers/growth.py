"""How far throughput grows from the smallest level of a sweep to its largest: of two levels a factor, and no law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from benchlib.answers.evidence import Evidence, gather_all, pool
from benchlib.answers.grouping import cells
from benchlib.answers.throughput import as_rates
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.samples import median_of_few, ratio_of_few

__all__ = ["BenchmarkGrowth", "Growth", "measure_growth", "of_benchmark"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """From the smallest level of one curve to its largest.

    Attributes
    ----------
    name : str
        The benchmark, and what tells the curve apart.
    before, after : float
        The two concurrencies.
    levels : int
        How many were measured, these two among them.
    throughput_before, throughput_after : Estimate
    factor : Estimate
        The second over the first, unit ``"x"``; no interval where one of them was measured once.
    efficiency : float
        The factor by that of the concurrencies.
    evidence : Evidence
        The rows of the two levels.
    """

    name: str
    before: float
    after: float
    levels: int
    throughput_before: Estimate
    throughput_after: Estimate
    factor: Estimate
    efficiency: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkGrowth:
    """How far one benchmark grows over all of its curves.

    Attributes
    ----------
    benchmark : str
    curves : int
    lowest, middle, highest : Growth
        By their factors; of an even number of curves the lower one is in the middle.
    evidence : Evidence
        Of all curves.
    """

    benchmark: str
    curves: int
    lowest: Growth
    middle: Growth
    highest: Growth
    evidence: Evidence


def measure_growth(rows: pd.DataFrame, axis: str, *, name: str, confidence_level: float) -> Growth | None:
    """Return how far throughput grows over the levels of one curve.

    None of one level, of several units, and where not every throughput is above 0.

    Parameters
    ----------
    rows : pandas.DataFrame
        Of the metric that tells throughput.
    axis : str
        The column that is concurrency.
    name : str
        Of the curve.
    confidence_level : float

    Examples
    --------
    >>> rows = pd.DataFrame({"workers": [1, 2], "value": [60.0, 105.0], "source": "a.txt", "line": [1, 2]})
    >>> rows = rows.assign(unit="op/sec", metric="throughput")
    >>> found = measure_growth(rows, "workers", name="B", confidence_level=0.95)
    >>> found.factor.value, found.efficiency
    (1.75, 0.875)
    """
    levels = sorted(((float(key[axis]), here) for key, here in cells(rows, [axis])), key=lambda one: one[0])
    if len(levels) < 2 or (rows["value"] <= 0).any() or rows["unit"].nunique() > 1:
        return None
    (before, first), (after, last) = levels[0], levels[-1]
    (slow, unit), (fast, _) = (
        as_rates(one["value"].to_numpy(dtype=float), str(one["unit"].iloc[0])) for one in (first, last)
    )
    factor = ratio_of_few(slow, fast, confidence_level)
    told = "one over the median time" if unit != str(rows["unit"].iloc[0]) else "the median throughput"
    return Growth(
        name=name,
        before=before,
        after=after,
        levels=len(levels),
        throughput_before=median_of_few(slow, unit, confidence_level),
        throughput_after=median_of_few(fast, unit, confidence_level),
        factor=factor,
        efficiency=factor.value / (after / before),
        evidence=gather_all(
            [first, last],
            f"X(N) is {told} at {axis} N; the factor is X({after:g}) / X({before:g}), the efficiency the factor over "
            f"{after:g} / {before:g}",
        ),
    )


def of_benchmark(benchmark: str, growths: Sequence[Growth]) -> BenchmarkGrowth | None:
    """Return the growth of a benchmark all of whose curves have the same two levels; None of any other."""
    if not growths or len({(one.before, one.after) for one in growths}) > 1 or any(one.levels > 2 for one in growths):
        return None
    ordered = sorted(growths, key=lambda one: one.factor.value)
    return BenchmarkGrowth(
        benchmark=benchmark,
        curves=len(ordered),
        lowest=ordered[0],
        middle=ordered[(len(ordered) - 1) // 2],
        highest=ordered[-1],
        evidence=pool(
            (one.evidence for one in growths),
            "curve by curve the factor of throughput; then the least, the middle and the most of these",
        ),
    )
