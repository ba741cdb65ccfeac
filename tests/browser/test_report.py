"""Built reports in a real browser, opened from disk with no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.run.build import build_report
from tests.browser.visiting import Visit
from tests.report.shipped import shipped_report

SCRIPT = "<script>window.pwned=1</script>"
IMAGE = "<img src=x onerror=window.pwned=2>"
#: plotly.js gives meaning to markup and to links in labels.
LINK = "<a href='javascript:window.pwned=3'>here</a>"


@pytest.fixture(
    scope="module",
    params=[
        ("onix-adapter-published",),
        ("token-sdk",),
        ("token-sdk", "50_effects"),
        ("http-endpoints", "70_capacity"),
    ],
    ids=lambda given: "-".join(given),
)
def report(request: pytest.FixtureRequest) -> Path:
    """A page of a shipped study."""
    return shipped_report(*request.param).page


TITLES = {
    "onix-adapter-published": "beckn-onix adapter, as published: Apple M5, ten cores",
    "token-sdk": "",
    "http-endpoints": "Three HTTP endpoints",
}


def test_a_report_asks_for_nothing_and_draws_every_chart(browser: Any, report: Path) -> None:
    """One request, the page itself; no complaint; every chart has its axes and something drawn."""
    draws_every_chart(browser, report)


@pytest.mark.parametrize("study", ["lplex", "heavy-read-api-published"])
def test_so_does_a_comparison(browser: Any, study: str) -> None:
    """Forest plots, paired dots, values in the order of recording, percentiles."""
    draws_every_chart(browser, shipped_report(study, "30_comparison").page)


def draws_every_chart(browser: Any, report: Path) -> None:
    """Open a page and look at every chart of it."""
    with Visit(browser, report.as_uri()) as visit:
        assert visit.requests == [report.as_uri()]
        assert visit.complaints == []
        plots = visit.page.locator(".plot").all()
        assert plots
        for plot in plots:
            plot.scroll_into_view_if_needed()
            assert plot.locator("svg.main-svg").count() >= 1
            assert plot.locator(".trace path, .trace .point, .points path, .hm image").count() >= 1
            assert plot.bounding_box()["height"] >= 150


def test_title_and_headings_are_the_studys(browser: Any, report: Path) -> None:
    """The tab, the one first-level heading and answers.json name the study alike."""
    import json

    beside = "answers.json" if report.stem == "executive_summary" else f"{report.stem}.answers.json"
    title = json.loads(report.with_name(beside).read_text(encoding="utf-8"))["title"]
    assert title.startswith(TITLES[report.parent.name])
    with Visit(browser, report.as_uri()) as visit:
        assert visit.page.title() == title
        assert visit.page.locator("h1").all_inner_texts() == [title]


def test_every_link_of_the_contents_leads_to_its_section(browser: Any, report: Path) -> None:
    """A click brings the section into view."""
    with Visit(browser, report.as_uri()) as visit:
        visit.page.evaluate("document.querySelector('nav details').open = true")
        links = visit.page.locator("nav a[href^='#']").all()
        assert len(links) >= 10
        for link in links:
            anchor = link.get_attribute("href")
            link.click()
            # A click may fold the contents again.
            visit.page.evaluate("document.querySelector('nav details').open = true")
            target = visit.page.locator(f"[id='{anchor[1:]}']")
            assert target.count() == 1, anchor
            place = target.first.evaluate("one => one.getBoundingClientRect().top")
            assert -5 <= place < 900, anchor
        assert len(visit.requests) == 1


@pytest.mark.parametrize("width", [360, 1400])
def test_a_report_never_scrolls_sideways(browser: Any, report: Path, width: int) -> None:
    """Wide tables scroll in their own box, also with every fold open."""
    with Visit(browser, report.as_uri(), width=width) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert visit.page.evaluate("document.documentElement.scrollWidth") == width


CUT = """() => [...document.querySelectorAll(".plot")].flatMap((plot) => {
  const ends = plot.querySelector("svg.main-svg").getBoundingClientRect();
  return [...plot.querySelectorAll(".legendtext, .annotation-text, .xtitle, .x2title, .x3title")].filter((words) => {
    const { left, right } = words.getBoundingClientRect();
    return left < ends.left - 1 || right > ends.right + 1;
  }).map((words) => words.textContent);
})"""


@pytest.mark.parametrize("study", ["onix-adapter", "lplex", "http-endpoints", "token-sdk"])
def test_no_words_of_a_chart_are_cut_on_a_small_screen(browser: Any, study: str) -> None:
    """Long names in a legend and long titles of an axis take more lines."""
    with Visit(browser, shipped_report(study).page.as_uri(), width=360) as visit:
        visit.page.wait_for_function("document.querySelectorAll('.plot:not(.drawn)').length === 0")
        assert visit.page.evaluate(CUT) == []


RANGE = "one => one._fullLayout.xaxis.range.join() + ' ' + one._fullLayout.yaxis.range.join()"

FOCUSED = "document.activeElement.ariaLabel ?? document.activeElement.dataset.title"


def range_after(plot: Any, before: str) -> str:
    """What a chart shows once that is no longer what it was: the policy of a page lets nobody wait within it."""
    for _ in range(100):
        shown = str(plot.evaluate(RANGE))
        if shown != before:
            break
        plot.page.wait_for_timeout(50)
    return shown


def test_a_drag_over_a_chart_looks_closer_and_a_double_click_gives_all_back(browser: Any) -> None:
    """By pointer: the axes hold a part of the levels 1 to 16, on their logarithms, and then all of them again."""
    with Visit(browser, shipped_report("onix-adapter-published").page.as_uri()) as visit:
        plot = visit.page.locator(".cards + figure .plot.drawn")
        plot.scroll_into_view_if_needed()
        whole = plot.evaluate(RANGE)
        ground = plot.locator(".nsewdrag").first.bounding_box()
        x, y, wide, high = (ground[side] for side in ("x", "y", "width", "height"))
        visit.page.mouse.move(x + 0.3 * wide, y + 0.2 * high)
        visit.page.mouse.down()
        visit.page.mouse.move(x + 0.6 * wide, y + 0.8 * high, steps=5)
        visit.page.mouse.up()
        closer = range_after(plot, whole)
        low, top = plot.evaluate("one => one._fullLayout.xaxis.range")
        assert 0 < low < top < 1.2
        visit.page.mouse.dblclick(x + 0.5 * wide, y + 0.5 * high)
        assert range_after(plot, closer) == whole
        assert visit.complaints == []


def test_keys_look_closer_too_and_give_all_back(browser: Any) -> None:
    """Tab reaches the buttons of a chart, Enter presses them."""
    with Visit(browser, shipped_report("onix-adapter-published").page.as_uri()) as visit:
        plot = visit.page.locator(".cards + figure .plot.drawn")
        shown = [plot.evaluate(RANGE)]
        plot.locator(".modebar-btn").first.focus()
        for name in ("Zoom in", "Reset axes"):
            for _ in range(8):
                if visit.page.evaluate(FOCUSED) == name:
                    break
                visit.page.keyboard.press("Tab")
            visit.page.keyboard.press("Enter")
            shown.append(range_after(plot, shown[-1]))
        assert shown[0] == shown[2] != shown[1]
        assert visit.complaints == []


def test_names_leave_the_marks_of_a_small_screen_their_room(browser: Any) -> None:
    """The first figure of a comparison has its names above its marks there, not beside them."""
    with Visit(browser, shipped_report("lplex").page.as_uri(), width=360) as visit:
        plot = visit.page.locator(".cards + figure .plot.drawn")
        assert plot.evaluate("one => one._fullLayout._size.w / one.clientWidth") > 0.85
        assert plot.evaluate("one => one._fullLayout.annotations.length") == 12


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a study whose every name is an attack."""
    folder: Path = tmp_path_factory.mktemp("hostile")
    study = folder / "study"
    study.mkdir()
    lines = ["benchmark,workers,kind,metric,value,unit"]
    for name, factor in ((SCRIPT, 1.0), (LINK, 0.8)):
        for workers, rate in ((1, 100), (2, 190), (4, 340), (8, 500), (16, 600)):
            lines.append(f'"{name}",{workers},"{IMAGE}",throughput,{rate * factor},req/s')
            lines.append(f'"{name}",{workers},"{SCRIPT}",throughput,{rate * factor * 0.9},req/s')
    (study / "run.csv").write_text("\n".join(lines) + "\n")
    texts = {one: f'"{one} {{}} $x$"' for one in (SCRIPT, IMAGE, LINK)}
    (study / "study.toml").write_text(
        f"title = {texts[IMAGE]}\nquestion = {texts[SCRIPT]}\ntested = {texts[SCRIPT]}\n"
        f"origin = {texts[IMAGE]}\nnotes = [{texts[IMAGE]}, {texts[LINK]}]\ncommands = [{texts[SCRIPT]}]\n"
        f'[environment]\nmachine = {texts[IMAGE]}\n[scaling]\nconcurrency = "workers"\n'
        f'[[compare]]\nname = {texts[IMAGE]}\nquestion = {texts[LINK]}\ncolumn = "kind"\nbaseline = "{IMAGE}"\n'
        f'[describe.benchmarks]\n"{SCRIPT}" = {texts[IMAGE]}\n'
    )
    return build_report(study, folder / "out").page


def test_hostile_names_are_text(browser: Any, hostile: Path) -> None:
    """Nothing ran, nothing was loaded, no element grew out of a name, and each can be read as it stands."""
    with Visit(browser, hostile.as_uri()) as visit:
        visit.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        visit.page.wait_for_timeout(200)
        assert visit.page.evaluate("window.pwned") is None
        assert visit.requests == [hostile.as_uri()]
        assert visit.complaints == []
        assert visit.page.locator("img, iframe, object, embed").count() == 0
        assert visit.page.locator("a[href^='javascript' i], svg a").count() == 0
        assert IMAGE in visit.page.title()
        assert IMAGE in visit.page.locator("h1").inner_text()
        shown = visit.page.locator("body").inner_text()
        for name in (SCRIPT, IMAGE, LINK):
            assert name in shown
        assert visit.page.locator(".plot").count() >= 1


def test_hostile_names_are_text_in_the_charts(browser: Any, hostile: Path) -> None:
    """A label of a chart shows the name, markup and all, when the pointer rests on it as well."""
    with Visit(browser, hostile.as_uri()) as visit:
        drawn = " ".join(visit.page.locator(".plot text").all_text_contents())
        assert "script" in drawn
        assert "pwned" in drawn
        for point in visit.page.locator(".plot .points path").all()[:4]:
            point.hover(force=True)
        assert visit.page.evaluate("window.pwned") is None
        assert visit.page.locator(".hoverlayer a, .hoverlayer img").count() == 0
