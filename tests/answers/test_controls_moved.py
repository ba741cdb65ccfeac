"""Whether controls moved is asked of the whole study: no condition turns a doubt into a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchlib.answers.claims import check_claims
from benchlib.answers.comparison import compare_study, comparison_study, controls_moved
from benchlib.answers.executive import executive_summary
from benchlib.answers.refusal import Refusal
from benchlib.study import open_study
from tests.shipped_studies import DATA
from tests.synthetic import around, go_text, make_study

RUNS = '[configuration]\npaths = ["{run}.txt"]\n'


@pytest.mark.parametrize("where", ["", "run=new", "benchmark=Decode"])
def test_a_target_on_time_stays_open_where_controls_of_the_whole_study_moved(where: str) -> None:
    """A condition that leaves out the controls, or a side, turns no WARN into FAIL; counts are judged as before."""
    targets = [
        one for one in executive_summary(open_study(DATA / "lplex", where=where)).targets if one.sample is not None
    ]
    times = [one for one in targets if one.metric == "time"]
    assert times
    assert all(one.status != "FAIL" for one in times)
    assert times[0].reason == "missed, but in a recording whose controls moved"
    assert "FAIL" in {one.status for one in targets if one.metric == "allocations"}


@pytest.mark.parametrize("col", ["", "run"], ids=["as the study asks", "of a column"])
def test_a_comparison_under_a_condition_hears_the_controls_outside(tmp_path: Path, col: str) -> None:
    """The whole stays beside what a condition leaves of it, also where a column is named."""
    asked = '[[compare]]\ncolumn = "run"\nbaseline = "old"\ncontrols = ["benchmark=Still*"]\n'
    before = go_text({"A": around(8), **{f"Still{one}": around(5) for one in range(6)}})
    after = go_text({"A": around(9), **{f"Still{one}": around(8) for one in range(6)}})
    opened = make_study(tmp_path, RUNS + asked, old=before, new=after)
    study = comparison_study(opened, where="benchmark=A", col=col, baseline="old" if col else "")
    assert controls_moved(study, compare_study(study))
    assert not controls_moved(replace(study, whole=study.results), compare_study(study))


def test_a_target_is_missed_under_a_condition_where_controls_stayed(tmp_path: Path) -> None:
    """Nothing is doubted for being narrowed."""
    asked = (
        '[[compare]]\ncolumn = "run"\nbaseline = "old"\ncontrols = ["benchmark=Still"]\n'
        '[[targets]]\nname = "t"\nwhere = "benchmark=A"\nmetric = "time"\nat_most = "7 ns"\n'
    )
    text = go_text({"A": around(8), "Still": around(5)})
    study = make_study(tmp_path, RUNS + asked, "run=new", old=text, new=text + "\n")
    assert [one.status for one in executive_summary(study).targets] == ["FAIL"]


def test_claims_on_time_are_doubted_as_on_the_whole_study(tmp_path: Path) -> None:
    """As targets are."""
    asked = (
        '[[compare]]\ncolumn = "run"\nbaseline = "old"\ncontrols = ["benchmark=Still*"]\n'
        '[[claims]]\ntext = "A takes 7 ns"\nsource = "a page"\nabout = "median"\n'
        'where = "benchmark=A"\nmetric = "time"\nat_most = "7 ns"\n'
    )
    before = go_text({"A": around(8), **{f"Still{one}": around(5) for one in range(6)}})
    after = go_text({"A": around(9), **{f"Still{one}": around(8) for one in range(6)}})
    study = make_study(tmp_path, RUNS + asked, "run=new", old=before, new=after)
    nothing = Refusal(question="", reason="", advice="")
    compared = compare_study(study)
    moved = controls_moved(study, compared)
    (claim,) = check_claims(study, scaling=nothing, comparisons=compared, latency=nothing, moved=moved)
    assert claim.verdict == "not decided"
