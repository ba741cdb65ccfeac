"""Which cells to measure next, to tell the chosen model from its closest rival."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import Level
from benchlib.effects.models.assessing import Assessed
from benchlib.effects.predict import Basis
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate

__all__ = ["MOST_REPETITIONS", "NextCell", "next_cells"]

Floats = NDArray[np.float64]

#: Beyond this many repetitions a cell is no advice.
MOST_REPETITIONS = 1000
#: A grid of more cells than this is thinned: factors without effect first, then every other level of the longest.
_MOST_CELLS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NextCell:
    """A cell that tells two models apart.

    Attributes
    ----------
    at : mapping of factor to level
    chosen, rival : Estimate
        What each model predicts there, alone.
    rival_place : int
        Which of the rivals it is, counted from the chosen model at 0.
    repetitions : int
        Measurements whose mean would rule out one of the two at the confidence level.
    cost : float
        Repetitions times the cost that the chosen model predicts, in the unit of the cost.
    measured : bool
        Whether the cell was measured already, so that this is about more repetitions.
    """

    at: Mapping[str, Level]
    chosen: Estimate
    rival: Estimate
    rival_place: int
    repetitions: int
    cost: float
    measured: bool


def next_cells(basis: Basis, count: int) -> tuple[NextCell, ...]:
    """Return the cells that separate the chosen model from its closest rival at least cost.

    Cells are combinations of measured levels of all factors, and of half the smallest and twice the largest level
    of each numeric one. The mean of n new measurements rules out a model when it lies further from its
    prediction than z times sqrt(v + own + within / n): v is the variance of the prediction, own what cells stray
    by, within the variance of replicates; the larger v of the two models counts. Cells come in order of n times
    the predicted cost. The closest rival that any cell within `MOST_REPETITIONS` separates is taken, so that one which
    differs nowhere does not hide the next.

    References
    ----------
    G. E. P. Box and W. J. Hill, "Discrimination Among Mechanistic Models", Technometrics 9(1), 1967, 57-71: measure
    where predictions part by most of their own uncertainty.
    """
    rows = _grid(basis)
    space = basis.observed.space.at(rows)
    logs, unscaled = basis.rivals[0].predict(space)
    known = {tuple(row) for row in np.column_stack([basis.observed.space.numbers, basis.observed.space.codes]).tolist()}
    for place, rival in enumerate(basis.rivals[1:], start=1):
        other, rival_unscaled = rival.predict(space)
        repetitions = _repetitions(basis, rival, logs - other, unscaled, rival_unscaled)
        cost = repetitions * np.exp(logs + basis.observed.centre)
        found = _distinct(np.flatnonzero(np.isfinite(cost)), cost, logs, other)[:count]
        if not found:
            continue
        keys = np.column_stack([space.numbers, space.codes])
        return tuple(
            NextCell(
                at=rows[one],
                chosen=_alone(basis, basis.rivals[0], float(logs[one]), float(unscaled[one])),
                rival=_alone(basis, rival, float(other[one]), float(rival_unscaled[one])),
                rival_place=place,
                repetitions=int(repetitions[one]),
                cost=float(cost[one]),
                measured=tuple(keys[one].tolist()) in known,
            )
            for one in found
        )
    return ()


def _distinct(rows: NDArray[np.intp], cost: Floats, first: Floats, second: Floats) -> list[int]:
    """Return rows by cost, of those that both models expect the same of the first: more of them tell no more."""
    found: dict[tuple[float, float], int] = {}
    for row in rows[np.argsort(cost[rows], kind="stable")].tolist():
        found.setdefault((round(float(first[row]), 9), round(float(second[row]), 9)), row)
    return list(found.values())


def _repetitions(basis: Basis, rival: Assessed, apart: Floats, first: Floats, second: Floats) -> Floats:
    """Return how many measurements tell two predictions apart; infinite where no number does."""
    chosen = basis.rivals[0].variance
    z = float(special.ndtri((1 + basis.confidence_level) / 2))
    errors = np.fmax(first * chosen.single, second * rival.variance.single) + max(chosen.own, rival.variance.own)
    with np.errstate(invalid="ignore", divide="ignore"):
        needed = max(chosen.within, rival.variance.within) / ((apart / z) ** 2 - errors)
    needed = np.fmax(np.ceil(needed), 1.0)
    possible = ((apart / z) ** 2 > errors) & (needed <= MOST_REPETITIONS)
    return np.where(possible, needed, np.inf)


def _grid(basis: Basis) -> list[dict[str, Level]]:
    space = basis.observed.space
    choices: list[list[Level]] = []
    for scale in space.scales:
        levels = [one for one in basis.levels[scale.factor] if isinstance(one, int | float)]
        whole = all(float(one).is_integer() for one in levels)
        ends = [scale.lowest / 2, scale.highest * 2]
        new: list[Level] = [int(one) if whole else one for one in ends if not whole or float(one).is_integer()]
        choices.append(list(dict.fromkeys([*levels, *new])))
    choices += [list(levels) for levels in space.categories.values()]
    if math.prod(len(one) for one in choices) > _MOST_CELLS:
        # Where no rival knows a factor, all of them expect the same at each of its levels.
        choices = [levels if known else levels[:1] for levels, known in zip(choices, _known(basis), strict=True)]
    while math.prod(len(one) for one in choices) > _MOST_CELLS:
        longest = max(range(len(choices)), key=lambda place: len(choices[place]))
        kept = choices[longest]
        choices[longest] = kept[-1:] + kept[:-1:2] if len(kept) > 2 else kept[-1:]
    names = (*space.numeric, *space.categories)
    apart = {tuple(one.levels[name] for name in names) for one in basis.special_cells}
    return [
        dict(zip(names, combination, strict=True))
        for combination in itertools.product(*choices)
        if combination not in apart
    ]


def _known(basis: Basis) -> list[bool]:
    """Whether any rival knows of each numeric, then of each categorical factor."""
    hypotheses = [one.fitted.hypothesis for one in basis.rivals]
    terms = zip(*(one.terms for one in hypotheses), strict=True)
    treatments = zip(*(one.treatments for one in hypotheses), strict=True)
    return [any(term is not None for term in one) for one in terms] + [set(one) != {"none"} for one in treatments]


def _alone(basis: Basis, one: Assessed, log: float, unscaled: float) -> Estimate:
    freedom = one.variance.degrees_of_freedom
    error = math.sqrt(unscaled * one.variance.single) if freedom > 0 else math.nan
    reach = float(special.stdtrit(freedom, (1 + basis.confidence_level) / 2)) * error if freedom > 0 else math.inf
    value = math.exp(log + basis.observed.centre)
    return Estimate(
        value=value,
        low=value * math.exp(-reach) if freedom > 0 else -math.inf,
        high=value * math.exp(reach) if freedom > 0 else math.inf,
        unit=basis.unit,
        confidence_level=basis.confidence_level,
        n=basis.observed.n,
        method="one model alone, t interval on logarithms",
        standard_error=value * error,
    )
