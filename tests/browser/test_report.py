"""Pages in a real browser, opened from disk with no network: shipped reports, a hostile study, a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchlib.report.page.export import check_page, to_html
from benchlib.run.build import Request, build_report
from tests.browser.visiting import Visit
from tests.report.sample_notebook import sample_notebook
from tests.report.shipped import shipped_report

SCRIPT = "<script>window.pwned=1</script>"
IMAGE = "<img src=x onerror=window.pwned=2>"
#: plotly.js gives meaning to markup and to links in labels.
LINK = "<a href='javascript:window.pwned=3'>here</a>"


@pytest.fixture(
    scope="module",
    params=[
        ("onix-adapter-published",),
        ("token-sdk", "50_effects"),
        ("http-endpoints", "70_capacity"),
        ("lplex", "30_comparison"),
    ],
    ids=lambda given: "-".join(given),
)
def report(request: pytest.FixtureRequest) -> Path:
    """A page of a shipped study."""
    return shipped_report(*request.param).page


def test_a_report_asks_for_nothing_and_draws_every_chart(browser: Any, report: Path) -> None:
    """One request, the page itself; no complaint; every chart has its axes and something drawn."""
    draws_every_chart(browser, report)


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
    return build_report(Request(study, folder / "out")).page


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
