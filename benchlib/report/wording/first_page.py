"""What stands around the figure of a first page: what changed, what to beware of, what to do."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity import CurveCapacity
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.comparison import comparison_evidence
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.pooled import summary_evidence, tallies
from benchlib.caveats import Caveat, Severity
from benchlib.report.wording.comparison.sentences import comparison_findings, comparison_verdict, is_large, told_lines
from benchlib.report.wording.curve_words import at_level
from benchlib.report.wording.plan_headline import LEFT_OUT, plan_in_short
from benchlib.report.wording.targets import meet_words
from benchlib.report.wording.told import Told, joined, kept, told
from benchlib.report.wording.words import count
from benchlib.units import percent

#: Sentences that a first page has room for.
MOST_CHANGES = 3
MOST_ALERTS = 3


def changed_title(summary: ExecutiveSummary) -> str:
    """Name what the comparisons of a study tell: a change where recordings are compared, else a difference."""
    runs = any(not isinstance(one, Refusal) and one.column == "run" for one in summary.comparisons)
    return "What changed" if runs else "What differs"


def changed(summary: ExecutiveSummary, said: str) -> list[str]:
    """Tell each comparison in a sentence; one that was ``said`` already goes on with its further findings.

    Parameters
    ----------
    summary : ExecutiveSummary
    said : str
        The verdict of the page.
    """
    lines: list[str] = []
    parallel = summary.study.parallel
    for answer in summary.comparisons:
        if isinstance(answer, Refusal):
            continue
        own = comparison_verdict(answer, parallel)
        # Of a large comparison the counts and the worst row; what it could not show stands in its section.
        first = joined(told_lines(answer)[:2], " ") if is_large(answer) else own
        told_of = comparison_findings(answer, parallel, limit=MOST_CHANGES) if own in said else [first]
        evidence = comparison_evidence(answer)
        lines += [kept(one, evidence) for one in told_of if one.rstrip(".") not in said]
    return lines[:MOST_CHANGES]


def first_alerts(summary: ExecutiveSummary) -> list[str]:
    """Return an alert of each kind in short, and how many more there are."""
    alerts = [one for one in summary.caveats if one.severity == "alert"]
    kinds: dict[str, Caveat] = {}
    for one in alerts:
        kinds.setdefault(one.code, one)
    # A second alert of one kind is told where there is room for it.
    chosen = [*kinds.values(), *(one for one in alerts if one is not kinds[one.code])][:MOST_ALERTS]
    behind = summary_evidence(summary)
    lines: list[str] = [told(one.message, behind[one]) for one in chosen]
    left = len(alerts) - len(lines)
    rest = told(f"and {count(left, 'more alert')} among the caveats", tallies(summary)["caveats"].evidence)
    return [*lines, rest] if left else lines


def to_do(summary: ExecutiveSummary) -> str:
    """Return what to do first: meet what is missed, take what was planned for, heed the gravest advice, use a level.

    What an alert on the curves of a plan advises stands before the plan.
    """
    plan = summary.plan
    first, asked = ("", "") if isinstance(plan, Refusal) else (_before_planning(summary, plan), plan_in_short(plan))
    advised = [first, asked] if first else [asked, _advice(summary, "alert")]  # one piece of advice: a page has its end
    steps: list[str] = list(dict.fromkeys(one for one in (meet_words(summary.targets), *advised) if one))
    curves = () if isinstance(summary.capacity, Refusal) else summary.capacity.curves
    led = "scaling" in (summary.study.lead or ["scaling"])
    sound = [one for one in curves if one.advised and led]
    # Where a load was planned for, its plan says which level of a node it takes.
    if sound and not asked:
        steps.append(joined(["Then consider " if steps else "Consider ", _levels(sound)]))
    if steps:
        return joined(steps, " ")
    undefined = "" if summary.study.definition_sha256 else "Say in a study.toml what is asked: one is drafted below."
    return _advice(summary, "warning") or undefined


def _before_planning(summary: ExecutiveSummary, plan: PlanningAnswer) -> str:
    """Return what the first alert on the curves behind a plan advises."""
    scaling = () if isinstance(summary.scaling, Refusal) else summary.scaling.caveats
    every = (*(one for load in plan.loads for one in load.caveats), *plan.caveats, *scaling)
    return next((one.advice for one in every if one.severity == "alert" and one.code not in LEFT_OUT), "")


def _advice(summary: ExecutiveSummary, severity: Severity) -> str:
    """Return what the first caveat of a severity advises."""
    return next((one.advice for one in summary.caveats if one.severity == severity), "")


def _levels(curves: Sequence[CurveCapacity]) -> Told:
    """Name the level of the best balance: one where all curves agree, else each curve's own."""
    first = curves[0]
    if len({one.returns.recommended for one in curves}) == 1:
        return told(
            f"{at_level(first.axis, first.returns.recommended)}: the best balance of speedup ({first.speedup:.2f}x) "
            f"and efficiency ({percent(first.efficiency)}) in the points of {first.name}.",
            first.evidence,
        )
    own = [told(f"{at_level(one.axis, one.returns.recommended)} for {one.name}", one.evidence) for one in curves]
    return joined(["the best balance of speedup and efficiency: ", joined(own, "; "), "."])
