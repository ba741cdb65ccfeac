"""Go text read as the parser of benchstat reads it, on generated input; the contract holds what benchstat prints.

What differs, and why:

- a result whose values a log line parted from its name is joined again; benchstat loses it;
- NaN and infinity are problems and no values: no table can use them;
- zero is a value like any other; benchstat leaves ``0 ns/op`` unconverted, in a table of its own;
- ``op/ns`` and ``bytes/op`` are brought to base units as well, and ``p99-ns`` names a latency;
- ``1_0`` is no number, as Go's strconv says; benchstat's own copy of it passes over underscores;
- ``panic:`` and what the go command and make say of themselves (``go: downloading``, ``make[1]: Entering``) are no
  configuration.
"""

from __future__ import annotations

import json
import math
import struct
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchlib.formats.go import GO_BENCH, Log, read_lines, read_shapes
from benchlib.formats.reader import TextFile
from benchlib.units import parse_unit
from tests.go_programs import built

CASES = Path(__file__).parents[1] / "data" / "benchstat_cases"


def test_underscores_make_no_number() -> None:
    """Benchstat reads 1_0 as 10, which no other reader of Go's floats does."""
    reading = GO_BENCH.read(TextFile("run.txt", ["BenchmarkA 1 1_0 ns/op"]))
    assert len(reading.rows) == 0
    assert "invalid syntax" in reading.problems[0][1]


# The parser itself: its program is built from source, with the hashes of go.sum.

NAMES = ("BenchmarkA", "BenchmarkA-8", "BenchmarkB/x=1/y=a-2", "Benchmark", "Benchmarking", "BenchmarkÉ/日本-4",
         "Benchmark_x", "BenchmarkA/b c", "benchmarkA", " BenchmarkA", "BenchmarkA\t")  # fmt: skip
COUNTS = ("1", "100", "0", "-3", "+7", "007", "1e3", "9223372036854775807", "9223372036854775808",
          "-9223372036854775808", "1_000", "0x10", "٣", "", "1.0", "99999999999999999999")  # fmt: skip
NUMBERS = ("5", "5.2", "496.1", "0", "-0", "0.0", "-5", "+5", ".5", "5.", "1e3", "1E-9", "1e400", "1e-400", "5e-324",
           "NaN", "nan", "Inf", "-inf", "+Infinity", "infinity", "0x10", "0x1p-2", "0X1.8P1", "0x1.8", "0x",
           "x", "٣", "1,5", "9007199254740993", "0.1000000000000000055511151231257827", "1e", "--5", "0b1",
           "2.2250738585072011e-308", "17976931348623158079.3e289", "1e+308", "1.7976931348623159e308")  # fmt: skip
UNITS = ("ns/op", "B/op", "allocs/op", "MB/s", "ms/op", "p99-ns", "req/s", "µs", "ns", "ns/op", "x", "L1-miss-ns/op",
         "KiB/op", "%", "ns/GC", "op/ns", "MB*ns")  # fmt: skip
OTHERS = (
    "goos: linux", "goarch:", "goarch: ", "pkg: ex/a", "pkg:\tex/b  ", "cpu: A: B", "key:value", "Key: v",
    "my key: v", "été: x", "日本: x", "ключ: y", "ß: y", "ǆ: y", "ǅ: y", "k\u00a0: x", "k2: \tv", "k3: v\u00a0",
    "k4:  v", ":", ": x", "a:", "PASS", "FAIL", "ok  \tex/a\t1.2s", "--- BENCH: BenchmarkA", "    x_test.go:4: log",
    "", " ", "hello", "=== RUN", "Unit", "Unit ns/op", "Unit ns/op better=lower", "Unit ns/op better=higher",
    "Unit sec/op better=lower", "Unit x a=b c", "Unit x a=b c=d", "Units: 5", "Unit\tx a=", "Unit x =v", "UnitX y",
    "Uni", "unit: x", "Unit x assume=exact",
)  # fmt: skip
SPACES = (" ", "\t", "  ", " \t ", "\u00a0", "\u2003", "\x0b", "\u0085", "\u3000")


def generated_line(rng: Random) -> str:
    if rng.random() < 0.4:
        return rng.choice(OTHERS)
    gap = rng.choice(SPACES) if rng.random() < 0.2 else "\t"
    sound = rng.random() < 0.6
    parts = [rng.choice(NAMES[:7] if sound else NAMES), rng.choice(COUNTS[:6] if sound else COUNTS)]
    for _ in range(rng.choice([1, 1, 2, 3, 4])):
        parts += [rng.choice(NUMBERS[:20] if sound else NUMBERS), rng.choice(UNITS)]
        if sound and rng.random() < 0.5:
            parts[-2] = repr(rng.uniform(0, 10.0 ** rng.randrange(-9, 12)))
    if not sound:
        parts = parts[: rng.randrange(1, len(parts) + 1)]
    line = gap.join(parts)
    return line + rng.choice(["", "", "", " ", "\t", "\r"])


def generated_file(rng: Random) -> str:
    """Return a log: a few distinct lines, or a long block of well-formed ones, as bulk reading takes."""
    if rng.random() < 0.3:
        unit = rng.sample(["ns/op", "B/op", "allocs/op", "MB/s"], 3)
        lines = [
            f"Benchmark{rng.choice('ABC')}-8\t{rng.randrange(10**6)}\t"
            + "\t".join(f"{rng.uniform(0, 1e6):.{rng.randrange(5)}f} {one}" for one in unit)
            for _ in range(rng.randrange(5, 300))
        ]
        for _ in range(rng.choice([0, 1, 3])):
            lines.insert(rng.randrange(len(lines)), generated_line(rng))
    else:
        lines = [generated_line(rng) for _ in range(rng.randrange(1, 25))]
    return "\n".join(lines) + rng.choice(["", "\n"])


@pytest.fixture(scope="module")
def benchfmt(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[Path]], dict[str, list[dict[str, Any]]]]:
    """A function that reads files with benchstat's own parser, built here."""
    program = built(".", tmp_path_factory.mktemp("benchfmt"))

    def read(paths: Sequence[Path]) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {str(one): [] for one in paths}
        run = subprocess.run([program, *paths], capture_output=True, text=True, check=True, timeout=120)
        for line in run.stdout.splitlines():
            one = json.loads(line)
            found[one["File"]].append(one)
        return found

    return read


def number(bits: str) -> float:
    return float(struct.unpack(">d", int(bits, 16).to_bytes(8, "big"))[0])


Row = tuple[int, str, int, float, str]


def theirs(records: Iterable[dict[str, Any]]) -> list[Row]:
    """Return (line, name, count, value as written, unit as written) of the values that can be used."""
    return [
        (
            one["Line"],
            "Benchmark" + one.get("Name", ""),
            int(one["Count"]),
            number(v["OriginalBits"]),
            v["OriginalUnit"],
        )
        for one in records
        if one["Kind"] == "result"
        for v in one["Values"]
        if math.isfinite(number(v["OriginalBits"]))
    ]


def ours(reading: Log) -> list[Row]:
    rows = reading.rows
    counts = [0 if math.isnan(one) else int(one) for one in rows.iterations]
    return list(zip(rows.line, rows.name, counts, rows.value, rows.unit, strict=True))


def same(a: Row, b: Row) -> bool:
    # A count is kept as a float: beyond 2**53 its last digits are rounded.
    return (a[0], a[1], float(a[2]), struct.pack("d", a[3]), a[4]) == (
        b[0], b[1], float(b[2]), struct.pack("d", b[3]), b[4])  # fmt: skip


def compare(text: str, records: list[dict[str, Any]]) -> None:
    """Assert that both read the same, but for the listed differences."""
    # Carriage returns are text preparation's, as benchstat's scanner drops them.
    lines = [one.removesuffix("\r") for one in text.removesuffix("\n").split("\n")]
    for read in (read_lines, read_shapes):
        # Short files are read by the line and long ones by the block: both here.
        log = Log()
        try:
            read(log, TextFile("run.txt", lines))
        except ValueError:
            continue  # a number that is none, which leaves the file to the lines
        compare_log(log, lines, records)


def compare_log(reading: Log, lines: list[str], records: list[dict[str, Any]]) -> None:
    """Assert that one way of reading gives what the parser of benchstat gave."""
    refused = defaultdict(set)
    for one in records:
        if one["Kind"] == "error":
            refused[one["Line"]].add(one["Message"])
    joined = {row[0] for row in ours(reading) if not lines[row[0] - 1].startswith("Benchmark") or row[0] in refused}
    mine = [row for row in ours(reading) if row[0] not in joined]
    expected = theirs(records)
    for a, b in zip(mine, expected, strict=False):
        assert same(a, b), (a, b)
    assert len(mine) == len(expected)
    told = defaultdict(list)
    for line, message in reading.problems:
        told[line].append(message)
    for line, messages in refused.items():
        # The name of a joined result is no longer a problem, or one of values that are no measurement.
        cut = any(line <= at for at in joined) or any("is no measurement" in one for one in told[line])
        assert cut or any(one.startswith(tuple(messages)) for one in told[line]), (line, messages, told[line])
    configurations = dict(zip(reading.rows.line, reading.rows.configuration, strict=True))
    for one in records:
        if one["Kind"] == "result" and one["Line"] in configurations:
            config = dict(reading.configurations[configurations[one["Line"]]])
            known = {key: value for key, value in one.get("Config", {}).items() if key not in ("panic", "go")}
            assert config == known, (one["Line"], config, known)
    check_tidied(records)


def check_tidied(records: Iterable[dict[str, Any]]) -> None:
    """Assert that values in base units have benchstat's bits, where benchstat converts at all."""
    for one in records:
        for v in one.get("Values") or ():
            raw, unit = number(v["OriginalBits"]), v["OriginalUnit"]
            if unit in ("ns/op", "MB/s", "B/op", "ns", "L1-miss-ns/op") and math.isfinite(raw) and raw:
                assert struct.pack("d", raw * parse_unit(unit).factor) == struct.pack("d", number(v["Bits"])), (
                    raw,
                    unit,
                )


def test_the_parser_of_benchstat_reads_the_same_rows(benchfmt, tmp_path: Path) -> None:
    """600 generated logs: names, counts, the bits of values, units, configuration, lines refused."""
    rng = Random(20260908)
    texts = {}
    for n in range(600):
        path = tmp_path / f"{n:03}.txt"
        texts[str(path)] = generated_file(rng)
        path.write_bytes(texts[str(path)].encode())
    found = benchfmt([Path(one) for one in texts])
    assert sum(len(one) for one in found.values()) > 5000
    for path, records in found.items():
        compare(texts[path], records)


@pytest.mark.parametrize("name", sorted(one.name for one in CASES.glob("*.txt")))
def test_the_parser_of_benchstat_on_every_case(name: str, benchfmt) -> None:
    """The inputs of the printed cases, value bits included."""
    path = CASES / name
    compare(path.read_text(encoding="utf-8"), benchfmt([path])[str(path)])
