"""Reports as Markdown: read back by a Markdown parser, so that what is tested is what a wiki shows."""

from __future__ import annotations

import re

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.report.page.formats.markdown import to_markdown, write_markdown
from tests.report.sample_notebook import HOSTILE, sample_notebook

rendered = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url", "math"])


def words(markdown: str) -> str:
    """What a reader sees of some Markdown."""
    from html import unescape

    page = str(rendered(markdown))
    assert not re.search(r"<(script|img|iframe|svg|a|em|strong|del|div)\b", page.replace("<strong>KEPT</strong>", ""))
    return unescape(re.sub(r"<[^>]*>", "", page)).strip()


NAMES = st.text(
    st.one_of(st.sampled_from(list("\\`*_[]|~$#!<>&@:/.-+=()\"' 1ab")), st.characters(blacklist_categories=("C", "Z"))),
    min_size=1,
    max_size=30,
)


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@given(NAMES)
def test_a_name_in_a_sentence_is_shown_as_it_stands(name: str) -> None:
    """Nothing in it becomes a link, a heading, a list, emphasis or markup."""
    from html import escape

    markdown = write_markdown(f"<p>{escape(name)}</p>", title="T", pictures={})
    _, _, body = markdown.partition("\n")
    assert _squeezed(words(body)) == _squeezed(name)


@given(NAMES, NAMES)
def test_a_name_in_a_table_stays_in_its_cell(name: str, code: str) -> None:
    """A bar is a character of the name, in code too."""
    from html import escape

    table = (
        '<table><caption>C</caption><thead><tr><th>a</th><th class="num">b</th></tr></thead>'
        f"<tbody><tr><td>{escape(name)}</td><td><code>{escape(code)}</code></td></tr></tbody></table>"
    )
    page = str(rendered(write_markdown(table, title="T", pictures={})))
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page, re.DOTALL)
    assert len(cells) == 2
    from html import unescape

    shown = [_squeezed(unescape(re.sub(r"</?code>", "", one))) for one in cells]
    assert shown == [_squeezed(name), _squeezed(code)]


def test_a_report_reads_as_markdown() -> None:
    """Title, verdict, cards and caveats as words, tables with pipes, figures told."""
    markdown = to_markdown(sample_notebook(), title="ONIX adapter", pictures={})
    assert markdown.startswith("# ONIX adapter\n")
    assert "| Figure | Value | How sure | Remark |" in markdown
    assert "## Caveats" in markdown
    assert "*Figure: " in markdown
    assert "not for readers" not in markdown
    assert "printed by set-up" not in markdown
    page = str(rendered(markdown))
    assert page.count("<table") >= 2
    assert not re.search(r"<(script|img|iframe)", page)


def test_hostile_markup_of_a_notebook_is_words() -> None:
    """A heading that is a script, a link that is one, a picture from elsewhere."""
    page = str(rendered(to_markdown(sample_notebook(), title=HOSTILE, pictures={})))
    assert "<script" not in page
    assert "javascript:" not in re.sub(r">[^<]*<", "><", page)
    assert "pixel.png" not in page


def test_long_folds_stay_folded_and_say_where_they_are() -> None:
    """A wiki page of two thousand rows is no report; short ones are told whole."""

    def fold(rows: int) -> str:
        body = "".join(f"<tr><td>{number}</td></tr>" for number in range(rows))
        return (
            f"<details><summary>{rows} more rows</summary>"
            f"<table><thead><tr><th>a</th></tr></thead><tbody>{body}</tbody></table></details>"
        )

    assert write_markdown(fold(13), title="T", pictures={}) == "# T\n\n*13 more rows: on the HTML page.*\n"
    assert "| 11 |" in write_markdown(fold(12), title="T", pictures={})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>1. a</p>", "1\\. a"),
        ("<p>10-20 of them</p>", "10-20 of them"),
        ("<p>- a</p>", "\\- a"),
        ("<p>+1 %</p>", "\\+1 %"),
        ("<ol><li>a<ul><li>b</li></ul></li></ol>", "1. a\n   - b"),
        ("<pre>a\n```\nb</pre>", "````text\na\n```\nb\n````"),
        ("<dl><dt>k</dt><dd>v</dd></dl>", "- **k:** v"),
        ('<p>see <a href="https://x.org/a b(1)">it</a></p>', "see [it](https://x.org/a%20b%281%29)"),
        ('<p>see <a href="javascript:x">it</a></p>', "see it"),
        ('<p><button>8.2 ms</button> at <data value="3">N</data></p>', "8.2 ms at N"),
        ("<p>snake_case _x_</p>", "snake_case \\_x\\_"),
        ("<p><b>bold </b>x</p>", "**bold** x"),
        ("<h1>Why?</h1>", "*Why?*"),
        ("<h1>T</h1>", ""),
        ("<blockquote><p>said</p></blockquote>", "> said"),
    ],
)
def test_each_element_has_its_markdown(body: str, expected: str) -> None:
    """Blocks, lists, code, links and what the page makes of figures."""
    assert write_markdown(body, title="T", pictures={}) == f"# T\n\n{expected}\n".replace("\n\n\n", "\n")
