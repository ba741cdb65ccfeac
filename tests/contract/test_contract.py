"""Nothing of the contract changed: see freeze.py for what it holds, and how to accept a change that is meant."""

from __future__ import annotations

import pytest

from tests.contract.flat import differences
from tests.contract.freeze import CONTRACT, EXPECTED, expected


@pytest.mark.parametrize("name", CONTRACT)
def test_nothing_changed(name: str) -> None:
    """Every key and every value of a part is as frozen; the first 20 that are not are shown."""
    told = differences(expected(name), CONTRACT[name]())
    assert not told, f"{name}: {told}"


def test_nothing_else_is_frozen() -> None:
    """A part that is gone leaves no file."""
    assert {path.relative_to(EXPECTED).with_suffix("").as_posix() for path in EXPECTED.rglob("*.txt")} == set(CONTRACT)
