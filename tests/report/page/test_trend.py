"""A report's key figure from build to build."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchlib.report.page.trend import changed_since, read_trend, sparkline


def records(*values: str, label: str = "p99") -> list[dict[str, Any]]:
    return [
        {"stamp": f"2026-11-{number:02d}T00:00:00Z", "cards": [{"label": label, "value": value}]}
        for number, value in enumerate(values, 1)
    ]


def test_values_are_held_against_each_other_in_one_unit() -> None:
    """A page shows the unit that suits the value; the line must not jump where it changes."""
    trend = read_trend(records("900 µs", "1.2 ms"))
    assert trend is not None
    assert trend.values == pytest.approx((0.0009, 0.0012))
    assert trend.days == ("2026-11-01", "2026-11-02")


def test_the_first_figure_that_is_a_number_in_two_builds_is_followed() -> None:
    """Words and counts of words have no line; neither has a figure that is new."""
    built = [
        {
            "stamp": "2026-11-01",
            "cards": [{"label": "a", "value": "no difference shown"}, {"label": "c", "value": "1,000 req/s"}],
        },
        {
            "stamp": "2026-11-02",
            "cards": [
                {"label": "a", "value": "2 worse, 3 better"},
                {"label": "new", "value": "3.0x"},
                {"label": "c", "value": "1,200 req/s"},
            ],
        },
    ]
    trend = read_trend(built)
    assert trend is not None
    assert (trend.label, trend.values) == ("c", (1000.0, 1200.0))


def test_a_figure_that_never_moves_gives_way_to_the_first_that_does() -> None:
    """A count of allocations is the same in each build; where nothing moves, the first is followed."""
    shown = [("allocations", "3 allocs/op"), ("memory", "8 B/op"), ("time", "{} ns/op")]
    built = [
        {"stamp": f"2026-11-0{day}", "cards": [{"label": one, "value": text.format(day)} for one, text in shown]}
        for day in (1, 2)
    ]
    moved, still = read_trend(built), read_trend([built[0], built[0]])
    assert moved is not None
    assert still is not None
    assert (moved.label, moved.values) == ("time", (1e-9, 2e-9))
    assert (still.label, still.values) == ("allocations", (3.0, 3.0))


@pytest.mark.parametrize(
    "built",
    [
        [],
        records("1 ms"),
        [{"cards": "none"}, {"cards": [{"label": "p99"}, 3, None]}],
        records("1e999 ms", "1e999 ms"),
        records("1 ms", "1 KiB"),
        [{}, {}],
    ],
)
def test_what_is_no_history_has_no_line(built: list[dict[str, Any]]) -> None:
    """The file may hold anything."""
    assert read_trend(built) is None


def test_the_line_runs_from_the_oldest_on_the_left_to_the_newest_on_the_right() -> None:
    """Greater values stand higher; all points lie within the drawing."""
    trend = read_trend(records("1 ms", "3 ms", "2 ms"))
    assert trend is not None
    line = re.search(r'points="([^"]*)"', sparkline(trend))
    assert line is not None
    points = [tuple(float(one) for one in pair.split(",")) for pair in line[1].split()]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert points[1][1] < points[2][1] < points[0][1]
    assert all(0 <= x <= 132 and 0 <= y <= 30 for x, y in points)


def test_a_line_of_one_value_is_level() -> None:
    """Nothing divides by a range of zero."""
    trend = read_trend(records("1 ms", "1 ms"))
    assert trend is not None
    assert 'points="4.0,15.0 128.0,15.0"' in sparkline(trend)


def test_a_hostile_label_is_words() -> None:
    """It stands in an attribute and in a title."""
    trend = read_trend(records("1 ms", "2 ms", label='"><script>1</script>'))
    assert trend is not None
    assert "<script" not in sparkline(trend)
    assert "&lt;script&gt;" in sparkline(trend)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"status": "PASS", "verdict": "a"}, {"status": "PASS", "verdict": "a"}, ""),
        ({"status": "PASS", "verdict": "a"}, {"status": "FAIL", "verdict": "b"}, "was PASS"),
        ({"status": "PASS", "verdict": "a"}, {"status": "PASS", "verdict": "b"}, "new verdict"),
        ({}, {"status": "PASS"}, "was without a status"),
    ],
)
def test_what_the_last_build_changed_is_said(before: dict[str, str], now: dict[str, str], said: str) -> None:
    """Status before verdict: the graver of the two."""
    assert changed_since([before, now]) == said
    assert changed_since([now]) == ""
