"""The latency that has a limit: of the fitted curve where it is the mean, as measured where it is a percentile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchlib.answers.grouping import cells
from benchlib.answers.planning.question import PlanQuestion
from benchlib.answers.planning.recording import recording_advice
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.amounts import Amount, latency_in
from benchlib.answers.sweeps import Sweep
from benchlib.capacity.draws import CurveDraws
from benchlib.capacity.latency import draw_percentiles, mean_latency
from benchlib.errors import DataError, choices
from benchlib.scaling.curve import levels_text
from benchlib.scaling.laws import FloatArray
from benchlib.study import Limit
from benchlib.units import show

__all__ = ["LimitedLatency", "limited_latency", "of_mean", "time_unit", "timed_out"]

#: From what a latency is written with to what a float holds.
_DIGITS = range(3, 16)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LimitedLatency:
    """Draws of a latency on the grid of those of throughput.

    Attributes
    ----------
    values : ndarray, shape (draws, k)
        In seconds, at the most that each concurrency delivers; rows of a percentile do not fall.
    up_to : float
        The largest concurrency that they speak of.
    measured : str
        How they were found, for evidence.
    fastest : float
        The fastest median: of those measured, or along the curve.
    reference : float
        Values are this times powers of e in multiples of `benchlib.capacity.draws.STEP`; NaN for a mean, which
        follows from throughput.
    """

    values: FloatArray
    up_to: float
    measured: str
    fastest: float
    reference: float

    @property
    def of_mean(self) -> bool:
        """Whether it is the mean, which follows from throughput."""
        return math.isnan(self.reference)


def limited_latency(
    sweep: Sweep, question: PlanQuestion, drawn: CurveDraws
) -> tuple[LimitedLatency | None, tuple[Refusal, ...]]:
    """Return the latency that has a limit, or why these data cannot speak of it."""
    limit = question.limit
    if limit is None:
        return None, ()
    if question.node_axis:
        reason = f"{limit.metric} does not follow from a sweep of {question.axis}: it hangs on the load of each"
        return None, (_refusal(reason, "sweep requests in flight at one number of nodes"),)
    if limit.metric == "latency_mean":
        return of_mean(drawn), ()
    if question.mix:
        return None, (
            _refusal(
                f"{limit.metric} of the mix was not measured, and percentiles of its parts do not add up",
                "load the mix itself and record percentiles",
            ),
        )
    rows = sweep.beside[sweep.beside["metric"] == limit.metric]
    rows = rows[rows[question.axis].astype(float) <= drawn.measured_range[1]]
    missed = timed_out(question, [rows, sweep.failed])
    if missed:
        reason = f"{limit.metric} leaves out {missed:,} requests that timed out in runs of this sweep"
        return None, (_refusal(reason, "measure with a generator that counts them in, or with a longer time-out"),)
    measured = {
        float(place[question.axis]): part["value"].to_numpy(dtype=float) for place, part in cells(rows, [question.axis])
    }
    levels = sorted(measured)
    counted = sweep.rows[question.axis].astype(float)
    advice = recording_advice(limit.metric, sorted(counted[counted <= drawn.measured_range[1]].unique()), question)
    if len(levels) < 2:
        known = sorted({str(one) for one in sweep.beside["metric"] if str(one).startswith("latency_")})
        there = f"; measured there: {choices(known)}" if known else ""
        missing = f"{limit.metric} was not measured at 2 or more levels of {question.axis}"
        reason = f"{missing}{_slower_elsewhere(question)}{there}"
        return None, (_refusal(reason, advice),)
    try:
        reference, values = draw_percentiles(
            np.array(levels),
            [measured[one] for one in levels],
            drawn.concurrency,
            draws=question.draws,
            seed=question.seed + 1,
        )
    except DataError as error:
        return None, (_refusal(f"{limit.metric}: {error}", advice),)
    fastest = min(float(np.median(one)) for one in measured.values())
    told = f"{limit.metric} as measured at {question.axis} {levels_text(levels)}, never falling between them"
    return LimitedLatency(values=values, up_to=levels[-1], measured=told, fastest=fastest, reference=reference), ()


def _slower_elsewhere(question: PlanQuestion) -> str:
    """Say that no value in the study, at any level of any curve, keeps a limit; nothing where one does."""
    limit, frame = question.limit, question.study.results.frame
    if limit is None:
        return ""
    found = frame.loc[(frame["metric"] == limit.metric) & (frame["unit"] == "sec"), "value"].min()
    if not found > limit.seconds:
        return ""
    return f", and the fastest in this study, {_beside(found, limit)}, exceeds the limit"


def _beside(seconds: float, limit: Limit) -> str:
    """Write a latency with as many digits as tell it from a limit."""
    written = ((show(seconds, "sec", digits), show(limit.seconds, "sec", digits)) for digits in _DIGITS)
    return next((told for told, asked in written if told != asked), show(seconds, "sec", _DIGITS[-1]))


def of_mean(drawn: CurveDraws) -> LimitedLatency:
    """Return the mean latency that the curve itself gives: N / X(N)."""
    values = mean_latency(drawn) * time_unit(drawn.unit)
    return LimitedLatency(
        values=values,
        up_to=float(drawn.concurrency[-1]),
        measured="N / X(N)",
        fastest=float(np.min(np.median(values, axis=0))),
        reference=math.nan,
    )


def time_unit(unit: str) -> float:
    """Return the seconds that work is counted by in a unit of throughput.

    Raises
    ------
    DataError
        For a unit that counts by no known time.

    Examples
    --------
    >>> time_unit("scripts/h")
    3600.0
    """
    return 1 / latency_in(Amount(value=1.0, unit="sec", written="1 s"), unit)


def timed_out(question: PlanQuestion, measured: Sequence[pd.DataFrame]) -> int:
    """Return how many requests timed out in the files of these rows, which their percentiles leave out."""
    sources = {source for rows in measured for source in rows["source"].astype(str).unique()}
    return sum(
        int(one.data[0])
        for one in question.study.results.series
        if one.kind == "timeouts" and one.data and one.source in sources and isinstance(one.data[0], int)
    )


def _refusal(reason: str, advice: str) -> Refusal:
    return Refusal(question="capacity", reason=reason, advice=advice)
