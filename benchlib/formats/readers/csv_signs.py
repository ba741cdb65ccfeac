"""What the dots and commas in the numbers of a table are, where that is not plain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchlib.errors import printable
from benchlib.formats.readers.csv_header import Column, mostly_numbers
from benchlib.formats.readers.csv_numbers import commas_are_decimal, has_comma, is_number

__all__ = ["Dotted", "dotted", "doubt_of", "levels_with_commas"]

#: 1.850 is a number either way. With two dots, or a comma behind the dot, it is none; no thousands begin with 0.
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Dotted:
    """What the dots of a column say: the first cell in which one may part thousands, and whether one is decimal."""

    index: int | None
    decimal: bool


def dotted(cells: Sequence[str]) -> Dotted:
    """Say what the dots in a column of numbers are.

    ``1.850`` may be 1.85 or 1,850 where every dot stands before three digits; one that does not is decimal.

    Examples
    --------
    >>> dotted(["950", "1.850", "3.400"]), dotted(["1.850", "2.5"]), dotted(["0.850", "0.900"])
    (Dotted(index=1, decimal=False), Dotted(index=0, decimal=True), Dotted(index=None, decimal=True))
    """
    grouped = [bool(_GROUPED.fullmatch(one)) for one in cells]
    decimal = any("." in one and not groups and is_number(one) for one, groups in zip(cells, grouped, strict=True))
    return Dotted(grouped.index(True) if any(grouped) else None, decimal)


def doubt_of(rows: Sequence[tuple[int, list[str]]], columns: Sequence[Column]) -> tuple[int, str] | None:
    """Return the first line of which a dot leaves the number open and what to do about it, or None.

    Where columns are parted by semicolons, many programs part thousands by dots. One dot that can only be decimal,
    in any column of a metric, shows that they are of another kind.
    """
    found = []
    for at, column in enumerate(columns):
        if column.role not in ("metric", "axis", "value", "iterations", "errors"):
            continue
        cells = [cells[at].strip() for _, cells in rows]
        dots = dotted(cells)
        if dots.decimal and column.role in ("metric", "value"):
            return None
        numbers = column.role != "axis" or mostly_numbers([one for one in cells if one])
        if dots.index is not None and not dots.decimal and numbers:
            found.append((rows[dots.index][0], column.written, cells[dots.index]))
    if not found:
        return None
    line, name, cell = found[0]
    readings = f"'{printable(cell, 40)}' is {float(cell):g} or {cell.replace('.', '')}"
    why = "semicolons part the columns, and every dot of this one stands before three digits"
    remedy = f"write {cell.replace('.', '')}, or commas between the columns if the dot is decimal"
    return line, f"column '{printable(name, 40)}': {readings}: {why}; {remedy}; the table is not read"


def levels_with_commas(
    rows: Sequence[tuple[int, list[str]]], columns: Sequence[Column], separator: str
) -> Iterator[tuple[int, str]]:
    """Yield, for each axis whose levels are numbers with commas, the line of the first and what to do."""
    for at, column in enumerate(columns):
        # Hardly any column holds a comma, and tables may be long.
        if column.role != "axis" or not any("," in cells[at] for _, cells in rows):
            continue
        found = [(line, cells[at].strip()) for line, cells in rows if cells[at].strip()]
        if commas_are_decimal([cell for _, cell in found], separate=separator == ","):
            line, cell = next(one for one in found if has_comma(one[1]))
            shown = (
                f"column '{printable(column.written, 40)}': '{printable(cell, 40)}' has a comma and is read as a word"
            )
            yield line, f"{shown}; write a decimal point, as in 1.5, and nothing between thousands"
