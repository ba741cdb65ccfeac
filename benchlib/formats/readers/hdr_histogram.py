"""HdrHistogram: percentile tables (``.hgrm``) and logs of compressed histograms (``.hlog``)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from benchlib.errors import DataError, printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.hdr_codec import decode_histogram
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.results import Series

__all__ = ["HdrHistogram"]

_HEADER = re.compile(r"\s*Value[\s,]+Percentile[\s,]+TotalCount[\s,]+1/\(1-Percentile\)\s*")
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_ROW = re.compile(rf'"?\s*({_NUMBER})[\s,]+({_NUMBER})[\s,]+(\d+)(?:[\s,]+(?:{_NUMBER}|inf|Infinity))?\s*', re.ASCII)
_MEAN = re.compile(rf"#\[Mean\s*=\s*({_NUMBER}),\s*StdDeviation\s*=\s*({_NUMBER})\]", re.ASCII)
_MAX = re.compile(rf"#\[Max\s*=\s*({_NUMBER}),\s*Total ?[Cc]ount\s*=\s*({_NUMBER})\]", re.ASCII)
_LOG = "#[Histogram log format version"
_INTERVAL = re.compile(
    rf"(?:Tag=(?P<tag>[^, \r\n]+),)?(?P<start>-?{_NUMBER}),(?P<length>{_NUMBER}),(?P<max>{_NUMBER}),(?P<packed>\S+)",
    re.ASCII,
)

#: Shares of the values, with how many values it takes to tell them.
_PERCENTILES = (("50", 0.5, 1), ("90", 0.9, 10), ("99", 0.99, 100), ("99.9", 0.999, 1000), ("99.99", 0.9999, 10_000))


class HdrHistogram:
    """Latencies as HdrHistogram writes them."""

    name = "hdrhistogram"
    rule = "the columns Value, Percentile, TotalCount, 1/(1-Percentile), or a line '#[Histogram log format version'"
    contains = frozenset[str]()
    files = "*.hgrm, *.hlog"
    yields = "latency_p50 to p99.99 and max; one sample a file (a log: one a tag, all its intervals joined)"
    limits = "the unit of its values (no file says it); percentiles only, no raw samples"

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain of the table's header at the top, and of the log's own mark."""
        if _HEADER.fullmatch(head.first):
            return "certain"
        marked = head.mentions(_LOG)
        filled = [one for one in head.lines if one.strip()][:50] if marked else []
        return "certain" if any(one.startswith(_LOG) for one in filled) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read a table or a log."""
        if any(one.startswith(_LOG) for one in file.lines[:1000]):
            return _log(file)
        return _table(file)


def _table(file: TextFile) -> Reading:
    """Read tables; several may follow each other, each ended by its totals."""
    rows, ledger = Rows(), Ledger(len(file.lines))
    table = _Table()
    series: list[Series] = []
    for number, line in enumerate(file.lines, 1):
        if _HEADER.fullmatch(line):
            series = _ended(file, table, rows, ledger) or series
            table = _Table()
            ledger.context(number)
        elif found := _ROW.fullmatch(line):
            value, share, count = float(found[1]), float(found[2]), int(found[3][:20])
            if (
                not (share <= 1 and math.isfinite(value))
                or len(found[3]) > 18
                or (table.places and (value < table.places[-1][1] or count < table.places[-1][2]))
            ):
                ledger.problem(number, "value or count is below that of the line before; line skipped")
                continue
            table.places.append((number, value, count))
            table.whole |= share == 1
            ledger.data(number)
        elif found := _MEAN.fullmatch(line.strip()):
            table.mean = float(found[1])
            ledger.context(number)
        elif found := _MAX.fullmatch(line.strip()):
            table.top, table.whole = float(found[1]), True
            ledger.context(number)
        elif line.startswith("#"):
            ledger.context(number)
        elif line.strip():
            ledger.problem(number, f"'{printable(line, 60)}' is no value, percentile and count; line skipped")
    series = _ended(file, table, rows, ledger) or series
    if not len(rows) and not ledger.problems:
        ledger.note(0, "the table has no line with a value; record again")
    return Reading(rows=rows, configurations=[{}], problems=ledger.problems, lines=ledger.counts(), series=series)


@dataclass(slots=True)
class _Table:
    """What has been read of one table."""

    #: Line, value and how many values do not exceed it.
    places: list[tuple[int, float, int]] = field(default_factory=list)
    top: float = math.nan
    mean: float = math.nan
    #: Whether its end was seen: the row of percentile 1, or the totals below it.
    whole: bool = False


def _ended(file: TextFile, table: _Table, rows: Rows, ledger: Ledger) -> list[Series]:
    """Keep a table that has its end: how many values there were stands there alone."""
    if table.whole or not table.places:
        _percentiles(rows, table.places, table.top, table.mean)
        return _series(file, table.places)
    ledger.refuse(line for line, _, _ in table.places)
    shown = "the table ends before its percentile 1 and its totals, so how many values it holds is unknown"
    ledger.note(table.places[-1][0], f"{shown}; no percentile was kept; was the file cut? record it again")
    return []


def _series(file: TextFile, places: Sequence[tuple[int, float, int]]) -> list[Series]:
    data = tuple((value, count) for _, value, count in places)
    return [Series(kind="histogram", name="", source=file.source, line=places[0][0], data=data)] if places else []


def _percentiles(
    rows: Rows, places: Sequence[tuple[int, float, int]], top: float, mean: float, configuration: int = 0
) -> None:
    """Add the usual percentiles: the first value that as many values do not exceed."""
    total = places[-1][2] if places else 0
    if not total:
        return
    found: list[tuple[str, float, int]] = []
    for name, share, least in _PERCENTILES:
        if total >= least:
            line, value, _ = next(one for one in places if one[2] >= math.ceil(share * total - 1e-9))
            found.append((f"latency_p{name}", value, line))
    last = places[-1]
    found.append(("latency_max", top if math.isfinite(top) else last[1], last[0]))
    if math.isfinite(mean):
        found.append(("latency_mean", mean, last[0]))
    for metric, value, line in found:
        rows.add(
            name="",
            metric=metric,
            value=value,
            unit="",
            line=line,
            configuration=configuration,
            iterations=float(total),
        )


def _log(file: TextFile) -> Reading:
    rows, ledger = Rows(), Ledger(len(file.lines))
    counts: dict[str, dict[int, int]] = {}
    first: dict[str, int] = {}
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        if line.startswith(("#", '"StartTimestamp"')):
            ledger.context(number)
            continue
        found = _INTERVAL.fullmatch(line.strip())
        if not found:
            ledger.problem(number, f"'{printable(line, 60)}' is no interval of a histogram log; line skipped")
            continue
        try:
            decoded = decode_histogram(found["packed"])
        except DataError as error:
            ledger.problem(number, f"the histogram {error}; line skipped")
            continue
        tag = found["tag"] or ""
        first.setdefault(tag, number)
        joined = counts.setdefault(tag, {})
        for value, count in decoded.items():
            joined[value] = joined.get(value, 0) + count
        ledger.data(number)
    configurations: list[Mapping[str, str]] = []
    series = []
    for tag, joined in counts.items():
        places, total = [], 0
        for value in sorted(joined):
            total += joined[value]
            places.append((first[tag], float(value), total))
        _percentiles(rows, places, math.nan, math.nan, len(configurations))
        configurations.append({"tag": tag} if tag else {})
        series += _series(file, places)
    if not len(rows):
        ledger.note(0, "the log holds no interval with values; record again")
    return Reading(
        rows=rows, configurations=configurations, problems=ledger.problems, lines=ledger.counts(), series=series
    )
