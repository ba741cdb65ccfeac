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
from benchlib.answers.grouping import MACHINE_FACTS, cells, place_axes
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
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
#: A machine that has fewer runs than this, by and large, begins no series of its own.
_STRETCH = 3
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
        The median of each run, without what controls say that the run did to all.
    course : Course
        Its places count the values.
    withdrawn : tuple of Change
        Told one to five runs ago, and taken back since.
    is_control : bool
        Whether no change of the code can reach it; its changes are the machine's.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    runs: tuple[int, ...]
    values: tuple[float, ...]
    course: Course
    withdrawn: tuple[Change, ...]
    is_control: bool
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
        ``"machine"`` where half of eight series or more moved one way (as much machine or toolchain as code), or
        its members are controls.
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
    by: str | Sequence[str] = "",
    since: str = "",
    branch: str = "",
    repo: str = "",
    control: str = "",
    least: float = 0.02,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
) -> TrendAnswer | Refusal:
    """Tell what changed over the runs of a history, and at which of them.

    Parameters
    ----------
    study : Study
        With a column of versions (``versions`` in ``[configuration]``; commits are found by themselves), or ten runs.
    metric : str or sequence of str
    by : str or sequence of str
        Columns of which a run has one level, and each level has series of its own; by default those that name a machine
        or toolchain. Columns of which a run has several levels tell series apart whatever is asked.
    since : str
        A run, or a date such as ``"2026-10-01"``: findings from there on.
    branch : str
        The branch that is followed; by default main, master, or the one of most runs. Runs of others are left out.
    repo : str
        A git repository whose first-parent line orders the commits; those that it lacks go by their time.
    control : str
        Benchmarks that no change of the code can reach, as a condition such as ``"benchmark=Baseline*"``. What a run
        does to them is taken out of all others, so that a new machine begins no series of its own.
    least : float
        The smallest change that matters, as a share.
    significance_level : float
        The share of all changes told that may be none.
    confidence_level : float

    Raises
    ------
    SelectionError
        For a column or a condition that the results do not have.

    References
    ----------
    `benchlib.statistics.changes.find_changes`.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> trend(open_study("data/lplex")).reason
    'these results are no history of versions'
    """
    column, unnamed = _versions(study)
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
    apart, machine, pooled = _apart(study, frame, column, by, control)
    controls = set(study.results.select(control).frame.index) if control else set()
    long, short = _series_of(frame, column, [*apart, *machine], place, controls)
    if not long and machine:
        return replace(
            nothing, advice=f"record more versions at one {machine[0]}, or say that all are alike: --by benchmark"
        )
    if not long:
        return nothing
    long, taken_out = _without_controls(long, len(runs), control)
    series = [one.values for one in long]
    courses = find_changes(
        series, least=least, significance_level=significance_level, confidence_level=confidence_level
    )
    withdrawn = _withdrawn(series, courses, least, significance_level)
    trends = tuple(map(_trend, long, courses, withdrawn))
    findings = _findings(trends, len(runs))
    begun = _begun(frame, column, machine, place)
    return TrendAnswer(
        column=column,
        runs=tuple(runs),
        times=times,
        trends=trends,
        findings=tuple(finding for finding in findings if finding.at >= _place_of(since, runs, times)),
        short=tuple(short),
        stopped=_stopped(trends, machine, len(runs) - _STOPPED),
        least=least,
        caveats=merge(_caveats(trends, findings), unnamed, begun, pooled, taken_out, followed, placed),
    )


def _versions(study: Study) -> tuple[str, tuple[Caveat, ...]]:
    """Return the column that names the versions: where there is none, runs are taken for them, which is said."""
    runs = study.results.frame["run"].nunique()
    if study.versions or runs < FEWEST_RUNS:
        return study.versions, ()
    return "run", (caveat("runs-as-versions", f"no column names a version: {runs} runs are taken in their order"),)


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


def _trend(series: _Series, course: Course, withdrawn: tuple[Change, ...]) -> Trend:
    return Trend(
        key={axis: level for axis, level in series.key.items() if axis not in ("metric", "unit")},
        metric=str(series.key["metric"]),
        unit=str(series.key.get("unit", "")),
        runs=tuple(series.runs.tolist()),
        values=tuple(series.values.tolist()),
        course=course,
        withdrawn=withdrawn,
        is_control=series.is_control,
        evidence=gather_all([series.rows], "the median of each run; changes of level by benchlib.statistics.changes"),
    )


def _stopped(trends: Sequence[Trend], machine: Sequence[str], last: int) -> tuple[Mapping[str, Any], ...]:
    """Return the series that are not among the last runs, on no machine."""
    alive: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    going = set()
    for trend in trends:
        name = (trend.metric, *(item for item in trend.key.items() if item[0] not in machine))
        alive[name] = trend.key
        if trend.runs[-1] >= last:
            going.add(name)
    return tuple(key for name, key in alive.items() if name not in going)


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


# Machines and controls ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Series:
    """One metric of one benchmark, on one machine: a value a run."""

    key: Mapping[str, Any]
    runs: NDArray[np.intp]
    values: NDArray[np.float64]
    rows: pd.DataFrame
    is_control: bool

    @property
    def moved_with(self) -> tuple[object, ...]:
        """The metric, and the machine where a run has several: what moves one series as it moves another."""
        on = [level for axis, level in self.key.items() if axis.lower() in MACHINE_FACTS]
        return (self.key["metric"], *on)


def _series_of(
    frame: pd.DataFrame, column: str, axes: Sequence[str], place: Mapping[str, int], controls: set[int]
) -> tuple[list[_Series], list[Mapping[str, Any]]]:
    """Return the series that are judged, and the keys of those of too few runs, or with values of 0."""
    long: list[_Series] = []
    short: list[Mapping[str, Any]] = []
    for key, rows in cells(frame, [*axes, "metric", "unit"]):
        values = rows.groupby(column, observed=True, sort=False)["value"].median()
        values = values[sorted(values.index, key=lambda run: place[str(run)])]
        if len(values) < FEWEST_RUNS or (values <= 0).any():
            short.append(key)
        else:
            at = np.array([place[str(run)] for run in values.index])
            long.append(_Series(key, at, values.to_numpy(dtype=float), rows, controls.issuperset(rows.index)))
    return long, short


def _apart(
    study: Study, frame: pd.DataFrame, column: str, by: str | Sequence[str], control: str
) -> tuple[list[str], list[str], tuple[Caveat, ...]]:
    """Return the columns that tell series apart, of several levels in a run and of one a run, and what is pooled.

    A machine that changes with nearly every run, as the names of hosts do that CI lends, begins no series.
    """
    facts = {column, *RUN_FACTS}
    within = [axis for axis in place_axes(frame, ["benchmark", column]) if axis not in facts]
    named = [name.strip() for name in by.split(",") if name.strip()] if isinstance(by, str) else list(by)
    known = [axis for axis in ("benchmark", *study.results.axes) if axis not in facts]
    for name in named:
        if name not in known:
            raise SelectionError(
                f"by: no column '{printable(name, 60)}'{suggestion(name, known)}; there are {choices(known, 12)}"
            )
    if not by and not control:
        named = [axis for axis in known if axis.lower() in MACHINE_FACTS]
    told = [name for name in named if name not in within and frame[name].nunique() > 1]
    passing = [name for name in told if not by and frame[column].nunique() < _STRETCH * frame[name].nunique()]
    pooled = (
        caveat("passing-machine", f"{name} takes {frame[name].nunique()} levels: runs are compared whatever it is")
        for name in passing
    )
    return within, [name for name in told if name not in passing], tuple(pooled)


def _begun(frame: pd.DataFrame, column: str, machine: Sequence[str], place: Mapping[str, int]) -> Iterator[Caveat]:
    """Yield what tells a machine or toolchain from the one before, and since which run the last is used."""
    for axis in machine:
        first = frame[frame[axis].notna()].drop_duplicates(axis)
        newest = max(zip(first[column].astype(str), first[axis], strict=True), key=lambda pair: place[pair[0]])
        level = printable(str(newest[1]), 60)
        message = f"{axis} takes {len(first)} levels, each with series of its own; {level} since {newest[0]}"
        yield caveat("new-machine", message)


def _without_controls(long: list[_Series], runs: int, control: str) -> tuple[list[_Series], tuple[Caveat, ...]]:
    """Divide series by what a run did to controls of their metric: by their levels, and their scatter where that helps.

    Of each control its distance from its own median counts, and of a run the median of those distances. The levels
    of their course are taken out of every series, as they hold what a machine did. The rest is noise of the controls
    as much as of the run, so that it is taken out only of a series whose runs then differ less from each other.
    """
    if not control:
        return long, ()
    controls: dict[tuple[object, ...], list[_Series]] = {}
    for series in long:
        if series.is_control:
            controls.setdefault(series.moved_with, []).append(series)
    moves = {name: _moves(of_name, runs) for name, of_name in controls.items()}
    if not moves:
        raise DataError(f"control '{printable(control, 60)}' names no series of {FEWEST_RUNS} runs; name one")
    cleared = [
        series if series.is_control or series.moved_with not in moves else _cleared(series, *moves[series.moved_with])
        for series in long
    ]
    span = max(math.expm1(float(np.ptp(levels))) for levels, _ in moves.values())
    number = sum(map(len, controls.values()))
    message = f"{number} controls moved by {span:.0%} over the runs; that is taken out of the series of their metrics"
    return cleared, (caveat("controls", message),)


def _moves(controls: Sequence[_Series], runs: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the levels that controls took, run by run, and their scatter about them, as logarithms."""
    away = np.full((len(controls), runs), np.nan)
    for row, series in zip(away, controls, strict=True):
        row[series.runs] = np.log(series.values / np.median(series.values))
    held = np.flatnonzero(np.isfinite(away).any(axis=0))
    middle = np.nanmedian(away[:, held], axis=0)
    (course,) = find_changes([np.exp(middle)])
    levels = np.log(course.levels)
    every = np.arange(runs)
    return np.interp(every, held, levels), np.interp(every, held, middle - levels)


def _cleared(series: _Series, levels: NDArray[np.float64], scatter: NDArray[np.float64]) -> _Series:
    logs = np.log(series.values) - levels[series.runs]
    calmer = logs - scatter[series.runs]
    if np.median(np.abs(np.diff(calmer))) < np.median(np.abs(np.diff(logs))):
        logs = calmer
    return replace(series, values=np.exp(logs))


# Changes of one cause -------------------------------------------------------------------------------------------------


def _findings(trends: Sequence[Trend], runs: int) -> list[Finding]:
    """Gather changes that may lie at one run, that of most of them first; return the latest first."""
    every = [(trend, change, *_reach(trend, change)) for trend in trends for change in trend.course.changes]
    findings: list[Finding] = []
    for is_control in (False, True):
        findings += _gathered([entry for entry in every if entry[0].is_control == is_control], trends, runs)
    return sorted(findings, key=lambda finding: -finding.at)


def _gathered(left: list[tuple[Trend, Change, int, int]], trends: Sequence[Trend], runs: int) -> Iterator[Finding]:
    while left:
        covered = np.zeros(runs + 1, dtype=int)
        for _, _, first, last in left:
            covered[first] += 1
            covered[last + 1] -= 1
        at = int(np.argmax(np.cumsum(covered)))
        here = [entry for entry in left if entry[2] <= at <= entry[3]]
        left = [entry for entry in left if not entry[2] <= at <= entry[3]]
        yield _finding(here, trends)


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
        cause="machine" if members[0][0].is_control or _moved_alike(trends, at) else "code",
        worse=_worse(*members[0]),
    )


def _moved_alike(trends: Sequence[Trend], at: int) -> bool:
    """Whether half of many series moved one way at a run, told or not, by medians of five runs on either side."""
    steps = []
    for trend in trends:
        if trend.is_control:
            continue
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
