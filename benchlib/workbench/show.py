"""How objects of the workbench show themselves: a sentence, a chart, a short table, a few caveats, the rest folded."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from benchlib.document.blocks import Number
from benchlib.document.numbers import write
from benchlib.errors import printable
from benchlib.render.html import tag
from benchlib.render.seen import seen
from benchlib.render.svg import picture
from benchlib.units import scaled
from benchlib.workbench.options import options

if TYPE_CHECKING:
    import pandas as pd

    from benchlib.workbench.chart import Chart

__all__ = ["Shown", "Shows", "in_fitting_units"]

#: What a terminal gets: lines, and letters of each; and what a page of a notebook gets, in bytes.
_LINES, _LETTERS, _BYTES = 12, 120, 20_000
#: Caveats that stand open, columns of a table, letters of a cell, rows of a folded table.
_CAVEATS, _COLUMNS, _CELL, _FOLDED_ROWS = 3, 12, 48, 50
#: Bytes of a drawing and of an open table in markup, and letters of a sentence: together they leave room for folds.
_DRAWING, _OPEN_TABLE, _SENTENCE = 11_000, 4_500, 400
#: Marks of a drawing: it is drawn with fewer where it is too large.
_MARKS = (3000, 300, 100)

#: It takes Lab's colours where there are any, and else those around it, so it is readable in every theme. Lab has
#: rules of its own for tables; those that name the box around a table outweigh them.
_STYLE = """<style>
.bl-show{color:var(--jp-content-font-color1,inherit);max-width:60rem;
 font:14px/1.45 var(--jp-content-font-family,system-ui,sans-serif)}
.bl-show p{margin:.2em 0 .5em}.bl-show .bl-said{font-weight:600}
.bl-show img{max-width:100%;display:block;margin:.3em 0}
.bl-show .bl-box{overflow-x:auto}
.bl-show table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;margin:.3em 0}
.bl-show .bl-box th,.bl-show .bl-box td{padding:.2em .7em .2em 0;text-align:right;white-space:nowrap;
 border:0;background:none}
.bl-show .bl-box thead th{border-bottom:1px solid var(--jp-border-color1,rgba(128,128,128,.6));font-weight:600}
.bl-show .bl-box tbody td{border-bottom:1px solid var(--jp-border-color2,rgba(128,128,128,.3))}
.bl-show .bl-box .bl-w{text-align:left}.bl-show ul{margin:.3em 0;padding-left:1.2em}
.bl-show details{margin:.3em 0}.bl-show summary{cursor:pointer}
.bl-show .bl-more{opacity:.75}.bl-show pre{white-space:pre-wrap}
</style>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What an object shows of itself; ``folded`` are a line each, and behind it words or a table."""

    sentence: str
    chart: Chart | None = None
    table: pd.DataFrame | None = None
    caveats: Sequence[str] = ()
    folded: Sequence[tuple[str, str | pd.DataFrame]] = ()


class Shows:
    """An object that shows itself in notebooks, terminals and exports; a subclass says what, in ``_shown``."""

    def _shown(self) -> Shown:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(_plain_lines(self._shown()))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        shown = self._shown()
        return {"text/html": _markup(shown), "text/plain": "\n".join(_plain_lines(shown))}


def in_fitting_units(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return a table for the eye: each row in the unit that suits the first of these columns.

    An object's own ``.table`` stays in base units, so that its rows can be computed with.
    """
    scales = [scaled(value, unit) for value, unit in zip(table[columns[0]], table["unit"], strict=True)]
    fitting = {name: table[name] / [factor for factor, _ in scales] for name in columns}
    return table.assign(**fitting, unit=[unit for _, unit in scales])


# ---- cells ----


def _words(value: object) -> str:
    """Write a cell: numbers by the rule of every page, anything else as bounded text."""
    if value is None or value != value:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "__float__") and not isinstance(value, str):
        return write(Number(value=float(value)))
    return printable(str(value), _CELL)


def _columns(table: pd.DataFrame) -> tuple[list[str], list[bool]]:
    """Return the heads of a table, the names of its rows among them, and which of its columns are numbers."""
    heads = [printable(" ".join(map(str, name)) if isinstance(name, tuple) else str(name), _CELL) for name in table]
    return heads, [kind.kind in "iuf" for kind in table.dtypes]


def _named_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index is a column where it says more than a count."""
    counted = table.index.nlevels == 1 and table.index.name is None and table.index.dtype.kind in "iu"
    return table if counted else table.reset_index()


# ---- a terminal ----


def _plain_lines(shown: Shown) -> list[str]:
    """Return at most 12 lines of 120 letters: the sentence, rows, caveats, and how much more there is."""
    lines = textwrap.wrap(printable(seen(shown.sentence), 2 * _LETTERS - 10), _LETTERS) or [""]
    caveats = [printable(f"! {caveat}", _LETTERS) for caveat in shown.caveats[:_CAVEATS]]
    more = len(shown.caveats) - len(caveats)
    if more > 0:
        caveats[-1] = printable(f"! {shown.caveats[len(caveats) - 1]}", _LETTERS - 20) + f" ({more} more)"
    if shown.table is not None and len(shown.table):
        lines += _plain_table(shown.table, _LINES - len(lines) - len(caveats))
    return lines + caveats


def _plain_table(table: pd.DataFrame, room: int) -> list[str]:
    """Return a table in so many lines: its head, rows, and a line that counts what is left out."""
    rows = min(len(table), room - 1, options().max_rows)
    if rows < len(table):
        rows = min(rows, room - 2)
    shown = _named_rows(table.head(max(rows, 0)))
    heads, numeric = _columns(shown)
    columns = [[head, *map(_words, shown.iloc[:, at])] for at, head in enumerate(heads)]
    widths = [max(map(len, column)) for column in columns]
    fitting = 0
    while fitting < len(columns) and sum(widths[: fitting + 1]) + 2 * fitting <= _LETTERS:
        fitting += 1
    written = []
    for at in range(len(shown) + 1):
        cells = (
            column[at].rjust(width) if number else column[at].ljust(width)
            for column, width, number in zip(columns[:fitting], widths, numeric, strict=False)
        )
        written.append("  ".join(cells).rstrip())
    left = [_more(len(table) - rows, "row")] if rows < len(table) else []
    left += [_more(len(columns) - fitting, "column")] if fitting < len(columns) else []
    if left and len(written) < room:
        written.append(f"… {' and '.join(left)}")
    return written


# ---- a notebook ----


def _markup(shown: Shown) -> str:
    """Return at most 20 kB of markup: what stands open first, then folds while there is room."""
    parts = [_said(shown.sentence)]
    folded = list(shown.folded)
    if shown.caveats[_CAVEATS:]:
        folded.insert(0, (f"{len(shown.caveats) - _CAVEATS} more caveats", "\n".join(shown.caveats[_CAVEATS:])))
    if shown.chart is not None:
        parts.append(_drawing(shown.chart))
    if shown.table is not None and len(shown.table):
        table, rows = _table(shown.table, options().max_rows, _OPEN_TABLE)
        parts.append(table)
        if rest := len(shown.table) - rows:
            folded.insert(0, (_more(rest, "row"), shown.table.iloc[rows:]))
    parts += [_list(shown.caveats[:_CAVEATS])] if shown.caveats else []
    room = _BYTES - len(_STYLE.encode()) - sum(len(part.encode()) for part in parts) - 200
    left_out = []
    for line, content in folded:
        fold = _fold(line, content, room)
        if len(fold.encode()) <= room:
            parts.append(fold)
            room -= len(fold.encode())
        else:
            left_out.append(line)
    if left_out:
        parts.append(tag("p", printable(f"Not shown here: {', '.join(left_out)}", 150), css="bl-more"))
    return _STYLE + str(tag("div", *parts, css="bl-show"))


def _said(sentence: str) -> Markup:
    return tag("p", printable(seen(sentence), _SENTENCE), css="bl-said")


def _drawing(chart: Chart) -> Markup:
    """Return a chart as an image; a large one with fewer marks, and else its words."""
    for marks in _MARKS:
        drawn = picture(chart.drawn(marks), chart.alt)
        if len(drawn) <= _DRAWING:
            return drawn
    return tag("p", f"{chart.alt} (.plot() draws it)")


def _list(items: Sequence[str]) -> Markup:
    return tag("ul", *(tag("li", printable(seen(item), _SENTENCE)) for item in items))


def _fold(line: str, content: str | pd.DataFrame, room: int) -> Markup:
    """Return words or a table behind a line."""
    if isinstance(content, str):
        body = tag("pre", "\n".join(seen(part) for part in content.splitlines()))
    else:
        body, rows = _table(content, _FOLDED_ROWS, room - 200)
        if rows < len(content):
            body += tag("p", f"and {len(content) - rows:,} more", css="bl-more")
    return tag("details", tag("summary", printable(seen(line), _LETTERS)), body)


def _table(table: pd.DataFrame, most_rows: int, room: int) -> tuple[Markup, int]:
    """Return so many rows of a table as there is room for, and how many these are."""
    rows = min(most_rows, len(table))
    drawn = _drawn_table(table.head(rows))
    while len(drawn.encode()) > room and rows > 1:
        rows = rows * 2 // 3
        drawn = _drawn_table(table.head(rows))
    return drawn, rows


def _more(count: int, thing: str) -> str:
    return f"{count:,} more {thing}{'' if count == 1 else 's'}"


def _drawn_table(table: pd.DataFrame) -> Markup:
    shown = _named_rows(table)
    heads, numeric = _columns(shown)
    css = ["" if number else "bl-w" for number in numeric[:_COLUMNS]]
    head = tag("tr", *(tag("th", words, css=name) for words, name in zip(heads, css, strict=False)))
    rows = [
        tag("tr", *(tag("td", _words(cell), css=name) for cell, name in zip(row, css, strict=False)))
        for row in shown.itertuples(index=False, name=None)
    ]
    more = [tag("p", _more(len(heads) - _COLUMNS, "column"), css="bl-more")] if len(heads) > _COLUMNS else []
    whole = tag("table", tag("thead", head), tag("tbody", *rows))
    return tag("div", whole, *more, css="bl-box")
