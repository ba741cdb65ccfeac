"""The slides of a capacity plan, in the order of a talk: one function a slide, one message each.

A slide is a `Section`: its title is the message, said by the answers. The slides follow the curve that asks for the
most nodes; the verdict lists all. Where there is no plan, the slides say why and what would settle it, and those that
would sell something stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import plotly.graph_objects as go

from benchlib.answers.planning import LoadPlan, PlanningAnswer
from benchlib.answers.pooled import add_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.answers.scaling.behind import curve_evidence
from benchlib.answers.serial import SCHEMA_VERSION, to_dict
from benchlib.plots.capacity import cost_figure, demand_figure
from benchlib.plots.capacity_latency import loaded_latency_figure
from benchlib.plots.capacity_returns import returns_figure
from benchlib.plots.scaling_hero import scaling_hero_figure
from benchlib.plots.scaling_points import efficiency_figure
from benchlib.report.wording.cards import card_row
from benchlib.report.wording.deck.figures_of_merit import plan_cards
from benchlib.report.wording.deck.messages import (
    demand_message,
    doubt_message,
    full_message,
    growth_message,
    latency_message,
    limit_open,
    measured_message,
    plan_message,
    purchase_message,
    scaling_message,
)
from benchlib.report.wording.deck.notes import speaker_notes
from benchlib.report.wording.deck.numbers import asked_words, lead_of
from benchlib.report.wording.deck.points import (
    condition_points,
    demand_points,
    doubt_points,
    full_points,
    latency_points,
    purchase_points,
    scaling_points,
)
from benchlib.report.wording.deck.tables import levels_table, loads_table, options_table, sources_table
from benchlib.report.wording.law_words import efficiency_words
from benchlib.report.wording.markup import Section, bullets, paragraph
from benchlib.report.wording.record import Record
from benchlib.report.wording.scaling_words import points_words
from benchlib.report.wording.tables import read_words
from benchlib.report.wording.words import count
from benchlib.scaling.returns import RULE
from benchlib.study import Study
from benchlib.units import percent

__all__ = [
    "appendix",
    "demand",
    "doubts",
    "growth",
    "latency",
    "measured",
    "missing",
    "purchase",
    "record",
    "saturation",
    "scaling",
    "sources",
    "title",
    "verdict",
]

#: What is shown where there is nothing to say.
NOTHING = Section(title="", anchor="", blocks=())

Plan = PlanningAnswer | Refusal
Curves = ScalingAnswer | Refusal


def _slide(kicker: str, anchor: str, message: str, *blocks: object) -> Section:
    return Section(title=message, anchor=anchor, blocks=(paragraph(kicker, css="kicker"), *blocks))


def _where_planned(tell: Callable[[PlanningAnswer, LoadPlan], Section]) -> Callable[[Plan], Section]:
    """Show nothing where there is no plan: the verdict has said why."""

    @wraps(tell)
    def told(answer: Plan) -> Section:
        if isinstance(answer, Refusal) or lead_of(answer).best is None:
            return NOTHING
        return tell(answer, lead_of(answer))

    return told


def _curve(curves: ScalingAnswer, answer: Plan) -> CurveAnswer:
    """Return the curve that the slides follow."""
    if isinstance(answer, PlanningAnswer):
        name = lead_of(answer).name
        return next((one for one in curves.curves if one.name == name), curves.curves[0])
    return curves.curves[0]


def title(study: Study, answer: Plan) -> Section:
    """What the talk is about, and what was asked."""
    lines = [study.question] if study.question else []
    if isinstance(answer, PlanningAnswer):
        lines.append("Asked: " + ", ".join([answer.asked.target, *asked_words(answer)]))
    machine = [str(study.environment[one]) for one in ("machine", "cpu", "date") if study.environment.get(one)]
    lines += [", ".join(dict.fromkeys(machine))] if machine else []
    notes = speaker_notes([study.tested, study.origin])
    return _slide("Capacity plan", "title", study.title, *(paragraph(one) for one in lines), notes)


def verdict(answer: Plan) -> Section:
    """The answer, how sure it is, and what it does not say."""
    if isinstance(answer, Refusal):
        lines = bullets([f"{answer.reason}", f"What would let it be asked: {answer.advice}"])
        return _slide("Verdict", "verdict", "These results support no plan", lines, speaker_notes([]))
    plan = lead_of(answer)
    blocks: list[object] = [] if plan.best is None else [card_row(plan_cards(plan, answer))]
    if len(answer.loads) > 1:
        blocks.append(loads_table(answer))
    refused = (*answer.refusals, *plan.refusals)
    if plan.best is None or len(answer.loads) == 1 or not blocks:
        blocks.append(bullets(one.reason for one in refused[:3]))
    notes = speaker_notes(
        [
            f"Asked: {', '.join([answer.asked.target, *asked_words(answer)])}.",
            f"The slides follow {plan.name}, which asks for the most." if len(answer.loads) > 1 else "",
            f"{answer.asked.slo} is not judged: these data do not say it." if limit_open(plan, answer) else "",
        ],
        plan.evidence,
    )
    return _slide("Verdict", "verdict", plan_message(plan, answer), *blocks, notes)


def measured(study: Study, curves: Curves, answer: Plan) -> Section:
    """What the plan rests on."""
    found = assess_quality(study)
    if isinstance(curves, Refusal):
        lines = bullets([read_words(found), f"No curve: {curves.reason}"])
        return _slide(
            "What was measured", "measured", "What was measured makes no curve", lines, speaker_notes([study.tested])
        )
    curve = _curve(curves, answer)
    notes = speaker_notes([read_words(found), study.tested], curve_evidence(curve))
    return _slide("What was measured", "measured", measured_message(curve), levels_table(curve), notes)


def scaling(curves: Curves, answer: Plan) -> Section:
    """How far throughput grows."""
    if isinstance(curves, Refusal):
        lines = bullets([curves.reason, f"To answer it: {curves.advice}"])
        return _slide("Scaling", "scaling", "How throughput grows cannot be told", lines, speaker_notes([]))
    curve = _curve(curves, answer)
    points = scaling_points(curve, curves)
    figure = scaling_hero_figure(
        curves,
        today=None,
        targets=(),
        alt=f"Throughput against {curves.axis}. {'. '.join(points)}.",
        caption=points_words(curves.curves),
    )
    notes = speaker_notes([points_words(curves.curves)], curve_evidence(curve))
    return _slide("Scaling", "scaling", scaling_message(curve), bullets(points), figure, notes)


def saturation(curves: Curves, answer: Plan) -> Section:
    """Where more of the axis stops paying."""
    if isinstance(curves, Refusal):
        return NOTHING
    curve = _curve(curves, answer)
    figure = _saturation_figure(curves, curve, answer)
    notes = speaker_notes([f"The best balance is {RULE}."], curve_evidence(curve))
    return _slide(
        "Where it saturates",
        "saturation",
        full_message(curve),
        bullets(full_points(curve)),
        figure,
        notes,
    )


def _saturation_figure(curves: ScalingAnswer, curve: CurveAnswer, answer: Plan) -> go.Figure:
    """Draw what a core returns where the plan knows it, else the efficiency of each level."""
    if isinstance(answer, PlanningAnswer) and lead_of(answer).returns:
        return returns_figure(
            answer,
            lead_of(answer),
            alt=f"What each core of {curve.name} returns. {full_message(curve)}.",
            caption="Marks: the measurements, a star the best. Bands and bars: where the draws lie.",
        )
    return efficiency_figure(
        curves,
        alt=f"Efficiency against {curves.axis}. {'. '.join(efficiency_words(one) for one in curves.curves)}.",
        caption="Speedup by concurrency. The dotted line is perfect scaling.",
    )


@_where_planned
def demand(answer: PlanningAnswer, plan: LoadPlan) -> Section:
    """How many nodes for how much certainty."""
    figure = demand_figure(
        answer,
        plan,
        alt=f"Nodes against load. {demand_message(plan)}.",
        caption="Nodes that are enough for each load, in 50, 80 and 95 % of the draws.",
    )
    points = bullets(demand_points(plan, answer))
    notes = speaker_notes(["Each share is that of the draws in which so many nodes are enough."], plan.evidence)
    return _slide("How many nodes", "demand", demand_message(plan), points, figure, notes)


@_where_planned
def latency(answer: PlanningAnswer, plan: LoadPlan) -> Section:
    """How long requests take under that load."""
    figure = loaded_latency_figure(
        answer,
        plan,
        alt=f"Latency of one node against its throughput. {latency_message(plan, answer)}.",
        caption="Line and band: by the draws. Open marks: as measured.",
    )
    points = bullets(latency_points(plan, answer))
    notes = speaker_notes(
        ["A closed system: throughput, latency and requests in flight obey Little's law in every draw."], plan.evidence
    )
    return _slide("Latency under load", "latency", latency_message(plan, answer), points, figure, notes)


@_where_planned
def purchase(answer: PlanningAnswer, plan: LoadPlan) -> Section:
    """What to buy, and what else there is."""
    notes = speaker_notes(
        [f"{one.message}. {one.advice}" for one in plan.caveats if one.severity == "note"], plan.evidence
    )
    figure = cost_figure(
        answer,
        plan,
        alt=f"What each load takes, by kind of node. {purchase_message(plan, answer)}.",
        caption=f"With a probability of {percent(answer.asked.probability)}. Below: the cheapest kind.",
    )
    blocks = [options_table(plan, answer), bullets(purchase_points(plan, answer)), figure]
    return _slide("What to buy", "purchase", purchase_message(plan, answer), *blocks, notes)


@_where_planned
def growth(answer: PlanningAnswer, plan: LoadPlan) -> Section:
    """How long the plan lasts, and what each condition costs."""
    notes = speaker_notes(
        ["A condition's nodes are those that fall away without it, all else as it is."], plan.evidence
    )
    kicker = "How long it lasts" if plan.used_up is not None else "What the conditions cost"
    return _slide(kicker, "growth", growth_message(plan), bullets(condition_points(plan)), notes)


def doubts(study: Study, answer: Plan) -> Section:
    """What could be wrong."""
    kicker = "What could be wrong"
    if isinstance(answer, Refusal):
        found = assess_quality(study)
        worst = sorted(found.caveats, key=lambda one: ("alert", "warning", "note").index(one.severity))
        message = f"{count(len(worst), 'caveat')} on the data, before any plan" if worst else "The data carry no caveat"
        notes = speaker_notes([f"{one.message}. {one.advice}" for one in worst], found.evidence)
        return _slide(kicker, "doubts", message, bullets(one.message for one in worst[:6]), notes)
    plan = lead_of(answer)
    notes = speaker_notes([f"{one.message}. {one.advice}" for one in (*plan.caveats, *answer.caveats)], plan.evidence)
    return _slide(kicker, "doubts", doubt_message(plan, answer), bullets(doubt_points(plan, answer)), notes)


def missing(curves: Curves, answer: Plan) -> Section:
    """What would settle it; nothing where there is a plan."""
    if isinstance(answer, PlanningAnswer) and lead_of(answer).best is not None:
        return NOTHING
    refused = [answer] if isinstance(answer, Refusal) else [*answer.refusals, *lead_of(answer).refusals]
    lines = [f"{one.advice[:1].upper()}{one.advice[1:]}" for one in refused]
    if isinstance(curves, ScalingAnswer):
        lines += [command for one in curves.curves for command in one.commands[:1]]
    message = f"{count(len(lines), 'step')} would let a plan be made"
    return _slide("What would settle it", "missing", message, bullets(lines[:6]), speaker_notes(lines[6:]))


def appendix(study: Study, answer: Plan) -> Section:
    """Method, and the rows behind it all."""
    if isinstance(answer, Refusal):
        made = bullets([*(f"Run again: {one}" for one in study.commands[:4]), study.origin])
        return _slide("Appendix", "appendix", "How the results were made", made, speaker_notes(study.notes))
    plan = lead_of(answer)
    asked = answer.asked
    source = {
        "laws": "laws fitted to the levels, each as often as it is likely",
        "points": "the levels and straight lines between them, because no law holds them",
        "mix": "the curves of the operations, mixed by time",
    }[plan.read_from]
    lines = [
        f"{asked.draws:,} curves are drawn from {source}; seed {asked.seed}",
        "A count is enough where (nodes - lost) x X x (1 - headroom) reaches the target, and no latency its limit",
        "In flight = throughput x latency (Little 1961), in every draw",
    ]
    notes = speaker_notes([f"The best balance is {RULE}."], plan.evidence)
    message = f"Method and evidence: {count(plan.n, 'measurement')} behind every number"
    return _slide("Appendix", "appendix", message, bullets(lines), sources_table(plan), notes)


def sources(study: Study, answer: Plan) -> Section:
    """What was read, where there is no plan whose evidence could be named."""
    if isinstance(answer, PlanningAnswer):
        return NOTHING
    found = assess_quality(study)
    message = read_words(found)
    lines = bullets(f"{one.source}: {count(one.rows, 'value')}, SHA-256 {one.sha256[:16]}" for one in found.files[:8])
    return _slide("Appendix", "sources", message, lines, speaker_notes([], found.evidence))


def record(study: Study, curves: Curves, answer: Plan, asked: Mapping[str, Any]) -> Record:
    """Return the answers behind the slides for the end of a notebook."""
    plain = to_dict(
        {
            "parameters": dict(asked),
            "study": study,
            "scaling": curves,
            "capacity": answer,
            "quality": assess_quality(study),
        }
    )
    for name, one in {"scaling": curves, "quality": assess_quality(study)}.items():
        add_evidence(plain[name], one)
    said = _said(answer)
    head = {"schema": SCHEMA_VERSION, "title": study.title, "status": _status(answer), "verdict": said, "cards": []}
    return Record(answers={**head, "answers": plain}, summary=f"{head['status']}: {said}")


def _said(answer: Plan) -> str:
    if isinstance(answer, Refusal):
        return f"No plan: {answer.reason}"
    return str(plan_message(lead_of(answer), answer))


def _status(answer: Plan) -> str:
    if isinstance(answer, Refusal) or lead_of(answer).best is None:
        return "FAIL"
    plan = lead_of(answer)
    grave = [one for one in (*plan.caveats, *answer.caveats) if one.severity == "alert"]
    return "WARN" if grave or limit_open(plan, answer) or plan.refusals else "PASS"
