"""What the conditions of a plan cost: its nodes, and how many were enough without each condition."""

from __future__ import annotations

import math
from collections.abc import Mapping

import plotly.graph_objects as go

from benchlib.answers.planning import LoadPlan, NodeOption
from benchlib.plots.style import COLOURS, empty_figure, plain

__all__ = ["conditions_figure"]

_PLAN, _WITHOUT = COLOURS[0], COLOURS[5]


def conditions_figure(
    plan: LoadPlan, best: NodeOption, without: Mapping[str, str], *, alt: str, caption: str
) -> go.Figure:
    """Draw a bar for the nodes of a plan, and one for each condition that adds some, of the nodes without it.

    Parameters
    ----------
    plan : LoadPlan
    best : NodeOption
        Of that plan.
    without : mapping of str to str
        What each condition is called, by its name in ``plan.spent``.
    alt, caption : str
    """
    counts = {"the plan": best.nodes}
    for name, nodes in plan.spent.items():
        if nodes and math.isfinite(nodes):
            counts[f"without {without.get(name, name)}"] = best.nodes - nodes
    figure = empty_figure(alt=alt, caption=caption, height=420)
    figure.add_trace(
        go.Bar(
            x=list(counts.values()),
            y=[plain(one) for one in counts],
            orientation="h",
            width=0.6,
            marker={"color": [_PLAN, *[_WITHOUT] * (len(counts) - 1)]},
            text=[f"{one:,.0f}" for one in counts.values()],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:,} nodes<extra></extra>",
            showlegend=False,
        )
    )
    figure.update_xaxes(title="nodes", rangemode="tozero")
    figure.update_yaxes(autorange="reversed", automargin=True, showgrid=False, ticksuffix="  ")
    return figure
