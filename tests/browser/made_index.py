"""A list of reports made for tests: one of each status, one with a name that would be markup, one that failed."""

from __future__ import annotations

from benchlib.report.page.index import IndexCard, IndexEntry, to_index

__all__ = ["made_index"]


def made_index() -> str:
    """Return the page."""

    card = IndexCard(
        label="p99 of a benchmark with a rather long name",
        value="1.5 ms",
        interval="95 %: 1.4 to 1.6 ms",
        change="against old: 3 % slower, 95 %: 1 to 5 %",
        target="Target at most 1 ms: FAIL, 5 of 5 cells",
    )

    def entry(title: str, status: str, verdict: str) -> IndexEntry:
        return IndexEntry(
            title=title,
            href=f"{status}/executive_summary.html",
            status=status,
            verdict=verdict,
            updated="2026-11-20",
            cards=(card,) * 6,
        )

    return to_index(
        [
            entry("Adapter", "pass", "Every target is met."),
            entry("Café gateway", "warn", "Add no cores beyond 4."),
            entry("<img src=x onerror=\"document.title='taken'\">", "fail", "A target is missed."),
            entry("Token SDK", "error", "study.toml:4: unknown key"),
        ]
    )
