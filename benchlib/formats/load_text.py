"""Load generators that print text: wrk and wrk2, hey, oha and ghz (with their JSON), and ab."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Generic, Literal, TypeVar

from benchlib.errors import DataError, printable
from benchlib.formats.collector import certain_if
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
#
# The lines with numbers of a tool are patterns, each with a group named for every metric; a percentile has the groups
# `share` and `latency`.

_QUANTITY = re.compile(r"(-?nan|\d{1,15}(?:\.\d{1,12})?)\s*([^\W\d]*)", re.IGNORECASE)
_DIGITS = r"\d{1,15}"
_SHARE_OF = r"(?P<share>100(?:\.0{1,6})?|\d{1,2}(?:\.\d{1,6})?)"
_SECONDS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0, "m": 60.0,
    "h": 3600.0,
}  # fmt: skip


@dataclass(slots=True)
class _Run:
    """What has been read of one run so far.

    Attributes
    ----------
    first, last : int
        Its first line, and the last that was understood.
    values : dict
        Metric to value, unit and line.
    damaged : bool
        Whether a line was cut that counts failures.
    """

    first: int
    last: int
    values: dict[str, tuple[float, str, int]] = field(default_factory=dict)
    damaged: bool = False

    def value(self, metric: str) -> float:
        """Return a value as written, 0 where there is none."""
        return self.values.get(metric, (0.0, "", 0))[0]

    def seconds(self, metric: str) -> float:
        """Return a time in seconds, 0 where there is none."""
        value, unit, _ = self.values.get(metric, (0.0, "s", 0))
        return value * _SECONDS[unit]


_R = TypeVar("_R", bound=_Run)


class _PrintedRuns(Generic[_R]):
    """The reading of a text in which a tool prints one run after the other."""

    #: What messages call a run.
    noun: ClassVar[str] = "run"

    def __init__(
        self, file: TextFile, tool: str, lines: Sequence[str], units: Mapping[str, str], rounded: str = ""
    ) -> None:
        self.file = file
        self.tool = tool
        #: What the lines with numbers look like.
        self.lines = [re.compile(pattern, re.ASCII) for pattern in lines]
        #: Metric, or unit as the tool spells it -> unit.
        self.units = units
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, tool, self.ledger, rounded=rounded)
        self.run: _R | None = None

    def reading(self) -> Reading:
        """Read every line of the file."""
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip():
                self.take(number, line.rstrip())
        self.finish()
        return self.load.reading()

    def take(self, number: int, line: str) -> None:
        """Read one filled line."""
        raise NotImplementedError

    def keep(self, run: _R) -> None:
        """Keep the values of a run; raise DataError with what it "has" or "is" where nothing can be kept."""
        raise NotImplementedError

    def finish(self) -> None:
        """Keep or refuse the run that was being read."""
        run, self.run = self.run, None
        if run is None:
            return
        lines = [line for _, _, line in run.values.values()]
        for line in lines:
            self.ledger.context(line)
        try:
            self.keep(run)
        except DataError as error:
            self.ledger.refuse(lines)
            self.ledger.problem(
                run.last,
                f"the {self.noun} that starts at line {run.first} {error}; its values were not kept; run it again",
            )

    def skip(self, number: int, reason: str) -> None:
        """Say why a line with numbers is left out."""
        self.ledger.problem(number, f"'{printable(self.file.lines[number - 1].strip(), 60)}' {reason}")

    def skip_cut(self, number: int) -> None:
        """Say that a line begins as one with numbers, and does not go on like one."""
        self.skip(number, f"is cut or not as {self.tool} prints it; line skipped")

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
        unit = self.units.get(written, written)
        if match is None or (is_time and unit not in _SECONDS):
            raise DataError(f"'{printable(text, 20)}' is no {'time' if is_time else 'number'}")
        return float(match[1]), unit

    def enter(self, run: _R, number: int, values: Mapping[str, tuple[float, str]]) -> None:
        """Enter the values of a line that a run may have once; not-a-number is none."""
        if values.keys() & run.values.keys():
            self.skip(number, f"stands twice in one {self.noun}; the first was kept")
            return
        self.ledger.context(number)
        for metric, (value, unit) in values.items():
            if value == value:
                run.values[metric] = (value, unit, number)

    def add(
        self,
        run: _R,
        configuration: int,
        metrics: Iterable[str],
        *,
        requests: float,
        errors: float,
        longest: float = float("inf"),
        bound: str = "",
        bounded: str = "latency",
    ) -> None:
        """Keep some values of a run; a latency above the longest, in seconds, cannot be."""
        for metric in metrics:
            value, unit, line = run.values[metric]
            if metric.startswith(bounded) and value * _SECONDS[unit] > longest:
                self.ledger.problem(line, f"{metric} of {value:g} {unit} is above {bound}; left out")
            else:
                self.load.keep(configuration, line, [(metric, value, unit)], iterations=requests, errors=errors)
                self.ledger.data(line)


# Read what wrk and wrk2 print: one run after another, with or without `--latency`.
#
# wrk counts bytes by 1024 (its `MB` is a MiB), times up to hours (`m` is minutes), and prints
# `0.00us` and `-nan%` where no request was answered. Its percentiles hold only the requests
# that were answered in time; its Requests/sec counts refused and failed answers as well. What that means for
# failures is said in `benchlib.formats.load_generators`: one rule for all load generators.

_WRK_START = re.compile(r"Running (\S+) test @ (\S+)")
_WRK_LINES = (
    r"\s+(?P<threads>\d{1,9}) threads and (?P<connections>\d{1,9}) connections",
    r"\s+Latency\s+(?P<latency_mean>\S+)\s+(?P<latency_stdev>\S+)\s+(?P<latency_max>\S+)\s+(?:-?nan|[\d.]+)%",
    rf"\s*{_SHARE_OF}%\s+(?P<latency>\S+)",
    rf"\s+(?P<requests>{_DIGITS}) requests in (?P<elapsed>\S+), [\d.]+[KMGTP]?B read",
    rf"\s+Socket errors: connect (?P<connect>{_DIGITS}), read (?P<read>{_DIGITS}), write (?P<write>{_DIGITS}), "
    rf"timeout (?P<timeout>{_DIGITS})",
    rf"\s+Non-2xx or 3xx responses: (?P<status>{_DIGITS})",
    rf"Requests/sec:\s+(?P<throughput>{_DIGITS}\.\d\d)",
    rf"Transfer/sec:\s+(?P<transfer>{_DIGITS}\.\d\d[KMGTP]?B)",
)
_WRK_UNITS = {"requests": "req", "throughput": "req/s", "B": "B/s", **{f"{sign}B": f"{sign}iB/s" for sign in "KMGTP"}}
#: What the Lua scripts seen in the field print; all but the percentiles repeat what wrk says.
_LUA = re.compile(r"METRIC_((?:P|RPS|REQUESTS|ERRORS|MAX|MIN|MEAN|STDEV)\d*): (\d{1,15}(?:\.\d{1,9})?)", re.ASCII)
_LUA_SHARE = re.compile(r"lua P\d+", re.ASCII)
_REFUSED = re.compile(r"unable to (?:connect to|resolve|create thread).*|invalid URL: .*")
_WRK_CONTEXT = re.compile(
    r"\s+Thread Stats|\s+Req/Sec\s|\s+Latency Distribution|\s+Thread calibration|\s+Detailed Percentile"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_WRK_KNOWN = re.compile(
    r"Running \S+ test|\s+\d+ threads and|\s+Latency\s+[\d-]|\s*\d+(?:\.\d+)?%(?:\s|$)|\s+\d+ requests in"
    r"|\s+Socket errors|\s+Non-2xx|Requests/sec|Transfer/sec|METRIC_",
    re.ASCII,
)
_WRK_COUNTING = ("Socket errors", "Non-2xx")
_WRK_SETTINGS = ("threads", "connections")
#: Failures of each kind: errors of sockets, and answers of another status than 2xx and 3xx.
_WRK_FAILURES = ("connect", "read", "write", "timeout", "status")
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
    read=lambda file: _WrkRuns(file).reading(),
)


@dataclass(slots=True)
class _WrkRun(_Run):
    """One run of wrk: its counts and what a Lua script added are values as well, until it ends."""

    length: str = ""
    url: str = ""
    uncorrected: bool = False
    open_loop: bool = False


class _WrkRuns(_PrintedRuns[_WrkRun]):
    def __init__(self, file: TextFile) -> None:
        super().__init__(file, "wrk", _WRK_LINES, _WRK_UNITS)
        # wrk2 sends at a fixed rate: its runs alone do not make the file one of a closed loop.
        self.load.closed_loop = False

    def take(self, number: int, line: str) -> None:
        if self._stopped(number, line):
            return
        if match := _WRK_START.fullmatch(line):
            self.finish()
            self.run = _WrkRun(number, number, length=match[1], url=match[2])
            self.ledger.context(number)
            return
        run = self.run
        if run is None:
            if _WRK_KNOWN.match(line):
                self.skip(number, "stands outside a run; left out")
            return
        try:
            if not self._figure(run, number, line):
                return
        except DataError:
            run.damaged |= line.strip().startswith(_WRK_COUNTING)
            self.skip_cut(number)
        run.last = number

    def _stopped(self, number: int, line: str) -> bool:
        """Take what wrk prints when it does not run at all."""
        if _REFUSED.fullmatch(line):
            advice = "start the server and run it again"
            message = f"wrk stopped with '{printable(line)}', so nothing was measured; {advice}"
        elif line.startswith("Usage: wrk"):
            # What was wrong with the arguments stands on the line before, where wrk says it.
            before = self.file.lines[number - 2].strip() if number > 1 else ""
            reason = f" ('{printable(before)}')" if before else ""
            message = f"wrk printed its usage{reason}, so nothing was measured; correct its arguments and run it"
        else:
            return False
        self.finish()
        self.ledger.problem(number, message)
        return True

    def _figure(self, run: _WrkRun, number: int, line: str) -> bool:
        """Take a line of a run; return False for the words of others, raise DataError for a cut one."""
        if values := self.values(line):
            if run.uncorrected:
                values = {metric.replace("latency_p", "latency_uncorrected_p"): each for metric, each in values.items()}
            self.enter(run, number, values)
        elif match := _LUA.fullmatch(line):
            before = [text[2] for text in map(_LUA.fullmatch, self.file.lines[run.first : number - 1]) if text]
            if _at_open_end(self.file, number) and may_be_cut(match[2], before):
                self.ledger.problem(number, f"{open_line(line)}; line skipped")
            else:
                self.enter(run, number, {f"lua {match[1]}": (float(match[2]), "ms")})
        elif _WRK_CONTEXT.match(line):
            run.uncorrected |= "Uncorrected" in line
            # Only wrk2 calibrates its threads and names HdrHistogram.
            run.open_loop |= "Thread calibration" in line or "HdrHistogram" in line
            self.ledger.context(number)
        elif _WRK_KNOWN.match(line):
            raise DataError("cut")
        else:
            return False
        return True

    def keep(self, run: _WrkRun) -> None:
        requests, errors = run.value("requests"), sum(map(run.value, _WRK_FAILURES))
        _check_wrk(run, errors)
        axes = _endpoint_axes(run.url, "") | {name: int(run.value(name)) for name in _WRK_SETTINGS}
        with suppress(DataError):
            value, unit = self.quantity("elapsed", run.length)
            axes["duration_s"] = value * _SECONDS[unit]
        configuration = self.load.configure(axes)
        self.load.closed_loop |= not run.open_loop
        if "transfer" not in run.values:
            self.ledger.note(run.last, "the run has no Transfer/sec line; the rest of it was kept")
        metrics = ["throughput", "requests", "transfer"]
        # wrk prints zeros for an empty histogram: that is no data, not a latency of zero.
        if any(run.value(metric) for metric in run.values if metric.startswith("latency_")):
            self._confirm_lua(run)
            metrics += dict.fromkeys([*_WRK_LATENCIES, *(key for key in run.values if key.startswith("latency_"))])
        longest, bound = self._longest(run)
        metrics = [metric for metric in metrics if metric in run.values]
        self.add(run, configuration, metrics, requests=requests, errors=errors, longest=longest, bound=bound)
        _, _, line = run.values.get("timeout", (0, "", 0))
        self.load.timeouts(line, run.value("timeout"), requests)

    def _longest(self, run: _WrkRun) -> tuple[float, str]:
        """Return the largest latency that can be, with room for rounding, and what says so."""
        if run.value("latency_max"):
            value, unit, line = run.values["latency_max"]
            return 1.01 * run.seconds("latency_max"), f"the largest latency, {value:g} {unit} on line {line}"
        line = run.values["requests"][2]
        written = printable(self.file.lines[line - 1].strip(), 60)
        return 1.01 * run.seconds("elapsed"), f"the time of the run on line {line}, '{written}'"

    def _confirm_lua(self, run: _WrkRun) -> None:
        """Take the percentiles that a Lua script adds for latencies, once their unit is shown to be ms."""
        names = {metric: canonical(f"latency_p{metric[5:]}") for metric in run.values if _LUA_SHARE.fullmatch(metric)}
        confirmed = [
            abs(run.seconds(own) - run.seconds(metric)) <= 0.02 * run.seconds(own)
            for metric, own in [*names.items(), ("lua MAX", "latency_max")]
            if own in run.values and metric in run.values
        ]
        for metric, name in names.items():
            if name in run.values:
                continue
            if confirmed and all(confirmed):
                run.values[name] = run.values[metric]
            else:
                why = "is not in ms like wrk's own" if confirmed else "has no unit that wrk's own output confirms"
                self.ledger.problem(run.values[metric][2], f"METRIC_{metric[4:]} {why}; left out")


def _check_wrk(run: _WrkRun, errors: float) -> None:
    """Raise DataError where the values of a run cannot be kept.

    wrk prints its failures before Requests/sec, so a run that has the latter states all of the
    former. A cut number shows where requests, time and rate disagree.
    """
    if run.damaged:
        raise DataError("has a cut line of errors, so its failures are unknown")
    if "threads" not in run.values:
        raise DataError("has no line of threads and connections, so its concurrency is unknown")
    for metric, words in (("requests", "requests in"), ("throughput", "Requests/sec")):
        if metric not in run.values:
            raise DataError(f"is cut off: it has no line {words!r}")
    requests, elapsed, rate = run.value("requests"), run.seconds("elapsed"), run.value("throughput")
    if not requests and not errors:
        raise DataError("answered no request")
    # The time is rounded to two decimals of its unit: up to 0.5 % for 1.00m.
    if elapsed and abs(requests / elapsed - rate) > 0.02 * rate + 0.01:
        raise DataError(f"has {requests:.0f} requests in {elapsed:g} s but {rate:g} requests a second")


# The summary that hey printed first and that oha and ghz print in its likeness.
#
# A run starts at `Summary:` and ends with its distribution of status codes; without that its failures
# are unknown and nothing of it is kept. Each tool prints zeros or `NaN` where no request was answered.


_Tool = Literal["hey", "oha", "ghz"]

_NUMBER = r"(?:NaN|\d{1,15}(?:\.\d{1,12})?)"
_SUMMARY_LINES = (
    rf"\s+Slowest:\s+(?P<latency_max>{_NUMBER}\s*[a-zµμ]{{1,4}})",
    rf"\s+Fastest:\s+(?P<latency_min>{_NUMBER}\s*[a-zµμ]{{1,4}})",
    rf"\s+Average:\s+(?P<latency_mean>{_NUMBER}\s*[a-zµμ]{{1,4}})",
    rf"\s+Total:\s+(?P<elapsed>{_NUMBER}\s*[a-zµμ]{{1,4}})",
    rf"\s+Requests/sec:\s+(?P<throughput>{_NUMBER})",
    r"\s+Count:\s+(?P<requests>\d{1,15})",
    rf"\s+Size/sec:\s+(?P<transfer>{_NUMBER}\s*[KMGT]?i?B)",
    rf"\s+{_SHARE_OF}\s*%{{1,2}}\s+in\s+(?P<latency>{_NUMBER}\s*[a-zµμ]{{1,4}})",
)
_SUMMARY_UNITS = {"requests": "req", "throughput": "req/s"} | {
    f"{sign}{binary}B": f"{sign}{binary}B/s" for sign in ("", *"KMGT") for binary in ("", "i")
}
_COUNT = re.compile(r"\s+Count:\s+\d{1,15}", re.ASCII)
_NAME = re.compile(r"\s+Name:\s+(\S.*)")
_BAR = re.compile(rf"\s+({_NUMBER})\s*([a-z]{{0,4}})\s+\[(\d{{1,15}})\]\s*\|", re.ASCII)
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
_SUMMARY_ROUNDED = {"hey": "latencies to 0.1 ms", "ghz": "latencies to 0.01 ms"}
#: Decimals of the times each tool prints.
_DECIMALS = {"hey": 4, "oha": 4, "ghz": 2}
#: oha stops at the end of its time with requests under way: they did not fail, but stand in its rate.
_OHA_STOPPED = "aborted due to deadline"


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
class _Summary(_Run):
    """One summary; the time it took is a value as well, until it ends."""

    name: str = ""
    section: str = ""
    bars: list[tuple[float, float]] = field(default_factory=list)
    statuses: dict[str, float] = field(default_factory=dict)
    failures: dict[str, float] = field(default_factory=dict)
    has_statuses: bool = False


def _read_summaries(file: TextFile, tool: _Tool) -> Reading:
    """Read every summary of one tool in a file."""
    return _Summaries(file, tool, _SUMMARY_LINES, _SUMMARY_UNITS, _SUMMARY_ROUNDED.get(tool, "")).reading()


class _Summaries(_PrintedRuns[_Summary]):
    noun = "summary"

    def take(self, number: int, line: str) -> None:
        if line == "Summary:":
            self.finish()
            self.run = _Summary(number, number)
            self.ledger.context(number)
            return
        run = self.run
        if run is None:
            if _SUMMARY_KNOWN.match(line):
                self.skip(number, "stands outside a summary; left out")
            return
        if section := _SECTION.fullmatch(line):
            run.section = section[1]
            run.has_statuses |= section[1].startswith("Status")
            self.ledger.context(number)
        elif values := self._values(line):
            self.enter(run, number, values)
        elif self._count(run, line) or _SUMMARY_CONTEXT.match(line):
            self.ledger.context(number)
        elif match := _NAME.fullmatch(line):
            run.name = match[1]
            self.ledger.context(number)
        elif _SUMMARY_KNOWN.match(line):
            run.damaged |= run.section.startswith(("Status", "Error"))
            self.skip_cut(number)
        else:
            return
        run.last = number

    def _values(self, line: str) -> dict[str, tuple[float, str]]:
        try:
            return self.values(line)
        except DataError:
            return {}

    def _count(self, run: _Summary, line: str) -> bool:
        """Take a line that counts requests of one time, status or error."""
        if match := _BAR.match(line):
            # hey and ghz leave the unit out: hey means seconds, ghz milliseconds.
            unit = match[2] or ("ms" if self.tool == "ghz" else "s")
            if unit not in _SECONDS or match[1] == "NaN":
                return False
            run.bars.append((float(match[1]) * _SECONDS[unit], float(match[3])))
        elif run.section.startswith("Status") and (match := _SUMMARY_STATUS.fullmatch(line)):
            run.statuses[match[1]] = run.statuses.get(match[1], 0) + int(match[2])
        elif run.section.startswith("Error") and (match := _ERROR.fullmatch(line)):
            run.failures[match[2]] = run.failures.get(match[2], 0) + int(match[1])
        else:
            return False
        return True

    def keep(self, run: _Summary) -> None:
        answered = sum(run.statuses.values())
        self._check(run, answered)
        lost = {error: count for error, count in run.failures.items() if error != _OHA_STOPPED}
        if self.tool == "ghz":
            # ghz puts the calls without an answer into both of its lists.
            requests, errors = answered, max(sum(lost.values()), answered - run.statuses.get("OK", 0))
        else:
            requests = answered + sum(lost.values())
            errors = sum(lost.values()) + _failed_answers(run.statuses)
        # Latencies without an answer are zeros of an empty list: no data, not a latency of zero.
        unmeasured = ("elapsed",) if answered else ("elapsed", "latency")
        metrics = [metric for metric in run.values if not metric.startswith(unmeasured)]
        # With room for rounding: hey's percentiles share their last digit with its slowest request.
        longest = 1.01 * run.seconds("latency_max") + 1e-9 if "latency_max" in run.values else float("inf")
        configuration = self.load.start_run({"benchmark": run.name})
        bound = "the slowest request"
        self.add(run, configuration, metrics, requests=requests, errors=errors, longest=longest, bound=bound)
        if run.bars and answered:
            self.load.remark("histogram", run.first, tuple(run.bars))
        self.load.timeouts(run.last, sum(count for error, count in lost.items() if is_timeout(error)), requests)

    def _check(self, run: _Summary, answered: float) -> None:
        """Raise DataError where the values of a summary cannot be kept."""
        if run.damaged:
            raise DataError("has a cut line of status codes or errors, so its failures are unknown")
        if "throughput" not in run.values:
            raise DataError("is cut off: it has no line 'Requests/sec'")
        if not run.has_statuses:
            raise DataError("is cut off: it has no status codes, so its failures are unknown")
        # oha counts the requests it stopped in its rate; ghz names a failed call twice.
        requests = answered + sum(run.failures.values())
        if not requests:
            raise DataError("answered no request")
        if "elapsed" not in run.values:
            raise DataError("is cut off: it has no line 'Total'")
        seconds, rate = run.seconds("elapsed"), run.value("throughput")
        step = _SECONDS[run.values["elapsed"][1]] * 10.0 ** -_DECIMALS[self.tool]
        if not any(_agree(count, rate, seconds, step) for count in (answered, requests)):
            raise DataError(f"has {requests:g} requests in {seconds:g} s but {rate:g} requests a second")


def _agree(requests: float, rate: float, seconds: float, step: float) -> bool:
    """Whether a count, a rate and a time rounded to a step can belong to one run."""
    fastest = requests / max(seconds - step, 1e-12)
    return requests / (seconds + step) * 0.98 <= rate <= fastest * 1.02 + 0.01


def _is_document(file: TextFile) -> bool:
    """Whether a file is JSON and no text: it starts with a brace or a bracket, and no summary follows."""
    return file.first.lstrip().startswith(("{", "[")) and not any(line.rstrip() == "Summary:" for line in file.lines)


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
    recognise=lambda head: certain_if(_heading(head) == "hey"),
    read=lambda file: _read_summaries(file, "hey"),
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
        return _read_summaries(file, "oha")
    return _read_documents(file, partial(_read_oha_json, file))


OHA = Format(
    name="oha",
    rule="a line 'Success rate:' below 'Summary:', or JSON with summary.successRate",
    files="*.txt, *.json",
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
        return _read_summaries(file, "ghz")
    return _read_documents(file, partial(_read_ghz_json, file))


GHZ = Format(
    name="ghz",
    rule="a line 'Count:' below 'Summary:', or JSON with latencyDistribution and statusCodeDistribution",
    files="*.txt, *.json",
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
    for index, call in enumerate(calls, start=1):
        try:
            latency, status = number_at(call, "latency"), text_at(call, "status")
            if latency is None or status is None or latency < 0:
                raise DataError("a call has no latency or no status")
        except DataError as error:
            records.problem(index, f"{error}; call skipped")
            continue
        load.request(configuration, records.line(index), latency, "ns", failed=status != "OK")
        records.data(index)
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
_FACTS = {
    "Server Hostname": "host", "Server Port": "port", "Document Path": "path", "Concurrency Level": "connections",
    "Complete requests": "complete", "Failed requests": "failed", "Non-2xx responses": "status",
    "Write errors": "write", "Time taken for tests": "elapsed",
}  # fmt: skip
_FACT = re.compile(r"([A-Z][A-Za-z0-9 -]*):\s*(.*)")
_COUNTS = frozenset({"connections", "complete", "failed", "status", "write"})
_KINDS = re.compile(r"\s+\(Connect: \d{1,15}, Receive: \d{1,15}, Length: (\d{1,15}), Exceptions: \d{1,15}\)", re.ASCII)
_AB_LINES = (
    rf"Requests per second:\s+(?P<throughput>{_DIGITS}\.\d\d) \[#/sec\] \(mean\)",
    rf"Time per request:\s+(?P<latency_mean>{_DIGITS}\.\d{{3}}) \[ms\] \(mean\)",
    rf"Transfer rate:\s+(?P<transfer>{_DIGITS}\.\d\d) \[Kbytes/sec\] received",
    r"Total:\s+(?P<latency_min>\d{1,12})\s+\d{1,12}\s+(?P<latency_stdev>\d{1,12}\.\d)\s+\d{1,12}\s+"
    r"(?P<latency_max>\d{1,12})",
    r"\s+(?P<share>\d{1,2})%\s+(?P<latency>\d{1,12})",
)
_AB_UNITS = {"throughput": "req/s", "transfer": "KiB/s", "latency": "ms"}
_LONGEST = re.compile(r"\s+100%\s+\d+ \(longest request\)", re.ASCII)
_AB_CONTEXT = re.compile(
    r"This is ApacheBench|Copyright|Licensed|Benchmarking |Completed \d|Finished \d|Server |Document |Keep-Alive"
    r"|Total transferred|Total (?:body sent|POSTed)|HTML transferred|SSL/TLS|TLS "
    r"|Connection Times|\s+min\s+mean|Connect:|Processing:|Waiting:|Percentage of the requests|\s+\d+\.\d\d kb/s"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_AB_KNOWN = re.compile(r"Requests per second|Time per request|Transfer rate|Total:|\s+\d+%|\s+\(Connect:")
#: Tables that end on a line of their own: the times at "Total:", the percentiles at 100 %.
_TABLES = {"Connection Times": {"Total:"}, "Percentage of the requests served within a certain time": {"100%"}}
_AB_STOPPED = re.compile(r"(?:apr_\w+|ab|socket): .*|Total of \d+ requests completed|\.\.done")
#: What a whole run has: fact or metric -> how its line begins.
_AB_NEEDS = {
    "connections": "Concurrency Level", "complete": "Complete requests", "failed": "Failed requests",
    "throughput": "Requests per second", "latency_mean": "Time per request", "transfer": "Transfer rate",
}  # fmt: skip


@dataclass(slots=True)
class _AbRun(_Run):
    facts: dict[str, str] = field(default_factory=dict)
    #: Answers whose length differs from that of the first.
    other_length: int = 0
    stopped: str = ""
    open_tables: set[str] = field(default_factory=set)

    def count(self, fact: str) -> int:
        return int(self.facts.get(fact, "0"))

    @property
    def errors(self) -> int:
        """Failed requests; an answer other than 2xx that also has another length counts once."""
        other_failures = self.count("failed") - self.other_length + self.count("write")
        return other_failures + max(self.other_length, self.count("status"))


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
    files="*.txt",
    yields="throughput, requests, transfer, latency mean, min, max, stdev and percentiles",
    limits=(
        "percentiles of one run, in whole ms (0 is below half of one); its mean latency is connections over "
        "throughput; a page of varying length counts as failed unless run with -l; closed loop"
    ),
    recognise=_is_ab,
    # All but its mean are rounded.
    read=lambda file: _AbRuns(file, "ab", _AB_LINES, _AB_UNITS, "latencies to whole milliseconds").reading(),
)


class _AbRuns(_PrintedRuns[_AbRun]):
    def take(self, number: int, line: str) -> None:
        # A log cut out of a longer one starts at the server instead of the banner.
        if line.startswith(_AB_START) or (line.startswith("Server Software") and (not self.run or self.run.values)):
            self.finish()
            self.run = _AbRun(number, number)
            self.ledger.context(number)
            return
        run = self.run
        if run is None:
            if _AB_KNOWN.match(line):
                self.skip(number, "stands outside a run; left out")
            return
        if self._fact(run, number, line):
            pass
        elif values := self.values(line):
            if "latency_min" in values:
                run.open_tables.discard("Total:")
            self.enter(run, number, values)
        elif match := _KINDS.fullmatch(line):
            run.other_length = int(match[1])
            self.ledger.context(number)
        elif _LONGEST.fullmatch(line):
            run.open_tables.discard("100%")
            self.ledger.context(number)
        elif _AB_CONTEXT.match(line) or line.endswith("(mean, across all concurrent requests)"):
            run.open_tables |= _TABLES.get(line.partition(" (")[0], set())
            self.ledger.context(number)
        elif _AB_KNOWN.match(line):
            self.skip_cut(number)
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
        if key in _COUNTS and not (match[2].isascii() and match[2].isdigit() and len(match[2]) < 16):
            run.damaged = True
            self.skip(number, "has no whole number; the run cannot be kept")
        elif key in run.facts:
            self.skip(number, "stands twice in one run; the first was kept")
        else:
            run.facts[key] = match[2]
            if key == "complete":
                run.values["requests"] = (float(match[2]), "req", number)
            self.ledger.context(number)
        return True

    def keep(self, run: _AbRun) -> None:
        _check_ab(run)
        path, host, port = (run.facts.get(fact, "") for fact in ("path", "host", "port"))
        configuration = self.load.start_run(
            {
                "benchmark": path,
                "endpoint": path.partition("?")[0].lstrip("/") or "/",
                "host": f"{host}:{port}" if port else host,
                "connections": run.count("connections"),
            }
        )
        self.add(
            run,
            configuration,
            run.values,
            requests=run.count("complete"),
            errors=run.errors,
            longest=run.seconds("latency_max") if "latency_max" in run.values else float("inf"),
            bound="the longest request",
            # Its mean is worked out from the throughput, and may exceed the maximum, which is rounded.
            bounded="latency_p",
        )


def _check_ab(run: _AbRun) -> None:
    """Raise DataError where the values of a run cannot be kept."""
    if run.damaged:
        raise DataError("has a cut count, so its failures or its concurrency are unknown")
    if run.stopped and "throughput" not in run.values:
        raise DataError(f"stopped with '{printable(run.stopped, 80)}'")
    missing = [words for key, words in _AB_NEEDS.items() if key not in run.facts and key not in run.values]
    missing += sorted(run.open_tables)
    if missing:
        raise DataError(f"is cut off: it has no line '{missing[0]}'")
    complete, rate = run.count("complete"), run.value("throughput")
    if not complete:
        raise DataError("completed no request")
    elapsed = re.fullmatch(r"(\d{1,9}\.\d{3}) seconds", run.facts.get("elapsed", ""), re.ASCII)
    if not elapsed:
        raise DataError("is cut off: it has no line 'Time taken for tests'")
    seconds = float(elapsed[1])
    if not complete / (seconds + 0.001) * 0.98 <= rate <= complete / max(seconds - 0.001, 1e-6) * 1.02:
        raise DataError(f"has {complete} requests in {seconds:g} s but {rate:g} requests a second")


READERS = (
    WRK,
    HEY,
    OHA,
    GHZ,
    AB,
)
