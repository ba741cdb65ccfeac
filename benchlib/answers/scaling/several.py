"""What several curves of one study say together: do their measures agree, did a loss change between them?"""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.scaling.answer import CurveAnswer, Disagreement, LawComparison
from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError
from benchlib.scaling.laws import LAWS
from benchlib.scaling.several.grouped import compare_parameter

__all__ = ["between_curves", "compare_curves", "disagreements_of"]

#: Two measures of one sweep disagree when their speedups part by more than this share.
AGREEMENT = 0.05


def compare_curves(curves: Sequence[CurveAnswer], confidence_level: float) -> tuple[LawComparison, ...]:
    """Test whether each loss differs between curves that an axis tells apart.

    Curves of different benchmarks, metrics or units are not set against each other. The law is the USL where
    every curve carries it, else Amdahl's: with replicates a joint fit of that needs two levels a curve.
    """
    axes = {axis for one in curves for axis in one.key if axis != "benchmark"}
    told_apart = [axis for axis in sorted(axes) if len({one.key.get(axis) for one in curves}) > 1]
    alike = len({(one.curve.unit, one.metric, one.fits[0].weights) for one in curves}) == 1
    if len(curves) < 2 or not told_apart or not alike:
        return ()
    law = LAWS["usl" if all("usl" in {fit.law for fit in one.fits} for one in curves) else "amdahl"]
    levels = [one.key.get(told_apart[0]) for one in curves] if len(told_apart) == 1 else []
    numbers = [float(one) for one in levels if isinstance(one, int | float)]
    found = []
    for name in law.parameters[1:]:
        try:
            compared = compare_parameter(
                {one.name: one.curve for one in curves},
                law.name,
                name,
                levels=numbers if len(numbers) == len(curves) else None,
                weights=curves[0].fits[0].weights,
                confidence_level=confidence_level,
            )
        except DataError:
            # No joint fit: each curve was fitted by itself above, and nothing is said of the difference.
            continue
        found.append(LawComparison(law=law.name, curves=tuple(one.name for one in curves), comparison=compared))
    return tuple(found)


def disagreements_of(curves: Sequence[CurveAnswer]) -> tuple[Disagreement, ...]:
    """Return the levels at which measures of the same sweep tell different speedups."""
    speedups = [{point.concurrency: point.speedup for point in one.points} for one in curves]
    common = sorted(set.intersection(*(set(one) for one in speedups)))
    found = []
    for level in common:
        values = [one[level] for one in speedups]
        if max(values) > min(values) * (1 + AGREEMENT):
            found.append(
                Disagreement(
                    concurrency=level,
                    speedups={one.name: value for one, value in zip(curves, values, strict=True)},
                )
            )
    return tuple(found)


def between_curves(disagreements: Sequence[Disagreement], axis: str) -> tuple[Caveat, ...]:
    """Say where measures of one sweep disagree most."""
    if not disagreements:
        return ()
    widest = max(disagreements, key=lambda one: max(one.speedups.values()) / min(one.speedups.values()))
    told = " but ".join(f"{value:.2f} by {name}" for name, value in widest.speedups.items())
    levels = _listed([f"{one.concurrency:g}" for one in disagreements])
    return (
        caveat(
            "curves-disagree",
            f"the measures of this sweep disagree at {axis} {levels}: at {widest.concurrency:g} the speedup is {told}",
        ),
    )


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
