"""Files that are too long, too deep, too wide, or no text: one line of error, or read in proportion."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pandas as pd
import pytest

from benchlib.cli import main
from benchlib.errors import InputError
from benchlib.formats import load
from benchlib.formats.reader import Reader, TextFile
from benchlib.formats.registry import readers
from benchlib.formats.text import head_of
from tests.malformed.places import ROOT, Place
from tests.properties.hostile import check, own_seeds, seeds

every_reader = pytest.mark.parametrize("reader", readers(), ids=lambda reader: reader.name)
LINE = "BenchmarkA-8 \t 10\t 5 ns/op\n"


@contextmanager
def no_hang(seconds: float = 30.0) -> Iterator[None]:
    """Fail if the block takes far more processor time than it can need: work is linear in the input."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError("took out of all proportion to its input")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# Whatever grows with the square of a line takes minutes for a line of this length.
FILLERS = ("a", "0", " ", ",", '"', "\\", "{", "[", "(", ":", "-", "1 ", "a=", '"a",', '{"a":', "\ufffd", "1.")
LENGTH = 60_000


@every_reader
def test_no_line_takes_the_square_of_its_length(reader: Reader) -> None:
    """Long runs of one token, after and inside the lines of a real file, and as many lines."""
    real = next(iter(own_seeds(reader, seeds())), "").split("\n")[:40]
    for filler in FILLERS:
        long = (filler * (LENGTH // len(filler) + 1))[:LENGTH]
        middle = len(real[-1]) // 2
        for lines in (
            [real[0] + long, *real[1:]],
            [*real[:-1], real[-1][:middle] + long + real[-1][middle:]],
            [*real[:8], *[long[:50]] * (LENGTH // 50)],
        ):
            with no_hang():
                file = TextFile("long", lines)
                reader.recognise(head_of(file))
                try:
                    reading = reader.read(file)
                except InputError:
                    continue
            assert len(reading.rows) <= LENGTH + sum(map(len, real))


@every_reader
def test_json_of_any_depth(reader: Reader) -> None:
    """A hundred thousand levels: neither a RecursionError nor a crash."""
    for opening in ("[", "{", '{"a":', '[{"a":[', '{"metrics":{"x":'):
        for text in (opening * 100_000, opening * 150 + "1"):
            with no_hang():
                check(reader, TextFile("deep", [text]), tables=False)


WIDE = {
    "keys of one object": lambda n: '[{"name": "a", "time_ms": 1, ' + ", ".join(f'"k{i}": 1' for i in range(n)) + "}]",
    "one key again and again": lambda n: '[{"name": "a", ' + ", ".join('"time_ms": 1' for _ in range(n)) + "}]",
    "columns": lambda n: "name," + ",".join(f"c{i}_ms" for i in range(n)) + "\na," + ",".join("5" for _ in range(n)),
    "columns of one name": lambda n: "name" + ",time_ms" * n + "\na" + ",5" * n,
    "metrics of a line": lambda n: "BenchmarkA 1" + "".join(f" 5 u{i}" for i in range(n)),
    "configuration keys": lambda n: "".join(f"k{i}: v\nBenchmarkA 1 5 ns/op\n" for i in range(n)),
    "values of a configuration key": lambda n: "".join(f"k: {i}\nBenchmarkA 1 5 ns/op\n" for i in range(n)),
    "keys in names": lambda n: "".join(f"BenchmarkA/k{i}=1 1 5 ns/op\n" for i in range(n)),
    "parts of a name": lambda n: "BenchmarkA" + "/b" * n + " 1 5 ns/op\n",
    "units": lambda n: "".join(f"BenchmarkA 1 5 u{i}\n" for i in range(n)),
    "benchmarks": lambda n: "".join(f"BenchmarkA{i} 1 5 ns/op\n" for i in range(n)),
    "names without a result": lambda n: "".join(f"BenchmarkA{i} \t\n" for i in range(n)) + LINE,
    "failures": lambda n: "".join(f"--- FAIL: BenchmarkA{i}\n" for i in range(n)) + LINE,
    "packages": lambda n: "".join(
        f'{{"Action":"output","Package":"p{i}","Output":"BenchmarkA 1 5 ns/op\\n"}}\n' for i in range(n)
    ),
    "pieces of a line": lambda n: '{"Action":"output","Package":"p","Output":"x"}\n' * n,
}


@pytest.mark.parametrize("what", WIDE)
def test_a_great_number_of_anything(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten thousand different names where a few are usual: read, or refused in one line."""
    (tmp_path / "wide.txt").write_text(WIDE[what](10_000))
    with no_hang(60):
        code = main(["inspect", str(tmp_path / "wide.txt")])
    said = capsys.readouterr()
    assert code == 0 if not said.err else (code, said.err.count("\n")) == (2, 1)


def test_more_axes_than_a_table_can_have_are_named(tmp_path: Path) -> None:
    """Every axis is a column of every row: the message says which, and what makes axes."""
    (tmp_path / "run.txt").write_text(WIDE["keys in names"](300))
    with pytest.raises(InputError, match=r"run\.txt: more than 256 axes, among them k254, k255, k256; name parts"):
        load(tmp_path / "run.txt")


def test_a_small_parquet_file_claims_no_great_table(place: Place) -> None:
    """Columns of one value take no byte, and expand to any size; words stand in memory once, as in the file."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def write(name: str, rows: int, word: str) -> None:
        words = {"benchmark": word, "metric": "time", "unit": "ns"}
        columns = {
            column: arrow.DictionaryArray.from_arrays(arrow.array([0] * rows, arrow.int32()), arrow.array([text]))
            for column, text in words.items()
        }
        table = arrow.table({**columns, "value": arrow.array([1.0] * rows)})
        parquet.write_table(table, place.folder / name, compression="zstd")

    write("claim.parquet", 1_000_000, "A")
    found = place.run("inspect", "claim.parquet")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("benchlib: claim.parquet: 4,000,000 cells in ")
    write("words.parquet", 1000, "A" * 90_000)
    tracemalloc.start()
    assert load(place.folder / "words.parquet").frame["name"].nunique() == 1
    assert tracemalloc.get_traced_memory()[1] < 60_000_000
    tracemalloc.stop()
    # What stands once is looked at in each row: hours of a file of twenty kilobytes.
    write("letters.parquet", 8000, "A" * 1_000_000)
    assert ": 8,000,072,000 letters in " in place.run("inspect", "letters.parquet").err
    write("unfolded.parquet", 1, "A" * 50_000_000)
    assert "compressed bytes unfold to more than 50,0" in place.run("inspect", "unfolded.parquet").err


def test_a_time_zone_that_there_is_not_is_no_traceback(place: Place) -> None:
    """A file names the zone of its times."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    times = arrow.array([5], arrow.timestamp("us", "Not/AZone"))
    parquet.write_table(arrow.table({"time_ns": [1.0], "at": times}), place.folder / "zone.parquet")
    found = place.run("inspect", "zone.parquet")
    assert (found.code, found.out) == (2, "")
    assert "damaged Parquet ('Not/AZone')" in found.err


def test_log_lines_that_look_like_configuration_are_bounded(tmp_path: Path) -> None:
    """Keys beyond the 128th are told and left; the results between them are read."""
    (tmp_path / "run.txt").write_text(WIDE["configuration keys"](1000))
    results = load(tmp_path / "run.txt")
    assert len(results.frame) == 1000
    assert [one.message for one in results.problems] == [
        "more than 128 configuration keys; later new ones are taken for a log"
    ]


@pytest.mark.heavy
@pytest.mark.parametrize(
    "line",
    [
        "b'a' * N",
        "b',' * N",
        "b'[' * N",
        "b'\"' * N",
        "b'{\"a\":\"' + b'x' * N + b'\"}'",
        "b'BenchmarkA 1 ' + b'5 ns/op ' * (N // 8)",
        "b'name,time_ms' + b',x' * (N // 2) + b'\\na,5'",
        "'BenchmarkÄ '.encode() + b' ' * N",
    ],
)
def test_a_line_of_100_megabytes(line: str, tmp_path: Path) -> None:
    """Refused or read within 12 times its size of memory, and never a traceback."""
    file = tmp_path / "long.txt"
    file.write_bytes(eval(line, {"N": 100_000_000}))
    script = (
        "from benchlib.cli import main\n"
        f"code = main(['inspect', {str(file)!r}])\n"
        # Not ru_maxrss, which a child that is started by vfork has from its parent.
        "peak = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "print(code, int(peak[0]) // 1024)"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr[-2000:]
    code, peak = map(int, ran.stdout.split()[-2:])
    assert code in (0, 2)
    assert peak < 12 * 100 + 200
    assert len(ran.stderr) < 5000


@pytest.mark.heavy
def test_a_million_units(tmp_path: Path) -> None:
    """Each a metric of its own: no square of their number."""
    file = tmp_path / "units.txt"
    file.write_text("".join(f"BenchmarkA 1 5 u{i}\n" for i in range(1_000_000)))
    with no_hang(300):
        results = load(file)
    assert len(results.frame) == len(results.metrics) == 1_000_000


@pytest.mark.parametrize(
    "content",
    [
        b"BenchmarkA-8 10 5 ns/op\n\0",
        b"\0" * 1000,
        b"Bench\0mark 1 5 ns/op\n",
        b"BenchmarkA-8 10 5 ns/op\n" + "BenchmarkA-8 10 5 ns/op\n".encode("utf-16"),
        "BenchmarkA-8 10 5 ns/op\n".encode("utf-32"),
        b"\x7fELF\x02\x01\x01" + b"\0" * 50,
    ],
)
def test_nul_bytes_are_no_text(place: Place, content: bytes) -> None:
    """Binaries, and text to which another shell appended UTF-16: refused, with nothing half read."""
    place.file("run.txt", content)
    found = place.run("inspect", "run.txt")
    assert (found.code, found.err) == (
        2,
        "benchlib: run.txt: is binary; name the text, CSV or log the benchmark wrote\n",
    )


def test_mixed_encodings_are_told_with_line_and_number(place: Place) -> None:
    """A file to which tools of three encodings wrote: the UTF-8 is read, and the rest is named."""
    good, latin = "BenchmarkA-8 1 5 p50_µs\n".encode(), "BenchmarkB-8 1 6 p50_µs\n".encode("latin-1")
    place.file("run.txt", good + latin + good + latin + "BenchmarkC-8 1 7 ns/op # ° caf\xe9\n".encode("cp437"))
    found = place.run("inspect", "run.txt")
    assert found.code == 0
    assert "problem     run.txt:2: not valid UTF-8 here (and 2 more lines); undecodable bytes became" in found.out
    assert place.run("inspect", "run.txt", "--strict").code == 2


def test_utf16_cut_in_the_middle_of_a_character(place: Place) -> None:
    """The odd byte at the end of a truncated file is a problem with its line, and no crash."""
    place.file("run.txt", (LINE + "BenchmarkB-8 1 5 ns/op").encode("utf-16")[:-1])
    found = place.run("inspect", "run.txt")
    assert found.code == 0
    assert "problem     run.txt:2: not valid UTF-16 here" in found.out


def test_lone_surrogates_never_reach_a_table(tmp_path: Path) -> None:
    """JSON can spell half a character, which no file and no page can hold."""
    lines = [{"Action": "output", "Package": "p\ud800", "Output": "BenchmarkA\udfff 1 5 ns/op\n"}]
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, lines)))
    results = load(tmp_path / "run.jsonl")
    results.frame.to_csv(tmp_path / "out.csv")
    assert results.frame["name"].tolist() == ["A\ufffd"]


FORMULAS = ("=cmd|'/C calc'!A0", "+1+1", "-1+1", "@SUM(A1)")


def test_formula_cells_are_inert_where_a_table_is_written(place: Place) -> None:
    """Names, levels and headers of a hostile table: every text cell that a spreadsheet would run is quoted."""
    table = "benchmark,=1+1,time_ms\n" + "".join(f'"{one}","{one}",{n + 1}.5\n' for n, one in enumerate(FORMULAS))
    place.file("run.csv", table)
    found = place.run("convert", "run.csv", "-o", "out.csv")
    assert found.code == 0, found.err
    cells = pd.read_csv(place.folder / "out.csv", header=None, dtype=str, keep_default_na=False)
    for cell in cells.to_numpy().ravel():
        assert not cell.startswith(("=", "+", "@")), cell
        assert not cell.startswith("-") or cell[1:].replace(".", "").isdigit(), cell


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no /proc")
def test_a_file_that_cannot_be_read_is_one_line(place: Place) -> None:
    """Even root gets an error from the first page of a memory."""
    found = place.run("inspect", "/proc/self/mem")
    assert found.code == 2
    assert found.err == "benchlib: mem: cannot be read (Input/output error); check its rights\n"


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no /proc")
def test_a_file_that_does_not_know_its_size_is_read(place: Place) -> None:
    """Files of /proc say 0 bytes."""
    found = place.run("inspect", "/proc/cpuinfo")
    assert found.err.startswith("benchlib: cpuinfo: no benchmark results recognised")
