"""Fixtures for every test: where the raw samples and reference answers lie, if they are there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _shared(part: str) -> Path:
    folder = Path(os.environ.get("BENCHLIB_SHARED", ROOT.parent / "shared")) / part
    if not folder.is_dir():
        pytest.skip(f"no shared {part}; name their folder in BENCHLIB_SHARED")
    return folder


@pytest.fixture(scope="session")
def shared_samples() -> Path:
    """Raw results that benchmark tools wrote themselves."""
    return _shared("samples")


@pytest.fixture(scope="session")
def shared_reference() -> Path:
    """Published answers, and what other tools make of the same input."""
    return _shared("reference")
