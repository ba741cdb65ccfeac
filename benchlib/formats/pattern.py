"""Regular expressions from a ``study.toml``: only those whose worst case is known and small.

Python's engine backtracks and cannot be interrupted, so a careless pattern can take hours over one
line. A pattern is therefore judged before it is used. Whatever could make the time exponential is
refused. Otherwise the time grows with a power of the line's length, and that power decides on how
long a line the pattern is tried.

References
----------
R. Cox, "Regular Expression Matching Can Be Simple And Fast", 2007;
J. Kirrage, A. Rathnayake, H. Thielecke, "Static Analysis for Regular Expression
Denial-of-Service Attacks", NSS 2013;
A. Weber, H. Seidl, "On the Degree of Ambiguity of Finite Automata", 1991.
"""

from __future__ import annotations

import importlib
import math
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from benchlib.errors import DataError, printable

_LONGEST_PATTERN = 1000
#: No longer line is tried on any pattern.
LONGEST_LINE = 10_000
#: Power of the line's length that bounds the time -> characters of the longest line: about a million steps in
#: practice, some hundredths of a second. Anything steeper is refused.
_LONGEST = {1: LONGEST_LINE, 2: 1000, 3: 300}
#: A pattern that is safe only on shorter lines than this is refused: results would be missed.
_SHORTEST_LINE = 100
#: A repeat of at least this many is judged like one without an end.
_MANY = 10

#: The parser and the compiler of `re`, which have no public names; they are stable since Python 3.11.
_PARSER, _COMPILER = (importlib.import_module(f"re.{name}") for name in ("_parser", "_compiler"))

_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_LOOK = "a look-ahead or look-behind"
_UNBOUNDED = {"GROUPREF": "a back-reference", "ASSERT": _LOOK, "ASSERT_NOT": _LOOK}
#: One character of each kind represents the kind, and each whose other case is ASCII itself: enough to see whether two
#: classes overlap that name nothing beyond ASCII.
_KINDS = frozenset(map(chr, range(128))) | frozenset("éµΩ٣一\u00a0\u2028\u2010\u0130\u0131\u017f\u212a")
#: Characters that are alike to \d, \s and \w; above the second code none has a case.
_ALIKE = re.compile(r"\d+|\s+|[^\W\d]+|[^\w\s]+")
_LAST_CODE, _LAST_CASED = 0x10FFFF, 0x1FFFF


@dataclass(frozen=True, slots=True)
class SafePattern:
    """A pattern that is safe on lines of up to ``longest`` characters; each line it matches has the texts ``holds``."""

    pattern: re.Pattern[str]
    longest: int
    holds: tuple[str, ...]

    def may_match(self, line: str) -> bool:
        """Whether a line, however long, holds what the pattern cannot do without."""
        return all(map(line.__contains__, self.holds))

    def begins(self, line: str) -> bool:
        """Whether the pattern matches within the part of a line that is safe to search."""
        return self.pattern.search(line[: self.longest]) is not None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A character class and whether it may come any number of times, or not at all."""

    kinds: frozenset[str]
    repeats: bool
    may_be_absent: bool


@lru_cache(maxsize=256)
def bind_pattern(text: str) -> SafePattern:
    """Compile a pattern, if its worst case is bounded."""
    shown = f"'{printable(text, 80)}'"
    if len(text) > _LONGEST_PATTERN:
        raise DataError(f"{shown}: {len(text):,} characters; write at most {_LONGEST_PATTERN:,}")
    try:
        with warnings.catch_warnings():
            # "[[" may mean something else one day: no reason to trouble who loads results.
            warnings.simplefilter("ignore")
            pattern = re.compile(text)
            tree = _PARSER.parse(text)
    except re.error as error:
        raise DataError(f"{shown}: no regular expression ({error})") from error
    except (RecursionError, OverflowError) as error:
        raise DataError(f"{shown}: no regular expression (nested too deep, or a count too large)") from error
    if pattern.flags & ~(re.UNICODE | re.IGNORECASE | re.ASCII):
        raise DataError(f"{shown}: of the flags only (?i) and (?a) are accepted")
    choices = [1]
    try:
        pieces = list(_pieces(tree, _sample(tree), choices))
    except DataError as error:
        raise DataError(f"{shown}: {error}") from error
    degree = _degree(pieces, anchored=_starts_anchored(tree))
    longest = _LONGEST.get(degree, 0) / math.prod(choices) ** (1 / degree)
    if longest < _SHORTEST_LINE:
        raise DataError(
            f"{shown}: {degree} repeats and {len(choices) - 1} choices could share one text in too many ways; "
            "begin with ^, write narrower classes such as [^ ]+ for .*, or write several patterns"
        )
    holds = () if pattern.flags & re.IGNORECASE else tuple(dict.fromkeys(_texts(tree)))
    return SafePattern(pattern, int(longest), holds)


def _texts(tree: Iterable[Any]) -> Iterator[str]:
    """Give the texts that a match of a parsed pattern cannot be without."""
    run = ""
    for operation, argument in tree:
        if str(operation) == "LITERAL":
            run += chr(argument)
            continue
        if run:
            yield run
        run = ""
        if str(operation) == "SUBPATTERN" and not argument[1]:
            yield from _texts(argument[3])
    if run:
        yield run


def _sample(tree: Any) -> frozenset[str]:
    """Return characters of which two classes of a parsed pattern share one, where they share any."""
    codes = set(_codes(tree))
    # Where a class begins, and where it has ended: written as \u0430 or as the letter.
    ends = {chr(min(code + more, _LAST_CODE)) for code in codes for more in (0, 1)}
    return _KINDS | ends | (_beyond_ascii() if any(code >= 127 for code in codes) else frozenset())


def _codes(tree: Iterable[Any]) -> Iterator[int]:
    """Give the characters that a parsed pattern names."""
    for operation, argument in tree:
        name = str(operation)
        if name in ("LITERAL", "NOT_LITERAL"):
            yield argument
        elif name == "RANGE":
            yield from argument
        elif name == "IN":
            yield from _codes(argument)
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _codes(branch)
        elif name in ("SUBPATTERN", *_REPEATS):
            yield from _codes(argument[-1])


@cache
def _beyond_ascii() -> frozenset[str]:
    """Return the first of each run of characters that are alike to a pattern, and each that has another case."""
    every = "".join(map(chr, range(_LAST_CODE + 1)))
    cased = (one for one in every[:_LAST_CASED] if one != one.lower() or one != one.upper())
    return frozenset(match[0][0] for match in _ALIKE.finditer(every)).union(cased)


def _pieces(tree: Any, sample: frozenset[str], choices: list[int], flags: int = 0) -> Iterator[_Piece]:
    """Flatten a parsed pattern into character classes in order; what has no bound is refused.

    A class is what of a sample of characters it matches; ``choices`` collects, for each choice met, how many ways it
    leaves open.
    """
    for operation, argument in tree:
        name = str(operation)
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            matches = _COMPILER.compile(_PARSER.SubPattern(tree.state, [(operation, argument)]), flags).match
            yield _Piece(frozenset(filter(matches, sample)), False, False)
        elif name == "AT":
            continue
        elif name == "SUBPATTERN":
            _, added, removed, inner = argument
            if removed or added & ~re.IGNORECASE:
                raise DataError("of the flags of a group only (?i:...) is accepted")
            yield from _pieces(inner, sample, choices, flags | added)
        elif name == "BRANCH":
            choices.append(len(argument[1]))
            for branch in argument[1]:
                taken = _pieces(branch, sample, choices, flags)
                yield from (_Piece(piece.kinds, piece.repeats, True) for piece in taken)
        elif name in _REPEATS:
            yield from _repeat(argument, sample, choices, flags)
        else:
            wrong = _UNBOUNDED.get(name, name.lower().replace("_", " "))
            raise DataError(f"{wrong} has no bounded time; leave it out")


def _repeat(argument: Any, sample: frozenset[str], choices: list[int], flags: int) -> Iterator[_Piece]:
    least, most, inner = argument
    within = [1]
    pieces = list(_pieces(inner, sample, within, flags))
    if most <= 1:
        choices += [*within[1:], 2]
        yield from (_Piece(piece.kinds, piece.repeats, True) for piece in pieces)
        return
    if any(piece.repeats for piece in pieces):
        raise DataError("a repeat within a repeat; repeat one character class instead, e.g. [^ ]+")
    if len(within) > 1:
        raise DataError("a choice within a repeat; repeat one character class instead, e.g. [^ ]+")
    for piece in pieces:
        yield _Piece(piece.kinds, most > least or most >= _MANY, least == 0)


def _starts_anchored(tree: Any) -> bool:
    first = next(iter(tree), None)
    return first is not None and str(first[0]) == "AT" and str(first[1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING")


def _degree(pieces: list[_Piece], *, anchored: bool) -> int:
    """Return the power of the line's length that bounds the time of a search.

    A repeat adds one where an earlier repeat could take its text and all text between them, but within such a pair
    only once: where the first ends fixes all between them. The degree of ambiguity is the longest chain of such pairs,
    of which each begins where the one before ends, or later (Weber and Seidl, 1991). The place where a match starts is
    such a repeat itself, unless the pattern is anchored.
    """
    degree, start = 1 if anchored else 2, 0
    for number, piece in enumerate(pieces):
        if piece.repeats and any(_shares(pieces, earlier, number) for earlier in range(start, number)):
            degree, start = degree + 1, number
    return degree


def _shares(pieces: list[_Piece], earlier: int, later: int) -> bool:
    first, last = pieces[earlier], pieces[later]
    if not first.repeats or not first.kinds & last.kinds:
        return False
    return all(piece.may_be_absent or piece.kinds & first.kinds for piece in pieces[earlier + 1 : later])
