"""Do two samples differ in location? The rank-sum test, and the shift it cannot rule out.

The test is benchstat's, rule for rule: exact without ties up to 50 values a side, exact with ties up to 25, else a
normal approximation with tie and continuity correction. SciPy's ``exact`` ignores ties and its ``auto`` leaves the
exact test at 8, so benchlib has its own. Rows of equal sizes are one matrix.

How likely is so small a rank sum, when every choice of ranks is equally likely? Counted, not approximated: the sum runs
over the ranks of one sample of n1 among n pooled values. Without ties the answer depends on n1 and n alone and is
worked out once. With ties it depends on the ranks: they are cut in the middle, the choices from each half are counted
by how many ranks they hold and what these sum to, and the counts are multiplied where the two halves meet. A half has
half the ranks and a quarter of the sums, and halves recur.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from benchlib.lazy_scipy import special

__all__ = ["EXACT_LIMIT", "EXACT_LIMIT_TIES", "mann_whitney_rows", "shift_rank", "smallest_pvalue", "tied_tails"]


#: Largest side for the exact null distribution, without and with ties.
EXACT_LIMIT = 50
EXACT_LIMIT_TIES = 25
#: Up to this many pairs all their differences are laid out; above it, ranks are bisected.
_PAIRS_LIMIT = 1_000_000
#: Most pooled values with ties: the counts of half of them fit 32 bits, and their products are exact in float64.
TIED_LIMIT = 50
# How many products are laid out at once: about what stays in a processor's own cache.
_PRODUCTS = 1 << 15
# Up to this many ranks, a half is small.
_SMALL = 12
# Up to this many choices are listed one by one before all sums are kept in a table.
_LISTED = 1000
# Halves that were counted, by their ranks and the most that is taken: of upper ones the choices up to each sum.
_LOWER: dict[tuple[bytes, int], _Ways] = {}
_UPPER: dict[tuple[bytes, int], _Ways] = {}


def mann_whitney_rows(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the two-sided p value of the U test for each row of two matrices, and one that favours no side.

    With ties and sides of different n the null distribution is skewed; like benchstat, the first doubles the lower tail
    of the first sample's U, so the order of the arguments can matter. Where that doubling passes 1, benchstat prints it
    (1.2 has been seen); this returns 1. Where nothing lies in that tail it gives 0, as benchstat does. The second is
    twice the tail of the sample with the smaller U. It differs only where values are tied, sides differ in n, at most
    25 each, and the second sample has the smaller U.

    Source: golang.org/x/perf/benchmath with github.com/aclements/go-moremath, ``stats.MannWhitneyUTest``.
    H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947) 50-60.
    J. H. Klotz, Journal of the American Statistical Association 61 (1966) 772-787.
    """
    n1, n2 = first.shape[1], second.shape[1]
    pooled = np.concatenate([first, second], axis=1)
    order = np.argsort(pooled, axis=1)
    doubled_ranks, ties = _ranks(np.take_along_axis(pooled, order, axis=1))
    doubled_u = (doubled_ranks * (order < n1)).sum(axis=1) - n1 * (n1 + 1)
    smaller_u = np.minimum(doubled_u, 2 * n1 * n2 - doubled_u)
    tied = ties.max(axis=1) > 1
    apart = smaller_u < n1 * n2
    tail = np.full(len(pooled), 0.5)
    seen = tail
    for rows, limit in ((apart & ~tied, EXACT_LIMIT), (apart & tied, EXACT_LIMIT_TIES)):
        if not rows.any():
            continue
        if max(n1, n2) > limit:
            spread = np.sqrt(_u_variance(n1, n2, ties[rows]))
            tail[rows] = special.ndtr((smaller_u[rows] / 2 - n1 * n2 / 2 + 0.5) / spread)
        elif limit == EXACT_LIMIT:
            tail[rows] = untied_tails(n1, n2)[smaller_u[rows] // 2]
        else:
            tail[rows] = tied_tails(doubled_ranks[rows], n1, smaller_u[rows])
            if n1 != n2:
                other = rows & (doubled_u > smaller_u)
                seen = tail.copy()
                seen[other] = tied_tails(doubled_ranks[other], n2, smaller_u[other])
    return np.minimum(1.0, 2 * tail), np.minimum(1.0, 2 * seen)


def smallest_pvalue(n1: int, n2: int) -> float:
    """Return the smallest p value that samples of these sizes can reach, without ties."""
    # An exact binomial of many digits takes seconds; its size no longer matters by then.
    choices = math.comb(n1 + n2, n1) if n1 + n2 <= 1000 else float(special.binom(n1 + n2, n1))
    return min(1.0, 2 / choices)


def ranked_shifts(
    first: NDArray[np.float64], second: NDArray[np.float64], rank: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the differences of pairs that stand at a rank from either end, row by row."""
    rows, pairs = len(first), first.shape[1] * second.shape[1]
    if rank < 1:
        return np.full(rows, -np.inf), np.full(rows, np.inf)
    if pairs <= _PAIRS_LIMIT:
        # A full sort of a row is faster than a partition wherever the processor sorts eight values at once.
        differences = np.sort((second[:, :, None] - first[:, None, :]).reshape(rows, pairs), axis=1)
        return differences[:, rank - 1], differences[:, pairs - rank]
    lower, upper = np.sort(first, axis=1), np.sort(second, axis=1)
    ends = [
        [_ranked_difference(start, other, place) for place in (rank, pairs - rank + 1)]
        for start, other in zip(lower, upper, strict=True)
    ]
    low, high = np.array(ends, dtype=np.float64).reshape(rows, 2).T
    return low, high


def _ranked_difference(first: NDArray[np.float64], second: NDArray[np.float64], rank: int) -> float:
    """Bisect for the difference of that rank (from 1): no room for all pairs of large samples."""
    low, high = float(second[0] - first[-1]), float(second[-1] - first[0])
    while low < (middle := (low + high) / 2) < high:
        if int(np.searchsorted(second, first + middle, side="right").sum()) >= rank:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=4096)
def shift_rank(n1: int, n2: int, confidence_level: float) -> int:
    """Return how many of the smallest differences lie below the interval, plus one; 0 for no interval."""
    outside = (1 - confidence_level) / 2
    if max(n1, n2) <= EXACT_LIMIT:
        # 1 - 0.95 is a hair above 0.05: without slack the exact 5 % of some n would fall out.
        return int(np.searchsorted(untied_tails(*sorted((n1, n2))), outside * (1 + 1e-12), side="right"))
    centre, spread = n1 * n2 / 2, math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)
    return max(0, math.floor(centre + spread * float(special.ndtri(outside)) + 0.5))


def _ranks(ordered: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return twice the mid-rank of each value (whole numbers, so that U is exact) and how many share it."""
    rows, n = ordered.shape
    place = np.arange(n)
    changes = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((rows, 1), dtype=np.bool_)
    starts, ends = np.concatenate([edge, changes], axis=1), np.concatenate([changes, edge], axis=1)
    start = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    end = np.minimum.accumulate(np.where(ends, place, n)[:, ::-1], axis=1)[:, ::-1]
    return start + end + 2, end - start + 1


def _u_variance(n1: int, n2: int, ties: NDArray[np.intp]) -> NDArray[np.float64]:
    n = n1 + n2
    # Each of t tied values adds t^2 - 1: together t^3 - t.
    correction = (ties.astype(np.float64) ** 2 - 1).sum(axis=1) / (n * (n - 1))
    variance: NDArray[np.float64] = n1 * n2 * ((n + 1) - correction) / 12
    return variance


class _Ways(NamedTuple):
    """``counts[k, place]`` choices of k ranks sum to ``k * middle + lowest + place``; none has place 0."""

    counts: NDArray[Any]
    middle: int
    lowest: int


@lru_cache(maxsize=1024)
def untied_tails(n1: int, n2: int) -> NDArray[np.float64]:
    """Return the chance of a U of at most 0, 1, ..., n1 * n2 where nothing is tied and nothing differs.

    Source: H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947) 50-60.
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

    Source: J. H. Klotz, Journal of the American Statistical Association 61 (1966) 772-787, for the distribution.
    E. Horowitz, S. Sahni, Journal of the ACM 21 (1974) 277-292, for the two halves.
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
    known = dict(zip(distinct, np.concatenate([np.zeros(0), *ways]).tolist(), strict=True))
    return np.array([known[key] for key in asked], dtype=np.float64) / math.comb(n, n1)


def _ways_within(doubled_ranks: NDArray[np.intp], n1: int, limits: NDArray[np.intp]) -> NDArray[np.float64]:
    """Count the choices of n1 ranks of each row that sum to at most its limit."""
    cut = doubled_ranks.shape[1] // 2
    lower, lower_middle, lower_lowest = _halves(doubled_ranks[:, :cut], n1, _LOWER)
    upper, upper_middle, upper_lowest = _halves(doubled_ranks[:, cut:], n1, _UPPER)
    counts = np.zeros((len(lower), n1 + 1, max(counts_of.shape[1] for counts_of in lower)))
    for row, group in enumerate(lower):
        counts[row, :, : group.shape[1]] = group
    # Its first place stays 0: where there is no room for any choice.
    within = np.concatenate([ways.ravel() for ways in upper])
    lengths = np.array([ways.shape[1] for ways in upper])
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


def _halves(
    doubled_ranks: NDArray[np.intp], n1: int, known: dict[tuple[bytes, int], _Ways]
) -> tuple[list[NDArray[np.int32]], NDArray[np.intp], NDArray[np.intp]]:
    """Return the counts of one half of each row, with its middle rank and its lowest sum."""
    # Halves that differ in level only are alike.
    level = doubled_ranks[:, 0]
    ranks = doubled_ranks - level[:, None]
    asked = [(packed, n1) for packed in _packed(ranks)]
    # Small halves are many, recur often and need 4 KiB each; large ones recur seldom and need 32.
    small = ranks.shape[1] <= _SMALL
    if len(known) > (4096 if small else 512):
        known.clear()
    new = {key: row for row, key in enumerate(asked) if key not in known}
    if new:
        rows = ranks[list(new.values())]
        counted = _list_ways(rows, n1) if small else [_count_ways(row, n1, np.int32) for row in rows.tolist()]
        if known is _UPPER:
            counted = [ways._replace(counts=np.cumsum(ways.counts, axis=1, dtype=np.int32)) for ways in counted]
        known.update(zip(new, counted, strict=True))
    halves = [known[key] for key in asked]
    middle, lowest = np.array([halve[1:] for halve in halves], dtype=np.intp).T
    return [halve.counts for halve in halves], level + middle, lowest


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
        _Ways(part.reshape(most + 1, -1), int(middle[row]), int(lowest[row]))
        for row, part in enumerate(np.split(counts, starts[1:]))
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
