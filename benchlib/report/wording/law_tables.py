"""Laws as tables of words: side by side, their limits, the tests between them, their forecasts."""

from __future__ import annotations

import math

from benchlib.answers.scaling import CurveAnswer, curve_evidence
from benchlib.report.wording.law_words import (
    held_words,
    limit_words,
    parameter_name,
    parameter_words,
    pvalue_words,
    signed_percent,
)
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, known, table
from benchlib.report.wording.told import evident, told
from benchlib.scaling.choose import BackTest
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS
from benchlib.significant_digits import between
from benchlib.units import confidence, percent, show


def laws_table(curve: CurveAnswer) -> Table:
    """The laws fitted to one curve side by side: what each criterion says, and which was chosen."""
    least = {name: _least(curve, name) for name in ("aicc", "aic", "loo_rmse")}
    rivals = {one.law for one in curve.choice.rivals} if curve.choice else set()
    whole = curve_evidence(curve)

    def title(fit: ScalingFit) -> str:
        word = " (chosen)" if fit is curve.chosen else " (rival)" if fit.law in rivals else ""
        return f"{LAWS[fit.law].title}{word}"

    def criterion(fit: ScalingFit, name: str) -> str:
        value = float(getattr(fit.criteria, name))
        if math.isnan(value):
            return NONE
        shown = _error(value, fit) if name == "loo_rmse" else f"{value:.2f}".replace("-", "−")
        return evident(f"{shown} (least)" if value == least[name] else shown, whole, value)

    return table(
        f"{curve.name}: laws side by side ({curve.fits[0].n if curve.fits else 0} measurements; smaller is better)",
        (
            "law",
            "residual error",
            "AICc",
            "AIC",
            "leave-one-out",
            "lack of fit",
            "forecasts held",
        ),
        (
            (
                title(fit),
                evident(_error(fit.residual_standard_error, fit), whole, fit.residual_standard_error),
                *(criterion(fit, name) for name in ("aicc", "aic", "loo_rmse")),
                NONE
                if math.isnan(fit.lack_of_fit)
                else evident(f"p {pvalue_words(fit.lack_of_fit)}", whole, fit.lack_of_fit),
                known(next((held_words(one) for one in curve.back_tests if one.law == fit.law), NONE), whole),
            )
            for fit in curve.fits
        ),
    )


def _error(value: float, fit: ScalingFit) -> str:
    # Relative, except where nothing was weighed: then it is in the unit of throughput.
    return show(value, fit.unit) if fit.weights == "none" else percent(value, 1)


def _least(curve: CurveAnswer, name: str) -> float:
    known = [float(getattr(fit.criteria, name)) for fit in curve.fits]
    return min((one for one in known if not math.isnan(one)), default=math.nan)


def limits_table(curve: CurveAnswer) -> Table:
    """Coefficients and limits of every law of one curve; an end that is infinite is said in words."""
    rows, whole = [], curve_evidence(curve)
    for fit in curve.fits:
        law = LAWS[fit.law].title + (" (chosen)" if fit is curve.chosen else "")
        rows += [
            (
                law,
                parameter_name(name),
                evident(parameter_words(fit, name), whole, one.value),
                known(parameter_number(one.standard_error, one.unit), whole, one.standard_error),
            )
            for name, one in fit.parameters.items()
        ]
        rows += [
            (law, name.replace("_", " "), told(limit_words(fit, name), whole), NONE)
            for name in ("peak", "knee", "ceiling", "saturation_point")
        ]
    heads = ("law", "quantity", "estimate", "standard error")
    return table(f"{curve.name}: coefficients and limits", heads, rows, words=3)


def nested_table(curve: CurveAnswer) -> Table | None:
    """F tests of laws that contain one another; None where there was none to make."""
    tests = curve.choice.tests if curve.choice else ()
    if not tests:
        return None
    whole = curve_evidence(curve)
    return table(
        f"{curve.name}: is the richer law worth its parameter?",
        ("simpler law", "richer law", "F", "degrees of freedom", "p"),
        (
            (
                LAWS[one.simpler].title,
                LAWS[one.richer].title,
                evident(f"{one.statistic:.4g}", whole, one.statistic),
                evident(f"{one.degrees_of_freedom[0]}, {one.degrees_of_freedom[1]}", whole),
                evident(pvalue_words(one.pvalue).removeprefix("= "), whole, one.pvalue),
            )
            for one in tests
        ),
        words=2,
    )


def back_test_table(curve: CurveAnswer, tested: BackTest) -> Table | None:
    """Forecasts of a law from its first levels against what was measured; None where none was possible."""
    unit, whole = curve.curve.unit, curve_evidence(curve)
    rows = [
        (
            evident(f"{found.up_to:g}", whole, found.up_to),
            evident(f"{miss.concurrency:g}", whole, miss.concurrency),
            evident(show(miss.measured, unit), whole, miss.measured),
            evident(show(miss.predicted, unit, like=miss.measured), whole, miss.predicted),
            # Beside the ends stands what was measured, and whether it lies between them.
            evident(_ends(miss.low, miss.high, unit, miss.measured, exact=True), whole, miss.low),
            evident(signed_percent(miss.error), whole, miss.error),
            "inside" if miss.inside else "outside",
        )
        for found in tested.rounds
        for miss in found.misses
    ]
    if not rows:
        return None
    return table(
        f"{curve.name}: forecasts by {LAWS[tested.law].title} from the first levels",
        ("fitted up to", "forecast for", "measured", "forecast", "interval", "missed by", "measured lies"),
        rows,
        words=0,
    )


def _ends(low: float, high: float, unit: str, like: float, *, exact: bool) -> str:
    lower, upper = (
        show(end, unit, like=like) if exact else between(end, low, high, unit, like=like) for end in (low, high)
    )
    return f"{lower} to {upper if math.isfinite(high) else 'no upper end'}"


def forecast_table(curve: CurveAnswer) -> Table | None:
    """The average of the laws beyond the data; None where no extrapolation was asked for."""
    band = curve.averaged
    if band is None:
        return None
    weights = ", ".join(f"{LAWS[law].title} {percent(share)}" for law, share in band.weights.items() if share >= 0.005)
    level, unit, whole = confidence(band.confidence_level), curve.curve.unit, curve_evidence(curve)
    return table(
        f"{curve.name}: not measured, averaged over the laws ({weights})",
        (curve.axis, "throughput", f"band, {level}"),
        (
            (
                f"{n:g}",
                evident(between(x, low, high, unit), whole, x),
                evident(_ends(low, high, unit, x, exact=False), whole, low),
            )
            for n, x, low, high in zip(
                band.concurrency.tolist(),
                band.throughput.tolist(),
                band.low.tolist(),
                band.high.tolist(),
                strict=True,
            )
        ),
    )


def parameter_number(value: float, unit: str) -> str:
    """Write a coefficient or its standard error in a column of its own."""
    if math.isnan(value):
        return NONE
    return show(value, "" if unit == "x" else unit)
