"""Columns of a table that measure the same at several levels: ``run1, run2``, ``1 thread, 2 threads``, ``old, new``.

Each such column gives its values to one metric, and its own header says the level: of what is counted
(``threads_4``), of which repeat (``trial 3``), or of which side (``old_ms``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from benchlib.concurrency import counted
from benchlib.formats.headers import REPEATS, is_setting, metric_of, unit_of

__all__ = ["AFTER", "BEFORE", "VARIANT", "Level", "levels_of"]

#: What people call what another is held against, and that other.
BEFORE = frozenset({
    "old", "base", "baseline", "before", "previous", "prev", "main", "master", "control", "reference", "original",
    "unoptimized", "unoptimised", "naive", "sequential", "serial", "seq", "cpu",
})  # fmt: skip
AFTER = frozenset({
    "new", "head", "after", "pr", "candidate", "optimized", "optimised", "patched", "improved", "parallel", "par",
    "gpu",
})  # fmt: skip
#: The axis of two sides, and of repeats.
VARIANT, _RUN = "variant", "run"
#: Letters that number repeats, of a time or of anything.
_LETTERS = {"t": "time", "r": ""}
#: Words that both number repeats and say what is measured: ``time1``.
_NUMBERED = frozenset({"time", "duration", "latency", "elapsed", "runtime"})
#: A longer header names no level.
_LONGEST = 60
_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:\.\d+)?")


class Level(NamedTuple):
    """What a column says beside its values: the metric, its unit, and the level of an axis."""

    metric: str
    unit: str
    axis: str
    level: str


class _Numbered(NamedTuple):
    """A header with one number in it."""

    before: str
    number: str
    behind: str


def levels_of(headers: Sequence[str]) -> dict[int, Level]:
    """Return the level of each column that shares its metric with others, by its place.

    Examples
    --------
    >>> levels_of(["size", "1 thread", "2 threads"])[2]
    Level(metric='value', unit='', axis='threads', level='2')
    >>> levels_of(["test", "before_ms", "after_ms"])[2], levels_of(["p50", "p95"])
    (Level(metric='time', unit='ms', axis='variant', level='after'), {})
    """
    return dict(_sides(headers)) or dict(_numbered(headers))


# --- two sides --------------------------------------------------------------------------------------------------------


def _sides(headers: Sequence[str]) -> Iterator[tuple[int, Level]]:
    """Yield the columns that differ in one word, which says that one of them is held against the other."""
    for old, new, axis in ((BEFORE, AFTER, VARIANT), ({"strong"}, {"weak"}, "scaling")):
        yield from _pairs(headers, old, new, axis)


def _pairs(
    headers: Sequence[str], old: Collection[str], new: Collection[str], axis: str
) -> Iterator[tuple[int, Level]]:
    older: dict[str, list[tuple[int, str]]] = {}
    newer: dict[str, list[tuple[int, str]]] = {}
    for place, header in enumerate(headers):
        words = _TOKEN.findall(header) if len(header) <= _LONGEST else []
        for side, known in ((older, old), (newer, new)):
            of = [word for word in words if word.lower() in known]
            if len(of) == 1:
                side.setdefault(_without(header, of[0]), []).append((place, of[0]))
    for rest, olds in older.items():
        pair = [*olds, *newer.get(rest, [])]
        measured = _measured(rest)
        cores = {word.lower() for _, word in pair} <= {"cpu", "gpu"}
        if len(olds) == 1 and len(pair) == 2 and measured and not (cores and not measured[1]):
            yield from ((place, Level(*measured, axis, word)) for place, word in pair)


def _without(header: str, word: str) -> str:
    left = re.sub(rf"(?<![^\W\d_]){re.escape(word)}(?![^\W\d_])", "", header)
    return re.sub(r"[ _.,:-]{2,}", "_", left).strip(" _.,:-")


def _measured(rest: str) -> tuple[str, str] | None:
    """Return the metric and unit of a header without its level; None where that is what was set."""
    named = metric_of(rest) or metric_of(rest.strip("()[] "))
    if named:
        return named
    return None if rest and is_setting(rest) else (rest or "value", "")


# --- numbers ----------------------------------------------------------------------------------------------------------


def _numbered(headers: Sequence[str]) -> Iterator[tuple[int, Level]]:
    """Yield the columns whose headers differ in one number that a word beside it explains."""
    groups: dict[tuple[str, str], dict[int, _Numbered]] = {}
    for place, header in enumerate(headers):
        parts = re.split(r"(\d+(?:\.\d+)?)", header, maxsplit=1) if len(header) <= _LONGEST else []
        if len(parts) == 3 and not re.search(r"\d", parts[2]) and not _is_percentile(header):
            group = _alike(parts[0]), _alike(parts[2])
            groups.setdefault(group, {})[place] = _Numbered(*parts)
    for columns in groups.values():
        numbers = [column.number for column in columns.values()]
        explained = _explained(next(iter(columns.values())), numbers)
        if len(set(numbers)) == len(numbers) > 1 and explained:
            axis, metric, unit = explained
            yield from ((place, Level(metric, unit, axis, column.number)) for place, column in columns.items())


def _is_percentile(header: str) -> bool:
    named = metric_of(header)
    return bool(named and named[0].startswith("latency_p"))


def _alike(part: str) -> str:
    """Return a part of a header as it counts: one thread, and several threads."""
    return " ".join(counted(word) or word.lower() for word in _TOKEN.findall(part)) + re.sub(r"[\w\s]", "", part)


def _explained(first: _Numbered, numbers: Sequence[str]) -> tuple[str, str, str] | None:
    """Return axis, metric and unit of columns whose headers differ in a number; None where no word explains it."""
    before, behind = _TOKEN.findall(first.before)[-1:], _TOKEN.findall(first.behind)[:1]
    last, next_ = "".join(before).lower(), "".join(behind).lower()
    in_turn = [*map(float, numbers)] in ([*map(float, range(len(numbers)))], [*map(float, range(1, len(numbers) + 1))])
    if in_turn and (last in REPEATS or last in _LETTERS or last in _NUMBERED):
        word = _LETTERS.get(last, last if last in _NUMBERED else "")
        axis, rest = _RUN, f"{_without(first.before, before[0])} {word} {first.behind}"
    elif axis := counted(last) or ("threads" if last == "t" else ""):
        rest = f"{_without(first.before, before[0])} {first.behind}"
    elif axis := counted(next_) or ("threads" if next_ == "t" else ""):
        rest = f"{first.before} {_without(first.behind, behind[0])}"
    elif last and (first.before.rstrip().endswith("=") or (is_setting(last) and not unit_of(last))):
        axis, rest = before[0], f"{_without(first.before.rstrip(' ='), before[0])} {first.behind}"
    else:
        return None
    measured = _measured(re.sub(r"[\s_.,:=-]+", "_", rest).strip("_"))
    return (axis, *measured) if measured else None
