"""criterion: samples are told by their folders, what lies beside them is context."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.readers.criterion import Criterion
from benchlib.formats.readers.criterion_text import CriterionText
from benchlib.formats.reading import Reading, TextFile

DATA = Path(__file__).parents[2] / "data"


def read(root: object, source: str = "fib/recursive/10/new/sample.json") -> Reading:
    """Read one file of a folder."""
    return Criterion().read(TextFile(source, [json.dumps(root)]))


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


def test_a_sample_without_folders_says_that_its_name_is_missing() -> None:
    """The file itself does not know what it measured."""
    results = load(DATA / "criterion" / "fib" / "recursive" / "15" / "new" / "sample.json")
    assert len(results.frame) == 20
    assert "no folder says" in results.problems[0].message


def test_the_sample_of_old_versions() -> None:
    """Before 0.3 a sample was a list of two lists."""
    file = TextFile("a/new/sample.json", ["[[2.0, 4.0], [10.0, 12.0]]"])
    assert Criterion().recognise(file) == "certain"
    assert list(Criterion().read(file).rows.value) == [5.0, 3.0]
    assert Criterion().recognise(TextFile("other.json", file.lines)) == "no"


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


def test_what_another_run_printed_stands_beside_the_folder(tmp_path: Path) -> None:
    """142 ns lies outside the samples of the folder (185 and more): it was another run, and is kept."""
    shutil.copytree(DATA / "criterion" / "fib", tmp_path / "fib")
    shutil.copy(DATA / "criterion_text" / "criterion.txt", tmp_path)
    frame = load(tmp_path).frame
    same = frame[(frame["benchmark"] == "fib") & (frame["function"] == "recursive") & (frame["input"] == 10)]
    assert len(same) == 21


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
    reading = CriterionText().read(TextFile("a.txt", lines))
    assert list(reading.rows.value) == [0.002, 2.5e6]
    assert list(reading.rows.unit) == ["ns/op", "elem/s"]
    assert (reading.lines.data, reading.lines.context, reading.problems) == (2, 5, [])


def test_a_time_of_no_benchmark_is_a_problem() -> None:
    """A log whose head was cut off does not give its value to the wrong name."""
    reading = CriterionText().read(TextFile("a.txt", ["                        time:   [1 ns 2 ns 3 ns]"]))
    assert reading.lines.problem == 1
    assert not len(reading.rows)
