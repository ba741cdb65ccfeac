"""The bytes behind a path or on standard input, and from bytes to lines."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.cli import main
from benchlib.errors import BenchlibError, InputError
from benchlib.formats import load, text
from benchlib.formats.text import decode, local_path, unpacked

zstandard = pytest.importorskip("zstandard")
LINES = ["goos: linux", "BenchmarkA 1 149.0 p50_µs"]
PLAIN = "\n".join(LINES) + "\n"
LINE = b"BenchmarkA 1 5 ns/op\n"
BOTH = pytest.mark.parametrize("kind", ["gzip", "zstd"])


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def zstd(content: bytes) -> bytes:
    return bytes(zstandard.ZstdCompressor().compress(content))


COMPRESS = {"gzip": gzipped, "zstd": zstd}


def skippable(content: bytes) -> bytes:
    return b"\x53\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def zipped(name: str) -> bytes:
    """Return a zip archive of one file."""
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        archive.writestr(name, PLAIN)
    return output.getvalue()


def tarred(name: str) -> bytes:
    """Return a tar archive of one file."""
    output, member = io.BytesIO(), tarfile.TarInfo(name)
    member.size = len(PLAIN.encode())
    with tarfile.open(fileobj=output, mode="w") as archive:
        archive.addfile(member, io.BytesIO(PLAIN.encode()))
    return output.getvalue()


def standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize(
    "raw",
    [
        PLAIN.encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        gzipped(PLAIN.encode()),
        gzipped(PLAIN[:5].encode()) + gzipped(b"") + gzipped(PLAIN[5:].encode()) + b"\0" * 512,
        zstd(PLAIN.encode()),
        zstd(PLAIN[:5].encode()) + zstd(b"") + zstd(PLAIN[5:].encode()),
        skippable(b"made by") + zstd(PLAIN[:5].encode()) + skippable(b"") + zstd(PLAIN[5:].encode()),
        PLAIN.replace("goos", "\x1b[31mgoos\x1b[0m").encode(),
        *(
            PLAIN.replace("\n", end).encode(encoding)
            for end in ("\r", "\r\n")
            for encoding in ("utf-8", "utf-8-sig", "utf-16")
        ),
        ("10 %\r99 %\r" + PLAIN).encode(),
    ],
)
def test_however_a_file_is_wrapped_its_lines_are_the_same(raw: bytes) -> None:
    """Members of gzip and zstd, UTF-16, CRLF, colours, progress bars: all the same lines."""
    prepared = decode(raw, "run.txt")
    assert prepared.file.lines == LINES
    assert prepared.sha256 == hashlib.sha256(raw).hexdigest()
    assert prepared.problems == ()


EMPTY = "is empty; run the benchmark again, or leave the file out"
UNPACK = "unpack it and name what it holds"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", EMPTY),
        (b" \r\n\t\n", EMPTY),
        (PLAIN.encode("utf-16-le"), "is binary; name the text, CSV or log the benchmark wrote"),
        (b"\x7fELF\0\1\2\0\0\0abc", "is binary; name the text, CSV or log the benchmark wrote"),
        (zipped("run.txt"), f"is a zip archive; {UNPACK}"),
        (zipped("xl/workbook.xml"), "is a workbook of a spreadsheet; save its sheet as CSV, in UTF-8"),
        (
            zipped("word/document.xml"),
            "is a document of an office program; save the results that it holds as text, in UTF-8",
        ),
        (zipped("keyword/results.csv"), f"is a zip archive; {UNPACK}"),
        (tarred("run.txt"), f"is a tar archive; {UNPACK}"),
        (gzipped(tarred("r")), f"is a tar archive; {UNPACK}"),
        (bz2.compress(PLAIN.encode()), f"is bzip2; {UNPACK}"),
        (lzma.compress(PLAIN.encode()), f"is xz; {UNPACK}"),
        (gzipped(b"x" * 100)[:-12], "truncated gzip; copy the file again"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(raw: bytes, message: str) -> None:
    """The whole message: where, what was found, what to do."""
    with pytest.raises(InputError) as caught:
        decode(raw, "run.txt")
    assert str(caught.value) == f"run.txt: {message}"


def test_bytes_that_are_no_utf8_are_replaced_and_told() -> None:
    """The line is named, and the rest of the file is read."""
    prepared = decode(b"goos: linux\nBenchmark\xff 1 5 ns/op\n", "run.txt")
    remedy = "save it as UTF-8 (in a spreadsheet as CSV UTF-8; of Windows text: iconv -f CP1252 -t UTF-8)"
    assert prepared.problems == ((2, f"not valid UTF-8 here; undecodable bytes became '\ufffd'; {remedy}"),)
    assert len(prepared.file.lines) == 2


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(raw: bytes) -> None:
    """Nothing but an error of benchlib is raised, and no line holds a line end."""
    try:
        lines = decode(raw, "any").file.lines
    except BenchlibError:
        return
    assert not any(end in line for line in lines for end in "\n\r\0")


# What is compressed.


@BOTH
def test_every_cut_of_a_compressed_file_is_told(kind: str) -> None:
    """No prefix passes for the whole, each error is one line that names the file, and what follows is no result."""
    whole = COMPRESS[kind](LINE * 50)
    for length in range(4, len(whole)):
        with pytest.raises(InputError, match=rf"^run: (truncated|damaged) {kind}[^\n]*; copy the file again$"):
            unpacked(whole[:length], "run")
    with pytest.raises(InputError, match=f"damaged {kind}"):
        unpacked(whole + b"BenchmarkB", "run")


@BOTH
def test_a_bomb_is_stopped_on_the_way(kind: str) -> None:
    """256 MiB of one letter stop at the bound, long before they are all there; so do endless empty parts.

    A few kilobytes that unfold to a megabyte are read.
    """
    assert unpacked(COMPRESS[kind](LINE * 50_000), "fine") == LINE * 50_000
    with pytest.raises(InputError, match=r"compressed bytes unfold to more than .*; unpack it yourself") as caught:
        unpacked(COMPRESS[kind](b"x" * 2**28), "bomb")
    reached = int(str(caught.value).partition("more than ")[2].partition(";")[0].replace(",", ""))
    assert reached <= 2**27 + 2**17
    # Each costs a new decompressor: 20 bytes of input for as much work as a line.
    with pytest.raises(InputError, match=f"{kind} of more than 100,000 parts"):
        unpacked(COMPRESS[kind](b"") * 100_001, "many")


def test_a_window_of_gigabytes_is_refused() -> None:
    """Zstd's --long=30 would take 1 GiB before the first byte."""
    long = zstandard.ZstdCompressionParameters(window_log=30, enable_ldm=True)
    job = zstandard.ZstdCompressor(compression_params=long).compressobj()
    with pytest.raises(InputError, match=r"damaged zstd .*too much memory"):
        unpacked(job.compress(LINE) + job.flush(), "long")


def test_without_the_library_zstd_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line: the extra, or the command that needs none."""
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError) as caught:
        decode(zstd(LINE), "run.zst")
    assert str(caught.value) == (
        "run.zst: is zstd, and nothing here unpacks it; pip install 'benchlib[zstd]', or run: zstd -d FILE"
    )


def test_a_compressed_file_keeps_its_name_without_the_ending(tmp_path: Path) -> None:
    """Runs, path templates and benchmarks named by a file do not see that it was packed."""
    files = {tmp_path / "a_cpu2.txt.zst": zstd, tmp_path / "b_cpu4.txt.gz": gzipped}
    for path, compress in files.items():
        path.write_bytes(compress(LINE))
    results = load(*files, path_templates=["{_}_cpu{cpu_count:int}.txt"])
    assert results.frame["run"].tolist() == ["a_cpu2", "b_cpu4"]
    assert results.frame["cpu_count"].tolist() == [2, 4]


# Standard input.


@pytest.mark.parametrize("wrap", [bytes, gzipped, zstd, lambda raw: raw.decode().encode("utf-16")])
def test_standard_input_is_read_as_a_file_is(wrap: Callable[[bytes], bytes], monkeypatch) -> None:
    """Text, packed or UTF-16; the source is shown as <stdin>."""
    standard_input(monkeypatch, wrap(LINE))
    results = load("-")
    assert results.frame["source"].tolist() == ["<stdin>"]
    assert results.frame["value"].tolist() == [5e-9]


def test_commands_read_standard_input(monkeypatch, capsys, tmp_path: Path) -> None:
    """`go test -bench . | benchlib inspect -`; with a file, each is a run; a report is refused."""
    standard_input(monkeypatch, LINE)
    assert main(["inspect", "-"]) == 0
    assert "file        <stdin>: go-bench, 1 rows; lines: 1 data" in capsys.readouterr().out
    standard_input(monkeypatch, LINE)
    assert main(["convert", "-", "-o", str(tmp_path / "t.csv")]) == 0
    assert "<stdin>" in (tmp_path / "t.csv").read_text()
    (tmp_path / "old.txt").write_bytes(LINE)
    standard_input(monkeypatch, LINE)
    assert load("-", tmp_path / "old.txt").frame["run"].tolist() == ["stdin", "old"]
    # The kernel that runs the notebook cannot read standard input again.
    assert main(["report", "-"]) == 2
    assert "save standard input to a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"nothing here", "no benchmark results recognised"),
        (LINE * 100, "holds more than the 1,000 bytes that are read"),
    ],
)
def test_standard_input_without_results_is_bad_input(content: bytes, message: str, monkeypatch, capsys) -> None:
    """One line and exit code 2; an endless pipe ends at the size that files may have."""
    monkeypatch.setattr(text, "_LARGEST", 1000)
    standard_input(monkeypatch, content)
    assert main(["inspect", "-"]) == 2
    assert capsys.readouterr().err.startswith(f"benchlib: <stdin>: {message}")


# Paths.


@pytest.mark.parametrize("command", [["inspect"], ["convert", "-o", "t.csv"], ["report"]])
@pytest.mark.parametrize("address", ["https://a.example/run.txt", "HTTP://a.example/x", "s3://bucket/x"])
def test_an_address_is_refused_and_never_fetched(command: list[str], address: str, capsys, monkeypatch) -> None:
    """One line that says what to do, and no connection."""

    def connect(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr("socket.socket.connect", connect)
    assert main([*command, address]) == 2
    assert capsys.readouterr().err == f"benchlib: {address}: is a URL; benchlib never fetches, download it first\n"


def test_names_that_look_like_something_else_are_names(tmp_path: Path, monkeypatch) -> None:
    """./- is a file, and the copy of a site is kept in folders named like addresses."""
    (tmp_path / "-").write_bytes(LINE)
    (tmp_path / "http:" / "a").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert load("./-").frame["source"].tolist() == ["-"]
    assert local_path("http://a") == Path("http:/a")


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_path_that_can_be_none_is_bad_input(name: str) -> None:
    """What the file system cannot hold is one line as well."""
    with pytest.raises(InputError):
        load(name)
