"""400 made-up inputs through benchstat, built here, and through ``benchlib compare``: the same tables and warnings.

What differs, and why (`DIFFERENCES` of docs/benchstat.md; here only what the inputs can show):

- cells past column Z have the names that spreadsheets give them;
- metadata of a unit that two files contradict is not told: what is said first holds;
- where a list such as ``@(a b)`` leaves the first results out, keys of ``.config`` may stand in another order: benchlib
  orders them as all results state them;
- a list that leaves nothing is an error, where benchstat writes nothing.
"""

from __future__ import annotations

import platform
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from benchlib.errors import SelectionError
from tests.benchstat_inputs import Case, case_of
from tests.benchstat_runs import Written, parted, write
from tests.go_programs import built

CASES = 400
AT_ONCE = 100
#: The last digits of a geometric mean are those of Go's exponential on amd64.
SAME_PROCESSOR = platform.machine() in ("x86_64", "AMD64")
_GEOMEAN = re.compile(r"(?m)^geomean,.*$")


@pytest.fixture(scope="module")
def benchstat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program itself."""
    return built("golang.org/x/perf/cmd/benchstat", tmp_path_factory.mktemp("benchstat"))


def compared(case: Case, benchstat: Path, folder: Path) -> str:
    """Run both and say what came of it; fail where they differ and no difference is listed."""
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [benchstat, "-format", "csv", *case.arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    theirs = parted(run.stdout, run.stderr)
    assert all(" already set to " in one for one in theirs.of_lines), theirs.of_lines
    if not theirs.tables:
        with pytest.raises(SelectionError, match=" leaves no row"):
            write(case.arguments, folder)
        return "nothing left"
    ours = write(case.arguments, folder)
    if same(ours, theirs):
        return "same"
    assert any("@(" in one for one in case.flags.values())
    assert sorted(theirs.tables.splitlines()) == sorted(ours.tables.splitlines())
    return "order of keys"


def same(ours: Written, theirs: Written) -> bool:
    tables = [one.tables if SAME_PROCESSOR else _GEOMEAN.sub("geomean", one.tables) for one in (ours, theirs)]
    return tables[0] == tables[1] and ours.of_cells == theirs.of_cells


@pytest.mark.parametrize(
    "first",
    [pytest.param(first, marks=[pytest.mark.heavy] if first else []) for first in range(0, CASES, AT_ONCE)],
)
def test_benchstat_writes_the_same(first: int, benchstat: Path, tmp_path: Path) -> None:
    """Files, labels, units, ties, sizes, gaps, changing configuration, names, keys, orders and levels."""
    found = Counter(compared(case_of(seed), benchstat, tmp_path) for seed in range(first, first + AT_ONCE))
    assert found["same"] >= 0.97 * AT_ONCE, found
