"""The search: hypotheses fitted and ranked, every one that the cells can carry where there are few factors.

Which shapes are tried: `benchlib.effects.models.shapes` with up to three numeric factors,
`benchlib.effects.models.growing` with more.

Categorical factors come in two rounds: shapes are ranked with all of them ignored, all scaling the cost,
and all with coefficients of their own; the best shapes of each are then tried with every combination.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from benchlib.effects.hypotheses import Observed
from benchlib.effects.models.designs import TREATMENTS, Hypothesis, Treatment
from benchlib.effects.models.growing import grow_shapes
from benchlib.effects.models.hypotheses import Fitted, fit_hypotheses
from benchlib.effects.models.shapes import LISTED_FACTORS, Shape, allowed_terms, possible_terms, shapes_of
from benchlib.effects.models.structures import prices_of
from benchlib.effects.shapes import Term

__all__ = ["MOST_CELLS", "search"]

#: Hypotheses are ranked on at most so many cells; the best are fitted to all.
MOST_CELLS = 600
#: So many of the best are kept.
_FINALISTS = 40
#: Where hypotheses were ranked on some cells, so many at most are fitted to all of them, and none whose BIC is
#: further from the lowest than this: with all cells it would lie further still.
_ON_ALL_CELLS, _NEAR = 12, 15.0
#: So many shapes of each treatment are tried with every other.
_SHAPES = 8


def search(observed: Observed, terms: tuple[Term, ...]) -> list[Fitted]:
    """Return the best hypotheses, the lowest BIC first; at least the constant is among them."""
    sample = observed.thinned(MOST_CELLS)
    kinds = len(sample.space.categories)
    possible = possible_terms(observed, terms)
    prices = prices_of([len(one) for one in possible])
    if len(possible) <= LISTED_FACTORS:
        shapes = shapes_of(allowed_terms(observed, possible))
    else:
        shapes = _grown(sample, possible, prices)
    if not kinds:
        found = fit_hypotheses(sample, [_hypothesis(shape, ()) for shape in shapes], prices)
    else:
        alike: tuple[Treatment, ...] = ("none", "scale", "own")
        first = [_hypothesis(shape, (one,) * kinds) for one in alike for shape in shapes]
        known, tried = set(first), fit_hypotheses(sample, first, prices)
        pairs = itertools.product(_best_shapes(tried), _treated(kinds))
        wanted = {_hypothesis(*pair): place for place, pair in enumerate(pairs)}
        found = [one for one in tried if one.hypothesis in wanted]
        found += fit_hypotheses(sample, [one for one in wanted if one not in known], prices)
        found.sort(key=lambda one: wanted[one.hypothesis])
    found = _distinct(found)
    if sample.cells < observed.cells:
        near = [one.hypothesis for one in found[:_ON_ALL_CELLS] if one.bic <= found[0].bic + _NEAR]
        found = fit_hypotheses(observed, near, prices)
        found = _distinct(found)
    return found[:_FINALISTS]


def _grown(sample: Observed, possible: Sequence[tuple[Term, ...]], prices: Mapping[str, float]) -> list[Shape]:
    """Grow shapes with all categories scaling the cost, or ignored where the cells cannot carry that."""
    kinds = len(sample.space.categories)
    nothing: Shape = ((), (None,) * len(possible))
    treatment: Treatment = "scale"
    if not fit_hypotheses(sample, [_hypothesis(nothing, (treatment,) * kinds)], prices):
        treatment = "none"

    def fit(shapes: Sequence[Shape]) -> dict[Shape, float]:
        found = fit_hypotheses(sample, [_hypothesis(shape, (treatment,) * kinds) for shape in shapes], prices)
        return {(one.hypothesis.structure, one.hypothesis.terms): one.bic for one in found}

    return grow_shapes(fit, possible)


def _distinct(fitted: Sequence[Fitted]) -> list[Fitted]:
    """Return fits, the lowest BIC first, each once: scales on a constant say what constants of their own say."""
    found: dict[tuple[object, ...], Fitted] = {}
    for one in sorted(fitted, key=lambda one: one.bic):
        hypothesis = one.hypothesis
        # To ten digits of BIC: the same curve written in two ways differs by rounding.
        found.setdefault((hypothesis.structure, hypothesis.terms, one.size, f"{one.bic:.9e}"), one)
    return list(found.values())


def _hypothesis(shape: Shape, treatments: tuple[Treatment, ...]) -> Hypothesis:
    return Hypothesis(structure=shape[0], terms=shape[1], treatments=treatments)


def _best_shapes(tried: Sequence[Fitted]) -> list[Shape]:
    best: dict[Shape, None] = {}
    for treatments in dict.fromkeys(one.hypothesis.treatments for one in tried):
        same = sorted((one for one in tried if one.hypothesis.treatments == treatments), key=lambda one: one.bic)
        best.update(dict.fromkeys((one.hypothesis.structure, one.hypothesis.terms) for one in same[:_SHAPES]))
    return list(best)


def _treated(kinds: int) -> list[tuple[Treatment, ...]]:
    """Return the treatments to try: all combinations of up to three factors, beyond that few that differ from none."""
    if kinds <= 3:
        return list(itertools.product(TREATMENTS, repeat=kinds))
    ignored: tuple[Treatment, ...] = ("none", "scale")
    plain = list(itertools.product(ignored, repeat=min(kinds, 8)))
    rest: tuple[Treatment, ...] = ("scale",)
    filled = [one + rest * (kinds - len(one)) for one in plain]
    others: tuple[Treatment, ...] = ("shift", "own")
    changed = [rest * at + (other,) + rest * (kinds - at - 1) for at in range(kinds) for other in others]
    return list(dict.fromkeys([*filled, *changed]))
