"""Output of AB."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.load_text import AB
from benchlib.formats.reader import Reading, TextFile

TEXT = (Path(__file__).parents[1] / "data" / "ab" / "hash_c8.txt").read_text(encoding="utf-8")


def read(text: str) -> Reading:
    return AB.read(TextFile("x", text.splitlines()))


def test_a_run_as_it_stands_in_its_file() -> None:
    """Read off the file: 15 values; Kbytes are KiB, times whole ms."""
    reading = read(TEXT)
    found = dict(zip(reading.rows.metric, zip(reading.rows.value, reading.rows.unit, strict=True), strict=True))
    assert len(reading.rows) == 15
    assert {one: found[one] for one in ("throughput", "latency_mean", "transfer", "latency_min", "latency_p98")} == {
        "throughput": (7234.58, "req/s"),
        "latency_mean": (1.106, "ms"),
        "transfer": (1285.83, "KiB/s"),
        "latency_min": (0, "ms"),
        "latency_p98": (2, "ms"),
    }
    assert reading.configurations == [
        {"benchmark": "/hash", "endpoint": "hash", "host": "127.0.0.1:18080", "connections": 8}
    ]
    assert (set(reading.rows.iterations), set(reading.rows.errors)) == ({2000}, {0})
    assert [one.kind for one in reading.series] == ["closed-loop", "rounded"]


def test_failures_count_once() -> None:
    """5 lost, 7 of another length of which at least 4 were answers of 404: 12 in all."""
    text = TEXT.replace(
        "Failed requests:        0",
        "Failed requests:        12\n   (Connect: 0, Receive: 3, Length: 7, Exceptions: 2)\nNon-2xx responses:      4",
    )
    assert set(read(text).rows.errors) == {12}


@pytest.mark.parametrize(
    ("found", "changed", "said"),
    [
        ("Requests per second:    7234.58", "Requests per second:    723.58", "723.58 requests a second"),
        ("Failed requests:        0", "", "'Failed requests'"),
        ("Complete requests:      2000", "Complete requests:      200", "requests a second"),
        ("Concurrency Level:      8", "Concurrency Level:      ", "concurrency"),
        (" 100%      4 (longest request)", "", "'100%'"),
        ("Total:          0    1   0.5      1       4", "", "'Total:'"),
    ],
)
def test_a_run_that_lost_a_line_is_refused(found: str, changed: str, said: str) -> None:
    """Counts, time and rate must agree, and the tables must have their ends."""
    assert found in TEXT
    reading = read(TEXT.replace(found, changed))
    assert len(reading.rows) == 0
    assert any(said in message for _, message in reading.problems), reading.problems


def test_a_run_that_ab_gave_up() -> None:
    """ab ends with an error and no summary: nothing was measured."""
    text = TEXT.partition("Finished")[0] + "apr_pollset_poll: The timeout specified has expired (70007)\n"
    reading = read(text + "Total of 12 requests completed\n")
    assert len(reading.rows) == 0
    assert "timeout specified has expired" in reading.problems[0][1]


def test_two_runs_in_one_file() -> None:
    """Each has its own configuration."""
    other = TEXT.replace("Concurrency Level:      8", "Concurrency Level:      16")
    assert [one["connections"] for one in read(TEXT + other).configurations] == [8, 16]
