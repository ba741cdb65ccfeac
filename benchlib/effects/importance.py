"""Which factor matters: the share of the variance that each one alone accounts for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import Cell

__all__ = ["share_of_variance"]


def share_of_variance(cells: Sequence[Cell], factors: Sequence[str]) -> Mapping[str, float]:
    """Return the share of the variance of the logarithms that each factor accounts for.

    Type II sums of squares of the main effects over all replicates, with every factor taken by
    its levels: what is lost when the factor alone is left out. The rest is interaction and noise,
    so the shares need not add up to 1. Largest first. Empty where a value is not positive or
    where nothing varies.

    References
    ----------
    Ø. Langsrud, Statistics and Computing 13 (2003) 163-167.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> table = build_cells(
    ...     {"bits": [32, 64, 32, 64], "curve": ["A", "A", "B", "B"]}, [1.0, 2.0, 10.0, 20.0], unit="sec"
    ... )
    >>> {name: round(share, 2) for name, share in share_of_variance(table.cells, ("bits", "curve")).items()}
    {'curve': 0.92, 'bits': 0.08}
    """
    if any(cell.values[0] <= 0 for cell in cells):
        return {}
    counts = np.array([cell.n for cell in cells], dtype=np.float64)
    logs = [np.log(cell.values) for cell in cells]
    means = np.array([float(one.mean()) for one in logs])
    within = float(sum(((one - one.mean()) ** 2).sum() for one in logs))
    grand = float(counts @ means / counts.sum()) if cells else 0.0
    total = within + float(counts @ (means - grand) ** 2)
    # Below the rounding of the logarithms nothing varies.
    if total <= 1e-20 * max(1.0, float(counts.sum()) * grand**2):
        return {}
    root = np.sqrt(counts)
    blocks = {factor: _indicators(cells, factor) for factor in factors}
    target = (means - grand) * root
    full = _unexplained(blocks, (), root, target)
    lost = {factor: _unexplained(blocks, (factor,), root, target) - full for factor in factors}
    shares = {factor: max(0.0, loss / total) for factor, loss in lost.items()}
    return dict(sorted(shares.items(), key=lambda one: -one[1]))


def _indicators(cells: Sequence[Cell], factor: str) -> NDArray[np.float64]:
    """One column for each level but the first, which the intercept stands for."""
    levels = list(dict.fromkeys(cell.levels[factor] for cell in cells))
    return np.array([[float(cell.levels[factor] == level) for level in levels[1:]] for cell in cells])


def _unexplained(
    blocks: Mapping[str, NDArray[np.float64]],
    without: tuple[str, ...],
    root: NDArray[np.float64],
    target: NDArray[np.float64],
) -> float:
    columns = [block for factor, block in blocks.items() if factor not in without]
    design = np.column_stack([np.ones(root.size), *columns]) * root[:, None]
    solution = np.linalg.lstsq(design, target, rcond=None)[0]
    residuals = target - design @ solution
    return float(residuals @ residuals)
