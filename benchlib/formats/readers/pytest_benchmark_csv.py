"""pytest-benchmark's CSV: the statistics of each test of one or more saved runs."""

from __future__ import annotations

from collections.abc import Mapping

from benchlib.errors import DataError, printable
from benchlib.formats.readers.pytest_benchmark import SUMMARIES, place
from benchlib.formats.readers.structured import Building, Kept, axes_of, cells, decimal
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["PytestBenchmarkCsv"]

_PARAMETER = "param:"
_STATISTICS = frozenset({*SUMMARIES, "median", "iqr", "outliers", "ops", "rounds", "iterations"})
#: Columns that no other table of names, least and largest values would have.
_OWN = frozenset({"iqr", "outliers", "ops", "rounds"})


class PytestBenchmarkCsv:
    """The reader of ``pytest-benchmark compare --csv``."""

    name = "pytest-benchmark-csv"
    rule = "a header 'name,param:…,min,max,mean,…' of pytest-benchmark's columns, or names with '::' below it"
    files = "*.csv"
    yields = "one sample a test: the median as time; mean, deviation and extremes beside it; parameters"
    limits = (
        "no rounds: the JSON of the same run may have them; it names neither run, machine nor commit; iqr, ops and "
        "outliers are left out"
    )
    contains: frozenset[str] = frozenset({"csv"})
    #: The JSON of the same run says more.
    summary = True

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file."""
        filled = [one for one in head.lines if one.strip()][:2]
        header = cells(filled[0]) or [] if filled else []
        if not _is_header(header):
            return "no"
        tests = len(filled) > 1 and "::" in (cells(filled[1]) or [""])[0]
        told = bool(_OWN & set(header)) or any(one.startswith(_PARAMETER) for one in header)
        return "certain" if tests or told else "no"

    def read(self, file: TextFile) -> Reading:
        """Read each line as one test."""
        build = Building(file.source, range(1, len(file.lines) + 1))
        header: list[str] = []
        seen: dict[str, int] = {}

        def line(written: str) -> Kept:
            nonlocal header
            if not written.strip():
                return "noise"
            row = cells(written)
            if row is not None and _is_header(row):
                header = row
                return "context"
            if row is None or len(row) != len(header):
                found = "an open quote" if row is None else f"{len(row)} values"
                raise DataError(f"{found} under {len(header)} columns")
            test = dict(zip(header, row, strict=True))
            _test(build, test)
            first = seen.setdefault(test["name"], build.line)
            if first != build.line:
                build.note(
                    f"{printable(test['name'], 60)} stands at line {first} too, and no column says of which run; "
                    f"read the saved JSON files instead"
                )
            return "data"

        build.each(file.lines, line)
        return build.reading(wanted="pytest-benchmark writes a line for each test")


def _is_header(row: list[str]) -> bool:
    rest = {one for one in row[1:] if not one.startswith(_PARAMETER)}
    return row[:1] == ["name"] and rest <= _STATISTICS and bool(rest & {*SUMMARIES, "median"})


def _test(build: Building, test: Mapping[str, str]) -> None:
    name = test["name"]
    if not name:
        raise DataError("a test without a name")
    found = {key: _value(key, test[key]) for key in _STATISTICS & test.keys() if key != "outliers"}
    chosen = "median" if found.get("median") is not None else "mean"
    time = found.get(chosen)
    if time is None:
        raise DataError(f"{printable(name, 60)} has no median or mean")
    parameters = {key.removeprefix(_PARAMETER): one for key, one in test.items() if key.startswith(_PARAMETER) and one}
    build.configure({**axes_of(parameters), **place(name)})
    iterations, rounds = found.get("iterations"), found.get("rounds")
    operations = iterations * rounds if iterations is not None and rounds is not None else None
    build.add(name, "time", time, "s/op", iterations=operations)
    for key, metric in SUMMARIES.items():
        value = found.get(key)
        if value is not None and key != chosen:
            build.add(name, metric, value, "s/op", iterations=operations)


def _value(column: str, written: str) -> float | None:
    try:
        return decimal(written)
    except DataError as error:
        raise DataError(f"column '{printable(column, 40)}': {error}") from error
