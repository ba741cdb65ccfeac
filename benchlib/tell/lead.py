"""What one question says first, and how that becomes a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import structs

from benchlib.answers.grouping import place_axes
from benchlib.answers.serialise import SCHEMA_VERSION
from benchlib.caveats import Caveat
from benchlib.document.blocks import (
    Block,
    Cell,
    Code,
    Column,
    Confidence,
    Document,
    Fact,
    Figure,
    Level,
    Number,
    Paragraph,
    Section,
    Status,
    Table,
    Text,
)
from benchlib.document.numbers import words_of
from benchlib.document.words import count, plain_name
from benchlib.study import Study
from benchlib.tell.doubts import doubts, links, other_doubts, short
from benchlib.tell.sentences import begun, percents, say

__all__ = ["measurement"]

#: A description of so many characters is a name.
_SHORT_NAME = 18
#: So many repeats lower no confidence.
_ENOUGH_RUNS = 5


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


def refused(reason: str, advice: str, *, what: str = "answer", verb: str = "decide") -> Lead:
    """Return what is said where a question has no answer."""
    return Lead(
        answer=say("refused", what=what, reason=percents(reason)),
        decision=say("not_yet", verb=verb, advice=percents(advice)),
        confidence=Confidence(level="none", reason=("nothing was measured that answers it.",)),
        figure=None,
        facts=(),
        table=None,
        values={},
    )


def measurement(command: str) -> Text:
    """Return how to measure: a command as code; where none is known, the words that stand for it as a sentence."""
    return begun((f"{command}.",)) if command.startswith("measure at ") else (Code(command),)


#: Where level and time cannot be told apart, whatever is recommended may be what the machine did meanwhile.
LEVEL_IS_TIME = "level-is-time"
#: Runs of the same code differ in most cells.
NOISY = "noisy-machine"


def in_order(caveats: Iterable[Caveat]) -> Caveat | None:
    """Return the doubt that levels were measured one after the other, in their order."""
    return next((caveat for caveat in caveats if caveat.code == LEVEL_IS_TIME), None)


def repeats(n: int, study: Study) -> str:
    """Count repeats in words: as runs where each value of a configuration has a run of its own, else as values."""
    frame = study.results.frame
    shared = frame.duplicated([*place_axes(frame), "metric", "run"]).any()
    return count(n, "value" if shared else "run")


def confidence_in(n: int, each: str, caveats: Iterable[Caveat], biases: Sequence[str]) -> Confidence:
    """Return what ``n`` repeats are worth, ``each`` in words; no repeats make up for ``biases``, the gravest first."""
    if n == 1:
        return Confidence(level="low", reason=say("confidence.single"))
    by_code = {caveat.code: caveat for caveat in reversed(tuple(caveats))}
    bias = next((by_code[code] for code in biases if code in by_code), None)
    if bias is not None:
        level: Level = "low" if bias.code in (LEVEL_IS_TIME, NOISY) else "medium"
        return Confidence(level=level, reason=say("confidence.bias", n=each, doubt=short(bias)))
    if n < _ENOUGH_RUNS:
        return Confidence(level="medium", reason=say("confidence.few", n=each))
    return Confidence(level="high", reason=say("confidence.high", n=each))


def document_of(
    study: Study,
    lead: Lead,
    caveats: Iterable[Caveat],
    *,
    found: Sequence[Block] = (),
    next_steps: Sequence[Block] = (),
    folded: Sequence[Section] = (),
    status: Status | None = None,
    answers: object = None,
    gate: str = "",
) -> Document:
    """Return the document of one question: six sections, those without blocks left out.

    ``answers`` become answers.json, with what the first screen says; ``gate`` is what stops a scheduled run.
    """
    caveats = tuple(caveats)
    evidence: list[Block] = [Paragraph(text=lead.note, muted=True)] if lead.note else []
    evidence += [_without_empty(lead.table)] if lead.table is not None else []
    others = other_doubts(caveats)
    wrong: tuple[Block, ...] = (*doubts(caveats), *([Paragraph(text=(others,), muted=True)] if others else []))
    sections = (
        Section(title="Evidence", anchor="evidence", blocks=tuple(evidence)),
        Section(title="Other findings", anchor="findings", blocks=tuple(found)),
        Section(title="What could be wrong", anchor="wrong", blocks=wrong),
        Section(title="Measure next", anchor="next", blocks=tuple(next_steps)),
        *folded,
    )
    document = Document(
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
        answers={},
    )
    said = {
        "schema": SCHEMA_VERSION,
        "title": study.title,
        "status": document.status,
        "answer": words_of(document.answer),
        "decision": words_of(document.decision),
        "confidence": document.confidence.level,
        "gate": gate or ("" if document.status == "Answered" else "warn"),
        "measured": str(study.environment.get("date", ""))[:10],
        "spark": _spark(document),
    }
    return structs.replace(document, answers={**said, "answers": answers})


def _without_empty(table: Table) -> Table:
    """Return a table without the columns that no row has anything in."""

    def empty(cell: Cell, column: Column) -> bool:
        return cell is None or (column.kind == "interval" and isinstance(cell, Number) and cell.low is None)

    places = [
        at
        for at, column in enumerate(table.columns)
        if at == 0 or not table.rows or not all(empty(row[at], column) for row in table.rows)
    ]
    return structs.replace(
        table,
        columns=tuple(table.columns[at] for at in places),
        rows=tuple(tuple(row[at] for at in places) for row in table.rows),
    )


def _spark(document: Document) -> list[float]:
    """Return the values of the first line of the first chart, for the list of reports."""
    panels = document.figure.panels if document.figure is not None else ()
    lines = [trace for panel in panels for trace in panel.chart["data"] if "lines" in str(trace.get("mode"))]
    values = lines[0]["y"] if lines else []
    if len(set(values)) < 2 or not all(isinstance(value, int | float) for value in values):
        return []  # places on an axis of names are no curve
    return [float(value) for value in values]


def level_name(study: Study, factor: str, level: object) -> str:
    """Return a level by its description, where that is short, or without the marks of an identifier."""
    described = study.descriptions.levels.get(factor, {}).get(str(level), "")
    return described if 0 < len(described) <= _SHORT_NAME else plain_name(str(level))


def said_of(study: Study) -> tuple[str, ...]:
    """Return the line above an answer: study, machine, date, commit."""
    facts = study.environment
    machine = list(dict.fromkeys(str(facts[key]) for key in ("machine", "cpu") if key in facts))
    cores = [f"{facts['cores']} cores"] if "cores" in facts else []
    measured = [f"measured {str(facts['date'])[:10]}"] if "date" in facts else []
    commit = [f"commit {facts['commit']}"] if "commit" in facts else []
    return (study.title, *dict.fromkeys(machine), *cores, *measured, *commit)


def _status(confidence: Confidence) -> Status:
    if confidence.level == "none":
        return "Cannot tell"
    return "Answered" if confidence.level == "high" else "Answered, with doubts"
