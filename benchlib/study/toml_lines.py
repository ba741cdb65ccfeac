"""The text of a TOML file: read and parsed within bounds, and on which line each key stands.

The standard parser gives values without positions, and an error about a key is worth little without its line.
`locate_keys` scans text that the parser has accepted: it only tells keys, strings, brackets and line ends apart.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchlib.errors import StudyError, printable

#: ``("compare", 0, "column")`` is the key ``column`` of the first ``[[compare]]``.
KeyPath = tuple[str | int, ...]

#: Bytes beyond which a file is refused: a person writes a few kilobytes.
LARGEST = 1 << 20
#: Parts of a dotted key, and brackets within brackets. No table of a study nests half as deep, and the time and
#: memory of the parser grow with the square of the depth.
_DEEPEST_KEY, _DEEPEST_BRACKET = 8, 16
#: Keys, values, brackets and commas: a long study takes two thousand.
_MOST_TOKENS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Parsed TOML: the file to name, what it says, and the line of each key."""

    source: str
    values: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    def error(self, path: KeyPath, message: str) -> StudyError:
        """Return an error with the line of a key, or of the table that would hold it."""
        while path and path not in self.lines:
            path = path[:-1]
        place = f"{self.source}:{self.lines[path]}" if path else self.source
        return StudyError(f"{place}: {message}")


def read_text(path: Path, shown: str) -> tuple[str, bytes]:
    """Return a TOML file as text and as bytes; `shown` is how messages name it."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise StudyError(f"{shown}: no such file; check the path") from error
    except OSError as error:
        raise StudyError(f"{shown}: cannot be read ({error.strerror}); mend its type or permissions") from error
    if len(raw) > LARGEST:
        raise StudyError(f"{shown}: larger than 1 MiB; keep results in files of their own")
    try:
        return raw.decode("utf-8-sig"), raw
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StudyError(f"{shown}:{line}: not UTF-8 text; save the file as UTF-8") from error


_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def parse_toml(text: str, shown: str) -> Document:
    """Parse a TOML text; what is too deep or too much is refused before it is parsed."""
    _check_bounds(text, shown)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = place[1] if place and place[1] else text.rstrip("\n").count("\n") + 1
        column = f" at column {place[2]}" if place and place[2] else ""
        reason = printable(_PLACE.sub("", str(error)))
        raise StudyError(f"{shown}:{line}: not valid TOML{column}: {reason}") from error
    except ValueError as error:
        # A number or date that Python cannot hold carries no position.
        raise StudyError(f"{shown}: not valid TOML: {printable(str(error))}") from error
    return Document(source=shown, values=values, lines=locate_keys(text))


def _check_bounds(text: str, shown: str) -> None:
    """Refuse keys and brackets that nest too deep for the parser, and more of them than anyone writes."""
    parts, brackets, after_dot = 0, 0, False
    for number, (kind, token, line) in enumerate(_tokens(text)):
        if kind in ("bare", "string"):
            parts = parts + 1 if after_dot else 1
        after_dot = kind == "dot"
        brackets += (token in ("[", "{")) - (token in ("]", "}"))
        if parts > _DEEPEST_KEY:
            raise StudyError(f"{shown}:{line}: a key of more than {_DEEPEST_KEY} parts; four are enough")
        if brackets > _DEEPEST_BRACKET:
            raise StudyError(f"{shown}:{line}: brackets nest too deep; four levels are enough")
        if number > _MOST_TOKENS:
            raise StudyError(f"{shown}:{line}: more than {_MOST_TOKENS:,} keys and values; keep results in other files")


_TOKEN = re.compile(
    r'''
      (?P<string>"""(?:\\.|[^\\"]|"(?!""))*+"""+ | \'\'\'(?:[^']|'(?!\'\'))*+\'\'\'+
        | "(?:\\.|[^"\\\n])*+" | '[^'\n]*+')
    | (?P<open>["'])
    | (?P<comment>\#[^\n]*)
    | (?P<newline>\n)
    | (?P<mark>[][{}=,])
    | (?P<dot>\.)
    | (?P<bare>[^\s\[\]{}=,.\#"']++)
    | (?P<space>[^\S\n]+)
    ''',
    re.VERBOSE | re.DOTALL,
)


def locate_keys(text: str) -> dict[KeyPath, int]:
    r"""Return the line of every table, key and list item of a TOML text that `tomllib.loads` accepts.

    Examples
    --------
    >>> locate_keys('title = "x"\n[scaling]\nby = [\n  "run",\n]\n')[("scaling", "by", 0)]
    4
    """
    scan = _Scan()
    for kind, token, line in _tokens(text):
        if kind != "dot":
            scan.take(kind, token, line)
    return scan.lines


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield kind, text and line of each token, up to a string that is never closed."""
    line = 1
    for match in _TOKEN.finditer(text.replace("\r\n", "\n")):
        kind = match.lastgroup or ""
        if kind == "open":
            return
        if kind not in ("space", "comment"):
            yield kind, match[0], line
        line += match[0].count("\n")


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
        for number, key in enumerate(self.keys, 1):
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
        for key in self.keys:
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
