"""The executive summary as one document: the lead question first, everything else in one line each or folded."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from msgspec import structs

from benchlib.answers.asking import Refusal
from benchlib.answers.audit import AUDITED, Audit, audit
from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.samples import SampleTable
from benchlib.caveats import Caveat
from benchlib.document.blocks import Block, Code, Confidence, Document, Fold, List, Number, Paragraph, Section, Text
from benchlib.document.words import level_words, listed
from benchlib.figures.spreads import spread_figure
from benchlib.results import Results
from benchlib.tell import (
    background,
    breakdown,
    capacity,
    claims,
    comparison,
    effects,
    latency,
    listing,
    noise,
    requests,
    scaling,
    targets,
    trend,
)
from benchlib.tell.authored import authored
from benchlib.tell.doubts import short
from benchlib.tell.lead import NOISY, Lead, document_of, refused
from benchlib.tell.method import method
from benchlib.tell.sentences import say

__all__ = ["executive", "values"]

#: Questions in the order in which a page looks for one that has an answer.
_ORDER = ("comparison", "scaling", "effects", "best", "latency", "requests", "trend", "alternatives")
#: More curves than these are not read one by one.
_MANY_CURVES = 8
_NAMES = {"comparison": "differences", "scaling": "scaling", "effects": "costs", "latency": "latency"}
#: Caveats beside which no time means anything, however often it was measured.
_UNUSABLE = (NOISY, "controls-moved")
#: What moved unchanged code by less than this makes no cost meaningless.
_LITTLE = 1.05
#: Commands that a page suggests, and levels of an axis that can be held against each other.
_MOST_COMMANDS, _MOST_LEVELS = 4, 12


def executive(summary: ExecutiveSummary, *, audited: bool = False) -> Document:
    """Return the document of a study; one that is audited says what its own intervals and verdicts hold."""
    leads = dict(_leads(summary))
    asked = [question for question in (*summary.study.lead, *_order(summary)) if question in leads]
    # Where noise is the question, it is no reason for not answering; nor is it where nothing is concluded.
    unasked = asked[:1] in ([], ["best"], ["alternatives"]) and not summary.study.definition_sha256
    lead = None if unasked or asked[:1] == ["noise"] else _noisy(summary)
    lead = lead or (leads[asked[0]] if asked else _nothing(summary))
    if not summary.study.definition_sha256 and asked[:1] != ["requests"]:
        lead = _with_lost_levels(lead, summary.study.results)
    own = authored(summary.study, _values([lead, *leads.values()]))
    lead = replace(lead, answer=own.answer or lead.answer, decision=own.decision or lead.decision)
    if audited:
        held = _audit(summary, asked[0] if asked else "")
        summary = replace(summary, audit=held)
        lead = replace(lead, confidence=_audited(lead.confidence, held))
    found = _found(summary, asked[0] if asked else "")
    wrong = _broken(own.broken) if own.broken else ()
    if wrong and lead.confidence.level == "high":
        lead = replace(lead, confidence=Confidence(level="medium", reason=(f"{short(wrong[0])}.",)))
    missed = targets.newly_missed(summary.targets, summary.study, summary.comparisons)
    return document_of(
        summary.study,
        lead,
        (*wrong, *summary.caveats),
        found=found,
        next_steps=(*_next(summary, asked[0] if asked else ""), *_ask_more(summary)),
        folded=(_background(summary),),
        status="Target missed" if missed else None,
        answers=summary,
        gate=_gate(summary, wrong),
    )


def _with_lost_levels(lead: Lead, results: Results) -> Lead:
    """Return what a page says first with the levels of which every value rests on failed operations, told before it."""
    for axis in results.axes:
        measured = set(results.frame[axis].dropna())
        lost = sorted({level for level in results.failed[axis].dropna() if isinstance(level, int | float)} - measured)
        if measured and lost:
            levels = listed([level_words(axis, level) for level in lost])
            answer = say("failed", levels=levels, answer=lead.answer)
            advice = f"find out why calls fail at {levels}"
            return replace(lead, answer=answer, decision=say("not_yet", verb="decide", advice=advice))
    return lead


def _order(summary: ExecutiveSummary) -> tuple[str, ...]:
    """Return the order of questions; of more curves than anybody reads, who is fastest comes first if nobody asked."""
    scaling_answer = summary.scaling
    many = not isinstance(scaling_answer, Refusal) and len(scaling_answer.curves) > _MANY_CURVES
    return ("comparison", "alternatives", *_ORDER) if many and not summary.study.definition_sha256 else _ORDER


def _audit(summary: ExecutiveSummary, lead: str) -> Audit | Refusal:
    """Audit the question that a page leads with, if it has intervals or verdicts that can be audited."""
    for question in AUDITED:
        if question == lead:
            return audit(summary.study, question)
    reason = f"this page leads with none of {listed(AUDITED)}"
    return Refusal(question="audit", reason=reason, advice="name such a question as `lead` in study.toml")


def _audited(confidence: Confidence, held: Audit | Refusal) -> Confidence:
    """Say beside the confidence what the audit found."""
    if isinstance(held, Refusal):
        said: Text = (f" Not audited: {held.reason}.",)
    else:
        changes = ""
        if not math.isnan(held.change):
            seen = f"a change of {held.change:.0%} is seen in {held.seen:.0%}"
            changes = f"; {seen}, one that is none in {held.false_alarms:.0%}"
        words = say("audit", level=f"{held.confidence_level:.0%}", covered=f"{held.covered:.0%}", changes=changes)
        said = (" ", *words)
        said = said if held.runs_known else (*said, " What runs differ by is not known and not in it.")
    return structs.replace(confidence, reason=(*confidence.reason, *said))


def values(summary: ExecutiveSummary) -> dict[str, Number]:
    """Return what a sentence in study.toml can name."""
    noisy = _noisy(summary)
    return _values([*([noisy] if noisy else []), *(lead for _, lead in _leads(summary))])


def _values(leads: Iterable[Lead]) -> dict[str, Number]:
    return {name: value for lead in leads for name, value in lead.values.items()}


def _leads(summary: ExecutiveSummary) -> Iterator[tuple[str, Lead]]:
    """Give what each question that has an answer would say first."""
    if not isinstance(summary.scaling, Refusal):
        yield "scaling", scaling.lead(summary.scaling, summary.operating, summary.study)
    if _compared(summary):
        yield "comparison", comparison.lead(summary.comparisons, summary.study, summary.targets)
    if not isinstance(summary.effects, Refusal) and summary.effects.models:
        yield "effects", effects.lead(summary.effects, summary.study)
    if latency.is_led(summary.latency, summary.operating, summary.study):
        yield "latency", latency.lead(summary.latency, summary.operating, summary.study)
    if not isinstance(summary.requests, Refusal):
        yield "requests", requests.lead(summary.requests)
    if not isinstance(summary.trend, Refusal):
        yield "trend", trend.lead(summary.trend)
    samples, alternatives = summary.samples, summary.alternatives
    unasked = not summary.study.definition_sha256
    if unasked and not isinstance(samples, Refusal) and listing.best(samples, summary.study):
        yield "best", listing.lead(samples, None, summary.study)
    if unasked and not isinstance(samples, Refusal) and not isinstance(alternatives, Refusal):
        yield "alternatives", listing.lead(samples, alternatives, summary.study)
    if "noise" in summary.study.lead and not isinstance(summary.noise, Refusal):
        yield "noise", noise.lead(summary.noise)


def _compared(summary: ExecutiveSummary) -> list[ComparisonAnswer]:
    return [answer for answer in summary.comparisons if isinstance(answer, ComparisonAnswer) and answer.rows]


def _noisy(summary: ExecutiveSummary) -> Lead | None:
    """Return what is said where runs of the same code differ so much that nothing can be concluded."""
    if not any(caveat.code == NOISY for caveat in summary.caveats):
        return None
    spreads = sorted(summary.quality.spreads, key=lambda row: row.spread.ratio)
    middle = spreads[len(spreads) // 2]
    ratio = Number(value=middle.spread.ratio, unit="x", digits=2, bare=True, evidence=middle.evidence)
    return Lead(
        answer=say("noisy", ratio=ratio),
        decision=say("not_yet", verb="decide", advice="measure again on a quiet machine"),
        confidence=Confidence(level="none", reason=say("noisy.reason")),
        figure=spread_figure(spreads),
        facts=(),
        table=background.spreads(summary.quality),
        values={"spread": ratio},
    )


def _nothing(summary: ExecutiveSummary) -> Lead:
    """Return what is said where no question has an answer."""
    if not summary.study.definition_sha256 and isinstance(summary.samples, SampleTable):
        return listing.lead(summary.samples, None, summary.study)
    answers = (summary.scaling, summary.effects, *summary.comparisons, summary.latency)
    first = next((answer for answer in answers if isinstance(answer, Refusal)), None)
    if first is None:
        return refused("nothing was asked", "say in study.toml what is to be compared or fitted")
    return refused(first.reason, first.advice)


def _found(summary: ExecutiveSummary, lead: str) -> tuple[Block, ...]:
    """Return the findings beside the lead, one line each, and in one line what was not measured."""
    study = summary.study
    found: list[Block | None] = []
    if lead != "scaling" and not isinstance(summary.scaling, Refusal):
        found.append(scaling.finding(summary.scaling, summary.operating, study))
    compared = _compared(summary)[1:] if lead == "comparison" else _compared(summary)
    axes = _axes(summary)
    compared = [answer for answer in compared if not comparison.told_elsewhere(answer, study, axes)]
    found += [comparison.finding(answer, study) for answer in compared]
    doubt = _doubt(summary)
    # What a comparison says of the levels of a factor is not said again as their cost.
    columns = {answer.column for answer in _compared(summary)}
    factors = () if isinstance(summary.effects, Refusal) else summary.effects.factors
    if lead != "effects" and not set(factors) <= columns:
        found.append(effects.finding(summary.effects, study, doubt))
    found.append(latency.finding(summary.latency, summary.operating, study) if lead != "latency" else None)
    if lead != "requests" and not isinstance(summary.requests, Refusal):
        found.append(requests.finding(summary.requests))
    if lead != "trend" and not isinstance(summary.trend, Refusal):
        found.append(trend.finding(summary.trend))
    found.append(breakdown.finding(summary.breakdowns, summary.bottleneck, study, doubt))
    found.append(capacity.finding(summary.plan, study) if study.capacity.target is not None else None)
    blocks = [block for block in found if block is not None]
    asked = {"scaling": summary.scaling, "effects": summary.effects, "latency": summary.latency}
    missing = [_NAMES[name] for name, answer in asked.items() if isinstance(answer, Refusal)]
    missing += [] if _compared(summary) else [_NAMES["comparison"]]
    if missing:
        blocks.append(Paragraph(text=(f"Not measured here: {listed(missing)}.",), muted=True))
    return tuple(blocks)


def _axes(summary: ExecutiveSummary) -> set[str]:
    """Return the axes of which scaling or effects say what each level costs."""
    axes = set() if isinstance(summary.effects, Refusal) else set(summary.study.effects.factors)
    if not isinstance(summary.scaling, Refusal):
        axes |= {axis for curve in summary.scaling.curves for axis in curve.key}
    return axes


def _doubt(summary: ExecutiveSummary) -> str:
    """Say why no time of the study can be judged; empty where times can."""
    moved = [control.middle for answer in _compared(summary) for control in answer.controls if control.moved]
    little = all(1 / _LITTLE <= middle <= _LITTLE for middle in moved)
    codes = [code for code in _UNUSABLE if code != "controls-moved" or not little]
    grave = (caveat for code in codes for caveat in summary.caveats if caveat.code == code)
    return next((short(caveat) for caveat in grave), "")


def _broken(words: str) -> tuple[Caveat, ...]:
    return (
        Caveat(code="answer-broken", severity="alert", message=words, advice="Write the answer in study.toml anew."),
    )


def _next(summary: ExecutiveSummary, lead: str) -> tuple[Block, ...]:
    """Return the measurements that would settle most."""
    if lead == "comparison":
        return comparison.next_steps(summary.comparisons, summary.study)
    return () if isinstance(summary.scaling, Refusal) else scaling.next_steps(summary.scaling)


def _ask_more(summary: ExecutiveSummary) -> tuple[Block, ...]:
    """Return the commands that ask what nobody asked: of axes that vary and are in no answer."""
    study, results = summary.study, summary.study.results
    if study.definition_sha256:
        return ()
    used = {study.scaling.concurrency, *study.scaling.by, *study.effects.factors, study.versions}
    used |= {plan.column for plan in study.comparisons}
    place = f"PATH/TO/{study.path.name}"
    commands = []
    for axis in [axis for axis in results.varying_axes if axis not in used]:
        levels = results.levels(axis)
        if not 1 < len(levels) <= _MOST_LEVELS:
            continue
        numeric = all(isinstance(level, int | float) for level in levels)
        words = ["effects", place, "--factors", axis] if numeric else ["compare", place, "--col", axis]
        commands.append((Code(shlex.join(["benchlib", *words])),))
    if not commands:
        return ()
    return (Paragraph(text=("What else could be asked:",)), List(items=tuple(commands[:_MOST_COMMANDS])))


def _background(summary: ExecutiveSummary) -> Section:
    study = summary.study
    blocks: list[Block] = [
        background.tested(study),
        background.environment(study),
        background.quality(summary.quality),
        *([] if isinstance(summary.noise, Refusal) else [noise.fold(summary.noise)]),
    ]
    blocks.append(background.measurements(summary.samples))
    blocks += comparison.every_comparison(summary.comparisons, study)
    blocks += targets.folds(summary.targets, study, summary.comparisons) + claims.folds(summary.claims)
    used = []
    if not isinstance(summary.scaling, Refusal):
        blocks.append(Fold(line=("Laws",), blocks=scaling.laws(summary.scaling).blocks, anchor="laws"))
        used.append("scaling")
    used += ["comparison"] if any(not isinstance(answer, Refusal) for answer in summary.comparisons) else []
    used += ["effects"] if not isinstance(summary.effects, Refusal) else []
    used += ["latency"] if not isinstance(summary.latency, Refusal) else []
    used += ["claims"] if summary.claims else []
    blocks.append(Fold(line=("Method",), blocks=(method(*used),), anchor="method"))
    blocks.append(background.provenance(study, summary.parameters))
    return Section(title="Background", anchor="background", blocks=tuple(blocks))


def _gate(summary: ExecutiveSummary, wrong: tuple[Caveat, ...]) -> str:
    """Return by which gate of a scheduled run this page is stopped."""
    if any(target.status == "FAIL" for target in summary.targets):
        return "missed"
    return "warn" if any(caveat.severity == "alert" for caveat in (*wrong, *summary.caveats)) else ""
