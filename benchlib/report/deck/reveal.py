"""The reveal.js that a deck carries: its script and its rules, as they were published."""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path

from benchlib.report.page.packing import as_text
from benchlib.report.page.plotly_bundle import Bundle

_FOLDER = Path(__file__).parents[1] / "page" / "bundles"


@functools.cache
def reveal_bundle() -> Bundle:
    """Return the script of reveal.js in the form in which a deck embeds it.

    Examples
    --------
    >>> reveal_bundle().name
    'reveal'
    """
    stated = json.loads((_FOLDER / "bundles.json").read_text(encoding="utf-8"))
    packed = (_FOLDER / "reveal.min.js.gz").read_bytes()
    return Bundle(name="reveal", packed=as_text(packed), sha256=str(stated["reveal"]["sha256"]))


@functools.cache
def reveal_css() -> str:
    """Return the rules of reveal.js, none of them of a theme: themes load fonts."""
    return gzip.decompress((_FOLDER / "reveal.min.css.gz").read_bytes()).decode("utf-8")
