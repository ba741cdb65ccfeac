"""How a table of words is built, with no arithmetic; and the tables of what is judged: comparisons and targets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence
from benchlib.answers.grouping import Key, place_label
from benchlib.answers.targets import TargetAnswer
from benchlib.report.wording.comparison.cells import factor_ends, medians, pvalue_cell, reason_words
from benchlib.report.wording.comparison.interactions import sample_sizes
from benchlib.report.wording.markup import Column, Table
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import carried_change, evident_figure, evident_interval, figure, metric_name
from benchlib.significant_digits import differing_figures
from benchlib.units import confidence, parse_quantity

NONE = "–"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> Table:
    """Build a table whose first ``words`` columns hold text and the rest numbers."""
    columns = tuple(Column(head=head, align="text" if place < words else "number") for place, head in enumerate(heads))
    return Table(caption=caption, columns=columns, rows=tuple(tuple(row) for row in rows))


def number(value: float, digits: int = 2) -> str:
    """Write a bare number, or a dash."""
    return NONE if math.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def known(text: str, evidence: Evidence, value: float | None = None) -> str:
    """Return a figure with what is behind it; where there is none, the dash that says so."""
    return text if text == NONE else evident(text, evidence, value)


#: A page holds this many cells; answers.json and ``benchlib convert`` hold them all.
MOST_CELLS = 2000
#: Columns that a comparison's rows are named by; more are told in one.
MOST_AXES = 2


def comparison_table(answer: ComparisonAnswer) -> Table:
    """Rows of one comparison, the first `MOST_CELLS` of them."""
    rows = answer.rows[:MOST_CELLS]
    axes = [
        axis
        for axis in dict.fromkeys(axis for row in rows for axis in row.key)
        if len({str(row.key.get(axis)) for row in rows}) > 1
    ]
    # More columns of names than these push the numbers off the page.
    names = axes if len(axes) <= MOST_AXES else ["configuration"]
    pairs = {(row.baseline, row.candidate) for row in rows}
    sides = next(iter(pairs)) if len(pairs) == 1 else ("baseline", "candidate")
    named = [] if len(pairs) == 1 else ["candidate against baseline"]
    left = len(answer.rows) - len(rows)
    metrics = ["metric"] if len({row.metric for row in rows}) > 1 else []
    # What changed and whether that may be said stand where a narrow screen shows them.
    heads = [*names, *named, *metrics, "change", "verdict", *sides, *_LAST]
    lines = [
        (
            *([str(row.key.get(axis, NONE)) for axis in axes] if names is axes else [_place(row.key, axes)]),
            *([f"{row.candidate} against {row.baseline}"] if named else []),
            *([row.metric.replace("latency_", "")] if metrics else []),
            evident(change_cell_words(row), row.evidence, row.comparison.ratio.value),
            verdict_cell(row),
            *_medians(row),
            _ratio(row),
            known(pvalue_cell(row.adjusted_pvalue), row.evidence, row.adjusted_pvalue),
            evident(f"{row.comparison.baseline.n} + {row.comparison.candidate.n}", row.evidence),
            _on_lines(reason_words(row.reason), after=",") or NONE,
        )
        for row in rows
    ]
    only = "" if metrics or not rows else f", {metric_name(rows[0].metric)}"
    sizes = {(row.comparison.baseline.n, row.comparison.candidate.n) for row in rows}
    alike = f", {sample_sizes(rows)}" if len(sizes) == 1 else ""
    # What no row has takes no room, and what all have alike stands in the caption.
    unused = {"n"} if alike else set()
    unused |= {head for place, head in enumerate(heads) if head in _LAST and all(one[place] == NONE for one in lines)}
    words = {*heads[: -len(_LAST) - 2], *_WRAPPED}
    kept = [place for place, head in enumerate(heads) if head not in unused]
    return Table(
        caption=f"{answer.name}{only}{alike}{f'; {left:,} more rows in answers.json' if left else ''}",
        columns=tuple(Column(head=heads[place], align="text" if heads[place] in words else "number") for place in kept),
        rows=tuple(tuple(line[place] for place in kept) for line in lines),
    )


_LAST = ("interval of the change", "p adjusted", "n", "why")
#: Columns of words behind the numbers: they would push one another off the page on one line.
_WRAPPED = ("interval of the change", "why")


def _place(key: Key, axes: Sequence[str]) -> str:
    return place_label({axis: level for axis, level in key.items() if axis in axes})


def change_words(row: ComparisonRow) -> str:
    """Write a change as a factor, as all of its column are written; one that has none, as its medians."""
    compared = row.comparison
    if compared.difference.value == 0:
        return "equal"
    if math.isnan(compared.ratio.value) or compared.ratio.value <= 0:
        return " to ".join(medians(compared.baseline.median.value, compared.candidate.median.value, row.unit))
    return carried_change(compared.ratio, row.metric)


def change_cell_words(row: ComparisonRow) -> str:
    """Write a change that stays on one line, but for what stands in brackets."""
    return change_words(row).replace(" ", "\u00a0").replace("\u00a0(", " (")


def _ratio(row: ComparisonRow) -> str:
    ratio = row.comparison.ratio
    told = factor_ends(ratio.value, ratio.low, ratio.high, row.metric) if ratio.has_interval else ""
    return (
        evident(_on_lines(f"{confidence(ratio.confidence_level)}: {told}", before="to"), row.evidence, ratio.low)
        if told
        else NONE
    )


def _on_lines(text: str, *, before: str = "", after: str = "") -> str:
    """Keep words together but in one place, so that a narrow column breaks where a reader would."""
    return text.replace(" ", "\u00a0").replace(f"{after}\u00a0{before}", f"{after} {before}")


def _medians(row: ComparisonRow) -> Iterator[Told]:
    for shown, side in zip(medians_words(row), (row.comparison.baseline, row.comparison.candidate), strict=True):
        yield evident(shown, row.evidence, side.median.value)


def medians_words(row: ComparisonRow) -> tuple[str, str]:
    """Write the medians of baseline and candidate; where they are said to differ, so that they read so."""
    before, after = row.comparison.baseline.median, row.comparison.candidate.median
    return differing_figures(before, after) if row.verdict in ("better", "worse") else (figure(before), figure(after))


def verdict_cell(row: ComparisonRow) -> str:
    """Write a verdict that stays on one line; a control has none."""
    return "control" if row.control else row.verdict.replace(" ", "\u00a0")


def targets_table(targets: Sequence[TargetAnswer]) -> Table:
    """Targets, met or missed."""
    return table(
        "Targets",
        ("target", "bound", "worst benchmark", "verdict", "measured", "interval"),
        (
            (
                one.name,
                one.bound,
                one.benchmark or NONE,
                joined([one.status, ": ", told(one.reason, reason_evidence(one))]) if one.reason else one.status,
                evident_figure(one.sample.median, one.evidence, target_bounds(one)) if one.sample else NONE,
                evident_interval(one.sample.median, one.evidence, target_bounds(one)) if one.sample else NONE,
            )
            for one in targets
        ),
        words=4,
    )


#: What stands around the bounds of a target.
_AROUND_BOUNDS = re.compile(r"\b(?:at most|at least|between|and)\b")


def target_bounds(target: TargetAnswer) -> tuple[float, ...]:
    """Return the bounds of a target in its base unit.

    Examples
    --------
    >>> import benchlib
    >>> [target_bounds(one) for one in benchlib.executive_summary(benchlib.open_study("data/lplex")).targets][:2]
    [(8e-09,), (0.0,)]
    """
    return tuple(parse_quantity(one)[0] for one in _AROUND_BOUNDS.split(target.bound) if one.strip())


def reason_evidence(target: TargetAnswer) -> Evidence:
    """Return what stands behind the reason of a verdict: a miss is counted over all cells, a doubt is of the worst."""
    return target.cells_evidence if target.status == "FAIL" else target.evidence
