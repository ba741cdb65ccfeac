"""Series recorded in turn, or one after the other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from benchlib.statistics.interleaving import ManyRecorded, recorded_in_turn


def in_turn(order: str) -> bool:
    """Whether the A and the B of an order alternate."""
    places = [[place for place, one in enumerate(order) if one == series] for series in "AB"]
    return recorded_in_turn(*places)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ABABABABABAB", True),
        ("ABBAABBAABBA", True),
        ("AABBAABBAABB", True),  # three rounds of two
        ("AAAABBBBAAAABBBBAAAABBBB", True),  # three rounds of four
        ("AAAAAABBBBBB", False),
        ("BBBBBBAAAAAA", False),
        ("AAABBBAAABBB", False),  # two blocks a side
        ("ABAB", True),
        ("ABBA", True),
        ("AABB", False),
        ("ABA", True),
        ("AB", False),
        ("AAA", False),
        ("", False),
    ],
)
def test_rounds_are_told_from_blocks(order: str, expected: bool) -> None:
    """Three rounds are in turn, fewer are not where more were possible."""
    assert in_turn(order) is expected


def test_only_the_order_of_positions_counts() -> None:
    """Positions may have gaps, come unsorted, and either series may be named first."""
    assert recorded_in_turn([90, 10, 50], [20, 70, 1000])
    assert recorded_in_turn([20, 70, 1000], [90, 10, 50])
    assert not recorded_in_turn([3, 1, 2], [40, 60, 50])


def test_values_of_one_position_are_in_turn() -> None:
    """What two series record in the same place met the same machine."""
    assert recorded_in_turn([1, 2, 3], [1, 2, 3])


@pytest.mark.parametrize(("n", "passing"), [(2, 4 / 6), (3, 18 / 20), (6, 762 / 924)])
def test_how_often_a_random_order_passes(n: int, passing: float) -> None:
    """Of all orders of n and n: the shares that the docstring states, counted one by one."""
    places = range(2 * n)
    found = [
        recorded_in_turn(chosen, [one for one in places if one not in chosen]) for chosen in combinations(places, n)
    ]
    assert sum(found) / len(found) == pytest.approx(passing)


def test_many_series_at_once_are_told_as_each_by_itself() -> None:
    """Of all sizes, unsorted, with gaps, and at positions that they share."""
    rng = np.random.default_rng(7)
    told = set()
    for _ in range(200):
        sizes = rng.integers(1, 14, size=rng.integers(1, 9))
        series = [rng.integers(0, rng.choice([8, 40, 400]), size=size) for size in sizes]
        other = rng.integers(0, 40, size=rng.integers(1, 14))
        found = ManyRecorded(np.concatenate(series), np.cumsum([0, *sizes])).in_turn_with(other)
        assert found.tolist() == [recorded_in_turn(other, one) for one in series]
        told |= set(found.tolist())
    assert told == {True, False}
