"""How long requests take: percentiles, and throughput and latency under load."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.answers.asking import Refusal
from benchlib.answers.latency import LatencyAnswer, OperatingAnswer, latency_answer, operating_answer
from benchlib.caveats import Caveat
from benchlib.study import Study
from tests.synthetic import go_text, make_study, make_table

# Latency: tails beyond percentiles, requests in flight, and what may stand in for a mean.

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


# Throughput against concurrency and latency against throughput, of every sweep.

LOAD_HEADS = "benchmark workers executor metric value unit"


def operating(folder: Path, rows: list[tuple[object, ...]], definition: str = "") -> OperatingAnswer:
    """The answer of a made-up study."""
    found = operating_answer(make_table(folder, LOAD_HEADS, rows, f'[scaling]\nconcurrency = "workers"\n{definition}'))
    assert isinstance(found, OperatingAnswer)
    return found


def level(n: int, executor: str, rate: float, delay: float) -> list[tuple[object, ...]]:
    """One level of one executor."""
    return [("B", n, executor, "throughput", rate, "op/s"), ("B", n, executor, "latency_p99", delay, "ms")]


def test_one_line_for_each_setting(tmp_path: Path) -> None:
    """The study's first grouping column tells the lines apart; each has its levels in order."""
    rows = [row for n in (2, 1) for one in ("pool", "serial") for row in level(n, one, 10 * n, n)]
    found = operating(tmp_path, rows, 'by = ["executor"]\n')
    (panel,) = found.panels
    assert (found.setting, panel.statistic) == ("executor", "p99")
    assert {line.name: [point.concurrency for point in line.points] for line in panel.lines} == {
        "pool": [1, 2],
        "serial": [1, 2],
    }
    assert [point.latency.value for point in panel.lines[0].points if point.latency] == [0.001, 0.002]


def test_time_per_operation_of_a_parallel_benchmark_is_no_latency(tmp_path: Path) -> None:
    """It is one over a throughput, and the panel has no latency."""
    rows: list[tuple[object, ...]] = [("B", n, "x", "time", 100 / n, "us/op") for n in (1, 2)]
    found = operating(tmp_path, rows, '[configuration]\nparallel = ["B"]\n')
    (panel,) = found.panels
    assert panel.statistic == ""
    (line,) = panel.lines
    assert [round(point.throughput.value) for point in line.points] == [10_000, 20_000]
    assert all(point.latency is None for point in line.points)


@pytest.mark.parametrize("other", ["ten", "0", "-4", "inf"])
def test_a_level_that_has_no_place_on_an_axis_has_none_in_a_panel(tmp_path: Path, other: str) -> None:
    """The levels that are numbers above 0 make the panel, in order of size."""
    rows = [row for n in (10, 2, 99, 1) for row in level(n, "pool", 100, 5)]
    rows = [(one, other if n == 99 else n, *rest) for one, n, *rest in rows]
    (panel,) = operating(tmp_path, rows).panels
    assert [point.concurrency for point in panel.lines[0].points] == [1, 2, 10]


def test_a_serial_benchmark_is_no_sweep(tmp_path: Path) -> None:
    """Without the study's word its time tells no throughput."""
    rows: list[tuple[object, ...]] = [("B", n, "x", "time", 100, "us/op") for n in (1, 2)]
    found = operating_answer(make_table(tmp_path, LOAD_HEADS, rows, '[scaling]\nconcurrency = "workers"\n'))
    assert isinstance(found, Refusal)


def test_a_latency_that_some_levels_lack_is_not_drawn(tmp_path: Path) -> None:
    """The next statistic that all levels have stands in its place."""
    rows = [*level(1, "x", 10, 1), *level(2, "x", 18, 2)]
    rows[1] = ("B", 1, "x", "latency_p50", 0.5, "ms")
    rows.append(("B", 2, "x", "latency_p50", 0.7, "ms"))
    assert operating(tmp_path, rows).panels[0].statistic == "p50"


def test_two_levels_tell_how_far_throughput_grows(tmp_path: Path) -> None:
    """The factor between medians, what it leaves of the factor of workers, and the rows of these two levels alone."""
    rows = [row for one, gain in (("pool", 1.8), ("serial", 1.2), ("free", 1.5), ("idle", 1.6))
            for part in (99.0, 100.0, 101.0)
            for n, rate in ((1, part), (2, gain * part)) for row in level(n, one, rate, n)]  # fmt: skip
    found = operating(tmp_path, rows, 'by = ["executor"]\n')
    (panel,) = found.panels
    grown = {line.name: line.growth for line in panel.lines}
    pool = grown["pool"]
    assert pool is not None
    assert pool.name == "B, executor pool"
    assert (pool.before, pool.after, pool.levels) == (1, 2, 2)
    assert pool.factor.value == pytest.approx(1.8)
    assert pool.efficiency == pytest.approx(0.9)
    assert pool.factor.low < 1.8 < pool.factor.high
    assert pool.evidence.unit == pool.throughput_before.unit == "op/sec"
    assert len(pool.evidence.values) == 6
    main = found.main
    assert main is not None
    assert (main.benchmark, main.curves) == ("B", 4)
    assert [one.factor.value for one in (main.lowest, main.middle, main.highest)] == pytest.approx([1.2, 1.5, 1.8])


def test_times_of_a_parallel_benchmark_grow_as_its_throughput(tmp_path: Path) -> None:
    """Half the time an operation is twice the throughput; once each there is no interval."""
    rows: list[tuple[object, ...]] = [("B", n, "x", "time", 100 / n, "us/op") for n in (1, 2)]
    (panel,) = operating(tmp_path, rows, '[configuration]\nparallel = ["B"]\n').panels
    grown = panel.lines[0].growth
    assert grown is not None
    assert grown.factor.value == pytest.approx(2)
    assert grown.efficiency == pytest.approx(1)
    assert grown.throughput_after.unit == "op/sec"
    assert not grown.factor.has_interval
    assert "one over the median time" in grown.evidence.formula


def test_a_benchmark_with_three_levels_is_left_to_the_curves(tmp_path: Path) -> None:
    """Its growth has a shape; and a throughput of 0 has no factor."""
    three = operating(tmp_path, [row for n in (1, 2, 4) for row in level(n, "x", n, n)])
    assert three.main is None
    assert three.panels[0].lines[0].growth is not None
    (tmp_path / "none").mkdir()
    none = operating(tmp_path / "none", [row for n in (1, 2) for row in level(n, "x", n - 1, n)])
    assert none.main is None
    assert none.panels[0].lines[0].growth is None
