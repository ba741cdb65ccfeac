"""The summary that hey printed first and that oha and ghz print in its likeness.

A run starts at ``Summary:`` and ends with its distribution of status codes; without that its failures
are unknown and nothing of it is kept. Each tool prints zeros or ``NaN`` where no request was answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.load_run import Load, failed_answers, is_timeout, percentile_name
from benchlib.formats.reading import Reading, TextFile

__all__ = ["Tool", "heading", "read_summaries"]

Tool = Literal["hey", "oha", "ghz"]

_NUMBER = r"(NaN|\d{1,15}(?:\.\d{1,12})?)"
_TIME = re.compile(rf"\s+(Slowest|Fastest|Average|Total):\s+{_NUMBER}\s*([a-zµμ]{{1,4}})", re.ASCII)
_RATE = re.compile(rf"\s+Requests/sec:\s+{_NUMBER}", re.ASCII)
_COUNT = re.compile(r"\s+Count:\s+(\d{1,15})", re.ASCII)
_NAME = re.compile(r"\s+Name:\s+(\S.*)")
_TRANSFER = re.compile(rf"\s+Size/sec:\s+{_NUMBER}\s*([KMGT]?i?B)", re.ASCII)
_PERCENTILE = re.compile(rf"\s+(\d{{1,3}}(?:\.\d{{1,6}})?)\s*%{{1,2}}\s+in\s+{_NUMBER}\s*([a-zµμ]{{1,4}})", re.ASCII)
_BAR = re.compile(rf"\s+{_NUMBER}\s*([a-z]{{0,4}})\s+\[(\d{{1,15}})\]\s*\|", re.ASCII)
_STATUS = re.compile(r"\s+\[(\w{1,40})\]\s+(\d{1,15}) responses", re.ASCII)
_ERROR = re.compile(r"\s+\[(\d{1,15})\]\s+(\S.*)")
_CONTEXT = re.compile(
    r"\s+(?:Success rate|Total data|Size/request|Size/sec|DNS\+dialup|DNS-lookup|req write|resp wait|resp read"
    r"|First Byte):\s"
)
_SECTION = re.compile(
    r"(Response time histogram|Latency distribution|Response time distribution|Status code distribution"
    r"|Error distribution|Details \(average, fastest, slowest\)).*:?"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_KNOWN = re.compile(r"\s+(?:Slowest|Fastest|Average|Total|Count|Requests/sec)\b|\s+\d+(?:\.\d+)?\s*%|\s+\[\w+\]")
_LATENCIES = {"Slowest": "latency_max", "Fastest": "latency_min", "Average": "latency_mean"}
#: oha stops at the end of its time with requests under way: they did not fail.
_STOPPED = "aborted due to deadline"


def heading(head: TextFile) -> Tool | None:
    r"""Return the tool whose summary stands in a file, None where there is none.

    Examples
    --------
    >>> heading(TextFile("run.txt", ["Summary:", "  Success rate:\t100.00%"]))
    'oha'
    """
    lines = head.lines if head.mentions("Summary:") else []
    for number, line in enumerate(lines):
        if line.rstrip() != "Summary:":
            continue
        block = lines[number + 1 : number + 12]
        if any(one.lstrip().startswith("Success rate:") for one in block):
            return "oha"
        if any(_COUNT.fullmatch(one.rstrip()) for one in block):
            return "ghz"
        if any(one.startswith("  Total:") and one.rstrip().endswith(" secs") for one in block):
            return "hey"
    return None


@dataclass(slots=True)
class _Run:
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


def read_summaries(file: TextFile, tool: Tool) -> Reading:
    """Read every summary of one tool in a file."""
    return _Reading(file, tool).reading()


class _Reading:
    def __init__(self, file: TextFile, tool: Tool) -> None:
        self.file = file
        self.tool: Tool = tool
        self.ledger = Ledger(len(file.lines))
        self.load = Load(file.source, tool)
        self.run: _Run | None = None
        self.takers: tuple[tuple[re.Pattern[str], Callable[[_Run, int, re.Match[str]], bool]], ...] = (
            (_TIME, self._time),
            (_RATE, self._rate),
            (_COUNT, self._count),
            (_TRANSFER, self._transfer),
            (_PERCENTILE, self._percentile),
            (_BAR, self._bar),
            (_STATUS, self._status),
        )

    def reading(self) -> Reading:
        for number, line in enumerate(self.file.lines, start=1):
            if line.strip():
                self._line(number, line.rstrip())
        self._finish()
        rounded = _ROUNDED.get(self.tool, "")
        return self.load.reading(self.ledger.counts(), self.ledger.problems, closed_loop=True, rounded=rounded)

    def _line(self, number: int, line: str) -> None:
        if line == "Summary:":
            self._finish()
            self.run = _Run(number, number)
            self.ledger.context(number)
            return
        run = self.run
        if run is None:
            if _KNOWN.match(line):
                self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands outside a summary; left out")
            return
        if section := _SECTION.fullmatch(line):
            run.section = section[1]
            run.has_statuses |= section[1].startswith("Status")
            self.ledger.context(number)
        elif self._figure(run, number, line):
            pass
        elif run.section.startswith("Error") and (found := _ERROR.fullmatch(line)):
            run.failures[found[2]] = run.failures.get(found[2], 0) + int(found[1])
            self.ledger.context(number)
        elif _CONTEXT.match(line) or line.strip() == "":
            self.ledger.context(number)
        elif found := _NAME.fullmatch(line):
            run.name = found[1]
            self.ledger.context(number)
        elif _KNOWN.match(line):
            run.damaged |= run.section.startswith(("Status", "Error"))
            self.ledger.problem(
                number, f"'{printable(line.strip(), 60)}' is cut or not as {self.tool} prints it; line skipped"
            )
        else:
            return
        run.last = number

    def _figure(self, run: _Run, number: int, line: str) -> bool:
        for pattern, take in self.takers:
            found = pattern.fullmatch(line) if pattern is not _BAR else pattern.match(line)
            if found:
                return take(run, number, found)
        return False

    def _once(self, run: _Run, number: int, metric: str, text: str, unit: str) -> bool:
        if metric in run.found:
            self.ledger.problem(number, f"{metric} stands twice in one summary; the first was kept")
        elif text == "NaN":
            self.ledger.context(number)
        else:
            run.found[metric] = (float(text), unit, number)
            self.ledger.data(number)
        return True

    def _time(self, run: _Run, number: int, found: re.Match[str]) -> bool:
        if found[3] not in _SECONDS:
            return False
        return self._once(run, number, _LATENCIES.get(found[1], "elapsed"), found[2], found[3])

    def _rate(self, run: _Run, number: int, found: re.Match[str]) -> bool:
        return self._once(run, number, "throughput", found[1], "req/s")

    def _count(self, run: _Run, number: int, found: re.Match[str]) -> bool:
        return self._once(run, number, "requests", found[1], "req")

    def _transfer(self, run: _Run, number: int, found: re.Match[str]) -> bool:
        return self._once(run, number, "transfer", found[1], f"{found[2]}/s")

    def _percentile(self, run: _Run, number: int, found: re.Match[str]) -> bool:
        share = float(found[1])
        if found[3] not in _SECONDS or share > 100:
            return False
        return self._once(run, number, percentile_name(share), found[2], found[3])

    def _bar(self, run: _Run, number: int, found: re.Match[str]) -> bool:
        # hey and ghz leave the unit out: hey means seconds, ghz milliseconds.
        unit = found[2] or ("ms" if self.tool == "ghz" else "s")
        if unit not in _SECONDS or found[1] == "NaN":
            return False
        run.bars.append((float(found[1]) * _SECONDS[unit], float(found[3])))
        self.ledger.context(number)
        return True

    def _status(self, run: _Run, number: int, found: re.Match[str]) -> bool:
        if not run.section.startswith("Status"):
            return False
        run.statuses[found[1]] = run.statuses.get(found[1], 0) + int(found[2])
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
        lost = sum(count for error, count in run.failures.items() if error != _STOPPED)
        requests = run.answered + (0 if self.tool == "ghz" else lost)
        if self.tool == "ghz":
            errors = max(lost, sum(count for status, count in run.statuses.items() if status != "OK"))
        else:
            errors = lost + failed_answers(run.statuses)
        configuration = self.load.configuration({"benchmark": run.name})
        longest = self._longest(run)
        for metric, (value, unit, line) in run.found.items():
            if metric == "elapsed":
                self.ledger.context(line)
            elif metric.startswith("latency") and not run.answered:
                # Zeros of an empty list: that is no data, not a latency of zero.
                self.ledger.context(line)
            elif metric.startswith("latency") and value * _SECONDS[unit] > longest:
                self.ledger.problem(line, f"{metric} of {value:g} {unit} is above the slowest request; left out")
            else:
                self.load.add(configuration, line, [(metric, value, unit)], iterations=requests, errors=errors)
        if run.bars and run.answered:
            self.load.remark("histogram", run.first, tuple(run.bars))
        timeouts = sum(count for error, count in run.failures.items() if error != _STOPPED and is_timeout(error))
        self.load.timeouts(run.last, timeouts, requests)

    def _longest(self, run: _Run) -> float:
        """The largest latency that can be, with room for rounding; hey's shares its last digit."""
        value, unit, _ = run.found.get("latency_max", (float("inf"), "s", 0))
        return 1.01 * value * _SECONDS[unit] + 1e-9

    def _objection(self, run: _Run) -> str:
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
        seconds, digits = elapsed[0] * _SECONDS[elapsed[1]], _SECONDS[elapsed[1]] * 10.0 ** -_DECIMALS[self.tool]
        rate = run.found["throughput"][0]
        # oha counts the requests it stopped in its rate; ghz names a failed call twice.
        counts = [run.answered, run.answered + lost]
        if not any(_agree(one, rate, seconds, digits) for one in counts):
            return f"has {run.answered + lost:g} requests in {seconds:g} s but {rate:g} requests a second"
        return ""


_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "secs": 1.0,
            "m": 60.0, "h": 3600.0}  # fmt: skip
_ROUNDED = {"hey": "latencies to 0.1 ms", "ghz": "latencies to 0.01 ms"}
#: Decimals of the times each tool prints.
_DECIMALS = {"hey": 4, "oha": 4, "ghz": 2}


def _agree(requests: float, rate: float, seconds: float, step: float) -> bool:
    """Whether a count, a rate and a rounded time can belong to one run."""
    fastest = requests / max(seconds - step, 1e-12)
    return requests / (seconds + step) * 0.98 <= rate <= fastest * 1.02 + 0.01
