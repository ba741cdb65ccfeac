"""From the bytes of a file to lines of text, whatever wrapped them."""

from __future__ import annotations

import codecs
import hashlib
import re
import stat
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchlib.errors import InputError, printable
from benchlib.files import read_bounded, read_pieces
from benchlib.formats.reader import TextFile

#: Readers recognise a file by this many characters of it.
_HEAD = 64 * 1024
_LONGEST_JUDGED = 1024**2

#: What to do about text in another encoding, which is that of Windows more often than any other.
AS_UTF8 = "save it as UTF-8 (in a spreadsheet as CSV UTF-8; of Windows text: iconv -f CP1252 -t UTF-8)"
_NOT_VALID = "not valid "

# CSI sequences (colours, cursor), OSC sequences (titles, links) and two-character escapes.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_=>])")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A file made ready for its reader, and what decoding had to replace; line 0 speaks of the whole file.

    ``sha256`` is that of the bytes on disk.
    """

    file: TextFile
    sha256: str
    problems: tuple[tuple[int, str], ...]


def decode(raw: bytes, source: str) -> _Prepared:
    """Turn bytes into lines: unpacked, decoded, without colours and carriage returns."""
    digest = hashlib.sha256(raw).hexdigest()
    content = unpacked(raw, source)
    if not content or content.isspace():
        raise InputError(f"{source}: is empty; run the benchmark again, or leave the file out")
    if content.isascii() and not any(mark in content for mark in (b"\0", b"\x1b", b"\r")):
        # Most files: nothing to decode, to take off or to unwrap, and no second copy in memory.
        return _Prepared(file=TextFile(source, utf8=content), sha256=digest, problems=())
    archive = _archive_of(content)
    if archive:
        raise InputError(f"{source}: {archive}")
    text, replaced = _text(content)
    if "\0" in text:
        raise InputError(f"{source}: is binary; name the text, CSV or log the benchmark wrote")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    open_end = not text.endswith(("\n", "\r"))
    text = _unwrapped(text)
    if not text or text.isspace():
        raise InputError(f"{source}: is empty; run the benchmark again, or leave the file out")
    problems = []
    if replaced:
        damaged = [n for n, line in enumerate(text.split("\n"), 1) if "\ufffd" in line]
        rest = f" (and {len(damaged) - 1:,} more lines)" if len(damaged) > 1 else ""
        message = f"{_NOT_VALID}{replaced} here{rest}; undecodable bytes became {chr(0xFFFD)!r}; {AS_UTF8}"
        problems.append((damaged[0] if damaged else 0, message))
    return _Prepared(file=TextFile(source, text=text, open_end=open_end), sha256=digest, problems=tuple(problems))


def _is_of_decoding(message: str) -> bool:
    """Whether a problem is one of `decode`, which costs no value by itself."""
    return message.startswith(_NOT_VALID)


def _clean_line(line: str) -> str:
    """Return a line of text within another format as `decode` returns lines: without colours, and as last redrawn."""
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line


def head_of(file: TextFile) -> TextFile:
    """Return the first 64 KiB of a file, cut at a line end."""
    content = file.utf8
    if len(content) < _HEAD:
        return file
    cut = content.rfind(b"\n", 0, _HEAD)
    if cut < 0:
        # One long line is judged whole, within reason.
        cut = content.find(b"\n", 0, _LONGEST_JUDGED)
    if cut >= 0:
        return TextFile(file.source, utf8=content[: cut + 1])
    return file if len(content) <= _LONGEST_JUDGED else TextFile(file.source, text=file.text[:_HEAD])


def _to_judge(file: TextFile) -> TextFile:
    """Return a whole file for a reader to recognise, with lines of over 1 MiB cut to 64 KiB.

    No tool writes such a line; a hundred million commas would be as many cells for every reader that is asked.
    """
    lines = file.text.split("\n")
    if not any(len(line) > _LONGEST_JUDGED for line in lines):
        return file
    return TextFile(file.source, lines=[line if len(line) <= _LONGEST_JUDGED else line[:_HEAD] for line in lines])


def _text(content: bytes) -> tuple[str, str]:
    """Decode; the second text names the encoding of which bytes had to be replaced, or is empty."""
    # UTF-32's little-endian mark starts with UTF-16's; no shell writes it, so UTF-16 is meant.
    marks = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
    mark = next((mark for mark in marks if content.startswith(mark)), b"")
    content = content.removeprefix(mark)
    encoding = marks.get(mark, "utf-8")
    try:
        return content.decode(encoding), ""
    except UnicodeDecodeError:
        return content.decode(encoding, errors="replace"), encoding[:6].upper().rstrip("-")


def _unwrapped(text: str) -> str:
    """Return lines joined by line feeds, as a terminal would leave them, with none after the last."""
    if "\r" in text:
        # A lone CR is a line end only where there is no LF: elsewhere it redraws a progress bar.
        text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    text = text.removesuffix("\n")
    if "\r" in text:
        # What a terminal would show of a redrawn line is its last state.
        text = "\n".join(part.rstrip("\r").rpartition("\r")[2] for part in text.split("\n"))
    return text


# The bytes behind a path: a file, standard input, or what either holds compressed. Never a URL.


#: No file is read beyond this size, compressed or not.
_LARGEST = 1024**3
#: How standard input is shown where a file would be.
_STDIN = "<stdin>"
#: Text compresses 5 to 20 times; far beyond that (after the first 16 MiB) it is no log.
_LARGEST_RATIO = 200
_RATIO_FREE = 16 * 1024**2
#: First bytes (of a tar archive those behind the first name and its facts) -> what such a file is called.
_ARCHIVES = {
    rb"PK(?:\x03\x04|\x05\x06)": "a zip archive", rb"7z\xbc\xaf\x27\x1c": "a 7z archive",
    rb"Rar!\x1a\x07": "a rar archive", rb"(?s:.{257})ustar": "a tar archive",
    rb"BZh[1-9]1AY&SY": "bzip2", rb"\xfd7zXZ\0": "xz",
}  # fmt: skip
#: A workbook is a zip archive that holds such a name.
_WORKBOOK = re.compile(rb"\[Content_Types\]\.xml|xl/workbook|opendocument\.spreadsheet")
#: So is a text or a presentation, of the same programs.
_DOCUMENT = re.compile(rb"\0(?:word|ppt)/|opendocument\.(?:text|presentation)")
_LOOKED_AT = 4096
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
#: A skippable frame may come before, between and after frames of data (RFC 8878, 3.1.2).
_ZSTD_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18", re.DOTALL)
#: Deflate unfolds at most 1,032 times, so that one chunk stays below 68 MiB.
_CHUNK = 64 * 1024
#: bgzip writes a part for each 64 KiB; a file of empty parts would take for ever.
_MOST_MEMBERS = 100_000
_PADDING = re.compile(rb"\0*")
_URL = re.compile(r"(?:https?|ftps?|sftp|s3|gs|git\+[a-z]+|file)://?[^/]", re.IGNORECASE)


def local_path(named: str | Path) -> Path:
    """Return what a user named as a path; ``-`` stays itself, and ``./-`` is a file of that name."""
    path, text = Path(named), str(named)
    try:
        there = path.exists()
    except OSError as error:
        raise InputError(f"{printable(text)}: no path ({error.strerror or 'error'}); check it") from error
    if "\0" in text:
        raise InputError(f"{printable(text)}: no such file or folder; check the path")
    if _URL.match(text) and not there:
        # A Path has folded the two slashes of an address into one.
        shown = re.sub(r":/+", "://", text, count=1)
        raise InputError(f"{printable(shown)}: is a URL; benchlib never fetches, download it first")
    return path.absolute() if is_stdin(path) and text != "-" else path


def is_stdin(path: Path) -> bool:
    """Say whether a path is ``-``, which means standard input."""
    return str(path) == "-"


def _unpacked_name(name: str) -> str:
    """Return the name of a file without the ending that says it is compressed."""
    return name.removesuffix(".gz").removesuffix(".zst")


def read_bytes(path: Path, source: str) -> bytes:
    """Return the bytes of a regular file, or of standard input, of at most 1 GiB."""
    if is_stdin(path):
        return _read_stdin(source)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{source}: not a regular file; name a file of results or a folder of them")
        if status.st_size > _LARGEST:
            raise InputError(f"{source}: {status.st_size:,} bytes; files up to {_LARGEST:,} bytes are read")
        content = read_bounded(path, _LARGEST)
    except FileNotFoundError as error:
        raise InputError(f"{source}: no such file; check the path") from error
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or 'error'}); check its rights") from error
    except ValueError as error:
        raise InputError(f"{source}: not a path ({error}); check the path") from error
    return _bounded(content, source)


def _read_stdin(source: str) -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError(f"{source}: there is no standard input here; name a file")
    if stream.isatty():
        raise InputError(f"{source}: is the keyboard; pipe results into it, or name a file")
    try:
        content = read_pieces(stream, _LARGEST)
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or 'error'}); name a file") from error
    return _bounded(content, source)


def _bounded(content: bytes, source: str) -> bytes:
    if len(content) > _LARGEST:
        raise InputError(f"{source}: holds more than the {_LARGEST:,} bytes that are read; split it")
    return content


def unpacked(raw: bytes, source: str) -> bytes:
    """Return the content of gzip or zstd, recognised by its first bytes; anything else as it is."""
    if raw.startswith(_GZIP):
        return _gunzip(raw, source)
    if raw.startswith(_ZSTD) or _ZSTD_SKIPPABLE.match(raw):
        return _unzstd(raw, source)
    return raw


def _archive_of(content: bytes) -> str:
    """Say what an archive is and what to do with it, or return an empty text."""
    kind = next((name for first, name in _ARCHIVES.items() if re.match(first, content)), "")
    if kind == "a zip archive" and _DOCUMENT.search(content, 0, _LOOKED_AT):
        return "is a document of an office program; save the results that it holds as text, in UTF-8"
    if kind == "a zip archive" and _WORKBOOK.search(content, 0, _LOOKED_AT):
        return "is a workbook of a spreadsheet; save its sheet as CSV, in UTF-8"
    return f"is {kind}; unpack it and name what it holds" if kind else ""


def _bound(raw: bytes, size: int, source: str) -> None:
    if size > _LARGEST or (size > _RATIO_FREE and size > _LARGEST_RATIO * len(raw)):
        raise InputError(
            f"{source}: {len(raw):,} compressed bytes unfold to more than {min(size, _LARGEST):,}; "
            f"unpack it yourself if that is meant"
        )


def _gunzip(raw: bytes, source: str) -> bytes:
    # gzip allows several members one after the other; zero padding may follow the last.
    return _members(raw, source, "gzip", lambda: zlib.decompressobj(wbits=31), (zlib.error,), _CHUNK)


def _unzstd(raw: bytes, source: str) -> bytes:
    try:
        import zstandard
    except ImportError as error:
        raise InputError(
            f"{source}: is zstd, and nothing here unpacks it; pip install 'benchlib[zstd]', or run: zstd -d FILE"
        ) from error
    # A frame may ask for a window of gigabytes; 128 MiB is what the zstd command grants unasked.
    decompressor = zstandard.ZstdDecompressor(max_window_size=2**27)
    # 4 KiB unfold to at most 128 MiB (blocks of 128 KiB in 4 bytes): the bound is seen in time.
    return _members(raw, source, "zstd", decompressor.decompressobj, (zstandard.ZstdError,), 4096)


def _members(
    raw: bytes, source: str, kind: str, start: Callable[[], Any], damaged: tuple[type[Exception], ...], chunk: int
) -> bytes:
    """Unpack one member after the other, a chunk at a time, within bounds."""
    parts: list[bytes] = []
    size, place, members = 0, 0, 0
    while place < len(raw):
        members += 1
        if members > _MOST_MEMBERS:
            raise InputError(
                f"{source}: {kind} of more than {_MOST_MEMBERS:,} parts; unpack it yourself if that is meant"
            )
        member = start()
        while not member.eof:
            fed = raw[place : place + chunk]
            if not fed:
                raise InputError(f"{source}: truncated {kind}; copy the file again")
            try:
                part = member.decompress(fed)
            except damaged as error:
                raise InputError(f"{source}: damaged {kind} ({error}); copy the file again") from error
            parts.append(part)
            size += len(part)
            _bound(raw, size, source)
            place += len(fed)
        padding = _PADDING.match(raw, place - len(member.unused_data))
        place = padding.end() if padding else len(raw)
    return b"".join(parts)
