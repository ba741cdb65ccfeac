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
    return _UNSEEN.sub(lambda found: _written(found[0]), text)


def _written(one: str) -> str:
    # Control, format, surrogate, private, unassigned, and the two that end lines; spaces of every width stay.
    acts = unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return one.encode("unicode_escape").decode("ascii") if acts else one
