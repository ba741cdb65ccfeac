"""What undecided rows could have shown, and what more would take: once for rows of like n."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from benchlib.answers.comparison.plain import PlainRow
from benchlib.statistics.power import MOST_VALUES
from benchlib.statistics.samples import values_needed

__all__ = ["Undecided", "undecided_groups"]

#: Reasons that more values may take away; others ask for another recording.
_OWN_REASONS = ("", "too few values", "no interval", "smaller than matters", "not shown to exceed", "one of many")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """Rows of like n without a verdict.

    Attributes
    ----------
    baseline_n, candidate_n : int
    rows : int
    without_interval : bool
        Whether what they lack is an interval.
    level : float
        The widest confidence level asked of their ratios.
    blind : int
        Rows that no change, however large, could decide at this n.
    detectable, detectable_worst : float
        The change that the middle and the worst row would have shown; NaN where all are blind.
    drifted, steady : float
        What the middle row that a drift touched would have shown, with it and without; NaN where none did.
    more : int or None
        So many more a side decide half of those that any number up to `most` would; None where none would.
    decided : int
        Rows that `more` would decide.
    most : int
        So many a side were looked at.
    for_interval : int
        Values a side that an interval takes.
    """

    baseline_n: int
    candidate_n: int
    rows: int
    without_interval: bool
    level: float
    blind: int
    detectable: float
    detectable_worst: float
    drifted: float
    steady: float
    more: int | None
    decided: int
    most: int
    for_interval: int


def undecided_groups(rows: Iterable[PlainRow], confidence_level: float = 0.95) -> tuple[Undecided, ...]:
    """Group the rows without a verdict by n, the largest group first; controls are none of them.

    Examples
    --------
    >>> undecided_groups(())
    ()
    """
    groups: dict[tuple[int, int, bool], list[PlainRow]] = {}
    for row in rows:
        if row.verdict == "cannot tell" and not row.control and row.reason in _OWN_REASONS:
            groups.setdefault((row.baseline_n, row.candidate_n, row.reason == "no interval"), []).append(row)
    ordered = sorted(groups.values(), key=lambda group: -len(group))
    return tuple(_undecided(group, values_needed(confidence_level)) for group in ordered)


def _undecided(group: Sequence[PlainRow], for_interval: int) -> Undecided:
    least = [row.detectable for row in group if math.isfinite(row.detectable)]
    drifted = [row for row in group if math.isfinite(row.steady_detectable) and math.isfinite(row.detectable)]
    first = group[0]
    # Where this many would do as a rule and did not, as many again are asked for.
    present = max(first.baseline_n, first.candidate_n)
    needed = sorted(int(row.more) or present for row in group if not math.isnan(row.more))
    more = needed[(len(needed) - 1) // 2] if needed else None
    return Undecided(
        baseline_n=first.baseline_n,
        candidate_n=first.candidate_n,
        rows=len(group),
        without_interval=first.reason == "no interval",
        level=max(row.ratio_level for row in group),
        blind=len(group) - len(least),
        detectable=median(least) if least else math.nan,
        detectable_worst=max(least, default=math.nan),
        drifted=median(row.detectable for row in drifted) if drifted else math.nan,
        steady=median(row.steady_detectable for row in drifted) if drifted else math.nan,
        more=more,
        decided=sum(one <= more for one in needed) if more is not None else 0,
        most=MOST_VALUES,
        for_interval=for_interval,
    )
