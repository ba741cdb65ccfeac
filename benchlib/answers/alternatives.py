"""Which of several alternatives is fastest, case by case, where names or an axis hold alternatives and cases.

A shoot-out of libraries names its benchmarks by library and case: ``ajson_large_parse``, ``Kryo.site1k``. Which part of
a name is which nobody says; alternatives do the same job, so that the part whose levels differ least within a case is
taken for them.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchlib.answers.asking import Refusal
from benchlib.answers.evidence import Evidence, pool
from benchlib.answers.samples import SampleRow, SampleTable
from benchlib.metrics import better
from benchlib.study.meant import CIRCUMSTANCES, PARTS_OF_LOAD

__all__ = ["AlternativesAnswer"]

_FEWEST, _MOST = 2, 24
#: So many cases make a pattern, and this share of the rows has to be of cases that all alternatives have.
_FEWEST_CASES, _COVERED = 3, 0.8
#: Characters of a name: nobody names alternatives at more length, and every place of a name is tried as a cut.
_LONGEST = 500
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+[A-Za-z]*")
#: A number by itself, or no word at all.
_AMOUNT = re.compile(r"(?<![A-Za-z])[0-9]|^$")
_PATH = re.compile(r"::|[./#]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativesAnswer:
    """Who is fastest, and who slowest, in how many cases.

    Attributes
    ----------
    metric, unit : str
    alternatives : tuple of str
        The one that is fastest most often first.
    cases : int
        That all or most of them have.
    fastest, slowest : mapping of str to int
        In how many cases each is, by its median.
    evidence : Evidence
    """

    metric: str
    unit: str
    alternatives: tuple[str, ...]
    cases: int
    fastest: Mapping[str, int]
    slowest: Mapping[str, int]
    evidence: Evidence


def alternatives_answer(samples: SampleTable | Refusal) -> AlternativesAnswer | Refusal:
    """Find alternatives and cases in the names of what was measured, and who is fastest in each case.

    Examples
    --------
    >>> from benchlib.answers.executive import executive_summary
    >>> from benchlib.study import open_study
    >>> table = executive_summary(open_study("data/lplex")).samples
    >>> alternatives_answer(table).reason
    'no part of the names holds alternatives that were measured in the same cases'
    """
    for metric in ("time", "throughput"):
        rows = [] if isinstance(samples, Refusal) else [row for row in samples.rows if row.metric == metric]
        units = Counter(row.unit for row in rows)
        unit = max(units, key=lambda name: units[name], default="")
        rows = [row for row in rows if row.unit == unit]
        cut = min(_cuts(rows), key=lambda found: _spread(rows, found), default=None)
        if cut is not None:
            return _answer(rows, cut)
    return Refusal(
        question="alternatives",
        reason="no part of the names holds alternatives that were measured in the same cases",
        advice="measure each alternative in every case, and name benchmarks by both",
    )


_Cut = list[tuple[str, tuple[str, ...]]]


def _cuts(rows: Sequence[SampleRow]) -> Iterator[_Cut]:
    """Yield each way to cut what tells rows apart into an alternative and a case, where alternatives meet in cases."""
    cases = CIRCUMSTANCES | PARTS_OF_LOAD
    where = [tuple(str(row.key[axis]) for axis in row.key if axis.lower() in cases) for row in rows]
    levels = [[str(level) for axis, level in row.key.items() if axis.lower() not in cases] for row in rows]
    if any(sum(map(len, named)) > _LONGEST for named in levels):
        return
    # By path and word by word, where all names have as many parts; else at the words that names share at an end.
    for split in (_PATH.split, _WORDS.findall):
        names = [[part for level in named for part in split(level)] for named in levels]
        if names and len({len(name) for name in names}) == 1:
            for place in range(len(names[0])):
                cut = [(name[place], (*name[:place], *name[place + 1 :])) for name in names]
                yield from _sound(cut, where)
    words = [[word for level in named for word in _WORDS.findall(level)] for named in levels]
    yield from _sound(_cut_at_shared(words), where)
    turned = _cut_at_shared([name[::-1] for name in words])
    yield from _sound([(" ".join(one.split()[::-1]), case) for one, case in turned], where)


def _cut_at_shared(names: Sequence[list[str]]) -> _Cut:
    """Cut each name before the longest end that it shares with names of half of the alternatives."""
    ends = Counter(tuple(name[place:]) for name in names for place in range(1, len(name)))
    many = max(2, len({name[0] for name in names if name}) / 2)
    cut = []
    for name in names:
        place = next((place for place in range(1, len(name)) if ends[tuple(name[place:])] >= many), len(name))
        cut.append((" ".join(name[:place]), tuple(name[place:])))
    return cut


def _sound(cut: _Cut, where: Sequence[tuple[str, ...]]) -> Iterator[_Cut]:
    """Yield a cut with the circumstances as parts of its cases, if it holds."""
    placed = [(one, (*case, *circumstances)) for (one, case), circumstances in zip(cut, where, strict=True)]
    if _holds(placed):
        yield placed


def _holds(cut: _Cut) -> bool:
    """Whether the alternatives are words, and most rows are of cases that most alternatives have."""
    alternatives = {alternative for alternative, _ in cut}
    if not _FEWEST <= len(alternatives) <= _MOST or any(map(_AMOUNT.search, alternatives)):
        return False
    cases = Counter(case for _, case in cut)
    if len(cases) < _FEWEST_CASES or len(set(cut)) < len(cut):
        return False
    whole = sum(count for count in cases.values() if count >= _COVERED * len(alternatives))
    return whole >= _COVERED * len(cut)


def _spread(rows: Sequence[SampleRow], cut: _Cut) -> float:
    """Return how far alternatives differ within a case, as a logarithm: the median over the cases."""
    cases: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row, (_, case) in zip(rows, cut, strict=True):
        cases[case].append(row.sample.median.value)
    return median(math.log(max(case) / min(case)) if min(case) > 0 else math.inf for case in cases.values())


def _shared_words(names: Sequence[str]) -> str:
    """Return the words that all names begin with."""
    first, *others = (name.split(" ") for name in names)
    count = 0
    while count < min(map(len, (first, *others))) - 1 and all(other[count] == first[count] for other in others):
        count += 1
    return "".join(f"{word} " for word in first[:count])


def _answer(rows: Sequence[SampleRow], cut: _Cut) -> AlternativesAnswer:
    cases: dict[tuple[str, ...], list[tuple[float, str]]] = defaultdict(list)
    for row, (alternative, case) in zip(rows, cut, strict=True):
        cases[case].append((row.sample.median.value, alternative))
    several = [sorted(case, key=lambda pair: pair[0]) for case in cases.values() if len(case) > 1]
    if better(rows[0].metric, rows[0].unit) == "higher":
        several = [case[::-1] for case in several]
    fastest = Counter(case[0][1] for case in several)
    slowest = Counter(case[-1][1] for case in several)
    names = dict.fromkeys(alternative for alternative, _ in cut)
    shared = len(_shared_words(list(names)))
    short = {name: name[shared:] for name in names}
    return AlternativesAnswer(
        metric=rows[0].metric,
        unit=rows[0].unit,
        alternatives=tuple(short[name] for name in sorted(names, key=lambda name: -fastest[name])),
        cases=len(several),
        fastest={short[name]: count for name, count in fastest.items()},
        slowest={short[name]: count for name, count in slowest.items()},
        evidence=pool([row.evidence for row in rows], "the median of each alternative in each case, in order"),
    )
