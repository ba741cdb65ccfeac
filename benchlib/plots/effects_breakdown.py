"""What a whole is made of: a bar a cell, a piece a part, the unexplained rest hatched."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from benchlib.answers.effects import BreakdownAnswer
from benchlib.answers.grouping import label
from benchlib.effects.breakdown import Breakdown, PartShare
from benchlib.effects.cells import Level
from benchlib.plots.effects_marks import BAR, name_bars, whiskers
from benchlib.plots.style import AXIS, COLOURS, empty_figure, plain, scatter
from benchlib.statistics.estimates import Estimate
from benchlib.units import show

__all__ = ["breakdown_figure"]

#: More bars than this are a table.
MOST_BARS = 24
#: Hatchings of the parts: what greyscale readers tell them apart by. The rest has its own.
_HATCHINGS = ("", "/", "\\", ".", "+", "-", "|")
_REST = "x"
#: A piece narrower than this share of the bar has no room for its number.
NARROWEST = 0.07
#: Intervals stand this far below the bar and each other, in bars.
STEP = 0.09


def breakdown_figure(answer: BreakdownAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw the share of each part in each cell, and what no part explains; None without a cell.

    Where the parts exceed the whole, the bar passes 100 %. Whiskers are the intervals of shares that were
    measured; estimated and profiled shares are named so and have none.
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
        found = _intervals(broken, list(sources), number)
        if found is not None:
            figure.add_trace(found)
    apart = _told_apart([at for at, _ in cells])
    names = [label({factor: at[factor] for factor in apart}) or answer.whole for at, _ in cells]
    name_bars(
        figure,
        [f"{name}: {show(one.whole.value, one.whole.unit)}" for name, one in zip(names, broken, strict=True)],
        1.0,
    )
    furthest = max(1.0, *(sum(part.share.value for part in one.parts) for one in broken))
    figure.update_xaxes(tickformat=".0%", range=[0, furthest * 1.04], title=plain(f"share of {answer.whole}"))
    figure.update_yaxes(range=[len(cells) - 0.65 + STEP * len(sources), -0.85])
    # On a narrow screen the legend has a line for each part.
    figure.update_layout(height=figure.layout.height + 16 * len(sources))
    # A number that does not fit its piece is left to the table.
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"}, uniformtext={"minsize": 10, "mode": "hide"})
    return figure


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


def _intervals(broken: Sequence[Breakdown], names: Sequence[str], number: int) -> go.Scatter | None:
    """Draw the intervals of one part about the ends of its pieces, under them and clear of other parts."""
    places: list[float] = []
    ends: list[float] = []
    shares: list[Estimate] = []
    for place, one in enumerate(broken):
        before = {part.name: part for part in one.parts if part.name in names[: number + 1]}
        part = before.get(names[number])
        if part is not None and part.share.has_interval:
            places.append(place + 0.5 * BAR + STEP * (number + 1))
            ends.append(math.fsum(found.share.value for found in before.values()))
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
    told = f"{100 * part.share.value:.1f} %, {show(part.cost.value, part.cost.unit)}"
    if part.source != "measured":
        return f"{told}, {part.source}"
    if math.isfinite(part.share.low) and math.isfinite(part.share.high):
        return f"{told} ({100 * part.share.low:.1f} to {100 * part.share.high:.1f} %), n = {part.share.n}"
    return f"{told}, no interval"


def _told_apart(places: Sequence[Mapping[str, Level]]) -> list[str]:
    """Return the factors in which cells differ: what all share tells nobody where they are."""
    return [factor for factor in places[0] if len({str(at[factor]) for at in places}) > 1]
