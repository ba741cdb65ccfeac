"""Does a difference depend on a factor? The rows of a comparison pooled by the levels of one of its axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchlib.answers.comparison import COUNTS, THINGS, ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence, pool
from benchlib.lazy_scipy import special

__all__ = ["FactorPool", "PooledLevel", "pool_by_factor", "pool_configurations"]

#: A level whose rows all go one way by chance alone is rarer than this, over the axes looked at.
_CHANCE = 0.05
#: Two configurations leave one degree of freedom, and an interval 13 errors wide.
_FEWEST_STRATA = 3
#: Levels that a reader takes in at once.
_MOST_LEVELS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledLevel:
    """What the rows at one level of an axis do together.

    ``ratio`` is the geometric mean of their ratios, with Student's t interval on the logarithms over the rows.
    """

    level: object
    ratio: float
    low: float
    high: float
    rows: tuple[ComparisonRow, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorPool:
    """One metric of one pair, pooled by the axis at whose levels all rows go one way."""

    axis: str
    metric: str
    baseline: str
    candidate: str
    levels: tuple[PooledLevel, ...]


def pool_by_factor(answer: ComparisonAnswer, confidence_level: float = 0.95) -> tuple[FactorPool, ...]:
    """Return the metrics in which every row of a level goes one way and the levels differ in which.

    Row by row each difference may be too small to be told; that 9 of 9 go one way by chance has a probability of
    0.4% (a sign test on both sides, times the number of axes: Bonferroni).

    Examples
    --------
    >>> from benchlib.answers.comparison import compare_study
    >>> from benchlib.study import open_study
    >>> study = open_study("data/token-sdk")
    >>> (time,) = pool_by_factor(compare_study(study)[1])
    >>> time.axis, [(level.level, len(level.rows), round(level.ratio, 3)) for level in time.levels]
    ('bits', [(32, 8, 1.043), (64, 8, 0.978)])
    """
    pools = []
    for rows in _comparable(answer):
        axes = [axis for axis in rows[0].key if axis not in THINGS]
        for axis in axes:
            levels = _levels(rows, axis)
            smallest = min(map(len, levels.values()))
            one_way = all(_way(row.ratio for row in level) for level in levels.values())
            ways = {level[0].ratio > 1 for level in levels.values()}
            chance = 2 * 0.5**smallest * len(axes)
            if 1 < len(levels) <= _MOST_LEVELS and one_way and len(ways) == 2 and chance <= _CHANCE:
                pools.append(_pool(axis, levels, confidence_level))
                break
    return tuple(pools)


def pool_configurations(answer: ComparisonAnswer, confidence_level: float = 0.95) -> dict[tuple[str, str], PooledLevel]:
    """Return, by metric and candidate, what all configurations say together, where there are three or more.

    Each configuration is a stratum: it holds both sides, so that what it costs itself is in neither, and the spread of
    the ratios over configurations is the error.

    Examples
    --------
    >>> from benchlib.answers.comparison import compare_study
    >>> from benchlib.study import open_study
    >>> pools = pool_configurations(compare_study(open_study("data/token-sdk"))[0])
    >>> pool = pools["throughput", "unbounded"]
    >>> [round(end, 2) for end in (pool.ratio, pool.low, pool.high)], len(pool.rows)
    ([1.02, 0.97, 1.07], 4)
    """
    return {
        (rows[0].metric, rows[0].candidate): _pooled(rows[0].candidate, rows, confidence_level)
        for rows in _comparable(answer)
        if len(rows) >= _FEWEST_STRATA and len({_thing(row) for row in rows}) == 1
    }


def _thing(row: ComparisonRow) -> tuple[object, ...]:
    """Return what a row measures: other benchmarks are no configurations of it."""
    return tuple(row.key.get(axis) for axis in sorted(THINGS))


def _comparable(answer: ComparisonAnswer) -> Iterator[list[ComparisonRow]]:
    """Yield the rows of each pair and metric that have a ratio and could differ."""
    groups: dict[tuple[str, str, str], list[ComparisonRow]] = {}
    for row in answer.rows:
        if not row.control and row.metric not in COUNTS and math.isfinite(row.ratio) and row.ratio > 0:
            groups.setdefault((row.baseline, row.candidate, row.metric), []).append(row)
    yield from groups.values()


def _levels(rows: Sequence[ComparisonRow], axis: str) -> dict[object, list[ComparisonRow]]:
    levels: dict[object, list[ComparisonRow]] = {}
    for row in rows:
        levels.setdefault(row.key.get(axis), []).append(row)
    return levels


def _way(ratios: Iterator[float]) -> bool:
    """Whether all ratios lie on one side of 1."""
    above = [ratio > 1 for ratio in ratios if ratio != 1]
    return bool(above) and (all(above) or not any(above))


def _pool(axis: str, levels: dict[object, list[ComparisonRow]], confidence_level: float) -> FactorPool:
    first = next(iter(levels.values()))[0]
    return FactorPool(
        axis=axis,
        metric=first.metric,
        baseline=first.baseline,
        candidate=first.candidate,
        levels=tuple(_pooled(level, rows, confidence_level) for level, rows in levels.items()),
    )


def _pooled(level: object, rows: list[ComparisonRow], confidence_level: float) -> PooledLevel:
    logs = np.log([row.ratio for row in rows])
    reach = special.stdtrit(logs.size - 1, (1 + confidence_level) / 2) * logs.std(ddof=1) / math.sqrt(logs.size)
    low, middle, high = np.exp(logs.mean() + np.array([-reach, 0, reach])).tolist()
    return PooledLevel(
        level=level,
        ratio=middle,
        low=low,
        high=high,
        rows=tuple(rows),
        evidence=pool(
            (row.evidence for row in rows),
            f"geometric mean over {len(rows)} configurations of median over median, less 1",
        ),
    )
