"""Suites of benchmarks: what is one sample, what is context, and what a damaged record is worth."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.registry import choose, named
from benchlib.formats.text import decode
from tests.columns import counts

DATA = Path(__file__).parents[1] / "data"


def text_of(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def read(format: str, *lines: str, source: str = "a.json") -> Reading:
    """Read lines with the reader of a format."""
    return named(format).read(TextFile(source, list(lines)))


GOOGLE = {"name": "good", "real_time": 0, "time_unit": "ns"}
TEST = {"name": "good", "stats": {"mean": 0}}
MESSAGE = {"reason": "benchmark-complete", "id": "a", "iteration_count": [2], "measured_values": [0.0], "unit": "ns"}
ENTRY = {"jmhVersion": "1.37", "benchmark": "a.b.C.m", "mode": "avgt", "threads": 4}
SCORE = {"scoreUnit": "ns/op", "score": 0}
RAW = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count"
JMH_LINE = '"demo.DemoBench.hashTput","thrpt",1,6,{score},NaN,"ops/us",10'
JMH_HEADER = '"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit","Param: size"'


def google(*records: object) -> Reading:
    return read("google-benchmark", json.dumps({"context": {}, "benchmarks": records}))


def hyperfine(*results: object) -> Reading:
    return read("hyperfine", json.dumps({"results": results}))


def jmh(*metrics: object, **fields: object) -> Reading:
    """Read a benchmark for each primary metric."""
    return read("jmh", json.dumps([{**ENTRY, "primaryMetric": metric, **fields} for metric in metrics]))


def pyperf(*runs: object, **metadata: object) -> Reading:
    benchmark = {"metadata": {"name": "b", **metadata}, "runs": runs}
    return read("pyperf", json.dumps({"benchmarks": [benchmark], "version": "1.0"}))


def pytest_benchmark(*tests: object, **document: object) -> Reading:
    return read("pytest-benchmark", json.dumps({"machine_info": {}, "benchmarks": tests, **document}))


#: Reading of a bad record beside a good one of value 0, and what is said.
BAD: list[tuple[Reading, str]] = [
    *((google(record, GOOGLE), message) for record, message in [
        (3, "a benchmark that is no object"),
        ({"real_time": 1}, "without a name"),
        ({"name": 1}, "name is 1, not a text"),
        ({"name": "B"}, "has no real_time"),
        ({"name": "B", "real_time": "1", "time_unit": "ns"}, 'real_time is "1", not a number'),
        ({"name": "B", "real_time": 1, "time_unit": "B"}, "time_unit of B is B"),
        ({"name": "B", "real_time": 1}, "time_unit of B is None"),
        ({"name": "B", "real_time": 1, "time_unit": "ns", "cpu_time": []}, "cpu_time is a list, not a number"),
        ({"name": "B", "label": 3, "real_time": 1, "time_unit": "ns"}, "label is 3, not a text; record left out"),
        ({"name": "B", "error_occurred": True, "error_message": "why"}, "B failed (why)"),
    ]),
    *((hyperfine({"command": "ls", **fields}, {"command": "ok", "median": 0}), message) for fields, message in [
        ({}, "neither times nor a median"),
        ({"times": "x"}, 'times is "x", not a list'),
        ({"times": [1, "x"]}, 'times is "x", not a number'),
        ({"times": [True]}, "times is true, not a number"),
        ({"times": [1, 2], "exit_codes": [0]}, "2 times beside 1 exit codes"),
        ({"times": [1], "parameters": [1]}, "parameters is a list, not an object"),
        ({"times": [1], "command": ""}, "a result without a command"),
    ]),
    *((jmh(metric, SCORE), message) for metric, message in [
        (None, "has no score"),
        ([], "primaryMetric is a list"),
        ({"scoreUnit": "ns/op", "rawData": [["NaN"]], "score": "NaN"}, "has no score"),
        ({"rawData": [["x"]]}, 'score is "x"'),
        ({"rawDataHistogram": [[[[1]]]]}, "pairs of value and count"),
        ({"rawDataHistogram": [[[[1, -1]]]]}, "no number"),
    ]),
    *((pyperf(run, {"values": [0]}), message) for run, message in [
        (3, "a run that is no object"),
        ({}, "a run without values or warm-ups"),
        ({"values": [1, None]}, "a value of b is missing"),
        ({"values": [1, "2"]}, 'values is "2", not a number'),
        ({"values": 1}, "values is 1, not a list"),
        ({"values": [1], "metadata": {"unit": "parsec"}}, "unit 'parsec'"),
    ]),
    *((pytest_benchmark(test, TEST), message) for test, message in [
        ({"stats": {"mean": 1}}, "without a name"),
        ({"name": "t"}, "has no median or mean"),
        ({"name": "t", "stats": 3}, "stats is 3, not an object"),
        ({"name": "t", "stats": {"data": ["1"]}}, 'stats.data is "1", not a number'),
        ({"name": "t", "stats": {"median": "fast"}}, 'median is "fast", not a number'),
        ("t", "without a name"),
    ]),
    *((read("criterion-messages", json.dumps({**MESSAGE, **fields}), json.dumps(MESSAGE)), message)
      for fields, message in [
        ({"id": None}, "a benchmark without an id"),
        ({"id": 3}, "id is 3, not a text"),
        ({"iteration_count": None}, "0 of iteration_count beside 1 of measured_values"),
        ({"iteration_count": [], "measured_values": []}, "0 of iteration_count beside 0 of measured_values"),
        ({"iteration_count": [0]}, "a sample without a value or without iterations"),
        ({"measured_values": [None]}, "a sample without a value or without iterations"),
        ({"measured_values": ["x"]}, 'measured_values is "x", not a number'),
    ]),
    (read("criterion-messages", json.dumps(MESSAGE), json.dumps(MESSAGE)[:40]), "not JSON"),
    *((read("criterion-csv", RAW, line, "g,f,1,,,0,ns,3"), f"{message}; line skipped") for line, message in [
        ("g,f,1,,,30,ns", "7 fields where the header has 8"),
        ('g,f,1,,,30,ns,"3', "a quote is left open; close it"),
        ("g,f,1,,,fast,ns,3", "'fast' is not a number"),
        ("g,f,1,,,30,ns,0", "a sample without a value or without iterations"),
        ("g,f,1,,,,ns,3", "a sample without a value or without iterations"),
        (",,,,,30,ns,3", "a sample without group, function and value"),
    ]),
    *((read("pytest-benchmark-csv", "name,median,mean,ops", line, "t.py::test_b,0,,3"), f"{message}; line skipped")
      for line, message in [
        ("t.py::test_a,1,2", "3 fields where the header has 4"),
        ('t.py::test_a,1,2,"3', "a quote is left open; close it"),
        ("t.py::test_a,fast,2,3", "column 'median': 'fast' is not a number"),
        ("t.py::test_a,,,3", "t.py::test_a has no median or mean"),
        (",1,2,3", "a test without a name"),
    ]),
    *((read("jmh-csv", JMH_HEADER, line, JMH_LINE.format(score=0)), message) for line, message in [
        (JMH_LINE[:30], "a quote is left open; close it"),
        (JMH_LINE.format(score="fast"), "'fast' is not a number"),
        (JMH_LINE.format(score="NaN"), "has no score"),
    ]),
    *((read("hyperfine-csv", "command,mean,stddev,median", line, "ls,,,0"), message) for line, message in [
        ("ls,1", "2 fields where the header has 4"),
        ("ls,1,fast,1", "'fast' is not a number"),
        ('"open quote', "a quote is left open; close it"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("reading", "message"), BAD, ids=[message for _, message in BAD])
def test_a_bad_record_is_a_problem_and_leaves_no_value(reading: Reading, message: str) -> None:
    """What is wrong is said, no half of a record is kept, and the record beside it is read."""
    assert message in reading.problems[0][1]
    assert (reading.lines.problem, reading.lines.data) == (1, 1)
    assert list(reading.rows.value) == [0.0]


@pytest.mark.parametrize(
    ("reading", "values", "message"),
    [
        (hyperfine({"command": "ls", "times": [1.0, None], "exit_codes": [0, 0]}), [1.0], "time 2"),
        (pytest_benchmark({"name": "t", "stats": {"data": [None, 0]}}), [0.0], "round 1 of t"),
        (
            jmh({"scoreUnit": "ns/op", "rawData": [["NaN", 4.0], [6.0]], "scoreError": "NaN"}),
            [4.0, 6.0],
            "fork 1 of a.b.C.m: 1 of 2 iterations are NaN; left out",
        ),
        (
            jmh({"scoreUnit": "ns/op", "rawData": [["NaN", "NaN"], [6.0]]}),
            [6.0],
            "fork 1 of a.b.C.m has no iteration with a value; left out",
        ),
        # What a profiler could not measure, by its own name.
        (
            jmh(
                {"scoreUnit": "ns/op", "rawData": [[1.0]], "scoreError": "NaN"},
                secondaryMetrics={"·gc.time": {"scoreUnit": "ms", "score": "NaN", "rawData": [["NaN"]]}},
            ),
            [1.0],
            "fork 1 of a.b.C.m gc_time has no iteration with a value; left out",
        ),
        (
            jmh(
                {
                    "scoreUnit": "us/op",
                    "rawDataHistogram": [[[[2.0, 3]]]],
                    "scorePercentiles": {"50.0": 2.0, "99.0": "NaN"},
                }
            ),
            [2.0, 2.0],
            "percentile 99 of a.b.C.m is NaN; left out",
        ),
    ],
)
def test_a_missing_value_is_left_out_and_named(reading: Reading, values: list[float], message: str) -> None:
    """Null and NaN are missing, not zero; the others stand."""
    assert list(reading.rows.value) == values
    assert [message in problem for _, problem in reading.problems] == [True]


@pytest.mark.parametrize(
    ("lines", "certainty"),
    [
        (["name,min,max", "t.py::test_a,1,2"], "certain"),
        (["name,min,max", "encode,1,2"], "no"),
        (["name,min,max,ops", "encode,1,2,3"], "certain"),
        (["name,param:n,mean", "encode,1,2"], "certain"),
        (["name,rounds,iterations", "t.py::test_a,1,2"], "no"),
        (["name,min,max,cost", "t.py::test_a,1,2,3"], "no"),
        ([""], "no"),
    ],
)
def test_a_csv_of_pytest_benchmark_is_known_by_its_columns(lines: list[str], certainty: str) -> None:
    """A table of another tool with names and extremes is left to the general reader."""
    assert named("pytest-benchmark-csv").recognise(TextFile("a.csv", lines)) == certainty


def test_the_json_of_a_run_is_read_instead_of_its_csv(tmp_path: Path) -> None:
    """One recording in two files counts once: a mean of the forks is not one more sample of them."""
    folders = {
        "hyperfine": {"params.json": "", "params.csv": ""},
        "pytest_benchmark": {"statistics.json": "", "statistics.csv": ""},
        "jmh": {"result.json": "", "result.csv": ""},
    }
    for folder, files in folders.items():
        (tmp_path / folder).mkdir()
        for name in files:
            shutil.copy(DATA / folder / name, tmp_path / folder)
    table = tmp_path / "jmh" / "result.csv"
    table.write_text(table.read_text().replace("1.198912", "0.703400").replace("0.108126", "0.060400"))
    for folder, files in folders.items():
        results = load(tmp_path / folder)
        assert set(results.frame["source"]) == {next(iter(files))}
        assert "superseded-file" in {caveat.code for caveat in results.caveats}


# google-benchmark.


def test_skipped_benchmarks_and_aggregates_are_context() -> None:
    """SkipWithMessage is no failure and no result; the NaN of an aggregate is what the tool writes."""
    aggregate = {"name": "good_cv", "run_name": "good", "run_type": "aggregate", "aggregate_name": "cv"}
    reading = google(
        GOOGLE, {"name": "B", "skipped": True}, {**aggregate, "time_unit": "ns", "real_time": math.nan},
    )  # fmt: skip
    assert (reading.lines.context, reading.lines.data, reading.problems) == (2, 1, [])


def test_a_label_is_an_axis_where_there_is_one() -> None:
    """SetLabel tells two variants of one name apart; an argument of that name keeps its place."""
    reading = google(
        {**GOOGLE, "name": "B", "label": "zstd -3"}, {**GOOGLE, "name": "C", "label": ""},
        {**GOOGLE, "name": "D/label:7", "label": "lz4"},
    )  # fmt: skip
    assert reading.configurations == [
        {"benchmark": "B", "label": "zstd -3"}, {"benchmark": "C"},
        {"benchmark": "D", "label": "7", "label_axis": "lz4"},
    ]  # fmt: skip
    rows = ['"B",10,5,4,ns,,,"zstd, -3",,', '"C",10,5,4,ns,,,,,']
    lines = ["Run on (2 X 2596 MHz CPU s)", GOOGLE_HEADER, *rows]  # the console prints facts of the machine first
    assert choose(TextFile("a.csv", lines)).name == "google-benchmark-csv"
    table = read("google-benchmark-csv", *lines, source="a.csv")
    assert [axes.get("label") for axes in table.configurations] == ["zstd, -3", None]


GOOGLE_HEADER = (
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message"
)


@pytest.mark.parametrize(
    ("header", "above", "last", "is_whole"),
    [
        (GOOGLE_HEADER, '"A",10,5,4,ns,,,,,', '"B",10,5,4,ns,,,,,', True),
        (GOOGLE_HEADER, '"A",10,5,4,ns,,,,,', '"B",10,5,4,ns,,,,,,"7"', False),
        # 4 of 4096 is a number too.
        (f'{GOOGLE_HEADER},"bytes"', '"A",10,5,4,ns,,,,,,4096', '"B",10,5,4,ns,,,,,,4', False),
    ],
)
def test_an_open_last_line_is_read_where_it_ends_as_the_others(
    header: str, above: str, last: str, is_whole: bool
) -> None:
    """It has all its columns, and the last is empty, or as long, as that above."""
    reading = named("google-benchmark-csv").read(decode(f"{header}\n{above}\n{last}".encode(), "a.csv").file)
    assert ("B" in reading.rows.name.levels) == is_whole
    assert bool(reading.problems) != is_whole


# hyperfine.


def test_times_memory_and_summaries() -> None:
    """A command ended by a signal has no exit code; newer versions write memory; without times one sample is left."""
    reading = hyperfine(
        {"command": "a", "times": [1.0, 2.0], "memory_usage_byte": [1024, 2048], "exit_codes": [0, None]}
    )
    assert list(reading.rows.metric) == ["time", "time", "memory", "memory"]
    assert list(reading.rows.value) == [1.0, 2.0, 1024.0, 2048.0]
    assert list(reading.rows.errors) == [0.0, 1.0, 0.0, 1.0]
    reading = hyperfine({"command": "a", "median": 0, "mean": 3}, {"command": "b", "mean": 3})
    assert list(reading.rows.value) == [0.0, 3.0]


# JMH.


def test_profilers_are_metrics_of_their_own() -> None:
    """The normalised allocation rate is memory an operation; others keep their name."""
    reading = jmh(
        {"scoreUnit": "ns/op", "rawData": [[1.0], [2.0]]},
        secondaryMetrics={
            "·gc.alloc.rate.norm": {"scoreUnit": "B/op", "rawData": [[16.0], [18.0]]},
            "gc.count": {"scoreUnit": "counts", "score": 3},
        },
    )
    assert list(reading.rows.metric) == [None, None, "memory", "memory", "gc_count"]
    assert list(reading.rows.value) == [1.0, 2.0, 16.0, 18.0, 3.0]
    assert reading.configurations[0]["threads"] == 4


def test_semicolons_and_decimal_commas() -> None:
    """-rf scsv on a machine that writes decimal commas gives the same values."""
    lines = [JMH_HEADER, JMH_LINE.format(score="1.198912"), JMH_LINE.format(score="0.108126")]
    european = [line.replace(",", ";").replace("1.1", "1,1").replace("0.1", "0,1") for line in lines]
    assert choose(TextFile("a.csv", european)).name == "jmh-csv"
    assert list(read("jmh-csv", *european, source="a.csv").rows.value) == [1.198912, 0.108126]


def test_csv_names_with_a_colon_are_percentiles_and_profilers() -> None:
    """``:p0.99`` of sample mode, ``:·gc.alloc.rate.norm`` of a profiler."""
    reading = read(
        "jmh-csv",
        '"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit"',
        '"a.C.m","sample",1,9,2.5,0.1,"us/op"',
        '"a.C.m:m·p0.99","sample",1,1,4.5,NaN,"us/op"',
        '"a.C.m:p1.00","sample",1,1,9.5,NaN,"us/op"',
        '"a.C.m:·gc.alloc.rate.norm","sample",1,2,16,NaN,"B/op"',
    )
    assert list(reading.rows.metric) == [None, "latency_p99", "latency_max", "memory"]
    assert list(reading.rows.unit) == ["us/op", "us", "us", "B/op"]
    assert {axes["benchmark"] for axes in reading.configurations} == {"C.m"}


# pyperf and pytest-benchmark.


def test_operations_behind_a_value() -> None:
    """Loops times inner_loops; iterations of a round, and of all rounds behind a median."""
    assert list(pyperf({"values": [1.0]}, loops=4, inner_loops=10).rows.iterations) == [40.0]
    assert load(DATA / "pytest_benchmark/with_data.json").frame["iterations"].iloc[0] == 10
    assert load(DATA / "pytest_benchmark/without_data.json").frame["iterations"].iloc[0] == 93760


def test_only_warm_ups_is_a_problem() -> None:
    """A file that only calibrated says so."""
    [(line, message)] = pyperf({"warmups": [[1, 0.5]]}).problems
    assert (line, "warm-up" in message) == (0, True)


def test_parameters_and_facts_are_axes() -> None:
    """The commit tells two files apart; the columns run and benchmark are not a parameter's to fill."""
    test = {"fullname": "t.py::test_a[1]", "params": {"run": 1, "benchmark": "x"}, "stats": {"data": [1.0]}}
    [axes] = pytest_benchmark(test, commit_info={"id": "abc"}).configurations
    assert axes == {"run_axis": 1, "benchmark_axis": "x", "benchmark": "test_a", "file": "t.py", "commit": "abc"}
    assert "commit" not in load(DATA / "pytest_benchmark/without_data.json").axes
    frame = load(DATA / "pytest_benchmark/statistics.csv").frame
    assert set(frame["kind"].dropna()) == {"a,b", 'say "hi"'}


def test_a_csv_of_several_runs_says_that_they_cannot_be_told_apart() -> None:
    """``compare`` writes a line for each saved run, without its name."""
    lines = ["name,param:n,min,median,rounds", "t.py::test_a[1],1,1.0,2.0,3", "t.py::test_a[1],1,1.0,4.0,3"]
    reading = read("pytest-benchmark-csv", *lines)
    message = "stands at line 2 too, and no column says of which run; read the saved JSON files instead"
    assert reading.problems == [(3, f"t.py::test_a[1] {message}")]
    assert list(reading.rows.value) == [2.0, 1.0, 4.0, 1.0]
    assert set(counts(reading.rows.iterations)) == {None}


# criterion.


def test_samples_of_folders_are_told_by_their_names(tmp_path: Path) -> None:
    """4 files of 20 samples, of which ``base`` repeats ``new``; what criterion writes beside them is context."""
    folder = tmp_path / "criterion"
    shutil.copytree(DATA / "criterion", folder)
    (folder / "fib" / "report").mkdir()
    (folder / "fib" / "report" / "index.html").write_text("<!DOCTYPE html>\n<html></html>\n")
    (folder / "fib" / "report" / "pdf.svg").write_text('<svg width="1">\n</svg>\n')
    results = load(folder)
    frame = results.frame
    assert frame.groupby(["benchmark", "input", "run"], observed=True).size().to_dict() == {
        ("fib", 10, "new"): 20, ("fib", 15, "new"): 20, ("sum bytes_µ", 1024, "new"): 20,
    }  # fmt: skip
    first = frame[(frame["benchmark"] == "fib") & (frame["input"] == 10)].iloc[0]
    assert first["value"] == pytest.approx(5393688.0 / 31659.0 * 1e-9, rel=1e-12)
    assert first["iterations"] == 31659
    assert not results.problems
    assert {caveat.code for caveat in results.caveats} == {"repeated-file"}
    assert sum(file.lines.data for file in results.files) == 4
    assert sum(file.lines.context for file in results.files) == 13 + 4


def test_a_saved_baseline_is_a_run(tmp_path: Path) -> None:
    """--save-baseline gives a folder of that name, one side of a comparison; a sample alone is no damage."""
    folder = tmp_path / "target" / "criterion" / "fib" / "recursive" / "10"
    shutil.copytree(DATA / "criterion" / "fib" / "recursive" / "10" / "new", folder / "new")
    shutil.copytree(DATA / "criterion" / "fib" / "recursive" / "15" / "new", folder / "main")
    frame = load(tmp_path).frame
    assert (set(frame["run"]), set(frame["benchmark"]), set(frame["input"])) == ({"new", "main"}, {"fib"}, {10})
    alone = load(folder / "new" / "sample.json")
    assert (len(alone.frame), alone.problems) == (20, ())


@pytest.mark.parametrize(
    "root",
    [
        {"iters": [1], "times": []}, {"iters": [0], "times": [1]}, {"iters": [1], "times": ["x"]},
        {"iters": [1], "times": [None]}, {"iters": {}, "times": [1]}, [[1], [2], [3]], [1, 2], 3,
    ],
)  # fmt: skip
def test_a_bad_sample_is_a_problem(root: object) -> None:
    """Not one value of a damaged sample is kept."""
    reading = read("criterion", json.dumps(root), source="fib/recursive/10/new/sample.json")
    assert not len(reading.rows)
    assert reading.lines.problem == reading.lines.total == 1


def test_raw_csv_and_sample_of_one_run_are_one_measurement(tmp_path: Path) -> None:
    """5 times 10 lines of raw.csv beside their samples, of which ``base`` repeats ``new``: 30 values.

    Copied out of its folders raw.csv still knows its group, function and input, with every sign of them.
    """
    results = load(DATA / "criterion_csv")
    frame = results.frame
    assert frame.groupby(["benchmark"], observed=True).size().to_dict() == {"alone": 10, "fib": 10, "sum bytes_µ": 10}
    assert set(frame["run"]) == {"new"}
    assert {caveat.code for caveat in results.caveats} == {"repeated-file"}
    assert not results.problems
    first = frame[frame["benchmark"] == "alone"].iloc[0]
    assert first["value"] == pytest.approx(4620795.0 / 43526 * 1e-9, rel=1e-15)
    assert (first["iterations"], first["line"]) == (43526, 2)
    shutil.copy(DATA / "criterion_csv" / "sum bytes_µ" / "1024" / "new" / "raw.csv", tmp_path / "today.csv")
    alone = load(tmp_path / "today.csv").frame
    assert len(alone) == 10
    assert (set(alone["benchmark"]), set(alone["input"]), set(alone["run"])) == ({"sum bytes/µ"}, {1024}, {""})
    assert set(alone["name"]) == {"sum bytes/µ/1024"}


@pytest.mark.parametrize(
    ("folder", "name", "same"),
    [
        ("a_b", "a/b", True), ("a_b_2", "a/b", True), ("a_b_x", "a/b", False), ("a", "a/b", False),
        ("µ" * 32, "µ" * 40, True), ("Sum", "sum", True),
    ],
)  # fmt: skip
def test_folders_are_told_by_criterions_rule(folder: str, name: str, same: bool) -> None:
    """Other signs than letters become _, 64 bytes are kept, and one of two alike is numbered."""
    reading = read("criterion-csv", RAW, f"{name},,,,,10.0,ns,5", source=f"{folder}/new/raw.csv")
    assert reading.configurations == [{"benchmark": folder, "run": "new"} if same else {"benchmark": name}]


def test_raw_csv_of_old_versions_and_of_other_measurements() -> None:
    """Once every value was a time in ns; a measurement of one's own names its unit."""
    lines = ["group,function,value,sample_time_nanos,iteration_count", "g,f,10,30,3", "g,f,10,80,4"]
    assert choose(TextFile("a.csv", lines)).name == "criterion-csv"
    reading = read("criterion-csv", *lines)
    assert (list(reading.rows.value), set(reading.rows.unit)) == ([10.0, 20.0], {"ns/op"})
    assert reading.configurations == [{"benchmark": "g", "function": "f", "input": "10"}]
    reading = read("criterion-csv", RAW, "g,,,,,30,cycles,3")
    assert (list(reading.rows.metric), list(reading.rows.unit)) == ([None], ["cycles/op"])


def test_the_words_of_cargo_around_messages_are_noise() -> None:
    """The samples of a benchmark keep their order."""
    lines = ["   Compiling demo", json.dumps(MESSAGE)]
    assert choose(TextFile("a.json", lines)).name == "criterion-messages"
    assert read("criterion-messages", *lines).lines.noise == 1
    frame = load(DATA / "criterion_messages" / "messages.json").frame
    assert frame["iterations"].iloc[9] == 338680
    assert frame["position"].tolist() == list(range(40))


def test_long_names_changes_and_elements() -> None:
    """A long name stands on a line of its own; a change is no result; elements are a throughput.

    A log whose head was cut off does not give its value to the wrong name.
    """
    lines = [
        "a very long name of a group/with its function/1000000",
        "                        time:   [1.0000 ps 2.0000 ps 3.0000 ps]",
        "                        thrpt:  [1.0 Melem/s 2.5 Melem/s 3.0 Melem/s]",
        "                 change:",
        "                        time:   [-1.0% +2.0% +3.0%] (p = 0.04 < 0.05)",
        "                        thrpt:  [-1.0% +2.0% +3.0%]",
        "                        Performance has regressed.",
    ]
    reading = read("criterion-text", *lines)
    assert list(reading.rows.value) == [0.002, 2.5e6]
    assert list(reading.rows.unit) == ["ns/op", "elem/s"]
    assert (reading.lines.data, reading.lines.context, reading.problems) == (2, 5, [])
    headless = read("criterion-text", lines[1])
    assert (headless.lines.problem, len(headless.rows)) == (1, 0)


def test_a_benchmark_that_was_begun_and_has_no_time_is_a_problem() -> None:
    """A report cut at a line end says what it lacks; so does a line cut within its times."""
    lines = text_of("criterion_text/criterion.txt").split("\n")
    assert read("criterion-text", *lines).problems == []
    at = next(number for number, line in enumerate(lines) if "time:" in line)
    begun = next(number for number, line in enumerate(lines, 1) if line.startswith("Benchmarking "))
    name = lines[begun - 1].removeprefix("Benchmarking ").strip()
    lost = f"benchmark '{name}' was begun and has no time; was the file cut? run cargo bench again"
    assert read("criterion-text", *lines[:at]).problems == [(begun, lost)]
    cut = lines[at][: lines[at].index("]") - 3]
    shown = f"'{cut.strip()}' is cut or not as cargo prints it; line skipped"
    assert read("criterion-text", *lines[:at], cut).problems == [(begun, lost), (at + 1, shown)]
