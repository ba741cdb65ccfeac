"""What two levels say: a factor and its efficiency, beside figures, and not where a curve has told it already."""

from __future__ import annotations

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.latency import OperatingAnswer
from benchlib.report.load_blocks import under_load
from benchlib.report.wording.growth_words import growth_table
from tests.shipped_studies import summary

CAPTION = "Throughput from the smallest to the largest level of"


def operating(asked: ExecutiveSummary) -> OperatingAnswer:
    """The sweeps of a summary."""
    assert isinstance(asked.operating, OperatingAnswer)
    return asked.operating


def shown(asked: ExecutiveSummary) -> str:
    """What stands under the heading of load, without its figures."""
    return "".join(str(one) for one in under_load(asked) if hasattr(one, "__html__"))


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
