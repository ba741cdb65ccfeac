"""How many caveats, targets and claims a summary holds, and of which kind: what a page says in passing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.executive import ExecutiveSummary

__all__ = ["Tally", "tallies"]


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
        "caveats": _tally(severities, caveats),
        "targets": _tally(statuses, targets),
        "claims": _tally(verdicts, claims),
    }


def _tally(kinds: Iterable[str], evidence: Evidence) -> Tally:
    counts = Counter(kinds)
    return Tally(total=counts.total(), counts=dict(counts), evidence=evidence)
