"""pyperf: values of every process, in their unit; warm-ups and calibrations are context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.formats import load
from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.suites import PYPERF

DATA = Path(__file__).parents[1] / "data" / "pyperf"


def read(*runs: object, **metadata: object) -> Reading:
    """Read one benchmark of these runs."""
    benchmark = {"metadata": {"name": "b", **metadata}, "runs": runs}
    return PYPERF.read(TextFile("a.json", [json.dumps({"benchmarks": [benchmark], "version": "1.0"})]))


def test_values_of_all_processes_without_warm_ups() -> None:
    """3 benchmarks of 4 processes of 3 values (jq); the first run of each only calibrates."""
    results = load(DATA / "old.json")
    assert results.frame["benchmark"].value_counts().to_dict() == {"fib10": 12, "fib15": 12, "sort": 12}
    assert results.frame["value"].iloc[0] == 1.553966882322788e-05
    assert set(results.frame.loc[results.frame["benchmark"] == "fib15", "iterations"]) == {2048}
    lines = results.files[0].lines
    assert (lines.data, lines.context, lines.total) == (12, 3, 15)
    assert not results.problems


def test_a_single_benchmark_has_its_name_in_the_shared_metadata() -> None:
    """What all benchmarks share is written once: with one benchmark that is its name too."""
    results = load(DATA / "single.json")
    assert results.frame["benchmark"].value_counts().to_dict() == {"timeit": 20}
    assert (results.files[0].lines.data, results.files[0].lines.context) == (10, 1)


def test_memory_is_memory() -> None:
    """The unit of the metadata decides what was measured."""
    frame = load(DATA / "memory.json").frame
    assert set(frame["metric"]) == {"memory"}
    assert set(frame["unit"]) == {"B/op"}
    assert frame["value"].tolist() == [13209600, 13099008]


def test_inner_loops_count() -> None:
    """A value is the mean of loops times inner_loops operations."""
    assert list(read({"values": [1.0]}, loops=4, inner_loops=10).rows.iterations) == [40.0]


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (3, "a run that is no object"),
        ({}, "a run without values or warm-ups"),
        ({"values": [1, None]}, "a value of b is missing"),
        ({"values": [1, "2"]}, 'values is "2", not a number'),
        ({"values": 1}, "values is 1, not a list"),
        ({"values": [1], "metadata": {"unit": "parsec"}}, "unit 'parsec'"),
    ],
)
def test_a_bad_run_is_a_problem_and_leaves_no_value(run: object, said: str) -> None:
    """Each says what is wrong, and the run beside it is read."""
    reading = read(run, {"values": [0]})
    assert said in reading.problems[0][1]
    assert (reading.lines.problem, list(reading.rows.value)) == (1, [0.0])


def test_only_warm_ups_is_a_problem() -> None:
    """A file that only calibrated says so."""
    reading = read({"warmups": [[1, 0.5]]})
    assert reading.problems[0][0] == 0
    assert "warm-up" in reading.problems[0][1]
