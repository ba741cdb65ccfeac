"""What a comparison warns of: how its sides were recorded, what moved, what differs besides, what it could not see."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.answers.comparison.answer import ControlAnswer, Order
from benchlib.answers.comparison.guards import (
    MACHINE_FACTS,
    environment_caveats,
    recorded_sides,
    sample_caveats,
)
from benchlib.answers.comparison.pairing import PairedCells
from benchlib.answers.comparison.rows import Ruling
from benchlib.answers.comparison.ruling import RECORDINGS
from benchlib.answers.grouping import axes_of, cells, label, residue
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import choices
from benchlib.statistics.verdicts import Judgement, at_most
from benchlib.study import ComparisonPlan
from benchlib.units import asked_share

__all__ = ["moved_caveat", "remarks"]


def remarks(
    paired: PairedCells,
    judged: Judgement,
    ruling: Ruling,
    controls: Sequence[ControlAnswer],
    alike: Sequence[str],
    *,
    machines: Mapping[str, Mapping[str, str]],
    plan: ComparisonPlan,
    by: Sequence[str],
    order: Order,
    significance_level: float,
) -> tuple[Caveat, ...]:
    """Return everything that a comparison warns of, most serious first."""
    return merge(
        _order(paired, order, plan.column),
        (moved_caveat(one) for one in controls if one.moved),
        _alike(alike),
        _drifted(ruling),
        _power(judged, significance_level),
        _fixed_cost(paired, ruling),
        environment_caveats(machines) if plan.column in RECORDINGS else (),
        sample_caveats(recorded_sides(paired), order) if plan.column in RECORDINGS else (),
        _confounded(paired.frame, by, plan.column),
        residue(
            paired.frame,
            [*by, plan.column, "metric"],
            plan.ignore,
            beside=("run", "benchmark") if plan.runs_differ else ("benchmark",),
        ),
        _one_sided(paired.missing),
    )


def _order(paired: PairedCells, order: Order, column: str) -> tuple[Caveat, ...]:
    first, second = paired.sides[0]
    if order == "sequential" and column in RECORDINGS:
        return (
            caveat(
                "sequential-runs",
                f"{first} and {second} were recorded one after the other: "
                "a change of the machine in between looks like a change of the code",
            ),
        )
    if order == "unknown" and column in RECORDINGS:
        return (
            caveat("order-unknown", f"nothing in the recordings says whether {first} and {second} were taken in turn"),
        )
    return ()


def moved_caveat(one: ControlAnswer) -> Caveat:
    """Return what is warned of where a control moved."""
    return caveat(
        "controls-moved",
        f"{one.moved} of {one.rows} rows that the change cannot affect ({one.condition}) differ "
        f"significantly in {one.metric}, by {math.exp(one.null.center):.2f}x in the middle; "
        f"{_further(one)}",
    )


def _further(one: ControlAnswer) -> str:
    if not math.isfinite(one.null.low):
        return "with one of them there is no telling how far others would have moved"
    others = "one more such row" if one.judged < 2 else f"all of {one.judged} more such rows"
    return f"{others} would lie between {math.exp(one.null.low):.2f}x and {math.exp(one.null.high):.2f}x"


def _alike(alike: Sequence[str]) -> tuple[Caveat, ...]:
    if not alike:
        return ()
    return (
        caveat(
            "all-moved-alike",
            f"{'; '.join(alike)}: so many rows going one way say the machine as much as the code",
        ),
    )


def _drifted(ruling: Ruling) -> tuple[Caveat, ...]:
    rows = int((ruling.reason == "moved while recorded").sum())
    if not rows:
        return ()
    whose = "the values of 1 row" if rows == 1 else f"the values of {rows:,} rows"
    return (
        caveat(
            "moved-while-recorded",
            f"{whose} moved while they were recorded, by enough to make what is between the sides",
        ),
    )


def _power(judged: Judgement, significance_level: float) -> tuple[Caveat, ...]:
    found = judged.statistics
    blind = ~at_most(found.smallest_pvalue, significance_level)
    if not blind.any():
        return ()
    sizes = np.unique(np.minimum(found.baseline_n, found.candidate_n)[blind]).tolist()
    told = (
        "no row can show a difference"
        if blind.all()
        else f"{int(blind.sum()):,} of {blind.size:,} rows cannot show a difference"
    )
    return (
        caveat(
            "cannot-detect",
            f"{told} at the {asked_share(significance_level)} level with n = {', '.join(map(str, sizes))} a side, "
            "however large",
        ),
    )


def _fixed_cost(paired: PairedCells, ruling: Ruling) -> tuple[Caveat, ...]:
    names = [label(paired.key(row)) for row in np.flatnonzero(ruling.amortised).tolist()]
    if not names:
        return ()
    return (
        caveat(
            "fixed-cost",
            f"{choices(names, 4)}: memory per operation follows the number of operations, not the code: "
            "a fixed cost is spread over more of them on one side",
        ),
    )


def _confounded(frame: pd.DataFrame, by: Sequence[str], column: str) -> tuple[Caveat, ...]:
    """Axes that differ between the sides as well: the comparison cannot tell them from its own."""
    if column == "benchmark":
        return ()  # two benchmarks differ in what they do; that is the question
    differing = {}
    for axis in axes_of(frame):
        if axis == column or axis in by or axis.lower() in MACHINE_FACTS:
            continue
        sides = {str(key[column]): set(rows[axis].dropna().astype(str)) for key, rows in cells(frame, [column])}
        every = list(sides.values())
        if len(sides) > 1 and not set.intersection(*every) and all(every) and not _tells_the_side(sides):
            differing[axis] = " against ".join(", ".join(sorted(one)) for one in every)
    return tuple(
        caveat("environment-differs", f"{axis} differs between the sides as well ({told})")
        for axis, told in differing.items()
    )


def _tells_the_side(sides: Mapping[str, Collection[str]]) -> bool:
    """Whether an axis only says which side it is: an address apiece that ends with its name, elsewhere the same."""
    told = [(name.removeprefix("/"), one) for name, levels in sides.items() for one in levels]
    if len(told) > len(sides) or not all(one.endswith(f"/{name}") for name, one in told):
        return False
    return len({one.removesuffix(name) for name, one in told}) == 1


def _one_sided(missing: Sequence[str]) -> tuple[Caveat, ...]:
    names = list(dict.fromkeys(missing))
    return (caveat("one-sided-rows", choices(names, 6)),) if names else ()
