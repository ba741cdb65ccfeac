"""Plain result lines of Go benchmark text, a block of some hundred kilobytes at a time.

A million lines are read in half a second because none of them becomes a Python object: the bytes of
a block are cut into tokens, and tokens into columns, by arrays. A line is *plain* when it can be read
so: ``Benchmark...``, a count, and pairs of a number and a unit. Every other line is left to the rules
of `benchlib.formats.readers.go_bench`, which read one line at a time and would read the plain ones to
the same bits.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchlib.formats.readers.go_line import LineError, measurement

__all__ = ["SIZE", "Block", "scan", "scanned"]

#: Bytes of a block: its arrays then stay in the cache of a core.
SIZE = 768 * 1024
#: numpy lets go of the interpreter while it counts; more workers than this wait for one another.
_MOST_WORKERS = 4
#: A number of at most 15 characters is below 2**53, and so is the power of ten it is divided by: the
#: one division then rounds as float() does (Clinger 1990, How to read floating point numbers).
_LONGEST_NUMBER = 15
_LONGEST_WORD = 256
_POWERS = 10.0 ** np.arange(_LONGEST_NUMBER + 1)
#: By how many of 8 bytes are wanted, the bits that keep them.
_FIRST_BYTES = np.array([2 ** (8 * kept) - 1 for kept in range(9)], dtype=np.uint64)
#: The golden ratio of 64 bits, odd: it spreads what it multiplies (Knuth, TAOCP 3, 6.4).
_MIX = np.uint64(0x9E3779B97F4A7C15)
#: Before the block so that a number may be gathered from its end, after it for words from their start.
_BEFORE, _AFTER = b" " * 16, b"\n" + b" " * _LONGEST_WORD
#: What str.split() takes for space beyond the bytes up to 32.
_OTHER_SPACES = tuple(
    chr(one).encode() for one in (0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
)

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The plain result lines of one block.

    Attributes
    ----------
    start, stop : int
        Where the block lies; no line end after its last line.
    count : int
        Its lines.
    lines : ndarray of int
        Index of each plain line, from 0.
    names, units : sequence of str
        Those that occur, in the order they first do.
    name, iterations, values : ndarray
        For each plain line its name (an index), count, and number of values.
    value, unit : ndarray
        Of all plain lines, one after the other.
    """

    start: int
    stop: int
    count: int
    lines: Places
    names: Sequence[str]
    name: Places
    iterations: Floats
    values: Places
    value: Floats
    units: Sequence[str]
    unit: Places


def scanned(content: bytes) -> Iterator[Block]:
    """Yield the blocks of a text (UTF-8) in order; several are scanned at a time where there are cores."""
    spans = list(_spans(content))
    workers = min(_MOST_WORKERS, os.cpu_count() or 1, len(spans))
    # The C library gives memory back after every array and faults it in again for the next, until it
    # has seen a piece of this size come and go: half of all time was spent so.
    np.empty(16 * 1024**2, dtype=np.uint8)
    if workers < 2:
        yield from (scan(content, one) for one in spans)
        return
    with ThreadPoolExecutor(workers) as pool:
        # Not all at once: scanned blocks that wait for their turn take more memory than their text.
        waiting = deque(pool.submit(scan, content, one) for one in spans[: workers + 1])
        for one in spans[workers + 1 :]:
            yield waiting.popleft().result()
            waiting.append(pool.submit(scan, content, one))
        while waiting:
            yield waiting.popleft().result()


def _spans(content: bytes) -> Iterator[tuple[int, int]]:
    """Cut a text at line ends into pieces of about `SIZE`; a longer line is a piece of its own."""
    start, end = 0, len(content) - content.endswith(b"\n")
    while start <= end:
        stop = end
        if stop - start > SIZE:
            stop = content.rfind(b"\n", start, start + SIZE)
            if stop < 0:
                stop = content.find(b"\n", start + SIZE, end)
            if stop < 0:
                stop = end
        yield start, stop
        start = stop + 1


def scan(content: bytes, span: tuple[int, int]) -> Block:
    r"""Read the plain result lines between two places of a text.

    Examples
    --------
    >>> block = scan(b"goos: linux\nBenchmarkA-8 \t 100\t 5.25 ns/op\t 16 B/op", (0, 51))
    >>> block.count, block.lines, block.names, block.value, block.units
    (2, array([1]), ['BenchmarkA-8'], array([ 5.25, 16.  ]), ['ns/op', 'B/op'])
    """
    start, stop = span
    raw = b"".join((_BEFORE, memoryview(content)[start:stop], _AFTER))
    data = np.frombuffer(raw, dtype=np.uint8)
    # No result is longer than a block, and words that other spaces part are for the rules of text.
    if stop - start > 2 * SIZE or _other_spaces(raw, data):
        return _nothing(span, content.count(b"\n", start, stop) + 1)
    space = data <= 32
    edges = np.flatnonzero(space[1:] != space[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    line_ends = np.flatnonzero(data == ord("\n"))
    line_starts = np.concatenate(([len(_BEFORE)], line_ends[:-1] + 1))
    after = np.searchsorted(starts, line_ends)
    first = np.concatenate(([0], after[:-1]))
    width = after - first
    plain = (width >= 4) & (width % 2 == 0) & (_gathered(data, line_starts, 9) == b"Benchmark")
    lines = np.flatnonzero(plain)
    first, values = first[lines], width[lines] // 2 - 1

    counts, points = _decimals(data, starts[first + 1], ends[first + 1])
    owner = np.repeat(np.arange(len(lines)), values)
    before = np.cumsum(values) - values
    token = first[owner] + 2 + 2 * (np.arange(len(owner)) - before[owner])
    numbers, kind = _decimals(data, starts[token], ends[token])
    _read_singly(raw, starts[token], ends[token], numbers, kind)
    sound = (points == 0) & (ends[first] - starts[first] <= _LONGEST_WORD)
    sound[owner[(kind < 0) | (ends[token + 1] - starts[token + 1] > _LONGEST_WORD)]] = False
    if not sound.all():
        kept = sound[owner]
        numbers, token = numbers[kept], token[kept]
        lines, first, values, counts = lines[sound], first[sound], values[sound], counts[sound]
    name, names = _words(raw, starts[first], ends[first])
    unit, units = _units(raw, starts[token + 1], ends[token + 1], values)
    return Block(
        start=span[0],
        stop=span[1],
        count=len(line_ends),
        lines=lines,
        names=names,
        name=name,
        iterations=counts,
        values=values,
        value=numbers,
        units=units,
        unit=unit,
    )


def _nothing(span: tuple[int, int], count: int) -> Block:
    none = np.zeros(0, dtype=np.int64)
    return Block(
        start=span[0],
        stop=span[1],
        count=count,
        lines=none,
        names=(),
        name=none,
        iterations=none.astype(np.float64),
        values=none,
        value=none.astype(np.float64),
        units=(),
        unit=none,
    )


def _other_spaces(raw: bytes, data: Bytes) -> bool:
    if data.min() < ord("\t") or (data - np.uint8(ord("\n") + 1) < ord(" ") - ord("\n") - 1).any():
        return True
    return not raw.isascii() and any(one in raw for one in _OTHER_SPACES)


def _gathered(data: Bytes | bytes, starts: Places, size: int) -> npt.NDArray[np.bytes_]:
    """Return the bytes from each start on, as many as said."""
    windows = np.ndarray(len(data) - size + 1, dtype=f"S{size}", buffer=data, strides=(1,))
    return windows[starts]


def _decimals(data: Bytes, starts: Places, ends: Places) -> tuple[Floats, npt.NDArray[np.int8]]:
    """Return the number each token writes, and how many points it has: -1 for what is no plain decimal."""
    length = ends - starts
    size = int(min(length.max(initial=1), _LONGEST_NUMBER))
    place = np.arange(size, 0, -1)[:, None]
    # One row a place, counted from the end: sums over places then run along whole rows.
    chars = data.take(ends - place)
    inside = place <= length
    digit = chars - np.uint8(ord("0"))
    is_digit = (digit < 10) & inside
    is_point = (chars == ord(".")) & inside
    digit *= is_digit
    points = is_point.sum(axis=0, dtype=np.int8)
    plain = (length <= size) & (is_digit | is_point | ~inside).all(axis=0) & (points <= 1) & is_digit.any(axis=0)
    value = _POWERS[size - 1 :: -1] @ digit
    pointed = np.flatnonzero(points == 1)
    # A point counted as the digit 0: the whole part stands one place too high.
    scale = _POWERS[(np.arange(size - 1.0, -1.0, -1.0) @ is_point[:, pointed]).astype(np.int64)]
    number = value[pointed]
    value[pointed] = (number - 9.0 * scale * np.floor(number / (10.0 * scale))) / scale
    return value, np.where(plain, points, -1).astype(np.int8)


def _read_singly(raw: bytes, starts: Places, ends: Places, numbers: Floats, kind: npt.NDArray[np.int8]) -> None:
    """Fill in the numbers written otherwise: with an exponent, a sign, or more digits than 15."""
    for place in np.flatnonzero(kind < 0).tolist():
        try:
            value = measurement(raw[starts[place] : ends[place]].decode("utf-8", "surrogatepass"))
        except LineError:
            continue
        if isfinite(value):
            numbers[place], kind[place] = value, 0


def _units(raw: bytes, starts: Places, ends: Places, values: Places) -> tuple[Places, list[str]]:
    """Return codes and words of units: one for all lines in each place of a line, nearly always."""
    each = int(values[0]) if len(values) else 0
    if not each or (values != each).any():
        return _words(raw, starts, ends)
    places = [_words(raw, starts[place::each], ends[place::each]) for place in range(each)]
    known: dict[str, int] = {}
    codes = np.empty((len(values), each), dtype=np.int64)
    # As they first occur: by line, not by place.
    firsts = sorted(
        (int(np.argmax(code == number)), place, word)
        for place, (code, words) in enumerate(places)
        for number, word in enumerate(words)
    )
    for _, _, word in firsts:
        known.setdefault(word, len(known))
    for place, (code, words) in enumerate(places):
        codes[:, place] = np.array([known[one] for one in words])[code]
    return codes.ravel(), list(known)


def _words(raw: bytes, starts: Places, ends: Places) -> tuple[Places, list[str]]:
    """Return a code for each token, and the words the codes stand for, in the order they first occur."""
    length = ends - starts
    eights = -(-int(length.max(initial=1)) // 8)
    parts = _gathered(raw, starts, 8 * eights).view("<u8").reshape(len(starts), eights)
    if len(length) and (length == length[0]).all():
        parts &= _FIRST_BYTES[np.clip(length[0] - 8 * np.arange(eights), 0, 8)]
        if (parts == parts[0]).all():
            return np.zeros(len(length), dtype=np.int64), _cut(raw, starts[:1], ends[:1])
    else:
        # Of each token its own bytes; those after it become 0.
        lengths = np.arange(8 * eights + 1)[:, None]
        parts &= _FIRST_BYTES[np.clip(lengths - 8 * np.arange(eights), 0, 8)][length]
    mixed = np.zeros(len(starts), dtype=np.uint64)
    for part in parts.T:
        mixed = (mixed ^ part) * _MIX
        mixed ^= mixed >> np.uint64(29)
    codes, unique = pd.factorize(mixed)
    place = np.zeros(len(unique), dtype=np.int64)
    # The last to write wins: backwards, that is the first.
    place[codes[::-1]] = np.arange(len(codes))[::-1]
    if not (parts[place][codes] == parts).all():
        # Two words mixed to one number: once in 2**64, or made for it.
        codes, place = _told_apart(parts)
    return codes, _cut(raw, starts[place], ends[place])


def _cut(raw: bytes, starts: Places, ends: Places) -> list[str]:
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    if raw.isascii():
        # Slices of one text are made twice as fast as texts of their own.
        text = raw.decode("ascii")
        return [text[start:end] for start, end in spans]
    return [raw[start:end].decode("utf-8", "surrogatepass") for start, end in spans]


def _told_apart(parts: npt.NDArray[np.uint64]) -> tuple[Places, Places]:
    """Return a code for each row of numbers, and where each code first stands."""
    known: dict[bytes, int] = {}
    codes = np.array([known.setdefault(row.tobytes(), len(known)) for row in parts], dtype=np.int64)
    return codes, np.unique(codes, return_index=True)[1]
