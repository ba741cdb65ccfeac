"""The sections of a capacity plan, in the order an engineer asks: one function a section.

Every function takes the answer; where it is a refusal, the first section says why and the others stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import LoadPlan, PlanningAnswer
from benchlib.answers.pooled import caveat_evidence
from benchlib.answers.quality import assess_quality
from benchlib.report.page.what_if import can_be_moved, what_if_block
from benchlib.report.plan_blocks import cost_of, demand_of, doubts_of, latency_of, plan_of, returns_of, unsaid
from benchlib.report.sections import SHOWN_ROWS, details
from benchlib.report.wording import facts
from benchlib.report.wording.cards.card import card_row
from benchlib.report.wording.caveats import caveat_list, refusal_line
from benchlib.report.wording.markup import Section, paragraph, render_table, tag
from benchlib.report.wording.measured_tables import files_table, read_words
from benchlib.report.wording.method import plan_notes
from benchlib.report.wording.plan_headline import plan_banner, plan_cards, plan_record
from benchlib.report.wording.plan_words import plan_words
from benchlib.report.wording.told import joined
from benchlib.report.wording.words import count
from benchlib.study import Study
from benchlib.units import asked_share

#: The notebook that these sections are made for.
NOTEBOOK = "70_capacity"
#: Loads drawn one by one; the tables of answers.json hold all.
MOST_LOADS = 4

#: What is shown where there is nothing to say.
NOTHING = Section(title="", anchor="", blocks=())

Answer = PlanningAnswer | Refusal
Blocks = Callable[[LoadPlan, PlanningAnswer], list[object]]

#: The whole answer as data, for the end of the notebook.
record = plan_record


def _where_answered(tell: Callable[[PlanningAnswer], Section]) -> Callable[[Answer], Section]:
    """Tell nothing where there is no answer: the headline has said why."""

    @wraps(tell)
    def told(answer: Answer) -> Section:
        return NOTHING if isinstance(answer, Refusal) else tell(answer)

    return told


def headline(answer: Answer) -> Section:
    """The answer in a sentence a load and a few figures of merit, or why there is none."""
    if isinstance(answer, Refusal):
        return Section(title="Capacity", anchor="capacity", blocks=(refusal_line(answer),))
    return Section(title="", anchor="verdict", blocks=(plan_banner(answer), card_row(plan_cards(answer))))


def asked(study: Study, answer: Answer, parameters: Mapping[str, Any]) -> Section:
    """What was asked of which results, whoever said it: parameters that were left empty are the study's."""
    told: dict[str, object] = {"study": study.title, **_worded(parameters)}
    if isinstance(answer, PlanningAnswer):
        told |= {name: value for name, value in _planned(answer).items() if value}
    blocks: list[object] = [facts.definition_list(told)]
    if study.tested:
        blocks.insert(0, paragraph(study.tested))
    return Section(title="What was asked", anchor="asked", blocks=tuple(blocks))


def _planned(answer: PlanningAnswer) -> dict[str, object]:
    asked_for = answer.asked
    return {
        "target": asked_for.target,
        "slo": asked_for.slo,
        "headroom": asked_share(asked_for.headroom),
        "survive": f"{asked_for.survive} lost",
        "nodes": "; ".join(asked_for.nodes) or "the levels of the sweep",
        "growth": asked_for.growth,
        "start": asked_for.start,
        "currency": asked_for.currency,
        "mix": ", ".join(f"{name} {share:g}" for name, share in asked_for.mix.items()),
        "concurrency": answer.axis,
        "cores of the machine": answer.cores or "not recorded",
    }


def _worded(parameters: Mapping[str, Any]) -> dict[str, object]:
    """Name the parameters that were given; of sixteen most are left to the study."""
    return {name.replace("_", " "): value for name, value in parameters.items() if value != ""}


def data(study: Study) -> Section:
    """What was read, what failed, what wandered."""
    found = assess_quality(study)
    blocks: list[object] = [
        paragraph(read_words(found)),
        caveat_list(found.caveats, caveat_evidence(found)),
        details(f"Files ({len(found.files)})", render_table(files_table(found), SHOWN_ROWS)),
    ]
    return Section(title="Data quality", anchor="quality", blocks=tuple(blocks))


def _each_load(answer: PlanningAnswer, blocks_of: Blocks) -> list[object]:
    """Return the blocks of each load, under its name where there are several."""
    blocks: list[object] = []
    for one in answer.loads[:MOST_LOADS]:
        made = blocks_of(one, answer)
        blocks += [tag("h3", one.name)] if made and len(answer.loads) > 1 else []
        blocks += made
    return blocks


def _section(title: str, anchor: str, blocks: list[object]) -> Section:
    return Section(title=title, anchor=anchor, blocks=tuple(blocks)) if blocks else NOTHING


@_where_answered
def plan(answer: PlanningAnswer) -> Section:
    """What to take for each load, and the kinds of node side by side."""
    blocks = _each_load(answer, plan_of)
    for one in answer.loads[MOST_LOADS:]:
        said = plan_words(one.best, one, answer) if one.best is not None else "no count of nodes is enough"
        blocks.append(paragraph(joined([f"{one.name}: ", said, "."])))
    return _section("What to take", "plan", blocks)


@_where_answered
def demand(answer: PlanningAnswer) -> Section:
    """Nodes for each load, and how sure."""
    return _section("Nodes for each load", "demand", _each_load(answer, demand_of))


@_where_answered
def cost(answer: PlanningAnswer) -> Section:
    """Cost of each load by kind of node; nothing where there is neither a choice nor a price."""
    choice = any(len(one.options) > 1 for one in answer.loads)
    return _section("Scale up or out" if choice else "Cost", "cost", _each_load(answer, cost_of))


@_where_answered
def returns(answer: PlanningAnswer) -> Section:
    """What each added core gives, and what was recommended; nothing where no cores were swept."""
    noun = answer.loads[0].counts.removesuffix("s")
    return _section(f"What another {noun} returns", "returns", _each_load(answer, returns_of))


@_where_answered
def latency(answer: PlanningAnswer) -> Section:
    """Latency of a node against its throughput."""
    return _section("Latency under load", "latency", _each_load(answer, latency_of))


@_where_answered
def what_if(answer: PlanningAnswer) -> Section:
    """Other settings, answered in the page, where they can be moved; every load adds its draws to it."""
    if not can_be_moved(answer):
        return NOTHING
    return _section("What if", "what-if", [what_if_block(replace(answer, loads=answer.loads[:MOST_LOADS]))])


@_where_answered
def doubts(answer: PlanningAnswer) -> Section:
    """What could be wrong with the plan, and what these data cannot say."""
    return _section("What could be wrong", "doubts", [*_each_load(answer, doubts_of), *unsaid(answer)])


@_where_answered
def caveats(answer: PlanningAnswer) -> Section:
    """Every caveat of the whole study with its advice, and where those of the loads stand."""
    shown = caveat_list(answer.caveats, caveat_evidence(answer)) or paragraph("None concerns the whole study.")
    of_loads = len({one.message for plan in answer.loads for one in plan.caveats})
    there = tag("a", "What could be wrong", href="#doubts")
    below = [tag("p", f"{count(of_loads, 'caveat')} of the loads planned: see ", there, ".")] if of_loads else []
    return Section(title="Caveats", anchor="caveats", blocks=(shown, *below))


@_where_answered
def method(answer: PlanningAnswer) -> Section:
    """How the numbers were made."""
    return Section(title="Method", anchor="method", blocks=(details("How the numbers were made", plan_notes()),))


def provenance(study: Study, parameters: Mapping[str, Any]) -> Section:
    """Where the page came from."""
    command = facts.report_command(study, parameters, notebook=NOTEBOOK)
    seed = facts.seed_words(parameters["seed"], parameters["draws"])
    made = facts.made_with(study, _worded(parameters), command, seed)
    return Section(title="Provenance", anchor="provenance", blocks=tuple(made))
