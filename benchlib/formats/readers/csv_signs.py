"""What the dots and commas in the numbers of a table are, where that is not plain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchlib.errors import printable
from benchlib.formats.readers.csv_header import Column, mostly_numbers
from benchlib.formats.readers.csv_numbers import commas_are_decimal, has_comma, is_number, is_parted, plain

__all__ = ["Dotted", "Doubt", "dotted", "doubts_of", "levels_as_words"]

#: 1.850 is a number either way. With two dots, or a comma behind the dot, it is none; no thousands begin with 0.
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
_MILLIONS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Dotted:
    """What the dots of a column say.

    Attributes
    ----------
    index : int or None
        The first cell in which a dot may part thousands.
    decimal : bool
        Whether some dot can only be decimal.
    mixed : bool
        Whether other numbers have no such dot, as those below 1,000 would have none; a program that writes three
        decimals writes them everywhere.
    thousands : bool
        Whether some dots can only part thousands, as those of 1.234.567 do.
    """

    index: int | None
    decimal: bool
    mixed: bool
    thousands: bool


def dotted(cells: Sequence[str]) -> Dotted:
    """Say what the dots in a column of numbers are.

    ``1.850`` may be 1.85 or 1,850 where every dot stands before three digits; one that does not is decimal.

    Examples
    --------
    >>> dotted(["950", "1.850", "3.400"])
    Dotted(index=1, decimal=False, mixed=True, thousands=False)
    >>> dotted(["1.850", "2.5"]).decimal, dotted(["1.850", "2.750"]).mixed, dotted(["1.850", "1.234.567"]).thousands
    (True, False, True)
    """
    grouped = [bool(_GROUPED.fullmatch(one)) for one in cells]
    others = [one for one, groups in zip(cells, grouped, strict=True) if not groups]
    decimal = any("." in one and is_number(one) for one in others)
    thousands = any(_MILLIONS.fullmatch(one) for one in others)
    mixed = thousands or any(map(is_number, others))
    return Dotted(grouped.index(True) if any(grouped) else None, decimal, mixed, thousands)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A column whose dots leave its numbers open: the first line, what to tell, and whether it cannot be read."""

    line: int
    message: str
    unread: bool


#: What parts the columns where commas are left for decimals -> its name.
_LEAVES_COMMAS = {";": "semicolons", "\t": "tabs"}


def doubts_of(rows: Sequence[tuple[int, list[str]]], columns: Sequence[Column], separator: str) -> list[Doubt]:
    """Return what is to be told of dots where no commas part the columns: many programs part thousands by them there.

    One dot that can only be decimal, in any column of a metric, shows that they are of another kind. Between semicolons
    they are taken for decimals, and said to be, where each number of a column has three; where some have none, nothing
    is. Any program may write tabs: there they are decimals unless some can only part thousands, and said to be where
    some numbers have none.
    """
    parted_by = _LEAVES_COMMAS.get(separator)
    if not parted_by:
        return []
    found = []
    for at, column in enumerate(columns):
        if column.role not in ("metric", "axis", "value", "iterations", "errors"):
            continue
        cells = [cells[at].strip() for _, cells in rows]
        dots, measured = dotted(cells), column.role in ("metric", "value")
        if dots.decimal and measured:
            return []
        numbers = column.role != "axis" or mostly_numbers([one for one in cells if one])
        if dots.index is None or dots.decimal or not numbers:
            continue
        line, cell = rows[dots.index][0], cells[dots.index]
        if dots.thousands or (dots.mixed and separator == ";"):
            found.append(Doubt(line, _unread(column.written, cell, parted_by), True))
        elif measured and (dots.mixed or separator == ";"):
            why = "" if dots.mixed else ", since each of its numbers has three decimals"
            found.append(Doubt(line, _as_decimal(column.written, cell, why), False))
    return sorted(found, key=lambda one: not one.unread)


def _as_decimal(column: str, cell: str, why: str) -> str:
    name, whole = printable(column, 40), cell.replace(".", "")
    return f"column '{name}': '{cell}' is read as {float(cell):g}{why}; if the dots part thousands, write {whole}"


def _unread(column: str, cell: str, parted_by: str) -> str:
    name, whole = printable(column, 40), cell.replace(".", "")
    return (
        f"column '{name}': '{cell}' is {float(cell):g} or {whole}: {parted_by} part the columns, and "
        f"every dot of this one stands before three digits; write {whole}, or commas between the columns if the dot is "
        "decimal; the table is not read"
    )


def levels_as_words(
    rows: Sequence[tuple[int, list[str]]], columns: Sequence[Column], separator: str
) -> Iterator[tuple[int, str]]:
    """Yield, for each axis whose levels are numbers but for their signs, the line of the first and what to do."""
    for at, column in enumerate(columns):
        if column.role != "axis":
            continue
        named = {cells[at].strip() for _, cells in rows} - {""}  # a table may be long, its levels are few
        if not any(has_comma(one) or is_parted(one) for one in named):
            continue
        found = [(line, cells[at].strip()) for line, cells in rows if cells[at].strip()]
        levels = [level for _, level in found]
        # Where commas part the columns, a cell with one was quoted: more likely a list.
        if commas_are_decimal(levels, lists=separator == ","):
            line, level = next(one for one in found if has_comma(one[1]))
            said, remedy = "has a comma", "a decimal point, as in 1.5, and nothing between thousands"
        # Two numbers in every cell are a shape.
        elif any(map(is_parted, named)) and any(map(is_number, named)) and all(is_number(plain(one)) for one in named):
            line, level = next(one for one in found if is_parted(one[1]))
            said, remedy = "has thousands apart", printable(plain(level), 40)
        else:
            continue
        shown = f"column '{printable(column.written, 40)}': '{printable(level, 40)}'"
        yield line, f"{shown} {said} and is read as a word; write {remedy}"
