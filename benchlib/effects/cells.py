"""Cells: every combination of factor levels, what was measured there, and how cells compare.

Every ratio here is of geometric means, and its interval a t interval on logarithms. Where three or
more contrasts say the same (pairs of cells alike in all other factors, say), the spread between
them is the error: it holds both noise and what the other factors do to the ratio. With fewer, the
replicates within the cells are all there is to judge by.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchlib.caveats import Caveat, caveat
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.lazy_scipy import special
from benchlib.statistics.estimates import Estimate, checked_level, checked_values
from benchlib.statistics.samples import estimate_median, values_needed

__all__ = ["Cell", "CellTable", "Level", "build_cells", "sort_factors"]

Level = int | float | str | bool
#: A cell by its levels, to look it up.
_Place = tuple[tuple[str, Level], ...]

#: The levels of one factor, one for each value.
_Column = Sequence[object] | NDArray[Any]

#: How many missing combinations are named; the rest is counted.
_MISSING_SHOWN = 100
#: From this many numbers on, a factor with fewer words than numbers looks like a number.
_NUMBERS_FOR_SLOPE = 3
#: From this many contrasts on, the spread between them is the error.
_BETWEEN_FROM = 3
#: Its exponential is near the largest number there is.
_LARGEST_LOGARITHM = 709.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of factor levels."""

    levels: Mapping[str, Level]
    n: int
    median: Estimate
    values: tuple[float, ...]  # in ascending order
    runs: tuple[int, ...]  # which run each value is of, in the order of the values; all 0 where that is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTable:
    """All cells of some factors."""

    factors: Mapping[str, tuple[Level, ...]]  # levels in ascending order; numbers before text
    cells: tuple[Cell, ...]  # in the order of the levels, the last factor running fastest
    missing: tuple[Mapping[str, Level], ...]  # combinations that were not measured, the first hundred of them
    missing_count: int
    unit: str
    caveats: tuple[Caveat, ...]


def _place_of(levels: Mapping[str, Level]) -> _Place:
    """Return the levels of a cell as a key."""
    return tuple(levels.items())


def name_cell(levels: Mapping[str, Level]) -> str:
    """Name a cell or a slice by its levels, such as 'bits = 32, curve = BN254'."""
    return ", ".join(f"{printable(name)} = {printable(str(level))}" for name, level in levels.items())


# Building cells ------------------------------------------------------------------------------------------------------


def build_cells(
    factors: Mapping[str, _Column],
    values: ArrayLike,
    *,
    unit: str,
    runs: _Column | None = None,
    confidence_level: float = 0.95,
) -> CellTable:
    """Sort values into cells by the levels of their factors: one level a value for each factor.

    ``runs`` says which recording each value is of: values of one run share what it met.

    Raises `DataError` for no factor, no values, a value that is not finite, columns of different lengths, or a
    value without a level.
    """
    measured = checked_values(values, "column of values")
    level = checked_level(confidence_level)
    if not factors:
        raise DataError("no factor was named; name at least one axis that varies")
    coded = {name: _coded(name, column, measured.size) for name, column in factors.items()}
    levels = {name: known for name, (known, _) in coded.items()}
    shape = tuple(len(known) for known in levels.values())
    if math.prod(shape) > np.iinfo(np.int64).max:
        raise DataError(f"{choices(levels)} have too many levels to cross; name fewer factors")
    places = np.ravel_multi_index(tuple(codes for _, codes in coded.values()), shape)
    run = np.zeros(measured.size, dtype=np.intp) if runs is None else _coded("run", runs, measured.size)[1]
    cells = tuple(
        Cell(
            levels={
                name: known[code]
                for (name, known), code in zip(levels.items(), np.unravel_index(place, shape), strict=True)
            },
            n=group.size,
            median=estimate_median(group, unit=unit, confidence_level=level),
            values=tuple(group.tolist()),
            runs=tuple(own.tolist()),
        )
        for place, group, own in _grouped(places, measured, run)
    )
    absent = _absent(levels, set(places.tolist()))
    missing = tuple(itertools.islice(absent, _MISSING_SHOWN))
    missing_count = math.prod(shape) - len(cells)
    return CellTable(
        factors=levels,
        cells=cells,
        missing=missing,
        missing_count=missing_count,
        unit=unit,
        caveats=tuple(_doubts(cells, missing, missing_count, level, measured, unit)),
    )


def _coded(name: str, column: _Column, size: int) -> tuple[tuple[Level, ...], NDArray[np.intp]]:
    """Return the levels of a factor in order, and for each value the place of its level."""
    raw = np.asarray(column, dtype=object).ravel()
    if raw.size != size:
        raise DataError(f"factor '{printable(name)}' has {raw.size} levels for {size} values; give one each")
    # item() turns numpy's numbers into Python's, so that levels print and compare as people expect.
    levels = [level.item() if isinstance(level, np.generic) else level for level in raw.tolist()]
    # Only NaN (and pandas' NA, whose comparison is no plain bool) differs from itself.
    empty = sum(1 for level in levels if level is None or (level != level) is not False)
    if empty:
        raise DataError(
            f"factor '{printable(name)}' has no level for {empty} of {size} values; "
            "leave these rows out or drop the factor"
        )
    order = sorted(set(levels), key=lambda level: (isinstance(level, str), level))
    position = {level: place for place, level in enumerate(order)}
    return tuple(order), np.fromiter((position[level] for level in levels), dtype=np.intp, count=size)


def _grouped(
    places: NDArray[np.intp], values: NDArray[np.float64], runs: NDArray[np.intp]
) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.intp]]]:
    """Yield each place that occurs, in order, with its values in ascending order and the run of each."""
    order = np.lexsort((runs, values, places))
    present, starts = np.unique(places[order], return_index=True)
    parts = (np.split(column[order], starts[1:]) for column in (values, runs))
    yield from zip(present.tolist(), *parts, strict=True)


def _absent(levels: Mapping[str, tuple[Level, ...]], present: set[int]) -> Iterator[Mapping[str, Level]]:
    """Yield the combinations of levels that no value has."""
    for place, combination in enumerate(itertools.product(*levels.values())):
        if place not in present:
            yield dict(zip(levels, combination, strict=True))


def _doubts(
    cells: Sequence[Cell],
    missing: Sequence[Mapping[str, Level]],
    missing_count: int,
    level: float,
    measured: NDArray[np.float64],
    unit: str,
) -> Iterator[Caveat]:
    """Yield what weakens the cells of a table."""
    if missing_count:
        named = choices((f"({name_cell(levels)})" for levels in missing), 3)
        total = missing_count + len(cells)
        shown = named if missing_count <= 3 else f"{named.partition(' and ')[0]} and {missing_count - 3} more"
        yield caveat("missing-cells", f"{missing_count} of {total} combinations were not measured: {shown}")
    small = [cell for cell in cells if not cell.median.has_interval]
    if small:
        needed = 2 if all(min(cell.values) > 0 for cell in small) else values_needed(level)
        yield caveat(
            "few-samples",
            f"{len(small)} of {len(cells)} cells hold too few values (the smallest {min(cell.n for cell in small)}) "
            f"for an interval of the median at {100 * level:g} % (needs {needed})",
        )
    negative, zero = int((measured < 0).sum()), int((measured == 0).sum())
    if negative:
        yield caveat(
            "negative-values", f"{negative} of {measured.size} values are negative (the smallest {measured.min():g})"
        )
    # Nothing allocated is a fact; nothing elapsed is a clock that did not tick.
    if zero and unit.partition("/")[0] == "sec":
        yield caveat("zero-times", f"{zero} of {measured.size} times are 0")


# Numbers and categories ----------------------------------------------------------------------------------------------


def sort_factors(table: CellTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the factors to treat as numeric and those to treat as categories.

    A factor is numeric when all its levels are numbers and there are at least three of them, or
    when it is the only factor that varies. Factors with one level are in neither. One word among
    numbers makes a category of them all: `warn_of_mixed_levels` says so.
    """
    varying = {factor: levels for factor, levels in table.factors.items() if len(levels) > 1}
    numeric = tuple(
        factor for factor, levels in varying.items() if _are_numbers(levels) and (len(levels) > 2 or len(varying) == 1)
    )
    return numeric, tuple(factor for factor in varying if factor not in numeric)


def _choose_factors(
    table: CellTable, numeric: Sequence[str] | None, categorical: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numeric and the categorical factors, as named by the caller or as they look.

    Factors that do not vary are dropped even when named. A factor that the table does not hold is a
    `SelectionError`; a numeric factor with words among its levels, or one named as both, a `DataError`.
    """
    for factor in (*(numeric or ()), *(categorical or ())):
        if factor not in table.factors:
            close = suggestion(factor, table.factors)
            raise SelectionError(
                f"no factor '{printable(factor)}'{close}; the cells vary over {choices(table.factors)}"
            )
    varying = [factor for factor, levels in table.factors.items() if len(levels) > 1]
    if numeric is None and categorical is None:
        return sort_factors(table)
    if numeric is None:
        left = [factor for factor in varying if factor not in (categorical or ())]
        numeric = [factor for factor in left if _are_numbers(table.factors[factor])]
        categorical = [*(categorical or ()), *(factor for factor in left if factor not in numeric)]
    elif categorical is None:
        categorical = [factor for factor in varying if factor not in numeric]
    both = [factor for factor in numeric if factor in categorical]
    if both:
        raise DataError(f"factor '{printable(both[0])}' is named as numeric and as categorical; choose one")
    for factor in numeric:
        words = [level for level in table.factors[factor] if not _are_numbers((level,))]
        if words:
            raise DataError(
                f"factor '{printable(factor)}' is to be numeric but has the level "
                f"'{printable(str(words[0]))}'; treat it as categorical, or leave those rows out"
            )
    return (
        tuple(factor for factor in varying if factor in numeric),
        tuple(factor for factor in varying if factor in categorical),
    )


def _choose_baselines(table: CellTable, categorical: Sequence[str], named: Mapping[str, Level]) -> dict[str, Level]:
    """Return the level that each categorical factor is compared with: as named, or the smallest."""
    for factor, level in named.items():
        if level not in table.factors.get(factor, ()):
            raise SelectionError(
                f"factor '{printable(factor)}' has no level '{printable(str(level))}' to be the baseline; "
                f"it has {choices(table.factors.get(factor, ()))}"
            )
    return {factor: named.get(factor, table.factors[factor][0]) for factor in categorical}


def _warn_of_single_levels(table: CellTable) -> list[Caveat]:
    """Warn of factors that do not vary."""
    return [
        caveat("one-level", f"{printable(factor)} has one level only ({printable(str(levels[0]))})")
        for factor, levels in table.factors.items()
        if len(levels) == 1
    ]


def _warn_of_mixed_levels(table: CellTable) -> list[Caveat]:
    """Warn of each factor that a few words among its levels make a category, and name the words.

    Such a factor has three numbers or more, written as such or in text, and fewer words than numbers.
    """
    warned = []
    for factor, levels in table.factors.items():
        words = [level for level in levels if not _reads_as_number(level)]
        numbers = len(levels) - len(words)
        if words and numbers >= _NUMBERS_FOR_SLOPE and len(words) < numbers:
            named = choices((f"'{printable(str(word))}'" for word in words), 3)
            which = f"the level {named} makes" if len(words) == 1 else f"the levels {named} make"
            message = f"{which} {printable(factor)} a category, though its other {numbers} levels are numbers"
            warned.append(caveat("mixed-levels", message))
    return warned


def _reads_as_number(level: Level) -> bool:
    """Whether a level is a finite number, be it written in text."""
    if not isinstance(level, str):
        return _are_numbers((level,))
    try:
        return math.isfinite(float(level))
    except ValueError:
        return False


def _are_numbers(levels: Sequence[Level]) -> bool:
    """Whether all levels are finite numbers."""
    return all(
        isinstance(level, int | float) and not isinstance(level, bool) and math.isfinite(level) for level in levels
    )


# Ratios between cells ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A product of cells over a product of as many others."""

    over: tuple[Cell, ...]
    under: tuple[Cell, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of the contrast."""
        return (*self.over, *self.under)

    @property
    def positive(self) -> bool:
        """Whether every value has a logarithm."""
        return all(cell.values[0] > 0 for cell in self.cells)

    @property
    def log(self) -> float:
        """The logarithm of the contrast, of geometric means."""
        return math.fsum(map(_mean_log, self.over)) - math.fsum(map(_mean_log, self.under))


def estimate_ratio(contrasts: Sequence[Contrast], level: float) -> Estimate:
    """Return the geometric mean of contrasts, unit ``"x"``; n counts the values behind it.

    There is at least one contrast, all are of positive values, and no cell is in two of them. Without a
    second contrast and without replicates there is no interval.

    Between contrasts: G. E. P. Box, W. G. Hunter, J. S. Hunter, Statistics for Experimenters,
    2nd ed., section 3.2. Within cells: B. L. Welch, Biometrika 34 (1947) 28-35.
    """
    logs = [contrast.log for contrast in contrasts]
    cells = [cell for contrast in contrasts for cell in contrast.cells]
    centre = math.fsum(logs) / len(logs)
    repeated = all(cell.n > 1 for cell in cells)
    if len(logs) >= _BETWEEN_FROM or (len(logs) > 1 and not repeated):
        spread = math.sqrt(math.fsum((log - centre) ** 2 for log in logs) / (len(logs) - 1))
        error, degrees = spread / math.sqrt(len(logs)), float(len(logs) - 1)
        method = f"geometric mean of {len(logs)} matched ratios, t interval on logarithms"
    elif repeated:
        error, degrees = welch([_variance_of_mean(cell) for cell in cells], [cell.n - 1 for cell in cells])
        error /= len(logs)
        method = "ratio of geometric means, Welch interval on logarithms of the replicates"
    else:
        error, degrees, method = math.nan, 0.0, "ratio of single values"
    n = sum(cell.n for cell in cells)
    return _estimate_on_logs(centre, error, degrees, level=level, unit="x", n=n, method=method)


def _mean_log(cell: Cell) -> float:
    return float(np.log(cell.values).mean())


def _variance_of_mean(cell: Cell) -> float:
    """Return the variance of the mean logarithm of a cell."""
    return float(np.log(cell.values).var(ddof=1)) / cell.n


def welch(variances: Iterable[float], degrees: Iterable[float]) -> tuple[float, float]:
    """Return the standard error of a sum of independent means, and its degrees of freedom.

    F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
    """
    variances, degrees = list(variances), list(degrees)
    total = math.fsum(variances)
    if total <= 0:
        return 0.0, math.fsum(degrees)
    # As shares of the total: squares of variances of tiny logarithms would underflow.
    parts = math.fsum((variance / total) ** 2 / degree for variance, degree in zip(variances, degrees, strict=True))
    return math.sqrt(total), 1 / parts


def t_interval(centre: float, error: float, degrees: float, level: float) -> tuple[float, float]:
    """Return a t interval; infinite without degrees of freedom."""
    if degrees <= 0 or not math.isfinite(error):
        return -math.inf, math.inf
    reach = float(special.stdtrit(degrees, (1 + level) / 2)) * error
    return centre - reach, centre + reach


def _estimate_difference(
    value: float, error: float, degrees: float, *, level: float, unit: str, n: int, method: str
) -> Estimate:
    """Return a number with its t interval, as a sum or difference of means has it."""
    low, high = t_interval(value, error, degrees, level)
    return Estimate(
        value=value,
        low=low,
        high=high,
        unit=unit,
        confidence_level=level,
        n=n,
        method=method,
        standard_error=error,
    )


def _estimate_on_logs(
    centre: float, error: float, degrees: float, *, level: float, unit: str, n: int, method: str
) -> Estimate:
    """Return the number whose logarithm and its standard error are given, with a t interval of logarithms."""
    low, high = t_interval(centre, error, degrees, level)
    if math.isfinite(low):
        low, high = (math.exp(end) if end < _LARGEST_LOGARITHM else math.inf for end in (low, high))
    return Estimate(
        value=math.exp(centre),
        low=low,
        high=high,
        unit=unit,
        confidence_level=level,
        n=n,
        method=method,
        standard_error=math.exp(centre) * error,
    )
