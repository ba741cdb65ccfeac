"""Names of what runs at once: any usual one counts, in any case, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchlib.concurrency import counted
from benchlib.study import open_study


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("threads", "threads Threads n_threads num_threads nthreads OMP_NUM_THREADS thread_count NumberOfThreads"),
        ("cores", "cores Cores ncores cpus num_cpus"),
        ("processes", "procs nprocs n_procs np processes"),
        ("ranks", "ranks MPI"),
        ("workers", "Workers workers numjobs"),
        ("goroutines", "goroutines goroutines_count"),
        ("connections", "conns connections"),
        ("clients", "clients"),
        ("users", "Users users Concurrent-Users"),
        ("vus", "VUs vus virtual_users"),
        ("concurrency", "concurrency Concurrency ConcurrencyLevel"),
        ("iodepth", "iodepth QD queue_depth queuedepth io_depth"),
        ("nodes", "nodes num_nodes"),
        ("gpus", "GPUs"),
        ("", "size n N cpu notes network nop repeat batch nodename bits"),
    ],
)
def test_concurrency_has_many_names(kind: str, names: str) -> None:
    """As people write them in headers."""
    assert {name: counted(name) for name in names.split()} == dict.fromkeys(names.split(), kind)


@pytest.mark.parametrize(
    ("header", "rows", "axis"),
    [
        ("Threads", "1 2 4 8", "Threads"),
        ("OMP_NUM_THREADS", "1 2 4 8", "OMP_NUM_THREADS"),
        # what all others add up to
        ("ranks,threads,cores", "1,1,1 1,2,2 2,2,4 4,2,8", "cores"),
        # threads are the load generator's
        ("threads,conns", "1,1 2,2 2,4 2,8", "conns"),
        # a rank that counts from 0 says who measured, not how many
        ("rank", "0 1 2 3", ""),
        ("MPI", "first second third fourth", ""),
    ],
)
def test_the_axis_to_grow_along_is_found(header: str, rows: str, axis: str, tmp_path: Path) -> None:
    """Of a table as people write it."""
    lines = [f"{row},{100 * place}" for place, row in enumerate(rows.split(), start=1)]
    (tmp_path / "sweep.csv").write_text("\n".join([f"{header},throughput (op/s)", *lines, ""]), encoding="utf-8")
    assert open_study(tmp_path).scaling.concurrency == axis
