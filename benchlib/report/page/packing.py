"""Data of a page in one compressed block: charts, evidence, rows that are folded away."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from benchlib.errors import ExportError

#: Base 85 as Python writes it (RFC 1924), but for characters that mean something in markup or a style.
_MARKUP, _PLAIN = b"&(<>@", b",.:[]"
_AS_PLAIN, _AS_PYTHON = bytes.maketrans(_MARKUP, _PLAIN), bytes.maketrans(_PLAIN, _MARKUP)


def as_text(data: bytes) -> str:
    """Return bytes as a page embeds them: base 85 takes a sixteenth less room than base 64.

    ``templates/scripts/data.js`` reads it.

    Examples
    --------
    >>> as_text(b"gzipped")
    'XL]OHaAjl'
    """
    return base64.b85encode(data).translate(_AS_PLAIN).decode("ascii")


def pack(data: Any) -> str:
    """Return JSON data as a page embeds them: gzip as text, the same bytes for the same data.

    Examples
    --------
    >>> unpack(pack({"charts": [1, 2]}))
    {'charts': [1, 2]}
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return pack_bytes(text.encode("ascii"))


def pack_bytes(data: bytes) -> str:
    """Return bytes as a page embeds them: gzip as text, the same text for the same bytes."""
    return as_text(gzip.compress(data, 9, mtime=0))


def unpack_bytes(packed: str) -> bytes:
    """Return what `pack_bytes` was given.

    Raises
    ------
    ValueError, OSError, EOFError
        If it is something else.
    """
    return gzip.decompress(base64.b85decode(packed.strip().encode("ascii").translate(_AS_PYTHON)))


def unpack(packed: str) -> Any:
    """Return what `pack` was given.

    Raises
    ------
    ExportError
        If it is something else.
    """
    try:
        return json.loads(unpack_bytes(packed))
    except (ValueError, OSError, EOFError) as error:
        raise ExportError("the data block of the page cannot be read; build the report again") from error
