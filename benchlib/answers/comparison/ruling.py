"""What controls and drift leave of the verdicts that rows give by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.comparison.answer import ControlAnswer, Order
from benchlib.answers.comparison.controls import hear_controls, pairs_and_metrics, places_of
from benchlib.answers.comparison.guards import moved_by_machine
from benchlib.answers.comparison.pairing import PairedCells
from benchlib.answers.comparison.rows import Ruling, amortised
from benchlib.statistics.comparison import SAME_WITHIN
from benchlib.statistics.detection import detectable_changes, values_to_decide
from benchlib.statistics.drift import recorded_in_turn, sign_imbalance
from benchlib.statistics.judging import BETTER, CANNOT_TELL, SAME, WORSE, Judgement, at_most
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
    better: NDArray[np.int8],
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
    reason = _own_reasons(judged, significance_level)
    decided = np.isin(verdict, (BETTER, WORSE))

    def withdraw(rows: NDArray[np.bool_], why: str) -> None:
        verdict[rows] = CANNOT_TELL
        reason[rows] = why

    rose = (verdict == BETTER) == (better > 0)
    cleared = np.where(rose, heard.relative > 1 + min_effect, heard.relative < 1 - min_effect)
    cleared &= at_most(heard.pvalue, significance_level)
    withdraw(heard.spoken & decided & ~cleared, "within what controls did")
    margin = max(min_effect, SAME_WITHIN)
    within = (heard.low >= 1 - margin) & (heard.high <= 1 + margin)
    withdraw(heard.spoken & heard.drifted & (verdict == SAME) & ~within, "controls moved")
    unheard = heard.drifted & ~heard.spoken & ~heard.control & (in_turn != 1)
    withdraw(unheard & decided, "no control speaks for it")
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
                withdraw(here & (verdict != CANNOT_TELL), "all rows moved alike")
                alike.append(f"{found.up} of {found.testable} rows rose and {found.down} fell in {metric}")
    spent = np.zeros(cells.rows, dtype=np.bool_)
    for row in np.flatnonzero(np.isin(verdict, (BETTER, WORSE)) & ~moved).tolist():
        spent[row] = amortised(cells, row)
    withdraw(spent, "fixed cost")
    withdraw(heard.control & np.isin(verdict, (BETTER, WORSE)) & moved, "control")
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
        detectable=detectable_changes(cells.pairs, level, min_effect),
        # What was withdrawn is not decided by more of the same.
        more=np.where(
            judged.verdict == CANNOT_TELL, values_to_decide(cells.pairs, judged.ratio, level, min_effect), np.nan
        ),
    )
    return ruling, heard.answers, tuple(alike)


def _own_reasons(judged: Judgement, significance_level: float) -> NDArray[np.object_]:
    """Say why a row that cannot tell by itself cannot."""
    open_rows = judged.verdict == CANNOT_TELL
    reason = np.full(judged.verdict.size, "", dtype=object)
    differs = at_most(judged.statistics.two_sided_pvalue, significance_level)
    survives = at_most(judged.adjusted_pvalue, significance_level)
    reason[open_rows & differs & ~survives] = "one of many"
    reason[open_rows & survives & np.isfinite(judged.ratio_low)] = "smaller than matters"
    reason[open_rows & ~at_most(judged.statistics.smallest_pvalue, significance_level)] = "too few values"
    return reason
