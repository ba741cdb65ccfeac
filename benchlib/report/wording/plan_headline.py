"""The top of a capacity plan: what to take and how sure, a few figures, and the whole answer as data."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.pooled import add_evidence, caveat_evidence, plan_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.headline import STATUS_CLASSES
from benchlib.report.wording.leading import led
from benchlib.report.wording.littles_law import digits_lacking
from benchlib.report.wording.markup import paragraph, tag
from benchlib.report.wording.plan_asked import limit_words, target_words
from benchlib.report.wording.plan_words import (
    breaks_words,
    chance_words,
    counted,
    ends,
    figure,
    in_all_words,
    instead_words,
    kind_words,
    latency_figure,
    money_words,
    refused_kinds,
    size_words,
)
from benchlib.report.wording.record import Record
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import count, listed, metric_name
from benchlib.study import Study
from benchlib.study.quantities import parse_limit
from benchlib.units import asked_quantity, asked_share, percent, show

#: What is said of rows that no plan rests on.
LEFT_OUT = ("failed-results", "problems-in-files", "results-lost", "unread-files")
#: Loads that the verdict names one by one.
MOST_LOADS = 3
#: Reasons for which curves are not to be trusted that stand in one sentence: the others stand among the caveats.
MOST_REASONS = 1
#: What was found is said before the first stop of a caveat; its levels and bounds stand with the caveats.
_STOP = re.compile(r"[;:,] | \(")
_SOUND = "Every load has a plan, everything that was asked could be judged, and no caveat weakens it."


def plan_verdict(answer: PlanningAnswer | Refusal) -> str:
    """Say how many nodes of which kind each load takes, and how sure that is, or why that cannot be said."""
    if isinstance(answer, Refusal):
        return f"Not answered: {answer.reason}. To answer it: {answer.advice}."
    if len(answer.loads) == 1:
        (plan,) = answer.loads
        taken = joined(
            [_taken(plan), told(f" for {show(plan.target, plan.unit)}{conditions_words(answer)}", plan.evidence)]
        )
        return joined([taken, _chance(plan, answer)])
    lines = [told(f"For {target_words(answer)}{conditions_words(answer)}.", plan_evidence(answer))]
    lines += [joined([f"{one.name}: ", _taken(one), _chance(one, answer)]) for one in answer.loads[:MOST_LOADS]]
    left = len(answer.loads) - MOST_LOADS
    return joined([*lines, *([f"{count(left, 'more load')} below."] if left > 0 else [])], " ")


def plan_in_short(answer: PlanningAnswer) -> Told:
    """Say what to take for each load, in one sentence, and in the same what keeps its curves from being trusted."""
    kinds = {kind_words(best, plan) for plan, best in ((one, one.best) for one in answer.loads) if best is not None}
    taken: list[str] = []
    for one in answer.loads[:MOST_LOADS]:
        # A kind that all nodes are of is said once.
        nodes = _taken(one, of_kind=len(kinds) > 1 or not taken)
        taken.append(joined([nodes, f" for {one.name}"]) if len(answer.loads) > 1 else nodes)
    left = len(answer.loads) - MOST_LOADS
    taken += [f"{count(left, 'more load')} below"] if left > 0 else []
    target = told(f"For {target_words(answer)}{conditions_words(answer)} take", plan_evidence(answer))
    doubts = trust_words(answer)
    return joined([target, *([", ", doubts, ","] if doubts else []), " ", listed(taken), "."])


def trust_words(answer: PlanningAnswer) -> Told:
    """Say why the curves behind a plan are to be trusted so far only: what is warned of in the most of them.

    Examples
    --------
    >>> from benchlib.answers.capacity import plan_capacity
    >>> print(trust_words(plan_capacity("data/http-endpoints")))
    as far as these curves can be trusted (no law holds the points)
    """
    warned = [one for plan in answer.loads for one in dict.fromkeys(plan.caveats) if one.severity != "note"]
    if not warned:
        return Told("")
    loads = Counter(warned)
    shared = [one for one, number in loads.items() if number == max(loads.values())]
    behind = caveat_evidence(answer)
    reasons = [told(_STOP.split(one.message)[0], behind[one]) for one in shared[:MOST_REASONS]]
    curves = "these curves" if len(answer.loads) > 1 else "this curve"
    return joined([f"as far as {curves} can be trusted (", joined(reasons, "; "), ")"])


def _taken(plan: LoadPlan, *, of_kind: bool = True) -> Told:
    best = plan.best
    if best is None:
        return Told("no count of nodes is enough")
    kind = f" of {kind_words(best, plan)}" if of_kind else ""
    return told(f"{count(round(best.nodes), 'node')}{kind}", best.evidence)


def conditions_words(answer: PlanningAnswer) -> str:
    """Say what is kept at the target, from `` with`` on; a limit that cannot be judged is not."""
    asked = answer.asked
    kept = [f"{asked_share(asked.headroom)} free on each"] if asked.headroom else []
    kept += [f"{count(asked.survive, 'node')} lost"] if asked.survive else []
    if any(one.best is not None and one.best.breaks_at is not None for one in answer.loads):
        kept += [limit_words(asked)]
    return f" with {listed(kept)}" if kept else ""


def _chance(plan: LoadPlan, answer: PlanningAnswer) -> Told:
    best = plan.best
    if best is None:
        return Told(".")
    instead = instead_words(plan, answer)
    return told(f", enough with a probability of {chance_words(best.probability)}{instead}.", best.evidence)


def plan_status(answer: PlanningAnswer | Refusal) -> str:
    """WARN where a load has no plan, a condition could not be judged, or a caveat weakens a plan; else PASS."""
    return "WARN" if isinstance(answer, Refusal) or any(_doubts(answer)) else "PASS"


def plan_why(answer: PlanningAnswer) -> str:
    """Say why the status of a plan is what it is."""
    doubts = list(_doubts(answer))
    return f"Before acting on this, read what could be wrong: {listed(doubts)}." if doubts else _SOUND


def _doubts(answer: PlanningAnswer) -> Iterator[str]:
    """Give what keeps a plan from being taken as it stands."""
    if bare := [one.name for one in answer.loads if one.best is None]:
        yield f"no plan for {listed(bare)}"
    planned = [one.best for one in answer.loads if one.best is not None]
    if answer.asked.slo and any(one.breaks_at is None for one in planned):
        yield f"{limit_words(answer.asked)} is not judged"
    if any(refused_kinds(one, answer) for one in answer.loads):
        yield "a kind of node that was asked for is not planned"
    if refused := len({*answer.refusals, *(one for plan in answer.loads for one in plan.refusals)}):
        yield f"{count(refused, 'question')} refused"
    if caveats := len({one.message for plan in answer.loads for one in plan.caveats if one.severity != "note"}):
        yield f"{count(caveats, 'caveat')} on what was measured"
    if alerts := sum(one.severity == "alert" and one.code not in LEFT_OUT for one in answer.caveats):
        yield f"{count(alerts, 'alert')} on the whole study"


def plan_banner(answer: PlanningAnswer) -> Markup:
    """Return the status in words, the verdict, and why the status is what it is."""
    status = plan_status(answer)
    return tag(
        "div",
        tag("strong", status),
        paragraph(plan_verdict(answer), css="verdict-sentence"),
        paragraph(plan_why(answer), css="verdict-why"),
        css=f"verdict verdict-{STATUS_CLASSES[status]}",
    )


def plan_cards(answer: PlanningAnswer) -> tuple[Card, ...]:
    """Choose the figures of merit: nodes of the first loads; latency, headroom and cost of the one that takes most.

    Where several loads are planned each card names its load.
    """
    found = [(plan, plan.best) for plan in answer.loads if plan.best is not None]
    if not found:
        return ()
    several = len(answer.loads) > 1
    plan = led(replace(answer, loads=tuple(one for one, _ in found))).loads[0]
    cards = [_nodes(one, best, several=several) for one, best in found[:MOST_LOADS]]
    return (*cards, *_most(plan, answer, several=several))


def _of(label: str, plan: LoadPlan, several: bool) -> str:
    return f"{label}, {plan.name}" if several else label


def _nodes(plan: LoadPlan, best: NodeOption, *, several: bool) -> Card:
    counts = ", ".join(f"{counted(nodes)} for {percent(share)}" for share, nodes in best.nodes_at.items())
    in_all = in_all_words(best, plan)
    return Card(
        label=_of("Nodes", plan, several),
        value=evident(counted(best.nodes), best.evidence, best.nodes),
        interval=told(counts, best.evidence),
        change="",
        target="",
        note=told(f"{size_words(best, plan)}{f'; {in_all}' if in_all else ''}", best.evidence),
    )


def _most(plan: LoadPlan, answer: PlanningAnswer, *, several: bool) -> Iterator[Card]:
    best = plan.best
    assert best is not None  # chosen among those that have a plan
    limited = best.limited_latency is not None and best.breaks_at is not None
    latency = best.limited_latency if limited and best.limited_latency is not None else best.mean_latency
    limit = parse_limit(answer.asked.slo) if limited else None
    name = limit.metric if limit else "latency_mean"
    more = digits_lacking(best) if name == "latency_mean" else 0
    if not math.isnan(latency.value):  # a sweep of whole nodes does not say how long a request takes
        yield Card(
            label=_of(f"At the target: {metric_name(name)}", plan, several),
            value=_large(latency_figure(best, name), best, latency.value),
            interval=told(f"95 %: {ends(latency, more)}", best.evidence),
            change="",
            target=f"limit {asked_quantity(limit.seconds, 'sec')}" if limit else "",
            note=told(breaks_words(best), best.evidence),
        )
    yield Card(
        label=_of("Free at the target", plan, several),
        value=_large(figure(best.headroom), best, best.headroom.value),
        interval=told(f"95 %: {ends(best.headroom)}", best.evidence),
        change="",
        target="",
        note=told(f"binding: {plan.binding}", best.evidence),
    )
    if math.isfinite(best.cost):
        yield Card(
            label=_of("Cost per hour", plan, several),
            value=_large(money_words(best.cost, answer).removesuffix(" per hour"), best, best.cost),
            interval="",
            change="",
            target="",
            note=told(plan.rule, best.evidence),
        )


def _large(text: str, best: NodeOption, value: float) -> Told:
    return evident(text, best.evidence, value if math.isfinite(value) else None)


def plan_record(study: Study, answer: PlanningAnswer | Refusal, parameters: Mapping[str, Any]) -> Record:
    """Return the answers of a capacity plan for the end of a notebook."""
    head = {
        "schema": SCHEMA_VERSION,
        "title": study.title,
        "status": plan_status(answer),
        "verdict": str(plan_verdict(answer)),
        "cards": to_dict(plan_cards(answer)) if isinstance(answer, PlanningAnswer) else [],
    }
    answers = {"parameters": dict(parameters), "study": study, "plan": answer, "quality": assess_quality(study)}
    plain = to_dict(answers)
    for name, one in answers.items():
        add_evidence(plain[name], one)
    caveats = answer.caveats if isinstance(answer, PlanningAnswer) else ()
    return Record(
        answers={**head, "answers": plain},
        summary=f"{head['status']}: {head['verdict']} ({count(len(caveats), 'caveat')})",
    )
