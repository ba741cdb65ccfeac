"""What a cost might be made of: terms of factors, structures of terms, and the shapes that are tried.

A term is a power of a factor, times a power of its logarithm. A structure says which factors add to the cost
on their own and which multiply each other: it is a set of parts beside the fixed cost, and a part is the set of
factors whose terms are multiplied in it. With the factors 0 and 1, ``((0,), (1,))`` is additive and ``((0, 1),)`` a
product. A shape is a structure with a term for each of its factors.

With up to three numeric factors every shape can be listed. With more, shapes grow from the best of those seen: from
the constant and every single term on, each of the best structures, with its best terms, is changed in
one way at a time: a part more, a part less, a factor more in a part, another term for a factor. This ends when the
leaders have nothing better to offer, or after 4,000 shapes. Factors that never help are so left behind.
At last the leaders are listed with every choice among the best terms of each of their factors, as rivals.

A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, "Using Automated Performance Modeling to Find Scalability Bugs in
Complex Codes", SC 2013, section 3: the performance model normal form, c + sum of a x^i log2(x)^j.
T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd edition, section 3.3: stepwise
search. B. Lowerre, "The HARPY Speech Recognition System", 1976: several leaders instead of one.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.effects.cells import Level
from benchlib.errors import DataError, choices, printable, suggestion

__all__ = ["checked_term_set"]

_Floats = NDArray[np.float64]
_Part = tuple[int, ...]
_Structure = tuple[_Part, ...]

#: With so many factors every shape is listed.
_LISTED_FACTORS = 3
#: However many factors there are, a structure uses at most so many of them.
MOST_FACTORS = 4
#: With three factors and more, a structure has at most so many parts: seven parts over three factors would
#: describe 27 cells with eight coefficients.
_MOST_PARTS = 3
#: So many shapes at most are fitted while they grow.
_MOST_SHAPES = 4000
#: So many structures grow at a time.
_LEADERS = 10
#: So many terms of a factor are tried where it joins a structure, and so many where rivals are listed.
_JOINING, _LISTED_TERMS = 2, 3
#: So many of the best shapes are given back, besides the rivals listed.
_RETURNED = 300


# Terms ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A power of a factor times a power of its logarithm to base 2."""

    power: float
    log: int
    fitted: bool = False  # whether the cells gave the power, so that it counts as a coefficient


#: A structure, and the term of each factor; None for a factor that does not occur.
Shape = tuple[_Structure, tuple[Term | None, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How a numeric factor enters terms."""

    factor: str
    #: lowest, highest: its smallest and largest level.
    lowest: float
    highest: float
    #: Whether logarithms are log2(1 + x): where a level lies below 1 log2(x) is negative, or does not exist.
    from_zero: bool

    def column(self, term: Term, levels: ArrayLike) -> _Floats:
        """Return a term at levels of the factor: at level 0 its limit, NaN where it has none."""
        x = np.asarray(levels, dtype=np.float64)
        base = np.where(x > 0, x, 1.0)
        column = base**term.power if term.power else np.ones_like(x)
        if term.log:
            column = column * np.log2(x + 1 if self.from_zero else base) ** term.log
        if term.power > 0:
            return np.where(x > 0, column, 0.0)
        return np.where((x > 0) | self.defined_at_zero(term), column, np.nan)

    def defined_at_zero(self, term: Term) -> bool:
        """Whether a term has a value, or a limit, at level 0."""
        return term.power > 0 or (term.power == 0 and (not term.log or self.from_zero))

    def describe(self, term: Term) -> str:
        """Return a term in words, such as 'outputs^1.5 * log2(outputs)'."""
        name = printable(self.factor)
        words = []
        if term.power:
            words.append(name if term.power == 1 else f"{name}^{term.power:.4g}")
        if term.log:
            logarithm = f"log2(1 + {name})" if self.from_zero else f"log2({name})"
            words.append(logarithm if term.log == 1 else f"{logarithm}^{term.log}")
        return " * ".join(words) or "1"


_LINEAR = Term(power=1.0, log=0)
#: Tried besides where the cost falls with a factor: a share of something divided by it.
_FALLING = (Term(power=-0.5, log=0), Term(power=-1.0, log=0))


def _terms(*pairs: tuple[float, int]) -> tuple[Term, ...]:
    return tuple(Term(power=power, log=log) for power, log in pairs)


#: ``standard`` is what repeated measurements at five levels can tell apart. ``wide`` holds the default terms of
#: Extra-P 4.2, of which several stay within noise of each other over any range that is measured.
TERM_SETS = MappingProxyType({
    "standard": _terms((0, 1), *((power, log) for power in (0.5, 1.0, 1.5, 2.0) for log in (0, 1))),
    "wide": _terms(
        (0, 1), (0, 2),
        *((power, log) for power in (1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1.0, 3 / 2, 2.0) for log in (0, 1, 2)),
        (4 / 5, 0), (5 / 4, 0), (5 / 4, 1), (4 / 3, 0), (4 / 3, 1), (5 / 3, 0), (7 / 4, 0), (9 / 4, 0), (7 / 3, 0),
        (5 / 2, 0), (5 / 2, 1), (5 / 2, 2), (8 / 3, 0), (11 / 4, 0), (3.0, 0), (3.0, 1),
    ),
})  # fmt: skip


def checked_term_set(name: str) -> tuple[Term, ...]:
    """Return the terms of a set, or raise a `DataError` for a name that is not in `TERM_SETS`."""
    if name not in TERM_SETS:
        raise DataError(
            f"unknown term set '{printable(name)}'{suggestion(name, TERM_SETS)}; term sets: {choices(TERM_SETS)}"
        )
    return TERM_SETS[name]


def scale_of(factor: str, levels: Sequence[Level]) -> Scale:
    """Return how a factor with these levels enters terms; of a negative level half a power does not exist."""
    numbers = [float(level) for level in levels]
    if min(numbers) < 0:
        raise DataError(
            f"factor '{printable(factor)}' has the level {min(numbers):g}; powers and logarithms need levels of 0 or "
            "more: name it among the categorical factors, or count from 0"
        )
    return Scale(factor=factor, lowest=min(numbers), highest=max(numbers), from_zero=min(numbers) < 1)


def _terms_for(scale: Scale, levels: int, terms: tuple[Term, ...], falling: bool) -> tuple[Term, ...]:
    """Return the terms to ask about for a factor with so many levels.

    Two levels lie on every curve: only the straight line is tried. Where the cost falls with the factor, inverse
    powers join, unless a level is 0.
    """
    if levels < 3:
        return (_LINEAR,)
    if falling and scale.lowest > 0 and math.isfinite(1 / scale.lowest):
        return (*terms, *_FALLING)
    return terms


# Structures ----------------------------------------------------------------------------------------------------------


def _structures_of(factors: Sequence[int]) -> list[_Structure]:
    """Return every structure over some factors, the simplest first."""
    parts = [part for size in range(1, len(factors) + 1) for part in itertools.combinations(factors, size)]
    return [
        chosen for size in range(min(_MOST_PARTS, len(parts)) + 1) for chosen in itertools.combinations(parts, size)
    ]


def used_factors(structure: _Structure) -> tuple[int, ...]:
    """Return the factors that occur in a structure, in order."""
    return tuple(sorted({factor for part in structure for factor in part}))


def _word_of(structure: _Structure) -> str:
    """Name the kind of a structure."""
    if not structure:
        return "constant"
    if len(structure) == 1:
        return "one factor" if len(structure[0]) == 1 else "product"
    return "additive" if all(len(part) == 1 for part in structure) else "additive plus product"


def prices_of(terms: Sequence[int]) -> Mapping[str, float]:
    """Return what it costs a structure of each kind that so many hypotheses of its kind could be tried.

    Beforehand each kind is as likely as another, and within it each hypothesis: two of 81 additive ones are more
    likely to fit by chance than the one constant. In terms of BIC that is twice the logarithm of their number. All
    of a kind count that use at most `MOST_FACTORS`, whether a search comes by them or not. ``terms`` says how many
    terms each factor may take.

    J. Chen and Z. Chen, "Extended Bayesian Information Criteria for Model Selection with Large Model Spaces",
    Biometrika 95(3), 2008, 759-771.
    """
    # How many choices of a term each there are for every set of so many factors, summed over the sets.
    picks = [1]
    for number in terms:
        picks = [with_it * number + without for with_it, without in zip([0, *picks], [*picks, 0], strict=True)][
            : MOST_FACTORS + 1
        ]
    tried: dict[str, int] = {}
    for used, number in enumerate(picks):
        for kind, structures in _kinds_using(used).items():
            tried[kind] = tried.get(kind, 0) + structures * number
    return {kind: 2 * math.log(number) for kind, number in tried.items()}


@lru_cache
def _kinds_using(factors: int) -> Mapping[str, int]:
    """Count the structures that use each of some factors, by kind."""
    every = _structures_of(range(factors))
    return Counter(_word_of(structure) for structure in every if len(used_factors(structure)) == factors)


# Shapes --------------------------------------------------------------------------------------------------------------


def shapes_of(allowed: Sequence[tuple[Term, ...]]) -> list[Shape]:
    """Return every structure with every choice of terms, from the terms allowed to each factor."""
    return [
        (structure, _spread(used_factors(structure), picked, len(allowed)))
        for structure in _structures_of(range(len(allowed)))
        for picked in itertools.product(*(allowed[factor] for factor in used_factors(structure)))
    ]


def _spread(used: Sequence[int], picked: Sequence[Term | None], factors: int) -> tuple[Term | None, ...]:
    """Return the term of every factor, given those of the factors used."""
    by_factor = dict(zip(used, picked, strict=True))
    return tuple(by_factor.get(factor) for factor in range(factors))


def grow_shapes(
    fit: Callable[[Sequence[Shape]], Mapping[Shape, float]], possible: Sequence[tuple[Term, ...]]
) -> list[Shape]:
    """Return the shapes worth ranking, given the terms that each factor could take.

    ``fit`` takes shapes to their BIC, and leaves out those that are no cost.
    """
    known: dict[Shape, float] = {}
    seen: set[Shape] = set()

    def look(shapes: Iterable[Shape]) -> None:
        unseen = (shape for shape in dict.fromkeys(shapes) if shape not in seen)
        fresh = list(itertools.islice(unseen, _MOST_SHAPES - len(seen)))
        seen.update(fresh)
        known.update(fit(fresh))

    nothing: Shape = ((), (None,) * len(possible))
    singles = [[_with(nothing, ((factor,),), factor, term) for term in terms] for factor, terms in enumerate(possible)]
    look([nothing, *itertools.chain.from_iterable(singles)])
    joining = [
        [shape[1][factor] for shape in sorted(shapes, key=lambda shape: known.get(shape, math.inf))[:_JOINING]]
        for factor, shapes in enumerate(singles)
    ]
    grown: set[Shape] = set()
    while len(seen) < _MOST_SHAPES:
        fresh = [shape for shape in _leaders(known) if shape not in grown]
        if not fresh:
            break
        grown.update(fresh)
        look(itertools.chain.from_iterable(_changed(shape, joining, possible) for shape in fresh))
    ranked = sorted(known, key=known.__getitem__)[:_RETURNED]
    rivals = itertools.chain.from_iterable(_rivals(shape, known, possible) for shape in _leaders(known))
    return list(dict.fromkeys([nothing, *ranked, *rivals]))


def _leaders(known: Mapping[Shape, float]) -> list[Shape]:
    """Return the best shape of each of the best structures."""
    best: dict[_Structure, Shape] = {}
    for shape in sorted(known, key=known.__getitem__):
        best.setdefault(shape[0], shape)
        if len(best) == _LEADERS:
            break
    return list(best.values())


def _changed(
    shape: Shape, joining: Sequence[Sequence[Term | None]], possible: Sequence[tuple[Term, ...]]
) -> Iterator[Shape]:
    """Yield the shapes that differ from one in a part, in a factor of a part, or in a term."""
    structure, terms = shape
    used = used_factors(structure)
    for part in structure:
        left = tuple(other for other in structure if other != part)
        yield left, tuple(term if factor in used_factors(left) else None for factor, term in enumerate(terms))
    for factor in used:
        yield from (_with(shape, structure, factor, term) for term in possible[factor])
    for factor, tried in enumerate(joining):
        if factor not in used and len(used) == MOST_FACTORS:
            continue
        for changed in _joined(structure, factor):
            picked = (terms[factor],) if factor in used else tried
            yield from (_with(shape, changed, factor, term) for term in picked)


def _joined(structure: _Structure, factor: int) -> Iterator[_Structure]:
    """Yield the structures in which a factor adds to the cost, multiplies a part, or both parts stand."""
    if len(structure) < _MOST_PARTS and (factor,) not in structure:
        yield _sorted([*structure, (factor,)])
    for part in structure:
        product = tuple(sorted({*part, factor}))
        if product in structure:
            continue
        yield _sorted([product if other == part else other for other in structure])
        if len(structure) < _MOST_PARTS:
            yield _sorted([*structure, product])


def _sorted(parts: Iterable[_Part]) -> _Structure:
    """Return parts in the order that `_structures_of` lists them in."""
    return tuple(sorted(parts, key=lambda part: (len(part), part)))


def _with(shape: Shape, structure: _Structure, factor: int, term: Term | None) -> Shape:
    """Return another structure with the terms of a shape, but for one factor."""
    return structure, (*shape[1][:factor], term, *shape[1][factor + 1 :])


def _rivals(shape: Shape, known: Mapping[Shape, float], possible: Sequence[tuple[Term, ...]]) -> Iterator[Shape]:
    """Yield a structure with every choice among the best terms of each of its factors, the others' terms held."""
    structure, _ = shape
    used = used_factors(structure)
    best_terms = []
    for factor in used:
        tried = [_with(shape, structure, factor, term) for term in possible[factor]]
        best = sorted((other for other in tried if other in known), key=known.__getitem__)[:_LISTED_TERMS]
        best_terms.append([other[1][factor] for other in best])
    for picked in itertools.product(*best_terms):
        yield structure, _spread(used, picked, len(possible))
