"""How benchmarks under load are shared out among figures, and what stands below these."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import plotly.graph_objects as go
import pytest

from benchlib.answers.latency import OperatingAnswer, OperatingPanel, operating_answer
from benchlib.report.load_blocks import MOST_ROWS, MOST_SWEEPS, under_load
from tests.shipped_studies import study


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
