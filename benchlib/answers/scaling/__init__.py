"""How does throughput grow with concurrency, which law says so, and where does it stop?

::

    Study -> ask (question) -> find_sweeps -> answer_curve (curves) -> ScalingAnswer -> scaling_document (plain)

``refusals`` says why rows make no curve; ``hygiene`` what weakens one that was drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

from benchlib.answers.grouping import name_caveats
from benchlib.answers.quality import problem_caveats
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling.answer import CurveAnswer, Disagreement, LawComparison, ScalingAnswer
from benchlib.answers.scaling.curves import answer_curve
from benchlib.answers.scaling.hygiene import known_cores
from benchlib.answers.scaling.question import Question, ask
from benchlib.answers.scaling.refusals import no_curve, refused_rows, too_few_levels
from benchlib.answers.scaling.several import between_curves, compare_curves, disagreements_of
from benchlib.answers.sweeps import FEWEST_LEVELS, Sweep, find_sweeps
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import DataError
from benchlib.study import Study, open_study

#: So many curves are named one by one, where something concerns them all.
_LISTED = 3

__all__ = ["CurveAnswer", "Disagreement", "LawComparison", "ScalingAnswer", "fit_scaling"]


def fit_scaling(
    study: Study | str | PathLike[str],
    *,
    concurrency: str = "",
    metric: str = "",
    by: str | Sequence[str] = (),
    law: str | Sequence[str] = "all",
    weights: str = "auto",
    confidence_level: float = 0.95,
    extrapolate: str | float | Sequence[float] = (),
    at: str | float | Sequence[float] = (),
    reach: str | float = "",
    latency: str | float = "",
    improve: str = "",
    seconds_each: float | None = None,
    budget: float | None = None,
) -> ScalingAnswer | Refusal:
    """Fit scaling laws to every throughput curve of a study.

    Parameters
    ----------
    study : Study, str or path
        A study, or where one lies; its plan answers what is left empty below.
    concurrency : str
        The axis that is N: ``"gomaxprocs"``, ``"workers"``, ``"connections"``.
    metric : str
        A rate, or a time per operation of which throughput is one over.
    by : str or sequence of str
        Columns that make curves of their own, in one text with commas or as a sequence.
    law : str or sequence of str
        ``"all"``, or names of `benchlib.scaling.laws.LAWS`, in one text with commas or as a sequence.
    weights : {"auto", "relative", "replicates", "none"}
        ``auto`` takes what the study says, else ``replicates`` where every level has 20 measurements,
        else ``relative``.
    confidence_level : float
    extrapolate : str, float or sequence of float
        Concurrencies to predict with the band averaged over the laws, also beyond twice the largest measured,
        up to 1,000 times it.
    at : str, float or sequence of float
        Concurrencies at which to read throughput, slope and latency off the chosen law, up to twice the largest
        measured.
    reach : str or float
        A throughput such as ``"5000/s"``, or a number in the unit of each curve: where the chosen law reaches it.
    latency : str or float
        A mean latency such as ``"5ms"``, or a number of seconds: the largest throughput within it, by Little's
        law in a closed system.
    improve : str
        The quantity that further measurements shall narrow; empty for the first of peak, ceiling, knee and
        the loss that the chosen law has.
    seconds_each, budget : float, optional
        Seconds that one more measurement takes, by default as the study's command says, else 10, and that all
        of them together may take, by default 60; a budget of 0 asks for no advice, which takes longer than
        the fits.

    Returns
    -------
    ScalingAnswer or Refusal
        A refusal where no row can make a curve, or no curve carries the law that was named.

    Raises
    ------
    SelectionError
        For an axis, column or metric that the results do not have.
    DataError
        For a law, weights, level, quantity, concurrency, throughput or latency that cannot be meant.

    References
    ----------
    The laws and their sources: `benchlib.scaling.laws`.

    Examples
    --------
    >>> answer = fit_scaling("data/onix-adapter-published")
    >>> [round(point.speedup, 2) for point in answer.curves[0].points]
    [1.0, 1.33, 2.15, 2.53, 2.91]
    >>> fit_scaling("data/reference", law="usl").curves[0].chosen.peak.value.__round__(2)
    96.52
    >>> found = fit_scaling("data/reference", law="usl", at=72, reach=1800).curves[0].readings
    >>> round(found.at[0].throughput.value), [round(one.value, 1) for one in found.reach.concurrency]
    (1850, [60.6, 153.8])
    """
    opened = study if isinstance(study, Study) else open_study(str(study))
    question = ask(
        opened,
        concurrency=concurrency,
        metric=metric,
        by=by,
        law=law,
        weights=weights,
        confidence_level=confidence_level,
        extrapolate=extrapolate,
        at=at,
        reach=reach,
        latency=latency,
        improve=improve,
        seconds_each=seconds_each,
        budget=budget,
    )
    if isinstance(question, Refusal):
        return question
    plan = question.study.scaling
    cores = known_cores(question.study)
    sweeps = find_sweeps(question.study, question.metric)
    curves, refused = _answered(sweeps, question, cores)
    refusals = tuple(one for one, _ in refused)
    if not curves:
        return no_curve(question, sweeps, refusals)
    comparisons, not_compared = compare_curves(curves, question)
    disagreements = disagreements_of(curves) if plan.same_work else ()
    return ScalingAnswer(
        axis=plan.concurrency,
        cores=cores,
        curves=curves,
        comparisons=comparisons,
        disagreements=disagreements,
        exclusions=plan.exclusions,
        refusals=(*refusals, *not_compared),
        confidence_level=question.confidence_level,
        caveats=merge(
            opened.results.caveats,
            problem_caveats(opened),
            between_curves(disagreements, plan.concurrency),
            _cores(cores),
            _excluded(question.study),
            (one for _, one in refused),
            _named(curves),
        ),
    )


def _answered(
    sweeps: Iterable[Sweep], question: Question, cores: int | None
) -> tuple[tuple[CurveAnswer, ...], list[tuple[Refusal, Caveat]]]:
    """Answer every sweep that makes a curve; the others are refused by name."""
    axis = question.study.scaling.concurrency
    curves: list[CurveAnswer] = []
    refused: list[tuple[Refusal, Caveat]] = []
    for sweep in sweeps:
        found = refused_rows(sweep, axis)
        if found is None:
            fewest = 2 if sweep.named or question.axis_named else FEWEST_LEVELS
            few = too_few_levels(sweep, axis, fewest)
            if few is not None:
                # Of the benchmarks that nobody named, most stand still: that is no news.
                if sweep.named:
                    refused.append((few, caveat("refused-curve", few.reason)))
                continue
            try:
                curve = answer_curve(sweep, question, cores)
            except DataError as error:
                found = caveat("refused-rows", str(error))
            else:
                if curve.fits:
                    curves.append(curve)
                    continue
                # The reason says what to measure or to fit instead.
                found = caveat("refused-curve", "; ".join(curve.refused_fits))
        ((named),) = name_caveats([(sweep.name, found)])
        refused.append((Refusal(question="scaling", reason=named.message, advice=named.advice), named))
    return tuple(curves), refused


def _cores(cores: int | None) -> tuple[Caveat, ...]:
    if cores is not None:
        return ()
    return (caveat("cores-unknown", "the machine's number of cores was not recorded"),)


def _excluded(study: Study) -> tuple[Caveat, ...]:
    return tuple(
        caveat("excluded-from-curve", f"{one.where}: kept out of the curves ({one.why})")
        for one in study.scaling.exclusions
    )


def _named(curves: Sequence[CurveAnswer]) -> tuple[Caveat, ...]:
    """Put before each caveat the curves that it concerns; many that are all of them are not listed."""
    shared = set.intersection(*(set(one.caveats) for one in curves)) if len(curves) > _LISTED else set()
    return name_caveats(
        ("every curve" if one in shared else curve.name, one) for curve in curves for one in curve.caveats
    )
