"""What the figures of a capacity plan share: the axis of the load, the target, how sure a line is."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from benchlib.answers.capacity_plans import LoadPlan
from benchlib.plots.scaling_marks import per_second
from benchlib.plots.style import plain, prefixed
from benchlib.units import show

#: What must be met, in every figure.
TARGET = "#A8211A"
#: Share of the draws -> colour and dash of its line.
SHARE_LOOKS: Mapping[float, tuple[str, str]] = {
    0.5: ("#56B4E9", "dot"),
    0.8: ("#009E73", "dash"),
    0.95: ("#0072B2", "solid"),
}


def along_load(figure: go.Figure, plan: LoadPlan) -> None:
    """Give a figure the axis of the load that all nodes are to deliver."""
    figure.update_xaxes(title=plain(f"load, {per_second(plan.unit)}"), rangemode="tozero", **prefixed())


def mark_target(figure: go.Figure, plan: LoadPlan) -> None:
    """Draw the target as an upright line with its number."""
    mark_upright(figure, plan.target, f"target {show(plan.target, plan.unit)}", TARGET)


def mark_upright(
    figure: go.Figure,
    place: float,
    text: str,
    colour: str,
    *,
    dash: str = "dash",
    side: str = "left",
    top: float = 1.0,
    gap: int = 4,
) -> None:
    """Draw a line from bottom to top, with words at its upper end, so many pixels beside it."""
    figure.add_shape(
        type="line", x0=place, x1=place, y0=0, y1=1, yref="paper", line={"color": colour, "width": 1.5, "dash": dash}
    )
    figure.add_annotation(
        x=place, y=top, yref="paper", xanchor=side, yanchor="top", text=plain(text), showarrow=False,
        xshift=gap if side == "left" else -gap, font={"size": 12, "color": colour},
    )  # fmt: skip
