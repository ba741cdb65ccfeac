"""Rows of a reading: measured values, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from benchlib.formats.packed import Counts, Integers, Numbers, Words

__all__ = ["Result", "Rows"]

#: What one line says of one name: name, values, their units, line, configuration, iterations. The
#: metric of each value is what its unit stands for.
Result = tuple[str, Sequence[float], Sequence[str], int, int, float]


class Rows:
    """Measured values, column by column; entry i of each column belongs to value i.

    Attributes
    ----------
    name : Words
    metric : Words
        Name of the metric, or None to take the one its unit stands for (``ns/op`` is ``time``).
    value : Numbers
    unit : Words
        As written in the file.
    iterations, errors : Counts
        Operations, and failed operations, behind the value; None where the file does not say.
    line : Integers
    configuration : Integers
        Index into `Reading.configurations`.
    """

    __slots__ = ("configuration", "errors", "iterations", "line", "metric", "name", "unit", "value")

    def __init__(self) -> None:
        self.name = Words[str]()
        self.metric = Words[str | None]()
        self.value = Numbers()
        self.unit = Words[str]()
        self.iterations = Counts()
        self.errors = Counts()
        self.line = Integers()
        self.configuration = Integers()

    def add(
        self,
        *,
        name: str,
        value: float,
        unit: str,
        line: int,
        configuration: int,
        metric: str | None = None,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Append one value."""
        self.name.append(name)
        self.metric.append(metric)
        self.value.append(value)
        self.unit.append(unit)
        self.iterations.append(iterations)
        self.errors.append(errors)
        self.line.append(line)
        self.configuration.append(configuration)

    def add_results(self, results: Sequence[Result]) -> None:
        """Append results in a row: a column at a time, which is many times cheaper than a value at a time."""
        each = [len(one[1]) for one in results]
        names, values, units, lines, configurations, iterations = zip(*results, strict=True)
        self.name.extend_each(names, each)
        self.metric.repeat(None, sum(each))
        self.value.extend(chain.from_iterable(values))
        self.unit.extend(chain.from_iterable(units))
        self.iterations.extend_each(iterations, each)
        self.errors.repeat(None, sum(each))
        self.line.extend_each(lines, each)
        self.configuration.extend_each(configurations, each)

    def __len__(self) -> int:
        return len(self.line)
