"""How long requests take: percentiles, and throughput and latency under load."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import executive_summary
from benchlib.answers.latency import LatencyAnswer, OperatingAnswer, OperatingPanel, latency_answer, operating_answer
from benchlib.study import Study, open_study
from tests.synthetic import go_text, make_study, make_table

# Latency: tails beyond percentiles, requests in flight, and what may stand in for a mean.

HEADS = "benchmark connections metric value unit"
MEAN = '[latency]\nmean = "metric=time"\n'


def answered(of: Study) -> LatencyAnswer:
    """The latency answer of a study that has one."""
    answer = latency_answer(of)
    assert isinstance(answer, LatencyAnswer)
    return answer


def table(folder: Path, *, throughput: float = 0.0, **statistics: float) -> Study:
    """One benchmark at 100 connections with these latencies in milliseconds."""
    rows = [("Serve", 100, f"latency_{name}", value, "ms") for name, value in statistics.items()]
    rows += [("Serve", 100, "throughput", throughput, "req/s")] if throughput else []
    return make_table(folder, HEADS, rows)


@pytest.mark.parametrize(
    ("statistics", "percentile", "bound"),
    [
        # Mean 20 over p50 5 and p90 10: the slowest tenth must average (20 - 2.5 - 4) / 0.1 = 135 ms at least.
        ({"mean": 20, "p50": 5, "p90": 10, "p99": 50}, "p90", 135e-3),
        # The highest percentile below the mean bounds the smallest part of the requests, so it says most.
        (
            {"mean": 20, "p90": 1, "p95": 10, "p99": 15, "p999": 90},
            "p99",
            (20 - 0.9 * 1 - 0.05 * 10 - 0.04 * 15) / 0.01 / 1e3,
        ),
        # A mean above the median alone is no sign of a tail.
        ({"mean": 7, "p50": 5, "p90": 10, "p99": 50}, None, None),
    ],
)
def test_a_mean_above_a_percentile_bounds_the_tail(
    tmp_path: Path, statistics: dict[str, float], percentile: str | None, bound: float | None
) -> None:
    answer = answered(table(tmp_path, **statistics))
    (row,) = answer.rows
    assert (row.tail_percentile, row.tail_bound) == (percentile, pytest.approx(bound))
    assert row.in_flight is None  # Little's law needs a throughput
    assert [caveat.code for caveat in answer.caveats] == (["tail-beyond-percentiles"] if percentile else [])
    if percentile == "p90":
        assert "slowest 10 % average at least 135 ms, above the stated p99 of 50" in answer.caveats[0].message


def test_rounding_and_few_requests_make_no_tail(tmp_path: Path) -> None:
    """locust writes percentiles to two digits, and those of one request are its time; a true tail is told."""
    shares = ("50%", "90%", "99%", "99.99%", "100%")
    lines = [f"Type,Name,Request Count,Failure Count,Average Response Time,Requests/s,{','.join(shares)}"]
    lines += ["GET,/once,1,0,18445,0.1,18000,18000,18000,18000,18000"]
    lines += ["GET,/rounded,50000,0,1040,10,1000,1000,1000,1000,2000"]
    lines += ["GET,/tail,50000,0,90,10,5,10,50,900,20000"]
    (tmp_path / "run_stats.csv").write_text("\n".join(lines) + "\n")
    answer = answered(open_study(tmp_path))
    assert {row.key["benchmark"]: row.tail_percentile for row in answer.rows} == {
        "/once": None,
        "/rounded": None,
        "/tail": "p99",
    }


@pytest.mark.parametrize(
    ("mean_in", "apart", "code"),
    [
        (("r1", "r2"), False, "tail-beyond-percentiles"),
        (("r3", "r4"), True, "mean-of-other-runs"),
        (("r1", "r2", "r3"), True, "mean-of-other-runs"),
    ],
)
def test_time_stands_in_for_the_mean_where_the_study_says_so(
    tmp_path: Path, mean_in: tuple[str, ...], apart: bool, code: str
) -> None:
    """Go's time per operation is a mean latency only of a serial benchmark, and only on request.

    The bound holds within one sample: of other runs a warning with a condition, and no claim is tested on it.
    """
    rows = [(run, "Serve", 1, f"latency_{name}", value, "ms") for run in ("r1", "r2")
            for name, value in (("p50", 5), ("p95", 10))]  # fmt: skip
    rows += [(run, "Serve", 1, "time", 20, "ms/op") for run in mean_in]
    assert answered(make_table(tmp_path, f"run {HEADS}", rows)).rows[0].tail_bound is None
    claim = '[[claims]]\ntext = "No tail."\nsource = "a report"\nabout = "slowest"\nat_most = "30 ms"\n'
    study = make_table(tmp_path, f"run {HEADS}", rows, MEAN + claim)
    answer = answered(study)
    (row,) = answer.rows
    assert row.tail_bound == pytest.approx((20 - 2.5 - 4.5) / 0.05 / 1e3)
    assert row.mean_of_other_runs is apart
    assert row.evidence.rows == (f"table.csv:2-{len(rows) + 1}",)
    (caveat,) = answer.caveats
    assert (caveat.code, caveat.severity) == (code, "warning" if apart else "alert")
    assert ("if both describe the same requests: they are from different runs" in caveat.message) is apart
    (claimed,) = executive_summary(study).claims
    assert claimed.verdict == ("not testable" if apart else "contradicted")
    assert claimed.reason == ("the mean and the percentiles are of different runs" if apart else "")


@pytest.mark.parametrize(("throughput", "said"), [(10_000, False), (10_400, False), (11_000, True), (9_000, True)])
def test_requests_in_flight_should_be_the_connections(tmp_path: Path, throughput: float, said: bool) -> None:
    """10 ms times 10,000 a second is 100 in flight; beyond 5 % of the 100 configured it is said."""
    answer = answered(table(tmp_path, mean=10, p50=9, throughput=throughput))
    (row,) = answer.rows
    assert row.in_flight is not None
    assert (row.in_flight.expected, row.in_flight.configured) == (pytest.approx(throughput / 100), 100)
    assert ("littles-law" in {caveat.code for caveat in answer.caveats}) is said


@pytest.mark.parametrize(
    ("generator", "throughput", "code"),
    [
        ("wrk 4.1.0", 11_000, "latency-corrected"),
        ("wrk", 9_000, "littles-law"),
        ("wrk2 4.0.0", 11_000, "littles-law"),
    ],
)
def test_what_wrk_adds_to_its_latencies_is_no_fault_of_its_count(
    tmp_path: Path, generator: str, throughput: float, code: str
) -> None:
    """wrk 4.1.0, src/wrk.c: stats_correct adds samples, so only an excess in flight is its own correction."""
    rows = [("Serve", 100, "latency_mean", 10, "ms"), ("Serve", 100, "latency_p50", 9, "ms")]
    rows.append(("Serve", 100, "throughput", throughput, "req/s"))
    stated = f'[environment]\ngenerator = "{generator}"\n'
    (caveat,) = answered(make_table(tmp_path, HEADS, rows, stated)).caveats
    assert caveat.code == code
    assert caveat.message.startswith("wrk counts the requests") is (code == "latency-corrected")


def test_what_has_no_percentile_is_refused_in_one_line(tmp_path: Path) -> None:
    """A mean alone is no distribution; a condition narrowed away is refused by the reason of the selection."""
    answer = latency_answer(make_study(tmp_path, "", a=go_text({"Decode": [8]})))
    assert isinstance(answer, Refusal)
    assert answer.reason == "no result here holds a latency percentile"
    assert "\n" not in answer.reason + answer.advice
    rows = [(name, 1, "latency_p50", 5, "ms") for name in ("A", "B")]
    answer = latency_answer(make_table(tmp_path, HEADS, rows, '[latency]\nwhere = "benchmark=A"\n', "benchmark=B"))
    assert isinstance(answer, Refusal)
    assert "selects no row" in answer.reason


# Throughput against concurrency and latency against throughput, of every sweep.

LOAD_HEADS = "benchmark workers executor metric value unit"
PARALLEL = '[configuration]\nparallel = ["B"]\n'
BY = 'by = ["executor"]\n'
TIMES: list[tuple[object, ...]] = [("B", n, "x", "time", 100 / n, "us/op") for n in (1, 2)]


def operating(folder: Path, rows: list[tuple[object, ...]], definition: str = "") -> OperatingAnswer | Refusal:
    """The answer of a made-up study."""
    return operating_answer(make_table(folder, LOAD_HEADS, rows, f'[scaling]\nconcurrency = "workers"\n{definition}'))


def only_panel(folder: Path, rows: list[tuple[object, ...]], definition: str = "") -> OperatingPanel:
    answer = operating(folder, rows, definition)
    assert isinstance(answer, OperatingAnswer)
    (panel,) = answer.panels
    return panel


def level(n: object, executor: str, rate: float, delay: float) -> list[tuple[object, ...]]:
    """One level of one executor."""
    return [("B", n, executor, "throughput", rate, "op/s"), ("B", n, executor, "latency_p99", delay, "ms")]


def test_one_line_for_each_setting(tmp_path: Path) -> None:
    """The study's first grouping column tells the lines apart; each has its levels in order."""
    rows = [row for n in (2, 1) for executor in ("pool", "serial") for row in level(n, executor, 10 * n, n)]
    panel = only_panel(tmp_path, rows, BY)
    assert panel.statistic == "p99"
    levels = {line.name: [point.concurrency for point in line.points] for line in panel.lines}
    assert levels == {"pool": [1, 2], "serial": [1, 2]}
    assert [point.latency.value for point in panel.lines[0].points if point.latency] == [0.001, 0.002]


def test_time_of_a_parallel_benchmark_is_a_throughput_and_no_latency(tmp_path: Path) -> None:
    """Half the time an operation is twice the throughput."""
    assert isinstance(operating(tmp_path, TIMES), Refusal)  # without the study's word it tells no throughput
    panel = only_panel(tmp_path, TIMES, PARALLEL)
    (line,) = panel.lines
    assert panel.statistic == ""
    assert [round(point.throughput.value) for point in line.points] == [10_000, 20_000]
    assert all(point.latency is None for point in line.points)


@pytest.mark.parametrize("other", ["ten", "0", "-4", "inf"])
def test_a_level_that_has_no_place_on_an_axis_has_none_in_a_panel(tmp_path: Path, other: str) -> None:
    """The levels that are numbers above 0 make the panel, in order of size."""
    panel = only_panel(tmp_path, [row for n in (10, 2, other, 1) for row in level(n, "pool", 100, 5)])
    assert [point.concurrency for point in panel.lines[0].points] == [1, 2, 10]


def test_a_latency_that_some_levels_lack_is_not_drawn(tmp_path: Path) -> None:
    """The next statistic that all levels have stands in its place."""
    rows = [*level(1, "x", 10, 1), *level(2, "x", 18, 2), ("B", 2, "x", "latency_p50", 0.7, "ms")]
    rows[1] = ("B", 1, "x", "latency_p50", 0.5, "ms")
    assert only_panel(tmp_path, rows).statistic == "p50"
