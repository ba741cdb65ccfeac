"""Regular expressions from a study: which are refused, and that those accepted stay fast."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.errors import DataError
from benchlib.formats.pattern import LONGEST_LINE, bind_pattern


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a+)+$", "a repeat within a repeat"),
        (r"(\d+\.)+x", "a repeat within a repeat"),
        ("(?:(?:a{0,2}){0,2}){0,2}", "a repeat within a repeat"),
        ("(a|a)*$", "a choice within a repeat"),
        ("(a|ab)*c", "a choice within a repeat"),
        ("(?:a?){30}a{30}", "a choice within a repeat"),
        (r"(\w+)=\1", "a back-reference"),
        ("(?=a)b", "a look-ahead"),
        ("(?<!a)b", "a look-ahead"),
        ("a?" * 25 + "a" * 25, "25 choices"),
        (".*.*.*=.*", "repeats"),
        ("a{1,1000}a{1,1000}a{1,1000}b", "repeats"),
        (r"^[\u0400-\u04ff]*[\u0401-\u0500]*[\u0402-\u04fe]*[\u0403-\u04fd]*x", "repeats"),
        (r"^[^\x00-\x7f\w\s]*[^\x00-\x7f\w\s]*[^\x00-\x7f\w\s]*[^\x00-\x7f\w\s]*x", "repeats"),
        (r"^[\u2029-\u3098]*\w*[\u2029-\u3098]*\w*[\u2029-\u3098]*x", "repeats"),
        (r"^(?i:k)*(?i:K)*(?i:\u212a)*(?i:k)*x", "repeats"),
        (r"(?a)^(?u:\w)+", "only (?i:...)"),
        ("[", "no regular expression"),
        ("a{99999999999}", "no regular expression"),
        ("(?m)^a", "only (?i) and (?a)"),
        ("a" * 1001, "at most 1,000"),
    ],
)
def test_a_pattern_without_a_bound_is_refused(pattern: str, why: str) -> None:
    """Exponential time, and polynomials too steep, are refused in words."""
    with pytest.raises(DataError, match=r"^'") as caught:
        bind_pattern(pattern)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [
        (r"^(?P<name>\S+) took (?P<value>[0-9.]+) ms$", LONGEST_LINE),
        (r"^(.*) (.*)$", 1000),
        (r"(?i)foo (\d+)", 1000),
        (r"^(?P<value>\d+) µs (.*)$", LONGEST_LINE),
        (r"^ +p99: (\d+(?:\.\d+)?)(ns|us|ms|s)$", 353),
        (".*a.*", 300),
    ],
)
def test_a_pattern_with_a_bound_is_accepted(pattern: str, longest: int) -> None:
    """The steeper its worst case, the shorter the lines it is tried on."""
    assert bind_pattern(pattern).longest == longest


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        (r"^(?P<name>\S+) took (?P<value>[0-9.]+) ms$", (" took ", " ms")),
        (r"(?:ab)?c(?:d|e)+?(?P<x>fg)h", ("c", "fg", "h")),
        (r"(?i)took (\d+)", ()),
        (r"(?i:took) (\d+)", (" ",)),
    ],
)
def test_a_pattern_knows_what_it_cannot_do_without(pattern: str, holds: tuple[str, ...]) -> None:
    """A line of any length without it cannot match, and is not looked at; letters of any case are left out."""
    safe = bind_pattern(pattern)
    assert safe.holds == holds
    assert safe.may_match("x" * 50_000 + "".join(holds))
    assert safe.may_match("x" * 50_000) is not bool(holds)


_ATOMS = st.sampled_from(["a", "b", r"\d", r"\s", r"\S", ".", "[ab]", "[^a]", "x"])
_REPEATED = st.tuples(_ATOMS, st.sampled_from(["", "+", "*", "?", "{2}", "{1,3}", "+?"])).map("".join)
_GROUPED = st.lists(_REPEATED, min_size=1, max_size=4).map(lambda parts: f"({''.join(parts)})")
_PATTERN = st.lists(
    st.one_of(_REPEATED, st.tuples(_GROUPED, st.sampled_from(["", "?", "*", "+"])).map("".join)), min_size=1, max_size=5
).map("".join)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(pattern=_PATTERN, line=st.sampled_from(["a", "ab", "1", " ", "xa "]))
def test_whatever_is_accepted_ends(pattern: str, line: str) -> None:
    """A search over the worst lines ends: a pattern that did not would hang this test."""
    try:
        safe = bind_pattern(pattern)
    except DataError:
        return
    # Far below the longest line: enough for an exponential, and cheap for a polynomial.
    size = min(safe.longest, 200)
    safe.pattern.search((line * size)[:size] + "\x00")


def test_a_pattern_that_only_asks_looks_at_no_more_of_a_line_than_is_safe() -> None:
    """A long line may begin a run, but what stands beyond the limit is not searched."""
    safe = bind_pattern(".*a.*")
    assert safe.begins("a" + "x" * 50_000)
    assert not safe.begins("x" * safe.longest + "a")
