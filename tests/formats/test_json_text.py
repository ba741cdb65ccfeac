"""JSON is parsed within bounds, never raises, and each record keeps its line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.errors import DataError
from benchlib.formats import json_text
from benchlib.formats.json_text import Records, items, mapping, number, outline, parse, parse_text, text
from benchlib.formats.reading import TextFile


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


def test_numbers_beyond_floats_are_refused_by_number() -> None:
    """A number of 5,000 digits or 1e999 neither raises while parsing nor counts as a value."""
    root = parse_text('{"a": 1e999, "b": ' + "9" * 5000 + ', "c": true, "d": "2"}').root
    for key in "abcd":
        with pytest.raises(DataError, match=f"^{key} is "):
            number(root, key)


def test_an_integer_keeps_every_digit_up_to_18() -> None:
    """A nanosecond count of today fits."""
    assert parse_text("[1700000000123456789]").root == [1.7000000001234568e18]
    assert parse_text("[170000000012345678]").root == [170000000012345678]


def test_lone_surrogates_and_nul_become_the_replacement_character() -> None:
    """A text that could not be written again is mended; a pair and an escaped backslash stand."""
    root = parse_text(r'["\ud83d\ude00", "\ud83d!", "\\ud83d", "a\u0000b"]').root
    assert root == ["\U0001f600", "\ufffd!", "\\ud83d", "a\ufffdb"]


def test_typed_access() -> None:
    """Missing and null are None or empty; another type is an error that quotes it."""
    root = {"a": {"b": [1], "95.0": 2}, "t": "x", "n": None}
    assert items(root, "a.b") == [1]
    assert number(root, ("a", "95.0")) == 2
    assert text(root, "t") == "x"
    assert mapping(root, "n") == {}
    assert text(root, "t.deeper") is None
    with pytest.raises(DataError, match="a is an object, not a text"):
        text(root, "a")
    with pytest.raises(DataError, match="a is an object, not a list"):
        items(root, "a")
    with pytest.raises(DataError, match='t is "x", not an object'):
        mapping(root, "t")


def test_lines_of_records_are_those_of_the_file() -> None:
    """The line of each entry is found at any depth, and siblings of the same name elsewhere are not taken."""
    content = json.dumps({"x": [[1]], "runs": [{"v": [1, 2]}, {"v": [3], "runs": [4]}, []]}, indent=1)
    lines = content.splitlines()
    found = parse_text(content).lines("runs[]")
    assert [lines[one - 1].strip() for one in found] == ["{", "{", "[]"]
    assert len(parse_text(content).lines("runs[].v[]")) == 3
    assert parse_text('[{"a":1},\n\n{"a":2}]', first_line=5).lines("[]") == [5, 7]


def test_the_outline_of_a_cut_head() -> None:
    """The head of a long file shows its paths though it is no complete document."""
    whole = json.dumps({"context": {"date": "x"}, "benchmarks": [{"name": 'a"b', "real_time": 1}] * 9})
    for cut in range(70, len(whole)):
        assert "context.date" in outline(TextFile("a", [whole[:cut]]))
    assert "benchmarks[].real_time" in outline(TextFile("a", [whole]))
    assert outline(TextFile("a", ["BenchmarkX 1 2 ns/op"])) == frozenset()


def test_a_string_full_of_escaped_quotes_is_walked_once() -> None:
    """An unclosed string of escaped quotes takes linear time (a square one would hang here)."""
    assert outline(TextFile("a", ['{"a": "' + '\\"' * 30_000])) == {"a"}
    assert len(parse_text('["' + '\\"' * 2_000_000 + '"]').lines("[]")) == 1


def test_records_count_each_once() -> None:
    """A record has one fate, the last that was entered."""
    records = Records([1, 2, 3])
    records.data(0)
    records.problem(0, "after all")
    records.context(1)
    assert records.counts().total == 3
    assert (records.counts().problem, records.counts().context, records.counts().noise) == (1, 1, 1)


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
