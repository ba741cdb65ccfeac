"""The paths of a JSON text are found in its head, and in time that grows with its length."""

from __future__ import annotations

import json

from benchlib.formats.json_text import outline, parse_text
from benchlib.formats.reader import TextFile


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
