"""The same measurements under another name: what a table made of results calls a benchmark is up to its author.

Nothing is dropped: that two names are of one benchmark is beyond what values can show. It is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchlib.formats.twice.copies import LEAST_DIGITS, ROUTINE_DIGITS
from benchlib.formats.twice.digits import Values, bounds, significant
from benchlib.formats.twice.groups import Mask

__all__ = ["Renamed", "renamed"]

#: Of more names than this with a value near one's own, it is chance that finds one.
_MOST_NAMES = 8
#: No project's own table has more rows of one benchmark, nor a log of one that it was made from.
_MOST_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Renamed:
    """A benchmark of a table, and the one of other files that has all its values of a metric."""

    source: str
    benchmark: str
    metric: str
    count: int
    other: str
    others: tuple[str, ...]


def renamed(rows: pd.DataFrame, axes: Sequence[str], tables: Collection[str]) -> Iterator[Renamed]:
    """Yield each benchmark of a table whose every value another benchmark of a log has in the same place.

    Only times and rates are held against each other, and together they must agree beyond what repeats do.

    Parameters
    ----------
    rows : DataFrame
        Of all files.
    axes : sequence of str
        A place is where no axis that both state differs, and no run.
    tables : collection of str
        Sources of tables that may be made from the other files.
    """
    units = rows["unit"].cat
    timed = np.asarray(["sec" in str(one) for one in units.categories], dtype=bool)[units.codes.to_numpy()]
    made = rows["source"].isin(list(tables)).to_numpy()
    mine, logs = rows[made & timed], rows[~made & timed]
    if mine.empty or logs.empty:
        return
    kinds = ["metric", "unit"]
    known = {
        kind: _Sorted(logs.iloc[at]) for kind, at in logs.groupby(kinds, observed=True, sort=False).indices.items()
    }
    for (source, benchmark), whole in mine.groupby(["source", "benchmark"], observed=True, sort=False):
        for kind, own in whole.groupby(kinds, observed=True, sort=False):
            found = known[kind].holding(own, axes) if kind in known and len(own) <= _MOST_ROWS else None
            if found is not None:
                name = str(found["benchmark"].iloc[0])
                others = tuple(str(one) for one in found["source"].unique())
                yield Renamed(str(source), str(benchmark), str(kind[0]), len(own), name, others)


class _Sorted:
    """The rows of logs of one metric, their values in order."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self._rows = rows
        values = rows["value"].to_numpy(dtype=np.float64)
        self._order = np.argsort(values, kind="stable")
        self._values: Values = values[self._order]

    def holding(self, own: pd.DataFrame, axes: Sequence[str]) -> pd.DataFrame | None:
        """Return the rows of the benchmark of another name that has each of these values in its place, or None."""
        if sum(max(0.0, significant(one) - ROUTINE_DIGITS) for one in own["value"].tolist()) < LEAST_DIGITS:
            return None
        low, high = bounds(own)
        first, last = np.searchsorted(self._values, low), np.searchsorted(self._values, high, side="right")
        if (first == last).any():
            return None
        fewest = int(np.argmin(last - first))
        near = self._rows["benchmark"].iloc[self._order[first[fewest] : last[fewest]]]
        names = near.unique()
        for name in names if len(names) <= _MOST_NAMES else ():
            theirs: pd.DataFrame = self._rows[(self._rows["benchmark"] == name).to_numpy()]
            if name == own["benchmark"].iloc[0] or len(theirs) > _MOST_ROWS:
                continue
            if _same(own, theirs, axes, low, high):
                return theirs
        return None


def _same(own: pd.DataFrame, theirs: pd.DataFrame, axes: Sequence[str], low: Values, high: Values) -> bool:
    values, digits = theirs["value"].to_numpy(dtype=np.float64), 0.0
    for at, value in enumerate(own["value"].tolist()):
        there = values[_in_place(own.iloc[at], theirs, axes)]
        if not ((there >= low[at]) & (there <= high[at])).any():
            return False
        # Among many values one of them is near by chance.
        digits += max(0.0, significant(value) - ROUTINE_DIGITS - np.log10(len(there)))
    return digits >= LEAST_DIGITS


def _in_place(row: pd.Series, theirs: pd.DataFrame, axes: Sequence[str]) -> Mask:
    """Return which rows state nothing that one row states otherwise."""
    kept: Mask = np.ones(len(theirs), dtype=bool)
    for one in axes:
        if not pd.isna(row[one]):
            kept &= (theirs[one].isna() | (theirs[one] == row[one])).to_numpy()
    if row["run"]:
        kept &= theirs["run"].isin(["", row["run"]]).to_numpy()
    return kept
