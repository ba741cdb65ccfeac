"""The list of reports."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_notebook

from benchlib.errors import ExportError
from benchlib.report.page.export import check_page
from benchlib.report.page.index import IndexEntry, to_index


def entry(href: str = "a/index.html", status: str = "warn", title: str = "A") -> IndexEntry:
    return IndexEntry(
        title=title,
        href=href,
        status=status,
        verdict="Add no cores.",
        updated="2025-10-14",
        cards=(("Peak", "8"),),
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
