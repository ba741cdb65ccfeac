"""Load, mean latency and what is in flight as they are printed: whoever multiplies them finds Little's law."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.report.wording.deck.points import latency_points
from benchlib.report.wording.littles_law import digits_at, flying_figure, level_figures, load_figure, mean_figure
from benchlib.report.wording.plan_headline import plan_cards
from benchlib.report.wording.plan_tables import latencies_table
from benchlib.report.wording.plan_words import ends, load_words
from benchlib.report.wording.what_if import plan_lines
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


def test_no_digit_is_added_where_the_law_holds_without() -> None:
    """What an interval does not carry is written only where the law takes it."""
    best, _ = best_of("http-endpoints")
    two = replace(best.flying, value=3.5, low=1.0, high=6.0)
    mean = replace(best.mean_latency, value=3.5e-5, low=1e-5, high=6e-5)
    option = replace(best, load=100_000.0, flying=two, mean_latency=mean)
    assert (flying_figure(option), mean_figure(option)) == ("3.5", "35 µs")


def test_ends_have_the_digits_of_the_value_beside_them() -> None:
    """In the terminal, beside the sliders, on a slide and on a card; a percentile, which no law binds, has its own."""
    asked = {"target": "250000/s", "headroom": "20%", "node": "cores=2", "draws": 4000}
    answer = benchlib.plan_capacity(study("http-endpoints"), slo="latency_mean=5ms", **asked)
    assert isinstance(answer, PlanningAnswer)
    plan = answer.loads[0]
    best = plan.best
    assert best is not None
    flying, mean = "3.56 (3.38 to 3.77)", "56.9 µs (54.1 µs to 60.3 µs)"
    lines = plan_lines(answer, plan)
    assert (lines["load"], lines["mean"]) == (f"62,500 req/s with {flying} in flight", mean)
    told = load_words(best, plan, answer)
    assert "3.56 in flight (3.38 to 3.77): 56.9 µs in the mean (54.1 µs to 60.3 µs)" in told
    assert "56.9 µs (95 %: 54.1 µs to 60.3 µs)" in latency_points(answer, plan, best)[1]
    (card,) = (one for one in plan_cards(replace(answer, loads=(plan,))) if "mean latency" in one.label)
    assert (card.value, card.interval) == ("56.9 µs", "95 %: 54.1 µs to 60.3 µs")
    judged = benchlib.plan_capacity(study("http-endpoints"), slo="latency_p99=5ms", **asked)
    assert isinstance(judged, PlanningAnswer)
    (card,) = (one for one in plan_cards(replace(judged, loads=judged.loads[:1])) if "p99 latency" in one.label)
    assert (card.value, card.interval) == ("1.3 ms", "95 %: 1.2 ms to 1.5 ms")


def test_an_odd_percent_is_allowed_but_not_more() -> None:
    """3.53 in flight as 3.5 are 0.9 % off, which no digit is added for; 3.54 are 1.1 % off."""
    best, _ = best_of("http-endpoints")
    mean = replace(best.mean_latency, value=3.5e-5, low=1e-5, high=6e-5)
    told = []
    for flying in (3.53, 3.54):
        wide = replace(best.flying, value=flying, low=1.0, high=6.0)
        option = replace(best, load=flying / mean.value, flying=wide, mean_latency=mean)
        told.append((flying_figure(option), mean_figure(option)))
    assert told == [("3.5", "35 µs"), ("3.54", "35.0 µs")]


@pytest.mark.parametrize(("load", "told"), [(812.34567, "812.3 req/s"), (1.2345678, "1.235 req/s")])
def test_a_load_has_four_digits(load: float, told: str) -> None:
    """Below 1,000 too, where a whole part alone would be three."""
    best, plan = best_of("http-endpoints")
    assert load_figure(replace(best, load=load), plan) == told


def test_rounding_of_the_load_is_counted_in() -> None:
    """A mean that is 0.96 % off alone, and a load that adds 0.05 %, are more than 1 % off."""
    best, _ = best_of("http-endpoints")
    flying = replace(best.flying, value=4.0, low=3.999, high=4.001)
    for load, told in ((1000.0, "53 µs"), (1.0005, "52.5 µs")):
        mean = replace(best.mean_latency, value=5.25e-5, low=1e-5, high=9e-5)
        option = replace(best, load=load, flying=flying, mean_latency=mean)
        assert mean_figure(option) == told


def test_nothing_in_flight_is_written_as_nothing() -> None:
    """Of 0 no share can be lost, and no digit mends it."""
    best, plan = best_of("http-endpoints")
    mean = replace(best.mean_latency, value=1.04e-5, low=0.5e-5, high=1.5e-5)
    option = replace(best, flying=replace(best.flying, value=0.0), mean_latency=mean)
    assert (flying_figure(option), mean_figure(option)) == ("0", "10 µs")
    level = plan.latency[0]
    assert level_figures(replace(level, throughput=replace(level.throughput, value=0.0)))[0] == "0 req/s"


@pytest.mark.parametrize(("unit", "times"), [("op/sec", 1), ("op/min", 60)])
@pytest.mark.parametrize(
    ("mean", "told", "rates"),
    [
        (4.16e-3, "4.16 ms", {1: "968 op/s", 60: "58,100 op/min"}),
        (4.1724e-3, "4.172 ms", {1: "968 op/s", 60: "58,080 op/min"}),
        (4.374e-3, "4.4 ms", {1: "970 op/s", 60: "58,000 op/min"}),
    ],
)
def test_medians_that_miss_the_law_leave_less_to_rounding(
    mean: float, told: str, rates: dict[int, str], unit: str, times: int
) -> None:
    """968/s at 4.16 ms are 0.7 % more than 4 in flight, at 4.1724 ms nearly 1 %; what digits cannot mend takes none."""
    _, plan = best_of("http-endpoints")
    level = plan.latency[0]
    point = replace(
        level,
        concurrency=4.0,
        throughput=replace(level.throughput, value=968.0 * times, low=500.0 * times, high=1500.0 * times, unit=unit),
        mean=replace(level.mean, value=mean, low=0.5 * mean, high=1.5 * mean),
    )
    assert level_figures(point) == (rates[times], told)


def test_the_number_that_is_printed_is_judged() -> None:
    """A whole part is kept though its interval carries two digits: there nothing is lost, and no digit is added."""
    best, _ = best_of("http-endpoints")
    kept = replace(best.flying, value=1040.4, low=500.0, high=1500.0)
    mean = replace(best.mean_latency, value=1.1e-3, low=0.5e-3, high=1.6e-3)
    option = replace(best, load=1040.4 / 1.1e-3, flying=kept, mean_latency=mean)
    assert (flying_figure(option), mean_figure(option)) == ("1,040", "1.1 ms")


def test_what_has_no_bound_is_said_in_a_word() -> None:
    """A node that cannot carry its load has requests in flight without end."""
    best, _ = best_of("http-endpoints")
    endless = {"value": float("inf"), "low": 1.0, "high": float("inf")}
    option = replace(best, flying=replace(best.flying, **endless), mean_latency=replace(best.mean_latency, **endless))
    assert (flying_figure(option), mean_figure(option)) == ("infinite", "infinite")


def test_what_nobody_knows_is_a_dash() -> None:
    """Whole nodes swept say nothing of what is in flight in one."""
    best, _ = best_of("http-endpoints")
    nothing = {"value": float("nan"), "low": float("nan"), "high": float("nan")}
    option = replace(best, flying=replace(best.flying, **nothing), mean_latency=replace(best.mean_latency, **nothing))
    assert (flying_figure(option), mean_figure(option)) == ("–", "–")
