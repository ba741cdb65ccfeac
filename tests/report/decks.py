"""Decks of shipped studies, built once for all tests that look at them."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from benchlib.run.slides import DECK_FORMATS, BuiltSlides, build_slides

__all__ = ["ASKED", "REFUSED", "ROOT", "shipped_deck"]

ROOT = Path(__file__).parents[2]

#: What is asked of each study that can carry a plan.
ASKED = {
    "onix-adapter-published": {
        "target": "50000/s",
        "slo": "latency_p99=5ms",
        "headroom": "30%",
        "survive": "1",
        "nodes": "cores=8,cost=0.34/h; cores=4,cost=0.17/h",
        "growth": "4%/month",
        "start": "2026-11",
        "draws": 1000,
    },
    "http-endpoints": {
        "target": "250000/s",
        "slo": "latency_p99=5ms",
        "headroom": "20%",
        "nodes": "cores=2,cost=73EUR/month",
        "draws": 1000,
    },
}
#: What no plan answers: a limit below the fastest latency.
REFUSED = {"target": "250000/s", "slo": "latency_p99=0.05ms", "draws": 1000}


@functools.cache
def _output() -> tempfile.TemporaryDirectory[str]:
    # Kept as an object: the folder goes with the interpreter.
    return tempfile.TemporaryDirectory(prefix="benchlib-decks-", ignore_cleanup_errors=True)


@functools.cache
def shipped_deck(study: str, *, refused: bool = False) -> BuiltSlides:
    """Build the deck of a study in data/ in every format, or return the one built before."""
    folder = Path(_output().name) / ("refused" if refused else "planned")
    asked = REFUSED if refused else ASKED[study]
    return build_slides(ROOT / "data" / study, folder, parameters=asked, formats=DECK_FORMATS)
