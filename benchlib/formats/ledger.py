"""What became of each line of a file, or of each record of a structured one: data, context, problem or noise.

A reader enters everything it understands; what is never entered is noise. Because a line or record holds
one entry, the counts always add up to the length of the file, whatever the file looks like.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from benchlib.formats.reading import Reading, Rows, TextFile
from benchlib.results import LineCounts

__all__ = ["Ledger", "Records", "joined"]

Fate = Literal["data", "context", "problem", "noise"]


class _Fates:
    """The fate of each of so many things, and the problems met on the way."""

    __slots__ = ("_fates", "_problems")

    def __init__(self, length: int) -> None:
        self._fates: list[Fate] = ["noise"] * length
        self._problems: list[tuple[int, str]] = []

    @property
    def problems(self) -> list[tuple[int, str]]:
        """The problems in the order of their lines."""
        return sorted(self._problems, key=lambda one: one[0])

    def counts(self) -> LineCounts:
        """Count the things of each fate."""
        count = self._fates.count
        return LineCounts(data=count("data"), context=count("context"), problem=count("problem"), noise=count("noise"))


class Ledger(_Fates):
    """The fate of each line of one file, and the problems met on the way.

    Parameters
    ----------
    lines : int
        Number of lines in the file.

    Examples
    --------
    >>> ledger = Ledger(3)
    >>> ledger.data(1)
    >>> ledger.problem(2, "not a number")
    >>> ledger.counts()
    LineCounts(data=1, context=0, problem=1, noise=1)
    """

    __slots__ = ()

    def data(self, line: int) -> None:
        """Enter a line whose values were kept."""
        self._fates[line - 1] = "data"

    def context(self, line: int) -> None:
        """Enter a line that says what was measured, or repeats what another line says."""
        self._fates[line - 1] = "context"

    def problem(self, line: int, message: str) -> None:
        """Enter a line that should have been a result and is not; line 0 speaks of the whole file."""
        if line:
            self._fates[line - 1] = "problem"
        self.note(line, message)

    def note(self, line: int, message: str) -> None:
        """Record a problem with part of a line whose other values stand."""
        self._problems.append((line, message))

    def refuse(self, lines: Iterable[int]) -> None:
        """Enter lines whose values were understood and then given up."""
        for line in lines:
            self._fates[line - 1] = "problem"

    def unclaimed(self, file: TextFile) -> TextFile:
        """Return the file with every entered line emptied, for the reader of another format."""
        pairs = zip(file.lines, self._fates, strict=True)
        left = [line if fate == "noise" else "" for line, fate in pairs]
        return TextFile(file.source, left, open_end=file.open_end)


class Records(_Fates):
    """What became of each record of a structured file: exactly one of data, context, problem and noise.

    Parameters
    ----------
    lines : sequence of int
        The line on which each record starts, as `Document.lines` gives them.

    Examples
    --------
    >>> records = Records([2, 9])
    >>> records.data(0)
    >>> records.problem(1, "no times")
    >>> records.counts(), records.problems
    (LineCounts(data=1, context=0, problem=1, noise=0), [(9, 'no times')])
    """

    __slots__ = ("_lines",)

    def __init__(self, lines: Sequence[int]) -> None:
        super().__init__(len(lines))
        self._lines = list(lines)

    def line(self, record: int) -> int:
        """Return the line on which a record starts."""
        return self._lines[record]

    def data(self, record: int) -> None:
        """Enter a record whose values were kept."""
        self._fates[record] = "data"

    def context(self, record: int) -> None:
        """Enter a record that says what was measured, or repeats what another one says."""
        self._fates[record] = "context"

    def problem(self, record: int, message: str) -> None:
        """Enter a record that should have been a result and is not."""
        self._fates[record] = "problem"
        self.note(record, message)

    def note(self, record: int, message: str) -> None:
        """Record a problem with part of a record whose other values stand."""
        self._problems.append((self._lines[record], message))

    def whole(self, problems: Iterable[tuple[int, str]]) -> None:
        """Record problems that belong to the document and to no record."""
        self._problems.extend(problems)


def joined(own: Reading, rest: Reading, *, contained: str) -> Reading:
    """Join what two readers found in one file, the second among the lines the first left.

    Parameters
    ----------
    own, rest : Reading
        ``rest`` was read from `Ledger.unclaimed`, so that no line has an entry in both.
    contained : str
        The format of ``rest``.
    """
    rows, offset = own.rows, len(own.configurations)
    for column in Rows.__slots__:
        if column != "configuration":
            getattr(rows, column).extend(getattr(rest.rows, column))
    rows.configuration.extend(one + offset for one in rest.rows.configuration)
    data = own.lines.data + rest.lines.data
    context = own.lines.context + rest.lines.context
    problem = own.lines.problem + rest.lines.problem
    return Reading(
        rows=rows,
        configurations=[*own.configurations, *rest.configurations],
        problems=sorted([*own.problems, *rest.problems], key=lambda one: one[0]),
        lines=LineCounts(data=data, context=context, problem=problem, noise=own.lines.total - data - context - problem),
        contains=(contained, *rest.contains),
        series=[*own.series, *rest.series],
    )
