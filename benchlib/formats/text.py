"""From the bytes of a file to lines of text, whatever wrapped them."""

from __future__ import annotations

import codecs
import hashlib
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

from benchlib.errors import InputError
from benchlib.formats.reading import TextFile

__all__ = ["HEAD", "Prepared", "decode", "head_of", "read_bytes"]

#: Readers recognise a file by this many characters of it.
HEAD = 64 * 1024
#: No file is read beyond this size, compressed or not.
LARGEST = 1024**3
#: Text compresses 5 to 20 times; far beyond that (after the first 16 MiB) it is no log.
_LARGEST_RATIO = 200
_RATIO_FREE = 16 * 1024**2

# CSI sequences (colours, cursor), OSC sequences (titles, links) and two-character escapes.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_=>])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A file made ready for its reader.

    Attributes
    ----------
    file : TextFile
    sha256 : str
        Of the bytes as they lie on disk.
    problems : tuple of (int, str)
        What decoding had to replace; line 0 speaks of the whole file.
    """

    file: TextFile
    sha256: str
    problems: tuple[tuple[int, str], ...]


def read_bytes(path: Path, source: str) -> bytes:
    """Return the bytes of a regular file of at most 1 GiB.

    Raises
    ------
    InputError
        If it is missing, unreadable, larger, or no regular file (a pipe would block for ever).
    """
    try:
        if not path.exists():
            raise InputError(f"{source}: no such file; check the path")
        if not path.is_file():
            raise InputError(f"{source}: not a regular file; name a file of results or a folder of them")
        if path.stat().st_size > LARGEST:
            raise InputError(f"{source}: {path.stat().st_size:,} bytes; files up to {LARGEST:,} bytes are read")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or 'error'}); check its rights") from error


def decode(raw: bytes, source: str) -> Prepared:
    r"""Turn bytes into lines: unzipped, decoded, without colours and carriage returns.

    Raises
    ------
    InputError
        If the file is empty, binary, or a compressed file that is damaged or unfolds beyond measure.

    Examples
    --------
    >>> decode(b"\xef\xbb\xbfgoos: linux\r\n\x1b[1mPASS\x1b[0m\r\n", "run.txt").file.lines
    ['goos: linux', 'PASS']
    """
    digest = hashlib.sha256(raw).hexdigest()
    content = _gunzip(raw, source) if raw.startswith(b"\x1f\x8b") else raw
    if not content.strip():
        raise InputError(f"{source}: is empty; run the benchmark again, or leave the file out")
    text, replaced = _text(content)
    if "\0" in text:
        raise InputError(f"{source}: is binary; name the text, CSV or log the benchmark wrote")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    lines = _lines(text)
    if not any(lines):
        raise InputError(f"{source}: is empty; run the benchmark again, or leave the file out")
    problems = []
    if replaced:
        number = next((n for n, line in enumerate(lines, 1) if "\ufffd" in line), 0)
        message = f"not valid UTF-8 here; undecodable bytes became {chr(0xFFFD)!r}"
        problems.append((number, message))
    return Prepared(file=TextFile(source, lines), sha256=digest, problems=tuple(problems))


def head_of(file: TextFile) -> TextFile:
    """Return the first 64 KiB of a file, cut at a line end."""
    size = 0
    for number, line in enumerate(file.lines):
        size += len(line) + 1
        if size > HEAD:
            return TextFile(file.source, file.lines[: max(1, number)])
    return file


def _gunzip(raw: bytes, source: str) -> bytes:
    parts: list[bytes] = []
    size, rest = 0, raw
    # gzip allows several members one after the other; zero padding may follow the last.
    while rest.strip(b"\0"):
        member = zlib.decompressobj(wbits=31)
        try:
            part = member.decompress(rest, LARGEST - size + 1)
        except zlib.error as error:
            raise InputError(f"{source}: damaged gzip ({error}); copy the file again") from error
        size += len(part)
        if size > LARGEST or (size > _RATIO_FREE and size > _LARGEST_RATIO * len(raw)):
            raise InputError(
                f"{source}: {len(raw):,} compressed bytes unfold to more than {min(size, LARGEST):,}; "
                f"unzip it yourself if that is meant"
            )
        parts.append(part)
        if not member.eof:
            raise InputError(f"{source}: truncated gzip; copy the file again")
        rest = member.unused_data
    return b"".join(parts)


def _text(content: bytes) -> tuple[str, bool]:
    """Decode; the flag says that bytes had to be replaced."""
    # UTF-32's little-endian mark starts with UTF-16's; no shell writes it, so UTF-16 is meant.
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if content.startswith(mark):
            text = content[len(mark) :].decode(encoding, errors="replace")
            return text, "\ufffd" in text
    encoding = _unmarked_utf16(content[:4096]) or "utf-8"
    try:
        return content.decode(encoding), False
    except UnicodeDecodeError:
        return content.decode(encoding, errors="replace"), True


def _unmarked_utf16(head: bytes) -> str:
    """Name the UTF-16 that text without a mark is in: every second byte is 0 where it is ASCII."""
    pairs = len(head) // 2
    if pairs < 2 or b"\0" not in head:
        return ""
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if odd > 0.7 * pairs and even < 0.05 * pairs:
        return "utf-16-le"
    if even > 0.7 * pairs and odd < 0.05 * pairs:
        return "utf-16-be"
    return ""


def _lines(text: str) -> list[str]:
    if "\r" in text:
        # A lone CR is a line end only where there is no LF: elsewhere it redraws a progress bar.
        text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    lines = text.removesuffix("\n").split("\n")
    # What a terminal would show of a redrawn line is its last state.
    return [one.rstrip("\r").rpartition("\r")[2] for one in lines] if "\r" in text else lines
