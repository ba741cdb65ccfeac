"""A first study.toml for results that have none, from what the files show."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchlib.results import Results
from benchlib.study.model import Study

__all__ = ["drafted"]

_PARALLEL = ("parallel", "rps")
#: Codes of what was read in the names of files.
_DECISIONS = ("names-read", "repeats-read", "repeats-differ", "files-apart")


def drafted(study: Study) -> str:
    """Return the text of a study.toml that asks what these results could answer.

    It can be put beside the results as it stands. Nothing in it is decided for the reader: every line is a
    choice to keep, change or delete.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> print(drafted(open_study("data/lplex/old.txt")))
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
    paths, named = study.configuration.paths, study.configuration.names
    if parallel or paths or named or study.versions:
        yield "\n[configuration]"
    if paths:
        yield from (f"# {reason}" for reason in _reasons(results).splitlines())
        yield f"paths = {_text(paths)}"
    if named:
        yield "names = ["
        for name in named:
            limited = f", benchmarks = {_text(name.benchmarks)}" if name.benchmarks else ""
            yield f"  {{ template = {_text(name.template)}{limited} }},"
        yield "]"
    if parallel:
        yield f"parallel = {_text(parallel)}  # if their time is wall time over parallel operations"
    if study.versions:
        yield f"versions = {_text(study.versions)}"
    yield from _questions(study)
    # Files seldom say how many cores there were, and a number made up here would be believed.
    yield "\n# [environment]"
    yield "# cores = 8  # of the machine"


def _reasons(results: Results) -> str:
    """Return a line for each decision on what names of files say."""
    return "\n".join(" ".join(one.message.split()) for one in results.caveats if one.code in _DECISIONS)


def _questions(study: Study) -> Iterator[str]:
    """Yield the tables that ask what `benchlib.study.meant` takes to be asked, with the reasons."""
    yield from (f"\n# {reason}" for reason in study.meant)
    scaling = study.scaling
    if scaling.concurrency:
        yield "\n[scaling]"
        yield f"concurrency = {_text(scaling.concurrency)}"
        yield from [f"by = {_text(scaling.by)}"] if scaling.by else []
        yield from [f"weak = true\nwork = {_text(scaling.work)}"] if scaling.work else []
        for curve in scaling.curves:
            yield f"\n[[scaling.curves]]\nname = {_text(curve.name)}\nmetric = {_text(curve.metric)}"
    if study.effects.factors:
        yield f"\n[effects]\nfactors = {_text(study.effects.factors)}"
    for plan in study.comparisons:
        yield f"\n[[compare]]\nname = {_text(plan.name)}\ncolumn = {_text(plan.column)}"
        yield f"baseline = {_text(plan.baselines[0])}  # or {_text(plan.candidates[0])}"
        yield from [f"metrics = {_text(plan.metrics)}"] if plan.metrics else []


def _text(value: object) -> str:
    # JSON's strings and lists are TOML's too.
    return json.dumps(value, ensure_ascii=False)
