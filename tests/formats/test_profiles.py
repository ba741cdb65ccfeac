"""Histograms and profiles: HdrHistogram's tables and logs, and ``go tool pprof -top``."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.profiles import HDR_HISTOGRAM, PPROF_TOP
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data" / "hdr_histogram"
HEADER = "Value Percentile TotalCount 1/(1-Percentile)"


def read(*lines: str) -> Reading:
    return HDR_HISTOGRAM.read(TextFile("x", list(lines)))


def values(reading: Reading) -> dict[str | None, float]:
    return dict(zip(reading.rows.metric, reading.rows.value, strict=True))


def test_a_log_gives_the_percentiles_its_own_library_gives() -> None:
    """Three intervals joined: README.md of the folder has what hdrhistogram 0.10.8 reads back."""
    [file] = load(DATA / "latency.hlog").files
    assert (file.format, file.lines.data, file.lines.context, file.lines.problem) == ("hdrhistogram", 3, 4, 0)
    reading = read(*(DATA / "latency.hlog").read_text().splitlines())
    assert values(reading) == {
        "latency_p50": 1104.0, "latency_p90": 2393.0, "latency_p99": 4511.0, "latency_p99.9": 6755.0,
        "latency_max": 10039.0,
    }  # fmt: skip
    assert set(reading.rows.iterations) == {6000.0}


def test_a_table_gives_the_first_value_that_reaches_a_percentile() -> None:
    """By hand in latency.hgrm: the first lines whose TotalCount is at least 2,500, 4,500, 4,950 and 4,995."""
    lines = (DATA / "latency.hgrm").read_text().splitlines()
    rows = [cells for line in lines if len(cells := line.split()) >= 3 and cells[2].isdigit()]
    expected = [
        next(float(value) for value, _, count, *_ in rows if int(count) >= least) for least in (2500, 4500, 4950, 4995)
    ]
    reading = read(*lines)
    assert list(reading.rows.value)[:4] == expected
    assert (values(reading)["latency_max"], values(reading)["latency_mean"]) == (14.903, 1.31)
    assert reading.lines.data == len(rows)


def test_few_values_tell_no_far_percentile() -> None:
    """99 values have no 99th percentile that is not their maximum."""
    reading = read(HEADER, "", "1.0 0.5 50 2.0", "2.0 1.0 99", "#[Mean = 1.5, StdDeviation = 0.5]")
    assert list(reading.rows.metric) == ["latency_p50", "latency_p90", "latency_max", "latency_mean"]


@pytest.mark.parametrize(
    "line", ["abc", "1.0 0.5", "0.5 0.9 60", "2.0 0.9 40", "2.0 1.5 60", "9e999 0.9 60", "2.0 0.9 " + "9" * 19]
)
def test_a_line_that_cannot_be_is_a_problem(line: str) -> None:
    """No row of a table, or one that runs backwards."""
    reading = read(HEADER, "1.0 0.5 50 2.0", line, "2.0 1.0 100")
    assert (reading.lines.data, reading.lines.problem, reading.problems[0][0]) == (2, 1, 3)


@pytest.mark.parametrize("packed", ["!!!!", "HISTFAAAAm54", "AAAA", "HISTFAAAAAA="])
def test_a_damaged_interval_is_a_problem_and_the_others_stand(packed: str) -> None:
    """Never an error of zlib, base64 or struct; a line that was cut is no histogram either."""
    *lines, last = (DATA / "latency.hlog").read_text().splitlines()
    for damaged in (f"{last.rpartition(',')[0]},{packed}", last[:-20]):
        reading = read(*lines, damaged)
        assert (reading.lines.data, reading.lines.problem) == (2, 1)
        assert set(reading.rows.iterations) == {3000.0}


def test_a_table_without_its_end_keeps_no_percentile() -> None:
    """Its last TotalCount is not how many values there are: p99 and max would be those of the median."""
    head = (DATA / "latency.hgrm").read_text().splitlines()[:15]
    reading = read(*head)
    shown = "the table ends before its percentile 1 and its totals, so how many values it holds is unknown"
    assert reading.problems == [(15, f"{shown}; no percentile was kept; was the file cut? record it again")]
    assert (len(reading.rows), reading.series, reading.lines.data) == (0, [], 0)


@pytest.mark.parametrize("end", ["3.0 1.0 100", "#[Max     =        3.0, Total count    =          100]"])
def test_either_end_of_a_table_is_enough(end: str) -> None:
    """Some writers leave the totals out, and totals say what the row of percentile 1 would."""
    reading = read(HEADER, "1.0 0.5 50 2.0", "2.0 0.9 90 10.0", end)
    assert reading.problems == []
    assert values(reading)["latency_max"] == 3.0


def test_a_line_that_is_none_is_a_problem() -> None:
    """Within the table only; what stands before it is context or noise."""
    text = (
        "hello\nType: cpu\n  flat  flat%   sum%        cum   cum%\n 10ms 5% 5% 1.50mins 5% a b\n0 0% 5% 0 0% c\n1 2 3"
    )
    reading = PPROF_TOP.read(TextFile("x", text.split("\n")))
    counts = reading.lines
    assert (counts.data, counts.context, counts.problem, counts.noise) == (2, 2, 1, 1)
    assert list(reading.rows.value) == [10.0, 5.0, 90.0, 5.0, 0.0, 0.0, 0.0, 0.0]
    assert list(reading.rows.unit) == ["ms", "%", "s", "%", "s", "%", "s", "%"]
