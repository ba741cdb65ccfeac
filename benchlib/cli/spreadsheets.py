"""Rows of an answer as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from benchlib.errors import printable


def write_rows(rows: Iterable[Mapping[str, Any]], *, last: Sequence[str] = (), out: TextIO | None = None) -> None:
    """Print rows as a table: the columns as they come first, those named ``last`` after all others."""
    cells = [{name: safe_cell(value) for name, value in row.items()} for row in rows]
    seen = dict.fromkeys(name for row in cells for name in row)
    columns = [*(name for name in seen if name not in last), *last]
    writer = csv.writer(out or sys.stdout, lineterminator="\n")
    # The name of a column may come from a file, as a cell does.
    writer.writerow(map(safe_cell, columns))
    writer.writerows([row.get(name, "") for name in columns] for row in cells)


def safe_cell(value: object) -> str:
    """Write a value so that no spreadsheet takes it for a formula; nothing for a number that is unknown.

    Examples
    --------
    >>> safe_cell(0.25), safe_cell(float("nan")), safe_cell("=1+1"), safe_cell(True)
    ('0.25', '', "'=1+1", 'yes')
    """
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, bool):
        return "yes" if value else ""
    text = printable(str(value), 400)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "'") else text
