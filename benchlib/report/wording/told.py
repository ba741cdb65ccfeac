"""Words that know where their numbers come from.

A `Told` is plain text: a terminal, a Markdown page and JSON take it as it is. A page sees its marks as well,
and shows the rows and the formula behind each number. An f-string keeps the text of a `Told` and drops its
marks: what is put together from several goes through `joined`, or is told anew as a whole.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from markupsafe import Markup, escape

from benchlib.answers.evidence import Evidence, evidence_key

_DIGITS = r"[+−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?"
_UNIT = r"(?:x|[  ]?%|[  ](?:[nµmkMGT]?s|[KMGTkm]?i?B|[kMGT]?\w+(?=/))(?:/\w+)?)(?!\w)"
_FIGURE = rf"{_DIGITS}(?:{_UNIT})?"
#: What stands before digits of a name, a date or a place in a file; before a number stand spaces and round brackets.
_NAMED = r"(?<![\w.,:;/\\#+−=@$*&~^|?!<>\[{'\"`-])"
#: And what stands after them.
_GOES_ON = r"(?![\w=@#$*&~^|\\\[{'\"`]|-\w|[.:]\d)"
#: A number in a sentence, with its unit; an interval is one figure. Digits within a name are none.
_NUMBER = re.compile(
    rf"{_NAMED}{_DIGITS}[  ]%: (?:at (?:least|most) )?{_FIGURE}(?: to {_FIGURE})?{_GOES_ON}"
    rf"|{_NAMED}(?:< |(?:more|less) than )?{_FIGURE}{_GOES_ON}"
)
#: Between a number and its unit no line is broken.
_BREAK = re.compile(r"(?<=\d) (?=(?:%|[nµm]?s|[KMGT]?i?B)\b|%)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One figure in a text: where it stands, what is behind it, and its value where it is one number."""

    start: int
    stop: int
    evidence: Evidence
    value: float | None


class Told(str):
    """Text, with marks on the figures in it."""

    __slots__ = ("marks",)
    marks: tuple[Mark, ...]

    def __new__(cls, text: str, marks: Iterable[Mark] = ()) -> Self:
        """Keep the marks beside the text."""
        made = super().__new__(cls, text)
        made.marks = tuple(marks)
        return made

    def __html__(self) -> Markup:
        return Markup("".join(self._pieces()))

    def _pieces(self) -> Iterator[str]:
        end = 0
        for mark in self.marks:
            yield escape(unbroken(str(self[end : mark.start])))
            value = f' data-v="{written(mark.value)}"' if mark.value is not None else ""
            figure = escape(unbroken(str(self[mark.start : mark.stop])))
            yield f'<span data-e="{key_of(mark.evidence)}"{value}>{figure}</span>'
            end = mark.stop
        yield escape(unbroken(str(self[end:])))


def evident(text: str, evidence: Evidence, value: float | None = None) -> Told:
    """Return the text of one figure with what is behind it.

    Parameters
    ----------
    text : str
        As a reader sees it: ``3.90x``, ``95 %: 3.71x to 4.12x``.
    evidence : Evidence
        Of the answer that holds the figure: a page is published only where answers.json has it too.
    value : float, optional
        The number as the answer has it. A table sorts by it, and a page whose answer has no such number is
        not published.

    Examples
    --------
    >>> figure = evident("3.90x", Evidence(rows=("a.txt:5",), formula="X(8) / X(1)"), 3.9012)
    >>> print(figure), len(figure.marks)
    3.90x
    (None, 1)
    """
    known = value if value is not None and math.isfinite(value) else None
    return Told(text, [Mark(start=0, stop=len(text), evidence=evidence, value=known)] if text else [])


def told(text: str, evidence: Evidence) -> Told:
    """Return a sentence, or a part of one, all of whose numbers come from one evidence.

    Examples
    --------
    >>> line = told("p99 is 1.4x p50 (95 %: 1.2x to 1.6x)", Evidence(rows=("a.txt:5",), formula="ratio"))
    >>> [line[mark.start:mark.stop] for mark in line.marks]
    ['1.4x', '95 %: 1.2x to 1.6x']
    """
    return Told(
        text,
        (Mark(start=one.start(), stop=one.end(), evidence=evidence, value=None) for one in _NUMBER.finditer(text)),
    )


def kept(text: str, evidence: Evidence) -> Told:
    """Return a text with the marks it has, else with all its numbers marked by one evidence."""
    return text if isinstance(text, Told) and text.marks else told(text, evidence)


def joined(parts: Iterable[str], separator: str = "") -> Told:
    """Join texts, as ``separator.join(parts)`` does, and keep the marks of those that have some.

    Examples
    --------
    >>> seven = evident("7", Evidence(rows=(), formula="count"))
    >>> line = joined(["of ", seven, " rows"])
    >>> line, [(one.start, one.stop) for one in line.marks]
    ('of 7 rows', [(3, 4)])
    """
    text, marks = "", list[Mark]()
    for place, part in enumerate(parts):
        text += separator if place else ""
        marks += [
            Mark(start=one.start + len(text), stop=one.stop + len(text), evidence=one.evidence, value=one.value)
            for one in marks_of(part)
        ]
        text += part
    return Told(text, marks)


def marks_of(text: object) -> tuple[Mark, ...]:
    """Return the marks of a text; other text has none."""
    return text.marks if isinstance(text, Told) else ()


@functools.lru_cache(maxsize=10_000)
def key_of(evidence: Evidence) -> str:
    """Return the key by which a page refers to an evidence."""
    return evidence_key(evidence)


def written(value: float) -> str:
    """Write a number as a page carries it: nine digits, more than anything here is known to.

    Examples
    --------
    >>> written(0.000123456789012), written(2400.0), written(12345678901.0)
    ('0.000123456789', '2400', '12345678901')
    """
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.9g}"


def unbroken(text: str) -> str:
    r"""Return text whose numbers keep their units on their line.

    Examples
    --------
    >>> unbroken("5 % of 3 ms")
    '5\xa0% of 3\xa0ms'
    """
    return _BREAK.sub("\u00a0", text)
