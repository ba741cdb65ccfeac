"""A mix of operations: from a sweep of each, or from a sweep of one and what the others cost beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchlib.answers.evidence import gather, pool
from benchlib.answers.grouping import cells, name_caveats
from benchlib.answers.planning.latencies import LimitedLatency, of_mean
from benchlib.answers.planning.loads import Load, sweep_load
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.refusal import Refusal
from benchlib.answers.sweeps import Sweep
from benchlib.capacity.draws import CurveDraws, between
from benchlib.capacity.mix import mix_costs, mix_curves, shares_of
from benchlib.caveats import caveat, merge
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.results import Results
from benchlib.scaling.advise import Return, best_return
from benchlib.scaling.curve import build_curve

__all__ = ["mix_axis", "mixed_loads"]


def mixed_loads(
    sweeps: Sequence[Sweep], question: PlanQuestion, cores: int | None
) -> tuple[tuple[Load, ...], tuple[Refusal, ...]]:
    """Return the loads of a mix: one of the sweeps of its operations, or one for each sweep of one of them.

    Raises
    ------
    SelectionError
        For an operation that no axis of the results has.
    DataError
        Where an operation was neither swept nor measured beside the one that was.
    """
    axis = mix_axis(question.study.results, question.mix)
    own = {str(one.key[axis]): one for one in sweeps if axis in one.key}
    if all(name in own for name in question.mix):
        return (_of_sweeps(own, axis, question, cores),), ()
    loads, refused = [], []
    for at, sweep in enumerate(sweeps):
        measured = list(sweep.rows[axis].dropna().astype(str).unique()) if axis in sweep.rows else []
        if len(measured) != 1:
            reason = f"{sweep.name} does not say which {axis} it measures: no mix is made of it"
            refused.append(Refusal(question="capacity", reason=reason, advice=f"name the {axis} of its rows"))
            continue
        try:
            loads.append(_of_costs(sweep_load(sweep, question, cores, at=at), str(measured[0]), axis, question))
        except DataError as error:
            refused.append(Refusal(question="capacity", reason=f"{sweep.name}: {error}", advice="measure it"))
    return tuple(loads), tuple(refused)


def mix_axis(results: Results, mix: Mapping[str, float]) -> str:
    """Return the axis whose levels a mix names: the one that has most of them.

    Raises
    ------
    SelectionError
        For an operation that no axis of the results has.
    """
    levels = {axis: [str(one) for one in results.levels(axis)] for axis in ("benchmark", *results.axes)}
    axis = max(levels, key=lambda one: sum(name in levels[one] for name in mix))
    for name in mix:
        if name not in levels[axis]:
            some = any(one in levels[axis] for one in mix)
            known = levels[axis] if some else [one for each in levels.values() for one in each]
            where = f"{axis} has {choices(levels[axis])}" if some else "no axis has it"
            raise SelectionError(f"mix: no operation '{printable(name)}'{suggestion(name, known)}; {where}")
    return axis


def _of_sweeps(own: Mapping[str, Sweep], axis: str, question: PlanQuestion, cores: int | None) -> Load:
    """Mix operations that were swept each: where all of them were."""
    loads = {name: sweep_load(own[name], question, cores, at=at) for at, name in enumerate(question.mix)}
    units = {one.drawn.unit for one in loads.values()}
    if len(units) > 1:
        raise DataError(f"mix: its operations are counted in {choices(sorted(units))}; give results in one unit")
    first = max(float(one.drawn.concurrency[0]) for one in loads.values())
    last = min(one.up_to for one in loads.values())
    places = np.unique(np.concatenate([one.drawn.concurrency for one in loads.values()]))
    places = places[(places >= first) & (places <= last)]
    shares = shares_of(question.mix)
    drawn = mix_curves({name: _on(one.drawn, places) for name, one in loads.items()}, shares)
    some = loads[next(iter(shares))]
    return replace(
        some,
        name=_named(shares),
        key={name: level for name, level in some.key.items() if name != axis},
        drawn=drawn,
        limited=_limited(question, drawn),
        returns=_returns(loads, shares, None if question.demand_axis or question.node_axis else cores),
        measured=(),
        up_to=last,
        refusals=tuple(dict.fromkeys(one for load in loads.values() for one in load.refusals)),
        caveats=name_caveats((name, one) for name, load in loads.items() for one in load.caveats),
        evidence=pool(
            (one.evidence for one in loads.values()), f"1/X = sum of share/X over {axis}; {some.evidence.formula}"
        ),
    )


def _returns(loads: Mapping[str, Load], shares: Mapping[str, float], cores: int | None) -> Return:
    """Return what cores give to the mix itself, at the levels that all operations share: each has its own knee."""
    some = loads[next(iter(shares))]
    medians = {name: dict(zip(one.curve.concurrency, one.curve.throughput, strict=True)) for name, one in loads.items()}
    levels = [level for level in some.curve.concurrency if all(level in one for one in medians.values())]
    if len(levels) < 2:
        return some.returns
    rates = [1 / sum(share / medians[name][level] for name, share in shares.items()) for level in levels]
    return best_return(build_curve(levels, rates, unit=some.curve.unit), cores=cores)


def _on(drawn: CurveDraws, places: np.ndarray[Any, np.dtype[np.float64]]) -> CurveDraws:
    return replace(drawn, concurrency=places, throughput=between(drawn.concurrency, drawn.throughput, places))


def _of_costs(load: Load, measured: str, axis: str, question: PlanQuestion) -> Load:
    """Mix operations of which one was swept, and each has a time of its own beside the others."""
    shares = shares_of(question.mix)
    names = list(dict.fromkeys([measured, *shares]))
    frame = question.study.results.frame
    timed = frame[(frame["metric"] == "time") & frame[axis].notna()]
    # One benchmark that has them all: times of different benchmarks are of different work.
    for place, rows in cells(timed, ["benchmark"]):
        costs = {str(key[axis]): part["value"].to_numpy(dtype=float) for key, part in cells(rows, [axis])}
        if all(name in costs for name in names):
            drawn = mix_costs(load.drawn, measured, {name: costs[name] for name in names}, shares, seed=question.seed)
            told = f"{_named(shares)} is held to scale as {measured} does, by the times of {place['benchmark']}"
            return replace(
                load,
                name=f"{load.name}, {_named(shares)}",
                drawn=drawn,
                limited=_limited(question, drawn),
                measured=(),
                caveats=merge(load.caveats, [caveat("mix-scales-alike", told)]),
                evidence=pool(
                    [load.evidence, gather(rows, "")],
                    f"X of {measured} times its time by the mean time of the mix; {load.evidence.formula}",
                ),
            )
    missing = choices(names)
    raise DataError(f"mix: no benchmark times {missing} beside one another; measure each alone in one benchmark")


def _limited(question: PlanQuestion, drawn: CurveDraws) -> LimitedLatency | None:
    """Return the mean latency of the mix, where that has the limit; percentiles of the parts do not add up."""
    return of_mean(drawn) if question.limit is not None and question.limit.metric == "latency_mean" else None


def _named(shares: Mapping[str, float]) -> str:
    return "mix of " + ", ".join(f"{printable(name, 40)} {100 * share:.3g} %" for name, share in shares.items())
