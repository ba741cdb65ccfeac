"""The slides of a capacity plan, in the order of a talk: one function a slide, one message each.

A slide is a `Section` whose title is its message, said by the answers. The slides follow the load that takes the most;
the verdict names all. Where there is no plan the slides say why and what would settle it, and those that would sell
something are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchlib.answers.planning import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.planning.wanted import plan_wanted
from benchlib.answers.pooled import add_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer, fit_scaling
from benchlib.answers.scaling.behind import curve_evidence
from benchlib.answers.serial import to_dict
from benchlib.plots.capacity import cost_figure, demand_figure
from benchlib.plots.capacity_conditions import conditions_figure
from benchlib.plots.capacity_latency import loaded_latency_figure
from benchlib.plots.capacity_returns import returns_figure
from benchlib.plots.scaling_hero import scaling_hero_figure
from benchlib.report.page.what_if import can_be_moved, what_if_block
from benchlib.report.wording.cards.card import card_row
from benchlib.report.wording.deck.messages import (
    condition_message,
    demand_message,
    doubt_message,
    growth_message,
    latency_message,
    limit_open,
    measured_message,
    others_words,
    plan_message,
    purchase_message,
    saturation_message,
    scaling_message,
)
from benchlib.report.wording.deck.notes import speaker_notes
from benchlib.report.wording.deck.points import (
    capital,
    condition_points,
    demand_points,
    doubt_points,
    latency_points,
    levels_beyond,
    nodes_without,
    purchase_points,
    saturation_points,
    scaling_points,
    worst_first,
)
from benchlib.report.wording.deck.tables import levels_table, options_table, sources_table
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, bullets, paragraph
from benchlib.report.wording.plan_asked import asked_words, limit_words, wanted_words
from benchlib.report.wording.plan_headline import plan_cards, plan_record, plan_verdict
from benchlib.report.wording.record import Record
from benchlib.report.wording.scaling_words import points_words
from benchlib.report.wording.tables import read_words
from benchlib.report.wording.words import count, listed
from benchlib.scaling.returns import RULE
from benchlib.study import Study
from benchlib.units import asked_share

__all__ = [
    "appendix",
    "counting",
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
    "what_if",
]

#: What is shown where there is nothing to say.
NOTHING = Section(title="", anchor="", blocks=())
#: Lines, files and steps that a slide has room for.
MOST = 6

Plan = PlanningAnswer | Refusal
Curves = ScalingAnswer | Refusal
Tell = Callable[[PlanningAnswer, LoadPlan, NodeOption], Section]


def _slide(kicker: str, anchor: str, message: str, *blocks: object) -> Section:
    return Section(title=message, anchor=anchor, blocks=(paragraph(kicker, css="kicker"), *blocks))


def _of(kicker: str, answer: PlanningAnswer) -> str:
    """Name the load that a slide is about where there are several."""
    return f"{kicker}: {answer.loads[0].name}" if len(answer.loads) > 1 else kicker


def _where_planned(tell: Tell) -> Callable[[Plan], Section]:
    """Show nothing where there is no plan: the verdict has said why."""

    @wraps(tell)
    def told(answer: Plan) -> Section:
        if isinstance(answer, Refusal):
            return NOTHING
        first = led(answer)
        best = first.loads[0].best
        return NOTHING if best is None else tell(first, first.loads[0], best)

    return told


def _lead(answer: Plan) -> LoadPlan | None:
    return None if isinstance(answer, Refusal) else led(answer).loads[0]


def _curve(curves: ScalingAnswer, answer: Plan) -> CurveAnswer:
    """Return the curve that the slides follow; a mix bears the name of the curve that it was made from first."""
    plan = _lead(answer)
    name = plan.name if plan is not None else ""
    return next(
        (one for one in curves.curves if name == one.name or name.startswith(f"{one.name}, ")), curves.curves[0]
    )


def counting(study: Study, curves: Curves, asked: Mapping[str, Any]) -> Curves:
    """Return the curves of the levels that count, as a plan does; those of all levels where all count.

    What happens beyond the cores of the machine says nothing of more cores. `measured` shows every level.
    """
    left = levels_beyond(curves)
    if isinstance(curves, Refusal) or not left:
        return curves
    results = study.results
    kept = ~pd.to_numeric(results.frame[curves.axis].astype(object), errors="coerce").isin(left)
    narrowed = replace(study, results=replace(results, frame=results.frame[kept]))
    found = fit_scaling(narrowed, **{name: asked[name] for name in ("concurrency", "metric", "by")})
    return curves if isinstance(found, Refusal) else found


def title(study: Study, answer: Plan, asked: Mapping[str, Any]) -> Section:
    """What the talk is about, and what was asked."""
    plan = _lead(answer)
    if plan is not None and isinstance(answer, PlanningAnswer):
        wanted = asked_words(plan, answer)
    else:
        words = {"node" if name == "nodes" else name: value for name, value in asked.items() if name in _ASKED}
        wanted = wanted_words(plan_wanted(study, **words).asked)
    machine = [str(study.environment[one]) for one in ("machine", "cpu", "date") if study.environment.get(one)]
    lines = [study.question, f"Asked: {wanted}", ", ".join(dict.fromkeys(machine))]
    notes = speaker_notes([study.tested, study.origin])
    return _slide("Capacity plan", "title", study.title, *(paragraph(one) for one in lines if one), notes)


#: Parameters that say what a plan is for; prices without a currency cannot be read.
_ASKED = ("target", "slo", "headroom", "survive", "nodes", "growth", "start", "currency", "mix")


def verdict(answer: Plan) -> Section:
    """The answer, how sure it is, and what it does not say."""
    if isinstance(answer, Refusal):
        why, _, more = answer.reason.partition("; ")
        told = bullets(capital(one) for one in f"{more}; {answer.advice}".split("; ") if one)
        return _slide("Verdict", "verdict", f"No plan: {why}", told, speaker_notes([answer.reason]))
    first = led(answer)
    plan = first.loads[0]
    refused = (*plan.refusals, *first.refusals)[:2]
    notes = speaker_notes(
        [
            plan_verdict(first),
            f"The slides follow {plan.name}, which takes the most." if len(first.loads) > 1 else "",
            f"{capital(limit_words(first.asked))} is not judged: these data do not say it."
            if limit_open(first)
            else "",
        ],
        plan.evidence,
    )
    if plan.best is None:  # figures of the other loads would be taken for this one's
        unmet = [plan.unmet] if plan.unmet is not None else []
        said = [line.removeprefix(f"{plan.name}: ") for one in (*unmet, *refused) for line in (one.reason, one.advice)]
        reasons = [*said, *others_words(first)]
        return _slide("Verdict", "verdict", plan_message(first), bullets(map(capital, reasons)), notes)
    lines = bullets(f"Not known: {one.reason}" for one in refused)
    return _slide("Verdict", "verdict", plan_message(first), card_row(plan_cards(first)), lines, notes)


def measured(study: Study, curves: Curves, answer: Plan) -> Section:
    """What the plan rests on."""
    read = read_words(assess_quality(study)).rstrip(".")
    kicker, anchor = "What was measured", "measured"
    if isinstance(curves, Refusal):
        lines = bullets([read, f"No curve: {curves.reason}"])
        return _slide(kicker, anchor, "What was measured makes no curve", lines, speaker_notes([study.tested]))
    curve = _curve(curves, answer)
    others = [one.name for one in curves.curves if one is not curve]
    left = [f"{one:g}" for one in levels_beyond(curves)]
    told = [read, f"Measured beside it: {listed(others)}" if others else ""]
    told += (
        [f"Beyond the {curves.cores} cores of the machine, and left out from here on: {listed(left)}"] if left else []
    )
    lines = bullets(one for one in told if one)
    notes = speaker_notes([study.tested, *study.notes], curve_evidence(curve))
    return _slide(kicker, anchor, measured_message(curve), levels_table(curve), lines, notes)


def scaling(curves: Curves, answer: Plan) -> Section:
    """How far throughput grows."""
    if isinstance(curves, Refusal):
        lines = bullets([capital(curves.reason), capital(curves.advice)])
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
    notes = speaker_notes([], curve_evidence(curve))
    return _slide(f"Scaling: {curve.name}", "scaling", scaling_message(curve), bullets(points), figure, notes)


def saturation(curves: Curves, answer: Plan) -> Section:
    """Where more of the axis stops paying."""
    if isinstance(curves, Refusal):
        return NOTHING
    curve = _curve(curves, answer)
    points = bullets(saturation_points(curve, _lead(answer)))
    notes = speaker_notes([f"The best balance is {RULE}."], curve_evidence(curve))
    figure = _saturation_figure(curves, curve, answer)
    return _slide(f"Where it saturates: {curve.name}", "saturation", saturation_message(curve), points, figure, notes)


def _saturation_figure(curves: ScalingAnswer, curve: CurveAnswer, answer: Plan) -> go.Figure:
    """Draw what a core returns where the plan knows it, else where the curve bends."""
    if isinstance(answer, PlanningAnswer) and (plan := led(answer).loads[0]).returns:
        return returns_figure(
            led(answer),
            plan,
            alt=f"{plan.name}. Throughput of each core and of each added core. {saturation_message(curve)}.",
            caption="Points: measured, a star the best by that rule. Ground and bars: where 95 % of the draws lie.",
        )
    return scaling_hero_figure(
        replace(curves, curves=(curve,)),
        today=None,
        targets=(),
        alt=f"Throughput of {curve.name} against {curves.axis}. {saturation_message(curve)}.",
        caption=points_words([curve]),
    )


@_where_planned
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
    return _slide(_of("How many nodes", answer), "demand", message, points, figure, speaker_notes([], best.evidence))


@_where_planned
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
    return _slide(
        _of("Latency under load", answer), "latency", message, points, figure, speaker_notes([said], best.evidence)
    )


@_where_planned
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
    return _slide(_of("What to buy", answer), "purchase", message, options_table(answer, plan), points, figure, notes)


@_where_planned
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
    return _slide(_of(kicker, answer), "growth", message, bullets(condition_points(plan, best)), *shown, notes)


@_where_planned
def what_if(answer: PlanningAnswer, plan: LoadPlan, best: NodeOption) -> Section:
    """The plan with other settings, answered in the browser; elsewhere as a table."""
    if not can_be_moved(replace(answer, loads=(plan,))):
        return NOTHING
    message = f"Other settings, answered from the same {answer.asked.draws:,} draws"
    block = what_if_block(replace(answer, loads=(plan,)))
    said = "Move a slider, or type into its field; the command below the answer gives the same in a terminal."
    return _slide(_of("What if", answer), "what-if", message, block, speaker_notes([said], best.evidence))


def doubts(study: Study, answer: Plan) -> Section:
    """What could be wrong."""
    kicker = "What could be wrong"
    if isinstance(answer, Refusal):
        found = assess_quality(study)
        worst = worst_first(found.caveats)
        message = f"{count(len(worst), 'caveat')} on the data, before any plan" if worst else "No caveat on the data"
        notes = speaker_notes([f"{one.message}. {one.advice}" for one in worst], found.evidence)
        lines = [read_words(found), *(f"{capital(one.message)}. {one.advice}" for one in worst[:MOST])]
        return _slide(kicker, "doubts", message, bullets(lines), notes)
    first = led(answer)
    plan = first.loads[0]
    every = [f"{one.message}. {one.advice}" for one in (*worst_first(plan.caveats), *worst_first(first.caveats))]
    every += [f"{one.reason}; {one.advice}" for one in (*plan.refusals, *first.refusals)]
    notes = speaker_notes(every, plan.evidence)
    return _slide(_of(kicker, first), "doubts", doubt_message(first), bullets(doubt_points(first)), notes)


def missing(curves: Curves, answer: Plan) -> Section:
    """What would settle it; nothing where there is a plan."""
    plan = _lead(answer)
    if isinstance(answer, PlanningAnswer) and plan is not None:
        if plan.best is not None:
            return NOTHING
        refused = [*([plan.unmet] if plan.unmet is not None else []), *plan.refusals, *answer.refusals]
    else:
        refused = [answer] if isinstance(answer, Refusal) else []
    lines = [capital(one.advice) for one in refused]
    if isinstance(curves, ScalingAnswer):
        lines += [command for one in curves.curves for command in one.commands[:1]]
    lines = list(dict.fromkeys(lines))
    nearest = next((one for one in lines if one.startswith("Nearest: ")), "")
    message = nearest or f"{count(len(lines), 'step')} would let a plan be made"
    shown = bullets(one for one in lines[:MOST] if one != nearest)
    return _slide("What would settle it", "missing", message, shown, speaker_notes(lines[MOST:]))


def appendix(study: Study, answer: Plan) -> Section:
    """Method, and the rows behind it all."""
    plan = _lead(answer)
    if plan is None or isinstance(answer, Refusal):
        lines = [*(f"Run again: {one}" for one in study.commands[:MOST]), study.origin]
        made = bullets([one for one in lines if one])
        return _slide("Appendix", "appendix", "How the results were made", made, speaker_notes(study.notes))
    asked = answer.asked
    lines = [
        f"{asked.draws:,} curves are drawn from {_SOURCES[plan.read_from]}; seed {asked.seed}",
        "Enough: X(nodes − lost) × (1 − headroom) reaches the target"
        if plan.counts == "nodes"
        else "Enough: (nodes − lost) × X × (1 − headroom) reaches the target, with latency within its limit there",
        *(["Requests in flight = throughput × latency (Little 1961), in every draw"] if plan.latency else []),
    ]
    message = f"Method and evidence: {count(plan.n, 'measurement')} behind every number of the plan"
    notes = speaker_notes([f"The best balance is {RULE}."], plan.evidence)
    return _slide(_of("Appendix", led(answer)), "appendix", message, bullets(lines), sources_table(plan), notes)


_SOURCES = {
    "laws": "laws fitted to the levels, each as often as it is likely",
    "points": "the levels, straight between them, because no law holds them",
    "mix": "the curves of the operations, mixed by their times",
}


def sources(study: Study, answer: Plan) -> Section:
    """What was read, where there is no plan whose evidence could be named."""
    if isinstance(answer, PlanningAnswer):
        return NOTHING
    found = assess_quality(study)
    files = sorted(found.files, key=lambda one: -one.rows)[:MOST]
    lines = [f"{one.source}: {count(one.rows, 'value')}, SHA-256 {one.sha256[:16]}" for one in files]
    message = read_words(found).rstrip(".")
    return _slide("Appendix", "sources", message, bullets(lines), speaker_notes([], found.evidence))


def record(
    study: Study, curves: Curves, answer: Plan, asked: Mapping[str, Any], counted: Curves | None = None
) -> Record:
    """Return the answers behind the slides for the end of a notebook; ``counted`` are the curves of `counting`."""
    planned = plan_record(study, answer, asked)
    plain = {**planned.answers["answers"], "scaling": add_evidence(to_dict(curves), curves)}
    if counted is not None and counted is not curves:
        plain["counting"] = add_evidence(to_dict(counted), counted)
    return replace(planned, answers={**planned.answers, "answers": plain})
