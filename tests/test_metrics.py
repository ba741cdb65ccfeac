"""Metrics: one name each, the unit they can have, and what they cannot be."""

from __future__ import annotations

import pytest

from benchlib.metrics import Metric, better, canonical, factor_of, metric, misfit, never_negative, unit_of
from benchlib.units import Unit


@pytest.mark.parametrize(
    ("unit", "found"),
    [
        ("ns/op", Metric("time", "sec/op", "lower")),
        ("B/op", Metric("memory", "B/op", "lower")),
        ("allocs/op", Metric("allocations", "allocs/op", "lower")),
        ("req/s", Metric("throughput", "req/sec", "higher")),
        ("MB/s", Metric("transfer", "B/sec", "higher")),
        ("p99_ms", Metric("latency_p99", "sec", "lower")),
        ("p99.9-us", Metric("latency_p99.9", "sec", "lower")),
        ("cycles/op", Metric("cycles/op", "cycles/op", None)),
    ],
)
def test_metrics_of_units(unit: str, found: Metric) -> None:
    """A unit tells what was measured and which way is better, or neither."""
    assert metric(unit)[0] == found
    assert better(found.name, found.unit) == found.better


@pytest.mark.parametrize(
    ("name", "unit", "way"),
    [
        ("durchsatz", "req/sec", "higher"),
        ("pure_throughput", "op/sec", "higher"),
        ("decode", "sec/op", "lower"),
        ("failed", "req/sec", None),
        ("errorcount", "req/sec", None),
        ("http_5xx", "req/sec", None),
        ("throttled", "req/sec", None),
        ("demand", "req/sec", None),
        ("failed_per_host", "req/sec", None),
        ("rate", "req/sec", None),
        ("target_rps", "req/sec", None),
        ("throughput_stdev", "req/sec", None),
        ("fehler", "req/sec", None),
        ("uptime", "sec", None),
        ("latency_p99", "req/sec", "lower"),
    ],
)
def test_a_unit_tells_the_way_where_the_name_does_not(name: str, unit: str, way: str | None) -> None:
    """Work by time improves upwards, unless it failed or was asked for; a time by itself may be of anything."""
    assert better(name, unit) == way


def test_a_percentile_must_be_one() -> None:
    """p100 and p5000 are no percentiles; they keep their own name."""
    assert metric("p100_ms")[0].name == "p100_sec" or not metric("p100_ms")[0].name.startswith("latency_")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("latency_p999", "latency_p99.9"),
        ("latency_p99.9", "latency_p99.9"),
        ("latency_p9999", "latency_p99.99"),
        ("latency_p975", "latency_p97.5"),
        ("latency_p99.90", "latency_p99.9"),
        ("latency_p50.0", "latency_p50"),
        ("latency_p990", "latency_p99"),
        ("latency_p100", "latency_p100"),
        ("latency_p100.000", "latency_p100"),
        ("latency_p5", "latency_p5"),
        ("latency_p2.5", "latency_p2.5"),
        ("latency_uncorrected_p999", "latency_uncorrected_p99.9"),
        ("latency_max", "latency_max"),
        ("http_p443", "http_p443"),
        ("p999", "p999"),
        ("latency_p", "latency_p"),
        ("latency_p999_x", "latency_p999_x"),
    ],
)
def test_a_percentile_has_one_name(written: str, name: str) -> None:
    """Beyond 100, digits after the first two are decimals; other names, and p100, stay as they are."""
    assert canonical(written) == name
    assert canonical(name) == name


def test_minutes_are_those_of_times() -> None:
    """``m`` and ``h`` are units of a time by its name, and anybody's elsewhere."""
    assert unit_of("latency_max", "m") == Unit("sec", 60.0)
    assert unit_of("gc_time", "h") == Unit("sec", 3600.0)
    assert unit_of("latency_p50", "duration") == Unit("sec", 1.0)
    assert unit_of("distance", "m") == Unit("m", 1.0)
    assert factor_of("time", "ns/op") == 1e-9
    assert misfit("latency_max", "m") == ""


@pytest.mark.parametrize(
    ("name", "unit", "what"),
    [
        ("time", "sec/op", "time"), ("latency_p99", "sec", "time"), ("latency_p99", "", "time"),
        ("memory", "B/op", "size"), ("allocations", "allocs/op", "count"), ("requests", "req", "count"),
        ("throughput", "req/sec", "rate"), ("throughput", "", "count"), ("transfer", "B/sec", "rate"),
        ("widgets", "widgets", ""), ("gain", "ratio", ""), ("temperature", "", ""), ("clock_skew", "sec", ""),
        ("flat_time", "sec", ""), ("memory_delta", "B", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_negative(name: str, unit: str, what: str) -> None:
    """Times, sizes, counts and rates; no unit of a user's own, and no difference between two of them."""
    assert never_negative(name, unit) == what
