"""benchstat's tables: one for each configuration and unit, with cells, comparisons, geometric means and warnings.

Source: golang.org/x/perf/cmd/benchstat, ``internal/benchtab``; golang.org/x/perf/benchmath.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.benchstat_keys import Columns, Projections, Texts, project_together
from benchlib.errors import DataError
from benchlib.metrics import factor_of, metric
from benchlib.results import Series
from benchlib.statistics.go_math import geometric_mean, untied_pvalue
from benchlib.statistics.ranks import EXACT_LIMIT, EXACT_LIMIT_TIES, mann_whitney_rows, smallest_pvalue, tied_tails
from benchlib.statistics.samples import median_ranks
from benchlib.units import parse_unit

__all__ = ["Table", "Tables", "benchstat_tables", "shortest"]

_Place = tuple[int, int]
#: What is said of cells, by the place of each among all.
_Notes = Mapping[int, tuple[str, ...]]
#: How near to a boundary rounding could decide, and below what p value 1 - (1 - p / 2) is 0.
_NEAR = 1e-9
_LOST = 2.0**-53
#: benchstat looks no further for the n that an interval, or a difference, would need.
_MOST_FOR_INTERVAL, _MOST_FOR_DIFFERENCE = 50, 9
_TIDIED = {"ns": ("sec", 1e-9), "MB": ("B", 1e6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """What stands below a column."""

    #: Of the centres; NaN where one is not above 0.
    geomean: float
    #: Geometric mean of centre over baseline; NaN for the first column, and where a row has no ratio above 0.
    ratio: float
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """One table; the first column is the baseline of all others."""

    #: The configuration, in the fields of `Tables`.
    keys: tuple[str, ...]
    unit: str
    #: Whether a file says that the unit is measured exactly.
    exact: bool
    rows: tuple[str, ...]
    #: In the column fields of `Tables`.
    columns: tuple[tuple[str, ...], ...]
    #: 0 where the cell is missing.
    n: NDArray[np.intp]
    #: In `unit`; NaN where the cell is missing.
    centre: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    #: NaN in the first column, and where it has no value to compare with. Above 1 where benchstat's is.
    pvalue: NDArray[np.float64]
    #: On a cell, and on its comparison.
    warnings: Mapping[_Place, tuple[str, ...]]
    change_warnings: Mapping[_Place, tuple[str, ...]]
    summaries: tuple[ColumnSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tables:
    """All tables, in benchstat's order."""

    #: The keys that part tables, beside the unit.
    fields: tuple[str, ...]
    column_fields: tuple[str, ...]
    tables: tuple[Table, ...]
    #: A p value above it is no difference.
    significance_level: float


def benchstat_tables(
    frame: pd.DataFrame,
    *,
    series: Iterable[Series] = (),
    table: str = ".config",
    row: str = ".fullname",
    col: str = ".file",
    ignore: str = "",
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    made_of_names: Sequence[str] = (),
) -> Tables:
    """Return the tables that benchstat makes of results."""
    for what, level, usual in (("significance", significance_level, 5), ("confidence", confidence_level, 95)):
        if not 0 <= level <= 1:
            raise DataError(f"{what} level {level!r} is not from 0 to 1; write {usual} % as {usual / 100}")
    parts = project_together(frame, table=table, row=row, column=col, ignore=ignore, made_of_names=made_of_names)
    columns = Columns(frame, made_of_names)
    units = _table_units(columns)
    ranked = _as_seen(units, parts.row.codes >= 0)
    cells = _cells_of(parts.table.codes * len(ranked.levels) + ranked.codes, parts.row.codes, parts.column.codes)
    first = cells.order[cells.starts[:-1]]
    exact = _exact_units(columns, series)[first]
    values = frame["value"].to_numpy(dtype=np.float64)[cells.order]
    summaries = _summaries_of(cells, values, exact, confidence_level)
    pvalues = _pvalues_of(cells, values, exact, significance_level)
    of_cells = _cell_notes(cells, summaries, exact, parts, confidence_level)
    of_changes = _change_notes(cells, summaries, pvalues, exact, significance_level)
    bounds = [*np.flatnonzero(np.diff(cells.table, prepend=-1)).tolist(), cells.n.size]
    return Tables(
        fields=parts.table.fields,
        column_fields=parts.column.fields,
        tables=tuple(
            _table(slice(start, stop), cells, summaries, pvalues, exact, parts, ranked.levels, of_cells, of_changes)
            for start, stop in pairwise(bounds)
        ),
        significance_level=significance_level,
    )


def _as_seen(texts: Texts, rows: NDArray[np.bool_]) -> Texts:
    """Return texts with their levels in the order in which rows that are kept first have them."""
    codes, uniques = pd.factorize(texts.codes[rows])
    every = np.zeros(rows.size, dtype=np.intp)
    every[rows] = codes
    return Texts(every, tuple(texts.levels[unique] for unique in uniques.tolist()))


def _table(
    part: slice,
    cells: _Cells,
    summaries: Summaries,
    pvalues: NDArray[np.float64],
    exact: NDArray[np.bool_],
    parts: Projections,
    units: Sequence[str],
    of_cells: _Notes,
    of_changes: _Notes,
) -> Table:
    rows, row = np.unique(cells.row[part], return_inverse=True)
    columns, column = np.unique(cells.column[part], return_inverse=True)
    shape = (rows.size, columns.size)

    def laid_out(values: NDArray[np.float64]) -> NDArray[np.float64]:
        grid = np.full(shape, np.nan)
        grid[row, column] = values[part]
        return grid

    n = np.zeros(shape, dtype=np.intp)
    n[row, column] = cells.n[part]
    key, unit = divmod(int(cells.table[part.start]), len(units))
    places = list(zip(row.tolist(), column.tolist(), strict=True))
    centre = laid_out(summaries.centre)
    return Table(
        keys=parts.table.levels[key],
        unit=units[unit],
        exact=bool(exact[part.start]),
        rows=tuple(labels[row] for labels in [parts.row.labels] for row in rows.tolist()),
        columns=tuple(parts.column.levels[column] for column in columns.tolist()),
        n=n,
        centre=centre,
        low=laid_out(summaries.low),
        high=laid_out(summaries.high),
        pvalue=laid_out(pvalues),
        warnings=_placed(of_cells, part, places),
        change_warnings=_placed(of_changes, part, places),
        summaries=tuple(_summary(centre[:, 0], centre[:, place], first=not place) for place in range(columns.size)),
    )


def _placed(notes: _Notes, part: slice, places: Sequence[_Place]) -> dict[_Place, tuple[str, ...]]:
    return {places[cell - part.start]: notes[cell] for cell in range(part.start, part.stop) if cell in notes}


def _summary(base: NDArray[np.float64], column: NDArray[np.float64], *, first: bool) -> ColumnSummary:
    """Summarise a column: the mean of ratios, and not the ratio of means, holds where benchmarks are missing."""
    there = ~np.isnan(column)
    both = there & ~np.isnan(base)
    old, new = base[both], column[both]
    warnings = []
    if not first and both.sum() != (~np.isnan(base)).sum():
        warnings.append("benchmark set differs from baseline; geomeans may not be comparable")
    geomean, ratio = geometric_mean(column[there]), math.nan
    if math.isnan(geomean):
        warnings.append("summaries must be >0 to compute geomean")
    if not first and not ((old == 0) & (new != 0)).any():
        with np.errstate(over="ignore"):  # beyond what a float holds benchstat too says +Inf
            ratio = geometric_mean(np.divide(new, old, out=np.ones_like(new), where=new != old))
        if math.isnan(ratio):
            warnings.append("ratios must be >0 to compute geomean")
    return ColumnSummary(geomean=geomean, ratio=ratio, warnings=tuple(warnings))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """The cells that hold a value: by table, then row, then column."""

    #: Which of all tables, rows and columns each cell is of.
    table: NDArray[np.intp]
    row: NDArray[np.intp]
    column: NDArray[np.intp]
    #: The rows of the frame, cell after cell, each in order of recording.
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    n: NDArray[np.intp]
    #: The cell in the first column of the same table and row; -1 for that cell itself, and where there is none.
    base: NDArray[np.intp]


def _cells_of(table: NDArray[np.intp], row: NDArray[np.intp], column: NDArray[np.intp]) -> _Cells:
    """Gather the rows of a frame into cells; those with a negative table, row or column are left out."""
    taken = np.flatnonzero((table >= 0) & (row >= 0) & (column >= 0))
    rows, columns = (int(codes.max(initial=0)) + 1 for codes in (row, column))
    keys = (table[taken] * rows + row[taken]) * columns + column[taken]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if keys.size else np.zeros(0, np.intp)
    keys = keys[starts]
    of_row, of_column = np.divmod(keys, columns)
    of_table, of_row_alone = np.divmod(of_row, rows)
    first = np.full(int(of_table.max(initial=0)) + 1, columns)
    np.minimum.at(first, of_table, of_column)
    wanted = of_row * columns + first[of_table]
    place = np.minimum(np.searchsorted(keys, wanted), max(0, keys.size - 1))
    there = (keys[place] == wanted) & (of_column != first[of_table])
    ends = np.concatenate([starts, [order.size]])
    return _Cells(
        table=of_table,
        row=of_row_alone,
        column=of_column,
        order=taken[order],
        starts=ends,
        n=np.diff(ends),
        base=np.where(there, place, -1),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Summaries:
    """The cells in a few numbers each: arrays of shape (c,), in the unit of their table."""

    #: The median with its interval; of an exact unit the commonest value and the extremes.
    centre: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]


def _summaries_of(
    cells: _Cells, values: NDArray[np.float64], exact: NDArray[np.bool_], confidence_level: float
) -> Summaries:
    """Summarise every cell.

    Source: golang.org/x/perf/benchmath, ``anone.go`` and ``aexact.go``; R. J. Hyndman, Y. Fan, The American
    Statistician 50 (1996) 361-365, definition 8 of a quantile, whose rounding shows in the last digit.
    """
    centre, low, high, minimum, maximum = np.empty((5, cells.n.size))
    for n in np.unique(cells.n).tolist():
        each = np.flatnonzero(cells.n == n)
        ordered = np.sort(values[cells.starts[each][:, None] + np.arange(n)], axis=1)
        minimum[each], maximum[each] = ordered[:, 0], ordered[:, -1]
        place = 1 / 3 + 0.5 * (n + 1 / 3)
        below = int(place)
        if below >= n:
            centre[each] = ordered[:, -1]
        else:
            centre[each] = ordered[:, below - 1] + (place - below) * (ordered[:, below] - ordered[:, below - 1])
        low[each], high[each] = -np.inf, np.inf
        if confidence_level < 1:
            ranks = median_ranks(n, confidence_level)
            if ranks.low >= 1 and ranks.high <= n:
                low[each], high[each] = ordered[:, ranks.low - 1], ordered[:, ranks.high - 1]
        for cell in np.flatnonzero(exact[each]).tolist():
            distinct, counts = np.unique(ordered[cell], return_counts=True)
            centre[each[cell]] = distinct[counts.argmax()]
    low, high = np.where(exact, minimum, low), np.where(exact, maximum, high)
    return Summaries(centre=centre, low=low, high=high, minimum=minimum, maximum=maximum)


def _pvalues_of(
    cells: _Cells, values: NDArray[np.float64], exact: NDArray[np.bool_], significance_level: float
) -> NDArray[np.float64]:
    """Return the p value of each cell against its baseline: NaN where it has none, 0 for an exact unit."""
    pvalues = np.full(cells.n.size, np.nan)
    compared = np.flatnonzero(cells.base >= 0)
    pvalues[compared[exact[compared]]] = 0.0
    compared = compared[~exact[compared]]
    bases = cells.base[compared]
    sizes, group = np.unique(np.stack([cells.n[bases], cells.n[compared]]), axis=1, return_inverse=True)
    for place, (n1, n2) in enumerate(sizes.T.tolist()):
        each = group == place
        baseline = values[cells.starts[bases[each]][:, None] + np.arange(n1)]
        candidate = values[cells.starts[compared[each]][:, None] + np.arange(n2)]
        pvalues[compared[each]] = printed_pvalues(baseline, candidate, significance_level)
    return pvalues


def printed_pvalues(
    baseline: NDArray[np.float64], candidate: NDArray[np.float64], significance_level: float
) -> NDArray[np.float64]:
    """Return the p value of each row as benchstat has it."""
    pvalues, _ = mann_whitney_rows(baseline, candidate)
    n1, n2 = baseline.shape[1], candidate.shape[1]
    thousandths = 1000 * pvalues % 1
    near = (np.abs(pvalues - significance_level) < _NEAR) | (np.abs(thousandths - 0.5) < _NEAR)
    if max(n1, n2) <= EXACT_LIMIT:
        skewed = n1 != n2 and max(n1, n2) <= EXACT_LIMIT_TIES
        for row in np.flatnonzero(near | (skewed & ((pvalues == 1) | (pvalues == 0)))).tolist():
            pvalues[row] = _exact(baseline[row], candidate[row], float(pvalues[row]))
    for row in np.flatnonzero(pvalues <= _LOST).tolist():
        if _is_approximate(baseline[row], candidate[row]) and _doubled_u(baseline[row], candidate[row])[0] > n1 * n2:
            pvalues[row] = 0.0
    return pvalues


def _exact(baseline: NDArray[np.float64], candidate: NDArray[np.float64], pvalue: float) -> float:
    """Return the p value of one row whose distribution is exact, from Go's own steps."""
    n1, n2 = baseline.size, candidate.size
    doubled_u, doubled_ranks = _doubled_u(baseline, candidate)
    if doubled_u == n1 * n2 or _is_approximate(baseline, candidate):
        return pvalue
    smaller = min(doubled_u, 2 * n1 * n2 - doubled_u)
    _, ties = np.unique(doubled_ranks, return_counts=True)
    if ties.size == n1 + n2:
        return untied_pvalue(n1, n2, smaller // 2)
    if ties.size == 2 and -ties.sum() < smaller - n1 * (ties[0] - n1) < 0:
        return 2 * math.comb(int(ties[0]), n1) / math.comb(n1 + n2, n1)
    return 2 * float(tied_tails(doubled_ranks[None], n1, np.asarray([smaller]))[0])


def _is_approximate(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> bool:
    both = np.concatenate([baseline, candidate])
    return max(baseline.size, candidate.size) > (EXACT_LIMIT if np.unique(both).size == both.size else EXACT_LIMIT_TIES)


def _doubled_u(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> tuple[int, NDArray[np.intp]]:
    """Return twice the U of the baseline, and twice the mid-ranks of all values, ascending."""
    _, place, ties = np.unique(np.concatenate([baseline, candidate]), return_inverse=True, return_counts=True)
    ranks = 2 * np.cumsum(ties) - ties + 1
    return int(ranks[place[: baseline.size]].sum()) - baseline.size * (baseline.size + 1), np.repeat(ranks, ties)


def _cell_notes(
    cells: _Cells, summaries: Summaries, exact: NDArray[np.bool_], parts: Projections, confidence_level: float
) -> _Notes:
    notes = {cell: (note,) for cell, note in _varying(cells, parts).items()}
    interval = _needed_for_interval(confidence_level)
    for cell in np.flatnonzero(~np.isfinite(summaries.low)).tolist():
        notes[cell] = (*notes.get(cell, ()), interval)
    for cell in np.flatnonzero(exact & (summaries.minimum != summaries.maximum)).tolist():
        ends = f"from {shortest(summaries.minimum[cell])} to {shortest(summaries.maximum[cell])}"
        notes[cell] = (*notes.get(cell, ()), f"exact distribution expected, but values range {ends}")
    return notes


def _change_notes(
    cells: _Cells,
    summaries: Summaries,
    pvalues: NDArray[np.float64],
    exact: NDArray[np.bool_],
    significance_level: float,
) -> _Notes:
    base = cells.base
    low, high = (np.where(base < 0, np.nan, places[base]) for places in (summaries.minimum, summaries.maximum))
    constant = (low == high) & (summaries.minimum == low) & (summaries.maximum == low) & ~exact
    notes = dict.fromkeys(np.flatnonzero(constant).tolist(), ("all samples are equal",))
    difference, needed = _needed_for_difference(significance_level)
    few = (pvalues > significance_level) & ~constant & (cells.n < needed) & (cells.n[base] < needed)
    return notes | dict.fromkeys(np.flatnonzero(few).tolist(), (difference,))


def _varying(cells: _Cells, parts: Projections) -> dict[int, str]:
    """Say of cells that pool what differs in a key that no projection names."""
    names: dict[int, list[str]] = {}
    if not cells.n.size:
        return {}
    for name, texts in parts.residue:
        if len(texts.levels) > 1:
            codes = texts.codes[cells.order]
            least, most = (reduce.reduceat(codes, cells.starts[:-1]) for reduce in (np.minimum, np.maximum))
            for cell in np.flatnonzero(least != most).tolist():
                names.setdefault(cell, []).append(name)
    return {cell: f"benchmarks vary in {', '.join(varying)}" for cell, varying in names.items()}


def _needed_for_interval(confidence_level: float) -> str:
    about = f"samples for confidence interval at level {shortest(confidence_level)}"
    for n in range(2, _MOST_FOR_INTERVAL + 1):
        if confidence_level < 1 and (ranks := median_ranks(n, confidence_level)).low > 0 and ranks.high <= n:
            return f"need >= {n} {about}"
    return f"need > {_MOST_FOR_INTERVAL} {about}"


def _needed_for_difference(significance_level: float) -> tuple[str, int]:
    """Return the warning, and the n on either side below which it is given."""
    level = shortest(significance_level)
    for n in range(1, _MOST_FOR_DIFFERENCE + 1):
        if smallest_pvalue(n, n) <= significance_level:
            return f"need >= {n} samples to detect a difference at alpha level {level}", n
    n = _MOST_FOR_DIFFERENCE + 1
    return f"need > {n} samples to detect a difference at alpha level {level}", n


def _tidied(unit: str) -> tuple[str, float]:
    """Return benchstat's unit for a unit, and the factor: it rescales only ``ns`` and ``MB`` above the line."""
    parts, factor, below = [], 1.0, False
    for token in re.split(r"([*/\-\s])", unit):
        below = token == "/" or (below and token != "*")
        word, scale = (token, 1.0) if below else _TIDIED.get(token, (token, 1.0))
        parts.append(word)
        factor *= scale
    return "".join(parts), factor


def _table_units(columns: Columns) -> Texts:
    """Return the unit that the table of each row is headed by.

    What benchlib brings to a base unit and benchstat leaves alone (``ms/op``) stands with that unit. A metric that
    its unit does not tell (a latency of another tool) is named before it.
    """
    parts = [columns.column(column) for column in ("metric", "unit", "original_unit")]
    codes = np.zeros(len(columns.frame), dtype=np.intp)
    for part in parts:
        codes = codes * len(part.levels) + part.codes
    met, inverse = np.unique(codes, return_inverse=True)
    texts = []
    for code in met.tolist():
        units: list[str] = []
        for part in reversed(parts):
            code, place = divmod(code, len(part.levels))
            units.append(part.levels[place])
        original, base, name = units
        texts.append(_heading(name, base, original))
    return Texts(inverse.astype(np.intp, copy=False), ()).mapped(texts)


def _heading(name: str, base: str, original: str) -> str:
    unit, factor = _tidied(original)
    if original and metric(original)[0].name == name and math.isclose(factor, factor_of(name, original), rel_tol=1e-12):
        return unit
    shown = base.replace("/sec", "/s")
    return shown if metric(base)[0].name == name else f"{name}-{shown}" if shown else name


def _exact_units(columns: Columns, series: Iterable[Series]) -> NDArray[np.bool_]:
    """Return which rows have a unit that a file says is exact: ``Unit text-bytes assume=exact``.

    What is said first of a unit holds.
    """
    said: dict[str, str] = {}
    for series_ in series:
        if series_.kind == "unit":
            for key, value in series_.data:
                if key == "assume":
                    said.setdefault(series_.name, value)
    exact = {unit for unit, value in said.items() if value == "exact"}
    if not exact:
        return np.zeros(len(columns.frame), dtype=np.bool_)
    original, base = columns.column("original_unit"), columns.column("unit")
    first = np.asarray([parse_unit(level).base in exact for level in original.levels])[original.codes]
    rows: NDArray[np.bool_] = first | np.asarray([level in exact for level in base.levels])[base.codes]
    return rows


def shortest(value: float) -> str:
    """Write a number as Go's ``%v``: the fewest digits that read back, an exponent from 1e+06 on and below 1e-04."""
    text = repr(float(value))
    size = abs(value)
    if 1e-4 <= size < 1e6 or not size:
        return text.removesuffix(".0")
    if "e" in text or not math.isfinite(value):
        return text if "e" in text else {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}[text]
    # Python writes the exponent from 1e+16 on.
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
    whole, _, decimals = digits.removesuffix(".0").partition(".")
    significant = (whole + decimals).rstrip("0")
    tail = f".{significant[1:]}" if len(significant) > 1 else ""
    return f"{sign}{significant[0]}{tail}e+{len(whole) - 1:02d}"
