"""Do runs of the same code agree? How far each benchmark moves between them, and all of them together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from benchlib.answers.asking import Refusal, _asked_metrics
from benchlib.answers.evidence import Evidence, gather_all, pool
from benchlib.answers.grouping import cells, label, place_axes, residue
from benchlib.answers.noise import NoiseAnswer, NoiseRow, labelled, noise_of_runs, telling
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import SelectionError, choices, printable
from benchlib.lazy_scipy import special
from benchlib.results import Results
from benchlib.statistics.estimates import Estimate, checked_level, point
from benchlib.statistics.stability import SPREAD_LIMIT, RunSpread, run_spread, runs_apart
from benchlib.study import Study
from benchlib.units import percent, show

__all__ = ["RepeatabilityAnswer", "SpreadRow", "repeatability"]


#: At most this share of rows that stand out do so by chance, and of studies in which none does.
_FALSE_ALARMS = 0.05
#: The smallest change that matters, as a comparison takes it by default: runs that differ by less are alike.
_LEAST_SPREAD = 1.02


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadRow:
    """How far one cell moved between runs of the same code.

    Attributes
    ----------
    key : mapping
    metric, unit : str
    runs : tuple of str
    spread : RunSpread
    pvalue : float
        Of the runs being alike, given the values within them and the runs of other rows, adjusted for the number of
        rows; NaN where a run has too few values to tell (`benchlib.statistics.stability.runs_apart`).
    unstable : bool
        Whether `pvalue` is at most 5 % and the medians differ by more than 2 %.
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    runs: tuple[str, ...]
    spread: RunSpread
    pvalue: float
    unstable: bool
    evidence: Evidence


#: A cell, and of each run that repeats it the rows of the table.
_Repeated = tuple[dict[str, Any], dict[str, pd.DataFrame]]


def _repeated_cells(frame: pd.DataFrame, first: Sequence[str] = ("benchmark",)) -> list[_Repeated]:
    """Return the cells that two runs or more repeat, all values above 0."""
    repeated = []
    for key, rows in cells(frame, [*place_axes(frame, first), "metric", "unit"]):
        if len(rows) < 2:
            continue
        by_run = {str(place.get("run", "")): group for place, group in cells(rows, ["run"])}
        if len(by_run) > 1 and (rows["value"] > 0).all():
            repeated.append((key, by_run))
    return repeated


def _spread_rows(repeated: Sequence[_Repeated]) -> tuple[SpreadRow, ...]:
    """Return the spread of each cell over the runs that repeat it."""
    values = [[group["value"].to_numpy(dtype=np.float64) for group in by_run.values()] for _, by_run in repeated]
    spreads, pvalues = map(run_spread, values), runs_apart(values).tolist()
    return tuple(
        SpreadRow(
            key={axis: level for axis, level in key.items() if axis not in ("metric", "unit")},
            metric=key["metric"],
            unit=key["unit"],
            runs=tuple(by_run),
            spread=spread,
            pvalue=pvalue,
            unstable=pvalue <= _FALSE_ALARMS and spread.ratio > _LEAST_SPREAD,
            evidence=gather_all(by_run.values(), "largest over smallest median of a run"),
        )
        for (key, by_run), spread, pvalue in zip(repeated, spreads, pvalues, strict=True)
    )


def _spread_caveats(spreads: Sequence[SpreadRow], named: int | None = None) -> tuple[Caveat, ...]:
    """Name each cell whose runs differ, or the first `named` of them; where everything wanders, the machine."""
    caveats = []
    apart = [row for row in spreads if row.unstable]
    for row in apart[:named]:
        caveats.append(
            caveat("unstable-runs", f"{_widest(row)}, more than its values within a run and its peers explain")
        )
    if len(apart) > len(caveats):
        caveats.append(caveat("unstable-runs", f"{len(apart) - len(caveats)} more differ beyond their noise"))
    return (*caveats, *_noisy(spreads), *_untested(spreads))


def _widest(row: SpreadRow) -> str:
    """Say how far the runs of a row lie apart."""
    low, high, centres = row.spread.lowest, row.spread.highest, row.spread.centres
    return (
        f"{label(row.key)}: {row.metric} is {percent(row.spread.ratio - 1)} larger in {_run(row.runs[high])} "
        f"than in {_run(row.runs[low])} ({show(centres[high], row.unit)} against {show(centres[low], row.unit)})"
    )


def _run(name: str) -> str:
    return f"run {name}" if name.isdigit() else name


def _noisy(spreads: Sequence[SpreadRow]) -> tuple[Caveat, ...]:
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


def _untested(spreads: Sequence[SpreadRow]) -> tuple[Caveat, ...]:
    """Say so where runs have too few values: a run that differs looks like the noise of its values there."""
    untested = [row for row in spreads if math.isnan(row.pvalue)]
    if not untested:
        return ()
    of = "every row has" if len(untested) == len(spreads) else f"{len(untested)} of {len(spreads)} rows have"
    few = "runs of one value" if all(max(row.spread.counts) == 1 for row in untested) else "runs of too few values"
    return (
        caveat(
            "few-values-in-runs",
            f"{of} {few}, so that no run can be told from noise; the widest: "
            f"{_widest(max(untested, key=lambda row: row.spread.ratio))}",
        ),
    )


#: Rows whose runs differ are named in caveats up to this many; the table has them all.
_NAMED = 3
_METHOD = "geometric mean of medians over those of the first run"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDrift:
    """All benchmarks of one run together, against the first run.

    Attributes
    ----------
    metric, unit, run : str
    ratio : Estimate
        Geometric mean over benchmarks of median over median in the first run, unit ``"x"``, `n` the number of
        benchmarks; without an interval for one.
    rising, falling : int
        Benchmarks whose median is above, and below, that of the first run.
    """

    metric: str
    unit: str
    run: str
    ratio: Estimate
    rising: int
    falling: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatabilityAnswer:
    """What repeated runs of the same code say of the machine.

    Attributes
    ----------
    runs : tuple of str
        As their files come.
    rows : tuple of SpreadRow
        One a benchmark and metric, the widest spread first: medians of its runs, largest over smallest, whether
        they only rise or only fall.
    drifts : tuple of RunDrift
        One a metric, unit and run after the first that shares a benchmark with it.
    noise : NoiseAnswer
        How much runs add to the noise, and values within a run.
    confidence_level : float
    caveats : tuple of Caveat
    """

    runs: tuple[str, ...]
    rows: tuple[SpreadRow, ...]
    drifts: tuple[RunDrift, ...]
    noise: NoiseAnswer
    confidence_level: float
    caveats: tuple[Caveat, ...]

    def noise_of(self, row: SpreadRow) -> NoiseRow:
        """Return the noise budget of a row: of its benchmark, else of those that have few values together."""
        speaking = (
            budget
            for budget in self.noise.rows
            if (budget.metric, budget.unit) == (row.metric, row.unit)
            and all(row.key.get(axis, level) == level for axis, level in budget.key.items())
        )
        return max(speaking, key=lambda budget: len(budget.key))


def repeatability(
    source: Study | Results, *, where: str = "", metric: str | Sequence[str] = "", confidence_level: float = 0.95
) -> RepeatabilityAnswer | Refusal:
    """Say how far runs of the same code lie apart; refuse where no benchmark was measured in two runs.

    By default of time and throughput; where neither was measured, of all that is measured in or per time, since counts
    do not tell one run from another. Intervals of drifts are Student's t on logarithms, over benchmarks.

    References
    ----------
    P. J. Fleming, J. J. Wallace, Communications of the ACM 29 (1986) 218-221 (geometric means of ratios).

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> answer = repeatability(open_study("data/onix-adapter-published"), where="run=run1,run2,run3")
    >>> row = answer.rows[0]
    >>> row.key["benchmark"], round(row.spread.ratio, 2), row.spread.trend
    ('BAPCaller_Discover_Parallel', 1.33, 'rising')
    >>> [(run.run, round(run.ratio.value, 3), run.ratio.n) for run in answer.drifts if run.metric == "time"]
    [('run2', 1.03, 9), ('run3', 1.036, 9)]
    """
    level = checked_level(confidence_level)
    results = source.results if isinstance(source, Study) else source
    metrics = _asked_metrics(results, metric)
    try:
        frame = results.select(where).frame
    except SelectionError as error:
        if "selects no row" not in str(error):
            raise
        return _refusal(str(error), "widen the selection")
    frame, without = labelled(frame[frame["metric"].isin(metrics) if metrics else telling(frame)])
    runs = tuple(str(run) for run in frame["run"].dropna().unique() if str(run))
    if len(runs) < 2:
        reason = f"only one run has such results: {printable(runs[0])}" if runs else "such results belong to no run"
        return _refusal(reason, "name two runs of the same code or more")
    first = ["benchmark", source.scaling.concurrency] if isinstance(source, Study) else ["benchmark"]
    repeated = _repeated_cells(frame, first)
    rows = sorted(_spread_rows(repeated), key=lambda row: -row.spread.ratio)
    if not rows:
        return _refusal(
            f"no benchmark has values above 0 in two of the runs {choices(runs, 6)}",
            "measure the same benchmarks in each run",
        )
    axes = dict.fromkeys(axis for row in rows for axis in row.key)
    runs = tuple(run for run in runs if any(run in row.runs for row in rows))
    return RepeatabilityAnswer(
        runs=runs,
        rows=tuple(rows),
        drifts=_drifts(rows, runs, level),
        noise=noise_of_runs(frame[frame["value"] > 0], source.blocks if isinstance(source, Study) else ("run",), level),
        confidence_level=level,
        caveats=merge(without, _spread_caveats(rows, _NAMED), residue(frame, [*axes, "run", "metric"])),
    )


def _refusal(reason: str, advice: str) -> Refusal:
    return Refusal(question="repeatability", reason=reason, advice=advice)


def _drifts(rows: Sequence[SpreadRow], runs: Sequence[str], level: float) -> tuple[RunDrift, ...]:
    drifts = []
    for metric, unit in dict.fromkeys((row.metric, row.unit) for row in rows):
        medians = [
            dict(zip(row.runs, row.spread.centres, strict=True))
            for row in rows
            if (row.metric, row.unit) == (metric, unit)
        ]
        for run in runs[1:]:
            logs = np.array(
                [math.log(median[run] / median[runs[0]]) for median in medians if run in median and runs[0] in median]
            )
            if logs.size:
                drifts.append(
                    RunDrift(
                        metric=metric,
                        unit=unit,
                        run=run,
                        ratio=_geometric_mean(logs, level),
                        rising=int((logs > 0).sum()),
                        falling=int((logs < 0).sum()),
                    )
                )
    return tuple(drifts)


def _geometric_mean(logs: np.ndarray[tuple[int], np.dtype[np.float64]], level: float) -> Estimate:
    center = float(logs.mean())
    if logs.size < 2:
        return point(math.exp(center), "x", 1, _METHOD, level)
    error = float(logs.std(ddof=1)) / math.sqrt(logs.size)
    reach = float(special.stdtrit(logs.size - 1, (1 + level) / 2)) * error
    return Estimate(
        value=math.exp(center),
        low=math.exp(center - reach),
        high=math.exp(center + reach),
        unit="x",
        confidence_level=level,
        n=logs.size,
        method=f"{_METHOD}, Student t interval on logarithms over benchmarks",
        standard_error=math.nan,
    )


def repeats_evidence(answer: RepeatabilityAnswer) -> Evidence:
    """Return the rows of every benchmark that was run again."""
    return pool((row.evidence for row in answer.rows), "row by row the largest over the smallest median of a run")
