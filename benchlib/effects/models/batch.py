"""The search for many tables of the same cells at once.

All hypotheses are first fitted in one linear step about the best of them: near it the logarithm of a model is
linear in its coefficients, and one product of matrices serves every hypothesis and every table. Only the few that
come close are then fitted in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.effects.models.averaging import average
from benchlib.effects.models.criteria import (
    RIVAL,
    choose,
    information_criterion,
    most_coefficients,
    variance_between,
    weights_of,
)
from benchlib.effects.models.designs import Hypothesis, slots_of, write_columns
from benchlib.effects.models.observed import Observed, Space
from benchlib.effects.models.screening import Group, covariances, fit_in_full, group_hypotheses, squares_about
from benchlib.effects.models.shapes import LISTED_FACTORS, allowed_terms, possible_terms, shapes_of
from benchlib.effects.models.structures import prices_of, word_of
from benchlib.effects.models.terms import checked_term_set, scale_of
from benchlib.errors import DataError, choices

__all__ = ["ModelBatch", "fit_cost_models"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

#: So many hypotheses a table are fitted in full.
_KEPT = 16
#: So many tables are searched together: their arrays stay within a cache or two.
_TABLES = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelBatch:
    """The best models of each table.

    Attributes
    ----------
    hypotheses : tuple of Hypothesis
        All that were tried.
    ranked : ndarray of int, shape (tables, kept)
        Places among them, the lowest BIC first.
    bic : ndarray, shape (tables, kept)
        Infinite where fewer remain.
    chosen : ndarray of int, shape (tables,)
        The place in ``ranked`` of the model chosen, by the rule of `benchlib.effects.models.criteria.choose`.
    coefficients : ndarray, shape (tables, kept, coefficients)
        The fixed cost, then one a part of the structure; 0 beyond the last.
    standard_errors : ndarray, shape (tables, kept, coefficients)
    degrees_of_freedom : ndarray of int, shape (tables, kept)
    """

    hypotheses: tuple[Hypothesis, ...]
    ranked: Places
    bic: Floats
    chosen: Places
    coefficients: Floats
    standard_errors: Floats
    degrees_of_freedom: Places
    _space: Space
    _covariance: Floats
    _centre: Floats

    @property
    def weights(self) -> Floats:
        """How much each rival of a table counts, shape (tables, kept); models further off count nothing."""
        return weights_of(np.where(self.bic <= self.bic[:, :1] + RIVAL, self.bic, np.inf))

    def predict(self, levels: Mapping[str, ArrayLike], confidence_level: float = 0.95) -> tuple[Floats, Floats, Floats]:
        """Return mean costs averaged over the models, and the ends of their intervals.

        Nothing is refused here, however far the levels lie from those measured.

        Parameters
        ----------
        levels : mapping of factor to sequence, shape (rows,)

        Returns
        -------
        cost, low, high : ndarray, shape (tables, rows)
        """
        columns = [np.asarray(levels[factor], dtype=np.float64) for factor in self._space.numeric]
        there = Space(
            scales=self._space.scales,
            categories={},
            numbers=np.column_stack(columns),
            codes=np.empty((columns[0].size, 0), np.intp),
        )
        tables, kept, width = self.coefficients.shape
        design = np.zeros((len(self.hypotheses), columns[0].size, width))
        for place, hypothesis in enumerate(self.hypotheses):
            linear = write_columns(hypothesis, slots_of(hypothesis, there), there).linear
            design[place, :, : linear.shape[1]] = linear
        centres = np.empty((tables, columns[0].size, kept))
        errors = np.empty_like(centres)
        for one in range(kept):
            rows = design[self.ranked[:, one]]
            cost = np.einsum("drp,dp->dr", rows, self.coefficients[:, one])
            with np.errstate(invalid="ignore", divide="ignore"):
                slopes = rows / cost[:, :, None]
                centres[:, :, one] = np.log(cost)
                errors[:, :, one] = np.sqrt(np.einsum("drp,dpq,drq->dr", slopes, self._covariance[:, one], slopes))
        weights = self.weights[:, None, :]
        gone = weights < 1e-12
        found = average(
            np.where(gone, 0.0, centres),
            np.where(gone, 1.0, errors),
            np.broadcast_to(weights, centres.shape),
            np.maximum(self.degrees_of_freedom[:, None, :], 1).astype(np.float64),
            confidence_level,
        )
        return np.exp(found[0]), np.exp(found[1]), np.exp(found[2])


def fit_cost_models(levels: Mapping[str, ArrayLike], values: ArrayLike, *, term_set: str = "standard") -> ModelBatch:
    """Search the models of many tables with the same cells.

    Parameters
    ----------
    levels : mapping of factor to sequence, shape (cells,)
        Numeric factors, three at most.
    values : array_like, shape (tables, cells, replicates)
        Costs above 0, in any unit.
    term_set : {"standard", "wide"}

    Raises
    ------
    DataError
        For values of another shape or not above 0, fewer than three cells, more than three factors, or an unknown
        term set.

    Examples
    --------
    >>> outputs = [1, 2, 4, 8, 16]
    >>> batch = fit_cost_models({"outputs": outputs}, [[[3.1, 2.9], [5.0, 5.1], [9.0, 8.9], [17.1, 17.0], [33, 33.2]]])
    >>> best = batch.hypotheses[batch.ranked[0, batch.chosen[0]]]
    >>> best.terms, batch.coefficients[0, batch.chosen[0]].round(2).tolist()
    ((Term(power=1.0, log=0),), [1.0, 2.0])
    """
    terms = checked_term_set(term_set)
    if len(levels) > LISTED_FACTORS:
        raise DataError(
            f"{choices(levels)} are {len(levels)} factors; a search of many tables at once takes {LISTED_FACTORS} at "
            "most: name fewer factors, or fit each table with fit_cost_model"
        )
    measured = np.asarray(values, dtype=np.float64)
    numbers = np.column_stack([np.asarray(column, dtype=np.float64) for column in levels.values()])
    if measured.ndim != 3 or measured.shape[1] != len(numbers):
        raise DataError(f"values have the shape {measured.shape}; wanted (tables, {len(numbers)} cells, replicates)")
    if len(numbers) < 3 or not measured.size:
        raise DataError(f"{len(numbers)} cells in {len(measured)} tables; a search needs 3 cells and 1 table at least")
    if not (np.isfinite(measured).all() and measured.min() > 0):
        wrong = measured[~(np.isfinite(measured) & (measured > 0))]
        raise DataError(f"values hold {choices(wrong.tolist(), 3)}; a cost model needs finite costs above 0")
    logs = np.log(measured)
    means = logs.mean(axis=2)
    centre = means.mean(axis=1, keepdims=True)
    space = Space(
        scales=tuple(
            scale_of(name, sorted(set(column.tolist()))) for name, column in zip(levels, numbers.T, strict=True)
        ),
        categories={},
        numbers=numbers,
        codes=np.empty((len(numbers), 0), np.intp),
    )
    together = Observed(
        space=space,
        logs=(means - centre).mean(axis=0),
        counts=np.full(len(numbers), float(measured.shape[2])),
        pure_error=0.0,
        pure_freedom=len(numbers) * (measured.shape[2] - 1),
        centre=0.0,
        apart=0,
    )
    possible = possible_terms(together, terms)
    most = most_coefficients(len(numbers), measured.shape[2] > 1)
    hypotheses = tuple(
        Hypothesis(structure=structure, terms=picked, treatments=())
        for structure, picked in shapes_of(allowed_terms(together, possible))
        if len(structure) < most
    )
    by_kind = prices_of([len(one) for one in possible])
    prices = np.array([by_kind[word_of(one.structure)] for one in hypotheses])
    within = ((logs - means[:, :, None]) ** 2).sum(axis=(1, 2))
    groups = group_hypotheses(hypotheses, space)
    parts = [
        _search(groups, prices, together, (means - centre)[first : first + _TABLES], within[first : first + _TABLES])
        for first in range(0, len(measured), _TABLES)
    ]
    ranked, bic, coefficients, covariance, freedom = (np.concatenate(one) for one in zip(*parts, strict=True))
    sizes = np.array([len(one.structure) for one in hypotheses])
    unit = np.exp(centre)[:, :, None]
    return ModelBatch(
        hypotheses=hypotheses,
        ranked=ranked,
        bic=bic,
        chosen=np.array([choose(row, sizes[places]) for row, places in zip(bic, ranked, strict=True)], dtype=np.intp),
        coefficients=coefficients * unit,
        standard_errors=np.sqrt(np.einsum("dkpp->dkp", covariance)) * unit,
        degrees_of_freedom=freedom,
        _space=space,
        _covariance=covariance * unit[..., None] ** 2,
        _centre=centre[:, 0],
    )


def _search(
    groups: list[Group], prices: Floats, together: Observed, logs: Floats, within: Floats
) -> tuple[Places, Floats, Floats, Floats, Places]:
    """Search some tables: ranked places, BIC, coefficients, their covariance and degrees of freedom."""
    counts = together.counts
    cells = logs.shape[1]
    about = np.exp(logs)
    kept = min(_KEPT, len(prices))
    for keep in (1, kept):
        squares, sizes, starts = squares_about(groups, len(prices), logs, counts, about)
        bic = information_criterion(squares, within[:, None], cells, together.pure_freedom, sizes[None, :])
        bic += prices
        places = np.argpartition(bic, keep - 1, axis=1)[:, :keep]
        coefficients, squares_there, costs = fit_in_full(groups, places, starts, logs, counts)
        about = costs[:, 0]
    width = sizes[places]
    bic = information_criterion(squares_there, within[:, None], cells, together.pure_freedom, width)
    bic += prices[places]
    variance, freedom, _ = variance_between(squares_there, within[:, None], cells, together.pure_freedom, width)
    covariance = (
        covariances(groups, places, costs, counts, coefficients.shape[2])
        * np.where(np.isfinite(variance), variance, 0.0)[:, :, None, None]
    )
    order = np.argsort(bic, axis=1)
    return (
        np.take_along_axis(places, order, 1),
        np.take_along_axis(bic, order, 1),
        np.take_along_axis(coefficients, order[:, :, None], 1),
        np.take_along_axis(covariance, order[:, :, None, None], 1),
        np.take_along_axis(freedom, order, 1),
    )
