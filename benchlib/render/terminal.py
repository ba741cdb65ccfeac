"""A document as terminal text: an answer block of at most ten lines and the main table; all of it with ``full``.

What was asked for by an option and what gave no result are printed as well, ``full`` or not.

Nothing is coloured, so a pipe, a log and a terminal hold the same. Names come from files: what would steer a terminal
is written out.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchlib.document.blocks import (
    Block,
    Cell,
    Column,
    Document,
    Doubt,
    Figure,
    Fold,
    List,
    Paragraph,
    Section,
    Table,
    Text,
)
from benchlib.document.numbers import column_scales, words_of, write_cell
from benchlib.document.words import count
from benchlib.errors import no_command, printable

__all__ = ["terminal"]

#: Columns of a terminal that nobody measured, and the fewest that a line is wrapped to.
_WIDTH, _NARROWEST = 100, 40
#: Lines of the answer block.
_MOST_LINES = 10
#: Sections that are printed in any case: what was asked for, before the main table; what gave no result, after it.
_ASKED, _LOST = "asked", "lost"
#: Letters of a name in a table, and of any text.
_LONGEST_CELL, _LONGEST_TEXT = 60, 4000
_GAP = "  "


def terminal(document: Document, *, full: bool = False, width: int | None = None) -> str:
    """Return a document as text; ``full`` adds the folded rows and every section.

    Examples
    --------
    >>> from benchlib.document.blocks import Confidence, Number
    >>> rate = Number(value=10300.0, unit="req/sec")
    >>> sure = Confidence(level="medium", reason=("only 3 runs each.",))
    >>> said = Document(title="hash", about=("hash",), status="Answered, with doubts", answer=("It serves ", rate, "."),
    ...     decision=("Use 2.",), confidence=sure, figure=None, facts=(), doubts=(), sections=(), answers={})
    >>> print(terminal(said, width=60))
    hash
    It serves 10,300 req/s.
    Decision    Use 2.
    Confidence  medium: only 3 runs each.
    Status      Answered, with doubts
    """
    columns = max(_NARROWEST, width or shutil.get_terminal_size((_WIDTH, 24)).columns)
    lines = _answer(document, columns)
    if full:
        for section in document.sections:
            lines += _section(section, columns)
    else:
        lines += _sections(document, _ASKED, columns)
        table = next(_tables(section for section in document.sections if section.anchor != _ASKED), None)
        if table is not None:
            lines += ["", *_table(table, columns, all_rows=False)]
        lines += _sections(document, _LOST, columns)
        if document.sections:
            lines += ["", "more: --full"]
    return no_command("\n".join(line.rstrip() for line in lines))


# ---- words ----


def _words(text: Text) -> str:
    return printable(words_of(text), _LONGEST_TEXT)


def _wrapped(words: str, width: int, first: str = "", then: str = "") -> list[str]:
    return textwrap.wrap(
        words,
        width,
        initial_indent=first,
        subsequent_indent=then or " " * len(first),
        break_on_hyphens=False,
    )


# ---- the answer block ----


def _answer(document: Document, width: int) -> list[str]:
    """Return the answer in at most ten lines: what is least needed goes first where it takes more."""
    about = " · ".join(printable(words) for words in document.about)
    confidence = document.confidence
    facts = "; ".join(f"{_words(fact.value)} ({_words(fact.line)})" for fact in document.facts)
    doubts = " · ".join(printable(link.words) for link in document.doubts)
    parts = [
        [line.removesuffix(" ·") for line in _wrapped(about, width)[:1]],
        _wrapped(_words(document.answer), width),
        _named("Decision", _words(document.decision), width),
        _named("Confidence", f"{confidence.level}: {_words(confidence.reason)}", width),
        _named("Status", document.status, width),
        _named("Numbers", facts, width),
        _named("Doubts", doubts, width),
    ]
    while sum(map(len, parts)) > _MOST_LINES and len(parts) > 4:
        parts.pop()
    return [line for part in parts for line in part][:_MOST_LINES]


def _named(name: str, words: str, width: int) -> list[str]:
    return _wrapped(words, width, f"{name:<12}") if words else []


# ---- blocks ----


def _tables(sections: Iterable[Section]) -> Iterator[Table]:
    for section in sections:
        yield from (block for block in section.blocks if isinstance(block, Table))


def _sections(document: Document, anchor: str, width: int) -> list[str]:
    """Return the sections of an anchor, without empty lines at the end."""
    lines = [line for section in document.sections if section.anchor == anchor for line in _section(section, width)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _section(section: Section, width: int) -> list[str]:
    lines = ["", section.title, "=" * len(section.title)]
    for block in section.blocks:
        lines += _block(block, width)
    return lines


def _block(block: Block, width: int) -> list[str]:
    match block:
        case Paragraph():
            return _wrapped(_words(block.text), width)
        case List():
            return [line for item in block.items for line in _wrapped(_words(item), width, "- ")]
        case Table():
            return ["", *_table(block, width, all_rows=True), ""]
        case Figure():
            return _wrapped(_words(block.finding), width)
        case Fold():
            inner = [line for part in block.blocks for line in _block(part, width - 2)]
            return [*_wrapped(_words(block.line), width, "* "), *(f"  {line}" for line in inner)]
        case Doubt():
            return [*_wrapped(_words(block.text), width, "! "), *_wrapped(_words(block.fix), width, "  Fix: ", "  ")]
    return []  # markup of a notebook is for pages


def _table(table: Table, width: int, *, all_rows: bool) -> list[str]:
    rows = table.rows if all_rows else table.rows[: table.shown]
    aligned: list[list[str]] = []
    for place, (column, (like, unit)) in enumerate(zip(table.columns, column_scales(table), strict=True)):
        head = f"{printable(column.head, _LONGEST_CELL)} {unit}".strip()
        cells = [head, *(_cell(row[place], column, like) for row in rows)]
        size = max(map(len, cells))
        justify: Callable[[str, int], str] = str.ljust if column.kind == "words" else str.rjust
        aligned.append([justify(cell, size) for cell in cells])
    # A table wider than the terminal continues below, its first column repeated.
    lines = _wrapped(printable(table.caption, _LONGEST_TEXT), width)
    for place, part in enumerate(_split([len(cells[0]) for cells in aligned], width)):
        lines += [""] if place else []
        lines += [_GAP.join(aligned[column][row] for column in part) for row in range(len(rows) + 1)]
    if len(rows) < len(table.rows):
        lines.append(f"and {count(len(table.rows) - len(rows), 'more row')}")
    return lines


def _split(sizes: Sequence[int], width: int) -> list[list[int]]:
    """Part columns into as many blocks as the width takes; each begins with the first column."""
    parts: list[list[int]] = [[0]]
    for column in range(1, len(sizes)):
        taken = sum(sizes[place] + len(_GAP) for place in parts[-1])
        if len(parts[-1]) > 1 and taken + sizes[column] > width:
            parts.append([0])
        parts[-1].append(column)
    return parts


def _cell(cell: Cell, column: Column, like: float) -> str:
    if isinstance(cell, str):
        return printable(cell, _LONGEST_CELL)
    return _words(cell) if isinstance(cell, tuple) else write_cell(cell, column, like)
