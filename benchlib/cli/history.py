"""``benchlib history``: look into a history, take in what was recorded elsewhere, and keep it sound."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.errors import InputError, ParameterError, printable

if TYPE_CHECKING:
    from benchlib.history import History

_WHATS = {
    "list": "the runs, in the order of their time",
    "show": "what is known of the runs named",
    "export": "write the tidy table: -o FILE.csv|.parquet",
    "import": "take in files of many runs: asv, data.js, tables with a column commit or time",
    "pack": "gather runs into few files, which are read faster",
    "retract": "withdraw the runs named, with --why",
    "check": "read every row again; exit 2 where a file is not as it was written",
}
_DAMAGED = 2


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    from benchlib.cli.options import add_reader, add_where

    command.description = "Look into a history of runs, and look after it."
    command.epilog = "; ".join(f"{name}: {words}" for name, words in _WHATS.items()) + ". See docs/history.md."
    command.add_argument("what", choices=tuple(_WHATS), help="what is done")
    command.add_argument("uri", metavar="URI", help="a folder, or s3://BUCKET/FOLDER")
    command.add_argument("names", nargs="*", metavar="RUN|PATH", help="runs to show or retract, paths to import")
    command.add_argument("--why", default="", metavar="TEXT", help="why a run is withdrawn")
    command.add_argument("--format", default="text", choices=("text", "json"), help="of list and show")
    command.add_argument("-o", "--output", type=Path, metavar="FILE.csv|.parquet", help="where to export to")
    add_reader(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Do what is asked of a history."""
    from benchlib.history import History, open_history

    _refuse_strays(given)
    history = History(given.uri, make=True) if given.what == "import" else open_history(given.uri)
    if given.what == "check":
        return _check(history)
    if given.what == "import":
        _import(history, given)
    elif given.what == "export":
        _export(history, given)
    elif given.what == "pack":
        packed, removed = history.pack()
        print(f"{history.uri}: {packed:,} runs packed, {removed:,} files removed that were packed a day ago")
    elif given.what == "retract":
        for name in given.names:
            print(f"withdrawn: run {history.retract(name, given.why).name}")
    else:
        _list(history, given)
    return 0


def _refuse_strays(given: argparse.Namespace) -> None:
    """Refuse what the task asked for has no use for, and what it lacks."""
    if given.what in ("show", "import", "retract") and not given.names:
        wanted = "paths" if given.what == "import" else "runs"
        raise ParameterError(f"history {given.what}: names nothing; name {wanted}")
    if given.what in ("list", "export", "pack", "check") and given.names:
        raise ParameterError(f"history {given.what}: takes no '{printable(given.names[0], 60)}'; leave it out")
    if given.what == "export" and given.output is None:
        raise ParameterError("history export: no file named; add -o FILE.csv or FILE.parquet")
    for option, value, tasks in (
        ("--why", given.why, ("retract",)),
        ("-o", given.output, ("export",)),
        ("--where", given.where, ("export", "import")),
    ):
        if value and given.what not in tasks:
            raise ParameterError(f"history {given.what}: has no {option}; leave it out")


def _list(history: History, given: argparse.Namespace) -> None:
    """Print a line a run, or everything that is known of some."""
    runs = [history.find(name) for name in given.names] if given.what == "show" else history.runs()
    if given.format == "json":
        withdrawn = history.withdrawn() if given.what == "list" else ()
        everything = {"runs": [asdict(run) for run in runs], **({"withdrawn": withdrawn} if withdrawn else {})}
        print(json.dumps(everything, indent=2))
        return
    for run in runs:
        facts = run.facts
        if given.what == "show":
            known = {
                "run": run.name, "sha256": run.sha256, "time": facts.time, "commit": facts.commit,
                "branch": facts.branch, "machine": facts.machine, **facts.tags,
                "rows": f"{run.rows:,}", "failed": f"{run.failed:,}",
            }  # fmt: skip
            lines = [f"{printable(name, 200):8} {printable(value, 200) or 'unknown'}" for name, value in known.items()]
            print("\n".join(lines) + "\n")
        else:
            cells = (run.name, facts.time or "no time", facts.commit[:10], facts.branch, facts.machine)
            print(printable("  ".join((*(cell or "-" for cell in cells), f"{run.rows:,} rows")), 400))
    if given.what == "list":
        for told in history.withdrawn():
            print(printable(f"withdrawn  {told['run'][:12]}  {told['at']}  {told['why']}", 400))


def _import(history: History, given: argparse.Namespace) -> None:
    """Record every run of some files, without what this machine would say of it."""
    from benchlib.cli.record import record_all
    from benchlib.history import runs_of
    from benchlib.study import open_study

    for path in given.names:
        study = open_study(path, where=given.where, format=given.reader)
        nothing: dict[str, str] = {}
        parts = [(facts, nothing, part) for facts, part in runs_of(study.results, study.versions)]
        record_all(history, parts)
        for problem in study.results.problems:
            print(f"problem: {problem}")


def _export(history: History, given: argparse.Namespace) -> None:
    from benchlib.formats.tables import write_table

    inside = history.place.local and given.output.resolve().is_relative_to(history.place.local.resolve())
    if inside:
        raise InputError(f"{printable(str(given.output))}: lies in the history; choose another place with -o")
    results = history.results(given.where)
    rows = write_table(results, given.output, with_failed=True)
    print(f"{printable(str(given.output), 400)}: {rows:,} rows")


def _check(history: History) -> int:
    """Say which files are damaged."""
    faults = 0
    for fault in history.check():
        faults += 1
        print(printable(str(fault), 400))
    runs = len(history.runs())
    print(f"{history.uri}: {runs:,} runs, {faults:,} {'fault' if faults == 1 else 'faults'}")
    return _DAMAGED if faults else 0
