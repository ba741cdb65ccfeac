"""A hypothesis about a cost, and the columns that its coefficients multiply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import Level
from benchlib.effects.hypotheses import Space
from benchlib.effects.models.structures import Part, Structure
from benchlib.effects.shapes import Term

__all__ = [
    "TREATMENTS",
    "Columns",
    "Hypothesis",
    "Slots",
    "Treatment",
    "lay_out",
    "slice_of",
    "slots_of",
    "write_columns",
]

#: What a level of a categorical factor changes: nothing, the fixed cost, all of the cost in
#: proportion, or every coefficient on its own.
Treatment = Literal["none", "shift", "scale", "own"]
TREATMENTS: tuple[Treatment, ...] = ("none", "shift", "scale", "own")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One thing that might be true.

    Attributes
    ----------
    structure : tuple of tuple of int
        The parts beside the fixed cost, by the places of their factors.
    terms : tuple of (Term or None)
        One a numeric factor; None for a factor that does not occur.
    treatments : tuple of {"none", "shift", "scale", "own"}
        One a categorical factor.
    """

    structure: Structure
    terms: tuple[Term | None, ...]
    treatments: tuple[Treatment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """Which coefficient a column belongs to.

    Attributes
    ----------
    parts : tuple of (Part or None)
        Of each linear coefficient, None for the fixed cost.
    groups : tuple of tuple of int
        Of each linear coefficient, the level codes it holds for, -1 for a factor that does not matter.
    scaled : tuple of (int, int)
        Of each scale, the categorical factor and the code of its level.
    """

    parts: tuple[Part | None, ...]
    groups: tuple[tuple[int, ...], ...]
    scaled: tuple[tuple[int, int], ...]

    @property
    def size(self) -> tuple[int, int]:
        """How many linear coefficients there are, and how many scales."""
        return len(self.parts), len(self.scaled)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """What coefficients multiply.

    Attributes
    ----------
    linear : ndarray, shape (..., cells, coefficients)
        The cost is linear in these ...
    scales : ndarray, shape (..., cells, scales)
        ... and its logarithm in these.
    """

    linear: Floats
    scales: Floats


def slots_of(hypothesis: Hypothesis, space: Space) -> Slots:
    """Return the coefficients of a hypothesis, given which levels occur together in the cells."""
    fixed = _groups(space, [one in ("shift", "own") for one in hypothesis.treatments])
    own = _groups(space, [one == "own" for one in hypothesis.treatments])
    parts: list[Part | None] = [None] * len(fixed)
    groups = list(fixed)
    for part in hypothesis.structure:
        parts += [part] * len(own)
        groups += own
    scaled = [
        (place, code)
        for place, (treatment, levels) in enumerate(zip(hypothesis.treatments, space.categories.values(), strict=True))
        if treatment == "scale"
        for code in range(1, len(levels))
    ]
    return Slots(parts=tuple(parts), groups=tuple(groups), scaled=tuple(scaled))


def write_columns(hypothesis: Hypothesis, slots: Slots, space: Space) -> Columns:
    """Return the columns of a hypothesis at the cells of a space, shapes (cells, ...)."""
    stacked = stack_columns([(hypothesis, slots)], space)
    return Columns(linear=stacked.linear[0], scales=stacked.scales[0])


def stack_columns(hypotheses: Sequence[tuple[Hypothesis, Slots]], space: Space) -> Columns:
    """Return the columns of hypotheses of one size, shapes (hypotheses, cells, ...)."""
    rows = len(space.numbers)
    linear = np.empty((len(hypotheses), rows, len(hypotheses[0][1].parts)))
    scales = np.empty((len(hypotheses), rows, len(hypotheses[0][1].scaled)))
    # The same columns come back in hundreds of hypotheses.
    products: dict[tuple[tuple[int, Term | None], ...], Floats] = {(): np.ones(rows)}
    inside: dict[tuple[int, ...], Floats] = {}
    for at, (hypothesis, slots) in enumerate(hypotheses):
        for place, (part, group) in enumerate(zip(slots.parts, slots.groups, strict=True)):
            key = tuple((factor, hypothesis.terms[factor]) for factor in part or ())
            if key not in products:
                products[key] = _product(key, space)
            if group not in inside:
                wanted = np.array(group, dtype=np.intp)
                inside[group] = ((space.codes == wanted) | (wanted < 0)).all(axis=1).astype(np.float64)
            np.multiply(products[key], inside[group], out=linear[at, :, place])
        for place, (factor, code) in enumerate(slots.scaled):
            scales[at, :, place] = space.codes[:, factor] == code
    return Columns(linear=linear, scales=scales)


def _product(key: tuple[tuple[int, Term | None], ...], space: Space) -> Floats:
    column = np.ones(len(space.numbers))
    for factor, term in key:
        assert term is not None
        column = column * space.scales[factor].column(term, space.numbers[:, factor])
    return column


def lay_out(hypotheses: Sequence[Hypothesis], space: Space) -> Mapping[tuple[int, int], tuple[list[int], list[Slots]]]:
    """Sort hypotheses by how many coefficients and scales they have: those of one size are solved together.

    Returns
    -------
    mapping of (coefficients, scales) to (places, slots)
    """
    sized: dict[tuple[int, int], tuple[list[int], list[Slots]]] = {}
    known: dict[tuple[object, ...], Slots] = {}
    for place, hypothesis in enumerate(hypotheses):
        key = (hypothesis.structure, hypothesis.treatments)
        if key not in known:
            known[key] = slots_of(hypothesis, space)
        places, slots = sized.setdefault(known[key].size, ([], []))
        places.append(place)
        slots.append(known[key])
    return sized


def slice_of(group: Sequence[int], categories: Mapping[str, tuple[Level, ...]]) -> dict[str, Level]:
    """Return the levels that a coefficient holds for."""
    return {factor: levels[code] for code, (factor, levels) in zip(group, categories.items(), strict=True) if code >= 0}


def _groups(space: Space, matter: Sequence[bool]) -> list[tuple[int, ...]]:
    """Return the combinations of levels of the factors that matter, as they occur in the cells."""
    places = np.flatnonzero(matter)
    found = np.unique(space.codes[:, places], axis=0) if places.size else np.empty((1, 0), dtype=np.intp)
    groups = np.full((len(found), len(matter)), -1)
    groups[:, places] = found
    return [tuple(row) for row in groups.tolist()]
