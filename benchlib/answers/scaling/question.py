"""What is asked of a study's scaling, checked before anything is fitted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchlib.answers.refusal import Refusal
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.metrics import canonical
from benchlib.results import Results
from benchlib.scaling.fits.objective import WEIGHTS
from benchlib.scaling.laws import LAWS
from benchlib.statistics.checks import checked_level
from benchlib.study import Study

__all__ = ["DERIVED", "LAWS_ASKED", "WEIGHTS_ASKED", "Question", "ask"]

#: What ``law="all"`` fits; Gustafson's joins them where work grows with concurrency.
LAWS_ASKED = ("linear", "plateau", "amdahl", "usl-log", "usl")
WEIGHTS_ASKED = ("auto", *WEIGHTS)
#: What work may be counted by; what is no second stays as a study wrote it.
_TIMES = ("sec", "min", "h", "hour", "day")
#: What a law implies besides its parameters.
DERIVED = ("peak", "ceiling", "knee", "saturation_point")


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
    law: str,
    weights: str,
    confidence_level: float,
    extrapolate: str | Sequence[float],
    improve: str,
    seconds_each: float,
    budget: float,
) -> Question | Refusal:
    """Check a question, and say in which study it is asked.

    Raises
    ------
    SelectionError
        For an axis, column or metric that the results do not have.
    DataError
        For a law, weights, level or concurrency that cannot be meant.
    """
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
    plan = replace(
        plan,
        concurrency=axis,
        by=columns or plan.by,
        # Curves and what they are grouped by were planned for the axis of the study.
        curves=plan.curves if axis == plan.concurrency else (),
    )
    laws = _laws(law)
    if law == "all" and plan.weak:
        laws = (*laws, "gustafson")
    return Question(
        study=replace(study, scaling=plan),
        metric=_metric(study.results, metric),
        laws=laws,
        all_laws=law == "all",
        weights=_weights(weights, plan.weights),
        confidence_level=checked_level(confidence_level),
        extrapolate=_concurrencies(extrapolate),
        axis_named=bool(concurrency),
        improve=_quantity(improve),
        seconds_each=_positive(seconds_each, "seconds_each", "seconds that one measurement takes"),
        budget=_budget(budget, seconds_each),
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
    return Refusal(
        question="scaling",
        reason="no axis of these results is named as concurrency",
        advice="name it: --concurrency, or concurrency in [scaling] of study.toml; "
        + (f"axes of numbers here: {choices(found)}" if found else "e.g. 'gomaxprocs'"),
    )


def _columns(results: Results, by: str | Sequence[str], axis: str) -> tuple[str, ...]:
    named = [one.strip() for one in by.split(",")] if isinstance(by, str) else list(by)
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


def _laws(law: str) -> tuple[str, ...]:
    if law == "all":
        return LAWS_ASKED
    named = tuple(dict.fromkeys(one.strip() for one in law.split(",")))
    for one in named:
        if one not in LAWS:
            known = ("all", *LAWS)
            raise DataError(f"unknown law '{printable(one)}'{suggestion(one, known)}; laws: {choices(known)}")
    return named


def _weights(asked: str, planned: str) -> str:
    if asked not in WEIGHTS_ASKED:
        near = suggestion(asked, WEIGHTS_ASKED)
        raise DataError(f"unknown weights '{printable(asked)}'{near}; weights: {choices(WEIGHTS_ASKED)}")
    return planned if asked == "auto" else asked


def _concurrencies(asked: str | Sequence[float]) -> tuple[float, ...]:
    words: Sequence[object] = [one for one in asked.split(",") if one.strip()] if isinstance(asked, str) else asked
    found = set()
    for one in words:
        try:
            number = float(one)  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise DataError(
                f"cannot extrapolate to '{printable(str(one))}'; give concurrencies such as 32,64"
            ) from error
        if not (math.isfinite(number) and number >= 1):
            raise DataError(f"cannot extrapolate to {number:g}; give finite concurrencies of at least 1")
        found.add(number)
    return tuple(sorted(found))


def _quantity(name: str) -> str:
    known = dict.fromkeys((*DERIVED, *(one for law in LAWS.values() for one in law.parameters)))
    if name and name not in known:
        raise DataError(f"no quantity '{printable(name)}'{suggestion(name, known)}; there are {choices(known)}")
    return name


def _positive(number: float, name: str, what: str) -> float:
    if not (math.isfinite(number) and number > 0):
        raise DataError(f"{name} {number:g} is not above 0; give the {what}")
    return float(number)


def _budget(budget: float, seconds_each: float) -> float:
    if budget == 0:
        return 0.0
    if _positive(budget, "budget", "seconds to spend on measurements, or 0 for no advice") < seconds_each:
        raise DataError(
            f"a budget of {budget:g} s holds no measurement of {seconds_each:g} s; raise it, or shorten them"
        )
    return float(budget)
