"""Data of a page in one compressed block: charts, evidence, rows that are folded away."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from benchlib.errors import ExportError

__all__ = ["pack", "pack_bytes", "unpack"]


def pack(data: Any) -> str:
    """Return JSON data as a page embeds them: gzip in base64, the same bytes for the same data.

    Examples
    --------
    >>> unpack(pack({"charts": [1, 2]}))
    {'charts': [1, 2]}
    """
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return pack_bytes(text.encode("ascii"))


def pack_bytes(data: bytes) -> str:
    """Return bytes as a page embeds them: gzip in base64, the same text for the same bytes."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def unpack(packed: str) -> Any:
    """Return what `pack` was given.

    Raises
    ------
    ExportError
        If it is something else.
    """
    try:
        return json.loads(gzip.decompress(base64.b64decode(packed, validate=True)))
    except (ValueError, OSError, EOFError) as error:
        raise ExportError("the data block of the page cannot be read; build the report again") from error
