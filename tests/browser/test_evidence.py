"""Every figure opens what is behind it: by click, by key, and on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.made_page import FORMULA, made_page
from tests.browser.visiting import Visit


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The made page on disk."""
    path: Path = tmp_path_factory.mktemp("evidence") / "page.html"
    path.write_text(made_page(), encoding="utf-8")
    return path.as_uri()


def focused(visit: Visit) -> str:
    """The text of what has the focus."""
    return str(visit.page.evaluate("document.activeElement.textContent"))


def test_a_figure_opens_by_keyboard_and_gives_the_focus_back(browser: Any, address: str) -> None:
    """Tab reaches it, Enter opens, Escape closes, and the reader is where they were."""
    with Visit(browser, address) as visit:
        page = visit.page
        for _ in range(3):
            page.keyboard.press("Tab")
            if focused(visit) == "2\u00a0ms":
                break
        assert focused(visit) == "2\u00a0ms"
        page.keyboard.press("Enter")
        dialog = page.locator("dialog[open]")
        assert dialog.count() == 1
        said = dialog.inner_text()
        assert "Behind 2\u00a0ms" in said
        assert FORMULA in said
        assert "30 lines" in said
        assert dialog.locator("li").all_inner_texts() == [f"run<0>.txt:{line}" for line in range(1, 41, 2)]
        assert "and 10 more places, in answers.json" in said
        assert dialog.evaluate("one => one.contains(document.activeElement)")
        page.keyboard.press("Escape")
        assert dialog.count() == 0
        assert focused(visit) == "2\u00a0ms"
        page.keyboard.press(" ")
        assert dialog.count() == 1
        assert visit.complaints == []


def test_arrow_keys_go_from_figure_to_figure(browser: Any, address: str) -> None:
    """A sentence, a list or a table is one stop for Tab: a table of a thousand figures is passed in one step."""
    with Visit(browser, address) as visit:
        page = visit.page
        page.locator("p .figure").first.focus()
        page.keyboard.press("ArrowRight")
        assert focused(visit) == "190\u00a0µs"
        page.keyboard.press("Home")
        assert focused(visit) == "2\u00a0ms"
        page.keyboard.press("Tab")
        assert focused(visit) == "7"
        page.keyboard.press("ArrowDown")
        assert focused(visit) == "5"
        page.locator("table").first.locator(".figure").first.focus()
        page.keyboard.press("ArrowDown")
        assert focused(visit) == "0.19 ms"
        page.keyboard.press("End")
        assert focused(visit) == "3 s"
        stops = page.evaluate(
            "[...document.querySelectorAll('table')].map(one => one.querySelectorAll('.figure[tabindex=\"0\"]').length)"
        )
        assert stops[0] == 1


def test_a_click_opens_and_a_click_outside_closes(browser: Any, address: str) -> None:
    """With a pointer; the figure is named for those who hear the page."""
    with Visit(browser, address) as visit:
        figure = visit.page.locator("li .figure").first
        assert figure.get_attribute("role") == "button"
        assert figure.get_attribute("aria-haspopup") == "dialog"
        figure.click()
        dialog = visit.page.locator("dialog[open]")
        assert "run<1>.txt:1" in dialog.inner_text()
        box = dialog.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1200
        visit.page.mouse.click(1190, 890)
        assert dialog.count() == 0


@pytest.mark.parametrize("width", [360, 1200])
def test_what_is_behind_a_figure_fits_the_screen(browser: Any, address: str, width: int) -> None:
    """Also for the last figure of the page, on a phone."""
    with Visit(browser, address, width=width) as visit:
        visit.page.locator("table").first.locator(".figure").last.click()
        box = visit.page.locator("dialog[open]").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900


def test_on_paper_evidence_is_numbered_notes(browser: Any, address: str) -> None:
    """One number for one evidence, in the order of the page; afterwards the screen is as before."""
    with Visit(browser, address) as visit:
        page = visit.page
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        notes = page.locator(".footnotes li").all_inner_texts()
        assert len(notes) == 7
        # Lines of one file that follow each other name it once.
        assert notes[0] == f"{FORMULA}. 30 lines: run<0>.txt:1; :3; :5; :7 and 26 more places"
        # Two figures of one sentence that come from the same rows share a number.
        assert page.locator("main > p [data-note]").evaluate_all("all => all.map(one => one.dataset.note)") == ["1"]
        assert page.locator("li > [data-note]").evaluate_all("all => all.map(one => one.dataset.note)") == ["2", "3"]
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator(".footnotes, [data-note]").count() == 0
