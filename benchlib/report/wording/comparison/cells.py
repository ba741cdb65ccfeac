"""Cells of a comparison's tables: medians as benchstat writes them, changes the right way round.

They are written from bare numbers, in a few microseconds a row: tables of 20,000 rows are normal.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from benchlib.report.wording.words import (
    carried_decimals,
    change,
    direction,
    is_loss,
    metric_name,
    written_factor,
    written_loss,
)
from benchlib.units import percent, scaled

__all__ = ["bounds_words", "change_cell", "medians", "metric_head", "pvalue_cell", "ratio_words", "spread"]

#: Ratios up to this one are told as a percentage, larger ones as a factor.
_FACTOR = 2.0
#: Up to this one percentages have tenths, which say nothing beside tens.
_TENTHS = 1.1
#: Decimals of a factor in a column, where each row has its own interval.
_HUNDREDTHS = 2
#: Reason -> as it stands behind a verdict, short; those not named are short as they are.
_REASONS = {
    "too few values": "n too small",
    "smaller than matters": "may be too small to matter",
    "not shown to exceed": "not shown to exceed what matters",
    "one of many": "one chance of many",
    "no control speaks for it": "the controls moved, none speaks for it",
    "moved while recorded": "its values moved while they were recorded",
    "no interval": "n too small for an interval",
    "no direction": "changed, but which way is better is not known",
    "control": "the change cannot affect it",
}
#: Numbers below this are written with all the digits before their point.
_EXACT = 1e12


def metric_head(metric: str, unit: str, better: str | None) -> str:
    """Say what a table measures, in which unit, and which way is better.

    Examples
    --------
    >>> metric_head("time", "sec/op", "lower"), metric_head("goroutines", "", None)
    ('time per operation (s/op), lower is better', 'goroutines, which way is better is not known')
    """
    name, shown = metric_name(metric), "" if unit == "ratio" else scaled(1.0, unit)[1]
    told = f"{name} ({shown})" if shown and shown != name else name
    return f"{told}, {f'{better} is better' if better else 'which way is better is not known'}"


def medians(before: float, after: float, unit: str) -> tuple[str, str]:
    """Write both medians in one scale, as benchstat does; what stands below the line is left to the head.

    Examples
    --------
    >>> medians(1.2012e-6, 1.463e-6, "sec/op"), medians(2.0, 1024.0, "allocs/op"), medians(0.0, 1536.0, "B/op")
    (('1.201µs', '1.463µs'), ('2', '1,024'), ('0.000KiB', '1.500KiB'))
    >>> medians(1e299, 2e299, "sec/op")
    ('1.000e+299s', '2.000e+299s')
    """
    if unit == "ratio":
        return f"{_digits(100 * before)}%", f"{_digits(100 * after)}%"
    divisor, shown = scaled(min(abs(before), abs(after)) or max(abs(before), abs(after)), unit)
    head = shown.partition("/")[0] if unit.startswith(("sec", "B")) else ""
    if not head and before.is_integer() and after.is_integer() and abs(before) + abs(after) < _EXACT:
        return f"{before:,.0f}", f"{after:,.0f}"  # counts are exact
    return f"{_digits(before / divisor)}{head}", f"{_digits(after / divisor)}{head}"


def _digits(value: float) -> str:
    """Write four significant digits; more before the point are kept, as far as they are exact."""
    size = abs(value)
    if size >= _EXACT:
        return f"{value:.3e}"
    if 0 < size < 0.0995:
        return f"{value:.3g}"
    return f"{value:,.{3 if size < 9.9995 else 2 if size < 99.995 else 1 if size < 999.95 else 0}f}"


def spread(median: float, low: float, high: float) -> str:
    """Write how far an interval reaches from its median, as benchstat does.

    References
    ----------
    golang.org/x/perf/benchmath, ``Summary.PctRangeString``.

    Examples
    --------
    >>> spread(100.0, 97.0, 101.0), spread(5.0, -math.inf, math.inf), spread(0.0, 0.0, 0.0), spread(1.0, -1.0, 2.0)
    ('3%', '∞', '0%', '?')
    """
    if math.isinf(low) or math.isinf(high):
        return "∞"
    if low == median == high:
        return "0%"
    if median == 0 or (low < 0) != (median < 0) or (high < 0) != (median < 0):
        return "?"
    return f"{100 * max(high / median - 1, 1 - low / median):.0f}%"


def change_cell(before: float, after: float, ratio: float, *, unit: str, metric: str) -> str:
    """Write a change: in percent up to a factor of two, beyond it in words.

    Parameters
    ----------
    before, after : float
        The medians, in `unit`.
    ratio : float
        Candidate over baseline; NaN where there is none.

    Examples
    --------
    >>> [change_cell(1.0, 1.0 * one, one, unit="sec/op", metric="time") for one in (1.22, 0.8, 0.2, 1.0)]
    ['+22.0%', '−20.0%', '5.00x faster', 'equal']
    >>> change_cell(0.0, 1.0, math.nan, unit="allocs/op", metric="allocations")
    '0 to 1'
    """
    if before == after:
        return "equal"
    if math.isnan(ratio) or ratio < 0:
        return " to ".join(medians(before, after, unit))
    return _percent(ratio) if 1 / _FACTOR <= ratio <= _FACTOR else change(ratio, metric)


def ratio_words(ratio: float, low: float, high: float, metric: str = "time") -> str:
    """Write the ends of an interval of a ratio as its value is written: in percent, or as factors not below one.

    Examples
    --------
    >>> ratio_words(1.2, 1.1, 1.3), ratio_words(0.4, 0.3, 0.5), ratio_words(2.5, 0.8, 5.0)
    ('+10% to +30%', '2.00x to 3.33x', '−20% to +400%')
    >>> ratio_words(1.02, 1.011, 1.029), ratio_words(1.2, 1.1, math.inf), ratio_words(1.2, -math.inf, math.inf)
    ('+1.1% to +2.9%', 'at least +10%', '')
    """
    if not _bounded(ratio, low, high):
        return ""
    if not 1 / _FACTOR <= ratio <= _FACTOR and not low < 1 < high:
        return _factors(ratio, low, high, metric, _HUNDREDTHS)
    digits = 1 if low > 1 / _TENTHS and high < _TENTHS else 0
    if math.isinf(high):
        return f"at least {_percent(low, digits)}"
    return f"{_percent(low, digits)} to {_percent(high, digits)}" if low > 0 else f"at most {_percent(high, digits)}"


def factor_words(ratio: float, low: float, high: float, metric: str = "time") -> str:
    """Write the ends of an interval of a ratio as factors not below one; in percent where they part ways.

    Of a rate or an amount that fell they are the shares that are gone.

    Examples
    --------
    >>> factor_words(1.2, 1.1, 1.3), factor_words(0.4, 0.0, 0.5), factor_words(2.5, 0.8, 5.0)
    ('1.10x to 1.30x', 'at least 2.00x', '−20% to +400%')
    >>> factor_words(30.93, 12.05, 40.04)
    '12x to 40x'
    >>> factor_words(0.1, 0.09, 0.11, "throughput"), factor_words(0.4, 0.0, 0.5, "memory")
    ('89 % to 91 %', 'at least 50 %')
    """
    if not _bounded(ratio, low, high):
        return ""
    if low < 1 < high:
        return ratio_words(ratio, low, high, metric)
    return _factors(ratio, low, high, metric, carried_decimals(ratio, low, high))


def _factors(ratio: float, low: float, high: float, metric: str, decimals: int) -> str:
    if ratio < 1 and is_loss(ratio, metric):
        return f"{written_loss(high)} to {written_loss(low)}" if low > 0 else f"at least {written_loss(high)}"
    nearer, farther = (low, high) if ratio >= 1 else (1 / high, 1 / low if low > 0 else math.inf)
    if math.isinf(farther):
        return f"at least {written_factor(nearer, decimals)}"
    return f"{written_factor(nearer, decimals)} to {written_factor(farther, decimals)}"


def factor_ends(ratio: float, low: float, high: float, metric: str) -> str:
    """Write the ends of an interval as factors not below one, said which way where they part ways.

    Examples
    --------
    >>> factor_ends(1.2, 1.1, 1.3, "time"), factor_ends(0.4, 0.0, 0.5, "time"), factor_ends(1.03, 0.98, 1.08, "time")
    ('1.10x to 1.30x', 'at least 2.00x', '1.02x faster to 1.08x slower')
    >>> factor_ends(1.03, 0.98, math.inf, "throughput"), factor_ends(1.03, 0.0, 1.08, "time")
    ('at most 2.0 % lower', 'at most 1.08x slower')
    """
    if not low < 1 < high:
        return factor_words(ratio, low, high, metric)
    decimals = carried_decimals(ratio, low, high)
    return " to ".join(_ends(ratio, low, high, metric, lambda end, of: change(end, of, decimals)))


def bounds_words(ratio: float, low: float, high: float, metric: str) -> str:
    """Write the ends of an interval for a sentence: as factors; in percent, and which way, where they part ways.

    Examples
    --------
    >>> bounds_words(1.2, 1.1, 1.3, "time"), bounds_words(1.0, 0.98, 1.03, "time")
    ('1.10x to 1.30x', 'between 2.0 % faster and 3.0 % slower')
    >>> bounds_words(1.0, 0.98, 1.3, "throughput"), bounds_words(1.2, 0.4, 1.3, "throughput")
    ('between 2.0 % lower and 30 % higher', 'between 60 % lower and 30 % higher')
    >>> bounds_words(1.03, 0.98, math.inf, "throughput"), bounds_words(1.004, 1.001, 1.007, "time")
    ('at most 2.0 % lower', '+0.1% to +0.7%')
    """
    if low < 1 < high:
        decimals = carried_decimals(ratio, low, high)
        ends = _ends(ratio, low, high, metric, lambda end, of: _end(end, of, decimals))
        return f"between {' and '.join(ends)}" if len(ends) > 1 else "".join(ends)
    near = ratio > 0 and written_factor(max(ratio, 1 / ratio)) == written_factor(1.0)
    return (ratio_words if near else factor_words)(ratio, low, high, metric)


def _ends(ratio: float, low: float, high: float, metric: str, end: Callable[[float, str], str]) -> tuple[str, ...]:
    """Say both ends of an interval that holds 1; of one that is open, the end that it has."""
    if not _bounded(ratio, low, high):
        return ()
    if math.isinf(high):
        return (f"at most {end(low, metric)}",)
    return (end(low, metric), end(high, metric)) if low > 0 else (f"at most {end(high, metric)}",)


def _end(ratio: float, metric: str, decimals: int) -> str:
    if is_loss(ratio, metric):
        return f"{written_loss(ratio)} {direction(ratio, metric)}"
    factor = max(ratio, 1 / ratio)
    if factor >= _FACTOR:
        return change(ratio, metric, decimals)
    return f"{percent(factor - 1, 1 if factor < _TENTHS else 0)} {direction(ratio, metric)}"


def _bounded(ratio: float, low: float, high: float) -> bool:
    """Whether an interval says anything: it has two ends that differ, one of them within reach."""
    # Counts that all doubled lie between 1.9999999999999998 and 2: rounding is no width.
    narrow = math.isclose(low, high, rel_tol=1e-12)
    return not (math.isnan(ratio) or math.isnan(low) or narrow or (math.isinf(high) and low <= 0))


def _percent(ratio: float, digits: int = 1) -> str:
    told = f"{100 * (ratio - 1):+.{digits}f}%" if ratio < _EXACT else f"{100 * ratio:+.3e}%"
    # What rounds to nothing has no sign.
    return told.replace("-", "−") if told.strip("+-0.%") else told[1:]


def pvalue_cell(pvalue: float) -> str:
    """Write a p value.

    Examples
    --------
    >>> pvalue_cell(0.0416), pvalue_cell(1.1e-5), pvalue_cell(math.nan)
    ('0.042', '<0.001', '–')
    """
    if math.isnan(pvalue):
        return "–"
    return f"{pvalue:.3f}" if pvalue >= 0.0005 else "<0.001"


def reason_words(reason: str) -> str:
    """Say in short why a row has no verdict, or not its own.

    Examples
    --------
    >>> reason_words("smaller than matters"), reason_words("within what controls did"), reason_words("")
    ('may be too small to matter', 'within what controls did', '')
    """
    return _REASONS.get(reason, reason)
