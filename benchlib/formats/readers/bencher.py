"""Bencher Metric Format: an object of benchmarks, each an object of measures."""

from __future__ import annotations

import re

from benchlib.errors import DataError, printable
from benchlib.formats import json_text, json_values
from benchlib.formats.ledger import Records
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.formats.words import one_line
from benchlib.results import Series

__all__ = ["BencherMetrics"]

_TEXT = r'"(?:[^"\\]|\\.)*+"'
_START = re.compile(
    rf'\s*\{{\s*{_TEXT}\s*:\s*\{{\s*{_TEXT}\s*:\s*\{{\s*"(?:value|lower_value|upper_value)"\s*:', re.DOTALL
)

#: Measures whose unit Bencher fixes; any other is a plain number.
_UNITS = {"latency": "ns", "throughput": "op/s", "build-time": "s", "file-size": "B"}


class BencherMetrics:
    """Bencher Metric Format (BMF)."""

    name = "bmf"
    rule = 'JSON {"benchmark": {"measure": {"value": ...}}}'
    contains = frozenset[str]()
    files = "*.json"
    yields = "a value for each measure of each benchmark; latency in ns, throughput in op/s, as Bencher has them"
    limits = "samples, and what lower_value and upper_value stand for; the unit of other measures"
    documentation = "https://bencher.dev/docs/reference/bencher-metric-format/"

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain where the first measure of the first benchmark holds a value."""
        return "certain" if _START.match("\n".join(head.lines[:200])) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each measure as a record."""
        document = json_text.parse(file)
        if not document.parsed:
            return json_text.unreadable(document)
        if not isinstance(document.root, dict):
            records = Records([document.first_line])
            records.problem(0, 'no object of benchmarks; write {"benchmark": {"measure": {"value": number}}}')
            return Reading(rows=Rows(), configurations=[], problems=records.problems, lines=records.counts())
        found = [
            (benchmark, measure, content)
            for benchmark, measures in document.root.items()
            for measure, content in (measures.items() if isinstance(measures, dict) else [("", measures)])
        ]
        records = Records([document.first_line] * len(found))
        records.whole(document.problems)
        rows, series = Rows(), []
        for number, (benchmark, measure, content) in enumerate(found):
            try:
                value = json_values.number(content, "value")
                bounds = tuple(json_values.number(content, one) for one in ("lower_value", "upper_value"))
            except DataError as error:
                records.problem(number, f"{printable(benchmark, 60)} {printable(measure, 40)}: {error}")
                continue
            if value is None:
                message = f"{printable(benchmark, 60)} {printable(measure, 40)}: no value; write {{value: number}}"
                records.problem(number, message)
                continue
            records.data(number)
            name, metric = one_line(benchmark), one_line(measure).replace("-", "_")
            rows.add(
                name=name,
                metric=metric,
                value=value,
                unit=_UNITS.get(measure, ""),
                line=document.first_line,
                configuration=0,
            )
            if bounds != (None, None):
                told = (metric, *bounds)
                series.append(Series(kind="interval", name=name, source=file.source, line=1, data=told))
        if not found:
            records.whole([(0, "holds no benchmark; write one")])
        return Reading(rows=rows, configurations=[{}], problems=records.problems, lines=records.counts(), series=series)
