"""Structures: which factors add to the cost on their own, and which multiply each other.

A structure is a set of parts beside the fixed cost; a part is the set of factors whose terms are multiplied
in it. With the factors 0 and 1, ``((0,), (1,))`` is additive and ``((0, 1),)`` a product.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

__all__ = ["MOST_FACTORS", "MOST_PARTS", "Part", "Structure", "prices_of", "structures_of", "used_factors", "word_of"]

Part = tuple[int, ...]
Structure = tuple[Part, ...]

#: With three factors and more, a structure has at most so many parts: seven parts over three factors would
#: describe 27 cells with eight coefficients.
MOST_PARTS = 3

#: However many factors there are, a structure uses at most so many of them.
MOST_FACTORS = 4


def structures_of(factors: Sequence[int]) -> list[Structure]:
    """Return every structure over some factors, the simplest first.

    Examples
    --------
    >>> structures_of([0])
    [(), ((0,),)]
    >>> len(structures_of([0, 1])), len(structures_of([0, 1, 2]))
    (8, 64)
    """
    parts = [part for size in range(1, len(factors) + 1) for part in itertools.combinations(factors, size)]
    return [chosen for size in range(min(MOST_PARTS, len(parts)) + 1) for chosen in itertools.combinations(parts, size)]


def used_factors(structure: Structure) -> tuple[int, ...]:
    """Return the factors that occur in a structure, in order.

    Examples
    --------
    >>> used_factors(((2,), (0, 2)))
    (0, 2)
    """
    return tuple(sorted({factor for part in structure for factor in part}))


def word_of(structure: Structure) -> str:
    """Name the kind of a structure.

    Examples
    --------
    >>> [word_of(one) for one in ((), ((0,),), ((0,), (1,)), ((0, 1),), ((0,), (0, 1)))]
    ['constant', 'one factor', 'additive', 'product', 'additive plus product']
    """
    if not structure:
        return "constant"
    if len(structure) == 1:
        return "one factor" if len(structure[0]) == 1 else "product"
    return "additive" if all(len(part) == 1 for part in structure) else "additive plus product"


def prices_of(terms: Sequence[int]) -> Mapping[str, float]:
    """Return what it costs a structure of each kind that so many hypotheses of its kind could be tried.

    Beforehand each kind is as likely as another, and within it each hypothesis: two of 81 additive ones are more
    likely to fit by chance than the one constant. In terms of BIC that is twice the logarithm of their number. All
    of a kind count that use at most `MOST_FACTORS`, whether a search comes by them or not.

    Parameters
    ----------
    terms : sequence of int
        How many terms each factor may take.

    References
    ----------
    J. Chen and Z. Chen, "Extended Bayesian Information Criteria for Model Selection with Large Model Spaces",
    Biometrika 95(3), 2008, 759-771.

    Examples
    --------
    >>> {kind: round(price, 1) for kind, price in prices_of([9, 9]).items()}
    {'constant': 0.0, 'one factor': 5.8, 'product': 8.8, 'additive': 8.8, 'additive plus product': 11.0}
    """
    # How many choices of a term each there are for every set of so many factors, summed over the sets.
    choices = [1]
    for number in terms:
        choices = [with_it * number + without for with_it, without in zip([0, *choices], [*choices, 0], strict=True)][
            : MOST_FACTORS + 1
        ]
    tried: dict[str, int] = {}
    for used, number in enumerate(choices):
        for kind, structures in _kinds_using(used).items():
            tried[kind] = tried.get(kind, 0) + structures * number
    return {kind: 2 * math.log(number) for kind, number in tried.items()}


@lru_cache
def _kinds_using(factors: int) -> Mapping[str, int]:
    """Count the structures that use each of some factors, by kind."""
    return Counter(word_of(one) for one in structures_of(range(factors)) if len(used_factors(one)) == factors)
