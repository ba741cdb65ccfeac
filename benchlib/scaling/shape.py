"""The shape of a curve, told from its points alone: no law is fitted here.

A law cannot say that throughput stopped at a wall, as when cores run out: the USL would call that
contention. So the shape is read first, by rules stated in `describe_shape`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from benchlib.caveats import Caveat, caveat, merge
from benchlib.scaling.curve import ScalingCurve
from benchlib.scaling.laws import FloatArray
from benchlib.scaling.points import Step, check_curve, measure_steps
from benchlib.statistics.moments import welch_test

__all__ = ["Shape", "describe_shape"]

Kind = Literal["linear", "saturating", "plateau", "retrograde", "unclear"]

#: A difference smaller than this changes no decision, even where it is measurable.
MATERIAL = 0.05
#: A test below this calls two levels different, after Holm's correction for many levels.
SIGNIFICANT = 0.05
#: Growth at least this near to proportional counts as linear.
LINEAR = 0.90
#: A curve that reached its plateau at this efficiency hit a wall; below it, it tapered off.
ABRUPT = 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the points of a curve do.

    Attributes
    ----------
    kind : {"linear", "saturating", "plateau", "retrograde", "unclear"}
        See `describe_shape` for the rules.
    best_level : float
        The smallest concurrency that no other level measurably beats.
    plateau_from : float or None
        Smallest concurrency from which throughput stays within 5 % of the ceiling, where at
        least two levels lie on that plateau.
    ceiling : float
        Largest median throughput.
    falls_from : float or None
        Smallest level from which every level lies below the best one: measurably, where there
        are replicates.
    falls_by : float
        Share lost at the largest level against the best; 0 without a fall.
    cores : int or None
        Of the machine, where they are known.
    steps : tuple of Step
    replicated : bool
        Whether every level has replicates, so that differences were tested against noise.
    caveats : tuple of Caveat
    """

    kind: Kind
    best_level: float
    plateau_from: float | None
    ceiling: float
    falls_from: float | None
    falls_by: float
    cores: int | None
    steps: tuple[Step, ...]
    replicated: bool
    caveats: tuple[Caveat, ...]


def describe_shape(
    curve: ScalingCurve,
    *,
    cores: int | None = None,
    generators: Mapping[float, str] | None = None,
) -> Shape:
    """Say what a curve does, by these rules.

    Two levels differ when Welch's test on the logarithms, with Holm's correction over the levels
    compared, falls below 5 %. With one measurement at any level nothing is said about noise, and
    a difference counts from 5 % of throughput on.

    ``best_level``
        The smallest level that no other level beats.
    ``retrograde``
        Beyond the best level throughput ends in a fall: the largest levels are all lower than
        the best, by at least 5 %.
    ``plateau``
        Throughput came at 75 % efficiency or better to within 5 % of the ceiling, and all larger
        levels stay there: a wall, as when a resource runs out.
    ``linear``
        Throughput at the largest level, and over the last step, grew at 90 % efficiency or better.
    ``saturating``
        Throughput rises with ever smaller gains, or tapers off into a flat end.
    ``unclear``
        Fewer than 3 levels, or no level measurably above the smallest though medians differ.

    Parameters
    ----------
    curve : ScalingCurve
    cores : int, optional
        Cores of the machine: levels beyond it are oversubscribed.
    generators : mapping of float to str, optional
        The load generator's settings at each level; a change between levels is a caveat.

    References
    ----------
    B. L. Welch, Biometrika 34, 1947, 28-35. S. Holm, Scandinavian Journal of Statistics 6,
    1979, 65-70.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> flat = build_curve([1, 2, 4, 8], [10.0, 19.8, 20.1, 20.0], unit="op/sec")
    >>> shape = describe_shape(flat, cores=2)
    >>> shape.kind, shape.plateau_from
    ('plateau', 2.0)
    """
    replicated = min(curve.counts) > 1
    best = _best_level(curve, replicated)
    falls = _falls_from(curve, best, replicated)
    plateau = _plateau_from(curve)
    steps = measure_steps(curve)
    kind = _kind(curve, steps, best, falls, plateau, replicated)
    levels, throughput = curve.concurrency, curve.throughput
    return Shape(
        kind=kind,
        best_level=float(levels[best]),
        plateau_from=None if plateau is None else float(levels[plateau]),
        ceiling=float(np.max(throughput)),
        falls_from=None if falls is None else float(levels[falls]),
        falls_by=0.0 if falls is None else float(1 - throughput[-1] / throughput[best]),
        cores=cores,
        steps=steps,
        replicated=replicated,
        caveats=merge(
            check_curve(curve, cores=cores),
            _generator_caveats(curve, generators or {}),
            _plateau_caveats(curve, kind, plateau, cores),
        ),
    )


def _kind(
    curve: ScalingCurve,
    steps: tuple[Step, ...],
    best: int,
    falls: int | None,
    plateau: int | None,
    replicated: bool,
) -> Kind:
    levels, throughput = curve.concurrency, curve.throughput
    efficiency = throughput / throughput[0] / (levels / levels[0])
    if len(levels) < 3:
        return "unclear"
    if falls is not None:
        return "retrograde"
    if plateau is not None and efficiency[plateau] >= ABRUPT:
        return "plateau"
    if efficiency[-1] >= LINEAR and steps[-1].efficiency >= LINEAR:
        return "linear"
    if best == 0:
        # Nothing beats one worker, yet the medians are not flat either.
        return "unclear"
    return "saturating"


def _best_level(curve: ScalingCurve, replicated: bool) -> int:
    if not replicated:
        return int(np.argmax(curve.throughput))
    for level in range(len(curve.concurrency)):
        others = [one for one in range(len(curve.concurrency)) if one != level]
        if not np.any(_beats(curve, others, level)):
            return level
    return int(np.argmax(curve.throughput))


def _falls_from(curve: ScalingCurve, best: int, replicated: bool) -> int | None:
    """Return the first of the largest levels that all lie below the best one."""
    beyond = list(range(best + 1, len(curve.concurrency)))
    if not beyond:
        return None
    lower = curve.throughput[beyond] < curve.throughput[best] * (1 - MATERIAL)
    if replicated:
        lower &= _beats(curve, [best], beyond[0], others=beyond)
    if not lower[-1]:
        return None
    run = len(lower) - int(np.argmin(lower[::-1])) if not np.all(lower) else 0
    return beyond[run]


def _plateau_from(curve: ScalingCurve) -> int | None:
    near = curve.throughput >= np.max(curve.throughput) * (1 - MATERIAL)
    if not near[-1]:
        return None
    first = 0 if np.all(near) else len(near) - int(np.argmin(near[::-1]))
    return first if first < len(near) - 1 else None


def _beats(curve: ScalingCurve, challengers: list[int], champion: int, others: list[int] | None = None) -> np.ndarray:
    """Return which challengers are measurably above a champion (or one challenger above others)."""
    pairs = [(one, champion) for one in challengers] if others is None else [(challengers[0], o) for o in others]
    above = np.array([curve.throughput[one] > curve.throughput[two] for one, two in pairs])
    if not above.any():
        return above
    pvalues = np.array([_welch(curve.replicates[one], curve.replicates[two]) for one, two in pairs])
    return above & (_holm(pvalues) < SIGNIFICANT)


def _welch(one: FloatArray, two: FloatArray) -> float:
    logs = np.log(one), np.log(two)
    if not any(np.ptp(values) for values in logs):
        return 1.0 if logs[0][0] == logs[1][0] else 0.0
    return welch_test(*logs).pvalue


def _holm(pvalues: FloatArray) -> FloatArray:
    order = np.argsort(pvalues)
    raised = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1))
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted


def _generator_caveats(curve: ScalingCurve, generators: Mapping[float, str]) -> list[Caveat]:
    known = [(float(n), generators[float(n)]) for n in curve.concurrency if float(n) in generators]
    changes = [
        f"from {before!r} to {after!r} between concurrency {low:g} and {high:g}"
        for (low, before), (high, after) in pairwise(known)
        if before != after
    ]
    if not changes:
        return []
    return [caveat("generator-changed", f"the load generator changed {'; '.join(changes)}")]


def _plateau_caveats(curve: ScalingCurve, kind: Kind, plateau: int | None, cores: int | None) -> list[Caveat]:
    if kind != "plateau" or plateau is None:
        return []
    start = float(curve.concurrency[plateau])
    reason = f": as many as the machine has cores ({cores})" if cores == start else ""
    return [caveat("plateau", f"throughput stops growing at concurrency {start:g}{reason}")]
