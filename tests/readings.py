"""A text read by the reader that its content chooses, and what came of it as tests compare it."""

from __future__ import annotations

from dataclasses import astuple

from benchlib.formats.reader import Reading, TextFile
from benchlib.formats.registry import choose


def read(text: str, source: str = "a.txt", *, open_end: bool = False) -> Reading:
    """Read a text; each line of it, or record, is counted once."""
    file = TextFile(source, text.removesuffix("\n").split("\n"), open_end=open_end)
    return choose(file).read(file)


def read_lines(text: str, source: str = "a.txt", *, open_end: bool = False) -> Reading:
    """Read a text of lines, each of which is accounted for."""
    reading = read(text, source, open_end=open_end)
    assert sum(astuple(reading.lines)) == text.removesuffix("\n").count("\n") + 1
    return reading


def values(reading: Reading) -> list[tuple[str, str | None, float, str]]:
    """Return name, metric, value and unit of each row."""
    rows = reading.rows
    return list(zip(rows.name, rows.metric, rows.value, rows.unit, strict=True))
