"""A last line without a line end: one rule for every reader of lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats.criterion import CRITERION_CSV
from benchlib.formats.custom import PARALLEL_RUNNER
from benchlib.formats.go import GO_BENCH
from benchlib.formats.k6 import K6_TEXT
from benchlib.formats.load_generators import VEGETA
from benchlib.formats.load_text import WRK
from benchlib.formats.reader import Reader, Reading, may_be_cut, open_line
from benchlib.formats.registry import choose
from benchlib.formats.suites import HYPERFINE_CSV
from benchlib.formats.text import decode

DATA = Path(__file__).parents[1] / "data"


def read(reader: Reader, text: str) -> Reading:
    return reader.read(decode(text.encode(), "x.txt").file)


@pytest.mark.parametrize(
    ("raw", "open_end"),
    [
        (b"a\nb", True),
        (b"a\nb\n", False),
        (b"a\r\nb\r\n", False),
        (b"a\r\nb", True),
        (b"a\nb\n\x1b[0m", False),
        ("\ufeffa\nb".encode("utf-16-le"), True),
        ("\ufeffa\nb\n".encode("utf-16-le"), False),
    ],
)
def test_a_file_knows_whether_its_last_line_has_an_end(raw: bytes, open_end: bool) -> None:
    """Whatever wrapped its text."""
    assert decode(raw, "x").file.open_end == open_end


@given(st.integers(0, 10**9), st.integers(1, 4))
def test_a_cut_number_of_fixed_decimals_is_always_seen(value: int, lost: int) -> None:
    """A cut takes decimals first."""
    written = f"{value / 100:.2f}"
    assert not may_be_cut(written, ["10.31", "8.02"])
    assert may_be_cut(written[:-lost], ["10.31", "8.02"])


GO = "BenchmarkA-8 \t 100\t 5.2 ns/op\t 16 B/op\t 2 allocs/op\n"


@pytest.mark.parametrize(
    "last",
    [
        "BenchmarkA-8 \t 100\t 538461 ns/",
        "BenchmarkA-8 \t 100\t 5.2 ns/op\t 16 B",
        "BenchmarkA-8 \t 100\t 5.2 ns/op",
        "BenchmarkB-8 \t 100\t 5.2 ns/op\t 16 B/op",
        "BenchmarkB-8 \t 100\t 5.2 ns/op\t 16 B/op\t 7 tx",
        "Benchm",
    ],
)
def test_a_go_result_of_other_units_than_the_others_is_a_problem(last: str) -> None:
    """No metric is made of half a unit."""
    reading = read(GO_BENCH, GO + last)
    assert reading.problems == [(2, f"{open_line(last)}; line skipped")]
    assert (list(reading.rows.line), reading.lines.problem, reading.lines.total) == ([1, 1, 1], 1, 2)


@pytest.mark.parametrize("above", [GO, ""])
def test_a_whole_go_result_without_a_line_end_is_read(above: str) -> None:
    """Copies and editors leave it out; a lone result has the units of go test itself."""
    assert read(GO_BENCH, above + GO.rstrip()).problems == []
    assert len(read(GO_BENCH, above + GO.rstrip()).rows) == len(read(GO_BENCH, above + GO).rows)


def test_a_lone_go_result_of_a_custom_unit_cannot_be_told() -> None:
    """``tx`` may have been ``tx/s``; after a result with the same unit it is whole."""
    line = "BenchmarkA-8 1 5 tx"
    assert read(GO_BENCH, line).problems == [(1, f"{open_line(line)}; line skipped")]
    assert len(read(GO_BENCH, f"{line}\n{line}").rows) == 2


def test_long_go_files_are_judged_alike() -> None:
    """Those that are read by the block."""
    text = GO * 1000
    whole, cut = read(GO_BENCH, text + GO.rstrip()), read(GO_BENCH, f"{text}BenchmarkA-8 100 538461 ns/")
    assert (len(whole.rows), whole.problems) == (3003, [])
    assert (len(cut.rows), [line for line, _ in cut.problems], cut.lines.total) == (3000, [1001], 1001)


CRITERION = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count\n"


def test_a_criterion_sample_cut_in_its_count_is_a_problem() -> None:
    """4 of 43526 iterations would be four orders off."""
    above = f"{CRITERION}g,f,1,,,100.0,ns,21763\n"
    reading = read(CRITERION_CSV, f"{above}g,f,1,,,200.0,ns,4")
    assert reading.problems == [(3, f"{open_line('g,f,1,,,200.0,ns,4')}; line skipped")]
    assert len(read(CRITERION_CSV, f"{above}g,f,1,,,200.0,ns,43526").rows) == 2
    # The first of a benchmark has nothing to be held against.
    assert len(read(CRITERION_CSV, f"{above}g,f,2,,,200.0,ns,43526").rows) == 1


@pytest.mark.parametrize("last", ["METRIC_P99: 1", "METRIC_P99: 17.2"])
def test_a_lua_line_cut_in_its_number_is_a_problem(last: str) -> None:
    """It has not the decimals of the others."""
    text = (
        "Running 10s test @ http://h/\n  2 threads and 10 connections\n"
        "    Latency     5.00ms    1.00ms  20.00ms   70.00%\n  1000 requests in 10.00s, 1.00MB read\n"
        "Requests/sec:    100.00\nTransfer/sec:    102.40KB\nMETRIC_MAX: 20.00\n"
    )
    assert read(WRK, text + last).problems == [(8, f"{open_line(last)}; line skipped")]
    assert read(WRK, f"{text}METRIC_P99: 17.25").problems == []


def test_a_line_of_sysbench_cut_in_its_number_is_a_problem() -> None:
    """``reads/s: 1`` of 119566.33 is no rate."""
    whole = (DATA / "declared" / "sysbench-fileio.txt").read_text()
    text = whole[: whole.index("119566.33") + 1]
    file = decode(text.encode(), "x.txt").file
    reading = choose(file).read(file)
    assert len(reading.rows) == 0
    assert (text.count("\n") + 1, f"{open_line(text.rpartition(chr(10))[2])}; line skipped") in reading.problems


def test_status_codes_cut_in_their_count_are_a_problem() -> None:
    """They do not add up to the requests: failures would be unknown."""
    text = "Requests      [total, rate, throughput]  1200, 100.00, 99.00\nLatencies     [mean, max]  1.5ms, 2.5ms\n"
    last = "Status Codes  [code:count]  200:12"
    reading = read(VEGETA, text + last)
    assert (3, f"{open_line(last)}; write the report again") in reading.problems
    assert len(reading.rows) == 0
    assert read(VEGETA, f"{text}{last}00").problems == []


def test_a_row_of_k6_or_of_the_parallel_runner_cut_in_its_number_is_a_problem() -> None:
    """A row that goes on behind its number, or that has an end, is whole."""
    text = (DATA / "k6" / "open_dropped.txt").read_text()
    at = text.index("vus_max")
    cut = text[: at + text[at:].index("max=") + 5]
    last = cut.rpartition("\n")[2]
    reading = read(K6_TEXT, cut)
    assert (cut.count("\n") + 1, f"{open_line(last)}; line skipped") in reading.problems
    assert all("workers" not in one for one in reading.configurations)
    row = "Metric           Value  Description\nWorkers          4\nTotal Ops        1"
    assert (3, f"{open_line('Total Ops        1')}; line skipped") in read(PARALLEL_RUNNER, row).problems


def test_a_cell_of_hyperfine_cut_in_its_number_is_a_problem() -> None:
    """Of the same length it is read."""
    text = "command,mean,stddev,median,user,system,min,max\na,1,0,1.5,1,0,1,2.123456\n"
    last = "b,1,0,1.5,1,0,1,2."
    assert read(HYPERFINE_CSV, text + last).problems == [(3, f"{open_line(last)}; line skipped")]
    assert read(HYPERFINE_CSV, f"{text}b,1,0,1.5,1,0,1,3.123456").problems == []
