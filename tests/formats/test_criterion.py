"""criterion: samples are told by their folders, what lies beside them is context."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.criterion import CRITERION, CRITERION_CSV, CRITERION_MESSAGES, CRITERION_TEXT
from benchlib.formats.reader import Reading, TextFile

DATA = Path(__file__).parents[1] / "data"


def read(root: object, source: str = "fib/recursive/10/new/sample.json") -> Reading:
    """Read one file of a folder."""
    return CRITERION.read(TextFile(source, [json.dumps(root)]))


def test_samples_of_a_folder() -> None:
    """4 files of 20 samples, of which ``base`` repeats ``new``: 60 values of 3 benchmarks."""
    results = load(DATA / "criterion")
    frame = results.frame
    assert len(frame) == 60
    assert set(frame["run"]) == {"new"}
    assert frame.groupby(["benchmark", "input"], observed=True).size().to_dict() == {
        ("fib", 10): 20,
        ("fib", 15): 20,
        ("sum bytes_µ", 1024): 20,
    }
    first = frame[(frame["benchmark"] == "fib") & (frame["input"] == 10)]
    assert first["value"].iloc[0] == pytest.approx(5393688.0 / 31659.0 * 1e-9, rel=1e-12)
    assert first["iterations"].iloc[0] == 31659
    assert not results.problems
    assert {one.code for one in results.caveats} == {"repeated-file"}
    assert sum(one.lines.data for one in results.files) == 4
    assert sum(one.lines.context for one in results.files) == 13


def test_a_saved_baseline_is_a_run(tmp_path: Path) -> None:
    """--save-baseline gives a folder of that name, which is one side of a comparison."""
    folder = tmp_path / "target" / "criterion" / "fib" / "recursive" / "10"
    shutil.copytree(DATA / "criterion" / "fib" / "recursive" / "10" / "new", folder / "new")
    shutil.copytree(DATA / "criterion" / "fib" / "recursive" / "15" / "new", folder / "main")
    frame = load(tmp_path).frame
    assert set(frame["run"]) == {"new", "main"}
    assert set(frame["benchmark"]) == {"fib"}
    assert set(frame["input"]) == {10}


def test_reports_beside_the_samples_are_context(tmp_path: Path) -> None:
    """The pages and drawings that criterion makes are no results and no problems."""
    folder = tmp_path / "fib" / "report"
    folder.mkdir(parents=True)
    (folder / "index.html").write_text("<!DOCTYPE html>\n<html></html>\n")
    (folder / "pdf.svg").write_text('<svg width="1">\n</svg>\n')
    shutil.copytree(DATA / "criterion" / "fib" / "recursive" / "15" / "new", tmp_path / "fib" / "new")
    results = load(tmp_path)
    assert len(results.frame) == 20
    assert not results.problems


def test_a_sample_without_folders_is_no_damage() -> None:
    """The file itself does not know what it measured, and never says it: the table of formats does."""
    results = load(DATA / "criterion" / "fib" / "recursive" / "15" / "new" / "sample.json")
    assert len(results.frame) == 20
    assert results.problems == ()


def test_the_sample_of_old_versions() -> None:
    """Before 0.3 a sample was a list of two lists."""
    file = TextFile("a/new/sample.json", ["[[2.0, 4.0], [10.0, 12.0]]"])
    assert CRITERION.recognise(file) == "certain"
    assert list(CRITERION.read(file).rows.value) == [5.0, 3.0]
    assert CRITERION.recognise(TextFile("other.json", file.lines)) == "no"


@pytest.mark.parametrize(
    "root",
    [
        {"iters": [1], "times": []},
        {"iters": [0], "times": [1]},
        {"iters": [1], "times": ["x"]},
        {"iters": [1], "times": [None]},
        {"iters": {}, "times": [1]},
        [[1], [2], [3]],
        [1, 2],
        3,
    ],
)
def test_a_bad_sample_is_a_problem(root: object) -> None:
    """Not one value of a damaged sample is kept."""
    reading = read(root)
    assert not len(reading.rows)
    assert reading.lines.problem == reading.lines.total == 1


def test_what_criterion_prints() -> None:
    """8 benchmarks, 2 of them with a throughput; the middle of three numbers is the estimate."""
    results = load(DATA / "criterion_text" / "criterion.txt")
    assert results.frame.groupby("metric", observed=True).size().to_dict() == {"time": 8, "transfer": 2}
    assert results.frame["value"].iloc[0] == pytest.approx(142.28e-9)
    assert results.frame.loc[results.frame["metric"] == "transfer", "value"].iloc[0] == pytest.approx(5.5918 * 2**30)
    assert results.files[0].lines.data == 10
    assert set(results.frame["benchmark"]) == {"fib", "sum bytes"}


def test_libtest_lines_and_a_failure() -> None:
    """2 benchmarks give a time, 1 of them a rate; 1 panicked, which is a failure and told."""
    results = load(DATA / "criterion_text" / "libtest.txt")
    assert results.frame["value"].tolist() == pytest.approx([53518.67e-9, 0.75e-9, 8e12])
    assert results.frame["benchmark"].tolist() == ["encode::slow", "encode::sums", "encode::sums"]
    assert "encode::broken failed" in results.problems[0].message
    assert "failed-results" in {one.code for one in results.caveats}


def test_long_names_changes_and_elements() -> None:
    """A long name stands on a line of its own; a change is no result; elements are a throughput."""
    lines = [
        "a very long name of a group/with its function/1000000",
        "                        time:   [1.0000 ps 2.0000 ps 3.0000 ps]",
        "                        thrpt:  [1.0 Melem/s 2.5 Melem/s 3.0 Melem/s]",
        "                 change:",
        "                        time:   [-1.0% +2.0% +3.0%] (p = 0.04 < 0.05)",
        "                        thrpt:  [-1.0% +2.0% +3.0%]",
        "                        Performance has regressed.",
    ]
    reading = CRITERION_TEXT.read(TextFile("a.txt", lines))
    assert list(reading.rows.value) == [0.002, 2.5e6]
    assert list(reading.rows.unit) == ["ns/op", "elem/s"]
    assert (reading.lines.data, reading.lines.context, reading.problems) == (2, 5, [])


def test_a_time_of_no_benchmark_is_a_problem() -> None:
    """A log whose head was cut off does not give its value to the wrong name."""
    reading = CRITERION_TEXT.read(TextFile("a.txt", ["                        time:   [1 ns 2 ns 3 ns]"]))
    assert reading.lines.problem == 1
    assert not len(reading.rows)


def test_raw_csv_and_sample_of_one_run_are_one_measurement() -> None:
    """5 times 10 lines of raw.csv beside their samples, of which ``base`` repeats ``new``: 30 values."""
    results = load(DATA / "criterion_csv")
    frame = results.frame
    assert frame.groupby(["benchmark"], observed=True).size().to_dict() == {"alone": 10, "fib": 10, "sum bytes_µ": 10}
    assert set(frame["run"]) == {"new"}
    assert {one.code for one in results.caveats} == {"repeated-file"}
    assert not results.problems
    first = frame[frame["benchmark"] == "alone"].iloc[0]
    assert first["value"] == pytest.approx(4620795.0 / 43526 * 1e-9, rel=1e-15)
    assert (first["iterations"], first["line"]) == (43526, 2)


def test_raw_csv_alone_has_the_names_of_the_script(tmp_path: Path) -> None:
    """Copied out of its folders it still knows its group, function and input, with every sign of them."""
    shutil.copy(DATA / "criterion_csv" / "sum bytes_µ" / "1024" / "new" / "raw.csv", tmp_path / "today.csv")
    frame = load(tmp_path / "today.csv").frame
    assert len(frame) == 10
    assert (set(frame["benchmark"]), set(frame["input"])) == ({"sum bytes/µ"}, {1024})
    assert set(frame["name"]) == {"sum bytes/µ/1024"}
    assert set(frame["run"]) == {""}


@pytest.mark.parametrize(
    ("folder", "name", "same"),
    [
        ("a_b", "a/b", True),
        ("a_b_2", "a/b", True),
        ("a_b_x", "a/b", False),
        ("a", "a/b", False),
        ("µ" * 32, "µ" * 40, True),
        ("Sum", "sum", True),
    ],
)
def test_folders_are_told_by_criterions_rule(folder: str, name: str, same: bool, tmp_path: Path) -> None:
    """Other signs than letters become _, 64 bytes are kept, and one of two alike is numbered."""
    reading = CRITERION_CSV.read(TextFile(f"{folder}/new/raw.csv", [RAW, f"{name},,,,,10.0,ns,5"]))
    assert reading.configurations == [{"benchmark": folder, "run": "new"} if same else {"benchmark": name}]


RAW = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count"


def test_raw_csv_of_old_versions_and_of_other_measurements() -> None:
    """Once every value was a time in ns; a measurement of one's own names its unit."""
    old = TextFile("a.csv", ["group,function,value,sample_time_nanos,iteration_count", "g,f,10,30,3", "g,f,10,80,4"])
    assert CRITERION_CSV.recognise(old) == "certain"
    reading = CRITERION_CSV.read(old)
    assert (list(reading.rows.value), set(reading.rows.unit)) == ([10.0, 20.0], {"ns/op"})
    assert reading.configurations == [{"benchmark": "g", "function": "f", "input": "10"}]
    reading = CRITERION_CSV.read(TextFile("a.csv", [RAW, "g,,,,,30,cycles,3"]))
    assert (list(reading.rows.metric), list(reading.rows.unit)) == ([None], ["cycles/op"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("g,f,1,,,30,ns", "7 values under 8 columns"),
        ('g,f,1,,,30,ns,"3', "an open quote under 8 columns"),
        ("g,f,1,,,fast,ns,3", "'fast' is not a number"),
        ("g,f,1,,,30,ns,0", "a sample without a value or without iterations"),
        ("g,f,1,,,,ns,3", "a sample without a value or without iterations"),
        (",,,,,30,ns,3", "a sample without group, function and value"),
    ],
)
def test_a_bad_line_of_raw_csv_is_a_problem(line: str, message: str) -> None:
    """The sample below it stands."""
    reading = CRITERION_CSV.read(TextFile("a.csv", [RAW, line, "g,f,1,,,30,ns,3"]))
    assert reading.problems == [(2, f"{message}; record left out")]
    assert list(reading.rows.value) == [10.0]


def test_messages_of_cargo_criterion() -> None:
    """4 benchmarks of 10 samples on a line each, in their order; 3 groups, one with the sign between names."""
    results = load(DATA / "criterion_messages" / "messages.json")
    frame = results.frame
    assert frame.groupby("benchmark", observed=True).size().to_dict() == {"alone": 10, "fib": 20, "sum bytes/µ": 10}
    assert frame["value"].iloc[0] == pytest.approx(5841708.0 / 33868 * 1e-9, rel=1e-15)
    assert frame["iterations"].iloc[9] == 338680
    assert frame["position"].tolist() == list(range(40))
    assert set(frame["line"]) == {1, 3, 4, 6}
    lines = results.files[0].lines
    assert (lines.data, lines.context, lines.problem) == (4, 3, 0)


MESSAGE = {"reason": "benchmark-complete", "id": "a", "iteration_count": [2], "measured_values": [4.0], "unit": "ns"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": None}, "a benchmark without an id"),
        ({"id": 3}, "id is 3, not a text"),
        ({"iteration_count": None}, "0 of iteration_count beside 1 of measured_values"),
        ({"iteration_count": [], "measured_values": []}, "0 of iteration_count beside 0 of measured_values"),
        ({"iteration_count": [0]}, "a sample without a value or without iterations"),
        ({"measured_values": [None]}, "a sample without a value or without iterations"),
        ({"measured_values": ["x"]}, 'measured_values is "x", not a number'),
    ],
)
def test_a_bad_message_is_a_problem(changed: dict[str, object], message: str) -> None:
    """Not one sample of it is kept; the next message and the words of cargo around it do no harm."""
    lines = ["   Compiling demo", json.dumps({**MESSAGE, **changed}), json.dumps(MESSAGE)]
    file = TextFile("a.json", lines)
    assert CRITERION_MESSAGES.recognise(file) == "certain"
    reading = CRITERION_MESSAGES.read(file)
    assert reading.problems == [(2, f"{message}; record left out")]
    assert list(reading.rows.value) == [2.0]
    assert (reading.lines.data, reading.lines.problem, reading.lines.noise) == (1, 1, 1)


def test_a_cut_message_is_a_problem() -> None:
    """The end of a run that was stopped."""
    reading = CRITERION_MESSAGES.read(TextFile("a.json", [json.dumps(MESSAGE), json.dumps(MESSAGE)[:40]]))
    assert [(line, "not JSON" in message) for line, message in reading.problems] == [(2, True)]
    assert list(reading.rows.value) == [2.0]


def test_a_benchmark_that_was_begun_and_has_no_time_is_a_problem() -> None:
    """A report cut at a line end says what it lacks; so does a line cut within its times."""
    whole = (DATA / "criterion_text" / "criterion.txt").read_text()
    assert CRITERION_TEXT.read(TextFile("a.txt", text=whole)).problems == []
    lines = whole.split("\n")
    at = next(number for number, one in enumerate(lines) if "time:" in one)
    begun = next(number for number, one in enumerate(lines, 1) if one.startswith("Benchmarking "))
    name = lines[begun - 1].removeprefix("Benchmarking ").strip()
    lost = f"benchmark '{name}' was begun and has no time; was the file cut? run cargo bench again"
    assert CRITERION_TEXT.read(TextFile("a.txt", lines[:at])).problems == [(begun, lost)]
    cut = lines[at][: lines[at].index("]") - 3]
    shown = f"'{cut.strip()}' is cut or not as cargo prints it; line skipped"
    assert CRITERION_TEXT.read(TextFile("a.txt", [*lines[:at], cut])).problems == [(begun, lost), (at + 1, shown)]
