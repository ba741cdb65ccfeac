"""The executive summary as one document: the lead question first, everything else in one line each or folded."""

from __future__ import annotations

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.refusal import Refusal
from benchlib.tell import scaling
from benchlib.tell.document import Document
from benchlib.tell.lead import Lead, document_of

__all__ = ["executive"]


def executive(summary: ExecutiveSummary) -> Document:
    """Return the document of a study."""
    missed = any(target.status == "FAIL" for target in summary.targets)
    return document_of(summary.study, _lead(summary), summary.caveats, status="Target missed" if missed else None)


def _lead(summary: ExecutiveSummary) -> Lead:
    assert not isinstance(summary.scaling, Refusal)
    return scaling.lead(summary.scaling, summary.operating, summary.study)
