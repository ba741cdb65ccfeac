"""The terms of a cost model: powers of a factor, times powers of its logarithm.

References
----------
A. Calotoiu, T. Hoefler, M. Poke, F. Wolf, "Using Automated Performance Modeling to Find Scalability Bugs in
Complex Codes", SC 2013, section 3: the performance model normal form, c + sum of a x^i log2(x)^j.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.effects.cells import Level
from benchlib.errors import DataError, choices, printable, suggestion

__all__ = ["FALLING", "LINEAR", "TERM_SETS", "Scale", "Term", "checked_term_set", "scale_of", "terms_for"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A power of a factor times a power of its logarithm to base 2.

    Attributes
    ----------
    power : float
    log : int
    """

    power: float
    log: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How a numeric factor enters terms.

    Attributes
    ----------
    factor : str
    lowest, highest : float
        Its smallest and largest level.
    from_zero : bool
        Whether logarithms are log2(1 + x): where a level lies below 1 log2(x) is negative, or does not exist.
    """

    factor: str
    lowest: float
    highest: float
    from_zero: bool

    def column(self, term: Term, levels: ArrayLike) -> Floats:
        """Return a term at levels of the factor: at level 0 its limit, NaN where it has none.

        Examples
        --------
        >>> outputs = scale_of("outputs", [1, 2, 8])
        >>> outputs.column(Term(power=1.0, log=1), [1, 2, 8]).tolist()
        [0.0, 2.0, 24.0]
        >>> subscribers = scale_of("subscribers", [0, 1, 3])
        >>> subscribers.column(Term(power=0.0, log=1), [0, 1, 3]).tolist()
        [0.0, 1.0, 2.0]
        >>> outputs.column(Term(power=1.0, log=1), [0]).tolist(), outputs.column(Term(power=0.0, log=1), [0]).tolist()
        ([0.0], [nan])
        """
        x = np.asarray(levels, dtype=np.float64)
        base = np.where(x > 0, x, 1.0)
        found = base**term.power if term.power else np.ones_like(x)
        if term.log:
            found = found * np.log2(x + 1 if self.from_zero else base) ** term.log
        if term.power > 0:
            return np.where(x > 0, found, 0.0)
        return np.where((x > 0) | self.defined_at_zero(term), found, np.nan)

    def defined_at_zero(self, term: Term) -> bool:
        """Whether a term has a value, or a limit, at level 0."""
        return term.power > 0 or (term.power == 0 and (not term.log or self.from_zero))

    def words(self, term: Term) -> str:
        """Return a term in words.

        Examples
        --------
        >>> scale_of("outputs", [1, 2, 8]).words(Term(power=1.5, log=1))
        'outputs^1.5 * log2(outputs)'
        >>> scale_of("subscribers", [0, 10]).words(Term(power=0.0, log=2))
        'log2(1 + subscribers)^2'
        """
        name = printable(self.factor)
        told = []
        if term.power:
            told.append(name if term.power == 1 else f"{name}^{term.power:.4g}")
        if term.log:
            logarithm = f"log2(1 + {name})" if self.from_zero else f"log2({name})"
            told.append(logarithm if term.log == 1 else f"{logarithm}^{term.log}")
        return " * ".join(told) or "1"


LINEAR = Term(power=1.0, log=0)

#: Considered besides where the cost falls with a factor: a share of something divided by it.
FALLING = (Term(power=-0.5, log=0), Term(power=-1.0, log=0))


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
    """Return the terms of a set.

    Raises
    ------
    DataError
        For a name that is not in `TERM_SETS`.

    Examples
    --------
    >>> len(checked_term_set("standard")), len(checked_term_set("wide"))
    (9, 42)
    """
    if name not in TERM_SETS:
        raise DataError(
            f"unknown term set '{printable(name)}'{suggestion(name, TERM_SETS)}; term sets: {choices(TERM_SETS)}"
        )
    return TERM_SETS[name]


def scale_of(factor: str, levels: Sequence[Level]) -> Scale:
    """Return how a factor with these levels enters terms.

    Raises
    ------
    DataError
        For a negative level: half a power of it does not exist.
    """
    numbers = [float(one) for one in levels]
    if min(numbers) < 0:
        raise DataError(
            f"factor '{printable(factor)}' has the level {min(numbers):g}; powers and logarithms need levels of 0 or "
            "more: name it among the categorical factors, or count from 0"
        )
    return Scale(factor=factor, lowest=min(numbers), highest=max(numbers), from_zero=min(numbers) < 1)


def terms_for(scale: Scale, levels: int, terms: tuple[Term, ...], falling: bool) -> tuple[Term, ...]:
    """Return the terms that a factor with so many levels can be asked about.

    Two levels lie on every curve: only the straight line is kept. Where the cost falls with the factor, inverse
    powers join, unless a level is 0.

    Examples
    --------
    >>> terms_for(scale_of("bits", [32, 64]), 2, TERM_SETS["wide"], False)
    (Term(power=1.0, log=0),)
    """
    if levels < 3:
        return (LINEAR,)
    if falling and scale.lowest > 0 and math.isfinite(1 / scale.lowest):
        return (*terms, *FALLING)
    return terms
