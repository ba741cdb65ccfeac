"""Every value against its place in the recording, relative to its row: a machine that drifts is seen as a slope.

Only of rows whose repeats are spread over the recording. `go test -count=10` takes the ten of a row one right after
the other: over their own median they are level whatever the machine did from row to row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from benchlib.answers.comparison import COUNTS, ComparisonAnswer, ComparisonRow
from benchlib.plots.comparison_marks import BAND, ratio_axis, thinned
from benchlib.plots.style import AXIS, COLOURS, INK, empty_figure, plain, scatter

__all__ = ["positions_figure", "positions_rows", "repeats_adjacent"]

#: Rows of which every value is drawn; of more, so many evenly spread over the recording.
MOST_ROWS = 120
#: A running median over this share of a side's values, and of no fewer than these.
WINDOW_SHARE = 0.06
LEAST_WINDOW = 9
#: A row whose values lie within less than this share of the recording was repeated on the spot.
SPREAD = 0.5
#: Baseline, candidate: colour of values and of their running median, mark.
_LOOKS = ((AXIS, INK, "circle"), (COLOURS[5], COLOURS[0], "diamond"))
#: Between two recordings, as a share of both.
_GAP = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    name: str
    place: NDArray[np.float64]
    relative: NDArray[np.float64]
    control: NDArray[np.bool_]


def positions_rows(answer: ComparisonAnswer) -> list[ComparisonRow]:
    """Return the rows drawn: of the first pair, in the first metric that the machine moves, repeated in rounds."""
    rows = _repeated(answer)
    return thinned(rows, MOST_ROWS) if rows and _spread(rows) else []


def repeats_adjacent(answer: ComparisonAnswer) -> bool:
    """Whether rows were repeated, but each of them on the spot, so that no drift between them can be seen."""
    rows = _repeated(answer)
    return bool(rows) and not _spread(rows)


def _spread(rows: Sequence[ComparisonRow]) -> bool:
    """Whether the values of the row in the middle are spread over the recording, on both sides."""
    return all(
        _reach([place for row in places for place in row]) * SPREAD <= float(np.median([_reach(row) for row in places]))
        for places in ([row.baseline_positions for row in rows], [row.candidate_positions for row in rows])
    )


def _reach(places: Sequence[int]) -> int:
    return max(places) - min(places)


def _repeated(answer: ComparisonAnswer) -> list[ComparisonRow]:
    rows = [
        row
        for row in answer.rows
        if row.metric not in COUNTS
        and row.comparison.baseline.median.value > 0
        and min(len(row.baseline_values), len(row.candidate_values)) > 1
    ]
    first = rows[0] if rows else None
    same = [
        row
        for row in rows
        if first is not None
        and (row.metric, row.baseline, row.candidate) == (first.metric, first.baseline, first.candidate)
    ]
    same.sort(key=lambda row: row.baseline_positions[0])
    return same


def positions_figure(answer: ComparisonAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw every value over the baseline's median of its row, in the order of recording.

    None where no rows were repeated in rounds. Two recordings stand one behind the other; one that holds both sides
    is drawn as it ran.
    """
    rows = positions_rows(answer)
    if not rows:
        return None
    figure = empty_figure(alt=alt, caption=caption, height=400)
    sides = _sides(rows)
    apart = _recorded_apart(answer, rows[0])
    if apart:
        # Each recording from its own start: nothing says what lay between them.
        for side in sides:
            side.place[:] -= side.place.min()
        end = sides[0].place.max()
        start = end + max(_GAP * (end + sides[1].place.max()), 1)
        sides[1].place[:] += start
        figure.add_vline(x=(end + start) / 2, line={"color": AXIS, "width": 1, "dash": "dot"})
    marks = []
    for (colour, line, symbol), side in zip(_LOOKS, sides, strict=True):
        marks += [*_draw(figure, side, colour, line, symbol)]
    figure.add_hline(y=1, line={"color": AXIS, "width": 1}, layer="below")
    if answer.min_effect > 0:
        figure.add_hrect(
            y0=1 - answer.min_effect, y1=1 + answer.min_effect, fillcolor=BAND, line={"width": 0}, layer="below"
        )
    title = "place in the recording"
    if apart:
        title = f"place in the recording: {plain(rows[0].baseline)}, then {plain(rows[0].candidate)}"
        if answer.order == "unknown":
            title = f"place in each recording: {plain(rows[0].baseline)} left, {plain(rows[0].candidate)} right"
    figure.update_layout(legend={"itemsizing": "constant"})
    figure.update_xaxes(title=title, showticklabels=not apart, showgrid=not apart)
    figure.update_yaxes(**ratio_axis(marks, (), "value / baseline's median"))
    return figure


def _sides(rows: Sequence[ComparisonRow]) -> tuple[_Side, _Side]:
    first, second = rows[0].baseline, rows[0].candidate
    return (
        _side(first, rows, [(row.baseline_values, row.baseline_positions) for row in rows]),
        _side(second, rows, [(row.candidate_values, row.candidate_positions) for row in rows]),
    )


def _side(name: str, rows: Sequence[ComparisonRow], recorded: Sequence[tuple[Sequence[float], Sequence[int]]]) -> _Side:
    place = np.concatenate([np.asarray(places, dtype=float) for _, places in recorded])
    relative = np.concatenate(
        [
            np.asarray(values, dtype=float) / row.comparison.baseline.median.value
            for row, (values, _) in zip(rows, recorded, strict=True)
        ]
    )
    control = np.repeat([row.control for row in rows], [len(values) for values, _ in recorded])
    order = np.argsort(place, kind="stable")
    # A logarithmic axis has no room for what took no time.
    order = order[relative[order] > 0]
    return _Side(name=name, place=place[order], relative=relative[order], control=control[order])


def _recorded_apart(answer: ComparisonAnswer, row: ComparisonRow) -> bool:
    """Whether the places of the two sides are of two recordings."""
    files = {side.name: set(side.files) for side in answer.sides}
    return files.get(row.baseline, set()).isdisjoint(files.get(row.candidate, set()))


def _draw(figure: go.Figure, side: _Side, colour: str, line: str, symbol: str) -> Iterator[float]:
    """Draw the values of a side and their running median; return what the axis must hold."""
    for control in (False, True):
        chosen = side.control == control
        if chosen.any():
            figure.add_trace(
                scatter(
                    x=side.place[chosen].tolist(),
                    y=side.relative[chosen].tolist(),
                    mode="markers",
                    marker={
                        "color": colour,
                        "symbol": f"{symbol}-open" if control else symbol,
                        "size": 4,
                        "opacity": 0.6,
                    },
                    name=plain(f"{side.name}, controls" if control else side.name),
                    hovertemplate="%{y:.2f}x<extra></extra>",
                )
            )
    window = max(LEAST_WINDOW, round(WINDOW_SHARE * side.place.size)) | 1
    if side.place.size >= 2 * window:
        middle = np.median(np.lib.stride_tricks.sliding_window_view(side.relative, window), axis=1)
        inner = slice(window // 2, side.place.size - window // 2)
        figure.add_trace(
            scatter(
                x=side.place[inner].tolist(),
                y=middle.tolist(),
                mode="lines",
                line={"color": line, "width": 3},
                name=plain(f"running median, {side.name}"),
                hoverinfo="skip",
            )
        )
    # All but the furthest 1 in 100 at either end: one stall must not flatten the rest.
    yield from np.quantile(side.relative, (0.01, 0.99)).tolist()
