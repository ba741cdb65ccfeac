"""What a folder of results asks where no study.toml says it: the plans that its names and numbers make obvious.

Two recordings named old and new are compared; run time against workers is a scaling curve; levels that cross are
factors. What is not obvious is not asked: a plan that is wrong tells a wrong story with right numbers.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from glob import escape

import msgspec
import pandas as pd

from benchlib.concurrency import DEMAND, RESOURCES, counted
from benchlib.errors import choices
from benchlib.formats.wide import BEFORE, VARIANT
from benchlib.metrics import better
from benchlib.results import Results
from benchlib.study.file_names import AXIS
from benchlib.study.model import ComparisonPlan, CurvePlan, EffectsPlan, ScalingPlan, Study

__all__ = ["CIRCUMSTANCES", "PARTS_OF_LOAD", "called_older"]

#: Formats whose runs are commits, and from how many runs on they are a history: a few files of asv are compared.
_FEWEST_RUNS = {"github-action-benchmark": 2, "devhub": 2, "asv": 10}
#: Fewer levels than these are no sweep.
_FEWEST_LEVELS = 3
#: Names of the time of a whole job, where a table times its parts as well.
_WHOLE = re.compile(
    r"time|time_(?:taken|s|sec|seconds|total)|seconds|duration|makespan|"
    r"(?:(?:avg|average|mean|median|min|best|total|execution|exec|run|wall|wall_clock|elapsed|job|solve|real)_?)+"
    r"(?:time|clock|duration|seconds|sec|s)?"
)
#: Parts of names of what is a part of a job, or says how far its times differ.
_PART = re.compile(
    r"(?:^|_)(?:wait\w*|comm\w*|idle|io|setup|init|sync|overhead|transfer|delay|gap|timeout|std\w*|err\w*)(?:_|$)"
)
#: Names of how much there is to do.
_SIZE = re.compile(
    r"(?:.*_)?(?:size|n|elements?|particles?|points?|rows?|cells?|items?|work|problem|samples?|dofs?|length)(?:_.*)?"
)
#: How many times as long as another no job of one table takes.
_FARTHEST = 1e12
#: A size may leave proportion to the workers by this share, as a grid that has to be whole does.
_PROPORTION = 0.02
#: Words of names that say nothing of what is measured.
_SAY_NOTHING = frozenset({"test", "tests", "bench", "benchmark", "benchmarks", "run", "perf", "the", "with", "of", ""})
#: Two ways of scaling are two questions, and neither is a candidate for the other.
_WAYS_OF_SCALING = frozenset({"strong", "weak"})
#: More levels than these of one axis are a list and no factor.
_MOST_LEVELS = 12
#: Axes that say where and when something was measured.
CIRCUMSTANCES = frozenset({
    "file", "machine", "host", "cpu", "goos", "goarch", "pkg", "commit", "python", "suite", "tool", "os", "kernel",
    "version", "date", "time", "timestamp", "branch", "jvm", "jdk", "build_type", "id",
})  # fmt: skip
#: Axes whose levels are parts of one load and no alternatives.
PARTS_OF_LOAD = frozenset({
    "operation", "op", "endpoint", "method", "url", "path", "label", "direction", "stage", "phase", "scenario", "host",
    "status", "quantile", "statistic",
})  # fmt: skip


def meant(study: Study) -> Study:
    """Return a study that nobody wrote down with what its results answer best."""
    for ask in (_history, _run_time, _rates, _sides, _factors):
        study = ask(study)
    return study


def _with(study: Study, words: str, **plans: object) -> Study:
    """Return a study with other plans, and why."""
    return replace(study, meant=(*study.meant, words), **plans)  # type: ignore[arg-type]


# --- versions of the code ---------------------------------------------------------------------------------------------


def _history(study: Study) -> Study:
    """Take what a continuous integration recorded of commit after commit for a history, and for no repeats."""
    results = study.whole
    recorded = {file.format for file in results.files}
    if "commit" in results.axes and results.frame["commit"].nunique() >= _FEWEST_LEVELS:
        column = "commit"
    elif len(recorded) == 1 and results.frame["run"].nunique() >= _FEWEST_RUNS.get(recorded.pop(), math.inf):
        column = "run"
    else:
        return study
    return _with(study, "commits are versions of the code, and their values no repeats", versions=column)


# --- run time against workers -----------------------------------------------------------------------------------------


def _run_time(study: Study) -> Study:
    """Read the time of whole jobs against workers as a curve: strong scaling, or weak where work grows as workers do.

    G. M. Amdahl, AFIPS 1967; J. L. Gustafson, "Reevaluating Amdahl's law", Communications of the ACM 31(5), 1988.
    """
    frame = study.whole.frame
    metric = _job_time(study.whole)
    if not metric or (frame["metric"] == "throughput").any():
        return study
    rows = frame[frame["metric"] == metric]
    axis = _workers(rows, study.whole.axes)
    if not axis or not _are_times(rows["value"]):
        return study
    size = _grows_alike(rows, axis, study.whole.axes)
    column, ways = ("", {}) if size else _ways(rows, ["benchmark", *study.whole.axes])
    by = tuple(
        other for other in _told_apart(rows, axis, ["benchmark", *study.whole.axes]) if other not in (size, column)
    )
    curves = [
        CurvePlan(name=level, where=shlex.quote(f"{column}={level}"), metric=metric, weak=way == "weak")
        for level, way in ways.items()
    ]
    plan = ScalingPlan(
        concurrency=axis,
        by=by,
        weak=bool(size),
        work=size,
        curves=tuple(curves) or (CurvePlan(name=str(rows["benchmark"].iloc[0]), metric=metric),),
    )
    kind = f"weak scaling: {size} grows as {axis} does" if size else "strong scaling: the same job with more of them"
    if ways:
        kind = "; ".join(f"{way} scaling where {column} is {level}" for level, way in ways.items())
    return _with(study, f"{metric} is read as the run time of a job against {axis}, {kind}", scaling=plan)


def _ways(rows: pd.DataFrame, columns: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the column whose levels are called strong or weak, and which each is; empty without one."""
    for column in columns:
        levels = [str(level) for level in rows[column].dropna().unique()]
        ways = {level: {*_parts(level)} & _WAYS_OF_SCALING for level in levels}
        if levels and all(len(way) == 1 for way in ways.values()) and {"weak"} in ways.values():
            return column, {level: next(iter(way)) for level, way in ways.items()}
    return "", {}


def _are_times(values: pd.Series) -> bool:
    """Whether values may be times of one kind of job: above 0, and none a trillion times another."""
    return bool(values.min() > 0 and values.max() <= values.min() * _FARTHEST)


def _job_time(results: Results) -> str:
    """Return the metric that times a whole job; empty where none does, or several might."""
    commands = {file.source for file in results.files if file.format.startswith("hyperfine")}
    frame = results.frame
    # Of a time without a unit speedup and law are as good.
    whole = frame[
        (frame["unit"] == "sec")
        | (frame["metric"].isin(["time", "duration"]) & (frame["unit"] == ""))
        | ((frame["unit"] == "sec/op") & frame["source"].isin(commands))
    ]
    names = [str(name) for name in whole["metric"].unique() if not str(name).startswith("latency")]
    named = [name for name in names if _WHOLE.fullmatch(name.lower())]
    best = ["time"] if "time" in named else named or [name for name in names if not _PART.search(name.lower())]
    return best[0] if len(best) == 1 else ""


def _workers(rows: pd.DataFrame, axes: Sequence[str]) -> str:
    """Return the axis that counts workers, of several the one with most levels; empty where none does."""
    levels = {axis: _positive(rows[axis]) for axis in axes if counted(axis) in RESOURCES}
    levels = {axis: count for axis, count in levels.items() if count >= _FEWEST_LEVELS}
    # With more of those who ask for work, it is no more the same job.
    if any((counted(axis) in DEMAND or axis.lower() == "requests") and rows[axis].nunique() > 1 for axis in axes):
        return ""
    return max(levels, key=lambda axis: levels[axis], default="")


def _positive(column: pd.Series) -> int:
    """Count the levels of an axis, all of which are above 0; 0 where one is no such number."""
    numbers = pd.to_numeric(column.astype(object), errors="coerce")
    return int(numbers.nunique()) if (numbers > 0).all() else 0


def _told_apart(rows: pd.DataFrame, axis: str, axes: Sequence[str]) -> list[str]:
    """Return the axes that vary while the workers stand still, and of which most levels were swept.

    A label that each configuration has for itself tells no curves apart.
    """

    def swept(name: str) -> bool:
        varies = (rows.groupby(axis, observed=True)[name].nunique(dropna=False) > 1).any()
        levels = rows.groupby(name, observed=True, dropna=False)[axis].transform("nunique")
        return bool(varies and (levels >= _FEWEST_LEVELS).mean() > 1 / 2)

    return [name for name in axes if name != axis and swept(name)]


def _grows_alike(rows: pd.DataFrame, axis: str, axes: Sequence[str]) -> str:
    """Return the axis of sizes that grows in proportion to the workers; empty where none does."""
    for name in axes:
        if name == axis or not _SIZE.fullmatch(re.sub(r"\W+", "_", name.lower())) or not _positive(rows[name]):
            continue
        each = pd.to_numeric(rows[name].astype(object)) / pd.to_numeric(rows[axis].astype(object))
        if each.max() <= each.min() * (1 + _PROPORTION):
            return name
    return ""


# --- rates and times per operation against workers --------------------------------------------------------------------

#: A time per operation that falls by less than this, as workers are added, is of operations that do not share them.
_FALLS = 1.3


def _rates(study: Study) -> Study:
    """Read the one rate, or the times per operation that fall as workers are added, as throughput."""
    axis, frame = study.scaling.concurrency, study.whole.frame
    if not axis or study.scaling.curves or (frame["metric"] == "throughput").any():
        return study
    units = frame.drop_duplicates(["metric", "unit"])
    rates = [
        str(metric)
        for metric, unit in zip(units["metric"], units["unit"], strict=True)
        if (unit.endswith("/sec") or metric == "speedup") and better(str(metric), unit) == "higher"
    ]
    rows = frame[frame["metric"].isin(rates)]
    # Go works out the bytes of a second from the time of an operation.
    derived = rates == ["transfer"] and "time" in study.whole.metrics
    swept = len(rates) == 1 and not derived and rows[axis].nunique() >= _FEWEST_LEVELS and (rows["value"] > 0).all()
    by = tuple(_told_apart(rows, axis, ["benchmark", *study.whole.axes])) if swept else ()
    if swept and _are_alike(rows, [*by, axis], ["benchmark", *study.whole.axes]):
        curve = CurvePlan(name=str(rows["benchmark"].iloc[0]), metric=rates[0])
        plan = msgspec.structs.replace(study.scaling, by=by, curves=(curve,))
        return _with(study, f"{rates[0]} is read as the throughput against {axis}", scaling=plan)
    timed = frame[(frame["metric"] == "time") & (frame["unit"] == "sec/op")]
    parallel = [
        str(name) for name, own in timed.groupby("benchmark", observed=True) if _falls(own, axis, study.whole.axes)
    ]
    if not parallel:
        return study
    words = f"operations of {choices(parallel, 3)} share {axis}: their time falls as those grow"
    return _with(study, words, parallel=tuple(map(escape, parallel)))


def _are_alike(rows: pd.DataFrame, by: Sequence[str], axes: Sequence[str]) -> bool:
    """Whether no other axis varies among the rows of one place, so that they repeat each other."""
    others = [name for name in axes if name not in by]
    return not others or bool((rows.groupby(list(by), observed=True)[others].nunique(dropna=False) <= 1).all(axis=None))


def _falls(timed: pd.DataFrame, axis: str, axes: Sequence[str]) -> bool:
    """Whether the time of an operation falls as workers are added, wherever else it was measured."""
    medians = timed.groupby(axis, observed=True)["value"].median().sort_index()
    return (
        _are_alike(timed, [axis], axes)
        and len(medians) >= _FEWEST_LEVELS
        and medians.iloc[0] >= _FALLS * medians.iloc[1:].min()
    )


# --- two sides --------------------------------------------------------------------------------------------------------


def _sides(study: Study) -> Study:
    """Compare two recordings, two levels of one axis in words, or two benchmarks that share a part of their names."""
    if study.versions:  # how each goes from version to version is asked
        return study
    results = study.whole
    sides = _files(results) or _variants(results) or _levels(results) or _benchmarks(results)
    if not sides:
        return study
    column, old, new = sides
    metrics: tuple[str, ...] = ()
    if {"time", "transfer"} <= set(results.metrics):
        # Go and others work out the one from the other: a change is told once.
        metrics = tuple(metric for metric in results.metrics if metric != "transfer")
    plan = ComparisonPlan(
        name=f"{new} against {old}", column=column, baselines=(old,), candidates=(new,), metrics=metrics
    )
    return _with(study, f"{new} is held against {old}: {column} tells them apart", comparisons=(plan,))


def _files(results: Results) -> tuple[str, str, str] | None:
    return _pair(results, AXIS, _words_of(results, AXIS)) if AXIS in results.axes else None


def _variants(results: Results) -> tuple[str, str, str] | None:
    """Return the two sides that columns of one table are."""
    return _pair(results, VARIANT, _words_of(results, VARIANT)) if VARIANT in results.varying_axes else None


def _levels(results: Results) -> tuple[str, str, str] | None:
    """Return the only axis that takes two words, both in the same places."""
    none = CIRCUMSTANCES | PARTS_OF_LOAD | {"case"}
    axes = [axis for axis in results.varying_axes if axis.lower() not in none]
    worded = [axis for axis in axes if len(_words_of(results, axis)) > 1]
    # A level such as 10k is an amount.
    if len(worded) == 1 and any(level[:1].isdigit() for level in _words_of(results, worded[0])):
        return None
    return _pair(results, worded[0], _words_of(results, worded[0])) if len(worded) == 1 else None


def _benchmarks(results: Results) -> tuple[str, str, str] | None:
    names = [str(name) for name in results.frame["benchmark"].unique()]
    if len(names) != 2:
        return None
    # Of a path only its end names what was measured.
    first, second = ({*_parts(re.split(r"[./:]+", name)[-1])} for name in names)
    return _pair(results, "benchmark", names) if (first & second) - _SAY_NOTHING else None


def _parts(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.split(r"[\W_]+", spaced.lower())


def _words_of(results: Results, axis: str) -> list[str]:
    levels = results.frame[axis].dropna().unique().tolist()
    return [level for level in levels if isinstance(level, str)] if all(isinstance(x, str) for x in levels) else []


def called_older(name: str) -> bool:
    """Whether people call a recording so that others are held against."""
    return not BEFORE.isdisjoint(_parts(name))


def _pair(results: Results, column: str, levels: Sequence[str]) -> tuple[str, str, str] | None:
    """Return a column and its two levels, the older first, where both were measured in half the places at least.

    Two files may share less: what only one of them has is listed beside the comparison.
    """
    if len(levels) != 2:
        return None
    old, new = sorted(levels, key=lambda level: not called_older(level))
    if {*_parts(old)} ^ {*_parts(new)} == _WAYS_OF_SCALING:
        return None
    frame = results.frame
    places = ["metric", *(name for name in ("benchmark", *results.axes) if name not in (column, *CIRCUMSTANCES))]
    met = frame.groupby(places, observed=True, dropna=False)[column].nunique() > 1
    return (column, old, new) if met.any() and (column == AXIS or met.mean() >= 1 / 2) else None


# --- factors ----------------------------------------------------------------------------------------------------------


def _factors(study: Study) -> Study:
    """Explain what times differ by where axes were varied and nothing else is asked of them."""
    if study.comparisons or study.scaling.concurrency:
        return study
    results = study.whole
    timed = results.frame[results.frame["metric"] == "time"]
    factors = tuple(axis for axis in results.varying_axes if _is_factor(timed, axis))
    # The first sentence is of one benchmark: of many it would be of a chance one.
    if not factors or timed["benchmark"].nunique() > 1 or not _are_times(timed["value"]):
        return study
    told = f"what {' and '.join(factors)} cost" if len(factors) > 1 else f"what {factors[0]} costs"
    # What costs more is told over what costs least.
    worded = [axis for axis in factors if all(isinstance(level, str) for level in timed[axis].dropna().unique())]
    medians = {axis: timed.groupby(axis, observed=True)["value"].median() for axis in worded}
    plan = EffectsPlan(factors=factors, baselines={axis: str(costs.idxmin()) for axis, costs in medians.items()})
    return _with(study, f"{told} is asked: time was measured at several levels", effects=plan)


def _is_factor(timed: pd.DataFrame, axis: str) -> bool:
    if axis.lower() in CIRCUMSTANCES:
        return False
    levels = timed.groupby("benchmark", observed=True)[axis].nunique()
    # Words that were measured once each are told as they are: a ratio of single values bears nothing out.
    worded = any(isinstance(level, str) for level in timed[axis].unique().tolist())
    if worded and timed.groupby(["benchmark", axis], observed=True).size().max() < 2:
        return False
    return bool((levels > 1).any() and (levels <= _MOST_LEVELS).all())
