"""The top of a comparison's page: the verdict in three sentences, one status, and the whole answer as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, comparison_document, controls_moved
from benchlib.answers.pooled import add_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.repeatability import repeats_of_code
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.answers.targets import TargetAnswer, check_targets, doubt_times
from benchlib.report.wording.cards.comparison import comparison_cards
from benchlib.report.wording.comparison.sentences import told_lines
from benchlib.report.wording.headline import STATUS_CLASSES
from benchlib.report.wording.markup import paragraph, tag
from benchlib.report.wording.record import Record
from benchlib.report.wording.told import joined
from benchlib.report.wording.words import count, listed
from benchlib.study import Study

#: How the line begins that says what stands in the way of a verdict.
#: Comparisons that a verdict tells.
_TOLD = 2
_IN_THE_WAY = ("In the way", "Undecided")
_WHY = {
    "FAIL": "Missed: {missed}.",
    "WARN": "Read what is worse, and what stands in the way, before acting on this.",
    "PASS": "Every target is met and no alert stands{unsure}.",
    "NO TARGETS": "{known}{unsure}; the study sets no target to pass or fail.",
}


def checked_targets(study: Study, answers: Sequence[ComparisonAnswer]) -> tuple[TargetAnswer, ...]:
    """Return the targets of a study, those on time left open where the controls moved."""
    return doubt_times(check_targets(study), moved=controls_moved(study, answers))


def status_of(study: Study, answers: Sequence[ComparisonAnswer]) -> str:
    """Return FAIL for a missed target; WARN for an open one, a row that is worse, or an alert; else PASS."""
    statuses = {one.status for one in checked_targets(study, answers)}
    if "FAIL" in statuses:
        return "FAIL"
    worse = any(row.verdict == "worse" for one in answers for row in one.rows)
    alert = any(caveat.severity == "alert" for one in answers for caveat in one.caveats)
    if worse or alert or statuses & {"WARN", "NOT TESTED"}:
        return "WARN"
    return "PASS" if statuses else "NO TARGETS"


def comparison_verdict_words(answers: Sequence[ComparisonAnswer | Refusal]) -> str:
    """Answer the first comparisons in a sentence each and say what is in the way, or why none can be answered."""
    answered = [one for one in answers if isinstance(one, ComparisonAnswer)]
    said = [told_lines(one) for one in answered]
    if len(said) == 1:
        return joined(said[0], " ")
    if said:
        # What stands in the way of one stands in the way of the others as a rule: they are of the same recordings.
        ways = dict.fromkeys(lines[-1] for lines in said if len(lines) > 1 and lines[-1].startswith(_IN_THE_WAY))
        others = ["What other comparisons found stands below."] if len(said) > _TOLD else []
        return joined([*(lines[0] for lines in said[:_TOLD]), *others, *list(ways)[:1]], " ")
    refused = next((one for one in answers if isinstance(one, Refusal)), None)
    if refused is None:
        return "Not answered: the study names nothing to compare. To answer it: name a column and a baseline."
    return f"Not answered: {refused.reason}. To answer it: {refused.advice}."


def comparison_banner(study: Study, answers: Sequence[ComparisonAnswer]) -> Markup:
    """Return the status in words, the verdict, and why the status is what it is."""
    status = status_of(study, answers)
    missed = listed([one.name for one in checked_targets(study, answers) if one.status == "FAIL"])
    return tag(
        "div",
        tag("strong", status),
        paragraph(comparison_verdict_words(answers), css="verdict-sentence"),
        paragraph(_WHY[status].format(missed=missed, **_knowledge(answers)), css="verdict-why"),
        css=f"verdict verdict-{STATUS_CLASSES[status]}",
    )


def _knowledge(answers: Sequence[ComparisonAnswer]) -> dict[str, str]:
    """Say of how many rows nothing is known: that nothing was found worse says little where nothing could be found."""
    rows = [row for one in answers for row in one.rows if not row.control]
    unsure = sum(row.verdict == "cannot tell" for row in rows)
    if rows and unsure == len(rows):
        return {"known": "No alert stands", "unsure": ", but no row has a verdict"}
    open_ones = f", but {count(unsure, 'row')} of {len(rows):,} cannot be told" if unsure else ""
    return {"known": "Nothing is worse and no alert stands", "unsure": open_ones}


def comparison_record(
    study: Study, answers: Sequence[ComparisonAnswer | Refusal], parameters: Mapping[str, Any]
) -> Record:
    """Return the answers of a comparison for the end of a notebook."""
    answered = [one for one in answers if isinstance(one, ComparisonAnswer)]
    head = {
        "schema": SCHEMA_VERSION,
        "title": study.title,
        "status": status_of(study, answered),
        "verdict": str(comparison_verdict_words(answers)),
        "cards": to_dict([card for one in answered for card in comparison_cards(one, study.parallel)]),
    }
    document = comparison_document(answers, checked_targets(study, answered))
    for plain, one in zip(document["comparisons"], answered, strict=True):
        add_evidence(plain, one)
    quality, repeated = assess_quality(study), repeats_of_code(study)
    caveats = sum(len(one.caveats) for one in answered)
    return Record(
        answers={
            **head,
            "answers": {
                **to_dict({"parameters": dict(parameters), "study": study}),
                **document,
                "quality": add_evidence(to_dict(quality), quality),
                "repeatability": add_evidence(to_dict(repeated), repeated) if repeated else None,
            },
        },
        summary=f"{head['status']}: {head['verdict']} ({count(caveats, 'caveat')})",
    )
