"""The reader of declared formats: told by ``[[formats]]`` of a ``study.toml``, or by a shipped spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from benchlib.errors import choices, printable
from benchlib.formats.declaration import FormatSpec, Kind
from benchlib.formats.ledger import Ledger, Records
from benchlib.formats.readers.csv_table import cells_of
from benchlib.formats.readers.declared_lines import read_lines
from benchlib.formats.readers.declared_records import read_records
from benchlib.formats.readers.declared_rows import DeclaredRows
from benchlib.formats.reading import Certainty, Reading, TextFile
from benchlib.results import Series

__all__ = ["DeclaredFormat"]


class DeclaredFormat:
    """A reader made from a spec.

    Parameters
    ----------
    spec : FormatSpec

    Examples
    --------
    >>> from benchlib.formats.declaration import spec_of
    >>> spec = spec_of({"name": "log", "files": ["*.log"], "kind": "lines", "unit": "ms",
    ...                 "pattern": "^(?P<benchmark>[a-z]+): (?P<value>[0-9.]+)$", "metric": "time"})
    >>> reading = DeclaredFormat(spec).read(TextFile("a.log", ["starting", "encode: 1.5"]))
    >>> reading.rows.value, reading.lines.data, reading.lines.noise
    ([1.5], 1, 1)
    """

    contains = frozenset[str]()

    def __init__(self, spec: FormatSpec) -> None:
        self.spec = spec
        self.name = spec.name
        self.files = ", ".join(spec.files)
        texts = " and ".join(repr(one) for one in spec.recognise)
        self.rule = f"holds {texts}" if texts else f"named {self.files}"
        self.yields = spec.yields
        self.limits = spec.limits

    def claims(self, source: str) -> bool:
        """Whether a file is of this format by its path or name."""
        return self.spec.claims(source)

    def recognise(self, head: TextFile) -> Certainty:
        """Be certain where every text of the spec stands in the head."""
        if not self.spec.recognise:
            return "no"
        return "certain" if all(one in head.text for one in self.spec.recognise) else "no"

    def read(self, file: TextFile) -> Reading:
        """Read a whole file as the spec says."""
        found, fates = _READERS[self.spec.kind](self.spec, file)
        found.finish()
        reading = self._reading(found, fates, file)
        if self.spec.closed_loop and len(reading.rows):
            told = Series(kind="closed-loop", name=self.name, source=file.source, line=1, data=(self.name,))
            reading.series.append(told)
        return reading

    def _reading(self, found: DeclaredRows, fates: Ledger | Records, file: TextFile) -> Reading:
        problems = fates.problems
        if not len(found.rows) and not problems:
            name = printable(self.name, 40)
            nothing = (
                f"no record is as the format '{name}' says"
                if isinstance(fates, Records)
                else f"nothing in {len(file.lines)} lines is as the format '{name}' says"
            )
            problems = [(0, nothing)]
        return Reading(
            rows=found.rows,
            configurations=found.configurations,
            problems=problems,
            lines=fates.counts(),
            series=[
                Series(kind="failed-benchmark", name=benchmark, source=file.source, line=line, data=())
                for line, benchmark in found.failures
            ],
        )


def _table(spec: FormatSpec, file: TextFile) -> tuple[DeclaredRows, Ledger]:
    found, ledger = DeclaredRows(spec), Ledger(len(file.lines))
    header = list(spec.header)
    for number, line in enumerate(file.lines, 1):
        if not line.strip():
            continue
        if line.lstrip().startswith("#"):
            ledger.context(number)
            continue
        cells = line.split() if not spec.delimiter else cells_of(line, spec.delimiter)
        if cells is None:
            ledger.problem(number, "a quote is left open; close it; line skipped")
            continue
        cells = [one.strip() for one in cells]
        if not header:
            header = cells
            _check_header(spec, ledger, number, header)
            continue
        if cells == header:
            ledger.context(number)
            continue
        if len(cells) != len(header):
            shown = f"{len(cells)} fields where the header has {len(header)}"
            ledger.problem(number, f"{shown}; line skipped")
            continue
        captured = dict(zip(header, cells, strict=True))
        if spec.means(captured):
            found.enter(ledger, number, captured, number, {})
        else:
            ledger.context(number)
    return found, ledger


def _check_header(spec: FormatSpec, ledger: Ledger, number: int, header: list[str]) -> None:
    ledger.context(number)
    wanted = [*(one.source for one in spec.parts), *spec.only, *spec.needs]
    missing = [one for one in dict.fromkeys(wanted) if one not in header]
    if missing:
        ledger.note(number, f"no column '{printable(missing[0], 60)}' in the header; there are {choices(header)}")
    twice = sorted(one for one, times in Counter(header).items() if times > 1 and one in wanted)
    if twice:
        ledger.note(number, f"column '{printable(twice[0], 60)}' stands twice in the header; the last is used")


_READERS: dict[Kind, Callable[[FormatSpec, TextFile], tuple[DeclaredRows, Ledger | Records]]] = {
    "records": read_records,
    "lines": read_lines,
    "table": _table,
}
