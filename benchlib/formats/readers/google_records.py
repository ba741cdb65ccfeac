"""What a record of google-benchmark means, whether it stood in JSON or in CSV.

A record is one repetition, or an aggregate over the repetitions of a benchmark. Aggregates repeat
what the repetitions say; ``cv`` and ``RMS`` are ratios though their unit says ``ns``, and ``BigO`` is
a fit. They are read only where the repetitions were not written, and then the median alone.

References
----------
google/benchmark, ``docs/user_guide.md``, *Statistics: Reporting the Mean, Median and Standard
Deviation* and ``src/json_reporter.cc``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchlib.errors import DataError, printable
from benchlib.formats.json_values import number, pick, text
from benchlib.formats.readers.structured import Building, Kept

__all__ = ["Family", "read_record", "task"]

_UNITS = ("ns", "us", "ms", "s")
_AGGREGATE = re.compile(r"(.+)_(mean|median|stddev|cv|BigO|RMS)", re.DOTALL)
_FITS = ("BigO", "RMS")
#: Keys of a record that are no counters of the user.
_OWN = frozenset(
    {
        *("name", "family_index", "per_family_instance_index", "run_name", "run_type", "threads"),
        *("repetitions", "repetition_index", "aggregate_name", "aggregate_unit", "iterations"),
        *("real_time", "cpu_time", "time_unit", "label", "error_occurred", "error_message"),
        *("skipped", "skip_message", "cpu_coefficient", "real_coefficient", "big_o", "rms"),
    }
)
_RATES = {
    "bytes_per_second": ("transfer", "B/s"),
    "items_per_second": ("throughput", "item/s"),
    "allocs_per_iter": ("allocations", "allocs/op"),
    "max_bytes_used": ("memory_max", "B"),
    "total_allocated_bytes": ("memory_total", "B"),
    "net_heap_growth": ("heap_growth", "B"),
}
#: How long it was measured, in a name: kept as an axis, or two settings would be one sample.
_SETTINGS = {"iterations": "set_iterations"}
_LONGEST_LABEL = 200
_TIMERS = ("real_time", "process_time", "manual_time")


class Family:
    """Which benchmarks of a file have repetitions, and which only aggregates."""

    def __init__(self, found: Sequence[object]) -> None:
        records = [one for one in found if isinstance(one, dict)]
        self.names = {one["name"] for one in records if isinstance(one.get("name"), str)}
        self.repeated: set[str] = set()
        self.medians: set[str] = set()
        for one in records:
            name, aggregate = self.parts(one)
            if not aggregate:
                self.repeated.add(name)
            elif aggregate == "median":
                self.medians.add(name)

    def parts(self, record: Mapping[str, object]) -> tuple[str, str]:
        """Return the name of the benchmark and of the aggregate, an empty one for a repetition."""
        name = record.get("name")
        name = name if isinstance(name, str) else ""
        found = _AGGREGATE.fullmatch(name)
        kind = record.get("run_type")
        if kind == "aggregate":
            aggregate, run = record.get("aggregate_name"), record.get("run_name")
            base = run if isinstance(run, str) and run else found[1] if found else name
            return base, aggregate if isinstance(aggregate, str) and aggregate else found[2] if found else "unnamed"
        if kind is None and found and self._is_aggregate(found[1], found[2]):
            return found[1], found[2]
        run = record.get("run_name")
        return (run if isinstance(run, str) and run else name), ""

    def _is_aggregate(self, base: str, aggregate: str) -> bool:
        # CSV and old JSON say it by the name alone, and a benchmark may end in _mean of itself.
        return aggregate in _FITS or base in self.names or {f"{base}_mean", f"{base}_median"} <= self.names


def read_record(build: Building, family: Family, facts: Mapping[str, Any], record: object) -> Kept:
    """Add the values of one repetition, or of the one aggregate that stands for it.

    Raises
    ------
    DataError
        If the record is no repetition that could be read.
    """
    if not isinstance(record, dict):
        raise DataError("a benchmark that is no object")
    if not text(record, "name"):
        raise DataError("a benchmark without a name")
    name, aggregate = family.parts(record)
    if aggregate and (name in family.repeated or aggregate != ("median" if name in family.medians else "mean")):
        return "context"
    if _true(record, "skipped"):
        return "context"
    benchmark, axes = task(name)
    label = (text(record, "label") or "").strip()
    if label:
        # An argument of the name may be called label as well.
        axes["label_axis" if "label" in axes else "label"] = printable(label, _LONGEST_LABEL)
    build.configure({"benchmark": benchmark, **axes, **facts})
    failed = _true(record, "error_occurred")
    time = number(record, "real_time")
    if failed and time is None:
        build.remark("failed-benchmark", benchmark)
        raise DataError(f"{printable(name, 60)} failed ({printable(text(record, 'error_message') or 'no reason', 60)})")
    if time is None:
        raise DataError(f"{printable(name, 60)} has no real_time")
    unit = text(record, "time_unit")
    if unit not in _UNITS:
        raise DataError(f"time_unit of {printable(name, 60)} is {printable(str(unit), 20)}, not one of ns, us, ms, s")
    iterations = None if aggregate else number(record, "iterations")
    errors = 1.0 if failed else 0.0
    build.add(name, "time", time, f"{unit}/op", iterations=iterations, errors=errors)
    cpu = number(record, "cpu_time")
    if cpu is not None:
        build.add(name, "cpu_time", cpu, f"{unit}/op", iterations=iterations, errors=errors)
    for key, value in record.items():
        metric, written = _RATES.get(key, (printable(key, 60), ""))
        if key in _OWN or not key.strip() or isinstance(value, (str, bool, dict, list)):
            continue
        counted = number(record, (key,))
        if counted is None:
            build.note(f"{printable(key, 60)} of {printable(name, 60)} is no number; left out")
        else:
            build.add(name, metric, counted, written, iterations=iterations, errors=errors)
    return "data"


def _true(record: Mapping[str, object], key: str) -> bool:
    return pick(record, (key,)) in (True, "true")


def task(name: str) -> tuple[str, dict[str, Any]]:
    """Return the benchmark of a full name and the axes its parts state.

    Examples
    --------
    >>> task("BM_Str/n:8/threads:2")
    ('BM_Str', {'n': '8', 'threads': '2'})
    >>> task("BM_Copy/64/4/real_time")
    ('BM_Copy', {'timer': 'real_time', 'case': '64/4'})
    """
    benchmark, *parts = name.split("/")
    axes: dict[str, Any] = {}
    left: list[str] = []
    for part in parts:
        key, colon, value = part.partition(":")
        if part in _TIMERS:
            axes["timer"] = part
        elif colon and key and value and key not in ("benchmark", "run"):
            axes[_SETTINGS.get(key, key)] = value
        elif part:
            left.append(part)
    if left:
        axes["case"] = "/".join(left)
    return benchmark or name, axes
