"""The author's own sentences: numbers by the data, conditions in units, mistakes in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.answers.executive import executive_summary
from benchlib.document.blocks import Document
from benchlib.document.numbers import words_of
from benchlib.errors import StudyError
from benchlib.study import open_study
from benchlib.tell.executive import executive

SIDES = {
    side: "".join(f"Benchmark{name} 100 {low + run} ns/op\n" for run in range(6) for name, low in rows.items())
    for side, rows in {"old": {"A": 100, "B": 200}, "new": {"A": 150, "B": 300}}.items()
}


def told(folder: Path, lines: str) -> Document:
    """The page of two sides whose study.toml begins with some lines."""
    for side, text in SIDES.items():
        (folder / f"{side}.txt").write_text(text)
    compared = '[[compare]]\nname = "change"\nbaseline = "old.txt"\ncandidates = ["new.txt"]\ncolumn = "source"\n'
    (folder / "study.toml").write_text(f"{lines}\n{compared}")
    return executive(executive_summary(open_study(folder)))


def test_numbers_of_a_sentence_come_from_the_data(tmp_path: Path) -> None:
    """Forms say the digits; the sentence is shown while its conditions hold."""
    own = 'answer = "A took {time.a:2} longer."\nanswer_if = ["time.a > 20%", "time.a.ratio > 1.2", "time.a <= time.a"]'
    assert words_of(told(tmp_path, own).answer) == "A took 49% longer."


def test_a_sentence_that_no_longer_holds_is_not_shown_but_reported(tmp_path: Path) -> None:
    """The page says so, is no longer sure, and trips the gate of warnings."""
    page = told(tmp_path, 'answer = "A is as fast."\nanswer_if = ["time.a.ratio < 1.1"]')
    assert "as fast" not in words_of(page.answer)
    assert (page.status, page.confidence.level, page.answers["gate"]) == ("Answered, with doubts", "medium", "warn")
    assert page.doubts[0].words == "the author's answer no longer holds"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('answer = "Hi {nope}."', "answer names 'nope', which no answer has"),
        ('answer_if = ["time.a > abc%"]', "answer_if holds a value against 'abc%'; write a number, a percent"),
        ('answer_if = ["time.a > 1 ms"]', "answer_if holds a value in 'ratio' against '1 ms' in 'sec'; write both"),
        ('answer_if = ["time.a.ratio > 20%"]', "answer_if holds a value in 'x' against '20%' in 'ratio'; write both"),
    ],
)
def test_a_name_or_unit_that_no_answer_has_is_told_in_one_line(tmp_path: Path, lines: str, said: str) -> None:
    """What was found and what is accepted; nothing is compared across units."""
    with pytest.raises(StudyError) as mistake:
        told(tmp_path, lines)
    assert str(mistake.value).startswith(f"study.toml: {said}")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('answer = "Hi {time.a:9}."', "'answer' at the top level: '9' is no form of a value; write number, or 1 to 4"),
        ('decision = "{}"', "'decision' at the top level: a brace names no value; write {name}, or leave braces out"),
        ('answer_if = ["time.a"]', "'answer_if' at the top level: 'time.a' is no condition; write name > 90000"),
    ],
)
def test_a_slip_is_told_with_its_line_before_anything_is_computed(tmp_path: Path, lines: str, said: str) -> None:
    """By every command, as any other mistake of study.toml."""
    (tmp_path / "run.txt").write_text(SIDES["old"])
    (tmp_path / "study.toml").write_text(f'title = "x"\n{lines}\n')
    with pytest.raises(StudyError) as mistake:
        open_study(tmp_path)
    assert f"study.toml:2: {said}" in str(mistake.value)
