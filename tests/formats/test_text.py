"""Bytes to lines."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.errors import BenchlibError, InputError
from benchlib.formats import text as raw_
from benchlib.formats.text import decode, read_bytes

LINES = ["goos: linux", "BenchmarkA 1 149.0 p50_µs"]
PLAIN = "\n".join(LINES) + "\n"


def zipped(name: str) -> bytes:
    """Return a zip archive of one file."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr(name, PLAIN)
    return found.getvalue()


def tarred(name: str) -> bytes:
    """Return a tar archive of one file."""
    found, member = io.BytesIO(), tarfile.TarInfo(name)
    member.size = len(PLAIN.encode())
    with tarfile.open(fileobj=found, mode="w") as archive:
        archive.addfile(member, io.BytesIO(PLAIN.encode()))
    return found.getvalue()


@pytest.mark.parametrize(
    "raw",
    [
        PLAIN.encode(),
        PLAIN.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        PLAIN.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
        gzip.compress(PLAIN.encode(), mtime=0),
        gzip.compress(PLAIN[:5].encode(), mtime=0) + gzip.compress(PLAIN[5:].encode(), mtime=0),
        PLAIN.replace("goos", "\x1b[31mgoos\x1b[0m").encode(),
        PLAIN.replace("\n", "\r").encode(),
        ("10 %\r99 %\r" + PLAIN).encode(),
    ],
)
def test_however_a_file_is_wrapped_its_lines_are_the_same(raw: bytes) -> None:
    """gzip, UTF-16 with and without a mark, CRLF, colours and progress bars all give the same lines."""
    prepared = decode(raw, "run.txt")
    assert prepared.file.lines == LINES
    assert prepared.sha256 == hashlib.sha256(raw).hexdigest()
    assert prepared.problems == ()


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "run.txt: is empty; run the benchmark again, or leave the file out"),
        (b" \r\n\t\n", "run.txt: is empty; run the benchmark again, or leave the file out"),
        (b"\x7fELF\0\1\2\0\0\0abc", "run.txt: is binary; name the text, CSV or log the benchmark wrote"),
        (zipped("run.txt"), "run.txt: is a zip archive; unpack it and name what it holds"),
        (zipped("xl/workbook.xml"), "run.txt: is a workbook of a spreadsheet; save its sheet as CSV, in UTF-8"),
        (
            zipped("word/document.xml"),
            "run.txt: is a document of an office program; save the results that it holds as text, in UTF-8",
        ),
        (zipped("keyword/results.csv"), "run.txt: is a zip archive; unpack it and name what it holds"),
        (tarred("run.txt"), "run.txt: is a tar archive; unpack it and name what it holds"),
        (gzip.compress(tarred("r"), mtime=0), "run.txt: is a tar archive; unpack it and name what it holds"),
        (bz2.compress(PLAIN.encode()), "run.txt: is bzip2; unpack it and name what it holds"),
        (lzma.compress(PLAIN.encode()), "run.txt: is xz; unpack it and name what it holds"),
        (gzip.compress(b"x" * 100, mtime=0)[:-12], "run.txt: truncated gzip; copy the file again"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(raw: bytes, message: str) -> None:
    """The whole message: where, what was found, what to do."""
    with pytest.raises(InputError) as caught:
        decode(raw, "run.txt")
    assert str(caught.value) == message


def test_a_compression_bomb_is_refused(monkeypatch) -> None:
    """Text that unfolds far beyond its size is not unfolded to the end."""
    monkeypatch.setattr(raw_, "_RATIO_FREE", 1000)
    with pytest.raises(InputError, match="unfold to more than"):
        decode(gzip.compress(b"x" * 1_000_000), "bomb.gz")


def test_bytes_that_are_no_utf8_are_replaced_and_told() -> None:
    """The line is named, and the rest of the file is read."""
    prepared = decode(b"goos: linux\nBenchmark\xff 1 5 ns/op\n", "run.txt")
    remedy = "save it as UTF-8 (in a spreadsheet as CSV UTF-8; of Windows text: iconv -f CP1252 -t UTF-8)"
    assert prepared.problems == ((2, f"not valid UTF-8 here; undecodable bytes became '\ufffd'; {remedy}"),)
    assert len(prepared.file.lines) == 2


def test_a_pipe_is_refused(tmp_path) -> None:
    """Reading it would block for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        read_bytes(tmp_path / "pipe", "pipe")


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(raw: bytes) -> None:
    """Nothing but an error of benchlib is raised, and no line holds a line end."""
    try:
        lines = decode(raw, "any").file.lines
    except BenchlibError:
        return
    assert not any("\n" in one or "\r" in one or "\0" in one for one in lines)
