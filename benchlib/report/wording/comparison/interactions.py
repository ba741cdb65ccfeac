"""Where a change depends on a third thing: an advantage that another axis takes away, a cost that grows along it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchlib.answers.comparison import COUNTS, THINGS, ComparisonAnswer, ComparisonRow, advantage
from benchlib.answers.grouping import label
from benchlib.report.wording.words import carried_change, count, listed, metric_name
from benchlib.units import percent

__all__ = ["interactions"]

#: Advantages that change by less than this between two places are not told as changing, nor smaller ones at all.
SHIFT = 0.05
#: A share that leaves nothing.
_ALL = "all"
#: Levels named one by one; of more, the ends are.
MOST_LEVELS = 6
#: Sentences of one answer; beyond these, the furthest are told.
MOST_SENTENCES = 6
_FACTOR = re.compile(r"(?P<factor>[\d.,]+(?:x| %)) (?P<way>\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shift:
    """One thing at several levels of an axis, in the metrics in which these differ.

    Attributes
    ----------
    axis : str
    thing : str
        What tells it from the others, apart from the axis; empty where there is nothing to tell.
    metrics : tuple of tuple of ComparisonRow
        For each metric a row a level, in one order.
    lost : tuple of (tuple of float)
        For each metric the shares of the advantage at the first level that are gone at the others; empty where it
        has none.
    """

    axis: str
    thing: str
    metrics: tuple[tuple[ComparisonRow, ...], ...]
    lost: tuple[tuple[float, ...], ...]


def interactions(answer: ComparisonAnswer) -> list[str]:
    """Say where another axis takes an advantage away or adds to it, or makes a cost grow.

    A change must be noticeable at one level at least, and another one elsewhere: its intervals must lie apart where
    they are known, and the factors by more than `SHIFT`.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/heavy-read-api-published"))[1]
    >>> interactions(answer)[0].split(";")[0]
    'By endpoint (post-redis, post-marshal, post) apisix against direct is 1.37x, 1.61x and 1.67x slower in p50 latency'
    """
    shifts, left = _told_of(answer)
    told = [_sentence(one) for one in shifts]
    return [*told, *([f"{count(left, 'more change')} of this kind stand in the table"] if left else [])]


def rows_told(answer: ComparisonAnswer, most: int) -> list[ComparisonRow]:
    """Return the rows whose change the first so many of these sentences tell, each with where it is."""
    shifts, _ = _told_of(answer)
    every = [rows for one in shifts[:most] for rows in one.metrics]
    return [row for rows in every if len(rows) <= MOST_LEVELS for row in rows]


def _told_of(answer: ComparisonAnswer) -> tuple[list[_Shift], int]:
    """Return what has a sentence of its own, in the order of the answer, and how many more there are."""
    found: dict[tuple[str, str], list[ComparisonRow]] = {}
    for row in answer.rows:
        if not row.control and row.metric not in COUNTS and not math.isnan(_advantage(row)):
            found.setdefault((row.baseline, row.candidate), []).append(row)
    lost = {(id(answer.rows[one.first]), id(answer.rows[one.elsewhere])): one.share for one in answer.lost}
    shifts = [shift for rows in found.values() for shift in _shifts_of(rows, lost)]
    furthest = sorted(shifts, key=_size, reverse=True)[:MOST_SENTENCES]
    return [one for one in shifts if any(one is kept for kept in furthest)], len(shifts) - len(furthest)


def sample_sizes(rows: Iterable[ComparisonRow]) -> str:
    """Say how many values stand behind each side."""
    found = dict.fromkeys((row.comparison.baseline.n, row.comparison.candidate.n) for row in rows)
    return listed([f"n = {old} each" if old == new else f"n = {new} and {old}" for old, new in found])


def _shifts_of(rows: Sequence[ComparisonRow], lost: Mapping[tuple[int, int], float]) -> Iterator[_Shift]:
    axes = list(dict.fromkeys(axis for row in rows for axis in row.key))
    varying = [axis for axis in axes if len({str(row.key.get(axis)) for row in rows}) > 1]
    for axis in varying:
        if axis in THINGS:
            continue
        along: dict[tuple[str, str], list[ComparisonRow]] = {}
        for row in rows:
            if axis in row.key:
                thing = label({one: level for one, level in row.key.items() if one in varying and one != axis})
                along.setdefault((thing, row.metric), []).append(row)
        # Metrics measured at the same levels share a sentence.
        alike: dict[tuple[str, tuple[str, ...]], list[tuple[ComparisonRow, ...]]] = {}
        for (thing, _), same in along.items():
            if _differ(same):
                alike.setdefault((thing, tuple(str(row.key[axis]) for row in same)), []).append(tuple(same))
        for (thing, _), metrics in alike.items():
            gone = [[lost.get((id(first), id(row))) for row in others] for first, *others in metrics]
            shares = tuple(tuple(share for share in one if share is not None) for one in gone)
            yield _Shift(axis=axis, thing=thing, metrics=tuple(metrics), lost=shares)


def _differ(rows: Sequence[ComparisonRow]) -> bool:
    """Whether a change that is worth telling at one level at least is another one elsewhere."""
    matter = any(row.noticeable and abs(math.log(_advantage(row))) > math.log1p(SHIFT) for row in rows)
    return matter and any(_apart(one, other) for one, other in combinations(rows, 2))


def _apart(row: ComparisonRow, other: ComparisonRow) -> bool:
    first, second = row.comparison.ratio, other.comparison.ratio
    if first.has_interval and second.has_interval and first.low <= second.high and second.low <= first.high:
        return False
    return abs(math.log(_advantage(row) / _advantage(other))) > math.log1p(SHIFT)


def _advantage(row: ComparisonRow) -> float:
    """How many times better the candidate is, whichever way its metric improves; NaN where there is no factor."""
    return advantage(row.comparison.ratio.value, row.better)


def _size(shift: _Shift) -> float:
    found = [[math.log(_advantage(row)) for row in rows] for rows in shift.metrics]
    return max(max(one) - min(one) for one in found)


def _sentence(shift: _Shift) -> str:
    first = shift.metrics[0][0]
    levels = [str(row.key[shift.axis]) for row in shift.metrics[0]]
    pair = f"{first.candidate} against {first.baseline}"
    if len(levels) == 2:
        here, there = (label({shift.axis: row.key[shift.axis]}) for row in shift.metrics[0])
        way = f"From {here} to {there.removeprefix(f'{shift.axis} ')}"
        told = f"{way}, {pair} goes {listed([_from_to(rows[0], rows[1]) for rows in shift.metrics])}"
    elif len(levels) <= MOST_LEVELS:
        told = f"By {shift.axis} ({', '.join(levels)}) {pair} is {'; '.join(map(_level_by_level, shift.metrics))}"
    else:
        ends = [_ends(rows, shift.axis) for rows in shift.metrics]
        told = f"Over {len(levels)} levels of {shift.axis} {pair} goes {'; '.join(ends)}"
    return f"{shift.thing}: {told[0].lower()}{told[1:]}{_hedge(shift)}" if shift.thing else f"{told}{_hedge(shift)}"


def _from_to(first: ComparisonRow, second: ComparisonRow) -> str:
    return f"from {_change(first)} to {_change(second)} in {metric_name(first.metric)}"


def _level_by_level(rows: Sequence[ComparisonRow]) -> str:
    changes = [_change(row) for row in rows]
    found = [_FACTOR.fullmatch(one) for one in changes]
    ways = {one["way"] if one else "" for one in found}
    if len(ways) == 1 and "" not in ways:
        changes = [*(one["factor"] for one in found[:-1] if one), changes[-1]]
    return f"{listed(changes)} in {metric_name(rows[0].metric)}"


def _ends(rows: Sequence[ComparisonRow], axis: str) -> str:
    least, most = min(rows, key=_advantage), max(rows, key=_advantage)
    ends = [f"{_change(row)} at {row.key[axis]}" for row in sorted((least, most), key=rows.index)]
    return f"from {ends[0]} to {ends[1]} in {metric_name(rows[0].metric)}"


def _change(row: ComparisonRow) -> str:
    return carried_change(row.comparison.ratio, row.metric)


def _hedge(shift: _Shift) -> str:
    """Say what becomes of the advantage, and how sure that is."""
    rows = [row for metric in shift.metrics for row in metric]
    if any(row.verdict == "cannot tell" for row in rows):
        return f"{_fate(shift)} (as measured, {sample_sizes(rows)}: no verdict)"
    return f"{_fate(shift)} ({sample_sizes(rows)})"


def _fate(shift: _Shift) -> str:
    """Say how much of the advantage at the first level is gone elsewhere in each metric, or that it turned round."""
    turned, gone = [], []
    for rows, shares in zip(shift.metrics, shift.lost, strict=True):
        if not shares or min(shares) <= 0 or not all(_apart(rows[0], row) for row in rows[1:]):
            continue
        if min(shares) > 1 and all(row.noticeable for row in rows):
            turned.append(rows)
        else:
            gone.append((rows, _share(shares)))
    told = [_gone(gone, shift)] if gone else []
    told += [f"{'it' if gone else 'its advantage'} turns into a loss{_in(turned, shift)}"] if turned else []
    return "".join(f"; {one}" for one in told)


def _gone(metrics: Sequence[tuple[Sequence[ComparisonRow], str]], shift: _Shift) -> str:
    """Say each share that is gone with the metrics that it is gone in."""
    shares = list(dict.fromkeys(share for _, share in metrics))
    first, *others = [(share, _in([rows for rows, one in metrics if one == share], shift)) for share in shares]
    if shares == [_ALL]:
        return f"all of its advantage is gone{first[1]}"
    further = [f"{'all of it' if share == _ALL else share}{where}" for share, where in others]
    return f"of its advantage (on logarithms) {listed([f'{first[0]} is gone{first[1]}', *further])}"


def _share(shares: Sequence[float]) -> str:
    """Say a share that is gone; of several levels the least."""
    least = min(shares)
    if round(least, 2) >= 1:
        return _ALL
    return percent(least) if len(shares) == 1 else f"at least {percent(least)}"


def _in(metrics: Sequence[Sequence[ComparisonRow]], shift: _Shift) -> str:
    """Name some metrics of a sentence; nothing where they are all that it tells."""
    if len(metrics) == len(shift.metrics):
        return ""
    return f" in {listed([metric_name(one[0].metric) for one in metrics])}"
