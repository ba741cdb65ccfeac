"""Documents as HTML: one function a block, and the evidence that their numbers cite."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from benchlib.answers.evidence import Evidence, choose, count_values, evidence_key, source_of
from benchlib.document.blocks import (
    Cell,
    Code,
    Column,
    Document,
    Doubt,
    Fact,
    Figure,
    Fold,
    Html,
    Link,
    List,
    Number,
    Paragraph,
    Section,
    Table,
    Text,
    WhatIf,
    to_json,
)
from benchlib.document.numbers import column_scales, write, write_cell
from benchlib.render.seen import inert_chart

__all__ = ["tag"]

#: Filled bars of the confidence meter.
_BARS = {"high": 3, "medium": 2, "low": 1, "none": 0}
#: Status -> its class.
STATUS = {
    "Answered": "good",
    "Answered, with doubts": "so-so",
    "Cannot tell": "none",
    "Target missed": "bad",
    "Failed": "bad",
}
#: Significant digits of a measured value in the list behind a number: enough to work out what is said of it.
_MEASURED_DIGITS = 6
#: Characters of a fold that stand in the page as they are.
_LONG_FOLD = 1500
#: Values of that list that a page holds; answers.json has more.
_MOST_VALUES = 5


def tag(name: str, *content: object, **attributes: object) -> Markup:
    """Return an element; text is escaped, ``css`` is its class and ``data_x`` the attribute ``data-x``."""
    given = "".join(
        f' {("class" if key == "css" else key).replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None and value != ""
    )
    return Markup(f"<{name}{given}>") + Markup("").join(map(escape, content)) + Markup(f"</{name}>")


@dataclass
class HtmlWriter:
    """Writes blocks, and collects what they refer to by number: evidence, charts, and the rows that a table folds."""

    evidence: list[dict[str, Any]] = field(default_factory=list)
    charts: list[dict[str, Any]] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    # ---- words ----

    def text(self, text: Text) -> Markup:
        """Write words with numbers among them."""
        return Markup("").join(self._part(part) for part in text)

    def _part(self, part: str | Number | Link | Code) -> Markup:
        if isinstance(part, Number):
            return self.number(part)
        if isinstance(part, Link):
            return tag("a", part.words, href=f"#{part.anchor}")
        if isinstance(part, Code):
            return tag("code", part.words)
        return escape(part)

    def number(self, shown: Number, words: str = "") -> Markup:
        """Write a number as something that opens the rows behind it."""
        words = words or write(shown)
        if shown.evidence is None:
            return escape(words)
        return tag("span", words, css="number", data_e=self._place(shown.evidence))

    def _place(self, evidence: Evidence) -> int:
        key = evidence_key(evidence)
        if key not in self._places:
            self._places[key] = len(self.evidence)
            self.evidence.append(_shown(evidence))
        return self._places[key]

    # ---- blocks ----

    def blocks(self, blocks: Iterable[object]) -> Markup:
        """Write blocks one after the other."""
        return Markup("\n").join(self.block(block) for block in blocks)

    def block(self, block: object) -> Markup:
        """Write one block."""
        match block:
            case Paragraph():
                return tag("p", self.text(block.text), css="muted" if block.muted else "")
            case List():
                return tag("ul", *(tag("li", self.text(item)) for item in block.items))
            case Table():
                return self.table(block)
            case Figure():
                return self.figure(block)
            case Fold():
                return self._fold(block)
            case Html():
                return Markup(block.markup)
            case Doubt():
                fix = tag("span", "Fix: ", self.text(block.fix), css="fix")
                return tag("p", self.text(block.text), " ", fix, css="doubt", id=block.anchor)
            case WhatIf():
                return self.what_if(block)
        raise TypeError(f"no block: {type(block).__name__}")

    def _fold(self, fold: Fold) -> Markup:
        """Write blocks behind a line; long ones are packed away until a reader opens them."""
        content, line = self.blocks(fold.blocks), tag("summary", self.text(fold.line))
        if len(content) < _LONG_FOLD:
            return tag("details", line, content, id=fold.anchor)
        self.rows.append(str(content))
        return tag("details", line, id=fold.anchor, data_rows=len(self.rows) - 1)

    def figure(self, figure: Figure) -> Markup:
        """Write a figure: its finding, its panels, its note."""
        panels = []
        for panel in figure.panels:
            self.charts.append(inert_chart(panel.chart))
            height = panel.chart["layout"].get("height", 260)
            head = [tag("p", panel.title, css="panel-title")] if panel.title else []
            head += [tag("p", panel.line, css="panel-line")] if panel.line else []
            plot = tag("div", css="plot", data_chart=len(self.charts) - 1, style=f"height:{height}px")
            panels.append(tag("div", *head, plot, css="panel"))
        note = [tag("figcaption", figure.note)] if figure.note else []
        finding = [tag("p", self.text(figure.finding), css="finding")] if figure.finding else []
        group = tag("div", *panels, css="panels", role="img", aria_label=figure.alt)
        return tag("figure", *finding, group, *note)

    def table(self, table: Table) -> Markup:
        """Write a table; the rows beyond those shown are a second body that opens."""
        scales = column_scales(table)
        heads = [
            tag("th", _head(column, unit), scope="col", css="" if column.kind == "words" else "num")
            if column.head
            else tag("td")
            for column, (_, unit) in zip(table.columns, scales, strict=True)
        ]
        rows = [
            tag(
                "tr",
                *(
                    self._cell(cell, column, like)
                    for cell, column, (like, _) in zip(row, table.columns, scales, strict=True)
                ),
            )
            for row in table.rows
        ]
        bodies = [tag("tbody", *rows[: table.shown])]
        if rows[table.shown :]:
            bodies.append(tag("tbody", css="more", data_rows=len(self.rows), data_label=f"All {len(rows):,} rows"))
            self.rows.append("".join(rows[table.shown :]))
        whole = tag("table", tag("caption", table.caption), tag("thead", tag("tr", *heads)), *bodies)
        return tag("div", whole, css="table-box", tabindex="0", role="group", aria_label=table.caption)

    def _cell(self, cell: Cell, column: Column, like: float) -> Markup:
        css = "num" if column.kind != "words" else ""
        if isinstance(cell, tuple):
            return tag("td", self.text(cell))
        if isinstance(cell, str):
            return tag("td", cell, css=css)
        words = write_cell(cell, column, like)
        if cell is None or column.kind == "interval":
            return tag("td", words, css=css)
        return tag("td", self.number(cell, words), css="num", data_v=f"{cell.value:.12g}")

    def what_if(self, block: WhatIf) -> Markup:
        """Write a plan as a table; its data beside it, from which ``what_if.js`` makes sliders."""
        data = json.dumps(to_json(block), ensure_ascii=True, sort_keys=True)
        return tag("div", tag("div", self.table(block.still), css="still"), css="what-if", data_what_if=data)

    # ---- the document ----

    def first_screen(self, document: Document, *, with_figure: bool = True) -> Markup:
        """Write what a reader sees first: answer, decision, confidence, chart, three numbers, doubts."""
        about = tag("p", *(tag("span", words) for words in document.about), css="about")
        status = tag("p", document.status, css=f"status {STATUS[document.status]}")
        bars = [tag("i", css="on" if place < _BARS[document.confidence.level] else "off") for place in range(3)]
        meter = tag("span", *bars, css="meter", aria_hidden="true")
        sure = [tag("strong", document.confidence.level.capitalize()), ": ", self.text(document.confidence.reason)]
        said = tag(
            "dl",
            tag("dt", "Decision"),
            tag("dd", self.text(document.decision)),
            tag("dt", "Confidence"),
            tag("dd", meter, *sure),
            css="said",
        )
        figure = [self.figure(document.figure)] if document.figure is not None and with_figure else []
        facts = tag("div", *(self._fact(fact) for fact in document.facts), css="facts")
        doubts = []
        if document.doubts:
            links = Markup(" · ").join(self._part(link) for link in document.doubts)
            doubts = [tag("p", "Could change this answer: ", links, css="doubts")]
        return tag(
            "section",
            tag("div", about, status, css="top"),
            tag("h1", self.text(document.answer)),
            said,
            tag("div", *figure, facts, css="shown"),
            *doubts,
            css="answer",
            id="answer",
        )

    def _fact(self, fact: Fact) -> Markup:
        return tag(
            "div", tag("p", self.text(fact.value), css="value"), tag("p", self.text(fact.line), css="line"), css="fact"
        )

    def section(self, section: Section) -> Markup:
        """Write a section with its heading."""
        return tag("section", tag("h2", section.title), self.blocks(section.blocks), id=section.anchor)


def _head(column: Column, unit: str) -> Markup:
    return escape(column.head) + (tag("small", f" {unit}") if unit else Markup(""))


def _shown(evidence: Evidence) -> dict[str, Any]:
    """Return what a page shows behind a number: the values, each with its place; else as many places."""
    n = count_values(evidence)
    if evidence.values:
        like = evidence.values[0][1]
        rows = [
            [place, write(Number(value=value, unit=evidence.unit, digits=_MEASURED_DIGITS), like)]
            for place, value in evidence.values[:_MOST_VALUES]
        ]
        return {"formula": evidence.formula, "n": n, "rows": rows, "more": n - len(rows)}
    rows = [
        [evidence.rows[place], ""] for place in choose([(source_of(row), 0) for row in evidence.rows])[:_MOST_VALUES]
    ]
    return {"formula": evidence.formula, "n": n, "rows": rows, "more": len(evidence.rows) - len(rows)}
