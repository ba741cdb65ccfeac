"""JSON as benchmark tools write it: parsed once, within bounds, and what is wrong with it said with its line.

Every reader of a structured file parses its documents here. What stands at a path of one is taken by
`benchlib.formats.json_values`, where it stands in the text is told by `benchlib.formats.json_paths`, and what
became of each record is entered in `benchlib.formats.ledger.Records`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchlib.errors import printable
from benchlib.formats.json_paths import walk
from benchlib.formats.reading import Reading, Rows, TextFile
from benchlib.results import LineCounts

__all__ = [
    "DEEPEST",
    "SECOND",
    "Document",
    "parse",
    "parse_text",
    "unreadable",
    "without_constants",
]

#: No tool nests deeper than a dozen; beyond this it is no result.
DEEPEST = 200
#: Parsed values take about ten times their text.
LARGEST = 256 * 1024**2
#: A whole number of more digits is no exact count of anything.
_LONGEST_INTEGER = 18


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
        for where, offset in walk(self.content, path.count(".") + path.count("[]") + 1):
            if where == path:
                if not single:
                    line += self.content.count("\n", counted, offset)
                    counted = offset
                found.append(line)
        return found


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
