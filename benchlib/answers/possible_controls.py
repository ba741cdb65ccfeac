"""Which rows may be controls that nobody named? Those that the change may not reach, and that moved all the same.

Nothing here withdraws a verdict. A machine that slowed down by 10 %, and slower code that allocates as before, give the
same numbers: what withdraws the one loses the other (`benchmarks/comparison_drift.py`). Who knows the change can name
the rows as controls; so they are told.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.grouping import label
from benchlib.answers.pairing import COUNTS, PairedCells, _pairs_and_metrics
from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import build_cells, sort_factors
from benchlib.effects.outlying_cells import outlying_cells
from benchlib.errors import choices
from benchlib.statistics.verdicts import BETTER, WORSE, Judgement

_Bools = NDArray[np.bool_]
_Places = NDArray[np.intp]
#: Beyond this many rows no special cells are searched: nobody would read what they say.
_MOST_ROWS = 200
#: Fewer rows that moved one way say nothing together.
_FEWEST_ROWS = 3
#: Axes whose levels are other work, not more or less of it.
_WORK = ("benchmark", "case", "pkg")


def possible_controls(
    cells: PairedCells, judged: Judgement, verdict: NDArray[np.int8], unguarded: _Bools
) -> Iterator[Caveat]:
    """Name what may be a control beside verdicts that stand unguarded: not recorded in turn, no control speaks."""
    with np.errstate(divide="ignore", invalid="ignore"):
        way = np.nan_to_num(np.sign(np.log(judged.ratio))).astype(np.intp)
    decided = (verdict == BETTER) | (verdict == WORSE)
    for side, metric in _pairs_and_metrics(cells):
        here = unguarded & (cells.side == side) & (cells.metrics == metric)
        if (here & decided).any():
            if here.sum() <= _MOST_ROWS:
                yield from _without_most_work(cells, judged, decided, way, np.flatnonzero(here))
            yield from _counted_alike(cells, judged, decided, way, np.flatnonzero(here))


def _without_most_work(
    cells: PairedCells, judged: Judgement, decided: _Bools, way: _Places, rows: _Places
) -> Iterator[Caveat]:
    """Name special cells that cost far less than the others let expect, and moved as the others did.

    A change of the work that such a cell lacks would leave it as it was.
    """
    named = []
    for row, others in _special_rows(cells, judged, rows):
        ways = {int(way[other]) for other in others if decided[other]}
        clear = judged.ratio_low[row] > 1 or judged.ratio_high[row] < 1
        if clear and ways == {int(way[row])}:
            named.append(f"{label(cells.key(row))} ({judged.ratio[row]:.2f}x)")
    if named:
        lack, them = ("lacks", "it") if len(named) == 1 else ("lack", "them")
        yield caveat(
            "possible-controls",
            f"{choices(named, 4)} {lack} most of the work of the other configurations and moved as they did: a change "
            f"of that work alone would have left {them} as before",
        )


def _special_rows(cells: PairedCells, judged: Judgement, rows: _Places) -> Iterator[tuple[int, list[int]]]:
    """Yield each row that costs far less than others of its benchmark let expect, and those alike in all categories."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in rows.tolist():
        key = cells.key(row)
        groups.setdefault(tuple(str(key.get(axis)) for axis in _WORK), []).append(row)
    for group in groups.values():
        keys = [{axis: level for axis, level in cells.key(row).items() if axis not in _WORK} for row in group]
        if not keys[0] or any(key.keys() != keys[0].keys() for key in keys):
            continue
        factors = {axis: [key[axis] for key in keys] for axis in keys[0]}
        table = build_cells(factors, judged.statistics.baseline_median[group], unit=str(cells.units[group[0]]))
        _, categories = sort_factors(table)
        for special in outlying_cells(table):
            if special.observed < special.expected:
                place = keys.index(dict(special.levels))
                alike = [all(key[axis] == keys[place][axis] for axis in categories) for key in keys]
                others = [row for row, same in zip(group, alike, strict=True) if same and row != group[place]]
                yield group[place], others


def _counted_alike(
    cells: PairedCells, judged: Judgement, decided: _Bools, way: _Places, rows: _Places
) -> Iterator[Caveat]:
    """Say where most rows that allocate exactly as before moved one way, while the change shows in counts of others."""
    keys = [tuple(codes) for codes in cells.codes.tolist()]
    counts = np.isin(cells.metrics.astype(str), COUNTS) & (cells.side == cells.side[rows[0]])
    counted = {keys[row] for row in np.flatnonzero(counts).tolist()}
    unequal = {keys[row] for row in np.flatnonzero(counts & ~judged.statistics.constant).tolist()}
    changed = {keys[row] for row in np.flatnonzero(counts & decided).tolist()}
    equal = np.array([row for row in rows.tolist() if keys[row] in counted - unequal], dtype=np.intp)
    moved = equal[decided[equal]]
    if changed and moved.size >= max(_FEWEST_ROWS, equal.size / 2) and abs(way[moved].sum()) == moved.size:
        middle = float(np.exp(np.median(np.log(judged.ratio[moved]))))
        yield caveat(
            "possible-controls",
            f"{moved.size:,} of {equal.size:,} rows that allocate exactly as before, where {len(changed):,} others do "
            f"not, moved one way in {cells.metrics[rows[0]]}, by {middle:.2f}x in the middle: the machine does that, "
            "and so does code that works longer and allocates alike",
        )
