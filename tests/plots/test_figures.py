"""Figures: what they draw, what they say of themselves, and what hostile names cannot do in them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.effects import EffectsAnswer
from benchlib.answers.scaling import ScalingAnswer
from benchlib.plots.effects import effects_figure
from benchlib.plots.scaling import scaling_figure
from benchlib.plots.style import plain
from benchlib.report import sections
from tests.shipped_studies import NAMES, summary
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
