"""What the plan says, where there is one: how many nodes, how long requests take, what to buy, how long it lasts."""

from __future__ import annotations

from dataclasses import replace

from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.plots.capacity import cost_figure, demand_figure
from benchlib.plots.capacity_conditions import conditions_figure
from benchlib.plots.capacity_latency import loaded_latency_figure
from benchlib.report.capacity_deck.slide import NOTHING, about, slide, where_planned
from benchlib.report.page.what_if import can_be_moved, what_if_block
from benchlib.report.wording.deck.messages import (
    condition_message,
    demand_message,
    growth_message,
    latency_message,
    purchase_message,
)
from benchlib.report.wording.deck.notes import speaker_notes
from benchlib.report.wording.deck.points import (
    condition_points,
    demand_points,
    latency_points,
    nodes_without,
    purchase_points,
)
from benchlib.report.wording.deck.tables import options_table
from benchlib.report.wording.markup import Section, bullets
from benchlib.units import asked_share


@where_planned
def demand(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> Section:
    """How many nodes for how much certainty."""
    message = demand_message(plan, best)
    figure = demand_figure(
        answer,
        plan,
        alt=f"Nodes against load. {message}.",
        caption="Nodes that are enough in 50, 80 and 95 % of the draws. The dot is the plan.",
    )
    points = bullets(demand_points(answer, plan, best))
    return slide(about("How many nodes", answer), "demand", message, points, figure, speaker_notes([], best.evidence))


@where_planned
def latency(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> Section:
    """How long requests take under that load; a sweep of whole nodes does not say."""
    if not plan.latency:
        return NOTHING
    message = latency_message(answer, best)
    figure = loaded_latency_figure(
        answer,
        plan,
        alt=f"Latency of one node against its throughput. {message}.",
        caption="Line: N in flight against X(N), by the median of the draws; ground: where 95 % of them lie.",
    )
    points = bullets(latency_points(answer, plan, best))
    said = "A closed system: in every draw throughput, latency and requests in flight obey Little's law."
    return slide(
        about("Latency under load", answer), "latency", message, points, figure, speaker_notes([said], best.evidence)
    )


@where_planned
def purchase(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> Section:
    """What to buy, and what else there is."""
    message = purchase_message(answer, plan, best)
    figure = cost_figure(
        answer,
        plan,
        alt=f"What each load takes, by kind of node. {message}.",
        caption=f"Enough with {asked_share(answer.asked.probability)}."
        f"{' The strip below names the cheapest kind.' if len(plan.options) > 1 else ''}",
    )
    points = bullets(purchase_points(answer, plan, best))
    notes = speaker_notes(
        [f"Rule: {plan.rule}.", *(f"{one.message}. {one.advice}" for one in plan.caveats if one.severity == "note")],
        best.evidence,
    )
    return slide(about("What to buy", answer), "purchase", message, options_table(answer, plan), points, figure, notes)


@where_planned
def growth(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> Section:
    """How long the plan lasts, and what each condition costs."""
    kicker = "How long it lasts" if plan.used_up is not None else "What the conditions cost"
    message = growth_message(plan, best)
    without = nodes_without(plan, best)
    figure = conditions_figure(
        best.nodes,
        without,
        alt=f"Nodes of the plan, and without each condition. {condition_message(plan, best)}.",
        caption="Nodes that are enough with all conditions, and with all but one.",
    )
    shown = [figure] if without else []
    notes = speaker_notes(["What a condition costs is by how many nodes the count falls without it."], plan.evidence)
    return slide(about(kicker, answer), "growth", message, bullets(condition_points(plan, best)), *shown, notes)


@where_planned
def what_if(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> Section:
    """The plan with other settings, answered in the browser; elsewhere as a table."""
    if not can_be_moved(replace(answer, loads=(plan,))):
        return NOTHING
    message = f"Other settings, answered from the same {answer.asked.draws:,} draws"
    block = what_if_block(replace(answer, loads=(plan,)))
    said = "Move a slider, or type into its field; the command below the answer gives the same in a terminal."
    return slide(about("What if", answer), "what-if", message, block, speaker_notes([said], best.evidence))
