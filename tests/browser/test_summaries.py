"""What holds of the executive summary of each study of data/: each is built once and opened once for all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.test_accessibility import VIEWS, check
from tests.browser.test_report import draws_every_chart
from tests.browser.visiting import Visit
from tests.report.shipped import shipped_report
from tests.shipped_studies import NAMES

#: The largest page, in bytes: plotly.js and all evidence included.
LARGEST = 800_000
#: A sheet of A4 between the margins of the page's style sheet, in CSS pixels, with room for rounding.
WIDTH, HEIGHT = 682, 1012
#: Charts and titles of their axes that reach over an edge: of the sheet, or of the drawing.
CUT = """([height]) => [...document.querySelectorAll(".plot")].flatMap((plot) => {
  const ends = plot.querySelector("svg.main-svg").getBoundingClientRect();
  const titles = [...plot.querySelectorAll(".xtitle, .ytitle, .x2title, .y2title")].filter((title) => {
    const { left, right, top, bottom } = title.getBoundingClientRect();
    return left < ends.left - 1 || right > ends.right + 1 || top < ends.top - 1 || bottom > ends.bottom + 1;
  });
  return (ends.height > height ? [plot] : []).concat(titles).map((one) => one.textContent);
})"""
#: What can only be used on a screen.
TOOLS = ".table-tools:visible, .modebar:visible, nav:visible, .skip:visible"


@pytest.mark.parametrize("study", NAMES)
def test_a_summary_is_small_drawn_traced_open_to_all_and_whole_on_paper(browser: Any, study: str) -> None:
    """Its bytes, its charts, the evidence of its cards, axe-core by night on a phone, and its first sheet."""
    built = shipped_report(study)
    assert built.page.stat().st_size <= LARGEST
    draws_every_chart(browser, built.page)
    with Visit(browser, built.page.as_uri(), width=680, scheme="dark") as visit:
        _traced(visit, built.answers)
        _whole_on_paper(visit)
        visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
        visit.page.emulate_media(media="screen")
        check(visit, VIEWS[:1])
        assert visit.page.locator(".plot:not([aria-label])").count() == 0
        assert visit.complaints == []


def _traced(visit: Visit, answers: Path) -> None:
    """The first figure of each card opens lines and a formula that answers.json holds."""
    held = json.dumps(json.loads(answers.read_text(encoding="utf-8")))
    cards = visit.page.locator(".card:has(.figure)").all()
    assert len(cards) >= 3
    for card in cards:
        card.locator(".figure").first.focus()
        visit.page.keyboard.press("Enter")
        formula, rows = visit.page.locator("dialog[open]").evaluate(
            """one => [one.querySelector(".behind-formula").innerText,
                       [...one.querySelectorAll("li code")].map((row) => row.innerText)]"""
        )
        assert rows
        assert json.dumps(formula)[1:-1] in held
        assert [row for row in rows if json.dumps(row) not in held] == []
        visit.page.keyboard.press("Escape")


def _whole_on_paper(visit: Visit) -> None:
    """From the verdict to what to do on one sheet, nothing cut, nothing wider than it; ink on white at night too."""
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    visit.page.wait_for_timeout(300)
    last = visit.page.locator("main :is(.todo, .alerts):has(+ h2)").first.bounding_box()
    assert last["y"] + last["height"] <= HEIGHT
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= WIDTH
    assert visit.page.evaluate(CUT, [HEIGHT]) == []
    assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert visit.page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 36, 49)"
    assert visit.page.locator(TOOLS).count() == 0
