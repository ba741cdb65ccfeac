"""Tables of cells: made ones with known noise, and those of the token SDK."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchlib.effects.cells import CellTable, build_cells

#: BenchmarkSender of the Panurus token SDK, commit 6c2a93e1, go test -test.count 6, 2-core AMD EPYC, idle.
EXTRACT = Path(__file__).parent / "data" / "transfer_bn254.txt"
_ROW = re.compile(
    r"Benchmark(\w+)/Setup\(bits_(\d+),_curve_(\w+),_#i_(\d+),_#o_(\d+)\)\S*\s+\d+\s+([\d.]+) ns/op"
    r"\s+(\d+) B/op\s+(\d+) allocs/op"
)
UNITS = {"sec/op": (6, 1e-9), "B/op": (7, 1.0), "allocs/op": (8, 1.0)}


def transfer_cells(path: Path, unit: str = "sec/op", benchmark: str = "Sender", curve: str = "") -> CellTable:
    """Cells of one benchmark of the token SDK; all curves unless one is named."""
    matches = [match for line in path.read_text(encoding="utf-8").splitlines() if (match := _ROW.match(line))]
    rows = [row for row in matches if row[1] == benchmark and curve in ("", row[3])]
    group, factor = UNITS[unit]
    factors = {"bits": [int(row[2]) for row in rows], "curve": [row[3] for row in rows]}
    factors |= {name: [int(row[place]) for row in rows] for name, place in (("inputs", 4), ("outputs", 5))}
    return build_cells(factors, [float(row[group]) * factor for row in rows], unit=unit)


def table_of(
    levels: Mapping[str, object], means: object, *, noise: float, repeats: int = 5, seed: int = 1
) -> CellTable:
    """A table with relative noise about the mean of each cell."""
    random = np.random.default_rng(seed)
    mean = np.repeat(np.asarray(means, dtype=float), repeats)
    columns = {
        factor: np.repeat(np.asarray(column, dtype=object), repeats).tolist() for factor, column in levels.items()
    }
    return build_cells(columns, mean * np.exp(noise * random.standard_normal(mean.size)), unit="sec/op")


def grid(**levels: list[object]) -> dict[str, np.ndarray]:
    """Every combination of levels, a column a factor."""
    crossed = np.meshgrid(*(np.array(own, dtype=object) for own in levels.values()), indexing="ij")
    return {factor: column.ravel() for factor, column in zip(levels, crossed, strict=True)}


def numbers(cells: Mapping[str, np.ndarray], factor: str) -> np.ndarray:
    return cells[factor].astype(float)
