"""``benchlib record``: results kept in a history, with what is known of their run."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.cli.options import add_reader, add_where
from benchlib.errors import InputError, ParameterError, printable

if TYPE_CHECKING:
    from benchlib.history import Facts, History, Run
    from benchlib.results import Results

#: Runs that are told one by one.
_TOLD = 10


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = "Keep results in a history: a folder, or one of S3, that is made where there is none."
    command.epilog = (
        "What is not given is taken from the files, then from git and this machine, and is told. The same again is no "
        "second run. See docs/history.md."
    )
    command.add_argument("paths", nargs="+", metavar="PATH", help="a study, a folder, or files of one run")
    command.add_argument("--history", required=True, metavar="URI", help="a folder, or s3://BUCKET/FOLDER")
    command.add_argument("--commit", default="", metavar="SHA", help="what was measured")
    command.add_argument("--branch", default="", metavar="NAME", help="the branch that the commit is on")
    command.add_argument("--time", default="", metavar="TIME", help="when: 2026-11-26T12:00:00Z")
    command.add_argument("--machine", default="", metavar="NAME", help="where it was measured")
    command.add_argument("--run", default="", metavar="ID", dest="recording", help="what to call the run")
    command.add_argument("--tag", action="append", default=[], metavar="K=V", help="whatever else tells runs apart")
    command.add_argument("--replaces", default="", metavar="RUN", help="withdraw this run in favour of the new one")
    add_reader(command)
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Record the results, and say of each run what it is and where that was taken from."""
    from benchlib.history import Facts, History, runs_of

    results, versions = _opened(given)
    tags = dict(_tag(text) for text in given.tag)
    facts = Facts(
        recording=given.recording, commit=given.commit, branch=given.branch, machine=given.machine, time=given.time,
        tags=tags,
    )  # fmt: skip
    parts = list(runs_of(results, versions))
    single = [name for name in ("commit", "time", "recording") if getattr(facts, name)]
    if len(parts) > 1 and single:
        option = "run" if single[0] == "recording" else single[0]
        raise ParameterError(f"--{option}: these results are {len(parts)} runs; leave it out, or narrow with --where")
    history = History(given.history, make=True)
    known = _Known(given.paths)
    record_all(history, [(*known.of(facts, said), part) for said, part in parts], replaces=given.replaces)
    for problem in results.problems:
        print(f"problem: {problem}")
    return 0


def _opened(given: argparse.Namespace) -> tuple[Results, str]:
    """Return the results, and the column that names their commits."""
    from benchlib.cli.sources import open_results
    from benchlib.study import open_study

    if len(given.paths) > 1:
        return open_results(given.paths, where=given.where, strict=False, reader=given.reader), ""
    study = open_study(given.paths[0], where=given.where, format=given.reader)
    return study.results, study.versions


def _tag(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name.isidentifier() and equals and value):
        raise ParameterError(f"--tag '{printable(text, 60)}' is none; write NAME=VALUE, as in compiler=gcc-14")
    return name, value


class _Known:
    """What git, the files and this machine say of a run that nobody said."""

    def __init__(self, paths: Sequence[str]) -> None:
        from benchlib.history.order import checkout

        places = [Path(path) for path in paths if os.path.exists(path)]
        folder = places[0] if places else Path()
        self._folder = str(folder if folder.is_dir() else folder.parent)
        self._checkout = checkout(self._folder)
        self._newest = max((_newest(place) for place in places), default=0.0)

    def of(self, given: Facts, said: Facts) -> tuple[Facts, Mapping[str, str]]:
        """Return the facts of a run, and where each was taken from."""
        from benchlib.history.order import checkout

        origin = {name: "as given" for name in ("commit", "branch", "machine", "time") if getattr(given, name)}
        facts = given

        def learn(source: str, **more: str) -> None:
            nonlocal facts
            for name, value in more.items():
                if value and not getattr(facts, name):
                    changed: dict[str, Any] = {name: value}
                    facts = replace(facts, **changed)
                    origin[name] = source

        learn("from the files", commit=said.commit, branch=said.branch, machine=said.machine, time=said.time)
        head = self._checkout
        if head is not None and not facts.commit:
            learn("from git", commit=head.commit, branch=head.branch)
        if head is not None and not facts.time:
            made = checkout(self._folder, facts.commit)
            learn("of the commit", time=made.time if made else "")
        learn("of this machine", machine=platform.node())
        learn("of the newest file", time=datetime.fromtimestamp(self._newest, UTC).isoformat() if self._newest else "")
        return facts, origin


def _newest(place: Path) -> float:
    """Return when the newest file of a folder was written."""
    from benchlib.files import walk

    if not place.is_dir():
        return place.stat().st_mtime
    files = (Path(folder, name) for folder, _, names in walk(place) for name in names)
    return max((file.stat().st_mtime for file in files if file.is_file()), default=0.0)


def record_all(
    history: History, parts: Sequence[tuple[Facts, Mapping[str, str], Results]], *, replaces: str = ""
) -> None:
    """Record runs, and tell the first of them and the count of all."""
    fresh = 0
    for number, (facts, origin, results) in enumerate(parts):
        made, new = history.record(results, facts, replaces=replaces)
        fresh += new
        if number < _TOLD:
            print(_line(made, new, origin))
    if not parts:
        raise InputError("nothing to record: no row; name results that have some")
    if len(parts) > 1:
        rest = f" and {len(parts) - _TOLD:,} more" if len(parts) > _TOLD else ""
        print(f"{history.uri}:{rest} {fresh:,} of {len(parts):,} runs are new".replace(":  ", ": "))


def _line(made: Run, new: bool, origin: Mapping[str, str]) -> str:
    """Say what a run is."""
    values = {name: getattr(made.facts, name) for name in ("commit", "branch", "machine", "time")}
    values["commit"] = values["commit"][:10]
    told = [f"{name} {value or 'unknown'} {origin.get(name, '')}".rstrip() for name, value in values.items()]
    told += [f"{key} {value}" for key, value in made.facts.tags.items()]
    what = f"recorded (run {made.name}" if new else f"already recorded (run {made.name}"
    return printable(f"{what}): {made.rows:,} rows; {', '.join(told)}", 2000)
