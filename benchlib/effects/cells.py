"""Cells: every combination of factor levels, with what was measured there and what was not."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError, choices, printable
from benchlib.statistics.estimates import Estimate, checked_level, checked_values
from benchlib.statistics.samples import estimate_median, values_needed

__all__ = ["MISSING_SHOWN", "Cell", "CellTable", "Level", "build_cells", "name_cell"]

Level = int | float | str | bool

#: The levels of one factor, one for each value.
Column = Sequence[object] | NDArray[Any]

#: How many missing combinations are named; the rest is counted.
MISSING_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of factor levels.

    Attributes
    ----------
    levels : mapping of factor to level
    n : int
    median : Estimate
    values : tuple of float
        In ascending order.
    """

    levels: Mapping[str, Level]
    n: int
    median: Estimate
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTable:
    """All cells of some factors.

    Attributes
    ----------
    factors : mapping of factor to its levels
        Levels in ascending order; numbers before text.
    cells : tuple of Cell
        In the order of the levels, the last factor running fastest.
    missing : tuple of mapping
        Combinations that were not measured, the first `MISSING_SHOWN` of them.
    missing_count : int
    unit : str
    caveats : tuple of Caveat
    """

    factors: Mapping[str, tuple[Level, ...]]
    cells: tuple[Cell, ...]
    missing: tuple[Mapping[str, Level], ...]
    missing_count: int
    unit: str
    caveats: tuple[Caveat, ...]


def build_cells(
    factors: Mapping[str, Column],
    values: ArrayLike,
    *,
    unit: str,
    confidence_level: float = 0.95,
) -> CellTable:
    """Sort values into cells by the levels of their factors.

    Parameters
    ----------
    factors : mapping of str to sequence, shape (n,)
        The level of each value, for each factor.
    values : array_like, shape (n,)
        In ``unit``.

    Raises
    ------
    DataError
        For no factor, no values, a value that is not finite, columns of different lengths, or a
        value without a level.

    Examples
    --------
    >>> table = build_cells({"bits": [32, 32, 64], "curve": ["A", "A", "B"]}, [1.0, 3.0, 9.0], unit="sec")
    >>> [(dict(cell.levels), cell.n, cell.median.value) for cell in table.cells]
    [({'bits': 32, 'curve': 'A'}, 2, 2.0), ({'bits': 64, 'curve': 'B'}, 1, 9.0)]
    >>> table.missing
    ({'bits': 32, 'curve': 'B'}, {'bits': 64, 'curve': 'A'})
    """
    measured = checked_values(values, "column of values")
    level = checked_level(confidence_level)
    if not factors:
        raise DataError("no factor was named; name at least one axis that varies")
    coded = {name: _coded(name, column, measured.size) for name, column in factors.items()}
    names = tuple(coded)
    levels = tuple(found for found, _ in coded.values())
    shape = tuple(len(found) for found in levels)
    if math.prod(shape) > np.iinfo(np.int64).max:
        raise DataError(f"{choices(names)} have too many levels to cross; name fewer factors")
    places = np.ravel_multi_index(tuple(codes for _, codes in coded.values()), shape)
    cells: list[Cell] = []
    for place, group in _grouped(places, measured):
        where = {name: found[at] for name, found, at in zip(names, levels, np.unravel_index(place, shape), strict=True)}
        cells.append(
            Cell(
                levels=where,
                n=group.size,
                median=estimate_median(group, unit=unit, confidence_level=level),
                values=tuple(group.tolist()),
            )
        )
    present = set(np.unique(places).tolist())
    missing = tuple(itertools.islice(_absent(names, levels, present), MISSING_SHOWN))
    missing_count = math.prod(shape) - len(present)
    return CellTable(
        factors=dict(zip(names, levels, strict=True)),
        cells=tuple(cells),
        missing=missing,
        missing_count=missing_count,
        unit=unit,
        caveats=_caveats(cells, missing, missing_count, level, measured, unit),
    )


def name_cell(levels: Mapping[str, Level]) -> str:
    """Name a cell or a slice by its levels.

    Examples
    --------
    >>> name_cell({"bits": 32, "curve": "BN254"})
    'bits = 32, curve = BN254'
    """
    return ", ".join(f"{printable(name)} = {printable(str(level))}" for name, level in levels.items())


def _coded(name: str, column: Column, size: int) -> tuple[tuple[Level, ...], NDArray[np.intp]]:
    """Return the levels of a factor in order, and for each value the place of its level."""
    raw = np.asarray(column, dtype=object).ravel()
    if raw.size != size:
        raise DataError(f"factor '{printable(name)}' has {raw.size} levels for {size} values; give one each")
    # item() turns numpy's numbers into Python's, so that levels print and compare as people expect.
    plain = [one.item() if isinstance(one, np.generic) else one for one in raw.tolist()]
    # Only NaN (and pandas' NA, whose comparison is no plain bool) differs from itself.
    empty = sum(1 for one in plain if one is None or (one != one) is not False)
    if empty:
        raise DataError(
            f"factor '{printable(name)}' has no level for {empty} of {size} values; "
            "leave these rows out or drop the factor"
        )
    order = sorted(set(plain), key=lambda one: (isinstance(one, str), one))
    position = {one: place for place, one in enumerate(order)}
    return tuple(order), np.fromiter((position[one] for one in plain), dtype=np.intp, count=size)


def _grouped(places: NDArray[np.intp], values: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield each place that occurs, in order, with its values in ascending order."""
    order = np.lexsort((values, places))
    found, starts = np.unique(places[order], return_index=True)
    yield from zip(found.tolist(), np.split(values[order], starts[1:]), strict=True)


def _absent(
    names: tuple[str, ...], levels: tuple[tuple[Level, ...], ...], present: set[int]
) -> Iterator[Mapping[str, Level]]:
    for place, combination in enumerate(itertools.product(*levels)):
        if place not in present:
            yield dict(zip(names, combination, strict=True))


def _caveats(
    cells: list[Cell],
    missing: tuple[Mapping[str, Level], ...],
    missing_count: int,
    level: float,
    measured: NDArray[np.float64],
    unit: str,
) -> tuple[Caveat, ...]:
    found: list[Caveat] = []
    if missing_count:
        named = choices((f"({name_cell(one)})" for one in missing), 3)
        total = missing_count + len(cells)
        shown = named if missing_count <= 3 else f"{named.partition(' and ')[0]} and {missing_count - 3} more"
        found.append(caveat("missing-cells", f"{missing_count} of {total} combinations were not measured: {shown}"))
    small = [cell.n for cell in cells if not cell.median.has_interval]
    if small:
        found.append(
            caveat(
                "few-samples",
                f"{len(small)} of {len(cells)} cells hold too few values (the smallest {min(small)}) for an "
                f"interval of the median at {100 * level:g} % (needs {values_needed(level)})",
            )
        )
    negative, zero = int((measured < 0).sum()), int((measured == 0).sum())
    if negative:
        found.append(
            caveat(
                "negative-values",
                f"{negative} of {measured.size} values are negative (the smallest {measured.min():g})",
            )
        )
    # Nothing allocated is a fact; nothing elapsed is a clock that did not tick.
    if zero and unit.partition("/")[0] == "sec":
        found.append(caveat("zero-times", f"{zero} of {measured.size} times are 0"))
    return tuple(found)
