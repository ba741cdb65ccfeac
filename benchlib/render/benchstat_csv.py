"""Results as ``benchstat -format csv`` prints them: tables to one stream, warnings with their cells to another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

import numpy as np
from numpy.typing import NDArray

from benchlib.errors import printable

if TYPE_CHECKING:
    from benchlib.answers.benchstat import Table, Tables
    from benchlib.results import Results


#: Columns of the label, of the first column of a table, and of each further one.
_LABEL, _CENTRE, _EACH = 1, 2, 4


def write_benchstat_csv(
    results: Results,
    *,
    table: str = ".config",
    row: str = ".fullname",
    col: str = ".file",
    ignore: str = "",
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    out: TextIO,
    err: TextIO,
    made_of_names: Sequence[str] = (),
) -> None:
    """Write results as benchstat does."""
    from benchlib.answers.benchstat import benchstat_tables

    tables = benchstat_tables(
        results.frame,
        series=results.series,
        table=table,
        row=row,
        col=col,
        ignore=ignore,
        significance_level=significance_level,
        confidence_level=confidence_level,
        made_of_names=made_of_names,
    )
    err.writelines(f"{printable(str(problem), 1000)}\n" for problem in results.problems)
    write_tables(tables, out, err)


def write_tables(tables: Tables, out: TextIO, err: TextIO) -> None:
    """Write tables as CSV, with a line for each key that changed since the table before."""
    line = 1
    before: tuple[str, ...] | None = None
    for table in tables.tables:
        heads = [] if before is None else [""]
        for place, (field, value) in enumerate(zip(tables.fields, table.keys, strict=True)):
            if before is None or before[place] != value:
                heads.append(_quoted(f"{field}: {value}"))
        lines = [*heads, *_heads(table, tables.column_fields)]
        lines += _body(table, tables.significance_level, line + len(lines), err)
        out.write("\n".join(lines) + "\n")
        line += len(lines)
        before = table.keys


def _heads(table: Table, fields: Sequence[str]) -> Iterator[str]:
    for place, _ in enumerate(fields):
        values = [_quoted(column[place]) for column in table.columns]
        yield ",".join(["", f"{values[0]},", *(f"{value},,," for value in values[1:])])
    unit = _quoted(table.unit)
    yield ",".join(["", f"{unit},CI", *[f"{unit},CI,vs base,P"] * (len(table.columns) - 1)])


def _body(table: Table, significance_level: float, line: int, err: TextIO) -> list[str]:
    """Return the rows of a table and its last line; ``line`` is the number of the first."""
    labels = [_quoted(row) for row in table.rows]
    cells = [_column(table, column, significance_level) for column in range(len(table.columns))]
    if all(map(all, cells)) and np.isfinite(table.pvalue[:, 1:]).all():
        lines = list(map(",".join, zip(labels, *cells, strict=True)))
    else:
        lines = [_with_gaps(label, row) for label, row in zip(labels, zip(*cells, strict=True), strict=True)]
    lines.append(_summary_line(table))
    err.writelines(_told(table, line))
    return lines


def _with_gaps(label: str, cells: Sequence[str]) -> str:
    """Join the cells of a row of which some are missing; what follows the last is left out."""
    parts, width = [label], _LABEL
    for column, cell in enumerate(cells):
        if cell:
            parts += [""] * (_start(column) - width) + [cell]
            width = _start(column) + 1 + cell.count(",")
    return ",".join(parts)


def _column(table: Table, column: int, significance_level: float) -> list[str]:
    """Write the cells of a column: centre and interval, and the comparison where there is one; nothing for none."""
    centres, pvalues = table.centre[:, column], table.pvalue[:, column]
    shown = [
        f"{number},{interval}" if number else ""
        for number, interval in zip(_numbers(centres), _intervals(table, column), strict=True)
    ]
    if not column:
        return shown
    bases = table.centre[:, 0].tolist()
    sizes = [
        f"n={n1}" if n1 == n2 else f"n={n1}+{n2}"
        for n1, n2 in zip(table.n[:, 0].tolist(), table.n[:, column].tolist(), strict=True)
    ]
    # An exact unit is not tested: its p value is 0, which no level is below.
    return [
        row
        if pvalue != pvalue
        else f"{row},{_delta(old, new) if pvalue <= significance_level else '~'},"
        f"{f'p={pvalue:.3f} ' if pvalue else ''}{size}"
        for row, old, new, pvalue, size in zip(shown, bases, centres.tolist(), pvalues.tolist(), sizes, strict=True)
    ]


def _numbers(values: NDArray[np.float64]) -> list[str]:
    from benchlib.answers.benchstat import shortest

    return ["" if value != value else shortest(value) for value in values.tolist()]


def _intervals(table: Table, column: int) -> list[str]:
    """Write how far the further end of an interval lies from the centre, in percent of it."""
    centre, low, high = (values[:, column] for values in (table.centre, table.low, table.high))
    with np.errstate(divide="ignore", invalid="ignore"):
        percents = 100 * np.maximum(high / centre - 1, 1 - low / centre)
    texts = [f"{percent:.0f}%" for percent in percents.tolist()]
    unbounded = np.isinf(low) | np.isinf(high)
    of_two_signs = (np.sign(low) != np.sign(centre)) | (np.sign(high) != np.sign(centre))
    for rows, text in ((centre == 0, "0%"), (of_two_signs, "?"), (unbounded, "∞")):
        for row in np.flatnonzero(rows).tolist():
            texts[row] = text
    return texts


def _delta(old: float, new: float) -> str:
    if old == new:
        return "0.00%"
    return "?" if old == 0 else _signed(100.0 * ((new / old) - 1.0))


def _signed(percent: float) -> str:
    return f"{percent:+.2f}%" if math.isfinite(percent) else "+Inf%"


def _summary_line(table: Table) -> str:
    parts, width = ["geomean"], _LABEL
    for column, summary in enumerate(table.summaries):
        parts += [""] * (_start(column) - width)
        parts.append("" if math.isnan(summary.geomean) else _numbers(np.asarray([summary.geomean]))[0])
        width = _start(column) + 1
        if column:
            parts += ["", "?" if math.isnan(summary.ratio) else _signed(100.0 * (summary.ratio - 1.0))]
            width += _CENTRE
    parts += [""] * (_start(len(table.columns)) - width)
    return ",".join(parts)


def _told(table: Table, line: int) -> Iterator[str]:
    """Give the warnings of a table, each with the cell it is about."""
    for row, column in sorted({*table.warnings, *table.change_warnings}):
        for texts, beside in ((table.warnings, 0), (table.change_warnings, _CENTRE)):
            for text in texts.get((row, column), ()):
                yield f"{_letters(_start(column) + beside)}{line + row}: {printable(text, 2000)}\n"
    for column, summary in enumerate(table.summaries):
        for text in summary.warnings:
            yield f"{_letters(_start(column))}{line + len(table.rows)}: {text}\n"


def _start(column: int) -> int:
    """Return the place of the first cell of a column; the first has no comparison."""
    return _LABEL if not column else _LABEL + _CENTRE + (column - 1) * _EACH


def _letters(place: int) -> str:
    """Name a column as spreadsheets do."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _quoted(text: str) -> str:
    r"""Write a field as Go's encoding/csv does, which quotes what it must and what begins with a space."""
    if not text.isprintable():
        # A name may hold control characters of a terminal.
        text = printable(text, len(text))
    if text == r"\." or text[:1].isspace() or any(character in text for character in ',"'):
        return '"' + text.replace('"', '""') + '"'
    return text
