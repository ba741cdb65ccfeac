"""How long reading takes beside benchstat: ``python benchmarks/formats_speed.py``.

Writes seeded Go benchmark text into a temporary folder, runs benchlib and benchstat on it by turns, and
prints a table of medians and ratios. README.md in this folder says what each row means.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from goals import Row, print_table

ROOT = Path(__file__).resolve().parent.parent
MODULE = "golang.org/x/perf/cmd/benchstat@latest"
REPEATS = 200
SMALL_FILES, LINES_EACH = 10_000, 20

#: Loads once to import what is imported late, then times one load.
WARM = """
import sys, time
import benchlib
from benchlib.formats.load import load
load(sys.argv[2])
start = time.perf_counter()
load(sys.argv[1])
print(time.perf_counter() - start)
"""
COLD = "import sys; from benchlib.formats.load import load; load(sys.argv[1])"


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process: its wall time, the largest memory it held, and what it printed."""

    seconds: float
    megabytes: float
    output: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 if every goal is kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each side runs (default 7)")
    parser.add_argument("--benchstat", default="", help="path of a benchstat; else it is found or installed")
    parser.add_argument("--quick", action="store_true", help="leave out the file of 10,000,000 lines")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="benchlib-speed-") as name:
        folder = Path(name)
        benchstat = chosen.benchstat or find_benchstat(folder)
        if not benchstat:
            print("no benchstat and no Go to install it: its rows are left out", file=sys.stderr)
        rows = [*beside_benchstat(folder, benchstat, chosen.rounds), *growth(folder, chosen.rounds, chosen.quick)]
        rows += [*many_files(folder, min(3, chosen.rounds)), *starting(folder, chosen.rounds)]
    print_table(rows)
    return 0 if all(one.kept for one in rows) else 3


def find_benchstat(folder: Path) -> str:
    """Return the path of benchstat: on the path, or installed by Go; empty where there is neither."""
    known = shutil.which("benchstat")
    if known or not shutil.which("go"):
        return known or ""
    subprocess.run(["go", "install", MODULE], env={**os.environ, "GOBIN": str(folder)}, check=True)
    return str(folder / "benchstat")


def beside_benchstat(folder: Path, benchstat: str, rounds: int) -> Iterable[Row]:
    """Time both on 1,000,000 lines, by turns, for results in runs and for runs one after the other."""
    small = folder / "small.txt"
    write_text(small, benchmarks=10, repeats=20)
    for order in ("grouped", "shuffled"):
        file = folder / f"{order}.txt"
        write_text(file, benchmarks=5000, repeats=REPEATS, grouped=order == "grouped")
        warm, cold, peer = [], [], []
        for _ in range(rounds):
            if benchstat:
                peer.append(run([benchstat, str(file)]))
            warm.append(float(run([sys.executable, "-c", WARM, str(file), str(small)]).output))
            cold.append(run([sys.executable, "-c", COLD, str(file)]))
        what = f"1,000,000 lines, {order}"
        theirs = statistics.median(one.seconds for one in peer) if peer else math.nan
        if peer:
            memory = max(one.megabytes for one in peer)
            yield Row(f"{what}: benchstat", f"{theirs:.2f} s, {memory:.0f} MB", "", True)
        yield beside(f"{what}: load, once imported", statistics.median(warm), theirs, 1.0)
        yield beside(f"{what}: cold process", statistics.median(one.seconds for one in cold), theirs, 1.5)
        memory = max(one.megabytes for one in cold)
        yield Row(f"{what}: peak memory", f"{memory:.0f} MB", "at most 400 MB", memory <= 400)


def growth(folder: Path, rounds: int, quick: bool) -> Iterable[Row]:
    """Fit the exponent of time against lines."""
    sizes = [10_000, 100_000, 1_000_000] + ([] if quick else [10_000_000])
    medians = []
    for lines in sizes:
        file = folder / "growing.txt"
        write_text(file, benchmarks=min(5000, lines // 20), repeats=lines // min(5000, lines // 20))
        # The largest takes as long as all the others together.
        times = rounds if lines < 10_000_000 else 3
        command = [sys.executable, "-c", WARM, str(file), str(folder / "small.txt")]
        medians.append(statistics.median(float(run(command).output) for _ in range(times)))
        file.unlink()
        yield Row(f"{lines:,} lines: load", f"{medians[-1]:.3f} s", "", True)
    fit = statistics.linear_regression([math.log(one) for one in sizes], [math.log(one) for one in medians])
    yield Row("exponent of time over lines", f"{fit.slope:.3f}", "at most 1.05", fit.slope <= 1.05)


def many_files(folder: Path, rounds: int) -> Iterable[Row]:
    """Compare a tree of small files with the same lines in one file."""
    whole, tree = folder / "whole.txt", folder / "tree"
    write_text(whole, benchmarks=SMALL_FILES * LINES_EACH // 20, repeats=20, grouped=False)
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    head, body = lines[:4], lines[4:-2]
    for number in range(SMALL_FILES):
        part = tree / f"{number // 100:03d}"
        part.mkdir(parents=True, exist_ok=True)
        own = body[number * LINES_EACH : (number + 1) * LINES_EACH]
        (part / f"{number}.txt").write_text("".join([*head, *own]), encoding="utf-8")
    extra = []
    for _ in range(rounds):
        apart, together = (
            float(run([sys.executable, "-c", WARM, str(one), str(folder / "small.txt")]).output)
            for one in (tree, whole)
        )
        extra.append((apart - together) / SMALL_FILES * 1e3)
    median = statistics.median(extra)
    yield Row(f"{SMALL_FILES:,} files: extra a file", f"{median:.2f} ms", "at most 0.3 ms", median <= 0.3)


def starting(folder: Path, rounds: int) -> Iterable[Row]:
    """Time what a user waits for before any work."""
    small = str(folder / "small.txt")
    bare = statistics.median(run([sys.executable, "-c", "pass"]).seconds for _ in range(rounds))
    commands = (
        ("import benchlib", ["-c", "import benchlib"], 0.15, bare),
        ("benchlib --help", ["-m", "benchlib", "--help"], 0.3, 0.0),
        ("benchlib inspect of one small file", ["-m", "benchlib", "inspect", small], 1.0, 0.0),
    )
    for what, command, goal, less in commands:
        median = statistics.median(run([sys.executable, *command]).seconds for _ in range(rounds)) - less
        yield Row(what, f"{median:.3f} s", f"below {goal} s", median < goal)


def beside(what: str, ours: float, theirs: float, goal: float) -> Row:
    """Return the row of a time held against benchstat's."""
    if math.isnan(theirs):
        return Row(what, f"{ours:.2f} s", "", True)
    ratio = ours / theirs
    return Row(what, f"{ours:.2f} s, {ratio:.2f} of benchstat", f"at most {goal:g}", ratio <= goal)


def run(command: Sequence[str], *, warnings: bool = True) -> Run:
    """Run a command to its end and measure it; its warnings are shown or dropped.

    Raises
    ------
    SystemExit
        If it fails: a time of something that did not work is none.
    """
    with tempfile.TemporaryFile("w+") as output:
        start = time.perf_counter()
        shown = None if warnings else subprocess.DEVNULL
        child = subprocess.Popen(command, stdout=output, stderr=shown, env=environment())
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}")
        output.seek(0)
        return Run(seconds, usage.ru_maxrss * 1024 / 1e6, output.read())


def environment() -> dict[str, str]:
    """Return what a child runs in: this checkout, its compiled modules kept as on any machine where it ran before."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def write_text(path: Path, *, benchmarks: int, repeats: int, grouped: bool = True, seed: int = 1) -> None:
    """Write results as ``go test -bench -count`` prints them; not grouped, as runs appended to a file."""
    draw = random.Random(seed)
    names = [
        (f"BenchmarkTask{n:04d}/size={2 ** (n % 12)}/mode={'abc'[n % 3]}-8", 10 ** draw.uniform(1, 7),
         draw.randrange(100_000), draw.randrange(500))
        for n in range(benchmarks)
    ]  # fmt: skip
    with path.open("w", encoding="utf-8") as file:
        file.write("goos: linux\ngoarch: amd64\npkg: example.com/bench\ncpu: Some CPU @ 2.00GHz\n")
        if grouped:
            for one in names:
                file.writelines(result(draw, *one) for _ in range(repeats))
        else:
            for _ in range(repeats):
                file.writelines(result(draw, *one) for one in names)
        file.write("PASS\nok  \texample.com/bench\t1.0s\n")


def result(draw: random.Random, name: str, typical: float, size: int, allocations: int) -> str:
    """Return one line, with the digits and columns of testing.BenchmarkResult."""
    value = typical * draw.gauss(1, 0.02)
    digits = 0 if value >= 1000 else 1 if value >= 100 else 2
    columns = (
        f"{int(1e9 / value):8d}",
        f"{value:12.{digits}f} ns/op",
        f"{size:8d} B/op",
        f"{allocations:8d} allocs/op",
    )
    return "\t".join((name, *columns)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
