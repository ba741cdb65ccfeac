"""What ``benchlib compare`` tells a reader, once for terminal, comment and page: verdict, tables, remarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchlib.answers.comparison.answer import ComparisonAnswer
from benchlib.answers.comparison.plain import PlainRow, plain_rows
from benchlib.answers.comparison.ruling import RECORDINGS
from benchlib.answers.refusal import Refusal
from benchlib.answers.targets import TargetAnswer
from benchlib.cli.blocks import Block, Grid
from benchlib.cli.comparison.matrices import matrices
from benchlib.cli.comparison.tables import RowTable, control_table, naming_axes, row_tables
from benchlib.errors import choices
from benchlib.report.wording.comparison.verdict import detection_lines, verdict_lines
from benchlib.report.wording.comparison.words import control_words
from benchlib.report.wording.tables import target_bounds
from benchlib.report.wording.words import count, with_interval
from benchlib.statistics.compare import SAME_WITHIN
from benchlib.units import confidence

__all__ = ["Told", "ToldComparison", "side_lines", "target_grid", "target_lines", "tell", "told_comparison"]

#: So many cells that only one side has are named; the rest is counted.
_MISSING = 12
#: Words on how one row bears on another are looked for in comparisons of at most so many rows.
_MOST_INTERACTING = 200
_ORDERS = {
    "interleaved": "the sides were recorded in turn",
    "sequential": "one side was recorded after the other",
    "unknown": "nothing tells in which order the sides were recorded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldComparison:
    """One comparison in words.

    Attributes
    ----------
    answer : ComparisonAnswer
    rows : tuple of PlainRow
    axes : tuple of str
        What names a row.
    verdict : tuple of str
        At most three lines.
    overview : tuple of Block
        Changes side by side, where more than two runs are compared.
    tables : tuple of RowTable
    both : RowTable or None
        Both readings of the rows that controls speak for.
    controls : tuple of Block
        What the machine alone did.
    remarks : Block
        What undecided rows would take, what is missing, where it comes from, caveats.
    """

    answer: ComparisonAnswer
    rows: tuple[PlainRow, ...]
    axes: tuple[str, ...]
    verdict: tuple[str, ...]
    overview: tuple[Block, ...]
    tables: tuple[RowTable, ...]
    both: RowTable | None
    controls: tuple[Block, ...]
    remarks: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """All comparisons of a command, those refused, the targets, and what the files hold that is no result.

    Attributes
    ----------
    comparisons : tuple of ToldComparison
    unsound : tuple of (str, str)
        Lines that belong to the verdict, each with its label.
    refused : tuple of Block
    targets : tuple of TargetAnswer
    """

    comparisons: tuple[ToldComparison, ...]
    unsound: tuple[tuple[str, str], ...]
    refused: tuple[Block, ...]
    targets: tuple[TargetAnswer, ...]


def tell(
    answers: Sequence[ComparisonAnswer | Refusal],
    targets: Sequence[TargetAnswer],
    unsound: Sequence[tuple[str, str]] = (),
) -> Told:
    """Put everything a command found into words; what the files hold that is no result comes as it is told."""
    refusals = [
        (one.question or "refused", f"{one.reason}; {one.advice}") for one in answers if isinstance(one, Refusal)
    ]
    return Told(
        comparisons=tuple(told_comparison(one) for one in answers if isinstance(one, ComparisonAnswer)),
        unsound=tuple(unsound),
        refused=(Block(title="Not compared", grids=(), lines=tuple(refusals)),) if refusals else (),
        targets=tuple(targets),
    )


def told_comparison(answer: ComparisonAnswer) -> ToldComparison:
    """Put one comparison into words."""
    rows = plain_rows(answer.rows)
    axes = naming_axes(rows)
    return ToldComparison(
        answer=answer,
        rows=rows,
        axes=axes,
        verdict=verdict_lines(answer, rows),
        overview=tuple(_overview(answer, rows)),
        tables=row_tables(answer, rows, axes),
        both=control_table(rows, axes),
        controls=_controls(answer),
        remarks=Block(title="What to know of it", grids=(), lines=tuple(_remarks(answer, rows))),
    )


def _overview(answer: ComparisonAnswer, rows: Sequence[PlainRow]) -> Iterator[Block]:
    lines = tuple(("note", one) for one in _interactions(answer, rows))
    grids = matrices(answer, rows)
    for place, (title, grid) in enumerate(grids):
        yield Block(title=title, grids=(grid,), lines=lines if place == len(grids) - 1 else ())
    if lines and not grids:
        yield Block(title="Side by side", grids=(), lines=lines)


def _interactions(answer: ComparisonAnswer, rows: Sequence[PlainRow]) -> list[str]:
    if len(rows) > _MOST_INTERACTING:
        return []
    # It knows the words of every answer, which takes its time to import.
    from benchlib.report.wording.comparison.interactions import interactions

    return interactions(answer)


def _controls(answer: ComparisonAnswer) -> tuple[Block, ...]:
    if not answer.controls:
        return ()
    lines = tuple(("control", control_words(one)) for one in answer.controls)
    return (Block(title="Controls: what the machine alone did", grids=(), lines=lines),)


def _remarks(answer: ComparisonAnswer, rows: Sequence[PlainRow]) -> Iterator[tuple[str, str]]:
    yield from (("undecided", one) for one in detection_lines(rows, answer.confidence_level))
    widened = sorted({row.ratio_level for row in rows if row.ratio_level > answer.confidence_level})
    if widened:
        levels = " to ".join(dict.fromkeys((confidence(widened[0]), confidence(widened[-1]))))
        usual = confidence(answer.confidence_level)
        yield (
            "intervals",
            f"of rows picked out by their p values are at {levels}, so that over all of them the {usual} hold; of the "
            f"others at {usual}",
        )
    if answer.missing:
        yield "missing", choices(answer.missing, _MISSING)
    yield from side_lines(answer)
    yield from ((one.severity, f"{_own(answer, one.message)}. {one.advice}") for one in answer.caveats)


def side_lines(answer: ComparisonAnswer) -> Iterator[tuple[str, str]]:
    """Yield where each side comes from, and in which order they were recorded."""
    machines = [", ".join(f"{name} {value}" for name, value in side.machine.items()) for side in answer.sides]
    alike = len(set(machines)) == 1
    for side, machine in zip(answer.sides, machines, strict=True):
        own = "" if alike or not machine else f"; {machine}"
        yield "side", f"{side.name}: {count(side.values, 'value')} from {choices(side.files, 4)}{own}"
    if alike and machines[0]:
        yield "machine", machines[0]
    if answer.order != "unknown" or answer.column in RECORDINGS:
        yield "order", _ORDERS[answer.order]
    yield "rule", _rule(answer)


def _rule(answer: ComparisonAnswer) -> str:
    """Say what a verdict takes, test by test."""
    level, within = f"{answer.significance_level:g}", f"±{100 * max(answer.min_effect, SAME_WITHIN):g} %"
    found, clear = "that the row differs", "an interval clear of no change"
    if answer.min_effect:
        effect = f"{100 * answer.min_effect:g} %"
        found, clear = f"{found}, and that it does by more than {effect}", f"an interval clear of ±{effect}"
    return (
        f"better and worse need an adjusted p of at most {level} {found}, and {clear}; same needs one within {within}"
    )


def _own(answer: ComparisonAnswer, message: str) -> str:
    return message.removeprefix(f"{answer.name}: ")


def target_lines(targets: Sequence[TargetAnswer]) -> tuple[Block, ...]:
    """Tell each target in a line that begins with PASS, WARN or FAIL; nothing where there are none."""
    lines = tuple(
        (status, f"{name}: {bound}, {median}, n = {n}, {worst}")
        for status, name, bound, median, worst, n in _targets(targets)
    )
    return (Block(title="Targets", grids=(), lines=lines),) if lines else ()


def target_grid(targets: Sequence[TargetAnswer]) -> tuple[Block, ...]:
    """Show targets as a table of PASS, WARN and FAIL; nothing where there are none."""
    heads = ("status", "target", "bound", "median", "benchmark that does worst", "n")
    rows = tuple(_targets(targets))
    return (Block(title="Targets", grids=(Grid(heads=heads, rows=rows, words=5),), lines=()),) if rows else ()


def _targets(targets: Sequence[TargetAnswer]) -> Iterator[tuple[str, str, str, str, str, str]]:
    for one in targets:
        median = with_interval(one.sample.median, target_bounds(one)) if one.sample else "not measured"
        n = one.sample.n if one.sample else 0
        worst = "; ".join(part for part in (one.benchmark, one.reason) if part)
        yield one.status, one.name, one.bound, median, worst, str(n)
