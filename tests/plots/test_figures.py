"""Figures: what they draw, what they say of themselves, and what hostile names cannot do in them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.effects import EffectsAnswer
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.plots.effects import effects_figure
from benchlib.plots.scaling import scaling_figure
from benchlib.plots.scaling_checks import back_test_figure, residuals_figure
from benchlib.plots.scaling_laws import FORECAST, laws_figure
from benchlib.plots.scaling_time import split_figure
from benchlib.plots.style import INK, plain
from benchlib.report import sections
from benchlib.scaling.choose import residuals
from tests.shipped_studies import NAMES, study, summary
from tests.synthetic import SIX, make_table

ATTACK = "<img src=x onerror=alert(1)>"
WORDS = {"alt": "what it shows", "caption": "how to read it"}


def scaling(name: str) -> ScalingAnswer:
    """The scaling answer of a study that has one."""
    answer = summary(name).scaling
    assert isinstance(answer, ScalingAnswer)
    return answer


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every string in a figure, with the key it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, one in value.items():
            if name != "meta":  # alternative text and caption are the page's, and escaped there
                yield from texts(one, name)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one, key)


def check(figure: go.Figure) -> None:
    """What holds for every figure."""
    told = figure.to_plotly_json()
    assert set(told["layout"]["meta"]) == {"alt", "caption"}
    assert all(told["layout"]["meta"].values())
    assert figure.data
    for trace in figure.data:
        for values in (trace.x, trace.y):
            assert len(values) > 0
            assert all(math.isfinite(float(one)) for one in values)
        for error in (trace[name] for name in ("error_x", "error_y") if name in trace):
            for reach in (error.array, error.arrayminus):
                assert reach is None or all(math.isfinite(one) and one >= 0 for one in reach)
    for key, text in texts(told):
        harmless = r"<(?!br>|extra>|/extra>)" if key == "hovertemplate" else r"<(?!br>)"
        assert not re.search(harmless, text), (key, text)
    json.loads(figure.to_json())  # no NaN in it


def figures(of: Any) -> list[go.Figure]:
    """All figures of the page of a summary."""
    return [
        block
        for name in sections.__all__
        for block in getattr(sections, name)(of).blocks
        if isinstance(block, go.Figure)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_every_page_holds_together(name: str) -> None:
    """Finite axes, alternative text, caption, and no markup in any text."""
    drawn = figures(summary(name))
    assert drawn
    for one in drawn:
        check(one)


def test_measured_points_are_the_medians() -> None:
    """Nothing is smoothed, nothing left out."""
    answer = scaling("onix-adapter-published")
    figure = scaling_figure(answer, **WORDS)
    first = next(one for one in figure.data if str(one.name).endswith("measured"))
    assert list(first.x) == [1, 2, 4, 8, 16]
    assert list(first.y) == pytest.approx(list(answer.curves[0].curve.throughput))


def test_no_law_is_drawn_beyond_the_measured_levels() -> None:
    """A line past the data would be a forecast."""
    for name in ("onix-adapter-published", "reference"):
        answer = scaling(name)
        highest = max(float(one.curve.concurrency.max()) for one in answer.curves)
        for trace in scaling_figure(answer, **WORDS).data:
            assert max(trace.x) <= highest * (1 + 1e-9)


def test_an_effects_figure_shows_every_cell_and_crosses_those_set_apart() -> None:
    """Curves make two panels, bits two colours, inputs lines of one look; the 1-in-1-out cells are crosses."""
    answer = summary("token-sdk").effects
    assert isinstance(answer, EffectsAnswer)
    model = answer.models[0]
    figure = effects_figure(model, **WORDS)
    assert figure is not None
    check(figure)
    assert len([one for one in figure.layout if str(one).startswith("xaxis")]) == 2
    crosses = [one for one in figure.data if one.marker.symbol == "x-thin"]
    assert sum(len(one.x) for one in crosses) == len(model.fit.special_cells) == 4
    assert sum(len(one.x) for one in figure.data) == len(model.cells)
    shown = [one.name for one in figure.data if one.showlegend]
    assert shown == ["bits 32", "bits 64", "set apart"]


def test_hostile_names_are_text_in_every_figure(tmp_path: Path) -> None:
    """plotly reads a little HTML in any label: a name must not become a picture or a link."""
    rows: list[tuple[object, ...]] = []
    for benchmark in (ATTACK, "<a href='x'>b</a>"):
        for kind, factor in (("a", 1.0), (ATTACK, 1.5)):
            for workers in (1, 2, 4, 8):
                for repeat in SIX:
                    rate = 900 * workers / (1 + 0.1 * (workers - 1)) * repeat * factor
                    rows.append((benchmark, kind, workers, 32, "throughput", rate, "req/s"))
                    rows += [
                        (benchmark, kind, workers, bits, "time", bits * workers * factor * repeat, "us/op")
                        for bits in (32, 64)
                    ]
    definition = """
[scaling]
concurrency = "workers"
[effects]
factors = ["bits", "workers", "kind"]
metrics = ["time"]
by = ["benchmark"]
[[compare]]
name = "kinds"
column = "kind"
baseline = "a"
"""
    made = benchlib.executive_summary(
        make_table(tmp_path, "benchmark kind workers bits metric value unit", rows, definition)
    )
    drawn = figures(made)
    assert len(drawn) == 5
    for one in drawn:
        check(one)
    # Long names are cut in the middle.
    assert sum(plain(ATTACK[:10]) in json.dumps(one.to_plotly_json(), default=str) for one in drawn) == 5


# Figures of one scaling curve: laws, time, residuals and forecasts, and what none of them may draw


STUDIES = ("reference", "onix-adapter-published", "http-endpoints")


@cache
def answer(name: str, extrapolate: str = "") -> ScalingAnswer:
    """The scaling answer of a study in data/."""
    found = benchlib.fit_scaling(study(name), extrapolate=extrapolate)
    assert isinstance(found, ScalingAnswer)
    return found


def drawn(one: CurveAnswer, cores: int | None = None) -> list[go.Figure]:
    """Every figure of one curve."""
    made = [laws_figure(one, cores=cores, **WORDS), split_figure(one, unit="sec", **WORDS)]
    if one.chosen is not None:
        made.append(residuals_figure(one, residuals(one.curve, one.chosen), **WORDS))
    made += [back_test_figure(one, tested, **WORDS) for tested in one.back_tests]
    return [figure for figure in made if figure is not None]


@pytest.mark.parametrize("name", STUDIES)
def test_every_figure_of_a_curve_holds_together(name: str) -> None:
    """Finite axes, alternative text, caption, and no markup in any text."""
    for one in answer(name).curves:
        figures = drawn(one, answer(name).cores)
        assert len(figures) >= 3
        for figure in figures:
            check(figure)


@pytest.mark.parametrize("name", STUDIES)
def test_nothing_is_drawn_beyond_the_data_that_was_not_asked_for(name: str) -> None:
    """A line past the largest level would be a forecast."""
    for one in answer(name).curves:
        figure = laws_figure(one, cores=None, **WORDS)
        assert max(max(trace.x) for trace in figure.data) <= one.curve.concurrency.max() * (1 + 1e-9)
        assert not figure.layout.shapes


def test_what_was_asked_for_beyond_the_data_is_grey_and_apart() -> None:
    """Grey ground and grey marks from the last level on, no line between them; the laws still end where the data do."""
    one = answer("reference", "432,864").curves[0]
    figure = laws_figure(one, cores=None, **WORDS)
    check(figure)
    (ground,) = figure.layout.shapes
    assert (ground.x0, ground.x1) == (216, 864)
    (ahead,) = (trace for trace in figure.data if max(trace.x) > 216 * (1 + 1e-9))
    assert "not measured" in str(ahead.name)
    assert ahead.mode == "markers"
    assert list(ahead.x) == [432, 864]
    assert ahead.marker.color == FORECAST
    assert all(width > 0 for width in (*ahead.error_y.array, *ahead.error_y.arrayminus))


@pytest.mark.parametrize("name", STUDIES)
def test_the_bars_of_the_time_are_whole(name: str) -> None:
    """Shares sum to one at each level, and each part has a hatching of its own but work."""
    for one in answer(name).curves:
        figure = split_figure(one, unit="sec", **WORDS)
        assert figure is not None
        assert sum(np.asarray(trace.y) for trace in figure.data) == pytest.approx(np.ones(len(one.split)))
        assert [trace.name for trace in figure.data] == [part.replace("_", " ") for part in one.split[0].parts]
        hatchings = [trace.marker.pattern.shape for trace in figure.data]
        assert len(set(hatchings)) == len(hatchings)


def test_hostile_names_are_text_in_every_figure_of_a_curve(tmp_path: Path) -> None:
    """The name of a benchmark or an axis cannot become markup."""
    rows = [
        (ATTACK, workers, "throughput", 900 * workers / (1 + 0.1 * (workers - 1)) * repeat, "req/s")
        for workers in (1, 2, 4, 8, 16)
        for repeat in SIX
    ]
    made = make_table(tmp_path, "benchmark workers metric value unit", rows, '[scaling]\nconcurrency = "workers"\n')
    found = benchlib.fit_scaling(made)
    assert isinstance(found, ScalingAnswer)
    for figure in drawn(found.curves[0]):
        check(figure)


@pytest.mark.parametrize("name", STUDIES)
def test_no_mark_is_black_on_a_dark_page(name: str) -> None:
    """Black is drawn as the ink of the page, which its style sheet makes light in dark mode."""
    css = (Path(__file__).parents[2] / "benchlib/report/page/templates/page.css").read_text(encoding="utf-8")
    assert f"--ink: {INK};" in css
    red, green, blue = (int(INK[place : place + 2], 16) for place in (1, 3, 5))
    for kind in ("fill", "stroke"):
        assert f'.plot [style*="{kind}: rgb({red}, {green}, {blue})"] {{ {kind}: var(--ink) !important; }}' in css
    for one in answer(name).curves:
        for figure in drawn(one):
            assert not {"#000000", "black", "#000"} & set(re.findall(r"#[0-9A-Fa-f]+|black", str(figure.to_json())))
