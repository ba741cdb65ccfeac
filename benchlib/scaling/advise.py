"""What to do next: the level to run at, the measurement that narrows an answer most, the command that makes it."""

from __future__ import annotations

import math
import re
import shlex
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from benchlib.errors import DataError, choices, printable, suggestion
from benchlib.scaling.curve import ScalingCurve, levels_text
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.intervals import QUANTITIES, derived_estimates, parameter_estimates
from benchlib.scaling.laws import FloatArray, law_named
from benchlib.scaling.solver import Objective, Solution, objective_of, solve_twice
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.moments import welch_pvalue

# Where another core still pays: throughput by core, gain by added core, and a level to use.

#: The rule of the recommendation, for method notes.
RULE = (
    "the level with the largest product of speedup and efficiency, X²/N: the knee of Eager, "
    "Zahorjan and Lazowska, IEEE Transactions on Computers 38(3), 1989, 408-423"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """Where a core returns most, from the points; levels beyond the cores never count."""

    per_core_best: float  # level with the most throughput by core
    #: Neighbouring levels between which an added core gains most; None where no step lies within the cores or none
    #: gains.
    added_core_best: tuple[float, float] | None
    recommended: float  # see `RULE`
    #: Smallest and largest level whose X²/N cannot be told from the recommended one's; None where a level has one
    #: measurement.
    recommended_range: tuple[float, float] | None
    rule: str


def best_return(curve: ScalingCurve, *, cores: int | None = None) -> Return:
    """Say which level gives most by core, by added core, and which to use.

    D. L. Eager, J. Zahorjan and E. D. Lazowska, "Speedup versus efficiency in parallel systems",
    IEEE Transactions on Computers 38(3), 1989, 408-423.
    """
    within = curve.concurrency <= (math.inf if cores is None else cores)
    if not np.any(within):
        raise DataError(
            f"no concurrency ({levels_text(curve.concurrency)}) lies within the {cores} cores; "
            "measure fewer workers or check `cores`"
        )
    levels, throughput = curve.concurrency[within], curve.throughput[within]
    # Of rates relative to the first, and multiplied: what no float holds is infinite then, and no error.
    relative = throughput / throughput[0]
    recommended = float(levels[int(np.argmax(relative * relative / levels))])
    step = None
    if len(levels) > 1:
        gains = np.diff(throughput) / np.diff(levels)
        at = int(np.argmax(gains))
        step = (float(levels[at]), float(levels[at + 1])) if gains[at] > 0 else None
    return Return(
        per_core_best=float(levels[int(np.argmax(throughput / levels))]),
        added_core_best=step,
        recommended=recommended,
        recommended_range=_indistinct(curve, within, recommended),
        rule=RULE,
    )


def _indistinct(curve: ScalingCurve, within: np.ndarray, best: float) -> tuple[float, float] | None:
    """Return the range of levels whose X²/N a 5 % Welch test cannot tell from the best level's."""
    if min(curve.counts) < 2:
        return None
    knees = [
        2 * np.log(values) - math.log(n) for n, values in zip(curve.concurrency[within], curve.replicates, strict=False)
    ]
    chosen = knees[list(curve.concurrency).index(best)]
    alike = [
        float(n)
        for n, knee in zip(curve.concurrency[within], knees, strict=True)
        if n == best or welch_pvalue(chosen, knee) >= 0.05
    ]
    return min(alike), max(alike)


# Which measurement to make next: the concurrency that narrows the interval of a quantity most.
#
# The fit is taken at its word: further measurements are put on its curve, with the noise it shows, and
# the interval is computed anew. This is the local c-optimal choice among single concurrencies, with the
# information of what is already measured; where the interval is a profile it is the profile that is
# computed, because the delta method says little of a peak beyond the data.
#
# A promise is as good as the fit it takes at its word. In simulation (5 levels to N = 16, 3 each, 5 % noise,
# 6 more as advised) the median width reached is within a tenth of that promised for parameters, for the
# ceiling, and for a peak within the data. For a peak at 22, beyond the data, that holds over all runs
# only: where the present interval happens to be finite the peak was estimated too low, and the width
# reached is 1.4 times that promised; where it has no upper end, half of it.
#
# A. C. Atkinson, A. N. Donev and R. D. Tobias, "Optimum Experimental Designs, with SAS", Oxford University
# Press 2007, sections 10.4 (c-optimality), 17.2 (local designs for nonlinear models) and 19 (augmentation).

#: Nothing is advised beyond this multiple of the largest level: the law may end before.
_REACH = 2.0
#: Nobody repeats a measurement more often; a budget that holds more is a slip of the pen.
MOST_REPETITIONS = 10_000
#: Concurrencies are tried one by one up to here, beyond it in equal ratios.
_ONE_BY_ONE = 16
_RATIOS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A measurement to make, and what it promises."""

    concurrency: int
    repetitions: int  # as many as the budget holds
    quantity: str  # what it is to narrow
    now: Estimate  # the quantity as it is known
    expected: Estimate  # the same with the interval to expect, if the fit is right
    #: present_width, expected_width: of the interval as it is, and of that to expect; infinite where it will have no
    #: upper end.
    present_width: float
    expected_width: float
    #: Expected width by present width; of reciprocals where the present interval has no upper end; NaN where it has no
    #: lower end that could be compared.
    shrink: float
    seconds: float  # what it costs


def next_measurements(
    curve: ScalingCurve,
    fit: ScalingFit,
    quantity: str,
    *,
    seconds_each: float,
    budget: float,
    confidence_level: float | None = None,
    limit: float | None = None,
) -> tuple[Advice, ...]:
    """Return where to measure next for a quantity, best first.

    All repetitions that the budget holds are put at one concurrency; every concurrency from 1 to
    twice the largest level is tried. The best shrinks the present interval most.
    """
    law = law_named(fit.law)
    known = [*law.parameters, *QUANTITIES.get(law.name, {})]
    if quantity not in known:
        raise DataError(
            f"{law.title} has no quantity '{printable(quantity)}'{suggestion(quantity, known)}; it has {choices(known)}"
        )
    repetitions = affordable(budget, seconds_each)
    level = fit.confidence_level if confidence_level is None else confidence_level
    solution = solve_twice(objective_of(curve, fit.weights), law, level)
    now = _estimate(solution, quantity, curve.unit)
    advice = []
    for concurrency in _candidates(curve, limit):
        expected = _estimate(_with_more(solution, concurrency, repetitions), quantity, curve.unit)
        expected = replace(expected, n=now.n + repetitions)
        advice.append(
            Advice(
                concurrency=concurrency,
                repetitions=repetitions,
                quantity=quantity,
                now=now,
                expected=expected,
                present_width=now.high - now.low,
                expected_width=expected.high - expected.low,
                shrink=_shrink(now, expected),
                seconds=repetitions * seconds_each,
            )
        )
    return tuple(sorted(advice, key=_rank))


def affordable(budget: float, seconds_each: float) -> int:
    """Return how many measurements a budget holds."""
    if not 0 < seconds_each < math.inf or not 0 <= budget < math.inf:
        raise DataError(f"a budget of {budget:g} s at {seconds_each:g} s a measurement is none; give positive seconds")
    if budget / MOST_REPETITIONS > seconds_each * (1 + 1e-12):
        raise DataError(
            f"a budget of {budget:g} s holds more than {MOST_REPETITIONS:,} measurements of {seconds_each:g} s; "
            f"lower it to {MOST_REPETITIONS * seconds_each:g} s at most, or say how long a measurement takes"
        )
    repetitions = int(budget / seconds_each * (1 + 1e-12))
    if repetitions < 1:
        raise DataError(
            f"a budget of {budget:g} s holds no measurement of {seconds_each:g} s; raise it, or shorten them"
        )
    return repetitions


def _candidates(curve: ScalingCurve, limit: float | None) -> Sequence[int]:
    """Whole concurrencies to try: all small ones, then in equal ratios, and every level measured."""
    most = _REACH * float(curve.concurrency[-1])
    if limit is not None:
        most = min(most, limit)
    ratios = np.geomspace(_ONE_BY_ONE, max(most, _ONE_BY_ONE), _RATIOS)
    tried = {*range(1, _ONE_BY_ONE + 1), *(round(float(ratio)) for ratio in (*ratios, *curve.concurrency))}
    return sorted(candidate for candidate in tried if 1 <= candidate <= most)


def _with_more(solution: Solution, concurrency: int, repetitions: int) -> Solution:
    """Return a solution as it will be after more measurements that lie on its curve.

    They add nothing to the sum of squares of the feasible fit, which stays the best; the variance is
    the one to expect, and its degrees of freedom grow.
    """
    objective, noise = solution.objective, solution.noise
    n = np.array([float(concurrency)])
    at_level = solution.law.throughput(n, *solution.feasible.parameters)
    # A level measured anew has noise of its own, which its repetitions share.
    share = noise.between / noise.single if noise.single else 0.0
    relative = noise.single / noise.variance if noise.variance else 1.0
    error = _scatter_at(objective, concurrency) * math.sqrt(relative * (share + (1 - share) / repetitions))
    more = replace(
        objective,
        concurrency=np.concatenate([objective.concurrency, n]),
        throughput=np.concatenate([objective.throughput, at_level]),
        scatter=np.append(objective.scatter, error),
        n=objective.n + repetitions,
    )
    gradient = more.evaluator(solution.law)(solution.feasible.parameters[np.newaxis])[1][0, -1]
    freedom = noise.degrees_of_freedom + (1 if noise.between else repetitions)
    return replace(
        solution,
        objective=more,
        noise=replace(noise, degrees_of_freedom=freedom),
        covariance=_updated(solution.covariance, gradient, solution.variance),
    )


def _updated(covariance: FloatArray, gradient: FloatArray, variance: float) -> FloatArray:
    """Add a measurement of one gradient, in units of its error, to a covariance (Sherman and Morrison 1950)."""
    towards = covariance @ gradient
    spread = variance + float(gradient @ towards)
    return np.asarray(covariance - np.outer(towards, towards) / spread) if spread > 0 else covariance


def _scatter_at(objective: Objective, concurrency: int) -> float:
    """Return the scatter to expect of one measurement at a level: of its neighbours, where levels have their own."""
    if objective.weights != "replicates":
        return 1.0
    each = objective.scatter * math.sqrt(objective.n / len(objective.scatter))
    return float(np.interp(math.log(concurrency), np.log(objective.concurrency), each))


def _estimate(solution: Solution, quantity: str, unit: str) -> Estimate:
    if quantity in solution.law.parameters:
        return parameter_estimates(solution, unit)[quantity]
    return derived_estimates(solution, unit, quantity)[quantity]


def _rank(advice: Advice) -> tuple[float, int]:
    """Order advice by shrink, known to six digits; the smallest of equal concurrencies, and of those without, first."""
    return math.inf if math.isnan(advice.shrink) else float(f"{advice.shrink:.6g}"), advice.concurrency


def _shrink(now: Estimate, expected: Estimate) -> float:
    if math.isfinite(now.high):
        width = now.high - now.low
        return (expected.high - expected.low) / width if 0 < width < math.inf else math.nan
    # Without an upper end: 1/peak lies between 0 and 1/low.
    if now.low <= 0 or expected.low <= 0:
        return math.nan
    return (1 / expected.low - 1 / expected.high) * now.low


# The command that makes an advised measurement, from the command that made those before.

#: Options that set the concurrency, by the axis they set; a short one may have its value joined on.
_OPTIONS = {
    "gomaxprocs": ("-cpu", "-test.cpu", "--test.cpu", "--cpu"),
    "workers": ("-workers", "--workers", "-w"),
    "connections": ("-c", "--connections"),
    "concurrency": ("-c", "--concurrency"),
    "clients": ("-c", "--clients", "--client"),
    "users": ("-u", "--users", "--vus"),
    "threads": ("-t", "--threads"),
    "jobs": ("-j", "--jobs"),
}
_COUNTS = ("-count", "-test.count", "--test.count", "--count")
#: Options that say how long one measurement takes; a bare number is seconds.
_DURATIONS = ("-d", "--duration", "-duration", "-benchtime", "-test.benchtime", "--test.benchtime", "-z")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s|us|µs|ns))+")
_PART = re.compile(r"([0-9.]+)(h|ms|m|s|us|µs|ns)")
#: A level that may stand in a command as it is.
_LEVEL = re.compile(r"[\w.:%/+-]+")
#: Load generators that divide their connections among threads.
_WRK = ("wrk", "wrk2")
_FIELDS = ("concurrency", "repetitions", "axis")
#: What a shell would act on outside of quotes; a command with these is not taken apart.
_SHELL = re.compile(r"[|;&<>()$`\n]")
_QUOTED = re.compile(r"'[^']*'")


def measuring_command(
    concurrency: int, repetitions: int, axis: str, template: str, levels: Mapping[str, object] = MappingProxyType({})
) -> str:
    """Write the command that measures at a concurrency, so many times, from the one that made the measurements before.

    A template may name the fields concurrency, repetitions and axis; else the option that sets the axis is set anew.
    A level takes the place of the name of its axis, written in capitals.
    """
    template = _at_levels(template, levels)
    if fields := _fields(template):
        filled = _accepted(template.format(concurrency=concurrency, repetitions=repetitions, axis=shlex.quote(axis)))
        return filled if "repetitions" in fields else _repeated(filled, repetitions)
    words = _words(template)
    option = _last_option(words, _OPTIONS.get(axis, ()))
    if option is None:
        return f"measure at {axis} {concurrency}, {'once' if repetitions == 1 else f'{repetitions} times'}"
    words = _set(words, option, concurrency)
    if words[:2] == ["go", "test"]:
        count = _last_option(words, _COUNTS)
        return shlex.join([*words, f"-count={repetitions}"] if count is None else _set(words, count, repetitions))
    return _repeated(_accepted(shlex.join(words)), repetitions)


def seconds_of(template: str) -> float | None:
    """Return how long one measurement takes by the command that makes it; None where it does not say."""
    words = _words(template)
    option = _last_option(words, _DURATIONS, _DURATION)
    text = "" if option is None else _argument(words, option)
    if text.isascii() and text.isdigit():
        seconds = float(text)
    elif _DURATION.fullmatch(text):
        seconds = sum(float(count) * _SECONDS[unit] for count, unit in _PART.findall(text))
    else:
        return None
    return seconds if 0 < seconds < math.inf else None


def _at_levels(template: str, levels: Mapping[str, object]) -> str:
    for name, level in levels.items():
        if name.isidentifier() and _LEVEL.fullmatch(str(level)):
            # No level holds a backslash, which a replacement would read.
            template = re.sub(rf"(?<![A-Za-z0-9_]){name.upper()}(?![A-Za-z0-9_])", str(level), template)
    return template


def sets_axis(axis: str, template: str) -> bool:
    """Whether a command says what its concurrency is, so that another can be set."""
    return bool(_fields(template)) or _last_option(_words(template), _OPTIONS.get(axis, ())) is not None


def _fields(template: str) -> set[str]:
    """Return the fields of a template; none where its braces are a shell's own."""
    try:
        named = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    except ValueError:
        return set()
    if not named & set(_FIELDS):
        return set()
    unknown = sorted(named - set(_FIELDS))
    if unknown:
        raise DataError(
            f"the command template has an unknown field '{printable(unknown[0])}'; fields: {choices(_FIELDS)}"
        )
    return named


def _words(template: str) -> list[str]:
    if _SHELL.search(_QUOTED.sub("", template)):
        return []
    try:
        return shlex.split(template)
    except ValueError:  # a quote that does not end
        return []


#: Where an option stands among words, its name, and what follows that within its word.
_Option = tuple[int, str, str]


def _last_option(words: list[str], names: tuple[str, ...], joint: re.Pattern[str] | None = None) -> _Option | None:
    """Return the last of some options: the one that counts."""
    for at in reversed(range(len(words))):
        for name in names:
            rest = _rest(words[at], name, joint)
            if rest is not None:
                return at, name, rest
    return None


def _rest(word: str, name: str, joint: re.Pattern[str] | None) -> str | None:
    """Return what follows an option within a word: ``=8``, ``8`` after a single letter, or nothing yet.

    ``joint`` is what else may follow a single letter. None where the word is not that option.
    """
    if word == name:
        return ""
    if word.startswith(f"{name}="):
        return word.removeprefix(name)
    rest = word.removeprefix(name)
    may = rest.isdigit() or rest.isupper() or (joint is not None and joint.fullmatch(rest) is not None)
    return rest if len(name) == 2 and rest != word and may else None


def _argument(words: list[str], option: _Option) -> str:
    """Return what an option is given, in its word or the next."""
    at, _, rest = option
    return (rest or "".join(words[at + 1 : at + 2])).removeprefix("=")


def _set(words: list[str], option: _Option, value: int | str) -> list[str]:
    """Return the words with an option given another value."""
    at, name, rest = option
    if not rest:
        return [*words[: at + 1], str(value), *words[at + 2 :]]
    return [*words[:at], f"{name}{'=' if rest.startswith('=') else ''}{value}", *words[at + 1 :]]


def _accepted(text: str) -> str:
    """Return a command as its program accepts it: wrk refuses more threads than connections."""
    words = _words(text)
    if not words or words[0].rpartition("/")[2] not in _WRK:
        return text
    options = [_last_option(words, _OPTIONS[name]) for name in ("connections", "threads")]
    connections, threads = ("" if option is None else _argument(words, option) for option in options)
    if options[1] is None or not all(text.isascii() and text.isdigit() for text in (connections, threads)):
        return text
    return shlex.join(_set(words, options[1], connections)) if int(threads) > int(connections) else text


def _repeated(text: str, repetitions: int) -> str:
    return text if repetitions == 1 else f"for i in $(seq {repetitions}); do {text}; done"
