"""The history of benchlib itself: processor time of two commands at commits of its first-parent line.

    python benchmarks/own_history.py [--commits 80] [--repeats 3] > data/history/benchlib.csv

Each commit is checked out in a worktree of its own and measured by this interpreter, in random order, so that a drift
of the machine is no trend of the code. A command that a commit does not have is left out.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What is timed, on files that have not changed since the first commit.
COMMANDS = {
    "import": ["-c", "import benchlib"],
    "inspect": ["-m", "benchlib", "inspect", str(ROOT / "data" / "lplex" / "old.txt")],
    "compare": ["-m", "benchlib", "compare", str(ROOT / "data/lplex/old.txt"), str(ROOT / "data/lplex/new.txt")],
}


def git(*arguments: str) -> str:
    """Return what git says of this repository."""
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True).stdout


def processor_time(command: list[str], folder: str) -> float | None:
    """Return the seconds that a command took of a processor, None where it failed."""
    environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": ""}
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=folder, env=environment, stdout=nothing, stderr=nothing
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime if process.returncode == 0 else None


def main() -> None:
    """Print a row a commit, command and repeat, in the order of the line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--commits", type=int, default=80)
    options.add_argument("--repeats", type=int, default=3)
    given = options.parse_args()
    line = [entry.split() for entry in git("log", "--first-parent", "--reverse", "--format=%H %cI").splitlines()]
    chosen = line[:: max(1, len(line) // given.commits)]
    rows: list[tuple[str, str, str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        git("worktree", "add", "--detach", "--quiet", f"{folder}/at", chosen[-1][0])
        try:
            for commit, when in random.Random(1).sample(chosen, len(chosen)):
                git("-C", f"{folder}/at", "checkout", "--quiet", "--force", commit)
                for name, command in COMMANDS.items():
                    processor_time(command, f"{folder}/at")  # compiles what is new
                    taken = [processor_time(command, f"{folder}/at") for _ in range(given.repeats)]
                    rows += [(when, commit, name, seconds) for seconds in taken if seconds is not None]
                print(len(rows), file=sys.stderr, flush=True)
        finally:
            git("worktree", "remove", "--force", f"{folder}/at")
    place = {commit: number for number, (commit, _) in enumerate(chosen)}
    table = csv.writer(sys.stdout)
    table.writerow(["time", "commit", "benchmark", "cpu_time_ms"])
    for when, commit, name, seconds in sorted(rows, key=lambda row: (place[row[1]], row[2])):
        table.writerow([when, commit[:10], name, f"{1000 * seconds:.0f}"])


if __name__ == "__main__":
    main()
