"""From all of a study to what a condition keeps, with what reading found of this alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchlib.caveats import merge
from benchlib.formats.names import split_name
from benchlib.formats.table import CODES, failures, remark
from benchlib.results import Problem, Results, Series, condition, matches, meeting
from benchlib.study.opened import Study

__all__ = ["narrow", "narrowed", "problems_inside"]

_FAILED = "failed-benchmark"

#: What is told of single rows, and so is told again of those that are left.
_OF_ROWS = ("failed-results", *CODES)


def narrowed(study: Study, where: str) -> Study:
    """Return a study of the rows that meet a condition, besides what it was narrowed to before; its whole stays.

    Raises
    ------
    SelectionError
        As `Results.select`.

    Examples
    --------
    >>> import benchlib
    >>> study = narrowed(benchlib.open_study("data/lplex"), "run=new")
    >>> study.where, len(study.results.sources()), len(study.whole.sources())
    ('run=new', 1, 2)
    """
    if not where.strip():
        return study
    return replace(study, where=f"{study.where} {where}".strip(), results=narrow(study.results, where))


def problems_inside(study: Study) -> tuple[Problem, ...]:
    """Return the problems of a study, without those of files of which a condition leaves out every row."""
    outside = _sources_outside(study.whole, study.results)
    return tuple(one for one in study.results.problems if one.source not in outside)


def _sources_outside(every: Results, kept: Results) -> frozenset[str]:
    """Return the files that hold rows, none of which is kept."""
    return every.sources() - kept.sources()


def narrow(results: Results, where: str) -> Results:
    """Return the rows that meet a condition, without what reading found of the others.

    Files and problems stay as they are; so does a file without a row, which nobody can say is outside.

    Raises
    ------
    SelectionError
        As `Results.select`.

    Examples
    --------
    >>> import benchlib
    >>> every = benchlib.open_study("data/http-endpoints").results
    >>> [one.code for one in every.caveats], [one.code for one in narrow(every, "endpoint=json").caveats]
    (['failed-results', 'failed-results', 'failed-results', 'closed-loop'], ['closed-loop'])
    """
    if not where.strip():
        return results
    kept = results.select(where)
    outside = _sources_outside(results, kept)
    series = tuple(one for one in results.series if one.kind == _FAILED or one.source not in outside)
    of_all = tuple(one for one in results.caveats if one.code not in _OF_ROWS)
    inside = tuple(one for one in series if one.kind != _FAILED or _may_speak(one, results, condition(where)))
    told = remark(failures(replace(kept, caveats=(), series=inside)))
    return replace(kept, series=series, caveats=merge(of_all, told.caveats))


def _may_speak(failed: Series, results: Results, terms: Sequence[tuple[str, bool, str]]) -> bool:
    """Tell whether a benchmark that failed may be of a condition.

    It may have no row to ask: its name is asked, and of all else the rows of its file, where it has any.
    """
    names = {"benchmark": split_name(failed.name)[0], "name": failed.name.removeprefix("Benchmark")}
    if any(matches(names[column], pattern) != positive for column, positive, pattern in terms if column in names):
        return False
    others = [one for one in terms if one[0] not in names]
    rows = [table[(table["source"] == failed.source).to_numpy()] for table in (results.frame, results.failed)]
    return all(one.empty for one in rows) or any(meeting(one, others).any() for one in rows)
