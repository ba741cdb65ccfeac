"""Gatling: requests one by one, and the statistics of its report."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.reader import Reading
from tests.columns import counts
from tests.readings import read, read_lines, values

DATA = Path(__file__).parents[1] / "data" / "gatling"


def of(name: str) -> Reading:
    return (read if name.endswith(".json") else read_lines)((DATA / name).read_text(encoding="utf-8"), name)


def test_the_log_gives_each_request() -> None:
    """A failed one is set apart alone; a line that was cut in the middle of a file is a problem."""
    reading = of("simulation.log")
    assert values(reading) == [
        ("GET /login", "latency", 70.0, "ms"),
        ("POST /pay?id=1", "latency", 100.0, "ms"),
        ("GET /login", "latency", 90.0, "ms"),
    ]
    assert counts(reading.rows.errors) == [0, 1, 0]
    assert reading.configurations == [{"benchmark": "GET /login"}, {"benchmark": "POST /pay?id=1", "group": "checkout"}]
    assert [line for line, _ in reading.problems] == [8]


def test_every_version_of_the_log_says_the_same() -> None:
    """Gatling 2 wrote scenario, user and four times; 3.0 the user."""
    reading = of("old.log")
    assert [row[2] for row in values(reading)] == [70.0, 80.0]
    assert reading.configurations == [{"benchmark": "GET /login"}]


def test_the_report_gives_the_whole_and_each_request() -> None:
    """Failures go with what they have a part in; what is written as '-' is nothing."""
    reading = of("stats.json")
    whole = {metric: value for _, metric, value, _ in values(reading)[:9]}
    assert whole == {
        "throughput": 3.5, "latency_min": 10.0, "latency_max": 900.0, "latency_mean": 75.0, "latency_stdev": 5.0,
        "latency_p50": 70.0, "latency_p75": 80.0, "latency_p95": 95.0, "latency_p99": 99.0,
    }  # fmt: skip
    assert reading.configurations == [
        {"benchmark": "All Requests"},
        {"benchmark": "GET /login"},
        {"benchmark": "checkout"},
        {"benchmark": "POST /pay", "group": "checkout"},
    ]
    assert counts(reading.rows.errors)[::9] == [2, 0, 2, 2]


@pytest.mark.parametrize("end", ["1662461295070\tO", "1662461295070\tOK", "16624612950", ""])
def test_a_cut_request_is_no_latency(end: str) -> None:
    """Wherever the file ends."""
    lines = "RUN\ta\ta\t1662461289902\t \t3.7.4\n" + f"REQUEST\t\ta\t1662461295000\t{end}"
    assert len(read_lines(lines, open_end=True).rows) == 0
