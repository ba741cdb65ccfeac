"""Profile intervals: which values of a quantity the data cannot rule out.

For a quantity held at a value, all parameters are refitted; the value belongs to the interval
while the sum of squares stays below S_min + s² F(1, n - p). The refits of all quantities and both
ends of each interval are one batch.

References
----------
D. M. Bates and D. G. Watts, "Nonlinear Regression Analysis and Its Applications", Wiley 1988,
section 6.1.2: the signed root of the rise is nearly linear in the value, so the ends are found on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.scaling.fits.brackets import CLOSE, FAN, FAR, Bracket, Fan, Point
from benchlib.scaling.fits.objective import Objective
from benchlib.scaling.fits.quantities import Quantity, quantity_named
from benchlib.scaling.fits.solver import minimise
from benchlib.scaling.laws import FloatArray, Law

__all__ = ["Asked", "profile_intervals"]

#: Exact enough for a sum of squares, of which it is the square that counts.
_FOR_SUMS = 1e-4
#: The same where the value has no limit: distances from the largest measured, from far to near.
_DOWN = (3.0, 1.5, 0.7, 0.3, 0.0, -0.3, -0.7, -1.5, -3.0, -8.0)
_GUESS = 0.1
#: A coherency of this, at N = 1, is none.
_NOTHING = 1e-9
_MOST_ROUNDS, _MOST_LOOKS = 60, 3
#: Other shares to search from, where the sum of squares has more than one dip.
_SHARES = (0.1, 0.9)
#: A refit far from the data may creep for ever: the first look at it is a short one.
_FIRST_LOOK, _MOST_ITERATIONS = 8, 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A quantity whose interval is wanted.

    Attributes
    ----------
    name : str
        A derived quantity or a parameter of the law.
    rise : float
        By how much a refit may raise the sum of squares: s² F, or s² t² for a one-sided limit.
    step : float
        A guess of how far the ends lie from the value, in logarithms; 0 where there is none.
    """

    name: str
    rise: float
    step: float = 0.0


def profile_intervals(
    objective: Objective,
    law: Law,
    asked: Sequence[Asked],
    best: FloatArray,
    best_sum: float,
    *,
    rate: float | None = None,
) -> dict[str, tuple[float, float]]:
    """Return the values of each quantity whose refit raises the sum of squares by no more than allowed.

    Parameters
    ----------
    objective : Objective
    law : Law
    asked : sequence of Asked
    best : ndarray, shape (p,)
        The feasible fit, in units of the objective.
    best_sum : float
        Its sum of squares.
    rate : float, optional
        The throughput of one worker, where it was given: then no refit changes it.

    Returns
    -------
    dict
        Name to (low, high), in units of the objective. An end is infinite (or 0) where even the
        limit is not ruled out.
    """
    intervals: dict[str, tuple[float, float]] = {}
    searched: list[Asked] = []
    for one in asked:
        value = quantity_named(law, one.name).value(best)
        if one.rise <= objective.negligible:
            intervals[one.name] = value, value
        else:
            searched.append(one)
    if searched:
        search = _Search(objective, law, searched, best, best_sum, rate)
        intervals |= search.intervals()
    return intervals


class _Search:
    """The search for the ends of all intervals at once."""

    def __init__(
        self,
        objective: Objective,
        law: Law,
        asked: Sequence[Asked],
        best: FloatArray,
        best_sum: float,
        rate: float | None,
    ) -> None:
        self.quantities = [quantity_named(law, one.name) for one in asked]
        self.rises = np.array([one.rise for one in asked])
        self.formula = objective.evaluator(law)
        self.negligible = objective.negligible
        self.best, self.best_sum = best, best_sum
        self.most = float(np.max(objective.concurrency))
        self.asked = asked
        self.law, self.rate = law, rate
        self.largest = [
            float(np.max(objective.throughput if one.of_rate else objective.concurrency)) for one in self.quantities
        ]

    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return (low, high) by name."""
        found, brackets = self._fan_out()
        for _ in range(_MOST_LOOKS):
            self._close(brackets)
            for one in brackets:
                found[one.quantity][one.upwards] = math.exp(one.end)
            brackets = self._reopened([one for one in brackets if self.quantities[one.quantity].shared])
            if not brackets:
                break
        return {one.name: (low, high) for one, (low, high) in zip(self.asked, found, strict=True)}

    def _close(self, brackets: Sequence[Bracket]) -> None:
        """Narrow brackets until each has its end."""
        left = list(brackets)
        for _ in range(_MOST_ROUNDS):
            if not left:
                break
            which = np.array([one.quantity for one in left])
            proposals = [one.proposal() for one in left]
            held = np.array([log_held for log_held, _ in proposals])
            roots, free = self._signed_roots(which, held, np.array([start for _, start in proposals]))
            for one, log_held, root, there in zip(left, held.tolist(), roots.tolist(), free, strict=True):
                one.take(Point(root, log_held, there))
            left = [one for one in left if not one.closed(math.sqrt(self.rises[one.quantity]))]

    def _reopened(self, brackets: Sequence[Bracket]) -> list[Bracket]:
        """Return the brackets whose end lies inside after all: another dip of the sum of squares is lower there."""
        if not brackets:
            return []
        which, held = np.array([one.quantity for one in brackets]), np.array([one.end for one in brackets])
        starts = np.array([one.last.free for one in brackets])
        roots, free = self._everywhere(which, held, starts, _FIRST_LOOK)
        left = []
        for one, log_held, root, there in zip(brackets, held.tolist(), roots.tolist(), free, strict=True):
            if root < -10 * CLOSE * math.sqrt(self.rises[one.quantity]):
                one.reopen(Point(root, log_held, there))
                left.append(one)
        return left

    def _fan_out(self) -> tuple[list[list[float]], list[Bracket]]:
        """Ask for values at growing distances; return the ends without limit, and brackets of the others."""
        found = [[0.0, math.inf] for _ in self.asked]
        endless = self._endless()
        brackets: list[Bracket] = []
        fans: list[Fan] = []
        for index, one in enumerate(self.asked):
            value = self.quantities[index].value(self.best)
            depth = -math.sqrt(self.rises[index])
            guess = min(max(one.step, 1e-9), 3.0) if one.step > 0 else _GUESS
            if math.isinf(value):
                origin = math.log(self.largest[index])
                fans.append(Fan(index, False, origin, np.array(_DOWN), origin + FAR, depth))
                continue
            sides = (True,) if value == 0 else (False, True)
            origin = math.log(value) if value > 0 else math.log(_NOTHING / self.most**2)
            reach = guess * np.array(FAN) if value > 0 else np.geomspace(1.0, 3 * FAR, 16)
            fans += [
                Fan(index, side, origin, reach if side else -reach, origin, depth)
                for side in sides
                if not (side and endless[index])
            ]
        while fans:
            which = np.concatenate([np.full(len(one.reach), one.quantity) for one in fans])
            asked_for = np.concatenate([one.origin + one.reach for one in fans])
            start = np.broadcast_to(self.best, (len(which), len(self.best)))
            roots, free = self._everywhere(which, asked_for, self._free(which, asked_for, start), _FIRST_LOOK)
            further: list[Fan] = []
            place = 0
            for fan in fans:
                here = slice(place, place + len(fan.reach))
                place += len(fan.reach)
                bracket = self._bracket(fan, asked_for[here], roots[here], free[here])
                if bracket is not None:
                    brackets.append(bracket)
                elif abs(fan.reach[-1]) < FAR:
                    further.append(fan.further(float(roots[here][-1])))
            fans = further
        return found, brackets

    def _bracket(self, fan: Fan, held: FloatArray, roots: FloatArray, free: FloatArray) -> Bracket | None:
        """Return the first step of a fan that leads out, None where none does."""
        over = np.flatnonzero(roots > 0)
        if not len(over):
            return None
        first = int(over[0])
        points = [Point(*one) for one in zip(roots.tolist(), held.tolist(), free, strict=True)]
        start = self._free(np.array([fan.quantity]), np.array([fan.inside]), self.best[np.newaxis])[0]
        inside = points[first - 1] if first else Point(fan.depth, fan.inside, start)
        # Where a refit has not settled yet, its root is too large: what lies further out helps no guess.
        return Bracket(
            quantity=fan.quantity,
            upwards=fan.upwards,
            inside=inside,
            outside=points[first],
            furthest=points[first],
            known=[Point(fan.depth, fan.inside, start), *points[: first + 2]],
        )

    def _endless(self) -> list[bool]:
        """Say of each quantity whether the data leave it without an upper limit: one fit of what is left there."""
        found = [False] * len(self.asked)
        asked = [index for index, one in enumerate(self.quantities) if one.endless]
        if not asked:
            return found
        lower = np.tile(self.law.lower, (len(asked), 1))
        upper = np.tile(self.law.upper, (len(asked), 1))
        if self.rate is not None:
            lower[:, 0] = upper[:, 0] = self.rate
        for row, index in enumerate(asked):
            for name, value in self.quantities[index].endless.items():
                column = self.law.parameters.index(name)
                lower[row, column] = upper[row, column] = value
        start = np.broadcast_to(self.best, lower.shape)
        fitted = minimise(self.formula, start, lower, upper, negligible=self.negligible, orthogonal=_FOR_SUMS)
        for row, index in enumerate(asked):
            found[index] = bool(fitted.sums_of_squares[row] <= self.best_sum + self.rises[index])
        return found

    def _groups(self, which: NDArray[np.int64]) -> list[tuple[Quantity, slice]]:
        """Return the rows of each quantity, which lie together."""
        ends = np.flatnonzero(np.diff(which, append=-1)) + 1
        starts = [0, *ends[:-1].tolist()]
        return [
            (self.quantities[which[start]], slice(start, stop))
            for start, stop in zip(starts, ends.tolist(), strict=True)
        ]

    def _free(self, which: NDArray[np.int64], log_held: FloatArray, parameters: FloatArray) -> FloatArray:
        """Return the free coordinates of parameters, for each value held."""
        free = np.empty((len(which), len(self.best) - 1))
        for quantity, rows in self._groups(which):
            free[rows] = quantity.free(parameters[rows], np.exp(log_held[rows]))
        return free

    def _everywhere(
        self, which: NDArray[np.int64], log_held: FloatArray, start: FloatArray, iterations: int
    ) -> tuple[FloatArray, FloatArray]:
        """Refit as `_signed_roots` does, also from the ends of coordinates that are shares; keep the lowest."""
        rows = np.flatnonzero([self.quantities[index].shared for index in which])
        if not len(rows):
            return self._signed_roots(which, log_held, start, iterations)
        others = [start[rows].copy() for _ in _SHARES]
        for other, share in zip(others, _SHARES, strict=True):
            other[:, -1] = share
        every = np.concatenate([np.arange(len(which)), *[rows] * len(others)])
        roots, free = self._signed_roots(which[every], log_held[every], np.concatenate([start, *others]), iterations)
        lowest = np.lexsort((roots, every))[np.searchsorted(np.sort(every), np.arange(len(which)))]
        return roots[lowest], free[lowest]

    def _signed_roots(
        self, which: NDArray[np.int64], log_held: FloatArray, start: FloatArray, iterations: int = _MOST_ITERATIONS
    ) -> tuple[FloatArray, FloatArray]:
        """Refit with values held; return the root of each rise less the root allowed, and the coordinates."""
        groups = self._groups(which)
        held = np.exp(log_held)
        lower, upper = np.empty_like(start), np.empty_like(start)
        for quantity, rows in groups:
            lower[rows], upper[rows] = quantity.bounds(held[rows])

        def evaluate(free: FloatArray) -> tuple[FloatArray, FloatArray]:
            full = np.empty((len(free), len(self.best)))
            tangent = np.empty((len(free), len(self.best), len(self.best) - 1))
            for quantity, rows in groups:
                full[rows], tangent[rows] = quantity.embed(free[rows], held[rows])
            if self.rate is not None:
                full[:, 0], tangent[:, 0] = self.rate, 0.0
            residuals, jacobian = self.formula(full)
            return residuals, jacobian @ tangent

        found = minimise(
            evaluate,
            start,
            lower,
            upper,
            negligible=self.negligible,
            orthogonal=_FOR_SUMS,
            max_iterations=iterations,
        )
        rises = np.maximum(found.sums_of_squares - self.best_sum, 0.0)
        # Capped, because no line is drawn towards infinity.
        roots = np.minimum(np.sqrt(rises), 1e5 * np.sqrt(self.rises[which])) - np.sqrt(self.rises[which])
        return roots, found.parameters
