"""The one figure of a first page: which one, what is marked on it, and how its rows were chosen."""

from __future__ import annotations

from pathlib import Path

import plotly.graph_objects as go
import pytest

import benchlib
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.refusal import Refusal
from benchlib.answers.samples import rank_medians
from benchlib.plots.comparison_compact import MOST_CONTROLS, MOST_ROWS, telling_rows
from benchlib.report.hero import chosen_words, hero
from benchlib.report.sections import headline, key_results
from tests.shipped_studies import DATA, NAMES, summary
from tests.synthetic import around, go_text, make_study, make_table

HEADS = "benchmark workers metric value unit"


def sweep(folder: Path, definition: str) -> go.Figure:
    """The figure of a sweep that grows by Amdahl's law from 100 to 308 operations a second at 4 workers."""
    rows = [
        ("B", n, "throughput", rate * (1 + 0.01 * place), "op/s")
        for n, rate in ((1, 100), (2, 182), (4, 308))
        for place in range(3)
    ]
    study = make_table(folder, HEADS, rows, f'[scaling]\nconcurrency = "workers"\n{definition}')
    (figure,) = hero(benchlib.executive_summary(study))
    return figure


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_study_has_one_figure_right_after_its_cards(name: str) -> None:
    """It stands third on the page, is low enough for A4, and says in words what it shows."""
    (figure,) = hero(summary(name))
    assert isinstance(headline(summary(name)).blocks[2], go.Figure)
    assert figure.layout.height <= 350
    assert len(figure.layout.meta["alt"]) > 40
    assert figure.layout.meta["caption"].endswith(".")


def test_a_study_without_answers_has_no_figure(tmp_path: Path) -> None:
    """Nothing is drawn of what was not asked."""
    assert hero(benchlib.executive_summary(make_study(tmp_path, a=go_text({"Decode": around(8)})))) == ()


def test_today_is_marked_where_it_was_measured(tmp_path: Path) -> None:
    """The ring stands on the median of the level."""
    figure = sweep(tmp_path, "today = 2\n")
    (ring,) = (one for one in figure.data if one.name == "today")
    assert (ring.x[0], ring.y[0]) == (2, pytest.approx(183.82))
    assert "Ring: where it runs today." in figure.layout.meta["caption"]
    assert any(one.text == "today: 2" for one in figure.layout.annotations)


def test_today_beyond_the_levels_is_not_drawn(tmp_path: Path) -> None:
    """No law is drawn where nothing was measured."""
    figure = sweep(tmp_path, "today = 64\n")
    assert not [one for one in figure.data if one.name == "today"]
    assert "Ring" not in figure.layout.meta["caption"]


def test_a_target_on_throughput_is_a_line(tmp_path: Path) -> None:
    """At its bound, with its words."""
    figure = sweep(tmp_path, '[[targets]]\nmetric = "throughput"\nat_least = "250 op/s"\n')
    (line,) = (one for one in figure.layout.shapes if one.y0 == 250)
    assert line.y1 == 250
    assert any(one.text == "target: at least 250 operations per second" for one in figure.layout.annotations)
    assert "Dashed: the target." in figure.layout.meta["caption"]


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_shows_few_rows_and_says_which(name: str) -> None:
    """At most twelve, controls last, and the caption counts what is left out."""
    for answer in summary(name).comparisons:
        assert isinstance(answer, ComparisonAnswer)
        rows = telling_rows(answer)
        controls = [row.control for row in rows]
        assert len(rows) <= MOST_ROWS
        assert sum(controls) <= MOST_CONTROLS
        assert controls == sorted(controls)
        if not rows:
            continue
        told = chosen_words(answer, rows)
        assert ("The comparison below holds every row." in told) is (len(rows) < len(answer.rows))
        assert f"{len(rows) - sum(controls)}" in told or len(rows) - sum(controls) == 1


def test_a_folder_of_which_nothing_is_asked_shows_its_medians(tmp_path: Path) -> None:
    """The dozen largest, each with its interval, and how they were chosen; what only lies there has no key results."""
    times = {f"B{place}": around(10.0 * place) for place in range(1, 15)}
    asked = benchlib.executive_summary(make_study(tmp_path, run=go_text(times)))
    (figure,) = hero(asked)
    told = "Medians of time per operation, the 12 of 14 cells with the largest. Bar: interval at 95 %."
    assert figure.layout.meta["caption"] == told
    assert list(figure.layout.yaxis.ticktext) == [f"B{place}" for place in range(14, 2, -1)]
    assert figure.layout.xaxis.title.text == "time per operation, ns/op"
    assert list(figure.data[0].x) == pytest.approx([10.0 * place * 1.001 for place in range(14, 2, -1)], rel=1e-3)
    assert all(figure.data[0].error_x.array)
    assert all(figure.data[0].error_x.arrayminus)
    assert (key_results(asked).title, key_results(asked).blocks) == ("", ())


def test_medians_of_what_a_study_keeps_out_are_drawn_where_nothing_else_is() -> None:
    """The token SDK's matrix by itself, with the reason; never beside what was measured in quiet."""
    busy = benchlib.executive_summary(benchlib.open_study(DATA / "token-sdk", "benchmark=Issuer"))
    (figure,) = hero(busy)
    assert "Kept out of the scaling curves: measured while the machine was busy" in figure.layout.meta["caption"]
    both = summary("token-sdk")
    assert not isinstance(both.samples, Refusal)
    rows, why = rank_medians(both.study, both.samples)
    assert not why
    assert all(one.startswith("transfer/") for row in rows for one in row.evidence.rows)
