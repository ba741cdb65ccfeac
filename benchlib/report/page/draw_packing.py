"""Draws of curves in few bytes: each concurrency told by what it differs from what others foretell of it.

The curves of one law have as many degrees of freedom as the law has parameters, and between levels they are straight:
a few concurrencies foretell the others to a rounding. What is left is mostly 0 and 1, which gzip packs well. Nothing
is lost: `unpack_draws`, and ``templates/scripts/what_if/draws.js`` in the browser, foretell the same and add it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Concurrencies that foretell another.
_BASES = 4
#: Decimals that weights are told with: the browser must round as we do.
_DECIMALS = 6
#: Draws that a bound cuts off would bend the weights of all: they are left out in a few rounds.
_ROUNDS = 6

Whole = NDArray[np.int64]
Float = NDArray[np.float64]


def pack_draws(codes: NDArray[np.int16], laws: Sequence[int], first: Sequence[int] = ()) -> tuple[list[Any], bytes]:
    """Return what foretells codes, as JSON data, and what is left of them.

    Parameters
    ----------
    codes : ndarray, shape (draws, places)
    laws : sequence of int
        How many draws follow each law, one law after the other.
    first : sequence of int
        Places to tell before the others: the levels, between which draws of the points are straight.

    Returns
    -------
    steps : list
        For each place in the order of `_steps`: its number, those that foretell it, and for each law the weights (a
        constant first) and the bounds of the difference from the first of those, and of the code.
    left : bytes
        In that order, draw by draw, 16 bits each: the low bytes of all, then the high ones.

    Examples
    --------
    >>> codes = np.array([[0, 5, 9], [1, 7, 11], [4, 8, 13]], dtype=np.int16)
    >>> steps, left = pack_draws(codes, [3])
    >>> unpack_draws(steps, left, [3]).tolist()
    [[0, 5, 9], [1, 7, 11], [4, 8, 13]]
    """
    whole = codes.astype(np.int64)
    steps, left = [], []
    for place, bases in _steps(whole.shape[1], first):
        foretold = [_fitted(part, place, bases) for part in _parts(whole, laws)] if bases else []
        steps.append([place, bases, foretold])
        rest = whole[:, place] - _foretold(whole, steps[-1], laws)
        wrapped = ((rest if bases else np.diff(rest, prepend=0)) + 32768 & 65535) - 32768
        left.append((wrapped << 1 ^ wrapped >> 15) & 65535)
    flat = np.concatenate(left)
    return steps, (flat & 255).astype(np.uint8).tobytes() + (flat >> 8).astype(np.uint8).tobytes()


def unpack_draws(steps: Sequence[Any], left: bytes, laws: Sequence[int]) -> NDArray[np.int16]:
    """Return the codes that were packed."""
    planes = np.frombuffer(left, dtype=np.uint8).reshape(2, len(steps), -1).astype(np.int64)
    folded = planes[0] | planes[1] << 8
    rest = folded >> 1 ^ -(folded & 1)
    found = np.zeros((rest.shape[1], len(steps)), dtype=np.int64)
    for own, step in zip(rest, steps, strict=True):
        added = _foretold(found, step, laws) + (own if step[1] else np.cumsum(own))
        found[:, step[0]] = added.astype(np.int16)
    return found.astype(np.int16)


def _steps(places: int, first: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield every place with the nearest of those before it: the first, the ends, the middles between neighbours."""
    order, spans = [*first, 0, places - 1], [(0, places - 1)]
    for low, high in spans:
        if high - low > 1:
            middle = (low + high) // 2
            order.append(middle)
            spans += [(low, middle), (middle, high)]
    order = list(dict.fromkeys(order))
    for at, place in enumerate(order):
        yield place, sorted(order[:at], key=lambda one: abs(one - place))[:_BASES]


def _parts(whole: Whole, laws: Sequence[int]) -> list[Whole]:
    return np.split(whole, np.cumsum(laws)[:-1])


def _fitted(part: Whole, place: int, bases: Sequence[int]) -> list[list[float]]:
    """Return weights and bounds by which the draws of one law foretell a place."""
    own = part[:, place].astype(float)
    rows = np.column_stack([np.ones(len(part)), *(part[:, one].astype(float) for one in bases)])
    held = np.ones(len(part), dtype=bool)
    weights = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS):
        weights = np.linalg.lstsq(rows[held], own[held], rcond=None)[0]
        missed = np.abs(own - rows @ weights)
        near = missed <= max(2.0, 2 * float(np.median(missed)))
        if np.array_equal(near, held) or np.sum(near) < rows.shape[1] + 2:
            break
        held = near
    beside = part[:, place] - part[:, bases[0]]
    bounds = [int(one) for one in (beside.min(), beside.max(), part[:, place].min(), part[:, place].max())]
    return [[float(one) for one in np.round(weights, _DECIMALS)], [float(one) for one in bounds]]


def _foretold(whole: Whole, step: Sequence[Any], laws: Sequence[int]) -> Whole:
    _, bases, by_law = step
    if not bases:
        return np.zeros(len(whole), dtype=np.int64)
    found = []
    for part, (weights, bounds) in zip(_parts(whole, laws), by_law, strict=True):
        # Sums in one order, so that a browser rounds the same numbers.
        total: Float = np.full(len(part), weights[0])
        for weight, base in zip(weights[1:], bases, strict=True):
            total = total + weight * part[:, base]
        low, high, least, most = bounds
        beside = part[:, bases[0]]
        within = np.clip(np.floor(total + 0.5), beside + low, beside + high)
        found.append(np.clip(within, least, most).astype(np.int64))
    return np.concatenate(found)
