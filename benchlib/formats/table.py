"""From what the readers found to one tidy table in base units.

Work is done once per distinct name, configuration and unit, never once per row; rows are only ever
codes into those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import printable
from benchlib.formats.columns import (
    Codes,
    Runs,
    axis_column,
    category,
    code,
    joined,
    numbered,
    optional,
    positions,
)
from benchlib.formats.facts import ReadFile, gather, same_facts
from benchlib.formats.naming import BoundTemplate, parse_name, split_name
from benchlib.formats.reading import Rows
from benchlib.metrics import Better, Metric, better, canonical, factor_of, metric, never_negative, unit_of
from benchlib.results import LineCounts, Problem, Results, SourceFile

__all__ = ["ReadFile", "build", "failures"]


def build(files: Sequence[ReadFile], name_templates: Sequence[BoundTemplate] = ()) -> Results:
    """Return one table of all files: units converted, axes as columns, failed rows apart.

    Raises
    ------
    InputError
        If names, configuration and columns state more axes than a table can have.
    """
    problems = [Problem(one.source, line, text) for one in files for line, text in one.problems]
    problems += [Problem(one.source, line, text) for one in files for line, text in one.reading.problems]
    frame, metrics = _frame(files, name_templates, problems)
    series = tuple(chain.from_iterable(one.reading.series for one in files))
    metrics = _told_better(metrics, series)
    frame, skipped = _measured(frame, problems)
    bad = _failed(files, frame)
    sound, failed = frame, frame[:0]
    if bad.any():
        sound, failed = frame[~bad].reset_index(drop=True), frame[bad].reset_index(drop=True)
    return Results(
        frame=sound,
        failed=failed,
        problems=tuple(problems),
        files=tuple(_source_file(one, *skipped.get(one.source, (0, 0))) for one in files),
        metrics=metrics,
        series=series,
        caveats=(),
    )


def _measured(frame: pd.DataFrame, problems: list[Problem]) -> tuple[pd.DataFrame, Mapping[str, tuple[int, int]]]:
    """Return the rows that can be measurements, and for each file that had others: how many rows, how many lines.

    No time, size, count or rate is negative; such a value is a cut number, or a clock that was set back.
    """
    values = frame["value"].to_numpy()
    doubtful = np.flatnonzero(~(values >= 0) | (values == np.inf))
    if not len(doubtful):
        return frame, {}
    kept = np.ones(len(frame), dtype=bool)
    kept[doubtful] = np.isfinite(values[doubtful])
    for key, places in frame.iloc[doubtful].groupby(["metric", "unit"], observed=True).indices.items():
        name, unit = cast(tuple[str, str], key)
        if never_negative(name, unit):
            kept[doubtful[places]] = False
    lost, frame = frame[~kept], frame[kept].reset_index(drop=True)
    told = lost[["source", "line", "metric", "unit", "value", "original_unit"]]
    for source, line, name, unit, value, written in told.itertuples(index=False):
        if np.isfinite(value):
            shown = f"{value / factor_of(name, written):.6g} {printable(written, 40)}".rstrip()
            why = f"{shown}: no {never_negative(name, unit)} is negative; value skipped; correct it or measure again"
        else:
            why = f"{value}: no measurement; value skipped"
        problems.append(Problem(source, int(line), f"{name} is {why}"))
    return frame, _skipped(lost, frame)


def _skipped(lost: pd.DataFrame, frame: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """Return, for each file, the rows it lost and the lines that have no other."""
    found = {}
    for source, rows in lost.groupby("source", observed=True, sort=False):
        left = frame.loc[frame["source"] == source, "line"]
        found[str(source)] = (len(rows), len(set(rows["line"]).difference(left)))
    return found


def _failed(files: Sequence[ReadFile], frame: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return which rows have failed operations behind them."""
    if all(one.reading.rows.errors.empty for one in files):
        return np.zeros(len(frame), dtype=bool)
    found: npt.NDArray[np.bool_] = (frame["errors"] > 0).to_numpy()
    return found


def failures(results: Results) -> Results:
    """Return the results with one caveat for each benchmark that failed, in full or in part."""
    without: dict[str, list[str]] = {}
    for one in results.series:
        if one.kind == "failed-benchmark":
            without.setdefault(split_name(one.name)[0], []).append(f"{one.source}:{one.line}")
    if results.failed.empty and not without:
        return results
    failed = results.failed.groupby("benchmark", observed=True, sort=False).size().to_dict()
    sound = results.frame["benchmark"].value_counts().to_dict()
    found: list[Caveat] = []
    for benchmark in [*failed, *(one for one in without if one not in failed)]:
        count, rest = int(failed.get(benchmark, 0)), int(sound.get(benchmark, 0))
        parts = []
        if benchmark in without:
            parts.append(f"failed at {without[benchmark][0]}" + (" and gave no result" if not rest else ""))
        if count:
            parts.append(f"{count} of {count + rest} values rest on failed operations and are left out")
        found.append(caveat("failed-results", f"{benchmark}: {'; '.join(parts)}", of=f"“{benchmark}”"))
    return replace(results, caveats=merge(results.caveats, found))


def _frame(
    files: Sequence[ReadFile], templates: Sequence[BoundTemplate], problems: list[Problem]
) -> tuple[pd.DataFrame, dict[str, Metric]]:
    readings = [one.reading for one in files]
    rows = [one.rows for one in readings]
    file_runs = Runs(np.arange(len(files)), np.asarray([len(one) for one in rows]))
    file_codes = file_runs.spread(np.arange(len(files), dtype=np.int32))
    configurations = list(chain.from_iterable(one.configurations for one in readings))
    owners = [number for number, one in enumerate(readings) for _ in one.configurations]
    starts = np.cumsum([0, *(len(one.configurations) for one in readings)], dtype=np.int32)
    config_codes = joined([one.configuration.array for one in rows])
    name_codes, names = code([one.name for one in rows])
    parsed = {name: parse_name(name, templates) for name in names}
    if len(files) > 1:
        config_codes = same_facts(files, parsed)[config_codes + file_runs.spread(starts[:-1])]
    # One set of facts for each configuration and name that meet; a configuration knows its file.
    pairs, met_codes = _runs(config_codes, name_codes, len(names))
    met = [(one // max(1, len(names)), names[one % max(1, len(names))]) for one in met_codes]
    stated = [(owners[config], configurations[config], name) for config, name in met]
    facts, axes = gather(files, stated, parsed, templates, problems)
    line = joined([one.line.array for one in rows]).astype(np.int32, copy=False)
    metric_codes, unit_codes, values, metrics, units, used = _measures(rows)
    new_pair = np.zeros(len(line), dtype=bool)
    new_pair[np.cumsum(pairs.lengths)[:-1]] = True
    position = positions(file_codes, new_pair, metric_codes, line)
    shown = [name.removeprefix("Benchmark") or facts_.benchmark for (_, name), facts_ in zip(met, facts, strict=True)]
    columns: dict[str, Any] = {
        "name": category(shown, pairs),
        "benchmark": category([one.benchmark for one in facts], pairs),
    }
    for axis in axes:
        columns[axis] = axis_column([one.axes.get(axis) for one in facts], pairs)
    columns |= {
        "run": category([one.run for one in facts], pairs),
        "metric": category([one.name for one in metrics], metric_codes),
        "unit": category([one.unit for one in metrics], metric_codes),
        "value": values,
        "original_unit": category(units, unit_codes),
        "iterations": optional([one.iterations for one in rows]),
        "errors": optional([one.errors for one in rows]),
        "position": position,
        "source": category([one.source for one in files], file_runs),
        "line": line,
    }
    # Nothing is copied: columns that no row fills stay without memory.
    return pd.DataFrame(columns, copy=False), {one.name: one for one in reversed(used)}


def _runs(config: Codes, name: Codes, names: int) -> tuple[Runs, list[int]]:
    """Number the pairs of configuration and name that meet, by runs; return their codes, in order, too."""
    heads = np.flatnonzero(np.r_[len(name) > 0, (name[1:] != name[:-1]) | (config[1:] != config[:-1])])
    keys = config[heads].astype(np.int64) * max(1, names) + name[heads]
    codes, met, _ = numbered(keys)
    return Runs(codes, np.diff(heads, append=len(name))), met


def _measures(
    rows: Sequence[Rows],
) -> tuple[Codes, Codes, npt.NDArray[np.float64], list[Metric], list[str], list[Metric]]:
    """Return metric codes, unit codes, values in base units, the metrics, the units as written, the metrics as met."""
    unit_codes, units = code([one.unit for one in rows])
    given_codes, given = code([one.metric for one in rows])
    codes, pairs, seen = unit_codes, list(range(len(units))), list(range(len(units)))
    if len(given) > 1:
        codes, pairs, seen = numbered(given_codes.astype(np.int64) * len(units) + unit_codes)
    metrics: list[Metric] = []
    factors = []
    for one in pairs:
        name, unit = given[one // len(units)], units[one % len(units)]
        if name:
            name = canonical(name)
            base = unit_of(name, unit)
            metrics.append(Metric(name, base.base, better(name, base.base)))
            factors.append(base.factor)
        else:
            found, factor = metric(unit)
            metrics.append(found)
            factors.append(factor)
    # Multiplied and not divided by 1e9, as benchstat does: the last bits then agree.
    values = np.asarray(factors, dtype=np.float64)[codes]
    with np.errstate(over="ignore"):  # what is beyond a float becomes infinite, and is told as no measurement
        values *= joined([one.value.array for one in rows])
    return codes, unit_codes, values, metrics, units, [metrics[one] for one in seen]


def _told_better(metrics: dict[str, Metric], series: Sequence[Any]) -> dict[str, Metric]:
    """Let ``Unit`` lines say which way an unknown metric is better."""
    told: dict[str, Better] = {}
    for one in series:
        if one.kind == "unit":
            said = dict(one.data).get("better")
            if said in ("higher", "lower"):
                told[one.name] = cast(Better, said)
    return {name: replace(one, better=told[one.unit]) if one.unit in told else one for name, one in metrics.items()}


def _source_file(one: ReadFile, rows: int = 0, emptied: int = 0) -> SourceFile:
    """Return what became of a file of which so many rows were skipped, and so many lines with them."""
    counts: LineCounts = one.reading.lines
    # A record has no line of its own where a document stands on one.
    emptied = min(emptied, counts.data)
    return SourceFile(
        source=one.source,
        format=one.format,
        contains=one.reading.contains,
        sha256=one.sha256,
        rows=len(one.reading.rows) - rows,
        lines=replace(counts, data=counts.data - emptied, problem=counts.problem + emptied),
    )
