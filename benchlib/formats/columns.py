"""Columns of the table: codes into levels, numbers where all levels are numbers, positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Codes", "as_number", "axis_column", "category", "code", "optional", "positions"]

Codes = npt.NDArray[np.int64]

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})(\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def positions(file: Codes, pair: Codes, metric_: Codes, line: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Number the results of each file from 0; values of one result share a number.

    A result may stand on one line or on several: within a block of rows of one name and
    configuration, the next result begins where a metric comes again.
    """
    if not len(file):
        return np.zeros(0, dtype=np.int32)
    new_file = np.r_[True, file[1:] != file[:-1]]
    new_block = new_file | np.r_[True, pair[1:] != pair[:-1]]
    block = np.cumsum(new_block)
    new_line = new_block | np.r_[True, line[1:] != line[:-1]]
    again = pd.Series(metric_).groupby([block, metric_], sort=False).cumcount().to_numpy()
    # A line is never split over results, and results never run backwards.
    of_line = np.maximum.reduceat(again, np.flatnonzero(new_line))[np.cumsum(new_line) - 1]
    number = pd.Series(of_line).groupby(block, sort=False).cummax().to_numpy()
    new_result = new_block | (new_line & np.r_[True, number[1:] != number[:-1]])
    count = np.cumsum(new_result)
    first = count[new_file][np.cumsum(new_file) - 1]
    found: npt.NDArray[np.int32] = (count - first).astype(np.int32)
    return found


def code(lists: Sequence[list[str]]) -> tuple[Codes, list[str]]:
    """Return a code for each value, and the values the codes stand for."""
    values = np.asarray(list(chain.from_iterable(lists)), dtype=object)
    codes, unique = pd.factorize(values)
    return codes.astype(np.int64), [str(one) for one in unique]


def optional(lists: Sequence[list[float | None]]) -> npt.NDArray[np.float64]:
    """Return numbers, NaN where there is None."""
    return np.asarray(list(chain.from_iterable(lists)), dtype=np.float64)


def category(levels: Sequence[str], codes: Codes) -> pd.Categorical:
    """Return a text column; ``levels`` may repeat."""
    known: dict[str, int] = {}
    compact = np.asarray([known.setdefault(one, len(known)) for one in levels], dtype=np.int64)
    taken = compact[codes] if len(levels) else np.zeros(0, dtype=np.int64)
    return pd.Categorical.from_codes(taken, categories=pd.Index(list(known), dtype=object))


def axis_column(levels: Sequence[Any], codes: Codes) -> Any:
    """Return an axis: whole numbers, numbers, or text; None where a row does not say."""
    numbers = [None if one is None else as_number(one) for one in levels]
    if all((one is None) == (number is None) for one, number in zip(levels, numbers, strict=True)):
        whole = all(isinstance(one, int) for one in numbers)
        return np.asarray(numbers, dtype=np.int64 if whole else np.float64)[codes]
    text = [None if one is None else str(one) for one in levels]
    known: dict[str, int] = {}
    compact = [-1 if one is None else known.setdefault(one, len(known)) for one in text]
    return pd.Categorical.from_codes(
        np.asarray(compact, dtype=np.int64)[codes], categories=pd.Index(list(known), dtype=object)
    )


def as_number(value: object) -> int | float | None:
    """Return the number a level is, or None; ``007`` and ``0x10`` are names, not numbers."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    found = _NUMBER.fullmatch(str(value))
    if not found:
        return None
    number = float(str(value))
    if not np.isfinite(number):
        return None
    return int(str(value)) if re.fullmatch(r"[+-]?\d+", str(value), re.ASCII) else number
