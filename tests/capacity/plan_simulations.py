"""Sweeps simulated by known laws, planned for, and counted: is a stated probability the share that comes true?

``test_planning_calibration.py`` runs them, ``benchmarks/capacity_calibration.py`` prints the table of
``docs/capacity.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchlib.capacity.draws import CurveDraws, draw_laws, draw_points
from benchlib.capacity.nodes import Demand, Node, chance, enough, needed_nodes
from benchlib.capacity.one_node import FULL
from benchlib.scaling.curve import build_curve
from benchlib.scaling.fit import fit_law
from benchlib.scaling.laws import LAWS
from tests.scaling.noise_simulations import NoiseScenario

LEVELS = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
FITTED = ("linear", "plateau", "amdahl", "usl")
RATE = 1000.0
SHARES = (0.8, 0.95)
#: Node sizes that are planned with: up to twice the largest level, each octave as often.
SIZES = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
HEADROOM, SURVIVE = 0.3, 1
DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What came of one simulated sweep, planned for with one size of node."""

    truth: str  # the law that made it
    beyond: bool  # whether the node is larger than the largest level
    #: For each of `SHARES`: whether a target that is met in that share of the draws is met in truth.
    right: tuple[bool, ...]
    #: For each of `SHARES`: whether the count of nodes chosen for it is enough in truth.
    counted: tuple[bool, ...]
    stated: tuple[float, ...]  # the share of draws in which those counts are enough


def simulate(numbers: range, seed: int = 1) -> Iterator[Case]:
    """Give the cases of these numbers: laws by turns, 1 to 6 repeats, noise of 2 or 5 %."""
    for number in numbers:
        generator = np.random.default_rng([seed, number])
        truth = FITTED[number % len(FITTED)]
        curve = truth_of(truth, generator)
        n = np.repeat(LEVELS, generator.integers(1, 7))
        noise = generator.choice([0.02, 0.05]) * generator.standard_normal(len(n))
        measured = build_curve(n, curve(n) * np.exp(noise), unit="op/sec")
        fits = [fit_law(measured, law, derived=False) for law in FITTED]
        drawn = draw_laws(fits, measured, SIZES, draws=DRAWS, seed=number)
        size = int(generator.integers(len(SIZES)))
        full, true = drawn.throughput[:, size], float(curve(np.array([SIZES[size]]))[0])
        node = Node(full=full, within=np.full_like(full, np.inf))
        target = float(np.median(full) * generator.uniform(0.5, 12))
        right, counted, stated = [], [], []
        for share in SHARES:
            right.append(true >= float(np.quantile(full, 1 - share)))
            demand = Demand(target=target, headroom=HEADROOM, survive=SURVIVE, share=share)
            needed = needed_nodes(node, demand)
            nodes = enough(needed, share)
            counted.append((nodes - SURVIVE) * true * (1 - HEADROOM) >= target * (1 - 1e-9))
            stated.append(chance(needed, nodes))
        yield Case(
            truth=truth,
            beyond=SIZES[size] > LEVELS[-1],
            right=tuple(right),
            counted=tuple(counted),
            stated=tuple(stated),
        )


#: Curves under noise as it is, up to 64 in flight: a wall without a corner is outside of what is fitted.
NOISY: dict[str, NoiseScenario] = {
    f"{name}, {noise}": NoiseScenario(law=law, truth=truth, value=value, level=level, repeats=repeats)
    for name, law, truth in (
        ("USL, peak 44", "usl", (100.0, 0.03, 5e-4)),
        ("USL, peak 12", "usl", (100.0, 0.03, 0.97 / 144)),
        ("plateau", "plateau", (100.0, 11.0)),
        ("smooth wall", "smooth wall", ()),
    )
    for noise, value, level, repeats in (
        ("values 5 %, x1", 0.05, 0.0, 1),
        ("values 5 %, x3", 0.05, 0.0, 3),
        ("levels 1 %, values 1 %, x3", 0.01, 0.01, 3),
        ("levels 3 %, values 1 %, x3", 0.01, 0.03, 3),
        ("levels 5 %, values 1 %, x5", 0.01, 0.05, 5),
    )
}


def simulate_noisy(scenario: NoiseScenario, numbers: range, seed: int = 1) -> Iterator[Case]:
    """Plan for a full node under noise as it is: the level with the fewest in flight that gives the most, but for 1 %.

    ``counted`` is what drawing the points alone would come to: levels with the scatter within them, and their largest.
    """
    for number in numbers:
        curve = scenario.draw(number, seed)
        fits = [fit_law(curve, law, derived=False) for law in FITTED]
        drawn = draw_laws(fits, curve, curve.concurrency, draws=DRAWS, seed=number)
        right = _full_is_true(drawn, scenario)
        points = right
        if min(curve.counts) > 1:
            points = _full_is_true(draw_points(curve, curve.concurrency, draws=DRAWS, seed=number), scenario)
        yield Case(truth=scenario.law, beyond=False, right=right, counted=points, stated=SHARES)


def _full_is_true(drawn: CurveDraws, scenario: NoiseScenario) -> tuple[bool, ...]:
    middle = np.median(drawn.throughput, axis=0)
    at = int(np.argmax(middle >= FULL * middle.max()))
    true = float(scenario.formula(drawn.concurrency[at : at + 1])[0])
    return tuple(true >= float(np.quantile(drawn.throughput[:, at], 1 - share)) for share in SHARES)


def truth_of(law: str, generator: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
    """Return a curve by a law, its parameters drawn."""
    loss = 10 ** generator.uniform(-2, -0.7)
    parameters = {
        "linear": (),
        "plateau": (generator.uniform(4, 24),),
        "amdahl": (loss,),
        "usl": (loss, 10 ** generator.uniform(-4, -2.5)),
    }[law]
    return lambda n: LAWS[law].throughput(n, RATE, *parameters)
