"""An effects answer as plain data: the JSON of ``benchlib effects``, its rows, and the cells as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from benchlib.answers.effects import CostAnswer, EffectModel, EffectsAnswer
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.effects.cost_models import FittedModel
from benchlib.effects.outlying_cells import OutlyingCell
from benchlib.statistics.estimates import Estimate

__all__ = ["effects_document", "effects_rows", "io_statistics"]


def effects_document(answer: EffectsAnswer) -> dict[str, Any]:
    """Return an effects answer as data that JSON can hold; a number that is not finite is null.

    Examples
    --------
    >>> import benchlib
    >>> document = effects_document(benchlib.analyse_effects("data/lplex", metric="time"))
    >>> sorted(document["models"][0])[:4]
    ['cells', 'effects', 'evidence', 'exponents']
    """
    return {
        "schema": SCHEMA_VERSION,
        "factors": list(answer.factors),
        "confidence_level": answer.confidence_level,
        "models": [_model(model) for model in answer.models],
        "breakdowns": [
            {
                "name": breakdown.name,
                "whole": breakdown.whole,
                "key": to_dict(breakdown.key),
                "metric": breakdown.metric,
                "left_out": breakdown.left_out,
                "evidence": list(breakdown.evidence.rows),
                "cells": [{"levels": to_dict(at), **to_dict(broken)} for at, broken in breakdown.cells],
            }
            for breakdown in answer.breakdowns
        ],
        "scaling": to_dict(answer.scaling),
        "refusals": to_dict(answer.refusals),
        "caveats": to_dict(answer.caveats),
    }


def _model(model: EffectModel) -> dict[str, Any]:
    cost = model.cost
    return {
        "key": to_dict(model.key),
        "metric": model.metric,
        "unit": model.unit,
        "terms": _terms(cost.model.chosen) if cost else [],
        "formula": cost.model.chosen.formula if cost else None,
        "rivals": [_rival(rival) for rival in cost.model.rivals] if cost else [],
        "exponents": to_dict(cost.model.exponents) if cost else {},
        "lack_of_fit": _finite(cost.model.lack_of_fit) if cost else None,
        "special_cells": [_outlying(cell) for cell in (cost.model if cost else model.fit).special_cells],
        "predictions": to_dict(cost.predictions) if cost else [],
        "next_cells": to_dict(cost.next_cells) if cost else [],
        "effects": {"slopes": to_dict(model.fit.slopes), "ratios": to_dict(model.fit.ratios)},
        "variance": to_dict(model.variance),
        "interactions": to_dict(model.interactions),
        "cells": to_dict(model.table.cells),
        "missing": to_dict(model.table.missing),
        "missing_count": model.table.missing_count,
        "evidence": list(model.evidence.rows),
    }


def _outlying(cell: OutlyingCell) -> dict[str, Any]:
    times = cell.expected / cell.observed if cell.observed > 0 else None
    return {**to_dict(cell), "expected_over_observed": times}


def _terms(model: FittedModel) -> list[dict[str, Any]]:
    return [*to_dict(model.terms), *to_dict(model.scales)]


def _rival(model: FittedModel) -> dict[str, Any]:
    return {
        "formula": model.formula,
        "structure": model.structure,
        "treatments": dict(model.treatments),
        "terms": _terms(model),
        "criteria": {
            "bic": model.bic,
            "delta_bic": model.delta_bic,
            "weight": model.weight,
            "loo_error": _finite(model.loo_error),
        },
        "relative_error": _finite(model.relative_error),
        "degrees_of_freedom": model.degrees_of_freedom,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def effects_rows(answer: EffectsAnswer) -> Iterator[dict[str, Any]]:
    """Yield a row a number: cells, slopes, ratios, terms of the chosen model, exponents and predictions."""
    for model in answer.models:
        head = {**model.key, "metric": model.metric}
        for cell in model.cells:
            yield {**head, "kind": "cell", "name": "median", **cell.levels, **_numbers(cell.median)}
        for slope in model.fit.slopes:
            yield {**head, "kind": "slope", "name": slope.factor, **slope.slice, **_numbers(slope.estimate)}
        for ratio in model.fit.ratios:
            name = f"{ratio.factor} {ratio.level} against {ratio.baseline}"
            yield {**head, "kind": "ratio", "name": name, **_numbers(ratio.estimate)}
        if model.cost is not None:
            yield from ({**head, **row} for row in _cost_rows(model.cost))


def _cost_rows(cost: CostAnswer) -> Iterator[dict[str, Any]]:
    for term in cost.model.chosen.terms:
        yield {"kind": "term", "name": _term_name(term.factors, term.powers, term.logs), **term.slice} | _numbers(
            term.estimate
        )
    for scale in cost.model.chosen.scales:
        name = f"{scale.factor} {scale.level} against {scale.baseline}"
        yield {"kind": "scale", "name": name, **_numbers(scale.estimate)}
    for factor, estimate in cost.model.exponents.items():
        yield {"kind": "exponent", "name": factor, **_numbers(estimate)}
    for prediction in cost.predictions:
        if prediction.estimate is not None:
            yield {"kind": "prediction", "name": "mean", **prediction.at, **_numbers(prediction.estimate)}
        if prediction.new_value is not None:
            yield {"kind": "prediction", "name": "one measurement", **prediction.at, **_numbers(prediction.new_value)}


def _term_name(factors: tuple[str, ...], powers: tuple[float, ...], logs: tuple[int, ...]) -> str:
    """Name what a coefficient multiplies."""
    words = []
    for factor, power, log in zip(factors, powers, logs, strict=True):
        parts = [f"{factor}^{power:g}" if power != 1 else factor] if power else []
        words.append(" * ".join([*parts, *[f"log2({factor})"] * bool(log)]))
    return " * ".join(words) or "fixed"


def _numbers(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "standard_error": estimate.standard_error,
        "unit": estimate.unit,
        "n": estimate.n,
    }


#: Columns of the token SDK's own ``benchmark_IOstats.csv``, and the metric and factor of each.
_IO_METRICS = {"allocs": "allocations", "RAM bytes": "memory", "time ms": "time"}
_IO_FACTORS = {"bits": "bits", "I": "inputs", "O": "outputs"}


def io_statistics(answer: EffectsAnswer) -> Iterator[dict[str, Any]]:
    """Yield the cells with the columns of the token SDK's ``benchmark_IOstats.csv``, nothing cut off.

    Its own script writes whole milliseconds; times here are in milliseconds with all digits. A curve, proof
    type or other group that the script's table has no column for follows in columns of its own.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.analyse_effects("data/token-sdk", plain=True)
    >>> row = next(io_statistics(answer))
    >>> list(row)[:7], row["bench"], row["bits"]
    (['bench', 'bits', 'I', 'O', 'allocs', 'RAM bytes', 'time ms'], 'BenchmarkSender', 32)
    """
    table: dict[tuple[Any, ...], dict[str, Any]] = {}
    for model in answer.models:
        column = next((name for name, metric in _IO_METRICS.items() if metric == model.metric), None)
        if column is None:
            continue
        for cell in model.cells:
            place = {**model.key, **cell.levels}
            row = table.setdefault(tuple(sorted(place.items(), key=str)), _io_row(place))
            # Seconds are the base unit of a time here.
            row[column] = cell.median.value * 1e3 if column == "time ms" else cell.median.value
    yield from table.values()


def _io_row(place: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: place.get(factor, "") for name, factor in _IO_FACTORS.items()}
    others = {name: level for name, level in place.items() if name not in ("benchmark", *_IO_FACTORS.values())}
    bench = str(place.get("benchmark", ""))
    bench = bench if bench.startswith(("Benchmark", "Test")) else f"Benchmark{bench}"
    return {"bench": bench, **named, **dict.fromkeys(_IO_METRICS, ""), **others}
