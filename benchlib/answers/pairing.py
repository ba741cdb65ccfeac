"""Which cells are set side by side: from the tidy table to two samples a row, and what one side alone has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.grouping import _varies_within, cells, label, place_axes, plain
from benchlib.errors import choices
from benchlib.statistics.compare import Pairs
from benchlib.study import Study

__all__ = ["shared_axes"]

#: Without repeats anywhere, a difference smaller than this is not reported.
UNREPEATED = 0.05
#: Metrics that count what the code does: the machine's load does not move them.
COUNTS = ("memory", "allocations")
#: What makes a benchmark one and not another.
_IDENTITY = ("benchmark", "pkg")
_Codes = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedCells:
    """Cells that both sides have, r of them, and the rows of the table behind each."""

    #: The rows that take part, in order of recording.
    frame: pd.DataFrame
    pairs: Pairs
    #: The place in `frame` of each value of `pairs`.
    baseline_rows: NDArray[np.intp]
    candidate_rows: NDArray[np.intp]
    #: What makes a key.
    columns: tuple[str, ...]
    #: The levels of each of these columns; None is a missing one.
    levels: tuple[Sequence[Any], ...]
    #: Of each row, the places of its levels.
    codes: NDArray[np.intp]
    metrics: NDArray[np.object_]
    units: NDArray[np.object_]
    #: Each pair of levels compared.
    sides: tuple[tuple[str, str], ...]
    #: Which of them a row belongs to.
    side: NDArray[np.intp]
    #: Cells that only one side has.
    missing: tuple[str, ...]
    #: All of them in a few words.
    uncompared: tuple[str, ...]

    @property
    def rows(self) -> int:
        """How many cells both sides have."""
        return self.side.size

    def key(self, row: int) -> dict[str, Any]:
        """Return the key of a row; missing levels are left out."""
        return _key_of(self.columns, self.levels, self.codes[row].tolist())

    def keys(self) -> Iterator[Mapping[str, Any]]:
        """Yield the key of every row; a cell has the same one for each of its metrics."""
        known: dict[tuple[int, ...], Mapping[str, Any]] = {}
        for codes in map(tuple, self.codes.tolist()):
            if codes not in known:
                known[codes] = _key_of(self.columns, self.levels, codes)
            yield known[codes]


def pair_cells(frame: pd.DataFrame, column: str, by: Sequence[str], sides: Sequence[tuple[str, str]]) -> PairedCells:
    """Set the levels of a column side by side in every cell."""
    ranked = [_ranked(frame[axis]) for axis in ("metric", *by, "unit")]
    cell, first = _combined([codes for codes, _ in ranked], [len(levels) for _, levels in ranked], len(frame))
    names = list(dict.fromkeys(name for pair in sides for name in pair))
    side_of, side_levels = _ranked(frame[column])
    wanted = np.array([names.index(str(level)) if str(level) in names else -1 for level in side_levels], dtype=np.intp)
    side = wanted[side_of] if len(frame) else side_of
    # Stable: within a cell and side, values keep the order of recording.
    taken = np.flatnonzero(side >= 0)
    place = cell[taken] * len(names) + side[taken]
    order = taken[np.argsort(place, kind="stable")]
    counts = np.bincount(place, minlength=first.size * len(names)).reshape(first.size, len(names))
    starts = np.concatenate([[0], np.cumsum(counts.ravel())])[:-1].reshape(counts.shape)
    codes = np.stack([part[first] for part, _ in ranked], axis=1) if first.size else np.empty((0, len(ranked)), np.intp)
    levels = [own_levels for _, own_levels in ranked]
    chosen, missing = [], []
    for pair in sides:
        old, new = (names.index(name) for name in pair)
        there, here = counts[:, old] > 0, counts[:, new] > 0
        chosen.append((np.flatnonzero(there & here), old, new))
        missing.append(_unpaired(by, levels, codes, (there, here), pair, alone=len(sides) == 1))
    which = np.concatenate([both for both, _, _ in chosen])
    baseline = [(starts[both, old], counts[both, old]) for both, old, _ in chosen]
    candidate = [(starts[both, new], counts[both, new]) for both, _, new in chosen]
    before, before_starts = _gathered(baseline, order)
    after, after_starts = _gathered(candidate, order)
    values = frame["value"].to_numpy(dtype=np.float64)
    return PairedCells(
        frame=frame,
        pairs=Pairs(
            baseline=values[before],
            baseline_starts=before_starts,
            candidate=values[after],
            candidate_starts=after_starts,
        ),
        baseline_rows=before,
        candidate_rows=after,
        columns=tuple(by),
        levels=tuple(levels[1:-1]),
        codes=codes[which, 1:-1],
        metrics=np.array(levels[0], dtype=object)[codes[which, 0]],
        units=np.array(levels[-1], dtype=object)[codes[which, -1]],
        sides=tuple(sides),
        side=np.repeat(np.arange(len(sides)), [both.size for both, _, _ in chosen]),
        missing=tuple(dict.fromkeys(name for names, _ in missing for name in names)),
        uncompared=tuple(dict.fromkeys(count for _, counts in missing for count in counts)),
    )


def _ranked(column: pd.Series) -> tuple[NDArray[np.intp], list[Any]]:
    """Return a code a row and the levels: missing first, then numbers ascending, words as first seen.

    Categories in an order of their own keep it.
    """
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered:
        return column.cat.codes.to_numpy().astype(np.intp) + 1, [None, *map(plain, column.cat.categories.tolist())]
    codes, unique = pd.factorize(column, use_na_sentinel=True)
    levels = [plain(level) for level in unique.tolist()]
    if levels and all(isinstance(level, int | float) for level in levels):
        order = sorted(range(len(levels)), key=levels.__getitem__)
        rank = np.empty(len(levels), dtype=np.intp)
        rank[order] = np.arange(len(levels))
        levels = [levels[place] for place in order]
        codes = np.where(codes < 0, -1, rank[codes])
    return codes.astype(np.intp) + 1, [None, *levels]


def _levels_in_order(column: pd.Series) -> tuple[list[str], bool]:
    """Return the levels of a column as they are written, and whether they stand in an order that was asked for.

    As first seen where none was; a row without a level has none.
    """
    ordered = isinstance(column.dtype, pd.CategoricalDtype) and bool(column.cat.ordered)
    met = column.dropna().unique()
    ordered_levels = column.cat.categories[column.cat.categories.isin(met)] if ordered else met
    return [str(plain(level)) for level in ordered_levels.tolist() if str(level)], ordered


def _combined(
    codes: Sequence[NDArray[np.intp]], sizes: Sequence[int], rows: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number the combinations of codes in their order; return each row's number, and a row of each."""
    number = np.zeros(rows, dtype=np.int64)
    for part, size in zip(codes, sizes, strict=True):
        if number.size and int(number.max()) > np.iinfo(np.int64).max // max(size, 1) - size:
            number = np.unique(number, return_inverse=True)[1]
        number = number * size + part
    _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    return inverse.astype(np.intp), first.astype(np.intp)


def _gathered(
    spans: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]], order: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places that lie in spans of an order, and where each span starts among them."""
    begin = np.concatenate([start for start, _ in spans])
    sizes = np.concatenate([size for _, size in spans])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    inside = np.arange(int(starts[-1])) - np.repeat(starts[:-1], sizes)
    return order[np.repeat(begin, sizes) + inside], starts


def shared_axes(frame: pd.DataFrame, column: str, ignore: Sequence[str] = ()) -> list[str]:
    """What both sides of a row share: always the benchmark, and the axes that tell cells of a side apart.

    An axis that is ignored tells nothing apart, and none that goes along with it is left out for its sake.
    """
    frame = frame.drop(columns=[axis for axis in ignore if axis in frame and axis != column])
    first = [axis for axis in (column, "benchmark", "case", "pkg") if axis in frame]
    fixed = [axis for axis in ("benchmark", "case") if axis in frame and axis != column]
    package = ["pkg"] if _parted_by_package(frame, column, fixed) else []
    telling = place_axes(frame, first)
    return list(dict.fromkeys([*fixed, *package, *(axis for axis in telling if axis != column)]))


def _parted_by_package(frame: pd.DataFrame, column: str, by: Sequence[str]) -> bool:
    """Whether benchmarks of one name stand in several packages: they are several benchmarks, whatever is compared.

    Rows that state no package are not held to be of another one.
    """
    if "pkg" not in frame or column in ("pkg", "benchmark"):
        return False
    return _varies_within(frame[frame["pkg"].notna()], "pkg", by)


def _run_noise(study: Study, metrics: Sequence[str]) -> Mapping[str, float]:
    """By metric (all where none is named), how much runs of the same code differ: the median over the cells."""
    frame = study.results.frame
    if metrics:
        frame = frame[frame["metric"].isin(metrics)]
    noise = {}
    for key, rows in cells(frame, ["metric"]):
        places = place_axes(rows) or ["benchmark"]
        by_run = rows.groupby([*places, "run"], observed=True, dropna=False, sort=False)["value"].median()
        centres = by_run[by_run > 0].reset_index()
        cell = centres.groupby(places, observed=True, dropna=False, sort=False)["value"]
        spread = (cell.max() / cell.min() - 1)[cell.size() > 1]
        if len(spread):
            noise[key["metric"]] = max(UNREPEATED, float(spread.median()))
    return noise


def moved_by_machine(units: Iterable[str]) -> NDArray[np.bool_]:
    """Say which units a machine moves: those with a time in them. Counts of bytes and allocations stand still."""
    each = list(units)
    moved = {unit: "sec" in str(unit).split("/") for unit in set(each)}
    return np.array([moved[unit] for unit in each], dtype=np.bool_)


def _places_of(cells: PairedCells, row: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places in the table of the values of a row: the baseline's and the candidate's."""
    starts, others = cells.pairs.baseline_starts, cells.pairs.candidate_starts
    return (
        cells.baseline_rows[starts[row] : starts[row + 1]],
        cells.candidate_rows[others[row] : others[row + 1]],
    )


def _pairs_and_metrics(cells: PairedCells) -> list[tuple[int, str]]:
    """Return each pair of sides with each metric that it has rows of, in their order."""
    return list(dict.fromkeys(zip(cells.side.tolist(), cells.metrics.tolist(), strict=True)))


def _unpaired(
    by: Sequence[str],
    levels: Sequence[Sequence[Any]],
    codes: NDArray[np.intp],
    present: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    pair: tuple[str, str],
    *,
    alone: bool,
) -> tuple[list[str], list[str]]:
    """Say what one side of a pair has and the other has not.

    Each by itself (``B only in old``), and all of them in a few words (``19 benchmarks only in old``).
    """
    if np.array_equal(*present):
        return [], []
    parts = [tuple(row) for row in codes.tolist()]
    sides = [{parts[place] for place in np.flatnonzero(row).tolist()} for row in present]
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
            named = _key_of(by, levels[1:-1], key)
            shown = label(named) or metric
            if part[:-1] in metrics:
                if which == 0:  # told once, of both
                    other = next(their for their in sorted(theirs) if their[:-1] == part[:-1])
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
                names.append(f"{label({axis: named[axis] for axis in _IDENTITY if axis in named}) or shown} {where}")
                counts.benchmarks[where].add(benchmark or key)
    return names, list(counts.lines())


def _key_of(columns: Sequence[str], levels: Sequence[Sequence[Any]], codes: Sequence[int]) -> dict[str, Any]:
    """Return the key that codes stand for; missing levels are left out."""
    levels_of = ((axis, known[code]) for axis, known, code in zip(columns, levels, codes, strict=True))
    return {axis: level for axis, level in levels_of if level is not None}


class _Counts:
    """What is missing, gathered by what is to be said of it."""

    def __init__(self, pair: tuple[str, str], noun: str) -> None:
        self._pair, self._noun = pair, noun
        self.benchmarks: Mapping[str, set[_Codes]] = defaultdict(set)
        self.configurations: Mapping[str, set[_Codes]] = defaultdict(set)
        #: Of each benchmark that both sides have: metrics that one side alone has, with the words of where.
        self.metrics: Mapping[_Codes, tuple[dict[str, str], dict[str, str]]] = defaultdict(lambda: ({}, {}))
        self.units: Mapping[tuple[str, str, str], set[_Codes]] = defaultdict(set)

    def lines(self) -> Iterator[str]:
        for where, codes in self.benchmarks.items():
            yield f"{_count(len(codes), self._noun)} {where}"
        for where, codes in self.configurations.items():
            yield f"{_count(len(codes), 'configuration')} {where}"
        alike = Counter((tuple(mine.items()), tuple(theirs.items())) for mine, theirs in self.metrics.values())
        first, second = self._pair
        for (mine, theirs), number in alike.items():
            ours, other = (
                choices((metric for metric, _ in metrics), 4) if metrics else "" for metrics in (mine, theirs)
            )
            if ours and other:
                yield f"{self._have(number)} {ours} in {first}, {other} in {second}"
            else:
                [where] = {where for _, where in (*mine, *theirs)}
                yield f"{self._have(number)} {ours or other} {where}"
        for (metric, old, new), codes in self.units.items():
            yield f"{self._have(len(codes))} {metric} in {old} in {first}, in {new} in {second}"

    def _have(self, number: int) -> str:
        return f"{_count(number, self._noun)} {'has' if number == 1 else 'have'}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
