"""What is known to be true of the studies in data/: of the answers first, then of the words of the page.

Each fact was found by reading the raw figures by hand, most of them against a published text that
says something else.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec import structs

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.effects import EffectModel, EffectsAnswer
from benchlib.answers.latency import LatencyAnswer, LatencyRow
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.caveats import Caveat
from benchlib.render.markdown import plain_markdown
from benchlib.results import Results
from tests.shipped_studies import NAMES, document, effects, summary

ADAPTER = "onix-adapter-published"
HEAVY = "heavy-read-api-published"
HTTP = "http-endpoints"
TOKEN = "token-sdk"
REFERENCE = "reference"


def scaling(name: str) -> ScalingAnswer:
    """The scaling answer of a study that has one."""
    answer = summary(name).scaling
    assert isinstance(answer, ScalingAnswer)
    return answer


def curve(name: str, part: str) -> CurveAnswer:
    """The curve of a study whose name holds a word."""
    (found,) = (one for one in scaling(name).curves if part in one.name)
    return found


def caveats(name: str, code: str) -> list[Caveat]:
    """The caveats of a study with a code."""
    return [one for one in summary(name).caveats if one.code == code]


def row(name: str, comparison: str, metric: str, *, baseline: str = "", **key: Any) -> ComparisonRow:
    """The row of a comparison."""
    (answer,) = (
        one for one in summary(name).comparisons if isinstance(one, ComparisonAnswer) and one.name == comparison
    )
    (found,) = (
        one
        for one in answer.rows
        if one.metric == metric
        and baseline in ("", one.baseline)
        and all(one.key.get(axis) == level for axis, level in key.items())
    )
    return found


def words(name: str, *sections: str) -> str:
    """The first screen and sections of a page (all, unless some are named), without what it quotes."""
    page = document(name)
    shown = tuple(section for section in page.sections if not sections or section.anchor in sections)
    return re.sub("“[^”]*”", "", plain_markdown(structs.replace(page, sections=shown)))


def latency(name: str, **key: Any) -> LatencyRow:
    """The row of the latency answer."""
    answer = summary(name).latency
    assert isinstance(answer, LatencyAnswer)
    (found,) = (one for one in answer.rows if all(one.key.get(a) == b for a, b in key.items()))
    return found


# The adapter as published: two measures of one sweep.


@pytest.mark.parametrize(
    ("part", "speedups", "steps", "efficiency"),
    [
        # From parallel time: 157, 118, 73, 62, 54 µs at 1, 2, 4, 8, 16.
        ("by time", [1, 1.33, 2.15, 2.53, 2.91], [0.665, 0.808, 0.589, 0.574], 0.182),
        # From requests a second: 6499, 7606, 14356, 17233, 17455.
        ("by throughput", [1, 1.17, 2.21, 2.65, 2.69], [0.585, 0.944, 0.600, 0.506], 0.168),
    ],
)
def test_the_published_sweep(part: str, speedups: list[float], steps: list[float], efficiency: float) -> None:
    """One measurement a level, and the run at GOMAXPROCS 10, which was built differently, is on neither curve."""
    points = curve(ADAPTER, part).points
    assert [point.concurrency for point in points] == [1, 2, 4, 8, 16]
    assert [point.speedup for point in points] == pytest.approx(speedups, abs=0.005)
    assert [point.step_efficiency for point in points[1:]] == pytest.approx(steps, abs=0.0005)
    assert points[-1].efficiency == pytest.approx(efficiency, abs=0.0005)
    assert not any(point.throughput.has_interval for point in points)


def test_what_the_published_sweep_may_not_be_read_as() -> None:
    """Its two measures part at 2 and at 16, and 16 on 10 cores proves nothing about serial work."""
    (warned,) = caveats(ADAPTER, "curves-disagree")
    assert warned.severity == "alert"
    assert "disagree at gomaxprocs 2 and 16:" in warned.message
    assert scaling(ADAPTER).cores == 10
    (warned,) = caveats(ADAPTER, "oversubscribed")
    assert "says nothing about serial work" in warned.message
    # The published text calls it excellent; the only place for its word is the author's remark about it.
    said = [line for line in words(ADAPTER).splitlines() if "excellent" in line.lower()]
    assert said == ["- The published text calls the scaling excellent; judge by the efficiency at each level."]


def test_parallel_does_four_times_the_serial_throughput() -> None:
    """4.13, 3.99 and 3.13 by run, 3.72 in their geometric mean; the published text says 8."""
    parallel = row(ADAPTER, "parallel against serial", "time")
    assert 1 / parallel.comparison.ratio.value == pytest.approx(3.72, abs=0.005)
    by_run = [1 / parallel.ratio_by_run[run] for run in ("run1", "run2", "run3")]
    assert by_run == pytest.approx([4.13, 3.99, 3.13], abs=0.005)
    # The third run, 52.84 against 39.73 µs: one value a run cannot tell whether that is noise, and is said to be so.
    (said,) = caveats(ADAPTER, "few-values-in-runs")
    assert said.severity == "note"
    assert "Discover_Parallel" in said.message
    assert "33 % larger in run3 than in run1" in said.message


def test_a_warm_cache_saves_allocations_and_no_time_that_the_data_can_show() -> None:
    """190 against 186 µs, one measurement each; counts are exact: 654 against 662, 81,510 against 82,923 B."""
    time, allocations, memory = (
        row(ADAPTER, "warm against cold cache", metric) for metric in ("time", "allocations", "memory")
    )
    assert (time.noticeable, time.verdict) == (False, "cannot tell")
    assert (allocations.comparison.difference.value, memory.comparison.difference.value) == (-8, -1413)


def test_the_serial_tail_is_longer_than_its_percentiles() -> None:
    """Mean 164 above p50 130 and p95 144: the slowest 5 % average at least 684 µs, were the mean not of other runs."""
    serial = latency(ADAPTER)
    assert (serial.tail_percentile, serial.mean_of_other_runs) == ("p95", True)
    assert serial.tail_bound == pytest.approx(684e-6, abs=0.5e-6)
    assert [caveat.severity for caveat in caveats(ADAPTER, "mean-of-other-runs")] == ["warning"]


# The heavy-read API as published: what the gateway leaves of the cache.


@pytest.mark.parametrize(
    ("gateway", "metric", "baseline", "factor"),
    [
        ("direct", "latency_p50", "post-redis", 1.41),
        ("direct", "latency_p99", "post-redis", 2.18),
        ("direct", "throughput", "post-redis", 1 / 1.44),
        ("apisix", "latency_p50", "post-redis", 1.15),
        ("apisix", "latency_p99", "post-redis", 1.00),
        ("apisix", "latency_max", "post-redis", 1 / 1.22),
        ("apisix", "latency_max", "post-marshal", 1 / 1.32),
    ],
)
def test_the_local_cache_gains_this(gateway: str, metric: str, baseline: str, factor: float) -> None:
    """Baseline over candidate: 1.41 becomes 1.15 at p50 and 2.18 becomes 1.00 at p99 behind the gateway."""
    gained = row(HEAVY, "local cache against Redis", metric, baseline=baseline, gateway=gateway)
    assert 1 / gained.comparison.ratio.value == pytest.approx(factor, abs=0.005)


def test_the_gateway_adds_about_three_milliseconds_at_the_median() -> None:
    """2.6, 3.2 and 3.3 ms to redis, marshal and post; mean latency times throughput is 434 to 452 against 400."""
    endpoints = ("post-redis", "post-marshal", "post")
    added = [row(HEAVY, "gateway against direct", "latency_p50", endpoint=name) for name in endpoints]
    assert [1e3 * gap.comparison.difference.value for gap in added] == pytest.approx([2.56, 3.17, 3.32], abs=0.05)
    flights = [latency(HEAVY, gateway="apisix", endpoint=name).in_flight for name in endpoints]
    expected = [flight.expected for flight in flights if flight is not None and flight.configured == 400]
    assert len(expected) == 3
    assert (min(expected), max(expected)) == pytest.approx((434, 452), abs=0.5)


# Three HTTP endpoints under wrk.


def test_endpoints_stop_growing_where_the_machine_runs_out_of_cores() -> None:
    """hash is a plateau at 2 cores and not contention; json falls at 128 connections."""
    plateau = curve(HTTP, "hash")
    assert (plateau.shape.kind, plateau.shape.plateau_from) == ("plateau", 2)
    assert plateau.chosen is not None
    assert plateau.chosen.law == "plateau"
    assert plateau.chosen.parameters["servers"].value == pytest.approx(2.16, abs=0.01)
    falling = curve(HTTP, "json")
    assert (falling.shape.kind, falling.shape.best_level) == ("retrograde", 2)
    by_level = {point.concurrency: point.throughput.value for point in falling.points}
    assert by_level[128] < 0.9 * by_level[2]


def test_the_superlinear_step_is_the_load_generators() -> None:
    """From 1 to 2 connections wrk went from one thread to two: said as a caveat of every curve."""
    for one_curve in scaling(HTTP).curves:
        assert one_curve.points[1].step_efficiency > 1
        assert {"superlinear", "generator-changed"} <= {caveat.code for caveat in one_curve.caveats}
    (said,) = caveats(HTTP, "generator-changed")
    assert re.search(r"threads .*\(1 from connections 1 on, 2 from connections 2 on\)", said.message)


def test_error_answers_are_no_throughput() -> None:
    """The run of 404 answers is not 68,000 good answers a second, in no table, curve or sentence."""
    results: Results = summary(HTTP).study.results
    assert "/nope" not in set(results.frame["benchmark"])
    nope = results.failed.query("benchmark == '/nope' and metric == 'throughput'")["value"]
    assert nope.between(60_000, 80_000).all()
    assert any("/nope" in one.message and one.severity == "alert" for one in caveats(HTTP, "failed-results"))
    assert not [value for value in nope if f"{value:,.0f}" in words(HTTP)]


# The token SDK: what a proof costs.


def slope(model: EffectModel, factor: str, **slice_: Any) -> float:
    """The cost of one more of a factor in a slice, in seconds."""
    (found,) = (effect for effect in model.fit.slopes if effect.factor == factor and dict(effect.slice) == slice_)
    return found.estimate.value


def test_what_a_transfer_costs() -> None:
    """For the sender on BN254 an output costs 11 ms at 32 bits and 20 at 64, an input less than a hundredth of it.

    One input and one output take 0.4 ms where the others lead one to expect ten: no part of the fit.
    """
    answer = summary(TOKEN).effects
    assert isinstance(answer, EffectsAnswer)
    (model,) = (
        one
        for one in answer.models
        if (one.key.get("benchmark"), one.key.get("proof"), one.metric) == ("Sender", "bulletproof", "time")
    )
    for bits, milliseconds in ((32, 11), (64, 20)):
        of_output = slope(model, "outputs", bits=bits, curve="BN254")
        assert 1e3 * of_output == pytest.approx(milliseconds, abs=0.5)
        assert abs(slope(model, "inputs", bits=bits, curve="BN254")) < 0.01 * of_output
    special = model.fit.special_cells
    assert {(cell.levels["inputs"], cell.levels["outputs"]) for cell in special} == {(1, 1)}
    assert len(special) == 4
    assert all(cell.observed < 0.1 * cell.expected for cell in special)


def test_the_failed_benchmark_is_the_first_caveat_and_nothing_else() -> None:
    """AuditorServiceCheck failed on every call: an alert before all others, in no row and no part of the page."""
    told = summary(TOKEN)
    assert (told.caveats[0].code, told.caveats[0].severity) == ("failed-results", "alert")
    assert "AuditorServiceCheck" in told.caveats[0].message
    assert not told.study.results.frame["benchmark"].str.contains("AuditorServiceCheck").any()
    assert told.study.results.failed["benchmark"].str.contains("AuditorServiceCheck").all()
    assert "AuditorServiceCheck" not in words(TOKEN, "evidence", "findings")


# lplex: what its recordings cannot say.


def test_a_breakdown_warns_of_the_cell_it_is_about() -> None:
    """The parts cost more than the whole in the new run of lplex only, and the caution says so."""
    (said,) = (one for one in effects("lplex").caveats if one.code == "parts-exceed-whole")
    assert "run new" in said.message
    assert "run old" not in said.message


@pytest.mark.parametrize("name", NAMES)
def test_no_page_says_kb_or_a_factor_below_one(name: str) -> None:
    """A bare KB has two meanings; 0.9x faster, as the published text has it, is slower."""
    page = words(name)
    assert not re.search(r"(?<![A-Za-z])[kK]B\b", page)
    assert not re.search(r"(?<![\d.])0?\.\d+ times (faster|slower|higher|lower|more|less)", page)
