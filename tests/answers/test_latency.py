"""Latency: tails beyond percentiles, requests in flight, and what may stand in for a mean."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.answers.latency import LatencyAnswer, latency_answer
from benchlib.answers.refusal import Refusal
from benchlib.caveats import Caveat
from benchlib.study import Study
from tests.shipped_studies import study
from tests.synthetic import go_text, make_study, make_table

HEADS = "benchmark connections metric value unit"


def answered(of: Study) -> LatencyAnswer:
    """The latency answer of a study that has one."""
    answer = latency_answer(of)
    assert isinstance(answer, LatencyAnswer)
    return answer


def caveats(answer: LatencyAnswer, code: str) -> list[Caveat]:
    """Its caveats with a code."""
    return [one for one in answer.caveats if one.code == code]


def table(folder: Path, statistics: dict[str, float], *, throughput: float = 0.0, definition: str = "") -> Study:
    """One benchmark at 100 connections with these latencies in milliseconds."""
    rows = [("Serve", 100, f"latency_{name}", value, "ms") for name, value in statistics.items()]
    if throughput:
        rows.append(("Serve", 100, "throughput", throughput, "req/s"))
    return make_table(folder, HEADS, rows, definition)


def test_a_mean_above_a_percentile_bounds_the_tail(tmp_path: Path) -> None:
    """Mean 20 over p90 10: the slowest tenth must average (20 - 9) / 0.1 = 110 ms at least."""
    answer = answered(table(tmp_path, {"mean": 20, "p50": 5, "p90": 10, "p99": 50}))
    (row,) = answer.rows
    assert row.tail_percentile == "p90"
    assert row.tail_bound == pytest.approx(0.110)
    assert row.tail_ratio == pytest.approx(10)
    (said,) = caveats(answer, "tail-beyond-percentiles")
    assert "slowest 10 % average at least 110 ms, above the stated p99 of 50" in said.message


def test_the_highest_percentile_below_the_mean_is_taken(tmp_path: Path) -> None:
    """It bounds the smallest part of the requests, so it says most."""
    (row,) = answered(table(tmp_path, {"mean": 20, "p90": 1, "p95": 10, "p99": 15, "p999": 90})).rows
    assert row.tail_percentile == "p99"
    assert row.tail_bound == pytest.approx((20 - 0.99 * 15) / 0.01 / 1e3)


def test_a_mean_below_the_percentiles_bounds_nothing(tmp_path: Path) -> None:
    """The usual case needs no caveat; a mean above the median alone is no sign of a tail."""
    answer = answered(table(tmp_path, {"mean": 7, "p50": 5, "p90": 10, "p99": 50}))
    assert answer.rows[0].tail_bound is None
    assert answer.caveats == ()


def test_time_stands_in_for_the_mean_where_the_study_says_so(tmp_path: Path) -> None:
    """Go's time per operation is a mean latency only of a serial benchmark, and only on request."""
    rows = [
        ("Serve", 1, "latency_p50", 5, "ms"),
        ("Serve", 1, "latency_p95", 10, "ms"),
        ("Serve", 1, "time", 20, "ms/op"),
    ]
    assert answered(make_table(tmp_path, HEADS, rows)).rows[0].tail_bound is None
    stated = answered(make_table(tmp_path, HEADS, rows, '[latency]\nmean = "metric=time"\n'))
    assert stated.rows[0].tail_bound == pytest.approx((20 - 9.5) / 0.05 / 1e3)
    assert stated.rows[0].evidence.rows == ("table.csv:2-4",)


@pytest.mark.parametrize(
    ("mean_in", "apart", "code"),
    [
        (("r1", "r2"), False, "tail-beyond-percentiles"),
        (("r3", "r4"), True, "mean-of-other-runs"),
        (("r1", "r2", "r3"), True, "mean-of-other-runs"),
    ],
)
def test_a_mean_of_other_runs_bounds_no_tail(tmp_path: Path, mean_in: tuple[str, ...], apart: bool, code: str) -> None:
    """The bound holds within one sample: of other runs a warning with a condition, and no claim is tested on it."""
    rows = [(run, "Serve", 1, f"latency_{name}", value, "ms") for run in ("r1", "r2")
            for name, value in (("p50", 5), ("p95", 10))]  # fmt: skip
    rows += [(run, "Serve", 1, "time", 20, "ms/op") for run in mean_in]
    claim = '[[claims]]\ntext = "No tail."\nsource = "a report"\nabout = "slowest"\nat_most = "30 ms"\n'
    of = make_table(tmp_path, f"run {HEADS}", rows, f'[latency]\nmean = "metric=time"\n{claim}')
    answer = answered(of)
    (row,) = answer.rows
    assert row.tail_bound == pytest.approx((20 - 9.5) / 0.05 / 1e3)
    assert row.mean_of_other_runs is apart
    (said,) = answer.caveats
    assert (said.code, said.severity) == (code, "warning" if apart else "alert")
    assert ("if both describe the same requests: they are from different runs" in said.message) is apart
    (found,) = benchlib.executive_summary(of).claims
    assert found.verdict == ("not testable" if apart else "contradicted")
    assert found.reason == ("the mean and the percentiles are of different runs" if apart else "")


@pytest.mark.parametrize(("throughput", "said"), [(10_000, False), (10_400, False), (11_000, True), (9_000, True)])
def test_requests_in_flight_should_be_the_connections(tmp_path: Path, throughput: float, said: bool) -> None:
    """10 ms times 10,000 a second is 100 in flight; beyond 5 % of the 100 configured it is said."""
    answer = answered(table(tmp_path, {"mean": 10, "p50": 9}, throughput=throughput))
    (row,) = answer.rows
    assert row.in_flight is not None
    assert row.in_flight.expected == pytest.approx(throughput / 100)
    assert row.in_flight.configured == 100
    assert bool(caveats(answer, "littles-law")) is said


def test_without_throughput_nothing_is_said_of_requests_in_flight(tmp_path: Path) -> None:
    """Little's law needs both."""
    assert answered(table(tmp_path, {"mean": 10, "p50": 9})).rows[0].in_flight is None


def test_requests_that_timed_out_are_in_no_percentile() -> None:
    """wrk counts them apart; the caveat says how many."""
    said = [one.message for one in caveats(answered(study("http-endpoints")), "latency-excludes-timeouts")]
    assert any("64 requests timed out and are in no percentile" in one for one in said)
    assert len(said) == 2


def test_a_statistic_keeps_its_unit() -> None:
    """The coefficient of variation is a share, not seconds: 8 %, and not 81 ms."""
    for row in answered(study("token-sdk")).rows:
        assert row.statistics["cv"].median.unit == "ratio"
        assert row.statistics["p50"].median.unit == "sec"


def test_no_percentile_is_refused_in_one_line(tmp_path: Path) -> None:
    """A mean alone is no distribution."""
    answer = latency_answer(make_study(tmp_path, "", a=go_text({"Decode": [8]})))
    assert isinstance(answer, Refusal)
    assert answer.reason == "no result here holds a latency percentile"
    assert "\n" not in answer.reason + answer.advice


def test_a_condition_narrowed_away_is_refused(tmp_path: Path) -> None:
    """The reason is that of the selection."""
    rows = [(name, 1, "latency_p50", 5, "ms") for name in ("A", "B")]
    answer = latency_answer(make_table(tmp_path, HEADS, rows, '[latency]\nwhere = "benchmark=A"\n', "benchmark=B"))
    assert isinstance(answer, Refusal)
    assert "selects no row" in answer.reason
