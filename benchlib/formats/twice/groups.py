"""Groups of rows that share what they are of, and which records of a table say what a group's values say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.formats.columns import Codes
from benchlib.formats.twice.digits import Values, lies, statistic_of, told

__all__ = [
    "Facts",
    "Group",
    "Mask",
    "Places",
    "Subject",
    "agree",
    "grouped",
    "judge",
    "levels",
    "numbers_of",
    "widening",
]

Facts = tuple[Any, ...]
#: A metric and its unit.
Subject = tuple[str, str]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]


@dataclass(slots=True, kw_only=True)
class Group:
    """Rows of logs that share what they are of.

    Attributes
    ----------
    places : ndarray
        Their places in the table of all rows.
    benchmark, name, run : str
        Empty where the group holds several.
    facts : tuple
        The level of each axis, None where the rows state none.
    samples : mapping of str to list of ndarray
        Of each metric its values, and again without those of failed operations.
    units : mapping of str to str
        Of each metric.
    medians : mapping of str to ndarray
        Of each metric, where the group is made of others: their medians.
    parts : list of Group
        The others; empty where it is made of none.
    """

    places: Places
    benchmark: str
    name: str
    run: str
    facts: Facts
    samples: dict[str, list[Values]]
    units: dict[str, str]
    medians: dict[str, Values] = field(default_factory=dict)
    parts: list[Group] = field(default_factory=list)
    _known: dict[Subject, tuple[Values, bool] | None] = field(default_factory=dict)

    def told(self, subject: Subject) -> tuple[Values, bool] | None:
        """Return what a table would say of a metric in some unit, None where the group knows nothing of it.

        Beside it stands whether a table of these values could say nothing else.
        """
        if subject not in self._known:
            metric, unit = subject
            name, statistic = (metric, "") if metric in self.samples else statistic_of(metric)
            found = self._told(name, statistic) if name in self.samples else None
            # Where a file leaves out the unit, other numbers may be the same measurements.
            self._known[subject] = (found[0], found[1] and self.units[name] == unit) if found else None
        return self._known[subject]

    def _told(self, name: str, statistic: str) -> tuple[Values, bool]:
        said = [told(one, statistic) for one in self.samples[name] if len(one)]
        parts = [one for one, _ in said]
        medians = self.medians.get(name)
        if not statistic and medians is not None and medians.min() > 0:
            # As benchstat's last line has it.
            parts.append(np.asarray([np.exp(np.mean(np.log(medians)))]))
        return np.sort(np.concatenate(parts)), all(binding for _, binding in said)


def numbers_of(frame: pd.DataFrame, columns: Iterable[str]) -> Codes:
    """Number the rows by what some columns say, each combination in the order it comes."""
    found: Codes = np.zeros(len(frame), dtype=np.int64)
    for name in columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            codes = column.cat.codes.to_numpy().astype(np.int64)
        else:
            codes = pd.factorize(column.to_numpy())[0].astype(np.int64)
        if len(codes) and (codes != codes[0]).any():
            found = pd.factorize(found * (codes.max() + 2) + codes + 1)[0].astype(np.int64)
    return found


def grouped(
    whole: pd.DataFrame, places: Places, failed: Mask, columns: Sequence[str], axes: Sequence[str]
) -> list[Group]:
    """Return the groups of some rows that share what the columns say.

    Parameters
    ----------
    whole : DataFrame
    places : ndarray
        Of the rows in it.
    failed : ndarray of bool
        Which of all rows rest on failed operations.
    columns : sequence of str
        What else a group states; what is not among them stays empty.
    axes : sequence of str
        Of the facts, in order.
    """
    if not len(places):
        return []
    rows = whole.iloc[places]
    codes = numbers_of(rows, columns)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(codes[order]) != 0])
    metrics, values, bad = (
        rows["metric"].astype(object).to_numpy(),
        rows["value"].to_numpy(dtype=np.float64),
        failed[places],
    )
    units = rows["unit"].astype(object).to_numpy()
    heads = rows.iloc[order[starts]]
    stated = {one: levels(heads[one]) for one in columns}
    nothing = [None] * len(heads)
    found = []
    for number, own in enumerate(np.split(order, starts[1:])):
        samples: dict[str, list[Values]] = {}
        of_metric: dict[str, str] = {}
        for name in dict.fromkeys(metrics[own]):
            mine = own[metrics[own] == name]
            samples[str(name)] = [values[mine], values[mine[~bad[mine]]]]
            of_metric[str(name)] = str(units[mine[0]])
        found.append(
            Group(
                places=places[own],
                benchmark=str(stated.get("benchmark", nothing)[number] or ""),
                name=str(stated.get("name", nothing)[number] or ""),
                run=str(stated.get("run", nothing)[number] or ""),
                facts=tuple(stated.get(axis, nothing)[number] for axis in axes),
                samples=samples,
                units=of_metric,
            )
        )
    return found


def levels(column: pd.Series[Any]) -> list[Any]:
    """Return the levels of a column, None where there is none."""
    return [None if pd.isna(one) else one for one in column.astype(object)]


def _pooled(groups: Sequence[Group]) -> Group:
    """Return one group of several."""
    samples, medians = {}, {}
    for name in dict.fromkeys(name for one in groups for name in one.samples):
        having = [one.samples[name] for one in groups if name in one.samples]
        samples[name] = [np.concatenate(one) for one in zip(*having, strict=True)]
        medians[name] = np.asarray([np.median(one[0]) for one in having])
    first = groups[0]
    units = {name: unit for one in reversed(groups) for name, unit in one.units.items()}
    return Group(
        places=np.concatenate([one.places for one in groups]),
        benchmark=first.benchmark,
        name="",
        run=first.run if all(one.run == first.run for one in groups) else "",
        facts=tuple(one[0] if len(set(one)) == 1 else None for one in zip(*(one.facts for one in groups), strict=True)),
        samples=samples,
        units=units,
        medians=medians,
        parts=list(groups),
    )


def widening(near: list[Group]) -> Iterator[tuple[list[Group], bool]]:
    """Yield the groups as they are, those of one name and configuration together, and all together.

    Beside them stands whether each group is of one configuration.
    """
    yield near, True
    alike: dict[tuple[Any, ...], list[Group]] = {}
    for one in near:
        alike.setdefault((one.name, one.run, one.facts), []).append(one)
    several = [one for one in alike.values() if len(one) > 1]
    if several:
        yield [_pooled(one) for one in several], True
    if len(alike) > 1:
        yield [_pooled(near)], False


def agree(mine: Facts, theirs: Facts) -> bool:
    """Whether two configurations name no axis that differs; one that only one of them names does not."""
    return all(a is None or b is None or a == b for a, b in zip(mine, theirs, strict=True))


def judge(group: Group, metrics: dict[Subject, Places], records: Codes, low: Values, high: Values) -> tuple[Mask, Mask]:
    """Return which records say what a group's values say, and which of their rows do.

    A record does where none of its values is another than the table would say of the group, and at least one
    is what it would say.

    Parameters
    ----------
    group : Group
    metrics : mapping of (str, str) to ndarray
        Of each metric and unit, which rows are of them.
    records : ndarray of int
        Of each row, the number of its record.
    low, high : ndarray
        Of each row, between which values lies what it stands for.
    """
    count = int(records.max()) + 1
    agreed, hit = np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
    said = np.zeros(len(records), dtype=bool)
    for subject, own in metrics.items():
        found = group.told(subject)
        if found is None:
            continue
        known, binding = found
        right = lies(known, low[own], high[own])
        said[own] = right
        hit[records[own[right]]] = True
        if binding:
            agreed[records[own[~right]]] = False
    agreed &= hit
    return agreed, said & agreed[records]
