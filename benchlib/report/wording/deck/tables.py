"""The tables of slides: no more columns and rows than a room can read."""

from __future__ import annotations

import math
from collections import Counter

from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.scaling import CurveAnswer, speedup_evidence
from benchlib.report.wording.markup import Table
from benchlib.report.wording.plan_words import counted, figure, kind_words, money_words
from benchlib.report.wording.tables import table
from benchlib.report.wording.told import evident
from benchlib.report.wording.words import evident_figure, evident_interval
from benchlib.units import asked_share, percent

#: Rows that a slide has room for.
MOST_ROWS = 8
#: Files, and lines of each, that a slide names: answers.json has all.
MOST_SOURCES = 6


def levels_table(curve: CurveAnswer) -> Table:
    """What was measured, level by level; the smallest, the largest and those between where there are many."""
    points = curve.points
    if len(points) > MOST_ROWS:
        step = (len(points) - 1) / (MOST_ROWS - 1)
        points = tuple(points[round(place * step)] for place in range(MOST_ROWS))
    left = f", {len(points)} of {len(curve.points)} levels" if len(points) < len(curve.points) else ""
    return table(
        f"{curve.name}{left}",
        (curve.axis, "n", "throughput", "interval", "speedup", "efficiency"),
        (
            (
                f"{one.concurrency:g}",
                evident(str(one.n), curve.evidence[one.concurrency], one.n),
                evident_figure(one.throughput, curve.evidence[one.concurrency]),
                evident_interval(one.throughput, curve.evidence[one.concurrency]),
                evident(f"{one.speedup:.2f}x", speedup_evidence(curve, one.concurrency), one.speedup),
                evident(percent(one.efficiency), speedup_evidence(curve, one.concurrency), one.efficiency),
            )
            for one in points
        ),
    )


def options_table(answer: PlanningAnswer, plan: LoadPlan) -> Table:
    """Kinds of node side by side, in fewer words than a page has room for."""
    priced = any(math.isfinite(one.cost) for one in plan.options)
    cores = any(math.isfinite(one.total_cores) for one in plan.options)
    heads = ["a node", "nodes", *(["cores"] if cores else []), *(["per hour"] if priced else []), "one delivers"]
    return table(
        f"{plan.name}, enough with {asked_share(answer.asked.probability)}",
        heads,
        (
            (
                f"{_kind(one, plan)}{_place(at, plan)}",
                _known(counted(one.nodes), one, one.nodes),
                *([_known(counted(one.total_cores), one, one.total_cores)] if cores else []),
                *([_known(money_words(one.cost, answer).removesuffix(" per hour"), one, one.cost)] if priced else []),
                _known(figure(one.each), one, one.each.value),
            )
            for at, one in enumerate(plan.options[:MOST_ROWS])
        ),
    )


def _kind(option: NodeOption, plan: LoadPlan) -> str:
    return f"{option.concurrency:g} in flight" if plan.counts == "requests in flight" else kind_words(option, plan)


def _place(at: int, plan: LoadPlan) -> str:
    return ", taken" if at == plan.chosen else ", next" if at == plan.runner_up else ""


def _known(text: str, option: NodeOption, value: float) -> str:
    return evident(text, option.evidence, value) if math.isfinite(value) else text


def sources_table(plan: LoadPlan) -> Table:
    """The files whose rows are behind a plan."""
    rows = Counter(row.rpartition(":")[0] for row in plan.evidence.rows)
    left = f", {MOST_SOURCES} of {len(rows)} files" if len(rows) > MOST_SOURCES else ""
    return table(
        f"Behind every number of {plan.name}{left}",
        ("file", "lines"),
        ((name, _lines(name, plan)) for name in list(rows)[:MOST_SOURCES]),
        words=2,
    )


def _lines(name: str, plan: LoadPlan) -> str:
    spans = [row.rpartition(":")[2] for row in plan.evidence.rows if row.rpartition(":")[0] == name]
    return ", ".join(spans[:MOST_SOURCES]) + (" and more" if len(spans) > MOST_SOURCES else "")
