"""The deck of a capacity plan: six slides that can be said aloud, and an appendix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
from benchlib.answers.latency import OperatingAnswer
from benchlib.answers.scaling import ScalingAnswer
from benchlib.answers.what_if import node_tables
from benchlib.capacity.one_node import Level, count_nodes
from benchlib.caveats import Caveat, merge
from benchlib.document.blocks import (
    Cell,
    Column,
    Deck,
    Figure,
    Link,
    List,
    NodeKind,
    NodeLevel,
    NodeLoad,
    Number,
    Paragraph,
    Slide,
    Table,
    Text,
    WhatIf,
)
from benchlib.document.words import axis_words, count, level_words, metric_words
from benchlib.study import Study
from benchlib.study.quantities import HOURS_A_MONTH, parse_limit, parse_nodes
from benchlib.tell import capacity, scaling
from benchlib.tell.doubts import doubts, links, other_doubts
from benchlib.tell.lead import said_of
from benchlib.tell.sentences import begun
from benchlib.units import scaled

__all__ = ["deck", "what_if"]

#: What a cost is of.
_COST: Text = (f"The cost is of the count that is asked to be enough; a month has {HOURS_A_MONTH:.0f} hours.",)
#: What the sliders compute, for whoever is asked.
_FORMULA: tuple[Text, ...] = (
    ("Nodes = lost nodes + load / (what a full node delivers × (1 − the share that stays free)), rounded up.",),
    ("A node is full at the level that delivers the most, to 1%, of those up to the highest that meets the limit.",),
    ("A range is what measurement noise leaves open: enough in 50 to 95% of the curves that it allows.",),
)

#: A slide holds so many lines of a table, and so many doubts.
_MOST_ROWS, _MOST_DOUBTS = 6, 4


def deck(
    study: Study,
    plan: PlanningAnswer | Refusal,
    curves: ScalingAnswer | Refusal,
    operating: OperatingAnswer | Refusal,
) -> Deck:
    """Return the slides of a plan; where there is none they say why and what would settle it."""
    said = capacity.lead(plan, study)
    page = capacity.document(plan, study)
    caveats = _caveats(plan, curves)
    next_steps = next((section.blocks for section in page.sections if section.anchor == "next"), ())
    sure: Text = (f"Confidence: {said.confidence.level}. ", *begun(said.confidence.reason))
    slides = [
        Slide(
            title=said.answer,
            blocks=(Paragraph(text=said.decision), Paragraph(text=sure, muted=True)),
            notes=((study.question,), (study.tested,), said.note),
        )
    ]
    grown = None if isinstance(curves, Refusal) else scaling.lead(curves, operating, study)
    if grown is not None and grown.figure is not None:
        slides.append(Slide(title=grown.figure.finding, blocks=(_untitled(grown.figure),), notes=(grown.answer,)))
    if said.table is not None and not isinstance(plan, Refusal):
        slides.append(_nodes_slide(said.table, said.note))
        moved = what_if(plan)
        if moved is not None:
            slides.append(Slide(title=("What if load, headroom or limit change?",), blocks=(moved,), notes=_FORMULA))
    if caveats:
        slides.append(_wrong_slide(caveats))
    if next_steps:
        title = "Measure next" if len(next_steps) > 1 else "The next measurement"
        slides.append(Slide(title=(title,), blocks=next_steps))
    return Deck(
        title=study.title,
        about=said_of(study),
        slides=tuple(slides),
        appendix=tuple(_appendix(study, plan, said.figure, grown.table if grown is not None else None)),
        answers=page.answers,
    )


def what_if(answer: PlanningAnswer) -> WhatIf | None:
    """Return the plan with what one node delivers at each level; None where whole nodes were swept."""
    limit = parse_limit(answer.asked.slo) if answer.asked.slo else None
    metric = limit.metric if limit is not None else "latency_mean"
    loads = _as_many_as_fit(_load(plan, metric) for plan in capacity.planned(answer)[::-1] if plan.counts != "nodes")
    judged = any(level.latency is not None for load in loads for kind in load.kinds for level in kind.levels)
    if not loads:
        return None
    return WhatIf(
        loads=loads,
        headroom=answer.asked.headroom,
        survive=answer.asked.survive,
        limit=limit.seconds if limit is not None and judged else None,
        metric=metric_words(metric) if judged else "",
        axis=(axis_words(answer.axis, several=False), axis_words(answer.axis)),
        currency=answer.asked.currency,
        still=_still(loads, answer, limit.seconds if limit is not None and judged else None),
    )


def _still(loads: Sequence[NodeLoad], answer: PlanningAnswer, limit: float | None) -> Table:
    """Return a few other settings as a table, for paper and for programs that run no script."""
    asked = answer.asked
    half, lost = asked.headroom / 2, asked.survive + 1
    settings = (
        ("as asked", 1.0, asked.headroom, asked.survive, limit),
        ("twice the load", 2.0, asked.headroom, asked.survive, limit),
        (f"{half:.0%} free on every node", 1.0, half, asked.survive, limit),
        (f"{lost} nodes lost" if lost > 1 else "a node lost", 1.0, asked.headroom, lost, limit),
        *([("no limit of latency", 1.0, asked.headroom, asked.survive, None)] if limit is not None else []),
    )
    kinds = [(load, kind) for load in loads for kind in load.kinds][:_MOST_ROWS]
    several = len({kind.name for _, kind in kinds}) > 1
    heads = [f"{load.name}, {kind.name}" if several else load.name for load, kind in kinds]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (words, *(_counted(kind, factor * load.target, free, lost, most) for load, kind in kinds))
        for words, factor, free, lost, most in settings
    )
    return Table(
        caption="Nodes for other settings",
        columns=(Column(head=""), *(Column(head=head) for head in heads)),
        rows=rows,
    )


def _counted(kind: NodeKind, load: float, headroom: float, survive: int, limit: float | None) -> Text:
    levels = [Level(level=level.level, latency=level.latency, rates=level.rates) for level in kind.levels]
    counted = count_nodes(levels, load, headroom=headroom, survive=survive, limit=limit)
    if counted is None:
        return ("none",)
    least, most = (Number(value=nodes) for nodes in (min(counted.nodes), max(counted.nodes)))
    return (least,) if least == most else (least, " to ", most)


def _as_many_as_fit(loads: Iterable[NodeLoad]) -> tuple[NodeLoad, ...]:
    """Return the loads that take the most, as many as a slide has rows for, in the order of the table."""
    fitting: list[NodeLoad] = []
    for load in loads:
        if fitting and sum(len(each.kinds) for each in (*fitting, load)) > _MOST_ROWS:
            break
        fitting.insert(0, load)
    return tuple(fitting)


def _load(plan: LoadPlan, metric: str) -> NodeLoad:
    kinds = []
    for table in node_tables(plan, metric):
        option = table.option
        price = parse_nodes(option.written)[0].cost if option.written else None
        levels = tuple(NodeLevel(level=level.level, latency=level.latency, rates=level.rates) for level in table.levels)
        kinds.append(
            NodeKind(
                name=level_words("cores", option.cores) if option.cores is not None else "the machine measured",
                levels=levels,
                price=None if price is None else price * HOURS_A_MONTH,
            )
        )
    return NodeLoad(
        name=capacity.system_name(plan), unit=scaled(1.0, plan.unit)[1], target=plan.target, kinds=tuple(kinds)
    )


def _caveats(plan: PlanningAnswer | Refusal, curves: ScalingAnswer | Refusal) -> tuple[Caveat, ...]:
    of_plan = [] if isinstance(plan, Refusal) else [plan.caveats, *(load.caveats for load in plan.loads)]
    return merge(*of_plan, *([] if isinstance(curves, Refusal) else [curves.caveats]))


def _untitled(figure: Figure) -> Figure:
    """Return a figure whose finding is the title of its slide."""
    return Figure(finding=(), panels=figure.panels, alt=figure.alt, note=figure.note)


def _nodes_slide(table: Table, note: Text) -> Slide:
    title, semicolon, conditions = table.caption.partition("; ")
    under = f"With {conditions}" if semicolon else "Full nodes, none lost"
    cut = Table(caption=under, columns=table.columns, rows=table.rows[:_MOST_ROWS], shown=_MOST_ROWS)
    left_out = len(table.rows) - _MOST_ROWS
    more = (Paragraph(text=(f"On the page: {count(left_out, 'more load')}.",), muted=True),) if left_out > 0 else ()
    return Slide(title=(title,), blocks=(cut, Paragraph(text=note, muted=True), *more), notes=(_COST,))


def _wrong_slide(caveats: Iterable[Caveat]) -> Slide:
    caveats = tuple(caveats)
    told = doubts(caveats, _MOST_DOUBTS)
    items = tuple(_bullet(link, doubt.fix) for link, doubt in zip(links(caveats, _MOST_DOUBTS), told, strict=True))
    notes = tuple((*doubt.text, " ", *doubt.fix) for doubt in told)
    others = other_doubts(caveats, _MOST_DOUBTS)
    more = (Paragraph(text=(others,), muted=True),) if others else ()
    return Slide(title=("What could be wrong",), blocks=(List(items=items), *more), notes=notes)


def _bullet(link: Link, fix: Text) -> Text:
    return (*begun((f"{link.words}. ",)), *begun(fix))


def _appendix(
    study: Study, plan: PlanningAnswer | Refusal, figure: Figure | None, measured: Table | None
) -> Iterable[Slide]:
    if figure is not None:
        yield Slide(title=figure.finding, blocks=(_untitled(figure),))
    if measured is not None:
        yield Slide(title=("What was measured",), blocks=(measured,), notes=((study.tested,),))
    if not isinstance(plan, Refusal):
        for load in capacity.planned(plan):
            if load.best is not None and len(load.demand) > 1:
                title = f"Other loads of {capacity.system_name(load)}"
                yield Slide(title=(title,), blocks=(capacity.demand_table(load, load.best),))
    yield Slide(title=("How this was made",), blocks=(List(items=tuple(_method(study, plan))),))


def _method(study: Study, plan: PlanningAnswer | Refusal) -> Iterable[Text]:
    if not isinstance(plan, Refusal):
        asked = plan.asked
        yield (f"{asked.draws:,} curves that the measurements allow were drawn (seed {asked.seed}).",)
        yield ("Enough nodes: (nodes − lost) × what one delivers × (1 − headroom) reaches the load.",)
        if any(math.isfinite(option.monthly_cost) for load in plan.loads for option in load.options):
            yield (f"A month has {HOURS_A_MONTH:.0f} hours.",)
    for command in study.commands[:2]:
        yield (f"Measured with: {command}",)
