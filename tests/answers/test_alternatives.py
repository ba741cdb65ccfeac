"""Who is fastest, where names hold alternatives and cases; and who is not, where they hold something else."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.alternatives import AlternativesAnswer
from benchlib.document.numbers import words_of
from benchlib.tell.executive import executive

SIZES = {"small": 1.0, "large": 50.0}
WORK = {"parse": 1.0, "fourth_level": 0.2, "top_level": 0.3}


def summary_of(folder: Path, times: dict[str, float]) -> benchlib.ExecutiveSummary:
    """Summarise Rust's benchmarks of these times."""
    lines = [f"test tests::{name} ... bench: {time * 1000:,.0f} ns/iter (+/- 9)" for name, time in times.items()]
    (folder / "bench.txt").write_text("\n".join(["running 9 tests", *lines, ""]), encoding="utf-8")
    return benchlib.executive_summary(benchlib.open_study(folder))


def shootout(libraries: dict[str, float]) -> dict[str, float]:
    return {
        f"{library}_{size}_{work}": slow * SIZES[size] * WORK[work]
        for (library, slow), size, work in product(libraries.items(), SIZES, WORK)
    }


def test_the_fastest_alternative_of_a_shootout_is_named(tmp_path: Path) -> None:
    """Of names of one and two words, whatever their sizes and work are called."""
    times = shootout({"ajson": 3.0, "gjson": 1.0, "json_rust": 2.0})
    times["gjson_large_parse"] *= 2.5
    summary = summary_of(tmp_path, times)
    answer = summary.alternatives
    assert isinstance(answer, AlternativesAnswer)
    assert answer.cases == 6
    assert (answer.fastest, answer.slowest) == ({"gjson": 5, "json rust": 1}, {"ajson": 6})
    said = words_of(executive(summary).answer)
    assert said == "Gjson is fastest in 5 of 6 cases; ajson is slowest in 6."


def test_of_a_rate_the_most_is_fastest(tmp_path: Path) -> None:
    """In a table with an axis of alternatives and one of sizes."""
    rows = [f"{lib},{size},{rate / size}" for lib, rate in (("a", 90), ("b", 300), ("c", 20)) for size in (1, 10, 100)]
    (tmp_path / "a.csv").write_text("lib,dim,throughput_rps\n" + "\n".join(rows) + "\n", encoding="utf-8")
    said = words_of(executive(benchlib.executive_summary(benchlib.open_study(tmp_path))).answer)
    assert said == "B is fastest in 3 of 3 cases; c is slowest in 3."


@pytest.mark.parametrize(
    "times",
    [
        {"encode": 1.0, "sort": 2.0, "hash": 3.0},  # no case
        {f"copy_{size}_{way}": size for size in (1, 64, 512) for way in (1, 2, 3)},  # amounts are no alternatives
        shootout({"ajson": 3.0}) | {"gjson_stream": 9.0, "gjson_lines": 4.0},  # hardly a case that both have
    ],
)
def test_what_does_not_meet_in_cases_is_listed(tmp_path: Path, times: dict[str, float]) -> None:
    """From the least to the most, without a winner."""
    summary = summary_of(tmp_path, times)
    assert not isinstance(summary.alternatives, AlternativesAnswer)
    assert words_of(executive(summary).answer).startswith("Time per operation goes from ")
