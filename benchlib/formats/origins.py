"""Where the values of an exported table came from: what `benchlib convert` wrote reads back as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from benchlib.results import Results

__all__ = ["restore"]

#: What an origin states of a line of the exported table, in order.
_STATED = ("source", "line", "position", "original_unit")


def restore(results: Results) -> Results:
    """Return the results with source, line, position and unit of exported tables as first read.

    A reader says them in a series of kind ``origin``, which is used up here.
    """
    origins = [one for one in results.series if one.kind == "origin"]
    if not origins:
        return results
    frame, failed = results.frame, results.failed
    for one in origins:
        frame, failed = _restored(frame, one.source, one.data), _restored(failed, one.source, one.data)
    rest = tuple(one for one in results.series if one.kind != "origin")
    return replace(results, frame=frame, failed=failed, series=rest)


def _restored(frame: pd.DataFrame, source: str, origins: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    mine = (frame["source"] == source).to_numpy()
    if not mine.any():
        return frame
    stated = pd.DataFrame(list(origins), columns=["at", *_STATED]).set_index("at")
    # A line whose origin was not told keeps its place in the exported table.
    known = mine & frame["line"].isin(stated.index).to_numpy()
    places = frame.loc[known, "line"].to_numpy()
    columns: dict[str, Any] = {}
    for name in _STATED:
        column = frame[name]
        found = stated.loc[places, name].to_numpy()
        if name in ("line", "position"):
            values = column.to_numpy(copy=True)
            values[known] = found
            columns[name] = values
        else:
            words = column.astype(object).to_numpy(copy=True)
            words[known] = found
            levels = pd.Index(list(dict.fromkeys(words.tolist())), dtype=object)
            columns[name] = pd.Categorical(words, categories=levels)
    return frame.assign(**columns)
