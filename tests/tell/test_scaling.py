"""What a page says first of how throughput grows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import executive_summary
from benchlib.answers.scaling import fit_scaling
from benchlib.document.blocks import Document, List
from benchlib.document.numbers import words_of
from benchlib.study import open_study
from benchlib.tell import scaling
from benchlib.tell.executive import executive
from tests.shipped_studies import document

#: Levels of workers -> operations a second, two runs each.
CURVES = {
    "rises": {1: 100.0, 2: 195.0, 4: 390.0, 8: 780.0},
    "sweet": {1: 100.0, 2: 190.0, 4: 330.0, 8: 400.0, 16: 430.0},
    "peak": {1: 100.0, 2: 180.0, 4: 280.0, 8: 260.0, 16: 200.0},
}


def told_of(folder: Path, axis: str, levels: dict[int, float], *, rounds: bool = True) -> Document:
    """The first screen of one curve, measured in rounds of all levels, or level by level."""
    values = [(run, level) for run in range(6) for level in levels]
    values = values if rounds else sorted(values, key=lambda value: value[1])
    lines = [f"benchmark,{axis},throughput_rps"]
    lines += [f"encode,{level},{levels[level] * (1 + 0.002 * run)}" for run, level in values]
    path = folder / "results.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return executive(executive_summary(open_study(path)))


def first(folder: Path, axis: str, levels: dict[int, float]) -> tuple[str, str]:
    """The answer and the decision on one curve."""
    told = told_of(folder, axis, levels)
    return words_of(told.answer), words_of(told.decision)


@pytest.mark.parametrize(
    ("curve", "answer", "decision"),
    [
        (
            "rises",
            "Encode still gains at 8 workers: 783 req/s, 7.8 times what 1 worker delivers.",
            "Do not decide yet: measure beyond 8 workers.",
        ),
        (
            "sweet",
            "4 workers deliver 332 req/s, 3.3 times what 1 worker delivers; 8 workers add 21%.",
            "Use 4 workers.",
        ),
        ("peak", "Encode peaks at 4 workers with 281 req/s and loses 29% by 16 workers.", "Use 4 workers."),
    ],
)
def test_one_curve_is_one_sentence_and_one_decision(tmp_path: Path, curve: str, answer: str, decision: str) -> None:
    """What it delivers, where it stops, what to use."""
    assert first(tmp_path, "workers", CURVES[curve]) == (answer, decision)


def test_levels_measured_in_their_order_are_to_be_measured_again_before_one_is_used(tmp_path: Path) -> None:
    """A machine that slows down looks like it: what looks best is named, and never with more than low confidence."""
    told = told_of(tmp_path, "workers", CURVES["sweet"], rounds=False)
    assert words_of(told.decision) == "Do not settle on 4 workers yet: measure in random order first."
    assert (told.confidence.level, words_of(told.confidence.reason)) == (
        "low",
        "6 values each, but measured in order.",
    )


def test_a_concurrency_asked_for_twice_is_one_row() -> None:
    """Read off, and predicted however far out: the same law says both."""
    study = open_study("data/reference", where="benchmark=specsdm91")
    answer = fit_scaling(study, at=[72, 96], extrapolate=[96, 200])
    operating = Refusal(question="operating", reason="", advice="")
    assert not isinstance(answer, Refusal)
    table = scaling.lead(answer, operating, study).table
    assert table is not None
    assert [row[1] for row in table.rows] == ["72", "96", "200"]


def test_connections_are_nothing_one_buys(tmp_path: Path) -> None:
    """No word of efficiency: the level beyond which more add nothing."""
    levels = {1: 100.0, 2: 200.0, 4: 201.0, 8: 200.0, 16: 201.0}
    answer, decision = first(tmp_path, "connections", levels)
    assert answer == "Encode delivers 201 req/s with 2 connections; more connections add nothing."
    assert decision == "Use 2 connections."


def test_a_peak_is_that_of_the_law_where_it_describes_the_points() -> None:
    """Published: 96.5 for specsdm91 (R package usl 3.0.3, its vignette), 7 for the curve made of known parameters.

    The largest measured levels, 72 and 8, are beside the peaks.
    """
    told = document("reference")
    levels = [row[1] for row in told.sections[0].blocks[-1].rows]  # type: ignore[union-attr]
    assert [getattr(level, "value", level) for level in levels] == [97, "still rising", 7, 7]


def test_a_level_beyond_the_latency_limit_is_not_recommended() -> None:
    """http-endpoints: cheap keeps 5 ms at the 99th percentile up to 8 connections, though 16 deliver more."""
    answers = document("http-endpoints").answers
    assert "8 connections for cheap" in answers["decision"] or "cheap at 8" in answers["decision"]


def test_runs_of_the_same_code_that_differ_too_much_end_in_no_conclusion() -> None:
    """onix-adapter: the same benchmark differs 2.6-fold between runs; no level is named."""
    told = document("onix-adapter")
    assert told.status == "Cannot tell"
    assert words_of(told.answer).startswith("No conclusion")
    assert told.confidence.level == "none"


@pytest.mark.parametrize(
    ("rates", "answer"),
    [
        ((100, 100, 100, 100), "1 thread delivers 100 req/s; 2 threads add nothing."),
        ((1000, 800, 500, 300, 100), "A peaks at 1 thread with 1,000 req/s and loses 90% by 16 threads."),
    ],
)
def test_one_thread_that_is_best_is_said_in_good_english(tmp_path: Path, rates: tuple[int, ...], answer: str) -> None:
    """The first level is not held against itself, and a fitted level has its noun."""
    lines = [f"A,{2**place},{rate}" for place, rate in enumerate(rates)]
    (tmp_path / "results.csv").write_text("\n".join(["benchmark,threads,throughput_rps", *lines]))
    folder = open_study(tmp_path)
    fitted, operating = fit_scaling(folder), executive_summary(folder).operating
    assert words_of(scaling.lead(fitted, operating, folder).answer) == answer


def test_a_step_without_a_command_is_a_sentence_and_no_code(tmp_path: Path) -> None:
    """Where study.toml names no command that sets the level, the words for it stand in its place."""
    first(tmp_path, "workers", CURVES["sweet"])
    folder = open_study(tmp_path / "results.csv")
    fitted = fit_scaling(folder)
    assert not isinstance(fitted, Refusal)
    (steps,) = scaling.next_steps(fitted)
    assert isinstance(steps, List)
    for step in steps.items:
        assert re.fullmatch(r"Measure at workers \d+, (once|\d+ times)\.", words_of(step))
        assert [type(part) for part in step] == [str]


def test_curves_that_gain_to_their_last_level_stop_nowhere(tmp_path: Path) -> None:
    """Each is still gaining; beside one that has stopped they are told apart."""
    times = {"a": (8, 4, 2, 1), "b": (9, 4.5, 2.3, 1.2), "c": (9.5, 4.7, 2.4, 1.25)}
    rows = [f"{name},{2**place},{time}" for name, each in times.items() for place, time in enumerate(each)]
    (tmp_path / "x.csv").write_text("\n".join(["impl,threads,time_s", *rows, ""]))
    told = words_of(executive(executive_summary(open_study(tmp_path))).answer)
    assert told == "A, b and c still gain at 8 threads."
    (tmp_path / "x.csv").write_text("\n".join(["impl,threads,time_s", *rows[:-1], "c,8,2.6", ""]))
    told = words_of(executive(executive_summary(open_study(tmp_path))).answer)
    assert told == "Speed stops growing at 2.40 s for c (4 threads), not by 8 threads for a and not by 8 threads for b."
