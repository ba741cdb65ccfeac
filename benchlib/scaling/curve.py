"""A scaling curve: throughput against concurrency, all else fixed, and a drift of the machine taken out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from benchlib.errors import DataError, choices
from benchlib.lazy_scipy import special
from benchlib.scaling.laws import FloatArray
from benchlib.statistics.moments import t_quantile

__all__ = ["Drift", "ScalingCurve", "build_curve", "levels_text", "tied_to_order", "up_to"]


#: Levels and places that agree at least so well (correlation) cannot be told apart.
_TOGETHER = 0.8
#: At least this share of how places vary has to lie within levels before they tell a drift: else it is a guess from
#: neighbours.
_ENOUGH_WITHIN = 0.25
#: A drift is taken out where chance makes as clear a one this often.
_SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How throughput moved while a curve was recorded, whatever the level."""

    slope: float  # of the logarithm of throughput, from the first place of a recording to the last
    low: float
    high: float
    pvalue: float
    spread: float  # standard deviation of the logarithm that this is over the recording


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingCurve:
    """Throughput at every level of concurrency, lowest level first."""

    #: Shape (levels,). Distinct and ascending.
    concurrency: FloatArray
    replicates: tuple[FloatArray, ...]  # the measurements of each level, in the order they were given
    #: Shape (levels,). Median of each level, in ``unit``.
    throughput: FloatArray
    unit: str
    #: Where in its recording each measurement stands, from -1/2 to 1/2, level by level as ``replicates``; None unknown.
    places: tuple[FloatArray, ...] | None
    #: What was taken out of the measurements, which are as if each had been made half-way through its recording.
    drift: Drift | None = None

    @property
    def counts(self) -> tuple[int, ...]:
        """How many measurements each level has."""
        return tuple(len(values) for values in self.replicates)

    @property
    def rows(self) -> tuple[FloatArray, FloatArray]:
        """Concurrency and throughput of every single measurement."""
        return np.repeat(self.concurrency, self.counts), np.concatenate(self.replicates)


def build_curve(
    concurrency: ArrayLike, throughput: ArrayLike, *, unit: str, places: ArrayLike | None = None
) -> ScalingCurve:
    """Group measurements, in any order, into a curve; ``places`` say when each was measured (`scaling.order`)."""
    levels = _numbers(concurrency, "concurrency")
    values = _numbers(throughput, "throughput")
    if len(levels) != len(values):
        raise DataError(f"{len(levels)} concurrencies and {len(values)} throughputs; give one of each a row")
    if not len(levels):
        raise DataError("a scaling curve needs measurements, got none; check the selection")
    if np.any(levels <= 0):
        raise DataError(f"concurrency {levels[levels <= 0][0]:g} is not above 0; give what was at work, or its mean")
    if np.any(values <= 0):
        where = int(np.argmax(values <= 0))
        raise DataError(
            f"throughput {values[where]:g} at concurrency {levels[where]:g} is not positive; "
            "leave failed measurements out"
        )
    distinct = np.unique(levels)
    if len(distinct) == 1:
        raise DataError(
            f"all {len(levels)} measurements are at concurrency {distinct[0]:g}; "
            "scaling needs at least 2 distinct concurrencies"
        )
    replicates = tuple(_frozen(values[levels == level]) for level in distinct)
    curve = ScalingCurve(
        concurrency=_frozen(distinct),
        replicates=replicates,
        throughput=_medians(replicates),
        unit=unit,
        places=None if places is None else _places(np.asarray(places, dtype=float), levels, distinct),
    )
    return _steadied(curve)


def up_to(curve: ScalingCurve, concurrency: float) -> ScalingCurve:
    """Return the part of a curve up to a concurrency, such as the number of cores."""
    count = int(np.sum(curve.concurrency <= concurrency))
    if count < 2:
        raise DataError(
            f"{count} of the concurrencies ({levels_text(curve.concurrency)}) lie within {concurrency:g}; "
            "scaling needs at least 2"
        )
    return ScalingCurve(
        concurrency=curve.concurrency[:count],
        replicates=curve.replicates[:count],
        throughput=curve.throughput[:count],
        unit=curve.unit,
        places=None if curve.places is None else curve.places[:count],
        drift=curve.drift,
    )


def _medians(replicates: Sequence[FloatArray]) -> FloatArray:
    return _frozen(np.array([np.median(replicate) for replicate in replicates]))


def _steadied(curve: ScalingCurve) -> ScalingCurve:
    """Return a curve without the drift that its values show, so that law, points and levels tell of one machine."""
    drift = _find_drift(curve)
    if drift is None or curve.places is None:
        return curve
    middle = float(np.concatenate(curve.places).mean())
    replicates = tuple(
        _frozen(values * np.exp(-drift.slope * (places - middle)))
        for values, places in zip(curve.replicates, curve.places, strict=True)
    )
    return replace(curve, replicates=replicates, throughput=_medians(replicates), drift=drift)


def _find_drift(curve: ScalingCurve) -> Drift | None:
    """Return the drift that values of one level show; None where none is shown, or the order cannot tell.

    The slope is that of logarithms on places within levels, so that no law is needed.

    N. R. Draper and H. Smith, "Applied Regression Analysis", 3rd edition, Wiley 1998, section 1.4.
    """
    if curve.places is None or tied_to_order(curve):
        return None
    counts = np.array(curve.counts)
    starts = np.cumsum(counts) - counts
    logs, places = np.log(np.concatenate(curve.replicates)), np.concatenate(curve.places)
    every = places - places.mean()
    logs, inner = (values - np.repeat(np.add.reduceat(values, starts) / counts, counts) for values in (logs, places))
    moved, freedom = float(inner @ inner), len(logs) - len(counts) - 1
    if freedom < 1 or moved < _ENOUGH_WITHIN * float(every @ every) or not moved:
        return None
    slope = float(inner @ logs) / moved
    left = logs - slope * inner
    error = math.sqrt(float(left @ left) / freedom / moved)
    pvalue = 2 * float(special.stdtr(freedom, -abs(slope) / error)) if error else float(slope == 0)
    if pvalue >= _SIGNIFICANT:
        return None
    half = t_quantile(0.975, freedom) * error
    spread = abs(slope) * math.sqrt(float(every @ every) / len(every))
    return Drift(slope=slope, low=slope - half, high=slope + half, pvalue=pvalue, spread=spread)


def tied_to_order(curve: ScalingCurve) -> bool:
    """Whether the levels were measured so much in order that level and time cannot be told apart."""
    return _agreement(curve) >= _TOGETHER


def _agreement(curve: ScalingCurve) -> float:
    """Return how well places and levels go together, recording by recording: the size of their correlation."""
    assert curve.places is not None
    levels = np.repeat(np.arange(len(curve.counts), dtype=float), curve.counts)
    places = np.concatenate(curve.places)
    levels, places = levels - levels.mean(), places - places.mean()
    size = math.sqrt(float(levels @ levels) * float(places @ places))
    return abs(float(levels @ places)) / size if size else 0.0


def levels_text(levels: Sequence[float] | FloatArray) -> str:
    """Write levels of concurrency for a message."""
    return choices([f"{float(n):g}" for n in levels])


def _places(places: FloatArray, levels: FloatArray, distinct: FloatArray) -> tuple[FloatArray, ...] | None:
    """Return places level by level; None where nothing differs in when it was measured."""
    return tuple(_frozen(places[levels == level]) for level in distinct) if np.ptp(places) else None


def _numbers(values: ArrayLike, what: str) -> FloatArray:
    try:
        array = np.array(values, dtype=float).ravel()
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} holds something that is not a number; check the axis or metric") from error
    if not np.all(np.isfinite(array)):
        raise DataError(f"{what} holds {array[~np.isfinite(array)][0]:g}; only finite numbers are accepted")
    return array


def _frozen(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array
