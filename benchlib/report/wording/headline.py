"""The top of the page: one sentence that answers the study's question, and four to six figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.effects import EffectsAnswer
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import label
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import CurveAnswer
from benchlib.report.wording.comparison.sentences import certainty_of, change_of, comparison_verdict, is_large
from benchlib.report.wording.markup import bullets, paragraph, tag
from benchlib.report.wording.scaling_words import at_level, curve_phrase, scaling_verdict
from benchlib.report.wording.sentences import effects_verdict, latency_findings, singular
from benchlib.report.wording.words import count, figure, interval, listed, metric_name
from benchlib.units import show

__all__ = [
    "STATUS_CLASSES",
    "Card",
    "alerts",
    "banner",
    "card_row",
    "cards",
    "comparison_cards",
    "effects_cards",
    "question_order",
    "verdict",
]

MOST_CARDS = 6
#: Status -> its class of the page's style sheet, and its entry in the list of reports.
STATUS_CLASSES = {"PASS": "pass", "WARN": "warn", "FAIL": "fail", "NO TARGETS": "none"}
_WHY = {
    "FAIL": "A target is missed",
    "WARN": "Read the alerts before acting on this",
    "PASS": "Every target is met and no alert stands",
    "NO TARGETS": "The study sets no target to pass or fail",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A figure of merit: label, value, how sure, and a remark."""

    label: str
    value: str
    interval: str
    note: str


def verdict(summary: ExecutiveSummary) -> str:
    """Answer the study's question in one or two sentences."""
    for question in question_order(summary):
        told = _verdict(summary, question)
        if told:
            return told
    read = f"{count(summary.quality.rows, 'value')} from {count(len(summary.quality.files), 'file')}"
    if not summary.study.definition_sha256:
        return f"{read}; without a study.toml nothing more is asked of them than the medians below."
    return f"{read}; they answer none of the questions of this study."


def question_order(summary: ExecutiveSummary) -> list[str]:
    """Return the questions of a page, the one that the study leads with first."""
    questions = ["comparison", "scaling", "effects", "latency"]
    lead = summary.study.lead
    return [lead, *(one for one in questions if one != lead)] if lead else questions


def _verdict(summary: ExecutiveSummary, question: str) -> str:
    if question == "scaling" and not isinstance(summary.scaling, Refusal):
        return scaling_verdict(summary.scaling)
    if question == "effects" and not isinstance(summary.effects, Refusal):
        return effects_verdict(summary.effects)
    if question == "latency" and not isinstance(summary.latency, Refusal):
        return "".join(f"{line}." for line in latency_findings(summary.latency, limit=1))
    if question == "comparison":
        for one in summary.comparisons:
            if not isinstance(one, Refusal):
                return comparison_verdict(one, summary.study.parallel)
    return ""


def banner(summary: ExecutiveSummary) -> Markup:
    """Return the status in words, the verdict, and why the status is what it is."""
    met = [one.status for one in summary.targets]
    targets = f" {met.count('PASS')} of {count(len(met), 'target')} met." if met else ""
    return tag(
        "div",
        tag("strong", summary.status),
        paragraph(verdict(summary), css="verdict-sentence"),
        paragraph(f"{_WHY[summary.status]}.{targets}", css="verdict-why"),
        css=f"verdict verdict-{STATUS_CLASSES[summary.status]}",
    )


def cards(summary: ExecutiveSummary) -> tuple[Card, ...]:
    """Choose four to six figures of merit, those of the leading question first."""
    made = {
        "scaling": list(_scaling(summary)),
        "effects": [] if isinstance(summary.effects, Refusal) else list(effects_cards(summary.effects)),
        "comparison": list(_comparison(summary)),
        "latency": list(_latency(summary)),
    }
    order = question_order(summary)
    # The leading question has the first three places; each other question one before any has two.
    chosen = made[order[0]][:3]
    for place in range(3):
        chosen += [made[one][place] for one in order[1:] if len(made[one]) > place]
    chosen += [*made[order[0]][3:], *_data(summary)]
    return tuple(chosen[:MOST_CARDS])


def card_row(chosen: tuple[Card, ...]) -> Markup:
    """Return the cards as markup."""
    return tag(
        "div",
        *(
            tag(
                "div",
                tag("div", one.label, css="card-label"),
                tag("div", one.value, css="card-value"),
                tag("div", one.interval, css="card-interval"),
                tag("div", one.note, css="card-note"),
                css="card",
            )
            for one in chosen
        ),
        css="cards",
    )


def _scaling(summary: ExecutiveSummary) -> Iterator[Card]:
    if isinstance(summary.scaling, Refusal):
        return
    for one in summary.scaling.curves[:3]:
        yield _curve(one)
    if not isinstance(summary.capacity, Refusal):
        sound = [one for one in summary.capacity.curves if one.comparable]
        if not sound:
            return
        first = sound[0]
        others = {one.returns.recommended for one in sound}
        yield Card(
            label="Best balance of speedup and efficiency",
            value=f"{first.axis} {listed([f'{one:g}' for one in sorted(others)])}",
            interval="" if len(others) == 1 else "the curves differ",
            note=f"{first.speedup:.2f}x at {100 * first.efficiency:.0f} % efficiency ({first.name})",
        )


def _curve(curve: CurveAnswer) -> Card:
    last, first = curve.points[-1], curve.points[0]
    return Card(
        label=f"Speedup, {curve.name}",
        value=f"{last.speedup:.2f}x",
        interval=f"from {at_level(curve.axis, first.concurrency)} to {last.concurrency:g}, n = {last.n} a level",
        note=f"efficiency {100 * last.efficiency:.0f} %; {curve_phrase(curve)}",
    )


def effects_cards(answer: EffectsAnswer) -> Iterator[Card]:
    """Choose figures of merit of the effects: the steepest slope of the first groups, the first ratios."""
    for model in answer.models[:2]:
        if not model.fit.slopes:
            continue
        steepest = max(model.fit.slopes, key=lambda one: abs(one.estimate.value))
        same = sorted(
            (one for one in model.fit.slopes if one.factor == steepest.factor),
            key=lambda one: one.estimate.value,
        )
        # What may be nothing is no figure of merit.
        shown = [one for one in (same[0].estimate, same[-1].estimate) if not one.low <= 0 <= one.high]
        for one in dict.fromkeys(shown):
            where = next(slope for slope in same if slope.estimate is one)
            yield Card(
                label=f"{label(model.key)}: {metric_name(model.metric)} of one more {singular(steepest.factor)}",
                value=figure(one),
                interval=interval(one),
                note=label(where.slice),
            )
    ratios = [one for model in answer.models[:1] for one in model.fit.ratios if one.estimate.has_interval]
    for ratio in [one for one in ratios if not one.estimate.low <= 1 <= one.estimate.high][:2]:
        yield Card(
            label=f"{label(answer.models[0].key)}: {ratio.factor} {ratio.level} against {ratio.baseline}",
            value=f"{ratio.estimate.value:.2f}x",
            interval=interval(ratio.estimate),
            note=f"{metric_name(answer.models[0].metric)}, over matched cells",
        )


def _comparison(summary: ExecutiveSummary) -> Iterator[Card]:
    for answer in summary.comparisons:
        if isinstance(answer, Refusal):
            continue
        yield from comparison_cards(answer, summary.study.parallel)


def comparison_cards(answer: ComparisonAnswer, parallel: Sequence[str]) -> Iterator[Card]:
    """Choose figures of merit of a comparison: counts a metric where it is large, else the changes of the first."""
    if is_large(answer):
        for metric in dict.fromkeys(row.metric for row in answer.rows):
            rows = [row for row in answer.rows if row.metric == metric and not row.control]
            unsure = sum(row.verdict == "cannot tell" for row in rows)
            worse, better = (sum(row.verdict == one for row in rows) for one in ("worse", "better"))
            yield Card(
                label=f"{answer.name}: {metric_name(metric)}",
                value=f"{worse} worse, {better} better",
                interval=f"of {count(len(rows), 'row')}",
                note=f"{unsure} cannot be told",
            )
        return
    first = answer.rows[0]
    for row in answer.rows:
        if (row.metric, row.baseline, row.candidate) != (first.metric, first.baseline, first.candidate):
            continue
        place = label({axis: level for axis, level in row.key.items() if axis != "pkg"})
        yield Card(
            label=f"{row.candidate} against {row.baseline}: {metric_name(row.metric)}{f', {place}' if place else ''}",
            value=change_of(row, parallel),
            interval=certainty_of(row),
            note=f"{figure(row.comparison.candidate.median)} against {figure(row.comparison.baseline.median)}",
        )


def _latency(summary: ExecutiveSummary) -> Iterator[Card]:
    if isinstance(summary.latency, Refusal):
        return
    for row in summary.latency.rows:
        if row.tail_ratio is not None:
            p99 = row.statistics["p99"].median
            yield Card(
                label=f"p99 latency, {label(row.key)}",
                value=show(p99.value, "sec"),
                interval=interval(p99),
                note=f"{row.tail_ratio:.1f}x the p50 of {show(row.statistics['p50'].median.value, 'sec')}",
            )


def _data(summary: ExecutiveSummary) -> Iterator[Card]:
    quality = summary.quality
    yield Card(
        label="Measured values",
        value=f"{quality.rows:,}",
        interval=f"from {count(len(quality.files), 'file')}",
        note=f"{count(len(quality.failed), 'benchmark')} with failed calls set apart"
        if quality.failed
        else "no failed call",
    )
    yield Card(
        label="Caveats",
        value=str(len(summary.caveats)),
        interval=count(sum(one.severity == "alert" for one in summary.caveats), "alert"),
        note="each with advice, below",
    )


def alerts(summary: ExecutiveSummary) -> Markup:
    """Return the alerts in short, for the first page."""
    return bullets((one.message for one in summary.caveats if one.severity == "alert"), css="alerts")
