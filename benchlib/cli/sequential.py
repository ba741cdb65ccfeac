"""``benchlib compare --sequential``: after each round, whether to go on."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchlib.errors import DataError, printable

if TYPE_CHECKING:
    from benchlib.answers.sequential import SequentialAnswer
    from benchlib.cli.unsound import Unsound
    from benchlib.study import Study

#: The exit code of rounds that have not decided yet.
GO_ON = 8
_LAST = (
    "metric", "unit", "better", "baseline", "candidate", "baseline_median", "candidate_median", "rounds", "ratio",
    "ratio_low", "ratio_high", "evidence_of_change", "evidence_of_none", "verdict", "more",
)  # fmt: skip


def as_recorded(given: argparse.Namespace) -> None:
    """Name the sides of a file alone as `schedules/interleave.sh` names them, unless they were named."""
    if len(given.paths) == 1 and given.col is None and Path(given.paths[0]).is_file():
        given.col, given.baseline = "commit", given.baseline or "base"


def sequential(given: argparse.Namespace, study: Study, levels: Mapping[str, float]) -> int:
    """Print what the rounds decide; return 0 where they do or never will, 3 where the gate trips, else `GO_ON`."""
    from benchlib.answers.asking import Refusal
    from benchlib.answers.comparison import compare_study
    from benchlib.answers.sequential import sequential as ask
    from benchlib.cli.compare import deliver, say_unsound, tripped
    from benchlib.cli.unsound import unsound_of

    comparison, *others = compare_study(study, history="", **levels)
    if others:
        raise DataError(f"{printable(study.name)} asks several comparisons; name one with --col and --baseline")
    answer = comparison if isinstance(comparison, Refusal) else ask(comparison)
    if isinstance(answer, Refusal):
        raise DataError(f"{printable(study.name)}: {answer.reason}; {answer.advice}")
    unsound = unsound_of(study, study.comparisons)
    say_unsound(given, unsound)
    deliver(given, study.results, _written(given, answer, study, unsound))
    stopped = {"regression": ("worse",), "any": ("worse", "better", "changed")}.get(given.fail_on, ())
    rows = [row for row in answer.rows if row.verdict in stopped]
    if rows:
        print(f"benchlib: --fail-on {given.fail_on}: {len(rows)} of {len(answer.rows)} rows", file=sys.stderr)
    code = tripped(given.fail_on, [], [], [], unsound)
    return 3 if rows else code or (GO_ON if answer.verdict == "go on" and not answer.undecidable else 0)


def _written(given: argparse.Namespace, answer: SequentialAnswer, study: Study, unsound: Unsound) -> str:
    from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
    from benchlib.cli.unsound import unsound_document, unsound_lines

    if given.format == "json":
        document = {"schema": SCHEMA_VERSION, "sequential": to_dict(answer), **unsound_document(unsound)}
        return json.dumps(document, indent=2, allow_nan=False) + "\n"
    if given.format == "csv":
        from benchlib.cli.spreadsheets import write_rows

        out = io.StringIO()
        write_rows(_records(answer), last=_LAST, out=out)
        return out.getvalue()
    from benchlib.cli.compare import written_document
    from benchlib.tell import sequential

    told = sequential.document(answer, replace(study, title=answer.name))
    return written_document(given, told, unsound_lines(unsound), name=answer.name)


def _records(answer: SequentialAnswer) -> Iterator[dict[str, Any]]:
    """Yield a record a row."""
    for row in answer.rows:
        numbers = {name: getattr(row, name) for name in _LAST if not name.startswith("ratio")}
        ends = {"ratio": row.ratio.value, "ratio_low": row.ratio.low, "ratio_high": row.ratio.high}
        yield {**row.key, **numbers, **ends, "better": row.better or "", "more": "" if row.more is None else row.more}
