"""A study that is narrowed says nothing of the rows outside."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import benchlib
from benchlib.answers.comparison import comparison_study
from benchlib.answers.executive import ExecutiveSummary, executive_summary
from benchlib.answers.quality import assess_quality
from benchlib.cli import main
from benchlib.study import open_study
from tests.shipped_studies import DATA
from tests.synthetic import around, go_text, make_study

RUNS = '[configuration]\npaths = ["{run}.txt"]\n'
FAILED = "--- FAIL: BenchmarkLost\n    lost_test.go:9: connection refused\nFAIL\n"


@cache
def narrowed(name: str, where: str) -> ExecutiveSummary:
    """The summary of a shipped study under a condition."""
    return executive_summary(open_study(DATA / name, where=where))


def alerts(study: benchlib.study.Study) -> list[str]:
    """Who is said to have failed."""
    return [one.message.partition(":")[0] for one in study.results.caveats if one.code == "failed-results"]


def test_values_are_said_to_be_from_the_files_that_hold_them() -> None:
    """400 values of one endpoint are of its 40 files, though 125 were read; all of these stay listed."""
    quality = narrowed("http-endpoints", "endpoint=json").quality
    assert (quality.sources, len(quality.files)) == (40, 125)
    assert narrowed("http-endpoints", "").quality.sources == 125


@pytest.mark.parametrize(
    ("name", "where", "outside"),
    [("http-endpoints", "endpoint=json", "/flaky"), ("token-sdk", "benchmark=Sender bits=32", "AuditorServiceCheck")],
)
def test_nothing_is_advised_of_calls_that_failed_outside(name: str, where: str, outside: str) -> None:
    """Alerts and advice are of the rows that are left."""
    summary = narrowed(name, where)
    assert not summary.quality.failed
    assert all(one.code != "failed-results" and outside not in one.advice for one in summary.caveats)
    assert all(outside not in one.message for one in summary.caveats if one.severity == "alert")


@pytest.mark.parametrize(
    ("where", "failed"),
    [
        ("run=new", ["Lost"]),
        ("run=new benchmark=Lost", ["Lost"]),
        ("benchmark=Lost", ["Lost"]),
        ("metric=time", ["Lost"]),
        ("run=old", []),
        ("benchmark=Kept", []),
        ("benchmark!=Lost", []),
    ],
)
def test_a_benchmark_that_failed_without_a_row_is_told_where_it_is_asked_for(
    tmp_path: Path, where: str, failed: list[str]
) -> None:
    """It has no row to hold against a condition: its name is, and the rows of its file are."""
    kept = go_text({"Kept": around(8)})
    lost = go_text({"Lost": around(9)})
    if where == "run=new benchmark=Lost":
        kept += lost  # a condition that selects nothing at all is refused
    assert alerts(make_study(tmp_path, RUNS, where, old=kept + lost, new=kept + FAILED)) == failed


def test_problems_are_told_of_files_that_hold_a_row_or_none(tmp_path: Path) -> None:
    """Those of a file that is left out as a whole are not; a file without a row may belong to any condition."""
    bad = "BenchmarkBad\tmany\t8 ns/op\n"
    texts = {"old": go_text({"A": around(8)}) + bad, "new": go_text({"A": around(8)}) + bad, "none": bad}
    for where, told in {"": {"old.txt", "new.txt", "none.txt"}, "run=new": {"new.txt", "none.txt"}}.items():
        summary = executive_summary(make_study(tmp_path, RUNS, where, **texts))
        assert {one.source for one in summary.quality.problems} == told


def test_a_comparison_that_is_narrowed_says_nothing_of_files_outside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of a side's two files has no row that meets the condition: neither it nor its problem is counted."""
    bad = "BenchmarkBad\tmany\t8 ns/op\n"
    for side, time in (("old", 8), ("new", 9)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.txt").write_text(go_text({"A": around(time)}) + bad)
        (tmp_path / side / "b.txt").write_text(go_text({"B": around(time)}) + bad)
    sides = [str(tmp_path / "old"), str(tmp_path / "new")]
    study = comparison_study(*sides, where="benchmark=A")
    quality = assess_quality(study)
    assert study.where == "benchmark=A"
    assert [one.source for one in quality.problems] == ["old/a.txt", "new/a.txt"]
    assert (quality.sources, len(quality.files)) == (2, 4)
    assert len(assess_quality(comparison_study(*sides)).problems) == 4
    assert main(["compare", *sides, "--where", "benchmark=A"]) == 0
    told = "".join(capsys.readouterr())
    assert "old/a.txt" in told
    assert "b.txt" not in told
