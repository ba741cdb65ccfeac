"""Which verdicts a machine that moves takes, and why a row has none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow, comparison_records
from tests.synthetic import compared, write_texts

#: Time over what a quiet machine takes, by the share of the recording that has passed.
Course = Callable[[float], float]


def slowing(share: float) -> float:
    """Twice as slow at the end."""
    return 1 + share


def quiet(_: float) -> float:
    """It stands still."""
    return 1.0


def recording(
    course: Course,
    *,
    rows: int,
    rounds: int = 10,
    factor: float = 1.0,
    in_turn: bool = False,
    adjacent: bool = False,
    seed: int = 1,
) -> list[tuple[str, str]]:
    """Two commits, each with its lines in the order of recording; the second takes so many times as long.

    One commit after the other or in turn, and the repeats of a row apart (in rounds) or right after each other.
    """
    random = np.random.default_rng(seed)
    places = [(commit, turn, row) for commit in ("base", "head") for turn in range(rounds) for row in range(rows)]
    if in_turn:
        places.sort(key=lambda place: (place[1], place[0]))
    if adjacent:
        places.sort(key=lambda place: (place[0], place[2]))
    lines = []
    for place, (commit, _, row) in enumerate(places):
        time = (1000 + 100 * row) * course(place / len(places)) * (factor if commit == "head" else 1.0)
        lines.append((commit, f"BenchmarkB{row} 100 {time * random.lognormal(0, 0.02):.2f} ns/op\n"))
    return lines


def answered(folder: Path, lines: list[tuple[str, str]], **asked: object) -> ComparisonAnswer:
    """Compare what stands in one file."""
    [path] = write_texts(folder, results="".join(f"commit: {commit}\n{line}" for commit, line in lines))
    return compared(path, col="commit", baseline="base", **asked)


def verdicts(answer: ComparisonAnswer) -> set[tuple[str, str, str]]:
    return {(row.own_verdict, row.verdict, row.reason) for row in answer.rows}


DRIFTED, WORSE = {("worse", "cannot tell", "moved while recorded")}, {("worse", "worse", "")}


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ({"course": slowing, "rows": 1}, DRIFTED),
        ({"course": slowing, "rows": 3}, DRIFTED),
        # As ``go test -count=10`` writes them: each row sees a seventh of the drift, and all together see it.
        ({"course": slowing, "rows": 7, "adjacent": True}, DRIFTED),
        # One commit after the other, but nothing moved.
        ({"course": quiet, "rows": 7, "factor": 1.3}, WORSE),
        ({"course": quiet, "rows": 7, "factor": 1 / 1.3}, {("better", "better", "")}),
        # 10 % of drift over the whole recording, three times as slow.
        ({"course": lambda share: 1 + 0.1 * share, "rows": 3, "factor": 3.0}, WORSE),
    ],
)
def test_a_machine_that_slows_down_leaves_no_verdict(
    tmp_path: Path, recorded: dict[str, Any], expected: set[tuple[str, str, str]]
) -> None:
    """One commit after the other: what a drift could explain is not said to be the code, and what it could not is."""
    answer = answered(tmp_path, recording(**recorded))
    assert answer.order == "sequential"
    assert verdicts(answer) == expected
    warned = [caveat for caveat in answer.caveats if caveat.code == "moved-while-recorded"]
    assert bool(warned) is (expected == DRIFTED)
    if warned:
        rows = recorded["rows"]
        assert warned[0].severity == "alert"
        assert warned[0].message.endswith(
            f"the values of {rows} row{'s' * (rows > 1)} moved while they were recorded, by enough to make what is "
            "between the sides"
        )


def test_two_files_are_no_better(tmp_path: Path) -> None:
    """Nothing tells their order; what they moved while recorded stands in the way."""
    lines = recording(slowing, rows=7)
    texts = {commit: "".join(line for side, line in lines if side == commit) for commit in ("base", "head")}
    paths = write_texts(tmp_path, **texts)
    answer = compared(*paths)
    assert answer.order == "unknown"
    assert verdicts(answer) == DRIFTED
    assert verdicts(compared(*paths, interleaved=True)) == WORSE


def test_a_drift_of_others_undoes_only_what_it_could_have_made(tmp_path: Path) -> None:
    """672 to 682 ns against 365 to 375 beside 32 rows that get 2 times as fast, one side after the other.

    The row itself moved by 3 % while it was recorded, which does not make half of the time.
    """
    own = {"base": [672, 678, 675, 682, 674, 680], "head": [365, 375, 368, 372, 366, 370]}
    beside = recording(lambda share: 2 - share, rows=32, rounds=6)
    lines = []
    for place, (commit, line) in enumerate(beside):
        if place % 32 == 0:
            lines.append((commit, f"BenchmarkStill 100 {own[commit][place // 32 % 6]} ns/op\n"))
        lines.append((commit, line))
    found = {row.key["benchmark"]: (row.verdict, row.reason) for row in answered(tmp_path, lines).rows}
    assert found.pop("Still") == ("better", "")
    assert {reason for _, reason in found.values()} <= {"moved while recorded", "all rows moved alike"}


@pytest.mark.parametrize(
    "course",
    [lambda share: min(1 + 2 * share, 2.0), lambda share: 1 + 2 * share if share < 0.5 else 1.0],
    ids=["slows down and stays so", "slows down and recovers"],
)
def test_one_side_that_moved_is_enough(tmp_path: Path, course: Course) -> None:
    """The baseline was recorded while the machine slowed down, the candidate when it stood still: slower, or faster."""
    answer = answered(tmp_path, recording(course, rows=3))
    assert {row.own_verdict for row in answer.rows} <= {"better", "worse"}
    assert {(row.verdict, row.reason) for row in answer.rows} == {("cannot tell", "moved while recorded")}


def test_sameness_that_a_drift_could_hide_is_none(tmp_path: Path) -> None:
    """The machine slows down by 20 %, the code is as much faster: the sides agree, and nothing is said of it."""
    lines = recording(lambda share: 1 + 0.2 * share, rows=30, rounds=40, factor=1.05 / 1.15)
    answer = answered(tmp_path, lines)
    assert "same" in {row.own_verdict for row in answer.rows}
    assert {row.verdict for row in answer.rows} == {"cannot tell"}


def test_counts_do_not_drift(tmp_path: Path) -> None:
    """Bytes that rise all along beside the time are not moved by a machine: they keep their verdict."""
    lines = [
        (commit, f"{line.rstrip()} {1000 + 20 * place} B/op\n")
        for place, (commit, line) in enumerate(recording(slowing, rows=2))
    ]
    answer = answered(tmp_path, lines)
    told = {(row.metric, row.verdict, row.reason) for row in answer.rows}
    assert told == {("time", "cannot tell", "moved while recorded"), ("memory", "worse", "")}


def test_a_control_that_speaks_decides_instead(tmp_path: Path) -> None:
    """Recorded in rounds with rows that the change cannot affect, a row is held against them, and not against drift."""
    steady, slower = (recording(slowing, rows=12, factor=factor) for factor in (1.0, 1.3))
    lines = [
        changed if "BenchmarkB0 " in same[1] and same[0] == "head" else same
        for same, changed in zip(steady, slower, strict=True)
    ]
    answer = answered(tmp_path, lines, controls="benchmark!=B0")
    [row] = [row for row in answer.rows if not row.control]
    assert (row.verdict, row.reason) == ("worse", "")


def test_recorded_in_turn_a_drift_costs_nothing(tmp_path: Path) -> None:
    """Both commits meet the same machine in each round: what it does is in neither side's favour, nor in the error."""
    answer = answered(tmp_path, recording(lambda share: 2**share, rows=7, in_turn=True))
    assert answer.order == "interleaved"
    assert "moved-while-recorded" not in {caveat.code for caveat in answer.caveats}
    still = answered(tmp_path, recording(quiet, rows=7, in_turn=True))
    wanted = float(np.median([row.detectable for row in still.rows]))
    assert float(np.median([row.detectable for row in answer.rows])) < 2 * wanted


def test_quiet_machines_seldom_lose_a_verdict(tmp_path: Path) -> None:
    """One commit after the other, 15 % slower by the code: at most 2 in 100 rows are put down to the machine."""
    lost = total = 0
    for seed in range(40):
        answer = answered(tmp_path, recording(quiet, rows=7, rounds=6, factor=1.15, seed=seed))
        lost += sum(row.reason == "moved while recorded" for row in answer.rows)
        total += len(answer.rows)
    # All rows of a comparison may be lost at once.
    assert lost / total <= 0.02 + 3 * (0.02 / 40) ** 0.5


def scattered(centre: float, n: int) -> list[float]:
    """Return n values within one percent of a centre, no two of up to eleven equal."""
    return [centre * (1 + 0.002 * (7 * one % 11 - 5)) for one in range(n)]


def one_row(
    folder: Path, *, unit: str = "goroutines", factor: float = 1.5, n: int = 8, heads: tuple[str, str] = ("", ""),
    **asked: float,
) -> tuple[ComparisonRow, ComparisonAnswer]:  # fmt: skip
    """Compare one row that a factor changed, recorded in turn."""
    old, new = (
        head + "".join(f"BenchmarkA 1 {value:.6g} {unit}\n" for value in scattered(centre, n))
        for head, centre in zip(heads, (100.0, 100 * factor), strict=True)
    )
    answer = compared(*write_texts(folder, old=old, new=new), interleaved=True, **asked)
    [row] = answer.rows
    return row, answer


@pytest.mark.parametrize("factor", [1.5, 0.5])
def test_a_metric_without_a_direction_is_neither_better_nor_worse(tmp_path: Path, factor: float) -> None:
    """However far it moved; that it did is said, with the reason, and no more values are asked for."""
    row, answer = one_row(tmp_path, factor=factor)
    assert (row.better, row.verdict, row.own_verdict) == (None, "cannot tell", "cannot tell")
    assert (row.reason, row.more) == ("no direction", None)
    [record] = comparison_records([answer])
    assert record["better"] == ""


def test_what_did_not_change_enough_is_not_put_down_to_its_direction(tmp_path: Path) -> None:
    """The same is the same, a change whose interval holds what does not matter is that, and few values are few."""
    still, _ = one_row(tmp_path, factor=1.0001, n=30)
    assert (still.verdict, still.reason) == ("same", "")
    assert one_row(tmp_path, factor=1.015)[0].reason == "at the limit"
    assert one_row(tmp_path, n=3)[0].reason == "too few values"


@pytest.mark.parametrize("heads", [("Unit goroutines better=lower\n", ""), ("", "Unit goroutines better=lower\n")])
def test_a_direction_that_a_file_tells_is_known(tmp_path: Path, heads: tuple[str, str]) -> None:
    """In either of the files."""
    row, answer = one_row(tmp_path, heads=heads)
    assert (row.better, row.verdict, row.reason) == ("lower", "worse", "")
    assert {one.better for one in answer.rows} == {"lower"}


@pytest.mark.parametrize("unit", ["ns/op", "goroutines"])
@pytest.mark.parametrize(
    ("n", "levels", "more"),
    [
        (3, {"significance_level": 0.2}, 1),  # 4 against 4 have an interval at 95 %
        (4, {"confidence_level": 0.99}, 1),  # 5 against 5 have one at 99 %
        (4, {"confidence_level": 0.9999}, 5),  # 9 against 9 have one at 99.99 %
    ],
)
def test_too_few_values_for_an_interval_say_so(
    tmp_path: Path, unit: str, n: int, levels: dict[str, float], more: int
) -> None:
    """The p value would do, but nothing bounds the change: that, and how many more bound it, whatever the direction."""
    row, _ = one_row(tmp_path, unit=unit, n=n, **levels)
    assert (row.verdict, row.reason, row.more) == ("cannot tell", "no interval", more)


def test_a_zero_among_many_values_takes_no_interval_away(tmp_path: Path) -> None:
    """The ratio has no bound then; the difference has, and the row is not said to have too few values."""
    old, new = ("".join(f"BenchmarkA 1 {count + more} allocs/op\n" for count in range(10)) for more in (0, 5))
    [row] = compared(*write_texts(tmp_path, old=old, new=new), interleaved=True).rows
    assert row.reason != "no interval"
