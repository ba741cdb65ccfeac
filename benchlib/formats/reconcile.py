"""Rules across files: a table made from logs against the logs it was made from.

Such a table knows less than its logs: it is rounded, and it has no column for errors. The rules:

1. A benchmark that failed in a log, and has no sound value there, takes its rows of the table to
   the failed ones.
2. Where a log gives the same benchmark and metric, and no axis that both state differs, the log is
   read and the rows of the table are dropped, with a caveat that names the file and the count:
   unless a value lies outside the log's own values, which no summary of them can.
3. Two files that hold the same results line for line (a log, and the results cut out of it) are one
   measurement: the second is dropped, lest every sample count double. That the results are the same
   must be no coincidence: either the files are the same to the byte, or their times and rates agree
   beyond what repeats do, which is the first three digits. Allocations and bytes of an operation, and
   whatever else a program counts, are the same in every repeat and prove nothing.

A reader says that its files are such tables by ``summary = True``. Any other CSV is one only where
each of its values of a benchmark and metric is a value of the log, rounded as the table rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.caveats import Caveat, caveat, merge
from benchlib.formats.naming import split_name
from benchlib.formats.rows import Rows
from benchlib.formats.table import ReadFile
from benchlib.metrics import factor_of, unit_of
from benchlib.results import Results
from benchlib.units import parse_unit

__all__ = ["copies", "reconcile"]

#: Repeats on a quiet machine agree in the first three digits; each further one in one case of ten.
_ROUTINE_DIGITS, _LEAST_DIGITS = 3, 4

Mask = npt.NDArray[np.bool_]
Values = npt.NDArray[np.float64]


def copies(files: Sequence[ReadFile]) -> dict[str, str]:
    """Return the source of each file that only repeats another, and that other's.

    Only files that count iterations can be told. Files of the same bytes are copies; others are where
    their rows are the same, and their measured times and rates have at least `_LEAST_DIGITS` digits in
    all beyond the third of each. Files of two named runs are left alone.
    """
    if len(files) < 2:
        return {}
    by_size: dict[int, list[ReadFile]] = {}
    for one in files:
        if len(one.reading.rows) > 1 and one.reading.rows.iterations.complete:
            by_size.setdefault(len(one.reading.rows), []).append(one)
    found: dict[str, str] = {}
    for group in by_size.values():
        # By their numbers, so that ten thousand files of one size are not each held against all.
        kept: dict[tuple[bytes, bytes], list[ReadFile]] = {}
        # The file that its path tells more about stays; criterion keeps its newest sample twice, and the
        # copy is the one in ``base``.
        for one in sorted(group, key=lambda file: (-len(file.path_facts), "/base/" in file.source)):
            rows = one.reading.rows
            alike = kept.setdefault((rows.value.array.tobytes(), rows.iterations.array.tobytes()), [])
            twin = next((other for other in alike if _repeats(one, other)), None)
            if twin is None:
                alike.append(one)
            else:
                found[one.source] = twin.source
    return found


def _repeats(one: ReadFile, other: ReadFile) -> bool:
    mine, theirs = one.reading.rows, other.reading.rows
    runs = {run for run in (_run(one), _run(other)) if run}
    same = mine.name == theirs.name and mine.unit == theirs.unit and len(runs) < 2
    return same and (one.sha256 == other.sha256 or _is_telling(mine))


def _is_telling(rows: Rows) -> bool:
    """Whether other measurements could not have given the same times and rates."""
    timed = np.zeros(max(1, len(rows.unit.levels) * len(rows.metric.levels)), dtype=bool)
    width = len(rows.metric.levels)
    for unit, at in rows.unit.levels.items():
        for name, of in rows.metric.levels.items():
            timed[at * width + of] = "sec" in (unit_of(name, unit) if name else parse_unit(unit)).base
    measured = timed[rows.unit.array.astype(np.int64) * width + rows.metric.array]
    found = 0
    for value in rows.value.array[measured].tolist():
        found += max(0, len(_significant(value)) - _ROUTINE_DIGITS)
        if found >= _LEAST_DIGITS:
            return True
    return False


def _significant(value: float) -> str:
    """Return the significant digits of a value as written: ``1234500.0`` has five."""
    return repr(value).lstrip("-").partition("e")[0].replace(".", "").strip("0")


def _run(file: ReadFile) -> str:
    return next((facts["run"] for _, facts in file.path_facts if "run" in facts), file.run)


def reconcile(
    results: Results,
    summaries: Collection[str],
    tables: Collection[str] = (),
    repeats: Mapping[str, str] | None = None,
) -> Results:
    """Apply the rules.

    Parameters
    ----------
    results : Results
    summaries : collection of str
        Sources whose reader says that they are made from logs.
    tables : collection of str
        Sources of CSV that may be.
    repeats : mapping of str to str
        From `copies`.
    """
    results = _drop(results, repeats or {})
    if not summaries and not tables:
        return results
    results = _fail(results, summaries, [*summaries, *tables])
    caveats: list[Caveat] = []
    frame = results.frame
    logs = frame[~frame["source"].isin([*summaries, *tables])]
    dropped = np.zeros(len(frame), dtype=bool)
    for source in [*summaries, *tables]:
        mine = np.flatnonzero((frame["source"] == source).to_numpy())
        rows = frame.iloc[mine]
        superseded = _superseded(rows, logs, results.axes)
        superseded &= _within(rows, logs) if source in summaries else _rounded(rows, logs)
        if superseded.any():
            dropped[mine[superseded]] = True
            count = f"{superseded.sum()} of {len(rows)} values"
            message = f"{source}: {count} are also in the logs, and read from there"
            caveats.append(caveat("superseded-file", message))
    return replace(results, frame=frame[~dropped].reset_index(drop=True), caveats=merge(results.caveats, caveats))


def _drop(results: Results, repeats: Mapping[str, str]) -> Results:
    """Rule 3."""
    if not repeats:
        return results
    found = [
        caveat("repeated-file", f"{one} repeats {other} line for line; it is counted once")
        for one, other in repeats.items()
    ]
    frame, failed = (part[~part["source"].isin(list(repeats))] for part in (results.frame, results.failed))
    return replace(
        results,
        frame=frame.reset_index(drop=True),
        failed=failed.reset_index(drop=True),
        caveats=merge(results.caveats, found),
    )


def _fail(results: Results, summaries: Collection[str], tables: Sequence[str]) -> Results:
    """Rule 1: what failed in a log did not succeed in the table made from it."""
    frame, failed = results.frame, results.failed
    sound = set(frame.loc[~frame["source"].isin(tables), "benchmark"].unique())
    lost = {split_name(one.name)[0] for one in results.series if one.kind == "failed-benchmark"}
    lost |= set(failed.loc[~failed["source"].isin(tables), "benchmark"].unique())
    mask = frame["source"].isin(list(summaries)) & frame["benchmark"].isin(list(lost - sound))
    if not mask.any():
        return results
    moved = pd.concat([failed, frame[mask]], ignore_index=True)
    return replace(results, frame=frame[~mask].reset_index(drop=True), failed=moved)


def _superseded(rows: pd.DataFrame, logs: pd.DataFrame, axes: Sequence[str]) -> Mask:
    """Rule 2: which rows a log gives too."""
    keys = [
        "benchmark",
        "metric",
        *(axis for axis in axes if rows[axis].notna().any() and logs[axis].notna().any()),
    ]
    known: dict[tuple[object, object], set[tuple[object, ...]]] = {}
    for one in logs[keys].astype(object).drop_duplicates().itertuples(index=False, name=None):
        known.setdefault(one[:2], set()).add(one[2:])
    verdicts: dict[tuple[object, ...], bool] = {}
    found = []
    for one in rows[keys].astype(object).itertuples(index=False, name=None):
        if one not in verdicts:
            verdicts[one] = any(_agree(one[2:], other) for other in known.get(one[:2], ()))
        found.append(verdicts[one])
    return np.asarray(found, dtype=bool)


def _agree(mine: Sequence[object], theirs: Sequence[object]) -> bool:
    """Whether two configurations name no axis that differs; one that only one of them names does not."""
    return all(a == b or pd.isna(a) or pd.isna(b) for a, b in zip(mine, theirs, strict=True))  # type: ignore[call-overload]


def _within(rows: pd.DataFrame, logs: pd.DataFrame) -> Mask:
    """Which rows belong to a benchmark and metric whose every value lies among the log's, but for rounding.

    A summary of a sample lies between its least and its largest value; one that does not speaks of another run.
    """
    found = np.zeros(len(rows), dtype=bool)
    for name, places in rows.groupby("metric", observed=True, sort=False).indices.items():
        part = rows.iloc[places]
        theirs = logs[logs["metric"] == name].groupby("benchmark", observed=True)["value"]
        least, most = theirs.min().to_dict(), theirs.max().to_dict()
        # A table may cut its last digit, or keep four of them.
        step = _step(part)
        for benchmark, at in part.groupby("benchmark", observed=True, sort=False).indices.items():
            values = part["value"].to_numpy(dtype=np.float64)[at]
            low, high = least.get(benchmark, np.inf), most.get(benchmark, -np.inf)
            slack = np.maximum(step, 1e-3 * np.abs(values))
            found[np.asarray(places)[at]] = bool(np.all((values >= low - slack) & (values <= high + slack)))
    return found


def _rounded(rows: pd.DataFrame, logs: pd.DataFrame) -> Mask:
    """Which rows belong to a benchmark and metric all of whose values are the log's, rounded."""
    copied = np.zeros(len(rows), dtype=bool)
    by_metric = rows.groupby("metric", observed=True, sort=False).indices
    for name, places in by_metric.items():
        part = rows.iloc[places]
        step = _step(part)
        theirs = logs[logs["metric"] == name]
        by_benchmark = theirs.groupby("benchmark", observed=True)["value"]
        values = {str(key): np.sort(group.to_numpy(dtype=np.float64)) for key, group in by_benchmark}
        for benchmark, at in part.groupby("benchmark", observed=True, sort=False).indices.items():
            if str(benchmark) in values:
                near = _nearest(part["value"].to_numpy(dtype=np.float64)[at], values[str(benchmark)])
                copied[np.asarray(places)[at]] = bool(np.all(near <= step * 0.5000001))
    return copied


def _step(part: pd.DataFrame) -> float:
    """Return the last digit's worth of a column, in its base unit: 0.538 ms is told to a µs."""
    name, unit = str(part["metric"].iloc[0]), str(part["original_unit"].iloc[0])
    factor = factor_of(name, unit)
    written = [f"{value / factor:.9g}" for value in part["value"]]
    decimals = max((len(one.partition(".")[2]) for one in written if "e" not in one), default=0)
    return float(10.0**-decimals * factor)


def _nearest(values: Values, known: Values) -> Values:
    """Return each value's distance to the nearest known one (sorted)."""
    right = np.clip(np.searchsorted(known, values), 0, len(known) - 1)
    left = np.clip(right - 1, 0, len(known) - 1)
    nearest: Values = np.minimum(np.abs(known[right] - values), np.abs(known[left] - values))
    return nearest
