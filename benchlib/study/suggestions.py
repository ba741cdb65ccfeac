"""What a study could say about its results and does not yet."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Sequence

from benchlib.results import Results

__all__ = ["parallel_candidates", "residue_axes"]

_PARALLEL = re.compile(r"[Pp]arallel|PARALLEL|RPS|(?:^|[^A-Za-z])rps(?:$|[^a-z])")


def parallel_candidates(results: Results, listed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the benchmarks whose name says that their time is wall time over parallel operations.

    Only a study can know: for these 1/time would be throughput, for any other it would be nonsense.

    Parameters
    ----------
    results : Results
    listed : sequence of str
        Globs that the study has under ``parallel`` already.
    """
    timed = results.frame.loc[results.frame["metric"] == "time", "benchmark"].unique()
    return tuple(
        str(one)
        for one in timed
        if _PARALLEL.search(str(one)) and not any(fnmatch.fnmatchcase(str(one), glob) for glob in listed)
    )


def residue_axes(results: Results, grouped: Collection[str] = ()) -> tuple[str, ...]:
    """Return the axes that vary within one benchmark of one run, and that nothing groups by.

    Parameters
    ----------
    results : Results
    grouped : collection of str
        Axes that a plan of the study names.
    """
    frame, cell = results.frame, ["benchmark", "run"]
    found = []
    for axis in results.varying_axes:
        pairs = frame[[*cell, axis]].drop_duplicates()
        if axis not in grouped and len(pairs) > len(pairs[cell].drop_duplicates()):
            found.append(axis)
    return tuple(found)
