"""Histograms and profiles: HdrHistogram's tables and logs, and ``go tool pprof -top``."""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if
from benchlib.formats.reader import Certainty, Format, Ledger, Reading, TextFile

# HdrHistogram: percentile tables (`.hgrm`) and logs of compressed histograms (`.hlog`).

_HDR_HEADER = re.compile(r"\s*Value[\s,]+Percentile[\s,]+TotalCount[\s,]+1/\(1-Percentile\)\s*")
_NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_HDR_ROW = re.compile(
    rf'"?\s*({_NUMBER})[\s,]+({_NUMBER})[\s,]+(\d+)(?:[\s,]+(?:{_NUMBER}|inf|Infinity))?\s*', re.ASCII
)
_MEAN = re.compile(rf"#\[Mean\s*=\s*({_NUMBER}),\s*StdDeviation\s*=\s*({_NUMBER})\]", re.ASCII)
_MAX = re.compile(rf"#\[Max\s*=\s*({_NUMBER}),\s*Total ?[Cc]ount\s*=\s*({_NUMBER})\]", re.ASCII)
_LOG = "#[Histogram log format version"
_INTERVAL = re.compile(
    rf"(?:Tag=(?P<tag>[^, \r\n]+),)?(?P<start>-?{_NUMBER}),(?P<length>{_NUMBER}),(?P<max>{_NUMBER}),(?P<packed>\S+)",
    re.ASCII,
)

#: Shares of the values, with how many values it takes to tell them.
_PERCENTILES = (("50", 0.5, 1), ("90", 0.9, 10), ("99", 0.99, 100), ("99.9", 0.999, 1000), ("99.99", 0.9999, 10_000))


def _is_hdr_histogram(head: TextFile) -> Certainty:
    """Be certain of the table's header at the top, and of the log's own mark."""
    if _HDR_HEADER.fullmatch(head.first):
        return "certain"
    marked = head.mentions(_LOG)
    filled = [line for line in head.lines if line.strip()][:50] if marked else []
    return certain_if(any(line.startswith(_LOG) for line in filled))


def _read_hdr_histogram(file: TextFile) -> Reading:
    """Read a table or a log."""
    is_log = any(line.startswith(_LOG) for line in file.lines[:1000])
    return _read_log(file) if is_log else _read_table(file)


HDR_HISTOGRAM = Format(
    name="hdrhistogram",
    rule="the columns Value, Percentile, TotalCount, 1/(1-Percentile), or a line '#[Histogram log format version'",
    yields="latency_p50 to p99.99 and max; one sample a file (a log: one a tag, all its intervals joined)",
    limits="the unit of its values (no file says it); percentiles only, no raw samples",
    recognise=_is_hdr_histogram,
    read=_read_hdr_histogram,
)


#: One place of a cumulative histogram: its line, a value, and how many values do not exceed it.
_Place = tuple[int, float, int]


@dataclass(slots=True)
class _Table:
    """What has been read of one table."""

    places: list[_Place] = field(default_factory=list)
    top: float = math.nan
    mean: float = math.nan
    #: Whether its end was seen: the row of percentile 1, or the totals below it.
    whole: bool = False

    def add(self, line: int, match: re.Match[str]) -> bool:
        """Add a row; False where it does not go on from the row before."""
        value, share, count = float(match[1]), float(match[2]), int(match[3][:20])
        _, least_value, least_count = self.places[-1] if self.places else (0, -math.inf, 0)
        if share > 1 or not math.isfinite(value) or len(match[3]) > 18 or value < least_value or count < least_count:
            return False
        self.places.append((line, value, count))
        self.whole |= share == 1
        return True


def _read_table(file: TextFile) -> Reading:
    """Read tables; several may follow each other, each ended by its totals."""
    ledger = Ledger(len(file.lines))
    collector, table = Collector(file.source, ledger), _Table()
    collector.configure({})
    for number, line in enumerate(file.lines, 1):
        if _HDR_HEADER.fullmatch(line):
            _keep_table(table, collector)
            table = _Table()
            ledger.context(number)
        elif match := _HDR_ROW.fullmatch(line):
            if table.add(number, match):
                ledger.data(number)
            else:
                ledger.problem(number, "value or count is below that of the line before; line skipped")
        elif match := _MEAN.fullmatch(line.strip()):
            table.mean = float(match[1])
            ledger.context(number)
        elif match := _MAX.fullmatch(line.strip()):
            table.top, table.whole = float(match[1]), True
            ledger.context(number)
        elif line.startswith("#"):
            ledger.context(number)
        elif line.strip():
            ledger.problem(number, f"'{printable(line, 60)}' is no value, percentile and count; line skipped")
    _keep_table(table, collector)
    # The last histogram stands for the file.
    del collector.series[:-1]
    if not len(collector.rows) and not ledger.problems:
        ledger.note(0, "the table has no line with a value; record again")
    return collector.reading()


def _keep_table(table: _Table, collector: Collector) -> None:
    """Keep a table that has its end: how many values there were stands there alone."""
    if table.whole or not table.places:
        _keep_histogram(collector, table.places, table.top, table.mean)
        return
    collector.ledger.refuse(line for line, _, _ in table.places)
    message = "the table ends before its percentile 1 and its totals, so how many values it holds is unknown"
    last = table.places[-1][0]
    collector.ledger.note(last, f"{message}; no percentile was kept; was the file cut? record it again")


def _keep_histogram(
    collector: Collector, places: Sequence[_Place], top: float = math.nan, mean: float = math.nan
) -> None:
    """Keep a histogram and the usual percentiles: the first value that as many values do not exceed."""
    if not places:
        return
    last_line, last_value, total = places[-1]
    values: list[tuple[str, float, int]] = []
    for name, share, least in _PERCENTILES:
        if total >= least:
            line, value, _ = next(place for place in places if place[2] >= math.ceil(share * total - 1e-9))
            values.append((f"latency_p{name}", value, line))
    values.append(("latency_max", top if math.isfinite(top) else last_value, last_line))
    if math.isfinite(mean):
        values.append(("latency_mean", mean, last_line))
    for metric, value, line in values if total else ():
        collector.add("", metric, value, "", line=line, iterations=float(total))
    collector.add_series("histogram", "", places[0][0], tuple((value, count) for _, value, count in places))


def _read_log(file: TextFile) -> Reading:
    """Read a log: the intervals of one tag are one histogram."""
    collector = Collector(file.source, Ledger(len(file.lines)))
    counts: dict[str, Counter[int]] = {}
    first: dict[str, int] = {}

    def read(line: str) -> Outcome:
        if not line.strip():
            return "noise"
        if line.startswith(("#", '"StartTimestamp"')):
            return "context"
        match = _INTERVAL.fullmatch(line.strip())
        if not match:
            raise DataError(f"'{printable(line, 60)}' is no interval of a histogram log")
        decoded = _decode_histogram(match["packed"])
        tag = match["tag"] or ""
        first.setdefault(tag, collector.line)
        counts.setdefault(tag, Counter()).update(decoded)
        return "data"

    collector.each(enumerate(file.lines, 1), read, "line skipped")
    for tag, joined in counts.items():
        values = sorted(joined)
        totals = accumulate(joined[value] for value in values)
        collector.configure({"tag": tag} if tag else {})
        places = [(first[tag], float(value), total) for value, total in zip(values, totals, strict=True)]
        _keep_histogram(collector, places)
    if not len(collector.rows):
        collector.ledger.note(0, "the log holds no interval with values; record again")
    return collector.reading()


# HdrHistogram's compressed form, decoded: base64, zlib, and counts as ZigZag LEB128 numbers.
#
# References
# HdrHistogram, "Histogram internal V2 encoding", class `EncodableHistogram` and
# `AbstractHistogram.decodeFromByteBuffer` of the Java implementation.


_COMPRESSED, _PLAIN = 0x1C849304, 0x1C849303
#: The low byte of a cookie holds the word size.
_COOKIE = 0xFFFFFF0F
_CODEC_HEADER = struct.Struct(">iiiiqqd")
#: Counts are small numbers in a small table: far beyond that it is no histogram.
_LARGEST = 4 * 1024**2
_RATIO_FREE, _LARGEST_RATIO = 64 * 1024, 200


def _decode_histogram(text: str) -> dict[int, int]:
    """Return the counts of a histogram: highest equivalent value to count, ascending."""
    payload = _payload(text)
    cookie, length, offset, digits, lowest, highest, _ = _CODEC_HEADER.unpack_from(payload)
    if cookie & _COOKIE != _PLAIN:
        raise DataError("the histogram is encoded in a form before V2; write it with a current HdrHistogram")
    if not (
        0 <= digits <= 5 and 1 <= lowest <= highest and 0 <= length <= len(payload) - _CODEC_HEADER.size and not offset
    ):
        raise DataError("the histogram has a damaged header; write it again")
    return _values(payload[_CODEC_HEADER.size : _CODEC_HEADER.size + length], digits, lowest)


def _payload(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
        if len(raw) < 8:
            raise DataError("the histogram is cut; write it again")
        cookie, length = struct.unpack_from(">ii", raw)
        if cookie & _COOKIE != _COMPRESSED or length != len(raw) - 8:
            raise DataError("the histogram is cut, or encoded in a form before V2; write it again")
        unzip = zlib.decompressobj()
        payload = unzip.decompress(raw[8:], min(_LARGEST, max(_RATIO_FREE, _LARGEST_RATIO * len(raw))))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise DataError(f"the histogram is damaged ({error}); write it again") from error
    if not unzip.eof or len(payload) < _CODEC_HEADER.size:
        raise DataError("the histogram is cut or too large; write it again")
    return payload


def _values(packed: bytes, digits: int, lowest: int) -> dict[int, int]:
    # The layout of the buckets, from the precision: names as in the reference implementation.
    unit_magnitude = int(math.log2(lowest))
    half_magnitude = math.ceil(math.log2(2 * 10**digits)) - 1
    half_count = 1 << half_magnitude
    counts: dict[int, int] = {}
    index = 0
    for number in _numbers(packed):
        if number < 0:
            index -= number
            continue
        if number:
            bucket = (index >> half_magnitude) - 1
            within = (index & (half_count - 1)) + half_count
            if bucket < 0:
                bucket, within = 0, within - half_count
            if bucket + unit_magnitude > 62:
                raise DataError("the histogram counts a value beyond 64 bits; write it again")
            step = bucket + unit_magnitude
            counts[((within + 1) << step) - 1] = number
        index += 1
    return counts


def _numbers(packed: bytes) -> Iterator[int]:
    """Read ZigZag LEB128 numbers of at most nine bytes; the ninth holds eight bits."""
    value = shift = 0
    for byte in packed:
        if shift == 56:
            value |= byte << shift
        else:
            value |= (byte & 0x7F) << shift
            if byte & 0x80:
                shift += 7
                continue
        yield (value >> 1) ^ -(value & 1)
        value = shift = 0
    if shift:
        raise DataError("the histogram ends within a number; write it again")


# `go tool pprof -top`: where time or memory went, by function.


_PPROF_HEADER = re.compile(r"\s*flat\s+flat%\s+sum%\s+cum\s+cum%\s*")
_AMOUNT = r"(-?\d+(?:\.\d+)?)([A-Za-z]*)"
_SHARE = r"(-?\d+(?:\.\d+)?)%"
_PPROF_ROW = re.compile(rf"\s*{_AMOUNT}\s+{_SHARE}\s+{_SHARE}\s+{_AMOUNT}\s+{_SHARE}\s+(\S.*)", re.ASCII)
_FACT = re.compile(
    r"(File|Build ID|Type|Time|Duration|Showing nodes accounting for|Showing top \d+ nodes|Dropped \d+ nodes?|"
    r"Active filters|Main binary filename|Fetching profile|Saved profile)\b"
)
_INLINE = re.compile(r" \((?:partial-)?inline\)\Z")

#: pprof counts bytes by 1,024 and has its own words for long times.
_UNITS = {
    "B": (1.0, "B"), "kB": (1.0, "KiB"), "MB": (1.0, "MiB"), "GB": (1.0, "GiB"), "TB": (1.0, "TiB"),
    "ns": (1.0, "ns"), "us": (1.0, "us"), "ms": (1.0, "ms"), "s": (1.0, "s"), "mins": (60.0, "s"),
    "hrs": (3600.0, "s"), "days": (86400.0, "s"), "": (1.0, ""),
}  # fmt: skip


def _read_pprof_top(file: TextFile) -> Reading:
    """Read each line of the table as one function; several tables may follow each other."""
    collector = Collector(file.source, Ledger(len(file.lines)))
    facts: dict[str, str] = {}
    within = False

    def read(line: str) -> Outcome:
        nonlocal facts, within
        if _PPROF_HEADER.fullmatch(line):
            within = True
        elif match := _FACT.match(line):
            key, text = match[1], line[match.end() :].lstrip(": ").strip()
            if key in ("File", "Type"):
                if within:
                    facts, within = {}, False
                facts["benchmark" if key == "File" else "profile"] = text
        elif within and line.strip():
            _hold_function(collector, facts, line)
            return "data"
        else:
            return "noise"
        return "context"

    collector.each(enumerate(file.lines, 1), read, "line skipped")
    if not len(collector.rows) and not collector.ledger.problems:
        collector.ledger.note(0, "the table names no function; take a longer profile")
    return collector.reading()


def _hold_function(collector: Collector, facts: Mapping[str, str], line: str) -> None:
    match = _PPROF_ROW.fullmatch(line) if len(line) < 10_000 else None
    if not match or match[2] not in _UNITS or match[6] not in _UNITS:
        raise DataError(f"'{printable(line.strip(), 60)}' is no line of the table")
    collector.configure({**facts, "function": _INLINE.sub("", match[8].strip())})
    # "0" is written without a unit: the other amount, else the kind of profile has it.
    written = match[2] or match[6] or _unit_of(facts.get("profile", ""))
    for what, amount, unit, share in (("flat", match[1], match[2], match[3]), ("cum", match[5], match[6], match[7])):
        factor, base = _UNITS[unit or written]
        kind = "time" if base.endswith("s") else "memory" if base else "count"
        collector.hold("", f"{what}_{kind}", float(amount) * factor, base)
        collector.hold("", f"{what}_share", float(share), "%")


PPROF_TOP = Format(
    name="pprof-top",
    rule="the columns flat, flat%, sum%, cum, cum%",
    yields="flat_share and cum_share by function, and flat and cum as time, memory or count",
    limits="functions that pprof dropped from the table; who called whom; one sample a profile",
    recognise=lambda head: certain_if(head.mentions("flat%") and any(map(_PPROF_HEADER.fullmatch, head.lines[:200]))),
    read=_read_pprof_top,
)


def _unit_of(profile: str) -> str:
    if profile.endswith("_space"):
        return "B"
    return "s" if profile in ("cpu", "delay", "wall") else ""


READERS = (
    HDR_HISTOGRAM,
    PPROF_TOP,
)
