"""Factors whose effects the cells cannot part: which of them are left out, and what went with what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import CellTable, Level
from benchlib.errors import choices, printable

__all__ = ["Bound", "part_factors"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A factor left out of the model because its level follows from that of another.

    Attributes
    ----------
    factor, to : str
        The factor left out, and the one in the model that stands for both.
    pairs : frozenset of (level, level)
        The levels of ``to`` and of ``factor`` that were measured together.
    """

    factor: str
    to: str
    pairs: frozenset[tuple[Level, Level]]


def part_factors(
    table: CellTable, numeric: Sequence[str], categorical: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Bound, ...], list[Caveat]]:
    """Leave out factors whose effect cannot be told from another's, and say which.

    A factor is left out when each level of another goes with only one level of it: it never varies on its own.

    Returns
    -------
    numeric, categorical : tuple of str
        The factors that remain.
    bounds : tuple of Bound
        What was left out.
    caveats : list of Caveat
    """
    names = (*numeric, *categorical)
    columns = {one: [cell.levels[one] for cell in table.cells] for one in names}
    distinct = {one: len(set(column)) for one, column in columns.items()}
    left = list(names)
    stands: dict[str, str] = {}
    warned: list[Caveat] = []
    for inner in reversed(names):
        for outer in left:
            if outer == inner or len(set(zip(columns[inner], columns[outer], strict=True))) > distinct[outer]:
                continue
            left.remove(inner)
            stands[inner] = outer
            warned.append(
                caveat(
                    "confounded",
                    f"{printable(inner)} never changes while {printable(outer)} stays: what the model says of "
                    f"{printable(outer)} is the effect of both",
                )
            )
            break
    kept = tuple(one for one in numeric if one in left)
    if len(kept) > 1:
        rows = np.array([[math.asinh(float(cell.levels[one])) for one in kept] for cell in table.cells])
        rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
        straight = np.array([[float(cell.levels[one]) for one in kept] for cell in table.cells])
        straight = (straight - straight.mean(axis=0)) / straight.std(axis=0)
        if min(np.linalg.matrix_rank(one, tol=1e-8 * len(rows)) for one in (rows, straight)) < len(kept):
            warned.append(
                caveat("confounded", f"{choices(kept)} follow each other in the cells: their effects cannot be parted")
            )
    bounds = tuple(_bound(factor, stands, columns) for factor in stands)
    return kept, tuple(one for one in categorical if one in left), bounds, warned


def _bound(factor: str, stands: Mapping[str, str], columns: Mapping[str, Sequence[Level]]) -> Bound:
    to = stands[factor]
    while to in stands:
        to = stands[to]
    return Bound(factor=factor, to=to, pairs=frozenset(zip(columns[to], columns[factor], strict=True)))
