"""Characters of names, and markup in charts, that would act on a page instead of being seen."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

#: Most of a page, none of which acts: what can be typed, and the ends of lines and columns.
_PLAIN = bytes((*b"\n\t", *range(0x20, 0x7F)))


def seen(text: str) -> str:
    r"""Write out what shows nothing and does something: controls, and characters that turn text around or hide it.

    Examples
    --------
    >>> seen("a\u202eb, 3 µs")
    'a\\u202eb, 3 µs'
    """
    if text.isascii() and text.isprintable():
        return text  # as most names are
    # As bytes: of a page of half a million characters, few are left to be looked at, in a fifth of a search's time.
    other = text.encode(errors="surrogatepass").translate(None, _PLAIN).decode(errors="surrogatepass")
    acting = {ord(one): _written(one) for one in set(other) if _acts(one)}
    return text.translate(acting) if acting else text


def _acts(one: str) -> bool:
    # Control, format, surrogate, private, unassigned, and the two that end lines; spaces of every width stay.
    return unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _written(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")


#: plotly reads a little HTML in any text; only breaks, and ``<extra>`` in a hover template, keep their meaning.
_BREAK = re.compile(r"<(?!br ?/?>)")
_BREAK_OR_EXTRA = re.compile(r"<(?!br ?/?>|extra>|/extra>)")


def inert_chart(value: Any, key: str = "") -> Any:
    """Copy the JSON of a chart with markup made text and NaN made null.

    Examples
    --------
    >>> inert_chart({"name": "a<br><a href='x'>"})
    {'name': "a<br>&lt;a href='x'>"}
    """
    if isinstance(value, str):
        if key.endswith("format"):  # a d3 format may align with "<"
            return value
        return (_BREAK_OR_EXTRA if key == "hovertemplate" else _BREAK).sub("&lt;", seen(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: inert_chart(entry, str(name)) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [inert_chart(entry, key) for entry in value]
    return value
