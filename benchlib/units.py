"""Units: parsed and converted once, at the door, and scaled again only for display.

Base units are ``sec``, ``B`` (bytes), ``op``, ``req`` and plain counts, alone or as ratios such
as ``sec/op``. The rules extend benchstat's (golang.org/x/perf/benchunit), which tidies only
``ns`` and ``MB`` of the numerator.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from benchlib.errors import DataError, printable

__all__ = [
    "Better",
    "Metric",
    "Unit",
    "better",
    "metric",
    "misfit",
    "parse_duration",
    "parse_quantity",
    "parse_unit",
    "percent",
    "scaled",
    "show",
]

Better = Literal["higher", "lower"] | None

_TIME = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES = {
    "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
}  # fmt: skip
_WORDS = {"sec": "sec", "secs": "sec", "seconds": "sec", "second": "sec", "bytes": "B", "byte": "B",
          "ops": "op", "reqs": "req", "requests": "req", "request": "req", "allocs": "allocs"}  # fmt: skip
_COUNTS_PER_SECOND = {"rps": "req/sec", "tps": "op/sec", "qps": "req/sec"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A base unit and the factor that brings a value as written to it."""

    base: str
    factor: float


@dataclass(frozen=True, slots=True)
class Metric:
    """What a column of values measures: its name, base unit, and which way is better."""

    name: str
    unit: str
    better: Better


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """Return the base unit of a unit as a tool wrote it, and the factor to reach it.

    Tokens are split at ``/``, ``*``, ``-`` and space. A token of the numerator is scaled
    (``ns`` by 1e-9, ``MB`` by 1e6, ``KiB`` by 1024); ``s`` becomes ``sec`` on both sides, and a
    scaled time below the line divides. An unknown token stays as it is.

    Examples
    --------
    >>> parse_unit("ns/op")
    Unit(base='sec/op', factor=1e-09)
    >>> parse_unit("MB/s")
    Unit(base='B/sec', factor=1000000.0)
    >>> parse_unit("req/s")
    Unit(base='req/sec', factor=1.0)
    >>> parse_unit("%")
    Unit(base='ratio', factor=0.01)
    """
    written = text.strip()
    if written == "%":
        return Unit("ratio", 0.01)
    if written in _COUNTS_PER_SECOND:
        return Unit(_COUNTS_PER_SECOND[written], 1.0)
    factor, below = 1.0, False
    parts: list[str] = []
    for token in re.split(r"([*/\- ])", written):
        if token == "/":
            below = True
        scale, word = _token(token)
        # A bare m or h is minutes only where a duration is parsed; in a unit it is left alone.
        factor = factor / scale if below else factor * scale
        parts.append(word)
    return Unit("".join(parts), factor)


def _token(token: str) -> tuple[float, str]:
    if token in _TIME and token not in ("m", "h"):
        return _TIME[token], "sec"
    if token in _BYTES:
        return _BYTES[token], "B"
    return 1.0, _WORDS.get(token, token)


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
_LOWER = re.compile(
    r"(?:cpu_|user_|system_|gc_)?time(?:_.*)?|memory(?:_.*)?|allocations|errors|error_rate|timeouts|latency.*|gc_.*|stdev|jitter|duration.*"
)
_HIGHER = re.compile(r"throughput|transfer")


def better(name: str) -> Better:
    """Return which way a metric improves, or None where that is not known.

    Examples
    --------
    >>> better("throughput"), better("latency_p99"), better("goroutines")
    ('higher', 'lower', None)
    """
    if _HIGHER.fullmatch(name):
        return "higher"
    return "lower" if _LOWER.fullmatch(name) else None


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
        name = f"latency_p{percentile[1]}"
        return Metric(name, "sec", "lower"), parse_unit(percentile[2]).factor
    base = parse_unit(unit)
    name = _METRICS.get(base.base, base.base)
    return Metric(name, base.base, better(name)), base.factor


_KINDS = {"time": "sec", "memory": "B", "transfer": "B", "allocations": "allocs"}


def misfit(name: str, unit: str) -> str:
    """Say why a unit cannot be one of a known metric, or return an empty text.

    Examples
    --------
    >>> misfit("time", "B"), misfit("latency_p99", "ms"), misfit("throughput", "ms")
    ("'B' is no unit of time", '', "'ms' is no unit of throughput")
    """
    above, below, _ = parse_unit(unit).base.partition("/")
    wanted = "sec" if name.startswith("latency_") and not name.endswith("_cv") else _KINDS.get(name)
    if wanted and above != wanted and unit:
        return f"'{printable(unit, 40)}' is no unit of {name}"
    if name == "throughput" and not below and above in ("sec", "B"):
        return f"'{printable(unit, 40)}' is no unit of {name}"
    return ""


_DURATION = re.compile(r"([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+")
_DURATION_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)")


def parse_duration(text: str) -> float:
    """Return the seconds of a Go duration: ``14.4ms``, ``1m0.05s``, ``-2h``.

    Raises
    ------
    DataError
        For text that is not a duration with a unit.

    References
    ----------
    The Go standard library, ``time.ParseDuration``.

    Examples
    --------
    >>> parse_duration("1m0.05s")
    60.05
    """
    found = _DURATION.fullmatch(text)
    if not found:
        raise DataError(f"'{printable(text)}' is not a duration; write it like 14.4ms or 1m0.05s")
    seconds = math.fsum(float(n) * _TIME[unit] for n, unit in _DURATION_PART.findall(text))
    return -seconds if found[1] == "-" else seconds


_QUANTITY = re.compile(r"\s*([+-]?(?:\d+(?:[_,]\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s.,_].*)?")


def parse_quantity(text: str) -> tuple[float, str]:
    """Return a value in base units and that base unit: ``8 ns`` is ``(8e-09, 'sec')``.

    Raises
    ------
    DataError
        For text that holds no number, or a number without a unit.

    Examples
    --------
    >>> parse_quantity("5ms")
    (0.005, 'sec')
    >>> parse_quantity("50,000 req/s")
    (50000.0, 'req/sec')
    """
    found = _QUANTITY.fullmatch(text)
    if not found or not found[2]:
        raise DataError(f"'{printable(text)}' is not a quantity with a unit; write it like '8 ns' or '50000 req/s'")
    unit = parse_unit(found[2].strip())
    return float(found[1].replace(",", "").replace("_", "")) * unit.factor, unit.base


_SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "sec": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B")),
}


def scaled(value: float, unit: str) -> tuple[float, str]:
    """Return the factor to divide by and the unit to show, for values of about this size.

    Seconds take SI steps, bytes binary ones (``KiB`` is 1,024 B; a bare KB is never shown).

    Examples
    --------
    >>> scaled(4.148e-05, "sec/op")
    (1e-06, 'µs/op')
    >>> scaled(81510.0, "B/op")
    (1024.0, 'KiB/op')
    """
    head, slash, rest = unit.partition("/")
    shown_rest = "s" if rest == "sec" else rest
    if head not in _SCALES or not math.isfinite(value):
        return 1.0, f"{'s' if head == 'sec' else head}{slash}{shown_rest}"
    steps = _SCALES[head]
    size = abs(value)
    # A value that would round up to 1000 of the smaller step is shown in the larger one.
    step = next((one for one in steps if size >= one[0] * 0.9995), steps[-1] if size else steps[0])
    if not size:
        step = (1.0, "s" if head == "sec" else "B")
    return step[0], f"{step[1]}{slash}{shown_rest}"


def show(value: float, unit: str, digits: int = 3, like: float | None = None) -> str:
    """Write a value for people: scaled, to at least ``digits`` significant digits, with its unit.

    Parameters
    ----------
    value : float
        In the base unit.
    unit : str
        The base unit, ``"ratio"`` (shown as percent), ``"x"`` (a factor) or ``""`` (a bare number).
    digits : int
        Significant digits; a whole part is never rounded away.
    like : float, optional
        Scale as for this value, so that neighbours share a unit.

    Examples
    --------
    >>> show(4.148e-05, "sec/op"), show(17454.6, "req/sec"), show(0.182, "ratio")
    ('41.5 µs/op', '17,455 req/s', '18.2 %')
    >>> show(float("inf"), "sec")
    '∞ s'
    """
    if unit == "ratio":
        return f"{_digits(value * 100, digits)} %"
    if unit == "x":
        return f"{_digits(value, digits)}x"
    divisor, shown = scaled(value if like is None else like, unit)
    if divisor == 1.0 and not unit.startswith("sec") and float(value).is_integer() and abs(value) < 1e9:
        return f"{value:,.0f} {shown}".strip().replace("-", "−")  # a count is exact
    return f"{_digits(value / divisor, digits)} {shown}".strip()


def percent(share: float, digits: int = 0) -> str:
    """Write a share as percent, or a dash where there is none.

    Examples
    --------
    >>> percent(0.182), percent(0.5747, 1), percent(float("nan"))
    ('18 %', '57.5 %', '–')
    """
    return "–" if math.isnan(share) else f"{100 * share:.{digits}f} %".replace("-", "−")


#: A value this far below its neighbours is shown as zero: it is rounding, not a measurement.
_SMALLEST_DECIMALS = 9


def _digits(value: float, digits: int) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 10**-_SMALLEST_DECIMALS:
        return "0"
    whole = math.floor(math.log10(abs(value))) + 1
    text = f"{value:,.{min(max(0, digits - whole), _SMALLEST_DECIMALS)}f}"
    return text.replace("-", "−")
