"""The script of every page, and that of every deck: parts of ``templates/scripts`` in the order of their needs."""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = ["deck_script", "page_script"]

_FOLDER = Path(__file__).with_name("templates") / "scripts"
#: What each part is for stands at its head.
_PARTS = ("data", "figures", "evidence", "tables", "charts", "paper", "start")
_DECK_PARTS = ("data", "figures", "evidence", "charts", "speaker", "deck")


@functools.cache
def page_script() -> str:
    """Return the script of a page."""
    return _joined(_PARTS)


@functools.cache
def deck_script() -> str:
    """Return the script of a deck of slides."""
    return _joined(_DECK_PARTS)


def _joined(names: tuple[str, ...]) -> str:
    parts = [(_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in names]
    return "\n".join(['"use strict";', "(() => {", *parts, "})();\n"])
