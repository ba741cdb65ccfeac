"""Earlier claims, checked: one table, the words of the source in quotation marks, others called paraphrased."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benchlib.answers.claims import ClaimAnswer, Finding
from benchlib.document.blocks import Block, Cell, Column, Fold, Number, Paragraph, Table, Text
from benchlib.document.words import count, listed, plain_name
from benchlib.tell.sentences import say

_VERDICTS = ("contradicted", "supported", "not decided", "not testable")
#: About -> unit of what is measured, where it is no quantity of its own.
_UNITS = {"ratio": "x", "gain": "x", "speedup": "x", "efficiency": "ratio", "recommended": ""}
#: Factors are held against bounds to three digits; a quantity follows the rule.
_DIGITS = 3


def folds(claims: Sequence[ClaimAnswer]) -> list[Block]:
    """Return the claims as one line that opens on their table; nothing without claims."""
    if not claims:
        return []
    verdicts = [claim.verdict for claim in claims]
    counts = listed([f"{verdicts.count(verdict)} {verdict}" for verdict in _VERDICTS if verdict in verdicts])
    ordered = sorted(claims, key=lambda claim: _VERDICTS.index(claim.verdict))
    columns = (
        Column(head="what was said"),
        Column(head="where"),
        Column(head="verdict"),
        Column(head="measured", kind="number"),
        Column(head="holds if"),
        Column(head="why"),
    )
    table = Table(
        caption="Earlier claims, held against these results",
        columns=columns,
        rows=tuple(_row(claim) for claim in ordered),
        shown=len(claims),
    )
    note: Text = ("In quotation marks: the words of the source. What is only paraphrased says so.",)
    return [Fold(line=say("claims", counts=counts), blocks=(Paragraph(text=note, muted=True), table), anchor="claims")]


def _row(claim: ClaimAnswer) -> tuple[Cell, ...]:
    said = f"{claim.text} (paraphrased)" if claim.paraphrased else f"“{claim.text}”"
    decisive = max((found for found in claim.findings if found.verdict == claim.verdict), key=_far(claim), default=None)
    measured = _number(claim, decisive) if decisive is not None else None
    return (said, claim.source, claim.verdict, measured, claim.bound, _why(claim, decisive))


def _far(claim: ClaimAnswer) -> Callable[[Finding], float]:
    """Return how far a place lies beyond the bound: of several the farthest is shown."""

    def far(found: Finding) -> float:
        value = found.estimate.value
        return max(
            value - claim.high if claim.high is not None else -math.inf,
            claim.low - value if claim.low is not None else -math.inf,
        )

    return far


def _number(claim: ClaimAnswer, found: Finding) -> Number:
    estimate = found.estimate
    unit = _UNITS.get(claim.about, estimate.unit)
    return Number(value=estimate.value, unit=unit, digits=_DIGITS, evidence=found.evidence)


def _why(claim: ClaimAnswer, decisive: Finding | None) -> Text:
    """Say what decides: the interval of the place, or the reason that there is none."""
    place = plain_name(decisive.place) if decisive is not None else ""
    if claim.reason or decisive is None:
        several = len(claim.findings) > 1
        return (f"{place}: {claim.reason}" if several and place else claim.reason,)
    unit = _UNITS.get(claim.about, decisive.estimate.unit)
    if not decisive.estimate.has_interval:
        return (place,)
    low, high = (
        Number(value=end, unit=unit, digits=_DIGITS, bare=bare)
        for end, bare in ((decisive.estimate.low, True), (decisive.estimate.high, False))
    )
    more = len(claim.findings) - 1
    return (f"{place}: 95% interval ", low, " to ", high, f"; {count(more, 'more place')}" if more else "")
