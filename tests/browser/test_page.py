"""A page in a real browser: what is behind its numbers, its tables, paper, and readers who cannot see or point."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

import pytest

from tests.browser.made_page import FORMULA, NAMES, TIMES, made_page
from tests.browser.visiting import Visit

if os.environ.get("BENCHLIB_REQUIRE_BROWSER") != "1":
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")

#: WCAG 2.2 to level AA, and what axe-core calls best practice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(visit: Visit) -> list[str]:
    """What axe-core finds, rule by rule with the first places."""
    import axe_playwright_python

    source = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    visit.page.evaluate(source)
    faults = visit.page.evaluate(
        """axe.run(document, {resultTypes: ["violations"], runOnly: RULES}).then(({violations}) => violations.map(
            (one) => one.id + ": " + one.nodes.slice(0, 3).map((node) => node.target + " " + node.failureSummary)))
        """.replace("RULES", str(RULES))
    )
    return [str(fault) for fault in faults]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The made page on disk."""
    path: Path = tmp_path_factory.mktemp("made") / "page.html"
    path.write_text(made_page(), encoding="utf-8")
    return path.as_uri()


def focused(visit: Visit) -> str:
    """The text of what has the focus."""
    return str(visit.page.evaluate("document.activeElement.textContent"))


def test_a_number_opens_by_keyboard_and_gives_the_focus_back(browser: Any, address: str) -> None:
    """Tab reaches the first, arrows go on, Enter opens, Escape closes."""
    with Visit(browser, address) as visit:
        page = visit.page
        page.locator("h1 .number").first.focus()
        page.keyboard.press("ArrowRight")
        assert focused(visit) == "190 µs"
        page.keyboard.press("Enter")
        dialog = page.locator("dialog[open]")
        said = dialog.inner_text()
        assert "Behind 190 µs" in said
        assert FORMULA in said
        assert dialog.locator("li").all_inner_texts() == [f"run<1>.txt:{line}" for line in range(1, 11, 2)]
        assert "30 values, of which 5 are shown" in said
        page.keyboard.press("Escape")
        assert dialog.count() == 0
        assert focused(visit) == "190 µs"
        assert visit.complaints == []


@pytest.mark.parametrize("width", [360, 1200])
def test_what_is_behind_a_number_fits_the_screen(browser: Any, address: str, width: int) -> None:
    """Also for the last number of a table, on a phone; a click outside closes it."""
    with Visit(browser, address, width=width) as visit:
        visit.page.locator("table").first.locator(".number").last.click()
        box = visit.page.locator("dialog[open]").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900
        visit.page.mouse.click(2, 2)
        assert visit.page.locator("dialog[open]").count() == 0


def test_a_table_is_sorted_by_value_unfolded_and_saved(browser: Any, address: str) -> None:
    """Rows that were folded away are part of it; no saved cell is a formula."""
    with Visit(browser, address) as visit:
        page = visit.page
        table = page.locator("table").first
        table.locator("th button").nth(1).click()
        order = table.locator("tbody tr").evaluate_all("rows => rows.map((row) => row.cells[0].textContent)")
        assert order == [name for _, name in sorted(zip(TIMES, NAMES, strict=True))]
        with page.expect_download() as waiting:
            page.locator(".table-foot button", has_text="CSV").first.click()
        rows = list(csv.reader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8-sig"), newline="")))
        assert len(rows) == len(NAMES) + 1
        assert not [cell for row in rows for cell in row if cell.lstrip()[:1] in "=+-@"]
        page.locator("#fold > summary").click()
        page.locator(".table-foot button", has_text="All 400 rows").click()
        assert page.locator("table").nth(1).locator("tr:visible").count() == 401


def test_a_link_to_a_fold_opens_it(browser: Any, address: str) -> None:
    """So that a doubt on the first screen leads somewhere."""
    with Visit(browser, f"{address}#fold") as visit:
        assert visit.page.locator("#fold").evaluate("fold => fold.open")


def test_on_paper_numbers_have_notes(browser: Any, address: str) -> None:
    """One number for one evidence, in the order of the page; afterwards the screen is as before."""
    with Visit(browser, address) as visit:
        page = visit.page
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        assert page.locator("h1 [data-note]").evaluate_all("all => all.map((one) => one.dataset.note)") == ["1", "2"]
        notes = page.locator(".notes li").all_inner_texts()
        assert notes[0] == f"{FORMULA}: run<0>.txt:1; run<0>.txt:3; run<0>.txt:5; run<0>.txt:7; 30 in all"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator(".notes, [data-note]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(browser: Any, address: str, width: int, scheme: str) -> None:
    """With everything open."""
    with Visit(browser, address, width=width, scheme=scheme) as visit:
        visit.page.evaluate("openAll()")
        assert violations(visit) == []
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
