"""The top of a study of effects: what a factor costs and which one matters, and the whole answer as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from benchlib.answers.effects import EffectsAnswer
from benchlib.answers.effects.plain import effects_document
from benchlib.answers.refusal import Refusal
from benchlib.answers.serial import SCHEMA_VERSION, to_dict
from benchlib.report.wording.effects_words import importance_words
from benchlib.report.wording.headline import STATUS_CLASSES, effects_cards
from benchlib.report.wording.markup import paragraph, tag
from benchlib.report.wording.record import Record
from benchlib.report.wording.sentences import effects_verdict
from benchlib.report.wording.words import count
from benchlib.study import Study

__all__ = ["effects_banner", "effects_record", "study_verdict"]

_WHY = {
    "WARN": "Read the alerts before acting on this.",
    "NO TARGETS": "This page holds costs against what causes them; it checks no target.",
}


def study_verdict(answer: EffectsAnswer | Refusal) -> str:
    """Answer what the factors cost and which one matters, or say why that cannot be answered."""
    if isinstance(answer, Refusal):
        return f"Not answered: {answer.reason}. To answer it: {answer.advice}."
    told = importance_words(answer.models[0]) if answer.models else ""
    return f"{effects_verdict(answer)}{f' {told[0].upper()}{told[1:]}.' if told else ''}"


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
    told = {
        "schema": SCHEMA_VERSION,
        "title": study.title,
        "status": _status(answer),
        "verdict": study_verdict(answer),
        "cards": to_dict(list(effects_cards(answer))) if isinstance(answer, EffectsAnswer) else [],
    }
    effects = effects_document(answer) if isinstance(answer, EffectsAnswer) else to_dict(answer)
    caveats = answer.caveats if isinstance(answer, EffectsAnswer) else ()
    return Record(
        answers={**told, "answers": {**to_dict({"parameters": dict(parameters), "study": study}), "effects": effects}},
        summary=f"{told['status']}: {told['verdict']} ({count(len(caveats), 'caveat')})",
    )


def _status(answer: EffectsAnswer | Refusal) -> str:
    alert = isinstance(answer, EffectsAnswer) and any(one.severity == "alert" for one in answer.caveats)
    return "WARN" if alert else "NO TARGETS"
