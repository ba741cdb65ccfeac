"""Where a number came from: the rows behind it and the formula that made it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import pandas as pd

__all__ = ["Evidence", "gather"]


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
    places = dict.fromkeys(zip(frame["source"].astype(str), frame["line"].astype(int), strict=True))
    rows = []
    for source, lines in groupby(sorted(places), key=lambda place: place[0]):
        rows += [f"{source}:{span}" for span in _spans([line for _, line in lines])]
    return Evidence(rows=tuple(rows), formula=formula)


def _spans(lines: list[int]) -> list[str]:
    spans: list[list[int]] = []
    for line in lines:
        if spans and line == spans[-1][-1] + 1:
            spans[-1][1:] = [line]
        else:
            spans.append([line])
    return ["-".join(str(end) for end in span) for span in spans]
