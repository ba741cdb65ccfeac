"""The sections of a comparison, in the order a reviewer asks: one function a section.

Every function takes the answers to all comparisons of a study; where they are refusals, the first section says
why and the others stay empty.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, comparison_evidence, comparison_study
from benchlib.answers.pooled import caveat_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.repeatability import repeats_of_code
from benchlib.caveats import merge
from benchlib.report.comparison_blocks import (
    compared_of,
    controls_of,
    drift_of,
    pairs_of,
    percentiles_of,
    repeats_of,
)
from benchlib.report.sections import SHOWN_ROWS, details
from benchlib.report.wording import facts
from benchlib.report.wording.cards.card import card_row
from benchlib.report.wording.cards.comparison import comparison_cards
from benchlib.report.wording.caveats import caveat_list, refusal_line
from benchlib.report.wording.comparison.headline import checked_targets, comparison_banner, comparison_record
from benchlib.report.wording.comparison.interactions import interactions as interaction_lines
from benchlib.report.wording.comparison.tables import geomeans_table, sides_table
from benchlib.report.wording.comparison.words import answer_name, asked_words
from benchlib.report.wording.markup import Section, bullets, paragraph, render_table, tag
from benchlib.report.wording.measured_tables import files_table, read_words
from benchlib.report.wording.method import comparison_notes
from benchlib.report.wording.tables import comparison_table, targets_table
from benchlib.report.wording.told import told
from benchlib.report.wording.words import count, listed
from benchlib.study import Study, open_study

#: The notebook that these sections are made for.
NOTEBOOK = "30_comparison"
MOST_CARDS = 6
#: Where recordings lie that are no study of their own.
UNNAMED = Path()

#: What is shown where there is nothing to say.
NOTHING = Section(title="", anchor="", blocks=())

Answers = Sequence[ComparisonAnswer | Refusal]

#: The whole answer as data, for the end of the notebook.
record = comparison_record


def open_comparison(
    study: str, *, where: str = "", column: str = "", baseline: str = "", candidate: str = "", metric: str = "",
    control: str = "",
) -> Study:  # fmt: skip
    """Open what a comparison is made of, with the comparisons to make.

    Parameters
    ----------
    study : str
        A folder of results; where it is empty, `baseline` and `candidate` are paths of recordings.
    where : str
        Narrow to matching rows.
    column : str
        The column whose levels are compared; empty for every comparison that the study itself asks for.
    baseline, candidate : str
        Levels of the column, or paths, with commas.
    metric : str
        With commas; empty for all.
    control : str
        Conditions for rows that the change cannot affect, with semicolons; empty for the study's own.

    Raises
    ------
    BenchlibError
        As `benchlib.open_study` and `benchlib.compare` do.

    Examples
    --------
    >>> [one.name for one in open_comparison("data/heavy-read-api-published").comparisons]
    ['local cache against Redis', 'gateway against direct']
    >>> [one.name for one in open_comparison("data/lplex", column="run", baseline="old").comparisons]
    ['new against old']
    """
    conditions = [one.strip() for one in control.split(";") if one.strip()]
    if not study.strip():
        sides = [one.strip() for one in (*baseline.split(","), *candidate.split(",")) if one.strip()]
        found = comparison_study(*sides, where=where, metric=metric, controls=conditions)
        return replace(found, path=UNNAMED, title=listed([one.name for one in found.comparisons]))
    opened = open_study(study, where=where)
    if not (column or baseline or opened.comparisons):
        return opened  # nothing to make: the page says what to name
    return comparison_study(
        opened, col=column, baseline=baseline, candidate=candidate, metric=metric, controls=conditions
    )


def headline(study: Study, answers: Answers) -> Section:
    """The verdict in at most three sentences and a few figures of merit, or why there is none."""
    answered = _answered(answers)
    if not answered:
        return Section(title="Comparison", anchor="comparison", blocks=tuple(map(refusal_line, _refused(answers))))
    cards = [card for one in answered for card in comparison_cards(one, study.parallel)]
    return Section(
        title="", anchor="verdict", blocks=(comparison_banner(study, answered), card_row(tuple(cards[:MOST_CARDS])))
    )


def _answered(answers: Answers) -> list[ComparisonAnswer]:
    return [one for one in answers if isinstance(one, ComparisonAnswer)]


def _refused(answers: Answers) -> list[Refusal]:
    refused = [one for one in answers if isinstance(one, Refusal)]
    if answers:
        return refused
    return [
        Refusal(
            question="comparison",
            reason="the study names nothing to compare",
            advice="name a column and a baseline, or add [[compare]] to study.toml",
        )
    ]


def asked(study: Study, answers: Answers, parameters: Mapping[str, Any]) -> Section:
    """What was asked of which results, and how sound these are."""
    asked_for: dict[str, object] = {"study": study.title}
    asked_for |= {answer_name(one): told(asked_words(one), comparison_evidence(one)) for one in _answered(answers)}
    asked_for |= {name.replace("_", " "): value for name, value in parameters.items() if value != ""}
    found = assess_quality(study)
    blocks: list[object] = [paragraph(study.tested)] if study.tested else []
    blocks.append(facts.definition_list(asked_for))
    blocks += [details(f"Sides of {answer_name(one)}", render_table(sides_table(one))) for one in _answered(answers)]
    blocks.append(paragraph(read_words(found)))
    if found.caveats:
        blocks.append(
            details(
                f"{count(len(found.caveats), 'remark')} on the data", caveat_list(found.caveats, caveat_evidence(found))
            )
        )
    blocks.append(details(f"Files ({len(found.files)})", render_table(files_table(found), SHOWN_ROWS)))
    return Section(title="What was asked", anchor="asked", blocks=tuple(blocks))


def verdicts(answers: Answers) -> Section:
    """What changed, what cannot be told and why; a forest plot of the ratios."""
    refused = [block for one in _refused(answers) for block in (tag("h3", one.question), refusal_line(one))]
    compared = _each(answers, compared_of)
    return _section("What changed", "verdicts", [*compared, *refused] if compared else [])


def rows(answers: Answers) -> Section:
    """Every row with its numbers."""
    blocks = [render_table(comparison_table(one), SHOWN_ROWS) for one in _answered(answers)]
    return _section("Every row", "rows", blocks)


def controls(answers: Answers) -> Section:
    """What the machine alone did to rows that the change cannot affect, and what that leaves of the others."""
    return _section("Controls: what the machine alone did", "controls", _each(answers, controls_of))


def drift(answers: Answers) -> Section:
    """In which order the sides were recorded, and whether the machine moved meanwhile."""
    return _section("Whether the machine stood still", "drift", _each(answers, drift_of))


def percentiles(answers: Answers) -> Section:
    """Where between fastest and slowest the sides differ."""
    return _section("From the fastest to the slowest", "percentiles", _each(answers, percentiles_of))


def pairs(answers: Answers) -> Section:
    """Every value of both sides."""
    return _section("Every value", "pairs", _each(answers, pairs_of))


def interactions(answers: Answers) -> Section:
    """Where another axis takes an advantage away or adds to it."""

    def tell(answer: ComparisonAnswer) -> list[object]:
        lines = [told(line, comparison_evidence(answer)) for line in interaction_lines(answer)]
        return [bullets(lines)] if lines else []

    return _section("What depends on where", "interactions", _each(answers, tell))


def repeatability(study: Study) -> Section:
    """How far runs of the same code lie apart; nothing where runs are what is compared."""
    found = repeats_of_code(study)
    return _section("Runs of the same code", "repeatability", repeats_of(found) if found is not None else [])


def targets(study: Study, answers: Answers) -> Section:
    """The targets of the study, met or missed."""
    found = checked_targets(study, _answered(answers))
    return _section("Targets", "targets", [targets_table(found)] if found else [])


def geomeans(answers: Answers) -> Section:
    """What all rows of a metric did together."""
    found = geomeans_table(_answered(answers))
    return _section("All rows together", "geomeans", [found] if found is not None else [])


def caveats(answers: Answers) -> Section:
    """Every caveat with its advice."""
    answered = _answered(answers)
    found = merge(*(one.caveats for one in answered))
    shown = caveat_list(found, caveat_evidence(*answered)) or paragraph("None.")
    return _section("Caveats", "caveats", [shown] if answered else [])


def method(study: Study, answers: Answers, parameters: Mapping[str, Any]) -> Section:
    """How the numbers were made, and where the page came from."""
    if study.path == UNNAMED:
        command = _by_hand(parameters)
    else:
        command = facts.report_command(study, parameters, notebook=NOTEBOOK)
    worded = {name.replace("_", " "): "as the study says" if one == "" else one for name, one in parameters.items()}
    made = facts.made_with(study, worded, command, facts.NOT_SIMULATED)
    if not _answered(answers):
        return Section(title="Provenance", anchor="provenance", blocks=tuple(made))
    notes = details("How the numbers were made", comparison_notes())
    return Section(title="Method and provenance", anchor="method", blocks=(notes, *made))


def _by_hand(parameters: Mapping[str, Any]) -> str:
    """Return the command for recordings that are no study: a report is of a study, plain papermill of anything."""
    words = ["papermill", f"notebooks/{NOTEBOOK}.ipynb", "out.ipynb", "-p", "study", ""]
    for name, value in parameters.items():
        words += ["-p", name, str(value)] if value != "" else []
    return shlex.join(words)


def _each(answers: Answers, tell: Callable[[ComparisonAnswer], Sequence[object]]) -> list[object]:
    """Return what is told of every answer, under its name where there are several."""
    answered = _answered(answers)
    blocks: list[object] = []
    for one in answered:
        found = tell(one)
        blocks += [tag("h3", answer_name(one))] if found and len(answered) > 1 else []
        blocks += found
    return blocks


def _section(title: str, anchor: str, blocks: Sequence[object]) -> Section:
    """Return a section; none where it has no blocks."""
    return Section(title=title, anchor=anchor, blocks=tuple(blocks)) if blocks else NOTHING
