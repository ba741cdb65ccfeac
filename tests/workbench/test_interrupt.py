"""A long fit in a notebook shows how far it is, can be interrupted, and leaves nothing half done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parents[2]
PATIENCE = 60

BEFORE = """
import benchlib as bl
rows = [(c, n, n * 100 / (1 + n / 9) + c) for c in range(5000) for n in (1, 2, 4, 8, 16, 32)]
curve, n, throughput = map(list, zip(*rows))
data = bl.table(curve=curve, n=n, throughput=throughput, unit="req/s")
small = data.select(curve=3)
before, fits = bl.fit_scaling(small).params, "as it was"
"""
AFTER = """
print(fits, bl.fit_scaling(small).params.equals(before), len(data.frame))
"""


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    """A kernel as a notebook has it."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(ROOT))
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=PATIENCE)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_an_interrupted_fit_says_how_far_it_was_and_leaves_what_was(
    kernel: tuple[KernelManager, BlockingKernelClient],
) -> None:
    """Thousands of curves: a line counts them; interrupted, the name keeps its value, and the next fit is right."""
    manager, client = kernel
    printed: list[str] = []
    shown: list[str] = []

    def heard(message: Any) -> None:
        content = message["content"]
        if message["msg_type"] == "stream":
            printed.append(content["text"])
        if message["msg_type"] in ("display_data", "update_display_data"):
            shown.append(content["data"]["text/plain"])
            if "curves ..." in shown[-1] and len(shown) == 1:
                manager.interrupt_kernel()

    def run(code: str) -> Any:
        return client.execute_interactive(code, output_hook=heard, timeout=PATIENCE)["content"]

    assert run(BEFORE + "fits = bl.fit_scaling(data, by='curve')")["ename"] == "KeyboardInterrupt"
    assert re.fullmatch(r"[\d,]+ of 5,000 curves \.\.\.", shown[0])
    assert re.fullmatch(r"interrupted after [\d,]+ of 5,000 curves; nothing of this cell is kept", shown[-1])
    printed.clear()
    assert run(AFTER)["status"] == "ok"
    assert "".join(printed) == "as it was True 30000\n"
