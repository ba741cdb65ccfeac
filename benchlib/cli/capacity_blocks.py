"""What ``benchlib capacity`` tells a reader: a block for each load, and one for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
from benchlib.capacity.nodes import SHARES
from benchlib.cli.blocks import Block, Grid
from benchlib.cli.numbers import NONE, figure, interval
from benchlib.report.wording.littles_law import mean_figure
from benchlib.report.wording.plan_asked import asked_words
from benchlib.report.wording.plan_words import (
    binding_words,
    claim_words,
    counted,
    growth_words,
    headroom_words,
    instead_words,
    law_words,
    load_texts,
    load_words,
    money_words,
    plan_words,
    regret_words,
    sure_words,
    unjudged_words,
    unmet_words,
)
from benchlib.units import asked_share, percent, scaled


def capacity_blocks(answer: PlanningAnswer) -> tuple[Block, ...]:
    """Return what a reader is told: a block for each load, and one for what concerns all."""
    return (*(_load_block(load, answer) for load in answer.loads), _last_block(answer))


def _load_block(plan: LoadPlan, answer: PlanningAnswer) -> Block:
    grids = [_options_grid(plan, answer), _demand_grid(plan, answer)]
    if plan.returns:
        grids.append(_returns_grid(plan))
    return Block(
        title=f"{plan.name}: {asked_words(plan, answer)}",
        grids=tuple(grid for grid in grids if grid.rows),
        lines=tuple(_lines(plan, answer)),
    )


def _options_grid(plan: LoadPlan, answer: PlanningAnswer) -> Grid:
    # Units are said once, in the heads: with them in every cell the table would not fit a terminal.
    most = max((option.each.value for option in plan.options), default=1.0)
    priced = any(not math.isnan(option.cost) for option in plan.options)
    rows = []
    for at, candidate in enumerate(plan.options):
        mark = " *" if at == plan.chosen else " +" if at == plan.runner_up else ""
        rows.append(
            (
                f"{candidate.concurrency:g}{mark}",
                *(counted(nodes) for nodes in candidate.nodes_at.values()),
                *([counted(candidate.total_cores)] if plan.counts == "cores" else []),
                *([f"{candidate.cost:,.2f}" if math.isfinite(candidate.cost) else NONE] if priced else []),
                figure(candidate.each, like=most),
                interval(candidate.each, like=most),
                mean_figure(candidate),
            )
        )
    money = f"{answer.asked.currency or 'cost'} / hour"
    heads = (
        {"cores": "cores", "nodes": "machine"}.get(plan.counts, "in flight"),
        f"nodes {percent(SHARES[0])}",
        *(percent(share) for share in SHARES[1:]),
        *(["all cores"] if plan.counts == "cores" else []),
        *([money] if priced else []),
        f"full {scaled(most, plan.unit)[1]}",
        "95 % interval",
        "at target",
    )
    return Grid(heads=heads, rows=tuple(rows), words=0)


def _demand_grid(plan: LoadPlan, answer: PlanningAnswer) -> Grid:
    priced = any(not math.isnan(option.cost) for option in plan.options)
    several = len(plan.options) > 1
    # Every other load is enough for a terminal; JSON and CSV have them all.
    points = list(zip(plan.demand, load_texts(plan), strict=True))[1::2]
    heads = ["load", *(f"nodes {percent(share)}" for share in SHARES)]
    heads += ["cheapest kind" if priced else "fewest cores with"] if several else []
    rows = []
    for demand, load in points:
        row = [load, *(counted(nodes) for nodes in demand.nodes_at.values())]
        if several:
            cost = demand.costs[demand.cheapest]
            price = money_words(cost, answer) if priced else f"{counted(cost)} core{'' if cost == 1 else 's'}"
            kind = f"{plan.options[demand.cheapest].concurrency:g}-core nodes"
            row.append(f"{kind}, {price}" if math.isfinite(cost) else NONE)
        rows.append(tuple(row))
    return Grid(heads=tuple(heads), rows=tuple(rows), words=0)


def _returns_grid(plan: LoadPlan) -> Grid:
    noun = plan.counts.removesuffix("s")
    rows = (
        (
            f"{step.before:g} to {step.after:g}",
            figure(step.per_core),
            figure(step.per_added_core),
            interval(step.per_added_core),
        )
        for step in plan.returns
    )
    return Grid(heads=(plan.counts, f"per {noun}", f"per added {noun}", "95 % interval"), rows=tuple(rows), words=0)


def _lines(plan: LoadPlan, answer: PlanningAnswer) -> Iterator[tuple[str, str]]:
    best, other = plan.best, plan.next_best
    if best is None:
        yield "plan", f"none: {unmet_words(plan)}"
    else:
        yield "plan", f"{plan_words(best, plan, answer)}{instead_words(plan, answer)}"
        if plan.comparable:
            yield "sure", sure_words(best)
        else:
            counts = [counted(nodes) for nodes in best.nodes_at.values()]
            yield "sure", f"no probability: {counts[0]} to {counts[-1]} nodes if the sweep is right, see its alerts"
        yield "load", load_words(best, plan, answer)
        yield "binding", binding_words(plan)
        yield "headroom", headroom_words(best)
        if unjudged := unjudged_words(best, answer):
            yield "limit", unjudged
        yield "rule", plan.rule
        if other is not None:
            yield "runner-up", plan_words(other, plan, answer)
        if regret := regret_words(plan, best):
            yield "regret", regret
        yield from (("law", word) for word in law_words(plan, best))
        if growth := growth_words(plan):
            yield "growth", growth
    for claim in plan.claims:
        yield "claim", claim_words(claim, plan)
    for refusal in plan.refusals:
        yield "refused", f"{refusal.reason}; {refusal.advice}"
    for note in plan.caveats:
        yield note.severity, f"{note.message}. {note.advice}"


def _last_block(answer: PlanningAnswer) -> Block:
    lines = [("refused", f"{refusal.reason}; {refusal.advice}") for refusal in answer.refusals]
    lines += [(caveat.severity, f"{caveat.message}. {caveat.advice}") for caveat in answer.caveats]
    cores = "unknown" if answer.cores is None else str(answer.cores)
    title = (
        f"All loads: {answer.axis}, cores {cores}, {answer.asked.draws:,} draws, seed {answer.asked.seed}, "
        f"nodes for {asked_share(answer.asked.probability)}"
    )
    return Block(title=title, grids=(), lines=tuple(lines))
