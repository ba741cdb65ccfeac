"""The draws of a plan for a page that computes the answer anew: the very numbers that the plan was computed from.

A whole number of 16 bits a draw and concurrency: ``value = reference * exp(code * step)``. Between concurrencies
everything is straight on logarithms of both.
"""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.planning.answer import LoadPlan, NodeOption, PlanningAnswer
from benchlib.answers.planning.latencies import LimitedLatency, of_mean, time_unit
from benchlib.answers.planning.question import AskedPlan
from benchlib.capacity.draws import DRAWS, STEP
from benchlib.study.quantities import parse_growth, parse_limit, parse_nodes

__all__ = ["Codes", "exported_codes", "exported_plan"]

Codes = NDArray[np.int16]

#: What ``--probability`` is where nobody says.
USUAL_PROBABILITY = 0.95


def exported_plan(answer: PlanningAnswer, plan: LoadPlan) -> dict[str, Any]:
    """Return what a page needs, beside the draws, to answer other targets, headrooms, limits, nodes and growths.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", draws=200)
    >>> found = exported_plan(answer, answer.loads[0])
    >>> found["concurrency"][:4], found["draws"], found["ranks"]
    ([1.0, 2.0, 3.0, 4.0], 200, [5, 100, 194])
    """
    asked, drawn = answer.asked, plan._drawn
    growth = parse_growth(asked.growth)
    limited = _measured(plan)
    draws = len(drawn.throughput)
    ends = (1 - answer.confidence_level) / 2, 0.5, (1 + answer.confidence_level) / 2
    return {
        "name": plan.name,
        "unit": plan.unit,
        "seconds": time_unit(plan.unit),
        "counts": plan.counts,
        "target": plan.target,
        "headroom": asked.headroom,
        "survive": asked.survive,
        "share": asked.probability,
        "limit": _limit(answer, plan),
        "growth": asked.growth,
        "monthly": growth.monthly if growth else 0.0,
        "start": asked.start,
        "currency": asked.currency,
        "nodes": [_node(one) for one in _kinds(plan)],
        "largest": drawn.measured_range[1],
        "ranks": np.quantile(np.arange(draws), ends, method="nearest").tolist(),
        "draws": draws,
        "laws": [int(one) for one in np.bincount(drawn.law) if one],
        "step": STEP,
        "concurrency": drawn.concurrency[: _places(plan)].tolist(),
        "reference": drawn.reference,
        "limited": limited and {"reference": limited.reference, "up_to": limited.up_to},
        "options": _options(asked),
    }


def exported_codes(plan: LoadPlan) -> tuple[Codes, ...]:
    """Return the draws of throughput, shape (draws, places), and those of a percentile that has the limit.

    No answer hangs on the order of draws: they come by law, and then by their smallest throughput.

    Examples
    --------
    >>> import benchlib
    >>> plan = benchlib.plan_capacity("data/onix-adapter-published", target="50000/s", draws=200).loads[0]
    >>> (codes,) = exported_codes(plan)
    >>> again = plan._drawn.reference * np.exp(codes * STEP)
    >>> bool(np.allclose(np.sort(again, axis=0), np.sort(plan._drawn.throughput, axis=0), rtol=1e-12))
    True
    """
    drawn, limited, places = plan._drawn, _measured(plan), _places(plan)
    kept = [(drawn.throughput, drawn.reference)]
    if limited is not None:
        kept.append((limited.values, limited.reference))
    codes = [np.round(np.log(values[:, :places] / reference) / STEP).astype(np.int16) for values, reference in kept]
    order = np.lexsort((codes[0][:, 0], drawn.law))
    return tuple(one[order] for one in codes)


def _options(asked: AskedPlan) -> list[str]:
    """Return what a page does not change, as a terminal takes it."""
    mix = ",".join(f"{name}={share:g}" for name, share in asked.mix.items())
    found = [f"--mix {shlex.quote(mix)}"] if mix else []
    found += [f"--probability {asked.probability:.10g}"] if asked.probability != USUAL_PROBABILITY else []
    found += [f"--draws {asked.draws}"] if asked.draws != DRAWS else []
    return found + ([f"--seed {asked.seed}"] if asked.seed else [])


def _measured(plan: LoadPlan) -> LimitedLatency | None:
    """Return the latency that has a limit where it has draws of its own: a mean follows from throughput."""
    limited = plan._limited
    return limited if limited is not None and not limited.of_mean else None


def _limit(answer: PlanningAnswer, plan: LoadPlan) -> dict[str, Any]:
    """Return the latency that can have a limit, and the limit that it has: that of the mean where none can be held."""
    asked = parse_limit(answer.asked.slo) if plan._limited is not None else None
    limited = plan._limited or of_mean(plan._drawn)
    return {
        "metric": asked.metric if asked else "latency_mean",
        "seconds": asked.seconds if asked else None,
        "fastest": limited.fastest,
    }


def _kinds(plan: LoadPlan) -> tuple[NodeOption, ...]:
    """Return the kinds of node that were asked for; of the levels of a sweep only the one to take."""
    written = any(one.written for one in plan.options)
    return plan.options if written or plan.best is None else (plan.best,)


def _node(option: NodeOption) -> dict[str, Any]:
    price = parse_nodes(option.written)[0].cost if option.written else None
    return {"size": option.concurrency, "cores": option.cores, "price": price}


def _places(plan: LoadPlan) -> int:
    """Return how many concurrencies can matter: the one machine that was measured is never fuller than full."""
    if plan.counts == "cores":
        return len(plan._drawn.concurrency)
    return max(2, int(np.searchsorted(plan._drawn.concurrency, plan.options[0].concurrency, side="right")))
