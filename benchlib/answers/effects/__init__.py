"""What does a factor cost, which one matters, and what would a cell cost that was not measured?

::

    Study -> ask (question) -> answer_models (models), others -> EffectsAnswer -> effects_document (plain)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

import pandas as pd

from benchlib.answers.effects.answer import (
    BreakdownAnswer,
    ChoiceAnswer,
    CostAnswer,
    EffectModel,
    EffectsAnswer,
)
from benchlib.answers.effects.models import answer_models
from benchlib.answers.effects.others import (
    answer_breakdowns,
    answer_choices,
    answer_scaling,
)
from benchlib.answers.effects.question import Question, ask
from benchlib.answers.grouping import label, name_caveats, residue
from benchlib.answers.quality import problem_caveats
from benchlib.answers.refusal import Refusal
from benchlib.caveats import Caveat, merge
from benchlib.errors import DataError, SelectionError, choices
from benchlib.study import Study, open_study

__all__ = [
    "BreakdownAnswer",
    "ChoiceAnswer",
    "CostAnswer",
    "EffectModel",
    "EffectsAnswer",
    "analyse_effects",
    "break_down_study",
]


def analyse_effects(
    study: Study | str | PathLike[str],
    *,
    factors: str | Sequence[str] = (),
    numeric: str | Sequence[str] = (),
    metric: str | Sequence[str] = (),
    by: str | Sequence[str] = (),
    baselines: str | Mapping[str, object] = "",
    predict: str | Mapping[str, object] | Sequence[str | Mapping[str, object]] = (),
    extrapolate: bool = False,
    term_set: str = "standard",
    best: str | Sequence[str] = (),
    confidence_level: float = 0.95,
    plain: bool = False,
) -> EffectsAnswer | Refusal:
    """Break out what each factor does to each metric of a study, and predict cells that were not measured.

    Parameters
    ----------
    study : Study, str or path
        A study, or where one lies; its plan answers what is left empty below.
    factors : str or sequence of str
        Columns that were varied, in one text with commas or as a sequence.
    numeric : str or sequence of str
        Factors with two levels to take as numbers all the same.
    metric, by : str or sequence of str
        What to explain, and columns whose levels are separate groups; by default each benchmark.
    baselines : str or mapping
        The level that others of a factor are held against: ``"curve=BN254"``; by default the smallest number,
        and of words the one that the results have first.
    predict : str, mapping, or sequence of these
        Cells such as ``"bits=64 inputs=4 outputs=6"``, averaged over the rival models; at every level of a category
        that is not named.
    extrapolate : bool
        Whether cells beyond twice the measured range are meant.
    term_set : {"standard", "wide"}
        Powers and logarithms to search, see `benchlib.effects.shapes.TERM_SETS`.
    best : str or sequence of str
        Columns whose best level is asked for; by default each ``[[choice]]`` of the study.
    confidence_level : float
    plain : bool
        Whether only slopes, ratios and special cells are wanted: all else takes most of the time.

    Returns
    -------
    EffectsAnswer or Refusal
        A refusal where no factor is named, or none varies.

    Raises
    ------
    SelectionError
        For a factor, column or metric that the results do not have.
    DataError
        For a prediction, term set or level that cannot be meant, and predictions that no model can make.

    References
    ----------
    Plain effects: `benchlib.effects.marginal`. Cost models: `benchlib.effects.models`. Which factor matters:
    `benchlib.effects.anova`.

    Examples
    --------
    >>> answer = analyse_effects("data/token-sdk", metric="time", plain=True)
    >>> [(slope.factor, round(1e3 * slope.estimate.value, 1)) for slope in answer.models[0].fit.slopes[:2]]
    [('inputs', 0.1), ('outputs', 17.0)]
    """
    opened = study if isinstance(study, Study) else open_study(str(study))
    question = ask(
        opened,
        factors=factors,
        numeric=numeric,
        metric=metric,
        by=by,
        baselines=baselines,
        predict=predict,
        extrapolate=extrapolate,
        term_set=term_set,
        best=best,
        confidence_level=confidence_level,
    )
    if isinstance(question, Refusal):
        return question
    models: tuple[EffectModel, ...] = ()
    warned: list[Caveat] = []
    try:
        models, warned = answer_models(question, plain_only=plain)
    except SelectionError as error:
        nothing = Refusal(question="effects", reason=str(error), advice="widen the selection")
    else:
        nothing = _nothing_varies(question)
    if not models and (plain or not (question.study.choices or question.study.breakdowns)):
        return nothing
    _check_predicted(question, models, warned)
    breakdowns, settings, refusals = _others(question, plain=plain)
    return EffectsAnswer(
        factors=question.factors,
        models=models,
        breakdowns=breakdowns,
        choices=settings,
        scaling=() if plain else answer_scaling(question),
        refusals=(*refusals, *(() if models or not question.factors else (nothing,))),
        confidence_level=question.confidence_level,
        caveats=merge(
            problem_caveats(opened),
            warned,
            _caveats(models, question),
            _of_others(breakdowns, settings),
        ),
    )


def break_down_study(
    study: Study, *, confidence_level: float = 0.95
) -> tuple[tuple[BreakdownAnswer, ...], tuple[Refusal, ...]]:
    """Break down every whole that a study plans, and nothing else: what costs most of the time is left out.

    Parameters
    ----------
    study : Study
    confidence_level : float

    Returns
    -------
    tuple of BreakdownAnswer, tuple of Refusal

    Examples
    --------
    >>> found, _ = break_down_study(open_study("data/lplex"))
    >>> found[0].whole
    'FrameJSONSerializationFull'
    """
    if not study.breakdowns:
        return (), ()
    question = ask(
        study, factors="", numeric="", metric="", by="", baselines="", predict="", extrapolate=False,
        term_set="standard", best="", confidence_level=confidence_level,
    )  # fmt: skip
    if isinstance(question, Refusal):
        return (), (question,)
    found, refused = answer_breakdowns(question)
    return found, tuple(refused)


def _nothing_varies(question: Question) -> Refusal:
    measured = question.study.results.select(question.study.effects.where).metrics
    if not any(one in measured for one in question.metrics):
        return Refusal(
            question="effects",
            reason=f"no row holds {choices(question.metrics)}",
            advice=f"name a metric that was measured: {choices(sorted(measured), 30)}",
        )
    return Refusal(
        question="effects",
        reason=f"none of {choices(question.factors)} varies in the rows asked about",
        advice="measure at two or more levels of a factor",
    )


def _others(
    question: Question, *, plain: bool
) -> tuple[tuple[BreakdownAnswer, ...], tuple[ChoiceAnswer, ...], tuple[Refusal, ...]]:
    if plain:
        return (), (), ()
    breakdowns, unbroken = answer_breakdowns(question)
    settings, unchosen = answer_choices(question)
    return breakdowns, settings, (*unbroken, *unchosen)


def _check_predicted(question: Question, models: Sequence[EffectModel], warned: Sequence[Caveat]) -> None:
    """Refuse cells to predict that none of the models can: the first reason stands for all."""
    if not question.predict or any(one.cost.predictions for one in models if one.cost is not None):
        return
    reasons = [one.message for one in warned if one.code in ("not-predicted", "no-cost-model")]
    raise DataError(reasons[0] if reasons else "there is no cost model to predict with; ask without plain")


def _caveats(models: Sequence[EffectModel], question: Question) -> tuple[Caveat, ...]:
    if not models:
        return ()
    rows = question.study.results.select(question.study.effects.where).frame
    return name_caveats(
        (f"{label(model.key)} ({model.metric})" if model.key else model.metric, one)
        for model in models
        for one in (
            *model.fit.caveats,
            *(model.variance.caveats if model.variance else ()),
            *(model.interactions.caveats if model.interactions else ()),
            *(model.cost.model.caveats if model.cost else ()),
            *_mixed(model, rows, question),
        )
        if one.code != "one-level"
    )


def _of_others(breakdowns: Sequence[BreakdownAnswer], settings: Sequence[ChoiceAnswer]) -> tuple[Caveat, ...]:
    """Put before each caveat of the other answers what it concerns."""
    named = [(one.name, said) for one in settings for context in one.contexts for said in context.caveats]
    return merge(*(one.caveats for one in breakdowns), name_caveats(named))


def _mixed(model: EffectModel, rows: pd.DataFrame, question: Question) -> tuple[Caveat, ...]:
    rows = rows[rows["metric"] == model.metric]
    for axis, level in model.key.items():
        rows = rows[rows[axis] == level]
    return residue(rows, [*question.by, *question.factors])
