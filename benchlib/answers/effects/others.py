"""What else is asked of factors: parts of a whole, best settings, whether scaling depends on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from benchlib.answers.effects.answer import (
    BreakdownAnswer,
    ChoiceAnswer,
)
from benchlib.answers.effects.models import table_of
from benchlib.answers.effects.question import Question
from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, label, name_caveats
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import LawComparison, fit_scaling
from benchlib.answers.throughput import why_kept_out
from benchlib.caveats import Caveat, caveat
from benchlib.effects.breakdown import Breakdown, break_down, break_down_cells
from benchlib.effects.cells import Level
from benchlib.effects.settings import Criterion, choose_settings
from benchlib.errors import DataError, SelectionError, choices
from benchlib.results import Results
from benchlib.study import BreakdownPlan, ChoicePlan

__all__ = ["answer_breakdowns", "answer_choices", "answer_scaling"]

#: What a service is judged by, where a study names no metrics.
JUDGED_BY = ("throughput", "latency_p95", "latency_p99", "gc_overhead")


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


def answer_choices(question: Question) -> tuple[tuple[ChoiceAnswer, ...], list[Refusal]]:
    """Choose every setting that the study plans or the caller named."""
    found: list[ChoiceAnswer] = []
    refused: list[Refusal] = []
    for plan in question.study.choices:
        try:
            judged = question.study.results.select(plan.where)
            contexts = _contexts(plan, judged, question.confidence_level)
        except (DataError, SelectionError) as error:
            refused.append(_refusal("choice", plan.name, str(error)))
            continue
        if contexts:
            rows = gather(judged.frame, f"geometric means by {plan.factor} in each context, and their ratios")
            found.append(ChoiceAnswer(name=plan.name, factor=plan.factor, contexts=contexts, evidence=rows))
        else:
            reason = f"no context holds two levels of {plan.factor} with every metric"
            refused.append(_refusal("choice", plan.name, reason))
    return tuple(found), refused


def _contexts(plan: ChoicePlan, results: Results, level: float) -> tuple[Any, ...]:
    known = {name: metric.better for name, metric in results.metrics.items() if metric.better is not None}
    judged = plan.metrics or tuple(one for one in JUDGED_BY if one in known)
    if not judged:
        raise DataError(f"none of {choices(JUDGED_BY)} was measured; name metrics to judge {plan.factor} by")
    for one in judged:
        if one not in known:
            raise DataError(f"nobody says whether more or less of '{one}' is better; judge by another metric")
    by = tuple(one for one in ("benchmark", *plan.by) if one in results.frame.columns)
    # Rows without a level, a serial benchmark without workers say, are no setting.
    rows = results.frame.dropna(subset=[*by, plan.factor])
    criteria = []
    for metric in judged:
        of = rows[rows["metric"] == metric]
        if of[plan.factor].nunique() < 2:
            raise DataError(f"{plan.factor} has fewer than two levels with {metric}; measure another, or widen 'where'")
        unit = str(of["unit"].iloc[0])
        table = table_of(of, [*by, plan.factor], unit, level)
        criteria.append(Criterion(metric=metric, better=known[metric], table=table))
    return choose_settings(criteria, plan.factor, confidence_level=level)


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
