"""What the files of a comparison hold that is no result: lines that gave none, and benchmarks that failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from benchlib.answers.grouping import label
from benchlib.answers.pairing import shared_axes
from benchlib.document.words import count
from benchlib.errors import SelectionError, choices, printable
from benchlib.formats.names import split_name
from benchlib.results import Problem, Results, Series
from benchlib.study import ComparisonPlan, Study
from benchlib.study.open import problems_inside

#: Files with problems that are told one by one, and failed benchmarks.
_FILES, _NAMES = 4, 12
_KINDS = ("failed-benchmark", "failed-package")
#: A row of a comparison: the levels of its key.
_Cell = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A benchmark that failed on one side, in some rounds or in all; or a package, where nothing tells of which."""

    benchmark: str
    #: Empty where nothing tells which.
    side: str
    #: File and line that say so.
    where: str
    #: Whether it failed on a candidate, and on a baseline it did not, or not each time as on the candidate.
    lost: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsound:
    """What files hold that is no result."""

    problems: tuple[Problem, ...]
    failed: tuple[Failed, ...]

    @property
    def lost(self) -> tuple[Failed, ...]:
        """What a candidate lost that its baseline has."""
        return tuple(failure for failure in self.failed if failure.lost)


def unsound_of(study: Study, plans: Sequence[ComparisonPlan]) -> Unsound:
    """Gather what gave no result in a study, and which side of these comparisons it is missing on.

    What a condition leaves out is left out here too.
    """
    failures: dict[tuple[str, str], Failed] = {}
    for plan in plans:
        for failure in _failures(study.results, plan, narrowed=bool(study.where or plan.where)):
            before = failures.get((failure.benchmark, failure.side))
            if before is None or (failure.lost and not before.lost):
                failures[failure.benchmark, failure.side] = failure
    return Unsound(problems=problems_inside(study), failed=tuple(failures.values()))


def unsound_lines(unsound: Unsound) -> tuple[tuple[str, str], ...]:
    """Say it in a line for each file with problems, and one for the benchmarks that failed; each with its label."""
    by_file: dict[str, list[Problem]] = {}
    for problem in unsound.problems:
        by_file.setdefault(problem.source, []).append(problem)
    lines = [("problems", _of_file(source, problems)) for source, problems in list(by_file.items())[:_FILES]]
    if len(by_file) > _FILES:
        lines.append(("problems", f"{count(len(by_file) - _FILES, 'more file')} with such lines"))
    names = [
        f"{failure.benchmark}{f' on {failure.side}' if failure.side else ''} ({failure.where})"
        for failure in unsound.failed
    ]
    if names:
        lines.append(("failed", choices(names, _NAMES)))
    return tuple((word, printable(line, 2000)) for word, line in lines)


def _of_file(source: str, problems: Sequence[Problem]) -> str:
    lines = len({problem.line for problem in problems if problem.line})
    if not lines:
        return str(problems[0])
    example = f", e.g. {problems[0]}" if len(problems) > 1 else f": {problems[0]}"
    return f"{count(lines, 'line')} of {source} gave no result{example}"


def unsound_document(unsound: Unsound) -> dict[str, list[dict[str, Any]]]:
    """Return the same as data that JSON can hold."""
    return {
        "problems": [
            {"source": problem.source, "line": problem.line, "message": problem.message} for problem in unsound.problems
        ],
        "failed": [
            {"benchmark": failure.benchmark, "side": failure.side, "where": failure.where, "lost": failure.lost}
            for failure in unsound.failed
        ],
    }


def _failures(results: Results, plan: ComparisonPlan, *, narrowed: bool) -> Iterator[Failed]:
    """Yield what failed on each side of one comparison."""
    remarks = [series_ for series_ in results.series if series_.kind in _KINDS]
    if (results.failed.empty and not remarks) or plan.column not in results.frame:
        return
    try:
        selected = results.select(plan.where)
    except SelectionError:
        return  # the comparison is refused, and that is told
    sides = _Sides(selected, results, plan, remarks)
    yield from sides.of_rows()
    for remark in remarks:
        if remark.kind == "failed-package":
            yield from sides.of_package(remark)
        else:
            failed = list(sides.of_benchmark(remark))
            # A benchmark that gave no result on any side is in no selection, and in no comparison.
            unknown = Failed(
                benchmark=remark.name, side=sides.side_of(remark), where=f"{remark.source}:{remark.line}", lost=False
            )
            yield from failed or ([] if narrowed else [unknown])


class _Sides:
    """Which cells each side has sound, and which failed."""

    def __init__(self, selected: Results, results: Results, plan: ComparisonPlan, remarks: Sequence[Series]) -> None:
        self._plan = plan
        self._by = list(plan.by) or shared_axes(selected.frame, plan.column, plan.ignore)
        columns = [plan.column, *self._by, "name", "source", *(["pkg"] if "pkg" in selected.frame else [])]
        columns = list(dict.fromkeys(columns))
        self._sound = _distinct(selected.frame, columns)
        self._failed = _distinct(selected.failed, [*columns, "line"])
        self._everything = pd.concat([frame[[plan.column, "source"]] for frame in (results.frame, results.failed)])
        self._cells = {side: self._cells_of(rows) for side, rows in self._sound.groupby(plan.column, observed=True)}
        self._bad = {side: self._cells_of(rows) for side, rows in self._failed.groupby(plan.column, observed=True)}
        #: Sides on which a package failed, and those of them of which a benchmark is told.
        self._packages: dict[str, set[str]] = {}
        self._told: set[tuple[str, str]] = set()
        for remark in remarks:
            side = self.side_of(remark)
            if remark.kind == "failed-package":
                self._packages.setdefault(remark.name, set()).add(side)
            else:
                self._bad.setdefault(side, set()).update(self._cells_named(remark))
                self._told.add((_facts(remark).get("pkg", ""), side))

    def _cells_of(self, rows: pd.DataFrame) -> set[_Cell]:
        return set(map(tuple, rows[self._by].astype(str).itertuples(index=False)))

    def _lost(self, cell: _Cell, side: str) -> bool:
        """Whether a side that is compared with a baseline lost what the baseline has."""
        gone = bool(side) and cell not in self._cells.get(side, ())
        return self._compared(side) and any(
            cell in self._cells.get(baseline, ()) and (gone or cell not in self._bad.get(baseline, ()))
            for baseline in self._plan.baselines
        )

    def _compared(self, side: str) -> bool:
        """Whether a side is one that is held against a baseline; it may be where nothing tells which side it is."""
        candidates = self._plan.candidates
        return side not in self._plan.baselines and not (side and candidates and side not in candidates)

    def _named(self, cell: _Cell) -> str:
        return label({axis: level for axis, level in zip(self._by, cell, strict=True) if level != "nan"})

    def of_rows(self) -> Iterator[Failed]:
        """Yield the cells with failed operations behind them."""
        for row in self._failed.to_dict("records"):
            side, cell = str(row[self._plan.column]), tuple(str(row[axis]) for axis in self._by)
            where = f"{row['source']}:{row['line']}"
            yield Failed(benchmark=self._named(cell), side=side, where=where, lost=self._lost(cell, side))

    def of_benchmark(self, failure: Series) -> Iterator[Failed]:
        """Yield the cells, of any side, of a benchmark that was told to have failed."""
        side = self.side_of(failure)
        for cell in sorted(self._cells_named(failure)):
            lost = self._lost(cell, side) and (bool(side) or self._elsewhere(failure))
            yield Failed(benchmark=self._named(cell), side=side, where=f"{failure.source}:{failure.line}", lost=lost)

    def _cells_named(self, failure: Series) -> set[_Cell]:
        rows = _in_package(self._sound, _facts(failure).get("pkg", ""))
        return self._cells_of(rows[rows["name"].astype(str).map(_bare) == _bare(failure.name)])

    def of_package(self, failure: Series) -> Iterator[Failed]:
        """Yield the benchmarks of a package that another side has, and the side where it failed has not.

        Where the side has them all from other rounds, and nothing tells which of them failed, it is the package.
        """
        side = self.side_of(failure)
        if not side and not self._elsewhere(failure):
            return
        where = f"{failure.source}:{failure.line}"
        every = self._cells_of(_in_package(self._sound, failure.name))
        missing = every - self._cells.get(side, set())
        for cell in sorted(missing):
            yield Failed(benchmark=self._named(cell), side=side, where=where, lost=self._lost(cell, side))
        if every and not missing and (failure.name, side) not in self._told:
            sound = set(self._plan.baselines) - self._packages[failure.name]
            lost = self._compared(side) and bool(sound)
            name = f"package {failure.name}" if failure.name else "a package"
            yield Failed(benchmark=name, side=side, where=where, lost=lost)

    def side_of(self, event: Series) -> str:
        """Return the side that something happened on: as the file says there, else the one side of the file."""
        stated = _facts(event).get(self._plan.column)
        if stated is not None:
            return stated
        here = self._everything.loc[self._everything["source"] == event.source, self._plan.column].dropna().unique()
        return str(here[0]) if len(here) == 1 else ""

    def _elsewhere(self, event: Series) -> bool:
        """Whether it happened in a file that no baseline is in."""
        rows = self._everything[self._everything["source"] == event.source]
        return not rows[self._plan.column].astype(str).isin(self._plan.baselines).any()


def _distinct(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    distinct = frame[[column for column in columns if column in frame]].drop_duplicates(
        [column for column in columns if column in frame and column != "line"]
    )
    return distinct.assign(**{columns[0]: distinct[columns[0]].astype(str)})


def _in_package(rows: pd.DataFrame, package: str) -> pd.DataFrame:
    return rows[rows["pkg"].astype(str) == package] if package and "pkg" in rows else rows


def _facts(event: Series) -> Mapping[str, str]:
    """Return the configuration that was in force; other formats say nothing of it here."""
    return dict(event.data) if all(isinstance(fact, tuple) and len(fact) == 2 for fact in event.data) else {}


def _bare(name: str) -> str:
    """Return a name without the number of processors, which Go leaves out where a benchmark failed."""
    return "".join(split_name(name)[:2])
