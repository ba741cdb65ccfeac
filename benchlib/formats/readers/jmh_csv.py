"""JMH's CSV: one score a benchmark, with the decimal mark of the machine that wrote it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from benchlib.errors import DataError, printable
from benchlib.formats.readers.jmh import latency_name, metric_of, secondary_name, task
from benchlib.formats.readers.structured import Building, Kept, axes_of, cells, decimal
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["JmhCsv"]

_PARAMETER = "Param: "
_HEADER = ["Benchmark", "Mode", "Threads", "Samples", "Score"]
#: ``pkg.Class.method:gc.count``, ``pkg.Class.method:p0.99``, in old versions ``…:method·p0.99``.
_SECONDARY = re.compile(r"([^:]+):(.+)", re.DOTALL)
_PERCENTILE = re.compile(r"(?:.*·)?p([01]\.\d+)", re.DOTALL)


class JmhCsv:
    """The reader of ``-rf csv`` and ``-rf scsv``."""

    name = "jmh-csv"
    rule = "a header 'Benchmark,Mode,Threads,Samples,Score', separated by comma or semicolon"
    files = "*.csv"
    yields = "one sample a benchmark: the score; percentiles of sampled calls; profilers; parameters"
    limits = "no forks and no iterations: the JSON of the same run has them"
    contains: frozenset[str] = frozenset({"csv"})
    #: The JSON of the same run holds every fork.
    summary = True

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        return "certain" if "Benchmark" in head.first and _delimiter(head) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every line of a file."""
        delimiter = _delimiter(file) or ","
        build = Building(file.source, range(1, len(file.lines) + 1))
        header: list[str] = []

        def line(written: str) -> Kept:
            nonlocal header
            row = cells(written, delimiter)
            if not written.strip():
                return "noise"
            if row is None or (header and len(row) != len(header)):
                found = "an open quote" if row is None else f"{len(row)} values"
                raise DataError(f"{found} under {len(header)} columns")
            if not header or row == header:
                header = row
                return "context"
            return _row(build, dict(zip(header, row, strict=True)))

        build.each(file.lines, line)
        return build.reading(wanted="JMH writes a line for each benchmark")


def _delimiter(file: TextFile) -> str:
    first = file.first
    return next((one for one in ",;\t" if (cells(first, one) or [])[: len(_HEADER)] == _HEADER), "")


def _row(build: Building, row: Mapping[str, str]) -> Kept:
    whole, unit = row.get("Benchmark", ""), row.get("Unit", "")
    if not whole:
        raise DataError("a line without a benchmark, or below no header")
    result = decimal(row.get("Score", ""))
    if result is None:
        raise DataError(f"{printable(whole, 60)} has no score")
    found = _SECONDARY.fullmatch(whole)
    name, inner = (found[1], found[2]) if found else (whole, "")
    benchmark, package = task(name)
    written = decimal(row.get("Threads", ""))
    threads = int(written) if written is not None and math.isfinite(written) else None
    parameters = {key.removeprefix(_PARAMETER): one for key, one in row.items() if key.startswith(_PARAMETER) and one}
    build.configure(
        {
            "benchmark": benchmark,
            **axes_of(parameters),
            **axes_of({"threads": threads, "mode": row.get("Mode") or None}),
            **axes_of({"pkg": package or None}),
        }
    )
    percentile = _PERCENTILE.fullmatch(inner)
    if percentile:
        build.add(name, latency_name(round(float(percentile[1]) * 100, 10)), result, unit.partition("/")[0])
    else:
        build.add(name, secondary_name(inner) if inner else metric_of(unit), result, unit)
    return "data"
