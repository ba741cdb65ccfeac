"""Whether a number in the words of a page is one that the answer behind it holds.

A reader sees ``1.22x faster`` or ``41.5 µs/op``, an answer holds 0.8213 or 4.148e-05. A number in words is read back
as the range of values that would be written so, and agrees with an answer that has a number in that range. Words may
turn a number round: a ratio of 0.82 is told as 1.22x faster, and as 18 % less; an answer may hold its logarithm.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchlib.units import parse_unit

_NUMBER = r"[+−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?"
_UNIT = r"x|[ \u00a0]?%|[ \u00a0](?:[nµm]?s|[KMGT]?i?B|[\w.]+(?=/))(?:/\w+)?"
#: Digits within a name, a date or a place in a file are no numbers.
_FIGURE = re.compile(rf"(?<![\w.,:/#+−-])({_NUMBER})({_UNIT})?(?!\w|-\w|[.:]\d)")
#: Both ends of an interval in one unit have it once.
_TO = re.compile(r"[ \u00a0]to[ \u00a0]")
#: ``p < 0.001`` is written for every smaller number, ``more than 99 %`` for every share above.
_BELOW = re.compile(r"(?:<|less than)[ \u00a0]?$")
_ABOVE = re.compile(r"more than[ \u00a0]$")
#: A whole number of a unit of measurement may be rounded.
_WHOLE = re.compile(r"[+−-]?[\d,]+")
#: In a column of intervals the unit stands in the cell beside.
_INTERVAL = re.compile(rf"{_NUMBER}{_TO.pattern}{_NUMBER}")
#: What stands at a share or a level has it for a name.
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
#: Named once, since as unions they would be made for each of thousands of members.
_NUMERIC, _WORD = (int, float), (str, bool)
#: What the arithmetic of writing may be off by, as a share of the number.
_ROUNDING = 1e-9
#: A value stands beside its words with nine digits: half of the last may be missing, as a share of it.
_KNOWN_TO = 5e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number as it stands in words: the values that would be written so, in the base unit."""

    text: str
    low: float
    high: float
    unit: str

    def tells(self, value: float) -> bool:
        """Whether a value could be told as this.

        Examples
        --------
        >>> (told,) = figures("40,000 req/s")
        >>> told.tells(39933.0), told.tells(41234.0)
        (True, False)
        """
        slack = _KNOWN_TO * abs(value)
        return any(low - slack <= value <= high + slack for low, high in self.readings())

    def readings(self) -> Iterator[tuple[float, float]]:
        """Give the ranges of values that may be behind it: its own, either way up and down, and turned round."""
        yield self.low, self.high
        yield -self.high, -self.low
        if self.unit == "x" and self.low > 0:
            yield 1 / self.high, 1 / self.low
            yield math.log(self.low), math.log(self.high)
            yield -math.log(self.high), -math.log(self.low)
        if self.unit == "%":
            for low, high in ((1 + self.low, 1 + self.high), (1 - self.high, 1 - self.low)):
                yield low, high
                if low > 0:
                    yield math.log(low), math.log(high)


@lru_cache(maxsize=8192)  # the same words stand in many answers
def figures(text: str) -> tuple[Figure, ...]:
    """Return the numbers of a text, each with the values that would be written so.

    Examples
    --------
    >>> [(one.text, one.unit) for one in figures("p99 of 1.4x (95 %: 1.2 to 1.6 ms/op) in run1.txt:5")]
    [('1.4x', 'x'), ('95 %', '%'), ('1.2', 'ms/op'), ('1.6 ms/op', 'ms/op')]
    >>> [(round(one.low, 6), round(one.high, 6)) for one in figures("8.1 ms, more than 99 %")]
    [(0.00805, 0.00815), (0.985, 1.0)]
    >>> [(round(one.low), round(one.high)) for one in figures("103,000 req/s; 103,000 rows")]
    [(102500, 103500), (102999, 103001)]
    """
    # What no float holds is a name: a commit id such as 555e140057.
    found = [match for match in _FIGURE.finditer(text) if math.isfinite(float(_plain(match)))]
    return tuple(
        _figure(one, text, found[place + 1] if place + 1 < len(found) else None) for place, one in enumerate(found)
    )


def _plain(figure: re.Match[str]) -> str:
    """Return a number as Python reads it."""
    return figure[1].replace("−", "-").replace(",", "")


def _figure(found: re.Match[str], text: str, following: re.Match[str] | None) -> Figure:
    unit = (found[2] or "").strip()
    if not unit and following is not None and _TO.fullmatch(text, found.end(), following.start()):
        unit = (following[2] or "").strip()
    mantissa, _, exponent = _plain(found).partition("e")
    factor = (1.0 if unit == "x" else parse_unit(unit).factor) * float(f"1e{exponent or 0}")
    value, step = float(mantissa) * factor, 10.0 ** -len(mantissa.partition(".")[2]) * factor
    before = text[max(0, found.start() - 10) : found.start()]
    if _WHOLE.fullmatch(found[1]) and (unit not in ("", "x", "%") or _INTERVAL.fullmatch(text)):
        step = _rounded(found[1]) * factor
    slack = 0.5 * step + _ROUNDING * abs(value)
    low = 0.0 if _BELOW.search(before) else value - slack
    high = 1.0 if unit == "%" and _ABOVE.search(before) else value + slack
    return Figure(text=found[0], low=low, high=high, unit=unit)


def _rounded(number: str) -> float:
    """Return the worth of the last digit that a measured whole number tells: zeros at its end may tell nothing.

    It tells as many digits as its interval carries, two at the least.
    """
    digits = number.replace(",", "").lstrip("+−-")
    return 10.0 ** min(len(digits) - len(digits.rstrip("0")), max(len(digits) - 2, 0))


class Known:
    """The numbers that answers hold, their counts, and those that stand in their words.

    Examples
    --------
    >>> answer = {"ratio": 0.8213, "rows": [{"verdict": "worse"}, {"verdict": "same"}], "bound": "8 ms"}
    >>> known = Known([answer])
    >>> [known.holds(one) for one in figures("1.22x faster, 18 % less, 1 of 2, target 8 ms; not 1.23x")]
    [True, True, True, True, True, False]
    """

    def __init__(self, answers: Iterable[Any]) -> None:
        numbers: set[float] = set()
        self._said: set[str] = set()
        self._read(answers, numbers)
        self._numbers = sorted(one for one in numbers if one == one)

    def _read(self, members: Iterable[Any], numbers: set[float]) -> None:
        """Take in what some data say; evidence says where numbers come from, not which."""
        for one in members:
            if isinstance(one, str):
                self._said.update([figure.text for figure in figures(one)])
            elif isinstance(one, _NUMERIC):
                numbers.add(float(one))
            elif isinstance(one, list):
                numbers.update(_counts(one))
                self._read(one, numbers)
            elif isinstance(one, dict) and one.get("type") != "Evidence":
                numbers.update([float(name) for name in one if _PLAIN.fullmatch(name)])
                self._read(one.values(), numbers)

    def holds(self, figure: Figure) -> bool:
        """Tell whether a number could be told as this."""
        if figure.text.replace("\u00a0", " ") in self._said:
            return True
        return any(_between(self._numbers, low, high) for low, high in figure.readings())


def _between(numbers: Sequence[float], low: float, high: float) -> bool:
    place = bisect_left(numbers, low)
    return place < len(numbers) and numbers[place] <= high


def _counts(members: Sequence[Any]) -> set[float]:
    """Return how many members a list has, and how many of them are alike in a word: in some word none are."""
    found = {0.0, float(len(members))}
    objects = [one for one in members if isinstance(one, dict)]
    for name in {name for one in objects for name, value in one.items() if isinstance(value, _WORD)}:
        found.update(map(float, Counter([str(one.get(name)) for one in objects]).values()))
    return found
