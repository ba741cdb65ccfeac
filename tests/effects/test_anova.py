"""Shares of the variance, and the tests beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from benchlib.effects.anova import VarianceTable, analyse_variance
from benchlib.effects.cells import build_cells
from benchlib.errors import DataError


def share_out(values: Sequence[float], level: float = 0.95, **factors: Sequence[object]) -> VarianceTable:
    return analyse_variance(build_cells(factors, values, unit="s").cells, tuple(factors), confidence_level=level)


def test_shares_by_hand() -> None:
    """Of logarithms: balanced products add up to 1; replicates that differ leave less, 4 of 8 squared units here."""
    table = share_out(np.exp([0.0, 1, 2, 3]), a=[1, 2, 1, 2], b=["x", "x", "y", "y"])
    assert table.main_shares == pytest.approx({"b": 0.8, "a": 0.2}, abs=1e-12)
    assert list(table.main_shares) == ["b", "a"]
    assert (table.together_share, table.residual_share) == pytest.approx((0, 0), abs=1e-12)
    table = share_out(np.exp([0.0, 2.0, 2.0, 4.0]), a=[1, 1, 2, 2])
    assert table.main_shares == pytest.approx({"a": 0.5}, abs=1e-12)
    assert (table.residual_share, table.residual_degrees_of_freedom) == (pytest.approx(0.5), 2)


@pytest.mark.parametrize(
    ("values", "codes"), [([5.0] * 4, []), ([0.0] * 4, ["no-ratio"]), ([1.0, -1.0, 2.0, 2.0], ["no-ratio"])]
)
def test_nothing_to_share(values: list[float], codes: list[str]) -> None:
    """Constant responses have no shares; those without a logarithm say why."""
    table = share_out(values, a=[1, 1, 2, 2])
    assert table.main_shares == {}
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


def by_benchlib(data: pd.DataFrame, names: str = "abc") -> VarianceTable:
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
    """Sums of squares, degrees of freedom, F and p of every row are those of anova_lm(typ=2), to 1e-8."""
    expected = anova_lm(ols("y ~ (C(a) + C(b) + C(c))**2", data).fit(), typ=2)
    table = by_benchlib(data)
    assert len(table.rows) == 6
    total = ((data["y"] - data["y"].mean()) ** 2).sum()
    noise = expected.loc["Residual", "sum_sq"] / expected.loc["Residual", "df"]
    for row in table.rows:
        squares, degrees, f, pvalue = expected.loc[":".join(f"C({factor})" for factor in row.factors)]
        assert (row.sum_of_squares, row.f) == pytest.approx((squares, f), rel=1e-8)
        assert row.degrees_of_freedom == degrees
        assert (row.pvalue, row.adjusted_pvalue) == pytest.approx((pvalue, min(6 * pvalue, 1.0)), rel=1e-7)
        assert row.share == pytest.approx(squares / total, rel=1e-8)
        omega = max((squares - degrees * noise) / (total + noise), 0.0)
        assert row.adjusted_share == pytest.approx(omega, rel=1e-7, abs=1e-12)
        assert row.shown == (6 * pvalue <= 0.05)
    assert table.residual == pytest.approx(expected.loc["Residual", "sum_sq"], rel=1e-8)
    assert table.residual_degrees_of_freedom == expected.loc["Residual", "df"]
    assert [row.share for row in table.rows] == sorted((row.share for row in table.rows), reverse=True)
    assert table.together_share == pytest.approx(sum(row.share for row in table.rows if len(row.factors) == 2))
    assert table.caveats == ()


def null_table(levels: int, repeats: int, seed: int) -> VarianceTable:
    """A factor that does nothing."""
    names = np.repeat([f"l{place}" for place in range(levels)], repeats).tolist()
    return share_out(np.random.default_rng(seed).lognormal(0, 0.05, levels * repeats), f=names)


@pytest.mark.parametrize(("levels", "repeats"), [(10, 2), (20, 3), (5, 5)])
def test_noise_has_no_adjusted_share(levels: int, repeats: int) -> None:
    """A factor that does nothing, 200 tables: 17 to 47 % of the variance, adjusted most often 0, shown in 1 of 20.

    The adjusted share has about the mean 0 before it is cut there; what is left of it is the spread above 0.
    """
    rows = [null_table(levels, repeats, seed).rows[0] for seed in range(200)]
    expected = (levels - 1) / (levels * repeats - 1)
    assert np.mean([row.share for row in rows]) == pytest.approx(expected, abs=0.05)
    assert np.mean([row.adjusted_share for row in rows]) <= 0.4 * expected
    assert np.mean([row.adjusted_share == 0 for row in rows]) >= 0.45
    assert np.mean([row.shown for row in rows]) <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


def test_without_replicates_no_test() -> None:
    """Levels measured once take the whole variance; what several factors leave over is interaction, not noise."""
    (row,) = null_table(20, 1, 0).rows
    assert row.share == pytest.approx(1.0)
    assert np.isnan([row.adjusted_share, row.pvalue, row.adjusted_pvalue]).all()
    assert not row.shown
    table = by_benchlib(measured(7).drop_duplicates(["a", "b", "c"]))
    assert all(np.isnan(row.f) and np.isnan(row.pvalue) and row.share >= 0 for row in table.rows)
    assert [caveat.code for caveat in table.caveats] == ["one-replicate"]


def test_a_level_can_be_asked() -> None:
    """Rows are shown at the level asked; what is no level is refused."""
    values, a = [1.0, 1.1, 1.2, 1.2, 1.3, 1.4], [1, 1, 1, 2, 2, 2]
    (row,) = share_out(values, a=a).rows
    assert 0.05 < row.pvalue < 0.15
    assert not row.shown
    assert share_out(values, 0.8, a=a).rows[0].shown
    with pytest.raises(DataError, match=r"^confidence level 95 is not between 0 and 1; write 95 % as 0.95$"):
        share_out(values, 95, a=a)


def test_confounded_factors_are_named() -> None:
    """Two factors that change together are one: neither gets a share, the third keeps its own."""
    data = measured(6)
    data["c"] = data["a"] * 10
    table = by_benchlib(data)
    lost = {row.factors for row in table.rows if row.degrees_of_freedom == 0}
    assert lost == {("a",), ("c",), ("a", "c"), ("a", "b"), ("b", "c")}
    (warned,) = table.caveats
    assert warned.code == "confounded"
    assert warned.message.startswith("the cells measured cannot tell a, c, ")
    shares, alone = ({row.factors: row.share for row in own.rows} for own in (table, by_benchlib(data, "ab")))
    assert shares["b",] == pytest.approx(alone["b",], rel=1e-8)
    assert table.main_shares["a"] == 0.0


def test_degrees_of_freedom_that_missing_cells_take() -> None:
    """An interaction is tested on what is left of it: 1 of 2 degrees of freedom with a corner missing."""
    cells = [(a, b) for a in range(2) for b in range(3) if (a, b) != (1, 2)] * 2
    table = share_out(np.exp(0.1 * np.arange(10)), a=[a for a, _ in cells], b=[b for _, b in cells])
    degrees = {row.factors: row.degrees_of_freedom for row in table.rows}
    assert degrees == {("a",): 1, ("b",): 2, ("a", "b"): 1}


def test_unit_order_and_copies() -> None:
    """A unit changes nothing, nor the order of rows; copies of all values change no share."""
    data = measured(8, drop=0.2)
    shares = {row.factors: (row.share, row.pvalue) for row in by_benchlib(data).rows}
    for other in (data.assign(y=data["y"] + np.log(1e9)), data.sample(frac=1, random_state=1)):
        for row in by_benchlib(other).rows:
            assert (row.share, row.pvalue) == pytest.approx(shares[row.factors], rel=1e-6)
    for row in by_benchlib(pd.concat([data, data])).rows:
        assert row.share == pytest.approx(shares[row.factors][0], rel=1e-7)


def test_what_is_too_large_to_share() -> None:
    """An unbalanced table of 40 x 40 levels keeps its main effects, one of 1,000 levels none; a balanced one all."""
    grid = np.array([(a, b) for a in range(40) for b in range(40)])
    values = np.exp(0.1 * grid[:, 0] + 0.01 * grid[:, 1])
    table = share_out(values[:-1], a=grid[:-1, 0], b=grid[:-1, 1])
    assert [row.factors for row in table.rows] == [("a",), ("b",)]
    assert (
        "variance-left-out",
        "1601 combinations of levels in twos are too many to share an unbalanced variance over (at most 600)",
    ) in [(caveat.code, caveat.message) for caveat in table.caveats]
    assert len(share_out(values, a=grid[:, 0], b=grid[:, 1]).rows) == 3
    table = share_out(np.arange(1.0, 1002.0), size=[*range(1000), 0])
    assert (table.rows, table.n_cells, table.n) == ((), 1000, 1001)
    assert [caveat.message for caveat in table.caveats] == [
        "1000 levels are too many to share an unbalanced variance over (at most 600)"
    ]


def test_malformed() -> None:
    """No cell, or a factor that is not there."""
    cells = build_cells({"bits": [1, 2]}, [1.0, 2.0], unit="s").cells
    with pytest.raises(DataError, match=r"^the cells have no factor 'curve'; they have bits$"):
        analyse_variance(cells, ("curve",))
    with pytest.raises(DataError, match=r"^there is no cell to share the variance of; at least 2 are needed$"):
        analyse_variance((), ("bits",))
