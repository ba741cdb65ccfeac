"""Record what real noise is like: three programs, fresh processes, rounds over all levels in random order.

    python schedules/noise/record.py OUT [--rounds 8] [--seed 1] [--busy]

Needs Go and wrk; takes about half a minute a round on two cores. Three programs are measured: Go benchmarks (go.txt),
an HTTP service under wrk (wrk/), and workers that share a table (workers.csv). Every process is new; within a process
the values follow each other. With ``--busy`` one process keeps a core busy meanwhile.
"""

from __future__ import annotations

import argparse
import csv
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ADDRESS = "127.0.0.1:18090"
CPUS = (1, 2, 4)
CONNECTIONS = (1, 2, 4, 8, 16)
WORKERS = (1, 2, 4, 8)


def wait_for_service() -> None:
    """Return once the service takes connections; give up after five seconds."""
    host, port = ADDRESS.split(":")
    for _ in range(500):
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            time.sleep(0.01)
    sys.exit(f"record: nothing listens on {ADDRESS} after 5 s")


def output_of(*command: str) -> str:
    """What a command prints; end here if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        sys.exit(f"record: {' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout


def measure_go(tests: str, level: int, turn: int, process: int, out: Path) -> None:
    """Add one process of the Go benchmarks to go.txt: three values a benchmark."""
    text = output_of(
        tests, "-test.bench=.", "-test.run=^$", "-test.benchtime=200ms", "-test.count=3", f"-test.cpu={level}"
    )
    with (out / "go.txt").open("a", encoding="utf-8") as file:
        file.write(f"round: {turn}\nprocess: {process}\n{text}\n")


def measure_http(program: str, level: int, turn: int, process: int, out: Path) -> None:
    """Add two runs of wrk against one new service to the file of the round, which tells them by their connections."""
    service = subprocess.Popen([program, "serve", ADDRESS])
    try:
        wait_for_service()
        (out / "wrk").mkdir(exist_ok=True)
        with (out / "wrk" / f"round{turn}.txt").open("a", encoding="utf-8") as file:
            for _ in range(2):
                options = (f"-t{min(level, 2)}", f"-c{level}", "-d1s", "--latency")
                file.write(output_of("wrk", *options, f"http://{ADDRESS}/"))
    finally:
        service.kill()
        service.wait()


def measure_workers(program: str, level: int, turn: int, process: int, out: Path) -> None:
    """Add one process of the shared table to workers.csv: three values."""
    target = out / "workers.csv"
    new = not target.exists()
    with target.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(["round", "process", "workers", "ops_per_s"])
        for value in output_of(program, "run", str(level), "3").split():
            writer.writerow([turn, process, level, value])


def record(out: Path, rounds: int, seed: int) -> None:
    """Measure every level of every program once a round, in an order of its own."""
    order = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        program, tests = f"{folder}/noise", f"{folder}/noise.test"
        subprocess.run(["go", "build", "-o", program, "."], cwd=HERE, check=True)
        subprocess.run(["go", "test", "-c", "-o", tests, "."], cwd=HERE, check=True)
        process = 0
        for turn in range(1, rounds + 1):
            tasks = [(measure_go, tests, level) for level in CPUS]
            tasks += [(measure_http, program, level) for level in CONNECTIONS]
            tasks += [(measure_workers, program, level) for level in WORKERS]
            order.shuffle(tasks)
            print(f"round {turn} of {rounds}", file=sys.stderr)
            for measure, binary, level in tasks:
                process += 1
                measure(binary, level, turn, process, out)


def main() -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description="Record real noise: three programs over rounds in random order.")
    parser.add_argument("out", type=Path, help="a new folder for the results")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--busy", action="store_true", help="keep one core busy meanwhile")
    options = parser.parse_args()
    options.out.mkdir(parents=True)
    burner = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if options.busy else None
    try:
        record(options.out, options.rounds, options.seed)
    finally:
        if burner:
            burner.kill()
            burner.wait()


if __name__ == "__main__":
    main()
