"""pytest-benchmark: statistics of each test, and its rounds where they were saved."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.documents import read_documents
from benchlib.formats.json_paths import outline
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import items, mapping, number, pick, text
from benchlib.formats.readers.structured import Building, Kept, axes_of, record_lines, refused
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["SUMMARIES", "PytestBenchmark", "place"]

#: Where machine_info and commit_info say what the numbers depend on -> axis.
_FACTS = {
    "machine": "machine_info.node",
    "cpu": "machine_info.cpu.brand_raw",
    "python": "machine_info.python_version",
    "commit": "commit_info.id",
}
#: The statistics beside the chosen one -> metric.
SUMMARIES = {"mean": "time_mean", "stddev": "time_stdev", "min": "time_min", "max": "time_max"}


class PytestBenchmark:
    """The reader of ``pytest --benchmark-json`` and ``--benchmark-save``."""

    name = "pytest-benchmark"
    rule = "JSON with machine_info and benchmarks[].stats"
    files = "*.json"
    yields = "time of each round with --benchmark-save-data, else the median as one sample; parameters, group"
    limits = "without saved data no raw samples; a test that failed is not in the file"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        paths = outline(head)
        shaped = "benchmarks[].stats" in paths or "benchmarks[].fullname" in paths
        return "certain" if shaped and ("machine_info" in paths or "benchmarks[].stats.rounds" in paths) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every test of a file."""
        return read_documents(file, partial(_read, file))


def _read(file: TextFile, document: Document) -> Reading:
    try:
        found = items(document.root, "benchmarks")
    except DataError as error:
        return refused(document, error)
    stated = {axis: pick(document.root, path) for axis, path in _FACTS.items()}
    # "unversioned" is what it writes for a folder without git.
    facts = axes_of({axis: one for axis, one in stated.items() if isinstance(one, str) and one != "unversioned"})
    build = Building(file.source, record_lines(document, "benchmarks[]", len(found)))
    build.each(found, partial(_test, build, facts))
    return build.reading(document.problems, wanted="pytest-benchmark writes 'benchmarks' with stats each")


def _test(build: Building, facts: Mapping[str, Any], test: object) -> Kept:
    name = text(test, "fullname") or text(test, "name")
    if not name:
        raise DataError("a test without a name")
    parameters = mapping(test, "params")
    only = pick(test, "param")
    axes = axes_of(parameters) if parameters else axes_of({"param": only})
    extra = mapping(test, "extra_info")
    told = {key: one for key, one in extra.items() if isinstance(one, (str, int)) and key not in axes}
    group = axes_of({"group": text(test, "group")})
    build.configure({**axes, **axes_of(told), **place(name), **group, **facts})

    stats = mapping(test, "stats")
    iterations = number(stats, "iterations")
    data = items(stats, "data")
    for count, one in enumerate(data, start=1):
        seconds = number({"stats.data": one}, ("stats.data",))
        if seconds is None:
            build.note(f"round {count} of {printable(name, 60)} is missing; left out")
            continue
        build.add(name, "time", seconds, "s/op", iterations=iterations)
    if not data:
        _summary(build, name, stats, iterations)
    for key, value in extra.items():
        if isinstance(value, float):
            measured = number(extra, (key,))
            if measured is not None:
                build.add(name, printable(key, 60), measured, "")
    return "data"


def place(name: str) -> dict[str, str]:
    """Return the benchmark of a test's full name, and the file it stands in.

    Examples
    --------
    >>> place("tests/test_sum.py::TestGroup::test_sort[10-a]")
    {'benchmark': 'TestGroup::test_sort', 'file': 'tests/test_sum.py'}
    """
    path, separator, inside = name.partition("::")
    benchmark = printable((inside if separator else path).partition("[")[0], 200)
    return {"benchmark": benchmark, "file": path} if separator else {"benchmark": benchmark}


def _summary(build: Building, name: str, stats: Mapping[str, object], iterations: float | None) -> None:
    # The median, because that is what the rounds themselves would be summed up by.
    chosen = "mean" if number(stats, "median") is None else "median"
    time = number(stats, chosen)
    if time is None:
        raise DataError(f"{printable(name, 60)} has no data, median or mean")
    rounds = number(stats, "rounds")
    operations = iterations * rounds if iterations is not None and rounds is not None else None
    build.add(name, "time", time, "s/op", iterations=operations)
    for key, metric in SUMMARIES.items():
        value = number(stats, key)
        if value is not None and key != chosen:
            build.add(name, metric, value, "s/op", iterations=operations)
