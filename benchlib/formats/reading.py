"""What a reader is given and what it gives back.

A reader turns the text of one file into columns: nothing per row is an object, so that a million
rows cost the bytes of their numbers and no more. Units are left as written; `benchlib.formats.table`
converts them once for all readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from benchlib.formats.rows import Rows
from benchlib.results import LineCounts, Series

__all__ = ["Certainty", "Reader", "Reading", "Rows", "TextFile"]

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
        The last line may have been cut: `benchlib.formats.ending` says what is done about it.

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
            self._first = next((one for one in self.lines if one.strip()), "")
        return self._first

    def mentions(self, *words: str) -> bool:
        """Say whether one of some texts stands anywhere: asked first, it spares a look at every line."""
        return any(map(self.text.__contains__, words))

    @property
    def utf8(self) -> bytes:
        """The lines as bytes, each with its line end; only the last may lack it."""
        if self._utf8 is None:
            # A line end of its own, lest an empty last line be taken for one.
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
    files, yields, limits : str
        For the table of formats: usual names (``"*.json"``), what it gives, what it cannot tell.
    """

    name: str
    rule: str
    contains: frozenset[str]
    files: str
    yields: str
    limits: str

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        ...

    def read(self, file: TextFile) -> Reading:
        """Read a whole file; never raise for a bad line, record it as a problem."""
        ...
