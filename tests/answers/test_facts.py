"""What is known to be true of the studies in data/: of the answers first, then of the words of the page.

Each fact was found by reading the raw figures by hand, most of them against a published text that
says something else.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.effects import EffectModel, EffectsAnswer
from benchlib.answers.latency import LatencyAnswer, LatencyRow
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.caveats import Caveat
from benchlib.report import sections
from benchlib.report.wording.cards.effects import effects_cards
from benchlib.report.wording.effects_tables import effects_table
from benchlib.report.wording.sentences import effects_findings, effects_verdict
from benchlib.report.wording.tables import NONE
from benchlib.results import Results
from tests.shipped_studies import NAMES, summary, words

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


def latency(name: str, **key: Any) -> LatencyRow:
    """The row of the latency answer."""
    answer = summary(name).latency
    assert isinstance(answer, LatencyAnswer)
    (found,) = (one for one in answer.rows if all(one.key.get(a) == b for a, b in key.items()))
    return found


# The adapter as published: two measures of one sweep.


def test_parallel_time_gives_these_speedups_and_step_efficiencies() -> None:
    """From parallel time: 157, 118, 73, 62, 54 µs at 1, 2, 4, 8, 16."""
    points = curve(ADAPTER, "by time").points
    assert [one.concurrency for one in points] == [1, 2, 4, 8, 16]
    assert [one.speedup for one in points] == pytest.approx([1, 1.33, 2.15, 2.53, 2.91], abs=0.005)
    assert [one.step_efficiency for one in points[1:]] == pytest.approx([0.665, 0.808, 0.589, 0.574], abs=0.0005)


def test_throughput_gives_these_speedups_and_step_efficiencies() -> None:
    """From requests a second: 6499, 7606, 14356, 17233, 17455 at 1, 2, 4, 8, 16."""
    points = curve(ADAPTER, "by throughput").points
    assert [one.concurrency for one in points] == [1, 2, 4, 8, 16]
    assert [one.speedup for one in points] == pytest.approx([1, 1.17, 2.21, 2.65, 2.69], abs=0.005)
    assert [one.step_efficiency for one in points[1:]] == pytest.approx([0.585, 0.944, 0.600, 0.506], abs=0.0005)


@pytest.mark.parametrize(
    ("part", "speedups", "steps"),
    [
        ("by time", ["1.33x", "2.15x", "2.53x", "2.91x"], ["66.5 %", "80.8 %", "58.9 %", "57.4 %"]),
        ("by throughput", ["1.17x", "2.21x", "2.65x", "2.69x"], ["58.5 %", "94.4 %", "60.0 %", "50.6 %"]),
    ],
)
def test_the_page_states_speedups_and_step_efficiencies(part: str, speedups: list[str], steps: list[str]) -> None:
    """Each curve is named by its metric and has its figures in its table."""
    (table,) = (
        one for one in sections.scaling(summary(ADAPTER)).blocks if hasattr(one, "caption") and part in one.caption
    )
    heads = [one.head for one in table.columns]
    assert [line[heads.index("speedup")] for line in table.rows][1:] == speedups
    assert [line[heads.index("step efficiency")] for line in table.rows][1:] == steps


def test_the_two_measures_disagree() -> None:
    """They part at 2 and at 16 by more than 5 %, and the page says so before anything else."""
    assert [one.concurrency for one in scaling(ADAPTER).disagreements] == [2, 16]
    (said,) = caveats(ADAPTER, "curves-disagree")
    assert said.severity == "alert"
    assert "1.33" in said.message
    assert "1.17" in said.message
    assert "disagree" in words(ADAPTER, "headline")
    assert "disagree" in words(ADAPTER, "key_results")


def test_efficiency_at_16_is_18_and_17_percent() -> None:
    """2.91 and 2.69 over 16, said in the verdict."""
    assert curve(ADAPTER, "by time").points[-1].efficiency == pytest.approx(0.182, abs=0.0005)
    assert curve(ADAPTER, "by throughput").points[-1].efficiency == pytest.approx(0.168, abs=0.0005)
    assert "18 % and 17 % at 16" in words(ADAPTER, "headline")


def test_scaling_is_never_called_excellent() -> None:
    """The published text does; the only place for its word is the author's remark about it."""
    for section in sections.__all__:
        if section != "claims":
            assert "excellent" not in words(ADAPTER, section).lower(), section
    assert words(ADAPTER, "claims").lower().count("excellent") == 1


def test_level_16_is_oversubscribed_on_10_cores() -> None:
    """What happens from 8 to 16 proves nothing about serial work."""
    assert scaling(ADAPTER).cores == 10
    (said,) = caveats(ADAPTER, "oversubscribed")
    assert "16" in said.message
    assert "10 cores" in said.message
    assert "says nothing about serial work" in said.message
    told = words(ADAPTER, "key_results")
    assert "The machine has 10 cores: gomaxprocs 16 is oversubscribed" in told
    assert "proves nothing about serial work" in told


def test_the_run_at_the_default_is_on_neither_curve() -> None:
    """GOMAXPROCS 10 was built differently: 25,502 req/s is no point of a sweep."""
    for one in scaling(ADAPTER).curves:
        assert 10 not in one.curve.concurrency
        assert one.curve.throughput.max() < 20_000
    said = " ".join(one.message for one in caveats(ADAPTER, "excluded-from-curve"))
    assert "run=default" in said
    assert "built differently" in said
    assert "kept out of the curves (built differently" in words(ADAPTER, "caveats")


def test_one_measurement_a_level_gives_no_interval() -> None:
    """n = 1 is said at every level, and no interval is invented."""
    for one in scaling(ADAPTER).curves:
        assert [point.n for point in one.points] == [1] * 5
        assert not any(point.throughput.has_interval for point in one.points)
    (said,) = caveats(ADAPTER, "one-replicate")
    assert "one measurement at every level" in said.message
    assert words(ADAPTER, "scaling").count("n = 1, no interval") == 10
    assert "n = 1 a level" in words(ADAPTER, "headline")


# The adapter as published: parallel against serial, caches, latency.


def test_parallel_does_four_times_the_serial_throughput() -> None:
    """165.3 over 41.48 by medians, 4.13, 3.99 and 3.13 by run; the published text says 8."""
    found = row(ADAPTER, "parallel against serial", "time")
    assert 1 / found.comparison.ratio.value == pytest.approx(165.3 / 41.48, rel=1e-9)
    by_run = [1 / found.ratio_by_run[one] for one in ("run1", "run2", "run3")]
    assert by_run == pytest.approx([4.13, 3.99, 3.13], abs=0.005)
    told = words(ADAPTER, "comparison")
    assert "does 4.0x the throughput" in told
    assert "by run 4.13x, 3.99x and 3.13x" in told


def test_the_third_parallel_run_does_not_pass_as_noise() -> None:
    """52.84 against 39.73 µs is 33 % slower, an alert on the first page."""
    (said,) = (one for one in caveats(ADAPTER, "unstable-runs") if "Discover_Parallel" in one.message)
    assert said.severity == "alert"
    assert re.search(r"33 % larger in run3 than in run1", said.message)
    assert "33 % larger in run3 than in run1" in words(ADAPTER, "headline")


def test_warm_and_cold_cache_differ_in_no_time_that_the_data_can_show() -> None:
    """190 against 186 µs, one measurement each."""
    found = row(ADAPTER, "warm against cold cache", "time")
    assert found.comparison.baseline.n == found.comparison.candidate.n == 1
    assert not found.noticeable
    assert found.verdict == "cannot tell"
    assert re.search(
        r"no difference between BAPCaller_CacheWarm and BAPCaller_CacheCold that the data can show "
        r"\(190 µs/op against 186 µs/op, n = 1 each\)",
        words(ADAPTER, "comparison"),
    )


def test_a_warm_cache_saves_8_allocations_and_1413_bytes() -> None:
    """Counts are exact: 654 against 662, 81,510 against 82,923 B."""
    allocations = row(ADAPTER, "warm against cold cache", "allocations").comparison
    memory = row(ADAPTER, "warm against cold cache", "memory").comparison
    assert allocations.difference.value == -8
    assert memory.difference.value == -1413
    told = words(ADAPTER, "comparison")
    assert "takes 8 allocs/op less" in told
    assert "takes 1,413 B/op less" in told


def test_the_serial_tail_is_longer_than_its_percentiles() -> None:
    """Mean 164 above p95 144: the slowest 5 % average at least 544 µs, were the mean not of other runs."""
    found = latency(ADAPTER)
    assert found.tail_ratio == pytest.approx(2.4, abs=0.05)
    assert found.statistics["mean"].mean * 1e6 == pytest.approx(164, abs=0.5)
    assert found.tail_percentile == "p95"
    assert found.tail_bound is not None
    assert found.tail_bound * 1e6 == pytest.approx(544, abs=0.5)
    assert found.mean_of_other_runs
    assert not caveats(ADAPTER, "tail-beyond-percentiles")
    (said,) = caveats(ADAPTER, "mean-of-other-runs")
    assert said.severity == "warning"
    for part in ("mean (164 µs)", "p95 (144 µs)", "slowest 5 %", "at least 544 µs", "p99 of 317 µs", "different runs"):
        assert part in said.message
        assert part in words(ADAPTER, "latency")
    assert "544" not in words(ADAPTER, "headline")
    assert "p99 is 2.4x p50 (317 µs against 130 µs" in words(ADAPTER, "latency")


@pytest.mark.parametrize("name", NAMES)
def test_bytes_keep_their_unit(name: str) -> None:
    """B, KiB and MiB have one meaning each; a bare KB has two and is nowhere on a page."""
    assert not re.search(r"(?<![A-Za-z])[kK]B\b", words(name))


def test_memory_of_the_adapter_is_in_binary_steps() -> None:
    """81,510 B are 79.6 KiB."""
    assert "79.6 KiB/op against 81.0 KiB/op" in words(ADAPTER, "comparison")


# The heavy-read API as published: what the gateway leaves of the cache.


@pytest.mark.parametrize(
    ("gateway", "metric", "baseline", "factor", "said"),
    [
        ("direct", "latency_p50", "post-redis", 1.41, "1.41x faster"),
        ("direct", "latency_p99", "post-redis", 2.18, "2.18x faster"),
        ("direct", "throughput", "post-redis", 1 / 1.44, "1.44x higher"),
        ("apisix", "latency_p50", "post-redis", 1.15, "1.15x faster"),
        ("apisix", "latency_p99", "post-redis", 1.00, "no different (1.00x)"),
        ("apisix", "latency_max", "post-redis", 1 / 1.22, "1.22x slower"),
        ("apisix", "latency_max", "post-marshal", 1 / 1.32, "1.32x slower"),
    ],
)
def test_the_local_cache_gains_this(gateway: str, metric: str, baseline: str, factor: float, said: str) -> None:
    """Baseline over candidate; the page never writes a factor below one."""
    found = row(HEAVY, "local cache against Redis", metric, baseline=baseline, gateway=gateway)
    assert 1 / found.comparison.ratio.value == pytest.approx(factor, abs=0.005)
    short = metric.removeprefix("latency_")
    line = rf"\|{gateway}\|post against {baseline}\|{short}\|{re.escape(said)}\|cannot tell\|"
    assert re.search(line, words(HEAVY, "comparison"))


@pytest.mark.parametrize("name", NAMES)
def test_no_factor_below_one_is_said_to_be_faster(name: str) -> None:
    """ "0.9x faster" is slower: the published text's way to put it is nowhere on a page."""
    assert not re.search(r"(?<![\d.])0?\.\d+x (faster|slower|higher|lower|more|less)", words(name))


@pytest.mark.parametrize("name", NAMES)
def test_no_advantage_below_one_is_told_as_an_advantage(name: str) -> None:
    """An advantage of 0.82x is a disadvantage of 1.22x, and is told as one."""
    assert not re.search(r"(from|to) 0\.\d+x in ", words(name))


def test_the_gateway_adds_about_three_milliseconds_at_the_median() -> None:
    """2.6, 3.2 and 3.3 ms to redis, marshal and post."""
    added = [
        row(HEAVY, "gateway against direct", "latency_p50", endpoint=one).comparison.difference.value
        for one in ("post-redis", "post-marshal", "post")
    ]
    assert [one * 1e3 for one in added] == pytest.approx([2.56, 3.17, 3.32], abs=0.05)
    told = words(HEAVY, "comparison")
    for endpoint, by in (("post-redis", "2.6"), ("post-marshal", "3.2"), ("post", "3.3")):
        assert re.search(rf"[\d.]+x slower \(\+{by} ms\) at endpoint {endpoint}\b(?!-)", told)


def test_the_gateway_removes_most_of_the_advantage_of_the_cache() -> None:
    """1.41x becomes 1.15x at p50, 2.18x becomes 1.00x at p99: not preserved, and the page says so."""
    told = words(HEAVY, "comparison")
    assert re.search(
        r"From gateway direct to apisix, post against post-redis goes from 1\.41x faster to 1\.15x faster in p50 "
        r"latency, from 2\.18x faster to no different \(1\.00x\) in p99 latency, from 2\.69x faster to 1\.22x slower "
        r"in max latency [^|]*of its advantage \(on logarithms\) 58 % is gone in p50 latency",
        told,
    )
    assert "58 % is gone in p50 latency" in words(HEAVY, "key_results")
    assert "removes most of the local cache's advantage" in words(HEAVY, "claims")


def test_more_requests_are_in_flight_than_connections_were_configured() -> None:
    """Mean latency times throughput is 434 to 452 through the gateway, against 400."""
    flights = [
        latency(HEAVY, gateway="apisix", endpoint=one).in_flight for one in ("post-redis", "post-marshal", "post")
    ]
    found = [one for one in flights if one is not None]
    assert len(found) == 3
    assert min(one.expected for one in found) == pytest.approx(434, abs=0.5)
    assert max(one.expected for one in found) == pytest.approx(452, abs=0.5)
    assert {one.configured for one in found} == {400}
    (said,) = caveats(HEAVY, "littles-law")
    assert "434 to 452 requests in flight where 400 connections were configured" in said.message
    assert "direct" not in said.message
    assert "434 to 452 requests in flight where 400" in words(HEAVY, "caveats")
    assert "434 to 452 requests in flight where 400" in words(HEAVY, "latency")


# Three HTTP endpoints under wrk.


def test_hash_is_a_plateau_at_two_cores_not_contention() -> None:
    """It stops growing where the machine runs out of cores; no law of contention is chosen."""
    found = curve(HTTP, "hash")
    assert (found.shape.kind, found.shape.plateau_from) == ("plateau", 2)
    assert found.chosen is not None
    assert found.chosen.law == "plateau"
    assert found.chosen.parameters["servers"].value == pytest.approx(2.16, abs=0.01)
    assert scaling(HTTP).cores == 2
    (said,) = (one for one in caveats(HTTP, "plateau") if "hash" in one.message)
    assert "not as contention" in said.advice
    told = words(HTTP, "scaling")
    assert "as many as the machine has cores (2)" in said.message
    assert "hash: a plateau: throughput grows in proportion and stops at N = 2.16" in told
    assert "as it does when a resource runs out, not as contention would slow it" in told
    assert "hash: a plateau from 2 connections on" in words(HTTP, "headline")


def test_json_is_best_at_two_connections_and_falls_at_128() -> None:
    """Beyond 2 connections nothing is gained, at 128 something is lost."""
    found = curve(HTTP, "json")
    assert (found.shape.kind, found.shape.best_level) == ("retrograde", 2)
    by_level = {one.concurrency: one.throughput.value for one in found.points}
    assert by_level[128] < 0.9 * by_level[2]
    assert (
        "json: best at 2 connections, as many as the machine has cores (up to 64 none is measurably higher), "
        "15 % lower at 128"
    ) in words(HTTP, "headline")


def test_the_superlinear_step_is_the_load_generators() -> None:
    """From 1 to 2 connections wrk went from one thread to two: said as a caveat of every curve."""
    for one in scaling(HTTP).curves:
        assert one.points[1].step_efficiency > 1
        codes = {caveat.code for caveat in one.caveats}
        assert {"superlinear", "generator-changed"} <= codes
    (said,) = caveats(HTTP, "generator-changed")
    assert re.search(r"threads .*\(1 from connections 1 on, 2 from connections 2 on\)", said.message)
    assert "not the system's alone" in said.message
    assert "load generator" in said.advice
    assert said.message in words(HTTP, "caveats")


def test_error_answers_are_no_throughput() -> None:
    """The run of 404 answers is not 68,000 good answers a second, in no table, curve or sentence."""
    results: Results = summary(HTTP).study.results
    assert "/nope" not in set(results.frame["benchmark"])
    assert "/nope" in set(results.failed["benchmark"])
    nope = results.failed.query("benchmark == '/nope' and metric == 'throughput'")["value"]
    assert nope.between(60_000, 80_000).all()
    assert any("/nope" in one.message and one.severity == "alert" for one in caveats(HTTP, "failed-results"))
    for value in nope:
        assert f"{value:,.0f}" not in words(HTTP)
    assert not re.search(r"68,\d{3} req/s", words(HTTP, "headline") + words(HTTP, "key_results"))


# The token SDK: what a proof costs.


def effects(benchmark: str, proof: str, metric: str = "time") -> EffectModel:
    """The model of a benchmark with a proof."""
    answer = summary(TOKEN).effects
    assert isinstance(answer, EffectsAnswer)
    (found,) = (
        one
        for one in answer.models
        if (one.key.get("benchmark"), one.key.get("proof"), one.metric) == (benchmark, proof, metric)
    )
    return found


def slope(model: EffectModel, factor: str, **slice_: Any) -> float:
    """The cost of one more of a factor in a slice, in seconds."""
    (found,) = (one for one in model.fit.slopes if one.factor == factor and dict(one.slice) == slice_)
    return found.estimate.value


@pytest.mark.parametrize(("bits", "milliseconds", "within"), [(32, 11, 0.5), (64, 20, 0.5)])
def test_an_extra_output_costs_this(bits: int, milliseconds: float, within: float) -> None:
    """For the sender on BN254: about 11 ms at 32 bits and about 20 ms at 64."""
    cost = slope(effects("Sender", "bulletproof"), "outputs", bits=bits, curve="BN254")
    assert cost * 1e3 == pytest.approx(milliseconds, abs=within)
    said = {32: "11.0", 64: "19.9"}[bits]
    assert f"Sender, proof bulletproof at bits {bits}, curve BN254: an extra output costs {said} ms/op" in words(
        TOKEN, "key_results"
    )


@pytest.mark.parametrize("bits", [32, 64])
def test_an_extra_input_costs_nothing_that_these_cells_show(bits: int) -> None:
    """Less than a hundredth of an extra output."""
    model = effects("Sender", "bulletproof")
    of_input = slope(model, "inputs", bits=bits, curve="BN254")
    of_output = slope(model, "outputs", bits=bits, curve="BN254")
    assert abs(of_input) < 0.01 * of_output
    assert re.search(
        rf"Sender, proof bulletproof at bits {bits}, curve BN254: "
        r"[^|]*an extra input costs nothing that these cells show",
        words(TOKEN, "key_results"),
    )


def test_what_costs_nothing_does_so_apart_from_the_cells_set_apart() -> None:
    """One input and one output take a fortieth of the rest: the verdict and each line name what they leave out."""
    answer = summary(TOKEN).effects
    assert isinstance(answer, EffectsAnswer)
    apart = ", apart from inputs 1, outputs 1"
    assert f"an extra input costs nothing that these cells show{apart}." in effects_verdict(answer)
    lines = [one for one in effects_findings(answer) if "costs nothing" in one]
    assert lines
    assert all(one.endswith(apart) for one in lines)


def test_a_line_that_misses_its_cells_tells_no_cost() -> None:
    """Subscribers take 18 to 994 ns: that a poor line's slope reaches 0 does not make them free."""
    answer = summary("lplex").effects
    assert isinstance(answer, EffectsAnswer)
    (said,) = (one for one in effects_findings(answer) if one.startswith("FanOut, run old at filter none"))
    assert "no straight line holds the cells (the one fitted misses them by 35 % of their cost)" in said
    assert "as fitted, an extra subscriber costs 11 ns/op" in said
    assert "costs nothing" not in said
    verdict = effects_verdict(answer)
    assert "no straight line holds the cells (the one fitted misses them by 27 % of their cost)" in verdict
    assert "costs" not in verdict
    assert not [one for one in effects_cards(answer) if "one more subscriber" in one.label]
    rows = {(row[0], row[2]): row for row in effects_table(answer).rows}
    assert rows["FanOut, run old", "one more of subscribers"][4:6] == (NONE, "no straight line: misses by 35 %")


def test_one_input_and_one_output_stand_apart() -> None:
    """That cell takes 0.4 ms where the others lead one to expect ten: no part of the fit."""
    special = effects("Sender", "bulletproof").fit.special_cells
    assert {(one.levels["inputs"], one.levels["outputs"]) for one in special} == {(1, 1)}
    assert len(special) == 4
    assert all(one.observed < 0.1 * one.expected for one in special)
    assert "Sender, proof bulletproof: inputs 1, outputs 1 stands apart" in words(TOKEN, "key_results")


def test_the_failed_benchmark_is_the_first_caveat() -> None:
    """AuditorServiceCheck failed on every call: an alert before all others."""
    first = summary(TOKEN).caveats[0]
    assert (first.code, first.severity) == ("failed-results", "alert")
    assert "AuditorServiceCheck" in first.message
    listed = words(TOKEN, "caveats")
    assert "AuditorServiceCheck" in listed[: listed.index("Caution:")].split("Alert:")[1]


def test_the_failed_benchmark_is_in_no_table_and_no_fit() -> None:
    """Not in the rows, the samples, the models, the comparisons or the latencies; not on their part of the page."""
    found = summary(TOKEN)
    assert not found.study.results.frame["benchmark"].str.contains("AuditorServiceCheck").any()
    assert found.study.results.failed["benchmark"].str.contains("AuditorServiceCheck").all()
    for section in ("key_results", "effects", "comparison", "latency", "scaling", "tables"):
        assert "AuditorServiceCheck" not in words(TOKEN, section), section


# Published fits.


def test_sdm91_has_the_published_parameters() -> None:
    """R package usl 3.0.3 on specsdm91, to its seven decimals: contention, coherency, peak."""
    fit = curve(REFERENCE, "specsdm91").chosen
    assert fit is not None
    assert fit.law == "usl"
    contention, coherency = fit.parameters["contention"], fit.parameters["coherency"]
    assert contention.value == pytest.approx(0.0277285, abs=5e-8)
    assert contention.standard_error == pytest.approx(0.0091217, abs=5e-7)
    assert coherency.value == pytest.approx(0.0001044, abs=5e-8)
    assert coherency.standard_error == pytest.approx(0.0000199, abs=5e-8)
    assert fit.peak is not None
    assert fit.peak.value == pytest.approx(96.52, abs=0.005)
    assert "specsdm91: Universal Scalability Law with contention 0.0277 ± 0.0091" in words(REFERENCE)
    assert "coherency 0.000104 ± 0.000020" in words(REFERENCE, "scaling")
    assert "peak at 97 (" in words(REFERENCE, "scaling")


def test_raytracer_becomes_amdahls_law_with_its_own_error() -> None:
    """Bounded below by zero the coherency is 0, and what is left has a standard error of 0.0052580."""
    found = curve(REFERENCE, "raytracer")
    (usl,) = (one for one in found.fits if one.law == "usl")
    assert usl.parameters["coherency"].value == 0
    fit = found.chosen
    assert fit is not None
    assert fit.law == "amdahl"
    assert fit.parameters["serial_fraction"].standard_error == pytest.approx(0.0052580, abs=5e-7)
    told = words(REFERENCE, "scaling")
    assert re.search(r"raytracer: Amdahl's law with serial fraction 0\.0578 ± 0\.0053 ", told)
    assert re.search(r"raytracer\|Universal Scalability Law\|coherency\|0\|", told)


def test_the_reference_fits_are_said_to_be_unweighted() -> None:
    """Only so can they be compared digit by digit with the published ones."""
    assert "unweighted" in words(REFERENCE, "method")
    assert "relative error" in words(ADAPTER, "method")


def test_a_breakdown_warns_of_the_cell_it_is_about() -> None:
    """The parts cost more than the whole in the new run of lplex only, and the caution says so."""
    found = benchlib.analyse_effects("data/lplex", metric="time").caveats
    (said,) = (one for one in found if one.code == "parts-exceed-whole")
    assert "run new" in said.message
    assert "run old" not in said.message


def test_what_controls_count_is_called_rows() -> None:
    """Two benchmarks of lplex make thirteen rows."""
    said = " ".join(one.message for one in caveats("lplex", "controls-moved"))
    assert "13 of 13 rows that the change cannot affect" in said
    assert "more such row" in said
    assert "benchmark" not in said
