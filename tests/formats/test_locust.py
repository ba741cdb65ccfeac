"""CSV files of locust."""

from __future__ import annotations

from pathlib import Path

from benchlib.formats.load_generators import LOCUST
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data" / "locust"


def lines_of(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def read(lines: list[str]) -> Reading:
    return LOCUST.read(TextFile("x", lines))


def test_each_name_is_a_benchmark_and_the_total_is_dropped() -> None:
    """Three names of 15 values; 124 of 594 requests of one failed."""
    reading = read(lines_of("run_stats.csv"))
    assert [one["benchmark"] for one in reading.configurations] == ["/cheap", "/flaky", '/json [µ,"q"]']
    assert len(reading.rows) == 45
    assert dict(zip(reading.rows.name, reading.rows.errors, strict=True)) == {
        "/cheap": 0, "/flaky": 124, '/json [µ,"q"]': 0,
    }  # fmt: skip
    at = reading.rows.metric.index("latency_p99.9", 15)
    assert (reading.rows.value[at], reading.rows.unit[at]) == (3000, "ms")


def test_the_total_alone_is_kept() -> None:
    """A file of nothing but ``Aggregated`` is the only result there is."""
    lines = lines_of("run_stats.csv")
    reading = read([lines[0], lines[-1]])
    assert set(reading.rows.name) == {"Aggregated"}
    assert set(reading.rows.errors) == {124}


def test_the_history_is_a_timeline() -> None:
    """No row, one series a name; every line is context."""
    lines = lines_of("run_stats_history.csv")
    reading = read(lines)
    assert len(reading.rows) == 0
    assert reading.lines.context == len(lines)
    timelines = [one for one in reading.series if one.kind == "timeline"]
    assert {one.name for one in timelines} == {"Aggregated", "/cheap", "/flaky", '/json [µ,"q"]'}
    assert sum(len(one.data) for one in timelines) == len(lines) - 1


def test_wrong_cells_are_problems() -> None:
    """A word for a number, a missing field, and a name without a request."""
    lines = lines_of("run_stats.csv")
    broken = [lines[0], lines[1].replace("1676", "x", 1), lines[2].rpartition(",")[0], lines[3].replace("585", "0", 1)]
    reading = read(broken)
    assert len(reading.rows) == 0
    assert [line for line, _ in reading.problems] == [0, 2, 3, 4]


def test_not_available_is_missing() -> None:
    """``N/A`` stands where locust has no percentile."""
    lines = lines_of("run_stats.csv")
    header = lines[0].split(",")
    cells = lines[1].split(",")
    cells[header.index("50%")] = "N/A"
    assert "latency_p50" not in read([lines[0], ",".join(cells)]).rows.metric


def test_failures_and_exceptions_are_remarks() -> None:
    """The other two files of a run hold no measurement and are no unknown format."""
    lines = ["Method,Name,Error,Occurrences", "GET,/flaky,HTTPError(500),124"]
    assert LOCUST.recognise(TextFile("x", lines)) == "certain"
    reading = read(lines)
    assert reading.lines.context == 2
    assert reading.series[0].data == ("GET", "/flaky", "HTTPError(500)", "124")


def test_a_header_that_lost_a_column_is_refused() -> None:
    """Without the name or the failures no line means anything."""
    lines = lines_of("run_stats.csv")
    reading = read([lines[0].replace("Failure Count", "Failed"), *lines[1:]])
    assert len(reading.rows) == 0
    assert "no column 'Failure Count'" in reading.problems[0][1]
    assert reading.lines.problem == len(lines)


def test_a_history_without_a_second_is_told() -> None:
    """A header alone is locust's for certain, so its silence would look like a file that was read."""
    reading = read(lines_of("run_stats_history.csv")[:1])
    assert reading.problems == [(0, "the history has no second in it; run locust again")]
