"""The scripts of pages and decks, each in one piece: ``templates/scripts`` in the order of what its parts need."""

from __future__ import annotations

import functools
from pathlib import Path

_FOLDER = Path(__file__).with_name("templates") / "scripts"
#: What each part is for stands at its head.
_PARTS = ("text", "data", "figures", "evidence", "tables", "charts", "paper", "start")
#: The same of a deck of slides.
_DECK = ("text", "data", "figures", "evidence", "charts", "speaker", "deck")
#: The same of the script that a page or deck with what-if blocks has beside its own.
_WHAT_IF = ("../text", "numbers", "draws", "planning", "words", "fields", "settings", "panel")


@functools.cache
def opening_script() -> str:
    """Return what runs in the head of every page that has a script, before its body is read."""
    return _script(_FOLDER, ("opening",))


@functools.cache
def page_script() -> str:
    """Return the script of every page."""
    return _script(_FOLDER, _PARTS)


@functools.cache
def deck_script() -> str:
    """Return the script of every deck of slides."""
    return _script(_FOLDER, _DECK)


@functools.cache
def what_if_script() -> str:
    """Return the script that answers other settings of a capacity plan."""
    return _script(_FOLDER / "what_if", _WHAT_IF)


def _script(folder: Path, names: tuple[str, ...]) -> str:
    parts = [(folder / f"{name}.js").read_text(encoding="utf-8") for name in names]
    return "\n".join(['"use strict";', "(() => {", *parts, "})();\n"])
