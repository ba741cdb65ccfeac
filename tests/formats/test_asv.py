"""airspeed velocity: every combination of parameters, and what has no value."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.formats.reader import Reading
from tests.columns import counts
from tests.readings import read, values

DATA = Path(__file__).parents[1] / "data" / "asv"


def of(name: str) -> Reading:
    return read((DATA / name).read_text(encoding="utf-8"), name)


def test_each_combination_of_parameters_is_a_value() -> None:
    """The last parameter runs fastest; samples stand for their result; a name begins with what is measured."""
    reading = of("a1b2c3d4.json")
    assert values(reading) == [
        ("sort.Sorting.time_sort", "time", 0.001, "s/op"),
        ("sort.Sorting.time_sort", "time", 0.002, "s/op"),
        ("sort.Sorting.time_sort", "time", 0.004, "s/op"),
        ("sort.peakmem_sort", "memory_peak", 1048576.0, "B"),
        ("sort.time_samples", "time", 0.4, "s/op"),
        ("sort.time_samples", "time", 0.5, "s/op"),
        ("sort.time_samples", "time", 0.6, "s/op"),
        ("sort.track_swaps", "track_swaps", 42.0, ""),
    ]
    assert [(facts.get("param1"), facts.get("param2")) for facts in reading.configurations[:4]] == [
        ("quick", "10"), ("quick", "1000"), ("merge", "10"), ("merge", "1000"),
    ]  # fmt: skip
    facts = {"machine": "atom", "python": "3.11", "numpy": "1.26", "run": "a1b2c3d4e5"}
    assert facts.items() <= reading.configurations[0].items()
    assert counts(reading.rows.iterations)[:3] == [100, 50, 10]
    assert reading.series[0].data == ("time", 0.0009, 0.0011, 0.99)
    assert reading.problems == [
        (10, "1 of 4 results of sort.Sorting.time_sort have no value: failed or left out"),
        (14, "sort.time_broken failed; record left out"),
    ]


@pytest.mark.parametrize(
    ("date", "dated"),
    [
        ("1735689600000", [("recorded", "a", ("2025-01-01T00:00:00+00:00",))]),
        *((date, []) for date in ("1e999", "-1", "true", '"today"', "null")),
    ],
)
def test_a_run_is_dated_by_its_commit(date: str, dated: list[object]) -> None:
    """A date that no calendar has dates nothing; the results are kept."""
    reading = read(f'{{"commit_hash": "a", "env_name": "b", "date": {date}, "results": {{"a.time_x": [[1]]}}}}')
    assert [(one.kind, one.name, one.data) for one in reading.series] == dated
    assert [row[2] for row in values(reading)] == [1.0]


@pytest.mark.parametrize(
    "written",
    [
        '{"arch": "x64", "cpu": "2-core", "machine": "atom", "os": "linux", "ram": "7GB", "version": 1}',
        '{"a.time_x": {"code": "pass", "param_names": [], "params": [], "type": "time"}, "version": 2}',
    ],
)
def test_what_stands_beside_results_is_no_problem(written: str) -> None:
    """machine.json and benchmarks.json hold no result."""
    reading = read(written)
    assert (values(reading), reading.problems, reading.lines.context) == ([], [], 1)


def test_older_files_name_no_columns() -> None:
    """A number alone, or an object with its result."""
    assert [row[2] for row in values(of("old.json"))] == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("written", ["[[1], [[1, 2]]]", '[["x"]]', "[[true]]", "[[1, 2], []]", '{"result": {}}', "[]"])
def test_what_does_not_fit_is_a_problem(written: str) -> None:
    """And nothing of it is kept."""
    reading = read(f'{{"commit_hash": "a", "env_name": "b", "results": {{"a.time_x": {written}, "a.time_y": [[1]]}}}}')
    assert ([row[0] for row in values(reading)], len(reading.problems)) == (["a.time_y"], 1)
