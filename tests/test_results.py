"""Conditions: what they select, and what they say when they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import SelectionError
from benchlib.results import SCHEMA, LineCounts, Problem, Results, condition
from tests.synthetic import make_table

HEADS = "benchmark bits curve metric value unit"
ROWS = [
    ("Sender", 32, "BN254", "time", 1, "ns/op"),
    ("Sender", 64, "BN254", "time", 2, "ns/op"),
    ("Sender", 64, "BLS12 381", "time", 3, "ns/op"),
    ("SenderProof", 32, "BN254", "time", 4, "ns/op"),
    ("Issuer", "", "BN254", "memory", 5, "B/op"),
    ("a,b", 32, "[x]", "time", 6, "ns/op"),
]


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Six rows."""
    return make_table(tmp_path, HEADS, ROWS).results


def chosen(results: Results, where: str) -> list[int]:
    """Which of the six rows a condition keeps, by their number."""
    frame = results.select(where).frame
    return sorted(round(v * (1e9 if u == "sec/op" else 1)) for v, u in zip(frame["value"], frame["unit"], strict=True))


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("", [1, 2, 3, 4, 5, 6]),
        ("   ", [1, 2, 3, 4, 5, 6]),
        ("benchmark=Sender", [1, 2, 3]),
        ("benchmark=Sender*", [1, 2, 3, 4]),
        ("benchmark=*er", [1, 2, 3, 5]),
        ("benchmark=Sende?", [1, 2, 3]),
        ("benchmark=Sender,Issuer", [1, 2, 3, 5]),
        ("benchmark!=Sender", [4, 5, 6]),
        ("benchmark!=Sender,Issuer", [4, 6]),
        ("bits=32", [1, 4, 6]),
        ("bits=32,64", [1, 2, 3, 4, 6]),
        ("bits!=32", [2, 3, 5]),
        ("benchmark=Sender bits=64", [2, 3]),
        ("curve='BLS12 381'", [3]),
        ('curve="BLS12 381" bits=64', [3]),
        ("metric=memory", [5]),
        ("benchmark=a,b", [6]),
        ("benchmark=[SI]*", [1, 2, 3, 4, 5]),
        ("bits=6*", [2, 3]),
    ],
)
def test_what_a_condition_keeps(results: Results, where: str, kept: list[int]) -> None:
    """Globs, alternatives, negation, quotes; numbers as written though a missing one makes them floats."""
    assert chosen(results, where) == kept


def test_a_value_without_the_axis_meets_no_pattern(results: Results) -> None:
    """What was not recorded is not everything."""
    assert 5 not in chosen(results, "bits=*")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        (
            "bit=32",
            "no column 'bit'; did you mean 'bits'?; there are name, benchmark, bits, curve, run, metric, unit, source",
        ),
        ("zzz=32", "no column 'zzz'; there are name, benchmark, bits, curve, run, metric, unit, source"),
        ("benchmark", "'benchmark' is not a condition; write column=pattern, e.g. benchmark=Sender*"),
        ("=x", "'=x' is not a condition; write column=pattern, e.g. benchmark=Sender*"),
        ("!=x", "'!=x' is not a condition; write column=pattern, e.g. benchmark=Sender*"),
        ("curve='BLS", "'curve='BLS': a quote is left open; close it"),
        ("bits=128", "'bits=128' selects no row; bits takes 32, 64"),
        (
            "benchmark=Issuer bits=32",
            "'benchmark=Issuer bits=32' selects no row; each term matches rows, but none matches all; drop one",
        ),
    ],
)
def test_what_a_condition_cannot_mean(results: Results, where: str, message: str) -> None:
    """The whole message: what was found, what there is, what to do."""
    with pytest.raises(SelectionError) as caught:
        results.select(where)
    assert str(caught.value) == message


def test_a_hostile_condition_is_quoted_on_one_line(results: Results) -> None:
    """No control code reaches a terminal."""
    with pytest.raises(SelectionError) as caught:
        results.select("benchmark=\x1b[31m\nx")
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("where", "terms"),
    [
        ("a=b", [("a", True, "b")]),
        ("a!=b", [("a", False, "b")]),
        ("a=b=c", [("a", True, "b=c")]),
        ("a=", [("a", True, "")]),
        ("a='x y' b!=z", [("a", True, "x y"), ("b", False, "z")]),
    ],
)
def test_terms(where: str, terms: list[tuple[str, bool, str]]) -> None:
    """Split at the first equals sign."""
    assert condition(where) == terms


def test_axes_and_levels(results: Results) -> None:
    """Numbers in order, words as first seen, missing levels left out."""
    assert results.axes == ("bits", "curve")
    assert results.varying_axes == ("bits", "curve")
    assert results.levels("bits") == (32, 64)
    assert results.levels("curve") == ("BN254", "BLS12 381", "[x]")
    with pytest.raises(SelectionError, match="no column 'bit'"):
        results.levels("bit")
    assert set(SCHEMA) | {"bits", "curve"} == set(results.frame.columns)


def test_selecting_leaves_the_whole_as_it_was(results: Results) -> None:
    """A selection is a new table; files and problems stay with it."""
    before = len(results.frame)
    part = results.select("bits=32")
    assert len(results.frame) == before
    assert part.files == results.files
    assert part.select("").frame is part.frame


def test_problems_name_their_place() -> None:
    """With the line where there is one."""
    assert str(Problem("a.txt", 3, "cut short")) == "a.txt:3: cut short"
    assert str(Problem("a.txt", 0, "unreadable")) == "a.txt: unreadable"
    assert LineCounts(data=1, context=2, problem=3, noise=4).total == 10
