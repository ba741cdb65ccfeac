"""Did it change? Runs, levels of an axis, or benchmarks, side by side.

::

    paths -> sides -> Study with a plan -> pairing -> judge (statistics) -> ruling -> Rows -> ComparisonAnswer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchlib.answers.asking import asked_metrics, asked_words
from benchlib.answers.comparison.answer import (
    ComparisonAnswer,
    ComparisonRow,
    ControlAnswer,
    Geomean,
    SideFacts,
)
from benchlib.answers.comparison.columns import columns_asked
from benchlib.answers.comparison.pairing import COUNTS, levels_in_order, shared_axes
from benchlib.answers.comparison.question import compare_study, comparison_answer
from benchlib.answers.comparison.sides import Side, joined_study, open_sides, paths_of
from benchlib.answers.comparison.together import compared_levels, controls_moved
from benchlib.answers.refusal import Refusal
from benchlib.errors import DataError, SelectionError, choices, printable, suggestion
from benchlib.results import Results
from benchlib.study import ComparisonPlan, ControlPlan, Study, read_control

__all__ = [
    "COUNTS",
    "ComparisonAnswer",
    "ComparisonRow",
    "ControlAnswer",
    "Geomean",
    "SideFacts",
    "compare",
    "compare_study",
    "compared_levels",
    "comparison_answer",
    "comparison_study",
    "controls_moved",
]


def compare(
    *sides: Side,
    row: str | Sequence[str] = "",
    col: str = "",
    ignore: str | Sequence[str] = "",
    where: str = "",
    baseline: str | Sequence[str] = "",
    candidate: str | Sequence[str] = "",
    metric: str | Sequence[str] = "",
    controls: str | Sequence[str] = (),
    interleaved: bool | None = None,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    min_effect: float = 0.02,
) -> ComparisonAnswer | Refusal:
    """Compare recordings, or levels of a column of one, and say of each benchmark what the data carry.

    Parameters
    ----------
    *sides : Study, str or path
        Recordings, the baseline first: paths, ``name=path``, or studies; the same name twice pools them.
        One alone is compared with itself over the levels of `col`.
    row : str or sequence of str
        Columns whose levels make rows; by default the benchmark and all that tells the cells of a side apart.
        benchstat's ``.fullname``, ``.name`` and ``/key`` are columns here as well, as in `col` and `ignore`.
    col : str
        The column whose levels are compared; by default the recordings.
    ignore : str or sequence of str
        Columns that make no rows of their own: their values are pooled.
    where : str
        Keep only the rows that meet this condition.
    baseline, candidate : str or sequence of str
        Levels of `col`, or names of recordings; by default the first recording against all others.
    metric : str or sequence of str
    controls : str or sequence of str
        Conditions of rows that the change cannot affect, such as ``"pkg=*/filter"``: they speak for rows that were
        recorded in turn with them, or for those named: ``"pkg=*/filter for pkg=*/pgn"``.
    interleaved : bool, optional
        Whether the sides were recorded in turn; by default as the recordings show.
    significance_level : float
        Bounds the share of false discoveries among rows called better or worse.
    confidence_level : float
    min_effect : float
        The smallest relative change that matters.

    Returns
    -------
    ComparisonAnswer or Refusal
        A refusal where the sides share nothing.

    Raises
    ------
    InputError
        For a path that cannot be read, and the same recording on two sides.
    SelectionError
        For a column, level or metric that there is not, and conditions that select nothing.
    DataError
        Where one recording is given and no column, and for levels and effects outside their range.

    References
    ----------
    H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947) 50-60 (as benchstat takes it).
    J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963) 598-611.
    Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57 (1995) 289-300; Y. Benjamini, D. Yekutieli, JASA 100 (2005) 71-81.

    Examples
    --------
    >>> answer = compare("data/heavy-read-api-published", col="gateway", baseline="direct", metric="latency_p50")
    >>> [round(row.comparison.ratio.value, 2) for row in answer.rows]
    [1.37, 1.61, 1.67]
    """
    study = comparison_study(
        *sides, row=row, col=col, ignore=ignore, where=where, baseline=baseline, candidate=candidate,
        metric=metric, controls=controls, interleaved=interleaved,
    )  # fmt: skip
    if len(study.comparisons) != 1:
        names = choices([one.name for one in study.comparisons])
        raise DataError(f"{printable(study.name)} asks several comparisons ({names}); name col, or use compare_study")
    return comparison_answer(
        study,
        study.comparisons[0],
        significance_level=significance_level,
        confidence_level=confidence_level,
        min_effect=min_effect,
    )


def comparison_study(
    *sides: Side,
    row: str | Sequence[str] = "",
    col: str = "",
    ignore: str | Sequence[str] = "",
    where: str = "",
    baseline: str | Sequence[str] = "",
    candidate: str | Sequence[str] = "",
    metric: str | Sequence[str] = "",
    controls: str | Sequence[str] = (),
    interleaved: bool | None = None,
) -> Study:
    """Return the study that a comparison is made in, with the comparisons to make; see `compare`.

    One side without a column to compare is a study as it stands: its own ``[[compare]]`` are made, with controls
    and metrics as given here where they are.
    """
    if not sides:
        raise DataError("nothing to compare; name two recordings, or one and a column")
    opened = open_sides(sides, where)
    names = list(dict.fromkeys(name for name, _ in opened))
    first = opened[0][1]
    given = tuple(map(read_control, [controls] if isinstance(controls, str) and controls else tuple(controls)))
    if len(opened) == 1 and not col and not baseline and first.comparisons:
        study = first
        metrics = asked_metrics(study.results, metric)
        plans = tuple(
            replace(
                one,
                metrics=metrics or one.metrics,
                controls=given or one.controls,
                sequential=one.sequential if interleaved is None else not interleaved,
            )
            for one in study.comparisons
        )
        _check_controls(study.results, given)
        return replace(study, comparisons=plans)
    plan = ComparisonPlan(
        name="", question="", column=col or "run", baselines=(), candidates=(), where="", metrics=(), by=(),
        ignore=(), controls=given, sequential=None if interleaved is None else not interleaved,
        runs_differ=len(opened) > 1 or any(one.column == "run" for one in first.comparisons),
    )  # fmt: skip
    study = joined_study(opened, plan) if len(opened) > 1 else first
    keys = {"row": _keys(row), "col": plan.column, "ignore": _keys(ignore)}
    files = paths_of(sides, [name for name, _ in opened])
    asked = columns_asked(study.results, **keys, files=files)
    by, ignored, column = asked.rows, asked.ignored, asked.column
    whole = asked.results
    if study.whole is not study.results:  # it needs the columns that were made here too
        whole = columns_asked(study.whole, **keys, files=files).results
    study = replace(study, whole=whole, results=asked.results)
    plan = replace(plan, by=by, ignore=ignored, column=column)
    # What the study says of this column holds for any of its levels.
    told = next((one for one in study.comparisons if one.column == column), None) if len(opened) == 1 else None
    if told is not None:
        sequential = told.sequential if interleaved is None else plan.sequential
        plan = replace(plan, controls=given or told.controls, sequential=sequential)
    levels, ordered = levels_in_order(study.results.frame[column])
    if len(opened) == 1 and not col and len(levels) < 2:
        varying = [one for one in study.results.varying_axes if one != "case"]
        raise DataError(
            f"{printable(study.name)} is one recording; name a second, or a column to compare with --col"
            f"{f': {choices(varying, 12)}' if varying else ''}"
        )
    if len(names) > 1 and column == "run" and not ordered:
        levels = names
    elif len(opened) == 1 and not ordered:
        levels = [str(one) for one in study.results.levels(column) if str(one)]
    baselines = _named_levels(baseline, levels, column, "baseline")
    if not baselines:
        if len(opened) == 1 and not ordered:
            raise DataError(f"which {column} is the baseline? name one: {choices(levels, 12)}")
        baselines = tuple(levels[:1])
    candidates = _named_levels(candidate, levels, column, "candidate")
    both = [one for one in candidates if one in baselines]
    if both:
        raise SelectionError(f"'{printable(both[0])}' is both baseline and candidate; choose one")
    _check_controls(study.results, given)
    others = candidates or tuple(one for one in levels if one not in baselines)
    plan = replace(
        plan,
        name=f"{', '.join(others)} against {', '.join(baselines)}" if len(others) < 4 else f"against {baselines[0]}",
        baselines=baselines,
        candidates=candidates,
        metrics=asked_metrics(study.results, metric),
    )
    if len(opened) == 1 and plan.runs_differ and not by and column != "run":
        # The study compares its runs: they are of different code, and no repeats of each other.
        shared = shared_axes(study.results.frame, column, ignored)
        plan = replace(plan, by=(*shared, *(("run",) if "run" not in ignored else ())))
    return replace(study, comparisons=(plan,))


def _keys(given: str | Sequence[str]) -> str:
    return given if isinstance(given, str) else ", ".join(given)


def _named_levels(given: str | Sequence[str], levels: Sequence[str], column: str, what: str) -> tuple[str, ...]:
    named = asked_words(given, what)
    for one in named:
        if one not in levels:
            near = suggestion(one, levels)
            raise SelectionError(
                f"no {column} '{printable(one)}' to be a {what}{near}; there are {choices(levels, 12)}"
            )
    return named


def _check_controls(results: Results, controls: Sequence[ControlPlan]) -> None:
    """Refuse a control that selects nothing: it could speak for nobody."""
    for one in controls:
        if not one.where:
            raise SelectionError("a control is empty; write a condition, e.g. pkg=*/filter")
        results.select(one.where)
        results.select(one.speaks_for)
