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
    """

    index: int | None
    decimal: bool
    mixed: bool


def dotted(cells: Sequence[str]) -> Dotted:
    """Say what the dots in a column of numbers are.

    ``1.850`` may be 1.85 or 1,850 where every dot stands before three digits; one that does not is decimal.

    Examples
    --------
    >>> dotted(["950", "1.850", "3.400"])
    Dotted(index=1, decimal=False, mixed=True)
    >>> dotted(["1.850", "2.5"]), dotted(["1.850", "2.750"])
    (Dotted(index=0, decimal=True, mixed=True), Dotted(index=0, decimal=False, mixed=False))
    """
    grouped = [bool(_GROUPED.fullmatch(one)) for one in cells]
    others = [one for one, groups in zip(cells, grouped, strict=True) if not groups]
    decimal = any("." in one and is_number(one) for one in others)
    mixed = any(is_number(one) or _MILLIONS.fullmatch(one) for one in others)
    return Dotted(grouped.index(True) if any(grouped) else None, decimal, mixed)


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

    One dot that can only be decimal, in any column of a metric, shows that they are of another kind. Where each
    number of a column has three decimals they are taken for that, and, between semicolons, said to be; where some
    have none, nothing is.
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
        if dots.mixed:
            found.append(Doubt(line, _doubted(column.written, cell, parted_by), True))
        # Any program may write tabs, and three decimals; semicolons are for those that have commas in numbers.
        elif measured and separator == ";":
            found.append(Doubt(line, _doubted(column.written, cell), False))
    return sorted(found, key=lambda one: not one.unread)


def _doubted(column: str, cell: str, parted_by: str = "") -> str:
    name, whole = printable(column, 40), cell.replace(".", "")
    if not parted_by:
        return (
            f"column '{name}': '{printable(cell, 40)}' is read as {float(cell):g}, since each of its numbers has three "
            f"decimals; if the dots part thousands, write {whole}"
        )
    return (
        f"column '{name}': '{printable(cell, 40)}' is {float(cell):g} or {whole}: {parted_by} part the columns, and "
        f"every dot of this one stands before three digits; write {whole}, or commas between the columns if the dot is "
        "decimal; the table is not read"
    )


def levels_as_words(
    rows: Sequence[tuple[int, list[str]]], columns: Sequence[Column], separator: str
) -> Iterator[tuple[int, str]]:
    """Yield, for each axis whose levels are numbers but for their signs, the line of the first and what to do."""
    for at, column in enumerate(columns):
        # Hardly any column holds such a level, and tables may be long.
        if column.role != "axis" or not any(plain(cells[at].strip()) != cells[at].strip() for _, cells in rows):
            continue
        found = [(line, cells[at].strip()) for line, cells in rows if cells[at].strip()]
        levels = [level for _, level in found]
        shown = f"column '{printable(column.written, 40)}':"
        # Where commas part the columns, a cell with one was quoted: more likely a list.
        if commas_are_decimal(levels, lists=separator == ","):
            line, level = next(one for one in found if has_comma(one[1]))
            remedy = "write a decimal point, as in 1.5, and nothing between thousands"
            yield line, f"{shown} '{printable(level, 40)}' has a comma and is read as a word; {remedy}"
        elif any(map(is_parted, levels)) and all(is_number(plain(one)) for one in levels):
            line, level = next(one for one in found if is_parted(one[1]))
            yield (
                line,
                f"{shown} '{printable(level, 40)}' has thousands apart and is read as a word; write {plain(level)}",
            )
