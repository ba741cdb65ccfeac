"""How long requests take: under a limit, without one, what percentiles hide, and its figure."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchlib.answers.latency import latency_answer, operating_answer
from benchlib.document.blocks import Number, numbers_in
from benchlib.document.numbers import words_of
from benchlib.figures.latency import Point, latency_curve
from benchlib.render.page import page
from benchlib.render.terminal import terminal
from benchlib.study import Study, open_study
from benchlib.tell import latency
from benchlib.tell.lead import Lead
from tests.shipped_studies import study, summary
from tests.synthetic import make_table

HTTP, ONIX, HEAVY = "http-endpoints", "onix-adapter-published", "heavy-read-api-published"


def lead_of(name: str) -> Lead:
    """The first screen of the latency of a study."""
    return latency.lead(summary(name).latency, summary(name).operating, study(name))


@pytest.mark.parametrize(
    ("name", "answer", "decision", "confidence", "reason"),
    [
        (
            HTTP,
            "The 99th percentile of latency stays within 5 ms up to 8 connections for cheap, 2 connections for hash "
            "and 4 connections for json.",
            "Use 8 connections for cheap, 2 connections for hash and 4 connections for json.",
            "medium",
            "5 runs each, but wrk adjusts latencies.",
        ),
        (
            ONIX,
            "BAP caller discover percentiles: median 130 µs; by its mean the slowest 5% take 684 µs or more on "
            "average, if it is of the same requests.",
            "Do not decide yet: record the latency of every request, or a histogram.",
            "low",
            "single runs: noise and change look alike.",
        ),
        (
            HEAVY,
            "Gateway, serialised: median 8.33 ms; one request in 100 takes longer than 48.4 ms.",
            "Set a latency limit in study.toml, then use the highest level that keeps it.",
            "low",
            "single runs: noise and change look alike.",
        ),
        (
            "reference",
            "No answer: no result here holds a latency percentile.",
            "Do not decide yet: record percentiles.",
            "none",
            "nothing was measured that answers it.",
        ),
    ],
)
def test_says_how_long_requests_take(name: str, answer: str, decision: str, confidence: str, reason: str) -> None:
    """By the files: cheap keeps 5 ms at 8 (4.09) but not at 16 (6.21), json at 4 (4.66), hash at 2 (0.46)."""
    lead = lead_of(name)
    assert (words_of(lead.answer), words_of(lead.decision)) == (answer, decision)
    assert (lead.confidence.level, words_of(lead.confidence.reason)) == (confidence, reason)
    assert sum(isinstance(part, Number) for part in lead.answer) <= 3
    measured = [number for number in numbers_in(lead.facts) if number.unit == "sec"]
    assert all(number.evidence is not None and number.evidence.rows for number in measured)


def test_a_node_is_full_at_the_level_that_keeps_the_limit() -> None:
    """hash at 4 in flight was called full at "p99 410 µs"; it was measured at 30.5 ms."""
    facts = {words_of(fact.line): words_of(fact.value) for fact in lead_of(HTTP).facts}
    assert facts["hash, with 4 connections"] == "30.5 ms"
    assert "with arrivals at random, requests wait longer" in words_of(lead_of(HTTP).note)


def test_without_a_limit_the_growth_is_told(tmp_path: Path) -> None:
    made = swept(tmp_path, {1: 2.0, 2: 3.0, 4: 90.0})
    lead = latency.lead(latency_answer(made), operating_answer(made), made)
    assert words_of(lead.answer) == (
        "The 99th percentile of latency of serve grows from 2.0 ms with 1 connection to 90 ms with 4 connections."
    )
    assert words_of(lead.decision).startswith("Set a latency limit")
    assert lead.figure is not None
    assert not words_of(lead.figure.finding).endswith(".")


def test_a_level_that_keeps_the_limit_again_counts_for_nothing(tmp_path: Path) -> None:
    """What lies beyond a level that missed it is no level to run at."""
    made = swept(tmp_path, {1: 2.0, 2: 30.0, 4: 3.0}, '[capacity]\nslo = "latency_p99=5ms"\n')
    lead = latency.lead(latency_answer(made), operating_answer(made), made)
    assert "up to 1 connection for serve" in words_of(lead.answer)
    none = swept(tmp_path, {1: 20.0, 2: 30.0, 4: 30.0}, '[capacity]\nslo = "latency_p99=5ms"\n')
    lead = latency.lead(latency_answer(none), operating_answer(none), none)
    assert words_of(lead.decision) == "Do not decide yet: measure fewer at a time, for no level keeps the limit."


def swept(folder: Path, waits: dict[int, float], definition: str = "") -> Study:
    rows: list[tuple[object, ...]] = []
    for connections, wait in waits.items():
        rows.append(("serve", connections, "throughput", 1000.0 * connections, "req/s"))
        rows.append(("serve", connections, "latency_p99", wait, "ms"))
    heads = "benchmark connections metric value unit"
    return make_table(folder, heads, rows, f'[scaling]\nconcurrency = "connections"\n{definition}')


def test_draws_latency_against_throughput_with_its_levels() -> None:
    figure = lead_of(HTTP).figure
    assert figure is not None
    assert words_of(figure.finding) == (
        "The 99th percentile of latency exceeds 5 ms above 8 (cheap), 2 (hash) and 4 (json) connections"
    )
    assert [panel.title for panel in figure.panels] == ["cheap", "hash", "json"]
    for panel in figure.panels:
        layout, points = panel.chart["layout"], panel.chart["data"][1]
        assert layout["yaxis"]["type"] == "log"
        assert layout["shapes"][0]["y0"] == 0.005
        assert [mark["text"] for mark in layout["annotations"]] == ["limit 5 ms"]
        assert [symbol == "circle-open" for symbol in points["marker"]["symbol"]] == [y > 0.005 for y in points["y"]]
    ranges = {tuple(panel.chart["layout"]["yaxis"]["range"]) for panel in figure.panels}
    assert len(ranges) == 1


def test_two_levels_make_no_curve() -> None:
    """token-sdk: a line through two points says nothing that two numbers do not."""
    lead = lead_of("token-sdk")
    assert lead.figure is None
    assert lead.table is not None
    assert words_of(lead.answer) == (
        "2 workers, unbounded, bulletproof: median 24.5 ms; one request in 100 takes longer than 34.6 ms."
    )


def test_points_that_lie_on_each_other_have_one_name() -> None:
    points = [
        Point(name, Number(value=rate, unit="req/sec"), Number(value=wait, unit="sec"))
        for name, rate, wait in (("<1>", 10.0, 1e-3), ("2", 100.0, 9e-3), ("4", 100.0, 9.1e-3), ("8", 100.0, 1.0))
    ]
    chart = latency_curve(points)
    assert chart["data"][1]["text"] == ["&lt;1&gt;", "2", "", "8"]
    assert chart["layout"]["yaxis"]["ticktext"] == ["1 ms", "10 ms", "100 ms", "1 s"]
    assert chart["layout"]["yaxis"]["range"][1] > math.log10(1.0)
    assert chart["layout"]["shapes"] == []


@pytest.mark.parametrize(
    ("metrics", "answer"),
    [
        ({"latency_mean": 3.0}, "No answer: no percentile was measured."),
        ({"latency_p90": 9.0}, "Serve: one request in 10 takes longer than 9.00 ms."),
        (
            {"latency_p50": 3.0, "latency_p99": 9.0},
            "Serve: median 3.00 ms; one request in 100 takes longer than 9.00 ms.",
        ),
    ],
)
def test_a_median_is_named_only_where_it_was_measured(tmp_path: Path, metrics: dict[str, float], answer: str) -> None:
    rows = [("serve", metric, value, "ms") for metric, value in metrics.items()]
    made = make_table(tmp_path, "benchmark metric value unit", rows)
    lead = latency.lead(latency_answer(made), operating_answer(made), made)
    assert words_of(lead.answer) == answer
    finding = latency.finding(latency_answer(made), operating_answer(made), made)
    assert (finding is None) is (len(metrics) == 1 and "latency_mean" in metrics)


def test_the_document_holds_a_table_and_what_percentiles_hide() -> None:
    answer = summary(ONIX)
    told = latency.document(answer.latency, answer.operating, study(ONIX))
    text = terminal(told, full=True, width=120)
    assert "slowest, at least" in text
    assert "684" in text
    assert page(told).count("<h1>") == 1
    finding = latency.finding(answer.latency, answer.operating, study(ONIX))
    assert finding is not None
    assert finding.line == told.answer
    assert latency.finding(summary("reference").latency, summary("reference").operating, study("reference")) is None


def test_offers_its_numbers_to_the_author() -> None:
    values = lead_of(HTTP).values
    assert values["hash.p99_at_4"].value == pytest.approx(0.03046)
    assert values["hash.p99"].value == pytest.approx(0.17329)
    assert lead_of(ONIX).values["bap_caller_discover_percentiles.p50"].value == pytest.approx(130e-6)


def test_a_folder_without_latency_leads_with_nothing() -> None:
    lead = lead_of("reference")
    assert (lead.figure, lead.table, lead.facts) == (None, None, ())
    assert isinstance(open_study("data/reference"), Study)
