"""Comparisons in sentences: what changed, why a row cannot be told, what controls did, how the sides were recorded."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.comparison import (
    ComparisonAnswer,
    ComparisonRow,
    ControlAnswer,
    comparison_evidence,
)
from benchlib.answers.grouping import label
from benchlib.answers.repeatability import RepeatabilityAnswer, repeats_evidence
from benchlib.report.wording.comparison.cells import factor_ends
from benchlib.report.wording.comparison.verdict import counted, detection_lines, row_words, several_metrics
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import carried_change, change, count, listed, metric_name
from benchlib.statistics.compare import distance
from benchlib.units import asked_share, percent

__all__ = ["control_words"]

#: Changes told one by one; the table holds them all.
MOST_LINES = 12

#: Reason -> what was found of a row, and what to do about it.
_REASONS = {
    "smaller than matters": (
        "a change, but its interval holds changes of less than {effect}, which do not matter",
        "read it as small",
    ),
    "not shown to exceed": (
        "a change, but not shown to exceed {effect}: the p value of that, adjusted for all rows, is above {level}",
        "measure it again by itself",
    ),
    "one of many": (
        "a p value that would do alone, but not among so many rows: adjusted for all of them it is above {level}",
        "measure it again by itself",
    ),
    "within what controls did": (
        "not shown to have moved further than the machine alone moved the controls",
        "read the change as the machine's until runs on a quiet machine show otherwise",
    ),
    "controls moved": (
        "as before, while the controls moved: that it stood still is not shown",
        "record both sides in turn on a quiet machine",
    ),
    "no control speaks for it": (
        "moved, but so did the controls, and none of them was recorded in turn with it or named for it",
        "record both sides in turn, or name a control that met the same machine",
    ),
    "all rows moved alike": (
        "moved the way that nearly all rows moved, as they do when the machine changes",
        "record both sides in turn (schedules/interleave.sh), say --interleaved if they were, or name a control",
    ),
    "moved while recorded": (
        "their values rose or fell while they were recorded, by enough to make what is between the sides",
        "record both sides in turn (schedules/interleave.sh), say --interleaved if they were, or name a control",
    ),
    "no direction": (
        "changed, but which way is better is not known, so that it is neither better nor worse",
        "say it in the results (Unit NAME better=lower), or judge it yourself",
    ),
    "fixed cost": (
        "memory per operation that differs by how many operations share a fixed cost",
        "compare at the same number of operations",
    ),
}
_ORDERS = {
    "interleaved": "{sides} were recorded in turn: what the machine did, it did to all of them.",
    "sequential": "{sides} were recorded one after the other: what the machine did in between looks like the change.",
    "unknown": "In which order {sides} were recorded is not known: a machine that changed in between would look like "
    "the change.",
}


def answer_name(answer: ComparisonAnswer) -> str:
    """Name a comparison for a heading."""
    return answer.name or listed([one.name for one in answer.sides])


def asked_words(answer: ComparisonAnswer) -> str:
    """Say what is compared with what: the question in the study's words, sides, rows and controls.

    Examples
    --------
    >>> import benchlib
    >>> asked_words(benchlib.compare("data/lplex", col="run", baseline="old"))
    'run new against old, 186 rows; controls: pkg=*/filter, pkg=*/pgn'
    """
    pairs = list(dict.fromkeys((row.candidate, row.baseline) for row in answer.rows))
    sides = listed([f"{one} against {other}" for one, other in pairs[:4]])
    more = f" and {count(len(pairs) - 4, 'more pair')}" if len(pairs) > 4 else ""
    conditions = dict.fromkeys(one.condition for one in answer.controls)
    held = f"; controls: {', '.join(conditions)}" if conditions else ""
    question = f"{answer.question} " if answer.question else ""
    return f"{question}{answer.column} {sides}{more}, {count(len(answer.rows), 'row')}{held}"


def counted_by_metric(answer: ComparisonAnswer) -> list[str]:
    """Count the verdicts of each metric, controls left out; metrics of which the same is to be said share a line.

    Examples
    --------
    >>> import benchlib
    >>> counted_by_metric(benchlib.compare("data/lplex", col="run", baseline="old", metric="allocations"))
    ['allocations per operation: all 62 rows: same']
    """
    found: dict[str, list[ComparisonRow]] = {}
    for row in answer.rows:
        if not row.control:
            found.setdefault(row.metric, []).append(row)
    said: dict[str, list[str]] = {}
    for metric, rows in found.items():
        said.setdefault(counted(rows), []).append(metric_name(metric))
    return [f"{listed(metrics)}{', each' if len(metrics) > 1 else ''}: {told}" for told, metrics in said.items()]


def changed_lines(answer: ComparisonAnswer, limit: int = MOST_LINES) -> list[Told]:
    """Tell the rows that are worse, then those that are better, the furthest first."""
    rows = answer.rows
    several, named = len({(row.baseline, row.candidate) for row in rows}) > 1, several_metrics(rows)
    changed = [
        place
        for verdict in ("worse", "better")
        for place in sorted(
            (place for place, row in enumerate(rows) if row.verdict == verdict),
            key=lambda place: distance(rows[place].ratio),
            reverse=True,
        )
    ]
    lines = []
    for place in changed[:limit]:
        row = rows[place]
        pair = f", {row.candidate} against {row.baseline}" if several else ""
        lines.append(told(f"{row.verdict}: {row_words(row, named)}{pair}", answer.rows[place].evidence))
    left = len(changed) - limit
    return [*lines, *([told(f"and {left:,} more, in the table", comparison_evidence(answer))] if left > 0 else [])]


def undecided_lines(answer: ComparisonAnswer) -> list[str]:
    """Say why rows cannot be told, and what would tell them: once for all rows of one reason."""
    return [*reason_lines(answer), *detection_lines(answer.rows, answer.confidence_level)]


def reason_lines(answer: ComparisonAnswer) -> list[str]:
    """Say what took back the verdicts that rows would give by themselves.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/lplex"))[0]
    >>> reason_lines(answer)[-1].split(":")[0]
    '1 row (JournalAppendFrame, zstd)'
    """
    found: dict[str, list[ComparisonRow]] = {}
    for row in answer.rows:
        if row.reason in _REASONS and not row.control:
            found.setdefault(row.reason, []).append(row)
    limits = {"effect": percent(answer.min_effect), "level": asked_share(answer.significance_level)}
    lines = []
    for reason, rows in found.items():
        meant, advice = _REASONS[reason]
        # Names hold commas of their own.
        names = "; ".join(label(row.key) or row.metric for row in rows[:3])
        more = f"; {len(rows) - 3} more" if len(rows) > 3 else ""
        lines.append(f"{count(len(rows), 'row')} ({names}{more}): {meant.format(**limits)}; {advice}")
    return lines


def order_words(answer: ComparisonAnswer) -> str:
    """Say how the sides were recorded, and what that means."""
    return _ORDERS[answer.order].format(sides=listed([one.name for one in answer.sides]))


def control_words(control: ControlAnswer) -> str:
    """Say what one control did, and for which rows it speaks.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/lplex"))[0]
    >>> control_words(answer.controls[0]).split(":")[0]
    'pkg=*/filter, 13 rows of time per operation'
    """
    null = control.null
    name = f"{control.condition}, {count(control.rows, 'row')} of {metric_name(control.metric)}"
    differ = {0: "none differs", 1: "1 differs"}.get(control.moved, f"{control.moved} differ")
    moved = change(math.exp(null.center), control.metric)
    still = moved.startswith("no different")
    did = "the machine alone left them where they were" if still else f"the machine alone made them {moved}"
    did += " in the middle"
    if math.isfinite(null.low) and math.isfinite(null.high):
        low, high = math.exp(null.low), math.exp(null.high)
        others = f"all {null.together} rows it speaks for" if null.together > 1 else "one more untouched row"
        did += f", with a spread of {math.exp(null.spread):.2f}x: {others} would lie between {low:.2f}x and {high:.2f}x"
    else:
        did += ", and one row has no spread to judge others by"
    return f"{name}: {differ}; {did}. {_speaks(control)}"


def _speaks(control: ControlAnswer) -> str:
    if control.speaks_for:
        return f"It was named for {control.speaks_for} ({count(control.judged, 'row')})"
    if control.judged:
        return f"It speaks for {count(control.judged, 'row')}, recorded in turn with it"
    return "It speaks for no other row: none was recorded in turn with it, and it was named for none"


def percentile_words(rows: Sequence[ComparisonRow]) -> str:
    """Say how a change goes from the middle to the tail."""
    first = rows[0]
    what = label(first.key) or metric_name(first.metric.rpartition("_")[0])
    parts = [
        f"{_told(row)} at {row.metric.rpartition('_')[2]}" for row in rows if not math.isnan(row.comparison.ratio.value)
    ]
    sizes = sorted({size for row in rows for size in (len(row.baseline_values), len(row.candidate_values))})
    line = f"{what}, {first.candidate} against {first.baseline}: {listed(parts)}"
    return f"{line} (n = {listed([str(one) for one in sizes])})"


def _told(row: ComparisonRow) -> str:
    ratio = row.comparison.ratio
    ends = factor_ends(ratio.value, ratio.low, ratio.high, row.metric)
    return f"{carried_change(ratio, row.metric)}{f' ({ends})' if ends else ''}"


def repeats_words(answer: RepeatabilityAnswer) -> Told:
    """Name the benchmark that moved furthest between runs of the same code, and how far.

    Examples
    --------
    >>> import benchlib
    >>> from benchlib.answers.repeatability import repeatability
    >>> study = benchlib.open_study("data/onix-adapter-published")
    >>> repeats_words(repeatability(study, where="run=run1,run2,run3")).split(", ", 2)[-1]
    'time per operation, 1.33x from run1 to run3, rising.'
    """
    spread, row = answer.worst.spread, answer.worst
    trend = f", {spread.trend}" if spread.trend else ""
    # The runs are those of all rows: the one that moved furthest may not be in each of them.
    runs = told(f"Furthest apart between {count(len(answer.runs), 'run')}: ", repeats_evidence(answer))
    moved = (
        f"{label(row.key)}, {metric_name(row.metric)}, {spread.ratio:.2f}x "
        f"from {row.runs[spread.lowest]} to {row.runs[spread.highest]}{trend}."
    )
    return joined([runs, told(moved, row.evidence)])
