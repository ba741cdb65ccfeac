"""The what-if block in use: by keys and by a screen reader, on a phone and on paper, without a script, and how fast."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.cli import main
from benchlib.report.wording.what_if import LABELS, plan_lines
from tests.browser.planned_page import planned_page
from tests.browser.test_accessibility import check
from tests.browser.visiting import Visit

ASKED: dict[str, Any] = {
    "target": "50000/s", "slo": "latency_mean=1ms", "headroom": "30%", "survive": 1, "growth": "4%/month",
    "start": "2026-11", "node": ["cores=4,cost=0.17/h", "cores=8,cost=0.34/h"],
}  # fmt: skip
STUDY = "data/onix-adapter-published"
ALIVE = '.what-if[data-live="1"]'


@pytest.fixture(scope="module")
def answer() -> PlanningAnswer:
    """A plan with all that can be moved."""
    found = benchlib.plan_capacity(STUDY, **ASKED)
    assert isinstance(found, PlanningAnswer)
    return found


@pytest.fixture(scope="module")
def address(answer: PlanningAnswer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Its page on disk."""
    return planned_page(answer, tmp_path_factory.mktemp("what-if"))


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    """Its page, alive."""
    with Visit(browser, address) as opened:
        opened.page.wait_for_selector(ALIVE, state="attached")
        yield opened
        assert opened.complaints == []


def line(visit: Visit, name: str) -> str:
    """One line of the answer."""
    return str(visit.page.locator(f'[data-line="{name}"]').inner_text()).replace("\u00a0", " ")


def number(visit: Visit, label: str) -> Any:
    """The number field of a setting."""
    return visit.page.locator(".what-if-field", has=visit.page.get_by_text(label, exact=True)).locator("[type=number]")


def slider(visit: Visit, label: str) -> Any:
    """Its slider."""
    return visit.page.get_by_role("slider", name=label, exact=True)


def test_before_anything_is_moved_it_says_the_plan(visit: Visit, answer: PlanningAnswer) -> None:
    """Line by line what the answer says."""
    assert {name: line(visit, name) for name in LABELS} == plan_lines(answer, answer.loads[0])
    assert visit.page.locator(".what-if-plan table").count() == 1, "the plan as a table has made room"


def test_sliders_are_worked_by_keys(visit: Visit) -> None:
    """Tab reaches them, arrows move them, the number follows and the answer with it; a button goes back."""
    before = line(visit, "nodes")
    target = slider(visit, "Target")
    target.focus()
    for _ in range(20):
        visit.page.keyboard.press("ArrowRight")
    assert float(number(visit, "Target").input_value()) == pytest.approx(50_000 * 10**0.2, rel=0.01)
    assert target.get_attribute("aria-valuetext") == f"{number(visit, 'Target').input_value()} op/s"
    assert line(visit, "nodes") != before
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate(
        "document.activeElement === document.querySelectorAll('.what-if-field [type=number]')[0]"
    )
    visit.page.get_by_role("button", name="Back to the plan").press("Enter")
    assert line(visit, "nodes") == before
    assert number(visit, "Target").input_value() == "50000"


def test_every_slider_moves_the_answer(visit: Visit) -> None:
    """Target, headroom, lost nodes, growth, limit, size and cost: each changes what it is about."""
    moved = {
        "Target": "nodes", "Headroom": "nodes", "Nodes that may be lost": "nodes", "Growth": "used_up",
        "Limit of the mean latency": "breaks", "Node 1: size": "nodes", "Node 1: cost": "nodes",
    }  # fmt: skip
    for label, name in moved.items():
        before = line(visit, name)
        slider(visit, label).focus()
        # The limit of the study holds until a node is full: only a tighter one changes anything.
        visit.page.keyboard.press("Home" if label.startswith("Limit") else "End")
        assert line(visit, name) != before, label
        visit.page.get_by_role("button", name="Back to the plan").click()


def test_a_screen_reader_is_told_once_the_slider_rests(visit: Visit) -> None:
    """The first line, politely; fields have names, units and what is wrong with them."""
    slider(visit, "Headroom").press("End")
    visit.page.locator(".what-if-said", has_text=line(visit, "nodes")).wait_for(state="attached")
    assert visit.page.get_by_role("status").filter(has_text="nodes of").count() == 1
    field = visit.page.get_by_role("spinbutton", name="Headroom", exact=True)
    field.fill("100")
    assert field.get_attribute("aria-invalid") == "true"
    told = visit.page.locator(f"#{field.get_attribute('aria-describedby')}")
    assert told.inner_text() == "headroom is from 0 to below 100 %"


@pytest.mark.parametrize(
    ("label", "text", "told"),
    [
        ("Target", "0", "a target is a number above 0 and below 10¹⁵"),
        ("Target", "", "a target is a number above 0 and below 10¹⁵"),
        ("Nodes that may be lost", "1.5", "nodes that may be lost are a whole number from 0 to 1,000"),
        ("Limit of the mean latency", "-1", "a limit is a time above 0 and below 10⁹ ms"),
        ("Growth", "-100", "growth is between −100 and 9,900 % a month"),
        ("Node 1: size", "17", "the draws speak of nodes of 1 to 16 cores; choose one of them"),
        ("Node 1: size", "8", "two kinds of node have 8 cores; change one"),
        ("Node 2: cost", "", "give all kinds a cost, or none"),
    ],
)
def test_what_cannot_be_meant_is_said_and_not_answered(visit: Visit, label: str, text: str, told: str) -> None:
    """One line beside a field; the last answer stays, said to be of the settings before, until it is mended."""
    before = line(visit, "nodes")
    own = number(visit, label).input_value()
    number(visit, label).fill(text)
    assert [one for one in visit.page.locator(".what-if-wrong").all_inner_texts() if one] == [told]
    assert line(visit, "nodes") == before
    assert visit.page.locator(".what-if-brief").inner_text().startswith("of the settings before")
    number(visit, label).fill(own)
    assert visit.page.locator(".what-if-brief").inner_text().startswith("enough with")


def test_the_command_that_stands_there_says_the_same(visit: Visit, capsys: pytest.CaptureFixture[str]) -> None:
    """Moved settings, as a terminal takes them: the plan of the command is the plan of the page."""
    number(visit, "Target").fill("81250.5")
    number(visit, "Node 1: size").fill("6")
    number(visit, "Node 2: cost").fill("0.21")
    words = shlex.split(visit.page.locator(".what-if-command code").inner_text())
    assert words[:3] == ["benchlib", "capacity", "STUDY"]
    assert main(["capacity", STUDY, *words[3:], "--format", "json"]) == 0
    plan = json.loads(capsys.readouterr().out)["loads"][0]
    best = plan["options"][plan["chosen"]]
    assert line(visit, "nodes").startswith(f"{best['nodes']:,.0f} nodes of {best['cores']} cores")


def test_axe_finds_nothing(visit: Visit) -> None:
    """On a phone and on a screen, by day and by night, sound and with a fault."""
    check(visit)
    number(visit, "Target").fill("0")
    check(visit)


@pytest.mark.parametrize("width", [360, 768, 1200, 1920])
def test_nothing_is_wider_than_the_screen(visit: Visit, width: int) -> None:
    """No sideways scrolling of the page; on a phone the first line stays in sight while sliders move."""
    visit.page.set_viewport_size({"width": width, "height": 780})
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    if width == 360:
        slider(visit, "Node 2: cost").scroll_into_view_if_needed()
        assert visit.page.locator(".what-if-headline").bounding_box()["y"] >= -1


def test_on_paper_the_setting_and_its_answer_stand_without_sliders(visit: Visit) -> None:
    """As it is now, not as it was built."""
    number(visit, "Headroom").fill("44")
    visit.page.emulate_media(media="print")
    assert visit.page.locator(".what-if input:visible, .what-if button:visible").count() == 0
    asked = visit.page.locator(".what-if-asked")
    assert asked.is_visible()
    assert "headroom 44 %" in asked.inner_text()
    assert visit.page.locator('[data-line="sure"]').is_visible()


def test_without_a_script_the_plan_stands_as_a_table(browser: Any, address: str, answer: PlanningAnswer) -> None:
    """Every load and every line of it; no slider that would do nothing."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    for plan in answer.loads:
        text = page.locator("table", has_text=f"The plan: {plan.name}").inner_text().replace("\u00a0", " ")
        assert all(one in text for one in plan_lines(answer, plan).values())
    assert page.locator(".what-if input").count() == 0
    context.close()


def test_names_are_words(browser: Any, tmp_path: Path, answer: PlanningAnswer) -> None:
    """Markup in the name of a load is shown, not run."""
    from dataclasses import replace

    hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    one = replace(answer, loads=tuple(replace(plan, name=f"{hostile}{at}") for at, plan in enumerate(answer.loads)))
    with Visit(browser, planned_page(one, tmp_path)) as visit:
        visit.page.wait_for_selector(ALIVE, state="attached")
        assert visit.page.locator(".what-if-load option").first.inner_text() == f"{hostile}0"
        assert visit.page.locator("img").count() == 0
        assert visit.complaints == []
