"""Which differences may be told as one where there are too few repeats for an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.comparison.pairing import COUNTS, UNREPEATED, PairedCells
from benchlib.statistics.verdicts import Judgement

__all__ = ["noticeable"]


def noticeable(
    cells: PairedCells, judged: Judgement, noise: Mapping[str, float], *, pool_runs: bool
) -> NDArray[np.bool_]:
    """Whether each difference may be told as one; see `ComparisonRow`."""
    ratio, low, high = judged.ratio, judged.ratio_low, judged.ratio_high
    bounded = np.isfinite(low) | np.isfinite(high)
    codes, metrics = pd.factorize(cells.metrics)
    limits_of = np.array([math.log1p(noise.get(str(one), UNREPEATED)) for one in metrics])[codes]
    with np.errstate(divide="ignore", invalid="ignore"):
        change = np.log(ratio)
    beyond = np.abs(change) > limits_of
    if pool_runs and not bounded.all():
        # What runs differ by is in both sides of a run alike: where each run holds both, the runs decide by agreeing.
        nearest, shared = _nearest_by_run(cells)
        beyond = np.where(shared, nearest * np.sign(change) > math.log1p(UNREPEATED), beyond)
    found = np.where(bounded, (low > 1) | (high < 1), beyond)
    found = np.where(~(ratio > 0), judged.difference != 0, found)
    few_counts = np.isin(cells.metrics.astype(str), COUNTS) & ~bounded
    if few_counts.any():
        # Counts hardly vary: samples that do not overlap differ, however few they are.
        least, most = (_extremes(cells, one) for one in (np.minimum, np.maximum))
        found = np.where(few_counts, (most[1] < least[0]) | (least[1] > most[0]), found)
    return found.astype(np.bool_)


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
    found = pd.DataFrame({"n": change.size(), "least": change.min(), "most": change.max()})
    found = found.reindex(np.arange(cells.rows), fill_value=0)
    nearest = np.where(found["least"] > 0, found["least"], np.where(found["most"] < 0, found["most"], 0.0))
    return nearest, (found["n"] > 1).to_numpy()


def _extremes(cells: PairedCells, of: np.ufunc) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least or the most of each row, of the baseline and of the candidate."""
    pairs = cells.pairs
    return (
        of.reduceat(pairs.baseline, pairs.baseline_starts[:-1]),
        of.reduceat(pairs.candidate, pairs.candidate_starts[:-1]),
    )
