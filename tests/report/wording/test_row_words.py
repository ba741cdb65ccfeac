"""One row in words: which way it went, how far its interval reaches, and which row of many is the worst."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.answers.comparison import ComparisonRow
from benchlib.cli.compare_blocks import tell
from benchlib.cli.compare_text import comment
from benchlib.report.wording.comparison.cells import bounds_words
from benchlib.report.wording.comparison.sentences import comparison_findings
from benchlib.report.wording.comparison.verdict import distance, furthest, row_words, verdict_lines
from benchlib.report.wording.comparison.words import changed_lines
from benchlib.report.wording.tables import medians_words
from benchlib.significant_digits import differing_figures
from benchlib.statistics.estimates import Estimate
from benchlib.units import parse_quantity
from tests.comparison_answers import around, make_answer, make_row

UNITS = {"time": "sec/op", "throughput": "op/sec", "memory": "B/op"}


def row(ratio: float, low: float, high: float, metric: str = "time") -> ComparisonRow:
    """A row of these numbers, whatever its values are."""
    found = make_row("Encode", around(1.0), around(1.5), metric=metric, unit=UNITS[metric])
    after = 1.5 if math.isnan(ratio) else found.baseline_median * ratio
    return found._replace(ratio=ratio, ratio_low=low, ratio_high=high, candidate_median=after)


@pytest.mark.parametrize(
    ("metric", "ratio", "low", "high", "told"),
    [
        ("time", 1.22, 1.19, 1.25, "Encode: 1.22x slower (95 %: 1.19x to 1.25x,"),
        ("time", 0.8, 0.75, 0.85, "Encode: 1.25x faster (95 %: 1.18x to 1.33x,"),
        ("throughput", 1.22, 1.19, 1.25, "Encode: throughput 1.22x higher (95 %: 1.19x to 1.25x,"),
        ("throughput", 0.8, 0.75, 0.85, "Encode: throughput 20 % lower (95 %: 15 % to 25 %,"),
        ("memory", 0.5, 0.4, 0.6, "Encode: memory per operation 50 % less (95 %: 40 % to 60 %,"),
        # Intervals that hold 1 go both ways, and say which end goes where.
        ("time", 1.02, 0.98, 1.03, "Encode: 1.02x slower (95 %: between 2.0 % faster and 3.0 % slower,"),
        (
            "throughput",
            1.02,
            0.98,
            1.03,
            "Encode: throughput 1.02x higher (95 %: between 2.0 % lower and 3.0 % higher,",
        ),
        ("memory", 0.9, 0.8, 1.05, "Encode: memory per operation 10 % less (95 %: between 20 % less and 5.0 % more,"),
        ("time", 1.4, 0.4, 3.0, "Encode: 1.40x slower (95 %: between 2.50x faster and 3.00x slower,"),
        ("time", 1.004, 0.99, 1.02, "Encode: +0.4% (95 %: between 1.0 % faster and 2.0 % slower,"),
        ("time", 1.004, 1.001, 1.007, "Encode: +0.4% (95 %: +0.1% to +0.7%,"),
        # Ends that are not known are not told.
        ("time", 1.22, -math.inf, math.inf, "Encode: 1.22x slower (adjusted p"),
        ("time", 1.22, 0.0, math.inf, "Encode: 1.22x slower (adjusted p"),
        ("time", 1.22, 1.1, math.inf, "Encode: 1.22x slower (95 %: at least 1.10x,"),
        ("time", 1.22, 0.95, math.inf, "Encode: 1.22x slower (95 %: at most 5.3 % faster,"),
        ("time", 0.8, 0.0, 0.9, "Encode: 1.25x faster (95 %: at least 1.11x,"),
        ("throughput", 0.8, 0.0, 1.1, "Encode: throughput 20 % lower (95 %: at most 10 % higher,"),
        # No ratio, no factor.
        ("memory", math.nan, math.nan, math.nan, "Encode: memory per operation from 1 to 2 (adjusted p"),
        ("memory", 0.0, 0.0, 0.0, "Encode: memory per operation from 1 to 0 (adjusted p"),
    ],
)
def test_a_change_and_its_interval_go_the_right_way(
    metric: str, ratio: float, low: float, high: float, told: str
) -> None:
    """Factors not below one; around 1 in percent, each end with its direction in the words of the metric."""
    found = row(ratio, low, high, metric)
    if not ratio > 0:
        found = found._replace(baseline_median=1.0, candidate_median=2.0 if math.isnan(ratio) else 0.0, unit="op")
    words = row_words(found, named=False)
    assert words.startswith(told)
    assert words.endswith("n = 10 each)")


def test_levels_part_from_the_change_and_time_is_named_beside_other_metrics() -> None:
    """Which of 54 rows over three metrics is 1.05x slower is said of time too; where all are time it is understood."""
    key = {"bits": 32, "inputs": 2, "outputs": 2}
    worst = make_row("", around(1.0), around(1.5), key=key, verdict="worse")
    line = verdict_lines(make_answer([worst]))[1]
    assert line.startswith("Worst: bits 32, inputs 2, outputs 2: 1.50x slower (")
    other = make_row("", around(1.0), around(1.0), key=key, metric="memory", unit="B/op")
    named = make_answer([worst, other])
    assert verdict_lines(named)[1].startswith("Worst: bits 32, inputs 2, outputs 2: time per operation 1.50x slower (")
    assert changed_lines(named)[0].startswith("worse: bits 32, inputs 2, outputs 2: time per operation 1.50x slower (")


@pytest.mark.parametrize(
    ("ratio", "low", "high", "told"),
    [
        (30.93, 12.05, 40.04, "31x slower (95 %: 12x to 40x,"),
        (13.93, 8.97, 14.72, "14x slower (95 %: 9.0x to 15x,"),
        (4.94, 2.6, 7.19, "4.9x slower (95 %: 2.6x to 7.2x,"),
        (1 / 4.94, 1 / 7.19, 1 / 2.6, "4.9x faster (95 %: 2.6x to 7.2x,"),
        # What a factor exceeds one by has two digits at least, and no end reads as one.
        (1.3, 1.02, 1.6, "1.30x slower (95 %: 1.02x to 1.60x,"),
        (20.0, 1.2, 38.0, "20x slower (95 %: 1.2x to 38x,"),
        (4.0, 1.02, 7.0, "4.00x slower (95 %: 1.02x to 7.00x,"),
        (5.0, 0.5, 9.0, "5.0x slower (95 %: between 2.0x faster and 9.0x slower,"),
        # Without an interval the digits are those of the medians.
        (30.93, -math.inf, math.inf, "30.93x slower (adjusted p"),
    ],
)
def test_a_factor_has_no_more_digits_than_its_interval_carries(
    ratio: float, low: float, high: float, told: str
) -> None:
    """Of 12x to 40x the hundredths of 30.93x say nothing."""
    assert row_words(row(ratio, low, high), named=False).startswith(f"Encode: {told}")


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
