"""Latency under load: how many are in flight at a throughput, how long they take, and where a limit breaks.

A closed system: N are in flight, X(N) are done a second, and a request takes N / X(N). So a load that is given fixes
the smallest N at which the curve delivers it, and with it the latency. Percentiles do not follow from it: arrivals
that do not wait for answers queue where these did not, so none is read off such a sweep.

A limit is held against the latency at one load, not at all smaller ones: where throughput grows faster than N, a mean
falls as the load grows, and a limit that is kept at a load may be exceeded at half of it.

J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9(3), 1961, 383-387.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchlib.capacity.draws import CurveDraws
from benchlib.scaling.laws import FloatArray


def mean_latency(drawn: CurveDraws) -> FloatArray:
    """Return what a request takes at the most that each concurrency delivers, shape (draws, k): N over that load.

    It is N / X(N) wherever no smaller concurrency delivers more.
    """
    return np.asarray(drawn.concurrency / np.maximum.accumulate(drawn.throughput, axis=1))


def in_flight(drawn: CurveDraws, load: float, up_to: float) -> FloatArray:
    """Return how many are in flight at a load, by draw; infinite where the curve does not deliver it by ``up_to``.

    Below the smallest concurrency of the draws it is in proportion: requests do not meet.
    """
    places = drawn.concurrency[drawn.concurrency <= up_to]
    climb = np.maximum.accumulate(drawn.throughput[:, : len(places)], axis=1)
    return _crossing(climb, np.full(len(climb), load), places, below=load / climb[:, 0] * places[0])


def loads_within(drawn: CurveDraws, latency: FloatArray, limit: float, up_to: float) -> tuple[FloatArray, FloatArray]:
    """Return from which to which loads the latency of each draw is within a limit, with at most ``up_to`` in flight.

    Both of shape (draws, stretches), lowest loads first: a latency that falls and rises again keeps a limit along
    several stretches. Most draws have one, from 0 on; those that a draw does not have go from 0 to 0.
    """
    count = int(np.sum(drawn.concurrency <= up_to))
    loads = np.log(np.maximum.accumulate(drawn.throughput[:, :count], axis=1))
    waits, wanted = np.log(latency[:, :count]), np.log(limit)
    met = np.pad(waits <= wanted, ((0, 0), (1, 1)))
    starts, ends = met[:, 1:-1] & ~met[:, :-2], met[:, 1:-1] & ~met[:, 2:]
    rows, first = np.nonzero(starts)
    _, last = np.nonzero(ends)
    which = np.cumsum(starts, axis=1)[rows, first] - 1
    least = np.zeros((len(waits), max(int(np.max(which, initial=0)) + 1, 1)))
    most = least.copy()
    least[rows, which] = np.where(first == 0, 0.0, np.exp(_between(loads, waits, rows, np.fmax(first - 1, 0), wanted)))
    most[rows, which] = np.exp(_between(loads, waits, rows, last, wanted))
    return least, most


def _between(
    loads: FloatArray, waits: FloatArray, rows: NDArray[np.intp], at: NDArray[np.intp], wanted: np.float64
) -> FloatArray:
    """Return the load between a place of each row and the next at which it takes what is wanted, all as logarithms."""
    after = np.fmin(at + 1, waits.shape[1] - 1)
    rise = waits[rows, after] - waits[rows, at]
    share = np.clip((wanted - waits[rows, at]) / np.where(rise == 0, 1.0, rise), 0.0, 1.0)
    return np.asarray(loads[rows, at] + np.where(rise == 0, 0.0, share) * (loads[rows, after] - loads[rows, at]))


def _crossing(rising: FloatArray, wanted: FloatArray, places: FloatArray, *, below: FloatArray) -> FloatArray:
    """Return where each rising row reaches what is wanted: ``below`` before its start, infinite beyond its end."""
    over = rising >= wanted[:, np.newaxis]
    after = np.where(over.any(axis=1), np.argmax(over, axis=1), 0)
    before = np.fmax(after - 1, 0)
    rows = np.arange(len(rising))
    low, high = np.log(rising[rows, before]), np.log(rising[rows, after])
    share = np.where(high > low, (np.log(wanted) - low) / np.where(high > low, high - low, 1.0), 1.0)
    logs = np.log(places)
    crossing = np.exp(logs[before] + share * (logs[after] - logs[before]))
    return np.where(rising[:, 0] >= wanted, below, np.where(over.any(axis=1), crossing, np.inf))
