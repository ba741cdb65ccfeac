"""How throughput grows: the first screen, the table of levels, the laws."""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchlib.answers.latency import OperatingAnswer
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import CurveAnswer, ScalingAnswer, curve_evidence, fall_evidence, speedup_evidence
from benchlib.figures.scaling import overlaid_curves, single_curve
from benchlib.study import Study
from benchlib.tell.document import Column, Confidence, Fact, Figure, Number, Panel, Table, Text
from benchlib.tell.doubts import short
from benchlib.tell.lead import Lead
from benchlib.tell.numbers import write
from benchlib.tell.sentences import say
from benchlib.tell.words import axis_words, joined, level_words, listed, plain_name
from benchlib.units import asked_quantity

__all__ = ["lead", "measured_table"]

#: More curves than these make no panels of their own.
_MOST_PANELS = 4


def lead(answer: ScalingAnswer, operating: OperatingAnswer | Refusal, study: Study) -> Lead:
    """Return what a page that leads with scaling says first."""
    curves = answer.curves[:_MOST_PANELS]
    return Lead(
        answer=_answer(answer),
        decision=_decision(answer),
        confidence=_confidence(answer),
        figure=_figure(answer, operating, study),
        facts=tuple(_fact(curve) for curve in curves[:3]),
        table=measured_table(answer),
        values=_values(answer),
    )


def _name(curve: CurveAnswer) -> str:
    return plain_name(curve.name)


def _stop(curve: CurveAnswer) -> float:
    """Return the smallest level that no other level beats."""
    return curve.shape.best_level


def _rate(curve: CurveAnswer, level: float | None = None) -> Number:
    """Return the throughput of a level; of the best one where none is named."""
    level = _stop(curve) if level is None else level
    point = next(point for point in curve.points if point.concurrency == level)
    return Number(value=point.throughput.value, unit=point.throughput.unit, evidence=curve.evidence[level])


def _answer(answer: ScalingAnswer) -> Text:
    if len(answer.curves) == 1:
        return _sentence(answer.curves[0], answer.axis)
    places = [
        say("scaling.place", level=level_words(answer.axis, _stop(curve)), system=_name(curve), rate=_rate(curve))
        for curve in answer.curves[:3]
    ]
    return say("scaling.many", places=joined(places))


def _sentence(curve: CurveAnswer, axis: str) -> Text:
    first, last = curve.points[0].concurrency, curve.points[-1].concurrency
    common = {"system": _name(curve), "rate": _rate(curve), "last": level_words(axis, last)}
    if curve.shape.falls_from is not None:
        loss = Number(value=curve.shape.falls_by, unit="ratio", digits=2, evidence=fall_evidence(curve))
        return say("scaling.peak", **common, level=level_words(axis, _stop(curve)), loss=loss)
    if _stop(curve) < last:
        return say("scaling.plateau", **common, level=level_words(axis, _stop(curve)), axis=axis_words(axis))
    times = Number(value=curve.points[-1].speedup, unit="x", evidence=speedup_evidence(curve, last))
    return say("scaling.rises", **common, times=times, first=level_words(axis, first))


def _decision(answer: ScalingAnswer) -> Text:
    rising = [curve for curve in answer.curves if _stop(curve) == curve.points[-1].concurrency]
    if len(rising) == len(answer.curves):
        return say("scaling.beyond", last=level_words(answer.axis, answer.curves[0].points[-1].concurrency))
    levels = {_name(curve): level_words(answer.axis, _stop(curve)) for curve in answer.curves}
    if len(set(levels.values())) == 1:
        return say("scaling.use", levels=next(iter(levels.values())))
    return say("scaling.use", levels=listed([f"{level} for {name}" for name, level in levels.items()]))


def _confidence(answer: ScalingAnswer) -> Confidence:
    n = min(point.n for curve in answer.curves for point in curve.points)
    if n == 1:
        return Confidence(level="low", reason=say("confidence.single"))
    if n < 5:
        return Confidence(level="medium", reason=say("confidence.few", n=str(n)))
    grave = [
        caveat
        for caveat in answer.caveats
        if caveat.code in ("generator-changed", "curves-disagree", "mixed-structure", "unstable-runs")
    ]
    if grave:
        return Confidence(level="medium", reason=say("confidence.bias", n=str(n), doubt=short(grave[0])))
    return Confidence(level="high", reason=say("confidence.high", n=str(n)))


def _figure(answer: ScalingAnswer, operating: OperatingAnswer | Refusal, study: Study) -> Figure:
    curves = answer.curves[:_MOST_PANELS]
    axis = axis_words(answer.axis)
    asked = study.capacity.limit
    limit = Number(value=asked.seconds, unit="sec", digits=1) if asked is not None else None
    if len(curves) > 1 and len({tuple(curve.key.items()) for curve in curves}) < len(curves):
        names = [_name(curve) for curve in curves]
        panels = (Panel(chart=overlaid_curves(curves, names=names, cores=answer.cores)),)
    else:
        panels = tuple(
            Panel(
                chart=single_curve(curve, latency=_latency(curve, operating), limit=limit),
                title=f"{_name(curve)}: {write(_rate(curve))}",
                line=f"from {level_words(answer.axis, _stop(curve))}",
            )
            for curve in curves
        )
    n = min(point.n for curve in curves for point in curve.points)
    runs = f"each point: median of {n} runs" if n > 1 else "each point: one run"
    beyond = (
        f" ● within {asked_quantity(asked.seconds, 'sec')} at the 99th percentile ○ beyond it;"
        if asked is not None
        else ""
    )
    return Figure(
        finding=_finding(answer),
        panels=panels,
        alt=f"Throughput against {axis}.",
        note=f"{axis} (doubling);{beyond} {runs}",
    )


def _finding(answer: ScalingAnswer) -> Text:
    stops: dict[float, list[str]] = {}
    for curve in answer.curves:
        stops.setdefault(_stop(curve), []).append(_name(curve))
    places = listed([f"{level:g} ({', '.join(names)})" for level, names in sorted(stops.items())])
    return say("scaling.finding.plateau", axis=axis_words(answer.axis), places=places)


def _latency(curve: CurveAnswer, operating: OperatingAnswer | Refusal) -> Mapping[float, Number]:
    """Return the latency of each level, where it was measured beside the throughput."""
    if isinstance(operating, Refusal):
        return {}
    for panel in operating.panels:
        words = {str(value).strip("/") for value in (*panel.key.values(), *(line.name for line in panel.lines))}
        if words & set(map(str, curve.key.values())) and not panel.left_out:
            return {
                point.concurrency: Number(value=point.latency.value, unit="sec", evidence=point.evidence)
                for line in panel.lines[:1]
                for point in line.points
                if point.latency is not None
            }
    return {}


def _fact(curve: CurveAnswer) -> Fact:
    return Fact(value=(_rate(curve),), line=(f"{_name(curve)}, at {level_words(curve.axis, _stop(curve))}",))


def measured_table(answer: ScalingAnswer) -> Table:
    """Return the levels of every curve, one row a level and one column a curve."""
    curves = answer.curves[:_MOST_PANELS]
    levels = sorted({point.concurrency for curve in curves for point in curve.points})
    rows = []
    for level in levels:
        cells: list[str | Number | None] = [f"{level:g}"]
        for curve in curves:
            point = next((point for point in curve.points if point.concurrency == level), None)
            rate = point.throughput if point is not None else None
            cells.append(
                None if rate is None else Number(value=rate.value, unit=rate.unit, evidence=curve.evidence[level])
            )
        rows.append(tuple(cells))
    heads = (Column(head=axis_words(answer.axis), kind="number"),)
    return Table(
        caption="Throughput at each level, medians",
        columns=heads + tuple(Column(head=_name(curve), unit=curve.curve.unit, kind="number") for curve in curves),
        rows=tuple(rows),
    )


def _values(answer: ScalingAnswer) -> dict[str, Number]:
    values: dict[str, Number] = {}
    for curve in answer.curves:
        name = re.sub(r"\W+", "_", curve.name).strip("_").lower()
        values[f"{name}.best"] = _rate(curve)
        values[f"{name}.best_level"] = Number(value=_stop(curve), evidence=curve_evidence(curve))
        for point in curve.points:
            values[f"{name}.at_{point.concurrency:g}"] = _rate(curve, point.concurrency)
            values[f"{name}.speedup_at_{point.concurrency:g}"] = Number(
                value=point.speedup, unit="x", evidence=speedup_evidence(curve, point.concurrency)
            )
    return values
