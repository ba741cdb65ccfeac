"""Figures of comparisons: what each draws, in which order, and what none of them may draw."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.plots.comparison import drawn_rows, forest_figure
from benchlib.plots.comparison_marks import (
    MOST_ROWS,
)
from benchlib.plots.comparison_pairs import pairs_figure
from benchlib.plots.comparison_percentiles import percentile_rows, percentiles_figure
from benchlib.plots.comparison_positions import positions_figure
from tests.comparison_answers import (
    controlled,
    decided,
    drifted,
    few,
    hostile,
    large,
)
from tests.plots.test_figures import WORDS, check
from tests.shipped_studies import study

Draw = Callable[..., go.Figure | None]
DRAWN: tuple[Draw, ...] = (forest_figure, pairs_figure, positions_figure, percentiles_figure)
MADE = (decided, few, drifted, controlled, hostile, large)


@cache
def shipped(name: str, number: int = 0) -> ComparisonAnswer:
    """A comparison of a study in data/."""
    answer = benchlib.compare_study(study(name))[number]
    assert isinstance(answer, ComparisonAnswer)
    return answer


def ratios(answer: ComparisonAnswer) -> list[float]:
    """Those that the forest plot draws, from above."""
    return [row.comparison.ratio.value for row in drawn_rows(answer)]


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_every_figure_holds_together(make: Callable[[], ComparisonAnswer]) -> None:
    """Finite axes, alternative text, caption, and no markup in any text."""
    for draw in DRAWN:
        figure = draw(make(), **WORDS)
        if figure is not None:
            check(figure)


@pytest.mark.parametrize(("name", "number"), [("lplex", 0), ("heavy-read-api-published", 0), ("token-sdk", 1)])
def test_every_figure_of_a_shipped_study_holds_together(name: str, number: int) -> None:
    """So do those of real results, with all their gaps."""
    for draw in DRAWN:
        figure = draw(shipped(name, number), **WORDS)
        if figure is not None:
            check(figure)


# which rows


def test_of_a_large_comparison_what_moved_furthest_is_drawn() -> None:
    """Of 186 rows 40, one metric, and no row left out that lies further from 1 than one drawn beside it."""
    answer = shipped("lplex")
    rows = drawn_rows(answer)
    assert len(rows) == MOST_ROWS < len(answer.rows)
    assert {row.metric for row in rows} == {"time"}
    for control in (False, True):
        far = [abs(math.log(row.comparison.ratio.value)) for row in rows if row.control is control]
        others = [row for row in answer.rows if row.metric == "time" and row.control is control and row not in rows]
        assert far
        assert min(far) >= max(abs(math.log(row.comparison.ratio.value)) for row in others)


# forest


def test_a_forest_has_a_mark_for_every_row_at_its_ratio() -> None:
    """Each row once, in its verdict's colour and shape; two rows or more share a lane nowhere."""
    answer = decided()
    figure = forest_figure(answer, **WORDS)
    drawn = {place: ratio for trace in figure.data for place, ratio in zip(trace.y, trace.x, strict=True)}
    assert [drawn[place] for place in sorted(drawn)] == ratios(answer)
    assert sum(len(trace.y) for trace in figure.data) == len(drawn)
    looks = {(trace.name, trace.marker.color, trace.marker.symbol) for trace in figure.data}
    assert {name for name, _, _ in looks} == {"better", "worse", "same", "cannot tell"}
    assert len({symbol for _, _, symbol in looks}) == len({colour for _, colour, _ in looks}) == 4


# pairs


# positions


# percentiles


def test_repeats_on_the_spot_show_no_drift_and_are_not_drawn() -> None:
    """`go test -count=10` takes the ten of a row in one go: over their own median they are level on any machine."""
    for answer in (drifted(), shipped("lplex")):
        assert positions_figure(answer, **WORDS) is None


def test_percentiles_stand_in_order_of_their_share() -> None:
    """p50, p99, max, a line for each gateway and pair."""
    answer = shipped("heavy-read-api-published")
    figure = percentiles_figure(answer, **WORDS)
    assert figure is not None
    assert list(figure.layout.xaxis.ticktext) == ["p50", "p99", "max"]
    assert len(figure.data) == len(percentile_rows(answer)) == 4
    (line,) = (one for one in figure.data if one.name == "gateway apisix · post / post-redis")
    assert list(line.x) == [0, 1, 2]
    assert list(line.y) == pytest.approx([8.3 / 9.57, 45.02 / 44.98, 146.7 / 120.49])
