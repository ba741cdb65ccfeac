"""Documents as Markdown, as a pull request takes them: the verdict first, a few rows, everything else folded.

Names come from files: whatever one is called, GitHub shows it and does nothing else with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from benchlib.document.blocks import (
    Cell,
    Code,
    Column,
    Document,
    Doubt,
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
)
from benchlib.document.numbers import column_scales, write, write_cell
from benchlib.document.words import count
from benchlib.errors import no_command, printable

__all__ = ["markdown", "plain_markdown"]

#: How a comment begins, so that a workflow finds it and puts a new one in its place.
MARKER = "<!-- benchlib compare: {name} -->"
#: GitHub's limit for a comment, less what closes it.
_MOST = 65_000
#: Rows that are seen unfolded.
_SHOWN = 5
#: The longest word of a file that is shown.
_LONGEST = 400
#: A character without width: words it parts are no mention, reference to an issue, or address.
_JOINER = "\u2060"
_FORMS = re.compile(r"[@#](?=\S)|(?<=\b[Gg][Hh])-(?=\d)|:(?=//)|\b[Ww]{3}(?=\.)|\b(?:mailto|xmpp)(?=:)")
_STATUS = {"Answered": "🟢", "Answered, with doubts": "🟡", "Cannot tell": "⚪", "Target missed": "🔴", "Failed": "🔴"}


def markdown(document: Document, *, name: str = "", most: int = _MOST) -> str:
    """Return a document as a comment of at most so many characters.

    The first line is the answer; of the first table five rows are seen; sections are folded. ``name`` makes the marker
    by which a workflow finds its own comment.
    """
    lines = [MARKER.format(name=marker_of(name))] if name else []
    lines += [*_first_screen(document), ""]
    room = most - _size([*lines, "", _left_out([section.title for section in document.sections], most)])
    left_out = []
    for section in document.sections:
        block = [*_section(section), ""]
        if _size(block) > room:
            left_out.append(section.title)
            continue
        lines += block
        room -= _size(block)
    lines += ["", _left_out(left_out, most)] if left_out else []
    return no_command("\n".join(_single_blanks(lines)).strip() + "\n")


def _left_out(titles: list[str], most: int) -> str:
    """Say how many sections a comment has no room for, and which."""
    names = ", ".join(map(words, titles))
    return f"Left out, as a comment has at most {most:,} characters: {count(len(titles), 'section')} ({names})."


def plain_markdown(document: Document) -> str:
    """Return a whole document as Markdown with headings, for a file or a terminal: nothing is folded or left out."""
    lines = [f"# {words(document.title)}", "", *_first_screen(document), ""]
    for section in document.sections:
        lines += [f"## {words(section.title)}", "", *_blocks(section.blocks, folded=False), ""]
    return no_command("\n".join(_single_blanks(lines)).strip() + "\n")


def marker_of(name: str) -> str:
    """Return a name that can stand in a marker: it is the same for the same text, and closes no comment.

    Examples
    --------
    >>> marker_of("old vs new --> <b>")
    'old-vs-new-b'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80] or "comparison"


def words(said: str) -> str:
    r"""Write words so that GitHub shows them: no markup, HTML, mention, reference or link comes of them.

    Examples
    --------
    >>> words("<img src=x>|nil_filter *new*")
    '\\<img src=x\\>\\|nil\\_filter \\*new\\*'
    """
    text = re.sub(r"([\\`*_\[\]<>|#~&$!])", r"\\\1", printable(" ".join(said.split()), _LONGEST))
    return _FORMS.sub(lambda match: f"{match[0]}{_JOINER}", text)


def _text(text: Text) -> str:
    """Write words with numbers among them; a blank at the ends of a part stays."""
    return "".join(map(_part, text)).strip()


def _part(part: str | Number | Link | Code) -> str:
    if isinstance(part, Number):
        return write(part)
    if isinstance(part, Link):
        return words(part.words)  # a comment has no places to lead to
    if isinstance(part, Code):
        return _code(part.words)
    before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
    return f"{' ' if before else ''}{words(part)}{' ' if after and part.strip() else ''}"


def _code(command: str) -> str:
    """Write a command as code that no backtick in it can close."""
    text = printable(" ".join(command.split()), 2000)
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", text)), default=0))
    pad = " " if fence != "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _first_screen(document: Document) -> Iterator[str]:
    """Say the answer, the decision, how sure it is, and the three numbers in one line."""
    yield f"{_STATUS[document.status]} **{_text(document.answer)}**"
    yield ""
    yield _text(document.decision)
    yield ""
    yield f"Confidence: **{document.confidence.level}**, {_text(document.confidence.reason)}"
    if document.facts:
        yield ""
        yield " · ".join(f"**{_text(fact.value)}** {_text(fact.line)}" for fact in document.facts)
    if document.doubts:
        yield ""
        yield f"Could change this answer: {' · '.join(words(link.words) for link in document.doubts)}"


def _section(section: Section) -> Iterator[str]:
    """Write a section: the evidence is seen, its tables to their fifth row; everything else is folded."""
    blocks = list(section.blocks)
    if section.anchor == "evidence":
        for block in blocks:
            if not isinstance(block, Table):
                yield from (*_block(block, folded=True), "")
                continue
            yield from (*_table(block, block.rows[:_SHOWN]), "")
            if rest := block.rows[_SHOWN:]:
                yield from _folded(count(len(rest), "more row"), _rows(block, rest))
        return
    if section.anchor in ("lost", "asked"):  # what gave no result and what an option asked for are never folded away
        yield f"**{words(section.title)}**"
        yield ""
        yield from _blocks(blocks, folded=True)
        return
    yield from _folded(words(section.title), _blocks(blocks, folded=True))


def _folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    yield from ("<details>", f"<summary>{_in_html(summary)}</summary>", "", *lines, "", "</details>", "")


def _in_html(text: str) -> str:
    """Return Markdown words as they stand inside an element, where backslashes escape nothing."""
    plain = re.sub(r"\\(.)", r"\1", text)
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _blocks(blocks: Iterable[object], *, folded: bool) -> Iterator[str]:
    for block in blocks:
        yield from _block(block, folded=folded)
        yield ""


def _block(block: object, *, folded: bool) -> Iterator[str]:
    match block:
        case Paragraph():
            yield _text(block.text)
        case List():
            yield from (f"- {_text(item)}" for item in block.items)
        case Table():
            yield from _table(block, block.rows)
        case Figure():
            yield f"*{_text(block.finding)}*"  # a comment has no charts: the table has their numbers
        case Fold():
            if folded:
                yield from _folded(_text(block.line), _blocks(block.blocks, folded=True))
            else:
                yield f"### {_text(block.line)}"
                yield ""
                yield from _blocks(block.blocks, folded=False)
        case Doubt():
            yield f"- {_text(block.text)} Fix: {_text(block.fix)}"
        case Html():
            return  # what an author drew for a page
        case _:
            raise TypeError(f"no block: {type(block).__name__}")


def _table(table: Table, rows: Iterable[tuple[Cell, ...]]) -> Iterator[str]:
    """Write rows of a table under its caption."""
    yield f"**{words(table.caption)}**"
    yield ""
    yield from _rows(table, rows)


def _rows(table: Table, rows: Iterable[tuple[Cell, ...]]) -> Iterator[str]:
    """Write rows under their heads; the numbers of a column share the scale that the whole column has."""
    scales = column_scales(table)
    yield _pipes(_head(column, unit) for column, (_, unit) in zip(table.columns, scales, strict=True))
    yield _pipes("---" if column.kind == "words" else "---:" for column in table.columns)
    for row in rows:
        cells = zip(row, table.columns, scales, strict=True)
        yield _pipes(_cell(cell, column, like) for cell, column, (like, _) in cells)


def _head(column: Column, unit: str) -> str:
    return words(f"{column.head} ({unit})".strip() if unit else column.head) or " "


def _cell(cell: Cell, column: Column, like: float) -> str:
    if isinstance(cell, str):
        return words(cell)
    if isinstance(cell, tuple):
        # In a table a bar in code parts cells too.
        return "".join(
            _part(part).replace("|", "\\|") if isinstance(part, Code) else _part(part) for part in cell
        ).strip()
    return write_cell(cell, column, like)


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _single_blanks(lines: Iterable[str]) -> Iterator[str]:
    """Leave one empty line where there are several."""
    before = ""
    for line in lines:
        if line or before:
            yield line
        before = line
