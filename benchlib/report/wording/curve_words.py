"""One scaling curve in a few words: its levels, its shape, and by how much it grows."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.scaling import CurveAnswer, fall_evidence, speedup_evidence
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import figure, listed
from benchlib.scaling.points import ScalingPoint
from benchlib.statistics.estimates import Estimate
from benchlib.units import percent


def at_level(axis: str, level: float) -> str:
    """Name a level of concurrency as people do.

    Examples
    --------
    >>> at_level("connections", 2.0), at_level("gomaxprocs", 4.0), at_level("concurrency", 72.0)
    ('2 connections', 'gomaxprocs 4', 'concurrency 72')
    """
    counted = axis.endswith("s") and axis != "gomaxprocs"
    if not counted:
        return f"{axis} {level:g}"
    return f"{level:g} {axis.removesuffix('s') if level == 1 else axis}"


def curve_phrase(curve: CurveAnswer) -> Told:
    """Say the shape of a curve in a few words, each figure with the levels that it is of."""
    shape, last = curve.shape, curve.points[-1].concurrency
    if shape.kind == "plateau":
        flat_from = _level(curve, shape.plateau_from or last)
        cores = _as_cores(curve, shape.plateau_from or last)
        return joined(["a plateau from ", flat_from, f" on{cores}, at ", _ceiling(curve), _unproven(curve)])
    if shape.kind == "retrograde":
        fall = told(f", {percent(shape.falls_by)} lower at {last:g}", fall_evidence(curve))
        cores = _as_cores(curve, shape.best_level)
        return joined(["best at ", _level(curve, shape.best_level), cores, _unbeaten(curve), fall])
    if shape.kind == "linear":
        how = "faster than in proportion" if _superlinear(curve) else "in proportion"
        return joined([f"still growing {how} at ", _level(curve, last)])
    if shape.kind == "saturating" and shape.plateau_from is not None:
        flat_from = _level(curve, shape.plateau_from)
        return joined(["levels off at ", _ceiling(curve), ", flat from ", flat_from, " on", _unproven(curve)])
    if shape.kind == "saturating":
        return joined(["growing by less and less, up to ", _ceiling(curve)])
    return Told("no clear shape")


def _as_cores(curve: CurveAnswer, level: float) -> str:
    """Say so where growth ends at the number of cores: what a reader asks first of a limit."""
    return ", as many as the machine has cores" if curve.shape.cores == level else ""


def _unproven(curve: CurveAnswer) -> str:
    """Say so where each level was measured once: nothing then shows that two of them are the same."""
    return ", as measured" if all(one.n == 1 for one in curve.points) else ""


def _level(curve: CurveAnswer, level: float) -> Told:
    return told(at_level(curve.axis, level), curve.evidence[level])


def _ceiling(curve: CurveAnswer) -> Told:
    """Write the largest median, which is that of one level."""
    top = max(curve.points, key=lambda one: one.throughput.value)
    return evident(figure(top.throughput), curve.evidence[top.concurrency], curve.shape.ceiling)


def _superlinear(curve: CurveAnswer) -> bool:
    return curve.choice is not None and curve.choice.superlinear


def _unbeaten(curve: CurveAnswer) -> Told:
    """Say so where larger levels show larger medians that are within the noise."""
    best = next(one.throughput.value for one in curve.points if one.concurrency == curve.shape.best_level)
    beyond = [one.concurrency for one in curve.points if one.throughput.value > best]
    if not beyond:
        return Told("")
    return told(f" (up to {max(beyond):g} none is measurably higher)", curve.evidence[max(beyond)])


def falls(curve: CurveAnswer) -> bool:
    """Whether throughput falls beyond the best level of a curve."""
    return curve.shape.kind == "retrograde"


def told_growth(curve: CurveAnswer) -> tuple[Estimate, ScalingPoint]:
    """Return the speedup to tell of a curve and its point: of the largest level, or of the best where it falls beyond.

    Examples
    --------
    >>> import benchlib
    >>> speedup, point = told_growth(benchlib.fit_scaling("data/onix-adapter").curves[0])
    >>> f"{speedup.value:.2f}x", point.concurrency
    ('3.79x', 4.0)
    """
    if not falls(curve):
        return curve.growth, curve.points[-1]
    return curve.best_growth, next(one for one in curve.points if one.concurrency == curve.shape.best_level)


def grown_words(curves: Sequence[CurveAnswer], *, named: bool = True) -> Told:
    """Say by how much throughput grows over the levels of curves, and how much of it is lost again.

    Of a curve that falls the growth to its best level is told: that from end to end would hide both.
    """
    first, last = curves[0].points[0].concurrency, curves[0].points[-1].concurrency
    ends = speedup_evidence(curves[0], last)
    names = [f" ({one.name})" if named else "" for one in curves]
    start = f"From {at_level(curves[0].axis, first)}"
    if any(falls(one) for one in curves):
        grown = [joined([_up_and_down(one), name]) for one, name in zip(curves, names, strict=True)]
        return joined([told(f"{start} throughput grows ", curves[0].evidence[first]), listed(grown)])
    speedups = [joined([_grown(one, figure(one.growth)), name]) for one, name in zip(curves, names, strict=True)]
    shares = [_grown(one, percent(one.points[-1].efficiency)) for one in curves]
    return joined(
        [
            told(f"{start} to {last:g} throughput grows ", ends),
            listed(speedups),
            ": an efficiency of ",
            listed(shares),
            told(f" at {last:g}", ends),
        ]
    )


def _grown(curve: CurveAnswer, text: str) -> Told:
    """Mark a figure of the level whose growth is told, against the smallest."""
    return told(text, speedup_evidence(curve, told_growth(curve)[1].concurrency))


def _up_and_down(curve: CurveAnswer) -> Told:
    growth, point = told_growth(curve)
    last = curve.points[-1].concurrency
    if not falls(curve):
        return _grown(curve, f"{figure(growth)} up to {last:g}")
    up = _grown(curve, f"{figure(growth)} up to {at_level(curve.axis, point.concurrency)}")
    fall = told(f", then falls by {percent(curve.shape.falls_by)} to {last:g}", fall_evidence(curve))
    return joined([up, _no_further(curve), fall])


def _no_further(curve: CurveAnswer) -> Told:
    """Say how far it does not fall beyond the best level, where the fall comes later."""
    levels = [one.concurrency for one in curve.points]
    before = levels[levels.index(curve.shape.falls_from or levels[-1]) - 1]
    if before <= curve.shape.best_level:
        return Told("")
    return told(f", no further up to {before:g}", curve.evidence[before])
