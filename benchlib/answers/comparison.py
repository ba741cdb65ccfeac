"""Did it change? Runs, levels of an axis, or benchmarks, side by side.

::

    paths -> sides -> Study with a plan -> pairing -> judge (statistics) -> verdicts -> rows -> ComparisonAnswer
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, Measured, pool
from benchlib.answers.grouping import label, name_caveats, plain
from benchlib.answers.pairing import (
    COUNTS,
    PairedCells,
    _levels_in_order,
    _places_of,
    _run_noise,
    moved_by_machine,
    pair_cells,
    shared_axes,
)
from benchlib.answers.serialise import SCHEMA_VERSION, to_dict
from benchlib.answers.sides import _Side, comparison_study
from benchlib.answers.targets import TargetAnswer
from benchlib.answers.trend import TrendAnswer, trend
from benchlib.answers.verdicts import (
    ControlAnswer,
    Hearing,
    Levels,
    Order,
    Reason,
    Ruling,
    _comparison_caveats,
    blocks_of_rows,
    control_rows,
    machine_facts,
    rule,
)
from benchlib.caveats import Caveat, merge
from benchlib.errors import DataError, SelectionError, choices, printable
from benchlib.metrics import Better
from benchlib.statistics.compare import SampleComparison, Verdict, limits
from benchlib.statistics.estimates import Estimate
from benchlib.statistics.go_math import geometric_mean
from benchlib.statistics.samples import summarise
from benchlib.statistics.verdicts import CANNOT_TELL, VERDICTS, Judgement, check_effect, judge
from benchlib.study import ComparisonPlan, Study, open_study

__all__ = [
    "COUNTS",
    "ROW_NUMBERS",
    "THINGS",
    "ComparisonAnswer",
    "ComparisonRow",
    "compare",
    "compare_study",
    "comparison_document",
    "comparison_records",
    "comparison_study",
    "controls_moved",
]

_DIRECTIONS = {"higher": 1, "lower": -1, None: 0}
#: What a direction of `benchlib.statistics.verdicts.judge` stands for.
_BETTER: dict[int, Better] = {1: "higher", -1: "lower", 0: None}
#: Fields of a row that are columns of the samples' statistics, of the judgement and of the ruling under that name.
_OF_SAMPLES = (
    "baseline_n", "baseline_median", "baseline_low", "baseline_high", "candidate_n", "candidate_median",
    "candidate_low", "candidate_high", "pvalue", "smallest_pvalue", "constant",
)  # fmt: skip
_OF_BOTH = (
    "ratio", "ratio_low", "ratio_high", "difference", "difference_low", "difference_high", "adjusted_pvalue",
)  # fmt: skip
_OF_RULING = ("reason", "detectable", "noticeable", "amortised")
#: What JSON holds of a row, and in which order.
_JSON_FIELDS = (
    "key", "metric", "unit", "better", "baseline", "candidate", "comparison", "adjusted_pvalue",
    "verdict", "own_verdict", "reason", "against_controls", "detectable", "more", "noticeable",
    "amortised", "control", "ratio_by_run", "run_evidence", "baseline_values", "candidate_values",
    "baseline_positions", "candidate_positions", "evidence",
)  # fmt: skip
#: Axes whose levels are other things rather than another place for the same thing.
THINGS = frozenset({"benchmark", "case", "pkg"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowDetails:
    """What is looked up of a row only when somebody asks; the properties of `ComparisonRow` say what each is."""

    comparison: SampleComparison
    against_controls: Estimate | None
    ratio_by_run: Mapping[str, float]
    run_evidence: Mapping[str, Evidence]
    baseline_values: tuple[float, ...]
    candidate_values: tuple[float, ...]
    baseline_positions: tuple[int, ...]
    candidate_positions: tuple[int, ...]
    evidence: Evidence
    repeats: tuple[int, str]
    blocks: int = 0


class ComparisonRow(NamedTuple):
    """One metric of one cell, candidate against baseline: its numbers, and on demand all that is behind them.

    Ends of intervals are infinite where nothing is bounded; NaN stands for a number that there is none of.

    Attributes
    ----------
    key : mapping
        What both sides share.
    better : {"higher", "lower"} or None
        Which way the metric improves; a row of which that is not known is neither better nor worse.
    metric, unit : str
    baseline, candidate : str
        The two levels compared.
    baseline_n, baseline_median, baseline_low, baseline_high : int, float
        How many values, and their median with its interval; the same of the candidate.
    ratio, ratio_low, ratio_high : float
        Candidate over baseline with its interval: of medians or, where rounds or runs hold both sides, the geometric
        mean of the ratios within them (where a value is not above 0, 1 plus the mean difference over the size of the
        baseline's median); NaN to a baseline of 0.
    difference, difference_low, difference_high : float
    pvalue, smallest_pvalue : float
        Of the U test, and the smallest that so many values could reach.
    adjusted_pvalue : float
        How often chance would show so clear a difference in any row of the comparison, by Benjamini and Hochberg
        over all rows that could differ; NaN for the others.
    verdict : {"better", "worse", "same", "cannot tell"}
        After controls and guards.
    own_verdict : {"better", "worse", "same", "cannot tell"}
        What the row says where the machine is taken to have stood still.
    reason : str
        Why `verdict` is not `own_verdict`, or why it is "cannot tell".
    against, against_low, against_high : float
        The ratio over what the controls did; NaN where none speaks for this row.
    detectable : float
        The smallest relative change that this many values would show in 4 runs of 5; infinite where they
        can show none.
    more : int or None
        How many more values a side, or rounds or runs where these are its noise, would decide the row, at the spread
        seen; None where it is decided, or where more of the same would not help.
    noticeable : bool
        Whether the difference may be told as one: its interval leaves 1 out or, where too few
        repeats give no interval, each ratio of `ratio_by_run` exceeds 5 % in its direction; where there are none,
        it exceeds what runs of the same code differ by in this study (5 % where nothing was repeated).
    constant : bool
        Whether all values of both sides are equal.
    amortised : bool
        Whether both sides spend the same in total, so that the difference comes from the number
        of operations alone.
    control : bool
        Whether the change cannot affect this row.
    """

    key: Mapping[str, Any]
    better: Better
    metric: str
    unit: str
    baseline: str
    candidate: str
    baseline_n: int
    baseline_median: float
    baseline_low: float
    baseline_high: float
    candidate_n: int
    candidate_median: float
    candidate_low: float
    candidate_high: float
    ratio: float
    ratio_low: float
    ratio_high: float
    difference: float
    difference_low: float
    difference_high: float
    pvalue: float
    adjusted_pvalue: float
    smallest_pvalue: float
    verdict: Verdict
    own_verdict: Verdict
    reason: Reason
    against: float
    against_low: float
    against_high: float
    detectable: float
    more: int | None
    noticeable: bool
    constant: bool
    control: bool
    amortised: bool
    look_up: Callable[[], RowDetails]

    @property
    def json_fields(self) -> tuple[str, ...]:
        """What JSON holds of a row, and in which order."""
        return _JSON_FIELDS

    @property
    def blocks(self) -> int:
        """How many rounds, or runs a side, the row is judged by; 0 where by its values."""
        return self.look_up().blocks

    @property
    def repeats(self) -> tuple[int, str]:
        """How many repeats a side the row is judged by, and whether they are rounds, runs or values."""
        return self.look_up().repeats

    @property
    def comparison(self) -> SampleComparison:
        """Medians, ratio and difference with their intervals, p value."""
        return self.look_up().comparison

    @property
    def against_controls(self) -> Estimate | None:
        """The ratio over the mean ratio of the controls that speak for this row, with what their spread leaves it."""
        return self.look_up().against_controls

    @property
    def ratio_by_run(self) -> Mapping[str, float]:
        """Candidate over baseline within each run that holds both; empty when runs are compared."""
        return self.look_up().ratio_by_run

    @property
    def run_evidence(self) -> Mapping[str, Evidence]:
        """The rows of each of these runs alone."""
        return self.look_up().run_evidence

    @property
    def baseline_values(self) -> tuple[float, ...]:
        """Values of the baseline in the order of recording, in the unit of the row."""
        return self.look_up().baseline_values

    @property
    def candidate_values(self) -> tuple[float, ...]:
        """Values of the candidate in the order of recording."""
        return self.look_up().candidate_values

    @property
    def baseline_positions(self) -> tuple[int, ...]:
        """Where each value of the baseline stands in the order of recording."""
        return self.look_up().baseline_positions

    @property
    def candidate_positions(self) -> tuple[int, ...]:
        """Where each value of the candidate stands in the order of recording."""
        return self.look_up().candidate_positions

    @property
    def evidence(self) -> Evidence:
        """The measured values of both sides."""
        return self.look_up().evidence


#: The numbers of a row in the order of a table of them.
ROW_NUMBERS = tuple(name for name in ComparisonRow._fields if name not in ("key", "amortised", "look_up"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Geomean:
    """The geometric mean of one metric over the rows of a pair, controls among them.

    Attributes
    ----------
    metric, unit, baseline, candidate : str
    baseline_mean, candidate_mean : float
        Of the medians, in `unit`; NaN where a median is not above 0.
    ratio : float
        Geometric mean of the ratios of the rows.
    rows : int
        That both sides have.
    """

    metric: str
    unit: str
    baseline: str
    candidate: str
    baseline_mean: float
    candidate_mean: float
    ratio: float
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFacts:
    """One side of a comparison: where it came from and on which machine.

    Attributes
    ----------
    name : str
    files : tuple of str
    values : int
    machine : mapping of str to str
        What its results state of machine and toolchain: cpu, goos, goarch, gomaxprocs, kernel, go version.
    """

    name: str
    files: tuple[str, ...]
    values: int
    machine: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonAnswer:
    """One comparison, all its rows.

    Attributes
    ----------
    name, question, column : str
    sides : tuple of SideFacts
        The baselines first.
    rows : sequence of ComparisonRow
        By pair, then metric, then key. Made when they are asked for: 20,000 are normal.
    missing : tuple of str
        Cells that only one side has.
    uncompared : tuple of str
        All of them in a few words: ``19 benchmarks only in old``.
    geomeans : tuple of Geomean
        One a pair and metric with more than one row.
    order : {"interleaved", "sequential", "unknown"}
    controls : tuple of ControlAnswer
    significance_level, confidence_level, min_effect : float
    caveats : tuple of Caveat
        Most serious first.
    """

    name: str
    question: str
    column: str
    sides: tuple[SideFacts, ...]
    rows: Sequence[ComparisonRow]
    missing: tuple[str, ...]
    uncompared: tuple[str, ...]
    geomeans: tuple[Geomean, ...]
    order: Order
    controls: tuple[ControlAnswer, ...]
    significance_level: float
    confidence_level: float
    min_effect: float
    caveats: tuple[Caveat, ...]


def compare(
    *sides: _Side,
    row: str | Sequence[str] = "",
    col: str = "",
    ignore: str | Sequence[str] = "",
    where: str = "",
    baseline: str | Sequence[str] = "",
    candidate: str | Sequence[str] = "",
    metric: str | Sequence[str] = "",
    controls: str | Sequence[str] = (),
    interleaved: bool | None = None,
    history: str = "",
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    min_effect: float = 0.02,
) -> ComparisonAnswer | Refusal:
    """Compare recordings, or levels of a column of one, and say of each benchmark what the data carry.

    Parameters
    ----------
    *sides : Study, str or path
        Recordings, the baseline first: paths, ``name=path``, or studies; the same name twice pools them.
        One alone is compared with itself over the levels of `col`.
    row : str or sequence of str
        Columns whose levels make rows; by default the benchmark and all that tells the cells of a side apart.
        benchstat's ``.fullname``, ``.name`` and ``/key`` are columns here as well, as in `col` and `ignore`.
    col : str
        The column whose levels are compared; by default the recordings.
    ignore : str or sequence of str
        Columns that make no rows of their own: their values are pooled.
    where : str
        Keep only the rows that meet this condition.
    baseline, candidate : str or sequence of str
        Levels of `col`, or names of recordings; by default the first recording against all others.
    metric : str or sequence of str
    controls : str or sequence of str
        Conditions of rows that the change cannot affect, such as ``"pkg=*/filter"``: they speak for rows that were
        recorded in turn with them, or for those named: ``"pkg=*/filter for pkg=*/pgn"``.
    interleaved : bool, optional
        Whether the sides were recorded in turn; by default as the recordings show.
    history : str
        A history that says how far runs of the same code lie apart: a change within that is none.
    significance_level : float
        Bounds the share of false discoveries among rows that are said to differ.
    confidence_level : float
    min_effect : float
        The smallest relative change that matters.

    Returns
    -------
    ComparisonAnswer or Refusal
        A refusal where the sides share nothing.

    Raises
    ------
    InputError
        For a path that cannot be read, and the same recording on two sides.
    SelectionError
        For a column, level or metric that there is not, and conditions that select nothing.
    DataError
        Where one recording is given and no column, and for levels and effects outside their range.

    References
    ----------
    H. B. Mann, D. R. Whitney, Annals of Mathematical Statistics 18 (1947) 50-60 (as benchstat takes it).
    J. L. Hodges, E. L. Lehmann, Annals of Mathematical Statistics 34 (1963) 598-611.
    Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57 (1995) 289-300; Y. Benjamini, D. Yekutieli, JASA 100 (2005) 71-81.
    Verdicts: `benchlib.statistics.verdicts.judge`. Controls: `benchlib.statistics.stability.control_null`.

    Examples
    --------
    >>> answer = compare("data/heavy-read-api-published", col="gateway", baseline="direct", metric="latency_p50")
    >>> [round(row.comparison.ratio.value, 2) for row in answer.rows]
    [1.37, 1.61, 1.67]
    """
    study = comparison_study(
        *sides, row=row, col=col, ignore=ignore, where=where, baseline=baseline, candidate=candidate,
        metric=metric, controls=controls, interleaved=interleaved,
    )  # fmt: skip
    if len(study.comparisons) != 1:
        names = choices([comparison.name for comparison in study.comparisons])
        raise DataError(f"{printable(study.name)} asks several comparisons ({names}); name col, or use compare_study")
    levels = Levels(significance_level, confidence_level, min_effect)
    return _compare_plans(study, levels, history)[0]


def compare_study(
    study: Study,
    *,
    history: str = "",
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    min_effect: float = 0.02,
) -> tuple[ComparisonAnswer | Refusal, ...]:
    """Make every comparison that a study asks for.

    Parameters
    ----------
    study : Study
    history, significance_level, confidence_level, min_effect
        See `benchlib.compare`.

    Returns
    -------
    tuple of ComparisonAnswer or Refusal
        In the order of the study's plans.

    Examples
    --------
    >>> from benchlib.study import open_study
    >>> [answer.name for answer in compare_study(open_study("data/lplex"))]
    ['new against old']
    """
    levels = Levels(significance_level, confidence_level, min_effect)
    return _compare_plans(study, levels, history)


def _compare_plans(study: Study, levels: Levels, history: str) -> tuple[ComparisonAnswer | Refusal, ...]:
    """Make the comparisons of a study; how much runs of the same code differ is measured once for all."""
    check_effect(levels.min_effect)
    plans = study.comparisons
    asking = [plan.metrics for plan in plans if plan.column != "run"]
    # A plan that names no metric asks for all.
    named = () if () in asking else tuple(dict.fromkeys(metric for metrics in asking for metric in metrics))
    noise = _run_noise(study, named) if asking else {}
    past = _past(history) if history else None
    return tuple(_compare_plan(study, plan, noise, levels, past) for plan in plans)


def _past(history: str) -> TrendAnswer:
    """Return what every series of a history did."""
    opened = open_study(history)
    answer = trend(opened)
    if isinstance(answer, Refusal):
        raise DataError(f"{printable(opened.name)}: {answer.reason}; {answer.advice}")
    return answer


def _compare_plan(
    study: Study, plan: ComparisonPlan, noise: Mapping[str, float], judged_by: Levels, history: TrendAnswer | None
) -> ComparisonAnswer | Refusal:
    try:
        frame = study.results.select(plan.where).frame
    except SelectionError as error:
        return Refusal(question=plan.name, reason=str(error), advice="widen the selection")
    if plan.metrics:
        frame = frame[frame["metric"].isin(plan.metrics)]
    levels = _levels_in_order(frame[plan.column])[0] if plan.column in frame else []
    baselines = [baseline for baseline in plan.baselines if baseline in levels]
    if not baselines:
        return _absent(study, plan, plan.baselines, levels)
    candidates = [level for level in (plan.candidates or levels) if level in levels]
    sides = [
        (baseline, candidate)
        for place, baseline in enumerate(baselines)
        for candidate in candidates
        if candidate != baseline and (plan.candidates or candidate not in baselines[:place])
    ]
    if not sides:
        failed = [level for level in _failed_levels(study, plan) if level not in levels]
        return _absent(study, plan, plan.candidates or tuple(failed), levels)
    named = list(dict.fromkeys([*baselines, *candidates]))
    frame = frame[_of_levels(frame[plan.column], named)]
    by = list(plan.by) or shared_axes(frame, plan.column, plan.ignore)
    # Runs that are compared elsewhere are of different code: they are not repeats of each other.
    if (
        not plan.by
        and plan.column != "run"
        and "run" not in plan.ignore
        and any(comparison.column == "run" for comparison in study.comparisons)
    ):
        by.append("run")
    cells = pair_cells(frame, plan.column, by, sides)
    if not cells.rows:
        return _nothing_shared(frame, plan, sides, by)
    codes, metrics = pd.factorize(cells.metrics)
    ways = [_DIRECTIONS[study.results.metrics[metric].better] for metric in metrics.tolist()]
    directions = np.array(ways, dtype=np.int8)[codes]
    return _answer(plan, cells, by, directions, {} if plan.column == "run" else noise, judged_by, history)


def _answer(
    plan: ComparisonPlan,
    cells: PairedCells,
    by: Sequence[str],
    directions: NDArray[np.int8],
    noise: Mapping[str, float],
    levels: Levels,
    history: TrendAnswer | None,
) -> ComparisonAnswer:
    judged = judge(
        cells.pairs,
        better=directions,
        blocked=blocks_of_rows(cells, plan),
        left_out=control_rows(cells, plan.controls),
        counted=~moved_by_machine(cells.units),
        kinds=np.unique(cells.side * (cells.rows + 1) + pd.factorize(cells.metrics)[0], return_inverse=True)[1],
        **levels._asdict(),
    )
    ruling = rule(cells, judged, plan, levels, noise, history)
    if ruling.unrecorded.any() and (ruling.unrecorded == ruling.unguarded).all():
        first = int(ruling.unrecorded.argmax())
        row = f"{cells.metrics[first]} of {label(cells.key(first))}"
        raise DataError(f"the history holds none of these rows, such as {printable(row)}; record them: benchlib record")
    pool_runs = plan.column != "run"
    blocks = np.ceil(judged.blocked.blocks).astype(int).tolist()
    looked_at = cells.frame[["source", "line", "value", "unit", "run"]]
    behind = partial(_row_details, cells, looked_at, blocks, judged, ruling, levels.confidence_level, pool_runs)
    details = _Remembered(behind)
    rows = _make_rows(cells, judged, ruling, directions, details)
    sides = _sides(cells, plan.column, by)
    machines = {side.name: side.machine for side in sides}
    caveats = _comparison_caveats(cells, judged, ruling, plan, by, machines, levels.significance_level)
    return ComparisonAnswer(
        name=plan.name,
        question=plan.question,
        column=plan.column,
        sides=sides,
        rows=rows,
        missing=cells.missing,
        uncompared=cells.uncompared,
        geomeans=_geomeans(cells, judged),
        order=ruling.order,
        controls=ruling.heard.answers,
        **levels._asdict(),
        caveats=name_caveats((plan.name, caveat) for caveat in caveats),
    )


def _of_levels(column: pd.Series, names: Sequence[str]) -> NDArray[np.bool_]:
    """Say which rows have one of these levels, by what it is written as."""
    codes, levels = pd.factorize(column)
    wanted = np.array([str(plain(level)) in names for level in levels.tolist()] + [False])
    matching: NDArray[np.bool_] = wanted[codes]  # a missing level has the code -1: the last place
    return matching


def _sides(cells: PairedCells, column: str, by: Sequence[str]) -> tuple[SideFacts, ...]:
    """Tell each side once: the files it came from, and the machine that its results state."""
    sides = []
    for name in dict.fromkeys(name for pair in cells.sides for name in pair):
        rows = cells.frame[_of_levels(cells.frame[column], [name])]
        machine = machine_facts(rows, leave_out=(column, *by))
        sources = tuple(str(source) for source in rows["source"].unique())
        sides.append(SideFacts(name=name, files=sources, values=len(rows), machine=machine))
    return tuple(sides)


def _geomeans(cells: PairedCells, judged: Judgement) -> tuple[Geomean, ...]:
    """Give one geometric mean a pair, metric and unit with more than one row."""
    geomeans = []
    before, after = judged.statistics.baseline_median, judged.statistics.candidate_median
    for side, (baseline, candidate) in enumerate(cells.sides):
        here = cells.side == side
        for metric, unit in dict.fromkeys(zip(cells.metrics[here], cells.units[here], strict=True)):
            rows = here & (cells.metrics == metric) & (cells.units == unit)
            if rows.sum() < 2:
                continue
            first, second = geometric_mean(before[rows]), geometric_mean(after[rows])
            geomeans.append(
                Geomean(
                    metric=str(metric),
                    unit=str(unit),
                    baseline=baseline,
                    candidate=candidate,
                    baseline_mean=first,
                    candidate_mean=second,
                    # benchstat's rule: nothing against nothing is no change.
                    ratio=geometric_mean(np.where((before == 0) & (after == 0), 1.0, judged.ratio)[rows]),
                    rows=int(rows.sum()),
                )
            )
    return tuple(geomeans)


def _failed_levels(study: Study, plan: ComparisonPlan) -> list[str]:
    failed = study.results.failed
    return [str(level) for level in failed[plan.column].dropna().unique()] if plan.column in failed else []


def _absent(study: Study, plan: ComparisonPlan, wanted: Sequence[str], levels: Sequence[str]) -> Refusal:
    """Say that a side has no result, or that all it has failed."""
    failed = [level for level in wanted if level in _failed_levels(study, plan)]
    if failed:
        sound = f"sound are those of {choices(levels)}" if levels else "no other is sound"
        reason = f"every result of {plan.column} {printable(', '.join(failed))} failed; {sound}"
        return Refusal(question=plan.name, reason=reason, advice="mend what failed, and measure it again")
    what = f"no result of {plan.column} {printable(', '.join(wanted))}" if wanted else f"one {plan.column} alone"
    return Refusal(
        question=plan.name, reason=f"{what}; there are {choices(levels)}", advice="name two sides that were measured"
    )


def _nothing_shared(
    frame: pd.DataFrame, plan: ComparisonPlan, sides: Sequence[tuple[str, str]], by: Sequence[str]
) -> Refusal:
    """Say what each side has, where no cell is on both."""
    rows_of = {name: frame[_of_levels(frame[plan.column], [name])] for pair in sides for name in pair}
    packages = {name: set(rows["pkg"].dropna()) for name, rows in rows_of.items()} if "pkg" in by else {}
    if all(packages.values()) and packages and not set.intersection(*packages.values()):
        lines = [f"{name} has {choices(sorted(map(str, of)), 4)}" for name, of in packages.items()]
        return Refusal(
            question=plan.name,
            reason=f"the sides share no benchmark, because they share no package: {'; '.join(lines)}",
            advice="measure the same packages on both sides, or ignore pkg where one package only has another name",
        )
    lines = []
    for name, rows in rows_of.items():
        measured = [f"{benchmark} ({metric}, {unit})" for benchmark, metric, unit in
                    rows[["benchmark", "metric", "unit"]].drop_duplicates().itertuples(index=False)]  # fmt: skip
        lines.append(f"{name} has {choices(measured, 4)}" if measured else f"{name} has none")
    return Refusal(
        question=plan.name,
        reason=f"the sides share no benchmark, metric and unit: {'; '.join(lines)}",
        advice="measure the same benchmarks on both sides",
    )


def _make_rows(
    cells: PairedCells,
    judged: Judgement,
    ruling: Ruling,
    better: NDArray[np.int8],
    details: Callable[[int], RowDetails],
) -> tuple[ComparisonRow, ...]:
    """Make every row from whole columns: 20,000 are normal, and few are looked at more closely."""
    statistics = judged.statistics
    sides = [cells.sides[side] for side in cells.side.tolist()]
    more = np.where(ruling.verdict == CANNOT_TELL, ruling.more, np.nan).tolist()
    columns: dict[str, Iterable[Any]] = {
        "key": cells.keys(),
        "better": (_BETTER[direction] for direction in better.tolist()),
        "metric": map(str, cells.metrics),
        "unit": map(str, cells.units),
        "baseline": (baseline for baseline, _ in sides),
        "candidate": (candidate for _, candidate in sides),
        "verdict": (VERDICTS[code] for code in ruling.verdict.tolist()),
        "own_verdict": (VERDICTS[code] for code in judged.verdict.tolist()),
        "against": ruling.heard.relative.tolist(),
        "against_low": ruling.heard.low.tolist(),
        "against_high": ruling.heard.high.tolist(),
        "more": (None if math.isnan(count) else int(count) for count in more),
        "control": ruling.heard.control.tolist(),
        "look_up": (partial(details, row) for row in range(cells.rows)),
    }
    for source, names in ((statistics, _OF_SAMPLES), (judged, _OF_BOTH), (ruling, _OF_RULING)):
        columns |= {name: getattr(source, name).tolist() for name in names}
    return tuple(map(ComparisonRow._make, zip(*(columns[name] for name in ComparisonRow._fields), strict=True)))


class _Remembered:
    """Details of rows, each looked up once; unlike `functools.cache` it lets an answer be pickled."""

    def __init__(self, look_up: Callable[[int], RowDetails]) -> None:
        self._look_up = look_up
        self._known: dict[int, RowDetails] = {}

    def __call__(self, row: int) -> RowDetails:
        if row not in self._known:
            self._known[row] = self._look_up(row)
        return self._known[row]


def _row_details(
    cells: PairedCells,
    frame: pd.DataFrame,
    blocks: Sequence[int],
    judged: Judgement,
    ruling: Ruling,
    confidence_level: float,
    pool_runs: bool,
    row: int,
) -> RowDetails:
    """Look up what is behind one row in the columns of the table that say so."""
    before, after = _places_of(cells, row)
    sides = frame.iloc[before], frame.iloc[after]
    old, new = (side["value"].to_numpy(dtype=np.float64) for side in sides)
    unit, measured = str(cells.units[row]), Measured.of(*sides)
    by_run = _by_run(frame, before, after) if pool_runs else {}
    return RowDetails(
        comparison=_sample_comparison(judged, row, (old, new), unit, confidence_level),
        against_controls=_against_controls(ruling.heard, row, old.size + new.size),
        ratio_by_run=by_run,
        run_evidence=_run_evidence(measured, sides, by_run, str(cells.metrics[row])),
        baseline_values=tuple(old.tolist()),
        candidate_values=tuple(new.tolist()),
        baseline_positions=tuple(ruling.positions[before].tolist()),
        candidate_positions=tuple(ruling.positions[after].tolist()),
        evidence=measured.gather(slice(None), "median of the candidate over median of the baseline"),
        repeats=_repeats(sides, blocks[row], ruling.order),
        blocks=blocks[row],
    )


def _repeats(sides: Sequence[pd.DataFrame], blocks: int, order: Order) -> tuple[int, str]:
    """Say how often a side was repeated: in rounds, in runs, or by values that share a run."""
    if blocks:
        return blocks, "round" if order == "interleaved" else "run"
    shared = any(side["run"].duplicated().any() for side in sides)
    return min(map(len, sides)), "value" if shared else "run"


def _sample_comparison(
    judged: Judgement, row: int, sides: tuple[NDArray[np.float64], NDArray[np.float64]], unit: str, level: float
) -> SampleComparison:
    before, after = (summarise(side, unit=unit, confidence_level=level, ranked=True) for side in sides)

    def estimate(of: str, unit: str, method: str) -> Estimate:
        value, low, high = (float(getattr(judged, f"{of}{end}")[row]) for end in ("", "_low", "_high"))
        return Estimate(
            value=value, low=low, high=high, unit=unit, confidence_level=level, n=before.n + after.n,
            method=f"{of} of medians, " + ("counted alike in every run" if judged.exact[row] else method),
            standard_error=math.nan,
        )  # fmt: skip

    ratio_method, difference_method = "Hodges-Lehmann interval on logarithms", "Hodges-Lehmann interval"
    if judged.blocked.there[row]:
        ratio_method, difference_method = "within blocks, t interval on logarithms", "from their ratio"
        if not math.isnan(judged.blocked.scale[row]):
            ratio_method, difference_method = "from their difference", "within blocks, t interval"
    ratio = estimate("ratio", "x", ratio_method)
    smallest = float(judged.statistics.smallest_pvalue[row])
    lacking = () if judged.exact[row] else limits(ratio, smallest, level, before, after)
    return SampleComparison(
        baseline=before,
        candidate=after,
        ratio=ratio,
        difference=estimate("difference", unit, difference_method),
        pvalue=float(judged.statistics.pvalue[row]),
        smallest_pvalue=smallest,
        verdict=VERDICTS[judged.verdict[row]],
        caveats=merge(before.caveats, after.caveats, lacking),
    )


def _against_controls(heard: Hearing, row: int, n: int) -> Estimate | None:
    if math.isnan(heard.relative[row]):
        return None
    return Estimate(
        value=float(heard.relative[row]),
        low=float(heard.low[row]),
        high=float(heard.high[row]),
        unit="x",
        confidence_level=heard.level,
        n=n,
        method="ratio over the mean ratio of the controls, prediction interval on logarithms (Bonferroni)",
        standard_error=math.nan,
    )


def _by_run(frame: pd.DataFrame, before: NDArray[np.intp], after: NDArray[np.intp]) -> dict[str, float]:
    first, second = _medians_by_run(frame, before), _medians_by_run(frame, after)
    shared = [run for run in first if run in second and first[run] > 0]
    return {run: second[run] / first[run] for run in shared} if len(shared) > 1 else {}


def _run_evidence(
    measured: Measured, sides: Iterable[pd.DataFrame], by_run: Mapping[str, float], metric: str
) -> dict[str, Evidence]:
    """Return what stands behind the ratio of each run: a sentence may turn that of times round."""
    formula = "median of the candidate over median of the baseline"
    turned = "; of throughput, where it is told from times, one over that" if metric == "time" else ""
    runs = np.array([str(plain(run)) for rows in sides for run in rows["run"].tolist()] if by_run else [])
    return {run: measured.gather(np.flatnonzero(runs == run), f"within {run}: {formula}{turned}") for run in by_run}


def _medians_by_run(frame: pd.DataFrame, rows: NDArray[np.intp]) -> dict[str, float]:
    """Return the median of each run: numbers ascending, words as first seen."""
    values_of: dict[Any, list[float]] = {}
    for run, value in zip(frame["run"].iloc[rows].tolist(), frame["value"].iloc[rows].tolist(), strict=True):
        if not pd.isna(run):
            values_of.setdefault(plain(run), []).append(value)
    ordered = sorted(values_of, key=lambda run: run if isinstance(run, int | float) else math.inf)
    return {str(run): median(values_of[run]) for run in ordered}


def controls_moved(study: Study, answers: Sequence[ComparisonAnswer | Refusal]) -> bool:
    """Tell whether controls say that the machine moved while a study was recorded: then no time of it says much.

    A condition may leave out the controls, or a side of the comparison, but not what they showed: the whole study is
    asked.
    """
    if _told_moved(answers):
        return True
    narrowed = study.results is not study.whole and any(comparison.controls for comparison in study.comparisons)
    return narrowed and _told_moved(compare_study(replace(study, results=study.whole, where="")))


def _told_moved(answers: Sequence[ComparisonAnswer | Refusal]) -> bool:
    caveats = [caveat for answer in answers if isinstance(answer, ComparisonAnswer) for caveat in answer.caveats]
    return any(caveat.code == "controls-moved" for caveat in caveats)


def comparison_evidence(answer: ComparisonAnswer) -> Evidence:
    """Return the rows of both sides of every row of a comparison."""
    return pool(
        (row.evidence for row in answer.rows),
        "row by row the median of the candidate over the median of the baseline, its interval and its p value; "
        "then counts, geometric means and limits over the rows, and what controls and guards "
        "leave of the verdicts",
    )


def comparison_document(
    answers: Sequence[ComparisonAnswer | Refusal], targets: Sequence[TargetAnswer] = ()
) -> dict[str, Any]:
    """Return comparisons as data that JSON can hold; a number that is not finite is null."""
    return {
        "schema": SCHEMA_VERSION,
        "comparisons": [_plain(answer) for answer in answers if isinstance(answer, ComparisonAnswer)],
        "refusals": to_dict([answer for answer in answers if isinstance(answer, Refusal)]),
        "targets": to_dict(tuple(targets)),
    }


def comparison_records(answers: Sequence[ComparisonAnswer]) -> Iterator[dict[str, Any]]:
    """Yield every row as a flat record: comparison, the levels of its key, then its numbers.

    A ratio that nothing bounds from below is bounded by 0.

    An axis that has the name of a number is written ``axis.NAME``.
    """
    for answer in answers:
        for row in answer.rows:
            numbers = {
                **{name: getattr(row, name) for name in ROW_NUMBERS},
                "better": row.better or "",
                "ratio_low": row.ratio_low if math.isnan(row.ratio_low) else max(row.ratio_low, 0.0),
                "against_low": row.against_low if math.isnan(row.against_low) else max(row.against_low, 0.0),
                "more": math.nan if row.more is None else float(row.more),
            }
            taken = {"comparison", "key", *numbers}
            key = {f"axis.{axis}" if axis in taken else axis: level for axis, level in row.key.items()}
            yield {"comparison": answer.name, **key, **numbers}


def _plain(answer: ComparisonAnswer) -> dict[str, Any]:
    """Return the fields of a comparison, its rows last."""
    plain = to_dict(answer)
    del plain["type"]
    rows = plain.pop("rows")
    return {**plain, "rows": rows}
