"""The tables of the token SDK's run_benchmarks.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.tables import TOKEN_SDK_CSV

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


SHORT = "fields where the header has 7; line skipped"


@pytest.mark.parametrize(
    ("line", "said", "values"),
    [
        ("BenchmarkX,32,1,1,918", f"5 {SHORT}", 0),
        ("BenchmarkX,32,1,1,918,74352,4,9", f"8 {SHORT}", 0),
        ("BenchmarkX,many,1,1,918,74352,4", "bits 'many' is not a whole number; line skipped", 0),
        (
            "BenchmarkX,32,1,1,0,0,0",
            "columns 'allocs, RAM, time' are all 0: BenchmarkX gave no result; TestParallelBenchmarkX beside it "
            "has no count of errors and may have failed too; read its log",
            0,
        ),
        ('"BenchmarkX,32', "a quote is left open; close it; line skipped", 0),
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
