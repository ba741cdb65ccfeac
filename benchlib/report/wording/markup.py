"""HTML that cannot be injected: everything is escaped unless it was built here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup, escape

__all__ = [
    "Column",
    "Section",
    "Table",
    "bullets",
    "join",
    "paragraph",
    "render_table",
    "section_heading",
    "tag",
]

Align = Literal["text", "number"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The head of a table's column."""

    head: str
    align: Align


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of words, ready to be shown: no arithmetic happens to its cells."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str | Markup, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page: a heading and blocks of HTML, tables and plotly figures, in order."""

    title: str
    anchor: str
    blocks: tuple[object, ...]


def tag(name: str, *children: object, css: str = "", **attributes: str) -> Markup:
    """Return an element; children that are not already markup are escaped.

    Examples
    --------
    >>> tag("p", "a < b", css="lead")
    Markup('<p class="lead">a &lt; b</p>')
    """
    if css:
        attributes["class"] = css
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    inner = Markup().join(escape(one) for one in children)
    return Markup(f"<{name}{written}>{inner}</{name}>")


def join(parts: Iterable[object]) -> Markup:
    """Join markup, escaping what is not."""
    return Markup().join(escape(one) for one in parts)


def paragraph(text: object, css: str = "") -> Markup:
    """Return a paragraph."""
    return tag("p", unbroken(text), css=css)


#: A number and its unit stay on one line.
_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=(?:%|[nµm]?s|[KMGT]?i?B)\b|%)")


def unbroken(text: object) -> object:
    """Return text whose numbers keep their units on their line; markup stays as it is."""
    return text if isinstance(text, Markup) else _NUMBER_AND_UNIT.sub("\u00a0", str(text))


def bullets(lines: Iterable[object], css: str = "findings") -> Markup:
    """Return a list of sentences, or nothing for none."""
    items = [tag("li", unbroken(one)) for one in lines]
    return tag("ul", *items, css=css) if items else Markup()


#: So many rows more than a table shows are shown too: a line that folds them takes as much room.
NOT_FOLDED = 3


def render_table(table: Table, limit: int | None = None) -> Markup:
    """Return a table as HTML; rows past ``limit`` are folded behind a summary, never dropped; few are not folded."""
    head = tag(
        "tr",
        *(tag("th", one.head, css="num" if one.align == "number" else "", scope="col") for one in table.columns),
    )
    if limit is None or len(table.rows) <= limit + NOT_FOLDED:
        return _table(table, head, table.rows)
    rest = table.rows[limit:]
    return join(
        [
            _table(table, head, table.rows[:limit]),
            tag(
                "details",
                tag("summary", f"{len(rest):,} more rows"),
                _table(table, head, rest),
            ),
        ]
    )


def _table(table: Table, head: Markup, rows: Sequence[Sequence[str | Markup]]) -> Markup:
    body = join(
        tag(
            "tr",
            *(
                tag("td", cell, css="num" if column.align == "number" else "")
                for column, cell in zip(table.columns, row, strict=True)
            ),
        )
        for row in rows
    )
    return tag("table", tag("caption", table.caption), tag("thead", head), tag("tbody", body), css="numbers")


def section_heading(section: Section) -> Markup:
    """Return the heading of a section, with the anchor that the table of contents points to."""
    if not section.title:
        return Markup()
    return tag("h2", section.title, id=section.anchor)
