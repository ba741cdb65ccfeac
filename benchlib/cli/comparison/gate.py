"""The gate of ``benchlib compare``: which exit code a comparison gives, and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchlib.answers.comparison.answer import ComparisonAnswer
from benchlib.answers.comparison.plain import plain_rows
from benchlib.answers.refusal import Refusal
from benchlib.answers.targets import TargetAnswer
from benchlib.cli.comparison.unsound import Unsound
from benchlib.errors import printable
from benchlib.report.wording.comparison.verdict import furthest, row_words, several_metrics

__all__ = ["GATE_TRIPPED", "tripped"]

#: The exit code of a gate that tripped.
GATE_TRIPPED = 3


def tripped(
    gate: str,
    answers: Sequence[ComparisonAnswer],
    refused: Sequence[Refusal],
    targets: Sequence[TargetAnswer],
    unsound: Unsound,
) -> int:
    """Return the exit code of a gate, and say on stderr why it tripped and what it could not look at.

    Parameters
    ----------
    gate : {"", "regression", "any"}
        Nothing trips where there is none.
    answers : sequence of ComparisonAnswer
    refused : sequence of Refusal
        Comparisons that were not made trip every gate.
    targets : sequence of TargetAnswer
    unsound : Unsound
        What the files hold that is no result.

    Examples
    --------
    >>> tripped("regression", (), (), (), Unsound(problems=(), failed=()))
    0
    """
    if not gate:
        return 0
    rows = [row for one in answers for row in plain_rows(one.rows) if not row.control]
    wanted = ("worse",) if gate == "regression" else ("worse", "better")
    told = []
    for verdict in wanted:
        found = [row for row in rows if row.verdict == verdict]
        lead = furthest(found)
        if lead is not None:
            verb, worded = "is" if len(found) == 1 else "are", row_words(lead[1], several_metrics(rows))
            told.append(f"{len(found):,} of {len(rows):,} rows {verb} {verdict}: {worded}")
    if unsound.lost:
        one, more = unsound.lost[0], len(unsound.lost) - 1
        others = f" and {more:,} more" if more else ""
        told.append(f"{one.benchmark}{others} failed on the candidate and not on the baseline ({one.where})")
    missed = [one.name for one in targets if one.status == "FAIL"]
    if missed:
        told.append(f"{len(missed)} of {len(targets)} targets FAIL: {missed[0]}")
    if refused:
        compared = len(answers) + len(refused)
        told.append(
            f"{len(refused)} of {compared} comparisons {'was' if len(refused) == 1 else 'were'} not made: "
            f"{refused[0].question or 'the first'}: {refused[0].reason}"
        )
    if told:
        print(f"benchlib: --fail-on {gate}: {printable('; '.join(told), 1000)}", file=sys.stderr)
    for answer in answers:
        if answer.uncompared:
            line = f"{answer.name}: not compared: {', '.join(answer.uncompared)}"
            print(f"benchlib: --fail-on {gate}: not decided: {printable(line, 1000)}", file=sys.stderr)
    untested = [one for one in targets if one.status == "NOT TESTED"]
    if untested:
        line = f"{len(untested)} of {len(targets)} targets NOT TESTED: {untested[0].name}: {untested[0].reason}"
        print(f"benchlib: --fail-on {gate}: not decided: {printable(line, 1000)}", file=sys.stderr)
    return GATE_TRIPPED if told else 0
