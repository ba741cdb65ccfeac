"""hyperfine: every execution is a value, an exit code other than 0 is a failure, a CSV is one sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.suites import HYPERFINE, HYPERFINE_CSV

DATA = Path(__file__).parents[1] / "data" / "hyperfine"


def read(**fields: object) -> Reading:
    """Read one result with these fields."""
    return HYPERFINE.read(TextFile("a.json", json.dumps({"results": [{"command": "ls", **fields}]}).split("\n")))


def test_every_time_of_every_command() -> None:
    """4 commands of 10 times each (jq '.results[].times|length'), with the means of user and system time."""
    results = load(DATA / "params.json")
    counts = results.frame.groupby("metric", observed=True).size().to_dict()
    assert counts == {"time": 40, "user_time": 4, "system_time": 4}
    assert sorted(results.frame["n"].unique()) == [100000, 1000000]
    assert results.frame["value"].iloc[0] == 0.10745660086000001
    assert set(results.frame["unit"]) == {"sec/op"}
    assert results.files[0].lines.data == results.files[0].lines.total == 4
    assert not results.problems


def test_the_line_of_a_value_is_that_of_its_result() -> None:
    """Each result starts at a line of its own."""
    lines = (DATA / "params.json").read_text().splitlines()
    for line in load(DATA / "params.json").frame["line"].unique():
        assert "command" in lines[line]


def test_executions_that_failed_are_set_apart() -> None:
    """Three of four commands exit with 1 or 137: 24 times and their 6 means are no results."""
    results = load(DATA / "failures.json")
    assert (results.frame["metric"] == "time").sum() == 8
    assert (results.failed["metric"] == "time").sum() == 24
    assert len(results.failed) == 30
    assert {one.code for one in results.caveats} == {"failed-results"}


def test_a_missing_exit_code_is_a_failure() -> None:
    """A command ended by a signal has no exit code."""
    reading = read(times=[1.0, 2.0], exit_codes=[0, None])
    assert list(reading.rows.errors) == [0.0, 1.0]


def test_memory_of_each_execution() -> None:
    """Newer versions write the peak memory of each execution."""
    reading = read(times=[1.0, 2.0], memory_usage_byte=[1024, 2048], exit_codes=[0, 0])
    assert list(reading.rows.metric) == ["time", "time", "memory", "memory"]
    assert list(reading.rows.value) == [1.0, 2.0, 1024.0, 2048.0]


def test_without_times_the_median_is_one_sample() -> None:
    """A summary is one sample; a zero is a value."""
    assert list(read(median=0, mean=3).rows.value) == [0.0]
    assert list(read(mean=3).rows.value) == [3.0]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "neither times nor a median"),
        ({"times": "x"}, 'times is "x", not a list'),
        ({"times": [1, "x"]}, 'times is "x", not a number'),
        ({"times": [True]}, "times is true, not a number"),
        ({"times": [1, 2], "exit_codes": [0]}, "2 times beside 1 exit codes"),
        ({"times": [1], "parameters": [1]}, "parameters is an object, not an object"),
        ({"times": [1], "command": ""}, "a result without a command"),
    ],
)
def test_a_bad_result_is_a_problem_and_leaves_no_value(fields: dict[str, object], said: str) -> None:
    """What is wrong is said, and no half of a record is kept."""
    reading = read(**fields)
    assert not len(reading.rows)
    assert reading.lines.problem == 1
    assert said.replace("parameters is an object", "parameters is a list") in reading.problems[0][1]


def test_a_missing_time_is_left_out_and_told() -> None:
    """null among the times is missing, not zero."""
    reading = read(times=[1.0, None], exit_codes=[0, 0])
    assert list(reading.rows.value) == [1.0]
    assert "time 2" in reading.problems[0][1]


def test_csv_is_one_sample_a_command() -> None:
    """The median is the sample, as it would be of the times; the rest stands beside it."""
    results = load(DATA / "params.csv")
    assert (results.frame["metric"] == "time").sum() == 4
    assert results.frame["value"].iloc[0] == 0.10809611386000001
    assert len(results.frame) == 28
    assert (results.files[0].lines.data, results.files[0].lines.context) == (4, 1)


def test_the_json_beside_a_csv_is_read_instead() -> None:
    """One recording in two files counts once."""
    results = load(DATA, exclude=["failures*"])
    assert (results.frame["metric"] == "time").sum() == 40
    assert "superseded-file" in {one.code for one in results.caveats}


def test_a_damaged_csv_line_is_a_problem() -> None:
    """Cut lines and words for numbers are told, one a line."""
    lines = (DATA / "params.csv").read_text().splitlines()
    lines[1] = lines[1][:40]
    lines[2] = lines[2].replace("0.01522737386", "fast")
    lines[3] = '"open quote'
    reading = HYPERFINE_CSV.read(TextFile("a.csv", lines))
    assert (reading.lines.problem, reading.lines.data, reading.lines.total) == (3, 1, 5)
    assert [line for line, _ in reading.problems] == [2, 3, 4]
