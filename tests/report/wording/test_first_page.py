"""The words of a first page: few, in the right direction, hedged, and none twice."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchlib
from benchlib.answers.bottleneck import BottleneckAnswer
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.evidence import Evidence
from benchlib.effects.additive import Slope
from benchlib.effects.plain_effects import LevelRatio
from benchlib.report.sections import bottleneck
from benchlib.report.wording.bottleneck import bottleneck_table
from benchlib.report.wording.cards.choice import MOST_TARGETS, cards
from benchlib.report.wording.claims import claims_findings, claims_table, places_table
from benchlib.report.wording.effects_words import breakdown_words
from benchlib.report.wording.first_page import MOST_ALERTS, MOST_CHANGES, changed, first_alerts, to_do
from benchlib.report.wording.headline import verdict
from benchlib.report.wording.plan_headline import plan_in_short
from benchlib.report.wording.sentences import _ratio, _slope
from benchlib.statistics.estimates import Estimate
from tests.shipped_studies import NAMES, summary
from tests.synthetic import around, go_text, make_study


def estimate(low: float, value: float, high: float, unit: str = "sec/op") -> Estimate:
    """An estimate with these ends."""
    return Estimate(
        value=value, low=low, high=high, unit=unit, confidence_level=0.95, n=6, method="", standard_error=math.nan
    )


def level_ratio(found: Estimate) -> LevelRatio:
    """A level beside its baseline."""
    return LevelRatio(
        factor="bits", level=64, baseline=32, estimate=found, lowest=found.low, highest=found.high, n_matched=4
    )


ENDS = st.lists(st.floats(-1, 1), min_size=3, max_size=3, unique=True).map(sorted)


@given(ends=ENDS)
def test_a_slope_costs_saves_or_shows_nothing(ends: list[float]) -> None:
    """By its interval alone: never a cost that may be none, never a negative cost."""
    slope = Slope(
        factor="outputs", slice={}, estimate=estimate(*ends), fixed=estimate(0, 1, 2), relative_error=0.01,
        degrees_of_freedom=4, n_cells=6,
    )  # fmt: skip
    told = _slope(slope, "")
    low, _, high = ends
    if low <= 0 <= high:
        assert "costs nothing that these cells show" in told
    elif high < 0:
        assert " saves " in told
        assert "−" not in told
    else:
        assert " costs " in told
        assert "nothing" not in told


@given(ends=st.lists(st.floats(0.05, 20), min_size=3, max_size=3, unique=True).map(sorted))
def test_a_ratio_differs_only_where_its_interval_leaves_1_out(ends: list[float]) -> None:
    """Else it is not told as a difference, but with its numbers."""
    told = _ratio(level_ratio(estimate(*ends, unit="x")), "time per operation")
    assert ("is not shown to differ" in told) is (ends[0] <= 1 <= ends[2])
    assert ("takes" in told) is not ("is not shown to differ" in told)


@pytest.mark.parametrize("name", NAMES)
def test_a_first_page_is_short_and_says_nothing_twice(name: str) -> None:
    """At most three changes, none of them the verdict again; three alerts and a count; one thing to do."""
    asked = summary(name)
    said = verdict(asked)
    lines = changed(asked, said)
    assert len(lines) <= MOST_CHANGES
    assert len(set(lines)) == len(lines)
    assert not [one for one in lines if one.rstrip(".") in said]
    alerts = first_alerts(asked)
    every = [one.message for one in asked.caveats if one.severity == "alert"]
    assert set(alerts[:MOST_ALERTS]) <= set(every)
    if len(every) > MOST_ALERTS:
        assert f"and {len(every) - MOST_ALERTS} more alert" in alerts[-1]
    assert to_do(asked)


@pytest.mark.parametrize("name", NAMES)
def test_an_alert_of_each_kind_comes_before_a_second_of_one(name: str) -> None:
    """What a reader has to know of is not hidden behind its like."""
    asked = summary(name)
    kinds = list(dict.fromkeys(one.code for one in asked.caveats if one.severity == "alert"))
    told = first_alerts(asked)
    for code in kinds[:MOST_ALERTS]:
        assert any(one.message in told for one in asked.caveats if one.code == code)


def test_what_misses_its_target_comes_first() -> None:
    """lplex: the cards of missed targets, with value, interval, change and bound, and what to mend."""
    asked = summary("lplex")
    first = cards(asked)[0]
    assert (first.value, first.change) == ("3 allocs/op", "against old: no change")
    assert first.target == "Target at most 0 allocs/op: FAIL, 5 of 5 cells"
    assert to_do(asked).startswith(
        "Meet the target “decoding allocates nothing” (Decode, VesselHeading: 3 allocs/op, bound at most 0 allocs/op). "
    )
    assert sum(bool(one.target) for one in cards(asked)) == MOST_TARGETS


def test_a_loss_that_is_not_shown_is_not_told_as_one() -> None:
    """Twins of the token SDK: lost where the interval leaves 0 out, else no loss shown."""
    asked = summary("token-sdk")
    table = bottleneck_table(asked.breakdowns, asked.bottleneck)
    assert table is not None
    assert isinstance(asked.bottleneck, BottleneckAnswer)
    lost = [row for row in table.rows if row[2] == "serial twin"]
    twins = [row for row in asked.bottleneck.rows if row.concurrency > 1]
    assert len(lost) == len(twins)
    for told, row in zip(lost, twins, strict=True):
        assert ("no loss shown" in told[1]) is (row.loss.share_lost.low <= 0 <= row.loss.share_lost.high)


def test_shares_by_rows_that_the_study_does_not_trust_say_so() -> None:
    """What the study keeps out of its curves carries its reason in the table, in the words and among the caveats."""
    asked = summary("token-sdk")
    (one,) = asked.breakdowns
    why = "measured while the machine was busy, for two seconds at each level"
    assert one.left_out == why
    assert [(said.code, said.severity) for said in one.caveats if why in said.message] == [("doubted-rows", "warning")]
    table = bottleneck_table(asked.breakdowns, asked.bottleneck)
    assert table is not None
    shares = [row for row in table.rows if row[2] != "serial twin"]
    assert len(shares) == 2
    assert all(row[2].endswith(f" ({why})") for row in shares)
    assert all(line.endswith(f"; kept out of the scaling curves: {why}") for line in breakdown_words(one))
    page = "".join(map(str, bottleneck(asked).blocks))
    assert f"its shares rest on rows that the study keeps out of its curves ({why})" in page
    assert [one.left_out for one in summary("lplex").breakdowns] == [""] * 2


def test_claims_are_counted_and_those_that_fail_are_quoted() -> None:
    """Two of the published adapter's six are contradicted, each with its source and its numbers."""
    claims = summary("onix-adapter-published").claims
    lines = claims_findings(claims, Evidence(rows=(), formula=""))
    assert lines[0] == "Of 6 claims of earlier reports: 2 contradicted and 4 not testable."
    assert len(lines) == 3
    row = next(one for one in claims_table(claims).rows if "eight times" in one[0])
    assert row[1:] == (
        "contradicted",
        "BAPCaller_Discover_Parallel against BAPCaller_Discover, time",
        "4.0x",
        "95 %: 2.5x to 5.5x, Welch's t on 6 values",
    )
    every = places_table(claims)
    assert every is not None
    assert len([one for one in every.rows if "four actions" in one[0]]) == 4
    assert places_table([replace(one, findings=one.findings[:1]) for one in claims]) is None


def test_a_plan_says_in_its_own_sentence_why_its_curves_are_not_to_be_trusted() -> None:
    """What its answers warn of stands before its counts, and the advice of an alert on its curves before the plan."""
    served = to_do(summary("http-endpoints"))
    doubts = "as far as these curves can be trusted (no law holds the points)"
    assert f" take, {doubts}, 4 nodes of " in served
    published = to_do(summary("onix-adapter-published"))
    advice = "Find out which of the two measures what users feel before planning with either."
    assert published.startswith(f"{advice} For 50,000/s with ")
    assert published.count(advice) == 1
    doubts = "gomaxprocs 16 exceeds the 10 cores measured"
    assert f" take, as far as these curves can be trusted ({doubts}), 13 nodes of 2 cores " in published
    plan = summary("http-endpoints").plan
    assert isinstance(plan, PlanningAnswer)
    sound = replace(plan, loads=tuple(replace(one, caveats=()) for one in plan.loads))
    assert " take 4 nodes of " in plan_in_short(sound)


def test_a_file_that_lost_all_its_results_is_an_alert(tmp_path: Path) -> None:
    """Beside one that was read: the page is no longer without a word on its front."""
    lost = "".join(f"BenchmarkEncode{number}\tmany\t1 ns/op\n" for number in range(3))
    made = make_study(tmp_path, good=go_text({"Encode": around(100)}), lost=f"goos: linux\n{lost}")
    asked = benchlib.executive_summary(made)
    assert asked.status == "WARN"
    assert "lost.txt: every result is lost to a problem" in first_alerts(asked)
    assert to_do(asked).startswith("Mend the files named and load again")


def test_where_every_call_fails_in_part_the_failures_are_the_verdict(shared_samples: Path) -> None:
    """k6 with 6.6 % of errors: no medians follow, and none are promised."""
    asked = benchlib.executive_summary(benchlib.open_study(shared_samples / "other" / "k6"))
    assert verdict(asked) == (
        "Every value rests on calls of which some failed, and none is used: 264 of 3,978 calls of “summary”."
    )
