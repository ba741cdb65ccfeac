"""A fitted law in words: its coefficients, its limits, the criteria, and what became of its forecasts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.scaling import CurveAnswer, LawComparison, curve_evidence, speedup_evidence
from benchlib.report.wording.scaling_words import misfit_words
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import coefficient, count, listed, with_interval
from benchlib.scaling.choose import BackTest, Residuals
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS
from benchlib.scaling.points import serial_meaning
from benchlib.significant_digits import parting_digits, written
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent, show

__all__ = ["changed_words"]

_NAMES = {"servers": "servers that can work at once", "rate_at_one": "rate at one"}
#: What each part of the time is, for a sentence.
_PARTS = {
    "work": "work",
    "serial_fraction": "waiting for serial work",
    "contention": "waiting for one another (contention)",
    "coherency": "keeping one another informed (coherency)",
    "waiting": "waiting beyond the wall",
}


def parameter_name(name: str) -> str:
    """Return how a coefficient is called in a sentence.

    Examples
    --------
    >>> parameter_name("rate_at_one"), parameter_name("servers")
    ('rate at one', 'servers that can work at once')
    """
    return _NAMES.get(name, name.replace("_", " "))


def parameter_words(fit: ScalingFit, name: str) -> str:
    """Write a coefficient with its interval, or with its one-sided limit where it lies on its bound."""
    estimate = fit.parameters[name]
    if name in fit.on_bound:
        low_end = estimate.value <= estimate.low
        limit = estimate.high if low_end else estimate.low
        return (
            f"{coefficient(estimate.value)} (on its bound; at {'most' if low_end else 'least'} "
            f"{show(limit, '')}, one-sided at {confidence((1 + estimate.confidence_level) / 2)})"
        )
    return with_interval(estimate)


def limit_words(fit: ScalingFit, name: str) -> str:
    """Write peak, knee, ceiling or saturation point of a fit; what is infinite is said in words.

    Parameters
    ----------
    fit : ScalingFit
    name : {"peak", "knee", "ceiling", "saturation_point"}
    """
    estimate: Estimate | None = getattr(fit, name)
    largest = fit.measured_range[1]
    if estimate is None or math.isnan(estimate.value):
        return _none(fit, name)
    if math.isinf(estimate.value):
        beyond = f"; it would lie at {_number(estimate.low, estimate)} or beyond" if _bounded(estimate.low) else ""
        return f"not observable up to N = {largest:g}{beyond}"
    value = _number(estimate.value, estimate)
    if estimate.unit == "" and estimate.value > largest:
        value = f"{value}, beyond the largest level {largest:g}"
    level = confidence(estimate.confidence_level)
    if math.isfinite(estimate.low) and math.isfinite(estimate.high):
        return f"{value} ({level}: {_number(estimate.low, estimate)} to {_number(estimate.high, estimate)})"
    if _bounded(estimate.low):
        return f"{value} ({level}: at least {_number(estimate.low, estimate)}, no upper end)"
    return f"{value} (no interval)"


def _none(fit: ScalingFit, name: str) -> str:
    if name == "peak":
        return "none: this law never falls"
    if name == "knee":
        return "none before the peak" if fit.peak is not None else "none"
    return "none: this law grows without end" if fit.law in ("linear", "gustafson") else "not given for this law"


def _bounded(low: float) -> bool:
    return math.isfinite(low) and low > 0


def _number(value: float, estimate: Estimate) -> str:
    if estimate.unit == "":
        return level_words(value)
    return written(value, estimate, more=parting_digits(estimate))


def level_words(value: float) -> str:
    """Write a concurrency that a law gives: three digits are more than it knows.

    Examples
    --------
    >>> level_words(96.5196), level_words(1204.0), level_words(9.87)
    ('96.5', '1,204', '9.87')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def choice_words(curve: CurveAnswer) -> Told:
    """Say which law describes a curve and why, or why none does."""
    fit = curve.chosen
    whole = curve_evidence(curve)
    if fit is None:
        return told(f"No law is chosen: {curve.why.removeprefix('none: ')}", whole)
    # Of a plateau the reason itself says whether it misses its points.
    return told(curve.why if fit.law == "plateau" else f"{curve.why}{misfit_words(fit)}", whole)


def pvalue_words(pvalue: float) -> str:
    """Write a P value with its sign of comparison.

    Examples
    --------
    >>> pvalue_words(0.0177), pvalue_words(1e-5)
    ('= 0.018', '< 0.001')
    """
    return "not known" if math.isnan(pvalue) else "< 0.001" if pvalue < 0.001 else f"= {pvalue:.3f}"


def serial_findings(curves: Sequence[CurveAnswer]) -> list[Told]:
    """Say what the serial fraction of each curve does, and what that means; once for those it is silent on."""
    lines = [
        told(f"{one.name}: {_serial(one)}", curve_evidence(one)) for one in curves if one.serial_trend.kind != "unknown"
    ]
    silent: dict[str, list[str]] = {}
    for one in curves:
        if one.serial_trend.kind == "unknown":
            why = "there is no level 1" if one.points[0].concurrency != 1 else "it takes 3 levels above 1"
            silent.setdefault(why, []).append(one.name)
    return lines + [
        Told(f"{several(names)}: whether the serial fraction rises cannot be told: {why}")
        for why, names in silent.items()
    ]


def several(names: Sequence[str]) -> str:
    """Name a few things, or count many.

    Examples
    --------
    >>> several(["a", "b"]), several(["a", "b", "c", "d"])
    ('a and b', '4 curves')
    """
    return listed(list(names)) if len(names) < 4 else f"{len(names)} curves"


def _serial(curve: CurveAnswer) -> str:
    trend = curve.serial_trend
    known = [one for one in curve.points if math.isfinite(one.serial_fraction)]
    ends = (
        f"the serial fraction goes from {_fraction(trend.first)} at {known[0].concurrency:g} "
        f"to {_fraction(trend.last)} at {known[-1].concurrency:g}"
    )
    slope = f"{_change(trend.slope.value)} a doubling ({confidence(trend.slope.confidence_level)}: "
    slope += f"{_change(trend.slope.low)} to {_change(trend.slope.high)})"
    return f"{ends}, {slope}; {_meaning(curve)}"


def _meaning(curve: CurveAnswer) -> str:
    plateau = curve.shape.kind == "plateau" or (curve.chosen is not None and curve.chosen.law == "plateau")
    return f"{curve.serial_trend.kind}: {serial_meaning(curve.serial_trend, plateau=plateau)}"


def _fraction(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _change(value: float) -> str:
    return f"{value:+.2g}".replace("-", "−")


def efficiency_words(curve: CurveAnswer) -> Told:
    """Say what efficiency is at the ends of a curve, and where it is highest if that is between them."""
    highest = max(curve.points, key=lambda point: point.efficiency)
    places = sorted({0, curve.points.index(highest), len(curve.points) - 1})
    parts = [
        told(f"{percent(one.efficiency)} at {one.concurrency:g}", speedup_evidence(curve, one.concurrency))
        for one in (curve.points[place] for place in places)
    ]
    return joined([f"{curve.name}: efficiency ", joined(parts, ", ")])


def time_unit(curve: CurveAnswer) -> str:
    """Return the unit of time that throughput is measured by: N / X(N) comes in it.

    A unit that benchlib does not know stays as it was written: 'scripts/h' gives 'h', and no unit gives none.
    """
    return curve.curve.unit.partition("/")[2]


def split_words(curve: CurveAnswer) -> Told:
    """Say where the time goes at the largest level measured."""
    last = curve.split[-1]
    parts = [
        f"{percent(share, 1)} {_PARTS.get(part, part.replace('_', ' '))}"
        for part, share in last.shares.items()
        if share >= 0.0005
    ]
    line = f"At {last.concurrency:g} one unit of work spends {show(last.latency, time_unit(curve))} in the system: "
    return told(f"{line}{listed(parts)}", curve_evidence(curve))


def residual_words(found: Residuals) -> str:
    """Say how far the measurements lie from the chosen law."""
    n = len(found.error)
    place = int(abs(found.error).argmax())
    furthest = float(found.error[place])
    far = signed_percent(furthest) if found.relative else f"{'+' if furthest > 0 else ''}{show(furthest, found.unit)}"
    return (
        f"The furthest of {count(n, 'measurement')} from {LAWS[found.law].title} is {far} at "
        f"{found.concurrency[place]:g}; {found.outside} of {n} "
        f"outside the {confidence(found.confidence_level)} band, where chance puts {found.outside_by_chance:.2g}"
    )


def back_test_words(tested: BackTest) -> list[str]:
    """Say how fits of the first levels would have forecast the next."""
    lines = []
    misses = [(found, miss) for found in tested.rounds for miss in found.misses]
    if misses:
        found, worst = max(misses, key=lambda one: abs(one[1].error))
        lines.append(
            f"{LAWS[tested.law].title}: {held_words(tested)} forecasts from the first levels held (the measurement lay "
            f"in the interval); the worst, for {worst.concurrency:g} from the levels up to {found.up_to:g}, "
            f"missed by {signed_percent(worst.error)}"
        )
    if tested.refused:
        lines.append(f"{LAWS[tested.law].title}: {'some forecasts' if misses else 'no forecast'}: {tested.refused}")
    return lines


def held_words(tested: BackTest) -> str:
    """Count the forecasts whose interval held the measurement.

    Examples
    --------
    >>> held_words(BackTest(law="usl", rounds=(), refused="too few levels"))
    '–'
    """
    misses = [miss for found in tested.rounds for miss in found.misses]
    return f"{sum(miss.inside for miss in misses)} of {len(misses)}" if misses else "–"


def signed_percent(share: float, digits: int = 1) -> str:
    """Write a relative difference.

    Examples
    --------
    >>> signed_percent(0.0412), signed_percent(-0.5), signed_percent(-0.00001)
    ('+4.1 %', '−50.0 %', '0.0 %')
    """
    shown = f"{100 * share:+.{digits}f}"
    return f"{shown[1:]} %" if float(shown) == 0 else f"{shown} %".replace("-", "−")


def changed_words(compared: LawComparison) -> str:
    """Answer "did it change between these curves?" in one sentence."""
    found = compared.comparison
    verb = "differs" if found.verdict == "changed" else "is not shown to differ"
    return (
        f"{LAWS[compared.law].title}: {parameter_name(found.name)} {verb} between {several(compared.curves)} "
        f"(p {pvalue_words(found.pvalue)})"
    )
