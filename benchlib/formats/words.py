"""Words from structured files, fit for a cell: JSON lets a name hold what no line of text can."""

from __future__ import annotations

import re

__all__ = ["one_line"]

_ENDS = re.compile(r"[ \t]*[\r\n\0\v\f\x1c-\x1e\x85\u2028\u2029]+[ \t]*")


def one_line(text: str) -> str:
    r"""Return a text on one line: each run of line ends becomes a blank.

    Examples
    --------
    >>> one_line("select 1\n  from a"), one_line("plain")
    ('select 1 from a', 'plain')
    """
    return _ENDS.sub(" ", text) if not text.isprintable() else text
