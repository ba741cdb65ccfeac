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


def test_balanced_shares_by_hand() -> None:
    """In a balanced table of products the shares are those of the logarithms, and add up to 1."""
    table = build_cells({"a": [1, 2, 1, 2], "b": ["x", "x", "y", "y"]}, [1.0, np.e, np.e**2, np.e**3], unit="s")
    shares = analyse_variance(table.cells, ("a", "b")).main_shares
    assert shares == pytest.approx({"b": 0.8, "a": 0.2}, abs=1e-12)
    assert list(shares) == ["b", "a"]


def test_noise_takes_its_share() -> None:
    """Replicates that differ leave less to the factor: 4 of 8 squared units here."""
    logs = np.array([0.0, 2.0, 2.0, 4.0])
    table = build_cells({"a": [1, 1, 2, 2]}, np.exp(logs), unit="s")
    assert analyse_variance(table.cells, ("a",)).main_shares == pytest.approx({"a": 0.5}, abs=1e-12)


def test_unbalanced_type_two() -> None:
    """What is lost without a factor, the other staying in: least squares by hand."""
    a, b = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 0, 1])
    logs = np.array([0.0, 0.2, 1.0, 2.0, 3.5])
    table = build_cells({"a": a, "b": b}, np.exp(logs), unit="s")

    def left(*columns: np.ndarray) -> float:
        design = np.column_stack([np.ones(5), *columns])
        return float(((logs - design @ np.linalg.lstsq(design, logs, rcond=None)[0]) ** 2).sum())

    total = float(((logs - logs.mean()) ** 2).sum())
    expected = {"a": (left(b) - left(a, b)) / total, "b": (left(a) - left(a, b)) / total}
    assert analyse_variance(table.cells, ("a", "b")).main_shares == pytest.approx(expected, abs=1e-12)


def test_nothing_to_share() -> None:
    """Constant or zero responses have no shares; zeros say why."""
    for values, codes in (([5.0] * 4, []), ([0.0] * 4, ["no-ratio"])):
        table = build_cells({"a": [1, 1, 2, 2]}, values, unit="s")
        assert analyse_variance(table.cells, ("a",)).main_shares == {}
        assert [one.code for one in analyse_variance(table.cells, ("a",)).caveats] == codes


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
    cells = build_cells({name: data[name].tolist() for name in names}, np.exp(data["y"]), unit="s").cells
    return analyse_variance(cells, tuple(names))


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
    found = by_benchlib(data)
    assert len(found.rows) == 6
    for row in found.rows:
        theirs = expected.loc[":".join(f"C({one})" for one in row.factors)]
        assert row.sum_of_squares == pytest.approx(theirs["sum_sq"], rel=1e-8)
        assert row.degrees_of_freedom == theirs["df"]
        assert row.f == pytest.approx(theirs["F"], rel=1e-8)
        assert row.pvalue == pytest.approx(theirs["PR(>F)"], rel=1e-7)
        total = ((data["y"] - data["y"].mean()) ** 2).sum()
        assert row.share == pytest.approx(theirs["sum_sq"] / total, rel=1e-8)
        noise = expected.loc["Residual", "sum_sq"] / expected.loc["Residual", "df"]
        omega = max((theirs["sum_sq"] - theirs["df"] * noise) / (total + noise), 0.0)
        assert row.adjusted_share == pytest.approx(omega, rel=1e-7, abs=1e-12)
        assert row.adjusted_pvalue == pytest.approx(min(6 * theirs["PR(>F)"], 1.0), rel=1e-7)
        assert row.shown == (6 * theirs["PR(>F)"] <= 0.05)
    assert found.residual == pytest.approx(expected.loc["Residual", "sum_sq"], rel=1e-8)
    assert found.residual_degrees_of_freedom == expected.loc["Residual", "df"]
    assert [row.share for row in found.rows] == sorted((row.share for row in found.rows), reverse=True)
    assert found.caveats == ()


def null_table(levels: int, repeats: int, seed: int) -> VarianceTable:
    """A factor that does nothing."""
    names = np.repeat([f"l{place}" for place in range(levels)], repeats).tolist()
    values = np.random.default_rng(seed).lognormal(0, 0.05, levels * repeats)
    return analyse_variance(build_cells({"f": names}, values, unit="s").cells, ("f",))


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


def test_without_residual_freedom_no_adjusted_share() -> None:
    """Twenty levels measured once take the whole variance, and nothing says how much of it is noise."""
    (row,) = null_table(20, 1, 0).rows
    assert row.share == pytest.approx(1.0)
    assert np.isnan([row.adjusted_share, row.pvalue, row.adjusted_pvalue]).all()
    assert not row.shown


def test_a_level_can_be_asked() -> None:
    """Rows are shown at the level asked; what is no level is refused."""
    cells = build_cells({"a": [1, 1, 1, 2, 2, 2]}, [1.0, 1.1, 1.2, 1.2, 1.3, 1.4], unit="s").cells
    (row,) = analyse_variance(cells, ("a",)).rows
    assert 0.05 < row.pvalue < 0.15
    assert not row.shown
    assert analyse_variance(cells, ("a",), confidence_level=0.8).rows[0].shown
    with pytest.raises(DataError, match=r"^confidence level 95 is not between 0 and 1; write 95 % as 0.95$"):
        analyse_variance(cells, ("a",), confidence_level=95)


def test_means_and_least_squares_agree() -> None:
    """A balanced table gives the same through marginal means as one value short of it gives in the limit."""
    data = measured(5)
    # A second copy of one row makes the counts unequal without moving a mean of logarithms far.
    balanced, tilted = by_benchlib(data), by_benchlib(pd.concat([data] * 200 + [data.iloc[:1]], ignore_index=True))
    shares = {row.factors: row.share for row in tilted.rows}
    for row in balanced.rows:
        assert shares[row.factors] == pytest.approx(row.share, rel=0.01, abs=1e-5)


def test_confounded_factors_are_named() -> None:
    """Two factors that change together are one: neither gets a share, the third keeps its own."""
    data = measured(6)
    data["c"] = data["a"] * 10
    found = by_benchlib(data)
    lost = {row.factors for row in found.rows if row.degrees_of_freedom == 0}
    assert lost == {("a",), ("c",), ("a", "c"), ("a", "b"), ("b", "c")}
    (warned,) = found.caveats
    assert warned.code == "confounded"
    assert warned.message.startswith("the cells measured cannot tell a, c, ")
    shares = {row.factors: row.share for row in found.rows}
    assert shares["b",] == pytest.approx({r.factors: r.share for r in by_benchlib(data, "ab").rows}["b",], rel=1e-8)
    assert found.main_shares["a"] == 0.0


def test_degrees_of_freedom_that_missing_cells_take() -> None:
    """An interaction is tested on what is left of it: 1 of 2 degrees of freedom with a corner missing."""
    cells = [(a, b) for a in range(2) for b in range(3) if (a, b) != (1, 2)] * 2
    logs = np.array([0.1 * place for place in range(len(cells))])
    table = build_cells({"a": [a for a, _ in cells], "b": [b for _, b in cells]}, np.exp(logs), unit="s")
    degrees = {row.factors: row.degrees_of_freedom for row in analyse_variance(table.cells, ("a", "b")).rows}
    assert degrees == {("a",): 1, ("b",): 2, ("a", "b"): 1}


def test_without_replicates_no_test() -> None:
    """Cells measured once have shares but neither F nor p: what is left over is interaction, not noise."""
    data = measured(7).drop_duplicates(["a", "b", "c"])
    found = by_benchlib(data)
    assert all(np.isnan(row.f) and np.isnan(row.pvalue) and row.share >= 0 for row in found.rows)
    assert [one.code for one in found.caveats] == ["one-replicate"]


def test_unit_order_and_copies() -> None:
    """A unit changes nothing, nor the order of rows; copies of all values change no share."""
    data = measured(8, drop=0.2)
    one = {row.factors: row for row in by_benchlib(data).rows}
    scaled = by_benchlib(data.assign(y=data["y"] + np.log(1e9)))
    shuffled = by_benchlib(data.sample(frac=1, random_state=1))
    doubled = by_benchlib(pd.concat([data, data]))
    for other in (scaled, shuffled):
        for row in other.rows:
            assert row.share == pytest.approx(one[row.factors].share, rel=1e-7)
            assert row.pvalue == pytest.approx(one[row.factors].pvalue, rel=1e-6)
    for row in doubled.rows:
        assert row.share == pytest.approx(one[row.factors].share, rel=1e-7)


def test_too_many_combinations() -> None:
    """An unbalanced table of 40 x 40 levels keeps its main effects, and says that interactions are left out."""
    grid = np.array([(a, b) for a in range(40) for b in range(40)][:-1])
    values = np.exp(0.1 * grid[:, 0] + 0.01 * grid[:, 1])
    table = build_cells({"a": grid[:, 0], "b": grid[:, 1]}, values, unit="s")
    found = analyse_variance(table.cells, ("a", "b"))
    assert [row.factors for row in found.rows] == [("a",), ("b",)]
    assert (
        "variance-left-out",
        "1601 combinations of levels in twos are too many to share an unbalanced variance over (at most 600)",
    ) in [(one.code, one.message) for one in found.caveats]
    complete = build_cells({"a": [*grid[:, 0], 39], "b": [*grid[:, 1], 39]}, [*values, np.exp(4.29)], unit="s")
    assert len(analyse_variance(complete.cells, ("a", "b")).rows) == 3


def test_too_many_levels() -> None:
    """One factor of 1,000 levels, unequally often measured: no table of a million numbers is laid out."""
    levels = [*range(1000), 0]
    table = build_cells({"size": levels}, np.arange(1.0, 1002.0), unit="s")
    found = analyse_variance(table.cells, ("size",))
    assert (found.rows, found.n_cells, found.n) == ((), 1000, 1001)
    assert [one.message for one in found.caveats] == [
        "1000 levels are too many to share an unbalanced variance over (at most 600)"
    ]


def test_malformed() -> None:
    """No cell, or a factor that is not there."""
    table = build_cells({"bits": [1, 2]}, [1.0, 2.0], unit="s")
    with pytest.raises(DataError, match=r"^the cells have no factor 'curve'; they have bits$"):
        analyse_variance(table.cells, ("curve",))
    with pytest.raises(DataError, match=r"^there is no cell to share the variance of; at least 2 are needed$"):
        analyse_variance((), ("bits",))
