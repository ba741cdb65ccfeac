"""Shipped reports on A4: the first page is whole by itself, nothing is cut, and colours are those of paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.visiting import Visit
from tests.report.shipped import shipped_report

#: A sheet of A4 between the margins of the page's style sheet, in CSS pixels, with room for rounding.
WIDTH, HEIGHT = 682, 1012


@pytest.fixture(scope="module", params=["onix-adapter-published", "token-sdk", "lplex"])
def printed(request: pytest.FixtureRequest, browser: Any) -> Iterator[Any]:
    """A report as on paper, at night."""
    with Visit(browser, shipped_report(request.param).page.as_uri(), width=680, scheme="dark") as visit:
        visit.page.emulate_media(media="print")
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        visit.page.wait_for_timeout(300)
        yield visit.page


def test_the_first_page_holds_all_a_leader_needs(printed: Any) -> None:
    """From the verdict to what to do; the next section begins a page of its own."""
    todo = printed.locator(".todo")
    assert todo.bounding_box()["y"] + todo.bounding_box()["height"] <= HEIGHT
    after = printed.locator(".todo + h2")
    assert after.evaluate("one => getComputedStyle(one).breakBefore") == "page"


def test_nothing_is_wider_than_the_sheet(printed: Any) -> None:
    """A table that were would make the browser shrink every page."""
    assert printed.evaluate("document.documentElement.scrollWidth") <= WIDTH


def test_charts_and_their_titles_are_whole(printed: Any) -> None:
    """Each fits a page; no axis title reaches over the edge of its drawing."""
    for plot in printed.locator(".plot").all():
        box = plot.locator("svg.main-svg").first.bounding_box()
        assert box["height"] <= HEIGHT
        for title in plot.locator(".xtitle, .ytitle, .x2title, .y2title").all():
            place = title.bounding_box()
            assert place["x"] >= box["x"] - 1
            assert place["y"] >= box["y"] - 1
            assert place["x"] + place["width"] <= box["x"] + box["width"] + 1
            assert place["y"] + place["height"] <= box["y"] + box["height"] + 1


@pytest.mark.parametrize("study", ["token-sdk", "lplex", "reference"])
def test_a_page_that_is_opened_as_paper_draws_each_chart_once(browser: Any, study: str) -> None:
    """Names of rows, and a legend below all, have their room before: plotly would draw a chart twice to find it."""
    with Visit(browser, f"{shipped_report(study).page.as_uri()}?paper", width=680) as visit:
        visit.page.emulate_media(media="print")
        visit.page.wait_for_selector("html[data-drawn='1']")
        again = "[...document.querySelectorAll('.plot')].map((one) => one._fullLayout._redrawFromAutoMarginCount)"
        assert set(visit.page.evaluate(again)) == {None}


def test_no_room_is_kept_for_a_legend_that_is_not_shown(browser: Any) -> None:
    """The panels of a first page reach down to their caption."""
    with Visit(browser, f"{shipped_report('http-endpoints').page.as_uri()}?paper", width=680) as visit:
        visit.page.emulate_media(media="print")
        visit.page.wait_for_selector("html[data-drawn='1']")
        below = "document.querySelector('.plot')._fullLayout._size.b"
        assert visit.page.locator(".plot").first.locator(".legend").count() == 0
        assert visit.page.evaluate(below) < 60


def test_paper_is_white_at_night_too(printed: Any) -> None:
    """Ink is dark on white; what can only be used on a screen is not printed."""
    assert printed.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert printed.evaluate("getComputedStyle(document.body).color") == "rgb(27, 36, 49)"
    assert printed.locator(".table-tools:visible, .modebar:visible, nav:visible, .skip:visible").count() == 0


def test_long_folds_stay_folded_and_say_where_the_rest_is(printed: Any) -> None:
    """Nobody reads sixty pages of rows; their evidence makes no notes either."""
    assert printed.locator("tbody.more tr:visible").count() == 0
    assert printed.locator(".fold:visible").count() >= 1
    assert 10 <= printed.locator(".footnotes li").count() <= 300


def test_the_figure_of_the_first_page_takes_the_room_that_is_left(printed: Any) -> None:
    """It is no strip over an empty third of a page, and its curves have most of it, longer than its title."""
    plot = printed.locator(".cards + figure .plot").first
    figure = plot.bounding_box()
    assert plot.evaluate("one => one._fullLayout._size.h") >= 130
    assert plot.evaluate("one => one._fullLayout.yaxis.title.font.size") >= 13
    todo = printed.locator(".todo").bounding_box()
    assert figure["height"] >= 215
    assert figure["height"] >= 455 or todo["y"] + todo["height"] >= 0.9 * HEIGHT


def test_no_names_of_ticks_overprint_each_other(printed: Any) -> None:
    """Of values along one axis; those at both ends stay."""
    for axis in printed.locator(".plot :is(.xaxislayer-above, .yaxislayer-above)").all():
        ticks = axis.locator("text").evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
        for one in ticks:
            for other in ticks:
                apart = one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
                above = one["bottom"] <= other["top"] + 4 or other["bottom"] <= one["top"] + 4
                assert one == other or apart or above


OVERWRITTEN = """() => [...document.querySelectorAll(".plot")].flatMap((plot) => {
  const places = (which) => [...plot.querySelectorAll(which)].map((one) => one.getBoundingClientRect());
  const marks = places(".scatterlayer .points path, .scatterlayer .errorbar path");
  return [...plot.querySelectorAll(".annotation-text, .ytick text")].filter((name) => {
    const { left, right, top, bottom } = name.getBoundingClientRect();
    return marks.some((one) => one.left < right && left < one.right && one.top < bottom - 2 && top + 2 < one.bottom);
  }).map((name) => name.textContent);
})"""


def test_names_of_rows_lie_on_no_marks(printed: Any) -> None:
    """Forty rows to a sheet are low: a name above its marks would lie on the interval of the row before."""
    assert printed.evaluate(OVERWRITTEN) == []


def test_boxes_end_before_the_edge_of_the_sheet(printed: Any) -> None:
    """A border on the edge itself is cut in two by rounding."""
    edge = printed.evaluate("document.body.getBoundingClientRect().right")
    for box in printed.locator(".verdict, .card").all():
        place = box.bounding_box()
        assert place["x"] + place["width"] <= edge - 0.5


def test_marks_of_evidence_are_no_exponents(printed: Any) -> None:
    """Behind a figure with its unit rather than behind the level beside it."""
    marked = printed.locator(".verdict :not(.verdict-why) > [data-note]").all_inner_texts()
    assert marked
    assert not [one for one in marked if one.isdecimal()]
    on_cards = printed.locator(".card-value [data-note]").all_inner_texts()
    assert not [one for one in on_cards if one.isdecimal()], "4 worse is marked behind its word"
