"""The bytes behind a path."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from benchlib.cli import main
from benchlib.errors import InputError
from benchlib.formats import load, text
from benchlib.formats.text import decode, local_path, read_bytes, unpacked

zstandard = pytest.importorskip("zstandard")
LINE = b"BenchmarkA 1 5 ns/op\n"


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


def skippable(content: bytes) -> bytes:
    return b"\x53\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


def standard_input(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize(
    "content",
    [
        LINE + LINE,
        gzip.compress(LINE + LINE, mtime=0),
        gzip.compress(LINE, mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(LINE, mtime=0) + b"\0" * 512,
        zstd(LINE + LINE),
        zstd(LINE) + zstd(b"") + zstd(LINE),
        skippable(b"made by") + zstd(LINE) + skippable(b"") + zstd(LINE),
    ],
)
def test_gzip_and_zstd_are_known_by_their_first_bytes(content: bytes) -> None:
    """Several members, padding and skippable frames included."""
    assert unpacked(content, "run") == LINE + LINE


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_every_cut_of_a_compressed_file_is_told(compress) -> None:
    """No prefix passes for the whole, and each error is one line that names the file."""
    whole = compress(LINE * 50)
    for length in range(4, len(whole)):
        with pytest.raises(InputError, match=r"^run: (truncated|damaged) (gzip|zstd)[^\n]*; copy the file again$"):
            unpacked(whole[:length], "run")


@pytest.mark.parametrize(("compress", "kind"), [(gzip.compress, "gzip"), (zstd, "zstd")])
def test_what_follows_a_compressed_file_is_told(compress, kind: str) -> None:
    """Bytes after the last member are no result, and not nothing."""
    with pytest.raises(InputError, match=f"damaged {kind}"):
        unpacked(compress(LINE) + b"BenchmarkB", "run")


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_a_bomb_is_stopped_on_the_way(compress) -> None:
    """256 MiB of one letter stop at the bound, long before they are all there."""
    with pytest.raises(InputError, match=r"compressed bytes unfold to more than .*; unpack it yourself") as caught:
        unpacked(compress(b"x" * 2**28), "bomb")
    reached = int(str(caught.value).partition("more than ")[2].partition(";")[0].replace(",", ""))
    assert reached <= 2**27 + 2**17


@pytest.mark.parametrize(("compress", "kind"), [(gzip.compress, "gzip"), (zstd, "zstd")])
def test_a_file_of_endless_empty_parts_is_refused(compress, kind: str) -> None:
    """Each costs a new decompressor: 20 bytes of input for as much work as a line."""
    with pytest.raises(InputError, match=f"{kind} of more than 100,000 parts"):
        unpacked(compress(b"") * 100_001, "many")


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
    for name in ("a_cpu2.txt.zst", "b_cpu4.txt.gz"):
        (tmp_path / name).write_bytes((zstd if name.endswith("zst") else gzip.compress)(LINE))
    results = load(
        tmp_path / "a_cpu2.txt.zst", tmp_path / "b_cpu4.txt.gz", path_templates=["{_}_cpu{cpu_count:int}.txt"]
    )
    assert results.frame["run"].tolist() == ["a_cpu2", "b_cpu4"]
    assert results.frame["cpu_count"].tolist() == [2, 4]


@pytest.mark.parametrize("wrap", [bytes, gzip.compress, zstd, lambda one: one.decode().encode("utf-16")])
def test_standard_input_is_read_as_a_file_is(wrap, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text, packed or UTF-16; the source is shown as <stdin>."""
    standard_input(monkeypatch, wrap(LINE))
    results = load("-")
    assert results.frame["source"].tolist() == ["<stdin>"]
    assert results.frame["value"].tolist() == [5e-9]


def test_inspect_and_convert_read_standard_input(monkeypatch, capsys, tmp_path: Path) -> None:
    """`go test -bench . | benchlib inspect -`."""
    standard_input(monkeypatch, LINE)
    assert main(["inspect", "-"]) == 0
    assert "file        <stdin>: go-bench, 1 rows; lines: 1 data" in capsys.readouterr().out
    standard_input(monkeypatch, LINE)
    assert main(["convert", "-", "-o", str(tmp_path / "t.csv")]) == 0
    assert "<stdin>" in (tmp_path / "t.csv").read_text()


def test_standard_input_is_one_run_beside_a_file(monkeypatch, tmp_path: Path) -> None:
    """Named with a file, each is one side of a comparison."""
    (tmp_path / "old.txt").write_bytes(LINE)
    standard_input(monkeypatch, LINE)
    assert load("-", tmp_path / "old.txt").frame["run"].tolist() == ["stdin", "old"]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "<stdin>: is empty"), (b"nothing here", "<stdin>: no benchmark results recognised")],
)
def test_standard_input_without_results_is_bad_input(content, message, monkeypatch, capsys) -> None:
    """One line and exit code 2."""
    standard_input(monkeypatch, content)
    assert main(["inspect", "-"]) == 2
    assert capsys.readouterr().err.startswith(f"benchlib: {message}")


def test_standard_input_is_bounded(monkeypatch) -> None:
    """An endless pipe ends at the size that files may have."""
    monkeypatch.setattr(text, "_LARGEST", 1000)
    standard_input(monkeypatch, LINE * 100)
    with pytest.raises(InputError, match="<stdin>: holds more than the 1,000 bytes that are read"):
        load("-")


def test_a_report_on_standard_input_is_refused(capsys) -> None:
    """The kernel that runs the notebook cannot read it again."""
    assert main(["report", "-"]) == 2
    assert "save standard input to a file" in capsys.readouterr().err


def test_a_file_named_dash_is_reached_by_its_folder(tmp_path: Path, monkeypatch) -> None:
    """./- is a file, as for every command."""
    (tmp_path / "-").write_bytes(LINE)
    monkeypatch.chdir(tmp_path)
    assert load("./-").frame["source"].tolist() == ["-"]


@pytest.mark.parametrize("command", [["inspect"], ["convert", "-o", "t.csv"], ["report"]])
@pytest.mark.parametrize("address", ["https://a.example/run.txt", "HTTP://a.example/x", "s3://bucket/x"])
def test_an_address_is_refused_and_never_fetched(command, address: str, capsys, monkeypatch) -> None:
    """One line that says what to do, and no connection."""

    def connect(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr("socket.socket.connect", connect)
    assert main([*command, address]) == 2
    assert capsys.readouterr().err == f"benchlib: {address}: is a URL; benchlib never fetches, download it first\n"


def test_a_folder_that_looks_like_an_address_is_a_folder(tmp_path: Path, monkeypatch) -> None:
    """A copy of a site is kept in folders of such names."""
    (tmp_path / "http:" / "a").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert local_path("http://a") == Path("http:/a")


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    """Reading it would block for ever."""
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        read_bytes(tmp_path / "pipe", "pipe")


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_a_path_that_can_be_none_is_bad_input(name: str) -> None:
    """What the file system cannot hold is one line as well."""
    with pytest.raises(InputError):
        load(name)
