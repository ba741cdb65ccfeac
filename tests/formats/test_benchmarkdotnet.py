"""BenchmarkDotNet: the same benchmark from each of its exporters."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.reader import Reading
from tests.readings import read, values

DATA = Path(__file__).parents[1] / "data" / "benchmarkdotnet"
MARKDOWN = """```
BenchmarkDotNet v0.13.12, Ubuntu 22.04
  [Host] : .NET 8.0
```
| Method | Length | Mean       | Error    | Allocated |
|------- |-------:|-----------:|---------:|----------:|
| **Merge**  | **10**     |   **668.0 ns** |  **4.20 ns** |     **192 B** |
| Merge  | 1000   | 1,234.5 μs | 12.00 μs |         - |
|        |        |            |          |           |
| &#39;Quick sort&#39;  | 10 | 1.234 ms | 0.100 ms |   1.5 KB |
"""


def of(name: str) -> Reading:
    return read((DATA / name).read_text(encoding="utf-8"), name)


def test_the_csv_report_has_means_with_their_interval() -> None:
    """Error is no failure (field_data.md, defect 3); KB are 1,024 bytes, '-' is nothing, and NA failed."""
    reading = of("Acme.Sorting-report.csv")
    assert values(reading)[4:8] == [
        ("Merge", "time", 1234.5, "ns/op"),
        ("Merge", "time_stdev", 11.0, "ns/op"),
        ("Merge", "gc_gen0", 0.0, ""),
        ("Merge", "memory", 1.5, "KiB/op"),
    ]
    assert reading.configurations[0] == {
        "benchmark": "Merge", "type": "Sorting", "jit": "RyuJit", "platform": "X64", "runtime": ".NET 6.0",
        "Length": "10",
    }  # fmt: skip
    interval = reading.series[0]
    assert (interval.kind, interval.data) == ("interval", ("time", pytest.approx(663.8), pytest.approx(672.2), 0.999))
    [(line, message)] = reading.problems
    assert (line, message) == (5, "Merge failed (its mean is 'NA'); line skipped")
    assert [entry.name for entry in reading.series if entry.kind == "failed-benchmark"] == ["Merge"]


def test_a_culture_writes_its_own_decimal_mark() -> None:
    """Semicolons part columns, commas decimals, dots thousands; the head has the unit."""
    assert values(of("semicolons-report.csv")) == [
        ("Merge", "time", 1234.567, "us/op"),
        ("Merge", "memory", 2.5, "KiB/op"),
        ("Quick", "time", 12.25, "us/op"),
        ("Quick", "memory", 0.0, "KiB/op"),
    ]


@pytest.mark.parametrize(("written", "value"), [("1.234", 1.234), ("1,234", 1.234), ("12.345,6", 12345.6)])
def test_the_last_mark_of_a_time_is_its_decimal_mark(written: str, value: float) -> None:
    """BenchmarkDotNet writes each time with decimals, so three digits behind a mark are no thousands."""
    reading = read(f"Method;Job;Mean;Allocated\nA;DefaultJob;{written} us;1.024 B\n", "a-report.csv")
    assert values(reading)[0] == ("A", "time", value, "us/op")


def test_markdown_says_what_the_csv_does() -> None:
    """Stars, escapes, rules and the line that parts groups are none of it."""
    reading = read(MARKDOWN, "Acme.Sorting-report-github.md")
    assert values(reading) == [
        ("Merge", "time", 668.0, "ns/op"),
        ("Merge", "memory", 192.0, "B/op"),
        ("Merge", "time", 1234.5, "μs/op"),
        ("Merge", "memory", 0.0, "B/op"),
        ("Quick sort", "time", 1.234, "ms/op"),
        ("Quick sort", "memory", 1.5, "KiB/op"),
    ]
    assert reading.problems == []


def test_every_version_of_the_json_gives_the_iterations() -> None:
    """Before 0.12 they stand among the measurements alone; a brief file has the mean (field_data.md, defect 10)."""
    assert [row[2] for row in values(of("Intro-report-full.json"))] == [18500000.5, 18400000.25, 18700000.0, 128.0]
    reading = of("Old-report-full.json")
    assert values(reading) == [
        ("Merge", "time", 668.0, "ns/op"),
        ("Merge", "time", 670.0, "ns/op"),
        ("Quick", "time", 42.5, "ns/op"),
    ]
    assert reading.configurations[0] == {
        "benchmark": "Merge", "type": "Sorting", "job": "Runtime=Core", "Length": "10", "Kind": "plain",
    }  # fmt: skip


def test_measurements_are_the_iterations_that_count() -> None:
    """Warm-up, overhead and those before outliers were judged are context."""
    reading = of("Acme.Sorting-measurements.csv")
    assert values(reading) == [("Merge", "time", time, "ns/op") for time in (668.0, 670.0, 770.0)]
    assert reading.lines.context == 3
    facts = {"benchmark": "Merge", "type": "Sorting", "Length": "10", "Kind": "a b"}
    assert [facts | {"Runtime": runtime} for runtime in ("Core", "Core", "Mono")] == reading.configurations


def test_a_report_of_failures_is_refused_with_its_reason(tmp_path: Path) -> None:
    """Nothing was measured, and the first problem says so."""
    (tmp_path / "a-report.csv").write_text("Method,Job,Runtime,Mean,Error\nConnect,DefaultJob,.NET 8.0,NA,NA\n")
    with pytest.raises(Exception, match="Connect failed"):
        load(tmp_path)


@pytest.mark.parametrize("cell", ["1e308 ns", "9" * 400 + " ns", "NaN", "NA", "-"])
def test_a_mean_that_is_no_number_is_a_problem(cell: str) -> None:
    """Never a value."""
    reading = read(f"Method,Job,Mean\nA,DefaultJob,1.5 ns\nB,DefaultJob,{cell}\n", "a-report.csv")
    assert (len(reading.rows), [line for line, _ in reading.problems]) == (1, [3])
