"""Answers as a tree of short lines that a person can compare, and the differences of two trees.

An answer in JSON becomes lines ``key = value``, indented by their place. An estimate is ``value [low, high] unit n=5
se=0.1``, evidence is the number of its rows and a hash of them. Items of a list are named by what identifies them, so
that an added item is an added line. What is null or empty has no line.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

#: Relative tolerance of numbers; and of those at which a solver stops, or that are small differences: from one
#: processor to another they move by up to 1e-8.
TOLERANCE, SOLVED_TOLERANCE = 1e-9, 1e-7
SOLVED = {"fits", "back_test", "variance", "readings"}
#: Below it a number is rounding noise, or a p-value that nobody tells from 0.
NOISE = 1e-13
#: What identifies an item of a list; its name is made of those it has, in this order.
IDENTITY = (
    "name", "package", "key", "levels", "slice", "context", "condition", "metric", "other", "law",
    "simpler", "richer", "criterion", "factor", "factors", "level", "baselines", "baseline", "candidate", "parameter",
    "quantity", "concurrency", "up_to", "before", "after", "load", "source", "line", "place", "about", "benchmark",
)  # fmt: skip
#: Sentences, and words of study.toml: they may be worded anew while every answer stays the same. And `error`: what is
#: predicted less what is measured, and both are there.
PROSE = {
    "advice", "answer", "answer_if", "command", "commands", "decision", "definition_sha256", "descriptions",
    "error", "formula", "message", "method", "note", "notes", "origin", "question", "reason", "refused",
    "refused_fits", "rule", "sentence", "tested", "text", "title", "type", "why",
}  # fmt: skip
#: The longest line on which a whole part of an answer may stand.
LONGEST = 300

_ROW = re.compile(r"(.+):(\d+)(?:-(\d+))?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")


def flatten(answer: Any) -> dict[str, str]:
    """Return each value of an answer by its path, and below ``types`` the type of each part."""
    lines = {**dict(_lines(("answer",), answer)), **dict(sorted(_types(("types",), answer)))}
    return {join(*path): text for path, text in lines.items()}


def join(*parts: str) -> str:
    """Return a path of keys as one key."""
    return _PATH.join(parts)


def shorten(number: float) -> str:
    """Return a number with all digits that are compared."""
    return "0" if abs(number) < NOISE else f"{number:.12g}"


def digest(lines: Iterable[str]) -> str:
    """Return a short hash of some lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def _lines(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give the lines of a part of an answer, each with its path."""
    text = _inline(value)
    # Every number counts as long as any other: their last digits decide nothing.
    if text is not None and (len(_NUMBER.sub("#" * 12, text)) <= LONGEST or not isinstance(value, (Mapping, list))):
        yield path, text
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if _counts(key, part):
                yield from _lines((*path, key), part)
    else:
        seen: Counter[str] = Counter()
        for place, part in enumerate(value):
            name = _name(part) or f"#{place + 1}"
            seen[name] += 1
            rest = {key: its for key, its in part.items() if key not in IDENTITY} if isinstance(part, Mapping) else part
            yield from _lines((*path, name if seen[name] == 1 else f"{name} #{seen[name]}"), rest)


def _types(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Give the type of each part; items of a list are alike."""
    if isinstance(value, Mapping):
        if "type" in value and value["type"] not in ("Estimate", "Evidence", "Caveat"):
            yield (*path, "type"), value["type"]
        for key in value.keys() - PROSE:
            yield from _types((*path, key), value[key])
    elif isinstance(value, list):
        for part in value:
            yield from _types(path, part)


def _counts(key: str, value: Any) -> bool:
    """Say whether a part is frozen: no prose, and not what stands for nothing."""
    long = isinstance(value, str) and len(value) > 60 and value.count(" ") > 6
    return not (key in PROSE or value is None or value in ("", [], {}) or long)


def _name(item: Any) -> str:
    """Return what identifies an item of a list."""
    if not isinstance(item, Mapping):
        return ""
    return ", ".join(text for key in IDENTITY if key in item and (text := _inline(item[key])))


def _inline(value: Any) -> str | None:
    """Return a value as one piece of text, or None if that is too much for a line."""
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    if isinstance(value, (int, float)):
        return shorten(value)
    if isinstance(value, str):
        return value[:12] if _SHA256.fullmatch(value) else value.replace("\n", "\\n")
    if isinstance(value, Sequence):
        return _inline_list(value)
    if value.get("type") == "Refusal":
        return f"refused: {value['question']}"
    if {"value", "low", "high", "unit", "n"} <= set(value):
        return _inline_estimate(value)
    if {"formula", "rows"} <= set(value):
        values = [f"{place} {number:.9g}" for place, number in value.get("values", [])]
        return f"{_rows(value['rows'])}, {len(values)} values {digest(sorted(values))} {value['unit']}".rstrip()
    parts = {key: _inline(part) for key, part in value.items() if _counts(key, part)}
    return None if None in parts.values() else "; ".join(f"{key} {text}" for key, text in parts.items())


def _inline_list(value: Sequence[Any]) -> str | None:
    if value and all(isinstance(part, Mapping) and {"code", "severity"} <= set(part) for part in value):
        counted = Counter(f"{part['code']} {part['severity']}" for part in value)
        return " | ".join(f"{text} x {count}" if count > 1 else text for text, count in sorted(counted.items()))
    if value and all(isinstance(part, str) and _ROW.fullmatch(part) for part in value):
        return _rows(value)
    if all(isinstance(part, (int, float)) for part in value) and len(value) > 12:
        return f"{len(value)} numbers, sum {shorten(math.fsum(value))}, last {shorten(value[-1])}"
    parts = [_inline(part) for part in value]
    if None in parts or any(isinstance(part, Mapping) for part in value):
        return None
    return " | ".join(str(part) for part in parts)


def _inline_estimate(value: Mapping[str, Any]) -> str:
    level, error = value.get("confidence_level"), value.get("standard_error")
    ends = [_inline(value[end]) for end in ("value", "low", "high")]
    return (
        f"{ends[0]} [{ends[1]}, {ends[2]}] {value['unit'] or 1} n={value['n']}"
        + ("" if level in (0.95, None) else f" at={shorten(level)}")
        + ("" if error is None else f" se={shorten(error)}")
    )


def _rows(ranges: Sequence[str]) -> str:
    """Count the rows that ranges such as ``run.txt:3-8`` name, and hash them as a set."""
    rows = set()
    for text in ranges:
        source, first, last = _ROW.fullmatch(text).groups()  # type: ignore[union-attr]
        rows |= {f"{source}:{line}" for line in range(int(first), int(last or first) + 1)}
    return f"{len(rows)} rows {digest(sorted(rows))}"


# Trees as files.

_PATH = "\x1f"


def write_tree(lines: Mapping[str, str]) -> str:
    """Write lines as a tree: what two paths begin with stands once."""
    written: list[str] = []
    before: list[str] = []
    for path, text in lines.items():
        parts = path.split(_PATH)
        same = next((place for place, (a, b) in enumerate(zip(parts, before, strict=False)) if a != b), len(before))
        same = min(same, len(parts) - 1)
        written += ["  " * depth + part for depth, part in enumerate(parts[:-1]) if depth >= same]
        written.append("  " * (len(parts) - 1) + f"{parts[-1]} = {text}")
        before = parts
    return "\n".join(written) + "\n"


def read_tree(text: str) -> dict[str, str]:
    """Read what `write_tree` wrote."""
    lines: dict[str, str] = {}
    above: list[str] = []
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip(" "))) // 2
        key, leaf, value = line[2 * depth :].partition(" = ")
        above = [*above[:depth], key]
        if leaf:
            lines[_PATH.join(above)] = value
    return lines


def differences(expected: Mapping[str, str], found: Mapping[str, str], most: int = 20) -> str:
    """Return the first keys whose values differ, with both values; nothing if all are the same."""
    keys = [key for key in {**expected, **found} if not _same(key, expected.get(key), found.get(key))]
    told = []
    for key in keys[:most]:
        told += [" / ".join(key.split(_PATH))]
        told += [f"    {what}: {lines.get(key, '(nothing)')}" for what, lines in (("frozen", expected), ("now", found))]
    return "\n".join([f"{len(keys)} keys differ", *told] if keys else [])


def _same(key: str, expected: str | None, found: str | None) -> bool:
    """Compare two values: numbers within the tolerance, all else exactly."""
    if expected == found or expected is None or found is None:
        return expected == found
    if _NUMBER.sub("#", expected) != _NUMBER.sub("#", found):
        return False
    tolerance = SOLVED_TOLERANCE if SOLVED & set(key.split(_PATH)) else TOLERANCE
    pairs = [(float(a), float(b)) for a, b in zip(_NUMBER.findall(expected), _NUMBER.findall(found), strict=True)]
    return all(math.isclose(a, b, rel_tol=tolerance) or max(abs(a), abs(b)) < 2 * NOISE for a, b in pairs)
