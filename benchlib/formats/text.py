"""From the bytes of a file to lines of text, whatever wrapped them."""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass

from benchlib.errors import InputError
from benchlib.formats.raw import archive_of, unpacked
from benchlib.formats.reading import TextFile

__all__ = ["AS_UTF8", "HEAD", "Prepared", "clean_line", "decode", "head_of", "is_of_decoding", "to_judge"]

#: Readers recognise a file by this many characters of it.
HEAD = 64 * 1024
_LONGEST_JUDGED = 1024**2

#: What to do about text in another encoding, which is that of Windows more often than any other.
AS_UTF8 = "save it as UTF-8 (in a spreadsheet as CSV UTF-8; of Windows text: iconv -f CP1252 -t UTF-8)"
_NOT_VALID = "not valid "

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


def decode(raw: bytes, source: str) -> Prepared:
    r"""Turn bytes into lines: unpacked, decoded, without colours and carriage returns.

    Raises
    ------
    InputError
        If the file is empty, binary, an archive, or a compressed file that is damaged or unfolds beyond measure.

    Examples
    --------
    >>> decode(b"\xef\xbb\xbfgoos: linux\r\n\x1b[1mPASS\x1b[0m\r\n", "run.txt").file.lines
    ['goos: linux', 'PASS']
    """
    digest = hashlib.sha256(raw).hexdigest()
    content = unpacked(raw, source)
    if not content or content.isspace():
        raise InputError(f"{source}: is empty; run the benchmark again, or leave the file out")
    if content.isascii() and not any(one in content for one in (b"\0", b"\x1b", b"\r")):
        # Most files: nothing to decode, to take off or to unwrap, and no second copy in memory.
        return Prepared(file=TextFile(source, utf8=content), sha256=digest, problems=())
    archive = archive_of(content)
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
    return Prepared(file=TextFile(source, text=text, open_end=open_end), sha256=digest, problems=tuple(problems))


def is_of_decoding(message: str) -> bool:
    """Whether a problem is one of `decode`, which costs no value: what stands in the lines is a problem of its own."""
    return message.startswith(_NOT_VALID)


def clean_line(line: str) -> str:
    r"""Return a line as a terminal would leave it: without colours, the last state of a redrawn one.

    For text that came wrapped in another format, and so past `decode`.

    Examples
    --------
    >>> clean_line("10 %\r\x1b[1m99 %\x1b[0m\r")
    '99 %'
    """
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line


def head_of(file: TextFile) -> TextFile:
    """Return the first 64 KiB of a file, cut at a line end."""
    content = file.utf8
    if len(content) < HEAD:
        return file
    cut = content.rfind(b"\n", 0, HEAD)
    if cut < 0:
        # One long line is judged whole, within reason.
        cut = content.find(b"\n", 0, _LONGEST_JUDGED)
    if cut >= 0:
        return TextFile(file.source, utf8=content[: cut + 1])
    return file if len(content) <= _LONGEST_JUDGED else TextFile(file.source, text=file.text[:HEAD])


def to_judge(file: TextFile) -> TextFile:
    """Return a whole file for a reader to recognise: with lines of over 1 MiB cut to 64 KiB.

    No tool writes such a line of text; a hundred million commas would be a row of as many cells for
    every reader that is asked.
    """
    if len(file.text) <= _LONGEST_JUDGED or not any(len(one) > _LONGEST_JUDGED for one in file.text.split("\n")):
        return file
    lines = (one if len(one) <= _LONGEST_JUDGED else one[:HEAD] for one in file.text.split("\n"))
    return TextFile(file.source, text="\n".join(lines))


def _text(content: bytes) -> tuple[str, str]:
    """Decode; the second text names the encoding of which bytes had to be replaced, or is empty."""
    # UTF-32's little-endian mark starts with UTF-16's; no shell writes it, so UTF-16 is meant.
    marks = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
    mark = next((one for one in marks if content.startswith(one)), b"")
    content = content.removeprefix(mark)
    encoding = marks.get(mark) or _unmarked_utf16(content[:4096]) or "utf-8"
    try:
        return content.decode(encoding), ""
    except UnicodeDecodeError:
        return content.decode(encoding, errors="replace"), encoding[:6].upper().rstrip("-")


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


def _unwrapped(text: str) -> str:
    """Return lines joined by line feeds, as a terminal would leave them, with none after the last."""
    if "\r" in text:
        # A lone CR is a line end only where there is no LF: elsewhere it redraws a progress bar.
        text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    text = text.removesuffix("\n")
    if "\r" in text:
        # What a terminal would show of a redrawn line is its last state.
        text = "\n".join(one.rstrip("\r").rpartition("\r")[2] for one in text.split("\n"))
    return text
