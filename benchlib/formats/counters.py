"""Linux perf: the counters of `perf stat`.

References
----------
Linux, `tools/perf/util/stat-display.c` (columns, and `+-` in percent of the mean of several runs) and
`tools/perf/Documentation/perf-stat.txt`. Numbers are written as the locale of the machine groups them.
"""

from __future__ import annotations

import re

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if, number_in
from benchlib.formats.json_text import _pick, parse_text
from benchlib.formats.reader import Format, Ledger, Reading, TextFile, _at_open_end, open_line

_START = re.compile(r"\s*Performance counter stats for (?P<subject>.{1,1000}?)(?: \((?P<runs>[0-9]{1,9}) runs\))?:\s*")
#: Digits, and what parts them: blanks of several widths, points, commas, apostrophes.
_GROUPS = " \u00a0\u202f\u2009.,'\u2019"
_NUMBER = rf"(?P<number>[0-9][0-9{_GROUPS}]{{0,60}})"
_UNITS = {"msec": "ms", "ns": "ns", "seconds": "s", "Joules": "J", "MiB": "MiB", "KiB": "KiB", "Bytes": "B"}
_COUNTER = re.compile(
    rf"\s*{_NUMBER}\s+(?:(?P<unit>msec|ns|Joules|MiB|KiB|Bytes)\s+)?(?P<event>[A-Za-z_][^\s#]{{0,200}}|\{{[^\s#]{{1,200}})"
    r"(?P<rest>\s.*)?"
)
_MISSING = re.compile(r"\s*<not (?P<what>supported|counted)>\s+(?P<event>\S{1,200}).*")
_ELAPSED = re.compile(rf"\s*{_NUMBER}(?:\s*\+-\s*[0-9{_GROUPS}]+)?\s*seconds (?P<what>time elapsed|user|sys)\b.*")
_LONGEST = 2000
_TIMES = {"time elapsed": "time", "user": "user_time", "sys": "system_time"}
_DERIVED = re.compile(r"\s*(?:#.*|\([^)]*\)\s*|[0-9.,]+\s+%.*)?")
_GROUPED = re.compile(rf"[0-9]{{1,3}}(?:([{_GROUPS}])[0-9]{{3}})(?:\1[0-9]{{3}})*")


def number_of(written: str, unit: str) -> float:
    """Return a number as a locale wrote it.

    A count is whole, so that all its marks part thousands. Times and other scaled numbers have decimals behind their
    last point or comma: two, or of seconds up to nine.
    """
    text = written.strip()
    if not unit or unit == "ns":
        if text.isdecimal() or _GROUPED.fullmatch(text):
            return float(re.sub(r"\D", "", text))
        raise DataError(f"'{printable(text, 40)}' is no whole number")
    mark = max(text.rfind("."), text.rfind(","))
    whole, decimals = (text[:mark], text[mark + 1 :]) if mark >= 0 else (text, "")
    if not (whole.isdecimal() or _GROUPED.fullmatch(whole)) or not (decimals.isdecimal() or mark < 0):
        raise DataError(f"'{printable(text, 40)}' is no number")
    value = number_in(re.sub(r"\D", "", whole) + (f".{decimals}" if decimals else ""))
    if value is None:
        raise DataError(f"'{printable(text, 40)}' is no number")
    return value


class _Counters(Collector):
    """The reading of one such file, line by line."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))
        self.file = file
        self.subject = ""
        self.runs: float | None = None

    def read(self) -> Reading:
        """Read every line."""
        self.each(enumerate(self.file.lines, 1), self.take, "line skipped")
        return self.finish(wanted="perf stat writes 'Performance counter stats for' and a line for each counter")

    def take(self, line: str) -> Outcome:
        """Take one line."""
        if start := _START.fullmatch(line):
            self.subject = start["subject"].strip().strip("'")
            self.runs = number_in(start["runs"]) if start["runs"] else None
            self.configure({"benchmark": self.subject})
            return "context"
        if not self.configurations or len(line) > _LONGEST:
            return "noise"
        if missing := _MISSING.fullmatch(line):
            self.note(f"{printable(missing['event'], 60)} was not {missing['what']}; it has no value")
            return "context"
        elapsed = _ELAPSED.fullmatch(line)
        counter = None if elapsed else _COUNTER.fullmatch(line)
        if elapsed is None and counter is None:
            if line.strip() and not _DERIVED.fullmatch(line) and line[:1].isspace() and line.strip()[:1].isdigit():
                raise DataError(f"'{printable(line.strip(), 60)}' is no counter")
            return "noise" if not line.strip() or not _DERIVED.fullmatch(line) else "context"
        if _at_open_end(self.file, self.entry):
            raise DataError(open_line(line))
        if elapsed:
            value = number_of(elapsed["number"], "seconds")
            self.hold(self.subject, _TIMES[elapsed["what"]], value, "s/op", iterations=self.runs)
        elif counter:
            unit = counter["unit"] or ""
            value = number_of(counter["number"], unit)
            event = counter["event"].strip("{}")
            self.hold(self.subject, printable(event, 60), value, _UNITS.get(unit, unit), iterations=self.runs)
        return "data"


# The same for programs: `-x` with a separator of choice, `-j` with an object a line. Neither names the command.


_SEPARATED = re.compile(
    r"(?P<value><not [a-z]+>|[0-9]{1,30}(?:[.,][0-9]{1,30})?)(?P<mark>[,;|\t])(?P<unit>[A-Za-z]{0,20})(?P=mark)"
    r"(?P<event>[A-Za-z_][^,;|\t]{0,200})(?P=mark)(?:[0-9.]{1,30}%(?P=mark))?[0-9]{1,20}(?P=mark)[0-9.]{1,10}"
    r"(?:(?P=mark).*)?"
)
_VALUE, _EVENT = '"counter-value"', '"event"'


def _separated(line: str) -> tuple[str, str, str] | None:
    """Return value, unit and event of a line for programs; None where it is none."""
    if line.startswith("{"):
        root = parse_text(line).root if _VALUE in line and _EVENT in line else None
        value, unit, event = (_pick(root, (key,)) for key in ("counter-value", "unit", "event"))
        return (value, str(unit or ""), event) if isinstance(value, str) and isinstance(event, str) else None
    match = _SEPARATED.fullmatch(line) if len(line) <= _LONGEST else None
    # With a comma between its columns no number has another.
    return (match["value"], match["unit"], match["event"]) if match else None


def _read_separated(file: TextFile) -> Reading:
    """Read each line as one counter."""
    build = Collector(file.source, Ledger(len(file.lines)))
    build.configure({})

    def read(line: str) -> Outcome:
        cells = _separated(line)
        if cells is None:
            return "context" if line.startswith("#") else "noise"
        written, unit, event = cells
        if _at_open_end(file, build.entry) and not line.endswith("}"):
            raise DataError(open_line(line))
        if written.startswith("<"):
            build.note(f"{printable(event, 60)} was {printable(written.strip('<>'), 40)}; it has no value")
            return "context"
        value = number_in(written.replace(",", "."), event)
        if value is None:
            raise DataError(f"{printable(event, 60)} has no number")
        build.hold("", printable(event, 60), value, _UNITS.get(unit, unit))
        return "data"

    build.each(enumerate(file.lines, 1), read, "line skipped")
    return build.finish(wanted="perf stat writes a line for each counter")


def _are_counters(head: TextFile) -> bool:
    return any(map(_START.fullmatch, head.lines)) or any(map(_separated, head.top.split("\n")))


def _read_counters(file: TextFile) -> Reading:
    return _Counters(file).read() if any(map(_START.fullmatch, file.lines)) else _read_separated(file)


COUNTERS = Format(
    name="perf-stat",
    rule="a line 'Performance counter stats for', or the lines of -x and -j",
    yields="each counter, time elapsed, user and system time, as mean over the runs (-r)",
    limits="spread over runs; ratios behind '#', which follow from the counters; counters for each processor (-A, -I)",
    contains=frozenset({"csv", "json-rows"}),
    recognise=lambda head: certain_if(_are_counters(head)),
    read=_read_counters,
)


READERS = (COUNTERS,)
