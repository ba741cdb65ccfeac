"""The cells of one metric of one group, and what factors do to them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from benchlib.answers.asking import level_meant
from benchlib.answers.effects.answer import CostAnswer, EffectModel
from benchlib.answers.effects.question import Question
from benchlib.answers.evidence import Evidence, Measured
from benchlib.answers.grouping import cells, label, plain
from benchlib.caveats import Caveat, caveat
from benchlib.effects.anova import VarianceTable, analyse_variance
from benchlib.effects.cells import CellTable, Level, build_cells, sort_factors
from benchlib.effects.cost_models import CostModel, fit_cost_model
from benchlib.effects.interactions import find_interactions
from benchlib.effects.plain_effects import EffectsFit, analyse_cells
from benchlib.effects.predict import Prediction
from benchlib.errors import DataError, SelectionError, choices

__all__ = ["answer_models", "table_of"]

#: The level of a row that has none of a factor in words: no filter, no cache.
NO_LEVEL = "none"


def answer_models(question: Question, *, plain_only: bool) -> tuple[tuple[EffectModel, ...], list[Caveat]]:
    """Answer every metric of every group in which a factor varies; say why others have no answer."""
    models: list[EffectModel] = []
    warned: list[Caveat] = []
    refused: list[str] = []
    frame = question.study.results.select(question.study.effects.where).frame
    frame = frame[frame["metric"].isin(question.metrics)]
    for key, rows in cells(frame, [*question.by, "metric", "unit"]):
        varied = _varied(rows, question.factors)
        if not varied or len(rows) < 2:
            continue
        try:
            kept = _with_levels(rows, varied)
            model, caveats = _model(key, kept, varied, question, plain_only=plain_only)
            if len(kept) < len(rows):
                without = choices([one for one in varied if rows[one].isna().any()])
                told = f"{label(key)}: {len(rows) - len(kept)} of {len(rows)} rows have no number of {without}"
                caveats.append(caveat("missing-levels", told))
        except DataError as error:
            refused.append(f"{label(key)}: {error}")
        else:
            models.append(model)
            warned += caveats
    if refused and not models:
        raise DataError(refused[0])
    warned += [caveat("no-effects", one) for one in refused]
    return tuple(models), [*warned, *_half_measured(models)]


def _half_measured(models: Sequence[EffectModel]) -> list[Caveat]:
    """Say which metric is missing in cells of its group that another metric has."""
    found = []
    groups: dict[tuple[Any, ...], list[EffectModel]] = {}
    for one in models:
        groups.setdefault(tuple(one.key.items()), []).append(one)
    for group in groups.values():
        places = {one.metric: {tuple(sorted(cell.levels.items(), key=str)) for cell in one.cells} for one in group}
        every = set().union(*places.values())
        for metric, measured in places.items():
            if len(measured) < len(every):
                name = f"{label(group[0].key)}: " if group[0].key else ""
                message = f"{name}{metric} is missing in {len(every) - len(measured)} of {len(every)} cells"
                found.append(caveat("metric-missing", message))
    return found


def _varied(rows: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """Return the factors that take two levels here, of which none at all may be one where levels are words."""
    return [
        one
        for one in factors
        if rows[one].nunique() + (not pd.api.types.is_numeric_dtype(rows[one]) and rows[one].isna().any()) > 1
    ]


def _with_levels(rows: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Leave out rows without a number of a factor; where a factor is a word, to have none is a level too."""
    words = [one for one in factors if not pd.api.types.is_numeric_dtype(rows[one])]
    kept = rows.dropna(subset=[one for one in factors if one not in words])
    return kept.assign(**{one: kept[one].astype(object).where(kept[one].notna(), NO_LEVEL) for one in words})


def table_of(rows: pd.DataFrame, factors: Sequence[str], unit: str, level: float) -> CellTable:
    """Return the cells of some rows."""
    columns = {one: [plain(level) for level in rows[one]] for one in factors}
    return build_cells(columns, rows["value"].to_numpy(), unit=unit, confidence_level=level)


def _model(
    key: dict[str, Any], rows: pd.DataFrame, varied: Sequence[str], question: Question, *, plain_only: bool
) -> tuple[EffectModel, list[Caveat]]:
    # A factor that stands still here still tells where "here" is: it stays in the cells' levels.
    still = [one for one in question.factors if one not in varied and rows[one].nunique() == 1]
    table = table_of(rows, [*varied, *still], key["unit"], question.confidence_level)
    baselines = _baselines(rows, varied, question.baselines)
    numeric, categorical = _kinds(table, question.numeric)
    fit = analyse_cells(table, numeric, categorical, baselines=baselines, confidence_level=question.confidence_level)
    place = {axis: level for axis, level in key.items() if axis not in ("metric", "unit")}
    cost, warned = None, list[Caveat]()
    if not plain_only:
        name = f"{label(place)} ({key['metric']})" if place else str(key["metric"])
        cost, warned = _cost(table, (numeric, categorical), baselines, question, name)
    whole, behind = _behind(table, rows)
    model = EffectModel(
        key=place,
        metric=key["metric"],
        unit=key["unit"],
        table=table,
        fit=fit,
        variance=None if plain_only else _variance(table, fit, varied),
        interactions=None
        if plain_only
        else find_interactions(
            table, numeric, categorical, baselines=baselines, confidence_level=question.confidence_level
        ),
        cost=cost,
        evidence=whole,
        cell_evidence=behind,
    )
    return model, warned


def _behind(table: CellTable, rows: pd.DataFrame) -> tuple[Evidence, tuple[Evidence, ...]]:
    """Return the rows of all cells of a table, and those of each."""
    factors = list(table.factors)
    at = {tuple(key.get(one) for one in factors): group for key, group in cells(rows, factors)}
    measured, places = Measured.of(*at.values()), {levels: place for place, levels in enumerate(at)}
    own = (places[tuple(cell.levels[one] for one in factors)] for cell in table.cells)
    return measured.gather(slice(None), "additive least squares on cell medians"), tuple(
        measured.gather(np.flatnonzero(measured.tables == place), cell.median.method)
        for place, cell in zip(own, table.cells, strict=True)
    )


def _variance(table: CellTable, fit: EffectsFit, varied: Sequence[str]) -> VarianceTable:
    """Share out the variance of the cells that are not set apart: one of these alone would outweigh them all."""
    apart = {tuple(one.levels.items()) for one in fit.special_cells}
    return analyse_variance([one for one in table.cells if tuple(one.levels.items()) not in apart], varied)


def _baselines(rows: pd.DataFrame, varied: Sequence[str], named: Mapping[str, Level]) -> dict[str, Level]:
    """Return what other levels are held against: as named, else of words, which have no order, the first seen."""
    first = {one: plain(rows[one].iloc[0]) for one in varied}
    seen = {one: level for one, level in first.items() if isinstance(level, str)}
    return seen | {one: level for one, level in named.items() if one in varied and level in set(rows[one])}


def _kinds(table: CellTable, named: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numeric and the categorical factors, as they look or as they were named."""
    numeric, categorical = sort_factors(table)
    also = tuple(one for one in categorical if one in named)
    return (*numeric, *also), tuple(one for one in categorical if one not in also)


def _cost(
    table: CellTable,
    kinds: tuple[Sequence[str], Sequence[str]],
    baselines: Mapping[str, Level],
    question: Question,
    name: str,
) -> tuple[CostAnswer | None, list[Caveat]]:
    numeric, categorical = kinds
    level, terms = question.confidence_level, question.term_set
    try:
        model = fit_cost_model(table, numeric, categorical, baselines=baselines, confidence_level=level, term_set=terms)
    except DataError as error:
        return None, [caveat("no-cost-model", f"{name}: {error}")]
    predictions, warned = _predictions(model, table, question, name)
    return CostAnswer(model=model, predictions=predictions, next_cells=model.next_cells()), warned


def _predictions(
    model: CostModel, table: CellTable, question: Question, name: str
) -> tuple[tuple[Prediction, ...], list[Caveat]]:
    """Predict the cells that can be meant here; of the others say why not."""
    found: list[Prediction] = []
    warned: list[Caveat] = []
    for one in question.predict:
        for at in _meant(one, table, model.categorical):
            try:
                found += model.predict([at], extrapolate=question.extrapolate)
            except (DataError, SelectionError) as error:
                warned.append(caveat("not-predicted", f"{name}: {error}"))
    return tuple(found), warned


def _meant(asked: Mapping[str, str], table: CellTable, categorical: Sequence[str]) -> list[dict[str, Level]]:
    """Return the cells that are meant: at every level of a category that is not named."""
    at: dict[str, Level] = {}
    for factor, level in asked.items():
        at[factor] = level_meant(level, table.factors[factor]) if factor in table.factors else level
    still = {factor: levels[0] for factor, levels in table.factors.items() if len(levels) == 1}
    open_ = [factor for factor in categorical if factor not in at and factor not in still]
    every = itertools.product(*(table.factors[factor] for factor in open_))
    return [still | dict(zip(open_, levels, strict=True)) | at for levels in every]
