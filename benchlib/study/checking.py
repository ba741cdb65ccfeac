"""A definition held against the results: does what it names exist?

Run on the whole study, before any narrowing, so that ``--where`` never turns a sound
``study.toml`` into a faulty one. A column must always exist. Levels, metrics and rows are asked
for only when every file could be read: a broken file is a problem of its own, told elsewhere,
and must not hide the rest behind an error about the rows it took with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from benchlib.errors import SelectionError, StudyError, choices, printable, suggestion
from benchlib.formats.declared import FormatSpec
from benchlib.results import NAMES, Results, condition
from benchlib.study.claims import ClaimPlan
from benchlib.study.definition import Definition
from benchlib.study.lines import KeyPath
from benchlib.study.plans import TargetPlan

__all__ = ["check_definition"]


def check_definition(definition: Definition, results: Results) -> tuple[tuple[TargetPlan, ...], tuple[ClaimPlan, ...]]:
    """Return targets and claims in the units of their metrics, if all that is named exists.

    Parameters
    ----------
    definition : Definition
    results : Results
        Everything in the study, not narrowed.

    Raises
    ------
    StudyError
        For a column, condition, level, metric or unit that the results do not have, with the
        line that names it.
    """
    check = _Check(definition, results)
    for path, column in _columns(definition):
        check.column(path, column)
    for path, where in _conditions(definition):
        check.condition(path, where)
    for number, spec in enumerate(definition.formats):
        check.format(("formats", number, "files"), spec)
    for number, claim in enumerate(definition.claims):
        check.claimed(number, claim)
    if check.files_missing:
        return check.targets(), check.claims()
    for path, metric in _metrics(definition):
        check.metric(path, metric)
    for number, whole in enumerate(definition.breakdowns):
        rows = results.select(whole.where)
        check.levels(("breakdown", number, "whole"), "benchmark", (whole.whole,), rows)
        check.levels(("breakdown", number, "parts"), "benchmark", whole.parts, rows)
    for number, plan in enumerate(definition.comparisons):
        rows = results.select(plan.where)
        for key, named in (("baseline", plan.baselines), ("candidates", plan.candidates)):
            check.levels(("compare", number, key), plan.column, named, rows)
    return check.targets(), check.claims()


def _columns(definition: Definition) -> Iterator[tuple[KeyPath, str]]:
    """Give every place where a column is named."""
    if definition.scaling.concurrency:
        yield ("scaling", "concurrency"), definition.scaling.concurrency
    listed: list[tuple[KeyPath, tuple[str, ...]]] = [
        (("scaling", "by"), definition.scaling.by),
        (("effects", "factors"), definition.effects.factors),
        (("effects", "by"), definition.effects.by),
    ]
    listed += [(("breakdown", number, "by"), whole.by) for number, whole in enumerate(definition.breakdowns)]
    for number, choice in enumerate(definition.choices):
        yield ("choice", number, "factor"), choice.factor
        listed.append((("choice", number, "by"), choice.by))
    for number, plan in enumerate(definition.comparisons):
        yield ("compare", number, "column"), plan.column
        listed.append((("compare", number, "by"), plan.by))
        listed.append((("compare", number, "ignore"), plan.ignore))
    for path, names in listed:
        for position, name in enumerate(names):
            yield (*path, position), name
    for axis in definition.descriptions.levels:
        yield ("describe", "levels", axis), axis


def _conditions(definition: Definition) -> Iterator[tuple[KeyPath, str]]:
    """Give every place where a condition is written."""
    for number, curve in enumerate(definition.scaling.curves):
        yield ("scaling", "curves", number, "where"), curve.where
    for number, exclusion in enumerate(definition.scaling.exclusions):
        yield ("scaling", "exclude", number, "where"), exclusion.where
    yield ("effects", "where"), definition.effects.where
    for number, whole in enumerate(definition.breakdowns):
        yield ("breakdown", number, "where"), whole.where
    for number, choice in enumerate(definition.choices):
        yield ("choice", number, "where"), choice.where
    for number, plan in enumerate(definition.comparisons):
        yield ("compare", number, "where"), plan.where
        for position, control in enumerate(plan.controls):
            for part in (control.where, control.speaks_for):
                yield ("compare", number, "controls", position), part
    for number, target in enumerate(definition.targets):
        yield ("targets", number, "where"), target.where
    for number, claim in enumerate(definition.claims):
        yield ("claims", number, "where"), claim.where
    yield ("latency", "where"), definition.latency.where
    yield ("latency", "mean"), definition.latency.mean


def _metrics(definition: Definition) -> Iterator[tuple[KeyPath, str]]:
    """Give every place where a metric is named."""
    for number, curve in enumerate(definition.scaling.curves):
        yield ("scaling", "curves", number, "metric"), curve.metric
    if definition.effects.factors:
        for position, name in enumerate(definition.effects.metrics):
            yield ("effects", "metrics", position), name
    for number, whole in enumerate(definition.breakdowns):
        for position, name in enumerate(whole.metrics):
            yield ("breakdown", number, "metrics", position), name
    for number, choice in enumerate(definition.choices):
        for position, name in enumerate(choice.metrics):
            yield ("choice", number, "metrics", position), name
    for number, plan in enumerate(definition.comparisons):
        for position, name in enumerate(plan.metrics):
            yield ("compare", number, "metrics", position), name
    for number, claim in enumerate(definition.claims):
        if claim.metric:
            yield ("claims", number, "metric"), claim.metric


@dataclass(frozen=True, slots=True)
class _Check:
    definition: Definition
    results: Results

    @property
    def files_missing(self) -> bool:
        """Whether a file could not be read at all, so that its rows are not here to be named."""
        read = {one.source for one in self.results.files}
        return any(one.line == 0 and one.source not in read for one in self.results.problems)

    def error(self, path: KeyPath, message: str) -> StudyError:
        return self.definition.document.error(path, message)

    def column(self, path: KeyPath, name: str) -> None:
        if name not in self.results.frame.columns:
            known = [*NAMES, *self.results.axes, "run", "metric", "unit", "source"]
            raise self.error(
                path,
                f"no result has the axis '{printable(name, 60)}'{suggestion(name, known)}; "
                f"there are {choices(known, 30)}",
            )

    def condition(self, path: KeyPath, where: str) -> None:
        for column, _, _ in condition(where):
            self.column(path, column)
        if self.files_missing:
            return
        try:
            self.results.select(where)
        except SelectionError as error:
            raise self.error(path, str(error)) from error

    def format(self, path: KeyPath, spec: FormatSpec) -> None:
        known = {one.source for one in self.results.files} | {one.source for one in self.results.problems}
        if not any(spec.claims(one) for one in known):
            raise self.error(
                path, f"no file is named {choices(spec.files)}; there are {choices(sorted(known), 5)}; correct the glob"
            )

    def metric(self, path: KeyPath, name: str) -> None:
        known = self.results.metrics
        if name not in known:
            raise self.error(
                path,
                f"no result has the metric '{printable(name, 60)}'{suggestion(name, known)}; "
                f"there are {choices(known, 30)}",
            )

    def levels(self, path: KeyPath, column: str, named: tuple[str, ...], rows: Results) -> None:
        values = [*rows.levels(column), *rows.failed[column].dropna().unique().tolist()]
        known = list(dict.fromkeys(_word(one) for one in values))
        for one in named:
            if one not in known:
                raise self.error(
                    path,
                    f"'{printable(one, 60)}' is not a level of {printable(column, 60)} in these rows"
                    f"{suggestion(one, known)}; there are {choices(known)}",
                )

    def claimed(self, number: int, plan: ClaimPlan) -> None:
        """Refuse a claim about a comparison or curve that the study does not name."""
        kind, named = (
            ("[[compare]]", tuple(one.name for one in self.definition.comparisons))
            if plan.about in ("ratio", "gain")
            else ("[[scaling.curves]]", tuple(one.name for one in self.definition.scaling.curves))
        )
        # Where a study lists no curves, they are found and named when it is analysed.
        if plan.of and plan.of not in named and (named or kind == "[[compare]]"):
            near = suggestion(plan.of, named)
            raise self.error(
                ("claims", number, "of"),
                f"no {kind} is named '{printable(plan.of, 60)}'{near}{'' if near else ';'} there are {choices(named)}",
            )

    def targets(self) -> tuple[TargetPlan, ...]:
        """Return the targets with the units of their metrics."""
        return tuple(
            replace(one, unit=self.unit(("targets", number), one.metric, one.unit, one.text))
            for number, one in enumerate(self.definition.targets)
        )

    def claims(self) -> tuple[ClaimPlan, ...]:
        """Return the claims with the units of their metrics."""
        return tuple(
            replace(one, unit=self.unit(("claims", number), one.metric, one.unit, one.bound))
            if one.about == "median"
            else one
            for number, one in enumerate(self.definition.claims)
        )

    def unit(self, path: KeyPath, metric: str, bounded: str, text: str) -> str:
        """Return the unit of a metric that is bounded, refused where the two do not agree."""
        if metric not in self.results.metrics and self.files_missing:
            return bounded
        self.metric((*path, "metric"), metric)
        unit = self.results.metrics[metric].unit
        # "8 ns" may bound a time per operation: people leave the "/op" away.
        if bounded not in (unit, unit.partition("/")[0]):
            raise self.error(
                path,
                f"the bound '{printable(text, 60)}' of [[{path[0]}]] is in '{printable(bounded)}', "
                f"but the metric '{printable(metric, 60)}' is in '{printable(unit)}'; "
                "write the bound in that unit",
            )
        return unit


def _word(level: object) -> str:
    """Return a level as it is written in ``study.toml``: 32 whether stored as 32 or 32.0."""
    return f"{level:g}" if isinstance(level, float) else str(level)
