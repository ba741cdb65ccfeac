"""Which factor matters: the share of the variance that each one alone accounts for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import Cell, Level

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
    blocks = [np.ones((counts.size, 1)), *(_indicators(cells, factor) for factor in factors)]
    owner = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    design = np.hstack(blocks)
    # Sums over cells, taken once: leaving a factor out then only drops rows and columns of them.
    products = design.T @ (design * counts[:, None])
    targets = design.T @ (counts * (means - grand))
    full = _explained(products, targets)
    shares = {
        factor: max(0.0, (full - _explained(products, targets, owner != place)) / total)
        for place, factor in enumerate(factors, start=1)
    }
    return dict(sorted(shares.items(), key=lambda one: -one[1]))


def _indicators(cells: Sequence[Cell], factor: str) -> NDArray[np.float64]:
    """One column for each level but the first, which the intercept stands for."""
    place: dict[Level, int] = {}
    codes = np.array([place.setdefault(cell.levels[factor], len(place)) for cell in cells])
    columns: NDArray[np.float64] = (codes[:, None] == np.arange(1, len(place))).astype(np.float64)
    return columns


def _explained(
    products: NDArray[np.float64],
    targets: NDArray[np.float64],
    kept: NDArray[np.bool_] | None = None,
) -> float:
    """Return the sum of squares that the kept columns account for."""
    if kept is not None:
        products, targets = products[np.ix_(kept, kept)], targets[kept]
    # A pseudo-inverse: factors that vary together leave the products without an inverse.
    return float(targets @ np.linalg.lstsq(products, targets, rcond=1e-12)[0])
