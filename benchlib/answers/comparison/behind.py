"""What stands behind a statement on many rows of a comparison, or on many runs."""

from __future__ import annotations

from benchlib.answers.comparison.answer import ComparisonAnswer
from benchlib.answers.comparison.repeatability import RepeatabilityAnswer
from benchlib.answers.evidence import Evidence, pool

__all__ = ["comparison_evidence", "repeats_evidence"]


def comparison_evidence(answer: ComparisonAnswer) -> Evidence:
    """Return the rows of both sides of every row of a comparison."""
    return pool(
        (row.evidence for row in answer.rows),
        "row by row the median of the candidate over the median of the baseline, its interval and its p value; "
        "then counts, geometric means and limits over the rows, and what controls and guards leave of the verdicts",
    )


def repeats_evidence(answer: RepeatabilityAnswer) -> Evidence:
    """Return the rows of every benchmark that was run again."""
    return pool((row.evidence for row in answer.rows), "row by row the largest over the smallest median of a run")
