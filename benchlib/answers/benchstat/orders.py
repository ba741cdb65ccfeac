"""In what order the values of a key stand: as first seen, by letter, by number, or as listed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.benchstat.keys import Key

__all__ = ["ranked"]

_PREFIXES = "KMGTPEZY"
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf(?:inity)?|nan", re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile(r"[+-]?0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)p[+-]?\d+", re.ASCII | re.IGNORECASE)
_PREFIXED = re.compile(rf"([+-]?[0-9.]+)(?:([k{_PREFIXES}])(i?))?[bB]?", re.ASCII)


def ranked(texts: Sequence[str], key: Key, first: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each text in the order of a key.

    Parameters
    ----------
    texts : sequence of str, length k
        Distinct.
    key : Key
    first : ndarray, shape (k,)
        The row where each text is first seen.

    Returns
    -------
    ndarray, shape (k,)
        A permutation of 0 to k - 1: texts that an order does not tell apart stand by letter.

    References
    ----------
    golang.org/x/perf/benchproc, ``sort.go``.

    Examples
    --------
    >>> by_number = Key(name="/size", order="num", fixed=())
    >>> ranked(["1Mi", "4k", "512"], by_number, np.arange(3)).tolist()
    [2, 1, 0]
    """
    if key.order == "first":
        order = np.argsort(first, kind="stable")
    else:
        order = np.asarray(sorted(range(len(texts)), key=lambda one: _place(texts[one], key)), dtype=np.intp)
    places = np.empty(len(texts), dtype=np.intp)
    places[order] = np.arange(len(texts))
    return places


def _place(text: str, key: Key) -> tuple[int, float, str]:
    """Return what a text is sorted by."""
    if key.order == "alpha":
        return 0, 0.0, text
    if key.order == "num":
        return (*_number(text), text)
    # A text listed twice stands where it is listed last.
    places = [place for place, one in enumerate(key.fixed) if one == text]
    return (0, places[-1], "") if places else (1, 0.0, text)


def _number(text: str) -> tuple[int, float]:
    """Return where a text stands by number: numbers, then NaN, then what is none."""
    value = _float(text)
    if value is None and (found := _PREFIXED.fullmatch(text)):
        value = _float(found[1])
        if value is not None and found[2]:
            value *= (1024.0 if found[3] else 1000.0) ** (1 + _PREFIXES.index(found[2].upper()))
    if value is None:
        return 2, 0.0
    return (1, 0.0) if math.isnan(value) else (0, value)


def _float(text: str) -> float | None:
    """Read a number as Go's strconv does, which refuses one that is too large."""
    if _DECIMAL.fullmatch(text):
        value = float(text)
    elif _HEXADECIMAL.fullmatch(text):
        try:
            value = float.fromhex(text)
        except OverflowError:
            return None
    else:
        return None
    return None if math.isinf(value) and any(one.isdigit() for one in text) else value
