"""What a factor costs: the first screen, costs by configuration, cost models, predictions.

The *lead model* is the first one: one metric of one benchmark. Where a number was varied, its cost for each is the
answer, at the baseline levels of all else, with the ratios of other levels beside it; where only words were varied, the
ratio of the dearest level to the baseline.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchlib.answers.asking import Refusal
from benchlib.answers.effects import EffectModel, EffectsAnswer, ratio_evidence, slope_evidence
from benchlib.answers.evidence import pool
from benchlib.caveats import Caveat
from benchlib.document.blocks import (
    Block,
    Code,
    Column,
    Confidence,
    Document,
    Fact,
    Figure,
    Fold,
    List,
    Number,
    Panel,
    Paragraph,
    Section,
    Table,
    Text,
)
from benchlib.document.numbers import number, words_of, write
from benchlib.document.words import count, joined, level_words, listed, metric_words, plain_name, slug
from benchlib.effects.additive import Slope
from benchlib.effects.cells import Cell, Level
from benchlib.effects.interactions import RatioOfRatios, SlopeChange, SlopeRatio
from benchlib.effects.outlying_cells import OutlyingCell
from benchlib.effects.plain_effects import LevelRatio
from benchlib.effects.predict import Prediction
from benchlib.figures.effects import choose_places, cost_lines, level_bars
from benchlib.study import Study
from benchlib.tell import breakdown
from benchlib.tell.changes import noun
from benchlib.tell.doubts import short
from benchlib.tell.lead import NOISY, Lead, confidence_in, document_of, level_name, refused, repeats
from benchlib.tell.sentences import begun, percents, say, without_stop

__all__ = ["document"]

#: A factor that changes the cost by less is said hardly to matter.
_LITTLE = 0.05
#: Words of an answer, ratios named in it, letters of a description that stands for a level.
_MOST_WORDS, _MOST_RATIOS = 25, 2
#: A cost model leads if it predicts configurations left out to within this share of their cost.
_PREDICTS = 0.1
#: Digits of the first screen: a leader reads 11 ms, the table holds 11.04.
_DIGITS = 2
#: Benchmarks that are columns of one table, and rival models written out.
_MOST_COLUMNS, _MOST_RIVALS = 4, 5
#: What no number of repeats makes up for, the gravest first.
_BIASES = (NOISY, "confounded", "poor-fit", "mixed-levels", "zero-times", "negative-values", "missing-cells")


def lead(answer: EffectsAnswer | Refusal, study: Study) -> Lead:
    """Return what a page that leads with costs says first."""
    if isinstance(answer, Refusal):
        return refused(answer.reason, _short(answer.advice))
    if not answer.models:
        reasons = [refusal.reason for refusal in answer.refusals]
        return refused(reasons[0] if reasons else "no factor varies", "vary a factor")
    told = _Told.of(answer, study)
    return Lead(
        answer=_answer(told),
        decision=_decision(told),
        confidence=_confidence(told),
        figure=_figure(told),
        facts=tuple(_facts(told))[:3],
        table=_table(told),
        note=_note(told),
        values=_values(told),
    )


def document(answer: EffectsAnswer | Refusal, study: Study, folded: Sequence[Section] = ()) -> Document:
    """Return the document of the costs alone."""
    if isinstance(answer, Refusal):
        return document_of(study, lead(answer, study), (), folded=folded, answers=answer)
    told = _Told.of(answer, study) if answer.models else None
    # What weakens shares that are not told weakens nothing here.
    shares = {caveat for part in answer.breakdowns for caveat in part.caveats}
    return document_of(
        study,
        lead(answer, study),
        [caveat for caveat in answer.caveats if caveat not in shares],
        found=_found(told) if told is not None else (),
        next_steps=_next(answer, study),
        folded=(*_sections(told, answer), *folded),
        answers=answer,
    )


def finding(answer: EffectsAnswer | Refusal, study: Study, doubt: str = "") -> Fold | Paragraph | None:
    """Return the costs as one line that opens; ``doubt`` says why the recordings allow no judgement, if they do not."""
    if isinstance(answer, Refusal) or not answer.models:
        return None
    if doubt:
        factors = listed([plain_name(factor) for factor in answer.factors])
        return Paragraph(text=say("not_judged", what=f"What {factors} cost", reason=doubt), muted=True)
    shown = lead(answer, study)
    blocks = [block for block in (shown.figure, shown.table) if block is not None]
    return Fold(line=shown.answer, blocks=tuple(blocks), anchor="effects")


def _short(advice: str) -> str:
    """Return advice without its explanation: a decision is one line."""
    return re.split("[:;]", advice)[0]


# ---- what is told of the lead model ----


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """The lead model, and what of it matters.

    ``slope`` is None where no number has one cost for each that its cells bear out; then ``formula`` is the cost model,
    empty where none predicts well. ``base`` are the baseline levels.
    """

    answer: EffectsAnswer
    study: Study
    model: EffectModel
    base: Mapping[str, Level]
    slope: Slope | None
    formula: str
    ratios: tuple[LevelRatio, ...]
    little: tuple[str, ...]
    special: OutlyingCell | None

    @classmethod
    def of(cls, answer: EffectsAnswer, study: Study) -> _Told:
        model = answer.models[0]
        base = {ratio.factor: ratio.baseline for ratio in model.fit.ratios}
        slope = _lead_slope(model, base)
        ratios = sorted((ratio for ratio in model.fit.ratios if _matters(ratio)), key=_size, reverse=True)
        special = [cell for cell in model.fit.special_cells if _at(cell.levels, base)] or model.fit.special_cells
        return cls(
            answer=answer,
            study=study,
            model=model,
            base=base,
            slope=slope,
            formula=_formula(model) if slope is None and model.fit.slopes else "",
            ratios=tuple(ratios),
            little=tuple(_hardly_matter(answer, model, base, slope)) if slope is not None else (),
            special=min(special, key=lambda cell: cell.observed) if special else None,
        )

    def level(self, factor: str, level: Level) -> str:
        """Return a level in words."""
        return _level(self.study, factor, level)

    @property
    def pooled(self) -> Caveat | None:
        """The caveat that a cell holds several configurations."""
        return next((caveat for caveat in self.answer.caveats if caveat.code == "residue"), None)

    @property
    def noisy(self) -> list[Caveat]:
        """The caveat that runs of the same code differ in most cells."""
        return [caveat for caveat in self.answer.caveats if caveat.code == NOISY]

    def place(self, levels: Mapping[str, Level]) -> str:
        """Return levels in words."""
        return ", ".join(self.level(factor, level) for factor, level in levels.items())

    def named(self, model: EffectModel) -> str:
        """Return the benchmark of a model, or its metric where there is none."""
        name = model.key.get("benchmark")
        return plain_name(str(name)) if name is not None else metric_words(model.metric)

    def others(self, model: EffectModel) -> dict[str, Level]:
        """Return what tells the groups of one benchmark apart."""
        return {
            axis: level
            for axis, level in model.key.items()
            if axis != "benchmark" and len({str(other.key.get(axis)) for other in self.answer.models}) > 1
        }


def _at(levels: Mapping[str, Level], base: Mapping[str, Level]) -> bool:
    return all(levels.get(factor) == level for factor, level in base.items())


def _lead_slope(model: EffectModel, base: Mapping[str, Level]) -> Slope | None:
    """Return the slope of the number that matters most, at the baseline of all else."""
    shares = model.fit.variance.shares
    slopes = [slope for slope in model.fit.slopes if _at(base, slope.slice) or not base]
    slopes = [
        slope for slope in slopes if not slope.misses_cells and _is_shown(slope.estimate.low, slope.estimate.high, 0)
    ]
    return max(slopes, key=lambda slope: shares.get(slope.factor, 0.0), default=None)


def _is_shown(low: float, high: float, nothing: float) -> bool:
    """Whether an interval leaves out what would be no effect; without an interval nothing is shown."""
    return math.isfinite(high - low) and not low <= nothing <= high


def _size(ratio: LevelRatio) -> float:
    return abs(math.log(ratio.estimate.value)) if ratio.estimate.value > 0 else math.inf


def _matters(ratio: LevelRatio) -> bool:
    estimate = ratio.estimate
    return _is_shown(estimate.low, estimate.high, 1) and _size(ratio) > _LITTLE


def _hardly_matter(answer: EffectsAnswer, model: EffectModel, base: Mapping[str, Level], slope: Slope) -> Iterator[str]:
    """Give the factors that change the cost by less than a twentieth over all that was measured."""
    typical = statistics.median(cell.median.value for cell in model.cells)
    for factor, levels in model.table.factors.items():
        slopes = [other.estimate.value for other in model.fit.slopes if other.factor == factor]
        if slopes and factor != slope.factor:
            spread = max(float(level) for level in levels) - min(float(level) for level in levels)
            if max(map(abs, slopes)) * spread < _LITTLE * typical:
                yield factor
    for factor in base:
        if all(_size(ratio) < _LITTLE for ratio in model.fit.ratios if ratio.factor == factor):
            yield factor
    for axis in model.key:
        if axis == "benchmark":
            continue
        twins = [
            other for other in answer.models if other.metric == model.metric and _differ_in(other, model) == [axis]
        ]
        changes = [
            abs(math.log(other.estimate.value / own.estimate.value))
            for twin in twins
            for other in twin.fit.slopes
            for own in model.fit.slopes
            if own.factor == other.factor == slope.factor
            and _whole_slice(model, own) == _whole_slice(twin, other)
            and min(own.estimate.value, other.estimate.value) > 0
        ]
        if changes and max(changes) < _LITTLE:
            yield axis


def _whole_slice(model: EffectModel, slope: Slope) -> dict[str, Level]:
    """Return the levels that a slope holds for, with those that never varied."""
    return {factor: levels[0] for factor, levels in model.table.factors.items() if len(levels) == 1} | dict(slope.slice)


def _differ_in(one: EffectModel, other: EffectModel) -> list[str]:
    return [axis for axis in one.key if one.key[axis] != other.key.get(axis)]


# ---- words ----


def _level(study: Study, factor: str, level: Level) -> str:
    """Return a level in words: a number with its axis, a word by itself or by its short description."""
    if isinstance(level, int | float) and not isinstance(level, bool):
        words = level_words(factor, float(level))
        if words.startswith(factor) and factor.endswith("s"):
            return f"{level:g} {_unit(factor) if level == 1 else plain_name(factor)}"
        return words
    if level == "none":
        return f"no {plain_name(factor)}"
    said = level_name(study, factor, level)
    return f"{plain_name(factor)} {said}" if said[:1].isdigit() else said


def _unit(factor: str) -> str:
    """Return what a factor counts, of one.

    Examples
    --------
    >>> _unit("outputs"), _unit("entries"), _unit("batch_size")
    ('output', 'entry', 'batch size')
    """
    plain = plain_name(factor)
    if plain.endswith("ies"):
        return f"{plain[:-3]}y"
    return plain[:-1] if plain.endswith("s") and not plain.endswith("ss") else plain


def _cost(told: _Told, slope: Slope, model: EffectModel | None = None) -> Number:
    """Return what each costs, as the first screen says it."""
    model = model or told.model
    return Number(
        value=slope.estimate.value,
        unit=slope.estimate.unit.removesuffix("/op"),
        digits=_DIGITS,
        evidence=slope_evidence(model, slope),
    )


def _times(told: _Told, ratio: LevelRatio) -> Number:
    # Beside the cost of each a ratio is a remark; by itself it is the answer.
    digits = _DIGITS if told.slope is not None else None
    return Number(value=ratio.estimate.value, unit="x", digits=digits, evidence=ratio_evidence(told.model, ratio))


def _median(told: _Told, model: EffectModel, cell: Cell, *, bare: bool = False) -> Number:
    return Number(
        value=cell.median.value,
        unit=model.unit.removesuffix("/op"),
        bare=bare,
        evidence=model.evidence_of(cell.levels),
    )


# ---- the first screen ----


def _answer(told: _Told) -> Text:
    model = told.model
    if told.slope is not None:
        where = told.place(told.slope.slice)
        clauses = [
            say(
                "effects.each",
                unit=_unit(told.slope.factor),
                cost=_cost(told, told.slope),
                system=told.named(model),
                where=f" ({where})" if where else "",
            )
        ]
        named: list[Text] = []
        for ratio in told.ratios[:_MOST_RATIOS]:
            level = told.level(ratio.factor, ratio.level)
            verb = "" if named else "cost " if level[0].isdigit() else "costs "
            named.append((f"{level} {verb}", _times(told, ratio)))
        clauses += [joined(named, ", ", ", ")] if named else []
        if told.little:
            verb = "matter" if len(told.little) > 1 or told.little[0].endswith("s") else "matters"
            little = listed([plain_name(factor) for factor in told.little])
            clauses.append(say("effects.little", factors=little, verb=verb))
        while len(clauses) > 1 and len(words_of(joined(clauses, "; ", "; ")).split()) > _MOST_WORDS:
            clauses.pop()
        return _sentence(joined(clauses, "; ", "; "))
    if told.formula:
        return say("effects.model", system=told.named(model), formula=told.formula)
    numeric = [slope.factor for slope in model.fit.slopes]
    if numeric:
        low, high = _ends(told, numeric[0])
        fixed = {factor: low.levels[factor] for factor in _varied(model) if low.levels[factor] == high.levels[factor]}
        parted = [factor for factor in _varied(model) if factor not in fixed]
        return say(
            "effects.uneven",
            system=told.named(model),
            where=f" ({told.place(fixed)})" if fixed else "",
            low=_median(told, model, low),
            first=told.place({factor: low.levels[factor] for factor in parted}),
            high=_median(told, model, high),
            last=told.place({factor: high.levels[factor] for factor in parted}),
        )
    dearest = _dearest(told)
    if dearest is None:
        return _undecided(told)
    return say(
        "effects.level",
        level=told.level(dearest.factor, dearest.level),
        times=_times(told, dearest),
        baseline=told.level(dearest.factor, dearest.baseline),
        medians=_medians(told, dearest),
    )


def _medians(told: _Told, ratio: LevelRatio) -> Text:
    """Say the two medians of a ratio; over levels of other factors there are more than two."""
    others = [factor for factor in _varied(told.model) if factor != ratio.factor]
    if others:
        return (f", averaged over {listed([plain_name(factor) for factor in others])}",)
    value, base = (_cell_at(told.model, ratio, level) for level in (ratio.level, ratio.baseline))
    return (": ", _median(told, told.model, value), " instead of ", _median(told, told.model, base))


def _sentence(text: Text) -> Text:
    """Return clauses as a sentence."""
    return (*begun(text), ".")


def _undecided(told: _Told) -> Text:
    reason = "each pools different configurations" if told.pooled else "single runs differ as much"
    return say(
        "effects.undecided", factors=listed([plain_name(factor) for factor in _varied(told.model)]), reason=reason
    )


def _varied(model: EffectModel) -> list[str]:
    return [factor for factor, levels in model.table.factors.items() if len(levels) > 1]


def _dearest(told: _Told) -> LevelRatio | None:
    return max(told.ratios, key=lambda ratio: ratio.estimate.value, default=None)


def _cell_at(model: EffectModel, ratio: LevelRatio, level: Level) -> Cell:
    return next(cell for cell in model.cells if cell.levels[ratio.factor] == level)


def _ends(told: _Told, factor: str) -> tuple[Cell, Cell]:
    """Return the cells at the smallest and at the largest level of a number, all else held where it can be.

    Cells that are set apart are no ends: they do not tell what the number costs.
    """
    apart = [cell.levels for cell in _set_apart(told.model)]
    usual = [cell for cell in told.model.cells if cell.levels not in apart] or list(told.model.cells)
    usual.sort(key=lambda cell: (not _at(cell.levels, told.base), float(cell.levels[factor])))
    lines: dict[tuple[Level, ...], list[Cell]] = {}
    for cell in usual:
        lines.setdefault(tuple(cell.levels[other] for other in _varied(told.model) if other != factor), []).append(cell)
    line = next((cells for cells in lines.values() if len(cells) > 1), usual)
    line.sort(key=lambda cell: float(cell.levels[factor]))
    return line[0], line[-1]


def _set_apart(model: EffectModel) -> tuple[OutlyingCell, ...]:
    return (*model.fit.special_cells, *(model.cost.model.special_cells if model.cost is not None else ()))


def _formula(model: EffectModel) -> str:
    """Return the cost model where it grows with a number, predicts cells left out, and is short enough to lead."""
    if model.cost is None or not model.cost.model.left_out.error < _PREDICTS:
        return ""
    chosen = model.cost.model.chosen
    grows = any(term.factors for term in chosen.terms)
    return chosen.formula if grows and len(chosen.formula.split()) <= _MOST_WORDS else ""


def _decision(told: _Told) -> Text:
    if told.slope is not None:
        cheap = [
            told.level(ratio.factor, ratio.baseline if ratio.estimate.value > 1 else ratio.level)
            for ratio in told.ratios[:_MOST_RATIOS]
        ]
        prefer = f"; prefer {listed(cheap)}" if cheap else ""
        return say("effects.cut", factor=plain_name(told.slope.factor), prefer=prefer)
    if told.formula:
        return say("use", verb="Use", what="this cost model within the levels measured")
    dearest = _dearest(told)
    if told.model.fit.slopes:
        factor = plain_name(told.model.fit.slopes[0].factor)
        return say("not_yet", verb="decide", advice=f"measure more levels of {factor}")
    if dearest is None and told.pooled:
        return say("not_yet", verb="decide", advice="name every factor, or narrow to one configuration")
    if dearest is None:
        return say("not_yet", verb="decide", advice="repeat each configuration at least 6 times on an idle machine")
    return say("effects.plan", level=told.level(dearest.factor, dearest.level), factor=plain_name(dearest.factor))


def _confidence(told: _Told) -> Confidence:
    n = min(cell.n for cell in told.model.cells)
    if told.formula and told.model.cost is not None:
        # That no straight line meets the cells does not weaken a model that does.
        others = [doubt for doubt in told.model.fit.caveats if doubt.code != "poor-fit"]
        doubts = (*others, *told.model.cost.model.caveats)
        return confidence_in(n, repeats(n, told.study), (*told.noisy, *doubts), _BIASES)
    if n > 1 and told.slope is None and not told.ratios:
        reason: Text = (f"{short(told.pooled)}.",) if told.pooled else say("noisy.reason")
        if told.model.fit.slopes and not told.pooled:
            reason = (f"the cost does not grow evenly with {plain_name(told.model.fit.slopes[0].factor)}.",)
        return Confidence(level="none", reason=reason)
    doubts = (*told.model.fit.caveats, *told.model.fit.variance.caveats)
    return confidence_in(n, repeats(n, told.study), (*told.noisy, *doubts), _BIASES)


def _facts(told: _Told) -> Iterator[Fact]:
    if told.slope is None:
        for ratio in sorted(told.ratios, key=lambda ratio: -ratio.estimate.value):
            level, baseline = (told.level(ratio.factor, level) for level in (ratio.level, ratio.baseline))
            yield Fact(value=(_times(told, ratio),), line=(f"{level} instead of {baseline}",))
        if told.formula and told.special is not None:
            yield Fact(value=(_special_cost(told, told.special),), line=_special_words(told, told.special))
        return
    each = f"each {_unit(told.slope.factor)}"  # that of the lead model is in the answer
    for other in told.answer.models:
        match = _same_slope(told, other)
        if match is not None:
            yield Fact(value=(_cost(told, match, other),), line=(f"{each}, {told.named(other)}",))
            break
    if told.special is not None:
        yield Fact(value=(_special_cost(told, told.special),), line=_special_words(told, told.special))


def _same_slope(told: _Told, other: EffectModel) -> Slope | None:
    """Return the slope of another benchmark that stands for the same as that of the lead model."""
    own = told.slope
    if own is None or other.metric != told.model.metric or _differ_in(other, told.model) != ["benchmark"]:
        return None
    slopes = (slope for slope in other.fit.slopes if slope.factor == own.factor and slope.slice == own.slice)
    return next(slopes, None)


def _special_cost(told: _Told, cell: OutlyingCell) -> Number:
    return Number(
        value=cell.observed,
        unit=told.model.unit.removesuffix("/op"),
        digits=_DIGITS,
        evidence=told.model.evidence_of(cell.levels),
    )


def _special_place(told: _Told, cell: OutlyingCell) -> str:
    """Name a special cell by what all special cells share: the levels that make it special."""
    every = told.model.fit.special_cells
    shared = {
        factor: level
        for factor, level in cell.levels.items()
        if all(other.levels[factor] == level for other in every) and len(told.model.table.factors[factor]) > 1
    }
    return told.place(shared or cell.levels)


def _special_words(told: _Told, cell: OutlyingCell) -> Text:
    place = _special_place(told, cell)
    if cell.observed <= 0:
        return (place,)
    times, cheaper = cell.expected / cell.observed, cell.expected > cell.observed
    ratio = Number(
        value=times if cheaper else 1 / times, unit="x", digits=_DIGITS, evidence=told.model.evidence_of(cell.levels)
    )
    return (f"{place}: ", ratio, " cheaper" if cheaper else " dearer")


# ---- the figure ----


def _figure(told: _Told) -> Figure | None:
    model = told.model
    metric = metric_words(model.metric)
    places = choose_places(model)
    if places is None:
        rows = list(_bars(told))
        if len(rows) < 2 or told.slope is not None:
            return None
        n = min(cell.n for cell in model.cells)
        return Figure(
            finding=_found_levels(told),
            panels=(Panel(chart=level_bars(rows)),),
            alt=f"{metric} by {listed([plain_name(factor) for factor in _varied(model)])}.",
            note=f"{metric}; bars: medians{', dots: single runs' if n > 1 else ' of single runs'}",
        )
    panels: Sequence[Level | None] = model.table.factors[places.panels] if places.panels else [None]
    each = {}
    for panel in panels:
        for level in model.table.factors[places.lines] if places.lines else [None]:
            at = {places.panels: panel, places.lines: level}
            slope = next(
                (
                    slope
                    for slope in model.fit.slopes
                    if slope.factor == places.across
                    and not slope.misses_cells
                    and all(at.get(factor) == fixed for factor, fixed in slope.slice.items())
                ),
                None,
            )
            if slope is not None:
                each[panel, level] = _cost(told, slope)
    drawn = tuple(
        Panel(
            chart=cost_lines(
                model,
                places,
                panel,
                words=told.level,
                each={level: cost for (at, level), cost in each.items() if at == panel},
                special=_special_mark(told, places.panels, panel),
            ),
            title=told.level(places.panels, panel) if panel is not None else "",
        )
        for panel in _cheapest_first(model, places.panels, panels)
    )
    return Figure(
        finding=_found_lines(told),
        panels=drawn,
        alt=f"{metric} of {told.named(model)} against {plain_name(places.across)}.",
        note=f"{noun(model.metric)} by {plain_name(places.across)}",
    )


def _cheapest_first(model: EffectModel, factor: str, panels: Sequence[Level | None]) -> list[Level | None]:
    def highest(panel: Level | None) -> float:
        return max(cell.median.value for cell in model.cells if panel is None or cell.levels[factor] == panel)

    return sorted(panels, key=highest)


def _special_mark(told: _Told, factor: str, panel: Level | None) -> str:
    """Name the cheapest special cell of a panel."""
    here = [cell for cell in told.model.fit.special_cells if panel is None or cell.levels[factor] == panel]
    if not here:
        return ""
    cell = min(here, key=lambda cell: cell.observed)
    return f"{_special_place(told, cell)}: {write(_special_cost(told, cell))}"


def _found_lines(told: _Told) -> Text:
    if told.slope is None:
        return without_stop(_answer(told))
    return say("effects.finding.each", unit=_unit(told.slope.factor))


def _found_levels(told: _Told) -> Text:
    factors = _varied(told.model)
    if not told.ratios:
        return without_stop(_undecided(told))
    cells = sorted(told.model.cells, key=lambda cell: cell.median.value)
    least, most = (told.place({factor: cell.levels[factor] for factor in factors}) for cell in (cells[0], cells[-1]))
    return say("effects.finding.level", most=most, least=least)


def _bars(told: _Told) -> Iterator[tuple[str, Number, Sequence[float], str]]:
    model = told.model
    factors = _varied(model)
    for cell in model.cells:
        name = ", ".join(told.level(factor, cell.levels[factor]) for factor in factors)
        ratio = next((ratio for ratio in model.fit.ratios if cell.levels[ratio.factor] == ratio.level), None)
        note = write(_times(told, ratio)) if ratio is not None and len(factors) == 1 else ""
        yield name, _median(told, model, cell), cell.values if cell.n > 1 else (), note


# ---- tables ----


def _table(told: _Told) -> Table | None:
    return _slopes_table(told, told.slope.factor) if told.slope is not None else _levels_table(told)


def _note(told: _Told) -> Text:
    if told.slope is None:
        return ()
    return ("Costs are fitted to medians of configurations; special cases are left out. Intervals at 95%.",)


def _slopes_table(told: _Told, factor: str) -> Table:
    """Return what each costs: a row a configuration, a column a benchmark."""
    models = [model for model in told.answer.models if model.metric == told.model.metric]
    names = list(dict.fromkeys(told.named(model) for model in models))[:_MOST_COLUMNS]
    rows: dict[str, dict[str, Number]] = {}
    for model in models:
        for slope in model.fit.slopes:
            if slope.factor == factor and not slope.misses_cells:
                here = _whole_slice(model, slope)
                ordered = {name: here[name] for name in told.answer.factors if name in here}
                place = told.place({**told.others(model), **ordered})
                rows.setdefault(place, {})[told.named(model)] = number(slope.estimate, slope_evidence(model, slope))
    unit = told.model.unit
    heads = [Column(head="configuration")]
    for name in names:
        heads += [Column(head=name, unit=unit, kind="number"), Column(head="95% interval", unit=unit, kind="interval")]
    return Table(
        caption=f"What each {_unit(factor)} adds to the {metric_words(told.model.metric)}",
        columns=tuple(heads),
        rows=tuple(
            (place, *(cell for name in names for cell in (costs.get(name),) * 2)) for place, costs in rows.items()
        ),
    )


def _levels_table(told: _Told) -> Table:
    """Return the cells of the lead model: its median, its ratio to the baseline, and its other metrics."""
    model = told.model
    factors = _varied(model)
    beside = [other for other in told.answer.models if other.key == model.key and other is not model]
    # Against which baseline a cell stands is clear where one factor has any.
    base = [told.level(factor, level) for factor, level in told.base.items()] if len(told.base) == 1 else []
    rows = []
    for cell in sorted(model.cells, key=lambda cell: cell.median.value):
        ratio = next((ratio for ratio in model.fit.ratios if cell.levels[ratio.factor] == ratio.level), None)
        times = number(ratio.estimate, ratio_evidence(model, ratio)) if ratio is not None else None
        others = [
            next((_whole(other, twin) for twin in other.cells if twin.levels == cell.levels), None) for other in beside
        ]
        place = ", ".join(told.level(factor, cell.levels[factor]) for factor in factors)
        rows.append((place, _whole(model, cell), *((times, times) if base else ()), str(cell.n), *others))
    against = (
        Column(head=f"against {''.join(base)}", unit="x", kind="number"),
        Column(head="95% interval", unit="x", kind="interval"),
    )
    return Table(
        caption=f"Cost of {told.named(model)} by {listed([plain_name(factor) for factor in factors])}",
        columns=(
            Column(head=listed([plain_name(factor) for factor in factors])),
            Column(head=noun(model.metric), unit=model.unit, kind="number"),
            *(against if base else ()),
            Column(head="runs", kind="number"),
            *(Column(head=noun(other.metric), unit=other.unit, kind="number") for other in beside),
        ),
        rows=tuple(rows),
    )


def _whole(model: EffectModel, cell: Cell) -> Number:
    return number(cell.median, model.evidence_of(cell.levels))


def _values(told: _Told) -> dict[str, Number]:
    """Return the numbers that a sentence in study.toml can name: `sender_csp.each_output`, `sender_csp.bits_64`."""
    values: dict[str, Number] = {}
    for model in told.answer.models:
        if model.metric != told.model.metric:
            continue
        name = slug(told.named(model), *map(str, told.others(model).values()))
        base = {ratio.factor: ratio.baseline for ratio in model.fit.ratios}
        for slope in model.fit.slopes:
            if _at(base, slope.slice) and not slope.misses_cells:
                evidence = slope_evidence(model, slope)
                values[f"{name}.each_{slug(_unit(slope.factor))}"] = number(
                    slope.estimate, evidence, unit=slope.estimate.unit.removesuffix("/op")
                )
        for ratio in model.fit.ratios:
            values[f"{name}.{slug(ratio.factor, str(ratio.level))}"] = number(
                ratio.estimate, ratio_evidence(model, ratio)
            )
    if told.special is not None:
        name = slug(told.named(told.model), *map(str, told.others(told.model).values()))
        values[f"{name}.special"] = _special_cost(told, told.special)
    return values


# ---- the page of costs alone ----


def _found(told: _Told) -> tuple[Block, ...]:
    """Return the cost models, and what factors do together."""
    blocks: list[Block] = []
    for model in told.answer.models:
        if model.cost is not None and model.metric == told.model.metric:
            blocks.append(_cost_model(told, model))
        lines = tuple(_together(told, model))
        if lines and model.metric == told.model.metric:
            line = (f"{_title(told, model)}: {count(len(lines), 'pair')} of factors work together",)
            blocks.append(Fold(line=line, blocks=(List(items=lines),)))
    if told.model.fit.special_cells:
        blocks.append(Fold(line=(f"Special configurations ({_special_count(told)})",), blocks=(_special_table(told),)))
    lines = tuple(_scaling_lines(told.answer))
    blocks += [List(items=lines)] if lines else []
    broken = breakdown.finding(told.answer.breakdowns, None, told.study)
    return (*blocks, *([broken] if broken is not None else []))


def _title(told: _Told, model: EffectModel) -> str:
    others = told.place(told.others(model))
    return f"{told.named(model)}, {others}" if others else told.named(model)


def _cost_model(told: _Told, model: EffectModel) -> Fold:
    """Return a cost model: its coefficients, how well it predicts, and its rivals."""
    assert model.cost is not None
    chosen, rivals, left_out = model.cost.model.chosen, model.cost.model.rivals[1:], model.cost.model.left_out
    line: Text = (f"{_title(told, model)}: the cost model",)
    if math.isfinite(left_out.error):
        missed = Number(value=left_out.error, unit="ratio", digits=_DIGITS, evidence=model.evidence)
        held = f" ({left_out.held} of {left_out.cells} lie within their intervals)"
        line = (*line, " predicts a configuration from the others to ", missed, held)
    rows = [
        (
            _term_words(term.factors, term.powers, term.logs),
            told.place(term.slice) or "everywhere",
            *((number(term.estimate, model.evidence),) * 2),
        )
        for term in chosen.terms
    ]
    scales = [
        (
            f"all of it, {told.level(scale.factor, scale.level)} instead of {told.level(scale.factor, scale.baseline)}",
            *((number(scale.estimate, model.evidence),) * 2),
        )
        for scale in chosen.scales
    ]
    blocks: list[Block] = []
    if rows:
        blocks.append(
            Table(
                caption=f"Coefficients ({chosen.degrees_of_freedom} degrees of freedom)",
                columns=(
                    Column(head="cost"),
                    Column(head="at"),
                    Column(head="estimate", unit=model.unit, kind="number"),
                    Column(head="95% interval", unit=model.unit, kind="interval"),
                ),
                rows=tuple(rows),
            )
        )
    if scales:
        heads = (
            Column(head="scales"),
            Column(head="estimate", unit="x", kind="number"),
            Column(head="95% interval", unit="x", kind="interval"),
        )
        blocks.append(Table(caption="What multiplies them", columns=heads, rows=tuple(scales)))
    if rivals:
        fit = "fits" if len(rivals) == 1 else "fit"
        said = f"{count(len(rivals), 'other model')} {fit} nearly as well (within 6 of its BIC):"
        blocks.append(Paragraph(text=(said,)))
        blocks.append(List(items=tuple((Code(rival.formula),) for rival in rivals[:_MOST_RIVALS])))
    return Fold(line=line, blocks=tuple(blocks))


def _term_words(factors: Sequence[str], powers: Sequence[float], logs: Sequence[int]) -> str:
    """Return what a coefficient multiplies.

    Examples
    --------
    >>> _term_words(["outputs"], [1.0], [0]), _term_words([], [], []), _term_words(["n"], [0.5], [1])
    ('for each output', 'fixed', 'for each n^0.5 * log2(n)')
    """
    parts = []
    for factor, power, log in zip(factors, powers, logs, strict=True):
        if power == 1 and not log:
            parts.append(_unit(factor))
            continue
        raised = [factor if power == 1 else f"{factor}^{power:.4g}"] if power else []
        parts.append(" * ".join([*raised, *([f"log2({factor})"] if log else [])]))
    return f"for each {' * '.join(parts)}" if parts else "fixed"


def _together(told: _Told, model: EffectModel) -> Iterator[Text]:
    """Give what one factor does to the effect of another, where the data show it."""
    for effect in model.interactions.shown if model.interactions is not None else ():
        if isinstance(effect, SlopeRatio):
            words = f"each {_unit(effect.factor)} costs "
            places = [told.level(effect.by, level) for level in (effect.level, effect.baseline)]
            yield words, number(effect.ratio, model.evidence), f" at {places[0]} what it does at {places[1]}"
        elif isinstance(effect, SlopeChange):
            first, second = effect.factors
            cost = number(effect.estimate, model.evidence)
            at = f" at {told.place(effect.slice)}" if effect.slice else ""
            yield f"each further {_unit(second)} adds ", cost, f" to the cost of each {_unit(first)}{at}"
        elif isinstance(effect, RatioOfRatios):
            (first, second), (level, other), (base, other_base) = effect.factors, effect.levels, effect.baselines
            words = f"{told.level(first, level)} against {told.level(first, base)} is at {told.level(second, other)} "
            yield words, number(effect.estimate, model.evidence), f" what it is at {told.level(second, other_base)}"


def _special_count(told: _Told) -> str:
    return str(sum(len(model.fit.special_cells) for model in told.answer.models if model.metric == told.model.metric))


def _special_table(told: _Told) -> Table:
    rows = []
    for model in told.answer.models:
        if model.metric != told.model.metric:
            continue
        for cell in model.cost.model.special_cells if model.cost is not None else model.fit.special_cells:
            evidence = model.evidence_of(cell.levels)
            measured = Number(value=cell.observed, unit=model.unit, evidence=evidence)
            expected = Number(value=cell.expected, unit=model.unit, evidence=model.evidence)
            rows.append((_title(told, model), told.place(cell.levels), str(cell.n), measured, expected))
    unit = told.model.unit
    return Table(
        caption="Configurations that the others do not explain",
        columns=(
            Column(head="of"),
            Column(head="configuration"),
            Column(head="runs", kind="number"),
            Column(head="measured", unit=unit, kind="number"),
            Column(head="expected from the others", unit=unit, kind="number"),
        ),
        rows=tuple(rows),
    )


def _predicted(told: _Told) -> Iterator[Block]:
    """Give what the cells would cost that were asked for, and what to beware of."""
    asked = [
        (model, prediction)
        for model in told.answer.models
        for prediction in (model.cost.predictions if model.cost is not None else ())
    ]
    units = list(dict.fromkeys(model.unit for model, _ in asked))
    for unit in units:
        rows = [_prediction_row(told, model, prediction) for model, prediction in asked if model.unit == unit]
        columns = (
            Column(head="of"),
            Column(head="configuration"),
            Column(head="predicted", unit=unit, kind="number"),
            Column(head="95% interval", unit=unit, kind="interval"),
            Column(head="median of another day", unit=unit, kind="interval"),
        )
        yield Table(caption="Configurations that were asked for", columns=columns, rows=tuple(rows))
    remarks = dict.fromkeys(
        f"{told.place(prediction.at)}: {remark}"
        for _, prediction in asked
        for remark in ([f"refused, {prediction.refusal}"] if prediction.refusal else [])
        + [percents(caveat.message) for caveat in prediction.caveats]
    )
    if remarks:
        yield List(items=tuple((remark,) for remark in remarks))


def _prediction_row(
    told: _Told, model: EffectModel, prediction: Prediction
) -> tuple[str, str, Number | None, Number | None, Number | None]:
    evidence = pool([model.evidence], "the chosen cost model averaged with its rivals")
    cost = number(prediction.estimate, evidence) if prediction.estimate is not None else None
    again = number(prediction.another_day, evidence) if prediction.another_day is not None else None
    return _title(told, model), told.place(prediction.at), cost, cost, again


def _scaling_lines(answer: EffectsAnswer) -> Iterator[Text]:
    for law in answer.scaling:
        verb = "differs" if law.comparison.verdict == "changed" else "is not shown to differ"
        name = plain_name(law.comparison.name)
        yield (f"{name[:1].upper()}{name[1:]} {verb} between {count(len(law.curves), 'curve')}.",)


def _next(answer: EffectsAnswer, study: Study) -> tuple[Block, ...]:
    """Return the cells to measure that tell a cost model from its closest rival."""
    items: list[Text] = []
    for model in answer.models[:1]:
        for cell in model.cost.next_cells if model.cost is not None else ():
            place = ", ".join(_level(study, factor, level) for factor, level in cell.at.items())
            times = count(cell.repetitions, "time")
            chosen, rival = (number(estimate, model.evidence) for estimate in (cell.chosen, cell.rival))
            items.append(say("effects.next", place=place, times=times, chosen=chosen, rival=rival))
    return (List(items=tuple(items)),) if items else ()


def _sections(told: _Told | None, answer: EffectsAnswer) -> tuple[Section, ...]:
    """Return what was asked to be predicted, every cell, the share of each factor, and what was refused."""
    asked = tuple(_predicted(told)) if told is not None else ()
    blocks: list[Block] = []
    if told is not None:
        blocks += [_importance(told), *(Fold(line=(table.caption,), blocks=(table,)) for table in _cells(told))]
    blocks += [Paragraph(text=(f"Not answered: {refusal.reason}.",), muted=True) for refusal in answer.refusals]
    sections = (
        Section(title="Predicted", anchor="asked", blocks=asked),
        Section(title="Background", anchor="background", blocks=tuple(blocks)),
    )
    return tuple(section for section in sections if section.blocks)


def _importance(told: _Told) -> Fold:
    """Return which factor accounts for how much of the variance."""
    rows = []
    for model in told.answer.models:
        shares = model.fit.variance.shares
        cells = [
            Number(value=shares[factor], unit="ratio", digits=2, evidence=model.evidence) if factor in shares else None
            for factor in told.answer.factors
        ]
        rows.append((_title(told, model), metric_words(model.metric), *cells))
    heads = (Column(head="of"), Column(head="metric"))
    factors = tuple(Column(head=plain_name(factor), unit="ratio", kind="number") for factor in told.answer.factors)
    table = Table(
        caption="Share of the variance of the logarithms that each factor alone accounts for (type II)",
        columns=heads + factors,
        rows=tuple(rows),
    )
    return Fold(line=("Which factor accounts for how much",), blocks=(table,))


def _cells(told: _Told) -> Iterator[Table]:
    """Give every configuration of every benchmark with all of its metrics."""
    groups: dict[tuple[object, ...], list[EffectModel]] = {}
    for model in told.answer.models:
        groups.setdefault(tuple(model.key.items()), []).append(model)
    for group in groups.values():
        factors = list(dict.fromkeys(factor for model in group for factor in _varied(model)))
        rows: dict[tuple[object, ...], dict[str, Number]] = {}
        for model in group:
            for cell in model.cells:
                place = tuple(cell.levels.get(factor) for factor in factors)
                rows.setdefault(place, {})[model.metric] = _whole(model, cell)
        yield Table(
            caption=f"Every configuration of {_title(told, group[0])}",
            columns=(
                *(Column(head=plain_name(factor)) for factor in factors),
                *(Column(head=noun(model.metric), unit=model.unit, kind="number") for model in group),
            ),
            rows=tuple(
                (
                    *("–" if level is None else str(level) for level in place),
                    *(metrics.get(model.metric) for model in group),
                )
                for place, metrics in rows.items()
            ),
        )
