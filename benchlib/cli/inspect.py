"""``benchlib inspect``: what was recognised, and every problem with its place."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchlib.cli.options import add_reader, add_where
from benchlib.errors import choices, printable

if TYPE_CHECKING:
    from benchlib.results import Results
    from benchlib.study import Study

#: Benchmarks of which failed rows are listed one by one.
_MOST_FAILED = 20


def register(commands: Any) -> None:
    """Add the command to the parser."""
    command = commands.add_parser(
        "inspect",
        help="say what files hold: formats, rows, axes, metrics, problems",
        description="Say what files hold: formats, rows, benchmarks, axes, metrics, runs, and every problem.",
        allow_abbrev=False,
    )
    command.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or a study")
    command.add_argument("--format", choices=("text", "json"), default="text")
    command.add_argument("--strict", action="store_true", help="any problem is an error (exit 2)")
    add_reader(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print what the paths hold."""
    from benchlib.cli.sources import open_results
    from benchlib.study import open_study

    if len(given.paths) == 1:
        study = open_study(given.paths[0], where=given.where, strict=given.strict, format=given.reader)
        found = describe(study.results, parallel=study.parallel, grouped=grouped_axes(study))
    else:
        found = describe(open_results(given.paths, where=given.where, strict=given.strict, reader=given.reader))
    # As ASCII: a name in a file could hold control characters of a terminal.
    print(json.dumps(found, indent=2) if given.format == "json" else "\n".join(lines(found)))
    return 0


def grouped_axes(study: Study) -> set[str]:
    """Return the columns that the plans of a study name."""
    plans = (study.scaling.by, study.effects.factors, study.effects.by, *(one.by for one in study.comparisons))
    return {study.scaling.concurrency, *(one.column for one in study.comparisons), *(one for by in plans for one in by)}


def describe(results: Results, parallel: Sequence[str] = (), grouped: Collection[str] = ()) -> dict[str, Any]:
    """Return what a set of results holds, as plain data.

    Parameters
    ----------
    results : Results
    parallel : sequence of str
        Globs of benchmarks that the study lists as parallel.
    grouped : collection of str
        Axes that the study groups by.
    """
    from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
    from benchlib.caveats import merge
    from benchlib.formats.table import timeouts
    from benchlib.study.files_apart import AXIS, pool_files
    from benchlib.study.suggestions import files_alike, parallel_candidates, residue_axes

    frame, pooled = results.frame, pool_files(results)
    return {
        "schema": SCHEMA_VERSION,
        "rows": len(frame),
        "failed_rows": len(results.failed),
        "failed": list(_failed(results)),
        "benchmarks": [str(one) for one in dict.fromkeys(frame["benchmark"])],
        "axes": {axis: list(results.levels(axis)) for axis in results.axes},
        "metrics": {name: {"unit": one.unit, "better": one.better} for name, one in sorted(results.metrics.items())},
        "runs": [str(one) for one in dict.fromkeys(frame["run"])],
        "files": to_dict(results.files),
        "problems": to_dict(results.problems),
        # The last are told beside latencies: here, where nothing is concluded yet, they concern the files.
        "caveats": to_dict(merge(results.caveats, timeouts(results))),
        "parallel_candidates": list(parallel_candidates(results, parallel)),
        "residue": list(residue_axes(pooled, grouped)),
        "files_alike": [
            {
                "benchmark": benchmark,
                "sources": list(sources),
                "template": template,
                "apart": pooled is not results and bool(frame.loc[frame["source"].isin(sources), AXIS].nunique() > 1),
            }
            for benchmark, sources, template in files_alike(pooled)
        ],
    }


def _failed(results: Results) -> Iterator[dict[str, Any]]:
    """Give each benchmark of which rows were set apart, with their levels: often one level is what fails."""
    for benchmark, rows in results.failed.groupby("benchmark", observed=True, sort=False):
        apart = dataclasses.replace(results, frame=rows)
        axes = {axis: list(levels) for axis in results.axes if (levels := apart.levels(axis))}
        yield {"benchmark": str(benchmark), "rows": len(rows), "axes": axes}


def _failed_lines(found: dict[str, Any]) -> Iterator[str]:
    for one in found["failed"][:_MOST_FAILED]:
        # A level that all rows share says nothing of why these failed.
        told = {
            axis: levels for axis, levels in one["axes"].items() if len(levels) > 1 or levels != found["axes"][axis]
        }
        shown = "".join(f"; {printable(axis, 60)} {choices(levels)}" for axis, levels in told.items())
        yield f"failed      {printable(one['benchmark'])}: {one['rows']:,} row{'s' if one['rows'] > 1 else ''}{shown}"
    rest = len(found["failed"]) - _MOST_FAILED
    if rest > 0:
        yield f"failed      and {rest:,} more benchmark{'s' if rest > 1 else ''}"


def lines(found: dict[str, Any]) -> Iterator[str]:
    """Write what `describe` found, a line at a time."""
    apart = f", {found['failed_rows']:,} set apart because their calls failed" if found["failed_rows"] else ""
    rows, files = found["rows"], len(found["files"])
    yield f"{rows:,} row{'s' if rows != 1 else ''} from {files:,} file{'s' if files != 1 else ''}{apart}"
    if found["benchmarks"] or not found["failed"]:
        yield f"benchmarks  {choices(found['benchmarks'], 20)}"
    if any(found["runs"]):
        yield f"runs        {choices(found['runs'], 20)}"
    for name, one in found["metrics"].items():
        direction = f", {one['better']} is better" if one["better"] else ""
        yield f"metric      {name} in {one['unit'] or 'plain numbers'}{direction}"
    for axis, levels in found["axes"].items():
        # What only failed rows say stands with them.
        if levels:
            yield f"axis        {axis}: {choices(levels)}"
    yield from _failed_lines(found)
    for one in found["files"]:
        counts = one["lines"]
        holds = f" (also holds {', '.join(one['contains'])})" if one["contains"] else ""
        yield (
            f"file        {printable(one['source'])}: {one['format']}{holds}, {one['rows']} rows; lines: "
            f"{counts['data']} data, {counts['context']} context, {counts['problem']} problem, {counts['noise']} noise"
        )
    if found["residue"]:
        axes = choices(found["residue"])
        yield f"residue     {axes}: mixed within a benchmark unless grouped by, or narrowed with --where"
    for one in found["files_alike"]:
        held, names = printable(one["benchmark"], 60), choices(one["sources"], 3)
        taken = "kept apart as file" if one["apart"] else "taken for repeats"
        example = f', e.g. paths = ["{printable(one["template"], 200)}"]' if one["template"] else " by `paths`"
        yield (
            f"residue     {len(one['sources'])} files hold the same configurations, such as {held}, and only their "
            f"names tell them apart ({names}): {taken}, unless [configuration] of study.toml says what "
            f"differs{example}"
        )
    if found["parallel_candidates"]:
        names = choices(found["parallel_candidates"])
        yield f"suggestion  parallel in [configuration] of study.toml, if their time is shared by workers: {names}"
    for one in found["caveats"]:
        yield f"{one['severity']:<11} {printable(one['message'], 400)}"
    for one in found["problems"]:
        place = f"{one['source']}:{one['line']}" if one["line"] else one["source"]
        yield f"problem     {printable(place)}: {printable(one['message'], 400)}"
