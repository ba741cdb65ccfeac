"""Decks of shipped studies, built once a test run."""

from __future__ import annotations

import functools
from pathlib import Path

from benchlib.run.slides import DECK_FORMATS, BuiltSlides, build_slides
from tests.session_cache import made_once, session_folder

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
def shipped_deck(study: str, *, refused: bool = False) -> BuiltSlides:
    """Build the deck of a study in data/ in every format, or return the one built before."""
    kind = "refused" if refused else "planned"
    asked = REFUSED if refused else ASKED[study]
    return made_once(
        f"deck-{study}-{kind}",
        lambda: build_slides(
            ROOT / "data" / study, session_folder() / f"decks-{kind}", parameters=asked, formats=DECK_FORMATS
        ),
    )
