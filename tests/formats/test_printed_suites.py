"""Suites, as they print on a console."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchlib.formats import load

DATA = Path(__file__).parents[1] / "data" / "printed_suites"


def medians(file: str, metric: str, axis: str) -> dict[tuple[str, object], float]:
    """Return the values of a metric by benchmark and axis."""
    frame = load(DATA / file).frame
    frame = frame[frame["metric"] == metric]
    levels = frame[axis] if axis in frame else [""] * len(frame)
    axes = [level if isinstance(level, str) else "" if pd.isna(level) else f"{level:g}" for level in levels]
    return dict(zip(zip(frame["benchmark"], axes, strict=True), frame["value"], strict=True))


@pytest.mark.parametrize(
    ("file", "values", "metric", "axis", "expected"),
    [
        ("vitest.txt", 16, "time", "suite", {("normal sort", "sort"): 0.6552e-3, ("reverse", "sort"): 1.3331e-3}),
        ("vitest.txt", 16, "throughput", "", {("normal sort", ""): 1526.24, ("reverse", ""): 750.1}),
        (
            "divan.txt",
            16,
            "time",
            "argument",
            {
                ("add", ""): 0.219e-9,
                ("fib", "10"): 2.2e-9,
                ("fib", "20"): 1.25e-6,
                ("sort/merge", ""): 1.6e-3,
            },
        ),
        (
            "catch2.txt",
            4,
            "time",
            "",
            {
                ("Fibonacci 20", ""): 14.5934e-6,
                ("a benchmark of a name that is too long for its column", ""): 51.234e-6,
            },
        ),
        ("hyperfine.txt", 12, "time", "", {("sort words", ""): 12.8e-3, ("sort -u words", ""): 1.254}),
        ("hyperfine.txt", 12, "user_time", "", {("sort words", ""): 10.2e-3}),
        (
            "pytest-benchmark.txt",
            10,
            "time",
            "param",
            {("test_sort", "100"): 7.832e-6, ("test_sort", "10000"): 1181.87e-6},
        ),
        ("catch2.txt", 4, "time_stdev", "", {("Fibonacci 20", ""): 602.901e-9}),
        (
            "tinybench.txt",
            7,
            "time",
            "",
            {("faster task", ""): 24025.791819761525e-9, ("slower task", ""): 1207382.7838323202e-9},
        ),
        ("tinybench.txt", 7, "throughput", "", {("faster task", ""): 41621, ("third task", ""): 18562}),
    ],
)
def test_each_value_stands_beside_its_benchmark(
    file: str, values: int, metric: str, axis: str, expected: dict[tuple[str, object], float]
) -> None:
    """With its unit, whatever the suite chose for the row."""
    results = load(DATA / file)
    assert len(results.frame) == values
    assert not results.problems
    found = medians(file, metric, axis)
    assert {key: found[key] for key in expected} == pytest.approx(expected, rel=1e-12)


def test_a_time_of_one_digit_decides_nothing() -> None:
    """vitest prints 0.0001 and 0.0002 ms of benchmarks that differ by 4 %: their rates stand, and no such time."""
    frame = load(DATA / "vitest-fast.txt").frame
    assert set(frame["metric"]) == {"throughput", "time_max"}
    rates = frame[frame["metric"] == "throughput"].set_index("benchmark")["value"]
    assert rates["plain"] / rates["sorted"] == pytest.approx(7_000_000 / 6_720_000)


def test_a_command_that_failed_is_set_apart(tmp_path: Path) -> None:
    """hyperfine -i says below its times that some runs failed."""
    text = (DATA / "hyperfine.txt").read_text()
    (tmp_path / "a.txt").write_text(text.replace("Statistical outliers were detected", "Ignoring non-zero exit code"))
    results = load(tmp_path)
    assert set(results.frame["benchmark"]) == {"sort words"}
    assert set(results.failed["benchmark"]) == {"sort -u words"}


@pytest.mark.parametrize(
    ("file", "written", "damaged", "message"),
    [
        ("vitest.txt", "0.6552", "n/a", "no time in"),
        ("hyperfine.txt", "12.8 ms ±", "0.8 ms ±", "is not as the format 'hyperfine-text' says"),
        ("hyperfine.txt", "(min … max):    12.7 ms", "(min … max):", "is not as the format 'hyperfine-text' says"),
        ("pytest-benchmark.txt", "1,167.5500 (153.81)", "", "9 numbers where the head names 10"),
        ("divan.txt", "1.25 µs", "1.25 XX", "'1.25 XX' is no time"),
        ("divan.txt", "│ 100     │ 51200", "", "4 columns where divan prints 6"),
        ("catch2.txt", "14.5102 us    14.7708 us", "", "is no time with its bounds, as Catch2 prints it"),
    ],
)
def test_a_row_that_is_not_as_printed_is_a_problem(
    file: str, written: str, damaged: str, message: str, tmp_path: Path
) -> None:
    """Its values are not kept, the others are."""
    text = (DATA / file).read_text()
    (tmp_path / file).write_text(text.replace(written, damaged, 1))
    results = load(tmp_path / file)
    assert message in "; ".join(problem.message for problem in results.problems)
    assert 0 < len(results.frame) < len(load(DATA / file).frame)
