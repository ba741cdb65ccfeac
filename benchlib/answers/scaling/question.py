"""What is asked of a study's scaling, checked before anything is fitted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.amounts import Amount, latency_asked, throughput_asked
from benchlib.answers.scaling.levels import extrapolated, read_at
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.metrics import canonical
from benchlib.results import Results
from benchlib.scaling.advise import MOST_REPETITIONS, affordable, seconds_of, sets_axis
from benchlib.scaling.laws import LAWS
from benchlib.scaling.solver import WEIGHTS
from benchlib.statistics.estimates import checked_level
from benchlib.study import Study

__all__ = ["DERIVED", "LAWS_ASKED", "WEIGHTS_ASKED", "Question", "ask", "measuring_template"]

#: What ``law="all"`` fits; Gustafson's joins them where work grows with concurrency.
LAWS_ASKED = ("linear", "plateau", "amdahl", "usl")
WEIGHTS_ASKED = ("auto", *WEIGHTS)
#: What work may be counted by; what is no second stays as a study wrote it.
_TIMES = ("sec", "min", "h", "hour", "day")
#: What a law implies besides its parameters.
DERIVED = ("peak", "ceiling", "knee", "saturation_point")
#: Seconds of one more measurement where neither the caller nor the study's command says, and of all of them.
SECONDS_EACH, BUDGET = 10.0, 60.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """A study with its plan changed to what was asked, and how to fit.

    Attributes
    ----------
    study : Study
    metric : str
        Empty for what the study plans, or finds.
    laws : tuple of str
    all_laws : bool
        Whether no law was named.
    weights : str
        ``auto`` where neither the caller nor the study says.
    confidence_level : float
    extrapolate : tuple of float
        Concurrencies to predict, however far beyond the data.
    axis_named : bool
        Whether the caller named the axis: two levels of it are then a curve.
    at : tuple of float
        Concurrencies at which to read the chosen law, none beyond twice the largest level.
    reach, latency : Amount or None
        A throughput, and a mean latency, for which to look up the concurrency.
    improve : str
        The quantity to know better; empty for the first that the chosen law has.
    seconds_each, budget : float
        Of one more measurement, and of all of them together; a budget of 0 asks for no advice.
    """

    study: Study
    metric: str
    laws: tuple[str, ...]
    all_laws: bool
    weights: str
    confidence_level: float
    extrapolate: tuple[float, ...]
    at: tuple[float, ...]
    reach: Amount | None
    latency: Amount | None
    axis_named: bool
    improve: str
    seconds_each: float
    budget: float


def ask(
    study: Study,
    *,
    concurrency: str,
    metric: str,
    by: str | Sequence[str],
    law: str | Sequence[str],
    weights: str,
    confidence_level: float,
    extrapolate: str | float | Sequence[float],
    at: str | float | Sequence[float],
    reach: str | float,
    latency: str | float,
    improve: str,
    seconds_each: float | None,
    budget: float | None,
) -> Question | Refusal:
    """Check a question, and say in which study it is asked.

    Raises
    ------
    SelectionError
        For an axis, column or metric that the results do not have.
    DataError
        For a law, weights, level or concurrency that cannot be meant.
    """
    for given, name in ((concurrency, "concurrency"), (metric, "metric"), (weights, "weights"), (improve, "improve")):
        _text(given, name)
    plan = study.scaling
    axis = concurrency or plan.concurrency
    if concurrency:
        _check_axis(study.results, concurrency)
    elif not axis:
        return _no_axis(study.results)
    elif axis not in study.results.axes:
        return Refusal(
            question="scaling",
            reason=f"no result here has the axis '{printable(axis)}'",
            advice="measure at several levels of concurrency",
        )
    columns = _columns(study.results, by, axis)
    plan = msgspec.structs.replace(
        plan,
        concurrency=axis,
        by=columns or plan.by,
        # Curves and what they are grouped by were planned for the axis of the study.
        curves=plan.curves if axis == plan.concurrency else (),
    )
    laws, all_laws = _laws(law, weak=plan.weak)
    each, spent = _times(seconds_each, budget, measuring_template(study.commands, axis))
    return Question(
        study=replace(study, scaling=plan),
        metric=_metric(study.results, metric),
        laws=laws,
        all_laws=all_laws,
        weights=_weights(weights, plan.weights),
        confidence_level=checked_level(_number(confidence_level, "confidence_level", "0.95")),
        extrapolate=extrapolated(extrapolate, axis, _largest(study.results, axis)),
        at=read_at(at, axis, _largest(study.results, axis)),
        reach=throughput_asked(reach),
        latency=latency_asked(latency),
        axis_named=bool(concurrency),
        improve=_quantity(improve),
        seconds_each=each,
        budget=spent,
    )


def numeric_axes(results: Results) -> list[str]:
    """Return the axes that take two numbers or more."""
    return [one for one in results.varying_axes if sum(map(_is_number, results.levels(one))) > 1]


def _is_number(level: object) -> bool:
    """Whether a level is a number; beside a word in the same column, numbers are texts."""
    try:
        return math.isfinite(float(str(level)))
    except ValueError:
        return False


def _check_axis(results: Results, axis: str) -> None:
    if axis not in results.axes:
        raise SelectionError(
            f"no axis '{printable(axis)}'{suggestion(axis, results.axes)}; there are {choices(results.axes, 30)}"
        )
    levels = results.levels(axis)
    if not any(map(_is_number, levels)):
        raise DataError(
            f"concurrency '{printable(axis)}' takes {choices(levels, 4)}: not numbers; "
            f"name an axis of numbers ({choices(numeric_axes(results))})"
        )


def _no_axis(results: Results) -> Refusal:
    found = numeric_axes(results)
    if found:
        known = f"axes of numbers here: {choices(found)}"
    elif results.axes:
        known = f"axes here: {choices(results.axes, 30)}, none with two numbers; measure at more levels of one"
    else:
        known = "these results have no axis; measure at several levels of one"
    return Refusal(
        question="scaling",
        reason="no axis of these results is named as concurrency",
        advice=f"name it: --concurrency, or concurrency in [scaling] of study.toml; {known}",
    )


def _columns(results: Results, by: str | Sequence[str], axis: str) -> tuple[str, ...]:
    words = by.split(",") if isinstance(by, str) else by
    if not _is_sequence(words) or not all(isinstance(one, str) for one in words):
        raise DataError(f"by {_shown(by)} is neither a name nor a sequence of names; name axes of the results")
    named = [one.strip() for one in words]
    columns = tuple(dict.fromkeys(one for one in named if one))
    known = ("benchmark", "run", *results.axes)
    for one in columns:
        if one not in known:
            near = suggestion(one, known)
            raise SelectionError(f"no column '{printable(one)}'{near}; there are {choices(known, 30)}")
        if one == axis:
            raise SelectionError(f"'{printable(one)}' is the concurrency; group by another axis")
    return columns


def _metric(results: Results, asked: str) -> str:
    if not asked:
        return ""
    name = canonical(asked)
    if name not in results.metrics:
        known = sorted(results.metrics)
        raise SelectionError(f"no metric '{printable(asked)}'{suggestion(name, known)}; there are {choices(known, 30)}")
    if not _is_rate(results.metrics[name].unit):
        rates = sorted(one for one, known in results.metrics.items() if _is_rate(known.unit))
        raise DataError(
            f"metric '{printable(asked)}' is in '{printable(results.metrics[name].unit)}', no work by time; "
            f"choose a rate, or a time per operation ({choices(rates)})"
        )
    return name


def _is_rate(unit: str) -> bool:
    """Whether a unit is work by time, or time by work."""
    work, _, time = unit.partition("/")
    return time in _TIMES or (work == "sec" and bool(time))


def _laws(law: str | Sequence[str], *, weak: bool) -> tuple[tuple[str, ...], bool]:
    """Return the laws to fit, and whether all were asked for."""
    known = ("all", *LAWS)
    words = law.split(",") if isinstance(law, str) else law
    if not _is_sequence(words) or not all(isinstance(one, str) for one in words):
        raise DataError(f"law {_shown(law)} is neither a name nor a sequence of names; laws: {choices(known)}")
    named = dict.fromkeys(one.strip() for one in words)
    for one in named or ("",):
        if one not in known:
            raise DataError(f"unknown law '{printable(one)}'{suggestion(one, known)}; laws: {choices(known)}")
    if "all" not in named:
        return tuple(named), False
    asked = dict.fromkeys((*LAWS_ASKED, *(("gustafson",) if weak else ()), *named))
    return tuple(one for one in asked if one != "all"), True


def _is_sequence(found: object) -> bool:
    return isinstance(found, list | tuple | np.ndarray)


def _shown(found: object) -> str:
    return printable(repr(found), 60)


def _text(found: str, name: str) -> None:
    if not isinstance(found, str):
        raise DataError(f"{name} {_shown(found)} is not a text; leave it out for what the study says")


def _weights(asked: str, planned: str) -> str:
    if asked not in WEIGHTS_ASKED:
        near = suggestion(asked, WEIGHTS_ASKED)
        raise DataError(f"unknown weights '{printable(asked)}'{near}; weights: {choices(WEIGHTS_ASKED)}")
    return planned if asked == "auto" else asked


def _largest(results: Results, axis: str) -> float:
    return max((float(str(one)) for one in results.levels(axis) if _is_number(one)), default=1.0)


def _quantity(name: str) -> str:
    known = dict.fromkeys((*DERIVED, *(one for law in LAWS.values() for one in law.parameters)))
    if name and name not in known:
        raise DataError(f"no quantity '{printable(name)}'{suggestion(name, known)}; there are {choices(known)}")
    return name


def _number(found: float, name: str, such_as: str) -> float:
    """Return a number; a truth value or a text is none, though Python would compare it."""
    if isinstance(found, bool | np.bool_) or not isinstance(found, int | float | np.integer | np.floating):
        raise DataError(f"{name} {_shown(found)} is not a number; give one such as {such_as}")
    return found


def _positive(number: float, name: str, what: str) -> float:
    _number(number, name, "10")
    if not (math.isfinite(number) and number > 0):
        raise DataError(f"{name} {number:g} is not above 0; give the {what}")
    return float(number)


def measuring_template(commands: Sequence[str], axis: str) -> str:
    """Return the command of a study that sets its concurrency: the last, where it tells several."""
    return next((one for one in commands[::-1] if sets_axis(axis, one)), "")


def _times(each: float | None, budget: float | None, template: str) -> tuple[float, float]:
    """Return what one measurement takes, as asked or as the command says that makes it, and what all may take."""
    told = seconds_of(template) if each is None else None
    if each is not None:
        seconds = _positive(each, "seconds_each", "seconds that one measurement takes")
    else:
        seconds = told or SECONDS_EACH
    if budget is None and told:
        # Nobody named the budget: what a study did is never too long for it, nor too short.
        return seconds, min(max(BUDGET, seconds), MOST_REPETITIONS * seconds)
    asked = BUDGET if budget is None else _number(budget, "budget", "60")
    if asked == 0:
        return seconds, 0.0
    affordable(_positive(asked, "budget", "seconds to spend on measurements, or 0 for no advice"), seconds)
    return seconds, float(asked)
