"""Panels side by side: each is described whole before a figure is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib.plots.style import Mark, Trace, figure_of, plain

#: The wide space between panels leaves room for the tick labels of the next.
GAP = 0.09


@dataclass(frozen=True)
class Panel:
    """What one pair of axes shows.

    Attributes
    ----------
    title : str
        Stands above it where there are several.
    traces : list of Trace
    xaxis, yaxis : dict
        What differs from the axes of our style.
    shapes, annotations : list of Mark
    """

    title: str
    traces: list[Trace]
    xaxis: dict[str, Any]
    yaxis: dict[str, Any]
    shapes: list[Mark]
    annotations: list[Mark]


def side_by_side(panels: Sequence[Panel], *, alt: str, caption: str, height: int, **layout: Any) -> go.Figure:
    """Draw panels in one row; ``layout`` as in `benchlib.plots.style.figure_of`."""
    if len(panels) == 1:
        (only,) = panels
        layout |= {"xaxis": only.xaxis, "yaxis": only.yaxis, "shapes": only.shapes, "annotations": only.annotations}
        return figure_of(only.traces, alt=alt, caption=caption, height=height, **layout)
    titles = [plain(panel.title) for panel in panels]
    figure = make_subplots(rows=1, cols=len(panels), horizontal_spacing=GAP, subplot_titles=titles)
    figure.update_layout(figure_of((), alt=alt, caption=caption, height=height, **layout).layout, showlegend=False)
    for column, panel in enumerate(panels, start=1):
        place = {"row": 1, "col": column}
        figure.add_traces(panel.traces, rows=1, cols=column)
        figure.update_xaxes(panel.xaxis, **place)
        figure.update_yaxes(panel.yaxis, **place)
        for shape in panel.shapes:
            figure.add_shape(shape, **place)
        for words in panel.annotations:
            figure.add_annotation(words, **place)
    return figure
