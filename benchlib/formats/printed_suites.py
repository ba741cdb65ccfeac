"""What suites print on a console: vitest, divan, Catch2 and pytest-benchmark."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if, number_in
from benchlib.formats.reader import Format, Ledger, Reading, TextFile
from benchlib.formats.suites import _axes_of, _place

#: No suite prints a longer line.
_LONGEST_LINE = 2000
_TIMES = ("ps", "ns", "us", "µs", "μs", "ms", "s")


def _quantity(written: str) -> tuple[float, str]:
    """Return the number and unit of a printed time."""
    number, _, unit = written.strip().replace(",", "").partition(" ")
    value = number_in(number)
    if value is None or unit not in _TIMES:
        raise DataError(f"'{printable(written.strip(), 40)}' is no time")
    return value, unit


def _is_coarse(written: str) -> bool:
    """Whether fixed decimals left fewer than two significant digits: 0.0001 may be anything up to twice that."""
    return "." in written and len(written.replace(".", "").lstrip("0")) < 2


class _Printed(Collector):
    """What is collected of a file that is read line by line."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.source, Ledger(len(file.lines)))

    def take(self, line: str) -> Outcome:
        """Take one filled line."""
        raise NotImplementedError

    def read(self, line: str) -> Outcome:
        """Take a line that a suite may have printed."""
        return self.take(line) if line.strip() and len(line) <= _LONGEST_LINE else "noise"


def _reader(kind: Callable[[TextFile], _Printed], wanted: str) -> Callable[[TextFile], Reading]:
    def read(file: TextFile) -> Reading:
        printed = kind(file)
        printed.each(enumerate(file.lines, 1), printed.read, "line skipped")
        return printed.finish(wanted=wanted)

    return read


# vitest bench: a row for each benchmark below a head, times in milliseconds.


_VITEST_HEAD = ("name", "hz", "min", "max", "mean", "p75", "p99", "p995", "p999", "rme", "samples")
_VITEST_METRICS = (
    ("throughput", "op/s"), ("time_min", "ms"), ("time_max", "ms"), ("time", "ms/op"), ("time_p75", "ms"),
    ("time_p99", "ms"), ("time_p99.5", "ms"), ("time_p99.9", "ms"),
)  # fmt: skip
_VITEST_FILE = re.compile(
    r"\s*[^\w\s]\s+(?P<file>\S+\.[cm]?[jt]sx?)\b(?: > (?P<suite>[^()]+?))?(?: \(\d+\))?(?: \d+m?s)?\s*"
)
_VITEST_SUITE = re.compile(r"\s*[^\w\s]\s+(?P<suite>[^()]+) \(\d+\)(?: \d+m?s)?\s*")


def _is_vitest_head(line: str) -> bool:
    return tuple(line[:_LONGEST_LINE].split()) == _VITEST_HEAD


class _Vitest(_Printed):
    def __init__(self, file: TextFile) -> None:
        super().__init__(file)
        self.place: dict[str, str] = {}
        self.below_head = False

    def take(self, line: str) -> Outcome:
        if _is_vitest_head(line):
            self.below_head = True
            return "context"
        tokens = line.split()
        while tokens and tokens[-1] in ("fastest", "slowest"):
            tokens.pop()
        if self.below_head and len(tokens) > 10 and tokens[-2].startswith("±"):
            self._keep(line, tokens)
            return "data"
        self.below_head = self.below_head and "±" in line
        if match := _VITEST_FILE.fullmatch(line):
            self.place = {key: printable(text, 200) for key, text in match.groupdict().items() if text}
        elif match := _VITEST_SUITE.fullmatch(line):
            self.place = {**self.place, "suite": printable(match["suite"], 200)}
        else:
            return "noise"
        return "context"

    def _keep(self, line: str, tokens: list[str]) -> None:
        # A sign stands before the name.
        name = " ".join(tokens[1:-10] if len(tokens[0]) == 1 and not tokens[0].isalnum() else tokens[:-10])
        written = [text.replace(",", "") for text in tokens[-10:-2]]
        samples = number_in(tokens[-1])
        self.configure({"benchmark": printable(name, 200), **self.place})
        for (metric, unit), text in zip(_VITEST_METRICS, written, strict=True):
            value = number_in(text)
            if value is None:
                raise DataError(f"no {metric} in '{printable(line.strip(), 60)}'")
            if metric == "throughput" or not _is_coarse(text):
                self.hold(name, metric, value, unit, iterations=samples)


VITEST = Format(
    name="vitest-text",
    rule="a line 'name hz min max mean p75 p99 p995 p999 rme samples'",
    yields="throughput, and mean, extremes and percentiles of time, of each benchmark; file and suite as axes",
    limits="raw samples; the margin of error; times of fewer than two significant digits, for which throughput stands",
    documentation="https://vitest.dev/guide/features#benchmarking",
    recognise=lambda head: certain_if(any(map(_is_vitest_head, head.lines))),
    read=_reader(_Vitest, "vitest bench prints a row for each benchmark"),
)


# divan: a tree of benchmarks with columns between bars.


_DIVAN_HEAD = re.compile(r"\S.*?\s+fastest\s+│ slowest\s+│ median\s+│ mean\s+│ samples\s+│ iters\s*")
_DIVAN_METRICS = ("time_min", "time_max", "time", "time_mean")
_BRANCH = re.compile(r"(?P<above>[│ ]{0,120})[├╰]─ (?P<label>.*)")


class _Divan(_Printed):
    def __init__(self, file: TextFile) -> None:
        super().__init__(file)
        #: Where the cells begin, below a head.
        self.start = 0
        self.path: list[str] = []

    def take(self, line: str) -> Outcome:
        if _DIVAN_HEAD.fullmatch(line):
            self.start, self.path = line.index("fastest"), []
            return "context"
        if not self.start or line[:1] not in "│├╰ ":
            return "noise"
        branch = _BRANCH.fullmatch(line[: self.start])
        if branch is None:
            # Throughput, counters and allocations of the benchmark above.
            return "context"
        depth = len(branch["above"]) // 3
        self.path = [*self.path[:depth], printable(branch["label"].strip(), 100)]
        cells = [cell.strip() for cell in line[self.start :].split("│")]
        if not any(cells) or cells == ["(ignored)"]:
            return "context"
        if len(cells) != 6:
            raise DataError(f"{len(cells)} columns where divan prints 6")
        argument = self.path[-1] if len(self.path) > 1 and self.path[-1].lstrip("-").isdigit() else ""
        name = "/".join(self.path[:-1] if argument else self.path)
        self.configure({"benchmark": name, **({"argument": argument} if argument else {})})
        for metric, cell in zip(_DIVAN_METRICS, cells, strict=False):
            value, unit = _quantity(cell)
            self.hold(name, metric, value, f"{unit}/op" if metric == "time" else unit, iterations=number_in(cells[5]))
        return "data"


DIVAN = Format(
    name="divan",
    rule="a line '... fastest │ slowest │ median │ mean │ samples │ iters'",
    yields="median, mean and extremes of time of each benchmark; a numeric argument as axis",
    limits="raw samples; throughput, counters and allocations below a row",
    documentation="https://github.com/nvzqz/divan",
    recognise=lambda head: certain_if(any(_DIVAN_HEAD.fullmatch(line[:_LONGEST_LINE]) for line in head.lines)),
    read=_reader(_Divan, "divan prints a row for each benchmark"),
)


# Catch2 on a console: three lines a benchmark; a name too long for its column stands on lines above.


_CATCH2_HEAD = re.compile(r"benchmark name\s+samples\s+iterations\s+est(?:imated| run time)\s*")
_CATCH2_ROW = re.compile(r"(?P<samples>\d{1,12})\s+(?P<iterations>\d{1,12})\s+\d[\d.]{0,20} \w{1,3}\s*$")
_CATCH2_TIMES = re.compile(r"\s+" + r"\s+".join([r"(\d[\d.]{0,20} \w{1,3})"] * 3) + r"\s*")


class _Catch2(_Printed):
    def __init__(self, file: TextFile) -> None:
        super().__init__(file)
        self.below_head = False
        self.name: list[str] = []
        self.iterations = 0.0
        #: The metrics that the next lines hold.
        self.metrics: list[tuple[str, str]] = []

    def take(self, line: str) -> Outcome:
        if _CATCH2_HEAD.fullmatch(line):
            self.below_head, self.name = True, []
            return "context"
        if not self.below_head or set(line.strip()) <= {"-", ".", "="}:
            self.name = []
            return "noise"
        if self.metrics:
            return self._take_times(line)
        row = _CATCH2_ROW.search(line)
        if row is None:
            self.name = [*self.name[-5:], line.strip()] if not line.startswith(" ") else self.name
            return "noise"
        self.name.append(line[: row.start()].strip())
        self.configure({"benchmark": printable(" ".join(filter(None, self.name)), 200)})
        self.iterations, self.name = float(row["iterations"]), []
        self.metrics = [("time_stdev", ""), ("time", "/op")]
        return "context"

    def _take_times(self, line: str) -> Outcome:
        metric, below = self.metrics.pop()
        match = _CATCH2_TIMES.fullmatch(line)
        if match is None:
            self.metrics = []
            raise DataError(f"'{printable(line.strip(), 60)}' is no {metric} with its bounds, as Catch2 prints it")
        value, unit = _quantity(match[1])
        self.hold(str(self.configurations[-1]["benchmark"]), metric, value, unit + below, iterations=self.iterations)
        return "data"


CATCH2 = Format(
    name="catch2-text",
    rule="a line 'benchmark name samples iterations est run time'",
    yields="mean time of each benchmark and its standard deviation",
    limits="raw samples; the intervals that stand beside mean and deviation; the test case",
    documentation="https://github.com/catchorg/Catch2/blob/devel/docs/benchmarks.md",
    recognise=lambda head: certain_if(any(_CATCH2_HEAD.fullmatch(line[:_LONGEST_LINE]) for line in head.lines)),
    read=_reader(_Catch2, "Catch2 prints three lines for each benchmark"),
)


# pytest-benchmark on a console: a row a test below a head, and behind each number how many times the best it is.


_PYTEST_HEAD = re.compile(r"Name \(time in (?P<unit>ns|us|ms|s)\)\*? +(?P<columns>\S.*)")
_PYTEST_COLUMN = re.compile(r"(Min|Max|Mean|StdDev|Median|IQR|Outliers|OPS|Rounds|Iterations)(?: \([MK]?ops/s\))?")
_PYTEST_METRICS = {
    "Median": "time", "Min": "time_min", "Max": "time_max", "Mean": "time_mean", "StdDev": "time_stdev",
}  # fmt: skip
_PYTEST_CELL = re.compile(r"(\d{1,9};\d{1,9}|[\d,.]{1,40}|inf|nan)(?: \([\d,.]{1,40}\)| \(inf\)| \(nan\))?")


class _Pytest(_Printed):
    def __init__(self, file: TextFile) -> None:
        super().__init__(file)
        self.unit = ""
        self.columns: list[str] = []

    def take(self, line: str) -> Outcome:
        if head := _PYTEST_HEAD.fullmatch(line.rstrip()):
            self.unit, self.columns = head["unit"], _PYTEST_COLUMN.findall(head["columns"])
            return "context"
        if not self.columns or not line.strip("- \t"):
            return "noise"
        if line.startswith(("Legend:", "(*) ")):
            self.columns = []
            return "noise"
        name, *cells = re.split(r" {2,}", line.strip())
        # A number may touch its neighbour's factor with one space alone.
        words = [match[1] for cell in cells for match in _PYTEST_CELL.finditer(cell)]
        if len(words) != len(self.columns):
            if " (" in name or not cells:
                return "noise"
            raise DataError(f"{len(words)} numbers where the head names {len(self.columns)}")
        self._keep(name, dict(zip(self.columns, words, strict=True)))
        return "data"

    def _keep(self, name: str, cells: dict[str, str]) -> None:
        parameter = re.search(r"\[([^\[\]]{1,100})\]$", name)
        self.configure({**_place(name), **_axes_of({"param": parameter[1] if parameter else None})})
        # Mean stands for a median that was not asked for.
        metrics = _PYTEST_METRICS if "Median" in cells else {**_PYTEST_METRICS, "Mean": "time"}
        for column, metric in metrics.items():
            written = cells.get(column, "").replace(",", "")
            value = number_in(written)
            if value is not None and not _is_coarse(written):
                self.hold(name, metric, value, f"{self.unit}/op" if metric == "time" else self.unit)


PYTEST_BENCHMARK = Format(
    name="pytest-benchmark-text",
    rule="a line 'Name (time in us)  Min  Max ...'",
    yields="median time of each test, mean, deviation and extremes; what stands in brackets as axis",
    limits="rounds, which the JSON has; times of fewer than two significant digits",
    documentation="https://pytest-benchmark.readthedocs.io",
    recognise=lambda head: certain_if(
        any(_PYTEST_HEAD.fullmatch(line[:_LONGEST_LINE].rstrip()) for line in head.lines)
    ),
    read=_reader(_Pytest, "pytest-benchmark prints a row for each test"),
)

READERS = (VITEST, DIVAN, CATCH2, PYTEST_BENCHMARK)
