"""Files that hold what another holds: copies, and the same measurements in two notations.

That the results are the same must be no coincidence: either the files are the same to the byte, or their
times and rates agree beyond what repeats do, which is the first three digits. Allocations and bytes of an
operation, and whatever else a program counts, are the same in every repeat and prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchlib.formats.columns import Codes
from benchlib.formats.rows import Rows
from benchlib.formats.table import ReadFile
from benchlib.formats.twice.digits import Values, bounds, significant
from benchlib.formats.twice.groups import Mask, Places, numbers_of
from benchlib.metrics import unit_of
from benchlib.units import parse_unit

__all__ = ["LEAST_DIGITS", "ROUTINE_DIGITS", "contradict", "copies", "notations", "run_of"]

#: Repeats on a quiet machine agree in the first three digits; each further one in one case of ten.
ROUTINE_DIGITS, LEAST_DIGITS = 3, 4
#: Among so many values of a file those that tell it from others are sought; it takes few.
_LOOKED_AT, _ANCHORS = 24, 4
#: What a value is of.
_SUBJECT = ("name", "benchmark", "metric", "unit")
#: Where so many values lie near one, it tells nothing.
_CROWD = 256


def copies(files: Sequence[ReadFile]) -> dict[str, str]:
    """Return the source of each file that only repeats another, and that other's.

    Only files that count iterations can be told. Files of the same bytes are copies; others are where
    their rows are the same, and their measured times and rates have at least `LEAST_DIGITS` digits in
    all beyond the third of each. Files of two named runs are left alone.
    """
    if len(files) < 2:
        return {}
    by_size: dict[int, list[ReadFile]] = {}
    for one in files:
        if len(one.reading.rows) > 1 and one.reading.rows.iterations.complete:
            by_size.setdefault(len(one.reading.rows), []).append(one)
    found: dict[str, str] = {}
    for group in by_size.values():
        # By their numbers, so that ten thousand files of one size are not each held against all.
        kept: dict[tuple[bytes, bytes], list[ReadFile]] = {}
        # The file that its path tells more about stays; criterion keeps its newest sample twice, and the
        # copy is the one in ``base``.
        for one in sorted(group, key=lambda file: (-len(file.path_facts), "/base/" in file.source)):
            rows = one.reading.rows
            alike = kept.setdefault((rows.value.array.tobytes(), rows.iterations.array.tobytes()), [])
            twin = next((other for other in alike if _repeats(one, other)), None)
            if twin is None:
                alike.append(one)
            else:
                found[one.source] = twin.source
    return found


def _repeats(one: ReadFile, other: ReadFile) -> bool:
    mine, theirs = one.reading.rows, other.reading.rows
    runs = {run for run in (run_of(one), run_of(other)) if run}
    same = mine.name == theirs.name and mine.unit == theirs.unit and len(runs) < 2
    return same and (one.sha256 == other.sha256 or _is_telling(mine))


def _is_telling(rows: Rows) -> bool:
    """Whether other measurements could not have given the same times and rates."""
    timed = np.zeros(max(1, len(rows.unit.levels) * len(rows.metric.levels)), dtype=bool)
    width = len(rows.metric.levels)
    for unit, at in rows.unit.levels.items():
        for name, of in rows.metric.levels.items():
            timed[at * width + of] = "sec" in (unit_of(name, unit) if name else parse_unit(unit)).base
    measured = timed[rows.unit.array.astype(np.int64) * width + rows.metric.array]
    found = 0
    for value in rows.value.array[measured].tolist():
        found += max(0, significant(value) - ROUTINE_DIGITS)
        if found >= LEAST_DIGITS:
            return True
    return False


def run_of(file: ReadFile) -> str:
    """Return the run that a file as a whole is of, empty where neither path nor command names one."""
    return next((facts["run"] for _, facts in file.path_facts if "run" in facts), file.run)


@dataclass(frozen=True, slots=True)
class _File:
    """The rows of one file in the table of all, and its most telling values with their digits."""

    source: str
    places: Places
    anchors: list[tuple[int, int]]


def notations(
    whole: pd.DataFrame, axes: Sequence[str], comparable: Callable[[str, str], bool]
) -> Iterator[tuple[str, str, Places]]:
    """Yield a file, another that says the same of some of its rows, and the places of these.

    A benchmark and metric of the first is in the second where each of its values is, to the digits that the
    first writes. One that both hold and that is not shows that they are two measurements.

    Parameters
    ----------
    whole : DataFrame
        Rows of all files; a benchmark that its file does not name has no name.
    axes : sequence of str
    comparable : callable
        Whether rows of the first file may give way to the second.
    """
    files = _files(whole)
    if len(files) < 2:
        return
    lost: set[str] = set()
    tried: set[tuple[str, str]] = set()
    for pair in _candidates(whole, files):
        # The one with fewer rows gives way, or of two alike the one that was read last; but if its values have
        # more digits than the other's, only the other can be made from it.
        mine, theirs = sorted(pair, key=lambda one: (len(one.places), -one.places[0]))
        key = (mine.source, theirs.source)
        if key in tried or not lost.isdisjoint(key) or not comparable(*key):
            continue
        tried.add(key)
        for one, other in ((mine, theirs), (theirs, mine)):
            found = _shared(whole, axes, one.places, other.places)
            if len(found):
                lost.add(one.source)
                yield one.source, other.source, found
                break


def _files(whole: pd.DataFrame) -> list[_File]:
    """Return the files, with those of their times and rates that have more digits than repeats agree in."""
    timed = _timed(whole)
    sources = whole["source"].cat.codes.to_numpy()
    order = np.argsort(sources, kind="stable")
    starts = np.flatnonzero(np.diff(sources[order])) + 1
    names, values = whole["source"].cat.categories, whole["value"].to_numpy(dtype=np.float64)
    found = []
    for own in np.split(order, starts) if len(order) else ():
        mine = own[timed[own]]
        head = mine[:: len(mine) // _LOOKED_AT + 1]
        digits = sorted(zip(map(significant, values[head].tolist()), head.tolist(), strict=True), reverse=True)
        anchors = [(place, one) for one, place in digits[:_ANCHORS] if one > ROUTINE_DIGITS]
        told = sum(one - ROUTINE_DIGITS for _, one in anchors) >= LEAST_DIGITS
        found.append(_File(str(names[sources[own[0]]]), own, anchors if told else []))
    return found


def _timed(whole: pd.DataFrame) -> Mask:
    units = whole["unit"].cat
    found: Mask = np.asarray(["sec" in str(one) for one in units.categories], dtype=bool)[units.codes.to_numpy()]
    return found


def _candidates(whole: pd.DataFrame, files: Sequence[_File]) -> Iterator[tuple[_File, _File]]:
    """Yield the pairs of which the second holds telling values of the first."""
    owner = np.full(len(whole), -1)
    for number, one in enumerate(files):
        owner[one.places] = number
    every = whole["value"].to_numpy(dtype=np.float64)
    order = np.argsort(every, kind="stable")
    values = every[order]
    keys = numbers_of(whole, _SUBJECT)
    anchors = [anchor for one in files for anchor in one.anchors]
    places = np.asarray([place for place, _ in anchors], dtype=np.intp)
    # A value that was written with so many digits differs by one of the last at most.
    slack = np.abs(every[places]) * 10.0 ** (1 - np.asarray([digits for _, digits in anchors], dtype=np.float64))
    first = np.searchsorted(values, every[places] - slack)
    counts = np.searchsorted(values, every[places] + slack) + 1 - first
    counts = np.where(counts > _CROWD, 0, np.minimum(counts, len(values) - first))
    asked = np.repeat(np.arange(len(anchors)), counts)
    near = order[np.arange(len(asked)) - np.repeat(np.cumsum(counts) - counts, counts) + first[asked]]
    same = (keys[near] == keys[places[asked]]) & (owner[near] != owner[places[asked]])
    shared: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for at, other in zip(asked[same].tolist(), owner[near[same]].tolist(), strict=True):
        shared.setdefault((int(owner[places[at]]), other), set()).add(anchors[at])
    for number, other in sorted(shared):
        found, one = shared[number, other], files[number]
        if other >= 0 and sum(digits - ROUTINE_DIGITS for _, digits in found) >= LEAST_DIGITS:
            missing = [keys[anchor] for anchor, digits in one.anchors if (anchor, digits) not in found]
            # What both speak of and say differently shows that they are two measurements.
            if not np.isin(keys[files[other].places], missing).any():
                yield one, files[other]


def _shared(whole: pd.DataFrame, axes: Sequence[str], mine: Places, theirs: Places) -> Places:
    """Return which of my rows the others hold too; none unless that is beyond coincidence."""
    own, others = whole.iloc[mine], whole.iloc[theirs]
    if contradict(own, others, ["run", *axes]):
        return mine[:0]
    both = whole[list(_SUBJECT)].iloc[np.concatenate([mine, theirs])]
    codes = numbers_of(both, _SUBJECT)
    known = _by_code(codes[len(mine) :], others["value"].to_numpy(dtype=np.float64))
    low, high = bounds(own)
    timed, values = _timed(own), own["value"].to_numpy(dtype=np.float64)
    found, digits = [], 0.0
    for code, at in _places(codes[: len(mine)]):
        if code not in known:
            continue
        if not _among(known[code], low[at], high[at]):
            return mine[:0]
        found.append(at)
        # Among many values one of them is near by chance.
        chance = ROUTINE_DIGITS + np.log10(len(known[code]))
        digits += sum(max(0.0, significant(one) - chance) for one in values[at[timed[at]]][:1000].tolist())
    return mine[np.concatenate(found)] if digits >= LEAST_DIGITS else mine[:0]


def _among(known: Values, low: Values, high: Values) -> bool:
    """Whether each pair of bounds has one of the known values, in order, for itself."""
    order = np.argsort(low, kind="stable")
    steps = np.arange(len(low))
    # The first that is left: each takes one, and the next looks beyond it.
    at = np.maximum.accumulate(np.searchsorted(known, low[order]) - steps) + steps
    return bool(at[-1] < len(known) and (known[at] <= high[order]).all())


def contradict(own: pd.DataFrame, others: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Whether some rows state of a column what none of the others states, and these state something."""
    for name in columns:
        theirs = {one for one in others[name].dropna().unique().tolist() if one != ""}
        if theirs and not theirs.issuperset(one for one in own[name].dropna().unique().tolist() if one != ""):
            return True
    return False


def _by_code(codes: Codes, values: Values) -> Mapping[int, Values]:
    return {code: np.sort(values[at]) for code, at in _places(codes)}


def _places(codes: Codes) -> Iterator[tuple[int, Places]]:
    order = np.argsort(codes, kind="stable")
    for at in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else ():
        yield int(codes[at[0]]), at
