"""Words for axes, metrics and names: what a reader says instead of an identifier."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from benchlib.concurrency import RESOURCES, counted
from benchlib.document.blocks import Number, Text

__all__ = [
    "axis_words",
    "count",
    "is_resource",
    "joined",
    "level_words",
    "listed",
    "metric_words",
    "place_words",
    "plain_name",
    "slug",
]

#: What an axis counts -> one and several of it.
_AXES = {
    "gomaxprocs": ("thread", "threads"),
    "workers": ("worker", "workers"),
    "connections": ("connection", "connections"),
    "threads": ("thread", "threads"),
    "clients": ("client", "clients"),
    "users": ("user", "users"),
    "vus": ("virtual user", "virtual users"),
    "processors": ("processor", "processors"),
    "processes": ("process", "processes"),
    "ranks": ("rank", "ranks"),
    "cores": ("core", "cores"),
    "goroutines": ("goroutine", "goroutines"),
    "nodes": ("node", "nodes"),
    "gpus": ("GPU", "GPUs"),
}
_METRICS = {
    "time": "time per operation",
    "memory": "memory per operation",
    "allocations": "allocations per operation",
    "throughput": "throughput",
    "latency_p50": "median latency",
    "latency_p99": "99th percentile of latency",
    "latency_mean": "mean latency",
    "latency_max": "longest latency",
}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])")


#: An amount with its unit, which stays as its author wrote it.
_AMOUNT = re.compile(r"\d[\d.,]*[A-Za-z]{1,4}")


def axis_words(axis: str, several: bool = True) -> str:
    """Return what an axis counts.

    Examples
    --------
    >>> axis_words("num_threads"), axis_words("connections", several=False), axis_words("batch")
    ('threads', 'connection', 'batch')
    """
    return _AXES.get(counted(axis), (axis, axis))[several]


def level_words(axis: str, level: float) -> str:
    """Return a level of an axis in words.

    Examples
    --------
    >>> level_words("gomaxprocs", 4.0), level_words("workers", 1.0), level_words("batch", 64.0)
    ('4 threads', '1 worker', 'batch 64')
    """
    if counted(axis) not in _AXES:
        return f"{axis} {level:g}"
    return f"{level:g} {axis_words(axis, several=level != 1)}"


def is_resource(axis: str) -> bool:
    """Whether an axis is something one buys, so that efficiency has a meaning."""
    return counted(axis) in RESOURCES


def metric_words(metric: str) -> str:
    """Return a metric in words.

    Examples
    --------
    >>> metric_words("latency_p99"), metric_words("latency_p999"), metric_words("cache_misses")
    ('99th percentile of latency', '99.9th percentile of latency', 'cache misses')
    """
    percentile = re.fullmatch(r"latency_p(\d\d)(\d*)", metric)
    if metric not in _METRICS and percentile:
        decimals = f".{percentile[2]}" if percentile[2] else ""
        return f"{percentile[1]}{decimals}th percentile of latency"
    return _METRICS.get(metric, metric.replace("_", " "))


def plain_name(name: str) -> str:
    """Return a name without the marks of an identifier.

    Examples
    --------
    >>> plain_name("BAPCaller_RPS"), plain_name("FrameJSONSerializationFull"), plain_name("cheap"), plain_name("1KiB")
    ('BAP caller RPS', 'frame JSON serialization full', 'cheap', '1KiB')
    """
    if _AMOUNT.fullmatch(name) or not ("_" in name or _CAMEL.search(name)):
        return name
    parts = [part for piece in name.replace("_", " ").split() for part in _CAMEL.split(piece)]
    return " ".join(part if part.isupper() else part.lower() for part in parts)


def place_words(key: Mapping[str, object]) -> str:
    """Return where something was measured: a number with what it counts, a word by itself.

    Examples
    --------
    >>> place_words({"benchmark": "FrameJSON", "connections": 64, "bits": 32.0}), place_words({"path": "/cheap"})
    ('frame JSON, 64 connections, bits 32', 'cheap')
    """
    return ", ".join(
        level_words(axis, float(level))
        if isinstance(level, int | float) and not isinstance(level, bool)
        else plain_name(str(level).strip("/"))
        for axis, level in key.items()
    )


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> count(1, "run"), count(1200, "row"), count(2, "entry", "entries")
    ('1 run', '1,200 rows', '2 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(words: Sequence[str], most: int = 4) -> str:
    """Return words as a list in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdef"), most=2)
    ('a', 'a, b and c', 'a, b and 4 more')
    """
    shown = list(words[:most])
    if len(words) > most:
        return f"{', '.join(shown)} and {len(words) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def joined(texts: Iterable[Text], between: str = ", ", last: str = " and ") -> Text:
    """Join texts as a list in a sentence, their numbers kept."""
    every = list(texts)
    parts: list[object] = []
    for place, text in enumerate(every):
        if place:
            parts.append(last if place == len(every) - 1 else between)
        parts += text
    return tuple(part for part in parts if isinstance(part, str | Number) or part)  # type: ignore[misc]


def slug(*words: str) -> str:
    """Return words as the name by which study.toml takes a number.

    Examples
    --------
    >>> slug("hash, 64 connections"), slug("Sender", "each output")
    ('hash_64_connections', 'sender_each_output')
    """
    return re.sub(r"\W+", "_", "_".join(words)).strip("_").lower()
