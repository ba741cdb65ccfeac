"""What a history costs: recording, reading, packing, importing; beside DuckDB and a plain loop, in one run.

    python benchmarks/history_store.py [--runs 2000] [--rows 10000000] [--asv 1438]

Prints one table. Nothing is written but in a temporary folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

import benchlib as bl
from benchlib.history import Facts, History, runs_of
from benchlib.history.runs import FOOTER, Footer, Run
from benchlib.study import open_study


def seconds(task: Callable[[], object], times: int = 3) -> float:
    """Return the median time of a task."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        task()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def recording(folder: Path, runs: int) -> None:
    """Record runs of 100 rows, and read one series of all, loose and packed."""
    kept = History(str(folder / "kept"), make=True)
    columns = {"benchmark": [f"b{place}" for place in range(100)]}
    made = []
    for number in range(runs):
        values = [100 + number % 7 + place for place in range(100)]
        made.append((bl.read({**columns, "time_ns": values}).study.results, Facts(commit=f"{number:010}")))
    start = time.perf_counter()
    for results, facts in made:
        kept.record(results, facts)
    tell("ms a recorded run of 100 rows", 1000 * (time.perf_counter() - start) / runs)
    tell(f"s, one series of {runs:,} runs, loose", seconds(lambda: kept.results("benchmark=b7"), 1))
    tell("s to pack them", seconds(kept.pack, 1))
    tell(f"s, one series of {runs:,} runs, packed", seconds(lambda: kept.results("benchmark=b7")))


def series_of_a_pack(folder: Path, rows: int) -> None:
    """Read one series of a packed history of many rows, beside DuckDB on the same file."""
    import duckdb
    import pyarrow as arrow
    from pyarrow import parquet

    benchmarks, runs = 1000, rows // 1000
    kept = History(str(folder / "large"), make=True)
    facts = [
        Run(
            sha256=hashlib.sha256(b"%d" % n).hexdigest(),
            facts=Facts(commit=f"{n:010}"),
            rows=benchmarks,
            failed=0,
            better={},
        )
        for n in range(runs)
    ]
    names = np.repeat([f"b{place:04}" for place in range(benchmarks)], runs)
    shas = np.tile([run.sha256 for run in facts], benchmarks)
    commits = np.tile([run.facts.commit for run in facts], benchmarks)

    def same(text: str) -> arrow.Array:
        return arrow.array([text]).take(arrow.array(np.zeros(rows, int)))

    table = arrow.table(
        {
            "name": names, "benchmark": names, "run": same(""), "metric": same("time"), "unit": same("sec/op"),
            "value": np.random.default_rng(1).normal(100, 1, rows), "original_unit": same("ns/op"),
            "iterations": np.full(rows, np.nan), "errors": np.full(rows, np.nan), "position": np.zeros(rows, int),
            "source": same("a.txt"), "line": np.ones(rows, int), "is_failed": np.zeros(rows, bool), "commit": commits,
            "run_sha256": shas,
        }
    )  # fmt: skip
    footer = msgspec.json.encode(Footer(version=1, runs=tuple(facts)))
    (folder / "large" / "packed").mkdir()
    path = folder / "large" / "packed" / "all.parquet"
    parquet.write_table(
        table.replace_schema_metadata({FOOTER: footer}), path, compression="zstd", row_group_size=50_000
    )
    asked = f"select commit, value from '{path}' where benchmark = 'b0500'"
    beside = seconds(lambda: duckdb.sql(asked).fetchall())
    tell(f"s, one series of {rows:,} packed rows; DuckDB", seconds(lambda: kept.results("benchmark=b0500")), beside)


def importing(folder: Path, files: int) -> None:
    """Import files of asv, 3,000 values each, beside json.loads of each."""
    results = folder / "asv"
    (results / "atom").mkdir(parents=True)
    chance = random.Random(1)
    for number in range(files):
        commit = hashlib.sha1(b"%d" % number).hexdigest()
        values = {
            f"suite.Class{place}.time_x": [[chance.uniform(1, 2) for _ in range(10)], [[*map(str, range(10))]]]
            for place in range(30)
        }
        document = {
            "commit_hash": commit, "env_name": "virtualenv", "date": 1_700_000_000_000 + number * 86_400_000,
            "params": {"machine": "atom"}, "python": "3.11", "result_columns": ["result", "params"], "results": values,
            "version": 2,
        }  # fmt: skip
        (results / "atom" / f"{commit[:8]}-virtualenv.json").write_text(json.dumps(document))

    def plain() -> None:
        for path in (results / "atom").iterdir():
            json.loads(path.read_text())

    def ours() -> None:
        kept = History(str(folder / "imported"), make=True)
        study = open_study(results)
        for facts, part in runs_of(study.results, study.versions):
            kept.record(part, facts)

    tell(f"s to import {files:,} files of asv, 300 values each; json.loads", seconds(ours, 1), seconds(plain))


def tell(what: str, value: float, beside: float | None = None) -> None:
    """Print a row of the table."""
    print(f"| {what} | {value:.3g} | {'' if beside is None else f'{beside:.3g}'} |", flush=True)


def main() -> None:
    """Measure all, one after the other."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=2000)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--asv", type=int, default=1438)
    given = options.parse_args()
    print("| | benchlib | beside it |\n|---|---|---|")
    for measure, size in ((recording, given.runs), (series_of_a_pack, given.rows), (importing, given.asv)):
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), size)


if __name__ == "__main__":
    main()
