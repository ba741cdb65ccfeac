"""The search: fits against other ways to the same numbers, many factors within bounds, simulated tables recovered.

With 20 tables the standard error of a share of 95 % is 4.9 points, so the quick version allows twelve points more on
either side, the long one with 80 tables six. They catch a wrong price, weight or quantile, which costs 5 to 50;
``benchmarks/effects_recovery.py`` counts thousands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from benchlib.effects.cells import CellTable, build_cells
from benchlib.effects.cost_models import fit_cost_model
from benchlib.effects.hypotheses import (
    Columns,
    Hypothesis,
    Observed,
    bic_of,
    fit_hypotheses,
    observe,
    slots_of,
    solve,
    stack_columns,
)
from benchlib.effects.search import assess, error_variance, search
from benchlib.effects.shapes import (
    MOST_FACTORS,
    TERM_SETS,
    Shape,
    Term,
    grow_shapes,
    prices_of,
    scale_of,
    shapes_of,
    used_factors,
)
from benchlib.errors import DataError
from tests.effects.simulations import FIRST, SECOND, Scenario, count, fit_tables, simulate
from tests.effects.tables import grid, numbers, table_of

STANDARD = TERM_SETS["standard"]
LINE = Hypothesis(structure=((0,),), terms=(Term(power=1.0, log=0),), treatments=())
X = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32])


def observed_line(noise: float = 0.03) -> Observed:
    """Ten levels of a line, five replicates each."""
    return observe(table_of({"x": X}, 2 + 0.5 * X, noise=noise).cells, ["x"], [], "sec")


# Fits and what speaks for them.


def test_fits_equal_scipy() -> None:
    """Gauss-Newton steps end where scipy's least squares on logarithms does."""
    random = np.random.default_rng(1)
    x, y = np.tile([1.0, 2, 4, 8], 4), np.repeat([1.0, 3, 9, 27], 4)
    linear = np.column_stack([np.ones(16), x, y * x])
    counts = random.integers(1, 9, 16).astype(float)
    logs = np.log(linear @ [3.0, 0.5, 0.02] * np.where(y > 3, 1.7, 1.0)) + 0.1 * random.standard_normal(16)
    scales = (y > 3).astype(float)[:, None]
    solved = solve(Columns(linear=linear[None], scales=scales[None]), logs[None], counts[None], rounds=30)

    def residuals(parameters: np.ndarray) -> np.ndarray:
        return np.sqrt(counts) * (logs - np.log(linear @ parameters[:3]) - scales @ parameters[3:])

    best = optimize.least_squares(residuals, [3.0, 0.5, 0.02, 0.5], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert np.append(solved.coefficients[0], solved.scales[0]) == pytest.approx(best.x, rel=1e-6)
    assert solved.sum_of_squares[0] == pytest.approx(2 * best.cost, rel=1e-9)


def test_many_columns_are_solved_and_those_that_follow_from_others_are_marked() -> None:
    """Forty columns give back what costs were made of; a column that is the sum of two others leaves no fit."""
    random = np.random.default_rng(4)
    linear = random.uniform(size=(2, 120, 40))
    linear[1, :, 30] = linear[1, :, 3] + linear[1, :, 17]
    made_of = random.uniform(1, 2, 40)
    logs = np.log(np.einsum("fcp,p->fc", linear, made_of))
    solved = solve(Columns(linear=linear, scales=np.empty((2, 120, 0))), logs, np.ones((1, 120)), rounds=30)
    assert solved.coefficients[0] == pytest.approx(made_of, rel=1e-7)
    assert np.isinf(solved.sum_of_squares).tolist() == [False, True]


def described(cells: int, freedom: int, within: float) -> Observed:
    """Cells of which only their number and the scatter of their replicates matter."""
    per_cell = np.full(cells, 1 + freedom / cells)
    return replace(
        observed_line(), logs=np.zeros(cells), counts=per_cell, pure_error=within, pure_freedom=freedom, apart=0
    )


@pytest.mark.parametrize("between", [0.001, 0.02, 0.5])
def test_the_criterion_is_the_likelihood_at_its_maximum(between: float) -> None:
    """Twice the log-likelihood of cells that stray and replicates that scatter, maximised by brute force.

    A cell set apart counts as a coefficient, and as a choice among all cells: twice the logarithm of their number.
    """
    cells, within_freedom, within, replicates = 12, 48, 0.08, 5

    def deviance(parameters: np.ndarray) -> float:
        noise, stray = np.exp(parameters)
        cell = noise + replicates * stray
        return float(within_freedom * np.log(noise) + within / noise + cells * np.log(cell) + between / cell)

    starts = [np.log([within / 48, stray]) for stray in (1e-9, 1e-4, 1e-2)]
    bounds = [(-20.0, 5.0), (-40.0, 5.0)]
    best = min(optimize.minimize(deviance, start, bounds=bounds, options={"ftol": 1e-14}).fun for start in starts)
    bic = float(bic_of(described(cells, within_freedom, within), np.array(between), 0))
    assert bic + cells + within_freedom == pytest.approx(best, abs=1e-3)
    whole = observed_line()
    plain = float(bic_of(whole, np.array(between), 3))
    rest = whole.without(np.arange(X.size) == 3)
    assert float(bic_of(rest, np.array(between), 2)) - plain == pytest.approx(
        2 * math.log(X.size) + deviance_of(rest, between) - deviance_of(whole, between)
    )


def deviance_of(observed: Observed, between: float) -> float:
    """-2 log L of so much between cells, up to a constant: see `benchlib.effects.hypotheses`."""
    cells, freedom = observed.cells + observed.apart, observed.pure_freedom
    within = observed.pure_error / freedom
    if between / cells <= within:
        return (cells + freedom) * math.log((between + observed.pure_error) / (cells + freedom))
    return cells * math.log(between / cells) + freedom * math.log(within)


@pytest.mark.parametrize(
    ("cells", "between", "freedom", "pooled"),
    [
        (25, 0.5, 23, False),
        (25, 0.005, 23, False),
        (4, 0.002, 22, True),
        (4, 0.5, 2, False),
        (3, 0.5, 1, False),
        (2, 0.0, 20, True),
    ],
)
def test_which_variance_intervals_are_made_of(cells: int, between: float, freedom: int, pooled: bool) -> None:
    """Between cells where there are enough, or where they stray; with that of replicates where neither holds."""
    variance = error_variance(described(cells, 20, 0.05), between, 2)
    assert variance.degrees_of_freedom == freedom
    assert variance.single == pytest.approx((between + 0.05) / freedom if pooled else between / freedom)
    assert (variance.within == variance.single) == pooled


def test_lack_of_fit_is_the_f_test() -> None:
    """Against the textbook sums of squares of a constant, on logarithms by scipy."""
    values = np.exp(0.05 * np.random.default_rng(7).standard_normal(20)) * 3
    model = fit_cost_model(build_cells({"x": np.repeat([1.0, 2, 4, 8, 16], 4).tolist()}, values, unit="sec"))
    assert model.chosen.structure == "constant"
    assert model.lack_of_fit == pytest.approx(float(stats.f_oneway(*np.log(values).reshape(5, 4)).pvalue), rel=1e-9)


def test_left_out_residuals_are_those_of_fits_without_the_cell() -> None:
    """The hat matrix of the linearised model against one fit for each cell, that cell weighing nothing."""
    observed = observed_line()
    (fitted,) = fit_hypotheses(observed, [LINE], {"one factor": 0.0})
    columns = stack_columns([(LINE, slots_of(LINE, observed.space))], observed.space)
    counts = np.where(np.eye(X.size, dtype=bool), 0.0, observed.counts)
    every = Columns(linear=np.repeat(columns.linear, X.size, axis=0), scales=np.repeat(columns.scales, X.size, axis=0))
    solved = solve(every, observed.logs[None], counts, rounds=30)
    without = observed.logs - np.log(np.einsum("cp,cp->c", columns.linear[0], solved.coefficients))
    assert assess(fitted, observed).left_out_residuals == pytest.approx(without, rel=0.05, abs=1e-4)


def test_terms_are_those_of_their_set_and_grow_with_their_factor() -> None:
    """The standard set has nine terms, the wide one those of Extra-P 4.2.5; at any level they are finite and rise."""
    standard, wide = ({(term.power, term.log) for term in TERM_SETS[name]} for name in ("standard", "wide"))
    assert standard == {(0, 1)} | {(power, log) for power in (0.5, 1, 1.5, 2) for log in (0, 1)}
    assert standard < wide
    # Extra-P 4.2.5, its default exponents: by power of the logarithm, those of the factor in twelfths and 4/5.
    powers = {log: sorted(round(12 * power, 9) for power, own in wide if own == log) for log in (0, 1, 2)}
    assert powers[0] == [3, 4, 6, 8, 9, 9.6, 12, 15, 16, 18, 20, 21, 24, 27, 28, 30, 32, 33, 36]
    assert powers[1] == [0, 3, 4, 6, 8, 9, 12, 15, 16, 18, 24, 30, 36]
    assert powers[2] == [0, 3, 4, 6, 8, 9, 12, 18, 24, 30]
    for levels in ([0, 1, 10, 100], [0.1, 0.5, 0.9], [1, 2, 4]):
        scale = scale_of("x", levels)
        for term in TERM_SETS["wide"]:
            column = scale.column(term, levels)
            assert np.isfinite(column).all()
            assert column.min() >= 0
            assert (np.diff(column) > 0).all()
    # At level 0 a term has its limit: from there on logarithms count from 1, else x log2(x) is nothing.
    assert scale_of("x", [1, 2, 8]).column(Term(power=1.0, log=1), [0, 1, 2, 8]).tolist() == [0, 0, 2, 24]
    assert scale_of("x", [0, 1, 3]).column(Term(power=0.0, log=1), [0, 1, 3]).tolist() == [0, 1, 2]
    assert np.isnan(scale_of("x", [1, 2]).column(Term(power=-1.0, log=0), [0])).all()


# Many factors and levels.


def test_prices_of_many_factors() -> None:
    """Of twelve factors every choice of up to four is counted: 108 single terms, and products of two to four.

    Of two: 18 single terms, 81 products and 81 sums, 3 x 81 of both; with the constant all 424 shapes.
    """
    counts = {kind: round(math.exp(price / 2)) for kind, price in prices_of([9, 9]).items()}
    assert counts == {"constant": 1, "one factor": 18, "product": 81, "additive": 81, "additive plus product": 243}
    assert len(shapes_of([STANDARD] * 2)) == sum(counts.values()) == 424
    prices = prices_of([9] * 12)
    assert prices["one factor"] == pytest.approx(2 * math.log(108))
    products = sum(math.comb(12, used) * 9**used for used in range(2, MOST_FACTORS + 1))
    assert prices["product"] == pytest.approx(2 * math.log(products))


@pytest.mark.parametrize("matter", [True, False])
def test_twelve_factors_are_searched(matter: bool) -> None:
    """Three of twelve matter in 600 rows of which hardly two share a slice; the others never enter, nor does noise."""
    drawn = np.random.default_rng(2).choice([1, 2, 4, 8], (600, 12))
    levels = {f"f{place}": drawn[:, place].astype(object) for place in range(12)}
    mean = 1 + matter * (0.5 * drawn[:, 0] + 0.3 * drawn[:, 1] * drawn[:, 2])
    model = fit_cost_model(table_of(levels, mean, noise=0.05, repeats=1))
    terms = {term.factors: term.estimate.value for term in model.chosen.terms if term.factors}
    assert terms == (pytest.approx({("f0",): 0.5, ("f1", "f2"): 0.3}, rel=0.05) if matter else {})


def test_what_grows_is_what_a_full_list_holds() -> None:
    """Four factors can be listed, with the true terms and two more each: the best of the list is grown."""
    cells = grid(a=[1, 2, 4, 8], b=[1, 2, 4, 8], c=[1, 2, 4, 8], d=[1, 2, 4, 8])
    mean = 1 + 0.5 * numbers(cells, "a") * numbers(cells, "b") ** 0.5 + 0.3 * numbers(cells, "d") ** 1.5
    observed = observe(table_of(cells, mean, noise=0.03, repeats=2).cells, list("abcd"), [], "sec")
    prices = prices_of([len(STANDARD)] * 4)
    grown = search(observed, STANDARD)
    few = [tuple(term for term in STANDARD if not term.log and term.power in (0.5, 1.0, 1.5))] * 4
    # A part of the list, so that the test is quick: structures with a part that the truth holds.
    listed = [shape for shape in shapes_of(few) if {(0, 1), (3,)} & set(shape[0])]
    hypotheses = [Hypothesis(structure=structure, terms=terms, treatments=()) for structure, terms in listed]
    best = min(fit_hypotheses(observed, hypotheses, prices), key=lambda fit: fit.bic)
    assert best.hypothesis.structure == ((3,), (0, 1))
    assert grown[0].hypothesis == best.hypothesis
    assert grown[0].bic == pytest.approx(best.bic)


def test_growing_ends() -> None:
    """However much each step gains, no more than so many shapes are asked for, none of them twice, all well formed."""
    asked: list[Shape] = []

    def fit(shapes: Sequence[Shape]) -> dict[Shape, float]:
        asked.extend(shapes)
        return {shape: -float(len(asked) + place) for place, shape in enumerate(shapes)}

    grow_shapes(fit, [STANDARD] * 20)
    assert len(asked) == len(set(asked)) <= 4000
    for structure, terms in asked:
        used = used_factors(structure)
        assert len(used) <= MOST_FACTORS
        assert len(set(structure)) == len(structure) <= 3
        assert [place for place, term in enumerate(terms) if term is not None] == list(used)


def words(levels: int) -> CellTable:
    cells = grid(id=[f"u{place}" for place in range(levels)], bits=[1, 2, 3])
    scale = np.array([1 + 0.3 * (int(name[1:]) % 7) for name in cells["id"]])
    return table_of(cells, (1 + numbers(cells, "bits")) * scale, noise=0.02, repeats=1)


def test_thirty_words_have_a_scale_each_and_too_many_are_refused() -> None:
    """One level more and one coefficient more; the formula writes out the first six."""
    model = fit_cost_model(words(30))
    assert dict(model.chosen.treatments) == {"id": "scale"}
    assert len(model.chosen.scales) == 29
    assert model.chosen.formula.endswith(" and 23 more")
    third = next(scale for scale in model.chosen.scales if scale.level == "u3")
    assert third.estimate.low < 1.9 < third.estimate.high
    with pytest.raises(DataError) as raised:
        fit_cost_model(words(3000))
    assert str(raised.value) == (
        "a cost model takes up to 100 levels of categories, got 3000: id (3000 levels); name fewer factors, or narrow "
        "to fewer levels"
    )


# Simulated tables.


@pytest.mark.parametrize(
    ("structure", "noise", "right", "tables"),
    [
        *((structure, 0.05, 0.90, 20) for structure in ("additive", "product, each")),
        *(
            pytest.param(structure, *own, 80, marks=pytest.mark.heavy)
            for structure in ("constant", "additive", "product", "product, each")
            for own in ((0.02, 0.98), (0.05, 0.90))
        ),
    ],
)
def test_powers_are_recovered(structure: str, noise: float, right: float, tables: int) -> None:
    """Structure and both terms right; the true model listed; predictions at four times the range covered."""
    slack = 0.06 if tables > 20 else 0.12
    drawn = simulate(Scenario(structure=structure, noise=noise), tables, seed=1)
    counts = count(drawn, fit_tables(drawn))
    assert counts.recovered >= right - slack
    assert counts.listed >= 0.97 - slack
    assert 0.93 - slack <= counts.covered <= 0.97 + slack
    assert 0.93 - slack <= counts.coefficients <= 0.97 + slack


@pytest.mark.heavy
def test_cells_that_stray_are_covered() -> None:
    """Cells may differ from any curve by more than replicates tell: the interval of a cell's cost holds that too.

    80 predictions: 93 to 97 %, but for three standard errors.
    """
    random = np.random.default_rng(8)
    mean = 1 + 0.3 * FIRST + 0.5 * SECOND
    held = []
    for seed in range(40):
        cells = mean * np.exp(0.03 * random.standard_normal(mean.size))
        model = fit_cost_model(table_of({"x": FIRST, "y": SECOND}, cells, noise=0.01, repeats=5, seed=seed))
        for at in (10, 64):
            estimate = model.predict([{"x": at, "y": at}])[0].estimate
            held.append(estimate.low <= (1 + 0.8 * at) * np.exp(0.03 * random.standard_normal()) <= estimate.high)
    assert np.mean(held) >= 0.93 - 0.075
