"""What the readers of load generators share: runs, failures, percentiles, and requests one by one.

One rule for failures: they travel with every value that they may have a part in, and such a value is set
apart. In the summary of a run that is every value of it, for nobody can take a failed request out of a
printed percentile again: throughput, transfer and latencies of a run carry the failures of the run. Where
requests stand one by one, a failed one is set apart alone and the answered ones are sound; beyond
`MOST_REQUESTS` the order statistics are of the answered requests alone, and the failed ones are one value
``errors``, their count, which is set apart as they would have been.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchlib.formats.json_text import Document
from benchlib.formats.reading import Reading, Rows, TextFile
from benchlib.results import LineCounts, Series

__all__ = [
    "MOST_REQUESTS",
    "Load",
    "Requests",
    "failed_answers",
    "is_document",
    "is_timeout",
    "member_lines",
    "percentile_name",
]

#: From this many requests on, a file gives order statistics instead of one row a request.
MOST_REQUESTS = 100_000
#: The order statistics of a longer file, in percent.
_SHARES = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


def percentile_name(share: float) -> str:
    """Return the metric of a percentile, with its point: `benchlib.metrics.canonical` says why.

    Examples
    --------
    >>> percentile_name(50.0), percentile_name(99.9), percentile_name(2.5)
    ('latency_p50', 'latency_p99.9', 'latency_p2.5')
    """
    text = f"{share:.6f}".rstrip("0").rstrip(".")
    return f"latency_p{text}"


def failed_answers(statuses: Mapping[str, float]) -> float:
    """Count the answers of an HTTP status other than 2xx and 3xx, as wrk does.

    Examples
    --------
    >>> failed_answers({"200": 90, "304": 2, "404": 5, "503": 3})
    8
    """
    return sum(count for status, count in statuses.items() if not status.startswith(("2", "3")))


def is_document(file: TextFile) -> bool:
    """Whether a file is JSON and no text: it starts with a brace or a bracket, and no summary follows.

    Examples
    --------
    >>> is_document(TextFile("a", ["", ' {"summary": 1}'])), is_document(TextFile("a", ["Summary:"]))
    (True, False)
    """
    first = next((one.lstrip() for one in file.lines if one.strip()), "")
    return first.startswith(("{", "[")) and not any(one.rstrip() == "Summary:" for one in file.lines)


def is_timeout(error: str) -> bool:
    """Whether an error text says that the generator gave up waiting.

    Examples
    --------
    >>> is_timeout('Get "http://h/": context deadline exceeded'), is_timeout("connection refused")
    (True, False)
    """
    text = error.lower()
    return "timeout" in text or "timed out" in text or "deadline exceeded" in text or "deadlineexceeded" in text


#: Each look for a line walks the document: beyond these sizes no report of one run is searched.
_MOST_MEMBERS, _LARGEST_REPORT = 100, 1024**2


def member_lines(document: Document, keys: Sequence[str], prefix: str = "") -> dict[str, int]:
    r"""Return the line on which each member of an object starts; the first line where that is not cheap.

    Examples
    --------
    >>> from benchlib.formats.json_text import parse_text
    >>> member_lines(parse_text('{"a": 1,\n"b": 2}'), ["a", "b"])
    {'a': 1, 'b': 2}
    """
    lines = dict.fromkeys(keys, document.first_line)
    if len(keys) <= _MOST_MEMBERS and len(document.content) <= _LARGEST_REPORT and "\n" in document.content:
        lines |= {key: found[0] for key in keys if (found := document.lines(prefix + key))}
    return lines


@dataclass(slots=True)
class Load:
    """The values, configurations and series of one file, as they are found.

    Attributes
    ----------
    source, tool : str
    """

    source: str
    tool: str
    rows: Rows = field(default_factory=Rows)
    configurations: list[Mapping[str, Any]] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)

    def configuration(self, axes: Mapping[str, Any]) -> int:
        """Enter the axes of a run and return their number."""
        self.configurations.append({key: one for key, one in axes.items() if one is not None and one != ""})
        return len(self.configurations) - 1

    def add(
        self,
        configuration: int,
        line: int,
        values: Iterable[tuple[str, float | None, str]],
        *,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Keep values (metric, value, unit as written) of one run; a value of None is missing."""
        name = str(self.configurations[configuration].get("benchmark", ""))
        for metric, value, unit in values:
            if value is not None:
                self.rows.add(
                    name=name,
                    metric=metric,
                    value=value,
                    unit=unit,
                    line=line,
                    configuration=configuration,
                    iterations=iterations,
                    errors=errors,
                )

    def remark(self, kind: str, line: int, data: tuple[Any, ...], configuration: int = -1) -> None:
        """Keep what belongs to a run rather than to one value: a histogram, its time-outs."""
        name = str(self.configurations[configuration].get("benchmark", "")) if self.configurations else ""
        self.series.append(Series(kind=kind, name=name or self.tool, source=self.source, line=line, data=data))

    def timeouts(self, line: int, count: float, requests: float) -> None:
        """Say that requests timed out and are in no percentile."""
        if count:
            self.remark("timeouts", line, (int(count), int(requests)))

    def reading(
        self, counts: LineCounts, problems: list[tuple[int, str]], *, closed_loop: bool, rounded: str = ""
    ) -> Reading:
        """Return the reading, with what is to be said once of a file that measured anything.

        Parameters
        ----------
        counts, problems
            Of the ledger.
        closed_loop : bool
            Whether the generator waited for each answer.
        rounded : str
            How the tool rounds its latencies, where that matters.
        """
        told = []
        if closed_loop:
            told.append(("closed-loop", self.tool))
        if rounded and any((one or "").startswith("latency") for one in self.rows.metric):
            told.append(("rounded", f"{self.tool} rounds {rounded}"))
        for kind, said in told if len(self.rows) else ():
            line = self.rows.line[0]
            self.series.append(Series(kind=kind, name=self.tool, source=self.source, line=line, data=(said,)))
        return Reading(
            rows=self.rows,
            configurations=self.configurations,
            problems=problems,
            lines=counts,
            series=self.series,
        )


class Requests:
    """The latencies of requests, one by one: rows of their own, or order statistics where there are too many.

    A failed request is set apart alone, and is in no order statistic: its latency is that of an error.

    Parameters
    ----------
    load : Load
    unit : str
        Of every latency.
    """

    def __init__(self, load: Load, unit: str) -> None:
        self.load = load
        self.unit = unit
        # Arrays: a file may hold tens of millions.
        self.configurations, self.lines = array("i"), array("i")
        self.latencies, self.failed = array("d"), bytearray()

    def __len__(self) -> int:
        return len(self.latencies)

    def add(self, configuration: int, line: int, latency: float, *, failed: bool) -> None:
        """Take one request."""
        self.configurations.append(configuration)
        self.lines.append(line)
        self.latencies.append(latency)
        self.failed.append(failed)

    def keep(self) -> None:
        """Write the rows, in the order the requests were taken."""
        if len(self) < MOST_REQUESTS:
            taken = zip(self.configurations, self.lines, self.latencies, self.failed, strict=True)
            for configuration, line, latency, failed in taken:
                self.load.add(configuration, line, [("latency", latency, self.unit)], iterations=1, errors=failed)
            return
        groups: dict[int, list[int]] = {}
        for index, configuration in enumerate(self.configurations):
            groups.setdefault(configuration, []).append(index)
        for configuration, group in groups.items():
            self._summarise(configuration, group)

    def _summarise(self, configuration: int, group: list[int]) -> None:
        failed = [one for one in group if self.failed[one]]
        if failed:
            told = [("errors", float(len(failed)), "req")]
            self.load.add(configuration, self.lines[failed[0]], told, iterations=len(group), errors=len(failed))
        answered = [one for one in group if not self.failed[one]]
        if not answered:
            return
        ordered = sorted(self.latencies[one] for one in answered)
        # Nearest rank: every value given is one that was measured.
        ranks = {percentile_name(share): math.ceil(share * len(ordered) / 100) for share in _SHARES}
        values = [(metric, ordered[rank - 1], self.unit) for metric, rank in ranks.items()]
        extremes = [("latency_min", ordered[0], self.unit), ("latency_max", ordered[-1], self.unit)]
        line = self.lines[answered[0]]
        self.load.add(configuration, line, [*values, *extremes], iterations=len(answered), errors=0)
