"""What readers remark of a whole file: caveats that every conclusion carries, or those about latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import choices, printable
from benchlib.results import Results, Series

__all__ = ["CODES", "remark", "timeouts"]

#: Kind of series -> code of the caveat.
CODES = {"rounded": "rounded-values", "closed-loop": "closed-loop", "no-unit": "no-unit"}


def remark(results: Results) -> Results:
    """Return the results with one caveat for each kind of remark, naming the files."""
    if not any(one.kind in CODES for one in results.series):
        return results
    found = []
    used = {str(one) for one in [*results.frame["source"].unique(), *results.failed["source"].unique()]}
    for kind, code in CODES.items():
        told = [one for one in results.series if one.kind == kind]
        # A table that gave way to its log rounds nothing that is shown.
        sources = list(dict.fromkeys(one.source for one in told if one.source in used))
        if not sources:
            continue
        found.append(caveat(code, f"{_named(sources)}: {_what(kind, told)}"))
    return replace(results, caveats=merge(results.caveats, found)) if found else results


def timeouts(results: Results) -> tuple[Caveat, ...]:
    """Return a caveat for each run of which requests timed out: told beside the latencies they concern."""
    return tuple(
        caveat(
            "latency-excludes-timeouts",
            f"{one.name} ({one.source}): {one.data[0]} requests timed out and are in no percentile",
        )
        for one in results.series
        if one.kind == "timeouts" and one.data
    )


def _what(kind: str, told: Sequence[Series]) -> str:
    words = list(dict.fromkeys(printable(part, 200) for one in told for part in one.data if isinstance(part, str)))
    if kind == "closed-loop":
        tools = " and ".join(words[:3]) or "the generator"
        return f"{tools} waits for each answer before it sends the next request"
    if kind == "no-unit":
        return f"no unit is written for {choices(words, 3)}"
    return words[0] if words else "values were rounded before they were written"


def _named(sources: Sequence[str]) -> str:
    shown = ", ".join(printable(one, 60) for one in sources[:2])
    rest = len(sources) - 2
    return shown if rest <= 0 else f"{shown} and {rest} more file{'s' if rest > 1 else ''}"
