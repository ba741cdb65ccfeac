"""Cells that no cost model explains: found by a rule, set apart, and the model fitted without them.

The rule is that of plain slopes, `benchlib.effects.outlying_cells.set_apart`, with a price. A cell is special when
its cost is off by more than a factor `OFF_BY` from what the model of the other cells predicts, and by more
than `STUDENTISED` standard deviations of that prediction; the cells set apart must all break this rule and no
other may; and together they must lower BIC, though each counts as a coefficient of its own, picked among all cells.

The shapes of a search are many, and one that bends towards a special cell hides it from a rule that looks at
residuals alone. So the search for special cells begins once without those that plain slopes find in their
slices, where no model can bend, and once with all cells.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.hypotheses import Observed
from benchlib.effects.models.assessing import Assessed, assess
from benchlib.effects.models.criteria import choose
from benchlib.effects.models.hypotheses import Fitted
from benchlib.effects.outlying_cells import OFF_BY, SPECIAL_LIMIT, SPECIAL_SHARE, STUDENTISED
from benchlib.effects.search import search
from benchlib.effects.shapes import Term

__all__ = ["best_of", "find_special"]

Marks = NDArray[np.bool_]


def best_of(ranked: list[Fitted]) -> Fitted:
    """Return the model chosen among ranked ones."""
    bic = np.array([one.bic for one in ranked])
    return ranked[choose(bic, np.array([one.size for one in ranked]))]


def find_special(observed: Observed, terms: tuple[Term, ...], suspected: Marks) -> tuple[Marks, list[Fitted]]:
    """Return which cells are special, and the models of the others, the lowest BIC first.

    Parameters
    ----------
    observed : Observed
        All cells.
    terms : tuple of Term
    suspected : ndarray of bool, shape (cells,)
        Where to begin besides with all cells.
    """
    plain = search(observed, terms)
    none = np.zeros(observed.cells, dtype=bool)
    most = min(int(observed.cells * SPECIAL_SHARE), SPECIAL_LIMIT)
    starts = [suspected, none] if suspected.any() else [none]
    for start in starts:
        out, ranked = start.copy(), plain
        while out.sum() <= most:
            rest = observed.without(out)
            ranked = search(rest, terms) if out.any() else plain
            best = assess(best_of(ranked), rest)
            worth = out.any() and ranked[0].bic < plain[0].bic
            if worth and _outside_break(best, observed, out) and not _breaks_inside(best, rest).any():
                return out, ranked
            if rest.cells - best.fitted.size < 3 or not _off(best.left_out_residuals).any():
                break
            out[np.flatnonzero(~out)[_hardest(best, rest)]] = True
    return none, plain


def _hardest(best: Assessed, rest: Observed) -> int:
    """Return the place of the cell without which the others fit best."""
    gain = rest.counts * best.residuals * np.nan_to_num(best.left_out_residuals)
    return int(np.argmax(gain))


def _breaks_inside(best: Assessed, rest: Observed) -> Marks:
    """Whether each cell of a fit breaks the rule against a fit without it."""
    away = np.nan_to_num(best.left_out_residuals)
    gain = rest.counts * best.residuals * away
    freedom = max(rest.cells - best.fitted.size - 1, 1)
    left = np.maximum(best.fitted.sum_of_squares - gain, 0.0) / freedom
    return _off(away) & (gain > STUDENTISED**2 * left)


def _outside_break(best: Assessed, observed: Observed, out: Marks) -> bool:
    """Whether every cell set apart breaks the rule against the model of the others."""
    logs, unscaled = best.predict(observed.space.rows(out))
    away = observed.logs[out] - logs
    deviation = np.sqrt(best.variance.single * (unscaled + 1 / observed.counts[out]))
    return bool((_off(away) & (np.abs(away) > STUDENTISED * deviation)).all())


def _off(away: NDArray[np.float64]) -> Marks:
    found: Marks = np.abs(away) > math.log(OFF_BY)
    return found
