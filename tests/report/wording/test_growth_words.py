"""What two levels say: a factor and its efficiency, beside figures, and not where a curve has told it already."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.latency import OperatingAnswer
from benchlib.report.load_blocks import under_load
from benchlib.report.sections import key_results
from benchlib.report.wording.growth_words import growth_finding, growth_table
from benchlib.report.wording.told import marks_of
from tests.shipped_studies import summary

CAPTION = "Throughput from the smallest to the largest level of"


def operating(asked: ExecutiveSummary) -> OperatingAnswer:
    """The sweeps of a summary."""
    assert isinstance(asked.operating, OperatingAnswer)
    return asked.operating


def shown(asked: ExecutiveSummary) -> str:
    """What stands under the heading of load, without its figures."""
    return "".join(str(one) for one in under_load(asked) if hasattr(one, "__html__"))


def test_whether_a_second_worker_helps_is_answered_in_a_sentence() -> None:
    """The middle curve of the token SDK's sender with its interval, and the range of all six."""
    asked = summary("token-sdk")
    main = operating(asked).main
    assert main is not None
    line = growth_finding(main, "workers")
    assert line.startswith(f"From 1 to 2 workers throughput of {main.middle.name} goes from ")
    assert f"an efficiency of {100 * main.middle.efficiency:.0f} %" in line
    ends = f"{main.lowest.factor.value:.2f}x to {main.highest.factor.value:.2f}x"
    assert line.endswith(f"; it is the middle one of 6 curves, which grow {ends}")
    assert {mark.evidence for mark in marks_of(line)} == {
        main.middle.evidence, main.evidence, main.lowest.evidence, main.highest.evidence,
    }  # fmt: skip
    assert "goes from " in "".join(map(str, key_results(asked).blocks))
    alone = growth_finding(replace(main, curves=1), "workers")
    assert "curves" not in alone
    assert "it is one of 2 curves" in growth_finding(replace(main, curves=2), "workers")


def test_each_curve_has_a_row_but_those_that_the_study_keeps_out() -> None:
    """Those of the busy machine are drawn with their reason, and stand in no table; one measurement has no interval."""
    asked = summary("token-sdk")
    grown = [
        (bool(panel.left_out), line.growth)
        for panel in operating(asked).panels
        for line in panel.lines
        if line.growth is not None
    ]
    kept, busy = (growth_table([one for out, one in grown if out is wanted], "workers") for wanted in (False, True))
    assert (len(kept.rows), len(busy.rows)) == (6, 18)
    assert {row[-1] for row in kept.rows} == {"3 + 3"}
    assert {(row[5], row[-1]) for row in busy.rows} == {("none", "1 + 1")}
    assert f"<caption>{CAPTION} workers</caption>" in shown(asked)
    assert str(busy.rows[0][0]) not in shown(asked).partition(f"<caption>{CAPTION}")[2]


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter", "onix-adapter-published", "reference"])
def test_a_curve_that_has_its_step_efficiencies_above_has_no_row(name: str) -> None:
    """It would be said twice."""
    asked = summary(name)
    assert operating(asked).main is None
    assert CAPTION not in shown(asked)
