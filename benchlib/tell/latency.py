"""How long requests take: under load where a sweep was timed, else place by place with what percentiles hide."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import pool
from benchlib.answers.latency import LatencyAnswer, LatencyRow, OperatingAnswer, OperatingPoint
from benchlib.caveats import Caveat
from benchlib.document.blocks import (
    Block,
    Cell,
    Column,
    Confidence,
    Document,
    Fact,
    Figure,
    Fold,
    Number,
    Panel,
    Section,
    Table,
    Text,
)
from benchlib.document.numbers import number, write
from benchlib.document.words import axis_words, joined, level_words, listed, metric_words, place_words, plain_name, slug
from benchlib.figures.latency import Point, latency_curve
from benchlib.statistics.samples import percentile_share
from benchlib.study import Study
from benchlib.tell.lead import Lead, confidence_in, document_of, level_name, refused, repeats
from benchlib.tell.sentences import say, without_stop

__all__ = ["document"]

#: Fewer timed levels than these make no curve; more curves than these make no panels.
_FEWEST_LEVELS, _MOST_PANELS, _MOST_NAMED = 3, 4, 3
_DIGITS = 2
#: Caveats that no number of repeats makes up for, the gravest first.
_BIASES = ("tail-beyond-percentiles", "mean-of-other-runs", "latency-corrected", "latency-excludes-timeouts")
#: Statistics that are columns, where they were measured; percentiles come first.
_OTHERS = ("mean", "max")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    """The timed levels of one sweep, and the highest one up to which all keep the limit (None without)."""

    name: str
    axis: str
    statistic: str
    points: tuple[OperatingPoint, ...]
    within: OperatingPoint | None

    def latency(self, point: OperatingPoint, digits: int | None = None) -> Number:
        """Return the latency of a level."""
        assert point.latency is not None
        return Number(value=point.latency.value, unit="sec", digits=digits, evidence=point.evidence)


def lead(answer: LatencyAnswer | Refusal, operating: OperatingAnswer | Refusal, study: Study) -> Lead:
    """Return what a page that leads with latency says first."""
    curves = _curves(operating, study)
    rows = _rows(answer)
    if not curves and not rows:
        if isinstance(answer, Refusal):
            return refused(answer.reason, re.split("[:;]", answer.advice)[0])
        return refused("no percentile was measured", "record percentiles")
    return Lead(
        answer=_under_load(curves, study) if curves else _of_row(rows, study),
        decision=_decision(curves, rows, study),
        confidence=_confidence(answer, curves, study),
        figure=_figure(curves, study) if curves else None,
        facts=_facts(curves, rows),
        table=_levels_table(curves) if curves else _rows_table(rows, study),
        note=_note(curves),
        values=_values(curves, rows),
    )


def document(
    answer: LatencyAnswer | Refusal,
    operating: OperatingAnswer | Refusal,
    study: Study,
    folded: Sequence[Section] = (),
) -> Document:
    """Return the document of latency alone."""
    found = []
    rows = _rows(answer)
    if rows and _curves(operating, study):
        found.append(Fold(line=_of_row(rows, study), blocks=(_rows_table(rows, study),)))
    return document_of(
        study,
        lead(answer, operating, study),
        () if isinstance(answer, Refusal) else answer.caveats,
        found=found,
        folded=folded,
        answers=answer,
    )


def finding(answer: LatencyAnswer | Refusal, operating: OperatingAnswer | Refusal, study: Study) -> Fold | None:
    """Return latency as one line that opens, for a page that leads with something else; None without any."""
    curves, rows = _curves(operating, study), _rows(answer)
    if not curves and not rows:
        return None
    line = _under_load(curves, study) if curves else _of_row(rows, study)
    blocks: list[Block] = [_figure(curves, study) if curves else _rows_table(rows, study, brief=True)]
    return Fold(line=line, blocks=tuple(blocks), anchor="latency")


def is_led(answer: LatencyAnswer | Refusal, operating: OperatingAnswer | Refusal, study: Study) -> bool:
    """Whether latency has more to say than a median, or the author of study.toml is to decide."""
    rows = _rows(answer)
    tailed = any(_percentiles(row) != ["p50"] for row in rows)
    return tailed or bool(_curves(operating, study)) or bool(rows and study.definition_sha256)


# ---- the sweeps that were timed ----


def _curves(operating: OperatingAnswer | Refusal, study: Study) -> tuple[_Curve, ...]:
    """Return the curves with a latency at enough levels, those that the study keeps out of scaling left out."""
    if isinstance(operating, Refusal):
        return ()
    curves = []
    asked = study.capacity.limit
    for panel in operating.panels:
        if panel.left_out or not panel.statistic:
            continue
        for line in panel.lines:
            points = tuple(point for point in line.points if point.latency is not None and point.latency.value > 0)
            if len(points) >= _FEWEST_LEVELS:
                levels = [level_name(study, axis, level).strip("/") for axis, level in panel.key.items()]
                name = ", ".join(word for word in (*levels, plain_name(line.name)) if word)
                curves.append(
                    _Curve(
                        name=name,
                        axis=operating.axis,
                        statistic=panel.statistic,
                        points=points,
                        within=_within(points, asked.seconds) if asked is not None else None,
                    )
                )
    return tuple(curves)


def _within(points: Sequence[OperatingPoint], limit: float) -> OperatingPoint | None:
    """Return the highest level up to which every level keeps the limit."""
    kept = None
    for point in points:
        if point.latency is None or point.latency.value > limit:
            break
        kept = point
    return kept


def _statistic(curves: Sequence[_Curve]) -> str:
    return metric_words(f"latency_{curves[0].statistic}")


def _limit(study: Study) -> Number | None:
    asked = study.capacity.limit
    return Number(value=asked.seconds, unit="sec", digits=1) if asked is not None else None


def _worst(curves: Sequence[_Curve]) -> _Curve:
    return max(curves, key=lambda curve: curve.points[-1].latency.value if curve.points[-1].latency else 0.0)


def _under_load(curves: Sequence[_Curve], study: Study) -> Text:
    limit = _limit(study)
    kept = [curve for curve in curves if curve.within is not None]
    if limit is not None and kept:
        places = [
            (f"{level_words(curve.axis, curve.within.concurrency)} for {curve.name}",)
            for curve in kept[:_MOST_NAMED]
            if curve.within is not None
        ]
        return say("latency.within", statistic=_statistic(curves), limit=limit, places=joined(places))
    curve = _worst(curves)
    first, last = curve.points[0], curve.points[-1]
    return say(
        "latency.grows",
        verb="grows" if curve.latency(last).value >= curve.latency(first).value else "falls",
        statistic=_statistic(curves),
        system=curve.name,
        low=curve.latency(first, _DIGITS),
        first=level_words(curve.axis, first.concurrency),
        high=curve.latency(last, _DIGITS),
        last=level_words(curve.axis, last.concurrency),
    )


# ---- latencies place by place ----


def _rows(answer: LatencyAnswer | Refusal) -> tuple[LatencyRow, ...]:
    """Return the rows that state a percentile: a mean alone says nothing of how long one request takes."""
    return () if isinstance(answer, Refusal) else tuple(row for row in answer.rows if _percentiles(row))


def _percentiles(row: LatencyRow) -> list[str]:
    """Return the percentiles of a row from low to high; one of zero is below what its tool prints, and none."""
    names = [
        name for name, sample in row.statistics.items() if re.fullmatch(r"p\d[\d.]*", name) and sample.median.value > 0
    ]
    return sorted(names, key=percentile_share)


def _highest(row: LatencyRow) -> str:
    """Return the percentile that is told beside the median: the 99th, else the highest below it."""
    names = _percentiles(row)
    return max((name for name in names if percentile_share(name) <= 0.99), key=percentile_share, default=names[-1])


def _most_telling(rows: Sequence[LatencyRow]) -> LatencyRow:
    """Return a row whose mean betrays what its percentiles hide, else that of the slowest tail."""
    hidden = [row for row in rows if row.tail_bound is not None]
    return max(hidden or rows, key=lambda row: row.tail_bound or row.statistics[_highest(row)].median.value)


def _shown(row: LatencyRow, name: str) -> Number:
    evidence = row.statistic_evidence.get(name, row.evidence)
    sample = row.statistics[name]
    return Number(value=sample.median.value, unit=sample.median.unit, evidence=evidence)


def _place(row: LatencyRow, rows: Sequence[LatencyRow], study: Study | None = None) -> str:
    """Return where a row was measured, in words: what tells it from the others, or all where it is alone."""
    apart = {axis: level for axis, level in row.key.items() if any(other.key.get(axis) != level for other in rows)}
    key = apart or row.key
    if study is not None:
        key = {axis: level_name(study, axis, level) if isinstance(level, str) else level for axis, level in key.items()}
    return place_words({axis: level for axis, level in key.items() if str(level).strip("/ ")}) or "latency"


def _of_row(rows: Sequence[LatencyRow], study: Study) -> Text:
    row = _most_telling(rows)
    high = _highest(row)
    if row.tail_bound is None and (grown := _along(rows, high, study)):
        return grown
    median: Text = ("median ", _shown(row, "p50"), "; ") if "p50" in _percentiles(row) else ()
    if row.tail_bound is not None and row.tail_percentile is not None:
        return say(
            "latency.hidden",
            system=_place(row, rows, study),
            median=median,
            bound=_bound(row),
            share=_beyond(row),
            unless=", if it is of the same requests" if row.mean_of_other_runs else "",
        )
    if high == "p50":
        return say("listed.only", system=_place(row, rows, study), metric="median latency", value=_shown(row, high))
    beyond = 1 / (1 - percentile_share(high)) if percentile_share(high) < 1 else math.inf
    return say(
        "latency.tail",
        system=_place(row, rows, study),
        median=median,
        many=Number(value=round(beyond)),
        high=_shown(row, high),
    )


def _along(rows: Sequence[LatencyRow], name: str, study: Study) -> Text:
    """Say from where to where a percentile goes along the only axis of numbers that tells rows apart; else nothing."""
    apart = {axis for row in rows for axis in row.key if row.key[axis] != rows[0].key.get(axis)}
    axis = next(iter(apart)) if len(apart) == 1 else ""
    numbers = all(isinstance(row.key.get(axis), int | float) and name in row.statistics for row in rows)
    if not axis or not numbers or len(rows) < _FEWEST_LEVELS:
        return ()
    ordered = sorted(rows, key=lambda row: float(row.key[axis]))
    first, last = _shown(ordered[0], name), _shown(ordered[-1], name)
    if last.value < max(row.statistics[name].median.value for row in rows):
        return ()  # worst in between, and told there
    return say(
        "latency.grows",
        verb="grows",
        statistic=metric_words(f"latency_{name}"),
        system=plain_name(str(rows[0].key.get("benchmark", study.name))),
        low=first,
        first=level_words(axis, float(ordered[0].key[axis])),
        high=last,
        last=level_words(axis, float(ordered[-1].key[axis])),
    )


def _beyond(row: LatencyRow) -> Number:
    """Return the share of requests beyond the percentile that the bound is of."""
    assert row.tail_percentile is not None
    return Number(
        value=round(1 - percentile_share(row.tail_percentile), 9), unit="ratio", digits=1, evidence=row.evidence
    )


def _bound(row: LatencyRow) -> Number:
    assert row.tail_bound is not None
    evidence = pool([row.evidence], "the mean less what the requests below each percentile can add, over the rest")
    return Number(value=row.tail_bound, unit="sec", evidence=evidence)


# ---- the first screen ----


def _decision(curves: Sequence[_Curve], rows: Sequence[LatencyRow], study: Study) -> Text:
    if not curves and _most_telling(rows).tail_bound is not None:
        return say("not_yet", verb="decide", advice="record the latency of every request, or a histogram")
    kept = {
        curve.name: level_words(curve.axis, curve.within.concurrency) for curve in curves if curve.within is not None
    }
    if not kept:
        if curves and _limit(study) is not None:
            return say("not_yet", verb="decide", advice="measure fewer at a time, for no level keeps the limit")
        return say("use", verb="Set", what="a latency limit in study.toml, then use the highest level that keeps it")
    if len(set(kept.values())) == 1:
        return say("use", verb="Use", what=next(iter(kept.values())))
    return say("use", verb="Use", what=listed([f"{level} for {name}" for name, level in kept.items()]))


def _confidence(answer: LatencyAnswer | Refusal, curves: Sequence[_Curve], study: Study) -> Confidence:
    caveats: tuple[Caveat, ...] = () if isinstance(answer, Refusal) else answer.caveats
    sizes = [point.latency.n for curve in curves for point in curve.points if point.latency is not None]
    sizes = sizes or [row.statistics[_highest(row)].n for row in _rows(answer)]
    n = min(sizes)
    return confidence_in(n, repeats(n, study), caveats, _BIASES)


def _facts(curves: Sequence[_Curve], rows: Sequence[LatencyRow]) -> tuple[Fact, ...]:
    if curves:
        facts = []
        for curve in curves[:_MOST_NAMED]:
            after = _after(curve) or curve.points[-1]
            line = f"{curve.name}, with {level_words(curve.axis, after.concurrency)}"
            facts.append(Fact(value=(curve.latency(after),), line=(line,)))
        return tuple(facts)
    row = _most_telling(rows)
    names = [name for name in dict.fromkeys(("p50", _highest(row))) if name in _percentiles(row)]
    facts = [Fact(value=(_shown(row, name),), line=(metric_words(f"latency_{name}"),)) for name in names]
    if row.tail_bound is not None and row.tail_percentile is not None:
        least: Text = ("the least that the slowest ", _beyond(row), " take on average")
        facts.append(Fact(value=(_bound(row),), line=least))
    return tuple(facts)


def _after(curve: _Curve) -> OperatingPoint | None:
    """Return the first level beyond the limit."""
    places = [place for place, point in enumerate(curve.points) if point is curve.within]
    beyond = curve.points[places[0] + 1 :] if places else ()
    return beyond[0] if beyond else None


def _figure(curves: Sequence[_Curve], study: Study) -> Figure:
    limit = _limit(study)
    drawn = {
        curve.name: [
            Point(
                f"{point.concurrency:g}",
                Number(value=point.throughput.value, unit=point.throughput.unit),
                curve.latency(point),
            )
            for point in curve.points
        ]
        for curve in curves[:_MOST_PANELS]
    }
    every = [point for points in drawn.values() for point in points]
    panels = tuple(
        Panel(chart=latency_curve(points, limit=limit, range_of=every), title=name if len(drawn) > 1 else "")
        for name, points in drawn.items()
    )
    more = f"; {len(curves) - len(drawn)} more curves in the table" if len(curves) > len(drawn) else ""
    axis = axis_words(curves[0].axis)
    unit = write(every[0].rate).rpartition(" ")[2]
    return Figure(
        finding=_found(curves, study),
        panels=panels,
        alt=f"{_statistic(curves)} against throughput.",
        note=f"{_statistic(curves)}, on a log axis, against {unit}; number at each point: {axis}{more}",
    )


def _found(curves: Sequence[_Curve], study: Study) -> Text:
    limit = _limit(study)
    kept = [curve for curve in curves if curve.within is not None and _after(curve) is not None]
    if limit is not None and kept:
        levels: dict[str, list[str]] = {}
        for curve in kept:
            assert curve.within is not None
            levels.setdefault(f"{curve.within.concurrency:g}", []).append(curve.name)
        places = listed([f"{level} ({', '.join(names)})" for level, names in levels.items()])
        axis = axis_words(curves[0].axis)
        return say("exceeds", metric=f"The {_statistic(curves)}", limit=limit, level=f"{places} {axis}")
    return without_stop(_under_load(curves, study))


def _note(curves: Sequence[_Curve]) -> Text:
    if not curves:
        return ()
    return (
        f"Each level held its number of {axis_words(curves[0].axis)} constant: with arrivals at random, requests "
        "wait longer.",
    )


# ---- tables ----


def _levels_table(curves: Sequence[_Curve]) -> Table:
    """Return throughput and latency of every level: a row a level, two columns a curve."""
    shown = curves[:_MOST_PANELS]
    levels = sorted({point.concurrency for curve in shown for point in curve.points})
    heads = [Column(head=axis_words(curves[0].axis), kind="number")]
    for curve in shown:
        heads += [
            Column(head=curve.name, unit=curve.points[0].throughput.unit, kind="number"),
            Column(head=curve.statistic, unit="sec", kind="number"),
        ]
    rows = []
    for level in levels:
        cells: list[Cell] = [f"{level:g}"]
        for curve in shown:
            point = next((point for point in curve.points if point.concurrency == level), None)
            if point is None:
                cells += [None, None]
            else:
                rate = Number(value=point.throughput.value, unit=point.throughput.unit, evidence=point.evidence)
                cells += [rate, curve.latency(point)]
        rows.append(tuple(cells))
    return Table(caption=f"Throughput and {_statistic(curves)} at each level", columns=tuple(heads), rows=tuple(rows))


def _rows_table(rows: Sequence[LatencyRow], study: Study, *, brief: bool = False) -> Table:
    """Return the percentiles of every place, and the least that the slowest requests take where the mean says it.

    ``brief`` leaves all percentiles but the median and the highest one told to the page of latency alone.
    """
    names = sorted({name for row in rows for name in _percentiles(row)}, key=percentile_share)
    if brief:
        told = {"p50", *(_highest(row) for row in rows if _percentiles(row))}
        names = [name for name in names if name in told]
    names += [name for name in _OTHERS if any(name in row.statistics for row in rows)]
    bounded = any(row.tail_bound is not None for row in rows)
    unit = next((sample.median.unit for row in rows for sample in row.statistics.values()), "sec")
    columns = [Column(head="measured at"), *(Column(head=name, unit=unit, kind="number") for name in names)]
    columns += [Column(head="slowest, at least", unit="sec", kind="number")] if bounded else []
    body = []
    for row in rows:
        cells: list[Cell] = [_place(row, rows, study)]
        for name in names:
            sample = row.statistics.get(name)
            evidence = row.statistic_evidence.get(name, row.evidence)
            cells.append(number(sample.median, evidence, unit=unit) if sample is not None else None)
        if bounded:
            cells.append(_bound(row) if row.tail_bound is not None else None)
        body.append(tuple(cells))
    return Table(caption="Latency, medians over runs", columns=tuple(columns), rows=tuple(body))


def _values(curves: Sequence[_Curve], rows: Sequence[LatencyRow]) -> Mapping[str, Number]:
    """Return the numbers that a sentence in study.toml can name: `hash.p99_at_4`, `hash_64_connections.p50`."""
    values: dict[str, Number] = {}
    for curve in curves:
        for point in curve.points:
            values[f"{slug(curve.name)}.{curve.statistic}_at_{point.concurrency:g}"] = curve.latency(point)
    for row in rows:
        for name in (*_percentiles(row), *(name for name in _OTHERS if name in row.statistics)):
            values[f"{slug(_place(row, rows))}.{slug(name)}"] = _shown(row, name)
    return values
