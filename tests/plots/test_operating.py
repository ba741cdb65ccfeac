"""Benchmarks under load: throughput against concurrency, latency against throughput."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import plotly.graph_objects as go
import pytest

from benchlib.answers.latency import OperatingAnswer, OperatingPanel, operating_answer
from benchlib.plots.operating import operating_figure
from benchlib.report.load_blocks import MOST_ROWS, MOST_SWEEPS, under_load
from tests.shipped_studies import study
from tests.synthetic import make_table

# How benchmarks under load are shared out among figures, and what stands below these


@pytest.fixture(scope="module")
def answer() -> OperatingAnswer:
    """Eight benchmarks with three executors each, six of them kept out of the curves."""
    found = operating_answer(study("token-sdk"))
    assert isinstance(found, OperatingAnswer)
    return found


def shown(answer: OperatingAnswer, panels: tuple[OperatingPanel, ...]) -> list[go.Figure]:
    """The figures of a page for some benchmarks, where no curve is drawn above."""
    summary: Any = SimpleNamespace(operating=replace(answer, panels=panels), scaling=study)
    return [block for block in under_load(summary) if isinstance(block, go.Figure)]


def names(figure: go.Figure) -> list[str]:
    """What stands above the rows of a figure."""
    return [one.text for one in figure.layout.annotations]


def test_every_benchmark_has_a_row(answer: OperatingAnswer) -> None:
    """In their order, in as few figures as hold them, which have rows alike."""
    figures = shown(answer, answer.panels)
    assert [name for figure in figures for name in names(figure)] == [panel.name for panel in answer.panels]
    assert [len(names(figure)) for figure in figures] == [MOST_ROWS, MOST_ROWS]
    assert [len(names(figure)) for figure in shown(answer, answer.panels[:5])] == [2, 3]


def test_each_reason_to_keep_rows_out_is_told_once_with_their_names(answer: OperatingAnswer) -> None:
    """Where it is that of every row, these need no names."""
    mixed, busy = (figure.layout.meta["caption"] for figure in shown(answer, answer.panels))
    told = "Kept out of the scaling curves: {}measured while the machine was busy"
    assert told.format("TestParallelBenchmarkIssueServiceIssue and TestParallelBenchmarkSender, ") in mixed
    assert told.format("") in busy
    (clean,) = (figure.layout.meta["caption"] for figure in shown(answer, answer.panels[:2]))
    assert clean == (
        "Left: throughput against workers; right: p99 latency against throughput, one line for each executor."
    )


def test_the_alternative_text_tells_every_row(answer: OperatingAnswer) -> None:
    """Name, and both ends of each line."""
    for figure in shown(answer, answer.panels):
        alt = figure.layout.meta["alt"]
        assert all(f"{name} under load. pool: " in alt for name in names(figure))


def test_more_benchmarks_than_a_page_shows_are_counted(answer: OperatingAnswer) -> None:
    """The rest is in answers.json."""
    many = answer.panels[:1] * (MOST_SWEEPS + 3)
    summary: Any = SimpleNamespace(operating=replace(answer, panels=many), scaling=study)
    blocks = under_load(summary)
    assert sum(len(names(one)) for one in blocks if isinstance(one, go.Figure)) == MOST_SWEEPS
    assert any("3 more sweeps in answers.json." in str(one) for one in blocks)


# Throughput against concurrency and latency against throughput, side by side


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
