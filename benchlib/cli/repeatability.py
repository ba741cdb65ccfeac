"""``benchlib compare --same-code``: how far runs of the same code lie apart, as a table a metric."""

from __future__ import annotations

import argparse
import io
import json
import math
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchlib.cli.blocks import Block
from benchlib.cli.compare_blocks import Column, RowTable
from benchlib.errors import DataError, printable

if TYPE_CHECKING:
    from benchlib.answers.repeatability import RepeatabilityAnswer, RunDrift
    from benchlib.cli.unsound import Unsound


NONE = "–"


def same_code(given: argparse.Namespace, confidence_level: float) -> int:
    """Print how far the runs lie apart."""
    from benchlib.answers.asking import Refusal
    from benchlib.answers.comparison import comparison_study
    from benchlib.answers.repeatability import repeatability
    from benchlib.cli.compare import deliver, say_unsound
    from benchlib.cli.unsound import unsound_of
    from benchlib.study import ComparisonPlan, open_study

    single = len(given.paths) == 1
    study = open_study(given.paths[0], given.where) if single else comparison_study(*given.paths, where=given.where)
    answer = repeatability(study, metric=given.metric, confidence_level=confidence_level)
    if isinstance(answer, Refusal):
        raise DataError(f"{printable(study.name)}: {answer.reason}; {answer.advice}")
    unsound = unsound_of(study, [ComparisonPlan(column="run")])
    say_unsound(given, unsound)
    deliver(given, study.results, _written(given, answer, study.name, unsound))
    return 0


def _written(given: argparse.Namespace, answer: RepeatabilityAnswer, name: str, unsound: Unsound) -> str:
    from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
    from benchlib.cli.compare import command_of
    from benchlib.cli.unsound import unsound_document, unsound_lines

    if given.format == "json":
        document = {"schema": SCHEMA_VERSION, "repeatability": to_dict(answer), **unsound_document(unsound)}
        return json.dumps(document, indent=2, allow_nan=False) + "\n"
    if given.format == "csv":
        from benchlib.cli.spreadsheets import write_rows

        out = io.StringIO()
        write_rows(_records(answer), last=_LAST, out=out)
        return out.getvalue()
    head = [_title(answer), *(f"{word}: {line}" for word, line in unsound_lines(unsound))]
    tables = _repeatability_tables(answer)
    remarks = Block(
        title="What to know of it",
        grids=(),
        lines=(
            ("worst", _worst(answer)),
            *_by_chance(answer),
            *((caveat.severity, f"{caveat.message}. {caveat.advice}") for caveat in answer.caveats),
        ),
    )
    if given.format == "markdown":
        from benchlib.cli.compare_text import comment_name, comment_of

        name_shown = comment_name(given.name or f"{name} same code")
        return comment_of(head, tables, remarks, name=name_shown, command=command_of(given)) + "\n"
    if given.format == "html":
        from benchlib.cli.compare_page import page_of

        return page_of(head, tables, remarks, footer=shlex.join(command_of(given))) + "\n"
    from benchlib.cli.compare_text import text_with_tables

    return "\n".join(text_with_tables(head, tables, remarks)) + "\n"


def _title(answer: RepeatabilityAnswer) -> str:
    from benchlib.report.wording.words import count

    return f"Repeatability: {count(len(answer.rows), 'row')} over {count(len(answer.runs), 'run')} of the same code"


def _worst(answer: RepeatabilityAnswer) -> str:
    from benchlib.answers.grouping import label
    from benchlib.report.wording.words import metric_name, written_factor

    worst = answer.worst
    trend = f", {worst.spread.trend} from run to run" if worst.spread.trend else ""
    apart = f"{written_factor(worst.spread.ratio)} from the smallest to the largest run{trend}"
    return f"{label(worst.key) or 'the only row'} in {metric_name(worst.metric)}: {apart}"


#: Where chance alone puts more rows than this into an order, it is said.
_RARE = 0.05


def _by_chance(answer: RepeatabilityAnswer) -> Iterator[tuple[str, str]]:
    """Say how often runs that only scatter rise or fall: of three runs one row in three does."""
    runs = [len(row.runs) for row in answer.rows if row.spread.trend]
    if runs and (share := 2 / math.factorial(min(runs))) > _RARE:
        yield "drift", f"over {min(runs)} runs 1 row in {1 / share:.0f} rises or falls throughout by chance alone"


def _repeatability_tables(answer: RepeatabilityAnswer) -> tuple[RowTable, ...]:
    """Put repeated runs into a table a metric, with all benchmarks of a run together below it."""
    metrics = dict.fromkeys((row.metric, row.unit) for row in answer.rows)
    return tuple(_table(answer, metric, unit) for metric, unit in metrics)


def _table(answer: RepeatabilityAnswer, metric: str, unit: str) -> RowTable:
    from benchlib.answers.grouping import label
    from benchlib.metrics import better
    from benchlib.report.wording.comparison.cells import metric_head
    from benchlib.report.wording.words import written_factor
    from benchlib.units import show

    cells = []
    for row in answer.rows:
        if (row.metric, row.unit) == (metric, unit):
            medians = dict(zip(row.runs, row.spread.centres, strict=True))
            first = row.spread.centres[0]
            shown = (show(medians[run], unit, like=first) if run in medians else NONE for run in answer.runs)
            least, most = min(row.spread.counts), max(row.spread.counts)
            n = str(least) if least == most else f"{least} to {most}"
            apart = "apart from its peers" if row.unstable else row.spread.trend
            cells.append((label(row.key) or NONE, *shown, written_factor(row.spread.ratio), n, apart))
    heads = ("benchmark", *answer.runs, "spread", "n", "drift")
    measured = metric_head(metric, unit, better(metric, unit))
    return RowTable(
        title=f"{measured}: median of each run, and the largest over the smallest",
        columns=tuple(
            Column(head=head, cells=column, last="", words=head in ("benchmark", "drift"))
            for head, column in zip(heads, zip(*cells, strict=True), strict=True)
        ),
        rows=(),
        axes=(),
        summed=False,
        notes=tuple(_drift_words(drift) for drift in answer.drifts if (drift.metric, drift.unit) == (metric, unit)),
    )


def _drift_words(drift: RunDrift) -> str:
    from benchlib.report.wording.comparison.cells import bounds_words
    from benchlib.report.wording.words import carried_change, count

    ratio = drift.ratio
    bounds = bounds_words(ratio.value, ratio.low, ratio.high, drift.metric)
    over = f"{count(ratio.n, 'benchmark')}, {drift.rising} up and {drift.falling} down"
    words = carried_change(ratio, drift.metric)
    return f"geomean of {drift.run} over the first run: {words}{f' ({bounds})' if bounds else ''}, {over}"


_LAST = ("metric", "unit", "run", "n", "median", "spread", "trend", "unstable")


def _records(answer: RepeatabilityAnswer) -> Iterator[dict[str, Any]]:
    """Yield a record a row and run."""
    for row in answer.rows:
        for run, n, median in zip(row.runs, row.spread.counts, row.spread.centres, strict=True):
            yield {
                **row.key, "metric": row.metric, "unit": row.unit, "run": run, "n": n, "median": median,
                "spread": row.spread.ratio, "trend": row.spread.trend, "unstable": row.unstable,
            }  # fmt: skip
