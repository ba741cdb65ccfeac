"""Histories of runs: all changes by size, and the series behind one, run by run with their levels."""

from __future__ import annotations

from benchlib.answers.trend import Finding, Trend, TrendAnswer
from benchlib.document.blocks import Figure, Panel, Text
from benchlib.document.words import metric_words, place_words
from benchlib.figures.style import AXIS, BAD, COLOURS, MUTED, Mark, chart, dots, path, plain
from benchlib.statistics.changes import Change
from benchlib.units import scaled

__all__ = ["series_figure", "trend_figure"]

#: Series of a finding that have room, and ticks of an axis of runs.
_MOST_PANELS, _TICKS = 3, 4
#: Where an axis of ratios has ticks.
_RATIOS, _NEAR = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0), (0.8, 0.9, 1.1, 1.25)
#: What got worse points up and down by its size, and has its own colour and shape.
_WORSE, _BETTER, _OTHER = ("triangle-up", BAD), ("triangle-down", COLOURS[2]), ("circle", MUTED)


def trend_figure(answer: TrendAnswer, finding: Text) -> Figure:
    """Draw every finding at its run, by the size of its largest change."""
    traces: list[Mark] = []
    for worse, (symbol, colour) in ((True, _WORSE), (False, _BETTER), (None, _OTHER)):
        here = [told for told in answer.findings if told.worse is worse]
        sizes = [told.members[0][1].ratio.value for told in here]
        names = [f"{answer.runs[told.at]}: {len(told.members)} series" for told in here]
        texts = [plain(f"{name}, {size:.3g} times") for name, size in zip(names, sizes, strict=True)]
        fills = [colour if told.cause == "code" else "rgba(0,0,0,0)" for told in here]
        marker = {"symbol": symbol, "size": 11, "color": fills, "line": {"color": colour, "width": 1.5}}
        traces.append(dots([told.at for told in here], sizes, texts, **marker))
    widest = max(max(ratio, 1 / ratio) for ratio in (told.members[0][1].ratio.value for told in answer.findings))
    near = _NEAR if widest < 2 else ()
    ticks = sorted(tick for tick in {*_RATIOS, *near} if 1 / widest / 1.3 <= tick <= widest * 1.3)
    yaxis = {"type": "log", "tickvals": ticks, "ticktext": [f"{tick:g} times" for tick in ticks], "automargin": True}
    same = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": {"color": AXIS, "width": 1}}
    drawn = chart(traces, height=240, xaxis=_axis(answer), yaxis=yaxis, shapes=[same])
    return Figure(
        finding=finding,
        panels=(Panel(chart=drawn),),
        alt="Every change at its run, by its size.",
        note="up: worse; down: better; hollow: as much machine as code",
    )


def series_figure(answer: TrendAnswer, finding: Finding, said: Text) -> Figure:
    """Draw the series of a finding run by run, the largest change first."""
    panels = tuple(_panel(answer, trend, change) for trend, change in finding.members[:_MOST_PANELS])
    more = f"; {len(finding.members) - len(panels)} more series moved" if len(finding.members) > len(panels) else ""
    return Figure(
        finding=said,
        panels=panels,
        alt="Each run of the series, with the levels that it took.",
        note=f"one dot a run; shaded: the runs that may have begun the change{more}",
    )


def _panel(answer: TrendAnswer, trend: Trend, change: Change) -> Panel:
    divisor, unit = scaled(max(trend.values), trend.unit)
    values = [value / divisor for value in trend.values]
    levels = [float(level) / divisor for level in trend.course.levels]
    wild = set(trend.course.outliers)
    places = [place for place in range(len(values)) if place not in wild]
    texts = [plain(f"{answer.runs[trend.runs[place]]}: {values[place]:.3g} {unit}") for place in places]
    traces = [
        dots([trend.runs[place] for place in places], [values[place] for place in places], texts, size=4, color=MUTED),
        path(list(trend.runs), levels, color=COLOURS[0], width=2, shape="hv"),
    ]
    low, high = trend.runs[change.first - 1] + 0.5, trend.runs[change.last] + 0.5
    band = {"type": "rect", "x0": low, "x1": high, "yref": "paper", "y0": 0, "y1": 1, "layer": "below",
            "line": {"width": 0}, "fillcolor": COLOURS[1], "opacity": 0.25}  # fmt: skip
    yaxis = {"title": {"text": plain(unit)}, "automargin": True}
    return Panel(
        chart=chart(traces, height=200, xaxis=_axis(answer), shapes=[band], yaxis=yaxis),
        title=place_words(trend.key) or metric_words(trend.metric),
    )


def _axis(answer: TrendAnswer) -> Mark:
    """Name a few runs, by their day where it is known."""
    last = len(answer.runs) - 1
    places = sorted({round(last * tick / (_TICKS - 1)) for tick in range(_TICKS)})
    names = answer.times or answer.runs
    texts = [plain(names[place][:10]) for place in places]
    return {"tickvals": places, "ticktext": texts, "range": [-0.02 * last - 1, 1.02 * last + 1]}
