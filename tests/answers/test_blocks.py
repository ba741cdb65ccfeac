"""What values share, as files tell it: rounds of both sides, runs of both, and runs of one side each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonRow, compare_study
from benchlib.document.blocks import Table
from benchlib.document.numbers import words_of
from benchlib.study import open_study
from benchlib.tell.comparison import document
from tests.synthetic import compared, write_texts

SIDES = ("base", "head")


def line(time: float, name: str = "Encode") -> str:
    return f"Benchmark{name} 100 {time:.6g} ns/op\n"


def in_rounds(folder: Path, rounds: np.ndarray) -> ComparisonRow:
    """Compare rounds of base and head, which one file holds in turn."""
    text = "".join(f"commit: {side}\n{line(time)}" for pair in rounds for side, time in zip(SIDES, pair, strict=True))
    [path] = write_texts(folder, turns=text)
    [row] = compared(path, col="commit", baseline="base", metric="time").rows
    return row


def in_runs(folder: Path, runs: dict[str, list[np.ndarray]]) -> ComparisonRow:
    """Compare sides that have runs of their own, a file each."""
    (folder / "study.toml").write_text('[configuration]\npaths = ["{commit}_{run}.txt"]\n', encoding="utf-8")
    for side, every in runs.items():
        write_texts(folder, **{f"{side}_{side}{run}": "".join(map(line, own)) for run, own in enumerate(every)})
    [row] = compared(str(folder), col="commit", baseline="base", metric="time").rows
    return row


@pytest.mark.parametrize(("factor", "verdict"), [(1.05, "worse"), (0.95, "better"), (1.0, "same")])
def test_what_rounds_share_is_in_neither_side(tmp_path: Path, factor: float, verdict: str) -> None:
    """Rounds differ by 10 %, their halves by 1 %: 5 % is told, which values taken one by one do not show."""
    random = np.random.default_rng(3)
    rounds = 1000 * random.lognormal(0, 0.1, (10, 1)) * random.lognormal(0, 0.01, (10, 2)) * [1, factor]
    row = in_rounds(tmp_path, rounds)
    assert row.verdict == verdict
    assert stats.mannwhitneyu(*rounds.T).pvalue > 0.05
    logs = np.log(rounds)
    assert row.ratio == pytest.approx(np.exp(stats.trim_mean(logs[:, 1] - logs[:, 0], 0.1)), rel=1e-5)


@pytest.mark.parametrize("side", [0, 1])
def test_one_wild_value_hides_no_change_from_rounds(tmp_path: Path, side: int) -> None:
    """One value of twenty took ten times the time: 5 % is told, with an interval that holds it, and nothing is not."""
    random = np.random.default_rng(5)
    rounds = 1000 * random.lognormal(0, 0.1, (10, 1)) * random.lognormal(0, 0.01, (10, 2))
    rounds[3, side] *= 10
    assert in_rounds(tmp_path, rounds).verdict in ("same", "cannot tell")
    row = in_rounds(tmp_path, rounds * [1, 1.05])
    assert row.verdict == "worse"
    assert 1.02 < row.ratio_low < 1.05 < row.ratio_high < 1.1


def test_a_table_says_that_a_change_is_by_round(tmp_path: Path) -> None:
    """Medians of all values need not differ as the ratios within rounds do."""
    rounds = np.array([[100.0 * place, 97.0 * place * (1 + 0.001 * (place % 3))] for place in range(1, 11)])
    in_rounds(tmp_path, rounds)
    answer = compared(str(tmp_path / "turns.txt"), col="commit", baseline="base", metric="time")
    page = document([answer], open_study(str(tmp_path / "turns.txt")))
    [table] = [block for section in page.sections for block in section.blocks if isinstance(block, Table)]
    assert [column.head for column in table.columns] == ["", "base", "head", "change by round", "how sure", "verdict"]
    assert words_of(page.confidence.reason) == "10 rounds each, and no serious doubt."


@pytest.mark.parametrize("centre", [3.0, 0.0, -4.0])
def test_rounds_of_values_around_zero_are_paired_by_their_differences(tmp_path: Path, centre: float) -> None:
    """A skew in either direction: rounds share 10, their halves differ by 0.1, and one more is told; 0 more is not."""
    random = np.random.default_rng(4)
    for added, verdicts in ((1.0, {"worse"}), (0.0, {"cannot tell", "same"})):
        rounds = centre + random.normal(0, 10, (10, 1)) + random.normal(0, 0.1, (10, 2)) + [0, added]
        values = "".join(
            f"commit: {side}\nBenchmarkClock 1 {value:.4f} skew\n"
            for pair in rounds
            for side, value in zip(SIDES, pair, strict=True)
        )
        [path] = write_texts(tmp_path, turns=f"Unit skew better=lower\n{values}")
        [row] = compared(path, col="commit", baseline="base").rows
        assert row.verdict in verdicts
        assert stats.mannwhitneyu(*rounds.T).pvalue > 0.05
        away = rounds[:, 1] - rounds[:, 0]
        # Yuen: the mean of the eight in the middle, by the spread with the outer two pulled in.
        spread = np.asarray(stats.mstats.winsorize(away, 0.1)).std(ddof=1)
        middle, reach = stats.trim_mean(away, 0.1), stats.t.ppf(0.975, 7) * spread / (0.8 * np.sqrt(10))
        assert [row.difference, row.difference_low, row.difference_high] == pytest.approx(
            [middle, middle - reach, middle + reach], rel=1e-3
        )


def test_a_run_counts_once(tmp_path: Path) -> None:
    """Three runs a side whose ten values are alike but whose runs differ by 2 %: 3 % may be chance, 20 % is not."""
    random = np.random.default_rng(5)
    for factor, verdict in ((1.03, "cannot tell"), (1.2, "worse")):
        folder = tmp_path / verdict.replace(" ", "_")
        folder.mkdir()
        levels = {"base": (0.98, 1.0, 1.02), "head": (0.98 * factor, factor, 1.02 * factor)}
        runs = {
            side: [1000 * level * random.lognormal(0, 0.002, 10) for level in every] for side, every in levels.items()
        }
        row = in_runs(folder, runs)
        assert row.verdict == verdict
        first, second = (np.concatenate(every) for every in runs.values())
        assert stats.mannwhitneyu(first, second).pvalue < 0.05


def test_actions_are_compared_run_by_run() -> None:
    """confirm takes 1.36 times discover (95 %: 1.20 to 1.53) in three runs that differ 2.6-fold; counts are exact."""
    study = open_study("data/onix-adapter")
    answer = compare_study(study)[2]
    assert not isinstance(answer, Refusal)
    rows = {(row.candidate, row.metric): row for row in answer.rows}
    confirm = rows["confirm", "time"]
    assert [confirm.ratio, confirm.comparison.ratio.low, confirm.comparison.ratio.high] == pytest.approx(
        [1.36, 1.20, 1.53], abs=0.005
    )
    assert {row.verdict for (_, metric), row in rows.items() if metric in ("time", "allocations")} == {"worse"}
    assert rows["select", "allocations"].ratio == pytest.approx(781 / 612)


def test_a_value_lost_on_each_side_leaves_the_other_rounds_in_place(tmp_path: Path) -> None:
    """The machine slows down by 3 % a round; base fails in the first round, head in the last: nothing changed."""
    lines = []
    for turn in range(10):
        for side in SIDES if turn % 2 == 0 else SIDES[::-1]:
            lost = (side, turn) in (("base", 0), ("head", 9))
            lines.append(f"commit: {side}\n" + ("" if lost else line(1000 * 1.03**turn * (1 + 0.001 * (turn % 3)))))
    [path] = write_texts(tmp_path, turns="".join(lines))
    [row] = compared(path, col="commit", baseline="base", metric="time").rows
    assert row.verdict not in ("better", "worse")
    assert row.ratio == pytest.approx(1, abs=0.02)


def test_one_run_beside_three_is_held_to_what_runs_differ_by(tmp_path: Path) -> None:
    """Runs differ by 3 %, and one run stands beside three: ten values each are no ten witnesses."""
    random = np.random.default_rng(6)

    def run(away: float) -> np.ndarray:
        return np.asarray(1000 * np.exp(away + random.normal(0, 0.005, 10)))

    row = in_runs(tmp_path, {"base": [run(0.0)], "head": [run(0.0), run(0.06), run(0.05)]})
    assert row.verdict == "cannot tell"
    assert row.comparison.ratio.low < 1 < row.comparison.ratio.high
