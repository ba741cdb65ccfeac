"""``benchlib compare`` as one offline HTML page: the same words and tables, no script, nothing that loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from benchlib.cli.blocks import Block, Grid
from benchlib.cli.compare_blocks import RowTable, Told, ToldComparison, target_grid
from benchlib.report.page.export import document
from benchlib.report.wording.caveats import caveat_list
from benchlib.report.wording.comparison.verdict import status_words
from benchlib.report.wording.markup import Column, Table, join, render_table, tag

#: Rows beyond this many of a table are folded.
_SHOWN = 200


def comparison_page(told: Told, *, title: str, footer: str) -> str:
    """Return the page."""
    body = [
        part for place, one in enumerate(told.comparisons) for part in _comparison(one, () if place else told.unsound)
    ]
    body += [part for block in (*target_grid(told.targets), *told.refused) for part in _block(block)]
    return document(str(join(body)), title=title, footer=footer)


def page_of(head: Sequence[str], tables: Sequence[RowTable], remarks: Block, *, footer: str) -> str:
    """Return a page of tables below a title and further lines, and remarks below them."""
    title, *others = head
    body = [*(tag("p", line) for line in others), *(part for table in tables for part in _rows(table))]
    return document(str(join([*body, *_block(remarks)])), title=title, footer=footer)


def _comparison(told: ToldComparison, unsound: Sequence[tuple[str, str]]) -> Iterator[Markup]:
    yield tag("h2", told.answer.name)
    if told.answer.question:
        yield tag("p", told.answer.question, css="question")
    word, css = status_words(told.rows)
    if css == "pass" and (told.answer.uncompared or any(name == "failed" for name, _ in unsound)):
        css = "warn"  # of what failed, or one side alone has, nothing is known
    lines = Markup("<br>").join([*told.verdict, *(f"{name}: {line}" for name, line in unsound)])
    yield tag("div", tag("strong", word), tag("p", lines, css="verdict-sentence"), css=f"verdict verdict-{css}")
    for block in told.overview:
        yield from _block(block)
    for table in (*told.tables, *([told.both] if told.both else [])):
        yield from _rows(table)
    for block in told.controls:
        yield from _block(block)
    severities = {one.severity for one in told.answer.caveats}
    own = tuple(line for line in told.remarks.lines if line[0] not in severities)
    yield from _block(Block(title=told.remarks.title, grids=(), lines=own))
    yield caveat_list(told.answer.caveats)


def _rows(table: RowTable) -> Iterator[Markup]:
    cells = (
        # A verdict and its marks stay on one line.
        [cell.replace(" ", "\u00a0") for cell in column.cells] if column.head == "verdict" else column.cells
        for column in table.columns
    )
    rows = list(zip(*cells, strict=True))
    if table.summed:
        rows.append(tuple(column.last for column in table.columns))
    columns = tuple(Column(head=one.head, align="text" if one.words else "number") for one in table.columns)
    yield _box(Table(caption=table.title, columns=columns, rows=tuple(rows)))
    if table.notes:
        yield tag("p", Markup("<br>").join(table.notes), css="evidence")


def _block(block: Block) -> Iterator[Markup]:
    yield tag("h3", block.title)
    for grid in block.grids:
        yield _box(_table(grid))
    if block.lines:
        facts = (part for label, line in block.lines for part in (tag("dt", label), tag("dd", line)))
        yield tag("dl", join(facts), css="facts")


def _table(grid: Grid) -> Table:
    heads: Sequence[str] = grid.heads
    columns = tuple(
        Column(head=head, align="text" if place < grid.words else "number") for place, head in enumerate(heads)
    )
    return Table(caption="", columns=columns, rows=grid.rows)


def _box(table: Table) -> Markup:
    # A wide table scrolls by itself, with the keyboard too.
    return tag("div", render_table(table, _SHOWN), css="table-box", tabindex="0", role="group")
