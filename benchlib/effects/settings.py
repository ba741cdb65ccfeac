"""Which setting of a factor is best? Ranked by several metrics, with a winner only where one is shown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchlib.caveats import Caveat, caveat, merge
from benchlib.effects.cells import (
    Cell,
    CellTable,
    Contrast,
    Level,
    estimate_difference,
    estimate_on_logs,
    estimate_ratio,
    name_cell,
)
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.statistics.checks import checked_level
from benchlib.statistics.estimates import Estimate

__all__ = ["Criterion", "Ranking", "SettingChoice", "choose_settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A metric to judge settings by.

    Attributes
    ----------
    metric : str
    better : {"higher", "lower"}
    table : CellTable
        Of the factor in question and those that make up the context.
    """

    metric: str
    better: Literal["higher", "lower"]
    table: CellTable


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedSetting:
    """One setting in a ranking.

    Attributes
    ----------
    level : Level
    estimate : Estimate
        Geometric mean with its own t interval; the median where a value is not positive.
    ratio : Estimate
        To the first of the ranking, unit ``"x"``, at the adjusted level; NaN for the first itself and
        where a value is not positive.
    """

    level: Level
    estimate: Estimate
    ratio: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The settings by one metric.

    Attributes
    ----------
    metric : str
    better : {"higher", "lower"}
    settings : tuple of RankedSetting
        Best first.
    winner : Level or None
        The first, where the interval of its ratio to every other excludes 1; None for "cannot tell".
    """

    metric: str
    better: Literal["higher", "lower"]
    settings: tuple[RankedSetting, ...]
    winner: Level | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChoice:
    """The settings of a factor in one context: a workload at a worker count, say.

    Attributes
    ----------
    factor : str
    context : mapping of factor to level
    rankings : tuple of Ranking
        One for each metric, in the order asked.
    front : tuple of Level
        The Pareto front of the values as measured: no other setting is better by every metric.
    unbeaten : tuple of Level
        The settings that no other is shown to beat, that is, better by every metric as measured and
        shown to be by one: the front, and what noise may have kept off it.
    winner : Level or None
        The one unbeaten, where it is alone; None for "cannot tell".
    pairs : int
        How many pairs of settings were compared by each metric.
    adjusted_level : float
        Of each interval of a ratio, so that all pairs by all metrics of the context together keep the level asked.
    caveats : tuple of Caveat
    """

    factor: str
    context: Mapping[str, Level]
    rankings: tuple[Ranking, ...]
    front: tuple[Level, ...]
    unbeaten: tuple[Level, ...]
    winner: Level | None
    pairs: int
    adjusted_level: float
    caveats: tuple[Caveat, ...]


def choose_settings(
    criteria: Sequence[Criterion], factor: str, *, confidence_level: float = 0.95
) -> tuple[SettingChoice, ...]:
    """Rank the settings of a factor by each metric, in each context, and name a winner where there is one.

    Every table has the factor; its other factors make up the context. There is a choice for each context in which
    at least two settings have every metric.

    Intervals are widened for the number of comparisons (Bonferroni over all pairs of settings by all
    metrics, for each context by itself), because the pair and the metric that are looked at were picked for
    their size. Among settings that do not differ, all intervals of a context hold at the level asked, however
    the metrics go together: no more than 1 context in 20 names a winner, by any metric or by all, at 95 %.

    Raises
    ------
    DataError
        For no criterion, a metric given twice, or tables of different factors.
    SelectionError
        For a factor that the tables do not hold.

    References
    ----------
    Ratios: `benchlib.effects.cells.estimate_ratio` (Welch). Adjustment: O. J. Dunn, Journal of
    the American Statistical Association 56 (1961) 52-64.

    Examples
    --------
    >>> from benchlib.effects.cells import build_cells
    >>> executor = ["serial"] * 3 + ["pool"] * 3
    >>> rate = build_cells({"executor": executor}, [61.0, 62.0, 61.5, 72.0, 72.5, 71.8], unit="op/sec")
    >>> tail = build_cells({"executor": executor}, [0.020, 0.021, 0.022, 0.020, 0.023, 0.021], unit="sec")
    >>> (choice,) = choose_settings(
    ...     [
    ...         Criterion(metric="throughput", better="higher", table=rate),
    ...         Criterion(metric="latency_p99", better="lower", table=tail),
    ...     ],
    ...     "executor",
    ... )
    >>> [(ranking.metric, ranking.settings[0].level, ranking.winner) for ranking in choice.rankings]
    [('throughput', 'pool', 'pool'), ('latency_p99', 'serial', None)]
    """
    level = checked_level(confidence_level)
    _check(criteria, factor)
    rest = [name for name in criteria[0].table.factors if name != factor]
    by_context: dict[tuple[Level, ...], list[dict[Level, Cell]]] = {}
    for place, criterion in enumerate(criteria):
        for cell in criterion.table.cells:
            context = tuple(cell.levels[name] for name in rest)
            tables = by_context.setdefault(context, [{} for _ in criteria])
            tables[place][cell.levels[factor]] = cell
    decided = (
        _choose(criteria, factor, dict(zip(rest, context, strict=True)), tables, level)
        for context, tables in by_context.items()
    )
    return tuple(choice for choice in decided if choice is not None)


def _check(criteria: Sequence[Criterion], factor: str) -> None:
    if not criteria:
        raise DataError("no metric was named to judge settings by; name at least one")
    names = [criterion.metric for criterion in criteria]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise DataError(f"the metric '{printable(twice[0])}' is named twice; name it once")
    for criterion in criteria:
        known = criterion.table.factors
        if factor not in known:
            raise SelectionError(
                f"no factor '{printable(factor)}'{suggestion(factor, known)}; the cells vary over {choices(known)}"
            )
        if set(known) != set(criteria[0].table.factors):
            raise DataError(
                f"the cells of {printable(criterion.metric)} vary over {choices(known)}, those of "
                f"{printable(names[0])} over {choices(criteria[0].table.factors)}; give all the same factors"
            )


def _choose(
    criteria: Sequence[Criterion],
    factor: str,
    context: Mapping[str, Level],
    tables: Sequence[Mapping[Level, Cell]],
    level: float,
) -> SettingChoice | None:
    levels = [setting for setting in criteria[0].table.factors[factor] if all(setting in table for table in tables)]
    if len(levels) < 2:
        return None
    pairs = math.comb(len(levels), 2)
    adjusted = 1 - (1 - level) / (pairs * len(criteria))
    rankings: list[Ranking] = []
    beaten: list[dict[tuple[Level, Level], bool]] = []
    for criterion, table in zip(criteria, tables, strict=True):
        ranking, shown = _rank(criterion, {setting: table[setting] for setting in levels}, level, adjusted)
        rankings.append(ranking)
        beaten.append(shown)
    orders = [[setting.level for setting in ranking.settings] for ranking in rankings]
    front, unbeaten = [], []
    for own in levels:
        ahead = [other for other in levels if all(order.index(other) < order.index(own) for order in orders)]
        if not ahead:
            front.append(own)
        if not any(better[other, own] for other in ahead for better in beaten):
            unbeaten.append(own)
    return SettingChoice(
        factor=factor,
        context=context,
        rankings=tuple(rankings),
        front=tuple(front),
        unbeaten=tuple(unbeaten),
        winner=unbeaten[0] if len(unbeaten) == 1 else None,
        pairs=pairs,
        adjusted_level=adjusted,
        caveats=merge(_doubts(criteria, context, tables, levels)),
    )


def _doubts(
    criteria: Sequence[Criterion],
    context: Mapping[str, Level],
    tables: Sequence[Mapping[Level, Cell]],
    levels: Sequence[Level],
) -> Iterator[Caveat]:
    """Yield what keeps a context from having a winner."""
    here = f" at {name_cell(context)}" if context else ""
    for criterion, table in zip(criteria, tables, strict=True):
        name = printable(criterion.metric)
        if any(table[setting].values[0] <= 0 for setting in levels):
            yield caveat("no-ratio", f"{name} holds a 0 or less{here}: no winner by it")
        elif any(table[setting].n < 2 for setting in levels):
            yield caveat("cannot-detect", f"{name} was measured once in a setting{here}: no winner")
    partial = {setting for table in tables for setting in table} - set(levels)
    if partial:
        lack = "lacks" if len(partial) == 1 else "lack"
        yield caveat("missing-cells", f"{choices(sorted(map(str, partial)))} {lack} a metric{here}: left out")


def _rank(
    criterion: Criterion, cells: Mapping[Level, Cell], level: float, adjusted: float
) -> tuple[Ranking, dict[tuple[Level, Level], bool]]:
    """Return the ranking by one metric, and for each pair whether the first is shown to be better."""
    positive = all(cell.values[0] > 0 for cell in cells.values())
    estimates = {setting: _geometric_mean(cell, level) if positive else cell.median for setting, cell in cells.items()}
    sign = -1 if criterion.better == "higher" else 1
    order = sorted(cells, key=lambda setting: sign * estimates[setting].value)
    nothing = estimate_difference(math.nan, math.nan, 0, level=adjusted, unit="x", n=0, method="none")
    shown: dict[tuple[Level, Level], bool] = {}
    ratios: dict[Level, Estimate] = {}
    for ahead, behind in itertools.combinations(order, 2):
        ratio = nothing
        if positive:
            ratio = estimate_ratio([Contrast(over=(cells[behind],), under=(cells[ahead],))], adjusted)
        shown[ahead, behind] = ratio.high < 1 if criterion.better == "higher" else ratio.low > 1
        if ahead == order[0]:
            ratios[behind] = ratio
    return Ranking(
        metric=criterion.metric,
        better=criterion.better,
        settings=tuple(
            RankedSetting(level=setting, estimate=estimates[setting], ratio=ratios.get(setting, nothing))
            for setting in order
        ),
        winner=order[0] if all(shown[order[0], behind] for behind in order[1:]) else None,
    ), shown


def _geometric_mean(cell: Cell, level: float) -> Estimate:
    logs = np.log(cell.values)
    error = float(logs.std(ddof=1)) / math.sqrt(cell.n) if cell.n > 1 else math.nan
    method = "geometric mean, t interval on logarithms"
    return estimate_on_logs(
        float(logs.mean()), error, cell.n - 1, level=level, unit=cell.median.unit, n=cell.n, method=method
    )
