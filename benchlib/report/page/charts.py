"""A plotly figure of a notebook as a figure of the page: its markup, and the data that draw it.

A figure of benchlib may say more about itself in ``layout.meta``, a mapping with any of the keys
``alt`` (what the chart shows, for those who cannot see it) and ``caption`` (how to read it). The
figure's title becomes text of the page, where it wraps and can be selected. The page's own theme
(``templates/chart.json``) takes the place of the figure's template.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchlib.errors import ExportError, printable
from benchlib.report.page.seen import seen

#: The output type under which plotly shows a figure.
PLOTLY = "application/vnd.plotly.v1+json"

#: Traces that would fetch maps from a server when drawn.
_NEEDS_NETWORK = re.compile(r"geo|choropleth|map", re.IGNORECASE)

_BREAK = re.compile(r"<(?!br ?/?>)")
_BREAK_OR_EXTRA = re.compile(r"<(?!br ?/?>|extra>|/extra>)")
_DEFAULT_HEIGHT = 420


def chart_markup(figure: Mapping[str, Any], number: int) -> str:
    """Return the ``<figure class="chart">`` of one plotly figure.

    Parameters
    ----------
    figure : mapping
        The JSON of the figure, with ``data`` and ``layout``.
    number : int
        Its number on the page, from 1.

    Examples
    --------
    >>> markup = chart_markup({"data": [], "layout": {"title": {"text": "<b>Reach</b>"}}}, 1)
    >>> '<p class="chart-title">&lt;b&gt;Reach&lt;/b&gt;</p>' in markup
    True
    """
    layout = figure.get("layout", {})
    meta = layout.get("meta") if isinstance(layout.get("meta"), Mapping) else {}
    title = _title(layout)
    alt = str(meta.get("alt") or title or f"Chart {number}")
    caption = str(meta.get("caption") or "")
    height = layout.get("height") or _DEFAULT_HEIGHT
    # Panels side by side need their width: on a narrow screen the chart scrolls instead of shrinking.
    panels = len({str(axis.get("domain")) for key, axis in layout.items() if str(key).startswith("xaxis")})
    width = f";min-width:{220 * panels}px" if panels > 1 else ""
    lines = [
        f'<figure class="chart" id="chart-{number}">',
        f'<p class="chart-title">{html.escape(title)}</p>' if title else "",
        f'<div class="plot" role="group" aria-label="{html.escape(alt)}" data-chart="{number}"'
        f' style="min-height:{float(height):g}px{width}"></div>',
        "<noscript><p>Drawing this chart needs JavaScript; its numbers are in the tables.</p></noscript>",
        f"<figcaption>{html.escape(caption)}</figcaption>" if caption else "",
        "</figure>",
    ]
    return "\n".join(line for line in lines if line)


def tidy_figure(figure: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data and layout of a figure as the page embeds them.

    Without template, title and meta, which the page carries elsewhere; without NaN, which is not
    JSON; and with every ``<`` shown as the character that it is. plotly reads a little HTML in any
    text, so a benchmark called ``<a href=...>`` would become a link; only ``<br>``, and ``<extra>``
    in a hover template, keep their meaning.

    Raises
    ------
    ExportError
        If drawing the figure would need a network.

    Examples
    --------
    >>> tidy_figure({"data": [{"name": "a<br><a href='x'>"}], "layout": {"template": {}}})
    {'data': [{'name': "a<br>&lt;a href='x'>"}], 'layout': {}}
    """
    data = list(figure.get("data", []))
    layout = {key: value for key, value in figure.get("layout", {}).items() if key not in _CARRIED}
    for kind in sorted(trace_types(figure)):
        if _NEEDS_NETWORK.search(kind) and kind != "heatmap" and kind != "treemap":
            raise ExportError(f"a chart of type '{printable(kind, 40)}' fetches maps when drawn; use an offline type")
    if layout.get("images"):
        raise ExportError("a chart places images by address; a page asks the network for nothing: remove them")
    return {"data": _plain(data), "layout": _plain(layout)}


_CARRIED = ("template", "title", "meta", "paper_bgcolor", "plot_bgcolor", "width")


def trace_types(figure: Mapping[str, Any]) -> set[str]:
    """Return plotly's names of the types of traces that a figure draws.

    Examples
    --------
    >>> sorted(trace_types({"data": [{"y": [1]}, {"type": "bar"}]}))
    ['bar', 'scatter']
    """
    return {str(trace.get("type", "scatter")) for trace in figure.get("data", [])}


def theme() -> Any:
    """Return the page's plotly theme."""
    return json.loads(Path(__file__).with_name("templates").joinpath("chart.json").read_text(encoding="utf-8"))


def _title(layout: Mapping[str, Any]) -> str:
    title = layout.get("title", "")
    text = title.get("text", "") if isinstance(title, Mapping) else title
    return html.unescape(re.sub(r"<br ?/?>", " ", str(text or "")))


def _plain(value: Any, key: str = "") -> Any:
    """Copy JSON with markup made text and NaN made null."""
    if isinstance(value, str):
        if key.endswith("format"):  # a d3 format may align with "<"
            return value
        return (_BREAK_OR_EXTRA if key == "hovertemplate" else _BREAK).sub("&lt;", seen(value))
    if isinstance(value, float):  # what most of a figure is
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _plain(one, str(name)) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one, key) for one in value]
    return value
