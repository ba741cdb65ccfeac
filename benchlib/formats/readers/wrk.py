"""Read what wrk and wrk2 print: one run after another, with or without ``--latency``.

wrk counts bytes by 1024 (its ``MB`` is a MiB), times up to hours (``m`` is minutes), and prints
``0.00us`` and ``-nan%`` where no request was answered. Its percentiles hold only the requests
that were answered in time; its Requests/sec counts refused and failed answers as well. What that means for
failures is said in `benchlib.formats.readers.load_run`: one rule for all load generators.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchlib.errors import printable
from benchlib.formats.ending import at_open_end, may_be_cut, open_line
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.wrk_run import Run, endpoint_axes, objection, quantity, written
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.metrics import canonical
from benchlib.results import Series

__all__ = ["Wrk"]

_START = re.compile(r"Running (\S+) test @ (\S+)")
_THREADS = re.compile(r"\s+(\d{1,9}) threads and (\d{1,9}) connections", re.ASCII)
_LATENCY = re.compile(r"\s+Latency\s+(\S+)\s+(\S+)\s+(\S+)\s+(?:-?nan|[\d.]+)%", re.ASCII)
_PERCENTILE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)%\s+(\S+)", re.ASCII)
_TOTAL = re.compile(r"\s+(\d{1,15}) requests in (\S+), [\d.]+[KMGTP]?B read", re.ASCII)
_SOCKET = re.compile(
    r"\s+Socket errors: connect (\d{1,15}), read (\d{1,15}), write (\d{1,15}), timeout (\d{1,15})",
    re.ASCII,
)
_STATUS = re.compile(r"\s+Non-2xx or 3xx responses: (\d{1,15})", re.ASCII)
_RATE = re.compile(r"Requests/sec:\s+(\d{1,15}\.\d\d)", re.ASCII)
_TRANSFER = re.compile(r"Transfer/sec:\s+(\d{1,15}\.\d\d)([KMGTP]?)B", re.ASCII)
_LUA = re.compile(r"METRIC_([A-Z]+)(\d*): (\d{1,15}(?:\.\d{1,9})?)", re.ASCII)
#: What the scripts seen in the field print; all but the percentiles repeat what wrk says.
_LUA_KNOWN = frozenset({"P", "RPS", "REQUESTS", "ERRORS", "MAX", "MIN", "MEAN", "STDEV"})
_REFUSED = re.compile(r"unable to (?:connect to|resolve|create thread).*|invalid URL: .*")
_CONTEXT = re.compile(
    r"\s+Thread Stats|\s+Req/Sec\s|\s+Latency Distribution|\s+Thread calibration|\s+Detailed Percentile"
)
#: The beginnings of lines that carry numbers: one that then does not parse was cut or changed.
_KNOWN = re.compile(
    r"Running \S+ test|\s+\d+ threads and|\s+Latency\s+[\d-]|\s*\d+(?:\.\d+)?%\s|\s+\d+ requests in"
    r"|\s+Socket errors|\s+Non-2xx|Requests/sec|Transfer/sec|METRIC_",
    re.ASCII,
)
_FAILURES = ("Socket errors", "Non-2xx")
_LATENCIES = ("latency_mean", "latency_stdev", "latency_max")


class Wrk:
    """The reader of wrk and wrk2 output."""

    name = "wrk"
    rule = "a line 'Running T test @ URL', or wrk's own error or usage text"
    files = "*.txt"
    yields = "throughput, requests, transfer, latency mean, max, stdev and, with --latency, percentiles"
    limits = (
        "percentiles of one run, without requests that timed out; Requests/sec counts answers of any status; wrk is a "
        "closed loop, wrk2 is not"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        if not head.mentions("Running ", "unable to ", "invalid URL", "Usage: wrk"):
            return "no"
        if any(map(_START.match, head.lines)):
            return "certain"
        ended = any(_REFUSED.fullmatch(one) or one.startswith("Usage: wrk") for one in head.lines)
        return "possible" if ended else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every run of a file."""
        return _Reading(file).reading()


class _Reading:
    """The reading of one file, line by line."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.series: list[Series] = []
        self.run: Run | None = None
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
        return Reading(
            rows=self.rows,
            configurations=self.configurations,
            problems=self.ledger.problems,
            lines=self.ledger.counts(),
            series=self.series,
        )

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
        if found := _START.fullmatch(line.rstrip()):
            self._finish()
            self.run = Run(number, found[1], found[2], last=number)
            self.ledger.context(number)
        elif self.run is None:
            if _KNOWN.match(line):
                self.ledger.problem(number, f"'{printable(line.strip(), 60)}' stands outside a run; left out")
        elif not self._figure(self.run, number, line):
            if _CONTEXT.match(line):
                self.run.last = number
                self.run.uncorrected |= "Uncorrected" in line
                self.run.open_loop |= "Thread calibration" in line or "HdrHistogram" in line
                self.ledger.context(number)
            elif _KNOWN.match(line):
                self.run.last = number
                self.run.failures_unreadable |= line.strip().startswith(_FAILURES)
                self.ledger.problem(
                    number, f"'{printable(line.strip(), 60)}' is cut or not as wrk prints it; line skipped"
                )

    def _figure(self, run: Run, number: int, line: str) -> bool:
        """Take a line with numbers; False where it is not wholly one."""
        line = line.rstrip()
        if found := _THREADS.fullmatch(line):
            self._once(run, number, "threads", (int(found[1]), int(found[2])), context=True)
        elif found := _LATENCY.fullmatch(line):
            if any(quantity(one) is None for one in found.groups()):
                return False
            self._once(run, number, "latency", found.groups())
        elif found := _PERCENTILE.fullmatch(line):
            if quantity(found[2]) is None:
                return False
            prefix = "latency_uncorrected_p" if run.uncorrected else "latency_p"
            self._once(run, number, canonical(f"{prefix}{found[1]}"), found[2])
        elif found := _TOTAL.fullmatch(line):
            elapsed = quantity(found[2])
            if elapsed is None:
                return False
            self._once(run, number, "requests", (int(found[1]), elapsed))
        elif found := _SOCKET.fullmatch(line):
            self._once(run, number, "socket", [int(one) for one in found.groups()], context=True)
        elif found := _STATUS.fullmatch(line):
            self._once(run, number, "status", int(found[1]), context=True)
        elif found := _RATE.fullmatch(line):
            self._once(run, number, "throughput", float(found[1]))
        elif found := _TRANSFER.fullmatch(line):
            unit = f"{found[2]}iB/s" if found[2] else "B/s"
            self._once(run, number, "transfer", (float(found[1]), unit))
        elif (found := _LUA.fullmatch(line)) and found[1] in _LUA_KNOWN:
            if at_open_end(self.file, number) and may_be_cut(found[3], self._lua_before(run)):
                self.ledger.problem(number, f"{open_line(line)}; line skipped")
                return True
            self._once(run, number, f"lua {found[1]}{found[2]}", float(found[3]), context=True)
        else:
            return False
        run.last = number
        return True

    def _lua_before(self, run: Run) -> list[str]:
        """Return the numbers of the lines a Lua script has added to a run."""
        lines = self.file.lines[run.first : -1]
        return [found[3] for one in lines if (found := _LUA.fullmatch(one.rstrip()))]

    def _once(self, run: Run, number: int, key: str, value: Any, context: bool = False) -> None:
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
        axes, reason = endpoint_axes(run.url)
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

    def _keep(self, run: Run) -> None:
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

    def _keep_latencies(self, run: Run) -> None:
        percentiles = {key: one for key, one in run.found.items() if key.startswith("latency_")}
        if run.no_latency:
            # wrk prints zeros for an empty histogram: that is no data, not a latency of zero.
            for _, line in [*percentiles.values(), run.found.get("latency", (None, 0))]:
                if line:
                    self.ledger.context(line)
            return
        if "latency" in run.found:
            times, line = run.found["latency"]
            for metric, text in zip(_LATENCIES, times, strict=True):
                self._add(run, metric, *written(text), line)
        for metric, (text, line) in percentiles.items():
            if run.seconds(metric) > run.longest:
                self.ledger.problem(line, f"{metric} of {text} is above {self._longest(run)}; left out")
            else:
                self._add(run, metric, *written(text), line)

    def _longest(self, run: Run) -> str:
        """Return what bounds a percentile, in the words of the file."""
        if "latency" in run.found and quantity(run.value("latency")[2]):
            times, line = run.found["latency"]
            return f"the largest latency, {times[2]} on line {line}"
        line = run.found["requests"][1]
        return f"the time of the run on line {line}, '{printable(self.file.lines[line - 1].strip(), 60)}'"

    def _keep_lua(self, run: Run) -> None:
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

    def _add(self, run: Run, metric: str, value: float, unit: str, line: int) -> None:
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
