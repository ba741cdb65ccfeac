"""One browser for all tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest


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
