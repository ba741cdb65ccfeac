"""A report whose study nobody touched: its study is not opened, and what may have changed is looked at."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchlib.run.build import Built, Making, Request, untouched
from benchlib.run.fingerprint import times_digest
from benchlib.run.manifest import read_entry
from tests.run.test_build import GO, Bench, bench

__all__ = ["bench"]

LATER = GO.replace("5 ns", "7 ns")


@pytest.fixture
def settled(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A report built long after its study was written; opening the study again is an error from then on."""
    now = time.time
    monkeypatch.setattr("benchlib.run.fingerprint.time.time", lambda: now() + 60)
    assert bench.build().outcome == "built"
    yield bench
    monkeypatch.undo()


def asked(bench: Bench, **options: object) -> Built | None:
    return untouched(Request(bench.study, bench.output, str(bench.notebook), **options))  # type: ignore[arg-type]


def forbidden(*_: object) -> None:
    raise AssertionError("a file of the study was read")


def test_times_tell_that_nothing_was_touched(settled: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of the study is read, and the answers are those of the page on disk."""
    monkeypatch.setattr("benchlib.study.open.open_study", forbidden)
    monkeypatch.setattr("benchlib.study.open.content_digest", forbidden)
    standing = asked(settled)
    assert standing is not None
    assert (standing.outcome, standing.verdict, settled.kernel.runs) == ("unchanged", "run 1", 1)


def rewrite(bench: Bench) -> None:
    """Write other values of the same length, and put the old date back."""
    path = bench.study / "run.txt"
    before = path.stat()
    path.write_text(LATER)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap(bench: Bench) -> None:
    """Put a link to another file in the place of one, both of the same length and date."""
    path = bench.study / "run.txt"
    other = path.with_name("other.md")
    other.write_text(LATER)
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    path.unlink()
    path.symlink_to(other.name)


TOUCHED: dict[str, Callable[[Bench], object]] = {
    "values of the same length and date": rewrite,
    "a link to others": swap,
    "a file more": lambda bench: (bench.study / "more.txt").write_text(GO),
    "a file less": lambda bench: (bench.study / "run.txt").unlink(),
    "another name": lambda bench: (bench.study / "run.txt").rename(bench.study / "ran.txt"),
    "a definition": lambda bench: (bench.study / "study.toml").write_text('title = "T"\n'),
    "the page": lambda bench: (bench.output / "study/small.html").write_text("mine"),
    "the answers": lambda bench: (bench.output / "study/small.answers.json").unlink(),
    "the manifest": lambda bench: (bench.output / "study/manifest.json").write_text("{}"),
    "the study, gone": lambda bench: bench.study.rename(bench.study.with_name("elsewhere")),
}


@pytest.mark.parametrize("touch", TOUCHED)
def test_what_was_touched_is_opened(settled: Bench, touch: str) -> None:
    """Nothing is said of a report then: it is asked for as ever."""
    TOUCHED[touch](settled)
    assert asked(settled) is None


ASKED: dict[str, dict[str, object]] = {
    "strictly": {"strict": True},
    "narrowed": {"parameters": {"where": "metric=time"}},
    "by a parameter that there is none of": {"parameters": {"no": 1}},
    "in one more format": {"making": Making(formats=("html", "md"))},
    "smaller": {"making": Making(max_bytes=10)},
    "by force": {"making": Making(force=True)},
}


@pytest.mark.parametrize("how", ASKED)
def test_what_is_asked_for_otherwise_is_opened(settled: Bench, how: str) -> None:
    """Another parameter, format or limit."""
    assert asked(settled, **ASKED[how]) is None


def test_the_same_contents_of_another_date_are_read_once(settled: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a checkout: the study is not opened, and its new times are noted."""
    os.utime(settled.study / "run.txt")
    monkeypatch.setattr("benchlib.study.open.open_study", forbidden)
    assert asked(settled) is not None
    monkeypatch.setattr("benchlib.study.open.content_digest", forbidden)
    assert asked(settled) is not None


def test_times_of_a_moment_ago_tell_nothing(bench: Bench) -> None:
    """The file may change again within the same tick of the clock: its contents are read."""
    bench.build()
    assert times_digest(bench.study) == ""
    assert read_entry(bench.output / "study/manifest.json", "small.html").inputs["times"] == ""
    assert asked(bench) is not None
    rewrite(bench)
    assert asked(bench) is None


def test_what_is_not_there_has_no_times(tmp_path: Path) -> None:
    """Neither has an empty folder: nothing could tell that it is as it was."""
    (tmp_path / "empty").mkdir()
    assert [times_digest(tmp_path / name) for name in ("empty", "none")] == ["", ""]
