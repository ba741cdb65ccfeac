"""Is a shared resource the bottleneck? Serial benchmarks compared with their parallel twins.

N workers that share nothing do N times what one serial call does alone, on N cores. What the twin does less is what
they lose together: locks, allocator, memory, a pool, or cores that were busy already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, gather
from benchlib.answers.grouping import cells, label, mixed_axes, name_caveats, plain
from benchlib.answers.sweeps import _kept_rows, _throughput_metric
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import choices
from benchlib.results import SCHEMA
from benchlib.scaling.points import TwinLoss, measure_loss
from benchlib.statistics.estimates import Estimate
from benchlib.study import Study

_Verdict = Literal["lost", "no loss shown", "more than ideal", "cannot tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BottleneckRow:
    """One pair of twins at one concurrency.

    Attributes
    ----------
    name : str
        Serial benchmark and the axes that tell the pairs apart.
    serial, parallel : str
        The two benchmarks.
    key : mapping
        Configuration of the twin.
    concurrency : float
    loss : TwinLoss
        Against N times one serial call.
    verdict : {"lost", "no loss shown", "more than ideal", "cannot tell"}
        By the interval of the share lost; "cannot tell" without one.
    serial_evidence, parallel_evidence : Evidence
    """

    name: str
    serial: str
    parallel: str
    key: Mapping[str, Any]
    concurrency: float
    loss: TwinLoss
    verdict: _Verdict
    serial_evidence: Evidence
    parallel_evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class BottleneckAnswer:
    """What workers lose together, for every pair of twins of a study.

    Attributes
    ----------
    axis : str
        The axis that is concurrency.
    cores : int or None
    rows : tuple of BottleneckRow
    unpaired : tuple of Unpaired
        Parallel benchmarks without a twin to be held against.
    caveats : tuple of Caveat
    """

    axis: str
    cores: int | None
    rows: tuple[BottleneckRow, ...]
    unpaired: tuple[Unpaired, ...]
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """A parallel benchmark without a serial twin, and why."""

    name: str
    reason: str


def bottleneck_answer(study: Study, *, confidence_level: float = 0.95) -> BottleneckAnswer | Refusal:
    """Hold every serial benchmark of a study against its parallel twin.

    Parameters
    ----------
    study : Study
    confidence_level : float

    Returns
    -------
    BottleneckAnswer or Refusal

    References
    ----------
    The share lost and its interval: `benchlib.scaling.points.measure_loss`.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> answer = bottleneck_answer(open_study("data/token-sdk"))
    >>> row = next(row for row in answer.rows if row.concurrency == 2 and row.key["executor"] == "pool")
    >>> row.serial, row.verdict, f"{row.loss.share_lost.value:.3f}"
    ('Sender', 'lost', '0.084')
    """
    pairing = find_twins(study)
    if not pairing.twins:
        return _refusal(pairing)
    cores = study.environment.get("cores")
    known = cores if isinstance(cores, int) else None
    apart = _told_apart(pairing.twins)
    rows: list[BottleneckRow] = []
    said: list[tuple[str, Caveat]] = []
    for twins in pairing.twins:
        answers = _rows(twins, apart, confidence_level)
        rows += answers
        said += [(twins.serial, warning) for warning in _caveats(twins, answers, known)]
    return BottleneckAnswer(
        axis=pairing.twins[0].axis,
        cores=known,
        rows=tuple(rows),
        unpaired=pairing.unpaired,
        caveats=merge(name_caveats(said), _parallel_inside(rows), _left_out(pairing)),
    )


def _refusal(pairing: Pairing) -> Refusal:
    if pairing.unpaired:
        first = pairing.unpaired[0]
        return Refusal(
            question="bottleneck",
            reason=f"{first.name}: {first.reason}",
            advice="measure the serial benchmark and its parallel twin in one configuration",
        )
    return Refusal(
        question="bottleneck",
        reason="no benchmark is the parallel twin of a serial one (X beside TestParallelBenchmarkX or X_Parallel)",
        advice="measure the same work serially, with one processor, and by several workers at once",
    )


def _told_apart(twins: Sequence[Twins]) -> list[str]:
    axes = dict.fromkeys(axis for twin in twins for axis in twin.key)
    return [axis for axis in axes if len({str(twin.key.get(axis)) for twin in twins}) > 1 and axis != "pkg"]


def _rows(twins: Twins, apart: Sequence[str], confidence_level: float) -> list[BottleneckRow]:
    serial = _one_core(twins.serial_rows)
    name = label({"benchmark": twins.serial, **{axis: twins.key[axis] for axis in apart if axis in twins.key}})
    time_unit = str(serial["unit"].iloc[0])
    numerator, _, denominator = time_unit.partition("/")
    unit = f"{denominator}/{numerator}" if denominator else f"1/{numerator}"
    places = [
        (float(key[twins.axis]), part, _throughput(twins, part))
        for key, part in cells(twins.parallel_rows, [twins.axis])
    ]
    answers = []
    for n, part, rates in places:
        loss = measure_loss(
            serial["value"].to_numpy(), rates, n, time_unit=time_unit, unit=unit, confidence_level=confidence_level
        )
        answers.append(
            BottleneckRow(
                name=name,
                serial=twins.serial,
                parallel=twins.parallel,
                key=twins.key,
                concurrency=n,
                loss=loss,
                verdict=_verdict(loss.share_lost),
                serial_evidence=gather(serial, "geometric mean of the times"),
                parallel_evidence=gather(part, "geometric mean of the throughputs"),
            )
        )
    return answers


def _one_core(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the fewest processors; Go writes no suffix where there is one."""
    if "gomaxprocs" not in rows:
        return rows
    processors = rows["gomaxprocs"].astype(float).fillna(1.0)
    return rows[processors == processors.min()]


def _throughput(twins: Twins, rows: pd.DataFrame) -> np.ndarray:
    values = rows["value"].to_numpy(dtype=float)
    return 1 / values if twins.metric == "time" else values


def _verdict(share: Estimate) -> _Verdict:
    if not share.has_interval:
        return "cannot tell"
    if share.low > 0:
        return "lost"
    return "more than ideal" if share.high < 0 else "no loss shown"


def _caveats(twins: Twins, rows: Sequence[BottleneckRow], cores: int | None) -> list[Caveat]:
    serial = _one_core(twins.serial_rows)
    warnings = []
    if "gomaxprocs" in serial and (processors := float(serial["gomaxprocs"].astype(float).fillna(1.0).max())) > 1:
        message = f"it ran with GOMAXPROCS {processors:g}: its time is not that of one core"
        warnings.append(caveat("serial-not-one-core", message))
    beyond = [row.concurrency for row in rows if cores is not None and row.concurrency > cores]
    if beyond:
        message = (
            f"{twins.axis} {choices([f'{n:g}' for n in beyond])} exceeds the {cores} cores: N / t1 is out of reach"
        )
        warnings.append(caveat("oversubscribed", message))
    if any(row.loss.measured.n == 1 or row.loss.serial_time.n == 1 for row in rows):
        warnings.append(caveat("one-replicate", "one measurement on a side: the share lost has no interval"))
    elif any(min(row.loss.measured.n, row.loss.serial_time.n) == 2 for row in rows):
        message = "two measurements on a side: the interval of the share lost, nominally 95 %, may cover 89 %"
        warnings.append(caveat("few-samples", message))
    # A name without a suffix is one processor, as "-cpu 1" is: no mixture.
    mixed = mixed_axes(serial, [], ["gomaxprocs"])
    if mixed:
        warnings.append(caveat("residue", f"its serial times mix values of {', '.join(mixed)}"))
    if not set(serial["source"].astype(str)) & set(twins.parallel_rows["source"].astype(str)):
        message = (
            "the twins were recorded apart: what the machine did differently in between is in the loss, "
            "not in its interval"
        )
        warnings.append(caveat("twins-apart", message))
    return warnings


def _parallel_inside(rows: Sequence[BottleneckRow]) -> tuple[Caveat, ...]:
    """Warn where one worker already does more than one serial call: workers are then not cores."""
    warnings = []
    for serial in dict.fromkeys(row.serial for row in rows):
        alone = [row for row in rows if (row.serial, row.concurrency) == (serial, 1)]
        more = [1 - row.loss.share_lost.value for row in alone if row.verdict == "more than ideal"]
        if more:
            times = f"{min(more):.2f}" if len(more) == 1 else f"{min(more):.2f} to {max(more):.2f}"
            message = (
                f"{serial}: one worker alone already does {times} times what the serial benchmark does: either a call "
                "keeps more than one core busy, so that workers compete for cores, or the machine was faster then; "
                "held against N times one worker that would look like a loss to something shared"
            )
            warnings.append(caveat("parallel-inside", message))
    return tuple(warnings)


def _left_out(pairing: Pairing) -> tuple[Caveat, ...]:
    """Say what the plan kept out, reason by reason, and which benchmarks had no twin."""
    warnings = []
    reasons: dict[str, list[str]] = {}
    for benchmark in pairing.unpaired:
        reasons.setdefault(benchmark.reason, []).append(benchmark.name)
    for reason, names in reasons.items():
        code = "excluded-from-curve" if reason in pairing.excluded.values() else "no-twin"
        warnings.append(caveat(code, f"{choices(names)}: {reason}"))
    partly = {twin.parallel for twin in pairing.twins} & set(pairing.excluded)
    for why in dict.fromkeys(pairing.excluded[parallel] for parallel in sorted(partly)):
        names = [parallel for parallel in sorted(partly) if pairing.excluded[parallel] == why]
        warnings.append(caveat("excluded-from-curve", f"{choices(names)}, in part: {why}"))
    return tuple(warnings)


# Which serial and which parallel benchmark do the same work, configuration by configuration.

#: How parallel benchmarks are named after the serial one whose work they do.
_NAMES = tuple(
    re.compile(pattern)
    for pattern in (r"TestParallelBenchmark(.+)", r"TestParallel(.+)", r"Parallel_?(.+)", r"(.+?)_?Parallel")
)
#: Axes that say how many workers run at once: they never distinguish one kind of work from another.
_PLACES = ("workers", "gomaxprocs", "threads", "goroutines", "mode")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Twins:
    """A serial benchmark and its parallel twin in one configuration."""

    #: The two benchmarks.
    serial: str
    parallel: str
    #: The configuration of the twin, without concurrency.
    key: Mapping[str, Any]
    #: The axis that is the twin's concurrency.
    axis: str
    #: Of the twin: ``throughput``, or ``time`` where throughput is one over it.
    metric: str
    #: Times of the one, at all its processor counts; throughput of the other, at all its concurrencies.
    serial_rows: pd.DataFrame
    parallel_rows: pd.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Every parallel benchmark of a study: those with a twin, and those without."""

    twins: tuple[Twins, ...]
    unpaired: tuple[Unpaired, ...]
    #: Reasons by the benchmarks that the study's plan keeps out of scaling, in whole or in part.
    excluded: Mapping[str, str]


def find_twins(study: Study) -> Pairing:
    """Pair every parallel benchmark with the serial one that it is named after.

    ``TestParallelBenchmarkX``, ``TestParallelX``, ``ParallelX`` and ``X_Parallel`` are the parallel twins
    of ``X``. A configuration is paired with the same configuration: an axis that only one of the two
    benchmarks knows at all (an executor) parts the twins and asks nothing of the serial side; a level that
    one side did not record matches what the other has, if that is one level only. What the study keeps
    out of its scaling curves is kept out here.
    """
    frame, excluded = _kept_rows(study)
    failed = set(study.results.failed["benchmark"].astype(str)) if len(study.results.failed) else set()
    twins: list[Twins] = []
    unpaired: list[Unpaired] = []
    names = dict.fromkeys([*map(str, study.results.frame["benchmark"].unique()), *sorted(failed)])
    known = set(names)
    timed = frame[frame["metric"] == "time"]
    for name in names:
        serial = _serial_name(name, known)
        if serial is None:
            continue
        rows = frame[frame["benchmark"] == name]
        metric = _throughput_metric(study, rows)
        axis = _axis(study, rows[rows["metric"] == metric] if metric else rows)
        times = timed[timed["benchmark"] == serial]
        reason = _no_pair(name, serial, rows, times, metric, axis, failed, excluded)
        if reason:
            unpaired.append(Unpaired(name=name, reason=reason))
            continue
        rows = rows[(rows["metric"] == metric) & rows[axis].notna()]
        for key, part in cells(rows, _configuration(rows)):
            match = _matching(key, times)
            if isinstance(match, str):
                place = {axis: level for axis, level in key.items() if rows[axis].nunique() > 1}
                unpaired.append(Unpaired(name=label({"benchmark": name, **place}), reason=f"{serial} {match}"))
                continue
            twins.append(
                Twins(
                    serial=serial,
                    parallel=name,
                    key=key,
                    axis=axis,
                    metric=str(metric),
                    serial_rows=match,
                    parallel_rows=part,
                )
            )
    return Pairing(twins=tuple(twins), unpaired=tuple(unpaired), excluded=excluded)


def _serial_name(name: str, known: set[str]) -> str | None:
    serial = [match.group(1) for pattern in _NAMES if (match := pattern.fullmatch(name))]
    return next((candidate for candidate in serial if candidate in known), next(iter(serial), None))


def _axis(study: Study, rows: pd.DataFrame) -> str:
    asked = (study.scaling.concurrency, *(place for place in _PLACES if place != "mode"))
    return next(
        (candidate for candidate in asked if candidate and candidate in rows and rows[candidate].notna().any()), ""
    )


def _no_pair(
    name: str,
    serial: str,
    rows: pd.DataFrame,
    times: pd.DataFrame,
    metric: str | None,
    axis: str,
    failed: set[str],
    excluded: Mapping[str, str],
) -> str:
    if rows.empty:
        return excluded.get(name) or ("every call failed" if name in failed else "no sound result is left")
    if metric is None:
        return "it reports time, and is not listed as parallel in [configuration] of study.toml"
    if not axis:
        return "its concurrency was not recorded"
    if times.empty:
        if serial in excluded:
            return f"{serial} is kept out of scaling: {excluded[serial]}"
        return f"there is no {'sound ' if serial in failed else ''}time of a serial benchmark {serial}"
    return ""


def _configuration(rows: pd.DataFrame) -> list[str]:
    axes = [str(column) for column in rows.columns if column not in SCHEMA and column not in _PLACES]
    return [axis for axis in axes if rows[axis].notna().any()]


def _matching(key: Mapping[str, Any], times: pd.DataFrame) -> pd.DataFrame | str:
    """Return the rows of the serial benchmark in a configuration, or why there are none."""
    for axis in _configuration(times):
        known = times[axis].notna()
        level = key.get(axis)
        here = times[times[axis] == level] if level is not None else times[~known]
        if here.empty and level is not None:
            here = times[~known]
            if here.empty:
                return f"was not measured at {axis} {level}"
        elif here.empty:
            levels = [plain(number) for number in times.loc[known, axis].unique()]
            if len(levels) > 1:
                return f"was measured at {axis} {choices(levels)}, and the twin's was not recorded"
            here = times
        times = here
    return times
