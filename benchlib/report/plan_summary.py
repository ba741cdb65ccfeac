"""What a report on everything says of the study's target: the plan of each load, with its figure of demand."""

from __future__ import annotations

from benchlib.answers.asking import Refusal
from benchlib.answers.executive import ExecutiveSummary
from benchlib.plots.capacity import demand_figure
from benchlib.report.wording.caveats import refusal_line
from benchlib.report.wording.facts import report_command
from benchlib.report.wording.markup import bullets, paragraph, tag
from benchlib.report.wording.plan_asked import target_words, written_target
from benchlib.report.wording.plan_headline import conditions_words, trust_words
from benchlib.report.wording.plan_words import kind_words, plan_words, sure_words
from benchlib.report.wording.told import joined

#: Loads that are told here; the page of the plan has them all.
MOST_LOADS = 4


def planned(summary: ExecutiveSummary) -> list[object]:
    """Return the plan for the target of the study; nothing where it names none."""
    answer = summary.plan
    if summary.study.capacity.target is None:
        return []
    if isinstance(answer, Refusal):
        asked = written_target(summary.study.capacity.target.written)
        return [tag("h3", f"Capacity for {asked}"), refusal_line(answer)]
    found = [(plan, plan.best) for plan in answer.loads[:MOST_LOADS] if plan.best is not None]
    lines = [
        joined([f"{plan.name}: ", plan_words(best, plan, answer), ", ", sure_words(best), "."]) for plan, best in found
    ]
    charts = [
        demand_figure(
            answer,
            plan,
            alt=f"{plan.name}. Nodes against the load: {plan_words(best, plan, answer)}; {sure_words(best)}.",
            caption=f"{plan.name}. Nodes of {kind_words(best, plan)} against the load: enough in 50, 80 and 95 % of "
            "the draws. The dot is the plan.",
        )
        for plan, best in found[:1]
    ]
    doubts = trust_words(answer)
    takes = joined(
        [f"What {target_words(answer)}{conditions_words(answer)} takes", *([", ", doubts] if doubts else []), ":"]
    )
    command = report_command(summary.study, {}, notebook="70_capacity")
    return [
        tag("h3", f"Capacity for {target_words(answer)}"),
        paragraph(takes),
        bullets(lines),
        *charts,
        paragraph("Cost, latency under load, what could be wrong, and what is refused:"),
        tag("pre", tag("code", command)),
    ]
