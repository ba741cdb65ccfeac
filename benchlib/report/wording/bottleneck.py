"""Where the time goes: parts of a whole, and what workers lose together, as one table."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from benchlib.answers.asking import Refusal
from benchlib.answers.bottleneck import BottleneckAnswer, BottleneckRow
from benchlib.answers.effects import BreakdownAnswer
from benchlib.answers.grouping import label
from benchlib.answers.pooled import twins_evidence
from benchlib.report.wording.curve_words import at_level
from benchlib.report.wording.markup import Table
from benchlib.report.wording.tables import NONE, table
from benchlib.report.wording.told import evident
from benchlib.report.wording.words import count, metric_name, share_decimals
from benchlib.statistics.estimates import Estimate
from benchlib.units import confidence, percent

_KNOWN = {"measured": "measured by itself", "profiled": "from a profile", "estimated": "the author's estimate"}

#: Verdict on twins -> the component that workers share.
_LOST = {
    "lost": "lost between workers",
    "no loss shown": "between workers: no loss shown",
    "more than ideal": "between workers: more than one serial call each",
    "cannot tell": "lost between workers, as measured",
}


def bottleneck_table(breakdowns: Sequence[BreakdownAnswer], twins: BottleneckAnswer | Refusal) -> Table | None:
    """Components with their shares, the largest of each whole first; None where there is none.

    Where a whole was measured in several cells its shares are the middle ones, and the interval is the range
    over the cells: it says so. A share by rows that the study keeps out of its curves says why it does.
    """
    rows = [row for one in breakdowns for row in _parts(one)]
    if not isinstance(twins, Refusal):
        rows += [_lost(row, twins.axis) for row in twins.rows if row.concurrency > 1]
    if not rows:
        return None
    return table(
        "Components and their shares",
        ("of", "component", "known how", "share", "interval or range", "n"),
        rows,
        words=3,
    )


def _parts(one: BreakdownAnswer) -> Iterator[tuple[str, ...]]:
    where = f", {label(one.key)}" if one.key else ""
    of = f"{metric_name(one.metric)} of {one.whole}{where}"
    names = list(dict.fromkeys(part.name for _, broken in one.cells for part in broken.parts))
    shares = {name: [part for _, broken in one.cells for part in broken.parts if part.name == name] for name in names}
    for name in sorted(names, key=lambda name: -statistics.median(part.share.value for part in shares[name])):
        found = shares[name]
        yield _row(one, of, name, _KNOWN[found[0].source], [part.share for part in found])
    yield _row(one, of, "no part explains it", "what is left", [broken.rest for _, broken in one.cells])


def _row(one: BreakdownAnswer, of: str, name: str, known: str, shares: Sequence[Estimate]) -> tuple[str, ...]:
    values = [share.value for share in shares]
    middle, digits = statistics.median(values), 0
    if len(shares) > 1:
        bounds = f"{percent(min(values))} to {percent(max(values))} over {count(len(shares), 'cell')}"
    elif shares[0].has_interval:
        bounds, digits = _ends(shares[0]), share_decimals(shares[0])
    else:
        bounds = NONE
    return (
        of,
        name,
        f"{known} ({one.left_out})" if one.left_out else known,
        evident(percent(middle, digits), one.evidence),
        bounds if bounds == NONE else evident(bounds, one.evidence),
        evident(str(shares[0].n), one.evidence) if len({share.n for share in shares}) == 1 else NONE,
    )


def _lost(row: BottleneckRow, axis: str) -> tuple[str, ...]:
    share, evidence = row.loss.share_lost, twins_evidence(row)
    return (
        f"throughput of {row.name}, {at_level(axis, row.concurrency)}",
        _LOST[row.verdict],
        "serial twin",
        evident(percent(share.value, share_decimals(share)), evidence, share.value),
        evident(_ends(share), evidence) if share.has_interval else NONE,
        evident(f"{row.loss.serial_time.n} + {row.loss.measured.n}", twins_evidence(row)),
    )


def _ends(share: Estimate) -> str:
    digits = share_decimals(share)
    return f"{confidence(share.confidence_level)}: {percent(share.low, digits)} to {percent(share.high, digits)}"
