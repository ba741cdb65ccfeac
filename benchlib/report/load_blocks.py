"""Every sweep under load: throughput against concurrency, latency against throughput, how far throughput grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import plotly.graph_objects as go

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.latency import OperatingLine, OperatingPanel
from benchlib.answers.sweeps import FEWEST_LEVELS
from benchlib.plots.operating import operating_figure
from benchlib.report.wording.curve_words import at_level
from benchlib.report.wording.growth_words import growth_table
from benchlib.report.wording.markup import paragraph, render_table, tag
from benchlib.report.wording.words import count, figure, listed

#: Sweeps that are drawn; answers.json holds them all.
MOST_SWEEPS = 24
#: Of one figure: with its caption it fits a sheet of A4.
MOST_ROWS = 4
#: A longer table of curves is folded after this many.
SHOWN_GROWTHS = 15


def under_load(summary: ExecutiveSummary) -> list[object]:
    """Return figures with a row for each sweep, and how far it grows, as far as the curves above do not say as much."""
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
    for _, alike in groupby(panels[:MOST_SWEEPS], key=_drawn_as):
        blocks += [_figure(rows, answer.axis, answer.setting) for rows in _evenly(tuple(alike), MOST_ROWS)]
    if len(panels) > MOST_SWEEPS:
        blocks.append(paragraph(f"{count(len(panels) - MOST_SWEEPS, 'more sweep')} in answers.json."))
    if grown:
        blocks.append(render_table(growth_table(grown, answer.axis), SHOWN_GROWTHS))
    return blocks


def _drawn_as(panel: OperatingPanel) -> tuple[object, ...]:
    """Return what sweeps have in common that are rows of one figure: what its legend, titles and caption say."""
    return tuple(line.name for line in panel.lines), panel.lines[0].points[0].throughput.unit, panel.statistic


def _evenly(panels: Sequence[OperatingPanel], most: int) -> Iterator[Sequence[OperatingPanel]]:
    """Part sweeps into as few figures as hold them, none with a row of its own where it need not be."""
    parts = -(-len(panels) // most)
    for part in range(parts):
        yield panels[part * len(panels) // parts : (part + 1) * len(panels) // parts]


def _figure(panels: Sequence[OperatingPanel], axis: str, setting: str) -> go.Figure:
    first = panels[0]
    what = f"{first.name}. Left: throughput" if len(panels) == 1 else "Left: throughput"
    latency = f"; right: {first.statistic} latency against throughput" if first.statistic else ""
    lines = f", one line for each {setting}" if len(first.lines) > 1 else ""
    left_out = "".join(f" {words}" for words in _left_out(panels))
    return operating_figure(
        panels,
        axis,
        alt=" ".join(f"{one.name} under load. {'; '.join(_ends(line, axis) for line in one.lines)}." for one in panels),
        caption=f"{what} against {axis}{latency}{lines}.{left_out}",
    )


def _left_out(panels: Sequence[OperatingPanel]) -> Iterator[str]:
    """Say which rows the study keeps out of its curves, and why, each reason once."""
    for reason in dict.fromkeys(one.left_out for one in panels if one.left_out):
        names = [one.name for one in panels if one.left_out == reason]
        which = "" if len(names) == len(panels) else f"{listed(names)}, "
        yield f"Kept out of the scaling curves: {which}{reason}."


def _ends(line: OperatingLine, axis: str) -> str:
    first, last = line.points[0], line.points[-1]
    return (
        f"{f'{line.name}: ' if line.name else ''}{figure(first.throughput)} at {at_level(axis, first.concurrency)}, "
        f"{figure(last.throughput)} at {last.concurrency:g}"
    )
