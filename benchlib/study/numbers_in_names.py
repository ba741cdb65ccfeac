"""The numbers in a name and what each counts: ``locust_10_users.csv`` has users, ``t8_c64`` threads and concurrency.

A name is cut into words, numbers, dates and what stands between. Names that are equal but for their numbers and dates
have one shape, and each number has a place in it. What it counts is the word beside it that is known to count
something, or else the word before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from benchlib.concurrency import counted
from benchlib.formats.headers import REPEATS
from benchlib.formats.table import as_number
from benchlib.results import SCHEMA

_Kind = Literal["word", "number", "date", "between"]


class Token(NamedTuple):
    """A part of a name."""

    kind: _Kind
    text: str


#: A longer name is left whole: nobody reads it.
_LONGEST = 300
_DATE = (
    r"(?<!\d)(?:19|20)\d\d(?P<mark>[-_.]?)[01]\d(?P=mark)[0-3]\d"
    r"(?:[T_. -]?[0-2]\d[-_:.h]?[0-5]\d(?:[-_:.m]?[0-5]\d)?Z?)?(?!\d)"
)
_TOKEN = re.compile(rf"(?P<date>{_DATE}|(?<!\d)\d{{8,}})|(?P<decimal>(?<![\d.])\d+\.\d+(?!\.?\d))|[^\W_]+|[\W_]+")
#: ``c64``, ``8t``, ``d30s``, ``2x4``, ``t2c8``: what is neither is a word with digits, such as a hash or ``utf8mb4``.
_NUMBERED = re.compile(r"[a-z]{0,20}\d+[a-z]{0,20}|\d+x\d+|(?:[a-z]{1,4}\d+){2,4}", re.IGNORECASE)
_HASH = re.compile(r"(?=\d*[a-f])[0-9a-f]{7,}", re.IGNORECASE)
#: A size keeps its unit: 64k and 1m are levels of one axis.
_PIECES = re.compile(r"\d+(?:[kmg]i?b?|b)(?![a-z])|\d+|\D+", re.IGNORECASE)
#: Words that a version follows, which is a name: 3.10 is not 3.1.
_VERSIONED = frozenset({
    "python", "cpython", "pypy", "py", "go", "java", "jdk", "nodejs", "v", "version", "ver", "gcc", "clang", "llvm",
    "rust", "php", "ruby", "pg", "postgres", "mysql", "redis", "cuda",
})  # fmt: skip


def cut(name: str) -> tuple[Token, ...]:
    """Cut a name into its parts.

    Examples
    --------
    >>> [token.text for token in cut("pth_4t_N1000") if token.kind == "number"]
    ['4', '1000']
    """
    if len(name) > _LONGEST:
        return (Token("word", name),)
    tokens: list[Token] = []
    for match in _TOKEN.finditer(name):
        text = match[0]
        if match["date"]:
            tokens.append(Token("date", text))
        elif match["decimal"]:
            tokens.append(Token("number", text))
        elif not text[0].isalnum():
            tokens.append(Token("between", text))
        elif _NUMBERED.fullmatch(text) and not _HASH.fullmatch(text):
            tokens += [Token("number" if piece[0].isdigit() else "word", piece) for piece in _PIECES.findall(text)]
        else:
            tokens.append(Token("word", text))
    return tuple(_with_versions(tokens))


def _with_versions(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens in which each version is a word: its numbers name something, and count nothing."""
    named: list[Token] = []
    start = -1
    for token in tokens:
        if token.kind == "number" and start >= 0:
            named[start:] = [Token("word", "".join(part.text for part in named[start:]) + token.text)]
        else:
            named.append(token)
            if token.kind != "between":
                start = len(named) - 1 if token.text.lower() in (*_VERSIONED, "node") else -1
            elif token.text not in "-_. " or named[start].text.lower() == "node":
                start = -1  # node18 is a version of Node.js, node_4 counts nodes
    return named


def is_name(word: str) -> bool:
    """Whether the digits of a word belong to it: a version such as ``python-3.10``, or the hash of a commit."""
    letters = re.match(r"[a-z]*", word.lower())
    version = letters is not None and letters[0] in (*_VERSIONED, "node") and letters[0] != word.lower()
    return version or bool(_HASH.fullmatch(word))


def shape(tokens: Iterable[Token]) -> tuple[str, ...]:
    """Return what names have in common that differ in numbers and dates alone."""
    return tuple(token.text if token.kind in ("word", "between") else f"\0{token.kind}" for token in tokens)


#: Words for what repeats, and for what is set.
_REPEATS = REPEATS | {"runs", "reps", "take", "pass", "fork", "r"}
_SETTINGS = frozenset({
    "size", "sizes", "bs", "len", "length", "bytes", "bits", "kb", "mb", "gb", "kib", "mib", "gib", "batch", "depth",
    "qd", "iodepth",
    "width", "rate", "rps", "qps", "tps", "load", "payload", "n", "items", "rows", "records", "keys", "elements",
    "docs", "dim", "dims", "dimension", "dimensions", "inputs", "outputs", "skew", "zipf", "scale", "sf", "qos",
    "shards", "replicas", "partitions", "topics", "producers", "consumers", "subscribers", "publishers", "queues",
    "ms", "sec", "secs", "duration", "interval",
})  # fmt: skip
#: Letters that options of load generators and names of sweeps have made their own.
_LETTERS = {
    "t": "threads",
    "th": "threads",
    "c": "concurrency",
    "w": "workers",
    "g": "goroutines",
    "u": "users",
    "cpu": "cpus",
    "omp": "threads",
}
#: Words that say what a file is, and nothing of its number.
_GENERIC = frozenset({
    "bench", "benchmark", "benchmarks", "result", "results", "output", "out", "test", "tests", "report", "reports",
    "log", "logs", "data", "stats", "stat", "summary", "perf", "file", "exp", "experiment", "measurement",
    "measurements", "case", "index", "raw", "csv", "json", "txt", "x", "the", "of", "with", "and", "for", "at", "in",
    "to", "by",
})  # fmt: skip


def _beside(tokens: Sequence[Token], at: int) -> tuple[list[str], list[str]]:
    """Return the words that name a number: those before it, nearest first, and those behind it."""
    return _words([*reversed(tokens[:at])]), _words(tokens[at + 1 :])


def _words(tokens: Sequence[Token]) -> list[str]:
    """Return the words up to the next number or folder, without those that touch another number."""
    words = []
    for place, token in enumerate(tokens):
        if token.kind == "word" and (place + 1 == len(tokens) or tokens[place + 1].kind != "number"):
            words.append(token.text)
        elif token.kind != "between" or not _joins(token.text):
            break
    return words


def _joins(between: str) -> bool:
    """Whether words on both sides belong together; a slash parts them."""
    return between in ("-", "_", " ", "=", ":", "#", ".", "")


def _above(tokens: Sequence[Token], at: int) -> list[str]:
    """Return the last word of the folder in which a number begins a name: ``threads/8.txt``."""
    if at < 2 or tokens[at - 1].text != "/":
        return []
    return _words([*reversed(tokens[: at - 1])])[:1]


def _glued(tokens: Sequence[Token], at: int) -> tuple[str, str]:
    """Return the letters that touch a number, before it and behind it."""
    before = tokens[at - 1].text if at and tokens[at - 1].kind == "word" else ""
    behind = tokens[at + 1].text if at + 1 < len(tokens) and tokens[at + 1].kind == "word" else ""
    return before, behind


class Axis(NamedTuple):
    """What a number counts, whether a known word says so, and whether that says how many and not which: ``8t``."""

    name: str
    known: bool
    how_many: bool


def repeats_at(tokens: Sequence[Token], at: int) -> bool:
    """Whether the word before a number says that it counts repeats: ``run3``, ``trial_2``, ``r1``."""
    return bool(repeated(tokens, at))


def repeated(tokens: Sequence[Token], at: int) -> str:
    """Return the word before a number that says that it counts repeats; empty where none does."""
    before, _ = _beside(tokens, at)
    return before[0].lower() if before and before[0].lower() in _REPEATS else ""


def _named(word: str) -> str:
    """Return the axis that a word names beyond doubt."""
    return _LETTERS.get(word.lower(), "") or (word if counted(word) or word.lower() in _SETTINGS else "")


def axes_in(tokens: Sequence[Token]) -> dict[int, Axis]:
    """Return the axis of each number that does not count repeats, by its place.

    Examples
    --------
    >>> [(axis.name, axis.known) for axis in axes_in(cut("locust_10_users_alpha-0.5")).values()]
    [('users', True), ('alpha', False)]
    """
    axes: dict[int, Axis] = {}
    for at, token in enumerate(tokens):
        if token.kind != "number" or repeats_at(tokens, at):
            continue
        taken = {axis.name for axis in axes.values()}
        candidates = (axis for axis in _candidates(tokens, at) if axis.name not in taken)
        number = f"number{len(taken) + 1 if taken else ''}"
        axes[at] = next(candidates, Axis(number, known=False, how_many=False))
    return axes


def _candidates(tokens: Sequence[Token], at: int) -> Iterator[Axis]:
    """Yield what a number may count: what known words say, and then the word before it."""
    before, behind = _beside(tokens, at)
    glued = [word for word in _glued(tokens, at) if word]
    # ``goroutines_count_10``, ``input_size_100``: two words name it, where both together or the second alone is known.
    pairs = [f"{before[1]}_{before[0]}"] if len(before) > 1 and before[1][0].isalpha() else []
    for words in (*pairs, *glued, *before[:1], *behind[:1], *before[1:2], *_above(tokens, at)):
        first, _, last = words.rpartition("_")
        known = words if counted(words) else _named(last)
        if known:
            sized = first and last.lower() in _SETTINGS and first.lower() not in _GENERIC
            name = words if sized else known
            yield Axis(_column(name), known=True, how_many=words in behind[:1] or _is_number_of(name))
    for word in (*glued, *before[:1]):
        if word[0].isalpha() and word.lower() not in _GENERIC | _REPEATS:
            yield Axis(_column(word), known=False, how_many=False)


def _is_number_of(axis: str) -> bool:
    """Whether a number behind such a word says how many: ``clients1`` is a number of them, ``client1`` one of them."""
    kind = counted(axis)
    return axis == kind or axis.endswith("s") or axis[:1].lower() == "n" or (not kind and len(axis) > 1)


def _column(name: str) -> str:
    return f"{name}_axis" if name in SCHEMA else name


def is_count(levels: Iterable[str]) -> bool:
    """Whether levels are whole numbers without a gap, as somebody numbers files."""
    numbers = sorted({int(level) if level.isdigit() else -1 for level in levels})
    return numbers[0] >= 0 and numbers[-1] - numbers[0] == len(numbers) - 1


def in_order(levels: Iterable[str]) -> list[str]:
    """Return levels as they are read: numbers by their size, then words."""
    numbers = {level: as_number(level) for level in levels}
    return sorted(numbers, key=lambda level: (numbers[level] is None, numbers[level] or 0, level))


def field(axis: str, levels: Iterable[str]) -> str:
    """Return a field of a template for an axis of such levels."""
    name = re.sub(r"\W", "_", axis, flags=re.ASCII)
    return f"{{{name}:int}}" if all(level.isascii() and level.isdigit() for level in levels) else f"{{{name}}}"
