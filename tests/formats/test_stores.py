"""Benchmarks of databases and caches: what each run says of its operations."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.reader import Reading
from tests.columns import counts
from tests.readings import read, read_lines, values

DATA = Path(__file__).parents[1] / "data" / "stores"


def of(name: str) -> Reading:
    return (read if name.endswith(".json") else read_lines)((DATA / name).read_text(encoding="utf-8"), name)


def measured(reading: Reading) -> list[tuple[str, str | None, float, str]]:
    """Benchmark, metric, value and unit of each row."""
    rows = zip(reading.rows.configuration, values(reading), strict=True)
    return [(str(reading.configurations[number]["benchmark"]), *row[1:]) for number, row in rows]


def test_ycsb_gives_throughput_and_the_latencies_of_each_operation() -> None:
    """Failed calls go with their operation and the whole; their own latencies, GC and clean-up are no result."""
    reading = of("ycsb.txt")
    assert measured(reading) == [
        ("OVERALL", "throughput", 99.94003597841295, "op/s"),
        ("READ", "latency_mean", 312.5, "us"),
        ("READ", "latency_min", 101.0, "us"),
        ("READ", "latency_max", 10455.0, "us"),
        ("READ", "latency_p95", 1013.0, "us"),
        ("READ", "latency_p99.9", 4263.0, "us"),
        ("UPDATE", "latency_mean", 412.5, "us"),
        ("OVERALL", "throughput", 150.0, "op/s"),
    ]
    assert counts(reading.rows.errors) == [10, 0, 0, 0, 0, 0, 10, 0]
    assert counts(reading.rows.iterations)[:2] == [1000, 500]
    assert reading.configurations[0] == {"benchmark": "OVERALL", "threads": 8, "workload": "workloada"}
    assert [facts["threads"] for facts in reading.configurations if facts["benchmark"] == "OVERALL"] == [8, 16]


def test_older_reports_of_redis_benchmark_have_steps() -> None:
    """A percentile is the first step that its share of requests did not exceed; the command has the pipeline."""
    reading = of("redis-old.txt")
    assert measured(reading) == [
        ("SET", "throughput", 51786.64, "req/s"),
        ("SET", "latency_p50", 1.0, "ms"),
        ("SET", "latency_p95", 3.0, "ms"),
        ("SET", "latency_p99", 4.0, "ms"),
        ("SET", "latency_p99.9", 4.0, "ms"),
    ]
    assert reading.configurations[0] == {"benchmark": "SET", "pipeline": 4, "clients": 50, "payload": 3}
    assert "rounded" in {entry.kind for entry in reading.series}


def test_newer_reports_of_redis_benchmark_have_a_summary() -> None:
    """Percentiles of its own, and no rounding to steps."""
    reading = of("redis.txt")
    names = ("mean", "min", "p50", "p95", "p99", "max")
    numbers = (0.286, 0.128, 0.279, 0.359, 0.447, 1.079)
    expected = [("GET", f"latency_{name}", number, "ms") for name, number in zip(names, numbers, strict=True)]
    assert measured(reading) == [("GET", "throughput", 93023.25, "req/s"), *expected]
    assert reading.configurations[0]["threads"] == 4
    assert "rounded" not in {entry.kind for entry in reading.series}


def test_the_short_forms_of_redis_benchmark() -> None:
    """A line a command, or two columns without a header."""
    assert measured(of("redis-quiet.txt")) == [
        ("PING_INLINE", "throughput", 100000.0, "req/s"),
        ("MSET (10 keys)", "throughput", 180180.17, "req/s"),
        ("MSET (10 keys)", "latency_p50", 0.143, "ms"),
    ]
    assert measured(of("redis-plain.csv")) == [
        ("PING_INLINE", "throughput", 100000.0, "req/s"),
        ("LRANGE_100 (first 100 elements)", "throughput", 34000.5, "req/s"),
    ]


def test_memtier_gives_each_kind_of_request() -> None:
    """Of several runs the average; what was never sent has no latency."""
    assert measured(of("memtier.txt")) == [
        ("Sets", "throughput", 11195.86, "op/s"),
        ("Sets", "latency_mean", 1.61966, "ms"),
        ("Sets", "latency_p50", 1.031, "ms"),
        ("Sets", "latency_p99.9", 28.671, "ms"),
        ("Sets", "transfer", 862.34, "KiB/s"),
        ("Totals", "throughput", 123044.16, "op/s"),
        ("Totals", "latency_mean", 1.6169, "ms"),
        ("Totals", "latency_p50", 1.031, "ms"),
        ("Totals", "latency_p99.9", 28.287, "ms"),
        ("Totals", "transfer", 5218.98, "KiB/s"),
    ]
    reading = of("memtier.json")
    assert reading.configurations == [{"benchmark": "Sets", "threads": 4, "connections": 50}]
    assert {metric: value for _, metric, value, _ in measured(reading)} == {
        "throughput": 11195.86, "latency_mean": 1.62, "latency_min": 0.1, "latency_max": 30.5, "transfer": 862.34,
        "latency_p50": 1.031, "latency_p99.9": 28.671,
    }  # fmt: skip


@pytest.mark.parametrize(("name", "kept"), [("ycsb.txt", 8), ("redis.txt", 0), ("memtier.txt", 10)])
def test_a_cut_file_gives_no_cut_number(name: str, kept: int) -> None:
    """What ends in the middle of a line is a problem, or had no result."""
    text = (DATA / name).read_text(encoding="utf-8")
    cut = text[: text.index("93023") + 3] if name == "redis.txt" else text.rstrip("\n")[:-1]
    reading = read_lines(cut, name, open_end=True)
    assert len(reading.rows) == kept
    assert all(str(93) != str(value) for value in reading.rows.value)
