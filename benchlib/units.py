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

from benchlib.errors import DataError, printable

__all__ = [
    "Unit",
    "asked_quantity",
    "asked_share",
    "confidence",
    "parse_duration",
    "parse_quantity",
    "parse_unit",
    "percent",
    "scaled",
    "show",
    "written_duration",
]

_TIME = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES = {
    "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
}  # fmt: skip
_WORDS = {"sec": "sec", "secs": "sec", "seconds": "sec", "second": "sec", "bytes": "B", "byte": "B",
          "ops": "op", "reqs": "req", "requests": "req", "request": "req", "allocs": "allocs",
          "bits": "bit", "flops": "flop", "FLOP": "flop", "Flop": "flop"}  # fmt: skip
_TIME_WORDS = {
    "nsec": 1e-9, "nsecs": 1e-9, "nanosecond": 1e-9, "nanoseconds": 1e-9,
    "usec": 1e-6, "usecs": 1e-6, "microsecond": 1e-6, "microseconds": 1e-6,
    "msec": 1e-3, "msecs": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
    "minute": 60.0, "minutes": 60.0, "hour": 3600.0, "hours": 3600.0,
}  # fmt: skip
#: Below the line alone: above it, ``min`` is the least of something.
_TIMES_BELOW = {"min": 60.0}
_MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
#: ``Mops``, ``kreq``, ``Gbit``, ``GFLOP``: counts by the thousand.
_MULTIPLE = re.compile(r"([kKMGT])(ops?|reqs?|bits?|[Ff]lops?|FLOP)")
#: Rates in one word.
_RATES = {
    "rps": "req/sec", "qps": "req/sec", "tps": "op/sec", "iops": "op/sec", "IOPS": "op/sec", "fps": "frames/sec",
    "FPS": "frames/sec", "pps": "packets/sec", "bps": "bit/sec", "FLOPS": "flop/sec", "Flops": "flop/sec",
    "flops": "flop/sec",
}  # fmt: skip
_RATE = re.compile(r"([kKMGT]?)(rps|qps|tps|iops|IOPS|pps|bps|FLOPS|Flops|flops|fps|FPS)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A base unit and the factor that brings a value as written to it."""

    base: str
    factor: float


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """Return the base unit of a unit as a tool wrote it, and the factor to reach it.

    Tokens are split at ``/``, ``*``, ``-`` and space. A token of the numerator is scaled
    (``ns`` by 1e-9, ``MB`` by 1e6, ``KiB`` by 1024, ``Mops`` by 1e6); ``s`` becomes ``sec`` on both sides, and a
    scaled time below the line divides. A rate in one word (``iops``, ``GFLOPS``, ``Mbps``) is counted a second. An
    unknown token stays as it is.

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
    >>> parse_unit("Mops/s").base, parse_unit("GFLOPS").base, parse_unit("op/us").factor
    ('op/sec', 'flop/sec', 1000000.0)
    """
    written = text.strip()
    if written == "%":
        return Unit("ratio", 0.01)
    if rate := _RATE.fullmatch(written):
        return Unit(_RATES[rate[2]], _MULTIPLES.get(rate[1], 1.0))
    factor, below = 1.0, False
    parts: list[str] = []
    for token in re.split(r"([*/\- ])", written):
        if token == "/":
            below = True
        scale, word = (_TIMES_BELOW[token], "sec") if below and token in _TIMES_BELOW else _token(token)
        # A bare m or h is minutes only where a duration is parsed; in a unit it is left alone.
        factor = factor / scale if below else factor * scale
        parts.append(word)
    return Unit("".join(parts), factor)


def _token(token: str) -> tuple[float, str]:
    if token in _TIME and token not in ("m", "h"):
        return _TIME[token], "sec"
    if token in _TIME_WORDS:
        return _TIME_WORDS[token], "sec"
    if token in _BYTES:
        return _BYTES[token], "B"
    if multiple := _MULTIPLE.fullmatch(token):
        return _MULTIPLES[multiple[1]], _WORDS.get(multiple[2], multiple[2].lower())
    return 1.0, _WORDS.get(token, token)


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
    match = _DURATION.fullmatch(text)
    if not match:
        raise DataError(f"'{printable(text)}' is not a duration; write it like 14.4ms or 1m0.05s")
    seconds = math.fsum(float(n) * _TIME[unit] for n, unit in _DURATION_PART.findall(text))
    return -seconds if match[1] == "-" else seconds


def written_duration(text: str) -> tuple[float, str]:
    """Return the value and unit of a Go duration as it stands: its seconds and ``duration`` if it has parts.

    Raises
    ------
    DataError
        For text that is not a duration with a unit.

    Examples
    --------
    >>> written_duration("14.4ms"), written_duration("1.1m"), written_duration("1m0.05s")
    ((14.4, 'ms'), (1.1, 'm'), (60.05, 'duration'))
    """
    seconds = parse_duration(text)
    parts = _DURATION_PART.findall(text)
    if len(parts) > 1:
        return seconds, "duration"
    [(number, unit)] = parts
    return -float(number) if text.startswith("-") else float(number), unit


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
    match = _QUANTITY.fullmatch(text)
    if not match or not match[2]:
        raise DataError(f"'{printable(text)}' is not a quantity with a unit; write it like '8 ns' or '50000 req/s'")
    unit = parse_unit(match[2].strip())
    return float(match[1].replace(",", "").replace("_", "")) * unit.factor, unit.base


#: Significant digits of a value without an interval, in messages and on pages.
DIGITS = 3

_SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "sec": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "B": ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B")),
    "bit": ((1e12, "Tbit"), (1e9, "Gbit"), (1e6, "Mbit"), (1e3, "kbit"), (1.0, "bit")),
    "flop": ((1e12, "Tflop"), (1e9, "Gflop"), (1e6, "Mflop"), (1.0, "flop")),
    "op/sec": ((1e9, "Gop"), (1e6, "Mop"), (1.0, "op")),
    "req/sec": ((1e9, "Greq"), (1e6, "Mreq"), (1.0, "req")),
}


def scaled(value: float, unit: str) -> tuple[float, str]:
    """Return the factor to divide by and the unit to show, for values of about this size.

    Seconds, bits and rates take SI steps, bytes binary ones (``KiB`` is 1,024 B; a bare KB is never shown). A count of
    operations stays a count, and a rate is written out below a million.

    Examples
    --------
    >>> scaled(4.148e-05, "sec/op")
    (1e-06, 'µs/op')
    >>> scaled(81510.0, "B/op"), scaled(2.44e10, "bit/sec")
    ((1024.0, 'KiB/op'), (1000000000.0, 'Gbit/s'))
    >>> scaled(1.03e8, "op/sec"), scaled(17454.6, "op/sec"), scaled(1.03e8, "op")
    ((1000000.0, 'Mop/s'), (1.0, 'op/s'), (1.0, 'op'))
    """
    head, slash, rest = unit.partition("/")
    shown_rest = "s" if rest == "sec" else rest
    steps = _SCALES.get(head, _SCALES.get(unit, ()))
    if not steps or not math.isfinite(value):
        return 1.0, f"{'s' if head == 'sec' else head}{slash}{shown_rest}"
    size = abs(value)
    # A value that would round up to 1000 of the smaller step is shown in the larger one.
    step = next((candidate for candidate in steps if size >= candidate[0] * 0.9995), steps[-1] if size else steps[0])
    if not size:
        step = (1.0, "s" if head == "sec" else head)
    return step[0], f"{step[1]}{slash}{shown_rest}"


def show(value: float, unit: str, digits: int = DIGITS, like: float | None = None) -> str:
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
    >>> show(9.99996, "allocs/op")
    '10.0 allocs/op'
    >>> show(float("inf"), "sec"), show(1.25e-12, "op/sec")
    ('∞ s', '1.25e-12 op/s')
    >>> show(1e299, "sec/op")
    '1.00e+299 s/op'
    """
    if unit == "ratio":
        return f"{_digits(value * 100, digits)} %"
    if unit == "x":
        return f"{_digits(value, digits)}x"
    divisor, shown = scaled(value if like is None else like, unit)
    size = abs((value if like is None else like) / divisor)
    if value and math.isfinite(value) and (0 < size < _SMALLEST_WRITTEN_OUT or size >= _LARGEST_WRITTEN_OUT):
        sign = "−" if value < 0 else ""
        return f"{sign}{abs(value) / divisor:.{digits - 1}e} {shown}".strip()
    if divisor == 1.0 and not unit.startswith("sec") and float(value).is_integer() and abs(value) < 1e9:
        return f"{value:,.0f} {shown}".strip().replace("-", "−")  # a count is exact
    return f"{_digits(value / divisor, digits)} {shown}".strip()


def percent(share: float, digits: int = 0) -> str:
    """Write a share as percent, or a dash where there is none.

    Examples
    --------
    >>> percent(0.182), percent(0.5747, 1), percent(-0.003), percent(float("nan"))
    ('18 %', '57.5 %', '0 %', '–')
    """
    if math.isnan(share):
        return "–"
    text = f"{100 * share:.{digits}f}"
    # What rounds to nothing has no sign.
    return f"{text if float(text) else text.lstrip('-')} %".replace("-", "−")


def asked_share(share: float) -> str:
    """Write a share that was asked for, as exactly as it was.

    Examples
    --------
    >>> asked_share(0.95), asked_share(0.9999), asked_share(0.99999999)
    ('95 %', '99.99 %', '99.999999 %')
    """
    return f"{100 * share:.10g} %"


def asked_quantity(value: float, unit: str) -> str:
    """Write a quantity that was asked for, as exactly as it was; work that was left open has no name.

    Examples
    --------
    >>> asked_quantity(250000.0, "req/sec"), asked_quantity(0.005, "sec"), asked_quantity(50000.0, "/sec")
    ('250,000 req/s', '5 ms', '50,000/s')
    """
    divisor, shown = scaled(value, unit)
    return f"{value / divisor:,.10g}{'' if shown.startswith('/') else ' '}{shown}"


def confidence(level: float) -> str:
    """Write a confidence level, with as many decimals as part it from 100 %.

    Many are no whole percent: an interval of ranks holds what its sample size allows, one of many rows is widened.

    Examples
    --------
    >>> confidence(0.95), confidence(0.975), confidence(31 / 32), confidence(461 / 462), confidence(0.99995)
    ('95 %', '97.5 %', '96.9 %', '99.78 %', '99.995 %')
    """
    left = 100 * (1 - level)
    if not left > 0:
        return percent(level)
    text = f"{100 * level:.{max(1, 1 - math.floor(math.log10(left)))}f}"
    return f"{text.rstrip('0').rstrip('.')} %"


#: Below this decimals would lose digits, or all of them.
_SMALLEST_WRITTEN_OUT = 1e-7
#: From this one on digits before the point are rounding.
_LARGEST_WRITTEN_OUT = 1e15
#: A value this far below its neighbours is shown as zero: it is rounding, not a measurement.
_SMALLEST_DECIMALS = 9


def _digits(value: float, digits: int) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 10**-_SMALLEST_DECIMALS:
        return "0"
    # Of the rounded value: 9.9999 has two places before the point once it is 10.0.
    whole = int(f"{value:.{max(digits - 1, 0)}e}".partition("e")[2]) + 1
    text = f"{value:,.{min(max(0, digits - whole), _SMALLEST_DECIMALS)}f}"
    return text.replace("-", "−")
