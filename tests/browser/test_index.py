"""The list of reports in a real browser, opened from disk with no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.made_index import made_index


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Four reports, one of them with a name that would be markup, one that failed."""

    path: Path = tmp_path_factory.mktemp("index") / "index.html"
    path.write_text(made_index(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The list, opened."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True)
    opened = context.new_page()
    opened.asked, opened.complaints = [], []
    opened.on("request", lambda one: opened.asked.append(one.url))
    opened.on("console", lambda one: opened.complaints.append(one.text))
    opened.on("pageerror", lambda one: opened.complaints.append(str(one)))
    opened.goto(address)
    yield opened
    context.close()


def seen(page: Any) -> list[str]:
    return [str(one) for one in page.locator(".report:visible h2").all_inner_texts()]


def test_the_list_asks_for_nothing_and_complains_of_nothing(page: Any, address: str) -> None:
    """Its script runs under a policy that knows it by hash; a hostile title is words."""
    assert page.asked == [address]
    assert page.complaints == []
    assert page.title() == "Benchmark reports"
    assert len(seen(page)) == 4
    assert page.locator("#found").inner_text() == "4 of 4 shown"
    assert page.locator("img").count() == 0


def test_words_narrow_the_list_whatever_their_case_accents_and_order(page: Any) -> None:
    """Each word has to stand in the report; Escape shows all again."""
    page.fill("#words", "GATEWAY cafe")
    assert seen(page) == ["Café gateway"]
    assert page.locator("#found").inner_text() == "1 of 4 shown"
    page.fill("#words", "nothing like it")
    assert page.locator("#none").is_visible()
    page.press("#words", "Escape")
    assert len(seen(page)) == 4
    assert not page.locator("#none").is_visible()


def test_the_list_can_be_narrowed_by_keyboard_alone(page: Any) -> None:
    """Skip link, words, status, then the reports that are left."""
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("a")
    page.keyboard.press("Tab")
    page.keyboard.type("FAIL")
    assert len(seen(page)) == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "fail/executive_summary.html"


def test_going_back_from_a_report_finds_the_list_as_it_was(page: Any) -> None:
    """What was asked for stands in the address."""
    page.fill("#words", "targ")
    page.select_option("#status", "pass")
    page.goto("about:blank")
    page.go_back()
    assert page.input_value("#words") == "targ"
    assert seen(page) == ["Adapter"]


def test_failed_reports_are_marked_in_words(page: Any) -> None:
    """Not by colour alone."""
    assert page.locator(".report-error .verdict-word").inner_text() == "FAILED"
