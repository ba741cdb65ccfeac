"""What ``study.toml`` may say, table by table, and the plans that it makes.

Each class below is a table, each field a key: type and default are what is accepted, and `convert` of
`benchlib.study.toml_tables` refuses everything else with file, line and key. ``__post_init__`` refuses what has the
right type and cannot be meant. A table whose plan holds something else than was written has a method ``plan``.

Plans hold words, not data: conditions as they were written, names of columns and metrics. An empty tuple or text means
"not stated"; who asks the question chooses what that means.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, field
from msgspec.structs import force_setattr

from benchlib.errors import printable
from benchlib.formats.names import NameTemplate, bind
from benchlib.metrics import canonical
from benchlib.results import Results
from benchlib.study.declared_formats import LinesFormat, RecordsFormat, TableFormat, check_names
from benchlib.study.quantities import (
    Growth,
    Limit,
    NodePlan,
    Target,
    parse_currency,
    parse_growth,
    parse_headroom,
    parse_limit,
    parse_mix,
    parse_month,
    parse_nodes,
    parse_survive,
    parse_target,
)
from benchlib.study.toml_tables import (
    HUGE,
    Level,
    Mistake,
    TomlTable,
    check_condition,
    check_inside,
    check_texts,
    describe_value,
    mistaken,
    required,
)
from benchlib.units import parse_quantity

#: One environment fact.
Fact = str | int | float | bool
#: The environment facts that a page always speaks of, in this order.
FACTS = ("machine", "cpu", "cores", "memory", "os", "runtime", "generator", "date", "commit")
#: A question that an executive summary can lead with.
Lead = Literal["scaling", "comparison", "effects", "latency"]
#: By what a level of cores can be called the best.
ClaimRule = Literal["knee", "throughput per core", "throughput per added core"]
#: What a claim may be about.
About = Literal["median", "ratio", "gain", "speedup", "efficiency", "recommended", "slowest"]

_Number = Annotated[float, Meta(ge=-HUGE, le=HUGE, description="a number, e.g. 0.9")]
_Level = Annotated[Level, Meta(description="one level of the factor")]
_Levels = Annotated[
    Level | tuple[Level, ...],
    Meta(description='a level or a list of levels, e.g. "old" or ["a", "b"]'),
]
_Share = Annotated[float, Meta(ge=0, le=1, description="a share from 0 to 1, e.g. 0.3 for 30 %")]
_Scalar = Annotated[Level, Meta(description="a text or a number")]


# --- [files], [configuration] -----------------------------------------------------------------------------------------


class Files(TomlTable, frozen=True, kw_only=True):
    """``[files]``: which files of the folder are no results."""

    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        for number, pattern in enumerate(self.exclude):
            check_inside(pattern, "exclude", number)


class Name(TomlTable, frozen=True, kw_only=True):
    """An entry of ``names`` in ``[configuration]``: what the rest of a benchmark's name says."""

    template: Annotated[str, required("bits_{bits:int}")]
    benchmarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        with mistaken("template"):
            bind(self.template)


class Configuration(TomlTable, frozen=True, kw_only=True):
    """``[configuration]``: what the names of files and benchmarks say.

    ``parallel`` holds globs of benchmarks whose time per operation is wall time over the operations of parallel work,
    so that its inverse is a throughput.
    """

    paths: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    parallel: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        for number, template in enumerate(self.paths):
            check_inside(template, "paths", number)
            with mistaken("paths", number):
                bind(template)

    @property
    def name_templates(self) -> tuple[NameTemplate, ...]:
        """The templates of names, as readers take them."""
        return tuple(NameTemplate(template=name.template, benchmarks=name.benchmarks) for name in self.names)


# --- [scaling] --------------------------------------------------------------------------------------------------------


class CurvePlan(TomlTable, frozen=True, kw_only=True):
    """``[[scaling.curves]]``: the rows of a condition, seen through one metric."""

    name: str = ""
    where: str = ""
    metric: Annotated[str, required("throughput")]

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        force_setattr(self, "metric", canonical(self.metric))
        force_setattr(self, "name", self.name or self.metric)


class Exclusion(TomlTable, frozen=True, kw_only=True):
    """``[[scaling.exclude]]``: rows kept out of every scaling curve, and the reason to tell."""

    where: Annotated[str, required("run=warmup")]
    why: Annotated[str, required("measured another way")]


class ScalingPlan(TomlTable, frozen=True, kw_only=True):
    """``[scaling]``: how throughput is to be read against concurrency."""

    #: Empty where none is stated and the results do not show exactly one.
    concurrency: str = ""
    #: Empty for every axis that varies while the concurrency stands still.
    by: tuple[str, ...] = ()
    weights: Literal["auto", "relative", "replicates", "none"] = "auto"
    weak: bool = False
    same_work: bool = False
    today: Annotated[float, Meta(ge=1, le=HUGE, description="a level of concurrency of at least 1, e.g. 8")] | None = (
        None
    )
    #: Empty for one curve per level of `by`.
    curves: tuple[CurvePlan, ...] = ()
    exclusions: tuple[Exclusion, ...] = field(default=(), name="exclude")


# --- [effects], [[breakdown]] -----------------------------------------------------------------------------------------


class EffectsPlan(TomlTable, frozen=True, kw_only=True):
    """``[effects]``: which factors are to explain which metrics, in which rows.

    ``baselines`` are the levels that the others of a factor are held against.
    """

    factors: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("time",)
    by: tuple[str, ...] = ("benchmark",)
    where: str = ""
    baselines: dict[str, _Level] = field(default_factory=dict)

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        force_setattr(self, "metrics", tuple(map(canonical, self.metrics)))
        for name in self.baselines:
            if name not in self.factors:
                raise Mistake(" is no factor; add it to factors", "baselines", name)


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakdownPlan:
    """A benchmark whose work contains that of others; shares are of the whole, 0 to 1."""

    name: str
    whole: str
    parts: tuple[str, ...]
    estimated: Mapping[str, float]
    profile: str
    #: The share of each package in the profile, largest first; empty without one.
    profiled: Mapping[str, float]
    where: str
    metrics: tuple[str, ...]
    by: tuple[str, ...]


class Breakdown(TomlTable, frozen=True, kw_only=True):
    """``[[breakdown]]``: a whole, and the parts it contains."""

    name: str = ""
    whole: Annotated[str, required("Sender")]
    parts: tuple[str, ...] = ()
    estimated: dict[str, _Share] = field(default_factory=dict)
    profile: str = ""
    where: str = ""
    metrics: tuple[str, ...] = ("time",)
    by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        force_setattr(self, "metrics", tuple(map(canonical, self.metrics)))
        check_inside(self.profile, "profile")
        if self.profile and (self.parts or self.estimated):
            message = " stands beside other parts, which it holds too; give the profile a [[breakdown]] of its own"
            raise Mistake(message, "profile")
        if not (self.parts or self.estimated or self.profile):
            raise Mistake(f" names no part; list the benchmarks that '{printable(self.whole, 60)}' contains", "parts")
        if self.whole in self.parts or self.whole in self.estimated:
            raise Mistake(f" names '{printable(self.whole, 60)}', which is the whole; remove it", "parts")
        for part in self.parts:
            if part in self.estimated:
                raise Mistake(f": '{printable(part, 60)}' is measured as a part too; keep one", "estimated")

    def plan(self, profiled: Mapping[str, float]) -> BreakdownPlan:
        """Return the plan, with the shares of its profile."""
        return BreakdownPlan(
            name=self.name or self.whole,
            whole=self.whole,
            parts=self.parts,
            estimated=self.estimated,
            profile=self.profile,
            profiled=profiled,
            where=self.where,
            metrics=self.metrics,
            by=self.by,
        )


# --- [[compare]] ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlan:
    """Rows that a change cannot have touched."""

    where: str
    #: The rows they were named for; empty for the rows they were recorded in turn with.
    speaks_for: str


def read_control(text: str) -> ControlPlan:
    """Split a control such as ``"pkg=*/filter for pkg=*/pgn"``.

    Examples
    --------
    >>> read_control("pkg=*/filter for pkg=*/pgn")
    ControlPlan(where='pkg=*/filter', speaks_for='pkg=*/pgn')
    """
    where, _, named = f" {text} ".partition(" for ")
    return ControlPlan(where=where.strip(), speaks_for=named.strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPlan:
    """Levels of one column set against each other."""

    name: str
    question: str
    column: str
    #: Several make as many comparisons.
    baselines: tuple[str, ...]
    #: Empty for every level that is not a baseline.
    candidates: tuple[str, ...]
    where: str
    #: Empty for every metric that both sides have.
    metrics: tuple[str, ...]
    by: tuple[str, ...]
    ignore: tuple[str, ...]
    controls: tuple[ControlPlan, ...]
    #: Whether one side was recorded after the other; None where not recorded.
    sequential: bool | None
    #: Whether runs are no repeats of each other, so that a cell says so where it pools them.
    runs_differ: bool


class Compare(TomlTable, frozen=True, kw_only=True):
    """``[[compare]]``: levels of one column set against each other."""

    name: str = ""
    question: str = ""
    column: Annotated[str, required("run")]
    baseline: _Levels = ()
    candidates: _Levels = ()
    where: str = ""
    metrics: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()
    sequential: bool | None = None

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        force_setattr(self, "metrics", tuple(map(canonical, self.metrics)))
        plan = self.plan()
        check_texts(plan.baselines, "baseline")
        check_texts(plan.candidates, "candidates")
        if not plan.baselines:
            raise Mistake(f" is missing; name a level of '{printable(self.column, 60)}'", "baseline")
        for level in plan.candidates:
            if level in plan.baselines:
                raise Mistake(f" names '{printable(level, 60)}', which is the baseline; choose one", "candidates")
        for number, control in enumerate(plan.controls):
            check_condition(control.where, "controls", number)
            check_condition(control.speaks_for, "controls", number)

    def plan(self) -> ComparisonPlan:
        """Return the plan, its levels as texts."""
        baselines = _level_words(self.baseline)
        return ComparisonPlan(
            name=self.name or f"{self.column}: {', '.join(baselines)}",
            question=self.question,
            column=self.column,
            baselines=baselines,
            candidates=_level_words(self.candidates),
            where=self.where,
            metrics=self.metrics,
            by=self.by,
            ignore=self.ignore,
            controls=tuple(map(read_control, self.controls)),
            sequential=self.sequential,
            runs_differ=False,
        )


def _level_words(written: str | float | tuple[str | float, ...]) -> tuple[str, ...]:
    """Return levels as they stand in the results: 32 whether written as 32 or 32.0."""
    listed = written if isinstance(written, tuple) else (written,)
    return tuple(level if isinstance(level, str) else f"{level:g}" for level in listed)


# --- [[targets]], [[claims]] ------------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """A range: in base units, the unit, and as it was written; None where a side is open."""

    low: float | None
    high: float | None
    unit: str
    text: str


class _Quantities(TomlTable, frozen=True, kw_only=True):
    """A table with bounds that have a unit."""

    at_least: str | None = None
    at_most: str | None = None
    between: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        self.bounds()

    def bounds(self) -> Bounds:
        """Return the bounds in base units."""
        written = {key: text for key in ("at_least", "at_most") if (text := getattr(self, key)) is not None}
        bounds, units = [], set()
        for key, text in [*written.items(), *(("between", text) for text in self.between)]:
            with mistaken(key):
                value, unit = parse_quantity(text)
            bounds.append((value, text))
            units.add(unit)
        last = "between" if self.between else "at_most"
        if len(units) > 1:
            named = " and ".join(f"'{printable(unit)}'" for unit in sorted(units))
            raise Mistake(f": the bounds have two units, {named}; use one", last)
        return _range(
            dict(zip(written, bounds, strict=False)), bounds[len(written) :], "".join(units), '"1 ms", "2 ms"'
        )


class _Numbers(TomlTable, frozen=True, kw_only=True):
    """A table with bounds of a bare number: a factor, a share, a level."""

    at_least: _Number | None = None
    at_most: _Number | None = None
    between: Annotated[tuple[_Number, ...], Meta(description="two numbers, e.g. [0.9, 1.1]")] = ()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        self.bounds()

    def bounds(self) -> Bounds:
        """Return the bounds."""
        written = {key: value for key in ("at_least", "at_most") if (value := getattr(self, key)) is not None}
        pairs = {key: (value, f"{value:g}") for key, value in written.items()}
        return _range(pairs, [(value, f"{value:g}") for value in self.between], "", "0.9, 1.1")


def _range(
    written: Mapping[str, tuple[float, str]], between: list[tuple[float, str]], unit: str, example: str
) -> Bounds:
    """Return bounds from values and how they were written: by ``at_least`` and ``at_most``, or ``between``."""
    if between and written:
        raise Mistake(" stands beside another bound; keep one", "between")
    if between:
        if len(between) != 2:
            raise Mistake(f" needs two bounds, e.g. [{example}]; found {len(between)}", "between")
        low, high = (value for value, _ in between)
        bounds = Bounds(low, high, unit, f"between {between[0][1]} and {between[1][1]}")
    elif written:
        text = " and ".join(f"{key.replace('_', ' ')} {shown}" for key, (_, shown) in written.items())
        sides = {key: value for key, (value, _) in written.items()}
        bounds = Bounds(sides.get("at_least"), sides.get("at_most"), unit, text)
    else:
        raise Mistake(" needs at_most, at_least or between")
    if bounds.low is not None and bounds.high is not None and bounds.low > bounds.high:
        raise Mistake(
            f": nothing can be {printable(bounds.text, 80)}; exchange the bounds", "between" if between else "at_most"
        )
    return bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPlan:
    """A bound or range that a metric is to keep: in the base unit of the metric, None where a side is open."""

    name: str
    where: str
    metric: str
    low: float | None
    high: float | None
    unit: str
    #: As it was written: ``"at most 8 ns"``.
    text: str


class TargetTable(_Quantities, frozen=True, kw_only=True):
    """``[[targets]]``: a metric, and the bound or range it is to keep."""

    name: str = ""
    where: str = ""
    metric: Annotated[str, required("time")]

    def __post_init__(self) -> None:
        _Quantities.__post_init__(self)
        force_setattr(self, "metric", canonical(self.metric))

    def plan(self, unit: str) -> TargetPlan:
        """Return the plan, in the unit of its metric."""
        bounds = self.bounds()
        return TargetPlan(
            name=self.name or f"{self.metric} {bounds.text}",
            where=self.where,
            metric=self.metric,
            low=bounds.low,
            high=bounds.high,
            unit=unit,
            text=bounds.text,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPlan:
    """A sentence of an earlier report, where it was said, and what has to hold if it is right."""

    text: str
    source: str
    about: About
    #: The comparison or curve; empty for all of them.
    of: str
    where: str
    metric: str
    #: A level of concurrency, for speedup and efficiency.
    at: float | None
    #: By which the recommended level is the best.
    rule: ClaimRule
    #: The bounds in base units, None where a side is open; no unit for a bare number.
    low: float | None
    high: float | None
    unit: str
    #: The bounds as they were written.
    bound: str


_Text = Annotated[str, required("scales linearly to 8 cores")]
_Source = Annotated[str, required("report of 2026-03-31")]
_At = Annotated[float, Meta(ge=-HUGE, le=HUGE, description="a level of concurrency, e.g. 8", examples=[8])]


class Median(_Quantities, tag_field="about", tag="median", frozen=True, kw_only=True):
    """``[[claims]]`` about the median of a metric."""

    text: _Text
    source: _Source
    metric: Annotated[str, required("time")]
    where: str = ""

    def __post_init__(self) -> None:
        _Quantities.__post_init__(self)
        force_setattr(self, "metric", canonical(self.metric))


class Slowest(_Quantities, tag_field="about", tag="slowest", frozen=True, kw_only=True):
    """``[[claims]]`` about the least that the slowest requests take on average."""

    text: _Text
    source: _Source
    where: str = ""

    def __post_init__(self) -> None:
        _Quantities.__post_init__(self)
        if (bounds := self.bounds()).unit != "sec":
            raise Mistake(f": the bound '{printable(bounds.text, 80)}' is no time; write it like '2 ms'")


class _Compared(_Numbers, tag_field="about", frozen=True, kw_only=True):
    text: _Text
    source: _Source
    of: str = ""
    metric: str = ""
    where: str = ""

    def __post_init__(self) -> None:
        _Numbers.__post_init__(self)
        force_setattr(self, "metric", canonical(self.metric))


class Ratio(_Compared, tag="ratio", frozen=True, kw_only=True):
    """``[[claims]]`` about candidate over baseline of a comparison."""


class Gain(_Compared, tag="gain", frozen=True, kw_only=True):
    """``[[claims]]`` about the factor by which the candidate of a comparison is better."""


class _OfCurve(_Numbers, tag_field="about", frozen=True, kw_only=True):
    text: _Text
    source: _Source
    at: _At
    of: str = ""


class Speedup(_OfCurve, tag="speedup", frozen=True, kw_only=True):
    """``[[claims]]`` about the speedup of a curve at a level."""


class Efficiency(_OfCurve, tag="efficiency", frozen=True, kw_only=True):
    """``[[claims]]`` about the efficiency of a curve at a level."""


class Recommended(_Numbers, tag_field="about", tag="recommended", frozen=True, kw_only=True):
    """``[[claims]]`` about the level that a curve recommends."""

    text: _Text
    source: _Source
    of: str = ""
    rule: ClaimRule = "knee"


Claim = Median | Ratio | Gain | Speedup | Efficiency | Recommended | Slowest


def claim_plan(claim: Claim, unit: str) -> ClaimPlan:
    """Return the plan of a claim, its bounds in a unit."""
    bounds = claim.bounds()
    about: About = claim.__struct_config__.tag  # type: ignore[assignment]
    return ClaimPlan(
        text=claim.text,
        source=claim.source,
        about=about,
        of=getattr(claim, "of", ""),
        where=getattr(claim, "where", ""),
        metric=getattr(claim, "metric", ""),
        at=getattr(claim, "at", None),
        rule=getattr(claim, "rule", "knee"),
        low=bounds.low,
        high=bounds.high,
        unit=unit,
        bound=bounds.text,
    )


# --- [latency], [capacity], [describe] --------------------------------------------------------------------------------


class LatencyPlan(TomlTable, frozen=True, kw_only=True):
    """``[latency]``: where the percentiles stand, and the rows whose time or mean latency goes with them."""

    where: str = ""
    mean: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityPlan:
    """What a study asks of capacity; what is None, 0 or empty was not said."""

    target: Target | None
    limit: Limit | None
    headroom: float
    survive: int
    nodes: tuple[NodePlan, ...]
    growth: Growth | None
    #: The month of the target, such as ``2026-11``.
    start: str
    currency: str
    mix: Mapping[str, float]


class Capacity(TomlTable, frozen=True, kw_only=True):
    """``[capacity]``: what is asked of capacity, in the words of ``benchlib capacity``."""

    target: str = ""
    slo: str = ""
    headroom: _Scalar = 0.0
    survive: _Scalar = 0
    nodes: tuple[str, ...] = ()
    growth: str = ""
    start: str = field(default="", name="from")
    currency: str = ""
    mix: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        self.plan()

    def plan(self) -> CapacityPlan:
        """Return the plan, its words read."""
        with mistaken("target"):
            target = parse_target(self.target)
        with mistaken("slo"):
            limit = parse_limit(self.slo)
        with mistaken("headroom"):
            headroom = parse_headroom(self.headroom)
        with mistaken("survive"):
            survive = parse_survive(self.survive)
        with mistaken("currency"):
            currency = parse_currency(self.currency)
        with mistaken("nodes"):
            nodes = parse_nodes(self.nodes, self.currency)
        with mistaken("growth"):
            growth = parse_growth(self.growth)
        with mistaken("from"):
            start = parse_month(self.start)
        with mistaken("mix"):
            mix = parse_mix(self.mix)
        return CapacityPlan(
            target=target,
            limit=limit,
            headroom=headroom,
            survive=survive,
            nodes=nodes,
            growth=growth,
            start=start,
            currency=currency,
            mix=mix,
        )


class Descriptions(TomlTable, frozen=True, kw_only=True):
    """``[describe]``: what benchmarks and axis levels stand for, in words."""

    benchmarks: dict[str, str] = field(default_factory=dict)
    levels: dict[str, dict[str, str]] = field(default_factory=dict)


# --- the whole file, and the study ------------------------------------------------------------------------------------


class StudyFile(TomlTable, frozen=True, kw_only=True):
    """``study.toml``: what a folder of results is, and what is asked of it."""

    title: str = ""
    question: str = ""
    tested: str = ""
    origin: str = ""
    lead: Lead | tuple[Lead, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    files: Files = Files()
    environment: dict[str, Any] = field(default_factory=dict)
    configuration: Configuration = Configuration()
    formats: tuple[LinesFormat | TableFormat | RecordsFormat, ...] = ()
    scaling: ScalingPlan = ScalingPlan()
    effects: EffectsPlan = EffectsPlan()
    breakdown: tuple[Breakdown, ...] = ()
    compare: tuple[Compare, ...] = ()
    targets: tuple[TargetTable, ...] = ()
    claims: tuple[Claim, ...] = ()
    latency: LatencyPlan = LatencyPlan()
    capacity: Capacity = Capacity()
    describe: Descriptions = Descriptions()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        force_setattr(self, "lead", (self.lead,) if isinstance(self.lead, str) else self.lead)
        force_setattr(self, "environment", _facts(self.environment))
        check_names(self.formats)


def _facts(written: Mapping[str, Any]) -> dict[str, Fact]:
    """Return the facts of ``[environment]``, the known keys first and in their order."""
    facts: dict[str, Fact] = {}
    for key in [*(name for name in FACTS if name in written), *written]:
        value = written[key]
        if isinstance(value, date | time):
            value = value.isoformat()
        if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
            expected = "one fact: text, a finite number, true or false, or a date"
            raise Mistake(f" must be {expected}, found {describe_value(value)}", "environment", key)
        if key == "cores" and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise Mistake(
                f" must be a whole number of at least 1, found {describe_value(value)}", "environment", "cores"
            )
        facts[key] = value
    return facts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """A folder of results, what it is, and what is asked of it.

    Attributes
    ----------
    path : pathlib.Path
        The folder (or the single file) that was opened.
    name : str
        Its last part.
    title, question, tested, origin : str
        In the words of ``study.toml``; the title falls back to the name.
    titled : bool
        Whether ``study.toml`` gave the title.
    lead : tuple of str
        The questions that the executive summary leads with; empty where ``study.toml`` names none.
    notes, commands : tuple of str
    environment : mapping
        Recorded facts, the known ones first and in a fixed order; what is absent was not recorded.
    where : str
        The condition that narrowed `results`; empty where they are the whole.
    whole : Results
        All that was read, before it was narrowed.
    results : Results
    parallel : tuple of str
        Globs of benchmarks whose time per operation is wall time over the operations of parallel work, so that its
        inverse is a throughput.
    scaling : ScalingPlan
    effects : EffectsPlan
    breakdowns : tuple of BreakdownPlan
    comparisons : tuple of ComparisonPlan
    targets : tuple of TargetPlan
    claims : tuple of ClaimPlan
    latency : LatencyPlan
    capacity : CapacityPlan
    descriptions : Descriptions
    definition_sha256 : str
        Hash of ``study.toml``; empty where there is none.
    """

    path: Path
    name: str
    title: str
    titled: bool
    question: str
    tested: str
    origin: str
    lead: tuple[Lead, ...]
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    environment: Mapping[str, Fact]
    where: str
    whole: Results
    results: Results
    parallel: tuple[str, ...]
    scaling: ScalingPlan
    effects: EffectsPlan
    breakdowns: tuple[BreakdownPlan, ...]
    comparisons: tuple[ComparisonPlan, ...]
    targets: tuple[TargetPlan, ...]
    claims: tuple[ClaimPlan, ...]
    latency: LatencyPlan
    capacity: CapacityPlan
    descriptions: Descriptions
    definition_sha256: str
