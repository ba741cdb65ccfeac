"""What the talk is about and what was asked, and the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.requirements import plan_wanted
from benchlib.report.capacity_deck.slide import Plan, lead, slide
from benchlib.report.wording.cards.card import card_row
from benchlib.report.wording.deck.messages import limit_open, others_words, plan_message
from benchlib.report.wording.deck.notes import speaker_notes
from benchlib.report.wording.deck.points import capital
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, bullets, paragraph
from benchlib.report.wording.plan_asked import asked_words, limit_words, wanted_words
from benchlib.report.wording.plan_headline import plan_cards, plan_verdict
from benchlib.study import Study


def title(study: Study, answer: Plan, asked: Mapping[str, Any]) -> Section:
    """What the talk is about, and what was asked."""
    plan = lead(answer)
    if plan is not None and isinstance(answer, PlanningAnswer):
        wanted = asked_words(plan, answer)
    else:
        words = {"node" if name == "nodes" else name: value for name, value in asked.items() if name in _ASKED}
        wanted = wanted_words(plan_wanted(study, **words).asked)
    machine = [str(study.environment[one]) for one in ("machine", "cpu", "date") if study.environment.get(one)]
    lines = [study.question, f"Asked: {wanted}", ", ".join(dict.fromkeys(machine))]
    notes = speaker_notes([study.tested, study.origin])
    return slide("Capacity plan", "title", study.title, *(paragraph(one) for one in lines if one), notes)


#: Parameters that say what a plan is for; prices without a currency cannot be read.
_ASKED = ("target", "slo", "headroom", "survive", "nodes", "growth", "start", "currency", "mix")


def verdict(answer: Plan) -> Section:
    """The answer, how sure it is, and what it does not say."""
    if isinstance(answer, Refusal):
        why, _, more = answer.reason.partition("; ")
        told = bullets(capital(one) for one in f"{more}; {answer.advice}".split("; ") if one)
        return slide("Verdict", "verdict", f"No plan: {why}", told, speaker_notes([answer.reason]))
    first = led(answer)
    plan = first.loads[0]
    refused = (*plan.refusals, *first.refusals)[:2]
    notes = speaker_notes(
        [
            plan_verdict(first),
            f"The slides follow {plan.name}, which takes the most." if len(first.loads) > 1 else "",
            f"{capital(limit_words(first.asked))} is not judged: these data do not say it."
            if limit_open(first)
            else "",
        ],
        plan.evidence,
    )
    if plan.best is None:  # figures of the other loads would be taken for this one's
        unmet = [plan.unmet] if plan.unmet is not None else []
        said = [line.removeprefix(f"{plan.name}: ") for one in (*unmet, *refused) for line in (one.reason, one.advice)]
        reasons = [*said, *others_words(first)]
        return slide("Verdict", "verdict", plan_message(first), bullets(map(capital, reasons)), notes)
    lines = bullets(f"Not known: {one.reason}" for one in refused)
    return slide("Verdict", "verdict", plan_message(first), card_row(plan_cards(first)), lines, notes)
