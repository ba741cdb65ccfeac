"""Charts as static pictures: everything of a figure is there, in its place, and nothing that loads or runs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from benchlib.document.blocks import Figure, Panel
from benchlib.document.numbers import words_of
from benchlib.errors import DataError
from benchlib.figures.style import chart, contrast
from benchlib.render.panels import Theme, one_chart
from benchlib.render.svg import axes_of, lines_of, svg
from tests.comparison_answers import ATTACK
from tests.shipped_studies import NAMES, document

POINTS = {"x": [1, 2, 4], "y": [10.0, 19.0, 30.0]}
LOG = {"type": "log", "tickvals": [1, 2, 4], "ticktext": ["1", "2", "4"]}


def figures(part: object) -> Iterator[Figure]:
    """Yield every figure of a document."""
    if isinstance(part, Figure):
        yield part
    elif isinstance(part, tuple):
        for inner in part:
            yield from figures(inner)
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from figures(getattr(part, name))


def drawn(*traces: dict[str, Any], alt: str = "words", **asked: Any) -> ElementTree.Element:
    """Draw traces in one panel, and read the picture."""
    block = Figure(finding=("Finding",), panels=(Panel(chart=chart(traces, **asked)),), alt=alt)
    return ElementTree.fromstring(svg(one_chart(block), alt=alt))


def words(picture: ElementTree.Element) -> list[str]:
    """Return the labels of a picture."""
    return ["".join(label.itertext()) for label in picture.iter("{http://www.w3.org/2000/svg}text")]


def tags(picture: ElementTree.Element) -> list[str]:
    """Return the names of the elements."""
    return [one.tag.removeprefix("{http://www.w3.org/2000/svg}") for one in picture.iter()]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_a_study_is_drawn_whole(name: str) -> None:
    """Well-formed, alone, small; every label is there; words stand out from the plate in both themes."""
    shown = list(figures(document(name)))
    assert shown
    for figure in shown:
        for theme in ("light", "dark"):
            check_picture(figure, theme)


def check_picture(figure: Figure, theme: Theme) -> None:
    """Hold a picture of a figure to what every picture owes its reader."""
    whole = one_chart(figure, theme)
    picture = svg(whole, alt=figure.alt)
    assert len(picture) < 20_000
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img"
    assert root.get("aria-label") == figure.alt
    assert set(tags(root)) <= {"svg", "title", "rect", "path", "g", "circle", "text", "tspan"}
    assert not re.search(r"href|url\(|\bon\w+=|style=", picture)
    seen_words = " ".join(words(root))
    for mark in whole["layout"]["annotations"]:
        assert all(line in seen_words for line in lines_of(mark["text"])), mark["text"]
    for line in words_of(figure.finding).split():
        assert line in seen_words
    plate = whole["layout"]["paper_bgcolor"]
    for label in root.iter("{http://www.w3.org/2000/svg}text"):
        assert contrast(str(label.get("fill")), plate) >= 4.5, "".join(label.itertext())


CASES: dict[str, tuple[list[dict[str, Any]], dict[str, Any], dict[str, int], list[str]]] = {
    # name: traces, axes, elements, labels
    "points": ([{**POINTS, "mode": "markers"}], {"xaxis": LOG}, {"circle": 3}, ["1", "2", "4"]),
    "points and what they are called": (
        [{**POINTS, "mode": "markers+text", "text": ["a", "", "&lt;c&gt;"], "textposition": "top center"}],
        {},
        {"circle": 3},
        ["a", "<c>"],
    ),
    "bars side by side": (
        [
            {"type": "bar", "x": ["u", "v"], "y": [1, 2], "text": ["one", "two"], "textposition": "outside"},
            {"type": "bar", "x": ["u", "v"], "y": [3, None]},
        ],
        {},
        {"rect": 4},  # the plate is one
        ["u", "v", "one", "two"],
    ),
    "cells with their numbers": (
        [{"type": "heatmap", "z": [[1, 2], [3, None]], "x": ["a", "b"], "y": ["c", "d"], "texttemplate": "%{z}"}],
        {},
        {"rect": 33},  # the scale of colours
        ["a", "b", "c", "d", "1", "2", "3"],
    ),
    "an axis by a format": (
        [{**POINTS, "mode": "lines"}],
        {"yaxis": {"tickformat": ".0%", "range": [0, 1]}, "xaxis": {"title": {"text": "threads"}}},
        {"circle": 0},
        ["0%", "100%", "threads"],
    ),
    "a legend": (
        [{**POINTS, "mode": "lines", "name": "law &amp; order", "showlegend": True}],
        {},
        {"circle": 0},
        ["law & order"],
    ),
    "nothing at all": ([{"mode": "lines", "x": [], "y": []}], {}, {"circle": 0}, ["Finding"]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_charts_use_is_drawn(name: str) -> None:
    """Each kind of trace and axis, by its marks and its words."""
    traces, asked, elements, labels = CASES[name]
    picture = drawn(*traces, **asked)
    assert {kind: tags(picture).count(kind) for kind in elements} == elements
    assert set(labels) <= set(words(picture))


def test_a_mark_lies_where_its_axis_says() -> None:
    """A point, its error bar, and a shape at one value share a place; a gap of a line stays one."""
    line = {"type": "line", "x0": 2, "x1": 2, "y0": 10, "y1": 30}
    trace = {"x": [1, 2, None, 8], "y": [10, 20, None, 40], "mode": "lines+markers", "error_y": {"array": [5] * 4}}
    axes = {"xaxis": {"type": "log", "range": [0, 1]}, "yaxis": {"range": [0, 50]}}
    block = Figure(finding=(), panels=(Panel(chart=chart([trace], shapes=[line], **axes)),), alt="")
    whole = one_chart(block)
    margin, layout = whole["layout"]["margin"], whole["layout"]
    placed = axes_of(whole, (margin["l"], margin["t"], 720 - margin["r"], layout["height"] - margin["b"]))
    x, y = placed["x"].place(2), placed["y"].place(20)
    assert math.isclose((x - placed["x"].place(1)) / (placed["x"].place(10) - placed["x"].place(1)), math.log10(2))
    picture = ElementTree.fromstring(svg(whole, alt=""))
    dots = [
        (float(dot.get("cx", 0)), float(dot.get("cy", 0))) for dot in picture.iter("{http://www.w3.org/2000/svg}circle")
    ]
    assert any(math.isclose(a, x, abs_tol=0.06) and math.isclose(b, y, abs_tol=0.06) for a, b in dots)
    paths = " ".join(str(path.get("d")) for path in picture.iter("{http://www.w3.org/2000/svg}path"))
    starts = [float(start) for start in re.findall(r"M([\d.]+) ", paths)]
    assert sum(math.isclose(start, x, abs_tol=0.06) for start in starts) == 2  # the bar and the shape
    assert len(re.findall(r"M[^M]*L[^M]*", paths)) == 2  # one stretch of the line, and the shape


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ({"range": [0, 10]}, ["0", "2", "4", "6", "8", "10"]),
        ({"range": [0, 1.2], "nticks": 4}, ["0.0", "0.5", "1.0"]),
        ({"range": [-2e4, 2e4], "nticks": 5}, ["−20,000", "−10,000", "0", "10,000", "20,000"]),
        ({"range": [0, 9e4], "tickformat": "~s", "nticks": 4, "ticksuffix": "/s"}, ["0/s", "50k/s"]),
        ({"range": [0, 3e-9], "nticks": 4}, ["0", "1n", "2n", "3n"]),
        ({"type": "log", "range": [-3, 0]}, ["0.001", "0.01", "0.1", "1"]),
        ({"type": "log", "range": [0, 1]}, ["1", "2", "5", "10"]),
        ({"type": "log", "range": [3.001, 3.01], "nticks": 5}, ["1,005", "1,010", "1,015", "1,020"]),
    ],
)
def test_ticks_are_round_numbers(axis: dict[str, Any], expected: list[str]) -> None:
    """1, 2 or 5 times a power of ten, with the digits that their step needs."""
    ends = (axes_of({"data": [], "layout": {"xaxis": axis}}, (0, 0, 400, 100)))["x"].ticks
    assert [name for _, name in ends] == expected


def test_names_stay_words() -> None:
    """plotly reads HTML in every label, and SVG reads XML."""
    label = {"text": ATTACK, "x": 1, "y": 10, "showarrow": False}
    name = {"name": ATTACK, "showlegend": True, "text": [ATTACK] * 3, "mode": "markers+text"}
    picture = drawn({**POINTS, **name}, alt=ATTACK, marks=[label], xaxis={"title": {"text": ATTACK}})
    assert set(tags(picture)) <= {"svg", "title", "rect", "path", "g", "circle", "text", "tspan"}
    colour = {"color": '"/><script>', "size": 3}
    assert "script" not in tags(drawn({**POINTS, "mode": "markers", "marker": colour}))


def test_a_picture_is_bounded() -> None:
    """A hundred thousand points are a picture of as many marks as one can tell apart."""
    many = list(range(100_000))
    wave = [math.sin(place / 500) for place in many]
    block = Figure(
        finding=(),
        panels=(Panel(chart=chart([{"x": many, "y": wave, "mode": mode} for mode in ("markers", "lines")])),),
        alt="x" * 100_000,
    )
    picture = svg(one_chart(block), alt=block.alt)
    assert len(picture) < 150_000
    assert len(svg(one_chart(block), alt=block.alt, most_marks=100)) < 12_000
    ys = [float(y) for y in re.findall(r'cy="([\d.]+)"', picture)]
    assert len(ys) > 500
    assert max(ys) - min(ys) > 150, "thinned, not cut"


def test_a_kind_that_is_not_drawn_is_named() -> None:
    """Half a picture would be a lie."""
    with pytest.raises(DataError, match="a trace of type 'violin' cannot be drawn as a picture; use scatter, bar"):
        drawn({"type": "violin", "x": [1], "y": [1]})
