"""Were series recorded in turn, so that all of them met the same machine?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ManyRecorded", "recorded_in_turn", "rounds_in_turn"]


#: Stretches of one series or the other in three rounds of both.
_THREE_ROUNDS = 6


def recorded_in_turn(first_positions: ArrayLike, second_positions: ArrayLike) -> bool:
    """Whether two series of one recording alternate, rather than follow one another.

    The rule: in the merged order at least 6 unbroken stretches - three rounds - belong to one series or the other;
    where so few values allow fewer than 12, at least half of the most there can be (``2 min(n1, n2)``, and one more
    where they are not equally many), and 3 at least. One after the other (AAAA BBBB) is 2 stretches, and two blocks a
    side (AAA BBB AAA BBB) are 4: what the machine did between them would pass for the code.

    A random order mixes well, and passes in 67 % of orders of 2 and 2, 90 % of 3 and 3, 82 % of 6 and 6, over 99 % of
    10 and 10, by the distribution of runs (Wald and Wolfowitz); with few values alternate strictly.

    Source: A. Wald, J. Wolfowitz, Annals of Mathematical Statistics 11 (1940) 147-162.
    """
    first, second = np.asarray(first_positions).ravel(), np.asarray(second_positions).ravel()
    if not first.size or not second.size:
        return False
    # Stable: what was recorded at one position counts as the first series before the second, which is in turn.
    order = np.argsort(np.concatenate([first, second]), kind="stable")
    of_first = order < first.size
    runs = 1 + np.count_nonzero(of_first[1:] != of_first[:-1])
    return bool(_alternate(np.array([runs]), np.array([first.size]), second.size)[0])


class ManyRecorded:
    """Many series of one recording, to be held against further ones."""

    __slots__ = ("_ascending", "_first", "_last", "_place", "_sizes")

    def __init__(self, positions: NDArray[Any], starts: NDArray[np.intp]) -> None:
        self._sizes = np.diff(starts)
        self._first, self._last = starts[:-1], starts[1:] - 1
        each = positions[np.lexsort((positions, np.repeat(np.arange(self._sizes.size), self._sizes)))]
        order = np.argsort(each, kind="stable")
        self._ascending = each[order]
        self._place = np.empty(order.size, dtype=np.intp)
        self._place[order] = np.arange(order.size)

    def in_turn_with(self, positions: NDArray[Any]) -> NDArray[np.bool_]:
        """Say with which of the series another one was recorded in turn, see `recorded_in_turn`."""
        # How many values of the other series stand before each value here. What was recorded at one position counts
        # as the other series before this one, which is in turn.
        begins = np.searchsorted(self._ascending, positions)
        before = np.cumsum(np.bincount(begins, minlength=self._place.size + 1))[self._place]
        parted = np.concatenate([[True], before[1:] != before[:-1]])
        parted[self._first] = True
        stretches = np.add.reduceat(parted, self._first, dtype=np.intp)
        runs = 2 * stretches + 1 - (before[self._first] == 0) - (before[self._last] == positions.size)
        return _alternate(runs, self._sizes, positions.size)


def _alternate(runs: NDArray[np.intp], sizes: NDArray[np.intp], size: int) -> NDArray[np.bool_]:
    """Say of two series in so many stretches whether they alternate, see `recorded_in_turn`."""
    most = 2 * np.minimum(sizes, size) + (sizes != size)
    alternate: NDArray[np.bool_] = (runs >= 3) & ((runs >= _THREE_ROUNDS) | (2 * runs >= most))
    return alternate


def rounds_in_turn(
    first_positions: ArrayLike, second_positions: ArrayLike
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which values of two series make a round: places in the first, and their partners in the second.

    In the merged order a value and the one after it are a round where they are of different series; a value whose
    neighbour is of its own series, because a recording failed or has not come yet, is left out.

    Examples
    --------
    >>> first, second = rounds_in_turn([0, 3, 4], [1, 2, 5])  # A B, B A, A B
    >>> first.tolist(), second.tolist()
    ([0, 1, 2], [0, 1, 2])
    >>> first, second = rounds_in_turn([0, 3, 4, 6], [1, 5])  # the second B failed, and the last has not come
    >>> first.tolist(), second.tolist()
    ([0, 2], [0, 1])
    """
    first, second = np.asarray(first_positions).ravel(), np.asarray(second_positions).ravel()
    order = np.argsort(np.concatenate([first, second]), kind="stable").tolist()
    pairs, place = [], 0
    while place + 1 < len(order):
        one, other = sorted(order[place : place + 2])
        if one < first.size <= other:
            pairs.append((one, other - first.size))
            place += 1
        place += 1
    places = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return places[:, 0], places[:, 1]
