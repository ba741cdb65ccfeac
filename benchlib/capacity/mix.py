"""What a mix of operations delivers: 1/X is the sum of share / X of each, because the time of all adds up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from benchlib.capacity.draws import CurveDraws, _draw_means, _scaled_by, rounded_draws
from benchlib.errors import DataError
from benchlib.scaling.laws import FloatArray


def shares_of(parts: Mapping[str, float]) -> Mapping[str, float]:
    """Return what each part is of the whole; the parts need not sum to 100."""
    if not parts:
        raise DataError("a mix needs operations; write it like read=70,write=30")
    for name, part in parts.items():
        if not (np.isfinite(part) and part > 0):
            raise DataError(f"the share of '{name}' is {part:g}, no finite number above 0; leave the operation out")
    whole = sum(parts.values())
    return MappingProxyType({name: part / whole for name, part in parts.items()})


def mix_curves(curves: Mapping[str, CurveDraws], shares: Mapping[str, float]) -> CurveDraws:
    """Return the draws of a mix of operations that each have a curve, on one grid."""
    first = curves[next(iter(shares))]
    time = sum((share / curves[name].throughput for name, share in shares.items()), np.zeros_like(first.throughput))
    reference, rounded = rounded_draws(1 / time)
    taken = [curves[name] for name in shares]
    return CurveDraws(
        concurrency=first.concurrency,
        throughput=rounded,
        laws=("mix",),
        law=np.zeros(len(rounded), dtype=np.intp),
        weights=MappingProxyType({"mix": 1.0}),
        unit=first.unit,
        measured_range=(
            max(curve.measured_range[0] for curve in taken),
            min(curve.measured_range[1] for curve in taken),
        ),
        n=sum(curve.n for curve in taken),
        reference=reference,
    )


def mix_costs(
    drawn: CurveDraws, measured: str, costs: Mapping[str, FloatArray], shares: Mapping[str, float], *, seed: int = 0
) -> CurveDraws:
    """Return the draws of a mix whose operations have a cost each, and one of them the curve.

    The mix is held to scale as the operation that was measured does; its rate at every concurrency is that of the
    curve, times the cost of the measured operation by the mean cost of the mix.
    """
    names: Sequence[str] = tuple(costs)
    generator = np.random.default_rng([seed, 1])
    each = _draw_means([costs[name] for name in names], draws=len(drawn.law), generator=generator)
    mean = each[:, [names.index(name) for name in shares]] @ np.array(list(shares.values()))
    return _scaled_by(drawn, each[:, names.index(measured)] / mean, sum(len(cost) for cost in costs.values()))
