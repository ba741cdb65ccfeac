"""Which setting is best by two metrics at once: one point a setting, the front joined, a panel a context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchlib import carried
from benchlib.answers.effects import ChoiceAnswer
from benchlib.answers.grouping import label
from benchlib.effects.cells import Level
from benchlib.effects.settings import Ranking, SettingChoice
from benchlib.plots.effects import show_once
from benchlib.plots.effects_marks import level_name, look, whiskers
from benchlib.plots.style import AXIS, empty_figure, plain, scatter
from benchlib.statistics.estimates import Estimate
from benchlib.units import scaled

__all__ = ["drawn_metrics", "settings_figure"]

#: Panels in all, and side by side; the tables hold every context.
MOST_PANELS = 6
SIDE_BY_SIDE = 2
#: What stands upright against what lies along, where both were measured.
_UPRIGHT, _ALONG = "throughput", "latency_p99"


def drawn_metrics(answer: ChoiceAnswer) -> tuple[str, str] | None:
    """Return the metrics upright and along: throughput against p99 latency, else the first two; None for one."""
    metrics = [one.metric for one in answer.contexts[0].rankings]
    if len(metrics) < 2:
        return None
    upright = _UPRIGHT if _UPRIGHT in metrics else metrics[0]
    others = [one for one in metrics if one != upright]
    return upright, _ALONG if _ALONG in others else others[0]


def settings_figure(answer: ChoiceAnswer, *, alt: str, caption: str) -> go.Figure | None:
    """Draw every setting with both intervals, and join those that no other beats by both metrics.

    Each panel has its own axes: contexts differ by more than settings do. None with fewer than two metrics.
    """
    metrics = drawn_metrics(answer)
    if metrics is None:
        return None
    contexts = answer.contexts[:MOST_PANELS]
    columns = min(len(contexts), SIDE_BY_SIDE)
    rows = -(-len(contexts) // columns)
    apart = [axis for axis in contexts[0].context if len({str(one.context[axis]) for one in answer.contexts}) > 1]
    figure = make_subplots(
        rows=rows,
        cols=columns,
        horizontal_spacing=0.11,
        vertical_spacing=0.3 / rows,
        subplot_titles=[plain(label({axis: one.context[axis] for axis in apart})) for one in contexts],
    )
    figure.update_layout(empty_figure(alt=alt, caption=caption, height=90 + 290 * rows).layout)
    figure.update_layout(legend={"y": 1.02 + 0.07 / rows}, margin={"t": 80})
    figure.update_annotations(font={"size": 12})
    levels = list(dict.fromkeys(one.level for context in contexts for one in context.rankings[0].settings))
    rankings = {metric: [_ranked(one, metric) for one in contexts] for metric in metrics}
    scales = [_scale(rankings[metric]) for metric in metrics]
    (up_by, up_unit), (by, unit) = scales
    for place, context in enumerate(contexts):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        _panel(figure, context, metrics, levels, answer.factor, (up_by, by), **where)
        # Titles at the edges only: between the panels of a narrow screen there is no room for them.
        if where["col"] == 1:
            better = rankings[metrics[0]][0].better
            figure.update_yaxes(title=f"{plain(metrics[0])}, {plain(up_unit)}<br>({better} is better)", **where)
        if place + columns >= len(contexts):
            better = rankings[metrics[1]][0].better
            figure.update_xaxes(title=f"{plain(metrics[1])}, {plain(unit)}<br>({better} is better)", **where)
    figure.update_xaxes(nticks=5, tickangle=0)
    show_once(figure)
    return figure


def _scale(rankings: Sequence[Ranking]) -> tuple[float, str]:
    """Return what to divide a metric by in all panels, and its unit then."""
    estimates = [setting.estimate for one in rankings for setting in one.settings]
    return scaled(max(one.value for one in estimates), estimates[0].unit)


def _panel(
    figure: go.Figure,
    context: SettingChoice,
    metrics: tuple[str, str],
    levels: Sequence[Level],
    factor: str,
    scales: tuple[float, float],
    **where: int,
) -> None:
    upright, along = (_ranked(context, metric) for metric in metrics)
    up, beside = (_estimates(one) for one in (upright, along))
    up_by, by = scales
    front = _front(upright, along)
    if len(front) > 1:
        figure.add_trace(
            scatter(
                x=[beside[level].value / by for level in front],
                y=[up[level].value / up_by for level in front],
                mode="lines",
                line={"color": AXIS, "width": 1.5, "dash": "dot"},
                name="beaten by no other in both",
                legendgroup="front",
                hoverinfo="skip",
            ),
            **where,
        )
    for number, level in enumerate(levels):
        if level not in up:
            continue
        colour, _, symbol = look(number)
        name = level_name(factor, level)
        figure.add_trace(
            scatter(
                x=[beside[level].value / by],
                y=[up[level].value / up_by],
                mode="markers",
                marker={
                    "color": colour,
                    "symbol": symbol,
                    "size": 15 if level == context.winner else 10,
                    "line": {"width": 2.5 if level == context.winner else 0, "color": AXIS},
                },
                error_x=whiskers([beside[level]], by, colour),
                error_y=whiskers([up[level]], up_by, colour),
                name=name,
                legendgroup=name,
                text=[_told(name, up[level], beside[level], metrics)],
                hovertemplate="%{text}<extra></extra>",
            ),
            **where,
        )


def _ranked(context: SettingChoice, metric: str) -> Ranking:
    return next(one for one in context.rankings if one.metric == metric)


def _estimates(ranking: Ranking) -> Mapping[Level, Estimate]:
    return {one.level: one.estimate for one in ranking.settings}


def _front(upright: Ranking, along: Ranking) -> list[Level]:
    """Return the settings that no other precedes in both rankings, in the order of the one along."""
    orders = [[one.level for one in ranking.settings] for ranking in (upright, along)]
    return [
        one
        for one in orders[1]
        if not any(all(order.index(other) < order.index(one) for order in orders) for other in orders[0])
    ]


def _told(name: str, up: Estimate, beside: Estimate, metrics: tuple[str, str]) -> str:
    told = [f"{metric} {carried.figure(one)}" for metric, one in zip(metrics, (up, beside), strict=True)]
    return f"{name}<br>{plain(', '.join(told))}, n = {up.n}"
