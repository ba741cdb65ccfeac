"""JSON is parsed within bounds, never raises, and each record keeps its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.errors import DataError
from benchlib.formats.json_text import (
    documents,
    list_at,
    number_at,
    object_at,
    outline,
    parse_text,
    text_at,
    unreadable,
)
from benchlib.formats.reader import TextFile
from benchlib.formats.registry import choose

DATA = Path(__file__).parents[1] / "data"
CUT = "the file is cut or damaged, write it again"


@pytest.mark.parametrize(
    ("content", "root", "problems"),
    [
        ('{"a": 1,\n"b": [1, 2', None, [(2, f"not JSON at column 11: Expecting ',' delimiter; {CUT}")]),
        (
            '{"a": NaN, "b": -Infinity, "c": 1}',
            {"a": None, "b": None, "c": 1},
            [(1, f"{name}: JSON has no such number; taken as missing") for name in ("NaN", "-Infinity")],
        ),
        ('{"a": 1, "a": 2}', {"a": 2}, [(1, "key 'a' stands twice in one object; the last is used")]),
        ("[" * 201 + "]" * 201, None, [(1, "JSON nested deeper than 200; no benchmark tool writes that")]),
        ("[" * 1_000_000, None, [(1, "JSON nested deeper than 200; no benchmark tool writes that")]),
        ("[1700000000123456789, 170000000012345678]", [1.7000000001234568e18, 170000000012345678], []),
        # A text that could not be written again is mended; a pair and an escaped backslash stand.
        (
            r'["\ud83d\ude00", "\ud83d!", "\\ud83d", "a\u0000b"]',
            ["\U0001f600", "\ufffd!", "\\ud83d", "a\ufffdb"],
            [],
        ),
        # Who reads one document is told of the second, and of text behind it.
        (
            '{"a": 1}\n{"b": 2}',
            None,
            [(2, "a second document begins at line 2: '{\"b\": 2}'; write each into a file of its own")],
        ),
        ('{"a": 1}\nbye', None, [(2, "after the document stands 'bye' on line 2; remove what is no JSON")]),
    ],
    ids=["cut", "constants", "twice", "deep", "very deep", "digits", "surrogates", "second", "text behind"],
)
def test_a_document_is_parsed_or_says_why_not(content: str, root: object, problems: list[tuple[int, str]]) -> None:
    """With the line, within bounds; what is passed over is a problem too."""
    document = parse_text(content)
    assert (document.root, document.parsed, list(document.problems)) == (root, root is not None, problems)


def test_200_levels_are_read() -> None:
    """The limit itself is within the limit."""
    assert parse_text("[" * 200 + "]" * 200).parsed


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[]":,\\u09daN-eE. \n\t\ud800x', max_size=200))
def test_no_text_raises(content: str) -> None:
    """Any text parses or is a problem; its outline is found either way."""
    document = parse_text(content)
    assert document.parsed or document.problems
    outline(TextFile("a", content.split("\n")))
    document.lines("[]")
    if not document.parsed:
        assert unreadable(document).lines.total == 1


# Paths: in the text, and in what was parsed.


def test_lines_of_records_are_those_of_the_file() -> None:
    """The line of each entry is found at any depth, and siblings of the same name elsewhere are not taken."""
    content = json.dumps({"x": [[1]], "runs": [{"v": [1, 2]}, {"v": [3], "runs": [4]}, []]}, indent=1)
    lines = content.splitlines()
    assert [lines[line - 1].strip() for line in parse_text(content).lines("runs[]")] == ["{", "{", "[]"]
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


ROOT = parse_text(
    '{"a": {"b": [1], "95.0": 2}, "t": "x", "n": null, "c": true, "d": 1e999, "e": ' + "9" * 5000 + "}"
).root


@pytest.mark.parametrize(
    ("at", "path", "value"),
    [
        (list_at, "a.b", [1]),
        (number_at, ("a", "95.0"), 2),
        (text_at, "t", "x"),
        (object_at, "n", {}),
        (text_at, "t.deeper", None),
        (text_at, "a", "a is an object, not a text"),
        (list_at, "a", "a is an object, not a list"),
        (object_at, "t", 't is "x", not an object'),
        (number_at, "t", 't is "x", not a number'),
        (number_at, "c", "c is true, not a number"),
        (number_at, "d", "d is Infinity, not a number"),
        (number_at, "e", "e is Infinity, not a number"),
    ],
)
def test_what_stands_at_a_path_is_given_by_its_kind(at: Callable[..., object], path: str, value: object) -> None:
    """Missing and null are None or empty; another type, and a number beyond floats, is an error that quotes it."""
    if isinstance(value, str) and ", not a" in value:
        with pytest.raises(DataError) as caught:
            at(ROOT, path)
        assert str(caught.value) == value
    else:
        assert at(ROOT, path) == value


# Runs appended to one file: each is read, and never called damage.


@pytest.mark.parametrize(
    "name",
    [
        "fio/randrw.json", "fortio", "ghz", "google_benchmark/named_args.json", "hyperfine/failures.json",
        "jmh/result.json", "k6/export.json", "oha", "pyperf/memory.json", "pytest_benchmark/with_data.json",
    ],
)  # fmt: skip
@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
def test_two_runs_of_one_file_are_read(name: str, between: str) -> None:
    """Twice the values, on the lines of their own run, and what is said of the file said once."""
    if name.startswith("fio") and not between:
        return  # fio ends each document with a line end, and its words stand between
    path = DATA / name if name.endswith(".json") else sorted((DATA / name).glob("*.json"))[0]
    text = path.read_text(encoding="utf-8").rstrip()
    alone, both = TextFile("a.json", text=text), TextFile("a.json", text=f"{text}{between}{text}")
    reader = choose(alone)
    assert choose(both).name == reader.name
    once, twice = reader.read(alone), reader.read(both)
    assert len(once.rows)
    below = text.count("\n") + between.count("\n")
    assert list(twice.rows.value) == [*once.rows.value] * 2
    assert list(twice.rows.line) == [*once.rows.line, *(line + below for line in once.rows.line)]
    assert twice.problems == [*once.problems, *((line + below, said) for line, said in once.problems)]
    assert [series.kind for series in twice.series].count("closed-loop") <= 1
    assert twice.lines.total == 2 * once.lines.total


def test_reports_of_one_line_are_read() -> None:
    """As ``vegeta report -type=json >>`` appends them."""
    report = {"latencies": {"mean": 5}, "bytes_in": {}, "requests": 10, "success": 1, "status_codes": {}, "rate": 2}
    file = TextFile("a.json", [json.dumps(report)] * 2)
    reading = choose(file).read(file)
    assert (reading.lines.data, reading.problems) == (2, [])


def test_the_documents_before_a_cut_are_read() -> None:
    """The last did not parse, and says so with its line."""
    *_, last = parsed = list(documents(TextFile("a", ['{"a": 1}', '{"a": 2}', '{"a":'])))
    assert [document.root for document in parsed] == [{"a": 1}, {"a": 2}, None]
    assert last.problems == ((3, f"not JSON at column 6: Expecting value; {CUT}"),)
    assert [document.parsed for document in documents(TextFile("a", ['null {"a": 2}']))] == [False]
