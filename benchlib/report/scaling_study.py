"""The sections of a study of scaling laws, in the order an engineer asks: one function a section.

Every function takes the scaling answer; where it is a refusal, the first section says why and the
others stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.bottleneck import BottleneckAnswer
from benchlib.answers.pooled import caveat_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.scaling import LawComparison, ScalingAnswer
from benchlib.plots.scaling_points import serial_fraction_figure
from benchlib.report.curve_blocks import checks_of, laws_of, split_of, throughput_of
from benchlib.report.efficiency_chart import efficiency_chart
from benchlib.report.sections import SHOWN_ROWS, details
from benchlib.report.wording import facts
from benchlib.report.wording.cards.card import card_row
from benchlib.report.wording.caveats import caveat_list, refusal_line
from benchlib.report.wording.law_words import (
    changed_words,
    choice_words,
    parameter_name,
    serial_findings,
)
from benchlib.report.wording.markup import Section, bullets, paragraph, render_table, tag
from benchlib.report.wording.measured_tables import files_table, read_words
from benchlib.report.wording.method import scaling_notes
from benchlib.report.wording.scaling_headline import law_cards, scaling_banner, scaling_record
from benchlib.report.wording.scaling_tables import (
    advice_table,
    bottleneck_table,
    changed_table,
    curve_table,
)
from benchlib.report.wording.scaling_words import scaling_findings
from benchlib.report.wording.told import joined, told
from benchlib.report.wording.words import count
from benchlib.study import Study

#: The notebook that these sections are made for.
NOTEBOOK = "40_scaling"
#: Curves drawn one by one; the tables hold all.
MOST_CURVES = 6

#: What is shown where there is nothing to say.
NOTHING = Section(title="", anchor="", blocks=())

Answer = ScalingAnswer | Refusal


def _where_answered(tell: Callable[[ScalingAnswer], Section]) -> Callable[[Answer], Section]:
    """Tell nothing where there is no answer: the headline has said why."""

    @wraps(tell)
    def told(answer: Answer) -> Section:
        return NOTHING if isinstance(answer, Refusal) else tell(answer)

    return told


#: The whole answer as data, for the end of the notebook.
record = scaling_record


def asked(study: Study, answer: Answer, parameters: Mapping[str, Any]) -> Section:
    """What was asked of which results."""
    told: dict[str, object] = {"study": study.title, **_worded(parameters)}
    if isinstance(answer, ScalingAnswer):
        told["concurrency"] = answer.axis
        told["cores of the machine"] = answer.cores or "not recorded"
        used = list(dict.fromkeys(fit.weights for one in answer.curves for fit in one.fits))
        told["weights"] = f"{told.get('weights', '')} ({', '.join(used) or 'no fit'})"
    blocks: list[object] = [facts.definition_list(told)]
    if study.tested:
        blocks.insert(0, paragraph(study.tested))
    return Section(title="What was asked", anchor="asked", blocks=tuple(blocks))


def _worded(parameters: Mapping[str, Any]) -> dict[str, object]:
    unset = {"extrapolate": "not asked for"}
    return {
        name.replace("_", " "): _word(value) if value != "" else unset.get(name, "as the study says")
        for name, value in parameters.items()
    }


def _word(value: object) -> object:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def data(study: Study) -> Section:
    """What was read, what failed, what wandered."""
    found = assess_quality(study)
    blocks: list[object] = [
        paragraph(read_words(found)),
        caveat_list(found.caveats, caveat_evidence(found)),
        details(f"Files ({len(found.files)})", render_table(files_table(found), SHOWN_ROWS)),
    ]
    return Section(title="Data quality", anchor="quality", blocks=tuple(blocks))


def headline(answer: Answer) -> Section:
    """The answer in a sentence and a few figures of merit, or why there is none."""
    if isinstance(answer, Refusal):
        return Section(title="Scaling", anchor="scaling", blocks=(refusal_line(answer),))
    return Section(title="", anchor="verdict", blocks=(scaling_banner(answer), card_row(law_cards(answer))))


@_where_answered
def measured(answer: ScalingAnswer) -> Section:
    """Every level of every curve."""
    blocks: list[object] = [bullets(scaling_findings(answer))]
    blocks += [curve_table(one) for one in answer.curves[:MOST_CURVES]]
    rest = answer.curves[MOST_CURVES:]
    if rest:
        blocks.append(details(f"{count(len(rest), 'more curve')}", *(render_table(curve_table(one)) for one in rest)))
    blocks += [refusal_line(one) for one in answer.refusals]
    return Section(title="What was measured", anchor="measured", blocks=tuple(blocks))


@_where_answered
def laws(answer: ScalingAnswer) -> Section:
    """The laws side by side, and why one was chosen."""
    blocks = [block for one in answer.curves[:MOST_CURVES] for block in laws_of(one)]
    rest = answer.curves[MOST_CURVES:]
    if rest:
        blocks.append(bullets(joined([f"{one.name}: ", choice_words(one)]) for one in rest))
    return Section(title="Which law", anchor="laws", blocks=tuple(blocks))


@_where_answered
def throughput(answer: ScalingAnswer) -> Section:
    """Points, laws and bands, a figure a curve; beyond the data only what was asked for."""
    blocks = [block for one in answer.curves[:MOST_CURVES] for block in throughput_of(one, answer.cores)]
    return Section(title="Throughput and its laws", anchor="throughput", blocks=tuple(blocks))


@_where_answered
def efficiency(answer: ScalingAnswer) -> Section:
    """Efficiency, and what the serial fraction of Karp and Flatt does."""
    told = serial_findings(answer.curves)
    blocks: list[object] = [
        efficiency_chart(answer),
        bullets(told),
    ]
    chart = serial_fraction_figure(
        answer,
        alt=f"Serial fraction against {answer.axis}. {'. '.join(told)}.",
        caption="Karp and Flatt's serial fraction: flat is serial work, rising is overhead that grows with it.",
    )
    if chart is not None:
        blocks.append(chart)
    return Section(title="Efficiency and serial fraction", anchor="efficiency", blocks=tuple(blocks))


@_where_answered
def time_split(answer: ScalingAnswer) -> Section:
    """Where the time of one unit of work goes."""
    blocks = [block for one in answer.curves[:MOST_CURVES] for block in split_of(one)]
    if not blocks:
        blocks = [paragraph("No law was chosen, and only a law can split the time.")]
    return Section(title="Where the time goes", anchor="time", blocks=tuple(blocks))


@_where_answered
def checks(answer: ScalingAnswer) -> Section:
    """Whether to believe the law: what it leaves over, and what it would have forecast."""
    blocks = [block for one in answer.curves[:MOST_CURVES] if one.chosen for block in checks_of(one, one.chosen)]
    if not blocks:
        return NOTHING
    return Section(title="Whether to believe the law", anchor="checks", blocks=tuple(blocks))


@_where_answered
def comparisons(answer: ScalingAnswer) -> Section:
    """Whether a loss differs between curves that share a law; nothing where none do."""
    if not answer.comparisons:
        return NOTHING
    blocks: list[object] = [bullets(told(changed_words(one), one.evidence) for one in answer.comparisons)]
    blocks += [details(_folded(one), render_table(changed_table(one))) for one in answer.comparisons]
    return Section(title="Did it change between curves", anchor="comparisons", blocks=tuple(blocks))


def _folded(compared: LawComparison) -> str:
    return f"{parameter_name(compared.comparison.name).capitalize()}, curve by curve"


def bottleneck(twins: BottleneckAnswer | Refusal) -> Section:
    """What workers lose to something shared: serial benchmarks against their parallel twins."""
    title = "Is something shared the bottleneck"
    if isinstance(twins, Refusal):
        return Section(title=title, anchor="bottleneck", blocks=(refusal_line(twins),))
    table = render_table(bottleneck_table(twins), SHOWN_ROWS)
    return Section(title=title, anchor="bottleneck", blocks=(table, caveat_list(twins.caveats, caveat_evidence(twins))))


@_where_answered
def next_measurements(answer: ScalingAnswer) -> Section:
    """What to measure next, as the command to run."""
    blocks: list[object] = []
    for one in answer.curves[:MOST_CURVES]:
        advised = advice_table(one)
        if advised is not None:
            blocks.append(advised)
            blocks += [tag("pre", tag("code", command)) for command in one.commands[:1]]
    if not blocks:
        blocks = [paragraph("No measurement can be named that would make a quantity of the chosen law surer.")]
    return Section(title="What to measure next", anchor="next", blocks=tuple(blocks))


@_where_answered
def caveats(answer: ScalingAnswer) -> Section:
    """Every caveat with its advice."""
    shown = caveat_list(answer.caveats, caveat_evidence(answer)) or paragraph("None.")
    return Section(title="Caveats", anchor="caveats", blocks=(shown,))


@_where_answered
def method(answer: ScalingAnswer) -> Section:
    """How the numbers were made."""
    notes = details("How the numbers were made", scaling_notes(answer))
    return Section(title="Method", anchor="method", blocks=(notes,))


def provenance(study: Study, parameters: Mapping[str, Any]) -> Section:
    """Where the page came from."""
    command = facts.report_command(study, parameters, notebook=NOTEBOOK)
    made = facts.made_with(study, _worded(parameters), command, facts.NOT_SIMULATED)
    return Section(title="Provenance", anchor="provenance", blocks=tuple(made))
