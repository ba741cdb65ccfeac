"""Did it change? Levels of an axis, benchmarks or runs, side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from benchlib.answers.comparison_rows import ComparisonRow, pair_rows, run_noise, shared_axes
from benchlib.answers.grouping import axes_of, cells, label, name_caveats, residue
from benchlib.answers.refusal import Refusal
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import SelectionError, choices, printable
from benchlib.statistics.multiplicity import benjamini_hochberg
from benchlib.statistics.stability import ControlNull, control_null
from benchlib.study import ComparisonPlan, Study
from benchlib.units import percent

__all__ = ["ComparisonAnswer", "ComparisonRow", "compare_study", "comparison_answer"]

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonAnswer:
    """One comparison of a study, all its rows.

    Attributes
    ----------
    name, question, column : str
    rows : tuple of ComparisonRow
    missing : tuple of str
        Cells that only one side has.
    control : ControlNull or None
        What the rows that cannot have changed did.
    caveats : tuple of Caveat
    """

    name: str
    question: str
    column: str
    rows: tuple[ComparisonRow, ...]
    missing: tuple[str, ...]
    control: ControlNull | None
    caveats: tuple[Caveat, ...]


def compare_study(study: Study, *, confidence_level: float = 0.95) -> tuple[ComparisonAnswer | Refusal, ...]:
    """Make every comparison that a study asks for.

    Parameters
    ----------
    study : Study
    confidence_level : float

    Returns
    -------
    tuple of ComparisonAnswer or Refusal
        In the order of the study's plans.

    Examples
    --------
    >>> import benchlib
    >>> [answer.name for answer in compare_study(benchlib.open_study("data/lplex"))]
    ['new against old']
    """
    return tuple(comparison_answer(study, plan, confidence_level=confidence_level) for plan in study.comparisons)


def comparison_answer(
    study: Study, plan: ComparisonPlan, *, confidence_level: float = 0.95, min_effect: float = 0.0
) -> ComparisonAnswer | Refusal:
    """Compare levels of one column, cell by cell.

    Parameters
    ----------
    study : Study
    plan : ComparisonPlan
        The column, its baselines and candidates, and the rows' axes.
    confidence_level : float
    min_effect : float
        Smallest change of the ratio that matters, as a share.

    Returns
    -------
    ComparisonAnswer or Refusal

    References
    ----------
    Benjamini and Hochberg (1995), J. R. Stat. Soc. B 57, 289-300, for the adjusted p values.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/heavy-read-api-published")
    >>> answer = comparison_answer(study, study.comparisons[0])
    >>> {row.candidate for row in answer.rows} >= {"post"}
    True
    """
    try:
        frame = study.results.select(plan.where).frame
    except SelectionError as error:
        return Refusal(question=plan.name, reason=str(error), advice="widen the selection")
    if plan.metrics:
        frame = frame[frame["metric"].isin(plan.metrics)]
    levels = [str(one) for one in frame[plan.column].dropna().unique()] if plan.column in frame else []
    baselines = [one for one in plan.baselines if one in levels]
    if not baselines:
        return Refusal(
            question=plan.name,
            reason=f"no result of {plan.column} {printable(', '.join(plan.baselines))}; there are {choices(levels)}",
            advice="name a baseline that was measured",
        )
    candidates = [one for one in (plan.candidates or levels) if one in levels]
    frame = frame[frame[plan.column].astype(str).isin([*baselines, *candidates])]
    by = list(plan.by) or shared_axes(frame, plan.column)
    noise = run_noise(study, plan)
    rows, missing = [], []
    for baseline in baselines:
        for candidate in candidates:
            if candidate == baseline or (not plan.candidates and candidate in baselines[: baselines.index(baseline)]):
                continue
            new, absent = pair_rows(frame, plan, by, (baseline, candidate), noise, confidence_level, min_effect)
            rows += new
            missing += absent
    if not rows:
        return Refusal(
            question=plan.name,
            reason=f"{' and '.join(baselines)} share no benchmark and metric with {choices(candidates)}",
            advice="measure the same benchmarks on both sides",
        )
    judged = _adjusted(rows)
    control = _control(judged, confidence_level)
    guarded = _guard(judged, plan, control)
    return ComparisonAnswer(
        name=plan.name,
        question=plan.question,
        column=plan.column,
        rows=tuple(guarded),
        missing=tuple(dict.fromkeys(missing)),
        control=control,
        caveats=name_caveats(
            (plan.name, one)
            for one in merge(
                _order(plan, judged),
                _moved(control, judged),
                _power(judged),
                _fixed_cost(judged),
                _confounded(frame, by, plan.column),
                residue(frame, [*by, plan.column, "metric"]),
                _one_sided(missing),
            )
        ),
    )


def _confounded(frame: pd.DataFrame, by: Sequence[str], column: str) -> tuple[Caveat, ...]:
    """Axes that differ between the sides as well: the comparison cannot tell them from its own."""
    if column == "benchmark":
        return ()  # two benchmarks differ in what they do; that is the question
    differing = {}
    for axis in axes_of(frame):
        if axis == column or axis in by:
            continue
        sides = [set(rows[axis].dropna().astype(str)) for _, rows in cells(frame, [column])]
        if len(sides) > 1 and not set.intersection(*sides) and all(sides):
            differing[axis] = " against ".join(", ".join(sorted(one)) for one in sides)
    return tuple(
        caveat("environment-differs", f"{axis} differs between the sides as well ({told})")
        for axis, told in differing.items()
    )


def _adjusted(rows: Sequence[ComparisonRow]) -> list[ComparisonRow]:
    """Adjust within each metric: counts that cannot differ must not dilute the evidence of times that do."""
    adjusted = np.empty(len(rows))
    for metric in {row.metric for row in rows}:
        family = [place for place, row in enumerate(rows) if row.metric == metric]
        adjusted[family] = benjamini_hochberg(np.array([rows[place].comparison.pvalue for place in family]))
    return [
        replace(
            row,
            adjusted_pvalue=float(pvalue),
            verdict="cannot tell" if row.verdict in ("better", "worse") and pvalue > SIGNIFICANT else row.verdict,
        )
        for row, pvalue in zip(rows, adjusted, strict=True)
    ]


def _control(rows: Sequence[ComparisonRow], confidence_level: float) -> ControlNull | None:
    # Time is what a drifting machine moves; counts of bytes and allocations stand still.
    logs = [
        math.log(row.comparison.ratio.value)
        for row in rows
        if row.control and row.metric == "time" and row.comparison.ratio.value > 0
    ]
    return control_null(np.array(logs), level=confidence_level) if len(logs) > 1 else None


def _guard(rows: Sequence[ComparisonRow], plan: ComparisonPlan, control: ControlNull | None) -> list[ComparisonRow]:
    """Take back verdicts that something other than the change could have made.

    On time: all of them where the controls moved between recordings made one after the other (or in
    an order that nobody recorded), else those whose ratio one more untouched benchmark could show.
    On counts: those that a fixed cost makes when it is spread over another number of operations.
    """
    drifting = plan.sequential is not False and _moved_controls(rows) > 0

    def withdrawn(row: ComparisonRow) -> bool:
        if row.verdict not in ("better", "worse"):
            return False
        if row.metric != "time" or control is None:
            return row.amortised
        return drifting or row.control or control.low <= math.log(row.comparison.ratio.value) <= control.high

    return [replace(row, verdict="cannot tell") if withdrawn(row) else row for row in rows]


def _moved_controls(rows: Sequence[ComparisonRow]) -> int:
    """How many controls differ, with the chance of a single false one held at 5 % over all of them."""
    pvalues = [row.comparison.pvalue for row in rows if row.control and row.metric == "time"]
    return int((benjamini_hochberg(np.array(pvalues)) <= SIGNIFICANT).sum()) if pvalues else 0


def _order(plan: ComparisonPlan, rows: Sequence[ComparisonRow]) -> tuple[Caveat, ...]:
    if not plan.sequential:
        return ()
    return (
        caveat(
            "sequential-runs",
            f"{rows[0].baseline} and {rows[0].candidate} were recorded one after the other: "
            "a change of the machine in between looks like a change of the code",
        ),
    )


def _moved(control: ControlNull | None, rows: Sequence[ComparisonRow]) -> tuple[Caveat, ...]:
    if control is None:
        return ()
    moved = _moved_controls(rows)
    total = sum(row.control and row.metric == "time" for row in rows)
    if not moved:
        return ()
    return (
        caveat(
            "controls-moved",
            f"{moved} of {total} benchmarks that the change cannot affect differ significantly, "
            f"by {math.exp(control.center):.2f}x in the middle; one more such benchmark would lie "
            f"between {math.exp(control.low):.2f}x and {math.exp(control.high):.2f}x",
        ),
    )


def _power(rows: Sequence[ComparisonRow]) -> tuple[Caveat, ...]:
    blind = [row for row in rows if row.comparison.smallest_pvalue > SIGNIFICANT]
    if not blind:
        return ()
    sizes = sorted({min(row.comparison.baseline.n, row.comparison.candidate.n) for row in blind})
    count = "no row" if len(blind) == len(rows) else f"{len(blind)} of {len(rows)} rows cannot"
    told = f"{count} can show a difference" if count == "no row" else f"{count} show a difference"
    return (
        caveat(
            "cannot-detect",
            f"{told} at the {percent(SIGNIFICANT)} level with n = {', '.join(map(str, sizes))} a side, however large",
        ),
    )


def _fixed_cost(rows: Sequence[ComparisonRow]) -> tuple[Caveat, ...]:
    names = [label(row.key) for row in rows if row.amortised]
    if not names:
        return ()
    return (
        caveat(
            "fixed-cost",
            f"{choices(names, 4)}: memory per operation follows the number of operations, not the code: "
            "a fixed cost is spread over more of them on one side",
        ),
    )


def _one_sided(missing: Sequence[str]) -> tuple[Caveat, ...]:
    names = list(dict.fromkeys(missing))
    return (caveat("one-sided-rows", choices(names, 6)),) if names else ()
