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


def comparison_page(contents: Told, *, title: str, footer: str) -> str:
    """Return the page."""
    body = [
        part
        for place, comparison in enumerate(contents.comparisons)
        for part in _comparison(comparison, () if place else contents.unsound)
    ]
    body += [part for block in (*target_grid(contents.targets), *contents.refused) for part in _block(block)]
    return document(str(join(body)), title=title, footer=footer)


def page_of(head: Sequence[str], tables: Sequence[RowTable], remarks: Block, *, footer: str) -> str:
    """Return a page of tables below a title and further lines, and remarks below them."""
    title, *others = head
    body = [*(tag("p", line) for line in others), *(part for table in tables for part in _rows(table))]
    return document(str(join([*body, *_block(remarks)])), title=title, footer=footer)


def _comparison(comparison: ToldComparison, unsound: Sequence[tuple[str, str]]) -> Iterator[Markup]:
    yield tag("h2", comparison.answer.name)
    if comparison.answer.question:
        yield tag("p", comparison.answer.question, css="question")
    word, css = status_words(comparison.rows)
    if css == "pass" and (comparison.answer.uncompared or any(name == "failed" for name, _ in unsound)):
        css = "warn"  # of what failed, or one side alone has, nothing is known
    lines = Markup("<br>").join([*comparison.verdict, *(f"{name}: {line}" for name, line in unsound)])
    yield tag("div", tag("strong", word), tag("p", lines, css="verdict-sentence"), css=f"verdict verdict-{css}")
    for block in comparison.overview:
        yield from _block(block)
    for table in (*comparison.tables, *([comparison.both] if comparison.both else [])):
        yield from _rows(table)
    for block in comparison.controls:
        yield from _block(block)
    severities = {caveat.severity for caveat in comparison.answer.caveats}
    own = tuple(line for line in comparison.remarks.lines if line[0] not in severities)
    yield from _block(Block(title=comparison.remarks.title, grids=(), lines=own))
    yield caveat_list(comparison.answer.caveats)


def _rows(table: RowTable) -> Iterator[Markup]:
    cells = (
        # A verdict and its marks stay on one line.
        [cell.replace(" ", "\u00a0") for cell in column.cells] if column.head == "verdict" else column.cells
        for column in table.columns
    )
    rows = list(zip(*cells, strict=True))
    if table.summed:
        rows.append(tuple(column.last for column in table.columns))
    columns = tuple(Column(head=column.head, align="text" if column.words else "number") for column in table.columns)
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
