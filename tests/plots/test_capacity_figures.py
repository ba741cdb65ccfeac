"""The figures of a capacity plan: each shows what its plan says, at every load and not only at those of a table."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
from benchlib.plots.capacity import cost_figure, demand_figure
from benchlib.plots.capacity_latency import loaded_latency_figure
from benchlib.plots.capacity_returns import returns_figure
from tests.shipped_studies import study
from tests.synthetic import make_table

FIGURES = (demand_figure, cost_figure, returns_figure, loaded_latency_figure)
ATTACK = "<img src=x onerror=alert(1)>"


@cache
def answer(name: str) -> PlanningAnswer:
    """The plan that a shipped study asks for."""
    found = benchlib.plan_capacity(study(name), draws=1000)
    assert isinstance(found, PlanningAnswer)
    return found


def first(name: str) -> tuple[PlanningAnswer, LoadPlan]:
    """A plan and its first load."""
    return answer(name), answer(name).loads[0]


def steps(line: go.Scatter, load: float) -> float:
    """The value of a step line at a load: it holds from each corner to the next."""
    return float(line.y[np.searchsorted(np.asarray(line.x), load, side="left") - 1])


def named(figure: go.Figure, name: str) -> go.Scatter:
    """The one trace of that name."""
    (found,) = (one for one in figure.data if one.name == name)
    return found


def texts(figure: go.Figure) -> list[str]:
    """What is written in a figure."""
    return [one.text for one in figure.layout.annotations]


@pytest.mark.parametrize("name", ["onix-adapter-published", "http-endpoints"])
def test_demand_is_the_table_at_every_load_of_the_table(name: str) -> None:
    """The steps of 50, 80 and 95 % pass through the counts that the answer has for its loads."""
    whole, plan = first(name)
    figure = demand_figure(whole, plan, alt="a", caption="c")
    for share in (0.5, 0.8, 0.95):
        line = named(figure, f"enough with {100 * share:.0f} %")
        assert line.line.shape == "hv"
        assert [steps(line, one.load) for one in plan.demand] == [one.nodes_at[share] for one in plan.demand]


def test_cost_is_nodes_times_price_and_the_strip_names_the_cheapest() -> None:
    """Each kind passes through the costs of the table; the strip covers all loads, and is the cheapest everywhere."""
    whole, plan = first("onix-adapter-published")
    figure = cost_figure(whole, plan, alt="a", caption="c")
    for at, option in enumerate(plan.options):
        line = named(figure, f"{option.concurrency:g}-core nodes")
        told = [steps(line, one.load) for one in plan.demand]
        assert told == pytest.approx([one.costs[at] for one in plan.demand])
    assert figure.layout.yaxis.title.text == "cost per hour, USD"
    strip = [one for one in figure.layout.shapes if one.type == "rect"]
    ends = sorted((one.x0, one.x1) for one in strip)
    assert (ends[0][0], ends[-1][1]) == (0, plan.demand[-1].load)
    assert all(before[1] == after[0] for before, after in pairwise(ends))
    assert f"{plan.options[plan.demand[-1].cheapest].concurrency:g}-core nodes cheapest" in texts(figure)


def test_latency_shows_what_was_measured_and_where_the_limit_breaks() -> None:
    """p99 as measured lies on its marks; the limit is a line; the break has its interval on the axis."""
    whole, plan = first("http-endpoints")
    assert plan.best is not None
    assert plan.best.breaks_at is not None
    figure = loaded_latency_figure(whole, plan, alt="a", caption="c")
    marks = named(figure, "p99 measured")
    assert list(marks.x) == [one.throughput for one in plan.measured]
    assert [1e-3 * one for one in marks.y] == pytest.approx([one.percentiles["latency_p99"] for one in plan.measured])
    assert any(text.startswith("limit: p99 5") for text in texts(figure))
    assert any(text.startswith("breaks: 93,") for text in texts(figure))
    (bar,) = (one for one in figure.layout.shapes if one.line.width == 7)
    assert (bar.x0, bar.x1) == (plan.best.breaks_at.low, plan.best.breaks_at.high)
    assert figure.layout.yaxis.type == "log", "p99 and mean lie more than a factor of 20 apart"


def test_the_mean_obeys_little_s_law_point_by_point() -> None:
    """Throughput times mean latency is what is in flight, to 1 %, on the line and on the marks."""
    whole, plan = first("onix-adapter-published")
    figure = loaded_latency_figure(whole, plan, alt="a", caption="c")
    unit = 1e-3 if figure.layout.yaxis.title.text.endswith("ms") else 1e-6
    line, marks = named(figure, "mean: N / X(N)"), named(figure, "N / X measured")
    flying = [one.concurrency for one in plan.latency]
    told = [x * y * unit for x, y in zip(line.x[1:], line.y[1:], strict=True)]
    assert told == pytest.approx(flying[: len(told)], rel=0.01)
    assert [x * y * unit for x, y in zip(marks.x, marks.y, strict=True)] == pytest.approx(
        [one.concurrency for one in plan.measured]
    )


def test_hostile_names_are_text_and_every_figure_has_its_words(tmp_path: Path) -> None:
    """No label of a figure carries markup from a name; alternative text and caption are kept."""
    rows = [
        (str(run), ATTACK, level, metric, value * (1 + 0.01 * run), unit)
        for run in range(3)
        for level in (1, 2, 4, 8)
        for metric, value, unit in (("throughput", 1000 * level / (1 + 0.1 * level), "req/s"),)
    ]
    hostile = make_table(tmp_path, "run benchmark workers metric value unit", rows, "[environment]\ncores = 8\n")
    whole = benchlib.plan_capacity(hostile, target="20000/s", slo="latency_mean=9ms", draws=300)
    assert isinstance(whole, PlanningAnswer)
    for draw in FIGURES:
        figure = draw(whole, whole.loads[0], alt="told", caption=ATTACK)
        assert figure.layout.meta == {"alt": "told", "caption": ATTACK}
        plain = json.loads(figure.to_json())
        plain["layout"].pop("meta")
        assert "<img" not in json.dumps(plain)


def test_a_load_without_a_plan_has_axes_and_no_line() -> None:
    """Nothing is drawn where no count of nodes is enough."""
    whole, plan = first("http-endpoints")
    bare = replace(plan, chosen=None)
    assert demand_figure(whole, bare, alt="a", caption="c").data == ()
