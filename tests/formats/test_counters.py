"""Linux perf: counters as every locale writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.errors import DataError
from benchlib.formats.counters import number_of
from tests.columns import counts
from tests.readings import read_lines, values

DATA = Path(__file__).parents[1] / "data" / "perf"
STAT, LOCALISED = ((DATA / name).read_text(encoding="utf-8") for name in ("stat.txt", "stat-localised.txt"))


def test_perf_stat_gives_counters_and_times_of_each_command() -> None:
    """What was not counted is told; ratios behind the mark are derived."""
    reading = read_lines(STAT)
    assert values(reading) == [
        ("./sort 1000", "task-clock", 2355.83, "ms"),
        ("./sort 1000", "context-switches", 12.0, ""),
        ("./sort 1000", "cycles", 5577472279.0, ""),
        ("./sort 1000", "page-faults:u", 657.0, ""),
        ("./sort 1000", "time", 2.360834, "s/op"),
        ("./sort 2000", "task-clock:u", 812.01, "ms"),
        ("./sort 2000", "instructions:u", 1234567.0, ""),
        ("./sort 2000", "time", 1.23456789, "s/op"),
        ("./sort 2000", "user_time", 1.2, "s/op"),
        ("./sort 2000", "system_time", 0.03, "s/op"),
    ]
    assert counts(reading.rows.iterations)[:6] == [5, 5, 5, 5, 5, None]
    assert reading.problems == [(7, "LLC-loads was not supported; it has no value")]


def test_a_locale_parts_thousands_and_decimals_its_own_way() -> None:
    """Blanks, narrow blanks, points and commas (field_data.md, format 6)."""
    assert values(read_lines(LOCALISED)) == [
        ("./a.out", "task-clock", 2355.83, "ms"),
        ("./a.out", "cycles", 32363300457.0, ""),
        ("./a.out", "branches", 1234567.0, ""),
        ("./a.out", "page-faults", 999.0, ""),
        ("./a.out", "time", 2.5532, "s/op"),
    ]


@pytest.mark.parametrize("written", ["1,23", "12.3456", "1,234,56", "1 234,567", "", "1,,234"])
def test_a_count_that_is_not_whole_is_refused(written: str) -> None:
    """Thousands stand in threes, parted by one mark."""
    with pytest.raises(DataError, match="no whole number"):
        number_of(written, "")


@pytest.mark.parametrize(
    "text",
    [
        "0.81,msec,task-clock,1.08%,814847,100.00,0.015,CPUs utilized\n75,,page-faults,814847,100.00,92.042,K/sec\n"
        "<not supported>,,cycles,0,100.00,,\n",
        "0,81;msec;task-clock;814847;100,00;0,015;CPUs utilized\n".replace("100,00", "100.00")
        + "75;;page-faults;814847;100.00;;\n<not supported>;;cycles;0;100.00;;\n",
        '{"counter-value" : "0.81", "unit" : "msec", "event" : "task-clock", "event-runtime" : 767715}\n'
        '{"counter-value" : "75.000000", "unit" : "", "event" : "page-faults"}\n'
        '{"counter-value" : "<not supported>", "unit" : "", "event" : "cycles"}\n',
    ],
)
def test_what_perf_stat_writes_for_programs(text: str) -> None:
    """Columns of any separator, and objects."""
    reading = read_lines(text)
    assert values(reading) == [("", "task-clock", 0.81, "ms"), ("", "page-faults", 75.0, "")]
    assert reading.problems == [(3, "cycles was not supported; it has no value")]


def test_a_cut_counter_is_no_value() -> None:
    """The last line of a file that was cut in it."""
    reading = read_lines(STAT[: STAT.index("5,577,472") + 5], open_end=True)
    assert [row[1] for row in values(reading)] == ["task-clock", "context-switches"]
