"""The tables of slides: no more columns and rows than a room can read."""

from __future__ import annotations

import math
from collections import Counter

from benchlib.answers.planning.answer import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.scaling import CurveAnswer
from benchlib.answers.scaling.behind import curve_evidence
from benchlib.report.wording.deck.numbers import chance_words, money_words, node_words
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, table
from benchlib.report.wording.told import evident, told
from benchlib.report.wording.words import evident_figure, evident_interval
from benchlib.units import percent

__all__ = ["levels_table", "loads_table", "options_table", "sources_table"]

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
    whole = curve_evidence(curve)
    return table(
        f"{curve.name}{left}",
        (curve.axis, "n", "throughput", "interval", "speedup", "efficiency"),
        (
            (
                f"{one.concurrency:g}",
                evident(str(one.n), curve.evidence[one.concurrency], one.n),
                evident_figure(one.throughput, curve.evidence[one.concurrency]),
                evident_interval(one.throughput, curve.evidence[one.concurrency]),
                evident(f"{one.speedup:.2f}x", whole, one.speedup),
                evident(percent(one.efficiency), whole, one.efficiency),
            )
            for one in points
        ),
    )


def loads_table(answer: PlanningAnswer) -> Table:
    """What each curve asks for, where there are several."""
    return table(
        "What each curve asks for",
        ("curve", "nodes", "of", "enough with", "cost"),
        (
            (
                one.name,
                *_bought(one.best, one, answer),
            )
            for one in answer.loads[:MOST_ROWS]
        ),
    )


def _bought(best: NodeOption | None, plan: LoadPlan, answer: PlanningAnswer) -> tuple[str, ...]:
    if best is None:
        return ("none is enough", NONE, NONE, NONE)
    cost = evident(money_words(best.cost, answer), best.evidence, best.cost) if math.isfinite(best.cost) else NONE
    return (
        evident(f"{best.nodes:,.0f}", best.evidence, best.nodes),
        node_words(best, plan),
        evident(chance_words(best.probability), best.evidence, best.probability),
        cost,
    )


def options_table(plan: LoadPlan, answer: PlanningAnswer) -> Table:
    """Every kind of node beside the others; the one to take is marked."""
    priced = any(math.isfinite(one.cost) for one in plan.options)
    shown = plan.options[: MOST_ROWS - 1]
    return table(
        f"For {plan.name}",
        ("kind of node", "nodes", "cores in all", *(["cost"] if priced else []), "one delivers", ""),
        (
            (
                node_words(one, plan) if plan.counts == "cores" else f"full with {one.concurrency:g} in flight",
                evident(f"{one.nodes:,.0f}", one.evidence, one.nodes) if math.isfinite(one.nodes) else "none is enough",
                evident(f"{one.total_cores:,.0f}", one.evidence, one.total_cores)
                if math.isfinite(one.total_cores)
                else NONE,
                *([_cost(one, answer)] if priced else []),
                told(evident_figure(one.each, one.evidence), one.evidence),
                "take this" if at == plan.chosen else "next best" if at == plan.runner_up else "",
            )
            for at, one in enumerate(shown)
        ),
    )


def _cost(option: NodeOption, answer: PlanningAnswer) -> str:
    return (
        evident(money_words(option.cost, answer), option.evidence, option.cost) if math.isfinite(option.cost) else NONE
    )


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
