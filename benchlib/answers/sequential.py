"""Go on or stop? Sides that are recorded in turn, looked at after every round."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence
from benchlib.caveats import Caveat
from benchlib.metrics import Better
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.interleaving import rounds_in_turn
from benchlib.statistics.sequential import RoundsJudged, judge_rounds

__all__ = ["SequentialAnswer", "SequentialRow", "sequential"]

SoFar = Literal["worse", "better", "changed", "same", "go on"]
_METHOD = "geometric mean of the ratio within each round, interval from a t-mixture e-value: it holds at every look"
#: Fewer rounds mistake luck for noise: of changes that 80 rounds decide, some seem to take 1,000 before.
FEWEST_TO_FORETELL = 20
#: What a comparison warns of that rounds do not answer.
_KEPT = ("one-sided-rows", "environment-differs", "residue")


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialRow:
    """One metric of one cell, after so many rounds.

    Attributes
    ----------
    key : mapping
    metric, unit : str
    better : {"higher", "lower"} or None
    baseline, candidate : str
        The two levels compared.
    baseline_median, candidate_median : float
    rounds : int
        That hold both sides.
    ratio : Estimate
        Candidate over baseline within a round, unit ``"x"``, with an interval that holds whenever one stops; each row
        by itself.
    evidence_of_change, evidence_of_none : float
        e-values of having changed by more than the smallest effect, and of not having; 0 where the ratio seen says
        the contrary.
    verdict : {"worse", "better", "changed", "same", "go on"}
        Over all rows; "changed" where nothing says which way is better.
    more : int or None
        About how many more rounds decide it; 0 where it is decided, None where a thousand would not.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    better: Better
    baseline: str
    candidate: str
    baseline_median: float
    candidate_median: float
    rounds: int
    ratio: Estimate
    evidence_of_change: float
    evidence_of_none: float
    verdict: SoFar
    more: int | None
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialAnswer:
    """What the rounds so far decide.

    Attributes
    ----------
    name, column : str
    rows : tuple of SequentialRow
        Worse ones first, then better and changed ones, then those to go on with, then those that are the same.
    rounds : int
        The most that a row has.
    verdict : {"worse", "better", "changed", "same", "go on"}
        "worse" as soon as a row is; "go on" while any is undecided; then what the rows are.
    more : int or None
        About how many more rounds decide all rows that rounds can decide; None where they decide none of the open ones.
    significance_level, min_effect : float
    caveats : tuple of Caveat
    """

    name: str
    column: str
    rows: tuple[SequentialRow, ...]
    rounds: int
    verdict: SoFar
    more: int | None
    significance_level: float
    min_effect: float
    caveats: tuple[Caveat, ...]

    @property
    def undecidable(self) -> bool:
        """Whether no row is left that more rounds would decide, after rounds enough to say so."""
        return self.verdict == "go on" and self.more is None and self.rounds >= FEWEST_TO_FORETELL


def sequential(answer: ComparisonAnswer) -> SequentialAnswer | Refusal:
    """Say of a comparison recorded in turn which rows its rounds have decided, and how many more the others take.

    Values of a file that holds both sides are paired by their places: a value and the next one of the other side are a
    round, so that one that is not complete yet is left out. Recordings that are files of their own say nothing of their
    order: where the comparison was told that they were recorded in turn, the first value of one and the first of the
    other are a round.

    References
    ----------
    `benchlib.statistics.sequential.judge_rounds`.

    Examples
    --------
    >>> from benchlib.answers.comparison import compare
    >>> sides = {"col": "run", "baseline": "run1", "candidate": "run2", "interleaved": True}
    >>> runs = compare("data/onix-adapter-published", metric="time", **sides)
    >>> answer = sequential(runs)
    >>> answer.rounds, answer.verdict
    (1, 'go on')
    """
    rows = [row for row in answer.rows if not row.control and not row.amortised]
    paired = [_paired(row, in_files=answer.column == "run") for row in rows]
    if not any(logs.size for logs in paired):
        return _refusal(answer, "no row holds a round: a value of both sides", "record a round of both sides first")
    values = sum(min(row.baseline_n, row.candidate_n) for row in rows)
    in_turn = answer.order == "interleaved" if answer.column == "run" else 2 * sum(map(np.size, paired)) >= values
    if not in_turn:
        return _refusal(
            answer,
            "nothing shows that the sides were recorded in turn, so that no rounds hold both",
            "record them in turn (schedules/interleave.sh); of two files that were, say so by --interleaved",
        )
    judged = judge_rounds(paired, significance_level=answer.significance_level, min_effect=answer.min_effect)
    told = [_row(row, judged, place, answer.significance_level) for place, row in enumerate(rows)]
    order: Sequence[SoFar] = ("worse", "better", "changed", "go on", "same")
    told.sort(key=lambda row: (order.index(row.verdict), -abs(math.log(row.ratio.value or 1))))
    waiting = [row.more for row in told if row.verdict == "go on"]
    finite = [more for more in waiting if more is not None]
    verdict: SoFar = "go on" if waiting and told[0].verdict != "worse" else told[0].verdict
    return SequentialAnswer(
        name=answer.name,
        column=answer.column,
        rows=tuple(told),
        rounds=int(judged.rounds.max()),
        verdict=verdict,
        more=(max(finite) if finite else None) if verdict == "go on" else 0,
        significance_level=answer.significance_level,
        min_effect=answer.min_effect,
        caveats=tuple(caveat for caveat in answer.caveats if caveat.code in _KEPT),
    )


def _refusal(answer: ComparisonAnswer, reason: str, advice: str) -> Refusal:
    return Refusal(question=answer.name, reason=reason, advice=advice)


def _paired(row: ComparisonRow, *, in_files: bool) -> NDArray[np.float64]:
    """Return the logarithm of candidate over baseline in each round; 0 over 0 is no change."""
    old, new = (np.array(values, dtype=np.float64) for values in (row.baseline_values, row.candidate_values))
    if in_files:
        both = min(old.size, new.size)
        old, new = old[:both], new[:both]
    else:
        first, second = rounds_in_turn(row.baseline_positions, row.candidate_positions)
        old, new = old[first], new[second]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(new) - np.log(old)
    return np.where((old == 0) & (new == 0), 0.0, logs)


def _row(row: ComparisonRow, judged: RoundsJudged, place: int, significance_level: float) -> SequentialRow:
    more = float(judged.more[place])
    with np.errstate(over="ignore"):
        value, low, high = np.exp([judged.center[place], judged.low[place], judged.high[place]]).tolist()
    return SequentialRow(
        key=row.key,
        metric=row.metric,
        unit=row.unit,
        better=row.better,
        baseline=row.baseline,
        candidate=row.candidate,
        baseline_median=row.baseline_median,
        candidate_median=row.candidate_median,
        rounds=int(judged.rounds[place]),
        ratio=Estimate(
            value=value,
            low=low,
            high=high,
            unit="x",
            confidence_level=1 - significance_level,
            n=int(judged.rounds[place]),
            method=_METHOD,
            standard_error=math.nan,
        ),
        evidence_of_change=float(judged.change[place]),
        evidence_of_none=float(judged.same[place]),
        verdict=_verdict(row.better, judged, place),
        more=int(more) if math.isfinite(more) else None,
        evidence=row.evidence,
    )


def _verdict(better: Better, judged: RoundsJudged, place: int) -> SoFar:
    if judged.unchanged[place]:
        return "same"
    if not judged.changed[place]:
        return "go on"
    if better is None:
        return "changed"
    return "better" if (judged.center[place] > 0) == (better == "higher") else "worse"
