"""How many nodes a load takes: one table of every load with its cost and its limit, and what a plan does not say."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.caveats import Caveat, merge
from benchlib.document.blocks import (
    Cell,
    Code,
    Column,
    Confidence,
    Document,
    Fact,
    Figure,
    Fold,
    List,
    Number,
    Panel,
    Paragraph,
    Table,
    Text,
)
from benchlib.document.numbers import number, write
from benchlib.document.words import axis_words, count, joined, level_words, metric_words, plain_name
from benchlib.figures.capacity import NodeBar, node_bars
from benchlib.study import Study
from benchlib.study.quantities import parse_limit
from benchlib.tell.doubts import short
from benchlib.tell.lead import Lead, document_of, in_order, measurement, refused
from benchlib.tell.sentences import say, without_stop
from benchlib.units import asked_quantity

__all__ = ["document"]

#: What stands before a sum of money, by its currency.
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
#: How an answer names a latency.
_LATENCY = re.compile(r"\blatency_[a-z]\w*")
#: How a refusal names the load that it is of, and the limit that comes nearest.
_NAMED = re.compile(r"^[^:]*: (?=no count of nodes)")
_NEAREST = re.compile(r"^nearest: latency_\w+=(\S+ \S+) takes")
#: Draws tell no more than this.
_NEARLY_SURE = 0.99
#: More loads than these are named by the least and the most.
_MOST_NAMED = 3


def lead(answer: PlanningAnswer | Refusal, study: Study) -> Lead:
    """Return what a page that leads with capacity says first."""
    if isinstance(answer, Refusal):
        return _refused(answer)
    plans = planned(answer)
    if not plans:
        return _refused(next(plan.unmet for plan in answer.loads if plan.unmet is not None))
    return Lead(
        answer=_answer(plans, answer, study),
        decision=_decision(plans, answer, study),
        confidence=_confidence(plans, answer),
        figure=_figure(plans, answer),
        facts=_facts(plans, answer, study),
        table=nodes_table(answer, study),
        note=_note(plans, answer, study),
        values=_values(plans),
    )


def document(answer: PlanningAnswer | Refusal, study: Study) -> Document:
    """Return the page of a plan."""
    if isinstance(answer, Refusal):
        steps = (Paragraph(text=_refused(answer).decision),)
        return document_of(study, _refused(answer), (), next_steps=steps, answers=answer)
    caveats = merge(answer.caveats, *(plan.caveats for plan in answer.loads))
    return document_of(
        study,
        lead(answer, study),
        caveats,
        found=_folds(answer, study),
        next_steps=_next_steps(answer),
        answers=answer,
    )


def finding(answer: PlanningAnswer | Refusal, study: Study) -> Fold | None:
    """Return capacity as one line that opens; nothing where no plan stands."""
    if isinstance(answer, Refusal) or not planned(answer):
        return None
    said = lead(answer, study)
    assert said.table is not None
    return Fold(line=said.answer, blocks=(Paragraph(text=said.note, muted=True), said.table), anchor="capacity")


def planned(answer: PlanningAnswer) -> list[LoadPlan]:
    """Return the loads that have a plan, the one that takes the most nodes last."""
    plans = [plan for plan in answer.loads if plan.best is not None]
    return sorted(plans, key=lambda plan: _best(plan).nodes)


def system_name(plan: LoadPlan) -> str:
    """Return what a load is of, as a reader says it."""
    name, _, mixed = plan.name.partition("mix of ")
    swept = name.removesuffix(", ").removesuffix(" (throughput)")
    return plain_name(swept) if swept or not mixed else "the mix"


def load_words(plan: LoadPlan, study: Study, asked: str) -> str:
    """Return what is asked, labelled where it is made up: ``an example load of 250,000 req/s``."""
    target = study.capacity.target
    made_up = study.capacity.example and target is not None and target.written == asked
    return f"{'an example' if made_up else 'a'} load of {asked_quantity(plan.target, plan.unit)}"


def cost_words(option: NodeOption, answer: PlanningAnswer, study: Study) -> Text:
    """Return the cost of a month in two digits: no price is known better."""
    if math.isnan(option.monthly_cost):
        return ()
    money = Number(
        value=option.monthly_cost, unit=answer.asked.currency or "money", digits=2, bare=True, evidence=option.evidence
    )
    sign = _SIGNS.get(answer.asked.currency)
    after = "" if sign else f" {answer.asked.currency}".rstrip()
    made_up = _example_price(answer, study)
    return (f"about {sign or ''}", money, f"{after} a month{' at an example price' if made_up else ''}")


def _example_price(answer: PlanningAnswer, study: Study) -> bool:
    """Whether the prices are those that the study calls made up."""
    own = {kind.written for kind in study.capacity.nodes}
    return study.capacity.example and bool(answer.asked.nodes) and set(answer.asked.nodes) <= own


def nodes_table(answer: PlanningAnswer, study: Study) -> Table:
    """Return every load in one table: nodes, cost, what one node delivers, what limits it."""
    rows: list[tuple[Cell, ...]] = []
    for plan in answer.loads:
        best = plan.best
        if best is None:
            reason = plan.unmet.reason.removeprefix(f"{plan.name}: ") if plan.unmet is not None else ""
            rows.append((system_name(plan), None, None, None, reason))
            continue
        cost = cost_words(best, answer, study)[:2]
        each = Number(value=best.each.value, unit=plan.unit, digits=3, evidence=best.evidence)
        rows.append((system_name(plan), _range(best), cost or None, each, _limit_words(plan, best, answer)))
    priced = any(row[2] is not None for row in rows)
    heads = [
        Column(head="load"),
        Column(head=f"nodes{_kind_words(answer)}"),
        Column(head=f"cost a month{' (example price)' if _example_price(answer, study) else ''}"),
        Column(head="one node delivers", unit=answer.loads[0].unit, kind="number"),
        Column(head="what limits a node"),
    ]
    some = answer.loads[0]
    return Table(
        caption=f"Nodes for {load_words(some, study, answer.asked.target)}{_conditions(answer)}",
        columns=tuple(head for place, head in enumerate(heads) if priced or place != 2),
        rows=tuple(tuple(cell for place, cell in enumerate(row) if priced or place != 2) for row in rows),
    )


def _best(plan: LoadPlan) -> NodeOption:
    assert plan.best is not None
    return plan.best


def _refused(refusal: Refusal) -> Lead:
    reason = _plain(_NAMED.sub("", refusal.reason))
    advice = _NEAREST.sub(r"a limit of \1 takes", refusal.advice)
    return refused(reason, advice, what="number of nodes can be named", verb="buy")


def _plain(reason: str) -> str:
    return _LATENCY.sub(lambda match: metric_words(match[0]), reason)


def _count(option: NodeOption, nodes: float) -> Number:
    return Number(value=nodes, evidence=option.evidence)


def _range(option: NodeOption) -> Text:
    """Return the counts that are enough in 50 and in 95 % of the draws; one where both are the same."""
    least, most = _ends(option)
    if least == most:
        return (_count(option, least),)
    return (_count(option, least), " to ", _count(option, most))


def _ends(option: NodeOption) -> tuple[float, float]:
    counts = [*option.nodes_at.values(), option.nodes]
    return min(counts), max(counter for counter in counts if math.isfinite(counter))


def _kind_words(answer: PlanningAnswer) -> str:
    """Return the size of a node where every load takes the same: `` of 2 cores``."""
    sizes = {plan.best.cores for plan in answer.loads if plan.best is not None}
    size = next(iter(sizes)) if len(sizes) == 1 else None
    return f" of {count(size, 'core')}" if size is not None else ""


def _conditions(answer: PlanningAnswer) -> str:
    asked, said = answer.asked, []
    if asked.headroom:
        said.append(f"{100 * asked.headroom:g}% of every node free")
    if asked.survive:
        said.append(f"{count(asked.survive, 'node')} lost")
    if asked.mix:
        shares = sum(asked.mix.values())
        said.append("mix of " + ", ".join(f"{name} {100 * share / shares:.3g}%" for name, share in asked.mix.items()))
    limit = parse_limit(asked.slo) if asked.slo else None
    if limit is not None:
        bests = [plan.best for plan in answer.loads if plan.best is not None]
        judged = any(best.within_limit is not None or best.limited_latency is not None for best in bests)
        within = f"within {asked_quantity(limit.seconds, 'sec')}"
        said.append(f"{metric_words(limit.metric)} {within if judged else 'not judged'}")
    return f"; {', '.join(said)}" if said else ""


def _answer(plans: Sequence[LoadPlan], answer: PlanningAnswer, study: Study) -> Text:
    load = load_words(plans[0], study, answer.asked.target)
    named = plans if len(plans) <= _MOST_NAMED else [plans[0], plans[-1]]
    sure = all(plan.comparable for plan in plans)
    parts: list[Text] = []
    for place, plan in enumerate(named):
        best = _best(plan)
        nodes = best.nodes if sure else _ends(best)[1]
        noun = "" if place else f"{' node' if nodes == 1 else ' nodes'}{_kind_words(answer) if sure else ''}"
        name = f" for {system_name(plan)}" if len(answer.loads) > 1 else ""
        parts.append((_count(best, nodes), f"{noun}{name}"))
    last = " and " if len(named) == len(plans) else " up to "
    when, most = ("", ()) if sure else ("if the sweep is right, ", ("up to ",))
    return say("capacity.needs", when=when, load=load, nodes=(*most, *joined(parts, last=last)))


def _decision(plans: Sequence[LoadPlan], answer: PlanningAnswer, study: Study) -> Text:
    most = plans[-1]
    best = _best(most)
    if not all(plan.comparable for plan in plans) or best.within_limit is not None:
        rate = Number(value=best.load, unit=most.unit, evidence=best.evidence)
        send: Text = (
            f"send one {system_name(most)} node ",
            rate,
            " that do not wait for answers, six times 30 seconds",
        )
        return say("not_yet", verb="buy", advice=send)
    if _single(most):
        order = " in random order" if _in_order(plans, answer) else ""
        return say("not_yet", verb="buy", advice=f"repeat every level six times{order}")
    if _in_order(plans, answer):
        return say("not_yet", verb="buy", advice="measure in random order first")
    noun = f"{' node' if best.nodes == 1 else ' nodes'}{_kind_words(answer)}"
    name = f" for {system_name(most)}" if len(answer.loads) > 1 else ""
    cost = cost_words(best, answer, study)
    return say("use", verb="Buy", what=(_count(best, best.nodes), noun, name, *((", ", *cost) if cost else ())))


def _single(plan: LoadPlan) -> bool:
    return any(caveat.code == "one-replicate" for caveat in plan.caveats)


def _in_order(plans: Sequence[LoadPlan], answer: PlanningAnswer) -> Caveat | None:
    """Return the doubt that a sweep which a plan rests on cannot tell its levels from time."""
    return in_order((*answer.caveats, *(caveat for plan in plans for caveat in plan.caveats)))


def _confidence(plans: Sequence[LoadPlan], answer: PlanningAnswer) -> Confidence:
    unlike = next((plan for plan in plans if not plan.comparable), None)
    if unlike is not None:
        first, level = _unlike(unlike)
        times = Number(value=level / first, unit="x", digits=1)
        words = say("capacity.unlike", level=level_words(answer.axis, level), times=times, first=f"{first:g}")
        return Confidence(level="low", reason=words)
    if any(_single(plan) for plan in plans):
        return Confidence(level="low", reason=say("confidence.single"))
    if (doubt := _in_order(plans, answer)) is not None:
        return Confidence(level="low", reason=(f"{short(doubt)}.",))
    least = min(_best(plan).probability for plan in plans)
    share = Number(value=least, unit="ratio", digits=2) if least < _NEARLY_SURE else "in more than 99% of cases"
    return Confidence(level="medium", reason=say("capacity.covers", share=share))


def _unlike(plan: LoadPlan) -> tuple[float, float]:
    """Return the smallest level and the one that does most beyond its share of it."""
    first = plan.measured[0].concurrency
    return first, max(plan.measured, key=lambda level: level.throughput / level.concurrency).concurrency


def _limit_words(plan: LoadPlan, best: NodeOption, answer: PlanningAnswer) -> str:
    """Return what makes a node full."""
    if plan.counts == "nodes":
        return "what nodes deliver together"
    level = level_words(answer.axis, best.concurrency)
    if plan.counts == "requests in flight" and best.within_limit == best.concurrency < plan.measured[-1].concurrency:
        limit = parse_limit(answer.asked.slo)
        assert limit is not None
        words = say(
            "exceeds",
            metric=metric_words(limit.metric).removesuffix(" of latency"),
            limit=asked_quantity(limit.seconds, "sec"),
            level=level,
        )
    elif plan.counts == "requests in flight":
        words = (f"no gain above {level}",)
    else:
        words = (f"the throughput of {level_words('cores', best.concurrency)}",)
    return "".join(str(part) for part in words)


def _figure(plans: Sequence[LoadPlan], answer: PlanningAnswer) -> Figure:
    bars = []
    for plan in plans:
        best = _best(plan)
        low, high = _ends(best)
        words = "".join(write(part) if isinstance(part, Number) else str(part) for part in _range(best))
        noun = "node" if high == 1 else "nodes"
        bars.append(
            NodeBar(
                name=system_name(plan),
                low=low,
                high=high,
                words=f"{words} {noun}",
                limit=_limit_words(plan, best, answer),
            )
        )
    most = plans[-1]
    shown = answer.loads[0].options[0].nodes_at
    nodes: Text = ("the most: " if len(plans) > 1 else "", *_range(_best(most)), " nodes")
    return Figure(
        finding=without_stop(say("capacity.needs", when="", load=system_name(most), nodes=nodes)),
        panels=(Panel(chart=node_bars(bars)),),
        alt="Nodes for each load. " + ". ".join(f"{bar.name}: {bar.words}; {bar.limit}" for bar in bars),
        note=f"grey: what noise leaves open, from {min(shown):.0%} to {max(shown):.0%} sure",
    )


def _facts(plans: Sequence[LoadPlan], answer: PlanningAnswer, study: Study) -> tuple[Fact, ...]:
    """Return what the load costs that takes the most, and what one node of it delivers."""
    most = plans[-1]
    best, name = _best(most), system_name(most)
    rate = Number(value=best.each.value, unit=most.unit, digits=3, evidence=best.evidence)
    facts = [Fact(value=(rate,), line=(f"{name}, from one node",))]
    cost = cost_words(best, answer, study)
    if cost:
        made_up = ", at an example price" if _example_price(answer, study) else ""
        facts.append(Fact(value=cost[:2], line=(f"a month for {name}{made_up}",)))
    return tuple(facts)


def _note(plans: Sequence[LoadPlan], answer: PlanningAnswer, study: Study) -> Text:
    """Return what the counts cover and what they do not."""
    said = ["Ranges cover measurement noise only: arrivals, balancing and other machines were not measured."]
    limit = parse_limit(answer.asked.slo) if answer.asked.slo else None
    if limit is not None and any(_best(plan).within_limit is not None for plan in plans):
        reason = "cannot be read from this sweep: it held the number of requests constant"
        said.append(f"Latency at this load {reason}.")
    if answer.asked.nodes and not any(option.written for plan in plans for option in plan.options):
        said.append(f"These data say nothing of {', '.join(answer.asked.nodes)}: the nearest size stands in its place.")
    return (" ".join(said),)


#: What adds nodes, in words.
_ADDS = {"headroom": "The free part of each node", "survive": "A node that may be lost", "latency": "The limit"}


def _folds(answer: PlanningAnswer, study: Study) -> list[Fold]:
    folds = []
    for plan in planned(answer):
        best = _best(plan)
        items: list[Text] = []
        for name, nodes in plan.spent.items():
            if nodes:
                items.append((f"{_ADDS.get(name, name.capitalize())} adds ", _count(best, nodes), " of the nodes."))
        other = plan.next_best
        if other is not None:
            cost = cost_words(other, answer, study)
            size = level_words("cores", other.concurrency) if plan.counts == "cores" else "the next kind"
            items.append(("Next best: ", *_range(other), f" nodes of {size}", *((", ", *cost) if cost else ()), "."))
        if plan.used_up is not None and math.isfinite(plan.used_up.month.value):
            month = plan.used_up.told or f"month {plan.used_up.month.value:.0f}"
            items.append((f"At {plan.used_up.growth} growth these nodes are enough until {month}.",))
        folds.append(
            Fold(
                line=(f"{system_name(plan)}: ", *_range(best), " nodes, what adds to them and other sizes"),
                blocks=(List(items=tuple(items)), demand_table(plan, best)),
            )
        )
    return folds


def demand_table(plan: LoadPlan, best: NodeOption) -> Table:
    """Return the nodes for smaller and larger loads."""
    rows = [
        (
            Number(value=point.load, unit=plan.unit),
            *(_count(best, nodes) if math.isfinite(nodes) else None for nodes in point.nodes_at.values()),
        )
        for point in plan.demand
    ]
    heads = [Column(head=f"{share:.0%}", kind="number") for share in best.nodes_at]
    return Table(
        caption="Nodes that are enough in so many of the curves that noise allows",
        columns=(Column(head="load", unit=plan.unit, kind="number"), *heads),
        rows=tuple(rows),
    )


def _next_steps(answer: PlanningAnswer, most: int = 3) -> list[Paragraph]:
    refusals = dict.fromkeys(refusal for plan in answer.loads for refusal in plan.refusals)
    plans = planned(answer)
    steps = [Paragraph(text=("Repeat every level six times, in random order.",))] if any(map(_single, plans)) else []
    steps += [_arrivals_step(plan) for plan in plans[-1:] if _best(plan).within_limit is not None]
    for refusal in [*refusals, *answer.refusals]:
        if not (steps and "held the number of requests constant" in refusal.reason):
            steps.append(_step(refusal, answer.axis))
    return steps[:most]


def _arrivals_step(plan: LoadPlan) -> Paragraph:
    """Return how latency at the load of one node is measured: arrivals that do not wait, six runs of 30 seconds."""
    best = _best(plan)
    rate = Number(value=best.load, unit=plan.unit, evidence=best.evidence)
    said = (
        "Send one ",
        system_name(plan),
        " node ",
        rate,
        " that do not wait for answers, six times (3 minutes): ",
    )
    why = "Latency at this load cannot be read from this sweep: it held the number of requests constant. "
    return Paragraph(text=(why, *said, Code(words=f"wrk2 -R{best.load:.0f} -d30s --latency URL")))


def _step(refusal: Refusal, axis: str) -> Paragraph:
    said, _, command = refusal.advice.partition(": ")
    reason = re.sub(rf"\b{re.escape(axis)}\b", axis_words(axis), _plain(refusal.reason))
    advice: Text = (f"{said}: ", *measurement(command)) if said.startswith("on a machine") else (f"{refusal.advice}.",)
    return Paragraph(text=(f"{reason[:1].upper()}{reason[1:]}. Fix: ", *advice))


def _values(plans: Sequence[LoadPlan]) -> dict[str, Number]:
    values = {}
    for plan in plans:
        best = _best(plan)
        values[f"{plan.name}.nodes"] = _count(best, best.nodes)
        values[f"{plan.name}.node_rate"] = number(best.each, best.evidence)
        values[f"{plan.name}.monthly_cost"] = Number(value=best.monthly_cost, digits=2, evidence=best.evidence)
    return values
