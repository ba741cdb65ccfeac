"""What could be wrong with the answer, and what would settle it where there is no plan."""

from __future__ import annotations

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.quality import assess_quality
from benchlib.answers.scaling import ScalingAnswer
from benchlib.report.capacity_deck.slide import MOST, NOTHING, Curves, Plan, about, lead, slide
from benchlib.report.wording.deck.messages import doubt_message
from benchlib.report.wording.deck.notes import speaker_notes
from benchlib.report.wording.deck.points import capital, doubt_points, worst_first
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, bullets
from benchlib.report.wording.measured_tables import read_words
from benchlib.report.wording.words import count
from benchlib.study import Study


def doubts(study: Study, answer: Plan) -> Section:
    """What could be wrong."""
    kicker = "What could be wrong"
    if isinstance(answer, Refusal):
        found = assess_quality(study)
        worst = worst_first(found.caveats)
        message = f"{count(len(worst), 'caveat')} on the data, before any plan" if worst else "No caveat on the data"
        notes = speaker_notes([f"{one.message}. {one.advice}" for one in worst], found.evidence)
        lines = [read_words(found), *(f"{capital(one.message)}. {one.advice}" for one in worst[:MOST])]
        return slide(kicker, "doubts", message, bullets(lines), notes)
    first = led(answer)
    plan = first.loads[0]
    every = [f"{one.message}. {one.advice}" for one in (*worst_first(plan.caveats), *worst_first(first.caveats))]
    every += [f"{one.reason}; {one.advice}" for one in (*plan.refusals, *first.refusals)]
    notes = speaker_notes(every, plan.evidence)
    return slide(about(kicker, first), "doubts", doubt_message(first), bullets(doubt_points(first)), notes)


def missing(curves: Curves, answer: Plan) -> Section:
    """What would settle it; nothing where there is a plan."""
    plan = lead(answer)
    if isinstance(answer, PlanningAnswer) and plan is not None:
        if plan.best is not None:
            return NOTHING
        refused = [*([plan.unmet] if plan.unmet is not None else []), *plan.refusals, *answer.refusals]
    else:
        refused = [answer] if isinstance(answer, Refusal) else []
    lines = [capital(one.advice) for one in refused]
    if isinstance(curves, ScalingAnswer):
        lines += [command for one in curves.curves for command in one.commands[:1]]
    lines = list(dict.fromkeys(lines))
    nearest = next((one for one in lines if one.startswith("Nearest: ")), "")
    message = nearest or f"{count(len(lines), 'step')} would let a plan be made"
    shown = bullets(one for one in lines[:MOST] if one != nearest)
    return slide("What would settle it", "missing", message, shown, speaker_notes(lines[MOST:]))
