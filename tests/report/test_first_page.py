"""What a first page says and draws: few words, in the right direction, hedged, and none twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.caveats import caveat
from benchlib.report import sections
from benchlib.report.hero import hero
from benchlib.report.sections import bottleneck, headline, key_results
from benchlib.report.wording.bottleneck import bottleneck_table
from benchlib.report.wording.cards.choice import MOST_CARDS, MOST_TARGETS, cards
from benchlib.report.wording.cards.comparison import comparison_cards
from benchlib.report.wording.claims import claims_findings, claims_table, places_table
from benchlib.report.wording.comparison.cells import reason_words
from benchlib.report.wording.comparison.sentences import comparison_findings, comparison_verdict
from benchlib.report.wording.curve_words import grown_words, told_growth
from benchlib.report.wording.effects_words import breakdown_words
from benchlib.report.wording.first_page import MOST_ALERTS, MOST_CHANGES, changed, first_alerts, to_do
from benchlib.report.wording.headline import banner, verdict
from benchlib.report.wording.scaling_words import capacity_findings
from benchlib.report.wording.tables import comparison_table, targets_table
from benchlib.report.wording.targets import measured_words
from benchlib.report.wording.words import figure
from benchlib.study import Study
from benchlib.units import confidence
from tests.comparison_answers import ALSO, decided, drifted, make_answer, make_row
from tests.comparison_answers import around as scattered
from tests.shipped_studies import NAMES, summary, words
from tests.synthetic import SIX, around, go_text, make_study, make_table

# The words of a first page: few, in the right direction, hedged, and none twice


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
    assert verdict(asked).startswith(
        "Every value rests on calls of which some failed, and none is used: 264 of 3,978 calls of "
    )


# Sentences, cards and tables made from answers


KINDS = '[[compare]]\nname = "kinds"\ncolumn = "kind"\nbaseline = "a"\n'


def comparison(of: Study) -> ComparisonAnswer:
    """The one comparison of a study."""
    (answer,) = benchlib.compare_study(of)
    assert isinstance(answer, ComparisonAnswer)
    return answer


# DEFECT (change() by _change() in report/wording/tables.py): "infx less".
def test_a_table_says_what_fell_to_none(tmp_path: Path) -> None:
    """From 5 allocations to 0 there is no factor."""
    rows = [("B", "a", "allocations", 5, "allocs/op"), ("B", "b", "allocations", 0, "allocs/op")]
    answer = comparison(make_table(tmp_path, "benchmark kind metric value unit", rows, KINDS))
    assert not re.search(r"inf|nan|∞", str(comparison_table(answer).rows))


# DEFECT (effects_verdict() in report/wording/sentences.py takes ratios[0] of none): IndexError.
def test_factors_that_move_together_do_not_break_the_page(tmp_path: Path) -> None:
    """Bits and outputs that always rise together have neither slope nor ratio: said, not raised."""
    rows = [
        ("B", bits, outputs, "time", 10 * bits * repeat, "us/op")
        for bits, outputs in ((32, 1), (64, 2), (96, 3))
        for repeat in (0.99, 1.0, 1.01)
    ]
    plan = '[effects]\nfactors = ["bits", "outputs"]\nmetrics = ["time"]\nby = ["benchmark"]\n'
    made = benchlib.executive_summary(make_table(tmp_path, "benchmark bits outputs metric value unit", rows, plan))
    for name in sections.__all__:
        getattr(sections, name)(made)
    assert "confounded" in {one.code for one in made.caveats}


@pytest.mark.parametrize("name", NAMES)
def test_there_are_four_to_six_cards(name: str) -> None:
    """Each with a label, a value, how sure it is, and no value that is no word."""
    chosen = cards(summary(name))
    assert 4 <= len(chosen) <= MOST_CARDS
    for one in chosen:
        assert one.label
        assert one.value
        assert not re.search(r"\bnan\b|\binf\b|None", f"{one.value} {one.interval} {one.note}")


@pytest.mark.parametrize("name", NAMES)
def test_the_banner_states_status_and_reason(name: str) -> None:
    """In words, not by colour alone; the verdict ends as a sentence does."""
    found = summary(name)
    told = str(banner(found).striptags())
    assert found.status in told
    assert verdict(found).endswith(".")
    assert "\n" not in verdict(found)


def test_a_leading_question_without_an_answer_is_named() -> None:
    """And no other is answered in its place, which nobody asked."""
    told = verdict(benchlib.executive_summary(benchlib.open_study("data/token-sdk", where="benchmark=Sender")))
    assert "an extra output costs" in told
    assert told.endswith(" Not told: how throughput grows (no benchmark was measured at 3 or more levels of workers).")
    assert "csp against bulletproof" not in told


def test_a_study_that_answers_nothing_says_so(tmp_path: Path) -> None:
    """One measurement: a verdict all the same, and a page of one-line refusals."""
    text = go_text({"Decode": [8]})
    made: ExecutiveSummary = benchlib.executive_summary(make_study(tmp_path, "", a=text))
    assert verdict(made).startswith("3 values from 1 file; without a study.toml")
    defined = benchlib.executive_summary(make_study(tmp_path, 'title = "t"\n', a=text))
    assert "answer none of the questions of this study" in verdict(defined)
    for name in ("scaling", "effects", "comparison", "latency"):
        assert "Not answered: " in str(getattr(sections, name)(made).blocks[0])


@pytest.mark.parametrize("name", NAMES)
def test_caveats_stand_on_the_page_with_their_advice(name: str) -> None:
    """All of them, in words for their severity."""
    told = words(name, "caveats").replace("|", "").replace("\u00a0", " ")
    for one in summary(name).caveats:
        assert f"{ {'alert': 'Alert', 'warning': 'Caution', 'note': 'Note'}[one.severity] }: {one.message}" in told
        assert one.advice in told


def test_targets_name_bound_verdict_and_measurement(tmp_path: Path) -> None:
    """With its interval where there is one."""
    definition = '[[targets]]\nname = "fast"\nwhere = ""\nmetric = "time"\nat_most = "7 ns"\n'
    made = make_study(tmp_path, definition, a=go_text({"Decode": around(8)}))
    (line,) = targets_table(benchlib.check_targets(made)).rows
    assert line[0] == "fast"
    assert line[1] == "at most 7 ns"
    assert "FAIL" in line[3]
    assert line[4] == "8.01 ns/op"
    assert "7.9" in str(line[5])


# What stands on a page is what its study asks


def test_a_recommendation_is_never_an_empty_section(tmp_path: Path) -> None:
    """Nor a heading with nothing below."""
    rows = [("Encode", "time", value, "ns/op") for value in (10.0, 10.1, 10.2, 10.0, 10.1, 10.2, 10.1)]
    summary = benchlib.executive_summary(make_table(tmp_path, "benchmark metric value unit", rows, ""))
    [only] = sections.recommendation(summary).blocks
    assert "Nothing here asks for more before the next decision." in str(only)


# Targets in the first sentence and in what to do: a name that is a claim, what was measured, the bound


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


# Sentences, cards and banner of a comparison say what its verdicts say, and no more


MOVED = re.compile(r"\d+\.\d\dx (?:faster|slower)")


def slower_row(n: int = 10, ratio: float = 1.4, name: str = "Encode", **stated: Any) -> ComparisonRow:
    """A row that is slower by far more than it scatters."""
    return make_row(name, scattered(1e-6, n=n), scattered(1e-6 * ratio, ALSO, n=n), **stated)


def everything(answer: ComparisonAnswer) -> list[str]:
    """Findings, banner and cards, each as one text."""
    cards = [f"{one.label}: {one.value} ({one.interval})" for one in comparison_cards(answer, ())]
    return [*comparison_findings(answer), comparison_verdict(answer), *cards]


@pytest.mark.parametrize(
    "reason",
    [
        "all rows moved alike",
        "moved while recorded",
        "no control speaks for it",
        "not shown to exceed",
        "one of many",
        "smaller than matters",
        "within what controls did",
    ],
)
def test_a_verdict_that_was_taken_back_is_not_told_as_a_change(reason: Any) -> None:
    """Its interval leaves 1 out, and yet there is no verdict: the factor stands as measured, with the reason."""
    row = slower_row(verdict="cannot tell", own="worse", reason=reason)
    assert row.noticeable
    for line in everything(make_answer([row])):
        assert "no verdict" in line
        assert not MOVED.search(line) or "as measured" in line
    (line,) = comparison_findings(make_answer([row]))
    assert line == (
        "Encode: no verdict on time per operation of new against old: 1.40x slower as measured (1.40 µs/op against "
        f"1.001 µs/op, n = 10 each; {reason_words(reason)})"
    )


@pytest.mark.parametrize("n", [1, 3])
def test_too_few_values_are_told_as_measured(n: int) -> None:
    """Published figures stay on the page, with their n and without a verdict."""
    row = make_row(
        "Encode", scattered(1e-6, n=n), scattered(1.4e-6, n=n), verdict="cannot tell", reason="too few values"
    )
    findings, _, card = everything(make_answer([row]))
    assert "Encode: new is 1.40x slower than old in time per operation as measured (" in findings
    assert f"n = {n} each: no verdict)" in findings
    assert card == f"new against old: time per operation, Encode: 1.40x slower (as measured, n = {n} each: no verdict)"


def test_controls_that_moved_are_the_banner_only_where_nothing_clears_them() -> None:
    """A row that its control lets stand is told."""
    assert comparison_verdict(drifted()).startswith("These recordings cannot tell: ")
    moved = caveat("controls-moved", "5 of 5 benchmarks that the change cannot affect differ")
    told = comparison_verdict(replace(decided(), caveats=(moved,)))
    assert "cannot tell: 5 of 5" not in told


def test_shipped_banners_follow_the_verdicts() -> None:
    """Of http-endpoints and token-sdk, whose comparisons have verdicts."""
    for name in ("http-endpoints", "token-sdk", "heavy-read-api-published", "onix-adapter-published"):
        for answer in summary(name).comparisons:
            assert isinstance(answer, ComparisonAnswer)
            decided_rows = [row for row in answer.rows if row.verdict in ("better", "worse")]
            for line in everything(answer) if not decided_rows else []:
                assert not MOVED.search(line) or "no verdict" in line, line


# One curve in a few words: how it grows, where it peaks, and nothing that reads as its opposite


LEVELS = (1, 2, 4, 8, 16)


def sweep(folder: Path, rates: Sequence[float], *, repeats: Sequence[float] = SIX, cores: int | None = None) -> Study:
    """A study of one endpoint at five levels of workers."""
    rows = [
        ("get", level, rate * one, place)
        for level, rate in zip(LEVELS, rates, strict=True)
        for place, one in enumerate(repeats)
    ]
    definition = f'[scaling]\nconcurrency = "workers"\n{f"[environment]{chr(10)}cores = {cores}" if cores else ""}\n'
    folder.mkdir(exist_ok=True)
    return make_table(folder, "benchmark workers throughput(req/s) run", rows, definition)


def curve(study: Study) -> CurveAnswer:
    """The one curve of a study."""
    answer = benchlib.fit_scaling(study)
    (found,) = answer.curves
    return found


def test_of_a_curve_that_falls_the_peak_is_told(tmp_path: Path) -> None:
    """From end to end it grows 1.3x, which hides both the growth and the fall."""
    study = sweep(tmp_path, [100, 200, 380, 250, 130])
    one = curve(study)
    told = grown_words([one], named=False)
    assert told == f"From 1 worker throughput grows {figure(one.best_growth)} up to 4 workers, then falls by 66 % to 16"
    speedup, point = told_growth(one)
    assert speedup.value == pytest.approx(3.8)
    assert point.concurrency == 4
    first = cards(benchlib.executive_summary(study))[0]
    assert first.label.startswith("Best speedup")
    assert first.value == figure(speedup)
    assert "from 1 worker to 4" in first.note


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter", "reference"])
def test_no_level_before_the_fall_told_is_higher_than_the_best(name: str) -> None:
    """Where a later median exceeds that of the best level, the words say up to where."""
    answer = summary(name).scaling
    assert isinstance(answer, ScalingAnswer)
    for one in (curve for curve in answer.curves if curve.shape.kind == "retrograde"):
        best = next(point for point in one.points if point.concurrency == one.shape.best_level)
        beyond = [point for point in one.points if point.throughput.value > best.throughput.value]
        assert not beyond or ", no further up to " in grown_words([one])


def test_the_smallest_level_is_no_advice(tmp_path: Path) -> None:
    """Its balance is 1 by definition: it wins wherever the first step gains less than √2, whatever comes then."""
    found = benchlib.executive_summary(sweep(tmp_path, [100, 130, 180, 240, 330], cores=16))
    (capacity,) = found.capacity.curves
    assert capacity.returns.recommended == 1
    assert not capacity.advised
    assert not [one for one in cards(found) if one.label.startswith("Best balance")]
    assert "balance" not in f"{verdict(found)} {to_do(found)}"
    assert "no larger level has a better balance" in capacity_findings(found.capacity)[0]


# The one figure of a first page: which one, what is marked on it, and how its rows were chosen


HEADS = "benchmark workers metric value unit"


def amdahl_sweep(folder: Path, definition: str) -> go.Figure:
    """The figure of a sweep that grows by Amdahl's law from 100 to 308 operations a second at 4 workers."""
    rows = [
        ("B", n, "throughput", rate * (1 + 0.01 * place), "op/s")
        for n, rate in ((1, 100), (2, 182), (4, 308))
        for place in range(3)
    ]
    study = make_table(folder, HEADS, rows, f'[scaling]\nconcurrency = "workers"\n{definition}')
    (figure,) = hero(benchlib.executive_summary(study))
    return figure


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_study_has_one_figure_right_after_its_cards(name: str) -> None:
    """It stands third on the page, is low enough for A4, and says in words what it shows."""
    (figure,) = hero(summary(name))
    assert isinstance(headline(summary(name)).blocks[2], go.Figure)
    assert figure.layout.height <= 350
    assert len(figure.layout.meta["alt"]) > 40
    assert figure.layout.meta["caption"].endswith(".")


def test_a_study_without_answers_has_no_figure(tmp_path: Path) -> None:
    """Nothing is drawn of what was not asked."""
    assert hero(benchlib.executive_summary(make_study(tmp_path, a=go_text({"Decode": around(8)})))) == ()


def test_today_is_marked_where_it_was_measured(tmp_path: Path) -> None:
    """The ring stands on the median of the level."""
    figure = amdahl_sweep(tmp_path, "today = 2\n")
    (ring,) = (one for one in figure.data if one.name == "today")
    assert (ring.x[0], ring.y[0]) == (2, pytest.approx(183.82))
    assert "Ring: where it runs today." in figure.layout.meta["caption"]
    assert any(one.text == "today: 2" for one in figure.layout.annotations)


def test_a_folder_of_which_nothing_is_asked_shows_its_medians(tmp_path: Path) -> None:
    """The dozen largest, each with its interval, and how they were chosen; what only lies there has no key results."""
    times = {f"B{place}": around(10.0 * place) for place in range(1, 15)}
    asked = benchlib.executive_summary(make_study(tmp_path, run=go_text(times)))
    (figure,) = hero(asked)
    told = "Medians of time per operation, the 12 of 14 cells with the largest. Bar: interval at 95 %."
    assert figure.layout.meta["caption"] == told
    assert list(figure.layout.yaxis.ticktext) == [f"B{place}" for place in range(14, 2, -1)]
    assert figure.layout.xaxis.title.text == "time per operation, ns/op"
    assert list(figure.data[0].x) == pytest.approx([10.0 * place * 1.001 for place in range(14, 2, -1)], rel=1e-3)
    assert all(figure.data[0].error_x.array)
    assert all(figure.data[0].error_x.arrayminus)
    assert (key_results(asked).title, key_results(asked).blocks) == ("", ())
