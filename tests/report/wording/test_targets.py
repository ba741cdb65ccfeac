"""Targets in the first sentence and in what to do: a name that is a claim, what was measured, the bound."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import benchlib
from benchlib.answers.executive import ExecutiveSummary
from benchlib.report.wording.headline import verdict
from benchlib.report.wording.tables import targets_table
from benchlib.report.wording.targets import measured_words
from benchlib.units import confidence
from tests.synthetic import around, go_text, make_study


def asked(folder: Path, *bounds: str, **files: str) -> ExecutiveSummary:
    """A study whose targets are these, each named by its number."""
    targets = "".join(
        f'[[targets]]\nname = "A is quick {number}"\nwhere = "benchmark=A"\nmetric = "time"\nat_most = "{bound}"\n'
        for number, bound in enumerate(bounds, start=1)
    )
    return benchlib.executive_summary(make_study(folder, targets, **(files or {"run": go_text({"A": around(180)})})))


def test_a_missed_target_leads_the_sentence(tmp_path: Path) -> None:
    """By name, value and bound: FAIL is not beside a sentence that a PASS would have too."""
    found = asked(tmp_path, "150 ns")
    assert found.status == "FAIL"
    assert verdict(found) == "Target missed: “A is quick 1” (A: 180 ns/op, bound at most 150 ns)."


def test_an_open_target_says_why(tmp_path: Path) -> None:
    """Its interval holds the bound."""
    told = verdict(asked(tmp_path, "180.2 ns"))
    assert told.startswith("Target open: “A is quick 1” (A: 180 ns/op, bound at most 180.2 ns; ")
    assert "the interval of the median holds the bound" in told


def test_of_many_targets_those_missed_are_told(tmp_path: Path) -> None:
    """Two by name, the rest by number; kept ones are counted beside the verdict."""
    told = verdict(asked(tmp_path, "200 ns", "150 ns", "140 ns", "130 ns"))
    assert told.startswith("3 targets missed: “A is quick 2” (")
    assert told.endswith(") and 1 more.")
    assert "A is quick 1" not in told


def test_a_target_that_was_narrowed_away_is_not_tested(tmp_path: Path) -> None:
    """And says what was looked for."""
    definition = '[[targets]]\nname = "no"\nwhere = "benchmark=B"\nmetric = "time"\nat_most = "1 ns"\n'
    text = go_text({"A": around(1), "B": around(2)})
    found = benchlib.executive_summary(make_study(tmp_path, definition, "benchmark=A", run=text))
    assert verdict(found).startswith("Target not tested: “no” (")


def test_a_bound_that_is_missed_reads_as_missed(tmp_path: Path) -> None:
    """A median of 104 ns (103 to 140) carries two digits: 100 ns beside a bound of 102 ns would read as kept."""
    (answered, *_) = asked(tmp_path, "150 ns").targets
    assert answered.sample is not None
    median = replace(answered.sample.median, value=104e-9, low=103e-9, high=140e-9)
    target = replace(answered, bound="at most 102 ns", sample=replace(answered.sample, median=median))
    assert "104 ns/op, bound at most 102 ns" in measured_words(target)
    assert [re.sub("<[^>]*>", "", one) for one in targets_table([target]).rows[0][-2:]] == [
        "104 ns/op", f"{confidence(median.confidence_level)}: 103 to 140 ns/op",
    ]  # fmt: skip
    far = replace(target, bound="at most 50 ns")
    assert "100 ns/op, bound at most 50 ns" in measured_words(far)
