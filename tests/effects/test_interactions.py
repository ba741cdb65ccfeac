"""What one factor does to the effect of another. Units, names and mixed levels: test_plain_effects."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.interactions import Interactions, SlopeRatio, find_interactions


def table(noise: float = 0.0, seed: int = 0, *, together: float = 0.0, cross: float = 1.0) -> CellTable:
    """(1 + 0.5 inputs + 3 outputs + together inputs outputs) x bits/32 x 1.6 on curve b, x cross for both."""
    grid = np.array([(b, c, i, o) for b in (32, 64) for c in (0, 1) for i in (1, 2, 3) for o in (1, 2, 4, 8)] * 6)
    bits, curve, inputs, outputs = grid.T
    costs = (1 + 0.5 * inputs + 3 * outputs + together * inputs * outputs) * bits / 32 * 1.6**curve
    costs = costs * np.where((bits == 64) & (curve == 1), cross, 1.0)
    factors = {"bits": bits, "curve": np.array(["a", "b"])[curve], "inputs": inputs, "outputs": outputs}
    return build_cells(factors, costs * np.random.default_rng(seed).lognormal(0, noise, bits.size), unit="s")


def ratio(interactions: Interactions, factor: str, by: str) -> SlopeRatio:
    (row,) = (row for row in interactions.slope_ratios if (row.factor, row.by) == (factor, by))
    return row


def messages(interactions: Interactions, code: str) -> list[str]:
    return [caveat.message for caveat in interactions.caveats if caveat.code == code]


def test_exact_costs_come_out_exactly() -> None:
    """Without noise an output costs twice as much at 64 bits, 1.6 times as much on b; nothing else interacts."""
    exact = find_interactions(table())
    for factor in ("inputs", "outputs"):
        by_bits = ratio(exact, factor, "bits")
        assert (by_bits.level, by_bits.baseline) == (64, 32)
        assert by_bits.ratio.value == pytest.approx(2.0, rel=1e-9)
        assert ratio(exact, factor, "curve").ratio.value == pytest.approx(1.6, rel=1e-9)
    assert [row.estimate.value for row in exact.slope_changes] == pytest.approx([0.0] * 4, abs=1e-9)
    (cross,) = exact.ratios_of_ratios
    assert (cross.factors, cross.levels, cross.baselines) == (("bits", "curve"), (64, "b"), (32, "a"))
    assert cross.estimate.value == pytest.approx(1.0, rel=1e-12)
    assert exact.caveats == ()


def test_numbers_and_categories_that_interact() -> None:
    """A product of inputs and outputs: its coefficient; a step on step of 1.2."""
    change = find_interactions(table(together=0.5)).slope_changes[0]
    assert (change.factors, dict(change.slice)) == (("inputs", "outputs"), {"bits": 32, "curve": "a"})
    assert (change.estimate.value, change.estimate.unit) == (pytest.approx(0.5, rel=1e-6), "s")
    (cross,) = find_interactions(table(0.02, 1, cross=1.2)).ratios_of_ratios
    assert cross.estimate.low < 1.2 < cross.estimate.high
    assert cross.estimate.high / cross.estimate.low < 1.05


def test_slices_that_disagree_are_told() -> None:
    """The step from 32 to 64 bits is 2 on a and 3 on b: the mean of the two says neither."""
    disagreeing = find_interactions(table(0.01, 2, cross=1.5))
    told = "the ratio of the cost of one outputs at bits = 64 against 32 is not the same in all 2 slices"
    assert any(message.startswith(told) for message in messages(disagreeing, "effect-differs"))


def test_a_slope_of_nothing_has_no_ratio() -> None:
    """Inputs that cost nothing: the ratio is refused."""
    grid = np.array([(b, i, o) for b in (32, 64) for i in (1, 2, 3) for o in (1, 2, 4)] * 4)
    costs = grid[:, 2] * grid[:, 0] * np.random.default_rng(3).lognormal(0, 0.02, len(grid))
    factors = {"bits": grid[:, 0], "inputs": grid[:, 1], "outputs": grid[:, 2]}
    interactions = find_interactions(build_cells(factors, costs, unit="s"))
    row = ratio(interactions, "inputs", "bits")
    assert math.isnan(row.ratio.value)
    assert not row.ratio.has_interval
    assert messages(interactions, "no-ratio") == ["a slope of inputs at bits = 64 against 32 cannot be told from 0"]


@pytest.mark.parametrize(
    ("factors", "values", "code", "told"),
    [
        ({"curve": ["a", "b"], "executor": ["x", "y"]}, [1.0, 2.0], "confounded",
         ["no four cells alike in all else cross two levels of curve and executor"]),
        ({"inputs": [1, 2, 3, 4], "outputs": [2, 4, 6, 8]}, [1.0, 2.0, 3.0, 4.0], "confounded",
         ["inputs, outputs vary together: their effects cannot be parted",
          "the cells cannot tell what inputs, outputs do together from what each does"]),
        *(({"curve": ["a", "a", "b", "b"], "x": ["p", "q"] * 2}, values, "no-ratio",
           ["1 of 1 fours of cells of curve, x hold a 0 or less"])
          for values in ([0.0] * 4, [-1.0, 1.0, 2.0, 3.0])),
    ],
)  # fmt: skip
def test_what_the_cells_cannot_tell(factors: dict, values: list[float], code: str, told: list[str]) -> None:
    """Factors never crossed are named; two levels of each number leave a product no room; no logarithm, no ratio."""
    interactions = find_interactions(build_cells(factors, values, unit="s"))
    assert (interactions.ratios_of_ratios, interactions.slope_changes) == ((), ())
    assert messages(interactions, code) == told


@pytest.mark.parametrize("rounds", [40, pytest.param(300, marks=pytest.mark.heavy)])
def test_intervals_cover(rounds: int) -> None:
    """At 5 % noise no less than 95 % by more than 3.5 standard errors; of 300 rounds 91 to 99 %.

    But for a ratio of slopes, which lack of fit widens: the slope of an additive fit, where truth has a product, is
    twice as large at 64 bits all the same.
    """
    hits = {"slopes": 0, "product": 0, "ratios": 0}
    for seed in range(rounds):
        bent = find_interactions(table(0.05, 100 + seed, together=0.2))
        for name, estimate, truth in (
            ("slopes", ratio(bent, "outputs", "bits").ratio, 2),
            ("product", bent.slope_changes[0].estimate, 0.2),
            ("ratios", bent.ratios_of_ratios[0].estimate, 1),
        ):
            hits[name] += estimate.low <= truth <= estimate.high
    slack = max(0.02, 3.5 * (0.95 * 0.05 / rounds) ** 0.5)
    assert min(hits.values()) / rounds >= 0.95 - slack
    assert max(count for name, count in hits.items() if name != "slopes") / rounds <= 0.95 + slack
