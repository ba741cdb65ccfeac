"""iperf3 and iperf2: intervals of TCP, and what arrived of UDP."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.reader import Reading
from tests.readings import read, read_lines, values

DATA = Path(__file__).parents[1] / "data" / "iperf"


def of(name: str) -> Reading:
    return (read if name.endswith(".json") else read_lines)((DATA / name).read_text(encoding="utf-8"), name)


def measured(reading: Reading) -> list[tuple[str | None, float, str]]:
    return [row[1:] for row in values(reading)]


def test_a_run_of_tcp_is_its_intervals() -> None:
    """Without those that were to be omitted."""
    reading = of("iperf3.json")
    assert measured(reading) == [
        ("bandwidth", 6693792.038611074, "bit/s"),
        ("retransmits", 3.0, ""),
        ("bandwidth", 7130701.3792869244, "bit/s"),
        ("retransmits", 0.0, ""),
    ]
    assert list(reading.rows.line) == [12, 12, 15, 15]


def test_runs_of_one_file_differ_in_the_rate_that_was_set() -> None:
    """And a run that failed says so, with its values set apart."""
    reading = of("iperf3-twice.json")
    assert {facts["target_bitrate"] for facts in reading.configurations} == {100_000_000, 50_000_000}
    [(line, message)] = reading.problems
    assert (line > 150, "its values are set apart" in message) == (True, True)


def test_runs_within_a_document_of_ones_own() -> None:
    """What it says of each run is a level; of UDP only what arrived is told (field_data.md, format 10)."""
    reading = of("list.json")
    assert measured(reading) == [
        ("bandwidth", 900.5, "bit/s"), ("jitter", 0.1, "ms"), ("lost", 0.0, "%"),
        ("bandwidth", 1500.25, "bit/s"), ("jitter", 0.2, "ms"), ("lost", 12.5, "%"),
    ]  # fmt: skip
    assert reading.configurations == [
        {"benchmark": "iperf3", "protocol": "UDP", "streams": 1, "target_bitrate": rate, "room": "cellar"}
        for rate in (1000, 2000)
    ]


def test_the_text_of_iperf3() -> None:
    """Several streams are their sum; of UDP the receiver's line counts."""
    reading = of("text.txt")
    assert measured(reading) == [
        ("bandwidth", pytest.approx(9.22e9), "bit/s"), ("retransmits", 3.0, ""),
        ("bandwidth", pytest.approx(9.40e9), "bit/s"), ("retransmits", 0.0, ""),
        ("bandwidth", 945e3, "bit/s"), ("jitter", 0.012, "ms"), ("lost", 6.5, "%"),
    ]  # fmt: skip
    assert [(facts["protocol"], facts["streams"]) for facts in reading.configurations] == [("TCP", 2), ("UDP", 1)]
    assert reading.problems == []


def test_the_last_line_of_iperf2_is_a_total() -> None:
    """It is no third interval."""
    assert [value for _, value, _ in measured(of("iperf2.txt"))] == [940e6, 942e6]


def test_what_was_sent_is_not_what_arrived() -> None:
    """UDP without the receiver's report has no result."""
    text = (DATA / "text.txt").read_text(encoding="utf-8")
    part = text[text.index("[ ID] Interval           Transfer     Bitrate         Total") :].split("- - -")[0]
    reading = read_lines(part)
    assert (len(reading.rows), [line for line, _ in reading.problems]) == (0, [2])


def test_what_never_arrived_has_no_bandwidth() -> None:
    """A few bytes in a buffer of the sender are no throughput of the network."""
    text = (DATA / "iperf3.json").read_text(encoding="utf-8")
    end = '"sum_sent": {"bits_per_second": 6912246.7, "bytes": 9}, "sum_received": {"bits_per_second": 0, "bytes": 0}'
    reading = read(text[: text.index('"sum_sent"')] + end + "}}")
    assert set(reading.rows.errors) == {1.0}
    assert "nothing arrived" in reading.problems[0][1]
