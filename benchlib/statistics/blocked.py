"""Is one side dearer than the other where both were measured side by side, and by how much?

What two measurements share moves both: the run they are of, the round, the configuration. Their ratio is free of it.
So the ratio is taken within each block (a run or a round that holds both sides), or within each stratum (a
configuration that both sides were measured in), and the spread of these ratios is the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, checked_level, checked_values
from benchlib.statistics.relabelling import _priors

__all__ = ["BlockedRows", "blocked_ratio", "blocked_rows", "sided_rows"]

#: From so many ratios on their spread is the error: two leave one degree of freedom, and an interval 13 errors wide.
_ENOUGH = 3
#: From so many pairs on their signs alone can show a difference at 5 %: all alike have a chance of 1 in 32.
_ENOUGH_SIGNS = 6
#: From so many degrees of freedom on a row knows its own noise.
_KNOWN = 10
#: One round of so many may be wild on either side.
_TENTH = 10
#: A difference counts for no more than so many times the median difference.
_FAR = 1.5
#: Deals of signs looked at over all rows.
_DEALS = 50_000
#: In what share of runs a change is to be seen.
_POWER = 0.8
#: Logarithms that differ by less are equal: what rounding leaves.
_ROUNDING = 1e-12

_Floats = NDArray[np.float64]
_Codes = NDArray[np.intp]
_Marks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedLogs:
    """Mean logarithms of ratios, one row each, with t intervals.

    Attributes
    ----------
    mean, error, low, high, pvalue : ndarray, shape (rows,)
        Interval infinite and p value NaN with fewer than two ratios.
    count, alike : ndarray of int, shape (rows,)
        Ratios of a row, and those that lie on the same side of 1 as their mean.
    """

    mean: _Floats
    error: _Floats
    low: _Floats
    high: _Floats
    pvalue: _Floats
    count: _Codes
    alike: _Codes


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedRatio:
    """One side over the other, within blocks and strata.

    Attributes
    ----------
    estimate : Estimate
        Geometric mean of the ratios, unit ``"x"``; every stratum weighs the same.
    pvalue : float
        Of a ratio as far from 1 where there is none; NaN where nothing tells the error.
    by : str
        What the spread is of that the interval is made of: ``"block"``, ``"stratum"`` or ``"value"``.
    blocks, blocks_alike : int
        Blocks that hold both sides, and how many of them say that the ratio lies on this side of 1.
    strata, strata_alike : int
        The same of strata.
    """

    estimate: Estimate
    pvalue: float
    by: str
    blocks: int
    blocks_alike: int
    strata: int
    strata_alike: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockedRows:
    """Rows whose values came in blocks: the mean logarithm of each ratio with an error made of what blocks differ by.

    Values that are not all above 0 have no ratio: of such a row it is the mean difference, in a scale of its own.

    Attributes
    ----------
    mean, error, freedom : ndarray, shape (rows,)
        Degrees of freedom are 0 for rows without blocks.
    differences : tuple of ndarray or None
        Of each row whose blocks hold both sides, the logarithms of their ratios, or their differences in its scale.
    scale : ndarray, shape (rows,)
        The mean size of the values of a row that is told in differences; NaN for a row on logarithms.
    """

    mean: _Floats
    error: _Floats
    freedom: _Floats
    differences: tuple[_Floats | None, ...]
    scale: _Floats

    @property
    def there(self) -> _Marks:
        """Which rows came in blocks."""
        marks: _Marks = self.freedom > 0
        return marks

    @property
    def blocks(self) -> _Floats:
        """How many blocks a side each row has; 0 where it has none."""
        sizes = np.array([0 if away is None else away.size for away in self.differences], dtype=np.float64)
        return np.where(self.there, np.where(sizes > 0, sizes, (self.freedom + 2) / 2), 0.0)

    def _kinds(self, kinds: ArrayLike) -> _Codes:
        """Return the kind of each row; noise of differences is not that of logarithms."""
        codes: _Codes = 2 * np.broadcast_to(kinds, self.error.size) + ~np.isnan(self.scale)
        return codes

    def pvalues(self) -> _Floats:
        """Return the two-sided p value of each mean; 1 where it is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.where(np.abs(self.mean) <= _ROUNDING, 0.0, np.abs(self.mean) / self.error)
        pvalues: _Floats = 2 * special.stdtr(np.maximum(self.freedom, 1), -far)
        return pvalues

    def floored(self, kinds: ArrayLike) -> BlockedRows:
        """Return the rows with no error of few blocks below the root mean square of those of its kind.

        Three blocks that are alike by luck, as those of a row with two modes may be, would pass for no noise.
        """
        codes, error = self._kinds(kinds), self.error.copy()
        signed = [size is not None and size.size >= _ENOUGH_SIGNS for size in self.differences]
        few = self.there & (self.freedom < _KNOWN) & ~np.array(signed, dtype=bool)
        for kind in np.unique(codes[few]).tolist():
            here = few & (codes == kind)
            error[here] = np.maximum(error[here], math.sqrt(float((error[here] ** 2).mean())))
        return replace(self, error=error)

    def family_pvalues(self, rows: _Marks, kinds: ArrayLike) -> _Floats:
        """Return p values of some rows with blocks, to be adjusted together.

        Where six blocks or more hold both sides, it is the share of all deals of signs, over all such rows, that are as
        clear, so that it holds however noise is shaped, with variances drawn towards those of rows of their kind; else
        it is that of the row alone.

        Source: R. A. Fisher, The Design of Experiments (1935), section 21, for signs; for the rest as `pooled_pvalues`.
        """
        pvalues = self.pvalues()
        sizes = np.array([0 if away is None else away.size for away in self.differences], dtype=np.intp)
        pooled = rows & (sizes >= _ENOUGH_SIGNS)
        own, every = np.zeros(pooled.size), []
        variances = np.where(pooled, self.error**2 * sizes, np.nan)
        prior, weight = _priors(variances, sizes - 1, self._kinds(kinds))
        for size in np.unique(sizes[pooled]).tolist():
            here = np.flatnonzero(pooled & (sizes == size))
            table = _clipped(np.array([self.differences[row] for row in here]))
            most = max(_DEALS // int(pooled.sum()), 2 ** (_ENOUGH_SIGNS - 1))
            dealt = _clearness_of_signs(table, prior[here], weight[here], most)
            own[here] = dealt[:, 0]
            every.append((np.sort(dealt, axis=None), here.size))
        reached = sum(
            (count * (1 - np.searchsorted(one, own[pooled] * (1 - 1e-9)) / one.size) for one, count in every),
            np.zeros(int(pooled.sum())),
        )
        pvalues[pooled] = reached / max(int(pooled.sum()), 1)
        return pvalues[rows]

    def ends(self, level: float) -> tuple[_Floats, _Floats]:
        """Return the t interval of each mean."""
        reach = special.stdtrit(np.maximum(self.freedom, 1), (1 + level) / 2) * self.error
        return self.mean - reach, self.mean + reach

    def detectable(self, level: float, min_effect: float) -> _Floats:
        """Return the smallest relative change beyond the smallest effect that would be seen in 4 runs of 5."""
        freedom = np.maximum(self.freedom, 1)
        reach = special.stdtrit(freedom, 1 - level / 2) + special.stdtrit(freedom, _POWER)
        change: _Floats = np.expm1(math.log1p(min_effect) + reach * self.error)
        return change

    def more(self, level: float, min_effect: float) -> _Floats:
        """Return how many more blocks a side would tell each ratio from the smallest effect; NaN where none would."""
        beyond = np.abs(self.mean) - np.where(self.mean > 0, math.log1p(min_effect), -math.log1p(-min_effect))
        reach = special.ndtri(1 - level / 2) + special.ndtri(_POWER)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = (reach * self.error / np.abs(beyond)) ** 2
            more = np.ceil(self.blocks * (times - 1))
        return np.where(np.isfinite(more), np.maximum(more, 1), np.nan)


def blocked_rows(blocks: Sequence[tuple[ArrayLike, ArrayLike] | None]) -> BlockedRows:
    """Return the ratio of each row from mean logarithms of its blocks: of the baseline, and of the candidate.

    Where both sides of a row have as many blocks, the k-th of each is one block that holds both, and the error is the
    spread of the differences. None stands for a row without blocks; see `sided_rows` for blocks of one side each.

    Source: as `paired_logs`.

    Examples
    --------
    >>> rows = blocked_rows([([0.0, 0.1, -0.1], [0.3, 0.41, 0.19]), None])
    >>> rows.freedom.tolist(), round(float(rows.mean[0]), 2), bool(rows.pvalues()[0] < 0.01)
    ([2.0, 0.0], 0.3, True)
    """
    mean, error, freedom = np.zeros((3, len(blocks)))
    differences: list[_Floats | None] = [None] * len(blocks)
    for row, sides in enumerate(blocks):
        if sides is None:
            continue
        first, second = (np.asarray(side, dtype=np.float64) for side in sides)
        away = second - first
        if away.size < _ENOUGH_SIGNS and away.std() <= _ROUNDING:
            continue  # few blocks that are all alike show no noise, but may show a coarse clock
        differences[row] = away
        mean[row], error[row], freedom[row] = _trimmed_mean(away)
    return BlockedRows(
        mean=mean, error=error, freedom=freedom, differences=tuple(differences), scale=np.full(len(blocks), np.nan)
    )


def _trimmed_mean(sample: _Floats) -> tuple[float, float, float]:
    """Return the mean without the far tenth at either end, its error, and its degrees of freedom.

    So of ten rounds or more a wild one hides nothing; of fewer it is the plain mean.

    Source: K. K. Yuen, Biometrika 61 (1974) 165-170, after J. W. Tukey and D. H. McLaughlin (1963).
    """
    ordered, cut = np.sort(sample), sample.size // _TENTH
    inner = ordered[cut : ordered.size - cut]
    spread = np.clip(ordered, inner[0], inner[-1]).std(ddof=1)
    return float(inner.mean()), float(spread) * math.sqrt(ordered.size) / inner.size, inner.size - 1.0


def sided_rows(blocks: Sequence[tuple[ArrayLike, ArrayLike] | None]) -> BlockedRows:
    """Return the ratio of each row from mean logarithms of blocks that hold one side each, such as runs of one commit.

    Source: G. W. Snedecor, W. G. Cochran, Statistical Methods, 8th ed., section 6.9, for the pooled t of two means.
    """
    mean, error, freedom = np.zeros((3, len(blocks)))
    for row, sides in enumerate(blocks):
        if sides is None:
            continue
        first, second = (np.asarray(side, dtype=np.float64) for side in sides)
        squares = ((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()
        if squares <= _ROUNDING**2:
            continue
        freedom[row] = first.size + second.size - 2
        mean[row] = second.mean() - first.mean()
        error[row] = math.sqrt(squares / freedom[row] * (1 / first.size + 1 / second.size))
    return BlockedRows(
        mean=mean,
        error=error,
        freedom=freedom,
        differences=(None,) * len(blocks),
        scale=np.full(len(blocks), np.nan),
    )


def _clipped(table: _Floats) -> _Floats:
    """Return rows of differences with none further from 0 than some times their median: signs stay as likely.

    Source: P. J. Huber, Annals of Mathematical Statistics 35 (1964) 73-101, for a bound on what one value may do.
    """
    most = _FAR * np.median(np.abs(table), axis=1, keepdims=True)
    return np.asarray(np.where(most > _ROUNDING, np.clip(table, -most, most), table))


def _clearness_of_signs(table: _Floats, prior: _Floats, weight: _Floats, most: int) -> _Floats:
    """Return for rows of differences how clear each deal of signs is: as it was, then the others, or some by chance.

    It is the log likelihood ratio of a mean, with Bartlett's factor, so that rows of different size are on one scale.
    """
    size = table.shape[1]
    if 2 ** (size - 1) <= most:
        signs = 1.0 - 2.0 * (np.arange(2 ** (size - 1))[:, None] >> np.arange(size) & 1)
    else:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (most, size))
        signs[0] = 1.0
    squares = ((table**2).sum(axis=1) + prior * weight)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        explained = np.nan_to_num((table @ signs.T) ** 2 / size / squares)
    return np.asarray((size - 1.5 + weight[:, None]) * -np.log1p(-np.clip(explained, 0.0, 1 - 1e-15)))


def paired_logs(logs: ArrayLike, confidence_level: float = 0.95) -> PairedLogs:
    """Return the mean logarithm of the ratios in each row, with its t interval and test; NaN stands for no ratio.

    Source: "Student", The probable error of a mean, Biometrika 6 (1908) 1-25, on the differences of pairs.

    Examples
    --------
    >>> paired = paired_logs([[0.31, 0.28, 0.33], [0.02, -0.01, float("nan")]])
    >>> paired.count.tolist(), paired.alike.tolist(), (paired.pvalue < 0.05).tolist()
    ([3, 2], [3, 1], [True, False])
    """
    level = checked_level(confidence_level)
    table = np.atleast_2d(np.asarray(logs, dtype=np.float64))
    known = np.isfinite(table)
    count = known.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, table, 0.0).sum(axis=1) / count
        squares = (np.where(known, table - mean[:, None], 0.0) ** 2).sum(axis=1)
        error = np.sqrt(squares / (count - 1) / count)
    enough = count > 1
    freedom = np.where(enough, count - 1, 1)
    # A spread of rounding alone is none.
    error = np.where(enough, np.where(error > _ROUNDING, error, 0.0), np.nan)
    reach = np.where(enough, special.stdtrit(freedom, (1 + level) / 2) * error, np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.where(np.abs(mean) <= _ROUNDING, 0.0, np.abs(mean) / error)
    return PairedLogs(
        mean=mean,
        error=error,
        low=mean - reach,
        high=mean + reach,
        pvalue=np.where(enough, 2 * special.stdtr(freedom, -far), np.nan),
        count=count,
        alike=(known & (table * np.sign(mean)[:, None] > 0)).sum(axis=1),
    )


def blocked_ratio(
    values: ArrayLike,
    over: ArrayLike,
    *,
    blocks: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> BlockedRatio:
    """Return the ratio of one side over the other, taken within blocks and strata that hold both.

    The error is the spread of the ratios of blocks, where three blocks or more hold both sides: what runs differ by in
    their ratios is in it, and strata are averaged within each block. Else it is the spread between strata, where there
    are three or more: what the configuration does to the ratio is in it. Else it is that of two blocks; and with one
    block, that of the values within it, by Welch.

    Parameters
    ----------
    values : array_like, shape (n,)
        All above 0.
    over : array_like of bool, shape (n,)
        Whether a value is of the side that is held against the other.
    blocks, strata : array_like, shape (n,), optional
        Which run or round, and which configuration, each value is of; left out, all are of one.
    confidence_level : float

    Raises
    ------
    DataError
        For a value that is not above 0, and where no block and stratum holds both sides.

    References
    ----------
    G. E. P. Box, W. G. Hunter, J. S. Hunter, Statistics for Experimenters, 2nd ed., sections 3.2 and 4.2: paired
    comparisons and randomised blocks. B. L. Welch, Biometrika 34 (1947) 28-35, for values of one block.

    Examples
    --------
    >>> values, sides = [10.0, 13.2, 11.0, 14.9, 9.0, 12.1], [False, True] * 3
    >>> ratio = blocked_ratio(values, sides, blocks=[1, 1, 2, 2, 3, 3])
    >>> round(ratio.estimate.value, 2), f"{ratio.blocks_alike} of {ratio.blocks}", ratio.pvalue < 0.01
    (1.34, '3 of 3', True)
    """
    level = checked_level(confidence_level)
    sample = checked_values(values)
    if sample.min() <= 0:
        raise DataError(f"a side of the ratio holds {sample.min():g}; only values above 0 have a ratio")
    upper = np.asarray(over, dtype=bool).ravel()
    block, stratum = (_codes(labels, sample.size) for labels in (blocks, strata))
    ratios, kept = _ratios(np.log(sample), upper, block, stratum)
    by_stratum = np.nanmean(ratios, axis=0)
    # What a stratum does to the ratio is no error of a block that lacks it.
    by_block = by_stratum.mean() + np.nanmean(ratios - by_stratum, axis=1)
    of_blocks, of_strata = (paired_logs(logs, level) for logs in (by_block, by_stratum))
    if by_block.size >= _ENOUGH or (by_block.size > 1 and by_stratum.size < _ENOUGH):
        by, chosen, freedom = "block", of_blocks, by_block.size - 1
    elif by_stratum.size >= _ENOUGH:
        by, chosen, freedom = "stratum", of_strata, by_stratum.size - 1
    else:
        by, chosen, freedom = _by_values(np.log(sample), upper, stratum, kept, of_strata, level)
    with np.errstate(over="ignore"):
        low, value, high = np.exp([chosen.low[0], chosen.mean[0], chosen.high[0]]).tolist()
    return BlockedRatio(
        estimate=Estimate(
            value=value,
            low=low if math.isfinite(chosen.low[0]) else -math.inf,
            high=high,
            unit="x",
            confidence_level=level,
            n=int(kept.sum()),
            method=_METHODS["none" if math.isnan(chosen.error[0]) else by].format(
                freedom=freedom, count=by_block.size if by == "block" else by_stratum.size
            ),
            standard_error=value * float(chosen.error[0]),
        ),
        pvalue=float(chosen.pvalue[0]),
        by=by,
        blocks=by_block.size,
        blocks_alike=int(of_blocks.alike[0]),
        strata=by_stratum.size,
        strata_alike=int(of_strata.alike[0]),
    )


_METHODS = {
    "none": "ratio of single values",
    "block": "geometric mean of the ratios within {count} blocks, paired t({freedom:.3g}) on logarithms",
    "stratum": "geometric mean of {count} matched ratios, t interval on logarithms",
    "value": "ratio of geometric means, Welch interval on logarithms of the replicates",
}


def _codes(labels: ArrayLike | None, size: int) -> _Codes:
    if labels is None:
        return np.zeros(size, dtype=np.intp)
    flat = np.asarray(labels).ravel()
    if flat.size != size:
        raise DataError(f"{flat.size} blocks or strata for {size} values; give one each")
    return np.unique(flat, return_inverse=True)[1].astype(np.intp).ravel()


def _ratios(logs: _Floats, over: _Marks, block: _Codes, stratum: _Codes) -> tuple[_Floats, _Marks]:
    """Return the logarithm of the ratio in each block and stratum, NaN where a side is absent, and the values used."""
    shape = (int(block.max()) + 1, int(stratum.max()) + 1)
    place = np.ravel_multi_index((block, stratum), shape)
    sides = []
    for side in (over, ~over):
        count = np.bincount(place[side], minlength=shape[0] * shape[1])
        with np.errstate(invalid="ignore"):
            sides.append(np.bincount(place[side], logs[side], count.size) / np.where(count, count, np.nan))
    ratios = (sides[0] - sides[1]).reshape(shape)
    held = np.isfinite(ratios)
    if not held.any():
        raise DataError("no block holds both sides of the ratio; measure them side by side")
    return ratios[held.any(axis=1)][:, held.any(axis=0)], held.ravel()[place]


def _by_values(
    logs: _Floats,
    over: NDArray[np.bool_],
    stratum: _Codes,
    kept: NDArray[np.bool_],
    of_strata: PairedLogs,
    level: float,
) -> tuple[str, PairedLogs, float]:
    """Judge one block of one or two strata by its replicates; of single values by the two strata, if there are two."""
    groups = [
        logs[kept & (stratum == own) & (over == side)] for own in np.unique(stratum[kept]) for side in (True, False)
    ]
    if any(group.size < 2 for group in groups):
        return "stratum", of_strata, len(groups) // 2 - 1
    strata = len(groups) // 2
    parts = np.array([group.var(ddof=1) / group.size for group in groups]) / strata**2
    total = float(parts.sum())
    shares = parts / total if total > 0 else np.full(parts.size, 1 / parts.size)
    freedom = 1 / float((shares**2 / [group.size - 1 for group in groups]).sum())
    error, mean = math.sqrt(total), float(of_strata.mean[0])
    reach = float(special.stdtrit(freedom, (1 + level) / 2)) * error
    far = abs(mean) / error if error else (math.inf if abs(mean) > _ROUNDING else 0.0)
    return (
        "value",
        PairedLogs(
            mean=of_strata.mean,
            error=np.array([error]),
            low=np.array([mean - reach]),
            high=np.array([mean + reach]),
            pvalue=np.array([2 * float(special.stdtr(freedom, -far))]),
            count=of_strata.count,
            alike=of_strata.alike,
        ),
        freedom,
    )
