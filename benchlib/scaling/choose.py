"""Which law describes a curve, and what speaks against it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from benchlib.caveats import Caveat, caveat, merge
from benchlib.lazy_scipy import special
from benchlib.scaling.fit import NestedTest, ScalingFit, _same_data, nested_test
from benchlib.scaling.laws import LAWS
from benchlib.scaling.predict import EXTRAPOLATION_LIMIT, predict

# Choosing between laws: the criteria side by side, and a word when they disagree.
#
# The nested chain linear, Amdahl, USL is voted on first (and Gustafson, where the scaling is weak). A plateau, which
# none of them contains, then stands against the winner: every law that bends would call a wall contention. It has to
# win by every criterion, AIC by more than 2. In simulation (5 % noise, once a level; 60 curves each) that finds a wall
# in 97 % of curves with one, and in none of the others. Else a plateau that describes the points about as well is
# named as a rival, with what it says otherwise.

_CRITERIA = {"aicc": "AICc", "aic": "AIC", "loo_rmse": "leave-one-out"}
#: In this order they are asked and named.
_WORDS = ("AICc", "AIC", "F test", "leave-one-out")
#: Within this much of the lowest AIC a law has substantial support (Burnham and Anderson, p. 70).
_AS_GOOD = 2.0
#: A richer law has to explain more than chance would, at this level.
_SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The law to describe a curve with."""

    law: str  # a key of `benchlib.scaling.laws.LAWS`
    why: str  # in one sentence
    #: The law each criterion votes for; a criterion that some law has no value of is missing.
    preferred: Mapping[str, str]
    tests: tuple[NestedTest, ...]  # of every law against those it contains
    rivals: tuple[Rival, ...]  # laws outside the vote that describe the points about as well, the best first
    caveats: tuple[Caveat, ...]

    @property
    def superlinear(self) -> bool:
        """Whether throughput grows faster than concurrency, by more than chance."""
        return any(warning.code == "superlinear" for warning in self.caveats)


def choose_law(fits: Sequence[ScalingFit]) -> Choice:
    """Choose between laws fitted to the same curve with the same weights.

    A law whose last coefficient lies on its bound is the simpler law in another coat, and gives
    way to it where that was fitted too. Between the rest AICc, AIC, a chain of F tests at 5 % and
    leave-one-out error vote; the majority decides, a tie goes to the law with fewer parameters. A
    criterion that some of the laws have no value of has no vote, but what it prefers is said. No criterion
    decides alone, because at 8 levels or fewer they often differ (SPEC SDM91: AICc prefers
    Amdahl; AIC, the F test and leave-one-out the USL). A plateau is chosen instead where AICc, AIC and leave-one-out
    error all prefer it, AIC by more than 2.

    K. P. Burnham and D. R. Anderson, "Model Selection and Multimodel Inference", 2nd edition, Springer
    2002, chapter 2: AIC and AICc. M. Stone, Journal of the Royal Statistical Society B 36, 1974, 111-147:
    leave-one-out. The F test: `benchlib.scaling.fit.nested_test`.
    """
    _same_data(fits)
    by_name = {fit.law: fit for fit in sorted(fits, key=lambda fit: tuple(LAWS).index(fit.law))}
    voters = {name: fit for name, fit in by_name.items() if LAWS[name].in_chain} or by_name
    tests = _tests(voters)
    superlinear = _superlinear_caveats(voters)
    preferred: dict[str, str] = {}
    partial: dict[str, str] = {}
    if len(voters) == 1:
        (law,) = voters
        why = f"{LAWS[law].title}: the only law {'fitted' if len(by_name) == 1 else 'of the chain'}"
    else:
        left, reduced = _without_reduced(voters, superlinear=bool(superlinear))
        preferred, partial = _votes(left, tests)
        law = _majority(preferred, left)
        reasons = [*reduced, *_reasons(law, preferred, partial, left)]
        why = f"{LAWS[law].title}: {'; '.join(reasons)}"
    if law != "plateau" and "plateau" in by_name and (words := _all_preferring(by_name["plateau"], by_name[law])):
        lower = by_name[law].criteria.aic - by_name["plateau"].criteria.aic
        prefer = (
            f"{_listed(words)} prefer{'s' if len(words) == 1 else ''} it to {LAWS[law].title} (AIC {lower:.1f} lower)"
        )
        why = f"{_plateau_reason(by_name['plateau'])}; {prefer}; without it {why}"
        law = "plateau"
    if law == "plateau" and by_name[law].misses_points:
        pvalue = by_name[law].lack_of_fit
        why += f"; yet the plateau misses its levels by more than their replicates scatter (p = {pvalue:.2g})"
    outside = [fit for name, fit in by_name.items() if law == "plateau" or name not in voters]
    rivals = _find_rivals(by_name[law], outside)
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
            variance=fits[richer].variance,
            degrees_of_freedom=(
                len(LAWS[richer].parameters) - len(LAWS[simpler].parameters),
                fits[richer].degrees_of_freedom,
            ),
        )
        for richer in fits
        for simpler in LAWS[richer].simpler
        if simpler in fits
    )


def _all_preferring(wall: ScalingFit, other: ScalingFit) -> list[str]:
    """Return the criteria that prefer a plateau; none where not all of them do, or AIC gives the other its support."""
    if _is_reduced(wall) or other.criteria.aic - wall.criteria.aic <= _AS_GOOD:
        return []
    lower = {
        word: float(getattr(other.criteria, field) - getattr(wall.criteria, field)) for field, word in _CRITERIA.items()
    }
    known = {word: value for word, value in lower.items() if not math.isnan(value)}
    return list(known) if min(known.values()) > 0 else []


def _plateau_reason(fit: ScalingFit) -> str:
    servers = fit.parameters["servers"]
    where = f"plateau: throughput stops growing at N = {servers.value:.3g} ({servers.low:.3g} to {servers.high:.3g})"
    # A law that misses its points says where they bend, not what made them so.
    if fit.misses_points:
        return where
    return f"{where}, as it does when a resource runs out, not as contention would slow it"


def _without_reduced(fits: Mapping[str, ScalingFit], *, superlinear: bool) -> tuple[dict[str, ScalingFit], list[str]]:
    """Drop laws that ended up as a simpler one, and say so."""
    left, reasons = dict(fits), []
    for name in reversed(list(fits)):
        simpler = next((law for law in LAWS[name].simpler if law in fits), None)
        if simpler and _is_reduced(fits[name]):
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
            preferred = votes if len(known) == len(values) else partial
            preferred[word] = min(known, key=lambda name: (known[name], len(LAWS[name].parameters)))
    return {word: votes[word] for word in _WORDS if word in votes}, partial


def _tested(fits: Mapping[str, ScalingFit], tests: Sequence[NestedTest]) -> str:
    """Go up the chain of laws as long as each explains significantly more than the last."""
    pvalues = {(test.simpler, test.richer): test.pvalue for test in tests}
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
    reasons = [
        f"{_listed(words)} {'prefers' if len(words) == 1 else 'prefer'} {LAWS[name].title}"
        for name, words in sides.items()
    ]
    reasons += [f"{word}, where it can be computed, prefers {LAWS[name].title}" for word, name in partial.items()]
    among = _listed([LAWS[name].title for name in fits])
    return [f"{', '.join(reasons)} (among {among}, {fits[law].n} measurements)"]


def _superlinear_caveats(fits: Mapping[str, ScalingFit]) -> list[Caveat]:
    """Name the first loss that is below 0 by more than chance: one-sided t, shared among the laws asked."""
    superlinear = []
    asked = [fit for fit in fits.values() if len(LAWS[fit.law].parameters) > 1]
    for fit in asked:
        pvalue = _below_zero(fit, 1)
        if pvalue < _SIGNIFICANT / len(asked):
            superlinear.append((pvalue, fit))
    if not superlinear:
        return []
    pvalue, fit = min(superlinear, key=lambda pair: pair[0])
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


# Laws that describe a curve about as well as the chosen one, and say something else beyond the data.


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A law outside the vote that describes the curve about as well as the chosen one."""

    law: str
    criterion: str  # what it was compared by: ``AIC``
    difference: float  # its criterion less that of the chosen law: below 0 it describes the points better
    message: str  # what it says otherwise, with both numbers


def _find_rivals(chosen: ScalingFit, others: Sequence[ScalingFit]) -> tuple[Rival, ...]:
    """Return the laws whose AIC is lower than that of the chosen one, or within 2 of it.

    A law that contains the chosen one comes within 2 by its one more parameter alone, whatever the
    points say: it has to be lower. One that ended up as a simpler law is none of its own.

    K. P. Burnham and D. R. Anderson, "Model Selection and Multimodel Inference", 2nd edition, Springer
    2002, page 70. T. W. Arnold, "Uninformative parameters and model selection using Akaike's information
    criterion", Journal of Wildlife Management 74(6), 2010, 1175-1178.
    """
    rivals = []
    for fit in others:
        if fit.law == chosen.law or _is_reduced(fit):
            continue
        difference = fit.criteria.aic - chosen.criteria.aic
        if difference < 0 or (difference <= _AS_GOOD and chosen.law not in LAWS[fit.law].simpler):
            rivals.append(
                Rival(law=fit.law, criterion="AIC", difference=difference, message=_message(chosen, fit, difference))
            )
    return tuple(sorted(rivals, key=lambda rival: rival.difference))


def _is_reduced(fit: ScalingFit) -> bool:
    """Say whether a law ended up as a simpler one: its last loss is 0, or its plateau lies beyond the data."""
    if fit.law == "plateau":
        return fit.coefficients[-1] >= fit.measured_range[1]
    return fit.coefficients[-1] == LAWS[fit.law].lower[-1] == 0


def _message(chosen: ScalingFit, fit: ScalingFit, difference: float) -> str:
    """Tell two laws apart at the end of what may be asked."""
    better = f"better (AIC {-difference:.1f} lower)" if difference < 0 else f"as well (AIC {difference:.1f} higher)"
    furthest = EXTRAPOLATION_LIMIT * fit.measured_range[1]
    ours, theirs = (float(predict(own, furthest).throughput[0]) for own in (chosen, fit))
    return (
        f"{LAWS[fit.law].title} describes the points {better}: at N = {furthest:g} it expects {theirs:.4g} {fit.unit}, "
        f"not {ours:.4g}"
    )


# What a law leaves over: every measurement against the fitted curve, and how far chance reaches.
