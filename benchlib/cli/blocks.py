"""Headings, tables and lines, written for a terminal of 100 columns or as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchlib.errors import printable

#: Columns of the terminal that text is made for.
WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: heads and rows of words, the first ``words`` columns to the left, the others to the right."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading with what stands below it: tables, and lines that begin with a label."""

    title: str
    grids: tuple[Grid, ...]
    lines: tuple[tuple[str, str], ...]


def text_of(blocks: Sequence[Block]) -> Iterator[str]:
    """Write blocks for a terminal: titles at the margin, tables and lines below them."""
    for block in blocks:
        yield from textwrap.wrap(printable(block.title, 400), WIDTH, subsequent_indent="    ")
        for grid in block.grids:
            yield ""
            yield from _text_grid(grid)
        if block.grids:
            yield ""
        for label, line in block.lines:
            name = printable(label, 400)
            # A label that fills its column ends where a colon says so.
            beginning = f"{name:<10}" if len(name) < 10 else f"{name}: "
            yield from textwrap.wrap(
                f"{beginning}{printable(line, 1000)}",
                WIDTH,
                initial_indent="  ",
                subsequent_indent=" " * 12,
                break_on_hyphens=False,
            )
        if block is not blocks[-1]:
            yield ""


def fits(grid: Grid) -> bool:
    """Whether a terminal is wide enough for the columns of a table.

    Examples
    --------
    >>> fits(Grid(heads=("", "old"), rows=(("A", "1"),), words=1))
    True
    >>> fits(Grid(heads=("a" * 50, "b" * 50), rows=(), words=1))
    False
    """
    widths = _widths(_shown(grid))
    return 2 * len(widths) + sum(widths) <= WIDTH


def _shown(grid: Grid) -> list[tuple[str, ...]]:
    return [tuple(printable(cell, 60) for cell in row) for row in (grid.heads, *grid.rows)]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _text_grid(grid: Grid) -> Iterator[str]:
    """Write a table in columns, or, where the terminal is too narrow, a row in a few lines."""
    rows = _shown(grid)
    widths = _widths(rows)
    if not fits(grid):
        for row in rows[1:]:
            line = ", ".join(f"{head} {cell}".lstrip() for head, cell in zip(rows[0], row, strict=True) if cell)
            yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="      ")
        return
    for row in rows:
        cells = (
            f"{cell:<{width}}" if place < grid.words else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield ("  " + "  ".join(cells)).rstrip()


def markdown_of(blocks: Sequence[Block]) -> Iterator[str]:
    """Write blocks as Markdown: headings, pipe tables, lists."""
    for block in blocks:
        yield f"## {escaped(block.title)}"
        for grid in block.grids:
            yield ""
            yield _pipes(escaped(head) for head in grid.heads)
            yield _pipes("---" if place < grid.words else "---:" for place in range(len(grid.heads)))
            yield from (_pipes(escaped(cell) for cell in row) for row in grid.rows)
        if block.lines:
            yield ""
        yield from (f"- **{escaped(label)}** {escaped(line)}" for label, line in block.lines)
        if block is not blocks[-1]:
            yield ""


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """Keep words from being read as markup."""
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", printable(text, 1000))
