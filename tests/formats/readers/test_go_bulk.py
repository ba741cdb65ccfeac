"""Results by the block are the results by the line."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats.readers import go_bulk
from benchlib.formats.readers.go_bench import GoBench, read_blocks, read_lines
from benchlib.formats.readers.go_log import Log
from benchlib.formats.reading import TextFile
from benchlib.formats.rows import Rows

NAMES = st.sampled_from(
    ["BenchmarkA", "BenchmarkA-8", "Benchmarking", "Benchmark", "Benchmark/x=1-2", "BenchmarkÄrger-4", "Benchmarkb",
     "BenchmarkLong" + "x" * 300, "BenchmarkA\x1cB", "BenchmarkA\u00a0B", " BenchmarkA", "benchmarkA", "B"]
)  # fmt: skip
COUNTS = st.sampled_from(["1", "100", "007", "+5", "-3", "1e3", "1_0", "1.0", "999999999999999999", "1" * 20, "٣", ""])
NUMBERS = st.one_of(
    st.sampled_from(
        ["0", "5", "5.25", "0.1", ".5", "5.", ".", "-1", "+2", "1e3", "1e400", "0x10", "0x1p-2", "NaN", "Inf", "-inf",
         "1_0", "1.2.3", "0.30000000000000004", "123456789012345678901", "nan5", "1,5", "٣", "1\x00", "99999999.99",
         "0.000000000000001", "999999999999999", "12345678.901234"]
    ),
    st.floats(min_value=0, allow_infinity=False).map(repr),
    st.integers(0, 10**17).map(str),
    st.tuples(st.integers(0, 10**8), st.integers(0, 10**8)).map(lambda two: f"{two[0]}.{two[1]}"),
)  # fmt: skip
UNITS = st.sampled_from(["ns/op", "B/op", "allocs/op", "µs", "ns/op", "5", "a" * 300])
GAPS = st.sampled_from([" ", "\t", "  \t ", "\x0b", "\u2003", "\x1f"])
RESULTS = st.builds(
    lambda name, count, pairs, gap, end: gap.join([name, count, *(part for pair in pairs for part in pair)]) + end,
    NAMES, COUNTS, st.lists(st.tuples(NUMBERS, UNITS), max_size=3), GAPS, st.sampled_from(["", " ", "\t5"]),
)  # fmt: skip
PLAIN = st.builds(
    lambda name, count, value, unit: f"{name}-8 \t {count}\t {value} {unit}\t 5 B/op",
    st.sampled_from(["BenchmarkA", "BenchmarkB", "BenchmarkÄ"]), st.integers(1, 10**9),
    st.floats(0, 1e9).map(lambda one: f"{one:.2f}"), st.sampled_from(["ns/op", "µs/op"]),
)  # fmt: skip
OTHERS = st.sampled_from(
    ["", "goos: linux", "goos:", "pkg: a", "pkg: b", "PASS", "ok  \ta\t1s", "BenchmarkA", "BenchmarkA-8   \thello",
     "     100\t  496.1 ns/op", "some log", "Unit ns/op better=lower", "--- FAIL: BenchmarkB", "  ", "panic: no"]
)  # fmt: skip
TEXTS = st.lists(st.one_of(RESULTS, PLAIN, PLAIN, OTHERS), min_size=1, max_size=25).map("\n".join)


def told(log: Log) -> tuple[object, ...]:
    columns = [list(getattr(log.rows, name)) for name in Rows.__slots__]
    levels = [list(one.levels) for one in (log.rows.name, log.rows.unit)]
    return columns, levels, log.configurations, log.problems, log.series, log.data, log.context, log.wrong


@given(TEXTS, st.sampled_from([1, 40, 10_000]))
def test_blocks_and_lines_give_the_same(text: str, size: int) -> None:
    """Rows to the last bit, configurations, problems, counts: for any mix of lines and any cut into blocks."""
    by_line, by_block = Log(), Log()
    read_lines(by_line, TextFile("x", text=text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(go_bulk, "SIZE", size)
        read_blocks(by_block, TextFile("x", text=text))
    assert told(by_block) == told(by_line)
    assert by_line.settled - by_block.settled == set()


def test_every_plain_decimal_is_the_float_python_reads() -> None:
    """100,000 seeded numbers of up to 15 characters, bit for bit."""
    draw = random.Random(7)
    written = []
    for _ in range(100_000):
        digits = "".join(draw.choices("0123456789", k=draw.randint(1, 14)))
        place = draw.randint(0, len(digits))
        written.append(digits if draw.random() < 0.3 else f"{digits[:place]}.{digits[place:]}")
    text = "\n".join(f"BenchmarkA 1 {one} ns/op" for one in written)
    read = np.concatenate([block.value for block in go_bulk.scanned(text.encode())])
    assert read.tolist() == [float(one) for one in written]


def test_plain_lines_are_all_read_by_the_block() -> None:
    """What go test writes, in ASCII and not, leaves nothing to the slow way but lines that are no result."""
    text = "goos: linux\n" + "\n".join(
        f"BenchmarkÄ/size={n}-8 \t{n:8d}\t {n / 7:.3f} µs/op\t 12 B/op" for n in range(99)
    )
    block = go_bulk.scan(text.encode(), (0, len(text.encode())))
    assert block.lines.tolist() == list(range(1, 100))
    assert (len(block.names), list(block.units)) == (99, ["µs/op", "B/op"])


def test_words_that_mix_to_one_number_are_told_apart(monkeypatch) -> None:
    """With every word mixed to 0, names and units come out as they are all the same."""
    monkeypatch.setattr(go_bulk, "_MIX", np.uint64(0))
    text = "BenchmarkA 1 5 ns/op\nBenchmarkB 1 6 B/op\nBenchmarkA 1 7 ns/op"
    block = go_bulk.scan(text.encode(), (0, len(text.encode())))
    assert [block.names[one] for one in block.name] == ["BenchmarkA", "BenchmarkB", "BenchmarkA"]
    assert [block.units[one] for one in block.unit] == ["ns/op", "B/op", "ns/op"]


def test_a_long_file_is_read_by_blocks_in_order(monkeypatch) -> None:
    """Many blocks, scanned several at a time, with a configuration that changes between them."""
    lines = []
    for part in range(20):
        lines.append(f"pkg: p{part % 3}")
        lines += [f"BenchmarkN{part}/case{n % 7}-8 \t 100\t {part * 10_000 + n} ns/op" for n in range(1500)]
    monkeypatch.setattr(go_bulk, "SIZE", 64 * 1024)
    reading = GoBench().read(TextFile("x", text="\n".join(lines)))
    assert reading.rows.value.array.tolist() == [part * 10_000 + n for part in range(20) for n in range(1500)]
    assert reading.rows.line.array.tolist() == [number for number, one in enumerate(lines, 1) if one[0] == "B"]
    assert [reading.configurations[one]["pkg"] for one in reading.rows.configuration] == [
        f"p{part % 3}" for part in range(20) for _ in range(1500)
    ]
    assert (reading.lines.data, reading.lines.context, reading.lines.noise) == (30_000, 20, 0)
