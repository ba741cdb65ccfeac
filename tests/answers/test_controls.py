"""Controls: the interval that they leave a row, by hand; verdicts that keep it; and who is held against whom."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from msgspec import structs
from numpy.typing import NDArray
from scipy import stats

from benchlib.answers.comparison import ComparisonAnswer, compare_study, comparison_study, controls_moved
from benchlib.answers.executive import executive_summary
from benchlib.answers.pairing import PairedCells, pair_cells
from benchlib.answers.verdicts import Levels, control_rows, rule
from benchlib.errors import StudyError
from benchlib.statistics.power import detectable_changes
from benchlib.statistics.verdicts import BETTER, CANNOT_TELL, SAME, VERDICTS, WORSE, Judgement, judge
from benchlib.study import ComparisonPlan, open_study, read_control
from tests.shipped_studies import DATA
from tests.synthetic import around, go_text, make_study

UNITS = {"time": "sec/op", "bytes": "B/sec", "memory": "B/op"}
#: Six repeats of mean logarithm and median 0 that neither rise nor fall.
REPEATS = np.exp(0.01 * np.array([-0.2, 1.5, -1.5, 0.7, -0.7, 0.2]))
FIVE = (0.96, 0.98, 1.0, 1.02, 1.04)
#: Ties on unequal sides: benchstat's p value is 0.004, that of the test 0.06.
UNEQUAL = ([11.0, 11, 11, 11, 12, 12, 12, 12], [10.0, 10, 11, 11])
#: (package, benchmark, metric) -> values of the baseline and of the candidate.
Cells = Mapping[tuple[str, str, str], tuple[Sequence[float], Sequence[float]]]
PLAN = ComparisonPlan(
    name="", question="", column="run", baselines=("old",), candidates=("new",), where="", metrics=(), by=(), ignore=(),
    controls=(), sequential=None,
)  # fmt: skip
RUNS = '[configuration]\npaths = ["{run}.txt"]\n'


def moved(factor: float, repeats: NDArray[np.float64] = REPEATS) -> tuple[list[float], list[float]]:
    """Values of which the median moved by a factor, with the same scatter on both sides."""
    return (100 * repeats).tolist(), (100 * factor * repeats).tolist()


def controls(factors: Sequence[float], metric: str = "time", package: str = "quiet") -> dict[Any, Any]:
    """Benchmarks of a package, each moved by a factor."""
    return {(package, f"{package}{place}", metric): moved(one) for place, one in enumerate(factors)}


class Ruled:
    """A comparison of cells, as far as its verdicts."""

    def __init__(
        self,
        cells: Cells,
        *asked: str,
        min_effect: float = 0.02,
        significance_level: float = 0.05,
        confidence_level: float = 0.95,
        sequential: bool | None = None,
        rounds: Collection[str] = (),
    ) -> None:
        levels = Levels(significance_level, confidence_level, min_effect)
        plan = structs.replace(PLAN, controls=tuple(map(read_control, asked)), sequential=sequential)
        self.cells = paired(cells, rounds)
        better = np.where(self.cells.metrics == "bytes", 1, -1).astype(np.int8)
        left_out = control_rows(self.cells, plan.controls)
        self.judged: Judgement = judge(self.cells.pairs, better=better, left_out=left_out, **levels._asdict())
        self.ruling = rule(self.cells, self.judged, plan, levels, {})
        self.answers = self.ruling.heard.answers

    def place(self, benchmark: str, metric: str = "time") -> int:
        """Which row is that of a benchmark."""
        found = [
            row
            for row in range(self.cells.rows)
            if self.cells.key(row)["benchmark"] == benchmark and self.cells.metrics[row] == metric
        ]
        return found[0]

    def verdict(self, benchmark: str, metric: str = "time") -> tuple[str, str]:
        """Its verdict and the reason."""
        row = self.place(benchmark, metric)
        return VERDICTS[self.ruling.verdict[row]], str(self.ruling.reason[row])

    def left(self, benchmark: str, metric: str = "time") -> tuple[float, float, float]:
        """Its ratio over the controls, with the interval that they leave."""
        row = self.place(benchmark, metric)
        heard = self.ruling.heard
        return float(heard.relative[row]), float(heard.low[row]), float(heard.high[row])


def paired(cells: Cells, rounds: Collection[str] = ()) -> PairedCells:
    """Set cells side by side as a table of two files: one benchmark after the other, or some of them in rounds."""
    rows = [
        (turn if benchmark in rounds else -1, package, benchmark, metric, UNITS[metric], run, value, f"{run}.txt", 1000)
        for side, run in enumerate(("old", "new"))
        for (package, benchmark, metric), both in cells.items()
        for turn, value in enumerate(both[side])
    ]
    heads = ["turn", "pkg", "benchmark", "metric", "unit", "run", "value", "source", "iterations"]
    frame = pd.DataFrame(rows, columns=heads)
    frame = frame.sort_values(["source", "turn"], kind="stable", ignore_index=True).drop(columns="turn")
    frame["position"] = frame.groupby("source").cumcount()
    frame["line"] = frame["position"] + 1
    return pair_cells(frame, "run", ["benchmark", "pkg"], [("old", "new")])


def reach(controls: Sequence[float], level: float, extra: float = 0.0) -> float:
    """How far one more row may lie, by hand: Student's t, n - 1 degrees of freedom."""
    logs = np.log(controls)
    quantile = stats.t.ppf((1 + level) / 2, logs.size - 1)
    return float(quantile * math.sqrt(logs.var(ddof=1) * (1 + 1 / logs.size) + extra))


def test_the_interval_is_students_by_hand() -> None:
    """One row, five controls that moved by 1.5x and scatter by 3 %: 3x over 1.5x, give or take t at 95 %."""
    factors = [1.5 * one for one in FIVE]
    found = Ruled({**controls(factors), ("core", "P", "time"): moved(3.0)}, "pkg=quiet for pkg=core")
    over = 3.0 / math.exp(np.log(factors).mean())
    wide = math.exp(reach(factors, 0.95))
    assert found.left("P") == pytest.approx((over, over / wide, over * wide), rel=1e-9)
    assert found.verdict("P") == ("worse", "")


def test_metrics_share_the_level() -> None:
    """Two metrics are two chances of a false verdict: each has half of them (Bonferroni), in row and in control."""
    cells = {
        **controls(FIVE),
        **controls(FIVE, "bytes"),
        ("core", "P", "time"): moved(1.14),
        ("core", "P", "bytes"): moved(1 / 1.14),
    }
    both = Ruled(cells, "pkg=quiet for pkg=core")
    one = Ruled({key: values for key, values in cells.items() if key[2] == "time"}, "pkg=quiet for pkg=core")
    over = 1.14 / math.exp(np.log(FIVE).mean())
    assert one.left("P")[1] == pytest.approx(over / math.exp(reach(FIVE, 0.95)), rel=1e-9)
    assert both.left("P")[1] == pytest.approx(over / math.exp(reach(FIVE, 0.975)), rel=1e-9)
    assert both.answers[0].null.high - both.answers[0].null.center == pytest.approx(reach(FIVE, 0.975), rel=1e-9)
    assert one.verdict("P") == ("worse", "")
    assert {both.verdict("P", metric) for metric in ("time", "bytes")} == {("cannot tell", "within what controls did")}


def test_controls_that_speak_for_nobody_take_no_share() -> None:
    """A metric without a row to judge is no chance of a false verdict."""
    alone = Ruled({**controls(FIVE), ("core", "P", "time"): moved(1.14)}, "pkg=quiet for pkg=core")
    cells = {**controls(FIVE), **controls(FIVE, "bytes"), ("core", "P", "time"): moved(1.14)}
    assert Ruled(cells, "pkg=quiet for pkg=core").left("P") == alone.left("P")


def test_the_stricter_level_is_kept() -> None:
    """Of significance and confidence: the interval shown is the one that the verdict rests on, and says its level."""
    cells = {**controls(FIVE), ("core", "P", "time"): moved(1.14)}
    found = {
        asked: Ruled(cells, "pkg=quiet for pkg=core", significance_level=asked[0], confidence_level=asked[1])
        for asked in ((0.05, 0.95), (0.01, 0.95), (0.05, 0.99), (0.05, 0.9))
    }
    stated = {asked: one.ruling.heard.level for asked, one in found.items()}
    assert stated == pytest.approx({(0.05, 0.95): 0.95, (0.01, 0.95): 0.99, (0.05, 0.99): 0.99, (0.05, 0.9): 0.95})
    assert found[0.01, 0.95].left("P") == pytest.approx(found[0.05, 0.99].left("P"), rel=1e-9)
    assert [one.verdict("P")[0] for one in found.values()] == ["worse", "cannot tell", "cannot tell", "worse"]


def test_rows_judged_together_have_a_wider_interval() -> None:
    """The farthest of ten lies farther out than one."""
    cells = {**controls(FIVE), **controls([1.14] * 10, package="core")}
    ten = Ruled(cells, "pkg=quiet for pkg=core")
    one = Ruled(cells, "pkg=quiet for benchmark=core0")
    assert ten.left("core0")[1] < one.left("core0")[1]
    assert (ten.verdict("core0")[0], one.verdict("core0")[0]) == ("cannot tell", "worse")


def test_what_a_row_scatters_more_than_its_controls_is_allowed_for() -> None:
    """pi / 2 s^2 / n of both sides, above the controls' own in the middle; a row that scatters less gains nothing."""

    def variance(repeats: NDArray[np.float64]) -> float:
        return float(2 * math.pi / 2 * np.log(repeats).var(ddof=1) / repeats.size)

    noisy, calm = REPEATS**8, REPEATS**0.5
    cells = {
        **controls(FIVE),
        ("quiet", "wild", "time"): moved(1.0, REPEATS**20),  # one that repeats badly moves the middle little
        ("core", "N", "time"): moved(3.0, noisy),
        ("core", "C", "time"): moved(3.0, calm),
    }
    six = [*FIVE, 1.0]
    for name, more in (("N", variance(noisy) - variance(REPEATS)), ("C", 0.0)):
        found = Ruled(cells, f"pkg=quiet for benchmark={name}")
        over = 3.0 / math.exp(np.log(six).mean())
        assert found.left(name)[1] == pytest.approx(over / math.exp(reach(six, 0.95, more)), rel=1e-6)


def test_of_several_controls_all_have_to_be_exceeded() -> None:
    """1.5x is far from controls that stood still and near to those that moved by 1.4x: no verdict, and it is shown."""
    still, went = [one**0.2 for one in FIVE], [1.4 * one for one in FIVE]
    cells = {**controls(still), **controls(went, package="moving"), ("core", "P", "time"): moved(1.5)}
    by_still, by_moving = "pkg=quiet for pkg=core", "pkg=moving for pkg=core"
    assert Ruled(cells, by_still).verdict("P") == ("worse", "")
    assert Ruled(cells, by_moving).verdict("P") == ("cannot tell", "within what controls did")
    for asked in ((by_still, by_moving), (by_moving, by_still)):
        found = Ruled(cells, *asked)
        assert found.verdict("P") == ("cannot tell", "within what controls did")
        over = [1.5 / math.exp(np.log(one).mean()) for one in (still, went)]
        wide = [math.exp(reach(one, 0.975)) for one in (still, went)]
        # The ratio nearest to 1, within all that either leaves.
        expected = (over[1], over[1] / wide[1], over[0] * wide[0])
        assert found.left("P") == pytest.approx(expected, rel=1e-9)


NAMED, NEAR, WITHIN = "pkg=quiet for pkg=core", "pkg=quiet", "within what controls did"


@pytest.mark.parametrize(
    ("centre", "spread", "change", "asked", "options", "own", "verdict"),
    [
        # 6 % beyond the controls, either way: a change where 2 % matters and none where 10 % does.
        (1.2, 0.2, 1.2 * 1.06, NAMED, {}, "worse", ("worse", "")),
        (1.2, 0.2, 1.2 * 1.06, NAMED, {"min_effect": 0.1}, "worse", ("cannot tell", WITHIN)),
        (1 / 1.2, 0.2, 1 / 1.2 / 1.06, NAMED, {}, "better", ("better", "")),
        (1 / 1.2, 0.2, 1 / 1.2 / 1.06, NAMED, {"min_effect": 0.1}, "better", ("cannot tell", WITHIN)),
        # Slower by itself, faster than the machine.
        (4.0, 1.0, 2.0, NAMED, {}, "worse", ("cannot tell", WITHIN)),
        # Standing still is doubted beside controls that moved and speak for nobody; recorded in turn it is believed.
        (1.5, 1.0, 1.0, NEAR, {}, "same", ("cannot tell", "controls moved")),
        (1.5, 1.0, 1.0, NEAR, {"sequential": False}, "same", ("same", "")),
        (1.0, 0.0, 1.0, NEAR, {}, "same", ("same", "")),
        # Controls that moved by 3 % in a spread of 0.1 % leave 3 % between them: within 5 %, not within 2 %.
        (1.03, 0.02, 1.0, NAMED, {"min_effect": 0.05}, "same", ("same", "")),
        (1.03, 0.02, 1.0, NAMED, {}, "same", ("cannot tell", "controls moved")),
        # Recorded elsewhere, no control speaks for it.
        (1.5, 1.0, 5.0, NEAR, {}, "worse", ("cannot tell", "no control speaks for it")),
    ],
)
def test_what_a_row_is_beside_its_controls(
    centre: float, spread: float, change: float, asked: str, options: dict[str, Any], own: str, verdict: tuple[str, str]
) -> None:
    """A verdict has to clear what the controls did, either way; sameness has to lie within it."""
    factors = [centre * factor**spread for factor in FIVE]
    ruled = Ruled({**controls(factors), ("core", "P", "time"): moved(change, REPEATS**0.1)}, asked, **options)
    place = ruled.place("P")
    assert (VERDICTS[ruled.judged.verdict[place]], ruled.verdict("P")) == (own, verdict)
    assert np.isnan(ruled.ruling.more[place])  # more of the same decides nothing


def test_one_control_that_moved_is_a_machine_that_moved() -> None:
    """Four stood still and one took half as long again: a row that none speaks for has no verdict."""
    ruled = Ruled({**controls([1.0, 1.0, 1.0, 1.0, 1.5]), ("core", "P", "time"): moved(2.0)}, "pkg=quiet")
    assert [answer.moved for answer in ruled.answers] == [1]
    assert ruled.verdict("P") == ("cannot tell", "no control speaks for it")


@pytest.mark.parametrize(
    ("moving", "still", "control", "verdict"),
    [
        (20, 0, 0, ("cannot tell", "all rows moved alike")),
        (19, 1, 0, ("cannot tell", "all rows moved alike")),
        (8, 1, 0, ("cannot tell", "all rows moved alike")),
        (8, 2, 0, ("worse", "")),
        (12, 8, 0, ("worse", "")),
        # Controls that speak for no row, because nothing says that they were recorded in turn with it, still tell.
        (20, 0, 3, ("worse", "")),
    ],
)
def test_rows_that_stand_still_speak_for_the_code(
    moving: int, still: int, control: int, verdict: tuple[str, str]
) -> None:
    """So many rows ten times slower, and so many as before: no machine slows down some and spares many."""
    cells = {
        **controls([10.0] * moving, package="core"),
        **controls([1.0] * still, package="still"),
        **controls([1.0] * control),
    }
    assert Ruled(cells, *(["pkg=quiet"] if control else [])).verdict("core0") == verdict


def test_controls_say_of_themselves_what_they_did() -> None:
    """One that stood still is the same, whatever the others did; one that moved has no verdict, and none is counted.

    Named for all, they speak for all others: one row, not one and their own four.
    """
    ruled = Ruled({**controls([1.0, 1.5, 1.6, 1.7]), ("core", "P", "time"): moved(1.0)}, "pkg=quiet for benchmark=*")
    assert ruled.verdict("quiet0") == ("same", "")
    assert ruled.verdict("quiet1") == ("cannot tell", "control")
    assert [(answer.rows, answer.moved, answer.judged) for answer in ruled.answers] == [(4, 3, 1)]
    assert np.isnan(ruled.left("quiet0")).all()
    assert Ruled({**controls([1.5] * 9), ("core", "P", "time"): moved(1.5)}, "pkg=quiet").ruling.alike == ()


@pytest.mark.parametrize(("beside", "judged"), [(3, 1), (2, 0), (1, 0)])
def test_a_control_speaks_where_most_of_its_rows_were_recorded_in_turn(beside: int, judged: int) -> None:
    """So many of four, in rounds with the row: three are most of them, two are half and one is few."""
    cells = {**controls(FIVE[1:]), ("core", "P", "time"): moved(2.0)}
    found = Ruled(cells, "pkg=quiet", rounds=["P", *(f"quiet{place}" for place in range(beside))])
    assert [one.judged for one in found.answers] == [judged]


@pytest.mark.parametrize(("changes", "level"), [((1.0, 1.0, 1.0, 1.0), 0.05 / 4), ((2.0, 1.0, 1.0, 1.0), 0.05 * 2 / 4)])
def test_what_could_be_shown_is_what_the_next_row_has_to_reach(changes: Sequence[float], level: float) -> None:
    """Of four rows, with none found or one: the next p value to survive is 1/4 or 2/4 of 5 %."""
    found = Ruled(controls(changes, package="core"))
    expected = detectable_changes(found.cells.pairs, 0.05, level, 0.02)
    assert found.ruling.detectable == pytest.approx(expected, rel=1e-12)


def test_a_control_that_another_is_named_for_is_judged_by_it() -> None:
    """The first of two controls speaks for the second, which is a row like any other; counts are judged throughout."""
    cells = {
        **controls(FIVE),
        **controls([2.0, 2.1], package="other"),
        **controls([1.0], "memory"),
        ("core", "P", "time"): moved(1.0),
    }
    found = Ruled(cells, "pkg=quiet for pkg=other", "pkg=other")
    control = {
        (found.cells.key(row)["pkg"], found.cells.metrics[row]): found.ruling.heard.control[row] for row in range(9)
    }
    assert control == {("quiet", "time"): True, ("other", "time"): False, ("quiet", "memory"): False,
                       ("core", "time"): False}  # fmt: skip
    assert found.verdict("other0") == ("worse", "")


def test_controls_differ_by_a_test_that_favours_no_tail() -> None:
    """Unequal sides with ties, for which benchstat's p value may stand for the wrong tail: none of five differs."""
    old, new = UNEQUAL
    cells = {("quiet", f"quiet{one}", "time"): (old, new) for one in range(5)}
    found = Ruled({**cells, ("core", "P", "time"): moved(1.0)}, "pkg=quiet for pkg=core")
    assert [one.moved for one in found.answers] == [0]
    assert found.judged.statistics.pvalue[found.place("quiet0")] < 0.01


def simulated(random: np.random.Generator) -> tuple[Cells, float, float]:
    """Draw controls and rows, a machine that moves them by up to 2x with a spread of its own, and some true changes."""
    scatter, spread = random.choice([0.002, 0.01, 0.05]), random.choice([0.001, 0.03, 0.2])
    drift = random.choice([0.0, 0.005, 0.5, -0.7])
    found = {}
    for package, count in (("quiet", int(random.integers(2, 9))), ("more", int(random.integers(2, 5))), ("core", 8)):
        for place in range(count):
            change = random.choice([0.0, 0.0, 0.05, 0.3, -0.3]) if package == "core" else 0.0
            for metric in ("time", "bytes"):
                values = random.normal(0, scatter, (2, 8))
                values[1] += random.normal(drift, spread) + change
                found[package, f"{package}{place}", metric] = tuple(np.exp(values).tolist())
    return found, float(random.choice([0.0, 0.02, 0.1])), float(random.choice([0.01, 0.05]))


def test_verdict_and_interval_never_disagree() -> None:
    """Over drifts, spreads, changes and levels: a row is better or worse just where the interval shown clears 1."""
    random = np.random.default_rng(37)
    seen = set()
    for _ in range(100):
        cells, effect, level = simulated(random)
        asked = ("pkg=quiet for pkg=core", "pkg=more for pkg=core")[: int(random.integers(1, 3))]
        found = Ruled(cells, *asked, min_effect=effect, significance_level=level)
        ruling, heard, better = found.ruling, found.ruling.heard, np.where(found.cells.metrics == "bytes", 1, -1)
        for row in np.flatnonzero(~np.isnan(heard.relative)).tolist():
            low, high = heard.low[row], heard.high[row]
            assert low <= heard.relative[row] <= high
            verdict, own = int(ruling.verdict[row]), int(found.judged.verdict[row])
            clear = {1: low > 1 + effect, -1: high < 1 - effect}
            still = low >= 1 - max(effect, 0.01) and high <= 1 + max(effect, 0.01)
            if own in (BETTER, WORSE):
                way = int(better[row]) * (1 if own == BETTER else -1)
                assert (verdict == own) == clear[way]
                assert verdict == own or (verdict, ruling.reason[row]) == (CANNOT_TELL, "within what controls did")
            elif own == SAME and any(one.moved for one in found.answers if one.metric == found.cells.metrics[row]):
                assert (verdict == SAME) == still
            else:
                assert verdict == own
            seen.add(str(ruling.reason[row]) or VERDICTS[verdict])
    assert seen >= {"worse", "better", "same", "within what controls did", "controls moved"}


@pytest.mark.parametrize("where", ["", "run=new", "benchmark=Decode"])
def test_a_target_on_time_stays_open_where_controls_of_the_whole_study_moved(where: str) -> None:
    """A condition that leaves out the controls, or a side, turns no WARN into FAIL; counts are judged as before."""
    targets = [
        one for one in executive_summary(open_study(DATA / "lplex", where=where)).targets if one.sample is not None
    ]
    times = [one for one in targets if one.metric == "time"]
    assert times
    assert all(one.status != "FAIL" for one in times)
    assert times[0].reason == "missed, but in a recording whose controls moved"
    assert "FAIL" in {one.status for one in targets if one.metric == "allocations"}


def three_packages(store: float, api: float, other: float) -> str:
    """Three packages, one after the other, with three benchmarks each; api stands below store."""
    return "".join(
        go_text({f"B{place}": around(centre + place) for place in range(3)}, package=package)
        for package, centre in {"m/store": store, "m/store/api": api, "m/storage": other}.items()
    )


@pytest.mark.parametrize(
    ("changed", "controls"),
    [
        ('["m/store/..."]', {"m/storage"}),
        ('["m/store"]', {"m/store/api", "m/storage"}),
        ('[".../api", ".../store"]', {"m/storage"}),
        ('["...storage"]', {"m/store", "m/store/api"}),
    ],
)
def test_packages_that_the_change_does_not_touch_are_controls(tmp_path: Path, changed: str, controls: set[str]) -> None:
    """Named by what changed, as go does: x/... is x and all below it, and ... stands for any text."""
    definition = f'{RUNS}[[compare]]\ncolumn = "run"\nbaseline = "old"\nchanged = {changed}\n'
    study = make_study(tmp_path, definition, old=three_packages(90, 90, 90), new=three_packages(90, 90, 135))
    (answer,) = compare_study(study)
    assert isinstance(answer, ComparisonAnswer)
    assert {row.key["pkg"] for row in answer.rows if row.control} == controls
    (time,) = (control for control in answer.controls if control.metric == "time")
    assert (time.rows, time.moved) == (3 * len(controls), 3 * ("m/storage" in controls))
    assert time.judged == 9 - time.rows


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ('["./store"]', "no result is of a package './store'; there are m/store, m/store/api, m/storage"),
        ('["m/stor..."]', "the change touches every package (m/store, m/store/api, m/storage)"),
    ],
)
def test_a_change_of_no_package_or_of_all_is_refused(tmp_path: Path, changed: str, message: str) -> None:
    """With the line it stands in."""
    definition = f'{RUNS}[[compare]]\ncolumn = "run"\nbaseline = "old"\nchanged = {changed}\n'
    with pytest.raises(StudyError, match=re.escape(message)) as caught:
        make_study(tmp_path, definition, old=three_packages(90, 90, 90), new=three_packages(90, 90, 135))
    assert "study.toml:6: " in str(caught.value)


CONTROLLED = (
    RUNS + '[[compare]]\ncolumn = "run"\nbaseline = "old"\ncontrols = ["benchmark=Still*"]\n'
    '[[targets]]\nname = "t"\nwhere = "benchmark=A"\nmetric = "time"\nat_most = "7 ns"\n'
    '[[claims]]\ntext = "A takes 7 ns"\nsource = "a page"\nabout = "median"\n'
    'where = "benchmark=A"\nmetric = "time"\nat_most = "7 ns"\n'
)


def still(a: float, controls: float) -> str:
    return go_text({"A": around(a), **{f"Still{place}": around(controls) for place in range(6)}})


@pytest.mark.parametrize("col", ["", "run"], ids=["as the study asks", "of a column"])
def test_a_comparison_under_a_condition_hears_the_controls_outside(tmp_path: Path, col: str) -> None:
    """The whole stays beside what a condition leaves of it, also where a column is named."""
    opened = make_study(tmp_path, CONTROLLED, old=still(8, 5), new=still(9, 8))
    study = comparison_study(opened, where="benchmark=A", col=col, baseline="old" if col else "")
    assert controls_moved(study, compare_study(study))
    assert not controls_moved(replace(study, whole=study.results), compare_study(study))


@pytest.mark.parametrize(
    ("new", "status", "verdict"), [(still(9, 8), "WARN", "not decided"), (still(8.01, 5), "FAIL", "contradicted")]
)
def test_targets_and_claims_on_time_are_doubted_where_controls_of_the_whole_study_moved(
    tmp_path: Path, new: str, status: str, verdict: str
) -> None:
    """Nothing is doubted for being narrowed."""
    summary = executive_summary(make_study(tmp_path, CONTROLLED, "run=new", old=still(8, 5), new=new))
    assert [target.status for target in summary.targets] == [status]
    assert [claim.verdict for claim in summary.claims] == [verdict]
