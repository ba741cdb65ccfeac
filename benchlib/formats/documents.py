"""Several JSON documents in one file: runs appended to each other, each read by itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from benchlib.formats.json_text import SECOND, Document, parse, parse_text, unreadable
from benchlib.formats.reading import Reading, Rows, TextFile
from benchlib.results import LineCounts

__all__ = ["documents", "read_documents"]

#: Series that speak of the whole file, and are said once.
_OF_THE_FILE = ("closed-loop", "rounded")
#: Far more runs than anybody appends to one file.
_MOST_DOCUMENTS = 10_000
_SPACE = re.compile(r"[ \t\r\n]*")


def documents(file: TextFile) -> Iterator[Document]:
    r"""Yield each JSON document of a file to which runs were appended.

    Any of them may not have parsed: the last where the file is cut, and one that is followed by other text.

    Examples
    --------
    >>> [(one.root, one.first_line) for one in documents(TextFile("a", text='{"a": 1}\n{"a":\n2}'))]
    [({'a': 1}, 1), ({'a': 2}, 2)]
    """
    whole = parse(file)
    content, line, counted = whole.content, 1, 0
    appended = not whole.parsed and whole.problems[0][1].startswith(SECOND)
    starts = _starts(content) if appended else []
    if not starts:
        yield whole
        return
    for start, end in zip(starts, [*starts[1:], len(content)], strict=True):
        line += content.count("\n", counted, start)
        counted = start
        yield parse_text(content[start:end].rstrip(), line)


def _starts(content: str) -> list[int]:
    """Return where each document begins that follows another at once."""
    found: list[int] = []
    decoder = json.JSONDecoder(strict=False, parse_int=float)
    at = 0
    while len(found) < _MOST_DOCUMENTS:
        space = _SPACE.match(content, at)
        at = space.end() if space else at
        if content[at : at + 1] not in ("{", "["):
            break
        found.append(at)
        try:
            _, at = decoder.raw_decode(content, at)
        except (json.JSONDecodeError, RecursionError):
            break
    return found


def read_documents(file: TextFile, read: Callable[[Document], Reading]) -> Reading:
    """Read each document of a file, and join what was found; one that did not parse is a problem.

    Parameters
    ----------
    file : TextFile
    read : callable
        Reads one document that has parsed.
    """
    found = [read(one) if one.parsed else unreadable(one) for one in documents(file)]
    return found[0] if len(found) == 1 else _joined(found)


def _joined(found: Sequence[Reading]) -> Reading:
    first, *others = found
    for one in others:
        offset = len(first.configurations)
        for column in Rows.__slots__:
            if column != "configuration":
                getattr(first.rows, column).extend(getattr(one.rows, column))
        first.rows.configuration.extend(place + offset for place in one.rows.configuration)
        first.configurations.extend(one.configurations)
        first.problems.extend(one.problems)
        told = [(each.kind, each.data) for each in first.series if each.kind in _OF_THE_FILE]
        first.series.extend(each for each in one.series if (each.kind, each.data) not in told)
    count = [one.lines for one in found]
    return Reading(
        rows=first.rows,
        configurations=first.configurations,
        problems=first.problems,
        lines=LineCounts(
            data=sum(one.data for one in count),
            context=sum(one.context for one in count),
            problem=sum(one.problem for one in count),
            noise=sum(one.noise for one in count),
        ),
        contains=first.contains,
        series=first.series,
    )
