"""The pages of the shipped studies in a real browser: one screen, one sheet, nothing cut off, nothing out of reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.render.page import page
from tests.browser.test_page import violations
from tests.browser.visiting import Visit
from tests.shipped_studies import NAMES, document

#: What is wider than what it stands in, but for boxes that scroll, and words of a chart outside it.
OVER = """[...document.querySelectorAll('main *, nav *')].filter((element) => {
  const box = element.getBoundingClientRect();
  return box.width && box.right > innerWidth + 1 && !element.closest('.table-box, pre');
}).map((element) => element.outerHTML.slice(0, 80))"""
CUT = """[...document.querySelectorAll('.plot .main-svg text')].filter((text) => {
  const box = text.getBoundingClientRect(), plot = text.closest('.plot').getBoundingClientRect();
  return box.width && (box.left < plot.left - 1 || box.right > plot.right + 1 || box.top < plot.top - 1);
}).map((text) => text.textContent)"""


@pytest.fixture(scope="module", params=NAMES)
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a study."""
    path: Path = tmp_path_factory.mktemp(request.param) / "page.html"
    path.write_text(page(document(request.param)), encoding="utf-8")
    return path.as_uri()


def test_the_first_screen_is_one_screen_and_one_sheet(browser: Any, address: str) -> None:
    """Complete at 1280 x 800 with its chart, and on A4; one request, no complaint."""
    with Visit(browser, address, width=1280) as visit:
        bottom = "document.getElementById('answer').getBoundingClientRect().bottom"
        assert visit.page.evaluate(bottom) <= 800
        plots, drawn = (visit.page.locator(f"#answer {query}").count() for query in (".plot", ".plot:has(.main-svg)"))
        assert plots == drawn > 0
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate(bottom) <= 1026  # of a sheet of 297 mm, less its margins
        assert visit.requests == [address]
        assert visit.complaints == []


@pytest.mark.parametrize("width", [360, 800, 1280, 1920])
def test_nothing_is_cut_off(browser: Any, address: str, width: int) -> None:
    """With everything open: the page does not scroll sideways, and the words of charts stay in them."""
    with Visit(browser, address, width=width) as visit:
        visit.page.evaluate("openAll()")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        assert visit.page.evaluate(OVER) == []
        assert visit.page.evaluate(CUT) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, address: str, scheme: str) -> None:
    """With everything open, in both themes."""
    with Visit(browser, address, width=1280, scheme=scheme) as visit:
        visit.page.evaluate("openAll()")
        assert violations(visit) == []
