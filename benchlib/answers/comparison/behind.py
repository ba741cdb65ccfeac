"""What stands behind a statement on many rows of a comparison, or on many runs."""

from __future__ import annotations

from collections.abc import Mapping

from benchlib.answers.comparison.answer import ComparisonAnswer
from benchlib.answers.comparison.remarks import moved_caveat
from benchlib.answers.comparison.repeatability import RepeatabilityAnswer
from benchlib.answers.evidence import Evidence, pool
from benchlib.caveats import Caveat

__all__ = ["comparison_evidence", "control_evidence", "repeats_evidence"]


def comparison_evidence(answer: ComparisonAnswer) -> Evidence:
    """Return the rows of both sides of every row of a comparison."""
    return pool(
        (row.evidence for row in answer.rows),
        "row by row the median of the candidate over the median of the baseline, its interval and its p value; "
        "then counts, geometric means, limits and shares of an advantage over the rows, and what controls and guards "
        "leave of the verdicts",
    )


def control_evidence(answer: ComparisonAnswer) -> Mapping[Caveat, Evidence]:
    """Return what stands behind the caveat of each control that moved: its own rows in that metric.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/lplex"))[0]
    >>> [evidence.formula.split(";")[0] for evidence in control_evidence(answer).values()][0]
    'control by control the median of new over the median of old'
    """
    found: dict[Caveat, Evidence] = {}
    for one in answer.controls:
        own = moved_caveat(one)
        # A comparison puts its name before the message.
        found |= {said: one.evidence for said in answer.caveats if said.message.endswith(own.message)}
    return found


def repeats_evidence(answer: RepeatabilityAnswer) -> Evidence:
    """Return the rows of every benchmark that was run again."""
    return pool((row.evidence for row in answer.rows), "row by row the largest over the smallest median of a run")
