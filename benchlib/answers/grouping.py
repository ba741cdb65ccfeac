"""Taking the tidy table apart into cells, and naming what a cell mixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.results import SCHEMA

__all__ = ["label"]

#: A cell's place: axis name to level.
Key = Mapping[str, Any]

#: What readers and configuration lines of results call the facts of machine and toolchain.
MACHINE_FACTS = (
    "machine", "host", "hostname", "cpu", "cores", "gomaxprocs", "goos", "goarch", "os", "arch", "kernel", "governor",
    "go", "goversion", "go_version", "go-version", "toolchain", "compiler", "gogc", "gomemlimit", "cgo",
    "python", "java", "jdk", "jvm", "node", "rust", "rustc", "build", "runner", "runner_image",
)  # fmt: skip


def axes_of(frame: pd.DataFrame) -> list[str]:
    """Return the configuration axes that vary within a table (a missing value counts as one)."""
    return mixed_axes(frame, [])


def _axes(frame: pd.DataFrame) -> list[str]:
    """Return the configuration axes of a table, those that stand still too."""
    return [column for column in frame.columns if column not in SCHEMA]


def cells(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Yield each combination of levels that has rows: numbers ascending, words as first seen.

    Missing levels are left out of the key: a row without an axis is a cell without it.
    """
    order, groups = _parts(frame, by)
    if len(groups) == 1:
        yield groups[0][0], frame
        return
    # The rows of a cell lie together then, as a slice: taking them out cell by cell would copy each column each time.
    together = frame if (order[1:] > order[:-1]).all() else frame.take(order)
    for key, part in groups:
        yield key, together.iloc[part]


def cell_rows(frame: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    """Yield each cell as `cells` does, with the positions of its rows: no table is made."""
    order, groups = _parts(frame, by)
    for key, part in groups:
        yield key, order[part]


def _parts(frame: pd.DataFrame, by: Sequence[str]) -> tuple[NDArray[np.intp], list[tuple[dict[str, Any], slice]]]:
    """Return an order in which the rows of a cell lie together, and the cells, each with its part of that order."""
    if not by or not len(frame):
        return np.arange(len(frame)), [({}, slice(None))] if len(frame) else []
    cell = np.zeros(len(frame), dtype=np.intp)
    levels = {}
    for name in by:
        column = frame[name]
        codes = _codes(column)
        cell = _parted(cell, codes)
        levels[name] = column.array, codes, _first_rows(codes)
    ends = np.cumsum(np.bincount(cell))
    parts: list[tuple[dict[str, Any], slice]] = []
    for first, start, end in zip(_first_rows(cell).tolist(), [0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        # A level is named alike in every cell: an axis may hold both 1 and True.
        named = {axis: column[firsts[codes[first]]] for axis, (column, codes, firsts) in levels.items()}
        key = {axis: plain(level) for axis, level in named.items() if not pd.isna(level)}
        parts.append((key, slice(start, end)))
    seen: dict[tuple[str, Any], int] = {}
    for key, _ in parts:
        for place in key.items():
            seen.setdefault(place, len(seen))

    def order(cell: tuple[dict[str, Any], slice]) -> list[tuple[int, float]]:
        return [
            (0, float(level)) if isinstance(level, int | float) else (1, float(seen.get((axis, level), -1)))
            for axis, level in ((axis, cell[0].get(axis)) for axis in by)
        ]

    return np.argsort(cell, kind="stable"), sorted(parts, key=order)


def plain(level: Any) -> Any:
    """Return a level as the number or word it stands for."""
    # 32.0 is how pandas keeps a whole number beside a missing one.
    if isinstance(level, float) and level.is_integer():
        return int(level)
    return level.item() if hasattr(level, "item") else level


def _varies_within(frame: pd.DataFrame, axis: str, by: Sequence[str]) -> bool:
    """Whether an axis takes two values or more inside some cell (a missing value counts as one)."""
    return _varies(_codes(frame[axis]), _cell(frame, by))


def _cell(frame: pd.DataFrame, by: Sequence[str]) -> NDArray[np.intp]:
    """Return, for each row, the number of its cell."""
    cell = np.zeros(len(frame), dtype=np.intp)
    for axis in by:
        cell = _parted(cell, _codes(frame[axis]))
    return cell


def _codes(column: pd.Series) -> NDArray[np.intp]:
    """Number the levels of a column from 0; a missing one is a level."""
    levels = column.array
    if isinstance(levels, pd.Categorical):
        return levels.codes.astype(np.intp) + 1
    return pd.factorize(column.to_numpy(), use_na_sentinel=False)[0]


def _first_rows(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first row of each code."""
    first = np.zeros(int(codes.max()) + 1, dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _parted(cell: NDArray[np.intp], codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number the cells that the levels of one more axis make of those so far."""
    if not codes.size:
        return cell
    return pd.factorize(cell * (int(codes.max()) + 1) + codes)[0]


def _varies(codes: NDArray[np.intp], cell: NDArray[np.intp]) -> bool:
    if not cell.size:
        return False
    some = np.empty(int(cell.max()) + 1, dtype=codes.dtype)
    some[cell] = codes  # one code of each cell, whichever comes last
    return bool((some[cell] != codes).any())


def place_axes(frame: pd.DataFrame, first: Sequence[str] = ("benchmark",)) -> list[str]:
    """Return the fewest axes that tell the cells of a table apart.

    An axis that the ones before it determine (a URL beside its endpoint, a mode that every
    benchmark has but one of) adds nothing to a name and is left out.
    """
    axes: list[str] = []
    cell = np.zeros(len(frame), dtype=np.intp)
    for axis in dict.fromkeys([*(axis for axis in first if axis in frame), *_axes(frame)]):
        codes = _codes(frame[axis])
        if _varies(codes, cell):
            axes.append(axis)
            cell = _parted(cell, codes)
    return axes


def mixed_axes(
    frame: pd.DataFrame, by: Sequence[str], ignore: Sequence[str] = (), beside: Sequence[str] = ()
) -> list[str]:
    """Return the axes, and columns named beside them, that vary in a cell though nobody asked to pool them."""
    pooled = [axis for axis in (*beside, *_axes(frame)) if axis not in by and axis not in ignore]
    cell = _cell(frame, by)
    return [axis for axis in pooled if _varies(_codes(frame[axis]), cell)]


def residue(
    frame: pd.DataFrame, by: Sequence[str], ignore: Sequence[str] = (), beside: Sequence[str] = ()
) -> tuple[Caveat, ...]:
    """Return a caveat that names the axes mixed inside cells, see `mixed_axes`, or nothing."""
    mixed = mixed_axes(frame, by, ignore, beside)
    if not mixed:
        return ()
    return (caveat("residue", f"cells mix values of {', '.join(mixed)}"),)


def name_caveats(named: Iterable[tuple[str, Caveat]]) -> tuple[Caveat, ...]:
    """Put the names of what a caveat concerns before its message, each message once."""
    concerned: dict[Caveat, list[str]] = {}
    for name, said in named:
        concerned.setdefault(said, []).append(name)
    return tuple(
        replace(warning, message=f"{', '.join(dict.fromkeys(names))}: {warning.message}")
        for warning, names in concerned.items()
    )


def label(key: Key) -> str:
    """Write a key for people: the benchmark first, then ``axis level``."""
    parts = [str(level) if axis in ("benchmark", "case") else f"{axis} {level}" for axis, level in key.items()]
    return ", ".join(parts)
