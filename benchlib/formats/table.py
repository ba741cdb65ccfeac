"""From what the readers found to one tidy table in base units.

Work is done once per distinct name, configuration and unit, never once per row; rows are only ever
codes into those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import printable
from benchlib.formats.columns import Codes, as_number, axis_column, category, code, optional, positions
from benchlib.formats.naming import BoundTemplate, parse_name, split_name
from benchlib.formats.reading import Reading
from benchlib.results import SCHEMA, LineCounts, Problem, Results, SourceFile
from benchlib.units import Better, Metric, better, metric, parse_unit

__all__ = ["ReadFile", "build", "failures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """One file after its reader: what it held and what its path says.

    Attributes
    ----------
    source, format, sha256 : str
    reading : Reading
    path_facts : list of (str, mapping)
        For each path template that matched: the template and its axes.
    run : str
        The run of rows for which neither content nor path names one.
    problems : tuple of (int, str)
        Found before the reader saw the file.
    """

    source: str
    format: str
    sha256: str
    reading: Reading
    path_facts: list[tuple[str, dict[str, str]]]
    run: str
    problems: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class _Facts:
    """What is known of every row that shares a name, a configuration and a file."""

    benchmark: str
    run: str
    axes: dict[str, Any]


def build(files: Sequence[ReadFile], name_templates: Sequence[BoundTemplate] = ()) -> Results:
    """Return one table of all files: units converted, axes as columns, failed rows apart."""
    problems = [Problem(one.source, line, text) for one in files for line, text in one.problems]
    problems += [Problem(one.source, line, text) for one in files for line, text in one.reading.problems]
    frame, metrics = _frame(files, name_templates, problems)
    series = tuple(chain.from_iterable(one.reading.series for one in files))
    metrics = _told_better(metrics, series)
    finite = np.isfinite(frame["value"].to_numpy())
    if not finite.all():
        lost = frame.loc[~finite, ["source", "line", "metric", "value"]]
        for source, line, name, value in lost.itertuples(index=False):
            problems.append(Problem(source, int(line), f"{name} is {value}: no measurement; value skipped"))
        frame = frame[finite]
    bad = (frame["errors"] > 0).to_numpy()
    results = Results(
        frame=frame[~bad].reset_index(drop=True),
        failed=frame[bad].reset_index(drop=True),
        problems=tuple(problems),
        files=tuple(_source_file(one) for one in files),
        metrics=metrics,
        series=series,
        caveats=(),
    )
    return results


def failures(results: Results) -> Results:
    """Return the results with one caveat for each benchmark that failed, in full or in part."""
    failed = results.failed.groupby("benchmark", observed=True, sort=False).size().to_dict()
    sound = results.frame["benchmark"].value_counts().to_dict()
    without: dict[str, list[str]] = {}
    for one in results.series:
        if one.kind == "failed-benchmark":
            without.setdefault(split_name(one.name)[0], []).append(f"{one.source}:{one.line}")
    found: list[Caveat] = []
    for benchmark in [*failed, *(one for one in without if one not in failed)]:
        count, rest = int(failed.get(benchmark, 0)), int(sound.get(benchmark, 0))
        parts = []
        if benchmark in without:
            parts.append(f"failed at {without[benchmark][0]}" + (" and gave no result" if not rest else ""))
        if count:
            parts.append(f"{count} of {count + rest} values rest on failed operations and are left out")
        found.append(caveat("failed-results", f"{benchmark}: {'; '.join(parts)}"))
    return replace(results, caveats=merge(results.caveats, found))


def _frame(
    files: Sequence[ReadFile], templates: Sequence[BoundTemplate], problems: list[Problem]
) -> tuple[pd.DataFrame, dict[str, Metric]]:
    readings = [one.reading for one in files]
    file_codes: Codes = np.repeat(np.arange(len(files)), [len(one.rows) for one in readings])
    starts = np.cumsum([0, *(len(one.configurations) for one in readings)])[:-1]
    configurations = list(chain.from_iterable(one.configurations for one in readings))
    owners = [number for number, one in enumerate(readings) for _ in one.configurations]
    shifted = [np.asarray(r.rows.configuration, dtype=np.int64) + s for r, s in zip(readings, starts, strict=True)]
    config_codes: Codes = np.concatenate(shifted)
    name_codes, names = code([one.rows.name for one in readings])
    # One set of facts for each configuration and name that meet; a configuration knows its file.
    pairs, pair_codes = np.unique(config_codes * max(1, len(names)) + name_codes, return_inverse=True)
    met = [(int(one) // max(1, len(names)), names[int(one) % max(1, len(names))]) for one in pairs]
    suffixed = {(owners[config], one.rpartition("-")[0]) for config, one in met if split_name(one)[2]}
    told: set[tuple[int, str]] = set()
    facts = []
    for config, name in met:
        owner = owners[config]
        one = _facts(files[owner], owner, configurations[config], name, templates, problems, told)
        # go test -cpu=1,2 writes no suffix for 1: the same name with a suffix shows that it would.
        if (owner, name) in suffixed and files[owner].format == "go-bench":
            one.axes.setdefault("gomaxprocs", "1")
        facts.append(one)

    line = np.asarray(list(chain.from_iterable(one.rows.line for one in readings)), dtype=np.int32)
    metric_codes, unit_codes, values, metrics, units = _measures(readings)
    shown = [name.removeprefix("Benchmark") or facts_.benchmark for (_, name), facts_ in zip(met, facts, strict=True)]
    columns: dict[str, Any] = {
        "name": category(shown, pair_codes),
        "benchmark": category([one.benchmark for one in facts], pair_codes),
    }
    for axis in dict.fromkeys(chain.from_iterable(one.axes for one in facts)):
        columns[axis] = axis_column([one.axes.get(axis) for one in facts], pair_codes)
    columns |= {
        "run": category([one.run for one in facts], pair_codes),
        "metric": category([one.name for one in metrics], metric_codes),
        "unit": category([one.unit for one in metrics], metric_codes),
        "value": values,
        "original_unit": category(units, unit_codes),
        "iterations": optional([one.rows.iterations for one in readings]),
        "errors": optional([one.rows.errors for one in readings]),
        "position": positions(file_codes, pair_codes, metric_codes, line),
        "source": category([one.source for one in files], file_codes),
        "line": line,
    }
    used = [metrics[one] for one in dict.fromkeys(metric_codes.tolist())]
    return pd.DataFrame(columns), {one.name: one for one in reversed(used)}


def _facts(
    file: ReadFile,
    owner: int,
    configuration: Mapping[str, Any],
    name: str,
    templates: Sequence[BoundTemplate],
    problems: list[Problem],
    told: set[tuple[int, str]],
) -> _Facts:
    """Join what name, content and path say; the content wins, and a conflict is told once a file."""
    parsed = parse_name(name, templates)
    axes: dict[str, Any] = {}
    stated = dict(configuration)
    if name:
        stated.setdefault("benchmark", parsed.benchmark)
        # A table that names its benchmark has columns of its own for what Go puts into the name.
        own = parsed.axes if "benchmark" not in configuration else _by_template(name, templates)
        stated = {**own, **stated}
    origin = dict.fromkeys(stated, "the content")
    for template, found in file.path_facts:
        for key, value in found.items():
            known = stated.setdefault(key, value)
            whence = origin.setdefault(key, f"template '{printable(template, 60)}'")
            if not _same(known, value) and (owner, key) not in told:
                told.add((owner, key))
                problems.append(
                    Problem(
                        file.source,
                        0,
                        f"{key} is '{printable(str(known), 60)}' by {whence} and '{printable(value, 60)}' by "
                        f"template '{printable(template, 60)}'; the first is used",
                    )
                )
    benchmark = str(stated.pop("benchmark", "")) or PurePosixPath(file.source.removesuffix(".gz")).stem
    run = str(stated.pop("run", "")) or file.run
    for key, value in stated.items():
        if key in SCHEMA:
            if (owner, key) not in told:
                told.add((owner, key))
                message = f"axis '{key}' has the name of a column of measurements; it is called '{key}_axis'"
                problems.append(Problem(file.source, 0, message))
            key = f"{key}_axis"
        axes[key] = value
    return _Facts(benchmark.removeprefix("Benchmark") or "Benchmark", run, axes)


def _by_template(name: str, templates: Sequence[BoundTemplate]) -> dict[str, str]:
    if not templates:
        return {}
    with_templates, without = parse_name(name, templates).axes, parse_name(name).axes
    return {key: value for key, value in with_templates.items() if key not in without}


def _same(known: object, value: str) -> bool:
    text = str(known).removeprefix("Benchmark")
    other = value.removeprefix("Benchmark")
    left, right = as_number(text), as_number(other)
    return text == other or (left is not None and left == right)


def _measures(
    readings: Sequence[Reading],
) -> tuple[Codes, Codes, npt.NDArray[np.float64], list[Metric], list[str]]:
    """Return metric codes, unit codes, values in base units, the metrics, and the units as written."""
    unit_codes, units = code([one.rows.unit for one in readings])
    given_codes, given = code([[m or "" for m in one.rows.metric] for one in readings])
    pairs, pair_codes = np.unique(given_codes * max(1, len(units)) + unit_codes, return_inverse=True)
    metrics: list[Metric] = []
    factors = []
    for one in pairs:
        name, unit = given[int(one) // len(units)], units[int(one) % len(units)]
        if name:
            base = parse_unit(unit)
            metrics.append(Metric(name, base.base, better(name)))
            factors.append(base.factor)
        else:
            found, factor = metric(unit)
            metrics.append(found)
            factors.append(factor)
    values = np.fromiter(chain.from_iterable(one.rows.value for one in readings), dtype=np.float64)
    # Multiplied and not divided by 1e9, as benchstat does: the last bits then agree.
    scaled = values * np.asarray(factors, dtype=np.float64)[pair_codes] if len(values) else values
    return pair_codes.astype(np.int64), unit_codes, scaled, metrics, units


def _told_better(metrics: dict[str, Metric], series: Sequence[Any]) -> dict[str, Metric]:
    """Let ``Unit`` lines say which way an unknown metric is better."""
    told: dict[str, Better] = {}
    for one in series:
        if one.kind == "unit":
            said = dict(one.data).get("better")
            if said in ("higher", "lower"):
                told[one.name] = cast(Better, said)
    return {name: replace(one, better=told[one.unit]) if one.unit in told else one for name, one in metrics.items()}


def _source_file(one: ReadFile) -> SourceFile:
    lines: LineCounts = one.reading.lines
    return SourceFile(
        source=one.source,
        format=one.format,
        contains=one.reading.contains,
        sha256=one.sha256,
        rows=len(one.reading.rows),
        lines=lines,
    )
