"""One row in words: which way it went, how far its interval reaches, and which row of many is the worst."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.cli.compare_blocks import tell
from benchlib.cli.compare_text import comment
from benchlib.report.wording.comparison.cells import bounds_words
from benchlib.report.wording.comparison.sentences import comparison_findings
from benchlib.report.wording.comparison.verdict import distance, furthest, verdict_lines
from benchlib.report.wording.comparison.words import changed_lines
from benchlib.report.wording.tables import medians_words
from benchlib.significant_digits import differing_figures
from benchlib.statistics.estimates import Estimate
from benchlib.units import parse_quantity
from tests.comparison_answers import around, make_answer, make_row

bound = st.floats(0.01, 100)


@given(st.tuples(bound, bound, bound), st.sampled_from(["time", "throughput", "memory"]))
def test_no_end_of_an_interval_is_below_one_or_goes_the_wrong_way(
    found: tuple[float, float, float], metric: str
) -> None:
    """Read back, each end is the one it was written from, to the digits written."""
    low, ratio, high = sorted(found)
    words = bounds_words(ratio, low, high, metric)
    assert not re.search(r"(?<![\d.])0\.\d+x", words)
    ends = re.fullmatch(r"between (\S+ ?%?|\S+x) (\w+) and (\S+ ?%?|\S+x) (\w+)", words)
    assert (ends is not None) == (low < 1 < high)
    if ends is not None:
        down, up = ends[2], ends[4]
        assert (down, up) in {("faster", "slower"), ("lower", "higher"), ("less", "more")}
        if down == "faster":
            assert factor_of(ends[1]) == pytest.approx(1 / low, rel=0.01, abs=rounded(ends[1]))
        else:
            # A rate or an amount that fell is told by what is gone of it.
            assert float(ends[1].rstrip(" %")) == pytest.approx(100 * (1 - low), abs=0.51)
        assert factor_of(ends[3]) == pytest.approx(high, rel=0.01, abs=rounded(ends[3]))


def rounded(text: str) -> float:
    """By how much a written factor may miss: half of its last place."""
    return 0.505 * 10.0 ** -len(text.rstrip("x").partition(".")[2]) if text.endswith("x") else 0.0


def factor_of(text: str) -> float:
    """The factor that ``1.20x`` or ``20 %`` stands for."""
    return float(text.rstrip("x")) if text.endswith("x") else 1 + float(text.rstrip(" %")) / 100


def ranked() -> list[tuple[str, float, float]]:
    """Names, old and new medians: one threefold, one by a half, and one from nothing."""
    return [("Half", 100.0, 150.0), ("FromNothing", 0.0, 1.0), ("Threefold", 100.0, 300.0)]


def test_one_rule_says_everywhere_which_row_is_the_worst() -> None:
    """Verdict, gate, list, counts and comment: the largest factor first, what has no factor last."""
    rows = [
        make_row(
            name, around(old) if old else (0.0,) * 10, around(new) if old else (1.0,) * 10,
            metric="memory", unit="B/op", verdict="worse",
        )
        for name, old, new in ranked()
    ]  # fmt: skip
    expected = ["Threefold", "Half", "FromNothing"]
    # More rows than are told one by one.
    same = [make_row(f"Same{place}", around(1.0), around(1.0), metric="memory", unit="B/op") for place in range(30)]
    answer = make_answer([*rows, *same])
    plain = [one for one in answer.rows if one.verdict == "worse"]
    assert [one.key["benchmark"] for one in sorted(plain, key=lambda one: -distance(one.ratio))] == expected
    lead = furthest(plain)
    assert lead is not None
    assert lead[1].key["benchmark"] == "Threefold"
    assert verdict_lines(answer)[1].startswith("Worst: Threefold")
    assert [one.removeprefix("worse: ").split(":")[0] for one in changed_lines(answer)] == expected
    assert "; furthest: Threefold" in comparison_findings(answer)[0]
    seen = comment(tell([answer], []), name="x", command=["benchlib"]).partition("<details>")[0]
    assert re.findall(r"^\| (\w+) \|.*\| worse", seen, re.M) == expected


@given(
    values=st.tuples(st.floats(1, 1e9), st.floats(0.99, 1.01)),
    widths=st.tuples(st.floats(1e-4, 2), st.floats(1e-4, 2)),
)
def test_medians_that_are_told_to_differ_read_so(values: tuple[float, float], widths: tuple[float, float]) -> None:
    """Whatever digits their intervals carry, and the larger one is the larger number."""
    first, second = values[0], values[0] * values[1]
    pair = [
        Estimate(
            value=one, low=one * (1 - width / 2), high=one * (1 + width / 2), unit="req/sec",
            confidence_level=0.95, n=6, method="", standard_error=math.nan,
        )
        for one, width in zip((first, second), widths, strict=True)
    ]  # fmt: skip
    before, after = (parse_quantity(one)[0] for one in differing_figures(pair[0], pair[1]))
    if abs(first / second - 1) > 1e-6:
        assert (before < after) == (first < second)
        assert before != after


def test_medians_of_a_row_read_apart_where_its_verdict_says_so() -> None:
    """Of 104 ns and 101 ns, each known to two digits, a verdict makes 104 and 101; without one both read 100."""
    scatter = (0.7, 0.8, 0.9, 1.0, 1.0, 1.1, 1.2, 1.3)
    old, new = ([1e-9 * centre * one for one in scatter] for centre in (104, 101))
    told = {verdict: medians_words(make_row("A", old, new, verdict=verdict)) for verdict in ("better", "cannot tell")}
    assert told == {"better": ("104 ns/op", "101 ns/op"), "cannot tell": ("100 ns/op", "100 ns/op")}
