"""Efficiency against concurrency, with words that are true of any curve: it may rise before it falls."""

from __future__ import annotations

import plotly.graph_objects as go

from benchlib.answers.scaling import ScalingAnswer
from benchlib.plots.scaling_points import efficiency_figure
from benchlib.report.wording.law_words import efficiency_words


def efficiency_chart(answer: ScalingAnswer) -> go.Figure:
    """Draw the efficiency of every curve, its ends and its highest level told in the alternative text."""
    return efficiency_figure(
        answer,
        alt=f"Efficiency against {answer.axis}. {'. '.join(efficiency_words(one) for one in answer.curves)}.",
        caption=f"Efficiency: speedup divided by {answer.axis}, both relative to the smallest level. "
        "The dotted line is perfect scaling.",
    )
