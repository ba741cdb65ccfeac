"""Every sentence that benchlib says of an answer: at most 70 templates, each with its condition and an example.

A writer edits words here and nowhere else. ``{name}`` is a number or words; `say` puts them in.
``python -m benchlib.tell.sentences > docs/sentences.md`` writes the list for people.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from benchlib.document.blocks import Number, Text

__all__ = ["say"]


class Sentence(NamedTuple):
    """A template, the condition under which it is used, and what it reads like where that says more."""

    template: str
    when: str
    example: str


SENTENCES: dict[str, Sentence] = {
    # decisions of every question
    "use": Sentence("{verb} {what}.", "something can be decided", "Use 8 connections for cheap and 2 for hash."),
    "not_yet": Sentence(
        "Do not {verb} yet: {advice}.",
        "nothing can be decided; the advice is the cheapest next measurement",
        "Do not decide yet: measure beyond 16 threads.",
    ),
    # scaling: answers
    "scaling.plateau": Sentence(
        "{system} delivers {rate} with {level}; more {axis} {add} {gain}.",
        "one curve stays within 5% of its ceiling from a level on",
        "Hash delivers 10,400 req/s with 2 connections; more connections add nothing.",
    ),
    "scaling.peak": Sentence(
        "{system} {peaks} at {level} with {rate} and {loses} by {last}.",
        "one curve falls beyond its best level; of jobs the best is the fastest",
        "Specsdm91 peaks at 97 users with 1,850 scripts/h and loses 8.1% by 216 users.",
    ),
    "scaling.rises": Sentence(
        "{system} still gains at {last}: {rate}, {times}.",
        "one curve grows up to its last level",
        "Discover still gains at 16 threads: 18,500 op/s, 2.9 times what 1 thread delivers.",
    ),
    "scaling.many": Sentence(
        "{what}{within} stops growing at {places}.",
        "several curves, each with a level that no higher level beats, within the latency limit where one is set",
        "Throughput stops growing at 34,400 req/s for json (2 connections) and 10,300 req/s for hash (2 connections).",
    ),
    "scaling.weak": Sentence(
        "With {last} and as much more to do {system} takes {times} as long as with {first}.",
        "work grows as concurrency does: weak scaling",
        "With 16 processes and as much more to do weak takes 1.3 times as long as with 1 process.",
    ),
    "failed": Sentence(
        "At {levels} calls failed, so nothing is read there. {answer}",
        "nobody wrote a study.toml, and all values of some levels rest on failed operations",
        "At 500 users calls failed, so nothing is read there. R still gains at 100 users: 3,900 req/s.",
    ),
    "scaling.alike": Sentence(
        "All {curves} curves stop growing at {level}, with {low} to {high}.",
        "more curves than are named one by one, all with one level that no higher level beats",
        "All 6 curves stop growing at 1 worker, with 59.5 to 62.5 op/s.",
    ),
    "scaling.sweet": Sentence(
        "{level} {verb} {rate}{times}; {after} {gain}.",
        "one system, and an axis that one buys; a next level that is not faster adds nothing",
        "4 threads deliver 13,700 op/s, 2.2 times what 1 thread delivers; 8 threads add 18%.",
    ),
    "scaling.peaks": Sentence(
        "{peaks} of {curves} curves peak, at about {levels}, and lose throughput beyond{rest}.",
        "several curves peak by their laws; others may not",
        "3 of 4 curves peak, at about 97, 7 and 7, and lose throughput beyond; raytracer does not peak.",
    ),
    # scaling: findings
    "scaling.finding.one": Sentence(
        "Beyond {level} {what} gains {gain}", "one system", "Beyond 4 threads throughput gains at most 35%"
    ),
    "scaling.finding.rises": Sentence(
        "{system} still {gains} at {last}",
        "one or several systems that grow to their last level",
        "Discover still gains at 16 threads",
    ),
    # effects
    "effects.each": Sentence(
        "each {unit} adds {cost} to {system}{where}",
        "a number has one cost for each that its cells bear out",
        "each output adds 11 ms to Sender (32 bits, BN254)",
    ),
    "effects.little": Sentence(
        "{factors} hardly {verb}", "factors that change the cost by less than 5%", "inputs and proof hardly matter"
    ),
    "effects.level": Sentence(
        "{level} costs {times} what {baseline} does{medians}.",
        "only words were varied; where several were, the ratio is an average over the others",
        "Confirm costs 1.3 times what discover does: 221 µs instead of 164 µs.",
    ),
    "effects.model": Sentence(
        "{system} costs {formula}.",
        "no one cost for each holds, and a cost model predicts configurations left out to 10%",
        "P costs 100 ns + 9.97 ns * n * m.",
    ),
    "effects.uneven": Sentence(
        "{system}{where} costs {low} with {first} and {high} with {last}, not evenly between.",
        "no one cost for each holds, and no cost model predicts well",
        "Fan out costs 30 ns with 0 subscribers and 2.0 µs with 100 subscribers, not evenly between.",
    ),
    "effects.undecided": Sentence(
        "No {factors} is shown to cost more than another: {reason}.",
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
    "effects.finding.level": Sentence(
        "{most} costs most, {least} least", "only words were varied", "confirm costs most, discover least"
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
        "Hash with 64 connections: median 6.5 ms; one request in 100 takes longer than 173 ms.",
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
        "The {statistic} of {system} {verb} from {low} with {first} to {high} with {last}.",
        "latencies were taken at several levels of one axis, and no limit is set",
        "The 99th percentile of latency of hash grows from 300 µs with 1 connection to 240 ms with 128 connections.",
    ),
    # comparison: answers
    "comparison.cannot": Sentence(
        "These results cannot tell whether {new} differs from {old}{of}: {reason}.{counts}",
        "controls moved, or the machine did, or no comparison is decided",
        "These results cannot tell whether new differs from old: everything moved alike. Allocations are unchanged.",
    ),
    "comparison.unreached": Sentence(
        "code that the change cannot reach {moved}",
        "controls moved: the reason, and the title of the figure",
        "code that the change cannot reach took 2.3 times the time in new",
    ),
    "comparison.largest": Sentence(
        "at most {change} measured, {certainty}",
        "no comparison is decided",
        "at most 8.6% more 99th-percentile latency measured, within noise",
    ),
    "comparison.counts": Sentence(
        " Allocations {changed}.", "beside times: counts, which no machine moves", " Allocations are unchanged."
    ),
    "comparison.places": Sentence(
        "{new} instead of {old}: {changes}{runs}.",
        "few comparisons of one pair, or one pooled by a factor",
        "Post instead of post-redis: 29% less median latency (direct), 13% less (apisix); one run each.",
    ),
    "comparison.changed": Sentence(
        "{new} {verb} {changed} of {n} beyond noise, {rank} {where}: {change}.{counts}",
        "some comparisons are decided",
        "New changes 3 of 62 comparisons beyond noise, at worst encode: 22% more time. Allocations are unchanged.",
    ),
    "comparison.limit": Sentence(
        "{where} in {new}: {change}, at your limit of {limit}.{counts}",
        "no comparison is decided, but one is shown to differ: whether by what matters is open",
        "Encode in new: 2.0% more time, at your limit of 2.0%.",
    ),
    "comparison.same": Sentence(
        "{new} and {old} do not differ beyond noise in {n}.{counts}",
        "every comparison is decided and none differs",
        "New and old do not differ beyond noise in any of 62 comparisons.",
    ),
    "comparison.note": Sentence(
        "Intervals are at 95%, each by itself; verdicts allow for the number of comparisons.",
        "comparisons have intervals and verdicts",
        "Intervals are at 95%, each by itself; verdicts allow for the number of comparisons.",
    ),
    # comparison: decision
    "comparison.look": Sentence(
        "Look into {where} before you take {new}.", "one comparison is worse", "Look into encode before you take new."
    ),
    # comparison: confidence, figures, findings
    "comparison.drifted": Sentence(
        "unchanged code moved too; high for allocations.",
        "controls moved, and counts are the same",
        "unchanged code moved too; high for allocations.",
    ),
    "comparison.finding.slope": Sentence(
        "{new} gains less at {last} than at {first}",
        "one pair at two places or more, and less is left at the last",
        "Post gains less at apisix than at direct",
    ),
    "comparison.finding.pooled": Sentence(
        "{new} is {ways} in every configuration",
        "a factor turns the difference",
        "Csp is slower at bits 32 and faster at bits 64 in every configuration",
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
    # results that are only listed
    "listed.best": Sentence(
        "Best is {best} with {value}{others}.",
        "nothing is asked, and only alternatives differ, and it is known which way is better",
        "Best is zstd with 900 MB/s, 9.0 times what bzip2 delivers.",
    ),
    "listed": Sentence(
        "{metric} goes from {low} ({least}) to {high} ({most}){times}.",
        "nothing is asked of several measurements of one metric, nor does anything tell what is",
        "Time per operation goes from 3.94 ns (zerolog) to 1.61 µs (slog), 410 times that.",
    ),
    "alternatives": Sentence(
        "{best} is fastest in {some} of {n} cases{near}; {worst} is slowest in {most}.",
        "nothing is asked, and names or an axis hold alternatives that were measured in the same cases",
        "Gjson is fastest in 4 of 6 cases, json rust in 2; tinyjson is slowest in 3.",
    ),
    "listed.only": Sentence(
        "{system}: {metric} {value}.",
        "the same of one measurement, of several that are written alike, or of a median without a tail",
        "Info store: throughput 12,300 req/s.",
    ),
    # a history of runs
    "trend": Sentence(
        "{some} over {runs}{machine}{most}; {steady} of {n} series steady.",
        "results hold a run of each version of the code",
        "3 changes over 159 runs, the largest encode, 38% more time since 5915e30314; 10 of 12 series steady.",
    ),
    # requests one by one
    "requests": Sentence(
        "{n} requests: median {p50}; one in 20 takes longer than {p95}, one in 100 longer than {p99}{failed}.",
        "the latency of each request was recorded, and few failed",
        "400 requests: median 41 ms; one in 20 takes longer than 2.1 s, one in 100 longer than 3.0 s; none failed.",
    ),
    "requests.failed": Sentence(
        "{share} {n} requests failed{rest}.",
        "the same, and 1% or more failed",
        "89% of 8,047 requests failed; the others: median 64.0 s, one in 100 longer than 138 s.",
    ),
    # several questions
    "share": Sentence(
        "{some} of {n} {what}",
        "comparisons that changed, or targets that were missed or kept",
        "3 of 5 targets missed, 2 before the change too",
    ),
    "exceeds": Sentence(
        "{metric} exceeds {limit} above {level}",
        "a latency limit is set: the title of the figure, and what makes a node full",
        "99th percentile exceeds 5 ms above 2 connections",
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
    "noisy.reason": Sentence(
        "the machine moved more than any effect could.", "the same", "the machine moved more than any effect could."
    ),
    "refused": Sentence(
        "No {what}: {reason}.",
        "the data cannot carry the question",
        "No answer: no axis is named as concurrency.",
    ),
    # capacity
    "capacity.needs": Sentence(
        "{when}{load} takes {nodes}.",
        "a plan stands; when: where no level may be recommended it holds only if the sweep is right",
        "If the sweep is right, an example load of 250,000 req/s takes up to 4 nodes for cheap and 32 for hash.",
    ),
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
    # noise
    "noise": Sentence(
        "{units} differ by {size}{within}: {advice}.",
        "the noise of a study; within: where a run holds several values",
        "Runs differ by 3.1%, values within a run by 0.8%: more values add nothing, 9 more runs halve the interval.",
    ),
    # audits
    "audit": Sentence(
        "Audited: {level} intervals like these hold {covered}{changes}.",
        "the page was built with --audit; changes: of a comparison",
        "Audited: 95% intervals like these hold 94%; a change of 5% is seen in 88%, one that is none in 2%.",
    ),
    # repeated runs
    "repeat": Sentence(
        "Over {runs} of the same code {rows} {middle}-fold.",
        "runs of the same code are compared",
        "Over 4 runs of the same code 12 benchmarks typically differ 1.02-fold.",
    ),
    # confidence
    "confidence.high": Sentence(
        "{n} each, and no serious doubt.",
        "intervals and no alert",
        "6 values each, and no serious doubt.",
    ),
    "confidence.bias": Sentence(
        "{n} each, but {doubt}.",
        "repeats, and one known bias",
        "5 runs each, but the load generator changed with the load.",
    ),
    "confidence.single": Sentence(
        "single runs: noise and change look alike.",
        "one run of each",
        "single runs: noise and change look alike.",
    ),
    "confidence.few": Sentence("only {n} each.", "two to four repeats", "only 3 runs each."),
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
    >>> say("use", verb="Use", what="4 threads")
    ('Use 4 threads.',)
    """
    return _fill(SENTENCES[name].template, parts)


def without_stop(sentence: Text) -> Text:
    """Return a sentence as the title of a figure.

    Examples
    --------
    >>> without_stop(("It serves ", "many."))
    ('It serves ', 'many')
    """
    *first, last = sentence
    return (*first, last.removesuffix(".")) if isinstance(last, str) else sentence


def begun(text: Text) -> Text:
    """Return a text as a sentence begins.

    Examples
    --------
    >>> begun(("it serves ", "many"))
    ('It serves ', 'many')
    """
    first, *rest = text or ("",)
    return (first[:1].upper() + first[1:], *rest) if isinstance(first, str) else text


def percents(words: str) -> str:
    """Write shares as pages do, where a message of another room has a blank before its percent sign.

    Examples
    --------
    >>> percents("no interval at 95 % (needs 6)")
    'no interval at 95% (needs 6)'
    """
    return re.sub(r"(?<=\d) %", "%", words)


def _fill(template: str, parts: dict[str, str | Number | Text]) -> Text:
    """Put parts into a template; words beside words become one."""
    filled: list[object] = []
    for place, piece in enumerate(_FIELD.split(template)):
        part = parts[piece] if place % 2 else piece
        for single in part if isinstance(part, tuple) else (part,):
            if isinstance(single, str) and filled and isinstance(filled[-1], str):
                filled[-1] += single
            elif single != "":
                filled.append(single)
    text: Text = tuple(filled)  # type: ignore[arg-type]
    ends = text[-1] if text else ""
    return begun(text) if template[0] == "{" and isinstance(ends, str) and ends.endswith(".") else text


def listing() -> str:
    """Return all sentences as a page of Markdown."""
    rows = (
        f"| `{name}` | {sentence.template} | {sentence.when} | {sentence.example or sentence.template} |"
        for name, sentence in SENTENCES.items()
    )
    return "\n".join((_HEAD, *rows, ""))


if __name__ == "__main__":
    print(listing(), end="")
