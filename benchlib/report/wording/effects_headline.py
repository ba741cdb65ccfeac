"""The top of a study of effects: what a factor costs and which one matters, and the whole answer as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.effects import EffectsAnswer, effects_document
from benchlib.answers.pooled import add_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.report.wording.cards.effects import effects_cards
from benchlib.report.wording.effects_words import importance_words
from benchlib.report.wording.headline import STATUS_CLASSES
from benchlib.report.wording.markup import paragraph, tag
from benchlib.report.wording.record import Record
from benchlib.report.wording.sentences import effects_verdict
from benchlib.report.wording.told import joined, told
from benchlib.report.wording.words import count
from benchlib.study import Study

_WHY = {
    "WARN": "Read the alerts before acting on this.",
    "NO TARGETS": "This page holds costs against what causes them; it checks no target.",
}


def study_verdict(answer: EffectsAnswer | Refusal) -> str:
    """Answer what the factors cost and which one matters, or say why that cannot be answered."""
    if isinstance(answer, Refusal):
        return f"Not answered: {answer.reason}. To answer it: {answer.advice}."
    shares = importance_words(answer.models[0]) if answer.models else ""
    if not shares:
        return effects_verdict(answer)
    of_variance = told(f" {shares[0].upper()}{shares[1:]}.", answer.models[0].evidence)
    return joined([effects_verdict(answer), of_variance])


def effects_banner(answer: EffectsAnswer) -> Markup:
    """Return the status in words, the verdict, and why the status is what it is."""
    status = _status(answer)
    return tag(
        "div",
        tag("strong", status),
        paragraph(study_verdict(answer), css="verdict-sentence"),
        paragraph(_WHY[status], css="verdict-why"),
        css=f"verdict verdict-{STATUS_CLASSES[status]}",
    )


def effects_record(study: Study, answer: EffectsAnswer | Refusal, parameters: Mapping[str, Any]) -> Record:
    """Return the answers of a study of effects for the end of a notebook."""
    head = {
        "schema": SCHEMA_VERSION,
        "title": study.title,
        "status": _status(answer),
        "verdict": str(study_verdict(answer)),
        "cards": to_dict(list(effects_cards(answer))) if isinstance(answer, EffectsAnswer) else [],
    }
    effects = _document(answer) if isinstance(answer, EffectsAnswer) else to_dict(answer)
    quality = assess_quality(study)
    caveats = answer.caveats if isinstance(answer, EffectsAnswer) else ()
    return Record(
        answers={
            **head,
            "answers": {
                **to_dict({"parameters": dict(parameters), "study": study}),
                "effects": effects,
                "quality": add_evidence(to_dict(quality), quality),
            },
        },
        summary=f"{head['status']}: {head['verdict']} ({count(len(caveats), 'caveat')})",
    )


def _document(answer: EffectsAnswer) -> dict[str, Any]:
    """Return an answer as its document, with the formula of each evidence beside its rows, cell by cell too."""
    document = effects_document(answer)
    for name in ("models", "breakdowns"):
        for plain, one in zip(document[name], getattr(answer, name), strict=True):
            plain["evidence"] = to_dict(one.evidence)
    for plain, model in zip(document["models"], answer.models, strict=True):
        plain["cell_evidence"] = to_dict(model.cell_evidence)
    return add_evidence(document, answer)


def _status(answer: EffectsAnswer | Refusal) -> str:
    alert = isinstance(answer, EffectsAnswer) and any(one.severity == "alert" for one in answer.caveats)
    return "WARN" if alert else "NO TARGETS"
