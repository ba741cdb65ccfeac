"""Where a number came from: the rows behind it and the formula that made it."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.formats.table import joined

__all__ = ["Evidence", "choose", "count_values", "evidence_key", "source_of"]

#: Values that an evidence holds itself; those beyond are found by their rows.
MOST_VALUES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The rows and the formula behind a number.

    Attributes
    ----------
    rows : tuple of str
        ``source:line`` of each measured value, or ``source:first-last`` of neighbouring lines.
    formula : str
        How the number follows from those rows.
    values : tuple of (str, float)
        What was measured, in the base unit, behind its ``source:line``: `MOST_VALUES` at most, of which `choose`
        gives every file and every side its share. None where the rows hold several units.
    unit : str
        Of the values.
    """

    rows: tuple[str, ...]
    formula: str
    values: tuple[tuple[str, float], ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """The values of a tidy table and where each came from, as arrays: taken out once for all of its cells."""

    #: Where each value stands.
    sources: NDArray[np.object_]
    lines: NDArray[Any]
    #: In base units.
    values: NDArray[np.float64]
    units: NDArray[np.object_]
    #: Which of the tables each stands in: one of each level, run or side that a number holds against the others.
    tables: NDArray[np.intp]

    @classmethod
    def of(cls, *frames: pd.DataFrame) -> Measured:
        """Return the values of tables, one after the other."""
        return cls(
            sources=joined([frame["source"].to_numpy(dtype=object) for frame in frames]),
            lines=joined([frame["line"].to_numpy() for frame in frames]),
            values=joined([frame["value"].to_numpy(dtype=float) for frame in frames]),
            units=joined([frame["unit"].to_numpy(dtype=object) for frame in frames]),
            tables=np.repeat(np.arange(len(frames)), [len(frame) for frame in frames]),
        )

    def gather(self, rows: NDArray[np.intp] | slice, formula: str) -> Evidence:
        """Return the evidence that some of the rows give; neighbouring lines become a range."""
        sources, lines = map(str, self.sources[rows].tolist()), map(int, self.lines[rows].tolist())
        columns = zip(sources, lines, strict=True), self.values[rows].tolist(), self.tables[rows].tolist()
        # Values of one line keep their order.
        measured = sorted(zip(*columns, strict=True), key=itemgetter(0))
        places = []
        for source, here in groupby(dict.fromkeys(place for place, _, _ in measured), key=itemgetter(0)):
            places += [f"{source}:{span}" for span in _spans([line for _, line in here])]
        units = set(self.units[rows].tolist())
        if len(units) != 1:
            return Evidence(rows=tuple(places), formula=formula)
        chosen = [measured[place] for place in choose([(source, table) for (source, _), _, table in measured])]
        values = tuple((f"{source}:{line}", value) for (source, line), value, _ in chosen)
        return Evidence(rows=tuple(places), formula=formula, values=values, unit=str(units.pop()))


def choose(places: Sequence[tuple[str, int]]) -> Sequence[int]:
    """Return the places of `MOST_VALUES` among many: of each source, then of each part, and of those with fewest.

    Where there are more sources than can be shown, parts such as the sides of a comparison go before them.
    """
    if len(places) <= MOST_VALUES:
        return range(len(places))
    waiting: dict[tuple[str, int], deque[int]] = {}
    for place, group in enumerate(places):
        waiting.setdefault(group, deque()).append(place)
    holds_all = len({source for source, _ in waiting}) <= MOST_VALUES
    of_source, of_part = Counter[str](), Counter[int]()

    def shown(group: tuple[str, int]) -> tuple[bool, int, int]:
        source, part = group
        return holds_all and of_source[source] > 0, of_part[part], of_source[source]

    chosen: list[int] = []
    while len(chosen) < MOST_VALUES:
        source, part = group = min(waiting, key=shown)
        chosen.append(waiting[group].popleft())
        of_source[source] += 1
        of_part[part] += 1
        if not waiting[group]:
            del waiting[group]
    return sorted(chosen)


def gather(frame: pd.DataFrame, formula: str, by: str = "") -> Evidence:
    """Return the evidence that the rows of a tidy table give; neighbouring lines become a range.

    Each level of a column that it is by, such as each run, has its share of the values.
    """
    measured = Measured.of(frame)
    tables = pd.factorize(frame[by])[0] if by else measured.tables
    return replace(measured, tables=tables).gather(slice(None), formula)


def gather_all(frames: Iterable[pd.DataFrame], formula: str) -> Evidence:
    """Return the evidence that the rows of several tables give together: each has its share of the values."""
    return Measured.of(*frames).gather(slice(None), formula)


def pool(evidences: Iterable[Evidence], formula: str) -> Evidence:
    """Return the rows of several evidences as one, each once, for what follows from all of them.

    Each has its share of the values. Of one that holds only some of its own these are the ones to choose from.
    """
    every = tuple(evidences)
    rows = tuple(dict.fromkeys(row for evidence in every for row in evidence.rows))
    if len({evidence.unit for evidence in every}) != 1 or not all(evidence.values for evidence in every):
        return Evidence(rows=rows, formula=formula)
    measured: list[tuple[tuple[str, float], int]] = []
    held: dict[tuple[str, float], int] = {}
    given = Counter[str]()
    for part, evidence in enumerate(every):
        if all(given[source_of(row)] >= MOST_VALUES for row in evidence.rows):
            continue  # as many others of its files go before it
        known = len(measured)
        # A line that holds a value twice counts it twice, however many evidences include that line.
        for value, times in Counter(evidence.values).items():
            before = held.get(value, 0)
            measured += [(value, part)] * (times - before)
            held[value] = max(times, before)
        given.update({source_of(place) for (place, _), _ in measured[known:]})
    chosen = choose([(source_of(place), part) for (place, _), part in measured])
    return Evidence(
        rows=rows, formula=formula, values=tuple(measured[place][0] for place in chosen), unit=every[0].unit
    )


def source_of(row: str) -> str:
    """Return the file of a row; a row without lines, such as a profile, is its own file."""
    return row.rpartition(":")[0] or row


def count_rows(rows: Sequence[str]) -> int:
    """Count the measured values that rows name; a row without lines, such as a profile, is one."""
    return sum(_count(row) for row in rows)


def count_values(evidence: Evidence) -> int:
    """Count the measured values behind a number; one line of a file may hold several."""
    known = len(evidence.values)
    return known if 0 < known < MOST_VALUES else max(known, count_rows(evidence.rows))


def _count(row: str) -> int:
    first, _, last = row.rpartition(":")[2].partition("-")
    return int(last) - int(first) + 1 if first.isdecimal() and last.isdecimal() else 1


def evidence_key(evidence: Evidence) -> str:
    """Return a short name of an evidence that the same rows, formula and values always have."""
    # One line may hold a time and a size: the same rows by the same formula are two evidences then.
    measured = [f"{place} {value!r} {evidence.unit}" for place, value in evidence.values]
    # Twelve digits: of ten thousand evidences on a page no two share a key, but once in five million pages.
    return hashlib.sha256("\0".join([evidence.formula, *evidence.rows, *measured]).encode()).hexdigest()[:12]


def _spans(lines: list[int]) -> list[str]:
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][-1] + 1:
            spans[-1][1:] = [line]
        else:
            spans.append([line])
    return ["-".join(str(end) for end in span) for span in spans]
