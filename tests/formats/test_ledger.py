"""Each line, and each record of a structured file, has one fate."""

from __future__ import annotations

from benchlib.formats.reader import Records, Rows


def test_records_count_each_once() -> None:
    """A record has one fate, the last that was entered."""
    records = Records([1, 2, 3])
    records.data(0)
    records.problem(0, "after all")
    records.context(1)
    counts = records.reading(Rows(), []).lines
    assert counts.total == 3
    assert (counts.problem, counts.context, counts.noise) == (1, 1, 1)
