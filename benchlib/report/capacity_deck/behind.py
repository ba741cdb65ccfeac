"""What stands behind the slides: method, rows, files, and the answers themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.pooled import add_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.serialise import to_dict
from benchlib.report.capacity_deck.slide import MOST, NOTHING, Curves, Plan, about, lead, slide
from benchlib.report.wording.deck.notes import speaker_notes
from benchlib.report.wording.deck.tables import sources_table
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, bullets
from benchlib.report.wording.measured_tables import read_words
from benchlib.report.wording.plan_headline import plan_record
from benchlib.report.wording.record import Record
from benchlib.report.wording.words import count
from benchlib.scaling.advise import RULE
from benchlib.study import Study


def appendix(study: Study, answer: Plan) -> Section:
    """Method, and the rows behind it all."""
    plan = lead(answer)
    if plan is None or isinstance(answer, Refusal):
        lines = [*(f"Run again: {one}" for one in study.commands[:MOST]), study.origin]
        made = bullets([one for one in lines if one])
        return slide("Appendix", "appendix", "How the results were made", made, speaker_notes(study.notes))
    asked = answer.asked
    lines = [
        f"{asked.draws:,} curves are drawn from {_SOURCES[plan.read_from]}; seed {asked.seed}",
        "Enough: X(nodes − lost) × (1 − headroom) reaches the target"
        if plan.counts == "nodes"
        else "Enough: (nodes − lost) × X × (1 − headroom) reaches the target, with latency within its limit there",
        *(["Requests in flight = throughput × latency (Little 1961), in every draw"] if plan.latency else []),
    ]
    message = f"Method and evidence: {count(plan.n, 'measurement')} behind every number of the plan"
    notes = speaker_notes([f"The best balance is {RULE}."], plan.evidence)
    return slide(about("Appendix", led(answer)), "appendix", message, bullets(lines), sources_table(plan), notes)


_SOURCES = {
    "laws": "laws fitted to the levels, each as often as it is likely",
    "points": "the levels, straight between them, because no law holds them",
    "mix": "the curves of the operations, mixed by their times",
}


def sources(study: Study, answer: Plan) -> Section:
    """What was read, where there is no plan whose evidence could be named."""
    if isinstance(answer, PlanningAnswer):
        return NOTHING
    found = assess_quality(study)
    files = sorted(found.files, key=lambda one: -one.rows)[:MOST]
    lines = [f"{one.source}: {count(one.rows, 'value')}, SHA-256 {one.sha256[:16]}" for one in files]
    message = read_words(found).rstrip(".")
    return slide("Appendix", "sources", message, bullets(lines), speaker_notes([], found.evidence))


def record(
    study: Study, curves: Curves, answer: Plan, asked: Mapping[str, Any], counted: Curves | None = None
) -> Record:
    """Return the answers behind the slides for the end of a notebook; ``counted`` are the curves of `counting`."""
    planned = plan_record(study, answer, asked)
    plain = {**planned.answers["answers"], "scaling": add_evidence(to_dict(curves), curves)}
    if counted is not None and counted is not curves:
        plain["counting"] = add_evidence(to_dict(counted), counted)
    return replace(planned, answers={**planned.answers, "answers": plain})
