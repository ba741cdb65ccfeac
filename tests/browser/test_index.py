"""The list of reports in a real browser, opened from disk with no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.render.check import check_page
from benchlib.render.index import Entry, index_page
from tests.browser.test_page import violations
from tests.browser.visiting import Visit

LONG = (
    "It serves 17,500 requests a second at the limit, and the second worker adds a third because one used two cores. "
)


def entry(title: str, status: str, answer: str = "Use 4 threads.", **more: Any) -> Entry:
    """A report, measured on a day."""
    given = {"decision": "Add none.", "spark": (1.0, 3.0, 2.0), "measured": "2026-11-20", "built": "2026-11-24"}
    return Entry(title=title, href=f"{title.split()[0]}/page.html", status=status, answer=answer, **(given | more))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Six reports out of order, one with a name that would be markup, one that failed."""
    entries = [
        entry("Sound", "Answered"),
        entry("doubted", "Answered, with doubts", LONG * 3, decision=LONG),
        entry("<img src=x onerror=pwned=1>", "Answered", "<b>x</b>", measured="2026-11-21"),
        entry("unclear", "Cannot tell", spark=()),
        entry("Slow", "Target missed"),
        entry("broken", "Failed", "ValueError: no level", decision="", spark=(), last_good="broken/good.html"),
    ]
    made = index_page(entries)
    check_page(made)
    path: Path = tmp_path_factory.mktemp("index") / "index.html"
    path.write_text(made, encoding="utf-8")
    return path.as_uri()


def shown(page: Any) -> list[str]:
    """The studies that are listed, from the top."""
    return [
        str(title) for title in page.locator(".index tbody tr:visible td:nth-child(2) a:first-child").all_inner_texts()
    ]


def test_the_most_urgent_is_first_and_a_line_is_44_pixels(browser: Any, address: str) -> None:
    """Of equal ones the last measured; one request, no complaint, a hostile title is words."""
    with Visit(browser, address, width=1280) as visit:
        page = visit.page
        assert shown(page) == ["broken", "Slow", "unclear", "doubted", "<img src=x onerror=pwned=1>", "Sound"]
        assert {row.bounding_box()["height"] for row in page.locator(".index tbody tr").all()} == {44}
        assert page.locator(".index tbody tr").first.locator("a").evaluate_all(
            "all => all.map((link) => link.getAttribute('href'))"
        ) == ["broken/page.html", "broken/good.html"]
        assert page.locator("svg.spark").count() == 4
        assert page.locator("img").count() == 0
        assert visit.requests == [address]
        assert visit.complaints == []


def test_words_narrow_the_list(browser: Any, address: str) -> None:
    """Each word has to stand in the line, whatever its case and order; nothing typed shows all again."""
    with Visit(browser, address) as visit:
        page = visit.page
        page.keyboard.press("Tab")
        page.keyboard.type("THREADS missed")
        assert shown(page) == ["Slow"]
        page.fill("#words", "nothing like it")
        assert shown(page) == []
        page.fill("#words", "")
        assert len(shown(page)) == 6


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_and_nothing_overflows(browser: Any, address: str, width: int, scheme: str) -> None:
    """On a phone each report is a card."""
    with Visit(browser, address, width=width, scheme=scheme) as visit:
        assert violations(visit) == []
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
