"""What a comparison can be believed: verdicts checked against controls and drift, and what is warned of."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.evidence import Evidence, gather_all
from benchlib.answers.grouping import MACHINE_FACTS, axes_of, cells, label, plain, residue
from benchlib.answers.pairing import COUNTS, UNREPEATED, PairedCells, _pairs_and_metrics, _places_of, moved_by_machine
from benchlib.answers.trend import TrendAnswer, spread_of_rows
from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import build_cells, sort_factors
from benchlib.effects.outlying_cells import outlying_cells
from benchlib.errors import choices, printable
from benchlib.results import condition, matches
from benchlib.statistics.blocked import BlockedRows, blocked_rows, sided_rows
from benchlib.statistics.compare import SAME_WITHIN
from benchlib.statistics.drift import (
    beyond_spread,
    common_drift,
    drift_between,
    most_drift,
    sign_imbalance,
    within_run_trends,
)
from benchlib.statistics.interleaving import ManyRecorded, recorded_in_turn
from benchlib.statistics.moments import t_quantile
from benchlib.statistics.power import MOST_VALUES, detectable_changes, values_to_decide
from benchlib.statistics.ranks import shift_rank
from benchlib.statistics.samples import far_values
from benchlib.statistics.stability import ControlNull, control_interval, control_null, log_median_variances
from benchlib.statistics.verdicts import (
    BETTER,
    CANNOT_TELL,
    SAME,
    WORSE,
    Judgement,
    at_most,
    benjamini_hochberg,
    clear_of,
    within,
)
from benchlib.study import ComparisonPlan, ControlPlan
from benchlib.study.file_names import AXIS
from benchlib.study.meant import called_older
from benchlib.units import asked_share, percent, show

_Bools = NDArray[np.bool_]
_Floats = NDArray[np.float64]
#: The upper quartile of a standard normal: a median deviation over it is a standard deviation.
_NORMAL_QUARTILE = 0.6745
#: Columns whose levels are recordings of one thing, so that the machine may have changed between them.
_RECORDINGS = frozenset({"run", "commit", "revision", "version", "branch", "build", "date"})
#: How the sides were recorded: in turn, one after the other, or in an unknown order.
Order = Literal["interleaved", "sequential", "unknown"]
#: Why a row has no verdict that its own numbers would give, or none at all; empty where they decide.
Reason = Literal[
    "",
    "too few values",
    "at the limit",
    "one of many",
    "within what controls did",
    "controls moved",
    "no control speaks for it",
    "all rows moved alike",
    "moved while recorded",
    "within its history",
    "fixed cost",
    "no interval",
    "no direction",
    "control",
]
#: Values that differ by less do not follow the number of operations.
_ALIKE = 0.02
#: Totals this near to each other are taken for one fixed cost.
_SAME_TOTAL = 0.2


#: What is known of rows without a history, and of how many runs.
_NO_HISTORY = (np.array(math.nan), np.array(0.0))


class Levels(NamedTuple):
    """What a comparison is judged by; see `benchlib.compare`."""

    significance_level: float = 0.05
    confidence_level: float = 0.95
    min_effect: float = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ruling:
    """What controls and guards leave of the verdicts, one entry a row."""

    #: Places in `benchlib.statistics.verdicts.VERDICTS`.
    verdict: NDArray[np.int8]
    reason: NDArray[np.object_]
    heard: Hearing
    #: For each pair and metric whose rows all moved one way, words that say how many.
    alike: tuple[str, ...]
    #: Rows that a machine may have moved: not recorded in turn, in no blocks, and no control speaks for them.
    unguarded: _Bools
    #: Those of them that the history asked for lacks.
    unrecorded: _Bools
    #: Where each value of the table stands in the order of recording.
    positions: NDArray[np.intp]
    order: Order
    noticeable: _Bools
    amortised: _Bools
    detectable: _Floats
    #: NaN where more values would not help, and where the row is decided.
    more: _Floats


def rule(
    cells: PairedCells,
    judged: Judgement,
    plan: ComparisonPlan,
    levels: Levels,
    noise: Mapping[str, float],
    history: TrendAnswer | None = None,
) -> Ruling:
    """Withdraw the verdicts that something other than the change could have caused.

    `noise` is how much runs of the same code differ, by metric; `history` tells it of each row.
    """
    significance_level, _, min_effect = levels
    blocked = judged.blocked
    positions = _positions(cells.frame)
    in_turn = _rows_in_turn(cells, positions, plan.sequential)
    moved = moved_by_machine(cells.units) & (judged.ratio > 0)
    logs = np.full(cells.rows, np.nan)
    logs[moved] = np.log(judged.ratio[moved])
    heard = _hear_controls(cells, judged, plan.controls, levels, moved=moved, logs=logs, positions=positions)
    verdict = judged.verdict.copy()
    reason = _own_reasons(judged, levels)
    changed = judged.changed

    def withdraw(rows: NDArray[np.bool_], why: str) -> None:
        verdict[rows] = CANNOT_TELL
        reason[rows] = why

    for rows, why in _doubted_by_controls(judged, heard, verdict, in_turn, min_effect):
        withdraw(rows, why)
    # What a machine does between runs is in the error of rows whose runs are their blocks.
    unguarded = moved & (in_turn != 1) & ~heard.spoken & ~heard.control & ~blocked.there
    alike = []
    # Levels of an axis may well all differ one way. Recordings of the same code should not.
    if _compares_recordings(plan):
        for here, words in _moved_alike(cells, judged, logs, unguarded, moved & heard.control, significance_level):
            withdraw(here & ((verdict != CANNOT_TELL) | (reason == "no direction")), "all rows moved alike")
            alike.append(words)
    drift = _drifting(cells, logs, positions, moved)
    withdraw(
        unguarded & drift.explains(judged, min_effect) & ((verdict != CANNOT_TELL) | (reason == "no direction")),
        "moved while recorded",
    )
    spread, runs = spread_of_rows(history, cells.keys(), cells.metrics) if history else _NO_HISTORY
    known = unguarded & np.isfinite(spread)
    beyond = beyond_spread(np.where(known, logs, np.nan), spread, runs, significance_level)
    withdraw(known & ~beyond & ((verdict != CANNOT_TELL) | (reason == "no direction")), "within its history")
    spent = np.zeros(cells.rows, dtype=np.bool_)
    for row in np.flatnonzero(changed & ~moved).tolist():
        spent[row] = _amortised(cells, row)
    withdraw(spent, "fixed cost")
    reason[heard.control & (verdict == CANNOT_TELL)] = "control"
    level = _next_level(judged, significance_level)
    more = np.where(blocked.there, blocked.more(level, min_effect), _more(cells, judged, levels, level))
    more = np.where(more > MOST_VALUES, np.nan, more)
    return Ruling(
        verdict=verdict,
        reason=reason,
        heard=heard,
        alike=tuple(alike),
        unguarded=unguarded,
        unrecorded=unguarded & ~known & (history is not None),
        positions=positions,
        order=_order_of(in_turn),
        noticeable=_noticeable(cells, judged, noise, pool_runs=plan.column != "run"),
        amortised=spent,
        detectable=np.where(
            blocked.there,
            blocked.detectable(level, min_effect),
            detectable_changes(cells.pairs, significance_level, level, min_effect),
        ),
        # More values decide neither a withdrawn verdict nor a change whose better direction is unknown.
        more=np.where((judged.verdict == CANNOT_TELL) & ~changed, more, np.nan),
    )


def _compares_recordings(plan: ComparisonPlan) -> bool:
    """Whether both sides are recordings of one thing; files are where one is called the older."""
    return plan.column in _RECORDINGS or (plan.column == AXIS and any(map(called_older, plan.baselines)))


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
    cells: PairedCells,
    judged: Judgement,
    logs: _Floats,
    doubtful: _Bools,
    controls: _Bools,
    significance_level: float,
) -> Iterator[tuple[_Bools, str]]:
    """Yield the rows of each pair and metric that all moved one way, and words that say how many.

    Where most controls stood still, no machine moved.
    """
    statistics = judged.statistics
    able = at_most(statistics.smallest_pvalue, significance_level)
    differing = able & at_most(statistics.two_sided_pvalue, significance_level)
    for side, metric in _pairs_and_metrics(cells):
        of_pair = (cells.side == side) & (cells.metrics == metric)
        here, beside = of_pair & doubtful, of_pair & controls
        still = ~differing & able & _short_of_others(judged, logs, here & differing, significance_level)
        signs = sign_imbalance(
            logs[here], statistics.two_sided_pvalue[here], able[here], significance_level, still=still[here]
        )
        if signs.alike and not 2 * int(still[beside].sum()) > int(beside.sum()):
            explained = here & ~_beyond_others(judged, logs, here, significance_level)
            yield explained, f"{signs.up} of {signs.testable} rows rose and {signs.down} fell in {metric}"


def _short_of_others(judged: Judgement, logs: _Floats, moved: _Bools, significance_level: float) -> _Bools:
    """Say which rows stand still where others moved: their whole interval lies short of what one more would do."""
    middle, reach = _next_of(logs[moved], significance_level)
    low, high = _log_ends(judged)
    short: _Bools = high < middle - reach if middle > 0 else low > middle + reach
    return short


def _beyond_others(judged: Judgement, logs: _Floats, here: _Bools, significance_level: float) -> _Bools:
    """Say which rows changed further than whatever moved all of them does, for all that the others show."""
    middle, reach = _next_of(logs[here], significance_level)
    low, high = _log_ends(judged)
    beyond: _Bools = here & ((low > middle + reach) | (high < middle - reach))
    return beyond


def _next_of(logs: _Floats, significance_level: float) -> tuple[float, float]:
    """Return the middle of rows, and how far from it one more of them would lie at most, Bonferroni over all of them.

    Centre and spread are the median and the median deviation, which the rows that changed do not move.
    """
    if logs.size < 2:
        return 0.0, math.inf
    middle = float(np.median(logs))
    spread = float(np.median(np.abs(logs - middle))) / _NORMAL_QUARTILE
    reach = t_quantile(1 - significance_level / (2 * logs.size), logs.size - 1) * spread * math.sqrt(1 + 1 / logs.size)
    return middle, reach


def _log_ends(judged: Judgement) -> tuple[_Floats, _Floats]:
    """Return the ends of the interval of each ratio, as logarithms."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(judged.ratio_low), np.log(judged.ratio_high)


def _own_reasons(judged: Judgement, levels: Levels) -> NDArray[np.object_]:
    """Say why a row is undecided by its own numbers."""
    open_rows = judged.verdict == CANNOT_TELL
    reason = np.full(judged.verdict.size, "", dtype=object)
    by_itself = judged.tested & at_most(judged.statistics.two_sided_pvalue, levels.significance_level)
    reason[open_rows & judged.differs] = "at the limit"
    reason[open_rows & _unbounded(judged)] = "no interval"
    reason[open_rows & by_itself & ~judged.differs] = "one of many"
    reason[open_rows & judged.changed] = "no direction"
    too_few = ~at_most(judged.statistics.smallest_pvalue, levels.significance_level) & ~judged.exact
    reason[open_rows & too_few] = "too few values"
    return reason


def _unbounded(judged: Judgement) -> NDArray[np.bool_]:
    """Say which rows have so few values that nothing bounds their change at the level of its interval.

    A zero among the values leaves the ratio without bounds, but not the difference.
    """
    return np.isinf(judged.difference_low) & np.isinf(judged.difference_high)


def _next_level(judged: Judgement, significance_level: float) -> float:
    """Return what the next row would have to reach, beside those that changed (Benjamini and Hochberg)."""
    differing = int((judged.differs & judged.tested).sum())
    return significance_level * min(1.0, (differing + 1) / max(int(judged.tested.sum()), 1))


def _more(cells: PairedCells, judged: Judgement, levels: Levels, level: float) -> NDArray[np.float64]:
    """Return how many more values a side would decide each row: never less than its interval takes."""
    more = values_to_decide(cells.pairs, judged.ratio, levels.significance_level, level, levels.min_effect)
    unbounded = _unbounded(judged)
    least = np.minimum(judged.statistics.baseline_n, judged.statistics.candidate_n)
    needed = next((n for n in range(1, MOST_VALUES + 1) if shift_rank(n, n, levels.confidence_level) > 0), np.nan)
    more[unbounded] = np.maximum(more[unbounded], needed - least[unbounded])
    return more


def _amortised(cells: PairedCells, row: int) -> bool:
    """Whether both sides spend the same in total (one fixed cost) while the number of operations differs."""
    if cells.metrics[row] not in COUNTS:
        return False
    operations, totals, each = [], [], []
    for places in _places_of(cells, row):
        side = cells.frame.iloc[places]
        operations.append(float(side["iterations"].median()))
        totals.append(float((side["value"] * side["iterations"]).median()))
        each.append(side)
    if not all(amount > 0 for amount in (*operations, *totals)):
        return False
    if any(_each_alike(side) for side in each):
        return False
    return max(totals) / min(totals) < 1 + _SAME_TOTAL < max(operations) / min(operations)


def _each_alike(side: pd.DataFrame) -> bool:
    """Whether values of a side stay alike while the number of operations does not, which no spread fixed cost would."""
    least, most = side["iterations"].min(), side["iterations"].max()
    alike = side["value"].max() - side["value"].min() <= _ALIKE * side["value"].min()
    return bool(alike and most > least * (1 + _SAME_TOTAL))


# Order and drift: whether sides were recorded in turn, and how rows moved while they were recorded.


def _positions(frame: pd.DataFrame) -> NDArray[np.intp]:
    """Return where each value stands in the order of its recording, file after file."""
    codes, sources = pd.factorize(frame["source"])
    place = frame["position"].to_numpy(dtype=np.intp)
    lengths = np.zeros(len(sources), dtype=np.intp)
    np.maximum.at(lengths, codes, place + 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if lengths.size else lengths
    positions: NDArray[np.intp] = place + offsets[codes]
    return positions


def _in_own_files(cells: PairedCells) -> bool:
    """Whether no file holds both sides: then each is a recording, whatever the column is called."""
    sources = pd.factorize(cells.frame["source"])[0]
    return not np.intersect1d(sources[cells.baseline_rows], sources[cells.candidate_rows]).size


def _rows_in_turn(cells: PairedCells, positions: NDArray[np.intp], stated: bool | None) -> NDArray[np.int8]:
    """Say of each row whether its sides were recorded in turn: 1, one after the other: 0, or nothing tells: -1.

    As stated, else as the places of its values in a common file show.
    """
    if stated is not None:
        return np.full(cells.rows, 0 if stated else 1, dtype=np.int8)
    sources = pd.factorize(cells.frame["source"])[0]
    in_turn = np.full(cells.rows, -1, dtype=np.int8)
    if _in_own_files(cells):
        return in_turn
    for row in range(cells.rows):
        before, after = _places_of(cells, row)
        if min(before.size, after.size) > 1 and set(sources[before]) & set(sources[after]):
            in_turn[row] = recorded_in_turn(positions[before], positions[after])
    return in_turn


#: Fewer rounds or runs that hold both sides leave one degree of freedom, and an interval 13 errors wide.
_FEWEST_BLOCKS = 3


def blocks_of_rows(cells: PairedCells, plan: ComparisonPlan) -> BlockedRows:
    """Return the ratio of each row within what its values share, as the recording was designed and not as it came out.

    Sides recorded in turn are paired by round. Where three runs or more hold both sides, they are paired by run. Where
    the runs of one side are not those of the other, and hold several values each, a run counts once. All other rows
    have no blocks: their values are their noise. A row with a value that is not above 0 has differences in place of
    ratios.
    """
    positions = _positions(cells.frame)
    in_turn = _rows_in_turn(cells, positions, plan.sequential)
    runs, names = pd.factorize(cells.frame["run"].astype(object).where(cells.frame["run"].astype(str) != ""))
    by_run = plan.column != "run" and len(names) > 1
    paired: list[tuple[_Floats, _Floats] | None] = [None] * cells.rows
    sided: list[tuple[_Floats, _Floats] | None] = [None] * cells.rows
    values, scale = cells.frame["value"].to_numpy(dtype=np.float64), np.full(cells.rows, np.nan)
    for row in range(cells.rows) if by_run or (in_turn == 1).any() else ():
        sides = _places_of(cells, row)
        if min(values[side].min() for side in sides) > 0:
            logs = [np.log(values[side]) for side in sides]
        elif mean_size := float(np.abs(np.concatenate([values[side] for side in sides])).mean()):
            scale[row] = mean_size
            logs = [values[side] / mean_size for side in sides]
        else:
            continue
        if in_turn[row] == 1 and min(side.size for side in sides) >= _FEWEST_BLOCKS:
            rounds = _rounds(positions[sides[0]], positions[sides[1]])
            paired[row] = _enough(*(_means(side, of) for side, of in zip(logs, rounds, strict=True)))
        elif by_run and all((runs[side] >= 0).any() for side in sides):
            first, second = (_by_run(side, runs[places]) for side, places in zip(logs, sides, strict=True))
            both = sorted(first.keys() & second.keys())
            if len(both) >= _FEWEST_BLOCKS:
                paired[row] = np.array([first[run] for run in both]), np.array([second[run] for run in both])
            elif len(first) + len(second) > _FEWEST_BLOCKS and logs[0].size + logs[1].size > len(first) + len(second):
                sided[row] = np.array(list(first.values())), np.array(list(second.values()))
    within, between = blocked_rows(paired), sided_rows(sided)
    return BlockedRows(
        mean=within.mean + between.mean,
        error=within.error + between.error,
        freedom=within.freedom + between.freedom,
        differences=within.differences,
        scale=scale,
    )


def _enough(first: _Floats, second: _Floats) -> tuple[_Floats, _Floats] | None:
    return (first, second) if first.size >= _FEWEST_BLOCKS else None


def _by_run(logs: _Floats, runs: NDArray[np.intp]) -> dict[int, float]:
    """Return the mean logarithm of each run; values that belong to none say nothing of runs."""
    return {int(run): float(logs[runs == run].mean()) for run in np.unique(runs) if run >= 0}


def _rounds(first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the round of each value of two sides recorded in turn, and -1 of those that are in none.

    An unbroken stretch of one side in the merged order is a turn, or two where the side that goes first changes; the
    stretches at both ends say how long a turn is. A turn and the next one are a round where they are of both sides.
    """
    order = np.argsort(np.concatenate([first, second]), kind="stable")
    side = (order >= first.size).astype(np.intp)
    edges = np.flatnonzero(np.concatenate([[True], side[1:] != side[:-1], [True]]))
    lengths = np.diff(edges)
    turns = np.maximum(np.rint(lengths / min(lengths[0], lengths[-1], np.median(lengths))), 1).astype(np.intp)
    within = np.arange(side.size) - np.repeat(edges[:-1], lengths)
    turn = within * np.repeat(turns, lengths) // np.repeat(lengths, lengths)
    turn += np.repeat(np.cumsum(turns) - turns, lengths)
    sides = side[np.unique(turn, return_index=True)[1]].tolist()
    rounds_of_turn, count, place = np.full(len(sides), -1, dtype=np.intp), 0, 0
    while place + 1 < len(sides):
        if sides[place] != sides[place + 1]:
            rounds_of_turn[place : place + 2] = count
            count, place = count + 1, place + 1
        place += 1
    rounds = np.empty(side.size, dtype=np.intp)
    rounds[order] = rounds_of_turn[turn]
    return rounds[: first.size], rounds[first.size :]


def _means(logs: _Floats, rounds: NDArray[np.intp]) -> _Floats:
    """Return the mean of each round."""
    there = rounds >= 0
    return np.asarray(np.bincount(rounds[there], logs[there]) / np.bincount(rounds[there]), dtype=np.float64)


def _order_of(in_turn: NDArray[np.int8]) -> Order:
    """Return the order of a comparison: interleaved where all rows that tell are, sequential where one is not."""
    known = in_turn[in_turn >= 0]
    if not known.size:
        return "unknown"
    return "interleaved" if known.all() else "sequential"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Drifting:
    """How rows moved while they were recorded, one entry a row."""

    #: Whether a row by itself, or all rows of its pair and metric together, rose or fell.
    drifted: _Bools
    #: By how much, as a logarithm, what moved them takes the sides apart; 0 where nothing drifted.
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
    most = most_drift(cells.pairs, before, after)
    for side, metric in _pairs_and_metrics(cells):
        here = moved & (cells.side == side) & (cells.metrics == metric)
        if here.sum() < 2:
            continue
        common = common_drift(cells.pairs, before, after, here, int(np.sign(upwards[here].sum())))
        if common.drifted.all():
            drifted |= here
            # What moved the others moved this row no further than its own values show.
            reach[here] = np.maximum(reach[here], np.minimum(common.reach, most[here]))
    return _Drifting(drifted=drifted, reach=reach)


# Controls: how rows moved that the change cannot affect, and which other rows each of them guards.


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hearing:
    """What controls say, one entry a row."""

    answers: tuple[ControlAnswer, ...]
    #: Rows that are controls.
    control: _Bools
    #: Rows whose pair and metric has a control that moved.
    drifted: _Bools
    #: Rows for which a control speaks.
    spoken: _Bools
    #: The ratio over what the controls did, and the interval that they leave it; NaN where none speaks. Of several
    #: controls, the ratio nearest to 1, and all that any of them leaves.
    relative: _Floats
    low: _Floats
    high: _Floats
    #: Chance that every interval of an untouched row holds 1, for all controls, metrics and pairs together.
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


def _hear_controls(
    cells: PairedCells,
    judged: Judgement,
    controls: Sequence[ControlPlan],
    levels: Levels,
    *,
    moved: _Bools,
    logs: _Floats,
    positions: NDArray[np.intp],
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
    left = min(levels.significance_level, 1 - levels.confidence_level)
    level = 1 - left / max(sum(bool(group.heard.any()) for group in groups), 1)
    answers = []
    for group in groups:
        together = max(int(group.heard.sum()), 1)
        null = control_null(logs[group.mine], level=level, together=together)
        adjusted = benjamini_hochberg(judged.statistics.two_sided_pvalue[group.mine])
        differing = int((adjusted <= levels.significance_level).sum())
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


def _middle(logs: _Floats) -> float:
    """Return the median of ratios from their logarithms."""
    known = logs[np.isfinite(logs)]
    return float(np.exp(np.median(known))) if known.size else np.nan


def _control_answer(
    cells: PairedCells, group: _Group, null: ControlNull, middle: float, differing: int
) -> ControlAnswer:
    baseline, candidate = cells.sides[group.side]
    places = [_places_of(cells, row) for row in np.flatnonzero(group.mine).tolist()]
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
        evidence=gather_all(
            [cells.frame.iloc[np.concatenate(side)] for side in zip(*places, strict=True)],
            f"control by control the median of {candidate} over the median of {baseline}; in the middle is the "
            "median of these ratios, and about their geometric mean the limits of a prediction interval by the "
            "standard deviation of their logarithms; a control differs by its p value, adjusted for all of these "
            "(Benjamini and Hochberg)",
        ),
    )


def _sampling_variances(cells: PairedCells) -> _Floats:
    """Return by how much the log ratio of each row would vary from one recording to the next; 0 where unknown."""
    pairs = cells.pairs
    variances = log_median_variances(pairs.baseline, pairs.baseline_starts)
    variances = variances + log_median_variances(pairs.candidate, pairs.candidate_starts)
    return np.nan_to_num(variances, nan=0.0)


# Which differences may be told as one.


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


# Caveats: the order of recording, signs that the machine moved, what could not be seen.


def _comparison_caveats(
    paired: PairedCells,
    judged: Judgement,
    ruling: Ruling,
    plan: ComparisonPlan,
    by: Sequence[str],
    machines: Mapping[str, Mapping[str, str]],
    significance_level: float,
) -> tuple[Caveat, ...]:
    """Return everything that a comparison warns of, most serious first."""
    recorded = _compares_recordings(plan) or (bool(ruling.unguarded.any()) and _in_own_files(paired))
    sides = recorded_sides(paired) if recorded else ()
    return merge(
        _order_caveats(paired, ruling.order, recorded=recorded, stated=plan.sequential is not None),
        (_moved_caveat(control) for control in ruling.heard.answers if control.moved),
        possible_controls(paired, judged, ruling.verdict, ruling.unguarded),
        _withdrawn_caveats(ruling),
        _power(judged, significance_level),
        _fixed_cost(paired, ruling),
        environment_caveats(machines) if recorded else (),
        trend_caveats(sides, ruling.order),
        outlier_caveats(sides),
        _confounded(paired.frame, by, plan.column),
        residue(
            paired.frame,
            [*by, plan.column, "metric"],
            plan.ignore,
            beside=("run", "benchmark") if plan.runs_differ else ("benchmark",),
        ),
        [caveat("one-sided-rows", choices(dict.fromkeys(paired.missing), 6))] if paired.missing else (),
    )


def _order_caveats(paired: PairedCells, order: Order, *, recorded: bool, stated: bool) -> Iterator[Caveat]:
    first, second = paired.sides[0]
    # Benchmarks of one file follow one another as a rule; whole recordings do where the study says so.
    if order == "sequential" and (recorded or stated):
        yield caveat(
            "sequential-runs",
            f"{first} and {second} were recorded one after the other: "
            "a change of the machine in between looks like a change of the code",
        )
    if order == "unknown" and recorded:
        message = f"nothing in the recordings says whether {first} and {second} were taken in turn"
        yield caveat("order-unknown", message)


def _moved_caveat(control: ControlAnswer) -> Caveat:
    """Return what is warned of where a control moved."""
    return caveat(
        "controls-moved",
        f"{control.moved} of {control.rows} comparisons that the change cannot affect ({control.condition}) differ "
        f"significantly in {control.metric}, by {control.middle:.2f}x in the middle; {_further(control)}",
    )


def _further(control: ControlAnswer) -> str:
    if not math.isfinite(control.null.low):
        return "one alone does not show how far others would have moved"
    low, high = math.exp(control.null.low), math.exp(control.null.high)
    return f"the machine alone moves code by {low:.2f}x to {high:.2f}x, so changes within that mean nothing"


def _withdrawn_caveats(ruling: Ruling) -> Iterator[Caveat]:
    if ruling.alike:
        message = f"{'; '.join(ruling.alike)}: so many rows going one way say the machine as much as the code"
        yield caveat("all-moved-alike", message)
    if rows := int((ruling.reason == "within its history").sum()):
        message = f"{_rows(rows)} changed by no more than runs of the same code differ in the history"
        yield caveat("within-history", message)
    if rows := int(ruling.unrecorded.sum()):
        yield caveat("not-in-history", f"{_rows(rows)} no run of the history measured: their own values decide")
    if rows := int((ruling.reason == "moved while recorded").sum()):
        whose = "the values of 1 row" if rows == 1 else f"the values of {rows:,} rows"
        message = f"{whose} moved while they were recorded, by enough to make what is between the sides"
        yield caveat("moved-while-recorded", message)


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _power(judged: Judgement, significance_level: float) -> Iterator[Caveat]:
    statistics = judged.statistics
    blind = ~at_most(statistics.smallest_pvalue, significance_level) & ~judged.exact
    if not blind.any():
        return
    sizes = np.unique(np.minimum(statistics.baseline_n, statistics.candidate_n)[blind]).tolist()
    message = (
        "no row can show a difference"
        if blind.all()
        else f"{int(blind.sum()):,} of {blind.size:,} rows cannot show a difference"
    )
    yield caveat(
        "cannot-detect",
        f"{message} at the {asked_share(significance_level)} level with n = {', '.join(map(str, sizes))} a side, "
        "however large",
    )


def _fixed_cost(paired: PairedCells, ruling: Ruling) -> Iterator[Caveat]:
    names = [label(paired.key(row)) for row in np.flatnonzero(ruling.amortised).tolist()]
    if names:
        yield caveat(
            "fixed-cost",
            f"{choices(names, 4)}: memory per operation follows the number of operations, not the code: "
            "a fixed cost is spread over more of them on one side",
        )


def _confounded(frame: pd.DataFrame, by: Sequence[str], column: str) -> Iterator[Caveat]:
    """Axes that differ between the sides as well: the comparison cannot tell them from its own."""
    if column == "benchmark":
        return  # two benchmarks differ in what they do; that is the question
    for axis in axes_of(frame):
        if axis == column or axis in by or axis.lower() in MACHINE_FACTS:
            continue
        sides = {str(key[column]): set(map(str, rows[axis].dropna().unique())) for key, rows in cells(frame, [column])}
        every = list(sides.values())
        if len(sides) > 1 and not set.intersection(*every) and all(every) and not _tells_the_side(sides):
            differing = " against ".join(", ".join(sorted(levels)) for levels in every)
            yield caveat("environment-differs", f"{axis} differs between the sides as well ({differing})")


def _tells_the_side(sides: Mapping[str, Collection[str]]) -> bool:
    """Whether an axis only says which side it is: an address apiece that ends with its name, elsewhere the same."""
    addresses = [(name.removeprefix("/"), level) for name, levels in sides.items() for level in levels]
    if len(addresses) > len(sides) or not all(address.endswith(f"/{name}") for name, address in addresses):
        return False
    return len({address.removesuffix(name) for name, address in addresses}) == 1


def machine_facts(rows: pd.DataFrame, leave_out: Collection[str] = ()) -> dict[str, str]:
    """Return what rows of a tidy table state of machine and toolchain, several levels joined by commas."""
    known = {axis.lower(): axis for axis in map(str, rows.columns) if axis not in leave_out}
    facts = {}
    for fact in MACHINE_FACTS:
        if fact in known and rows[known[fact]].notna().any():
            levels = rows[known[fact]].dropna().unique().tolist()
            facts[known[fact]] = ", ".join(printable(str(plain(level))) for level in levels)
    return facts


def environment_caveats(machines: Mapping[str, Mapping[str, str]]) -> tuple[Caveat, ...]:
    """Say which facts of the machine differ between sides; a side that does not state one is not held to differ."""
    differences = []
    for fact in dict.fromkeys(fact for facts in machines.values() for fact in facts):
        sides: dict[str, list[str]] = {}
        for name, facts in machines.items():
            if fact in facts:
                sides.setdefault(facts[fact], []).append(name)
        if len(sides) > 1:
            differences.append(
                f"{fact} is " + ", ".join(f"{level} in {choices(names, 3)}" for level, names in sides.items())
            )
    return (caveat("environment-differs", "; ".join(differences)),) if differences else ()


#: A trend of all samples of a side together, or of some by themselves, is told below this p value.
_TREND_PVALUE = 0.01
#: Beyond this many values a sample, no trend is looked for.
_MOST_FOR_TREND = 2000
#: A trend of all samples together is told where the change in the middle is at least this.
_LEAST_TREND = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordedSide:
    """The samples of one side that a machine moves."""

    name: str
    #: Sample after sample, each in order of recording.
    values: _Floats
    #: Where each sample begins, and after the last where it ends.
    starts: NDArray[np.intp]
    #: From the place of a sample to its name.
    label: Callable[[int], str]

    @property
    def samples(self) -> int:
        """How many there are."""
        return self.starts.size - 1

    def tables(self) -> Iterator[tuple[NDArray[np.intp], _Floats]]:
        """Yield the samples by their number of values: their places, and one table of them."""
        sizes = np.diff(self.starts)
        for n in np.unique(sizes[sizes > 0]).tolist():
            places = np.flatnonzero(sizes == n)
            yield places, self.values[self.starts[places][:, None] + np.arange(n)]


def recorded_sides(paired: PairedCells) -> tuple[RecordedSide, ...]:
    """Return the samples of each side that a machine moves, each once however often it is compared."""
    moved = moved_by_machine(paired.units)
    pairs = paired.pairs
    both = (
        (pairs.baseline, pairs.baseline_starts, paired.baseline_rows),
        (pairs.candidate, pairs.candidate_starts, paired.candidate_rows),
    )
    samples_by_side: dict[str, list[tuple[_Floats, int, int]]] = {}
    for which, (values, starts, places) in enumerate(both):
        for number, names in enumerate(paired.sides):
            rows = np.flatnonzero((paired.side == number) & moved)
            samples_by_side.setdefault(names[which], []).extend(
                (values[starts[row] : starts[row + 1]], int(places[starts[row]]), row) for row in rows.tolist()
            )
    return tuple(_side(paired, name, samples) for name, samples in samples_by_side.items())


def _side(paired: PairedCells, name: str, samples: Sequence[tuple[_Floats, int, int]]) -> RecordedSide:
    # A sample is known by its first value: a baseline stands in a row for each of its candidates.
    once = {place: (values, row) for values, place, row in reversed(samples)}
    samples_once = [once[place] for place in sorted(once)]
    return RecordedSide(
        name=name,
        values=np.concatenate([values for values, _ in samples_once]) if samples_once else np.empty(0),
        starts=np.cumsum([0, *(values.size for values, _ in samples_once)], dtype=np.intp),
        label=lambda sample: (
            f"{label(paired.key(samples_once[sample][1]))} ({paired.metrics[samples_once[sample][1]]})"
        ),
    )


def trend_caveats(sides: Sequence[RecordedSide], order: Order = "unknown") -> tuple[Caveat, ...]:
    """Say which sides rise or fall while they are recorded.

    Either all samples of a side together (`_TREND_PVALUE`, and `_LEAST_TREND` in the middle) or some by themselves
    (Benjamini-Hochberg at `_TREND_PVALUE`). Samples that only scatter are said to have a trend in at most 2 of 100
    sides. Interleaved sides meet the same trend, so that nothing is said of them.
    """
    if order == "interleaved":
        return ()
    trends = [words for side in sides if (words := _trend(side))]
    return (caveat("trend-in-run", "; ".join(trends)),) if trends else ()


def _trend(side: RecordedSide) -> str:
    if side.starts.size > 1 and int(np.diff(side.starts).max()) > _MOST_FOR_TREND:
        return ""  # every pair of values is looked at: 20,000 values would take 3 GB
    trends = within_run_trends(side.values, side.starts)
    with np.errstate(invalid="ignore"):
        logs = np.log1p(trends.change)
    known = np.isfinite(logs)
    if not known.any():
        return ""
    middle = float(np.median(logs[known]))
    upwards = trends.rising > trends.falling
    own = known & (benjamini_hochberg(trends.pvalue) <= _TREND_PVALUE) & (np.abs(logs) >= np.log1p(_LEAST_TREND))
    together = trends.combined_pvalue <= _TREND_PVALUE and (middle if upwards else -middle) >= np.log1p(_LEAST_TREND)
    if not (together or own.any()):
        return ""
    shown = np.where(own if own.any() else known, logs, 0.0)
    most = int(np.argmax((shown if upwards else -shown) if together else np.abs(shown)))
    farthest = f"{side.label(most)} {_moved(float(logs[most]))}"
    if trends.tested == 1:
        return f"{farthest} from the first value to the last of {side.name}"
    if together:
        more, fewer = ("rise", "fall") if upwards else ("fall", "rise")
        counts = sorted((trends.rising, trends.falling), reverse=True)
        return (
            f"{counts[0]} of {trends.tested} rows {more} during {side.name} and {counts[1]} {fewer}, by "
            f"{percent(abs(float(np.expm1(middle))))} from first to last in the middle; {farthest}"
        )
    return f"{int(own.sum())} of {trends.tested} rows rise or fall steadily during {side.name}; {farthest}"


def _moved(log_change: float) -> str:
    return f"{'rises' if log_change > 0 else 'falls'} by {percent(abs(float(np.expm1(log_change))))}"


def outlier_caveats(sides: Sequence[RecordedSide]) -> tuple[Caveat, ...]:
    """Say how many samples hold values far outside, and name the one with the farthest."""
    tested, count, farthest, words = 0, 0, 0.0, ""
    for side in sides:
        for places, table in side.tables():
            outliers = far_values(table)
            tested, count = tested + outliers.tested, count + int((outliers.count > 0).sum())
            away = np.where(outliers.count > 0, np.abs(np.log(outliers.farthest)), 0.0)
            most = int(away.argmax())
            if away[most] > farthest:
                farthest = float(away[most])
                words = (
                    f"{side.label(int(places[most]))} in {side.name}: a value of "
                    f"{show(float(outliers.farthest[most]), 'x')} its median"
                )
    if not count:
        return ()
    # One sample is named by itself; of several the farthest.
    message = f"holds values far outside, {words}" if count == 1 else f"hold values far outside, most {words}"
    return (caveat("outliers", f"{count} of {tested} samples {message}"),)


# Rows that may be controls: named in a doubt, never taken for them.


_Places = NDArray[np.intp]
#: Beyond this many rows no special cells are searched: nobody would read what they say.
_MOST_ROWS = 200
#: Fewer rows that moved one way say nothing together.
_FEWEST_ROWS = 3
#: Axes whose levels are other work, not more or less of it.
_WORK = ("benchmark", "case", "pkg")


def possible_controls(
    cells: PairedCells, judged: Judgement, verdict: NDArray[np.int8], unguarded: _Bools
) -> Iterator[Caveat]:
    """Name what may be a control beside verdicts that stand unguarded: not recorded in turn, no control speaks."""
    with np.errstate(divide="ignore", invalid="ignore"):
        way = np.nan_to_num(np.sign(np.log(judged.ratio))).astype(np.intp)
    decided = (verdict == BETTER) | (verdict == WORSE)
    for side, metric in _pairs_and_metrics(cells):
        here = unguarded & (cells.side == side) & (cells.metrics == metric)
        if (here & decided).any():
            if here.sum() <= _MOST_ROWS:
                yield from _without_most_work(cells, judged, decided, way, np.flatnonzero(here))
            yield from _counted_alike(cells, judged, decided, way, np.flatnonzero(here))


def _without_most_work(
    cells: PairedCells, judged: Judgement, decided: _Bools, way: _Places, rows: _Places
) -> Iterator[Caveat]:
    """Name special cells that cost far less than the others let expect, and moved as the others did.

    A change of the work that such a cell lacks would leave it as it was.
    """
    named = []
    for row, others in _special_rows(cells, judged, rows):
        ways = {int(way[other]) for other in others if decided[other]}
        clear = judged.ratio_low[row] > 1 or judged.ratio_high[row] < 1
        if clear and ways == {int(way[row])}:
            named.append(f"{label(cells.key(row))} ({judged.ratio[row]:.2f}x)")
    if named:
        lack, them = ("lacks", "it") if len(named) == 1 else ("lack", "them")
        yield caveat(
            "possible-controls",
            f"{choices(named, 4)} {lack} most of the work of the other configurations and moved as they did: a change "
            f"of that work alone would have left {them} as before",
        )


def _special_rows(cells: PairedCells, judged: Judgement, rows: _Places) -> Iterator[tuple[int, list[int]]]:
    """Yield each row that costs far less than others of its benchmark let expect, and those alike in all categories."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in rows.tolist():
        key = cells.key(row)
        groups.setdefault(tuple(str(key.get(axis)) for axis in _WORK), []).append(row)
    for group in groups.values():
        keys = [{axis: level for axis, level in cells.key(row).items() if axis not in _WORK} for row in group]
        if not keys[0] or any(key.keys() != keys[0].keys() for key in keys):
            continue
        factors = {axis: [key[axis] for key in keys] for axis in keys[0]}
        table = build_cells(factors, judged.statistics.baseline_median[group], unit=str(cells.units[group[0]]))
        _, categories = sort_factors(table)
        for special in outlying_cells(table):
            if special.observed < special.expected:
                place = keys.index(dict(special.levels))
                alike = [all(key[axis] == keys[place][axis] for axis in categories) for key in keys]
                others = [row for row, same in zip(group, alike, strict=True) if same and row != group[place]]
                yield group[place], others


def _counted_alike(
    cells: PairedCells, judged: Judgement, decided: _Bools, way: _Places, rows: _Places
) -> Iterator[Caveat]:
    """Say where most rows that allocate exactly as before moved one way, while the change shows in counts of others."""
    keys = [tuple(codes) for codes in cells.codes.tolist()]
    counts = np.isin(cells.metrics.astype(str), COUNTS) & (cells.side == cells.side[rows[0]])
    counted = {keys[row] for row in np.flatnonzero(counts).tolist()}
    unequal = {keys[row] for row in np.flatnonzero(counts & ~judged.statistics.constant).tolist()}
    changed = {keys[row] for row in np.flatnonzero(counts & decided).tolist()}
    equal = np.array([row for row in rows.tolist() if keys[row] in counted - unequal], dtype=np.intp)
    moved = equal[decided[equal]]
    if changed and moved.size >= max(_FEWEST_ROWS, equal.size / 2) and abs(way[moved].sum()) == moved.size:
        middle = float(np.exp(np.median(np.log(judged.ratio[moved]))))
        yield caveat(
            "possible-controls",
            f"{moved.size:,} of {equal.size:,} rows that allocate exactly as before, where {len(changed):,} others do "
            f"not, moved one way in {cells.metrics[rows[0]]}, by {middle:.2f}x in the middle: the machine does that, "
            "and so does code that works longer and allocates alike",
        )
