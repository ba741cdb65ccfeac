"""What a whole is made of: a bar a cell, a piece a part, the unexplained rest hatched."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

import plotly.graph_objects as go

from benchlib import significant_digits
from benchlib.answers.effects import BreakdownAnswer
from benchlib.answers.grouping import label
from benchlib.effects.breakdown import Breakdown, PartShare
from benchlib.effects.cells import Level
from benchlib.plots.effects_marks import BAR, name_bars, whiskers
from benchlib.plots.style import AXIS, COLOURS, Trace, empty_figure, plain, scatter
from benchlib.statistics.estimates import Estimate

__all__ = ["breakdown_figure", "interval_goes_on"]

#: More bars than this are a table.
MOST_BARS = 24
#: Hatchings of the parts: what greyscale readers tell them apart by. The rest has its own.
_HATCHINGS = ("", "/", "\\", ".", "+", "-", "|")
_REST = "x"
#: A piece narrower than this share of the bar has no room for its number.
NARROWEST = 0.07
#: Intervals stand this far below the bar and each other, in bars.
STEP = 0.09
#: Intervals up to this many times the bars are drawn whole; to hold more would leave the bars no room.
HELD = 2.0


def breakdown_figure(answer: BreakdownAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw the share of each part in each cell, and what no part explains; None without a cell.

    Where the parts exceed the whole, the bar passes 100 %. Whiskers are the intervals of shares that were
    measured; estimated and profiled shares are named so and have none. An arrow ends those that go on beyond the axis.
    """
    cells = answer.cells[:MOST_BARS]
    if not cells:
        return None
    figure = empty_figure(alt=alt, caption=caption)
    broken = [one for _, one in cells]
    sources = {part.name: part.source for one in broken for part in one.parts}
    for number, (name, source) in enumerate(sources.items()):
        shown = name if source == "measured" else f"{name} ({source})"
        figure.add_trace(_pieces(broken, name, shown, number))
    figure.add_trace(_rest(broken))
    for number in range(len(sources)):
        found = _intervals(broken, _names(broken), number)
        if found is not None:
            figure.add_trace(found)
    apart = _told_apart([at for at, _ in cells])
    names = [label({factor: at[factor] for factor in apart}) or answer.whole for at, _ in cells]
    name_bars(
        figure,
        [f"{name}: {significant_digits.figure(one.whole)}" for name, one in zip(names, broken, strict=True)],
        1.0,
    )
    last, cut = _extent(broken)
    if cut:
        figure.add_trace(_arrows(cut, last))
    figure.update_xaxes(tickformat=".0%", range=[0, last], title=plain(f"share of {answer.whole}"))
    figure.update_yaxes(range=[len(cells) - 0.65 + STEP * len(sources), -0.85])
    # On a narrow screen the legend has a line for each part.
    figure.update_layout(height=figure.layout.height + 16 * len(sources))
    # A number that does not fit its piece is left to the table.
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"}, uniformtext={"minsize": 10, "mode": "hide"})
    return figure


def interval_goes_on(answer: BreakdownAnswer) -> bool:
    """Whether the interval of a share goes on beyond the figure."""
    return bool(_extent([one for _, one in answer.cells[:MOST_BARS]])[1])


def _names(broken: Sequence[Breakdown]) -> list[str]:
    """Return the parts in the order of their pieces."""
    return list(dict.fromkeys(part.name for one in broken for part in one.parts))


def _pieces(broken: Sequence[Breakdown], name: str, shown: str, number: int) -> go.Bar:
    parts = [next((part for part in one.parts if part.name == name), None) for one in broken]
    places = [place for place, part in enumerate(parts) if part is not None]
    found = [part for part in parts if part is not None]
    return go.Bar(
        x=[part.share.value for part in found],
        y=places,
        orientation="h",
        width=BAR,
        name=plain(shown),
        marker={
            "color": COLOURS[number % len(COLOURS)],
            "line": {"color": AXIS, "width": 1},
            "pattern": {
                "shape": _HATCHINGS[number % len(_HATCHINGS)],
                "fillmode": "overlay",
                "fgcolor": "rgba(255,255,255,0.55)",
                "size": 8,
            },
        },
        text=[_number(part.share.value) for part in found],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        customdata=[_told(part) for part in found],
        hovertemplate=f"{plain(shown)}: %{{customdata}}<extra></extra>",
    )


def _stacked(one: Breakdown, names: Sequence[str]) -> list[tuple[PartShare, float]]:
    """Return the parts in the order of their pieces, each with where its piece ends."""
    parts = sorted(one.parts, key=lambda part: names.index(part.name))
    return list(zip(parts, accumulate(part.share.value for part in parts), strict=True))


def _extent(broken: Sequence[Breakdown]) -> tuple[float, list[tuple[int, int]]]:
    """Return where the axis ends, and bar and part of each interval that goes on beyond it.

    It holds every bar, and the intervals that reach no further than `HELD` allows.
    """
    names = _names(broken)
    ends = [
        (place, names.index(part.name), end + part.share.high - part.share.value)
        for place, one in enumerate(broken)
        for part, end in _stacked(one, names)
        if math.isfinite(part.share.high)
    ]
    bars = max(1.0, *(sum(part.share.value for part in one.parts) for one in broken))
    last = max(bars, *(end for _, _, end in ends if end <= bars * HELD), 0.0) * 1.04
    return last, [(place, number) for place, number, end in ends if end > last]


def _intervals(broken: Sequence[Breakdown], names: Sequence[str], number: int) -> go.Scatter | None:
    """Draw the intervals of one part about the ends of its pieces, under them and clear of other parts."""
    places: list[float] = []
    ends: list[float] = []
    shares: list[Estimate] = []
    for place, one in enumerate(broken):
        for part, end in _stacked(one, names):
            if part.name == names[number] and part.share.has_interval:
                places.append(place + _below(number))
                ends.append(end)
                shares.append(part.share)
    if not places:
        return None
    colour = COLOURS[number % len(COLOURS)]
    return scatter(
        x=ends,
        y=places,
        mode="markers",
        marker={"size": 6, "color": colour, "symbol": "triangle-up"},
        error_x={**whiskers(shares, 1.0, colour), "width": 3},
        name=f"interval of {plain(names[number])}",
        hoverinfo="skip",
        showlegend=False,
    )


def _arrows(cut: Sequence[tuple[int, int]], last: float) -> Trace:
    return scatter(
        x=[last] * len(cut),
        y=[place + _below(number) for place, number in cut],
        mode="markers",
        marker={
            "symbol": "triangle-right",
            "size": 10,
            "color": [COLOURS[number % len(COLOURS)] for _, number in cut],
        },
        cliponaxis=False,
        name="goes on",
        hoverinfo="skip",
        showlegend=False,
    )


def _below(number: int) -> float:
    """Return how far below the middle of its bar the interval of a part stands."""
    return 0.5 * BAR + STEP * (number + 1)


def _rest(broken: Sequence[Breakdown]) -> go.Bar:
    left = [max(one.rest.value, 0.0) for one in broken]
    return go.Bar(
        x=left,
        y=list(range(len(broken))),
        orientation="h",
        width=BAR,
        name="unexplained",
        marker={
            "color": "rgba(138,148,163,0.25)",
            "line": {"color": AXIS, "width": 1},
            "pattern": {"shape": _REST, "fgcolor": AXIS, "bgcolor": "rgba(0,0,0,0)", "size": 7},
        },
        customdata=[_number(one.rest.value) or f"{one.rest.value:.1%}" for one in broken],
        hovertemplate="unexplained: %{customdata}<extra></extra>",
    )


def _number(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= NARROWEST else ""


def _told(part: PartShare) -> str:
    told = f"{100 * part.share.value:.1f} %, {significant_digits.figure(part.cost)}"
    if part.source != "measured":
        return f"{told}, {part.source}"
    if math.isfinite(part.share.low) and math.isfinite(part.share.high):
        return f"{told} ({100 * part.share.low:.1f} to {100 * part.share.high:.1f} %), n = {part.share.n}"
    return f"{told}, no interval"


def _told_apart(places: Sequence[Mapping[str, Level]]) -> list[str]:
    """Return the factors in which cells differ: what all share tells nobody where they are."""
    return [factor for factor in places[0] if len({str(at[factor]) for at in places}) > 1]
