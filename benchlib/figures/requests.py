"""Requests of each second against time: what was answered, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchlib.figures.style import BAD, COLOURS, Mark, chart

__all__ = ["by_second"]

#: More points than these are averaged.
_MOST_POINTS = 120


def by_second(seconds: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    """Draw requests a second, from the first to the last; seconds without any count as none."""
    first, last = seconds[0][0], seconds[-1][0]
    width = max(1, -(-(last - first + 1) // _MOST_POINTS))
    bins = (last - first) // width + 1
    sums = [[0.0] * bins, [0.0] * bins]
    for second, succeeded, failed in seconds:
        place = (second - first) // width
        sums[0][place] += succeeded / width
        sums[1][place] += failed / width
    places = [float(place * width) for place in range(bins)]
    drawn = [(sums[0], COLOURS[0], "succeeded")] + ([(sums[1], BAD, "failed")] if any(sums[1]) else [])
    traces: list[Mark] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": places,
            "y": values,
            "line": {"color": colour, "width": 1.5},
            "hovertemplate": f"%{{y:.3g}} req/s {word} at %{{x}} s<extra></extra>",
        }
        for values, colour, word in drawn
    ]
    grid = {"rangemode": "tozero", "showgrid": True, "gridcolor": "rgba(138, 148, 163, 0.25)"}
    return chart(traces, xaxis={"ticksuffix": " s"}, yaxis=grid, margin={"l": 44})
