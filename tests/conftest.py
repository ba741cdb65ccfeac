"""Fixtures for every test: where the raw samples and reference answers lie, if they are there."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.session_cache import VARIABLE, session_folder

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder of this test run; workers of pytest-xdist are given it by their environment.

    A width in the environment, which pytest-xdist sets, would change what commands print.
    """
    os.environ.pop("COLUMNS", None)
    if not hasattr(config, "workerinput"):
        os.environ[VARIABLE] = tempfile.mkdtemp(prefix="benchlib-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove it after the last worker."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(session_folder(), ignore_errors=True)


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
