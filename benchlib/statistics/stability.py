"""Is the machine the same from run to run, and what did it do to benchmarks nobody touched?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.errors import DataError
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import _checked_rows, checked_level, checked_values
from benchlib.statistics.moments import f_tail
from benchlib.statistics.verdicts import benjamini_hochberg

__all__ = [
    "SPREAD_LIMIT",
    "ControlNull",
    "RunSpread",
    "control_interval",
    "control_null",
    "log_median_variances",
    "run_spread",
    "runs_apart",
]


#: Runs of the same code that differ by more than this factor, as a rule, are of a noisy machine.
SPREAD_LIMIT = 1.10
#: A row is tested only where orders of its own values could have so small a p value, and found only where they have it.
_OWN_LEVEL = 0.05
#: Random orders of a row's values that its runs are held against.
_ORDERS = 999
#: Among more rows than this one does not move the median, so that it need not be left out of it.
_MANY_ROWS = 200
#: What a median knows of a scale, over what a mean knows: as of exponential values.
_EFFICIENCY = math.log(2) ** 2
#: Few controls that differ widely allow any change: a range that reaches a millionfold from its centre bounds nothing.
_UNBOUNDED = math.log(1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpread:
    """How far repeated runs of the same code lie apart."""

    centres: tuple[float, ...]  # the median of each run, in the order of the runs
    counts: tuple[int, ...]  # values behind each
    #: Largest over smallest centre; 1 where all are equal, infinite where a centre is not positive and they differ.
    ratio: float
    #: lowest, highest: which run, counted from 0.
    lowest: int
    highest: int
    trend: Literal["rising", "falling", ""]  # whether the centres only rise or only fall (3 runs or more)


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlNull:
    """What the machine alone did to benchmarks that the change cannot affect.

    The first four are natural logarithms of candidate over baseline.
    """

    center: float  # mean log ratio of the controls
    spread: float  # their standard deviation; NaN for one control
    #: low, high: prediction interval of the log ratios of further untouched benchmarks; infinite where controls bound
    #: nothing.
    low: float
    high: float
    n: int  # controls
    confidence_level: float  # chance that the interval holds all of `together` further untouched benchmarks
    together: int = 1  # how many the interval is for


def run_spread(values_by_run: Sequence[ArrayLike]) -> RunSpread:
    """Return how far the runs of one benchmark lie apart."""
    if len(values_by_run) < 2:
        raise DataError(f"a spread over runs needs 2 runs, got {len(values_by_run)}; repeat the run")
    runs = [checked_values(run, f"run {place}") for place, run in enumerate(values_by_run, start=1)]
    centres = np.array([float(np.median(run)) for run in runs])
    least, most = float(centres.min()), float(centres.max())
    ratio = most / least if least > 0 else (1.0 if least == most else math.inf)
    return RunSpread(
        centres=tuple(centres.tolist()),
        counts=tuple(run.size for run in runs),
        ratio=ratio,
        lowest=int(centres.argmin()),
        highest=int(centres.argmax()),
        trend=_trend(np.diff(centres)),
    )


def runs_apart(rows: Sequence[Sequence[ArrayLike]]) -> NDArray[np.float64]:
    """Return for each benchmark the p value of its runs being alike, adjusted for the number of benchmarks.

    An F test on logarithms: how much the means of its runs vary, against what its values within a run and runs of the
    other benchmarks explain. What moves all benchmarks from run to run is the machine, and no benchmark's own; it is
    estimated so that the median F ratio of the others is as expected, which several that stand out do not raise. So
    that no chance pattern of few values passes (two modes, a coarse clock), the means of runs also have to vary more
    than in 19 of 20 random orders of the benchmark's own values. P values are adjusted by Benjamini and Hochberg.

    Parameters
    ----------
    rows : sequence of sequence of array_like
        Of each benchmark, for each of its runs, the values, all above 0.

    Returns
    -------
    ndarray
        NaN where no order of so few values is rarer than 5 %: two runs of three values, three of two, and any number of
        runs of one.

    References
    ----------
    S. R. Searle, G. Casella, C. E. McCulloch, Variance Components (1992), section 3.6 (unequal numbers).
    F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114 (degrees of freedom).
    B. Phipson, G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39 (random orders).
    Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995) 289-300.

    Examples
    --------
    >>> steady = [[100, 101, 99, 100], [101, 100, 100, 99]]
    >>> runs_apart([steady, steady, [[100, 101, 99, 100], [120, 121, 119, 122]]]).round(4).tolist()
    [1.0, 1.0, 0.0]
    """
    analyses = [_analyse(row) for row in rows]
    tested = [place for place, analysis in enumerate(analyses) if analysis.testable]
    pvalues = np.full(len(rows), np.nan)
    machine = _between_runs([analyses[place] for place in tested]) if len(tested) > _MANY_ROWS else None
    for place in tested:
        variance, freedom = machine or _between_runs([analyses[other] for other in tested if other != place])
        pvalue = _f_test(analyses[place], variance, freedom)
        pvalues[place] = max(pvalue, _by_order(rows[place])) if pvalue <= _OWN_LEVEL else pvalue
    return benjamini_hochberg(pvalues)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Analysis:
    """The analysis of variance of one benchmark, on logarithms."""

    freedom: int  # of the mean square between runs
    of_runs: float  # mean square between runs
    of_values: float  # mean square within runs
    values_freedom: int
    repeats: float  # values a run, averaged as the mean square needs it
    testable: bool


def _analyse(row: Sequence[ArrayLike]) -> _Analysis:
    logs = [np.log(checked_values(run, "run")) for run in row]
    sizes = np.array([run.size for run in logs])
    runs, total = len(logs), int(sizes.sum())
    means = np.array([run.mean() for run in logs])
    middle = float((sizes * means).sum()) / total
    freedom = total - runs
    # All ways to share the values out are as likely as each other; relabelled runs are the same way.
    ways = math.lgamma(total + 1) - sum(math.lgamma(size + 1) for size in sizes.tolist())
    return _Analysis(
        freedom=runs - 1,
        of_runs=float((sizes * (means - middle) ** 2).sum()) / (runs - 1),
        of_values=sum(float(((run - run.mean()) ** 2).sum()) for run in logs) / freedom if freedom else math.nan,
        values_freedom=freedom,
        repeats=float(total - (sizes**2).sum() / total) / (runs - 1),
        testable=bool(freedom) and math.lgamma(runs + 1) - ways <= math.log(_OWN_LEVEL),
    )


def _between_runs(analyses: Sequence[_Analysis]) -> tuple[float, float]:
    """Return the variance that runs add so that the median F ratio is what chance makes it, with its freedom."""
    if not analyses:
        return 0.0, 0.0
    freedom, of_runs, of_values, repeats = np.array(
        [(each.freedom, each.of_runs, each.of_values, each.repeats) for each in analyses]
    ).T
    expected = special.chdtri(freedom, 0.5) / freedom

    def excess(variance: float) -> float:
        noise = of_values + repeats * variance
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(of_runs > 0, of_runs / (noise * expected), 0.0)
        return float(np.median(ratios)) - 1

    low, high = 0.0, float((of_runs / (expected * repeats)).max())
    if excess(low) <= 0:
        return 0.0, 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    information = (repeats * high / (of_values + repeats * high)) ** 2
    return high, _EFFICIENCY * float((freedom * information).sum())


def _f_test(analysis: _Analysis, machine: float, machine_freedom: float) -> float:
    """Return the p value of the runs' mean square against what values and the machine explain together."""
    from_machine = analysis.repeats * machine
    expected = analysis.of_values + from_machine
    if not expected:
        return 0.0 if analysis.of_runs else 1.0
    parts = analysis.of_values**2 / analysis.values_freedom
    parts += from_machine**2 / machine_freedom if from_machine else 0.0
    return f_tail(analysis.of_runs / expected, analysis.freedom, expected**2 / parts)


def _by_order(row: Sequence[ArrayLike]) -> float:
    """Return 0 where the means of runs vary more than in 19 of 20 random orders of all values, else the share."""
    sizes = np.array([np.size(run) for run in row])
    starts = np.cumsum(sizes) - sizes
    logs = np.log(np.concatenate([np.ravel(run) for run in row]))
    logs -= logs.mean()
    orders = np.random.default_rng(sizes.size).permuted(np.tile(logs, (_ORDERS, 1)), axis=1)
    seen, drawn = ((np.add.reduceat(each, starts, axis=-1) ** 2 / sizes).sum(axis=-1) for each in (logs, orders))
    share = (1 + np.count_nonzero(drawn >= seen * (1 - 1e-9))) / (1 + _ORDERS)
    return 0.0 if share <= _OWN_LEVEL else float(share)


def control_null(log_ratios: ArrayLike, level: float = 0.95, *, together: int = 1) -> ControlNull:
    """Return the range in which further benchmarks fall if only the machine changed.

    A prediction interval: mean ± t * spread * sqrt(1 + 1/n), with a quantile of Student's t at n - 1 degrees of
    freedom. For several further benchmarks each gets its part of what the level leaves (Bonferroni), so that all of
    them lie inside with at least this chance. It assumes that log ratios of untouched benchmarks are roughly normal
    and that the controls met the same machine as the rows they judge.

    Source: G. J. Hahn, W. Q. Meeker, Statistical Intervals, 1991, sections 4.7 and 4.8; O. J. Dunn, Journal of the
    American Statistical Association 56 (1961) 52-64.
    """
    logs = checked_values(log_ratios, "set of log ratios of the controls")
    confidence_level = checked_level(level)
    alone = ControlNull(
        center=float(logs.mean()),
        spread=float(logs.std(ddof=1)) if logs.size > 1 else math.nan,
        low=-math.inf,
        high=math.inf,
        n=logs.size,
        confidence_level=confidence_level,
        together=together,
    )
    low, high = control_interval(alone, confidence_level, together=together)
    return replace(alone, low=float(low[0]), high=float(high[0]))


def control_interval(
    null: ControlNull, level: float, *, together: int = 1, extra_variance: ArrayLike = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where further untouched benchmarks fall, as log ratios.

    With `together` the number of rows that the controls speak for, the chance that *any* of so many untouched rows
    lies outside is at most what the level leaves (Bonferroni). Rows that truly changed beside them make no difference
    to it. The rows share the controls' errors in mean and spread, so that the bound is wide where controls are few:
    for 26 rows it is 1.07 times as wide as need be with 10 controls, and 2.3 times with 3.

    Do not ask each row by itself and adjust by Benjamini-Hochberg: among rows of which half truly changed, 10
    controls and 10 untouched rows then give a false verdict in 1 study of 5, and 26 and 26 in 2 of 5.

    Source: O. J. Dunn, Journal of the American Statistical Association 56 (1961) 52-64, for the bound; G. J. Hahn,
    Journal of the American Statistical Association 64 (1969) 878-888, for the exact interval that it is held against
    above.
    """
    if together < 1:
        raise DataError(f"{together} benchmarks to lie in an interval; give 1 or more")
    quantile = -float(special.stdtrit(max(null.n, 2) - 1, (1 - checked_level(level)) / (2 * together)))
    reach = quantile * _prediction_error(null, extra_variance)
    reach = np.where(np.isnan(reach) | (reach > _UNBOUNDED), np.inf, reach)
    return null.center - reach, null.center + reach


def _prediction_error(null: ControlNull, extra_variance: ArrayLike) -> NDArray[np.float64]:
    extra = np.asarray(extra_variance, dtype=np.float64)
    if not (extra >= 0).all():
        raise DataError("an extra variance is negative or NaN; give 0 where a row repeats as well as the controls")
    return np.atleast_1d(np.sqrt(null.spread**2 * (1 + 1 / null.n) + extra))


def _trend(steps: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Literal["rising", "falling", ""]:
    if steps.size < 2:
        return ""
    if (steps > 0).all():
        return "rising"
    return "falling" if (steps < 0).all() else ""


def log_median_variances(values: ArrayLike, starts: ArrayLike) -> NDArray[np.float64]:
    """Return the sampling variance of the logarithm of each sample's median.

    As for normal logarithms: pi / 2 times their variance over their number.

    Source: A. W. van der Vaart, Asymptotic Statistics, 1998, chapter 21 (the median in large samples).
    """
    flat, places = _checked_rows(values, starts)
    sizes = np.diff(places)
    row = np.repeat(np.arange(sizes.size), sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(flat)
        means = np.bincount(row, logs, minlength=sizes.size) / sizes
        squares = np.bincount(row, (logs - means[row]) ** 2, minlength=sizes.size)
        variances = math.pi / 2 * squares / (sizes - 1) / sizes
    return np.where((sizes > 1) & np.isfinite(variances), variances, np.nan)
