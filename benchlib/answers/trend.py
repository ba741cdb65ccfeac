"""Runs of commit after commit: what changed, at which commit, by how much, and whether code or machine did it."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal, _asked_metrics
from benchlib.answers.evidence import Evidence, gather_all
from benchlib.answers.grouping import cells, place_axes
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import choices, printable
from benchlib.history.order import Line, first_parent_line
from benchlib.metrics import better
from benchlib.results import RECORDED
from benchlib.statistics.changes import FEWEST_RUNS, Change, Course, find_changes
from benchlib.study import Study

__all__ = ["Finding", "Trend", "TrendAnswer", "trend"]

#: Columns that say when and of what a run is, and tell no series from another.
RUN_FACTS = ("time", "commit", "branch")
#: Where at least this share of so many series moves one way at one run, by more than a run scatters, the machine or the
#: toolchain may have moved them; runs on either side that say whether it moved.
_MOST, _MANY, _BESIDE = 0.5, 8, 5
#: A series that lacks so many of the last runs has stopped.
_STOPPED = 5
#: The last runs in which a change may have been told that later runs took back.
_RECENT = 5
#: Of a long series so many runs tell what was told of its last ones.
_TAIL = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """One metric of one benchmark over all runs.

    Attributes
    ----------
    key : mapping
    metric, unit : str
    runs : tuple of int
        Of each value, its place among the runs of the answer.
    values : tuple of float
        The median of each run.
    course : Course
        Its places count the values.
    withdrawn : tuple of Change
        Told one to five runs ago, and taken back since.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    runs: tuple[int, ...]
    values: tuple[float, ...]
    course: Course
    withdrawn: tuple[Change, ...]
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Changes of one cause: those of all series that may lie at one run.

    Attributes
    ----------
    at, first, last : int
        The run it begins with, and those that may be it, counted among the runs of the answer.
    members : tuple of (Trend, Change)
        The largest first.
    cause : {"code", "machine"}
        ``"machine"`` where half of eight series or more moved one way: as much machine or toolchain as code.
    worse : bool or None
        Whether its largest member got worse; None where no direction is known.
    """

    at: int
    first: int
    last: int
    members: tuple[tuple[Trend, Change], ...]
    cause: str
    worse: bool | None

    @property
    def state(self) -> str:
        """Confirmed, as soon as one of its members is."""
        return "confirmed" if any(change.state == "confirmed" for _, change in self.members) else "provisional"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendAnswer:
    """What every series did.

    Attributes
    ----------
    column : str
        What names the runs.
    runs : tuple of str
        In order: by their time where each has one, else as they stand in the files.
    times : tuple of str
        Of each run, as recorded; empty without.
    trends : tuple of Trend
    findings : tuple of Finding
        The latest first.
    short, stopped : tuple of mapping
        Series of too few runs, or with zeros, and such as lack the last five runs.
    least : float
        The smallest change that was asked for, as a share.
    caveats : tuple of Caveat
    """

    column: str
    runs: tuple[str, ...]
    times: tuple[str, ...]
    trends: tuple[Trend, ...]
    findings: tuple[Finding, ...]
    short: tuple[Mapping[str, Any], ...]
    stopped: tuple[Mapping[str, Any], ...]
    least: float
    caveats: tuple[Caveat, ...]

    @property
    def steady(self) -> int:
        """How many series neither changed nor drifted."""
        return sum(not trend.course.changes and not trend.course.drifts for trend in self.trends)


def trend(
    study: Study,
    *,
    metric: str | Sequence[str] = "",
    since: str = "",
    branch: str = "",
    repo: str = "",
    least: float = 0.02,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
) -> TrendAnswer | Refusal:
    """Tell what changed over the runs of a history, and at which of them.

    Parameters
    ----------
    study : Study
        With a column of versions (``versions`` in ``[configuration]``; commits are found by themselves).
    metric : str or sequence of str
    since : str
        A run, or a date such as ``"2026-10-01"``: findings from there on.
    branch : str
        The branch that is followed; by default main, master, or the one of most runs. Runs of others are left out.
    repo : str
        A git repository whose first-parent line orders the commits; those that it lacks go by their time.
    least : float
        The smallest change that matters, as a share.
    significance_level : float
        The share of all changes told that may be none.
    confidence_level : float

    References
    ----------
    `benchlib.statistics.changes.find_changes`.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> trend(open_study("data/lplex")).reason
    'these results are no history of versions'
    """
    column = study.versions
    if not column:
        return Refusal(
            question="trend",
            reason="these results are no history of versions",
            advice="record every version under a column commit, or name its column: versions in [configuration]",
        )
    metrics = _asked_metrics(study.results, metric)
    frame = study.results.frame
    frame = frame[frame["metric"].isin(metrics)] if metrics else frame
    frame, followed = _of_branch(frame, branch)
    if frame.empty and branch:
        whole = study.results.frame
        known = choices(sorted(map(str, whole["branch"].dropna().unique()) if "branch" in whole else ()))
        return Refusal(
            question="trend", reason=f"no run is of the branch '{printable(branch, 60)}'", advice=f"there are {known}"
        )
    nothing = Refusal(
        question="trend",
        reason=f"no benchmark was recorded in {FEWEST_RUNS} versions with values above 0",
        advice="record more versions",
    )
    if frame.empty:
        return nothing
    # A commit that was recorded again is named 4f2a1b3c5d/2: its runs are repeats, and no steps.
    frame = frame.assign(**{column: frame[column].astype(str).str.partition("/")[0]})
    runs, times, placed = _ordered(study, frame, column, repo)
    place = {run: number for number, run in enumerate(runs)}
    facts = {column, *RUN_FACTS}
    axes = [axis for axis in place_axes(frame, ["benchmark", column]) if axis not in facts]
    long, short = [], []
    for key, rows in cells(frame, [*axes, "metric", "unit"]):
        values = rows.groupby(column, observed=True, sort=False)["value"].median()
        values = values[sorted(values.index, key=lambda run: place[str(run)])]
        if len(values) < FEWEST_RUNS or (values <= 0).any():
            short.append(key)
        else:
            long.append((key, values, rows))
    if not long:
        return nothing
    series = [values.to_numpy(dtype=float) for _, values, _ in long]
    courses = find_changes(
        series, least=least, significance_level=significance_level, confidence_level=confidence_level
    )
    withdrawn = _withdrawn(series, courses, least, significance_level)
    trends = tuple(
        _trend(key, values, rows, course, place, back)
        for (key, values, rows), course, back in zip(long, courses, withdrawn, strict=True)
    )
    findings = _findings(trends, len(runs))
    return TrendAnswer(
        column=column,
        runs=tuple(runs),
        times=times,
        trends=trends,
        findings=tuple(finding for finding in findings if finding.at >= _place_of(since, runs, times)),
        short=tuple(short),
        stopped=tuple(trend.key for trend in trends if trend.runs[-1] < len(runs) - _STOPPED),
        least=least,
        caveats=merge(_caveats(trends, findings), followed, placed),
    )


def _of_branch(frame: pd.DataFrame, asked: str) -> tuple[pd.DataFrame, tuple[Caveat, ...]]:
    """Return the rows of one branch, and how many runs of others are left out."""
    if "branch" not in frame.columns:
        return (frame.iloc[:0] if asked else frame), ()
    of_all = frame["branch"].astype(object)
    counts = of_all.value_counts()
    if counts.empty:
        return (frame.iloc[:0] if asked else frame), ()
    chosen = asked or next((name for name in ("main", "master") if name in counts), str(counts.index[0]))
    if chosen not in counts:
        return frame.iloc[:0], ()
    if len(counts) == 1:
        return frame, ()
    others = sorted(str(name) for name in counts.index if name != chosen)
    kept = of_all == chosen if asked else (of_all == chosen) | of_all.isna()
    told = caveat("other-branches", f"runs of {chosen} are followed; those of {choices(others, 5)} are left out")
    return frame[kept], (told,)


def _ordered(
    study: Study, frame: pd.DataFrame, column: str, repo: str
) -> tuple[list[str], tuple[str, ...], tuple[Caveat, ...]]:
    """Return the runs in order, the day of each, and what is to be said: by a line of commits, else by times."""
    runs = [str(run) for run in frame[column].dropna().unique()]
    said = {series.name: str(series.data[0]) for series in study.results.series if series.kind == RECORDED}
    if "time" in frame.columns:
        firsts = frame.drop_duplicates(column)
        said |= dict(zip(firsts[column].astype(str), firsts["time"].astype(str), strict=True))
    told = pd.Series({run: said.get(run) for run in runs}, dtype=object)
    when = pd.to_datetime(told, utc=True, errors="coerce", format="mixed")
    if when.isna().any() and not repo:
        return runs, (), ()
    when = when.sort_values(kind="stable", na_position="last")
    order = [str(run) for run in when.index]
    caveats: tuple[Caveat, ...] = ()
    if repo:
        line = first_parent_line(repo, order)
        order = _on_line(order, line.places)
        caveats = tuple(_placed(line))
    days = tuple(when[run].strftime("%Y-%m-%d") for run in order) if not when.isna().any() else ()
    return order, days, caveats


def _placed(line: Line) -> Iterator[Caveat]:
    """Yield which commits lie elsewhere than under their own name."""
    if line.missing:
        yield caveat("off-the-line", f"{choices(line.missing, 3)}: not on the line of commits, placed by time")
    if line.matched:
        yield caveat("rebased", f"{choices(list(line.matched), 3)}: rebased or squashed, placed where they landed")


def _on_line(by_time: Sequence[str], line: Mapping[str, int]) -> list[str]:
    """Return runs by their place on a line; one that is not on it follows what was before it in time."""
    keys: dict[str, tuple[int, int]] = {}
    last = -1
    for number, run in enumerate(by_time):
        last = line.get(run, last)
        keys[run] = (last, number if run not in line else -1)
    return sorted(by_time, key=lambda run: keys[run])


def _place_of(since: str, runs: Sequence[str], times: Sequence[str]) -> int:
    """Return the first run from which on findings are asked for."""
    if not since:
        return 0
    if since in runs:
        return runs.index(since)
    return sum(time < since for time in times)


def _trend(
    key: Mapping[str, Any], values: pd.Series, rows: pd.DataFrame, course: Course, place: Mapping[str, int],
    withdrawn: tuple[Change, ...],
) -> Trend:  # fmt: skip
    return Trend(
        key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
        metric=str(key["metric"]),
        unit=str(key.get("unit", "")),
        runs=tuple(place[str(run)] for run in values.index),
        values=tuple(values.tolist()),
        course=course,
        withdrawn=withdrawn,
        evidence=gather_all([rows], "the median of each run; changes of level by benchlib.statistics.changes"),
    )


def _withdrawn(
    series: Sequence[np.ndarray[tuple[int], np.dtype[np.float64]]],
    courses: Sequence[Course],
    least: float,
    significance_level: float,
) -> list[tuple[Change, ...]]:
    """Return of each series the changes that were told one to five runs ago and are told no more."""
    suspects = [
        number
        for number, (values, course) in enumerate(zip(series, courses, strict=True))
        if any(place >= values.size - 2 * _RECENT for place in course.outliers) and values.size > FEWEST_RUNS + _RECENT
    ]
    taken_back: dict[int, dict[int, Change]] = {number: {} for number in suspects}
    starts = [max(0, series[number].size - _TAIL) for number in suspects]
    for fewer in range(1, _RECENT + 1):
        tails = [series[number][start:-fewer] for number, start in zip(suspects, starts, strict=True)]
        before = find_changes(tails, least=least, significance_level=significance_level)
        for number, start, course in zip(suspects, starts, before, strict=True):
            still = [change.at for change in courses[number].changes]
            recent = series[number].size - 2 * _RECENT
            for change in course.changes:
                at = start + change.at
                if at >= recent and not any(abs(at - place) <= 2 for place in still):
                    taken_back[number].setdefault(at, replace(change, at=at))
    return [tuple(taken_back.get(number, {}).values()) for number in range(len(series))]


# Changes of one cause -------------------------------------------------------------------------------------------------


def _findings(trends: Sequence[Trend], runs: int) -> list[Finding]:
    """Gather changes that may lie at one run, that of most of them first; return the latest first."""
    left = [(trend, change, *_reach(trend, change)) for trend in trends for change in trend.course.changes]
    findings = []
    while left:
        covered = np.zeros(runs + 1, dtype=int)
        for _, _, first, last in left:
            covered[first] += 1
            covered[last + 1] -= 1
        at = int(np.argmax(np.cumsum(covered)))
        here = [entry for entry in left if entry[2] <= at <= entry[3]]
        left = [entry for entry in left if not entry[2] <= at <= entry[3]]
        findings.append(_finding(here, trends))
    return sorted(findings, key=lambda finding: -finding.at)


def _reach(trend: Trend, change: Change) -> tuple[int, int]:
    """Return the runs that may be the first of a change; runs that the series lacks may be it too."""
    return trend.runs[change.first - 1] + 1, trend.runs[change.last]


def _finding(here: Sequence[tuple[Trend, Change, int, int]], trends: Sequence[Trend]) -> Finding:
    first, last = max(entry[2] for entry in here), min(entry[3] for entry in here)
    members = sorted(((trend, change) for trend, change, _, _ in here), key=lambda member: -_size(member[1]))
    starts = [trend.runs[change.at] for trend, change in members]
    at = min(max(int(np.median(starts)), first), last)
    return Finding(
        at=at,
        first=first,
        last=last,
        members=tuple(members),
        cause="machine" if _moved_alike(trends, at) else "code",
        worse=_worse(*members[0]),
    )


def _moved_alike(trends: Sequence[Trend], at: int) -> bool:
    """Whether half of many series moved one way at a run, told or not, by medians of five runs on either side."""
    steps = []
    for trend in trends:
        place = bisect_left(trend.runs, at)
        before, after = trend.values[max(0, place - _BESIDE) : place], trend.values[place : place + _BESIDE]
        if min(len(before), len(after)) >= 3:
            steps.append(math.log(median(after) / median(before)) / trend.course.noise)
    least = max(_MOST * len(steps), _MOST * _MANY)
    return max(sum(step > 1 for step in steps), sum(step < -1 for step in steps)) >= least and len(steps) >= _MANY


def _size(change: Change) -> float:
    return abs(math.log(change.ratio.value))


def _worse(trend: Trend, change: Change) -> bool | None:
    """Whether a change is for the worse; None where no direction is known."""
    way = better(trend.metric, trend.unit)
    return None if way is None else (change.ratio.value > 1) == (way == "lower")


def _caveats(trends: Sequence[Trend], findings: Sequence[Finding]) -> tuple[Caveat, ...]:
    caveats = []
    alike = [finding for finding in findings if finding.cause == "machine"]
    if alike:
        caveats.append(caveat("moved-at-once", f"at {len(alike)} runs half of all series or more moved at once"))
    modes = sum(bool(trend.course.modes) for trend in trends)
    if modes:
        caveats.append(caveat("two-modes", f"{modes} series switch between two levels; their switches are no changes"))
    return tuple(caveats)


#: What a record of a change has behind its key.
CHANGE_NUMBERS = (
    "metric", "unit", "run", "time", "first", "last", "before", "after", "ratio", "ratio_low", "ratio_high",
    "runs_before", "runs_after", "pvalue", "state", "cause", "worse",
)  # fmt: skip


def spread_of_rows(
    answer: TrendAnswer, keys: Iterable[Mapping[str, Any]], metrics: Iterable[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return of each row what a run of it scatters by, as a logarithm, and how many runs tell; NaN where none does.

    Where several series could be the row (of other machines, for instance), the noisiest is.
    """
    rows = list(zip(keys, metrics, strict=True))
    known = {axis for key, _ in rows for axis in key}
    shared = sorted({axis for trend in answer.trends for axis in trend.key if axis in known})
    spreads: dict[tuple[str, ...], tuple[float, int]] = {}
    for trend in answer.trends:
        name = (trend.metric, *(str(trend.key.get(axis)) for axis in shared))
        spread = (_spread(trend.course), len(trend.values) - len(trend.course.changes))
        spreads[name] = max(spread, spreads.get(name, spread))
    unknown = (math.nan, 0)
    found = [spreads.get((metric, *(str(key.get(axis)) for axis in shared)), unknown) for key, metric in rows]
    noise, runs = np.array(found, dtype=np.float64).reshape(-1, 2).T
    return noise, runs


def _spread(course: Course) -> float:
    """Return the noise of a run; that of a series which switches between two levels holds the switch."""
    between = math.log(max(course.modes) / min(course.modes)) / 2 if course.modes else 0.0
    return math.hypot(course.noise, between)


def change_records(answer: TrendAnswer) -> Iterator[dict[str, Any]]:
    """Yield a record a change of a series, those of the latest run first."""
    for finding in answer.findings:
        for trend, change in finding.members:
            run = trend.runs[change.at]
            yield {
                **trend.key, "metric": trend.metric, "unit": trend.unit, "run": answer.runs[run],
                "time": answer.times[run] if answer.times else "", "first": answer.runs[finding.first],
                "last": answer.runs[finding.last], "before": change.before, "after": change.after,
                "ratio": change.ratio.value, "ratio_low": change.ratio.low, "ratio_high": change.ratio.high,
                "runs_before": change.runs_before, "runs_after": change.runs_after, "pvalue": change.pvalue,
                "state": change.state, "cause": finding.cause, "worse": finding.worse,
            }  # fmt: skip
