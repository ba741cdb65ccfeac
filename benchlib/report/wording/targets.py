"""Targets in words: which is missed, left open or kept, by what value, and against which bound."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.pooled import tallies
from benchlib.answers.targets import TargetAnswer
from benchlib.report.wording.tables import target_bounds
from benchlib.report.wording.told import Told, joined, told
from benchlib.report.wording.words import count, figure, listed

#: Targets that a sentence tells one by one.
_MOST = 2
#: Status -> what is said of targets that have it, gravest first.
_TOLD = {"FAIL": "missed", "WARN": "open", "NOT TESTED": "not tested", "PASS": "kept"}


def gravest(targets: Sequence[TargetAnswer]) -> list[TargetAnswer]:
    """Return the targets of the gravest status that any has: those missed, else those open, else those kept."""
    return next(([one for one in targets if one.status == status] for status in _statuses(targets)), [])


def _statuses(targets: Sequence[TargetAnswer]) -> list[str]:
    return [status for status in _TOLD if any(one.status == status for one in targets)]


def targets_verdict(summary: ExecutiveSummary) -> Told:
    """Say what became of the targets of a study, the gravest of them with value and bound; nothing without targets.

    Examples
    --------
    >>> import benchlib
    >>> summary = benchlib.executive_summary(benchlib.open_study("data/lplex"))
    >>> targets_verdict(summary).partition(":")[0]
    'Target missed'
    """
    chosen = gravest(summary.targets)
    if not chosen:
        return Told("")
    how = _TOLD[chosen[0].status]
    behind = tallies(summary)["targets"].evidence
    every = "All " if len(chosen) == len(summary.targets) > 1 else ""
    head = told(f"{every}{count(len(chosen), 'target')} {how}: ", behind) if len(chosen) > 1 else f"Target {how}: "
    lines: list[str] = [_told(one) for one in chosen[:_MOST]]
    if left := len(chosen) - _MOST:
        lines += [told(f"{left} more", behind)] if left > 0 else []
    return joined([head, listed(lines), "."])


def _told(one: TargetAnswer) -> Told:
    """Name a target, which is a claim of its author's, and put beside it what was measured."""
    return joined([f"“{one.name}” (", measured_words(one), ")"])


def measured_words(one: TargetAnswer) -> Told:
    """Say what was measured where a target does worst, and its bound; of one that was not tested why."""
    if one.sample is None:
        return Told(one.reason)
    doubt = f"; {one.reason}" if one.status == "WARN" and one.reason else ""
    value = told(f"{figure(one.sample.median, apart=target_bounds(one))}, bound {one.bound}{doubt}", one.evidence)
    return joined([f"{one.benchmark}: ", value])


def meet_words(targets: Sequence[TargetAnswer]) -> Told:
    """Say what is to be done about targets that are missed: the name of one is what holds once it is met."""
    missed = [one for one in targets if one.status == "FAIL"]
    if not missed:
        return Told("")
    noun = "target" if len(missed) == 1 else "targets"
    return joined([f"Meet the {noun} ", listed([_told(one) for one in missed]), "."])
