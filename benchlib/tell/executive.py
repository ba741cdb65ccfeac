"""The executive summary as one document: the lead question first, everything else in one line each or folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.refusal import Refusal
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.caveats import Caveat
from benchlib.tell import background, scaling
from benchlib.tell.authored import authored
from benchlib.tell.document import Block, Confidence, Document, Fold, List, Number, Paragraph, Section, Text
from benchlib.tell.lead import Lead, document_of
from benchlib.tell.method import method
from benchlib.tell.sentences import say
from benchlib.tell.words import listed

__all__ = ["executive"]

#: Questions in the order in which a page looks for one that has an answer.
_ORDER = ("comparison", "scaling", "effects", "latency")
_NAMES = {"comparison": "differences", "scaling": "scaling", "effects": "costs", "latency": "latency"}
#: Commands that a page suggests.
_MOST_STEPS = 3


def executive(summary: ExecutiveSummary) -> Document:
    """Return the document of a study."""
    leads = dict(_leads(summary))
    asked = [question for question in (*summary.study.lead, *_ORDER) if question in leads]
    lead = leads[asked[0]] if asked else _nothing(summary)
    values: dict[str, Number] = {}
    for other in leads.values():
        values |= other.values
    own = authored(summary.study, values)
    lead = replace(lead, answer=own.answer or lead.answer, decision=own.decision or lead.decision)
    found = _found(summary, asked[0] if asked else "")
    wrong = _broken(own.broken) if own.broken else ()
    missed = any(target.status == "FAIL" for target in summary.targets)
    return document_of(
        summary.study,
        lead,
        (*wrong, *summary.caveats),
        found=found,
        next_steps=_next(summary),
        folded=(_background(summary),),
        status="Target missed" if missed else None,
        answers=_answers(summary),
    )


def _leads(summary: ExecutiveSummary) -> Iterator[tuple[str, Lead]]:
    """Give what each question that has an answer would say first."""
    if not isinstance(summary.scaling, Refusal):
        yield "scaling", scaling.lead(summary.scaling, summary.operating, summary.study)


def _nothing(summary: ExecutiveSummary) -> Lead:
    """Return what is said where no question has an answer."""
    reasons = [answer.reason for answer in (summary.scaling, summary.effects) if isinstance(answer, Refusal)]
    return Lead(
        answer=say("nothing", reason=reasons[0] if reasons else "nothing was asked"),
        decision=say("nothing.decision"),
        confidence=Confidence(level="none", reason=say("nothing.reason")),
        figure=None,
        facts=(),
        table=None,
        values={},
    )


def _found(summary: ExecutiveSummary, lead: str) -> tuple[Block, ...]:
    """Return the findings beside the lead, one line each, and in one line what was not measured."""
    blocks: list[Block] = []
    if lead != "scaling" and not isinstance(summary.scaling, Refusal):
        blocks.append(scaling.finding(summary.scaling, summary.operating, summary.study))
    asked = {"scaling": summary.scaling, "effects": summary.effects, "latency": summary.latency}
    missing = [_NAMES[name] for name, answer in asked.items() if isinstance(answer, Refusal)]
    missing += [] if any(not isinstance(answer, Refusal) for answer in summary.comparisons) else [_NAMES["comparison"]]
    if missing:
        blocks.append(Paragraph(text=(f"Not measured here: {listed(missing)}.",), muted=True))
    return tuple(blocks)


def _broken(words: str) -> tuple[Caveat, ...]:
    return (
        Caveat(code="answer-broken", severity="alert", message=words, advice="Write the answer in study.toml anew."),
    )


def _next(summary: ExecutiveSummary) -> tuple[Block, ...]:
    """Return the commands of the measurements that would settle most."""
    commands: list[Text] = []
    if not isinstance(summary.scaling, Refusal):
        commands += [(command,) for curve in summary.scaling.curves for command in curve.commands]
    unique = tuple(dict.fromkeys(commands))[:_MOST_STEPS]
    return (List(items=unique),) if unique else ()


def _background(summary: ExecutiveSummary) -> Section:
    study = summary.study
    blocks: list[Block] = [background.tested(study), background.environment(study), background.quality(summary.quality)]
    blocks.append(background.measurements(summary.samples))
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


def _answers(summary: ExecutiveSummary) -> Mapping[str, Any]:
    """Return what becomes answers.json."""
    return {"schema": SCHEMA_VERSION, "title": summary.study.title, "answers": to_dict(summary)}
