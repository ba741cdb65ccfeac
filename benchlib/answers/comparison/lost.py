"""What becomes of an advantage at other levels of an axis: the share of it that is gone there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from benchlib.answers.comparison.answer import LostAdvantage
from benchlib.answers.comparison.pairing import COUNTS
from benchlib.answers.comparison.plain import PlainRow
from benchlib.metrics import Better

__all__ = ["MOST_ROWS", "THINGS", "advantage", "lost_advantages"]

#: Of more rows than this no axis is looked along: nobody reads what depends on what in so many.
MOST_ROWS = 200
#: Axes whose levels are other things rather than another place for the same thing.
THINGS = frozenset({"benchmark", "case", "pkg"})


def advantage(ratio: float, better: Better) -> float:
    """Say how many times better the candidate is, whichever way its metric improves; NaN where there is no factor.

    Examples
    --------
    >>> advantage(0.5, "lower"), advantage(0.5, "higher"), advantage(0.5, None)
    (2.0, 0.5, nan)
    """
    if better is None or math.isnan(ratio) or ratio <= 0:
        return math.nan
    return ratio if better == "higher" else 1 / ratio


def lost_advantages(rows: Sequence[PlainRow]) -> Iterator[LostAdvantage]:
    """Find each advantage that is noticeable at the first level of an axis, and hold it against the other levels.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/heavy-read-api-published"))[0]
    >>> [f"{one.share:.0%}" for one in answer.lost if one.first == 0]
    ['58%']
    """
    pairs: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        if not row.control and row.metric not in COUNTS and not math.isnan(advantage(row.ratio, row.better)):
            pairs.setdefault((row.baseline, row.candidate), []).append(place)
    for places in pairs.values():
        for axis in dict.fromkeys(axis for place in places for axis in rows[place].key if axis not in THINGS):
            along: dict[tuple[object, ...], list[int]] = {}
            for place in places:
                if axis in rows[place].key:
                    others = sorted((name, str(level)) for name, level in rows[place].key.items() if name != axis)
                    along.setdefault((rows[place].metric, *others), []).append(place)
            for first, *elsewhere in along.values():
                had = math.log(advantage(rows[first].ratio, rows[first].better))
                if rows[first].noticeable and had > 0:
                    for place in elsewhere:
                        left = math.log(advantage(rows[place].ratio, rows[place].better))
                        yield LostAdvantage(axis=axis, first=first, elsewhere=place, share=1 - left / had)
