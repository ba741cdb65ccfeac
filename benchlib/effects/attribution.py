"""Where a change between two runs comes from: the fixed cost, or the cost of a unit of a factor.

The rule by which the parts sum to the whole: in each slice both runs are fitted to the same additive
model with the same weights. A factor's part is the change of its slope times its levels, summed over
the cells; the fixed part is the change of the intercept, likewise; special cells are a part of their
own; the rest is what the model does not say. Each is given as a share of what the baseline costs
over all cells, so that together they are the total change, to the last digit.

A machine that is slower as a whole moves every part. Whether all cells moved alike, as it would move
them, is told beside the parts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import Cell, CellTable, Level, name_cell
from benchlib.effects.common_factor import find_common_factor
from benchlib.effects.contrasts import t_interval, welch
from benchlib.effects.exponents import ExponentTest, GrowthData, compare_exponents
from benchlib.effects.factors import choose_factors, warn_of_mixed
from benchlib.effects.slices import cut_slices, warn_of_special
from benchlib.effects.slopes import SpecialCell
from benchlib.errors import DataError, choices, printable
from benchlib.statistics.estimates import Estimate, checked_level

__all__ = ["Attribution", "ChangePart", "ExponentTest", "attribute_change"]

#: Fewer levels than these show no exponent.
LEVELS_FOR_EXPONENT = 3
#: What two runs that did not take turns leave open.
SESSION_SHIFT = "a difference of the machine between the two runs as a whole is part of every number here"

Floats = NDArray[np.float64]
Place = tuple[Level, ...]
Kind = Literal["fixed", "factor", "special", "rest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePart:
    """One part of a change.

    Attributes
    ----------
    kind : {"fixed", "factor", "special", "rest"}
    factor : str
        The numeric factor; empty for the other kinds.
    estimate : Estimate
        As a share of the baseline's cost over all cells, unit ``"ratio"``: 0.09 for +9 %.
    """

    kind: Kind
    factor: str
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """The change from a baseline to a candidate, split up.

    Attributes
    ----------
    total : Estimate
        Candidate over baseline, both summed over the cells, minus 1; unit ``"ratio"``.
    parts : tuple of ChangePart
        Their values sum to that of ``total``. Largest first, the rest last.
    exponents : tuple of ExponentTest
        For each numeric factor with three levels or more.
    common_factor : Estimate
        Candidate over baseline where all cells changed alike, unit ``"x"``, as
        `benchlib.effects.common_factor.find_common_factor` has it.
    common_pvalue : float
        Of one factor for all cells; NaN where no cell was measured twice.
    n_cells, n : int
        Cells that both runs have, and values in them.
    caveats : tuple of Caveat
    """

    total: Estimate
    parts: tuple[ChangePart, ...]
    exponents: tuple[ExponentTest, ...]
    common_factor: Estimate
    common_pvalue: float
    n_cells: int
    n: int
    caveats: tuple[Caveat, ...]

    @property
    def proportional(self) -> bool:
        """Whether one factor explains the change of every cell: then the machine alone could be the cause."""
        return self.common_pvalue > 1 - self.common_factor.confidence_level


def attribute_change(
    baseline: CellTable,
    candidate: CellTable,
    numeric_factors: Sequence[str] | None = None,
    categorical_factors: Sequence[str] | None = None,
    *,
    interleaved: bool = False,
    confidence_level: float = 0.95,
) -> Attribution:
    """Split the change between two runs into a fixed part and a part for each numeric factor.

    Costs are geometric means of cells. Intervals hold what replicates within a run hold: noise, but
    not what differs between runs as a whole, such as a warmer machine.

    Parameters
    ----------
    baseline, candidate : CellTable
        Of the same factors. Cells that one of them lacks are left out.
    numeric_factors, categorical_factors : sequence of str, optional
        As for `benchlib.effects.marginal.analyse_cells`.
    interleaved : bool
        Whether the runs took turns on one machine; else a caveat tells that the machine may be the cause.
    confidence_level : float

    Raises
    ------
    DataError
        For tables of different factors or units, fewer than two cells in common, a cost that is not positive,
        no numeric factor, or factors that cannot be told apart.
    SelectionError
        For a factor that the tables do not hold.

    References
    ----------
    Propagation of errors through a ratio of sums, with the degrees of freedom of F. E. Satterthwaite,
    Biometrics Bulletin 2 (1946) 110-114. Exponents: `benchlib.effects.exponents`.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> outputs = [1, 1, 2, 2, 4, 4, 8, 8]
    >>> before = build_cells({"outputs": outputs}, [15, 15.1, 25, 25.1, 45, 45.1, 85, 85.1], unit="sec")
    >>> after = build_cells({"outputs": outputs}, [16, 16.1, 27, 27.1, 49, 49.1, 93, 93.1], unit="sec")
    >>> found = attribute_change(before, after)
    >>> f"{found.total.value:+.1%}", [f"{part.estimate.value:+.1%} {part.kind}" for part in found.parts]
    ('+8.8%', ['+8.8% factor', '+0.0% fixed', '+0.0% rest'])
    """
    level = checked_level(confidence_level)
    pairs = _match(baseline, candidate)
    numeric, categorical = choose_factors(baseline, numeric_factors, categorical_factors)
    if not numeric:
        raise DataError(
            f"none of {choices(baseline.factors)} is numeric with three levels or more; name one in "
            "numeric_factors to split a change by it"
        )
    costs = np.array([[float(np.log(cell.values).mean()) for cell in run] for run in pairs])
    # Relative to the largest, so that no unit overflows or underflows.
    costs = np.exp(costs - costs.max())
    special = _special(baseline, candidate, numeric, categorical)
    regular = np.array([_place(cell) not in special for cell in pairs[0]])
    noise = _noise(pairs, level)
    n = sum(cell.n for run in pairs for cell in run)
    parts = [
        ChangePart(kind=kind, factor=factor, estimate=_share(row, costs, noise, n))
        for (kind, factor), row in _rows(pairs[0], numeric, categorical, regular, costs).items()
    ]
    parts.sort(key=lambda part: (part.kind == "rest", -abs(part.estimate.value)))
    common = find_common_factor(list(zip(*pairs, strict=True)), level)
    left_out = len(baseline.cells) + len(candidate.cells) - 2 * len(pairs[0])
    return Attribution(
        total=_share(np.ones(costs.shape[1]), costs, noise, n),
        parts=tuple(parts),
        exponents=tuple(_exponents(pairs, costs, regular, numeric, categorical, noise)),
        common_factor=common.estimate,
        common_pvalue=common.pvalue,
        n_cells=len(pairs[0]),
        n=n,
        caveats=merge(
            [] if interleaved else [caveat("session-shift", SESSION_SHIFT)],
            warn_of_mixed(baseline),
            [caveat("missing-cells", f"{left_out} cells were measured in one run only and are left out")]
            if left_out
            else [],
            noise.caveats,
            warn_of_special(list(special.values())),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Noise:
    """Relative variance of the geometric mean of each cell, its degrees of freedom, and whether all share one."""

    variances: Floats
    degrees: Floats
    pooled: bool
    level: float
    caveats: tuple[Caveat, ...]


def _place(cell: Cell) -> Place:
    return tuple(cell.levels[name] for name in sorted(cell.levels))


def _match(baseline: CellTable, candidate: CellTable) -> tuple[list[Cell], list[Cell]]:
    """Return the cells that both runs have, in the same order."""
    if set(baseline.factors) != set(candidate.factors):
        raise DataError(
            f"the baseline varies over {choices(baseline.factors)}, the candidate over "
            f"{choices(candidate.factors)}; give both the same factors"
        )
    if baseline.unit != candidate.unit:
        raise DataError(
            f"the baseline is in {printable(baseline.unit)}, the candidate in {printable(candidate.unit)}; "
            "give both in one unit"
        )
    after = {_place(cell): cell for cell in candidate.cells}
    found = [(cell, after[_place(cell)]) for cell in baseline.cells if _place(cell) in after]
    if len(found) < 2:
        raise DataError(f"the runs have {len(found)} cells in common; at least 2 are needed: measure the same cells")
    for pair in found:
        for cell in pair:
            if cell.values[0] <= 0:
                raise DataError(
                    f"the cell {name_cell(cell.levels)} holds {cell.values[0]:g}; "
                    "shares of a change need positive costs: leave the cell out"
                )
    return [before for before, _ in found], [later for _, later in found]


def _special(
    baseline: CellTable, candidate: CellTable, numeric: Sequence[str], categorical: Sequence[str]
) -> dict[Place, SpecialCell]:
    """Return the cells that are special in either run."""
    return {
        tuple(one.levels[name] for name in sorted(one.levels)): one
        for table in (baseline, candidate)
        for piece in cut_slices(table, numeric, categorical)
        for one in piece.special
    }


def _groups(cells: Sequence[Cell], categorical: Sequence[str], kept: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return the places of the cells kept, slice by slice."""
    found: dict[Place, list[int]] = {}
    for place, cell in enumerate(cells):
        if kept[place]:
            found.setdefault(tuple(cell.levels[name] for name in categorical), []).append(place)
    return [np.array(one, dtype=np.intp) for one in found.values()]


def _rows(
    cells: Sequence[Cell], numeric: Sequence[str], categorical: Sequence[str], regular: NDArray[np.bool_], costs: Floats
) -> dict[tuple[Kind, str], Floats]:
    """Return for each part what it takes of the change of each cell: every part is a sum over cells."""
    rows: dict[tuple[Kind, str], Floats] = {("fixed", ""): np.zeros(len(cells))}
    rows |= {("factor", factor): np.zeros(len(cells)) for factor in numeric}
    for here in _groups(cells, categorical, regular):
        design = np.array([[1.0, *(float(cells[one].levels[name]) for name in numeric)] for one in here])
        varying = [0, *(1 + place for place in range(len(numeric)) if np.ptp(design[:, 1 + place]) > 0)]
        names = [numeric[place - 1] for place in varying[1:]]
        # The same weights for both runs: what the model misses alike in both then cancels.
        weights = 1 / np.sqrt(costs[0, here] * costs[1, here])
        scale = np.abs(design[:, varying]).max(axis=0)
        scaled = design[:, varying] / scale * weights[:, None]
        if np.linalg.matrix_rank(scaled, tol=1e-9) < len(varying):
            where = {name: cells[here[0]].levels[name] for name in categorical}
            raise DataError(
                f"the effects of {choices(names)} cannot be parted{f' at {name_cell(where)}' if where else ''}: "
                "they vary together in the cells measured; measure more cells or name fewer factors"
            )
        solve = np.linalg.pinv(scaled) * weights / scale[:, None]
        for place, coefficient in zip(varying, solve, strict=True):
            key: tuple[Kind, str] = ("factor", numeric[place - 1]) if place else ("fixed", "")
            rows[key][here] += design[:, place].sum() * coefficient
    if not regular.all():
        rows["special", ""] = (~regular).astype(np.float64)
    rows["rest", ""] = 1.0 - np.sum(list(rows.values()), axis=0)
    return rows


def _noise(pairs: tuple[list[Cell], list[Cell]], level: float) -> _Noise:
    counts = np.array([[cell.n for cell in run] for run in pairs])
    squares = np.array([[float(np.log(cell.values).var()) * cell.n for cell in run] for run in pairs])
    degrees = counts - 1
    caveats: tuple[Caveat, ...] = ()
    if degrees.min() > 0:
        variances = squares / degrees / counts
    elif degrees.sum() > 0:
        # Cells measured once borrow the relative error of the others.
        variances = squares.sum() / degrees.sum() / counts
        degrees = np.full(counts.shape, degrees.sum())
        caveats = (
            caveat(
                "one-replicate",
                f"{int((counts == 1).sum())} of {counts.size} cells were measured once: all share one relative error",
            ),
        )
    else:
        variances = np.full(counts.shape, np.nan)
        caveats = (caveat("one-replicate", "no cell was measured twice: shares of the change without intervals"),)
    return _Noise(
        variances=variances,
        degrees=degrees.astype(np.float64),
        pooled=bool(counts.min() == 1),
        level=level,
        caveats=caveats,
    )


def _share(row: Floats, costs: Floats, noise: _Noise, n: int) -> Estimate:
    """Return the change of a weighted sum of cells as a share of the baseline's plain sum."""
    whole = float(costs[0].sum())
    value = float(row @ (costs[1] - costs[0])) / whole
    towards = np.array([-(row + value), row]) * costs / whole
    parts = (towards**2 * noise.variances).ravel()
    if noise.pooled:
        error, degrees = math.sqrt(float(parts.sum())), float(noise.degrees.max())
    else:
        error, degrees = welch(parts.tolist(), noise.degrees.ravel().tolist())
    low, high = t_interval(value, error, degrees, noise.level)
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit="ratio",
        confidence_level=noise.level,
        n=n,
        method="change of an additive model as share of the baseline, t interval from replicates",
        standard_error=error,
    )


def _exponents(
    pairs: tuple[list[Cell], list[Cell]],
    costs: Floats,
    regular: NDArray[np.bool_],
    numeric: Sequence[str],
    categorical: Sequence[str],
    noise: _Noise,
) -> Iterator[ExponentTest]:
    for factor in numeric:
        slices = []
        for here in _groups(pairs[0], categorical, regular):
            levels = np.array([float(pairs[0][one].levels[factor]) for one in here])
            if np.unique(levels).size < LEVELS_FOR_EXPONENT or levels.min() < 0:
                continue
            others = [[float(pairs[0][one].levels[name]) for name in numeric if name != factor] for one in here]
            columns = np.column_stack([np.ones(here.size), np.array(others).reshape(here.size, -1)])
            slices.append(GrowthData(factor=levels, others=columns, costs=costs[:, here]))
        if slices:
            by_replicates = float(noise.variances[:, regular].mean())
            degrees = int(sum(cell.n - 1 for run in pairs for cell in run))
            yield compare_exponents(
                factor,
                slices,
                by_replicates if math.isfinite(by_replicates) else 0.0,
                degrees,
                sum(cell.n for cell in pairs[0]),
                noise.level,
            )
