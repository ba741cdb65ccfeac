"""Scaling in words: what the points show, what the law adds, what neither can say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.capacity import CapacityAnswer, CurveCapacity
from benchlib.answers.scaling import (
    CurveAnswer,
    ScalingAnswer,
    curve_evidence,
    scaling_evidence,
    speedup_evidence,
    step_evidence,
)
from benchlib.report.wording.curve_words import at_level, curve_phrase, falls, grown_words, told_growth
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import LAW_NAMES, figure, interval, listed, with_interval
from benchlib.scaling.fit import ScalingFit
from benchlib.statistics.estimates import Estimate
from benchlib.units import percent


def points_words(curves: Sequence[CurveAnswer]) -> str:
    """Say what the points of a figure are: an interval stands only where a level was measured more than once."""
    points = [point for one in curves for point in one.points]
    if all(one.n == 1 for one in points):
        return "Points: single measurements."
    every = all(one.throughput.has_interval for one in points)
    # Named, because the rows of a comparison and of a table have intervals of ranks, which need more values.
    interval = "with their interval by Student's t on logarithms"
    where = interval if every else f"{interval} where a level was measured more than once"
    return f"Points: medians {where}; small points: single measurements."


def law_drawn_words(curves: Sequence[CurveAnswer]) -> str:
    """Say what line and band of a figure are; nothing where no law describes the points."""
    drawn = any(one.chosen is not None and not one.chosen.misses_points for one in curves)
    return " Line and band: the chosen law with its confidence band." if drawn else ""


def scaling_verdict(answer: ScalingAnswer) -> Told:
    """Answer a scaling question in one or two sentences."""
    if answer.disagreements or len(answer.curves) == 1:
        return _growth(answer)
    curves = [joined([f"{one.name}: ", curve_phrase(one)]) for one in answer.curves[:4]]
    return joined([joined(curves, "; "), "."])


def _growth(answer: ScalingAnswer) -> Told:
    first = answer.curves[0]
    parts: list[str] = [grown_words(answer.curves)]
    if answer.disagreements:
        widest = max(answer.disagreements, key=lambda one: max(one.speedups.values()) / min(one.speedups.values()))
        line = (
            f". The measures of the same sweep disagree, most at {widest.concurrency:g} "
            f"({listed([f'{value:.2f}x' for value in widest.speedups.values()])})"
        )
        parts.append(told(line, scaling_evidence(answer)))
    if len(answer.curves) == 1 and not falls(first):
        parts += ["; ", curve_phrase(first)]
    return joined([*parts, "."])


def scaling_findings(answer: ScalingAnswer) -> list[Told]:
    """Say what each curve shows, point by point where few."""
    lines = []
    for one in answer.curves:
        speedup, point = told_growth(one)
        steps = [
            told(f"{percent(each.step_efficiency)} to {each.concurrency:g}", step_evidence(one, each.concurrency))
            for each in one.points[1:]
        ]
        reached = told(
            f"; speedup {figure(speedup)} at {point.concurrency:g}, efficiency {percent(point.efficiency)}",
            speedup_evidence(one, point.concurrency),
        )
        lines.append(joined([f"{one.name}: ", curve_phrase(one), reached, ". Step efficiencies: ", listed(steps), "."]))
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
    by_law = f", by this law at {with_interval(fit.ceiling)}" if fit.ceiling is not None else ""
    # A law that misses points which are no plateau either says where it bends, not what made them so.
    unlike = fit.misses_points and one.shape.kind != "plateau"
    made = "" if unlike else ", as it does when a resource runs out, not as contention would slow it"
    return (
        f"a plateau: throughput grows in proportion and stops at N = {figure(servers)} ({interval(servers)}){where}"
        f"{by_law}{made}{misfit_words(fit)}"
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
        parts.append(f"peak at {with_interval(fit.peak)}")
    elif fit.ceiling is not None and math.isfinite(fit.ceiling.value):
        parts.append(f"ceiling {with_interval(fit.ceiling)}")
    found = f" with {listed(parts)}" if parts else f", {figure(fit.parameters['rate_at_one'])} a worker"
    return f"{LAW_NAMES[fit.law]}{found}"


def _coefficient(estimate: Estimate) -> str:
    """Write a coefficient with its error and no more digits than that carries; answers.json has them all."""
    error = estimate.standard_error
    if not math.isfinite(error) or error <= 0:
        return f"{figure(estimate)} ({interval(estimate)})"
    # The error has two digits, and the value no more decimals.
    decimals = max(0, 1 - math.floor(math.log10(error)))
    value = f"{estimate.value:.{decimals}f}" if estimate.value else "0"
    return f"{value} ± {error:.{decimals}f} ({interval(estimate)})"


def capacity_findings(answer: CapacityAnswer) -> list[Told]:
    """Say where a core still pays, from the points and from the law."""
    return [told(_capacity(one), one.evidence) for one in answer.curves]


def _capacity(one: CurveCapacity) -> str:
    found, unit = one.returns, _unit_of(one.axis)
    if not one.comparable:
        return (
            f"{one.name}: nothing is recommended: an efficiency of {percent(one.efficiency)} at "
            f"{at_level(one.axis, found.recommended)} puts in doubt that the levels were measured alike."
        )
    line = f"{one.name}: throughput per {unit} is best at {found.per_core_best:g}"
    smallest = found.levels[0].concurrency
    if found.added_core_best:
        low, high = found.added_core_best
        line += f", and per added {unit} from {low:g} to {high:g}"
    if found.recommended == smallest:
        return f"{line}; no larger level has a better balance of speedup and efficiency than {smallest:g}."
    if not one.advised:
        return f"{line}; no level is recommended: each was measured once, and the number of cores is not recorded."
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
