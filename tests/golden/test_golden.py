"""What a reader sees first, word for word: a change of it is a decision, not an accident.

Regenerate after an edit of wording, then read the diff::

    BENCHLIB_UPDATE_GOLDEN=1 python -m pytest tests/golden tests/malformed
"""

from __future__ import annotations

import html
import re
import textwrap
from html.parser import HTMLParser
from pathlib import Path

import plotly.graph_objects as go
import pytest

from benchlib import report
from benchlib.report.wording.markup import Section, Table, render_table
from tests.golden.compare import golden
from tests.shipped_studies import NAMES, summary

#: Elements that stand on a line of their own.
_BLOCKS = {"div", "p", "ul", "ol", "li", "table", "tr", "h2", "h3", "h4", "details", "summary", "caption", "dt"}


class _Words(HTMLParser):
    """The words of some HTML, a block a line, the cells of a row separated by bars."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.words = ""
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.words += "\n" if tag in _BLOCKS else " | " if tag in ("td", "th", "dd") else ""
        self.words += "- " if tag == "li" else ""

    def handle_endtag(self, tag: str) -> None:
        self.words += "\n" if tag in _BLOCKS | {"strong"} else ""

    def handle_data(self, data: str) -> None:
        self.words += data


def plain(section: Section) -> str:
    """Return the words of a section as a reader meets them, wrapped."""
    words = _Words("".join(_markup(one) for one in section.blocks)).words.replace("\xa0", " ")
    lines = [re.sub(r"\s+", " ", one).strip(" |") for one in words.splitlines()]
    shown = [textwrap.fill(one, 100, subsequent_indent="    ") for one in lines if one]
    return "\n".join([f"[{section.title or 'Headline'}]", *shown])


def _markup(block: object) -> str:
    """A figure is its caption; what it draws has tests of its own."""
    if isinstance(block, go.Figure):
        return f"<p>Figure. {html.escape(block.layout.meta['caption'])}</p>"
    return str(render_table(block) if isinstance(block, Table) else block)


@pytest.mark.parametrize("name", NAMES)
def test_headline_and_key_results_read_as_agreed(name: str) -> None:
    """Verdict, cards, first caveats and key results of each shipped study, word for word."""
    sections = [report.headline(summary(name)), report.key_results(summary(name))]
    golden(f"headline-{name}.txt", "\n\n".join(plain(one) for one in sections))


def test_every_golden_text_has_its_study() -> None:
    """A golden file of a study that is gone would be compared with nothing."""
    here = Path(__file__).parent
    kept = {one.stem.removeprefix("headline-") for one in here.glob("headline-*.txt")}
    assert kept == set(NAMES)
