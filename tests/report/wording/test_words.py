"""Numbers in words: the right direction, unit and digits, whatever the number."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchlib.cli import numbers
from benchlib.report.wording import plan_words
from benchlib.report.wording.words import (
    change,
    coefficient,
    figure,
    interval,
    with_interval,
)
from benchlib.statistics.estimates import Estimate, point
from benchlib.units import parse_unit

METRICS = ("time", "latency_p50", "latency_max", "memory", "allocations", "throughput", "transfer", "goroutines")
OPPOSITE = {
    "faster": "slower",
    "slower": "faster",
    "less": "more",
    "more": "less",
    "higher": "lower",
    "lower": "higher",
}
UP = {"time": "slower", "latency_p50": "slower", "latency_max": "slower", "memory": "more", "allocations": "more"}
ratios = st.floats(min_value=1e-6, max_value=1e6)
finite = st.floats(min_value=1e-9, max_value=1e12)


def estimate(value: float, low: float, high: float, unit: str = "sec/op", n: int = 6) -> Estimate:
    """An estimate with an interval."""
    return Estimate(
        value=value, low=low, high=high, unit=unit, confidence_level=0.95, n=n, method="m",
        standard_error=math.nan,
    )  # fmt: skip


@given(ratio=ratios, metric=st.sampled_from(METRICS))
def test_a_factor_is_never_below_one_and_nothing_is_a_factor_less(ratio: float, metric: str) -> None:
    """The word carries the direction, the factor the size; a rate or an amount that fell has a share."""
    told = change(ratio, metric)
    if told.endswith((" lower", " less")):
        (share,) = re.findall(r"([\d.]+) %", told)
        assert float(share) == pytest.approx(100 * (1 - ratio), abs=0.51)
        return
    (factor,) = re.findall(r"([\d.,]+)x", told)
    assert _plain(factor) >= 1
    assert _plain(factor) == pytest.approx(max(ratio, 1 / ratio), rel=0.01, abs=0.01)


def _plain(factor: str) -> float:
    return float(factor.replace(",", ""))


@given(ratio=ratios.filter(lambda one: abs(math.log(one)) > 0.01), metric=st.sampled_from(METRICS))
def test_the_word_says_which_way(ratio: float, metric: str) -> None:
    """More time is slower, more memory is more, more throughput higher."""
    word = change(ratio, metric).split()[-1]
    up = UP.get(metric, "higher")
    assert word == (up if ratio > 1 else OPPOSITE[up])


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (math.nan, "not comparable as a ratio"),
        (1.0, "no different (1.00x)"),
        (1.0049, "no different (1.00x)"),
        (0.9951, "no different (1.00x)"),
        (1.0051, "1.01x slower"),
    ],
)
def test_edges_of_a_change(ratio: float, told: str) -> None:
    """What rounds to no change is none; what is no ratio is not told as one."""
    assert change(ratio, "time") == told


# DEFECT (change() in report/wording/words.py): "infx less".
def test_a_cost_that_fell_to_nothing_prints_no_number_that_is_none() -> None:
    """From some memory to none: no factor can say it, and no 'inf' stands on a page."""
    assert "inf" not in change(0.0, "memory")


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (1e-6, 2e-6, "95 %: 1.0 to 2.0 µs/op"),
        (-math.inf, math.inf, "n = 3, no interval"),
        (1e-6, math.inf, "95 %: at least 1.00 µs/op"),
        (-math.inf, 2e-6, "95 %: at most 2.00 µs/op"),
    ],
)
def test_intervals_in_words(low: float, high: float, told: str) -> None:
    """Two ends, one end, or none: each in its own words, never an infinity."""
    assert interval(estimate(1.5e-6, low, high, n=3)) == told


@given(
    value=finite,
    below=st.floats(0, 0.999),
    above=st.floats(0, 10),
    unit=st.sampled_from(["sec/op", "B/op", "req/sec", "", "x"]),
)
def test_an_interval_holds_its_value_as_printed(value: float, below: float, above: float, unit: str) -> None:
    """Rounding never turns the ends the wrong way round; ends that are one number are written once."""
    made = estimate(value, value * (1 - below), value * (1 + above), unit)
    told = interval(made)
    numbers = re.findall(r"[−\d][\d,.]*(?:e-\d+)?(?=x| |$)", told.split(": ", 1)[1])
    ends = [float(one.replace(",", "").replace("−", "-")) for one in numbers]
    differ = made.high - made.low > 1e-8 * value > 1e-16
    assert len(ends) in ((2,) if differ else (1,) if made.low == made.high else (1, 2))
    assert ends[0] <= ends[-1]
    assert len(ends) == 1 or ends[0] < ends[1]
    assert "e+" not in told
    assert "inf" not in told


@given(
    value=st.floats(1e-8, 1e13),
    below=st.floats(1e-9, 0.999),
    above=st.floats(1e-9, 10),
    unit=st.sampled_from(["sec", "sec/op", "B/op", "req/sec", "allocs/op", "", "x", "ratio"]),
)
@example(value=9.996e-7, below=0.05, above=0.05, unit="sec")
@example(value=99_999.0, below=0.00003, above=0.0004, unit="req/sec")
@example(value=0.0199982, below=1e-5, above=1e-5, unit="")
def test_a_value_never_reads_as_one_beyond_its_ends(value: float, below: float, above: float, unit: str) -> None:
    """On a page, in a plan and in a terminal; and ends that differ read so."""
    made = estimate(value, value * (1 - below), value * (1 + above), unit)
    if not made.low < value < made.high:
        return
    for told, ends in (
        (figure(made), interval(made).split(": ", 1)[1]),
        (plan_words.figure(made), plan_words.ends(made)),
        (numbers.figure(made), numbers.interval(made)),
    ):
        lower, _, upper = ends.rpartition(" to ")
        lower = lower or upper  # no digit parts them
        low, middle, high = (in_base(one, upper) for one in (lower, told, upper))
        rounding = 1e-12 * high
        assert low - rounding <= middle <= high + rounding
        assert lower != upper or value * min(above, below) < 1e-8 or min(above, below) < 1e-8


def in_base(told: str, beside: str) -> float:
    """Read a number as it is told, in the unit of its neighbour where it has none."""
    number, _, unit = told.replace(",", "").rstrip("x%").partition(" ")
    unit = unit or beside.rstrip("x%").partition(" ")[2]
    return float(number) * (parse_unit(unit).factor if unit else 1.0)


def test_a_rate_too_small_for_decimals_is_no_zero() -> None:
    """1e-12 op/s in scientific notation, with its interval; rounding beside a larger number stays 0."""
    assert with_interval(estimate(1.25e-12, 1e-12, 1.5e-12, "op/sec")) == (
        "1.2e-12 op/s (95 %: 1.0e-12 to 1.5e-12 op/s)"
    )


@given(value=st.floats(1e-6, 1e6), width=st.floats(1e-5, 0.9))
def test_a_figure_has_no_more_digits_than_its_interval_carries(value: float, width: float) -> None:
    """A value known to 10 % is not written to five digits."""
    told = figure(estimate(value, value * (1 - width), value * (1 + width), "x")).removesuffix("x")
    if "." not in told:
        return
    digits = len(told.replace(",", "").replace(".", "").lstrip("0"))
    carried = math.floor(math.log10(value)) - math.floor(math.log10(value * width)) + 1
    assert digits <= max(carried, 2) + 1  # one more where rounding carries: 9.96 to 10.0
    assert digits <= 5 or math.isclose(width, 0, abs_tol=1e-3)  # more only where its ends take them


def test_a_figure_without_an_interval_has_three_digits() -> None:
    """One measurement is not more exact than many."""
    assert figure(point(0.000123456, "sec/op", 1, "one")) == "123 µs/op"
    assert with_interval(point(0.000123456, "sec/op", 1, "one")) == "123 µs/op (n = 1, no interval)"


# DEFECT (coefficient() in report/wording/words.py): "1e+04", and "nan".
@given(value=st.floats(0, 1e9))
def test_a_coefficient_has_no_exponent(value: float) -> None:
    """Seven decimals below one, four digits above."""
    told = coefficient(value)
    assert "e" not in told
    assert float(told.replace(",", "")) == pytest.approx(value, rel=6e-4, abs=5e-8)
