"""What the readers of measuring tools share: values collected run by run, and lines of CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from typing import Any

from benchlib.formats.reader import Certainty, Ledger, Reading, Rows
from benchlib.results import Series


class Collector:
    """The values, configurations and series of one file, and what became of each of its lines or records."""

    def __init__(self, source: str, ledger: Ledger) -> None:
        self.source = source
        self.ledger = ledger
        self.rows = Rows()
        self.configurations: list[Mapping[str, Any]] = []
        self.series: list[Series] = []
        self._numbers: dict[tuple[tuple[str, Any], ...], int] = {}

    def configure(self, axes: Mapping[str, Any]) -> int:
        """State the axes of the values that follow; return their number."""
        self.configurations.append(axes)
        return len(self.configurations) - 1

    def number_of(self, axes: Mapping[str, Any]) -> int:
        """Return the number of a configuration, which is added where it is new."""
        number = self._numbers.setdefault(tuple(axes.items()), len(self.configurations))
        if number == len(self.configurations):
            self.configurations.append(axes)
        return number

    def add(
        self,
        name: str,
        metric: str | None,
        value: float,
        unit: str,
        *,
        line: int,
        configuration: int | None = None,
        iterations: float | None = None,
        errors: float | None = None,
    ) -> None:
        """Add one value, by default of the configuration stated last."""
        self.rows.add(
            name=name,
            metric=metric,
            value=value,
            unit=unit,
            line=line,
            configuration=len(self.configurations) - 1 if configuration is None else configuration,
            iterations=iterations,
            errors=errors,
        )

    def add_series(self, kind: str, name: str, line: int, data: tuple[Any, ...] = ()) -> None:
        """Add what belongs to a run rather than to one value: a histogram, its time-outs, a remark."""
        self.series.append(Series(kind=kind, name=name, source=self.source, line=line, data=data))

    def reading(self) -> Reading:
        """Return what was collected, with the account of every line and the problems."""
        return self.ledger.reading(self.rows, self.configurations, self.series)


def certain_if(condition: object) -> Certainty:
    """Return what a reader says that is certain of a file or sure that it is not its own."""
    return "certain" if condition else "no"


def split_cells(line: str, separator: str = ",") -> list[str] | None:
    """Cut one line at a separator that stands outside quotes; None where a quote is left open."""
    if '"' not in line:
        return line.split(separator)
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return None
