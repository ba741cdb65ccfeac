"""What stands in two files counts once: copies of a file, and tables made from logs that lie beside their logs.

1. A file of exactly the rows of another (a log, and the results cut out of it; one run in two notations) is a copy
   and left out: every sample count would double.
2. A table that `benchlib convert` wrote states the file and line from which each row was read first. Where that file is
   read too, the row counts once.
3. Some tools write rounded tables of their own raw files; the readers of such tables say so. A row of such a table is
   left out where raw values of the same benchmark, metric, run and axes are read and its value is one of them, or their
   mean or median, to the last digit written. A benchmark that failed in the raw file succeeds in no table.

A value that differs stays: another day's table is another measurement. No row is left out for a file of another run
that was named. A caveat names each file that loses rows, and the files that hold them.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.caveats import Caveat, caveat, merge
from benchlib.formats.names import split_name
from benchlib.formats.reader import Rows, Words
from benchlib.formats.table import ReadFile, _named
from benchlib.metrics import unit_of
from benchlib.results import Results
from benchlib.units import parse_unit

_Mask = npt.NDArray[np.bool_]

#: Repeats on a quiet machine agree in the first three digits, and in each further digit in one case of ten. Four
#: further digits in all are no coincidence.
_ROUTINE_DIGITS, _TELLING_DIGITS = 3, 4
#: The name of a statistic behind the metric it is of: ``time_mean``, ``latency_p99.9``.
_STATISTIC = re.compile(r"(.+)_(?:mean|median|min|max|stdev|p\d{1,3}(?:\.\d{1,6})?)", re.DOTALL)


def _drop_duplicates(results: Results, files: Sequence[ReadFile], summaries: Collection[str]) -> Results:
    """Return the results without what stands in them twice, and a caveat for each file that lost rows."""
    copies = _copies(files) if len(files) > 1 else {}
    raw = [file.source for file in files if file.source not in summaries]
    if not copies and not (summaries and raw):
        return results
    caveats: list[Caveat] = []
    for copy, original in copies.items():
        count = _counted(_count(results, copy))
        message = f"{copy} holds the same {count} as {original}; they are counted once"
        caveats.append(caveat("repeated-file", message))
    results = _without(results, *(~frame["source"].isin(list(copies)).to_numpy() for frame in _frames(results)))
    for summary in summaries if raw else ():
        if summary not in copies:
            results = _without_summary(results, summary, summaries, caveats)
    return replace(results, caveats=merge(results.caveats, caveats))


#: What an exported table states of each of its rows: where it was read first, in order.
_STATED = ("source", "line", "position", "original_unit")


def _restore_exports(results: Results) -> Results:
    """Return the results with the rows of tables that `benchlib convert` wrote as they were first read.

    The reader of such a table says where in a series of kind ``origin``, which is removed here.
    """
    exports = {series.source: series.data for series in results.series if series.kind == "origin"}
    if not exports:
        return results
    caveats = []
    frames = []
    for frame in _frames(results):
        exported = frame["source"].astype(str)
        frame = _restored(frame, exports)
        own = exported.isin(list(exports)).to_numpy()
        order = np.argsort(own, kind="stable")
        facts = ["source", "line", "position", "name", "metric", "value"]
        twice = np.zeros(len(frame), dtype=bool)
        twice[order] = frame.iloc[order].duplicated(facts).to_numpy()
        twice &= own
        for export, rows in frame[twice].groupby(exported[twice], sort=False):
            held = f"{export} holds the same {_counted(len(rows))} as {_named([*dict.fromkeys(rows['source'])])}"
            caveats.append(caveat("repeated-file", f"{held}; they are counted once"))
        frames.append(frame[~twice].reset_index(drop=True) if twice.any() else frame)
    rest = tuple(series for series in results.series if series.kind != "origin")
    merged = merge(results.caveats, caveats)
    return replace(results, frame=frames[0], failed=frames[1], series=rest, caveats=merged)


def _restored(frame: pd.DataFrame, exports: Mapping[str, Sequence[tuple[Any, ...]]]) -> pd.DataFrame:
    """Return a table whose rows of exported files have the place and unit that these state."""
    stated = pd.DataFrame(
        [(source, *origin) for source, origins in exports.items() for origin in origins],
        columns=["export", "at", *_STATED],
    ).set_index(["export", "at"])
    keys = pd.MultiIndex.from_arrays([frame["source"].astype(object), frame["line"]])
    # A line that states no origin keeps its place in the exported table.
    known = keys.isin(stated.index)
    if not known.any():
        return frame
    columns: dict[str, Any] = {}
    for name in _STATED:
        origin = stated[name].reindex(keys[known]).to_numpy()
        if name in ("line", "position"):
            numbers = frame[name].to_numpy(copy=True)
            numbers[known] = origin
            columns[name] = numbers
        else:
            words = frame[name].astype(object).to_numpy(copy=True)
            words[known] = origin
            levels = pd.Index(list(dict.fromkeys(words.tolist())), dtype=object)
            columns[name] = pd.Categorical(words, categories=levels)
    return frame.assign(**columns)


def _copies(files: Sequence[ReadFile]) -> dict[str, str]:
    """Return the source of each file that only repeats another, and the source of the other.

    Only files that count iterations are compared. Files of the same bytes are copies; so are others whose rows are the
    same and no coincidence. Files of two named runs are left alone.
    """
    originals: dict[str, str] = {}
    # By their numbers, so that ten thousand files of one size are not each compared with all.
    files_by_digest: dict[tuple[bytes, bytes], list[ReadFile]] = {}
    # The file that its path tells more about stays; criterion keeps its newest sample twice, and the copy is the one
    # in ``base``.
    for file in sorted(files, key=lambda file: (-len(file.path_facts), "/base/" in file.source)):
        rows = file.reading.rows
        if len(rows) < 2 or np.isnan(np.asarray(rows.iterations)).any():
            continue
        alike = files_by_digest.setdefault((rows.value.tobytes(), rows.iterations.tobytes()), [])
        original = next((other for other in alike if _repeats(file, other)), None)
        if original is None:
            alike.append(file)
        else:
            originals[file.source] = original.source
    return {file.source: originals[file.source] for file in files if file.source in originals}


def _repeats(file: ReadFile, other: ReadFile) -> bool:
    mine, theirs = file.reading.rows, other.reading.rows
    runs = {run for run in (_run_of(file), _run_of(other)) if run}
    same = _same(mine.name, theirs.name) and _same(mine.unit, theirs.unit) and len(runs) < 2
    return same and (file.sha256 == other.sha256 or _is_telling(mine))


def _same(mine: Words, theirs: Words) -> bool:
    return list(mine.levels) == list(theirs.levels) and mine.codes == theirs.codes


def _is_telling(rows: Rows) -> bool:
    """Whether other measurements could not have given the same times and rates.

    Allocations, bytes and whatever else a program counts are the same in every repeat and prove nothing.
    """
    width = len(rows.metric.levels)
    timed = np.zeros(max(1, len(rows.unit.levels) * width), dtype=bool)
    for unit, at in rows.unit.levels.items():
        for name, of in rows.metric.levels.items():
            timed[at * width + of] = "sec" in (unit_of(name, unit) if name else parse_unit(unit)).base
    measured = timed[np.asarray(rows.unit.codes).astype(np.int64) * width + np.asarray(rows.metric.codes)]
    digits = 0
    for value in np.asarray(rows.value)[measured].tolist():
        digits += max(0, _significant(value) - _ROUTINE_DIGITS)
        if digits >= _TELLING_DIGITS:
            return True
    return False


def _significant(value: float) -> int:
    """Return how many significant digits a value has as written."""
    # Beyond 15 digits stand the traces of a conversion between units.
    return len(f"{value:.15g}".lstrip("-").partition("e")[0].replace(".", "").strip("0"))


def _run_of(file: ReadFile) -> str:
    """Return the run that a file as a whole is of, empty where neither path nor command names one."""
    return next((facts["run"] for _, facts in file.path_facts if "run" in facts), file.run)


def _without_summary(results: Results, summary: str, summaries: Collection[str], caveats: list[Caveat]) -> Results:
    """Leave out the rows of one table that raw files hold as well, and say so."""
    raw = _RawValues(results, summaries)
    sources: dict[str, None] = {}
    masks = []
    for frame in _frames(results):
        mask = np.ones(len(frame), dtype=bool)
        mine = frame[(frame["source"] == summary).to_numpy()]
        own = [_written_place(*pair) for pair in zip(mine["value"], mine["original_unit"], strict=True)]
        finest = pd.Series(own, index=mine.index).groupby(mine["metric"], observed=True).transform("min")
        rows = mine[["benchmark", "metric", "unit", "value", *raw.facts]].to_dict("records")
        for at, row, *places in zip(np.flatnonzero(frame["source"] == summary), rows, own, finest, strict=True):
            holding = raw.holding(row, *places)
            mask[at] = not holding
            sources |= dict.fromkeys(holding)
        masks.append(mask)
    dropped = sum(int((~mask).sum()) for mask in masks)
    if dropped:
        left = f"{dropped} of {_counted(_count(results, summary))} are left out"
        holds = "hold" if len(sources) > 1 else "holds"
        message = (
            f"{summary}: {left}: it is a table made from raw files, and {_named(list(sources))} {holds} their values"
        )
        caveats.append(caveat("superseded-file", message))
    return _without(results, *masks)


@dataclass(frozen=True)
class _Raw:
    """The raw values of one metric in one place of one file; none where the benchmark failed without a value."""

    metric: str
    source: str
    failed: bool
    facts: Mapping[str, Any]
    values: tuple[float, ...]


class _RawValues:
    """The raw values of each benchmark, by the run and axes that all its rows state."""

    def __init__(self, results: Results, summaries: Collection[str]) -> None:
        self.facts = ["run", *results.axes]
        self._of: dict[str, list[_Raw]] = {}
        for frame in _frames(results):
            rows = frame[~frame["source"].isin(list(summaries))]
            keys = ["benchmark", "metric", "source", *self.facts]
            for key, values in rows.groupby(keys, observed=True, dropna=False, sort=False)["value"]:
                benchmark, metric, source, *levels = key
                facts = dict(zip(self.facts, levels, strict=True))
                raw = _Raw(str(metric), str(source), frame is results.failed, facts, tuple(values))
                self._of.setdefault(str(benchmark), []).append(raw)
        for series in results.series:
            # What failed in a log and gave no value there did not succeed in the table made from it.
            if series.kind == "failed-benchmark" and series.source not in summaries:
                lost = _Raw("", series.source, True, {}, ())
                self._of.setdefault(split_name(series.name)[0], []).append(lost)
        #: The facts that every raw row of a benchmark states, and its raw values by the levels of these.
        self._stated: dict[str, list[str]] = {}
        self._at: dict[tuple[Any, ...], list[_Raw]] = {}
        for name, raws in self._of.items():
            stated = [fact for fact in self.facts if not any(_says_nothing(raw.facts.get(fact, "")) for raw in raws)]
            self._stated[name] = stated
            for raw in raws:
                self._at.setdefault((name, *(raw.facts.get(fact) for fact in stated)), []).append(raw)

    def holding(self, row: Mapping[Any, Any], own: float, finest: float) -> list[str]:
        """Return the raw files that hold the value of a row of a table, as it is written.

        ``own`` is the unit of the last digit of the value, ``finest`` that of its column.
        """
        name = str(row["benchmark"])
        levels = [row[fact] for fact in self._stated.get(name, ())]
        unstated = any(map(_says_nothing, levels))
        raws = self._of.get(name, []) if unstated else self._at.get((name, *levels), [])
        # A number of four digits is rounded at its own place, whatever the finest place of its column.
        place = max(finest if math.isfinite(finest) else 0.0, min(own, 1e-3 * abs(row["value"])))
        if str(row["unit"]).startswith("B"):
            place = max(place, 5e-4 * abs(row["value"]))  # four digits of KiB or MiB, written in bytes
        tolerance = place * (1 + 1e-9)
        matching = [raw for raw in raws if _is_of(raw, row, self.facts)]
        same = [raw.values for raw in matching if raw.metric == row["metric"]]
        parts = [raw.values for raw in matching if raw.metric != row["metric"]]
        held = (
            any(raw.failed for raw in matching)
            or any(_says(row["value"], values, tolerance) for values in (*same, tuple(itertools.chain(*same))))
            or any(_says_statistic(row, values, tolerance) for values in parts)
        )
        return [raw.source for raw in matching] if held else []


def _is_of(raw: _Raw, row: Mapping[Any, Any], facts: Sequence[str]) -> bool:
    """Whether raw values are of the metric of a row, and of the run and axes that it states.

    What failed in a raw file succeeds in no table, whatever else the table states of it.
    """
    statistic = _STATISTIC.fullmatch(row["metric"])
    if raw.metric not in ("", row["metric"], statistic[1] if statistic else ""):
        return False
    stated = [(raw.facts.get(fact, ""), row[fact]) for fact in facts if not _says_nothing(row[fact])]
    return all(level == asked or (raw.failed and _says_nothing(level)) for level, asked in stated)


def _says(value: float, values: Sequence[float], tolerance: float) -> bool:
    """Whether a value is one of some raw values, or their mean or median."""
    said = [*values, float(np.mean(values)), float(np.median(values))] if values else []
    return any(abs(value - other) <= tolerance for other in said)


def _says_statistic(row: Mapping[Any, Any], values: Sequence[float], tolerance: float) -> bool:
    """Whether a row may be the statistic of raw values that its metric names: ``time_stdev`` of ``time``."""
    if not values:
        return False
    if str(row["metric"]).endswith("_stdev"):
        return bool(abs(row["value"] - (np.std(values, ddof=1) if len(values) > 1 else 0.0)) <= tolerance)
    return bool(min(values) - tolerance <= row["value"] <= max(values) + tolerance)


def _written_place(value: float, unit: str) -> float:
    """Return the unit of the last digit of a value as it was written, in base units; the largest there is for 0."""
    factor = parse_unit(unit).factor
    written = value / factor
    if not written or not math.isfinite(written):
        return math.inf
    return 10.0 ** (math.floor(math.log10(abs(written))) - _significant(written) + 1) * factor


def _says_nothing(level: Any) -> bool:
    return bool(level == "" or pd.isna(level))


def _frames(results: Results) -> tuple[pd.DataFrame, pd.DataFrame]:
    return results.frame, results.failed


def _without(results: Results, sound: _Mask, failed: _Mask) -> Results:
    """Return the results of some rows, without axes that none of these states any more."""
    if sound.all() and failed.all():
        return results
    left = replace(
        results,
        frame=results.frame[sound].reset_index(drop=True),
        failed=results.failed[failed].reset_index(drop=True),
    )
    empty = [axis for axis in results.axes if _is_stated(results, axis) and not _is_stated(left, axis)]
    return replace(left, frame=left.frame.drop(columns=empty), failed=left.failed.drop(columns=empty))


def _is_stated(results: Results, axis: str) -> bool:
    return any(frame[axis].notna().any() for frame in _frames(results))


def _count(results: Results, source: str) -> int:
    return sum(int((frame["source"] == source).sum()) for frame in _frames(results))


def _counted(count: int) -> str:
    return f"{count} value{'' if count == 1 else 's'}"
