"""One model of a cost as an answer: its formula in words, its coefficients as estimates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from benchlib.effects.cells import Level
from benchlib.effects.hypotheses import Observed
from benchlib.effects.models.assessing import Assessed
from benchlib.effects.models.designs import slice_of
from benchlib.effects.models.hypotheses import Fitted
from benchlib.effects.models.structures import word_of
from benchlib.effects.models.words import formula
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate

__all__ = ["CostTerm", "FittedModel", "LevelScale", "tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostTerm:
    """A coefficient and what it multiplies.

    Attributes
    ----------
    factors : tuple of str
        Whose terms are multiplied; empty for the fixed cost.
    powers : tuple of float
    logs : tuple of int
        Of the factors: x^power log2(x)^log, with log2(1 + x) for a factor with a level below 1.
    estimate : Estimate
        In the unit of the cost.
    slice : mapping of factor to level
        The levels that the coefficient holds for; empty where it holds for all.
    """

    factors: tuple[str, ...]
    powers: tuple[float, ...]
    logs: tuple[int, ...]
    estimate: Estimate
    slice: Mapping[str, Level]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelScale:
    """How many times all of a cost is at one level of a categorical factor what it is at another.

    Attributes
    ----------
    factor : str
    level, baseline : Level
    estimate : Estimate
        Unit ``"x"``.
    """

    factor: str
    level: Level
    baseline: Level
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedModel:
    """One model of the cost.

    Attributes
    ----------
    formula : str
        In words, such as ``"2.1 ms + 28.1 ms * outputs"``.
    structure : str
        ``constant``, ``one factor``, ``additive``, ``product`` or ``additive plus product``.
    treatments : mapping of factor to {"none", "shift", "scale", "own"}
        What the levels of each categorical factor change: nothing, the fixed cost, all of the cost in proportion,
        or every coefficient.
    terms : tuple of CostTerm
    scales : tuple of LevelScale
    bic : float
        With the price of choice, see `benchlib.effects.models.criteria` and
        `benchlib.effects.models.structures.prices_of`.
    delta_bic : float
        More than the lowest.
    weight : float
        Its share among the rivals.
    loo_error : float
        Root mean square of the relative error of predicting each cell from the others; NaN where a cell cannot be.
    degrees_of_freedom : int
        Of its intervals.
    relative_error : float
        How far the model misses the means of its cells, as a share of their cost; NaN where it meets them by
        construction.
    """

    formula: str
    structure: str
    treatments: Mapping[str, str]
    terms: tuple[CostTerm, ...]
    scales: tuple[LevelScale, ...]
    bic: float
    delta_bic: float
    weight: float
    loo_error: float
    degrees_of_freedom: int
    relative_error: float


def tell(one: Assessed, observed: Observed, unit: str, level: float, delta: float, weight: float) -> FittedModel:
    """Put a fitted hypothesis into words and estimates."""
    fitted, space = one.fitted, observed.space
    hypothesis, slots = fitted.hypothesis, fitted.slots
    size = math.exp(observed.centre)
    errors = np.sqrt(np.diag(one.unscaled) * one.variance.single)
    freedom = one.variance.degrees_of_freedom
    t = float(special.stdtrit(freedom, (1 + level) / 2)) if freedom > 0 else math.inf

    def estimate(value: float, error: float, where: str, on_logs: bool) -> Estimate:
        known = freedom > 0
        ends = (
            (value * math.exp(-t * error), value * math.exp(t * error))
            if on_logs and known
            else ((value - t * error, value + t * error) if known else (-math.inf, math.inf))
        )
        return Estimate(
            value=value,
            low=ends[0],
            high=ends[1],
            unit=where,
            confidence_level=level,
            n=observed.n,
            method="least squares on logarithms of cells, t interval" + (" on logarithms" if on_logs else ""),
            standard_error=(value * error if on_logs else error) if known else math.nan,
        )

    width = len(fitted.coefficients)
    names = space.numeric
    cost_terms = []
    for place, (part, group) in enumerate(zip(slots.parts, slots.groups, strict=True)):
        picked = [(names[factor], hypothesis.terms[factor]) for factor in part or ()]
        cost_terms.append(
            CostTerm(
                factors=tuple(name for name, _ in picked),
                powers=tuple(term.power for _, term in picked if term is not None),
                logs=tuple(term.log for _, term in picked if term is not None),
                estimate=estimate(float(fitted.coefficients[place]) * size, float(errors[place]) * size, unit, False),
                slice=slice_of(group, space.categories),
            )
        )
    kinds = list(space.categories.items())
    factors = np.exp(fitted.scales)
    return FittedModel(
        formula=formula((fitted.coefficients * size).tolist(), factors.tolist(), slots, hypothesis.terms, space, unit),
        structure=word_of(hypothesis.structure),
        treatments=MappingProxyType(dict(zip(space.categories, hypothesis.treatments, strict=True))),
        terms=tuple(cost_terms),
        scales=tuple(
            LevelScale(
                factor=kinds[factor][0],
                level=kinds[factor][1][code],
                baseline=kinds[factor][1][0],
                estimate=estimate(float(factors[place]), float(errors[width + place]), "x", True),
            )
            for place, (factor, code) in enumerate(slots.scaled)
        ),
        bic=fitted.bic,
        delta_bic=delta,
        weight=weight,
        loo_error=float(np.sqrt(np.mean(one.left_out_residuals**2))),
        degrees_of_freedom=freedom,
        relative_error=_relative_error(fitted, observed),
    )


def _relative_error(fitted: Fitted, observed: Observed) -> float:
    freedom = observed.cells - fitted.size
    if freedom < 1:
        return math.nan
    return math.sqrt(fitted.sum_of_squares / freedom * observed.cells / observed.n)
