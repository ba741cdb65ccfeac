"""A first study.toml for results that have none, from what the files show."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from benchlib.results import Results
from benchlib.study.file_names import AXIS
from benchlib.study.model import Study

__all__ = ["drafted"]

_PARALLEL = ("parallel", "rps")
#: What the levels that a runner names its files by are levels of; of others only their author knows.
_KNOWN = {"executor": frozenset({"serial", "unbounded", "pool"})}
#: Codes of what was read in the names of files, and of that those that say what numbers mean.
_OF_NUMBERS = ("names-read", "repeats-read", "repeats-differ")
_DECISIONS = (*_OF_NUMBERS, "files-apart")
#: What people call the recording that another is held against.
_BEFORE = frozenset({"old", "base", "baseline", "before", "previous", "main", "master", "control", "reference"})


def drafted(study: Study) -> str:
    """Return the text of a study.toml that asks what these results could answer.

    It can be put beside the results as it stands. Nothing in it is decided for the reader: every line is a
    choice to keep, change or delete.

    Examples
    --------
    >>> import benchlib
    >>> print(drafted(benchlib.open_study("data/lplex/old.txt")))
    title = "old.txt"
    question = "What is to be decided?"
    <BLANKLINE>
    [configuration]
    names = [
      { template = "/subscribers_{subscribers:int}", benchmarks = ["FanOut"] },
      { template = "/{bytes:int}_bytes", benchmarks = ["FragmentFastPacket"] },
    ]
    <BLANKLINE>
    # [environment]
    # cores = 8  # of the machine
    <BLANKLINE>
    """
    return "\n".join(_lines(study)) + "\n"


def _lines(study: Study) -> Iterator[str]:
    results = study.results
    yield f"title = {_text(study.name)}"
    yield 'question = "What is to be decided?"'
    names = [str(name) for name in results.frame["benchmark"].unique()]
    parallel = [name for name in names if any(word in name.lower() for word in _PARALLEL)]
    sides = _sides(study)
    paths = [sides.template] if sides else [_known(results, path) for path in study.configuration.paths]
    named = study.configuration.names
    if parallel or paths or named:
        yield "\n[configuration]"
    if paths:
        reasons = "the path says which run it is" if sides else _reasons(results)
        yield from (f"# {reason}" for reason in reasons.splitlines())
        yield f"paths = {_text(paths)}"
    if named:
        yield "names = ["
        for name in named:
            limited = f", benchmarks = {_text(name.benchmarks)}" if name.benchmarks else ""
            yield f"  {{ template = {_text(name.template)}{limited} }},"
        yield "]"
    if parallel:
        yield f"parallel = {_text(parallel)}  # if their time is wall time over parallel operations"
    if study.scaling.concurrency:
        yield "\n[scaling]"
        yield f"concurrency = {_text(study.scaling.concurrency)}"
    if sides:
        yield "\n[[compare]]"
        yield f"name = {_text(f'{sides.candidate} against {sides.baseline}')}"
        yield 'column = "run"'
        yield f"baseline = {_text(sides.baseline)}  # or {_text(sides.candidate)}"
    # Files seldom say how many cores there were, and a number made up here would be believed.
    yield "\n# [environment]"
    yield "# cores = 8  # of the machine"


class _Sides(NamedTuple):
    """Two files as the sides of a comparison, and how their paths name them."""

    template: str
    baseline: str
    candidate: str


def _sides(study: Study) -> _Sides | None:
    """Return two files whose paths differ in one word, where they measured a benchmark both."""
    results = study.results
    if len(results.files) != 2 or any(one.code in _OF_NUMBERS for one in results.caveats):
        return None
    first, second = (PurePosixPath(file.source) for file in results.files)
    pairs = zip(first.parts, second.parts, strict=False)
    differing = [place for place, parts in enumerate(pairs) if parts[0] != parts[1]]
    if len(first.parts) != len(second.parts) or len(differing) != 1 or not _measured_alike(results):
        return None
    (place,) = differing
    ending = "".join(first.suffixes) if place == len(first.parts) - 1 else ""
    names = [path.parts[place].removesuffix(ending) for path in (first, second)]
    template = "/".join([*first.parts[:place], f"{{run}}{ending}", *first.parts[place + 1 :]])
    if not second.parts[place].endswith(ending) or re.search(r"[{}]", template.replace("{run}", "", 1)):
        return None
    # Where no name, or each, says which was first, the first of the alphabet is as good as the other.
    baseline, candidate = sorted(names, key=lambda name: _BEFORE.isdisjoint(re.split(r"[^a-z]+", name.lower())))
    return _Sides(template, baseline, candidate)


def _known(results: Results, path: str) -> str:
    """Return a path template with the word for the levels of files, where they are known."""
    levels = set(results.levels(AXIS)) if AXIS in results.axes else set()
    axis = next((axis for axis, known in _KNOWN.items() if known <= levels), AXIS)
    return path.replace(f"{{{AXIS}}}", f"{{{axis}}}")


def _reasons(results: Results) -> str:
    """Return a line for each decision on what names of files say."""
    return "\n".join(" ".join(one.message.split()) for one in results.caveats if one.code in _DECISIONS)


def _measured_alike(results: Results) -> bool:
    """Whether both files have sound values of one benchmark and metric, each its own."""
    files = results.frame.groupby(["benchmark", "metric"], observed=True)["source"].nunique()
    return bool((files > 1).any())


def _text(value: object) -> str:
    # JSON's strings and lists are TOML's too.
    return json.dumps(value, ensure_ascii=False)
