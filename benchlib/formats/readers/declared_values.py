"""What stands in one captured part: a number, yes or no, a level, or nothing."""

from __future__ import annotations

import math
import re
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.outcomes import FAILED, NOTHING, SOUND
from benchlib.formats.words import one_line
from benchlib.units import parse_duration

__all__ = ["NO_FAILURE", "is_missing", "kind_of", "level_of", "number_of", "success_of"]

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?")
#: What a text that says why a row failed holds where it did not.
NO_FAILURE = NOTHING | {"0", "false", "no", "ok"}
_YES = SOUND | {"1", "yes"}
_NO = FAILED | {"0", "no"}


def is_missing(value: Any) -> bool:
    """Whether a part says that there is nothing."""
    if isinstance(value, str):
        return value.strip().lower() in NOTHING
    return value is None or value == [] or value == {}


def level_of(value: Any) -> Any:
    """Return a captured value as the level of an axis."""
    if isinstance(value, bool):
        return str(value).lower()
    return one_line(value.strip()) if isinstance(value, str) else value


def number_of(value: Any, unit: str) -> float | None:
    """Return a captured number, None where nothing was measured.

    Raises
    ------
    DataError
        If it is something else.
    """
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise DataError(f"is {value}: no measurement; value skipped")
        return float(value)
    if not isinstance(value, str):
        raise DataError(f"is {kind_of(value)}, not a number; value skipped")
    text = value.strip()
    if text.lower() in NOTHING:
        return None
    if unit == "duration":
        return parse_duration(text)
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    try:
        # Python also reads 1_0 and digits of other scripts; no tool means a number by them.
        number = float(plain) if plain.isascii() and "_" not in plain else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"is '{printable(text, 40)}', not a number; value skipped")
    return number


def success_of(value: Any) -> float | None:
    """Return how many operations failed by a word for success: 0 or 1.

    Raises
    ------
    DataError
        If it is no such word.
    """
    text = str(value).strip().lower()
    if text in _YES or text in _NO:
        return float(text in _NO)
    raise DataError(f"is '{printable(str(value), 40)}', not true or false")


def kind_of(value: Any) -> str:
    """Return what a value is that is no number and no text, in words."""
    return "true or false" if isinstance(value, bool) else "a list" if isinstance(value, list) else "an object"
