"""Did it change? Levels of an axis, benchmarks or runs, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.comparison.answer import ComparisonAnswer, Geomean, SideFacts
from benchlib.answers.comparison.controls import control_rows
from benchlib.answers.comparison.guards import machine_facts
from benchlib.answers.comparison.lost import MOST_ROWS, lost_advantages
from benchlib.answers.comparison.pairing import PairedCells, levels_in_order, pair_cells, run_noise, shared_axes
from benchlib.answers.comparison.plain import plain_rows
from benchlib.answers.comparison.remarks import remarks
from benchlib.answers.comparison.rows import Rows
from benchlib.answers.comparison.ruling import order_of, positions_of, rows_in_turn, rule
from benchlib.answers.grouping import name_caveats, plain
from benchlib.answers.refusal import Refusal
from benchlib.errors import SelectionError, choices, printable
from benchlib.statistics.go_math import geometric_mean
from benchlib.statistics.verdicts import Judgement, check_effect, judge
from benchlib.study import ComparisonPlan, Study

__all__ = ["compare_study", "comparison_answer"]

_DIRECTIONS = {"higher": 1, "lower": -1, None: 0}


def compare_study(
    study: Study,
    *,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    min_effect: float = 0.02,
) -> tuple[ComparisonAnswer | Refusal, ...]:
    """Make every comparison that a study asks for.

    Parameters
    ----------
    study : Study
    significance_level, confidence_level, min_effect : float
        See `benchlib.compare`.

    Returns
    -------
    tuple of ComparisonAnswer or Refusal
        In the order of the study's plans.

    Examples
    --------
    >>> import benchlib
    >>> [answer.name for answer in compare_study(benchlib.open_study("data/lplex"))]
    ['new against old']
    """
    noise = _noise_of(study, study.comparisons)
    return tuple(
        _asked(
            study,
            plan,
            noise,
            significance_level=significance_level,
            confidence_level=confidence_level,
            min_effect=min_effect,
        )
        for plan in study.comparisons
    )


def _noise_of(study: Study, plans: Sequence[ComparisonPlan]) -> Mapping[str, float]:
    """Return how much runs of the same code differ, by metric, once for all plans that ask for it."""
    asking = [one.metrics for one in plans if one.column != "run"]
    if not asking:
        return {}
    # A plan that names no metric asks for all.
    named = () if () in asking else tuple(dict.fromkeys(metric for metrics in asking for metric in metrics))
    return run_noise(study, named)


def comparison_answer(
    study: Study,
    plan: ComparisonPlan,
    *,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    min_effect: float = 0.02,
) -> ComparisonAnswer | Refusal:
    """Compare levels of one column, cell by cell.

    Parameters
    ----------
    study : Study
    plan : ComparisonPlan
        The column, its baselines and candidates, and the rows' axes.
    significance_level, confidence_level, min_effect : float
        See `benchlib.compare`.

    Returns
    -------
    ComparisonAnswer or Refusal

    References
    ----------
    See `benchlib.statistics.verdicts.judge` and `benchlib.statistics.stability.control_null`.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/heavy-read-api-published")
    >>> answer = comparison_answer(study, study.comparisons[0])
    >>> {row.candidate for row in answer.rows} >= {"post"}
    True
    """
    return _asked(
        study,
        plan,
        _noise_of(study, (plan,)),
        significance_level=significance_level,
        confidence_level=confidence_level,
        min_effect=min_effect,
    )


def _asked(
    study: Study,
    plan: ComparisonPlan,
    noise: Mapping[str, float],
    *,
    significance_level: float,
    confidence_level: float,
    min_effect: float,
) -> ComparisonAnswer | Refusal:
    check_effect(min_effect)
    try:
        frame = study.results.select(plan.where).frame
    except SelectionError as error:
        return Refusal(question=plan.name, reason=str(error), advice="widen the selection")
    if plan.metrics:
        frame = frame[frame["metric"].isin(plan.metrics)]
    levels = levels_in_order(frame[plan.column])[0] if plan.column in frame else []
    baselines = [one for one in plan.baselines if one in levels]
    if not baselines:
        return _absent(study, plan, plan.baselines, levels)
    candidates = [one for one in (plan.candidates or levels) if one in levels]
    sides = [
        (baseline, candidate)
        for place, baseline in enumerate(baselines)
        for candidate in candidates
        if candidate != baseline and (plan.candidates or candidate not in baselines[:place])
    ]
    if not sides:
        failed = [one for one in _failed_levels(study, plan) if one not in levels]
        return _absent(study, plan, plan.candidates or tuple(failed), levels)
    named = list(dict.fromkeys([*baselines, *candidates]))
    frame = frame[_of_levels(frame[plan.column], named)]
    by = list(plan.by) or shared_axes(frame, plan.column, plan.ignore)
    # Runs that are compared elsewhere are of different code: they are not repeats of each other.
    if (
        not plan.by
        and plan.column != "run"
        and "run" not in plan.ignore
        and any(one.column == "run" for one in study.comparisons)
    ):
        by.append("run")
    cells = pair_cells(frame, plan.column, by, sides)
    if not cells.rows:
        return _nothing_shared(frame, plan, sides, by)
    codes, metrics = pd.factorize(cells.metrics)
    told = study.results.metrics
    directions = np.array([_DIRECTIONS[told[one].better] for one in metrics.tolist()], dtype=np.int8)[codes]
    return _answer(
        plan, cells, by, directions, {} if plan.column == "run" else noise,
        significance_level=significance_level, confidence_level=confidence_level, min_effect=min_effect,
    )  # fmt: skip


def _answer(
    plan: ComparisonPlan,
    cells: PairedCells,
    by: Sequence[str],
    directions: NDArray[np.int8],
    noise: Mapping[str, float],
    *,
    significance_level: float,
    confidence_level: float,
    min_effect: float,
) -> ComparisonAnswer:
    judged = judge(
        cells.pairs,
        better=directions,
        left_out=control_rows(cells, plan.controls),
        significance_level=significance_level,
        confidence_level=confidence_level,
        min_effect=min_effect,
    )
    positions = positions_of(cells.frame)
    in_turn = rows_in_turn(cells, positions, plan.sequential)
    order = order_of(in_turn)
    ruling, told, alike = rule(
        cells,
        judged,
        plan.controls,
        column=plan.column,
        in_turn=in_turn,
        positions=positions,
        significance_level=significance_level,
        confidence_level=confidence_level,
        min_effect=min_effect,
    )
    rows = Rows(
        cells,
        judged,
        ruling,
        positions,
        better=directions,
        confidence_level=confidence_level,
        noise=noise,
        pool_runs=plan.column != "run",
    )
    sides = _sides(cells, plan.column, by)
    remarked = remarks(
        cells,
        judged,
        ruling,
        told,
        alike,
        machines={one.name: one.machine for one in sides},
        plan=plan,
        by=by,
        order=order,
        significance_level=significance_level,
    )
    return ComparisonAnswer(
        name=plan.name,
        question=plan.question,
        column=plan.column,
        sides=sides,
        rows=rows,
        missing=cells.missing,
        uncompared=cells.uncompared,
        geomeans=_geomeans(cells, judged),
        lost=tuple(lost_advantages(plain_rows(rows))) if len(rows) <= MOST_ROWS else (),
        order=order,
        controls=told,
        significance_level=significance_level,
        confidence_level=confidence_level,
        min_effect=min_effect,
        caveats=name_caveats((plan.name, one) for one in remarked),
    )


def _of_levels(column: pd.Series, names: Sequence[str]) -> NDArray[np.bool_]:
    """Say which rows have one of these levels, by what it is written as."""
    codes, levels = pd.factorize(column)
    wanted = np.array([str(plain(one)) in names for one in levels.tolist()] + [False])
    kept: NDArray[np.bool_] = wanted[codes]  # a missing level has the code -1: the last place
    return kept


def _sides(cells: PairedCells, column: str, by: Sequence[str]) -> tuple[SideFacts, ...]:
    """Tell each side once: the files it came from, and the machine that its results state."""
    found = []
    for name in dict.fromkeys(one for pair in cells.sides for one in pair):
        rows = cells.frame[_of_levels(cells.frame[column], [name])]
        machine = machine_facts(rows, leave_out=(column, *by))
        sources = tuple(str(one) for one in rows["source"].unique())
        found.append(SideFacts(name=name, files=sources, values=len(rows), machine=machine))
    return tuple(found)


def _geomeans(cells: PairedCells, judged: Judgement) -> tuple[Geomean, ...]:
    """Give one geometric mean a pair, metric and unit with more than one row."""
    found = []
    before, after = judged.statistics.baseline_median, judged.statistics.candidate_median
    for side, (baseline, candidate) in enumerate(cells.sides):
        here = cells.side == side
        for metric, unit in dict.fromkeys(zip(cells.metrics[here], cells.units[here], strict=True)):
            rows = here & (cells.metrics == metric) & (cells.units == unit)
            if rows.sum() < 2:
                continue
            first, second = geometric_mean(before[rows]), geometric_mean(after[rows])
            found.append(
                Geomean(
                    metric=str(metric),
                    unit=str(unit),
                    baseline=baseline,
                    candidate=candidate,
                    baseline_mean=first,
                    candidate_mean=second,
                    # benchstat's rule: nothing against nothing is no change.
                    ratio=geometric_mean(np.where((before == 0) & (after == 0), 1.0, judged.ratio)[rows]),
                    rows=int(rows.sum()),
                )
            )
    return tuple(found)


def _failed_levels(study: Study, plan: ComparisonPlan) -> list[str]:
    failed = study.results.failed
    return [str(one) for one in failed[plan.column].dropna().unique()] if plan.column in failed else []


def _absent(study: Study, plan: ComparisonPlan, wanted: Sequence[str], levels: Sequence[str]) -> Refusal:
    """Say that a side has no result, or that all it has failed."""
    failed = [one for one in wanted if one in _failed_levels(study, plan)]
    if failed:
        sound = f"sound are those of {choices(levels)}" if levels else "no other is sound"
        reason = f"every result of {plan.column} {printable(', '.join(failed))} failed; {sound}"
        return Refusal(question=plan.name, reason=reason, advice="mend what failed, and measure it again")
    what = f"no result of {plan.column} {printable(', '.join(wanted))}" if wanted else f"one {plan.column} alone"
    return Refusal(
        question=plan.name, reason=f"{what}; there are {choices(levels)}", advice="name two sides that were measured"
    )


def _nothing_shared(
    frame: pd.DataFrame, plan: ComparisonPlan, sides: Sequence[tuple[str, str]], by: Sequence[str]
) -> Refusal:
    """Say what each side has, where no cell is on both."""
    found = {name: frame[_of_levels(frame[plan.column], [name])] for pair in sides for name in pair}
    packages = {name: set(rows["pkg"].dropna()) for name, rows in found.items()} if "pkg" in by else {}
    if all(packages.values()) and packages and not set.intersection(*packages.values()):
        told = [f"{name} has {choices(sorted(map(str, of)), 4)}" for name, of in packages.items()]
        return Refusal(
            question=plan.name,
            reason=f"the sides share no benchmark, because they share no package: {'; '.join(told)}",
            advice="measure the same packages on both sides, or ignore pkg where one package only has another name",
        )
    told = []
    for name, rows in found.items():
        measured = [f"{one} ({metric}, {unit})" for one, metric, unit in
                    rows[["benchmark", "metric", "unit"]].drop_duplicates().itertuples(index=False)]  # fmt: skip
        told.append(f"{name} has {choices(measured, 4)}" if measured else f"{name} has none")
    return Refusal(
        question=plan.name,
        reason=f"the sides share no benchmark, metric and unit: {'; '.join(told)}",
        advice="measure the same benchmarks on both sides",
    )
