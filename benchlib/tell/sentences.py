"""Every sentence that benchlib says of an answer: one template each, with its condition and an example.

A writer edits words here and nowhere else. ``{name}`` is a number or words; `say` puts them in.
``python -m benchlib.tell.sentences > docs/sentences.md`` writes the list for people.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from benchlib.document.blocks import Number, Text

__all__ = ["SENTENCES", "Sentence", "fill", "listing", "say", "without_stop"]


class Sentence(NamedTuple):
    """A template, the condition under which it is used, and what it reads like where that says more."""

    template: str
    when: str
    example: str


SENTENCES: dict[str, Sentence] = {
    # scaling: answers
    "scaling.plateau": Sentence(
        "{system} delivers {rate} with {level}; more {axis} add nothing.",
        "one curve stays within 5% of its ceiling from a level on",
        "hash delivers 10,400 req/s with 2 connections; more connections add nothing.",
    ),
    "scaling.peak": Sentence(
        "{system} peaks at {level} with {rate} and loses {loss} by {last}.",
        "one curve falls beyond its best level",
        "specsdm91 peaks at 97 users with 1,850 scripts/h and loses 8.1% by 216 users.",
    ),
    "scaling.rises": Sentence(
        "{system} still gains at {last}: {rate}, {times} what {first} delivers.",
        "one curve grows up to its last level",
        "Discover still gains at 16 threads: 18,500 op/s, 2.9 times what 1 thread delivers.",
    ),
    "scaling.many": Sentence(
        "Throughput stops growing at {places}.",
        "several curves, each with a level that no higher level beats",
        "Throughput stops growing at 34,400 req/s for json (2 connections) and 310 op/s for raytracer (64).",
    ),
    "scaling.alike": Sentence(
        "All {curves} curves stop growing at {level}, with {low} to {high}.",
        "more curves than are named one by one, all with one level that no higher level beats",
        "All 6 curves stop growing at 1 worker, with 59.5 to 62.5 op/s.",
    ),
    "scaling.place": Sentence(
        "{rate} for {system} ({level})", "one of several curves", "10,300 req/s for hash (2 connections)"
    ),
    "scaling.sweet": Sentence(
        "{level} deliver {rate}, {times} what {first} delivers; {after} add {gain}.",
        "one system, and an axis that one buys",
        "4 threads deliver 13,700 op/s, 2.2 times what 1 thread delivers; 8 threads add 18%.",
    ),
    "scaling.sweet_loses": Sentence(
        "{level} deliver {rate}, {times} what {first} delivers; {after} add nothing.",
        "the same, and the next level is not faster",
        "4 threads deliver 7,300 op/s, 3.8 times what 1 thread delivers; 8 threads add nothing.",
    ),
    "scaling.peaks": Sentence(
        "{peaks} of {curves} curves peak, at about {levels}, and lose throughput beyond; {rest}.",
        "several curves peak by their laws, others do not",
        "3 of 4 curves peak, at about 97, 7 and 7, and lose throughput beyond; raytracer does not peak.",
    ),
    "scaling.all_peak": Sentence(
        "All {curves} curves peak, at about {levels}, and lose throughput beyond.",
        "every curve peaks by its law",
        "All 2 curves peak, at about 7 and 9, and lose throughput beyond.",
    ),
    "scaling.none": Sentence(
        "These results cannot tell how throughput grows: {reason}.",
        "no curve could be drawn",
        "These results cannot tell how throughput grows: no axis is named as concurrency.",
    ),
    # scaling: decisions and findings
    "scaling.use": Sentence("Use {levels}.", "a level is best for each curve", "Use 4 threads."),
    "scaling.beyond": Sentence(
        "Do not decide yet: measure beyond {last}.",
        "every curve still rises at its last level",
        "Do not decide yet: measure beyond 16 threads.",
    ),
    "scaling.finding.many": Sentence(
        "Throughput stops growing at {places}",
        "several curves",
        "Throughput stops growing at 2 (json, hash) and 8 (cheap)",
    ),
    "scaling.finding.one": Sentence(
        "Beyond {level} throughput gains {gain}", "one system", "Beyond 4 threads throughput gains at most 35%"
    ),
    "scaling.finding.rises": Sentence(
        "{system} still gains at {last}",
        "one system that grows to its last level",
        "Discover still gains at 16 threads",
    ),
    # effects
    "effects.each": Sentence(
        "each {unit} adds {cost} to {system}{where}",
        "a number has one cost for each that its cells bear out",
        "Each output adds 11 ms to Sender (32 bits, BN254)",
    ),
    "effects.ratio": Sentence(
        "{level} {verb}{times}", "a level beside its baseline, by 5% or more", "64 bits cost 1.8 times"
    ),
    "effects.little": Sentence(
        "{factors} hardly {verb}", "factors that change the cost by less than 5%", "inputs and proof hardly matter"
    ),
    "effects.special": Sentence(
        "{place}: {times} {compared}",
        "configurations that the others do not explain",
        "1 input, 1 output: 28 times cheaper",
    ),
    "effects.level": Sentence(
        "{level} costs {times} what {baseline} does: {value} instead of {base}.",
        "only words were varied",
        "confirm costs 1.3 times what discover does: 221 µs instead of 164 µs.",
    ),
    "effects.uneven": Sentence(
        "{system} costs {low} with {first} and {high} with {last}, not evenly between.",
        "no one cost for each holds",
        "fan out costs 30 ns with 0 subscribers and 2.0 µs with 100 subscribers, not evenly between.",
    ),
    "effects.undecided": Sentence(
        "No {factors} is shown to cost more than another: single runs differ as much.",
        "no interval leaves out a ratio of 1",
        "No case is shown to cost more than another: single runs differ as much.",
    ),
    "effects.cut": Sentence(
        "Cut {factor} first{prefer}.",
        "a number has one cost for each",
        "Cut outputs first; prefer 32 bits and BN254.",
    ),
    "effects.plan": Sentence(
        "Plan by {level}, the most costly {factor}.",
        "only words were varied",
        "Plan by confirm, the most costly action.",
    ),
    "effects.finding.each": Sentence(
        "Each {unit} costs the same again",
        "a number has one cost for each",
        "Each output costs the same again",
    ),
    "effects.finding.uneven": Sentence(
        "The cost does not grow evenly with {factor}",
        "no one cost for each holds",
        "The cost does not grow evenly with subscribers",
    ),
    "effects.finding.level": Sentence(
        "{most} costs most, {least} least", "only words were varied", "confirm costs most, discover least"
    ),
    "effects.finding.overlap": Sentence(
        "Runs of one {factor} differ as much as one {factor} from another",
        "no ratio leaves out 1",
        "Runs of one case differ as much as one case from another",
    ),
    "effects.next": Sentence(
        "Measure {place} {times}: {chosen} if the chosen cost model is right, {rival} if its closest rival is.",
        "rival cost models",
        "Measure 64 bits, 6 outputs 3 times: 120 ms if the chosen cost model is right, 131 ms if its closest rival is.",
    ),
    # where the time goes
    "not_judged": Sentence(
        "{what} is not judged: {reason}.",
        "the study does not trust the rows, or nothing pins the numbers down",
        "Where Sender spends its time is not judged: the machine was busy with other work.",
    ),
    "breakdown.parts": Sentence(
        "{part} takes {share} of {whole}.",
        "a whole and its parts were measured",
        "Proof generation takes 56% of sender.",
    ),
    "breakdown.worker": Sentence(
        "{more} {verb} {gain}; one already did {cores} cores' worth of work.",
        "one worker does more than one serial call",
        "A second worker adds 32%; one already did 1.4 cores' worth of work.",
    ),
    "breakdown.lost": Sentence(
        "{level} lose {share} of what as many serial calls would do.",
        "workers do less than as many serial calls",
        "2 workers lose 8.4% of what as many serial calls would do.",
    ),
    # latency
    "latency.tail": Sentence(
        "{system}: {median}one request in {many} takes longer than {high}.",
        "percentiles were measured",
        "hash with 64 connections: median 6.5 ms; one request in 100 takes longer than 173 ms.",
    ),
    "latency.hidden": Sentence(
        "{system}: {median}by its mean the slowest {share} take {bound} or more on average{unless}.",
        "the mean lies above a high percentile",
        "Discover: median 130 µs; by its mean the slowest 5% take 684 µs or more on average.",
    ),
    "latency.within": Sentence(
        "The {statistic} stays within {limit} up to {places}.",
        "a limit is set, and a sweep was timed",
        "The 99th percentile of latency stays within 5 ms up to 8 connections for cheap and 2 connections for hash.",
    ),
    "latency.grows": Sentence(
        "The {statistic} of {system} grows from {low} with {first} to {high} with {last}.",
        "a sweep was timed, and no limit is set",
        "The 99th percentile of latency of hash grows from 300 µs with 1 connection to 240 ms with 128 connections.",
    ),
    "latency.finding": Sentence(
        "Beyond {places} {axis} the {statistic} exceeds {limit}",
        "a limit and a sweep",
        "Beyond 8 (cheap) and 2 (hash) connections the 99th percentile of latency exceeds 5 ms",
    ),
    "latency.no_limit": Sentence(
        "Set a latency limit in study.toml, then use the highest level that keeps it.", "no limit is set", ""
    ),
    # comparison: answers
    "comparison.drift": Sentence(
        "These recordings cannot tell whether {new} differs from {old}: code that the change cannot reach took "
        "{change} in {new}.{counts}",
        "controls moved",
        "These recordings cannot tell whether new differs from old: code that the change cannot reach took "
        "2.3 times the time in new. Allocations are unchanged.",
    ),
    "comparison.alike": Sentence(
        "These recordings cannot tell whether {new} differs from {old}: {doubt}.{counts}",
        "no control, and the machine moved or was not the same",
        "These recordings cannot tell whether new differs from old: everything moved alike.",
    ),
    "comparison.places": Sentence(
        "{new} instead of {old}: {changes}{runs}.",
        "few rows of one pair, or one pooled by a factor",
        "post instead of post-redis: 29% less median latency (direct), 13% less (apisix); one run each.",
    ),
    "comparison.changed": Sentence(
        "{new} changes {changed} of {n} beyond noise, {rank} {where}: {change}.{counts}",
        "some rows are decided",
        "new changes 3 of 62 comparisons beyond noise, at worst encode: 22% more time. Allocations are unchanged.",
    ),
    "comparison.same": Sentence(
        "{new} and {old} do not differ beyond noise in any of {n}.{counts}",
        "every row is decided and none differs",
        "new and old do not differ beyond noise in any of 62 comparisons.",
    ),
    "comparison.undecided": Sentence(
        "These results cannot tell {new} from {old}: the largest difference is {change}{runs}.{counts}",
        "no row is decided",
        "These results cannot tell new from old: the largest difference is 7.9% less time, within noise.",
    ),
    "comparison.note": Sentence(
        "Intervals are at 95%, each by itself; verdicts allow for the number of comparisons.",
        "rows have intervals and verdicts",
        "",
    ),
    # comparison: decisions
    "comparison.alternate": Sentence(
        "Do not decide on time yet: record {old} and {new} in alternation on an idle machine.",
        "the machine moved, or a study says that one side was recorded after the other",
        "Do not decide on time yet: record old and new in alternation on an idle machine.",
    ),
    "comparison.repeat": Sentence(
        "Do not decide yet: measure each configuration {n} times, in turn.",
        "fewer runs than an interval takes",
        "Do not decide yet: measure each configuration 6 times, in turn.",
    ),
    "comparison.look": Sentence(
        "Look into {where} before you take {new}.", "a row is worse", "Look into encode before you take new."
    ),
    "comparison.use": Sentence("Use {side}.", "rows are better, none worse; or nothing differs", "Use either."),
    # comparison: confidence, figures, findings
    "comparison.drifted": Sentence(
        "unchanged code moved too; high for allocations.",
        "controls moved, and counts are the same",
        "",
    ),
    "comparison.finding.drift": Sentence(
        "Code that the change cannot reach {moved}",
        "controls moved",
        "Code that the change cannot reach slowed most",
    ),
    "comparison.finding.slope": Sentence(
        "{new} gains less at {last} than at {first}",
        "one pair at two places or more, and less is left at the last",
        "Post gains less at apisix than at direct",
    ),
    "comparison.finding.changed": Sentence(
        "{changed} of {n} changed beyond noise", "some rows are decided", "3 of 62 changed beyond noise"
    ),
    "comparison.finding.pooled": Sentence(
        "{new} is {ways} in every configuration", "a factor turns the difference", "Csp is slower at bits 32 and ..."
    ),
    "comparison.small": Sentence(
        "No {things} differs from {old} by more than {limits}; {runs}",
        "few runs, and no difference beyond noise",
        "No executor differs from serial by more than 4.1% (throughput) or 8.6% (p99); 3 runs each",
    ),
    "comparison.work": Sentence(
        "{things} do other work than {old}: {changes}",
        "the sides do different work: none is better or worse",
        "hash and json do other work than cheap: 64% less throughput for json",
    ),
    # targets and claims
    "targets": Sentence(
        "{some} of {n} targets {status}{before}",
        "the study sets any; before: where the old side missed them too",
        "3 of 5 targets missed, 2 before the change too",
    ),
    "claims": Sentence(
        "Earlier claims, checked: {counts}",
        "the study quotes any",
        "Earlier claims, checked: 1 contradicted and 5 not testable",
    ),
    # nothing to conclude, nothing to answer
    "noisy": Sentence(
        "No conclusion: the same code varied {ratio}-fold between runs.",
        "the median spread between runs of the same code is beyond what counts as quiet",
        "No conclusion: the same code varied 2.6-fold between runs.",
    ),
    "noisy.decision": Sentence(
        "Do not decide yet: measure again on a quiet machine.", "runs of the same code differ too much", ""
    ),
    "noisy.reason": Sentence("the machine moved more than any effect could.", "the same", ""),
    "refused": Sentence(
        "No answer: {reason}.", "the data cannot carry the question", "No answer: no axis is named as concurrency."
    ),
    "refused.decision": Sentence("Do not decide yet: {advice}.", "the same", "Do not decide yet: record the axis."),
    "refused.reason": Sentence("nothing was measured that answers it.", "the same", ""),
    # capacity
    "capacity.needs": Sentence(
        "{load} takes {nodes}.",
        "a plan stands for every load",
        "A load of 50,000/s takes 12 nodes of 2 cores.",
    ),
    "capacity.needs.if": Sentence(
        "If the sweep is right, {load} takes up to {nodes}.",
        "no level may be recommended, so no count of nodes has a probability",
        "If the sweep is right, an example load of 250,000 req/s takes up to 4 nodes for cheap and 32 for hash.",
    ),
    "capacity.none": Sentence(
        "No number of nodes can be named: {reason}.",
        "no load has a plan",
        "No number of nodes can be named: the study names no throughput to plan for.",
    ),
    "capacity.buy": Sentence(
        "Buy {nodes}.", "a plan stands on repeated runs", "Buy 12 nodes of 2 cores, about $790 a month."
    ),
    "capacity.arrivals": Sentence(
        "Do not buy yet: send one {system} node {rate} that do not wait for answers, six times 30 seconds.",
        "no level may be recommended, or a limit cannot be read off the sweep",
        "Do not buy yet: send one hash node 8,060 req/s that do not wait for answers, six times 30 seconds.",
    ),
    "capacity.repeat": Sentence(
        "Do not buy yet: repeat every level six times.",
        "a plan stands on single runs",
        "Do not buy yet: repeat every level six times.",
    ),
    "capacity.advice": Sentence(
        "Do not buy yet: {advice}.",
        "no load has a plan",
        "Do not buy yet: name target in [capacity] of study.toml.",
    ),
    "capacity.finding": Sentence(
        "{system} takes the most: {nodes}", "several loads", "hash takes the most: 31 to 32 nodes"
    ),
    "capacity.finding.one": Sentence("{system} takes {nodes}", "one load", "serve takes 31 to 32 nodes"),
    "capacity.limited": Sentence(
        "{metric} exceeds {limit} above {level}",
        "the limit of a percentile makes a node full",
        "99th percentile exceeds 5 ms above 2 connections",
    ),
    "capacity.saturated": Sentence(
        "no gain above {level}", "throughput makes a node full", "no gain above 2 connections"
    ),
    "capacity.cores": Sentence("the throughput of {cores}", "the axis counts cores", "the throughput of 2 cores"),
    "capacity.covers": Sentence(
        "enough despite measurement noise ({share}); arrivals and balancing were not measured.",
        "a plan with a probability, on repeats",
        "enough despite measurement noise (96%); arrivals and balancing were not measured.",
    ),
    "capacity.unlike": Sentence(
        "{level} did more than {times} the work of {first}, so something else changed.",
        "a level does more than in proportion",
        "2 connections did more than 2 times the work of 1, so something else changed.",
    ),
    # repeated runs
    "repeat": Sentence(
        "Over {runs} of the same code {rows} {middle}-fold.",
        "runs of the same code are compared",
        "Over 4 runs of the same code 12 benchmarks typically differ 1.02-fold.",
    ),
    "repeat.quiet": Sentence(
        "Trust changes beyond {middle}-fold.", "the typical spread is below 1.05", "Trust changes beyond 1.02-fold."
    ),
    "repeat.wide": Sentence(
        "Do not compare on this machine: changes below {middle}-fold mean nothing.",
        "the typical spread is wider",
        "Do not compare on this machine: changes below 1.3-fold mean nothing.",
    ),
    "repeat.runs": Sentence("{runs} of the same code.", "three runs or more", "4 runs of the same code."),
    "repeat.chance": Sentence(
        "over {runs} runs 1 row in {share} rises or falls throughout by chance alone.",
        "so few runs that chance orders them",
        "over 3 runs 1 row in 3 rises or falls throughout by chance alone.",
    ),
    # confidence
    "confidence.high": Sentence(
        "{n} runs each, and no serious doubt.",
        "intervals and no alert",
        "6 runs each, and no serious doubt.",
    ),
    "confidence.bias": Sentence(
        "{n} runs each, but {doubt}.",
        "repeats, and one known bias",
        "5 runs each, but the load generator changed with the load.",
    ),
    "confidence.single": Sentence(
        "single runs: noise and change look alike.",
        "one run of each",
        "single runs: noise and change look alike.",
    ),
    "confidence.few": Sentence("only {n} runs each.", "two to four runs", "only 3 runs each."),
}

_FIELD = re.compile(r"\{([\w.]+)\}")
_HEAD = """\
# Sentences

Every sentence that benchlib says of an answer, the condition under which it says it, and what it reads like. The words
stand in `benchlib/tell/sentences.py`; `python -m benchlib.tell.sentences > docs/sentences.md` writes this page.
`{name}` is a number, which leads to its rows, or words. The author's own `answer` and `decision` in
[study.toml](study.md) come before them.

| name | sentence | used where | example |
|---|---|---|---|"""


def say(name: str, **parts: str | Number | Text) -> Text:
    """Return a sentence with its parts put in.

    Examples
    --------
    >>> say("scaling.use", levels="4 threads")
    ('Use 4 threads.',)
    """
    return fill(SENTENCES[name].template, parts)


def without_stop(sentence: Text) -> Text:
    """Return a sentence as the title of a figure.

    Examples
    --------
    >>> without_stop(("It serves ", "many."))
    ('It serves ', 'many')
    """
    *first, last = sentence
    return (*first, last.removesuffix(".")) if isinstance(last, str) else sentence


def fill(template: str, parts: dict[str, str | Number | Text]) -> Text:
    """Put parts into a template; words beside words become one."""
    filled: list[object] = []
    for place, piece in enumerate(_FIELD.split(template)):
        part = parts[piece] if place % 2 else piece
        for single in part if isinstance(part, tuple) else (part,):
            if isinstance(single, str) and filled and isinstance(filled[-1], str):
                filled[-1] += single
            elif single != "":
                filled.append(single)
    if filled and isinstance(filled[0], str):
        filled[0] = (
            filled[0][:1].upper() + filled[0][1:] if template[0] == "{" and template.endswith(".") else filled[0]
        )
    return tuple(filled)  # type: ignore[arg-type]


def listing() -> str:
    """Return all sentences as a page of Markdown."""
    rows = (
        f"| `{name}` | {sentence.template} | {sentence.when} | {sentence.example or sentence.template} |"
        for name, sentence in SENTENCES.items()
    )
    return "\n".join((_HEAD, *rows, ""))


if __name__ == "__main__":
    print(listing(), end="")
