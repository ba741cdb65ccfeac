"""Rows of a reading: measured values, column by column."""

from __future__ import annotations

from collections.abc import Sequence

from benchlib.formats.packed import Counts, Integers, Numbers, Words

__all__ = ["Rows"]


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

    def add_result(
        self,
        *,
        name: str,
        values: Sequence[float],
        units: Sequence[str],
        line: int,
        configuration: int,
        iterations: float | None,
    ) -> None:
        """Append the values that one line gives for one name, each a metric by its unit."""
        count = len(values)
        self.name.repeat(name, count)
        self.metric.repeat(None, count)
        self.value.extend(values)
        self.unit.extend(units)
        self.iterations.repeat(iterations, count)
        self.errors.repeat(None, count)
        self.line.repeat(line, count)
        self.configuration.repeat(configuration, count)

    def __len__(self) -> int:
        return len(self.line)
