"""What stands behind a number is what it was made of: medians, speedups and ratios follow from the values listed."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator

import pytest

from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.evidence import MOST_VALUES, Evidence, count_rows, count_values
from benchlib.answers.pooled import summary_evidence
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import fall_evidence, speedup_evidence, step_evidence
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.cards.choice import cards
from benchlib.report.wording.cards.comparison import comparison_cards
from benchlib.report.wording.comparison.sentences import comparison_findings, comparison_verdict
from benchlib.report.wording.effects_tables import cells_table
from benchlib.report.wording.markup import Table
from benchlib.report.wording.measured_tables import latency_table, sample_table
from benchlib.report.wording.told import Mark, Told, marks_of
from tests.shipped_studies import summary

#: Benchmarks of lplex that its control pkg=*/filter holds; all other controls are of pkg=*/pgn.
FILTER = ("Compile", "Match")
STUDIES = ("http-endpoints", "lplex", "onix-adapter", "token-sdk")


def medians(evidence: Evidence) -> list[float]:
    """The median of the values listed, and of one over them: throughput may be told from times."""
    values = [value for _, value in evidence.values]
    turned = [statistics.median(1 / one for one in values)] if all(values) else []
    return [statistics.median(values), *turned]


def holds(mark: Mark) -> bool:
    """Whether the number of a figure is the median of the values behind it, or one of them, as an end is."""
    assert mark.value is not None
    values = [value for _, value in mark.evidence.values]
    return any(math.isclose(mark.value, one, rel_tol=1e-9) for one in (*medians(mark.evidence), *values))


def listed(evidence: Evidence) -> bool:
    """Whether a page shows every value."""
    return bool(evidence.values) and count_values(evidence) == len(evidence.values)


def figures(table: Table) -> Iterator[tuple[str, Mark]]:
    """The figures of a table with a number of their own, by the head of their column."""
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            yield from ((column.head, mark) for mark in marks_of(cell) if mark.value is not None)


@pytest.mark.parametrize("name", STUDIES)
def test_medians_follow_from_the_values_listed(name: str) -> None:
    """Every cell of All measurements, of latency and of effects: the value, its ends and its n."""
    answers = summary(name)
    made = [sample_table(answers.samples)] if not isinstance(answers.samples, Refusal) else []
    if not isinstance(answers.latency, Refusal):
        made.append(latency_table(answers.latency))
    if not isinstance(answers.effects, Refusal):
        made += [table for _, table in cells_table(answers.effects)]
    checked = 0
    for head, mark in (one for table in made for one in figures(table)):
        if not listed(mark.evidence) or head == "p99 / p50":
            continue
        if head == "n":
            assert mark.value == len(mark.evidence.values), (name, head, mark)
        else:
            assert holds(mark), (name, head, mark)
        checked += 1
    assert checked > 30


@pytest.mark.parametrize("name", ["http-endpoints", "onix-adapter", "onix-adapter-published", "reference"])
def test_speedups_and_steps_follow_from_the_values_of_two_levels(name: str) -> None:
    """Of no other level is a row behind them."""
    scaling = summary(name).scaling
    assert not isinstance(scaling, Refusal)
    for curve in scaling.curves:
        first = curve.points[0]
        for before, point in zip((first, *curve.points), curve.points, strict=False):
            evidence = curve.evidence[point.concurrency]
            assert any(math.isclose(point.throughput.value, one, rel_tol=1e-9) for one in medians(evidence))
            ends = curve.evidence[first.concurrency].values + evidence.values
            assert set(speedup_evidence(curve, point.concurrency).values) == set(ends[:MOST_VALUES])
            if point is not first:
                step = curve.evidence[before.concurrency].values + evidence.values
                assert set(step_evidence(curve, point.concurrency).values) == set(step[:MOST_VALUES])
        best, last = curve.shape.best_level, curve.points[-1].concurrency
        assert set(fall_evidence(curve).rows) == {*curve.evidence[best].rows, *curve.evidence[last].rows}


#: What a card says of a level: a throughput with its unit.
_MEASURED = re.compile(r"[\d,.]+ [nµm]?\w+(?:/\w+)?")


@pytest.mark.parametrize("name", STUDIES)
def test_cards_lead_to_the_values_that_they_are_made_of(name: str) -> None:
    """A median in a card, and a change as the ratio of two medians, can be worked out from the rows shown."""
    for card in cards(summary(name)):
        for mark in _valued(card):
            if not listed(mark.evidence):
                continue
            values = [value for _, value in mark.evidence.values]
            pairs = [b / a for a in _by_half(values) for b in _by_half(values) if a]
            assert holds(mark) or any(math.isclose(mark.value or 0, one, rel_tol=1e-9) for one in pairs), (card, mark)


def _by_half(values: list[float]) -> list[float]:
    """The medians of the values before and after each place: two levels or sides stand one after the other."""
    places = range(1, len(values))
    return [statistics.median(half) for place in places for half in (values[:place], values[place:])]


def _valued(card: Card) -> Iterator[Mark]:
    for text in (card.value, card.note):
        if isinstance(text, Told):
            for mark in text.marks:
                shown = text[mark.start : mark.stop]
                if mark.value is not None and (_MEASURED.fullmatch(shown) or shown.endswith("x")):
                    yield mark


def test_what_is_counted_over_cells_stands_on_all_of_them() -> None:
    """The worst cell has its own rows, '5 of 5 cells' has those of all five."""
    missed = next(one for one in summary("lplex").targets if one.status == "FAIL")
    assert missed.reason == "5 of 5 cells"
    assert count_values(missed.evidence) == 6
    assert count_values(missed.cells_evidence) == 30
    card = next(one for one in cards(summary("lplex")) if one.note == missed.name)
    behind = {card.target[mark.start : mark.stop]: mark.evidence for mark in marks_of(card.target)}
    assert behind["5"] == missed.cells_evidence


def test_counts_of_a_metric_have_the_rows_of_that_metric() -> None:
    """ "36 cannot be told" of times is no statement on allocations."""
    (compared,) = (one for one in summary("lplex").comparisons if isinstance(one, ComparisonAnswer))
    own = {
        metric: {row for one in compared.rows if one.metric == metric and not one.control for row in one.evidence.rows}
        for metric in ("time", "allocations")
    }
    for card in comparison_cards(compared, ()):
        behind = {row for text in (card.value, card.note) for mark in marks_of(text) for row in mark.evidence.rows}
        metric = "allocations" if "allocations" in card.label else "time" if ": time" in card.label else ""
        assert not metric or behind == own[metric]
    assert own["time"] != own["allocations"]


def test_the_ratio_of_a_run_has_the_rows_of_that_run() -> None:
    """By run 4.13x, 3.99x and 3.13x: each follows from the two values that its button shows."""
    answers = summary("onix-adapter-published")
    (line, *_) = (
        line
        for one in answers.comparisons
        if isinstance(one, ComparisonAnswer)
        for line in comparison_findings(one, answers.study.parallel)
        if "; by run " in line
    )
    start = line.index("; by run ")
    runs = [mark for mark in marks_of(line) if mark.start > start]
    assert len(runs) == 3
    for mark in runs:
        (_, before), (_, after) = mark.evidence.values
        assert f"{before / after:.2f}x" == line[mark.start : mark.stop]
        assert mark.evidence.formula.startswith("within run")


def test_what_controls_did_has_the_rows_of_these_controls() -> None:
    """How many differ, the middle and the limits: from the controls of one condition and metric, and no other row."""
    answers = summary("lplex")
    (compared,) = (one for one in answers.comparisons if isinstance(one, ComparisonAnswer))
    behind = summary_evidence(answers)
    moved = [one for one in answers.caveats if one.code == "controls-moved"]
    assert len(moved) == len(compared.controls) == 2
    for said, control in zip(moved, compared.controls, strict=True):
        of_filter = control.condition == "pkg=*/filter"
        rows = [row for row in compared.rows if row.control and (row.key["benchmark"] in FILTER) is of_filter]
        ratios = [statistics.median(one.candidate_values) / statistics.median(one.baseline_values) for one in rows]
        assert f"by {statistics.geometric_mean(ratios):.2f}x in the middle" in said.message
        assert behind[said] == control.evidence
        assert count_rows(control.evidence.rows) == sum(count_rows(one.evidence.rows) for one in rows)
    verdict = comparison_verdict(compared)
    assert {mark.evidence for mark in marks_of(verdict)} == {compared.controls[0].evidence}
    assert "13 of 13" in verdict
