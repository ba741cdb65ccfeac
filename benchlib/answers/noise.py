"""Where does the noise live? What runs differ by, beside what the values of one run differ by, and what to repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal, _asked_metrics
from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, place_axes
from benchlib.answers.pairing import moved_by_machine
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError, choices
from benchlib.statistics.estimates import checked_level
from benchlib.statistics.noise import NoiseBudget, noise_budget
from benchlib.study import Study

__all__ = ["NoiseAnswer", "NoiseRow", "noise"]

#: Metrics whose wandering from run to run says something about the machine.
STABLE_METRICS = ("time", "throughput")

#: What is repeated, or not, as a whole.
_OF_ONE = ("benchmark", "metric")
#: With fewer degrees of freedom a benchmark says nothing of its own noise, and speaks together with the others.
_FEWEST = 8
#: Nobody reads more budgets than this: then all benchmarks of a metric speak together.
_MOST = 100
#: A level that is cheaper to repeat is preferred where it buys this share of what the outermost does.
_NEARLY = 0.8
#: One that buys less than this share of it adds little.
_LITTLE = 1 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRow:
    """The noise budget of one metric of one benchmark, or of several that have few values each.

    Attributes
    ----------
    key : mapping
        The benchmark; empty where several speak together.
    metric, unit : str
    benchmarks : int
        How many speak.
    budget : NoiseBudget
    evidence : Evidence
    """

    key: Mapping[str, Any]
    metric: str
    unit: str
    benchmarks: int
    budget: NoiseBudget
    evidence: Evidence

    @property
    def repeat(self) -> str:
        """The innermost level whose repeating takes nearly as much off the error as that of the outermost does."""
        gains = self._gains
        return next(part for part in reversed(gains) if gains[part] >= _NEARLY * max(gains.values()))

    @property
    def idle(self) -> str:
        """The outermost level within that one whose repeating takes little off; empty where there is none."""
        gains = self._gains
        within = list(gains)[list(gains).index(self.repeat) + 1 :]
        return next((part for part in within if gains[part] <= _LITTLE * max(gains.values())), "")

    @property
    def _gains(self) -> dict[str, float]:
        """What twice as many of each level take off the error of a mean, as a share of it; the outermost first."""
        now = self.budget.error()
        twice = {part.name: self.budget.error({part.name: 2 * part.repeats}) for part in self.budget.parts}
        return {name: 1 - error / now if now else 0.0 for name, error in twice.items()}

    @property
    def more(self) -> int:
        """How many more of that level, in each unit of the one above, halve the interval, all else alike."""
        return self.budget.more(self.repeat)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseAnswer:
    """Noise budgets of a study.

    Attributes
    ----------
    blocks : tuple of str
        The levels of repeating, the outermost first: ``("session", "round")`` or ``("run",)``.
    rows : tuple of NoiseRow
        One a metric and benchmark, as the table has them.
    confidence_level : float
    caveats : tuple of Caveat
    """

    blocks: tuple[str, ...]
    rows: tuple[NoiseRow, ...]
    confidence_level: float
    caveats: tuple[Caveat, ...]


def noise(study: Study, *, metric: str | Sequence[str] = "", confidence_level: float = 0.95) -> NoiseAnswer | Refusal:
    """Take the noise of each benchmark apart into what its runs and the values of a run add.

    What differs in nothing but its run is one cell. By default of time and throughput, as a machine moves these;
    where neither was measured, of all that is measured in or per time.

    Parameters
    ----------
    study : Study
        `runs` in [configuration] of its study.toml names what was repeated; without it a run is what a file or
        its reader calls so.
    metric : str or sequence of str
    confidence_level : float
        Of the interval of each standard deviation.

    Returns
    -------
    NoiseAnswer or Refusal

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> answer = noise(open_study("data/onix-adapter"), metric="time")
    >>> answer.blocks
    ('run',)
    """
    level = checked_level(confidence_level)
    if study.versions:
        return Refusal(
            question="noise",
            reason="versions of the code are no repeats",
            advice="repeat one version in at least three runs",
        )
    frame, caveats = labelled(_measured(study, _asked_metrics(study.results, metric)), _OF_ONE)
    compared = _compared(study)
    rows = tuple(row for row, _ in _budgets(frame, () if compared else study.blocks, compared, level))
    if not rows:
        return Refusal(
            question="noise",
            reason="no benchmark has two values of one configuration",
            advice="repeat each measurement in at least three runs",
        )
    return NoiseAnswer(blocks=study.blocks, rows=rows, confidence_level=level, caveats=merge(caveats, _unknown(rows)))


def noise_of_runs(frame: pd.DataFrame, blocks: Sequence[str], level: float) -> NoiseAnswer:
    """Take the noise of rows above 0 apart, of which every run is a repeat of the same code."""
    rows = tuple(row for row, _ in _budgets(frame, blocks, compared=False, level=level))
    return NoiseAnswer(blocks=tuple(blocks), rows=rows, confidence_level=level, caveats=())


def budgets(study: Study, metrics: Sequence[str], level: float) -> Iterator[tuple[NoiseRow, pd.DataFrame]]:
    """Yield each budget with the rows of the table that it is of."""
    compared = _compared(study)
    frame, _ = labelled(_measured(study, metrics), _OF_ONE)
    return _budgets(frame, () if compared else study.blocks, compared, level)


def _compared(study: Study) -> bool:
    """Whether the study holds runs against each other: then they are no repeats."""
    return any(plan.column == "run" for plan in study.comparisons)


def _measured(study: Study, metrics: Sequence[str]) -> pd.DataFrame:
    frame = study.results.frame
    return frame[(frame["metric"].isin(metrics) if metrics else telling(frame)) & (frame["value"] > 0)]


def telling(frame: pd.DataFrame) -> pd.Series:
    """Return which rows tell of the machine."""
    stable = frame["metric"].isin(STABLE_METRICS)
    if stable.any():
        return stable
    units = frame["unit"].astype(str)
    levels = units.unique().tolist()
    return units.isin([unit for unit, moved in zip(levels, moved_by_machine(levels), strict=True) if moved])


def labelled(frame: pd.DataFrame, by: Sequence[str] = ()) -> tuple[pd.DataFrame, tuple[Caveat, ...]]:
    """Return the rows that belong to a run, and say how many belong to none; all rows where none does.

    Of each of these groups by itself: one that has no run at all stays, and tells what its values differ by.
    """
    runs = frame["run"].astype(object)
    there = runs.notna() & (runs.astype(str) != "")
    groups = [frame[axis] for axis in by]
    known = there.groupby(groups, observed=True, dropna=False).transform("any") if groups else there | bool(there.any())
    alone = frame[~there & known]
    if alone.empty:
        return frame, ()
    files = choices(alone["source"].astype(str).unique().tolist(), 3)
    left = f"{len(alone):,} of {len(frame):,} values belong to no run and are left out: those of {files}"
    return frame[there | ~known], (caveat("without-run", left),)


def _budgets(
    frame: pd.DataFrame, blocks: Sequence[str], compared: bool, level: float
) -> Iterator[tuple[NoiseRow, pd.DataFrame]]:
    """Yield the budget of each benchmark, and of all that know too little of their own noise together."""
    names = [axis for axis in ("pkg", "benchmark") if axis in place_axes(frame)]
    for _, of_metric in cells(frame, ["metric", "unit"]):
        few: list[pd.DataFrame] = []
        many = _count(of_metric, names) > _MOST
        for name, rows in [({}, of_metric)] if many else cells(of_metric, names):
            row = _row(name, rows, blocks, compared, level, benchmarks=1 if name else _count(rows, names))
            if row is not None and row.budget.parts[-1].degrees_of_freedom >= _FEWEST:
                yield row, rows
            else:
                few.append(rows)
        if few:
            rest = pd.concat(few)
            together = _row({}, rest, blocks, compared, level, benchmarks=_count(rest, names))
            if together is not None:
                yield together, rest


def _count(rows: pd.DataFrame, names: Sequence[str]) -> int:
    return rows.groupby(list(names), observed=True, dropna=False).ngroups if names else 1


def _row(
    key: Mapping[str, Any], rows: pd.DataFrame, blocks: Sequence[str], compared: bool, level: float, benchmarks: int
) -> NoiseRow | None:
    try:
        budget = noise_budget(rows["value"], _cells_of(rows, compared), blocks_of(rows, blocks), confidence_level=level)
    except DataError:
        return None  # nothing was measured twice
    return NoiseRow(
        key=key,
        metric=str(rows["metric"].iloc[0]),
        unit=str(rows["unit"].iloc[0]),
        benchmarks=benchmarks,
        budget=budget,
        evidence=gather(rows, "standard deviation of logarithms, within and between runs", by="run"),
    )


def _cells_of(rows: pd.DataFrame, compared: bool) -> NDArray[np.intp]:
    """Number the cells: what differs in nothing but its run; a run that is compared is a cell of its own."""
    axes = [*place_axes(rows), *(["run"] if compared else [])]
    if not axes:
        return np.zeros(len(rows), dtype=np.intp)
    return rows.groupby(axes, observed=True, dropna=False).ngroup().to_numpy().astype(np.intp)


def blocks_of(rows: pd.DataFrame, blocks: Sequence[str]) -> dict[str, NDArray[np.object_]]:
    """Return the unit of each value at each level of repeating, from the name of its run."""
    if not blocks:
        return {}
    parts = rows["run"].astype(str).str.split("/", n=len(blocks) - 1, expand=True).reindex(columns=range(len(blocks)))
    return {name: parts[place].fillna("").to_numpy(dtype=object) for place, name in enumerate(blocks)}


def _unknown(rows: Sequence[NoiseRow]) -> tuple[Caveat, ...]:
    """Say so where nothing was run twice: what runs differ by is then in no interval."""
    alone = [row for row in rows if [part.name for part in row.budget.parts] == ["value"]]
    if len(alone) < len(rows):
        return ()
    return (caveat("one-run", "every value is of one run, so that what runs differ by is not known"),)
