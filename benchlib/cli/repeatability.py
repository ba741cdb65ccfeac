"""``benchlib compare --same-code``: how far runs of the same code lie apart, as a table a metric."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchlib.cli.options import answered

if TYPE_CHECKING:
    from benchlib.answers.repeatability import RepeatabilityAnswer
    from benchlib.cli.unsound import Unsound
    from benchlib.study import Study


def same_code(given: argparse.Namespace, confidence_level: float) -> int:
    """Print how far the runs lie apart."""
    from benchlib.answers.comparison import comparison_study
    from benchlib.answers.repeatability import repeatability
    from benchlib.cli.compare import deliver, say_unsound
    from benchlib.cli.unsound import unsound_of
    from benchlib.study import ComparisonPlan, open_study

    single = len(given.paths) == 1
    study = open_study(given.paths[0], given.where) if single else comparison_study(*given.paths, where=given.where)
    answer = answered(study, repeatability(study, metric=given.metric, confidence_level=confidence_level))
    unsound = unsound_of(study, [ComparisonPlan(column="run")])
    say_unsound(given, unsound)
    deliver(given, study.results, _written(given, answer, study, unsound))
    return 0


def _written(given: argparse.Namespace, answer: RepeatabilityAnswer, study: Study, unsound: Unsound) -> str:
    from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
    from benchlib.cli.unsound import unsound_document, unsound_lines

    if given.format == "json":
        document = {"schema": SCHEMA_VERSION, "repeatability": to_dict(answer), **unsound_document(unsound)}
        return json.dumps(document, indent=2, allow_nan=False) + "\n"
    if given.format == "csv":
        from benchlib.cli.spreadsheets import write_rows

        out = io.StringIO()
        write_rows(_records(answer), last=_LAST, out=out)
        return out.getvalue()
    from benchlib.cli.compare import written_document
    from benchlib.tell import repeatability

    if len(given.paths) > 1:
        study = replace(study, title="Runs of the same code")
    told = repeatability.document(answer, study)
    return written_document(given, told, unsound_lines(unsound), name=f"{study.name} same code")


_LAST = ("metric", "unit", "run", "n", "median", "spread", "trend", "noise_explains", "unstable")


def _records(answer: RepeatabilityAnswer) -> Iterator[dict[str, Any]]:
    """Yield a record a row and run."""
    for row in answer.rows:
        for run, n, median in zip(row.runs, row.spread.counts, row.spread.centres, strict=True):
            yield {
                **row.key, "metric": row.metric, "unit": row.unit, "run": run, "n": n, "median": median,
                "spread": row.spread.ratio, "trend": row.spread.trend,
                "noise_explains": answer.noise_of(row).budget.least_change(), "unstable": row.unstable,
            }  # fmt: skip
