"""How throughput grows: the first screen, the table of levels, the laws.

Each curve has one *stop*: the level at which to stop adding. It is the fitted peak where a law with a peak describes
the points; the sweet spot of speedup and efficiency where the axis is something one buys; else the smallest level that
no other level beats, or the highest one below it that keeps the latency limit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from msgspec import structs

from benchlib.answers.asking import Refusal
from benchlib.answers.latency import OperatingAnswer
from benchlib.answers.scaling import (
    CurveAnswer,
    ScalingAnswer,
    curve_evidence,
    fall_evidence,
    speedup_evidence,
    step_evidence,
)
from benchlib.answers.sweeps import JOBS, Elsewhere
from benchlib.document.blocks import (
    Block,
    Cell,
    Column,
    Confidence,
    Document,
    Fact,
    Figure,
    Fold,
    List,
    Number,
    Panel,
    Section,
    Table,
    Text,
)
from benchlib.document.numbers import interval, number, write
from benchlib.document.words import axis_words, is_resource, joined, level_words, listed, place_words, plain_name, slug
from benchlib.figures.scaling import overlaid_curves, single_curve
from benchlib.scaling.points import ScalingPoint
from benchlib.study import Study
from benchlib.tell.lead import LEVEL_IS_TIME, Lead, confidence_in, document_of, in_order, measurement, refused, repeats
from benchlib.tell.sentences import begun, percents, say, without_stop
from benchlib.units import asked_quantity, scaled

__all__ = ["document", "laws"]

#: More curves than these make no panels of their own, and are not named one by one.
_MOST_PANELS, _MOST_NAMED = 4, 3
#: Fewer repeats than these are told as few.
#: Points of other runs that a figure has room for.
_MOST_APART = 1
#: A smaller speedup is told with one digit more.
_LITTLE = 1.1
#: A smaller gain is told as none.
_NOTHING = 0.01
#: Commands that a page suggests.
_MOST_STEPS = 3
#: Caveats that no number of repeats makes up for.
_BIASES = (
    LEVEL_IS_TIME,
    "curves-disagree",
    "mixed-structure",
    "generator-changed",
    "unstable-runs",
    "drifted-far",
    "oversubscribed",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stop:
    """The level at which to stop adding, and what is delivered there."""

    curve: CurveAnswer
    name: str
    level: Number
    #: Throughput there; of jobs that were timed as a whole their time.
    rate: Number
    fitted: bool
    rising: bool

    @property
    def at(self) -> str:
        """The level in words."""
        words = level_words(self.curve.axis, self.level.value)
        return f"about {words}" if self.fitted else words


def lead(answer: ScalingAnswer, operating: OperatingAnswer | Refusal, study: Study) -> Lead:
    """Return what a page that leads with scaling says first."""
    limit = study.capacity.limit
    latencies = [_latency(curve, operating) for curve in answer.curves]
    stops = [
        _stop_of(curve, latency, limit.seconds if limit is not None else math.inf)
        for curve, latency in zip(answer.curves, latencies, strict=True)
    ]
    asked = f" within {asked_quantity(limit.seconds, 'sec')}" if limit is not None and any(latencies) else ""
    return Lead(
        answer=_answer(stops, asked),
        decision=_decision(stops, random=in_order(answer.caveats) is None),
        confidence=_confidence(answer, study),
        figure=_figure(answer, stops, latencies, study, asked),
        facts=_facts(stops),
        table=_asked_table(answer) or _table(stops),
        values=_values(stops),
    )


def document(
    answer: ScalingAnswer | Refusal, operating: OperatingAnswer | Refusal, study: Study, folded: Sequence[Section] = ()
) -> Document:
    """Return the document of the scaling question alone."""
    if isinstance(answer, Refusal):
        return document_of(study, refused(answer.reason, answer.advice), (), answers=answer)
    sections = (*_asked(answer), laws(answer), _choice(answer), *folded)
    told = lead(answer, operating, study)
    return document_of(study, told, answer.caveats, next_steps=next_steps(answer), folded=sections, answers=answer)


def next_steps(answer: ScalingAnswer) -> tuple[Block, ...]:
    """Return the measurements that would settle most."""
    commands = dict.fromkeys(command for curve in answer.curves for command in curve.commands)
    steps = tuple(measurement(command) for command in list(commands)[:_MOST_STEPS])
    return (List(items=steps),) if steps else ()


def finding(answer: ScalingAnswer, operating: OperatingAnswer | Refusal, study: Study) -> Fold:
    """Return scaling as one line that opens, for a page that leads with something else."""
    told = lead(answer, operating, study)
    blocks = [block for block in (told.figure, told.table) if block is not None]
    return Fold(line=told.answer, blocks=tuple(blocks), anchor="scaling")


# ---- the stop of a curve ----


def _stop_of(curve: CurveAnswer, latency: Mapping[float, Number], limit: float) -> _Stop:
    chosen, last = curve.chosen, curve.points[-1].concurrency
    falls = curve.shape.falls_from is not None
    best = curve.shape.best_level
    if falls and not _of_jobs(curve) and chosen is not None and not chosen.misses_points and chosen.peak is not None:
        evidence = curve_evidence(curve)
        peak = chosen.peak
        first = curve.points[0].concurrency
        # No curve is read below its first level.
        if chosen.ceiling is not None and math.isfinite(peak.value) and first < round(peak.value):
            # A level is a whole number of threads or users.
            low, high = (round(end) if math.isfinite(end) else None for end in (peak.low, peak.high))
            whole = Number(value=round(peak.value), low=low, high=high, digits=2, evidence=evidence)
            rate = Number(value=chosen.ceiling.value, unit=chosen.ceiling.unit, evidence=evidence)
            return _Stop(curve=curve, name=_name(curve), level=whole, rate=rate, fitted=True, rising=False)
    if is_resource(curve.axis) and not _of_jobs(curve):
        best = curve.returns.recommended
    elif within := [level for level, shown in latency.items() if shown.value <= limit and level <= best]:
        best = max(within)
    return _Stop(
        curve=curve,
        name=_name(curve),
        level=Number(value=best, evidence=curve.evidence[best]),
        rate=_rate(curve, best),
        fitted=False,
        rising=best == last,
    )


def _name(curve: CurveAnswer) -> str:
    if _of_jobs(curve) and curve.key:
        return place_words(curve.key)
    return plain_name(curve.name.removesuffix(f" ({curve.metric})"))


def _of_jobs(curve: CurveAnswer) -> bool:
    """Whether whole jobs were timed: what a reader asks of them is how long they take."""
    return curve.curve.unit in JOBS


def _rate(curve: CurveAnswer, level: float) -> Number:
    if _of_jobs(curve):
        times = 1.0 / curve.curve.replicates[curve.curve.concurrency.tolist().index(level)]
        evidence = curve.evidence[level]
        return Number(
            value=median(times.tolist()),
            unit=JOBS[curve.curve.unit],
            evidence=replace(evidence, formula=f"median {curve.metric}"),
        )
    estimate = _point(curve, level).throughput
    return Number(value=estimate.value, unit=estimate.unit, evidence=curve.evidence[level])


def _apart(curve: CurveAnswer, point: Elsewhere) -> Number:
    return Number(value=point.throughput, unit=curve.curve.unit, evidence=point.evidence)


def _point(curve: CurveAnswer, level: float) -> ScalingPoint:
    return next(point for point in curve.points if point.concurrency == level)


def _latency(curve: CurveAnswer, operating: OperatingAnswer | Refusal) -> Mapping[float, Number]:
    """Return the latency of each level, where it was measured beside the throughput."""
    levels = {str(level) for level in curve.key.values()}
    for panel in () if isinstance(operating, Refusal) else operating.panels:
        for line in panel.lines:
            names = {line.name, *(str(level).lstrip("/") for level in panel.key.values())}
            if levels and levels <= names and not panel.left_out:
                return {
                    point.concurrency: Number(value=point.latency.value, unit="sec", evidence=point.evidence)
                    for point in line.points
                    if point.latency is not None
                }
    return {}


# ---- the first screen ----


def _weak(stop: _Stop) -> Text:
    """Say how much longer the largest level takes, which has as many times as much to do."""
    curve, first, last = stop.curve, stop.curve.points[0], stop.curve.points[-1]
    longer = last.concurrency / first.concurrency / last.speedup
    return say(
        "scaling.weak",
        system=stop.name,
        first=level_words(curve.axis, first.concurrency),
        last=level_words(curve.axis, last.concurrency),
        times=Number(value=longer, unit="x", digits=2, evidence=speedup_evidence(curve, last.concurrency)),
    )


def _is_weak(stop: _Stop) -> bool:
    """Whether each worker of a curve has as much to do, however many there are."""
    return stop.curve.curve.unit.partition("/")[0] == stop.curve.axis


def _answer(stops: Sequence[_Stop], within: str) -> Text:
    weak = [stop for stop in stops if _is_weak(stop)]
    if weak:
        strong = [stop for stop in stops if not _is_weak(stop)]
        sentences = [*([_answer(strong, within)] if strong else []), *map(_weak, weak)]
        return tuple(part for place, words in enumerate(sentences) for part in ((" ",) if place else ()) + words)
    peaks = [stop for stop in stops if stop.fitted]
    if len(stops) == 1 or _one_system(stops):
        return _one(stops[0])
    if len(peaks) > 1:
        return _peaks(stops, peaks)
    if all(stop.rising for stop in stops):
        return (*_rises(stops), ".")
    if len(stops) > _MOST_NAMED and len({stop.at for stop in stops}) == 1:
        return _alike(stops)
    if _of_jobs(stops[0].curve):
        stops = sorted(stops, key=lambda stop: stop.rate.value)  # the fastest first
    places = [
        (f"not by {stop.at} for {stop.name}",) if stop.rising else (stop.rate, f" for {stop.name} ({stop.at})")
        for stop in sorted(stops, key=lambda stop: stop.rising)[:_MOST_NAMED]
    ]
    return say("scaling.many", what=_what(stops), within=within, places=joined(places))


def _rises(stops: Sequence[_Stop]) -> Text:
    """Say of curves that all of them gain to their last level."""
    names = [stop.name for stop in stops]
    system = begun((listed(names),)) if len(stops) <= _MOST_NAMED else f"All {len(stops)} curves"
    last = stops[0].at if len({stop.at for stop in stops}) == 1 else "their last levels"
    return say("scaling.finding.rises", system=system, gains="gain" if len(stops) > 1 else "gains", last=last)


def _what(stops: Sequence[_Stop]) -> str:
    return "Speed" if _of_jobs(stops[0].curve) else "Throughput"


def _alike(stops: Sequence[_Stop]) -> Text:
    """Say of many curves that stop at the same level what they deliver there."""
    slowest, fastest = (best(stops, key=lambda stop: stop.rate.value).rate for best in (min, max))
    return say(
        "scaling.alike",
        curves=str(len(stops)),
        level=stops[0].at,
        low=structs.replace(slowest, bare=scaled(slowest.value, slowest.unit) == scaled(fastest.value, fastest.unit)),
        high=fastest,
    )


def _one_system(stops: Sequence[_Stop]) -> bool:
    """Whether several curves are measures of one sweep."""
    return len({tuple(stop.curve.key.items()) for stop in stops}) < len(stops)


def _peaks(stops: Sequence[_Stop], peaks: Sequence[_Stop]) -> Text:
    rest = [stop.name for stop in stops if not stop.fitted]
    if len(peaks) > _MOST_NAMED:
        ends = sorted(peaks, key=lambda stop: stop.level.value)
        levels: Text = (ends[0].level, " to ", ends[-1].level)
        most = max(stops, key=lambda stop: stop.rate.value)
        return say(
            "scaling.peaks",
            peaks=str(len(peaks)),
            curves=str(len(stops)),
            levels=levels,
            rest=("; most is ", most.rate, f" for {most.name} ({most.at})"),
        )
    levels = joined([(stop.level,) for stop in peaks])
    return say(
        "scaling.peaks",
        peaks=str(len(peaks)),
        curves=str(len(stops)),
        levels=levels,
        rest=f"; {listed(rest)} {'does' if len(rest) == 1 else 'do'} not peak" if rest else "",
    )


def _one(stop: _Stop) -> Text:
    curve, axis = stop.curve, stop.curve.axis
    first, last = curve.points[0].concurrency, curve.points[-1].concurrency
    common: dict[str, str | Number | Text] = {
        "system": stop.name,
        "rate": stop.rate,
        "last": level_words(axis, last),
        "level": stop.at,
    }
    jobs = _of_jobs(curve)
    if curve.shape.falls_from is not None:
        by = curve.shape.falls_by
        loss = Number(
            value=1 / (1 - by) if jobs else by, unit="x" if jobs else "ratio", digits=2, evidence=fall_evidence(curve)
        )
        loses: Text = ("takes ", loss, " as long") if jobs else ("loses ", loss)
        return say("scaling.peak", **common, peaks="is fastest" if jobs else "peaks", loses=loses)
    if (is_resource(axis) or jobs) and not stop.rising:
        level = stop.level.value
        speedup = _point(curve, level).speedup
        digits = 2 if speedup > _LITTLE else 3
        times = Number(value=speedup, unit="x", digits=digits, evidence=speedup_evidence(curve, level))
        beyond = [point for point in curve.points if point.concurrency > level]
        # Of a job the fastest is told, where that is no more than noise.
        after = (max(beyond, key=lambda point: point.speedup) if jobs else beyond[0]).concurrency
        gain = _point(curve, after).speedup / _point(curve, level).speedup - 1
        added = Number(value=gain, unit="ratio", digits=2, evidence=step_evidence(curve, after, level))
        return say(
            "scaling.sweet",
            **common,
            verb=("take" if jobs else "deliver") + ("s" if stop.at.startswith(("1 ", axis)) else ""),
            times=(", ", times, " ", _than(curve)) if level > first else "",
            after=level_words(axis, after),
            gain=("add nothing",) if gain < _NOTHING else ("are ", added, " faster") if jobs else ("add ", added),
        )
    if not stop.rising:
        more: Text = ("nothing",) if curve.shape.replicated else _gain_beyond(stop)
        add = "add" if axis_words(axis).endswith("s") else "adds"
        return say("scaling.plateau", **common, axis=axis_words(axis), add=add, gain=more)
    times = Number(value=curve.points[-1].speedup, unit="x", digits=2, evidence=speedup_evidence(curve, last))
    return say("scaling.rises", **common, times=(times, " ", _than(curve)))


def _than(curve: CurveAnswer) -> str:
    """Return what a speedup is held against: the smallest level."""
    first = level_words(curve.axis, curve.points[0].concurrency)
    return f"as fast as {first}" if _of_jobs(curve) else f"what {first} delivers"


def _decision(stops: Sequence[_Stop], *, random: bool) -> Text:
    # More workers for more work are no question of where to stop.
    stops = [stop for stop in stops if not _is_weak(stop)] or stops
    last = stops[0].curve.points[-1].concurrency
    if all(stop.rising for stop in stops):
        return say("not_yet", verb="decide", advice=f"measure beyond {level_words(stops[0].curve.axis, last)}")
    shown = stops[:1] if _one_system(stops) else stops
    levels: dict[str, list[str]] = {}
    for stop in shown:
        if not stop.rising:
            levels.setdefault(stop.at, []).append(stop.name)
    alone = next(iter(levels)) if len(levels) == 1 else ""
    what = alone or listed([f"{level} for {listed(names)}" for level, names in levels.items()])
    if not random:
        return say("not_yet", verb=f"settle on {what}", advice="measure in random order first")
    return say("use", verb="Use", what=what)


def _confidence(answer: ScalingAnswer, study: Study) -> Confidence:
    n = min(point.n for curve in answer.curves for point in curve.points)
    return confidence_in(n, repeats(n, study), answer.caveats, _BIASES)


def _facts(stops: Sequence[_Stop]) -> tuple[Fact, ...]:
    if len(stops) > 1 and not _one_system(stops):
        return ()  # the titles of the panels say them
    curve, axis = stops[0].curve, stops[0].curve.axis
    level, last = stops[0].level.value, curve.points[-1].concurrency
    facts = [Fact(value=(stops[0].rate,), line=(f"with {stops[0].at}",))]
    if not stops[0].fitted and level != curve.points[0].concurrency:
        times = Number(value=_point(curve, level).speedup, unit="x", evidence=speedup_evidence(curve, level))
        facts.append(Fact(value=(times,), line=(_than(curve),)))
    if level != last:
        facts.append(Fact(value=(_rate(curve, last),), line=(f"with {level_words(axis, last)}",)))
    return tuple(facts)


# ---- the figure ----


def _figure(
    answer: ScalingAnswer,
    stops: Sequence[_Stop],
    latencies: Sequence[Mapping[float, Number]],
    study: Study,
    within: str,
) -> Figure:
    asked = study.capacity.limit
    limit = Number(value=asked.seconds, unit="sec") if asked is not None and any(latencies) else None
    shown = stops[:_MOST_PANELS]
    if len(stops) > 1 and _one_system(stops):
        names = [stop.name for stop in shown]
        curves = [stop.curve for stop in shown]
        other = [
            (point.concurrency, point.throughput, f"separate run: {write(_apart(curve, point))}")
            for curve in curves
            for point in curve.elsewhere
        ]
        other.sort(key=lambda point: -point[1])
        chart = overlaid_curves(curves, names=names, cores=answer.cores, elsewhere=other[:_MOST_APART])
        panels: tuple[Panel, ...] = (Panel(chart=chart),)
    else:
        units = len({stop.rate.unit for stop in shown})
        panels = tuple(
            Panel(
                chart=single_curve(stop.curve, latency=latency, limit=limit),
                title=f"{stop.name}: {write(stop.rate, bare=units == 1)}",
                line=f"{'up to' if stop.rising else 'at'} {write(stop.level)}",
            )
            for stop, latency in zip(shown, latencies, strict=False)
        )
    n = min(point.n for stop in shown for point in stop.curve.points)
    notes = [axis_words(answer.axis)]
    if len({stop.rate.unit for stop in shown}) == 1 and not _one_system(stops):
        notes[0] = f"{scaled(1.0, shown[0].rate.unit)[1]} by {notes[0]}"
    if within:
        notes.append("○ p99 beyond")
    notes.append(f"medians of {n}" if n > 1 else "single runs")
    if len(stops) > _MOST_PANELS:
        notes.append(f"{len(stops) - _MOST_PANELS} more curves in the table")
    return Figure(
        finding=_finding(stops, within),
        panels=panels,
        alt=f"Throughput against {axis_words(answer.axis)}.",
        note="; ".join(notes),
    )


def _finding(stops: Sequence[_Stop], within: str) -> Text:
    if _one_system(stops) or len(stops) == 1:
        stop = stops[0]
        if stop.rising:
            return _rises([stop])
        return say("scaling.finding.one", level=stop.at, what=_what(stops).lower(), gain=_gain_beyond(stop))
    if all(stop.rising for stop in stops[:_MOST_PANELS]):
        return _rises(stops)
    groups: dict[str, list[str]] = {}
    for stop in stops[:_MOST_PANELS]:
        groups.setdefault("" if stop.rising else write(stop.level), []).append(stop.name)
    places = listed([f"{level} ({', '.join(names)})" for level, names in groups.items() if level])
    return without_stop(say("scaling.many", what=_what(stops), within=within, places=places))


def _gain_beyond(stop: _Stop) -> Text:
    """Say how much more throughput the best level beyond a stop gives."""
    levels = [point.concurrency for point in stop.curve.points if point.concurrency > stop.level.value]
    if not levels:
        return ("nothing",)
    most = _rate(stop.curve, max(levels, key=lambda level: _point(stop.curve, level).speedup))
    times = stop.rate.value / most.value if _of_jobs(stop.curve) else most.value / stop.rate.value
    if times - 1 < _NOTHING:
        return ("nothing",)
    return ("at most ", Number(value=times - 1, unit="ratio", digits=2, evidence=most.evidence))


# ---- tables ----


def _table(stops: Sequence[_Stop]) -> Table:
    """Return levels as rows and curves as columns; curves as rows where levels differ or curves are many."""
    levels = [point.concurrency for point in stops[0].curve.points]
    alike = all([point.concurrency for point in stop.curve.points] == levels for stop in stops)
    return _levels_table(stops, levels) if alike and len(stops) <= _MOST_PANELS else _curves_table(stops)


def _measure(stop: _Stop) -> str:
    return "Run time" if _of_jobs(stop.curve) else "Throughput"


def _levels_table(stops: Sequence[_Stop], levels: Sequence[float]) -> Table:
    axis = stops[0].curve.axis
    heads = [Column(head=axis_words(axis), kind="number")]
    heads += [Column(head=stop.name, unit=stop.rate.unit, kind="number") for stop in stops]
    rows: list[tuple[Cell, ...]] = [(f"{level:g}", *(_rate(stop.curve, level) for stop in stops)) for level in levels]
    return Table(caption=f"{_measure(stops[0])} at each level", columns=tuple(heads), rows=tuple(rows))


def _curves_table(stops: Sequence[_Stop]) -> Table:
    units = {stop.rate.unit for stop in stops}
    unit = units.pop() if len(units) == 1 else ""
    axis = axis_words(stops[0].curve.axis)
    columns = (
        Column(head="curve"),
        Column(head=f"{axis} to stop at", kind="number"),
        Column(head="95% interval", kind="interval"),
        Column(head=f"{_measure(stops[0]).lower()} there", unit=unit, kind="number"),
        Column(head="lost at the end", unit="ratio", kind="number"),
    )
    rows = []
    for stop in stops:
        curve = stop.curve
        falls = Number(value=curve.shape.falls_by, unit="ratio", digits=2, evidence=fall_evidence(curve))
        lost = falls if curve.shape.falls_from is not None else None
        rows.append((stop.name, "still rising" if stop.rising else stop.level, stop.level, stop.rate, lost))
    return Table(caption="Where each curve stops growing", columns=columns, rows=tuple(rows))


def laws(answer: ScalingAnswer) -> Section:
    """Return every fitted law with its parameters: for those who read laws."""
    columns = (
        Column(head="curve"),
        Column(head="law"),
        Column(head="parameter"),
        Column(head="value", kind="number"),
        Column(head="95% interval", kind="interval"),
    )
    rows = []
    for curve in answer.curves:
        evidence = curve_evidence(curve)
        for fit in curve.fits:
            chosen = curve.choice is not None and curve.choice.law == fit.law
            law = f"{fit.law} (chosen{', misses points' if fit.misses_points else ''})" if chosen else fit.law
            derived = {"peak": fit.peak, "ceiling": fit.ceiling}
            estimates = {**fit.parameters, **{name: value for name, value in derived.items() if value is not None}}
            for name, estimate in estimates.items():
                shown = number(estimate, evidence)
                rows.append((_name(curve), law, name.replace("_", " "), shown, shown))
    table = Table(caption="Fitted laws", columns=columns, rows=tuple(rows))
    return Section(title="Laws", anchor="laws", blocks=(table,))


def _values(stops: Sequence[_Stop]) -> dict[str, Number]:
    values: dict[str, Number] = {}
    for stop in stops:
        curve = stop.curve
        name = slug(curve.name)
        values[f"{name}.stop"] = stop.level
        values[f"{name}.rate"] = stop.rate
        values[f"{name}.lost"] = Number(
            value=curve.shape.falls_by, unit="ratio", digits=2, evidence=fall_evidence(curve)
        )
        if curve.shape.plateau_from is not None:
            plateau = Number(value=curve.shape.ceiling, unit=curve.curve.unit, evidence=curve_evidence(curve))
            values[f"{name}.plateau"] = plateau
        for other in curve.elsewhere:
            values[f"{name}.elsewhere_at_{other.concurrency:g}"] = _apart(curve, other)
        for point in curve.points:
            level = point.concurrency
            values[f"{name}.at_{level:g}"] = _rate(curve, level)
            values[f"{name}.speedup_at_{level:g}"] = Number(
                value=point.speedup, unit="x", evidence=speedup_evidence(curve, level)
            )
    return values


# ---- what was read off the laws, where it was asked for, and how they were chosen ----


def _asked_table(answer: ScalingAnswer) -> Table | None:
    """Return what the laws, averaged, say at the concurrencies that were asked for."""
    rows: list[tuple[Cell, ...]] = []
    for curve in answer.curves:
        evidence = curve_evidence(curve)
        for reading in curve.readings.at if curve.readings is not None else ():
            rate = number(reading.throughput, evidence)
            slope = number(reading.slope, evidence)
            rows.append(
                (_name(curve), f"{reading.concurrency:g}", rate, rate, slope, number(reading.latency, evidence))
            )
        if curve.averaged is not None:
            band, read = curve.averaged, {row[1] for row in rows if row[0] == _name(curve)}
            for level, middle, low, high in zip(band.concurrency, band.throughput, band.low, band.high, strict=True):
                if f"{level:g}" in read:
                    continue
                unit = curve.curve.unit
                mean = Number(value=float(middle), unit=unit, low=float(low), high=float(high), evidence=evidence)
                rows.append((_name(curve), f"{level:g}", mean, mean, None, None))
    if not rows:
        return None
    columns = (
        Column(head="curve"),
        Column(head=axis_words(answer.axis), kind="number"),
        Column(head="throughput", kind="number"),
        Column(head="95% interval", kind="interval"),
        Column(head="one more adds", kind="number"),
        Column(head="latency by Little's law", kind="number"),
    )
    return Table(caption="What the laws say where it was asked", columns=columns, rows=tuple(rows), shown=len(rows))


def _asked(answer: ScalingAnswer) -> tuple[Section, ...]:
    """Return where a throughput is reached, what a latency allows, and what could not be read."""
    items: list[Text] = []
    for curve in answer.curves:
        readings = curve.readings
        if readings is None:
            continue
        evidence = curve_evidence(curve)
        if readings.reach is not None:
            places = joined([_with_ends(number(level, evidence)) for level in readings.reach.concurrency])
            why = f": {readings.reach.reason}" if readings.reach.reason else ""
            asked = f"{_name(curve)}: {readings.throughput_asked}"
            reached: Text = (f"{asked} is reached at {axis_words(curve.axis)} ", *places, why)
            items.append(reached if places else (f"{asked} is not reached{why}",))
        if readings.within is not None and readings.within.throughput is not None:
            rate = number(readings.within.throughput, evidence)
            items.append((f"{_name(curve)}: within a mean of {readings.latency_asked} at most ", rate))
        elif readings.within is not None:
            items.append(
                (f"{_name(curve)}: nothing within a mean of {readings.latency_asked}: {readings.within.reason}",)
            )
        items += [(f"{_name(curve)}: {refusal}",) for refusal in readings.refused]
    return (Section(title="Asked of the laws", anchor="asked", blocks=(List(items=tuple(items)),)),) if items else ()


def _with_ends(level: Number) -> Text:
    """Return a level with its interval in parentheses."""
    ends = interval(level)
    return (level, f" ({ends})") if ends else (level,)


def _choice(answer: ScalingAnswer) -> Section:
    """Return why each law was chosen, how its rivals compare, and what was refused."""
    columns = (
        Column(head="curve"),
        Column(head="law"),
        *(Column(head=head, kind="number") for head in ("AICc", "AIC", "leave-one-out error", "lack of fit p")),
    )
    rows: list[tuple[Cell, ...]] = []
    items: list[Text] = []
    for curve in answer.curves:
        for fit in curve.fits:
            criteria = fit.criteria
            unit = fit.unit if fit.weights == "none" else "ratio"
            numbers = ((criteria.aicc, ""), (criteria.aic, ""), (criteria.loo_rmse, unit), (fit.lack_of_fit, ""))
            cells = [Number(value=value, unit=of) if math.isfinite(value) else None for value, of in numbers]
            rows.append((_name(curve), fit.law, *cells))
        items.append((f"{_name(curve)}: {curve.why}",))
        items += [(f"{_name(curve)}: {refusal}",) for refusal in dict.fromkeys(curve.refused_fits)]
    items += [(percents(f"{refusal.reason}; {refusal.advice}"),) for refusal in answer.refusals]
    table = Table(caption="Criteria", columns=columns, rows=tuple(rows))
    return Section(title="Choice of laws", anchor="choice", blocks=(List(items=tuple(items)), table))
