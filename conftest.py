"""What holds for the doctests in benchlib/ and the tests in tests/ alike."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked heavy, unless BENCHLIB_HEAVY is set (and not 0)."""
    if os.environ.get("BENCHLIB_HEAVY", "0") not in {"", "0"}:
        return
    for item in items:
        if item.get_closest_marker("heavy"):
            item.add_marker(pytest.mark.skip(reason="heavy: set BENCHLIB_HEAVY=1"))
