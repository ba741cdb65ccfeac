"""JSON is parsed within bounds, never raises, and each record keeps its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.formats import json_text
from benchlib.formats.json_text import outline, parse, parse_text
from benchlib.formats.reader import TextFile


def test_a_damaged_document_says_line_and_column() -> None:
    """A cut file is one problem that says where it stops."""
    document = parse(TextFile("a.json", ['{"a": 1,', '"b": [1, 2'])).problems
    assert document[0][0] == 2
    assert "column 11" in document[0][1]


def test_constants_that_json_lacks_are_missing_and_told() -> None:
    """NaN and Infinity stand in files of real tools: the value is missing, the rest is read."""
    document = parse_text('{"a": NaN, "b": -Infinity, "c": 1}')
    assert document.root == {"a": None, "b": None, "c": 1}
    assert [one[1].partition(":")[0] for one in document.problems] == ["NaN", "-Infinity"]


def test_a_key_that_stands_twice_is_told() -> None:
    """The last of two equal keys is used, and that is a problem."""
    document = parse_text('{"a": 1, "a": 2}')
    assert document.root == {"a": 2}
    assert "'a' stands twice" in document.problems[0][1]


@pytest.mark.parametrize("depth", [201, 5_000, 1_000_000])
def test_deep_nesting_is_a_problem(depth: int) -> None:
    """No depth brings the interpreter down."""
    document = parse_text("[" * depth + "]" * depth)
    assert not document.parsed
    assert "nested deeper than 200" in document.problems[0][1] or "not JSON" in document.problems[0][1]


def test_200_levels_are_read() -> None:
    """The limit itself is within the limit."""
    assert parse_text("[" * 200 + "]" * 200).parsed


def test_an_integer_keeps_every_digit_up_to_18() -> None:
    """A nanosecond count of today fits."""
    assert parse_text("[1700000000123456789]").root == [1.7000000001234568e18]
    assert parse_text("[170000000012345678]").root == [170000000012345678]


def test_lone_surrogates_and_nul_become_the_replacement_character() -> None:
    """A text that could not be written again is mended; a pair and an escaped backslash stand."""
    root = parse_text(r'["\ud83d\ude00", "\ud83d!", "\\ud83d", "a\u0000b"]').root
    assert root == ["\U0001f600", "\ufffd!", "\\ud83d", "a\ufffdb"]


def test_lines_of_records_are_those_of_the_file() -> None:
    """The line of each entry is found at any depth, and siblings of the same name elsewhere are not taken."""
    content = json.dumps({"x": [[1]], "runs": [{"v": [1, 2]}, {"v": [3], "runs": [4]}, []]}, indent=1)
    lines = content.splitlines()
    found = parse_text(content).lines("runs[]")
    assert [lines[one - 1].strip() for one in found] == ["{", "{", "[]"]
    assert len(parse_text(content).lines("runs[].v[]")) == 3
    assert parse_text('[{"a":1},\n\n{"a":2}]', first_line=5).lines("[]") == [5, 7]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[]":,\\u09daN-eE. \n\t\ud800x', max_size=200))
def test_no_text_raises(content: str) -> None:
    """Any text parses or is a problem; its outline is found either way."""
    document = parse_text(content)
    assert document.parsed or document.problems
    outline(TextFile("a", content.split("\n")))
    document.lines("[]")
    if not document.parsed:
        assert json_text.unreadable(document).lines.total == 1
