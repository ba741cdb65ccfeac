"""``benchlib compare`` for a terminal of 100 columns, and as a comment on a pull request.

A comment is found again by its marker, and safe whatever a file is named. It has three parts: what a reviewer must see
(verdict, changed rows, targets), all rows, and how it was measured; the last two are folded. GitHub takes 65,536
characters: what is too long is cut with a line that says so.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from benchlib.answers.grouping import label
from benchlib.cli.blocks import WIDTH, Block, escaped, text_of
from benchlib.cli.compare_blocks import RowTable, Told, ToldComparison, row_tables, target_grid, target_lines
from benchlib.errors import all_printable, printable
from benchlib.statistics.compare import distance

#: How a comment begins, so that a workflow finds it and puts a new one in its place.
MARKER = "<!-- benchlib compare: {name} -->"
#: GitHub's limit for a comment, and of that what must be seen.
_MOST, _MOST_SEEN = 65_536, 30_000
#: Changed rows that are shown unfolded.
_CHANGED = 40
#: The longest word of a file that is shown.
_LONGEST = 160
#: A character without width: words it parts are no mention, reference or address.
_JOINER = "\u2060"
_FORMS = re.compile(r"[@#](?=\S)|(?<=\b[Gg][Hh])-(?=\d)|:(?=//)|\b[Ww]{3}(?=\.)|\b(?:mailto|xmpp)(?=:)")
#: Of the width of a table names have at least so much; longer ones stand on a line of their own.
_NAMES = 14


def comment(contents: Told, *, name: str, command: Sequence[str]) -> str:
    """Return a comment."""
    head = [MARKER.format(name=name), *_cut(_seen(contents), _MOST_SEEN, "more is folded below")]
    facts = ["", *_facts(contents, command)]
    room = _MOST - _size([*head, *facts]) - 600
    rows = _cut(_all_rows(contents), room, f"more rows are left out here: a comment has at most {_MOST:,} characters")
    total = sum(len(comparison.rows) for comparison in contents.comparisons)
    shown = f"All {total:,} rows" if total != 1 else "The row"
    folded = ["", "<details>", f"<summary>{shown}</summary>", "", *rows, "", "</details>"] if total else []
    lines = [*head, *folded, *facts]
    return "\n".join(line for before, line in pairwise(["", *lines]) if line or before)


def comment_of(
    head: Sequence[str], tables: Sequence[RowTable], remarks: Block, *, name: str, command: Sequence[str]
) -> str:
    """Return a comment of tables below a title and further lines, remarks and the command."""
    title, *others = (comment_text(line) for line in head)
    seen = [f"### {title}", "", *(part for line in others for part in (line, "")), *_comment_block(remarks)]
    begin = [MARKER.format(name=name), *_cut(seen, _MOST_SEEN, "more")]
    foot = ["", *_command(command)]
    lines = (line for table in tables for line in (*_comment_table(table), ""))
    shown = _cut(lines, _MOST - _size([*begin, *foot]) - 200, "the command below prints the rest")
    return "\n".join([*begin, *shown, *foot])


def comment_name(text: str) -> str:
    """Return a name that can stand in a marker: it is the same for the same text, and closes no comment."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "comparison"


def comment_text(text: str) -> str:
    r"""Write words of a file so that GitHub shows them and does nothing else with them.

    No markup, HTML, mention, reference to an issue or link comes of them.
    """
    text_escaped = re.sub(r"[&$!]", r"\\\g<0>", escaped(printable(text, 5 * _LONGEST)))
    return _FORMS.sub(lambda match: f"{match[0]}{_JOINER}", text_escaped)


def _seen(contents: Told) -> Iterator[str]:
    for place, comparison in enumerate(contents.comparisons):
        first, *others = comparison.verdict
        yield f"### {comment_text(first)}"
        for line in (*others, *(f"{word}: {line}" for word, line in (() if place else contents.unsound))):
            yield ""
            yield comment_text(line)
        yield from _changed(comparison)
        yield ""
    for block in (*target_grid(contents.targets), *contents.refused):
        yield from _comment_block(block)


def _changed(comparison: ToldComparison) -> Iterator[str]:
    """Show rows that are better or worse: by metric as they come, the worst first."""
    changed = [row for row in comparison.rows if row.verdict in ("better", "worse")]
    groups = {
        key: place for place, key in enumerate(dict.fromkeys((row.candidate, row.metric) for row in comparison.rows))
    }
    changed.sort(key=lambda row: (groups[row.candidate, row.metric], row.verdict != "worse", -distance(row.ratio)))
    for table in row_tables(comparison.answer, changed[:_CHANGED], comparison.axes, means=False):
        yield ""
        yield from _comment_table(table)
    if len(changed) > _CHANGED:
        yield ""
        yield f"{len(changed) - _CHANGED:,} more changed rows are folded below."


def _all_rows(contents: Told) -> Iterator[str]:
    for comparison in contents.comparisons:
        if len(contents.comparisons) > 1:
            yield from (f"#### {comment_text(comparison.answer.name)}", "")
        for block in comparison.overview:
            yield from _comment_block(block)
        for table in (*comparison.tables, *([comparison.both] if comparison.both else [])):
            yield from _comment_table(table)
            yield ""


def _facts(contents: Told, command: Sequence[str]) -> Iterator[str]:
    yield from ("<details>", "<summary>How it was measured, and how to repeat the comparison</summary>", "")
    for comparison in contents.comparisons:
        if len(contents.comparisons) > 1:
            yield from (f"#### {comment_text(comparison.answer.name)}", "")
        for block in (*comparison.controls, comparison.remarks):
            yield from _cut(_comment_block(block), 12_000, "more in the text of the command below")
    yield from _command(command)
    yield from ("", "</details>")


def _command(words: Sequence[str]) -> Iterator[str]:
    text = "\n".join(printable(line, 2000) for line in shlex.join(words).split("\n"))
    # A fence that is longer than any in the words cannot be closed by them.
    fence = "`" * max(3, 1 + max((len(ticks) for ticks in re.findall("`+", text)), default=0))
    yield from (f"{fence}sh", text, fence)


def _comment_table(table: RowTable) -> Iterator[str]:
    yield f"**{comment_text(table.title)}**"
    yield ""
    yield _pipes(comment_text(column.head) for column in table.columns)
    yield _pipes("---" if column.words else "---:" for column in table.columns)
    for row in zip(*(column.cells for column in table.columns), strict=True):
        yield _pipes(comment_text(printable(cell, _LONGEST)) for cell in row)
    if table.summed:
        yield _pipes(comment_text(column.last) for column in table.columns)
    for note in table.notes:
        yield ""
        yield comment_text(note)


def _comment_block(block: Block) -> Iterator[str]:
    yield f"**{comment_text(block.title)}**"
    yield ""
    for grid in block.grids:
        yield _pipes(comment_text(head) for head in grid.heads)
        yield _pipes("---" if place < grid.words else "---:" for place in range(len(grid.heads)))
        yield from (_pipes(comment_text(printable(cell, _LONGEST)) for cell in row) for row in grid.rows)
        yield ""
    yield from (f"- **{comment_text(label)}** {comment_text(line)}" for label, line in block.lines)
    yield ""


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cut(lines: Iterable[str], room: int, why: str) -> list[str]:
    """Keep lines while there is room, and say where they end."""
    lines_shown: list[str] = []
    for line in lines:
        room -= _size([line])
        if room < 0:
            return [*lines_shown, "", f"… {why}."]
        lines_shown.append(line)
    return lines_shown


def _size(lines: Iterable[str]) -> int:
    """Count characters as browsers do, so that one beyond the first 65,536 of Unicode counts twice."""
    return sum(len(line.encode("utf-16-le")) // 2 + 1 for line in lines)


def comparison_text(contents: Told, width: int = WIDTH) -> Iterator[str]:
    """Yield the lines of everything that is told."""
    before = ""
    for line in _lines(contents, width):
        if line or before:
            yield line
        before = line


def _lines(contents: Told, width: int) -> Iterator[str]:
    for place, comparison in enumerate(contents.comparisons):
        yield from _text_comparison(comparison, width, () if place else contents.unsound)
        yield ""
    yield from text_of((*target_lines(contents.targets), *contents.refused))


def _text_comparison(comparison: ToldComparison, width: int, unsound: Sequence[tuple[str, str]]) -> Iterator[str]:
    for line in (*comparison.verdict, *(f"{word}: {line}" for word, line in unsound)):
        yield from textwrap.wrap(printable(line, 1000), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    yield from _apart(comparison.overview)
    for table in (*comparison.tables, *([comparison.both] if comparison.both else [])):
        yield from _text_table(table, width)
    yield from _apart((*comparison.controls, comparison.remarks))


def text_with_tables(head: Sequence[str], tables: Sequence[RowTable], remarks: Block) -> Iterator[str]:
    """Yield the lines of tables below others, and remarks below them."""
    for line in head:
        yield from textwrap.wrap(printable(line, 1000), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    for table in tables:
        yield from _text_table(table, WIDTH)
    yield from _apart((remarks,))


def _text_table(table: RowTable, width: int) -> Iterator[str]:
    yield ""
    yield from textwrap.wrap(printable(table.title, 400), WIDTH, subsequent_indent="    ")
    yield ""
    yield from _text_rows(table, width)
    for note in table.notes:
        yield from textwrap.wrap(printable(note, 400), WIDTH, initial_indent="  ", subsequent_indent="    ")


def _apart(blocks: Sequence[Block]) -> Iterator[str]:
    if blocks:
        yield ""
        yield from text_of(blocks)


def _text_rows(table: RowTable, width: int) -> Iterator[str]:
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
    """Name the cases of a benchmark below it, where names are too long to stand beside their numbers."""
    groups: dict[int, tuple[str, str]] = {}
    start = 0
    others = [axis for axis in table.axes if axis != "benchmark"]
    if "benchmark" not in table.axes or not others:
        return groups
    for benchmark, cases in groupby(table.rows, key=lambda row: row.key.get("benchmark")):
        rows = list(cases)
        names = [label({axis: row.key[axis] for axis in others if axis in row.key}) for row in rows]
        if benchmark is not None and len(rows) > 1 and all(names):
            for place, name in enumerate(names):
                title = printable(str(benchmark), 200) if place == 0 else ""
                groups[start + place] = (title, f"  {printable(name, 200)}")
        start += len(rows)
    return groups
