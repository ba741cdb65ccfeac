"""airspeed velocity: the results of one commit in one environment, as `asv run` saves them.

References
----------
https://asv.readthedocs.io/en/stable/dev.html, "Benchmark suite layout and file formats"; `asv/results.py` (which
columns a version writes) and `asv/benchmarks.py`: the beginning of a name says what is measured, `time_` seconds of one
call, `mem_` and `peakmem_` bytes, `timeraw_` seconds of a fresh process, `track_` whatever the author counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.collector import Collector, Outcome, certain_if
from benchlib.formats.json_text import (
    Document,
    _read_documents,
    _without_constants,
    instant,
    list_at,
    number_at,
    object_at,
    outline,
    text_at,
)
from benchlib.formats.reader import Format, Reading, Records, Rows, TextFile
from benchlib.formats.suites import _axes_of
from benchlib.results import RECORDED

#: The beginning of the last part of a name -> metric and unit.
_KINDS = {
    "time": ("time", "s/op"), "timeraw": ("time", "s/op"), "mem": ("memory", "B/op"), "peakmem": ("memory_peak", "B"),
}  # fmt: skip
#: The columns of a benchmark, in the order of files that do not name them.
_COLUMNS = ("result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25",
            "stats_q_75", "stats_number", "stats_repeat", "samples", "profile")  # fmt: skip
_INTERVAL = ("stats_ci_99_a", "stats_ci_99_b")
_LARGEST_GRID = 1_000_000


_RESULTS = frozenset({"commit_hash", "env_name", "results"})
_MACHINE = frozenset({"arch", "cpu", "machine", "ram"})


def _is_companion(head: TextFile) -> bool:
    """Whether a file says what the machine is, or what the benchmarks are, as asv keeps beside its results."""
    keys = outline(head, depth=1)
    of_benchmarks = any(key.endswith(".param_names") for key in outline(head, depth=2))
    return keys >= _MACHINE or (of_benchmarks and not keys & _RESULTS)


def _describes(root: object) -> bool:
    """Whether a document says what machine or benchmarks are."""
    if not isinstance(root, dict) or root.keys() & _RESULTS:
        return False
    return root.keys() >= _MACHINE or any(isinstance(one, dict) and "param_names" in one for one in root.values())


def _read_document(file: TextFile, document: Document) -> Reading:
    """Read each benchmark of a document as a record; what stands beside results is one of context."""
    if _describes(document.root):
        build = Collector(file.source, Records([document.first_line]))
        build.each([(0, document.root)], lambda _: "context")
        return build.reading()
    try:
        results, stated = object_at(document.root, "results"), _stated(document.root)
        columns = [str(column) for column in list_at(document.root, "result_columns")] or list(_COLUMNS)
    except DataError as error:
        whole = Records([document.first_line])
        whole.whole(document.problems)
        whole.problem(0, f"{error}; nothing could be read")
        return whole.reading(Rows(), [])
    lines = document.members("results")
    build = Collector(file.source, Records([lines.get(name, document.first_line) for name in results]))

    def read(record: tuple[str, object]) -> Outcome:
        name, written = record
        cells = _cells(written, columns)
        if cells.get("result") is None:
            build.add_series("failed-benchmark", name, build.line)
            raise DataError(f"{printable(name, 60)} failed")
        return _keep(build, name, cells, stated)

    build.each(enumerate(results.items()), read)
    if stated.get("run") and (when := instant(object_at(document.root, ()).get("date"))):
        build.add_series(RECORDED, stated["run"], document.first_line, (when,))
    # NaN is how it writes that a combination was left out; the record says how many.
    return build.finish(_without_constants(document.problems), wanted="asv saves 'results' of each benchmark")


def _stated(root: object) -> dict[str, Any]:
    """Return the commit, the machine, and the environment as axes."""
    facts = object_at(root, "params")
    python = text_at(root, "python") or ""
    # Where asv made no environment, it writes the path of the interpreter.
    axes = {"machine": facts.get("machine"), "python": python if python and "/" not in python else None}
    requirements = {name: version for name, version in object_at(root, "requirements").items() if version}
    run = (text_at(root, "commit_hash") or "")[:10]
    return {**_axes_of({**axes, **requirements}), **({"run": run} if run else {})}


def _cells(written: object, columns: Sequence[str]) -> Mapping[str, Any]:
    """Return the columns of a benchmark by name: a list since version 2, before an object or the result alone."""
    if isinstance(written, list):
        return dict(zip(columns, written, strict=False))
    return written if isinstance(written, dict) else {"result": [written]}


def _keep(build: Collector, name: str, cells: Mapping[str, Any], stated: Mapping[str, Any]) -> Outcome:
    """Keep the values of each combination of parameters."""
    results = cells["result"] if isinstance(cells["result"], list) else [cells["result"]]
    grid = _grid(cells.get("params"), name)
    if len(grid) != len(results):
        raise DataError(f"{printable(name, 60)} has {len(results)} results for {len(grid)} combinations of parameters")
    function = name.rpartition(".")[2]
    metric, unit = _KINDS.get(function.partition("_")[0], (printable(function, 60), ""))
    measured: list[tuple[dict[str, Any], list[float], float | None, list[float]]] = []
    for place, (levels, result) in enumerate(zip(grid, results, strict=True)):
        values = _numbers(cells.get("samples"), place) or _finite([result])
        loops = _numbers(cells.get("stats_number"), place)
        ends = [end for column in _INTERVAL for end in _numbers(cells.get(column), place)]
        measured.append((levels, values, loops[0] if loops else None, ends))
    lost = sum(not values for _, values, _, _ in measured)
    if lost == len(measured):
        build.add_series("failed-benchmark", name, build.line)
        raise DataError(f"{printable(name, 60)} failed")
    if lost:
        build.note(f"{lost:,} of {len(measured):,} results of {printable(name, 60)} have no value: failed or left out")
    for levels, values, iterations, ends in measured:
        number = build.configure({"benchmark": name, **levels, **stated})
        for value in values:
            build.add(name, metric, value, unit, line=build.line, configuration=number, iterations=iterations)
        if len(values) == 1 and len(ends) == len(_INTERVAL):
            build.add_series("interval", name, build.line, (metric, *ends, 0.99))
    return "data"


def _grid(parameters: object, name: str) -> list[dict[str, Any]]:
    """Return the levels of each result: the last parameter runs fastest. Their names stand in another file."""
    lists = [entry for entry in parameters if isinstance(entry, list)] if isinstance(parameters, list) else []
    if math.prod(map(len, lists)) > _LARGEST_GRID:
        raise DataError(f"{printable(name, 60)} has too many combinations of parameters")
    names = [f"param{number}" for number in range(1, len(lists) + 1)]
    # Levels are written as Python shows them.
    texts = [[str(level).strip("'\"") for level in entry] for entry in lists]
    return [_axes_of(dict(zip(names, levels, strict=True))) for levels in product(*texts)]


def _numbers(column: object, place: int) -> list[float]:
    """Return the finite numbers that a column has for a result: one, or a list of them."""
    entry = column[place] if isinstance(column, list) and place < len(column) else None
    return _finite(entry if isinstance(entry, list) else [entry])


def _finite(values: Sequence[object]) -> list[float]:
    numbers = [number_at({"value": value}, "value") for value in values]
    return [number for number in numbers if number is not None]


ASV = Format(
    name="asv",
    rule="JSON with commit_hash, env_name and results",
    yields="time, memory or what is tracked, of each combination of parameters; its samples; the commit as run",
    limits="names of parameters, units of what is tracked (benchmarks.json has them); failed from left out",
    recognise=lambda head: certain_if(outline(head, depth=1) >= _RESULTS or _is_companion(head)),
    read=lambda file: _read_documents(file, partial(_read_document, file)),
)

READERS = (ASV,)
