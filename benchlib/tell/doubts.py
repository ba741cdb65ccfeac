"""What could be wrong with an answer: the caveats of all answers, merged by their cause and ordered by their weight."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from benchlib.caveats import SEVERITIES, Caveat
from benchlib.document.blocks import Doubt, Link
from benchlib.document.words import count, listed
from benchlib.tell.sentences import begun, percents

#: Kinds of doubt that are told in full.
_MOST = 5

#: Code -> how far it could move an answer (3 most), and what it is in a few words.
_SHORT: dict[str, tuple[int, str]] = {
    "answer-broken": (9, "the author's answer no longer holds"),
    "curves-disagree": (3, "two measures disagree"),
    "controls-moved": (3, "unchanged code moved too"),
    "meant": (0, "what is asked was read from the files"),
    "names-read": (0, "levels were read from names"),
    "repeats-read": (0, "repeats were read from names"),
    "repeats-differ": (2, "repeats differ widely"),
    "files-apart": (1, "nothing says which files repeat"),
    "no-unit": (1, "a unit is missing"),
    "unread-files": (0, "some files were not read"),
    "passed-over": (0, "reports were passed over"),
    "one-run": (0, "one run"),
    "possible-controls": (3, "what the change may not reach moved too"),
    "axis-as-text": (0, "an axis is a number in some runs, text in others"),
    "time-in-future": (1, "a run is dated in the future"),
    "other-branches": (0, "runs of other branches are left out"),
    "rebased": (0, "some commits were rebased or squashed"),
    "off-the-line": (1, "some commits are not on the line"),
    "moved-at-once": (2, "half of all series moved at once"),
    "two-modes": (1, "some series switch between two levels"),
    "all-moved-alike": (3, "everything moved alike, as a drifting machine does"),
    "not-in-history": (1, "no history of some rows"),
    "within-history": (1, "runs of the same code differ by as much"),
    "moved-while-recorded": (3, "results moved while they were recorded"),
    "sequential-runs": (3, "recorded one after the other"),
    "noisy-machine": (3, "the machine was noisy"),
    "mixed-structure": (3, "levels were built differently"),
    "means-disagree": (3, "two measures of mean latency disagree"),
    "tail-beyond-percentiles": (3, "the slowest requests lie beyond the percentiles"),
    "levels-failed": (3, "some levels failed"),
    "unstable-runs": (2, "one run stands out"),
    "generator-changed": (3, "load generator changed"),
    "level-is-time": (3, "measured in order"),
    "drifted-far": (2, "the machine drifted far"),
    "drift-removed": (1, "the machine drifted"),
    "exact-data": (0, "numbers on a law, not measured"),
    "one-replicate": (2, "single runs"),
    "littles-law": (2, "requests exceed connections"),
    "latency-corrected": (1, "wrk adjusts latencies"),
    "oversubscribed": (2, "more threads than cores"),
    "results-lost": (2, "unreadable files"),
    "failed-results": (2, "failed calls left out"),
    "few-failures": (0, "a few calls failed"),
    "latency-excludes-timeouts": (2, "time-outs in no percentile"),
    "few-levels": (2, "few levels"),
    "laws-disagree": (1, "laws part beyond"),
    "closed-loop": (1, "closed-loop load"),
    "cores-unknown": (1, "cores not recorded"),
    "few-samples": (1, "few repeats"),
    "cannot-detect": (2, "small effects unseen"),
    "trend-in-run": (2, "results rose or fell while they were recorded"),
    "order-unknown": (1, "the order of recording is unknown"),
    "outliers": (0, "single values lie far out"),
    "fixed-cost": (0, "a fixed cost is spread over more operations on one side"),
    "one-sided-rows": (2, "unmatched benchmarks"),
    "superlinear": (0, "the first step grew faster than the load"),
    "environment-differs": (3, "the sides ran in different environments"),
    "few-cells": (1, "few configurations"),
    "form-uncertain": (0, "other cost models fit nearly as well"),
    "rival-model": (0, "other cost models fit nearly as well"),
    "effect-differs": (0, "one factor changes the effect of another"),
    "metric-missing": (0, "a metric is missing in some configurations"),
    "problems-in-files": (1, "unreadable lines"),
    "two-levels": (0, "two levels show no curve"),
    "confounded": (1, "two factors changed together"),
    "poor-fit": (0, "costs are not even"),
    "missing-cells": (0, "missing configurations"),
    "mixed-levels": (1, "a factor mixes words and numbers"),
    "doubted-rows": (2, "shares rest on rows that the study does not trust"),
    "parts-exceed-whole": (2, "the parts cost more than the whole"),
    "parallel-inside": (2, "one worker uses several cores"),
    "mean-of-other-runs": (2, "mean and percentiles are of different runs"),
    "nodes-in-proportion": (3, "no balancer measured"),
    "levels-left-out": (1, "levels beyond the cores were left out"),
    "points-not-laws": (0, "no law explains the levels"),
    "beyond-range": (2, "the node is larger than what was measured"),
    "mix-scales-alike": (1, "the mix is taken to scale as one operation does"),
    "currency-unnamed": (0, "prices name no currency"),
    "without-run": (1, "some values belong to no run"),
    "few-values-in-runs": (0, "few values in a run"),
    "residue": (2, "different configurations are pooled"),
    "on-bound": (1, "a coefficient lies on its bound"),
    "far-beyond-range": (3, "far beyond what was measured"),
    "special-cell": (1, "one configuration is a special case"),
}


def short(caveat: Caveat) -> str:
    """Return a caveat in a few words."""
    return _SHORT[caveat.code][1] if caveat.code in _SHORT else caveat.code.replace("-", " ")


def _weight(caveat: Caveat) -> tuple[int, int]:
    return -_SHORT.get(caveat.code, (0, ""))[0], SEVERITIES.index(caveat.severity)


def _merged(caveats: Iterable[Caveat]) -> list[list[Caveat]]:
    caveats = list(caveats)
    # Few repeats are said once, however many answers meet them.
    if {caveat.code for caveat in caveats} & {"cannot-detect", "one-replicate"}:
        caveats = [caveat for caveat in caveats if caveat.code != "few-samples"]
    ordered = sorted(caveats, key=lambda caveat: (*_weight(caveat), caveat.code))
    return [list(group) for _, group in groupby(ordered, key=lambda caveat: caveat.code)]


def doubts(caveats: Iterable[Caveat], most: int = _MOST) -> tuple[Doubt, ...]:
    """Return what could be wrong, the gravest first, each cause once with its fix."""
    every = []
    for group in _merged(caveats)[:most]:
        first = group[0]
        more = f" ({len(group) - 1} more of this kind)" if len(group) > 1 else ""
        text = begun((f"{short(first)}: {percents(first.message)}{more}.",))
        every.append(Doubt(anchor=f"doubt-{first.code}", text=text, fix=(percents(first.advice),)))
    return tuple(every)


def other_doubts(caveats: Iterable[Caveat], most: int = _MOST) -> str:
    """Return how many doubts were left out, and what they are in a few words; "" where none was."""
    told = [short(group[0]) for group in _merged(caveats)]
    others = [words for words in dict.fromkeys(told[most:]) if words not in told[:most]]
    return f"{count(len(others), 'lesser doubt')}: {listed(others)}." if others else ""


def links(caveats: Iterable[Caveat], most: int = 3) -> tuple[Link, ...]:
    """Return the gravest doubts in a few words each, as links to them."""
    groups = _merged(caveats)[:most]
    return tuple(Link(short(group[0]), f"doubt-{group[0].code}") for group in groups)
