"""Load generators that print text: wrk and wrk2, hey, oha and ghz (with their JSON), and ab."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from benchlib.errors import DataError, printable
from benchlib.formats.json_text import (
    Document,
    _read_documents,
    list_at,
    number_at,
    object_at,
    outline,
    parse,
    text_at,
    unreadable,
)
from benchlib.formats.load_generators import (
    MOST_REQUESTS,
    Load,
    Requests,
    _endpoint_axes,
    _failed_answers,
    _is_document,
    _member_lines,
    is_timeout,
    percentile_name,
)
from benchlib.formats.reader import (
    Certainty,
    Format,
    Ledger,
    Reading,
    Records,
    Rows,
    TextFile,
    _at_open_end,
    may_be_cut,
    open_line,
)
from benchlib.metrics import canonical
from benchlib.results import Series

# Read what wrk and wrk2 print: one run after another, with or without `--latency`.
#
# wrk counts bytes by 1024 (its `MB` is a MiB), times up to hours (`m` is minutes), and prints
# `0.00us` and `-nan%` where no request was answered. Its percentiles hold only the requests
# that were answered in time; its Requests/sec counts refused and failed answers as well. What that means for
# failures is said in `benchlib.formats.load_generators`: one rule for all load generators.

_WRK_START = re.compile(r"Running (\S+) test @ (\S+)")
_THREADS = re.compile(r"\s+(\d{1,9}) threads and (\d{1,9}) connections", re.ASCII)
_LATENCY = re.compile(r"\s+Latency\s+(\S+)\s+(\S+)\s+(\S+)\s+(?:-?nan|[\d.]+)%", re.ASCII)
_WRK_PERCENTILE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)%\s+(\S+)", re.ASCII)
_WRK_TOTAL = re.compile(r"\s+(\d{1,15}) requests in (\S+), [\d.]+[KMGTP]?B read", re.ASCII)
_SOCKET = re.compile(
    r"\s+Socket errors: connect (\d{1,15}), read (\d{1,15}), write (\d{1,15}), timeout (\d{1,15})",
    re.ASCII,
)
_WRK_STATUS = re.compile(r"\s+Non-2xx or 3xx responses: (\d{1,15})", re.ASCII)
_WRK_RATE = re.compile(r"Requests/sec:\s+(\d{1,15}\.\d\d)", re.ASCII)
_WRK_TRANSFER = re.compile(r"Transfer/sec:\s+(\d{1,15}\.\d\d)([KMGTP]?)B", re.ASCII)
_LUA = re.compile(r"METRIC_([A-Z]+)(\d*): (\d{1,15}(?:\.\d{1,9})?)", re.ASCII)
#: What the scripts seen in the field print; all but the percentiles repeat what wrk says.
_LUA_KNOWN = frozenset({"P", "RPS", "REQUESTS", "ERRORS", "MAX", "MIN", "MEAN", "STDEV"})
_REFUSED = re.compile(r"unable to (?:connect to|resolve|create thread).*|invalid URL: .*")
_WRK_CONTEXT = re.compile(
    r"\s+Thread Stats|\s+Req/Sec\s|\s+Latency Distribution|\s+Thread calibration|\s+Detailed Percentile"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_WRK_KNOWN = re.compile(
    r"Running \S+ test|\s+\d+ threads and|\s+Latency\s+[\d-]|\s*\d+(?:\.\d+)?%\s|\s+\d+ requests in"
    r"|\s+Socket errors|\s+Non-2xx|Requests/sec|Transfer/sec|METRIC_",
    re.ASCII,
)
_FAILURES = ("Socket errors", "Non-2xx")
_WRK_LATENCIES = ("latency_mean", "latency_stdev", "latency_max")


def _is_wrk(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if not head.mentions("Running ", "unable to ", "invalid URL", "Usage: wrk"):
        return "no"
    if any(map(_WRK_START.match, head.lines)):
        return "certain"
    ended = any(_REFUSED.fullmatch(line) or line.startswith("Usage: wrk") for line in head.lines)
    return "possible" if ended else "no"


WRK = Format(
    name="wrk",
    rule="a line 'Running T test @ URL', or wrk's own error or usage text",
    files="*.txt",
    yields="throughput, requests, transfer, latency mean, max, stdev and, with --latency, percentiles",
    limits=(
        "percentiles of one run, without requests that timed out; Requests/sec counts answers of any status; wrk is a "
        "closed loop, wrk2 is not"
    ),
    recognise=_is_wrk,
    read=lambda file: _WrkReading(file).reading(),
)


class _WrkReading:
    """The reading of one file, line by line."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.series: list[Series] = []
        self.run: _Run | None = None
        #: For each run that was kept, whether it was wrk2's.
        self.open_loops: list[bool] = []

    def reading(self) -> Reading:
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip() and not self._ended_early(number, line):
                self._line(number, line)
        self._finish()
        # wrk2 sends at a fixed rate; only its runs calibrate their threads and name HdrHistogram.
        if len(self.rows) and not all(self.open_loops):
            first = self.rows.line[0]
            told = Series(kind="closed-loop", name="wrk", source=self.file.source, line=first, data=("wrk",))
            self.series.append(told)
        return self.ledger.reading(self.rows, self.configurations, self.series)

    def _ended_early(self, number: int, line: str) -> bool:
        """Take what wrk prints when it does not run at all."""
        if _REFUSED.fullmatch(line):
            self._finish()
            self.ledger.problem(
                number,
                f"wrk stopped with '{printable(line)}', so nothing was measured; start the server and run it again",
            )
        elif line.startswith("Usage: wrk"):
            self._finish()
            # What was wrong with the arguments stands on the line before, where wrk says it.
            before = self.file.lines[number - 2].strip() if number > 1 else ""
            said = f" ('{printable(before)}')" if before else ""
            self.ledger.problem(
                number,
                f"wrk printed its usage{said}, so nothing was measured; correct its arguments and run it",
            )
        else:
            return False
        return True

    def _line(self, number: int, line: str) -> None:
        if match := _WRK_START.fullmatch(line.rstrip()):
            self._finish()
            self.run = _Run(number, match[1], match[2], last=number)
            self.ledger.context(number)
        elif self.run is None:
            if _WRK_KNOWN.match(line):
                self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands outside a run; left out")
        elif not self._figure(self.run, number, line):
            if _WRK_CONTEXT.match(line):
                self.run.last = number
                self.run.uncorrected |= "Uncorrected" in line
                self.run.open_loop |= "Thread calibration" in line or "HdrHistogram" in line
                self.ledger.context(number)
            elif _WRK_KNOWN.match(line):
                self.run.last = number
                self.run.failures_unreadable |= line.strip().startswith(_FAILURES)
                self.ledger.problem(
                    number, f"'{printable(line.strip(), 60)}' is cut or not as wrk prints it; line skipped"
                )

    def _figure(self, run: _Run, number: int, line: str) -> bool:
        """Take a line with numbers; False where it is not wholly one."""
        line = line.rstrip()
        if match := _THREADS.fullmatch(line):
            self._once(run, number, "threads", (int(match[1]), int(match[2])), context=True)
        elif match := _LATENCY.fullmatch(line):
            if any(quantity(group) is None for group in match.groups()):
                return False
            self._once(run, number, "latency", match.groups())
        elif match := _WRK_PERCENTILE.fullmatch(line):
            if quantity(match[2]) is None:
                return False
            prefix = "latency_uncorrected_p" if run.uncorrected else "latency_p"
            self._once(run, number, canonical(f"{prefix}{match[1]}"), match[2])
        elif match := _WRK_TOTAL.fullmatch(line):
            elapsed = quantity(match[2])
            if elapsed is None:
                return False
            self._once(run, number, "requests", (int(match[1]), elapsed))
        elif match := _SOCKET.fullmatch(line):
            self._once(run, number, "socket", [int(group) for group in match.groups()], context=True)
        elif match := _WRK_STATUS.fullmatch(line):
            self._once(run, number, "status", int(match[1]), context=True)
        elif match := _WRK_RATE.fullmatch(line):
            self._once(run, number, "throughput", float(match[1]))
        elif match := _WRK_TRANSFER.fullmatch(line):
            unit = f"{match[2]}iB/s" if match[2] else "B/s"
            self._once(run, number, "transfer", (float(match[1]), unit))
        elif (match := _LUA.fullmatch(line)) and match[1] in _LUA_KNOWN:
            if _at_open_end(self.file, number) and may_be_cut(match[3], self._lua_before(run)):
                self.ledger.problem(number, f"{open_line(line)}; line skipped")
                return True
            self._once(run, number, f"lua {match[1]}{match[2]}", float(match[3]), context=True)
        else:
            return False
        run.last = number
        return True

    def _lua_before(self, run: _Run) -> list[str]:
        """Return the numbers of the lines a Lua script has added to a run."""
        lines = self.file.lines[run.first : -1]
        return [match[3] for line in lines if (match := _LUA.fullmatch(line.rstrip()))]

    def _once(self, run: _Run, number: int, key: str, value: Any, context: bool = False) -> None:
        if key in run.found:
            line = printable(self.file.lines[number - 1].strip(), 60)
            self.ledger.problem(number, f"{line!r} stands twice in one run; the first was kept")
            return
        run.found[key] = (value, number)
        if context:
            self.ledger.context(number)
        else:
            self.ledger.data(number)

    def _finish(self) -> None:
        run, self.run = self.run, None
        if run is None:
            return
        axes, reason = _endpoint_axes(run.url)
        reason = reason or objection(run)
        if reason:
            self.ledger.refuse(line for _, line in run.found.values())
            self.ledger.problem(
                run.last,
                f"the run that starts at line {run.first} {reason}; its values were not kept; run it again",
            )
            return
        threads, connections = run.value("threads")
        axes |= {"threads": threads, "connections": connections}
        if (length := quantity(run.length)) is not None:
            axes["duration_s"] = length
        self.configurations.append(axes)
        self.open_loops.append(run.open_loop)
        self._keep(run)

    def _keep(self, run: _Run) -> None:
        requests, _ = run.value("requests")
        self._add(run, "throughput", run.value("throughput"), "req/s", run.found["throughput"][1])
        self._add(run, "requests", requests, "req", run.found["requests"][1])
        if transfer := run.value("transfer"):
            self._add(run, "transfer", transfer[0], transfer[1], run.found["transfer"][1])
        else:
            self.ledger.note(run.last, "the run has no Transfer/sec line; the rest of it was kept")
        self._keep_latencies(run)
        self._keep_lua(run)
        if run.timeouts:
            self.series.append(
                Series(
                    kind="timeouts",
                    name=self.configurations[-1]["benchmark"],
                    source=self.file.source,
                    line=run.found["socket"][1],
                    data=(run.timeouts, requests),
                )
            )

    def _keep_latencies(self, run: _Run) -> None:
        percentiles = {key: one for key, one in run.found.items() if key.startswith("latency_")}
        if run.no_latency:
            # wrk prints zeros for an empty histogram: that is no data, not a latency of zero.
            for _, line in [*percentiles.values(), run.found.get("latency", (None, 0))]:
                if line:
                    self.ledger.context(line)
            return
        if "latency" in run.found:
            times, line = run.found["latency"]
            for metric, text in zip(_WRK_LATENCIES, times, strict=True):
                self._add(run, metric, *_written(text), line)
        for metric, (text, line) in percentiles.items():
            if run.seconds(metric) > run.longest:
                self.ledger.problem(line, f"{metric} of {text} is above {self._longest(run)}; left out")
            else:
                self._add(run, metric, *_written(text), line)

    def _longest(self, run: _Run) -> str:
        """Return what bounds a percentile, in the words of the file."""
        if "latency" in run.found and quantity(run.value("latency")[2]):
            times, line = run.found["latency"]
            return f"the largest latency, {times[2]} on line {line}"
        line = run.found["requests"][1]
        return f"the time of the run on line {line}, '{printable(self.file.lines[line - 1].strip(), 60)}'"

    def _keep_lua(self, run: _Run) -> None:
        """Keep the percentiles that a Lua script adds, once their unit is shown to be ms."""
        lua = {
            canonical(f"latency_p{key.removeprefix('lua P')}"): key
            for key in run.found
            if re.fullmatch(r"lua P\d+", key)
        }
        added = {metric: run.found[key] for metric, key in lua.items()}
        new = {metric: one for metric, one in added.items() if metric not in run.found}
        if run.no_latency or not new:
            return
        known = {metric: run.seconds(metric) for metric in added if metric in run.found}
        shown = [abs(one - added[metric][0] / 1e3) <= 0.02 * one for metric, one in known.items()]
        if "lua MAX" in run.found and "latency" in run.found:
            longest = quantity(run.value("latency")[2]) or 0.0
            shown.append(abs(longest - run.value("lua MAX") / 1e3) <= 0.02 * longest)
        for metric, (value, line) in new.items():
            if shown and all(shown):
                self.ledger.data(line)
                self._add(run, metric, value, "ms", line)
            else:
                why = "is not in ms like wrk's own" if shown else "has no unit that wrk's own output confirms"
                self.ledger.problem(line, f"METRIC_{lua[metric].removeprefix('lua ')} {why}; left out")

    def _add(self, run: _Run, metric: str, value: float, unit: str, line: int) -> None:
        requests, _ = run.value("requests")
        self.rows.add(
            name=self.configurations[-1]["benchmark"],
            metric=metric,
            value=value,
            unit=unit,
            line=line,
            configuration=len(self.configurations) - 1,
            iterations=requests,
            errors=run.errors,
        )


# One run of wrk: what was found of it, and whether it can be believed.


_WRK_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_WRK_TIME = re.compile(r"(-?nan|\d{1,15}(?:\.\d{1,9})?)(us|ms|s|m|h)", re.ASCII)


@dataclass(slots=True)
class _Run:
    """What has been read of one run so far: key to value and line."""

    first: int
    length: str
    url: str
    found: dict[str, tuple[Any, int]] = field(default_factory=dict)
    uncorrected: bool = False
    open_loop: bool = False
    failures_unreadable: bool = False
    last: int = 0

    def value(self, key: str) -> Any:
        """Return a value that was found, else None."""
        return self.found.get(key, (None, 0))[0]

    def seconds(self, key: str) -> float:
        """Return a time that was found, in seconds; 0 where there is none."""
        return quantity(self.value(key) or "") or 0.0

    @property
    def timeouts(self) -> int:
        """Requests that timed out: they are missing from every percentile."""
        return int((self.value("socket") or [0])[-1])

    @property
    def errors(self) -> int:
        """Failed operations: socket errors of each kind and answers other than 2xx and 3xx."""
        return int(sum(self.value("socket") or [0])) + int(self.value("status") or 0)

    @property
    def no_latency(self) -> bool:
        """Whether the histogram was empty: every latency printed is zero or not a number."""
        printed = [*(self.value("latency") or [])]
        printed += [one for key, (one, _) in self.found.items() if key.startswith("latency_")]
        return not any(quantity(text) for text in printed)

    @property
    def longest(self) -> float:
        """The largest latency that a percentile can have, with room for rounding."""
        _, elapsed = self.value("requests")
        latency = self.value("latency")
        return 1.01 * ((quantity(latency[2]) if latency else 0.0) or float(elapsed))


def quantity(text: str) -> float | None:
    """Return the seconds of a time as wrk prints it, None for anything else.

    ``m`` is minutes. Not-a-number stands for an empty histogram and gives 0.
    """
    match = _WRK_TIME.fullmatch(text)
    if not match:
        return None
    return 0.0 if "nan" in match[1] else float(match[1]) * _WRK_SECONDS[match[2]]


def _written(text: str) -> tuple[float, str]:
    """Return a time in the unit it was written in; not-a-number as `quantity` reads it."""
    match = _WRK_TIME.fullmatch(text)
    return (float(match[1]), match[2]) if match and "nan" not in match[1] else (quantity(text) or 0.0, "s")


def objection(run: _Run) -> str:
    """Say why the values of a run cannot be kept; empty where they can.

    wrk prints its failures before Requests/sec, so a run that has the latter states all of the
    former. A cut number shows where requests, time and rate disagree.
    """
    if run.failures_unreadable:
        return "has a cut line of errors, so its failures are unknown"
    if "threads" not in run.found:
        return "has no line of threads and connections, so its concurrency is unknown"
    if "requests" not in run.found or "throughput" not in run.found:
        missing = "Requests/sec" if "requests" in run.found else "requests in"
        return f"is cut off: it has no line {missing!r}"
    requests, elapsed = run.value("requests")
    rate = run.value("throughput")
    if not requests and not run.errors:
        return "answered no request"
    # The time is rounded to two decimals of its unit: up to 0.5 % for 1.00m.
    if elapsed and abs(requests / elapsed - rate) > 0.02 * rate + 0.01:
        return f"has {requests} requests in {elapsed:g} s but {rate:g} requests a second"
    return ""


# The summary that hey printed first and that oha and ghz print in its likeness.
#
# A run starts at `Summary:` and ends with its distribution of status codes; without that its failures
# are unknown and nothing of it is kept. Each tool prints zeros or `NaN` where no request was answered.


_Tool = Literal["hey", "oha", "ghz"]

_NUMBER = r"(NaN|\d{1,15}(?:\.\d{1,12})?)"
_SUMMARY_TIME = re.compile(rf"\s+(Slowest|Fastest|Average|Total):\s+{_NUMBER}\s*([a-zµμ]{{1,4}})", re.ASCII)
_SUMMARY_RATE = re.compile(rf"\s+Requests/sec:\s+{_NUMBER}", re.ASCII)
_COUNT = re.compile(r"\s+Count:\s+(\d{1,15})", re.ASCII)
_NAME = re.compile(r"\s+Name:\s+(\S.*)")
_SUMMARY_TRANSFER = re.compile(rf"\s+Size/sec:\s+{_NUMBER}\s*([KMGT]?i?B)", re.ASCII)
_SUMMARY_PERCENTILE = re.compile(
    rf"\s+(\d{{1,3}}(?:\.\d{{1,6}})?)\s*%{{1,2}}\s+in\s+{_NUMBER}\s*([a-zµμ]{{1,4}})", re.ASCII
)
_BAR = re.compile(rf"\s+{_NUMBER}\s*([a-z]{{0,4}})\s+\[(\d{{1,15}})\]\s*\|", re.ASCII)
_SUMMARY_STATUS = re.compile(r"\s+\[(\w{1,40})\]\s+(\d{1,15}) responses", re.ASCII)
_ERROR = re.compile(r"\s+\[(\d{1,15})\]\s+(\S.*)")
_SUMMARY_CONTEXT = re.compile(
    r"\s+(?:Success rate|Total data|Size/request|Size/sec|DNS\+dialup|DNS-lookup|req write|resp wait|resp read"
    r"|First Byte):\s"
)
_SECTION = re.compile(
    r"(Response time histogram|Latency distribution|Response time distribution|Status code distribution"
    r"|Error distribution|Details \(average, fastest, slowest\)).*:?"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_SUMMARY_KNOWN = re.compile(
    r"\s+(?:Slowest|Fastest|Average|Total|Count|Requests/sec)\b|\s+\d+(?:\.\d+)?\s*%|\s+\[\w+\]"
)
_SUMMARY_LATENCIES = {"Slowest": "latency_max", "Fastest": "latency_min", "Average": "latency_mean"}
#: oha stops at the end of its time with requests under way: they did not fail.
_SUMMARY_STOPPED = "aborted due to deadline"


def _heading(head: TextFile) -> _Tool | None:
    """Return the tool whose summary stands in a file, None where there is none."""
    lines = head.lines if head.mentions("Summary:") else []
    for number, line in enumerate(lines):
        if line.rstrip() != "Summary:":
            continue
        block = lines[number + 1 : number + 12]
        if any(line.lstrip().startswith("Success rate:") for line in block):
            return "oha"
        if any(_COUNT.fullmatch(line.rstrip()) for line in block):
            return "ghz"
        if any(line.startswith("  Total:") and line.rstrip().endswith(" secs") for line in block):
            return "hey"
    return None


@dataclass(slots=True)
class _SummaryRun:
    """One summary: metric to value, unit and line."""

    first: int
    last: int
    name: str = ""
    section: str = ""
    found: dict[str, tuple[float, str, int]] = field(default_factory=dict)
    bars: list[tuple[float, float]] = field(default_factory=list)
    statuses: dict[str, float] = field(default_factory=dict)
    failures: dict[str, float] = field(default_factory=dict)
    has_statuses: bool = False
    damaged: bool = False

    @property
    def answered(self) -> float:
        return sum(self.statuses.values())


def _read_summaries(file: TextFile, tool: _Tool) -> Reading:
    """Read every summary of one tool in a file."""
    return _SummaryReading(file, tool).reading()


class _SummaryReading:
    def __init__(self, file: TextFile, tool: _Tool) -> None:
        self.file = file
        self.tool: _Tool = tool
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, tool)
        self.run: _SummaryRun | None = None
        self.takers: tuple[tuple[re.Pattern[str], Callable[[_SummaryRun, int, re.Match[str]], bool]], ...] = (
            (_SUMMARY_TIME, self._time),
            (_SUMMARY_RATE, self._rate),
            (_COUNT, self._count),
            (_SUMMARY_TRANSFER, self._transfer),
            (_SUMMARY_PERCENTILE, self._percentile),
            (_BAR, self._bar),
            (_SUMMARY_STATUS, self._status),
        )

    def reading(self) -> Reading:
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip():
                self._line(number, line.rstrip())
        self._finish()
        rounded = _SUMMARY_ROUNDED.get(self.tool, "")
        return self.load.reading(self.ledger, closed_loop=True, rounded=rounded)

    def _line(self, number: int, line: str) -> None:
        if line == "Summary:":
            self._finish()
            self.run = _SummaryRun(number, number)
            self.ledger.context(number)
            return
        run = self.run
        if run is None:
            if _SUMMARY_KNOWN.match(line):
                self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands outside a summary; left out")
            return
        if section := _SECTION.fullmatch(line):
            run.section = section[1]
            run.has_statuses |= section[1].startswith("Status")
            self.ledger.context(number)
        elif self._figure(run, number, line):
            pass
        elif run.section.startswith("Error") and (match := _ERROR.fullmatch(line)):
            run.failures[match[2]] = run.failures.get(match[2], 0) + int(match[1])
            self.ledger.context(number)
        elif _SUMMARY_CONTEXT.match(line) or line.strip() == "":
            self.ledger.context(number)
        elif match := _NAME.fullmatch(line):
            run.name = match[1]
            self.ledger.context(number)
        elif _SUMMARY_KNOWN.match(line):
            run.damaged |= run.section.startswith(("Status", "Error"))
            self.ledger.problem(
                number, f"'{printable(line.strip(), 60)}' is cut or not as {self.tool} prints it; line skipped"
            )
        else:
            return
        run.last = number

    def _figure(self, run: _SummaryRun, number: int, line: str) -> bool:
        for pattern, take in self.takers:
            found = pattern.fullmatch(line) if pattern is not _BAR else pattern.match(line)
            if found:
                return take(run, number, found)
        return False

    def _once(self, run: _SummaryRun, number: int, metric: str, text: str, unit: str) -> bool:
        if metric in run.found:
            self.ledger.problem(number, f"{metric} stands twice in one summary; the first was kept")
        elif text == "NaN":
            self.ledger.context(number)
        else:
            run.found[metric] = (float(text), unit, number)
            self.ledger.data(number)
        return True

    def _time(self, run: _SummaryRun, number: int, match: re.Match[str]) -> bool:
        if match[3] not in _SUMMARY_SECONDS:
            return False
        return self._once(run, number, _SUMMARY_LATENCIES.get(match[1], "elapsed"), match[2], match[3])

    def _rate(self, run: _SummaryRun, number: int, match: re.Match[str]) -> bool:
        return self._once(run, number, "throughput", match[1], "req/s")

    def _count(self, run: _SummaryRun, number: int, match: re.Match[str]) -> bool:
        return self._once(run, number, "requests", match[1], "req")

    def _transfer(self, run: _SummaryRun, number: int, match: re.Match[str]) -> bool:
        return self._once(run, number, "transfer", match[1], f"{match[2]}/s")

    def _percentile(self, run: _SummaryRun, number: int, match: re.Match[str]) -> bool:
        share = float(match[1])
        if match[3] not in _SUMMARY_SECONDS or share > 100:
            return False
        return self._once(run, number, percentile_name(share), match[2], match[3])

    def _bar(self, run: _SummaryRun, number: int, match: re.Match[str]) -> bool:
        # hey and ghz leave the unit out: hey means seconds, ghz milliseconds.
        unit = match[2] or ("ms" if self.tool == "ghz" else "s")
        if unit not in _SUMMARY_SECONDS or match[1] == "NaN":
            return False
        run.bars.append((float(match[1]) * _SUMMARY_SECONDS[unit], float(match[3])))
        self.ledger.context(number)
        return True

    def _status(self, run: _SummaryRun, number: int, match: re.Match[str]) -> bool:
        if not run.section.startswith("Status"):
            return False
        run.statuses[match[1]] = run.statuses.get(match[1], 0) + int(match[2])
        self.ledger.context(number)
        return True

    def _finish(self) -> None:
        run, self.run = self.run, None
        if run is None:
            return
        reason = self._objection(run)
        if reason:
            self.ledger.refuse(line for _, _, line in run.found.values())
            self.ledger.problem(
                run.last,
                f"the summary that starts at line {run.first} {reason}; its values were not kept; run it again",
            )
            return
        # ghz puts the calls without an answer into both of its lists.
        lost = sum(count for error, count in run.failures.items() if error != _SUMMARY_STOPPED)
        requests = run.answered + (0 if self.tool == "ghz" else lost)
        if self.tool == "ghz":
            errors = max(lost, sum(count for status, count in run.statuses.items() if status != "OK"))
        else:
            errors = lost + _failed_answers(run.statuses)
        configuration = self.load.configuration({"benchmark": run.name})
        longest = self._longest(run)
        for metric, (value, unit, line) in run.found.items():
            if metric == "elapsed":
                self.ledger.context(line)
            elif metric.startswith("latency") and not run.answered:
                # Zeros of an empty list: that is no data, not a latency of zero.
                self.ledger.context(line)
            elif metric.startswith("latency") and value * _SUMMARY_SECONDS[unit] > longest:
                self.ledger.problem(line, f"{metric} of {value:g} {unit} is above the slowest request; left out")
            else:
                self.load.add(configuration, line, [(metric, value, unit)], iterations=requests, errors=errors)
        if run.bars and run.answered:
            self.load.remark("histogram", run.first, tuple(run.bars))
        timeouts = sum(
            count for error, count in run.failures.items() if error != _SUMMARY_STOPPED and is_timeout(error)
        )
        self.load.timeouts(run.last, timeouts, requests)

    def _longest(self, run: _SummaryRun) -> float:
        """The largest latency that can be, with room for rounding; hey's shares its last digit."""
        value, unit, _ = run.found.get("latency_max", (float("inf"), "s", 0))
        return 1.01 * value * _SUMMARY_SECONDS[unit] + 1e-9

    def _objection(self, run: _SummaryRun) -> str:
        if run.damaged:
            return "has a cut line of status codes or errors, so its failures are unknown"
        if "throughput" not in run.found:
            return "is cut off: it has no line 'Requests/sec'"
        if not run.has_statuses:
            return "is cut off: it has no status codes, so its failures are unknown"
        lost = sum(run.failures.values())
        if not run.answered and not lost:
            return "answered no request"
        elapsed = run.found.get("elapsed")
        if elapsed is None:
            return "is cut off: it has no line 'Total'"
        seconds, digits = (
            elapsed[0] * _SUMMARY_SECONDS[elapsed[1]],
            _SUMMARY_SECONDS[elapsed[1]] * 10.0 ** -_DECIMALS[self.tool],
        )
        rate = run.found["throughput"][0]
        # oha counts the requests it stopped in its rate; ghz names a failed call twice.
        counts = [run.answered, run.answered + lost]
        if not any(_agree(count, rate, seconds, digits) for count in counts):
            return f"has {run.answered + lost:g} requests in {seconds:g} s but {rate:g} requests a second"
        return ""


_SUMMARY_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0,
            "m": 60.0, "h": 3600.0}  # fmt: skip
_SUMMARY_ROUNDED = {"hey": "latencies to 0.1 ms", "ghz": "latencies to 0.01 ms"}
#: Decimals of the times each tool prints.
_DECIMALS = {"hey": 4, "oha": 4, "ghz": 2}


def _agree(requests: float, rate: float, seconds: float, step: float) -> bool:
    """Whether a count, a rate and a rounded time can belong to one run."""
    fastest = requests / max(seconds - step, 1e-12)
    return requests / (seconds + step) * 0.98 <= rate <= fastest * 1.02 + 0.01


# Read what hey prints; its CSV of single requests is read by `request_csv`.


HEY = Format(
    name="hey",
    rule="a line 'Summary:' with times in secs below it",
    files="*.txt",
    yields="throughput, latency mean, min, max and percentiles; a histogram",
    limits=(
        "percentiles of one run, without the requests that got no answer; times rounded to 0.1 ms; "
        "neither URL nor concurrency stand in it; closed loop"
    ),
    recognise=lambda head: "certain" if _heading(head) == "hey" else "no",
    read=lambda file: _read_summaries(file, "hey"),
)


# Read what oha writes: its summary as text or as JSON.
#
# Both leave out URL and concurrency. The requests that oha stopped at the end of its time stand among
# its errors and in its rate; they did not fail and are in no percentile.


_OHA_STOPPED = "aborted due to deadline"


def _is_oha(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if _heading(head) == "oha" or "summary.successRate" in outline(head):
        return "certain"
    return "no"


def _read_oha(file: TextFile) -> Reading:
    """Read every summary of a text, or the one of a document."""
    if not _is_document(file):
        return _read_summaries(file, "oha")
    return _read_documents(file, partial(_oha_read, file))


OHA = Format(
    name="oha",
    rule="a line 'Success rate:' below 'Summary:', or JSON with summary.successRate",
    files="*.txt, *.json",
    yields="throughput, transfer, latency mean, min, max and percentiles; a histogram",
    limits=(
        "percentiles of one run, without the requests that got no answer; neither URL nor concurrency stand in it; "
        "closed loop unless -q was given, which is not recorded either"
    ),
    recognise=_is_oha,
    read=_read_oha,
)


def _oha_read(file: TextFile, document: Document) -> Reading:
    """Read a document: its records are the members of its root."""
    root = document.root if isinstance(document.root, dict) else {}
    keys = list(root)
    lines = _member_lines(document, keys)
    records = Records([lines[key] for key in keys] or [1])
    records.whole(document.problems)
    load = Load(file.source, "oha")

    def enter(key: str, *, data: bool = False) -> None:
        if key in lines:
            (records.data if data else records.context)(keys.index(key))

    for key in keys:
        enter(key)
    try:
        _take(root, lines, load)
        enter("summary", data=True)
        if any(value is not None for value in object_at(root, "latencyPercentiles").values()):
            enter("latencyPercentiles", data=True)
    except DataError as error:
        load = Load(file.source, "oha")
        at = keys.index("summary") if "summary" in lines else 0
        records.problem(at, f"{error}; nothing of the run was kept; write the file again")
    return load.reading(records, closed_loop=True)


def _take(root: Mapping[str, object], lines: Mapping[str, int], load: Load) -> None:
    statuses = {
        status: number_at(root, ("statusCodeDistribution", status)) or 0
        for status in _keys(root, "statusCodeDistribution")
    }
    failures = {error: number_at(root, ("errorDistribution", error)) or 0 for error in _keys(root, "errorDistribution")}
    if "statusCodeDistribution" not in root:
        raise DataError("there is no statusCodeDistribution, so the failures are unknown")
    lost = {error: count for error, count in failures.items() if error != _OHA_STOPPED}
    answered = sum(statuses.values())
    requests = answered + sum(lost.values())
    errors = _failed_answers(statuses) + sum(lost.values())
    rate = number_at(root, "summary.requestsPerSec")
    if rate is None or not requests:
        raise DataError("summary.requestsPerSec is missing" if rate is None else "no request was answered")
    configuration = load.configuration({})
    summary = lines["summary"]
    values: list[tuple[str, float | None, str]] = [
        ("throughput", rate, "req/s"),
        ("transfer", number_at(root, "summary.sizePerSec"), "B/s"),
    ]
    if answered:
        for metric, key in (("latency_mean", "average"), ("latency_min", "fastest"), ("latency_max", "slowest")):
            values.append((metric, number_at(root, ("summary", key)), "s"))
    load.add(configuration, summary, values, iterations=requests, errors=errors)
    if answered:
        for key in _keys(root, "latencyPercentiles"):
            share = key.removeprefix("p")
            if not _is_share(share):
                raise DataError(f"latencyPercentiles has the key '{printable(key, 20)}', not a percentile")
            value = number_at(root, ("latencyPercentiles", key))
            metric = percentile_name(float(share))
            load.add(
                configuration, lines["latencyPercentiles"], [(metric, value, "s")], iterations=requests, errors=errors
            )
        bars = object_at(root, "responseTimeHistogram")
        marks = tuple((float(mark), number_at(bars, (mark,)) or 0.0) for mark in bars if _is_share(mark))
        if marks:
            load.remark("histogram", lines["responseTimeHistogram"], marks, configuration)
    load.timeouts(summary, sum(count for error, count in lost.items() if is_timeout(error)), requests)


def _keys(root: Mapping[str, object], member: str) -> list[str]:
    return list(object_at(root, member))


def _is_share(text: str) -> bool:
    whole, _, part = text.partition(".")
    return text.isascii() and len(text) < 40 and whole.isdigit() and (part == "" or part.isdigit())


# Read what ghz writes: its summary as text, or its report as JSON with every call in it.


def _is_ghz(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    paths = outline(head, depth=2)
    if _heading(head) == "ghz" or ("statusCodeDistribution" in paths and "rps" in paths and "count" in paths):
        return "certain"
    return "no"


def _read_ghz(file: TextFile) -> Reading:
    """Read every summary of a text, or the one of a document."""
    if not _is_document(file):
        return _read_summaries(file, "ghz")
    document = parse(file)
    return _ghz_read(file, document) if document.parsed else unreadable(document)


GHZ = Format(
    name="ghz",
    rule="a line 'Count:' below 'Summary:', or JSON with latencyDistribution and statusCodeDistribution",
    files="*.txt, *.json",
    yields=(
        "throughput, requests, latency mean, min, max and percentiles; from JSON the latency of each call too, "
        f"below {MOST_REQUESTS:,} calls (p50 to p99.9 of them from there on)"
    ),
    limits="the text has percentiles of one run only and no name of the call; closed loop unless rps was set",
    recognise=_is_ghz,
    read=_read_ghz,
)


def _ghz_read(file: TextFile, document: Document) -> Reading:
    """Read a document: its records are the summary and each call of ``details``."""
    root = document.root if isinstance(document.root, dict) else {}
    load = Load(file.source, "ghz")
    calls = root.get("details")
    calls = calls if isinstance(calls, list) else []
    # A document of one line needs no search for the lines of its calls.
    starts = document.lines("details[]") if "\n" in document.content else [document.first_line] * len(calls)
    starts += [document.first_line] * (len(calls) - len(starts))
    records = Records([document.first_line, *starts[: len(calls)]])
    records.whole(document.problems)
    try:
        configuration = _summary(root, load)
        records.data(0)
    except DataError as error:
        load = Load(file.source, "ghz")
        records.problem(0, f"{error}; the summary was not kept; write the file again")
        configuration = load.configuration({})
    requests = Requests(load, "ns")
    for index, call in enumerate(calls, start=1):
        try:
            latency, status = number_at(call, "latency"), text_at(call, "status")
            if latency is None or status is None or latency < 0:
                raise DataError("a call has no latency or no status")
        except DataError as error:
            records.problem(index, f"{error}; call skipped")
            continue
        requests.add(configuration, records.line(index), latency, failed=status != "OK")
        records.data(index)
    requests.keep()
    return load.reading(records, closed_loop=not _number(root, "options.rps"))


def _number(root: Mapping[str, object], path: str) -> float:
    try:
        return number_at(root, path) or 0.0
    except DataError:
        return 0.0


def _summary(root: Mapping[str, object], load: Load) -> int:
    rate, count = number_at(root, "rps"), number_at(root, "count")
    if rate is None or count is None or not count:
        raise DataError("rps or count is missing, or no call was made")
    statuses = {
        value: number_at(root, ("statusCodeDistribution", value)) or 0
        for value in object_at(root, "statusCodeDistribution")
    }
    failures = {
        value: number_at(root, ("errorDistribution", value)) or 0 for value in object_at(root, "errorDistribution")
    }
    if not statuses:
        raise DataError("statusCodeDistribution is missing or empty, so the failures are unknown")
    # A failed call stands in both lists.
    errors = max(sum(failures.values()), sum(n for status, n in statuses.items() if status != "OK"))
    configuration = load.configuration(_axes(root))
    values: list[tuple[str, float | None, str]] = [("throughput", rate, "req/s"), ("requests", count, "req")]
    if errors < count:
        for metric, key in (("latency_mean", "average"), ("latency_min", "fastest"), ("latency_max", "slowest")):
            values.append((metric, number_at(root, key), "ns"))
        for entry in list_at(root, "latencyDistribution"):
            share = number_at(entry, "percentage")
            if share is None or not 0 < share < 100:
                raise DataError(f"latencyDistribution has a percentage of {printable(str(share), 20)}")
            values.append((percentile_name(share), number_at(entry, "latency"), "ns"))
    load.add(configuration, 1, values, iterations=count, errors=errors)
    bars = tuple(
        (number_at(entry, "mark") or 0.0, number_at(entry, "count") or 0.0) for entry in list_at(root, "histogram")
    )
    if bars:
        load.remark("histogram", 1, bars)
    load.timeouts(1, sum(n for error, n in failures.items() if is_timeout(error)), count)
    return configuration


def _axes(root: Mapping[str, object]) -> dict[str, Any]:
    call = text_at(root, "options.call") or text_at(root, "name") or ""
    axes: dict[str, Any] = {"benchmark": call, "endpoint": call, "host": text_at(root, "options.host")}
    # One gRPC connection carries many calls at once: it bounds no requests in flight.
    for axis, path in (
        ("workers", "options.concurrency"),
        ("channels", "options.connections"),
        ("rate", "options.rps"),
    ):
        value = number_at(root, path)
        axes[axis] = int(value) if value else None
    return axes


# Read what ApacheBench (ab) prints.
#
# Its times are whole milliseconds except for the mean; its `Kbytes` count by 1024. A page whose length
# differs from the first answer's counts as failed unless ab was run with `-l`.


_AB_START = "This is ApacheBench"
_FACTS = {
    "Server Hostname": "host", "Server Port": "port", "Document Path": "path", "Concurrency Level": "connections",
    "Complete requests": "complete", "Failed requests": "failed", "Non-2xx responses": "status",
    "Write errors": "write", "Time taken for tests": "elapsed",
}  # fmt: skip
_FACT = re.compile(r"([A-Z][A-Za-z0-9 -]*):\s*(.*)")
_NUMBERS = frozenset({"connections", "complete", "failed", "status", "write"})
_KINDS = re.compile(
    r"\s+\(Connect: (\d{1,15}), Receive: (\d{1,15}), Length: (\d{1,15}), Exceptions: (\d{1,15})\)", re.ASCII
)
_AB_RATE = re.compile(r"Requests per second:\s+(\d{1,15}\.\d\d) \[#/sec\] \(mean\)", re.ASCII)
_MEAN = re.compile(r"Time per request:\s+(\d{1,15}\.\d{3}) \[ms\] \(mean\)", re.ASCII)
_AB_TRANSFER = re.compile(r"Transfer rate:\s+(\d{1,15}\.\d\d) \[Kbytes/sec\] received", re.ASCII)
_AB_TOTAL = re.compile(r"Total:\s+(\d{1,12})\s+(\d{1,12})\s+(\d{1,12}\.\d)\s+(\d{1,12})\s+(\d{1,12})", re.ASCII)
_SHARE = re.compile(r"\s+(\d{1,3})%\s+(\d{1,12})", re.ASCII)
_LONGEST = re.compile(r"\s+100%\s+\d+ \(longest request\)", re.ASCII)
_AB_CONTEXT = re.compile(
    r"This is ApacheBench|Copyright|Licensed|Benchmarking |Completed \d|Finished \d|Server |Document |Keep-Alive"
    r"|Total transferred|Total (?:body sent|POSTed)|HTML transferred|SSL/TLS|TLS "
    r"|Connection Times|\s+min\s+mean|Connect:|Processing:|Waiting:|Percentage of the requests|\s+\d+\.\d\d kb/s"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_AB_KNOWN = re.compile(r"Requests per second|Time per request|Transfer rate|Total:|\s+\d+%|\s+\(Connect:")
#: All but its mean.
_AB_ROUNDED = "latencies to whole milliseconds"
#: Tables that end on a line of their own: the times at "Total:", the percentiles at 100 %.
_TABLES = {"Connection Times": {"Total:"}, "Percentage of the requests served within a certain time": {"100%"}}
_AB_STOPPED = re.compile(r"(?:apr_\w+|ab|socket): .*|Total of \d+ requests completed|\.\.done")


@dataclass(slots=True)
class _AbRun:
    first: int
    last: int
    facts: dict[str, str] = field(default_factory=dict)
    values: dict[str, tuple[float, str, int]] = field(default_factory=dict)
    kinds: tuple[int, ...] = ()
    stopped: str = ""
    damaged: bool = False
    open_tables: set[str] = field(default_factory=set)

    def count(self, fact: str) -> int:
        return int(self.facts.get(fact, "0"))

    @property
    def errors(self) -> int:
        """Failed requests; an answer other than 2xx that also has another length counts once."""
        length = self.kinds[2] if self.kinds else 0
        return self.count("failed") - length + max(length, self.count("status")) + self.count("write")


def _is_ab(head: TextFile) -> Certainty:
    """Judge the first 64 KiB of a file."""
    if not head.mentions(_AB_START, "Requests per second"):
        return "no"
    if any(line.startswith(_AB_START) for line in head.lines):
        return "certain"
    found = {line.partition(":")[0] for line in head.lines}
    return "certain" if {"Concurrency Level", "Requests per second"} <= found else "no"


AB = Format(
    name="ab",
    rule="a line 'This is ApacheBench', or 'Concurrency Level:' and 'Requests per second:'",
    files="*.txt",
    yields="throughput, requests, transfer, latency mean, min, max, stdev and percentiles",
    limits=(
        "percentiles of one run, in whole ms (0 is below half of one); its mean latency is connections over "
        "throughput; a page of varying length counts as failed unless run with -l; closed loop"
    ),
    recognise=_is_ab,
    read=lambda file: _AbReading(file).reading(),
)


class _AbReading:
    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, "ab")
        self.run: _AbRun | None = None

    def reading(self) -> Reading:
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip():
                self._line(number, line.rstrip())
        self._finish()
        return self.load.reading(self.ledger, closed_loop=True, rounded=_AB_ROUNDED)

    def _line(self, number: int, line: str) -> None:
        # A log cut out of a longer one starts at the server instead of the banner.
        if line.startswith(_AB_START) or (line.startswith("Server Software") and (not self.run or self.run.values)):
            self._finish()
            self.run = _AbRun(number, number)
            self.ledger.context(number)
            return
        run = self.run
        if run is None:
            if _AB_KNOWN.match(line):
                self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands outside a run; left out")
            return
        if self._fact(run, number, line) or self._value(run, number, line):
            pass
        elif match := _KINDS.fullmatch(line):
            run.kinds = tuple(int(group) for group in match.groups())
            self.ledger.context(number)
        elif _LONGEST.fullmatch(line):
            run.open_tables.discard("100%")
            self.ledger.context(number)
        elif _AB_CONTEXT.match(line) or line.endswith("(mean, across all concurrent requests)"):
            run.open_tables |= _TABLES.get(line.partition(" (")[0], set())
            self.ledger.context(number)
        elif _AB_KNOWN.match(line):
            self.ledger.problem(number, f"'{printable(line.strip(), 60)}' is cut or not as ab prints it; line skipped")
        elif _AB_STOPPED.match(line):
            run.stopped = run.stopped or line
            self.ledger.context(number)
        else:
            return
        run.last = number

    def _fact(self, run: _AbRun, number: int, line: str) -> bool:
        match = _FACT.fullmatch(line)
        key = _FACTS.get(match[1]) if match else None
        if match is None or key is None:
            return False
        if key in _NUMBERS and not (match[2].isascii() and match[2].isdigit() and len(match[2]) < 16):
            run.damaged = True
            self.ledger.problem(number, f"'{printable(line, 60)}' has no whole number; the run cannot be kept")
        elif key in run.facts:
            self.ledger.problem(number, f"'{printable(line, 60)}' stands twice in one run; the first was kept")
        else:
            run.facts[key] = match[2]
            self.ledger.context(number)
            if key == "complete":
                run.values["requests"] = (float(match[2]), "req", number)
                self.ledger.data(number)
        return True

    def _value(self, run: _AbRun, number: int, line: str) -> bool:
        values: list[tuple[str, str, str]] = []
        if match := _AB_RATE.fullmatch(line):
            values = [("throughput", match[1], "req/s")]
        elif match := _MEAN.fullmatch(line):
            values = [("latency_mean", match[1], "ms")]
        elif match := _AB_TRANSFER.fullmatch(line):
            values = [("transfer", match[1], "KiB/s")]
        elif match := _AB_TOTAL.fullmatch(line):
            values = [
                ("latency_min", match[1], "ms"),
                ("latency_stdev", match[3], "ms"),
                ("latency_max", match[5], "ms"),
            ]
        elif (match := _SHARE.fullmatch(line)) and int(match[1]) < 100:
            values = [(percentile_name(float(match[1])), match[2], "ms")]
        if not values:
            return False
        if any(metric in run.values for metric, _, _ in values):
            self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands twice in one run; the first was kept")
            return True
        if values[0][0] == "latency_min":
            run.open_tables.discard("Total:")
        for metric, value, unit in values:
            run.values[metric] = (float(value), unit, number)
        self.ledger.data(number)
        return True

    def _finish(self) -> None:
        run, self.run = self.run, None
        if run is None:
            return
        reason = _objection(run)
        if reason:
            self.ledger.refuse(line for _, _, line in run.values.values())
            self.ledger.problem(
                run.last, f"the run that starts at line {run.first} {reason}; its values were not kept; run it again"
            )
            return
        path, host, port = (run.facts.get(one, "") for one in ("path", "host", "port"))
        configuration = self.load.configuration(
            {
                "benchmark": path,
                "endpoint": path.partition("?")[0].lstrip("/") or "/",
                "host": f"{host}:{port}" if port else host,
                "connections": run.count("connections"),
            }
        )
        complete = run.count("complete")
        longest = run.values.get("latency_max", (float("inf"), "", 0))[0]
        for metric, (value, unit, line) in run.values.items():
            if metric.startswith("latency_p") and value > longest:
                self.ledger.problem(line, f"{metric} of {value:g} ms is above the longest request; left out")
            else:
                self.load.add(configuration, line, [(metric, value, unit)], iterations=complete, errors=run.errors)


def _objection(run: _AbRun) -> str:
    """Say why the values of a run cannot be kept; empty where they can."""
    if run.damaged:
        return "has a cut count, so its failures or its concurrency are unknown"
    if run.stopped and "throughput" not in run.values:
        return f"stopped with '{printable(run.stopped, 80)}'"
    for fact, said in (
        ("connections", "Concurrency Level"),
        ("complete", "Complete requests"),
        ("failed", "Failed requests"),
    ):
        if fact not in run.facts:
            return f"is cut off: it has no line '{said}'"
    for metric, said in (
        ("throughput", "Requests per second"),
        ("latency_mean", "Time per request"),
        ("transfer", "Transfer rate"),
    ):
        if metric not in run.values:
            return f"is cut off: it has no line '{said}'"
    if run.open_tables:
        return f"is cut off: it has no line '{min(run.open_tables)}'"
    if not run.count("complete"):
        return "completed no request"
    elapsed = re.fullmatch(r"(\d{1,9}\.\d{3}) seconds", run.facts.get("elapsed", ""), re.ASCII)
    if not elapsed:
        return "is cut off: it has no line 'Time taken for tests'"
    rate, seconds = run.values["throughput"][0], float(elapsed[1])
    low, high = run.count("complete") / (seconds + 0.001), run.count("complete") / max(seconds - 0.001, 1e-6)
    if not low * 0.98 <= rate <= high * 1.02:
        return f"has {run.count('complete')} requests in {seconds:g} s but {rate:g} requests a second"
    return ""


READERS = (
    WRK,
    HEY,
    OHA,
    GHZ,
    AB,
)
