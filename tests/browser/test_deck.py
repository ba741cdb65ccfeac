"""The deck in a browser: sliders that agree with Python, keys, size of text, one slide a sheet."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchlib.capacity.one_node import Level, count_nodes
from benchlib.render.page import asset
from benchlib.render.slides import slides
from tests.tell.test_deck import PLANNED, made


@pytest.fixture(params=PLANNED)
def shown(request: pytest.FixtureRequest, browser: Any, tmp_path: Path) -> Iterator[Any]:
    """A deck that is open, with what its scripts complained of."""
    (tmp_path / "deck.html").write_text(slides(made(request.param)), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "deck.html").as_uri())
    page.wait_for_selector("html[data-ready='1']")
    yield page
    assert said == []
    assert len(asked) == 1
    context.close()


SMALL = """[...document.querySelectorAll('.slide *')].filter((element) => element.localName !== 'script'
  && [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())
  && element.getBoundingClientRect().width && parseFloat(getComputedStyle(element).fontSize) < 18.6)
  .map((element) => element.textContent)"""
OVER = """[...document.querySelectorAll('.slide')].flatMap((slide) => {
  const foot = slide.querySelector('.foot').getBoundingClientRect().top, right = slide.getBoundingClientRect().right;
  return [...slide.querySelectorAll('*:not(.foot, script)')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width && (box.bottom > foot + 1 || box.right > right) && !element.closest('svg, .foot');
  }).map((element) => element.outerHTML.slice(0, 80));
})"""


def test_nothing_is_under_14_points_and_nothing_is_cut_off(shown: Any) -> None:
    """A slide of 1280 px is 13.33 inches wide: 14 pt are 18.7 px."""
    assert shown.evaluate(SMALL) == []
    assert shown.evaluate(OVER) == []


def test_keys_turn_slides_and_show_notes(shown: Any) -> None:
    """Arrows turn, S shows what the speaker says."""
    for _ in range(2):
        shown.keyboard.press("ArrowRight")
    assert shown.evaluate("location.hash") == "#slide-3"
    shown.keyboard.press("s")
    assert shown.locator(".frame.current .notes-spoken").is_visible()
    shown.keyboard.press("ArrowLeft")
    assert shown.evaluate("location.hash") == "#slide-2"


def test_sliders_begin_at_the_plan_and_move_it(shown: Any) -> None:
    """What the deck says of nodes is what the sliders show first; twice the load takes more."""
    before = shown.locator(".what-if .nodes").all_inner_texts()
    shown.locator(".what-if input[type=range]").first.fill("1")
    after = shown.locator(".what-if .nodes").all_inner_texts()
    assert len(before) == len(after)
    assert all(int(new.split()[0]) > int(old.split()[0]) for old, new in zip(before, after, strict=True))


def test_the_formula_is_that_of_python(shown: Any) -> None:
    """The same table, the same settings, the same nodes."""
    chance = random.Random(25)
    for _ in range(300):
        levels = [
            Level(
                level=float(2**power),
                latency=chance.choice([None, chance.uniform(1e-4, 1e-2)]),
                rates=tuple(sorted((chance.uniform(10, 1e5) for _ in range(3)), reverse=True)),
            )
            for power in range(chance.randint(1, 8))
        ]
        asked = {
            "headroom": chance.choice([0.0, 0.2, 0.3, 0.55]),
            "survive": chance.randint(0, 3),
            "limit": chance.choice([None, chance.uniform(1e-4, 1e-2)]),
        }
        target = chance.choice([1.0, chance.uniform(1, 1e6), levels[0].rates[0] * 3])
        plain = [{"level": one.level, "latency": one.latency, "rates": one.rates} for one in levels]
        script = f"countNodes({json.dumps(plain)}, {target!r}, {json.dumps(asked)})"
        answer = count_nodes(levels, target, **asked)  # type: ignore[arg-type]
        told = shown.evaluate(script)
        if answer is None:
            assert told is None
        else:
            assert (told["level"], tuple(told["nodes"])) == (answer.level, answer.nodes)


def test_paper_has_one_slide_a_sheet(shown: Any) -> None:
    """As many sheets as slides."""
    count = shown.evaluate("document.querySelectorAll('.frame').length")
    printed = shown.pdf(prefer_css_page_size=True)
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") == count


def test_the_sliders_take_at_most_150_lines() -> None:
    """A newcomer reads them in one go."""
    assert len(asset("what_if.js").splitlines()) <= 150
