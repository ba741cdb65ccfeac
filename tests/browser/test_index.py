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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_the_list_fits_its_window_and_its_text_can_be_read(page: Any, width: int, scheme: str) -> None:
    """Nothing scrolls sideways; text has a contrast of 4.5 to its ground; what can be touched is large enough."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for one in page.locator("input, select").all():
        assert one.bounding_box()["height"] >= 44
    low = page.evaluate(CONTRASTS)
    assert low == []


#: Texts whose colour is too near to that of what they stand on: [words, ratio].
CONTRASTS = """
() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const c = channels(getComputedStyle(at).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const one of document.querySelectorAll("main *")) {
    const own = [...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !one.checkVisibility() || one.closest("svg")) continue;
    const pair = [luminance(channels(getComputedStyle(one).color)), luminance(ground(one))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) low.push([one.textContent.trim(), ratio]);
  }
  return low;
}
"""
