"""Where a number came from: the rows behind it and the formula that made it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import pandas as pd

__all__ = ["Evidence", "count_rows", "evidence_key", "gather", "pool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The rows and the formula behind a number.

    Attributes
    ----------
    rows : tuple of str
        ``source:line`` of each measured value, or ``source:first-last`` of neighbouring lines.
    formula : str
        How the number follows from those rows.
    """

    rows: tuple[str, ...]
    formula: str


def gather(frame: pd.DataFrame, formula: str) -> Evidence:
    """Return the evidence that the rows of a tidy table give; neighbouring lines become a range.

    Examples
    --------
    >>> import pandas as pd
    >>> gather(pd.DataFrame({"source": ["a.txt"] * 3, "line": [5, 6, 9]}), "the median").rows
    ('a.txt:5-6', 'a.txt:9')
    """
    # As lists: a column of its own type for each of thousands of cells would take most of the time.
    places = dict.fromkeys(zip(map(str, frame["source"].tolist()), map(int, frame["line"].tolist()), strict=True))
    rows = []
    for source, lines in groupby(sorted(places), key=lambda place: place[0]):
        rows += [f"{source}:{span}" for span in _spans([line for _, line in lines])]
    return Evidence(rows=tuple(rows), formula=formula)


def pool(found: Iterable[Evidence], formula: str) -> Evidence:
    """Return the rows of several evidences as one, each once, for what follows from all of them.

    Examples
    --------
    >>> one, other = Evidence(rows=("a.txt:5-6",), formula="x"), Evidence(rows=("a.txt:5-6", "b.txt:1"), formula="y")
    >>> pool([one, other], "the larger of both").rows
    ('a.txt:5-6', 'b.txt:1')
    """
    return Evidence(rows=tuple(dict.fromkeys(row for one in found for row in one.rows)), formula=formula)


def count_rows(rows: Sequence[str]) -> int:
    """Count the measured values that rows name; a row without lines, such as a profile, is one.

    Examples
    --------
    >>> count_rows(["a.txt:5-9", "a.txt:12", "cpu.pb.gz"])
    7
    """
    return sum(_count(row) for row in rows)


def _count(row: str) -> int:
    first, _, last = row.rpartition(":")[2].partition("-")
    return int(last) - int(first) + 1 if first.isdecimal() and last.isdecimal() else 1


def evidence_key(rows: Sequence[str], formula: str) -> str:
    """Return a short name of an evidence that the same rows and formula always have.

    Examples
    --------
    >>> evidence_key(("a.txt:5-6",), "the median")
    'bdf8d5aeb147'
    """
    # Twelve digits: of ten thousand evidences on a page no two share a key, but once in five million pages.
    return hashlib.sha256("\0".join([formula, *rows]).encode()).hexdigest()[:12]


def _spans(lines: list[int]) -> list[str]:
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][-1] + 1:
            spans[-1][1:] = [line]
        else:
            spans.append([line])
    return ["-".join(str(end) for end in span) for span in spans]
