"""What benchstat warns of: too few values, equal values, inexact ones, and cells that pool what differs.

References
----------
golang.org/x/perf/benchmath, ``anone.go`` and ``aexact.go``; golang.org/x/perf/benchproc, ``nonsingular.go``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.benchstat.cells import Cells, Summaries
from benchlib.answers.benchstat.go_text import shortest
from benchlib.answers.benchstat.projection import Projections
from benchlib.statistics.ranks import smallest_pvalue
from benchlib.statistics.samples import median_ranks

__all__ = ["Footnotes"]

#: benchstat looks no further for the n that an interval, or a difference, would need.
_MOST_FOR_INTERVAL, _MOST_FOR_DIFFERENCE = 50, 9


class Footnotes:
    """What is said of each cell, by its place among all cells.

    Attributes
    ----------
    centre, change : dict of int to tuple of str
        Of the cell, and of its comparison.
    """

    def __init__(
        self,
        cells: Cells,
        found: Summaries,
        pvalues: NDArray[np.float64],
        exact: NDArray[np.bool_],
        parts: Projections,
        significance_level: float,
        confidence_level: float,
    ) -> None:
        self.centre: dict[int, tuple[str, ...]] = {}
        self.change: dict[int, tuple[str, ...]] = {}
        for cell, told in _varying(cells, parts).items():
            self.centre[cell] = (told,)
        interval = _needed_for_interval(confidence_level)
        for cell in np.flatnonzero(~np.isfinite(found.low)).tolist():
            self.centre[cell] = (*self.centre.get(cell, ()), interval)
        for cell in np.flatnonzero(exact & (found.minimum != found.maximum)).tolist():
            ends = f"from {shortest(found.minimum[cell])} to {shortest(found.maximum[cell])}"
            told = f"exact distribution expected, but values range {ends}"
            self.centre[cell] = (*self.centre.get(cell, ()), told)
        base = cells.base
        low, high = (np.where(base < 0, np.nan, one[base]) for one in (found.minimum, found.maximum))
        constant = (low == high) & (found.minimum == low) & (found.maximum == low) & ~exact
        for cell in np.flatnonzero(constant).tolist():
            self.change[cell] = ("all samples are equal",)
        difference, needed = _needed_for_difference(significance_level)
        few = (pvalues > significance_level) & ~constant & (cells.n < needed) & (cells.n[base] < needed)
        for cell in np.flatnonzero(few).tolist():
            self.change[cell] = (difference,)


def _varying(cells: Cells, parts: Projections) -> dict[int, str]:
    """Say of cells that pool what differs in a key that no projection names."""
    names: dict[int, list[str]] = {}
    if not cells.n.size:
        return {}
    for name, texts in parts.residue:
        if len(texts.levels) > 1:
            codes = texts.codes[cells.order]
            least, most = (one.reduceat(codes, cells.starts[:-1]) for one in (np.minimum, np.maximum))
            for cell in np.flatnonzero(least != most).tolist():
                names.setdefault(cell, []).append(name)
    return {cell: f"benchmarks vary in {', '.join(found)}" for cell, found in names.items()}


def _needed_for_interval(confidence_level: float) -> str:
    about = f"samples for confidence interval at level {shortest(confidence_level)}"
    for n in range(2, _MOST_FOR_INTERVAL + 1):
        if confidence_level < 1 and (ranks := median_ranks(n, confidence_level)).low > 0 and ranks.high <= n:
            return f"need >= {n} {about}"
    return f"need > {_MOST_FOR_INTERVAL} {about}"


def _needed_for_difference(significance_level: float) -> tuple[str, int]:
    """Return the warning, and the n on either side below which it is given."""
    level = shortest(significance_level)
    for n in range(1, _MOST_FOR_DIFFERENCE + 1):
        if smallest_pvalue(n, n) <= significance_level:
            return f"need >= {n} samples to detect a difference at alpha level {level}", n
    n = _MOST_FOR_DIFFERENCE + 1
    return f"need > {n} samples to detect a difference at alpha level {level}", n
