"""What is asked of scaling curves, checked before anything is fitted, and why a study has no curve at all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import pandas as pd

from benchlib.answers.asking import Refusal, _asked_columns, _asked_metric, _asked_words
from benchlib.answers.grouping import cells
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep, _too_few_levels
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.metrics import better
from benchlib.results import Results
from benchlib.scaling.advise import MOST_REPETITIONS, affordable, seconds_of, sets_axis
from benchlib.scaling.laws import LAWS
from benchlib.scaling.predict import EXTRAPOLATION_LIMIT
from benchlib.scaling.solver import WEIGHTS
from benchlib.statistics.estimates import checked_level
from benchlib.study import Study
from benchlib.units import parse_duration, parse_quantity

_WEIGHTS_ASKED = ("auto", *WEIGHTS)
#: What a law implies besides its parameters.
_DERIVED = ("peak", "knee", "ceiling", "saturation_point")
#: Seconds of one more measurement where neither the caller nor the study's command says, and of all of them.
_SECONDS_EACH, _BUDGET = 10.0, 60.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """A study with its plan changed to what was asked, and how to fit."""

    study: Study
    #: Empty for what the study plans, or finds.
    metric: str
    laws: tuple[str, ...]
    #: Whether no law was named.
    all_laws: bool
    #: ``auto`` where neither the caller nor the study says.
    weights: str
    confidence_level: float
    #: Concurrencies to predict, however far beyond the data.
    extrapolate: tuple[float, ...]
    #: Concurrencies at which to read the laws, none beyond twice the largest level.
    at: tuple[float, ...]
    #: A throughput, and a mean latency, for which to look up the concurrency.
    reach: Amount | None
    latency: Amount | None
    #: Whether the caller named the axis: two levels of it are then a curve.
    axis_named: bool
    #: The quantity to know better; empty for the first that the chosen law has.
    improve: str
    #: Of one more measurement, and of all of them together; a budget of 0 asks for no advice.
    seconds_each: float
    budget: float


def _ask(
    study: Study,
    *,
    concurrency: str = "",
    metric: str = "",
    by: str | Sequence[str] = (),
    law: str | Sequence[str] = "all",
    weights: str = "auto",
    confidence_level: float = 0.95,
    extrapolate: str | float | Sequence[float] = (),
    at: str | float | Sequence[float] = (),
    reach: str | float = "",
    latency: str | float = "",
    improve: str = "",
    seconds_each: float | None = None,
    budget: float | None = None,
) -> Question | Refusal:
    """Check what `fit_scaling` was asked, and say in which study it is asked."""
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
    each, spent = _times(seconds_each, budget, _measuring_template(study.commands, axis))
    return Question(
        study=replace(study, scaling=plan),
        metric=_metric(study.results, metric),
        laws=laws,
        all_laws=all_laws,
        weights=_weights(weights, plan.weights),
        confidence_level=checked_level(_number(confidence_level, "confidence_level", "0.95")),
        extrapolate=_extrapolated(extrapolate, axis, _largest(study.results, axis)),
        at=_read_at(at, axis, _largest(study.results, axis)),
        reach=_throughput_asked(reach),
        latency=_latency_asked(latency),
        axis_named=bool(concurrency),
        improve=_quantity(improve),
        seconds_each=each,
        budget=spent,
    )


# Axes, columns and metrics, as the results have them.


def _numeric_axes(results: Results) -> list[str]:
    """Return the axes that take two numbers or more."""
    return [axis for axis in results.varying_axes if sum(map(_is_number, results.levels(axis))) > 1]


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
            f"name an axis of numbers ({choices(_numeric_axes(results))})"
        )


#: What to do about values that are set apart.
_MEND = (
    "mend the benchmark and measure again; or say which failures are wanted, or how many may be: "
    "expected, tolerated in [failures] of study.toml"
)


def _no_axis(results: Results) -> Refusal:
    axes = _numeric_axes(results)
    swept = [axis for axis in results.axes if results.failed[axis].nunique() > 1]
    if swept and not axes:
        failed, every = len(results.failed), len(results.failed) + len(results.frame)
        return Refusal(
            question="scaling",
            reason=f"{failed:,} of {every:,} values rest on failed operations and are set apart; "
            f"what is left is of fewer than two levels of {choices(swept, 3)}",
            advice=_MEND,
        )
    if axes:
        known = f"axes of numbers here: {choices(axes)}"
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
    columns = _asked_columns(results, by, "by")
    if axis in columns:
        raise SelectionError(f"'{printable(axis)}' is the concurrency; group by another axis")
    return columns


def _metric(results: Results, asked: str) -> str:
    if not asked:
        return ""
    name = _asked_metric(results, asked)
    if not _is_rate(results.metrics[name].unit):
        rates = sorted(metric for metric, known in results.metrics.items() if _is_rate(known.unit))
        raise DataError(
            f"metric '{printable(asked)}' is in '{printable(results.metrics[name].unit)}', no work by time; "
            f"choose a rate, or a time per operation ({choices(rates)})"
        )
    return name


def _is_rate(unit: str) -> bool:
    """Whether a unit is work by time, or time by work."""
    work, _, time = unit.partition("/")
    return time in _SECONDS or (work == "sec" and bool(time))


def _largest(results: Results, axis: str) -> float:
    return max((float(str(level)) for level in results.levels(axis) if _is_number(level)), default=1.0)


# Laws, weights, quantities, and what a measurement may take.


def _laws(law: str | Sequence[str], *, weak: bool) -> tuple[tuple[str, ...], bool]:
    """Return the laws to fit, and whether all were asked for."""
    known = ("all", *LAWS)
    named = _asked_words(law, "law", f"; laws: {choices(known)}")
    for name in named or ("",):
        if name not in known:
            raise DataError(f"unknown law '{printable(name)}'{suggestion(name, known)}; laws: {choices(known)}")
    if "all" not in named:
        return named, False
    offered = [law.name for law in LAWS.values() if weak or not law.is_weak]
    asked = dict.fromkeys((*offered, *named))
    return tuple(asked_law for asked_law in asked if asked_law != "all"), True


def _weights(asked: str, planned: str) -> str:
    if asked not in _WEIGHTS_ASKED:
        near = suggestion(asked, _WEIGHTS_ASKED)
        raise DataError(f"unknown weights '{printable(asked)}'{near}; weights: {choices(_WEIGHTS_ASKED)}")
    return planned if asked == "auto" else asked


def _quantity(name: str) -> str:
    known = dict.fromkeys((*_DERIVED, *(parameter for law in LAWS.values() for parameter in law.parameters)))
    if name and name not in known:
        raise DataError(f"no quantity '{printable(name)}'{suggestion(name, known)}; there are {choices(known)}")
    return name


def _text(value: str, name: str) -> None:
    if not isinstance(value, str):
        raise DataError(f"{name} {_shown(value)} is not a text; leave it out for what the study says")


def _shown(value: object) -> str:
    return printable(repr(value), 60)


def _number(value: float, name: str, such_as: str) -> float:
    """Return a number; refuse a truth value or a text, though Python would compare it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise DataError(f"{name} {_shown(value)} is not a number; give one such as {such_as}")
    return value


def _positive(number: float, name: str, what: str) -> float:
    _number(number, name, "10")
    if not (math.isfinite(number) and number > 0):
        raise DataError(f"{name} {number:g} is not above 0; give the {what}")
    return float(number)


def _measuring_template(commands: Sequence[str], axis: str) -> str:
    """Return the last command of a study that sets its concurrency."""
    return next((command for command in commands[::-1] if sets_axis(axis, command)), "")


def _times(each: float | None, budget: float | None, template: str) -> tuple[float, float]:
    """Return what one measurement takes, as asked or as the command says that makes it, and what all may take."""
    seconds_read = seconds_of(template) if each is None else None
    if each is not None:
        seconds = _positive(each, "seconds_each", "seconds that one measurement takes")
    else:
        seconds = seconds_read or _SECONDS_EACH
    if budget is None and seconds_read:
        # Nobody named the budget: what a study did is never too long for it, nor too short.
        return seconds, min(max(_BUDGET, seconds), MOST_REPETITIONS * seconds)
    asked = _BUDGET if budget is None else _number(budget, "budget", "60")
    if asked == 0:
        return seconds, 0.0
    affordable(_positive(asked, "budget", "seconds to spend on measurements, or 0 for no advice"), seconds)
    return seconds, float(asked)


# Concurrencies that a question names, checked against what was measured.

#: Nothing is predicted beyond this multiple of the largest level: no law holds so far.
_FURTHEST = 1_000


def _extrapolated(asked: str | float | Sequence[float], axis: str, largest: float) -> tuple[float, ...]:
    """Return concurrencies to predict, up to `_FURTHEST` times the largest measured."""
    levels = _concurrencies(asked, "extrapolate to")
    most = _FURTHEST * max(largest, 1.0)
    for number in levels:
        if number > most:
            raise DataError(
                f"cannot extrapolate to {number:g}: the largest {printable(axis)} measured is {largest:g}, and beyond "
                f"{_FURTHEST:,} times that no law means anything; give {most:g} at most"
            )
    return levels


def _read_at(asked: str | float | Sequence[float], axis: str, largest: float) -> tuple[float, ...]:
    """Return concurrencies to read a law at, up to twice the largest measured."""
    levels = _concurrencies(asked, "read a law at")
    most = EXTRAPOLATION_LIMIT * max(largest, 1.0)
    for number in levels:
        if number > most:
            raise DataError(
                f"cannot read a law at {number:g}: the largest {printable(axis)} measured is {largest:g}; "
                f"give {most:g} at most, measure further, or extrapolate to it"
            )
    return levels


def _concurrencies(asked: str | float | Sequence[float], what: str) -> tuple[float, ...]:
    words: Sequence[object]
    if isinstance(asked, str):
        words = [word for word in asked.split(",") if word.strip()]
    else:
        words = list(asked) if isinstance(asked, list | tuple | np.ndarray) else [asked]
    levels = set()
    for text in words:
        try:
            number = float(text)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"cannot {what} '{printable(str(text))}'; give concurrencies such as 32,64") from error
        if not (math.isfinite(number) and number > 0):
            raise DataError(f"cannot {what} {number:g}; give finite concurrencies above 0")
        levels.add(number)
    return tuple(sorted(levels))


# Throughputs and latencies that a question names: numbers with a unit, checked and brought to that of a curve.

#: Seconds of what work may be counted by; what is no second stays as a study wrote it.
_SECONDS = {"sec": 1.0, "min": 60.0, "h": 3600.0, "hour": 3600.0, "day": 86400.0}
_NO_UNIT = "a curve without a unit; write the unit where the throughput stands, as in throughput_rps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A number as it was asked for."""

    value: float
    #: Empty for the unit of each curve; without work before the slash for the work of each curve.
    unit: str
    #: As it was asked for.
    written: str


def _throughput_asked(asked: str | float) -> Amount | None:
    """Read a throughput such as ``5000/s``, ``5000 req/s`` or ``5000``, which is in the unit of each curve."""
    such_as = "give one such as 5000/s or 5000"
    written, number = _amount_number(asked, "throughput", such_as)
    if not written:
        return None
    unit = ""
    if number is None:
        number, unit = _amount_quantity(written, "throughput", such_as)
        if unit.partition("/")[2] not in _SECONDS:
            raise DataError(f"throughput '{written}' is in '{printable(unit)}', no work by time; {such_as}")
    return _positive_amount(Amount(value=number, unit=unit, written=written), "throughput", such_as)


def _latency_asked(asked: str | float) -> Amount | None:
    """Read a latency such as ``5ms``; a number that is no text is in seconds."""
    such_as = "give a time such as 5ms"
    written, number = _amount_number(asked, "latency", such_as)
    if not written:
        return None
    if number is not None and isinstance(asked, str):
        raise DataError(f"latency '{written}' has no unit; {such_as}")
    if number is not None:
        return _positive_amount(Amount(value=number, unit="sec", written=f"{written} s"), "latency", such_as)
    try:
        value, unit = parse_duration(written), "sec"
    except DataError:
        value, unit = _amount_quantity(written, "latency", such_as)
    if unit != "sec":
        raise DataError(f"latency '{written}' is in '{printable(unit)}', no time; {such_as}")
    return _positive_amount(Amount(value=value, unit=unit, written=written), "latency", such_as)


def _throughput_in(amount: Amount, unit: str) -> float:
    """Bring a throughput to the unit of a curve."""
    if not amount.unit:
        return amount.value
    (work, _, time), (its_work, _, its_time) = amount.unit.partition("/"), unit.partition("/")
    if work not in ("", its_work) or its_time not in _SECONDS:
        shown = f"a curve in {printable(unit)}; give it in that" if unit else _NO_UNIT
        raise DataError(f"throughput '{amount.written}' cannot be read on {shown}")
    return amount.value * _SECONDS[its_time] / _SECONDS[time]


def _latency_in(amount: Amount, unit: str) -> float:
    """Bring a latency to the time unit of a curve whose throughput is in ``unit``."""
    time = unit.partition("/")[2]
    if time not in _SECONDS:
        shown = f"a curve in {printable(unit)}" if unit else _NO_UNIT
        raise DataError(f"latency '{amount.written}' cannot be read on {shown}")
    return amount.value / _SECONDS[time]


def _amount_number(asked: str | float, name: str, such_as: str) -> tuple[str, float | None]:
    """Return a question as text, and as a number where it is one without a unit."""
    if isinstance(asked, bool | np.bool_) or not isinstance(asked, str | int | float | np.integer | np.floating):
        raise DataError(f"{name} {printable(repr(asked), 60)} is neither a text nor a number; {such_as}")
    if not isinstance(asked, str):
        try:
            return f"{float(asked):g}", float(asked)
        except OverflowError as error:
            raise DataError(f"{name} is a whole number beyond every float; {such_as}") from error
    written = printable(asked.strip(), 60)
    try:
        return written, float(written)
    except ValueError:
        return written, None


def _amount_quantity(written: str, name: str, such_as: str) -> tuple[float, str]:
    try:
        return parse_quantity(written)
    except DataError as error:
        raise DataError(f"{name} '{written}' is no number with a unit; {such_as}") from error


def _positive_amount(amount: Amount, name: str, such_as: str) -> Amount:
    if not (math.isfinite(amount.value) and amount.value > 0):
        raise DataError(f"{name} '{amount.written}' is no finite number above 0; {such_as}")
    return amount


# Why a study has no curve at all.


def _no_curve(question: Question, sweeps: Sequence[Sweep], refused: Sequence[Refusal]) -> Refusal:
    """Say why a study has no scaling curve at all."""
    study, axis = question.study, question.study.scaling.concurrency
    if refused:
        return refused[0]
    if sweeps:
        most = max(sweeps, key=lambda sweep: sweep.levels)
        refusal = _too_few_levels(most, axis, FEWEST_LEVELS)
        if refusal is not None:
            return refusal
    if study.results.frame.empty and len(study.results.failed):
        return Refusal(
            question="scaling",
            reason=f"all {len(study.results.failed)} values asked for rest on failed operations",
            advice=f"{_MEND}; or ask for rows of another",
        )
    timed = study.results.frame[study.results.frame["metric"] == "time"]
    swept = [key["benchmark"] for key, rows in cells(timed, ["benchmark"]) if rows[axis].nunique() >= FEWEST_LEVELS]
    if swept and question.metric in ("", "time"):
        return Refusal(
            question="scaling",
            reason=f"{choices(swept, 3)} report time, and none is said to run operations in parallel: "
            "only then is time one over throughput",
            advice="list the parallel benchmarks: parallel in [configuration] of study.toml, "
            "or say so for all of them: --metric time",
        )
    rates = _rates_swept(study.results.frame, axis) if not question.metric else []
    if rates:
        return Refusal(
            question="scaling",
            reason=f"no metric here is called throughput; in work by time {'is' if len(rates) == 1 else 'are'} "
            f"{choices(rates, 3)}",
            advice=f"say which is meant: --metric {rates[0]}",
        )
    what = question.metric or "throughput"
    return Refusal(
        question="scaling",
        reason=f"no benchmark was measured at {FEWEST_LEVELS} or more levels of {axis}",
        advice=f"measure {what} at more levels of {axis}; double it from 1",
    )


def _rates_swept(frame: pd.DataFrame, axis: str) -> list[str]:
    """Return the metrics of another name that count work by time at enough levels."""
    rates = frame[frame["unit"].isin(["req/sec", "op/sec"]) & (frame["metric"] != "throughput")]
    swept = [
        key["metric"]
        for key, rows in cells(rates, ["metric"])
        if rows[axis].nunique() >= FEWEST_LEVELS and better(str(key["metric"]), "req/sec") == "higher"
    ]
    return [printable(str(value), 40) for value in swept]
