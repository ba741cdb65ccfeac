"""``benchlib compare`` for a terminal of 100 columns: the verdict first, tables, and what to know of them last."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from benchlib.answers.grouping import label
from benchlib.cli.blocks import WIDTH, Block, text_of
from benchlib.cli.comparison.blocks import Told, ToldComparison, target_lines
from benchlib.cli.comparison.tables import RowTable
from benchlib.errors import all_printable, printable

__all__ = ["comparison_text", "text_with_tables"]

#: Of the width of a table names have at least so much; longer ones stand on a line of their own.
_NAMES = 14


def comparison_text(told: Told, width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of everything that is told.

    Parameters
    ----------
    told : Told
    width : int
        Columns that a table may take.
    """
    before = ""
    for line in _lines(told, width):
        if line or before:
            yield line
        before = line


def _lines(told: Told, width: int) -> Iterator[str]:
    for place, one in enumerate(told.comparisons):
        yield from _comparison(one, width, () if place else told.unsound)
        yield ""
    yield from text_of((*target_lines(told.targets), *told.refused))


def _comparison(told: ToldComparison, width: int, unsound: Sequence[tuple[str, str]]) -> Iterator[str]:
    for line in (*told.verdict, *(f"{word}: {line}" for word, line in unsound)):
        yield from textwrap.wrap(printable(line, 1000), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    yield from _apart(told.overview)
    for table in (*told.tables, *([told.both] if told.both else [])):
        yield from _table(table, width)
    yield from _apart((*told.controls, told.remarks))


def text_with_tables(head: Sequence[str], tables: Sequence[RowTable], remarks: Block) -> Iterator[str]:
    """Yield the lines of tables below others, and remarks below them."""
    for line in head:
        yield from textwrap.wrap(printable(line, 1000), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    for table in tables:
        yield from _table(table, WIDTH)
    yield from _apart((remarks,))


def _table(table: RowTable, width: int) -> Iterator[str]:
    yield ""
    yield from textwrap.wrap(printable(table.title, 400), WIDTH, subsequent_indent="    ")
    yield ""
    yield from _rows(table, width)
    for note in table.notes:
        yield from textwrap.wrap(printable(note, 400), WIDTH, initial_indent="  ", subsequent_indent="    ")


def _apart(blocks: Sequence[Block]) -> Iterator[str]:
    if blocks:
        yield ""
        yield from text_of(blocks)


def _rows(table: RowTable, width: int) -> Iterator[str]:
    """Write a table in columns. Every cell is visited a fixed number of times: 20,000 rows are normal."""
    columns = [
        all_printable((column.head, *column.cells, *([column.last] if table.summed else [])), 200)
        for column in table.columns
    ]
    widths = [max(map(len, column)) for column in columns]
    room = max(width - sum(widths[1:]) - 2 * len(widths), _NAMES)
    groups = _groups(table) if widths[0] > room else {}
    names = min(widths[0], room)
    places = [
        f"{{:{'<' if column.words else '>'}{width}}}" for column, width in zip(table.columns, widths, strict=True)
    ]
    line = "  ".join(["", f"{{:<{names}}}", *places[1:]])
    for place, row in enumerate(zip(*columns, strict=True), start=-1):
        title, name = groups.get(place, ("", row[0]))
        if title:
            yield f"  {title}"
        if len(name) > names:
            yield f"  {name}"
            name = ""
        yield line.format(name, *row[1:]).rstrip()


def _groups(table: RowTable) -> dict[int, tuple[str, str]]:
    """Name the cases of a benchmark below it, where names are too long to stand beside their numbers.

    Returns
    -------
    dict of int to (str, str)
        By place of the row: the benchmark where its cases begin, and the rest of the name.
    """
    found: dict[int, tuple[str, str]] = {}
    start = 0
    others = [axis for axis in table.axes if axis != "benchmark"]
    if "benchmark" not in table.axes or not others:
        return found
    for benchmark, cases in groupby(table.rows, key=lambda row: row.key.get("benchmark")):
        rows = list(cases)
        names = [label({axis: row.key[axis] for axis in others if axis in row.key}) for row in rows]
        if benchmark is not None and len(rows) > 1 and all(names):
            for place, name in enumerate(names):
                title = printable(str(benchmark), 200) if place == 0 else ""
                found[start + place] = (title, f"  {printable(name, 200)}")
        start += len(rows)
    return found
