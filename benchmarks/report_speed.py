"""How long reports take beside papermill and nbconvert: ``python benchmarks/report_speed.py``.

One report in a cold process, both ways by turns; then a batch of many, by `benchlib report` and by `benchlib fleet`,
with the memory of all its processes watched, and once more with nothing to build. Prints a table. README.md in this
folder says what each row means.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from formats_speed import ROOT, environment
from goals import Row, print_table

NOTEBOOK = ROOT / "notebooks" / "reports" / "executive_summary.ipynb"
BIN = Path(sys.executable).parent
PAGE_SIZE = os.sysconf("SC_PAGE_SIZE")

#: Cold: wall time against stock. Batch: reports a minute with two workers. Memory: last quarter against first.
#: Unchanged: seconds a report, and seconds that are always allowed.
COLD, A_MINUTE, FLAT, UNCHANGED, ALWAYS = 0.35, 500, 1.1, 0.025, 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return 0 if every goal is kept, else 3."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="cold reports each way (default 5)")
    parser.add_argument("--batch", type=int, default=200, help="reports in a batch (default 200)")
    parser.add_argument("--batch-only", action="store_true", help="only batches, of the small study")
    parser.add_argument("--workers", type=int, default=2, help="reports at a time (default 2)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="benchlib-speed-") as name:
        folder = Path(name)
        studies = {"small study": write_study(folder / "small"), "onix-adapter": ROOT / "data" / "onix-adapter"}
        rows = []
        if chosen.batch_only:
            del studies["onix-adapter"]
        else:
            for what, study in studies.items():
                rows += cold(what, study, folder, chosen.rounds, goal=what == "onix-adapter")
        for what, study in studies.items():
            rows += batch(what, study, folder, chosen.batch, chosen.workers, goal=what == "small study")
    print_table(rows)
    return 0 if all(one.kept for one in rows) else 3


def cold(what: str, study: Path, folder: Path, rounds: int, *, goal: bool) -> Iterator[Row]:
    """Time one report in processes of its own, stock and ours by turns; the first of each only warms the disk."""
    stock, ours, ratios = [], [], []
    for number in range(rounds + 1):
        executed, page = folder / "stock.ipynb", folder / "stock.html"
        begun = time.perf_counter()
        run([BIN / "papermill", NOTEBOOK, executed, "-p", "study", study, "--no-progress-bar"])
        run([BIN / "jupyter", "nbconvert", "--to", "html", executed, "--output", page])
        stock.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        run([sys.executable, "-m", "benchlib", "report", study, "-o", folder / f"cold-{number}", "--quiet"])
        ours.append(time.perf_counter() - begun)
        ratios.append(ours[-1] / stock[-1])
    del stock[0], ours[0], ratios[0]
    ratio = statistics.median(ratios)
    yield Row(f"{what}, cold: papermill and nbconvert", f"{statistics.median(stock):.2f} s", "", True)
    wanted, kept = (f"at most {COLD:.2f} of stock", ratio <= COLD) if goal else ("", True)
    yield Row(f"{what}, cold: benchlib report", f"{statistics.median(ours):.2f} s, {ratio:.2f} of stock", wanted, kept)


def batch(what: str, study: Path, folder: Path, reports: int, workers: int, *, goal: bool) -> Iterator[Row]:
    """Time commands that build many reports, and the same with nothing to build; watch the memory of all."""
    home = folder / f"batch-{study.name}"
    studies = [home / "data" / f"{study.name}-{number:04d}" for number in range(reports)]
    for path in studies:
        shutil.copytree(study, path)
    (home / "reports.toml").write_text('[[job]]\nname = "fleet"\nstudy = "data/*"\n')
    commands: dict[str, tuple[object, ...]] = {
        "report": ("report", *studies, "-o", home / "report", "--quiet"),
        "fleet": ("fleet", "run", home / "reports.toml"),
    }
    for name, command in commands.items():
        seconds, watch = timed(command, workers)
        built = len(list(home.rglob("executive_summary.html")))
        if built != reports * (1 + (name == "fleet")):
            raise SystemExit(f"{built} reports were built")
        rate = reports / seconds * 60
        wanted, kept = (f"at least {A_MINUTE} a minute", rate >= A_MINUTE) if goal else ("", True)
        shown = f"{what}, {reports} reports, {workers} at a time, {name}"
        yield Row(shown, f"{seconds:.1f} s, {rate:.0f} a minute", wanted, kept)
        for whose, (first, last) in watch.quarters().items():
            yield Row(
                f"{what}, {name}, {whose}: largest in the first and last quarter",
                f"{first:.0f} MB, {last:.0f} MB",
                f"at most {FLAT} times the first",
                last <= FLAT * first,
            )
        seconds, _ = timed(command, workers)
        most = max(ALWAYS, UNCHANGED * reports)
        yield Row(f"{shown}, unchanged", f"{seconds:.1f} s", f"at most {most:.0f} s", seconds <= most)
    shutil.rmtree(home)


def timed(command: Sequence[object], workers: int) -> tuple[float, Watch]:
    """Run a command of benchlib, and return its wall time and what was seen of its memory."""
    begun = time.perf_counter()
    child = start([sys.executable, "-m", "benchlib", *command, "--jobs", workers])
    watch = Watch(child.pid)
    if child.wait():
        raise SystemExit(f"{command[0]} ended with exit code {child.returncode}")
    seconds = time.perf_counter() - begun
    watch.join()
    return seconds, watch


class Watch(threading.Thread):
    """Looks at the resident memory of a process and its descendants, five times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._seen: list[tuple[float, float]] = []
        self.start()

    def run(self) -> None:
        """Look until the process has ended."""
        while parent := resident(self._pid):
            self._seen.append((parent, max((resident(one) for one in descendants(self._pid)), default=0.0)))
            time.sleep(0.2)

    def quarters(self) -> dict[str, tuple[float, float]]:
        """Return the largest megabytes of the parent, and of any child, in the first and last quarter.

        Looked at are the quarters of the time in which there were children.
        """
        busy = [one for one in self._seen if one[1]]
        size = max(1, len(busy) // 4)
        parts = busy[:size], busy[-size:]
        return {
            name: (max(one[place] for one in parts[0]), max(one[place] for one in parts[1]))
            for place, name in enumerate(("the parent", "a child"))
        }


def resident(pid: int) -> float:
    """Return the megabytes that a process holds; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_SIZE / 1e6
    except (OSError, IndexError):
        return 0.0


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes below one."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for one in map(int, children):
        yield one
        yield from descendants(one)


def start(command: Sequence[object]) -> subprocess.Popen[bytes]:
    """Start a command as a user's shell would, with this checkout's benchlib."""
    return subprocess.Popen(
        [str(one) for one in command],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def run(command: Sequence[object]) -> None:
    """Run a command to its end; a time of something that did not work is none."""
    if code := start(command).wait():
        raise SystemExit(f"{' '.join(str(one) for one in command)}: exit code {code}")


def write_study(folder: Path, seed: int = 1) -> Path:
    """Write a study of one sweep: 5 levels of GOMAXPROCS, 5 values each."""
    draw = random.Random(seed)
    folder.mkdir()
    lines = ["goos: linux", "goarch: amd64", "pkg: example.com/bench", "cpu: Some CPU @ 2.00GHz"]
    for _ in range(5):
        for level in (1, 2, 4, 8, 16):
            value = 1e5 * (1 + 0.05 * (level - 1) + 0.002 * level * (level - 1)) / level * draw.gauss(1, 0.02)
            lines.append(f"BenchmarkServe-{level}\t{int(1e9 / value):8d}\t{value:12.0f} ns/op")
    (folder / "run.txt").write_text("\n".join([*lines, "PASS", ""]), encoding="utf-8")
    definition = 'title = "A small study"\n[configuration]\nparallel = ["Serve"]\n'
    (folder / "study.toml").write_text(definition, encoding="utf-8")
    return folder


if __name__ == "__main__":
    sys.exit(main())
