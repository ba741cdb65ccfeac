"""What a table would say of a log: the statistics of a sample, to the digits that the table writes."""

from __future__ import annotations

import re
from typing import cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.metrics import factor_of

__all__ = ["Values", "bounds", "lies", "significant", "statistic_of", "told"]

Values = npt.NDArray[np.float64]

#: The name of a statistic beside the metric it is of: ``time_mean``, ``latency_p99.9``.
_STATISTIC = re.compile(r"(.+)_(mean|median|min|max|stdev|p\d{1,3}(?:\.\d{1,6})?)", re.DOTALL)
#: Statistics that every tool computes alike; of deviations and percentiles there are several.
_PLAIN = frozenset({"mean", "median", "min", "max", "p50"})
#: Of so many values of a column the digits are counted.
_LOOKED_AT = 1000
#: Two sums of the same numbers agree so far, whatever the order.
_ROUNDING = 1e-9


def statistic_of(metric: str) -> tuple[str, str]:
    """Return the metric and the statistic that a name is made of; no statistic where it is none.

    Examples
    --------
    >>> statistic_of("latency_p99.9"), statistic_of("time"), statistic_of("cpu_time")
    (('latency', 'p99.9'), ('time', ''), ('cpu_time', ''))
    """
    found = _STATISTIC.fullmatch(metric)
    return (found[1], found[2]) if found else (metric, "")


def told(sample: Values, statistic: str) -> tuple[Values, bool]:
    """Return, in order, what may be said of a sample, and whether anything else would contradict it.

    Parameters
    ----------
    sample : ndarray
        Not empty.
    statistic : str
        Its name; without one, a row stands for the sample by a value of it, or by its median, mean, geometric
        mean, least or largest value, or sum.
    """
    if not statistic:
        middle = [np.median(sample), np.mean(sample), np.sum(sample)]
        if sample.min() > 0:
            middle.append(np.exp(np.mean(np.log(sample))))
        return np.sort(np.concatenate([sample, middle])), True
    if statistic == "stdev":
        several = [np.std(sample), np.std(sample, ddof=1)] if len(sample) > 1 else [0.0]
        return np.sort(np.asarray(several)), False
    if statistic in ("mean", "min", "max"):
        return np.asarray([getattr(np, statistic)(sample)]), True
    share = 50.0 if statistic == "median" else float(statistic[1:])
    if share > 100:
        return np.zeros(0), False
    ways = ["linear"] if statistic in _PLAIN else ["linear", "lower", "higher"]
    return np.sort([np.percentile(sample, share, method=one) for one in ways]), statistic in _PLAIN  # type: ignore[call-overload]


def bounds(rows: pd.DataFrame, digits: int = 0) -> tuple[Values, Values]:
    """Return between which values lies what each row may stand for, in base units.

    The digits are those of its column: a column is written with so many decimals, or so many digits in all.

    Parameters
    ----------
    rows : DataFrame
        Of one file.
    digits : int, optional
        How many digits the values had before they were written, where the reader knows.
    """
    low, high = np.zeros(len(rows)), np.zeros(len(rows))
    for key, at in rows.groupby(["metric", "original_unit"], observed=True, sort=False).indices.items():
        name, unit = cast(tuple[str, str], key)
        values = rows["value"].to_numpy(dtype=np.float64)[at]
        factor = factor_of(name, unit) or 1.0
        step = _step(values / factor) * factor
        # Rounded, cut or rounded up: some tools do each.
        slack = step + _ROUNDING * np.abs(values) + (_place(values, digits) if digits else 0.0)
        low[at], high[at] = values - slack, values + slack
    return low, high


def _step(written: Values) -> Values:
    """Return the worth of the last digit of each value of a column."""
    texts = [f"{one:.12g}" for one in written[:: max(1, len(written) // _LOOKED_AT)]]
    decimals = max((len(one.partition(".")[2]) for one in texts if "e" not in one), default=0)
    most = max(len(one.lstrip("-").partition("e")[0].replace(".", "").strip("0")) for one in texts)
    # Numbers as %g writes them have as many digits, and not as many decimals.
    by_digits = _place(written, most)
    found: Values = np.maximum(10.0**-decimals, by_digits) if not any("e" in one for one in texts) else by_digits
    return found


def _place(values: Values, digits: int) -> Values:
    """Return the worth of the digit that stands so far right of each value's first."""
    size = np.abs(values)
    with np.errstate(divide="ignore"):
        first = np.floor(np.log10(size))
    found: Values = np.where(size > 0, 10.0 ** np.clip(first - digits + 1, -300, 300), 0.0)
    return found


def lies(known: Values, low: Values, high: Values) -> npt.NDArray[np.bool_]:
    """Return which pairs of bounds have one of the known values, in order, between them."""
    at = np.searchsorted(known, low)
    inside = at < len(known)
    inside[inside] = known[at[inside]] <= high[inside]
    return inside


def significant(value: float) -> int:
    """Return how many significant digits a value has as written.

    Examples
    --------
    >>> significant(1234500.0), significant(0.25), significant(0.0)
    (5, 2, 0)
    """
    # Beyond 15 digits stand the traces of a conversion between units.
    return len(f"{value:.15g}".lstrip("-").partition("e")[0].replace(".", "").strip("0"))
