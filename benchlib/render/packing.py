"""What a page embeds, in one compressed block of text, and the policy that lets only its own scripts run."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable
from typing import Any

from benchlib.errors import ExportError

#: Base 85 as Python writes it (RFC 1924), but for characters that mean something in markup or a style.
_MARKUP, _PLAIN = b"&(<>@", b",.:[]"
#: What packed data may unfold to: bytes, and more for each byte.
_FREE, _RATIO = 16 * 1024**2, 200
_AS_PLAIN, _AS_PYTHON = bytes.maketrans(_MARKUP, _PLAIN), bytes.maketrans(_PLAIN, _MARKUP)


def as_text(data: bytes) -> str:
    """Return bytes as a page embeds them: base 85 takes a sixteenth less room than base 64.

    ``templates/page.js`` reads it.

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
    """Return what `pack_bytes` was given."""
    raw = base64.b85decode(packed.strip().encode("ascii").translate(_AS_PYTHON))
    # A page may be a stranger's: the bytes that a bomb would unfold to are never made.
    stream = zlib.decompressobj(wbits=31)
    content = stream.decompress(raw, _FREE + _RATIO * len(raw))
    if not stream.eof:
        raise ValueError("cut, or unfolds to more than data of a page do")
    return content


def unpack(packed: str) -> Any:
    """Return what `pack` was given."""
    try:
        return json.loads(unpack_bytes(packed))
    except (ValueError, zlib.error, RecursionError) as error:
        raise ExportError("the data block of the page cannot be read; build the report again") from error


def script_hash(script: str) -> str:
    """Return the hash by which a policy knows a script.

    Examples
    --------
    >>> script_hash("")
    '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def policy_of(hashes: Iterable[str]) -> str:
    """Return a content security policy under which only these scripts run and nothing is loaded.

    References
    ----------
    W3C Content Security Policy Level 3, sections 2.3 and 8.4 (hashes of inline scripts).

    Examples
    --------
    >>> policy_of([]).split("; ")[:2]
    ["default-src 'none'", "script-src 'none'"]
    """
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
