"""What was measured, how far it scales, and where it saturates: true with a plan or without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchlib.answers.asking import Refusal
from benchlib.answers.capacity_plans import PlanningAnswer
from benchlib.answers.quality import assess_quality
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer, curve_evidence, fit_scaling
from benchlib.plots.capacity_returns import returns_figure
from benchlib.plots.scaling_hero import scaling_hero_figure
from benchlib.report.capacity_deck.slide import NOTHING, Curves, Plan, followed, lead, slide
from benchlib.report.wording.deck.messages import measured_message, saturation_message, scaling_message
from benchlib.report.wording.deck.notes import speaker_notes
from benchlib.report.wording.deck.points import capital, levels_beyond, saturation_points, scaling_points
from benchlib.report.wording.deck.tables import levels_table
from benchlib.report.wording.leading import led
from benchlib.report.wording.markup import Section, bullets
from benchlib.report.wording.measured_tables import read_words
from benchlib.report.wording.scaling_words import law_drawn_words, points_words
from benchlib.report.wording.words import listed
from benchlib.scaling.advise import RULE
from benchlib.study import Study


def counting(study: Study, curves: Curves, asked: Mapping[str, Any]) -> Curves:
    """Return the curves of the levels that count, as a plan does; those of all levels where all count.

    What happens beyond the cores of the machine says nothing of more cores. `measured` shows every level.
    """
    left = levels_beyond(curves)
    if isinstance(curves, Refusal) or not left:
        return curves
    results = study.results
    kept = ~pd.to_numeric(results.frame[curves.axis].astype(object), errors="coerce").isin(left)
    narrowed = replace(study, results=replace(results, frame=results.frame[kept]))
    found = fit_scaling(narrowed, **{name: asked[name] for name in ("concurrency", "metric", "by")})
    return curves if isinstance(found, Refusal) else found


def measured(study: Study, curves: Curves, answer: Plan) -> Section:
    """What the plan rests on."""
    read = read_words(assess_quality(study)).rstrip(".")
    kicker, anchor = "What was measured", "measured"
    if isinstance(curves, Refusal):
        lines = bullets([read, f"No curve: {curves.reason}"])
        return slide(kicker, anchor, "What was measured makes no curve", lines, speaker_notes([study.tested]))
    curve = followed(curves, answer)
    others = [one.name for one in curves.curves if one is not curve]
    left = [f"{one:g}" for one in levels_beyond(curves)]
    told = [read, f"Measured beside it: {listed(others)}" if others else ""]
    told += (
        [f"Beyond the {curves.cores} cores of the machine, and left out from here on: {listed(left)}"] if left else []
    )
    lines = bullets(one for one in told if one)
    notes = speaker_notes([study.tested, *study.notes], curve_evidence(curve))
    return slide(kicker, anchor, measured_message(curve), levels_table(curve), lines, notes)


def scaling(curves: Curves, answer: Plan) -> Section:
    """How far throughput grows."""
    if isinstance(curves, Refusal):
        lines = bullets([capital(curves.reason), capital(curves.advice)])
        return slide("Scaling", "scaling", "How throughput grows cannot be told", lines, speaker_notes([]))
    curve = followed(curves, answer)
    points = scaling_points(curve, curves)
    figure = scaling_hero_figure(
        curves,
        today=None,
        targets=(),
        alt=f"Throughput against {curves.axis}. {'. '.join(points)}.",
        caption=f"{points_words(curves.curves)}{law_drawn_words(curves.curves)}",
    )
    notes = speaker_notes([], curve_evidence(curve))
    return slide(f"Scaling: {curve.name}", "scaling", scaling_message(curve), bullets(points), figure, notes)


def saturation(curves: Curves, answer: Plan) -> Section:
    """Where more of the axis stops paying."""
    if isinstance(curves, Refusal):
        return NOTHING
    curve = followed(curves, answer)
    points = bullets(saturation_points(curve, lead(answer)))
    notes = speaker_notes([f"The best balance is {RULE}."], curve_evidence(curve))
    figure = _saturation_figure(curves, curve, answer)
    return slide(f"Where it saturates: {curve.name}", "saturation", saturation_message(curve), points, figure, notes)


def _saturation_figure(curves: ScalingAnswer, curve: CurveAnswer, answer: Plan) -> go.Figure:
    """Draw what a core returns where the plan knows it, else where the curve bends."""
    if isinstance(answer, PlanningAnswer) and (plan := led(answer).loads[0]).returns:
        return returns_figure(
            led(answer),
            plan,
            alt=f"{plan.name}. Throughput of each core and of each added core. {saturation_message(curve)}.",
            caption="Points: measured, a star the best by that rule. Ground and bars: where 95 % of the draws lie.",
        )
    return scaling_hero_figure(
        replace(curves, curves=(curve,)),
        today=None,
        targets=(),
        alt=f"Throughput of {curve.name} against {curves.axis}. {saturation_message(curve)}.",
        caption=f"{points_words([curve])}{law_drawn_words([curve])}",
    )
