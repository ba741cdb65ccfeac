"""Hypotheses fitted to cells: those that the cells can carry, and whose signs are those of a cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.hypotheses import Observed, Space
from benchlib.effects.models.criteria import bic_of, most_coefficients
from benchlib.effects.models.designs import Hypothesis, Slots, lay_out, stack_columns, write_columns
from benchlib.effects.models.fitting import solve
from benchlib.effects.models.structures import word_of

__all__ = ["MOST_COEFFICIENTS", "Fitted", "fit_hypotheses", "is_cost"]

Floats = NDArray[np.float64]

#: However many the cells, no hypothesis has more coefficients: the time of a fit grows with their cube.
MOST_COEFFICIENTS = 250
#: Entries of one array of columns: what is solved together fits into memory.
_ENTRIES = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitted:
    """A hypothesis with its best coefficients.

    Attributes
    ----------
    hypothesis : Hypothesis
    slots : Slots
    coefficients : ndarray, shape (coefficients,)
        In units of exp(centre).
    scales : ndarray, shape (scales,)
        Logarithms.
    sum_of_squares : float
    bic : float
    """

    hypothesis: Hypothesis
    slots: Slots
    coefficients: Floats
    scales: Floats
    sum_of_squares: float
    bic: float

    @property
    def size(self) -> int:
        """How many coefficients there are, scales among them."""
        return len(self.coefficients) + len(self.scales)


def fit_hypotheses(observed: Observed, hypotheses: Iterable[Hypothesis], prices: Mapping[str, float]) -> list[Fitted]:
    """Fit hypotheses; those that the cells cannot carry, or whose signs are no cost, are left out.

    Parameters
    ----------
    observed : Observed
    hypotheses : iterable of Hypothesis
    prices : mapping of kind of structure to float
        What is added to BIC, see `benchlib.effects.models.structures.prices_of`.
    """
    replicated = observed.pure_freedom > 0
    most = {
        curved: min(most_coefficients(observed.cells, replicated, curved), MOST_COEFFICIENTS)
        for curved in (False, True)
    }
    asked = list(hypotheses)
    found: list[Fitted] = []
    corner = _corner(observed.space)
    for (width, scales), (every, all_slots) in lay_out(asked, observed.space).items():
        carried = [
            (place, one)
            for place, one in zip(every, all_slots, strict=True)
            if width + scales <= most[bool(asked[place].structure)]
        ]
        places, slots = [place for place, _ in carried], [one for _, one in carried]
        step = max(1, _ENTRIES // (observed.cells * (width + scales + 1)))
        for first in range(0, len(places), step):
            part = range(first, min(first + step, len(places)))
            columns = stack_columns([(asked[places[one]], slots[one]) for one in part], observed.space)
            solved = solve(columns, observed.logs[None, :], observed.counts[None, :])
            bic = bic_of(observed, solved.sum_of_squares, width + scales)
            for place, one in enumerate(part):
                fitted = Fitted(
                    hypothesis=asked[places[one]],
                    slots=slots[one],
                    coefficients=solved.coefficients[place],
                    scales=solved.scales[place],
                    sum_of_squares=float(solved.sum_of_squares[place]),
                    bic=float(bic[place]) + prices[word_of(asked[places[one]].structure)],
                )
                if np.isfinite(fitted.sum_of_squares) and is_cost(fitted, corner):
                    found.append(fitted)
    return found


def is_cost(fitted: Fitted, corner: Space) -> bool:
    """Whether the signs are those of a cost: terms above 0, and the cost at every corner of the measured range."""
    terms = np.array([part is not None for part in fitted.slots.parts])
    if (fitted.coefficients[terms] <= 0).any():
        return False
    if (fitted.coefficients[~terms] > 0).all():
        return True
    # Groups that the row of a corner is in: it stands once for each combination of levels that was measured.
    linear = write_columns(fitted.hypothesis, fitted.slots, corner).linear
    return bool((linear @ fitted.coefficients > 0).all())


def _corner(space: Space) -> Space:
    """Return the smallest levels of all numeric factors, with each combination of categories that was measured."""
    codes = np.unique(space.codes, axis=0)
    lowest = np.array([scale.lowest for scale in space.scales])
    return Space(
        scales=space.scales, categories=space.categories, numbers=np.tile(lowest, (len(codes), 1)), codes=codes
    )
