"""Words for failures: in one place, and documented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchlib.formats import tables
from benchlib.formats.tables import FAILED, SOUND, failures, telling

PAGE = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")


def test_every_word_and_name_is_documented() -> None:
    """The page lists the vocabulary as the code has it: no word more, and none less."""
    section = PAGE.partition("## Tables and JSON of your own")[2].partition("\n## ")[0]
    flat = " ".join(section.split())
    told = re.search(r"Words of failure are (.*), alone .*; words of success are (.*?)\. A `status`", flat)
    assert told is not None
    assert [set(re.findall(r"\*([^*]+)\*", one)) for one in told.groups()] == [set(FAILED), set(SOUND)]
    names = {name for listed in tables._NAMES.values() for name in listed}
    rows = "".join(line.split("|")[2] for line in section.splitlines() if line.startswith("| ") and "`" in line)
    # A bare status stands twice.
    assert set(re.findall(r"`([^`]+)`", rows)) == names | {"errors"}


@pytest.mark.parametrize(
    ("cell", "failed"),
    [
        ("FAIL", True), ("Error: refused", True), ("timeout after 30s", True), ("failed (2)", True),
        ("DEADLINE_EXCEEDED", True), ("timed-out", True), ("Timed  out", True), ("error-free", False),
        ("failover", False), ("failed over to b", False), ("no errors", False), ("ok", False), ("warm", False),
        ("exception; see log", True), ("crashed 3 times", True), ("", False),
    ],
)  # fmt: skip
def test_a_word_of_failure_is_heard_alone_or_before_more(cell: str, failed: bool) -> None:
    """But not as a part of another word."""
    assert bool(failures("verdict", cell)) is failed


@pytest.mark.parametrize(
    ("cell", "failed"),
    [("200", False), ("200.0", False), ("304 Not Modified", False), ("503 Service Unavailable", True), ("5xx", True),
     ("0", True), ("timeout", True), ("", False), ("999", True)],
)  # fmt: skip
def test_a_status_of_http_is_a_failure_from_400_on(cell: str, failed: bool) -> None:
    """In numbers, with its text, or as a class; no answer is one too."""
    assert bool(failures("code", cell)) is failed


def test_a_column_is_judged_by_its_name_and_its_cells() -> None:
    """However its name is written; by cells where a name leaves it open."""
    assert telling("HTTP Status", ["200"]) == telling("httpStatus", ["0"]) == ("code", False)
    assert telling("Timed-Out", ["0"]) == ("count", True)
    assert telling("state", ["idle"]) == telling("status", []) == telling("result", ["200"]) == ("", False)
    assert telling("status", ["200", "404"]) == ("code", False)
    assert telling("status", ["1", "0"]) == ("", False)
