"""Check the verdicts of rows against controls and drift, and withdraw those that either could explain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.controls import ControlAnswer, Hearing, _hear_controls
from benchlib.answers.pairing import COUNTS, UNREPEATED, PairedCells, _pairs_and_metrics, _places_of, moved_by_machine
from benchlib.statistics.compare import SAME_WITHIN
from benchlib.statistics.drift import common_drift, drift_between, sign_imbalance, without_drift
from benchlib.statistics.interleaving import recorded_in_turn
from benchlib.statistics.power import MOST_VALUES, detectable_changes, values_to_decide
from benchlib.statistics.ranks import shift_rank
from benchlib.statistics.verdicts import CANNOT_TELL, SAME, Judgement, at_most, clear_of, within
from benchlib.study import ControlPlan

__all__ = ["RECORDINGS"]


#: Columns whose levels are recordings of one thing, so that the machine may have changed between them.
RECORDINGS = frozenset({"run", "commit", "revision", "version", "branch", "build", "date"})
#: How the sides were recorded: in turn, one after the other, or in an order that nothing tells.
Order = Literal["interleaved", "sequential", "unknown"]
#: Why a row has no verdict that its own numbers would give, or none at all; empty where they decide.
Reason = Literal[
    "",
    "too few values",
    "smaller than matters",
    "not shown to exceed",
    "one of many",
    "within what controls did",
    "controls moved",
    "no control speaks for it",
    "all rows moved alike",
    "moved while recorded",
    "fixed cost",
    "no interval",
    "no direction",
    "control",
]
#: Totals this near to each other are taken for one fixed cost.
_SAME_TOTAL = 0.2
_Bools = NDArray[np.bool_]
_Floats = NDArray[np.float64]


def positions_of(frame: pd.DataFrame) -> NDArray[np.intp]:
    """Return where each value stands in the order of its recording, file after file."""
    codes, sources = pd.factorize(frame["source"])
    place = frame["position"].to_numpy(dtype=np.intp)
    lengths = np.zeros(len(sources), dtype=np.intp)
    np.maximum.at(lengths, codes, place + 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if lengths.size else lengths
    positions: NDArray[np.intp] = place + offsets[codes]
    return positions


def _rows_in_turn(cells: PairedCells, positions: NDArray[np.intp], stated: bool | None) -> NDArray[np.int8]:
    """Say of each row whether its sides were recorded in turn: 1, one after the other: 0, or nothing tells: -1.

    As stated, else as the places of its values in a common file show.
    """
    if stated is not None:
        return np.full(cells.rows, 0 if stated else 1, dtype=np.int8)
    sources = pd.factorize(cells.frame["source"])[0]
    in_turn = np.full(cells.rows, -1, dtype=np.int8)
    if not np.intersect1d(sources[cells.baseline_rows], sources[cells.candidate_rows]).size:
        return in_turn
    for row in range(cells.rows):
        before, after = _places_of(cells, row)
        if min(before.size, after.size) > 1 and set(sources[before]) & set(sources[after]):
            in_turn[row] = recorded_in_turn(positions[before], positions[after])
    return in_turn


def _order_of(in_turn: NDArray[np.int8]) -> Order:
    """Return the order of a comparison: interleaved where all rows that tell are, sequential where one is not."""
    known = in_turn[in_turn >= 0]
    if not known.size:
        return "unknown"
    return "interleaved" if known.all() else "sequential"


def rule(
    cells: PairedCells,
    judged: Judgement,
    controls: Sequence[ControlPlan],
    *,
    column: str,
    in_turn: NDArray[np.int8],
    positions: NDArray[np.intp],
    significance_level: float,
    confidence_level: float,
    min_effect: float,
) -> tuple[Ruling, tuple[ControlAnswer, ...], tuple[str, ...]]:
    """Withdraw the verdicts that something other than the change could have caused."""
    moved = moved_by_machine(cells.units) & (judged.ratio > 0)
    logs = np.full(cells.rows, np.nan)
    logs[moved] = np.log(judged.ratio[moved])
    heard = _hear_controls(
        cells,
        judged,
        controls,
        moved=moved,
        logs=logs,
        positions=positions,
        significance_level=significance_level,
        confidence_level=confidence_level,
    )
    verdict = judged.verdict.copy()
    reason = _own_reasons(judged, significance_level, min_effect)
    changed = judged.changed

    def withdraw(rows: NDArray[np.bool_], why: str) -> None:
        verdict[rows] = CANNOT_TELL
        reason[rows] = why

    for rows, why in _doubted_by_controls(judged, heard, verdict, in_turn, min_effect):
        withdraw(rows, why)
    unguarded = (in_turn != 1) & ~heard.spoken & ~heard.control
    alike = []
    # Levels of an axis may well all differ one way. Recordings of the same code should not.
    if column in RECORDINGS:
        for here, words in _moved_alike(cells, judged, logs, unguarded & moved, significance_level):
            withdraw(here & ((verdict != CANNOT_TELL) | (reason == "no direction")), "all rows moved alike")
            alike.append(words)
    drift = _drifting(cells, logs, positions, moved)
    withdraw(
        unguarded & drift.explains(judged, min_effect) & ((verdict != CANNOT_TELL) | (reason == "no direction")),
        "moved while recorded",
    )
    spent = _fixed_costs(cells, changed & ~moved)
    withdraw(spent, "fixed cost")
    reason[heard.control & (verdict == CANNOT_TELL)] = "control"
    level = _next_level(judged, significance_level)
    ruling = Ruling(
        verdict=verdict,
        reason=reason,
        control=heard.control,
        amortised=spent,
        relative=heard.relative,
        relative_low=heard.low,
        relative_high=heard.high,
        relative_level=heard.level,
        detectable=detectable_changes(cells.pairs, level, min_effect),
        steady_detectable=_detectable_without(cells, positions, drift.drifted, level, min_effect),
        # More values decide neither a withdrawn verdict nor a change whose better direction is unknown.
        more=np.where((judged.verdict == CANNOT_TELL) & ~changed, _more(cells, judged, level, min_effect), np.nan),
    )
    return ruling, heard.answers, tuple(alike)


def _doubted_by_controls(
    judged: Judgement, heard: Hearing, verdict: NDArray[np.int8], in_turn: NDArray[np.int8], min_effect: float
) -> Iterator[tuple[_Bools, str]]:
    """Yield the rows whose verdict the controls do not bear out, and why.

    Each step reads ``verdict`` as the caller left it after the step before.
    """
    changed = judged.changed
    above, below = clear_of(heard.low, heard.high, min_effect)
    cleared = np.where(judged.ratio > 1, above, below)
    yield heard.spoken & changed & ~cleared, "within what controls did"
    still = within(heard.low, heard.high, min_effect)
    yield heard.spoken & heard.drifted & (verdict == SAME) & ~still, "controls moved"
    unheard = heard.drifted & ~heard.spoken & ~heard.control & (in_turn != 1)
    yield unheard & changed, "no control speaks for it"
    yield unheard & (verdict == SAME), "controls moved"


def _moved_alike(
    cells: PairedCells, judged: Judgement, logs: _Floats, doubtful: _Bools, significance_level: float
) -> Iterator[tuple[_Bools, str]]:
    """Yield the rows of each pair and metric that all moved one way, and words that say how many."""
    statistics = judged.statistics
    able = at_most(statistics.smallest_pvalue, significance_level)
    for side, metric in _pairs_and_metrics(cells):
        here = (cells.side == side) & (cells.metrics == metric) & doubtful
        signs = sign_imbalance(logs[here], statistics.two_sided_pvalue[here], able[here], significance_level)
        if signs.alike:
            yield here, f"{signs.up} of {signs.testable} rows rose and {signs.down} fell in {metric}"


def _next_level(judged: Judgement, significance_level: float) -> float:
    """Return what the next row would have to reach, beside those that changed (Benjamini and Hochberg)."""
    changed = int(at_most(judged.adjusted_pvalue, significance_level).sum())
    return significance_level * min(1.0, (changed + 1) / max(int(judged.tested.sum()), 1))


def _own_reasons(judged: Judgement, significance_level: float, min_effect: float) -> NDArray[np.object_]:
    """Say why a row is undecided by its own numbers."""
    open_rows = judged.verdict == CANNOT_TELL
    reason = np.full(judged.verdict.size, "", dtype=object)
    differs = at_most(judged.statistics.two_sided_pvalue, significance_level)
    survives = at_most(judged.adjusted_pvalue, significance_level)
    reason[open_rows & survives] = "smaller than matters"
    # What the interval holds is seen beside it; where it holds nothing smaller, the second test has failed.
    above, below = clear_of(judged.ratio_low, judged.ratio_high, min_effect)
    exceeds = at_most(judged.beyond_pvalue, significance_level)
    reason[open_rows & survives & (above | below) & ~exceeds] = "not shown to exceed"
    reason[open_rows & _unbounded(judged)] = "no interval"
    reason[open_rows & differs & ~survives] = "one of many"
    reason[open_rows & judged.changed] = "no direction"
    reason[open_rows & ~at_most(judged.statistics.smallest_pvalue, significance_level)] = "too few values"
    return reason


def _unbounded(judged: Judgement) -> NDArray[np.bool_]:
    """Say which rows have so few values that nothing bounds their change at the level of its interval.

    A zero among the values leaves the ratio without bounds, but not the difference.
    """
    return np.isinf(judged.difference_low) & np.isinf(judged.difference_high)


def _more(cells: PairedCells, judged: Judgement, level: float, min_effect: float) -> NDArray[np.float64]:
    """Return how many more values a side would decide each row: never less than its interval takes."""
    more = values_to_decide(cells.pairs, judged.ratio, level, min_effect)
    unbounded = _unbounded(judged)
    least = np.minimum(judged.statistics.baseline_n, judged.statistics.candidate_n)
    for wanted in np.unique(judged.level[unbounded]).tolist():
        here = unbounded & (judged.level == wanted)
        needed = next((n for n in range(1, MOST_VALUES + 1) if shift_rank(n, n, wanted) > 0), np.nan)
        more[here] = np.maximum(more[here], needed - least[here])
    return more


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ruling:
    """What controls and guards leave of the verdicts, one entry a row.

    Attributes
    ----------
    verdict : NDArray of int8
        Places in `benchlib.statistics.verdicts.VERDICTS`.
    reason : NDArray of str
    control, amortised : NDArray of bool
    relative, relative_low, relative_high : NDArray
        The ratio over what the controls did; NaN where none speaks.
    relative_level : float
        Of these intervals, for all rows together.
    detectable, steady_detectable, more : NDArray
        The second is NaN where no drift is found. More is NaN where it would not help, and where the row is decided.
    """

    verdict: NDArray[np.int8]
    reason: NDArray[np.object_]
    control: NDArray[np.bool_]
    amortised: NDArray[np.bool_]
    relative: NDArray[np.float64]
    relative_low: NDArray[np.float64]
    relative_high: NDArray[np.float64]
    relative_level: float
    detectable: NDArray[np.float64]
    steady_detectable: NDArray[np.float64]
    more: NDArray[np.float64]


def _fixed_costs(cells: PairedCells, rows: _Bools) -> _Bools:
    """Return which of these rows only share one fixed cost among another number of operations."""
    fixed = np.zeros(cells.rows, dtype=np.bool_)
    for row in np.flatnonzero(rows).tolist():
        fixed[row] = _amortised(cells, row)
    return fixed


def _amortised(cells: PairedCells, row: int) -> bool:
    """Whether both sides spend the same in total while the number of operations differs."""
    if cells.metrics[row] not in COUNTS:
        return False
    starts = (cells.pairs.baseline_starts, cells.pairs.candidate_starts)
    places = (cells.baseline_rows, cells.candidate_rows)
    operations, totals = [], []
    for start, where in zip(starts, places, strict=True):
        side = cells.frame.iloc[where[start[row] : start[row + 1]]]
        operations.append(float(side["iterations"].median()))
        totals.append(float((side["value"] * side["iterations"]).median()))
    if not all(amount > 0 for amount in (*operations, *totals)):
        return False
    return max(totals) / min(totals) < 1 + _SAME_TOTAL < max(operations) / min(operations)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drifting:
    """How rows moved while they were recorded, one entry a row.

    Attributes
    ----------
    drifted : NDArray of bool
        Whether a row by itself, or all rows of its pair and metric together, rose or fell.
    reach : NDArray
        By how much, as a logarithm, what moved them takes the sides apart; 0 where nothing drifted.
    """

    drifted: _Bools
    reach: _Floats

    def explains(self, judged: Judgement, min_effect: float) -> _Bools:
        """Say which verdicts the drift could have caused: changes no larger than it, and sameness it could hide."""
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = judged.ratio_low * np.exp(-self.reach), judged.ratio_high * np.exp(self.reach)
        above, below = clear_of(low, high, min_effect)
        hidden = self.reach > np.log1p(max(min_effect, SAME_WITHIN))
        cleared = np.where(judged.ratio > 1, above, below)
        explained: _Bools = self.drifted & np.where(judged.verdict == SAME, hidden, ~cleared)
        return explained


def _drifting(cells: PairedCells, logs: _Floats, positions: NDArray[np.intp], moved: _Bools) -> _Drifting:
    """Look at each row that a machine moves, and at all such rows of a pair and metric together."""
    before, after = positions[cells.baseline_rows], positions[cells.candidate_rows]
    upwards = np.sign(np.nan_to_num(logs)).astype(np.intp)
    own = drift_between(cells.pairs, before, after, upwards)
    drifted = moved & own.drifted
    reach = np.where(drifted, own.reach, 0.0)
    for side, metric in _pairs_and_metrics(cells):
        here = moved & (cells.side == side) & (cells.metrics == metric)
        if here.sum() < 2:
            continue
        common = common_drift(cells.pairs, before, after, here, int(np.sign(upwards[here].sum())))
        if common.drifted.all():
            drifted |= here
            reach[here] = np.maximum(reach[here], common.reach)
    return _Drifting(drifted=drifted, reach=reach)


def _detectable_without(
    cells: PairedCells, positions: NDArray[np.intp], drifting_rows: _Bools, level: float, min_effect: float
) -> _Floats:
    """Return what rows that drifted would have shown on a machine that stood still; NaN for the others."""
    detectable = np.full(cells.rows, np.nan)
    if drifting_rows.any():
        drifted = cells.pairs.only(drifting_rows)
        before, after = (
            positions[places][np.repeat(drifting_rows, np.diff(starts))]
            for places, starts in (
                (cells.baseline_rows, cells.pairs.baseline_starts),
                (cells.candidate_rows, cells.pairs.candidate_starts),
            )
        )
        detectable[drifting_rows] = detectable_changes(without_drift(drifted, before, after), level, min_effect)
    return detectable


def _noticeable(
    cells: PairedCells, judged: Judgement, noise: Mapping[str, float], *, pool_runs: bool
) -> NDArray[np.bool_]:
    """Whether each difference may be told as one; see `ComparisonRow`."""
    ratio, low, high = judged.ratio, judged.ratio_low, judged.ratio_high
    bounded = np.isfinite(low) | np.isfinite(high)
    codes, metrics = pd.factorize(cells.metrics)
    limits_of = np.array([math.log1p(noise.get(str(metric), UNREPEATED)) for metric in metrics])[codes]
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.log(ratio)
    beyond = np.abs(change) > limits_of
    if pool_runs and not bounded.all():
        # What runs differ by is in both sides of a run alike: where each run holds both, the runs decide by agreeing.
        nearest, shared = _nearest_by_run(cells)
        beyond = np.where(shared, nearest * np.sign(change) > math.log1p(UNREPEATED), beyond)
    noticed = np.where(bounded, (low > 1) | (high < 1), beyond)
    noticed = np.where(~(ratio > 0), judged.difference != 0, noticed)
    few_counts = np.isin(cells.metrics.astype(str), COUNTS) & ~bounded
    if few_counts.any():
        # Counts hardly vary: samples that do not overlap differ, however few they are.
        least, most = (_extremes(cells, extreme) for extreme in (np.minimum, np.maximum))
        noticed = np.where(few_counts, (most[1] < least[0]) | (least[1] > most[0]), noticed)
    return noticed.astype(np.bool_)


def _nearest_by_run(cells: PairedCells) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return, of each row, the log ratio of that run which lies nearest to no change, and whether runs hold both sides.

    It is 0 where the runs lie on both sides of no change.
    """
    runs = pd.factorize(cells.frame["run"])[0]
    if not np.intersect1d(runs[cells.baseline_rows], runs[cells.candidate_rows]).size:
        return np.zeros(cells.rows), np.zeros(cells.rows, dtype=np.bool_)  # as where a run is a side: nothing to group
    pairs, medians = cells.pairs, []
    for values, starts, places in (
        (pairs.baseline, pairs.baseline_starts, cells.baseline_rows),
        (pairs.candidate, pairs.candidate_starts, cells.candidate_rows),
    ):
        side = pd.DataFrame({"row": np.repeat(np.arange(cells.rows), np.diff(starts)), "run": runs[places]})
        medians.append(pd.Series(values).groupby([side["row"], side["run"].where(side["run"] >= 0)]).median())
    first, second = medians
    with np.errstate(divide="ignore", invalid="ignore"):
        change = (second / first[first > 0]).dropna().apply(np.log).groupby("row")
    by_row = pd.DataFrame({"n": change.size(), "least": change.min(), "most": change.max()})
    by_row = by_row.reindex(np.arange(cells.rows), fill_value=0)
    nearest = np.where(by_row["least"] > 0, by_row["least"], np.where(by_row["most"] < 0, by_row["most"], 0.0))
    return nearest, (by_row["n"] > 1).to_numpy()


def _extremes(cells: PairedCells, of: np.ufunc) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least or the most of each row, of the baseline and of the candidate."""
    pairs = cells.pairs
    return (
        of.reduceat(pairs.baseline, pairs.baseline_starts[:-1]),
        of.reduceat(pairs.candidate, pairs.candidate_starts[:-1]),
    )
