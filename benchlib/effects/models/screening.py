"""Many hypotheses against many tables: one linear step for all of them, full fits for those that come close."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.models.designs import Columns, Hypothesis, lay_out, stack_columns
from benchlib.effects.models.fitting import solve, solve_small
from benchlib.effects.models.observed import Space

__all__ = ["Group", "covariances", "fit_in_full", "group_hypotheses", "squares_about"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Group:
    """Hypotheses with one number of coefficients, and the products of their columns."""

    places: Places
    linear: Floats
    products: Floats
    corner: Floats
    size: Floats


def group_hypotheses(hypotheses: tuple[Hypothesis, ...], space: Space) -> list[Group]:
    """Sort hypotheses by their number of coefficients, with their columns at the cells of a space."""
    found = []
    lowest = space.at([{scale.factor: scale.lowest for scale in space.scales}])
    for places, slots in lay_out(hypotheses, space).values():
        pairs = [(hypotheses[place], one) for place, one in zip(places, slots, strict=True)]
        linear = stack_columns(pairs, space).linear
        size = np.abs(linear).max(axis=1, keepdims=True)
        corner = stack_columns(pairs, lowest).linear
        products = np.einsum("hcp,hcq->chpq", linear / size, linear / size)
        found.append(
            Group(
                places=np.array(places),
                linear=linear / size,
                products=products.reshape(len(space.numbers), -1),
                corner=(corner / size)[:, 0, :],
                size=size[:, 0, :],
            )
        )
    return found


def squares_about(
    groups: list[Group], hypotheses: int, logs: Floats, counts: Floats, about: Floats
) -> tuple[Floats, Places, Floats]:
    """Return sums of squares of all hypotheses, one step about a modelled cost, and their numbers of coefficients.

    Parameters
    ----------
    groups : list of Group
    hypotheses : int
        How many there are in all groups.
    logs, about : ndarray, shape (tables, cells)
        Mean logarithms, and the modelled cost to step from.
    counts : ndarray, shape (cells,)

    Returns
    -------
    squares : ndarray, shape (tables, hypotheses)
        Infinite where the signs are no cost.
    sizes : ndarray of int, shape (hypotheses,)
    coefficients : ndarray, shape (tables, hypotheses, coefficients)
    """
    squares = np.full((len(logs), hypotheses), np.inf)
    sizes = np.zeros(hypotheses, dtype=np.intp)
    coefficients = np.zeros((len(logs), hypotheses, max(group.linear.shape[2] for group in groups)))
    target = 1 + logs - np.log(about)
    total = (counts * target**2).sum(axis=1)[:, None]
    weights, right = counts / about**2, counts * target / about
    for group in groups:
        count, cells, width = group.linear.shape
        matrices = (weights @ group.products).reshape(len(logs), count, width, width)
        sums = (right @ group.linear.swapaxes(0, 1).reshape(cells, -1)).reshape(len(logs), count, width)
        found, singular = solve_small(matrices, sums)
        cost = (found[..., 1:] > 0).all(axis=-1) & ((found * group.corner).sum(axis=-1) > 0) & ~singular
        squares[:, group.places] = np.where(cost, np.maximum(total - (found * sums).sum(axis=-1), 0.0), np.inf)
        sizes[group.places] = width
        coefficients[:, group.places, :width] = found
    return squares, sizes, coefficients


def fit_in_full(
    groups: list[Group], places: Places, starts: Floats, logs: Floats, counts: Floats
) -> tuple[Floats, Floats, Floats]:
    """Fit some hypotheses of each table, from starts: coefficients, sums of squares, and modelled costs."""
    tables, keep = places.shape
    widest = max(group.linear.shape[2] for group in groups)
    coefficients = np.zeros((tables, keep, widest))
    squares = np.full((tables, keep), np.inf)
    costs = np.ones((tables, keep, logs.shape[1]))
    for group in groups:
        table, rank, inside = _members(group, places)
        if not table.size:
            continue
        linear = group.linear[inside]
        solved = solve(
            Columns(linear=linear, scales=np.empty((*linear.shape[:2], 0))),
            logs[table],
            counts[None, :],
            start=starts[table, places[table, rank], : linear.shape[2]],
        )
        found = solved.coefficients
        cost = (found[:, 1:] > 0).all(axis=1) & ((found * group.corner[inside]).sum(axis=1) > 0)
        size = group.size[inside]
        coefficients[table, rank, : found.shape[1]] = found / size
        squares[table, rank] = np.where(cost, solved.sum_of_squares, np.inf)
        costs[table, rank] = np.einsum("bcp,bp->bc", linear, found)
    return coefficients, squares, costs


def covariances(groups: list[Group], places: Places, costs: Floats, counts: Floats, widest: int) -> Floats:
    """Return the covariance of coefficients for an error variance of 1."""
    tables, keep = places.shape
    found = np.zeros((tables, keep, widest, widest))
    for group in groups:
        table, rank, inside = _members(group, places)
        if not table.size:
            continue
        slopes = group.linear[inside] / costs[table, rank][:, :, None]
        width = slopes.shape[2]
        matrices = np.matmul((slopes * counts[None, :, None]).swapaxes(1, 2), slopes)
        unit = np.broadcast_to(np.eye(width)[:, None, :], (width, len(table), width))
        inverse = np.stack([solve_small(matrices, one)[0] for one in unit], axis=2)
        size = group.size[inside]
        found[table, rank, :width, :width] = inverse / (size[:, :, None] * size[:, None, :])
    return found


def _members(group: Group, places: Places) -> tuple[Places, Places, Places]:
    """Return table, rank and place in the group of the hypotheses that belong to it."""
    where = np.full(places.max() + 1 if places.size else 1, -1, dtype=np.intp)
    known = group.places[group.places < where.size]
    where[known] = np.flatnonzero(group.places < where.size)
    inside = where[places]
    table, rank = np.nonzero(inside >= 0)
    return table, rank, inside[table, rank]
