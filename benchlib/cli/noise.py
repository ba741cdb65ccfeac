"""``benchlib noise``: how much runs differ and how much values of one run, as text, Markdown, JSON or CSV."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benchlib.cli.options import add_full, add_where, number_asked, print_document
from benchlib.cli.spreadsheets import write_rows
from benchlib.errors import DataError, printable

if TYPE_CHECKING:
    from benchlib.answers.noise import NoiseAnswer


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = (
        "Take noise apart: what runs (sessions, rounds, processes: `runs` in study.toml) differ by beside what "
        "the values of one run differ by, and what more of each would buy."
    )
    command.add_argument("path", metavar="PATH", help="a file, a folder, or a study")
    command.add_argument("--metric", default="", metavar="NAMES", help="default: time and throughput")
    command.add_argument("--confidence-level", default="0.95", metavar="SHARE", help="of every interval; default: 0.95")
    command.add_argument("--format", choices=("text", "json", "csv", "markdown"), default="text")
    add_full(command)
    command.add_argument("--strict", action="store_true", help="any problem in a file is an error (exit 2)")
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the noise budget of a study."""
    from benchlib.answers.asking import Refusal
    from benchlib.answers.noise import noise
    from benchlib.study import open_study

    study = open_study(given.path, where=given.where, strict=given.strict)
    level = number_asked(given.confidence_level, "--confidence-level")
    answer = noise(study, metric=given.metric, confidence_level=level)
    if isinstance(answer, Refusal):
        raise DataError(f"{printable(study.name)}: {answer.reason}; {answer.advice}")
    if given.format == "json":
        from benchlib.answers.serialise import SCHEMA_VERSION, to_dict

        print(json.dumps({"schema": SCHEMA_VERSION, "noise": to_dict(answer)}, indent=2, allow_nan=False))
    elif given.format == "csv":
        write_rows(_records(answer), last=_LAST)
    else:
        from benchlib.tell import noise as told

        print_document(told.document(answer, study), given)
    return 0


_LAST = ("metric", "unit", "level", "units", "repeats", "sd", "low", "high", "shared", "pvalue")


def _records(answer: NoiseAnswer) -> Iterator[dict[str, Any]]:
    """Yield a record a benchmark and level of repeating."""
    for row in answer.rows:
        for part in row.budget.parts:
            yield {
                **row.key, "metric": row.metric, "unit": row.unit, "level": part.name, "units": part.units,
                "repeats": part.repeats, "sd": part.sd, "low": part.low, "high": part.high, "shared": part.shared,
                "pvalue": part.pvalue,
            }  # fmt: skip
