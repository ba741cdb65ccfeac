"""The table that the speed benchmarks print: what was measured, and whether it keeps its goal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    what: str
    measured: str
    goal: str
    kept: bool


def print_table(rows: Iterable[Row]) -> None:
    """Print the rows as a table in Markdown."""
    print("| what | measured | goal | kept |\n|---|---|---|---|")
    for one in rows:
        kept = "" if not one.goal else "yes" if one.kept else "NO"
        print(f"| {one.what} | {one.measured} | {one.goal} | {kept} |")
