"""Sentences of earlier reports, and what the results say of each."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.claims import ClaimAnswer, Finding
from benchlib.answers.evidence import Evidence
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, table
from benchlib.report.wording.told import evident, told
from benchlib.report.wording.words import count, figure, interval, listed, metric_name
from benchlib.units import confidence

#: About -> what has to keep the bound.
_MEASURED = {
    "ratio": "candidate over baseline",
    "gain": "the factor by which the candidate is better",
    "speedup": "the speedup",
    "efficiency": "the efficiency",
    "slowest": "the mean of the slowest requests",
}
#: Rule -> what is recommended by it.
_BEST = {
    "knee": "the level of the best balance of speedup and efficiency",
    "throughput per core": "the level of the most throughput per core",
    "throughput per added core": "the step of the most throughput per added core",
}
#: What an interval of few values is by, as its method names it -> what stands with it.
_OF_FEW = {"Student's t": "Student's t", "Welch's interval": "Welch's t"}
#: Claims about these are bare numbers: factors, shares and levels.
_BARE = {"recommended": "g", "speedup": ".2f", "efficiency": ".2f"}


def claims_table(claims: Sequence[ClaimAnswer]) -> Table:
    """Claims with their verdicts, each with the place that decides it."""
    return table(
        "Claims of earlier reports, held against these results",
        ("claim", "verdict", "decided by", "measured", "interval"),
        (_claim(one) for one in claims),
        words=3,
    )


def _claim(claim: ClaimAnswer) -> tuple[str, ...]:
    said = f"“{claim.text}” {claim.source}. It holds if {_what(claim)} is {claim.bound}."
    verdict = f"{claim.verdict}: {claim.reason}" if claim.reason else claim.verdict
    if not claim.findings:
        return (said, verdict, NONE, NONE, NONE)
    one = next((one for one in claim.findings if one.verdict == claim.verdict), claim.findings[0])
    left = len(claim.findings) - 1
    return (said, verdict, one.place + (f", and {left} more" if left else ""), *_numbers(claim, one))


def places_table(claims: Sequence[ClaimAnswer]) -> Table | None:
    """What each place says of the claims that several places decide; None where one decides each."""
    several = [one for one in claims if len(one.findings) > 1]
    if not several:
        return None
    return table(
        "Every place that a claim speaks of",
        ("claim", "where", "verdict", "measured", "interval"),
        ((claim.text, one.place, one.verdict, *_numbers(claim, one)) for claim in several for one in claim.findings),
        words=3,
    )


def _numbers(claim: ClaimAnswer, one: Finding) -> tuple[str, str]:
    bounded = one.estimate.has_interval
    return (
        evident(_value(claim, one), one.evidence, one.estimate.value),
        evident(f"{_interval(claim, one)}{_by(one)}", one.evidence) if bounded else NONE,
    )


def _what(claim: ClaimAnswer) -> str:
    if claim.about == "median":
        return f"the median {metric_name(claim.metric)}"
    if claim.about == "recommended":
        return _BEST[claim.rule]
    level = f" at {claim.at:g}" if claim.at is not None else ""
    of = f" in {metric_name(claim.metric)}" if claim.metric else ""
    return f"{_MEASURED[claim.about]}{of}{level}"


def _value(claim: ClaimAnswer, one: Finding) -> str:
    if claim.about in _BARE:
        return f"{one.estimate.value:{_BARE[claim.about]}}"
    return figure(one.estimate, apart=_bounds(claim))


def _interval(claim: ClaimAnswer, one: Finding) -> str:
    if claim.about in _BARE:
        form = _BARE[claim.about]
        return f"{confidence(one.estimate.confidence_level)}: {one.estimate.low:{form}} to {one.estimate.high:{form}}"
    if claim.about == "slowest":
        return "no upper bound"
    return interval(one.estimate, _bounds(claim))


def _bounds(claim: ClaimAnswer) -> tuple[float, ...]:
    return tuple(one for one in (claim.low, claim.high) if one is not None)


def _by(one: Finding) -> str:
    """Name what bounds a few values: the sample itself stands elsewhere, as one too small for an interval."""
    named = [name for method, name in _OF_FEW.items() if method in one.estimate.method]
    return f", {named[0]} on {count(one.estimate.n, 'value')}" if named else ""


def claims_findings(claims: Sequence[ClaimAnswer], counted_by: Evidence) -> list[str]:
    """Say how many claims hold, and quote those that the results contradict.

    Examples
    --------
    >>> claims_findings((), Evidence(rows=(), formula=""))
    []
    """
    if not claims:
        return []
    counted = [
        f"{number} {verdict}"
        for verdict in ("supported", "contradicted", "not decided", "not testable")
        if (number := sum(one.verdict == verdict for one in claims))
    ]
    lines: list[str] = [told(f"Of {count(len(claims), 'claim')} of earlier reports: {listed(counted)}.", counted_by)]
    lines += [f"Contradicted: “{one.text}” ({one.source})" for one in claims if one.verdict == "contradicted"]
    return lines
