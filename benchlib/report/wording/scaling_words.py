"""Scaling in words: what the points show, what the law adds, what neither can say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.capacity import CapacityAnswer, CurveCapacity
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.answers.scaling.behind import (
    curve_evidence,
    fall_evidence,
    scaling_evidence,
    speedup_evidence,
    step_evidence,
)
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import LAW_NAMES, coefficient, figure, interval, listed, with_interval
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.statistics.estimates import Estimate
from benchlib.units import percent, show

__all__ = [
    "at_level",
    "capacity_findings",
    "curve_phrase",
    "fit_findings",
    "misfit_words",
    "points_words",
    "scaling_findings",
    "scaling_verdict",
]


def curve_phrase(curve: CurveAnswer) -> Told:
    """Say the shape of a curve in a few words, each figure with the levels that it is of."""
    shape, last = curve.shape, curve.points[-1].concurrency
    if shape.kind == "plateau":
        return joined(["a plateau from ", _level(curve, shape.plateau_from or last), " on, at ", _ceiling(curve)])
    if shape.kind == "retrograde":
        fall = told(f", {percent(shape.falls_by)} lower at {last:g}", fall_evidence(curve))
        return joined(["best at ", _level(curve, shape.best_level), _unbeaten(curve), fall])
    if shape.kind == "linear":
        how = "faster than in proportion" if _superlinear(curve) else "in proportion"
        return joined([f"still growing {how} at ", _level(curve, last)])
    if shape.kind == "saturating":
        start = shape.plateau_from
        flat = told(f", flat from {start:g} on", curve.evidence[start]) if start is not None else ""
        return joined(["growing ever slower, ", _ceiling(curve), " at best", flat])
    return Told("no clear shape")


def _level(curve: CurveAnswer, level: float) -> Told:
    return told(at_level(curve.axis, level), curve.evidence[level])


def _ceiling(curve: CurveAnswer) -> Told:
    """Write the largest median, which is that of one level."""
    top = max(curve.points, key=lambda one: one.throughput.value)
    ceiling = curve.shape.ceiling
    return evident(show(ceiling, curve.curve.unit), curve.evidence[top.concurrency], ceiling)


def points_words(curves: Sequence[CurveAnswer]) -> str:
    """Say what the points of a figure are: an interval stands only where a level was measured more than once."""
    points = [point for one in curves for point in one.points]
    if all(one.n == 1 for one in points):
        return "Points: single measurements."
    every = all(one.throughput.has_interval for one in points)
    where = "with their interval" if every else "with their interval where a level was measured more than once"
    return f"Points: medians {where}; small points: single measurements."


def _superlinear(curve: CurveAnswer) -> bool:
    return curve.choice is not None and curve.choice.superlinear


def _unbeaten(curve: CurveAnswer) -> Told:
    """Say so where larger levels show larger medians that are within the noise."""
    best = next(one.throughput.value for one in curve.points if one.concurrency == curve.shape.best_level)
    beyond = [one.concurrency for one in curve.points if one.throughput.value > best]
    if not beyond:
        return Told("")
    return told(f" (up to {max(beyond):g} none is measurably higher)", curve.evidence[max(beyond)])


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


def scaling_verdict(answer: ScalingAnswer) -> Told:
    """Answer a scaling question in one or two sentences."""
    if answer.disagreements or len(answer.curves) == 1:
        return _growth(answer)
    curves = [joined([f"{one.name}: ", curve_phrase(one)]) for one in answer.curves[:4]]
    return joined([joined(curves, "; "), "."])


def _growth(answer: ScalingAnswer) -> Told:
    first = answer.curves[0]
    low, high = first.points[0].concurrency, first.points[-1].concurrency
    ends = speedup_evidence(first, high)
    speedups = [joined([_last(one, f"{one.points[-1].speedup:.1f}x"), f" ({one.name})"]) for one in answer.curves]
    shares = [_last(one, f"{100 * one.points[-1].efficiency:.0f} %") for one in answer.curves]
    parts = [
        told(f"From {at_level(answer.axis, low)} to {high:g} throughput grows ", ends),
        listed(speedups),
        ": an efficiency of ",
        listed(shares),
        told(f" at {high:g}", ends),
    ]
    if answer.disagreements:
        widest = max(answer.disagreements, key=lambda one: max(one.speedups.values()) / min(one.speedups.values()))
        line = (
            f". The measures of the same sweep disagree, most at {widest.concurrency:g} "
            f"({listed([f'{value:.2f}x' for value in widest.speedups.values()])})"
        )
        parts.append(told(line, scaling_evidence(answer)))
    if len(answer.curves) == 1:
        parts += ["; ", curve_phrase(first)]
    return joined([*parts, "."])


def _last(curve: CurveAnswer, text: str) -> Told:
    """Mark a figure of the largest level against the smallest."""
    return told(text, speedup_evidence(curve, curve.points[-1].concurrency))


def scaling_findings(answer: ScalingAnswer) -> list[Told]:
    """Say what each curve shows, point by point where few."""
    lines = []
    for one in answer.curves:
        last = one.points[-1]
        steps = [
            told(f"{100 * point.step_efficiency:.1f} % to {point.concurrency:g}", step_evidence(one, point.concurrency))
            for point in one.points[1:]
        ]
        reached = f"; speedup {last.speedup:.2f}x at {last.concurrency:g}, efficiency {100 * last.efficiency:.0f} %"
        parts = [f"{one.name}: ", curve_phrase(one), _last(one, reached), ". Step efficiencies: ", listed(steps), "."]
        lines.append(joined(parts))
    if answer.disagreements:
        levels = listed([f"{one.concurrency:g}" for one in answer.disagreements])
        line = (
            f"The measures of this sweep disagree at {answer.axis} {levels}: "
            "both cannot be the throughput that users feel."
        )
        lines.append(told(line, scaling_evidence(answer)))
    beyond = answer.cores and [
        point.concurrency for point in answer.curves[0].points if point.concurrency > answer.cores
    ]
    if beyond and any(one.code == "oversubscribed" for one in answer.caveats):
        line = (
            f"The machine has {answer.cores} cores: {answer.axis} {listed([f'{one:g}' for one in beyond])} "
            f"{'is' if len(beyond) == 1 else 'are'} oversubscribed, and what happens there proves nothing "
            "about serial work."
        )
        lines.append(told(line, scaling_evidence(answer)))
    return lines


def fit_findings(answer: ScalingAnswer) -> list[Told]:
    """Say which law describes each curve, with its parameters, and why it was chosen."""
    return [told(_fit_finding(one, answer.cores), curve_evidence(one)) for one in answer.curves]


def _fit_finding(one: CurveAnswer, cores: int | None) -> str:
    fit = one.chosen
    if fit is None or one.choice is None:
        return f"{one.name}: no law is chosen ({one.why})"
    if fit.law == "plateau":
        return f"{one.name}: {_plateau(one, fit, cores)}"
    line = f"{one.name}: {_law(fit)}. {one.choice.why}{misfit_words(fit)}"
    if one.shape.kind == "plateau":
        line += ". The points make a plateau, as when a resource runs out; this law takes it for a loss between workers"
    return line


def misfit_words(fit: ScalingFit) -> str:
    """Say that a law misses its points, or nothing."""
    if not fit.misses_points:
        return ""
    return (
        ". It misses the points by more than their spread explains (lack of fit, "
        f"p {'< 0.001' if fit.lack_of_fit < 0.001 else f'= {fit.lack_of_fit:.3f}'}): read the points, not the law"
    )


def _plateau(one: CurveAnswer, fit: ScalingFit, cores: int | None) -> str:
    servers = fit.parameters["servers"]
    ran_out = cores is not None and servers.low <= cores <= servers.high
    where = f", about as many as the {cores} cores of the machine" if ran_out else ""
    return (
        f"a plateau: throughput grows in proportion and stops at N = {figure(servers)} ({interval(servers)}){where}, "
        f"at {show(one.shape.ceiling, one.curve.unit)}, as it does when a resource runs out, not as contention would "
        f"slow it{misfit_words(fit)}"
    )


def _law(fit: ScalingFit) -> str:
    parts = [
        f"{name.replace('_', ' ')} {_coefficient(estimate)}"
        for name, estimate in fit.parameters.items()
        if name != "rate_at_one"
    ]
    if fit.misses_points:
        pass  # a law that misses its points has no peak or ceiling worth telling
    elif fit.peak is not None and math.isfinite(fit.peak.value):
        parts.append(f"peak at {coefficient(fit.peak.value)} ({interval(fit.peak)})")
    elif fit.ceiling is not None and math.isfinite(fit.ceiling.value):
        parts.append(f"ceiling {with_interval(fit.ceiling)}")
    found = f" with {listed(parts)}" if parts else f", {figure(fit.parameters['rate_at_one'])} a worker"
    return f"{LAW_NAMES[fit.law]}{found}"


def _coefficient(estimate: Estimate) -> str:
    # To seven decimals, with the error that says what they are worth: so that they can be held against R's.
    error = f" ± {coefficient(estimate.standard_error)}" if math.isfinite(estimate.standard_error) else ""
    return f"{coefficient(estimate.value)}{error} ({interval(estimate)})"


def capacity_findings(answer: CapacityAnswer) -> list[Told]:
    """Say where a core still pays, from the points and from the law."""
    return [told(_capacity(one), one.evidence) for one in answer.curves]


def _capacity(one: CurveCapacity) -> str:
    found, unit = one.returns, _unit_of(one.axis)
    if not one.comparable:
        return (
            f"{one.name}: nothing is recommended: an efficiency of {percent(one.efficiency)} at "
            f"{at_level(one.axis, found.recommended)} says that the levels were not measured alike."
        )
    line = f"{one.name}: throughput per {unit} is best at {found.per_core_best:g}"
    if found.added_core_best:
        low, high = found.added_core_best
        line += f", and per added {unit} from {low:g} to {high:g}"
    line += (
        f"; {at_level(one.axis, found.recommended)} gives the best balance of speedup ({one.speedup:.2f}x) "
        f"and efficiency ({percent(one.efficiency)})"
    )
    if found.law is not None and found.law_recommended is not None:
        line += f"; by the fitted {LAW_NAMES[found.law]} the balance is best at {found.law_recommended:g}"
    return f"{line}."


def _unit_of(axis: str) -> str:
    return {
        "gomaxprocs": "core",
        "processors": "processor",
        "workers": "worker",
        "connections": "connection",
    }.get(axis, "unit of concurrency")
