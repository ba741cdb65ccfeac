"""Which paths a JSON text holds, and where each value stands in it, as far as the text goes.

A reader judges the head of a file, which is rarely a complete document, and tells the line of a record, which
a parsed document no longer knows: both go through the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from benchlib.formats.reading import TextFile

__all__ = ["outline", "walk"]

#: How much of a file `outline` looks at.
_OUTLINED = 64 * 1024


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


@lru_cache(maxsize=8)
def _outline(head: str, depth: int) -> frozenset[str]:
    return frozenset(where for where, _ in walk(head, depth))


# A string that is never closed takes the rest: trying it again from each of its quotes would cost the
# square of its length. Anything between the marks is a number, true, false or null.
_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*+(?:"|\\?\Z)|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)


def walk(content: str, depth: int) -> Iterator[tuple[str, int]]:
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
