"""Did it change? The first screen, the line for other pages, and every row behind it.

Size, direction and certainty are said apart: "4.0 times the throughput in all 3 runs (3.1 to 4.1)". A difference whose
machine moved, or whose sides do other work, is never called better or worse.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import takewhile
from statistics import median

from benchlib.answers.asking import Refusal
from benchlib.answers.claims import ClaimAnswer
from benchlib.answers.comparison import COUNTS, THINGS, ComparisonAnswer, ComparisonRow
from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.factor_pools import FactorPool, PooledLevel, pool_by_factor, pool_configurations
from benchlib.answers.targets import TargetAnswer
from benchlib.caveats import Caveat, merge
from benchlib.document.blocks import (
    Block,
    Cell,
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
    Section,
    Table,
    Text,
)
from benchlib.document.numbers import write
from benchlib.document.words import count, joined, listed, plain_name, slug
from benchlib.figures.comparison import Dot, Line, Strip, forest, pooled_dots, slope, strips
from benchlib.statistics.compare import distance
from benchlib.statistics.samples import values_needed
from benchlib.study import Study
from benchlib.tell import claims as claims_told
from benchlib.tell import targets as targets_told
from benchlib.tell.changes import ABOUT, NOT_COMPARED, VERDICTS, amount, change, measured, noun, row_name, turned
from benchlib.tell.doubts import short
from benchlib.tell.lead import Lead, document_of, level_name, refused
from benchlib.tell.sentences import begun, say, without_stop
from benchlib.units import scaled

__all__ = ["document"]

_Answers = Sequence[ComparisonAnswer | Refusal]
#: Caveats that withdraw verdicts where no control speaks.
_MOVED = ("all-moved-alike", "moved-while-recorded")
#: Single values that differ by this factor are worth a look.
_FAR = 2.0
#: Why a change that is known is no verdict: nobody said which way the metric is better.
_NO_DIRECTION = "no direction"
#: Changes and panels that a first screen holds.
_MOST_PLACES, _MOST_PANELS = 3, 3
#: Rows of a table that stand unfolded.
_SHOWN = 8
#: Rows of a figure, of the fold of all rows, and those whose numbers study.toml can name.
_MOST_IN_FIGURE, _MOST_IN_FOREST, _MOST_ROWS, _MOST_VALUES = 10, 60, 400, 200


# ---- one comparison, seen once ----


@dataclass(frozen=True)
class _View:
    """One comparison with what is asked of it again and again."""

    answer: ComparisonAnswer
    study: Study

    @cached_property
    def same_work(self) -> bool:
        """Whether both sides do the same work, as study.toml says."""
        plans = [plan for plan in self.study.comparisons if plan.name == self.answer.name]
        return all(plan.same_work for plan in plans)

    @cached_property
    def timed(self) -> list[ComparisonRow]:
        """The rows that a machine moves, without those that the change cannot affect."""
        return [row for row in self.answer.rows if not row.control and row.metric not in COUNTS]

    @cached_property
    def judged(self) -> list[ComparisonRow]:
        """The rows that say whether something changed: times, or where there are none, counts."""
        return self.timed or [row for row in self.answer.rows if not row.control]

    @cached_property
    def controls(self) -> list[ComparisonRow]:
        """The rows that the change cannot affect."""
        return [row for row in self.answer.rows if row.control]

    @cached_property
    def allocations(self) -> list[ComparisonRow]:
        """Counts of allocations."""
        return [row for row in self.answer.rows if row.metric == "allocations"]

    @cached_property
    def counts_changed(self) -> list[ComparisonRow]:
        """Counts that are better or worse, which no machine moves."""
        counts = [row for row in self.answer.rows if row.metric in COUNTS and not row.control]
        return [row for row in counts if row.verdict in ("better", "worse")]

    @cached_property
    def drifted(self) -> bool:
        """Whether code that the change cannot affect moved, and no row differs by more than that."""
        return any(control.moved for control in self.answer.controls) and bool(self.controls) and not self.decided

    @cached_property
    def doubt(self) -> Caveat | None:
        """The caveat that withdraws verdicts where no control speaks."""
        return next((caveat for caveat in self.answer.caveats if caveat.code in _MOVED), None)

    @cached_property
    def n(self) -> int:
        """The values of a side, of the row in the middle: a value that one row lacks makes no page of single runs."""
        return self._sizes[len(self._sizes) // 2]

    @cached_property
    def _sizes(self) -> list[int]:
        """The fewer values of each row, in order."""
        return sorted(min(row.baseline_n, row.candidate_n) for row in self.judged or self.answer.rows)

    @cached_property
    def repeats(self) -> str:
        """How often each side was measured, in words."""
        row = (self.judged or self.answer.rows)[0]
        number, word = row.repeats
        if self.n == 1:
            return "one run"
        least, most = self._sizes[0], self._sizes[-1]
        span = f"{least:,} to " if least < most and not row.blocks else ""
        return f"{span}{count(number if row.blocks else most, word)}"

    @cached_property
    def few(self) -> bool:
        """Whether the values are too few for any interval, and nothing is decided without one, as counts are."""
        return not self.decided and not any(
            math.isfinite(row.ratio_low) and math.isfinite(row.ratio_high) for row in self.judged
        )

    @cached_property
    def strata(self) -> dict[tuple[str, str], PooledLevel]:
        """What several configurations say together, by metric and candidate."""
        return pool_configurations(self.answer)

    @cached_property
    def decided(self) -> list[ComparisonRow]:
        """The rows that changed beyond noise, the largest change first."""
        return _largest(row for row in self.judged if row.verdict in ("better", "worse"))

    @cached_property
    def at_limit(self) -> list[ComparisonRow]:
        """The rows that are shown to differ, by what may or may not matter, the largest change first."""
        return _largest(row for row in self.judged if row.reason == "at the limit")

    @cached_property
    def first(self) -> list[ComparisonRow]:
        """The rows of the first pair in the first metric."""
        start = self.judged[0]
        return [row for row in self.judged if _pair(row) == _pair(start) and row.metric == start.metric]

    @cached_property
    def candidates(self) -> list[str]:
        """The sides that are judged, in words."""
        return list(dict.fromkeys(self.side(row.candidate) for row in self.judged))

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """The axes that tell the rows apart; what is the same in all of them is no part of a name."""
        levels: dict[str, set[str]] = {}
        for row in self.answer.rows:
            for axis in row.key:
                levels.setdefault(axis, set()).add(str(row.key[axis]))
        absent = {axis for axis in levels if any(axis not in row.key for row in self.answer.rows)}
        return tuple(axis for axis in levels if len(levels[axis]) > 1 or axis in absent) or tuple(levels)

    def name(self, row: ComparisonRow, metric: str = "") -> str:
        """Return what a row compares in words, its metric where nothing else tells it."""
        apart = {axis: level for axis, level in row.key.items() if axis in self.axes} or row.key
        key = {axis: self.level(axis, level) for axis, level in apart.items()}
        words = row_name(key, metric) or noun(row.metric)
        package = self.packages.get(str(row.key.get("pkg", "")), "")
        return f"{words} ({package})" if package else words

    @cached_property
    def packages(self) -> dict[str, str]:
        """What to call each package, without what all begin with; empty where no two have a benchmark of one name."""
        keys = {tuple(row.key.items()) for row in self.answer.rows}
        if len({tuple(pair for pair in key if pair[0] != "pkg") for key in keys}) == len(keys):
            return {}
        parts = {package: package.split("/") for package in {str(row.key.get("pkg", "")) for row in self.answer.rows}}
        steps = zip(*parts.values(), strict=False)
        shared = sum(1 for _ in takewhile(lambda step: len(set(step)) == 1, steps))
        return {package: "/".join(path[shared:]) or path[-1] for package, path in parts.items()}

    @cached_property
    def pooled(self) -> FactorPool | None:
        """The factor that turns the difference, where one does."""
        pools = pool_by_factor(self.answer) if self.same_work else ()
        return pools[0] if pools else None

    def level(self, axis: str, level: object) -> object:
        """Return a level by its short description; a number stays one."""
        return level_name(self.study, axis, level) if isinstance(level, str) else level

    def side(self, name: str) -> str:
        """Return a side in words: a number by itself would be read as a count."""
        said = level_name(self.study, self.answer.column, name)
        return f"{plain_name(self.answer.column.lstrip('/'))} {said}" if said[:1].isdigit() else said

    @property
    def old(self) -> str:
        """The baseline in words."""
        return self.side((self.judged or self.answer.rows)[0].baseline)

    @property
    def new(self) -> str:
        """The candidate in words."""
        return self.side((self.judged or self.answer.rows)[0].candidate)

    @cached_property
    def one_baseline(self) -> bool:
        """Whether all candidates are held against the same side."""
        return len({row.baseline for row in self.answer.rows}) == 1

    def pair(self, row: ComparisonRow) -> str:
        """Return which sides a row compares, where a table has several pairs."""
        new = self.side(row.candidate)
        return new if self.one_baseline else f"{new} instead of {self.side(row.baseline)}"


def _pair(row: ComparisonRow) -> tuple[str, str]:
    return row.baseline, row.candidate


def _size(row: ComparisonRow) -> float:
    """Return how large a change is, whichever way."""
    return abs(math.log(row.ratio)) if math.isfinite(row.ratio) and row.ratio > 0 else math.inf


def _largest(rows: Iterator[ComparisonRow] | Sequence[ComparisonRow]) -> list[ComparisonRow]:
    return sorted(rows, key=lambda row: -_size(row))


def _read(row: ComparisonRow, study: Study) -> ComparisonRow:
    """Return a row as it is said: of parallel work the time per operation is one over the throughput."""
    names = (row.baseline, row.candidate, str(row.key.get("benchmark", "")))
    parallel = any(fnmatchcase(name, glob) for name in names for glob in study.parallel)
    if row.metric != "time" or not parallel or not row.ratio > 0:
        return row
    ratio, low, high = turned(row.ratio, row.ratio_low, row.ratio_high)
    return row._replace(metric="throughput", ratio=ratio, ratio_low=low, ratio_high=high, better="higher")


# ---- the first screen ----


def lead(answers: _Answers, study: Study, targets: Sequence[TargetAnswer] = ()) -> Lead:
    """Return what a page that leads with comparison says first."""
    answered = [answer for answer in answers if isinstance(answer, ComparisonAnswer) and answer.rows]
    if not answered:
        return _refused(answers)
    views = [_View(answer, study) for answer in answered]
    view = next((view for view in views if view.judged), views[0])
    facts = [*_facts(view), *targets_told.facts(targets, study, answers)]
    return Lead(
        answer=_sentence(view),
        decision=_decision(view),
        confidence=_confidence(view),
        figure=_figure(view),
        facts=tuple(facts[:3]),
        table=_table(view),
        note=() if view.few or view.drifted or not view.decided else say("comparison.note"),
        values=dict(_values(views)),
    )


def document(
    answers: _Answers, study: Study, targets: Sequence[TargetAnswer] = (), claims: Sequence[ClaimAnswer] = ()
) -> Document:
    """Return the document of comparisons alone: a notebook, a command, a comment."""
    first = lead(answers, study, targets)
    answered = [answer for answer in answers if isinstance(answer, ComparisonAnswer) and answer.rows]
    caveats = merge(*(answer.caveats for answer in answered))
    folds = every_comparison(answers, study)
    folds += targets_told.folds(targets, study, answers) + claims_told.folds(claims)
    found: list[Block] = [finding(answer, study) for answer in answered[1:]]
    found += [
        Fold(line=(f"{refusal.question}: not compared, as {refusal.reason}",), blocks=())
        for refusal in answers
        if isinstance(refusal, Refusal) and answered
    ]
    steps = next_steps(answers, study)
    # Of a metric that was not compared nobody knows whether its target was missed before.
    metrics = {row.metric for answer in answered for row in answer.rows}
    compared = [target for target in targets if target.metric in metrics]
    return document_of(
        study,
        first,
        caveats,
        found=found,
        next_steps=steps,
        folded=(Section(title="Every comparison", anchor="comparisons", blocks=tuple(folds)),) if folds else (),
        status="Target missed" if targets_told.newly_missed(compared, study, answers) else None,
        answers=tuple(answers),
    )


def finding(answer: ComparisonAnswer, study: Study) -> Fold:
    """Return a comparison as one line that opens, for a page that leads with something else."""
    view = _View(answer, study)
    blocks = [block for block in (_figure(view), _table(view)) if block is not None]
    return Fold(line=without_stop(_sentence(view)), blocks=tuple(blocks), anchor=f"compare-{slug(answer.name)}")


def _refused(answers: _Answers) -> Lead:
    refusals = [answer for answer in answers if isinstance(answer, Refusal)]
    if not refusals:
        return refused("nothing was compared", "name a column and a baseline")
    return refused(refusals[0].reason, refusals[0].advice)


def _sentence(view: _View) -> Text:
    """Return the answer to one comparison in one sentence."""
    if not view.judged:
        return say("refused", what="answer", reason="the change cannot affect what was compared")
    names = {"old": view.old, "new": view.new}
    if not view.same_work:
        return _other_work(view)
    if view.drifted:
        ratio, evidence = _middle(view.controls)
        if abs(ratio - 1) < ABOUT:  # some rose and some fell
            ratio, evidence = (most := _largest(view.controls)[0]).ratio, most.evidence
        moved = change(ratio, view.controls[0].metric, evidence)
        reason = say("comparison.unreached", moved=("took ", *moved, f" in {view.new}"))
        return _cannot(view, names, reason)
    if view.doubt is not None and not view.decided:
        return _cannot(view, names, short(view.doubt))
    if view.pooled is not None:
        return say("comparison.places", **names, changes=_pooled_words(view.pooled), runs=_turns(view))
    pairs = len({_pair(row) for row in view.judged})
    noticed = any(row.noticeable for row in view.judged)
    if view.few and len(view.first) <= _MOST_PLACES and (noticed or pairs == 1):
        return say("comparison.places", **names, changes=_places(view), runs=_runs(view))
    if not view.decided and (shown := _by_configuration(view)):
        return say("comparison.places", **names, changes=joined(shown), runs=_runs(view))
    if view.few and pairs == 1 and (far := _far_apart(view)):
        return say("comparison.places", **names, changes=far, runs=f"; {view.repeats} each")
    if (view.few and not noticed) or (not view.decided and view.strata):
        return _small(view)
    if view.decided and len(view.judged) == 1:
        only = view.decided[0]
        size = change(_beyond_controls(only), only.metric, only.evidence)
        return say("comparison.places", **names, changes=size, runs=f"; {view.repeats} each")
    if view.decided:
        worse = [row for row in view.decided if row.verdict == "worse"]
        most, one = (worse or view.decided)[0], len(view.candidates) == 1
        return say(
            "comparison.changed",
            new=listed(view.candidates),
            verb="changes" if one else "change",
            rank="at worst" if worse else "at best",
            changed=_counted(view.decided, "that changed beyond noise", view.judged),
            n=_comparisons(view.judged),
            where=view.name(most) if one else f"{view.name(most)} in {view.side(most.candidate)}",
            change=change(_beyond_controls(most), most.metric, most.evidence),
            counts=_counts(view),
        )
    if all(row.verdict == "same" for row in view.judged):
        any_of: Text = ("any of ", *_comparisons(view.judged)) if len(view.judged) > 1 else ("the one comparison",)
        return say("comparison.same", **names, n=any_of, counts=_counts(view))
    if view.at_limit:
        return _at_limit(view)
    if undirected := _largest([row for row in view.judged if row.reason == _NO_DIRECTION]):
        changes = _sizes(undirected[:_MOST_PLACES], view)
        return say("comparison.places", **names, changes=changes, runs=f"; {view.repeats} each")
    most = _read(_largest([row for row in view.judged if row.verdict == "cannot tell"])[0], view.study)
    names = {"old": view.side(most.baseline), "new": view.side(most.candidate)}
    size = change(most.ratio, most.metric, most.evidence)
    largest = say("comparison.largest", change=size, certainty=f"{view.repeats} each" if view.few else "within noise")
    return _cannot(view, names, largest)


def _cannot(view: _View, names: Mapping[str, str], reason: str | Text) -> Text:
    """Say why times tell nothing; counts are told apart, as they may differ all the same."""
    counts = _counts(view)
    of = " in time" if counts and view.counts_changed else ""
    return say("comparison.cannot", **names, of=of, reason=reason, counts=counts)


def _sizes(rows: Sequence[ComparisonRow], view: _View) -> Text:
    """Say how far rows differ, each with its place where several were judged."""
    sizes = [(*change(row.ratio, row.metric, row.evidence), f" ({view.name(row)})") for row in rows]
    return joined(sizes) if len(view.judged) > 1 else sizes[0][:-1]


def _far_apart(view: _View) -> Text:
    """Say of many single measurements how many differ 2-fold or more, which few machines do by themselves."""
    far = _largest([row for row in view.first if row.noticeable and _size(row) >= math.log(_FAR)])
    if not far:
        return ()
    most = _read(far[0], view.study)
    some = _counted(far, f"that differ {_FAR:g}-fold or more", view.first)
    words = f" of {len(view.first):,} differ {_FAR:g}-fold or more, most {view.name(most)}: "
    return (some, words, *change(most.ratio, most.metric, most.evidence))


def _at_limit(view: _View) -> Text:
    """Say size and direction of what is known to differ, and that only whether it matters is open."""
    most = _read(view.at_limit[0], view.study)
    return say(
        "comparison.limit",
        new=view.side(most.candidate),
        where=view.name(most),
        change=change(most.ratio, most.metric, most.evidence),
        limit=Number(value=view.answer.min_effect, unit="ratio"),
        counts=_counts(view),
    )


def _beyond_controls(row: ComparisonRow) -> float:
    """Return the ratio of a row, over what its controls did where some speak for it."""
    return row.ratio if math.isnan(row.against) else row.against


def _middle(rows: Sequence[ComparisonRow]) -> tuple[float, Evidence]:
    """Return the median of the ratios of rows."""
    ratios = [row.ratio for row in rows if math.isfinite(row.ratio)]
    formula = f"median of {len(ratios)} ratios, each of median over median"
    evidence = pool((row.evidence for row in rows[:_MOST_VALUES]), formula)
    return (median(ratios) if ratios else math.nan), evidence


def _counted(rows: Sequence[ComparisonRow], which: str, among: Sequence[ComparisonRow] = ()) -> Number:
    """Return a count of rows; its evidence is what was counted among."""
    behind = pool((row.evidence for row in (among or rows)[:_MOST_VALUES]), f"comparisons {which}")
    return Number(value=float(len(rows)), evidence=behind)


def _comparisons(rows: Sequence[ComparisonRow]) -> Text:
    return (_counted(rows, "made"), " comparison" if len(rows) == 1 else " comparisons")


def _counts(view: _View) -> Text:
    """Say in a sentence of its own what became of allocations, which no machine moves."""
    if not view.allocations or not view.timed:
        return ()
    changed = [row for row in view.allocations if row.verdict in ("better", "worse")]
    if changed:
        ways = {"rose" if row.candidate_median > row.baseline_median else "fell" for row in changed}
        way = ways.pop() if len(ways) == 1 else "changed"
        return say("comparison.counts", changed=f"{way} in {len(changed)} of {len(view.allocations)}")
    same = all(row.verdict == "same" for row in view.allocations)
    return say("comparison.counts", changed="are unchanged") if same else ()


def _pooled_words(pooled: FactorPool) -> Text:
    """Say what the rows at each level of a factor do together, and how many of them agree."""
    places: list[Text] = []
    for number, level in enumerate(pooled.levels):
        size = change(level.ratio, pooled.metric, level.evidence, bare=number > 0)
        n = len(level.rows)
        places.append((*size, f" ({_level(pooled.axis, level.level)}, {n} of {n})"))
    return joined(places)


def _level(axis: str, level: object) -> str:
    return row_name({axis: level})


def _turns(view: _View) -> str:
    return "; recorded one after the other" if view.answer.order == "sequential" else ""


def _places(view: _View) -> Text:
    """Say a few changes, each with its place where there are several."""
    rows = [_read(row, view.study) for row in view.first]
    if len(rows) == 1:
        return change(rows[0].ratio, rows[0].metric, rows[0].evidence)
    places = [
        (
            *change(row.ratio, row.metric, row.evidence, bare=number > 0),
            f" ({view.name(row)})",
        )
        for number, row in enumerate(rows)
    ]
    return joined(places)


def _runs(view: _View) -> Text:
    """Say how certain few values are: in how many runs the same direction was seen, or that there was one."""
    if view.n == 1:
        return ("; one run each",)
    low, high, agree = _by_run(view)
    if not agree:
        return (f"; {view.repeats} each, so no interval",)
    runs = count(len(view.first[0].ratio_by_run), "run")
    if len(view.first) > 1:
        return (f" in all {runs}, so no interval",)
    return (f" in all {runs} (", low, " to ", high, "), too few for an interval")


def _by_run(view: _View) -> tuple[Number, Number, bool]:
    """Return the smallest and largest ratio within a run of the first row, and whether all go one way in all runs."""
    ways = [ratio > 1 for row in view.first for ratio in row.ratio_by_run.values()]
    row = view.first[0]
    ratios = list(row.ratio_by_run.values())
    if _read(row, view.study).metric != row.metric:
        ratios = [1 / ratio for ratio in ratios]
    if not ratios:
        return Number(value=math.nan), Number(value=math.nan), False
    sizes = [Number(value=ratio, unit="x", digits=2, bare=True, evidence=row.evidence) for ratio in ratios]
    sizes = [_as_change(size) for size in sizes] if max(ratios) < 2 else sizes
    ordered = sorted(sizes, key=lambda size: size.value)
    return ordered[0], ordered[-1], all(ways) or not any(ways)


def _as_change(size: Number) -> Number:
    return Number(value=abs(size.value - 1), unit="ratio", digits=2, evidence=size.evidence)


def _by_configuration(view: _View) -> list[Text]:
    """Say what all configurations show together though no single one does, in the first metric."""
    shown: list[Text] = []
    for (metric, candidate), over in view.strata.items():
        if metric == view.first[0].metric and (over.low > 1 or over.high < 1) and distance(over.ratio) > ABOUT:
            alike = sum((row.ratio > 1) == (over.ratio > 1) for row in over.rows)
            words = f" ({view.side(candidate)}, {alike} of {len(over.rows)} configurations)"
            shown.append((*change(over.ratio, metric, over.evidence), words))
    return shown


def _small(view: _View) -> Text:
    """Say how large a difference can be in each metric, where none goes beyond noise.

    Of several configurations the far end of the interval over them, else the largest difference as measured.
    """
    metrics = list(dict.fromkeys(row.metric for row in view.judged))
    limits = []
    for metric in metrics[:3]:
        pools = [over for (of, _), over in view.strata.items() if of == metric]
        if pools:
            ends = [(end, over.evidence) for over in pools for end in (over.low, over.high)]
            size, _ = amount(*max(ends, key=lambda end: distance(end[0])))
        else:
            most = _largest([row for row in view.judged if row.metric == metric])[0]
            size, _ = amount(most.ratio, most.evidence)
        limits.append((size, f" ({noun(metric)})"))
    one = len({row.candidate for row in view.judged}) == 1
    things = f"configuration of {view.new}" if one else plain_name(view.answer.column)
    return say(
        "comparison.small", things=things, old=view.old, limits=joined(limits, last=" or "), runs=f"{view.repeats} each"
    )


def _other_work(view: _View) -> Text:
    """Say what other work costs, without calling it worse; over several levels by its median."""
    metric = view.judged[0].metric
    candidates = list(dict.fromkeys(row.candidate for row in view.judged))
    parts: list[Text] = []
    several = False
    for candidate in candidates[:_MOST_PLACES]:
        rows = [row for row in view.judged if row.candidate == candidate and row.metric == metric]
        several |= len(rows) > 1
        ratio, evidence = _middle(rows)
        parts.append((*change(ratio, metric, evidence, bare=bool(parts)), f" for {view.side(candidate)}"))
    changes = joined(parts)
    return say(
        "comparison.work",
        things=listed([view.side(candidate) for candidate in candidates]),
        old=view.old,
        changes=(*changes, " (medians over levels)") if several else changes,
    )


def _decision(view: _View) -> Text:
    if view.drifted or (view.doubt is not None and not view.decided):
        return _in_turn(view)
    if view.pooled is not None:
        if view.answer.order == "sequential" or any(one.code == "possible-controls" for one in view.answer.caveats):
            return _in_turn(view)
        sides = [
            f"{view.new if level.ratio < 1 else view.old} for {_level(view.pooled.axis, level.level)}"
            for level in view.pooled.levels
        ]
        return say("use", verb="Use", what=listed(sides))
    if view.few or not view.judged:
        return _repeat(values_needed(view.answer.confidence_level))
    worse = [row for row in (*view.decided, *view.counts_changed) if row.verdict == "worse"]
    if worse and view.same_work:
        return say("comparison.look", where=view.name(worse[0]), new=view.side(worse[0].candidate))
    if view.decided:
        return say("use", verb="Use", what=view.side(view.decided[0].candidate))
    if any(row.reason == _NO_DIRECTION for row in view.judged):
        metrics = listed(sorted({noun(row.metric) for row in view.judged if row.reason == _NO_DIRECTION}))
        return say("not_yet", verb="decide", advice=f"say whether more or less {metrics} is better")
    if all(row.verdict == "same" for row in view.judged):
        if len(view.answer.missing) > len(view.judged):
            return say("not_yet", verb="decide", advice="measure on both sides what one side lacks")
        return say("use", verb="Use", what="either")
    open_rows = sorted((row for row in view.judged if row.more is not None), key=lambda row: row.more or 0)
    if view.at_limit and not open_rows:
        size, _ = amount(view.at_limit[0].ratio, view.at_limit[0].evidence)
        return say("not_yet", verb="decide", advice=("say with --min-effect whether ", size, " matters"))
    if not open_rows:
        advice = "quieten the machine or lengthen each run, as more of the same would not do"
        return say("not_yet", verb="decide", advice=advice)
    middle = open_rows[len(open_rows) // 2]
    needed = (middle.blocks or view.n) + (middle.more or 0)
    if not middle.blocks:
        return _repeat(needed)
    unit = "rounds, in turn" if view.answer.order == "interleaved" else "runs"
    return say("not_yet", verb="decide", advice=f"measure each configuration in {needed:,} {unit}")


def _in_turn(view: _View) -> Text:
    advice = f"record {view.old} and {view.new} in alternation on an idle machine"
    return say("not_yet", verb="decide on time", advice=advice)


def _repeat(times: int) -> Text:
    return say("not_yet", verb="decide", advice=f"measure each configuration {times} times, in turn")


def _confidence(view: _View) -> Confidence:
    if view.drifted:
        if view.allocations and all(row.verdict == "same" for row in view.allocations):
            return Confidence(level="none", reason=say("comparison.drifted"))
        return Confidence(level="none", reason=say("confidence.bias", n=view.repeats, doubt="unchanged code moved too"))
    if view.n <= 1:
        return Confidence(level="low", reason=say("confidence.single"))
    if view.few:
        if _by_run(view)[2]:
            return Confidence(level="medium", reason=say("confidence.few", n=view.repeats))
        return Confidence(level="low", reason=say("confidence.few", n=view.repeats))
    doubtful = (*_MOVED, "possible-controls", "environment-differs")
    grave = [caveat for caveat in view.answer.caveats if caveat.severity == "alert" or caveat.code in doubtful]
    if grave:
        level = "none" if grave[0].code in _MOVED and not view.decided else "medium"
        reason = say("confidence.bias", n=view.repeats, doubt=short(grave[0]))
        return Confidence(level=level, reason=reason)  # type: ignore[arg-type]
    if not view.decided and any(
        row.verdict != "same" and row.reason not in ("at the limit", _NO_DIRECTION) for row in view.judged
    ):
        known = bool(view.counts_changed and view.timed)
        doubt = f"a difference{' in time' if known else ''} smaller than the noise would not be seen"
        reason = say("confidence.bias", n=view.repeats, doubt=doubt)
        return Confidence(level="medium" if known else "none", reason=reason)
    if view.answer.uncompared:  # of what one side alone has nothing is known
        doubt = f"not compared: {view.answer.uncompared[0]}"
        return Confidence(level="medium", reason=say("confidence.bias", n=view.repeats, doubt=doubt))
    if unknown := next((caveat for caveat in view.answer.caveats if caveat.code == "order-unknown"), None):
        return Confidence(level="medium", reason=say("confidence.bias", n=view.repeats, doubt=short(unknown)))
    return Confidence(level="high", reason=say("confidence.high", n=view.repeats))


def _facts(view: _View) -> Iterator[Fact]:
    """Give the three numbers: what can be judged, what is unchanged; or the changes themselves."""
    if view.drifted or (view.doubt is not None and not view.decided):
        decided = _counted(view.decided, "that can be judged", view.timed)
        yield Fact(value=(decided, " of ", _counted(view.timed, "of time")), line=("timings can be judged",))
    elif view.few and not any(row.noticeable for row in view.judged):
        for metric in dict.fromkeys(row.metric for row in view.judged):
            most = _largest([row for row in view.judged if row.metric == metric])[0]
            yield Fact(value=(amount(most.ratio, most.evidence)[0],), line=(f"largest difference in {noun(metric)}",))
    elif (view.few or view.pooled is not None) and view.judged:
        yield from _change_facts(view)
    else:
        for verdict in ("worse", "better", "cannot tell", "same"):
            rows = [row for row in view.judged if row.verdict == verdict]
            if not rows:
                continue
            some = _counted(rows, f"that are {VERDICTS[verdict]}", view.judged)
            value: Text = (some, " of ", _counted(view.judged, "made"))
            yield Fact(value=value, line=(f"comparisons: {VERDICTS[verdict]}",))
    same = [row for row in view.allocations if row.verdict == "same"]
    if same and view.timed:
        value = (_counted(same, "of allocations without a change", view.allocations), " of ")
        yield Fact(value=(*value, _counted(view.allocations, "of allocations")), line=("allocation counts unchanged",))


def _change_facts(view: _View) -> Iterator[Fact]:
    """Give the changes of the first pair in its first metric, and what is left of it in the tail."""
    if view.pooled is not None:
        for level in view.pooled.levels[:2]:
            size = change(level.ratio, view.pooled.metric, level.evidence)
            words = f"{_level(view.pooled.axis, level.level)}, {len(level.rows)} of {len(level.rows)} configurations"
            yield Fact(value=size, line=(words,))
        return
    tail = [row for row in view.judged if _pair(row) == _pair(view.first[0]) and row.metric == "latency_p99"]
    for row in [*view.first[:2], *tail[-1:]]:
        said = _read(row, view.study)
        place = view.name(row, row.metric)
        if abs(row.ratio - 1) < ABOUT:
            yield Fact(value=(_value(row, "candidate"),), line=(f"{place}, both",))
        else:
            size = change(said.ratio, said.metric, row.evidence, bare=said is row)
            place = view.name(row)
            yield Fact(value=size, line=(f"{place}: ", *_instead(row)))


def _instead(row: ComparisonRow) -> Text:
    """Say "5.0 instead of 7.0 ms": one unit where both have one."""
    new, old = (_value(row, side) for side in ("candidate", "baseline"))
    alike = scaled(new.value, new.unit)[1] == scaled(old.value, old.unit)[1]
    return (Number(value=new.value, unit=new.unit, bare=alike, evidence=new.evidence), " instead of ", old)


def _value(row: ComparisonRow, side: str) -> Number:
    """Return the median of a side."""
    value = row.baseline_median if side == "baseline" else row.candidate_median
    own = set(row.baseline_values if side == "baseline" else row.candidate_values)
    values = tuple(line for line in row.evidence.values if line[1] in own)
    name = row.baseline if side == "baseline" else row.candidate
    behind = replace(row.evidence, formula=f"median of {name}; the rows are of both sides", values=values)
    if len(own) <= len(values):
        behind = replace(behind, rows=tuple(place for place, _ in values), formula=f"median of {name}")
    return measured(value, row.unit, behind)


# ---- figures ----


def _figure(view: _View) -> Figure | None:
    """Return the figure that shows the finding; none where a sentence says as much."""
    rows = [row for row in view.judged if math.isfinite(row.ratio) and row.ratio > 0]
    if len(rows) < 2 or not view.same_work:
        return None
    if view.drifted:
        return _strips(view)
    if view.pooled is not None:
        return _pooled_figure(view, view.pooled)
    if (panels := _slopes(view)) is not None:
        return panels
    if (view.few and not any(row.noticeable for row in rows)) or (view.strata and not view.decided):
        return None
    shown = (view.decided or _largest(rows))[:_MOST_IN_FIGURE]
    finding = (
        say("share", some=str(len(view.decided)), n=count(len(view.judged), "comparison"), what="changed beyond noise")
        if view.decided
        else (f"The largest differences of {view.answer.name}",)
    )
    return _forest(
        view, shown, finding, f"the {len(shown)} largest of {len(view.judged)}" if len(shown) < len(rows) else ""
    )


def _strips(view: _View) -> Figure:
    metric = view.controls[0].metric
    could = [row for row in view.timed if row.metric == metric and row.ratio > 0]
    cannot = [row for row in view.controls if row.metric == metric and row.ratio > 0]
    groups = [("Could be affected", could), ("Cannot be affected", cannot)]
    shown, middles = [], []
    for title, rows in groups:
        if not rows:
            continue
        middle = _middle(rows)[0]
        middles.append(middle)
        words = write(Number(value=middle, unit="x", digits=2))
        shown.append(
            Strip(
                f"{title} ({count(len(rows), 'benchmark')})",
                [_dot(view, row) for row in rows],
                middle,
                f"median {words}",
            )
        )
    most = len(middles) == 2 and abs(math.log(middles[1])) > abs(math.log(middles[0]))
    slowed = middles[-1] > 1 and view.controls[0].better == "lower"
    moved = f"{'slowed' if slowed else 'changed'}{' most' if most else ' too'}"
    return Figure(
        finding=begun(say("comparison.unreached", moved=moved)),
        panels=(Panel(chart=strips(shown, f"{noun(metric)}, {view.new} ÷ {view.old}")),),
        alt=f"{noun(metric)} in {view.new} over {view.old}, one dot a benchmark: "
        + "; ".join(f"{strip.title}, {strip.words}" for strip in shown),
    )


def _dot(view: _View, row: ComparisonRow) -> Dot:
    size, way = amount(row.ratio)
    words = f"{view.name(row)}: {write(size)} {way.removeprefix('times')}".rstrip()
    sure = row.verdict in ("better", "worse")
    return Dot(row.ratio, words, row.ratio_low, row.ratio_high, sure, row.verdict == "worse")


def _pooled_figure(view: _View, pooled: FactorPool) -> Figure:
    shown = []
    for level in pooled.levels:
        size, way = amount(level.ratio)
        title = f"{_level(pooled.axis, level.level)} ({count(len(level.rows), 'configuration')})"
        shown.append(Strip(title, [_dot(view, row) for row in level.rows], level.ratio, f"{write(size)} {way}"))
    ways = [
        f"{'slower' if level.ratio > 1 else 'faster'} at {_level(pooled.axis, level.level)}" for level in pooled.levels
    ]
    if pooled.metric not in ("time",) and not pooled.metric.startswith("latency"):
        ways = [way.replace("slower", "higher").replace("faster", "lower") for way in ways]
    return Figure(
        finding=begun(say("comparison.finding.pooled", new=view.new, ways=listed(ways))),
        panels=(
            Panel(chart=pooled_dots(shown, f"{noun(pooled.metric)}, {view.new} ÷ {view.old}; line: geometric mean")),
        ),
        alt="; ".join(f"{strip.title}: {strip.words}" for strip in shown),
    )


def _slopes(view: _View) -> Figure | None:
    """Draw things at two or three places, one panel a metric, where the values are few."""
    if len(view.axes) != 1 or view.axes[0] in THINGS or not view.few:
        return None
    (axis,) = view.axes
    places = list(dict.fromkeys(row.key.get(axis) for row in view.judged))
    if not 2 <= len(places) <= 3:
        return None
    values = _by_side(view, axis)
    sides = [side.name for side in view.answer.sides]
    metrics = list(dict.fromkeys(row.metric for row in view.judged))
    # The longest of all requests says least.
    metrics = [metric for metric in metrics if metric != "latency_max"] if len(metrics) > _MOST_PANELS else metrics
    panels = []
    for metric in metrics[:_MOST_PANELS]:
        lines = [Line(view.side(side), [values.get((metric, place, side)) for place in places]) for side in sides]
        lines = [line for line in lines if all(line.values)]
        if not lines:
            continue
        numbers = [value for line in lines for value in line.values if value is not None]
        row = next(row for row in view.judged if row.metric == metric)
        unit = scaled(max(value.value for value in numbers), row.unit)[1]
        title = noun(metric)
        panels.append(
            Panel(
                chart=slope(lines, [level_name(view.study, axis, place) for place in places]),
                title=f"{title[:1].upper()}{title[1:]}, {unit}",
            )
        )
    if not panels:
        return None
    ends = {"first": level_name(view.study, axis, places[0]), "last": level_name(view.study, axis, places[-1])}
    first = [row for row in view.first if row.key.get(axis) in (places[0], places[-1])]
    shrinks = len(first) == 2 and _size(first[1]) < _size(first[0])
    finding: Text = (
        begun(say("comparison.finding.slope", new=view.new, **ends)) if shrinks else (f"{view.answer.name}",)
    )
    return Figure(
        finding=finding,
        panels=tuple(panels),
        alt=f"{listed([panel.title for panel in panels])} of {listed(sides)} from {ends['first']} to {ends['last']}.",
        note="" if view.n == 1 else f"medians of {view.repeats}",
    )


def _by_side(view: _View, axis: str) -> dict[tuple[str, object, str], Number]:
    values: dict[tuple[str, object, str], Number] = {}
    for row in view.judged:
        for side, name in (("baseline", row.baseline), ("candidate", row.candidate)):
            values.setdefault((row.metric, row.key.get(axis), name), _value(row, side))
    return values


def _forest(view: _View, rows: Sequence[ComparisonRow], finding: Text, note: str = "", *, words: bool = True) -> Figure:
    several = len({row.metric for row in rows}) > 1
    pairs = len({_pair(row) for row in rows}) > 1
    names = []
    for row in rows:
        name = view.name(row, row.metric if several or not row.key else "")
        names.append(f"{view.pair(row)}: {name}" if pairs else name)
    return Figure(
        finding=finding,
        panels=(
            Panel(
                chart=forest(names, [_dot(view, row) if words else _dot(view, row)._replace(words="") for row in rows])
            ),
        ),
        alt="; ".join(
            f"{name} {write(amount(row.ratio)[0])} {amount(row.ratio)[1]}"
            for name, row in zip(names[:8], rows, strict=False)
        ),
        note="; ".join(part for part in ("filled: beyond noise, bars: 95% intervals", note) if part),
    )


# ---- tables ----


def _table(view: _View) -> Table | None:
    """Return the evidence: groups where the machine moved, things at places, else the rows that changed most."""
    if not view.judged:
        return None
    if view.drifted and view.same_work:
        return _groups_table(view)
    if axis := _side_by_side(view):
        return _places_table(view, axis)
    sure = ("better", "worse")
    decided = view.decided if view.judged is not view.timed else [*view.decided, *_largest(view.counts_changed)]
    others = [row for row in _largest(view.judged) if row.verdict not in sure]
    return _rows_table(view, [*decided, *others][:_MOST_VALUES], "")


def _side_by_side(view: _View) -> str:
    """Return the axis along which several things stand side by side in one table; "" where there is none."""
    several = len(view.axes) == 1 and view.axes[0] not in THINGS and len(view.answer.sides) > 2
    return view.axes[0] if several and (view.few or not view.same_work) else ""


def _groups_table(view: _View) -> Table:
    """Return one row a group of benchmarks: what could be affected, each control, and the counts."""
    metric = view.controls[0].metric
    name = noun(metric)
    groups = [(f"{name}, could be affected", [row for row in view.timed if row.metric == metric])]
    groups += [(f"{name}, cannot be affected", [row for row in view.controls if row.metric == metric])]
    groups += [(noun(metric), [row for row in view.answer.rows if row.metric == metric]) for metric in COUNTS]
    cells: list[tuple[Cell, ...]] = [_group(name, rows) for name, rows in groups if rows]
    cells += [
        (
            f"cannot be affected: {control.condition.removeprefix('pkg=').removeprefix('*/')}",
            Number(value=float(control.rows), evidence=control.evidence),
            Number(value=control.middle, unit="x", digits=2, evidence=control.evidence),
            None,
            None,
            None,
        )
        for control in view.answer.controls
        if control.metric == metric and len(view.answer.controls) > 1
    ]
    heads = ("comparisons", "median", "smallest", "largest", "unchanged")
    ratios = heads[1:4]
    columns = [Column(head=head, kind="number", unit="x" if head in ratios else "") for head in heads]
    return Table(
        caption=f"What moved, and by how much: {view.new} ÷ {view.old}",
        columns=(Column(head=""), *columns),
        rows=tuple(cells),
    )


def _group(name: str, rows: Sequence[ComparisonRow]) -> tuple[Cell, ...]:
    """Return how many rows a group has, the median, the ends, and how many of them did not change."""
    middle, evidence = _middle(rows)
    ratios = [row.ratio for row in rows if math.isfinite(row.ratio)]
    same = sum(row.verdict == "same" for row in rows)
    sizes = (middle, min(ratios, default=math.nan), max(ratios, default=math.nan))
    return (
        name,
        Number(value=float(len(rows)), evidence=evidence),
        *(Number(value=size, unit="x", digits=2, evidence=evidence) for size in sizes),
        Number(value=float(same), evidence=evidence) if rows[0].metric in COUNTS else None,
    )


def _places_table(view: _View, axis: str, *, whole: bool = False) -> Table:
    """Return one row a metric and place, one column a side, and the change between the first pair.

    In a table of the whole comparison the change alone leads to the places of all values.
    """
    values = _by_side(view, axis)
    sides = [side.name for side in view.answer.sides]
    places = list(dict.fromkeys((row.metric, row.key.get(axis)) for row in view.judged))
    changes = {(row.metric, row.key.get(axis)): row for row in view.judged if _pair(row) == _pair(view.first[0])}
    rows = []
    for metric, place in places:
        row = changes.get((metric, place))
        size = change(row.ratio, metric, row.evidence, bare=True) if row is not None else None
        cells = [values.get((metric, place, side)) for side in sides]
        if whole:
            cells = [None if cell is None else measured(cell.value, cell.unit) for cell in cells]
        rows.append((f"{noun(metric)}, {level_name(view.study, axis, place)}", *cells, size))
    return Table(
        caption=f"What each delivers; the change is {view.new} instead of {view.old}",
        columns=(
            Column(head=""),
            *(Column(head=view.side(side), kind="number") for side in sides),
            Column(head="change"),
        ),
        rows=tuple(rows),
    )


def _rows_table(view: _View, rows: Sequence[ComparisonRow], caption: str, *, whole: bool = False) -> Table:
    """Return rows with both sides, the size of the change, how sure it is, and its verdict as a phrase of five.

    In a table of the whole comparison, which may have thousands, the change alone leads to the places of all values:
    the values stand in the table of all measurements.
    """
    pairs = len({_pair(row) for row in view.answer.rows}) > 1
    cells: list[tuple[Cell, ...]] = []
    for row in rows[:_MOST_ROWS]:
        said = _read(row, view.study)
        name = view.name(row, row.metric)
        behind = replace(row.evidence, values=(), unit="") if whole else row.evidence
        sides = [
            measured(value, row.unit) if whole else _value(row, side)
            for side, value in (("baseline", row.baseline_median), ("candidate", row.candidate_median))
        ]
        cells.append(
            (
                f"{view.pair(row)}: {name}" if pairs else name,
                *sides,
                change(_from_zero(said), said.metric, behind, bare=said is row),
                _sure(view, row),
                *([_phrase(row)] if view.same_work else []),
            )
        )
    left = len(rows) - len(cells)
    # Medians of all values need not differ as the ratios within rounds do.
    word = rows[0].repeats[1] if rows and rows[0].blocks else ""
    change_head = f"change by {word}" if word else "change"
    heads = [Column(head=head) for head in (change_head, "how sure", *(["verdict"] if view.same_work else []))]
    return Table(
        caption=(caption or f"{view.answer.name}: the largest changes") + (f"; {left:,} more in JSON" if left else ""),
        columns=(
            Column(head=""),
            Column(head=view.old if view.one_baseline else "before", kind="number"),
            Column(head=("others" if view.one_baseline else "after") if pairs else view.new, kind="number"),
            *heads,
        ),
        rows=tuple(cells),
    )


def _from_zero(row: ComparisonRow) -> float:
    """Return the ratio of a row; nothing against nothing is no change."""
    return 1.0 if row.difference == 0 else row.ratio


def _phrase(row: ComparisonRow) -> str:
    return NOT_COMPARED if row.control else VERDICTS[row.verdict]


def _sure(view: _View, row: ComparisonRow) -> Text:
    """Say how certain a change is: its interval, or the runs that agree, or how few there are."""
    if row.constant:
        return ("identical in all values",)
    if row.difference_low == row.difference_high:
        return ("the same in all values of a side",)
    if view.drifted and row.metric not in COUNTS:
        return ("the machine moved",)
    if math.isfinite(row.ratio_low) and math.isfinite(row.ratio_high):
        ends = (max(row.ratio_low, 0.0), row.ratio_high)
        limit = ", at your limit" if row.reason == "at the limit" else ""
        if row.ratio >= 2:
            low, high = (Number(value=end, unit="x", digits=2, bare=True) for end in ends)
            return (low, " to ", high, f" times{limit}")
        low, high = (Number(value=end - 1, unit="ratio", digits=2) for end in ends)
        return (low, " to ", high, limit)
    if min(row.baseline_n, row.candidate_n) == 1:
        return ("one run each",)
    ways = {ratio > 1 for ratio in row.ratio_by_run.values()}
    return (f"in all {len(row.ratio_by_run)} runs" if len(ways) == 1 else f"{count(*row.repeats)} each",)


def every_comparison(answers: _Answers, study: Study) -> list[Block]:
    """Return a fold of all rows for each comparison that has more than its finding shows."""
    answered = [answer for answer in answers if isinstance(answer, ComparisonAnswer) and answer.rows]
    views = [_View(answer, study) for answer in answered]
    return [every_row(view.answer, study) for view in views if len(view.answer.rows) > min(len(view.judged), _SHOWN)]


def told_elsewhere(answer: ComparisonAnswer, study: Study, axes: Collection[str]) -> bool:
    """Whether other work is compared along an axis of which another question tells what each level costs."""
    return not _View(answer, study).same_work and answer.column in axes


def every_row(answer: ComparisonAnswer, study: Study) -> Fold:
    """Return the forest and the table of all rows, folded."""
    view = _View(answer, study)
    drawn = [row for row in answer.rows if row.metric not in COUNTS and math.isfinite(row.ratio) and row.ratio > 0]
    drawn = _largest(drawn)[:_MOST_IN_FOREST]
    blocks: list[Block] = []
    if len(drawn) > 1 and view.same_work:
        # The table below has the values of each row: no words for hovering.
        blocks.append(_forest(view, drawn, (f"{answer.name}: every difference, the largest first",), words=False))
    # A count that is the same in all runs of both sides is said by its number.
    shown = [row for row in answer.rows if row.metric not in COUNTS or row.verdict != "same"]
    same = len(answer.rows) - len(shown)
    shown = _largest(shown) if len(shown) > _MOST_ROWS else shown
    caption = f"{answer.name}: every comparison"
    caption += f", but {same:,} of memory and allocations without a change" if same else ""
    axis = "" if view.same_work else _side_by_side(view)
    blocks.append(_places_table(view, axis, whole=True) if axis else _rows_table(view, shown, caption, whole=True))
    if answer.missing:
        blocks.append(List(items=tuple((f"{name}: {NOT_COMPARED}",) for name in answer.missing[:20])))
    line = f"{answer.name}: all {count(len(answer.rows), 'comparison')}"
    return Fold(line=(line,), blocks=tuple(blocks), anchor=f"rows-{slug(answer.name)}")


# ---- what to measure next, and what study.toml can name ----


def next_steps(answers: _Answers, study: Study) -> tuple[Block, ...]:
    """Return the measurements that would settle most."""
    steps: list[Text] = []
    for answer in answers:
        if isinstance(answer, Refusal) or not answer.rows:
            continue
        view = _View(answer, study)
        go = any(row.unit == "sec/op" for row in view.timed)
        if view.drifted or any(caveat.code in (*_MOVED, "sequential-runs") for caveat in answer.caveats):
            command = Code(f"sh schedules/interleave.sh -n 10 {view.old.upper()} {view.new.upper()} > results.txt")
            in_turn: Text = (f"Record {view.old} and {view.new} in turn on an idle machine",)
            steps.append((*in_turn, ": ", command) if go else in_turn)
        elif view.few and view.judged:
            times = values_needed(answer.confidence_level)
            own = study.commands[0] if study.commands else ""
            said = f"Measure each configuration {times} times, in random order"
            steps.append((f"{said}: ", Code(own)) if own else (said,))
    unique = tuple(dict.fromkeys(steps))[:3]
    return (List(items=unique),) if unique else ()


def _values(views: Sequence[_View]) -> Iterator[tuple[str, Number]]:
    """Give the numbers that a sentence of study.toml can name: the first comparison without a prefix."""
    for number, view in enumerate(views):
        prefix = f"{slug(view.answer.name)}." if number else ""
        for name, value in _values_of(view):
            yield f"{prefix}{name}", value


def _values_of(view: _View) -> Iterator[tuple[str, Number]]:
    for name, rows in (("timings", view.timed), ("allocations", view.allocations)):
        same = [row for row in rows if row.verdict == "same"]
        decided = [row for row in rows if row.verdict != "cannot tell"]
        yield f"{name}.all", _counted(rows, "compared")
        yield f"{name}.unchanged", _counted(same, "without a change", rows)
        yield f"{name}.decided", _counted(decided, "that are decided", rows)
    if view.controls:
        ratio, evidence = _middle(view.controls)
        yield "controls.times", Number(value=ratio, unit="x", digits=2, evidence=evidence)
    if view.pooled is not None:
        for level in view.pooled.levels:
            name = f"{view.pooled.metric}.{slug(f'{view.pooled.axis} {level.level}')}"
            yield name, amount(level.ratio, level.evidence)[0]
            yield f"{name}.ratio", Number(value=level.ratio, unit="x", evidence=level.evidence)
    first = _pair(view.judged[0]) if view.judged else ("", "")
    for row in view.judged if len(view.judged) <= _MOST_VALUES else ():
        pair = "" if _pair(row) == first else f"{slug(row.candidate)}_instead_of_{slug(row.baseline)}."
        name = ".".join([f"{pair}{row.metric}", *(slug(str(level)) for level in row.key.values())])
        if math.isfinite(row.ratio):
            yield name, amount(row.ratio, row.evidence)[0]
            yield f"{name}.ratio", Number(value=row.ratio, unit="x", evidence=row.evidence)
