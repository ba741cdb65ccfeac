"""What ``cargo bench`` prints: criterion's ``time: [low estimate high]`` and libtest's ``bench:`` lines."""

from __future__ import annotations

import re

from benchlib.errors import printable
from benchlib.formats.ledger import Ledger
from benchlib.formats.readers.criterion import task
from benchlib.formats.reading import Certainty, Reading, Rows, TextFile
from benchlib.results import Series

__all__ = ["CriterionText"]

_NUMBER = r"(\d{1,18}(?:\.\d{1,18})?)"
_UNIT = r"([^\s\[\]%]{1,12})"
_TRIPLE = re.compile(
    rf"(?P<name>\S.{{0,400}}?)?\s+(?P<what>time|thrpt):\s+\[{_NUMBER} {_UNIT} {_NUMBER} {_UNIT} {_NUMBER} {_UNIT}\]\s*",
    re.ASCII,
)
_LIBTEST = re.compile(
    r"test (?P<name>\S.{0,400}?)\s+\.\.\. bench:\s+(?P<value>[\d,]{1,24}(?:\.\d{1,9})?) (?P<unit>ns|us|µs|ms|s)/iter"
    r"(?: \(\+/- [\d,.]+\))?(?: = (?P<rate>\d{1,18}) MB/s)?\s*",
    re.ASCII,
)
_CONTEXT = re.compile(
    r"Benchmarking |Found \d+ outliers|\s+\d+ \([\d.]+%\) (?:high|low) |\s+(?:change:|time:|thrpt:)"
    r"|\s+(?:No change|Change within|Performance has)|\s+Running |running \d+ tests?|test result:|\s+Finished "
    r"|\s+Compiling |test .* \.\.\. (?:ok|ignored)|Gnuplot not found|\s+slope |\s+mean |\s+median "
)
_TIMES = {
    "ps": (1e-3, "ns"),
    "ns": (1.0, "ns"),
    "us": (1.0, "us"),
    "µs": (1.0, "µs"),
    "ms": (1.0, "ms"),
    "s": (1.0, "s"),
}
_ELEMENTS = re.compile(r"([KMGT]?)elem/s")
_THOUSANDS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
#: What criterion says of a benchmark it works on: its name, then how far it is.
_ANNOUNCED = re.compile(
    r"Benchmarking (?P<name>\S.*?)(?:: (?P<stage>Warming up|Collecting|Analyzing|Profiling|Complete).*)?\s*"
)
_CUT = re.compile(r"[^%]*\s(?:time|thrpt):\s{2,}\[\d[^%]*|test \S.* \.\.\. bench:.*")
_FAILED = re.compile(r"test (\S.{0,400}?)\s+\.\.\. FAILED\s*")


class CriterionText:
    """The reader of the output of ``cargo bench``."""

    name = "criterion-text"
    rule = "lines 'name  time:   [1.2 ns 1.3 ns 1.4 ns]' or 'test name ... bench: 1,234 ns/iter'"
    files = "*.txt, *.log"
    yields = "one sample a benchmark: criterion's estimate as time, throughput or transfer beside it"
    limits = "no raw samples: target/criterion has them; the interval printed beside the estimate is left out"
    contains = frozenset[str]()
    #: The folder of the same run holds every sample.
    summary = True

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        named = head.mentions("time:", "bench:")
        return "certain" if named and any(_measured(line) for line in head.lines) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read every line of a file."""
        state = _State(file)
        for number, line in enumerate(file.lines, start=1):
            state.line(number, line)
        return state.reading()


def _measured(line: str) -> bool:
    return ("time:" in line and bool(_TRIPLE.fullmatch(line[:1000]))) or (
        "bench:" in line and bool(_LIBTEST.fullmatch(line[:1000]))
    )


class _State:
    def __init__(self, file: TextFile) -> None:
        self.file = file
        self.ledger = Ledger(len(file.lines))
        self.rows = Rows()
        self.configurations: list[dict[str, str]] = []
        self.series: list[Series] = []
        #: The benchmark whose time came last, and a bare line that may be a name too long for its column.
        self.name = ""
        self.alone = (0, "")
        #: The benchmarks that criterion began and has not told a time of, with the line of it.
        self.begun: dict[str, int] = {}

    def line(self, number: int, line: str) -> None:
        cut = line[:1000]
        triple = _TRIPLE.fullmatch(cut) if "[" in cut else None
        libtest = _LIBTEST.fullmatch(cut) if "bench:" in cut else None
        if triple:
            self._criterion(number, triple)
        elif libtest:
            self._libtest(number, libtest)
        elif failed := _FAILED.fullmatch(cut):
            self.ledger.problem(number, f"{printable(failed[1], 60)} failed and gave no result")
            self.series.append(
                Series(kind="failed-benchmark", name=failed[1], source=self.file.source, line=number, data=())
            )
        elif _CUT.fullmatch(cut):
            self.ledger.problem(
                number, f"'{printable(cut.strip(), 60)}' is cut or not as cargo prints it; line skipped"
            )
        elif _CONTEXT.match(cut):
            self._announced(number, cut)
            self.ledger.context(number)
        elif cut.strip() and not cut.startswith(" "):
            self.alone = (number, cut.strip())

    def _announced(self, number: int, line: str) -> None:
        """Take the name of a benchmark that begins; one that is not analysed has no time."""
        if found := _ANNOUNCED.fullmatch(line):
            self.begun.setdefault(found["name"], number)
            if found["stage"] in ("Profiling", "Complete"):
                del self.begun[found["name"]]

    def _criterion(self, number: int, found: re.Match[str]) -> None:
        name, (at, alone) = (found["name"] or "").strip(), self.alone
        value, unit = float(found[5]), found[6]
        if found["what"] == "thrpt":
            self._throughput(number, value, unit)
            return
        if not name and at == number - 1:
            # A long name stands on a line of its own.
            name = alone
            self.ledger.context(at)
        if not name:
            self.ledger.problem(number, "a time without a benchmark before it; line skipped")
            return
        if unit not in _TIMES:
            self.ledger.problem(number, f"'{printable(unit, 20)}' is no unit of time; line skipped")
            return
        self.name = name
        self.begun.pop(name, None)
        benchmark, axes = task(tuple(one for one in name.split("/") if one) or (name,))
        self.configurations.append({"benchmark": benchmark, **axes})
        factor, unit = _TIMES[unit]
        self._add(number, "time", value * factor, f"{unit}/op")

    def _throughput(self, number: int, value: float, unit: str) -> None:
        elements = _ELEMENTS.fullmatch(unit)
        if not self.configurations:
            self.ledger.problem(number, "a throughput without a benchmark before it; line skipped")
        elif elements:
            self._add(number, "throughput", value * _THOUSANDS[elements[1]], "elem/s")
        else:
            self._add(number, "transfer" if unit.endswith("B/s") else None, value, unit)

    def _libtest(self, number: int, found: re.Match[str]) -> None:
        self.name = found["name"]
        self.configurations.append({"benchmark": self.name})
        self._add(number, "time", float(found["value"].replace(",", "")), f"{found['unit']}/op")
        if found["rate"]:
            self._add(number, "transfer", float(found["rate"]), "MB/s")

    def _add(self, number: int, metric: str | None, value: float, unit: str) -> None:
        configuration = len(self.configurations) - 1
        self.rows.add(name=self.name, metric=metric, value=value, unit=unit, line=number, configuration=configuration)
        self.ledger.data(number)

    def reading(self) -> Reading:
        for name, line in self.begun.items():
            shown = f"benchmark '{printable(name, 60)}' was begun and has no time"
            self.ledger.note(line, f"{shown}; was the file cut? run cargo bench again")
        if not len(self.rows) and not self.ledger.problems:
            self.ledger.note(0, "holds no result: cargo bench prints a time for each benchmark")
        return Reading(
            rows=self.rows,
            configurations=list(self.configurations),
            problems=self.ledger.problems,
            lines=self.ledger.counts(),
            series=self.series,
        )
