"""pytest-benchmark: every round where they were saved, the median where they were not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.suites import PYTEST_BENCHMARK, PYTEST_BENCHMARK_CSV
from tests.columns import counts

DATA = Path(__file__).parents[1] / "data" / "pytest_benchmark"


def read(*tests: object, **document: object) -> Reading:
    """Read a file of these tests."""
    whole = {"machine_info": {}, "benchmarks": tests, **document}
    return PYTEST_BENCHMARK.read(TextFile("a.json", [json.dumps(whole)]))


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
        ({"name": "t"}, "has no median or mean"),
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


def test_a_csv_of_statistics_is_one_sample_a_test() -> None:
    """5 tests, each its median, mean, deviation and extremes; 200 operations each."""
    results = load(DATA / "statistics.csv")
    frame = results.frame
    assert frame.groupby("metric", observed=True).size().to_dict() == dict.fromkeys(
        ["time", "time_mean", "time_stdev", "time_min", "time_max"], 5
    )
    assert set(frame["benchmark"]) == {"test_sum", "test_upper", "TestGroup::test_sort"}
    assert set(frame["kind"].dropna()) == {"a,b", 'say "hi"'}
    assert frame["value"].iloc[0] == 1.0410003596916795e-07
    assert set(frame["iterations"]) == {200}
    assert not results.problems
    assert results.files[0].format == "pytest-benchmark-csv"


def test_a_csv_gives_way_to_the_json_of_its_run(tmp_path: Path) -> None:
    """The same 25 values, which the JSON has with its machine."""
    for name in ("statistics.csv", "statistics.json"):
        shutil.copy(DATA / name, tmp_path)
    results = load(tmp_path)
    assert len(results.frame) == 25
    assert set(results.frame["source"]) == {"statistics.json"}
    assert "superseded-file" in {one.code for one in results.caveats}


def test_a_csv_of_several_runs_says_that_they_cannot_be_told_apart() -> None:
    """``compare`` writes a line for each saved run, without its name."""
    lines = ["name,param:n,min,median,rounds", "t.py::test_a[1],1,1.0,2.0,3", "t.py::test_a[1],1,1.0,4.0,3"]
    reading = PYTEST_BENCHMARK_CSV.read(TextFile("a.csv", lines))
    assert reading.problems == [
        (
            3,
            "t.py::test_a[1] stands at line 2 too, and no column says of which run; read the saved JSON files instead",
        )
    ]
    assert [v for v, m in zip(reading.rows.value, reading.rows.metric, strict=True) if m == "time"] == [2.0, 4.0]
    assert set(counts(reading.rows.iterations)) == {None}


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
def test_a_csv_is_told_by_its_columns(lines: list[str], certainty: str) -> None:
    """A table of another tool with names and extremes is left to the general reader."""
    assert PYTEST_BENCHMARK_CSV.recognise(TextFile("a.csv", lines)) == certainty


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("t.py::test_a,1,2", "3 values under 4 columns"),
        ('t.py::test_a,1,2,"3', "an open quote under 4 columns"),
        ("t.py::test_a,fast,2,3", "column 'min': 'fast' is not a number"),
        ("t.py::test_a,1,,3", "t.py::test_a has no median or mean"),
        (",1,2,3", "a test without a name"),
    ],
)
def test_a_bad_line_of_a_csv_is_a_problem(line: str, message: str) -> None:
    """The test below it stands."""
    reading = PYTEST_BENCHMARK_CSV.read(TextFile("a.csv", ["name,min,median,ops", line, "t.py::test_b,1,2,3"]))
    assert reading.problems == [(2, f"{message}; record left out")]
    assert list(reading.rows.value) == [2.0, 1.0]
