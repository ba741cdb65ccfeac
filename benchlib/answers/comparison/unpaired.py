"""What one side has and the other has not: a benchmark, a configuration of it, a metric, or its unit."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.grouping import label
from benchlib.errors import choices

__all__ = ["Unpaired", "key_of", "unpaired"]

#: What makes a benchmark one and not another.
_IDENTITY = ("benchmark", "pkg")
_Codes = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """What two sides do not share.

    Attributes
    ----------
    names : tuple of str
        Each by itself: ``B only in old``.
    counts : tuple of str
        All of them in a few words: ``19 benchmarks only in old``.
    """

    names: tuple[str, ...]
    counts: tuple[str, ...]


def unpaired(
    by: Sequence[str],
    levels: Sequence[Sequence[Any]],
    codes: NDArray[np.intp],
    present: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    pair: tuple[str, str],
    *,
    alone: bool,
) -> Unpaired:
    """Say what one side of a pair has and the other has not.

    Parameters
    ----------
    by : sequence of str
        Columns whose levels make a key.
    levels : sequence of sequences
        Of the metric, of each of these columns, and of the unit.
    codes : NDArray of int, shape (cells, columns)
        Of each cell, the places of its levels.
    present : pair of NDArray of bool, shape (cells,)
        Which cells each side has.
    pair : (str, str)
        Baseline and candidate.
    alone : bool
        Whether these are all sides there are; else what one lacks, another may have.

    Examples
    --------
    >>> levels = ([None, "time"], [None, "A", "B", "C"], [None, "sec/op"])
    >>> codes = np.array([[1, 1, 1], [1, 2, 1], [1, 3, 1]])
    >>> found = unpaired(["benchmark"], levels, codes, (codes[:, 1] > 0, codes[:, 1] == 1), ("old", "new"), alone=True)
    >>> found.names, found.counts
    (('B only in old', 'C only in old'), ('2 benchmarks only in old',))
    """
    if np.array_equal(*present):
        return Unpaired(names=(), counts=())
    parts = [tuple(row) for row in codes.tolist()]
    sides = [{parts[place] for place in np.flatnonzero(one).tolist()} for one in present]
    identity = [place for place, axis in enumerate(by) if axis in _IDENTITY]
    names: list[str] = []
    counts = _Counts(pair, "benchmark" if identity else "configuration")
    for which, (mine, theirs) in enumerate((sides, sides[::-1])):
        metrics, keys = {part[:-1] for part in theirs}, {part[1:-1] for part in theirs}
        benchmarks = {tuple(key[place] for place in identity) for key in keys}
        where = f"only in {pair[which]}" if alone else f"not in {pair[1 - which]}"
        for part in sorted(mine - theirs):
            key, metric = part[1:-1], str(levels[0][part[0]])
            benchmark = tuple(key[place] for place in identity)
            told = key_of(by, levels[1:-1], key)
            shown = label(told) or metric
            if part[:-1] in metrics:
                if which == 0:  # told once, of both
                    other = next(one for one in sorted(theirs) if one[:-1] == part[:-1])
                    units = str(levels[-1][part[-1]]), str(levels[-1][other[-1]])
                    names.append(f"{shown}: {metric} is in {units[0]} and in {units[1]}")
                    counts.units[metric, *units].add(benchmark or key)
            elif key in keys:
                names.append(f"{shown}: {metric} {where}")
                counts.metrics[benchmark or key][which][metric] = where
            elif benchmark in benchmarks:
                names.append(f"{shown} {where}")
                counts.configurations[where].add(key)
            else:
                names.append(f"{label({axis: told[axis] for axis in _IDENTITY if axis in told}) or shown} {where}")
                counts.benchmarks[where].add(benchmark or key)
    return Unpaired(names=tuple(dict.fromkeys(names)), counts=tuple(counts.told()))


def key_of(columns: Sequence[str], levels: Sequence[Sequence[Any]], codes: Sequence[int]) -> dict[str, Any]:
    """Return the key that codes stand for; missing levels are left out.

    Examples
    --------
    >>> key_of(["benchmark", "bits"], [[None, "A"], [None, 32, 64]], [1, 0])
    {'benchmark': 'A'}
    """
    found = ((axis, known[code]) for axis, known, code in zip(columns, levels, codes, strict=True))
    return {axis: level for axis, level in found if level is not None}


class _Counts:
    """What is missing, gathered by what is to be said of it."""

    def __init__(self, pair: tuple[str, str], noun: str) -> None:
        self._pair, self._noun = pair, noun
        self.benchmarks: Mapping[str, set[_Codes]] = defaultdict(set)
        self.configurations: Mapping[str, set[_Codes]] = defaultdict(set)
        #: Of each benchmark that both sides have: metrics that one side alone has, with the words of where.
        self.metrics: Mapping[_Codes, tuple[dict[str, str], dict[str, str]]] = defaultdict(lambda: ({}, {}))
        self.units: Mapping[tuple[str, str, str], set[_Codes]] = defaultdict(set)

    def told(self) -> Iterator[str]:
        for where, found in self.benchmarks.items():
            yield f"{_count(len(found), self._noun)} {where}"
        for where, found in self.configurations.items():
            yield f"{_count(len(found), 'configuration')} {where}"
        alike = Counter((tuple(mine.items()), tuple(theirs.items())) for mine, theirs in self.metrics.values())
        first, second = self._pair
        for (mine, theirs), number in alike.items():
            one, other = (choices((metric for metric, _ in told), 4) if told else "" for told in (mine, theirs))
            if one and other:
                yield f"{self._have(number)} {one} in {first}, {other} in {second}"
            else:
                [where] = {where for _, where in (*mine, *theirs)}
                yield f"{self._have(number)} {one or other} {where}"
        for (metric, old, new), found in self.units.items():
            yield f"{self._have(len(found))} {metric} in {old} in {first}, in {new} in {second}"

    def _have(self, number: int) -> str:
        return f"{_count(number, self._noun)} {'has' if number == 1 else 'have'}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
