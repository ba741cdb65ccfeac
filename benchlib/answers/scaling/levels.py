"""Concurrencies that a question names, checked against what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchlib.errors import DataError, printable
from benchlib.scaling.predict import EXTRAPOLATION_LIMIT

__all__ = ["FURTHEST", "extrapolated", "read_at"]

#: Nothing is predicted beyond this multiple of the largest level: no law holds so far.
FURTHEST = 1_000


def extrapolated(asked: str | float | Sequence[float], axis: str, largest: float) -> tuple[float, ...]:
    """Return concurrencies to predict, up to `FURTHEST` times the largest measured.

    Raises
    ------
    DataError
        For what is no such concurrency.

    Examples
    --------
    >>> extrapolated("64, 32", "workers", 8.0)
    (32.0, 64.0)
    """
    found = _concurrencies(asked, "extrapolate to")
    most = FURTHEST * max(largest, 1.0)
    for number in found:
        if number > most:
            raise DataError(
                f"cannot extrapolate to {number:g}: the largest {printable(axis)} measured is {largest:g}, and beyond "
                f"{FURTHEST:,} times that no law means anything; give {most:g} at most"
            )
    return found


def read_at(asked: str | float | Sequence[float], axis: str, largest: float) -> tuple[float, ...]:
    """Return concurrencies to read a law at, up to twice the largest measured.

    Raises
    ------
    DataError
        For what is no such concurrency.

    Examples
    --------
    >>> read_at(12, "workers", 8.0)
    (12.0,)
    """
    found = _concurrencies(asked, "read a law at")
    most = EXTRAPOLATION_LIMIT * max(largest, 1.0)
    for number in found:
        if number > most:
            raise DataError(
                f"cannot read a law at {number:g}: the largest {printable(axis)} measured is {largest:g}; "
                f"give {most:g} at most, measure further, or extrapolate to it"
            )
    return found


def _concurrencies(asked: str | float | Sequence[float], what: str) -> tuple[float, ...]:
    words: Sequence[object]
    if isinstance(asked, str):
        words = [one for one in asked.split(",") if one.strip()]
    else:
        words = list(asked) if isinstance(asked, list | tuple | np.ndarray) else [asked]
    found = set()
    for one in words:
        try:
            number = float(one)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"cannot {what} '{printable(str(one))}'; give concurrencies such as 32,64") from error
        if not (math.isfinite(number) and number >= 1):
            raise DataError(f"cannot {what} {number:g}; give finite concurrencies of at least 1")
        found.add(number)
    return tuple(sorted(found))
