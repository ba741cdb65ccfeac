"""The one figure of a first page: which one, what is marked on it, and how its rows were chosen."""

from __future__ import annotations

from dataclasses import replace
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
from benchlib.report.wording.cards.choice import cards
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


@pytest.mark.parametrize(
    ("name", "caption"),
    [
        ("onix-adapter", "Points: single measurements."),
        ("lplex", "new against old: the 9 of 36 rows"),
        ("token-sdk", "Sender, proof bulletproof, time per operation"),
        ("heavy-read-api-published", "local cache against Redis: all 8 rows"),
    ],
)
def test_the_leading_question_chooses_the_figure(name: str, caption: str) -> None:
    """Scaling, before and after, factors, ratios of endpoints."""
    (figure,) = hero(summary(name))
    assert figure.layout.meta["caption"].startswith(caption)


def test_usual_names_of_go_benchmarks_stay_whole() -> None:
    """A name cut in its middle is looked for in vain: no row of lplex is."""
    (figure,) = hero(summary("lplex"))
    names = figure.layout.yaxis.ticktext
    assert "FastPacketProcess, complete_transfer" in names
    assert not [one for one in names if "..." in one]


def test_another_lead_is_another_figure() -> None:
    """The same answers with another question first."""
    asked = summary("onix-adapter-published")
    led = replace(asked, study=replace(asked.study, lead=("comparison",)))
    (figure,) = hero(led)
    assert figure.layout.meta["caption"].startswith("parallel against serial") is False
    assert figure.layout.meta["caption"] != hero(asked)[0].layout.meta["caption"]


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


def test_today_between_levels_stands_on_the_law(tmp_path: Path) -> None:
    """Nothing is measured at 3; the ring lies between its neighbours."""
    figure = sweep(tmp_path, "today = 3\n")
    (ring,) = (one for one in figure.data if one.name == "today")
    assert 184 < ring.y[0] < 310


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


def test_of_a_small_comparison_too_only_decided_rows_are_drawn(tmp_path: Path) -> None:
    """One benchmark twice as slow, one as noisy as it is large: the first is what there is to tell."""
    centres = {("Slow", "a"): 10, ("Slow", "b"): 20, ("Noisy", "a"): 10, ("Noisy", "b"): 10.5}
    spread = (0.5, 0.8, 1, 1.1, 1.6, 2)
    rows = [
        (benchmark, kind, "time", around(centre)[turn] if benchmark == "Slow" else centre * spread[turn], "ns/op")
        for turn in range(len(spread))  # interleaved, so that drift cannot explain what is seen
        for (benchmark, kind), centre in centres.items()
    ]
    definition = '[[compare]]\nname = "k"\ncolumn = "kind"\nbaseline = "a"\n'
    study = make_table(tmp_path, "benchmark kind metric value unit", rows, definition)
    (answer,) = benchlib.compare_study(study)
    assert isinstance(answer, ComparisonAnswer)
    (row,) = telling_rows(answer)
    assert (row.key["benchmark"], row.verdict) == ("Slow", "worse")


def test_rows_with_a_verdict_come_before_all_others() -> None:
    """Where some rows are decided, no undecided one is drawn."""
    for name in NAMES:
        for answer in summary(name).comparisons:
            assert isinstance(answer, ComparisonAnswer)
            decided = any(row.verdict in ("better", "worse") for row in answer.rows if not row.control)
            shown = [row for row in telling_rows(answer) if not row.control]
            assert not decided or all(row.verdict in ("better", "worse") for row in shown)


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


def test_medians_that_lie_far_apart_are_told_apart(tmp_path: Path) -> None:
    """A nanosecond beside a millisecond: an even axis would show all but one of them at its end."""
    asked = benchlib.executive_summary(make_study(tmp_path, run=go_text({"A": around(5), "B": around(5e6)})))
    (figure,) = hero(asked)
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.meta["caption"].startswith("Medians of time per operation, all 2 cells.")


def test_what_all_medians_share_stands_in_the_caption(tmp_path: Path) -> None:
    """Not beside each mark; a single measurement has no bar, and the caption says why."""
    rows = [("Send", bits, "time", 10 * bits, "ns/op") for bits in (32, 64)]
    asked = benchlib.executive_summary(make_table(tmp_path, "benchmark bits metric value unit", rows))
    (figure,) = hero(asked)
    assert list(figure.layout.yaxis.ticktext) == ["bits 64", "bits 32"]
    told = "Send: medians of time per operation, all 2 cells. No bar: too few measurements for an interval."
    assert figure.layout.meta["caption"] == told


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


def test_medians_make_the_cards_of_a_first_page_four(tmp_path: Path) -> None:
    """A benchmark at a time before a second cell of one, then how much was measured; with value, interval and n."""
    times = {"Send/64": around(90), "Send/32": around(80), "Check": around(5)}
    made = cards(benchlib.executive_summary(make_study(tmp_path, run=go_text(times))))
    assert [one.label for one in made] == [
        "Send, 64: time per operation", "Check: time per operation", "Send, 32: time per operation",
        "Measured values", "Caveats",
    ]  # fmt: skip
    assert (made[1].value, made[1].note) == ("5.00 ns/op", "median, n = 6")
    assert made[1].interval.startswith("95 %: ")


def test_the_name_of_today_lies_on_no_law(tmp_path: Path) -> None:
    """Above its ring where the law runs below what was measured there; below it elsewhere."""
    for at_two, side in ((215, "bottom"), (150, "top")):
        rates = ((1, 100), (2, at_two), (4, 308), (8, 470), (16, 640))
        rows = [("B", n, "throughput", rate, "op/s") for n, rate in rates]
        folder = tmp_path / side
        folder.mkdir()
        study = make_table(folder, HEADS, rows, '[scaling]\nconcurrency = "workers"\ntoday = 2\n')
        (figure,) = hero(benchlib.executive_summary(study))
        (words,) = (one for one in figure.layout.annotations if one.text == "today: 2")
        assert words.yanchor == side
