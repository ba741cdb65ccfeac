"""Load, mean latency and what is in flight as they are printed: whoever multiplies them finds Little's law."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.report.wording.littles_law import digits_at, flying_figure, level_figures, load_figure, mean_figure
from benchlib.report.wording.plan_tables import latencies_table
from benchlib.report.wording.plan_words import ends
from benchlib.significant_digits import significant_digits_of
from tests.shipped_studies import study
from tests.synthetic import make_table

_SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_WORK = {"req": 1.0, "op": 1.0, "scripts": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}


def printed(text: str) -> float:
    """Read a figure as a reader does: a number, seconds, or work by the second."""
    number, _, unit = text.replace(",", "").partition(" ")
    work, _, time = unit.partition("/")
    if time:
        return float(number) * _WORK[work] / _SECONDS[time]
    return float(number) * (_SECONDS[unit] if unit else 1.0)


def off(option: NodeOption, plan: LoadPlan) -> float:
    """By how much load x mean latency misses what is in flight."""
    product = printed(load_figure(option, plan)) * printed(mean_figure(option))
    return abs(product / printed(flying_figure(option)) - 1)


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter-published"])
@pytest.mark.parametrize("target", ["9000/s", "50000/s", "131000/s", "250000/s", "777000/s"])
def test_printed_figures_obey_littles_law(name: str, target: str) -> None:
    """Load x mean latency is what is in flight, to 1 %, of every kind of node of every load."""
    answer = benchlib.plan_capacity(study(name), target=target, survive=1, headroom="20%", slo="", draws=300)
    judged = 0
    for plan in answer.loads:
        for option in plan.options:
            assert off(option, plan) <= 0.01, (load_figure(option, plan), mean_figure(option), flying_figure(option))
            judged += 1
    assert judged


def best_of(name: str) -> tuple[NodeOption, LoadPlan]:
    """A plan whose figures are to be changed."""
    plan = benchlib.plan_capacity(study(name), draws=200).loads[0]
    assert plan.best is not None
    return plan.best, plan


#: What is in flight and the load, of which one rounding that is not counted in leaves the law by more than 1 %.
WORST = [(0.2121, 2_018.0), (4.338, 41_301.3), (7.4309, 120_552.4), (44.1298, 11_695.0), (58.4896, 112_654.5)]
HALFWAY = itertools.product(
    [0.1004999, 0.1005, 1.0049, 1.05, 3.5625, 9.949, 12.499, 104.9, 1049.0], [1.00049, 9_994.9, 62_500.0, 104_949.0]
)


@pytest.mark.parametrize(("flying", "load"), [*WORST, *HALFWAY])
def test_the_worst_roundings_keep_within_it(flying: float, load: float) -> None:
    """Also where every figure lies halfway between two that can be written, and its interval carries two digits."""
    best, plan = best_of("http-endpoints")
    mean = flying / load
    wide = {"low": 0.5, "high": 1.5}
    option = replace(
        best,
        load=load,
        flying=replace(best.flying, value=flying, **{end: flying * at for end, at in wide.items()}),
        mean_latency=replace(best.mean_latency, value=mean, **{end: mean * at for end, at in wide.items()}),
    )
    assert significant_digits_of(option.flying.value, option.flying) == 2
    assert off(option, plan) <= 0.01, (load_figure(option, plan), mean_figure(option), flying_figure(option))


def noisy(folder: Path, unit: str, scatter: float, rate: float = 1000.0) -> PlanningAnswer:
    """A sweep of workers whose levels scatter, in a unit of throughput, and its plan."""
    rows = [
        ("Serve", level, "throughput", rate * level / (1 + 0.13 * (level - 1)) * (1 + scatter * by), unit)
        for level in (1, 2, 3, 4, 6, 8)
        for by in (-1, -0.4, 0.1, 0.7, 1)
    ]
    definition = '[environment]\ncores = 8\n[scaling]\nconcurrency = "workers"\n'
    swept = make_table(folder, "benchmark workers metric value unit", rows, definition)
    found = benchlib.plan_capacity(swept, target=f"{10 * rate:g} {unit}", draws=2001)
    assert isinstance(found, PlanningAnswer), found
    return found


@pytest.mark.parametrize("scatter", [0.02, 0.3])
@pytest.mark.parametrize("unit", ["req/s", "op/min", "scripts/h", "MB/s"])
def test_the_table_of_one_node_obeys_it_at_every_level(tmp_path: Path, unit: str, scatter: float) -> None:
    """Where levels scatter an interval carries two digits, and two roundings make 5 %; by any unit of time."""
    answer = noisy(tmp_path, unit, scatter)
    plan = answer.loads[0]
    rows = [[re.sub("<[^>]*>", "", cell) for cell in row] for row in latencies_table(plan, answer).rows]
    assert len(rows) == len(plan.latency)
    for point, (flying, throughput, between, mean, waits, *_) in zip(plan.latency, rows, strict=True):
        more = digits_at(point)
        assert (between, waits) == (ends(point.throughput, more), ends(point.mean, more))
        product = printed(throughput) * printed(mean)
        assert product == pytest.approx(float(flying), rel=0.01), (flying, throughput, mean)
    for option in plan.options:
        assert off(option, plan) <= 0.01, (load_figure(option, plan), mean_figure(option), flying_figure(option))


def test_nothing_in_flight_is_written_as_nothing() -> None:
    """Of 0 no share can be lost, and no digit mends it."""
    best, plan = best_of("http-endpoints")
    mean = replace(best.mean_latency, value=1.04e-5, low=0.5e-5, high=1.5e-5)
    option = replace(best, flying=replace(best.flying, value=0.0), mean_latency=mean)
    assert (flying_figure(option), mean_figure(option)) == ("0", "10 µs")
    level = plan.latency[0]
    assert level_figures(replace(level, throughput=replace(level.throughput, value=0.0)))[0] == "0 req/s"


def test_what_has_no_bound_is_said_in_a_word() -> None:
    """A node that cannot carry its load has requests in flight without end."""
    best, _ = best_of("http-endpoints")
    endless = {"value": float("inf"), "low": 1.0, "high": float("inf")}
    option = replace(best, flying=replace(best.flying, **endless), mean_latency=replace(best.mean_latency, **endless))
    assert (flying_figure(option), mean_figure(option)) == ("infinite", "infinite")
