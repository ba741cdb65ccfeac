"""Sentences, cards and banner of a comparison say what its verdicts say, and no more."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.caveats import caveat
from benchlib.report.wording.cards.comparison import comparison_cards
from benchlib.report.wording.comparison.cells import reason_words
from benchlib.report.wording.comparison.sentences import comparison_findings, comparison_verdict
from benchlib.report.wording.comparison.verdict import verdict_lines
from tests.comparison_answers import ALSO, around, decided, drifted, large, make_answer, make_row
from tests.shipped_studies import summary

MOVED = re.compile(r"\d+\.\d\dx (?:faster|slower)")


def changed(n: int = 10, ratio: float = 1.4, name: str = "Encode", **stated: Any) -> ComparisonRow:
    """A row that is slower by far more than it scatters."""
    return make_row(name, around(1e-6, n=n), around(1e-6 * ratio, ALSO, n=n), **stated)


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
    row = changed(verdict="cannot tell", own="worse", reason=reason)
    assert row.noticeable
    for line in everything(make_answer([row])):
        assert "no verdict" in line
        assert not MOVED.search(line) or "as measured" in line
    (line,) = comparison_findings(make_answer([row]))
    assert line == (
        "Encode: no verdict on time per operation of new against old: 1.40x slower as measured (1.40 µs/op against "
        f"1.001 µs/op, n = 10 each; {reason_words(reason)})"
    )


def test_a_row_that_is_worse_is_told_as_it_is() -> None:
    """With its values and n, and the interval on the card."""
    findings, verdict, card = everything(make_answer([changed()]))
    assert findings.startswith("Encode: new is 1.40x slower than old in time per operation (")
    assert verdict == f"{findings}."
    assert re.fullmatch(
        r"new against old: time per operation, Encode: 1\.40x slower \(95 %: 1\.\d\dx to 1\.\d\dx\)", card
    )
    assert "as measured" not in f"{findings}{verdict}{card}"


def test_same_is_told_as_no_change() -> None:
    """Shown to be within what does not matter."""
    row = changed(ratio=1.0, verdict="same")
    findings, _, card = everything(make_answer([row]))
    assert findings.startswith("Encode: time per operation: no change from old to new that matters (")
    assert ": no change (95 %: 1.01x faster to 1.01x slower)" in card


def test_a_change_smaller_than_matters_is_the_same() -> None:
    """1 % beyond doubt: noticed, and no change that matters."""
    row = changed(ratio=1.01, verdict="same")._replace(noticeable=True)
    for line in everything(make_answer([row])):
        assert not MOVED.search(line.split("(")[0])


def test_what_scatters_too_much_has_no_verdict() -> None:
    """Ten values a side that show nothing: not no difference, no verdict."""
    row = changed(ratio=1.03, verdict="cannot tell")._replace(noticeable=False)
    findings, _, card = everything(make_answer([row]))
    assert "no verdict on time per operation of new against old: 1.03x slower as measured" in findings
    assert "the values scatter too much to tell" in findings
    assert ": no verdict (1.03x slower as measured (95 %" in card


@pytest.mark.parametrize("n", [1, 3])
def test_too_few_values_are_told_as_measured(n: int) -> None:
    """Published figures stay on the page, with their n and without a verdict."""
    row = make_row("Encode", around(1e-6, n=n), around(1.4e-6, n=n), verdict="cannot tell", reason="too few values")
    findings, _, card = everything(make_answer([row]))
    assert "Encode: new is 1.40x slower than old in time per operation as measured (" in findings
    assert f"n = {n} each: no verdict)" in findings
    assert card == f"new against old: time per operation, Encode: 1.40x slower (as measured, n = {n} each: no verdict)"


def test_cells_side_by_side_are_told_by_their_verdicts() -> None:
    """Worse, same, open and measured, each for what it is."""
    rows = [
        changed(key={"size": 1}),
        changed(key={"size": 2}, ratio=1.0, verdict="same"),
        changed(key={"size": 3}, verdict="cannot tell", own="worse", reason="one of many"),
        changed(key={"size": 4}, n=3, verdict="cannot tell", reason="too few values"),
    ]
    (line,) = [one for one in comparison_findings(make_answer(rows)) if one.startswith("new against old")]
    assert re.fullmatch(
        r"new against old in time per operation: 1\.40x slower \(\+0\.40 µs/op\) at size 1, no change that matters at "
        r"size 2 and no verdict at size 3; as measured, without a verdict: 1\.40x slower \(\+0\.40 µs/op\) at size 4 "
        r"\(n = 10 each and n = 3 each\)",
        line,
    ), line


def test_a_banner_of_many_rows_counts_verdicts() -> None:
    """Not the two ends of what was measured."""
    rows = [changed(name=f"B{one}", verdict="cannot tell", own="worse", reason="one of many") for one in range(5)]
    answer = make_answer([*rows, changed(name="Worst", ratio=1.2)])
    told = comparison_verdict(answer)
    assert told.startswith("new against old: of 6 rows 1 worse and 5 cannot tell. Worst: Worst: 1.20x slower (")
    assert comparison_verdict(large()).startswith("new against old: of 300 rows 30 worse")


def test_controls_that_moved_are_the_banner_only_where_nothing_clears_them() -> None:
    """A row that its control lets stand is told."""
    assert comparison_verdict(drifted()).startswith("These recordings cannot tell: ")
    moved = caveat("controls-moved", "5 of 5 benchmarks that the change cannot affect differ")
    told = comparison_verdict(replace(decided(), caveats=(moved,)))
    assert "cannot tell: 5 of 5" not in told


def test_every_card_names_its_benchmark() -> None:
    """Two benchmarks of one metric are two cards."""
    cards = list(comparison_cards(make_answer([changed(name="Encode"), changed(name="Decode")]), ()))
    assert [one.label for one in cards] == [
        "new against old: time per operation, Encode",
        "new against old: time per operation, Decode",
    ]


def test_where_all_is_the_same_nothing_stands_in_the_way() -> None:
    """Nine of nine rose, by less than matters: no verdict was taken back."""
    alike = (caveat("all-moved-alike", "9 of 9 benchmarks rose and 0 fell in time"),)
    same = make_answer([changed(name=f"B{one}", ratio=1.0, verdict="same") for one in range(9)], caveats=alike)
    assert verdict_lines(same) == ("new against old: all 9 rows: same.",)
    taken = [changed(name="B", verdict="cannot tell", own="worse", reason="all rows moved alike"), *same.rows]
    assert "In the way: 9 of 9" in verdict_lines(make_answer(taken, caveats=alike))[-1]
    # One worse by a metric that no machine moves: what the alert is of took nothing back.
    worse = make_answer([changed(), *same.rows], caveats=alike)
    assert "In the way" not in " ".join(verdict_lines(worse))


def test_shipped_banners_follow_the_verdicts() -> None:
    """Of http-endpoints and token-sdk, whose comparisons have verdicts."""
    for name in ("http-endpoints", "token-sdk", "heavy-read-api-published", "onix-adapter-published"):
        for answer in summary(name).comparisons:
            assert isinstance(answer, ComparisonAnswer)
            decided_rows = [row for row in answer.rows if row.verdict in ("better", "worse")]
            for line in everything(answer) if not decided_rows else []:
                assert not MOVED.search(line) or "no verdict" in line, line
