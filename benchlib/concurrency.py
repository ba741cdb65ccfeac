"""Which axes count what runs at once, under any of the names that people give them."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["DEMAND", "RESOURCES", "counted"]

#: What is counted -> the names of it, in one word, in lower case and in the singular.
_NAMES = {
    "gomaxprocs": ("gomaxproc",),
    "threads": ("thread", "thr", "nthr"),
    "cores": ("core", "cpus", "ncpu", "numcpu", "vcpu", "hardwarethread"),
    "processors": ("processor",),
    "processes": ("process", "processe", "proc", "np", "mpiproc", "mpiprocesse"),
    "ranks": ("rank", "mpi", "mpirank", "ntask", "mpitask"),
    "workers": ("worker", "job"),
    "goroutines": ("goroutine", "coroutine", "fiber"),
    "connections": ("connection", "conn", "concurrentconnection"),
    "clients": ("client", "concurrentclient"),
    "users": ("user", "concurrentuser", "activeuser"),
    "vus": ("vu", "virtualuser"),
    "concurrency": ("concurrency", "concurrencie", "concurrencylevel", "parallelism", "concurrentrequest", "inflight"),
    "iodepth": ("iodepth", "qd", "queuedepth"),
    "nodes": ("node",),
    "gpus": ("gpu",),
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names}
#: Those that one buys: only with these efficiency means anything.
RESOURCES = frozenset(
    {"gomaxprocs", "threads", "cores", "processors", "processes", "ranks", "workers", "nodes", "gpus"}
)
#: Those that ask for work rather than do it: a core serves many of them.
DEMAND = frozenset({"connections", "clients", "users", "vus", "concurrency", "iodepth"})
#: What stands before the name or behind it: ``num_threads``, ``n_procs``, ``OMP_NUM_THREADS``, ``thread_count``.
_BEFORE = re.compile(r"(?:omp|mpi|max|total)?(?:numberof|numof|noof|num|nr|no|n)?")
_BEHIND = re.compile(r"(?:count|number|num)$")
#: A longer name counts nothing.
_LONGEST = 40


@lru_cache(maxsize=4096)
def counted(axis: str) -> str:
    """Return what an axis counts that runs at once; empty where its name says no such thing.

    Examples
    --------
    >>> counted("OMP_NUM_THREADS"), counted("Concurrent Users"), counted("nprocs"), counted("np"), counted("size")
    ('threads', 'users', 'processes', 'processes', '')
    """
    if len(axis) > _LONGEST:
        return ""
    whole = re.sub(r"[^a-z0-9]+", "", axis.lower())
    if whole == "user":
        return ""  # beside real and sys: a time of the processor
    for word in (whole, _BEHIND.sub("", whole)):
        prefix = _BEFORE.match(word)
        for name in (word, word[prefix.end() :] if prefix else word):
            kind = _KINDS.get(name) or _KINDS.get(name.removesuffix("s"))
            if kind:
                return kind
    return ""
