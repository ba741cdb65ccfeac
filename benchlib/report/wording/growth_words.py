"""How far throughput grows from the smallest level to the largest, where no law is asked for: sentences, a table."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.latency import BenchmarkGrowth, Growth
from benchlib.report.wording.curve_words import at_level
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import table
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import count, evident_figure, figure, interval
from benchlib.units import confidence, percent


def growth_finding(found: BenchmarkGrowth, axis: str) -> Told:
    """Say how far a benchmark with two levels grows: its middle curve, and the range of all."""
    one = found.middle
    line = told(
        f"From {one.before:g} to {at_level(axis, one.after)} throughput of {one.name} goes from "
        f"{figure(one.throughput_before)} to {figure(one.throughput_after)}, {figure(one.factor)} "
        f"({growth_certainty(one)}): an efficiency of {percent(one.efficiency)}",
        one.evidence,
    )
    return line if found.curves == 1 else joined([line, "; it is ", growth_range(found)])


def growth_range(found: BenchmarkGrowth) -> Told:
    """Place the curve that is told among all of its benchmark."""
    which = "the middle one" if found.curves > 2 else "one"
    ends = [told(f"{end.factor.value:.2f}x", end.evidence) for end in (found.lowest, found.highest)]
    curves = told(f"{which} of {count(found.curves, 'curve')}, which grow ", found.evidence)
    return joined([curves, joined(ends, " to ")])


def growth_certainty(one: Growth) -> str:
    """Say how sure the growth of a curve is."""
    sizes = _sizes(one)
    return f"{interval(one.factor)}, {sizes}" if one.factor.has_interval else f"{sizes}, no interval"


def _sizes(one: Growth) -> str:
    before, after = one.throughput_before.n, one.throughput_after.n
    return f"n = {before} each" if before == after else f"n = {before} and {after}"


def growth_table(growths: Sequence[Growth], axis: str) -> Table:
    """Throughput at the smallest and at the largest level of each curve, and the efficiency between them."""
    # Said in every row, the level would make the table wider than the page.
    level = confidence(growths[0].factor.confidence_level)
    return table(
        f"Throughput from the smallest to the largest level of {axis}",
        ("curve", axis, "throughput", "grows to", "factor", f"{level} interval", "efficiency", "n"),
        (
            (
                one.name,
                evident(f"{one.before:g} to {one.after:g}", one.evidence),
                evident_figure(one.throughput_before, one.evidence),
                evident_figure(one.throughput_after, one.evidence),
                evident_figure(one.factor, one.evidence),
                evident(interval(one.factor).removeprefix(f"{level}: "), one.evidence, one.factor.low)
                if one.factor.has_interval
                else "none",
                evident(percent(one.efficiency), one.evidence, one.efficiency),
                evident(f"{one.throughput_before.n} + {one.throughput_after.n}", one.evidence),
            )
            for one in growths
        ),
    )
