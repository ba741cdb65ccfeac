"""JSON as benchmark tools write it: parsed once, within bounds, with the line of each record.

Every reader of a structured file comes through here. A document is parsed by `parse`, its values are
taken by `number`, `text`, `items` and `mapping` with dotted paths, and each of its records is entered
in `Records` as data, context, problem or noise. `outline` tells what a file may be from its first
characters alone, because the head that a reader judges is rarely a complete document.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from benchlib.errors import DataError, printable
from benchlib.formats.reading import Reading, Rows, TextFile
from benchlib.results import LineCounts

__all__ = [
    "DEEPEST",
    "SECOND",
    "Document",
    "Records",
    "items",
    "mapping",
    "number",
    "outline",
    "parse",
    "parse_text",
    "pick",
    "text",
    "unreadable",
    "without_constants",
]

#: No tool nests deeper than a dozen; beyond this it is no result.
DEEPEST = 200
#: Parsed values take about ten times their text.
LARGEST = 256 * 1024**2
#: How much of a file `outline` looks at.
_OUTLINED = 64 * 1024
#: A whole number of more digits is no exact count of anything.
_LONGEST_INTEGER = 18

Path = str | tuple[str, ...]
Fate = Literal["data", "context", "problem", "noise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed JSON document.

    Attributes
    ----------
    root : object
        Dicts, lists, texts, finite-or-infinite floats, ints, bools and None; None if it did not parse.
    parsed : bool
    problems : tuple of (line, message)
        Why it did not parse, or what had to be passed over: a key that stands twice (the last is
        used), a ``NaN`` or ``Infinity``, which JSON does not have (taken as missing).
    content : str
        The text that was parsed.
    first_line : int
        The line of the file on which it starts.
    """

    root: object
    parsed: bool
    problems: tuple[tuple[int, str], ...]
    content: str
    first_line: int

    def lines(self, path: str) -> list[int]:
        r"""Return the line on which each value at a path starts, in the order of the document.

        Examples
        --------
        >>> parse_text('{"runs": [\n1,\n{"a": 2}]}').lines("runs[]")
        [2, 3]
        """
        found: list[int] = []
        line, counted = self.first_line, 0
        single = "\n" not in self.content
        for where, offset in _walk(self.content, path.count(".") + path.count("[]") + 1):
            if where == path:
                if not single:
                    line += self.content.count("\n", counted, offset)
                    counted = offset
                found.append(line)
        return found


class Records:
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

    __slots__ = ("_fates", "_lines", "_problems")

    def __init__(self, lines: Sequence[int]) -> None:
        self._lines = list(lines)
        self._fates: list[Fate] = ["noise"] * len(self._lines)
        self._problems: list[tuple[int, str]] = []

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

    @property
    def problems(self) -> list[tuple[int, str]]:
        """The problems in the order of their lines."""
        return sorted(self._problems, key=lambda one: one[0])

    def counts(self) -> LineCounts:
        """Count the records of each fate."""
        count = self._fates.count
        return LineCounts(data=count("data"), context=count("context"), problem=count("problem"), noise=count("noise"))


def parse(file: TextFile) -> Document:
    """Parse a file that is one JSON document.

    Never raises: a document that is damaged, too deep or too large has ``parsed`` False and says so.
    """
    return parse_text(file.text)


def parse_text(content: str, first_line: int = 1) -> Document:
    """Parse text that is one JSON document: a file, or a line of newline-delimited JSON.

    Parameters
    ----------
    content : str
    first_line : int
        Where the text starts in its file.

    Examples
    --------
    >>> parse_text('{"a": [1, 2.5]}').root
    {'a': [1, 2.5]}
    >>> parse_text('{"a": [1,').problems
    ((1, 'not JSON at column 10: Expecting value; the file is cut or damaged, write it again'),)
    """
    if len(content) > LARGEST:
        message = f"{len(content):,} characters of JSON; up to {LARGEST:,} are read; split the file"
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
    if not _within(root, DEEPEST):
        return _failed(content, first_line, _TOO_DEEP, first_line)
    return Document(
        root=root, parsed=True, problems=tuple(hooks.told(first_line)), content=content, first_line=first_line
    )


#: How the message begins about a document that another one follows.
SECOND = "a second document begins at line"


def _why_not_json(content: str, error: json.JSONDecodeError, line: int) -> str:
    if error.msg != "Extra data":
        return f"not JSON at column {error.colno}: {error.msg}; the file is cut or damaged, write it again"
    shown = printable(content[error.pos : error.pos + 200].partition("\n")[0], 60)
    if content[error.pos] in "{[":
        return f"{SECOND} {line}: '{shown}'; write each into a file of its own"
    return f"after the document stands '{shown}' on line {line}; remove what is no JSON"


_TOO_DEEP = f"JSON nested deeper than {DEEPEST}; no benchmark tool writes that"


def _failed(content: str, first_line: int, message: str, line: int) -> Document:
    return Document(root=None, parsed=False, problems=((line, message),), content=content, first_line=first_line)


def unreadable(document: Document) -> Reading:
    """Return the reading of a document that did not parse: one record, one problem."""
    return Reading(
        rows=Rows(),
        configurations=[],
        problems=list(document.problems),
        lines=LineCounts(data=0, context=0, problem=1, noise=0),
    )


def pick(root: object, path: Path) -> object:
    """Return the value at a dotted path of keys, or None where any of them is missing.

    Parameters
    ----------
    root : object
    path : str or tuple of str
        ``"a.b"``, or ``("a", "99.9")`` where a key holds a dot itself.

    Examples
    --------
    >>> pick({"a": {"b": 1}}, "a.b"), pick({"a": 1}, "a.b"), pick({"95.0": 2}, ("95.0",))
    (1, None, 2)
    """
    found = root
    for key in path.split(".") if isinstance(path, str) else path:
        if not isinstance(found, dict):
            return None
        found = found.get(key)
    return found


def number(root: object, path: Path) -> float | None:
    """Return the number at a path, None where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there: a text, a truth value, a number beyond all floats.

    Examples
    --------
    >>> number({"mean": 2}, "mean"), number({"mean": None}, "mean")
    (2.0, None)
    """
    found = pick(root, path)
    if found is None:
        return None
    if isinstance(found, (int, float)) and not isinstance(found, bool) and math.isfinite(found):
        return float(found)
    raise _mistyped(path, found, "a number")


def text(root: object, path: Path) -> str | None:
    """Return the text at a path, None where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there.
    """
    found = pick(root, path)
    if found is None or isinstance(found, str):
        return found
    raise _mistyped(path, found, "a text")


def items(root: object, path: Path) -> list[object]:
    """Return the list at a path, an empty one where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there.
    """
    found = pick(root, path)
    if found is None:
        return []
    if isinstance(found, list):
        return found
    raise _mistyped(path, found, "a list")


def mapping(root: object, path: Path) -> Mapping[str, object]:
    """Return the object at a path, an empty one where it is missing or null.

    Raises
    ------
    DataError
        If something else stands there.
    """
    found = pick(root, path)
    if found is None:
        return {}
    if isinstance(found, dict):
        return found
    raise _mistyped(path, found, "an object")


def _mistyped(path: Path, found: object, wanted: str) -> DataError:
    where = path if isinstance(path, str) else ".".join(path)
    shown = json.dumps(found, ensure_ascii=False) if isinstance(found, (str, int, float)) else _KINDS[type(found)]
    return DataError(f"{printable(where, 60)} is {printable(shown, 60)}, not {wanted}")


_KINDS: dict[type, str] = {dict: "an object", list: "a list", type(None): "null"}


@lru_cache(maxsize=8)
def _outline(head: str, depth: int) -> frozenset[str]:
    return frozenset(where for where, _ in _walk(head, depth))


def outline(head: TextFile, depth: int = 4) -> frozenset[str]:
    """Return the paths that stand in the first 64 KiB of a JSON file, ``[]`` for an entry of a list.

    It reads incomplete documents, so a reader can judge the head of a long file. Text that does not
    start as an object or a list has no paths.

    Examples
    --------
    >>> sorted(outline(TextFile("a.json", ['{"results": [{"command": "ls", "times": [0.1, 0.'])))
    ['results', 'results[]', 'results[].command', 'results[].times', 'results[].times[]']
    """
    if not head.first.lstrip().startswith(("{", "[")):
        return frozenset()
    return _outline(head.text[:_OUTLINED], depth)


# A string that is never closed takes the rest: trying it again from each of its quotes would cost the
# square of its length. Anything between the marks is a number, true, false or null.
_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*+(?:"|\\?\Z)|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)


def _walk(content: str, depth: int) -> Iterator[tuple[str, int]]:
    """Yield path and offset of each value down to a depth, as far as the text goes."""
    if content.lstrip()[:1] not in ("{", "["):
        return
    stack: list[str] = []  # the path of each open container, "" below the depth of interest
    here = ""
    key: str | None = None
    for found in _TOKEN.finditer(content):
        token = found[0]
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
            yield where, found.start()
        if first == "[":
            here = f"{where}["
            stack.append(here)
        elif first == "{":
            here = f"{where}." if where else ""
            stack.append(here)
            key = None


_NO_NUMBER = ": JSON has no such number; taken as missing"


class _Hooks:
    """What `json.loads` tells on its way."""

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

    def told(self, line: int) -> Iterator[tuple[int, str]]:
        for key, count in list(self.twice.items())[:5]:
            times = "in one object" if count == 1 else f"in {count} objects"
            yield line, f"key '{printable(key, 60)}' stands twice {times}; the last is used"
        for name, count in self.constants.items():
            times = "" if count == 1 else f" {count} times"
            yield line, f"{name}{times}{_NO_NUMBER}"


def without_constants(problems: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return problems of a document but for its ``NaN`` and ``Infinity``, for a tool that writes them."""
    return [one for one in problems if not one[1].endswith(_NO_NUMBER)]


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
    return _SURROGATE.sub(lambda found: "\\ufffd" if found["lone"] else found[0], content)


def _within(root: object, deepest: int) -> bool:
    level = [root]
    for _ in range(deepest):
        below: list[object] = []
        for one in level:
            values = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            below += [value for value in values if isinstance(value, (dict, list))]
        if not below:
            return True
        level = below
    return False
