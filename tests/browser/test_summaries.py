"""What holds of the executive summary of each study of data/: each is built once and opened once for all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.test_accessibility import VIEWS, check
from tests.browser.test_paper import HEIGHT, WIDTH
from tests.browser.test_report import draws_every_chart
from tests.browser.visiting import Visit
from tests.report.shipped import shipped_report
from tests.shipped_studies import NAMES

#: The largest page, in bytes: plotly.js and all evidence included.
LARGEST = 800_000


@pytest.mark.parametrize("study", NAMES)
def test_a_summary_is_small_drawn_traced_open_to_all_and_whole_on_paper(browser: Any, study: str) -> None:
    """Its bytes, its charts, the evidence of its cards, axe-core by night on a phone, and its first sheet."""
    built = shipped_report(study)
    assert built.page.stat().st_size <= LARGEST
    draws_every_chart(browser, built.page)
    with Visit(browser, built.page.as_uri(), width=680) as visit:
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
    """From the verdict to what to do on one sheet, and nothing wider than it."""
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    visit.page.wait_for_timeout(300)
    last = visit.page.locator("main :is(.todo, .alerts):has(+ h2)").first.bounding_box()
    assert last["y"] + last["height"] <= HEIGHT
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= WIDTH
