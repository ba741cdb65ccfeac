"""``benchlib trend``: what changed over the runs of a history, in five formats, with a gate."""

from __future__ import annotations

import argparse
import io
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.options import add_full, add_where, number_asked, share_asked
from benchlib.errors import DataError, ParameterError, printable, suggestion

if TYPE_CHECKING:
    from benchlib.answers.trend import TrendAnswer
    from benchlib.study import Study

FORMATS = ("text", "markdown", "csv", "json", "html")
GATES = ("regression", "any")
GATE_TRIPPED = 3


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = (
        "Tell what changed over the runs of a history: the commits that may have done it, by how much, whether all "
        "benchmarks moved at once, what drifts, and which change the noise of each series would have hidden."
    )
    command.epilog = "Exit codes: 0 told, 2 bad input, 3 --fail-on tripped."
    command.add_argument("path", metavar="PATH", help="a history, a study, a folder or a file, with a run a version")
    command.add_argument("--metric", default="", metavar="NAMES", help="what to follow: time,memory; default: all")
    command.add_argument(
        "--by",
        default="",
        metavar="COLUMNS",
        help="series of their own: machine,python; default: each machine and toolchain",
    )
    command.add_argument(
        "--control", default="", metavar="CONDITION", help="what no change of code can reach: benchmark=Baseline*"
    )
    command.add_argument("--branch", default="", metavar="NAME", help="follow this branch; default: main")
    command.add_argument("--repo", default="", metavar="PATH", help="order commits as the git repository has them")
    command.add_argument("--since", default="", metavar="RUN", help="changes from a run or a date on: 2026-10-01")
    command.add_argument(
        "--min-effect", default="2%", metavar="SHARE", help="smallest change that matters; default: 2%%"
    )
    command.add_argument("--alpha", default="0.05", metavar="SHARE", help="of the changes told that may be none")
    command.add_argument("--confidence-level", default="0.95", metavar="SHARE", help="of every interval; default: 0.95")
    command.add_argument("--format", default="text", metavar="FORMAT", help=f"{', '.join(FORMATS)}; default: text")
    add_full(command)
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there instead of printing")
    command.add_argument(
        "--fail-on", default="", metavar="GATE",
        help="exit 3 on a confirmed change for the worse (regression), or on any change",
    )  # fmt: skip
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print what changed."""
    from benchlib.answers.asking import Refusal
    from benchlib.answers.trend import trend
    from benchlib.study import open_study

    for option, value, known in (("--format", given.format, FORMATS), ("--fail-on", given.fail_on, GATES)):
        if value not in known and (value or option == "--format"):
            raise ParameterError(
                f"{option} '{printable(value)}' is none of {', '.join(known)}{suggestion(value, known)}; choose one"
            )
    study = open_study(given.path, where=given.where)
    answer = trend(
        study,
        metric=given.metric,
        by=given.by,
        control=given.control,
        since=given.since,
        branch=given.branch,
        repo=given.repo,
        least=share_asked(given.min_effect, "--min-effect"),
        significance_level=number_asked(given.alpha, "--alpha"),
        confidence_level=number_asked(given.confidence_level, "--confidence-level"),
    )
    if isinstance(answer, Refusal):
        raise DataError(f"{printable(study.name)}: {answer.reason}; {answer.advice}")
    _deliver(given, study, _written(given, study, answer))
    return _tripped(given, answer)


def _written(given: argparse.Namespace, study: Study, answer: TrendAnswer) -> str:
    if given.format == "json":
        from benchlib.answers.serialise import SCHEMA_VERSION, to_dict

        return json.dumps({"schema": SCHEMA_VERSION, "trend": to_dict(answer)}, indent=2, allow_nan=False) + "\n"
    if given.format == "csv":
        from benchlib.answers.trend import CHANGE_NUMBERS, change_records
        from benchlib.cli.spreadsheets import write_rows

        out = io.StringIO()
        write_rows(change_records(answer), last=CHANGE_NUMBERS, out=out)
        return out.getvalue()
    from benchlib.tell import trend as told

    document = told.document(answer, study)
    if given.format == "markdown":
        from benchlib.render.markdown import markdown

        return markdown(document, name=f"{study.name} trend") + "\n"
    if given.format == "html":
        from benchlib.render.page import page

        return page(document)
    from benchlib.render.terminal import terminal

    return terminal(document, full=given.full) + "\n"


def _deliver(given: argparse.Namespace, study: Study, text: str) -> None:
    """Print a text, or write it whole to the file asked for, which is none that was read."""
    if given.output is None:
        sys.stdout.write(text)
        return
    from benchlib.cli.sources import refuse_input
    from benchlib.files import write_text

    refuse_input(given.output, [given.path], study.results)
    write_text(given.output, text)
    print(f"{printable(str(given.output), 400)}: written")


def _tripped(given: argparse.Namespace, answer: TrendAnswer) -> int:
    """Say which changes trip the gate; what may be the machine trips none but that of any change."""
    if not given.fail_on:
        return 0
    worse = [
        finding
        for finding in answer.findings
        if given.fail_on == "any" or (finding.worse and finding.state == "confirmed" and finding.cause == "code")
    ]
    for finding in worse:
        names = shlex.join(str(level) for level in finding.members[0][0].key.values())
        print(
            f"benchlib: {given.fail_on}: {printable(names, 200)} since {printable(answer.runs[finding.at])}",
            file=sys.stderr,
        )
    return GATE_TRIPPED if worse else 0
