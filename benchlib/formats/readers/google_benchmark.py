"""google-benchmark's JSON: every repetition of every benchmark, its counters, and what failed."""

from __future__ import annotations

from functools import partial

from benchlib.errors import DataError
from benchlib.formats.documents import read_documents
from benchlib.formats.json_paths import outline
from benchlib.formats.json_text import Document, without_constants
from benchlib.formats.json_values import items, mapping
from benchlib.formats.readers.google_records import Family, read_record
from benchlib.formats.readers.structured import Building, axes_of, record_lines, refused
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["GoogleBenchmark"]

_FACTS = {"host_name": "machine", "library_build_type": "build"}


class GoogleBenchmark:
    """The reader of ``--benchmark_format=json`` and ``--benchmark_out``."""

    name = "google-benchmark"
    rule = "JSON with benchmarks[].real_time beside context, or with benchmarks[].run_name"
    files = "*.json"
    yields = "time (real), cpu_time, transfer, throughput and counters of each repetition; arguments, threads and label"
    limits = "with --benchmark_report_aggregates_only one sample, the median; time of several threads is wall time"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        paths = outline(head)
        timed = {"benchmarks[].real_time", "benchmarks[].run_name", "benchmarks[].cpu_time"} & paths
        return "certain" if timed and ("context" in paths or "benchmarks[].run_name" in paths) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every benchmark of a file."""
        return read_documents(file, partial(_read, file))


def _read(file: TextFile, document: Document) -> Reading:
    try:
        found = items(document.root, "benchmarks")
        context = mapping(document.root, "context")
    except DataError as error:
        return refused(document, error)
    facts = axes_of({axis: context.get(key) for key, axis in _FACTS.items()})
    build = Building(file.source, record_lines(document, "benchmarks[]", len(found)))
    build.each(found, partial(read_record, build, Family(found), facts))
    # NaN is what it writes for the cv of nothing; in a repetition it is told where it stands.
    problems = without_constants(document.problems)
    return build.reading(problems, wanted="google-benchmark writes 'benchmarks' with a real_time each")
