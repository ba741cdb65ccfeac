"""Choosing between laws: the criteria side by side, and a word when they disagree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError
from benchlib.scaling.fitting import ScalingFit
from benchlib.scaling.laws import LAWS

__all__ = ["Choice", "choose_law"]

_CRITERIA = {"aicc": "AICc", "aic": "AIC", "loo_rmse": "leave-one-out"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The law to describe a curve with.

    Attributes
    ----------
    law : str
        A key of `benchlib.scaling.laws.LAWS`.
    why : str
        In one sentence.
    preferred : mapping of str to str
        The law each criterion prefers; a criterion that some law has no value of is missing.
    caveats : tuple of Caveat
    """

    law: str
    why: str
    preferred: Mapping[str, str]
    caveats: tuple[Caveat, ...]


def choose_law(fits: Sequence[ScalingFit]) -> Choice:
    """Choose between laws fitted to the same curve with the same weights.

    A law whose last coefficient lies on its bound is the simpler law in another coat, and gives
    way to it where that was fitted too. Between the rest AICc, AIC and leave-one-out error vote;
    the majority decides, a tie goes to the law with fewer parameters. No criterion decides
    alone, because at 8 levels or fewer they often differ (SPEC SDM91: AICc prefers Amdahl, AIC
    and leave-one-out the USL).

    Raises
    ------
    DataError
        For no fits, or fits with other data or weights.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fitting import fit_law
    >>> curve = build_curve([1, 18, 36, 72, 108, 144, 216],
    ...                     [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec")
    >>> choose_law([fit_law(curve, law, weights="none") for law in ("amdahl", "usl")]).why
    'USL: AIC and leave-one-out prefer it, AICc prefers Amdahl (7 measurements)'
    """
    if not fits:
        raise DataError("no fitted laws to choose from; measure at least 2 levels of concurrency")
    if len({(fit.weights, fit.n, fit.measured_range) for fit in fits}) > 1:
        raise DataError("the laws were fitted to different data or with different weights; fit them alike")
    by_name = {fit.law: fit for fit in fits}
    left, reduced = _without_reduced(by_name)
    if len(left) == 1:
        (name,) = left
        why = reduced or f"{LAWS[name].title}: the only law fitted"
        return Choice(law=name, why=why, preferred=MappingProxyType({}), caveats=())
    preferred = _votes(left)
    law = _majority(preferred, left)
    n = fits[0].n
    against = {word: name for word, name in preferred.items() if name != law}
    reason = _reason(law, preferred, n)
    caveats = (caveat("laws-disagree", reason),) if against else ()
    return Choice(
        law=law,
        why=f"{reduced}; {reason}" if reduced else reason,
        preferred=MappingProxyType(preferred),
        caveats=caveats,
    )


def _without_reduced(fits: Mapping[str, ScalingFit]) -> tuple[dict[str, ScalingFit], str]:
    """Drop laws that ended up as a simpler one, and say so."""
    left, reasons = dict(fits), []
    for name, word, simpler in (("usl", "coherency", "amdahl"), ("amdahl", "serial_fraction", "linear")):
        if name not in left or simpler not in left:
            continue
        estimate = left[name].parameters[word]
        if estimate.value == 0:
            del left[name]
            reasons.append(
                f"{LAWS[simpler].title}: {word.replace('_', ' ')} is not distinguishable from 0 "
                f"(at most {estimate.high:.3g})"
            )
    return left, "; ".join(reasons)


def _votes(fits: Mapping[str, ScalingFit]) -> dict[str, str]:
    votes = {}
    for field, word in _CRITERIA.items():
        values = {name: float(getattr(fit.criteria, field)) for name, fit in fits.items()}
        known = {name: value for name, value in values.items() if not math.isnan(value)}
        # A law too rich for a criterion to be computed does not win or lose by it.
        if len(known) == len(values):
            votes[word] = min(known, key=lambda name: (known[name], len(LAWS[name].parameters)))
    return votes


def _majority(votes: Mapping[str, str], fits: Mapping[str, ScalingFit]) -> str:
    counts = {name: list(votes.values()).count(name) for name in fits}
    return min(counts, key=lambda name: (-counts[name], len(LAWS[name].parameters)))


def _reason(law: str, preferred: Mapping[str, str], n: int) -> str:
    if not preferred:
        return f"{LAWS[law].title}: the simplest, too few measurements ({n}) for any criterion"
    sides: dict[str, list[str]] = {law: []}
    for word, name in preferred.items():
        sides.setdefault(name, []).append(word)
    told = []
    for name, words in sides.items():
        if words:
            verb = "prefers" if len(words) == 1 else "prefer"
            what = "it" if name == law else LAWS[name].title
            told.append(f"{_listed(words)} {verb} {what}")
    return f"{LAWS[law].title}: {', '.join(told)} ({n} measurements)"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
