"""Nodes and cost along the load: how many for each load and how sure, and which kind of node is cheapest where."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from benchlib.answers.capacity_plans import LoadPlan, NodeOption, PlanningAnswer
from benchlib.capacity.nodes import SHARES, CheapestRun, cheapest_runs, count_steps
from benchlib.plots.capacity_marks import SHARE_LOOKS, TARGET, along_load, mark_target
from benchlib.plots.scaling_marks import tint
from benchlib.plots.style import COLOURS, DASHES, INK, Trace, empty_figure, plain, scatter
from benchlib.units import percent

__all__ = ["cost_figure", "demand_figure"]

#: A stretch of the load shorter than this share of the axis has no room for its name.
_NAMED = 0.14
#: Height of the strip that says which kind is cheapest, as a share of the figure.
_STRIP = 0.035


def demand_figure(answer: PlanningAnswer, plan: LoadPlan, *, alt: str, caption: str) -> go.Figure:
    """Draw the nodes that each load takes, in 50, 80 and 95 % of the draws, with the target marked.

    A plan without a kind of node that is enough has no figure but its axes.
    """
    figure = empty_figure(alt=alt, caption=caption, height=380)
    best = plan.best
    if best is not None:
        for share in sorted({*SHARES, answer.asked.probability}):
            figure.add_trace(_demand_line(best, share, answer, plan))
        mark_target(figure, plan)
        _mark_count(figure, best, plan)
    along_load(figure, plan)
    figure.update_yaxes(title="nodes", rangemode="tozero", tickformat=",d", nticks=8)
    return figure


def _demand_line(best: NodeOption, share: float, answer: PlanningAnswer, plan: LoadPlan) -> Trace:
    loads, nodes = count_steps(
        best.carried[share],
        answer.asked.survive,
        plan.demand[-1].load,
        best.carried_together.get(share, ()),
        best.carried_from[share],
    )
    asked = share == answer.asked.probability
    colour, dash = (COLOURS[0], "solid") if asked else SHARE_LOOKS.get(share, (INK, "dot"))
    return scatter(
        x=loads,
        y=nodes,
        mode="lines",
        line={"color": colour, "dash": dash, "width": 3.5 if asked else 1.75, "shape": "hv"},
        name=f"enough with {percent(share)}",
        hovertemplate=f"%{{x:,.4~g}}: %{{y}} nodes with {percent(share)}<extra></extra>",
    )


def _mark_count(figure: go.Figure, best: NodeOption, plan: LoadPlan) -> None:
    """Mark today's answer where the target meets its line."""
    figure.add_trace(
        scatter(
            x=[plan.target],
            y=[best.nodes],
            mode="markers",
            marker={"color": TARGET, "size": 12, "symbol": "circle", "line": {"color": "white", "width": 1.5}},
            showlegend=False,
            hovertemplate="target: %{y} nodes<extra></extra>",
        )
    )
    figure.add_annotation(
        x=plan.target, y=best.nodes, text=f"{best.nodes:,.0f} nodes", showarrow=False, xanchor="right",
        yanchor="bottom", xshift=-9, yshift=5, font={"size": 15, "color": TARGET},
    )  # fmt: skip


def cost_figure(answer: PlanningAnswer, plan: LoadPlan, *, alt: str, caption: str) -> go.Figure:
    """Draw what each load costs by kind of node; the strip below names the kind that is cheapest there.

    Cost is money by hour where kinds have prices, else cores, else nodes.
    """
    figure = empty_figure(alt=alt, caption=caption, height=380)
    share, survive = answer.asked.probability, answer.asked.survive
    up_to = plan.demand[-1].load if plan.demand else plan.target
    for number, one in enumerate(plan.options):
        loads, nodes = count_steps(
            one.carried[share], survive, up_to, one.carried_together.get(share, ()), one.carried_from[share]
        )
        if not len(loads):
            continue
        chosen = number == plan.chosen
        figure.add_trace(
            scatter(
                x=loads,
                y=nodes * one.weight,
                mode="lines",
                line={
                    "color": COLOURS[number % len(COLOURS)],
                    "dash": DASHES[number % len(DASHES)],
                    "width": 3.5 if chosen else 1.75,
                    "shape": "hv",
                },
                name=kind_name(one, plan),
                hovertemplate=f"{kind_name(one, plan)}, %{{x:,.4~g}}: %{{y:,.4~g}}<extra></extra>",
            )
        )
    if len(plan.options) > 1:
        kinds = [(one.carried_from[share], one.carried[share], one.weight) for one in plan.options]
        _strip(figure, cheapest_runs(kinds, survive, up_to), plan, up_to)
    mark_target(figure, plan)
    along_load(figure, plan)
    figure.update_yaxes(title=plain(cost_name(answer, plan)), rangemode="tozero")
    return figure


def _strip(figure: go.Figure, runs: tuple[CheapestRun, ...], plan: LoadPlan, up_to: float) -> None:
    """Say along the axis which kind is cheapest, and name it on its longest stretch."""
    for run in runs:
        figure.add_shape(
            type="rect", x0=run.low, x1=run.high, y0=0, y1=_STRIP, yref="paper", layer="below",
            fillcolor=tint(COLOURS[run.kind % len(COLOURS)], 0.75), line={"width": 0},
        )  # fmt: skip
    for kind in dict.fromkeys(run.kind for run in runs):
        longest = max((run for run in runs if run.kind == kind), key=lambda run: run.high - run.low)
        if longest.high - longest.low >= _NAMED * up_to:
            figure.add_annotation(
                x=longest.high, y=_STRIP, yref="paper", xanchor="right", yanchor="bottom", showarrow=False,
                text=f"{kind_name(plan.options[kind], plan)} cheapest",
                font={"size": 12, "color": INK},
            )  # fmt: skip


def kind_name(option: NodeOption, plan: LoadPlan) -> str:
    """Name a kind of node in a figure."""
    return f"{option.concurrency:g}-core nodes" if plan.counts == "cores" else "the machine measured"


def cost_name(answer: PlanningAnswer, plan: LoadPlan) -> str:
    """Name what kinds of node are ranked by."""
    if any(not math.isnan(one.cost) for one in plan.options):
        return f"cost per hour{f', {answer.asked.currency}' if answer.asked.currency else ''}"
    return "cores in all" if any(one.cores is not None for one in plan.options) else "nodes"
