"""What a verdict takes, and at which level intervals are, as the command prints it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchlib.answers.comparison import ComparisonAnswer, comparison_records
from benchlib.cli.compare_blocks import side_lines, tell, told_comparison
from tests.comparison_answers import ALSO, around, make_answer, make_row


def answer_at(*levels: float) -> ComparisonAnswer:
    """Rows with intervals at these levels."""
    row = make_row("A", around(1e-6), around(1.3e-6, ALSO))
    rows = [row._replace(key={"benchmark": f"B{place}"}, ratio_level=level) for place, level in enumerate(levels)]
    return make_answer(rows)


@pytest.mark.parametrize(
    ("effect", "level", "words"),
    [
        (
            0.02,
            0.05,
            "better and worse need an adjusted p of at most 0.05 that the row differs, and that it does by more than "
            "2 %, and an interval clear of ±2 %; same needs one within ±2 %",
        ),
        (
            0.005,
            0.01,
            "better and worse need an adjusted p of at most 0.01 that the row differs, and that it does by more than "
            "0.5 %, and an interval clear of ±0.5 %; same needs one within ±1 %",
        ),
        (
            0.0,
            0.05,
            "better and worse need an adjusted p of at most 0.05 that the row differs, and an interval clear of no "
            "change; same needs one within ±1 %",
        ),
    ],
)
def test_the_rule_names_every_test(effect: float, level: float, words: str) -> None:
    """Both p values and the interval; sameness has 1 % at least."""
    answer = replace(answer_at(0.95), min_effect=effect, significance_level=level)
    assert dict(side_lines(answer))["rule"] == words


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ((0.95, 0.99), "at 99 %, so that over all of them the 95 % hold; of the others at 95 %"),
        ((0.975, 0.99995), "at 97.5 % to 99.995 %, so that over all of them the 95 % hold; of the others at 95 %"),
    ],
)
def test_levels_never_round_to_certainty(levels: tuple[float, ...], words: str) -> None:
    """99.995 % is not 100 %."""
    [line] = [told for label, told in told_comparison(answer_at(*levels)).remarks.lines if label == "intervals"]
    assert line == f"of rows picked out by their p values are {words}"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            "not shown to exceed",
            "differs, but is not shown to exceed 2 %: the p value of that, adjusted for all rows, is above 0.05",
        ),
        (
            "moved while recorded",
            "its values rose or fell while they were recorded, by enough to make the difference",
        ),
    ],
)
def test_a_footnote_says_which_test_failed(reason: str, words: str) -> None:
    """Under the table of the row that it took a verdict from; the second p value is in the record of it."""
    row = make_row("A", around(1e-6), around(1.3e-6, ALSO), verdict="cannot tell", own="worse", reason=reason)  # type: ignore[arg-type]
    answer = make_answer([row])
    [table] = tell([answer], []).comparisons[0].tables
    assert table.notes == (f"¹ {words}",)
    [record] = comparison_records([answer])
    assert record["beyond_pvalue"] == row.beyond_pvalue > record["adjusted_pvalue"]
