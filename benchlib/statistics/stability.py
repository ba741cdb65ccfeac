"""Is the machine the same from run to run, and what did it do to benchmarks nobody touched?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from benchlib.errors import DataError
from benchlib.statistics.checks import checked_level, checked_values

__all__ = [
    "PEER_FACTOR",
    "SPREAD_LIMIT",
    "ControlNull",
    "RunSpread",
    "control_null",
    "run_spread",
    "unstable_runs",
]

#: Runs of the same code whose centres differ by no more than this factor are never called unstable.
SPREAD_LIMIT = 1.10
#: Beyond it, they are when their excess over 1 is this many times the median excess of their peers.
PEER_FACTOR = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpread:
    """How far repeated runs of the same code lie apart.

    Attributes
    ----------
    centres : tuple of float
        The median of each run, in the order of the runs.
    counts : tuple of int
        Values behind each.
    ratio : float
        Largest over smallest centre; 1 where all are equal, infinite where a centre is not
        positive and they differ.
    lowest, highest : int
        Which run, counted from 0.
    trend : {"rising", "falling", ""}
        Whether the centres only rise or only fall (3 runs or more).
    """

    centres: tuple[float, ...]
    counts: tuple[int, ...]
    ratio: float
    lowest: int
    highest: int
    trend: Literal["rising", "falling", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlNull:
    """What the machine alone did to benchmarks that the change cannot affect.

    All but ``n`` and ``confidence_level`` are natural logarithms of candidate over baseline.

    Attributes
    ----------
    center : float
        Mean log ratio of the controls.
    spread : float
        Their standard deviation; NaN for one control.
    low, high : float
        Prediction interval of the log ratio of one more untouched benchmark; infinite below 2.
    n : int
    confidence_level : float
    """

    center: float
    spread: float
    low: float
    high: float
    n: int
    confidence_level: float


def run_spread(values_by_run: Sequence[ArrayLike]) -> RunSpread:
    """Return how far the runs of one benchmark lie apart.

    Raises
    ------
    DataError
        For fewer than 2 runs, an empty run, or a value that is not finite.

    Examples
    --------
    >>> spread = run_spread([[39.73], [41.48], [52.84]])
    >>> round(spread.ratio, 2), spread.trend
    (1.33, 'rising')
    """
    if len(values_by_run) < 2:
        raise DataError(f"a spread over runs needs 2 runs, got {len(values_by_run)}; repeat the run")
    runs = [checked_values(run, f"run {place}") for place, run in enumerate(values_by_run, start=1)]
    centres = np.array([float(np.median(run)) for run in runs])
    least, most = float(centres.min()), float(centres.max())
    ratio = most / least if least > 0 else (1.0 if least == most else math.inf)
    return RunSpread(
        centres=tuple(centres.tolist()),
        counts=tuple(run.size for run in runs),
        ratio=ratio,
        lowest=int(centres.argmin()),
        highest=int(centres.argmax()),
        trend=_trend(np.diff(centres)),
    )


def unstable_runs(
    spreads: Sequence[RunSpread], *, limit: float = SPREAD_LIMIT, peer_factor: float = PEER_FACTOR
) -> tuple[bool, ...]:
    """Say of each benchmark whether its runs lie further apart than the machine explains.

    The rule: largest over smallest centre exceeds ``limit``, and its excess over 1 is more than
    ``peer_factor`` times the median excess of the other benchmarks and more than twice the upper
    quartile of it. Where everything drifts
    together the machine is at fault, not one benchmark; without peers the limit alone decides.

    Examples
    --------
    >>> quiet = [run_spread([[164.2], [165.4], [165.3]]) for _ in range(4)]
    >>> unstable_runs([*quiet, run_spread([[164.2], [205.1], [171.9]])])
    (False, False, False, False, True)
    """
    excess = np.array([spread.ratio - 1 for spread in spreads])
    answers = []
    for place, own in enumerate(excess):
        peers = np.delete(excess, place)
        usual, upper = np.quantile(peers, (0.5, 0.75), method="nearest") if peers.size else (0.0, 0.0)
        apart = math.isinf(own) or (own > peer_factor * usual and own > 2 * upper)
        answers.append(bool(own > limit - 1 and apart))
    return tuple(answers)


def control_null(log_ratios: ArrayLike, level: float = 0.95) -> ControlNull:
    """Return the range in which one more benchmark falls if only the machine changed.

    A Student t prediction interval: mean ± t * spread * sqrt(1 + 1/n), with n - 1 degrees of
    freedom. It assumes that log ratios of untouched benchmarks are roughly normal and that the
    controls met the same machine as the row they judge.

    Parameters
    ----------
    log_ratios : array_like, shape (n,)
        Natural logarithm of candidate over baseline for each control.
    level : float

    Raises
    ------
    DataError
        For no control, a ratio of 0 or an infinite one, or a level outside 0 to 1.

    References
    ----------
    G. J. Hahn, W. Q. Meeker, Statistical Intervals, 1991, section 4.7.

    Examples
    --------
    >>> null = control_null(np.log([2.4, 2.5, 2.6, 2.5]))
    >>> round(math.exp(null.low), 2), round(math.exp(null.high), 2)
    (2.22, 2.81)
    """
    found = checked_values(log_ratios, "set of log ratios of the controls")
    confidence_level = checked_level(level)
    n = found.size
    center = float(found.mean())
    if n < 2:
        low, high, spread = -math.inf, math.inf, math.nan
    else:
        spread = float(found.std(ddof=1))
        reach = float(special.stdtrit(n - 1, (1 + confidence_level) / 2)) * spread * math.sqrt(1 + 1 / n)
        low, high = center - reach, center + reach
    return ControlNull(center=center, spread=spread, low=low, high=high, n=n, confidence_level=confidence_level)


def _trend(steps: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Literal["rising", "falling", ""]:
    if steps.size < 2:
        return ""
    if (steps > 0).all():
        return "rising"
    return "falling" if (steps < 0).all() else ""
