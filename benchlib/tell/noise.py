"""Where the noise lives, and what to repeat."""

from __future__ import annotations

from benchlib.answers.noise import NoiseAnswer, NoiseRow
from benchlib.document.blocks import (
    Block,
    Cell,
    Code,
    Column,
    Confidence,
    Document,
    Fact,
    Fold,
    Link,
    Number,
    Paragraph,
    Table,
    Text,
)
from benchlib.document.words import count, metric_words, place_words, plain_name
from benchlib.figures.noise import noise_figure
from benchlib.statistics.noise import NoisePart
from benchlib.study import Study
from benchlib.tell.lead import Lead, confidence_in, document_of
from benchlib.tell.sentences import begun, say

__all__ = ["document"]


def document(answer: NoiseAnswer, study: Study) -> Document:
    """Return the document of a noise budget."""
    return document_of(study, lead(answer), answer.caveats, answers=answer)


def lead(answer: NoiseAnswer) -> Lead:
    """Return what is said first: the budget in the middle of all benchmarks."""
    row = _middle(answer)
    outer, inner = _largest(row), row.budget.parts[-1]
    said = _sentence(row, typical=len(answer.rows) > 1)
    facts = [Fact(value=(_share(row, outer),), line=(_line(outer),))]
    if inner is not outer:
        facts.append(Fact(value=(_share(row, inner),), line=(_line(inner),)))
    return Lead(
        answer=said,
        decision=_decision(row),
        confidence=_confidence(answer, row.budget.parts[0]),
        figure=noise_figure(answer.rows, (_finding(row),)),
        facts=tuple(facts),
        table=_table(answer),
        values={"noise": _share(row, outer)},
    )


def _confidence(answer: NoiseAnswer, outermost: NoisePart) -> Confidence:
    n = outermost.units if outermost.name != "value" else 1
    each = count(n, plain_name(outermost.name), _units(outermost.name))
    return confidence_in(n, each, answer.caveats, ("one-run",))


def fold(answer: NoiseAnswer) -> Fold:
    """Return the budget as a part of another page, behind its sentence."""
    said = lead(answer)
    blocks: tuple[Block, ...] = (said.figure,) if said.figure is not None else ()
    return Fold(line=("Noise",), blocks=(Paragraph(text=said.answer), *blocks, _table(answer)), anchor="noise")


def _middle(answer: NoiseAnswer) -> NoiseRow:
    """Return the benchmark whose noise is in the middle, of those in which most levels were repeated."""
    most = max(len(row.budget.parts) for row in answer.rows)
    rows = [row for row in answer.rows if len(row.budget.parts) == most]
    return sorted(rows, key=lambda row: row.budget.total)[len(rows) // 2]


def _largest(row: NoiseRow) -> NoisePart:
    """Return the level above the values that adds most; the values where there is none."""
    above = [part for part in row.budget.parts if part.name != "value"]
    return max(above, key=lambda part: part.sd) if above else row.budget.parts[-1]


def _sentence(row: NoiseRow, *, typical: bool) -> Text:
    """Say what each level of repeating adds, the outermost first."""
    outer, *inner = row.budget.parts
    if outer.name == "value":
        unknown = "what runs differ by is not known"
        return say("noise", units="Values of one run", size=_share(row, outer), within="", advice=unknown)
    runs = f"{_units(outer.name)}{' typically' if typical else ''}"
    within: list[str | Number | Link | Code] = []
    for above, part in zip(row.budget.parts, inner, strict=False):
        units = f"values within a {plain_name(above.name)}" if part.name == "value" else _units(part.name)
        within += [f", {units} by ", _share(row, part)]
    return say("noise", units=begun((runs,)), size=_share(row, outer), within=tuple(within), advice=_advice(row))


def _advice(row: NoiseRow) -> str:
    """Say which level to repeat, and what within it buys little."""
    if row.budget.total == 0:
        return "nothing is left to halve"
    idle = f"more {_units(row.idle)} add little, " if row.idle else ""
    return f"{idle}{_remedy(row)} {'halves' if row.more == 1 else 'halve'} the interval"


def _finding(row: NoiseRow) -> str:
    outer, inner = _largest(row), row.budget.parts[-1]
    if inner is outer:
        return f"{_units(outer.name) if outer.name != 'value' else 'values of one run'} differ".capitalize()
    more, less = (_units(outer.name), "values") if outer.sd > inner.sd else ("values", _units(outer.name))
    return f"{more} differ more than {less} do".capitalize()


def _decision(row: NoiseRow) -> Text:
    outer = row.budget.parts[0]
    if outer.name == "value":
        return say("not_yet", verb="trust an interval on another day", advice="repeat the whole run at least 3 times")
    if len(row.budget.parts) == 1:
        return say("use", verb="Repeat", what=f"whole {_units(outer.name)}, each with several values")
    if row.repeat == "value":
        return say("use", verb="Repeat", what=f"values: {_units(outer.name)} hardly differ")
    return say("use", verb="Repeat", what=f"whole {_units(row.repeat)}, not values within one")


def _table(answer: NoiseAnswer) -> Table:
    """Return the parts of every benchmark, the noisiest first."""
    levels = list(dict.fromkeys(part.name for row in answer.rows for part in row.budget.parts))
    heads = [f"between {_units(level)}" if level != "value" else "within" for level in levels]
    columns = (
        Column(head="benchmark"),
        Column(head="metric"),
        *(
            column
            for head in heads
            for column in (Column(head=head, unit="ratio", kind="number"), Column(head="95% interval", kind="interval"))
        ),
        Column(head="to halve the interval"),
    )
    rows: list[tuple[Cell, ...]] = []
    for row in sorted(answer.rows, key=lambda row: -row.budget.total):
        parts = {part.name: _share(row, part) for part in row.budget.parts}
        cells = [cell for level in levels for cell in (parts.get(level), parts.get(level))]
        name = place_words(row.key) or str(row.key.get("benchmark", "")) or count(row.benchmarks, "benchmark")
        rows.append((name, metric_words(row.metric), *cells, _remedy(row)))
    caption = "What each level of repeating adds to the noise of one value"
    return Table(caption=caption, columns=columns, rows=tuple(rows))


def _remedy(row: NoiseRow) -> str:
    return f"{count(row.more, f'more {plain_name(row.repeat)}', f'more {_units(row.repeat)}')}{_of_each(row)}"


def _of_each(row: NoiseRow) -> str:
    """Say of what each has so many more, where units lie within others."""
    names = [part.name for part in row.budget.parts]
    place = names.index(row.repeat)
    return f" a {plain_name(names[place - 1])}" if place else ""


def _share(row: NoiseRow, part: NoisePart) -> Number:
    return Number(value=part.sd, unit="ratio", low=part.low, high=part.high, evidence=row.evidence)


def _units(level: str) -> str:
    name = plain_name(level)
    return f"{name}es" if name.endswith("s") else f"{name}s"


def _line(part: NoisePart) -> str:
    if part.name == "value":
        return "between values within one"
    return f"between {count(part.units, plain_name(part.name), _units(part.name))}"
