"""JMH's JSON: one value a fork, because iterations within one virtual machine are no repetitions.

References
----------
Kalibera and Jones, *Rigorous benchmarking in reasonable time*, ISMM 2013: runs of one process share
its code layout and compilation, so the process (JMH's fork) is what is repeated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial

from benchlib.errors import DataError, printable
from benchlib.formats.documents import read_documents
from benchlib.formats.json_paths import outline
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import items, mapping, number, pick, text
from benchlib.formats.readers.structured import Building, Kept, axes_of, record_lines
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Jmh", "metric_of", "task"]

#: Percentiles of a sampled benchmark, as secondary metrics: the primary one has them all.
_PERCENTILE = re.compile(r"(?:.*[·:])?p[01]\.\d+", re.DOTALL)


class Jmh:
    """The reader of ``-rf json``."""

    name = "jmh"
    rule = "a JSON list with jmhVersion, or with benchmark and primaryMetric"
    files = "*.json"
    yields = "one value a fork (the mean of its iterations); percentiles of sampled calls; profilers; parameters"
    limits = "iterations are averaged within their fork; sampled percentiles are one sample over all forks"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        paths = outline(head)
        return "certain" if "[].primaryMetric" in paths or {"[].jmhVersion", "[].benchmark"} <= paths else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every benchmark of a file."""
        return read_documents(file, partial(_read, file))


def _read(file: TextFile, document: Document) -> Reading:
    found = document.root if isinstance(document.root, list) else [document.root]
    build = Building(file.source, record_lines(document, "[]", len(found)))
    build.each(found, partial(_benchmark, build))
    return build.reading(document.problems, wanted="JMH writes a list of benchmarks with a primaryMetric each")


def _benchmark(build: Building, record: object) -> Kept:
    name, mode = text(record, "benchmark"), text(record, "mode")
    if not name:
        raise DataError("an entry without a benchmark")
    benchmark, package = task(name)
    threads = number(record, "threads")
    build.configure(
        {
            "benchmark": benchmark,
            **axes_of(mapping(record, "params")),
            **axes_of({"threads": None if threads is None else int(threads), "mode": mode}),
            **axes_of({"pkg": package or None, "jdk": text(record, "jdkVersion")}),
        }
    )
    primary = mapping(record, "primaryMetric")
    unit = text(primary, "scoreUnit") or ""
    forks = _forks(primary)
    if not forks:
        raise DataError(f"{printable(name, 60)} has no score")
    for fork in forks:
        build.add(name, metric_of(unit), fork, unit)
    _tell_missing(build, name, primary)
    if "rawDataHistogram" in primary:
        _percentiles(build, name, primary, unit.partition("/")[0])
    for key, secondary in mapping(record, "secondaryMetrics").items():
        if not _PERCENTILE.fullmatch(key):
            written = text(secondary, "scoreUnit") or ""
            for fork in _forks(secondary):
                build.add(name, secondary_name(key), fork, written)
            _tell_missing(build, f"{name} {secondary_name(key)}", secondary)
    return "data"


def task(name: str) -> tuple[str, str]:
    """Return the class and method of a benchmark, and its package.

    Examples
    --------
    >>> task("org.demo.DemoBench.hash")
    ('DemoBench.hash', 'org.demo')
    """
    parts = name.split(".")
    return ".".join(parts[-2:]), ".".join(parts[:-2])


def metric_of(unit: str) -> str | None:
    """Return the metric of a score where its unit does not name it: an operation that takes a time."""
    return "time" if unit in ("ns", "us", "ms", "s") else None


def secondary_name(key: str) -> str:
    """Return the metric of a profiler's or counter's name.

    Examples
    --------
    >>> secondary_name("·gc.alloc.rate.norm"), secondary_name("gc.count")
    ('memory', 'gc_count')
    """
    bare = printable(key, 60).lstrip("·+")
    return "memory" if bare == "gc.alloc.rate.norm" else bare.replace(".", "_") or "unnamed"


def _forks(metric: object) -> list[float]:
    """Return one value a fork, or the score alone where no iteration was written."""
    means = [
        _mean([(one, 1.0) for one in _iterations(fork)]) for fork in items(metric, "rawData") if isinstance(fork, list)
    ]
    if not means:
        means = [_mean(_counted(fork)) for fork in items(metric, "rawDataHistogram") if isinstance(fork, list)]
    found = [one for one in means if one is not None]
    if means:
        return found
    result = _finite(pick(metric, "score"))
    return [] if result is None else [result]


def _tell_missing(build: Building, name: str, metric: object) -> None:
    """Say which iterations gave no value: JMH writes them as NaN, or they are null."""
    for place, fork in enumerate(items(metric, "rawData"), start=1):
        iterations = fork if isinstance(fork, list) else []
        lost = len(iterations) - len(_iterations(iterations))
        if lost == len(iterations):
            build.note(f"fork {place} of {printable(name, 60)} has no iteration with a value; left out")
        elif lost:
            build.note(
                f"fork {place} of {printable(name, 60)}: {lost} of {len(iterations)} iterations are NaN; left out"
            )


def _counted(fork: Sequence[object]) -> list[tuple[float, float]]:
    """Return values and counts of the histograms of one fork's iterations."""
    pairs: list[tuple[float, float]] = []
    for iteration in fork:
        for pair in iteration if isinstance(iteration, list) else []:
            if not isinstance(pair, list) or len(pair) != 2:
                raise DataError("a histogram with something else than pairs of value and count")
            value, count = _finite(pair[0]), _finite(pair[1])
            if value is None or count is None or count < 0:
                raise DataError("a histogram with a value or count that is no number")
            pairs.append((value, count))
    return pairs


def _iterations(fork: Sequence[object]) -> list[float]:
    found = [_finite(one) for one in fork]
    return [one for one in found if one is not None]


def _finite(found: object) -> float | None:
    # JMH writes a score that could not be measured as the text "NaN".
    return None if found == "NaN" else number({"score": found}, "score")


def _mean(weighted: Sequence[tuple[float, float]]) -> float | None:
    total = math.fsum(weight for _, weight in weighted)
    return math.fsum(value * weight for value, weight in weighted) / total if total > 0 else None


def _percentiles(build: Building, name: str, primary: object, unit: str) -> None:
    for key, found in mapping(primary, "scorePercentiles").items():
        value = _finite(found)
        try:
            level = float(key)
        except ValueError:
            build.note(f"percentile '{printable(key, 20)}' is no number; left out")
            continue
        if value is None:
            build.note(f"percentile {level:g} of {printable(name, 60)} is NaN; left out")
        else:
            build.add(name, latency_name(level), value, unit)


def latency_name(level: float) -> str:
    """Return the metric of a percentile.

    Examples
    --------
    >>> latency_name(50.0), latency_name(99.9), latency_name(100.0)
    ('latency_p50', 'latency_p99.9', 'latency_max')
    """
    ends = {0.0: "latency_min", 100.0: "latency_max"}
    return ends.get(level, f"latency_p{level:.10g}")
