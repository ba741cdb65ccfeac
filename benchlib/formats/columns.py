"""Columns of the table: codes into levels, numbers where all levels are numbers, positions."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.formats.packed import Counts, Words

__all__ = [
    "Codes",
    "Runs",
    "as_number",
    "axis_column",
    "category",
    "code",
    "joined",
    "numbered",
    "optional",
    "positions",
]

Codes = npt.NDArray[np.integer[Any]]
T = TypeVar("T", bound=Hashable)
S = TypeVar("S", bound=np.generic)

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})(\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Runs:
    """A code for each row, told once for each run of rows that share it.

    Attributes
    ----------
    codes, lengths : ndarray
        Of each run.
    """

    codes: Codes
    lengths: Codes

    def spread(self, entries: npt.NDArray[S]) -> npt.NDArray[S]:
        """Return, for each row, the entry that its code stands for."""
        return np.repeat(entries[self.codes], self.lengths)


def numbered(keys: Codes) -> tuple[Codes, list[int], list[int]]:
    """Number the distinct keys in order; return the number of each row, the keys, and their order of coming.

    Examples
    --------
    >>> numbered(np.array([7, 3, 7]))
    (array([1, 0, 1], dtype=int32), [3, 7], [1, 0])
    """
    codes, seen = pd.factorize(keys)
    codes = codes.astype(np.int32)
    order = np.argsort(seen)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    if not (rank[1:] < rank[:-1]).any():
        return codes, seen.tolist(), rank.tolist()
    return rank[codes], seen[order].tolist(), rank.tolist()


def positions(file: Codes, new_pair: npt.NDArray[np.bool_], metric: Codes, line: Codes) -> npt.NDArray[np.int32]:
    """Number the results of each file from 0; values of one result share a number.

    A result may stand on one line or on several, and a line may hold many (a document without line
    ends): within a block of rows of one name and configuration, the next result begins where a metric
    comes again.

    Parameters
    ----------
    file, metric, line : ndarray of int
        Of each row.
    new_pair : ndarray of bool
        Where a row has another name or configuration than the row before.
    """
    if not len(file):
        return np.zeros(0, dtype=np.int32)
    new_file = _changes(file)
    new_block = new_file | new_pair
    new_line = new_block | _changes(line)
    new_result = new_line
    # Nearly always one line is one result: each begins with the same metric, and none comes twice.
    twice = ~new_line
    twice[1:] &= metric[1:] <= metric[:-1]
    heads = np.flatnonzero(new_line)
    same = new_block[heads]
    same[1:] |= metric[heads[1:]] == metric[heads[:-1]]
    odd = np.zeros(int(file[-1]) + 1, dtype=bool)
    odd[file[twice]] = True
    odd[file[heads[~same]]] = True
    if odd.any():
        rows = odd[file]
        new_result = new_line.copy()
        new_result[rows] = _results_begin(new_block[rows], new_line[rows], metric[rows])
    count = np.cumsum(new_result, dtype=np.int32)
    starts = np.flatnonzero(new_file)
    count -= np.repeat(count[starts], np.diff(starts, append=len(file)))
    return count


def _changes(codes: Codes) -> npt.NDArray[np.bool_]:
    return np.concatenate(([True], codes[1:] != codes[:-1]))


def _results_begin(
    new_block: npt.NDArray[np.bool_], new_line: npt.NDArray[np.bool_], metric: Codes
) -> npt.NDArray[np.bool_]:
    """Return the rows that begin a result, where results take any number of lines."""
    block = np.cumsum(new_block)
    # A metric that comes again within a line begins another part of it, as another line would.
    line = np.cumsum(new_line)
    within = pd.Series(metric).groupby([line, metric], sort=False).cumcount()
    new_line = new_line | _changes(within.groupby(line, sort=False).cummax().to_numpy())
    again = pd.Series(metric).groupby([block, metric], sort=False).cumcount().to_numpy()
    # Such a part is never split over results, and results never run backwards.
    of_line = np.maximum.reduceat(again, np.flatnonzero(new_line))[np.cumsum(new_line) - 1]
    number = pd.Series(of_line).groupby(block, sort=False).cummax().to_numpy()
    begins: npt.NDArray[np.bool_] = new_block | (new_line & _changes(number))
    return begins


def joined(arrays: Sequence[npt.NDArray[S]]) -> npt.NDArray[S]:
    """Return arrays one after the other; a single one is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def code(columns: Sequence[Words[T]]) -> tuple[Codes, list[T]]:
    """Return a code for each text, and the texts the codes stand for."""
    known: dict[T, int] = {}
    parts: list[Codes] = []
    for column in columns:
        mine = [known.setdefault(one, len(known)) for one in column.levels]
        parts.append(column.array if mine == list(range(len(mine))) else np.asarray(mine, dtype=np.int32)[column.array])
    return joined(parts), list(known)


def optional(columns: Sequence[Counts]) -> npt.NDArray[np.float64]:
    """Return numbers, NaN where there is none; a column without any takes no memory."""
    if all(one.empty for one in columns):
        return np.broadcast_to(np.nan, sum(map(len, columns)))
    return joined([one.array for one in columns])


def category(levels: Sequence[str | None], codes: Codes | Runs) -> pd.Categorical:
    """Return a text column; ``levels`` may repeat, and None is no level."""
    known: dict[str, int] = {}
    compact = [-1 if one is None else known.setdefault(one, len(known)) for one in levels]
    small = np.asarray(compact, dtype=np.min_scalar_type(-max(1, len(known))))
    if isinstance(codes, Runs):
        taken = codes.spread(small)
    else:
        taken = codes.astype(small.dtype) if compact == list(range(len(compact))) else small[codes]
    categories = pd.CategoricalDtype(pd.Index(list(known), dtype=object))
    return pd.Categorical.from_codes(taken, dtype=categories, validate=False)


def axis_column(levels: Sequence[Any], codes: Runs) -> Any:
    """Return an axis: whole numbers, numbers, or text; None where a row does not say."""
    numbers = [None if one is None else as_number(one) for one in levels]
    if all((one is None) == (number is None) for one, number in zip(levels, numbers, strict=True)):
        whole = all(isinstance(one, int) for one in numbers)
        found = np.asarray(numbers, dtype=np.int64 if whole else np.float64)
        if len(set(numbers)) == 1:
            # The same for every row: one number is all that is stored.
            return np.broadcast_to(found[0], int(codes.lengths.sum()))
        return codes.spread(found)
    return category([None if one is None else str(one) for one in levels], codes)


@lru_cache(maxsize=2**14, typed=True)
def as_number(value: Hashable) -> int | float | None:
    """Return the number a level is, or None; ``007`` and ``0x10`` are names, not numbers."""
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        # A column of whole numbers holds 64 bits; anything longer is a name.
        return value if -(2**63) <= value < 2**63 else None
    found = _NUMBER.fullmatch(str(value))
    if not found:
        return None
    number = float(str(value))
    if not np.isfinite(number):
        return None
    return int(str(value)) if re.fullmatch(r"[+-]?\d+", str(value), re.ASCII) else number
