"""What one question says first, and how that becomes a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchlib.caveats import Caveat
from benchlib.study import Study
from benchlib.tell.document import (
    Block,
    Confidence,
    Document,
    Fact,
    Figure,
    Number,
    Paragraph,
    Section,
    Status,
    Table,
    Text,
)
from benchlib.tell.doubts import doubts, links

__all__ = ["Lead", "document_of", "said_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The answer to one question: the first screen, and the evidence behind it.

    ``note`` explains the table in a line; ``values`` are the numbers that a sentence in study.toml can name.
    """

    answer: Text
    decision: Text
    confidence: Confidence
    figure: Figure | None
    facts: tuple[Fact, ...]
    table: Table | None
    note: Text = ()
    values: Mapping[str, Number]


def document_of(
    study: Study,
    lead: Lead,
    caveats: Iterable[Caveat],
    *,
    found: Sequence[Block] = (),
    next_steps: Sequence[Block] = (),
    folded: Sequence[Section] = (),
    status: Status | None = None,
) -> Document:
    """Return the document of one question: six sections, those without blocks left out."""
    caveats = tuple(caveats)
    evidence: list[Block] = [Paragraph(text=lead.note, muted=True)] if lead.note else []
    evidence += [lead.table] if lead.table is not None else []
    sections = (
        Section(title="Evidence", anchor="evidence", blocks=tuple(evidence)),
        Section(title="Other findings", anchor="findings", blocks=tuple(found)),
        Section(title="What could be wrong", anchor="wrong", blocks=doubts(caveats)),
        Section(title="Measure next", anchor="next", blocks=tuple(next_steps)),
        *folded,
    )
    return Document(
        title=study.title,
        about=said_of(study),
        status=status or _status(lead.confidence),
        answer=lead.answer,
        decision=lead.decision,
        confidence=lead.confidence,
        figure=lead.figure,
        facts=lead.facts[:3],
        doubts=links(caveats),
        sections=tuple(section for section in sections if section.blocks),
    )


def said_of(study: Study) -> tuple[str, ...]:
    """Return the line above an answer: study, machine, date, commit."""
    facts = study.environment
    machine = [str(facts[key]) for key in ("machine", "cpu") if key in facts]
    cores = [f"{facts['cores']} cores"] if "cores" in facts else []
    measured = [f"measured {facts['date']}"] if "date" in facts else []
    commit = [f"commit {facts['commit']}"] if "commit" in facts else []
    return (study.title, *dict.fromkeys(machine), *cores, *measured, *commit)


def _status(confidence: Confidence) -> Status:
    if confidence.level == "none":
        return "Cannot tell"
    return "Answered" if confidence.level == "high" else "Answered, with doubts"
