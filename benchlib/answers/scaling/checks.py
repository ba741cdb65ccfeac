"""What speaks for or against the chosen law of a curve, as plain data: its residuals, and the forecasts that held."""

from __future__ import annotations

from typing import Any

from benchlib.answers.scaling.answer import CurveAnswer
from benchlib.answers.serial import to_dict
from benchlib.scaling.choose import residuals

__all__ = ["law_checks"]


def law_checks(curve: CurveAnswer) -> dict[str, Any]:
    """Return the residuals of the chosen law, and for each law how many forecasts from the first levels held.

    Examples
    --------
    >>> import benchlib
    >>> checks = law_checks(benchlib.fit_scaling("data/reference").curves[0])
    >>> checks["residuals"]["outside"], checks["forecasts"]["linear"]
    (0, {'held': 5, 'made': 7})
    """
    misses = {one.law: [miss for found in one.rounds for miss in found.misses] for one in curve.back_tests}
    return {
        "residuals": to_dict(residuals(curve.curve, curve.chosen)) if curve.chosen is not None else None,
        "forecasts": {
            law: {"held": sum(miss.inside for miss in found), "made": len(found)} for law, found in misses.items()
        },
    }
