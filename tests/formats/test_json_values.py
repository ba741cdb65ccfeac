"""What stands at a path is given by its kind, and refused by another."""

from __future__ import annotations

import pytest

from benchlib.errors import DataError
from benchlib.formats.json_text import list_at, number_at, object_at, parse_text, text_at


def test_numbers_beyond_floats_are_refused_by_number() -> None:
    """A number of 5,000 digits or 1e999 neither raises while parsing nor counts as a value."""
    root = parse_text('{"a": 1e999, "b": ' + "9" * 5000 + ', "c": true, "d": "2"}').root
    for key in "abcd":
        with pytest.raises(DataError, match=f"^{key} is "):
            number_at(root, key)


def test_typed_access() -> None:
    """Missing and null are None or empty; another type is an error that quotes it."""
    root = {"a": {"b": [1], "95.0": 2}, "t": "x", "n": None}
    assert list_at(root, "a.b") == [1]
    assert number_at(root, ("a", "95.0")) == 2
    assert text_at(root, "t") == "x"
    assert object_at(root, "n") == {}
    assert text_at(root, "t.deeper") is None
    with pytest.raises(DataError, match="a is an object, not a text"):
        text_at(root, "a")
    with pytest.raises(DataError, match="a is an object, not a list"):
        list_at(root, "a")
    with pytest.raises(DataError, match='t is "x", not an object'):
        object_at(root, "t")
