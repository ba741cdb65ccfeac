"""How long comparing takes beside benchstat: ``python benchmarks/comparison_speed.py``.

Writes seeded Go benchmark text into a temporary folder, compares it with benchlib and benchstat by turns, and
prints a table of medians and ratios. README.md in this folder says what each row means.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from formats_speed import beside, find_benchstat, run
from goals import Row, print_table

#: Compares two small files to import what is imported late, then times the whole command.
WARM = """
import sys, time, os
from benchlib.cli import main
kept = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
main(["compare", sys.argv[3], sys.argv[4], "--format", sys.argv[5]])
start = time.perf_counter()
main(["compare", sys.argv[1], sys.argv[2], "--format", sys.argv[5]])
sys.stdout.flush()
took = time.perf_counter() - start
os.dup2(kept, 1)
print(took)
"""
#: Tests 1,000 rows of 25 against 25 with ties, as the comparison of two such files does.
TESTS = """
import sys, time
import numpy as np
from benchlib.statistics.compare import Pairs, compare_pairs
draw = np.random.default_rng(int(sys.argv[1]))
starts = np.arange(1001) * 25
old, new = (np.round(draw.normal(centre, 12, 25_000)) for centre in (1000, 1003))
pairs = Pairs(baseline=old, baseline_starts=starts, candidate=new, candidate_starts=starts)
first = {"baseline_starts": starts[:2], "candidate_starts": starts[:2]}
compare_pairs(Pairs(baseline=old[:25], candidate=new[:25], **first), 0.95)
start = time.process_time()
compare_pairs(pairs, 0.95)
print(time.process_time() - start)
"""
ROWS_GOAL = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 if every goal is kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each side runs (default 7)")
    parser.add_argument("--benchstat", default="", help="path of a benchstat; else it is found or installed")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="benchlib-speed-") as name:
        folder = Path(name)
        benchstat = chosen.benchstat or find_benchstat(folder)
        if not benchstat:
            raise SystemExit("no benchstat and no Go to install it: there is nothing to compare with")
        rows = [*large(folder, benchstat, chosen.rounds), *tied(folder, benchstat, chosen.rounds)]
    print_table(rows)
    return 0 if all(one.kept for one in rows) else 3


def large(folder: Path, benchstat: str, rounds: int) -> Iterable[Row]:
    """Time both on 2 x 100,000 lines: 10,000 benchmarks, 10 results each, ties in bytes."""
    files = write_pair(folder, "large", benchmarks=10_000, repeats=10)
    small = write_pair(folder, "small", benchmarks=20, repeats=10)
    for ours, theirs in (("text", "text"), ("benchstat-csv", "csv")):
        warm, cold, peer = [], [], []
        for _ in range(rounds):
            peer.append(run([benchstat, "-format", theirs, *files], warnings=False).seconds)
            warm.append(float(run([sys.executable, "-c", WARM, *files, *small, ours], warnings=False).output))
            command = [sys.executable, "-m", "benchlib", "compare", *files, "--format", ours]
            cold.append(run(command, warnings=False).seconds)
        what = f"2 x 100,000 lines, {ours}"
        yield Row(f"{what}: benchstat", f"{statistics.median(peer):.2f} s", "", True)
        yield beside(f"{what}: once imported", statistics.median(warm), statistics.median(peer), 1.0)
        yield beside(f"{what}: cold process", statistics.median(cold), statistics.median(peer), 1.5)


def tied(folder: Path, benchstat: str, rounds: int) -> Iterable[Row]:
    """Time the exact test with ties: 1,000 rows of 25 against 25, alone and in a whole command."""
    files = write_tied(folder, rows=1000, repeats=25)
    tests, whole, peer_whole, peer_cpu = [], [], [], []
    for number in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        peer_whole.append(run([benchstat, *files], warnings=False).seconds)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        peer_cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        tests.append(float(run([sys.executable, "-c", TESTS, str(number)]).output))
        whole.append(run([sys.executable, "-m", "benchlib", "compare", *files]).seconds)
    theirs, ours = statistics.median(peer_cpu), statistics.median(tests)
    yield Row("1,000 rows, 25 v 25, ties: benchstat", f"{theirs:.2f} s of processor time", "", True)
    yield Row(
        "the tests of these rows",
        f"{ours:.3f} s of processor time, {theirs / ours:.0f} times less",
        f"at least {ROWS_GOAL} times",
        theirs / ours >= ROWS_GOAL,
    )
    yield beside("the whole command, cold", statistics.median(whole), statistics.median(peer_whole), 0.5)


def write_pair(folder: Path, name: str, *, benchmarks: int, repeats: int, seed: int = 1) -> tuple[str, str]:
    """Write two runs of so many benchmarks; bytes take seven values, allocations one."""
    draw = random.Random(seed)
    typical = [(10 ** draw.uniform(1, 6), 64 * draw.randrange(100), draw.randrange(20)) for _ in range(benchmarks)]
    paths = []
    for side, factor in (("old", 1.0), ("new", 1.01)):
        path = folder / f"{name}-{side}.txt"
        with path.open("w", encoding="utf-8") as file:
            file.write("goos: linux\ngoarch: amd64\npkg: example.com/bench\n")
            for number, (time, size, allocations) in enumerate(typical):
                for _ in range(repeats):
                    value = f"{time * factor * draw.gauss(1, 0.03):.4g}"
                    held = size + draw.randint(0, 6)
                    file.write(
                        f"BenchmarkTask{number // 50}/case={number % 50}-8\t{draw.randint(1000, 99999)}\t"
                        f"{float(value):.10g} ns/op\t{held} B/op\t{allocations} allocs/op\n"
                    )
        paths.append(str(path))
    return paths[0], paths[1]


def write_tied(folder: Path, *, rows: int, repeats: int, seed: int = 1) -> tuple[str, str]:
    """Write two runs whose times are whole nanoseconds, so that many are equal."""
    draw = random.Random(seed)
    paths = []
    for side, centre in (("old", 1000), ("new", 1003)):
        path = folder / f"tied-{side}.txt"
        with path.open("w", encoding="utf-8") as file:
            for row in range(rows):
                for _ in range(repeats):
                    file.write(f"BenchmarkTask{row}-8\t1000\t{round(draw.gauss(centre, 12))} ns/op\n")
        paths.append(str(path))
    return paths[0], paths[1]


if __name__ == "__main__":
    sys.exit(main())
