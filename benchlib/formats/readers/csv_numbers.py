"""What number a cell of a table holds."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from benchlib.errors import printable

__all__ = ["commas_are_decimal", "has_comma", "is_number", "is_parted", "number_of", "plain"]

_WITH_COMMA = re.compile(r"[+-]?\d[\d.]{0,30},(?:[\d.,]{0,30}\d)?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def has_comma(text: str) -> bool:
    """Whether a text is a number but for its comma, be it a decimal one or one between thousands.

    Examples
    --------
    >>> has_comma("1,5"), has_comma("1.234,5"), has_comma("12,345"), has_comma("1.5"), has_comma("a,b")
    (True, True, True, False, False)
    """
    return "," in text and bool(_WITH_COMMA.fullmatch(text))


#: Spaces as spreadsheets have them, and apostrophes as the Swiss do.
_PARTS = " '\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_PARTED = re.compile(rf"[+-]?[0-9]{{1,3}}(?:[{_PARTS}][0-9]{{3}})+(?:[.,][0-9]{{1,30}})?")
_WITHOUT_PARTS = str.maketrans("", "", _PARTS)


def is_parted(text: str) -> bool:
    """Whether a text is a number but for spaces or apostrophes between its thousands.

    Examples
    --------
    >>> is_parted("1 850"), is_parted("1'234'567.5"), is_parted("18 50"), is_parted("1850")
    (True, True, False, False)
    """
    return bool(_PARTED.fullmatch(text))


def plain(text: str) -> str:
    """Return what `has_comma` or `is_parted` as the number it may be, and any other text as it is.

    Examples
    --------
    >>> plain("1 850,5"), plain("1,5"), plain("warm, cold")
    ('1850.5', '1.5', 'warm, cold')
    """
    if is_parted(text):
        text = text.translate(_WITHOUT_PARTS)
    return text.replace(",", ".") if has_comma(text) else text


#: With one comma, behind digits that dots may part by threes.
_DECIMAL = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+),(?P<decimals>\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


def commas_are_decimal(cells: Sequence[str], *, lists: bool) -> bool:
    """Whether a column is of numbers with decimal commas, and not of lists: ``128,256`` is a shape.

    Parameters
    ----------
    cells : sequence of str
        Without the empty ones.
    lists : bool
        Whether a column in which every pair rises, as CPUs and shapes do, is taken for one of lists.

    Examples
    --------
    >>> commas_are_decimal(["950,5", "1850,2"], lists=True), commas_are_decimal(["16,32", "64,64"], lists=True)
    (True, False)
    >>> commas_are_decimal(["0,1", "2,3"], lists=False), commas_are_decimal(["a,b", "2,3"], lists=False)
    (True, False)
    >>> commas_are_decimal(["128,256", "64,128"], lists=False)
    False
    """
    commas = [one for one in cells if has_comma(one)]
    if not commas or (len(commas) + sum(map(is_number, cells))) * 2 <= len(cells):
        return False
    found = [_DECIMAL.fullmatch(one) for one in commas]
    if not all(found) or all(len(one["decimals"]) == 3 for one in found if one):
        return False
    return not lists or not all(map(_rises, commas))


def _rises(text: str) -> bool:
    parts = text.split(",")
    return all(one.isdigit() for one in parts) and [*map(int, parts)] == sorted(map(int, parts))


def is_number(text: str) -> bool:
    """Whether a text is a number as tables write them.

    Examples
    --------
    >>> is_number("1e3"), is_number("1_0"), is_number("1,5")
    (True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    # Python also reads 1_0 and digits of other scripts; no table means a number by them.
    return text.isascii() and "_" not in text


def number_of(text: str, column: str) -> tuple[float | None, str]:
    """Return the number of a cell (None where it is empty) and what is wrong with it.

    Examples
    --------
    >>> number_of(" 1.5 ", "time_ms"), number_of("fast", "time_ms")
    ((1.5, ''), (None, "column 'time_ms': 'fast' is not a number; value skipped"))
    >>> number_of("1 850", "rps")[1]
    "column 'rps': '1 850' has thousands apart; write 1850; value skipped"
    """
    text = text.strip()
    if not text:
        return None, ""
    shown = f"column '{printable(column, 40)}': '{printable(text, 40)}'"
    if not is_number(text):
        if has_comma(text):
            remedy = "write a decimal point, as in 1.5, and nothing between thousands"
            return None, f"{shown} has a comma; {remedy}; value skipped"
        if is_parted(text):
            return None, f"{shown} has thousands apart; write {printable(plain(text), 40)}; value skipped"
        return None, f"{shown} is not a number; value skipped"
    value = float(text)
    if not math.isfinite(value):
        return None, f"{shown} is no measurement; leave the cell empty; value skipped"
    return value, ""
