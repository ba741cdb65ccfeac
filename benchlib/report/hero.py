"""The one figure of a first page: chosen by the question that the study leads with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import plotly.graph_objects as go

from benchlib.answers.asking import Refusal
from benchlib.answers.comparison import ComparisonAnswer, ComparisonRow
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import label
from benchlib.answers.samples import SampleRow, rank_medians
from benchlib.answers.scaling import ScalingAnswer
from benchlib.plots.comparison_compact import compact_forest, telling_rows
from benchlib.plots.effects import effects_figure
from benchlib.plots.effects_bars import ratios_figure
from benchlib.plots.medians import MOST_ROWS as MEDIANS_SHOWN
from benchlib.plots.medians import medians_figure, shared_place
from benchlib.plots.scaling import band_goes_on
from benchlib.plots.scaling_hero import marks_target, marks_today, scaling_hero_figure
from benchlib.report.effects_captions import marks_words
from benchlib.report.wording.comparison.verdict import verdict_lines
from benchlib.report.wording.effects_words import model_name
from benchlib.report.wording.headline import question_order
from benchlib.report.wording.scaling_words import law_drawn_words, points_words, scaling_findings
from benchlib.report.wording.sentences import effects_verdict
from benchlib.report.wording.words import count, listed, metric_name
from benchlib.study import TargetPlan
from benchlib.units import confidence

#: A first page of A4 has room for no more.
HEIGHT = 300


def hero(summary: ExecutiveSummary) -> tuple[go.Figure, ...]:
    """Return the figure that answers the leading question; of the next question that has one, where it has none.

    Where no question has one, it shows the medians of what was measured.

    Examples
    --------
    >>> import benchlib
    >>> figure, = hero(benchlib.executive_summary(benchlib.open_study("data/reference")))
    >>> figure.layout.meta["caption"].startswith("Points")
    True
    """
    for question in question_order(summary):
        figure = _DRAWN[question](summary) if question in _DRAWN else None
        if figure is not None:
            return (figure,)
    figure = _medians(summary)
    return (figure,) if figure is not None else ()


def _scaling(summary: ExecutiveSummary) -> go.Figure | None:
    answer = summary.scaling
    if isinstance(answer, Refusal):
        return None
    today = summary.study.scaling.today
    metrics = {one.metric for one in answer.curves}
    targets = [one for one in summary.study.targets if one.metric in metrics]
    return scaling_hero_figure(
        answer,
        today=today,
        targets=targets,
        alt=f"Throughput against {answer.axis}. {' '.join(scaling_findings(answer))}",
        caption=_scaling_caption(answer, today, targets),
    )


def _scaling_caption(answer: ScalingAnswer, today: float | None, targets: Sequence[TargetPlan]) -> str:
    parts = [f"{points_words(answer.curves)}{law_drawn_words(answer.curves)}"]
    if band_goes_on(answer):
        parts.append("Arrow: what is cut there goes on above.")
    if marks_today(answer, today):
        parts.append("Ring: where it runs today.")
    if any(marks_target(answer, one) for one in targets):
        parts.append("Dashed: the target.")
    return " ".join(parts)


def _comparison(summary: ExecutiveSummary) -> go.Figure | None:
    for answer in summary.comparisons:
        if isinstance(answer, Refusal):
            continue
        rows = telling_rows(answer)
        if len(rows) > 1:
            return compact_forest(
                answer,
                rows,
                alt=f"Ratios of {answer.name}. {' '.join(verdict_lines(answer))}",
                caption=chosen_words(answer, rows),
            )
    return None


def chosen_words(answer: ComparisonAnswer, rows: Sequence[ComparisonRow]) -> str:
    """Say which rows of a comparison a figure shows and how they were chosen.

    Examples
    --------
    >>> import benchlib
    >>> answer = benchlib.compare_study(benchlib.open_study("data/lplex"))[0]
    >>> chosen_words(answer, telling_rows(answer))
    'new against old: the 9 of 36 rows of time per operation furthest from 1, and 3 of 26 controls. \
The comparison below holds every row.'
    """
    shown = [row for row in rows if not row.control]
    controls = len(rows) - len(shown)
    decided = all(row.verdict in ("better", "worse") for row in shown)
    metrics = list(dict.fromkeys(row.metric for row in shown))
    pairs = {(row.baseline, row.candidate) for row in shown}
    alike = [
        row
        for row in answer.rows
        if not row.control
        and (row.verdict in ("better", "worse") if decided else row.metric in metrics)
        and (decided or (row.baseline, row.candidate) in pairs)
    ]
    of = f" of {listed([metric_name(one) for one in metrics])}" if len(metrics) < 3 else ""
    kind = "rows with a verdict" if decided else f"rows{of}"
    if len(shown) == len(alike):
        told = f"all {len(shown)} {kind}" if len(shown) > 1 else f"the one of the {kind}"
    else:
        told = f"the {len(shown)} of {len(alike):,} {kind} furthest from 1"
    if not decided and len({(row.baseline, row.candidate) for row in answer.rows}) > len(pairs):
        told += f", {shown[0].candidate} against {shown[0].baseline}"
    every = sum(row.control and row.metric in metrics for row in answer.rows)
    beside = f", and {controls} of {count(every, 'control')}" if controls else ""
    bare = " No bar: too few measurements for an interval." if _bare(rows) else ""
    rest = " The comparison below holds every row." if len(rows) < len(answer.rows) else ""
    return f"{answer.name}: {told}{beside}.{bare}{rest}"


def _bare(rows: Sequence[ComparisonRow]) -> bool:
    return any(not row.comparison.ratio.has_interval for row in rows)


def _effects(summary: ExecutiveSummary) -> go.Figure | None:
    answer = summary.effects
    if isinstance(answer, Refusal) or not answer.models:
        return None
    first = answer.models[0]
    figure = effects_figure(
        first,
        alt=effects_verdict(answer),
        caption=f"{model_name(first)}: medians of cells with their intervals.{marks_words(first)}",
    )
    if figure is None:
        figure = ratios_figure(
            first, alt=effects_verdict(answer), caption=f"{model_name(first)}: bars begin at 1, the baseline."
        )
    return figure.update_layout(height=HEIGHT) if figure is not None else None


def _medians(summary: ExecutiveSummary) -> go.Figure | None:
    if isinstance(summary.samples, Refusal):
        return None
    ranked, left_out = rank_medians(summary.study, summary.samples)
    rows = ranked[:MEDIANS_SHOWN]
    if len(rows) < 2:
        return None
    name = metric_name(rows[0].metric)
    told = _cells_words(rows, len(ranked), name)
    first, last = (label(row.key) for row in (rows[0], rows[-1]))
    return medians_figure(
        rows,
        name,
        alt=f"{told} From the largest, {first}, down to {last}.",
        caption=f"{told}{f' Kept out of the scaling curves: {left_out}.' if left_out else ''}",
    )


def _cells_words(rows: Sequence[SampleRow], every: int, name: str) -> str:
    """Say which cells a figure shows, how they were chosen, and what its bars are."""
    where = shared_place(rows)
    chosen = f"all {every} cells" if len(rows) == every else f"the {len(rows)} of {every:,} cells with the largest"
    medians = [row.sample.median for row in rows]
    level = confidence(medians[0].confidence_level)
    if not any(one.has_interval for one in medians):
        bars = "No bar: too few measurements for an interval."
    else:
        bare = "" if all(one.has_interval for one in medians) else "; no bar: too few measurements for one"
        bars = f"Bar: interval at {level}{bare}."
    return f"{f'{where}: medians' if where else 'Medians'} of {name}, {chosen}. {bars}"


_DRAWN: Mapping[str, Callable[[ExecutiveSummary], go.Figure | None]] = {
    "scaling": _scaling,
    "comparison": _comparison,
    "effects": _effects,
}
