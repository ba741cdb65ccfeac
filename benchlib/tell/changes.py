"""How a change is said: percent below twice, "times" from there on, and which of five phrases its verdict has."""

from __future__ import annotations

import math
from collections.abc import Mapping

from benchlib.answers.evidence import Evidence
from benchlib.document.blocks import Number, Text
from benchlib.document.words import metric_words, place_words

__all__ = ["change", "measured", "row_name"]

#: The five phrases, and no other: verdict of a row -> what is said.
VERDICTS = {"better": "better", "worse": "worse", "same": "no change beyond noise", "cannot tell": "undecided"}
#: What only one side has, and what the change cannot affect.
NOT_COMPARED = "not compared"
#: From here on a ratio is said as such: "2.2 times", and not "120% more".
_TIMES = 2.0
_DIGITS = 2
#: What differs by less is about the same.
ABOUT = 0.005
_NOUNS = {
    "time": "time",
    "memory": "memory",
    "allocations": "allocations",
    "latency_p50": "median latency",
    "latency_p99": "99th-percentile latency",
}


def noun(metric: str) -> str:
    """Return a metric as it stands behind "less" and "more".

    Examples
    --------
    >>> noun("time"), noun("latency_p99"), noun("latency_max")
    ('time', '99th-percentile latency', 'longest latency')
    """
    return _NOUNS.get(metric, metric_words(metric))


def amount(
    ratio: float, evidence: Evidence | None = None, low: float = math.nan, high: float = math.nan
) -> tuple[Number, str]:
    """Return the size of a change as a number, and its direction: "more", "less", "times" or "".

    Examples
    --------
    >>> from benchlib.document.numbers import write
    >>> [(write(size), way) for size, way in (amount(1.041), amount(0.71), amount(3.985))]
    [('4.1%', 'more'), ('29%', 'less'), ('4.0 times', 'times')]
    """
    bounded = math.isfinite(low) and math.isfinite(high)
    ends = (low, high) if bounded else (None, None)
    if ratio >= _TIMES:
        return Number(value=ratio, unit="x", low=ends[0], high=ends[1], digits=_DIGITS, evidence=evidence), "times"
    sign = 1.0 if ratio >= 1 else -1.0
    if bounded:
        ends = (low - 1, high - 1) if sign > 0 else (1 - high, 1 - low)
    size = Number(value=sign * (ratio - 1), unit="ratio", low=ends[0], high=ends[1], digits=_DIGITS, evidence=evidence)
    return size, "" if ratio == 1 else "more" if sign > 0 else "less"


def change(ratio: float, metric: str, evidence: Evidence | None = None, *, bare: bool = False) -> Text:
    """Say a ratio as a change; ``bare`` leaves the metric to the words around it.

    Examples
    --------
    >>> from benchlib.document.numbers import write
    >>> def words(text):
    ...     return "".join(part if isinstance(part, str) else write(part) for part in text)
    >>> [words(change(*asked)) for asked in ((0.71, "latency_p50"), (3.985, "throughput"), (1.0, "allocations"))]
    ['29% less median latency', '4.0 times the throughput', 'the same allocations']
    >>> words(change(0.98, "allocations")), words(change(2.3, "time")), words(change(1.041, "time", bare=True))
    ('2.0% fewer allocations', '2.3 times the time', '4.1% more')
    """
    name = noun(metric)
    size, way = amount(ratio, evidence)
    if not math.isfinite(ratio):
        return ("up from zero",) if bare else (f"{name} up from zero",)
    if abs(ratio - 1) < ABOUT:
        same = "about the same" if way else "the same"
        return (same,) if bare else (f"{same} {name}",)
    if way == "times":
        return (size,) if bare else (size, f" the {name}")
    way = "fewer" if way == "less" and name.endswith("s") else way
    return (size, f" {way}") if bare else (size, f" {way} {name}")


def measured(value: float, unit: str, evidence: Evidence | None = None) -> Number:
    """Return a measured value; a count of allocations is exact.

    Examples
    --------
    >>> from benchlib.document.numbers import write
    >>> write(measured(3.0, "allocs/op")), write(measured(1421.0, "allocs/op")), write(measured(0.00498, "sec"))
    ('3 allocs/op', '1,421 allocs/op', '4.98 ms')
    """
    exact = unit == "allocs/op" and value.is_integer()
    return Number(value=value, unit=unit, digits=len(f"{abs(value):.0f}") if exact else None, evidence=evidence)


def turned(ratio: float, low: float, high: float) -> tuple[float, float, float]:
    """Return a ratio of times as one of throughput."""
    return 1 / ratio, 1 / high if high else math.nan, 1 / low if low else math.nan


def row_name(key: Mapping[str, object], metric: str = "") -> str:
    """Return what a row compares in words.

    Examples
    --------
    >>> row_name({"benchmark": "FrameJSON", "case": "nil_filter", "pkg": "x/y"}), row_name({"bits": 32, "inputs": 1})
    ('frame JSON, nil filter', 'bits 32, inputs 1')
    >>> row_name({}, "latency_p50"), row_name({"gateway": "direct"}, "time")
    ('median latency', 'direct, time')
    """
    place = place_words({axis: level for axis, level in key.items() if axis != "pkg"})
    return ", ".join(words for words in (place, noun(metric) if metric else "") if words)
