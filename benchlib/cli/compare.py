"""``benchlib compare``: did it change? Runs, levels of an axis or benchmarks, in seven formats, with a gate."""

from __future__ import annotations

import argparse
import io
import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchlib.cli.options import add_full, add_where, number_asked, share_asked
from benchlib.errors import DataError, ParameterError, printable, suggestion
from benchlib.gc_pause import gc_pause

if TYPE_CHECKING:
    from benchlib.answers.asking import Refusal
    from benchlib.answers.comparison import ComparisonAnswer
    from benchlib.answers.targets import TargetAnswer
    from benchlib.cli.unsound import Unsound
    from benchlib.document.blocks import Document
    from benchlib.results import Results
    from benchlib.study import Study


FORMATS = ("text", "markdown", "csv", "json", "html", "benchstat-csv")
GATES = ("regression", "any")
#: The exit code of a gate that tripped.
GATE_TRIPPED = 3
SIGNIFICANCE_LEVEL, CONFIDENCE, EFFECT = "0.05", "0.95", "2%"


def add_options(command: argparse.ArgumentParser) -> None:
    """Describe the command and add its options."""
    command.description = (
        "Compare recordings, or levels of a column of one: benchstat's numbers, and of each row a verdict "
        "(better, worse, same, cannot tell) that many rows, a drifting machine and small effects cannot make."
    )
    command.epilog = "Exit codes: 0 compared, 2 bad input, 3 --fail-on tripped, 8 --sequential: go on."
    command.add_argument(
        "paths", nargs="+", metavar="SIDE", help="a recording, or NAME=PATH; the first is the baseline. Or one study"
    )
    command.add_argument("--row", metavar="AXES", help="columns whose levels make rows, with commas")
    command.add_argument("--col", metavar="AXIS", help="column whose levels are compared; default: the sides")
    command.add_argument("--ignore", default="", metavar="AXES", help="columns whose levels are pooled")
    command.add_argument("--table", metavar="AXES", help="with --format benchstat-csv: columns that make tables")
    command.add_argument("--metric", default="", metavar="NAMES", help="what to compare: time,memory,allocations")
    command.add_argument("--baseline", default="", metavar="LEVELS", help="levels or sides to compare with")
    command.add_argument(
        "--candidate", default="", metavar="LEVELS", help="levels or sides to compare; default: all others"
    )
    # What is not given is told from what is given as it would be anyway.
    command.add_argument("--alpha", metavar="P", help=f"significance level; default: {SIGNIFICANCE_LEVEL}")
    command.add_argument("--confidence-level", metavar="SHARE", help=f"of every interval; default: {CONFIDENCE}")
    command.add_argument("--min-effect", metavar="SHARE", help=f"smallest change that matters; default: {EFFECT}%")
    command.add_argument(
        "--control", action="append", default=[], metavar="CONDITION",
        help="rows that the change cannot affect: 'pkg=*/filter', or 'pkg=*/filter for pkg=*/pgn'; may be repeated",
    )  # fmt: skip
    command.add_argument(
        "--history", default="", metavar="URI", help="judge each row against how far runs of this history lie apart"
    )
    command.add_argument("--interleaved", action="store_true", help="the sides were recorded in turn")
    command.add_argument(
        "--same-code", action="store_true", help="all sides are runs of the same code: how far do they lie apart?"
    )
    command.add_argument(
        "--sequential", action="store_true", help="of sides recorded in turn: go on for more rounds, or stop?"
    )
    command.add_argument("--format", default="text", metavar="FORMAT", help=f"{', '.join(FORMATS)}; default: text")
    add_full(command)
    command.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there instead of printing")
    command.add_argument("--name", default="", metavar="NAME", help="what a comment is found by; default: its sides")
    command.add_argument(
        "--fail-on", default="", metavar="GATE",
        help="exit 3 on a regression (a row worse, a benchmark that failed, a target missed), or any change",
    )  # fmt: skip
    add_where(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print how the sides compare."""
    if given.sequential:
        from benchlib.cli.sequential import as_recorded

        as_recorded(given)
    check_given(given)
    if as_benchstat(given):
        with gc_pause(for_good=True):
            return _benchstat(given)
    levels = {
        "significance_level": _inside(_given(given.alpha, SIGNIFICANCE_LEVEL), "--alpha"),
        "confidence_level": _inside(_given(given.confidence_level, CONFIDENCE), "--confidence-level"),
        "min_effect": share_asked(_given(given.min_effect, EFFECT), "--min-effect"),
    }
    if given.same_code:
        from benchlib.cli.repeatability import same_code

        return same_code(given, levels["confidence_level"])
    with gc_pause(for_good=True):
        return _compare(given, levels)


def _given(text: str | None, usual: str) -> str:
    return usual if text is None else text


def _inside(text: str, option: str) -> float:
    share = number_asked(text, option)
    if not 0 < share < 1:
        raise ParameterError(f"{option} {printable(text)} is not between 0 and 1")
    return share


def _compare(given: argparse.Namespace, levels: dict[str, float]) -> int:
    from benchlib.answers.asking import Refusal
    from benchlib.answers.comparison import ComparisonAnswer, compare_study, comparison_study, controls_moved
    from benchlib.answers.targets import check_targets, doubt_times
    from benchlib.cli.unsound import unsound_of

    study = comparison_study(
        *given.paths, row=given.row or "", col=given.col or "", ignore=given.ignore, where=given.where,
        baseline=given.baseline, candidate=given.candidate, metric=given.metric, controls=given.control,
        interleaved=True if given.interleaved else None,
    )  # fmt: skip
    if given.sequential:
        from benchlib.cli.sequential import sequential

        return sequential(given, study, levels)
    answers = compare_study(study, history=given.history, **levels)
    unsound = unsound_of(study, study.comparisons)
    refused = [answer for answer in answers if isinstance(answer, Refusal)]
    answered = [answer for answer in answers if isinstance(answer, ComparisonAnswer)]
    if not answered:
        error = DataError(_refused(study, refused))
        if not (given.fail_on and unsound.lost):
            raise error
        print(f"benchlib: {error}", file=sys.stderr)
        return tripped(given.fail_on, [], [], [], unsound)
    targets = doubt_times(
        check_targets(study, confidence_level=levels["confidence_level"]),
        moved=controls_moved(study, answered),
    )
    say_unsound(given, unsound)
    deliver(given, study.results, _written(given, study, answers, targets, unsound))
    return tripped(given.fail_on, answered, refused, targets, unsound)


def _refused(study: Study, refused: Sequence[Refusal]) -> str:
    reasons = [f"{refusal.reason}; {refusal.advice}" for refusal in refused]
    more = f" ({len(reasons) - 1} more comparisons of the study are refused as well)" if len(reasons) > 1 else ""
    return f"{printable(study.name)}: {reasons[0]}{more}"


def _written(
    given: argparse.Namespace,
    study: Study,
    answers: Sequence[ComparisonAnswer | Refusal],
    targets: Sequence[TargetAnswer],
    unsound: Unsound,
) -> str:
    from benchlib.answers.comparison import ComparisonAnswer
    from benchlib.cli.unsound import unsound_document, unsound_lines

    if given.format == "json":
        from benchlib.answers.comparison import comparison_document

        # As ASCII: a name in a file could hold control characters of a terminal.
        document = {**comparison_document(answers, targets), **unsound_document(unsound)}
        return json.dumps(document, indent=2, allow_nan=False) + "\n"
    if given.format == "csv":
        from benchlib.answers.comparison import ROW_NUMBERS, comparison_records
        from benchlib.cli.spreadsheets import write_rows

        out = io.StringIO()
        rows = comparison_records([answer for answer in answers if isinstance(answer, ComparisonAnswer)])
        write_rows(rows, last=ROW_NUMBERS, out=out)
        return out.getvalue()
    from benchlib.tell import comparison

    name = study.name
    if len(given.paths) > 1:  # the sides are what is compared, and what tells one comment from another
        name = next(answer.name for answer in answers if isinstance(answer, ComparisonAnswer))
        study = replace(study, title=name)
    told = comparison.document(answers, study, targets)
    return written_document(given, told, unsound_lines(unsound), name=name)


def written_document(
    given: argparse.Namespace, document: Document, unsound: Sequence[tuple[str, str]], *, name: str
) -> str:
    """Return a document in the format asked for, with what gave no result and the command that asks it again."""
    from msgspec import structs

    from benchlib.document.blocks import Code, Link, List, Paragraph, Section

    again = Section(title="Command", anchor="command", blocks=(Paragraph(text=(Code(shlex.join(command_of(given))),)),))
    items = tuple((f"{word}: {line}",) for word, line in unsound)
    lost = (Section(title="What gave no result", anchor="lost", blocks=(List(items=items),)),) if items else ()
    document = structs.replace(document, sections=(*lost, *document.sections, again))
    if lost:  # of what gave no result nothing is known
        doubts = (Link("some lines or benchmarks gave no result", "lost"), *document.doubts)[:3]
        status = "Answered, with doubts" if document.status == "Answered" else document.status
        document = structs.replace(document, doubts=doubts, status=status)
    if given.format == "markdown":
        from benchlib.render.markdown import markdown

        return markdown(document, name=given.name or name) + "\n"
    if given.format == "html":
        from benchlib.render.page import page

        return page(document)
    from benchlib.render.terminal import terminal

    return terminal(document, full=given.full) + "\n"


def command_of(given: argparse.Namespace) -> list[str]:
    """Return the words that ask the same again, for a terminal; paths stand as they were given."""
    words = ["benchlib", "compare", *given.paths]
    for option, value, usual in (
        ("--row", given.row or "", ""),
        ("--col", given.col or "", ""),
        ("--ignore", given.ignore, ""),
        ("--where", given.where, ""),
        ("--metric", given.metric, ""),
        ("--baseline", given.baseline, ""),
        ("--candidate", given.candidate, ""),
        ("--alpha", _given(given.alpha, SIGNIFICANCE_LEVEL), SIGNIFICANCE_LEVEL),
        ("--confidence-level", _given(given.confidence_level, CONFIDENCE), CONFIDENCE),
        ("--min-effect", _given(given.min_effect, EFFECT), EFFECT),
        ("--history", given.history, ""),
        *(("--control", control, "") for control in given.control),
    ):
        words += [option, value] if value != usual else []
    flags = (
        ("--interleaved", given.interleaved), ("--same-code", given.same_code), ("--sequential", given.sequential),
    )  # fmt: skip
    return [*words, *(flag for flag, on in flags if on)]


def deliver(given: argparse.Namespace, results: Results, text: str) -> None:
    """Print a text, or write it whole to the file asked for, which is none that was read."""
    if given.output is None:
        sys.stdout.write(text)
        return
    from benchlib.answers.sides import read_side
    from benchlib.cli.sources import refuse_input
    from benchlib.files import write_text

    refuse_input(given.output, [path for _, path in map(read_side, given.paths)], results)
    write_text(given.output, text)
    print(f"{printable(str(given.output), 400)}: written")


def say_unsound(given: argparse.Namespace, unsound: Unsound) -> None:
    """Say on stderr what gave no result, where the format has no place for it."""
    from benchlib.cli.unsound import unsound_lines

    if given.format == "csv":
        sys.stderr.writelines(f"benchlib: {word}: {line}\n" for word, line in unsound_lines(unsound))


def _benchstat(given: argparse.Namespace) -> int:
    from benchlib.answers.sides import read_side
    from benchlib.cli.sources import open_sides_as_named
    from benchlib.render.benchstat_csv import write_benchstat_csv

    sides = [(name or path, path) for name, path in map(read_side, given.paths)]
    results, axes_of_names = open_sides_as_named(sides, given.where)
    out = io.StringIO()
    write_benchstat_csv(
        results,
        table=_given(given.table, ".config"),
        row=_given(given.row, ".fullname"),
        col=_given(given.col, ".file"),
        ignore=given.ignore,
        significance_level=number_asked(_given(given.alpha, SIGNIFICANCE_LEVEL), "--alpha"),
        confidence_level=number_asked(_given(given.confidence_level, CONFIDENCE), "--confidence-level"),
        out=out,
        err=sys.stderr,
        made_of_names=axes_of_names,
    )
    deliver(given, results, out.getvalue())
    return 0


def check_given(given: argparse.Namespace) -> None:
    """Refuse words that are none, and options that would do nothing beside others."""
    for option, value, known in (("--format", given.format, FORMATS), ("--fail-on", given.fail_on, GATES)):
        if value not in known and (value or option == "--format"):
            raise ParameterError(
                f"{option} '{printable(value)}' is none of {', '.join(known)}{suggestion(value, known)}; choose one"
            )
    for option, value in (("--metric", given.metric), ("--baseline", given.baseline), ("--candidate", given.candidate)):
        if value and not value.strip(", "):
            raise ParameterError(f"{option} '{printable(value)}' names nothing; name one, or leave it out")
    for mode, refused in _without_effect(given):
        for option in refused:
            value_given = getattr(given, option.removeprefix("--").replace("-", "_"))
            if value_given not in (None, "", [], False):
                raise ParameterError(f"{option} says nothing with {mode}; leave one of them out")
    for option, value in (("--row", given.row), ("--col", given.col)):
        if value == "" and not as_benchstat(given):
            raise ParameterError(f"{option} '' names nothing; name a column, or leave it out")
    for control in given.control:
        if not f" {control} ".partition(" for ")[2].strip() and " for " in f" {control} ":
            raise ParameterError(
                f"--control '{printable(control)}' names no rows after 'for'; write 'pkg=*/filter for pkg=*/pgn', or "
                "leave 'for' out"
            )
    if len(given.paths) == 1 and not (given.col or given.baseline or given.same_code or as_benchstat(given)):
        for option, value in (("--row", given.row), ("--ignore", given.ignore), ("--candidate", given.candidate)):
            if value:
                raise ParameterError(
                    f"{option} says nothing where one input is compared as its study asks; name what to compare with "
                    "--col and --baseline"
                )


def as_benchstat(given: argparse.Namespace) -> bool:
    """Whether benchstat's tables are asked for."""
    return bool(given.format == "benchstat-csv")


def _without_effect(given: argparse.Namespace) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what is asked for, and the options that would do nothing to it."""
    judging = ("--baseline", "--candidate", "--control", "--history", "--interleaved", "--fail-on", "--min-effect")
    if not as_benchstat(given):
        yield f"--format {given.format}", ("--table",)
    else:
        yield "--format benchstat-csv", (*judging, "--metric", "--same-code", "--sequential")
    if given.same_code:
        yield "--same-code", (*judging, "--alpha", "--row", "--col", "--ignore", "--sequential")
    if given.sequential:
        yield "--sequential", ("--confidence-level", "--history")
    if given.format != "markdown":
        yield f"--format {given.format}", ("--name",)


def tripped(
    gate: str,
    answers: Sequence[ComparisonAnswer],
    refused: Sequence[Refusal],
    targets: Sequence[TargetAnswer],
    unsound: Unsound,
) -> int:
    """Return the exit code of a gate, and say on stderr why it tripped and what it could not look at."""
    if not gate:
        return 0
    from benchlib.answers.grouping import label
    from benchlib.document.numbers import words_of
    from benchlib.statistics.compare import distance
    from benchlib.tell.changes import change

    rows = [row for answer in answers for row in answer.rows if not row.control]
    wanted = ("worse",) if gate == "regression" else ("worse", "better")
    reasons = []
    for verdict in wanted:
        matching = [row for row in rows if row.verdict == verdict]
        if matching:
            lead = max(matching, key=lambda row: distance(row.comparison.ratio.value))
            verb, size = "is" if len(matching) == 1 else "are", words_of(change(lead.ratio, lead.metric))
            reasons.append(f"{len(matching):,} of {len(rows):,} rows {verb} {verdict}: {label(lead.key)}: {size}")
    if unsound.lost:
        first, more = unsound.lost[0], len(unsound.lost) - 1
        others = f" and {more:,} more" if more else ""
        reasons.append(f"{first.benchmark}{others} failed on the candidate; the baseline has it ({first.where})")
    missed = [target.name for target in targets if target.status == "FAIL"]
    if missed:
        reasons.append(f"{len(missed)} of {len(targets)} targets FAIL: {missed[0]}")
    if refused:
        compared = len(answers) + len(refused)
        reasons.append(
            f"{len(refused)} of {compared} comparisons {'was' if len(refused) == 1 else 'were'} not made: "
            f"{refused[0].question or 'the first'}: {refused[0].reason}"
        )
    if reasons:
        print(f"benchlib: --fail-on {gate}: {printable('; '.join(reasons), 1000)}", file=sys.stderr)
    for answer in answers:
        if answer.uncompared:
            line = f"{answer.name}: not compared: {', '.join(answer.uncompared)}"
            print(f"benchlib: --fail-on {gate}: not decided: {printable(line, 1000)}", file=sys.stderr)
    untested = [target for target in targets if target.status == "NOT TESTED"]
    if untested:
        line = f"{len(untested)} of {len(targets)} targets NOT TESTED: {untested[0].name}: {untested[0].reason}"
        print(f"benchlib: --fail-on {gate}: not decided: {printable(line, 1000)}", file=sys.stderr)
    return GATE_TRIPPED if reasons else 0
