"""The answers of a report as data, carried inside the executed notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.pooled import add_evidence, tallies
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.report.wording.cards.choice import cards
from benchlib.report.wording.headline import verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What becomes ``answers.json``.

    Attributes
    ----------
    answers : mapping
        JSON data: the words of the headline and every answer.
    summary : str
        What a notebook shows in its place.
    """

    answers: Mapping[str, Any]
    summary: str


def record(summary: ExecutiveSummary) -> Record:
    """Return the answers of an executive summary for the end of a notebook."""
    told = {
        "schema": SCHEMA_VERSION,
        "title": summary.study.title,
        "status": summary.status,
        "verdict": verdict(summary),
        "cards": to_dict(cards(summary)),
    }
    answers = {**add_evidence(to_dict(summary), summary), "tallies": to_dict(tallies(summary))}
    return Record(
        answers={**told, "answers": answers},
        summary=f"{summary.status}: {told['verdict']} ({len(summary.caveats)} caveats)",
    )
