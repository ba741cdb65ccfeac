"""JSON of one's own whose records lie below others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchlib.errors import InputError
from benchlib.formats import load
from benchlib.results import Results


def read(folder: Path, root: object, indent: int | None = None) -> Results:
    (folder / "out.json").write_text(json.dumps(root, indent=indent) + "\n")
    return load(folder)


def rows_of(results: Results, *axes: str) -> list[tuple[Any, ...]]:
    columns = [*axes, "metric", "unit", "value"]
    return [tuple(row) for row in results.frame[columns].itertuples(index=False)]


def test_lists_below_the_top_are_read_with_what_stands_above_them(tmp_path: Path) -> None:
    """Nested objects are taken apart; a number above the records is a setting or none of theirs."""
    root = {
        "generated_at": "2026-07-11",
        "total_ms": 1234.5,
        "cases": [
            {
                "case": {"slug": "two-sum", "title": "Two Sum", "seconds_left": 7},
                "threads": threads,
                "measurements": [
                    {"lang": lang, "runtime": {"mean_ms": 10.5 / threads + number, "runs": 50}}
                    for number, lang in enumerate(("c", "go"))
                ],
            }
            for threads in (1, 2)
        ],
    }
    results = read(tmp_path, root, indent=1)
    assert results.files[0].format == "json-records"
    assert rows_of(results, "threads", "lang") == [
        (1, "c", "latency_mean", "sec", pytest.approx(10.5e-3)),
        (1, "go", "latency_mean", "sec", pytest.approx(11.5e-3)),
        (2, "c", "latency_mean", "sec", pytest.approx(5.25e-3)),
        (2, "go", "latency_mean", "sec", pytest.approx(6.25e-3)),
    ]
    lines = (tmp_path / "out.json").read_text().split("\n")
    assert all(lines[line - 1].strip() == "{" for line in results.frame["line"])
    assert not results.problems


def test_objects_by_name_are_benchmarks(tmp_path: Path) -> None:
    """Several of the same keys, which measure something."""
    results = read(tmp_path, {"results": {"encode": {"time_ms": 1.5}, "decode": {"time_ms": 2.5}}, "version": {"a": 1}})
    assert rows_of(results, "benchmark") == [
        ("encode", "time", "sec", pytest.approx(1.5e-3)),
        ("decode", "time", "sec", pytest.approx(2.5e-3)),
    ]


def test_two_lists_of_one_document_stay_apart(tmp_path: Path) -> None:
    """Which list a record stands in is an axis; keys of one name are told apart by those above them."""
    root = {
        "read": [{"size": 1, "time": {"p99_ms": 1.5}, "wait": {"p99_ms": 0.5}}],
        "write": [{"size": 1, "time": {"p99_ms": 2.5}, "wait": {"p99_ms": 0.25}}],
    }
    found = [row[:1] + row[3:] for row in rows_of(read(tmp_path, root), "list")]
    assert found == [
        ("read", pytest.approx(1.5e-3)),
        ("read", pytest.approx(0.5e-3)),
        ("write", pytest.approx(2.5e-3)),
        ("write", pytest.approx(0.25e-3)),
    ]


def test_a_list_of_numbers_within_a_record_is_told(tmp_path: Path) -> None:
    """It may be samples; the format can be declared."""
    results = read(
        tmp_path, {"runs": [{"name": "a", "time_ms": 1.5, "samples": [1, 2]}, {"name": "b", "time_ms": 2.5}]}
    )
    assert len(results.frame) == 2
    assert "'samples' is a list within a record" in results.problems[0].message


@pytest.mark.parametrize(
    "root",
    [
        {"username": "x", "password": "54321"},
        {"scripts": {"a": {"b": 1}, "c": {"b": 2}}, "list": [{"id": 1}, {"id": 2}]},
        {"distance": 12.5, "route": [1, 2, 3], "num_chunks": 4},
        {"steps": [{"name": "a", "timeout": "30 s"}]},
        {"a": [{"b": [{"c": []}]}]},
    ],
)
def test_documents_without_a_measure_are_refused(root: object, tmp_path: Path) -> None:
    """No key of a record names a metric of which a number is told."""
    with pytest.raises(InputError):
        read(tmp_path, root)
