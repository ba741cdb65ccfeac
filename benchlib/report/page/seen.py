"""Characters of names that would act on a page instead of being seen."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["seen"]

_UNSEEN = re.compile(r"[^\n\t\x20-\x7e]")


def seen(text: str) -> str:
    r"""Write out what shows nothing and does something: controls, and characters that turn text around or hide it.

    Examples
    --------
    >>> seen("a\u202eb, 3 µs")
    'a\\u202eb, 3 µs'
    """
    # A page has thousands of such characters, but few that differ.
    acting = {ord(one): _written(one) for one in set(_UNSEEN.findall(text)) if _acts(one)}
    return text.translate(acting) if acting else text


def _acts(one: str) -> bool:
    # Control, format, surrogate, private, unassigned, and the two that end lines; spaces of every width stay.
    return unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def _written(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")
