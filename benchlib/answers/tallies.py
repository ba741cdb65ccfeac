"""How many caveats, targets, claims and verdicts answers hold, and of which kind: what a page says in passing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from benchlib.answers.claims import ClaimVerdict
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.targets import Status
from benchlib.caveats import SEVERITIES
from benchlib.statistics.comparison import Verdict

__all__ = ["Tally", "tallies", "verdict_tallies"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A count, and its parts.

    Attributes
    ----------
    total : int
    counts : mapping of str to int
        By severity, status or verdict.
    evidence : Evidence
    """

    total: int
    counts: Mapping[str, int]
    evidence: Evidence


def tallies(summary: ExecutiveSummary) -> dict[str, Tally]:
    """Count the caveats, targets and claims of a summary.

    Examples
    --------
    >>> import benchlib
    >>> found = tallies(benchlib.executive_summary(benchlib.open_study("data/lplex")))
    >>> found["targets"].counts["PASS"], found["targets"].total
    (2, 5)
    """
    severities = [one.severity for one in summary.caveats]
    statuses = [one.status for one in summary.targets]
    verdicts = [one.verdict for one in summary.claims]
    targets = pool((one.evidence for one in summary.targets), "the targets, counted by status")
    claimed = (finding.evidence for one in summary.claims for finding in one.findings)
    claims = pool(claimed, "the claims of earlier reports, counted by verdict")
    caveats = pool([summary.quality.evidence], "the caveats of all answers, counted by severity")
    return {
        "caveats": _tally(severities, SEVERITIES, caveats),
        "targets": _tally(statuses, get_args(Status), targets),
        "claims": _tally(verdicts, get_args(ClaimVerdict), claims),
    }


def verdict_tallies(answer: ComparisonAnswer) -> dict[str, Tally]:
    """Count the verdicts of a comparison metric by metric; rows of controls are not judged, nor counted.

    Examples
    --------
    >>> import benchlib
    >>> found = verdict_tallies(benchlib.compare_study(benchlib.open_study("data/lplex"))[0])
    >>> found["time"].counts
    {'better': 0, 'worse': 0, 'same': 0, 'cannot tell': 36}
    """
    rows: dict[str, list[ComparisonRow]] = {}
    for row in answer.rows:
        if not row.control:
            rows.setdefault(row.metric, []).append(row)
    formula = "row by row the median of the candidate over that of the baseline, and its verdict; counted by verdict"
    return {
        metric: _tally([row.verdict for row in same], get_args(Verdict), pool((row.evidence for row in same), formula))
        for metric, same in rows.items()
    }


def _tally(found: Sequence[str], kinds: Sequence[str], evidence: Evidence) -> Tally:
    return Tally(total=len(found), counts={kind: found.count(kind) for kind in kinds}, evidence=evidence)
