"""The plotly.js that a page carries: the smallest bundle that draws all of its traces, once, compressed."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchlib.render.packing import as_text, pack_bytes

_FOLDER = Path(__file__).with_name("bundles")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A plotly.js in the form in which a page embeds it."""

    #: ``basic``, ``cartesian``, or ``full`` for plotly.py's own.
    name: str
    #: The script, gzip-compressed and written as text, see `benchlib.render.packing`.
    packed: str
    #: The base64 hash of the script by which a content security policy lets it run.
    sha256: str


def choose_bundle(traces: Iterable[str]) -> Bundle:
    """Return the smallest bundle that draws these types of traces.

    Examples
    --------
    >>> [choose_bundle(one).name for one in (["scatter", "bar"], ["scatter", "heatmap"], ["sankey"])]
    ['basic', 'cartesian', 'full']
    """
    wanted = set(traces)
    stated = _stated()
    if stated["version"] == _drawn_by():
        # They are listed from the smallest on.
        for name, one in stated["bundles"].items():
            if wanted <= set(one["traces"]):
                return _bundle(name)
    return _full()


@functools.cache
def _stated() -> dict[str, Any]:
    return dict(json.loads((_FOLDER / "bundles.json").read_text(encoding="utf-8")))


@functools.cache
def _bundle(name: str) -> Bundle:
    packed = (_FOLDER / f"plotly-{name}.min.js.gz").read_bytes()
    return Bundle(name=name, packed=as_text(packed), sha256=_stated()["bundles"][name]["sha256"])


def is_bundle(sha256: str) -> bool:
    """Tell whether this is the hash of a bundle."""
    known = [bundle["sha256"] for bundle in _stated()["bundles"].values()]
    return sha256 in known or sha256 == _full().sha256


@functools.cache
def _full() -> Bundle:
    from plotly.offline import get_plotlyjs

    source = str(get_plotlyjs()).replace("\r\n", "\n").encode()  # as a browser will see it
    return Bundle(
        name="full",
        packed=pack_bytes(source),
        sha256=base64.b64encode(hashlib.sha256(source).digest()).decode("ascii"),
    )


@functools.cache
def _drawn_by() -> str:
    from plotly.offline import get_plotlyjs_version

    return str(get_plotlyjs_version())
