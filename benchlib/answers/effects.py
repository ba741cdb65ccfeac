"""What does a factor cost? Bits, inputs, outputs, curve: slopes, ratios, special cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, label, name_caveats, plain, residue
from benchlib.answers.refusal import Refusal
from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import Cell, CellTable, build_cells
from benchlib.effects.marginal import EffectsFit, analyse_cells
from benchlib.errors import DataError, SelectionError
from benchlib.study import Study

__all__ = ["EffectModel", "EffectsAnswer", "effects_answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectModel:
    """The plain effects of all factors on one metric of one group (a benchmark, mostly).

    Attributes
    ----------
    key : mapping
    metric, unit : str
    cells : tuple of Cell
        Every combination of levels that was measured.
    missing : tuple of mapping
        Combinations that were not (the first few of ``missing_count``).
    missing_count : int
    fit : EffectsFit
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    cells: tuple[Cell, ...]
    missing: tuple[Mapping[str, Any], ...]
    missing_count: int
    fit: EffectsFit
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsAnswer:
    """Effects of the factors of a study, a model a metric and group."""

    factors: tuple[str, ...]
    models: tuple[EffectModel, ...]
    caveats: tuple[Caveat, ...]


def effects_answer(study: Study, *, confidence_level: float = 0.95) -> EffectsAnswer | Refusal:
    """Break out the effect of each factor on each metric.

    Parameters
    ----------
    study : Study
        Its plan names factors, metrics, groups and rows.
    confidence_level : float

    Returns
    -------
    EffectsAnswer or Refusal

    References
    ----------
    The models and their intervals: `benchlib.effects.marginal.analyse_cells`.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/token-sdk", where="benchmark=Sender metric=time")
    >>> answer = effects_answer(study)
    >>> answer.models[0].metric
    'time'
    """
    plan = study.effects
    if not plan.factors:
        return Refusal(
            question="effects",
            reason="the study names no factor",
            advice="name the factors that were varied: factors in [effects] of study.toml",
        )
    try:
        frame = study.results.select(plan.where).frame
    except SelectionError as error:
        return Refusal(question="effects", reason=str(error), advice="widen the selection")
    factors = [one for one in plan.factors if one in frame.columns]
    frame = frame[frame["metric"].isin(plan.metrics)]
    models, refused = [], []
    for key, rows in cells(frame, [*plan.by, "metric", "unit"]):
        varied = [one for one in factors if rows[one].nunique() > 1]
        if not varied or len(rows) < 2:
            continue
        try:
            models.append(_model(key, rows.dropna(subset=varied), factors, varied, confidence_level))
        except DataError as error:
            refused.append(caveat("missing-cells", f"{label(key)}: {error}"))
    if not models:
        return Refusal(
            question="effects",
            reason=f"none of {', '.join(plan.factors)} varies in the rows asked about",
            advice="measure at two or more levels of a factor",
        )
    return EffectsAnswer(
        factors=tuple(factors),
        models=tuple(models),
        caveats=merge(refused, _caveats(models, frame, plan.by, factors)),
    )


def _model(
    key: dict[str, Any],
    rows: pd.DataFrame,
    factors: Sequence[str],
    varied: Sequence[str],
    confidence_level: float,
) -> EffectModel:
    # A factor that stands still here still tells where "here" is: it stays in the cells' levels.
    still = [one for one in factors if one not in varied and rows[one].nunique() == 1]
    columns = {one: [plain(level) for level in rows[one]] for one in [*varied, *still]}
    # Words have no order: the level that stands first in the files is what others are held against.
    baselines = {one: levels[0] for one, levels in columns.items() if one in varied and isinstance(levels[0], str)}
    table: CellTable = build_cells(
        columns, rows["value"].to_numpy(), unit=key["unit"], confidence_level=confidence_level
    )
    return EffectModel(
        key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
        metric=key["metric"],
        unit=key["unit"],
        cells=table.cells,
        missing=table.missing,
        missing_count=table.missing_count,
        fit=analyse_cells(table, baselines=baselines, confidence_level=confidence_level),
        evidence=gather(rows, "additive least squares on cell medians"),
    )


def _caveats(
    models: Sequence[EffectModel], frame: pd.DataFrame, by: Sequence[str], factors: Sequence[str]
) -> tuple[Caveat, ...]:
    return name_caveats(
        (f"{label(model.key)} ({model.metric})", one)
        for model in models
        for one in (*model.fit.caveats, *_mixed(model, frame, by, factors))
        if one.code != "one-level"
    )


def _mixed(model: EffectModel, frame: pd.DataFrame, by: Sequence[str], factors: Sequence[str]) -> tuple[Caveat, ...]:
    rows = frame[frame["metric"] == model.metric]
    for axis, level in model.key.items():
        rows = rows[rows[axis] == level]
    return residue(rows, [*by, *factors])
