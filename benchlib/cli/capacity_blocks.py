"""What ``benchlib capacity`` tells a reader: a block for each load, and one for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchlib.answers.planning.answer import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.planning.claims import ClaimTest
from benchlib.cli.blocks import Block, Grid
from benchlib.cli.numbers import NONE, figure, interval
from benchlib.scaling.planning.nodes import SHARES
from benchlib.units import percent, scaled, show

__all__ = ["capacity_blocks", "chance_words"]

#: Hours of a month, a twelfth of a year of 365 days.
_HOURS = 730


def capacity_blocks(answer: PlanningAnswer) -> tuple[Block, ...]:
    """Return what a reader is told: a block for each load, and one for what concerns all."""
    return (*(_load_block(one, answer) for one in answer.loads), _last_block(answer))


def chance_words(share: float) -> str:
    """Write a probability with no more digits than draws carry.

    Examples
    --------
    >>> chance_words(0.958), chance_words(0.9995), chance_words(1.0), chance_words(0.002)
    ('96 %', 'more than 99 %', 'more than 99 %', 'less than 1 %')
    """
    if share > 0.99:
        return "more than 99 %"
    return "less than 1 %" if share < 0.01 else percent(share)


def _load_block(plan: LoadPlan, answer: PlanningAnswer) -> Block:
    asked = answer.asked
    words = [f"{show(plan.target, plan.unit)}"]
    words += [f"headroom {percent(asked.headroom)}"] if asked.headroom else []
    words += [f"{asked.survive} lost"] if asked.survive else []
    words += [asked.slo] if asked.slo else []
    grids = [_options_grid(plan, answer), _demand_grid(plan, answer)]
    if plan.returns:
        grids.append(_returns_grid(plan))
    return Block(
        title=f"{plan.name}: {', '.join(words)}",
        grids=tuple(one for one in grids if one.rows),
        lines=tuple(_lines(plan, answer)),
    )


def _options_grid(plan: LoadPlan, answer: PlanningAnswer) -> Grid:
    # Units are said once, in the heads: with them in every cell the table would not fit a terminal.
    most = max((one.each.value for one in plan.options), default=1.0)
    priced = any(not math.isnan(one.cost) for one in plan.options)
    rows = []
    for at, one in enumerate(plan.options):
        mark = " *" if at == plan.chosen else " +" if at == plan.runner_up else ""
        rows.append(
            (
                f"{one.concurrency:g}{mark}",
                *(_count(nodes) for nodes in one.nodes_at.values()),
                *([_count(one.total_cores)] if plan.counts == "cores" else []),
                *([f"{one.cost:,.2f}" if math.isfinite(one.cost) else NONE] if priced else []),
                figure(one.each, like=most),
                interval(one.each, like=most),
                figure(one.mean_latency),
            )
        )
    money = f"{answer.asked.currency or 'cost'} / hour"
    heads = (
        "cores" if plan.counts == "cores" else "in flight",
        f"nodes {percent(SHARES[0])}",
        *(percent(share) for share in SHARES[1:]),
        *(["all cores"] if plan.counts == "cores" else []),
        *([money] if priced else []),
        scaled(most, plan.unit)[1],
        "95 % interval",
        "latency",
    )
    return Grid(heads=heads, rows=tuple(rows), words=0)


def _demand_grid(plan: LoadPlan, answer: PlanningAnswer) -> Grid:
    priced = any(not math.isnan(one.cost) for one in plan.options)
    several = len(plan.options) > 1
    # Every other load is enough for a terminal; JSON and CSV have them all.
    points = plan.demand[1::2]
    heads = ["load", *(f"nodes {percent(share)}" for share in SHARES)]
    heads += ["cheapest kind" if priced else "fewest cores with"] if several else []
    rows = []
    for one in points:
        row = [show(one.load, plan.unit), *(_count(nodes) for nodes in one.nodes_at.values())]
        if several:
            cost = one.costs[one.cheapest]
            told = _money(cost, answer) if priced else f"{_count(cost)} cores"
            kind = f"{plan.options[one.cheapest].concurrency:g}-core nodes"
            row.append(f"{kind}, {told}" if math.isfinite(cost) else NONE)
        rows.append(tuple(row))
    return Grid(heads=tuple(heads), rows=tuple(rows), words=0)


def _returns_grid(plan: LoadPlan) -> Grid:
    rows = (
        (
            f"{one.before:g} to {one.after:g}",
            figure(one.per_core),
            figure(one.per_added_core),
            interval(one.per_added_core),
        )
        for one in plan.returns
    )
    return Grid(heads=("cores", "per core", "per added core", "95 % interval"), rows=tuple(rows), words=0)


def _lines(plan: LoadPlan, answer: PlanningAnswer) -> Iterator[tuple[str, str]]:
    best, other = plan.best, plan.next_best
    if best is None:
        yield "plan", "none: no count of nodes meets what was asked with the probability asked"
    else:
        yield "plan", _plan_words(best, plan, answer)
        yield "sure", _sure_words(best, answer)
        yield "load", _load_words(best, plan, answer)
        yield "binding", _binding_words(plan)
        yield "headroom", f"{figure(best.headroom)} is left of the nodes left at the target ({interval(best.headroom)})"
        if answer.asked.slo and best.breaks_at is None:
            yield "limit", f"{answer.asked.slo} is not judged: these data do not say it; see what is refused"
        yield "rule", plan.rule
        if other is not None:
            yield "runner-up", _plan_words(other, plan, answer)
        yield from _regret_lines(plan, best)
        if plan.used_up is not None:
            yield "growth", _growth_words(plan)
    for claim in plan.claims:
        yield "claim", _claim_words(claim)
    for one in plan.refusals:
        yield "refused", f"{one.reason}; {one.advice}"
    for note in plan.caveats:
        yield note.severity, f"{note.message}. {note.advice}"


def _plan_words(option: NodeOption, plan: LoadPlan, answer: PlanningAnswer) -> str:
    if plan.counts == "cores":
        size = f"{option.concurrency:g} cores"
    else:
        size = f"the machine measured, full with {option.concurrency:g} in flight"
    told = f"{_count(option.nodes)} node{'' if option.nodes == 1 else 's'} of {size}"
    if plan.counts == "cores" or not math.isnan(option.total_cores):
        told += f" ({_count(option.total_cores)} cores in all)"
    if not math.isnan(option.cost):
        told += f", {_money(option.cost, answer)}, {_money(option.cost * _HOURS, answer, 'month')}"
    return told


def _sure_words(best: NodeOption, answer: PlanningAnswer) -> str:
    counts = ", ".join(f"{_count(nodes)} for {percent(share)}" for share, nodes in best.nodes_at.items())
    return f"enough with a probability of {chance_words(best.probability)}; nodes: {counts}"


def _load_words(best: NodeOption, plan: LoadPlan, answer: PlanningAnswer) -> str:
    lost = f" with {answer.asked.survive} lost" if answer.asked.survive else ""
    told = (
        f"each of the nodes left{lost} does {show(best.load, plan.unit, 4)} with {figure(best.flying)} in flight "
        f"({interval(best.flying)}): {figure(best.mean_latency)} in the mean ({interval(best.mean_latency)})"
    )
    if (
        best.limited_latency is not None
        and best.breaks_at is not None
        and not answer.asked.slo.startswith("latency_mean")
    ):
        name = answer.asked.slo.partition("=")[0]
        told += f", {name} {figure(best.limited_latency)} ({interval(best.limited_latency)})"
    if best.breaks_at is not None:
        told += f"; the limit breaks at {figure(best.breaks_at)} ({interval(best.breaks_at)})"
    return told


def _binding_words(plan: LoadPlan) -> str:
    adds = ", ".join(f"{name} {_count(nodes)}" for name, nodes in plan.spent.items() if nodes)
    return (
        f"{plan.binding}; nodes that a condition adds: {adds}" if adds else f"{plan.binding}: no condition adds a node"
    )


def _regret_lines(plan: LoadPlan, best: NodeOption) -> Iterator[tuple[str, str]]:
    regret = plan.regret
    if regret is not None:
        short = (
            f"falls short in {chance_words(regret.falls_short)} of the draws, then by {_count(regret.lacking)} nodes "
            f"({_worst_words(regret.most_lacking, best.nodes)} in 95 % of those)"
            if regret.falls_short
            else "falls short in no draw"
        )
        more = "" if math.isnan(regret.beyond_cheapest) else f"; costs {percent(regret.beyond_cheapest)} more than the "
        yield "regret", f"{short}{more}{'cheapest plan of each draw, in the mean' if more else ''}"
    for law in plan.laws if len(plan.laws) > 1 else ():
        yield (
            "law",
            f"if {law.law} is true ({chance_words(law.weight)}): {_count(law.nodes)} nodes; "
            f"{_count(best.nodes)} are enough with {chance_words(law.enough)}",
        )


def _worst_words(lacking: float, nodes: float) -> str:
    """Tell how many nodes are missing at most: of tails this long the draws carry no digits."""
    return f"at most {_count(lacking)}" if lacking <= 10 * nodes else "up to more than ten times the plan"


def _growth_words(plan: LoadPlan) -> str:
    used = plan.used_up
    if used is None:
        return ""
    if math.isinf(used.month.value):
        return f"{used.growth}: the headroom is not used up within 100 years"
    spans = f"{_months(used.month.low)} to {_months(used.month.high)}"
    told = f"{used.growth}: the headroom is used up in month {used.month.value:g} ({spans})"
    if used.told:
        told += f", {used.told} ({used.told_low} to {used.told_high or 'never'})"
    return told


def _months(month: float) -> str:
    return f"{month:g}" if math.isfinite(month) else "never"


def _claim_words(claim: ClaimTest) -> str:
    low, high = claim.best
    where = f"best at {low:g}" if low == high else f"best from {low:g} to {high:g}"
    verdict = "holds" if claim.holds else "does not hold"
    meant = ", as it is meant" if claim.stated else ""
    return (
        f"'{claim.name}' {verdict} by {claim.rule}{meant}: {where} by the points; "
        f"within it in {chance_words(claim.probability)} of the draws"
    )


def _last_block(answer: PlanningAnswer) -> Block:
    lines = [("refused", f"{one.reason}; {one.advice}") for one in answer.refusals]
    lines += [(one.severity, f"{one.message}. {one.advice}") for one in answer.caveats]
    cores = "unknown" if answer.cores is None else str(answer.cores)
    title = (
        f"All loads: {answer.axis}, cores {cores}, {answer.asked.draws:,} draws, seed {answer.asked.seed}, "
        f"nodes for {percent(answer.asked.probability)}"
    )
    return Block(title=title, grids=(), lines=tuple(lines))


def _count(number: float) -> str:
    if math.isnan(number):
        return NONE
    return f"{number:,.0f}" if math.isfinite(number) else "none"


def _money(cost: float, answer: PlanningAnswer, period: str = "hour") -> str:
    if math.isinf(cost):
        return "none"
    money = f" {answer.asked.currency}" if answer.asked.currency else ""
    return f"{cost:,.2f}{money} per {period}"
