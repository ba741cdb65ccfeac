"""What benchlib writes for the arguments of a ``benchstat -format csv`` command."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from benchlib.cli.benchstat_csv import write_benchstat_csv
from benchlib.formats import load
from benchlib.results import Results

OPTIONS = {"-table": "table", "-row": "row", "-col": "col", "-ignore": "ignore",
           "-alpha": "significance_level", "-confidence": "confidence_level"}  # fmt: skip
_CELL = re.compile(r"([A-Z]+)(\d+: .*)", re.DOTALL)
#: A line of a file that could not be read, and metadata that another file contradicts.
_LINE = re.compile(r"\S+:\d+: ")


@dataclass(frozen=True, slots=True)
class Written:
    """What a command writes: tables, what it says of lines of files, and of cells."""

    tables: str
    of_lines: tuple[str, ...]
    of_cells: tuple[str, ...]


def parted(stdout: str, stderr: str) -> Written:
    """Sort what benchstat wrote; cells past column Z get the names that spreadsheets give them."""
    lines = stderr.splitlines(keepends=True)
    return Written(
        tables=stdout,
        of_lines=tuple(one for one in lines if _LINE.match(one)),
        of_cells=tuple(_rightly_named(one) for one in lines if not _LINE.match(one)),
    )


def _rightly_named(line: str) -> str:
    """Name the cell of a warning right: benchstat writes numbers to the base of 26 where A is 0."""
    found = _CELL.fullmatch(line)
    if found is None or len(found[1]) == 1:
        return line
    place = 0
    for letter in found[1]:
        place = 26 * place + ord(letter) - ord("A")
    first, second = divmod(place, 26)
    assert 1 <= first <= 26, "no table of the tests is wider than ZZ"
    return f"{chr(ord('A') + first - 1)}{chr(ord('A') + second)}{found[2]}"


def write(arguments: Sequence[str], folder: Path, where: str = "") -> Written:
    """Write what benchlib makes of flags and inputs, ``path`` or ``label=path`` in a folder."""
    options, inputs = read_arguments(arguments)
    results = labelled(inputs, folder).select(where)
    out, err = io.StringIO(), io.StringIO()
    write_benchstat_csv(results, out=out, err=err, **options)
    problems = [f"{one}\n" for one in results.problems]
    told = err.getvalue().splitlines(keepends=True)
    assert told[: len(problems)] == problems
    return Written(out.getvalue(), tuple(problems), tuple(told[len(problems) :]))


def read_arguments(arguments: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Split arguments of benchstat into options of `write_benchstat_csv` and inputs."""
    options: dict[str, Any] = {}
    inputs = []
    words = iter(arguments)
    for word in words:
        if word in OPTIONS:
            value = next(words)
            options[OPTIONS[word]] = float(value) if word in ("-alpha", "-confidence") else value
        elif word.startswith("-"):
            next(words)  # the format, and filters, which are given as a condition here
        else:
            inputs.append(word)
    return options, inputs


def labelled(inputs: Sequence[str], folder: Path) -> Results:
    """Read files, each row with the label of its file as its run."""
    labels = {path: label or path for label, _, path in (one.rpartition("=") for one in inputs)}
    results = load(*(folder / path for path in labels))
    runs = pd.Categorical(results.frame["source"].astype(str).map(labels), list(dict.fromkeys(labels.values())))
    return replace(results, frame=results.frame.assign(run=runs))
