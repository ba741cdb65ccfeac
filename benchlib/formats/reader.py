"""What a reader is given and what it gives back.

A reader turns the text of one file into columns: nothing per row is an object, so that a million
rows cost the bytes of their numbers and no more. Units are left as written; `benchlib.formats.table`
converts them once for all readers.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import nan
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from benchlib.errors import printable
from benchlib.results import LineCounts, Series

#: How sure a reader is that a file is its own: two ``certain`` readers are an error.
Certainty = Literal["certain", "possible", "no"]


class TextFile:
    r"""A file as text: decoded, without byte-order mark, colours or carriage returns.

    It is made from its lines, its whole text or its bytes; the others are made when they are asked for,
    because a list of a million lines takes more time and memory than readers of long files can spare.

    Parameters
    ----------
    source : str
        The path to show, relative to what the user named.
    lines : list of str, optional
    text : str, optional
        The lines joined by line ends, without a line end after the last.
    utf8 : bytes, optional
        The same, encoded, and there may be a line end after the last line.
    open_end : bool
        Whether the last line has no line end in the bytes of the file; bytes say it themselves.

    Attributes
    ----------
    open_end : bool
        The last line may have been cut: `benchlib.formats.reader` says what is done about it.

    Examples
    --------
    >>> TextFile("run.txt", text="goos: linux\nPASS").lines
    ['goos: linux', 'PASS']
    """

    __slots__ = ("_first", "_lines", "_text", "_utf8", "open_end", "source")

    def __init__(
        self,
        source: str,
        lines: list[str] | None = None,
        *,
        text: str | None = None,
        utf8: bytes | None = None,
        open_end: bool = False,
    ) -> None:
        self.source = source
        self.open_end = open_end if utf8 is None else not utf8.endswith(b"\n")
        self._lines = lines
        self._text = text
        self._utf8 = utf8
        self._first: str | None = None

    @property
    def lines(self) -> list[str]:
        """Every line without its line end; line 1 is ``lines[0]``."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines

    @property
    def text(self) -> str:
        """The lines joined by line ends."""
        if self._text is None:
            if self._lines is None and self._utf8 is not None:
                self._text = self._utf8.removesuffix(b"\n").decode("utf-8", "surrogatepass")
            else:
                self._text = "\n".join(self._lines or ())
        return self._text

    @property
    def first(self) -> str:
        """The first line that is not blank; empty where there is none."""
        if self._first is None:
            self._first = next((line for line in self.lines if line.strip()), "")
        return self._first

    @property
    def top(self) -> str:
        """The first three lines that are not blank."""
        return "\n".join(islice((line for line in self.lines if line.strip()), 3))

    def mentions(self, *words: str) -> bool:
        """Say whether the file holds one of some texts, which is faster than a look at every line."""
        return any(map(self.text.__contains__, words))

    @property
    def utf8(self) -> bytes:
        """The lines as bytes, each with its line end; only the last may lack it."""
        if self._utf8 is None:
            # Another line end: else an empty last line would be lost.
            self._utf8 = self.text.encode("utf-8", "surrogatepass") + b"\n"
        return self._utf8


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one reader found in one file.

    Attributes
    ----------
    rows : Rows
    configurations : list of mapping
        Axes that the content states (config lines, table columns): axis name to text or number.
        The reserved keys ``run`` and ``benchmark`` fill those columns instead of an axis.
    problems : list of (line, message)
        Line 0 speaks of the whole file.
    lines : LineCounts
        Each line (or record) of the file counted exactly once.
    contains : tuple of str
        Names of other formats whose content stood in the file and was passed over or read.
    series : list of Series
    """

    rows: Rows
    configurations: list[Mapping[str, Any]]
    problems: list[tuple[int, str]]
    lines: LineCounts
    contains: tuple[str, ...] = ()
    series: list[Series] = field(default_factory=list)


class Reader(Protocol):
    """One raw format.

    Attributes
    ----------
    name : str
        Short name, shown by ``benchlib inspect``: ``"go-bench"``.
    rule : str
        How a file is recognised, in one line, for the error that nothing was.
    contains : frozenset of str
        Names of formats that this one's files may hold as well: between two ``certain`` readers
        the one that declares the other wins.
    yields, limits : str
        For the table of formats: what it gives, what it cannot tell.
    """

    name: str
    rule: str
    contains: frozenset[str]
    yields: str
    limits: str

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        ...

    def read(self, file: TextFile) -> Reading:
        """Read a whole file; never raise for a bad line, record it as a problem."""
        ...


@dataclass(slots=True, kw_only=True)
class Format:
    """A reader made of two functions: what most formats need; the attributes are those of `Reader`, and more.

    Attributes
    ----------
    documentation : str
        Address of the format's description, where no file of the tool itself was tried.
    summary : bool
        Whether such a file is made from another of the same run, which holds every value.
    derived : bool
        Whether such a file was made from results that may lie beside it: it is read only where none do.
    beside : str
        Where a file holds no result by itself: what it belongs beside.
    """

    name: str
    rule: str
    yields: str
    limits: str
    recognise: Callable[[TextFile], Certainty]
    read: Callable[[TextFile], Reading]
    contains: frozenset[str] = frozenset()
    documentation: str = ""
    summary: bool = False
    derived: bool = False
    beside: str = ""


# Rows of a reading: measured values, column by column. Nothing per row is an object: a text is the code of its level,
# so that a million rows of one benchmark hold its name once, and a number takes its eight bytes.


class Words(Sequence[Any]):
    """A column of texts by the codes of their levels; None is a level too."""

    __slots__ = ("codes", "levels")

    def __init__(self) -> None:
        #: Each text and its code, in the order they came.
        self.levels: dict[Any, int] = {}
        self.codes = array("i")

    def append(self, text: str | None) -> None:
        """Append one text."""
        self.codes.append(self.levels.setdefault(text, len(self.levels)))

    def extend(self, levels: Sequence[str | None], codes: npt.NDArray[np.integer[Any]]) -> None:
        """Append texts by their codes into some levels, each of which occurs."""
        mine = [self.levels.setdefault(level, len(self.levels)) for level in levels]
        if mine and len(codes):
            self.codes.frombytes(np.asarray(mine, dtype=np.int32)[codes].data.cast("B"))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: Any) -> Any:
        return list(self)[place]

    def __iter__(self) -> Iterator[Any]:
        return map(list(self.levels).__getitem__, self.codes)


class Rows:
    """Measured values, column by column; entry i of each column belongs to value i.

    Attributes
    ----------
    name, unit : Words
        As written in the file.
    metric : Words
        Name of the metric, or None to take the one its unit stands for (``ns/op`` is ``time``).
    value : array of float
    iterations, errors : array of float
        Operations, and failed operations, behind the value; NaN where the file does not say.
    line, configuration : array of int
        The configuration is an index into `Reading.configurations`.
    """

    __slots__ = ("configuration", "errors", "iterations", "line", "metric", "name", "unit", "value")

    def __init__(self) -> None:
        self.name, self.metric, self.unit = Words(), Words(), Words()
        self.value, self.iterations, self.errors = array("d"), array("d"), array("d")
        self.line, self.configuration = array("i"), array("i")

    def add(
        self,
        *,
        name: str,
        value: float,
        unit: str,
        line: int,
        configuration: int,
        metric: str | None = None,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Append one value."""
        self.name.append(name)
        self.metric.append(metric)
        self.value.append(value)
        self.unit.append(unit)
        self.iterations.append(nan if iterations is None else iterations)
        self.errors.append(nan if errors is None else errors)
        self.line.append(line)
        self.configuration.append(configuration)

    def extend(self, other: Rows, configurations: int) -> None:
        """Append the rows of another reading, behind whose configurations its own come."""
        for words in ("name", "metric", "unit"):
            theirs: Words = getattr(other, words)
            getattr(self, words).extend(list(theirs.levels), np.asarray(theirs.codes))
        for numbers in ("value", "iterations", "errors", "line"):
            getattr(self, numbers).extend(getattr(other, numbers))
        self.configuration.extend(configuration + configurations for configuration in other.configuration)

    def __len__(self) -> int:
        return len(self.line)


# What became of each line of a file, or of each record of a structured one.

_Fate = Literal["data", "context", "problem", "noise"]
_FATES: tuple[_Fate, ...] = get_args(_Fate)


class Ledger:
    """What became of each line of a file, and the problems met on the way.

    A reader enters every line that it understands; what is never entered is noise. Because a line holds one entry, the
    counts always add up to the length of the file, whatever the file looks like.

    Parameters
    ----------
    lines : int
        Number of lines in the file, which are numbered from 1.

    Examples
    --------
    >>> ledger = Ledger(3)
    >>> ledger.data(1)
    >>> ledger.problem(2, "not a number")
    >>> ledger.reading(Rows(), []).lines
    LineCounts(data=1, context=0, problem=1, noise=1)
    """

    __slots__ = ("_fates", "_problems")
    _first = 1

    def __init__(self, lines: int) -> None:
        self._fates: list[_Fate] = ["noise"] * lines
        self._problems: list[tuple[int, str]] = []

    def data(self, entry: int) -> None:
        """Enter a line whose values were kept."""
        self._fates[entry - self._first] = "data"

    def context(self, entry: int) -> None:
        """Enter a line that says what was measured, or repeats what another line says."""
        self._fates[entry - self._first] = "context"

    def problem(self, entry: int, message: str) -> None:
        """Enter a line that should have been a result and is not; line 0 speaks of the whole file."""
        if entry >= self._first:
            self._fates[entry - self._first] = "problem"
        self.note(entry, message)

    def note(self, entry: int, message: str) -> None:
        """Record a problem with part of a line whose other values stand."""
        self._problems.append((self.line(entry), message))

    def refuse(self, entries: Iterable[int]) -> None:
        """Enter lines whose values were understood and then given up."""
        for entry in entries:
            self._fates[entry - self._first] = "problem"

    def whole(self, problems: Iterable[tuple[int, str]]) -> None:
        """Record problems, each with its line, that belong to no entry."""
        self._problems.extend(problems)

    def line(self, entry: int) -> int:
        """Return the line of an entry."""
        return entry

    @property
    def problems(self) -> list[tuple[int, str]]:
        """The problems in the order of their lines."""
        return sorted(self._problems, key=lambda problem: problem[0])

    def unclaimed(self, file: TextFile) -> TextFile:
        """Return the file with every entered line emptied, for the reader of another format."""
        pairs = zip(file.lines, self._fates, strict=True)
        left = [line if fate == "noise" else "" for line, fate in pairs]
        return TextFile(file.source, left, open_end=file.open_end)

    def reading(
        self,
        rows: Rows,
        configurations: list[Mapping[str, Any]],
        series: Iterable[Series] = (),
        contains: tuple[str, ...] = (),
    ) -> Reading:
        """Return what was read, with the account of every line and the problems."""
        return Reading(
            rows=rows,
            configurations=configurations,
            problems=self.problems,
            lines=LineCounts(**{fate: self._fates.count(fate) for fate in _FATES}),
            contains=contains,
            series=list(series),
        )


class Records(Ledger):
    """What became of each record of a structured file; records are numbered from 0.

    Parameters
    ----------
    lines : sequence of int
        The line on which each record starts, as `Document.lines` gives them.
    """

    __slots__ = ("_lines",)
    _first = 0

    def __init__(self, lines: Sequence[int]) -> None:
        super().__init__(len(lines))
        self._lines = list(lines)

    def line(self, entry: int) -> int:
        """Return the line on which a record starts."""
        return self._lines[entry]


def _joined(readings: Sequence[Reading], *, total: int | None = None) -> Reading:
    """Join what was read of one file: of each of its documents, or by two readers, each among the lines it knows."""
    first, *others = readings
    for reading in others:
        first.rows.extend(reading.rows, len(first.configurations))
        first.configurations.extend(reading.configurations)
        said = [(series.kind, series.data) for series in first.series if series.kind in _OF_THE_FILE]
        first.series.extend(series for series in reading.series if (series.kind, series.data) not in said)
    counts = {fate: sum(getattr(reading.lines, fate) for reading in readings) for fate in _FATES}
    if total is not None:
        counts["noise"] = total - counts["data"] - counts["context"] - counts["problem"]
    return Reading(
        rows=first.rows,
        configurations=first.configurations,
        problems=[problem for reading in readings for problem in reading.problems],
        lines=LineCounts(**counts),
        contains=tuple(dict.fromkeys(name for reading in readings for name in reading.contains)),
        series=first.series,
    )


#: Series about the whole file; each is added once.
_OF_THE_FILE = ("closed-loop", "rounded")


# Whether the last line of a file was cut: one rule for every reader of lines.
#
# Tools end each line they write. A last line without a line end is *open*: a full disk, a killed writer or
# `head -c` may have cut it in the middle of a number, and `4` of `43526` is a number too. But an editor
# or a copy from a terminal may have left out nothing but the line end. So an open last line is read where its
# own shape shows that it is whole, and is a problem elsewhere:
#
# - a line that ends in what its tool always writes last (a bracket, a unit, a fixed number of decimals) is whole;
# - a line that ends in a number is whole if the number is shaped like those that stood at this place in lines
#   before (`may_be_cut`); without such lines nobody can tell, and it is a problem;
# - a line of fewer columns, of another unit or another set of metrics than the lines before is a problem.


def _at_open_end(file: TextFile, number: int) -> bool:
    """Say whether a line (from 1) is the last one and has no line end."""
    return file.open_end and number == len(file.lines)


def open_line(line: str) -> str:
    """Return the message about an open last line that is not read."""
    shown = printable(line.strip(), 60)
    return f"the last line has no end: was the file cut? if '{shown}' is whole, end it with a line end"


def may_be_cut(written: str, before: Sequence[str]) -> bool:
    """Say whether a number at the open end of a file may have lost digits.

    Where every number before has the same decimals, it must have them too: a cut takes decimals first. Else
    it must be as long as the one next to it.
    """
    if not before:
        return True
    decimals = {_decimals(text) for text in before}
    if len(decimals) == 1 and 0 not in decimals and all("e" not in text.lower() for text in [written, *before]):
        return _decimals(written) not in decimals
    return len(written) < len(before[-1])


def _cut_row(row: Sequence[str], before: Sequence[Sequence[str] | None]) -> bool:
    """Say whether a row at the open end of a table, with as many cells as its header, may have been cut.

    It ends in its last cell: empty where those above are, a word they hold, or a number like theirs.
    """
    last, above = row[-1].strip(), [text[-1].strip() for text in before if text and len(text) == len(row)]
    if not last:
        return any(_is_number(text) for text in above[-1:])
    if not _is_number(last):
        return last not in above
    return may_be_cut(last, [text for text in above if _is_number(text)])


def _is_number(written: str) -> bool:
    return written[-1:].isdigit() and written[:1] in "+-.0123456789"


def _decimals(written: str) -> int:
    return len(written.strip().partition(".")[2])


# Words from structured files, fit for a cell: JSON lets a name hold what no line of text can.


_ENDS = re.compile(r"[ \t]*[\r\n\0\v\f\x1c-\x1e\x85\u2028\u2029]+[ \t]*")


def _one_line(text: str) -> str:
    """Return a text on one line: each run of line ends becomes a blank."""
    return _ENDS.sub(" ", text) if not text.isprintable() else text
