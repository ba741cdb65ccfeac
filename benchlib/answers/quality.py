"""How good are these data? What failed, what wandered, what was lost."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from benchlib.answers.evidence import Evidence, gather, gather_all
from benchlib.answers.grouping import cells
from benchlib.answers.noise import STABLE_METRICS, labelled
from benchlib.answers.repeatability import SpreadRow, _noisy, _repeated_cells, _spread_caveats, _spread_rows
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import choices, printable
from benchlib.formats.load import holds_no_result
from benchlib.formats.table import numbers_of
from benchlib.results import Problem, Results, SourceFile
from benchlib.study import Study
from benchlib.study.open import problems_inside

__all__ = ["DataQuality", "assess_quality"]


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
        All that were read.
    sources : int
        Files that the values are from: where the study was narrowed, those that hold a row of it.
    rows : int
        Sound values.
    failed : tuple of FailedBenchmark
    problems : tuple of Problem
        Not those of files that a condition leaves out.
    spreads : tuple of SpreadRow
    evidence : Evidence
        Every value that was read, those of failed calls too.
    caveats : tuple of Caveat
    """

    files: tuple[SourceFile, ...]
    sources: int
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
    >>> from benchlib.study import open_study
    >>> quality = assess_quality(open_study("data/onix-adapter-published"))
    >>> widest = max(quality.spreads, key=lambda row: row.spread.ratio)
    >>> widest.key["benchmark"], round(widest.spread.ratio, 2), widest.pvalue  # one value a run: no test
    ('BAPCaller_Discover_Parallel', 1.33, nan)
    """
    results = study.results
    spreads = _spreads(study)
    return DataQuality(
        files=results.files,
        sources=len(results.files) if not study.where else len(results.sources()),
        rows=len(results.frame),
        failed=_failed(results.failed),
        problems=problems_inside(study),
        spreads=spreads,
        evidence=gather_all([results.frame, results.failed], "every value read, those of failed calls too"),
        caveats=merge(results.caveats, unlike_repeats(study), _problem_caveats(study), _spread_caveats(spreads)),
    )


def _failed(failed: pd.DataFrame) -> tuple[FailedBenchmark, ...]:
    failures = []
    for key, rows in cells(failed, ["benchmark"]):
        # Every metric of one result repeats its error count: count each result once.
        once = rows.drop_duplicates(["source", "position"])
        failures.append(
            FailedBenchmark(
                benchmark=str(key["benchmark"]),
                rows=len(rows),
                failures=float(once["errors"].sum()),
                operations=float(once["iterations"].sum()) if "iterations" in once else float("nan"),
                evidence=gather(rows, "failed operations as the tool counted them"),
            )
        )
    return tuple(failures)


def _spreads(study: Study) -> tuple[SpreadRow, ...]:
    """Spread of each cell over the runs that repeat the same code."""
    if study.versions or any(plan.column == "run" for plan in study.comparisons):
        return ()  # the runs are what is compared: their difference is the question, not noise
    frame = labelled(study.results.frame)[0]
    if frame["run"].nunique() < 2:
        return ()
    frame = frame[frame["metric"].isin(STABLE_METRICS)]
    return _spread_rows(_repeated_cells(frame, ["benchmark", study.scaling.concurrency]))


def noisy_runs(study: Study) -> tuple[Caveat, ...]:
    """Return a caveat where runs of the same code differ in most cells: what holds for all questions asked of them."""
    return _noisy(_spreads(study))


#: So many values are a distribution, and no repeats of one measurement.
_MOST_REPEATS = 30
#: Repeats of one measurement do not differ by so much.
_UNLIKE = 3.0


def unlike_repeats(study: Study) -> tuple[Caveat, ...]:
    """Return a caveat where values of one cell and run differ by too much to repeat one measurement.

    Two or three differ by their ratio, more by that of their quartiles: one outlier is no other measurement. A study
    that names its repeats is believed.
    """
    results, frame = study.results, study.results.frame
    rows = frame[frame["metric"].isin(STABLE_METRICS) & (frame["value"] > 0)]
    if rows.empty or study.configuration.runs:
        return ()
    cell = pd.Series(numbers_of(rows, ["benchmark", *results.axes, "run", "metric", "unit"]), index=rows.index)
    sizes = cell.map(cell.value_counts())
    rows, cell = rows[repeated := (sizes > 1) & (sizes < _MOST_REPEATS)], cell[repeated]
    if rows.empty:
        return ()
    values = rows["value"].groupby(cell)
    few = values.size() < 4
    folds = (values.max() / values.min()).where(few, values.quantile(0.75) / values.quantile(0.25))
    unlike = folds[folds >= _UNLIKE]
    if unlike.empty:
        return ()
    worst = rows[cell == unlike.idxmax()].sort_values("value", kind="stable")
    places = [f"{row.source}:{row.line}" for row in (worst.iloc[0], worst.iloc[-1])]
    more = f", and of {len(unlike) - 1} more" if len(unlike) > 1 else ""
    benchmark = printable(str(worst["benchmark"].iloc[0]) or "(no name)", 60)
    message = (
        f"{len(worst)} values of {benchmark}{more} count as repeats and differ {unlike.max():.3g}-fold "
        f"({choices(places, 2)})"
    )
    return (caveat("repeats-differ", message),)


def _problem_caveats(study: Study) -> tuple[Caveat, ...]:
    """Say which files lost all their results, which lost some, and which hold no readable result."""
    problems = problems_inside(study)
    unread = [problem for problem in problems if not problem.line and holds_no_result(problem.message)]
    lines = [problem for problem in problems if problem not in unread]
    caveats = []
    if lost := _lost_files(study.results):
        caveats.append(caveat("results-lost", f"{choices(lost, 3)}: every result is lost to a problem"))
    if lines:
        more = f", and {len(lines) - 1} more" if len(lines) > 1 else ""
        caveats.append(caveat("problems-in-files", f"{lines[0]}{more}"))
    if unread:
        names = choices([problem.source for problem in unread], 3)
        caveats.append(caveat("unread-files", f"{names}: no result in a known format"))
    return tuple(caveats)


def _lost_files(results: Results) -> list[str]:
    """Return the files that gave only problems; a failed benchmark is reported with the benchmark."""
    failed = {series_.source for series_ in results.series if series_.kind == "failed-benchmark"}
    return [file.source for file in results.files if file.lines.problem and not file.rows and file.source not in failed]
