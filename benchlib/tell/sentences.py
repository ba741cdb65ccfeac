"""Every sentence that benchlib says of an answer: one template each, with its condition and an example.

A writer edits words here and nowhere else. ``{name}`` is a number or words; `say` puts them in.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from benchlib.tell.document import Number, Text

__all__ = ["SENTENCES", "Sentence", "fill", "say"]


class Sentence(NamedTuple):
    """A template, the condition under which it is used, and what it reads like."""

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
        "Throughput stops growing at 2 connections for hash (10,400 req/s) and 16 for cheap (100,000 req/s).",
    ),
    "scaling.place": Sentence(
        "{level} for {system} ({rate})", "one of several curves", "2 connections for hash (10,400 req/s)"
    ),
    "scaling.none": Sentence(
        "These results cannot tell how throughput grows: {reason}.",
        "no curve could be drawn",
        "These results cannot tell how throughput grows: no axis is named as concurrency.",
    ),
    # scaling: decisions
    "scaling.use": Sentence("Use {levels}.", "a level is recommended for each curve", "Use 4 threads."),
    "scaling.beyond": Sentence(
        "Do not decide yet: measure beyond {last}.",
        "every curve still rises at its last level",
        "Do not decide yet: measure beyond 16 threads.",
    ),
    "scaling.finding.plateau": Sentence(
        "More {axis} stop adding throughput at {places}",
        "several curves flatten",
        "More connections stop adding throughput at 2 (hash) and 16 (cheap)",
    ),
    "scaling.finding.one": Sentence("{system}: {shape}", "one curve", "hash: no gain above 2 connections"),
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
    # confidence
    "confidence.high": Sentence(
        "{n} runs each, and nothing speaks against it.",
        "intervals and no alert",
        "6 runs each, and nothing speaks against it.",
    ),
    "confidence.bias": Sentence(
        "{n} runs each, but {doubt}.",
        "repeats, and one known bias",
        "5 runs each, but the load generator changed with the load.",
    ),
    "confidence.single": Sentence(
        "single runs, so noise and change look alike.",
        "one run of each",
        "single runs, so noise and change look alike.",
    ),
    "confidence.few": Sentence("only {n} runs each.", "two to four runs", "only 3 runs each."),
}

_FIELD = re.compile(r"\{([\w.]+)\}")


def say(name: str, **parts: str | Number | Text) -> Text:
    """Return a sentence with its parts put in.

    Examples
    --------
    >>> say("scaling.use", levels="4 threads")
    ('Use 4 threads.',)
    """
    return fill(SENTENCES[name].template, parts)


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
