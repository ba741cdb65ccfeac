"""Load generators that print text: wrk, hey, oha, ghz, ab, and the consoles of autocannon and fio."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Outcome, certain_if
from benchlib.formats.json_text import Document, _read_documents, list_at, number_at, outline, text_at
from benchlib.formats.load_generators import (
    Load,
    _endpoint_axes,
    _failed_answers,
    _latencies_at,
    _member_lines,
    _numbers_at,
    _percentiles_at,
    _setting_at,
    _Value,
    is_timeout,
    percentile_name,
)
from benchlib.formats.reader import (
    Certainty,
    Format,
    Ledger,
    Reading,
    Records,
    TextFile,
    _at_open_end,
    may_be_cut,
    open_line,
)
from benchlib.metrics import canonical

# What the readers of printed runs share: a run is read line by line, and kept or refused where it ends.


_QUANTITY = re.compile(r"(-?nan|\d{1,15}(?:\.\d{1,12})?)\s*([^\W\d]*)", re.IGNORECASE)
_DIGITS = r"\d{1,15}"
_SHARE_OF = r"(?P<share>100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)"
_SECONDS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0, "seconds": 1.0,
    "m": 60.0, "h": 3600.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """How a tool prints its runs.

    Attributes
    ----------
    start : str
        The line that begins a run; its groups are facts.
    lines : tuple of str
        The lines with numbers, with a group for every metric; a percentile has the groups `share` and `latency`.
    facts : tuple of str
        Lines with words, with a group for every fact.
    context : str
        Beginnings of lines that say what was measured, or repeat what others say.
    known : str
        Beginnings of lines with numbers: one that then does not parse was cut or changed.
    counting : str
        The beginnings of those of them that count failures.
    needs : mapping
        Metric that every whole run has -> how its line begins.
    tables : mapping
        Beginning of a table -> beginning of the line that ends it.
    units : mapping
        Metric, or unit as the tool spells it -> unit.
    counts : tuple of str
        What is read and is no metric of the table.
    first : tuple of str
        The metrics that come before the others.
    bounded : str
        Beginning of the metrics that cannot be above the largest latency.
    decimals : int
        Of the time that a run took.
    noun, rounded : str
        What messages call a run; what the tool rounds, and to what.
    """

    name: str
    start: str
    lines: tuple[str, ...]
    context: str
    known: str
    counting: str
    needs: Mapping[str, str]
    units: Mapping[str, str]
    counts: tuple[str, ...]
    decimals: int
    facts: tuple[str, ...] = ()
    tables: Mapping[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    bounded: str = "latency"
    noun: str = "run"
    rounded: str = ""


@dataclass(slots=True)
class _Run:
    """What has been read of one run so far: values with unit and line by metric, and words."""

    first: int
    last: int
    facts: dict[str, str]
    values: dict[str, tuple[float, str, int]] = field(default_factory=dict)
    #: The beginnings of the lines that end the tables which have begun.
    open_tables: dict[str, None] = field(default_factory=dict)
    #: Whether a line was cut that counts failures.
    damaged: bool = False
    #: With what words the tool gave up.
    stopped: str = ""

    def value(self, metric: str) -> float:
        """Return a value as written, 0 where there is none."""
        return self.values.get(metric, (0.0, "", 0))[0]

    def seconds(self, metric: str) -> float:
        """Return a time in seconds, 0 where there is none."""
        value, unit, _ = self.values.get(metric, (0.0, "s", 0))
        return value * _SECONDS[unit]


class _Counts(NamedTuple):
    """How many requests a run made, how many failed, and what counts its rate may be of."""

    requests: float
    errors: float
    rated: tuple[float, ...]


class _PrintedRuns:
    """The reading of a text in which a tool prints one run after the other."""

    def __init__(self, file: TextFile, tool: _Tool) -> None:
        self.file = file
        self.tool = tool
        self.start, self.context, self.known, self.counting = map(
            re.compile, (tool.start, tool.context, tool.known, tool.counting)
        )
        self.lines = [re.compile(pattern, re.ASCII) for pattern in tool.lines]
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, tool.name, self.ledger, rounded=tool.rounded)
        self.run: _Run | None = None

    def reading(self) -> Reading:
        """Read every line of the file."""
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip():
                self.take(number, line.rstrip())
        self.finish()
        return self.load.reading()

    def take(self, number: int, line: str) -> None:
        """Read one filled line."""
        if match := self.start.fullmatch(line):
            self.finish()
            self.run = _Run(number, number, match.groupdict())
            self.ledger.context(number)
        elif self.run is None:
            if self.known.match(line):
                self.skip(number, f"stands outside a {self.tool.noun}; left out")
        elif self._is_of_run(self.run, number, line):
            self.run.last = number

    def _is_of_run(self, run: _Run, number: int, line: str) -> bool:
        """Take a line of a run; return False for the words of others."""
        if self._is_read(run, number, line):
            for end in [end for end in run.open_tables if line.lstrip().startswith(end)]:
                del run.open_tables[end]
            run.open_tables |= {end: None for begin, end in self.tool.tables.items() if line.startswith(begin)}
        elif self.known.match(line):
            run.damaged |= bool(self.counting.match(line))
            self.skip(number, f"is cut or not as {self.tool.name} prints it; line skipped")
        else:
            return False
        return True

    def _is_read(self, run: _Run, number: int, line: str) -> bool:
        """Read numbers, words, or what is known to say nothing new."""
        try:
            if values := self.values(line):
                self.enter(run, number, values)
                return True
        except DataError:
            return False
        if self.take_other(run, number, line):
            return True
        if match := next(filter(None, (re.fullmatch(pattern, line) for pattern in self.tool.facts)), None):
            run.facts |= match.groupdict()
        elif not self.context.match(line):
            return False
        self.ledger.context(number)
        return True

    def take_other(self, run: _Run, number: int, line: str) -> bool:
        """Take a line that only this tool prints, and enter it; False for any other line."""
        return False

    def counted(self, run: _Run) -> _Counts:
        """Count the requests of a run."""
        raise NotImplementedError

    def axes(self, run: _Run) -> dict[str, Any]:
        """Return the axes of a run; raise DataError where they cannot be read."""
        raise NotImplementedError

    def finish(self) -> None:
        """Keep or refuse the run that was being read."""
        run, self.run = self.run, None
        if run is None:
            return
        lines = [line for _, _, line in run.values.values()]
        try:
            self.keep(run)
        except DataError as error:
            self.ledger.refuse(lines)
            self.ledger.problem(
                run.last,
                f"the {self.tool.noun} that starts at line {run.first} {error}; its values were not kept; run it again",
            )

    def keep(self, run: _Run) -> None:
        """Keep the values of a run; raise DataError with what it "has" or "is" where nothing can be kept."""
        requests, errors, _ = counts = self.counted(run)
        self._check(run, counts)
        configuration = self.load.start_run(self.axes(run))
        metrics = [*dict.fromkeys((*self.tool.first, *run.values))]
        # Latencies without an answer are zeros of an empty list: no data, not a latency of zero.
        answered = any(run.value(metric) for metric in metrics if metric.startswith("latency"))
        longest, bound = self._longest(run)
        for metric in metrics:
            value, unit, line = run.values.get(metric, (0.0, "", 0))
            if not line or metric in self.tool.counts or (metric.startswith("latency") and not answered):
                continue
            if metric.startswith(self.tool.bounded) and value * _SECONDS[unit] > longest:
                self.ledger.problem(line, f"{metric} of {value:g} {unit} is above {bound}; left out")
            else:
                self.load.keep(configuration, line, [(metric, value, unit)], iterations=requests, errors=errors)
                self.ledger.data(line)

    def _check(self, run: _Run, counts: _Counts) -> None:
        """Raise DataError where a run is not whole, or a cut number shows where counts, time and rate disagree."""
        if run.damaged:
            raise DataError("has a cut line of counts, so its failures are unknown")
        if run.stopped and "throughput" not in run.values:
            raise DataError(f"stopped with '{printable(run.stopped, 80)}'")
        missing = [words for metric, words in self.tool.needs.items() if metric not in run.values]
        for words in [*missing, *run.open_tables]:
            raise DataError(f"is cut off: it has no line '{words}'")
        if not counts.requests and not counts.errors:
            raise DataError("answered no request")
        seconds, rate = run.seconds("elapsed"), run.value("throughput")
        step = _SECONDS[run.values["elapsed"][1]] * 10.0**-self.tool.decimals
        if not any(_agree(count, rate, seconds, step) for count in counts.rated):
            shown = f"{max(counts.rated):g} requests in {seconds:g} s"
            raise DataError(f"has {shown} but {rate:g} requests a second")

    def _longest(self, run: _Run) -> tuple[float, str]:
        """Return the largest latency that can be, with room for rounding, and what says so."""
        if run.value("latency_max"):
            value, unit, line = run.values["latency_max"]
            return 1.01 * run.seconds("latency_max") + 1e-9, f"the largest latency, {value:g} {unit} on line {line}"
        line = run.values["elapsed"][2]
        written = printable(self.file.lines[line - 1].strip(), 60)
        return 1.01 * run.seconds("elapsed"), f"the time of the run on line {line}, '{written}'"

    def skip(self, number: int, reason: str) -> None:
        """Say why a line with numbers is left out."""
        self.ledger.problem(number, f"'{printable(self.file.lines[number - 1].strip(), 60)}' {reason}")

    def values(self, line: str) -> dict[str, tuple[float, str]]:
        """Return value and unit of each metric of a line with numbers, none for another line."""
        for pattern in self.lines:
            if match := pattern.fullmatch(line):
                groups = match.groupdict()
                if share := groups.pop("share", None):
                    groups = {percentile_name(float(share)): groups["latency"]}
                return {metric: self.quantity(metric, text) for metric, text in groups.items()}
        return {}

    def quantity(self, metric: str, text: str) -> tuple[float, str]:
        """Return a number and its unit; raise DataError for what is no quantity of the metric."""
        match = _QUANTITY.fullmatch(text)
        is_time = metric.startswith(("latency", "elapsed"))
        written = match[2] or ("latency" if is_time else metric) if match else ""
        unit = self.tool.units.get(written, written)
        if match is None or (is_time and unit not in _SECONDS):
            raise DataError(f"'{printable(text, 20)}' is no {'time' if is_time else 'number'}")
        return float(match[1]), unit

    def enter(self, run: _Run, number: int, values: Mapping[str, tuple[float, str]]) -> None:
        """Enter the values of a line that a run may have once; not-a-number is none."""
        if values.keys() & run.values.keys():
            self.skip(number, f"stands twice in one {self.tool.noun}; the first was kept")
            return
        self.ledger.context(number)
        for metric, (value, unit) in values.items():
            if value == value:
                run.values[metric] = (value, unit, number)


def _agree(requests: float, rate: float, seconds: float, step: float) -> bool:
    """Whether a count, a rate and a time rounded to a step can belong to one run."""
    fastest = requests / max(seconds - step, 1e-12)
    return requests / (seconds + step) * 0.98 <= rate <= fastest * 1.02 + 0.01


# Read what wrk and wrk2 print: one run after another, with or without `--latency`.
#
# wrk counts bytes by 1024 (its `MB` is a MiB), times up to hours (`m` is minutes), and prints
# `0.00us` and `-nan%` where no request was answered. Its percentiles hold only the requests
# that were answered in time; its Requests/sec counts refused and failed answers as well. It prints its failures before
# Requests/sec, so a run that has the latter states all of the former. What that means for failures is said in
# `benchlib.formats.load_generators`: one rule for all load generators.

#: Failures of each kind: errors of sockets, and answers of another status than 2xx and 3xx.
_WRK_FAILURES = ("connect", "read", "write", "timeout", "status")
_WRK_TOOL = _Tool(
    name="wrk",
    start=r"Running (?P<length>\S+) test @ (?P<url>\S+)",
    lines=(
        r"\s+(?P<threads>\d{1,9}) threads and (?P<connections>\d{1,9}) connections",
        r"\s+Latency\s+(?P<latency_mean>\S+)\s+(?P<latency_stdev>\S+)\s+(?P<latency_max>\S+)\s+(?:-?nan|[\d.]+)%",
        rf"\s*{_SHARE_OF}%\s+(?P<latency>\S+)",
        rf"\s+(?P<requests>{_DIGITS}) requests in (?P<elapsed>\S+), [\d.]+[KMGTP]?B read",
        rf"\s+Socket errors: connect (?P<connect>{_DIGITS}), read (?P<read>{_DIGITS}), write (?P<write>{_DIGITS}), "
        rf"timeout (?P<timeout>{_DIGITS})",
        rf"\s+Non-2xx or 3xx responses: (?P<status>{_DIGITS})",
        rf"Requests/sec:\s+(?P<throughput>{_DIGITS}\.\d\d)",
        rf"Transfer/sec:\s+(?P<transfer>{_DIGITS}\.\d\d[KMGTP]?B)",
    ),
    context=r"\s+(?:Thread Stats|Req/Sec\s|Latency Distribution|Thread calibration|Detailed Percentile)",
    known=r"Running \S+ test|\s+\d+ threads and|\s+Latency\s+[\d-]|\s*\d+(?:\.\d+)?%(?:\s|$)|\s+\d+ requests in"
    r"|\s+Socket errors|\s+Non-2xx|Requests/sec|Transfer/sec|METRIC_",
    counting=r"\s+(?:Socket errors|Non-2xx)",
    needs={
        "threads": "threads and connections",
        "requests": "requests in",
        "elapsed": "requests in",
        "throughput": "Requests/sec",
    },
    units={"requests": "req", "throughput": "req/s", "B": "B/s", **{f"{sign}B": f"{sign}iB/s" for sign in "KMGTP"}},
    counts=("threads", "connections", "elapsed", *_WRK_FAILURES),
    first=("throughput", "requests", "transfer"),
    decimals=2,
)
#: What the Lua scripts seen in the field print; all but the percentiles repeat what wrk says.
_LUA = re.compile(r"METRIC_((?:P|RPS|REQUESTS|ERRORS|MAX|MIN|MEAN|STDEV)\d*): (\d{1,15}(?:\.\d{1,9})?)", re.ASCII)
_REFUSED = re.compile(r"unable to (?:connect to|resolve|create thread).*|invalid URL: .*")


def _is_wrk(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if not head.mentions("Running ", "unable to ", "invalid URL", "Usage: wrk"):
        return "no"
    if any(re.match(_WRK_TOOL.start, line) for line in head.lines):
        return "no" if _is_autocannon(head) else "certain"
    ended = any(_REFUSED.fullmatch(line) or line.startswith("Usage: wrk") for line in head.lines)
    return "possible" if ended else "no"


WRK = Format(
    name="wrk",
    rule="a line 'Running T test @ URL', or wrk's own error or usage text",
    yields="throughput, requests, transfer, latency mean, max, stdev and, with --latency, percentiles",
    limits=(
        "percentiles of one run, without requests that timed out; Requests/sec counts answers of any status; wrk is a "
        "closed loop, wrk2 is not"
    ),
    recognise=_is_wrk,
    read=lambda file: _WrkRuns(file).reading(),
)


class _WrkRuns(_PrintedRuns):
    def __init__(self, file: TextFile) -> None:
        super().__init__(file, _WRK_TOOL)
        # wrk2 sends at a fixed rate: its runs alone do not make the file one of a closed loop.
        self.load.closed_loop = False

    def take(self, number: int, line: str) -> None:
        """Take what wrk prints when it does not run at all, or a line of a run."""
        if _REFUSED.fullmatch(line):
            advice = "start the server and run it again"
            message = f"wrk stopped with '{printable(line)}', so nothing was measured; {advice}"
        elif line.startswith("Usage: wrk"):
            # What was wrong with the arguments stands on the line before, where wrk says it.
            before = self.file.lines[number - 2].strip() if number > 1 else ""
            reason = f" ('{printable(before)}')" if before else ""
            message = f"wrk printed its usage{reason}, so nothing was measured; correct its arguments and run it"
        else:
            super().take(number, line)
            return
        self.finish()
        self.ledger.problem(number, message)

    def take_other(self, run: _Run, number: int, line: str) -> bool:
        if match := _LUA.fullmatch(line):
            before = [text[2] for text in map(_LUA.fullmatch, self.file.lines[run.first : number - 1]) if text]
            if _at_open_end(self.file, number) and may_be_cut(match[2], before):
                self.ledger.problem(number, f"{open_line(line)}; line skipped")
            else:
                super().enter(run, number, {f"lua {match[1]}": (float(match[2]), "ms")})
            return True
        # Only wrk2 calibrates its threads, names HdrHistogram and has a second distribution.
        run.facts |= dict.fromkeys((word for word in ("calibration", "Hdr", "Uncorrected") if word in line), line)
        return False

    def enter(self, run: _Run, number: int, values: Mapping[str, tuple[float, str]]) -> None:
        if "Uncorrected" in run.facts:
            values = {metric.replace("latency_p", "latency_uncorrected_p"): each for metric, each in values.items()}
        super().enter(run, number, values)

    def counted(self, run: _Run) -> _Counts:
        requests = run.value("requests")
        return _Counts(requests, sum(map(run.value, _WRK_FAILURES)), (requests,))

    def axes(self, run: _Run) -> dict[str, Any]:
        axes = _endpoint_axes(run.facts["url"], "") | {
            name: int(run.value(name)) for name in ("threads", "connections")
        }
        with suppress(DataError):
            value, unit = self.quantity("elapsed", run.facts["length"])
            axes["duration_s"] = value * _SECONDS[unit]
        return axes

    def keep(self, run: _Run) -> None:
        scripted = {metric: run.values.pop(metric) for metric in [*run.values] if metric.startswith("lua ")}
        run.values |= self._confirmed(run, scripted)
        super().keep(run)
        self.load.closed_loop |= run.facts.keys().isdisjoint(("calibration", "Hdr"))
        if "transfer" not in run.values:
            self.ledger.note(run.last, "the run has no Transfer/sec line; the rest of it was kept")
        _, _, line = run.values.get("timeout", (0, "", 0))
        self.load.timeouts(line, run.value("timeout"), run.value("requests"))

    def _confirmed(
        self, run: _Run, scripted: Mapping[str, tuple[float, str, int]]
    ) -> dict[str, tuple[float, str, int]]:
        """Return the percentiles that a Lua script adds, once their unit is shown to be ms by latencies of wrk."""
        if not any(run.value(metric) for metric in run.values if metric.startswith("latency")):
            return {}
        names = {
            metric: canonical(f"latency_p{metric[5:]}") for metric in scripted if re.fullmatch(r"lua P\d+", metric)
        }
        confirmed = [
            abs(run.seconds(own) - scripted[metric][0] * 1e-3) <= 0.02 * run.seconds(own)
            for metric, own in [*names.items(), ("lua MAX", "latency_max")]
            if own in run.values and metric in scripted
        ]
        added = {name: scripted[metric] for metric, name in names.items() if name not in run.values}
        if confirmed and all(confirmed):
            return added
        why = "is not in ms like wrk's own" if confirmed else "has no unit that wrk's own output confirms"
        for metric, name in names.items():
            if name in added:
                self.ledger.problem(scripted[metric][2], f"METRIC_{metric[4:]} {why}; left out")
        return {}


# The summary that hey printed first and that oha and ghz print in its likeness.
#
# A run starts at `Summary:` and ends with its distribution of status codes; without that its failures
# are unknown and nothing of it is kept. Each tool prints zeros or `NaN` where no request was answered.


_NUMBER = r"(?:NaN|\d{1,15}(?:\.\d{1,12})?)"
_TIME = rf"{_NUMBER}\s*[a-zµμ]{{1,4}}"
_HEY_TOOL = _Tool(
    name="hey",
    start="Summary:",
    lines=(
        rf"\s+Slowest:\s+(?P<latency_max>{_TIME})",
        rf"\s+Fastest:\s+(?P<latency_min>{_TIME})",
        rf"\s+Average:\s+(?P<latency_mean>{_TIME})",
        rf"\s+Total:\s+(?P<elapsed>{_TIME})",
        rf"\s+Requests/sec:\s+(?P<throughput>{_NUMBER})",
        r"\s+Count:\s+(?P<requests>\d{1,15})",
        rf"\s+Size/sec:\s+(?P<transfer>{_NUMBER}\s*[KMGT]?i?B)",
        rf"\s+{_SHARE_OF}\s*%{{1,2}}\s+in\s+(?P<latency>{_TIME})",
    ),
    facts=(r"\s+Name:\s+(?P<name>\S.*)",),
    context=r"\s+(?:Success rate|Total data|Size/request|Size/sec|DNS\+dialup|DNS-lookup|req write|resp wait|resp read"
    r"|First Byte):\s",
    known=r"\s+(?:Slowest|Fastest|Average|Total|Count|Requests/sec)\b|\s+\d+(?:\.\d+)?\s*%|\s+\[\w+\]",
    counting=r"\s+\[\w+\]",
    needs={"throughput": "Requests/sec", "elapsed": "Total"},
    units={"requests": "req", "throughput": "req/s"}
    | {f"{sign}{binary}B": f"{sign}{binary}B/s" for sign in ("", *"KMGT") for binary in ("", "i")},
    counts=("elapsed",),
    decimals=4,
    noun="summary",
    rounded="latencies to 0.1 ms",
)
_OHA_TOOL = replace(_HEY_TOOL, name="oha", rounded="")
_GHZ_TOOL = replace(_HEY_TOOL, name="ghz", rounded="latencies to 0.01 ms", decimals=2)
_BAR = re.compile(rf"\s+({_NUMBER})\s*([a-z]{{0,4}})\s+\[(\d{{1,15}})\]\s*\|", re.ASCII)
_SUMMARY_STATUS = re.compile(r"\s+\[(\w{1,40})\]\s+(\d{1,15}) responses", re.ASCII)
_ERROR = re.compile(r"\s+\[(\d{1,15})\]\s+(\S.*)")
_SECTION = re.compile(
    r"(Response time histogram|Latency distribution|Response time distribution|Status code distribution"
    r"|Error distribution|Details \(average, fastest, slowest\)).*:?"
)
#: oha stops at the end of its time with requests under way: they did not fail, but stand in its rate.
_OHA_STOPPED = "aborted due to deadline"


def _heading(head: TextFile) -> str:
    """Return the tool whose summary stands in a file, an empty text where there is none."""
    lines = head.lines if head.mentions("Summary:") else []
    for number, line in enumerate(lines):
        if line.rstrip() != "Summary:":
            continue
        block = lines[number + 1 : number + 12]
        if any(line.lstrip().startswith("Success rate:") for line in block):
            return "oha"
        if any(re.fullmatch(r"\s+Count:\s+[0-9]{1,15}\s*", line) for line in block):
            return "ghz"
        if any(line.startswith("  Total:") and line.rstrip().endswith(" secs") for line in block):
            return "hey"
    return ""


class _Summaries(_PrintedRuns):
    def take(self, number: int, line: str) -> None:
        if line == "Summary:":
            self.finish()
            #: The part of the summary at hand, its histogram, and how often each status and error came.
            self.section = ""
            self.bars: list[tuple[float, float]] = []
            self.statuses, self.failures = Counter[str](), Counter[str]()
            self.has_statuses = False
        super().take(number, line)

    def take_other(self, run: _Run, number: int, line: str) -> bool:
        if section := _SECTION.fullmatch(line):
            self.section = section[1].partition(" ")[0]
            self.has_statuses |= self.section == "Status"
        elif match := _BAR.match(line):
            # hey and ghz leave the unit out: hey means seconds, ghz milliseconds.
            unit = match[2] or ("ms" if self.tool is _GHZ_TOOL else "s")
            if unit not in _SECONDS or match[1] == "NaN":
                return False
            self.bars.append((float(match[1]) * _SECONDS[unit], float(match[3])))
        elif self.section == "Status" and (match := _SUMMARY_STATUS.fullmatch(line)):
            self.statuses[match[1]] += int(match[2])
        elif self.section == "Error" and (match := _ERROR.fullmatch(line)):
            self.failures[match[2]] += int(match[1])
        else:
            return False
        self.ledger.context(number)
        return True

    @property
    def lost(self) -> dict[str, int]:
        """The requests that got no answer, by error."""
        return {error: count for error, count in self.failures.items() if error != _OHA_STOPPED}

    def counted(self, run: _Run) -> _Counts:
        answered, lost = self.statuses.total(), sum(self.lost.values())
        # oha counts the requests it stopped in its rate; ghz names a failed call twice.
        rated = (answered, answered + self.failures.total())
        if self.tool is _GHZ_TOOL:
            # ghz puts the calls without an answer into both of its lists.
            return _Counts(answered, max(lost, answered - self.statuses["OK"]), rated)
        return _Counts(answered + lost, lost + _failed_answers(self.statuses), rated)

    def axes(self, run: _Run) -> dict[str, Any]:
        return {"benchmark": run.facts.get("name", "")}

    def keep(self, run: _Run) -> None:
        if not self.has_statuses:
            raise DataError("is cut off: it has no status codes, so its failures are unknown")
        super().keep(run)
        if self.bars and self.statuses.total():
            self.load.remark("histogram", run.first, tuple(self.bars))
        timeouts = sum(count for error, count in self.lost.items() if is_timeout(error))
        self.load.timeouts(run.last, timeouts, self.counted(run).requests)


def _is_document(file: TextFile) -> bool:
    """Whether a file is JSON and no text: it starts with a brace or a bracket, and no summary follows."""
    return file.first.lstrip().startswith(("{", "[")) and not any(line.rstrip() == "Summary:" for line in file.lines)


# Read what hey prints; its CSV of single requests is read by `request_csv`.


HEY = Format(
    name="hey",
    rule="a line 'Summary:' with times in secs below it",
    yields="throughput, latency mean, min, max and percentiles; a histogram",
    limits=(
        "percentiles of one run, without the requests that got no answer; times rounded to 0.1 ms; "
        "neither URL nor concurrency stand in it; closed loop"
    ),
    recognise=lambda head: certain_if(_heading(head) == "hey"),
    read=lambda file: _Summaries(file, _HEY_TOOL).reading(),
)


# Read what oha writes: its summary as text or as JSON.
#
# Both leave out URL and concurrency. The requests that oha stopped at the end of its time stand among
# its errors and in its rate; they did not fail and are in no percentile.

_OHA_SHARE = re.compile(r"p?(\d{1,3}(?:\.\d{0,15})?)", re.ASCII)
_OHA_MARK = re.compile(r"\d{1,20}(?:\.\d{0,19})?", re.ASCII)
#: Statistics of latency in the JSON of oha and of ghz.
_STATISTICS = {"mean": "average", "min": "fastest", "max": "slowest"}


def _read_oha(file: TextFile) -> Reading:
    """Read every summary of a text, or those of a document."""
    if not _is_document(file):
        return _Summaries(file, _OHA_TOOL).reading()
    return _read_documents(file, partial(_read_oha_json, file))


OHA = Format(
    name="oha",
    rule="a line 'Success rate:' below 'Summary:', or JSON with summary.successRate",
    yields="throughput, transfer, latency mean, min, max and percentiles; a histogram",
    limits=(
        "percentiles of one run, without the requests that got no answer; neither URL nor concurrency stand in it; "
        "closed loop unless -q was given, which is not recorded either"
    ),
    recognise=lambda head: certain_if(_heading(head) == "oha" or "summary.successRate" in outline(head)),
    read=_read_oha,
)


def _read_oha_json(file: TextFile, document: Document) -> Reading:
    """Read a document: its records are the members of its root."""
    root = document.root if isinstance(document.root, dict) else {}
    keys = list(root)
    lines = _member_lines(document, keys)
    records = Records([lines[key] for key in keys] or [1])
    records.whole(document.problems)
    for index in range(len(keys)):
        records.context(index)
    load = Load(file.source, "oha", records)
    try:
        _keep_oha(root, lines, load)
        for key in ("summary", "latencyPercentiles"):
            if lines.get(key, 0) in load.rows.line and (key == "summary" or any(_numbers_at(root, key).values())):
                records.data(keys.index(key))
    except DataError as error:
        load = Load(file.source, "oha", records)
        at = keys.index("summary") if "summary" in lines else 0
        records.problem(at, f"{error}; nothing of the run was kept; write the file again")
    return load.reading()


def _keep_oha(root: Mapping[str, object], lines: Mapping[str, int], load: Load) -> None:
    if "statusCodeDistribution" not in root:
        raise DataError("there is no statusCodeDistribution, so the failures are unknown")
    statuses = _numbers_at(root, "statusCodeDistribution")
    failures = _numbers_at(root, "errorDistribution")
    lost = {error: count for error, count in failures.items() if error != _OHA_STOPPED}
    answered = sum(statuses.values())
    requests = answered + sum(lost.values())
    errors = _failed_answers(statuses) + sum(lost.values())
    rate = number_at(root, "summary.requestsPerSec")
    if rate is None or not requests:
        raise DataError("summary.requestsPerSec is missing" if rate is None else "no request was answered")
    configuration, line = load.start_run({}), lines["summary"]
    values: list[_Value] = [("throughput", rate, "req/s"), ("transfer", number_at(root, "summary.sizePerSec"), "B/s")]
    percentiles: list[_Value] = []
    if answered:
        values += _latencies_at(root, "summary", _STATISTICS, "s")
        refused = "latencyPercentiles has no percentile in"
        percentiles = _percentiles_at(root, "latencyPercentiles", _OHA_SHARE, "s", refused=refused)
    load.keep(configuration, line, values, iterations=requests, errors=errors)
    if percentiles:
        load.keep(configuration, lines["latencyPercentiles"], percentiles, iterations=requests, errors=errors)
    bars = _numbers_at(root, "responseTimeHistogram")
    marks = tuple((float(mark), count) for mark, count in bars.items() if _OHA_MARK.fullmatch(mark))
    if marks and answered:
        load.remark("histogram", lines["responseTimeHistogram"], marks)
    load.timeouts(line, sum(count for error, count in lost.items() if is_timeout(error)), requests)


# Read what ghz writes: its summary as text, or its report as JSON with every call in it.


def _read_ghz(file: TextFile) -> Reading:
    """Read every summary of a text, or those of a document."""
    if not _is_document(file):
        return _Summaries(file, _GHZ_TOOL).reading()
    return _read_documents(file, partial(_read_ghz_json, file))


GHZ = Format(
    name="ghz",
    rule="a line 'Count:' below 'Summary:', or JSON with latencyDistribution and statusCodeDistribution",
    yields="throughput, requests, latency mean, min, max and percentiles; from JSON the latency of each call too",
    limits="the text has percentiles of one run only and no name of the call; closed loop unless rps was set",
    recognise=lambda head: certain_if(
        _heading(head) == "ghz" or {"statusCodeDistribution", "rps", "count"} <= outline(head, depth=2)
    ),
    read=_read_ghz,
)


def _read_ghz_json(file: TextFile, document: Document) -> Reading:
    """Read a document: its records are the summary and each call of ``details``."""
    root = document.root if isinstance(document.root, dict) else {}
    calls = root.get("details")
    calls = calls if isinstance(calls, list) else []
    # A document of one line needs no search for the lines of its calls.
    starts = document.lines("details[]") if "\n" in document.content else []
    starts += [document.first_line] * (len(calls) - len(starts))
    records = Records([document.first_line, *starts[: len(calls)]])
    records.whole(document.problems)
    load = Load(file.source, "ghz", records)
    try:
        configuration = _keep_ghz(root, load, document.first_line)
        records.data(0)
    except DataError as error:
        load = Load(file.source, "ghz", records)
        records.problem(0, f"{error}; the summary was not kept; write the file again")
        configuration = load.start_run({})

    def read(call: object) -> Outcome:
        latency, status = number_at(call, "latency"), text_at(call, "status")
        if latency is None or status is None or latency < 0:
            raise DataError("a call has no latency or no status")
        load.request(configuration, load.line, latency, "ns", failed=status != "OK")
        return "data"

    load.each(enumerate(calls, start=1), read, "call skipped")
    return load.reading()


def _keep_ghz(root: Mapping[str, object], load: Load, line: int) -> int:
    rate, count = number_at(root, "rps"), number_at(root, "count")
    if rate is None or count is None or not count:
        raise DataError("rps or count is missing, or no call was made")
    statuses, failures = _numbers_at(root, "statusCodeDistribution"), _numbers_at(root, "errorDistribution")
    if not statuses:
        raise DataError("statusCodeDistribution is missing or empty, so the failures are unknown")
    # A failed call stands in both lists.
    errors = max(sum(failures.values()), sum(statuses.values()) - statuses.get("OK", 0))
    values: list[_Value] = [("throughput", rate, "req/s"), ("requests", count, "req")]
    if errors < count:
        values += _latencies_at(root, "", _STATISTICS, "ns")
        for entry in list_at(root, "latencyDistribution"):
            share = number_at(entry, "percentage")
            if share is None or not 0 < share < 100:
                raise DataError(f"latencyDistribution has a percentage of {printable(str(share), 20)}")
            values.append((percentile_name(share), number_at(entry, "latency"), "ns"))
    configuration = load.start_run(_ghz_axes(root))
    load.keep(configuration, line, values, iterations=count, errors=errors)
    bars = tuple(
        (number_at(entry, "mark") or 0.0, number_at(entry, "count") or 0.0) for entry in list_at(root, "histogram")
    )
    if bars:
        load.remark("histogram", line, bars)
    load.timeouts(line, sum(calls for error, calls in failures.items() if is_timeout(error)), count)
    load.closed_loop = not number_at(root, "options.rps")
    return configuration


def _ghz_axes(root: Mapping[str, object]) -> dict[str, Any]:
    call = text_at(root, "options.call") or text_at(root, "name") or ""
    axes: dict[str, Any] = {"benchmark": call, "endpoint": call, "host": text_at(root, "options.host")}
    # One gRPC connection carries many calls at once: it bounds no requests in flight.
    settings = {"workers": "concurrency", "channels": "connections", "rate": "rps"}
    return axes | {axis: _setting_at(root, f"options.{key}") for axis, key in settings.items()}


# Read what ApacheBench (ab) prints.
#
# Its times are whole milliseconds except for the mean; its `Kbytes` count by 1024. A page whose length
# differs from the first answer's counts as failed unless ab was run with `-l`.


_AB_START = "This is ApacheBench"
_AB_TOOL = _Tool(
    name="ab",
    # A log cut out of a longer one starts at the server instead of the banner.
    start=rf"(?:{_AB_START}|Server Software).*",
    lines=(
        rf"Concurrency Level:\s+(?P<connections>{_DIGITS})",
        rf"Time taken for tests:\s+(?P<elapsed>{_DIGITS}\.\d{{3}} seconds)",
        rf"Complete requests:\s+(?P<requests>{_DIGITS})",
        rf"Failed requests:\s+(?P<failed>{_DIGITS})",
        rf"Non-2xx responses:\s+(?P<status>{_DIGITS})",
        rf"Write errors:\s+(?P<write>{_DIGITS})",
        rf"\s+\(Connect: {_DIGITS}, Receive: {_DIGITS}, Length: (?P<length>{_DIGITS}), Exceptions: {_DIGITS}\)",
        rf"Requests per second:\s+(?P<throughput>{_DIGITS}\.\d\d) \[#/sec\] \(mean\)",
        rf"Time per request:\s+(?P<latency_mean>{_DIGITS}\.\d{{3}}) \[ms\] \(mean\)",
        rf"Transfer rate:\s+(?P<transfer>{_DIGITS}\.\d\d) \[Kbytes/sec\] received",
        r"Total:\s+(?P<latency_min>\d{1,12})\s+\d{1,12}\s+(?P<latency_stdev>\d{1,12}\.\d)\s+\d{1,12}\s+"
        r"(?P<latency_max>\d{1,12})",
        r"\s+(?P<share>\d{1,2})%\s+(?P<latency>\d{1,12})",
    ),
    facts=(
        r"Server Hostname:\s+(?P<host>\S.*)",
        r"Server Port:\s+(?P<port>\S.*)",
        r"Document Path:\s+(?P<path>\S.*)",
    ),
    context=r"Copyright|Licensed|Benchmarking |Completed \d|Finished \d|Server |Document |Keep-Alive|Total transferred"
    r"|Total (?:body sent|POSTed)|HTML transferred|SSL/TLS|TLS |Connection Times|\s+min\s+mean|Connect:|Processing:"
    r"|Waiting:|Percentage of the requests|\s+\d+\.\d\d kb/s|Time per request:.*, across all concurrent requests\)$"
    r"|\s+100%\s+\d+ \(longest request\)$",
    known=r"Concurrency Level|Time taken|Complete req|Failed req|Non-2xx|Write err|Requests per second|Time per request"
    r"|Transfer rate|Total:|\s+\d+%|\s+\(Connect:",
    counting=r"Failed req|Non-2xx|Write err|\s+\(Connect:",
    needs={
        "connections": "Concurrency Level", "requests": "Complete requests", "failed": "Failed requests",
        "throughput": "Requests per second", "latency_mean": "Time per request", "transfer": "Transfer rate",
        "elapsed": "Time taken for tests",
    },
    tables={"Connection Times": "Total:", "Percentage of the requests served within a certain time": "100%"},
    units={"requests": "req", "throughput": "req/s", "transfer": "KiB/s", "latency": "ms"},
    counts=("connections", "elapsed", "failed", "status", "write", "length"),
    # Its mean is worked out from the throughput, and may exceed the maximum, which is rounded.
    bounded="latency_p",
    decimals=3,
    # All but the mean.
    rounded="latencies to whole milliseconds",
)  # fmt: skip
_AB_STOPPED = re.compile(r"(?:apr_\w+|ab|socket): .*|Total of \d+ requests completed|\.\.done")


def _is_ab(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if not head.mentions(_AB_START, "Requests per second"):
        return "no"
    if any(line.startswith(_AB_START) for line in head.lines):
        return "certain"
    labels = {line.partition(":")[0] for line in head.lines}
    return certain_if({"Concurrency Level", "Requests per second"} <= labels)


AB = Format(
    name="ab",
    rule="a line 'This is ApacheBench', or 'Concurrency Level:' and 'Requests per second:'",
    yields="throughput, requests, transfer, latency mean, min, max, stdev and percentiles",
    limits=(
        "percentiles of one run, in whole ms (0 is below half of one); its mean latency is connections over "
        "throughput; a page of varying length counts as failed unless run with -l; closed loop"
    ),
    recognise=_is_ab,
    read=lambda file: _AbRuns(file, _AB_TOOL).reading(),
)


class _AbRuns(_PrintedRuns):
    def take(self, number: int, line: str) -> None:
        if line.startswith("Server Software") and self.run and not self.run.values:
            self.ledger.context(number)
        else:
            super().take(number, line)

    def take_other(self, run: _Run, number: int, line: str) -> bool:
        if not _AB_STOPPED.match(line):
            return False
        run.stopped = run.stopped or line
        self.ledger.context(number)
        return True

    def counted(self, run: _Run) -> _Counts:
        requests, length = run.value("requests"), run.value("length")
        # An answer other than 2xx that also has another length counts once.
        errors = run.value("failed") - length + run.value("write") + max(length, run.value("status"))
        return _Counts(requests, errors, (requests,))

    def axes(self, run: _Run) -> dict[str, Any]:
        path, host, port = (run.facts.get(fact, "") for fact in ("path", "host", "port"))
        return {
            "benchmark": path,
            "endpoint": path.partition("?")[0].lstrip("/") or "/",
            "host": f"{host}:{port}" if port else host,
            "connections": int(run.value("connections")),
        }


# Read what autocannon prints: two tables between bars, then counts rounded to thousands.
#
# References
# mcollina/autocannon, lib/printResult.js.

_AUTOCANNON_START = re.compile(r"Running (?:\S+ test|\d{1,15} requests test) @ (?P<url>\S+)")
_AUTOCANNON_LOAD = re.compile(
    r"(?P<connections>\d{1,9}) connections(?: with (?P<pipelining>\d{1,9}) pipelining factor)?"
    r"|(?P<workers>\d{1,9}) workers"
)
_ROUNDED = r"(\d{1,15}(?:\.\d{1,6})?[kMG]?)"
#: Counts that a run may state, each with the pattern of its line; of failures each counts once.
_AUTOCANNON_COUNTS = {
    "requests": re.compile(rf"{_ROUNDED} requests in \S+, .* read"),
    "non2xx": re.compile(rf"{_ROUNDED} 2xx responses, {_ROUNDED} non 2xx responses"),
    "errors": re.compile(rf"{_ROUNDED} errors \({_ROUNDED} timeouts\)"),
    "mismatches": re.compile(rf"{_ROUNDED} requests with mismatched body"),
}
_AUTOCANNON_WORDS = {"Avg": "latency_mean", "Stdev": "latency_stdev", "Max": "latency_max", "Min": "latency_min"}
_AUTOCANNON_CELL = re.compile(r"(\d[\d,]{0,18}(?:\.\d{1,6})?) ?([A-Za-z]{0,2})")


def _is_autocannon(head: TextFile) -> bool:
    return any(_AUTOCANNON_START.fullmatch(line.strip()) for line in head.lines) and any(
        _AUTOCANNON_LOAD.fullmatch(line.strip()) for line in head.lines
    )


class _Autocannon:
    """The reading of the runs of one file, each kept where it ends."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, "autocannon", self.ledger, rounded="latencies to whole milliseconds")
        self.start = 0
        self.axes: dict[str, Any] = {}
        self.head: list[str] = []
        #: Metric, value, unit and line.
        self.values: list[tuple[str, float, str, int]] = []
        self.counts: dict[str, float] = {}

    def reading(self) -> Reading:
        """Read every line."""
        for number, line in enumerate(self.file.lines, 1):
            if match := _AUTOCANNON_START.fullmatch(line.strip()):
                self.finish()
                self.start, self.axes = number, {"url": match["url"]}
                self.ledger.context(number)
            elif self.start and line.strip():
                try:
                    self.take(number, line.strip())
                except DataError as error:
                    self.ledger.problem(number, f"{error}; line skipped")
        self.finish()
        return self.load.reading()

    def take(self, number: int, line: str) -> None:
        """Read one filled line of a run."""
        if match := _AUTOCANNON_LOAD.fullmatch(line):
            self.axes |= {axis: int(level) for axis, level in match.groupdict().items() if level}
        elif line.startswith("│ "):
            self.take_row(number, [cell.strip() for cell in line.strip("│").split("│")])
        elif found := next(
            ((kind, m) for kind, each in _AUTOCANNON_COUNTS.items() if (m := each.fullmatch(line))), None
        ):
            kind, counted = found
            self.counts[kind] = _rounded_count(counted[2 if kind == "non2xx" else 1])
            if kind == "errors":
                self.counts["timeouts"] = _rounded_count(counted[2])
        else:
            return
        self.ledger.context(number)

    def take_row(self, number: int, cells: Sequence[str]) -> None:
        """Read a row of a table; the one that begins with Stat heads the others."""
        if cells[0] == "Stat":
            self.head = list(cells)
            return
        if len(cells) != len(self.head):
            raise DataError(f"{len(cells)} cells where the head has {len(self.head)}")
        row = []
        for column, cell in zip(self.head[1:], cells[1:], strict=True):
            match = _AUTOCANNON_CELL.fullmatch(cell)
            if match is None:
                raise DataError(f"'{printable(cell, 20)}' is no value of autocannon")
            value, unit = float(match[1].replace(",", "")), match[2]
            if cells[0] == "Latency":
                share = re.fullmatch(r"(\d{1,2}(?:\.\d{1,6})?)%", column, re.ASCII)
                metric = percentile_name(float(share[1])) if share else _AUTOCANNON_WORDS.get(column)
                if metric is None or unit not in _SECONDS:
                    raise DataError(f"'{printable(column, 20)}' of '{printable(cell, 20)}' is no latency")
                # Zero is below what whole milliseconds can say; below the median nothing else is kept either.
                if value and metric != "latency_p2.5":
                    row.append((metric, value, unit, number))
            elif column == "Avg" and cells[0] in ("Req/Sec", "Bytes/Sec"):
                name, shown = ("throughput", "req/s") if cells[0] == "Req/Sec" else ("transfer", f"{unit}/s")
                row.append((name, value, shown, number))
        self.values += row

    def finish(self) -> None:
        """Keep the run that was being read, or say why it is none."""
        start, self.start = self.start, 0
        values, counts, axes = self.values, self.counts, self.axes
        self.values, self.counts, self.axes, self.head = [], {}, {}, []
        if not start:
            return
        if "requests" not in counts or not any(metric == "throughput" for metric, *_ in values):
            self.ledger.refuse([line for *_, line in values])
            missing = "N requests in T" if "requests" not in counts else "Req/Sec"
            self.ledger.problem(
                start, f"the run is cut off: it has no line '{missing}'; its values were not kept; run it again"
            )
            return
        try:
            where = _endpoint_axes(str(axes.pop("url")), "")
        except DataError as error:
            self.ledger.refuse([line for *_, line in values])
            self.ledger.problem(start, f"{error}; its values were not kept")
            return
        errors = sum(counts.get(kind, 0.0) for kind in ("non2xx", "errors", "mismatches"))
        requests = counts["requests"] + counts.get("errors", 0.0)
        configuration = self.load.start_run(where | axes)
        for metric, value, unit, line in values:
            self.load.keep(configuration, line, [(metric, value, unit)], iterations=requests, errors=errors)
            self.ledger.data(line)
        self.load.timeouts(start, counts.get("timeouts", 0.0), requests)


def _rounded_count(written: str) -> float:
    scale = {"k": 1e3, "M": 1e6, "G": 1e9}.get(written[-1], 1.0)
    return float(written.rstrip("kMG")) * scale


AUTOCANNON_TEXT = Format(
    name="autocannon-text",
    rule="lines 'Running T test @ URL' and 'N connections'",
    yields="throughput, transfer, latency mean, max, stdev and percentiles",
    limits=(
        "percentiles of one run, in whole ms; those of 0 ms are left out; requests and failures are counted in "
        "thousands; closed loop unless -R was given"
    ),
    documentation="https://github.com/mcollina/autocannon",
    recognise=lambda head: certain_if(_is_autocannon(head)),
    read=lambda file: _Autocannon(file).reading(),
)


# Read what fio prints for people: jobs by their options first, then what each measured in each direction.
#
# References
# axboe/fio, stat.c (`show_ddir_status`, `show_clat_percentiles`); HOWTO, "Interpreting the output".

_FIO_NAME = r"(?P<name>\S.{0,199}?): \(g"
_FIO_OPTIONS = re.compile(
    _FIO_NAME + r"=\d{1,9}\): rw=(?P<rw>\w{1,40}), bs=(?P<bs>.{1,200}), ioengine=(?P<ioengine>[\w.-]{1,60})"
    r", iodepth=(?P<iodepth>\d{1,9})"
)
_FIO_JOB = re.compile(_FIO_NAME + r"roupid=\d{1,9}, jobs=(?P<jobs>\d{1,9})\): err= ?(?P<error>\d{1,9})\b.{0,400}")
_FIO_RATE = re.compile(
    r"(?P<direction>read|write|trim|mixed): IOPS=(?P<iops>[\d.]{1,20}[kMG]?), BW=(?P<rate>[\d.]{1,20})"
    r"(?P<unit>[KMGT]?i?B/s)"
    r"\b.{0,400}"
)
_FIO_TIMES = re.compile(r"clat \((?P<unit>[num]?sec)\): (?P<statistics>min=.{1,300})")
_FIO_SHARES = re.compile(r"c?lat percentiles \((?P<unit>[num]?sec)\):")
_FIO_NUMBER = re.compile(r"(?P<key>min|max|avg|stdev)= *(?P<number>[\d.]{1,20}[kMG]?)")
_FIO_PERCENTILE = re.compile(r"(\d{1,2}\.\d{2,9})th=\[ *(\d{1,15}[kMG]?)\]")
_FIO_NAMES = {"min": "latency_min", "max": "latency_max", "avg": "latency_mean", "stdev": "latency_stdev"}
#: As the reader of fio's JSON does, percentiles below the 10th are left out.
_FIO_SMALLEST = 10.0


def _is_fio_text(head: TextFile) -> bool:
    lines = [line.strip() for line in head.lines if len(line) <= _LONGEST_FIO]
    return any(map(_FIO_JOB.fullmatch, lines)) and any(map(_FIO_RATE.fullmatch, lines))


_LONGEST_FIO = 2_000


class _FioText:
    """The reading of the jobs of one file."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.load = Load(file.source, "fio", Ledger(len(file.lines)))
        #: Options of each job by its name.
        self.options: dict[str, dict[str, Any]] = {}
        self.job: dict[str, Any] = {}
        self.failed = 0.0
        self.unit = ""
        self.reports = False

    def reading(self) -> Reading:
        """Read every line."""
        self.load.each(enumerate(self.file.lines, 1), self.take, "line skipped")
        return self.load.reading()

    def take(self, line: str) -> Outcome:
        """Read one line."""
        text = line.strip()[:_LONGEST_FIO]
        if match := _FIO_OPTIONS.fullmatch(text):
            sizes = {*re.findall(r"\d{1,15}[KMGTi]*B", match["bs"])}
            size = next(iter(sizes)) if len(sizes) == 1 else match["bs"]
            self.options[match["name"]] = {
                "rw": match["rw"], "bs": size, "ioengine": match["ioengine"], "iodepth": int(match["iodepth"]),
            }  # fmt: skip
        elif match := _FIO_JOB.fullmatch(text):
            self.job = {"benchmark": match["name"], **self.options.get(match["name"], {})}
            self.failed, self.reports = float(match["error"] != "0"), False
        elif match := _FIO_RATE.fullmatch(text):
            return self.take_rate(match)
        elif self.reports and (match := _FIO_TIMES.fullmatch(text)):
            found = _FIO_NUMBER.findall(match["statistics"])
            self.hold([(_FIO_NAMES[key], number, match["unit"]) for key, number in found])
            return "data"
        elif self.reports and (match := _FIO_SHARES.fullmatch(text)):
            self.unit = match["unit"]
        elif self.reports and text.startswith("|"):
            shares = [(share, number) for share, number in _FIO_PERCENTILE.findall(text)]
            kept = [(percentile_name(float(share)), number, self.unit) for share, number in shares
                    if float(share) >= _FIO_SMALLEST]  # fmt: skip
            if not shares:
                raise DataError(f"'{printable(text, 60)}' holds no percentile")
            self.hold(kept)
            return "data" if kept else "context"
        else:
            # The sums of the group follow.
            self.reports = self.reports and not text.startswith("Run status group")
            return "noise"
        return "context"

    def take_rate(self, match: re.Match[str]) -> Outcome:
        """Read the first line of a direction."""
        if not self.job:
            raise DataError("stands outside a job")
        self.reports = True
        self.load.start_run({**self.job, "operation": match["direction"]})
        self.hold([("throughput", match["iops"], "op/s"), ("transfer", match["rate"], match["unit"])])
        return "data"

    def hold(self, values: Sequence[tuple[str, str, str]]) -> None:
        """Hold the values of a line: those of a job that ended in an error failed."""
        name = str(self.job["benchmark"])
        for metric, written, unit in values:
            try:
                value = _rounded_count(written)
            except ValueError:
                raise DataError(f"'{printable(written, 20)}' is no {metric}") from None
            self.load.hold(
                name, metric, value, {"nsec": "ns", "usec": "us", "msec": "ms"}.get(unit, unit), errors=self.failed
            )


FIO_TEXT = Format(
    name="fio-text",
    rule="lines 'NAME: (groupid=0, jobs=1): err= 0' and 'read: IOPS=..., BW=...'",
    yields="for each job and direction: throughput (IOPS), transfer, completion latency and percentiles from p10",
    limits="numbers of three digits; submission latency, samples of a second and sums of a group; versions before 3.0",
    documentation="https://fio.readthedocs.io/en/latest/fio_doc.html#interpreting-the-output",
    recognise=lambda head: certain_if(_is_fio_text(head)),
    read=lambda file: _FioText(file).reading(),
)


READERS = (
    WRK,
    FIO_TEXT,
    AUTOCANNON_TEXT,
    HEY,
    OHA,
    GHZ,
    AB,
)
