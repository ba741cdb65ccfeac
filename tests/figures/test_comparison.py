"""Charts of comparisons: middles where they are, labels that do not cover each other, names that stay words."""

from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from benchlib.document.blocks import Number
from benchlib.figures.comparison import Dot, Line, Strip, forest, slope, strips
from benchlib.figures.style import BAD
from tests.comparison_answers import ATTACK

LATENCIES = st.lists(st.floats(1e-4, 1e2), min_size=6, max_size=6)


def test_a_strip_marks_its_middle() -> None:
    """The thick line and the label stand at the middle given; ticks are named, and 1 is always among them."""
    dots = [Dot(ratio, "a") for ratio in (0.6, 1.2, 2.5)]
    chart = strips([Strip("Could be affected", dots, 1.2, "median 1.2 times")], "time, new ÷ old")
    (thick,) = (shape for shape in chart["layout"]["shapes"] if shape["line"]["width"] == 3)
    assert thick["x0"] == thick["x1"] == 1.2
    label = next(mark for mark in chart["layout"]["annotations"] if mark["text"] == "median 1.2 times")
    assert math.isclose(label["x"], math.log10(1.2))
    assert "same" in chart["layout"]["xaxis"]["ticktext"]


@given(values=LATENCIES)
def test_labels_of_slopes_do_not_cover_each_other(values: list[float]) -> None:
    """Three lines whose ends may coincide: their labels are a line of text apart at each place."""
    names = ("Redis", "marshal", "cache")
    sides = [
        Line(name, [Number(value=value, unit="sec") for value in values[place::3]]) for place, name in enumerate(names)
    ]
    chart = slope(sides, ["direct", "gateway"])
    low, high = chart["layout"]["yaxis"]["range"]
    px = (chart["layout"]["height"] - 42) / (high - low)
    for place in (0, 1):
        heights = sorted(
            mark["y"] for mark in chart["layout"]["annotations"] if mark["x"] == place and mark.get("yref") != "paper"
        )
        assert all((above - below) * px >= 14.9 for below, above in pairwise(heights))


def test_a_forest_fills_what_is_decided() -> None:
    """Rings are undecided; without an interval there is no bar."""
    chart = forest(["a", "b"], [Dot(1.3, "a", 1.2, 1.4, sure=True, worse=True), Dot(0.9, "b", -math.inf, math.inf)])
    bars, points = chart["data"]
    assert points["marker"]["symbol"] == ["circle", "circle-open"]
    assert points["marker"]["color"][0] == BAD
    assert bars["x"] == [1.2, 1.4, None]


def test_names_stay_words() -> None:
    """plotly reads HTML in every label."""
    numbers = [Number(value=1.0, unit="sec"), Number(value=2.0, unit="sec")]
    charts = [
        strips([Strip(ATTACK, [Dot(1.5, ATTACK)], 1.5, ATTACK)], ATTACK),
        slope([Line(ATTACK, numbers)], [ATTACK, ATTACK]),
        forest([ATTACK], [Dot(1.5, ATTACK)]),
    ]
    assert "<img" not in str(charts)
