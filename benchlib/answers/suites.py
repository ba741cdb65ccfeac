"""What a suite holds, package by package, and a few rows of each, chosen by a rule that is told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence
from benchlib.answers.grouping import cell_rows, place_label
from benchlib.answers.refusal import Refusal
from benchlib.answers.samples import SampleRow, SampleTable
from benchlib.answers.sweeps import cells_kept_out
from benchlib.statistics.comparison import Verdict, distance
from benchlib.statistics.estimates import Estimate
from benchlib.study import Study

__all__ = ["Suite", "SuiteRow", "SuitesAnswer", "group_suites"]

#: Benchmarks shown of each package.
SHOWN = 3
#: A folder that names nothing by itself.
_VERSION = re.compile(r"v\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRow:
    """One row that stands for its package.

    Attributes
    ----------
    name : str
    left_out : str
        Why the study keeps its rows out of scaling; empty where it does not.
    metric : str
    median : Estimate
    side : str
        The recording that the median is of, where recordings are compared: the candidate; else empty.
    change : Estimate or None
        Candidate over baseline, where recordings are compared.
    verdict : {"better", "worse", "same", "cannot tell"} or None
        Of that comparison.
    control : bool
        Whether the change cannot affect it.
    evidence : Evidence
    """

    name: str
    left_out: str
    metric: str
    median: Estimate
    side: str
    change: Estimate | None
    verdict: Verdict | None
    control: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The benchmarks of one package.

    Attributes
    ----------
    package : str
        As short as the packages of this study allow.
    benchmarks, cells : int
    rows : tuple of SuiteRow
    apart : mapping of str to tuple of str
        Why benchmarks can stand in no row, and these benchmarks: ``only in new``.
    """

    package: str
    benchmarks: int
    cells: int
    rows: tuple[SuiteRow, ...]
    apart: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitesAnswer:
    """All packages of a study.

    Attributes
    ----------
    suites : tuple of Suite
    rule : str
        How the rows were chosen, as the end of a sentence.
    """

    suites: tuple[Suite, ...]
    rule: str


def group_suites(
    study: Study, samples: SampleTable | Refusal, comparisons: Sequence[ComparisonAnswer | Refusal]
) -> SuitesAnswer | Refusal:
    """Group the cells of a study by package.

    Parameters
    ----------
    study : Study
    samples : SampleTable or Refusal
    comparisons : sequence of ComparisonAnswer or Refusal
        Where one compares recordings, the rows shown are those that it says changed most.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/lplex")
    >>> found = group_suites(study, benchlib.summarise_samples(study), benchlib.compare_study(study))
    >>> [(suite.package, suite.benchmarks) for suite in found.suites]
    [('lplex', 15), ('lplex/filter', 2), ('lplex/journal', 2), ('lplex/pgn', 4)]
    """
    if isinstance(samples, Refusal):
        return Refusal(question="suites", reason=samples.reason, advice=samples.advice)
    known = _packages(study)
    packages = list(dict.fromkeys(one for row in samples.rows if (one := _package(row.key, known))))
    if len(packages) < 2:
        return Refusal(
            question="suites",
            reason="the results do not name two packages",
            advice="run the benchmarks of several packages at once",
        )
    compared = next((one for one in comparisons if not isinstance(one, Refusal) and one.column == "run"), None)
    left_out = cells_kept_out(study, samples.by) if compared is None else {}
    names = _short(packages)
    suites = []
    for package in packages:
        own = [row for row in samples.rows if _package(row.key, known) == package]
        moved = [row for row in compared.rows if _package(row.key, known) == package] if compared is not None else []
        suites.append(
            Suite(
                package=names[package],
                benchmarks=len({row.key["benchmark"] for row in own}),
                cells=len({_name(row.key) for row in own}),
                rows=_most_changed(moved) if compared is not None else _slowest(own, left_out),
                apart=_uncompared(own, moved) if compared is not None else _untimed(own),
            )
        )
    return SuitesAnswer(suites=tuple(suites), rule=_rule(compared is not None, suites))


def _rule(compared: bool, suites: Sequence[Suite]) -> str:
    chosen = "that moved furthest from no change" if compared else "with the longest time per operation"
    last = any(row.left_out for suite in suites for row in suite.rows)
    told = "; what the study keeps out of scaling comes last, with the reason" if last else ""
    return f"of each package the {SHOWN} benchmarks {chosen}, each by the cell that shows it{told}"


def _packages(study: Study) -> Mapping[str, str]:
    """Return the package of each benchmark that stands in one package only."""
    frame = study.results.frame
    if "pkg" not in frame:
        return {}
    found: dict[str, set[str]] = {}
    for key, _ in cell_rows(frame, ["benchmark", "pkg"]):
        if "benchmark" in key and "pkg" in key:
            found.setdefault(str(key["benchmark"]), set()).add(str(key["pkg"]))
    return {benchmark: packages.pop() for benchmark, packages in found.items() if len(packages) == 1}


def _package(key: Mapping[str, object], known: Mapping[str, str]) -> str:
    return str(key.get("pkg") or known.get(str(key.get("benchmark")), ""))


def _name(key: Mapping[str, object]) -> str:
    return place_label({axis: level for axis, level in key.items() if axis != "run"})


def _short(packages: Sequence[str]) -> dict[str, str]:
    """Name packages by what follows their common folders, the last of these kept and what a version is of."""
    parts = [one.split("/") for one in packages]
    shared = 0
    while all(len(one) > shared and one[shared] == parts[0][shared] for one in parts):
        shared += 1
    first = max(shared - 1, 0)
    while first > 0 and _VERSION.fullmatch(parts[0][first]):
        first -= 1
    return {whole: "/".join(one[first:]) for whole, one in zip(packages, parts, strict=True)}


def _slowest(rows: Sequence[SampleRow], left_out: Mapping[frozenset[tuple[str, Any]], str]) -> tuple[SuiteRow, ...]:
    found = [(left_out.get(frozenset(row.key.items()), ""), row) for row in rows if row.metric == "time"]
    found.sort(key=lambda one: (bool(one[0]), -one[1].sample.median.value))
    first: dict[object, tuple[str, SampleRow]] = {}
    for why, row in found:
        first.setdefault(row.key["benchmark"], (why, row))
    return tuple(
        SuiteRow(
            name=_name(row.key),
            left_out=why,
            metric=row.metric,
            median=row.sample.median,
            side="",
            change=None,
            verdict=None,
            control=False,
            evidence=row.evidence,
        )
        for why, row in list(first.values())[:SHOWN]
    )


def _untimed(rows: Sequence[SampleRow]) -> dict[str, tuple[str, ...]]:
    timed = {row.key["benchmark"] for row in rows if row.metric == "time"}
    names = dict.fromkeys(str(row.key["benchmark"]) for row in rows if row.key["benchmark"] not in timed)
    return {"no time per operation": tuple(names)} if names else {}


def _most_changed(rows: Sequence[ComparisonRow]) -> tuple[SuiteRow, ...]:
    own = sorted((row for row in rows if row.metric == rows[0].metric), key=_moved)
    # The last of a benchmark is the one that moved furthest.
    furthest = {row.key.get("benchmark"): row for row in own}
    return tuple(
        SuiteRow(
            name=_name(row.key) or row.candidate,
            left_out="",
            metric=row.metric,
            median=row.comparison.candidate.median,
            side=row.candidate,
            change=row.comparison.ratio,
            verdict=row.verdict,
            control=row.control,
            evidence=row.evidence,
        )
        for row in sorted(furthest.values(), key=_moved, reverse=True)[:SHOWN]
    )


def _moved(row: ComparisonRow) -> float:
    return distance(row.comparison.ratio.value)


def _uncompared(rows: Sequence[SampleRow], compared: Sequence[ComparisonRow]) -> dict[str, tuple[str, ...]]:
    """Return the benchmarks without a row of the comparison; a key without a benchmark is of the only one."""
    told = {row.key.get("benchmark") for row in compared}
    runs: dict[str, set[str]] = {}
    for row in rows:
        if None not in told and row.key["benchmark"] not in told:
            runs.setdefault(str(row.key["benchmark"]), set()).add(str(row.key.get("run", "")))
    found: dict[str, tuple[str, ...]] = {}
    for name, own in runs.items():
        why = f"only in {next(iter(own))}" if len(own) == 1 and "" not in own else "not compared"
        found[why] = (*found.get(why, ()), name)
    return found
