"""Comparisons as they are said: the first screens, the lines for other pages, and what is never said."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, compare
from benchlib.cli import main
from benchlib.document.blocks import Document, Fold, Number, Table, numbers_in
from benchlib.document.numbers import words_of
from benchlib.render.html import HtmlWriter
from benchlib.statistics.compare import Verdict
from benchlib.tell.changes import NOT_COMPARED, VERDICTS, change
from benchlib.tell.comparison import document, every_row, finding, lead
from tests.comparison_answers import (
    ALSO,
    ATTACK,
    around,
    controlled,
    decided,
    drifted,
    few,
    large,
    make_answer,
    make_row,
)
from tests.shipped_studies import NAMES, study, summary

PHRASES = {*VERDICTS.values(), NOT_COMPARED}
MADE = (decided, few, drifted, controlled, large)


def said(*answers: ComparisonAnswer | Refusal) -> Document:
    """The document of answers made by hand."""
    return document(answers, study("reference"))


def compared(name: str) -> dict[str, ComparisonAnswer]:
    """The comparisons of a shipped study."""
    return {answer.name: answer for answer in summary(name).comparisons if isinstance(answer, ComparisonAnswer)}


def line(name: str, comparison: str) -> str:
    """A comparison as one line."""
    return words_of(finding(compared(name)[comparison], study(name)).line)


def tables(part: object) -> list[Table]:
    """Every table of a document, folds too."""
    if isinstance(part, Table):
        return [part]
    if isinstance(part, Document):
        return [table for section in part.sections for block in section.blocks for table in tables(block)]
    return [table for block in part.blocks for table in tables(block)] if isinstance(part, Fold) else []


def test_in_the_middle_is_the_median() -> None:
    """Controls of lplex: medians 2.49 and 2.02; their geometric means are 2.40 and 2.06."""
    (answer,) = compared("lplex").values()
    assert [round(control.middle, 2) for control in answer.controls] == [2.49, 2.02]
    moved = [caveat.message for caveat in answer.caveats if caveat.code == "controls-moved"]
    assert ["by 2.49x in the middle" in moved[0], "by 2.02x in the middle" in moved[1]] == [True, True]


def test_single_runs_have_sizes_and_no_verdict() -> None:
    """heavy-read: 37% more, and not "1.37x slower"; nothing is decided by single runs."""
    assert line("heavy-read-api-published", "gateway against direct") == (
        "Gateway instead of direct: 37% more median latency (Redis), 61% more (serialised) and 67% more (local cache); "
        "one run each"
    )


def test_controls_keep_a_drift_from_being_told_as_a_finding() -> None:
    """CSP: 8 of 8 slower at 32 bits, 8 of 8 faster at 64; so is the cell that takes no range proof."""
    assert line("token-sdk", "proof types") == (
        "These results cannot tell whether csp differs from bulletproof: code that the change cannot reach took 3.0% "
        "less time in csp. Allocations are unchanged"
    )
    assert {row.verdict for row in compared("token-sdk")["proof types"].rows if row.metric == "time"} == {"cannot tell"}


def test_nothing_beyond_noise_is_one_sentence() -> None:
    """Executors: no 24 rings of "cannot tell", and no figure."""
    told = finding(compared("token-sdk")["executors"], study("token-sdk"))
    assert words_of(told.line) == (
        "No executor differs from serial by more than 6.7% (throughput), 6.0% (median latency) or 8.0% "
        "(99th-percentile latency); 3 runs each"
    )
    assert [type(block) for block in told.blocks] == [Table]


def test_runs_that_hold_both_sides_decide() -> None:
    """onix: 4.13, 3.99 and 3.13 times the throughput in three runs, paired by run."""
    assert line("onix-adapter-published", "parallel against serial") == (
        "BAP caller discover parallel instead of BAP caller discover: 73% less time; 3 runs each"
    )


@pytest.mark.parametrize(
    ("name", "comparison"),
    [("http-endpoints", "endpoints"), ("onix-adapter", "actions"), ("onix-adapter-published", "actions")],
)
def test_other_work_is_neither_better_nor_worse(name: str, comparison: str) -> None:
    """Endpoints and actions of different work have sizes and no verdict."""
    answer = compared(name)[comparison]
    folds = (finding(answer, study(name)), every_row(answer, study(name)))
    assert "do other work than" in words_of(folds[0].line)
    for fold in folds:
        shown = str(HtmlWriter().block(fold))
        assert not re.search(r"\b(better|worse|slower|faster)\b", re.sub(r"<[^>]*>", " ", shown))


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_short_traced_and_plain(name: str) -> None:
    """At most 25 words and three numbers, each with its rows; no identifier, no n, p or interval."""
    whole = summary(name)
    told = lead(whole.comparisons, whole.study, whole.targets)
    answer, decision = words_of(told.answer), words_of(told.decision)
    assert len(answer.split()) <= 25
    assert len(decision.split()) <= 20
    assert not re.search(r"\w_\w|[a-z][A-Z]|\bn =|\bp =|95", f"{answer} {decision}".replace("99th", ""))
    numbers = [*numbers_in(told.answer), *numbers_in(told.facts)]
    assert sum(isinstance(part, Number) for part in told.answer) <= 3
    assert [number for number in numbers if number.evidence is None or not number.evidence.rows] == []


def test_verdicts_are_five_phrases() -> None:
    """Whatever the answer, no table has another."""
    assert set(VERDICTS) == set(get_args(Verdict))
    assert len(PHRASES) == 5
    for answer in [make() for make in MADE] + [each for name in NAMES for each in compared(name).values()]:
        for table in tables(said(answer)):
            for place, column in enumerate(table.columns):
                if column.head == "verdict":
                    assert {row[place] for row in table.rows} <= PHRASES


def few_of(n: int, *ratios: float) -> ComparisonAnswer:
    """Rows of few values, in which nothing is decided."""
    sides = ((around(1e-6, n=n), around(ratio * 1e-6, ALSO, n=n)) for ratio in ratios)
    names = ("Encode",) if len(ratios) == 1 else (f"Case{place}" for place in range(len(ratios)))
    return make_answer([make_row(name, *side, verdict="cannot tell") for name, side in zip(names, sides, strict=True)])


SAME = [make_row(name, around(1e-6), around(1e-6, ALSO), verdict="same") for name in ("Encode", "Decode")]
#: From none to one there is no ratio.
ALLOCATES = make_row("Encode", (0.0,) * 10, (1.0,) * 10, metric="allocations", unit="allocs/op", verdict="worse")
MOVED = make_row("Encode", around(1e-6), around(1.5e-6, ALSO), verdict="cannot tell", reason="all rows moved alike")
CONTROLS = make_answer([row for row in drifted().rows if row.control])
LOOK, EITHER = "Look into Encode before you take new.", "Use either."
AGAIN = "Do not decide yet: measure each configuration 6 times, in turn."
IN_TURN = "Do not decide on time yet: record old and new in alternation on an idle machine."
CANNOT = "These results cannot tell whether new differs from old: "
#: An answer made by hand -> what is said of it, what to do, status and confidence.
SAID: list[tuple[ComparisonAnswer, str, str, str, str]] = [
    (
        decided(),
        "New changes 3 of 5 comparisons beyond noise, at worst Encode: 22% more time. Allocations rose in 1 of 2.",
        LOOK, "Answered", "high",
    ),
    # The size is what is left over the controls, which moved: 1.5 over 1.1.
    (
        controlled(), "New changes 1 of 2 comparisons beyond noise, at worst Encode: 36% more time.",
        LOOK, "Answered", "high",
    ),
    (make_answer(SAME), "New and old do not differ beyond noise in any of 2 comparisons.", EITHER, "Answered", "high"),
    (
        make_answer([SAME[0], ALLOCATES]),
        "New and old do not differ beyond noise in the one comparison. Allocations rose in 1 of 1.",
        LOOK, "Answered", "high",
    ),
    # Times tell nothing, and counts are sure.
    (
        make_answer([few_of(10, 1.01).rows[0], ALLOCATES]),
        f"{CANNOT[:-2]} in time: at most 0.90% more time measured, within noise. Allocations rose in 1 of 1.",
        LOOK, "Answered, with doubts", "medium",
    ),
    # Nobody knows the noise of single runs: the size is said, and how few runs there are.
    (few_of(1, 1.5), "New instead of old: 49% more time; one run each.", AGAIN, "Answered, with doubts", "low"),
    (
        few_of(3, 1.5), "New instead of old: 50% more time; 3 values each, so no interval.",
        AGAIN, "Answered, with doubts", "low",
    ),
    (
        few_of(1, 1.02, 1.5, 0.9, 1.1, 1.0), f"{CANNOT}at most 49% more time measured, one run each.",
        AGAIN, "Answered, with doubts", "low",
    ),
    # Where the change cannot affect anything there is nothing to judge.
    (
        replace(CONTROLS, controls=drifted().controls), "No answer: the change cannot affect what was compared.",
        IN_TURN, "Cannot tell", "none",
    ),
    # The caveat that withdrew the verdicts is the reason.
    (
        replace(make_answer([MOVED]), caveats=(replace(few().caveats[0], code="all-moved-alike"),)),
        f"{CANNOT}everything moved alike, as a drifting machine does.", IN_TURN, "Cannot tell", "none",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "said_of_it", "decision", "status", "confidence"), SAID)
def test_what_is_said_of_a_comparison(
    answer: ComparisonAnswer, said_of_it: str, decision: str, status: str, confidence: str
) -> None:
    """One sentence, one decision, and a figure only where there is something to see."""
    told = said(answer)
    assert (words_of(told.answer), words_of(told.decision)) == (said_of_it, decision)
    assert (told.status, told.confidence.level) == (status, confidence)
    drawn = len([row for row in answer.rows if row.unit == "sec/op"]) > 1 and status != "Cannot tell"
    assert (told.figure is not None) is drawn
    if ALLOCATES in answer.rows:
        assert "up from zero" in str([HtmlWriter().table(table) for table in tables(told)])


@pytest.mark.parametrize(("rounds", "values"), [(3, 5), (10, 1)])
def test_rounds_are_asked_for_where_rounds_decide(tmp_path: Path, rounds: int, values: int) -> None:
    """The rounds there are and those that are lacking; the values of a round are one."""
    head = 1100 * np.exp(np.linspace(-0.3, 0.3, rounds))
    text = "".join(
        f"commit: {side}\n" + f"BenchmarkEncode 100 {time:.6g} ns/op\n" * values
        for changed in head
        for side, time in (("base", 1000.0), ("head", changed))
    )
    (tmp_path / "turns.txt").write_text(text, encoding="utf-8")
    answer = compare(str(tmp_path / "turns.txt"), col="commit", baseline="base", metric="time")
    assert isinstance(answer, ComparisonAnswer)
    (row,) = answer.rows
    assert (row.blocks, row.baseline_n) == (rounds, rounds * values)
    assert row.more is not None
    decision = words_of(said(answer).decision)
    assert decision == f"Do not decide yet: measure each configuration in {rounds + row.more} rounds, in turn."


def test_a_change_at_the_limit_is_told_as_what_it_is() -> None:
    """Size and direction are sure, and only whether 2 % matters is open: no noise is blamed, no more values asked."""
    exactly = [1e-6 * (1 + 0.0001 * place) for place in range(20)]
    row = make_row("Encode", exactly, [1.02 * one for one in exactly], verdict="cannot tell", reason="at the limit")
    told = said(make_answer([row]))
    assert words_of(told.answer) == "Encode in new: 2.0% more time, at your limit of 2.00%."
    assert words_of(told.decision) == "Do not decide yet: say with --min-effect whether 2.0% matters."
    assert told.confidence.level == "high"
    [shown] = [row for table in tables(told) for row in table.rows][:1]
    assert words_of(shown[4]).endswith(", at your limit")


def test_refusals_are_said() -> None:
    """Alone a refusal is the answer; beside an answer it is a line."""
    refusal = Refusal(question="old against older", reason="there is no older", advice="name another")
    assert words_of(said(refusal).answer) == "No answer: there is no older."
    assert said(refusal).status == "Cannot tell"
    assert "old against older: not compared, as there is no older" in [
        words_of(block.line)
        for section in said(decided(), refusal).sections
        for block in section.blocks
        if isinstance(block, Fold)
    ]


def test_changes_are_said_one_way() -> None:
    """Percent below twice, times from there on; never "0.9x faster", whatever the ratio."""
    for ratio in np.exp(np.linspace(-3, 3, 200)):
        shown = words_of(change(float(ratio), "time"))
        assert ("times" in shown) == (ratio >= 2)
        assert shown.endswith("time")
        assert "faster" not in shown
    assert words_of(change(math.nan, "allocations")) == "allocations up from zero"
    assert ATTACK not in words_of(change(1.0, "time"))


def test_benchmarks_of_one_name_are_told_by_their_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What all packages begin with says nothing."""
    for side, factor in (("old", 1.0), ("new", 1.5)):
        lines = []
        for package, slower in (("ex/a", factor), ("ex/a/sub", 1.0)):
            values = [(100 + turn * 7 % 10) * slower for turn in range(10)]
            lines += [f"pkg: {package}", *(f"BenchmarkR 10 {value} ns/op" for value in values)]
        (tmp_path / f"{side}.txt").write_text("\n".join([*lines, ""]))
    assert main(["compare", str(tmp_path / "old.txt"), str(tmp_path / "new.txt")]) == 0
    assert "at worst time (a): 50% more" in capsys.readouterr().out
