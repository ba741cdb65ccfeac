"""One line of Go benchmark text: its numbers, and values parted from their name."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite

from benchlib.errors import printable

__all__ = ["LineError", "integer", "joined", "measurement", "values_of"]

#: Nothing after these can belong to a result begun before them.
_ENDS = ("Benchmark", "PASS", "FAIL", "ok  \t", "--- FAIL", "--- SKIP", "pkg:", "goos:", "panic:")
_INT64 = 2**63
#: No result line is longer; a longer one that ends in values is not looked at.
_LONGEST_VALUES = 4096


class LineError(Exception):
    """Why one line is no result; never leaves the reader."""


def integer(text: str) -> float:
    """Read an iteration count: a whole number of 64 bits.

    Raises
    ------
    LineError

    Examples
    --------
    >>> integer("598")
    598.0
    """
    # Python also reads 1_0 and digits of other scripts; Go does not.
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()):
        shown = printable(text, 40)
        raise LineError(f"parsing iteration count: invalid syntax: {shown!r} is not an integer; line skipped")
    if len(digits) > 18 and (len(digits) > 4000 or not -_INT64 <= int(text) < _INT64):
        raise LineError(f"parsing iteration count: value out of range: {printable(text, 40)!r}; line skipped")
    return float(text)


def measurement(text: str) -> float:
    """Read a measured value, as Go reads a float; NaN and infinity are read too.

    Raises
    ------
    LineError

    Examples
    --------
    >>> measurement("4.97e2"), measurement("0x1p4")
    (497.0, 16.0)
    """
    try:
        value = float(text)
    except ValueError:
        value = _hexadecimal(text)
    if "_" in text or not text.isascii():
        raise LineError(_not_a_number(text))
    if not isfinite(value) and any(one.isdigit() for one in text):
        raise LineError(f"parsing measurement: value out of range: '{printable(text, 40)}'; line skipped")
    return value


def _hexadecimal(text: str) -> float:
    # Go asks for the exponent: 0x10 could be meant for a whole number, and is refused.
    if text.lstrip("+-")[:2].lower() != "0x" or "p" not in text.lower():
        raise LineError(_not_a_number(text))
    try:
        return float.fromhex(text)
    except ValueError as error:
        raise LineError(_not_a_number(text)) from error
    except OverflowError:
        return inf


def _not_a_number(text: str) -> str:
    return f"parsing measurement: invalid syntax: '{printable(text, 40)}' is not a number; line skipped"


def joined(ahead: Iterator[str], start: int) -> tuple[int, list[str]] | None:
    """Find the values of a name whose own line (number ``start``, the first ahead) was cut by a log.

    They end the name's line, or a line before the next name. Returns line number and fields.
    """
    for number, line in enumerate(ahead, start):
        if number > start and line.startswith(_ENDS):
            return None
        values = values_of(line.partition("\t")[2] if number == start else line)
        if values:
            return number, values
    return None


def values_of(line: str) -> list[str]:
    """Return the count and measurements that end a line, or nothing.

    Go writes ``count TAB value unit TAB value unit``; where tabs became spaces, the values must
    stand alone on their line and be a rate of operations.
    """
    parts = line.split("\t")
    measured: list[str] = []
    while parts and len(fields := parts[-1].split()) == 2 and _measures(fields[0]):
        measured = [*fields, *measured]
        parts.pop()
    before = parts[-1].split() if parts else []
    if measured and before and before[-1].isascii() and before[-1].isdigit():
        return [before[-1], *measured]
    if "/op" not in line or len(line) > _LONGEST_VALUES:
        return []
    alone = line.split()
    count = alone[0]
    whole = count.isascii() and count.isdigit() and len(alone) % 2 == 1 and all(map(_measures, alone[1::2]))
    return alone if whole and len(alone) > 1 else []


def _measures(text: str) -> bool:
    try:
        measurement(text)
    except LineError:
        return False
    return True
