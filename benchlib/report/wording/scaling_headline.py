"""The top of a study of scaling laws: one sentence, a few figures, and the whole answer as data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from benchlib.answers.asking import Refusal
from benchlib.answers.pooled import add_evidence
from benchlib.answers.quality import assess_quality
from benchlib.answers.scaling import (
    CurveAnswer,
    ScalingAnswer,
    curve_evidence,
    law_checks,
    scaling_evidence,
    speedup_evidence,
)
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.report.wording.cards.card import Card
from benchlib.report.wording.curve_words import at_level, curve_phrase
from benchlib.report.wording.headline import STATUS_CLASSES
from benchlib.report.wording.law_words import limit_words, parameter_name, parameter_words
from benchlib.report.wording.markup import paragraph, tag
from benchlib.report.wording.record import Record
from benchlib.report.wording.scaling_words import scaling_verdict
from benchlib.report.wording.told import Told, evident, joined, told
from benchlib.report.wording.words import count
from benchlib.scaling.fit import ScalingFit
from benchlib.scaling.laws import LAWS
from benchlib.study import Study

if TYPE_CHECKING:
    from benchlib.answers.bottleneck import BottleneckAnswer

#: Curves that have cards of their own: a speedup and a law each.
MOST_CARDS = 3
#: Curves whose law stands in the verdict.
MOST_CURVES = 4
_WHY = {
    "WARN": "Read the alerts before acting on this.",
    "NO TARGETS": "This page holds laws against measurements; it checks no target.",
}


def law_verdict(answer: ScalingAnswer | Refusal) -> str:
    """Answer how throughput grows and which law says so, or say why that cannot be answered."""
    if isinstance(answer, Refusal):
        return f"Not answered: {answer.reason}. To answer it: {answer.advice}."
    # Curves of two levels have a speedup and no shape: naming each would say nothing many times.
    shapeless = len(answer.curves) > 1 and all(one.shape.kind == "unclear" for one in answer.curves)
    return joined([_speedups(answer) if shapeless else scaling_verdict(answer), _laws(answer.curves)], " ")


def _speedups(answer: ScalingAnswer) -> Told:
    speedups = sorted(one.points[-1].speedup for one in answer.curves)
    levels = f"{at_level(answer.axis, answer.curves[0].points[0].concurrency)} to the largest level"
    line = f"from {levels} throughput grows {speedups[0]:.2f}x to {speedups[-1]:.2f}x."
    return told(f"{count(len(answer.curves), 'curve')}: {line}", scaling_evidence(answer))


def _laws(curves: Sequence[CurveAnswer]) -> str:
    reasons = {one.why for one in curves if one.chosen is None}
    if len(reasons) == 1 and not any(one.chosen for one in curves):
        return told(f"No law is chosen: {reasons.pop().removeprefix('none: ')}.", curve_evidence(curves[0]))
    if len(curves) == 1 and (fit := curves[0].chosen):
        return told(f"{LAWS[fit.law].title} describes it best, {_limit(curves[0], fit)}.", curve_evidence(curves[0]))
    lines = [
        told(f"{one.name}: {LAWS[one.chosen.law].title}, {_limit(one, one.chosen)}", curve_evidence(one))
        if one.chosen
        else f"{one.name}: none"
        for one in curves[:MOST_CURVES]
    ]
    left = len(curves) - len(lines)
    return joined(["The laws: ", joined(lines, "; "), f"; and {left} more" if left else "", "."])


#: Of a law that misses its points.
_MISSED = "though it misses its points by more than chance"


def _behind_wall(one: CurveAnswer, fit: ScalingFit) -> list[str]:
    """Say what makes a wall, where its law or the points themselves show one, and whether the law misses them."""
    shown = not fit.misses_points or one.shape.kind == "plateau"
    return ["as when a resource runs out"] * shown + [_MISSED] * fit.misses_points


def _limit(one: CurveAnswer, fit: ScalingFit) -> str:
    if fit.law == "plateau":
        return joined([f"a wall at N = {parameter_words(fit, 'servers')}", *_behind_wall(one, fit)], ", ")
    if fit.misses_points:
        return _MISSED
    if fit.peak is not None:
        return f"peak {'' if math.isinf(fit.peak.value) else 'at N = '}{limit_words(fit, 'peak')}"
    if fit.ceiling is not None:
        return f"ceiling {limit_words(fit, 'ceiling')}"
    return "no end in sight of the measured levels"


def scaling_banner(answer: ScalingAnswer) -> Markup:
    """Return the status in words, the verdict, and why the status is what it is."""
    status = _status(answer)
    return tag(
        "div",
        tag("strong", status),
        paragraph(law_verdict(answer), css="verdict-sentence"),
        paragraph(_WHY[status], css="verdict-why"),
        css=f"verdict verdict-{STATUS_CLASSES[status]}",
    )


def _status(answer: ScalingAnswer | Refusal) -> str:
    alert = isinstance(answer, ScalingAnswer) and any(one.severity == "alert" for one in answer.caveats)
    return "WARN" if alert else "NO TARGETS"


def law_cards(answer: ScalingAnswer) -> tuple[Card, ...]:
    """Choose the figures of merit: of each of the first curves its speedup and its law."""
    return tuple(card for one in answer.curves[:MOST_CARDS] for card in _curve(one))


def _curve(one: CurveAnswer) -> Iterator[Card]:
    last, first = one.points[-1], one.points[0]
    whole, ends = curve_evidence(one), speedup_evidence(one, last.concurrency)
    span = f"from {at_level(one.axis, first.concurrency)} to {last.concurrency:g}"
    yield Card(
        label=f"Speedup, {one.name}",
        value=evident(f"{last.speedup:.2f}x", ends, last.speedup),
        interval=told(f"{span}, n = {last.n} a level", ends),
        change="",
        target="",
        note=joined([told(f"efficiency {100 * last.efficiency:.0f} %; ", ends), curve_phrase(one)]),
    )
    fit = one.chosen
    if fit is None:
        why = told(one.why.removeprefix("none: "), whole)
        yield Card(label=f"Law, {one.name}", value="none", interval="", change="", target="", note=why)
        return
    losses = [name for name in fit.parameters if name != "rate_at_one"]
    yield Card(
        label=f"Law, {one.name}",
        value=LAWS[fit.law].title,
        interval=told("; ".join(f"{parameter_name(name)} {parameter_words(fit, name)}" for name in losses), whole),
        change="",
        target="",
        note=told(joined(_behind_wall(one, fit), ", ") if fit.law == "plateau" else _limit(one, fit), whole),
    )


def scaling_record(
    study: Study,
    answer: ScalingAnswer | Refusal,
    bottleneck: BottleneckAnswer | Refusal,
    parameters: Mapping[str, Any],
) -> Record:
    """Return the answers of a study of scaling laws for the end of a notebook."""
    head = {
        "schema": SCHEMA_VERSION,
        "title": study.title,
        "status": _status(answer),
        "verdict": str(law_verdict(answer)),
        "cards": to_dict(law_cards(answer)) if isinstance(answer, ScalingAnswer) else [],
    }
    answers = {
        "parameters": dict(parameters),
        "study": study,
        "scaling": answer,
        "bottleneck": bottleneck,
        "quality": assess_quality(study),
    }
    plain = to_dict(answers)
    for name, one in answers.items():
        add_evidence(plain[name], one)
    if isinstance(answer, ScalingAnswer):
        for data, curve in zip(plain["scaling"]["curves"], answer.curves, strict=True):
            data["checks"] = law_checks(curve)
    caveats = answer.caveats if isinstance(answer, ScalingAnswer) else ()
    return Record(
        answers={**head, "answers": plain},
        summary=f"{head['status']}: {head['verdict']} ({count(len(caveats), 'caveat')})",
    )
