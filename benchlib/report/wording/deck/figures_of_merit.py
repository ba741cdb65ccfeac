"""The figures of merit of a plan: nodes, cost, how sure, what stays free, how long a request takes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.planning.answer import LoadPlan, PlanningAnswer
from benchlib.report.wording.cards import Card
from benchlib.report.wording.deck.numbers import chance_words, money_words, node_words, nodes_words
from benchlib.report.wording.told import evident, told
from benchlib.report.wording.words import evident_figure, evident_interval
from benchlib.units import percent

__all__ = ["plan_cards"]


def plan_cards(plan: LoadPlan, answer: PlanningAnswer) -> tuple[Card, ...]:
    """Choose four figures of merit of the plan to follow."""
    return tuple(_cards(plan, answer))[:4]


def _cards(plan: LoadPlan, answer: PlanningAnswer) -> Iterator[Card]:
    best = plan.best
    if best is None:
        return
    counts = ", ".join(f"{nodes:,.0f} for {percent(share)}" for share, nodes in best.nodes_at.items())
    yield _card(
        "Nodes",
        evident(nodes_words(best.nodes), best.evidence, best.nodes),
        told(counts, best.evidence),
        f"of {node_words(best, plan)}",
    )
    if math.isfinite(best.cost):
        yield _card(
            "Cost",
            evident(money_words(best.cost, answer), best.evidence, best.cost),
            told(money_words(best.cost, answer, "month"), best.evidence),
            "",
        )
    yield _card(
        "Enough with a probability of",
        evident(chance_words(best.probability), best.evidence, best.probability),
        told(f"of {answer.asked.draws:,} draws", best.evidence),
        "",
    )
    yield _card(
        "Free at the target",
        evident_figure(best.headroom, best.evidence),
        evident_interval(best.headroom, best.evidence),
        "",
    )
    yield _card(
        "Mean latency",
        evident_figure(best.mean_latency, best.evidence),
        evident_interval(best.mean_latency, best.evidence),
        "",
    )


def _card(label: str, value: str, interval: str, note: str) -> Card:
    return Card(label=label, value=value, interval=interval, change="", target="", note=note)
