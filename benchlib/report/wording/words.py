"""Numbers in words: right unit, right digits, right direction."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.evidence import Evidence
from benchlib.report.wording.told import Told, evident, joined
from benchlib.significant_digits import ends, figure
from benchlib.statistics.estimates import Estimate, digits_between
from benchlib.statistics.samples import spans_sample
from benchlib.units import confidence, percent

__all__ = ["carried_change", "change", "count", "figure", "interval", "metric_name", "with_interval", "written_factor"]

LAW_NAMES = {
    "linear": "proportional growth",
    "plateau": "plateau",
    "amdahl": "Amdahl's law",
    "gustafson": "Gustafson's law",
    "usl": "Universal Scalability Law",
}
_NAMES = {
    "time": "time per operation",
    "throughput": "throughput",
    "memory": "memory per operation",
    "allocations": "allocations per operation",
    "transfer": "data rate",
}


def metric_name(metric: str) -> str:
    """Return how a metric is called in a sentence.

    Examples
    --------
    >>> metric_name("latency_p99"), metric_name("memory")
    ('p99 latency', 'memory per operation')
    """
    if metric.startswith("latency_"):
        return f"{metric.removeprefix('latency_')} latency"
    return _NAMES.get(metric, metric.replace("_", " "))


def interval(estimate: Estimate, apart: tuple[float, ...] = ()) -> str:
    """Write the interval of an estimate in words, or say that there is none; ``apart`` is that of `figure`.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> once = replace(point(0.01999967, "", 9, "fit"), confidence_level=0.95)
    >>> interval(replace(once, low=0.0199994, high=0.0199999)), interval(replace(once, value=math.inf, low=6.29))
    ('95 %: 0.019999 to 0.020000', '95 %: at least 6.29')
    >>> from benchlib.statistics.samples import summarise
    >>> interval(summarise([3.0] * 6, unit="allocs/op").median), interval(summarise([3.0] * 30, unit="B/op").median)
    ('all 6 alike', '95 %: 3 B/op')
    """
    low, high = math.isfinite(estimate.low), math.isfinite(estimate.high)
    level = confidence(estimate.confidence_level)
    lower, upper = ends(estimate, apart=apart)
    if low and lower == upper:
        return f"all {estimate.n:,} alike" if spans_sample(estimate) else f"{level}: {upper}"
    if low and high:
        return f"{level}: {lower.rsplit(' ', 1)[0] if _same_unit(lower, upper) else lower} to {upper}"
    if low and estimate.low > 0:
        return f"{level}: at least {lower}"
    if low:
        return f"{level}: no bound"
    if high:
        return f"{level}: at most {upper}"
    return f"n = {estimate.n}, no interval"


def evident_figure(estimate: Estimate, evidence: Evidence, apart: tuple[float, ...] = ()) -> Told:
    """Write the value of an estimate with what is behind it."""
    return evident(figure(estimate, apart=apart), evidence, estimate.value)


def evident_interval(estimate: Estimate, evidence: Evidence, apart: tuple[float, ...] = ()) -> Told:
    """Write the interval of an estimate with what is behind it; a table sorts by its lower end."""
    return evident(interval(estimate, apart), evidence, estimate.low)


def with_interval(estimate: Estimate, apart: tuple[float, ...] = ()) -> str:
    """Write a value followed by its interval in brackets."""
    return f"{figure(estimate, apart=apart)} ({interval(estimate, apart)})"


def coefficient(value: float) -> str:
    """Write a dimensionless coefficient that has no interval, to seven decimals like the R package usl.

    Examples
    --------
    >>> coefficient(0.02772847562), coefficient(96.519561), coefficient(float("inf"))
    ('0.0277285', '96.52', '∞')
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞"
    if value == 0:
        return "0"
    if abs(value) < 1:
        return f"{value:.7f}".replace("-", "−")
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def _same_unit(first: str, second: str) -> bool:
    return " " in first and first.rsplit(" ", 1)[-1] == second.rsplit(" ", 1)[-1]


#: Factors below this are written with all the digits before their point.
_LARGEST = 1e12
#: Decimals of a factor that no interval bounds.
_DECIMALS = 2
_DIRECTIONS = {
    "faster": ("time", "latency"),
    "less": ("memory", "allocations"),
}


def carried_change(ratio: Estimate, metric: str) -> str:
    """Say how a candidate differs from its baseline, with no more digits than the interval carries.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> once = point(30.93, "ratio", 1, "one run")
    >>> carried_change(once, "time"), carried_change(replace(once, low=12.05, high=40.04), "time")
    ('30.93x slower', '31x slower')
    """
    return change(ratio.value, metric, carried_decimals(ratio.value, ratio.low, ratio.high))


def carried_decimals(ratio: float, low: float, high: float) -> int:
    """Return the decimals that an interval leaves to a factor and to its ends: as many as to what it exceeds one by.

    No end reads as one that is another number.

    Examples
    --------
    >>> carried_decimals(30.93, 12.05, 40.04), carried_decimals(4.94, 2.6, 7.19), carried_decimals(1.05, 0.9, 1.2)
    (0, 1, 2)
    >>> carried_decimals(0.25, 0.2, 0.3), carried_decimals(4.0, 1.02, 7.0), carried_decimals(30.93, 12.05, math.inf)
    (1, 2, 2)
    """
    if not (0 < low <= ratio <= high < math.inf):
        return _DECIMALS
    factor, near, far = (ratio, low, high) if ratio >= 1 else (1 / ratio, 1 / high, 1 / low)
    if factor == 1:
        return _DECIMALS
    places = _places(factor - 1, digits_between(factor - 1, near, far, 3), _DECIMALS)
    ends = (factor, max(near, 1 / near), far)
    while places < _DECIMALS and any(written_factor(one, places) == "1.0x" for one in ends):
        places += 1
    return places


def share_decimals(share: Estimate) -> int:
    """Return the decimals in percent that an interval leaves to a share and to its ends: tenths, or none.

    A share may be next to nothing: the largest of the three numbers says what the first digit is.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from benchlib.statistics.estimates import point
    >>> rest = point(-0.018, "ratio", 24, "what is left")
    >>> share_decimals(rest), share_decimals(replace(rest, low=-0.711, high=0.669))
    (1, 0)
    >>> share_decimals(replace(rest, low=-0.021, high=-0.015))
    1
    """
    if not share.has_interval:
        return 1
    size = max(abs(one) for one in (share.value, share.low, share.high))
    return _places(100 * size, digits_between(size, share.low, share.high, 3), 1) if size else 1


def percent_decimals(share: float, low: float, high: float) -> int:
    """Return the decimals in percent that an interval leaves to an efficiency; without one it has three digits.

    Examples
    --------
    >>> percent_decimals(1.252, 1.106, 1.382), percent_decimals(0.989, 0.985, 0.992)
    (0, 1)
    >>> percent_decimals(0.665, 0, math.inf), percent_decimals(1.649, 0, math.inf)
    (1, 0)
    """
    return _places(100 * share, digits_between(share, low, high, 3), 1) if share > 0 else 1


def _places(size: float, digits: int, most: int) -> int:
    """Return how many decimals so many significant digits take, at most so many."""
    return min(max(digits - 1 - math.floor(math.log10(size)), 0), most)


def change(ratio: float, metric: str, decimals: int = _DECIMALS) -> str:
    """Say how a candidate differs from its baseline: as a factor of at least one, or by what share it is lower.

    Nothing is a factor lower or less: of one that falls to a tenth 90 % are gone.

    Parameters
    ----------
    ratio : float
        Candidate over baseline.
    metric : str
    decimals : int
        Of a factor; `carried_change` takes them from an interval.

    Examples
    --------
    >>> change(0.71, "latency_p50"), change(1.2175, "latency_max"), change(1.442, "throughput")
    ('1.41x faster', '1.22x slower', '1.44x higher')
    >>> change(0.101, "throughput"), change(0.955, "memory"), change(0.00042, "allocations")
    ('90 % lower', '4.5 % less', '99.96 % less')
    >>> change(1.0009, "latency_p99")
    'no different (1.00x)'
    """
    if math.isnan(ratio):
        return "not comparable as a ratio"
    if ratio <= 0:
        return "down to none"
    factor = ratio if ratio >= 1 else 1 / ratio
    if f"{factor:.2f}" == "1.00":
        return "no different (1.00x)"
    size = written_loss(ratio) if is_loss(ratio, metric) else written_factor(factor, decimals)
    return f"{size} {direction(ratio, metric)}"


def direction(ratio: float, metric: str) -> str:
    """Say which way a ratio goes, in the word that its metric asks for.

    Examples
    --------
    >>> direction(1.2, "time"), direction(0.8, "memory"), direction(1.2, "throughput")
    ('slower', 'less', 'higher')
    """
    up = ratio > 1
    if metric.startswith(_DIRECTIONS["faster"]):
        return "slower" if up else "faster"
    if metric in _DIRECTIONS["less"]:
        return "more" if up else "less"
    return "higher" if up else "lower"


def is_loss(ratio: float, metric: str) -> bool:
    """Whether a ratio is told as the share that is gone: a rate or an amount that fell.

    Examples
    --------
    >>> is_loss(0.8, "throughput"), is_loss(0.8, "memory"), is_loss(0.8, "time"), is_loss(1.2, "throughput")
    (True, True, False, False)
    """
    return direction(ratio, metric) in ("lower", "less")


def written_loss(ratio: float) -> str:
    """Write what a ratio below one is short of it, with the digits that part it from all and from nothing.

    Examples
    --------
    >>> written_loss(0.8), written_loss(0.985), written_loss(0.004), written_loss(1e-9)
    ('20 %', '1.5 %', '99.6 %', 'more than 99.99 %')
    """
    if ratio < 1e-4:
        return "more than 99.99 %"
    if ratio > 0.9:
        return percent(1 - ratio, 1)
    return percent(1 - ratio, max(0, -math.floor(math.log10(ratio)) - 2))


def written_factor(factor: float, decimals: int = _DECIMALS) -> str:
    """Write a factor of at least one: hundredths say nothing beside hundreds.

    Examples
    --------
    >>> written_factor(1.2175), written_factor(9197.64), written_factor(3e200), written_factor(math.inf)
    ('1.22x', '9,198x', '3.00e+200x', '∞x')
    >>> written_factor(30.93, 0), written_factor(8.97, 0)
    ('31x', '9.0x')
    """
    if math.isinf(factor):
        return "∞x"
    if factor >= _LARGEST:
        return f"{factor:.2e}x"
    # Two digits at least: 8.97x beside 14x is 9.0x.
    places = decimals if factor >= 9.95 else max(decimals, 1)
    return f"{factor:.{places}f}x" if factor < 99.995 else f"{factor:,.0f}x"


def listed(words: Sequence[str]) -> Told:
    """Join words into a list for a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return joined([joined(words[:-1], ", "), words[-1]], " and ") if len(words) > 1 else joined(words)


def count(number: int, noun: str) -> str:
    """Write a count with its noun, in the plural where it is one.

    Examples
    --------
    >>> count(1, "row"), count(2400, "row")
    ('1 row', '2,400 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
