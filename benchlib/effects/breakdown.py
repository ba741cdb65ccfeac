"""What a whole is made of: the share of each part, and what no part explains."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import CellTable, Level, _estimate_difference, _estimate_on_logs, welch
from benchlib.errors import DataError, choices, printable
from benchlib.statistics.estimates import Estimate, checked_level, checked_values, point

__all__ = ["Breakdown", "PartShare", "break_down", "break_down_cells"]

#: Where a share comes from: a benchmark of the part, a profile of the whole, or the author's judgement.
_Source = Literal["measured", "profiled", "estimated"]

#: Parts that exceed the whole by less than this do so by rounding.
_ROUNDING = 1e-9

_NO_PARTS: Mapping[str, ArrayLike] = {}
_NO_SHARES: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PartShare:
    """One part of a whole."""

    name: str
    share: Estimate  # of the whole, unit ``"ratio"``; without an interval where it was not measured
    cost: Estimate  # in the unit of the whole
    source: _Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """A whole and its parts."""

    whole: Estimate  # geometric mean, in its unit
    parts: tuple[PartShare, ...]  # largest share first
    rest: Estimate  # what no part explains, as a share of the whole; negative where the parts exceed it
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True)
class _Mean:
    """A mean with the variance of it, in units of the mean of the whole."""

    value: float
    variance: float
    degrees: int
    n: int


def break_down(
    whole: ArrayLike,
    parts: Mapping[str, ArrayLike] = _NO_PARTS,
    *,
    unit: str,
    profiled: Mapping[str, float] = _NO_SHARES,
    estimated: Mapping[str, float] = _NO_SHARES,
    confidence_level: float = 0.95,
) -> Breakdown:
    """Break a whole down into parts measured by themselves, seen in a profile, or estimated.

    Whole and parts are replicates in one unit, ``profiled`` and ``estimated`` are shares of the whole, 0 to 1.
    Means are geometric; a part that holds a 0 enters by its arithmetic mean. Shares that were
    not measured enter the rest as if they were exact, and a caveat says so.

    Raises `DataError` for a whole that is not positive, a negative part, a share outside 0 to 1, no part, or a part
    named twice.

    Shares: t interval on logarithms with the degrees of freedom of B. L. Welch, Biometrika 34 (1947)
    28-35. Rest: propagation of errors, F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
    """
    level = checked_level(confidence_level)
    named = [*parts, *profiled, *estimated]
    if not named:
        raise DataError("no part was named; name at least one part of the whole")
    twice = [name for name in named if named.count(name) > 1]
    if twice:
        raise DataError(f"the part '{printable(twice[0])}' is named twice; keep its measurement or one share")
    values = checked_values(whole, "whole")
    if values.min() <= 0:
        raise DataError(f"the whole holds {values.min():g}; shares need a whole above 0: leave such rows out")
    logs = np.log(values)
    size = math.exp(float(logs.mean()))
    # Of the logarithm: a share of the whole has the same.
    own = _Mean(1.0, _variance(logs), logs.size - 1, logs.size)
    measured = {name: _mean(name, replicates, size) for name, replicates in parts.items()}
    shares = [_measured_share(name, mean, own, size, unit, level) for name, mean in measured.items()]
    shares += [_stated_share(name, share, "profiled", size, unit, level) for name, share in profiled.items()]
    shares += [_stated_share(name, share, "estimated", size, unit, level) for name, share in estimated.items()]
    rest = _rest(list(measured.values()), own, math.fsum((*profiled.values(), *estimated.values())), level)
    shares.sort(key=lambda part: -part.share.value)
    return Breakdown(
        whole=_estimate(own, own, size, unit, level),
        parts=tuple(shares),
        rest=rest,
        caveats=merge(_doubts(shares, rest, values.size, measured)),
    )


def break_down_cells(
    whole: CellTable,
    parts: Mapping[str, CellTable],
    *,
    estimated: Mapping[str, float] = _NO_SHARES,
    confidence_level: float = 0.95,
) -> tuple[tuple[Mapping[str, Level], Breakdown], ...]:
    """Break the whole down in every cell in which all its parts were measured, in the order of the whole's cells.

    Tables of different factors or units are refused with a `DataError`; else as `break_down`.
    """
    for name, table in parts.items():
        if set(table.factors) != set(whole.factors) or table.unit != whole.unit:
            raise DataError(
                f"the part '{printable(name)}' is in {table.unit} over {choices(table.factors)}, the whole in "
                f"{whole.unit} over {choices(whole.factors)}; give both the same unit and factors"
            )

    def place(levels: Mapping[str, Level]) -> tuple[Level, ...]:
        return tuple(levels[factor] for factor in whole.factors)

    at = {name: {place(cell.levels): cell.values for cell in table.cells} for name, table in parts.items()}
    return tuple(
        (
            cell.levels,
            break_down(
                cell.values,
                {name: cells[place(cell.levels)] for name, cells in at.items()},
                unit=whole.unit,
                estimated=estimated,
                confidence_level=confidence_level,
            ),
        )
        for cell in whole.cells
        if all(place(cell.levels) in cells for cells in at.values())
    )


def _mean(name: str, replicates: ArrayLike, size: float) -> _Mean:
    values = checked_values(replicates, f"part '{printable(name)}'")
    if values.min() < 0:
        raise DataError(f"the part '{printable(name)}' holds {values.min():g}; a part costs 0 or more: mend the rows")
    if values.min() > 0:
        logs = np.log(values / size)
        value, variance = math.exp(float(logs.mean())), _variance(logs)
        return _Mean(value, value * value * variance, values.size - 1, values.size)
    return _Mean(float(values.mean()) / size, _variance(values / size), values.size - 1, values.size)


def _variance(values: NDArray[np.float64]) -> float:
    """Return the variance of the mean of some values."""
    return float(values.var(ddof=1)) / values.size if values.size > 1 else math.nan


def _measured_share(name: str, part: _Mean, own: _Mean, size: float, unit: str, level: float) -> PartShare:
    return PartShare(
        name=name,
        share=_estimate(part, own, 1.0, "ratio", level, "share of geometric means, Welch interval"),
        cost=_estimate(part, _Mean(1.0, 0.0, 1, 0), size, unit, level),
        source="measured",
    )


def _stated_share(name: str, share: float, source: _Source, size: float, unit: str, level: float) -> PartShare:
    if not 0 <= share <= 1:
        raise DataError(f"the {source} share of '{printable(name)}' is {share:g}; write 30 % as 0.3")
    method = "stated by a profile" if source == "profiled" else "estimated by the author"
    return PartShare(
        name=name,
        share=point(share, "ratio", 0, method, level),
        cost=point(share * size, unit, 0, method, level),
        source=source,
    )


def _estimate(
    part: _Mean,
    own: _Mean,
    scale: float,
    unit: str,
    level: float,
    method: str = "geometric mean, t interval on logarithms",
) -> Estimate:
    """Return a part over the whole, times a scale; the whole's own variance counts unless it is the part."""
    variances = [part.variance] if part is own else [part.variance, part.value * part.value * own.variance]
    degrees = [part.degrees] if part is own else [part.degrees, own.degrees]
    error, freedom = welch(variances, degrees) if min(degrees) > 0 else (math.nan, 0.0)
    n = part.n if part is own else part.n + own.n
    if part.value > 0:
        centre = math.log(part.value) + math.log(scale)
        return _estimate_on_logs(centre, error / part.value, freedom, level=level, unit=unit, n=n, method=method)
    return _estimate_difference(0.0, error * scale, freedom, level=level, unit=unit, n=n, method=method)


def _rest(parts: Sequence[_Mean], own: _Mean, stated: float, level: float) -> Estimate:
    """Return what neither measured nor stated parts explain."""
    together = math.fsum(mean.value for mean in parts)
    means = [*parts, _Mean(together, together * together * own.variance, own.degrees, own.n)] if parts else []
    error, freedom = math.nan, 0.0
    if means and all(mean.degrees > 0 for mean in means):
        error, freedom = welch([mean.variance for mean in means], [mean.degrees for mean in means])
    n, method = sum(mean.n for mean in means), "1 minus the shares of the parts, t interval"
    return _estimate_difference(1 - together - stated, error, freedom, level=level, unit="ratio", n=n, method=method)


def _doubts(
    parts: Sequence[PartShare], rest: Estimate, n_whole: int, measured: Mapping[str, _Mean]
) -> Iterator[Caveat]:
    """Yield what weakens the shares of a whole."""
    stated = [part.name for part in parts if part.source != "measured"]
    if stated:
        yield caveat("stated-share", f"the shares of {choices(stated)} were not measured: the rest takes them as exact")
    once = ["the whole"] * (n_whole == 1) + [name for name, mean in measured.items() if mean.n == 1]
    if once:
        yield caveat(
            "one-replicate", f"{choices(once)} {'was' if len(once) == 1 else 'were'} measured once: no interval"
        )
    if rest.value < -_ROUNDING:
        noise = "" if rest.high < 0 or not rest.has_interval else ", which noise alone could do"
        yield caveat("parts-exceed-whole", f"the parts cost {-100 * rest.value:.3g} % more than the whole{noise}")
