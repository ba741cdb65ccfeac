"""What a machine that moved while each side was recorded may have made of the difference between the sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.comparison.controls import pairs_and_metrics
from benchlib.answers.comparison.pairing import PairedCells
from benchlib.statistics.compare import SAME_WITHIN
from benchlib.statistics.drift import common_drift, drift_between, without_drift
from benchlib.statistics.power import detectable_changes
from benchlib.statistics.verdicts import SAME, Judgement, clear_of

__all__ = ["Drifting", "detectable_without", "drifting"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drifting:
    """How rows moved while they were recorded, one entry a row.

    Attributes
    ----------
    found : NDArray of bool
        Whether a row by itself, or all rows of its pair and metric together, rose or fell.
    reach : NDArray
        By how much, as a logarithm, what moved them takes the sides apart; 0 where nothing is found.
    """

    found: Bools
    reach: Floats

    def explains(self, judged: Judgement, min_effect: float) -> Bools:
        """Say which verdicts it could have made: changes that do not clear it, and sameness that it could hide."""
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = judged.ratio_low * np.exp(-self.reach), judged.ratio_high * np.exp(self.reach)
        above, below = clear_of(low, high, min_effect)
        hidden = self.reach > np.log1p(max(min_effect, SAME_WITHIN))
        cleared = np.where(judged.ratio > 1, above, below)
        explained: Bools = self.found & np.where(judged.verdict == SAME, hidden, ~cleared)
        return explained


def drifting(cells: PairedCells, logs: Floats, positions: NDArray[np.intp], moved: Bools) -> Drifting:
    """Look at each row that a machine moves, and at all such rows of a pair and metric together.

    Parameters
    ----------
    cells : PairedCells
    logs : NDArray
        Log ratios.
    positions : NDArray of int
        Of each value of the table; see `benchlib.answers.comparison.ruling.positions_of`.
    moved : NDArray of bool
        Rows that a machine moves.
    """
    before, after = positions[cells.baseline_rows], positions[cells.candidate_rows]
    upwards = np.sign(np.nan_to_num(logs)).astype(np.intp)
    own = drift_between(cells.pairs, before, after, upwards)
    found = moved & own.found
    reach = np.where(found, own.reach, 0.0)
    for side, metric in pairs_and_metrics(cells):
        here = moved & (cells.side == side) & (cells.metrics == metric)
        if here.sum() < 2:
            continue
        common = common_drift(cells.pairs, before, after, here, int(np.sign(upwards[here].sum())))
        if common.found.all():
            found |= here
            reach[here] = np.maximum(reach[here], common.reach)
    return Drifting(found=found, reach=reach)


def detectable_without(
    cells: PairedCells, positions: NDArray[np.intp], found: Bools, level: float, min_effect: float
) -> Floats:
    """Return what rows that drifted would have shown on a machine that stood still; NaN for the others."""
    detectable = np.full(cells.rows, np.nan)
    if found.any():
        drifted = cells.pairs.only(found)
        before, after = (
            positions[places][np.repeat(found, np.diff(starts))]
            for places, starts in (
                (cells.baseline_rows, cells.pairs.baseline_starts),
                (cells.candidate_rows, cells.pairs.candidate_starts),
            )
        )
        detectable[found] = detectable_changes(without_drift(drifted, before, after), level, min_effect)
    return detectable
