"""Suites by package, and the remarks of a runner beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchlib.answers.opinions import Opinion, Reading
from benchlib.answers.suites import Suite, SuiteRow, SuitesAnswer
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, table
from benchlib.report.wording.told import evident, joined, told
from benchlib.report.wording.words import carried_change, count, figure, interval, listed, metric_name
from benchlib.units import show

__all__ = ["opinions_table", "suites_table"]

#: Benchmarks that a remark names; more are counted.
_MOST_NAMES = 2


def suites_table(answer: SuitesAnswer) -> Table:
    """Packages, how much each holds, and the rows that stand for it, with the rule that chose them."""
    rows = [row for suite in answer.suites for row in suite.rows]
    changed = any(row.change is not None for row in rows)
    sides = {row.side for row in rows if row.side}
    of = f" ({next(iter(sides))})" if len(sides) == 1 else ""
    return table(
        f"Suites by package. Shown are {answer.rule}",
        ("package", "holds", "row", *(("change", "verdict") if changed else ()), f"median{of}", "interval"),
        (
            (suite.package, f"{count(suite.benchmarks, 'benchmark')}, {count(suite.cells, 'cell')}", *cells)
            for suite in answer.suites
            for cells in _rows(suite, changed, several=len(sides) > 1)
        ),
        words=5 if changed else 3,
    )


def _rows(suite: Suite, changed: bool, several: bool) -> Iterator[tuple[str, ...]]:
    """Tell the rows of a package, then which of its benchmarks can stand in none, and why."""
    for row in suite.rows:
        yield _row(row, changed, several)
    for why, names in suite.apart.items():
        yield f"{why}: {listed(list(names))}", *(NONE,) * (4 if changed else 2)


def _row(row: SuiteRow, changed: bool, several: bool) -> tuple[str, ...]:
    of = f" in {row.side}" if several and row.side else ""
    return (
        f"{row.name}{of} ({row.left_out})" if row.left_out else f"{row.name}{of}",
        *(_changed(row) if changed else ()),
        evident(figure(row.median), row.evidence, row.median.value),
        evident(interval(row.median), row.evidence) if row.median.has_interval else NONE,
    )


def _changed(row: SuiteRow) -> tuple[str, str]:
    """Say how a row changed, and whether that may be believed."""
    if row.change is None or row.verdict is None:
        return NONE, NONE
    verdict = "control" if row.control else row.verdict.replace(" ", "\u00a0")
    return evident(carried_change(row.change, row.metric), row.evidence, row.change.value), verdict


def opinions_table(opinions: Sequence[Opinion]) -> Table:
    """What a runner said of its own results, in its own words, beside what the same reports measured."""
    return table(
        "What the runner says of its own results, and what was measured",
        ("it says", "how often", "of", "measured beside it"),
        ((f"[{one.word}] “{one.text}”", _often(one), _of(one), _beside(one)) for one in opinions),
        words=4,
    )


def _often(one: Opinion) -> str:
    return evident(f"{one.count:,} times" if one.count > 1 else "once", one.evidence)


def _of(one: Opinion) -> str:
    names = list(one.benchmarks[:_MOST_NAMES])
    left = len(one.benchmarks) - len(names)
    return listed([*names, *([f"{left} more"] if left else [])])


def _beside(one: Opinion) -> str:
    if one.failed:
        return "every call of these reports failed; their values are in no table"
    if not one.readings:
        return NONE
    return joined([_reading(reading) for reading in one.readings], "; ")


def _reading(one: Reading) -> str:
    low, high = show(one.low, one.unit), show(one.high, one.unit)
    span = low if low == high else f"{low} to {high}"
    return told(f"{metric_name(one.metric)} {span}, medians of {count(one.cells, 'cell')}", one.evidence)
