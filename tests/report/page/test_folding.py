"""Folded rows are rows of their table, and long folds are packed away."""

from __future__ import annotations

import pytest

from benchlib.report.page.folding import LONG_FOLD, MOST_INLINE, fold_tables
from benchlib.report.wording.markup import Column, Table, render_table

SCRIPT = "<script>alert(1)</script></td></tr></tbody></table></details>"


def table(rows: int, text: str = "x") -> str:
    """A table folded after two rows."""
    columns = (Column(head="name", align="text"),)
    return str(render_table(Table(caption=f"{SCRIPT} c", columns=columns, rows=((text,),) * rows), 2))


def test_the_rows_of_a_fold_join_their_table() -> None:
    """One table, one head, one caption; the second body says what its button will."""
    body, packed = fold_tables(table(12))
    assert packed == []
    assert body.count("<table") == body.count("<thead") == body.count("<caption") == 1
    assert '<tbody class="more" data-label="10 more rows"><tr><td>x</td></tr>' in body
    assert body.count("<tr>") == 13
    assert "<details" not in body


def test_a_long_fold_is_packed_away() -> None:
    """Its rows stand in the data of the page, the table says where."""
    body, packed = fold_tables(table(1000) + table(4) + table(1200, "y"))
    assert [one.count("<tr>") for one in packed] == [998, 1198]
    assert 'data-label="998 more rows" data-rows="0"></tbody>' in body
    assert 'data-label="1,198 more rows" data-rows="1"></tbody>' in body
    assert min(map(len, packed)) > MOST_INLINE


@pytest.mark.parametrize("rows", [3, 12, 1000])
def test_every_table_has_a_box_that_scrolls_and_can_be_reached(rows: int) -> None:
    """Whether it is folded or not; a name that looks like the end of a table ends nothing."""
    body, packed = fold_tables(f"<p>before</p>{table(rows, SCRIPT)}<p>after</p>")
    assert body.count('<div class="table-box" tabindex="0"') == 1
    assert body.count("</table></div>") == 1
    assert "".join([body, *packed]).count("&lt;script&gt;alert(1)") == rows + 1
    assert body.endswith("<p>after</p>")


@pytest.mark.parametrize(
    ("rows", "text", "is_long"),
    [
        (LONG_FOLD, "x", False),
        (LONG_FOLD + 1, "x", True),
        (1, "x" * MOST_INLINE, True),
        (2, 'x data-rows="0" data-rows=1 <tr <tr', False),
    ],
)
def test_a_fold_that_paper_leaves_out_says_so(rows: int, text: str, is_long: bool) -> None:
    """By its rows, or because they are packed away; the head is no row."""
    columns = (Column(head="name", align="text"),)
    whole = render_table(Table(caption="c", columns=columns, rows=((text,),) * rows))
    body, _ = fold_tables(f'<details class="fold"><summary>Cells</summary>{whole}</details>')
    assert ("<details data-long class" in body) is is_long
