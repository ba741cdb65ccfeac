"""``benchlib compare`` as a comment on a pull request: found again by its marker, safe whatever a file is named.

A comment has three parts: what a reviewer must see (verdict, changed rows, targets), all rows, and how it was
measured; the last two are folded. GitHub takes 65,536 characters: what is too long is cut with a line that says so.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from benchlib.cli.blocks import Block, escaped
from benchlib.cli.comparison.blocks import Told, ToldComparison, target_grid
from benchlib.cli.comparison.tables import RowTable, row_tables
from benchlib.errors import printable
from benchlib.statistics.compare import distance

__all__ = ["MARKER", "comment", "comment_name", "comment_of", "comment_text"]

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


def comment(told: Told, *, name: str, command: Sequence[str]) -> str:
    """Return a comment.

    Parameters
    ----------
    told : Told
    name : str
        What the comment is found by, of letters, digits and hyphens; see `comment_name`.
    command : sequence of str
        The words that make the comparison again.
    """
    head = [MARKER.format(name=name), *_cut(_seen(told), _MOST_SEEN, "more is folded below")]
    facts = ["", *_facts(told, command)]
    room = _MOST - _size([*head, *facts]) - 600
    rows = _cut(_all_rows(told), room, f"more rows are left out here: a comment has at most {_MOST:,} characters")
    total = sum(len(one.rows) for one in told.comparisons)
    shown = f"All {total:,} rows" if total != 1 else "The row"
    folded = ["", "<details>", f"<summary>{shown}</summary>", "", *rows, "", "</details>"] if total else []
    lines = [*head, *folded, *facts]
    return "\n".join(line for before, line in pairwise(["", *lines]) if line or before)


def comment_of(
    head: Sequence[str], tables: Sequence[RowTable], remarks: Block, *, name: str, command: Sequence[str]
) -> str:
    """Return a comment of tables below a title and further lines, remarks and the command."""
    title, *others = (comment_text(line) for line in head)
    seen = [f"### {title}", "", *(part for line in others for part in (line, "")), *_block(remarks)]
    begin = [MARKER.format(name=name), *_cut(seen, _MOST_SEEN, "more")]
    foot = ["", *_command(command)]
    lines = (line for table in tables for line in (*_table(table), ""))
    kept = _cut(lines, _MOST - _size([*begin, *foot]) - 200, "the command below prints the rest")
    return "\n".join([*begin, *kept, *foot])


def comment_name(text: str) -> str:
    """Return a name that can stand in a marker: it is the same for the same text, and closes no comment.

    Examples
    --------
    >>> comment_name("results.txt"), comment_name("a--> <b>"), comment_name("→")
    ('results-txt', 'a-b', 'comparison')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "comparison"


def comment_text(text: str) -> str:
    r"""Write words of a file so that GitHub shows them and does nothing else with them.

    No markup, HTML, mention, reference to an issue or link comes of them.

    Examples
    --------
    >>> comment_text("a|b <i> `c`")
    'a\\|b \\<i\\> \\`c\\`'
    >>> "@octocat" in comment_text("@octocat"), "://" in comment_text("https://example.org")
    (False, False)
    """
    told = re.sub(r"[&$!]", r"\\\g<0>", escaped(printable(text, 5 * _LONGEST)))
    return _FORMS.sub(lambda found: f"{found[0]}{_JOINER}", told)


def _seen(told: Told) -> Iterator[str]:
    for place, one in enumerate(told.comparisons):
        first, *others = one.verdict
        yield f"### {comment_text(first)}"
        for line in (*others, *(f"{word}: {line}" for word, line in (() if place else told.unsound))):
            yield ""
            yield comment_text(line)
        yield from _changed(one)
        yield ""
    for block in (*target_grid(told.targets), *told.refused):
        yield from _block(block)


def _changed(told: ToldComparison) -> Iterator[str]:
    """Show rows that are better or worse: by metric as they come, the worst first."""
    changed = [row for row in told.rows if row.verdict in ("better", "worse")]
    groups = {key: place for place, key in enumerate(dict.fromkeys((row.candidate, row.metric) for row in told.rows))}
    changed.sort(key=lambda row: (groups[row.candidate, row.metric], row.verdict != "worse", -distance(row.ratio)))
    for table in row_tables(told.answer, changed[:_CHANGED], told.axes, means=False):
        yield ""
        yield from _table(table)
    if len(changed) > _CHANGED:
        yield ""
        yield f"{len(changed) - _CHANGED:,} more changed rows are folded below."


def _all_rows(told: Told) -> Iterator[str]:
    for one in told.comparisons:
        if len(told.comparisons) > 1:
            yield from (f"#### {comment_text(one.answer.name)}", "")
        for block in one.overview:
            yield from _block(block)
        for table in (*one.tables, *([one.both] if one.both else [])):
            yield from _table(table)
            yield ""


def _facts(told: Told, command: Sequence[str]) -> Iterator[str]:
    yield from ("<details>", "<summary>How it was measured, and how to repeat the comparison</summary>", "")
    for one in told.comparisons:
        if len(told.comparisons) > 1:
            yield from (f"#### {comment_text(one.answer.name)}", "")
        for block in (*one.controls, one.remarks):
            yield from _cut(_block(block), 12_000, "more in the text of the command below")
    yield from _command(command)
    yield from ("", "</details>")


def _command(words: Sequence[str]) -> Iterator[str]:
    text = "\n".join(printable(line, 2000) for line in shlex.join(words).split("\n"))
    # A fence that is longer than any in the words cannot be closed by them.
    fence = "`" * max(3, 1 + max((len(one) for one in re.findall("`+", text)), default=0))
    yield from (f"{fence}sh", text, fence)


def _table(table: RowTable) -> Iterator[str]:
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


def _block(block: Block) -> Iterator[str]:
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
    kept: list[str] = []
    for line in lines:
        room -= _size([line])
        if room < 0:
            return [*kept, "", f"… {why}."]
        kept.append(line)
    return kept


def _size(lines: Iterable[str]) -> int:
    """Count characters as browsers do, so that one beyond the first 65,536 of Unicode counts twice."""
    return sum(len(line.encode("utf-16-le")) // 2 + 1 for line in lines)
