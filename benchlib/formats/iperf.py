"""iperf3: its JSON, alone or within documents of somebody's own, and the text of iperf3 and iperf2.

A run of TCP is as many values as it has intervals, which are no independent samples. Of UDP the intervals say what was
sent, at a rate that was set: what arrived stands at the end alone, with jitter and loss.

References
----------
esnet/iperf, `src/iperf_api.c` and `src/iperf_locale.c` (the JSON and the lines) and `src/units.c`: bits count in steps
of 1,000, bytes of 1,024.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if, number_in
from benchlib.formats.json_text import Document, _pick, list_at, number_at, object_at, parse_text, text_at, unreadable
from benchlib.formats.reader import Format, Ledger, Reading, Records, TextFile, _at_open_end, _joined, open_line
from benchlib.formats.suites import _axes_of

_NAME = "iperf3"
#: Documents nest a run in lists and objects of their own, and hold so many of them.
_DEEPEST, _MOST_RUNS = 12, 100_000


@dataclass(frozen=True)
class _Run:
    """One run within a document, and what the objects around it say of it."""

    root: Mapping[str, Any]
    facts: Mapping[str, Any]


def _runs(root: object) -> Iterator[_Run]:
    """Yield every run of a document, with the words and numbers beside it as levels."""
    waiting: list[tuple[object, dict[str, Any], int]] = [(root, {}, 0)]
    count = 0
    while waiting and count < _MOST_RUNS:
        value, facts, depth = waiting.pop(0)
        if isinstance(value, dict) and isinstance(value.get("start"), dict) and "intervals" in value:
            count += 1
            yield _Run(value, facts)
        elif depth < _DEEPEST and isinstance(value, dict):
            words = {key: each for key, each in value.items() if isinstance(each, (str, int, float))}
            waiting += [
                (each, {**facts, **words}, depth + 1) for each in value.values() if isinstance(each, (dict, list))
            ]
        elif depth < _DEEPEST and isinstance(value, list):
            waiting += [(each, facts, depth + 1) for each in value if isinstance(each, (dict, list))]


#: What a document of somebody's own says of a run that is its time or identity, and no level.
_TIMES = re.compile(r"(?:.*_)?(?:timestamp|time|date|id|started|ended)(?:_.*)?", re.IGNORECASE)


def _read_document(file: TextFile, document: Document) -> Reading:
    """Read every interval of every run of a document as a record."""
    if not document.parsed:
        return unreadable(document)
    runs = list(_runs(document.root))
    told = _told(runs)
    entries = [(run, interval) for run in runs for interval in (*_intervals(run.root), None)]
    places = [line for path in ("intervals[].sum", "intervals[]") if (line := document.lines(path))]
    whole = sum(interval is not None for _, interval in entries)
    own = iter(places[0] if len(runs) == 1 and places and len(places[0]) == whole else ())
    begun = _lines_of_runs(document, len(runs))
    lines = [begun[number] for number, run in enumerate(runs) for _ in (*_intervals(run.root), None)]
    lines = [
        next(own, line) if interval is not None else line for (_, interval), line in zip(entries, lines, strict=True)
    ]
    build = Collector(file.source, Records(lines))

    def read(entry: tuple[_Run, object]) -> Outcome:
        run, interval = entry
        error = text_at(run.root, "error") or _nothing_arrived(run.root)
        settings = object_at(run.root, "start.test_start")
        protocol = text_at(settings, "protocol")
        axes = {
            "protocol": protocol,
            "streams": settings.get("num_streams"),
            "reverse": settings.get("reverse") or None,
            "target_bitrate": _target(run.root) or None,
            **{key: value for key, value in run.facts.items() if key in told},
        }
        configuration = build.number_of({"benchmark": _NAME, **_axes_of(axes)})
        if interval is None:
            return _take_end(build, run.root, configuration, error, udp=protocol == "UDP")
        total = object_at(interval, "sum")
        rate = number_at(total, "bits_per_second")
        if total.get("omitted") is True or protocol == "UDP":
            return "context"
        if rate is None:
            raise DataError("an interval without bits_per_second")
        errors = None if error is None else 1.0
        for metric, value, unit in (
            ("bandwidth", rate, "bit/s"),
            ("retransmits", number_at(total, "retransmits"), ""),
        ):
            if value is not None:
                build.add(_NAME, metric, value, unit, line=build.line, configuration=configuration, errors=errors)
        return "data"

    build.each(enumerate(entries), read, "no value is kept")
    return build.finish(document.problems, wanted="iperf3 writes 'intervals' with a sum each")


def _lines_of_runs(document: Document, count: int) -> list[int]:
    """Return the line on which each run has its intervals; the first line of the document where that is not clear."""
    text, lines, line, counted = document.content, list[int](), document.first_line, 0
    for match in re.finditer('"intervals"', text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        lines.append(line)
    return lines if len(lines) == count else [document.first_line] * count


def _told(runs: Sequence[_Run]) -> frozenset[str]:
    """Return what a document says of its runs that they do not say themselves: no time, and not the target again."""
    targets = {_target(run.root) for run in runs}
    told = set()
    for key in dict.fromkeys(key for run in runs for key in run.facts if not _TIMES.fullmatch(key)):
        pairs = {(_target(run.root), run.facts.get(key)) for run in runs}
        if len(targets) < 2 or not len(pairs) == len(targets) == len({level for _, level in pairs}):
            told.add(key)
    return frozenset(told)


def _target(root: Mapping[str, Any]) -> float:
    """Return the rate that was set, 0 for none."""
    places = (_pick(root, "start.target_bitrate"), _pick(root, "start.test_start.target_bitrate"))
    return next((place for place in places if isinstance(place, (int, float)) and place > 0), 0)


def _nothing_arrived(root: object) -> str | None:
    """Say so where the receiver counted nothing: what was written into a buffer has no bandwidth."""
    sent, received = number_at(root, "end.sum_sent.bytes"), number_at(root, "end.sum_received.bytes")
    return "nothing arrived at the receiver" if sent and received == 0 else None


def _intervals(root: object) -> list[object]:
    try:
        return list_at(root, "intervals")
    except DataError:
        return []


def _take_end(build: Collector, root: object, configuration: int, error: str | None, *, udp: bool) -> Outcome:
    """Take what stands at the end of a run: why it failed, and of UDP what arrived."""
    if error is not None:
        if not any(configuration == each for each in build.rows.configuration):
            build.add_series("failed-benchmark", _NAME, build.line)
            raise DataError(f"{_NAME} failed ({printable(error, 100)})")
        build.note(f"{_NAME} failed ({printable(error, 100)}); its values are set apart")
    if not udp:
        return "context"
    # Before 3.11 the sum alone says what arrived; a server that told nothing leaves no such sum.
    received = object_at(root, "end.sum_received") or object_at(root, "end.sum")
    if not received:
        raise DataError("the run says nothing of what arrived")
    errors = None if error is None else 1.0
    for key, metric, unit in (
        ("bits_per_second", "bandwidth", "bit/s"),
        ("jitter_ms", "jitter", "ms"),
        ("lost_percent", "lost", "%"),
    ):
        value = number_at(received, key)
        if value is not None:
            build.add(_NAME, metric, value, unit, line=build.line, configuration=configuration, errors=errors)
    return "data"


_BEGIN = re.compile(r"[{\[]")


def _read_json(file: TextFile) -> Reading:
    """Read each document of a file: runs that were appended, of which any may be cut."""
    starts = [number for number, line in enumerate(file.lines) if _BEGIN.match(line)]
    cuts = [0, *(number for number in starts if number), len(file.lines)]
    texts = [(first + 1, "\n".join(file.lines[first:last])) for first, last in pairwise(cuts)]
    documents = [parse_text(text, line) for line, text in texts if text.strip()]
    return _joined([_read_document(file, document) for document in documents or [parse_text(file.text)]])


# The text: lines of intervals, a rule, and the sums of sender and receiver.


_SECONDS = r"[0-9]{1,9}\.[0-9]{1,9}"
_LINE = re.compile(
    rf"\[ *(?P<id>[0-9]{{1,6}}|SUM)\](?:\[[^\]]{{1,20}}\])? +(?P<begin>{_SECONDS}) *- *(?P<end>{_SECONDS}) +sec +"
    r"[0-9.]+ [KMGT]?Bytes +(?P<rate>[0-9.]+) (?P<bits>[KMGT]?)(?P<what>bits|Bytes)/sec(?P<rest>.*)"
)
_UDP = re.compile(r" +(?P<jitter>[0-9.]+) ms +(?P<lost>[0-9]+)/ *(?P<total>[0-9]+) +\((?P<share>[0-9.e+-]+)%\).*")
_TCP = re.compile(r" +(?P<retransmits>[0-9]{1,15})(?: .*)?")
_TEXT_CONTEXT = re.compile(
    r"Connecting to |\[ *[0-9]+\] local |\[ *ID\]|- - |-{20}|iperf Done|Client connecting|Server |TCP window|UDP "
)
_TEXT_FAILED = re.compile(r"(?:iperf3?: error - |connect failed: )(?P<why>.+)")
_STEPS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_HEAD = re.compile(r"\[ *ID\]")
_ACCEPTED = re.compile(r"Connecting to host |\[ *[0-9]{1,6}\] local ")


class _Text(Collector):
    """The reading of one text: a run begins where a connection does."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        self.file = file
        self.begin_run()

    def begin_run(self) -> None:
        """Forget what was read of the run before."""
        self.intervals: list[tuple[int, re.Match[str]]] = []
        self.ends: list[tuple[int, re.Match[str]]] = []
        self.ended = False
        #: The head of the lines, which says what stands behind the rate.
        self.head = ""

    def read(self) -> Reading:
        """Read every line."""
        self.each(enumerate(self.file.lines, 1), self.take, "line skipped")
        self.end_run()
        return self.finish(wanted="iperf3 writes a line for each interval, and sums of sender and receiver")

    def take(self, line: str) -> Outcome:
        """Take one line; the values are kept where the run ends."""
        if len(line) > 1000:
            return "noise"
        if match := _LINE.fullmatch(line):
            if _at_open_end(self.file, self.entry):
                raise DataError(open_line(line))
            summed = self.ended or match["rest"].rstrip().endswith(("sender", "receiver"))
            (self.ends if summed else self.intervals).append((self.entry, match))
            return "context"
        if failed := _TEXT_FAILED.match(line):
            self.add_series("failed-benchmark", _NAME, self.line)
            raise DataError(f"{_NAME} failed ({printable(failed['why'], 60)})")
        if _ACCEPTED.match(line) and (self.intervals or self.ends):
            self.end_run()
        if _HEAD.match(line):
            self.head = line
            # A second head stands over the sums.
            self.ended = bool(self.intervals)
        return "context" if _TEXT_CONTEXT.match(line) else "noise"

    def end_run(self) -> None:
        """Keep each interval of all streams together, or the sums where there is no interval."""
        every = [*self.intervals, *self.ends]
        totals = [place for place in self.intervals if _is_total(place[1], self.intervals[0][1])]
        intervals, ends = [place for place in self.intervals if place not in totals], self.ends or totals
        udp = "Datagrams" in self.head or any(_UDP.fullmatch(match["rest"]) for _, match in every)
        retries = "Retr" in self.head
        self.begin_run()
        if not every:
            return
        streams = len({match["id"] for _, match in every} - {"SUM"})
        arrived = [place for place in ends if not place[1]["rest"].rstrip().endswith("sender")]
        chosen = arrived if udp else intervals or arrived or ends
        if udp:
            chosen = [place for place in chosen or intervals if _UDP.fullmatch(place[1]["rest"])]
        if streams > 1:
            chosen = [place for place in chosen if place[1]["id"] == "SUM"]
        if not chosen:
            what = "what arrived" if udp else "the sum of its streams"
            self.ledger.problem(every[0][0], f"the run does not say {what}; no value is kept")
        protocol = "UDP" if udp else "TCP"
        configuration = self.number_of({"benchmark": _NAME, "protocol": protocol, "streams": max(streams, 1)})
        for number, match in chosen:
            self.keep(number, match, configuration, retries=retries)

    def keep(self, number: int, match: re.Match[str], configuration: int, *, retries: bool) -> None:
        """Keep the values of one line."""
        if "(omitted)" in match["rest"]:
            return
        try:
            values = _values_of(match, retries=retries)
        except DataError as error:
            self.ledger.problem(number, f"{error}; line skipped")
            return
        self.ledger.data(number)
        for metric, value, unit in values:
            self.add(_NAME, metric, value, unit, line=number, configuration=configuration)


def _values_of(match: re.Match[str], *, retries: bool) -> list[tuple[str, float, str]]:
    """Return metric, value and unit of everything that a line says."""
    step = _STEPS[match["bits"]]
    if match["what"] == "Bytes":
        step = 8 * 1024.0 ** " KMGT".index(match["bits"] or " ")
    values = [("bandwidth", (number_in(match["rate"]) or 0.0) * step, "bit/s")]
    if datagrams := _UDP.fullmatch(match["rest"]):
        values += [
            ("jitter", number_in(datagrams["jitter"]) or 0.0, "ms"),
            ("lost", number_in(datagrams["share"]) or 0.0, "%"),
        ]
    elif retries and (sent := _TCP.fullmatch(match["rest"])):
        values.append(("retransmits", float(sent["retransmits"]), ""))
    return values


def _is_total(match: re.Match[str], first: re.Match[str]) -> bool:
    """Whether a line sums up those before it, as the last of iperf2 does: it begins with the first, and is longer."""
    same = number_in(match["begin"]) == number_in(first["begin"])
    return same and (number_in(match["end"]) or 0.0) > 1.5 * (number_in(first["end"]) or 0.0)


def _is_json(head: TextFile) -> bool:
    return all(mark in head.text for mark in ('"connected"', '"iperf 3', '"intervals"'))


def _is_text(head: TextFile) -> bool:
    return any(map(_LINE.fullmatch, (line for line in head.lines if line.startswith("[") and len(line) <= 1000)))


IPERF = Format(
    name="iperf3",
    rule="JSON with 'connected', 'iperf 3' and 'intervals'",
    yields="bandwidth and retransmits of each interval; of UDP what arrived, jitter and loss; protocol, streams",
    limits="latency; intervals of one run are no independent samples",
    recognise=lambda head: certain_if(_is_json(head)),
    read=_read_json,
)
IPERF_TEXT = Format(
    name="iperf3-text",
    rule="lines '[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec'",
    yields="bandwidth and retransmits of each interval, of all streams together; of UDP what arrived, jitter and loss",
    limits="latency; three digits; intervals of one run are no independent samples",
    # The JSON of the same run holds every digit.
    summary=True,
    recognise=lambda head: certain_if(_is_text(head)),
    read=lambda file: _Text(file).read(),
)

READERS = (IPERF, IPERF_TEXT)
