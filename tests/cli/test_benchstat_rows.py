"""Rows of ``benchlib compare`` beside those of benchstat, built here, for the flags that both have.

A row of benchstat is a cell with a change: its unit, both medians, both n, and its p value. All formats but
``benchstat-csv`` have one table where benchstat has one a configuration; the rows are the same.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shlex
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchlib.cli import main
from benchlib.units import parse_unit
from tests.benchstat_runs import translated
from tests.go_programs import built

#: Unit, medians, n, and p.
Row = tuple[str, float, float, str, str]

FLAGS = (
    "",
    "-ignore /size",
    "-ignore pkg",
    "-ignore 'pkg@(ex/b)'",
    "-ignore cpu,/gomaxprocs",
    "-ignore .config",
    "-row .fullname -ignore /size",
    "-row .fullname -ignore .name",
    "-row .name,/io -ignore /size",
    "-row .name -ignore .fullname",
    "-row .name -ignore .config",
    "-row .name",
    "-row '.name@(Move)'",
    "-row /io,/size -ignore pkg",
    "-row '/gomaxprocs .name'",
    "-row .fullname,pkg",
    "-row .config",
    "-row .config -ignore pkg",
    "-row .config -col pkg",
    "-row .config -col /size",
    "-row .fullname -col /size",
    "-row .fullname@alpha -col pkg@alpha -ignore .file",
    "-row .name -col /size -ignore .file",
    "-row '/size@(4k)' -col '/io@(8 1)'",
    "-row .name -col '/io@(8 1),/size@num'",
    "-row '/io .file' -col '/io /size'",
    "-col pkg",
    "-col /io,/size",
    "-col /size@num",
    "-col /size@alpha",
    "-col '/size@(1M 4k)'",
    "-col '.file@(b.txt a.txt)'",
    "-col .file@alpha",
)


@pytest.fixture(scope="module")
def benchstat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program itself."""
    return built("golang.org/x/perf/cmd/benchstat", tmp_path_factory.mktemp("benchstat"))


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three recordings of two benchmarks in two packages, of three sizes and two widths; b comes first by letter."""
    folder = tmp_path_factory.mktemp("recordings")
    rng = Random(11)
    for name, factor in (("c", 1.0), ("b", 1.2), ("a", 1.4)):
        lines = ["goos: linux", "goarch: amd64"]
        for package in ("ex/b", "ex/a"):
            lines.append(f"pkg: {package}")
            for place, part in enumerate(
                f"/size={size}/io={width}" for size in ("4k", "1M", "512") for width in (1, 8)
            ):
                for benchmark in ("Copy", "Move"):
                    values = (100 * factor * (1 + place / 9) * rng.lognormvariate(0, 0.02) for _ in range(6))
                    lines += [f"Benchmark{benchmark}{part}-8 100 {one:.5g} ns/op 16 B/op" for one in values]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def rows_of_benchstat(text: str) -> list[Row]:
    """Return every change of its tables."""
    found, unit = [], ""
    for line in csv.reader(io.StringIO(text)):
        if line[:1] == [""] and "CI" in line:
            unit = line[1]
        elif len(line) > 4 and line[0] not in ("", "geomean") and line[1]:
            for start in range(3, len(line), 4):
                if line[start] and "n=" in line[start + 3]:
                    pvalue, _, sizes = line[start + 3].rpartition(" ")
                    found.append((parse_unit(unit).base, float(line[1]), float(line[start]), sizes, pvalue[2:]))
    return sorted(found)


def rows_of(document: dict[str, Any]) -> list[Row]:
    """Return the rows of the comparison in a document."""
    found = []
    for row in document["comparisons"][0]["rows"]:
        compared = row["comparison"]
        before, after = compared["baseline"], compared["candidate"]
        sizes = f"n={before['n']}" if before["n"] == after["n"] else f"n={before['n']}+{after['n']}"
        centres = before["median"]["value"], after["median"]["value"]
        found.append((row["unit"], *centres, sizes, f"{compared['pvalue']:.3f}"))
    return sorted(found)


@pytest.mark.parametrize(
    "files",
    [("a.txt", "b.txt"), pytest.param(("c.txt", "b.txt", "a.txt"), marks=pytest.mark.heavy)],
    ids=["two", "three"],
)
@pytest.mark.parametrize("flags", FLAGS)
def test_the_rows_are_those_of_benchstat(
    flags: str, files: tuple[str, ...], benchstat: Path, recordings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As many, of the same values, with the same baseline; and residue is told where benchstat tells it."""
    arguments = [*shlex.split(flags), *files]
    run = subprocess.run(
        [benchstat, "-format", "csv", *arguments],
        cwd=recordings,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    theirs = rows_of_benchstat(run.stdout)
    assert theirs
    with contextlib.chdir(recordings):
        assert main(["compare", "--format", "json", *translated(arguments)]) == 0
    document = json.loads(capsys.readouterr().out)
    ours = rows_of(document)
    assert [one[3:] for one in ours] == [one[3:] for one in theirs]
    assert [one[0] for one in ours] == [one[0] for one in theirs]
    for place in (1, 2):
        assert [one[place] for one in ours] == pytest.approx([one[place] for one in theirs], rel=1e-12)
    told = {one["code"] for one in document["comparisons"][0]["caveats"]}
    assert "residue" in told or "benchmarks vary in" not in run.stderr
