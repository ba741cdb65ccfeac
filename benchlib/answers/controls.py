"""How the controls moved (rows that the change cannot affect), and which other rows each one guards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.evidence import Evidence, gather_all
from benchlib.answers.pairing import PairedCells, _pairs_and_metrics, _places_of, moved_by_machine
from benchlib.results import condition, matches
from benchlib.statistics.interleaving import ManyRecorded
from benchlib.statistics.stability import ControlNull, control_interval, control_null, log_median_variances
from benchlib.statistics.verdicts import Judgement, benjamini_hochberg
from benchlib.study import ControlPlan

_Bools = NDArray[np.bool_]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hearing:
    """What controls say, one entry a row.

    Attributes
    ----------
    answers : tuple of ControlAnswer
    control : NDArray of bool
        Rows that are controls.
    drifted : NDArray of bool
        Rows whose pair and metric has a control that moved.
    spoken : NDArray of bool
        Rows for which a control speaks.
    relative, low, high : NDArray
        The ratio over what the controls did, and the interval that they leave it; NaN where none speaks. Of several
        controls, the ratio nearest to 1, and all that any of them leaves.
    level : float
        Chance that every interval of an untouched row holds 1, for all controls, metrics and pairs together.
    """

    answers: tuple[ControlAnswer, ...]
    control: _Bools
    drifted: _Bools
    spoken: _Bools
    relative: _Floats
    low: _Floats
    high: _Floats
    level: float


@dataclass(frozen=True, slots=True)
class _Group:
    """One control in one metric of one pair: its rows, and those it speaks for."""

    plan: ControlPlan
    side: int
    metric: str
    mine: _Bools
    heard: _Bools
    beside: _Bools


def _hear_controls(
    cells: PairedCells,
    judged: Judgement,
    controls: Sequence[ControlPlan],
    *,
    moved: _Bools,
    logs: _Floats,
    positions: NDArray[np.intp],
    significance_level: float,
    confidence_level: float,
) -> Hearing:
    """Compare rows with the controls that speak for them.

    The chance that the interval of any untouched row leaves 1 out is at most the significance level, over all
    controls, metrics and pairs: each group that speaks has its share of it (Bonferroni).
    """
    control = control_rows(cells, controls)
    groups = list(_groups(cells, controls, moved, control, positions))
    relative, low, high = (np.full(cells.rows, np.nan) for _ in range(3))
    drifted, spoken = (np.zeros(cells.rows, dtype=np.bool_) for _ in range(2))
    variance = _sampling_variances(cells) if groups else np.zeros(0)
    left = min(significance_level, 1 - confidence_level)
    level = 1 - left / max(sum(bool(group.heard.any()) for group in groups), 1)
    answers = []
    for group in groups:
        together = max(int(group.heard.sum()), 1)
        null = control_null(logs[group.mine], level=level, together=together)
        differing = int(
            (benjamini_hochberg(judged.statistics.two_sided_pvalue[group.mine]) <= significance_level).sum()
        )
        drifted |= group.beside & (differing > 0)
        answers.append(_control_answer(cells, group, null, _middle(logs[group.mine]), differing))
        if not group.heard.any():
            continue
        spoken |= group.heard
        # A row that repeats worse than the controls lies further out by chance alone.
        extra = np.maximum(0.0, variance[group.heard] - np.median(variance[group.mine]))
        least, most = control_interval(null, level, together=together, extra_variance=extra)
        own = logs[group.heard]
        over, known = np.exp(own - null.center), relative[group.heard]
        nearer = np.isnan(known) | (np.abs(np.log(over)) < np.abs(np.log(known)))
        relative[group.heard] = np.where(nearer, over, known)
        low[group.heard] = np.fmin(low[group.heard], np.exp(own - most))
        high[group.heard] = np.fmax(high[group.heard], np.exp(own - least))
    return Hearing(
        answers=tuple(answers),
        control=control,
        drifted=drifted,
        spoken=spoken,
        relative=relative,
        low=low,
        high=high,
        level=1 - left,
    )


def _groups(
    cells: PairedCells, controls: Sequence[ControlPlan], moved: _Bools, control: _Bools, positions: NDArray[np.intp]
) -> Iterator[_Group]:
    """Yield each control in each metric of each pair, with the rows that it speaks for."""
    masks = [(plan, _meets(cells, plan.where)) for plan in controls]
    for side, metric in _pairs_and_metrics(cells):
        here = (cells.side == side) & (cells.metrics == metric) & moved
        for plan, mask in masks:
            mine = here & mask
            if mine.any():
                heard = here & ~mask & _heard(cells, plan, mine, here & ~control, positions)
                yield _Group(plan, side, metric, mine, heard, here)


def _control_answer(
    cells: PairedCells, group: _Group, null: ControlNull, middle: float, differing: int
) -> ControlAnswer:
    baseline, candidate = cells.sides[group.side]
    return ControlAnswer(
        condition=group.plan.where,
        speaks_for=group.plan.speaks_for,
        metric=group.metric,
        baseline=baseline,
        candidate=candidate,
        null=null,
        middle=middle,
        rows=int(group.mine.sum()),
        moved=differing,
        judged=int(group.heard.sum()),
        evidence=_evidence(cells, group),
    )


def _middle(logs: _Floats) -> float:
    """Return the median of ratios from their logarithms."""
    known = logs[np.isfinite(logs)]
    return float(np.exp(np.median(known))) if known.size else np.nan


def _evidence(cells: PairedCells, group: _Group) -> Evidence:
    baseline, candidate = cells.sides[group.side]
    places = [_places_of(cells, row) for row in np.flatnonzero(group.mine).tolist()]
    return gather_all(
        [cells.frame.iloc[np.concatenate(side)] for side in zip(*places, strict=True)],
        f"control by control the median of {candidate} over the median of {baseline}; in the middle is the median of "
        "these ratios, and about their geometric mean the limits of a prediction interval by the standard deviation "
        "of their logarithms; a control differs by its p value, adjusted for all of these (Benjamini and Hochberg)",
    )


def control_rows(cells: PairedCells, controls: Sequence[ControlPlan]) -> _Bools:
    """Return which rows are controls and not judged.

    A control that another one was named for is judged by that. Counts of a control are judged like any other: no
    machine turns 0 allocations into 1, so what changes them has changed the control.
    """
    is_control, named = np.zeros(cells.rows, dtype=np.bool_), np.zeros(cells.rows, dtype=np.bool_)
    for control in controls:
        is_control |= _meets(cells, control.where)
        if control.speaks_for:
            named |= _meets(cells, control.speaks_for) & ~_meets(cells, control.where)
    return is_control & ~named & moved_by_machine(cells.units)


def _meets(cells: PairedCells, where: str) -> _Bools:
    """Return which rows meet a condition, judged by the first value of the baseline."""
    met = np.ones(cells.rows, dtype=np.bool_)
    first = cells.frame.iloc[cells.baseline_rows[cells.pairs.baseline_starts[:-1]]]
    for column, positive, pattern in condition(where):
        codes, levels = pd.factorize(first[column])
        # A missing level has the code -1, the last place: it meets nothing.
        matching = np.array([*(matches(level, pattern) for level in levels.tolist()), False])
        met &= matching[codes] == positive
    return met


def _heard(
    cells: PairedCells, control: ControlPlan, mine: _Bools, asked: _Bools, positions: NDArray[np.intp]
) -> _Bools:
    """Return the rows that a control speaks for: those it was named for, else those recorded in turn with it."""
    if control.speaks_for:
        return _meets(cells, control.speaks_for)
    heard = np.zeros(cells.rows, dtype=np.bool_)
    places = [_places_of(cells, row) for row in np.flatnonzero(mine).tolist()]
    baselines, candidates = (_recorded([positions[place] for place in side]) for side in zip(*places, strict=True))
    for row in np.flatnonzero(asked).tolist():
        before, after = (positions[places_of_side] for places_of_side in _places_of(cells, row))
        votes = baselines.in_turn_with(before) & candidates.in_turn_with(after)
        heard[row] = 2 * votes.sum() > votes.size
    return heard


def _recorded(series: Sequence[NDArray[np.intp]]) -> ManyRecorded:
    return ManyRecorded(np.concatenate(series), np.cumsum([0, *map(len, series)], dtype=np.intp))


def _sampling_variances(cells: PairedCells) -> _Floats:
    """Return by how much the log ratio of each row would vary from one recording to the next; 0 where unknown."""
    pairs = cells.pairs
    variances = log_median_variances(pairs.baseline, pairs.baseline_starts)
    variances = variances + log_median_variances(pairs.candidate, pairs.candidate_starts)
    return np.nan_to_num(variances, nan=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlAnswer:
    """What one control of the question did in one metric, and for which rows it speaks.

    Attributes
    ----------
    condition : str
        The rows that the change cannot affect, as written.
    speaks_for : str
        The rows it was named for, as written; empty for those it was recorded in turn with.
    metric, baseline, candidate : str
    null : ControlNull
        Centre and spread of the log ratios of its rows.
    middle : float
        Median of the ratios of its rows.
    rows, moved : int
        How many rows it has, and how many of them differ by themselves (Benjamini-Hochberg over them).
    judged : int
        How many other rows it speaks for.
    evidence : Evidence
        Of its own rows in this metric, and of no other.
    """

    condition: str
    speaks_for: str
    metric: str
    baseline: str
    candidate: str
    null: ControlNull
    middle: float
    rows: int
    moved: int
    judged: int
    evidence: Evidence
