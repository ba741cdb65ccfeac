"""Metrics: what a value measures, the one name it goes by, and which way is better."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from benchlib.errors import printable
from benchlib.units import Unit, parse_unit

__all__ = [
    "Better",
    "Metric",
    "better",
    "canonical",
    "factor_of",
    "metric",
    "misfit",
    "needs_unit",
    "never_negative",
    "unit_of",
]

Better = Literal["higher", "lower"] | None


@dataclass(frozen=True, slots=True)
class Metric:
    """What a column of values measures: its name, base unit, and which way is better."""

    name: str
    unit: str
    better: Better


#: Units that only a time has: elsewhere ``m`` may be metres, and ``h`` anybody's.
_TIMES_ONLY = {"m": Unit("sec", 60.0), "h": Unit("sec", 3600.0), "duration": Unit("sec", 1.0)}
_TIMES = re.compile(r"(?:.*_)?(?:time|latency|duration)(?:_.*)?")


def unit_of(name: str, written: str) -> Unit:
    """Return the base unit of a value of a known metric, and the factor to reach it.

    A time may be written in minutes (``m``), hours (``h``), or as a Go duration of several parts such as
    ``1m0.05s``, of which the value is the seconds and the unit ``duration``.

    Examples
    --------
    >>> unit_of("latency_max", "m").factor, unit_of("distance", "m").base
    (60.0, 'm')
    """
    if written in _TIMES_ONLY and _TIMES.fullmatch(name):
        return _TIMES_ONLY[written]
    return parse_unit(written)


_METRICS = {
    "sec/op": "time",
    "B/op": "memory",
    "allocs/op": "allocations",
    "op/sec": "throughput",
    "req/sec": "throughput",
    "B/sec": "transfer",
    "req": "requests",
    "op": "operations",
}
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d+|9+)?)[_\- ]?(ns|us|µs|μs|ms|s|sec)", re.ASCII)
_SHARE = re.compile(r"(latency(?:_[a-z]+)*_p)(\d{1,20})(?:\.(\d{1,20}))?", re.ASCII)
_LOWER = re.compile(
    r"(?:cpu_|user_|system_|gc_)?time(?:_.*)?|memory(?:_.*)?|allocations|errors|error_rate|timeouts|latency.*|gc_.*|stdev|jitter|duration.*"
)
_HIGHER = re.compile(r"(?:throughput|transfer)(?:_(?!stdev|spread|cv).*)?")


def canonical(name: str) -> str:
    """Return the one name of a metric: a percentile keeps its point, and nothing after it that says nothing.

    Tools also write the 99.9th percentile ``p999``: beyond 100, the digits after the first two are decimals.

    Examples
    --------
    >>> canonical("latency_p999"), canonical("latency_p99.90"), canonical("latency_p50.0")
    ('latency_p99.9', 'latency_p99.9', 'latency_p50')
    >>> canonical("latency_p100"), canonical("latency_p975"), canonical("p999")
    ('latency_p100', 'latency_p97.5', 'p999')
    """
    match = _SHARE.fullmatch(name)
    if not match:
        return name
    whole, decimals = match[2], match[3] or ""
    if not decimals and len(whole) > 2 and whole != "100":
        whole, decimals = whole[:2], whole[2:]
    decimals = decimals.rstrip("0")
    return f"{match[1]}{whole}.{decimals}" if decimals else f"{match[1]}{whole}"


#: What is better of a unit, whatever the metric is called: work by time, and what an operation costs.
_BETTER_OF_UNIT: dict[str, Better] = {
    "req/sec": "higher", "op/sec": "higher", "B/sec": "higher",
    "sec/op": "lower", "B/op": "lower", "allocs/op": "lower",
}  # fmt: skip
#: What a program does: more of it in a second is better.
_WORK = frozenset({
    "bit", "flop", "call", "cell", "command", "commit", "connection", "conn", "doc", "document", "edge", "element",
    "entry", "event", "file", "frame", "hash", "image", "insert", "io", "item", "iter", "iteration", "job", "key",
    "line", "lookup", "message", "msg", "node", "object", "operation", "packet", "page", "particle", "pixel", "point",
    "query", "read", "record", "row", "sample", "sequence", "step", "task", "token", "transaction", "txn", "tx",
    "update", "vertex", "word", "write",
})  # fmt: skip
_PLURALS = {"entries": "entry", "hashes": "hash", "queries": "query", "vertices": "vertex"}
#: A time that something took, by its name; a time by itself may be of anything.
_TOOK = re.compile(
    r"(?:.+_)?(?:time|latency|elapsed|runtime|walltime|wall|duration)(?:_(?:mean|avg|median|min|max|p\d+|total|error))*"
)
#: Names of times that nobody wants short: waits that were set, and moments.
_NOT_TAKEN = re.compile(r"(?:.*_)?(?:think|idle|sleep|start|end|stop|begin|up|warmup|interval|window|run_?for)(?:_.*)?")
_FACTORS_UP = frozenset({"speedup", "speed_up", "efficiency", "parallel_efficiency"})
#: Names of rates that somebody set, and of what went wrong, varied or was compared: their unit tells no way.
_NO_WAY = re.compile(
    r".*(?:error|fail|exception|throttl|reject|timeout|cancel|abort|[45]xx|non_?2xx).*|"
    r"(?:.*[\W_])?(?:rate|offered|requested|target|limit|quota|sent|saved|stdev|stddev|std|spread|variance|cv|errors?|"
    r"fail\w*|fehler|timeouts?|timed|retr\w+|drop\w*|reject\w*|refused|aborted|lost|miss\w*|change|delta|diff\w*|"
    r"drift|offset|skew|overhead|loss|shed|load|arrivals?|demand|allocated)(?:[\W_].*)?",
    re.IGNORECASE,
)
#: Matching a longer name takes time with every word of it.
_LONGEST_NAME = 200


def better(name: str, unit: str = "") -> Better:
    """Return which way a metric improves, or None where that is not known.

    Parameters
    ----------
    name : str
    unit : str
        Its base unit, which tells where the name does not.

    Examples
    --------
    >>> better("throughput"), better("latency_p99"), better("goroutines")
    ('higher', 'lower', None)
    >>> better("durchsatz", "req/sec"), better("decode", "sec/op"), better("failed", "req/sec")
    ('higher', 'lower', None)
    >>> better("tokens/sec", "tokens/sec"), better("build_time", "sec"), better("halo", "sec")
    ('higher', 'lower', None)
    """
    if _HIGHER.fullmatch(name):
        return "higher"
    if _LOWER.fullmatch(name):
        return "lower"
    if name.lower() in _FACTORS_UP and unit in ("", "ratio", "x"):
        return "higher"
    known = _BETTER_OF_UNIT.get(unit)
    if unit == "sec" and len(name) <= _LONGEST_NAME and _TOOK.fullmatch(name) and not _NOT_TAKEN.fullmatch(name):
        known = "lower"
    elif not known and unit.endswith("/sec"):
        work = unit.removesuffix("/sec").lower()
        known = "higher" if _PLURALS.get(work, work.removesuffix("s")) in _WORK or work in _WORK else None
    return known if known and len(name) <= _LONGEST_NAME and not _NO_WAY.fullmatch(name) else None


@lru_cache(maxsize=4096)
def metric(unit: str) -> tuple[Metric, float]:
    """Return the metric that a unit of a result line stands for, and the factor to its base unit.

    A unit of no known metric names its own: ``cycles/op`` is the metric ``cycles/op``.

    Examples
    --------
    >>> metric("ns/op")
    (Metric(name='time', unit='sec/op', better='lower'), 1e-09)
    >>> metric("p50_µs")
    (Metric(name='latency_p50', unit='sec', better='lower'), 1e-06)
    """
    percentile = _PERCENTILE.fullmatch(unit)
    if percentile:
        name = canonical(f"latency_p{percentile[1]}")
        return Metric(name, "sec", "lower"), parse_unit(percentile[2]).factor
    base = parse_unit(unit)
    name = _METRICS.get(base.base, base.base)
    return Metric(name, base.base, better(name, base.base)), base.factor


def factor_of(name: str, written: str) -> float:
    """Return the factor that brought a value of a metric from its unit as written to the base unit.

    Examples
    --------
    >>> factor_of("latency_p50", "p50_ms"), factor_of("latency_max", "m")
    (0.001, 60.0)
    """
    known, factor = metric(written)
    return factor if known.name == name else unit_of(name, written).factor


_IN_A_UNIT = re.compile(r"throughput|transfer|memory|time|duration|latency(?:_(?!cv$).*)?")


def needs_unit(name: str) -> bool:
    """Whether the values of a metric mean nothing without a unit.

    Examples
    --------
    >>> needs_unit("throughput"), needs_unit("latency_p99"), needs_unit("latency_cv"), needs_unit("goroutines")
    (True, True, False, False)
    """
    return bool(_IN_A_UNIT.fullmatch(name))


_KINDS = {"time": "sec", "memory": "B", "transfer": "B", "allocations": "allocs"}


def misfit(name: str, unit: str) -> str:
    """Say why a unit cannot be one of a known metric, or return an empty text.

    Examples
    --------
    >>> misfit("time", "B"), misfit("latency_p99", "ms"), misfit("throughput", "ms")
    ("'B' is no unit of time", '', "'ms' is no unit of throughput")
    """
    above, below, _ = unit_of(name, unit).base.partition("/")
    wanted = "sec" if name.startswith("latency_") and not name.endswith("_cv") else _KINDS.get(name)
    if wanted and above != wanted and unit:
        return f"'{printable(unit, 40)}' is no unit of {name}"
    if name == "throughput" and not below and above in ("sec", "B"):
        return f"'{printable(unit, 40)}' is no unit of {name}"
    return ""


#: What no measurement makes less than nothing, by the top of its base unit.
_AMOUNTS = {"sec": "time", "B": "size", "op": "count", "req": "count", "allocs": "count"}
#: A difference between two measurements has a sign; pprof calls those of two profiles flat and cum.
_SIGNED = re.compile(r"(?:flat|cum)_.*|(?:.*_)?(?:change|delta|diff|difference|drift|offset|skew)")


def never_negative(name: str, unit: str) -> str:
    """Say what a metric measures if it cannot be negative ("time", "rate"), or return an empty text.

    Units that benchlib does not know may be negative, and so may a difference.

    Examples
    --------
    >>> never_negative("latency_p99", "sec"), never_negative("throughput", "req/sec"), never_negative("memory", "B/op")
    ('time', 'rate', 'size')
    >>> never_negative("clock_skew", "sec"), never_negative("temperature", "celsius")
    ('', '')
    """
    if _SIGNED.fullmatch(name):
        return ""
    above, _, below = unit.partition("/")
    if not unit:
        # No unit was written; the name says enough.
        above = "sec" if name.startswith("latency_") else _KINDS.get(name, "req" if name == "throughput" else "")
    what = _AMOUNTS.get(above, "")
    return "rate" if what and below == "sec" else what
