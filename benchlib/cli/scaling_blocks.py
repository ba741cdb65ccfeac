"""What ``benchlib scaling`` tells a reader: a block for each curve, one for serial twins, one for all curves."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.asking import Refusal
from benchlib.answers.bottleneck import BottleneckAnswer
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.cli.blocks import Block, Grid
from benchlib.cli.numbers import NONE, figure, interval, number
from benchlib.cli.reading_blocks import reading_grid, reading_lines
from benchlib.scaling.choose import BackTest
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS
from benchlib.scaling.points import serial_meaning
from benchlib.significant_digits import between
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent, scaled, show


def scaling_blocks(answer: ScalingAnswer, bottleneck: BottleneckAnswer | Refusal) -> tuple[Block, ...]:
    """Return what a reader is told: a block for each curve, one for serial twins, one for what concerns all."""
    twins = () if isinstance(bottleneck, Refusal) else (_twins_block(bottleneck),)
    return (*(_curve_block(curve) for curve in answer.curves), *twins, _last_block(answer))


def _twins_block(answer: BottleneckAnswer) -> Block:
    """What workers lose together, against as many serial calls."""
    losses = [("twins", row.sentence) for row in answer.rows]
    return Block(
        title="Shared structures: parallel benchmarks against as many of their serial twins",
        grids=(),
        lines=(*losses, *((caveat.severity, f"{caveat.message}. {caveat.advice}") for caveat in answer.caveats)),
    )


def _curve_block(curve: CurveAnswer) -> Block:
    levels, unit = [point.concurrency for point in curve.points], curve.curve.unit or "plain numbers"
    measured = sum(point.n for point in curve.points)
    grids = [_points_grid(curve), _laws_grid(curve), _criteria_grid(curve)]
    if curve.split:
        grids.insert(1, _time_grid(curve))
    if curve.readings is not None and curve.readings.at:
        grids.append(reading_grid(curve.axis, curve.readings))
    if curve.averaged is not None:
        grids.append(_averaged_grid(curve))
    return Block(
        title=f"{curve.name}: {unit} by {curve.axis}, {len(levels)} levels from {levels[0]:g} to {levels[-1]:g}, "
        f"{measured} measurements, {_shape(curve)}",
        grids=tuple(grids),
        lines=tuple(_curve_lines(curve)),
    )


def _shape(curve: CurveAnswer) -> str:
    faster = curve.choice is not None and curve.choice.superlinear
    return "superlinear" if faster and curve.shape.kind in ("linear", "unclear") else curve.shape.kind


def _points_grid(curve: CurveAnswer) -> Grid:
    level = confidence(curve.points[0].throughput.confidence_level)
    # The unit is said once, as the head: with it in every cell the table would not fit a terminal.
    most = max(point.throughput.value for point in curve.points)
    unit = scaled(most, curve.curve.unit)[1] or "throughput"
    heads = (curve.axis, "n", unit, f"{level} interval", "speedup", "efficiency", "step", "serial fraction")
    rows = (
        (
            f"{point.concurrency:g}",
            str(point.n),
            figure(point.throughput, like=most),
            interval(point.throughput, like=most),
            f"{point.speedup:.2f}x",
            percent(point.efficiency, 1),
            percent(point.step_efficiency, 1),
            _plain(point.serial_fraction, 4),
        )
        for point in curve.points
    )
    return Grid(heads=heads, rows=tuple(rows), words=0)


def _time_grid(curve: CurveAnswer) -> Grid:
    """Where the time goes by the chosen law: the shares sum to the whole."""
    parts = tuple(curve.split[0].shares)
    law = curve.chosen.law if curve.chosen else ""
    time = curve.curve.unit.partition("/")[2]
    rows = (
        (
            f"{split.concurrency:g}",
            show(split.latency, time, 4),
            *(percent(split.shares[name], 1) for name in parts),
        )
        for split in curve.split
    )
    heads = (curve.axis, f"N/X by {law}", *(f"{name.replace('_', ' ')}" for name in parts))
    return Grid(heads=heads, rows=tuple(rows), words=0)


def _laws_grid(curve: CurveAnswer) -> Grid:
    rows = []
    for fit in curve.fits:
        name = f"{fit.law} *" if fit is curve.chosen else fit.law
        for quantity, estimate in _estimates(fit):
            error = number(estimate.standard_error, estimate.unit, 3)
            rows.append((name, quantity.replace("_", " "), figure(estimate), error, interval(estimate)))
            name = ""
    level = confidence(curve.points[0].throughput.confidence_level)
    return Grid(heads=("law", "quantity", "estimate", "error", f"{level} interval"), rows=tuple(rows), words=2)


def _estimates(fit: ScalingFit) -> Iterator[tuple[str, Estimate]]:
    yield from fit.parameters.items()
    for name in ("peak", "knee", "ceiling", "saturation_point"):
        estimate = getattr(fit, name)
        if estimate is not None:
            yield name, estimate


def _criteria_grid(curve: CurveAnswer) -> Grid:
    """The criteria side by side, for a reader who would decide otherwise."""
    rows = []
    for fit, tested in zip(curve.fits, curve.back_tests, strict=True):
        unit = fit.unit if fit.weights == "none" else "ratio"
        criteria = fit.criteria
        rows.append(
            (
                f"{fit.law} *" if fit is curve.chosen else fit.law,
                _plain(criteria.aicc, 2),
                _plain(criteria.aic, 2),
                NONE if math.isnan(criteria.loo_rmse) else show(criteria.loo_rmse, unit),
                show(fit.residual_standard_error, unit),
                NONE if math.isnan(fit.lack_of_fit) else f"{fit.lack_of_fit:.2g}",
                _worst(tested),
            )
        )
    heads = ("law", "AICc", "AIC", "leave-one-out", "residual error", "lack of fit p", "worst back-test")
    return Grid(heads=heads, rows=tuple(rows), words=1)


def _worst(tested: BackTest) -> str:
    errors = [miss.error for test_round in tested.rounds for miss in test_round.misses]
    return _signed(max(errors, key=abs)) if errors else NONE


def _averaged_grid(curve: CurveAnswer) -> Grid:
    """What the laws together predict where extrapolation was asked for."""
    band, unit = curve.averaged, curve.curve.unit
    if band is None:
        return Grid(heads=(), rows=(), words=0)
    limit = 2 * curve.points[-1].concurrency
    columns = (band.concurrency, band.throughput, band.low, band.high)
    rows = (
        (
            f"{n:g}",
            between(middle, low, high, unit, 4),
            " to ".join(between(end, low, high, unit, 4, like=middle) for end in (low, high)),
            f"beyond twice {curve.points[-1].concurrency:g}: a guess" if n > limit else "",
        )
        for n, middle, low, high in zip(*(column.tolist() for column in columns), strict=True)
    )
    heads = (curve.axis, "mean over the laws", f"{confidence(band.confidence_level)} band", "note")
    return Grid(heads=heads, rows=tuple(rows), words=0)


def _curve_lines(curve: CurveAnswer) -> Iterator[tuple[str, str]]:
    yield "chosen", curve.why
    if curve.choice:
        for test in curve.choice.tests:
            freedom = ", ".join(str(part) for part in test.degrees_of_freedom)
            yield (
                "F test",
                f"{LAWS[test.richer].title} against {LAWS[test.simpler].title}: "
                f"F({freedom}) = {test.statistic:.4g}, p = {test.pvalue:.3g}",
            )
        for rival in curve.choice.rivals:
            yield "rival", rival.message
    trend = curve.serial_trend
    if trend.kind in ("rising", "not shown to change") and curve.shape.kind != "plateau":
        plateau = curve.chosen is not None and curve.chosen.law == "plateau"
        yield (
            "serial",
            f"the serial fraction is {trend.kind}, {trend.first:.3g} to {trend.last:.3g}: "
            f"{serial_meaning(trend, plateau=plateau)}",
        )
    if curve.readings is not None:
        yield from reading_lines(curve.readings)
    yield from _back_test_lines(curve)
    for fit in dict.fromkeys(curve.refused_fits):
        yield "refused", fit
    for advice, command in list(zip(curve.advice, curve.commands, strict=True))[:1]:
        # Without an end to compare with there is no share: the interval to expect is told.
        promise = (
            f"to expect is {interval(advice.expected)}"
            if math.isnan(advice.shrink)
            else f"shrinks to {percent(advice.shrink)}"
        )
        yield (
            "next",
            f"for the {advice.quantity.replace('_', ' ')}, whose interval {promise} in {advice.seconds:g} s: {command}",
        )


def _back_test_lines(curve: CurveAnswer) -> Iterator[tuple[str, str]]:
    tested = next((test for test in curve.back_tests if curve.chosen and test.law == curve.chosen.law), None)
    if tested is None:
        return
    for test_round in tested.rounds:
        misses = ", ".join(
            f"{miss.concurrency:g} by {_signed(miss.error)}{'' if miss.inside else ' (outside its interval)'}"
            for miss in test_round.misses
        )
        yield (
            "back-test",
            f"{tested.law} from the first {test_round.levels} levels, up to {test_round.up_to:g}, misses {misses}",
        )
    if tested.refused:
        yield "back-test", tested.refused


def _last_block(answer: ScalingAnswer) -> Block:
    lines: list[tuple[str, str]] = []
    for comparison in answer.comparisons:
        result = comparison.comparison
        differences = "; ".join(
            f"{name} {_signed_number(value.value)} ({interval(value)})" for name, value in result.differences.items()
        )
        lines.append(
            (
                "compared",
                f"{result.name.replace('_', ' ')} by {comparison.law} over {len(comparison.curves)} curves: "
                f"{result.verdict}, p = {result.pvalue:.2g}; against {comparison.curves[0]}: {differences}",
            )
        )
    lines += [("refused", f"{refusal.reason}; {refusal.advice}") for refusal in answer.refusals]
    lines += [(caveat.severity, f"{caveat.message}. {caveat.advice}") for caveat in answer.caveats]
    cores = "unknown" if answer.cores is None else str(answer.cores)
    return Block(title=f"All curves: {answer.axis}, cores {cores}", grids=(), lines=tuple(lines))


def _plain(value: float, digits: int) -> str:
    return NONE if math.isnan(value) else f"{value:.{digits}f}"


def _signed(share: float) -> str:
    return f"{100 * share:+.1f} %"


def _signed_number(value: float) -> str:
    return f"{value:+.4g}"
