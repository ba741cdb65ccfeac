"""The page in a real browser, opened from disk with no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.report.page.export import check_page, to_html
from tests.browser.visiting import Visit
from tests.report.sample_notebook import LINK, sample_notebook

#: Between the margins of an A4 page, in CSS pixels, with room for rounding.
PAPER_WIDTH = 682


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample page on disk."""
    notebook = sample_notebook()
    page = to_html(notebook, title="ONIX adapter", subtitle="10 cores")
    check_page(page, notebook)
    path: Path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


def test_opening_the_page_asks_for_nothing_and_draws_every_chart(browser: Any, address: str) -> None:
    """One request, the page itself; no complaint on the console; traces in every plot."""
    with Visit(browser, address) as visit:
        assert visit.requests == [address]
        assert visit.complaints == []
        plots = visit.page.locator(".plot")
        assert plots.count() == 2
        for number in range(2):
            assert plots.nth(number).locator("svg.main-svg").count() >= 1
        assert visit.page.locator(".plot .scatterlayer .trace").count() == 5
        assert visit.page.locator(".plot .barlayer .point").count() == 3


def test_hostile_names_are_inert(browser: Any, address: str) -> None:
    """No script ran, no picture or link grew out of a name, and the name can be read."""
    with Visit(browser, address) as visit:
        assert visit.page.title() == "ONIX adapter"
        assert visit.page.locator("svg a, .plot img").count() == 0
        assert visit.page.locator("a[href^='javascript']").count() == 0
        texts = visit.page.locator(".plot text").all_text_contents()
        assert LINK in texts


def test_an_injected_script_is_refused_by_the_policy(browser: Any, address: str) -> None:
    """Should escaping ever fail, the browser itself does not run what is not the page's own."""
    with Visit(browser, address) as visit:
        visit.page.evaluate(
            """() => {
                const one = document.createElement("script");
                one.textContent = "document.title = 'taken'";
                document.body.append(one);
            }"""
        )
        assert visit.page.title() == "ONIX adapter"
        assert any("Content Security Policy" in one for one in visit.complaints)


def test_no_button_uploads_the_data(browser: Any, address: str) -> None:
    """plotly.js 4 shows one unless it is told not to."""
    with Visit(browser, address) as visit:
        labels = visit.page.locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title || '')")
        assert labels
        assert not [one for one in labels if "hare" in one or "loud" in one or "plotly" in one.lower()]


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_the_page_never_scrolls_sideways(browser: Any, address: str, width: int) -> None:
    """Wide tables scroll in their own box; charts fit the column."""
    with Visit(browser, address, width=width) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") == width
        for box in visit.page.locator(".plot").all():
            assert box.bounding_box()["width"] <= width


def test_charts_follow_the_dark_scheme(browser: Any, address: str) -> None:
    """Their text takes the ink of the page, without redrawing."""
    colours = {}
    for scheme in ("light", "dark"):
        with Visit(browser, address, scheme=scheme) as visit:
            tick = visit.page.locator(".plot .xtick text").first
            colours[scheme] = tick.evaluate("one => getComputedStyle(one).fill")
            ink = visit.page.evaluate("getComputedStyle(document.body).color")
            assert colours[scheme] == ink
    assert colours["light"] != colours["dark"]


def test_paper_shows_everything_within_its_margins(browser: Any, address: str, tmp_path: Path) -> None:
    """Charts are fitted to A4, folded method notes are open, and the screen is as before afterwards."""
    with Visit(browser, address, scheme="dark") as visit:
        before = visit.page.locator(".plot").first.locator("svg.main-svg").first.bounding_box()["width"]
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        for plot in visit.page.locator(".plot svg.main-svg").all():
            assert plot.bounding_box()["width"] <= PAPER_WIDTH
        assert visit.page.locator("details.method[open]").count() == 1
        visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
        visit.page.wait_for_timeout(100)
        after = visit.page.locator(".plot").first.locator("svg.main-svg").first.bounding_box()["width"]
        assert after == before
        assert visit.page.locator("details.method[open]").count() == 0
