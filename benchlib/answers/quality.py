"""How good are these data? What failed, what wandered, what was lost."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells
from benchlib.answers.spreads import STABLE_METRICS, SpreadRow, spread_caveats, spread_rows
from benchlib.caveats import Caveat, caveat, merge
from benchlib.results import Problem, SourceFile
from benchlib.study import Study

__all__ = ["DataQuality", "FailedBenchmark", "SpreadRow", "assess_quality", "problem_caveats"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedBenchmark:
    """A benchmark whose calls failed: its values are in no table and no fit."""

    benchmark: str
    rows: int
    failures: float
    operations: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class DataQuality:
    """What to know about the data before believing any number made from them.

    Attributes
    ----------
    files : tuple of SourceFile
    rows : int
        Sound values.
    failed : tuple of FailedBenchmark
    problems : tuple of Problem
    spreads : tuple of SpreadRow
    evidence : Evidence
        Every value that was read, those of failed calls too.
    caveats : tuple of Caveat
    """

    files: tuple[SourceFile, ...]
    rows: int
    failed: tuple[FailedBenchmark, ...]
    problems: tuple[Problem, ...]
    spreads: tuple[SpreadRow, ...]
    evidence: Evidence
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
        evidence=gather(pd.concat([results.frame, results.failed]), "every value read, those of failed calls too"),
        caveats=merge(results.caveats, problem_caveats(results.problems), spread_caveats(spreads)),
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
    return spread_rows(frame, ["benchmark", study.scaling.concurrency])


def problem_caveats(problems: tuple[Problem, ...]) -> tuple[Caveat, ...]:
    """Say that files hold what should have been a result and is not, with the first place."""
    if not problems:
        return ()
    first = str(problems[0])
    more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
    return (caveat("problems-in-files", f"{first}{more}"),)
