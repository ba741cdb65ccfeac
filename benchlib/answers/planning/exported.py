"""The draws of a plan for a page that computes the answer anew: the very numbers that the plan was computed from.

Two bytes a draw and concurrency: ``throughput = reference * exp(code * step)``, row by row, a draw a row, little-endian
in base64. Between concurrencies everything is straight on logarithms of both.
"""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np

from benchlib.answers.planning.answer import LoadPlan, PlanningAnswer
from benchlib.answers.planning.latencies import time_unit
from benchlib.scaling.laws import FloatArray
from benchlib.scaling.planning.draws import STEP

__all__ = ["exported_draws", "read_draws"]


def exported_draws(answer: PlanningAnswer, plan: LoadPlan) -> dict[str, Any]:
    """Return what a page needs to answer other targets, headrooms, limits, nodes, prices and growths.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", draws=200)
    >>> found = exported_draws(answer, answer.loads[0])
    >>> found["concurrency"][:4], found["draws"], len(found["throughput"])
    ([1.0, 2.0, 3.0, 4.0], 200, 8536)
    """
    drawn, limited = plan._drawn, plan._limited
    measured = limited is not None and not math.isnan(limited.reference)
    return {
        "name": plan.name,
        "unit": plan.unit,
        "seconds": time_unit(plan.unit),
        "counts": plan.counts,
        "target": plan.target,
        "headroom": answer.asked.headroom,
        "survive": answer.asked.survive,
        "probability": answer.asked.probability,
        "limit": answer.asked.slo,
        "growth": answer.asked.growth,
        "nodes": [
            {
                "concurrency": one.concurrency,
                "cores": one.cores,
                "cost": one.cost / one.nodes if math.isfinite(one.cost) else None,
            }
            for one in plan.options
        ],
        "concurrency": drawn.concurrency.tolist(),
        "draws": len(drawn.throughput),
        "step": STEP,
        "reference": drawn.reference,
        "throughput": _coded(drawn.throughput, drawn.reference),
        "limited": None
        if limited is None or not measured
        else {
            "reference": limited.reference,
            "up_to": limited.up_to,
            "values": _coded(limited.values, limited.reference),
        },
    }


def read_draws(text: str, reference: float, places: int) -> FloatArray:
    """Return draws, shape (draws, places), from their exported form.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", draws=200)
    >>> found = exported_draws(answer, answer.loads[0])
    >>> again = read_draws(found["throughput"], found["reference"], len(found["concurrency"]))
    >>> bool(np.allclose(again, answer.loads[0]._drawn.throughput, rtol=1e-12))
    True
    """
    codes = np.frombuffer(base64.b64decode(text), dtype="<i2").reshape(-1, places)
    return np.asarray(reference * np.exp(codes * STEP))


def _coded(values: FloatArray, reference: float) -> str:
    codes = np.round(np.log(values / reference) / STEP).astype("<i2")
    return base64.b64encode(codes.tobytes()).decode("ascii")
