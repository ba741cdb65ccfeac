"""The cells of a table cut by its categories, with the special cells of each slice set apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import Cell, CellTable, Level, name_cell
from benchlib.effects.slopes import SpecialCell, find_special_cells
from benchlib.errors import choices

__all__ = ["Slice", "cut_slices", "warn_of_special"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Cells alike in every categorical factor.

    Attributes
    ----------
    levels : mapping of factor to level
        Of the categorical factors.
    cells : tuple of Cell
        Those that an additive model of the numeric factors can explain.
    special : tuple of SpecialCell
        The others.
    """

    levels: Mapping[str, Level]
    cells: tuple[Cell, ...]
    special: tuple[SpecialCell, ...]


def cut_slices(table: CellTable, numeric: Sequence[str], categorical: Sequence[str]) -> tuple[Slice, ...]:
    """Cut a table into slices, and set the special cells of each apart.

    Without numeric factors there is no model to be apart from, and no cell is.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> table = build_cells({"bits": [32, 32, 64], "outputs": [1, 2, 1]}, [1.0, 2.0, 2.0], unit="sec")
    >>> [(dict(one.levels), len(one.cells)) for one in cut_slices(table, ["outputs"], ["bits"])]
    [({'bits': 32}, 2), ({'bits': 64}, 1)]
    """
    groups: dict[tuple[Level, ...], list[Cell]] = {}
    for cell in table.cells:
        groups.setdefault(tuple(cell.levels[factor] for factor in categorical), []).append(cell)
    found = []
    for key, cells in groups.items():
        special = find_special_cells(cells, numeric) if numeric else []
        left_out = {tuple(one.levels.items()) for one in special}
        found.append(
            Slice(
                levels=dict(zip(categorical, key, strict=True)),
                cells=tuple(cell for cell in cells if tuple(cell.levels.items()) not in left_out),
                special=tuple(special),
            )
        )
    return tuple(found)


def warn_of_special(special: Sequence[SpecialCell]) -> list[Caveat]:
    """Return the caveat that names the cells set apart, or none."""
    if not special:
        return []
    named = choices((f"({name_cell(one.levels)})" for one in special), 6)
    return [caveat("special-cell", f"no smooth model of the other cells explains {named}: set apart")]
