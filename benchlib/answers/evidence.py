"""Where a number came from: the rows behind it and the formula that made it."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

__all__ = ["Evidence", "gather"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The rows and the formula behind a number.

    Attributes
    ----------
    rows : tuple of str
        ``source:line`` of each measured value, in the order of the table.
    formula : str
        How the number follows from those rows.
    """

    rows: tuple[str, ...]
    formula: str


def gather(frame: pd.DataFrame, formula: str) -> Evidence:
    """Return the evidence that the rows of a tidy table give.

    Examples
    --------
    >>> import pandas as pd
    >>> gather(pd.DataFrame({"source": ["a.txt"], "line": [5]}), "the value").rows
    ('a.txt:5',)
    """
    places = (f"{source}:{line}" for source, line in zip(frame["source"], frame["line"], strict=True))
    return Evidence(rows=tuple(dict.fromkeys(places)), formula=formula)
