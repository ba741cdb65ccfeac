"""Targets in one line: which are missed, and whether they were missed before the change too."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import pool
from benchlib.answers.grouping import label
from benchlib.answers.targets import TargetAnswer
from benchlib.document.blocks import Block, Cell, Column, Fact, Fold, Number, Table, Text
from benchlib.document.words import plain_name
from benchlib.study import Study, TargetPlan
from benchlib.tell.changes import measured
from benchlib.tell.sentences import say

_Answers = Sequence[ComparisonAnswer | Refusal]
_STATUS = {"PASS": "kept", "WARN": "open", "FAIL": "missed", "NOT TESTED": "not tested"}


def facts(targets: Sequence[TargetAnswer], study: Study, answers: _Answers) -> list[Fact]:
    """Return the fact about missed targets, for a first screen; none where all are kept or there are none."""
    missed = [target for target in targets if _missed(target, study)]
    if not missed:
        return []
    evidence = pool((target.evidence for target in targets), "targets whose median lies beyond the bound")
    value: Text = (
        Number(value=float(len(missed)), evidence=evidence),
        " of ",
        Number(value=float(len(targets)), evidence=evidence),
    )
    return [Fact(value=value, line=(f"targets missed{_before(missed, study, answers)}",))]


def folds(targets: Sequence[TargetAnswer], study: Study, answers: _Answers) -> list[Block]:
    """Return the targets as one line that opens on their table; nothing without targets."""
    if not targets:
        return []
    missed = [target for target in targets if _missed(target, study)]
    kept = sum(target.status == "PASS" for target in targets)
    some, status = (len(missed), "missed") if missed else (kept, "kept")
    too = _before(missed, study, answers)
    line = say("share", some=str(some), n=str(len(targets)), what=f"targets {status}{too}")
    rows: list[tuple[Cell, ...]] = []
    for target in targets:
        before = _row_before(target, answers)
        old = measured(before.baseline_median, before.unit, before.evidence) if before else None
        median = target.sample.median if target.sample is not None else None
        now = measured(median.value, median.unit, target.evidence) if median is not None else None
        rows.append((target.name, target.bound, now, old, _words(target, study), plain_name(target.benchmark)))
    columns = (
        Column(head="target"),
        Column(head="bound"),
        Column(head="now", kind="number"),
        Column(head="before", kind="number"),
        Column(head="status"),
        Column(head="where it does worst"),
    )
    table = Table(caption="Targets, each where it does worst", columns=columns, rows=tuple(rows))
    return [Fold(line=line, blocks=(table,), anchor="targets")]


def newly_missed(targets: Sequence[TargetAnswer], study: Study, answers: _Answers) -> tuple[TargetAnswer, ...]:
    """Return the targets that are missed for sure and were not missed before the change."""
    return tuple(target for target in targets if target.status == "FAIL" and not _missed_before(target, study, answers))


def _words(target: TargetAnswer, study: Study) -> str:
    if target.status == "WARN" and _missed(target, study):
        return "missed, in doubt: the machine moved" if "controls moved" in target.reason else "missed, in doubt"
    return _STATUS[target.status]


def _plan(target: TargetAnswer, study: Study) -> TargetPlan | None:
    return next((plan for plan in study.targets if plan.name == target.name), None)


def _missed(target: TargetAnswer, study: Study) -> bool:
    plan = _plan(target, study)
    return target.sample is not None and plan is not None and _beyond(target.sample.median.value, plan)


def _beyond(value: float, plan: TargetPlan) -> bool:
    least = -math.inf if plan.low is None else plan.low
    most = math.inf if plan.high is None else plan.high
    return not least <= value <= most


def _missed_before(target: TargetAnswer, study: Study, answers: _Answers) -> bool:
    row, plan = _row_before(target, answers), _plan(target, study)
    return row is not None and plan is not None and _beyond(row.baseline_median, plan)


def _row_before(target: TargetAnswer, answers: _Answers) -> ComparisonRow | None:
    """Return the comparison of the place where a target does worst: it knows what was measured before."""
    for answer in answers:
        if isinstance(answer, ComparisonAnswer) and answer.column == "run":
            for row in answer.rows:
                key = {axis: level for axis, level in row.key.items() if axis != "pkg"}
                if row.metric == target.metric and label(key) == target.benchmark:
                    return row
    return None


def _before(missed: Sequence[TargetAnswer], study: Study, answers: _Answers) -> str:
    """Say how many of those missed were missed before the change too."""
    too = sum(_missed_before(target, study, answers) for target in missed)
    # Where a target was not compared nobody knows what was missed before.
    if not too or any(_row_before(target, answers) is None for target in missed):
        return ""
    return ", before the change too" if too == len(missed) else f", {too} before the change too"
