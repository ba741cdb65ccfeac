"""Where a change comes from, and whether an exponent changed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchlib.effects.attribution import Attribution, attribute_change
from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.exponents import ExponentTest, GrowthData, compare_exponents
from benchlib.errors import DataError, SelectionError

GRID = np.array([(b, i, o) for b in (32, 64) for i in (1, 2, 3) for o in (1, 2, 4, 8)])


def run(
    fixed: float, of_input: float, of_output: float, *, power: float = 1.0, noise: float = 0.0, seed: int = 0,
    repeats: int = 3, scale: float = 1.0,
) -> CellTable:  # fmt: skip
    bits, inputs, outputs = np.tile(GRID, (repeats, 1)).T
    costs = (fixed + of_input * inputs + of_output * outputs**power) * bits / 32
    scatter = np.random.default_rng(seed).lognormal(0, noise, costs.size)
    return build_cells({"bits": bits, "inputs": inputs, "outputs": outputs}, scale * costs * scatter, unit="sec/op")


def values(found: Attribution) -> dict[str, float]:
    return {part.factor or part.kind: part.estimate.value for part in found.parts}


def test_exact_changes_are_found_exactly() -> None:
    """+0.3 an output and +0.5 fixed: each part is its coefficient's change over what the baseline costs."""
    found = attribute_change(run(1.0, 0.5, 3.0), run(1.5, 0.5, 3.3))
    bits, inputs, outputs = GRID.T
    whole = ((1 + 0.5 * inputs + 3 * outputs) * bits / 32).sum()
    expected = {
        "fixed": (0.5 * bits / 32).sum() / whole,
        "outputs": (0.3 * outputs * bits / 32).sum() / whole,
        "inputs": 0.0,
        "rest": 0.0,
    }
    assert values(found) == pytest.approx(expected, abs=1e-12)
    assert [part.factor or part.kind for part in found.parts][:2] == ["outputs", "fixed"]
    assert found.parts[-1].kind == "rest"
    assert found.total.value == pytest.approx(sum(expected.values()), rel=1e-12)
    assert (found.n_cells, found.n, found.total.unit) == (24, 144, "ratio")


@pytest.mark.parametrize("seed", range(5))
def test_the_parts_sum_to_the_whole(seed: int) -> None:
    """Whatever the noise and the misfit, the parts are the total to the last digit."""
    before, after = (
        run(1, 0.5, 3, power=1.7, noise=0.2, seed=seed),
        run(2, 0.1, 4, power=0.6, noise=0.3, seed=99 + seed),
    )
    found = attribute_change(before, after)
    assert math.fsum(part.estimate.value for part in found.parts) == pytest.approx(found.total.value, rel=1e-10)


def test_nothing_changed() -> None:
    """A run against itself: every part is 0, the exponent is the same."""
    table = run(1, 0.5, 3, noise=0.02)
    found = attribute_change(table, table)
    assert list(values(found).values()) == pytest.approx([0.0] * 4, abs=1e-12)
    assert {one.factor: one.verdict for one in found.exponents}["outputs"] == "did not change"


def test_units_and_row_order_do_not_matter() -> None:
    one = attribute_change(run(1, 0.5, 3, noise=0.05), run(1.5, 0.5, 3.3, noise=0.05, seed=1))
    other = attribute_change(run(1, 0.5, 3, noise=0.05, scale=1e9), run(1.5, 0.5, 3.3, noise=0.05, seed=1, scale=1e9))
    for mine, theirs in zip(one.parts, other.parts, strict=True):
        assert (theirs.estimate.value, theirs.estimate.low) == pytest.approx(
            (mine.estimate.value, mine.estimate.low), abs=1e-12
        )


def test_special_cells_are_a_part_of_their_own() -> None:
    """One cell without the proof: its change is told apart, the slope of the others is not bent by it."""
    outputs = np.repeat([1, 2, 3, 4, 5, 6, 7, 8], 4)

    def made(slope: float, special: float, seed: int) -> CellTable:
        costs = np.where(outputs == 1, special, slope * outputs)
        return build_cells(
            {"outputs": outputs}, costs * np.random.default_rng(seed).lognormal(0, 0.001, 32), unit="sec"
        )

    found = attribute_change(made(28.0, 0.5, 1), made(30.8, 1.0, 2))
    assert found.total.value == pytest.approx((35 * 2.8 + 0.5) / (35 * 28 + 0.5), rel=0.01)
    parts = values(found)
    assert parts["special"] == pytest.approx(0.5 / (35 * 28 + 0.5), rel=0.02)
    assert parts["outputs"] == pytest.approx(0.1, abs=0.003)
    assert [one.code for one in found.caveats] == ["session-shift", "special-cell"]


def test_a_changed_exponent_is_found() -> None:
    """Linear before, outputs^1.4 after."""
    found = attribute_change(run(1, 0.5, 3, noise=0.01), run(1, 0.5, 3, power=1.4, noise=0.01, seed=1))
    test = {one.factor: one for one in found.exponents}["outputs"]
    assert test.verdict == "changed"
    assert test.pvalue < 1e-6
    assert test.baseline.low < 1.0 < test.baseline.high
    assert test.candidate.low < 1.4 < test.candidate.high
    assert test.difference.low < 0.4 < test.difference.high


def test_an_exponent_that_cannot_be_told() -> None:
    """A factor without effect has any exponent: no verdict, no bounds."""
    found = attribute_change(run(1, 0.0, 3, noise=0.02), run(1, 0.0, 3.3, noise=0.02, seed=1))
    test = {one.factor: one for one in found.exponents}["inputs"]
    assert test.verdict == "cannot tell"
    assert not test.difference.has_interval


def test_two_levels_have_no_exponent() -> None:
    table = build_cells({"outputs": [1, 1, 2, 2]}, [1.0, 1.1, 2.0, 2.1], unit="s")
    found = attribute_change(table, table)
    assert found.exponents == ()
    assert {part.kind for part in found.parts} == {"factor", "fixed", "rest"}


def test_no_interval_without_replicates() -> None:
    """Nothing was repeated: the parts are told without intervals, and the caveat says so."""
    found = attribute_change(run(1, 0.5, 3, repeats=1), run(1.5, 0.5, 3.3, repeats=1))
    assert not any(part.estimate.has_interval for part in found.parts)
    assert "no cell was measured twice: shares of the change without intervals" in [c.message for c in found.caveats]


def test_cells_measured_once_borrow() -> None:
    """One cell of a run measured once: all share one relative error."""
    before = run(1, 0.5, 3, noise=0.05)
    rows = [(cell.levels, value) for cell in before.cells for value in cell.values][2:]
    fewer = build_cells(
        {name: [levels[name] for levels, _ in rows] for name in before.factors}, [v for _, v in rows], unit="sec/op"
    )
    found = attribute_change(fewer, run(1, 0.5, 3.3, noise=0.05, seed=1))
    assert found.total.has_interval
    assert "1 of 48 cells were measured once: all share one relative error" in [c.message for c in found.caveats]


def test_cells_of_one_run_only_are_left_out() -> None:
    half = build_cells({"outputs": [1, 2, 4]}, [1.0, 2.0, 4.0], unit="s")
    more = build_cells({"outputs": [1, 2, 4, 8, 16]}, [1.1, 2.2, 4.4, 8.8, 17.6], unit="s")
    found = attribute_change(half, more)
    assert (found.n_cells, found.total.value) == (3, pytest.approx(0.1))
    assert "2 cells were measured in one run only and are left out" in [one.message for one in found.caveats]


def test_malformed() -> None:
    """Different factors, nothing in common, zero costs, nothing numeric, confounded factors, wrong names."""
    table = build_cells({"outputs": [1, 2, 4]}, [1.0, 2.0, 4.0], unit="s")
    other = build_cells({"inputs": [1, 2, 4]}, [1.0, 2.0, 4.0], unit="s")
    names = build_cells({"curve": ["a", "b"]}, [1.0, 2.0], unit="s")
    twice = build_cells({"inputs": [1, 2, 3, 4], "size": [2, 4, 6, 8]}, [1.0, 2.0, 3.0, 4.0], unit="s")
    zero = build_cells({"outputs": [1, 2, 4]}, [0.0, 2.0, 4.0], unit="s")
    far = build_cells({"outputs": [4, 8, 16]}, [1.0, 2.0, 4.0], unit="s")
    for before, after, message in (
        (table, other, "the baseline varies over outputs, the candidate over inputs; give both the same factors"),
        (table, build_cells({"outputs": [1, 2, 4]}, [1.0, 2.0, 4.0], unit="B"),
         "the baseline is in s, the candidate in B; give both in one unit"),
        (table, far, "the runs have 1 cells in common; at least 2 are needed: measure the same cells"),
        (zero, table, "the cell outputs = 1 holds 0; shares of a change need positive costs: leave the cell out"),
        (names, names, "none of curve is numeric with three levels or more; name one in numeric_factors to split a "
                       "change by it"),
        (twice, twice, "the effects of inputs, size cannot be parted: they vary together in the cells measured; "
                       "measure more cells or name fewer factors"),
    ):  # fmt: skip
        with pytest.raises(DataError) as error:
            attribute_change(before, after)
        assert str(error.value) == message
    with pytest.raises(SelectionError, match="no factor 'output'; did you mean 'outputs'"):
        attribute_change(table, table, ["output"])


def coverage(rounds: int, repeats: int) -> dict[str, float]:
    """How often the intervals hold the truth, and how often one exponent is rejected where there is one."""
    exact = values(attribute_change(run(1, 0.5, 3), run(1.5, 0.5, 3.6)))
    hits = dict.fromkeys(("fixed", "inputs", "outputs", "rest", "total", "difference", "rejected"), 0)
    for seed in range(rounds):
        found = attribute_change(
            run(1, 0.5, 3, noise=0.03, seed=2 * seed, repeats=repeats),
            run(1.5, 0.5, 3.6, noise=0.03, seed=2 * seed + 1, repeats=repeats),
        )
        for part in found.parts:
            name = part.factor or part.kind
            hits[name] += part.estimate.low <= exact[name] <= part.estimate.high
        hits["total"] += found.total.low <= sum(exact.values()) <= found.total.high
        test: ExponentTest = next(one for one in found.exponents if one.factor == "outputs")
        hits["difference"] += test.difference.low <= 0 <= test.difference.high
        hits["rejected"] += test.pvalue <= 0.05
    return {name: count / rounds for name, count in hits.items()}


def test_intervals_cover() -> None:
    """60 rounds at 3 % noise, three repeats: none below 95 % by more than 3.5 standard errors."""
    found = coverage(60, 3)
    assert found.pop("rejected") <= 0.05 + 3.5 * (0.95 * 0.05 / 60) ** 0.5
    assert min(found.values()) >= 0.95 - 3.5 * (0.95 * 0.05 / 60) ** 0.5


@pytest.mark.heavy
@pytest.mark.parametrize("repeats", [2, 5])
def test_intervals_cover_at_length(repeats: int) -> None:
    """800 rounds: 93 to 98 % (few repeats make them a little wide), and 2 to 6 % false rejections."""
    found = coverage(800, repeats)
    assert 0.02 <= found.pop("rejected") <= 0.06
    assert all(0.93 <= one <= 0.98 for one in found.values())


def test_level_zero_has_an_exponent_too() -> None:
    """Fan-out from 0: the power of 0 is 0, and the exponent comes out."""
    levels = np.array([0.0, 1.0, 10.0, 30.0, 100.0])
    costs = 20 + 3 * levels**0.8
    data = GrowthData(factor=levels, others=np.ones((5, 1)), costs=np.array([costs, costs]))
    found = compare_exponents("subscribers", [data], 1e-8, 20, 30, 0.95)
    assert found.baseline.value == pytest.approx(0.8, abs=1e-4)
    assert found.verdict == "did not change"


def test_separate_sessions_are_told_of() -> None:
    """Unless the runs took turns, a caveat says that the machine is part of every number."""
    table = run(1, 0.5, 3, noise=0.02)
    assert [(one.code, one.severity, one.message) for one in attribute_change(table, table).caveats] == [
        (
            "session-shift",
            "warning",
            "a difference of the machine between the two runs as a whole is part of every number here",
        )
    ]
    assert attribute_change(table, table, interleaved=True).caveats == ()


def test_a_slower_machine_moves_all_cells_alike() -> None:
    """3 % slower as a whole: one factor explains it, with an interval; a dearer output needs more than one."""
    before = run(1, 0.5, 3, noise=0.02)
    shifted = attribute_change(before, run(1, 0.5, 3, noise=0.02, seed=1, scale=1.03))
    assert shifted.proportional
    assert shifted.common_factor.low < 1.03 < shifted.common_factor.high
    assert shifted.common_factor.low > 1.0
    assert (shifted.common_factor.unit, shifted.common_factor.n) == ("x", 144)
    dearer = attribute_change(before, run(1, 0.5, 3.6, noise=0.02, seed=1))
    assert dearer.common_pvalue < 0.001
    assert not dearer.proportional


def test_the_common_factor_by_hand() -> None:
    """Three cells, two replicates: F of the interaction and the t interval, written out."""
    before, after = np.log([[1.0, 1.1], [2.0, 2.1], [4.0, 4.3]]), np.log([[1.2, 1.3], [2.2, 2.5], [4.9, 4.7]])

    def table(logs: np.ndarray) -> CellTable:
        return build_cells({"outputs": np.repeat([1, 2, 4], 2)}, np.exp(logs).ravel(), unit="s")

    changes = after.mean(axis=1) - before.mean(axis=1)
    within = (before.var(axis=1, ddof=1).sum() + after.var(axis=1, ddof=1).sum()) / 6
    found = attribute_change(table(before), table(after))
    # A change is a difference of two means of two.
    assert found.common_pvalue == pytest.approx(stats.f.sf(changes.var(ddof=1) / within, 2, 6), rel=1e-9)
    reach = stats.t.ppf(0.975, 6) * np.sqrt(within / 3)
    estimate = found.common_factor
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
        np.exp(changes.mean() + np.array([0, -reach, reach])), rel=1e-9
    )


def test_counts_that_repeat_exactly() -> None:
    """Without any scatter cells changed alike or they did not; without replicates nobody knows."""

    def counts(values: list[float], repeats: int = 2) -> CellTable:
        return build_cells({"outputs": np.repeat([1, 2, 4], repeats)}, np.repeat(values, repeats), unit="allocs/op")

    before = counts([10, 20, 40])
    assert attribute_change(before, counts([11, 22, 44])).common_pvalue == 1.0
    assert attribute_change(before, counts([11, 22, 45])).common_pvalue == 0.0
    single = attribute_change(counts([10, 20, 40], 1), counts([11, 22, 44], 1))
    assert math.isnan(single.common_pvalue)
    assert not single.proportional
    assert (single.common_factor.value, single.common_factor.has_interval) == (pytest.approx(1.1), False)


@pytest.mark.parametrize("rounds", [80, pytest.param(1500, marks=pytest.mark.heavy)])
def test_the_test_of_a_common_factor_keeps_its_level(rounds: int) -> None:
    """Runs that differ as wholes only: one factor is rejected in 1 of 20, and its interval holds the truth in 19."""
    rejected = covered = 0
    for seed in range(rounds):
        found = attribute_change(
            run(1, 0.5, 3, noise=0.03, seed=2 * seed), run(1, 0.5, 3, noise=0.03, seed=2 * seed + 1, scale=1.03)
        )
        rejected += not found.proportional
        covered += found.common_factor.low <= 1.03 <= found.common_factor.high
    reach = 3.5 * (0.95 * 0.05 / rounds) ** 0.5
    assert rejected / rounds <= 0.05 + reach
    assert covered / rounds >= 0.95 - reach


def test_a_word_among_levels_is_named() -> None:
    """A factor that one word makes a category is told of here too."""
    columns = {"size": [1, 2, 4, "lots"] * 3, "outputs": np.repeat([1, 2, 4], 4)}
    table = build_cells(columns, np.arange(1.0, 13.0), unit="s")
    assert "the level 'lots' makes size a category, though its other 3 levels are numbers" in [
        one.message for one in attribute_change(table, table).caveats
    ]
