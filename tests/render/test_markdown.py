"""Documents as Markdown: the answer first, five rows seen, the rest folded; names that would be markup."""

from __future__ import annotations

import re
from functools import cache

import mistune
import pytest

from benchlib.answers.comparison import ComparisonAnswer
from benchlib.document.blocks import Document, Paragraph
from benchlib.document.numbers import words_of
from benchlib.render.markdown import markdown, marker_of, plain_markdown
from benchlib.tell.comparison import document
from tests.comparison_answers import controlled, decided, drifted, few, hostile, large
from tests.shipped_studies import NAMES, study, summary


@cache
def told(name: str) -> Document:
    """The comparisons of a study."""
    whole = summary(name)
    return document(whole.comparisons, whole.study, whole.targets, whole.claims)


def made(answer: ComparisonAnswer) -> Document:
    """An answer made by hand as a document."""
    return document([answer], study("reference"))


def rendered(text: str) -> str:
    """Markdown as a reader of GitHub gets it: tables, and HTML as it stands."""
    html = mistune.create_markdown(escape=False, plugins=["table"])(text)
    assert isinstance(html, str)
    return html


def seen(text: str) -> str:
    """What is not folded."""
    return re.sub(
        r"<details>.*?</details>", "", re.sub(r"<details>(?=.*<details>)", "<details>", text), flags=re.DOTALL
    )


@pytest.mark.parametrize("answer", [decided, drifted, controlled, large, few])
def test_at_most_five_rows_are_seen(answer: object) -> None:
    """The others are behind a fold that says how many they are; what the table is to be read by stands beside it."""
    document = made(answer())  # type: ignore[operator]
    text = markdown(document)
    before = text.partition("<details>")[0]
    rows = [line for line in before.splitlines() if line.startswith("| ")]
    assert len(rows) <= 2 + 5
    notes = [words_of(block.text) for block in document.sections[0].blocks if isinstance(block, Paragraph)]
    assert [note for note in notes if note not in before] == []
    assert bool(notes) is (answer in (decided, controlled, large))
    assert text.count("<details>") == text.count("</details>") > 0


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("noise", "reference")])
def test_tables_are_tables(name: str) -> None:
    """Read as Markdown every row has the cells of its head; no blanks align numbers; nothing is too long."""
    text = markdown(told(name))
    assert "  " not in text.replace("|   |", "")
    assert len(text) <= 65_536
    page = rendered(text)
    found = re.findall(r"<table>.*?</table>", page, re.S)
    assert found
    for table in found:
        assert len({len(re.findall(r"<t[hd]", row)) for row in re.findall(r"<tr>.*?</tr>", table, re.S)}) == 1
    assert "|" not in re.sub(r"<code>.*?</code>|<[^>]*>", "", page)


def test_hostile_names_are_words() -> None:
    """No element, table cell, code, mention or link comes of a name, folded or not."""
    document = made(hostile())
    for text in (markdown(document, name="<!-- --> @x"), plain_markdown(document)):
        page = rendered(text)
        assert "<img" not in page
        assert "<code>0</code>" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert marker_of("a --> <b>") == "a-b"


def test_what_is_too_long_is_left_out_and_said() -> None:
    """Whole sections go, never half a table; the answer stays."""
    document = made(large())
    text = markdown(document, most=2_500)
    assert len(text) <= 2_500
    assert text.startswith("🟢 **New changes ")
    said = "Left out, as a comment has at most 2,500 characters: 2 sections (Evidence, Every comparison)."
    assert text.rstrip().endswith(said)
    more = markdown(document, most=30_000)
    assert more.rstrip().endswith("characters: 1 section (Every comparison).")
    assert "more rows</summary>" in more
    assert text.count("<details>") == text.count("</details>")


def test_a_whole_document_folds_nothing() -> None:
    """As a file it has headings instead."""
    text = plain_markdown(told("lplex"))
    assert "<details>" not in text
    assert "## What could be wrong" in text
