"""The tables of the token SDK's run_benchmarks.py."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.tables import TOKEN_SDK_CSV
from tests.columns import counts

DATA = Path(__file__).parents[1] / "data" / "token_sdk_csv" / "benchmark_results.csv"
HEADER = "bench,bits,I,O,allocs,RAM bytes,time ms"


def read(lines: list[str]) -> Reading:
    reading = TOKEN_SDK_CSV.read(TextFile("x.csv", lines))
    assert reading.lines.total == len(lines)
    assert len({len(getattr(reading.rows, column)) for column in reading.rows.__slots__}) == 1
    return reading


def recording() -> list[str]:
    return DATA.read_text(encoding="utf-8").splitlines()


def values_of(reading: Reading, name: str, **axes: object) -> dict[str | None, tuple[float, str]]:
    rows = reading.rows
    return {
        rows.metric[at]: (rows.value[at], rows.unit[at])
        for at in range(len(rows))
        if rows.name[at] == name and reading.configurations[rows.configuration[at]] == axes
    }


def test_every_column_of_a_recording_becomes_a_value() -> None:
    """238 columns (tr , '\\n'): a timestamp, 3 of a failed benchmark, and 234 values."""
    reading = read(recording())
    assert len(reading.rows) == 234
    assert Counter(reading.rows.metric) == {
        **dict.fromkeys(("throughput", "latency_p95", "latency_mean", "latency_stdev", "goroutines"), 42),
        **dict.fromkeys(("time", "memory", "allocations"), 8),
    }
    assert values_of(reading, "BenchmarkSender") == {
        "time": (63, "ms/op"),
        "memory": (918732, "B/op"),
        "allocations": (7680, "allocs/op"),
    }
    assert values_of(reading, "TestParallelBenchmarkValidatorTransfer", executor="pool", workers=2) == {
        "throughput": (30.57, "op/s"),
        "latency_p95": (87, "ms"),
        "latency_mean": (64, "ms"),
        "latency_stdev": (12, "ms"),
        "goroutines": (82, ""),
    }
    assert set(counts(reading.rows.errors)) == {None}
    # A log of the same benchmark is the better source.
    assert [series.kind for series in reading.series].count("rounded") == 1
    assert TOKEN_SDK_CSV.summary is True


def test_a_benchmark_stored_as_zeros_failed() -> None:
    """AuditorServiceCheck is 0/0/0: a problem and a mark, no row; its twin is suspected aloud."""
    reading = read(recording())
    assert "BenchmarkAuditorServiceCheck" not in reading.rows.name
    (line, message) = reading.problems[0]
    assert (line, len(reading.problems)) == (2, 1)
    assert "'BenchmarkAuditorServiceCheck time, BenchmarkAuditorServiceCheck RAM," in message
    assert "TestParallelBenchmarkAuditorServiceCheck beside it has no count of errors" in message
    assert [series.name for series in reading.series if series.kind == "failed-benchmark"] == ["AuditorServiceCheck"]


def test_real_zeros_stay_values() -> None:
    """A time below one millisecond is cut to 0 and is still a time (awk counts 37 zeros beside the 3)."""
    assert read(recording()).rows.value.count(0) == 37
    reading = read([HEADER, "BenchmarkX,64,1,1,293,13240,0"])
    assert values_of(reading, "BenchmarkX", bits=64, inputs=1, outputs=1)["time"] == (0, "ms/op")
    assert reading.problems == []


def test_several_recordings_are_several_runs() -> None:
    """One line needs no run; of two lines each is the run of its timestamp."""
    header, line = recording()
    assert not any("run" in axes for axes in read([header, line]).configurations)
    later = line.replace("2026-11-20 07:41:15", "2026-11-21 08:00:00")
    reading = read([header, line, header, later])
    assert {axes["run"] for axes in reading.configurations} == {"2026-11-20 07:41:15", "2026-11-21 08:00:00"}
    assert len(reading.rows) == 468


SHORT = "under 7 columns; the line is cut or joined; line skipped"


@pytest.mark.parametrize(
    ("line", "said", "values"),
    [
        ("BenchmarkX,32,1,1,918", f"5 values {SHORT}", 0),
        ("BenchmarkX,32,1,1,918,74352,4,9", f"8 values {SHORT}", 0),
        ("BenchmarkX,many,1,1,918,74352,4", "bits 'many' is not a whole number; line skipped", 0),
        (
            "BenchmarkX,32,1,1,0,0,0",
            "columns 'allocs, RAM, time' are all 0: BenchmarkX gave no result; TestParallelBenchmarkX beside it "
            "has no count of errors and may have failed too; read its log",
            0,
        ),
        ('"BenchmarkX,32', f"no comma-separated values {SHORT}", 0),
        (
            "BenchmarkX,32,1,1,918,NaN,4",
            "column 'RAM': 'NaN' is no measurement; leave the cell empty; value skipped",
            2,
        ),
    ],
)
def test_a_bad_line_or_value_is_skipped_and_told(line: str, said: str, values: int) -> None:
    """A cut or joined line gives no row: its last value may be half a number. Of a bad value, the others stand."""
    reading = read([HEADER, line, "BenchmarkX,32,1,2,4664,501555,22"])
    assert (len(reading.rows), reading.problems) == (values + 3, [(2, said)])
    assert (reading.lines.data, reading.lines.problem) == (1 + bool(values), int(not values))


def test_recognition() -> None:
    """Both headers are certain; another table with a timestamp is not."""
    reader = TOKEN_SDK_CSV
    assert reader.recognise(TextFile("x", recording())) == "certain"
    assert reader.recognise(TextFile("x", [HEADER])) == "certain"
    assert reader.recognise(TextFile("x", ["timestamp,time ms", "1,2"])) == "no"
    assert reader.recognise(TextFile("x", [])) == "no"


def test_the_combinations_give_the_rows_counted_by_hand(shared_samples: Path) -> None:
    """88 lines, a header among them: 87 combinations of 3 values (wc -l)."""
    path = shared_samples / "token-sdk" / "matrix" / "benchmark_IOstats.csv"
    reading = read(path.read_text(encoding="utf-8").splitlines())
    assert len(reading.rows) == 261
    assert (reading.lines.data, reading.lines.context) == (87, 1)
    assert reading.problems == []
    # awk -F, '$7==0': two sub-millisecond times.
    assert reading.rows.value.count(0) == 2
    assert values_of(reading, "BenchmarkValidatorTransfer", bits=64, inputs=2, outputs=3) == {
        "allocations": (10640, "allocs/op"),
        "memory": (1091567, "B/op"),
        "time": (141, "ms/op"),
    }
