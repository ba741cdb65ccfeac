"""What do the intervals and verdicts of this study really hold? Its own truth and noise, analysed again and again.

The truth is what was fitted: a law where one was chosen, else the middle of each cell. The noise is the study's own
budget. Both make results like those measured, as often as asked; what the analysis says of them is held against the
truth that they were made of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, compare_study
from benchlib.answers.effects import EffectsAnswer, analyse_effects
from benchlib.answers.grouping import place_axes
from benchlib.answers.noise import NoiseAnswer, blocks_of, budgets, noise
from benchlib.answers.pairing import moved_by_machine
from benchlib.answers.scaling import ScalingAnswer, fit_scaling
from benchlib.answers.sweeps import _find_sweeps
from benchlib.metrics import Better
from benchlib.progress import Steps
from benchlib.scaling.laws import LAWS
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.noise import NoiseBudget
from benchlib.study import Study

__all__ = ["AUDITED", "Audit", "audit"]

Audited = Literal["scaling", "comparison", "effects", "noise"]
#: The questions whose intervals and verdicts can be audited.
AUDITED: tuple[Audited, ...] = ("scaling", "comparison", "effects", "noise")
_Floats = NDArray[np.float64]
_Codes = NDArray[np.intp]
#: Simulations by default: a coverage of 95 % is known to 2 points.
_SIMULATIONS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What the analysis holds on results that are like those of a study.

    Attributes
    ----------
    question : {"scaling", "comparison", "effects", "noise"}
    simulations : int
    confidence_level : float
        What each interval promises.
    covered : float
        The share of intervals that hold the truth, over all simulations and quantities.
    intervals : int
        How many there were.
    change : float
        The change that was put into one row of each simulation; NaN where nothing is compared.
    seen : float
        The share of these rows that were called better or worse. A row whose values are all alike is never changed:
        without noise any change is seen.
    false_alarms : float
        The share of simulations in which another row was.
    runs_known : bool
        Whether the noise budget knows what runs differ by; where it does not, none of that is simulated.
    """

    question: Audited
    simulations: int
    confidence_level: float
    covered: float
    intervals: int
    change: float
    seen: float
    false_alarms: float
    runs_known: bool


def audit(
    study: Study,
    question: Audited,
    *,
    simulations: int = _SIMULATIONS,
    change: float = 0.05,
    seed: int = 1,
    confidence_level: float = 0.95,
) -> Audit | Refusal:
    """Simulate results like those of a study and say what its intervals and verdicts hold on them.

    A parametric bootstrap of the whole analysis. In a comparison nothing differs but one row at a time, which is worse
    by `change`.

    Parameters
    ----------
    study : Study
    question : {"scaling", "comparison", "effects", "noise"}
    simulations : int
    change : float
        Relative.
    seed : int
    confidence_level : float

    Returns
    -------
    Audit or Refusal
        A refusal where nothing was repeated, so that the noise is not known, or the question has no answer.

    References
    ----------
    B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapters 6 and 18.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> held = audit(open_study("data/http-endpoints"), "scaling", simulations=5)
    >>> held.simulations, 0.5 < held.covered <= 1
    (5, True)
    """
    draw = _Simulator(study, confidence_level)
    if not draw.parts:
        return Refusal(
            question="audit", reason="nothing was repeated, so that its noise is not known", advice="repeat each level"
        )
    rng = np.random.default_rng(seed)
    if question == "comparison":
        counted = _audit_comparisons(study, draw, rng, simulations, change, confidence_level)
    else:
        counted = _audit_estimates(study, question, draw, rng, simulations, confidence_level)
    if isinstance(counted, Refusal):
        return counted
    covered, intervals, seen, alarms = counted
    compared = question == "comparison"
    return Audit(
        question=question,
        simulations=simulations,
        confidence_level=confidence_level,
        covered=covered / intervals,
        intervals=intervals,
        change=change if compared else math.nan,
        seen=seen / simulations if compared else math.nan,
        false_alarms=alarms / simulations if compared else math.nan,
        runs_known=any(budget.parts[0].name != "value" for _, budget, _ in draw.parts),
    )


_Counts = tuple[int, int, int, int]  # intervals that hold the truth, intervals, changes seen, false alarms


class _Simulator:
    """Results like those of a study: a centre for each value, and noise drawn from the budget of its benchmark.

    Counts have no noise: the machine does not move them.
    """

    def __init__(self, study: Study, level: float) -> None:
        self.study = study
        frame = study.results.frame
        self.values = frame["value"].to_numpy(dtype=float)
        places = pd.Series(np.arange(len(frame)), index=frame.index)
        moved = frame["metric"][moved_by_machine(frame["unit"])].unique().tolist()
        self.parts = [
            (places.loc[rows.index].to_numpy(), row.budget, _units(rows, study))
            for row, rows in budgets(study, moved, level)
        ]
        self.simulated = np.zeros(len(frame), dtype=np.bool_)
        for rows, _, _ in self.parts:
            self.simulated[rows] = True
        compared = ["run"] if any(plan.column == "run" for plan in study.comparisons) else []
        self.centres = self.values.copy()
        for rows, _, _ in self.parts:
            part = frame.iloc[rows]
            cell = _numbered(part, [*place_axes(part), *compared])
            logs = np.log(self.values[rows])
            self.centres[rows] = np.exp((np.bincount(cell, logs) / np.bincount(cell))[cell])

    def varies(self, rows: _Codes) -> bool:
        """Whether values of a sample have noise, and differ as measured."""
        return bool(self.simulated[rows].all() and np.ptp(self.values[rows]) > 0)

    def study_of(self, values: _Floats) -> Study:
        """Return the study as it would be with these values."""
        results = self.study.results
        return replace(self.study, results=replace(results, frame=results.frame.assign(value=values)))

    def noisy(self, centres: _Floats, rng: np.random.Generator) -> Study:
        """Return the study with fresh noise around these centres."""
        values = centres.copy()
        for rows, budget, units in self.parts:
            values[rows] *= np.exp(_drawn(budget, units, rng))
        return self.study_of(values)


def _units(rows: pd.DataFrame, study: Study) -> Mapping[str, tuple[_Codes, _Codes]]:
    """Return, for each level of repeating, the unit of each value, and the unit within its cell."""
    cell = _numbered(rows, place_axes(rows))
    path = np.zeros(len(rows), dtype=np.intp)
    units: dict[str, tuple[_Codes, _Codes]] = {}
    blocks = {**blocks_of(rows, study.blocks), "value": np.arange(len(rows)).astype(str).astype(object)}
    for name, labels in blocks.items():
        path = _paired(path, pd.factorize(labels)[0])
        units[name] = path, _paired(path, cell)
    return units


def _drawn(budget: NoiseBudget, units: Mapping[str, tuple[_Codes, _Codes]], rng: np.random.Generator) -> _Floats:
    """Return the noise of the logarithm of each value."""
    size = next(iter(units.values()))[0].size
    total = np.zeros(size)
    for part in budget.parts:
        unit, own = units[part.name]
        shared = 0.0 if math.isnan(part.shared) else part.shared
        total += rng.normal(0, shared, int(unit.max()) + 1)[unit]
        total += rng.normal(0, math.sqrt(max(part.sd**2 - shared**2, 0.0)), int(own.max()) + 1)[own]
    return total


def _numbered(rows: pd.DataFrame, axes: Sequence[str]) -> _Codes:
    if not axes:
        return np.zeros(len(rows), dtype=np.intp)
    return rows.groupby(list(axes), observed=True, dropna=False, sort=False).ngroup().to_numpy().astype(np.intp)


def _paired(first: _Codes, second: _Codes) -> _Codes:
    return pd.factorize(first * (int(second.max()) + 1) + second)[0].astype(np.intp)


# Estimates: what they say of results without noise is the truth that they are held against


def _audit_estimates(
    study: Study, question: Audited, draw: _Simulator, rng: np.random.Generator, simulations: int, level: float
) -> _Counts | Refusal:
    """Count the intervals of scaling, effects or noise that hold the truth."""
    centres = draw.centres
    if question == "noise":
        ask = _noise(level)
    elif question == "effects":
        ask = _effects(level)
    else:
        answer = fit_scaling(study, confidence_level=level, budget=0)
        if isinstance(answer, Refusal):
            return replace(answer, question="audit")
        centres, ask = _by_law(study, answer, draw), _scaling(answer, level)
    # The noise that is drawn is that of the study; all else is what results without noise say.
    true = study if question == "noise" else draw.study_of(centres)
    truth = {name: estimate.value for name, estimate in ask(true).items()}
    covered = intervals = 0
    with Steps(range(simulations), "simulations") as steps:
        for _ in steps:
            for name, estimate in ask(draw.noisy(centres, rng)).items():
                if name in truth and estimate.has_interval:
                    intervals += 1
                    # Bounds that only rounding parts from the truth hold it.
                    reach = 1e-9 * abs(truth[name])
                    covered += estimate.low - reach <= truth[name] <= estimate.high + reach
    if not intervals:
        return Refusal(
            question="audit", reason=f"no interval of {question} could be checked", advice="repeat each measurement"
        )
    return covered, intervals, 0, 0


def _by_law(study: Study, answer: ScalingAnswer, draw: _Simulator) -> _Floats:
    """Return the centres, those of a curve moved onto its chosen law."""
    centres = draw.centres.copy()
    places = pd.Series(np.arange(len(study.results.frame)), index=study.results.frame.index)
    chosen = {(curve.name, curve.metric): curve.chosen for curve in answer.curves}
    for sweep in _find_sweeps(study):
        fit = chosen.get((sweep.name, sweep.metric))
        if fit is None:
            continue
        rows = places.loc[sweep.rows.index].to_numpy()
        at = sweep.rows[study.scaling.concurrency].to_numpy(dtype=float)
        model = LAWS[fit.law].throughput(at, *fit.coefficients)
        centres[rows] = 1 / model if str(sweep.rows["unit"].iloc[0]).startswith("sec") else model
    return centres


def _scaling(answer: ScalingAnswer, level: float) -> Callable[[Study], Mapping[str, Estimate]]:
    """Return what asks a study for the throughput at its largest level, and for the parameters of the chosen law."""
    laws = {curve.name: curve.choice.law for curve in answer.curves if curve.choice is not None}
    largest = {curve.name: curve.curve.concurrency[-1] for curve in answer.curves}

    def ask(study: Study) -> dict[str, Estimate]:
        found: dict[str, Estimate] = {}
        told = fit_scaling(study, confidence_level=level, budget=0, at=sorted(set(largest.values())))
        for curve in () if isinstance(told, Refusal) else told.curves:
            for reading in curve.readings.at if curve.readings is not None else ():
                if reading.throughput.n and math.isclose(reading.concurrency, largest.get(curve.name, math.nan)):
                    found[f"{curve.name} throughput"] = reading.throughput
            for fit in curve.fits:
                if fit.law == laws.get(curve.name):
                    found |= {f"{curve.name} {name}": estimate for name, estimate in fit.parameters.items()}
        return found

    return ask


def _effects(level: float) -> Callable[[Study], Mapping[str, Estimate]]:
    """Return what asks a study for the cost of each factor."""

    def ask(study: Study) -> dict[str, Estimate]:
        told = analyse_effects(study, confidence_level=level, plain=True)
        return {} if isinstance(told, Refusal) else dict(_costs(told))

    return ask


def _costs(answer: EffectsAnswer) -> Iterator[tuple[str, Estimate]]:
    for place, model in enumerate(answer.models):
        for slope in model.fit.slopes:
            yield f"{place} {slope.factor} {dict(slope.slice)}", slope.estimate
        for ratio in model.fit.ratios:
            yield f"{place} {ratio.factor} {ratio.level} {ratio.baseline}", ratio.estimate


def _noise(level: float) -> Callable[[Study], Mapping[str, Estimate]]:
    """Return what asks a study for what each level of repeating adds to the noise of each benchmark."""

    def ask(study: Study) -> dict[str, Estimate]:
        told = noise(study, confidence_level=level)
        return {} if isinstance(told, Refusal) else dict(_parts(told))

    return ask


def _parts(answer: NoiseAnswer) -> Iterator[tuple[str, Estimate]]:
    for row in answer.rows:
        for part in row.budget.parts:
            yield (
                f"{row.metric} {dict(row.key)} {part.name}",
                Estimate(
                    value=part.sd, low=part.low, high=part.high, unit="ratio", n=part.units, standard_error=math.nan,
                    confidence_level=answer.confidence_level, method="noise budget",
                ),
            )  # fmt: skip


# Comparisons: nothing differs but one row


def _audit_comparisons(
    study: Study, draw: _Simulator, rng: np.random.Generator, simulations: int, change: float, level: float
) -> _Counts | Refusal:
    """Count the intervals that hold the true ratio, the changes seen and the simulations with a false alarm."""
    numbers = np.arange(1.0, draw.values.size + 1)
    # Values that are their own places in the table tell which of them each row of the comparison takes.
    rows: list[tuple[Better, _Codes, _Codes]] = [
        (row.better, _places(row.baseline_values), _places(row.candidate_values))
        for answer in _compared(draw.study_of(numbers), level)
        for row in answer.rows
    ]
    noisy = {place for place, (_, *sides) in enumerate(rows) if any(draw.varies(side) for side in sides)}
    usable = [place for place, (better, _, _) in enumerate(rows) if better is not None and place in noisy]
    if not usable:
        return Refusal(
            question="audit", reason="no row has noise and can be better or worse", advice="compare repeated times"
        )
    centres = draw.centres.copy()
    for _, baseline, candidate in rows:
        if (centres[baseline] > 0).all():
            centres[candidate] = np.exp(np.log(centres[baseline]).mean())
    covered = intervals = seen = alarms = 0
    with Steps(range(simulations), "simulations") as steps:
        for _ in steps:
            changed = int(rng.choice(usable))
            better, _, candidate = rows[changed]
            factor = 1 + change if better == "lower" else 1 / (1 + change)
            moved = centres.copy()
            moved[candidate] *= factor
            alarmed = False
            told = [row for answer in _compared(draw.noisy(moved, rng), level) for row in answer.rows]
            for place, row in enumerate(told):
                decided = row.verdict in ("better", "worse")
                seen += decided and place == changed
                alarmed |= decided and place != changed and not np.isin(rows[place][2], candidate).any()
                if place in noisy and math.isfinite(row.ratio_low) and math.isfinite(row.ratio_high):
                    intervals += 1
                    truth = factor if place == changed else 1.0
                    covered += row.ratio_low * (1 - 1e-9) <= truth <= row.ratio_high * (1 + 1e-9)
            alarms += alarmed
    if not intervals:
        return Refusal(question="audit", reason="no ratio has an interval", advice="repeat each measurement")
    return covered, intervals, seen, alarms


def _compared(study: Study, level: float) -> Iterator[ComparisonAnswer]:
    for answer in compare_study(study, confidence_level=level):
        if not isinstance(answer, Refusal):
            yield answer


def _places(numbers: Sequence[float]) -> _Codes:
    return np.array(numbers, dtype=float).astype(np.intp) - 1
