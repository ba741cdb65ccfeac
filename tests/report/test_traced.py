"""Nearly every number on a page leads back to its rows, and those that do not are no results."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

import nbformat
import pytest

from benchlib.report.page.agreeing import Known, figures
from benchlib.report.page.checking import check_page
from benchlib.report.page.packing import unpack
from tests.report.shipped import shipped_report

PAGES = [
    ("onix-adapter-published", "executive_summary"),
    ("onix-adapter-published", "40_scaling"),
    ("onix-adapter-published", "70_capacity"),
    ("http-endpoints", "70_capacity"),
    ("token-sdk", "executive_summary"),
    ("token-sdk", "50_effects"),
    ("lplex", "30_comparison"),
]
_NUMBER = re.compile(r"(?<![\w.,:/#+−-])[+−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|-\w|[.:]\d)")
#: Where numbers are no results: headings and names, code, packed data, what charts say beside their data, and how to
#: read a table.
NAMES = {"h1", "h2", "h3", "summary", "caption", "th", "code", "pre", "script", "dl", "figcaption", "noscript", "title"}
#: Words of the study's author, and advice.
WORDS = {"question", "subtitle", "asked", "notes", "caveat-advice", "refusal", "card-label"}
VOID = {"br", "img", "meta", "hr", "input", "link"}


class Numbers(HTMLParser):
    """Numbers in the words of a page: how many are traced, and those that are not, with what surrounds them."""

    names = NAMES

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.traced = 0
        self.bare: list[str] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._caption = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._caption = ""
        if tag not in VOID:
            self._open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][0] == "caption":
            self._caption = data
        if any("data-e" in given for tag, given in self._open if tag != "tr"):
            self.traced += len(_NUMBER.findall(data))
        elif not self._no_result():
            self.bare += [data[max(0, one.start() - 30) : one.end() + 20] for one in _NUMBER.finditer(data)]

    def _no_result(self) -> bool:
        classes = {word for _, given in self._open for word in (given.get("class") or "").split()}
        tags = [tag for tag, _ in self._open]
        # Cells of words name what a row is of; the files name themselves.
        label = "td" in tags and "num" not in classes
        return label or self._caption == "Files" or bool(self.names & set(tags)) or bool(WORDS & classes)


def markup_of(study: str, notebook: str) -> Iterator[str]:
    """What a reader sees of a page: its body, and the rows that are packed away."""
    page = shipped_report(study, notebook).page.read_text(encoding="utf-8")
    yield page.partition('<main id="content">')[2].partition("</main>")[0]
    for rows in unpack(page.split('id="page-data">')[1].split("</script>")[0])["rows"]:
        yield f"<table><tbody>{rows}</tbody></table>"


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_numbers_lead_back_to_their_rows(study: str, notebook: str) -> None:
    """Ninety-eight of a hundred in sentences, cards and tables; the rest are quoted claims and how to read a figure."""
    body, *_ = markup_of(study, notebook)
    found = Numbers(body)
    assert found.traced > 100
    assert len(found.bare) <= 0.02 * found.traced, found.bare


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_verdict_and_cards_are_traced_without_exception(study: str, notebook: str) -> None:
    """A leader reads them first."""
    body = next(markup_of(study, notebook))
    for part in re.findall(r'<p class="verdict-sentence">.*?</p>|<div class="card-value">.*?</div>', body, re.DOTALL):
        assert Numbers(part).bare == [], part


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_what_charts_say_in_words_reads_as_numbers_of_the_answers(study: str, notebook: str) -> None:
    """Those who cannot see a chart are told nothing else than those who can."""
    report = shipped_report(study, notebook)
    known = Known([json.loads(report.answers.read_text(encoding="utf-8"))["answers"]])
    labels = re.findall(r'<div class="plot" role="group" aria-label="([^"]*)"', report.page.read_text(encoding="utf-8"))
    # Where every value is drawn the words name the span of what is drawn, which no answer holds.
    told = [one for label in labels if not label.startswith("Every value") for one in figures(html.unescape(label))]
    assert len(told) >= 5
    assert [one.text for one in told if not known.holds(one)] == []


@pytest.mark.parametrize(("study", "notebook"), PAGES)
def test_counts_in_sentences_are_those_of_the_answers(study: str, notebook: str) -> None:
    """The gate compares what has a unit or decimals; here every number is."""
    report = shipped_report(study, notebook)
    answers = json.loads(report.answers.read_text(encoding="utf-8"))
    page = report.page.read_text(encoding="utf-8")
    check_page(page, nbformat.read(report.notebook, as_version=4), answers=answers, counts=True)
