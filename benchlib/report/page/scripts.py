"""The script of every page, in one piece: ``templates/scripts`` in the order in which its parts need each other."""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = ["page_script"]

_FOLDER = Path(__file__).with_name("templates") / "scripts"
#: What each part is for stands at its head.
_PARTS = ("data", "figures", "evidence", "tables", "charts", "paper", "start")


@functools.cache
def page_script() -> str:
    """Return the script."""
    parts = [(_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in _PARTS]
    return "\n".join(['"use strict";', "(() => {", *parts, "})();\n"])
