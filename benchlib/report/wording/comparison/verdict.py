"""A comparison in three lines: how many rows went which way, the worst of them, and what stands in the way."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from benchlib.answers.comparison import (
    ComparisonAnswer,
    ComparisonRow,
    Undecided,
    undecided_groups,
)
from benchlib.answers.grouping import label
from benchlib.errors import choices
from benchlib.report.wording.comparison.cells import bounds_words, change_cell, medians, pvalue_cell
from benchlib.report.wording.words import carried_decimals, change, count, listed, metric_name
from benchlib.statistics.compare import Verdict, distance
from benchlib.units import confidence, percent

__all__ = ["detection_lines", "furthest", "row_words", "several_metrics", "sizes", "status_words", "verdict_lines"]

#: In the order in which they are counted: what calls for action first.
_ORDER: tuple[Verdict, ...] = ("worse", "better", "same", "cannot tell")
#: A drift that leaves more than this share of what could be detected without it is not worth a word.
_MUCH_LESS = 0.8
#: Below this share a change is told with a decimal.
_SMALL = 0.1
#: Candidates that are named before their baseline.
_SIDES = 3
#: Kinds of what one side alone has that are told in the first line.
_UNCOMPARED = 2


def verdict_lines(answer: ComparisonAnswer, rows: Sequence[ComparisonRow] | None = None) -> tuple[str, ...]:
    """Tell a comparison in at most three lines.

    Parameters
    ----------
    answer : ComparisonAnswer
    rows : sequence of ComparisonRow, optional
        Those of the answer, where they are at hand.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/heavy-read-api-published"))[1]
    >>> verdict_lines(answer)[0]
    'gateway against direct: all 12 rows: cannot tell.'
    """
    told = answer.rows if rows is None else rows
    judged = [row for row in told if not row.control]
    beside = f"{_left_out(len(told) - len(judged))}{uncompared_words(answer)}"
    lines = [f"{answer.name}: {counted(judged)}{beside}."]
    lead = furthest(judged)
    if lead is not None:
        sides = f"{lead[1].candidate} against {lead[1].baseline}"
        # Worse than what is to be read here, unless the name of the comparison says it.
        pair = "" if sides in answer.name else f"{sides}, "
        lines.append(f"{lead[0]}: {pair}{row_words(lead[1], several_metrics(judged))}.")
    remains = _obstacle(answer, judged) or _undecided(judged, answer.confidence_level)
    return (*lines, remains) if remains else tuple(lines)


def counted(rows: Iterable[ComparisonRow]) -> str:
    """Count the verdicts of rows, those that call for action first."""
    verdicts = [row.verdict for row in rows]
    if not verdicts:
        return "no row to judge"
    found = [(number, one) for one in _ORDER if (number := verdicts.count(one))]
    if len(found) == 1:
        return f"all {len(verdicts):,} rows: {found[0][1]}" if len(verdicts) > 1 else f"1 row: {found[0][1]}"
    return f"of {count(len(verdicts), 'row')} {listed([f'{number:,} {one}' for number, one in found])}"


def sides_words(rows: Iterable[ComparisonRow]) -> str:
    """Say which sides rows hold against which; nothing where that are too many for a few words.

    Examples
    --------
    >>> import benchlib
    >>> sides_words(benchlib.compare_study(benchlib.open_study("data/heavy-read-api-published"))[1].rows)
    'apisix against direct'
    """
    pairs = list(dict.fromkeys((row.candidate, row.baseline) for row in rows))
    if len({baseline for _, baseline in pairs}) != 1 or len(pairs) > _SIDES:
        return ""
    return f"{listed([candidate for candidate, _ in pairs])} against {pairs[0][1]}"


def _left_out(controls: int) -> str:
    return f"; {count(controls, 'control')} beside them" if controls else ""


def uncompared_words(answer: ComparisonAnswer) -> str:
    """Say what one side alone has, for the end of a sentence: a benchmark that is gone has no verdict."""
    return f"; not compared: {choices(answer.uncompared, _UNCOMPARED)}" if answer.uncompared else ""


def furthest(rows: Sequence[ComparisonRow]) -> tuple[str, ComparisonRow] | None:
    """Return the row to look at first, and what it is: the worst, else the best, else the one that moved most."""
    for verdict, name in (("worse", "Worst"), ("better", "Best")):
        found = [row for row in rows if row.verdict == verdict]
        if found:
            return name, max(found, key=lambda row: distance(row.ratio))
    moved = [row for row in rows if row.verdict == "cannot tell" and row.difference]
    return ("Moved most, undecided", max(moved, key=lambda row: distance(row.ratio))) if moved else None


def several_metrics(rows: Iterable[ComparisonRow]) -> bool:
    """Whether one of these rows has to say of which metric it is, be it time.

    Examples
    --------
    >>> several_metrics(())
    False
    """
    return len({row.metric for row in rows}) > 1


def row_words(row: ComparisonRow, named: bool) -> str:
    """Tell the change of one row, with its interval, p value and n.

    Parameters
    ----------
    row : ComparisonRow
    named : bool
        Whether it stands for rows of several metrics, and says that it is of time; another metric it always names.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/heavy-read-api-published"))[0]
    >>> row_words(answer.rows[0], named=True)
    'gateway direct: p50 latency 1.41x faster (n = 1 each)'
    """
    before, after = row.baseline_median, row.candidate_median
    bounds = bounds_words(row.ratio, row.ratio_low, row.ratio_high, row.metric)
    if math.isnan(row.ratio) or row.ratio <= 0:
        moved = f"from {' to '.join(medians(before, after, row.unit))}"
    elif (moved := _carried(row)).startswith("no different"):
        moved = change_cell(before, after, row.ratio, unit=row.unit, metric=row.metric)
    known = [*([f"{confidence(row.ratio_level)}: {bounds}"] if bounds else []), *_tested(row), sizes(row)]
    what = f"{metric_name(row.metric)} " if named or row.metric != "time" else ""
    return f"{label(row.key) or row.candidate}: {what}{moved} ({', '.join(known)})"


def _tested(row: ComparisonRow) -> list[str]:
    """Return the p value that a verdict rests on: adjusted, where the row was tested together with others."""
    if row.smallest_pvalue >= 1:
        return []  # a test that can reach no p value below 1 has not been made
    told = pvalue_cell(row.pvalue if math.isnan(row.adjusted_pvalue) else row.adjusted_pvalue)
    equal = told if told.startswith("<") else f"= {told}"
    return [f"p {equal}" if math.isnan(row.adjusted_pvalue) else f"adjusted p {equal}"]


def _carried(row: ComparisonRow) -> str:
    return change(row.ratio, row.metric, carried_decimals(row.ratio, row.ratio_low, row.ratio_high))


def sizes(row: ComparisonRow | Undecided) -> str:
    """Say how many values stand behind each side."""
    before, after = row.baseline_n, row.candidate_n
    return f"n = {before} each" if before == after else f"n = {before} and {after}"


#: Alert -> reasons of the rows whose verdicts it took back: where there are none, it stands in nobody's way.
_TAKES_BACK = {
    "all-moved-alike": frozenset({"all rows moved alike"}),
    "controls-moved": frozenset({"controls moved", "no control speaks for it", "within what controls did"}),
}


def _obstacle(answer: ComparisonAnswer, rows: Sequence[ComparisonRow]) -> str:
    """Say what keeps the rows from being believed, where there is such a thing."""
    reasons = {row.reason for row in rows}
    if all(row.verdict == "same" for row in rows):
        return ""  # nothing is kept from being believed
    alert = next(
        (
            one
            for one in answer.caveats
            if one.severity == "alert" and (one.code not in _TAKES_BACK or reasons & _TAKES_BACK[one.code])
        ),
        None,
    )
    if alert is None:
        return ""
    # What was found is said before the first stop; its reasons and bounds stand with the caveats.
    found = re.split(r"[;:] ", alert.message.removeprefix(f"{answer.name}: "))[0]
    return f"In the way: {found}. {alert.advice}"


def _undecided(rows: Sequence[ComparisonRow], confidence_level: float) -> str:
    lines = detection_lines(rows, confidence_level)
    return f"Undecided: {lines[0]}." if lines else ""


def detection_lines(rows: Iterable[ComparisonRow], confidence_level: float = 0.95) -> list[str]:
    """Say what undecided rows could have shown and what more would take, once for rows of like n.

    Examples
    --------
    >>> detection_lines(())
    []
    """
    return [_detection(one) for one in undecided_groups(rows, confidence_level)]


def _detection(group: Undecided) -> str:
    size = sizes(group)
    if group.without_interval:
        told = f"{size} gives no interval of a change at {confidence(group.level)}"
    elif group.blind == group.rows:
        told = f"{size} shows no change, however large"
    elif group.blind:
        told = f"{size} detects only changes over {_share(group.detectable)}, and none in {group.blind} rows"
    else:
        middle, most = _share(group.detectable), _share(group.detectable_worst)
        spread = f" in the middle row and {most} in the worst" if middle != most else ""
        told = f"{size} detects only changes over {middle}{spread}"
    many = f" ({group.rows:,} undecided rows)" if group.rows > 1 else ""
    return f"{told}{many}{_drift_cost(group)}; {_more(group)}"


def _drift_cost(group: Undecided) -> str:
    """Say what a machine that moved cost, where that is much: rows taken in turn meet it alike, and scatter by it."""
    if math.isnan(group.steady) or group.steady > _MUCH_LESS * group.drifted:
        return ""
    return f", and {_share(group.steady)} had the machine not drifted while they were recorded"


def _more(group: Undecided) -> str:
    present = max(group.baseline_n, group.candidate_n)
    if group.more is None and present < 2:
        return f"run {group.for_interval - present} more each to learn how they scatter"
    if group.more is None:
        return f"{group.most} a side would {'not decide it' if group.rows == 1 else 'decide none of them'}"
    if group.decided == group.rows:
        return f"run {group.more} more each"
    return f"run {group.more} more each to decide {group.decided:,} of them"


def _share(change: float) -> str:
    return percent(change, 1 if change < _SMALL else 0)


def status_words(rows: Sequence[ComparisonRow]) -> tuple[str, str]:
    """Return the word that a comparison is headed by, and the class of the page's style sheet for it.

    Examples
    --------
    >>> status_words(())
    ('CANNOT TELL', 'none')
    """
    verdicts = {row.verdict for row in rows if not row.control}
    if "worse" in verdicts:
        return "WORSE", "fail"
    if "better" in verdicts:
        return "BETTER", "pass"
    return ("SAME", "pass") if verdicts == {"same"} else ("CANNOT TELL", "none")
