"""The tables of ``study.toml`` that ask something of the results, each read into its plan."""

from __future__ import annotations

from typing import NamedTuple

from benchlib.errors import DataError, printable
from benchlib.metrics import canonical
from benchlib.study.plans import (
    BreakdownPlan,
    ChoicePlan,
    ComparisonPlan,
    CurvePlan,
    Descriptions,
    EffectsPlan,
    Exclusion,
    LatencyPlan,
    ScalingPlan,
    TargetPlan,
    read_control,
)
from benchlib.study.section import Section
from benchlib.units import parse_quantity

__all__ = [
    "Bounds",
    "read_bounds",
    "read_breakdown",
    "read_choice",
    "read_comparison",
    "read_descriptions",
    "read_effects",
    "read_latency",
    "read_scaling",
    "read_target",
]

#: A bound in base units and that unit; ``(None, "")`` where the side is open.
Bound = tuple[float | None, str]


class Bounds(NamedTuple):
    """A range: in base units, the unit, and as it was written; None where a side is open."""

    low: float | None
    high: float | None
    unit: str
    text: str


def read_scaling(table: Section) -> ScalingPlan:
    """Read ``[scaling]`` with its curves and exclusions."""
    table.only("concurrency", "by", "weights", "weak", "same_work", "today", "curves", "exclude")
    today = table.number("today", "a level of concurrency, e.g. 8") if "today" in table.values else None
    if today is not None and today < 1:
        raise table.wrong("today", "a level of concurrency of at least 1, e.g. 8")
    return ScalingPlan(
        concurrency=table.text("concurrency"),
        by=table.texts("by"),
        weights=table.choice("weights", ("auto", "relative", "replicates", "none"), "auto"),
        weak=table.flag("weak", False),
        same_work=table.flag("same_work", False),
        today=today,
        curves=tuple(_curve(one) for one in table.sections("curves")),
        exclusions=tuple(_exclusion(one) for one in table.sections("exclude")),
    )


def _curve(table: Section) -> CurvePlan:
    table.only("name", "where", "metric")
    metric = canonical(table.required("metric", '"throughput"'))
    return CurvePlan(name=table.text("name") or metric, where=table.where("where"), metric=metric)


def _exclusion(table: Section) -> Exclusion:
    table.only("where", "why")
    table.required("where", '"run=warmup"')
    return Exclusion(where=table.where("where"), why=table.required("why", '"measured another way"'))


def read_effects(table: Section) -> EffectsPlan:
    """Read ``[effects]``."""
    table.only("factors", "metrics", "by", "where", "baselines")
    factors, baselines = table.texts("factors"), table.section("baselines")
    for name, level in baselines.values.items():
        if name not in factors:
            raise baselines.error(name, f"'{printable(name, 60)}' {baselines.label} is no factor; add it to factors")
        if isinstance(level, bool) or not isinstance(level, str | int | float):
            raise baselines.error(name, f"'{printable(name, 60)}' {baselines.label} is to be one level of the factor")
    return EffectsPlan(
        factors=factors,
        metrics=tuple(map(canonical, table.texts("metrics", ("time",)))),
        by=table.texts("by", ("benchmark",)),
        where=table.where("where"),
        baselines=dict(baselines.values),
    )


def read_breakdown(table: Section) -> BreakdownPlan:
    """Read one ``[[breakdown]]``: a whole, and the parts it contains."""
    table.only("name", "whole", "parts", "estimated", "profile", "where", "metrics", "by")
    whole = table.required("whole", '"Sender"')
    parts, estimated = table.texts("parts"), table.section("estimated")
    profile = table.text("profile")
    if profile and (parts or estimated.values):
        raise table.error(
            "profile",
            f"'profile' {table.label} stands beside other parts, which it holds too; give the profile a "
            "[[breakdown]] of its own",
        )
    if not parts and not estimated.values and not profile:
        raise table.error(
            "parts" if "parts" in table.values else None,
            f"'parts' {table.label} names no part; list the benchmarks that '{printable(whole, 60)}' contains",
        )
    if whole in parts or whole in estimated.values:
        raise table.error("parts", f"'{printable(whole, 60)}' {table.label} is both whole and part; remove one")
    both = [one for one in parts if one in estimated.values]
    if both:
        raise table.error(
            "estimated",
            f"'{printable(both[0], 60)}' {table.label} is measured as a part and estimated; keep one",
        )
    return BreakdownPlan(
        name=table.text("name") or whole,
        whole=whole,
        parts=parts,
        estimated={one: estimated.share(one) for one in estimated.values},
        profile=profile,
        profiled={},
        where=table.where("where"),
        metrics=tuple(map(canonical, table.texts("metrics", ("time",)))),
        by=table.texts("by"),
    )


def read_choice(table: Section) -> ChoicePlan:
    """Read one ``[[choice]]``: a column whose levels are settings to choose from."""
    table.only("name", "factor", "where", "metrics", "by")
    factor, by = table.required("factor", '"executor"'), table.texts("by")
    if factor in by:
        raise table.error("by", f"'{printable(factor, 60)}' {table.label} is chosen and grouped by; remove it from by")
    return ChoicePlan(
        name=table.text("name") or factor,
        factor=factor,
        where=table.where("where"),
        metrics=tuple(map(canonical, table.texts("metrics"))),
        by=by,
    )


def read_comparison(table: Section) -> ComparisonPlan:
    """Read one ``[[compare]]``."""
    table.only(
        "name", "question", "column", "baseline", "candidates", "where", "metrics", "by", "ignore",
        "controls", "sequential",
    )  # fmt: skip
    column = table.required("column", '"run"')
    baselines, candidates = table.levels("baseline"), table.levels("candidates")
    if not baselines:
        key = "baseline" if "baseline" in table.values else None
        raise table.error(key, f"'baseline' {table.label} is missing; name a level of '{printable(column, 60)}'")
    both = [one for one in candidates if one in baselines]
    if both:
        raise table.error(
            "candidates",
            f"'{printable(both[0], 60)}' {table.label} is both baseline and candidate; choose one",
        )
    controls = tuple(map(read_control, table.texts("controls")))
    for one in (part for control in controls for part in (control.where, control.speaks_for)):
        Section(values={"controls": one}, path=table.path, document=table.document).where("controls")
    return ComparisonPlan(
        name=table.text("name") or f"{column}: {', '.join(baselines)}",
        question=table.text("question"),
        column=column,
        baselines=baselines,
        candidates=candidates,
        where=table.where("where"),
        metrics=tuple(map(canonical, table.texts("metrics"))),
        by=table.texts("by"),
        ignore=table.texts("ignore"),
        controls=controls,
        sequential=table.flag("sequential", False) if "sequential" in table.values else None,
        runs_differ=False,
    )


def read_target(table: Section) -> TargetPlan:
    """Read one ``[[targets]]``: a metric, and the bound or range it is to keep."""
    table.only("name", "where", "metric", "at_most", "at_least", "between")
    metric = canonical(table.required("metric", '"time"'))
    found = read_bounds(table, "target")
    return TargetPlan(
        name=table.text("name") or f"{metric} {found.text}",
        where=table.where("where"),
        metric=metric,
        low=found.low,
        high=found.high,
        unit=found.unit,
        text=found.text,
    )


def read_bounds(table: Section, what: str) -> Bounds:
    """Read ``at_least`` and ``at_most``, or ``between``, with their units; ``what`` the table is, for a message.

    Raises
    ------
    StudyError
        For no bound, one that is no quantity, two units, and bounds that are swapped.
    """
    low, high, text = _range(table) if "between" in table.values else _one_sided(table, what)
    units = {unit for _, unit in (low, high) if unit}
    last = "between" if "between" in table.values else "at_most"
    if len(units) > 1:
        named = " and ".join(f"'{printable(one)}'" for one in sorted(units))
        raise table.error(last, f"the bounds {table.label} have two units, {named}; use one")
    if low[0] is not None and high[0] is not None and low[0] > high[0]:
        raise table.error(
            last, f"nothing can be {printable(text, 80)}: the bounds {table.label} are swapped; exchange them"
        )
    return Bounds(low=low[0], high=high[0], unit=units.pop(), text=text)


def _range(table: Section) -> tuple[Bound, Bound, str]:
    written = table.texts("between")
    if "at_most" in table.values or "at_least" in table.values:
        raise table.error("between", f"'between' {table.label} stands beside another bound; keep one")
    if len(written) != 2:
        raise table.error(
            "between",
            f'\'between\' {table.label} needs two bounds, e.g. ["1 ms", "2 ms"]; found {len(written)}',
        )
    low, high = (_bound(table, "between", one) for one in written)
    return low, high, f"between {written[0]} and {written[1]}"


def _one_sided(table: Section, what: str) -> tuple[Bound, Bound, str]:
    stated = [one for one in ("at_least", "at_most") if one in table.values]
    if not stated:
        raise table.error(None, f"a {what} {table.label} needs at_most, at_least or between")
    found = {one: _bound(table, one, table.text(one)) for one in stated}
    text = " and ".join(f"{one.replace('_', ' ')} {table.text(one)}" for one in stated)
    return found.get("at_least", (None, "")), found.get("at_most", (None, "")), text


def _bound(table: Section, key: str, written: str) -> Bound:
    try:
        return parse_quantity(written)
    except DataError as error:
        raise table.error(key, f"'{key}' {table.label}: {error}") from error


def read_latency(table: Section) -> LatencyPlan:
    """Read ``[latency]``."""
    table.only("where", "mean")
    return LatencyPlan(where=table.where("where"), mean=table.where("mean"))


def read_descriptions(table: Section) -> Descriptions:
    """Read ``[describe]``."""
    table.only("benchmarks", "levels")
    benchmarks, levels = table.section("benchmarks"), table.section("levels")
    return Descriptions(
        benchmarks={one: benchmarks.text(one) for one in benchmarks.values},
        levels={
            axis: {level: section.text(level) for level in section.values}
            for axis, section in ((one, levels.section(one)) for one in levels.values)
        },
    )
