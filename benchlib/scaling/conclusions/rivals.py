"""Laws that describe a curve about as well as the chosen one, and say something else beyond the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchlib.scaling.conclusions.prediction import EXTRAPOLATION_LIMIT, predict
from benchlib.scaling.fits.fitting import ScalingFit
from benchlib.scaling.laws import LAWS

__all__ = ["Rival", "find_rivals", "is_reduced"]

#: Within this much of the chosen law's AIC a law has substantial support (Burnham and Anderson, p. 70).
_AS_GOOD = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A law outside the vote that describes the curve about as well as the chosen one.

    Attributes
    ----------
    law : str
    criterion : str
        What it was compared by: ``AIC``.
    difference : float
        Its criterion less that of the chosen law: below 0 it describes the points better.
    message : str
        What it says otherwise, with both numbers.
    """

    law: str
    criterion: str
    difference: float
    message: str


def find_rivals(chosen: ScalingFit, others: Sequence[ScalingFit]) -> tuple[Rival, ...]:
    """Return the laws whose AIC is lower than that of the chosen one, or within 2 of it.

    A law that contains the chosen one comes within 2 by its one more parameter alone, whatever the
    points say: it has to be lower. One that ended up as a simpler law is none of its own.

    References
    ----------
    K. P. Burnham and D. R. Anderson, "Model Selection and Multimodel Inference", 2nd edition, Springer
    2002, page 70. T. W. Arnold, "Uninformative parameters and model selection using Akaike's information
    criterion", Journal of Wildlife Management 74(6), 2010, 1175-1178.

    Examples
    --------
    >>> from benchlib.scaling.curve import build_curve
    >>> from benchlib.scaling.fits.fitting import fit_law
    >>> curve = build_curve([1, 2, 4, 8, 16], [10.0, 19.8, 39.5, 62.0, 63.0], unit="op/sec")
    >>> (rival,) = find_rivals(fit_law(curve, "amdahl"), [fit_law(curve, "plateau")])
    >>> rival.message
    'plateau describes the points better (AIC 29.2 lower): at N = 32 it expects 62.5 op/sec, not 89.75'
    """
    found = []
    for fit in others:
        if fit.law == chosen.law or is_reduced(fit):
            continue
        difference = fit.criteria.aic - chosen.criteria.aic
        if difference < 0 or (difference <= _AS_GOOD and chosen.law not in LAWS[fit.law].simpler):
            found.append(
                Rival(law=fit.law, criterion="AIC", difference=difference, message=_message(chosen, fit, difference))
            )
    return tuple(sorted(found, key=lambda one: one.difference))


def is_reduced(fit: ScalingFit) -> bool:
    """Say whether a law ended up as a simpler one: its last loss is 0, or its plateau lies beyond the data."""
    if fit.law == "plateau":
        return fit.coefficients[-1] >= fit.measured_range[1]
    return fit.coefficients[-1] == LAWS[fit.law].lower[-1] == 0


def _message(chosen: ScalingFit, fit: ScalingFit, difference: float) -> str:
    better = f"better (AIC {-difference:.1f} lower)" if difference < 0 else f"as well (AIC {difference:.1f} higher)"
    return f"{LAWS[fit.law].title} describes the points {better}: {_otherwise(chosen, fit)}"


def _otherwise(chosen: ScalingFit, fit: ScalingFit) -> str:
    """Tell the laws apart at the end of what may be asked."""
    furthest = EXTRAPOLATION_LIMIT * fit.measured_range[1]
    ours_there, theirs_there = (float(predict(one, furthest).throughput[0]) for one in (chosen, fit))
    return f"at N = {furthest:g} it expects {theirs_there:.4g} {fit.unit}, not {ours_there:.4g}"
