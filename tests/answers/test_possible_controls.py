"""Rows that may be controls, though nobody named them: they are told, and no verdict is withdrawn for them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from benchlib.answers.comparison import ComparisonAnswer, compare_study
from benchlib.study import Study, open_study
from benchlib.tell import comparison
from tests.shipped_studies import DATA
from tests.synthetic import around, compared, go_text, make_study


def doubts(answer: ComparisonAnswer, code: str = "possible-controls") -> list[str]:
    """What is warned of under a code."""
    return [caveat.message for caveat in answer.caveats if caveat.code == code]


def two_files(folder: Path, base: str, head: str) -> ComparisonAnswer:
    """Two sides in files of their own, told apart by a column that no recording is named after."""
    (folder / "base.txt").write_text(f"proof: base\n{base}", encoding="utf-8")
    (folder / "head.txt").write_text(f"proof: head\n{head}", encoding="utf-8")
    return compared(str(folder), col="proof", baseline="base")


def verdicts(answer: ComparisonAnswer) -> dict[str, str]:
    """The verdicts on times."""
    return {str(row.key["benchmark"]): row.verdict for row in answer.rows if row.metric == "time"}


# A special cell.


def unguarded_proofs() -> Study:
    """The proof types of the token SDK, of which nobody said what cannot differ and how they were recorded."""
    study = open_study(DATA / "token-sdk")
    (plan,) = (plan for plan in study.comparisons if plan.name == "proof types")
    return replace(study, comparisons=(structs.replace(plan, controls=(), sequential=None, metrics=("time",)),))


def test_the_transfer_without_a_range_proof_is_named() -> None:
    """One input and one output take no range proof: csp and bulletproof cannot differ there, and do as elsewhere."""
    study = unguarded_proofs()
    (answer,) = compare_study(study)
    assert isinstance(answer, ComparisonAnswer)
    (said,) = doubts(answer)
    assert "bits 32, inputs 1, outputs 1 (1.03x), bits 64, inputs 1, outputs 1 (0.97x) lack most of" in said
    assert {row.verdict for row in answer.rows} >= {"better", "worse"}  # and none is withdrawn
    lead = comparison.lead([answer], study)
    assert lead.confidence is not None
    assert lead.confidence.level == "medium"
    assert "alternation" in "".join(str(part) for part in lead.decision)


def grid(special: float, work: float) -> str:
    """Nine configurations, of which the first lacks nearly all work."""
    return go_text(
        {
            f"Send/inputs={row}/outputs={column}": around(
                400 * special if row == column == 1 else (1000 + 11_000 * column + 300 * row) * work
            )
            for row in (1, 2, 3)
            for column in (1, 2, 3)
        }
    )


@pytest.mark.parametrize(
    ("special", "work", "named"),
    [(1.1, 1.1, True), (0.9, 0.9, True), (1.0, 1.1, False), (0.9, 1.1, False), (1.1, 1.0, False)],
)
def test_a_special_cell_is_named_where_it_moved_as_the_others(
    tmp_path: Path, special: float, work: float, named: bool
) -> None:
    """Not where it stood still, went the other way, or moved alone; all verdicts stand."""
    answer = two_files(tmp_path, grid(1, 1), grid(special, work))
    assert bool(doubts(answer)) == named
    of_work = {row.verdict for row in answer.rows if row.metric == "time" and row.baseline_median > 1e-6}
    assert of_work == {{1.0: "same", 1.1: "worse", 0.9: "better"}[work]}


def test_nothing_is_named_of_sides_recorded_in_turn(tmp_path: Path) -> None:
    """The machine moved both."""
    for name, factor in (("base", 1.0), ("head", 1.1)):
        (tmp_path / f"{name}.txt").write_text(f"proof: {name}\n{grid(factor, factor)}", encoding="utf-8")
    answer = compared(str(tmp_path), col="proof", baseline="base", interleaved=True)
    assert not doubts(answer)
    assert not doubts(answer, "order-unknown")


# Equal counts.


def suite(alike: tuple[float, ...], touched: float, allocations: int) -> str:
    """Benchmarks that always allocate 10 times, and two that the change makes allocate more."""
    same = go_text({f"Alike{place}": around(100 * factor) for place, factor in enumerate(alike)}, allocations=10)
    return same + go_text({f"Touched{place}": around(300 * touched) for place in range(2)}, allocations=allocations)


STILL = (1.0, 1.0, 1.0, 1.0)
SLOWER = (1.1, 1.1, 1.1, 1.1)


@pytest.mark.parametrize(
    ("alike", "allocations", "named"),
    [
        (SLOWER, 12, True),
        ((1.1, 1.1, 1.1, 1.0), 12, True),
        ((1.1, 1.1, 1.0, 1.0), 12, False),  # two are few
        ((1.1, 1.1, 1.1, 0.9), 12, False),  # a machine does not do both
        (STILL, 12, False),
        (SLOWER, 10, False),  # counts that nothing changes tell no rows apart
    ],
)
def test_rows_that_allocate_as_before_are_named_where_they_moved_alike(
    tmp_path: Path, alike: tuple[float, ...], allocations: int, named: bool
) -> None:
    """A slower algorithm that allocates alike is the commonest regression: it stays one."""
    answer = two_files(tmp_path, suite(STILL, 1, 10), suite(alike, 2, allocations))
    assert bool(doubts(answer)) == named
    expected = {1.0: "same", 1.1: "worse", 0.9: "better"}
    slower = {f"Alike{place}": expected[factor] for place, factor in enumerate(alike)}
    assert verdicts(answer) == slower | {"Touched0": "worse", "Touched1": "worse"}


# Sides that are files of their own.


def test_sides_in_files_of_their_own_are_recordings(tmp_path: Path) -> None:
    """Whatever the column is called: nothing says in which order they were taken. In one file the places do."""
    base, head = suite(STILL, 1, 10), suite(STILL, 1.2, 10)
    assert doubts(two_files(tmp_path, base, head), "order-unknown")
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "both.txt").write_text(f"proof: base\n{base}proof: head\n{head}", encoding="utf-8")
    answer = compared(str(tmp_path / "one"), col="proof", baseline="base")
    assert answer.order == "sequential"
    assert not doubts(answer, "order-unknown")


def test_runs_that_hold_both_sides_are_guarded_against_the_machine(tmp_path: Path) -> None:
    """Each run has a file a side, and is compared within itself."""
    files = {
        f"{side}_{run}": go_text({"Encode": around(100 * factor * (1 + run / 10))})
        for side, factors in (("base", (1.0, 1.0, 1.0)), ("head", (1.2, 1.21, 1.19)))
        for run, factor in enumerate(factors)
    }
    definition = '[configuration]\npaths = ["{proof}_{run:int}.txt"]\n'
    answer = compared(make_study(tmp_path, definition, **files), col="proof", baseline="base")
    assert not doubts(answer, "order-unknown")
    assert verdicts(answer) == {"Encode": "worse"}
