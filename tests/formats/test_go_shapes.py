"""Long Go text is read by shapes of results, short text by the line: both give the same table."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.formats.go import GO_BENCH, Log, read_lines, read_shapes
from benchlib.formats.reader import Rows, TextFile

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


def state(log: Log) -> tuple[object, ...]:
    columns = [list(getattr(log.rows, name)) for name in Rows.__slots__ if name != "errors"]
    levels = [list(one.levels) for one in (log.rows.name, log.rows.unit)]
    return columns, levels, log.configurations, log.problems, log.series, log.data, log.context, log.wrong


@given(TEXTS)
def test_shapes_and_lines_give_the_same(text: str) -> None:
    """Rows to the last bit, configurations, problems, counts; or the shapes give up, and the lines are read."""
    by_line, by_shape = Log(), Log()
    count = read_lines(by_line, TextFile("x", text=text))
    try:
        assert read_shapes(by_shape, TextFile("x", text=text)) == count
    except ValueError:
        return
    assert state(by_shape) == state(by_line)
    assert by_line.settled - by_shape.settled == set()


def test_every_plain_decimal_is_the_float_python_reads() -> None:
    """100,000 seeded numbers of up to 15 characters, bit for bit."""
    draw = random.Random(7)
    written = []
    for _ in range(100_000):
        digits = "".join(draw.choices("0123456789", k=draw.randint(1, 14)))
        place = draw.randint(0, len(digits))
        written.append(digits if draw.random() < 0.3 else f"{digits[:place]}.{digits[place:]}")
    text = "\n".join(f"BenchmarkA 1 {one} ns/op" for one in written)
    assert GO_BENCH.read(TextFile("x", text=text)).rows.value.tolist() == [float(one) for one in written]


@pytest.mark.parametrize("number", ["1.2.3", "1e999", "--5", "+"])
def test_one_bad_number_in_a_long_file_spoils_one_line(number: str) -> None:
    """The rest is read as if it were not there, and the problem names its line."""
    lines = [f"BenchmarkA-8 \t 100\t {n}.5 ns/op" for n in range(2000)]
    lines[999] = f"BenchmarkA-8 \t 100\t {number} ns/op"
    reading = GO_BENCH.read(TextFile("x", text="\n".join(lines)))
    assert reading.rows.value.tolist() == [n + 0.5 for n in range(2000) if n != 999]
    [(line, message)] = reading.problems
    assert line == 1000
    assert f"'{number}'" in message


def test_a_long_file_is_read_in_order() -> None:
    """Units by turns, and a configuration that changes between them."""
    lines = []
    for part in range(20):
        lines.append(f"pkg: p{part % 3}")
        unit = "ns/op" if part % 2 else "op/s"
        lines += [f"BenchmarkN{part}/case{n % 7}-8 \t 100\t {part * 10_000 + n} {unit}" for n in range(1500)]
    reading = GO_BENCH.read(TextFile("x", text="\n".join(lines)))
    assert reading.rows.value.tolist() == [part * 10_000 + n for part in range(20) for n in range(1500)]
    assert reading.rows.line.tolist() == [number for number, one in enumerate(lines, 1) if one[0] == "B"]
    assert [reading.configurations[one]["pkg"] for one in reading.rows.configuration] == [
        f"p{part % 3}" for part in range(20) for _ in range(1500)
    ]
    assert (reading.lines.data, reading.lines.context, reading.lines.noise) == (30_000, 20, 0)
