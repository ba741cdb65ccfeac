"""What several curves of one study say together: do their measures agree, did a loss change between them?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from benchlib.answers.evidence import pool
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.answer import CurveAnswer, Disagreement, LawComparison
from benchlib.answers.scaling.question import Question
from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError, choices
from benchlib.scaling.intervals import compare_parameter
from benchlib.scaling.laws import LAWS

__all__ = ["between_curves", "compare_curves", "disagreements_of"]

#: Two measures of one sweep disagree when their speedups part by more than this share.
AGREEMENT = 0.05
#: The laws that a law becomes where some of its coefficients are 0.
_HELD = {"amdahl": ("linear",), "usl": ("linear", "amdahl")}


def compare_curves(
    curves: Sequence[CurveAnswer], question: Question
) -> tuple[tuple[LawComparison, ...], tuple[Refusal, ...]]:
    """Say whether each loss differs between curves that an axis tells apart.

    Curves of different benchmarks, metrics or units are not set against each other. The law is the one
    chosen for the curves, or the richest of them where it holds the others as special cases; nothing is
    compared by a law that the curves do not follow. Where they have too few levels for a choice it is
    Amdahl's: with replicates two levels a curve are enough for it.
    """
    axes = {axis for one in curves for axis in one.key if axis != "benchmark"}
    told_apart = [axis for axis in sorted(axes) if len({one.key.get(axis) for one in curves}) > 1]
    alike = len({(one.curve.unit, one.metric, one.fits[0].weights) for one in curves}) == 1
    if len(curves) < 2 or not told_apart or not alike:
        return (), ()
    chosen = {one.name: one.choice.law for one in curves if one.choice is not None}
    common = _common_law(set(chosen.values()))
    if common is None:
        return (), (_not_compared(chosen),)
    law = LAWS[common]
    found = []
    for name in law.parameters[1:]:
        try:
            compared = compare_parameter(
                {one.name: one.curve for one in curves},
                law.name,
                name,
                weights=curves[0].fits[0].weights,
                confidence_level=question.confidence_level,
            )
        except DataError:
            # A curve too short for this law was fitted by another above, and nothing is said of the difference.
            continue
        found.append(
            LawComparison(
                law=law.name,
                curves=tuple(one.name for one in curves),
                comparison=compared,
                evidence=pool(
                    (behind for one in curves for behind in one.evidence.values()),
                    "one law fitted to each curve, and the coefficients of two curves subtracted",
                ),
            )
        )
    return tuple(found), ()


def _common_law(chosen: Collection[str]) -> str | None:
    """Return the law by which curves can be compared: one that was chosen and that holds the others chosen.

    Examples
    --------
    >>> _common_law({"plateau"}), _common_law({"linear", "usl", "amdahl"}), _common_law({"plateau", "usl"})
    ('plateau', 'usl', None)
    """
    if not chosen:
        return "amdahl"
    return next((one for one in chosen if all(other in (one, *_HELD.get(one, ())) for other in chosen)), None)


def _not_compared(chosen: Mapping[str, str]) -> Refusal:
    names: dict[str, list[str]] = {}
    for name, law in chosen.items():
        names.setdefault(law, []).append(name)
    told = ", ".join(f"{law} for {choices(of, 3)}" for law, of in names.items())
    return Refusal(
        question="scaling",
        reason=f"the losses of the curves are not compared: the laws chosen have none in common ({told})",
        advice="read each curve by its own law, or name one law for all of them: --law",
    )


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
