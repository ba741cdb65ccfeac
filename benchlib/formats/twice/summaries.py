"""Which rows of a table say what a log says, and what the table knows of the log's rows.

A record of the table, which is what it says at one place of one benchmark, is held against groups of the
logs' rows whose run and axes do not contradict it: from those of one name and configuration in one file to all
of them. What the record states and its group does not, such as an executor that stands in no log, is handed to
the group, but only where the two belong together beyond doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from benchlib.formats.columns import Codes
from benchlib.formats.twice.digits import Values, bounds, significant
from benchlib.formats.twice.groups import Facts, Group, Mask, Places, agree, judge, levels, numbers_of, widening

__all__ = ["Verdict", "against"]

#: Fewer digits in all agree by chance: such a record counts only where every other of its table agrees too.
_FEWEST_DIGITS = 3


@dataclass(slots=True)
class Verdict:
    """What became of the rows of a table.

    Attributes
    ----------
    superseded : ndarray of bool
        Of each row: whether a log says the same.
    groups : list of Group
        The groups that do.
    handed : list of (Group, mapping)
        Groups, and the axes that they take from the table.
    unclear : set of str
        Axes that superseded records state and no group could take.
    """

    superseded: Mask
    groups: list[Group] = field(default_factory=list)
    handed: list[tuple[Group, dict[str, Any]]] = field(default_factory=list)
    unclear: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Match:
    """Records of one configuration that fit the same groups."""

    facts: Facts
    rows: Places
    groups: list[Group]

    def claim(self, group: Group) -> Facts:
        """Return what the records state and a group does not."""
        return _claim(self.facts, group)


def _claim(facts: Facts, group: Group) -> Facts:
    return tuple(mine if theirs is None else None for mine, theirs in zip(facts, group.facts, strict=True))


def _claims(facts: Facts, group: Group) -> bool:
    return any(one is not None for one in _claim(facts, group))


def against(rows: pd.DataFrame, groups: Sequence[Group], axes: Sequence[str], digits: int = 0) -> Verdict:
    """Hold the rows of one table against groups of logs.

    Parameters
    ----------
    rows : DataFrame
        Of one file.
    groups : sequence of Group
        Those that take axes state them afterwards.
    axes : sequence of str
        Of the facts of the groups, in order.
    digits : int, optional
        How many digits the values had before the table was made, where its reader knows.
    """
    low, high = bounds(rows, digits)
    records = numbers_of(rows, ["position"])
    subjects = numbers_of(rows, ["metric", "unit"])
    firsts = dict(zip(*(one.tolist() for one in np.unique(subjects, return_index=True)), strict=True))
    names = {one: (str(rows["metric"].iloc[at]), str(rows["unit"].iloc[at])) for one, at in firsts.items()}
    matches: list[_Match] = []
    missed = False
    for own, facts, near in _cells(rows, groups, axes):
        local = pd.factorize(records[own])[0].astype(np.int64)
        mine = subjects[own]
        by_metric = {names[one]: np.flatnonzero(mine == one) for one in np.unique(mine).tolist()}
        left = np.ones(int(local.max()) + 1, dtype=bool)
        for level, narrow in widening(near):
            fits = [(one, *judge(one, by_metric, local, low[own], high[own])) for one in level]
            matches += _matches(own, facts, local, left, fits, narrow=narrow)
            for _, agreed, _ in fits:
                left &= ~agreed
        missed |= bool(left.any())
    verdict = Verdict(np.zeros(len(rows), dtype=bool))
    if missed:
        values = rows["value"].to_numpy(dtype=np.float64)
        for one in matches:
            one.rows = _telling(one.rows, records, values)
    _settle([one for one in matches if len(one.rows)], axes, verdict)
    return verdict


def _cells(
    rows: pd.DataFrame, groups: Sequence[Group], axes: Sequence[str]
) -> Iterator[tuple[Places, Facts, list[Group]]]:
    """Yield the rows of each benchmark and configuration, what they state, and the groups they may speak of."""
    stated = {axis for axis in axes if rows[axis].notna().any()}
    cells = numbers_of(rows, ["benchmark", "run", *stated])
    order = np.argsort(cells, kind="stable")
    starts = np.flatnonzero(np.r_[len(rows) > 0, np.diff(cells[order]) != 0])
    heads = rows.iloc[order[starts]]
    facts = list(zip(*(levels(heads[axis]) if axis in stated else [None] * len(heads) for axis in axes), strict=True))
    # What both sides state throughout leads to the few groups that a record may speak of.
    exact = [
        at
        for at in range(len(axes))
        if all(one[at] is not None for one in facts) and all(one.facts[at] is not None for one in groups)
    ]
    index: dict[Facts, list[Group]] = {}
    for one in groups:
        index.setdefault((one.benchmark, *(one.facts[at] for at in exact)), []).append(one)
    named = zip(heads["benchmark"].astype(str), heads["run"].astype(str), strict=True)
    for number, ((benchmark, run), own) in enumerate(zip(named, np.split(order, starts[1:]), strict=True)):
        mine = facts[number] if axes else ()
        near = [
            one
            for one in index.get((benchmark, *(mine[at] for at in exact)), ())
            if agree((run or None, *mine), (one.run or None, *one.facts))
        ]
        if near:
            yield own, mine, near


def _matches(
    own: Places,
    facts: Facts,
    records: Codes,
    left: Mask,
    fits: Sequence[tuple[Group, Mask, Mask]],
    *,
    narrow: bool,
) -> Iterator[_Match]:
    """Yield which of the records that are left fit which groups."""
    fits = [one for one in fits if (one[1] & left).any()]
    if not any(_claims(facts, group) for group, _, _ in fits):
        said = np.zeros(len(own), dtype=bool)
        for _, agreed, mine in fits:
            said |= mine & (agreed & left)[records]
        yield _Match(facts, own[said], [group for group, _, _ in fits])
        return
    if not narrow:
        # It speaks of several configurations at once, and of an axis that none of them states: another thing.
        return
    order = np.argsort(records, kind="stable")
    for record, places in enumerate(np.split(order, np.flatnonzero(np.diff(records[order])) + 1)):
        found = [(group, mine) for group, agreed, mine in fits if agreed[record] and left[record]]
        if found:
            said = np.logical_or.reduce([mine[places] for _, mine in found])
            yield _Match(facts, own[places[said]], [group for group, _ in found])


def _telling(rows: Places, records: Codes, values: Values) -> Places:
    """Return the rows of records that agree in more digits than chance would."""
    _, codes = np.unique(records[rows], return_inverse=True)
    digits = np.bincount(codes, weights=[significant(one) for one in values[rows].tolist()])
    return rows[digits[codes] >= _FEWEST_DIGITS]


def _settle(matches: Sequence[_Match], axes: Sequence[str], verdict: Verdict) -> None:
    """Decide which group takes which axes, and which rows are superseded."""
    claiming = [one for one in matches if any(_claims(one.facts, group) for group in one.groups)]
    owners = _owners(claiming)
    known: dict[int, Group] = {}
    for one in matches:
        if not one.groups:
            continue
        verdict.superseded[one.rows] = True
        known |= {id(part): part for group in one.groups for part in group.parts or [group]}
    verdict.groups = list(known.values())
    for one in claiming:
        if len(one.groups) > 1:
            claims = zip(*(one.claim(group) for group in one.groups), strict=True)
            verdict.unclear |= {
                axis for axis, told in zip(axes, claims, strict=True) if any(x is not None for x in told)
            }
    for key, claim in owners.items():
        if key in known:
            group = known[key]
            verdict.handed.append(
                (group, {axis: one for axis, one in zip(axes, claim, strict=True) if one is not None})
            )
            group.facts = _merged(group.facts, claim)


def _owners(claiming: Sequence[_Match]) -> dict[int, Facts]:
    """Return which group (by its identity) belongs to which claim, and leave each match the groups it may have.

    A record that fits one group only has it; then no other record can, and may be left with one itself. Two
    records that fit one group only and state different things have neither: they stay apart.
    """
    owners: dict[int, Facts] = {}
    while True:
        claims: dict[int, Facts] = {}
        disputed: set[int] = set()
        for one in claiming:
            for part in _parts(one.groups[0]) if len(one.groups) == 1 else ():
                claim = one.claim(one.groups[0])
                if not agree(claims.setdefault(part, claim), claim):
                    disputed.add(part)
                claims[part] = _merged(claims[part], claim)
        fresh = {part: claim for part, claim in claims.items() if part not in owners and part not in disputed}
        owners |= fresh
        before = sum(len(one.groups) for one in claiming)
        for one in claiming:
            if len(one.groups) == 1 and not disputed.isdisjoint(_parts(one.groups[0])):
                one.groups = []
            one.groups = [group for group in one.groups if _may(one.claim(group), group, owners)]
        if not fresh and before == sum(len(one.groups) for one in claiming):
            return owners


def _may(claim: Facts, group: Group, owners: dict[int, Facts]) -> bool:
    return all(agree(owners.get(part, claim), claim) for part in _parts(group))


def _parts(group: Group) -> list[int]:
    return [id(one) for one in group.parts or [group]]


def _merged(facts: Facts, others: Facts) -> Facts:
    return tuple(other if one is None else one for one, other in zip(facts, others, strict=True))
