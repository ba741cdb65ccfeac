"""On which line of a TOML text each key stands.

The standard parser gives values without positions, and an error about a key is worth little
without its line. This scan assumes text that the standard parser has already accepted, so it
only has to tell keys, strings, brackets and line ends apart; it never judges.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["KeyPath", "locate_keys"]

#: ``("compare", 0, "column")`` is the key ``column`` of the first ``[[compare]]``.
KeyPath = tuple[str | int, ...]

#: Keys of one dotted name that are followed; no table of a study nests half as deep.
_DEEPEST = 8

_TOKEN = re.compile(
    r'''
      (?P<string>"""(?:\\.|[^\\])*?"""+ | \'\'\'.*?\'\'\'+ | "(?:\\.|[^"\\\n])*" | '[^'\n]*')
    | (?P<comment>\#[^\n]*)
    | (?P<newline>\n)
    | (?P<mark>[][{}=,])
    | (?P<dot>\.)
    | (?P<bare>[^\s\[\]{}=,.\#"']+)
    | (?P<space>[^\S\n]+)
    ''',
    re.VERBOSE | re.DOTALL,
)


def locate_keys(text: str) -> dict[KeyPath, int]:
    r"""Return the line of every table, key and list item of a valid TOML text.

    Parameters
    ----------
    text : str
        TOML that `tomllib.loads` accepts.

    Returns
    -------
    dict
        From the path of keys and list positions to the line, counted from 1.

    Examples
    --------
    >>> locate_keys('title = "x"\n[scaling]\nby = [\n  "run",\n]\n')[("scaling", "by", 0)]
    4
    """
    scan = _Scan()
    for kind, token, line in _tokens(text):
        scan.take(kind, token, line)
    return scan.lines


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    line = 1
    for found in _TOKEN.finditer(text.replace("\r\n", "\n")):
        kind = found.lastgroup or ""
        if kind not in ("space", "comment", "dot"):
            yield kind, found[0], line
        line += found[0].count("\n")


@dataclass(slots=True)
class _Scan:
    """The state between two tokens: where keys attach, and which brackets are open."""

    lines: dict[KeyPath, int] = field(default_factory=dict)
    #: The table that the last header opened.
    table: KeyPath = ()
    #: Last position in each array of tables.
    last: dict[KeyPath, int] = field(default_factory=dict)
    #: Keys read so far of the statement (or of the entry of an inline table).
    keys: list[str] = field(default_factory=list)
    #: Square brackets that a header opened; 0 outside a header.
    header: int = 0
    #: Whether a value is awaited or being read.
    value: KeyPath | None = None
    #: Open brackets of the value: the bracket, the path it stands for, the position within it.
    open: list[tuple[str, KeyPath, int]] = field(default_factory=list)

    def take(self, kind: str, token: str, line: int) -> None:
        if self.value is None:
            self._before_value(kind, token, line)
        else:
            self._within_value(kind, token, line)

    def _before_value(self, kind: str, token: str, line: int) -> None:
        if kind in ("bare", "string"):
            self.keys.append(_key(token))
        elif token == "[":
            self.header += 1
        elif token == "]" and self.keys:
            self._open_table(line)
        elif token == "=":
            self.value = self._attach(line)
        elif token == "}":
            self._close()
        elif kind == "newline":
            self.keys, self.header = [], 0

    def _open_table(self, line: int) -> None:
        path: KeyPath = ()
        for number, key in enumerate(self.keys[:_DEEPEST], 1):
            path += (key,)
            self.lines.setdefault(path, line)
            if number == len(self.keys) and self.header == 2:
                self.last[path] = self.last.get(path, -1) + 1
            if path in self.last:
                path += (self.last[path],)
        self.lines.setdefault(path, line)
        self.table, self.keys = path, []

    def _attach(self, line: int) -> KeyPath:
        path = self.open[-1][1] if self.open else self.table
        for key in self.keys[:_DEEPEST]:
            path += (key,)
            self.lines.setdefault(path, line)
        self.keys = []
        return path

    def _within_value(self, kind: str, token: str, line: int) -> None:
        if kind == "newline":
            if not self.open:
                self.value = None
            return
        if token in ("]", "}"):
            self._close()
            return
        if token == ",":
            self._next()
            return
        path = self._path(line)
        if token in ("[", "{"):
            self.open.append((token, path, 0))
            self.value = None if token == "{" else path

    def _path(self, line: int) -> KeyPath:
        """Return the path of the value that starts here, with its line noted."""
        if self.open and self.open[-1][0] == "[":
            _, path, position = self.open[-1]
            path += (position,)
        else:
            path = self.value or ()
        self.lines.setdefault(path, line)
        return path

    def _next(self) -> None:
        bracket, path, position = self.open[-1]
        self.open[-1] = (bracket, path, position + 1)
        if bracket == "{":
            self.value = None

    def _close(self) -> None:
        _, path, _ = self.open.pop()
        # Back inside the surrounding value, whichever bracket that is.
        self.value = path


def _key(token: str) -> str:
    """Return a key without its quotes, escapes read."""
    if token[0] not in "\"'":
        return token
    return str(tomllib.loads(f"key = {token}")["key"])
