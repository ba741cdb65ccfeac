"""What a study could say about its results and does not yet."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Collection, Sequence

from benchlib.formats.table import numbers_of
from benchlib.results import Results

__all__ = ["files_alike", "parallel_candidates", "residue_axes"]

_PARALLEL = re.compile(r"[Pp]arallel|PARALLEL|RPS|(?:^|[^A-Za-z])rps(?:$|[^a-z])")


def parallel_candidates(results: Results, listed: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the benchmarks whose name says that their time is wall time over parallel operations.

    Only a study can know: for these 1/time would be throughput, for any other it would be nonsense.
    """
    timed = results.frame.loc[results.frame["metric"] == "time", "benchmark"].unique()
    return tuple(
        str(name)
        for name in timed
        if _PARALLEL.search(str(name)) and not any(fnmatch.fnmatchcase(str(name), glob) for glob in listed)
    )


def residue_axes(results: Results, grouped: Collection[str] = ()) -> tuple[str, ...]:
    """Return the axes that vary within one benchmark of one run, and that nothing groups by."""
    frame, cell = results.frame, ["benchmark", "run"]
    residue = []
    for axis in results.varying_axes:
        pairs = frame[[*cell, axis]].drop_duplicates()
        if axis not in grouped and len(pairs) > len(pairs[cell].drop_duplicates()):
            residue.append(axis)
    return tuple(residue)


def files_alike(results: Results) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """Return the files that hold one configuration of one benchmark, and that only their names tell apart.

    Their values would be taken for repeats of one measurement. With them stand a benchmark, and a path template that
    would tell them apart: empty where their names have no common shape.
    """
    frame = results.frame
    if frame["source"].nunique() < 2:
        return ()
    cells = numbers_of(frame, ["benchmark", "name", *results.axes, "run", "metric"])
    pairs = frame[["benchmark", "source"]].astype(str).assign(cell=cells).drop_duplicates(["cell", "source"])
    pairs = pairs[pairs.duplicated("cell", keep=False)]
    sets: dict[tuple[str, ...], str] = {}
    for _, cell in pairs.groupby("cell", sort=False):
        sets.setdefault(tuple(cell["source"]), str(cell["benchmark"].iloc[0]))
    # Files whose names have one shape need one template.
    shapes: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for sources in sets:
        shapes.setdefault(tuple(dict.fromkeys("".join(_words(source)[1::2]) for source in sources)), []).append(sources)
    return tuple(
        (sets[alike[0]], tuple(dict.fromkeys(source for sources in alike for source in sources)), path_template(alike))
        for alike in shapes.values()
    )


#: Names of files are made of words between these.
_BETWEEN = re.compile(r"([-_./ ]+)")
_REPEAT = re.compile(r"(?:r|run|rep|n)?\d+", re.IGNORECASE)
#: A name of more words is no pattern that anybody would write.
_MOST_WORDS = 40


def _words(source: str) -> list[str]:
    return _BETWEEN.split(source)


def path_template(sets: Sequence[Sequence[str]]) -> str:
    """Return a path template that tells the files of each set apart; empty where their names have several shapes.

    Words in which the files of a set differ become axes; what only differs between sets is passed over.
    """
    words = [[_words(source) for source in sources] for sources in sets]
    every = [name for names in words for name in names]
    first = every[0]
    shaped = all(name[1::2] == first[1::2] for name in every) and len(first) < _MOST_WORDS
    if not shaped or any(mark in source for sources in sets for source in sources for mark in "{}"):
        return ""
    parts = []
    taken: Counter[str] = Counter()
    for at, word in enumerate(first):
        variants = {name[at] for name in every}
        if len(variants) == 1:
            parts.append(word)
        elif all(len({name[at] for name in names}) == 1 for names in words):
            parts.append("{_}")
        else:
            axis = "run" if all(map(_REPEAT.fullmatch, variants)) else "variant"
            taken[axis] += 1
            parts.append(f"{{{axis}{taken[axis] if taken[axis] > 1 else ''}}}")
    return "".join(parts)
