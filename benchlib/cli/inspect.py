"""``benchlib inspect``: what was recognised, and every problem with its place."""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchlib.cli.options import add_reader, add_where
from benchlib.errors import ParameterError, choices, printable

if TYPE_CHECKING:
    from benchlib.caveats import Caveat
    from benchlib.results import Results
    from benchlib.study import Study

_PARALLEL = re.compile(r"[Pp]arallel|PARALLEL|RPS|(?:^|[^A-Za-z])rps(?:$|[^a-z])")
#: Benchmarks of which failed rows are listed one by one.
_MOST_FAILED = 20


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = "Say what files hold: formats, rows, benchmarks, axes, metrics, runs, and every problem."
    command.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or a study")
    command.add_argument("--format", choices=("text", "json"), default="text")
    command.add_argument("--strict", action="store_true", help="any problem is an error (exit 2)")
    command.add_argument("--write", action="store_true", help="begin a study.toml in a folder that has none")
    command.add_argument("--values", action="store_true", help="the values that a sentence in study.toml can name")
    add_reader(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print what the paths hold."""
    from benchlib.answers.quality import unlike_repeats
    from benchlib.cli.sources import open_results
    from benchlib.study import open_study

    if given.write:
        print(_begun(given), end="")
        return 0
    if given.values:
        print("\n".join(_values(given)))
        return 0
    if len(given.paths) == 1:
        study = open_study(given.paths[0], where=given.where, strict=given.strict, format=given.reader)
        description = describe(
            study.results, parallel=study.parallel, grouped=grouped_axes(study), doubts=unlike_repeats(study)
        )
    else:
        description = describe(open_results(given.paths, where=given.where, strict=given.strict, reader=given.reader))
    # As ASCII: a name in a file could hold control characters of a terminal.
    print(json.dumps(description, indent=2) if given.format == "json" else "\n".join(lines(description)))
    return 0


def _one_study(given: argparse.Namespace, option: str) -> Study:
    from benchlib.study import open_study

    if len(given.paths) > 1:
        raise ParameterError(f"{option} takes one study, not {len(given.paths)} paths")
    return open_study(given.paths[0], where=given.where, strict=given.strict, format=given.reader)


def _begun(given: argparse.Namespace) -> str:
    """Return the study.toml that was written to the folder of the results."""
    from benchlib.files import write_text
    from benchlib.history.place import MARK
    from benchlib.study.draft import drafted

    study = _one_study(given, "--write")
    path = study.path / "study.toml"
    if not study.path.is_dir() or (study.path / MARK).exists():
        raise ParameterError("--write takes a folder: study.toml stands beside the results that it is of")
    if path.exists():
        raise ParameterError(f"{printable(str(given.paths[0]))} has a study.toml; edit it, or name another folder")
    text = drafted(study)
    write_text(path, text)
    return text


def _values(given: argparse.Namespace) -> Iterator[str]:
    """Give a line of each value that ``answer``, ``decision`` and ``answer_if`` can name, or all of them as JSON."""
    from benchlib.answers.executive import executive_summary
    from benchlib.document.numbers import write
    from benchlib.tell.executive import values

    named = values(executive_summary(_one_study(given, "--values")))
    if given.format == "json":
        yield json.dumps({name: {"value": value.value, "unit": value.unit} for name, value in named.items()}, indent=2)
        return
    width = max(map(len, named), default=0)
    yield from (f"{printable(name, 200):<{width}}  {write(value)}" for name, value in named.items())


def grouped_axes(study: Study) -> set[str]:
    """Return the columns that the plans of a study name."""
    plans = (
        study.scaling.by,
        study.effects.factors,
        study.effects.by,
        *(comparison.by for comparison in study.comparisons),
    )
    return {
        study.scaling.concurrency,
        *(comparison.column for comparison in study.comparisons),
        *(axis for by in plans for axis in by),
    }


def describe(
    results: Results, parallel: Sequence[str] = (), grouped: Collection[str] = (), doubts: Sequence[Caveat] = ()
) -> dict[str, Any]:
    """Return what a set of results holds, as plain data."""
    from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
    from benchlib.caveats import merge
    from benchlib.formats.table import timeouts
    from benchlib.study.file_names import files_alike, pool_files

    frame = results.frame
    return {
        "schema": SCHEMA_VERSION,
        "rows": len(frame),
        "failed_rows": len(results.failed),
        "failed": list(_failed(results)),
        "benchmarks": [str(benchmark) for benchmark in dict.fromkeys(frame["benchmark"])],
        "axes": {axis: list(results.levels(axis)) for axis in results.axes},
        "metrics": {
            name: {"unit": metric.unit, "better": metric.better} for name, metric in sorted(results.metrics.items())
        },
        "runs": [str(run_name) for run_name in dict.fromkeys(frame["run"])],
        "files": to_dict(results.files),
        "problems": to_dict(results.problems),
        # The last are told beside latencies: here, where nothing is concluded yet, they concern the files.
        "caveats": to_dict(merge(results.caveats, doubts, timeouts(results))),
        "parallel_candidates": list(_parallel_candidates(results, parallel)),
        "residue": list(_residue_axes(pool_files(results), grouped)),
        "files_alike": list(files_alike(results)),
    }


def _parallel_candidates(results: Results, listed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the benchmarks whose name says that their time is wall time over parallel operations.

    Only a study can know: for these 1/time would be throughput, for any other it would be nonsense.
    """
    timed = results.frame.loc[results.frame["metric"] == "time", "benchmark"].unique()
    return tuple(
        str(name)
        for name in timed
        if _PARALLEL.search(str(name)) and not any(fnmatch.fnmatchcase(str(name), glob) for glob in listed)
    )


def _residue_axes(results: Results, grouped: Collection[str] = ()) -> tuple[str, ...]:
    """Return the axes that vary within one benchmark of one run, and that nothing groups by."""
    frame, cell = results.frame, ["benchmark", "run"]
    residue = []
    for axis in results.varying_axes:
        pairs = frame[[*cell, axis]].drop_duplicates()
        if axis not in grouped and len(pairs) > len(pairs[cell].drop_duplicates()):
            residue.append(axis)
    return tuple(residue)


def _failed(results: Results) -> Iterator[dict[str, Any]]:
    """Give each benchmark of which rows were set apart, with their levels: often one level is what fails."""
    for benchmark, rows in results.failed.groupby("benchmark", observed=True, sort=False):
        apart = dataclasses.replace(results, frame=rows)
        axes = {axis: list(levels) for axis in results.axes if (levels := apart.levels(axis))}
        yield {"benchmark": str(benchmark), "rows": len(rows), "axes": axes}


def _failed_lines(description: dict[str, Any]) -> Iterator[str]:
    for failure in description["failed"][:_MOST_FAILED]:
        # A level that all rows share says nothing of why these failed.
        levels_of = {
            axis: levels
            for axis, levels in failure["axes"].items()
            if len(levels) > 1 or levels != description["axes"][axis]
        }
        shown = "".join(f"; {printable(axis, 60)} {choices(levels)}" for axis, levels in levels_of.items())
        rows = f"{failure['rows']:,} row{'s' if failure['rows'] > 1 else ''}"
        yield f"failed      {printable(failure['benchmark'])}: {rows}{shown}"
    rest = len(description["failed"]) - _MOST_FAILED
    if rest > 0:
        yield f"failed      and {rest:,} more benchmark{'s' if rest > 1 else ''}"


def lines(description: dict[str, Any]) -> Iterator[str]:
    """Write what `describe` found, a line at a time."""
    apart = (
        f", {description['failed_rows']:,} set apart because their calls failed" if description["failed_rows"] else ""
    )
    rows, files = description["rows"], len(description["files"])
    yield f"{rows:,} row{'s' if rows != 1 else ''} from {files:,} file{'s' if files != 1 else ''}{apart}"
    if description["benchmarks"] or not description["failed"]:
        yield f"benchmarks  {choices(description['benchmarks'], 20)}"
    if any(description["runs"]):
        yield f"runs        {choices(description['runs'], 20)}"
    for name, metric in description["metrics"].items():
        direction = f", {metric['better']} is better" if metric["better"] else ""
        yield f"metric      {printable(name)} in {printable(metric['unit']) or 'plain numbers'}{direction}"
    for axis, levels in description["axes"].items():
        # What only failed rows say stands with them.
        if levels:
            yield f"axis        {printable(axis)}: {choices(levels)}"
    yield from _failed_lines(description)
    for file in description["files"]:
        counts = file["lines"]
        holds = f" (also holds {choices(file['contains'], 100)})" if file["contains"] else ""
        yield (
            f"file        {printable(file['source'])}: {printable(file['format'])}{holds}, {file['rows']} rows; lines: "
            f"{counts['data']} data, {counts['context']} context, {counts['problem']} problem, {counts['noise']} noise"
        )
    if description["residue"]:
        axes = choices(description["residue"])
        yield f"residue     {axes}: mixed within a benchmark unless grouped by, or narrowed with --where"
    if description["files_alike"]:
        alike = description["files_alike"]
        yield (
            f"residue     {len(alike)} files hold the same configurations, and nothing tells them apart "
            f"({choices(alike, 3)}): taken for repeats, unless `paths` of study.toml says what differs"
        )
    if description["parallel_candidates"]:
        names = choices(description["parallel_candidates"])
        yield f"suggestion  parallel in [configuration] of study.toml, if their time is shared by workers: {names}"
    for caveat in description["caveats"]:
        yield f"{caveat['severity']:<11} {printable(caveat['message'], 400)}"
    for problem in description["problems"]:
        place = f"{problem['source']}:{problem['line']}" if problem["line"] else problem["source"]
        yield f"problem     {printable(place)}: {printable(problem['message'], 400)}"
