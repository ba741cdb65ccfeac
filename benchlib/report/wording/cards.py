"""Figures of merit: four to six numbers with how sure they are, what they changed by, and what they are to keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from benchlib.answers.comparison import ComparisonAnswer
from benchlib.answers.comparison.behind import comparison_evidence
from benchlib.answers.effects import EffectsAnswer
from benchlib.answers.effects.behind import ratio_evidence, slope_evidence
from benchlib.answers.executive import ExecutiveSummary
from benchlib.answers.grouping import label
from benchlib.answers.refusal import Refusal
from benchlib.answers.scaling import CurveAnswer
from benchlib.answers.scaling.behind import speedup_evidence
from benchlib.answers.tallies import tallies
from benchlib.answers.targets import TargetAnswer
from benchlib.report.wording.comparison.sentences import certainty_of, change_of, is_large
from benchlib.report.wording.comparison.verdict import sides_words
from benchlib.report.wording.curve_words import at_level, curve_phrase, told_growth
from benchlib.report.wording.headline import question_order
from benchlib.report.wording.markup import tag
from benchlib.report.wording.sentences import singular
from benchlib.report.wording.tables import reason_evidence
from benchlib.report.wording.told import evident, joined, told
from benchlib.report.wording.words import (
    count,
    evident_figure,
    evident_interval,
    figure,
    interval,
    listed,
    metric_name,
)
from benchlib.statistics.comparison import Verdict
from benchlib.units import percent, show

__all__ = ["Card", "card_row", "cards", "comparison_cards", "effects_cards"]

MOST_CARDS = 6
#: Cards that targets may take: the gravest ones.
MOST_TARGETS = 3
#: What `change_of` says of a row that shows nothing.
_NOTHING = ("no difference shown", "no verdict")
#: What it adds to a change without a verdict.
_AS_MEASURED = ", as measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A figure of merit.

    Attributes
    ----------
    label, value : str
        What it is, and the number with its unit.
    interval : str
        How sure it is.
    change : str
        Against the baseline, where recordings are compared.
    target : str
        What it is to keep, and whether it does, where the study says.
    note : str
    """

    label: str
    value: str
    interval: str
    change: str
    target: str
    note: str


def cards(summary: ExecutiveSummary) -> tuple[Card, ...]:
    """Choose four to six figures of merit: targets that are not met, then those of the leading question."""
    order = question_order(summary)
    compared = list(_comparison(summary))
    made = {
        "scaling": list(_scaling(summary)),
        "effects": []
        if isinstance(summary.effects, Refusal)
        else list(effects_cards(summary.effects, _compared(summary))),
        # What shows nothing is a figure of merit only where it is the question.
        "comparison": [one for one in compared if one.value not in _NOTHING or order[0] == "comparison"],
        "latency": list(_latency(summary)),
    }
    # The leading question has the first three places; each other question one before any has two.
    chosen = [*_targets(summary), *made[order[0]][:3]]
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
                *([tag("div", one.change, css="card-change")] if one.change else []),
                *([tag("div", one.target, css="card-target")] if one.target else []),
                tag("div", one.note, css="card-note"),
                css="card",
            )
            for one in chosen
        ),
        css="cards",
    )


def _targets(summary: ExecutiveSummary) -> Iterator[Card]:
    """Tell the targets that are missed, then those left open, each with what it changed by."""
    measured = [one for one in summary.targets if one.sample is not None and one.status in ("FAIL", "WARN")]
    measured.sort(key=lambda one: ("FAIL", "WARN").index(one.status))
    for one in measured[:MOST_TARGETS]:
        assert one.sample is not None
        found, evidence = one.sample.median, one.evidence
        yield Card(
            label=f"{one.benchmark}: {metric_name(one.metric)}",
            value=evident_figure(found, evidence),
            interval=evident_interval(found, evidence),
            change=_change_of(one, summary),
            target=joined(
                [
                    told(f"Target {one.bound}: {one.status}", evidence),
                    told(f", {one.reason}" if one.reason else "", reason_evidence(one)),
                ]
            ),
            note=one.name,
        )


def _change_of(target: TargetAnswer, summary: ExecutiveSummary) -> str:
    """Say how the benchmark of a target changed against the baseline, where recordings are compared."""
    for answer in summary.comparisons:
        if isinstance(answer, Refusal) or answer.column != "run":
            continue
        for row in answer.rows:
            place = label({axis: level for axis, level in row.key.items() if axis != "pkg"})
            if row.metric == target.metric and place == target.benchmark:
                return told(f"against {row.baseline}: {change_of(row, summary.study.parallel)}", row.evidence)
    return ""


def _scaling(summary: ExecutiveSummary) -> Iterator[Card]:
    if isinstance(summary.scaling, Refusal):
        return
    for one in summary.scaling.curves[:3]:
        yield _curve(one)
    if not isinstance(summary.capacity, Refusal):
        sound = [one for one in summary.capacity.curves if one.advised]
        if not sound:
            return
        first = sound[0]
        levels = {one.returns.recommended: one.evidence for one in reversed(sound)}
        yield Card(
            label="Best balance of speedup and efficiency",
            value=joined([f"{first.axis} ", listed([evident(f"{one:g}", levels[one], one) for one in sorted(levels)])]),
            interval="" if len(levels) == 1 else "the curves differ",
            change="",
            target="",
            note=told(f"{first.speedup:.2f}x at {percent(first.efficiency)} efficiency ({first.name})", first.evidence),
        )


def _curve(curve: CurveAnswer) -> Card:
    growth, point = told_growth(curve)
    evidence = speedup_evidence(curve, point.concurrency)
    span = f"from {at_level(curve.axis, curve.points[0].concurrency)} to {point.concurrency:g}"
    return Card(
        label=f"{'Best speedup' if point is not curve.points[-1] else 'Speedup'}, {curve.name}",
        value=told(figure(growth), evidence),
        interval=told(interval(growth) if growth.has_interval else f"n = {point.n} a level, no interval", evidence),
        change="",
        target="",
        note=joined([told(f"{span}; efficiency {percent(point.efficiency)}; ", evidence), curve_phrase(curve)]),
    )


def effects_cards(answer: EffectsAnswer, compared: Collection[tuple[str, str, str]] = ()) -> Iterator[Card]:
    """Choose figures of merit of the effects: the steepest slope of the first groups, the first ratios.

    Ratios of what is ``compared``, as column, candidate and baseline, are left to the comparison and its verdict.
    """
    for model in answer.models[:2]:
        # A slope of a line that misses its cells is no cost of one more.
        slopes = [one for one in model.fit.slopes if not one.misses_cells]
        if not slopes:
            continue
        steepest = max(slopes, key=lambda one: abs(one.estimate.value))
        same = sorted(
            (one for one in slopes if one.factor == steepest.factor),
            key=lambda one: one.estimate.value,
        )
        # What may be nothing is no figure of merit.
        shown = [one for one in (same[0].estimate, same[-1].estimate) if not one.low <= 0 <= one.high]
        for one in dict.fromkeys(shown):
            where = next(slope for slope in same if slope.estimate is one)
            yield Card(
                label=f"{label(model.key)}: {metric_name(model.metric)} of one more {singular(steepest.factor)}",
                value=evident_figure(one, slope_evidence(model, where)),
                interval=evident_interval(one, slope_evidence(model, where)),
                change="",
                target="",
                note=label(where.slice),
            )
    ratios = [
        one
        for model in answer.models[:1]
        for one in model.fit.ratios
        if one.estimate.has_interval and (one.factor, str(one.level), str(one.baseline)) not in compared
    ]
    for ratio in [one for one in ratios if not one.estimate.low <= 1 <= one.estimate.high][:2]:
        behind = ratio_evidence(answer.models[0], ratio)
        yield Card(
            label=f"{label(answer.models[0].key)}: {ratio.factor} {ratio.level} against {ratio.baseline}",
            value=evident_figure(ratio.estimate, behind),
            interval=evident_interval(ratio.estimate, behind),
            change="",
            target="",
            note=f"{metric_name(answer.models[0].metric)}, over matched cells",
        )


def _compared(summary: ExecutiveSummary) -> set[tuple[str, str, str]]:
    """Return which levels are compared: column, candidate and baseline."""
    answers = [one for one in summary.comparisons if not isinstance(one, Refusal)]
    return {(one.column, row.candidate, row.baseline) for one in answers for row in one.rows}


def _comparison(summary: ExecutiveSummary) -> Iterator[Card]:
    for answer in summary.comparisons:
        if isinstance(answer, Refusal):
            continue
        yield from comparison_cards(answer, summary.study.parallel)


def comparison_cards(answer: ComparisonAnswer, parallel: Sequence[str]) -> Iterator[Card]:
    """Choose figures of merit of a comparison: counts a metric where it is large, else the changes of the first."""
    if is_large(answer):
        behind = comparison_evidence(answer)
        for metric in dict.fromkeys(row.metric for row in answer.rows):
            rows = [row for row in answer.rows if row.metric == metric and not row.control]
            value, *rest = _counts([row.verdict for row in rows])
            yield Card(
                label=f"{sides_words(rows) or answer.name}: {metric_name(metric)}",
                value=told(value, behind),
                interval=told(f"of {count(len(rows), 'row')}", behind),
                change="",
                target="",
                note=told(listed(rest), behind),
            )
        return
    first = answer.rows[0]
    for row in answer.rows:
        if (row.metric, row.baseline, row.candidate) != (first.metric, first.baseline, first.candidate):
            continue
        place = label({axis: level for axis, level in row.key.items() if axis != "pkg"})
        change = change_of(row, parallel)
        # In large letters the number alone; that it has no verdict stands with how sure it is.
        unproven = "as measured, " if change.endswith(_AS_MEASURED) else ""
        yield Card(
            label=f"{row.candidate} against {row.baseline}: {metric_name(row.metric)}{f', {place}' if place else ''}",
            value=told(change.removesuffix(_AS_MEASURED), row.evidence),
            interval=told(f"{unproven}{certainty_of(row)}", row.evidence),
            change="",
            target="",
            note=told(
                f"{figure(row.comparison.candidate.median)} against {figure(row.comparison.baseline.median)}",
                row.evidence,
            ),
        )


def _counts(verdicts: Sequence[Verdict]) -> list[str]:
    """Count verdicts: differences that were shown first; what shows none by number."""
    worse, better, unsure, same = (verdicts.count(one) for one in ("worse", "better", "cannot tell", "same"))
    shown = ", ".join(words for number, words in ((worse, f"{worse} worse"), (better, f"{better} better")) if number)
    rest = sorted(((unsure, f"{unsure} cannot be told"), (same, f"{same} the same")), key=lambda one: -one[0])
    return [*([shown] if shown else []), *(words for number, words in rest if number)] or ["no row to judge"]


def _latency(summary: ExecutiveSummary) -> Iterator[Card]:
    """Tell the longest tail of each benchmark, as the verdict names the longest of all; then their next ones."""
    if isinstance(summary.latency, Refusal):
        return
    told_of = Counter[str]()
    places = []
    for row in sorted(summary.latency.rows, key=lambda row: -(row.tail_ratio or 0)):
        name = str(row.key.get("benchmark", ""))
        told_of[name] += 1
        places.append((told_of[name], row))
    for _, row in sorted(places, key=lambda place: place[0]):
        if row.tail_ratio is not None:
            p50, p99, behind = row.statistics["p50"].median, row.statistics["p99"].median, row.statistic_evidence
            yield Card(
                label=f"p99 latency, {label(row.key)}",
                value=evident(show(p99.value, "sec"), behind["p99"], p99.value),
                interval=told(interval(p99), behind["p99"]),
                change="",
                target="",
                note=joined(
                    [
                        evident(f"{row.tail_ratio:.1f}x", behind["tail_ratio"], row.tail_ratio),
                        " the p50 of ",
                        evident(show(p50.value, "sec"), behind["p50"], p50.value),
                    ]
                ),
            )


def _data(summary: ExecutiveSummary) -> Iterator[Card]:
    quality = summary.quality
    yield Card(
        label="Measured values",
        value=evident(f"{quality.rows:,}", quality.evidence, quality.rows),
        interval=told(f"from {count(len(quality.files), 'file')}", quality.evidence),
        change="",
        target="",
        note=told(f"{count(len(quality.failed), 'benchmark')} with failed calls set apart", quality.evidence)
        if quality.failed
        else "no failed call",
    )
    caveats = tallies(summary)["caveats"]
    yield Card(
        label="Caveats",
        value=evident(f"{caveats.total:,}", caveats.evidence, caveats.total),
        interval=told(count(caveats.counts["alert"], "alert"), caveats.evidence),
        change="",
        target="",
        note="each with advice, below",
    )
