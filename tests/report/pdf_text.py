"""The words and drawings of a PDF, read without a library: what Chromium writes is simple enough."""

from __future__ import annotations

import re
import unicodedata
import zlib

__all__ = ["lines_drawn", "page_count", "pdf_words"]

_STREAM = re.compile(rb"(\d+) 0 obj\s*<<((?:(?!endobj).)*?)>>\s*stream\r?\n", re.DOTALL)


def page_count(pdf: bytes) -> int:
    """How many pages a PDF has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def lines_drawn(pdf: bytes) -> int:
    """How many straight lines and curves a PDF draws, those of letters left out."""
    return sum(len(re.findall(rb"(?m) [lc]$", one)) for one in _contents(pdf))


def pdf_words(pdf: bytes) -> str:
    """The text of a PDF as one would select it, fonts mapped back to characters; without spaces."""
    maps = _fonts(pdf)
    found: list[str] = []
    for content in _contents(pdf):
        font: dict[int, str] = {}
        for name, codes in re.findall(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>", content):
            if name:
                font = maps.get(name.decode(), {})
            else:
                found += [font.get(int(codes[at : at + 4], 16), "") for at in range(0, len(codes), 4)]
    # Fonts draw some pairs of letters as one.
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", "".join(found)))


def _streams(pdf: bytes) -> dict[int, bytes]:
    read = {}
    for found in _STREAM.finditer(pdf):
        length = re.search(rb"/Length (\d+)", found[2])
        assert length
        body = pdf[found.end() : found.end() + int(length[1])]
        read[int(found[1])] = zlib.decompress(body) if b"FlateDecode" in found[2] else body
    return read


def _contents(pdf: bytes) -> list[bytes]:
    return [one for one in _streams(pdf).values() if b" Tf" in one or b" re\n" in one or b" l\n" in one]


def _fonts(pdf: bytes) -> dict[str, dict[int, str]]:
    """Return each font's map from code to character."""
    streams = _streams(pdf)
    objects = {int(number): body for number, body in re.findall(rb"(\d+) 0 obj\s*(.*?)endobj", pdf, re.DOTALL)}
    maps: dict[str, dict[int, str]] = {}
    for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", pdf):
        table = re.search(rb"/ToUnicode (\d+) 0 R", objects.get(int(number), b""))
        if table:
            maps[name.decode()] = _characters(streams[int(table[1])])
    return maps


def _characters(table: bytes) -> dict[int, str]:
    found = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for code, text in re.findall(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>", block):
            found[int(code, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for first, last, text in re.findall(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>", block):
            for step in range(int(last, 16) - int(first, 16) + 1):
                found[int(first, 16) + step] = chr(int(text, 16) + step)
    return found
