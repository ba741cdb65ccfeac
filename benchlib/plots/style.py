"""One look for every figure: colours that survive greyscale, labels that survive hostile names."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

#: The colour of text, in place of Okabe and Ito's black: the page makes it light in dark mode.
INK = "#1b2431"
#: Okabe and Ito (2008), "Color Universal Design": told apart by colour-blind readers. Ordered so
#: that neighbours differ in lightness too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", INK)
#: Lines that are not data: the page gives this grey its own value in dark mode.
AXIS = "#8a94a3"
#: Lines that must stand out on colours: the page turns it with its own text in dark mode.
INK = "#1b2431"
#: Line and marker shapes carry the same distinction as colour, for greyscale print.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")

#: What a figure draws, as it takes it.
Trace = dict[str, Any]
#: A shape or annotation that lies on it.
Mark = dict[str, Any]


def plain(text: object) -> str:
    """Escape text for a figure: plotly reads a subset of HTML in every label.

    Examples
    --------
    >>> plain("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    return html.escape(str(text), quote=False)


def prefixed(sign: str = "") -> dict[str, Any]:
    """Return the form of the ticks of large numbers: 2k and 3M as people read them, but 0.5 and not 500m.

    Examples
    --------
    >>> prefixed()
    {'tickformat': '~s', 'tickformatstops': [{'dtickrange': [None, 0.99], 'value': '~g'}]}
    """
    fine = {"dtickrange": [None, 0.99], "value": f"{sign}~g"}  # ticks that are less than 1 apart
    return {"tickformat": f"{sign}~s", "tickformatstops": [fine]}


def empty_figure(*, alt: str, caption: str, height: int = 420) -> go.Figure:
    """Return a figure with our style, its alternative text and caption in ``layout.meta``."""
    return figure_of((), alt=alt, caption=caption, height=height)


def figure_of(traces: Sequence[Trace], *, alt: str, caption: str, height: int = 420, **layout: Any) -> go.Figure:
    """Return a whole figure in our style; ``layout`` adds to the style, or lays an axis or margin over its own.

    plotly checks anew with every update, which takes several times as long as to make a figure whole.

    Examples
    --------
    >>> figure = figure_of([scatter(y=[1, 2])], alt="A line", caption="", margin={"t": 5}, yaxis={"title": "lines"})
    >>> figure.layout.margin.t, figure.layout.margin.r, figure.layout.yaxis.title.text, figure.layout.yaxis.showline
    (5, 20, 'lines', True)
    """
    axis = {"showline": True, "linecolor": AXIS, "gridcolor": "rgba(128,128,128,0.2)", "zeroline": False}
    house: dict[str, Any] = {
        "template": "none",
        "height": height,
        "margin": {"l": 72, "r": 20, "t": 30, "b": 55},
        "font": {"family": "system-ui, sans-serif", "size": 13},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "colorway": list(COLOURS),
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hoverlabel": {"font": {"family": "system-ui, sans-serif"}},
        "meta": {"alt": alt, "caption": caption},
        "xaxis": axis,
        "yaxis": axis,
    }
    own = {
        name: {**house[name], **given} if name in house and isinstance(given, Mapping) else given
        for name, given in layout.items()
    }
    return go.Figure(data=list(traces), layout=house | own)


def scatter(**properties: Any) -> Trace:
    """Return a trace of points and lines, which is checked when a figure takes it: a `go.Scatter` is checked twice.

    Examples
    --------
    >>> scatter(y=[1, 2])
    {'type': 'scatter', 'y': [1, 2]}
    """
    return {"type": "scatter", **properties}
