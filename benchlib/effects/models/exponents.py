"""A free exponent: the power that the data themselves give a factor, with its interval."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.hypotheses import Observed
from benchlib.effects.models.criteria import error_variance
from benchlib.effects.models.designs import Columns, slots_of, stack_columns
from benchlib.effects.models.fitting import solve
from benchlib.effects.models.hypotheses import Fitted
from benchlib.effects.models.structures import used_factors
from benchlib.effects.search import MOST_CELLS
from benchlib.effects.shapes import Term
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate

__all__ = ["free_exponents"]

Floats = NDArray[np.float64]

#: Exponents are looked for between these; beyond, a power of a factor measured at a few levels is a guess.
SMALLEST, LARGEST = 0.02, 6.0
_STEPS = 40
_METHOD = "power fitted beside the other coefficients, ends by profile of the sum of squares"


def free_exponents(fitted: Fitted, observed: Observed, level: float) -> dict[str, Estimate]:
    """Return the exponent of each factor of a model, where its term is a free power x^b.

    The terms of the other factors stay. An end is where the sum of squares, the other coefficients fitted
    again, exceeds its minimum by t^2 times the error variance; infinite where that is not reached between
    `SMALLEST` and `LARGEST`. With more than `MOST_CELLS` cells the sum of squares is as good as quadratic, and the
    ends are those of the linearised model. Factors with fewer than three levels have none.

    References
    ----------
    D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988, section 6.1.
    """
    found = {}
    for factor in used_factors(fitted.hypothesis.structure):
        term = fitted.hypothesis.terms[factor]
        few = np.unique(observed.space.numbers[:, factor]).size < 3
        if term is None or few or fitted.size + 1 > observed.cells:
            continue
        name = observed.space.scales[factor].factor
        sample = observed.thinned(MOST_CELLS)
        found[name] = _exponent(fitted, sample, factor, term, level)
        if sample.cells < observed.cells:
            found[name] = _by_slope(fitted, observed, factor, found[name].value, level)
    return found


def _exponent(fitted: Fitted, observed: Observed, factor: int, term: Term, level: float) -> Estimate:
    falling = term.power < 0
    sign = -1.0 if falling else 1.0
    powers = np.union1d(np.geomspace(SMALLEST, LARGEST, _STEPS), [abs(term.power) or 1.0])
    squares = _squares(fitted, observed, factor, sign * powers)
    at = int(np.argmin(squares))
    for _ in range(3):
        around = np.linspace(powers[max(at - 1, 0)], powers[min(at + 1, powers.size - 1)], 15)
        powers, squares = _joined(powers, squares, around, _squares(fitted, observed, factor, sign * around))
        at = int(np.argmin(squares))
    variance = error_variance(observed, float(squares[at]), fitted.size + 1)
    low, high = -math.inf, math.inf
    if variance.degrees_of_freedom > 0:
        t = float(special.stdtrit(variance.degrees_of_freedom, (1 + level) / 2))
        limit = float(squares[at]) + variance.single * t**2
        for _ in range(3):
            for side in (-1, 1):
                crossing = _crossing(squares, at, side, limit)
                if crossing is not None:
                    around = np.linspace(powers[crossing], powers[crossing + side], 9)[1:-1]
                    powers, squares = _joined(
                        powers, squares, around, _squares(fitted, observed, factor, sign * around)
                    )
                    at = int(np.argmin(squares))
        ends = [_end(powers, squares, at, side, limit) for side in (-1, 1)]
        low, high = ends if not falling else [-ends[1], -ends[0]]
    return Estimate(
        value=sign * float(powers[at]),
        low=low,
        high=high,
        unit="",
        confidence_level=level,
        n=observed.n,
        method=_METHOD,
        standard_error=math.nan,
    )


def _by_slope(fitted: Fitted, observed: Observed, factor: int, start: float, level: float) -> Estimate:
    """Step to the exponent along what of its slope the other coefficients cannot follow."""
    levels = observed.space.numbers[:, factor]
    logarithms = np.log(np.where(levels > 0, levels, 1.0))
    inside = np.array([part is not None and factor in part for part in fitted.slots.parts])
    root = np.sqrt(observed.counts)
    power, free, squares = start, 0.0, math.inf
    for _ in range(4):
        columns = _columns(fitted, observed, factor, np.array([power]))
        solved = solve(columns, observed.logs[None, :], observed.counts[None, :])
        linear, coefficients = columns.linear[0], solved.coefficients[0]
        cost = linear @ coefficients
        squares = float(solved.sum_of_squares[0])
        residuals = root * (observed.logs - np.log(cost) - columns.scales[0] @ solved.scales[0])
        others = np.column_stack([linear / cost[:, None], columns.scales[0]]) * root[:, None]
        others /= np.sqrt((others**2).sum(axis=0))
        bend = root * logarithms * (linear[:, inside] @ coefficients[inside]) / cost
        bend = bend - others @ np.linalg.lstsq(others, bend, rcond=None)[0]
        free = float(bend @ bend)
        power += float(bend @ residuals) / free
    variance = error_variance(observed, squares, fitted.size + 1)
    error = math.sqrt(variance.single / free)
    reach = float(special.stdtrit(variance.degrees_of_freedom, (1 + level) / 2)) * error
    return Estimate(
        value=power,
        low=power - reach,
        high=power + reach,
        unit="",
        confidence_level=level,
        n=observed.n,
        method="power fitted beside the other coefficients, t interval",
        standard_error=error,
    )


def _squares(fitted: Fitted, observed: Observed, factor: int, powers: Floats) -> Floats:
    """Return the sums of squares with the power of one factor fixed in turn."""
    columns = _columns(fitted, observed, factor, powers)
    return solve(columns, observed.logs[None, :], observed.counts[None, :], rounds=30).sum_of_squares


def _columns(fitted: Fitted, observed: Observed, factor: int, powers: Floats) -> Columns:
    tried = []
    for power in powers:
        terms = list(fitted.hypothesis.terms)
        terms[factor] = Term(power=float(power), log=0)
        tried.append(replace(fitted.hypothesis, terms=tuple(terms)))
    slots = slots_of(fitted.hypothesis, observed.space)
    return stack_columns([(one, slots) for one in tried], observed.space)


def _joined(powers: Floats, squares: Floats, more: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    every, places = np.unique(np.concatenate([powers, more]), return_index=True)
    return every, np.concatenate([squares, theirs])[places]


def _crossing(squares: Floats, at: int, side: int, limit: float) -> int | None:
    """Return the last place within the limit on one side of the minimum; None where the limit is never passed."""
    place = at
    while 0 <= place + side < squares.size:
        if squares[place + side] > limit:
            return place
        place += side
    return None


def _end(powers: Floats, squares: Floats, at: int, side: int, limit: float) -> float:
    place = _crossing(squares, at, side, limit)
    if place is None:
        return side * math.inf
    inner, outer = float(squares[place]), float(squares[place + side])
    share = (limit - inner) / (outer - inner) if math.isfinite(outer) and outer > inner else 0.0
    return float(powers[place] + share * (powers[place + side] - powers[place]))
