"""Estimates written with the digits that their interval carries."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.significant_digits import differing_figures, ends, figure
from benchlib.statistics.estimates import Estimate, point
from benchlib.units import parse_quantity


def estimate(value: float, low: float, high: float, unit: str) -> Estimate:
    """A median of nine with an interval."""
    return replace(point(value, unit, 9, "median"), low=low, high=high)


def test_what_counts_stays() -> None:
    """As does any unit that no reader could tell from a count: requests of a run, or connections."""
    for unit in ("req", "widgets", "peak-conns", "ev(s)", "/sec", "x%", ""):
        assert figure(estimate(33_456.0, 31_000.0, 36_000.0, unit)).split()[0] == "33,456"
    for unit in ("sec", "req/sec", "ev/sec", "cells/op", "B/sec"):
        assert figure(estimate(33_456.0, 31_000.0, 36_000.0, unit)).split()[0] in ("33,000", "33")


@given(
    value=st.floats(900.0, 1.1e9),
    below=st.floats(0.0005, 0.2),
    above=st.floats(0.0005, 0.2),
    unit=st.sampled_from(["B", "B/op", "B/sec"]),
)
def test_sizes_are_written_to_the_place_that_their_unit_shows(
    value: float, below: float, above: float, unit: str
) -> None:
    """Places of kibibytes are no places of bytes: a median stays in its interval."""
    made = estimate(value, value * (1 - below), value * (1 + above), unit)
    low, middle, high = (parse_quantity(one)[0] for one in (ends(made)[0], figure(made), ends(made)[1]))
    assert low * (1 - 1e-12) <= middle <= high * (1 + 1e-12)


def test_a_median_of_a_mebibyte_and_its_ends_have_one_place() -> None:
    """A thousand kibibytes lie between them, and a power of ten of bytes."""
    size = estimate(1_001_000.0, 999_000.0, 1_040_000.0, "B/op")
    assert (figure(size), *ends(size)) == ("980 KiB/op", "980 KiB/op", "1,020 KiB/op")


def test_what_arithmetic_lost_is_no_width() -> None:
    """Five equal values and their mean by logarithms differ in the sixteenth digit."""
    noise = estimate(1901.14, math.nextafter(1901.14, 0.0), math.nextafter(1901.14, 1e9), "op/sec")
    assert figure(noise) == "1,901 op/s"
    assert ends(noise) == ("1,901 op/s", "1,901 op/s")


@pytest.mark.parametrize(("low", "high"), [(8.0004e-9, 8.0004e-9), (-math.inf, math.inf)])
def test_a_bound_that_is_missed_reads_so_without_a_width(low: float, high: float) -> None:
    """Of what was measured once, or is always alike."""
    missed = estimate(8.0004e-9, low, high, "sec/op")
    assert figure(missed) in ("8.00 ns/op", "8.000 ns/op")
    assert figure(missed, apart=(8e-9,)) == "8.0004 ns/op"
    assert figure(missed, apart=(8.0004e-9,)) == figure(missed)


def test_further_digits_change_the_unit_of_neither_value_nor_ends() -> None:
    """A bound may ask for digits with which 1.0 µs is 999.3 ns: its ends follow."""
    made = estimate(999.3e-9, 986.5e-9, 1008.2e-9, "sec/op")
    for apart in ((), (986.4e-9,), (1008.25e-9,)):
        units = {one.split()[1] for one in (figure(made, apart=apart), *ends(made, apart=apart))}
        assert len(units) == 1


def test_zeros_behind_the_point_part_no_two_numbers() -> None:
    """10.0 beside 10.00 reads as one number."""
    first, second = differing_figures(estimate(9.96, 9.0, 11.0, "allocs/op"), estimate(10.0, 9.99, 10.01, "allocs/op"))
    assert float(first.split()[0]) < float(second.split()[0])
