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
from tests.comparison_answers import ALSO, around, decided, drifted, make_answer, make_row
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


def test_a_change_smaller_than_matters_is_the_same() -> None:
    """1 % beyond doubt: noticed, and no change that matters."""
    row = changed(ratio=1.01, verdict="same")._replace(noticeable=True)
    for line in everything(make_answer([row])):
        assert not MOVED.search(line.split("(")[0])


@pytest.mark.parametrize("n", [1, 3])
def test_too_few_values_are_told_as_measured(n: int) -> None:
    """Published figures stay on the page, with their n and without a verdict."""
    row = make_row("Encode", around(1e-6, n=n), around(1.4e-6, n=n), verdict="cannot tell", reason="too few values")
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
