"""The day that a report is from: no clock is asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import benchlib
from benchlib.run.fingerprint import built_for, data_stamp


@pytest.mark.parametrize(
    ("date", "stamp"),
    [
        (None, "2001-09-09T01:46:40+00:00"),
        ("2026-11-20", "2026-11-20T00:00:00+00:00"),
        ('"2026-11-20"', "2026-11-20T00:00:00+00:00"),
        ("2026-11-20T18:30:00+02:00", "2026-11-20T16:30:00+00:00"),
        ('"2026-11-20 18:30:00 UTC"', "2026-11-20T18:30:00+00:00"),
        ('"2026-11-20 UTC"', "2026-11-20T00:00:00+00:00"),
        ("2026-11-20T18:30:00", "2026-11-20T18:30:00+00:00"),
        ('"a busy week"', "2001-09-09T01:46:40+00:00"),
        ("18:30:00", "2001-09-09T01:46:40+00:00"),
        ("0001-01-01T00:00:00+02:00", "2001-09-09T01:46:40+00:00"),
    ],
)
def test_a_report_is_from_the_day_that_its_study_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, date: str | None, stamp: str
) -> None:
    """The date of its environment, else of its newest file; SOURCE_DATE_EPOCH before both. Words alone are no date."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for name, when in (("a.txt", 900_000_000), ("b.txt", 1_000_000_000)):
        (tmp_path / name).write_text(f"Benchmark{name[0].upper()}-8 \t 10\t 5 ns/op\n")
        os.utime(tmp_path / name, (when, when))
    if date is not None:
        (tmp_path / "study.toml").write_text(f"[environment]\ndate = {date}\n")
    study = benchlib.open_study(tmp_path)
    assert (data_stamp(study).isoformat(), built_for()) == (stamp, "")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763640000")
    assert (data_stamp(study).timestamp(), built_for()) == (1_763_640_000, "2025-11-20")
