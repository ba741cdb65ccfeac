"""Read what k6 prints at the end of a run: compact, full and legacy summaries."""

from __future__ import annotations

import re

from benchlib.errors import printable
from benchlib.formats.ending import at_open_end, open_line
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.k6_metrics import K6Run, is_open, keep, objection
from benchlib.formats.readers.load_run import Load
from benchlib.formats.reading import Certainty, Reading, TextFile
from benchlib.units import parse_duration

__all__ = ["K6Text"]

_METRIC = re.compile(r"\s*(?:[✓✗✔✘]\s+)?([A-Za-z_]\w{0,127}(?:\{[^{}]*\})?)\.*:\s+(\S.*)")
_DOTTED = re.compile(r"\s*(?:[✓✗✔✘]\s+)?[A-Za-z_]\w*(?:\{[^{}]*\})?\.{2,}:")
_SUB = re.compile(r"\s+\{ .* \}\.*:\s")
_START = re.compile(r"\s+█ TOTAL RESULTS|\s+execution: (?:local|cloud|distributed)")
_CONTEXT = re.compile(r"\s+(?:█|scenarios:|script:|output:|[✓✗✔✘]\s|↳|\* \S+:)|time=\"|\s+[A-Z][A-Z ]+$")
_NUMBER = r"\d{1,15}(?:\.\d{1,12})?(?:e[+-]\d{1,3})?"
_STATISTIC = re.compile(r"(\w+(?:\([\d.]+\))?)=(\S+)")
_COUNTER = re.compile(rf"({_NUMBER})\s+({_NUMBER})/s", re.ASCII)
_DATA = re.compile(rf"({_NUMBER}) ([kMGT]?B)\s+({_NUMBER}) ([kMGT]?B)/s", re.ASCII)
_OUT_OF = re.compile(r"\d{1,3}\.\d\d%\s+(\d{1,15}) out of (\d{1,15})", re.ASCII)
_MARKS = re.compile(r"\d{1,3}\.\d\d%\s+[✓✔] (\d{1,15})\s+[✗✘] (\d{1,15})")
_GAUGE = re.compile(rf"({_NUMBER})(\s+min=\S+\s+max=\S+)?", re.ASCII)
_TIME = re.compile(rf"({_NUMBER})(ns|us|µs|μs|ms|s)")


class K6Text:
    """The reader of the summary k6 prints."""

    name = "k6-text"
    rule = "lines 'iterations....:' and 'iteration_duration....:'"
    files = "*.txt"
    yields = "throughput, requests, transfer, latency mean, min, max and percentiles, iteration duration, own metrics"
    limits = (
        "percentiles of one run, failed requests among them; three significant digits; neither URL nor script stand "
        "in it; own rates as shares alone; closed loop unless iterations were dropped"
    )
    contains: frozenset[str] = frozenset()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        if "http_reqs" not in head.text and "iterations" not in head.text:
            return "no"
        found = {one.lstrip(" ✓✗").partition(".")[0] for one in head.lines if _DOTTED.match(one)}
        return "certain" if found & {"http_reqs", "iterations"} else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every summary of a file."""
        ledger, load = Ledger(len(file.lines)), Load(file.source, "k6")
        run: K6Run | None = None
        closed = True
        for number, written in enumerate(file.lines, start=1):
            line = written.rstrip()
            if not line:
                continue
            if _START.match(line):
                if run and run.found:
                    closed &= _finish(run, ledger, load)
                    run = None
                ledger.context(number)
                continue
            found = _METRIC.fullmatch(line) if _DOTTED.match(line) else None
            if found and at_open_end(file, number) and line[-1:].isdigit():
                # The values of a metric are of any length, and no other summary stands beside them.
                ledger.problem(number, f"{open_line(line)}; line skipped")
            elif found:
                if run and "iterations" in run.found and _name(found[1]) in run.found:
                    # A summary has each metric once: another run was appended, without what k6 prints before it.
                    closed &= _finish(run, ledger, load)
                    run = None
                run = run or K6Run(number, number)
                run.last = number
                _take(run, number, found[1], found[2], ledger)
            elif _DOTTED.match(line):
                if run:
                    run.damaged = True
                ledger.problem(number, f"'{printable(line.strip(), 60)}' is cut; line skipped")
            elif _SUB.match(line) or _CONTEXT.match(line):
                ledger.context(number)
        if run:
            closed &= _finish(run, ledger, load)
        if not len(load.rows) and not ledger.problems:
            ledger.note(0, "k6 printed no summary with a request; let the run end")
        return load.reading(ledger.counts(), ledger.problems, closed_loop=closed)


def _take(run: K6Run, number: int, metric: str, written: str, ledger: Ledger) -> None:
    name = _name(metric)
    found = _statistics(metric, written)
    if found is None:
        run.damaged |= name in ("checks", "http_req_failed", "http_reqs", "iterations")
        ledger.problem(number, f"'{printable(f'{metric}: {written}', 60)}' is cut or not as k6 prints it; line skipped")
    elif name in run.found:
        ledger.problem(number, f"{printable(metric, 60)} stands twice in one summary; the first was kept")
    else:
        run.found[name] = found
        run.lines[name] = number
        ledger.context(number)


def _name(metric: str) -> str:
    # The newer summary counts the checks that failed on a line of their own.
    return {"checks_failed": "checks"}.get(metric, metric)


def _statistics(metric: str, written: str) -> dict[str, tuple[float, str]] | None:
    """Return what a line says of a metric, None where it cannot be read."""
    written = written.strip()
    if counter := _COUNTER.fullmatch(written):
        return {"count": (float(counter[1]), ""), "rate": (float(counter[2]), "")}
    if data := _DATA.fullmatch(written):
        return {"count": (float(data[1]), data[2]), "rate": (float(data[3]), f"{data[4]}/s")}
    if rate := _OUT_OF.fullmatch(written):
        yes, total = int(rate[1]), int(rate[2])
        return _rate(metric, yes, total - yes)
    if marks := _MARKS.fullmatch(written):
        return _rate(metric, int(marks[1]), int(marks[2]))
    if gauge := _GAUGE.fullmatch(written):
        ends = {one[0]: _quantity(one[1]) for one in _STATISTIC.findall(written)}
        return {"value": (float(gauge[1]), ""), **{key: one for key, one in ends.items() if one}}
    parts = written.split()
    found = {}
    for part in parts:
        one = _STATISTIC.fullmatch(part)
        value = _quantity(one[2]) if one else None
        if one is None or value is None:
            return None
        found[one[1]] = value
    return found


def _rate(metric: str, yes: int, no: int) -> dict[str, tuple[float, str]]:
    """Count the bad outcomes: ``http_req_failed`` and ``checks_failed`` are bad where they are true."""
    bad = yes if metric in ("http_req_failed", "checks_failed") else no
    share = yes / (yes + no) if yes + no else 0.0
    return {"bad": (bad, ""), "rate": (share, "")}


def _quantity(written: str) -> tuple[float, str] | None:
    if found := _TIME.fullmatch(written):
        return float(found[1]), found[2]
    if re.fullmatch(_NUMBER, written, re.ASCII):
        return float(written), ""
    if re.fullmatch(r"(?:\d{1,9}h)?\d{1,9}m(?:\d{1,9}(?:\.\d{1,9})?s)?", written, re.ASCII):
        return parse_duration(written), "s"
    return None


def _finish(run: K6Run, ledger: Ledger, load: Load) -> bool:
    """Keep a run; return whether its loop was closed."""
    # It stands near the end of every layout.
    reason = objection(run) or ("" if "iterations" in run.found else "is cut off: it has no iterations")
    if reason:
        ledger.refuse(run.lines.values())
        ledger.problem(
            run.last, f"the summary that starts at line {run.first} {reason}; its values were not kept; run it again"
        )
    else:
        for metric in keep(run, load):
            ledger.data(run.lines[metric])
    return not is_open(run)
