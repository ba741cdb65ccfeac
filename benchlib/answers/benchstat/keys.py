"""The syntax of a projection, as benchstat writes it: ``.name,/size@num,pkg@(b a)``.

References
----------
golang.org/x/perf/benchproc/syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchlib.errors import SelectionError, choices, printable, suggestion

__all__ = ["Key", "parse_keys"]

#: Orders by name; a list in brackets is the third kind.
ORDERS = ("alpha", "num")
_OPERATORS = "():@,"
_WORD = re.compile(rf"[^\s{re.escape(_OPERATORS)}]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ACCEPTED = "write keys such as .fullname, /size@num, pkg or run@(old new), parted by commas"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a projection.

    Attributes
    ----------
    name : str
        As written: ``.fullname``, ``/size``, ``pkg``.
    order : str
        ``"first"`` (as first seen), ``"alpha"``, ``"num"`` or ``"fixed"``.
    fixed : tuple of str
        The values of a fixed order, which leaves all others out.
    """

    name: str
    order: str
    fixed: tuple[str, ...]


def parse_keys(text: str, option: str = "keys") -> tuple[Key, ...]:
    """Return the keys of a projection.

    Parameters
    ----------
    text : str
        Keys parted by commas or spaces, each with an order if wanted: ``@alpha``, ``@num``, ``@(a b)``.
    option : str
        What the text was given as, for the error.

    Raises
    ------
    SelectionError
        If it is no projection.

    Examples
    --------
    >>> [one.name for one in parse_keys(".name, /size@num")]
    ['.name', '/size']
    >>> parse_keys('run@("old run" new)')
    (Key(name='run', order='fixed', fixed=('old run', 'new')),)
    """
    tokens = [*_tokens(text, option), ("", "")]
    keys: list[Key] = []
    at = 0
    while tokens[at][1]:
        at += bool(keys) and tokens[at] == ("op", ",")
        name = _word(tokens[at], text, option, "a key")
        key, at = Key(name=name, order="first", fixed=()), at + 1
        if tokens[at] == ("op", "@"):
            key, at = _ordered(name, tokens, at + 1, text, option)
        keys.append(key)
    return tuple(keys)


def _ordered(name: str, tokens: list[tuple[str, str]], at: int, text: str, option: str) -> tuple[Key, int]:
    """Read what follows ``@``; return the key and the place after it."""
    if tokens[at] != ("op", "("):
        order = _word(tokens[at], text, option, "an order")
        if order not in ORDERS:
            raise SelectionError(
                f"{option} '{printable(text)}': no order '{printable(order)}'{suggestion(order, ORDERS)}; "
                f"orders are {choices(ORDERS)} and a list such as @(a b)"
            )
        return Key(name=name, order=order, fixed=()), at + 1
    fixed: list[str] = []
    if name == ".config":
        raise SelectionError(f"{option} '.config@(…)': a list orders the values of one key; name that key")
    at += 1
    while not fixed or tokens[at] != ("op", ")"):
        fixed.append(_word(tokens[at], text, option, "a value of the order"))
        at += 1
    return Key(name=name, order="fixed", fixed=tuple(fixed)), at + 1


def _word(token: tuple[str, str], text: str, option: str, wanted: str) -> str:
    kind, word = token
    if kind != "word":
        found = f"'{printable(word, 40)}'" if word else "the end"
        raise SelectionError(f"{option} '{printable(text)}': expected {wanted}, found {found}; {_ACCEPTED}")
    return word


def _tokens(text: str, option: str) -> Iterator[tuple[str, str]]:
    """Cut a text into words and operators; ``-`` and ``*`` are operators of filters where a word would begin."""
    at = 0
    while at < len(text):
        one = text[at]
        if one.isspace():
            at += 1
        elif one in _OPERATORS or one in "-*":
            yield "op", one
            at += 1
        elif one == '"':
            found = _QUOTED.match(text, at)
            if found is None or not found[1]:
                what = "a quoted word is empty" if found else "a quote is left open"
                raise SelectionError(f"{option} '{printable(text)}': {what}; {_ACCEPTED}")
            yield "word", re.sub(r"\\(.)", r"\1", found[1])
            at = found.end()
        else:
            word = _WORD.match(text, at)
            assert word is not None  # neither space nor operator stands here
            # AND and OR belong to filters.
            yield "op" if word[0] in ("AND", "OR") else "word", word[0]
            at = word.end()
