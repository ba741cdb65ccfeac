"""Earlier claims and targets, each as one line that opens on a table."""

from __future__ import annotations

import pytest

from benchlib.document.blocks import Fold, Number, Table
from benchlib.document.numbers import words_of
from benchlib.tell import claims, targets
from tests.shipped_studies import NAMES, study, summary


def opened(blocks: list[object]) -> tuple[str, Table]:
    """The line and the table behind it."""
    (fold,) = blocks
    assert isinstance(fold, Fold)
    (table,) = (block for block in fold.blocks if isinstance(block, Table))
    return words_of(fold.line), table


def rows_of(table: Table) -> dict[str, dict[str, str]]:
    """Each row by its first cell, its cells by their heads."""
    heads = [column.head for column in table.columns]
    written = [
        ["" if cell is None else words_of(cell if isinstance(cell, tuple) else (cell,)) for cell in row]
        for row in table.rows
    ]
    return {row[0]: dict(zip(heads, row, strict=True)) for row in written}


def test_targets_missed_before_the_change_are_not_the_change() -> None:
    """lplex: decoding allocated before, too; the machine moved, so times are missed in doubt."""
    whole = summary("lplex")
    line, table = opened([*targets.folds(whole.targets, whole.study, whole.comparisons)])
    assert line == "3 of 5 targets missed, 2 before the change too"
    rows = rows_of(table)
    assert rows["decoding allocates nothing"]["status"] == "missed"
    assert rows["decoding allocates nothing"]["before"] == "3 allocs/op"
    assert rows["filter matching takes less than 100 ns"]["status"] == "missed, in doubt: the machine moved"
    assert rows["fan-out allocates nothing"]["status"] == "kept"
    assert targets.newly_missed(whole.targets, whole.study, whole.comparisons) == ()


def test_a_claim_is_quoted_or_paraphrased() -> None:
    """onix: verbatim, in quotation marks, and a mean does not contradict a median. heavy: .9x agrees."""
    line, table = opened([*claims.folds(summary("onix-adapter-published").claims)])
    assert line == "Earlier claims, checked: 1 contradicted and 5 not testable"
    rows = rows_of(table)
    median = rows[
        "“The adapter delivers sub-200 µs median end-to-end latency for all four Beckn actions on a single goroutine.”"
    ]
    assert median["verdict"] == "not testable"
    assert "only means were published" in median["why"]
    assert median["measured"] == "221 µs/op"  # the place farthest from the bound, not the nearest
    (contradicted,) = (row for row in rows.values() if row["verdict"] == "contradicted")
    assert contradicted["measured"] == "3.72 times"
    _, table = opened([*claims.folds(summary("heavy-read-api-published").claims)])
    cut = rows_of(table)["P99 Latency: .9x faster (paraphrased)"]
    assert (cut["measured"], "meets the bound" in cut["why"]) == ("0.999 times", True)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_measured_leads_to_its_rows(name: str) -> None:
    """Every number of both tables has evidence, or is an end of an interval beside one that has."""
    whole = summary(name)
    folds = [*claims.folds(whole.claims), *targets.folds(whole.targets, study(name), whole.comparisons)]
    numbers = [
        cell
        for fold in folds
        if isinstance(fold, Fold)
        for table in fold.blocks
        if isinstance(table, Table)
        for row in table.rows
        for cell in row
        if isinstance(cell, Number)
    ]
    assert all(number.evidence is not None and number.evidence.rows for number in numbers)


def test_nothing_is_said_of_no_claims_and_no_targets() -> None:
    """No empty fold."""
    assert (claims.folds(()), targets.folds((), study("reference"), ())) == ([], [])
