"""Reports of the shipped studies, built once a test run."""

from __future__ import annotations

import functools
from pathlib import Path

from benchlib.run.build import Built, Request, build_report
from tests.session_cache import made_once, session_folder

ROOT = Path(__file__).parents[2]


@functools.cache
def shipped_report(study: str, notebook: str = "executive_summary") -> Built:
    """Build a report of a study in data/, or return the one built before."""
    folder = session_folder() / f"reports-{notebook}"
    return made_once(
        f"report-{study}-{notebook}", lambda: build_report(Request(ROOT / "data" / study, folder, notebook=notebook))
    )
