"""Where the time of one operation goes: to work, and to each loss the law knows.

The parts sum to the latency. (R's ``usl`` takes half the coherency, ``k (N - 1) / 2``, so that its parts
sum to 0.0434 of T(1) where T(216) of SPEC SDM91 is 0.0547 of it.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from numpy.typing import ArrayLike

from benchlib.scaling.conclusions.prediction import checked_concurrency
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.scaling.laws import LAWS

__all__ = ["TimeSplit", "split_time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSplit:
    """What one operation spends its time on, by the fitted law.

    Attributes
    ----------
    concurrency : float
    latency : float
        N / X(N): how long a unit of work takes while N are in flight, in the time unit of throughput
        (seconds for op/sec).
    parts : mapping of str to float
        How much of it goes to ``work`` and to each loss; they sum to the latency.
    shares : mapping of str to float
        The same as shares of the latency; they sum to 1.
    """

    concurrency: float
    latency: float
    parts: Mapping[str, float]
    shares: Mapping[str, float]


def split_time(fit: ScalingFit, concurrency: ArrayLike, *, extrapolate: bool = False) -> tuple[TimeSplit, ...]:
    """Split the latency N / X(N) of a fitted law into work and losses.

    Parameters
    ----------
    fit : ScalingFit
    concurrency : array_like, shape (n,)
    extrapolate : bool
        Whether concurrencies beyond twice the largest one measured are meant.

    Raises
    ------
    DataError
        For a concurrency below 1, or beyond twice the measured range without ``extrapolate``.

    References
    ----------
    J. D. C. Little, Operations Research 9(3), 1961, 383-387: N = X T in a closed system.
    N. J. Gunther, "Guerrilla Capacity Planning", Springer 2007, chapters 4 to 6: the terms of N / X.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> fit = fit_law(build_curve([1, 2, 4, 8], [10, 18, 30, 44], unit="op/sec"), "amdahl")
    >>> (split,) = split_time(fit, 8)
    >>> {name: round(share, 2) for name, share in split.shares.items()}
    {'work': 0.55, 'serial_fraction': 0.45}
    >>> round(split.latency, 3), round(sum(split.parts.values()), 3)
    (0.181, 0.181)
    """
    n = checked_concurrency(fit, concurrency, extrapolate)
    law = LAWS[fit.law]
    latencies = law.latency(n, *fit.coefficients)
    shares = law.parts(n, *fit.coefficients)
    return tuple(
        TimeSplit(
            concurrency=float(level),
            latency=float(latency),
            parts=MappingProxyType({name: float(share[place] * latency) for name, share in shares.items()}),
            shares=MappingProxyType({name: float(share[place]) for name, share in shares.items()}),
        )
        for place, (level, latency) in enumerate(zip(n, latencies, strict=True))
    )
