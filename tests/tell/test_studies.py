"""The first screen and the page of every study that comes with benchlib: short, traced, said once."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from markupsafe import Markup

from benchlib.document.blocks import Number, numbers_in
from benchlib.document.numbers import words_of
from benchlib.render.html import HtmlWriter
from benchlib.render.page import page
from tests.shipped_studies import NAMES, document

#: An identifier of code: a mark within a word, or a capital behind a small letter.
IDENTIFIER = re.compile(r"\w_\w|[a-z][A-Z]")
#: Prose shorter than this may be said twice: a name, a unit, a head.
SENTENCE = 8


def words(markup: Markup) -> list[str]:
    """What a reader reads, folds left out."""
    shown = re.sub(r"<summary>(.*?)</summary>", r"</details>\1<details>", str(markup), flags=re.DOTALL)
    shown = re.sub(r"<details\b.*?</details>", " ", shown, flags=re.DOTALL)
    return Markup(re.sub(r"<[^>]*>", " ", shown)).unescape().split()


@pytest.mark.parametrize("study", NAMES)
def test_a_first_screen_is_short_and_names_no_identifier(study: str) -> None:
    """At most 25 words and three numbers of answer, 20 of decision, 15 of reason, 110 in all."""
    told = document(study)
    answer, decision = words_of(told.answer), words_of(told.decision)
    assert len(answer.split()) <= 25, answer
    assert len(decision.split()) <= 20, decision
    assert len(words_of(told.confidence.reason).split()) <= 15
    assert len(told.facts) <= 3
    assert len(told.doubts) <= 3
    assert not IDENTIFIER.search(f"{answer} {decision}"), answer
    assert len(words(HtmlWriter().first_screen(told))) <= 110


@pytest.mark.parametrize("study", NAMES)
def test_numbers_of_a_first_screen_lead_to_their_rows(study: str) -> None:
    """At most three in the answer; each has rows of files."""
    told = document(study)
    assert sum(isinstance(part, Number) for part in told.answer) <= 3
    numbers = [*numbers_in(told.answer), *numbers_in(told.decision), *numbers_in(told.facts)]
    assert numbers
    assert [number for number in numbers if number.evidence is None or not number.evidence.rows] == []


@pytest.mark.parametrize("study", NAMES)
def test_a_page_is_short_and_says_nothing_twice(study: str) -> None:
    """At most 1,500 words before folds and half a megabyte; no sentence stands twice."""
    told = document(study)
    writer = HtmlWriter()
    body = [writer.first_screen(told), *(writer.section(section) for section in told.sections)]
    assert sum(len(words(part)) for part in body) <= 1_500
    shown = re.sub(r"<(?:td|th|code)\b.*?</(?:td|th|code)>", "", str(Markup("\n").join(body)), flags=re.DOTALL)
    prose = Markup(re.sub(r"<[^>]*>", "\n", shown)).unescape().split("\n")
    sentences = Counter(" ".join(line.split()) for line in prose if len(line.split()) >= SENTENCE)
    assert [sentence for sentence, times in sentences.items() if times > 1] == []
    assert len(page(told).encode()) <= 550_000


@pytest.mark.parametrize("study", NAMES)
def test_a_doubt_on_the_first_screen_leads_to_its_sentence(study: str) -> None:
    """Every link has its place on the page."""
    told = document(study)
    places = re.findall(r' id="([^"]+)"', page(told))
    assert [link.words for link in told.doubts if link.anchor not in places] == []
    assert len(places) == len(set(places))
