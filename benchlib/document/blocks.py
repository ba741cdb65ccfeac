"""The blocks that say an answer. Renderers know these and nothing else.

A number stays a number until it is rendered: it carries its unit, its interval and the rows behind it, so nothing is
ever parsed back out of prose. Blocks are msgspec structs, so a document travels through a notebook as JSON.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct, structs

from benchlib.answers.evidence import Evidence

__all__ = [
    "DECK",
    "DOCUMENT",
    "Block",
    "Cell",
    "Code",
    "Column",
    "Confidence",
    "Deck",
    "Document",
    "Doubt",
    "Fact",
    "Figure",
    "Fold",
    "Html",
    "Link",
    "List",
    "NodeKind",
    "NodeLevel",
    "NodeLoad",
    "Number",
    "Panel",
    "Paragraph",
    "Section",
    "Slide",
    "Table",
    "Text",
    "WhatIf",
    "deck_from_json",
    "from_json",
    "to_json",
]

#: The MIME type under which a notebook hands out a document.
DOCUMENT = "application/vnd.benchlib.document+json"
DECK = "application/vnd.benchlib.deck+json"

#: How sure an answer is, in one word.
Level = Literal["high", "medium", "low", "none"]
#: What became of the question of a study.
Status = Literal["Answered", "Answered, with doubts", "Cannot tell", "Target missed", "Failed"]


class Number(Struct, frozen=True, kw_only=True, tag=True):
    """A value that is written when it is rendered (`benchlib.document.numbers.write`).

    ``unit`` is a base unit, ``"ratio"`` (written as percent), ``"x"`` (times) or ``""`` (a count). ``bare`` leaves the
    unit to the sentence around it; ``digits`` are significant digits, where the rule is not to choose them.
    """

    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    digits: int | None = None
    bare: bool = False
    evidence: Evidence | None = None


class Link(Struct, frozen=True, tag=True):
    """Words that lead to a place of the page."""

    words: str
    anchor: str


class Code(Struct, frozen=True, tag=True):
    """A command, a file or a name as it is typed."""

    words: str


#: Words with numbers among them.
Text = tuple[str | Number | Link | Code, ...]


class Paragraph(Struct, frozen=True, kw_only=True, tag=True):
    """One paragraph; ``muted`` for what explains a table or figure."""

    text: Text
    muted: bool = False


class List(Struct, frozen=True, kw_only=True, tag=True):
    """Items, one a line."""

    items: tuple[Text, ...]


class Column(Struct, frozen=True, kw_only=True):
    """A column of a table: numbers of one unit share a scale, which stands in the head."""

    head: str
    unit: str = ""
    kind: Literal["words", "number", "interval"] = "words"


#: A cell: words, one number, or nothing measured.
Cell = str | Number | Text | None


class Table(Struct, frozen=True, kw_only=True, tag=True):
    """Rows under heads; what is beyond ``shown`` rows is folded."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    shown: int = 8


class Panel(Struct, frozen=True, kw_only=True):
    """One plotly chart as JSON, with a title and a line above it."""

    chart: dict[str, Any]
    title: str = ""
    line: str = ""


class Figure(Struct, frozen=True, kw_only=True, tag=True):
    """Panels side by side, or one below the other where there is no room, under the sentence that they show."""

    finding: Text
    panels: tuple[Panel, ...]
    alt: str
    note: str = ""


class Fold(Struct, frozen=True, kw_only=True, tag=True):
    """Blocks behind a line that opens."""

    line: Text
    blocks: tuple[Block, ...]
    anchor: str = ""


class Doubt(Struct, frozen=True, kw_only=True, tag=True):
    """What could be wrong, in one sentence, and what would settle it."""

    anchor: str
    text: Text
    fix: Text


class Html(Struct, frozen=True, kw_only=True, tag=True):
    """Markup that the author of a notebook showed; the check of the page judges it."""

    markup: str


class NodeLevel(Struct, frozen=True, kw_only=True):
    """What one node does at a level: the latency there, and what it delivers in each share of the draws."""

    level: float
    latency: float | None
    rates: tuple[float, ...]


class NodeKind(Struct, frozen=True, kw_only=True):
    """A kind of node under one load: its levels, and what one costs by month."""

    name: str
    levels: tuple[NodeLevel, ...]
    price: float | None


class NodeLoad(Struct, frozen=True, kw_only=True):
    """A load of a plan: its unit as it is shown, its target, and the kinds of node for it."""

    name: str
    unit: str
    target: float
    kinds: tuple[NodeKind, ...]


class WhatIf(Struct, frozen=True, kw_only=True, tag=True):
    """A plan whose settings a reader moves; ``still`` is what stands in its place where no script runs."""

    loads: tuple[NodeLoad, ...]
    headroom: float
    survive: int
    limit: float | None
    metric: str
    axis: tuple[str, str]
    currency: str
    still: Table


Block = Paragraph | List | Table | Figure | Fold | Doubt | Html | WhatIf


class Slide(Struct, frozen=True, kw_only=True):
    """One message, the blocks that show it, and what a speaker says beside it."""

    title: Text
    blocks: tuple[Block, ...]
    notes: tuple[Text, ...] = ()


class Deck(Struct, frozen=True, kw_only=True):
    """The slides of a talk, and those that answer questions after it."""

    title: str
    about: tuple[str, ...]
    slides: tuple[Slide, ...]
    appendix: tuple[Slide, ...]
    #: The answers behind it, as of a document.
    answers: dict[str, Any] = msgspec.field(default_factory=dict)


class Section(Struct, frozen=True, kw_only=True):
    """Blocks under a heading."""

    title: str
    anchor: str
    blocks: tuple[Block, ...]


class Confidence(Struct, frozen=True, kw_only=True):
    """How sure the answer is, and the one reason."""

    level: Level
    reason: Text


class Fact(Struct, frozen=True, kw_only=True):
    """One of the three numbers of a first screen, with one plain line."""

    value: Text
    line: Text


class Document(Struct, frozen=True, kw_only=True):
    """The answer to one question: the first screen, then sections."""

    title: str
    about: tuple[str, ...]
    status: Status
    answer: Text
    decision: Text
    confidence: Confidence
    figure: Figure | None
    facts: tuple[Fact, ...]
    doubts: tuple[Link, ...]
    sections: tuple[Section, ...]
    #: The answers behind it; `answers.serialise.to_dict` makes answers.json of them.
    answers: dict[str, Any]


def to_json(part: Document | Deck | WhatIf) -> dict[str, Any]:
    """Return a document, a deck, or a part that a script reads, as JSON data, without the answers behind it.

    JSON has no infinity: a number that is none is a word there, and a gap in a chart.
    """
    if not isinstance(part, WhatIf):
        part = structs.replace(part, answers={})
    data: dict[str, Any] = _written(msgspec.to_builtins(part), in_chart=False)
    return data


def _written(data: Any, *, in_chart: bool) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return None if in_chart else str(data)
    if isinstance(data, dict):
        return {name: _written(value, in_chart=in_chart or name == "chart") for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_written(value, in_chart=in_chart) for value in data]
    return data


def from_json(data: Mapping[str, Any]) -> Document:
    """Return the document that `to_json` wrote."""
    return msgspec.convert(data, Document, strict=False)


def deck_from_json(data: Mapping[str, Any]) -> Deck:
    """Return the deck that `to_json` wrote."""
    return msgspec.convert(data, Deck, strict=False)


def numbers_in(part: object) -> Iterator[Number]:
    """Yield every number of a document or of one of its parts, in the order of reading."""
    if isinstance(part, Number):
        yield part
    elif isinstance(part, tuple):
        for inner in part:
            yield from numbers_in(inner)
    elif isinstance(part, Struct) and not isinstance(part, Link | Code):
        for name in part.__struct_fields__:
            yield from numbers_in(getattr(part, name))
