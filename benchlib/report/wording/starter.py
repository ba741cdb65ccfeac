"""A first study.toml for results that have none, from what the files show."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchlib.study import Study

__all__ = ["starter"]

_PARALLEL = ("parallel", "rps")


def starter(study: Study) -> str:
    """Return the text of a study.toml that asks what these results could answer.

    Nothing in it is decided for the reader: every line is a choice to keep, change or delete.
    """
    return "\n".join(_lines(study)) + "\n"


def _lines(study: Study) -> Iterator[str]:
    frame = study.results.frame
    yield f"title = {_text(study.name)}"
    yield 'question = "What is to be decided?"'
    sources = [one.source for one in study.results.files]
    parallel = [str(one) for one in frame["benchmark"].unique() if any(word in str(one).lower() for word in _PARALLEL)]
    if parallel or len(sources) == 2:
        yield "\n[configuration]"
    if len(sources) == 2:
        yield f'paths = ["{{run}}.{sources[0].rpartition(".")[2]}"]  # the file name says which run it is'
    if parallel:
        yield f"parallel = {_text(parallel)}  # if their time is wall time over parallel operations"
    numeric = [one for one in study.results.varying_axes if all(isinstance(x, int) for x in study.results.levels(one))]
    if study.scaling.concurrency or numeric:
        yield "\n[scaling]"
        yield f"concurrency = {_text(study.scaling.concurrency or numeric[0])}"
    if len(sources) == 2:
        stems = [one.rpartition("/")[2].partition(".")[0] for one in sources]
        yield "\n[[compare]]"
        yield 'column = "run"'
        yield f"baseline = {_text(stems[0])}  # or {_text(stems[1])}"
    yield "\n[environment]"
    yield "cores = 0  # of the machine"


def _text(value: object) -> str:
    # JSON's strings and lists are TOML's too.
    return json.dumps(value, ensure_ascii=False)
