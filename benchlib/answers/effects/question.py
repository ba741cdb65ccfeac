"""What is asked of a study's factors, checked before anything is fitted."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchlib.answers.asking import asked_columns, asked_metrics, level_meant
from benchlib.answers.refusal import Refusal
from benchlib.effects.shapes import checked_term_set
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.results import Results
from benchlib.statistics.checks import checked_level
from benchlib.study import ChoicePlan, Study

__all__ = ["Question", "ask"]

#: So many predictions are a table; more are a mistake.
MOST_PREDICTIONS = 1000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """A study with its plan changed to what was asked, and how to answer.

    Attributes
    ----------
    study : Study
    factors : tuple of str
        Those of the plan that the results have.
    numeric : tuple of str
        Factors to take as numbers although they have two levels only.
    metrics, by : tuple of str
    metrics_named : bool
        Whether the caller named the metrics.
    baselines : mapping of factor to level
    predict : tuple of mapping of str to str
        Factor to level, as written.
    extrapolate : bool
    term_set : str
    confidence_level : float
    """

    study: Study
    factors: tuple[str, ...]
    numeric: tuple[str, ...]
    metrics: tuple[str, ...]
    metrics_named: bool
    by: tuple[str, ...]
    baselines: Mapping[str, Any]
    predict: tuple[Mapping[str, str], ...]
    extrapolate: bool
    term_set: str
    confidence_level: float


def ask(
    study: Study,
    *,
    factors: str | Sequence[str],
    numeric: str | Sequence[str],
    metric: str | Sequence[str],
    by: str | Sequence[str],
    baselines: str | Mapping[str, object],
    predict: str | Mapping[str, object] | Sequence[str | Mapping[str, object]],
    extrapolate: bool,
    term_set: str,
    best: str | Sequence[str],
    confidence_level: float,
) -> Question | Refusal:
    """Check a question, and say of which study it is asked.

    Raises
    ------
    SelectionError
        For a factor, column or metric that the results do not have.
    DataError
        For a prediction, term set or level that cannot be meant.
    """
    results, plan = study.results, study.effects
    level = checked_level(confidence_level)
    checked_term_set(term_set)
    named, numbers = asked_columns(results, factors, "factors"), asked_columns(results, numeric, "numeric")
    settings = asked_columns(results, best, "best")
    chosen = named or plan.factors
    if not (chosen or settings or study.choices or study.breakdowns):
        return _no_factor(results)
    metrics = asked_metrics(results, metric)
    known = tuple(one for one in chosen if one in results.frame.columns)
    groups = asked_columns(results, by, "by") or tuple(one for one in plan.by if one not in known) or ("benchmark",)
    for one in numbers:
        if one not in known:
            raise SelectionError(f"'{printable(one)}' is to be numeric and no factor; factors: {choices(known)}")
    for one in groups:
        if one in known:
            raise SelectionError(f"'{printable(one)}' is a factor; group by another column")
    if settings:
        study = replace(study, choices=tuple(_chosen(study, one, known, metrics) for one in settings))
    return Question(
        study=study,
        factors=known,
        numeric=numbers,
        metrics=metrics or plan.metrics,
        metrics_named=bool(metrics),
        by=groups,
        baselines=_baselines(results, baselines, known) or plan.baselines,
        predict=_predicted(predict, known),
        extrapolate=bool(extrapolate),
        term_set=term_set,
        confidence_level=level,
    )


def _no_factor(results: Results) -> Refusal:
    varied = results.varying_axes
    told = f"axes that vary here: {choices(varied, 30)}" if varied else "no axis of these results varies"
    return Refusal(
        question="effects",
        reason="the study names no factor",
        advice=f"name the factors that were varied: --factors, or factors in [effects] of study.toml; {told}",
    )


def _baselines(results: Results, given: str | Mapping[str, object], factors: Sequence[str]) -> Mapping[str, Any]:
    """Read ``'curve=BN254'`` or a mapping: the level that others of its factor are held against."""
    found: dict[str, Any] = {}
    for name, text in _cell(given, factors).items() if given else ():
        known = results.levels(name) if name in results.axes else tuple(results.frame[name].unique())
        level = level_meant(text, known)
        if level not in known:
            raise SelectionError(
                f"{printable(name)} has no level '{printable(text)}' to be the baseline; it has {choices(known, 20)}"
            )
        found[name] = level
    return found


def _chosen(study: Study, factor: str, factors: Sequence[str], metrics: tuple[str, ...]) -> ChoicePlan:
    """Return the study's own plan for a setting, else one over all rows that the other axes take apart."""
    for one in study.choices:
        if one.factor == factor:
            return replace(one, metrics=metrics or one.metrics)
    others = [one for one in (*study.scaling.by, study.scaling.concurrency, *study.effects.by, *factors) if one]
    return ChoicePlan(
        name=factor,
        factor=factor,
        where="",
        metrics=metrics,
        by=tuple(dict.fromkeys(one for one in others if one != factor)),
    )


def _predicted(
    given: str | Mapping[str, object] | Sequence[str | Mapping[str, object]], factors: Sequence[str]
) -> tuple[Mapping[str, str], ...]:
    """Read ``'bits=64 outputs=6'``, a mapping, or several of these."""
    several = [given] if isinstance(given, str | Mapping) else list(given)
    several = [one for one in several if one]
    if len(several) > MOST_PREDICTIONS:
        raise DataError(f"{len(several)} predictions were asked for; ask for {MOST_PREDICTIONS} at most")
    return tuple(_cell(one, factors) for one in several)


def _cell(given: str | Mapping[str, object], factors: Sequence[str]) -> Mapping[str, str]:
    """Read ``'bits=64 curve="BN 254"'``, with blanks or commas between the pairs, or a mapping."""
    if isinstance(given, Mapping):
        pairs = [(str(name), str(level)) for name, level in given.items()]
    else:
        pairs = [(name.strip(), level) for name, _, level in (one.partition("=") for one in _words(given))]
    for name, level in pairs:
        if not (name and level):
            raise DataError(
                f"cannot read the cell '{printable(str(given))}'; write factor=level pairs, e.g. "
                f"'{' '.join(f'{one}=...' for one in list(factors)[:2])}', a level with a blank in quotes"
            )
        if name not in factors:
            raise SelectionError(
                f"'{printable(name)}' is no factor here{suggestion(name, factors)}; factors: {choices(factors)}"
            )
    if len({name for name, _ in pairs}) < len(pairs):
        raise DataError(f"the cell '{printable(str(given))}' names a factor twice; name each once")
    return dict(pairs)


def _words(given: str) -> list[str]:
    # Commas part pairs only where every part is one: a level may hold a comma.
    parts = given.split(",")
    if len(parts) > 1 and all("=" in one for one in parts) and " " not in given.strip():
        return parts
    try:
        return shlex.split(given)
    except ValueError as error:
        raise DataError(f"cannot read the cell '{printable(given)}': a quote is not closed") from error
