"""The reports before this one: what is recorded, what is copied, what is removed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import benchlib
from benchlib.errors import InputError
from benchlib.report.running.history import MOST_RECORDS, built_for, data_stamp, read_history, remember
from benchlib.report.running.place import Place


def place(folder: Path, stem: str = "small") -> Place:
    found = Place(folder=folder, stem=stem)
    found.page.write_text(f"<p>{stem}")
    found.answers.write_text("{}")
    return found


def day(number: int) -> datetime:
    return datetime(2026, 11, number, 5, 17, tzinfo=UTC)


def told(number: int) -> dict[str, Any]:
    return {"status": "PASS", "verdict": f"day {number}", "cards": [{"label": "lines", "value": str(number)}] * 20}


def copies(folder: Path) -> list[str]:
    return sorted(one.relative_to(folder / "history").as_posix() for one in (folder / "history").rglob("*.html"))


def test_each_report_is_recorded(tmp_path: Path) -> None:
    """Oldest first: when, status, verdict, the first cards; without --keep nothing is copied."""
    here = place(tmp_path)
    for number in (1, 2):
        remember(here, day(number), f"{number}" * 64, told(number), keep=0)
    records = read_history(here.history)["small.html"]
    assert [(one["stamp"], one["verdict"], one["copy"]) for one in records] == [
        ("2026-11-01T05:17:00Z", "day 1", ""),
        ("2026-11-02T05:17:00Z", "day 2", ""),
    ]
    assert len(records[0]["cards"]) == 8
    assert not (tmp_path / "history").exists()


def test_the_newest_copies_are_kept(tmp_path: Path) -> None:
    """--keep 2 of five: two folders are left, five records, and another report's copies stay."""
    here, other = place(tmp_path), place(tmp_path, "other")
    remember(other, day(1), "1" * 64, told(1), keep=2)
    for number in range(1, 6):
        remember(here, day(number), f"{number}" * 64, told(number), keep=2)
    assert copies(tmp_path) == [
        "20261101T051700Z-11111111/other.html",
        "20261104T051700Z-44444444/small.html",
        "20261105T051700Z-55555555/small.html",
    ]
    records = read_history(here.history)["small.html"]
    assert [bool(one["copy"]) for one in records] == [False, False, False, True, True]
    assert (tmp_path / records[-1]["copy"]).read_text() == "<p>small"


def test_a_report_that_is_built_again_is_recorded_once(tmp_path: Path) -> None:
    """The same data at the same time: with newer code it is the same report."""
    here = place(tmp_path)
    for number in (1, 2):
        remember(here, day(1), "a" * 64, told(number), keep=3)
    [record] = read_history(here.history)["small.html"]
    assert record["verdict"] == "day 2"
    remember(here, day(1), "b" * 64, told(3), keep=3)
    assert len(read_history(here.history)["small.html"]) == 2


def test_a_history_ends(tmp_path: Path) -> None:
    """A report a night for years does not make a file that is read for ever."""
    here = place(tmp_path)
    records = [{"stamp": "x", "copy": ""}] * (MOST_RECORDS + 50)
    here.history.write_text(json.dumps({"pages": {"small.html": records}}))
    remember(here, day(1), "a" * 64, told(1), keep=0)
    assert len(read_history(here.history)["small.html"]) == MOST_RECORDS


@pytest.mark.parametrize(
    "copy",
    ["../precious/small.html", "/etc/small.html", "history/../../precious/small.html", "history/mine/small.html"],
)
def test_nothing_but_copies_is_removed(tmp_path: Path, copy: str) -> None:
    """A history that somebody edited leads nowhere else."""
    folder = tmp_path / "study"
    (folder / "history/mine").mkdir(parents=True)
    (tmp_path / "precious").mkdir()
    for one in (folder / "history/mine", tmp_path / "precious"):
        (one / "small.html").write_text("mine")
    here = place(folder)
    here.history.write_text(json.dumps({"pages": {"small.html": [{"stamp": "x", "copy": copy}]}}))
    remember(here, day(1), "a" * 64, told(1), keep=1)
    assert (tmp_path / "precious/small.html").read_text() == "mine"
    assert (folder / "history/mine/small.html").read_text() == "mine"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pages": 3}', '{"pages": {"small.html": 3}}', "[" * 100_000])
def test_a_history_that_is_none_begins_anew(tmp_path: Path, text: str) -> None:
    """Somebody edited it: a report is not lost for that."""
    here = place(tmp_path)
    here.history.write_text(text)
    remember(here, day(1), "a" * 64, told(1), keep=0)
    assert len(read_history(here.history)["small.html"]) == 1


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
