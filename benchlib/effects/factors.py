"""Which factors are numbers to fit a slope to, and which are categories to compare."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from benchlib.caveats import Caveat, caveat
from benchlib.effects.cells import CellTable, Level
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion

__all__ = ["choose_baselines", "choose_factors", "sort_factors", "warn_of_mixed"]

#: From this many numbers on, a factor with fewer words than numbers looks like a number.
NUMBERS_FOR_SLOPE = 3


def sort_factors(table: CellTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the factors to treat as numeric and those to treat as categories.

    A factor is numeric when all its levels are numbers and there are at least three of them, or
    when it is the only factor that varies. Factors with one level are in neither. One word among
    numbers makes a category of them all: `warn_of_mixed` tells of that.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> factors = {"bits": [32, 64, 64], "inputs": [1, 2, 3], "curve": ["A", "A", "A"]}
    >>> sort_factors(build_cells(factors, [1.0, 2.0, 3.0], unit="sec"))
    (('inputs',), ('bits',))
    """
    varying = {factor: levels for factor, levels in table.factors.items() if len(levels) > 1}
    numeric = tuple(
        factor for factor, levels in varying.items() if _is_numeric(levels) and (len(levels) > 2 or len(varying) == 1)
    )
    return numeric, tuple(factor for factor in varying if factor not in numeric)


def choose_factors(
    table: CellTable, numeric: Sequence[str] | None, categorical: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numeric and the categorical factors, as named by the caller or as they look.

    Factors that do not vary are dropped even when named.

    Raises
    ------
    SelectionError
        For a factor that the table does not hold.
    DataError
        For a numeric factor with levels that are not numbers, or a factor named as both.
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
        numeric = [factor for factor in left if _is_numeric(table.factors[factor])]
        categorical = [*(categorical or ()), *(factor for factor in left if factor not in numeric)]
    elif categorical is None:
        categorical = [factor for factor in varying if factor not in numeric]
    both = [factor for factor in numeric if factor in categorical]
    if both:
        raise DataError(f"factor '{printable(both[0])}' is named as numeric and as categorical; choose one")
    for factor in numeric:
        if not _is_numeric(table.factors[factor]):
            odd = [one for one in table.factors[factor] if not _is_numeric((one,))]
            raise DataError(
                f"factor '{printable(factor)}' is to be numeric but has the level "
                f"'{printable(str(odd[0]))}'; treat it as categorical, or leave those rows out"
            )
    return (
        tuple(factor for factor in varying if factor in numeric),
        tuple(factor for factor in varying if factor in categorical),
    )


def choose_baselines(table: CellTable, categorical: Sequence[str], wanted: Mapping[str, Level]) -> dict[str, Level]:
    """Return the level that each categorical factor is compared with: as wanted, or the smallest.

    Raises
    ------
    SelectionError
        For a factor or a level that the table does not hold.
    """
    for factor, level in wanted.items():
        if level not in table.factors.get(factor, ()):
            raise SelectionError(
                f"factor '{printable(factor)}' has no level '{printable(str(level))}' to be the baseline; "
                f"it has {choices(table.factors.get(factor, ()))}"
            )
    return {factor: wanted.get(factor, table.factors[factor][0]) for factor in categorical}


def warn_of_mixed(table: CellTable) -> list[Caveat]:
    """Return a caveat for each factor that a few words among its levels make a category, naming the words.

    A factor is told of where it has three numbers or more, written as such or in text, and fewer words than
    numbers.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> table = build_cells({"outputs": [1, 2, 4, 8, "lots"]}, [1.0, 2.0, 4.0, 8.0, 30.0], unit="sec")
    >>> [one.message for one in warn_of_mixed(table)]
    ["the level 'lots' makes outputs a category, though its other 4 levels are numbers"]
    """
    found = []
    for factor, levels in table.factors.items():
        words = [one for one in levels if not _reads_as_number(one)]
        numbers = len(levels) - len(words)
        if words and numbers >= NUMBERS_FOR_SLOPE and len(words) < numbers:
            named = choices((f"'{printable(str(one))}'" for one in words), 3)
            which = f"the level {named} makes" if len(words) == 1 else f"the levels {named} make"
            found.append(
                caveat(
                    "mixed-levels",
                    f"{which} {printable(factor)} a category, though its other {numbers} levels are numbers",
                )
            )
    return found


def _reads_as_number(level: Level) -> bool:
    if not isinstance(level, str):
        return _is_numeric((level,))
    try:
        return math.isfinite(float(level))
    except ValueError:
        return False


def _is_numeric(levels: Sequence[Level]) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in levels)
