"""The day that a report is from: no clock is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchlib
from benchlib.errors import InputError
from benchlib.run.fingerprint import built_for, data_stamp


def test_the_time_of_a_report_is_no_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE_DATE_EPOCH, else the newest of the files of results where the study states no date."""
    import os

    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for name, when in (("a.txt", 1_000_000_000), ("b.txt", 1_100_000_000)):
        (tmp_path / name).write_text(f"Benchmark{name[0].upper()}-8 \t 10\t 5 ns/op\n")
        os.utime(tmp_path / name, (when, when))
    study = benchlib.open_study(tmp_path)
    assert data_stamp(study).timestamp() == 1_100_000_000
    assert built_for() == ""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763640000")
    assert data_stamp(study).timestamp() == 1_763_640_000
    assert built_for() == "2025-11-20"


@pytest.mark.parametrize(
    ("date", "stamp"),
    [
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, date: str, stamp: str
) -> None:
    """A checkout gives files the time of the checkout; the date of the environment stays. Words alone are no date."""
    import os

    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    (tmp_path / "a.txt").write_text("BenchmarkA-8 \t 10\t 5 ns/op\n")
    os.utime(tmp_path / "a.txt", (1_000_000_000, 1_000_000_000))
    (tmp_path / "study.toml").write_text(f"[environment]\ndate = {date}\n")
    study = benchlib.open_study(tmp_path)
    assert data_stamp(study).isoformat() == stamp
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1763640000")
    assert data_stamp(study).timestamp() == 1_763_640_000


@pytest.mark.parametrize("text", ["tomorrow", "1e9", "-1", "9" * 40, "1763640000.5", "\u0661"])
def test_an_epoch_that_is_none_is_bad_input(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Told with what is accepted."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
    with pytest.raises(InputError, match="write whole seconds since 1970"):
        built_for()
