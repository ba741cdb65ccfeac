"""What holds for the doctests in benchlib/ and the tests in tests/ alike."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

# The same examples in every run: a test that fails has failed before it was committed. Fresh examples
# are what benchmarks/fuzz_readers.py is for. A shared machine's clock is no property of the code.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.load_profile("suite")

# A shell starts what runs in the background with Ctrl-C ignored, and so would be every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked heavy, unless BENCHLIB_HEAVY is set (and not 0)."""
    if os.environ.get("BENCHLIB_HEAVY", "0") not in {"", "0"}:
        return
    for item in items:
        if item.get_closest_marker("heavy"):
            item.add_marker(pytest.mark.skip(reason="heavy: set BENCHLIB_HEAVY=1"))
