"""Numbers in names of benchmarks are axes where they take several values, and nothing where they are part of a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.study import open_study


def axes_of(folder: Path) -> dict[str, list[object]]:
    """The levels of each axis that varies."""
    results = open_study(folder).results
    return {axis: list(results.levels(axis)) for axis in results.varying_axes}


def cells_of(folder: Path) -> list[tuple[object, ...]]:
    """Every row as its name, its levels and its value."""
    results = open_study(folder).results
    return [
        tuple(map(str, row)) for row in results.frame[["name", *sorted(results.axes), "value"]].itertuples(index=False)
    ]


@pytest.mark.parametrize(
    ("names", "axes"),
    [
        (
            [f"Find/input_size_{n}_goroutines_count_{g}" for n in (10, 100) for g in (1, 8)],
            {"input_size": [10, 100], "goroutines_count": [1, 8]},
        ),
        ([f"Find/Sample-{n}/{kind}" for n in (100, 1000) for kind in ("cold", "hot")],
         {"Sample": [100, 1000], "case": ["cold", "hot"]}),
        ([f"Find/{n}_bytes" for n in (8, 64)] + ["Find/empty"], {"bytes": [8, 64], "case": ["empty"]}),
        ([f"Find/64k/{n}" for n in (1, 16)] + ["Find/none"], {"number": [1, 16], "case": ["64k", "none"]}),
        # names with digits, a number that says which, and one value alone
        ([f"Hash/sha{n}" for n in (256, 512)], {"case": ["sha256", "sha512"]}),
        ([f"Find/v{n}" for n in (1, 7)], {"case": ["v1", "v7"]}),
        ([f"Find/step_{n}" for n in (1, 2, 3)], {"case": ["step_1", "step_2", "step_3"]}),
        (["Find/size_8", "Find/all"], {"case": ["size_8", "all"]}),
    ],
)  # fmt: skip
def test_numbers_in_sub_benchmarks_are_axes(names: list[str], axes: dict[str, list[object]], tmp_path: Path) -> None:
    """Of Go; study.toml can say the same, and another benchmark keeps its names."""
    lines = [f"Benchmark{name}-4 100 {100 + place} ns/op\n" for place, name in enumerate(names)]
    (tmp_path / "run.txt").write_text("".join(lines), encoding="utf-8")
    assert axes_of(tmp_path) == axes
    before = cells_of(tmp_path)
    assert main(["inspect", "--write", str(tmp_path)]) == 0
    assert cells_of(tmp_path) == before


def test_arguments_of_google_benchmark_are_axes(tmp_path: Path) -> None:
    """``BM_Copy/64/4`` has two; ``threads:2`` was one before."""
    names = [f"BM_Copy/{size}/{ways}/threads:{n}" for size in (64, 512) for ways in (1, 4) for n in (1, 2)]
    entries = [{"name": name, "run_name": name, "run_type": "iteration", "real_time": 5.0 + place, "cpu_time": 5.0,
                "time_unit": "ns", "iterations": 10} for place, name in enumerate(names)]  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps({"context": {"num_cpus": 2}, "benchmarks": entries}))
    assert axes_of(tmp_path) == {"number": [64, 512], "number2": [1, 4], "threads": [1, 2]}
    before = cells_of(tmp_path)
    assert main(["inspect", "--write", str(tmp_path)]) == 0
    assert cells_of(tmp_path) == before


def test_a_study_says_itself_what_names_mean(tmp_path: Path) -> None:
    """With a study.toml nothing is read into names: its conditions speak of cases as they were."""
    (tmp_path / "run.txt").write_text("".join(f"BenchmarkFind/size_{n} 100 5{n} ns/op\n" for n in (8, 64)))
    (tmp_path / "study.toml").write_text('title = "t"\n')
    assert axes_of(tmp_path) == {"case": ["size_8", "size_64"]}


@pytest.mark.parametrize("name", ["{", "}{", "/" * 300, "1/" * 200, "a1" * 200, "9" * 400, "1_" * 150, "size_1e308"])
def test_any_name_is_read(name: str, tmp_path: Path) -> None:
    """However it is written; and what is begun for it opens."""
    lines = [f"BenchmarkX/{name}{n}-2 10 {n} ns/op\n" for n in (5, 70)]
    (tmp_path / "run.txt").write_text("".join(lines), encoding="utf-8")
    open_study(tmp_path)
    assert main(["inspect", "--write", str(tmp_path)]) == 0
    open_study(tmp_path)
