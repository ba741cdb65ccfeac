"""Shares of the variance of each factor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from benchlib.effects.anova import VarianceShares, share_variance
from benchlib.effects.cells import build_cells


def share_out(values: Sequence[float], **factors: Sequence[object]) -> VarianceShares:
    return share_variance(build_cells(factors, values, unit="s").cells, tuple(factors))


def test_shares_by_hand() -> None:
    """Of logarithms: balanced products add up to 1; replicates that differ leave less, 4 of 8 squared units here."""
    table = share_out(np.exp([0.0, 1, 2, 3]), a=[1, 2, 1, 2], b=["x", "x", "y", "y"])
    assert table.shares == pytest.approx({"b": 0.8, "a": 0.2}, abs=1e-12)
    assert list(table.shares) == ["b", "a"]
    assert share_out(np.exp([0.0, 2.0, 2.0, 4.0]), a=[1, 1, 2, 2]).shares == pytest.approx({"a": 0.5}, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "codes"), [([5.0] * 4, []), ([0.0] * 4, ["no-ratio"]), ([1.0, -1.0, 2.0, 2.0], ["no-ratio"])]
)
def test_nothing_to_share(values: list[float], codes: list[str]) -> None:
    """Constant responses have no shares; those without a logarithm say why."""
    table = share_out(values, a=[1, 1, 2, 2])
    assert table.shares == {}
    assert [caveat.code for caveat in table.caveats] == codes


def measured(seed: int, *, drop: float = 0.0, without: Sequence[tuple[int, int, int]] = ()) -> pd.DataFrame:
    """Three factors, three replicates; values left out at random, and whole cells as named."""
    random = np.random.default_rng(seed)
    grid = np.array([(a, b, c) for a in range(3) for b in range(4) for c in range(2)] * 3)
    grid = grid[random.random(len(grid)) >= drop]
    grid = np.array([row for row in grid if tuple(row) not in set(without)])
    a, b, c = grid.T
    logs = 0.5 * a + np.sqrt(b) + 0.05 * a * c + 0.02 * c + random.normal(0, 0.1, len(grid))
    return pd.DataFrame({"a": a, "b": b, "c": c, "y": logs})


def by_benchlib(data: pd.DataFrame, names: str = "abc") -> VarianceShares:
    return share_out(np.exp(data["y"]), **{name: data[name].tolist() for name in names})


@pytest.mark.parametrize(
    "data",
    [
        measured(1),
        measured(2, drop=0.25),
        measured(3, without=[(2, 3, 1), (0, 0, 0)]),
        measured(4, drop=0.2, without=[(1, 1, 0)]),
    ],
    ids=["balanced", "unequal replicates", "missing cells", "both"],
)
def test_equal_to_statsmodels(data: pd.DataFrame) -> None:
    """Shares of the sums of squares of anova_lm(typ=2), to 1e-8, with all interactions in twos in the model."""
    expected = anova_lm(ols("y ~ (C(a) + C(b) + C(c))**2", data).fit(), typ=2)
    total = ((data["y"] - data["y"].mean()) ** 2).sum()
    table = by_benchlib(data)
    shares = {factor: expected.loc[f"C({factor})", "sum_sq"] / total for factor in "abc"}
    assert table.shares == pytest.approx(shares, rel=1e-8)
    assert list(table.shares.values()) == sorted(table.shares.values(), reverse=True)
    assert table.caveats == ()


def test_confounded_factors_are_named() -> None:
    """Two factors that change together are one: neither gets a share, the third keeps its own."""
    data = measured(6)
    data["c"] = data["a"] * 10
    table = by_benchlib(data)
    (warned,) = table.caveats
    assert warned.code == "confounded"
    assert warned.message.startswith("the cells measured cannot tell a, c, ")
    assert table.shares["b"] == pytest.approx(by_benchlib(data, "ab").shares["b"], rel=1e-8)
    assert (table.shares["a"], table.shares["c"]) == (0.0, 0.0)


def test_unit_order_and_copies() -> None:
    """A unit changes nothing, nor the order of rows; copies of all values change no share."""
    data = measured(8, drop=0.2)
    shares = by_benchlib(data).shares
    scaled, turned = data.assign(y=data["y"] + np.log(1e9)), data.sample(frac=1, random_state=1)
    for other in (scaled, turned, pd.concat([data, data])):
        assert by_benchlib(other).shares == pytest.approx(shares, rel=1e-6)


def test_what_is_too_large_to_share() -> None:
    """An unbalanced table of 40 x 40 levels keeps its main effects, one of 1,000 levels none; a balanced one all."""
    grid = np.array([(a, b) for a in range(40) for b in range(40)])
    values = np.exp(0.1 * grid[:, 0] + 0.01 * grid[:, 1])
    table = share_out(values[:-1], a=grid[:-1, 0], b=grid[:-1, 1])
    assert list(table.shares) == ["a", "b"]
    assert (
        "variance-left-out",
        "1601 combinations of levels in twos are too many to share an unbalanced variance over (at most 600)",
    ) in [(caveat.code, caveat.message) for caveat in table.caveats]
    assert share_out(values, a=grid[:, 0], b=grid[:, 1]).caveats == ()
    table = share_out(np.arange(1.0, 1002.0), size=[*range(1000), 0])
    assert table.shares == {}
    assert [caveat.message for caveat in table.caveats] == [
        "1000 levels are too many to share an unbalanced variance over (at most 600)"
    ]
