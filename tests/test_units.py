"""Units: read once, shown again without loss."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.errors import DataError
from benchlib.units import (
    asked_share,
    parse_duration,
    parse_quantity,
    parse_unit,
    percent,
    scaled,
    show,
    written_duration,
)

UNITS = ("sec", "sec/op", "B/op", "B/sec", "allocs/op", "req/sec", "op/sec", "", "ratio", "x", "widgets")
anything = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("written", "base", "factor"),
    [
        ("ns/op", "sec/op", 1e-9),
        ("us/op", "sec/op", 1e-6),
        ("µs/op", "sec/op", 1e-6),
        ("μs/op", "sec/op", 1e-6),
        ("ms", "sec", 1e-3),
        ("s", "sec", 1.0),
        ("B/op", "B/op", 1.0),
        ("MB/s", "B/sec", 1e6),
        ("KiB", "B", 1024.0),
        ("GiB/s", "B/sec", 2.0**30),
        ("op/ms", "op/sec", 1e3),
        ("req/s", "req/sec", 1.0),
        ("rps", "req/sec", 1.0),
        ("allocs/op", "allocs/op", 1.0),
        ("%", "ratio", 0.01),
        ("widgets/op", "widgets/op", 1.0),
    ],
)
def test_units_as_tools_write_them(written: str, base: str, factor: float) -> None:
    """Base unit and the factor to it; an unknown word stays as it is."""
    found = parse_unit(written)
    assert found.base == base
    assert found.factor == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("14.4ms", 0.0144), ("1m0.05s", 60.05), ("-2h", -7200.0), ("1h2m3s", 3723.0), (".5s", 0.5), ("1µs", 1e-6)],
)
def test_durations(text: str, seconds: float) -> None:
    """As Go writes them."""
    assert parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("14.4ms", (14.4, "ms")), ("1.1m", (1.1, "m")), ("-2h", (-2.0, "h")), ("+3µs", (3.0, "µs")),
        ("1m0.05s", (60.05, "duration")), ("-1m1s", (-61.0, "duration")),
    ],
)  # fmt: skip
def test_durations_as_written(text: str, found: tuple[float, str]) -> None:
    """One part keeps its unit; of several, the value is the seconds and the unit the whole notation."""
    assert written_duration(text) == (pytest.approx(found[0], rel=1e-12), found[1])


@pytest.mark.parametrize("text", ["", "5", "ms", "1 s", "1m 2s", "--1s", "1e3s", "NaNs", "1ms\n"])
def test_what_is_no_duration(text: str) -> None:
    """One line with an example; control characters shown as such."""
    with pytest.raises(DataError) as caught:
        parse_duration(text)
    assert str(caught.value).endswith("is not a duration; write it like 14.4ms or 1m0.05s")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("8 ns", 8e-9, "sec"),
        ("5ms", 5e-3, "sec"),
        ("50,000 req/s", 5e4, "req/sec"),
        ("1_000 allocs/op", 1e3, "allocs/op"),
        ("0 allocs/op", 0.0, "allocs/op"),
        ("2 KiB", 2048.0, "B"),
        ("10 %", 0.1, "ratio"),
        ("1.5e3 op/s", 1500.0, "op/sec"),
    ],
)
def test_quantities(text: str, value: float, unit: str) -> None:
    """A number and its unit, in base units."""
    found = parse_quantity(text)
    assert found[0] == pytest.approx(value, rel=1e-12)
    assert found[1] == unit


@pytest.mark.parametrize("text", ["", "8", "ns", "eight ns", "1,00 ns", "\x1b[31m"])
def test_what_is_no_quantity(text: str) -> None:
    """One line that quotes it harmlessly and shows how to write one."""
    with pytest.raises(DataError) as caught:
        parse_quantity(text)
    assert str(caught.value).endswith("write it like '8 ns' or '50000 req/s'")
    assert "\x1b" not in str(caught.value)


@given(
    value=st.floats(1e-9, 1e13),
    unit=st.sampled_from(["sec", "sec/op", "B", "B/op", "B/sec", "bit/sec", "req/sec", "op/sec", "allocs/op"]),
)
def test_what_is_shown_reads_back(value: float, unit: str) -> None:
    """To the digits shown: a number of bytes is never off by 1000 for 1024."""
    if unit not in ("sec", "sec/op"):
        value = float(math.ceil(value))
    number, base = parse_quantity(show(value, unit, digits=6))
    assert base == unit
    assert number == pytest.approx(value, rel=2e-5)


@given(value=anything, unit=st.sampled_from(UNITS), digits=st.integers(1, 6))
def test_nothing_shown_is_noise(value: float, unit: str, digits: int) -> None:
    """No exponent but of what decimals cannot show or fill up with rounding, no bare KB, no hyphen for a minus."""
    told = show(value, unit, digits=digits)
    assert not re.search(r"\d[eE](?!-|\+(1[5-9]|[2-9]\d|\d{3})\b)|\de-0[1-6]\b", told)
    assert not re.search(r"(?<![A-Za-z])[kK]B", told)
    assert not re.search(r"(?<!\w)-\d", told)
    assert told == told.strip()
    assert told


@given(value=st.floats(1e-8, 1e15), digits=st.integers(1, 5))
def test_a_value_keeps_its_significant_digits(value: float, digits: int) -> None:
    """Shown to at least the digits asked."""
    told = show(value, "x", digits=digits).removesuffix("x").replace(",", "")
    places = max(0, digits - (math.floor(math.log10(value)) + 1))
    assert float(told) == pytest.approx(value, abs=0.5000001 * 10.0 ** -min(places, 9))


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [(39933.4, "", "39,933"), (1234.5, "x", "1,234x"), (12.345, "ratio", "1,234 %"), (2400.0, "", "2,400")],
)
def test_counts_factors_and_percent_keep_their_whole_part(value: float, unit: str, told: str) -> None:
    """A bare number may be a count, which is exact; the others have rules of their own."""
    assert show(value, unit) == told


@given(value=st.floats(1e-9, 1e4))
def test_a_time_stands_in_the_step_that_reads_best(value: float) -> None:
    """Between 1 and 1000 of ns, µs and ms; seconds without end."""
    number, unit = show(value, "sec").split()
    assert 0.999 <= float(number.replace(",", "")) < 1000 or unit == "s"
    assert {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}[unit] * float(number.replace(",", "")) == pytest.approx(
        value, rel=0.006
    )


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (1024.0, "B/op", "1.00 KiB/op"),
        (1023.0, "B", "1,023 B"),
        (1413.0, "B", "1.38 KiB"),
        (2.0**20, "B", "1.00 MiB"),
        (999.7e-6, "sec", "1.00 ms"),
        (0.0, "sec", "0 s"),
        (0.0, "B/op", "0 B/op"),
        (0.0, "allocs/op", "0 allocs/op"),
        (-0.0015, "sec", "−1.50 ms"),
        (math.nan, "sec", "– s"),
        (math.inf, "x", "∞x"),
        (0.182, "ratio", "18.2 %"),
        (17454.6, "req/sec", "17,455 req/s"),
        (12.0, "", "12"),
    ],
)
def test_shown_values(value: float, unit: str, told: str) -> None:
    """At the edges of the steps, at zero, below it, and where there is no number."""
    assert show(value, unit) == told


def test_neighbours_can_share_a_unit() -> None:
    """900 µs beside 2 ms reads as 0.900 ms."""
    assert show(900e-6, "sec", like=2e-3) == "0.900 ms"
    assert scaled(900e-6, "sec") == (1e-6, "µs")


def test_shares_that_were_asked_for() -> None:
    """As exactly as they were asked, and without what a float adds."""
    asked = [asked_share(one) for one in (0.95, 0.125, 0.07, 0.99999, 0.9999999)]
    assert asked == ["95 %", "12.5 %", "7 %", "99.999 %", "99.99999 %"]


def test_shares_as_percent() -> None:
    """A true minus sign, a dash for none."""
    assert [percent(0.5), percent(-0.5), percent(math.nan), percent(0.12345, 2)] == ["50 %", "−50 %", "–", "12.35 %"]
