"""What does a factor cost, which one matters, and what would a cell cost that was not measured?"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from benchlib.answers.asking import Refusal, _asked_columns, _asked_metrics, _level_meant
from benchlib.answers.evidence import Evidence, Measured, gather, pool
from benchlib.answers.grouping import cells, label, name_caveats, plain, residue
from benchlib.answers.quality import _problem_caveats, noisy_runs
from benchlib.answers.scaling import LawComparison, fit_scaling
from benchlib.answers.serialise import SCHEMA_VERSION, finite, to_dict
from benchlib.answers.sweeps import _why_kept_out
from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.additive import Slope
from benchlib.effects.anova import VarianceShares
from benchlib.effects.breakdown import Breakdown, break_down, break_down_cells
from benchlib.effects.cells import Cell, CellTable, Level, build_cells, sort_factors
from benchlib.effects.cost_models import CostModel, FittedModel, fit_cost_model
from benchlib.effects.interactions import Interactions, find_interactions
from benchlib.effects.outlying_cells import OutlyingCell
from benchlib.effects.plain_effects import EffectsFit, LevelRatio, analyse_cells
from benchlib.effects.predict import LeftOut, NextCell, Prediction
from benchlib.effects.shapes import checked_term_set
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.progress import Steps
from benchlib.results import Results
from benchlib.statistics.estimates import checked_level
from benchlib.study import BreakdownPlan, Study, open_study

__all__ = [
    "BreakdownAnswer",
    "EffectModel",
    "EffectsAnswer",
    "analyse_effects",
    "effects_document",
    "ratio_evidence",
    "slope_evidence",
]


#: So many predictions are a table; more are a mistake.
_MOST_PREDICTIONS = 1000
#: The level of a row that has none of a factor in words: no filter, no cache.
_NO_LEVEL = "none"


# The answer ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CostAnswer:
    """The cost model of one metric of one group, and what follows from it.

    Attributes
    ----------
    model : CostModel
    predictions : tuple of Prediction
        Of the cells that were asked for and that name all of its factors.
    next_cells : tuple of NextCell
        What to measure next to tell the chosen model from its closest rival; empty without a rival.
    """

    model: CostModel
    predictions: tuple[Prediction, ...]
    next_cells: tuple[NextCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectModel:
    """What all factors do to one metric of one group (a benchmark, mostly).

    Attributes
    ----------
    key : mapping
    metric, unit : str
    table : CellTable
    fit : EffectsFit
        Slopes, ratios of levels, outlying cells.
    variance : VarianceShares or None
        Which factor matters; None where only plain effects were asked for, as for the next two.
    interactions : Interactions or None
    cost : CostAnswer or None
        Also None where no cost model could be fitted; then a caveat of the answer says why.
    evidence : Evidence
        Of what follows from all cells.
    cell_evidence : tuple of Evidence
        Of each cell, in the order of ``cells``.
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    table: CellTable
    fit: EffectsFit
    variance: VarianceShares | None
    interactions: Interactions | None
    cost: CostAnswer | None
    evidence: Evidence
    cell_evidence: tuple[Evidence, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every combination of levels that was measured."""
        return self.table.cells

    def evidence_of(self, levels: Mapping[str, Level]) -> Evidence:
        """Return the evidence of the cell with these levels."""
        return self.cell_evidence[next(place for place, cell in enumerate(self.cells) if cell.levels == levels)]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownAnswer:
    """A whole and its parts, in each cell of a group in which they were measured.

    Attributes
    ----------
    name, whole : str
    key : mapping
    metric : str
    left_out : str
        Why the study keeps such rows out of its scaling curves; empty where it does not.
    cells : tuple of (mapping of factor to level, Breakdown)
    evidence : Evidence
        The rows of the whole and its parts, and the profile where one was given.
    caveats : tuple of Caveat
        Of all cells, and that of ``left_out``.
    """

    name: str
    whole: str
    key: Mapping[str, Any]
    metric: str
    left_out: str
    cells: tuple[tuple[Mapping[str, Level], Breakdown], ...]
    evidence: Evidence
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsAnswer:
    """What the factors of a study do.

    Attributes
    ----------
    factors : tuple of str
    models : tuple of EffectModel
        One a metric and group.
    breakdowns : tuple of BreakdownAnswer
    scaling : tuple of LawComparison
        Whether contention or the serial fraction differs between curves that the factors tell apart.
    refusals : tuple of Refusal
        What was asked or planned and cannot be answered.
    confidence_level : float
    caveats : tuple of Caveat
    """

    factors: tuple[str, ...]
    models: tuple[EffectModel, ...]
    breakdowns: tuple[BreakdownAnswer, ...]
    scaling: tuple[LawComparison, ...]
    refusals: tuple[Refusal, ...]
    confidence_level: float
    caveats: tuple[Caveat, ...]


def slope_evidence(model: EffectModel, slope: Slope) -> Evidence:
    """Return the rows of the slice that a slope is of, and no others of its group.

    Examples
    --------
    >>> from benchlib.answers.effects import analyse_effects
    >>> model = analyse_effects("data/lplex", metric="time").models[0]
    >>> slope_evidence(model, model.fit.slopes[0]).formula
    'additive least squares on the medians of these cells'
    """
    return pool(
        (
            evidence
            for cell, evidence in zip(model.cells, model.cell_evidence, strict=True)
            if all(cell.levels.get(factor) == level for factor, level in slope.slice.items())
        ),
        "additive least squares on the medians of these cells",
    )


def ratio_evidence(model: EffectModel, ratio: LevelRatio) -> Evidence:
    """Return the rows of the cells at a level and at its baseline."""
    return pool(
        (
            evidence
            for cell, evidence in zip(model.cells, model.cell_evidence, strict=True)
            if cell.levels.get(ratio.factor) in (ratio.level, ratio.baseline)
        ),
        f"geometric mean of the ratios of medians, {ratio.factor} {ratio.level} over {ratio.baseline}, "
        "between cells that are alike in all else",
    )


# From a study to its answer ------------------------------------------------------------------------------------------


def analyse_effects(
    study: Study | str | PathLike[str],
    *,
    factors: str | Sequence[str] = (),
    numeric: str | Sequence[str] = (),
    metric: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    baselines: str | Mapping[str, object] = "",
    predict: str | Mapping[str, object] | Sequence[str | Mapping[str, object]] = (),
    extrapolate: bool = False,
    term_set: str = "standard",
    confidence_level: float = 0.95,
    plain: bool = False,
) -> EffectsAnswer | Refusal:
    """Break out what each factor does to each metric of a study, and predict cells that were not measured.

    Parameters
    ----------
    study : Study, str or path
        A study, or where one lies; its plan answers what is left empty below.
    factors : str or sequence of str
        Columns that were varied, in one text with commas or as a sequence.
    numeric : str or sequence of str
        Factors with two levels to take as numbers all the same.
    metric, by : str or sequence of str
        What to explain, and columns whose levels are separate groups; by default each benchmark.
    baselines : str or mapping
        The level that others of a factor are held against: ``"curve=BN254"``; by default the smallest number,
        and of words the one that the results have first.
    predict : str, mapping, or sequence of these
        Cells such as ``"bits=64 inputs=4 outputs=6"``, averaged over the rival models; at every level of a category
        that is not named.
    extrapolate : bool
        Whether cells beyond twice the measured range are meant.
    term_set : {"standard", "wide"}
        Powers and logarithms to search, see `benchlib.effects.shapes.TERM_SETS`.
    confidence_level : float
    plain : bool
        Whether only slopes, ratios and outlying cells are wanted: all else takes most of the time.

    Returns
    -------
    EffectsAnswer or Refusal
        A refusal where no factor is named, or none varies.

    Raises
    ------
    SelectionError
        For a factor, column or metric that the results do not have.
    DataError
        For a prediction, term set or level that cannot be meant, and predictions that no model can make.

    References
    ----------
    Plain effects: `benchlib.effects.plain_effects`. Cost models: `benchlib.effects.cost_models`. Which factor matters:
    `benchlib.effects.anova`.

    Examples
    --------
    >>> answer = analyse_effects("data/token-sdk", metric="time", plain=True)
    >>> [(slope.factor, round(1e3 * slope.estimate.value, 1)) for slope in answer.models[0].fit.slopes[:2]]
    [('inputs', 0.1), ('outputs', 17.0)]
    """
    opened = study if isinstance(study, Study) else open_study(str(study))
    question = _ask(
        opened,
        factors=factors,
        numeric=numeric,
        metric=metric,
        by=by,
        baselines=baselines,
        predict=predict,
        extrapolate=extrapolate,
        term_set=term_set,
        confidence_level=confidence_level,
    )
    if isinstance(question, Refusal):
        return question
    models: tuple[EffectModel, ...] = ()
    warned: list[Caveat] = []
    try:
        models, warned = _answer_models(question, plain_only=plain)
    except SelectionError as error:
        nothing = Refusal(question="effects", reason=str(error), advice="widen the selection")
    else:
        nothing = _nothing_varies(question)
    if not models and (plain or not question.study.breakdowns):
        return nothing
    _check_predicted(question, models, warned)
    breakdowns, refusals = ((), []) if plain else _answer_breakdowns(question)
    return EffectsAnswer(
        factors=question.factors,
        models=models,
        breakdowns=breakdowns,
        scaling=() if plain else _answer_scaling(question),
        refusals=(*refusals, *(() if models or not question.factors else (nothing,))),
        confidence_level=question.confidence_level,
        caveats=merge(
            _problem_caveats(opened),
            noisy_runs(opened),
            warned,
            _model_caveats(models, question),
            merge(*(breakdown.caveats for breakdown in breakdowns)),
        ),
    )


def _break_down_study(
    study: Study, *, confidence_level: float = 0.95
) -> tuple[tuple[BreakdownAnswer, ...], tuple[Refusal, ...]]:
    """Break down only the wholes that a study plans: the other work takes most of the time."""
    if not study.breakdowns:
        return (), ()
    question = _ask(study, confidence_level=confidence_level)
    if isinstance(question, Refusal):
        return (), (question,)
    breakdowns, refused = _answer_breakdowns(question)
    return breakdowns, tuple(refused)


def _nothing_varies(question: _Question) -> Refusal:
    measured = question.study.results.select(question.study.effects.where).metrics
    if not any(metric in measured for metric in question.metrics):
        return Refusal(
            question="effects",
            reason=f"no row holds {choices(question.metrics)}",
            advice=f"name a metric that was measured: {choices(sorted(measured), 30)}",
        )
    return Refusal(
        question="effects",
        reason=f"none of {choices(question.factors)} varies in the rows asked about",
        advice="measure at two or more levels of a factor",
    )


def _check_predicted(question: _Question, models: Sequence[EffectModel], warned: Sequence[Caveat]) -> None:
    """Refuse to predict cells that no model can predict, for the first reason."""
    if not question.predict or any(model.cost.predictions for model in models if model.cost is not None):
        return
    reasons = [doubt.message for doubt in warned if doubt.code in ("not-predicted", "no-cost-model")]
    raise DataError(reasons[0] if reasons else "there is no cost model to predict with; ask without plain")


def _model_caveats(models: Sequence[EffectModel], question: _Question) -> tuple[Caveat, ...]:
    """Put before each caveat of a model what it concerns."""
    if not models:
        return ()
    rows = question.study.results.select(question.study.effects.where).frame
    return name_caveats(
        (f"{label(model.key)} ({model.metric})" if model.key else model.metric, doubt)
        for model in models
        for doubt in (
            *model.fit.caveats,
            *(model.variance.caveats if model.variance else ()),
            *(model.interactions.caveats if model.interactions else ()),
            *(model.cost.model.caveats if model.cost else ()),
            *_mixed(model, rows, question),
        )
        if doubt.code != "one-level"
    )


def _mixed(model: EffectModel, rows: pd.DataFrame, question: _Question) -> tuple[Caveat, ...]:
    rows = rows[rows["metric"] == model.metric]
    for axis, level in model.key.items():
        rows = rows[rows[axis] == level]
    return residue(rows, [*question.by, *question.factors])


# The question --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Question:
    """A study, and what is asked of its factors, checked before anything is fitted."""

    study: Study
    #: Those of the plan that the results have.
    factors: tuple[str, ...]
    #: Factors to take as numbers although they have two levels only.
    numeric: tuple[str, ...]
    metrics: tuple[str, ...]
    by: tuple[str, ...]
    baselines: Mapping[str, Any]
    #: Factor to level, as written.
    predict: tuple[Mapping[str, str], ...]
    extrapolate: bool
    term_set: str
    confidence_level: float


def _ask(
    study: Study,
    *,
    factors: str | Sequence[str] = "",
    numeric: str | Sequence[str] = "",
    metric: str | Sequence[str] = "",
    by: str | Sequence[str] = "",
    baselines: str | Mapping[str, object] = "",
    predict: str | Mapping[str, object] | Sequence[str | Mapping[str, object]] = "",
    extrapolate: bool = False,
    term_set: str = "standard",
    confidence_level: float,
) -> _Question | Refusal:
    """Check a question, and complete it from the plan of the study."""
    results, plan = study.results, study.effects
    level = checked_level(confidence_level)
    checked_term_set(term_set)
    named, numbers = _asked_columns(results, factors, "factors"), _asked_columns(results, numeric, "numeric")
    chosen = named or plan.factors
    if not (chosen or study.breakdowns):
        return _no_factor(results)
    metrics = _asked_metrics(results, metric)
    known = tuple(factor for factor in chosen if factor in results.frame.columns)
    groups = _asked_columns(results, by, "by") or tuple(axis for axis in plan.by if axis not in known) or ("benchmark",)
    for factor in numbers:
        if factor not in known:
            raise SelectionError(f"'{printable(factor)}' is to be numeric and no factor; factors: {choices(known)}")
    for axis in groups:
        if axis in known:
            raise SelectionError(f"'{printable(axis)}' is a factor; group by another column")
    return _Question(
        study=study,
        factors=known,
        numeric=numbers,
        metrics=metrics or plan.metrics,
        by=groups,
        baselines=_parse_baselines(results, baselines, known) or plan.baselines,
        predict=_parse_predictions(predict, known),
        extrapolate=bool(extrapolate),
        term_set=term_set,
        confidence_level=level,
    )


def _no_factor(results: Results) -> Refusal:
    varied = results.varying_axes
    axes = f"axes that vary here: {choices(varied, 30)}" if varied else "no axis of these results varies"
    return Refusal(
        question="effects",
        reason="the study names no factor",
        advice=f"name the factors that were varied: --factors, or factors in [effects] of study.toml; {axes}",
    )


def _parse_baselines(results: Results, given: str | Mapping[str, object], factors: Sequence[str]) -> Mapping[str, Any]:
    """Read ``'curve=BN254'`` or a mapping: the level that others of its factor are compared with."""
    baselines: dict[str, Any] = {}
    for name, text in _parse_cell(given, factors).items() if given else ():
        known = results.levels(name) if name in results.axes else tuple(results.frame[name].unique())
        level = _level_meant(text, known)
        if level not in known:
            raise SelectionError(
                f"{printable(name)} has no level '{printable(text)}' to be the baseline; it has {choices(known, 20)}"
            )
        baselines[name] = level
    return baselines


def _parse_predictions(
    given: str | Mapping[str, object] | Sequence[str | Mapping[str, object]], factors: Sequence[str]
) -> tuple[Mapping[str, str], ...]:
    """Read ``'bits=64 outputs=6'``, a mapping, or several of these."""
    several = [given] if isinstance(given, str | Mapping) else list(given)
    several = [cell for cell in several if cell]
    if len(several) > _MOST_PREDICTIONS:
        raise DataError(f"{len(several)} predictions were asked for; ask for {_MOST_PREDICTIONS} at most")
    return tuple(_parse_cell(cell, factors) for cell in several)


def _parse_cell(given: str | Mapping[str, object], factors: Sequence[str]) -> Mapping[str, str]:
    """Read ``'bits=64 curve="BN 254"'``, with blanks or commas between the pairs, or a mapping."""
    if isinstance(given, Mapping):
        pairs = [(str(name), str(level)) for name, level in given.items()]
    else:
        pairs = [(name.strip(), level) for name, _, level in (word.partition("=") for word in _split(given))]
    for name, level in pairs:
        if not (name and level):
            raise DataError(
                f"cannot read the cell '{printable(str(given))}'; write factor=level pairs, e.g. "
                f"'{' '.join(f'{factor}=...' for factor in list(factors)[:2])}', a level with a blank in quotes"
            )
        if name not in factors:
            raise SelectionError(
                f"'{printable(name)}' is no factor here{suggestion(name, factors)}; factors: {choices(factors)}"
            )
    if len({name for name, _ in pairs}) < len(pairs):
        raise DataError(f"the cell '{printable(str(given))}' names a factor twice; name each once")
    return dict(pairs)


def _split(given: str) -> list[str]:
    # Commas part pairs only where every part is one: a level may hold a comma.
    parts = given.split(",")
    if len(parts) > 1 and all("=" in part for part in parts) and " " not in given.strip():
        return parts
    try:
        return shlex.split(given)
    except ValueError as error:
        raise DataError(f"cannot read the cell '{printable(given)}': a quote is not closed") from error


# Groups and metrics --------------------------------------------------------------------------------------------------


def _answer_models(question: _Question, *, plain_only: bool) -> tuple[tuple[EffectModel, ...], list[Caveat]]:
    """Answer every metric of every group in which a factor varies; say why others have no answer."""
    models: list[EffectModel] = []
    warned: list[Caveat] = []
    refused: list[str] = []
    frame = question.study.results.select(question.study.effects.where).frame
    frame = frame[frame["metric"].isin(question.metrics)]
    with Steps(list(cells(frame, [*question.by, "metric", "unit"])), "models") as steps:
        for key, rows in steps:
            varied = _varied(rows, question.factors)
            if not varied or len(rows) < 2:
                continue
            try:
                complete = _with_levels(rows, varied)
                model, doubts = _model(key, complete, varied, question, plain_only=plain_only)
            except DataError as error:
                refused.append(f"{label(key)}: {error}")
                continue
            models.append(model)
            warned += doubts
            if len(complete) < len(rows):
                without = choices([factor for factor in varied if rows[factor].isna().any()])
                message = f"{label(key)}: {len(rows) - len(complete)} of {len(rows)} rows have no number of {without}"
                warned.append(caveat("missing-levels", message))
    if refused and not models:
        raise DataError(refused[0])
    warned += [caveat("no-effects", reason) for reason in refused]
    return tuple(models), [*warned, *_half_measured(models)]


def _half_measured(models: Sequence[EffectModel]) -> list[Caveat]:
    """Say which metric is missing in cells of its group that another metric has."""
    warned = []
    groups: dict[tuple[Any, ...], list[EffectModel]] = {}
    for model in models:
        groups.setdefault(tuple(model.key.items()), []).append(model)
    for group in groups.values():
        places = {
            model.metric: {tuple(sorted(cell.levels.items(), key=str)) for cell in model.cells} for model in group
        }
        every = set().union(*places.values())
        for metric, measured in places.items():
            if len(measured) < len(every):
                name = f"{label(group[0].key)}: " if group[0].key else ""
                message = f"{name}{metric} is missing in {len(every) - len(measured)} of {len(every)} cells"
                warned.append(caveat("metric-missing", message))
    return warned


def _varied(rows: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """Return the factors that take two levels here, of which none at all may be one where levels are words."""
    return [
        factor
        for factor in factors
        if rows[factor].nunique() + (not _is_number(rows[factor]) and rows[factor].isna().any()) > 1
    ]


def _with_levels(rows: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Leave out rows without a number of a factor; where a factor is a word, to have none is a level too."""
    words = [factor for factor in factors if not _is_number(rows[factor])]
    complete = rows.dropna(subset=[factor for factor in factors if factor not in words])
    return complete.assign(
        **{factor: complete[factor].astype(object).where(complete[factor].notna(), _NO_LEVEL) for factor in words}
    )


def _is_number(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column))


def _table_of(rows: pd.DataFrame, factors: Sequence[str], unit: str, level: float) -> CellTable:
    """Return the cells of some rows."""
    columns = {factor: [plain(level) for level in rows[factor]] for factor in factors}
    runs = rows["run"].astype(str).tolist()
    return build_cells(columns, rows["value"].to_numpy(), unit=unit, runs=runs, confidence_level=level)


def _model(
    key: dict[str, Any], rows: pd.DataFrame, varied: Sequence[str], question: _Question, *, plain_only: bool
) -> tuple[EffectModel, list[Caveat]]:
    # A factor with a single level here still identifies the cells: it stays in their levels.
    still = [factor for factor in question.factors if factor not in varied and rows[factor].nunique() == 1]
    level = question.confidence_level
    table = _table_of(rows, [*varied, *still], key["unit"], level)
    baselines = _baselines(rows, varied, question.baselines)
    numeric, categorical = sort_factors(table)
    numeric = (*numeric, *(factor for factor in categorical if factor in question.numeric))
    categorical = tuple(factor for factor in categorical if factor not in numeric)
    fit = analyse_cells(table, numeric, categorical, baselines=baselines, confidence_level=level)
    place = {axis: own for axis, own in key.items() if axis not in ("metric", "unit")}
    interactions, cost, warned = None, None, list[Caveat]()
    if not plain_only:
        name = f"{label(place)} ({key['metric']})" if place else str(key["metric"])
        interactions = find_interactions(table, numeric, categorical, baselines=baselines, confidence_level=level)
        cost, warned = _cost(table, (numeric, categorical), baselines, question, name)
    evidence, cell_evidence = _gather_cells(table, rows)
    model = EffectModel(
        key=place,
        metric=key["metric"],
        unit=key["unit"],
        table=table,
        fit=fit,
        variance=None if plain_only else fit.variance,
        interactions=interactions,
        cost=cost,
        evidence=evidence,
        cell_evidence=cell_evidence,
    )
    return model, warned


def _gather_cells(table: CellTable, rows: pd.DataFrame) -> tuple[Evidence, tuple[Evidence, ...]]:
    """Return the rows of all cells of a table, and those of each."""
    factors = list(table.factors)
    at = {tuple(key.get(factor) for factor in factors): group for key, group in cells(rows, factors)}
    measured, places = Measured.of(*at.values()), {levels: place for place, levels in enumerate(at)}
    own = (places[tuple(cell.levels[factor] for factor in factors)] for cell in table.cells)
    return measured.gather(slice(None), "additive least squares on cell medians"), tuple(
        measured.gather(np.flatnonzero(measured.tables == place), cell.median.method)
        for place, cell in zip(own, table.cells, strict=True)
    )


def _baselines(rows: pd.DataFrame, varied: Sequence[str], named: Mapping[str, Level]) -> dict[str, Level]:
    """Return the baseline level of each factor: the named level, else the first seen of levels that are words."""
    first = {factor: plain(rows[factor].iloc[0]) for factor in varied}
    words = {factor: level for factor, level in first.items() if isinstance(level, str)}
    return words | {factor: level for factor, level in named.items() if factor in varied and level in set(rows[factor])}


def _cost(
    table: CellTable,
    kinds: tuple[Sequence[str], Sequence[str]],
    baselines: Mapping[str, Level],
    question: _Question,
    name: str,
) -> tuple[CostAnswer | None, list[Caveat]]:
    try:
        model = fit_cost_model(
            table,
            *kinds,
            baselines=baselines,
            confidence_level=question.confidence_level,
            term_set=question.term_set,
        )
    except DataError as error:
        return None, [caveat("no-cost-model", f"{name}: {error}")]
    predictions, warned = _predictions(model, table, question, name)
    return CostAnswer(model=model, predictions=predictions, next_cells=model.next_cells()), warned


def _predictions(
    model: CostModel, table: CellTable, question: _Question, name: str
) -> tuple[tuple[Prediction, ...], list[Caveat]]:
    """Predict the cells that can be meant here; of the others say why not."""
    predictions: list[Prediction] = []
    warned: list[Caveat] = []
    for asked in question.predict:
        for at in _meant(asked, table, model.categorical):
            try:
                predictions += model.predict([at], extrapolate=question.extrapolate)
            except (DataError, SelectionError) as error:
                warned.append(caveat("not-predicted", f"{name}: {error}"))
    if model.runs == 1 and any(prediction.another_day is not None for prediction in predictions):
        message = f"{name}: all cells are of one run: what another day does to all of them is in no interval"
        warned.append(caveat("one-run", message))
    return tuple(predictions), warned


def _meant(asked: Mapping[str, str], table: CellTable, categorical: Sequence[str]) -> list[dict[str, Level]]:
    """Return the cells that are meant: at every level of a category that is not named."""
    at: dict[str, Level] = {}
    for factor, level in asked.items():
        at[factor] = _level_meant(level, table.factors[factor]) if factor in table.factors else level
    still = {factor: levels[0] for factor, levels in table.factors.items() if len(levels) == 1}
    open_ = [factor for factor in categorical if factor not in at and factor not in still]
    every = itertools.product(*(table.factors[factor] for factor in open_))
    return [still | dict(zip(open_, levels, strict=True)) | at for levels in every]


# Parts of a whole ----------------------------------------------------------------------------------------------------


def _answer_breakdowns(question: _Question) -> tuple[tuple[BreakdownAnswer, ...], list[Refusal]]:
    """Break down every whole that the study plans."""
    breakdowns: list[BreakdownAnswer] = []
    refused: list[Refusal] = []
    for plan in question.study.breakdowns:
        try:
            rows = question.study.results.select(plan.where).frame
            answers = [answer for metric in plan.metrics for answer in _broken_down(plan, rows, metric, question)]
        except (DataError, SelectionError) as error:
            refused.append(_refuse(plan, str(error)))
            continue
        if not answers:
            named = choices((plan.whole, *plan.parts))
            refused.append(_refuse(plan, f"no rows hold {named} with {choices(plan.metrics)}"))
        breakdowns += answers
    return tuple(breakdowns), refused


def _refuse(plan: BreakdownPlan, reason: str) -> Refusal:
    advice = "mend what the message names, or leave it out of study.toml"
    return Refusal(question="breakdown", reason=f"{plan.name}: {reason}", advice=advice)


def _broken_down(
    plan: BreakdownPlan, rows: pd.DataFrame, metric: str, question: _Question
) -> Iterator[BreakdownAnswer]:
    concerned = rows[(rows["metric"] == metric) & rows["benchmark"].isin((plan.whole, *plan.parts))]
    for key, group in cells(concerned, [*plan.by, "unit"]):
        whole = group[group["benchmark"] == plan.whole]
        parts = {name: group[group["benchmark"] == name] for name in plan.parts}
        if whole.empty or any(part.empty for part in parts.values()):
            continue
        place = {axis: level for axis, level in key.items() if axis != "unit"}
        broken = tuple(_parts_of(plan, whole, parts, key["unit"], question))
        left_out = _why_kept_out(question.study, group)
        yield BreakdownAnswer(
            name=plan.name,
            whole=plan.whole,
            key=place,
            metric=metric,
            left_out=left_out,
            cells=broken,
            evidence=_breakdown_evidence(plan, group),
            caveats=name_caveats(_breakdown_doubts(plan.name, place, left_out, broken)),
        )


def _breakdown_doubts(
    name: str, key: Mapping[str, Any], left_out: str, broken: Sequence[tuple[Mapping[str, Level], Breakdown]]
) -> Iterator[tuple[str, Caveat]]:
    """Name what weakens the shares of a whole: rows that the study itself does not trust, then what each cell says."""
    if left_out:
        message = f"its shares rest on rows that the study keeps out of its curves ({left_out})"
        yield name, caveat("doubted-rows", message)
    shared = set.intersection(*(set(breakdown.caveats) for _, breakdown in broken)) if broken else set()
    for levels, breakdown in broken:
        for doubt in breakdown.caveats:
            # A fact that only some cells state is reported for those cells.
            place = label(key) if doubt in shared else label({**key, **levels})
            yield f"{name}, {place}" if place else name, doubt


def _breakdown_evidence(plan: BreakdownPlan, rows: pd.DataFrame) -> Evidence:
    measured = gather(rows, "geometric mean of a part over that of the whole", by="benchmark")
    if not plan.profile:
        return measured
    return Evidence(rows=(*measured.rows, plan.profile), formula="flat shares of the profile, summed by package")


def _parts_of(
    plan: BreakdownPlan, whole: pd.DataFrame, parts: dict[str, pd.DataFrame], unit: str, question: _Question
) -> list[tuple[dict[str, Level], Breakdown]]:
    """Break a whole down in each cell of the factors that vary."""
    level = question.confidence_level
    every = pd.concat([whole, *parts.values()])
    varied = [factor for factor in question.factors if factor in every and every[factor].nunique() > 1]
    if not varied:
        measured = {name: rows["value"].to_numpy() for name, rows in parts.items()}
        return [({}, _broken(plan, whole["value"].to_numpy(), measured, unit, level))]
    table = _table_of(whole.dropna(subset=varied), varied, unit, level)
    if not parts:
        return [(dict(cell.levels), _broken(plan, cell.values, {}, unit, level)) for cell in table.cells]
    tables = {name: _table_of(rows.dropna(subset=varied), varied, unit, level) for name, rows in parts.items()}
    broken = break_down_cells(table, tables, estimated=plan.estimated, confidence_level=level)
    return [(dict(at), breakdown) for at, breakdown in broken]


def _broken(
    plan: BreakdownPlan, whole: ArrayLike, parts: Mapping[str, ArrayLike], unit: str, level: float
) -> Breakdown:
    return break_down(whole, parts, unit=unit, profiled=plan.profiled, estimated=plan.estimated, confidence_level=level)


def _answer_scaling(question: _Question) -> tuple[LawComparison, ...]:
    """Return whether the losses of scaling differ between curves that the factors or groups tell apart."""
    if not question.study.scaling.concurrency:
        return ()
    answer = fit_scaling(question.study, confidence_level=question.confidence_level, budget=0)
    if isinstance(answer, Refusal):
        return ()
    asked = {*question.factors, *question.by, *question.study.scaling.by} - {"benchmark"}
    apart = {
        axis
        for curve in answer.curves
        for axis in curve.key
        if len({str(other.key.get(axis)) for other in answer.curves}) > 1
    }
    return answer.comparisons if apart & asked else ()


# As plain data: the JSON of ``benchlib effects`` -------------------------------------------------------------------


def effects_document(answer: EffectsAnswer) -> dict[str, Any]:
    """Return an effects answer as data that JSON can hold; a number that is not finite is null.

    Examples
    --------
    >>> from benchlib.answers.effects import analyse_effects
    >>> document = effects_document(analyse_effects("data/lplex", metric="time"))
    >>> sorted(document["models"][0])[:4]
    ['cells', 'effects', 'evidence', 'formula']
    """
    return {
        "schema": SCHEMA_VERSION,
        "factors": list(answer.factors),
        "confidence_level": answer.confidence_level,
        "models": [_model_document(model) for model in answer.models],
        "breakdowns": [
            {
                "name": breakdown.name,
                "whole": breakdown.whole,
                "key": to_dict(breakdown.key),
                "metric": breakdown.metric,
                "left_out": breakdown.left_out,
                "evidence": list(breakdown.evidence.rows),
                "cells": [{"levels": to_dict(at), **to_dict(broken)} for at, broken in breakdown.cells],
            }
            for breakdown in answer.breakdowns
        ],
        "scaling": to_dict(answer.scaling),
        "refusals": to_dict(answer.refusals),
        "caveats": to_dict(answer.caveats),
    }


def _model_document(model: EffectModel) -> dict[str, Any]:
    cost = model.cost
    return {
        "key": to_dict(model.key),
        "metric": model.metric,
        "unit": model.unit,
        "terms": _terms(cost.model.chosen) if cost else [],
        "formula": cost.model.chosen.formula if cost else None,
        "rivals": [_rival(rival) for rival in cost.model.rivals] if cost else [],
        "lack_of_fit": finite(cost.model.lack_of_fit) if cost else None,
        "left_out": _left_out(cost.model.left_out) if cost else None,
        "special_cells": [_outlying(cell) for cell in (cost.model if cost else model.fit).special_cells],
        "predictions": to_dict(cost.predictions) if cost else [],
        "next_cells": to_dict(cost.next_cells) if cost else [],
        "effects": {"slopes": to_dict(model.fit.slopes), "ratios": to_dict(model.fit.ratios)},
        "variance": to_dict(model.variance),
        "interactions": to_dict(model.interactions),
        "cells": [{name: own for name, own in to_dict(cell).items() if name != "runs"} for cell in model.table.cells],
        "missing": to_dict(model.table.missing),
        "missing_count": model.table.missing_count,
        "evidence": list(model.evidence.rows),
    }


def _outlying(cell: OutlyingCell) -> dict[str, Any]:
    times = cell.expected / cell.observed if cell.observed > 0 else None
    return {**to_dict(cell), "expected_over_observed": times}


def _left_out(left_out: LeftOut) -> dict[str, Any]:
    return {"error": finite(left_out.error), "held": left_out.held, "cells": left_out.cells}


def _terms(model: FittedModel) -> list[dict[str, Any]]:
    return [*to_dict(model.terms), *to_dict(model.scales)]


def _rival(model: FittedModel) -> dict[str, Any]:
    return {
        "formula": model.formula,
        "structure": model.structure,
        "treatments": dict(model.treatments),
        "terms": _terms(model),
        "criteria": {
            "bic": model.bic,
            "delta_bic": model.delta_bic,
            "weight": model.weight,
            "loo_error": finite(model.loo_error),
        },
        "relative_error": finite(model.relative_error),
        "degrees_of_freedom": model.degrees_of_freedom,
    }
