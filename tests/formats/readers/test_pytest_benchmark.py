"""pytest-benchmark: every round where they were saved, the median where they were not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.readers.pytest_benchmark import PytestBenchmark
from benchlib.formats.reading import Reading, TextFile

DATA = Path(__file__).parents[2] / "data" / "pytest_benchmark"


def read(*tests: object, **document: object) -> Reading:
    """Read a file of these tests."""
    whole = {"machine_info": {}, "benchmarks": tests, **document}
    return PytestBenchmark().read(TextFile("a.json", [json.dumps(whole)]))


def test_every_round_with_its_parameters() -> None:
    """4, 4 and 3 rounds (jq '.benchmarks[].stats.data|length'), and one float of extra_info twice."""
    results = load(DATA / "with_data.json")
    frame = results.frame
    assert frame.groupby("metric", observed=True).size().to_dict() == {"time": 11, "ratio": 2}
    assert set(frame["benchmark"]) == {"test_sum", "TestGroup::test_sort"}
    assert set(frame.loc[frame["benchmark"] == "test_sum", "kind"]) == {"a", "b"}
    assert set(frame["file"]) == {"test_bench.py"}
    assert frame["iterations"].iloc[0] == 10
    assert not results.problems


def test_without_rounds_the_median_is_one_sample() -> None:
    """5 tests, each its median, mean, deviation and extremes; 20 iterations in each of 4688 rounds."""
    results = load(DATA / "without_data.json")
    frame = results.frame
    assert frame.groupby("metric", observed=True).size().to_dict() == dict.fromkeys(
        ["time", "time_mean", "time_stdev", "time_min", "time_max"], 5
    )
    assert frame["value"].iloc[0] == 4.276500021660468e-07
    assert frame["iterations"].iloc[0] == 93760
    assert set(frame["cpu"]) == {"AMD EPYC"}
    assert "commit" not in results.axes
    assert results.files[0].lines.data == 5


def test_the_commit_is_an_axis() -> None:
    """Two files of two commits can be told apart."""
    test = {"fullname": "t.py::test_a", "stats": {"data": [1.0]}}
    assert read(test, commit_info={"id": "abc"}).configurations[0]["commit"] == "abc"


def test_a_parameter_called_run_is_an_axis_of_its_own() -> None:
    """The columns run and benchmark are not a parameter's to fill."""
    test = {"fullname": "t.py::test_a[1]", "params": {"run": 1, "benchmark": "x"}, "stats": {"data": [1.0]}}
    configuration = read(test).configurations[0]
    assert configuration["benchmark"] == "test_a"
    assert (configuration["run_axis"], configuration["benchmark_axis"]) == (1, "x")


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ({"stats": {"mean": 1}}, "without a name"),
        ({"name": "t"}, "has no data, median or mean"),
        ({"name": "t", "stats": 3}, "stats is 3, not an object"),
        ({"name": "t", "stats": {"data": ["1"]}}, 'stats.data is "1", not a number'),
        ({"name": "t", "stats": {"median": "fast"}}, 'median is "fast", not a number'),
        ("t", "without a name"),
    ],
)
def test_a_bad_test_is_a_problem(test: object, said: str) -> None:
    """Each says what is wrong, and the test beside it is read."""
    reading = read(test, {"name": "good", "stats": {"mean": 2}})
    assert said in reading.problems[0][1]
    assert (reading.lines.problem, list(reading.rows.value)) == (1, [2.0])


def test_a_missing_round_is_left_out_and_told() -> None:
    """null is missing, zero is a value."""
    reading = read({"name": "t", "stats": {"data": [None, 0]}})
    assert list(reading.rows.value) == [0.0]
    assert "round 1 of t" in reading.problems[0][1]
