"""Every sweep under load: throughput against concurrency, latency against throughput, how far throughput grows."""

from __future__ import annotations

import plotly.graph_objects as go

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.operating import OperatingLine, OperatingPanel
from benchlib.answers.refusal import Refusal
from benchlib.answers.sweeps import FEWEST_LEVELS
from benchlib.plots.operating import operating_figure
from benchlib.report.wording.curve_words import at_level
from benchlib.report.wording.growth_words import growth_table
from benchlib.report.wording.markup import paragraph, render_table, tag
from benchlib.report.wording.words import count, figure

__all__ = ["under_load"]

#: Sweeps that are drawn; answers.json holds them all.
MOST_SWEEPS = 8
#: A longer table of curves is folded after this many.
SHOWN_GROWTHS = 15


def under_load(summary: ExecutiveSummary) -> list[object]:
    """Return a figure for each sweep, and how far it grows, as far as the curves above do not say as much."""
    answer = summary.operating
    if isinstance(answer, Refusal):
        return []
    drawn_above = not isinstance(summary.scaling, Refusal)
    panels = [one for one in answer.panels if one.statistic or one.left_out or not drawn_above]
    # What the study keeps out is drawn, with its reason: a row of figures would be read without it.
    grown = [
        line.growth
        for panel in answer.panels
        if not panel.left_out
        for line in panel.lines
        if line.growth is not None and (not drawn_above or line.growth.levels < FEWEST_LEVELS)
    ]
    if not panels and not grown:
        return []
    blocks: list[object] = [tag("h3", "Throughput and latency under load")]
    blocks += [_figure(one, answer.axis, answer.setting) for one in panels[:MOST_SWEEPS]]
    if len(panels) > MOST_SWEEPS:
        blocks.append(paragraph(f"{count(len(panels) - MOST_SWEEPS, 'more sweep')} in answers.json."))
    if grown:
        blocks.append(render_table(growth_table(grown, answer.axis), SHOWN_GROWTHS))
    return blocks


def _figure(panel: OperatingPanel, axis: str, setting: str) -> go.Figure:
    latency = f"; right: its {panel.statistic} latency against throughput" if panel.statistic else ""
    lines = f", one line for each {setting}" if len(panel.lines) > 1 else ""
    left_out = f" Kept out of the scaling curves: {panel.left_out}." if panel.left_out else ""
    return operating_figure(
        panel,
        axis,
        alt=f"{panel.name} under load. {'; '.join(_ends(line, axis) for line in panel.lines)}.",
        caption=f"{panel.name}. Left: throughput against {axis}{latency}{lines}.{left_out}",
    )


def _ends(line: OperatingLine, axis: str) -> str:
    first, last = line.points[0], line.points[-1]
    return (
        f"{f'{line.name}: ' if line.name else ''}{figure(first.throughput)} at {at_level(axis, first.concurrency)}, "
        f"{figure(last.throughput)} at {last.concurrency:g}"
    )
