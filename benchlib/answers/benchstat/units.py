"""Which table each value stands in: one for each unit, named as benchstat names it where it has the same values.

References
----------
golang.org/x/perf/benchunit, ``tidy.go``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.benchstat.columns import Columns, Texts
from benchlib.metrics import factor_of, metric
from benchlib.results import Series
from benchlib.units import parse_unit

__all__ = ["exact_units", "table_units", "tidied"]

_TIDIED = {"ns": ("sec", 1e-9), "MB": ("B", 1e6)}


def tidied(unit: str) -> tuple[str, float]:
    """Return the unit that benchstat makes of one, and the factor: ``ns`` and ``MB`` above the line, nothing else.

    Examples
    --------
    >>> tidied("MB/s"), tidied("p99-ns"), tidied("ms/op")
    (('B/s', 1000000.0), ('p99-sec', 1e-09), ('ms/op', 1.0))
    """
    parts, factor, below = [], 1.0, False
    for token in re.split(r"([*/\-\s])", unit):
        below = token == "/" or (below and token != "*")
        word, scale = (token, 1.0) if below else _TIDIED.get(token, (token, 1.0))
        parts.append(word)
        factor *= scale
    return "".join(parts), factor


def table_units(columns: Columns) -> Texts:
    """Return the unit that the table of each row is headed by.

    What benchlib brings to a base unit and benchstat leaves alone (``ms/op``) stands with that unit. A metric that
    its unit does not tell (a latency of another tool) is named before it.
    """
    parts = [columns.column(one) for one in ("metric", "unit", "original_unit")]
    codes = np.zeros(len(columns.frame), dtype=np.intp)
    for one in parts:
        codes = codes * len(one.levels) + one.codes
    met, inverse = np.unique(codes, return_inverse=True)
    texts = []
    for code in met.tolist():
        found: list[str] = []
        for one in reversed(parts):
            code, place = divmod(code, len(one.levels))
            found.append(one.levels[place])
        original, base, name = found
        texts.append(_heading(name, base, original))
    return Texts(inverse.astype(np.intp, copy=False), ()).mapped(texts)


def _heading(name: str, base: str, original: str) -> str:
    unit, factor = tidied(original)
    if original and metric(original)[0].name == name and math.isclose(factor, factor_of(name, original), rel_tol=1e-12):
        return unit
    shown = base.replace("/sec", "/s")
    return shown if metric(base)[0].name == name else f"{name}-{shown}" if shown else name


def exact_units(columns: Columns, series: Iterable[Series]) -> NDArray[np.bool_]:
    """Return which rows have a unit that a file says is exact: ``Unit text-bytes assume=exact``.

    What is said first of a unit holds.
    """
    said: dict[str, str] = {}
    for one in series:
        if one.kind == "unit":
            for key, value in one.data:
                if key == "assume":
                    said.setdefault(one.name, value)
    exact = {unit for unit, value in said.items() if value == "exact"}
    if not exact:
        return np.zeros(len(columns.frame), dtype=np.bool_)
    original, base = columns.column("original_unit"), columns.column("unit")
    first = np.asarray([parse_unit(one).base in exact for one in original.levels])[original.codes]
    rows: NDArray[np.bool_] = first | np.asarray([one in exact for one in base.levels])[base.codes]
    return rows
