"""Finding the line of each key in a TOML text."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.toml_lines import KeyPath, locate_keys


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a = 1\nb = 2", ("b",), 2),
        ("# a = 1\na = 2", ("a",), 2),
        ('a = """\nb = 1\n"""\nb = 2', ("b",), 4),
        ("a = '''\nb = '1'\n'''\nb = 2", ("b",), 4),
        ('a = "# [x"\n[x]\nb = 1', ("x", "b"), 3),
        ("[x.y]\nb = 1", ("x",), 1),
        ("x.y = 1.5\nz = 2", ("z",), 2),
        ('"a b".c = 1', ("a b", "c"), 1),
        ("[[x]]\na = 1\n[[x]]\na = 2", ("x", 1, "a"), 4),
        ("[[x]]\n[[x.y]]\n[[x]]\n[[x.y]]\na = 1", ("x", 1, "y", 0, "a"), 5),
        ("[[x]]\n[x.y]\na = 1", ("x", 0, "y", "a"), 3),
        ("a = [\n 1, # one\n 2,\n]", ("a", 1), 3),
        ("a = [\n { b = 1 },\n { b = [ 1,\n 2 ] },\n]\nc = 1", ("a", 1, "b", 1), 4),
        ("a = [\n { b = 1 },\n { b = [ 1,\n 2 ] },\n]\nc = 1", ("c",), 6),
        ("a = { b = { c = 1 }, d = 2 }\ne = 1", ("a", "d"), 1),
        ("a = {}\nb = []\nc = 1", ("c",), 3),
        ("a = 2026-11-20 10:00:00\r\nb = 1", ("b",), 2),
    ],
)
def test_a_key_is_found_on_its_line(text: str, path: KeyPath, line: int) -> None:
    """Comments, strings, dotted keys, inline tables and lists do not shift a line."""
    tomllib.loads(text)
    assert locate_keys(text)[path] == line


_KEYS = st.text("abc", min_size=1, max_size=3)
_VALUES = st.recursive(
    st.sampled_from(["1", "1.5", '"x # ] } = "', "'[{'", '"""\n"quoted"\n"""', "true", "1979-05-27"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[\n" + ",\n".join(items) + "]"),
    max_leaves=5,
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=6))
def test_every_key_of_any_table_is_found(values: dict[str, str]) -> None:
    """Whatever the values hold, each key is found where it was written."""
    lines, line = {}, 1
    text = ""
    for key, value in values.items():
        lines[key] = line
        text += f"{key} = {value}\n"
        line = text.count("\n") + 1
    tomllib.loads(text)
    assert {path[0]: number for path, number in locate_keys(text).items() if len(path) == 1} == lines


def test_a_long_text_takes_a_moment() -> None:
    """A megabyte of one string, or of brackets side by side, is scanned without recursion."""
    assert locate_keys('a = "' + "x" * 1_000_000 + '"\nb = 1')[("b",)] == 2
    assert locate_keys("a = [" + "[]," * 100_000 + "]\nb = 1")[("b",)] == 2
