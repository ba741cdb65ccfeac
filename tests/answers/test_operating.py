"""Throughput against concurrency and latency against throughput, of every sweep."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.latency import OperatingAnswer, operating_answer
from benchlib.answers.refusal import Refusal
from tests.shipped_studies import study
from tests.synthetic import make_table

HEADS = "benchmark workers executor metric value unit"


def answered(folder: Path, rows: list[tuple[object, ...]], definition: str = "") -> OperatingAnswer:
    """The answer of a made-up study."""
    found = operating_answer(make_table(folder, HEADS, rows, f'[scaling]\nconcurrency = "workers"\n{definition}'))
    assert isinstance(found, OperatingAnswer)
    return found


def level(n: int, executor: str, rate: float, delay: float) -> list[tuple[object, ...]]:
    """One level of one executor."""
    return [("B", n, executor, "throughput", rate, "op/s"), ("B", n, executor, "latency_p99", delay, "ms")]


def test_one_line_for_each_setting(tmp_path: Path) -> None:
    """The study's first grouping column tells the lines apart; each has its levels in order."""
    rows = [row for n in (2, 1) for one in ("pool", "serial") for row in level(n, one, 10 * n, n)]
    found = answered(tmp_path, rows, 'by = ["executor"]\n')
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
    found = answered(tmp_path, rows, '[configuration]\nparallel = ["B"]\n')
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
    (panel,) = answered(tmp_path, rows).panels
    assert [point.concurrency for point in panel.lines[0].points] == [1, 2, 10]


def test_a_serial_benchmark_is_no_sweep(tmp_path: Path) -> None:
    """Without the study's word its time tells no throughput."""
    rows: list[tuple[object, ...]] = [("B", n, "x", "time", 100, "us/op") for n in (1, 2)]
    found = operating_answer(make_table(tmp_path, HEADS, rows, '[scaling]\nconcurrency = "workers"\n'))
    assert isinstance(found, Refusal)


def test_a_latency_that_some_levels_lack_is_not_drawn(tmp_path: Path) -> None:
    """The next statistic that all levels have stands in its place."""
    rows = [*level(1, "x", 10, 1), *level(2, "x", 18, 2)]
    rows[1] = ("B", 1, "x", "latency_p50", 0.5, "ms")
    rows.append(("B", 2, "x", "latency_p50", 0.7, "ms"))
    assert answered(tmp_path, rows).panels[0].statistic == "p50"


def test_rows_kept_out_of_the_curves_stand_apart_with_the_reason() -> None:
    """The matrix of the token SDK: drawn after the rest, and never mixed with it."""
    found = operating_answer(study("token-sdk"))
    assert isinstance(found, OperatingAnswer)
    kept = [panel for panel in found.panels if not panel.left_out]
    assert [panel.name for panel in kept] == [
        "TestParallelBenchmarkSender, proof bulletproof",
        "TestParallelBenchmarkSender, proof csp",
    ]
    assert found.panels[: len(kept)] == tuple(kept)
    sources = {row.split("/")[0] for panel in kept for line in panel.lines for point in line.points
               for row in point.evidence.rows}  # fmt: skip
    assert sources == {"runner"}
    assert {panel.left_out for panel in found.panels[len(kept) :]} == {
        "measured while the machine was busy, for two seconds at each level"
    }


@pytest.mark.parametrize("name", ["lplex", "heavy-read-api-published"])
def test_without_a_sweep_it_says_so(name: str) -> None:
    """One line that says what to measure."""
    found = operating_answer(study(name))
    assert isinstance(found, Refusal)
    assert found.reason.startswith("no throughput was measured at two levels of")


def test_two_levels_tell_how_far_throughput_grows(tmp_path: Path) -> None:
    """The factor between medians, what it leaves of the factor of workers, and the rows of these two levels alone."""
    rows = [row for one, gain in (("pool", 1.8), ("serial", 1.2), ("free", 1.5), ("idle", 1.6))
            for part in (99.0, 100.0, 101.0)
            for n, rate in ((1, part), (2, gain * part)) for row in level(n, one, rate, n)]  # fmt: skip
    found = answered(tmp_path, rows, 'by = ["executor"]\n')
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
    (panel,) = answered(tmp_path, rows, '[configuration]\nparallel = ["B"]\n').panels
    grown = panel.lines[0].growth
    assert grown is not None
    assert grown.factor.value == pytest.approx(2)
    assert grown.efficiency == pytest.approx(1)
    assert grown.throughput_after.unit == "op/sec"
    assert not grown.factor.has_interval
    assert "one over the median time" in grown.evidence.formula


def test_a_benchmark_with_three_levels_is_left_to_the_curves(tmp_path: Path) -> None:
    """Its growth has a shape; and a throughput of 0 has no factor."""
    three = answered(tmp_path, [row for n in (1, 2, 4) for row in level(n, "x", n, n)])
    assert three.main is None
    assert three.panels[0].lines[0].growth is not None
    (tmp_path / "none").mkdir()
    none = answered(tmp_path / "none", [row for n in (1, 2) for row in level(n, "x", n - 1, n)])
    assert none.main is None
    assert none.panels[0].lines[0].growth is None
