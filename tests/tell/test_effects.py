"""What a factor costs: the words of a first screen, its numbers, its refusals, its figure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.effects import analyse_effects
from benchlib.document.blocks import Document, Fold, Number, Paragraph, numbers_in
from benchlib.document.numbers import words_of
from benchlib.figures.effects import level_bars
from benchlib.render.page import page
from benchlib.render.terminal import terminal
from benchlib.study import Study, open_study
from benchlib.tell import effects
from benchlib.tell.lead import Lead
from tests.shipped_studies import NAMES, study, summary
from tests.shipped_studies import effects as answered
from tests.synthetic import make_table

TOKEN = "token-sdk"


def lead_of(name: str) -> Lead:
    """The first screen of the costs of a study."""
    return effects.lead(summary(name).effects, study(name))


@cache
def token() -> Document:
    """The page of costs of the token study, its cost models included."""
    return effects.document(answered(TOKEN, "time", ("bits=64 inputs=2 outputs=5",)), study(TOKEN))


@pytest.mark.parametrize(
    ("name", "answer", "decision", "confidence"),
    [
        (
            "onix-adapter-published",
            "Confirm costs 1.34 times what discover does: 221 µs instead of 165 µs.",
            "Plan by confirm, the most costly action.",
            "medium",
        ),
        (
            "onix-adapter",
            "Init costs 1.40 times what discover does: 435 µs instead of 316 µs.",
            "Plan by init, the most costly case.",
            "low",
        ),
        (
            "reference",
            "No answer: the study names no factor.",
            "Do not decide yet: name the factors that were varied.",
            "none",
        ),
    ],
)
def test_says_what_a_factor_costs(name: str, answer: str, decision: str, confidence: str) -> None:
    """Worked out by hand from the files: 221.3 and 164.8 µs. lplex and token-sdk stand in tests/golden."""
    lead = lead_of(name)
    assert (words_of(lead.answer), words_of(lead.decision)) == (answer, decision)
    assert lead.confidence.level == confidence


@pytest.mark.parametrize(("drift", "level"), [(0.0, "high"), (0.39, "low")])
def test_runs_of_a_drifting_machine_are_doubted(tmp_path: Path, drift: float, level: str) -> None:
    """Five runs, the last 39 % slower than the first: intervals within runs say nothing of that."""
    noise = np.random.default_rng(3)
    for run in range(5):
        costs = [(1 + drift * run / 4) * (100 + 30 * size) for size in (1, 2, 3, 4, 5)]
        lines = [
            f"BenchmarkServe/size={size} 1000 {cost * math.exp(0.01 * noise.standard_normal()):.2f} ns/op"
            for size, cost in enumerate(costs, 1)
            for _ in range(3)
        ]
        (tmp_path / f"run{run + 1}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lead = effects.lead(analyse_effects(tmp_path, factors="size"), open_study(tmp_path))
    assert lead.confidence.level == level


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_short_and_leads_to_its_rows(name: str) -> None:
    lead = lead_of(name)
    assert len(words_of(lead.answer).split()) <= 25
    shown = [*numbers_in(lead.answer), *numbers_in(lead.facts)]
    assert sum(isinstance(part, Number) for part in lead.answer) <= 3
    assert all(number.evidence is not None and number.evidence.rows for number in shown)


def test_draws_cells_with_their_finding_and_labels_lines_directly() -> None:
    figure = lead_of(TOKEN).figure
    assert figure is not None
    assert words_of(figure.finding) == ("Each output costs the same again")
    assert [panel.title for panel in figure.panels] == ["BN254", "BLS12-381"]
    labels = [mark["text"] for panel in figure.panels for mark in panel.chart["layout"]["annotations"]]
    assert labels == [
        "32 bits: +11 ms each", "64 bits: +20 ms each", "1 input, 1 output: 420 µs",
        "32 bits: +17 ms each", "64 bits: +29 ms each", "1 input, 1 output: 610 µs",
    ]  # fmt: skip
    drawn = sum(len(trace["x"]) for panel in figure.panels for trace in panel.chart["data"])
    assert drawn == 36


def test_tells_models_predictions_and_what_to_measure_next() -> None:
    text = " ".join(terminal(token(), full=True, width=160).split())
    assert "Configurations that were asked for" in text
    assert "64 bits, 2 inputs, 5 outputs" in text
    assert "Sender, bulletproof: the cost model predicts a configuration from the others to 1.5% (31 of 36 lie" in text
    assert "for each output" in text
    assert "Sender, bulletproof: 3 pairs of factors work together" in text
    assert "Every configuration of Sender, bulletproof" in text
    assert page(token()).count("<h1>") == 1


def test_recordings_that_show_nothing_are_not_judged_by_effects() -> None:
    """lplex: what a filter costs, from recordings in which untouched code moved, has no number."""
    answer = summary("lplex").effects
    told = effects.finding(answer, study("lplex"), "code that the change cannot reach moved too")
    assert isinstance(told, Paragraph)
    assert words_of(told.text) == (
        "What subscribers and filter cost is not judged: code that the change cannot reach moved too."
    )
    assert list(numbers_in(told)) == []


def test_a_finding_opens_on_figure_and_table() -> None:
    told = effects.finding(summary(TOKEN).effects, study(TOKEN))
    assert isinstance(told, Fold)
    assert told.line == lead_of(TOKEN).answer
    assert [type(block).__name__ for block in told.blocks] == ["Figure", "Table"]
    assert effects.finding(summary("reference").effects, study("reference")) is None


def test_offers_its_numbers_to_the_author() -> None:
    values = lead_of(TOKEN).values
    assert values["sender_bulletproof.each_output"].value == pytest.approx(11.04e-3, rel=1e-3)
    assert values["sender_csp.each_output"].value == pytest.approx(11.44e-3, rel=1e-3)
    assert values["sender_bulletproof.bits_64"].value == pytest.approx(1.760, rel=1e-3)
    assert values["sender_bulletproof.special"].value == pytest.approx(417.7e-6, rel=1e-3)
    assert all(number.evidence is not None for number in values.values())


HEADS = "benchmark size kind metric value unit"


def test_single_runs_are_low_confidence(tmp_path: Path) -> None:
    rows = [("Serve", size, "a", "time", 2.0 + 3.0 * size, "ms/op") for size in (1, 2, 3, 4)]
    made = make_table(tmp_path, HEADS, rows, '[effects]\nfactors = ["size"]\n')
    answer = analyse_effects(made, plain=True)
    assert effects.lead(answer, made).confidence.level == "low"


@pytest.mark.parametrize(
    ("levels", "costs", "answer"),
    [
        (
            [(size, "a") for size in (1, 10, 100)],
            (1.0, 40.0, 50.0),
            "Serve costs 1.00 ms with size 1 and 50.0 ms with size 100, not evenly between.",
        ),
        (
            [(1, "a"), (1, "b")],
            (2.0, 4.0),
            "B costs 2.00 times what a does: 4.00 ms instead of 2.00 ms.",
        ),
    ],
)
def test_tells_other_shapes_of_cost(
    tmp_path: Path, levels: list[tuple[int, str]], costs: tuple[float, ...], answer: str
) -> None:
    """A cost that levels off has no cost for each; a word alone has a ratio."""
    rows = [
        ("Serve", size, kind, "time", cost + noise, "ms/op")
        for (size, kind), cost in zip(levels, costs, strict=True)
        for noise in (-0.02, -0.01, 0.0, 0.0, 0.01, 0.02)
    ]
    made = make_table(tmp_path, HEADS, rows, '[effects]\nfactors = ["size", "kind"]\n')
    told = effects.document(analyse_effects(made), made)
    assert words_of(told.answer) == answer
    assert "runs" in terminal(told, width=100)
    assert page(told).count("<h1>") == 1


def test_a_refusal_is_a_document(tmp_path: Path) -> None:
    refusal = Refusal(question="effects", reason="none of 'size' varies", advice="measure more; or less")
    told = effects.document(refusal, study("reference"))
    assert told.status == "Cannot tell"
    assert words_of(told.decision) == "Do not decide yet: measure more."


def test_bars_name_their_level_and_show_each_run() -> None:
    cost = Number(value=2.0e-4, unit="sec")
    chart = level_bars(
        [("select", cost, (1.9e-4, 2.1e-4), "1.2 times"), ("init", Number(value=3e-4, unit="sec"), (), "")]
    )
    assert [mark["text"] for mark in chart["layout"]["annotations"]] == ["init: 300 µs", "select: 200 µs, 1.2 times"]
    assert chart["data"][1]["y"] == [0, 0]
    assert chart["layout"]["showlegend"] is False


@pytest.mark.parametrize(
    ("factors", "answer", "decision"),
    [
        (
            ("bits", "curve"),
            "64 bits costs 2.09 times what 32 bits does, averaged over curve.",
            "Plan by 64 bits, the most costly bits.",
        ),
        (
            ("curve",),
            "No curve is shown to cost more than another: each pools different configurations.",
            "Do not decide yet: name every factor, or narrow to one configuration.",
        ),
    ],
)
def test_what_was_pooled_is_not_laid_on_the_machine(
    tmp_path: Path, factors: tuple[str, ...], answer: str, decision: str
) -> None:
    """A ratio over several pairs stands without the medians of one pair; a factor left out is named as the cause."""
    rows = {("32", "A"): (100, 101), ("64", "A"): (200, 203), ("32", "B"): (100, 102), ("64", "B"): (220, 221)}
    lines = [f"{bits},{curve},{value}" for (bits, curve), values in rows.items() for value in values]
    (tmp_path / "results.csv").write_text("\n".join(["bits,curve,time_ns", *lines]))
    folder = open_study(tmp_path)
    told = effects.lead(analyse_effects(folder, factors=list(factors)), folder)
    assert (words_of(told.answer), words_of(told.decision)) == (answer, decision)


def crossed(folder: Path, cost: Callable[[int, int, int], float]) -> Study:
    """Six runs of every combination of bits, inputs and outputs, with noise of 1 %."""
    cells = list(itertools.product((16, 32, 64), (1, 2, 3), (1, 2, 3)))
    noise = np.random.default_rng(5)
    rows = [
        ("Serve", *cell, "time", cost(*cell) * math.exp(0.01 * noise.standard_normal()), "ns/op")
        for _ in range(6)
        for cell in cells
    ]
    heads = "benchmark bits inputs outputs metric value unit"
    return make_table(folder, heads, rows, '[effects]\nfactors = ["bits", "inputs", "outputs"]\n')


def test_leads_with_a_cost_model_that_predicts_where_no_line_holds(tmp_path: Path) -> None:
    """A cost of 100 + 10 bits outputs has no one cost for each bit; its model is the answer."""
    made = crossed(tmp_path, lambda bits, inputs, outputs: 100 + 10 * bits * outputs)
    shown = effects.lead(analyse_effects(made), made)
    assert "* bits * outputs." in words_of(shown.answer)
    assert words_of(shown.decision) == "Use this cost model within the levels measured."
    assert shown.confidence.level == "high"


def test_ends_hold_all_else_and_are_no_special_cells(tmp_path: Path) -> None:
    """With 1 input and 1 output the cost is special: the ends are of another line, with one level of all else."""
    made = crossed(tmp_path, lambda bits, inputs, outputs: 50 if inputs == outputs == 1 else 100 + bits**2 * outputs)
    shown = words_of(effects.lead(analyse_effects(made, plain=True), made).answer)
    assert shown.startswith("Serve (1 input, 2 outputs) costs ")
    assert "with 16 bits and" in shown


@pytest.mark.parametrize(("power", "level"), [(1.0, "high"), (0.7, "medium")])
def test_a_line_that_replicates_reject_is_doubted(tmp_path: Path, power: float, level: str) -> None:
    """A cost of 100 + 30 size^0.7 lies within 8 % of a line, which runs that scatter by 1 % reject."""
    noise = np.random.default_rng(1)
    rows = [
        ("Serve", size, "a", "time", (100 + 30 * size**power) * math.exp(0.01 * noise.standard_normal()), "ns/op")
        for _ in range(6)
        for size in (2, 4, 8, 16, 32, 64)
    ]
    made = make_table(tmp_path, HEADS, rows, '[effects]\nfactors = ["size"]\n')
    assert effects.lead(analyse_effects(made), made).confidence.level == level


def test_a_fixed_cost_below_zero_is_said_and_powers_have_four_digits(tmp_path: Path) -> None:
    """A cost of -70 + 10 size^2 is told with its fixed cost named; a fitted power is rounded."""
    noise = np.random.default_rng(1)
    rows = [
        ("Serve", size, "a", "time", (10 * size**2 - 70) * math.exp(0.01 * noise.standard_normal()), "ns/op")
        for _ in range(6)
        for size in (8, 16, 32, 64)
    ]
    made = make_table(tmp_path, HEADS, rows, '[effects]\nfactors = ["size"]\n')
    assert " (a fixed cost below 0) + " in words_of(effects.lead(analyse_effects(made), made).answer)
    assert effects._term_words(["bits"], [0.812451], [0]) == "for each bits^0.8125"
