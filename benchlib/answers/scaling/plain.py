"""A scaling answer as plain data: the JSON of ``benchlib scaling``, and the same as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchlib.answers.bottleneck import BottleneckAnswer
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.answer import CurveAnswer, LawComparison, ScalingAnswer
from benchlib.answers.scaling.readings import Readings
from benchlib.answers.serial import SCHEMA_VERSION, to_dict
from benchlib.caveats import Caveat
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS
from benchlib.scaling.points import ScalingPoint
from benchlib.scaling.predict import LITTLE, AveragedBand, TimeSplit
from benchlib.statistics.estimates import Estimate

__all__ = ["scaling_document", "scaling_rows"]

#: Derived quantities of a fit, null for laws that have none.
_DERIVED = ("peak", "knee", "ceiling", "saturation_point")


def scaling_document(answer: ScalingAnswer, bottleneck: BottleneckAnswer | Refusal | None = None) -> dict[str, Any]:
    """Return a scaling answer, and what serial twins say of it, as data that JSON can hold.

    A number that is not finite is null, and ``not_finite`` beside it says in a word what it is:
    ``infinite`` or ``unknown``.

    Examples
    --------
    >>> import benchlib
    >>> found = scaling_document(benchlib.fit_scaling("data/reference"))
    >>> found["curves"][0]["chosen"], sorted(found["curves"][0]["fits"][0]["criteria"])
    ('usl', ['aic', 'aicc', 'loo_rmse'])
    """
    return {
        "schema": SCHEMA_VERSION,
        "concurrency": answer.axis,
        "cores": answer.cores,
        "confidence_level": answer.confidence_level,
        "curves": [_curve(one) for one in answer.curves],
        "comparisons": [_comparison(one) for one in answer.comparisons],
        "disagreements": to_dict(answer.disagreements),
        "exclusions": to_dict(answer.exclusions),
        "refusals": to_dict(answer.refusals),
        "bottleneck": _bottleneck(bottleneck) if isinstance(bottleneck, BottleneckAnswer) else None,
        "caveats": _caveats(answer.caveats),
    }


def _bottleneck(answer: BottleneckAnswer) -> dict[str, Any]:
    rows = [
        {
            "name": one.name,
            "serial": one.serial,
            "parallel": one.parallel,
            "key": to_dict(one.key),
            "concurrency": one.concurrency,
            "ideal": _estimate(one.loss.ideal),
            "measured": _estimate(one.loss.measured),
            "share_lost": _estimate(one.loss.share_lost),
            "own_loss": _estimate(one.own_loss) if one.own_loss else None,
            "verdict": one.verdict,
        }
        for one in answer.rows
    ]
    return {"rows": rows, "unpaired": to_dict(answer.unpaired), "caveats": _caveats(answer.caveats)}


def _curve(curve: CurveAnswer) -> dict[str, Any]:
    splits: Mapping[float, TimeSplit] = {one.concurrency: one for one in curve.split}
    return {
        "name": curve.name,
        "key": to_dict(curve.key),
        "metric": curve.metric,
        "unit": curve.curve.unit,
        "shape": curve.shape.kind,
        "points": [_point(one, splits.get(one.concurrency), curve) for one in curve.points],
        "serial_trend": {"kind": curve.serial_trend.kind, "slope": _estimate(curve.serial_trend.slope)},
        "fits": [_fit(one, curve) for one in curve.fits],
        "refused_fits": list(curve.refused_fits),
        "chosen": curve.chosen.law if curve.chosen else None,
        "why": curve.why,
        "preferred": dict(curve.choice.preferred) if curve.choice else {},
        "nested_tests": to_dict(curve.choice.tests) if curve.choice else [],
        "rivals": to_dict(curve.choice.rivals) if curve.choice else [],
        "readings": _readings(curve.readings) if curve.readings else None,
        "extrapolation": _averaged(curve.averaged) if curve.averaged else None,
        "advice": [
            {**to_dict(one), "command": command} for one, command in zip(curve.advice, curve.commands, strict=True)
        ],
        "caveats": _caveats(curve.caveats),
    }


def _point(point: ScalingPoint, split: TimeSplit | None, curve: CurveAnswer) -> dict[str, Any]:
    return {
        "concurrency": point.concurrency,
        "n": point.n,
        "throughput": _estimate(point.throughput),
        "speedup": point.speedup,
        "efficiency": point.efficiency,
        "step_efficiency": _finite(point.step_efficiency),
        "serial_fraction": _finite(point.serial_fraction),
        "time": _time(split, curve.curve.unit) if split else None,
        "evidence": list(curve.evidence[point.concurrency].rows),
    }


def _time(split: TimeSplit, unit: str) -> dict[str, Any]:
    return {
        "latency": split.latency,
        "unit": unit.partition("/")[2],
        "parts": dict(split.parts),
        "shares": dict(split.shares),
    }


def _fit(fit: ScalingFit, curve: CurveAnswer) -> dict[str, Any]:
    derived = {name: getattr(fit, name) for name in _DERIVED}
    tested = next(one for one in curve.back_tests if one.law == fit.law)
    return {
        "law": fit.law,
        "title": LAWS[fit.law].title,
        "formula": LAWS[fit.law].formula,
        "weights": fit.weights,
        "parameters": {name: _estimate(one) for name, one in fit.parameters.items()},
        **{name: None if one is None else _estimate(one) for name, one in derived.items()},
        "lack_of_fit": {
            "pvalue": _finite(fit.lack_of_fit),
            "test": "pure error F" if math.isfinite(fit.lack_of_fit) else "none: no replicates, or no level to spare",
        },
        "criteria": {name: _finite(getattr(fit.criteria, name)) for name in ("aicc", "aic", "loo_rmse")},
        "residual_standard_error": fit.residual_standard_error,
        "degrees_of_freedom": fit.degrees_of_freedom,
        "n": fit.n,
        "measured_range": list(fit.measured_range),
        "back_test": {"rounds": to_dict(tested.rounds), "refused": tested.refused},
        "caveats": _caveats(fit.caveats),
    }


def _readings(found: Readings) -> dict[str, Any]:
    reach, within = found.reach, found.within
    return {
        "law": found.law or None,
        "system": LITTLE,
        "at": [
            {
                "concurrency": one.concurrency,
                "throughput": _estimate(one.throughput),
                "slope": _estimate(one.slope),
                "latency": _estimate(one.latency),
            }
            for one in found.at
        ],
        "reach": reach
        and {
            "asked": found.throughput_asked,
            "throughput": reach.throughput,
            "concurrency": [_estimate(one) for one in reach.concurrency],
            "reason": reach.reason,
        },
        "within": within
        and {
            "asked": found.latency_asked,
            "latency": within.latency,
            "throughput": within.throughput and _estimate(within.throughput),
            "concurrency": within.concurrency and _estimate(within.concurrency),
            "limited_by": within.limited_by,
            "reason": within.reason,
        },
        "refused": list(found.refused),
    }


def _averaged(band: AveragedBand) -> dict[str, Any]:
    ends = zip(band.concurrency, band.throughput, band.low, band.high, strict=True)
    return {
        "weights": dict(band.weights),
        "kind": band.kind,
        "confidence_level": band.confidence_level,
        "points": [
            {
                "concurrency": float(n),
                "throughput": _finite(middle),
                "low": _finite(low),
                "high": _finite(high),
                "not_finite": _words({"throughput": middle, "low": low, "high": high}),
            }
            for n, middle, low, high in ends
        ],
    }


def _comparison(one: LawComparison) -> dict[str, Any]:
    found = one.comparison
    return {
        "law": one.law,
        "curves": list(one.curves),
        "parameter": found.name,
        "verdict": found.verdict,
        "pvalue": _finite(found.pvalue),
        "values": {name: _estimate(value) for name, value in found.values.items()},
        "differences": {name: _estimate(value) for name, value in found.differences.items()},
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    numbers = {name: getattr(estimate, name) for name in ("value", "low", "high", "standard_error")}
    return {
        **{name: _finite(one) for name, one in numbers.items()},
        "not_finite": _words(numbers),
        "unit": estimate.unit,
        "confidence_level": estimate.confidence_level,
        "n": estimate.n,
        "method": estimate.method,
    }


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _words(numbers: Mapping[str, float]) -> dict[str, str]:
    return {
        name: "unknown" if math.isnan(one) else "infinite" if one > 0 else "minus infinite"
        for name, one in numbers.items()
        if not math.isfinite(one)
    }


def _caveats(caveats: Sequence[Caveat]) -> list[dict[str, str]]:
    return [
        {"code": one.code, "severity": one.severity, "message": one.message, "advice": one.advice} for one in caveats
    ]


def scaling_rows(answer: ScalingAnswer) -> Iterator[dict[str, Any]]:
    """Yield every number of an answer as a row: of a point (with its concurrency) or of a law.

    Examples
    --------
    >>> import benchlib
    >>> rows = list(scaling_rows(benchlib.fit_scaling("data/reference", law="usl")))
    >>> next(round(one["value"], 2) for one in rows if one["quantity"] == "peak")
    96.52
    """
    for curve in answer.curves:
        place = {"curve": curve.name, **curve.key}
        for point in curve.points:
            here = {**place, "concurrency": point.concurrency}
            yield {**here, "quantity": "throughput", **_ends(point.throughput)}
            for name in ("speedup", "efficiency", "step_efficiency", "serial_fraction"):
                yield {**here, "quantity": name, "value": getattr(point, name), "n": point.n}
        for split in curve.split:
            for name, share in split.shares.items():
                yield {
                    **place,
                    "concurrency": split.concurrency,
                    "law": curve.chosen.law if curve.chosen else "",
                    "quantity": f"share_of_time_{name}",
                    "value": share,
                }
        for fit in curve.fits:
            yield from _fit_rows({**place, "law": fit.law, "chosen": fit is curve.chosen}, fit)
        if curve.readings:
            yield from _reading_rows({**place, "law": curve.readings.law, "chosen": True}, curve.readings)


def _fit_rows(here: dict[str, Any], fit: ScalingFit) -> Iterator[dict[str, Any]]:
    estimates = {**fit.parameters, **{name: getattr(fit, name) for name in _DERIVED}}
    for name, estimate in estimates.items():
        if estimate is not None:
            yield {**here, "quantity": name, **_ends(estimate)}
    for name in ("aicc", "aic", "loo_rmse"):
        yield {**here, "quantity": name, "value": getattr(fit.criteria, name), "n": fit.n}
    yield {**here, "quantity": "lack_of_fit_pvalue", "value": fit.lack_of_fit, "n": fit.n}


def _reading_rows(here: dict[str, Any], found: Readings) -> Iterator[dict[str, Any]]:
    for one in found.at:
        there = {**here, "concurrency": one.concurrency}
        yield {**there, "quantity": "throughput_by_law", **_ends(one.throughput)}
        yield {**there, "quantity": "slope_by_law", **_ends(one.slope)}
        yield {**there, "quantity": "latency_by_law", **_ends(one.latency)}
    for place in found.reach.concurrency if found.reach else ():
        yield {**here, "quantity": "concurrency_for_throughput", **_ends(place)}
    within = found.within
    if within and within.throughput and within.concurrency:
        yield {**here, "quantity": "throughput_within_latency", **_ends(within.throughput)}
        yield {**here, "quantity": "concurrency_within_latency", **_ends(within.concurrency)}


def _ends(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in ("value", "low", "high", "standard_error", "unit", "n")}
