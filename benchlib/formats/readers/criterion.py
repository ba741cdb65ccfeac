"""criterion.rs folders: ``<group>/<function>/<input>/<new|base|baseline>/sample.json``.

The sample knows its times and not its name: the folders above it give that. What lies beside it
(estimates, fences of outliers, the change against the base, reports) was made from it, and is context.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from benchlib.errors import DataError
from benchlib.formats.json_paths import outline
from benchlib.formats.json_text import parse, unreadable
from benchlib.formats.json_values import items, number
from benchlib.formats.raw import unpacked_name
from benchlib.formats.readers.structured import Building, Kept
from benchlib.formats.reading import Certainty, Reading, TextFile

__all__ = ["Criterion", "place", "task"]

_COMPANIONS = ("estimates.json", "tukey.json", "benchmark.json")


class Criterion:
    """The reader of the files below ``target/criterion``."""

    name = "criterion"
    rule = "sample.json with iters and times, or a file that criterion writes beside it"
    files = "sample.json"
    yields = "time of each sample (its time over its iterations); group, function, input and run from the path"
    limits = "names are those of the folders, where criterion replaces / and other signs by _; a sample alone has none"
    contains = frozenset[str]()

    def recognise(self, head: TextFile) -> Certainty:
        """Judge the first 64 KiB of a file, and its name where the content is nothing but numbers."""
        if not head.first.lstrip().startswith(("<", "{", "[")):
            return "no"
        path = PurePosixPath(unpacked_name(head.source))
        if _is_report(path, head):
            return "certain"
        paths = outline(head)
        if {"iters", "times"} <= paths or (path.name == "sample.json" and "[][]" in paths):
            return "certain"
        if path.name not in _COMPANIONS:
            return "no"
        estimates = {"mean.point_estimate", "median.point_estimate", "Mean.point_estimate"} & paths
        fences = path.name == "tukey.json" and "[]" in paths and "[][]" not in paths
        return "certain" if estimates or fences or {"group_id", "function_id"} <= paths else "no"

    def read(self, file: TextFile) -> Reading:
        """Read a sample; its companions are one record of context each."""
        path = PurePosixPath(unpacked_name(file.source))
        if _is_report(path, file):
            return _context(Building(file.source, range(1, len(file.lines) + 1)), file.lines)
        document = parse(file)
        if not document.parsed:
            return unreadable(document)
        build = Building(file.source, [document.first_line])
        if path.name in _COMPANIONS:
            return _context(build, [document.root])

        def sample(root: object) -> Kept:
            return _sample(build, path, root)

        build.each([document.root], sample)
        return build.reading(document.problems, wanted="the sample is empty; run cargo bench again")


def _is_report(path: PurePosixPath, head: TextFile) -> bool:
    first = head.first.lstrip()
    return "report" in path.parts[:-1] and path.suffix in (".svg", ".html") and first.startswith("<")


def _context(build: Building, records: list[Any]) -> Reading:
    build.each(records, lambda _: "context")
    return Reading(rows=build.rows, configurations=[], problems=[], lines=build.records.counts())


def _sample(build: Building, path: PurePosixPath, root: object) -> Kept:
    if isinstance(root, list):  # before criterion 0.3
        if len(root) != 2:
            raise DataError(f"{len(root)} lists, not one of iterations and one of times")
        root = {"iters": root[0], "times": root[1]}
    iterations, times = items(root, "iters"), items(root, "times")
    if len(iterations) != len(times) or not times:
        raise DataError(f"{len(iterations)} iters beside {len(times)} times")
    run, parts = place(path)
    benchmark, axes = task(parts)
    build.configure({**({"benchmark": benchmark} if benchmark else {}), **axes, **({"run": run} if run else {})})
    for time, count in zip(times, iterations, strict=True):
        total, loops = number({"times": time}, "times"), number({"iters": count}, "iters")
        if total is None or loops is None or loops <= 0:
            raise DataError("a sample without a time or without iterations")
        build.add("/".join(parts), "time", total / loops, "ns/op", iterations=loops)
    return "data"


def place(path: PurePosixPath) -> tuple[str, tuple[str, ...]]:
    """Return the run and the folders that name the benchmark.

    Examples
    --------
    >>> place(PurePosixPath("target/criterion/fib/10/new/sample.json"))
    ('new', ('fib', '10'))
    """
    folders = path.parts[:-1]
    if "criterion" in folders:
        folders = folders[len(folders) - folders[::-1].index("criterion") :]
    return (folders[-1], folders[:-1]) if folders else ("", ())


def task(parts: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    """Return the benchmark and the axes of the parts of an identifier: group, function, input.

    Of two parts the second is an input if it is a number, else a function.

    Examples
    --------
    >>> task(("fib", "recursive", "10"))
    ('fib', {'function': 'recursive', 'input': '10'})
    >>> task(("sum", "1024")), task(("sum", "fast"))
    (('sum', {'input': '1024'}), ('sum', {'function': 'fast'}))
    """
    if len(parts) < 2:
        return (parts[0] if parts else ""), {}
    if len(parts) == 2:
        return parts[0], {"input" if parts[1].isdecimal() else "function": parts[1]}
    return parts[0], {"function": "/".join(parts[1:-1]), "input": parts[-1]}
