"""How a number is written: the one rule for digits, units and intervals.

Two significant digits of the interval's half width; without an interval three significant digits of the value. Counts
are exact. Numbers that share a column share a scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from benchlib.answers.evidence import Evidence
from benchlib.document.blocks import Column, Number, Table, Text
from benchlib.statistics.estimates import Estimate
from benchlib.units import DIGITS, scaled

__all__ = ["column_scales", "interval", "number", "words_of", "write", "write_cell"]

#: Beyond these a number is written as a power of ten.
_SMALLEST, _LARGEST = 1e-7, 1e15


def number(
    estimate: Estimate, evidence: Evidence | None = None, *, unit: str | None = None, bare: bool = False
) -> Number:
    """Return the number of an estimate, with the interval that it has."""
    low, high = (estimate.low, estimate.high) if estimate.has_interval else (None, None)
    return Number(
        value=estimate.value,
        unit=estimate.unit if unit is None else unit,
        low=low,
        high=high,
        bare=bare,
        evidence=evidence,
    )


def write(shown: Number, like: float | None = None, *, bare: bool | None = None) -> str:
    """Write a number for people; ``like`` is a value whose scale it takes.

    Examples
    --------
    >>> once = Number(value=17454.6, unit="req/sec")
    >>> write(once), write(Number(value=17454.6, unit="req/sec", low=17000.0, high=17900.0))
    ('17,500 req/s', '17,450 req/s')
    >>> write(Number(value=0.182, unit="ratio")), write(Number(value=2.907, unit="x")), write(Number(value=62.0))
    ('18.2%', '2.91 times', '62')
    >>> write(Number(value=0.0110, unit="sec/op", bare=True)), write(Number(value=-0.3, unit="ratio", digits=2))
    ('11.0', '−30%')
    """
    divisor, name = _scale(shown, like)
    text = _digits(shown.value / divisor, _place(shown, divisor), shown)
    return text if (shown.bare if bare is None else bare) else _with_unit(text, name)


def words_of(text: Text) -> str:
    """Return a text as plain words, its numbers written.

    Examples
    --------
    >>> words_of(("Use ", Number(value=4.0), " threads."))
    'Use 4 threads.'
    """
    return "".join(
        write(part) if isinstance(part, Number) else part if isinstance(part, str) else part.words for part in text
    )


def interval(shown: Number, like: float | None = None) -> str:
    """Write both ends of the interval of a number, without the unit; "" where it has none.

    Examples
    --------
    >>> interval(Number(value=17454.6, unit="req/sec", low=16990.0, high=17900.0))
    '16,990 to 17,900'
    """
    if shown.low is None or shown.high is None:
        return ""
    divisor, _ = _scale(shown, like)
    place = _place(shown, divisor)
    low, high = (_digits(end / divisor, place, shown) for end in (shown.low, shown.high))
    return f"{low} to {high}"


def column_scales(table: Table) -> list[tuple[float, str]]:
    """Return, for each column of a table, the value whose scale its numbers take, and the unit in its head.

    Examples
    --------
    >>> rates = tuple((Number(value=rate, unit="req/sec"),) for rate in (1200.0, 17454.6))
    >>> column_scales(Table(caption="", columns=(Column(head="rate", unit="req/sec", kind="number"),), rows=rates))
    [(17454.6, 'req/s')]
    """
    return [_column_scale(column, [row[place] for row in table.rows]) for place, column in enumerate(table.columns)]


def _column_scale(column: Column, cells: Iterable[object]) -> tuple[float, str]:
    if column.kind == "words":
        return 1.0, ""
    values = [cell.value for cell in cells if isinstance(cell, Number)]
    sizes = sorted(abs(value) for value in values if math.isfinite(value) and value)
    like = sizes[len(sizes) // 2] if sizes else 1.0
    return like, _scale(Number(value=like, unit=column.unit), None)[1] if column.unit else ""


def write_cell(cell: Number | None, column: Column, like: float) -> str:
    """Write a number of a column: the unit that stands in the head is left out, and what is not there is a dash.

    Examples
    --------
    >>> rate = Number(value=17454.6, unit="req/sec", low=16990.0, high=17900.0)
    >>> columns = [Column(head="", unit="req/sec", kind=kind) for kind in ("number", "interval")]
    >>> [write_cell(rate, column, 1e4) for column in columns], write_cell(None, columns[0], 1.0)
    (['17,450', '16,990 to 17,900'], '–')
    >>> write_cell(rate, Column(head="", kind="number"), 1.0)
    '17,450 req/s'
    """
    if cell is None:
        return "–"
    if column.kind == "interval":
        return interval(cell, like) or "–"
    same = column.unit == cell.unit
    return write(cell, like if same else None, bare=same)


def _scale(shown: Number, like: float | None) -> tuple[float, str]:
    if shown.unit == "ratio":
        return 0.01, "%"
    if shown.unit == "x":
        return 1.0, "times"
    return scaled(shown.value if like is None else like, shown.unit)


def _with_unit(text: str, name: str) -> str:
    return f"{text}{'' if name == '%' else ' '}{name}".strip()


def _place(shown: Number, divisor: float) -> float:
    """Return the place to which a number is rounded, such as 10.0 or 0.01."""
    digits = shown.digits or DIGITS
    if not shown.digits and shown.low is not None and shown.high is not None and math.isfinite(shown.high - shown.low):
        half = (shown.high - shown.low) / 2 / divisor
        if half > 0:
            return float(10.0 ** (math.floor(math.log10(half)) - 1))
    size = abs(shown.value / divisor)
    if not size or not math.isfinite(size):
        return 1.0
    whole = math.floor(math.log10(size) + 1e-12)
    return float(10.0 ** (whole - digits + 1))


def _digits(value: float, place: float, shown: Number) -> str:
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if not shown.unit and float(value).is_integer() and abs(value) < _LARGEST and (shown.low is None or shown.digits):
        return f"{value:,.0f}".replace("-", "−")  # a count is exact
    if value and not _SMALLEST <= abs(value) < _LARGEST:
        return f"{value:.{(shown.digits or DIGITS) - 1}e}".replace("-", "−")
    rounded = round(value / place) * place
    decimals = max(0, -math.floor(math.log10(place) + 1e-9))
    text = f"{rounded:,.{decimals}f}".replace("-", "−")
    return text.lstrip("−") if not any(digit in "123456789" for digit in text) else text
