"""What else is asked of factors: metrics that go together, parts of a whole, where a change is from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from benchlib.answers.asking import asked_columns
from benchlib.answers.effects.answer import (
    AttributionAnswer,
    BreakdownAnswer,
    EffectModel,
    RelationAnswer,
)
from benchlib.answers.effects.models import kinds_of, table_of, tables_of
from benchlib.answers.effects.question import Question
from benchlib.answers.evidence import Evidence, gather, gather_all
from benchlib.answers.grouping import cells, label, name_caveats
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import LawComparison, fit_scaling
from benchlib.answers.sweeps import why_kept_out
from benchlib.caveats import Caveat, caveat
from benchlib.effects.attribution import attribute_change
from benchlib.effects.breakdown import Breakdown, break_down, break_down_cells
from benchlib.effects.cells import CellTable, Level
from benchlib.effects.relation import relate_cells
from benchlib.errors import DataError, SelectionError, choices
from benchlib.study import BreakdownPlan, Study

__all__ = ["answer_attributions", "answer_breakdowns", "answer_relations", "answer_scaling"]


def answer_relations(
    models: Sequence[EffectModel], confidence_level: float
) -> tuple[tuple[RelationAnswer, ...], list[Refusal]]:
    """Relate the first metric of each group to each other one, over the cells that have both and are not set apart."""
    found: list[RelationAnswer] = []
    first: dict[tuple[Any, ...], EffectModel] = {}
    for model in models:
        place = tuple(model.key.items())
        response = first.setdefault(place, model)
        if response is model or len(model.cells) < 4 or response.table.factors.keys() != model.table.factors.keys():
            continue
        try:
            relation = relate_cells(_ordinary(response), _ordinary(model), confidence_level=confidence_level)
        except DataError:
            # Counts that are 0 in every cell go with nothing: the cells themselves show it.
            continue
        found.append(RelationAnswer(key=model.key, metric=response.metric, other=model.metric, relation=relation))
    return tuple(found), []


def _ordinary(model: EffectModel) -> CellTable:
    apart = {tuple(one.levels.items()) for one in model.fit.special_cells}
    return replace(
        model.table, cells=tuple(one for one in model.cells if tuple(one.levels.items()) not in apart), caveats=()
    )


def answer_breakdowns(question: Question) -> tuple[tuple[BreakdownAnswer, ...], list[Refusal]]:
    """Break down every whole that the study plans."""
    found: list[BreakdownAnswer] = []
    refused: list[Refusal] = []
    for plan in question.study.breakdowns:
        try:
            rows = question.study.results.select(plan.where).frame
            answers = [one for metric in plan.metrics for one in _broken_down(plan, rows, metric, question)]
        except (DataError, SelectionError) as error:
            refused.append(_refusal("breakdown", plan.name, str(error)))
            continue
        if not answers:
            named = choices((plan.whole, *plan.parts))
            reason = f"no rows hold {named} with {choices(plan.metrics)}"
            refused.append(_refusal("breakdown", plan.name, reason))
        found += answers
    return tuple(found), refused


def _broken_down(plan: BreakdownPlan, rows: pd.DataFrame, metric: str, question: Question) -> list[BreakdownAnswer]:
    found = []
    concerned = rows[(rows["metric"] == metric) & rows["benchmark"].isin((plan.whole, *plan.parts))]
    for key, group in cells(concerned, [*plan.by, "unit"]):
        whole = group[group["benchmark"] == plan.whole]
        parts = {name: group[group["benchmark"] == name] for name in plan.parts}
        if whole.empty or any(one.empty for one in parts.values()):
            continue
        place = {axis: level for axis, level in key.items() if axis != "unit"}
        broken = tuple(_parts_of(plan, whole, parts, key["unit"], question))
        left_out = why_kept_out(question.study, group)
        found.append(
            BreakdownAnswer(
                name=plan.name,
                whole=plan.whole,
                key=place,
                metric=metric,
                left_out=left_out,
                cells=broken,
                evidence=_evidence(plan, group),
                caveats=name_caveats(_doubts(plan.name, place, left_out, broken)),
            )
        )
    return found


def _doubts(
    name: str, key: Mapping[str, Any], left_out: str, broken: Sequence[tuple[Mapping[str, Level], Breakdown]]
) -> Iterator[tuple[str, Caveat]]:
    """Name what weakens the shares of a whole: rows that the study itself does not trust, then what each cell says."""
    if left_out:
        told = f"its shares rest on rows that the study keeps out of its curves ({left_out})"
        yield name, caveat("doubted-rows", told)
    shared = set.intersection(*(set(one.caveats) for _, one in broken)) if broken else set()
    for levels, one in broken:
        for said in one.caveats:
            # What not every cell says is told of the cells that say it.
            place = label(key) if said in shared else label({**key, **levels})
            yield f"{name}, {place}" if place else name, said


def _evidence(plan: BreakdownPlan, rows: pd.DataFrame) -> Evidence:
    found = gather(rows, "geometric mean of a part over that of the whole", by="benchmark")
    if not plan.profile:
        return found
    return Evidence(rows=(*found.rows, plan.profile), formula="flat shares of the profile, summed by package")


def _parts_of(
    plan: BreakdownPlan, whole: pd.DataFrame, parts: dict[str, pd.DataFrame], unit: str, question: Question
) -> list[tuple[dict[str, Level], Breakdown]]:
    level = question.confidence_level
    every = pd.concat([whole, *parts.values()])
    varied = [one for one in question.factors if one in every and every[one].nunique() > 1]
    if not varied:
        measured = {name: rows["value"].to_numpy() for name, rows in parts.items()}
        return [({}, _broken(plan, whole["value"].to_numpy(), measured, unit, level))]
    table = table_of(whole.dropna(subset=varied), varied, unit, level)
    if not parts:
        return [(dict(cell.levels), _broken(plan, cell.values, {}, unit, level)) for cell in table.cells]
    tables = {name: table_of(one.dropna(subset=varied), varied, unit, level) for name, one in parts.items()}
    broken = break_down_cells(table, tables, estimated=plan.estimated, confidence_level=level)
    return [(dict(at), one) for at, one in broken]


def _broken(
    plan: BreakdownPlan, whole: ArrayLike, parts: Mapping[str, ArrayLike], unit: str, level: float
) -> Breakdown:
    return break_down(whole, parts, unit=unit, profiled=plan.profiled, estimated=plan.estimated, confidence_level=level)


def answer_attributions(question: Question, against: Study) -> tuple[tuple[AttributionAnswer, ...], list[Refusal]]:
    """Split the change of each metric of each group since a baseline."""
    where, level = question.study.effects.where, question.confidence_level
    asked_columns(against.results, (*question.factors, *question.by), f"the baseline {against.name}")
    now = tables_of(question.study.results.select(where), question.metrics, question.factors, question.by, level)
    before: dict[tuple[Any, ...], tuple[pd.DataFrame, CellTable]] = {
        tuple(sorted(key.items())): (rows, table)
        for key, rows, table in tables_of(
            against.results.select(where), question.metrics, question.factors, question.by, level
        )
    }
    found: list[AttributionAnswer] = []
    refused: list[Refusal] = []
    for key, rows, table in now:
        place = {axis: one for axis, one in key.items() if axis not in ("metric", "unit")}
        name = f"{label(place)} ({key['metric']})" if place else str(key["metric"])
        baseline = before.get(tuple(sorted(key.items())))
        if baseline is None:
            refused.append(_refusal("attribution", name, f"the baseline {against.name} has no such cells"))
            continue
        try:
            numeric, categorical = kinds_of(table, question.numeric)
            earlier, cells_before = baseline
            attribution = attribute_change(cells_before, table, numeric, categorical, confidence_level=level)
        except DataError as error:
            refused.append(_refusal("attribution", name, str(error)))
            continue
        found.append(
            AttributionAnswer(
                key=place,
                metric=key["metric"],
                unit=key["unit"],
                attribution=attribution,
                evidence=gather_all([earlier, rows], "cells of both runs, and one cost model for each"),
            )
        )
    return tuple(found), refused


def answer_scaling(question: Question) -> tuple[LawComparison, ...]:
    """Return whether the losses of scaling differ between curves that the factors or groups tell apart."""
    if not question.study.scaling.concurrency:
        return ()
    answer = fit_scaling(question.study, confidence_level=question.confidence_level, budget=0)
    if isinstance(answer, Refusal):
        return ()
    asked = {*question.factors, *question.by, *question.study.scaling.by} - {"benchmark"}
    apart = {
        axis for one in answer.curves for axis in one.key if len({str(two.key.get(axis)) for two in answer.curves}) > 1
    }
    return answer.comparisons if apart & asked else ()


def _refusal(question: str, name: str, reason: str) -> Refusal:
    advice = "mend what the message names, or leave it out of study.toml"
    return Refusal(question=question, reason=f"{name}: {reason}", advice=advice)
