"""Each line, and each record of a structured file, has one fate."""

from __future__ import annotations

from benchlib.formats.ledger import Records


def test_records_count_each_once() -> None:
    """A record has one fate, the last that was entered."""
    records = Records([1, 2, 3])
    records.data(0)
    records.problem(0, "after all")
    records.context(1)
    assert records.counts().total == 3
    assert (records.counts().problem, records.counts().context, records.counts().noise) == (1, 1, 1)
