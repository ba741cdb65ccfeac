"""Small studies made up for a test: a definition, and results as Go text or as a tidy table."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchlib.answers.comparison import ComparisonAnswer, compare
from benchlib.study import Study, open_study

#: Six repeats that scatter by about one percent, so that a median has an interval, and neither rise nor fall.
SIX = (1.0, 1.01, 0.99, 1.005, 0.995, 1.002)


def go_text(times: Mapping[str, Sequence[float]], *, package: str = "", memory: int = 16, allocations: int = 2) -> str:
    """What ``go test -bench -benchmem`` prints for benchmarks with these times in nanoseconds."""
    head = f"goos: linux\npkg: {package}\n" if package else ""
    lines = (
        f"Benchmark{name}\t1000\t{time:g} ns/op\t{memory} B/op\t{allocations} allocs/op\n"
        for name, repeats in times.items()
        for time in repeats
    )
    return head + "".join(lines)


def around(centre: float, scatter: Sequence[float] = SIX) -> list[float]:
    """Six repeats around a centre."""
    return [centre * one for one in scatter]


def make_study(folder: Path, definition: str = "", where: str = "", /, **files: str) -> Study:
    """Write a study, a text file for each keyword, and open it."""
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    if definition:
        (folder / "study.toml").write_text(definition, encoding="utf-8")
    return open_study(folder, where)


def make_table(
    folder: Path, heads: str, rows: Iterable[Sequence[object]], definition: str = "", where: str = ""
) -> Study:
    """Write a study whose results are a tidy table, and open it."""
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heads.split())
        writer.writerows(rows)
    return make_study(folder, definition, where)


def write_texts(folder: Path, **texts: str) -> list[str]:
    """Write a text file for each keyword; return their paths."""
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return [str(folder / f"{name}.txt") for name in texts]


def compared(*sides: Study | str, **asked: Any) -> ComparisonAnswer:
    """A comparison that is not refused."""
    answer = compare(*sides, **asked)
    assert isinstance(answer, ComparisonAnswer)
    return answer
