"""What ``study.toml`` may say, table by table, and the plans that it makes.

Each class below is a table, each field a key: type and default are what is accepted, and `convert` of
`benchlib.toml_lines` refuses everything else with file, line and key. ``__post_init__`` refuses what has the
right type and cannot be meant, and reads what is written in words. What it reads is what a field holds from then on.

Plans hold words, not data: conditions as they were written, names of columns and metrics. An empty tuple or text means
"not stated"; who asks the question chooses what that means.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, cast

from msgspec import Meta, field
from msgspec.structs import asdict, force_setattr

from benchlib.errors import DataError, printable
from benchlib.formats.declared import FormatSpec, check_names
from benchlib.formats.names import NameTemplate, bind
from benchlib.formats.table import TOLERATED
from benchlib.metrics import canonical
from benchlib.results import Results
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
    parse_tolerated,
)
from benchlib.toml_lines import (
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
Lead = Literal["scaling", "comparison", "effects", "latency", "noise"]
#: By what a level of cores can be called the best.
ClaimRule = Literal["knee", "throughput per core", "throughput per added core"]
#: Of which statistic of single operations a claim is, where it says so.
ClaimStatistic = Literal["", "mean", "median"]
#: What a claim may be about.
About = Literal["median", "ratio", "gain", "speedup", "efficiency", "recommended", "slowest"]

_Number = Annotated[float, Meta(ge=-HUGE, le=HUGE, description="a number, e.g. 0.9")]
_Level = Annotated[Level, Meta(description="one level of the factor")]
_Share = Annotated[float, Meta(ge=0, le=1, description="a share from 0 to 1, e.g. 0.3 for 30 %")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlan:
    """Rows that a change cannot have touched."""

    where: str
    #: The rows they were named for; empty for the rows they were recorded in turn with.
    speaks_for: str


if TYPE_CHECKING:  # what `__post_init__` makes of a field
    _Leads = tuple["Lead", ...]
    _Levels = tuple[str, ...]
    _Controls = tuple[ControlPlan, ...]
    _Target = Target | None
    _Limit = Limit | None
    _Growth = Growth | None
    _Nodes = tuple[NodePlan, ...]
    _Headroom = float
    _Tolerated = float
    _Survive = int
    _Mix = Mapping[str, float]
else:  # what is written
    _Leads = Lead | tuple[Lead, ...]
    _Levels = Annotated[
        Level | tuple[Level, ...],
        Meta(description='a level or a list of levels, e.g. "old" or ["a", "b"]'),
    ]
    _Controls = _Nodes = tuple[str, ...]
    _Target = _Limit = _Growth = str
    _Headroom = _Survive = _Tolerated = Annotated[Level, Meta(description="a text or a number")]
    _Mix = dict[str, Any]


class _Question(TomlTable, frozen=True, kw_only=True):
    """A table that asks: its metrics have their canonical names."""

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        for key, value in asdict(self).items():
            if key == "metric":
                _set(self, metric=canonical(value))
            elif key == "metrics":
                _set(self, metrics=tuple(map(canonical, value)))


def _set(table: TomlTable, **read: object) -> None:
    """Put what was read of some fields in the place of what was written."""
    for key, value in read.items():
        force_setattr(table, key, value)


# --- [files], [configuration] -----------------------------------------------------------------------------------------


class Files(TomlTable, frozen=True, kw_only=True):
    """``[files]``: which files of the folder are no results."""

    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        for number, pattern in enumerate(self.exclude):
            check_inside(pattern, "exclude", number)


class Failures(TomlTable, frozen=True, kw_only=True):
    """``[failures]``: which failures are wanted, and which share of operations may fail before a value is set apart."""

    #: Statuses (``429``, ``4xx``) and words that are no failure in this study.
    expected: tuple[str, ...] = ()
    tolerated: _Tolerated = TOLERATED

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        check_texts(self.expected, "expected")
        _set(self, tolerated=_read("tolerated", parse_tolerated, self.tolerated))


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

    ``runs`` names the axes that count repeats, the outermost first, such as day, round and process: they tell values
    apart that may share noise, and are no factors. ``parallel`` holds globs of benchmarks whose time per operation is
    wall time over the operations of parallel work, so that its inverse is a throughput. ``versions`` names the column
    of versions of the code, whose values are a history and no repeats.
    """

    paths: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    runs: tuple[str, ...] = ()
    parallel: tuple[str, ...] = ()
    versions: str = ""

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

    @property
    def axes_of_names(self) -> tuple[str, ...]:
        """The axes that names of benchmarks state: benchstat knows none of them."""
        return tuple(axis for name in self.names for axis in bind(name.template).axes)


# --- [scaling] --------------------------------------------------------------------------------------------------------


class CurvePlan(_Question, frozen=True, kw_only=True):
    """``[[scaling.curves]]``: the rows of a condition, seen through one metric."""

    name: str = ""
    where: str = ""
    metric: Annotated[str, required("throughput")]
    #: Whether work grows as concurrency does, on this curve and no other.
    weak: bool = False

    def __post_init__(self) -> None:
        _Question.__post_init__(self)
        _set(self, name=self.name or self.metric)


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
    #: The axis that says how much there was to do where that grows with concurrency; throughput is it by time then.
    work: str = ""
    same_work: bool = False
    #: Empty for one curve per level of `by`.
    curves: tuple[CurvePlan, ...] = ()
    exclusions: tuple[Exclusion, ...] = field(default=(), name="exclude")


# --- [effects], [[breakdown]] -----------------------------------------------------------------------------------------


class EffectsPlan(_Question, frozen=True, kw_only=True):
    """``[effects]``: which factors are to explain which metrics, in which rows.

    ``baselines`` are the levels that the others of a factor are held against.
    """

    factors: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("time",)
    by: tuple[str, ...] = ("benchmark",)
    where: str = ""
    baselines: dict[str, _Level] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _Question.__post_init__(self)
        for name in self.baselines:
            if name not in self.factors:
                raise Mistake(" is no factor; add it to factors", "baselines", name)


class Breakdown(_Question, frozen=True, kw_only=True):
    """``[[breakdown]]``: a benchmark whose work contains that of others; shares are of the whole, 0 to 1."""

    name: str = ""
    whole: Annotated[str, required("Sender")]
    parts: tuple[str, ...] = ()
    estimated: dict[str, _Share] = field(default_factory=dict)
    profile: str = ""
    where: str = ""
    metrics: tuple[str, ...] = ("time",)
    by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _Question.__post_init__(self)
        _set(self, name=self.name or self.whole)
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


class BreakdownPlan(Breakdown, frozen=True, kw_only=True):
    """A breakdown, and what its profile says."""

    #: The share of each package in the profile, largest first; empty without one.
    profiled: dict[str, float] = field(default_factory=dict)


# --- [[compare]] ------------------------------------------------------------------------------------------------------


def read_control(text: str) -> ControlPlan:
    """Split a control such as ``pkg=*/filter for pkg=*/pgn``."""
    where, _, named = f" {text} ".partition(" for ")
    return ControlPlan(where=where.strip(), speaks_for=named.strip())


#: What a pattern of Go packages may hold: the letters of import paths, and ``...`` for any text.
_PACKAGES = re.compile(r"[\w.~+/-]+")


def package_glob(pattern: str) -> str:
    """Write a pattern of Go packages as one of a condition: ``x/...`` is x and all below it, else ``...`` is any text.

    Source: ``go help packages``.

    Examples
    --------
    >>> package_glob("example.com/m/store/..."), package_glob(".../store")
    ('example.com/m/store,example.com/m/store/*', '*/store')
    """
    glob = pattern.replace("...", "*")
    return f"{glob.removesuffix('/*')},{glob}" if glob.endswith("/*") else glob


def _untouched(changed: Sequence[str]) -> tuple[ControlPlan, ...]:
    """Return the control of a change's packages that all others are; none where no change was named."""
    for number, pattern in enumerate(changed):
        if not _PACKAGES.fullmatch(pattern):
            shown = printable(pattern, 60)
            raise Mistake(f": '{shown}' is no package; write its import path, e.g. '.../store/...'", "changed", number)
    if not changed:
        return ()
    touched = ",".join(map(package_glob, changed))
    control = ControlPlan(where=f"pkg!={touched} pkg=*", speaks_for=f"pkg={touched}")
    check_condition(control.where, "changed")
    return (control,)


class ComparisonTable(_Question, frozen=True, kw_only=True):
    """``[[compare]]``: levels of one column set against each other."""

    name: str = ""
    question: str = ""
    column: Annotated[str, required("run")]
    #: Several make as many comparisons.
    baselines: _Levels = field(default=(), name="baseline")
    #: Empty for every level that is not a baseline.
    candidates: _Levels = ()
    where: str = ""
    #: Empty for every metric that both sides have.
    metrics: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    controls: _Controls = ()
    #: Go packages that the change can affect; the rows of all others are one more control.
    changed: tuple[str, ...] = ()
    #: Whether one side was recorded after the other; None where not recorded.
    sequential: bool | None = None
    #: Whether both sides do the same work: only then is one of them better.
    same_work: bool = True

    def __post_init__(self) -> None:
        _Question.__post_init__(self)
        baselines, candidates = _level_words(self.baselines), _level_words(self.candidates)
        check_texts(baselines, "baseline")
        check_texts(candidates, "candidates")
        if not baselines:
            raise Mistake(f" is missing; name a level of '{printable(self.column, 60)}'", "baseline")
        for level in candidates:
            if level in baselines:
                raise Mistake(f" names '{printable(level, 60)}', which is the baseline; choose one", "candidates")
        controls = tuple(map(read_control, map(str, self.controls)))
        for number, control in enumerate(controls):
            check_condition(control.where, "controls", number)
            check_condition(control.speaks_for, "controls", number)
        name = self.name or f"{self.column}: {', '.join(baselines)}"
        controls += _untouched(self.changed)
        _set(self, name=name, baselines=baselines, candidates=candidates, controls=controls)


class ComparisonPlan(ComparisonTable, frozen=True, kw_only=True):
    """A comparison of a study or of a command, which checks its own words."""

    #: Whether runs are no repeats of each other, so that a cell says so where it pools them.
    runs_differ: bool = False

    def __post_init__(self) -> None:
        """Leave all as it is: a table was read and checked before."""


def _level_words(written: Level | tuple[Level, ...]) -> tuple[str, ...]:
    """Return levels as they stand in the results: 32 whether written as 32 or 32.0."""
    listed = written if isinstance(written, tuple) else (written,)
    return tuple(level if isinstance(level, str) else f"{level:g}" for level in listed)


# --- [[targets]], [[claims]] ------------------------------------------------------------------------------------------


class _Bounds(NamedTuple):
    """A range: in base units, the unit, and as it was written; None where a side is open."""

    low: float | None
    high: float | None
    unit: str
    text: str


class _Bounded(_Question, frozen=True, kw_only=True):
    """A table with bounds: ``at_least``, ``at_most`` or both, or ``between`` two of them."""

    def __post_init__(self) -> None:
        _Question.__post_init__(self)
        self._bounds()

    @property
    def low(self) -> float | None:
        """The lower bound in its base unit; None where this side is open."""
        return self._bounds().low

    @property
    def high(self) -> float | None:
        """The upper bound."""
        return self._bounds().high

    @property
    def unit(self) -> str:
        """The base unit of the bounds; nothing for a bare number."""
        return self._bounds().unit

    @property
    def bound(self) -> str:
        """The bounds as they were written: ``at most 8 ns``."""
        return self._bounds().text

    def is_in(self, unit: str) -> bool:
        """Tell whether the bounds are of a unit: ``8 ns`` may bound a time per operation, people leave "/op" away."""
        return self.unit in (unit, unit.partition("/")[0])

    def _bounds(self) -> _Bounds:
        written = asdict(self)
        sides = {key: _read_bound(key, written[key]) for key in ("at_least", "at_most") if written[key] is not None}
        between = [_read_bound("between", value) for value in written["between"]]
        units = sorted({bound.unit for bound in (*sides.values(), *between)})
        if len(units) > 1:
            named = " and ".join(f"'{printable(unit)}'" for unit in units)
            raise Mistake(f": the bounds have two units, {named}; use one", "between" if between else "at_most")
        if between and sides:
            raise Mistake(" stands beside another bound; keep one", "between")
        if between and len(between) != 2:
            example = '"1 ms", "2 ms"' if between[0].unit else "0.9, 1.1"
            raise Mistake(f" needs two bounds, e.g. [{example}]; found {len(between)}", "between")
        if not between and not sides:
            raise Mistake(" needs at_most, at_least or between")
        low, high = sides.get("at_least"), sides.get("at_most")
        text = " and ".join(f"{key.replace('_', ' ')} {bound.text}" for key, bound in sides.items())
        if between:
            low, high = between
            text = f"between {between[0].text} and {between[1].text}"
        if low and high and low.value > high.value:
            key = "between" if between else "at_most"
            raise Mistake(f": nothing can be {printable(text, 80)}; exchange the bounds", key)
        return _Bounds(low.value if low else None, high.value if high else None, units[0], text)


class _Bound(NamedTuple):
    value: float
    unit: str
    text: str


def _read_bound(key: str, written: str | float) -> _Bound:
    """Read a quantity such as ``8 ns``, or a bare number: a factor, a share, a level."""
    if not isinstance(written, str):
        return _Bound(written, "", f"{written:g}")
    with mistaken(key):
        return _Bound(*parse_quantity(written), written)


class TargetPlan(_Bounded, frozen=True, kw_only=True):
    """``[[targets]]``: a metric, and the bound or range it is to keep."""

    json_fields: ClassVar = ("name", "where", "metric", "low", "high", "unit", "bound")
    name: str = ""
    where: str = ""
    metric: Annotated[str, required("time")]
    at_least: str | None = None
    at_most: str | None = None
    between: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _Bounded.__post_init__(self)
        _set(self, name=self.name or f"{self.metric} {self.bound}")


class ClaimPlan(_Bounded, tag_field="about", frozen=True, kw_only=True):
    """``[[claims]]``: a sentence of an earlier report, where it was said, and what has to hold if it is right.

    Each kind below says by fields what it is about; what it has no field for says nothing.
    """

    json_fields: ClassVar = (
        "text", "source", "about", "paraphrased", "of", "where", "metric", "statistic", "at", "rule", "low", "high",
        "unit", "bound",
    )  # fmt: skip
    text: Annotated[str, required("scales linearly to 8 cores")]
    source: Annotated[str, required("report of 2026-03-31")]
    #: Whether the text is not the source's own: else it is quoted.
    paraphrased: bool = False

    @property
    def about(self) -> About:
        """What kind of claim this is."""
        return cast("About", self.__struct_config__.tag)

    @property
    def of(self) -> str:
        """The comparison or curve; empty for all of them."""
        return ""

    @property
    def where(self) -> str:
        """The rows; empty for all of them."""
        return ""

    @property
    def metric(self) -> str:
        """The metric; empty for every one that is compared."""
        return ""

    @property
    def statistic(self) -> ClaimStatistic:
        """What is claimed of single operations: a mean over operations says nothing of their median."""
        return ""

    @property
    def at(self) -> float | None:
        """A level of concurrency."""
        return None

    @property
    def rule(self) -> ClaimRule:
        """By which the recommended level is the best."""
        return "knee"


class _OfQuantity(ClaimPlan, frozen=True, kw_only=True):
    at_least: str | None = None
    at_most: str | None = None
    between: tuple[str, ...] = ()


class _OfNumber(ClaimPlan, frozen=True, kw_only=True):
    at_least: _Number | None = None
    at_most: _Number | None = None
    between: Annotated[tuple[_Number, ...], Meta(description="two numbers, e.g. [0.9, 1.1]")] = ()


class Median(_OfQuantity, tag="median", frozen=True, kw_only=True):
    """A claim about the median of a metric."""

    metric: Annotated[str, required("time")]
    statistic: ClaimStatistic = ""
    where: str = ""


class Slowest(_OfQuantity, tag="slowest", frozen=True, kw_only=True):
    """A claim about the least that the slowest requests take on average."""

    where: str = ""

    def __post_init__(self) -> None:
        _Bounded.__post_init__(self)
        if self.unit != "sec":
            raise Mistake(f": the bound '{printable(self.bound, 80)}' is no time; write it like '2 ms'")


class Ratio(_OfNumber, tag="ratio", frozen=True, kw_only=True):
    """A claim about candidate over baseline of a comparison."""

    of: str = ""
    metric: str = ""
    where: str = ""


class Gain(Ratio, tag="gain", frozen=True, kw_only=True):
    """A claim about the factor by which the candidate of a comparison is better."""


class Speedup(_OfNumber, tag="speedup", frozen=True, kw_only=True):
    """A claim about the speedup of a curve at a level."""

    at: Annotated[float, Meta(ge=-HUGE, le=HUGE, description="a level of concurrency, e.g. 8", examples=[8])]
    of: str = ""


class Efficiency(Speedup, tag="efficiency", frozen=True, kw_only=True):
    """A claim about the efficiency of a curve at a level."""


class Recommended(_OfNumber, tag="recommended", frozen=True, kw_only=True):
    """A claim about the level that a curve recommends."""

    of: str = ""
    rule: ClaimRule = "knee"


Claim = Median | Ratio | Gain | Speedup | Efficiency | Recommended | Slowest


# --- [latency], [capacity], [describe] --------------------------------------------------------------------------------


class LatencyPlan(TomlTable, frozen=True, kw_only=True):
    """``[latency]``: where the percentiles stand, and the rows whose time or mean latency goes with them."""

    where: str = ""
    mean: str = ""


class CapacityPlan(TomlTable, frozen=True, kw_only=True):
    """``[capacity]``: what is asked of capacity, in the words of ``benchlib capacity``; None or empty: not said."""

    target: _Target = None
    limit: _Limit = field(default=None, name="slo")
    headroom: _Headroom = 0.0
    survive: _Survive = 0
    nodes: _Nodes = ()
    growth: _Growth = None
    #: The month of the target, such as ``2026-11``.
    start: str = field(default="", name="from")
    currency: str = ""
    mix: _Mix = field(default_factory=dict)
    #: Whether target and prices are made up to show a plan, so that a reader is told so.
    example: bool = False

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        _set(
            self,
            target=_read("target", parse_target, self.target),
            limit=_read("slo", parse_limit, self.limit),
            headroom=_read("headroom", parse_headroom, self.headroom),
            survive=_read("survive", parse_survive, self.survive),
            currency=_read("currency", parse_currency, self.currency),
            nodes=_read("nodes", partial(parse_nodes, currency=self.currency), self.nodes),
            growth=_read("growth", parse_growth, self.growth),
            start=_read("from", parse_month, self.start),
            mix=_read("mix", parse_mix, self.mix),
            example=self.example,
        )


def _read(key: str, parse: Callable[[Any], object], written: object) -> object:
    """Return what the words of a key mean; where a plan is copied, they are read already."""
    word = written[0] if isinstance(written, tuple) and written else written
    if isinstance(word, Target | Limit | Growth | NodePlan | None):
        return written
    with mistaken(key):
        return parse(written)


class Descriptions(TomlTable, frozen=True, kw_only=True):
    """``[describe]``: what benchmarks and axis levels stand for, in words."""

    benchmarks: dict[str, str] = field(default_factory=dict)
    levels: dict[str, dict[str, str]] = field(default_factory=dict)


# --- the whole file, and the study ------------------------------------------------------------------------------------


class StudyFile(TomlTable, frozen=True, kw_only=True):
    """``study.toml``: what a folder of results is, and what is asked of it."""

    title: str = ""
    question: str = ""
    #: The author's own sentences, their numbers in braces; shown while every condition of `answer_if` holds.
    answer: str = ""
    decision: str = ""
    answer_if: tuple[str, ...] = ()
    tested: str = ""
    origin: str = ""
    lead: _Leads = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    files: Files = Files()
    failures: Failures = Failures()
    environment: dict[str, Any] = field(default_factory=dict)
    configuration: Configuration = Configuration()
    formats: tuple[FormatSpec, ...] = ()
    scaling: ScalingPlan = ScalingPlan()
    effects: EffectsPlan = EffectsPlan()
    breakdown: tuple[Breakdown, ...] = ()
    compare: tuple[ComparisonTable, ...] = ()
    targets: tuple[TargetPlan, ...] = ()
    claims: tuple[Claim, ...] = ()
    latency: LatencyPlan = LatencyPlan()
    capacity: CapacityPlan = CapacityPlan()
    describe: Descriptions = Descriptions()

    def __post_init__(self) -> None:
        TomlTable.__post_init__(self)
        lead: object = self.lead
        _set(self, lead=(lead,) if isinstance(lead, str) else lead, environment=_facts(self.environment))
        check_names(self.formats)
        for key in ("answer", "decision"):
            with mistaken(key):
                parse_sentence(getattr(self, key))
        for number, condition in enumerate(self.answer_if):
            with mistaken("answer_if", number):
                parse_condition(condition)


def _facts(written: Mapping[str, Any]) -> dict[str, Fact]:
    """Return the facts of ``[environment]``, the known keys first and in their order."""
    facts: dict[str, Fact] = {}
    for key in [*(name for name in FACTS if name in written), *written]:
        value = written[key]
        expected = ""
        if not isinstance(value, Fact | date | time) or (isinstance(value, float) and not math.isfinite(value)):
            expected = "one fact: text, a finite number, true or false, or a date"
        elif key == "cores" and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            expected = "a whole number of at least 1"
        if expected:
            raise Mistake(f" must be {expected}, found {describe_value(value)}", "environment", key)
        facts[key] = value.isoformat() if isinstance(value, date | time) else value
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
    title, question, answer, decision, tested, origin : str
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
    blocks : tuple of str
        What the parts of a run's name stand for, the outermost first: ``("day", "round")`` of ``2026-11-25/3``;
        ``("run",)`` where study.toml names no `runs`.
    configuration : Configuration
        What names of files and benchmarks say, by study.toml, or as read where it says nothing of them.
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
    versions : str
        The column that names versions of the code, which are no repeats; empty where there is none.
    meant : tuple of str
        What was taken to be asked, and why, where there is no ``study.toml``.
    definition_sha256 : str
        Hash of ``study.toml``; empty where there is none.
    """

    path: Path
    name: str
    title: str
    titled: bool
    question: str
    answer: str
    decision: str
    answer_if: tuple[str, ...]
    tested: str
    origin: str
    lead: tuple[Lead, ...]
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    environment: Mapping[str, Fact]
    where: str
    whole: Results
    results: Results
    blocks: tuple[str, ...]
    configuration: Configuration
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
    versions: str
    meant: tuple[str, ...]
    definition_sha256: str


# The author's own sentences and their conditions: read when a study is opened, so that a slip stops it.


_FIELD = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
_CONDITION = re.compile(r"\s*([\w.]+)\s*(<=|>=|<|>)\s*(.+?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A value of the answers in a sentence: ``digits`` is 0, and ``bare`` False, where it is written as ever."""

    name: str
    digits: int
    bare: bool


def parse_sentence(sentence: str) -> tuple[str | Named, ...]:
    """Part a sentence into words and the values that it names.

    Examples
    --------
    >>> parse_sentence("It takes {serve.p99:2}.")
    ('It takes ', Named(name='serve.p99', digits=2, bare=False), '.')
    """
    pieces: list[str | Named] = []
    end = 0
    for match in _FIELD.finditer(sentence):
        pieces += [sentence[end : match.start()], _named(match[1].strip(), match[2] or "")]
        end = match.end()
    pieces.append(sentence[end:])
    if any(set(piece) & set("{}") for piece in pieces if isinstance(piece, str)):
        raise DataError("a brace names no value; write {name}, or leave braces out")
    return tuple(piece for piece in pieces if piece != "")


def _named(name: str, form: str) -> Named:
    digits, bare = 0, False
    for word in form.split():
        if word == "number":
            bare = True
        elif word in ("1", "2", "3", "4"):
            digits = int(word)
        else:
            raise DataError(f"'{printable(word, 20)}' is no form of a value; write number, or 1 to 4 digits")
    return Named(name=name, digits=digits, bare=bare)


def parse_condition(condition: str) -> tuple[str, str, str]:
    """Return the name of a value, how it is compared, and with what.

    Examples
    --------
    >>> parse_condition("cheap.rate > 90000")
    ('cheap.rate', '>', '90000')
    """
    match = _CONDITION.fullmatch(condition)
    if not match:
        raise DataError(f"'{printable(condition, 60)}' is no condition; write name > 90000")
    return match[1], match[2], match[3]
