"""The sections of a study of effects, in the order an engineer asks: one function a section.

Every function takes the effects answer; where it is a refusal, the first section says why and the others
stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.effects import EffectModel, EffectsAnswer
from benchlib.answers.pooled import caveat_evidence
from benchlib.answers.quality import assess_quality
from benchlib.caveats import Caveat
from benchlib.report.effects_blocks import breakdown_of, cells_of, interactions_of, model_of, ratios_of
from benchlib.report.sections import SHOWN_ROWS, details
from benchlib.report.wording import facts
from benchlib.report.wording.cards.card import card_row
from benchlib.report.wording.cards.effects import effects_cards
from benchlib.report.wording.caveats import caveat_list, refusal_line
from benchlib.report.wording.cost_tables import importance_table, prediction_remarks, predictions_table, special_table
from benchlib.report.wording.effects_headline import effects_banner, effects_record
from benchlib.report.wording.effects_tables import cells_table, effects_table
from benchlib.report.wording.effects_words import (
    cost_words,
    interaction_words,
    model_name,
)
from benchlib.report.wording.law_words import changed_words
from benchlib.report.wording.markup import Section, bullets, paragraph, render_table, tag
from benchlib.report.wording.measured_tables import files_table, read_words
from benchlib.report.wording.method import effects_notes
from benchlib.report.wording.sentences import effects_findings
from benchlib.report.wording.told import told
from benchlib.report.wording.words import count, listed
from benchlib.study import Study

#: The notebook that these sections are made for.
NOTEBOOK = "50_effects"
#: Groups drawn one by one; sentences and tables hold all.
MOST_GROUPS = 4
MOST_CARDS = 6

#: How a parameter reads that was left empty; the others are as the study says.
_UNSET = {"predict": "nothing asked for"}

#: What is shown where there is nothing to say.
NOTHING = Section(title="", anchor="", blocks=())

Answer = EffectsAnswer | Refusal

#: The whole answer as data, for the end of the notebook.
record = effects_record


def _where_answered(tell: Callable[[EffectsAnswer], Section]) -> Callable[[Answer], Section]:
    """Tell nothing where there is no answer: the headline has said why."""

    @wraps(tell)
    def told(answer: Answer) -> Section:
        return NOTHING if isinstance(answer, Refusal) else tell(answer)

    return told


def _drawn(answer: EffectsAnswer) -> tuple[list[EffectModel], list[EffectModel]]:
    """Return the groups that are drawn, by the first metric, and all others."""
    first = [one for one in answer.models if one.metric == answer.models[0].metric][:MOST_GROUPS]
    return first, [one for one in answer.models if one not in first]


def _section(title: str, anchor: str, blocks: Sequence[object]) -> Section:
    """Return a section; none where it has no blocks."""
    return Section(title=title, anchor=anchor, blocks=tuple(blocks)) if blocks else NOTHING


def headline(answer: Answer) -> Section:
    """The answer in a sentence or two and a few figures of merit, or why there is none."""
    if isinstance(answer, Refusal):
        return Section(title="Effects", anchor="effects", blocks=(refusal_line(answer),))
    cards = card_row(tuple(effects_cards(answer))[:MOST_CARDS])
    return Section(title="", anchor="verdict", blocks=(effects_banner(answer), cards))


def asked(study: Study, answer: Answer, parameters: Mapping[str, Any]) -> Section:
    """What was asked of which results, and how sound these are."""
    asked_for: dict[str, object] = {"study": study.title, **_worded(parameters)}
    if isinstance(answer, EffectsAnswer):
        asked_for["factors"] = listed(list(answer.factors))
        asked_for["metric"] = listed(list(dict.fromkeys(one.metric for one in answer.models)))
    found = assess_quality(study)
    blocks = [
        *([paragraph(study.tested)] if study.tested else []),
        facts.definition_list(asked_for),
        paragraph(read_words(found)),
        *(
            [details(_remarks(found.caveats), caveat_list(found.caveats, caveat_evidence(found)))]
            if found.caveats
            else []
        ),
        details(f"Files ({len(found.files)})", render_table(files_table(found), SHOWN_ROWS)),
    ]
    return Section(title="What was asked", anchor="asked", blocks=tuple(blocks))


def _remarks(found: Sequence[Caveat]) -> str:
    alerts = sum(one.severity == "alert" for one in found)
    grave = f", {count(alerts, 'alert')} among them" if alerts else ""
    return f"{count(len(found), 'remark')} on the data{grave}"


def _worded(parameters: Mapping[str, Any]) -> dict[str, object]:
    worded: dict[str, object] = {}
    for name, value in parameters.items():
        shown = {"": _UNSET.get(name, "as the study says"), "True": "yes", "False": "no"}.get(str(value), value)
        worded[name.replace("_", " ")] = shown
    return worded


@_where_answered
def importance(answer: EffectsAnswer) -> Section:
    """Which factor accounts for how much."""
    shares = importance_table(answer)
    return _section("Which factor matters", "importance", [shares] if shares is not None else [])


@_where_answered
def effects(answer: EffectsAnswer) -> Section:
    """What one more of a factor costs, and what one level costs against another."""
    drawn, others = _drawn(answer)
    blocks: list[object] = []
    for one in drawn:
        blocks += [*ratios_of(one), bullets(effects_findings(replace(answer, models=(one,))))]
    rest = [one for one in others if one.metric == drawn[0].metric]
    if rest:
        blocks.append(bullets(effects_findings(replace(answer, models=tuple(rest)))))
    blocks.append(details("Every effect of every metric", render_table(effects_table(answer), SHOWN_ROWS)))
    return _section("What each factor costs", "effects", blocks)


@_where_answered
def models(answer: EffectsAnswer) -> Section:
    """The cost model of each group, its rivals, and whether to believe it."""
    drawn, others = _drawn(answer)
    blocks = [block for one in drawn for block in model_of(one)]
    lines = [told(f"{model_name(one)}: {cost_words(one)}", one.evidence) for one in others if one.cost is not None]
    if lines:
        blocks += [tag("h3", "Other metrics and groups"), bullets(lines)]
    return _section("The cost model", "models", blocks)


@_where_answered
def predictions(answer: EffectsAnswer) -> Section:
    """What the cells would cost that were asked for."""
    predicted = predictions_table(answer)
    blocks = [predicted, bullets(prediction_remarks(answer))] if predicted is not None else []
    return _section("Predictions", "predictions", blocks)


@_where_answered
def interactions(answer: EffectsAnswer) -> Section:
    """What factors do to each other's effects."""
    drawn, others = _drawn(answer)
    blocks = [block for one in drawn for block in interactions_of(one)]
    lines = [told(f"{model_name(one)}: {line}", one.evidence) for one in others for line in interaction_words(one)]
    if lines:
        blocks.append(details(f"Other metrics and groups ({len(lines)})", bullets(lines)))
    return _section("What factors do together", "interactions", blocks)


@_where_answered
def special_cells(answer: EffectsAnswer) -> Section:
    """The cells that no model explains."""
    apart = special_table(answer)
    return _section("Special cells", "special-cells", [apart] if apart is not None else [])


@_where_answered
def breakdowns(answer: EffectsAnswer) -> Section:
    """What a whole is made of."""
    blocks = [block for one in answer.breakdowns for block in breakdown_of(one)]
    return _section("Where it goes", "breakdown", [*blocks, *_refused(answer, "breakdown")])


@_where_answered
def changes(answer: EffectsAnswer) -> Section:
    """Whether losses of scaling depend on the factors."""
    blocks = [bullets(told(changed_words(one), one.evidence) for one in answer.scaling)] if answer.scaling else []
    return _section("Whether scaling depends on it", "changes", blocks)


def _refused(answer: EffectsAnswer, question: str) -> list[object]:
    return [refusal_line(one) for one in answer.refusals if one.question == question]


@_where_answered
def cells(answer: EffectsAnswer) -> Section:
    """Every combination of levels: a grid a group, and the table of all metrics."""
    blocks = [block for one in _drawn(answer)[0] for block in cells_of(one)]
    blocks += [details(f"Cells: {name}", render_table(table)) for name, table in cells_table(answer)]
    return _section("Every cell", "cells", blocks)


@_where_answered
def caveats(answer: EffectsAnswer) -> Section:
    """Every caveat with its advice."""
    shown = caveat_list(answer.caveats, caveat_evidence(answer)) or paragraph("None.")
    return Section(title="Caveats", anchor="caveats", blocks=(shown,))


def method(study: Study, answer: Answer, parameters: Mapping[str, Any]) -> Section:
    """How the numbers were made, and where the page came from."""
    command = facts.report_command(study, parameters, notebook=NOTEBOOK)
    made = facts.made_with(study, _worded(parameters), command, facts.NOT_SIMULATED)
    if isinstance(answer, Refusal):
        return Section(title="Provenance", anchor="provenance", blocks=tuple(made))
    notes = details("How the numbers were made", effects_notes())
    return Section(title="Method and provenance", anchor="method", blocks=(notes, *made))
