"""How likely is so small a rank sum, when every choice of ranks is equally likely? Counted, not approximated.

The sum runs over the ranks of one sample of n1 among n pooled values. Without ties the answer depends on
n1 and n alone and is worked out once. With ties it depends on the ranks: they are cut in the middle, the
choices from each half are counted by how many ranks they hold and what these sum to, and the counts are
multiplied where the two halves meet. A half has half the ranks and a quarter of the sums, and halves recur.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

__all__ = ["TIED_LIMIT", "tied_tails", "untied_tails"]

#: Most pooled values with ties: the counts of half of them fit 32 bits, and their products are exact in float64.
TIED_LIMIT = 50

# How many products are laid out at once: about what stays in a processor's own cache.
_PRODUCTS = 1 << 15

# Up to this many ranks, a half is small.
_SMALL = 12

# Up to this many choices are listed one by one before all sums are kept in a table.
_LISTED = 1000


class _Ways(NamedTuple):
    """``counts[k, place]`` choices of k ranks sum to ``k * middle + lowest + place``; none has place 0."""

    counts: NDArray[Any]
    middle: int
    lowest: int


@lru_cache(maxsize=1024)
def untied_tails(n1: int, n2: int) -> NDArray[np.float64]:
    """Return the chance of a U of at most 0, 1, ..., n1 * n2 where nothing is tied and nothing differs.

    References
    ----------
    H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947) 50-60.

    Examples
    --------
    >>> (20 * untied_tails(3, 3)).round(12).tolist()
    [1.0, 2.0, 4.0, 7.0, 10.0, 13.0, 16.0, 18.0, 19.0, 20.0]
    """
    # Sums of positive terms: float64 keeps the counts to a few units in the last place even where it
    # cannot hold them exactly.
    ways = _count_ways(range(n1 + n2), n1, np.float64)
    least = n1 * (n1 - 1) // 2 - n1 * ways.middle - ways.lowest
    tails: NDArray[np.float64] = np.cumsum(ways.counts[n1, least : least + n1 * n2 + 1]) / math.comb(n1 + n2, n1)
    tails.flags.writeable = False
    return tails


def tied_tails(doubled_ranks: NDArray[np.intp], n1: int, doubled_u: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the chance of a U of at most the one seen, row by row, where values are tied.

    Parameters
    ----------
    doubled_ranks : ndarray of int, shape (r, n)
        Twice the mid-ranks of the pooled values, ascending; n from 2 to `TIED_LIMIT`.
    n1 : int
        How many of the n values the first sample holds.
    doubled_u : ndarray of int, shape (r,)
        Twice the U of the first sample.

    Returns
    -------
    ndarray, shape (r,)

    References
    ----------
    J. H. Klotz, Journal of the American Statistical Association 61 (1966) 772-787, for the distribution.
    E. Horowitz, S. Sahni, Journal of the ACM 21 (1974) 277-292, for the two halves.

    Examples
    --------
    The 6 choices of 2 from the ranks 1, 2.5, 2.5 and 4 sum to 3.5 (twice), 5 (twice) and 6.5 (twice).

    >>> tied_tails(np.array([[2, 5, 5, 8]]), 2, np.array([1])).round(12).tolist()
    [0.333333333333]
    """
    limits = doubled_u + n1 * (n1 + 1)
    # The same ties with the same U come again and again where values are counts.
    asked = _packed(np.column_stack([doubled_ranks, limits]))
    distinct = {key: row for row, key in enumerate(asked)}
    rows = np.fromiter(distinct.values(), dtype=np.intp, count=len(distinct))
    n = doubled_ranks.shape[1]
    at_once = max(1, _PRODUCTS // ((n1 + 1) * (n * n // 8 + 1)))
    ways = [
        _ways_within(doubled_ranks[part], n1, limits[part])
        for part in np.split(rows, range(at_once, len(rows), at_once))
        if part.size
    ]
    found = dict(zip(distinct, np.concatenate([np.zeros(0), *ways]).tolist(), strict=True))
    return np.array([found[key] for key in asked], dtype=np.float64) / math.comb(n, n1)


def _ways_within(doubled_ranks: NDArray[np.intp], n1: int, limits: NDArray[np.intp]) -> NDArray[np.float64]:
    """Count the choices of n1 ranks of each row that sum to at most its limit."""
    cut = doubled_ranks.shape[1] // 2
    lower, lower_middle, lower_lowest = _halves(doubled_ranks[:, :cut], n1, _LOWER)
    upper, upper_middle, upper_lowest = _halves(doubled_ranks[:, cut:], n1, _UPPER)
    counts = np.zeros((len(lower), n1 + 1, max(one.shape[1] for one in lower)))
    for row, one in enumerate(lower):
        counts[row, :, : one.shape[1]] = one
    # Its first place stays 0: where there is no room for any choice.
    within = np.concatenate([one.ravel() for one in upper])
    lengths = np.array([one.shape[1] for one in upper])
    starts = np.cumsum((n1 + 1) * lengths) - (n1 + 1) * lengths
    taken = np.arange(n1 + 1)
    # What the ranks taken from the lower half leave to the n1 - taken from the upper one.
    room = limits - lower_lowest - upper_lowest - n1 * upper_middle
    place = room[:, None] + taken * (upper_middle - lower_middle)[:, None]
    place = place.astype(np.int32)[:, :, None] - np.arange(counts.shape[2], dtype=np.int32)
    np.maximum(place, 0, out=place)
    np.minimum(place, (lengths - 1).astype(np.int32)[:, None, None], out=place)
    place += (starts[:, None] + (n1 - taken) * lengths[:, None]).astype(np.int32)[:, :, None]
    counts *= within.take(place)
    ways: NDArray[np.float64] = counts.sum(axis=(1, 2))
    return ways


# Halves that were counted, by their ranks and the most that is taken: of upper ones the choices up to each sum.
_LOWER: dict[tuple[bytes, int], _Ways] = {}
_UPPER: dict[tuple[bytes, int], _Ways] = {}


def _halves(
    doubled_ranks: NDArray[np.intp], n1: int, known: dict[tuple[bytes, int], _Ways]
) -> tuple[list[NDArray[np.int32]], NDArray[np.intp], NDArray[np.intp]]:
    """Return the counts of one half of each row, with its middle rank and its lowest sum."""
    # Halves that differ in level only are alike.
    level = doubled_ranks[:, 0]
    ranks = doubled_ranks - level[:, None]
    asked = [(one, n1) for one in _packed(ranks)]
    # Small halves are many, recur often and need 4 KiB each; large ones recur seldom and need 32.
    small = ranks.shape[1] <= _SMALL
    if len(known) > (4096 if small else 512):
        known.clear()
    new = {key: row for row, key in enumerate(asked) if key not in known}
    if new:
        rows = ranks[list(new.values())]
        counted = _list_ways(rows, n1) if small else [_count_ways(row, n1, np.int32) for row in rows.tolist()]
        if known is _UPPER:
            counted = [one._replace(counts=np.cumsum(one.counts, axis=1, dtype=np.int32)) for one in counted]
        known.update(zip(new, counted, strict=True))
    halves = [known[key] for key in asked]
    middle, lowest = np.array([one[1:] for one in halves], dtype=np.intp).T
    return [one.counts for one in halves], level + middle, lowest


def _list_ways(ranks: NDArray[np.intp], most: int) -> list[_Ways]:
    """Count the choices of up to most of few ranks, of many rows at once, by listing all of them."""
    size = ranks.shape[1]
    middle = ranks[:, size // 2]
    centred = ranks - middle[:, None]
    lowest = np.minimum(centred, 0).sum(axis=1) - 1
    width = np.maximum(centred, 0).sum(axis=1) - lowest + 1
    choices = (np.arange(1 << size)[:, None] >> np.arange(size)) & 1
    held = choices.sum(axis=1)
    choices, held = choices[held <= most], held[held <= most]
    # Whole numbers far below 2^53: as floats their products are exact, and faster.
    sums = (centred.astype(np.float64) @ choices.T.astype(np.float64)).astype(np.intp)
    cells = (most + 1) * width
    starts = np.cumsum(cells) - cells
    places = sums + (starts - lowest)[:, None] + held * width[:, None]
    counts = np.bincount(places.ravel(), minlength=int(cells.sum())).astype(np.int32)
    return [
        _Ways(one.reshape(most + 1, -1), int(middle[row]), int(lowest[row]))
        for row, one in enumerate(np.split(counts, starts[1:]))
    ]


def _count_ways(ranks: Sequence[int], most: int, dtype: DTypeLike) -> _Ways:
    """Count the choices of up to most ranks by how many they hold and what these sum to.

    A choice either holds a rank or does not. Tied values share a mid-rank and are told apart here,
    which is what makes the count exact with ties.
    """
    # Measured from the middle rank, sums stay small.
    middle = ranks[len(ranks) // 2]
    tied = Counter(rank - middle for rank in ranks).most_common()
    lowest = sum(rank * size for rank, size in tied if rank < 0) - 1
    width = sum(rank * size for rank, size in tied if rank > 0) - lowest + 1
    # One line, k after k: to add a rank is one shift, to the next k and by the rank. No sum leaves its k.
    places, ways = np.array([-lowest]), np.ones(1)
    shifts: list[int] = []
    for rank, size in tied:
        if size > 2 and places.size * (size + 1) <= _LISTED:
            places = np.add.outer(places, np.arange(size + 1) * (width + rank)).ravel()
            ways = np.multiply.outer(ways, _binomials(size)).ravel()
        else:
            shifts += [width + rank] * size
    # To take more than half of the ranks is to leave less than half: the same sums, seen from the other end.
    half, most_there = min(most, len(ranks) // 2), min(most, len(ranks))
    whole = (half + 1) * width
    line = np.bincount(places, ways, whole)[:whole].astype(dtype)
    for shift in shifts:
        line[shift:] += line[:-shift]
    counts = np.zeros((most + 1, width), dtype)
    counts[: half + 1] = line.reshape(half + 1, width)
    counts[half + 1 : most_there + 1, 1:] = counts[len(ranks) - most_there : len(ranks) - half, 1:][::-1, ::-1]
    return _Ways(counts, middle, lowest)


@lru_cache(maxsize=TIED_LIMIT)
def _binomials(size: int) -> NDArray[np.float64]:
    return np.array([math.comb(size, k) for k in range(size + 1)], dtype=np.float64)


def _packed(rows: NDArray[np.intp]) -> list[bytes]:
    """Return each row as bytes: what a table of known rows is looked up by."""
    whole, length = rows.astype(np.int16).tobytes(), 2 * rows.shape[1]
    return [whole[start : start + length] for start in range(0, len(whole), length)]
