"""JSON as benchmark tools write it: parsed once, within bounds, and each problem has its line.

Every reader of a structured file parses its documents here, and finds here what stands at a path, and on which line.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import NoReturn

from benchlib.errors import DataError, printable
from benchlib.formats.reader import Reading, Records, Rows, TextFile, _joined

#: No tool nests deeper than a dozen; beyond this it is no result.
_DEEPEST = 200
#: Parsed values take about ten times their text.
_LARGEST = 256 * 1024**2
#: A whole number of more digits is no exact count of anything.
_LONGEST_INTEGER = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed JSON document.

    ``root`` is None if it did not parse; ``problems`` say why not, or what had to be passed over: a key that stands
    twice (the last is used), a ``NaN`` or ``Infinity``, which JSON does not have (taken as missing). ``content`` is the
    text that was parsed, and ``first_line`` its first line in the file.
    """

    root: object
    parsed: bool
    problems: tuple[tuple[int, str], ...]
    content: str
    first_line: int

    def lines(self, path: str) -> list[int]:
        """Return the line on which each value at a path starts, in the order of the document."""
        positions: list[int] = []
        line, counted = self.first_line, 0
        single = "\n" not in self.content
        for where, offset in _walk(self.content, path.count(".") + path.count("[]") + 1):
            if where == path:
                if not single:
                    line += self.content.count("\n", counted, offset)
                    counted = offset
                positions.append(line)
        return positions

    def members(self, key: str) -> dict[str, int]:
        """Return the line on which each member of an object at the top starts, by its key."""
        lines: dict[str, int] = {}
        line, counted = self.first_line, 0
        for where, offset in _walk(self.content, 2):
            if where.startswith(f"{key}."):
                line += self.content.count("\n", counted, offset)
                counted = offset
                lines[where.removeprefix(f"{key}.")] = line
        return lines


def parse(file: TextFile) -> Document:
    """Parse a file that is one JSON document; damage and excess are problems of the document, never raised."""
    return parse_text(file.text)


def parse_text(content: str, first_line: int = 1) -> Document:
    """Parse text that is one JSON document: a file, or a line of newline-delimited JSON."""
    if len(content) > _LARGEST:
        message = f"{len(content):,} characters of JSON; up to {_LARGEST:,} are read; split the file"
        return _failed(content, first_line, message, first_line)
    content = _without_lone_surrogates(content)
    hooks = _Hooks()
    try:
        root = json.loads(
            content, object_pairs_hook=hooks.join, parse_constant=hooks.constant, parse_int=_integer, strict=False
        )
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        return _failed(content, first_line, _why_not_json(content, error, line), line)
    except RecursionError:
        return _failed(content, first_line, _TOO_DEEP, first_line)
    if not _within(root, _DEEPEST):
        return _failed(content, first_line, _TOO_DEEP, first_line)
    return Document(
        root=root, parsed=True, problems=tuple(hooks.problems(first_line)), content=content, first_line=first_line
    )


#: How the message begins about a document that another one follows.
_SECOND = "a second document begins at line"


def _why_not_json(content: str, error: json.JSONDecodeError, line: int) -> str:
    if error.msg != "Extra data":
        return f"not JSON at column {error.colno}: {error.msg}; the file is cut or damaged, write it again"
    shown = printable(content[error.pos : error.pos + 200].partition("\n")[0], 60)
    if content[error.pos] in "{[":
        return f"{_SECOND} {line}: '{shown}'; write each into a file of its own"
    return f"after the document stands '{shown}' on line {line}; remove what is no JSON"


_TOO_DEEP = f"JSON nested deeper than {_DEEPEST}; no benchmark tool writes that"


def _failed(content: str, first_line: int, message: str, line: int) -> Document:
    return Document(root=None, parsed=False, problems=((line, message),), content=content, first_line=first_line)


def unreadable(document: Document) -> Reading:
    """Return the reading of a document that did not parse: one record, one problem."""
    records = Records([document.first_line])
    records.refuse([0])
    records.whole(document.problems)
    return records.reading(Rows(), [])


_NO_NUMBER = ": JSON has no such number; taken as missing"


class _Hooks:
    """What `json.loads` passes over: keys that stand twice, and constants that JSON does not have."""

    def __init__(self) -> None:
        self.twice: dict[str, int] = {}
        self.constants: dict[str, int] = {}

    def join(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        joined = dict(pairs)
        if len(joined) != len(pairs):
            for key, count in Counter(key for key, _ in pairs).items():
                if count > 1:
                    self.twice[key] = self.twice.get(key, 0) + 1
        return joined

    def constant(self, name: str) -> None:
        self.constants[name] = self.constants.get(name, 0) + 1

    def problems(self, line: int) -> Iterator[tuple[int, str]]:
        for key, count in list(self.twice.items())[:5]:
            times = "in one object" if count == 1 else f"in {count} objects"
            yield line, f"key '{printable(key, 60)}' stands twice {times}; the last is used"
        for name, count in self.constants.items():
            times = "" if count == 1 else f" {count} times"
            yield line, f"{name}{times}{_NO_NUMBER}"


def _without_constants(problems: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return problems of a document without those of ``NaN`` and ``Infinity``, for a tool that writes them."""
    return [problem for problem in problems if not problem[1].endswith(_NO_NUMBER)]


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


# An escaped backslash and a pair of surrogates stand; a surrogate without its other half, and NUL, are
# no characters: they would fail on the way out, when a page or a table is written.
_SURROGATE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u(?:[dD][89a-fA-F][0-9a-fA-F]{2}|0000))"
)


def _without_lone_surrogates(content: str) -> str:
    if "\\u" not in content:
        return content
    return _SURROGATE.sub(lambda match: "\\ufffd" if match["lone"] else match[0], content)


def _within(root: object, deepest: int) -> bool:
    level = [root]
    for _ in range(deepest):
        below: list[object] = []
        for entry in level:
            values = entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ()
            below += [value for value in values if isinstance(value, (dict, list))]
        if not below:
            return True
        level = below
    return False


# Which paths a JSON text holds, and where each value stands in it, as far as the text goes.
#
# A reader judges the head of a file, which is rarely a complete document, and names the line of a record, which the
# parser of Python does not tell: both need the text itself.


#: How much of a file `outline` looks at.
_OUTLINED = 64 * 1024


def outline(head: TextFile, depth: int = 4) -> frozenset[str]:
    """Return the paths in the first 64 KiB of a JSON file, which may be cut there; ``[]`` is an entry of a list.

    Text that does not start as an object or a list has no paths.
    """
    if not head.first.lstrip().startswith(("{", "[")):
        return frozenset()
    return _outline(head.text[:_OUTLINED], depth)


@lru_cache(maxsize=8)
def _outline(head: str, depth: int) -> frozenset[str]:
    return frozenset(where for where, _ in _walk(head, depth))


# A string that is never closed takes the rest: trying it again from each of its quotes would cost the
# square of its length. Anything between the marks is a number, true, false or null.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)


def _walk(content: str, depth: int) -> Iterator[tuple[str, int]]:
    """Yield path and offset of each value down to a depth, as far as the text goes."""
    if content.lstrip()[:1] not in ("{", "["):
        return
    stack: list[str] = []  # the path of each open container, "" below the depth of interest
    here = ""
    key: str | None = None
    for match in _TOKEN.finditer(content):
        token = match[0]
        first = token[0]
        if first in "}]":
            if not stack:
                return
            stack.pop()
            here, key = (stack[-1] if stack else ""), None
            continue
        if first == ",":
            key = None
            continue
        if first == ":":
            continue
        inside_list = here.endswith("[")
        if len(stack) > depth:
            if first in "{[":
                stack.append(here)
            continue
        if stack and not inside_list and key is None:
            if first != '"':
                return
            key = token[1:-1]
            continue
        where = f"{here}]" if inside_list else f"{here}{key}" if key is not None else ""
        if where:
            yield where, match.start()
        if first == "[":
            here = f"{where}["
            stack.append(here)
        elif first == "{":
            here = f"{where}." if where else ""
            stack.append(here)
            key = None


# What stands at a path of a parsed JSON document. A path that leads nowhere and a null are nothing; a value of another
# type than was asked for is an error that quotes it.


_Path = str | tuple[str, ...]


def _pick(root: object, path: _Path) -> object:
    """Return the value at a dotted path of keys, or None where any of them is missing."""
    value = root
    for key in path.split(".") if isinstance(path, str) else path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def number_at(root: object, path: _Path) -> float | None:
    """Return the number at a path, None where it is missing or null."""
    value = _pick(root, path)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None if value is None else _refuse(path, value, "a number")


def text_at(root: object, path: _Path) -> str | None:
    """Return the text at a path, None where it is missing or null."""
    value = _pick(root, path)
    return value if value is None or isinstance(value, str) else _refuse(path, value, "a text")


def list_at(root: object, path: _Path) -> list[object]:
    """Return the list at a path, an empty one where it is missing or null."""
    value = _pick(root, path)
    return [] if value is None else value if isinstance(value, list) else _refuse(path, value, "a list")


def object_at(root: object, path: _Path) -> Mapping[str, object]:
    """Return the object at a path, an empty one where it is missing or null."""
    value = _pick(root, path)
    return {} if value is None else value if isinstance(value, dict) else _refuse(path, value, "an object")


def _refuse(path: _Path, value: object, wanted: str) -> NoReturn:
    """Raise the error about a value of another type than was asked for."""
    where = path if isinstance(path, str) else ".".join(path)
    shown = json.dumps(value, ensure_ascii=False) if isinstance(value, (str, int, float)) else _KINDS[type(value)]
    raise DataError(f"{printable(where, 60)} is {printable(shown, 60)}, not {wanted}")


_KINDS: dict[type, str] = {dict: "an object", list: "a list"}


# Several JSON documents in one file: runs appended to each other, each read by itself.


#: Far more runs than anybody appends to one file.
_MOST_DOCUMENTS = 10_000
_SPACE = re.compile(r"[ \t\r\n]*")


#: What counts the time since 1970: more than this is milliseconds; the last is of the year 9999.
_SECONDS, _LATEST = 100_000_000_000, 253_000_000_000_000


def instant(value: object) -> str | None:
    """Return a time that counts seconds or milliseconds since 1970, None for what is no such number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LATEST:
        return None
    seconds = value / 1000 if value > _SECONDS else value
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def documents(file: TextFile) -> Iterator[Document]:
    """Yield each JSON document of a file to which runs were appended.

    Any of them may not have parsed: the last where the file is cut, and one that is followed by other text.
    """
    whole = parse(file)
    content, line, counted = whole.content, 1, 0
    appended = not whole.parsed and whole.problems[0][1].startswith(_SECOND)
    starts = _starts(content) if appended else []
    if not starts:
        yield whole
        return
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        line += content.count("\n", counted, start)
        counted = start
        yield parse_text(content[start:end].rstrip(), line)


def documents_of_lines(file: TextFile) -> list[Document]:
    """Return the document of each filled line, where the first line is one; else that of the whole file."""
    filled = [(number, line) for number, line in enumerate(file.lines, 1) if line.strip()]
    if len(filled) > 1 and file.first.lstrip().startswith("{") and file.first.rstrip().endswith("}"):
        return [parse_text(line, number) for number, line in filled]
    return [parse(file)]


def _starts(content: str) -> list[int]:
    """Return where each document begins that follows another at once."""
    positions: list[int] = []
    decoder = json.JSONDecoder(strict=False, parse_int=float)
    at = 0
    while len(positions) < _MOST_DOCUMENTS:
        space = _SPACE.match(content, at)
        at = space.end() if space else at
        if content[at : at + 1] not in ("{", "["):
            break
        positions.append(at)
        try:
            _, at = decoder.raw_decode(content, at)
        except (json.JSONDecodeError, RecursionError):
            break
    return positions


def _read_documents(file: TextFile, read: Callable[[Document], Reading]) -> Reading:
    """Read each document of a file, and join what was found; one that did not parse is a problem."""
    readings = [read(document) if document.parsed else unreadable(document) for document in documents(file)]
    return readings[0] if len(readings) == 1 else _joined(readings)
