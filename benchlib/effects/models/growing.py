"""Shapes of many factors: too many to list, so they grow from the best of those seen.

From the constant and every single term on, each of the best `_LEADERS` structures, with its best terms, is changed in
one way at a time: a part more, a part less, a factor more in a part, another term for a factor. This ends when the
leaders have nothing better to offer, or after `MOST_SHAPES` shapes. Factors that never help are so left behind.
At last the leaders are listed with every choice among the best terms of each of their factors, as rivals.

References
----------
T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd edition, section 3.3: stepwise
search. B. Lowerre, "The HARPY Speech Recognition System", 1976: several leaders instead of one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from benchlib.effects.models.shapes import Shape
from benchlib.effects.models.structures import MOST_FACTORS, MOST_PARTS, Part, Structure, used_factors
from benchlib.effects.shapes import Term

__all__ = ["MOST_SHAPES", "grow_shapes"]

#: So many shapes at most are fitted while they grow.
MOST_SHAPES = 4000
#: So many structures grow at a time.
_LEADERS = 10
#: So many terms of a factor are tried where it joins a structure, and so many where rivals are listed.
_JOINING, _KEPT_TERMS = 2, 3
#: So many of the best shapes are given back, besides the rivals listed.
_RETURNED = 300


def grow_shapes(
    fit: Callable[[Sequence[Shape]], Mapping[Shape, float]], possible: Sequence[tuple[Term, ...]]
) -> list[Shape]:
    """Return the shapes worth ranking.

    Parameters
    ----------
    fit : callable
        From shapes to their BIC; those that are no cost are left out.
    possible : sequence of tuple of Term
        The terms that each factor could take.
    """
    known: dict[Shape, float] = {}
    seen: set[Shape] = set()

    def look(shapes: Iterable[Shape]) -> None:
        fresh = list(
            itertools.islice((one for one in dict.fromkeys(shapes) if one not in seen), MOST_SHAPES - len(seen))
        )
        seen.update(fresh)
        known.update(fit(fresh))

    nothing: Shape = ((), (None,) * len(possible))
    singles = [[_with(nothing, ((factor,),), factor, term) for term in terms] for factor, terms in enumerate(possible)]
    look([nothing, *itertools.chain.from_iterable(singles)])
    joining = [
        [shape[1][factor] for shape in sorted(shapes, key=lambda one: known.get(one, float("inf")))[:_JOINING]]
        for factor, shapes in enumerate(singles)
    ]
    grown: set[Shape] = set()
    while len(seen) < MOST_SHAPES:
        fresh = [one for one in _leaders(known) if one not in grown]
        if not fresh:
            break
        grown.update(fresh)
        look(itertools.chain.from_iterable(_changed(one, joining, possible) for one in fresh))
    ranked = sorted(known, key=known.__getitem__)[:_RETURNED]
    rivals = itertools.chain.from_iterable(_listed(one, known, possible) for one in _leaders(known))
    return list(dict.fromkeys([nothing, *ranked, *rivals]))


def _leaders(known: Mapping[Shape, float]) -> list[Shape]:
    """Return the best shape of each of the best structures."""
    found: dict[Structure, Shape] = {}
    for shape in sorted(known, key=known.__getitem__):
        found.setdefault(shape[0], shape)
        if len(found) == _LEADERS:
            break
    return list(found.values())


def _changed(
    shape: Shape, joining: Sequence[Sequence[Term | None]], possible: Sequence[tuple[Term, ...]]
) -> Iterator[Shape]:
    """Yield the shapes that differ from one in a part, in a factor of a part, or in a term."""
    structure, terms = shape
    used = used_factors(structure)
    for part in structure:
        yield _without(shape, part)
    for factor in used:
        yield from (_with(shape, structure, factor, term) for term in possible[factor])
    for factor, tried in enumerate(joining):
        if factor not in used and len(used) == MOST_FACTORS:
            continue
        for changed in _joined(structure, factor):
            picked = (terms[factor],) if factor in used else tried
            yield from (_with(shape, changed, factor, term) for term in picked)


def _joined(structure: Structure, factor: int) -> Iterator[Structure]:
    """Yield the structures in which a factor adds to the cost, multiplies a part, or both parts stand.

    Examples
    --------
    >>> list(_joined(((0,),), 1))
    [((0,), (1,)), ((0, 1),), ((0,), (0, 1))]
    """
    if len(structure) < MOST_PARTS and (factor,) not in structure:
        yield _sorted([*structure, (factor,)])
    for part in structure:
        product = tuple(sorted({*part, factor}))
        if product in structure:
            continue
        yield _sorted([product if one == part else one for one in structure])
        if len(structure) < MOST_PARTS:
            yield _sorted([*structure, product])


def _sorted(parts: Iterable[Part]) -> Structure:
    """Return parts in the order that `structures_of` lists them in."""
    return tuple(sorted(parts, key=lambda part: (len(part), part)))


def _with(shape: Shape, structure: Structure, factor: int, term: Term | None) -> Shape:
    return structure, (*shape[1][:factor], term, *shape[1][factor + 1 :])


def _without(shape: Shape, part: Part) -> Shape:
    left = tuple(one for one in shape[0] if one != part)
    used = used_factors(left)
    return left, tuple(term if factor in used else None for factor, term in enumerate(shape[1]))


def _listed(shape: Shape, known: Mapping[Shape, float], possible: Sequence[tuple[Term, ...]]) -> Iterator[Shape]:
    """Yield a structure with every choice among the best terms of each of its factors, the others' terms held."""
    structure, _ = shape
    used = used_factors(structure)
    kept = []
    for factor in used:
        tried = [_with(shape, structure, factor, term) for term in possible[factor]]
        best = sorted((one for one in tried if one in known), key=known.__getitem__)[:_KEPT_TERMS]
        kept.append([one[1][factor] for one in best])
    for picked in itertools.product(*kept):
        by_factor = dict(zip(used, picked, strict=True))
        yield structure, tuple(by_factor.get(factor) for factor in range(len(possible)))
