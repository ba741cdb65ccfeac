"""Reports of the shipped studies, built once for all tests that look at them."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from benchlib.run.build import Built, build_report

ROOT = Path(__file__).parents[2]


@functools.cache
def _output() -> tempfile.TemporaryDirectory[str]:
    # Kept as an object: the folder goes with the interpreter.
    return tempfile.TemporaryDirectory(prefix="benchlib-shipped-", ignore_cleanup_errors=True)


@functools.cache
def shipped_report(study: str, notebook: str = "executive_summary") -> Built:
    """Build a report of a study in data/, or return the one built before."""
    return build_report(ROOT / "data" / study, Path(_output().name), notebook=notebook)
