"""What controls and drift leave of the verdicts that rows give by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.comparison.answer import ControlAnswer, Order
from benchlib.answers.comparison.controls import hear_controls, pairs_and_metrics, places_of
from benchlib.answers.comparison.drifting import detectable_without, drifting
from benchlib.answers.comparison.guards import moved_by_machine
from benchlib.answers.comparison.pairing import PairedCells
from benchlib.answers.comparison.rows import Ruling, amortised
from benchlib.statistics.drift import sign_imbalance
from benchlib.statistics.interleaving import recorded_in_turn
from benchlib.statistics.power import MOST_VALUES, detectable_changes, values_to_decide
from benchlib.statistics.ranks import shift_rank
from benchlib.statistics.verdicts import CANNOT_TELL, SAME, Judgement, at_most, clear_of, within
from benchlib.study import ControlPlan

__all__ = ["RECORDINGS", "order_of", "positions_of", "rows_in_turn", "rule"]

#: Columns whose levels are recordings of one thing, so that the machine may have changed between them.
RECORDINGS = frozenset({"run", "commit", "revision", "version", "branch", "build", "date"})


def positions_of(frame: pd.DataFrame) -> NDArray[np.intp]:
    """Return where each value stands in the order of its recording, file after file."""
    codes, sources = pd.factorize(frame["source"])
    place = frame["position"].to_numpy(dtype=np.intp)
    lengths = np.zeros(len(sources), dtype=np.intp)
    np.maximum.at(lengths, codes, place + 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]]) if lengths.size else lengths
    found: NDArray[np.intp] = place + offsets[codes]
    return found


def rows_in_turn(cells: PairedCells, positions: NDArray[np.intp], stated: bool | None) -> NDArray[np.int8]:
    """Say of each row whether its sides were recorded in turn: 1, one after the other: 0, or nothing tells: -1.

    As stated, else as the places of its values in a common file show.
    """
    if stated is not None:
        return np.full(cells.rows, 0 if stated else 1, dtype=np.int8)
    sources = pd.factorize(cells.frame["source"])[0]
    found = np.full(cells.rows, -1, dtype=np.int8)
    if not np.intersect1d(sources[cells.baseline_rows], sources[cells.candidate_rows]).size:
        return found
    for row in range(cells.rows):
        before, after = places_of(cells, row)
        if min(before.size, after.size) > 1 and set(sources[before]) & set(sources[after]):
            found[row] = recorded_in_turn(positions[before], positions[after])
    return found


def order_of(in_turn: NDArray[np.int8]) -> Order:
    """Return the order of a comparison: interleaved where all rows that tell are, sequential where one is not."""
    told = in_turn[in_turn >= 0]
    if not told.size:
        return "unknown"
    return "interleaved" if told.all() else "sequential"


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
    """Take back verdicts that something other than the change could have made.

    Returns
    -------
    ruling : Ruling
    controls : tuple of ControlAnswer
    alike : tuple of str
        Metrics whose rows all moved alike, in words that say how many.
    """
    moved = moved_by_machine(cells.units) & (judged.ratio > 0)
    logs = np.full(cells.rows, np.nan)
    logs[moved] = np.log(judged.ratio[moved])
    heard = hear_controls(
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

    above, below = clear_of(heard.low, heard.high, min_effect)
    cleared = np.where(judged.ratio > 1, above, below)
    withdraw(heard.spoken & changed & ~cleared, "within what controls did")
    still = within(heard.low, heard.high, min_effect)
    withdraw(heard.spoken & heard.drifted & (verdict == SAME) & ~still, "controls moved")
    unheard = heard.drifted & ~heard.spoken & ~heard.control & (in_turn != 1)
    withdraw(unheard & changed, "no control speaks for it")
    withdraw(unheard & (verdict == SAME), "controls moved")
    alike = []
    # Levels of an axis may well all differ one way: what is doubted is recordings of one thing.
    doubtful = (in_turn != 1) & (column in RECORDINGS)
    if doubtful.any():
        for side, metric in pairs_and_metrics(cells):
            here = (cells.side == side) & (cells.metrics == metric) & moved & ~heard.spoken & ~heard.control & doubtful
            able = at_most(judged.statistics.smallest_pvalue, significance_level)
            found = sign_imbalance(logs[here], judged.statistics.two_sided_pvalue[here], able[here], significance_level)
            if found.alike:
                withdraw(here & ((verdict != CANNOT_TELL) | (reason == "no direction")), "all rows moved alike")
                alike.append(f"{found.up} of {found.testable} rows rose and {found.down} fell in {metric}")
    drift = drifting(cells, logs, positions, moved)
    unguarded = (in_turn != 1) & ~heard.spoken & ~heard.control
    withdraw(
        unguarded & drift.explains(judged, min_effect) & ((verdict != CANNOT_TELL) | (reason == "no direction")),
        "moved while recorded",
    )
    spent = np.zeros(cells.rows, dtype=np.bool_)
    for row in np.flatnonzero(changed & ~moved).tolist():
        spent[row] = amortised(cells, row)
    withdraw(spent, "fixed cost")
    reason[heard.control & (verdict == CANNOT_TELL)] = "control"
    # What the next row found would have to reach, beside those that were (Benjamini and Hochberg).
    found_rows = int(at_most(judged.adjusted_pvalue, significance_level).sum())
    level = significance_level * min(1.0, (found_rows + 1) / max(int(judged.tested.sum()), 1))
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
        steady_detectable=detectable_without(cells, positions, drift.found, level, min_effect),
        # What was withdrawn is not decided by more of the same, nor what changed in no direction that is known.
        more=np.where((judged.verdict == CANNOT_TELL) & ~changed, _more(cells, judged, level, min_effect), np.nan),
    )
    return ruling, heard.answers, tuple(alike)


def _own_reasons(judged: Judgement, significance_level: float, min_effect: float) -> NDArray[np.object_]:
    """Say why a row that cannot tell by itself cannot."""
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
    found = values_to_decide(cells.pairs, judged.ratio, level, min_effect)
    unbounded = _unbounded(judged)
    least = np.minimum(judged.statistics.baseline_n, judged.statistics.candidate_n)
    for wanted in np.unique(judged.level[unbounded]).tolist():
        here = unbounded & (judged.level == wanted)
        needed = next((n for n in range(1, MOST_VALUES + 1) if shift_rank(n, n, wanted) > 0), np.nan)
        found[here] = np.maximum(found[here], needed - least[here])
    return found
