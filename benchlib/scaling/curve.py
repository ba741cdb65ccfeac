"""A scaling curve: throughput against concurrency, all else fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from benchlib.errors import DataError, choices
from benchlib.scaling.laws import FloatArray

__all__ = ["ScalingCurve", "build_curve", "levels_text", "up_to"]


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
    return ScalingCurve(
        concurrency=_frozen(distinct),
        replicates=replicates,
        throughput=_frozen(np.array([np.median(replicate) for replicate in replicates])),
        unit=unit,
        places=None if places is None else _places(np.asarray(places, dtype=float), levels, distinct),
    )


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
    )


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
