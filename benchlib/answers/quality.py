"""How good are these data? What failed, what wandered, what was lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

import pandas as pd

from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, label, place_axes
from benchlib.caveats import Caveat, caveat, merge
from benchlib.results import Problem, SourceFile
from benchlib.statistics.stability import SPREAD_LIMIT, RunSpread, run_spread, unstable_runs
from benchlib.study import Study
from benchlib.units import percent, show

__all__ = ["DataQuality", "FailedBenchmark", "SpreadRow", "assess_quality", "problem_caveats"]

#: Metrics whose wandering from run to run says something about the machine.
STABLE_METRICS = ("time", "throughput")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedBenchmark:
    """A benchmark whose calls failed: its values are in no table and no fit."""

    benchmark: str
    rows: int
    failures: float
    operations: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadRow:
    """How far one cell moved between runs of the same code."""

    key: Mapping[str, Any]
    metric: str
    unit: str
    runs: tuple[str, ...]
    spread: RunSpread
    unstable: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class DataQuality:
    """What to know about the data before believing any number made from them."""

    files: tuple[SourceFile, ...]
    rows: int
    failed: tuple[FailedBenchmark, ...]
    problems: tuple[Problem, ...]
    spreads: tuple[SpreadRow, ...]
    caveats: tuple[Caveat, ...]


def assess_quality(study: Study) -> DataQuality:
    """Judge the data of a study: failures, problems, spread between runs.

    Examples
    --------
    >>> import benchlib
    >>> quality = assess_quality(benchlib.open_study("data/onix-adapter-published"))
    >>> sorted(row.key["benchmark"] for row in quality.spreads if row.unstable)
    ['BAPCaller_CacheCold', 'BAPCaller_CacheWarm', 'BAPCaller_Discover_Parallel']
    """
    results = study.results
    spreads = _spreads(study)
    return DataQuality(
        files=results.files,
        rows=len(results.frame),
        failed=_failed(results.failed),
        problems=results.problems,
        spreads=spreads,
        caveats=merge(results.caveats, problem_caveats(results.problems), _unstable(spreads)),
    )


def _failed(failed: pd.DataFrame) -> tuple[FailedBenchmark, ...]:
    found = []
    for key, rows in cells(failed, ["benchmark"]):
        # Every metric of one result repeats its error count: count each result once.
        once = rows.drop_duplicates(["source", "position"])
        found.append(
            FailedBenchmark(
                benchmark=str(key["benchmark"]),
                rows=len(rows),
                failures=float(once["errors"].sum()),
                operations=float(once["iterations"].sum()) if "iterations" in once else float("nan"),
                evidence=gather(rows, "failed operations as the tool counted them"),
            )
        )
    return tuple(found)


def _spreads(study: Study) -> tuple[SpreadRow, ...]:
    """Spread of each cell over the runs that repeat the same code."""
    if any(plan.column == "run" for plan in study.comparisons):
        return ()  # the runs are what is compared: their difference is the question, not noise
    frame = study.results.frame
    frame = frame[frame["metric"].isin(STABLE_METRICS)]
    if frame["run"].nunique() < 2:
        return ()
    found: list[tuple[dict[str, Any], tuple[str, ...], RunSpread, pd.DataFrame]] = []
    for key, rows in cells(frame, [*place_axes(frame, ["benchmark", study.scaling.concurrency]), "metric", "unit"]):
        by_run = {str(place.get("run", "")): group["value"].to_numpy() for place, group in cells(rows, ["run"])}
        if len(by_run) > 1 and (rows["value"] > 0).all():
            found.append((key, tuple(by_run), run_spread(list(by_run.values())), rows))
    flags = unstable_runs([spread for _, _, spread, _ in found])
    return tuple(
        SpreadRow(
            key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
            metric=key["metric"],
            unit=key["unit"],
            runs=runs,
            spread=spread,
            unstable=bool(flag),
            evidence=gather(rows, "largest over smallest median of a run"),
        )
        for (key, runs, spread, rows), flag in zip(found, flags, strict=True)
    )


def _unstable(spreads: tuple[SpreadRow, ...]) -> tuple[Caveat, ...]:
    found = []
    usual = median(row.spread.ratio for row in spreads) if spreads else 1.0
    for row in spreads:
        if not row.unstable:
            continue
        low, high = row.spread.lowest, row.spread.highest
        centres = row.spread.centres
        found.append(
            caveat(
                "unstable-runs",
                f"{label(row.key)}: {row.metric} is {percent(row.spread.ratio - 1)} larger in {_run(row.runs[high])} "
                f"than in {_run(row.runs[low])} ({show(centres[high], row.unit)} against "
                f"{show(centres[low], row.unit)}), where its peers differ by {percent(usual - 1)}",
            )
        )
    return (*found, *_noisy(spreads))


def _run(name: str) -> str:
    return f"run {name}" if name.isdigit() else name


def _noisy(spreads: tuple[SpreadRow, ...]) -> tuple[Caveat, ...]:
    """Say so when everything wanders: then no single benchmark is to blame."""
    if len(spreads) < 3:
        return ()
    usual = median(row.spread.ratio for row in spreads)
    if usual <= SPREAD_LIMIT:
        return ()
    return (
        caveat(
            "noisy-machine",
            f"runs of the same code differ by {percent(usual - 1)} in the middle of {len(spreads)} cells",
        ),
    )


def problem_caveats(problems: tuple[Problem, ...]) -> tuple[Caveat, ...]:
    """Say that files hold what should have been a result and is not, with the first place."""
    if not problems:
        return ()
    first = str(problems[0])
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return (caveat("problems-in-files", f"{first}{more}"),)
