"""How many cores are worth having? From the points and from the fitted law, never beyond the data."""

from __future__ import annotations

from dataclasses import dataclass

from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer
from benchlib.scaling.advise import Return
from benchlib.scaling.points import SUPERLINEAR

__all__ = ["CapacityAnswer", "CurveCapacity", "capacity_answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveCapacity:
    """The recommendation that one curve supports.

    Attributes
    ----------
    name, axis : str
    returns : Return
        By points and by law; see `benchlib.scaling.advise.best_return`.
    efficiency : float
        At the recommended level.
    comparable : bool
        False where an efficiency over 100 % puts in doubt that the levels were measured alike.
    advised : bool
        Whether the level is advice. Not where levels are not comparable; nor where the smallest wins, whose
        balance is 1 whatever was measured; nor where each was measured once and the cores are not known.
    speedup : float
        At the recommended level.
    evidence : Evidence
    """

    name: str
    axis: str
    returns: Return
    efficiency: float
    comparable: bool
    advised: bool
    speedup: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityAnswer:
    """Recommended levels, a curve each.

    Attributes
    ----------
    axis : str
    curves : tuple of CurveCapacity
    agree : bool
        Whether all curves recommend the same level.
    """

    axis: str
    curves: tuple[CurveCapacity, ...]
    agree: bool


def capacity_answer(scaling: ScalingAnswer | Refusal) -> CapacityAnswer | Refusal:
    """Recommend a level of concurrency from the scaling answer.

    Parameters
    ----------
    scaling : ScalingAnswer or Refusal

    Returns
    -------
    CapacityAnswer or Refusal

    References
    ----------
    Eager, Zahorjan and Lazowska (1989), IEEE Trans. Comput. 38, 408-423.

    Examples
    --------
    >>> import benchlib
    >>> scaling = benchlib.fit_scaling(benchlib.open_study("data/onix-adapter-published"))
    >>> [one.returns.added_core_best for one in capacity_answer(scaling).curves]
    [(2.0, 4.0), (2.0, 4.0)]
    """
    if isinstance(scaling, Refusal):
        return Refusal(question="capacity", reason=scaling.reason, advice=scaling.advice)
    curves = tuple(_curve(one) for one in scaling.curves)
    return CapacityAnswer(
        axis=scaling.axis,
        curves=curves,
        agree=len({one.returns.recommended for one in curves}) == 1,
    )


def _curve(curve: CurveAnswer) -> CurveCapacity:
    level = curve.returns.recommended
    point = next(one for one in curve.points if one.concurrency == level)
    comparable = all(one.efficiency <= SUPERLINEAR for one in curve.points if one.concurrency <= level)
    grounded = curve.returns.cores is not None or any(one.n > 1 for one in curve.points)
    return CurveCapacity(
        name=curve.name,
        axis=curve.axis,
        returns=curve.returns,
        efficiency=point.efficiency,
        comparable=comparable,
        advised=comparable and grounded and level > curve.points[0].concurrency,
        speedup=point.speedup,
        evidence=pool(curve.evidence.values(), f"largest X²/N among the measured levels: {curve.returns.rule}"),
    )
