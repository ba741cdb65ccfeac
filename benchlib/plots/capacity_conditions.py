"""What the conditions of a plan cost: its nodes, and how many were enough without each condition."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from benchlib.plots.style import COLOURS, empty_figure, plain

__all__ = ["conditions_figure"]

_PLAN, _WITHOUT = COLOURS[0], COLOURS[5]


def conditions_figure(nodes: float, without: Mapping[str, float], *, alt: str, caption: str) -> go.Figure:
    """Draw a bar for the nodes of a plan, and one for what is enough without each condition that adds some.

    Parameters
    ----------
    nodes : float
    without : mapping of str to float
        Nodes by what the plan is without.
    alt, caption : str
    """
    counts = {"the plan": nodes, **{f"without {name}": count for name, count in without.items()}}
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
