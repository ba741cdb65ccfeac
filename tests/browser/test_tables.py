"""Tables in a real browser: sorted by value, folded, copied, saved."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from tests.browser.made_page import MANY, NAMES, TIMES, made_page
from tests.browser.visiting import Visit


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The made page on disk."""
    path: Path = tmp_path_factory.mktemp("tables") / "page.html"
    path.write_text(made_page(), encoding="utf-8")
    return path.as_uri()


def column(visit: Visit, table: int, place: int) -> list[str]:
    """The texts of one column, from top to bottom, folded rows too."""
    return list(
        visit.page.locator("table").nth(table).evaluate(
            "(one, place) => [...one.tBodies].flatMap(b => [...b.rows]).map(row => row.cells[place].textContent)", place
        )
    )  # fmt: skip


def test_a_column_is_sorted_by_value_and_put_back(browser: Any, address: str) -> None:
    """Up, down, as it was; the head says which. As texts 0.19 ms, 190 and 2 s would mix."""
    with Visit(browser, address) as visit:
        head = visit.page.locator("table").first.locator("th").nth(1)
        before = column(visit, 0, 0)
        by_time = [name for _, name in sorted(zip(TIMES, NAMES, strict=True))]
        for state, names in (("ascending", by_time), ("descending", by_time[::-1]), (None, before)):
            head.locator("button").focus()
            visit.page.keyboard.press("Enter")
            assert head.get_attribute("aria-sort") == state
            assert column(visit, 0, 0) == names
        assert visit.complaints == []


def test_signed_numbers_and_names_are_sorted_each_as_what_they_are(browser: Any, address: str) -> None:
    """A minus is a minus, whichever dash writes it; only one head says that it is sorted."""
    with Visit(browser, address) as visit:
        heads = visit.page.locator("table").first.locator("th")
        heads.nth(2).locator("button").click()
        assert column(visit, 0, 2) == ["−3", "−2", "−1", "+0", "+1", "+2", "+3"]
        heads.nth(0).locator("button").click()
        assert visit.page.locator("table").first.locator("[aria-sort]").count() == 1


@pytest.mark.parametrize(("table", "rows"), [(1, 12), (2, MANY * 10)])
def test_folded_rows_are_sorted_with_the_others(browser: Any, address: str, table: int, rows: int) -> None:
    """The smallest stand on top, wherever they stood; the fold keeps its length, packed or not."""
    with Visit(browser, address) as visit:
        shown = visit.page.locator("table").nth(table)
        fold = visit.page.locator(".fold").nth(table - 1)
        assert fold.inner_text() == f"{rows - 5} more rows"
        assert shown.locator("tbody tr:visible").count() == 5
        shown.locator("th button").nth(1).click()
        assert column(visit, table, 1)[:3] == ["1 s", "2 s", "3 s"]
        assert shown.locator("tbody tr:visible").count() == 5
        fold.click()
        assert fold.get_attribute("aria-expanded") == "true"
        assert shown.locator("tbody tr:visible").count() == rows
        last = shown.locator(".figure").last
        last.click()
        assert visit.page.locator("dialog[open]").count() == 1, "figures of rows that were packed open too"
        visit.page.keyboard.press("Escape")
        fold.click()
        assert shown.locator("tbody tr:visible").count() == 5


def saved(visit: Visit, table: int) -> list[list[str]]:
    """The table as the CSV file that the button saves."""
    with visit.page.expect_download() as waiting:
        visit.page.locator(".table-tools button", has_text="CSV").nth(table).click()
    assert waiting.value.suggested_filename.endswith(".csv")
    raw = Path(waiting.value.path()).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf"), "spreadsheets read UTF-8 by it"
    return list(csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def test_the_csv_file_holds_every_row_and_every_number(browser: Any, address: str) -> None:
    """As shown, and where a unit stands in the cell, the bare number in base units beside it."""
    with Visit(browser, address) as visit:
        heads, *rows = saved(visit, 0)
        assert heads == ["name", "time", "time (value)", "change"]
        assert [float(row[2]) for row in rows] == list(TIMES)
        assert rows[1][1] == "0.19 ms"
        assert [row[3] for row in rows] == ["-3", "-2", "-1", "+0", "+1", "+2", "+3"]
        assert len(saved(visit, 2)) == MANY * 10 + 1
        assert len(visit.requests) == 1 + sum(one.startswith("blob:") for one in visit.requests)


def test_no_name_becomes_a_formula(browser: Any, address: str) -> None:
    """What a spreadsheet would run is quoted; a negative number stays a number."""
    with Visit(browser, address) as visit:
        _, *rows = saved(visit, 0)
        assert [row[0] for row in rows] == [
            "plain", "'=HYPERLINK(1)", "'@SUM(A1)", 'a,b"c"', "<i>x</i>", "'-2+3", "'+cmd",
        ]  # fmt: skip


def test_a_table_is_copied_as_it_is_shown(browser: Any, address: str) -> None:
    """Tabs between cells, names that are formulas quoted; the page says that it is done."""
    with Visit(browser, address) as visit:
        visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.page.locator(".table-tools button", has_text="Copy").first.click()
        visit.page.locator(".said", has_text="Table copied.").wait_for(state="attached")
        lines = visit.page.evaluate("navigator.clipboard.readText()").splitlines()
        assert lines[0] == "name\ttime\tchange"
        assert lines[2] == "'=HYPERLINK(1)\t0.19 ms\t-2"
        assert len(lines) == 8


def test_without_its_script_a_page_shows_all_that_is_not_packed(browser: Any, address: str) -> None:
    """Folded rows stand open, and nothing invites to what would not work."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("table").nth(1).locator("tbody tr:visible").count() == 12
    assert page.locator("button:visible").count() == 0
    context.close()
