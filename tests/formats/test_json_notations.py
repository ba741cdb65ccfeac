"""JSON without a tool of its own: Bencher Metric Format, github-action-benchmark, flat objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.reader import Reader, Reading, TextFile
from benchlib.formats.registry import choose
from benchlib.formats.suites import BENCHER_METRICS, GITHUB_ACTION
from benchlib.formats.tables import JSON_ROWS
from tests import readings

#: The example of https://bencher.dev/docs/reference/bencher-metric-format/.
BMF = """{
  "benchmark_name": {
    "latency": { "value": 88.0, "lower_value": 87.42, "upper_value": 88.88 },
    "throughput": { "value": 5.55, "lower_value": 3.14, "upper_value": 6.30 }
  },
  "/bin/sh -c ./my_build_script.sh": { "build-time": { "value": 87.0 } },
  "my_binary": { "file-size": { "value": 42.0 } }
}"""
DEVHUB = Path(__file__).parents[1] / "data" / "devhub" / "lines.json"


def test_a_devhub_keeps_a_line_a_commit() -> None:
    """Each with its time; a line that is cut spoils no other."""
    text = DEVHUB.read_text(encoding="utf-8")
    reading = readings.read(text)
    assert readings.values(reading)[:2] == [
        ("build time", "value", 61234.0, "ms"),
        ("binary size", "value", 4194304.0, "bytes"),
    ]
    assert [facts["run"] for facts in reading.configurations] == ["4f2a1b3c5d", "9b8c7d6e5f", "0a1b2c3d4e"]
    assert [(one.kind, one.data) for one in reading.series][:1] == [("recorded", ("2025-01-02T09:19:30+00:00",))]
    cut = readings.read(text[:-30])
    assert (len(readings.values(cut)), len(cut.problems)) == (4, 1)


#: After the README of github-action-benchmark, "Custom benchmark result".
CUSTOM = """[
  {"name": "My Custom Smaller Is Better Benchmark - CPU Load", "unit": "Percent", "value": 50},
  {"name": "My Custom Smaller Is Better Benchmark - Memory Used", "unit": "Megabytes", "value": 100,
   "range": "3", "extra": "Value for Tooltip: 25\\nOptional Num #2: 100\\nAnything Else!"}
]"""
HISTORY = """window.BENCHMARK_DATA = {
  "lastUpdate": 1700000000000, "repoUrl": "https://github.com/a/b",
  "entries": {"Rust Benchmark": [
    {"commit": {"id": "0123456789abcdef", "message": "one"}, "date": 1, "tool": "cargo",
     "benches": [{"name": "bench_fib_10", "value": 135, "range": "± 24", "unit": "ns/iter"}]},
    {"commit": {"id": "fedcba9876543210", "message": "two"}, "date": 2, "tool": "cargo",
     "benches": [{"name": "bench_fib_10", "value": 130, "range": "± 4", "unit": "ns/iter"}]}]}}"""


def read(text: str, reader: Reader) -> Reading:
    file = TextFile("x.json", text.split("\n"))
    assert choose(file).name == reader.name
    return reader.read(file)


def told(reading: Reading) -> list[tuple[str, str | None, float, str]]:
    rows = reading.rows
    return list(zip(rows.name, rows.metric, rows.value, rows.unit, strict=True))


def test_bencher_metrics_have_the_units_bencher_gives_them() -> None:
    """Four measures of three benchmarks; bounds are kept beside."""
    reading = read(BMF, BENCHER_METRICS)
    assert told(reading) == [
        ("benchmark_name", "latency", 88.0, "ns"),
        ("benchmark_name", "throughput", 5.55, "op/s"),
        ("/bin/sh -c ./my_build_script.sh", "build_time", 87.0, "s"),
        ("my_binary", "file_size", 42.0, "B"),
    ]
    assert (reading.lines.data, reading.problems) == (4, [])
    assert [one.data for one in reading.series] == [("latency", 87.42, 88.88), ("throughput", 3.14, 6.3)]


def test_a_custom_entry_is_named_and_measured() -> None:
    """Two entries, each of a unit of its own."""
    reading = read(CUSTOM, GITHUB_ACTION)
    assert [one[2:] for one in told(reading)] == [(50.0, "Percent"), (100.0, "Megabytes")]
    assert list(reading.rows.line) == [2, 3]


def test_entries_that_hold_more_are_a_table() -> None:
    """Name, unit and value beside axes: the action knows no axis, and would lose them without a word."""
    text = """[
  {"name": "Copy", "size": 4, "metric": "time", "unit": "ms", "value": 5},
  {"name": "Copy", "size": 8, "metric": "time", "unit": "ms", "value": 6}
]"""
    reading = read(text, JSON_ROWS)
    assert told(reading) == [("Copy", "time", 5.0, "ms"), ("Copy", "time", 6.0, "ms")]
    assert [configuration["size"] for configuration in reading.configurations] == ["4", "8"]


def test_a_history_gives_a_run_a_commit() -> None:
    """``ns/iter`` is time per operation; suite and tool are axes."""
    reading = read(HISTORY, GITHUB_ACTION)
    assert told(reading) == [("bench_fib_10", None, 135.0, "ns/op"), ("bench_fib_10", None, 130.0, "ns/op")]
    assert [one["run"] for one in reading.configurations] == ["0123456789", "fedcba9876"]
    assert {one["suite"] for one in reading.configurations} == {"Rust Benchmark"}


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "put", "workers": 1, "time_ms": 2.5, "ok": true},\n {"name": "put", "workers": 2, "time_ms": 3.5}]',
        '{"name": "put", "workers": 1, "time_ms": 2.5, "ok": true}\n{"name": "put", "workers": 2, "time_ms": 3.5}',
    ],
)
def test_flat_objects_read_like_the_lines_of_a_table(text: str) -> None:
    """Whole numbers that are settings become axes, a key with a unit a metric; each knows its line."""
    reading = read(text, JSON_ROWS)
    assert told(reading) == [("put", "time", 2.5, "ms"), ("put", "time", 3.5, "ms")]
    assert list(reading.rows.line) == [1, 2]
    assert reading.configurations == [{"workers": "1"}, {"workers": "2"}]
    assert list(reading.rows.errors) == [0, 0]  # ok: true, or not said
    assert (reading.lines.data, reading.lines.total) == (2, 2)


def test_nested_values_are_named_and_passed_over() -> None:
    """With the way to read them."""
    file = TextFile("x", ['[{"time_ms": 1.5}, {"time_ms": 2.5, "extra": {"a": 1}}, 5]'])
    reading = JSON_ROWS.read(file)
    assert list(reading.rows.value) == [1.5, 2.5]
    assert [message.partition(";")[0] for _, message in reading.problems] == ["no object", "'extra' is nested"]
    assert (reading.lines.data, reading.lines.problem) == (2, 1)


def test_objects_without_a_key_are_no_table() -> None:
    """They are said to name no metric."""
    (_, message), *_ = JSON_ROWS.read(TextFile("t.json", ["[{}, {}]"])).problems
    assert message.startswith("no column names a metric")
