"""The list of reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchlib.report.page.style import read_style
from nbformat.v4 import new_notebook

from benchlib.errors import ExportError
from benchlib.report.page.export import check_page
from benchlib.report.page.index import IndexCard, IndexEntry, to_index


def entry(href: str = "a/index.html", status: str = "warn", title: str = "A") -> IndexEntry:
    return IndexEntry(
        title=title,
        href=href,
        status=status,
        verdict="Add no cores.",
        updated="2025-10-14",
        cards=(IndexCard(label="Peak", value="8", interval="95 %: 7 to 9", change="", target="Target: <b>PASS</b>"),),
    )


def test_each_report_is_linked_with_its_verdict_in_words() -> None:
    """Relative links work from disk; the status is a word, not only a colour."""
    page = to_index([entry(), entry("b c/index.html", "pass", "<script>x</script>")])
    assert 'href="a/index.html"' in page
    assert 'href="b%20c/index.html"' in page
    assert "WARN" in page
    assert "PASS" in page
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    check_page(page, new_notebook())


def test_a_figure_stands_with_all_that_its_page_says_of_it() -> None:
    """How sure it is and what it is to keep; nothing stands for what the page does not say."""
    [figure] = re.findall(r"<div><dt>.*?</div>", to_index([entry()]), flags=re.DOTALL)
    told = re.findall(r"<d[td][^>]*>(.*?)</d[td]>", figure)
    assert told == ["Peak", "8", "95 %: 7 to 9", "Target: &lt;b&gt;PASS&lt;/b&gt;"]


def test_the_statuses_that_there_are_can_be_chosen() -> None:
    """With how many reports have each."""
    page = to_index([entry(), entry(), entry(status="error")])
    assert '<option value="warn">WARN (2)</option>' in page
    assert '<option value="error">FAILED (1)</option>' in page
    assert 'value="pass"' not in page


def test_the_list_has_the_style_of_the_pages(tmp_path: Path) -> None:
    """Logo, accent and rules of one's own."""
    (tmp_path / "logo.svg").write_text("<svg/>")
    (tmp_path / "own.css").write_text(".report { margin: 0 }")
    page = to_index([entry()], style=read_style(tmp_path / "logo.svg", "#8a1c5d", tmp_path / "own.css"))
    check_page(page, new_notebook())
    assert "data:image/svg+xml;base64," in page
    assert "--link: #8a1c5d" in page
    assert ".report { margin: 0 }" in page


def test_an_empty_list_says_so() -> None:
    """Rather than an empty page."""
    assert "No report has been built yet." in to_index([])


@pytest.mark.parametrize("href", ["/etc/passwd", "../x.html", "javascript:x", "https://example.org", "//x"])
def test_no_entry_leads_out_of_the_folder(href: str) -> None:
    """The list is opened from disk and passed on."""
    with pytest.raises(ExportError, match="may not lead to"):
        to_index([entry(href)])


def test_an_unknown_status_is_refused() -> None:
    """There is no word to show for it."""
    with pytest.raises(ExportError, match="is no status"):
        to_index([entry(status="green")])
