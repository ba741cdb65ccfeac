"""Tables of one's own, tidy and wide: what columns are, what cells hold, and what says that a call failed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats import load, outcomes
from benchlib.formats.outcomes import FAILED, SOUND, failures, telling
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.tables import CSV_TABLE, JSON_ROWS, classify
from benchlib.formats.text import decode
from tests.columns import counts

PAGE = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")


def read(text: str) -> Reading:
    reading = CSV_TABLE.read(TextFile("t.csv", text.split("\n")))
    assert reading.lines.total == text.count("\n") + 1
    return reading


# What a column is.


@pytest.mark.parametrize(
    ("header", "cell", "expected"),
    [
        ("latency_ms", "1.5", ("metric", "latency", "ms")),
        ("time (ms)", "1.5", ("metric", "time", "ms")),
        ("time [µs]", "1.5", ("metric", "time", "µs")),
        ("p50_µs", "1.5", ("metric", "latency_p50", "µs")),
        ("p99.9_us", "1.5", ("metric", "latency_p99.9", "us")),
        ("decode_ns", "15", ("metric", "decode", "ns")),
        ("heap_bytes", "15", ("metric", "heap", "B")),
        ("mean_latency_ms", "1.5", ("metric", "latency_mean", "ms")),
        ("mean_ms", "1.5", ("metric", "latency_mean", "ms")),
        ("allocs_op", "15", ("metric", "allocations", "allocs/op")),
        ("rps", "15", ("metric", "throughput", "req/s")),
        ("requests_per_second", "15", ("metric", "throughput", "req/s")),
        ("throughput", "15", ("metric", "throughput", "")),
        ("gomaxprocs", "4", ("axis", "gomaxprocs", "")),
        ("payload_bytes", "4096", ("axis", "payload_bytes", "")),
        ("endpoint", "post", ("axis", "endpoint", "")),
        ("load", "20.5", ("axis", "load", "")),
        ("seconds", "5.5", ("metric", "time", "s")),
        ("wall_s", "5.5", ("metric", "time", "s")),
        ("T(ms)", "5.5", ("metric", "time", "ms")),
        ("TotalTime", "5.5", ("metric", "time", "")),
        ("Execution Time (seconds)", "5.5", ("metric", "time", "s")),
        ("tiempo_segundos", "5.5", ("metric", "time", "s")),
        ("time_per_op_ns", "5.5", ("metric", "time", "ns/op")),
        ("AverageLatency(us)", "5.5", ("metric", "latency_mean", "us")),
        ("95thPercentile(us)", "5.5", ("metric", "latency_p95", "us")),
        ("samples_per_sec", "50", ("metric", "samples/sec", "samples/s")),
        ("ops_per_us", "1.5", ("metric", "throughput", "op/us")),
        ("ops/min", "1.5", ("metric", "throughput", "op/min")),
        ("M ops/s", "10.5", ("metric", "throughput", "Mop/s")),
        ("throughput M ops/s", "10.5", ("metric", "throughput", "Mop/s")),
        ("iops", "1.5", ("metric", "throughput", "iops")),
        ("GFLOPS", "1.5", ("metric", "flop/sec", "GFLOPS")),
        ("GiB/s", "1.5", ("metric", "transfer", "GiB/s")),
        ("Mb/s", "1.5", ("metric", "bit/sec", "Mbit/s")),
        ("MBps", "1.5", ("metric", "transfer", "MB/s")),
        ("samples_per_gpu_sec", "1.5", ("metric", "samples_per_gpu_sec", "")),
        ("million msgs/sec", "1.5", ("metric", "million msgs/sec", "")),
        ("cpu_percent", "45.5", ("metric", "cpu", "%")),
        ("Mean", "668.0 ns", ("metric", "latency_mean", "ns")),
        ("Delay", "10 ms", ("axis", "Delay", "")),
        ("rtt", "10 ms", ("axis", "rtt", "")),
        ("rtt", "10.5 ms", ("metric", "rtt", "ms")),
        ("s", "4", ("axis", "s", "")),
        ("n_threads", "4", ("axis", "n_threads", "")),
    ],
)
def test_a_column_is_what_its_header_says(header: str, cell: str, expected: tuple[str, str, str]) -> None:
    """Units stand at the end of a header or in brackets; settings stay axes though they have units."""
    column = classify([header], [[cell]])[0]
    assert (column.role, column.name, column.unit) == expected


def test_text_that_is_no_table_of_results_is_left_to_others(shared_samples: Path) -> None:
    """benchstat's own CSV, a number alone, and prose are not tables of results."""
    for name in ("lplex/benchstat_old_new.csv", "onix-adapter/cores.txt", "lplex/old.txt"):
        file = decode((shared_samples / name).read_bytes(), name).file
        assert CSV_TABLE.recognise(file) == "no"
    assert CSV_TABLE.recognise(TextFile("a", ["Hello, world", "this, is prose"])) == "no"


def test_two_columns_never_share_a_metric() -> None:
    """Pooled, they would be repeats of each other in two units; a mean time is the time where no other is."""
    header, cells = "time_s,comm_s,comm_pct,Requests/sec,Throughput (MB/s)", ["4.5", "0.3", "6.7", "10.5", "2.5"]
    named = ["time", "comm", "comm_pct", "throughput", "throughput_mb_s"]
    assert [column.name for column in classify(header.split(","), [cells])] == named
    assert [column.name for column in classify(["avg_time_ms", "max_time_ms"], [["1.5", "2.5"]])] == [
        "time",
        "time_max",
    ]
    assert [column.name for column in classify(["time_ms", "avg_time_ms"], [["1.5", "2.5"]])] == ["time", "time_mean"]


@pytest.mark.parametrize(
    ("text", "configurations", "metrics"),
    [
        # Levels that pandas or R wrote: whole numbers beside them are measured, and not levels too.
        (",default,chi\n100,32424,30112\n1000,31000,29000\n5000,28000,27000",
         [{"first_column": "100"}, {"first_column": "1000"}, {"first_column": "5000"}], ["default", "chi"]),
        (",time_ms\ngin,1.5\necho,2.5", [{"benchmark": "gin"}, {"benchmark": "echo"}], ["time"]),
        # Numbers of rows say nothing, unless nothing else tells the rows apart and they may be levels.
        (",threads,time_ms\n0,4,1.5\n1,4,1.25", [{"threads": "4"}], ["time"]),
        (",threads,time_ms\n1,4,1.5\n2,8,1.25", [{"threads": "4"}, {"threads": "8"}], ["time"]),
        (",time_ms\n1,1.5\n2,1.25", [{"first_column": "1"}, {"first_column": "2"}], ["time"]),
    ],
)  # fmt: skip
def test_a_first_column_without_a_name_is_no_noise(
    text: str, configurations: list[dict[str, str]], metrics: list[str]
) -> None:
    """It holds what tells the rows apart, or counts them."""
    reading = read(text)
    assert (reading.configurations, sorted(set(reading.rows.metric))) == (configurations, sorted(metrics))


@pytest.mark.parametrize(
    "text",
    [
        "# threads time(s)\n1 10.5\n2 5.5\n4 2.5",
        "# by hand\n#threads,time_s\n1,10.5\n2,5.5\n4,2.5\n",
        "threads   wall time (s)\n1         10.5\n2          5.5\n4          2.5",
        "threads time_s\n1 10.5\n2 5.5\n\n4 2.5",
    ],
)
def test_columns_may_stand_apart_and_their_names_in_a_comment(text: str) -> None:
    """As gnuplot reads them and programs print them; prose with numbers in it is no table."""
    assert CSV_TABLE.recognise(TextFile("t.dat", text.split("\n"))) == "possible"
    reading = read(text)
    assert [axes["threads"] for axes in reading.configurations] == ["1", "2", "4"]
    assert (list(reading.rows.value), set(reading.rows.unit), reading.problems) == ([10.5, 5.5, 2.5], {"s"}, [])
    for prose in ("the time we took\nwas about 10 s\nand then 5 s", "time left\n10 apples\nfew 20"):
        assert CSV_TABLE.recognise(TextFile("t.txt", prose.split("\n"))) == "no"


def test_a_clock_in_the_first_column_is_not_measured() -> None:
    """Samples over time are repeats in their order; a run time in the first column goes on by no even steps."""
    assert set(read("time,rps\n0,5\n1,6\n2,5\n3.1,7").rows.metric) == {"throughput"}
    stamped = read("timestamp,users,rps\n2026-01-01 10:00:00,1,5\n2026-01-01T10:00:10.5Z,1,6\n1767261620,2,9")
    assert stamped.configurations == [{"users": "1"}, {"users": "2"}]
    assert set(read("time_s,rps\n1,5\n2,6\n4,5\n8,7").rows.metric) == {"time", "throughput"}
    assert set(read("n,time_s,rps\n1,1,5\n2,2,6\n3,3,5\n4,4,7").rows.metric) == {"time", "throughput"}


def test_seconds_since_1970_say_when_a_row_was_recorded() -> None:
    """As in a history without commits; long times in nanoseconds do not grow from row to row."""
    history = read("index,time,p99_ms\n0,1700000000,5\n1,1700086400,6\n2,1700172800,5\n3,1700259300,7")
    assert set(history.rows.metric) == {"latency_p99"}
    assert history.configurations == [{"run": "0"}, {"run": "1"}, {"run": "2"}, {"run": "3"}]
    measured = read("time,p99_ms\n1700000000,5\n1650000000,6\n1720000000,5\n1710000000,7")
    assert set(measured.rows.metric) == {"time", "latency_p99"}


def test_an_index_beside_other_levels_says_nothing() -> None:
    """It numbers the rows, so that each would be a configuration of its own."""
    assert read("index,threads,time_ms\n0,1,5\n1,2,3\n2,4,2").configurations == [
        {"threads": "1"}, {"threads": "2"}, {"threads": "4"}
    ]  # fmt: skip


@pytest.mark.parametrize("header", ["±", "± (ms)", "+/- ms"])
def test_a_spread_in_a_column_of_its_own_is_no_metric(header: str) -> None:
    """It belongs to the value beside it."""
    reading = read(f"name,time_ms,{header}\nA,10.1,0.2\nB,20.1,0.3")
    assert (list(reading.rows.metric), list(reading.rows.value)) == (["time", "time"], [10.1, 20.1])


def test_a_count_is_what_a_row_rests_on_and_no_level() -> None:
    """Unless it was set: round numbers, powers of two, and those that come again."""
    assert list(read("op,Count,time_ms\nread,2763,1.5\nscan,1811,2.5").rows.iterations) == [2763, 1811]
    for count in ("1000,4096", "1500,1500"):
        first, second = count.split(",")
        reading = read(f"op,Count,time_ms\nread,{first},1.5\nscan,{second},2.5")
        assert [axes["Count"] for axes in reading.configurations] == [first, second]


def test_an_aggregate_report_of_jmeter_is_in_milliseconds_and_its_total_is_not_read() -> None:
    reading = read(
        "Label,# Samples,Average,Median,90% Line,Min,Max,Error %,Throughput,Received KB/sec\n"
        "Home,1000,212,187,390,45,1932,0.000%,48.1,19.7\nSearch,1000,534,498,901,101,3921,0.000%,47.9,201.1\n"
        "TOTAL,2000,373,300,901,45,3921,0.000%,96.0,220.8"
    )
    assert [axes["benchmark"] for axes in reading.configurations] == ["Home", "Search"]
    home = [*zip(reading.rows.metric, reading.rows.value, reading.rows.unit, strict=True)][:7]
    assert home[:3] == [("latency_mean", 212, "ms"), ("latency_p50", 187, "ms"), ("latency_p90", 390, "ms")]
    assert home[5:] == [("throughput", 48.1, "req/s"), ("received", 19.7, "KB/s")]
    assert set(reading.rows.iterations) == {1000}


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        ("algorithm,comparisons,swaps,time_ms\nquick,10231,3112,1.2\nmerge,9012,8712,1.4", ["algorithm"]),
        ("lang,lines,score,time_s\nC,120,9812,0.5\nGo,81,9120,0.9", ["lang"]),
        ("endpoint,avg,max,rps\n/a,21,120,812\n/b,91,400,210", ["endpoint"]),
        ("threads,cycles,time_s\n1,81231112,10.1\n2,82001113,5.3", ["threads"]),
        ("atoms,time_s\n1372,1.5\n2916,3.5", ["atoms"]),
        ("graph,edges,time_s\nroads,2766607,1.5\nfriends,69371,3.5", ["edges", "graph"]),
        ("setup,ways,time_s\na,4,1.5\nb,16,3.5", ["setup", "ways"]),
    ],
)
def test_whole_numbers_that_were_counted_are_no_levels(text: str, axes: list[str]) -> None:
    assert sorted(read(text).configurations[0]) == axes


@pytest.mark.parametrize("cells", [("1.2e-9", "0.5"), ("12.5 ns", "0.25 ns")])
def test_an_error_with_parts_is_a_number_and_no_failure(cells: tuple[str, str]) -> None:
    """Half an interval, or what a solver is off by; a whole number is a count, and a text a reason."""
    reading = read(f"threads,time_s,Error\n1,10.5,{cells[0]}\n2,5.5,{cells[1]}")
    assert counts(reading.rows.errors) == [None] * 4
    assert sorted(set(reading.rows.metric)) == sorted({"time", "error" if "ns" in cells[0] else "Error"})
    assert counts(read("threads,time_s,Error\n1,10.5,0\n2,5.5,3").rows.errors) == [0, 1]


def test_reserved_columns_fill_their_places() -> None:
    """run, name, iterations and errors are columns of every table, not axes."""
    reading = read("run,benchmark,errors,iterations,time_ns\nr1,Enc,0,10,5")
    assert reading.configurations == [{"benchmark": "Enc", "run": "r1"}]
    assert (list(reading.rows.errors), list(reading.rows.iterations)) == ([0.0], [10.0])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("n,Goodput,p99_ms\n1,5,6", [("throughput", "'Goodput'")]),
        ("n,throughput (req/s),latency_cv\n1,5,0.2", []),
        ("n,goroutines\n1,5.5", []),
        ("metric,value,unit\ntime,5,\nlatency_p99,5,ms", [("time", "'time'")]),
    ],
)
def test_a_metric_that_means_nothing_without_its_unit_is_named(text: str, named: list[tuple[str, str]]) -> None:
    """A throughput of 5 of nothing is told; a ratio or a count has no unit."""
    assert [(series.name, series.data[0]) for series in read(text).series if series.kind == "no-unit"] == named


# What a cell holds.

COMMA = "has a comma; write a decimal point, as in 1.5, and nothing between thousands; value skipped"
GERMAN = "and every dot of this one stands before three digits"
UNREAD = "or commas between the columns if the dot is decimal; the table is not read"
THREE = "since each of its numbers has three decimals; if the dots part thousands, write"

#: Table -> its values, and its problems.
CELLS = {
    # Missing is not zero, and no problem; the separator is the header's; Excel's first line is none.
    "load,time_ms,rps\n1,,5\n2,3,\n3,,": ([5, 3], []),
    "load\ttime_ms\n1\t2": ([2], []),
    "load;time_ms\n1;2": ([2], []),
    'endpoint,time_ms\n"a,b",2': ([2], []),
    "sep=;\nload;time_ms\n10;2.5": ([2.5], []),
    '"sep=;"\nload;time_ms\n10;2.5': ([2.5], []),
    "SEP=;\nload;time_ms\n10;2.5": ([2.5], []),
    # What is malformed is told with line and column; what else the table holds is read.
    "n,time_ms\n1,2,3": (
        [], [(1, "no column names a metric; name one like time_ms, rps or throughput"),
             (2, "3 fields where the header has 2; quote a field that holds the separator; line skipped")]),
    "n,time_ms\n1,2\n2,abc": ([2], [(3, "column 'time_ms': 'abc' is not a number; value skipped")]),
    "n,time_ms\n1,NaN": ([], [(2, "column 'time_ms': 'NaN' is no measurement; leave the cell empty; value skipped")]),
    "n,time_ms\n1,2\n1,1_0": ([2], [(3, "column 'time_ms': '1_0' is not a number; value skipped")]),
    'n,time_ms\n1,3\n"1,2': ([3], [(3, "a quote is left open; close it; line skipped")]),
    "time_ms,time_ms\n1,2": (
        [], [(1, "column 'time_ms' stands twice in the header; rename one"), (0, "1 lines of the table are not read")]),
    '"n,time_ms\n1,2': (
        [], [(1, "a quote is left open in the header; close it"), (0, "1 lines of the table are not read")]),
    "colour,shape\nred,round": (
        [], [(1, "no column names a metric; name one like time_ms, rps or throughput"),
             (0, "1 lines of the table are not read")]),
    "metric,value,unit\n,5,": ([], [(2, "neither metric nor unit is given; write at least one; line skipped")]),
    "benchmark,metric,value,unit\nEncode,time,5,ns/op\nDecode,time,,ns/op": (
        [5], [(3, "the value is empty; write it, or leave the line out; line skipped")]),
    # A decimal comma is told and never guessed; a column of them is no axis, whatever its header.
    "benchmark;time_ms;widgets\nA;1,5;2,25\nB;2.5;3": (
        [2.5, 3], [(2, f"column 'time_ms': '1,5' {COMMA}"), (2, f"column 'widgets': '2,25' {COMMA}")]),
    'benchmark,time_ms,widgets\nA,"1,5","2,25"\nB,2.5,3': (
        [2.5, 3], [(2, f"column 'time_ms': '1,5' {COMMA}"), (2, f"column 'widgets': '2,25' {COMMA}")]),
    "benchmark;metric;value;unit\nA;time;1,234;ms\nB;time;2;ms": ([2], [(2, f"column 'value': '1,234' {COMMA}")]),
    "n;Anfragen/s;p99_ms\n1;950,5;2\n2;1850,2;3": ([950.5, 2, 1850.2, 3], []),
    'n,Anfragen/s,p99_ms\n1,"950,5",2\n2,"1850,2",3': ([950.5, 2, 1850.2, 3], []),
    # Commas that can only be decimal settle what the others are, and that dots part thousands.
    "load;time_ms;rps\n1;1,234;1.850\n2;0,5;950": ([1.234, 1850, 0.5, 950], []),
    "load;time_ms\n1;1.234,5\n2;2.345,625": ([1234.5, 2345.625], []),
    # And so do those that can only part thousands, or dots that can only be decimal.
    'load,time_ms\n1,"1,234,567"\n2,"2,345"': ([1234567, 2345], []),
    'load,time_ms,p99_ms\n1,"1,234",0.5\n2,"2,345",0.75': ([1234, 0.5, 2345, 0.75], []),
    # Multiples, factors, times of several parts, and the mean before its spread.
    "n,QPS (k),Speedup,Time\n1,10.5,1.0x,1m2.5s\n2,20.5,1.9x,31.5s": ([10.5, 1, 62.5, 20.5, 1.9, 31.5], []),
    "name,ops/sec,margin\nA,1.5,±0.52%": ([1.5], []),
    "name,Time,Mean [ms]\nA,12.3 ± 0.4 ms,1.5 ± 0.25\nB,1.5 +/- 0.1 ms,2.5 ± 1%": ([12.3, 1.5, 1.5, 2.5], []),
    # Two units at once are none; no number is taken for another.
    "n,time\n1,1.5 ms\n2,2 s\n3,4 KB\n4,5\n5,3 ms": (
        [1.5, 2, 3], [(4, "column 'time': '4 KB' has another unit where others are in ms; value skipped"),
                   (5, "column 'time': '5' has no unit where others are in ms; value skipped")]),
    "load;time_ms;p99_ms\n1;1.234,5;2.5\n2;2.345,6;3.5": (
        [2.5, 3.5], [(2, f"column 'time_ms': '1.234,5' {COMMA}"), (3, f"column 'time_ms': '2.345,6' {COMMA}")]),
    "load;time_ms;p99_ms\n1;1,234,567;2.5\n2;2,345,678;3.5": ([1234567, 2.5, 2345678, 3.5], []),
    # Where no commas part the columns, 1.850 may be 1,850: the table is not read, and both readings are told.
    "connections;requests/s\n1;950\n2;1.850\n4;3.400": (
        [], [(3, f"column 'requests/s': '1.850' is 1.85 or 1850: semicolons part the columns, {GERMAN}; write 1850, "
                 f"{UNREAD}"), (0, "2 lines of the table are not read")]),
    "connections;time_ms\n500;3\n1.000;4": (
        [], [(3, f"column 'connections': '1.000' is 1 or 1000: semicolons part the columns, {GERMAN}; write 1000, "
                 f"{UNREAD}"), (0, "1 lines of the table are not read")]),
    "load;metric;value;unit\n1;time;1.234;ms\n2;time;2;ms": (
        [], [(2, f"column 'value': '1.234' is 1.234 or 1234: semicolons part the columns, {GERMAN}; write 1234, "
                 f"{UNREAD}"), (0, "1 lines of the table are not read")]),
    "n\trps\n1\t1.234.567\n2\t2.345": (
        [], [(3, f"column 'rps': '2.345' is 2.345 or 2345: tabs part the columns, {GERMAN}; write 2345, {UNREAD}"),
             (0, "1 lines of the table are not read")]),
    # One number that has no thousands to part settles what dots are in the table.
    "n;rps\n1;1.850\n2;2.25": ([1.85, 2.25], []),
    "n;rps\n1;1.850\n2;0.900": ([1.85, 0.9], []),
    "n;rps\n1;1.850\n2;1850.250": ([1.85, 1850.25], []),
    "n;rps;p99_ms\n1;1.850;2.5\n2;3.400;2.75": ([1.85, 2.5, 3.4, 2.75], []),
    "n,rps\n1,1.850\n2,3.400": ([1.85, 3.4], []),
    "n\trps\n1\t1.850\n2\t3.400": ([1.85, 3.4], []),
    # A program that writes three decimals writes them in every cell; any program may write tabs, and leave out zeros.
    "n;time_ms\n1;2.145\n2;120.301": (
        [2.145, 120.301], [(2, f"column 'time_ms': '2.145' is read as 2.145, {THREE} 2145")]),
    "n\ttime_ms\n1\t12.345\n2\t8.125\n3\t7": (
        [12.345, 8.125, 7],
        [(2, "column 'time_ms': '12.345' is read as 12.345; if the dots part thousands, write 12345")]),
    "n\ttime_ms\n1\t1.850\n2\t950": (
        [1.85, 950], [(2, "column 'time_ms': '1.850' is read as 1.85; if the dots part thousands, write 1850")]),
}  # fmt: skip


@pytest.mark.parametrize("text", CELLS)
def test_a_cell_holds_a_number_or_a_problem(text: str) -> None:
    """What may be two numbers is never guessed: each problem has its line, and says how to write the number."""
    reading = read(text)
    assert (list(reading.rows.value), reading.problems) == CELLS[text]


def test_each_line_has_one_fate() -> None:
    """A line without a value that can be read is a problem, one of empty cells context, as are header and comments."""
    reading = read("benchmark;time_ms\nA;1,5\nB;2.5\n# note\nC;\n")
    assert reading.configurations == [{"benchmark": "B"}]
    lines = reading.lines
    assert (lines.data, lines.context, lines.problem, lines.noise) == (1, 3, 1, 1)


@pytest.mark.parametrize(
    ("cell", "written"),
    [("1 850", "1850"), ("1'850", "1850"), ("1\N{RIGHT SINGLE QUOTATION MARK}850.5", "1850.5"),
     ("1\N{NO-BREAK SPACE}850", "1850"), ("1\N{NARROW NO-BREAK SPACE}850,5", "1850.5")],
)  # fmt: skip
@pytest.mark.parametrize("header", ["requests/s", "Throughput (MB/s)"])
def test_thousands_apart_are_one_number(cell: str, written: str, header: str) -> None:
    """Spaces and apostrophes part nothing else where something is measured; twice three digits may be a list."""
    text = f"connections;{header};p99_ms\n1;950;1,5\n2;{cell};2,5"
    assert CSV_TABLE.recognise(TextFile("t.csv", text.split("\n"))) == "possible"
    reading = read(text)
    assert (list(reading.rows.value), reading.problems) == ([950, 1.5, float(written), 2.5], [])
    listed = read(f"connections;{header}\n1;950\n2;128 256")
    said = f"column '{header}': '128 256' has thousands apart; write 128256; value skipped"
    assert (list(listed.rows.value), listed.problems) == ([950], [(3, said)])


#: Table -> the levels of its first column, and its problems.
LEVELS: dict[str, tuple[list[str], list[tuple[int, str]]]] = {
    "benchmark;shape;rps\nA;64,512;1 850\nA;128,256;100\nA;256,512;900": (
        ["64,512", "128,256", "256,512"], []),
    "dims;time_ms\n128 256;2.5\n128 512;3.5": (["128 256", "128 512"], []),
    "load;place;time_ms\n500;1 A;2\n1 000;2 B;3": (["500", "1 000"], []),
    'shape;time_ms\n"128,256";3.25\n"64,128";4.5': (["128,256", "64,128"], []),
    'place,time_ms\n"50.1,8.6",3.25\n"48.2,11.5",4.5': (["50.1,8.6", "48.2,11.5"], []),
    'place;time_ms\n"50.1,8.6";3.25\n"48.2,11.5";4.5': (["50.1,8.6", "48.2,11.5"], []),
    'cpus,time_ms\n"0,1,2",3.25\n"3,4,5",4.5': (["0,1,2", "3,4,5"], []),
    'pinned,time_ms\n"0,1",2\n"2,3",3': (["0,1", "2,3"], []),
    "load;time_ms\n10;2\n20,5;3\n30,5;4": (["10", "20,5", "30,5"], []),
}  # fmt: skip


def test_rates_may_be_shortened_and_counts_hold_commas_between_thousands() -> None:
    reading = read('Concurrency,RPS,memory\n10,51k,8\n100,38.2K,9\n"1,000",1.1M,1.2G')
    assert [*reading.rows.value] == [51e3, 8, 38.2e3, 9, 1.1e6]
    assert "'1.2G' is not a number" in reading.problems[0][1]
    assert [axes["Concurrency"] for axes in reading.configurations] == ["10", "100", "1000"]


@pytest.mark.parametrize("text", LEVELS)
def test_lists_and_words_stay_levels(text: str) -> None:
    """The column stays what tells the rows apart; what may be a shape or a list is no number."""
    reading = read(text)
    axis = "shape" if "shape" in text else re.split("[;,]", text)[0]
    assert ([axes[axis] for axes in reading.configurations], reading.problems) == LEVELS[text]


def test_what_to_write_is_cut_like_what_was_found() -> None:
    """A cell of thousands of groups makes no message of its length."""
    reading = read("load;rps\n1;950\n2;1" + " 000" * 25_000)
    assert max(len(message) for _, message in reading.problems) < 200


@given(
    st.sampled_from(["load,time_ms", "metric,value,unit", "benchmark,p50_µs,rps", "a,b", "", '"x']),
    st.lists(st.text(st.sampled_from('ab1,;."\t#-µ eN_'), max_size=12), max_size=10),
)
def test_every_line_of_any_table_is_counted_once(header: str, lines: list[str]) -> None:
    """Whatever the cells hold, reading ends and the counts add up."""
    file = TextFile("any", [header, *lines])
    counts = CSV_TABLE.read(file).lines
    assert counts.total == len(file.lines)
    assert min(counts.data, counts.context, counts.problem, counts.noise) >= 0
    assert CSV_TABLE.recognise(file) in ("certain", "possible", "no")


# What says that a call failed.


def test_every_word_and_name_is_documented() -> None:
    """The page lists the vocabulary as the code has it: no word more, and none less."""
    section = PAGE.partition("## Tables and JSON of your own")[2].partition("\n## ")[0]
    match = re.search(
        r"Words of failure are (.*), alone .*; words of success are (.*?)\. A `status`", " ".join(section.split())
    )
    assert match is not None
    assert [set(re.findall(r"\*([^*]+)\*", words)) for words in match.groups()] == [set(FAILED), set(SOUND)]
    names = {name for listed in outcomes._NAMES.values() for name in listed}
    rows = "".join(line.split("|")[2] for line in section.splitlines() if line.startswith("| ") and "`" in line)
    # A bare status stands twice.
    assert set(re.findall(r"`([^`]+)`", rows)) == names | {"errors"}


@pytest.mark.parametrize(
    ("kind", "failed", "sound"),
    [
        ("verdict",
         ["FAIL", "Error: refused", "timeout after 30s", "failed (2)", "DEADLINE_EXCEEDED", "timed-out", "Timed  out",
          "exception; see log", "crashed 3 times"],
         ["error-free", "failover", "failed over to b", "no errors", "ok", "warm", ""]),
        ("code", ["503 Service Unavailable", "5xx", "0", "timeout", "999"], ["200", "200.0", "304 Not Modified", ""]),
    ],
)  # fmt: skip
def test_a_cell_says_that_a_call_failed(kind: str, failed: list[str], sound: list[str]) -> None:
    """A word alone or before more; a status of HTTP from 400 on, and no answer."""
    assert [cell for cell in failed + sound if failures(kind, cell)] == failed  # type: ignore[arg-type]


def test_a_column_is_judged_by_its_name_and_its_cells() -> None:
    """However its name is written; by cells where a name leaves it open."""
    assert telling("HTTP Status", ["200"]) == telling("httpStatus", ["0"]) == ("code", False)
    assert telling("Timed-Out", ["0"]) == ("mark", True)
    assert telling("state", ["idle"]) == telling("status", []) == telling("result", ["200"]) == ("", False)
    assert telling("status", ["200", "404"]) == ("code", False)
    assert telling("status", ["1", "0"]) == ("", False)


@pytest.mark.parametrize(
    ("head", "bad", "good"),
    [
        ("success", "false", "true"),
        ("success", "0", "1"),
        ("Success", "False", "True"),
        ("error", "timeout", ""),
        ("error_message", "refused", ""),
        ("failed_requests", "11688", "0"),
        ("error_rate", "100", "0"),
        ("exit_code", "-9", "0"),
        ("exitCode", "137", "0"),
        ("timed_out", "true", "false"),
        ("timeouts", "3", "0"),
        ("status", "failed", "ok"),
        ("Status", "ERROR: connection refused", "OK"),
        ("status", "timeout", "success"),
        ("result", "FAIL", "PASS"),
        ("state", "timed_out", "completed"),
        ("outcome", "error", "passed"),
    ],
)
@pytest.mark.parametrize("shape", ["wide", "tidy", "json"])
def test_a_column_that_says_failed_sets_its_row_apart(shape: str, head: str, bad: str, good: str) -> None:
    """A call that failed in no time is no fast call; the failure travels with the value, and its column is no axis."""
    if shape == "json":
        objects = [{"benchmark": "A", "time_ms": 5, head: good}, {"benchmark": "B", "time_ms": 4, head: bad}]
        reading = JSON_ROWS.read(TextFile("t.json", [json.dumps(objects)]))
    else:
        columns, cells = ("benchmark,time_ms", "5") if shape == "wide" else ("benchmark,metric,unit,value", "time,ms,5")
        reading = read(f"{columns},{head}\nA,{cells},{good}\nB,{cells},{bad}")
    assert [bool(errors) for errors in reading.rows.errors] == [False, True]
    assert set(reading.rows.metric) == {"time"}
    assert reading.configurations == [{"benchmark": "A"}, {"benchmark": "B"}]


@pytest.mark.parametrize("head", ["status_code", "http_status", "statusCode", "status", "response_code"])
def test_a_status_of_http_tells_of_failures_and_is_no_metric(head: str) -> None:
    """From 400 on; what was answered stays to be seen as an axis."""
    rows = "".join(f"\n/{code},{time},{code}" for time, code in enumerate((200, 204, 301, 404, 503), 1))
    reading = read(f"url,time_ms,{head}{rows}")
    assert [bool(errors) for errors in reading.rows.errors] == [False, False, False, True, True]
    assert set(reading.rows.metric) == {"time"}
    assert [axes[head] for axes in reading.configurations] == ["200", "204", "301", "404", "503"]
    # A column of many codes, which any other numbers would make a metric.
    many = "".join(f"\n{number},{number + 100}" for number in range(100, 400))
    assert set(read(f"time_ms,{head}{many}").rows.metric) == {"time"}


@pytest.mark.parametrize(
    ("text", "errors", "axes"),
    [
        # 0 beside other codes of HTTP is no answer; alone, it is a status of something else, and sound.
        ("time_ms,status_code\n1,200\n2,0", [0, 1], [{"status_code": "200"}, {"status_code": "0"}]),
        ("time_ms,status_code\n1,0\n2,14", [0, 1], [{"status_code": "0"}, {"status_code": "14"}]),
        # A status of other words is a level; a word of failure among them is heard all the same.
        ("status,state,time_ms\nwarm,idle,5\ncold,error-free,6", [None, None],
         [{"status": "warm", "state": "idle"}, {"status": "cold", "state": "error-free"}]),
        ("status,time_ms\nwarm,5\ncold,6\nfailed,7", [0, 0, 1],
         [{"status": "warm"}, {"status": "cold"}, {"status": "failed"}]),
        ("result,rps\n120,5\n480,6", [None, None], [{"result": "120"}, {"result": "480"}]),
    ],
)  # fmt: skip
def test_a_column_that_may_be_a_level_stays_an_axis(text: str, errors: list[float], axes: list[dict[str, str]]) -> None:
    """Whether it tells of failures or not."""
    reading = read(text)
    assert (counts(reading.rows.errors), reading.configurations) == (errors, axes)


def test_a_failure_without_a_value_is_told() -> None:
    """It is no empty line: a problem names it, and so does a caveat of the results."""
    reading = read("benchmark,time_ms,status\nA,5,ok\nB,,timeout")
    assert reading.problems == [(3, "B failed (column 'status': 'timeout'); no value is kept")]
    assert [(series.kind, series.name, series.line) for series in reading.series] == [("failed-benchmark", "B", 3)]
    assert (reading.lines.data, reading.lines.context, reading.lines.problem) == (1, 1, 1)
    rows = JSON_ROWS.read(TextFile("t.json", ['[{"time_ms": 5, "Errors": 0},', '{"time_ms": null, "Errors": 2}]']))
    assert rows.problems == [(2, "t failed (column 'Errors': '2'); no value is kept")]
    assert [series.line for series in rows.series] == [2]


def test_cells_below_a_rate_hold_what_it_is_of(tmp_path: Path) -> None:
    """wrk's report in a table: Transfer/sec is bytes a second, whatever the multiple."""
    (tmp_path / "t.csv").write_text("server,Requests/sec,Transfer/sec\ngin,45231.5,5.4MB\necho,44870.5,980.5KB\n")
    frame = load(tmp_path / "t.csv").frame
    rows = frame[frame["metric"] == "transfer"]
    assert rows["unit"].tolist() == ["B/sec"] * 2
    assert rows["value"].tolist() == pytest.approx([5.4e6, 980.5e3])
