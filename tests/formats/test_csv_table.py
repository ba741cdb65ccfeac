"""The reader of tidy and wide tables."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.errors import printable
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.tables import CSV_TABLE, JSON_ROWS, classify
from benchlib.formats.text import decode
from tests.columns import counts


def read(text: str) -> Reading:
    return CSV_TABLE.read(TextFile("t.csv", text.split("\n")))


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
    ],
)
def test_a_column_is_what_its_header_says(header: str, cell: str, expected: tuple[str, str, str]) -> None:
    """Units stand at the end of a header or in brackets; settings stay axes though they have units."""
    column = classify([header], [[cell]])[0]
    assert (column.role, column.name, column.unit) == expected


def test_the_latency_report_comes_out_as_measured(shared_samples) -> None:
    """31 lines, 105 filled cells: times per operation, percentiles only where the cell is filled."""
    raw = (shared_samples / "onix-adapter/latency_report.csv").read_bytes()
    reading = CSV_TABLE.read(decode(raw, "latency_report.csv").file)
    assert (len(reading.rows), reading.lines.data, reading.problems) == (105, 31, [])
    metrics = list(zip(reading.rows.metric, reading.rows.unit, strict=True))
    counted = {one: metrics.count(one) for one in dict.fromkeys(metrics)}
    assert counted == {
        ("time", "ms/op"): 31, ("allocations", "allocs/op"): 31, ("memory", "bytes/op"): 31,
        ("latency_p50", "µs"): 4, ("latency_p95", "µs"): 4, ("latency_p99", "µs"): 4,
    }  # fmt: skip


def test_the_throughput_report_has_gomaxprocs_for_an_axis(shared_samples) -> None:
    """Five levels, two metrics: requests a second, and a mean latency."""
    raw = (shared_samples / "onix-adapter/throughput_report.csv").read_bytes()
    reading = CSV_TABLE.read(decode(raw, "throughput_report.csv").file)
    assert [one["gomaxprocs"] for one in reading.configurations] == ["1", "2", "4", "8", "16"]
    assert set(reading.rows.metric) == {"throughput", "latency_mean"}
    assert list(reading.rows.value[:2]) == [2245.0, 0.519]


@pytest.mark.parametrize(("name", "rows"), [("heavy_read_api", 60), ("onix_adapter_v150", 57)])
def test_the_published_figures_are_read_whole(name: str, rows: int, shared_samples) -> None:
    """A row a line; the comment and the header are context."""
    file = decode((shared_samples / f"published/{name}.csv").read_bytes(), name).file
    assert CSV_TABLE.recognise(file) == "certain"
    reading = CSV_TABLE.read(file)
    assert (len(reading.rows), reading.lines.data, reading.lines.context) == (rows, rows, 2)
    assert reading.problems == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("n,time_ms\n1,2,3", (2, "3 fields where the header has 2; quote a field that holds the separator;"
                                 " line skipped")),
        ("n,time_ms\n1,2\n2,abc", (3, "column 'time_ms': 'abc' is not a number; value skipped")),
        ("n,time_ms\n1,NaN", (2, "column 'time_ms': 'NaN' is no measurement; leave the cell empty;"
                                 " value skipped")),
        ("n,time_ms\n1,2\n1,1_0", (3, "column 'time_ms': '1_0' is not a number; value skipped")),
        ('n,time_ms\n"1,2', (2, "a quote is left open; close it; line skipped")),
        ("time_ms,time_ms\n1,2", (1, "column 'time_ms' stands twice in the header; rename one")),
        ('"n,time_ms\n1,2', (1, "a quote is left open in the header; close it")),
        ("colour,shape\nred,round", (1, "no column names a metric; name one like time_ms, rps or"
                                        " throughput")),
        ("metric,value,unit\n,5,", (2, "neither metric nor unit is given; write at least one; line skipped")),
    ],
)  # fmt: skip
def test_a_malformed_line_is_a_problem(text: str, problem: tuple[int, str]) -> None:
    """Each is told with its line and column; what else the table holds is read."""
    reading = read(text)
    assert problem in reading.problems
    assert reading.lines.total == text.count("\n") + 1


def test_an_empty_cell_is_missing_and_not_zero() -> None:
    """No row for an empty cell, and no problem either."""
    reading = read("load,time_ms,rps\n1,,5\n2,3,\n3,,")
    assert list(reading.rows.value) == [5.0, 3.0]
    assert reading.problems == []
    assert reading.lines.data == 2


def test_tabs_semicolons_and_quotes_are_understood() -> None:
    """The separator is the header's."""
    assert list(read("load\ttime_ms\n1\t2").rows.value) == [2.0]
    assert list(read("load;time_ms\n1;2").rows.value) == [2.0]
    assert read('endpoint,time_ms\n"a,b",2').configurations == [{"endpoint": "a,b"}]


def test_reserved_columns_fill_their_places() -> None:
    """run, name, iterations and errors are columns of every table, not axes."""
    reading = read("run,benchmark,errors,iterations,time_ns\nr1,Enc,0,10,5")
    assert reading.configurations == [{"benchmark": "Enc", "run": "r1"}]
    assert (list(reading.rows.errors), list(reading.rows.iterations)) == ([0.0], [10.0])


def test_text_that_is_no_table_of_results_is_left_to_others(shared_samples) -> None:
    """benchstat's own CSV, a number alone, and prose are not tables of results."""
    for name in ("lplex/benchstat_old_new.csv", "onix-adapter/cores.txt", "lplex/old.txt"):
        file = decode((shared_samples / name).read_bytes(), name).file
        assert CSV_TABLE.recognise(file) == "no"
    assert CSV_TABLE.recognise(TextFile("a", ["Hello, world", "this, is prose"])) == "no"


CELLS = st.text(st.sampled_from('ab1,;."\t#-µ eN_'), max_size=12)


@given(
    st.sampled_from(["load,time_ms", "metric,value,unit", "benchmark,p50_µs,rps", "a,b", "", '"x']),
    st.lists(CELLS, max_size=10),
)
def test_every_line_of_any_table_is_counted_once(header: str, lines: list[str]) -> None:
    """Whatever the cells hold, reading ends and the counts add up."""
    file = TextFile("any", [header, *lines])
    reading = CSV_TABLE.read(file)
    counts = reading.lines
    assert counts.total == len(file.lines)
    assert min(counts.data, counts.context, counts.problem, counts.noise) >= 0
    assert CSV_TABLE.recognise(file) in ("certain", "possible", "no")


def test_a_tidy_line_without_its_value_is_a_problem() -> None:
    """It says nothing, and that is said: an empty cell is no zero and no context."""
    text = "benchmark,metric,value,unit\nEncode,time,5,ns/op\nDecode,time,,ns/op"
    reading = CSV_TABLE.read(TextFile("t.csv", text.splitlines()))
    assert reading.problems == [(3, "the value is empty; write it, or leave the line out; line skipped")]
    assert (reading.lines.data, reading.lines.context, reading.lines.problem) == (1, 1, 1)


@pytest.mark.parametrize(
    ("head", "bad", "good"),
    [
        ("success", "false", "true"),
        ("success", "0", "1"),
        ("error", "timeout", ""),
        ("failed_requests", "11688", "0"),
        ("error_rate", "100", "0"),
        ("exit_code", "-9", "0"),
    ],
)
@pytest.mark.parametrize("shape", ["wide", "tidy"])
def test_a_column_that_says_failed_sets_its_row_apart(shape: str, head: str, bad: str, good: str) -> None:
    """A call that failed in no time is no fast call, however a table says so."""
    columns = "benchmark,time_ms" if shape == "wide" else "benchmark,metric,unit,value"
    cells = "5" if shape == "wide" else "time,ms,5"
    text = f"{columns},{head}\nEncode,{cells},{good}\nDecode,{cells},{bad}"
    reading = CSV_TABLE.read(TextFile("t.csv", text.splitlines()))
    assert [bool(one) for one in reading.rows.errors] == [False, True]
    assert head not in {axis for one in reading.configurations for axis in one}


COMMAS = {
    "semicolons": "benchmark;time_ms;widgets\nA;1,5;2,25\nB;2.5;3\n",
    "quotes": 'benchmark,time_ms,widgets\nA,"1,5","2,25"\nB,2.5,3\n',
}


@pytest.mark.parametrize("text", COMMAS.values(), ids=COMMAS)
def test_a_decimal_comma_is_told_and_never_guessed(text: str) -> None:
    """Neither a level of an axis nor 15: the value is skipped, and the words say how to write it."""
    reading = CSV_TABLE.read(TextFile("t.csv", text.splitlines()))
    remedy = "has a comma; write a decimal point, as in 1.5, and nothing between thousands; value skipped"
    assert reading.problems == [(2, f"column 'time_ms': '1,5' {remedy}"), (2, f"column 'widgets': '2,25' {remedy}")]
    assert list(reading.rows.value) == [2.5, 3.0]
    assert reading.configurations == [{"benchmark": "B"}]
    assert (reading.lines.data, reading.lines.context, reading.lines.problem) == (1, 1, 1)


def test_a_tidy_value_with_a_comma_is_told() -> None:
    """``1,234`` could be one and a bit or a thousand: both are named."""
    lines = ["benchmark;metric;value;unit", "A;time;1,234;ms", "B;time;2;ms"]
    reading = CSV_TABLE.read(TextFile("t.csv", lines))
    said = "column 'value': '1,234' has a comma; write a decimal point, as in 1.5, and nothing between thousands"
    assert reading.problems == [(2, f"{said}; value skipped")]


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
    found = [(one.name, one.data[0]) for one in read(text).series if one.kind == "no-unit"]
    assert found == named


THOUSANDS = {
    "metric": ("connections;requests/s\n1;950\n2;1.850\n4;3.400", 3, "requests/s", "1.85 or 1850"),
    "level": ("connections;time_ms\n500;3\n1.000;4", 3, "connections", "1 or 1000"),
    "tidy": ("load;metric;value;unit\n1;time;1.234;ms\n2;time;2;ms", 2, "value", "1.234 or 1234"),
    "beside millions": ("n;rps\n1;1.234.567\n2;2.345", 3, "rps", "2.345 or 2345"),
    "millions between tabs": ("n\trps\n1\t1.234.567\n2\t2.345", 3, "rps", "2.345 or 2345"),
}


@pytest.mark.parametrize(("text", "line", "column", "readings"), THOUSANDS.values(), ids=THOUSANDS)
def test_a_dot_that_may_part_thousands_is_told_and_never_guessed(
    text: str, line: int, column: str, readings: str
) -> None:
    """Where no commas part the columns 1.850 may be 1,850: the table is not read, and both readings are told."""
    reading = read(text)
    assert len(reading.rows) == 0
    assert reading.problems[0][0] == line
    assert reading.problems[0][1].startswith(f"column '{column}': '")
    parted_by = "tabs" if "\t" in text else "semicolons"
    assert f"is {readings}: {parted_by} part the columns" in reading.problems[0][1]
    assert "or commas between the columns if the dot is decimal" in reading.problems[0][1]
    assert reading.lines.total == text.count("\n") + 1


DECIMAL = {
    "two decimals": "n;rps\n1;1.850\n2;2.25",
    "below one": "n;rps\n1;1.850\n2;0.900",
    "no group of three": "n;rps\n1;1.850\n2;1850.250",
    "another metric": "n;rps;p99_ms\n1;1.850;2.5\n2;3.400;2.75",
    "commas": "n,rps\n1,1.850\n2,3.400",
    "tabs": "n\trps\n1\t1.850\n2\t3.400",
}


@pytest.mark.parametrize("text", DECIMAL.values(), ids=DECIMAL)
def test_a_dot_that_is_decimal_by_its_neighbours_is_read(text: str) -> None:
    """One number that has no thousands to part settles what dots are in the table."""
    reading = read(text)
    assert reading.problems == []
    assert reading.rows.value[0] == 1.85


@pytest.mark.parametrize(
    "text", ["n;Anfragen/s;p99_ms\n1;950,5;2\n2;1850,2;3", 'n,Anfragen/s,p99_ms\n1,"950,5",2\n2,"1850,2",3']
)
def test_a_column_of_decimal_commas_is_no_axis_whatever_its_header(text: str) -> None:
    """Its header names no metric that is known; each value is told, and the others of its line stand."""
    reading = read(text)
    remedy = "has a comma; write a decimal point, as in 1.5, and nothing between thousands; value skipped"
    assert reading.problems[0] == (2, f"column 'Anfragen/s': '950,5' {remedy}")
    assert (list(reading.rows.value), reading.configurations) == ([2.0, 3.0], [{"n": "1"}, {"n": "2"}])


@pytest.mark.parametrize(
    ("cell", "written"),
    [("1 850", "1850"), ("1'850", "1850"), ("1\N{RIGHT SINGLE QUOTATION MARK}850.5", "1850.5"),
     ("1\N{NO-BREAK SPACE}850", "1850"), ("1\N{NARROW NO-BREAK SPACE}850,5", "1850.5")],
)  # fmt: skip
@pytest.mark.parametrize("header", ["requests/s", "Throughput (MB/s)"])
def test_thousands_apart_are_told_as_what_they_are(cell: str, written: str, header: str) -> None:
    """A table all of whose large numbers are written so is recognised; each is told with what to write."""
    text = f"connections;{header};p99_ms\n1;950;1,5\n2;{cell};2,5"
    assert CSV_TABLE.recognise(TextFile("t.csv", text.split("\n"))) == "possible"
    reading = read(text)
    said = f"column '{header}': '{printable(cell)}' has thousands apart; write {written}; value skipped"
    assert (3, said) in reading.problems
    assert list(reading.rows.value) == [950.0]


@pytest.mark.parametrize("cells", [("12.345", "8.125", "7"), ("1.234", "1.235", "0"), ("1.850", "950", "3.400")])
def test_between_tabs_dots_are_decimal_and_that_is_said_where_they_may_not_be(cells: tuple[str, ...]) -> None:
    """Any program may write them, and leave out decimals that are zero."""
    reading = read("\n".join(["load\ttime_ms", *(f"{n}\t{cell}" for n, cell in enumerate(cells, 1))]))
    assert list(reading.rows.value) == [float(one) for one in cells]
    said = f"column 'time_ms': '{cells[0]}' is read as {float(cells[0]):g}; if the dots part thousands, write "
    assert reading.problems == [(2, said + cells[0].replace(".", ""))]


def test_thousands_apart_leave_shapes_alone() -> None:
    """A space within a rate says nothing of the commas of another column."""
    reading = read("benchmark;shape;rps\nA;64,512;1 850\nA;128,256;100\nA;256,512;900")
    assert [one["shape"] for one in reading.configurations] == ["128,256", "256,512"]
    assert list(reading.rows.value) == [100.0, 900.0]


@pytest.mark.parametrize("cells", [("1.234,5", "2.345,6"), ("1,234,567", "2,345,678")])
def test_a_metric_of_thousands_with_commas_is_told_and_no_axis(cells: tuple[str, str]) -> None:
    """With dots between thousands too, or two commas, it is no number that could be written otherwise in passing."""
    reading = read(f"load;time_ms;p99_ms\n1;{cells[0]};2.5\n2;{cells[1]};3.5")
    assert [one for _, one in reading.problems if "'time_ms'" in one and "has a comma" in one]
    assert all("time_ms" not in one for one in reading.configurations)


def test_what_to_write_is_cut_like_what_was_found() -> None:
    """A cell of thousands of groups makes no message of its length."""
    reading = read("load;rps\n1;950\n2;1" + " 000" * 25_000)
    assert max(len(one) for _, one in reading.problems) < 200


def test_shapes_of_two_numbers_are_no_thousands_apart() -> None:
    """Where no level is a plain number, each is more than one."""
    assert read("dims;time_ms\n128 256;2.5\n128 512;3.5").problems == []


def test_a_level_with_thousands_apart_is_told_once() -> None:
    """It stays a word; what are no numbers, such as places, are none with spaces either."""
    reading = read("load;place;time_ms\n500;1 A;2\n1 000;2 B;3\n2 000;3 C;4")
    said = "column 'load': '1 000' has thousands apart and is read as a word; write 1000"
    assert reading.problems == [(3, said)]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_the_line_that_excel_writes_for_itself_is_no_header(first: str) -> None:
    """It is context, and what follows is read."""
    reading = read(f"{first}\nload;time_ms\n10;2.5")
    assert list(reading.rows.value) == [2.5]
    assert (reading.problems, reading.lines.context) == ([], 2)


@pytest.mark.parametrize("cells", [("1.850", "3.400"), ("2.145", "120.301")])
def test_three_decimals_everywhere_are_read_and_said_to_be_decimals(cells: tuple[str, str]) -> None:
    """A program that writes three of them writes them in every cell."""
    reading = read(f"n;time_ms\n1;{cells[0]}\n2;{cells[1]}")
    assert list(reading.rows.value) == [float(one) for one in cells]
    [(line, message)] = reading.problems
    assert (line, message.partition(",")[0]) == (2, f"column 'time_ms': '{cells[0]}' is read as {float(cells[0]):g}")
    assert message.endswith(f"if the dots part thousands, write {cells[0].replace('.', '')}")


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("shape", ("128,256", "64,128")),
        ("place", ("50.1,8.6", "48.2,11.5")),
        ("cpus", ("0,1,2", "3,4,5")),
    ],
)
@pytest.mark.parametrize("separator", [";", ","])
def test_lists_stay_levels(column: str, cells: tuple[str, str], separator: str) -> None:
    """What has commas is not a number for that, and its column stays what tells the rows apart."""
    lines = [f'"{cell}"{separator}{value}' for cell, value in zip(cells, ("3.25", "4.5"), strict=True)]
    reading = read("\n".join([f"{column}{separator}time_ms", *lines]))
    assert reading.problems == []
    assert list(reading.rows.value) == [3.25, 4.5]
    assert [one[column] for one in reading.configurations] == list(cells)


@pytest.mark.parametrize("shapes", [("16,32", "64,64"), ("0,1", "2,3")])
def test_pairs_that_may_be_numbers_are_told_and_stay_levels(shapes: tuple[str, str]) -> None:
    """Semicolons part the columns, so that 16,32 may be a shape or a number: the rows keep what tells them apart."""
    reading = read(f"shape;time_ms\n{shapes[0]};3.25\n{shapes[1]};4.5")
    assert [one["shape"] for one in reading.configurations] == list(shapes)
    assert list(reading.rows.value) == [3.25, 4.5]
    assert [line for line, _ in reading.problems] == [2]
    assert f"'{shapes[0]}' has a comma and is read as a word" in reading.problems[0][1]


def test_a_level_with_a_decimal_comma_is_told_once() -> None:
    """It stays a word, by which no curve is drawn: the first is named."""
    reading = read("load;time_ms\n10;2\n20,5;3\n30,5;4")
    said = "column 'load': '20,5' has a comma and is read as a word; write a decimal point, as in 1.5, and nothing"
    assert reading.problems == [(3, f"{said} between thousands")]
    assert list(reading.rows.value) == [2.0, 3.0, 4.0]


def test_commas_within_a_level_are_no_numbers() -> None:
    """A list of CPUs is a level, as long as no metric is written with commas."""
    reading = CSV_TABLE.read(TextFile("t.csv", ["bench,pinned,time_ms", 'A,"0,1",2', 'A,"2,3",3']))
    assert [one["pinned"] for one in reading.configurations] == ["0,1", "2,3"]
    assert reading.problems == []


TOLD = [
    ("status", "failed", "ok"),
    ("Status", "ERROR: connection refused", "OK"),
    ("status", "timeout", "success"),
    ("result", "FAIL", "PASS"),
    ("state", "timed_out", "completed"),
    ("outcome", "error", "passed"),
    ("success", "False", "True"),
    ("timed_out", "true", "false"),
    ("timeouts", "3", "0"),
    ("exitCode", "137", "0"),
    ("error_message", "refused", ""),
]


@pytest.mark.parametrize(("head", "bad", "good"), TOLD, ids=[f"{one[0]}-{one[1]}" for one in TOLD])
@pytest.mark.parametrize("shape", ["wide", "tidy", "json"])
def test_common_ways_to_say_failed_are_heard(shape: str, head: str, bad: str, good: str) -> None:
    """The failure travels with the value, and its column is no axis."""
    if shape == "json":
        objects = [{"benchmark": "A", "time_ms": 5, head: good}, {"benchmark": "B", "time_ms": 4, head: bad}]
        reading = JSON_ROWS.read(TextFile("t.json", [json.dumps(objects)]))
    else:
        columns, cells = ("benchmark,time_ms", "5") if shape == "wide" else ("benchmark,metric,unit,value", "time,ms,5")
        reading = read(f"{columns},{head}\nA,{cells},{good}\nB,{cells},{bad}")
    assert [bool(one) for one in reading.rows.errors] == [False, True]
    assert set(reading.rows.metric) == {"time"}
    assert reading.configurations == [{"benchmark": "A"}, {"benchmark": "B"}]


@pytest.mark.parametrize("shape", ["status_code", "http_status", "statusCode", "status", "response_code"])
def test_a_status_of_http_tells_of_failures_and_is_no_metric(shape: str) -> None:
    """From 400 on, and 0 where there was no answer; what was answered stays to be seen as an axis."""
    rows = "".join(f"/{code},{time},{code}\n" for time, code in enumerate((200, 204, 301, 404, 503), 1))
    reading = read(f"url,time_ms,{shape}\n{rows}".removesuffix("\n"))
    assert [bool(one) for one in reading.rows.errors] == [False, False, False, True, True]
    assert set(reading.rows.metric) == {"time"}
    assert [one[shape] for one in reading.configurations] == ["200", "204", "301", "404", "503"]
    # A column of many codes, which any other numbers would make a metric.
    many = "".join(f"{number},{number + 100}\n" for number in range(100, 400))
    assert set(read(f"time_ms,{shape}\n{many}".removesuffix("\n")).rows.metric) == {"time"}


def test_an_unanswered_request_has_failed_and_an_exit_code_of_0_has_not() -> None:
    """0 beside other codes of HTTP is no answer; alone, it is a status of something else, and sound."""
    assert [bool(one) for one in read("time_ms,status_code\n1,200\n2,0").rows.errors] == [False, True]
    assert [bool(one) for one in read("time_ms,status_code\n1,0\n2,14").rows.errors] == [False, True]


def test_a_column_that_merely_looks_alike_stays_an_axis() -> None:
    """A status of other words is a level; a word of failure among them is heard all the same."""
    reading = read("status,state,time_ms\nwarm,idle,5\ncold,error-free,6")
    assert counts(reading.rows.errors) == [None, None]
    assert reading.configurations == [{"status": "warm", "state": "idle"}, {"status": "cold", "state": "error-free"}]
    mixed = read("status,time_ms\nwarm,5\ncold,6\nfailed,7")
    assert [bool(one) for one in mixed.rows.errors] == [False, False, True]
    assert [one["status"] for one in mixed.configurations] == ["warm", "cold", "failed"]
    assert counts(read("result,rps\n120,5\n480,6").rows.errors) == [None, None]


def test_a_failure_without_a_value_is_told() -> None:
    """It is no empty line: a problem names it, and so does a caveat of the results."""
    reading = read("benchmark,time_ms,status\nA,5,ok\nB,,timeout")
    assert reading.problems == [(3, "B failed (column 'status': 'timeout'); no value is kept")]
    assert [(one.kind, one.name, one.line) for one in reading.series] == [("failed-benchmark", "B", 3)]
    assert (reading.lines.data, reading.lines.context, reading.lines.problem) == (1, 1, 1)
    rows = JSON_ROWS.read(TextFile("t.json", ['[{"time_ms": 5, "Errors": 0},', '{"time_ms": null, "Errors": 2}]']))
    assert rows.problems == [(2, "t failed (column 'Errors': '2'); no value is kept")]
    assert [one.line for one in rows.series] == [2]
