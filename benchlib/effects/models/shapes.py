"""Shapes: a structure with a term for each of its factors, and which of them are tried.

With one or two numeric factors every pair of terms is tried in every structure. With three, each factor first
shows its best terms on its own: within slices of all other factors, c + a f(x) holds for each slice of every
structure, so the term with the least sum of squares over all slices needs no guess of the structure. With more,
shapes are grown: `benchlib.effects.models.growing`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.hypotheses import Observed
from benchlib.effects.models.structures import Structure, structures_of, used_factors
from benchlib.effects.shapes import Term, terms_for

__all__ = ["LISTED_FACTORS", "Shape", "allowed_terms", "possible_terms", "shapes_of"]

Floats = NDArray[np.float64]
Shape = tuple[Structure, tuple[Term | None, ...]]

#: With so many factors every shape is listed.
LISTED_FACTORS = 3
#: Terms that a factor keeps where there are three.
_KEPT_TERMS = 3


def shapes_of(allowed: Sequence[tuple[Term, ...]]) -> list[Shape]:
    """Return every structure with every choice of terms, from the terms allowed to each factor.

    Examples
    --------
    >>> from benchlib.effects.shapes import TERM_SETS
    >>> len(shapes_of([TERM_SETS["standard"]] * 2))
    424
    """
    found: list[Shape] = []
    for structure in structures_of(range(len(allowed))):
        used = used_factors(structure)
        for picked in itertools.product(*(allowed[factor] for factor in used)):
            by_factor = dict(zip(used, picked, strict=True))
            found.append((structure, tuple(by_factor.get(factor) for factor in range(len(allowed)))))
    return found


def possible_terms(observed: Observed, terms: tuple[Term, ...]) -> list[tuple[Term, ...]]:
    """Return the terms that each numeric factor could take."""
    space = observed.space
    return [
        terms_for(scale, np.unique(space.numbers[:, factor]).size, terms, _falls(observed, factor))
        for factor, scale in enumerate(space.scales)
    ]


def allowed_terms(observed: Observed, possible: Sequence[tuple[Term, ...]]) -> list[tuple[Term, ...]]:
    """Return the terms to list for each numeric factor: all that are possible, or the best of them."""
    if len(possible) < LISTED_FACTORS:
        return list(possible)
    found = []
    for factor, every in enumerate(possible):
        squares = _squares_in_slices(observed, factor, every)
        kept = np.sort(np.argsort(squares, kind="stable")[:_KEPT_TERMS])
        found.append(tuple(every[place] for place in kept))
    return found


def _slices(observed: Observed, factor: int) -> tuple[NDArray[np.intp], int]:
    """Number the combinations of all other factors, and say which each cell is in."""
    space = observed.space
    others = np.column_stack([np.delete(space.numbers, factor, axis=1), space.codes])
    if not others.shape[1]:
        return np.zeros(observed.cells, dtype=np.intp), 1
    _, inverse = np.unique(others, axis=0, return_inverse=True)
    return inverse.ravel(), int(inverse.max()) + 1


def _falls(observed: Observed, factor: int) -> bool:
    """Whether the cost falls as the factor grows, all else equal, by more than twice the error of its slope."""
    inside, slices = _slices(observed, factor)
    weights = np.bincount(inside, observed.counts, slices)

    def free(values: Floats) -> Floats:
        return values - (np.bincount(inside, observed.counts * values, slices) / weights)[inside]

    x, y = free(np.log1p(observed.space.numbers[:, factor])), free(observed.logs)
    along, across = float(np.sum(observed.counts * x * x)), float(np.sum(observed.counts * x * y))
    if along == 0 or across >= 0:
        return False
    freedom = observed.cells - slices - 1
    left = max(float(np.sum(observed.counts * y * y)) - across**2 / along, 0.0)
    return freedom < 1 or across**2 / along > 4 * left / freedom


def _squares_in_slices(observed: Observed, factor: int, terms: Sequence[Term]) -> Floats:
    """Return what each term leaves unexplained where every slice has coefficients of its own."""
    inside, slices = _slices(observed, factor)
    levels = observed.space.numbers[:, factor]
    cost = np.exp(observed.logs)
    weights = observed.counts / cost**2

    def total(values: Floats) -> Floats:
        found: Floats = np.bincount(inside, values, slices).astype(np.float64)
        return found

    sums, found = total(weights), []
    for term in terms:
        x = observed.space.scales[factor].column(term, levels)
        x_free = x - (total(weights * x) / sums)[inside]
        y_free = cost - (total(weights * cost) / sums)[inside]
        across, along = total(weights * x_free * y_free), total(weights * x_free**2)
        slope = np.where(along > 1e-12 * total(weights * x**2), across / np.where(along > 0, along, 1.0), 0.0)
        found.append(float(np.sum(weights * (y_free - np.maximum(slope, 0.0)[inside] * x_free) ** 2)))
    return np.array(found)
