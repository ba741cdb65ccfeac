"""Where the time goes: shares that are told, shares that are refused, and what a second worker adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.asking import Refusal
from benchlib.answers.effects import analyse_effects
from benchlib.answers.executive import executive_summary
from benchlib.document.blocks import Fold, Paragraph, numbers_in
from benchlib.document.numbers import words_of
from benchlib.render.terminal import terminal
from benchlib.tell import breakdown, effects
from tests.shipped_studies import study, summary
from tests.synthetic import around, go_text, make_study

PLAN = '[[breakdown]]\nname = "writing"\nwhole = "Write"\nparts = ["Encode", "Flush"]\n'


def told(name: str, doubt: str = "") -> object:
    return breakdown.finding(summary(name).breakdowns, summary(name).bottleneck, study(name), doubt)


def test_a_second_worker_adds_little_where_one_keeps_more_than_a_core_busy() -> None:
    """Not "an efficiency of 65 %": one worker does 1.4 times the serial benchmark, so little is left to gain."""
    finding = told("token-sdk")
    assert isinstance(finding, Fold)
    assert words_of(finding.line) == "A second worker adds 32%; one already did 1.4 cores' worth of work."
    gain, cores = numbers_in(finding.line)
    assert gain.value == pytest.approx(0.322, abs=0.003)
    assert cores.value == pytest.approx(1.426, abs=0.003)
    assert gain.evidence is not None
    assert len(gain.evidence.rows) > 6


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("token-sdk", "measured while the machine was busy, for two seconds at each level."),
        ("lplex", "the machine was busy with other work."),
    ],
)
def test_shares_of_rows_that_the_study_does_not_trust_are_refused(name: str, reason: str) -> None:
    """No "45 % TransferProofGeneration", no "-2 % (-71 to 67 %)": the authors say that these rows show nothing."""
    finding = told(name)
    paragraph = finding if isinstance(finding, Paragraph) else finding.blocks[-1]  # type: ignore[attr-defined]
    assert words_of(paragraph.text).endswith(f"spends its time is not judged: {reason}")
    assert list(numbers_in(paragraph)) == []


def test_recordings_that_drifted_have_no_shares() -> None:
    finding = told("lplex", "code that the change cannot reach moved too")
    assert isinstance(finding, Paragraph)
    assert words_of(finding.text) == (
        "Where frame JSON serialization full spends its time is not judged: "
        "code that the change cannot reach moved too."
    )


def test_shares_that_were_measured_are_told(tmp_path: Path) -> None:
    """60 and 30 of 100: the largest part leads, and what no part explains has its bar."""
    times = {"Write": around(100.0), "Encode": around(60.0), "Flush": around(30.0)}
    made = make_study(tmp_path, PLAN, a=go_text(times))
    answer = executive_summary(made)
    finding = breakdown.finding(answer.breakdowns, None, made)
    assert isinstance(finding, Fold)
    assert words_of(finding.line) == "Encode takes 60% of Write."
    figure, table = finding.blocks
    marks = [mark["text"] for mark in figure.panels[0].chart["layout"]["annotations"]]  # type: ignore[union-attr]
    assert marks == [
        "Encode: 60%, measured by itself", "Flush: 30%, measured by itself", "no part explains it: 10%, what is left"
    ]  # fmt: skip
    assert len(table.rows) == 2  # type: ignore[union-attr]


def test_shares_that_nothing_pins_down_are_refused(tmp_path: Path) -> None:
    times = {"Write": [100.0, 400.0, 90.0], "Encode": [60.0, 10.0, 300.0], "Flush": [30.0, 31.0, 29.0]}
    made = make_study(tmp_path, PLAN, a=go_text(times))
    finding = breakdown.finding(executive_summary(made).breakdowns, None, made)
    assert isinstance(finding, Paragraph)
    assert "runs differ so much that Encode could be nearly any share" in words_of(finding.text)


def test_nothing_is_said_where_nothing_was_planned() -> None:
    refusal = Refusal(question="bottleneck", reason="no twin", advice="measure one")
    assert breakdown.finding((), refusal, study("reference")) is None
    assert told("onix-adapter-published") is None


def test_the_page_of_costs_says_the_refusal_and_not_its_caveat() -> None:
    text = terminal(effects.document(analyse_effects(study("lplex")), study("lplex")), full=True, width=150)
    assert "Where frame JSON serialization full spends its time is not judged" in text
    assert "the parts cost" not in text
