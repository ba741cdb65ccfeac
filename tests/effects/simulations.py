"""Simulated tables of a known cost, and how often the search finds what they were made of.

``test_search.py`` and ``test_outlying_cells.py`` run a seeded sample of them, ``benchmarks/effects_recovery.py`` many.

What is simulated: two factors at 2, 4, 8, 16, 32, five replicates, noise in proportion to the cost. The fixed cost is
1. A term that raises the cost r-fold adds r - 1 at the largest level of its factor: c + a f(32) = r c. The one term of
a product, c + a f(x) g(y), is read in two ways: it raises the cost r-fold at the largest levels of both factors
(``product``), or each of its factors does, r1 times r2 (``product, each``).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.effects.cells import build_cells
from benchlib.effects.cost_models import CostModel, FittedModel, fit_cost_model
from benchlib.effects.outlying_cells import OutlyingCell
from benchlib.effects.plain_effects import analyse_cells
from benchlib.effects.shapes import TERM_SETS, Term, scale_of

Floats = NDArray[np.float64]

LEVELS = (2.0, 4.0, 8.0, 16.0, 32.0)
REPLICATES = 5
#: Four times the largest levels.
FAR = 4 * LEVELS[-1]
#: What stands beside the fixed cost: the factors of each part.
STRUCTURES: dict[str, tuple[tuple[int, ...], ...]] = {
    "constant": (),
    "additive": ((0,), (1,)),
    "product": ((0, 1),),
    "product, each": ((0, 1),),
}
NAMES = ("x", "y")
STRONG = (2.0, 31.0)
#: A term that raises the cost by 5 to 100 %.
WEAK = (1.05, 2.0)

FIRST, SECOND = (one.ravel() for one in np.meshgrid(LEVELS, LEVELS, indexing="ij"))
_SCALE = scale_of("x", LEVELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Tables with one structure, noise, strength and set of terms."""

    structure: str
    noise: float
    raises: tuple[float, float] = STRONG
    term_set: str = "standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Simulated tables."""

    scenario: Scenario
    terms: list[tuple[Term, Term]]  # true terms of each table
    #: Shape (tables, 3). Fixed cost, then each part; 0 where there is none.
    coefficients: Floats
    values: Floats  # shape (tables, cells, replicates)
    #: Shape (tables,). The true cost at four times the largest levels of both factors.
    far: Floats


def simulate(scenario: Scenario, tables: int, seed: int) -> Tables:
    """Draw tables: terms evenly, what they raise the cost by log-uniformly."""
    random = np.random.default_rng([seed, *scenario.structure.encode(), round(1000 * scenario.noise)])
    known = TERM_SETS[scenario.term_set]
    low, high = np.log(scenario.raises)
    terms, coefficients = [], np.zeros((tables, 3))
    values, far = np.empty((tables, FIRST.size, REPLICATES)), np.empty(tables)
    for table in range(tables):
        pair = tuple(known[place] for place in random.integers(len(known), size=2))
        raised = np.exp(random.uniform(low, high, size=2))
        top = [float(_SCALE.column(term, LEVELS[-1])) for term in pair]
        coefficients[table, 0] = 1.0
        if scenario.structure == "additive":
            coefficients[table, 1:] = (raised - 1) / top
        elif scenario.structure == "product":
            coefficients[table, 1] = (raised[0] - 1) / (top[0] * top[1])
        elif scenario.structure == "product, each":
            coefficients[table, 1] = (raised[0] * raised[1] - 1) / (top[0] * top[1])
        terms.append((pair[0], pair[1]))
        mean = true_cost(scenario, terms[-1], coefficients[table], FIRST, SECOND)
        values[table] = mean[:, None] * (1 + scenario.noise * random.standard_normal((FIRST.size, REPLICATES)))
        far[table] = true_cost(scenario, terms[-1], coefficients[table], np.array([FAR]), np.array([FAR]))[0]
    return Tables(scenario=scenario, terms=terms, coefficients=coefficients, values=values, far=far)


def true_cost(
    scenario: Scenario, pair: tuple[Term, Term], coefficients: Floats, first: Floats, second: Floats
) -> Floats:
    """Return the cost without noise."""
    f, g = _SCALE.column(pair[0], first), _SCALE.column(pair[1], second)
    if scenario.structure == "additive":
        return coefficients[0] + coefficients[1] * f + coefficients[2] * g
    return coefficients[0] + coefficients[1] * f * g


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Shares of tables, and errors."""

    recovered: float  # structure and both terms right in the chosen model
    powers: float  # terms of both factors right in the chosen model, whatever its structure
    listed: float  # the true model among those within BIC 6
    covered: float  # the true cost at four times the largest levels lies in the averaged 95 % interval
    coefficients: float  # true coefficients that lie in the 95 % interval, given the true form
    rivals: float  # models within BIC 6, on average
    #: Shape (tables,). Relative error at four times the largest levels, on logarithms.
    errors: Floats


def fit_tables(tables: Tables) -> list[CostModel]:
    """Search the models of simulated tables."""
    x, y = (np.repeat(levels, REPLICATES).tolist() for levels in (FIRST, SECOND))
    return [
        fit_cost_model(
            build_cells({"x": x, "y": y}, values.ravel(), unit="sec"),
            ["x", "y"],
            term_set=tables.scenario.term_set,
        )
        for values in tables.values
    ]


def count(tables: Tables, models: Sequence[CostModel]) -> Counts:
    """Count what a search got right."""
    structure = STRUCTURES[tables.scenario.structure]
    recovered, powers, listed, covered, held, errors = [], [], [], [], [], []
    for model, pair, truth, far in zip(models, tables.terms, tables.coefficients, tables.far, strict=True):
        form = [tuple((NAMES[factor], pair[factor].power, pair[factor].log) for factor in part) for part in structure]
        recovered.append(_form(model.chosen) == form)
        powers.append(
            {factor for part in _form(model.chosen) for factor in part} == {one for part in form for one in part}
        )
        right = [rival for rival in model.rivals if _form(rival) == form]
        listed.append(bool(right))
        for rival in right:
            ends = [(term.estimate.low, term.estimate.high) for term in rival.terms]
            held += [low <= value <= high for (low, high), value in zip(ends, truth[: len(ends)], strict=True)]
        estimate = model.predict([{"x": FAR, "y": FAR}], extrapolate=True)[0].estimate
        assert estimate is not None
        covered.append(estimate.low <= far <= estimate.high)
        errors.append(abs(np.log(estimate.value / far)))
    return Counts(
        recovered=float(np.mean(recovered)),
        powers=float(np.mean(powers)),
        listed=float(np.mean(listed)),
        covered=float(np.mean(covered)),
        coefficients=float(np.mean(held)) if held else float("nan"),
        rivals=float(np.mean([len(model.rivals) for model in models])),
        errors=np.array(errors),
    )


def _form(model: FittedModel) -> list[tuple[tuple[str, float, int], ...]]:
    """Return the terms of a model, the factors of a product together, in the order of the factors."""
    return [tuple(zip(term.factors, term.powers, term.logs, strict=True)) for term in model.terms if term.factors]


# Special cells -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialScenario:
    """Tables over bits, inputs and outputs, where one input and one output may need no proof.

    ``power`` is that of bits: 0.81 is the one of the token SDK, and no term of the standard set; 1 is one.
    """

    bits: tuple[int, ...]
    others: tuple[int, ...]  # levels of inputs and of outputs
    noise: float
    special: bool = True
    numeric: bool = True  # whether bits are a number
    power: float = 0.81

    def cost(self, bits: Floats, outputs: Floats) -> Floats:
        """Return the cost of a cell that is not special, in seconds."""
        return 1e-3 * (0.4 + (0.67 if self.power < 1 else 0.3) * bits**self.power * outputs)


#: The tables of the audit; its first has bits as a category.
SPECIAL = (
    SpecialScenario(bits=(32, 64), others=(1, 2, 3), noise=0.01, numeric=False),
    SpecialScenario(bits=(32, 64), others=(1, 2, 3), noise=0.01),
    SpecialScenario(bits=(16, 32, 64), others=(1, 2, 3), noise=0.01),
    SpecialScenario(bits=(8, 16, 32, 64), others=(1, 2, 3), noise=0.01),
    SpecialScenario(bits=(8, 16, 32, 64), others=(1, 2, 3, 4), noise=0.01),
    SpecialScenario(bits=(16, 32, 64), others=(1, 2, 4), noise=0.03),
    SpecialScenario(bits=(16, 32, 64), others=(1, 2, 4), noise=0.03, power=1.0),
    SpecialScenario(bits=(16, 32, 64), others=(1, 2, 3), noise=0.01, special=False),
    SpecialScenario(bits=(16, 32, 64), others=(1, 2, 4), noise=0.03, special=False),
    SpecialScenario(bits=(8, 16, 32, 64), others=(1, 2, 3, 4), noise=0.01, special=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialCounts:
    """Shares of tables, and of the predictions of their ordinary cells and of more outputs than were measured."""

    apart: float  # exactly the special cells, or none where there is none, are set apart by the cost model
    plain: float  # ... and by plain effects
    right: float  # the model has outputs times bits to a power beside a fixed cost, and nothing of inputs
    off: float  # predictions off by more than 20 %
    worst: float  # the largest relative error of a prediction
    covered: float  # predicted 95 % intervals of the cost that hold it
    held: float  # ordinary cells that the intervals from the other cells hold, by the model's own count


def count_special(scenario: SpecialScenario, tables: int, seed: int) -> SpecialCounts:
    """Simulate tables of one scenario, search their models, and count what is right."""
    numeric = ["bits", "inputs", "outputs"][0 if scenario.numeric else 1 :]
    levels = (scenario.bits, scenario.others, scenario.others)
    bits, inputs, outputs = (np.repeat(codes.ravel(), 6) for codes in np.meshgrid(*levels, indexing="ij"))
    special = (inputs == 1) & (outputs == 1) & scenario.special
    mean = np.where(special, 0.42e-3, scenario.cost(bits, outputs))
    random = np.random.default_rng([seed, len(scenario.bits), len(scenario.others), round(100 * scenario.noise)])
    asked = [
        {"bits": own[0], "inputs": own[1], "outputs": own[2]}
        for own in itertools.product(scenario.bits, scenario.others, (*scenario.others, scenario.others[-1] + 1))
    ]
    asked = [at for at in asked if not (scenario.special and at["inputs"] == at["outputs"] == 1)]
    truth = np.array([scenario.cost(np.array(at["bits"]), np.array(at["outputs"])) for at in asked])
    known, apart, plain, right, errors, covered, held = int(special.sum()) // 6, 0, 0, 0, [], [], []
    for _ in range(tables):
        values = mean * random.lognormal(0, scenario.noise, mean.size)
        table = build_cells({"bits": bits, "inputs": inputs, "outputs": outputs}, values, unit="sec/op")
        model = fit_cost_model(table, numeric)
        apart += _is_special(model.special_cells, known)
        plain += _is_special(analyse_cells(table, numeric).special_cells, known)
        forms = {term.factors for term in model.chosen.terms} - {()}
        right += forms == ({("bits", "outputs")} if scenario.numeric else {("outputs",)})
        estimates = [prediction.estimate for prediction in model.predict(asked)]
        errors += [abs(estimate.value / own - 1) for estimate, own in zip(estimates, truth, strict=True)]
        covered += [estimate.low <= own <= estimate.high for estimate, own in zip(estimates, truth, strict=True)]
        held.append(model.left_out.held / (model.left_out.cells - known))
    return SpecialCounts(
        apart=apart / tables,
        plain=plain / tables,
        right=right / tables,
        off=float(np.mean(np.array(errors) > 0.2)),
        worst=max(errors),
        covered=float(np.mean(covered)),
        held=float(np.mean(held)),
    )


def _is_special(cells: Sequence[OutlyingCell], known: int) -> bool:
    """Whether so many cells were set apart, all of them one input and one output."""
    return len(cells) == known and all(cell.levels["inputs"] == cell.levels["outputs"] == 1 for cell in cells)


# Another day ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DayScenario:
    """Tables of so many runs of all cells, each of so many values; standard deviations are of logarithms."""

    runs: int
    repeats: int
    within: float  # of values of one run
    own: float  # of a cell in a run
    shared: float  # of what a run does to all cells


DAYS = (
    DayScenario(runs=1, repeats=1, within=0.03, own=0.0, shared=0.0),
    DayScenario(runs=1, repeats=6, within=0.03, own=0.0, shared=0.0),
    DayScenario(runs=3, repeats=5, within=0.03, own=0.0, shared=0.0),
    DayScenario(runs=3, repeats=2, within=0.01, own=0.0, shared=0.02),
    DayScenario(runs=3, repeats=5, within=0.01, own=0.01, shared=0.02),
    DayScenario(runs=5, repeats=5, within=0.01, own=0.0, shared=0.02),
    DayScenario(runs=8, repeats=3, within=0.01, own=0.01, shared=0.05),
    DayScenario(runs=1, repeats=6, within=0.01, own=0.0, shared=0.02),
)


def count_days(scenario: DayScenario, tables: int, seed: int) -> tuple[float, float]:
    """Return how often 95 % intervals hold the typical cost, and the median that another day brings to a cell."""
    random = np.random.default_rng([seed, scenario.runs, scenario.repeats, round(1000 * scenario.shared)])
    curve, x = (codes.ravel() for codes in np.meshgrid(["a", "b"], np.array([1.0, 2, 4, 8, 16]), indexing="ij"))
    cell = np.repeat(np.arange(x.size), scenario.runs * scenario.repeats)
    run = np.tile(np.repeat(np.arange(scenario.runs), scenario.repeats), x.size)
    cost = (1 + 0.5 * x) * np.where(curve == "b", 1.5, 1.0)
    asked = [{"curve": own, "x": level} for own in ("a", "b") for level in (1, 6, 16, 24)]
    truth = np.array([(1 + 0.5 * at["x"]) * (1.5 if at["curve"] == "b" else 1.0) for at in asked])
    typical, day = [], []
    for _ in range(tables):
        logs = random.normal(0, scenario.shared, scenario.runs)[run]
        logs = logs + random.normal(0, scenario.own, (x.size, scenario.runs))[cell, run]
        logs = logs + random.normal(0, scenario.within, cell.size)
        factors = {"curve": curve[cell], "x": x[cell]}
        model = fit_cost_model(build_cells(factors, cost[cell] * np.exp(logs), unit="sec", runs=run))
        away = random.normal(0, scenario.within, (scenario.repeats, truth.size))
        new = random.normal(0, scenario.shared) + random.normal(0, scenario.own, truth.size) + np.median(away, axis=0)
        for prediction, own, other in zip(model.predict(asked), truth, truth * np.exp(new), strict=True):
            typical.append(prediction.estimate.low <= own <= prediction.estimate.high)
            day.append(prediction.another_day.low <= other <= prediction.another_day.high)
    return float(np.mean(typical)), float(np.mean(day))
