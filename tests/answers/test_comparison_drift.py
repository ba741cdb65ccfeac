"""A machine that moves while each side is recorded: which verdicts it takes, and which it leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchlib.answers.comparison import ComparisonAnswer, compare, comparison_records
from benchlib.report.wording.comparison.verdict import detection_lines, verdict_lines
from benchlib.report.wording.comparison.words import reason_lines

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


def compared(folder: Path, lines: list[tuple[str, str]], **asked: object) -> ComparisonAnswer:
    """Compare what stands in one file."""
    path = folder / "results.txt"
    path.write_text("".join(f"commit: {commit}\n{line}" for commit, line in lines), encoding="utf-8")
    found = compare(str(path), col="commit", baseline="base", **asked)  # type: ignore[arg-type]
    assert isinstance(found, ComparisonAnswer)
    return found


def verdicts(answer: ComparisonAnswer) -> set[tuple[str, str, str]]:
    return {(row.own_verdict, row.verdict, row.reason) for row in answer.rows}


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_a_machine_that_slows_down_leaves_no_verdict(tmp_path: Path, rows: int) -> None:
    """One commit after the other, nothing changed: each row by itself is worse, and none is said to be."""
    answer = compared(tmp_path, recording(slowing, rows=rows))
    assert answer.order == "sequential"
    assert verdicts(answer) == {("worse", "cannot tell", "moved while recorded")}
    [line] = reason_lines(answer)
    assert "rose or fell while they were recorded, by enough to make what is between the sides" in line
    assert detection_lines(answer.rows) == []
    [told] = [one for one in answer.caveats if one.code == "moved-while-recorded"]
    assert told.severity == "alert"
    assert told.message.endswith(
        f"the values of {rows} row{'s' * (rows > 1)} moved while they were recorded, by enough to make what is between "
        "the sides"
    )


def test_two_files_are_no_better(tmp_path: Path) -> None:
    """Nothing tells their order; what they moved while recorded stands in the way, in the first three lines too."""
    lines = recording(slowing, rows=7)
    for commit in ("base", "head"):
        text = "".join(line for one, line in lines if one == commit)
        (tmp_path / f"{commit}.txt").write_text(text, encoding="utf-8")
    paths = [str(tmp_path / "base.txt"), str(tmp_path / "head.txt")]
    answer = compare(*paths)
    assert isinstance(answer, ComparisonAnswer)
    assert answer.order == "unknown"
    assert verdicts(answer) == {("worse", "cannot tell", "moved while recorded")}
    assert verdict_lines(answer)[-1].startswith("In the way: the values of 7 rows moved while they were recorded")
    stated = compare(*paths, interleaved=True)
    assert isinstance(stated, ComparisonAnswer)
    assert verdicts(stated) == {("worse", "worse", "")}


def test_the_repeats_of_a_row_right_after_each_other_show_less_and_enough(tmp_path: Path) -> None:
    """As ``go test -count=10`` writes them: each row sees a seventh of it, and all together see it."""
    answer = compared(tmp_path, recording(slowing, rows=7, adjacent=True))
    assert verdicts(answer) == {("worse", "cannot tell", "moved while recorded")}


@pytest.mark.parametrize(
    "course",
    [lambda share: min(1 + 2 * share, 2.0), lambda share: 1 + 2 * share if share < 0.5 else 1.0],
    ids=["slows down and stays so", "slows down and recovers"],
)
def test_one_side_that_moved_is_enough(tmp_path: Path, course: Course) -> None:
    """The baseline was recorded while the machine slowed down, the candidate when it stood still: slower, or faster."""
    answer = compared(tmp_path, recording(course, rows=3))
    assert {row.own_verdict for row in answer.rows} <= {"better", "worse"}
    assert {(row.verdict, row.reason) for row in answer.rows} == {("cannot tell", "moved while recorded")}


@pytest.mark.parametrize("factor", [1.3, 1 / 1.3])
def test_a_quiet_machine_keeps_its_verdicts(tmp_path: Path, factor: float) -> None:
    """One commit after the other, but nothing moved."""
    answer = compared(tmp_path, recording(quiet, rows=7, factor=factor))
    assert verdicts(answer) == {("worse" if factor > 1 else "better",) * 2 + ("",)}


def test_a_change_far_beyond_the_drift_stays(tmp_path: Path) -> None:
    """10 % of drift over the whole recording, three times as slow."""
    answer = compared(tmp_path, recording(lambda share: 1 + 0.1 * share, rows=3, factor=3.0))
    assert verdicts(answer) == {("worse", "worse", "")}


def test_sameness_that_a_drift_could_hide_is_none(tmp_path: Path) -> None:
    """The machine slows down by 20 %, the code is as much faster: the sides agree, and nothing is said of it."""
    lines = recording(lambda share: 1 + 0.2 * share, rows=30, rounds=40, factor=1.05 / 1.15)
    answer = compared(tmp_path, lines)
    assert "same" in {row.own_verdict for row in answer.rows}
    assert {row.verdict for row in answer.rows} == {"cannot tell"}


def test_counts_do_not_drift(tmp_path: Path) -> None:
    """Bytes that rise all along beside the time are not moved by a machine: they keep their verdict."""
    lines = [
        (commit, f"{line.rstrip()} {1000 + 20 * place} B/op\n")
        for place, (commit, line) in enumerate(recording(slowing, rows=2))
    ]
    answer = compared(tmp_path, lines)
    found = {(row.metric, row.verdict, row.reason) for row in answer.rows}
    assert found == {("time", "cannot tell", "moved while recorded"), ("memory", "worse", "")}
    assert {row.metric for row in answer.rows if not np.isnan(row.steady_detectable)} == {"time"}


def test_a_control_that_speaks_decides_instead(tmp_path: Path) -> None:
    """Recorded in rounds with rows that the change cannot affect, a row is held against them, and not against drift."""
    lines = [
        (commit, line if "BenchmarkB0" not in line or commit == "base" else _slower(line, 1.3))
        for commit, line in recording(slowing, rows=12)
    ]
    answer = compared(tmp_path, lines, controls="benchmark!=B0")
    [row] = [row for row in answer.rows if not row.control]
    assert (row.verdict, row.reason) == ("worse", "")


def _slower(line: str, factor: float) -> str:
    name, count, time, unit = line.split()
    return f"{name} {count} {factor * float(time):.2f} {unit}\n"


def test_recorded_in_turn_a_drift_costs_power_and_that_is_said(tmp_path: Path) -> None:
    """Both commits meet the same machine: no verdict is taken, but what could be seen is said with and without it."""
    answer = compared(tmp_path, recording(lambda share: 2**share, rows=7, in_turn=True))
    assert answer.order == "interleaved"
    assert {row.reason for row in answer.rows} == {""}
    assert "moved-while-recorded" not in {one.code for one in answer.caveats}
    still = compared(tmp_path, recording(quiet, rows=7, in_turn=True))
    wanted = float(np.median([row.detectable for row in still.rows]))
    assert float(np.median([row.steady_detectable for row in answer.rows])) == pytest.approx(wanted, rel=0.3)
    assert min(row.detectable for row in answer.rows) > 2 * wanted
    [line] = detection_lines(answer.rows)
    assert "% had the machine not drifted while they were recorded; " in line
    [line] = detection_lines(still.rows)
    assert "drifted" not in line
    assert np.isnan([one["steady_detectable"] for one in comparison_records([still])]).all()


@pytest.mark.parametrize("runs", [20, pytest.param(400, marks=pytest.mark.heavy)])
def test_quiet_machines_seldom_lose_a_verdict(tmp_path: Path, runs: int) -> None:
    """One commit after the other, 15 % slower by the code: at most 2 in 100 rows are put down to the machine."""
    lost = total = 0
    for seed in range(runs):
        answer = compared(tmp_path, recording(quiet, rows=7, rounds=6, factor=1.15, seed=seed))
        lost += sum(row.reason == "moved while recorded" for row in answer.rows)
        total += len(answer.rows)
    # All rows of a comparison may be lost at once.
    assert lost / total <= 0.02 + 3 * (0.02 / runs) ** 0.5
