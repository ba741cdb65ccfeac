"""From what the readers read to one tidy table in base units.

Work is done once per distinct name, configuration and unit, never once per row: rows are codes into those.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import InputError, choices, printable
from benchlib.formats.names import BoundTemplate, Name, parse_name, split_case, split_name, without_prefix
from benchlib.formats.reader import Reading, Rows, Words
from benchlib.formats.text import _unpacked_name
from benchlib.metrics import Better, Metric, better, canonical, factor_of, metric, never_negative, unit_of
from benchlib.results import SCHEMA, LineCounts, Problem, Results, Series, SourceFile

#: A larger share of failed operations sets a value apart.
TOLERATED = 0.001


def build(
    files: Sequence[ReadFile], name_templates: Sequence[BoundTemplate] = (), tolerated: float = TOLERATED
) -> Results:
    """Return one table of all files: base units, axes as columns, and failed rows in a table of their own.

    A value of which no more than the share tolerated failed stays: `failures` says so.
    """
    problems = [Problem(file.source, line, text) for file in files for line, text in file.problems]
    problems += [Problem(file.source, line, text) for file in files for line, text in file.reading.problems]
    frame, metrics = _frame(files, name_templates, problems)
    series = tuple(chain.from_iterable(file.reading.series for file in files))
    metrics = _with_directions(metrics, series)
    frame, skipped = _measured(frame, problems)
    sound, failed = frame, frame[:0]
    has_failed = (frame["errors"] > 0).to_numpy()
    if tolerated and has_failed.any():
        # Of a number of operations that nobody told, any failure is too many.
        has_failed = has_failed & ~(frame["errors"] <= tolerated * frame["iterations"]).to_numpy()
    if has_failed.any():
        sound, failed = frame[~has_failed].reset_index(drop=True), frame[has_failed].reset_index(drop=True)
    return Results(
        frame=sound,
        failed=failed,
        problems=tuple(problems),
        files=tuple(_source_file(file, *skipped.get(file.source, (0, 0))) for file in files),
        metrics=metrics,
        series=series,
        caveats=(),
    )


def _measured(frame: pd.DataFrame, problems: list[Problem]) -> tuple[pd.DataFrame, Mapping[str, tuple[int, int]]]:
    """Return the rows that can be measurements, and how many rows and lines each file lost.

    No time, size, count or rate is negative; such a value is a cut number, or a clock that was set back.
    """
    values = frame["value"].to_numpy()
    doubtful = np.flatnonzero(~(values >= 0) | (values == np.inf))
    if not len(doubtful):
        return frame, {}
    keep_mask = np.ones(len(frame), dtype=bool)
    keep_mask[doubtful] = np.isfinite(values[doubtful])
    for key, places in frame.iloc[doubtful].groupby(["metric", "unit"], observed=True).indices.items():
        name, unit = cast(tuple[str, str], key)
        if never_negative(name, unit):
            keep_mask[doubtful[places]] = False
    lost, frame = frame[~keep_mask], frame[keep_mask].reset_index(drop=True)
    columns = ["source", "line", "metric", "unit", "value", "original_unit"]
    for source, line, name, unit, value, written in lost[columns].itertuples(index=False):
        if np.isfinite(value):
            shown = f"{value / factor_of(name, written):.6g} {printable(written, 40)}".rstrip()
            why = f"{shown}: no {never_negative(name, unit)} is negative; value skipped; correct it or measure again"
        else:
            why = f"{value}: no measurement; value skipped"
        problems.append(Problem(source, int(line), f"{name} is {why}"))
    skipped = {}
    for source, rows in lost.groupby("source", observed=True, sort=False):
        left = frame.loc[frame["source"] == source, "line"]
        skipped[str(source)] = (len(rows), len(set(rows["line"]).difference(left)))
    return frame, skipped


def failures(results: Results) -> Results:
    """Return the results with a caveat for each benchmark that failed, and one for all failures that are tolerated."""
    if tolerated := _tolerated(results.frame):
        results = replace(results, caveats=merge(results.caveats, [tolerated]))
    without: dict[str, list[str]] = {}
    for entry in results.series:
        if entry.kind == "failed-benchmark":
            without.setdefault(split_name(entry.name)[0], []).append(f"{entry.source}:{entry.line}")
    if results.failed.empty and not without:
        return results
    failed = results.failed.groupby("benchmark", observed=True, sort=False).size().to_dict()
    sound = results.frame["benchmark"].value_counts().to_dict()
    caveats: list[Caveat] = []
    for benchmark in [*failed, *(benchmark for benchmark in without if benchmark not in failed)]:
        count, rest = int(failed.get(benchmark, 0)), int(sound.get(benchmark, 0))
        parts = []
        if benchmark in without:
            parts.append(f"failed at {without[benchmark][0]}" + (" and gave no result" if not rest else ""))
        if count:
            parts.append(f"{count} of {count + rest} values rest on failed operations and are left out")
        caveats.append(caveat("failed-results", f"{benchmark}: {'; '.join(parts)}", of=f"“{benchmark}”"))
    return replace(results, caveats=merge(results.caveats, caveats))


def _tolerated(frame: pd.DataFrame) -> Caveat | None:
    """Say of how many operations the values rest that failed, and where the share is the largest."""
    some = (frame["errors"] > 0).to_numpy()
    if not some.any():
        return None
    # Every metric of one result repeats its counts.
    once = frame[some].drop_duplicates(["source", "position"])
    sums = once.groupby("benchmark", observed=True, sort=False)[["errors", "iterations"]].sum()
    worst, failed, made = max(sums.reset_index().to_numpy().tolist(), key=lambda row: row[1] / row[2])
    share = f"{100 * failed / made:.2g} %"
    said = f"{failed:,.0f} of {made:,.0f} operations ({share})" if failed >= 1 else f"{share} of operations"
    rest = f", and a smaller share of {len(sums) - 1} more," if len(sums) > 1 else ""
    return caveat("few-failures", f"{worst}: {said}{rest} failed; the values stand")


def _frame(
    files: Sequence[ReadFile], templates: Sequence[BoundTemplate], problems: list[Problem]
) -> tuple[pd.DataFrame, dict[str, Metric]]:
    readings = [file.reading for file in files]
    rows = [reading.rows for reading in readings]
    file_codes = np.repeat(np.arange(len(files), dtype=np.int32), [len(row) for row in rows])
    configurations = list(chain.from_iterable(reading.configurations for reading in readings))
    owners = [number for number, reading in enumerate(readings) for _ in reading.configurations]
    starts = np.cumsum([0, *(len(reading.configurations) for reading in readings)], dtype=np.int32)
    config_codes = joined([np.asarray(row.configuration) for row in rows])
    name_codes, names = _code([row.name for row in rows])
    parsed = {name: parse_name(name, templates) for name in names}
    if len(files) > 1:
        config_codes = _same_facts(files, parsed)[config_codes + starts[file_codes]]
    # One set of facts for each configuration and name that meet; a configuration knows its file.
    width = max(1, len(names))
    keys = config_codes.astype(np.int64) * width + name_codes
    # Rows of a benchmark stand together: numbering the first of each run is enough, and fast.
    heads = np.flatnonzero(_changes(keys)) if len(keys) else keys
    head_codes, met, _ = _numbered(keys[heads])
    pairs = np.repeat(head_codes.astype(np.intp), np.diff(heads, append=len(keys)))
    stated = [(owners[pair // width], configurations[pair // width], names[pair % width]) for pair in met]
    facts, axes = _gather(files, stated, parsed, templates, problems)
    line = joined([np.asarray(row.line) for row in rows]).astype(np.int32, copy=False)
    metric_codes, unit_codes, values, metrics, units, used = _measures(rows)
    position = _positions(file_codes, pairs, metric_codes, line)
    shown = [without_prefix(name) or fact.benchmark for (_, _, name), fact in zip(stated, facts, strict=True)]
    columns: dict[str, Any] = {
        "name": _category(shown, pairs),
        "benchmark": _category([fact.benchmark for fact in facts], pairs),
    }
    for axis in axes:
        columns[axis] = axis_column([fact.axes.get(axis) for fact in facts], pairs)
    columns |= {
        "run": _category([fact.run for fact in facts], pairs),
        "metric": _category([metric.name for metric in metrics], metric_codes),
        "unit": _category([metric.unit for metric in metrics], metric_codes),
        "value": values,
        "original_unit": _category(units, unit_codes),
        "iterations": _optional([row.iterations for row in rows]),
        "errors": _optional([row.errors for row in rows]),
        "position": position,
        "source": _category([file.source for file in files], file_codes),
        "line": line,
    }
    # Nothing is copied: columns that no row fills stay without memory.
    return pd.DataFrame(columns, copy=False), {metric.name: metric for metric in reversed(used)}


def _measures(
    rows: Sequence[Rows],
) -> tuple[_Codes, _Codes, npt.NDArray[np.float64], list[Metric], list[str], list[Metric]]:
    """Return metric codes, unit codes, values in base units, the metrics, the units as written, the metrics as met."""
    unit_codes, units = _code([row.unit for row in rows])
    given_codes, given = _code([row.metric for row in rows])
    codes, pairs, seen = unit_codes, list(range(len(units))), list(range(len(units)))
    if len(given) > 1:
        codes, pairs, seen = _numbered(given_codes.astype(np.int64) * len(units) + unit_codes)
    metrics: list[Metric] = []
    factors = []
    for pair in pairs:
        name, unit = given[pair // len(units)], units[pair % len(units)]
        if name:
            name = canonical(name)
            base = unit_of(name, unit)
            metrics.append(Metric(name, base.base, better(name, base.base)))
            factors.append(base.factor)
        else:
            unit_metric, factor = metric(unit)
            metrics.append(unit_metric)
            factors.append(factor)
    # Multiplied and not divided by 1e9, as benchstat does: the last bits then agree.
    values = np.asarray(factors, dtype=np.float64)[codes]
    with np.errstate(over="ignore"):  # what is beyond a float becomes infinite, and is then no measurement
        values *= joined([np.asarray(row.value) for row in rows])
    return codes, unit_codes, values, metrics, units, [metrics[number] for number in seen]


def _with_directions(metrics: dict[str, Metric], series: Sequence[Any]) -> dict[str, Metric]:
    """Let ``Unit`` lines say which way an unknown metric is better."""
    stated = [(entry.name, dict(entry.data).get("better")) for entry in series if entry.kind == "unit"]
    better = {unit: cast(Better, word) for unit, word in stated if word in ("higher", "lower")}
    return {
        name: replace(metric, better=better[metric.unit]) if metric.unit in better else metric
        for name, metric in metrics.items()
    }


def _source_file(read_file: ReadFile, rows: int = 0, emptied: int = 0) -> SourceFile:
    """Return what became of a file of which some rows were skipped, and lines that hold no other row."""
    counts: LineCounts = read_file.reading.lines
    # Several records may share a line: a whole document is often written on one.
    emptied = min(emptied, counts.data)
    return SourceFile(
        source=read_file.source,
        format=read_file.format,
        contains=read_file.reading.contains,
        sha256=read_file.sha256,
        rows=len(read_file.reading.rows) - rows,
        lines=replace(counts, data=counts.data - emptied, problem=counts.problem + emptied),
    )


# Columns of the table: codes into levels, numbers where all levels are numbers, positions.


_Codes = npt.NDArray[np.integer[Any]]
_T = TypeVar("_T", bound=Hashable)
_S = TypeVar("_S", bound=np.generic)

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})(\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def _numbered(keys: _Codes) -> tuple[_Codes, list[int], list[int]]:
    """Number the distinct keys in order; return the number of each row, the keys, and the order in which they came."""
    codes, seen = pd.factorize(keys)
    codes = codes.astype(np.int32)
    order = np.argsort(seen)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    if not (rank[1:] < rank[:-1]).any():
        return codes, seen.tolist(), rank.tolist()
    return rank[codes], seen[order].tolist(), rank.tolist()


def _positions(file: _Codes, pair: _Codes, metric: _Codes, line: _Codes) -> npt.NDArray[np.int32]:
    """Number the results of each file from 0; values of one result share a number.

    A result may stand on one line or on several, and a line may hold many (a document without line
    ends): within a block of rows of one name and configuration, the next result begins where a metric
    comes again.
    """
    if not len(file):
        return np.zeros(0, dtype=np.int32)
    new_file = _changes(file)
    new_block = new_file | _changes(pair)
    new_line = new_block | _changes(line)
    new_result = new_line
    # Nearly always one line is one result: each begins with the same metric, and none comes twice.
    twice = ~new_line
    twice[1:] &= metric[1:] <= metric[:-1]
    heads = np.flatnonzero(new_line)
    same = new_block[heads]
    same[1:] |= metric[heads[1:]] == metric[heads[:-1]]
    odd = np.zeros(int(file[-1]) + 1, dtype=bool)
    odd[file[twice]] = True
    odd[file[heads[~same]]] = True
    if odd.any():
        rows = odd[file]
        new_result = new_line.copy()
        new_result[rows] = _results_begin(new_block[rows], new_line[rows], metric[rows])
    count = np.cumsum(new_result, dtype=np.int32)
    starts = np.flatnonzero(new_file)
    count -= np.repeat(count[starts], np.diff(starts, append=len(file)))
    return count


def _changes(codes: _Codes) -> npt.NDArray[np.bool_]:
    return np.concatenate(([True], codes[1:] != codes[:-1]))


def _results_begin(
    new_block: npt.NDArray[np.bool_], new_line: npt.NDArray[np.bool_], metric: _Codes
) -> npt.NDArray[np.bool_]:
    """Return the rows that begin a result, where results take any number of lines."""
    block = np.cumsum(new_block)
    # A metric that comes again within a line begins another part of it, as another line would.
    line = np.cumsum(new_line)
    within = pd.Series(metric).groupby([line, metric], sort=False).cumcount()
    new_line = new_line | _changes(within.groupby(line, sort=False).cummax().to_numpy())
    again = pd.Series(metric).groupby([block, metric], sort=False).cumcount().to_numpy()
    # Such a part is never split over results, and results never run backwards.
    of_line = np.maximum.reduceat(again, np.flatnonzero(new_line))[np.cumsum(new_line) - 1]
    number = pd.Series(of_line).groupby(block, sort=False).cummax().to_numpy()
    begins: npt.NDArray[np.bool_] = new_block | (new_line & _changes(number))
    return begins


def joined(arrays: Sequence[npt.NDArray[_S]]) -> npt.NDArray[_S]:
    """Return arrays one after the other; a single one is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _code(columns: Sequence[Words]) -> tuple[_Codes, list[Any]]:
    """Return a code for each text, and the texts in the order of their codes."""
    known: dict[Any, int] = {}
    parts: list[_Codes] = []
    for column in columns:
        mine = [known.setdefault(level, len(known)) for level in column.levels]
        codes = np.asarray(column.codes)
        parts.append(codes if mine == list(range(len(mine))) else np.asarray(mine, dtype=np.int32)[codes])
    return joined(parts), list(known)


def numbers_of(frame: pd.DataFrame, columns: Iterable[str]) -> _Codes:
    """Number the rows by what some columns say, each combination in the order it comes."""
    numbers: _Codes = np.zeros(len(frame), dtype=np.int64)
    for name in columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy().astype(np.int64)
        else:
            codes = pd.factorize(column.to_numpy())[0].astype(np.int64)
        if len(codes) and (codes != codes[0]).any():
            numbers = pd.factorize(numbers * (codes.max() + 2) + codes + 1)[0].astype(np.int64)
    return numbers


def _optional(columns: Sequence[array[float]]) -> npt.NDArray[np.float64]:
    """Return numbers, with NaN where the file does not say; a column of NaN takes no memory."""
    numbers = joined([np.asarray(column) for column in columns])
    return np.broadcast_to(np.nan, len(numbers)) if np.isnan(numbers).all() else numbers


def _category(levels: Sequence[str | None], codes: _Codes) -> pd.Categorical:
    """Return a text column; ``levels`` may repeat, and None is no level."""
    known: dict[str, int] = {}
    compact = [-1 if level is None else known.setdefault(level, len(known)) for level in levels]
    small = np.asarray(compact, dtype=np.min_scalar_type(-max(1, len(known))))
    taken = codes.astype(small.dtype) if compact == list(range(len(compact))) else small.take(codes)
    categories = pd.CategoricalDtype(pd.Index(list(known), dtype=object))
    return pd.Categorical.from_codes(taken, dtype=categories, validate=False)


def axis_column(levels: Sequence[Any], codes: _Codes) -> Any:
    """Return an axis: whole numbers, numbers, or text; None where a row does not say."""
    numbers = [None if level is None else as_number(level) for level in levels]
    if all((level is None) == (number is None) for level, number in zip(levels, numbers, strict=True)):
        whole = all(isinstance(number, int) for number in numbers)
        level_numbers = np.asarray(numbers, dtype=np.int64 if whole else np.float64)
        if len(set(numbers)) == 1:
            # The same for every row: one number is all that is stored.
            return np.broadcast_to(level_numbers[0], len(codes))
        return level_numbers.take(codes)
    return _category([None if level is None else str(level) for level in levels], codes)


@lru_cache(maxsize=2**14, typed=True)
def as_number(value: Hashable) -> int | float | None:
    """Return the number a level is, or None; ``007`` and ``0x10`` are names, not numbers."""
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        # A column of whole numbers holds 64 bits; anything longer is a name.
        return value if -(2**63) <= value < 2**63 else None
    match = _NUMBER.fullmatch(str(value))
    if not match:
        return None
    number = float(str(value))
    if not np.isfinite(number):
        return None
    return int(str(value)) if re.fullmatch(r"[+-]?\d+", str(value), re.ASCII) else number


# What is known of rows that share a file, a configuration and a name: benchmark, run and axes.
#
# Name, content and path each say something. The content wins, and a conflict is a problem that names both.


#: Each axis is a column of every row: ten thousand of both would be a hundred million cells.
_MOST_AXES = 256
_RESERVED = frozenset(SCHEMA)
#: What go test prints of the package and the machine.
_PRINTED = ("goos", "goarch", "pkg", "cpu")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """One file after its reader: what it held and what its path says."""

    source: str
    format: str
    sha256: str
    reading: Reading
    #: For each path template that matched: the template and its axes.
    path_facts: list[tuple[str, dict[str, str]]]
    #: The run of rows for which neither content nor path names one.
    run: str
    #: Met before the reader saw the file.
    problems: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class _Facts:
    """What is known of every row that shares a name, a configuration and a file."""

    benchmark: str
    run: str
    axes: dict[str, Any]


def _gather(
    files: Sequence[ReadFile],
    met: Sequence[tuple[int, Mapping[str, Any], str]],
    parsed: Mapping[str, Name],
    templates: Sequence[BoundTemplate],
    problems: list[Problem],
) -> tuple[list[_Facts], list[str]]:
    """Return the facts of each file, configuration and name that meet, and all axes in the order they come."""
    #: Of each file and axis, the first conflict.
    conflicts: dict[tuple[int, str], Problem] = {}
    facts: list[_Facts] = []
    axes: dict[str, None] = {}
    suffixed = _suffixed(parsed)
    doubles = [_doubles(file, suffixed) for file in files]
    at_one = _at_one(files, met, suffixed)
    for owner, configuration, name in met:
        row_facts = _facts(files[owner], owner, configuration, name, parsed[name], templates, conflicts)
        # go test -cpu=1,2 writes no suffix for 1: the same name with a suffix shows that it would.
        if name in doubles[owner] or owner in at_one:
            row_facts.axes.setdefault("gomaxprocs", "1")
        facts.append(row_facts)
        axes |= dict.fromkeys(row_facts.axes)
        if len(axes) > _MOST_AXES:
            raise InputError(
                f"{files[owner].source}: more than {_MOST_AXES} axes, among them {choices(list(axes)[-3:])}; "
                "name parts such as key=value, configuration lines and columns are axes: take out what is none"
            )
    problems += conflicts.values()
    return facts, list(axes)


def _same_facts(files: Sequence[ReadFile], parsed: Mapping[str, Name]) -> npt.NDArray[np.int32]:
    """Return, for each configuration of all files, the first that gives every name the same facts.

    Ten thousand files of one recording then cost the facts of one. A file whose path, or any problem,
    speaks of it alone is left out of this.
    """
    awkward = {name for name, parsed_name in parsed.items() if not name or not _RESERVED.isdisjoint(parsed_name.axes)}
    suffixed = _suffixed(parsed)
    known: dict[Hashable, int] = {}
    firsts: list[int] = []
    for file in files:
        alone = bool(file.path_facts) or not awkward.isdisjoint(file.reading.rows.name.levels)
        shared = (file.run, _bare(file, suffixed), _doubles(file, suffixed))
        for configuration in file.reading.configurations:
            key: Hashable = len(firsts)
            if not alone and _RESERVED.isdisjoint(configuration):
                key = (*shared, tuple((axis, type(level), level) for axis, level in configuration.items()))
            firsts.append(known.setdefault(key, len(firsts)))
    return np.asarray(firsts, dtype=np.int32)


def _suffixed(names: Iterable[str]) -> frozenset[str]:
    """Return the names that end in Go's ``-N``."""
    return frozenset(name for name in names if name[-1:].isdigit() and split_name(name)[2])


def _doubles(file: ReadFile, suffixed: frozenset[str]) -> frozenset[str]:
    """Return the names of a Go file that occur both with a ``-N`` suffix and without."""
    names = file.reading.rows.name.levels
    if not _is_go(file) or suffixed.issuperset(names):
        return frozenset()
    stems = {name.rpartition("-")[0] for name in names if name in suffixed}
    return frozenset(name for name in names if name not in suffixed and name in stems)


def _bare(file: ReadFile, suffixed: frozenset[str]) -> frozenset[str]:
    """Return the names of a file of Go in which none has a ``-N`` suffix."""
    names = frozenset(file.reading.rows.name.levels)
    return names if _is_go(file) and names.isdisjoint(suffixed) else frozenset()


def _at_one(
    files: Sequence[ReadFile], met: Sequence[tuple[int, Mapping[str, Any], str]], suffixed: frozenset[str]
) -> frozenset[int]:
    """Return the files that a sweep with one file a level has written at 1.

    Go writes no ``-N`` there. None of their names has one, and each stands with one in another file of the same
    package and machine: where some do not, the file may be of another sweep than of this axis.
    """
    named = [(owner, (*_place(configuration), name)) for owner, configuration, name in met if _is_go(files[owner])]
    swept = {(*place, name.rpartition("-")[0]) for _, (*place, name) in named if name in suffixed}
    bare = {owner for owner, _ in named} - {owner for owner, (*_, name) in named if name in suffixed}
    return frozenset(bare - {owner for owner, key in named if key not in swept})


def _is_go(file: ReadFile) -> bool:
    formats = file.reading.contains if file.format == "notes" else (file.format,)
    return "go-bench" in formats or "go-test-json" in formats


def _place(configuration: Mapping[str, Any]) -> tuple[Hashable, ...]:
    """Return the package and machine of a result, by what go test prints above it."""
    return tuple(configuration.get(key) for key in _PRINTED)


def _facts(
    file: ReadFile,
    owner: int,
    configuration: Mapping[str, Any],
    name: str,
    parsed: Name,
    templates: Sequence[BoundTemplate],
    conflicts: dict[tuple[int, str], Problem],
) -> _Facts:
    """Join what name, content and path say; the content wins, and each conflict is one problem a file."""
    stated = dict(configuration)
    if name:
        stated.setdefault("benchmark", parsed.benchmark)
        # A table with a column for the benchmark also has columns for what Go writes into the name.
        own = parsed.axes if "benchmark" not in configuration else _by_template(name, templates)
        stated = {**own, **stated}
        if templates and isinstance(case := configuration.get("case"), str):
            named, rest = split_case(str(stated["benchmark"]), case, templates)
            stated = {**stated, **named, **({"case": rest} if rest else {})}
            if not rest:
                del stated["case"]
    origin = dict.fromkeys(stated, "the content") if file.path_facts else {}
    for template, path_axes in file.path_facts:
        shown = f"template '{printable(template, 60)}'"
        for key, value in path_axes.items():
            known = stated.setdefault(key, value)
            whence = origin.setdefault(key, shown)
            if not _same(known, value):
                first = f"{key} is '{printable(str(known), 60)}' by {whence}"
                message = f"{first} and '{printable(value, 60)}' by {shown}; the first is used"
                conflicts.setdefault((owner, key), Problem(file.source, 0, message))
    benchmark = str(stated.pop("benchmark", "")) or PurePosixPath(_unpacked_name(file.source)).stem
    run = str(stated.pop("run", "")) or file.run
    for key in [key for key in stated if key in SCHEMA]:
        message = f"axis '{key}' has the name of a column of measurements; it is called '{key}_axis'"
        conflicts.setdefault((owner, key), Problem(file.source, 0, message))
    axes = {f"{key}_axis" if key in SCHEMA else key: value for key, value in stated.items()}
    return _Facts(without_prefix(benchmark) or "Benchmark", run, axes)


def _by_template(name: str, templates: Sequence[BoundTemplate]) -> dict[str, str]:
    if not templates:
        return {}
    with_templates, without = parse_name(name, templates).axes, parse_name(name).axes
    return {key: value for key, value in with_templates.items() if key not in without}


def _same(known: object, value: str) -> bool:
    text = without_prefix(str(known))
    other = without_prefix(value)
    left, right = as_number(text), as_number(other)
    return text == other or (left is not None and left == right)


# What readers remark of a whole file: caveats that every conclusion carries, or those about latency.


#: Kind of series -> code of the caveat.
CODES = {"rounded": "rounded-values", "closed-loop": "closed-loop", "no-unit": "no-unit"}


def remark(results: Results) -> Results:
    """Return the results with one caveat for each kind of remark, naming the files."""
    if not any(entry.kind in CODES for entry in results.series):
        return results
    caveats = []
    used = {*results.frame["source"].unique(), *results.failed["source"].unique()}
    for kind, code in CODES.items():
        remarks = [entry for entry in results.series if entry.kind == kind]
        # A table that gave way to its log rounds nothing that is shown.
        sources = list(dict.fromkeys(entry.source for entry in remarks if entry.source in used))
        if sources:
            caveats.append(caveat(code, f"{_named(sources)}: {_what(kind, remarks)}"))
    return replace(results, caveats=merge(results.caveats, caveats)) if caveats else results


def timeouts(results: Results) -> tuple[Caveat, ...]:
    """Return a caveat for each run of which requests timed out, for the latencies that it concerns."""
    return tuple(
        caveat(
            "latency-excludes-timeouts",
            f"{entry.name} ({entry.source}): {entry.data[0]} requests timed out and are in no percentile",
        )
        for entry in results.series
        if entry.kind == "timeouts" and entry.data
    )


def _what(kind: str, remarks: Sequence[Series]) -> str:
    parts = (part for entry in remarks for part in entry.data if isinstance(part, str))
    words = list(dict.fromkeys(printable(part, 200) for part in parts))
    if kind == "closed-loop":
        tools = " and ".join(words[:3]) or "the generator"
        return f"{tools} waits for each answer before it sends the next request"
    if kind == "no-unit":
        return f"no unit is written for {choices(words, 3)}"
    return words[0] if words else "values were rounded before they were written"


def _named(sources: Sequence[str]) -> str:
    shown = ", ".join(printable(source, 60) for source in sources[:2])
    rest = len(sources) - 2
    return shown if rest <= 0 else f"{shown} and {rest} more file{'s' if rest > 1 else ''}"
