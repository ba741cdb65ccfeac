"""Scaling answers as tables of words: points, fits, time, advice, and what several curves say together."""

from __future__ import annotations

import math

from benchlib.answers.bottleneck import BottleneckAnswer
from benchlib.answers.pooled import twins_evidence
from benchlib.answers.scaling import (
    CurveAnswer,
    LawComparison,
    ScalingAnswer,
    curve_evidence,
    speedup_evidence,
    step_evidence,
)
from benchlib.report.wording.law_tables import parameter_number
from benchlib.report.wording.law_words import (
    level_words,
    parameter_name,
    time_unit,
)
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, known, number, table
from benchlib.report.wording.told import evident
from benchlib.report.wording.words import (
    LAW_NAMES,
    evident_figure,
    evident_interval,
    figure,
    interval,
    percent_decimals,
    share_decimals,
)
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS
from benchlib.scaling.points import ScalingPoint
from benchlib.significant_digits import written
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent, show


def _ends(estimate: Estimate, level: str) -> str:
    """Write the interval of a value that stands beside it: without its level and unit, which stand there too."""
    return interval(estimate).removeprefix(f"{level}: ").removesuffix(f" {figure(estimate).rpartition(' ')[2]}")


def curve_table(curve: CurveAnswer) -> Table:
    """Points of one scaling curve."""
    # Said in every row, it would make the table wider than the page.
    level = confidence(curve.points[0].throughput.confidence_level)
    return table(
        f"{curve.name}: throughput by {curve.axis}",
        (
            curve.axis,
            "n",
            "throughput",
            f"{level} interval",
            "speedup",
            "efficiency",
            "step efficiency",
            "serial fraction",
        ),
        (_point(curve, point, level) for point in curve.points),
    )


def _point(curve: CurveAnswer, point: ScalingPoint, level: str) -> tuple[str, ...]:
    at, ends = curve.evidence[point.concurrency], speedup_evidence(curve, point.concurrency)
    # An efficiency has the digits that the interval of the step to it leaves.
    step = next((one for one in curve.shape.steps if one.after == point.concurrency), None)
    decimals = percent_decimals(step.efficiency, step.low, step.high) if step is not None else 0
    return (
        f"{point.concurrency:g}",
        evident(str(point.n), at, point.n),
        evident_figure(point.throughput, at),
        evident(_ends(point.throughput, level), at, point.throughput.low),
        evident(f"{number(point.speedup)}x", ends, point.speedup),
        evident(percent(point.efficiency, decimals), ends, point.efficiency),
        known(percent(point.step_efficiency, decimals), step_evidence(curve, point.concurrency), point.step_efficiency),
        known(number(point.serial_fraction, 3), ends, point.serial_fraction),
    )


def fits_table(answer: ScalingAnswer) -> Table:
    """Laws fitted to every curve, their parameters and limits."""
    return table(
        "Fitted laws",
        ("curve", "law", "parameter", "estimate", "standard error", "interval", "choice"),
        (
            (
                curve.name,
                LAW_NAMES[fit.law],
                name.replace("_", " "),
                evident_figure(estimate, whole),
                known(parameter_number(estimate.standard_error, estimate.unit), whole, estimate.standard_error),
                evident_interval(estimate, whole),
                "chosen" if curve.chosen is fit else "",
            )
            for curve in answer.curves
            for whole in [curve_evidence(curve)]
            for fit in curve.fits
            for name, estimate in _estimates(fit)
        ),
        words=3,
    )


def _estimates(fit: ScalingFit) -> list[tuple[str, Estimate]]:
    limits = [("peak", fit.peak), ("knee", fit.knee), ("ceiling", fit.ceiling)]
    return [*fit.parameters.items(), *((name, one) for name, one in limits if one is not None)]


def split_table(curve: CurveAnswer) -> Table | None:
    """Where the time of one unit of work goes at each level; None without a law."""
    if not curve.split:
        return None
    parts, unit, whole = list(curve.split[0].parts), time_unit(curve), curve_evidence(curve)
    return table(
        f"{curve.name}: where the time goes, by {LAWS[curve.chosen.law].title if curve.chosen else 'law'}",
        (curve.axis, "time in the system", *(part.replace("_", " ") for part in parts)),
        (
            (
                f"{split.concurrency:g}",
                evident(show(split.latency, unit), whole, split.latency),
                *(
                    evident(
                        f"{show(split.parts[part], unit, like=split.latency)} ({percent(split.shares[part], 1)})",
                        whole,
                        split.parts[part],
                    )
                    for part in parts
                ),
            )
            for split in curve.split
        ),
    )


def advice_table(curve: CurveAnswer) -> Table | None:
    """What to measure next, best first; None where there is no advice."""
    if not curve.advice:
        return None
    quantity, whole = curve.advice[0].quantity.replace("_", " "), curve_evidence(curve)
    return table(
        f"{curve.name}: what would make the {quantity} surer",
        (curve.axis, "repetitions", "takes", "width now", "width expected", "of the width now"),
        (
            (
                f"{one.concurrency:g}",
                evident(str(one.repetitions), whole, one.repetitions),
                evident(show(one.seconds, "sec"), whole, one.seconds),
                evident(_width(one.present_width, one.now), whole, one.present_width),
                evident(_width(one.expected_width, one.now), whole, one.expected_width),
                evident(percent(one.shrink), whole, one.shrink) if math.isfinite(one.shrink) else NONE,
            )
            for one in curve.advice
        ),
    )


def _width(width: float, of: Estimate) -> str:
    if math.isinf(width):
        return "no end"
    return level_words(width) if of.unit in ("", "x", "ratio") else show(width, of.unit, like=of.value)


def changed_table(compared: LawComparison) -> Table:
    """One coefficient curve by curve, and what it differs by from the first."""
    found, first, evidence = compared.comparison, compared.curves[0], compared.evidence
    name = parameter_name(found.name)
    return table(
        f"{LAWS[compared.law].title}: {name} curve by curve",
        ("curve", name, "interval", "against the first", "interval of the difference"),
        (
            (
                curve,
                evident_figure(found.values[curve], evidence),
                evident_interval(found.values[curve], evidence),
                *(
                    (NONE, NONE)
                    if curve == first
                    else (
                        evident(_signed(found.differences[curve].value), evidence, found.differences[curve].value),
                        evident_interval(found.differences[curve], evidence),
                    )
                ),
            )
            for curve in compared.curves
        ),
    )


def _signed(value: float) -> str:
    return f"{value:+.4g}".replace("-", "−")


def bottleneck_table(answer: BottleneckAnswer) -> Table:
    """Serial benchmarks beside their parallel twins: what N workers lose together."""
    return table(
        "Parallel twins against N times one serial call",
        (
            "serial benchmark",
            answer.axis,
            "serial call",
            "ideal, N / t1",
            "measured",
            "share lost",
            "of its own N = 1",
            "verdict",
        ),
        (
            (
                row.name,
                evident(f"{row.concurrency:g}", twins_evidence(row), row.concurrency),
                evident_figure(row.loss.serial_time, row.serial_evidence),
                evident(
                    written(row.loss.ideal.value, row.loss.ideal, like=row.loss.measured.value),
                    row.serial_evidence,
                    row.loss.ideal.value,
                ),
                evident_figure(row.loss.measured, row.parallel_evidence),
                evident(_share(row.loss.share_lost), twins_evidence(row), row.loss.share_lost.value),
                NONE
                if row.own_loss is None
                else evident(percent(row.own_loss.value, 1), row.parallel_evidence, row.own_loss.value),
                row.verdict,
            )
            for row in answer.rows
        ),
    )


def _share(share: Estimate) -> str:
    if not share.has_interval:
        return f"{percent(share.value, 1)} (n = {share.n})"
    value, low, high = (percent(one, share_decimals(share)) for one in (share.value, share.low, share.high))
    return f"{value} ({low} to {high})"
