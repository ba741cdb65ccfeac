"""What keys mean for the rows of a frame: what each says, what they cut out of names, which rows their lists leave.

References
----------
golang.org/x/perf/benchproc, ``extract.go`` and ``projection.go``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchlib.answers.benchstat.columns import Columns, Texts
from benchlib.answers.benchstat.keys import Key
from benchlib.errors import SelectionError, choices, printable

__all__ = ["Cut", "kept_rows", "values_of"]


@dataclass(frozen=True, slots=True)
class Cut:
    """What specific keys take out of the whole.

    Attributes
    ----------
    axes : frozenset of str
        Out of ``.config``.
    keys : frozenset of str
        Out of ``.fullname``.
    """

    axes: frozenset[str]
    keys: frozenset[str]

    @classmethod
    def by(cls, keys: Sequence[Key], columns: Columns) -> Cut:
        """Return what keys take out.

        Examples
        --------
        >>> import pandas as pd
        >>> from benchlib.answers.benchstat.keys import parse_keys
        >>> columns = Columns(pd.DataFrame({"name": ["A/size=4"], "size": [4], "pkg": ["p"]}))
        >>> cut = Cut.by(parse_keys("/size,pkg"), columns)
        >>> sorted(cut.keys), sorted(cut.axes)
        (['/size'], ['pkg'])
        """
        names = [one.name for one in keys]
        own = {one for one in names if one == ".name" or one.startswith("/")}
        axes = {columns.axes[one] for one in names if one in columns.axes}
        # An axis that names alone state is cut out of them, as /key is.
        own |= {found for one in axes if (found := columns.states(one)) and not columns.configured(one)}
        return cls(frozenset(axes), frozenset(own | ({".name"} if "benchmark" in names else set())))


def values_of(key: Key, columns: Columns) -> Texts:
    """Return what a specific key says of each row.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchlib.answers.benchstat.keys import parse_keys
    >>> columns = Columns(pd.DataFrame({"name": ["A/size=4", "A"]}))
    >>> [found] = [values_of(one, columns) for one in parse_keys("/size")]
    >>> [found.levels[code] for code in found.codes]
    ['4', '']
    """
    name = key.name
    if name == ".file":
        return columns.column("run")
    if name == ".name":
        return columns.base()
    if name == ".fullname":
        return columns.names
    if name.startswith("/"):
        return columns.part(name)
    if name in columns.axes:
        axis = columns.axes[name]
        return columns.configuration(axis) if columns.configured(axis) else columns.column(axis)
    if name in columns.frame:
        return columns.column(name)
    return Texts(np.zeros(len(columns.frame), dtype=np.intp), ("",))


def kept_rows(keys: Sequence[Key], columns: Columns) -> NDArray[np.bool_] | None:
    """Return the rows that fixed orders leave in; None for all.

    Raises
    ------
    SelectionError
        Where no row is left.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchlib.answers.benchstat.keys import parse_keys
    >>> columns = Columns(pd.DataFrame({"name": ["A", "B"]}))
    >>> kept_rows(parse_keys(".name@(B)"), columns)
    array([False,  True])
    """
    kept: NDArray[np.bool_] | None = None
    for key in keys:
        if key.order == "fixed":
            texts = values_of(key, columns)
            listed = np.asarray([one in key.fixed for one in texts.levels], dtype=bool)[texts.codes]
            kept = listed if kept is None else kept & listed
            if not kept.any():
                shown = f"'{printable(key.name)}@({printable(' '.join(key.fixed))})'"
                takes = f"{printable(key.name)} takes {choices(filter(None, texts.levels))}"
                beside = ", of those that lists before it leave" if listed.any() else ""
                raise SelectionError(f"{shown} leaves no row{beside}; {takes}")
    return kept
