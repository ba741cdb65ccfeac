"""The top of the page: one sentence that answers the study's question, and the status in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity import CurveCapacity
from benchlib.answers.comparison import comparison_evidence
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.pooled import effects_evidence, latency_evidence, tallies
from benchlib.answers.quality import FailedBenchmark
from benchlib.answers.scaling import scaling_evidence
from benchlib.report.wording.comparison.sentences import comparison_verdict
from benchlib.report.wording.curve_words import at_level
from benchlib.report.wording.growth_words import growth_finding
from benchlib.report.wording.markup import paragraph, tag
from benchlib.report.wording.scaling_words import scaling_verdict
from benchlib.report.wording.sentences import effects_verdict, latency_findings
from benchlib.report.wording.targets import targets_verdict
from benchlib.report.wording.told import Told, joined, kept, told
from benchlib.report.wording.words import count, listed
from benchlib.units import percent

#: Status -> its class of the page's style sheet, and its entry in the list of reports.
STATUS_CLASSES = {"PASS": "pass", "WARN": "warn", "FAIL": "fail", "NO TARGETS": "none"}
#: Benchmarks whose failures are told one by one.
_MOST_FAILED = 3
_WHY = {
    "FAIL": "A target is missed",
    "WARN": "Read the alerts before acting on this",
    "PASS": "Every target is met and no alert stands",
    "NO TARGETS": "The study sets no target to pass or fail",
}

#: Question -> what a page that leads with it tells first.
_FIRST = {
    "comparison": "what differs between recordings",
    "scaling": "how throughput grows",
    "effects": "what a factor costs",
    "latency": "the longest tail of latencies",
}


def verdict(summary: ExecutiveSummary) -> str:
    """Say what became of the targets, and answer the questions that a study leads with, in a sentence or two each.

    Where none of these can be answered the next one is; where nobody asked a question, what lies there is said first.
    """
    targets = targets_verdict(summary)
    lead = {question: _verdict(summary, question) for question in summary.study.lead}
    if any(lead.values()):
        answers = [said or _refused(summary, question) for question, said in lead.items()]
        return joined([one for one in (targets, *answers) if one], " ")
    others = (question for question in question_order(summary) if question not in lead)
    for question in others:
        if answered := _verdict(summary, question):
            first = targets if summary.study.definition_sha256 else _found(summary, question)
            return joined([one for one in (first, answered) if one], " ")
    return targets or _unanswered(summary)


def _refused(summary: ExecutiveSummary, question: str) -> str:
    """Say why one of several leading questions has no answer."""
    asked = {"scaling": summary.scaling, "effects": summary.effects, "latency": summary.latency}
    answers = summary.comparisons if question == "comparison" else (asked[question],)
    reason = next((one.reason for one in answers if isinstance(one, Refusal)), "nothing that it asks of is there")
    return f"Not told: {_FIRST[question]} ({reason})."


def _unanswered(summary: ExecutiveSummary) -> Told:
    """Say what was read where no question could be answered from it."""
    if not summary.quality.rows and summary.quality.failed:
        return _failed(summary.quality.failed)
    evidence = summary.quality.evidence
    read = told(f"{count(summary.quality.rows, 'value')} from {count(summary.quality.sources, 'file')}", evidence)
    if not summary.study.definition_sha256:
        return joined([read, "; without a study.toml nothing more is asked of them than the medians below."])
    return joined([read, "; they answer none of the questions of this study."])


def _failed(failed: Sequence[FailedBenchmark]) -> Told:
    """Say how many calls failed where every value rests on such calls: there is nothing else to tell."""
    lines = [joined([told(_failures(one), one.evidence), f" of “{one.benchmark}”"]) for one in failed[:_MOST_FAILED]]
    left = len(failed) - len(lines)
    lines += [Told(count(left, "more benchmark"))] if left else []
    return joined(["Every value rests on calls of which some failed, and none is used: ", listed(lines), "."])


def _failures(one: FailedBenchmark) -> str:
    # What writes no count of calls has 0 or none.
    every = f" of {one.operations:,.0f}" if one.operations > 0 else ""
    return f"{one.failures:,.0f}{every} calls"


def _found(summary: ExecutiveSummary, question: str) -> Told:
    """Say what lies in a folder without a study.toml, and which of the questions that it carries is told first."""
    quality = summary.quality
    formats = Counter(one.format for one in quality.files).most_common()
    read = listed([f"{number:,} of {name}" for name, number in formats])
    return told(
        f"No study.toml says what is asked of the {count(len(quality.files), 'file')} here ({read}). "
        f"First {_FIRST[question]}; every benchmark stands under All measurements.",
        quality.evidence,
    )


def question_order(summary: ExecutiveSummary) -> list[str]:
    """Return the questions of a page, those that the study leads with first."""
    return list(dict.fromkeys([*summary.study.lead, "comparison", "scaling", "effects", "latency"]))


def _verdict(summary: ExecutiveSummary, question: str) -> str:
    if question == "scaling":
        return _scaling(summary)
    if question == "effects" and not isinstance(summary.effects, Refusal):
        return kept(effects_verdict(summary.effects), effects_evidence(summary.effects))
    if question == "latency" and not isinstance(summary.latency, Refusal):
        first = latency_findings(summary.latency, limit=1)
        return joined([kept(first[0], latency_evidence(summary.latency)), "."]) if first else ""
    if question == "comparison":
        for one in summary.comparisons:
            if not isinstance(one, Refusal):
                return kept(comparison_verdict(one, summary.study.parallel), comparison_evidence(one))
    return ""


def _scaling(summary: ExecutiveSummary) -> str:
    """Say how throughput grows, which level is worth having, and on how little that stands where it does.

    Of two levels no law is fitted; how far it grows is told where the study asks.
    """
    answer, operating = summary.scaling, summary.operating
    if isinstance(answer, Refusal):
        if "scaling" not in summary.study.lead or isinstance(operating, Refusal) or operating.main is None:
            return ""
        return joined([growth_finding(operating.main, operating.axis), "."])
    evidence = scaling_evidence(answer)
    said: list[str] = [kept(scaling_verdict(answer), evidence)]
    if not isinstance(summary.capacity, Refusal):
        unlike = [one for one in summary.capacity.curves if not one.comparable]
        if len(unlike) == len(summary.capacity.curves):
            said.append(_unlike(unlike))
        levels = {one.returns.recommended for one in summary.capacity.curves}
        if all(one.advised for one in summary.capacity.curves) and len(levels) == 1:
            best = at_level(answer.axis, levels.pop())
            said.append(told(f"The best balance of speedup and efficiency is at {best}.", evidence))
    if all(point.n == 1 for one in answer.curves for point in one.points):
        said.append("Each level was measured once, so that none of this has an interval.")
    return joined(said, " ")


def _unlike(curves: Sequence[CurveCapacity]) -> Told:
    """Say why no level is recommended of curves that are all too good: by the one that is most so."""
    worst = max(curves, key=lambda one: one.efficiency)
    return told(
        f"No level is recommended: {worst.name} has an efficiency of {percent(worst.efficiency)} at "
        f"{at_level(worst.axis, worst.returns.recommended)}, which puts in doubt that the levels were measured alike.",
        worst.evidence,
    )


def banner(summary: ExecutiveSummary) -> Markup:
    """Return the status in words, the verdict, and why the status is what it is."""
    met = tallies(summary)["targets"]
    targets = f" {met.counts['PASS']} of {count(met.total, 'target')} met." if met.total else ""
    return tag(
        "div",
        tag("strong", summary.status),
        paragraph(verdict(summary), css="verdict-sentence"),
        paragraph(told(f"{_WHY[summary.status]}.{targets}", met.evidence), css="verdict-why"),
        css=f"verdict verdict-{STATUS_CLASSES[summary.status]}",
    )
