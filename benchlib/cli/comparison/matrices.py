"""Changes side by side: places beside each other, or pairs of sides, where more is compared than two recordings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.comparison.answer import ComparisonAnswer
from benchlib.answers.comparison.plain import PlainRow
from benchlib.answers.comparison.ruling import RECORDINGS
from benchlib.answers.grouping import label
from benchlib.cli.blocks import Grid, fits
from benchlib.cli.comparison.tables import NONE, naming_axes, row_change
from benchlib.report.wording.words import change, metric_name
from benchlib.units import scaled

__all__ = ["matrices"]

#: A matrix has at most this many columns, and so many rows.
_MOST_COLUMNS, _MOST_ROWS = 6, 200


def matrices(answer: ComparisonAnswer, rows: Sequence[PlainRow]) -> tuple[tuple[str, Grid], ...]:
    """Lay changes out side by side where more is compared than two runs: places or pairs beside each other.

    Returns
    -------
    tuple of (str, Grid)
        Titles and tables; none for two recordings of one thing.
    """
    pairs = list(dict.fromkeys((row.baseline, row.candidate) for row in rows))
    if answer.column in RECORDINGS and len(pairs) < 2:
        return ()
    axes = naming_axes(rows)
    names = [label({axis: row.key[axis] for axis in axes if axis in row.key}) or NONE for row in rows]
    places = list(dict.fromkeys(names))
    metrics = _metrics(rows)
    found = {
        (row.baseline, row.candidate, row.metric, row.unit, name): row for row, name in zip(rows, names, strict=True)
    }

    def cell(pair: tuple[str, str], metric: tuple[str, str], place: str) -> str:
        row = found.get((*pair, *metric, place))
        return NONE if row is None else _in_matrix(row)

    def by_pair() -> Grid:
        heads = ("", "", *(["change"] if places == [NONE] else places))
        body = ((_pair(pair), name, *(cell(pair, metric, place) for place in places))
                for pair in pairs for metric, name in metrics.items())  # fmt: skip
        return Grid(heads=heads, rows=tuple(body), words=2)

    def by_place(metric: tuple[str, str]) -> Grid:
        body = ((place, *(cell(pair, metric, place) for pair in pairs)) for place in places)
        return Grid(heads=("", *map(_pair, pairs)), rows=tuple(body), words=1)

    beside = len(places) <= _MOST_COLUMNS and 2 < len(places) + len(pairs) * len(metrics) <= _MOST_ROWS
    below = 1 < len(pairs) <= _MOST_COLUMNS and len(places) <= _MOST_ROWS
    legend = "changes side by side, each with its verdict; ? stands for cannot tell"
    # Places stand beside each other where a terminal has room for them, and below each other where it has not.
    if beside and (not below or fits(by_pair())):
        return ((f"{answer.name}: {legend}", by_pair()),)
    return tuple((f"{answer.name}, {metrics[one]}: {legend}", by_place(one)) for one in metrics if below)


def _metrics(rows: Sequence[PlainRow]) -> dict[tuple[str, str], str]:
    """Name each metric and unit, with the unit where one metric was measured in several."""
    found = list(dict.fromkeys((row.metric, row.unit) for row in rows))
    names = [metric for metric, _ in found]
    return {
        (metric, unit): metric_name(metric) + (f" ({scaled(1.0, unit)[1]})" if names.count(metric) > 1 else "")
        for metric, unit in found
    }


def _pair(pair: tuple[str, str]) -> str:
    return f"{pair[1]} against {pair[0]}"


def _in_matrix(row: PlainRow) -> str:
    verdict = "control" if row.control else row.verdict
    if verdict == "same" or (verdict == "cannot tell" and row.baseline_median == row.candidate_median):
        return verdict
    told = change(row.ratio, row.metric)
    if math.isnan(row.ratio) or row.ratio <= 0 or told.startswith("no different"):
        told = row_change(row)  # no factor says it: from which count to which, or how few percent
    return f"{told} ?" if verdict == "cannot tell" else f"{told}: {verdict}"
