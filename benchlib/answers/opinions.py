"""What a benchmark runner said of its own results, beside what was measured of the same thing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.refusal import Refusal
from benchlib.answers.samples import SampleTable
from benchlib.results import Series
from benchlib.study import Study

__all__ = ["Opinion", "Reading", "runner_opinions"]

#: Words of a remark -> the metrics that tell the same thing.
_METRICS: Mapping[str, tuple[str, ...]] = {
    "allocations": ("allocations", "gc_overhead"),
    "variance": ("latency_cv",),
    "sample size": ("operations",),
    "spikes": ("latency_max", "latency_p99"),
    "gc": ("gc_overhead",),
}
_NUMBER = re.compile(r"\d[\d.,]*")
_WORD = re.compile(r"\[([A-Z]+)\]\s*(.*)", re.DOTALL)
#: The gravest first.
_ORDER = ("CRITICAL", "FAIL", "WARN", "INFO", "PASS")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The smallest and the largest median of one metric over the cells that a remark speaks of."""

    metric: str
    unit: str
    low: float
    high: float
    cells: int
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """One remark of a runner, told once for all reports that hold it with other numbers.

    Attributes
    ----------
    word : str
        ``WARN``, ``INFO``, ``FAIL``, ``CRITICAL`` or ``PASS``, as the runner wrote it.
    text : str
        The remark as it stands in the first report.
    count : int
        How often it was made.
    benchmarks : tuple of str
        Of which benchmarks.
    failed : bool
        Whether every report that holds it rests on failed operations, so that its values are in no table.
    readings : tuple of Reading
        What was measured of the same thing in the sound reports; empty where nothing was.
    evidence : Evidence
        Where the remarks stand.
    """

    word: str
    text: str
    count: int
    benchmarks: tuple[str, ...]
    failed: bool
    readings: tuple[Reading, ...]
    evidence: Evidence


def runner_opinions(study: Study, samples: SampleTable | Refusal) -> tuple[Opinion, ...]:
    """Gather what runners remarked in their own reports, the gravest first.

    Parameters
    ----------
    study : Study
    samples : SampleTable or Refusal
        Of the same study.

    Examples
    --------
    >>> import benchlib
    >>> study = benchlib.open_study("data/token-sdk")
    >>> [(one.word, one.count) for one in runner_opinions(study, benchlib.summarise_samples(study))]
    [('CRITICAL', 2), ('FAIL', 20), ('FAIL', 6), ('WARN', 72), ('INFO', 78)]
    """
    groups: dict[str, list[Series]] = {}
    for one in study.results.series:
        if one.kind == "remark":
            groups.setdefault(_NUMBER.sub("#", str(one.data[0])), []).append(one)
    found = [_opinion(remarks, study, samples) for remarks in groups.values()]
    return tuple(
        sorted(found, key=lambda one: (_ORDER.index(one.word) if one.word in _ORDER else len(_ORDER), -one.count))
    )


def _opinion(remarks: Sequence[Series], study: Study, samples: SampleTable | Refusal) -> Opinion:
    written = _WORD.match(str(remarks[0].data[0]))
    word, text = (written[1], written[2]) if written else ("", str(remarks[0].data[0]))
    sources = {one.source for one in remarks}
    sound = study.results.frame
    sound = sound[sound["source"].astype(str).isin(sources) & sound["name"].astype(str).isin({o.name for o in remarks})]
    benchmarks = tuple(dict.fromkeys(one.name.split("/")[0] for one in remarks))
    return Opinion(
        word=word,
        text=text,
        count=len(remarks),
        benchmarks=benchmarks,
        failed=sound.empty,
        readings=_readings(text, set(map(str, sound["benchmark"])), samples),
        evidence=Evidence(
            rows=tuple(f"{one.source}:{one.line}" for one in remarks),
            formula="the runner's own words, not computed here",
        ),
    )


def _readings(text: str, benchmarks: set[str], samples: SampleTable | Refusal) -> tuple[Reading, ...]:
    if isinstance(samples, Refusal):
        return ()
    wanted = next((metrics for words, metrics in _METRICS.items() if words in text.lower()), ())
    found = []
    for metric in wanted:
        rows = [one for one in samples.rows if one.metric == metric and str(one.key["benchmark"]) in benchmarks]
        if rows:
            medians = [one.sample.median.value for one in rows]
            found.append(
                Reading(
                    metric=metric,
                    unit=rows[0].unit,
                    low=min(medians),
                    high=max(medians),
                    cells=len(rows),
                    evidence=pool((one.evidence for one in rows), f"smallest and largest median of {metric} by cell"),
                )
            )
    return tuple(found)
