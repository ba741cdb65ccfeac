"""HTML that cannot be injected: everything is escaped unless it was built here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup, escape

from benchlib.report.wording.told import Mark, key_of, marks_of, unbroken, written

__all__ = ["Column", "Table", "join", "render_table", "section_heading", "tag"]

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
    described = "".join([f' {key}="{escape(value)}"' for key, value in attributes.items()])
    return Markup(f"<{name}{described}>{_escaped(children)}</{name}>")


def join(parts: Iterable[object]) -> Markup:
    """Join markup, escaping what is not."""
    return Markup(_escaped(parts))


def _escaped(parts: Iterable[object]) -> str:
    # A page is thousands of parts in one another: those that are markup stay as they are, at every depth.
    return "".join([one if isinstance(one, Markup) else escape(one) for one in parts])


def paragraph(text: object, css: str = "") -> Markup:
    """Return a paragraph."""
    return tag("p", _worded(text), css=css)


def bullets(lines: Iterable[object], css: str = "findings") -> Markup:
    """Return a list of sentences, or nothing for none."""
    items = [tag("li", _worded(one)) for one in lines]
    return tag("ul", *items, css=css) if items else Markup()


def _worded(text: object) -> object:
    """Keep numbers and their units on one line; markup stays as it is, and told words see to it themselves."""
    return text if hasattr(text, "__html__") else unbroken(str(text))


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
                css="more-rows",
            ),
        ]
    )


def _table(table: Table, head: Markup, rows: Sequence[Sequence[str | Markup]]) -> Markup:
    body = join(_row(table.columns, row) for row in rows)
    return tag("table", tag("caption", table.caption), tag("thead", head), tag("tbody", body), css="numbers")


def _row(columns: Sequence[Column], row: Sequence[str | Markup]) -> Markup:
    """Return a row; evidence that its figures share is named once, by the row, and its cells point there."""
    figures = [_figure(cell) for cell in row]
    keys = {key_of(one.evidence) for one in figures if one is not None}
    shared = keys.pop() if len(keys) == 1 else ""
    cells = (
        _cell(cell, one, shared, "num" if column.align == "number" else "")
        for column, cell, one in zip(columns, row, figures, strict=True)
    )
    return tag("tr", *cells, **({"data-e": shared} if shared else {}))


def _cell(text: str | Markup, figure: Mark | None, shared: str, css: str) -> Markup:
    if figure is None:
        return tag("td", text, css=css)
    attributes = {"data-e": "" if shared else key_of(figure.evidence)}
    if figure.value is not None and (value := written(figure.value)) != text:
        attributes["data-v"] = value
    return tag("td", str(text), css=css, **attributes)


def _figure(cell: str | Markup) -> Mark | None:
    """Return the mark of a cell that is one figure from end to end."""
    marks = marks_of(cell)
    return marks[0] if len(marks) == 1 and (marks[0].start, marks[0].stop) == (0, len(cell)) else None


def section_heading(section: Section) -> Markup:
    """Return the heading of a section, with the anchor that the table of contents points to."""
    if not section.title:
        return Markup()
    return tag("h2", section.title, id=section.anchor)
