"""Changes side by side: places beside each other, or pairs of sides, where more is compared than two recordings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.comparison.answer import ComparisonAnswer
from benchlib.answers.comparison.plain import PlainRow
from benchlib.answers.comparison.ruling import RECORDINGS
from benchlib.answers.grouping import label
from benchlib.cli.blocks import Grid
from benchlib.cli.comparison.tables import NONE, naming_axes, row_change
from benchlib.report.wording.words import change, metric_name

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
    metrics = list(dict.fromkeys(row.metric for row in rows))
    found = {(row.baseline, row.candidate, row.metric, name): row for row, name in zip(rows, names, strict=True)}

    def cell(pair: tuple[str, str], metric: str, place: str) -> str:
        row = found.get((*pair, metric, place))
        return NONE if row is None else _in_matrix(row)

    legend = "changes side by side; ? is a change without a verdict"
    if len(places) <= _MOST_COLUMNS and 2 < len(places) + len(pairs) * len(metrics) <= _MOST_ROWS:
        body = [
            (_pair(pair), metric_name(metric), *(cell(pair, metric, place) for place in places))
            for pair in pairs
            for metric in metrics
        ]
        return ((f"{answer.name}: {legend}", Grid(heads=("", "", *places), rows=tuple(body), words=2)),)
    if not 1 < len(pairs) <= _MOST_COLUMNS or len(places) > _MOST_ROWS:
        return ()
    return tuple(
        (
            f"{answer.name}, {metric_name(metric)}: {legend}",
            Grid(
                heads=("", *map(_pair, pairs)),
                rows=tuple((place, *(cell(pair, metric, place) for pair in pairs)) for place in places),
                words=1,
            ),
        )
        for metric in metrics
    )


def _pair(pair: tuple[str, str]) -> str:
    return f"{pair[1]} against {pair[0]}"


def _in_matrix(row: PlainRow) -> str:
    if row.verdict == "same":
        return "same"
    if math.isnan(row.ratio) or row.ratio <= 0:
        told = row_change(row)
    else:
        told = change(row.ratio, row.metric) if row.noticeable else "no difference shown"
    undecided = row.verdict == "cannot tell" and row.noticeable
    return f"{told} ?" if undecided else told
