"""What every first screen must keep to, whatever its question."""

from __future__ import annotations

import re

from benchlib.render.terminal import terminal
from benchlib.tell.document import Document, Number, Text, numbers_in
from benchlib.tell.lead import Lead
from benchlib.tell.numbers import write

#: An identifier: an underscore within a word, or a capital after a small letter.
_IDENTIFIER = re.compile(r"\w_\w|[a-z][A-Z]")


def read(text: Text) -> str:
    """Words as a reader sees them."""
    return "".join(write(part) if isinstance(part, Number) else getattr(part, "words", part) for part in text)


def check_lead(lead: Lead) -> None:
    """Hold a first screen to its lengths, its numbers to their evidence, its words to plain English."""
    answer, decision = read(lead.answer), read(lead.decision)
    assert len(answer.split()) <= 25, answer
    assert len(decision.split()) <= 20, decision
    assert len(read(lead.confidence.reason).split()) <= 15
    numbers = list(numbers_in(lead.answer))
    assert len(numbers) <= 3, answer
    assert all(number.evidence is not None for number in numbers if number.value not in (100.0, 20.0)), answer
    assert not _IDENTIFIER.search(answer + decision), answer + decision
    assert answer[0] == answer[0].upper()
    assert answer.endswith(".")
    assert decision.endswith(".")
    assert len(lead.facts) <= 3
    for fact in lead.facts:
        assert all(number.evidence is not None for number in numbers_in(fact.value))


def check_document(document: Document) -> None:
    """Hold a document to what its renderers need."""
    text = terminal(document, full=True, width=100)
    assert text.replace("\n", "").isprintable()
    assert "None" not in text
    assert len(document.facts) <= 3
    anchors = [section.anchor for section in document.sections]
    assert len(anchors) == len(set(anchors))
