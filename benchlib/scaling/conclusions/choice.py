"""Choosing between laws: the criteria side by side, and a word when they disagree.

The nested chain linear, Amdahl, USL votes (and Gustafson, where the scaling is weak). A plateau is told
from the shape of the points, because every law that bends would call it contention; or from an AIC so much
lower than the winner's that this has no support left. Else a plateau that describes the points about as
well is named as a rival, with what it says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from benchlib.caveats import Caveat, caveat, merge
from benchlib.lazy_scipy import special
from benchlib.scaling.conclusions.rivals import Rival, find_rivals, is_reduced
from benchlib.scaling.fits.criteria import NestedTest, nested_test
from benchlib.scaling.fits.fitting import ScalingFit, same_data
from benchlib.scaling.laws import LAWS

__all__ = ["Choice", "NestedTest", "Rival", "choose_law"]

_CRITERIA = {"aicc": "AICc", "aic": "AIC", "loo_rmse": "leave-one-out"}
#: In this order they are asked and named.
_WORDS = ("AICc", "AIC", "F test", "leave-one-out")
#: The laws that vote: each the next without its last loss. Gustafson's contains the line only.
_VOTERS = ("linear", "amdahl", "gustafson", "usl")
#: A law whose AIC is higher by this has essentially no support (Burnham and Anderson, p. 70).
_NO_SUPPORT = 10.0
#: A richer law has to explain more than chance would, at this level.
_SIGNIFICANT = 0.05


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
        The law each criterion votes for; a criterion that some law has no value of is missing.
    tests : tuple of NestedTest
        Of every law against those it contains.
    rivals : tuple of Rival
        Laws outside the vote that describe the points about as well, the best first.
    caveats : tuple of Caveat
    """

    law: str
    why: str
    preferred: Mapping[str, str]
    tests: tuple[NestedTest, ...]
    rivals: tuple[Rival, ...]
    caveats: tuple[Caveat, ...]

    @property
    def superlinear(self) -> bool:
        """Whether throughput grows faster than concurrency, by more than chance."""
        return any(one.code == "superlinear" for one in self.caveats)


def choose_law(fits: Sequence[ScalingFit], *, shape: str = "") -> Choice:
    """Choose between laws fitted to the same curve with the same weights.

    A law whose last coefficient lies on its bound is the simpler law in another coat, and gives
    way to it where that was fitted too. Between the rest AICc, AIC, a chain of F tests at 5 % and
    leave-one-out error vote; the majority decides, a tie goes to the law with fewer parameters. A
    criterion that some of the laws have no value of has no vote, but what it prefers is said. No criterion
    decides alone, because at 8 levels or fewer they often differ (SPEC SDM91: AICc prefers
    Amdahl; AIC, the F test and leave-one-out the USL).

    Parameters
    ----------
    fits : sequence of ScalingFit
        At most one a law.
    shape : str
        What the points do, as `benchlib.scaling.shape` tells it: for ``"plateau"`` the plateau is chosen
        where it was fitted, without a vote.

    Raises
    ------
    DataError
        For no fits, or fits with other data or weights.

    References
    ----------
    K. P. Burnham and D. R. Anderson, "Model Selection and Multimodel Inference", 2nd edition, Springer
    2002, chapter 2: AIC and AICc. M. Stone, Journal of the Royal Statistical Society B 36, 1974, 111-147:
    leave-one-out. The F test: `benchlib.scaling.fits.criteria.nested_test`.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 18, 36, 72, 108, 144, 216],
    ...                     [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2], unit="op/sec")
    >>> choose_law([fit_law(curve, law, weights="none") for law in ("amdahl", "usl")]).why
    'USL: AIC, F test and leave-one-out prefer USL, AICc prefers Amdahl (among Amdahl and USL, 7 measurements)'
    """
    same_data(fits)
    by_name = {fit.law: fit for fit in sorted(fits, key=lambda fit: tuple(LAWS).index(fit.law))}
    voters = {name: fit for name, fit in by_name.items() if name in _VOTERS} or by_name
    tests = _tests(voters)
    superlinear = _superlinear_caveats(voters)
    preferred: dict[str, str] = {}
    partial: dict[str, str] = {}
    if shape == "plateau" and "plateau" in by_name:
        law, why = "plateau", _plateau_reason(by_name["plateau"], shape)
    elif len(voters) == 1:
        (law,) = voters
        why = f"{LAWS[law].title}: the only law {'fitted' if len(by_name) == 1 else 'with a vote'}"
    else:
        left, reduced = _without_reduced(voters, superlinear=bool(superlinear))
        preferred, partial = _votes(left, tests)
        law = _majority(preferred, left)
        reasons = [*reduced, *_reasons(law, preferred, partial, left)]
        why = f"{LAWS[law].title}: {'; '.join(reasons)}"
    if law != "plateau" and (lower := _far_better(by_name, law)):
        why = f"{_plateau_reason(by_name['plateau'], shape)}; its AIC is {lower:.0f} lower than that of {why}"
        law = "plateau"
    if law == "plateau" and by_name[law].misses_points:
        pvalue = by_name[law].lack_of_fit
        why += f"; yet the plateau misses its levels by more than their replicates scatter (p = {pvalue:.2g})"
    rivals = find_rivals(by_name[law], [fit for name, fit in by_name.items() if law == "plateau" or name not in voters])
    # What the criteria think of one another's laws is no news where none of those was chosen.
    disagree = law in voters and {*preferred.values(), *partial.values()} - {law}
    return Choice(
        law=law,
        why=why,
        preferred=MappingProxyType(preferred),
        tests=tests,
        rivals=rivals,
        caveats=merge(
            [caveat("laws-disagree", why)] if disagree else [],
            superlinear,
            [caveat("rival-law", rival.message) for rival in rivals],
        ),
    )


def _tests(fits: Mapping[str, ScalingFit]) -> tuple[NestedTest, ...]:
    return tuple(
        nested_test(
            simpler,
            richer,
            sums_of_squares=(fits[simpler].sum_of_squares, fits[richer].sum_of_squares),
            degrees_of_freedom=(fits[simpler].degrees_of_freedom, fits[richer].degrees_of_freedom),
        )
        for richer in fits
        for simpler in LAWS[richer].simpler
        if simpler in fits
    )


def _far_better(fits: Mapping[str, ScalingFit], law: str) -> float:
    """Return by how much the AIC of a plateau is lower, 0 where that leaves the law any support."""
    wall = fits.get("plateau")
    if wall is None or is_reduced(wall):
        return 0.0
    lower = fits[law].criteria.aic - wall.criteria.aic
    return lower if lower > _NO_SUPPORT else 0.0


def _plateau_reason(fit: ScalingFit, shape: str | None) -> str:
    servers = fit.parameters["servers"]
    where = f"plateau: throughput stops growing at N = {servers.value:.3g} ({servers.low:.3g} to {servers.high:.3g})"
    # A law that misses points which are no plateau either says where it bends, not what made them so.
    if fit.misses_points and shape != "plateau":
        return where
    return f"{where}, as it does when a resource runs out, not as contention would slow it"


def _without_reduced(fits: Mapping[str, ScalingFit], *, superlinear: bool) -> tuple[dict[str, ScalingFit], list[str]]:
    """Drop laws that ended up as a simpler one, and say so."""
    left, reasons = dict(fits), []
    for name in reversed(list(fits)):
        simpler = next((one for one in LAWS[name].simpler if one in fits), None)
        if simpler and is_reduced(fits[name]):
            word = LAWS[name].parameters[-1]
            del left[name]
            if superlinear and _below_zero(fits[name], -1) < _SIGNIFICANT:
                reasons.append(f"{word.replace('_', ' ')} would have to be negative ({fits[name].unbounded[-1]:.3g})")
            else:
                limit = fits[name].parameters[word].high
                reasons.append(f"{word.replace('_', ' ')} is not distinguishable from 0 (at most {limit:.3g})")
    return left, reasons


def _votes(fits: Mapping[str, ScalingFit], tests: Sequence[NestedTest]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what each criterion votes for, and what those prefer that some laws have no value of."""
    if len(fits) == 1:
        return {}, {}
    votes = {"F test": _tested(fits, tests)}
    partial: dict[str, str] = {}
    for field, word in _CRITERIA.items():
        values = {name: float(getattr(fit.criteria, field)) for name, fit in fits.items()}
        known = {name: value for name, value in values.items() if not math.isnan(value)}
        # A law too rich for a criterion to be computed does not win or lose by it.
        if len(known) > 1:
            told = votes if len(known) == len(values) else partial
            told[word] = min(known, key=lambda name: (known[name], len(LAWS[name].parameters)))
    return {word: votes[word] for word in _WORDS if word in votes}, partial


def _tested(fits: Mapping[str, ScalingFit], tests: Sequence[NestedTest]) -> str:
    """Go up the chain of laws as long as each explains significantly more than the last."""
    pvalues = {(one.simpler, one.richer): one.pvalue for one in tests}
    current = next(iter(fits))
    while True:
        better = [
            name for name in fits if pvalues.get((current, name), 1.0) < _SIGNIFICANT and current in LAWS[name].simpler
        ]
        if not better:
            return current
        # One loss at a time; of two laws with as many parameters, the closer one.
        current = min(better, key=lambda name: (len(LAWS[name].parameters), fits[name].sum_of_squares))


def _majority(votes: Mapping[str, str], fits: Mapping[str, ScalingFit]) -> str:
    counts = {name: list(votes.values()).count(name) for name in fits}
    return min(counts, key=lambda name: (-counts[name], len(LAWS[name].parameters)))


def _reasons(
    law: str, preferred: Mapping[str, str], partial: Mapping[str, str], fits: Mapping[str, ScalingFit]
) -> list[str]:
    if not preferred:
        return []
    sides: dict[str, list[str]] = {law: []}
    for word, name in preferred.items():
        sides.setdefault(name, []).append(word)
    told = [
        f"{_listed(words)} {'prefers' if len(words) == 1 else 'prefer'} {LAWS[name].title}"
        for name, words in sides.items()
    ]
    told += [f"{word}, where it can be computed, prefers {LAWS[name].title}" for word, name in partial.items()]
    among = _listed([LAWS[name].title for name in fits])
    return [f"{', '.join(told)} (among {among}, {fits[law].n} measurements)"]


def _superlinear_caveats(fits: Mapping[str, ScalingFit]) -> list[Caveat]:
    """Name the first loss that is below 0 by more than chance: one-sided t, shared among the laws asked."""
    found = []
    asked = [fit for fit in fits.values() if len(LAWS[fit.law].parameters) > 1]
    for fit in asked:
        pvalue = _below_zero(fit, 1)
        if pvalue < _SIGNIFICANT / len(asked):
            found.append((pvalue, fit))
    if not found:
        return []
    pvalue, fit = min(found, key=lambda one: one[0])
    word = LAWS[fit.law].parameters[1].replace("_", " ")
    message = (
        f"throughput grows faster than concurrency: without its bound the {word} of {LAWS[fit.law].title} "
        f"is {fit.unbounded[1]:.3g} (below 0, one-sided p = {pvalue:.2g})"
    )
    return [caveat("superlinear", message)]


def _below_zero(fit: ScalingFit, index: int) -> float:
    """Return the one-sided P value that a loss is not below 0."""
    value, error = fit.unbounded[index], math.sqrt(max(fit.covariance[index][index], 0.0))
    # What rounding leaves of data on a line is no growth.
    if value * fit.measured_range[1] > -1e-9:
        return 1.0
    return float(special.stdtr(fit.degrees_of_freedom, value / error)) if error else 0.0


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
