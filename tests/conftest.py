"""Fixtures for every test: raw samples and reference answers, if they are there, and one browser."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium of this machine."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("BENCHLIB_REQUIRE_BROWSER") == "1":
            pytest.fail("BENCHLIB_REQUIRE_BROWSER=1, but there is no chromium on the PATH")
        pytest.skip("no chromium on the PATH: pages are not tried in a browser")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()
