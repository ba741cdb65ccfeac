"""One style for every chart: colours that survive greyscale and colour blindness, labels that survive hostile names.

A chart is plotly's JSON as a dict: nothing here imports plotly, so a page costs no import of it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["AXIS", "BAD", "COLOURS", "INK", "MUTED", "chart", "contrast", "mixed", "plain", "readable"]

#: The page turns these with its own colours in the dark.
INK, MUTED, AXIS, BAD = "#1b2431", "#566172", "#8a94a3", "#a8211a"
#: Okabe and Ito (2008), "Color Universal Design", ordered so that neighbours differ in lightness too.
COLOURS = ("#0b62a8", "#b45309", "#009e73", "#cc79a7", "#8a5a00", "#56b4e9", INK)
BLUE, BROWN = COLOURS[0], COLOURS[4]

#: A trace, shape or annotation, as plotly takes it.
Mark = dict[str, Any]


def plain(text: object) -> str:
    """Escape text for a chart: plotly reads a subset of HTML in every label.

    Examples
    --------
    >>> plain("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    return html.escape(str(text), quote=False)


def chart(
    traces: Sequence[Mark],
    *,
    height: int = 260,
    xaxis: Mapping[str, Any] | None = None,
    yaxis: Mapping[str, Any] | None = None,
    marks: Sequence[Mark] = (),
    shapes: Sequence[Mark] = (),
    margin: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return one chart; ``marks`` are annotations."""
    axis = {
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 12, "color": MUTED},
        "title": {"font": {"size": 12, "color": MUTED}},
        "fixedrange": True,
    }
    return {
        "data": [{"showlegend": False, **trace} for trace in traces],
        "layout": {
            "height": height,
            "margin": {"l": 8, "r": 8, "t": 8, "b": 34} | dict(margin or {}),
            "font": {"family": "system-ui, sans-serif", "size": 13, "color": INK},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "hoverlabel": {"font": {"family": "system-ui, sans-serif"}},
            "showlegend": False,
            "dragmode": False,
            "xaxis": axis | {"showline": True, "linecolor": AXIS} | dict(xaxis or {}),
            "yaxis": axis | dict(yaxis or {}),
            "annotations": list(marks),
            "shapes": list(shapes),
        },
    }


def path(x: Sequence[float], y: Sequence[float], **line: Any) -> Mark:
    """Join points by a line that says nothing when pointed at."""
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}


def dots(x: Sequence[float], y: Sequence[float], texts: Sequence[str], **marker: Any) -> Mark:
    """Draw points, each with what it says when pointed at."""
    said = {"text": texts, "hovertemplate": "%{text}<extra></extra>"}
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, **said, "marker": marker}


def label(text: str, x: float, y: float, **place: Any) -> Mark:
    """Return words at a place of a chart."""
    return {"x": x, "y": y, "text": plain(text), "showarrow": False, "font": {"size": 12, "color": MUTED}} | place


def readable(colour: str, *grounds: str, least: float) -> str:
    """Return a colour with as little white or black as gives it a contrast on every ground."""
    towards = max("#ffffff", "#000000", key=lambda end: min(contrast(end, ground) for ground in grounds))
    tints = (mixed(colour, towards, percent / 100) for percent in range(101))
    return next(tint for tint in tints if all(contrast(tint, ground) >= least for ground in grounds))


def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour with a share of another.

    Examples
    --------
    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#{:02x}{:02x}{:02x}".format(*(round(one + (two - one) * share) for one, two in pairs))


def contrast(colour: str, ground: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21.

    References
    ----------
    W3C, Web Content Accessibility Guidelines 2.2: relative luminance, contrast ratio.
    """
    lighter, darker = sorted((_luminance(colour), _luminance(ground)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    shares = [channel / 255 for channel in _channels(colour)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
