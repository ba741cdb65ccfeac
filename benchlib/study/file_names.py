"""What the names of files say of them where nobody said it in words.

``run1.txt`` and ``run2.txt`` differ in a number and repeat each other, as far as names can say. ``transfer_csp.txt``
and ``transfer_bulletproof.txt`` do not: pooled, they would be one sample with an interval that is of neither. So files
whose names differ in words are kept apart, and `files_alike` finds the path template that would say what differs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

import pandas as pd

from benchlib.caveats import caveat
from benchlib.errors import choices
from benchlib.formats.table import numbers_of
from benchlib.results import MEASURES, Results

__all__ = ["AXIS", "files_alike", "pool_files"]

#: The axis that tells such files apart.
AXIS = "file"
_APART = "files-apart"
#: Groups of files that the caveat names.
_MOST_NAMED = 6
_TELLING = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
#: With a number and fewer letters than this a word counts something: ``c64``, ``r3``, ``d5s``.
_FEWEST_LETTERS = 3


def part_files(results: Results) -> Results:
    """Return results with an axis ``file`` where files that differ in words have values of the same cells."""
    frame = results.frame
    sources = dict.fromkeys([*frame["source"].unique(), *results.failed["source"].unique()])
    named = _names([str(source) for source in sources])
    if AXIS in frame or len(set(named.values())) < 2:
        return results
    levels = _meeting(_with_axis(frame, named), [*results.axes, "benchmark", "run", "metric", "unit"])
    if not levels:
        return results
    # What meets no other needs no name beside its own.
    named = {source: level for source, level in named.items() if level in levels}
    files = {level: [source for source, own in named.items() if own == level] for level in levels}
    shown = [f"{level} ({own[0]}{f' and {len(own) - 1} more' if len(own) > 1 else ''})" for level, own in files.items()]
    message = f"nobody said that these files repeat each other, and their names differ: {choices(shown, _MOST_NAMED)}"
    return replace(
        results,
        frame=_with_axis(frame, named),
        failed=_with_axis(results.failed, named),
        caveats=(*results.caveats, caveat(_APART, message)),
    )


def pool_files(results: Results) -> Results:
    """Return results as they were before `part_files`, for whoever says that the files are one recording."""
    if all(caveat.code != _APART for caveat in results.caveats):
        return results
    others = tuple(caveat for caveat in results.caveats if caveat.code != _APART)
    return replace(
        results, frame=results.frame.drop(columns=AXIS), failed=results.failed.drop(columns=AXIS), caveats=others
    )


def _meeting(frame: pd.DataFrame, by: Sequence[str]) -> list[str]:
    """Return the levels of the axis that have values of one cell with another level."""
    files = frame.groupby(list(by), observed=True, dropna=False, sort=False)[AXIS].transform("nunique")
    return [str(level) for level in frame[AXIS][files.to_numpy() > 1].unique()]


def _with_axis(frame: pd.DataFrame, named: Mapping[str, str]) -> pd.DataFrame:
    parted = frame.copy(deep=False)
    parted.insert(
        list(frame.columns).index(MEASURES[0]), AXIS, frame["source"].astype(str).map(named).astype("category")
    )
    return parted


def _names(sources: Sequence[str]) -> dict[str, str]:
    """Name each file by the words that not all of them share; those that differ in digits alone have one name."""
    words = {source: _telling_words(source) for source in sources}
    every = list(dict.fromkeys(words.values()))
    first, last = _shared(every), _shared([own[::-1] for own in every])
    if any(len(own) <= first + last for own in every):
        first = last = 0  # of one of them nothing would be left
    return {source: "-".join(own[first : len(own) - last]) for source, own in words.items()}


def _telling_words(source: str) -> tuple[str, ...]:
    written = _TELLING.findall(str(PurePosixPath(source).with_suffix("")))
    letters = [(_DIGITS.sub("", word), word) for word in written]
    return tuple(bare for bare, word in letters if bare == word or len(bare) >= _FEWEST_LETTERS)


def _shared(every: Sequence[tuple[str, ...]]) -> int:
    """Count the words that all begin with."""
    places = zip(*every, strict=False)
    return next((at for at, words in enumerate(places) if len(set(words)) > 1), min(map(len, every), default=0))


# --- the path template that would tell them apart ---------------------------------------------------------------------


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
