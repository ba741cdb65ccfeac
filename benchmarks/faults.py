"""End reports at every point, and see what is left of them: one table, and exit code 1 if anything broke.

    python benchmarks/faults.py                          # half an hour on two cores
    python benchmarks/faults.py --kills 10 --rounds 2 --every 5

A report of a study whose results have changed since its last one is ended in each of these ways:

- **kill -9** after a random time: a second later none of its processes is there.
- **crash point**: kill -9 before each operation on a file that Python makes among reports and temporary files, fsync
  included; ``--every 5`` takes each fifth of them.
- **signal**: SIGINT, SIGTERM, SIGHUP, SIGQUIT after a random time: what it had among temporary files is gone at once.
- **no room**: files may grow to some size and no further, as on a full disk: a line for what cannot be written.
- **eight at once**: two runs for each of four studies, into one folder of reports.
- **record, pack, fleet**: kill -9 of these commands after a random time. What was recorded is there, whole and once;
  the same command then ends well.

After each, every page, notebook, manifest and list is there whole, as it was or as it will be; the next run is
complete; and after it nothing temporary is left.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.run.small_notebook import write_small_notebook  # noqa: E402

#: Runs the command that follows a number and a folder, and kills it before so many operations on files in the folder;
#: for 0 it prints how many there are.
CRASHING = """
import os, signal, sys
at, folder, seen, main = int(sys.argv[1]), sys.argv[2], 0, os.getpid()
del sys.argv[1:3]
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate"}

def count():
    global seen
    seen += 1
    if seen == at:
        os.kill(main, signal.SIGKILL)

def heed(event, arguments):
    if os.getpid() != main:
        return
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if event in CHANGES or (writes and str(arguments[0]).startswith(folder)):
        count()

sync = os.fsync
def counted(descriptor):
    count()
    sync(descriptor)

os.fsync = counted
sys.addaudithook(heed)
from benchlib.cli import console
try:
    console()
finally:
    if not at:
        print(seen)
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
#: Bytes that a file may grow to; the page takes more than the last.
ROOMS = (0, 1, 100, 1_000, 4_000, 16_000)


class Scene:
    """A folder with studies, their reports and a place for temporary files; and what broke in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.broken: Counter[str] = Counter()
        self._turn = 0
        self._mark = f"BENCHLIB_FAULTS={os.getpid()}-{folder.name}"
        (folder / "temporary").mkdir()
        write_small_notebook(folder / "small.ipynb")
        for number in range(4):
            (folder / f"study{number}").mkdir()

    def change(self) -> None:
        """Measure every study again, so that its report is due."""
        self._turn += 1
        for study in self.folder.glob("study?"):
            rows = [f"BenchmarkX-{level} 10 {90 / level + self._turn + n} ns/op" for level in (1, 2, 4) for n in (0, 1)]
            (study / "run.txt").write_text("\n".join([*rows, ""]))

    def start(
        self, program: Sequence[str], study: str = "study0", room: int | None = None, command: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """Start a report on a study, or another command, by a program such as ``python -m benchlib``."""
        report = ["report", study, "-o", "reports", "--notebook", "small.ipynb", "--quiet"]
        name, _, value = self._mark.partition("=")
        limit: Callable[[], None] | None = None
        if room is not None:
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))  # noqa: E731
        return subprocess.Popen(
            [sys.executable, *program, *(command or report)],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder / "temporary"), name: value},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit,
        )  # fmt: skip

    def processes(self) -> int:
        """Return how many processes that were started here are there, apart from dead ones that nobody waited for."""
        alive = 0
        for process in Path("/proc").glob("[0-9]*"):
            try:
                alive += self._mark.encode() in (process / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
        return alive

    def check_ended(self) -> None:
        """A second later no process is there."""
        until = time.monotonic() + 1
        while self.processes() and time.monotonic() < until:
            time.sleep(0.02)
        self.check(not self.processes(), "a process lives on after a second")

    def left(self) -> list[str]:
        """Return what is temporary and still there."""
        return [
            path.name for name in ("temporary", "reports") for path in (self.folder / name).rglob(".benchlib-*")
        ] + [path.name for path in (self.folder / "temporary").iterdir()]

    def check(self, true: object, what: str) -> None:
        """Note what broke."""
        if not true:
            self.broken[what] += 1

    def check_whole(self) -> None:
        """Every file of reports that is there is whole."""
        for path in (self.folder / "reports").rglob("[!.]*.*"):
            if path.suffix == ".html":
                self.check(path.read_text().rstrip().endswith("</html>"), f"{path.name} is not whole")
            elif path.suffix in (".json", ".ipynb"):
                try:
                    json.loads(path.read_text())
                except ValueError:
                    self.broken[f"{path.name} is not whole"] += 1

    def check_next(self, study: str = "study0") -> None:
        """The next run is complete, and leaves nothing."""
        self.check_whole()
        running = self.start(["-m", "benchlib"], study)
        said = running.communicate()[1]
        self.check(running.returncode == 0 and not said, f"the next run ended with {running.returncode}: {said[:200]}")
        rows = len((self.folder / study / "run.txt").read_text().splitlines())
        folder = self.folder / "reports" / study
        manifest = json.loads((folder / "manifest.json").read_text())
        self.check(f"{rows} lines" in (folder / "small.answers.json").read_text(), "the next run has other answers")
        self.check(manifest["pages"]["small.html"]["failure"] is None, "the next run is noted as a failure")
        self.check(f"{study}/small.html" in (self.folder / "reports/index.html").read_text(), "the list lacks a report")
        self.check(not self.left(), f"left: {', '.join(self.left()[:3])}")
        self.check_whole()


def kills(scene: Scene, times: int, random: Random, takes: float) -> int:
    """Kill after a random time; a second later no process is there."""
    for _ in range(times):
        scene.change()
        running = scene.start(["-m", "benchlib"])
        time.sleep(random.uniform(0, takes))
        running.kill()
        running.communicate()
        scene.check_ended()
        scene.check_next()
    return times


def crash_points(scene: Scene, every: int) -> int:
    """Kill before each operation on a file; its processes end, and the next run clears up."""
    scene.change()
    counting = scene.start(["-c", CRASHING, "0", str(scene.folder)])
    operations = int(counting.communicate()[0].split()[-1])
    points = range(1, operations + 1, every)
    for point in points:
        scene.change()
        running = scene.start(["-c", CRASHING, str(point), str(scene.folder)])
        running.communicate()
        scene.check(running.returncode == -signal.SIGKILL, "a crash point was not reached")
        scene.check_ended()  # who is still there holds what the next run would remove
        scene.check_next()
    return len(points)


def signals(scene: Scene, times: int, random: Random, takes: float) -> int:
    """End by signals; nothing is left even before the next run."""
    for turn in range(times):
        number = SIGNALS[turn % len(SIGNALS)]
        scene.change()
        running = scene.start(["-m", "benchlib"])
        time.sleep(random.uniform(0, takes))
        running.send_signal(number)
        running.communicate()
        # Before Python has heard of signals, and after it has, the system ends it; that is no run yet, or no more.
        scene.check(running.returncode in (0, 128 + number, -number, 1), f"{number.name}: code {running.returncode}")
        scene.check(not scene.left(), f"{number.name} left: {', '.join(scene.left()[:3])}")
        scene.check_next()
    return times


def rooms(scene: Scene) -> int:
    """Let files grow to some size and no further."""
    page = scene.folder / "reports/study0/small.html"
    for room in ROOMS:
        scene.change()
        before = page.read_bytes()
        running = scene.start(["-m", "benchlib"], room=room)
        said = running.communicate()[1]
        told = said and all(line.startswith("benchlib: ") for line in said.splitlines())  # of the page, and of the list
        scene.check(running.returncode in (2, 5) and told, f"no room: {running.returncode}: {said[:200]}")
        scene.check(page.read_bytes() == before, "no room: the last good page is not as it was")
        scene.check(not scene.left(), f"no room left: {', '.join(scene.left()[:3])}")
        scene.check_next()
    return len(ROOMS)


def at_once(scene: Scene, times: int) -> int:
    """Run twice for each of four studies at the same time."""
    for _ in range(times):
        scene.change()
        running = [scene.start(["-m", "benchlib"], f"study{number % 4}") for number in range(8)]
        for process in running:
            said = process.communicate()[1]
            told = all("skipped: another run is building it" in line for line in said.splitlines())
            scene.check(process.returncode == 0 and told, f"at once: {process.returncode}: {said[:200]}")
        for number in range(4):
            manifest = scene.folder / f"reports/study{number}/manifest.json"
            scene.check(manifest.is_file() and "small.html" in manifest.read_text(), "at once: a report is lost")
            scene.check_next(f"study{number}")
    return times


FLEET = """
output = "fleet"
[[job]]
name = "nightly"
study = "study?"
notebook = "small.ipynb"
"""


def commands(scene: Scene, times: int, random: Random, takes: float) -> int:
    """Kill record, pack and a fleet after a random time, by turns; the same command then ends well."""
    (scene.folder / "reports.toml").write_text(FLEET)
    recorded = 0
    for turn in range(times):
        scene.change()
        recorded += turn % 3 == 0
        command = (
            ["record", "study0/run.txt", "--history", "kept", "--run", f"run{recorded}"],
            ["history", "pack", "kept"],
            ["fleet", "run", "reports.toml"],
        )[turn % 3]
        running = scene.start(["-m", "benchlib"], command=command)
        time.sleep(random.uniform(0, takes))
        running.kill()
        running.communicate()
        scene.check_ended()
        for again in (command, ["history", "check", "kept"]):
            running = scene.start(["-m", "benchlib"], command=again)
            said = running.communicate()[1]
            scene.check(running.returncode == 0, f"{again[0]} {again[1]} ended with {running.returncode}: {said[:200]}")
        listed = scene.start(["-m", "benchlib"], command=["history", "list", "kept", "--format", "json"])
        runs = json.loads(listed.communicate()[0])["runs"]
        scene.check(len(runs) == recorded, f"{len(runs)} runs of {recorded}")
        scene.check_whole()
    return times


def main() -> int:
    """Run the campaign, print one line a way of ending, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--every", type=int, default=1, help="of the crash points, each so-and-so-manieth")
    parser.add_argument("--rounds", type=int, default=20, help="of eight at once; as many signals")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random = Random(given.seed)
    broken: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="benchlib-faults-") as name:
        scene = Scene(Path(name))
        scene.change()
        began = time.monotonic()
        scene.check_next()
        takes = time.monotonic() - began
        for what, run in (
            ("kill -9", lambda: kills(scene, given.kills, random, takes)),
            ("crash point", lambda: crash_points(scene, given.every)),
            ("signal", lambda: signals(scene, given.rounds, random, takes)),
            ("no room", lambda: rooms(scene)),
            ("eight at once", lambda: at_once(scene, given.rounds)),
            ("record, pack, fleet", lambda: commands(scene, given.kills // 2, random, takes)),
        ):
            began = time.monotonic()
            times = run()
            print(f"{what:<20} {times:>4} times {time.monotonic() - began:>6.0f} s  {scene.broken.total()} broken")
            sys.stdout.flush()
            broken += scene.broken
            for fault, count in scene.broken.most_common():
                print(f"{count:>6} x {fault}")
            scene.broken.clear()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
