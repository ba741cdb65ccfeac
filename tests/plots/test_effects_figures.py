"""Figures of effects: ratios, cells, cost models and parts, and what none of them may draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.effects import BreakdownAnswer, EffectModel, EffectsAnswer
from benchlib.answers.evidence import Evidence
from benchlib.effects.breakdown import break_down
from benchlib.plots.effects import effects_figure
from benchlib.plots.effects_bars import MOST_BARS, ratios_figure
from benchlib.plots.effects_breakdown import breakdown_figure
from benchlib.plots.effects_cells import cells_figure
from benchlib.plots.effects_curves import curves_figure
from benchlib.plots.effects_marks import MOST_CELLS, told
from benchlib.plots.effects_models import predicted_figure
from benchlib.statistics.estimates import point
from tests.plots.test_figures import ATTACK, WORDS, check
from tests.shipped_studies import effects
from tests.synthetic import SIX, make_table

OF_A_MODEL = (effects_figure, cells_figure, ratios_figure, predicted_figure, curves_figure)
HEADS = "benchmark bits outputs kind metric value unit"
PLAN = '[effects]\nfactors = ["bits", "outputs", "kind"]\nmetrics = ["time"]\nby = ["benchmark"]\n'
NOWHERE = Evidence(rows=(), formula="made up for a figure")


@cache
def answer(name: str, predict: str = "") -> EffectsAnswer:
    """The effects answer of a study in data/."""
    return effects(name, predict=(predict,) if predict else ())


def made(folder: Path, rows: Sequence[Sequence[object]], **asked: object) -> EffectsAnswer:
    """The effects answer of a table made up for a test."""
    found = benchlib.analyse_effects(make_table(folder, HEADS, rows, PLAN), **asked)  # type: ignore[arg-type]
    assert isinstance(found, EffectsAnswer)
    return found


def grid(name: str = "B", kinds: Sequence[str] = ("a", "b"), gap: bool = False) -> list[tuple[object, ...]]:
    """Costs of 2 ms and 5 ms an output, twice that at 64 bits, half as much again for each further kind."""
    return [
        (name, bits, outputs, kind, "time", (2 + 5 * outputs) * bits / 32 * 1.5**place * repeat, "ms/op")
        for place, kind in enumerate(kinds)
        for bits in (32, 64)
        for outputs in (1, 2, 4, 8)
        for repeat in SIX
        if not (gap and bits == 64 and outputs == 8)
    ]


def figures_of(model: EffectModel) -> list[go.Figure]:
    """Every figure of one group."""
    return [found for draw in OF_A_MODEL if (found := draw(model, **WORDS)) is not None]


def named(figure: go.Figure, name: str) -> list[object]:
    """The traces of a name."""
    return [one for one in figure.data if one.name == name]


@pytest.mark.parametrize("name", ["token-sdk", "lplex"])
def test_every_figure_of_a_group_holds_together(name: str) -> None:
    """Finite axes, alternative text, caption, and no markup in any text."""
    for model in answer(name).models[:4]:
        drawn = figures_of(model)
        assert len(drawn) == len(OF_A_MODEL)
        for figure in drawn:
            check(figure)


def test_too_many_cells_are_left_to_the_tables() -> None:
    """A cloud of marks says nothing."""
    model = answer("token-sdk").models[0]
    many = replace(model, table=replace(model.table, cells=model.cells * (MOST_CELLS // len(model.cells) + 1)))
    assert effects_figure(many, **WORDS) is None
    assert predicted_figure(many, **WORDS) is None
    assert curves_figure(many, **WORDS) is None


def test_each_cell_of_the_grid_is_its_median() -> None:
    """Thirty-six cells in the unit of the caption, coloured by their logarithms, special ones outlined."""
    model = answer("token-sdk").models[0]
    figure = cells_figure(model, **WORDS)
    assert figure is not None
    shades = {
        text: int(colour[1:3], 16)
        for trace in figure.data
        for text, colour in zip(trace.hovertext, trace.marker.color, strict=True)
    }
    assert len(shades) == len(model.cells) == 36
    by_size = [shades[told(cell)] for cell in sorted(model.cells, key=lambda cell: cell.median.value)]
    assert by_size == sorted(by_size, reverse=True), "darker is more"
    assert "33.9" in [text for trace in figure.data for text in trace.text]
    assert len(figure.layout.shapes) == len(model.fit.special_cells) == 4
    special = {tuple(one.levels.items()) for one in model.fit.special_cells}
    usual = [shades[told(cell)] for cell in model.cells if tuple(cell.levels.items()) not in special]
    assert (max(usual), min(usual)) == (0xF2, 0x5F), "a cell set apart must not take the colours from the others"


def test_an_interval_without_end_does_not_stretch_the_axis(tmp_path: Path) -> None:
    """A ratio measured once has no whisker; one bounded nowhere near it is cut."""
    rows = [row for row in grid() if row[5] in [one[5] for one in grid()][::6]]
    model = made(tmp_path, rows).models[0]
    wide = replace(model.fit.ratios[0], estimate=replace(model.fit.ratios[0].estimate, low=1e-9, high=1e9))
    figure = ratios_figure(replace(model, fit=replace(model.fit, ratios=(wide,))), **WORDS)
    assert figure is not None
    check(figure)
    low, high = figure.layout.xaxis.range
    assert 10 ** (high - low) < 1e5
    unbounded = replace(wide, estimate=point(2.0, "x", 1, "once"))
    figure = ratios_figure(replace(model, fit=replace(model.fit, ratios=(unbounded,) * 40)), **WORDS)
    assert figure is not None
    check(figure)
    assert len(figure.layout.annotations) == MOST_BARS


def broken() -> BreakdownAnswer:
    """A whole in two cells: a measured and an estimated part, which exceed the whole in the second."""
    cells = tuple(
        (
            {"bits": bits, "curve": "BN254"},
            break_down(
                [100 * one for one in SIX],
                {"proof": [share * one for one in SIX]},
                unit="sec/op",
                estimated={"hex": 0.1},
            ),
        )
        for bits, share in ((32, 60.0), (64, 95.0))
    )
    return BreakdownAnswer(
        name="sender", whole="Sender", key={}, metric="time", left_out="", cells=cells, evidence=NOWHERE, caveats=()
    )


def test_the_pieces_of_a_bar_are_the_shares() -> None:
    """Parts and the rest make the whole; past it there is no rest. What an author estimated is called that."""
    figure = breakdown_figure(broken(), **WORDS)
    assert figure is not None
    check(figure)
    bars = {one.name: list(one.x) for one in figure.data if one.type == "bar"}
    assert list(bars) == ["proof", "hex (estimated)", "unexplained"]
    assert np.sum(list(bars.values()), axis=0) == pytest.approx([1.0, 1.05], rel=1e-6)
    assert bars["unexplained"][1] == 0
    assert figure.layout.xaxis.range[1] > 1.05
    hatchings = [one.marker.pattern.shape for one in figure.data if one.type == "bar"]
    assert len(set(hatchings)) == 3
    assert [one.text for one in figure.layout.annotations] == ["bits 32: 100.0 s/op", "bits 64: 100.0 s/op"]


def test_hostile_names_are_text_in_every_figure_of_effects(tmp_path: Path) -> None:
    """The name of a benchmark, a level or a part cannot become markup."""
    asked = [{"bits": 64, "outputs": 16, "kind": ATTACK}]
    model = made(tmp_path, grid(ATTACK, ("a", ATTACK)), predict=asked)
    drawn = figures_of(model.models[0])
    assert len(drawn) == len(OF_A_MODEL)
    assert named(drawn[-1], "predicted, not measured")
    part = break_down([10.0, 11.0], {ATTACK: [4.0, 5.0]}, unit="sec")
    told = BreakdownAnswer(
        name=ATTACK,
        whole=ATTACK,
        key={},
        metric="time",
        left_out=ATTACK,
        cells=(({"kind": ATTACK}, part),),
        evidence=NOWHERE,
        caveats=(),
    )
    for figure in (*drawn, breakdown_figure(told, **WORDS)):
        assert figure is not None
        check(figure)
