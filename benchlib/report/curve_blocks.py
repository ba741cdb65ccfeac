"""What a page shows of one curve: its laws, its figure, its time, its residuals and forecasts."""

from __future__ import annotations

from benchlib.answers.scaling import CurveAnswer, curve_evidence
from benchlib.plots.scaling_checks import back_test_figure, residuals_figure
from benchlib.plots.scaling_laws import band_goes_on, laws_figure
from benchlib.plots.scaling_time import split_figure
from benchlib.report.sections import details
from benchlib.report.wording.law_tables import (
    back_test_table,
    forecast_table,
    laws_table,
    limits_table,
    nested_table,
)
from benchlib.report.wording.law_words import back_test_words, choice_words, residual_words, split_words, time_unit
from benchlib.report.wording.markup import bullets, paragraph, render_table, tag
from benchlib.report.wording.scaling_tables import split_table
from benchlib.report.wording.scaling_words import points_words
from benchlib.report.wording.told import joined, told
from benchlib.report.wording.words import count
from benchlib.scaling.choose import residuals
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS


def laws_of(one: CurveAnswer) -> list[object]:
    """Return the laws side by side, and why one was chosen."""
    whole = curve_evidence(one)
    blocks: list[object] = [tag("h3", one.name), paragraph(joined([choice_words(one), "."]))]
    if one.choice is not None:
        blocks += [bullets(told(rival.message, whole) for rival in one.choice.rivals), laws_table(one)]
        nested = nested_table(one)
        folded = [render_table(limits_table(one)), *([render_table(nested)] if nested is not None else [])]
        blocks.append(details("Coefficients, limits and F tests", *folded))
    if one.refused_fits:
        blocks.append(
            details(
                f"Laws not fitted ({len(one.refused_fits)})", bullets(told(line, whole) for line in one.refused_fits)
            )
        )
    return blocks


def throughput_of(one: CurveAnswer, cores: int | None) -> list[object]:
    """Return points, laws and bands, and the forecast where one was asked for."""
    shown = f"Throughput of {one.name} against {one.axis} with {count(len(one.fits), 'law')}"
    chart = laws_figure(one, cores=cores, alt=f"{shown}. {choice_words(one)}.", caption=_law_caption(one))
    forecast = forecast_table(one)
    return [tag("h3", one.name), chart, *([forecast] if forecast is not None else [])]


def _law_caption(one: CurveAnswer) -> str:
    told = f"{points_words([one])} "
    if one.chosen is None:
        told += "No law was chosen."
    elif one.chosen.misses_points:
        told += "No band: the chosen law misses its points."
    else:
        told += (
            f"Thick line: {LAWS[one.chosen.law].title}, the chosen law; dark band: where it lies; "
            "light band: where one more measurement would."
        )
    if band_goes_on(one):
        told += " Arrow: what is cut there goes on above."
    if one.averaged is not None:
        told += " On grey ground nothing was measured: the average of the laws, by how likely each makes the points."
    return told


def split_of(one: CurveAnswer) -> list[object]:
    """Return where the time of one unit of work goes; nothing without a law."""
    line = split_words(one) if one.split else ""
    caption = "Shares of N / X(N) by the chosen law; the times stand in the table, and sum to it too."
    chart = split_figure(one, unit=time_unit(one), alt=f"{one.name}. {line}.", caption=caption)
    split = split_table(one)
    if chart is None or split is None:
        return []
    return [tag("h3", one.name), paragraph(joined([line, "."])), chart, details("As a table", render_table(split))]


def checks_of(one: CurveAnswer, fit: ScalingFit) -> list[object]:
    """Return what a law leaves over, and what it would have forecast."""
    return [tag("h3", one.name), *_residuals(one, fit), *_back_test(one, fit.law)]


def _residuals(one: CurveAnswer, fit: ScalingFit) -> list[object]:
    found = residuals(one.curve, fit)
    line = told(residual_words(found), curve_evidence(one))
    caption = f"Without a pattern around 0 the points speak for {LAWS[fit.law].title}; a bow speaks against it."
    shown = residuals_figure(one, found, alt=f"{one.name}. {line}.", caption=caption)
    return [paragraph(joined([line, "."])), shown]


def _back_test(one: CurveAnswer, law: str) -> list[object]:
    tested = next((test for test in one.back_tests if test.law == law), None)
    if tested is None:
        return []
    lines = [told(line, curve_evidence(one)) for line in back_test_words(tested)]
    chart = back_test_figure(
        one,
        tested,
        alt=f"{one.name}: forecasts against measurements. {'. '.join(lines)}.",
        caption="Above 0 the forecast was too high. Filled: the measurement lay in the interval of the forecast; "
        "open: outside it.",
    )
    every = back_test_table(one, tested)
    return [
        bullets(lines),
        *([chart] if chart is not None else []),
        *([details("Every forecast", render_table(every))] if every is not None else []),
    ]
