"""What a plan costs where it is wrong, and what each law by itself would ask for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.capacity.draws import CurveDraws
from benchlib.capacity.nodes import Counts, _is_enough, chance, enough, held_in
from benchlib.scaling.laws import FloatArray

#: A law that made fewer draws than this tells no count of its own.
_FEWEST_DRAWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LawNeed:
    """How many nodes it takes if one law is the true one."""

    law: str
    weight: float
    nodes: float  # enough in the stated share of the draws of that law; infinite where no count is
    enough: float  # the share of the draws of that law in which the chosen count is enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Regret:
    """What a plan costs where it turns out wrong."""

    falls_short: float  # the share of draws in which it is not enough
    #: lacking, most_lacking: nodes that are missing then: the median and the 95th percentile; 0 where it never falls
    #: short, infinite where no more nodes help.
    lacking: float
    most_lacking: float
    #: By what share the plan costs more than the cheapest plan of each draw, in the mean over the draws in which it is
    #: enough.
    beyond_cheapest: float


def law_needs(drawn: CurveDraws, needed: Counts, nodes: float, share: float) -> tuple[LawNeed, ...]:
    """Return the count that each law by itself asks for, likeliest first."""
    needs = []
    for at, law in enumerate(drawn.laws):
        rows = drawn.law == at
        own = Counts(least=needed.least[rows], most=needed.most[rows])
        if np.sum(rows) >= _FEWEST_DRAWS:
            needs.append(
                LawNeed(law=law, weight=drawn.weights[law], nodes=enough(own, share), enough=chance(own, nodes))
            )
    return tuple(sorted(needs, key=lambda need: -need.weight))


def regret_of(needed: Counts, nodes: float, price: float, others: Sequence[tuple[Counts, float]]) -> Regret:
    """Return what a plan costs where it is wrong."""
    short = ~_is_enough(needed, nodes)
    # Where fewer would be enough no node is missing, and none that is added helps.
    lacking = _fewest(np.where(needed.least > nodes, needed.least - nodes, np.inf))[short]
    cheapest = np.min([_fewest(counts.least) * each for counts, each in others], axis=0)
    beyond = nodes * price / cheapest[~short] - 1
    return Regret(
        falls_short=float(np.mean(short)),
        lacking=held_in(lacking, 0.5) if len(lacking) else 0.0,
        most_lacking=held_in(lacking, 0.95) if len(lacking) else 0.0,
        beyond_cheapest=float(np.mean(beyond)) if len(beyond) else math.nan,
    )


def _fewest(counts: FloatArray) -> FloatArray:
    return counts if counts.ndim == 1 else np.asarray(np.min(counts, axis=1))
