"""pyperf: the values of every process it started; calibration and warm-ups are none.

References
----------
pyperf documentation, *API*, ``Run.values`` (per loop, in the unit of the benchmark) and *pyperf JSON*:
metadata that all runs or all benchmarks share is written once, above them.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from functools import partial
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.documents import read_documents
from benchlib.formats.json_paths import outline
from benchlib.formats.json_text import Document
from benchlib.formats.json_values import items, mapping, number, text
from benchlib.formats.readers.structured import Building, Kept, axes_of, record_lines, refused
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Pyperf"]

#: Unit in the metadata -> (metric, unit).
_UNITS = {"second": ("time", "s/op"), "byte": ("memory", "B/op"), "integer": ("count", "")}
_FACTS = {"hostname": "machine", "cpu_model_name": "cpu", "python_version": "python"}

Metadata = Mapping[str, object]


class Pyperf:
    """The reader of ``pyperf -o``."""

    name = "pyperf"
    rule = "JSON with benchmarks[].runs"
    files = "*.json"
    yields = "time of each value of each process, or its peak memory"
    limits = "values of one process resemble each other more than those of two; warm-ups are left out"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        return "certain" if "benchmarks[].runs" in outline(head) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every run of a file."""
        return read_documents(file, partial(_read, file))


def _read(file: TextFile, document: Document) -> Reading:
    runs: list[tuple[Metadata, object]] = []
    try:
        shared = mapping(document.root, "metadata")
        for one in items(document.root, "benchmarks"):
            above = ChainMap(dict(mapping(one, "metadata")), dict(shared))
            runs += [(above, run) for run in items(one, "runs")]
    except DataError as error:
        return refused(document, error)
    build = Building(file.source, record_lines(document, "benchmarks[].runs[]", len(runs)))
    build.each(runs, partial(_run, build))
    return build.reading(document.problems, wanted="every run is a warm-up or a calibration; measure again")


def _run(build: Building, found: tuple[Metadata, object]) -> Kept:
    above, run = found
    if not isinstance(run, dict):
        raise DataError("a run that is no object")
    facts = {**above, **mapping(run, "metadata")}
    values = items(run, "values")
    if not values:
        if not items(run, "warmups"):
            raise DataError("a run without values or warm-ups")
        return "context"
    name = text(facts, "name")
    if not name:
        raise DataError("metadata give no name to this benchmark")
    written = text(facts, "unit") or "second"
    if written not in _UNITS:
        raise DataError(f"unit '{printable(written, 40)}' is not one of second, byte, integer")
    metric, unit = _UNITS[written]
    loops, inner = number(facts, "loops"), number(facts, "inner_loops")
    iterations = None if loops is None else loops * (1.0 if inner is None else inner)
    stated: dict[str, Any] = axes_of({axis: facts.get(key) for key, axis in _FACTS.items()})
    build.configure({"benchmark": printable(name, 200), **stated})
    for one in values:
        value = number({"values": one}, "values")
        if value is None:
            raise DataError(f"a value of {printable(name, 60)} is missing")
        build.add(name, metric, value, unit, iterations=iterations)
    return "data"
