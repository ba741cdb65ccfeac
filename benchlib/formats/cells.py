"""What number a cell of a table holds: its unit, what parts its thousands, and what its dots and commas are.

``1.850`` and ``1,850`` may be two numbers each. What the other cells of a table show settles it, and only that: what
stays open is a problem and no number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchlib.errors import printable
from benchlib.formats.headers import unit_of
from benchlib.units import parse_duration, parse_unit

_WITH_COMMA = re.compile(r"[+-]?\d[\d.]{0,30},(?:[\d.,]{0,30}\d)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
#: Spaces as spreadsheets have them, and apostrophes as the Swiss do.
_PARTS = " '\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_PARTED = re.compile(rf"[+-]?[0-9]{{1,3}}(?:[{_PARTS}][0-9]{{3}}){{1,20}}(?:[.,][0-9]{{1,30}})?")
_WITHOUT_PARTS = str.maketrans("", "", _PARTS)
#: ``128 256`` may be a shape; a first part of one or two digits, or a third part, is none.
_LIST_OF_TWO = re.compile(r"[0-9]{3} [0-9]{2}[1-9]")
#: With one comma, behind digits that dots may part by threes.
_DECIMAL = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),(?P<decimals>\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
#: A comma that can only part thousands: one of several, or before a dot.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3}){2,10}(?:\.\d{1,30})?|,\d{3}\.\d{1,30})", re.ASCII)
_MAY_BE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
#: 1.850 is a number either way: its dot is decimal or separates thousands. No thousands begin with 0.
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}", re.ASCII)
MILLIONS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,10}", re.ASCII)
_WITH_UNIT = re.compile(
    r"([+-]?[0-9.][0-9.,' ]{0,30}(?:[eE][+-]?\d{1,3})?)[ \N{NO-BREAK SPACE}]?([A-Za-zµμ%][A-Za-zµμ%/ ]{0,20})"
)
_WITH_SPREAD = re.compile(r"([+-]?[0-9.,]{1,30})\s{0,9}(?:±|\+/-)\s{0,9}[0-9.,]{1,30}\s?(?:%|([A-Za-zµμ/]{1,20}))?")
#: Rates as people shorten them: 51k, 38.2k, 1.1M.
_SHORTENED = re.compile(r"([+-]?(?:[0-9]{1,15}(?:\.[0-9]{1,15})?|\.[0-9]{1,15}))\s?([kKMG])")
_POWERS = {"k": 3, "K": 3, "M": 6, "G": 9}
#: As Go writes a time of several parts.
_PARTS_OF_TIME = re.compile(r"(?:[0-9]{1,4}h)?[0-9]{1,6}m[0-9]{1,6}(?:\.[0-9]{1,9})?s")
#: Units that only cells have: ``x`` is a factor.
_SIZES = frozenset({"B", "KB", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "x"})


@dataclass(frozen=True, slots=True)
class Notation:
    """What commas and dots are in the numbers of a table; nothing is known where both are False."""

    decimal_commas: bool = False
    parting_commas: bool = False


def notation_of(cells: Sequence[str]) -> Notation:
    """Return what the commas of measured cells are, where some can only be one thing and none the other.

    Examples
    --------
    >>> notation_of(["1,5", "2"]), notation_of(["1,234", "0.5"])
    (Notation(decimal_commas=True, parting_commas=False), Notation(decimal_commas=False, parting_commas=True))
    >>> notation_of(["1,234"]), notation_of(["1,5", "2.5"])
    (Notation(decimal_commas=False, parting_commas=False), Notation(decimal_commas=False, parting_commas=False))
    """
    commas = [cell for cell in cells if "," in cell and (has_comma(cell) or is_parted(cell))]
    if not commas:
        return Notation()
    decimal = any(map(_only_decimal, commas))
    parting = any(map(_THOUSANDS.fullmatch, commas))
    # A dot that parts no thousands is decimal, and no comma beside it is.
    dots = any("." in cell and is_number(cell) and not GROUPED.fullmatch(cell) for cell in cells)
    if decimal and not parting and not dots:
        return Notation(decimal_commas=True)
    if not decimal and (parting or (dots and all(map(_MAY_BE_THOUSANDS.fullmatch, commas)))):
        return Notation(parting_commas=True)
    return Notation()


def _only_decimal(text: str) -> bool:
    if is_parted(text):
        return True
    match = _DECIMAL.fullmatch(text)
    return bool(match) and not _MAY_BE_THOUSANDS.fullmatch(text)


def number_of(text: str, column: str, notation: Notation = Notation()) -> tuple[float | None, str]:
    """Return the number of a cell (None where it is empty) and what is wrong with it."""
    text = text.strip()
    if not text:
        return None, ""
    shown = f"column '{printable(column, 40)}': '{printable(text, 40)}'"
    written = point_notation(text, notation)
    if not is_number(written):
        if has_comma(text):
            remedy = "write a decimal point, as in 1.5, and nothing between thousands"
            return None, f"{shown} has a comma; {remedy}; value skipped"
        if is_parted(text):
            return None, f"{shown} has thousands apart; write {printable(plain(text), 40)}; value skipped"
        return None, f"{shown} is not a number; value skipped"
    value = float(written)
    if not math.isfinite(value):
        return None, f"{shown} is no measurement; leave the cell empty; value skipped"
    return value, ""


def point_notation(text: str, notation: Notation) -> str:
    """Return a number as Python writes it, or the text as it is where that stays open."""
    if is_parted(text) and not _LIST_OF_TWO.fullmatch(text):
        text = text.translate(_WITHOUT_PARTS)
    if notation.decimal_commas:
        if _DECIMAL.fullmatch(text):
            return text.replace(".", "").replace(",", ".")
        if GROUPED.fullmatch(text) or MILLIONS.fullmatch(text):
            return text.replace(".", "")
    if notation.parting_commas and (_THOUSANDS.fullmatch(text) or _MAY_BE_THOUSANDS.fullmatch(text)):
        return text.replace(",", "")
    return text


def unshortened(text: str) -> str:
    """Return a number with the power of ten that a letter stands for, and any other text as it is.

    Examples
    --------
    >>> unshortened("38.2k"), unshortened("1.1M"), unshortened("120"), unshortened("5m")
    ('38.2e3', '1.1e6', '120', '5m')
    """
    match = _SHORTENED.fullmatch(text)
    return f"{match[1]}e{_POWERS[match[2]]}" if match else text


def without_spread(text: str) -> str:
    """Return a mean without the spread that stands behind it.

    Examples
    --------
    >>> without_spread("12.3 ± 0.4 ms"), without_spread("1.5 +/- 2%"), without_spread("a ± b")
    ('12.3 ms', '1.5', 'a ± b')
    """
    match = _WITH_SPREAD.fullmatch(text.strip())
    return f"{match[1]} {match[2] or ''}".strip() if match else text


def split_unit(text: str) -> tuple[str, str]:
    """Return the number of a cell and the unit behind it, both as written; no unit where it is none known.

    Examples
    --------
    >>> split_unit("668.0 ns"), split_unit("1.2GB/s"), split_unit("45 %"), split_unit("12"), split_unit("3 apples")
    (('668.0', 'ns'), ('1.2', 'GB/s'), ('45', '%'), ('12', ''), ('3 apples', ''))
    """
    if _PARTS_OF_TIME.fullmatch(text.strip()):
        return repr(parse_duration(text.strip())), "s"
    match = _WITH_UNIT.fullmatch(text.strip())
    if not match:
        return text, ""
    unit = match[2].strip()
    known = unit if unit in _SIZES else unit_of(unit)
    number = match[1].strip()
    return (number, known) if known and (is_number(number) or has_comma(number) or is_parted(number)) else (text, "")


def unit_of_cells(cells: Sequence[str]) -> str:
    """Return a unit that stands in more than half of the cells, each perhaps scaled; empty where they have none.

    Examples
    --------
    >>> unit_of_cells(["668.0 ns", "1.2 us"]), unit_of_cells(["1", "2 ms"]), unit_of_cells(["1 ms", "2 KB"])
    ('ns', '', '')
    """
    bases: dict[str, list[str]] = {}
    for cell in cells:
        if unit := split_unit(cell)[1]:
            bases.setdefault(parse_unit(unit).base, []).append(unit)
    written = max(bases.values(), key=len, default=[])
    return written[0] if len(written) * 2 > len(cells) else ""


def has_comma(text: str) -> bool:
    """Whether a text is a number with a comma, decimal or between thousands."""
    return "," in text and bool(_WITH_COMMA.fullmatch(text))


def is_parted(text: str) -> bool:
    """Whether a text is a number with spaces or apostrophes between its thousands."""
    return bool(_PARTED.fullmatch(text))


def plain(text: str) -> str:
    """Return a text with commas or parted thousands as the number it may be, and any other text as it is."""
    if is_parted(text):
        text = text.translate(_WITHOUT_PARTS)
    return text.replace(",", ".") if has_comma(text) else text


def commas_are_decimal(cells: Sequence[str]) -> bool:
    """Whether a column is of numbers with decimal commas, and not of lists: ``128,256`` is a shape."""
    commas = [cell for cell in cells if has_comma(cell)]
    if not commas or (len(commas) + sum(map(is_number, cells))) * 2 <= len(cells):
        return False
    matches = [_DECIMAL.fullmatch(cell) for cell in commas]
    if not all(matches) or all(len(match["decimals"]) == 3 for match in matches if match):
        return False
    return not all(map(_rises, commas))


def _rises(text: str) -> bool:
    parts = text.split(",")
    return all(part.isdigit() for part in parts) and [*map(int, parts)] == sorted(map(int, parts))


def is_number(text: str) -> bool:
    """Whether a text is a number as tables write them."""
    try:
        float(text)
    except ValueError:
        return False
    # Python also reads 1_0 and digits of other scripts; no table means a number by them.
    return text.isascii() and "_" not in text
