"""What a comparison warns of: the order of recording, signs that the machine moved, what it could not see."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.controls import ControlAnswer
from benchlib.answers.grouping import axes_of, cells, label, plain, residue
from benchlib.answers.pairing import PairedCells, moved_by_machine
from benchlib.answers.verdicts import RECORDINGS, Order, Ruling
from benchlib.caveats import Caveat, caveat, merge
from benchlib.errors import choices, printable
from benchlib.statistics.drift import within_run_trends
from benchlib.statistics.samples import far_values
from benchlib.statistics.verdicts import Judgement, at_most, benjamini_hochberg
from benchlib.study import ComparisonPlan
from benchlib.units import asked_share, percent, show

#: What readers and configuration lines of results call the facts of machine and toolchain.
MACHINE_FACTS = (
    "machine", "host", "hostname", "cpu", "cores", "gomaxprocs", "goos", "goarch", "os", "arch", "kernel", "governor",
    "go", "goversion", "go_version", "go-version", "toolchain", "compiler", "gogc", "gomemlimit", "cgo",
    "python", "java", "jdk", "jvm", "node", "rust", "rustc", "build",
)  # fmt: skip
#: A trend of all samples of a side together, or of some by themselves, is told below this p value.
_TREND_PVALUE = 0.01
#: Beyond this many values a sample, no trend is looked for.
_MOST_FOR_TREND = 2000
#: A trend of all samples together is told where the change in the middle is at least this.
_LEAST_TREND = 0.02
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordedSide:
    """The samples of one side that a machine moves.

    Attributes
    ----------
    name : str
    values : numpy.ndarray, shape (total,)
        Sample after sample, each in order of recording.
    starts : numpy.ndarray of int, shape (r + 1,)
        Where each sample begins, and after the last where it ends.
    label : callable
        From the place of a sample to its name.
    """

    name: str
    values: _Floats
    starts: NDArray[np.intp]
    label: Callable[[int], str]

    @property
    def samples(self) -> int:
        """How many there are."""
        return self.starts.size - 1

    def tables(self) -> Iterator[tuple[NDArray[np.intp], _Floats]]:
        """Yield the samples by their number of values: their places, and one table of them."""
        sizes = np.diff(self.starts)
        for n in np.unique(sizes[sizes > 0]).tolist():
            places = np.flatnonzero(sizes == n)
            yield places, self.values[self.starts[places][:, None] + np.arange(n)]


def recorded_sides(paired: PairedCells) -> tuple[RecordedSide, ...]:
    """Return the samples of each side that a machine moves, each once however often it is compared."""
    moved = moved_by_machine(paired.units)
    pairs = paired.pairs
    both = (
        (pairs.baseline, pairs.baseline_starts, paired.baseline_rows),
        (pairs.candidate, pairs.candidate_starts, paired.candidate_rows),
    )
    samples_by_side: dict[str, list[tuple[_Floats, int, int]]] = {}
    for which, (values, starts, places) in enumerate(both):
        for number, names in enumerate(paired.sides):
            rows = np.flatnonzero((paired.side == number) & moved)
            samples_by_side.setdefault(names[which], []).extend(
                (values[starts[row] : starts[row + 1]], int(places[starts[row]]), row) for row in rows.tolist()
            )
    return tuple(_side(paired, name, samples) for name, samples in samples_by_side.items())


def _side(paired: PairedCells, name: str, samples: Sequence[tuple[_Floats, int, int]]) -> RecordedSide:
    # A sample is known by its first value: a baseline stands in a row for each of its candidates.
    once = {place: (values, row) for values, place, row in reversed(samples)}
    samples_once = [once[place] for place in sorted(once)]
    return RecordedSide(
        name=name,
        values=np.concatenate([values for values, _ in samples_once]) if samples_once else np.empty(0),
        starts=np.cumsum([0, *(values.size for values, _ in samples_once)], dtype=np.intp),
        label=lambda sample: (
            f"{label(paired.key(samples_once[sample][1]))} ({paired.metrics[samples_once[sample][1]]})"
        ),
    )


def sample_caveats(sides: Sequence[RecordedSide], order: Order) -> tuple[Caveat, ...]:
    """Return what the values of all sides say of the machine: at most one caveat a kind."""
    return merge(trend_caveats(sides, order), outlier_caveats(sides))


def trend_caveats(sides: Sequence[RecordedSide], order: Order = "unknown") -> tuple[Caveat, ...]:
    """Say which sides rise or fall while they are recorded.

    Either all samples of a side together (`_TREND_PVALUE`, and `_LEAST_TREND` in the middle) or some by themselves
    (Benjamini-Hochberg at `_TREND_PVALUE`). Samples that only scatter are said to have a trend in at most 2 of 100
    sides. Interleaved sides meet the same trend, so that nothing is said of them.
    """
    if order == "interleaved":
        return ()
    trends = [words for side in sides if (words := _trend(side))]
    return (caveat("trend-in-run", "; ".join(trends)),) if trends else ()


def _trend(side: RecordedSide) -> str:
    if side.starts.size > 1 and int(np.diff(side.starts).max()) > _MOST_FOR_TREND:
        return ""  # every pair of values is looked at: 20,000 values would take 3 GB
    trends = within_run_trends(side.values, side.starts)
    with np.errstate(invalid="ignore"):
        logs = np.log1p(trends.change)
    known = np.isfinite(logs)
    if not known.any():
        return ""
    middle = float(np.median(logs[known]))
    upwards = trends.rising > trends.falling
    own = known & (benjamini_hochberg(trends.pvalue) <= _TREND_PVALUE) & (np.abs(logs) >= np.log1p(_LEAST_TREND))
    together = trends.combined_pvalue <= _TREND_PVALUE and (middle if upwards else -middle) >= np.log1p(_LEAST_TREND)
    if not (together or own.any()):
        return ""
    shown = np.where(own if own.any() else known, logs, 0.0)
    most = int(np.argmax((shown if upwards else -shown) if together else np.abs(shown)))
    farthest = f"{side.label(most)} {_moved(float(logs[most]))}"
    if trends.tested == 1:
        return f"{farthest} from the first value to the last of {side.name}"
    if together:
        more, fewer = ("rise", "fall") if upwards else ("fall", "rise")
        counts = sorted((trends.rising, trends.falling), reverse=True)
        return (
            f"{counts[0]} of {trends.tested} rows {more} during {side.name} and {counts[1]} {fewer}, by "
            f"{percent(abs(float(np.expm1(middle))))} from first to last in the middle; {farthest}"
        )
    return f"{int(own.sum())} of {trends.tested} rows rise or fall steadily during {side.name}; {farthest}"


def _moved(log_change: float) -> str:
    return f"{'rises' if log_change > 0 else 'falls'} by {percent(abs(float(np.expm1(log_change))))}"


def outlier_caveats(sides: Sequence[RecordedSide]) -> tuple[Caveat, ...]:
    """Say how many samples hold values far outside, and name the one with the farthest."""
    tested, count, farthest, words = 0, 0, 0.0, ""
    for side in sides:
        for places, table in side.tables():
            outliers = far_values(table)
            tested, count = tested + outliers.tested, count + int((outliers.count > 0).sum())
            away = np.where(outliers.count > 0, np.abs(np.log(outliers.farthest)), 0.0)
            most = int(away.argmax())
            if away[most] > farthest:
                farthest = float(away[most])
                words = (
                    f"{side.label(int(places[most]))} in {side.name}: a value of "
                    f"{show(float(outliers.farthest[most]), 'x')} its median"
                )
    if not count:
        return ()
    # One sample is named by itself; of several the farthest.
    message = f"holds values far outside, {words}" if count == 1 else f"hold values far outside, most {words}"
    return (caveat("outliers", f"{count} of {tested} samples {message}"),)


def machine_facts(rows: pd.DataFrame, leave_out: Collection[str] = ()) -> dict[str, str]:
    """Return what rows of a tidy table state of machine and toolchain, several levels joined by commas."""
    known = {axis.lower(): axis for axis in map(str, rows.columns) if axis not in leave_out}
    facts = {}
    for fact in MACHINE_FACTS:
        if fact in known and rows[known[fact]].notna().any():
            levels = rows[known[fact]].dropna().unique().tolist()
            facts[known[fact]] = ", ".join(printable(str(plain(level))) for level in levels)
    return facts


def environment_caveats(machines: Mapping[str, Mapping[str, str]]) -> tuple[Caveat, ...]:
    """Say which facts of the machine differ between sides; a side that does not state one is not held to differ."""
    differences = []
    for fact in dict.fromkeys(fact for facts in machines.values() for fact in facts):
        sides: dict[str, list[str]] = {}
        for name, facts in machines.items():
            if fact in facts:
                sides.setdefault(facts[fact], []).append(name)
        if len(sides) > 1:
            differences.append(
                f"{fact} is " + ", ".join(f"{level} in {choices(names, 3)}" for level, names in sides.items())
            )
    return (caveat("environment-differs", "; ".join(differences)),) if differences else ()


def _comparison_caveats(
    paired: PairedCells,
    judged: Judgement,
    ruling: Ruling,
    controls: Sequence[ControlAnswer],
    alike: Sequence[str],
    *,
    machines: Mapping[str, Mapping[str, str]],
    plan: ComparisonPlan,
    by: Sequence[str],
    order: Order,
    significance_level: float,
) -> tuple[Caveat, ...]:
    """Return everything that a comparison warns of, most serious first."""
    return merge(
        _order(paired, order, plan),
        (_moved_caveat(control) for control in controls if control.moved),
        _alike(alike),
        _drifted(ruling),
        _power(judged, significance_level),
        _fixed_cost(paired, ruling),
        environment_caveats(machines) if plan.column in RECORDINGS else (),
        sample_caveats(recorded_sides(paired), order) if plan.column in RECORDINGS else (),
        _confounded(paired.frame, by, plan.column),
        residue(
            paired.frame,
            [*by, plan.column, "metric"],
            plan.ignore,
            beside=("run", "benchmark") if plan.runs_differ else ("benchmark",),
        ),
        _one_sided(paired.missing),
    )


def _order(paired: PairedCells, order: Order, plan: ComparisonPlan) -> tuple[Caveat, ...]:
    first, second = paired.sides[0]
    recordings = plan.column in RECORDINGS
    # Benchmarks of one file follow one another as a rule; whole recordings do where the study says so.
    if order == "sequential" and (recordings or plan.sequential):
        return (
            caveat(
                "sequential-runs",
                f"{first} and {second} were recorded one after the other: "
                "a change of the machine in between looks like a change of the code",
            ),
        )
    if order == "unknown" and recordings:
        return (
            caveat("order-unknown", f"nothing in the recordings says whether {first} and {second} were taken in turn"),
        )
    return ()


def _moved_caveat(control: ControlAnswer) -> Caveat:
    """Return what is warned of where a control moved."""
    return caveat(
        "controls-moved",
        f"{control.moved} of {control.rows} comparisons that the change cannot affect ({control.condition}) differ "
        f"significantly in {control.metric}, by {control.middle:.2f}x in the middle; {_further(control)}",
    )


def _further(control: ControlAnswer) -> str:
    if not math.isfinite(control.null.low):
        return "one alone does not show how far others would have moved"
    low, high = math.exp(control.null.low), math.exp(control.null.high)
    return f"the machine alone moves code by {low:.2f}x to {high:.2f}x, so changes within that mean nothing"


def _alike(alike: Sequence[str]) -> tuple[Caveat, ...]:
    if not alike:
        return ()
    return (
        caveat(
            "all-moved-alike",
            f"{'; '.join(alike)}: so many rows going one way say the machine as much as the code",
        ),
    )


def _drifted(ruling: Ruling) -> tuple[Caveat, ...]:
    rows = int((ruling.reason == "moved while recorded").sum())
    if not rows:
        return ()
    whose = "the values of 1 row" if rows == 1 else f"the values of {rows:,} rows"
    return (
        caveat(
            "moved-while-recorded",
            f"{whose} moved while they were recorded, by enough to make what is between the sides",
        ),
    )


def _power(judged: Judgement, significance_level: float) -> tuple[Caveat, ...]:
    statistics = judged.statistics
    blind = ~at_most(statistics.smallest_pvalue, significance_level)
    if not blind.any():
        return ()
    sizes = np.unique(np.minimum(statistics.baseline_n, statistics.candidate_n)[blind]).tolist()
    message = (
        "no row can show a difference"
        if blind.all()
        else f"{int(blind.sum()):,} of {blind.size:,} rows cannot show a difference"
    )
    return (
        caveat(
            "cannot-detect",
            f"{message} at the {asked_share(significance_level)} level with n = {', '.join(map(str, sizes))} a side, "
            "however large",
        ),
    )


def _fixed_cost(paired: PairedCells, ruling: Ruling) -> tuple[Caveat, ...]:
    names = [label(paired.key(row)) for row in np.flatnonzero(ruling.amortised).tolist()]
    if not names:
        return ()
    return (
        caveat(
            "fixed-cost",
            f"{choices(names, 4)}: memory per operation follows the number of operations, not the code: "
            "a fixed cost is spread over more of them on one side",
        ),
    )


def _confounded(frame: pd.DataFrame, by: Sequence[str], column: str) -> tuple[Caveat, ...]:
    """Axes that differ between the sides as well: the comparison cannot tell them from its own."""
    if column == "benchmark":
        return ()  # two benchmarks differ in what they do; that is the question
    differing = {}
    for axis in axes_of(frame):
        if axis == column or axis in by or axis.lower() in MACHINE_FACTS:
            continue
        sides = {str(key[column]): set(rows[axis].dropna().astype(str)) for key, rows in cells(frame, [column])}
        every = list(sides.values())
        if len(sides) > 1 and not set.intersection(*every) and all(every) and not _tells_the_side(sides):
            differing[axis] = " against ".join(", ".join(sorted(levels)) for levels in every)
    return tuple(
        caveat("environment-differs", f"{axis} differs between the sides as well ({levels})")
        for axis, levels in differing.items()
    )


def _tells_the_side(sides: Mapping[str, Collection[str]]) -> bool:
    """Whether an axis only says which side it is: an address apiece that ends with its name, elsewhere the same."""
    addresses = [(name.removeprefix("/"), level) for name, levels in sides.items() for level in levels]
    if len(addresses) > len(sides) or not all(address.endswith(f"/{name}") for name, address in addresses):
        return False
    return len({address.removesuffix(name) for name, address in addresses}) == 1


def _one_sided(missing: Sequence[str]) -> tuple[Caveat, ...]:
    names = list(dict.fromkeys(missing))
    return (caveat("one-sided-rows", choices(names, 6)),) if names else ()
