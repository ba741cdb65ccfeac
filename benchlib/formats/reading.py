"""What a reader is given and what it gives back.

A reader turns the text of one file into columns: nothing per row is an object, so that a million
rows cost a million list entries and no more. Units are left as written; `benchlib.formats.table`
converts them once for all readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from benchlib.results import LineCounts, Series

__all__ = ["Certainty", "Reader", "Reading", "Rows", "TextFile"]

#: How sure a reader is that a file is its own: two ``certain`` readers are an error.
Certainty = Literal["certain", "possible", "no"]


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as text: decoded, without byte-order mark, colours or carriage returns.

    Attributes
    ----------
    source : str
        The path to show, relative to what the user named.
    lines : list of str
        Every line without its line end; line 1 is ``lines[0]``.
    """

    source: str
    lines: list[str]


@dataclass(slots=True)
class Rows:
    """Measured values, column by column; entry i of each list belongs to value i."""

    name: list[str] = field(default_factory=list)
    #: Name of the metric, or None to take the one its unit stands for (``ns/op`` is ``time``).
    metric: list[str | None] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    #: As written in the file.
    unit: list[str] = field(default_factory=list)
    iterations: list[float | None] = field(default_factory=list)
    #: Failed operations behind the value, None where the file does not say.
    errors: list[float | None] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    #: Index into `Reading.configurations`.
    configuration: list[int] = field(default_factory=list)

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
        self.iterations.append(iterations)
        self.errors.append(errors)
        self.line.append(line)
        self.configuration.append(configuration)

    def __len__(self) -> int:
        return len(self.value)


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
    """

    name: str
    rule: str
    contains: frozenset[str]

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        ...

    def read(self, file: TextFile) -> Reading:
        """Read a whole file; never raise for a bad line, record it as a problem."""
        ...
