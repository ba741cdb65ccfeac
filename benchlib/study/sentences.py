"""The author's own sentences and their conditions, as ``study.toml`` writes them.

Both are read when a study is opened, so that a slip stops a command before it computes anything; which values there
are, only the answers know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchlib.errors import DataError, printable

_FIELD = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
_CONDITION = re.compile(r"\s*([\w.]+)\s*(<=|>=|<|>)\s*(.+?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A value of the answers in a sentence: ``digits`` is 0, and ``bare`` False, where it is written as ever."""

    name: str
    digits: int
    bare: bool


def parse_sentence(sentence: str) -> tuple[str | Named, ...]:
    """Part a sentence into words and the values that it names.

    Examples
    --------
    >>> parse_sentence("It takes {serve.p99:2}.")
    ('It takes ', Named(name='serve.p99', digits=2, bare=False), '.')
    """
    pieces: list[str | Named] = []
    end = 0
    for match in _FIELD.finditer(sentence):
        pieces += [sentence[end : match.start()], _named(match[1].strip(), match[2] or "")]
        end = match.end()
    pieces.append(sentence[end:])
    if any(set(piece) & set("{}") for piece in pieces if isinstance(piece, str)):
        raise DataError("a brace names no value; write {name}, or leave braces out")
    return tuple(piece for piece in pieces if piece != "")


def _named(name: str, form: str) -> Named:
    digits, bare = 0, False
    for word in form.split():
        if word == "number":
            bare = True
        elif word in ("1", "2", "3", "4"):
            digits = int(word)
        else:
            raise DataError(f"'{printable(word, 20)}' is no form of a value; write number, or 1 to 4 digits")
    return Named(name=name, digits=digits, bare=bare)


def parse_condition(condition: str) -> tuple[str, str, str]:
    """Return the name of a value, how it is compared, and with what.

    Examples
    --------
    >>> parse_condition("cheap.rate > 90000")
    ('cheap.rate', '>', '90000')
    """
    match = _CONDITION.fullmatch(condition)
    if not match:
        raise DataError(f"'{printable(condition, 60)}' is no condition; write name > 90000")
    return match[1], match[2], match[3]
