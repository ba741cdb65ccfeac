"""Plans with a limit on the mean latency, simulated: is the stated probability of target and limit what comes true?

Draws of laws, of the points alone, and of a mix of two operations, each planned for with a limit between the latency
of one in flight and that of a full node. ``test_planning_calibration.py`` runs them,
``benchmarks/capacity_calibration.py`` prints the table of ``docs/capacity.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchlib.capacity.draws import CurveDraws, draw_laws, draw_points
from benchlib.capacity.latency import loads_within, mean_latency
from benchlib.capacity.mix import mix_curves
from benchlib.capacity.nodes import Demand, Node, chance, enough, needed_nodes
from benchlib.scaling.curve import ScalingCurve, build_curve
from benchlib.scaling.fit import fit_law
from tests.capacity.plan_simulations import DRAWS, FITTED, HEADROOM, LEVELS, SHARES, SURVIVE, truth_of

Truth = Callable[[np.ndarray], np.ndarray]
WAYS = ("laws", "points", "mix")
PLACES = np.arange(1.0, 17.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedCase:
    """What came of one simulated sweep, planned for with a limit."""

    #: For each of `SHARES`: whether the largest load at which that share of the draws keeps headroom and limit keeps
    #: both in truth; None where so many keep them at no load.
    right: tuple[bool | None, ...]
    #: Whether the count of nodes chosen for it is enough in truth; None where none is.
    counted: tuple[bool | None, ...]
    stated: tuple[float | None, ...]  # the share of draws in which that count is enough; None where none is


def simulate_limited(numbers: range, way: str, seed: int = 1) -> Iterator[LimitedCase]:
    """Give the cases of these numbers: laws by turns, 2 to 6 repeats, noise of 2 or 5 %."""
    for number in numbers:
        generator = np.random.default_rng([seed, WAYS.index(way), number])
        kinds = (number, number // len(FITTED) + 1) if way == "mix" else (number,)
        truths = [truth_of(FITTED[one % len(FITTED)], generator) for one in kinds]
        measured = [_measured(truth, generator) for truth in truths]
        drawn = _drawn(measured, way, number)
        size = float(generator.choice(LEVELS[1:]))
        yield _case(drawn, _mean_of(truths), size, generator)


def _measured(truth: Truth, generator: np.random.Generator) -> ScalingCurve:
    n = np.repeat(LEVELS, generator.integers(2, 7))
    noise = generator.choice([0.02, 0.05]) * generator.standard_normal(len(n))
    return build_curve(n, truth(n) * np.exp(noise), unit="op/sec")


def _drawn(measured: list[ScalingCurve], way: str, seed: int) -> CurveDraws:
    if way == "points":
        return draw_points(measured[0], PLACES, draws=DRAWS, seed=seed)
    each = {
        str(at): draw_laws(
            [fit_law(one, law, derived=False) for law in FITTED], one, PLACES, draws=DRAWS, seed=seed + at
        )
        for at, one in enumerate(measured)
    }
    return each["0"] if way == "laws" else mix_curves(each, {"0": 0.5, "1": 0.5})


def _mean_of(truths: list[Truth]) -> Truth:
    """Return the curve of all in equal parts: their times add up."""
    return lambda n: np.asarray(len(truths) / np.sum([1 / truth(n) for truth in truths], axis=0))


def _largest_load(node: Node, demand: Demand) -> float:
    """Return the largest load that a node which is left carries in the share of draws asked for, to 1e-4; 0 for none.

    Loads may begin above 0 where a mean dips, so that the largest is looked for from above, then halved towards.
    """

    def carries(load: float) -> bool:
        alone = replace(demand, target=load, survive=0)
        return chance(needed_nodes(node, alone), 1.0) >= demand.share

    most = float(np.max(node.full))
    loads = most * np.geomspace(1.0, 1e-3, 80)
    first = next((at for at, load in enumerate(loads.tolist()) if carries(load)), None)
    if first is None:
        return 0.0
    low, high = float(loads[first]), float(loads[max(first - 1, 0)])
    while high / low > 1 + 1e-4:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if carries(middle) else (low, middle)
    return low


def _case(drawn: CurveDraws, truth: Truth, size: float, generator: np.random.Generator) -> LimitedCase:
    n = np.geomspace(1.0, size, 4000)
    rates = np.maximum.accumulate(truth(n))
    slowest = max(size / rates[-1] * rates[0], 1.3)
    limit = float(slowest ** generator.uniform(0.2, 1.0) / rates[0])

    free = float(truth(np.array([size]))[0]) * (1 - HEADROOM)

    def kept(load: float) -> bool:
        flying = load / rates[0] if load < rates[0] else float(n[np.argmax(rates >= load)])
        return load <= free and flying / load <= limit

    full = drawn.throughput[:, int(np.searchsorted(drawn.concurrency, size))]
    least, most = loads_within(drawn, mean_latency(drawn), limit, size)
    node = Node(full=full, within=most, within_from=least)
    target = float(np.median(full) * generator.uniform(0.5, 12))
    right, counted, stated = [], [], []
    for share in SHARES:
        demand = Demand(target=target, headroom=HEADROOM, survive=SURVIVE, share=share)
        load = _largest_load(node, demand)
        right.append(kept(load) if load else None)
        needed = needed_nodes(node, demand)
        nodes = enough(needed, share)
        planned = np.isfinite(nodes)
        counted.append(kept(target / (nodes - SURVIVE)) if planned else None)
        stated.append(chance(needed, nodes) if planned else None)
    return LimitedCase(right=tuple(right), counted=tuple(counted), stated=tuple(stated))
