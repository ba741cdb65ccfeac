"""What a comparison found, in the words of an executive summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import groupby

from benchlib.answers.comparison import (
    COUNTS,
    ComparisonAnswer,
    ComparisonRow,
    comparison_evidence,
    control_evidence,
)
from benchlib.answers.evidence import Evidence
from benchlib.answers.grouping import label, place_label
from benchlib.answers.pairing import UNREPEATED
from benchlib.answers.pooled import verdict_tallies
from benchlib.report.wording.comparison.cells import factor_ends, medians, reason_words
from benchlib.report.wording.comparison.interactions import interactions, rows_told, sample_sizes
from benchlib.report.wording.comparison.verdict import furthest, verdict_lines
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import carried_change, carried_decimals, count, figure, listed, metric_name
from benchlib.statistics.compare import distance
from benchlib.units import confidence, show

#: A comparison of more rows than this is told by counts.
MOST_LINES = 24
#: Rows that one sentence holds.
SIDE_BY_SIDE = 4


def _row(row: ComparisonRow, parallel: Sequence[str]) -> Told:
    where = place_label(row.key)
    prefix = f"{where}: " if where else ""
    return joined([told(f"{prefix}{_told(row, parallel)}", row.evidence), _by_run(row, parallel)])


def _told(row: ComparisonRow, parallel: Sequence[str]) -> str:
    found = row.comparison
    before, after = found.baseline.median, found.candidate.median
    values = f"{figure(after)} against {figure(before)}, {sample_sizes([row])}"
    what = metric_name(row.metric)
    if found.difference.value == 0 and (row.verdict == "same" or untested(row)):
        return f"{row.candidate} and {row.baseline} are equal in {what} ({values})"
    if row.verdict == "same":
        return f"{what}: no change from {row.baseline} to {row.candidate} that matters ({values})"
    if untested(row) and not row.noticeable:
        return f"{what}: no difference between {row.candidate} and {row.baseline} {_unseen(row)} ({values})"
    if row.verdict != "cannot tell":
        return f"{_changed(row, parallel)} ({values})"
    if untested(row):
        return f"{_changed(row, parallel)} as measured ({values}: no verdict)"
    why = reason_words(row.reason) or "the values scatter too much to tell"
    return f"no verdict on {what} of {row.candidate} against {row.baseline}: {_measured(row)} ({values}; {why})"


def _unseen(row: ComparisonRow) -> str:
    """Say why a difference is not told: it is small, its runs disagree, or runs of the same code differ by as much."""
    ratio = row.comparison.ratio
    large = ratio.value > 0 and abs(math.log(ratio.value)) > math.log1p(UNREPEATED)
    if not large or ratio.has_interval or row.metric in COUNTS:
        return "that the data can show"
    return "that every run shows" if row.ratio_by_run else "beyond that of runs of the same code"


def untested(row: ComparisonRow) -> bool:
    """Whether a row has no verdict because no values of so few could give one: what was measured is all there is."""
    return row.reason == "too few values"


def _changed(row: ComparisonRow, parallel: Sequence[str]) -> str:
    """Say how the candidate differs, as a clause."""
    compared, what = row.comparison, metric_name(row.metric)
    if row.metric in COUNTS:
        less = "less" if compared.difference.value < 0 else "more"
        return f"{row.candidate} takes {_counted(row)} {less} than {row.baseline}"
    if math.isnan(compared.ratio.value):
        return f"{row.candidate} differs from {row.baseline} in {what}"
    if tells_throughput(row, parallel):
        return f"{row.candidate} does {_times(row)} the throughput of {row.baseline}"
    return f"{row.candidate} is {carried_change(compared.ratio, row.metric)} than {row.baseline} in {what}"


def _measured(row: ComparisonRow) -> str:
    """Say what was measured of a row without a verdict, and that it is no more than that."""
    return f"{_factor(row)} as measured"


def _factor(row: ComparisonRow) -> str:
    """Say a change as a factor; where there is none, from which median to which."""
    compared = row.comparison
    if math.isnan(compared.ratio.value) or compared.ratio.value <= 0:
        return f"from {' to '.join(medians(compared.baseline.median.value, compared.candidate.median.value, row.unit))}"
    return carried_change(compared.ratio, row.metric)


def _times(row: ComparisonRow) -> str:
    ratio = row.comparison.ratio
    decimals = 1 if row.ratio_by_run else carried_decimals(ratio.value, ratio.low, ratio.high)
    return f"{1 / ratio.value:.{decimals}f}x"


def _counted(row: ComparisonRow) -> str:
    """Write a difference of counts, not scaled to a larger unit; one of counts that scatter may be rounded.

    It is then told as such: whoever takes one of the medians beside it from the other finds another.
    """
    found, unit = row.comparison, row.unit
    amount = abs(found.difference.value)
    exact = f"{amount:,.0f} {unit.replace('allocs', 'alloc') if amount == 1 else unit}"
    if all(side.maximum == side.minimum for side in (found.baseline, found.candidate)):
        return exact
    told = figure(replace(found.difference, value=amount))
    return told if told == exact else f"about {told}"


def change_of(row: ComparisonRow, parallel: Sequence[str]) -> str:
    """Say the change of one row in a few words; one without a verdict as measured, or not at all."""
    if row.verdict == "same":
        return "no change"
    if row.verdict == "cannot tell" and not untested(row):
        return "no verdict"
    if row.verdict == "cannot tell" and not row.noticeable:
        return "no difference shown"
    shown = f"{_times(row)} the throughput" if tells_throughput(row, parallel) else _factor(row)
    return f"{shown}, as measured" if untested(row) else shown


def certainty_of(row: ComparisonRow) -> str:
    """Say how sure the change of one row is: its interval, or why it has no verdict."""
    ratio = row.comparison.ratio
    if untested(row):
        return f"{sample_sizes([row])}: no verdict"
    ends = factor_ends(ratio.value, ratio.low, ratio.high, row.metric)
    sure = f"{confidence(ratio.confidence_level)}: {ends}" if ends else f"{sample_sizes([row])}, no interval"
    return f"{_measured(row)} ({sure})" if row.verdict == "cannot tell" else sure


def tells_throughput(row: ComparisonRow, parallel: Sequence[str]) -> bool:
    """Whether a row of times is told as throughput: a side is one of the benchmarks that the study calls parallel."""
    return row.metric == "time" and any(
        fnmatchcase(name, one) for one in parallel for name in (row.candidate, row.baseline)
    )


def _by_run(row: ComparisonRow, parallel: Sequence[str]) -> str:
    """Say the ratio of each run, with the rows of that run, where a difference is told that has no interval."""
    different = row.verdict in ("better", "worse") or (untested(row) and row.noticeable)
    if not different or not row.ratio_by_run or row.comparison.ratio.has_interval or row.metric in COUNTS:
        return ""
    inverse = tells_throughput(row, parallel)
    ratios = [
        told(f"{1 / ratio if inverse else ratio:.2f}x", row.run_evidence[run])
        for run, ratio in row.ratio_by_run.items()
    ]
    return joined(["; by run ", listed(ratios)])


def comparison_findings(
    answer: ComparisonAnswer, parallel: Sequence[str] = (), limit: int = 12, *, once: bool = False
) -> list[str]:
    """Say what a comparison found: row by row when small, by count when large.

    A change that depends on where it is stands in a sentence of its own; ``once`` leaves it out of the others, which
    have the differences in the unit of the metric as well.
    """
    if is_large(answer):
        lines = _counts(answer)
    else:
        # What depends on where leaves room for what does not.
        most = max(limit // 2, 1)
        told_before = rows_told(answer, most) if once else []
        lines = [*interactions(answer)[:most], *_grouped(answer, parallel, told_before)][:limit]
    behind = comparison_evidence(answer)
    return [line if isinstance(line, Told) else told(line, behind) for line in lines]


def is_large(answer: ComparisonAnswer) -> bool:
    """Whether a comparison is told by counts of verdicts rather than row by row."""
    return bool(answer.controls) or len(answer.rows) > MOST_LINES


def _counts(answer: ComparisonAnswer) -> list[str]:
    """One line a metric: how many rows went which way, and the one that moved furthest."""
    lines: list[str] = []
    tallies = verdict_tallies(answer)
    for metric, rows in _by_metric(row for row in answer.rows if not row.control):
        counted = tallies[metric]
        decided = [row for row in rows if row.verdict in ("better", "worse")]
        furthest = max(decided, key=lambda row: distance(row.comparison.ratio.value), default=None)
        head = f"{answer.name}, {metric_name(metric)}: "
        counts = told(_verdicts(counted.counts, counted.total), counted.evidence)
        lines.append(joined([head, counts, *(["; furthest: ", _row(furthest, ())] if furthest else [])]))
    return lines


def _verdicts(counts: Mapping[str, int], total: int) -> str:
    """Count the verdicts of rows; one that all share is said of all."""
    found = [(verdict, number) for verdict, number in counts.items() if number]
    if len(found) > 1 or total == 1:
        return f"of {count(total, 'row')} {listed([f'{number} {verdict}' for verdict, number in found])}"
    ((verdict, _),) = found
    return f"none of {total} rows can be told" if verdict == "cannot tell" else f"all {total} rows: {verdict}"


def _grouped(answer: ComparisonAnswer, parallel: Sequence[str], without: Sequence[ComparisonRow]) -> list[str]:
    """One sentence for each pair and metric, its cells side by side; none ``without`` which nothing would be left."""
    lines = []
    for _, group in groupby(answer.rows, key=lambda row: (row.baseline, row.candidate)):
        for metric, same in _by_metric(group):
            if all(any(row is one for one in without) for row in same):
                continue
            lines.append(_row(same[0], parallel) if len(same) == 1 else _side_by_side(same, metric))
    return lines


def _by_metric(rows: Iterable[ComparisonRow]) -> list[tuple[str, list[ComparisonRow]]]:
    found: dict[str, list[ComparisonRow]] = {}
    for row in rows:
        found.setdefault(row.metric, []).append(row)
    return list(found.items())


def _side_by_side(rows: Sequence[ComparisonRow], metric: str) -> str:
    first = rows[0]
    head = f"{first.candidate} against {first.baseline} in {metric_name(metric)}"
    # They are alike in n or told as a span: the rows of the first stand for it.
    sizes = told(f" ({sample_sizes(rows)})", first.evidence)
    unjudged = told(f" ({sample_sizes(rows)}: no verdict)", first.evidence)
    tested = [row for row in rows if not untested(row)]
    measured = [_at(row, rows) for row in rows if untested(row) and row.noticeable]
    unseen = [told(_place(row, rows), row.evidence) for row in rows if untested(row) and not row.noticeable]
    if not tested and not measured:
        return joined([f"{head}: no difference that the data can show", sizes])
    shown = [joined(["no difference that the data can show at ", listed(unseen)])] if unseen else []
    if not tested:
        return joined([f"{head}, as measured: ", listed([*measured, *shown]), unjudged])
    parts: list[str] = [_at(row, rows) for row in tested if row.verdict in ("better", "worse")]
    for verdict, words in (("same", "no change that matters"), ("cannot tell", "no verdict")):
        places = [told(_place(row, rows), row.evidence) for row in tested if row.verdict == verdict]
        parts += [joined([f"{words} at ", listed(places)])] if places else []
    beside = [joined(["as measured, without a verdict: ", listed(measured)])] if measured else []
    return joined([f"{head}: ", joined([listed(parts), *beside, *shown], "; "), sizes])


def _at(row: ComparisonRow, rows: Sequence[ComparisonRow]) -> Told:
    return told(f"{_in_short(row)} at {_place(row, rows)}", row.evidence)


def _in_short(row: ComparisonRow) -> str:
    difference = row.comparison.difference.value
    sign = "+" if difference > 0 else ""
    by = show(difference, row.unit, digits=2, like=row.comparison.baseline.median.value)
    return f"{_factor(row)} ({sign}{by})"


def _place(row: ComparisonRow, rows: Sequence[ComparisonRow]) -> str:
    varying = {axis: level for axis, level in row.key.items() if len({str(one.key.get(axis)) for one in rows}) > 1}
    return label(varying) or label(row.key)


def comparison_verdict(answer: ComparisonAnswer, parallel: Sequence[str] = ()) -> str:
    """Answer a comparison: in one sentence where few rows are asked for, else by counts, the worst, what is in the way.

    Examples
    --------
    >>> import benchlib
    >>> comparison_verdict(benchlib.compare("data/lplex", col="run", baseline="old", metric="allocations"))
    'new against old: all 62 rows: same; not compared: 2 benchmarks only in new.'
    """
    rows = [row for row in answer.rows if not row.control]
    guarded = next((one for one in answer.caveats if one.code == "controls-moved"), None)
    if guarded and not any(row.verdict in ("better", "worse") for row in rows):
        found = guarded.message.removeprefix(f"{answer.name}: ")
        return told(
            f"These recordings cannot tell: {found}.",
            control_evidence(answer).get(guarded, comparison_evidence(answer)),
        )
    if is_large(answer) or not rows:
        return joined(told_lines(answer), " ")
    first = [row for row in rows if row.metric == rows[0].metric]
    named = [row for row in first if row.baseline == first[0].baseline and row.candidate == first[-1].candidate]
    if len(named) == 1:
        return joined([_row(named[0], parallel), "."])
    if len(named) > SIDE_BY_SIDE:
        if not all(map(untested, named)):
            return joined(told_lines(answer), " ")
        named = sorted(named, key=lambda row: row.comparison.ratio.value)
        named = [named[0], named[-1]]
    return joined([_side_by_side(named, named[0].metric), "."])


def told_lines(answer: ComparisonAnswer) -> list[Told]:
    """Tell a comparison in at most three lines, as `verdict_lines` does; that of one row is of its values alone.

    So is that of controls of the rows of these.
    """
    rows, behind = answer.rows, comparison_evidence(answer)
    lead = furthest([row for row in rows if not row.control])
    places = [place for place, row in enumerate(rows) if lead is not None and row is lead[1]]
    # The first line counts, the second is of the row to look at first, the last says what remains.
    lines = verdict_lines(answer, rows)
    of = [behind, *(answer.rows[place].evidence for place in places), _behind_last(answer, lines[-1])]
    return [told(line, one) for line, one in zip(lines, of, strict=False)]


def _behind_last(answer: ComparisonAnswer, line: str) -> Evidence:
    """Return the rows of the control that the last line of a comparison tells of, if it does; else all."""
    for said, evidence in control_evidence(answer).items():
        if line.removeprefix("In the way: ").removesuffix(f". {said.advice}") in said.message:
            return evidence
    return comparison_evidence(answer)
