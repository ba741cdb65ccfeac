"""Throughput against concurrency and latency against throughput, side by side."""

from __future__ import annotations

import json
from pathlib import Path

import plotly.graph_objects as go
import pytest

from benchlib.answers.latency import OperatingAnswer, OperatingPanel, operating_answer
from benchlib.plots.operating import operating_figure
from tests.shipped_studies import study
from tests.synthetic import make_table

ATTACK = "<img src=x onerror=alert(1)>"


def drawn(*panels: OperatingPanel, axis: str = "workers") -> go.Figure:
    """The figure of some panels."""
    return operating_figure(panels, axis, alt="a", caption="c")


def panels(folder: Path, latency: bool, repeats: int = 1) -> OperatingAnswer:
    """Two settings at two levels, one of a hostile name."""
    rows = [
        (ATTACK, n, setting, metric, value * (1 + 0.01 * place), unit)
        for n in (1, 2)
        for setting in ("a", ATTACK)
        for metric, value, unit in (("throughput", 100 * n, "op/s"), ("latency_p99", 2 * n, "ms"))
        for place in range(repeats)
        if latency or metric == "throughput"
    ]
    definition = '[scaling]\nconcurrency = "workers"\nby = ["setting"]\n'
    found = operating_answer(make_table(folder, "benchmark workers setting metric value unit", rows, definition))
    assert isinstance(found, OperatingAnswer)
    return found


def test_latency_stands_against_throughput_level_by_level() -> None:
    """The points of the right panel are those of the left, in the order of their levels."""
    found = operating_answer(study("http-endpoints"))
    assert isinstance(found, OperatingAnswer)
    panel = next(one for one in found.panels if one.name == "/hash")
    left, right = drawn(panel, axis="connections").data
    (line,) = panel.lines
    assert list(left.x) == [point.concurrency for point in line.points]
    assert list(right.x) == list(left.y) == [point.throughput.value for point in line.points]
    assert [1e-3 * one for one in right.y] == pytest.approx(
        [point.latency.value for point in line.points if point.latency]
    )


def test_a_hostile_name_is_text(tmp_path: Path) -> None:
    """plotly reads a little HTML in any label."""
    (panel,) = panels(tmp_path, latency=True).panels
    written = json.dumps(drawn(panel).to_plotly_json(), default=str)
    assert "<img" not in written
    assert "&lt;img" in written
