"""google-benchmark: repetitions are values, aggregates repeat them, errors are failures."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.suites import GOOGLE_BENCHMARK, GOOGLE_BENCHMARK_CSV
from benchlib.formats.text import decode

DATA = Path(__file__).parents[1] / "data" / "google_benchmark"


def read(*records: object) -> Reading:
    """Read a file of these records."""
    return GOOGLE_BENCHMARK.read(TextFile("a.json", [json.dumps({"context": {}, "benchmarks": records})]))


def test_repetitions_and_nothing_of_their_aggregates() -> None:
    """25 repetitions succeed, 5 fail, 22 records are aggregates and fits (jq by run_type)."""
    results = load(DATA / "reps5.json")
    counts = results.frame.groupby("metric", observed=True).size().to_dict()
    assert counts == {"time": 25, "cpu_time": 25, "transfer": 15, "rate": 15}
    lines = results.files[0].lines
    assert (lines.data, lines.context, lines.problem) == (30, 22, 0)
    assert results.frame["value"].max() < 1e11
    # cv is a ratio of 0.15 though its unit says us: read as a time it would be 1.5e-7.
    assert not (results.frame["value"] == 1.5100495032812922e-07).any()
    assert set(results.frame["machine"]) == {"vm"}
    assert set(results.frame["build"]) == {"debug"}


def test_failed_repetitions_are_set_apart() -> None:
    """error_occurred stands beside a time of 0, which is no time."""
    results = load(DATA / "reps5.json")
    assert set(results.failed["benchmark"]) == {"BM_Err"}
    assert (results.failed["metric"] == "time").sum() == 5
    assert "BM_Err" not in set(results.frame["benchmark"])


def test_names_give_arguments_threads_and_timer() -> None:
    """Named arguments are axes, unnamed ones a case; the timer that was used is told."""
    frame = load(DATA / "named_args.json").frame
    assert set(frame["benchmark"]) == {"BM_Args", "BM_Tpl<int>", "BM_hash_mean"}
    assert set(frame.loc[frame["benchmark"] == "BM_Args", "n"]) == {8, 64}
    assert set(frame.loc[frame["benchmark"] == "BM_Args", "timer"]) == {"real_time"}
    assert set(frame.loc[frame["benchmark"] == "BM_Tpl<int>", "threads"]) == {2}
    assert set(frame.loc[frame["benchmark"] == "BM_hash_mean", "original_unit"]) == {"ms/op"}


def test_a_nan_counter_of_the_tool_is_missing() -> None:
    """The tool writes a bare NaN, which JSON does not have: the counter is missing, the rest is read."""
    results = load(DATA / "named_args.json")
    assert "nothing" not in set(results.frame["metric"])
    assert [(one.line, one.message) for one in results.problems] == [
        (39, "nothing of BM_Args/n:8/m:2/real_time is no number; left out"),
        (56, "nothing of BM_Args/n:64/m:2/real_time is no number; left out"),
    ]


def test_a_nan_of_an_aggregate_is_what_the_tool_writes() -> None:
    """Aggregates are context, and so is the NaN in them: a strict reading accepts the file."""
    record = {"name": "B", "run_name": "B", "run_type": "iteration", "real_time": 1, "time_unit": "ns"}
    aggregate = {"name": "B_cv", "run_name": "B", "run_type": "aggregate", "aggregate_name": "cv", "time_unit": "ns"}
    root = {"context": {}, "benchmarks": [record, {**aggregate, "real_time": math.nan, "cpu_time": math.nan}]}
    reading = GOOGLE_BENCHMARK.read(TextFile("a.json", text=json.dumps(root)))
    assert (reading.problems, reading.lines.data, reading.lines.context) == ([], 1, 1)


def test_runs_appended_to_one_json_are_all_read() -> None:
    """Two documents are two runs; the values keep their lines."""
    text = (DATA / "named_args.json").read_text()
    once = GOOGLE_BENCHMARK.read(TextFile("a.json", text=text))
    twice = GOOGLE_BENCHMARK.read(TextFile("a.json", text=text + text))
    assert list(twice.rows.value) == [*once.rows.value] * 2
    below = text.count("\n")
    assert list(twice.rows.line) == [*once.rows.line, *(one + below for one in once.rows.line)]
    assert max(twice.rows.configuration) == 2 * len(once.configurations) - 1
    assert twice.lines.data == 2 * once.lines.data


HEADER = (
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message"
)


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        ('"B",10,5,4,ns,,,,,', True),
        ('"B",10,5,4,ns,,,,,,"7"', False),
    ],
)
def test_an_open_last_line_of_csv_is_read_where_it_ends_as_the_others(last: str, kept: bool) -> None:
    """It has all its columns, and the last is empty like that above."""
    raw = f'{HEADER}\n"A",10,5,4,ns,,,,,\n{last}'.encode()
    reading = GOOGLE_BENCHMARK_CSV.read(decode(raw, "a.csv").file)
    assert ("B" in reading.rows.name.levels) == kept
    assert bool(reading.problems) != kept


def test_a_counter_cut_at_the_end_of_a_csv_is_no_number() -> None:
    """4 of 4096 is a number too."""
    header, above, last = f'{HEADER},"bytes"', '"A",10,5,4,ns,,,,,,4096', '"B",10,5,4,ns,,,,,,4'
    reading = GOOGLE_BENCHMARK_CSV.read(decode(f"{header}\n{above}\n{last}".encode(), "a.csv").file)
    assert list(reading.rows.name.levels) == ["A"]
    message = f"the last line has no end: was the file cut? if '{last}' is whole, end it with a line end"
    assert reading.problems == [(3, f"{message}; record left out")]


def test_of_aggregates_alone_the_median_is_the_sample() -> None:
    """16 aggregates of 4 benchmarks: 4 medians are read, 12 records are context."""
    results = load(DATA / "aggregates_only.json")
    assert (results.frame["metric"] == "time").sum() == 4
    lines = results.files[0].lines
    assert (lines.data, lines.context) == (4, 12)


def test_csv_tells_aggregates_by_name() -> None:
    """8 repetitions, 16 aggregates; a benchmark that is itself called ..._mean is not one of them."""
    results = load(DATA / "reps2.csv")
    assert results.frame.groupby("metric", observed=True).size().to_dict() == {
        "time": 8,
        "cpu_time": 8,
        "throughput": 4,
    }
    assert set(results.frame["benchmark"]) == {"BM_Args", "BM_Tpl<int>", "BM_hash_mean"}
    assert results.frame["value"].iloc[0] == pytest.approx(3.36761e-9, rel=1e-12)


def test_csv_fits_are_context_and_a_failure_is_told() -> None:
    """BigO and RMS are no times; the failed line leaves out its counters and is no damage."""
    results = load(DATA / "noreps.csv")
    assert (results.frame["metric"] == "time").sum() == 5
    lines = results.files[0].lines
    assert (lines.data, lines.context, lines.problem) == (5, 3, 1)
    assert "BM_Err failed (deliberate)" in results.problems[0].message
    assert "failed-results" in {one.code for one in results.caveats}


def test_words_of_the_console_before_the_header_are_context() -> None:
    """The console prints facts of the machine first."""
    lines = ["Run on (2 X 2596 MHz CPU s)", *(DATA / "noreps.csv").read_text().splitlines()]
    file = TextFile("a.csv", lines)
    assert GOOGLE_BENCHMARK_CSV.recognise(file) == "certain"
    assert GOOGLE_BENCHMARK_CSV.read(file).lines.data == 5


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (3, "a benchmark that is no object"),
        ({"real_time": 1}, "without a name"),
        ({"name": 1}, "name is 1, not a text"),
        ({"name": "B"}, "has no real_time"),
        ({"name": "B", "real_time": "1", "time_unit": "ns"}, 'real_time is "1", not a number'),
        ({"name": "B", "real_time": 1, "time_unit": "B"}, "time_unit of B is B"),
        ({"name": "B", "real_time": 1}, "time_unit of B is None"),
        ({"name": "B", "real_time": 1, "time_unit": "ns", "cpu_time": []}, "cpu_time is a list"),
        ({"name": "B", "error_occurred": True, "error_message": "why"}, "B failed (why)"),
    ],
)
def test_a_bad_record_is_a_problem(record: object, said: str) -> None:
    """Each says what is wrong, and the record beside it is read."""
    reading = read(record, {"name": "BM_Good", "real_time": 0, "time_unit": "ns"})
    assert said in reading.problems[0][1].replace("an object, not a number", "a list")
    assert (reading.lines.problem, reading.lines.data) == (1, 1)
    assert list(reading.rows.value) == [0.0]


def test_skipped_is_context() -> None:
    """SkipWithMessage is no failure and no result."""
    reading = read({"name": "B", "skipped": True}, {"name": "C", "real_time": 1, "time_unit": "s"})
    assert (reading.lines.context, reading.lines.data, reading.problems) == (1, 1, [])


def test_a_list_for_an_object_is_a_problem_of_the_file() -> None:
    """The outer shape is checked too."""
    reading = GOOGLE_BENCHMARK.read(TextFile("a.json", ['{"context": {}, "benchmarks": {"a": 1}}']))
    assert reading.lines.problem == reading.lines.total == 1


def test_a_label_is_an_axis_where_there_is_one() -> None:
    """SetLabel tells two variants of one name apart; an argument of that name keeps its place."""
    record = {"real_time": 1, "time_unit": "ns"}
    reading = read(
        {"name": "B", "label": "zstd -3", **record}, {"name": "C", "label": "", **record},
        {"name": "D/label:7", "label": "lz4", **record},
    )  # fmt: skip
    assert reading.configurations == [
        {"benchmark": "B", "label": "zstd -3"}, {"benchmark": "C"},
        {"benchmark": "D", "label": "7", "label_axis": "lz4"},
    ]  # fmt: skip
    lines = (DATA / "noreps.csv").read_text().splitlines()
    header = next(number for number, one in enumerate(lines) if one.startswith("name,"))
    column = lines[header].split(",").index("label")
    cells = lines[header + 1].split(",")
    cells[column] = '"zstd, -3"'
    table = GOOGLE_BENCHMARK_CSV.read(TextFile("a.csv", [lines[header], ",".join(cells), lines[header + 2]]))
    assert [one.get("label") for one in table.configurations] == ["zstd, -3", None]


def test_a_label_that_is_no_text_is_a_problem() -> None:
    """Not guessed at."""
    reading = read({"name": "B", "label": 3, "real_time": 1, "time_unit": "ns"})
    assert reading.problems == [(1, "label is 3, not a text; record left out")]
